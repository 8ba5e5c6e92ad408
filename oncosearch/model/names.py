"""File names from opaque ids: readable, safe on every file system, and never the same for two ids."""

from __future__ import annotations

import hashlib
import re


def safe_name(opaque_id: str) -> str:
    """Return a file name for ``opaque_id``: its plain characters and eight hex digits of its hash."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", opaque_id).strip("._")[:48]
    digest = hashlib.sha256(opaque_id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain or 'id'}-{digest}"
