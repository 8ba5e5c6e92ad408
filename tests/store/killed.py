"""Programs that the tests start and that die by SIGKILL at a named point.

``python -m tests.store.killed write HOME STORE POINT`` writes a second snapshot and kills itself;
``judge HOME STORE`` appends events and prints the number of each once it was acknowledged, until it is killed;
``open HOME STORE START`` waits for the file START and opens the store.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from oncosearch.settings import Settings
from oncosearch.store import Store, open_store
from tests.store.examples import event, many_nodes, snapshot_of

OLD = many_nodes(700)
NEW = many_nodes(1700, " neu")


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _after_nodes(count: int) -> Callable[[int], None]:
    return lambda taken: die() if taken >= count else None


def _after_statement(start: str) -> None:
    class Killing(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            cursor = super().execute(sql, *values)
            if sql.startswith(start):
                die()
            return cursor

    connect = sqlite3.connect
    sqlite3.connect = lambda *a, **k: connect(*a, factory=Killing, **k)  # type: ignore[assignment]


def _around_call(when: str, method: str, number: int) -> None:
    from pymongo.collection import Collection

    called = getattr(Collection, method)
    calls: list[str] = []

    def killing(self: Any, *args: Any, **kwargs: Any) -> Any:
        calls.append(method)
        if when == "before" and len(calls) == number:
            die()
        answer = called(self, *args, **kwargs)
        if len(calls) == number:
            die()
        return answer

    setattr(Collection, method, killing)


def _write(store: Store, point: str) -> None:
    kind, _, rest = point.partition(":")
    on_progress = None
    if kind == "nodes":
        on_progress = _after_nodes(int(rest))
    elif kind in {"before", "after"}:
        method, _, number = rest.partition(":")
        _around_call(kind, method, int(number))
    store.write_snapshot(snapshot_of(NEW, "2026.Q2", created="2026-04-01T00:00:00Z"), NEW, on_progress)


def main(task: str, home: str, address: str, *rest: str) -> None:
    if task == "open":
        while not Path(rest[0]).exists():
            time.sleep(0.001)
    elif task == "write" and rest[0].startswith("sql:"):
        _after_statement(rest[0].partition(":")[2])
    store = open_store(Settings(home=Path(home), store=address or None))
    if task == "write":
        _write(store, rest[0])
    while task == "judge":
        print(store.append_event(event()), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
