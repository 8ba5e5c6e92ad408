"""The language catalogues: one JSON file a language, the same keys and placeholders in each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

CATALOGUES = ("de", "en")


@cache
def catalogue(language: str) -> dict[str, str]:
    """Return the texts of a language by key."""
    read: dict[str, str] = json.loads(files(__package__).joinpath(f"{language}.json").read_text("utf-8"))
    return read


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of one language. ``t("search.submit")`` returns a text, its placeholders filled."""

    language: str

    def __call__(self, key: str, **values: object) -> str:
        """Return the text ``key``; KeyError where the catalogue has none."""
        text = catalogue(self.language)[key]
        return text.format(**values) if values else text

    def has(self, key: str) -> bool:
        """Return whether the catalogue has ``key``."""
        return key in catalogue(self.language)

    def count(self, key: str, count: int, **values: object) -> str:
        """Return the text ``key.one`` or ``key.other`` with ``count`` written out as people read it."""
        from oncosearch.ui.numbers import integer

        form = "one" if count == 1 else "other"
        return self(f"{key}.{form}", count=integer(count, self.language), **values)


def texts(language: str) -> Texts:
    """Return the texts of ``language``; German where there are none."""
    return Texts(language if language in CATALOGUES else "de")
