"""Another store in the AgentX format, read and written as any memory is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from store.backends import open_backend
from store.backends.protocol import Backend
from store.exchange.values import Incoming, Reading, check_empty
from store.model import Location, Observation
from store.notice import Notice, quoted
from store.records import from_record, to_record


def read_memory(backend: Backend) -> Reading:
    """Return the observations of a memory, those in its archive too. Raises `Unreadable`.

    A part or a record that can't be read becomes a problem.
    """
    incoming: list[Incoming] = []
    problems: list[Notice] = []
    for issue in sorted(backend.issues()):
        records = backend.read(issue)
        for held in records.held():
            observation = held.observation
            if observation is None:
                continue
            if observation.extra:
                observation = from_record(held.record.exact(), issue)
            if held.location is Location.ARCHIVE:
                observation = observation._replace(archived=True)
            incoming.append(Incoming(observation, held.part))
        problems += (quoted(problem.message) for problem in records.problems)
    return Reading(tuple(incoming), tuple(problems))


def to_agentx_store(observations: Iterable[Observation], folder: Path, now: datetime) -> int:
    """Write observations as a store of their own; how many. Archived ones go to its archive.

    Raises `Conflict` where the folder holds anything already, `ReadOnly` and `WriteFailed`.
    """
    check_empty(folder)
    by_issue: defaultdict[int, list[Observation]] = defaultdict(list)
    for observation in observations:
        by_issue[observation.issue_number].append(observation)
    backend = open_backend(folder, lambda: now)
    with backend.locked():
        pass  # makes the store, also where there is nothing to write
    for issue, held in by_issue.items():
        with backend.changing(issue) as records:
            for observation in held:
                location = Location.ARCHIVE if observation.archived else Location.ISSUE
                records.append(location, to_record(observation))
    backend.settle(by_issue.keys())
    return sum(len(held) for held in by_issue.values())
