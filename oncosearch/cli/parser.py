"""The parser: every command with its options, and the global options that stand before or after a command."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NoReturn

from oncosearch import __version__
from oncosearch.cli import (
    agreement,
    articles,
    assemble,
    duplicates,
    evaluate,
    graphs,
    literature,
    models,
    quality,
    records,
    refresh,
    searches,
)
from oncosearch.cli.options import Run

_ABOUT = (
    "Graph retrieval over a curated oncology knowledge graph. "
    "A research aid: no medical device, no medical advice, no replacement for a guideline."
)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the error on one line and exit with status 2."""
        print(f"{self.prog}: {' '.join(message.split())}. Help: {self.prog} --help", file=sys.stderr)
        raise SystemExit(2)


def build_parser() -> Parser:
    """Return the parser of ``python -m oncosearch``; ``run`` of its result is the function to call."""
    everywhere = _global_options()
    parser = Parser(prog="oncosearch", description=_ABOUT, parents=[everywhere], allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"oncosearch {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)

    def add(name: str, about: str, run: Run) -> argparse.ArgumentParser:
        command = commands.add_parser(
            name, help=about, description=about, parents=[everywhere], allow_abbrev=False, add_help=True
        )
        command.set_defaults(run=run)
        return command

    for group in (
        duplicates,
        graphs,
        assemble,
        refresh,
        searches,
        records,
        models,
        quality,
        evaluate,
        agreement,
        articles,
        literature,
    ):
        group.add_commands(add)
    return parser


def _global_options() -> Parser:
    # Without a default of its own, an option after the command does not undo the same one before it.
    options = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    group = options.add_argument_group("global options")
    group.add_argument("--home", type=Path, metavar="FOLDER", help="folder of database, vectors and indexes")
    group.add_argument(
        "--allow-remote-code",
        action="store_true",
        help="let models run the code that comes with them (pinned repositories and revisions only)",
    )
    return options
