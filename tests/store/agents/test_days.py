"""A day of each client: several of all that its format has, told event by event and as a session.

Each has messages of many blocks, calls in twos and threes that are answered in another order, edits
that come several in one call, sub-agents, summaries, models and places that change, times of other
zones and none, and lines that can't be read. Whoever teaches a reader something more adds it to its
day in `days/`, and looks at what the snapshot says of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from store.agents.formats import format_of
from store.agents.registry import NAMES, client_named
from store.agents.session import Session, Step, collect
from store.agents.transcript import Event

DAYS = sorted((Path(__file__).parent / "days").iterdir())


def _event_text(event: Event) -> str:
    """An event with the fields that say something."""
    fields = (
        f"{name}={value}"
        for name, value in event._asdict().items()
        if value not in (None, "", {}, False)
    )
    return f"{type(event).__name__} {' '.join(fields)}"


def _client(path: Path) -> str:
    return path.name.split(".")[0]


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def _step_told(step: Step) -> str:
    around = {
        "answer": step.result,
        "before": step.before,
        "after": step.after,
        "asked": step.asked,
    }
    told = (f"{name}={it.line}:{it.text[:20]!r}" for name, it in around.items() if it)
    return f"step {step.call.line} {step.call.call_id} failed={step.has_failed} {' '.join(told)}"


def _session_told(session: Session) -> Iterator[str]:
    yield f"session {session[:5]} ended {session.ended}"
    yield from (f"said {it.line} {it.speaker}: {it.text!r}" for it in session.messages)
    yield from map(_step_told, session.steps)
    yield from (f"mark {it}" for it in session.marks(session.steps))


@pytest.mark.parametrize("path", DAYS, ids=lambda path: path.stem)
def test_a_day_is_told_event_by_event_and_as_a_session(
    path: Path, snapshot: SnapshotAssertion
) -> None:
    events = list(client_named(_client(path)).read(_lines(path)))
    told = [*map(_event_text, events), "", *_session_told(collect(events))]
    assert "\n".join(told) == snapshot


@pytest.mark.parametrize("path", DAYS, ids=lambda path: path.stem)
def test_a_day_is_recognised_by_its_client(path: Path) -> None:
    assert format_of(_lines(path)) == _client(path)


def test_every_client_has_a_day() -> None:
    assert {_client(path) for path in DAYS} == set(NAMES)
