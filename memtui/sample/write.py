"""Writing the sample as a store on disk, with the past that a store in use has."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

from memtui.sample.conversations import SampleSession, sample_sessions
from memtui.sample.generator import milliseconds, sample_observations, suffix
from memtui.sample.repetitions import repetitions_of
from store import Memory, Observation, open_memory
from store.clarifications.rules import Question
from store.recall.request import RecallRequest

_INJECTED = (
    (9, 158, "engineer"),
    (6, 170, "ux-designer"),
    (3, 176, "reviewer"),
    (1, 181, "devops"),
)
"""Sessions that memories were injected into: days ago, issue, agent."""


class _Event(NamedTuple):
    at: datetime
    happen: Callable[[Memory], object]


def write_sample_store(
    folder: Path,
    now: datetime,
    *,
    cache: Path | None = None,
    should_continue: Callable[[], bool] = lambda: True,
) -> Path:
    """Write the sample store into `folder`, which becomes a memory; returns it.

    Besides the sample's observations it holds repetitions, to be compacted, the captures of two
    sessions, and injections. The sources of compaction summaries are archived by an operation that
    can be undone. `cache` is the folder for derived data, the user's by default. It ends early once
    it should not continue.
    """
    observations = sample_observations(now)
    gone = [observation.id for observation in observations if observation.archived]
    events = [*_injected_texts(observations), *_injections(now), *_captures(folder, now)]
    events += _questions(now)
    moment = now
    letters = Random(30)  # not the seed of the sample: else two memories end alike
    texts = [*observations, *repetitions_of(observations)]
    ids = {(item.agent, item.issue_number, item.timestamp): item.id for item in texts}

    def new_id(agent: str, issue: int, at: datetime) -> str:
        if known := ids.get((agent, issue, at)):
            return known
        return f"obs-{agent.replace('-', '')}-{issue}-{milliseconds(at)}-{suffix(letters)}"

    with open_memory(folder, cache=cache, clock=lambda: moment, new_id=new_id) as memory:
        # In the order in which it happened, as the log has it.
        for event in sorted(events, key=lambda event: event.at):
            if not should_continue():
                return folder
            moment = event.at
            event.happen(memory)
        moment = now
        memory.apply(memory.plan.archive(gone))
    return folder


def _injected_texts(observations: list[Observation]) -> list[_Event]:
    active = [observation._replace(archived=False) for observation in observations]
    issues: dict[int, list[Observation]] = {}
    for item in sorted([*active, *repetitions_of(active)], key=lambda item: item.timestamp):
        issues.setdefault(item.issue_number, []).append(item)
    return [
        _Event(of_issue[-1].timestamp, partial(_store, of_issue)) for of_issue in issues.values()
    ]


def _store(observations: list[Observation], memory: Memory) -> None:
    """Store observations as new ones: given ids would be looked up, and the index follow for it."""
    memory.store([observation._replace(id="") for observation in observations])


def _injections(now: datetime) -> list[_Event]:
    return [
        _Event(now - timedelta(days=days, hours=2), partial(_inject, agent, issue))
        for days, issue, agent in _INJECTED
    ]


def _inject(agent: str, issue: int, memory: Memory) -> None:
    recall = memory.recall.plan(RecallRequest(agent=agent, issue=issue, budget=2_500))
    memory.recall.inject(recall, agent, issue, session_id=f"{agent}-{issue}")


def _questions(now: datetime) -> list[_Event]:
    """Return a question that was answered, and one that still waits for its answer."""
    return [
        _Event(now - timedelta(hours=26), _ask_about_rounding),
        _Event(now - timedelta(minutes=20), _ask_about_photos),
    ]


def _ask_about_rounding(memory: Memory) -> None:
    question = Question(
        "engineer",
        "product-manager",
        "Rounding of payouts",
        "Do Swiss shops see the sum rounded to five centimes, or each line?",
    )
    asked = memory.clarifications.ask(176, question)
    answer = "The sum, once: the bank does the same, and shops compare with its statement."
    memory.clarifications.answer(asked.id, "product-manager", answer)


def _ask_about_photos(memory: Memory) -> None:
    question = Question(
        "engineer",
        "architect",
        "Photos taken offline",
        "May a photo of a signature wait in the same queue as scans? It is up to 2 MB.",
        blocking=True,
    )
    memory.clarifications.ask(181, question)


def _captures(folder: Path, now: datetime) -> list[_Event]:
    project = folder.parent.parent
    return [
        _Event(session.ended, partial(_capture, session, folder.parent / "transcripts"))
        for session in sample_sessions(project, now)
    ]


def _capture(session: SampleSession, folder: Path, memory: Memory) -> None:
    with session.write(folder).open("rb") as lines:
        memory.capture.apply(memory.capture.plan(lines, issue=session.issue, likely="claude-code"))
