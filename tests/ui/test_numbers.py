import time

import pytest

from oncosearch.ui.numbers import decimal, duration, integer, milliseconds, moment, percent


@pytest.mark.parametrize(
    ("value", "german", "english"),
    [
        (0.83124, "0,831", "0.831"),
        (0.0, "0,000", "0.000"),
        (-0.0001, "0,000", "0.000"),
        (-0.25, "−0,250", "−0.250"),
        (0.036, "0,036", "0.036"),
        (1.0, "1,00", "1.00"),
        (12.345, "12,3", "12.3"),
        (1234.5, "1234", "1234"),
        (None, "—", "—"),
        (float("nan"), "—", "—"),
    ],
)
def test_decimal(value, german, english):
    assert decimal(value, "de") == german
    assert decimal(value, "en") == english


def test_percent():
    assert percent(0.611, "de") == "61\u00a0%"
    assert percent(0.611, "en") == "61%"
    assert percent(0.001, "en") == "<1%"
    assert percent(0.0, "en") == "0%"


def test_counts_and_times():
    assert integer(200000, "de") == "200\u202f000"
    assert integer(200000, "en") == "200,000"
    assert milliseconds(0.2, "de") == "1\u00a0ms"
    assert milliseconds(1234, "de") == "1,2\u00a0s"
    assert duration(0.4, "de") == "<1\u00a0s"
    assert duration(42.2, "de") == "42\u00a0s"
    assert duration(600, "en") == "10\u00a0min"
    assert duration(7200, "en") == "2.0\u00a0h"
    assert moment("yesterday", "de") == "yesterday"


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of a process can be set on POSIX only")
def test_times_are_those_of_this_machine_and_name_its_zone(monkeypatch):
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    try:
        assert moment("2026-11-30T13:05:09.123+00:00", "de") == "30.11.2026, 14:05 CET"
        assert moment("2026-07-01T23:30:00+00:00", "en") == "02 Jul 2026, 01:30 CEST"
        assert moment("2026-07-01T23:30:00", "en") == "01 Jul 2026, 23:30"
    finally:
        monkeypatch.undo()
        time.tzset()
