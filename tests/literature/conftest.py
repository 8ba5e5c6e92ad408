"""A local source with four articles and one full text."""

from collections.abc import Iterator

import pytest

from oncosearch.literature.local import LocalSource
from tests.literature.articles import ARTICLES, DOCUMENT


@pytest.fixture
def local(tmp_path) -> Iterator[LocalSource]:
    with LocalSource.open(tmp_path / "local") as source:
        source.add([*ARTICLES, DOCUMENT])
        yield source
