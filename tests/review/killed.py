"""A program whose children judge and are killed: ``python -m tests.review.killed HOME STORE ROUNDS SEED``.

Each child first saves once more what its predecessor was about to save when it died, then goes on judging, and says
each event's number once ``save`` has returned. The numbers said are printed as ``round number``.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from oncosearch.model import ReviewEvent
from oncosearch.review import new_event, save, session_view
from oncosearch.settings import Settings
from oncosearch.store import open_store
from tests.review.examples import SESSION

GRADES = ("3", "2", "1", "0", "-1")
NODES = ("a", "b", "c", "d")


def judgement(number: int) -> tuple[str, str, str]:
    """Return id, node and grade of the judgement ``number``: every one is another."""
    return f"judgement {number}", NODES[number % 4], GRADES[number % 5]


def _judge(settings: Settings, number: int, said: int) -> None:
    with open_store(settings) as store:
        view = session_view(store, SESSION.id)
        while True:
            event_id, node, grade = judgement(number)
            event: ReviewEvent = new_event(
                view, "anna", "T1", "grade", node=node, value=grade, id=event_id, time="2026-11-30T11:00:00.000Z"
            )
            save(store, event)
            os.write(said, f"{number}\n".encode())
            number += 1


def main(home: str, address: str, rounds: str, seed: str) -> None:
    settings = Settings(home=Path(home), store=address or None)
    dice = random.Random(int(seed))
    number = 0
    for done in range(int(rounds)):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(reading)
                _judge(settings, number, writing)
            finally:
                os._exit(1)
        os.close(writing)
        with open(reading) as saying:
            heard = [int(saying.readline())]
            time.sleep(dice.random() * 0.02)
            os.kill(child, signal.SIGKILL)
            heard += [int(line) for line in saying.read().split()]
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status)
        for one in heard:
            print(done, one)
        number = heard[-1] + 1


if __name__ == "__main__":
    main(*sys.argv[1:])
