"""A node as one field-tagged text for embedding (GRAG paper 4.1), deterministic and with the range of each field.

Form of ``oncosearch-1``: one line per field, the tag, a space, the content; the ancestor titles come first::

    <Path> Onkologie › Solide Tumoren › Mammakarzinom | Hereditäre Syndrome
    <Title> Triple-negatives Mammakarzinom / Triple-negative breast cancer
    <Type> Erkrankung / Disease
    <Synonyms> TNBC; tripelnegatives Mammakarzinom
    <Therapy> … / …
    <Codes> ICD-10-GM C50.9

Ancestors are in German alone (else the first language there is): the title line has both languages, and a long path
must not use up the model's window. Elsewhere German stands first, then every other language whose text differs,
after `` / ``. White space and control characters become one space, so a value never starts a line; a tag of ours
inside a value (``<Title>``) is written ``‹Title›``. The version markers stand in ``Passage.header``, which is stored
but not embedded: a new snapshot does not change the vector of an unchanged node.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from oncosearch.model import LocalText, Node, Passage, text_hash
from oncosearch.model.vocabulary import FIELD_KEYS, LANGUAGE_KEYS, term_name

FORMAT_ID = "oncosearch-1"
PATH_FIELD = "Path"
PATH_STEP, PATH_OTHER, LANGUAGE_STEP, ENTRY_STEP = " › ", " | ", " / ", "; "

_FIELD_ORDER = {key: place for place, key in enumerate(FIELD_KEYS)}
_TAG = re.compile(
    rf"<(\s*/?\s*(?:{'|'.join((*FIELD_KEYS, PATH_FIELD, 'Format', 'Snapshot'))})\s*/?\s*)>", re.IGNORECASE
)


def serialise(
    node: Node,
    *,
    snapshot_id: str,
    primary_path: Sequence[str | LocalText] = (),
    other_titles: Sequence[str | LocalText] = (),
) -> Passage:
    """Return the passage of a node.

    Parameters
    ----------
    node
        The node; empty fields are left out.
    snapshot_id
        Goes into the header alone.
    primary_path
        Titles of the ancestors on the primary path, root first, without the node itself.
    other_titles
        Titles of the other ancestors; those already on the path, and repeated ones, are left out.

    Returns
    -------
    Passage
        With one span per field (``Path`` for the ancestors): the content without its tag.
    """
    lines: list[str] = []
    spans: list[tuple[str, int, int]] = []
    place = 0
    for field, content in [(PATH_FIELD, _ancestors(primary_path, other_titles)), *field_contents(node)]:
        if not content:
            continue
        tag = f"<{field}> "
        spans.append((field, place + len(tag), place + len(tag) + len(content)))
        lines.append(tag + content)
        place += len(tag) + len(content) + 1
    text = "\n".join(lines)
    return Passage(
        node_id=node.id,
        header=passage_header(snapshot_id),
        text=text,
        spans=tuple(spans),
        format_id=FORMAT_ID,
        snapshot_id=snapshot_id,
        text_hash=text_hash(f"{FORMAT_ID}\n{text}"),
    )


def passage_header(snapshot_id: str) -> str:
    """Return the version markers of the passages of a snapshot."""
    return f"<Format> {FORMAT_ID} <Snapshot> {clean(snapshot_id)}"


def field_contents(node: Node) -> list[tuple[str, str]]:
    """Return (field, content) of a node in vocabulary order, as they stand in its passage; empty ones left out."""
    texts = dict(node.fields)
    made = {
        "Title": _in_languages(text for _, text in node.title),
        "Type": _in_languages(term_name("type", node.type, language) for language in LANGUAGE_KEYS),
        "Synonyms": _entries(s.text for s in sorted(node.synonyms, key=lambda s: _language_place(s.language))),
        "Codes": _entries(f"{c.system} {c.code}" for c in node.codes),
    }
    out = []
    for field in sorted({*made, *texts}, key=lambda f: (_FIELD_ORDER.get(f, len(FIELD_KEYS)), f)):
        content = made[field] if field in made else _in_languages(text for _, text in texts[field])
        if content:
            out.append((field, content))
    return out


def stored_text(passage: Passage) -> str:
    """Return the passage as it is stored: the header with the version markers, then the text."""
    return f"{passage.header}\n{passage.text}"


def field_text(passage: Passage, field: str) -> str:
    """Return the content of a field of a passage; empty where it has none."""
    return next((passage.text[start:end] for name, start, end in passage.spans if name == field), "")


def strip_field(passage: Passage, field: str) -> str:
    """Return the text of a passage without one field and its tag; unchanged where it has no such field."""
    return "\n".join(passage.text[start - len(f"<{f}> ") : end] for f, start, end in passage.spans if f != field)


def clean(value: str) -> str:
    """Return a value on one line, with our tags made harmless; what is clean already comes back as it is."""
    if not value.isprintable():
        value = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in value)
    return _TAG.sub("‹\\1›", " ".join(value.split()))


def _ancestors(primary_path: Sequence[str | LocalText], other_titles: Sequence[str | LocalText]) -> str:
    path = [title for title in map(_one_title, primary_path) if title]
    others = [title for title in dict.fromkeys(map(_one_title, other_titles)) if title and title not in path]
    return PATH_OTHER.join([PATH_STEP.join(path), *others] if path else others)


def _one_title(title: str | LocalText) -> str:
    return clean(title if isinstance(title, str) else title.best("de"))


def _in_languages(texts: Iterable[str]) -> str:
    return LANGUAGE_STEP.join(_distinct(texts))


def _entries(texts: Iterable[str]) -> str:
    return ENTRY_STEP.join(_distinct(texts))


def _distinct(texts: Iterable[str]) -> list[str]:
    return [text for text in dict.fromkeys(map(clean, texts)) if text]


def _language_place(language: str) -> tuple[int, str]:
    known = LANGUAGE_KEYS.index(language) if language in LANGUAGE_KEYS else len(LANGUAGE_KEYS)
    return known, language
