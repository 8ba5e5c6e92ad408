"""English words for tables in files and on the command line, and numbers as they are written there."""

from __future__ import annotations

from oncosearch.evaluate.evaluation import Estimate
from oncosearch.evaluate.tables import Cell, Column, Note, Table

CAPTIONS = {
    "precision": "Precision",
    "recall": "Recall",
    "ranking": "nDCG and ranking measures",
    "judged": "Share of judged hits",
    "pairs": "Pairwise Wilcoxon signed-rank tests on values per topic",
}
COLUMNS = {
    "run": "Run",
    "topics": "#Q",
    "a": "Run A",
    "b": "Run B",
    "p": "p",
    "q": "q",
    "significant": "Significant",
    "difference": "A − B",
    "effect": "Effect r",
    "wins": "Wins",
    "ties": "Ties",
    "losses": "Losses",
    "permutation_p": "Permutation p",
    "permutation_q": "Permutation q",
}
VERDICTS = {"yes": "yes", "no": "no", "no_difference": "no difference", "too_few": "not possible"}
NOTES = {
    "topics": "Means over n = {n} topics, of {judged} judged.",
    "left_out": "Left out, as no node is relevant: {n} ({topics}).",
    "missing": "Run {run} lacks {n} of the topics, which count 0: {topics}.",
    "not_judged": "Run {run} has {n} topics that nobody judged; they are not looked at.",
    "removed": "Taken out of run {run} before ranks closed up: {duplicates} duplicates, {repeated} repeated ids.",
    "duplicate_grades": "Grades of {n} nodes marked as duplicates do not count.",
    "gain_exponential": "Gain 2^grade − 1, discount log2(rank + 1); grades below 1 and nodes without a grade gain 0.",
    "gain_linear": "Gain = grade, discount log2(rank + 1), as in trec_eval; nodes without a grade gain 0.",
    "positive": "Relevant is grade {grade} or higher; a node without a grade counts as not relevant.",
    "judged_share": "Of the hits among the first k, how many have a grade.",
    "ties_ascending": "Hits of one score stand in the order of their ids.",
    "ties_descending": "Hits of one score stand in the descending order of their ids, as in trec_eval.",
    "interval": "In brackets: {percent} % percentile bootstrap over topics, {resamples} resamples, seed {seed}.",
    "no_interval": "No interval: that needs at least two topics.",
    "pairs": "{measure} of each of n = {n} topics; wins, ties and losses are those of run A.",
    "wilcoxon": (
        "p: two-sided Wilcoxon signed-rank test, equal topics left out; exact up to 50 differing topics, "
        "normal approximation above."
    ),
    "bh": "q: p adjusted by Benjamini and Hochberg over all pairs (here {pairs}); significant is q < {alpha}.",
    "no_difference": "No difference: the runs have the same value for every topic; there is nothing to test.",
    "too_few": "Not possible: with fewer than 6 differing topics no p can fall below 0.05.",
    "effect": "Effect r: matched-pairs rank-biserial correlation, −1 to 1, above 0 where run A is better.",
    "permutation": (
        "Permutation: signs of the differences flipped; all ways up to 13 differing topics, "
        "else {permutations} draws, seed {seed}."
    ),
}
_NARROW_GAP = "\u202f"
_LEAST_P = 0.000001


def caption(table: Table) -> str:
    """Return what a table is called, with its number in the paper where it has one."""
    name = CAPTIONS[table.key]
    return name if table.number is None else f"{name} (Table {table.number} of the GRAG paper)"


def heading(column: Column) -> str:
    """Return the heading of a column."""
    return COLUMNS.get(column.key, column.key)


def note_text(note: Note, language: str = "en") -> str:
    """Return a note as one sentence; ``language`` governs its numbers only."""
    values = {
        name: localised(f"{value:g}", language)
        if isinstance(value, float)
        else _count(value, language)
        if isinstance(value, int)
        else value
        for name, value in note.values.items()
    }
    return NOTES[note.code].format(**values)


def _count(value: int, language: str) -> str:
    return f"{value:,}".replace(",", _NARROW_GAP if language == "de" else ",")


def cell_text(cell: Cell, column: Column, language: str = "en") -> str:
    """Return a cell as the paper writes it: ``0.857 [0.811–0.911]``, p with six decimals; empty where there is none.

    German has the decimal comma.
    """
    if cell is None:
        return ""
    if column.kind == "verdict":
        return VERDICTS[str(cell)]
    if isinstance(cell, Estimate):
        return localised(_estimate(cell, signed=column.kind == "difference"), language)
    if isinstance(cell, float):
        if column.kind == "p":
            return localised(f"<{_LEAST_P:.6f}" if cell < _LEAST_P else f"{cell:.6f}", language)
        return localised(_signed(cell), language)
    return str(cell)


def _estimate(estimate: Estimate, *, signed: bool) -> str:
    number = _signed if signed else "{:.3f}".format
    text = number(estimate.mean)
    if estimate.lower is None or estimate.upper is None:
        return text
    between = "; " if signed else "–"
    return f"{text} [{number(estimate.lower)}{between}{number(estimate.upper)}]"


def _signed(value: float) -> str:
    text = f"{value:+.3f}"
    return "0.000" if float(text) == 0 else text.replace("-", "−")


def localised(text: str, language: str) -> str:
    """Return a number with the decimal mark of the language."""
    return text.replace(".", ",") if language == "de" else text
