"""Where tests find things: the repository and, where it is present, the public data and facts beside it."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def _folder(variable: str, beside: Path) -> Path | None:
    given = os.environ.get(variable)
    folder = Path(given) if given else beside
    return folder if folder.is_dir() else None


SHARED_DATA = _folder("ONCOSEARCH_TEST_DATA", ROOT.parent / "shared" / "data")
SHARED_FACTS = _folder("ONCOSEARCH_TEST_FACTS", ROOT.parent / "shared" / "facts")
