"""Intervals of means by the bootstrap over topics."""

from __future__ import annotations

import numpy as np

from oncosearch.evaluate.measures import Floats
from oncosearch.evaluate.rules import Rules


def bootstrap_intervals(values: Floats, rules: Rules) -> tuple[Floats, Floats]:
    """Return the lower and upper ends of percentile intervals of means.

    Topics are drawn with replacement, as many as there are, ``rules.resamples`` times; the interval lies between
    the percentiles of the means (Efron and Tibshirani, 1993, chapter 13). Values are put in order first: the
    interval follows from them and the seed alone, not from how topics are named or sorted.

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
    means = np.sort(values, axis=1) @ times.T.astype(np.float64) / topics
    tail = 50 * (1 - rules.confidence)
    lower, upper = np.percentile(means, [tail, 100 - tail], axis=1)
    return lower, upper
