"""Qrels and runs in the form of TREC: what trec_eval, ir-measures and ranx read.

Columns end at white space, and ids here are IRIs or any other text. An id that TREC can hold is written as it is,
percent signs included; any other one (white space, invisible characters, empty, ``#`` or the mark itself first) is
written as the mark ``%:`` and its percent-encoded UTF-8. No IRI starts with ``%:``, so foreign files read as they are.

TREC reads −1 as "pooled but not judged". A qrels file therefore carries max(grade, 0), and a file beside it the flags.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import quote, unquote_to_bytes

from oncosearch.evaluate.exchange.report import ReadReport, Remarks, file_lines, is_undecoded, utf_8, write_text
from oncosearch.evaluate.order import Hit, in_order, just_above
from oncosearch.model import Qrels, Run, UsageError

Duplicates = Mapping[str, Iterable[str]]

GRADE_SCALE = range(-1, 4)
_MARK = "%:"
_IRRELEVANT = "irrelevant"
_DUPLICATE = "duplicate"
_FLAGS_SENTENCE = (
    "# TREC reads -1 as 'pooled but not judged'; {name} therefore carries max(grade, 0). "
    "A node flagged irrelevant here has grade -1; a node flagged duplicate is removed before measuring.\n"
)
_FLAGS_HEADER = "topic\tnode\tflag"
_COLUMN_GAP = re.compile("[ \t]+")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(nan|inf|infinity)", re.IGNORECASE)
RankBy = Literal["score", "rank"]


def trec_id(identifier: str) -> str:
    """Return an id as one column of a TREC file; ``from_trec_id`` gives it back."""
    if identifier and not identifier.startswith((_MARK, "#")) and not _needs_escape(identifier):
        return identifier
    escaped = (quote(c, errors="surrogatepass") if c in "%#" or _needs_escape(c) else c for c in identifier)
    return _MARK + "".join(escaped)


def from_trec_id(column: str) -> str:
    """Return the id that a column of a TREC file stands for.

    Raises
    ------
    ValueError
        If the column carries the mark of escaped ids and what follows is no percent-encoded UTF-8.
    """
    if not column.startswith(_MARK):
        return column
    return unquote_to_bytes(column.removeprefix(_MARK)).decode("utf-8", "surrogatepass")


def _needs_escape(text: str) -> bool:
    # Of all white space only the blank counts as printable.
    return " " in text or not text.isprintable()


def flags_path(qrels_path: Path) -> Path:
    """Return the path of the flags file that belongs to a qrels file: ``Q.qrels`` has ``Q.qrels.flags.tsv``."""
    return qrels_path.with_name(qrels_path.name + ".flags.tsv")


def write_qrels(qrels: Qrels, path: Path, *, duplicates: Duplicates | None = None) -> int:
    """Write ``topic 0 node max(grade, 0)`` and the flags file beside it; return the number of judgements.

    The flags file is written even where it has no line, so that an older one never speaks for newer qrels.
    A topic without judgements has no line and is not in the file.
    """
    lines = [
        f"{trec_id(topic)} 0 {trec_id(node)} {max(grade, 0)}\n"
        for topic, grades in qrels.grades.items()
        for node, grade in grades.items()
    ]
    write_with_flags("".join(lines), qrels, path, duplicates=duplicates)
    return len(lines)


def write_with_flags(text: str, qrels: Qrels, path: Path, *, duplicates: Duplicates | None = None) -> None:
    """Write the text of the qrels file ``path`` and its flags file: the grades of −1, and the duplicates.

    The old qrels go first and the new ones come last: whatever stops it, none lie beside flags of others.
    """
    content, flags = utf_8(path, text), utf_8(flags_path(path), _flags_text(qrels, path, duplicates or {}))
    path.unlink(missing_ok=True)
    flags_path(path).write_bytes(flags)
    path.write_bytes(content)


def _flags_text(qrels: Qrels, path: Path, duplicates: Duplicates) -> str:
    flags = [
        (topic, node, _IRRELEVANT)
        for topic, grades in qrels.grades.items()
        for node, grade in grades.items()
        if grade < 0
    ]
    flags += [(topic, node, _DUPLICATE) for topic, nodes in duplicates.items() for node in sorted(nodes)]
    lines = [f"{trec_id(topic)}\t{trec_id(node)}\t{flag}\n" for topic, node, flag in flags]
    sentence = _FLAGS_SENTENCE.format(name=trec_id(path.name))
    return sentence + _FLAGS_HEADER + "\n" + "".join(lines)


def read_qrels(path: Path, *, scale: range | None = GRADE_SCALE) -> tuple[Qrels, ReadReport]:
    """Return the qrels of a TREC file, its flags file taken in where there is one, and what was not taken.

    A flags file gives back the grades of −1; without one, a −1 in the qrels file means "pooled but not judged", as
    with TREC, and is not taken. Grades outside ``scale`` are not taken; ``scale=None`` takes every whole number as it
    stands, −1 too. A node that stands twice under a topic counts as first written.

    Raises
    ------
    UsageError
        If the file cannot be read or is UTF-16.
    """
    remarks = Remarks(path)
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    lines: dict[tuple[str, str], int] = {}
    for number, line in file_lines(path):
        columns = _columns(line, 4, number, remarks)
        if columns is None:
            continue
        ids = _ids((columns[0], columns[2]), number, line, remarks)
        grade = judged_grade(columns[3], number, line, remarks, scale)
        if ids is None or grade is None:
            continue
        add_grade(grades, lines, (ids[0], ids[1]), grade, number, line, remarks)
    if flags_path(path).is_file():
        apply_flags(path, grades, remarks.named(f"{flags_path(path).name} line"))
    return Qrels(dict(grades)), remarks.report(sum(map(len, grades.values())))


def add_grade(
    grades: dict[str, dict[str, int]],
    lines: dict[tuple[str, str], int],
    ids: tuple[str, str],
    grade: int,
    number: int,
    line: str,
    remarks: Remarks,
) -> bool:
    """Put a grade into ``grades`` and return True; where the node has one already, put the second one on record."""
    topic, node = ids
    if ids in lines:
        other = grades[topic][node]
        said = {"topic": topic, "node": node, "before": remarks.place(lines[ids])}
        if other == grade:
            remarks.skip(number, line, "repeated", **said)
        else:
            remarks.skip(number, line, "contradicts", grade=grade, other=other, **said)
        return False
    lines[ids] = number
    grades.setdefault(topic, {})[node] = grade
    return True


def read_duplicates(path: Path) -> dict[str, frozenset[str]]:
    """Return the nodes by topic that the flags file of the qrels file ``path`` calls duplicates.

    Empty without a flags file. Lines that say something else are reported by ``read_qrels``.
    """
    if not flags_path(path).is_file():
        return {}
    found: dict[str, set[str]] = defaultdict(set)
    for _, _, topic, node, flag in _flags(path, Remarks(path)):
        if flag == _DUPLICATE:
            found[topic].add(node)
    return {topic: frozenset(nodes) for topic, nodes in found.items()}


def _flags(path: Path, remarks: Remarks) -> Iterable[tuple[int, str, str, str, str]]:
    """Yield number, line, topic, node and flag of the lines of a flags file."""
    heading = True
    for number, line in file_lines(flags_path(path)):
        if heading and (line.startswith("#") or line == _FLAGS_HEADER):
            heading = line != _FLAGS_HEADER
            continue
        columns = _columns(line, 3, number, remarks)
        ids = _ids(columns[:2], number, line, remarks) if columns else None
        if columns is None or ids is None:
            continue
        if columns[2] not in (_IRRELEVANT, _DUPLICATE):
            remarks.skip(number, line, "flag", flag=columns[2])
            continue
        yield number, line, ids[0], ids[1], columns[2]


def apply_flags(path: Path, grades: Mapping[str, dict[str, int]], remarks: Remarks) -> None:
    """Give back the grades of −1 that the flags file of the qrels file ``path`` holds."""
    for number, line, topic, node, flag in _flags(path, remarks):
        if flag == _DUPLICATE:
            continue
        grade = grades.get(topic, {}).get(node)
        if grade is None:
            remarks.skip(number, line, "flag_without_grade", topic=topic, node=node)
        elif grade > 0:
            remarks.skip(number, line, "flag_contradicts", topic=topic, node=node, grade=grade)
        else:
            grades[topic][node] = -1


def write_run(run: Run, path: Path) -> int:
    """Write a run as ``topic Q0 node rank score tag`` and return the number of lines.

    Scores are written so that they read back as they were, equal ones in the order of ids, in which they are measured
    too. Tools order by score alone, and a node that the query names stands first whatever its score: a score lower
    than the next is raised just above it (by one step of single precision, in which some tools read). A topic without
    hits has no line and is not in the file.

    Raises
    ------
    UsageError
        If a score is not finite.
    """
    lines = []
    for topic, ranking in run.rankings.items():
        for rank, (node, score) in enumerate(written_hits(topic, ranking), 1):
            lines.append(f"{trec_id(topic)} Q0 {trec_id(node)} {rank} {score!r} {trec_id(run.tag)}\n")
    write_text(path, "".join(lines))
    return len(lines)


def written_hits(topic: str, ranking: Sequence[Hit]) -> list[Hit]:
    """Return a ranking in its order, scores raised where they would break it; see ``write_run``."""
    written: list[Hit] = []
    given_below = below = -math.inf
    for node, given in reversed(in_order(ranking)):
        if not math.isfinite(given):
            raise UsageError(f"Topic {topic!r}, node {node!r} has score {given}; a TREC run holds finite scores only.")
        # Hits of one score keep one score.
        score = below if given == given_below else float(given) if given > below else just_above(below)
        given_below, below = given, score
        written.append((node, score))
    return written[::-1]


def read_run(path: Path, *, order: RankBy = "score") -> tuple[Run, ReadReport]:
    """Return the run of a TREC file, and what was not taken.

    Order is (−score, id), whatever the rank column says; a topic where the two contradict each other is remarked on.
    With ``order="rank"`` it is (rank, id). A node that stands twice under a topic counts at its better place. The tag
    is that of the first line; a file without lines is called as the file.

    Raises
    ------
    UsageError
        If the file cannot be read or is UTF-16.
    """
    remarks = Remarks(path)
    lines = RunLines(order, remarks)
    for number, text in file_lines(path):
        columns = _columns(text, 6, number, remarks, more=True)
        if columns is None:
            continue
        ids = _ids((columns[0], columns[2], columns[5]), number, text, remarks)
        score = run_score(columns[4], number, text, remarks)
        if ids is not None and score is not None:
            topic, node, tag = ids
            if lines.add(topic, node, columns[3], score, tag, number, text) and len(columns) > 6:
                remarks.note(number, text, "more_columns", expected=6)
    return lines.run(path.stem)


class _Line(NamedTuple):
    """A line of a run that can be ordered."""

    node: str
    rank: int | None
    score: float
    number: int
    text: str


class RunLines:
    """Collects the lines of a run, whatever the format, and puts them into order."""

    def __init__(self, order: RankBy, remarks: Remarks) -> None:
        self._order = order
        self._remarks = remarks
        self._by_topic: dict[str, list[_Line]] = defaultdict(list)
        self._tag: str | None = None

    def add(self, topic: str, node: str, rank: str | None, score: float, tag: str, number: int, text: str) -> bool:
        """Take a line and return True; put it on record instead where its rank is no whole number."""
        if rank is not None and not _WHOLE.fullmatch(rank):
            self._remarks.skip(number, text, "rank", rank=rank)
            return False
        if self._tag is None:
            self._tag = tag
        elif tag != self._tag:
            self._remarks.note(number, text, "more_tags", tag=tag, first=self._tag)
        self._by_topic[topic].append(_Line(node, None if rank is None else int(rank), score, number, text))
        return True

    def run(self, name: str) -> tuple[Run, ReadReport]:
        """Return the run, called ``name`` where no line gave a tag, and the report."""
        rankings = {topic: self._ordered(topic, lines) for topic, lines in self._by_topic.items()}
        run = Run(name if self._tag is None else self._tag, rankings)
        return run, self._remarks.report(sum(map(len, rankings.values())))

    def _ordered(self, topic: str, lines: list[_Line]) -> tuple[tuple[str, float], ...]:
        by_score = sorted(lines, key=lambda line: (-line.score, line.node, line.number))
        by_rank = sorted(lines, key=lambda line: (line.rank or 0, line.node, line.number))
        if by_score != by_rank and all(line.rank is not None for line in lines):
            self._remark_on_order(topic, by_rank)
        ranking: dict[str, _Line] = {}
        for line in by_score if self._order == "score" else by_rank:
            if line.node in ranking:
                said = {"topic": topic, "node": line.node, "before": self._remarks.place(ranking[line.node].number)}
                self._remarks.skip(line.number, line.text, "repeated_in_run", **said)
            else:
                ranking[line.node] = line
        return tuple((line.node, line.score) for line in ranking.values())

    def _remark_on_order(self, topic: str, by_rank: list[_Line]) -> None:
        """Say once a topic how the rank column and (−score, id) differ."""
        for above, line in pairwise(by_rank):
            if above.score < line.score:
                code = "rank_contradicts_scores" if self._order == "score" else "rank_order"
                self._remarks.note(above.number, above.text, code, topic=topic, rank=above.rank)
                return
        if self._order == "score":
            self._remarks.note(by_rank[0].number, "", "ties", topic=topic)


def run_score(text: str, number: int, line: str, remarks: Remarks) -> float | None:
    """Return a finite score, or None with a remark."""
    if not _NUMBER.fullmatch(text):
        remarks.skip(number, line, "score", score=text)
        return None
    score = float(text)
    if not math.isfinite(score):
        remarks.skip(number, line, "score_not_finite", score=text)
        return None
    return score


def whole_grade(text: str, number: int, line: str, remarks: Remarks, scale: range | None) -> int | None:
    """Return a grade of the scale, or None with a remark."""
    if not _WHOLE.fullmatch(text):
        remarks.skip(number, line, "grade_not_whole", grade=text)
        return None
    grade = int(text)
    if scale is not None and grade not in scale:
        remarks.skip(number, line, "grade", grade=text, lowest=min(scale), highest=max(scale))
        return None
    return grade


def judged_grade(text: str, number: int, line: str, remarks: Remarks, scale: range | None) -> int | None:
    """Return a grade of a file in which −1 means "not judged", or None with a remark."""
    grade = whole_grade(text, number, line, remarks, scale)
    if grade == -1 and scale is not None:
        remarks.skip(number, line, "unjudged")
        return None
    return grade


def _columns(line: str, expected: int, number: int, remarks: Remarks, *, more: bool = False) -> list[str] | None:
    if is_undecoded(line):
        remarks.skip(number, line.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), "no_utf8")
        return None
    columns = _COLUMN_GAP.split(line.strip(" \t"))
    if len(columns) == expected or (more and len(columns) > expected):
        return columns
    remarks.skip(number, line, "columns", found=len(columns), expected=expected)
    return None


def _ids(columns: Iterable[str], number: int, line: str, remarks: Remarks) -> tuple[str, ...] | None:
    ids = []
    for column in columns:
        try:
            ids.append(from_trec_id(column))
        except ValueError:
            remarks.skip(number, line, "escape", id=column)
            return None
    return tuple(ids)
