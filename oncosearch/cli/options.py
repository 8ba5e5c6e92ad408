"""What the modules of commands share: how a command is added, and the options that choose a snapshot."""

from __future__ import annotations

import argparse
from collections.abc import Callable

Run = Callable[[argparse.Namespace], int]
AddCommand = Callable[[str, str, Run], argparse.ArgumentParser]


def add_snapshot_options(command: argparse.ArgumentParser) -> None:
    """Add the options that choose a snapshot."""
    command.add_argument("--graph", metavar="ID", help="graph (default: that of the newest snapshot)")
    command.add_argument("--snapshot", metavar="ID", help="snapshot (default: the newest)")
