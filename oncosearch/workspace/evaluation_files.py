"""Files that were brought to the evaluation page: kept under the hash of their content, read in whichever form."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from oncosearch.evaluate.exchange import (
    Collection,
    ReadReport,
    Remark,
    flags_path,
    read_beir,
    read_duplicates,
    read_qrels,
    read_qrels_csv,
    read_qrels_json,
    read_ratings,
    read_run,
    read_run_csv,
    read_run_json,
)
from oncosearch.model import NotFoundError, Qrels, Run, UsageError
from oncosearch.review import EXPLICIT, read_record

JUDGEMENTS, RATINGS = "judgements", "ratings"
FILE = "file-"
FLAGS = ".flags.tsv"
# What a zip may unpack to; uploads themselves are limited by the server.
_MOST_BYTES, _MOST_FILES = 200 * 1024 * 1024, 5000
_ID = re.compile(r"file-[0-9a-f]{16}", re.ASCII)
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+", re.ASCII)
_QRELS_FORMAT = "oncosearch-qrels"

Ratings = dict[str, dict[str, int | None]]


def keep(home: Path, kind: str, files: Mapping[str, bytes]) -> str:
    """Keep files under the home and return the id that they are found by; the same ones again have the same id."""
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(name.encode("utf-8") + b"\0" + hashlib.sha256(content).digest())
    folder = home / "brought" / kind / f"{FILE}{digest.hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    for number, (name, content) in enumerate(files.items()):
        (folder / _safe(name, number)).write_bytes(content)
    return folder.name


def kept(home: Path, kind: str, name: str) -> list[Path]:
    """Return the files of an id; NotFoundError where there are none."""
    folder = home / "brought" / kind / name
    found = sorted(p for p in folder.iterdir() if p.is_file()) if _ID.fullmatch(name) and folder.is_dir() else []
    if not found:
        raise NotFoundError(
            f"There are no {kind} {name!r} here any more; bring the file again.", code=f"{kind}_missing"
        )
    return found


def read_judgements(paths: Sequence[Path]) -> tuple[Collection, ReadReport]:
    """Return judgements in whichever form: TREC with its flags file, CSV, a BEIR folder as zip, JSON, or records.

    Raises
    ------
    UsageError
        If the files are of none of these forms (``file_unread``), or no judgement could be read (``qrels_empty``).
    """
    name = paths[0].name
    with _named(name), TemporaryDirectory() as place:
        if paths[0].suffix.casefold() == ".zip":
            paths = _unpacked(paths[0], Path(place))
        else:
            paths = [_copied(path, Path(place)) for path in paths]
        found, report = _read(paths)
    report = replace(report, path=name)
    if not found.qrels.grades:
        first = f" The first: {report.skipped[0]}" if report.skipped else ""
        raise UsageError(f"{name} holds no judgement that could be read.{first}", code="qrels_empty", name=name)
    return found, report


def read_run_file(name: str, content: bytes) -> tuple[Run, ReadReport]:
    """Return the run of a TREC file, a CSV or JSON file, by the ending of its name.

    Raises
    ------
    UsageError
        If the file cannot be read (``file_unread``) or holds no hit (``run_empty``).
    """
    with _named(name), TemporaryDirectory() as place:
        path = Path(place) / _safe(name, 0)
        path.write_bytes(content)
        kind = path.suffix.casefold()
        run, report = (
            read_run_csv(path) if kind == ".csv" else read_run_json(path) if kind == ".json" else read_run(path)
        )
    if not report.taken:
        raise UsageError(f"{name} holds no hit of a run that could be read.", code="run_empty", name=name)
    return run, replace(report, path=name)


def read_ratings_file(path: Path) -> tuple[Ratings, ReadReport]:
    """Return the grades by item and rater of a CSV file; UsageError as for judgements (``ratings_empty``)."""
    with _named(path.name):
        found, report = read_ratings(path)
    if not found:
        raise UsageError(f"{path.name} holds no rating that could be read.", code="ratings_empty", name=path.name)
    return found, replace(report, path=path.name)


def _read(paths: Sequence[Path]) -> tuple[Collection, ReadReport]:
    beir = [p for p in paths if p.parent.name == "qrels" and p.suffix == ".tsv" and not p.name.endswith(FLAGS)]
    if beir:
        split = next((p for p in beir if p.stem == "test"), beir[0])
        return read_beir(split.parent.parent, split=split.stem)
    flags = [p for p in paths if p.name.endswith(FLAGS)]
    others = [p for p in paths if p not in flags]
    if others and all(p.suffix.casefold() == ".json" for p in others):
        return read_qrels_json(others[0]) if len(others) == 1 and _is_ours(others[0]) else _records(others)
    if len(others) != 1 or len(flags) > 1:
        names = ", ".join(p.name for p in paths)
        raise UsageError(f"Expected one file of judgements, with its flags file beside it or not; found {names}.")
    (main,) = others
    if main.suffix.casefold() == ".csv":
        return read_qrels_csv(main)
    if flags and flags[0] != flags_path(main):
        flags[0].rename(flags_path(main))
    qrels, report = read_qrels(main)
    return Collection(qrels, {}, {}, {}, read_duplicates(main)), report


def _is_ours(path: Path) -> bool:
    try:
        raw = json.loads(path.read_text("utf-8-sig"))
    except ValueError:
        # The reader says what is wrong with it.
        return True
    return isinstance(raw, dict) and raw.get("format") == _QRELS_FORMAT


def _records(paths: Sequence[Path]) -> tuple[Collection, ReadReport]:
    """Return the grades by hand of records of curated topics, one file a topic; an order gives none unasked."""
    grades: dict[str, dict[str, int]] = {}
    queries: dict[str, str] = {}
    duplicates: dict[str, frozenset[str]] = {}
    before: dict[str, str] = {}
    skipped: list[Remark] = []
    for number, path in enumerate(paths, 1):
        reading = read_record(path.read_text("utf-8-sig", errors="replace"))
        for refused in reading.refused:
            skipped.append(Remark(number, refused.where, "record", {"why": refused.why}, path.name))
        record = reading.record
        if record is None:
            continue
        topic = record.topic or path.stem
        if topic in before:
            skipped.append(Remark(number, path.name, "repeated_id", {"id": topic, "before": before[topic]}, "file"))
            continue
        before[topic] = path.name
        given = [node for node in record.nodes if node.relevance is not None]
        grades[topic] = {
            node.id: node.relevance for node in given if node.stage == EXPLICIT and node.relevance is not None
        }
        if left := len(given) - len(grades[topic]):
            why = f"{left} grades come from the order alone; only grades by hand are taken"
            skipped.append(Remark(number, topic, "record", {"why": why}, path.name))
        duplicates[topic] = frozenset(node.id for node in record.nodes if node.is_duplicate)
        queries[topic] = record.query.best("de")
    graded = {topic: own for topic, own in grades.items() if own}
    found = Collection(
        Qrels(graded), {t: q for t, q in queries.items() if q}, {}, {}, {t: d for t, d in duplicates.items() if d}
    )
    return found, ReadReport(paths[0].name, sum(map(len, graded.values())), tuple(skipped))


def _unpacked(path: Path, place: Path) -> list[Path]:
    out = []
    try:
        with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
            members = [m for m in archive.infolist() if not m.is_dir()]
            if len(members) > _MOST_FILES or sum(m.file_size for m in members) > _MOST_BYTES:
                raise UsageError(
                    f"{path.name} unpacks to {len(members):,} files; expected at most {_MOST_FILES:,} and 200 MiB."
                )
            for number, member in enumerate(members):
                parts = PurePosixPath(member.filename.replace("\\", "/")).parts
                if any(part.startswith(("__MACOSX", ".")) for part in parts) or ":" in parts[0] or parts[0] == "/":
                    continue
                target = place.joinpath(*(_safe(part, number) for part in parts))
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(member))
                out.append(target)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise UsageError(f"{path.name} is no zip file that can be read ({error}).") from error
    if not out:
        raise UsageError(f"{path.name} holds no file.")
    return out


def _copied(path: Path, place: Path) -> Path:
    copy = place / path.name
    copy.write_bytes(path.read_bytes())
    return copy


def _safe(name: str, number: int) -> str:
    return _UNSAFE.sub("_", PurePosixPath(name.replace("\\", "/")).name).strip("._")[-80:] or f"file-{number}"


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Let an error speak of the file by its name, not by where it is kept."""
    try:
        yield
    except UsageError as error:
        if error.code not in ("usage", "error"):
            raise
        said = re.sub(r"\S*/([^/\s]+)", r"\1", str(error))
        raise UsageError(said, code="file_unread", name=name, said=said) from error
