"""The soak of the benchmark counts what it says, for a second."""

from __future__ import annotations

from pathlib import Path

from bench.annotation import Soak, run
from oncosearch.settings import Settings


def test_a_short_soak_loses_nothing(tmp_path: Path) -> None:
    outcome = run(Settings(home=tmp_path), Soak(raters=4, rate=1200, seconds=1))
    # 20 a second and rater; a slow disk may make fewer, never more.
    assert 4 <= outcome.saved <= 4 * 21
    assert (outcome.found, outcome.wrong) == (outcome.saved, 0)
    assert len(outcome.seconds) == outcome.saved
    assert 0 < outcome.quantile(0.5) <= outcome.quantile(1.0)
