"""The questions between agents: what looking for trouble costs, and what programs that write at
once wait for each other's locks.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import timedelta
from functools import partial
from itertools import count
from multiprocessing import get_context
from pathlib import Path

import orjson

from store import open_memory
from store.clarifications import rules
from store.clarifications.ledger import folder_of, ledger_name
from store.clarifications.model import Clarification
from store.clarifications.monitor import examine
from store.clarifications.records import clarification_record
from store.clarifications.rules import Question
from store.clarifications.scope import Scope, Workflows
from tests.bench.generate import NOW
from tests.bench.measure import Series, Target, interleaved, once, timed, timings
from tests.bench.world import World

THREADS, _ISSUES = 1_000, 50
_ROUNDS = 3
_AGENTS = ("architect", "engineer", "reviewer", "tester", "designer", "writer", "analyst", "owner")
_PROGRAMS = 4
_SHARED = 999
"""The issue that all programs ask in."""
_READING = "read and parse the ledgers, no more"
_ALONE = "a question asked, alone"


@once
def clarifying(world: World) -> Iterator[Series]:
    """A thousand open threads of three rounds, whose answers all differ; and as many questions of
    which each agent waits for another.
    """
    folder = world.root / "asked" / ".agentx" / "memory"
    folder.mkdir(parents=True)
    threads = [_thread(number) for number in range(THREADS)]
    _write(folder, threads)
    rings = [_blocking(number) for number in range(THREADS)]
    found = examine(rings, Workflows({}), NOW)
    if examine(threads, Workflows({}), NOW) or not found:
        raise RuntimeError("Threads that differ are in trouble, or none of those that wait is.")
    with open_memory(folder, cache=world.root / "asked-cache", clock=lambda: NOW) as memory:
        took = interleaved(
            {
                _READING: partial(_read, folder),
                "a look at the ledgers of 1,000 threads": memory.clarifications.examine,
            },
            runs=world.runs(30),
            warm_up=world.warm_up(2),
        )
    yield Series(_READING, took.pop(_READING))
    for name, samples in took.items():
        yield Series(name, samples, Target(times=25), per=_READING)
    for name, asked in (("the monitor, 1,000 threads", threads), ("the same, deadlocks", rings)):
        look = partial(examine, asked, Workflows({}), NOW)
        samples = timings(look, runs=world.runs(20), warm_up=world.warm_up(2))
        yield Series(name, samples, Target(p95=1_000))


@once
def asking(world: World) -> Iterator[Series]:
    """A question asked, durable: by one program, then by four at once in one issue's ledger."""
    folder = world.root / "asking" / ".agentx" / "memory"
    folder.mkdir(parents=True)
    each = world.runs(40)
    yield Series(_ALONE, _ask(folder, "alone", each))
    with ProcessPoolExecutor(_PROGRAMS, get_context("spawn")) as programs:
        asked = partial(_ask, folder, number=each)
        taken = [took for run in programs.map(asked, map(str, range(_PROGRAMS))) for took in run]
    with open_memory(folder, cache=world.root / "asking-cache") as memory:
        kept = len(memory.clarifications.read(_SHARED).clarifications)
    if kept != len(taken) + each:
        raise RuntimeError(f"{kept} questions were kept of {len(taken) + each}.")
    yield Series(f"the same, {_PROGRAMS} programs at once", taken, Target(p95=1_000), per=_ALONE)


def _ask(folder: Path, program: str, number: int) -> list[float]:
    """Milliseconds of each question of a program."""
    asker = f"agent-{program}"
    with open_memory(folder, cache=folder.parents[1] / f"cache-{program}") as memory:
        topics = (f"Topic {at}" for at in count())
        return [
            timed(
                memory.clarifications.ask,
                _SHARED,
                Question(asker, "architect", next(topics), "Which status does it have?"),
            )
            for _ in range(number)
        ]


def _thread(number: int) -> Clarification:
    """An open thread whose last question has an answer that says something new."""
    asker, asked = _pair(number)
    topic = f"Contract {number}"
    thread: Clarification | None = None
    for at in range(_ROUNDS):
        question = Question(asker, asked, topic, f"Which status has case {at} of {topic}?")
        existing = [thread] if thread else []
        thread = rules.ask(existing, 1 + number % _ISSUES, question, Scope(), NOW)
        body = f"Case {at} of endpoint {number} is answered with {400 + 7 * at + number % 100}."
        thread = rules.answer(thread, asked, body, NOW)
    assert thread is not None
    return thread


def _blocking(number: int) -> Clarification:
    asker, asked = _pair(number)
    question = Question(asker, asked, f"Contract {number}", "Which status?", blocking=True)
    return rules.ask([], 1 + number, question, Scope(), NOW + timedelta(milliseconds=number))


def _pair(number: int) -> tuple[str, str]:
    """Each agent asks the next, so that eight of them wait in a ring."""
    return _AGENTS[number % len(_AGENTS)], _AGENTS[(number + 1) % len(_AGENTS)]


def _write(folder: Path, threads: list[Clarification]) -> None:
    ledgers: dict[int, list[object]] = {}
    for thread in threads:
        own = ledgers.setdefault(thread.issue, [])
        record = {**clarification_record(thread), "id": f"CLR-{thread.issue}-{len(own) + 1:03}"}
        own.append(record)
    place = folder_of(folder)
    place.mkdir(parents=True)
    for issue, records in ledgers.items():
        data = {"issueNumber": issue, "clarifications": records}
        (place / ledger_name(issue)).write_bytes(orjson.dumps(data))


def _read(folder: Path) -> None:
    for path in folder_of(folder).glob("issue-*.json"):
        orjson.loads(path.read_bytes())
