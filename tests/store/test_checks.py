"""Differences of snapshots, and what opening the package costs."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from oncosearch.model import SnapshotDiff, SnapshotKey
from oncosearch.store import difference
from tests.paths import ROOT

OLD, NEW = SnapshotKey("g", "1"), SnapshotKey("g", "2")


def test_difference_by_hand() -> None:
    found = difference(OLD, NEW, {"01": "a", "1": "b", "z": "c", "é": "d"}, {"01": "a", "1": "x", "é": "y", "n": "z"})
    assert found == SnapshotDiff(OLD, NEW, added=("n",), changed=("1", "é"), removed=("z",))


_hashes = st.dictionaries(st.text(max_size=2), st.sampled_from("abc"), max_size=8)


@given(old=_hashes, new=_hashes)
def test_old_and_difference_make_new(old: dict[str, str], new: dict[str, str]) -> None:
    found = difference(OLD, NEW, old, new)
    assert set(old) - set(found.removed) | set(found.added) == set(new)
    assert {i for i in old.keys() & new.keys() if old[i] != new[i]} == set(found.changed)
    for ids in (found.added, found.changed, found.removed):
        assert list(ids) == sorted(set(ids))
    back = difference(NEW, OLD, new, old)
    assert (back.added, back.changed, back.removed) == (found.removed, found.changed, found.added)


def test_the_drivers_are_loaded_only_by_the_store_that_needs_them() -> None:
    told = "import sys, oncosearch.store; print({'pymongo', 'sqlite3'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", told], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
