"""What of a link was not understood, in words: which setting, and what it said."""

from __future__ import annotations

from oncosearch.ui.components.states import notice
from oncosearch.ui.markup import Markup, element, shortened
from oncosearch.ui.state import Address, Allowed, read_view
from oncosearch.ui.texts import Texts

_SHOWN = 8
_VALUE_LIMIT = 40
# These two have notices of their own; the others belong to the server.
_TOLD_ELSEWHERE = frozenset({"graph", "q"})
_OF_THE_SERVER = frozenset({"embed", "embed_options"})
# Settings that one page alone reads; the app writes them into links to that page only.
OF_ONE_PAGE = {
    "annotate": frozenset({"session", "topic", "task"}),
    "compare": frozenset({"col", "set", "judged", "by", "pair", "sort", "image"}),
    "evaluate": frozenset(
        {
            "part", "qrels", "run", "measure", "topics", "carry", "value", "drawn", "picture", "ratings", "ownlabels",
            "unseen",
        }
    ),
}  # fmt: skip


def refused_notice(t: Texts, address: Address, allowed: Allowed, refused: tuple[str, ...], page: str) -> Markup | None:
    """Return a notice that names every setting that was refused with what it said, and those without effect."""
    names = []
    for name in dict.fromkeys(refused):
        if name not in _TOLD_ELSEWHERE:
            said = ", ".join(_pair(name, value) for value in refused_values(address, allowed, name)[:_SHOWN])
            names.append(f"{t(f'address.name.{name}')} ({said or t('address.too_many', count=len(address[name]))})")
    body = []
    if names:
        body.append(element("p", t("address.refused.advice", names=", ".join(names))))
    stray = [_pair(name, address[name][-1]) for name in stray_settings(t, address, page) if name not in refused]
    if stray:
        more = ["…"] if len(stray) > _SHOWN else []
        body.append(element("p", t("address.unknown.advice", names=", ".join([*stray[:_SHOWN], *more]))))
    return notice(t("address.refused.title"), *body) if body else None


def refused_values(address: Address, allowed: Allowed, name: str) -> list[str]:
    """Return the values of a setting that are refused each by itself; none where there were only too many."""
    values = dict.fromkeys(address.get(name, [])[:100])
    return [value for value in values if name in read_view({name: [value]}, allowed)[1]]


def stray_settings(t: Texts, address: Address, page: str) -> list[str]:
    """Return the settings of an address that no page has, or that another page has and this one does not read."""
    elsewhere = {name for other, names in OF_ONE_PAGE.items() if other != page for name in names}
    return [
        name
        for name in address
        if name not in _TOLD_ELSEWHERE | _OF_THE_SERVER
        and address[name]
        and (name in elsewhere or not t.has(f"address.name.{name}"))
    ]


def _pair(name: str, value: str) -> str:
    return f"{shortened(name, _VALUE_LIMIT)}={shortened(value, _VALUE_LIMIT)}"
