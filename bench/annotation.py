"""Twenty raters at once for five minutes, each at four judgements a minute: nothing lost, and how long a save takes.

``python -m bench.annotation`` uses a new SQLite store; ``--store mongodb://…`` a MongoDB server (in a database of its
own, dropped afterwards). With ``--rate 0`` every rater writes as fast as the store answers. Each rater is a thread, as
in the app; with ``--processes`` each is a process.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import tempfile
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from oncosearch.model import LocalText, Pool, SnapshotKey
from oncosearch.review import (
    ReviewTopic,
    Session,
    build_pool,
    create_session,
    history,
    new_event,
    save,
    session_states,
    session_view,
)
from oncosearch.settings import Settings
from oncosearch.store import Store, open_store

TOPICS, NODES = 40, 30
GRADES = ("3", "2", "1", "0", "-1")
_KEY = SnapshotKey("bench", "1")


@dataclass(frozen=True, slots=True)
class Soak:
    """What was asked for: ``rate`` judgements a minute and rater (0: without a pause), for ``seconds``."""

    raters: int
    rate: float
    seconds: float
    processes: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it: judgements reported saved, found afterwards, and seconds of each save, sorted."""

    saved: int
    found: int
    wrong: int
    seconds: tuple[float, ...]

    def quantile(self, share: float) -> float:
        """Return the seconds within which this share of saves was done."""
        return float(np.quantile(self.seconds, share)) if self.seconds else 0.0


def run(settings: Settings, soak: Soak) -> Outcome:
    """Return the outcome of a soak in a new session."""
    session_id = uuid.uuid4().hex
    raters = tuple(f"rater {i}" for i in range(soak.raters))
    with open_store(settings) as store:
        create_session(store, _session(session_id, raters), _pools())
        tasks = [(settings, session_id, rater, soak) for rater in raters]
        if soak.processes:
            with multiprocessing.get_context("spawn").Pool(soak.raters) as pool:
                parts = pool.map(_rate_alone, tasks, chunksize=1)
        else:
            with ThreadPoolExecutor(soak.raters) as threads:
                parts = list(threads.map(lambda task: _rate(store, *task[1:]), tasks))
        found = {event.id for event in history(store, session_id) if event.action == "grade"}
        states = session_states(store, session_id)
        last = {(rater, t, n): g for rater, part in zip(raters, parts, strict=True) for _, t, n, g, _ in part}
        wrong = sum(states[rater][topic].item(node).grade != grade for (rater, topic, node), grade in last.items())
    saved = [event_id for part in parts for event_id, *_ in part]
    seconds = tuple(sorted(taken for part in parts for *_, taken in part))
    return Outcome(len(saved), len(found & set(saved)), wrong, seconds)


def _session(session_id: str, raters: tuple[str, ...]) -> Session:
    topics = tuple(ReviewTopic(f"T{i:02d}", LocalText.of({"de": f"Frage {i}"})) for i in range(TOPICS))
    return Session(session_id, "Bench", _KEY, topics, (), NODES, "owner", raters)


def _pools() -> list[Pool]:
    ranking = [(f"n{i:03d}", 1.0 / (i + 1)) for i in range(NODES)]
    return [build_pool(f"T{i:02d}", _KEY, NODES, {"run": ranking}) for i in range(TOPICS)]


def _rate_alone(task: tuple[Settings, str, str, Soak]) -> list[tuple[str, str, str, str, float]]:
    with open_store(task[0]) as store:
        return _rate(store, *task[1:])


def _rate(store: Store, session_id: str, rater: str, soak: Soak) -> list[tuple[str, str, str, str, float]]:
    dice = random.Random(rater)
    view = session_view(store, session_id)
    pause = 60 / soak.rate if soak.rate else 0.0
    end = time.monotonic() + soak.seconds
    # Nobody begins at the same moment.
    following = time.monotonic() + dice.random() * pause
    done = []
    while following < end:
        time.sleep(max(0.0, following - time.monotonic()))
        topic, node = f"T{len(done) // NODES % TOPICS:02d}", f"n{len(done) % NODES:03d}"
        event = new_event(view, rater, topic, "grade", node=node, value=dice.choice(GRADES))
        began = time.perf_counter()
        save(store, event)
        done.append((event.id, topic, node, event.value, time.perf_counter() - began))
        following = max(following + pause, time.monotonic()) if pause else time.monotonic()
    return done


def main(argv: list[str] | None = None) -> int:
    """Run the soak, print what came of it, and return 0 if nothing was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raters", type=int, default=20)
    parser.add_argument("--rate", type=float, default=4.0, help="judgements a minute and rater; 0 for no pause")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--store", default=None, help="address of a MongoDB server without a database")
    parser.add_argument("--processes", action="store_true", help="a process for each rater")
    asked = parser.parse_args(argv)
    soak = Soak(asked.raters, asked.rate, asked.minutes * 60, asked.processes)
    name = f"oncosearch_bench_{uuid.uuid4().hex[:12]}"
    with tempfile.TemporaryDirectory() as folder:
        address = f"{asked.store.rstrip('/')}/{name}" if asked.store else None
        try:
            outcome = run(Settings(home=Path(folder), store=address), soak)
        finally:
            if asked.store:
                from pymongo import MongoClient

                with MongoClient(asked.store) as client:
                    client.drop_database(name)
    lost = outcome.saved - outcome.found
    print(f"{outcome.saved} judgements of {soak.raters} raters in {soak.seconds:.0f} s")
    print(f"{lost} lost, {outcome.wrong} wrong")
    for share in (0.5, 0.95, 1.0):
        print(f"save, {share:.0%} within {1000 * outcome.quantile(share):.1f} ms")
    return 1 if lost or outcome.wrong or not outcome.saved else 0


if __name__ == "__main__":
    sys.exit(main())
