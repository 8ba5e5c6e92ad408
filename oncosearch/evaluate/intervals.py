"""Intervals of means by the bootstrap over topics."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from oncosearch.evaluate.measures import Floats
from oncosearch.evaluate.rules import Rules


def bootstrap_intervals(values: Floats, rules: Rules) -> tuple[Floats, Floats]:
    """Return the lower and upper ends of percentile intervals of means.

    Topics are drawn with replacement, as many as there are, ``rules.resamples`` times; the interval lies between
    the percentiles of the means (Efron and Tibshirani, 1993, chapter 13). Values are put in order first: the
    interval follows from them and the seed alone, not from how topics are named or sorted. That of the negated
    values is the mirror of theirs, so that A − B and B − A say the same.

    Parameters
    ----------
    values
        Series × topics. From fewer than two topics there is no interval: both ends are NaN.
    """
    series, topics = values.shape
    if topics < 2:
        nothing = np.full(series, np.nan)
        return nothing, nothing.copy()
    drawn = np.random.default_rng(rules.seed).integers(0, topics, (rules.resamples, topics))
    drawn += np.arange(rules.resamples)[:, None] * topics
    times = np.bincount(drawn.ravel(), minlength=rules.resamples * topics).reshape(rules.resamples, topics)
    facing, turned, symmetric = _facing_up(np.sort(values, axis=1))
    means = facing @ times.T.astype(np.float64) / topics
    tail = 50 * (1 - rules.confidence)
    lower, upper = np.percentile(means, [tail, 100 - tail], axis=1)
    # Adding 0 leaves no −0.
    lower[turned], upper[turned] = 0.0 - upper[turned], 0.0 - lower[turned]
    half = (upper - lower) / 2
    return np.where(symmetric, 0.0 - half, lower), np.where(symmetric, half, upper)


def _facing_up(ordered: Floats) -> tuple[Floats, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return series turned so that their mean is not below 0, which ones were, and which are their own mirror."""
    mirrored = 0.0 - ordered[:, ::-1]
    differs = ordered != mirrored
    rows, first = np.arange(len(ordered)), differs.argmax(axis=1)
    # Exact sums, so that a series and its mirror never disagree on the sign.
    sums = np.array([math.fsum(series) for series in ordered.tolist()])
    turned = (sums < 0) | ((sums == 0) & (ordered[rows, first] < mirrored[rows, first]))
    return np.where(turned[:, None], mirrored, ordered), turned, ~differs.any(axis=1)
