"""The command that imports articles into the local source of literature: articles."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from oncosearch.cli.options import AddCommand
from oncosearch.cli.terminal import bar, plain, print_json, settings_of, short, write_json
from oncosearch.literature.importing import MAX_BYTES, FileReport, ImportReport, import_articles
from oncosearch.literature.local import LocalSource
from oncosearch.model import NotFoundError

_FAILED = 2
_SKIPPED_SHOWN = 10
_SUFFIXES = (".xml", ".xml.gz", ".nbib", ".jsonl", ".jsonl.gz", ".json", ".json.gz")


def add_commands(add: AddCommand) -> None:
    """Add the command of this module."""
    command = add("articles", "Import articles into the local source of literature, or say what it holds.", articles)
    command.add_argument(
        "files",
        nargs="*",
        type=Path,
        metavar="FILE",
        help="PubMed XML or baseline file (.xml, .xml.gz), .nbib, JSON lines, the PubMedQA file, or a folder of them",
    )
    command.add_argument("--rebuild", action="store_true", help="make the word index anew from the stored articles")
    command.add_argument(
        "--max-bytes", type=int, default=MAX_BYTES, metavar="N", help="the largest file that is read, unpacked"
    )
    command.add_argument("--report", type=Path, metavar="FILE.json", help="write the report as JSON")
    command.add_argument("--json", action="store_true", help="print the report as JSON")


def articles(arguments: argparse.Namespace) -> int:
    """Import the files and report what became of every record."""
    files = _files(arguments.files)
    with LocalSource.open(settings_of(arguments).home) as source:
        if arguments.rebuild:
            source.rebuild()
        report = _with_bars(files, source, arguments.max_bytes)
    if arguments.report is not None:
        write_json(arguments.report, report.to_dict())
    if arguments.json:
        print_json(report.to_dict())
    else:
        for file in report.files:
            print("\n".join(_lines(file)))
        print(f"Local source: {report.articles:,} articles, {report.full_texts:,} full texts.")
    return _FAILED if report.failed else 0


def _files(given: list[Path]) -> list[Path]:
    found: list[Path] = []
    for path in given:
        if path.is_dir():
            inside = sorted(p for p in path.iterdir() if p.name.lower().endswith(_SUFFIXES))
            if not inside:
                raise NotFoundError(f"{path} holds no file that ends in {', '.join(_SUFFIXES)}.")
            found += inside
        elif not path.exists():
            raise NotFoundError(f"There is no file {path}.")
        else:
            found.append(path)
    return found


def _with_bars(files: list[Path], source: LocalSource, max_bytes: int) -> ImportReport:
    bars: dict[str, Any] = {}

    def show(name: str, done: int) -> None:
        if name not in bars:
            bars[name] = bar(short(name, 40), None, unit=" records")
        bars[name].update(done - bars[name].n)

    try:
        return import_articles(files, source, max_bytes=max_bytes, on_record=show)
    finally:
        for shown in bars.values():
            shown.close()


def _lines(file: FileReport) -> list[str]:
    if file.error:
        return [f"{plain(file.file)}: nothing of it was kept. {plain(file.error)}"]
    added = file.added
    counts = [
        (added.added, "added"),
        (added.replaced, "replaced"),
        (added.unchanged, "unchanged"),
        (added.deleted, "deleted"),
        (added.not_there, "to be deleted but not there"),
        (added.full_texts, "full texts"),
        (file.skipped, "skipped"),
    ]
    told = ", ".join(f"{number:,} {name}" for number, name in counts if number) or "nothing in it"
    lines = [f"{plain(file.file)} ({file.format}): {file.records:,} records = {told}"]
    if file.retracted:
        lines.append(f"    {file.retracted:,} retracted: found and marked, never used as evidence")
    for record in file.skipped_records[:_SKIPPED_SHOWN]:
        named = f" (PMID {short(record.pmid, 20)})" if record.pmid else ""
        lines.append(f"    skipped {record.place}{named}: {short(record.reason)}")
    if file.skipped > _SKIPPED_SHOWN:
        lines.append(f"    … and {file.skipped - _SKIPPED_SHOWN:,} more; --report lists the first 1,000")
    return lines
