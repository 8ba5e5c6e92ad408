"""Addresses of sources: built from checked ids by one table, https alone; everything else is shown as text."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from oncosearch.model import Source
from oncosearch.model.vocabulary import source_kind

MAX_ADDRESS = 2000
# Kinds whose ids are not all of one register, or that have no register: here a given address may stand in. A PubMed,
# PMC or DOI source never leads anywhere but to its register.
GIVEN_ADDRESS_KINDS = frozenset({"trial", "guideline", "web"})

_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,24}|xn--[a-z0-9-]{1,59})", re.IGNORECASE)
_LOCAL_ENDINGS = (".local", ".localhost", ".internal", ".lan", ".home", ".arpa")
_SAFE_IN_ID = "/:;()._-~"
_SAFE_IN_URL = "/:?#[]@!$&()*+,;=%._-~"
_REFUSED = re.compile(r"[\s<>\"'\\`{}|^]")


def source_address(source: Source) -> str | None:
    """Return the https address of a source, or None where it must be shown as text.

    For a kind with a register the address follows from the id, which must have the form of that register. Otherwise
    the given ``url`` is taken if it is https with a plausible public host and without credentials, port, white space,
    quotes, control characters or anything else that a browser might read in two ways.
    """
    kind = source_kind(source.kind)
    if kind is None:
        return None
    if kind.pattern is not None and kind.id_form is not None and _fits(kind.id_form, source.id):
        return kind.pattern.replace("{id}", quote(source.id, safe=_SAFE_IN_ID))
    if source.url is not None and source.kind in GIVEN_ADDRESS_KINDS:
        return _checked(source.url)
    return None


def _fits(form: str, source_id: str) -> bool:
    if len(source_id) > MAX_ADDRESS // 4 or not source_id.isprintable() or not re.fullmatch(form, source_id):
        return False
    return not any(part in ("", ".", "..") for part in source_id.split("/"))


def _checked(url: str) -> str | None:
    if len(url) > MAX_ADDRESS or not url.isprintable() or _REFUSED.search(url):
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    host = parts.hostname or ""
    plain = parts.scheme == "https" and url[:8].lower() == "https://" and "@" not in parts.netloc and port is None
    if not plain or parts.netloc.lower() != host or len(host) > 253:
        return None
    if not _HOST.fullmatch(host) or host.endswith(_LOCAL_ENDINGS):
        return None
    return quote(url, safe=_SAFE_IN_URL)
