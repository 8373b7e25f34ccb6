"""A session's memories, digest, conversation and messages; what each client's sample leaves."""

from __future__ import annotations

import json

import pytest
from syrupy.assertion import SnapshotAssertion

from store.agents.formats import read_session
from store.agents.registry import NAMES, SERVED, client_named
from store.agents.session import Session
from store.capture.plan import plan_capture
from store.model import Observation
from store.sessions.conversation import entries_of
from store.sessions.digest import Context, digest_of, fitting, passages_of
from store.sessions.documents import digest_observation, message_observations
from store.settings.schema import Settings
from tests.store.agents.test_clients import ids, read
from tests.store.capture.transcripts import NOW
from tests.store.whole.day import KEY, day
from tests.store.whole.mixed import mixed
from tests.store.whole.plain import as_text

MANY, IN_A_ROW = 24, 3
"""How often chance puts so many sessions in a row together."""


def _day() -> Session:
    return read_session(f"{line}\n".encode() for line in day().lines)


def _captured(session: Session, held: tuple[Observation, ...] = (), most: int = 50) -> str:
    settings = Settings(max_memories_per_capture=most)
    return as_text(plan_capture(session, issue=29, held=held, now=NOW, settings=settings))


def _taken_in(session: Session) -> str:
    roots = ("/home/someone/shop", "/home/a/shop")
    digest = digest_of(session, Context(issue=29, roots=roots, path="s.jsonl", size=9))
    messages = list(passages_of(session, roots))
    told = [digest_observation(digest), *message_observations(digest, messages)]
    return as_text([digest, entries_of(session, roots), told])


def test_a_day_is_captured(snapshot: SnapshotAssertion) -> None:
    told = _captured(_day())
    assert told == snapshot
    assert KEY not in told and "not for you" not in told


def test_a_day_is_captured_beside_what_is_known(snapshot: SnapshotAssertion) -> None:
    first = plan_capture(_day(), issue=29, held=(), now=NOW, settings=Settings())
    held = tuple(
        it.observation._replace(id=f"held-{number}") for number, it in enumerate(first.kept)
    )
    assert _captured(_day(), held[::3], most=4) == snapshot


def test_a_day_is_taken_in(snapshot: SnapshotAssertion) -> None:
    told = _taken_in(_day())
    assert told == snapshot
    assert KEY not in told and "not for you" not in told


def test_a_day_that_is_too_long_keeps_what_tells_most(snapshot: SnapshotAssertion) -> None:
    digest = digest_of(_day(), Context(memories=[f"m{n}" for n in range(70)], failed=["x " * 90]))
    for times in (1, 3, 12, 60):
        long = digest._replace(
            asked=digest.asked * times,
            decided=("We decided it so, since it is cheap. " * times,) * min(times, 9),
            changed={f"shop/{name}{n}": n for name in digest.changed for n in range(times)},
            extra={"unknown": "x" * times * 40},
        )
        assert as_text(fitting(long)) == snapshot(name=f"{times}")
    endless = digest._replace(model="x" * 5_000)
    assert fitting(endless).model == endless.model


@pytest.mark.parametrize("sample", [*ids, "aider.md"])
def test_a_clients_session(sample: str, snapshot: SnapshotAssertion) -> None:
    assert f"{_captured(read(sample))}\n{_taken_in(read(sample))}" == snapshot


@pytest.mark.parametrize("name", sorted({*NAMES, *SERVED}))
def test_what_is_known_of_a_client(name: str, snapshot: SnapshotAssertion) -> None:
    assert as_text(client_named(name)) == snapshot


@pytest.mark.parametrize("seed", range(MANY))
def test_what_chance_puts_together(seed: int, snapshot: SnapshotAssertion) -> None:
    held: list[Observation] = []
    told: list[str] = []
    for at in range(IN_A_ROW):
        session = read_session(
            f"{line}\n".encode() for line in mixed(IN_A_ROW * seed + at, 5 + seed).lines
        )
        plan = plan_capture(session, issue=29, held=held, now=NOW, settings=Settings())
        new = [it.observation for it in plan.kept]
        told += [f"{it.category}: {it.content}" for it in new]
        told += [f"{it.reason.kind} {it.seen}: {it.text}" for it in plan.skipped]
        told.append(f"{plan.unread_lines} unread, {plan.unknown}")
        digest = digest_of(session, Context(issue=29, roots=("/home/someone/shop",)))
        told.append(json.dumps(json.loads(as_text(digest)), ensure_ascii=False))
        held += [it._replace(id=f"{seed}-{at}-{n}") for n, it in enumerate(new)]
    assert "\n".join(told) == snapshot
