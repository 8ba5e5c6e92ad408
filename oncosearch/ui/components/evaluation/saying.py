"""What an evaluation says in plain words: which run leads, and whether the difference means anything."""

from __future__ import annotations

from collections.abc import Sequence

from oncosearch.evaluate import TEST_MEASURE, Column, Comparison, Measure, cell_text
from oncosearch.ui.components.states import notice
from oncosearch.ui.markup import Markup, element
from oncosearch.ui.numbers import decimal, integer, percent
from oncosearch.ui.texts import Texts
from oncosearch.workspace.evaluating import Measured

# Below this share of judged hits the figures rest on too little to be read without a warning.
ENOUGH_JUDGED = 0.9
_NAMES_SHOWN = 8


def said(t: Texts, found: Measured, shown: Sequence[Measure]) -> Markup:
    """Return the box that says whether differences mean anything; ``shown`` are the chosen measures."""
    lines = sentences(t, found, shown)
    return element(
        "section",
        element("h2", t("evaluate.say.title"), class_="os-h2"),
        *(element("p", line, class_="os-verdict" if number == 0 else None) for number, line in enumerate(lines)),
        class_="os-section os-said",
    )


def sentences(t: Texts, found: Measured, shown: Sequence[Measure]) -> list[str]:
    """Return the sentences, the leading run first.

    The first is about a measure that was chosen; tests are of one measure always, and where that is another one the
    next sentence says so.
    """
    evaluation, comparisons = found.evaluation, found.outcome.comparisons
    topics, named = integer(len(evaluation.topics), t.language), TEST_MEASURE in shown
    measure = TEST_MEASURE if named else shown[0]
    if comparisons is None:
        (run,) = evaluation.runs
        mean = decimal(evaluation.estimate(run, measure).mean, t.language)
        reached = t("evaluate.say.one", run=run, measure=str(measure), mean=mean, topics=topics)
        return [reached, t("evaluate.say.one_plain", tested=str(TEST_MEASURE))]
    best = max(evaluation.runs, key=lambda run: (evaluation.estimate(run, TEST_MEASURE).mean, run))
    mean = decimal(evaluation.estimate(best, TEST_MEASURE).mean, t.language)
    lines = [] if named else _of_the_chosen(t, found, measure, topics)
    lines.append(t("evaluate.say.best", run=best, mean=mean, topics=topics))
    alpha = decimal(comparisons.rules.alpha, t.language, 2)
    against = [pair for pair in comparisons.pairs if best in (pair.a, pair.b)]
    for key, chosen in (
        ("better", [p for p in against if p.verdict == "yes" and _ahead(p, best)]),
        ("surprise", [p for p in against if p.verdict == "yes" and not _ahead(p, best)]),
        ("maybe", [p for p in against if p.verdict == "no"]),
        ("too_few", [p for p in against if p.verdict == "too_few"]),
        ("same", [p for p in against if p.verdict == "no_difference"]),
    ):
        if chosen:
            others = [pair.b if pair.a == best else pair.a for pair in chosen]
            lines.append(t(f"evaluate.say.{key}", runs=_listed(t, others), alpha=alpha))
    if len(comparisons.pairs) > 1:
        count = sum(pair.verdict == "yes" for pair in comparisons.pairs)
        pairs = integer(len(comparisons.pairs), t.language)
        if count:
            lines.append(t("evaluate.say.pairs", pairs=pairs, found=integer(count, t.language)))
        else:
            lines.append(t("evaluate.say.no_pair", pairs=pairs))
    elif comparisons.pairs[0].differing:
        lines.append(_one_pair(t, comparisons.pairs[0]))
    return lines


def _of_the_chosen(t: Texts, found: Measured, measure: Measure, topics: str) -> list[str]:
    """Return who leads by a measure that is not the tested one, and that the rest is about the tested one."""
    evaluation = found.evaluation
    means = {run: evaluation.estimate(run, measure).mean for run in evaluation.runs}
    top = [run for run in evaluation.runs if means[run] == max(means.values())]
    values = {"measure": str(measure), "mean": decimal(means[top[0]], t.language), "topics": topics}
    if len(top) > 1:
        first = t("evaluate.say.chosen_ties", runs=_listed(t, top), **values)
    else:
        first = t("evaluate.say.chosen", run=top[0], **values)
    tested = [f"{run} {decimal(evaluation.estimate(run, TEST_MEASURE).mean, t.language)}" for run in evaluation.runs]
    return [first, t("evaluate.say.tested", tested=str(TEST_MEASURE), values=_listed(t, tested))]


def _one_pair(t: Texts, pair: Comparison) -> str:
    counts = {name: integer(getattr(pair, name), t.language) for name in ("wins", "losses", "ties")}
    difference = cell_text(pair.difference, Column("difference", "difference"), t.language)
    return t("evaluate.say.pair", a=pair.a, b=pair.b, difference=difference, **counts)


def judged_notice(t: Texts, found: Measured) -> Markup:
    """Return how much of the first ten hits is judged: a warning where that is little."""
    low = {run: share for run, share in found.judged_share.items() if share < ENOUGH_JUDGED}
    if not low:
        if min(found.judged_share.values()) >= 1:
            return element("p", t("evaluate.judged.all"), class_="os-matched")
        share = percent(min(found.judged_share.values()), t.language)
        return element("p", t("evaluate.judged.fine", share=share), class_="os-matched")
    ordered = sorted(low, key=lambda run: (low[run], run))
    shares = _listed(t, [f"{run} {percent(low[run], t.language)}" for run in ordered])
    body = element("p", t("evaluate.judged.low.advice", shares=shares))
    return notice(t("evaluate.judged.low"), body, kind="warn")


def _ahead(pair: Comparison, run: str) -> bool:
    """Whether a run is the better one by the signed ranks, which is what the test looks at."""
    effect = pair.effect or 0.0
    return effect > 0 if pair.a == run else effect < 0


def _listed(t: Texts, names: Sequence[str]) -> str:
    if len(names) <= _NAMES_SHOWN:
        return ", ".join(names)
    rest = integer(len(names) - _NAMES_SHOWN, t.language)
    return ", ".join(names[:_NAMES_SHOWN]) + f", … (+{rest})"
