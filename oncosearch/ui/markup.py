"""The one way from outside text to the screen: HTML built from escaped parts.

Every element is made by :func:`element`, which escapes whatever is not itself made here, so that a title, a query
or a source can never become a tag, an attribute or a script.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterable

_VOID = frozenset({"br", "hr", "img", "meta", "input", "wbr"})
_SAFE_ADDRESS = re.compile(r"(?:https://|/(?!/)|#)", re.ASCII)
TITLE_LIMIT = 240
_MARKS_AT_MOST = 3


class Markup(str):
    """HTML that was built in this module; any other text is escaped when it is put beside it."""

    __slots__ = ()


Child = str | Markup | None


def escape(text: str) -> Markup:
    """Return ``text`` as HTML that shows exactly this text."""
    return text if isinstance(text, Markup) else Markup(html.escape(text, quote=True))


def join(children: Iterable[Child], between: str = "") -> Markup:
    """Return the children one after another, each escaped unless it was built here."""
    return Markup(escape(between).join(escape(child) for child in children if child is not None))


def element(tag: str, *children: Child, **attributes: str | int | float | bool | None) -> Markup:
    """Return an HTML element with escaped children and attributes.

    Parameters
    ----------
    tag
        Name of the element; ours, never from outside.
    children
        Markup stays as it is, text is escaped, None is left out.
    attributes
        ``class_`` is written ``class``, other underscores become hyphens; None and False are left out.

    Raises
    ------
    ValueError
        If ``href`` is neither https nor an address within this app: nothing else is ever linked.
    """
    written = []
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        key = name.rstrip("_").replace("_", "-")
        if key in {"href", "src"} and not _SAFE_ADDRESS.match(str(value)):
            raise ValueError(f"{key} is {value!r}; only https addresses and pages of this app are linked")
        written.append(f" {key}" if value is True else f' {key}="{html.escape(str(value), quote=True)}"')
    start = f"<{tag}{''.join(written)}>"
    return Markup(start) if tag in _VOID else Markup(f"{start}{join(children)}</{tag}>")


def inner_link(address: str, *children: Child, **attributes: str | int | float | bool | None) -> Markup:
    """Return a link to a page of this app, followed without reloading the page."""
    return element("a", *children, href=address, data_inner=True, **attributes)


def outer_link(address: str, *children: Child, **attributes: str | int | float | bool | None) -> Markup:
    """Return a link that leaves the app: https only, in a new tab, without a referrer."""
    return element("a", *children, href=address, target="_blank", rel="noopener noreferrer", **attributes)


def shortened(text: str, limit: int = TITLE_LIMIT) -> str:
    """Return ``text`` with at most ``limit`` characters, an ellipsis for the rest."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def clamped(text: str, limit: int = TITLE_LIMIT) -> tuple[Markup, ...]:
    """Return ``text`` as it is, or, where it is very long, its beginning with the whole text as a tooltip."""
    short = shortened(text, limit)
    return (escape(text),) if short == text else (element("span", short, title=text[:2000]),)


def unstacked(text: str) -> str:
    """Return ``text`` with at most three combining marks on a character, so that none runs over other lines."""
    kept, marks = [], 0
    for character in text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= _MARKS_AT_MOST:
            kept.append(character)
    return "".join(kept)


def json_for_script(value: object) -> str:
    """Return JSON that can stand inside a ``<script>`` element: no ``<``, ``>``, ``&`` or line separators in it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
