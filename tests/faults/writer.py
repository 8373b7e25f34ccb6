"""One of several writers: stores observations and logs each answer it gets, until it is killed.

Run as `python -m tests.faults.writer ours|asking|foreign FOLDER NAME COUNT LOG`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from store import Observation, open_memory
from store.clarifications.rules import Question
from tests.seeds import foreign_writer

ISSUES = (29, 30, 31)
SHARED = "what everybody learns"
"""The text that all of our writers store again and again, so that its `seenCount` counts them."""
SHARED_EVERY = 4
"""Each so manieth operation of ours stores the shared text."""

SETTLED_EVERY = 10
"""After so many operations a writer of ours brings index and manifest in step."""


@dataclass(frozen=True, slots=True)
class Worker:
    """`step` does the operation with this number and returns the text it stored; `settle` does what
    need not be waited for.
    """

    step: Callable[[int], str]
    settle: Callable[[int], None] = lambda number: None


def main(kind: str, folder: str, name: str, count: str, log: str) -> None:
    """Do `count` operations; after each answer append `{"text", "seconds"}` to the log."""
    worker = WORKERS[kind](Path(folder), name)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    for number in range(int(count)):
        start = time.monotonic()
        text = worker.step(number)
        line = {"text": text, "seconds": time.monotonic() - start}
        os.write(descriptor, json.dumps(line).encode() + b"\n")
        worker.settle(number)


def _ours(folder: Path, name: str) -> Worker:
    cache = folder.with_name("cache")
    # Imports are no waiting: what writing needs is loaded before the clock runs.
    with TemporaryDirectory() as elsewhere, open_memory(elsewhere, cache=cache) as trial:
        trial.store([_fact(ISSUES[0], SHARED)])
    memory = open_memory(folder, cache=cache)

    def step(number: int) -> str:
        text = SHARED if number % SHARED_EVERY == 0 else f"{name} {number}"
        issue = ISSUES[0] if text == SHARED else ISSUES[number % len(ISSUES)]
        memory.store([_fact(issue, text)])
        return text

    def settle(number: int) -> None:
        if number % SETTLED_EVERY == 0:
            memory.index.refresh()

    return Worker(step, settle)


def _fact(issue: int, text: str) -> Observation:
    return Observation(agent="engineer", issue_number=issue, category="key-fact", content=text)


def _asking(folder: Path, name: str) -> Worker:
    """Asks the architect, and answers in its place, in the ledger of one issue."""
    questions = open_memory(folder, cache=folder.with_name("cache")).clarifications

    def step(number: int) -> str:
        topic = f"{name}-{number}"
        asked = questions.ask(ISSUES[0], Question(name, "architect", topic, "Why?"))
        questions.answer(asked.id, "architect", f"answer to {topic}")
        return topic

    return Worker(step)


def _foreign(folder: Path, name: str) -> Worker:
    def step(number: int) -> str:
        text = f"{name} {number}"
        issue = ISSUES[number % len(ISSUES)]
        record = {
            "id": f"obs-foreign-{issue}-1709035200000-{name}x{number}",
            "agent": "foreign",
            "issueNumber": issue,
            "category": "key-fact",
            "content": text,
            "summary": text,
            "tokens": -(-len(text) // 4),
            "timestamp": "2024-02-27T12:00:00.000Z",
            "sessionId": name,
        }
        while True:
            try:
                foreign_writer.add(folder, record)
            except foreign_writer.GaveUp:
                continue
            return text

    return Worker(step)


WORKERS = {"ours": _ours, "asking": _asking, "foreign": _foreign}

if __name__ == "__main__":
    main(*sys.argv[1:])
