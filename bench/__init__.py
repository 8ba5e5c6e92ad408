"""Benchmarks: ratios within one process, medians over repeats; never part of the tests."""
