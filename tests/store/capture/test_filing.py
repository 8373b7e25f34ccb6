"""How what a session taught is filed: when, from where, by whom it is told and what it rests on."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from store.agents.session import Session
from store.agents.transcript import Message, Speaker
from store.capture.candidate import Candidate, Found, Skipped
from store.capture.plan import CapturePlan, plan_capture
from store.model import Category, Observation
from store.notice import notice
from store.settings.schema import Settings
from tests.store.capture.transcripts import NOW
from tests.store.factories import observation

ENDED = NOW - timedelta(hours=1)
SAID = Message(line=9, at=ENDED, speaker=Speaker.USER, text="Tabs.")
SESSION = Session(
    id="s", folder="/home/someone/shop", branch="main", agent="codex", messages=(SAID,)
)
LOCK = "The lock of the manifest waits five seconds for its holder."
QUEUE = "Rows of `queue.py` are lost at night, because `close()` drops them before `flush()`."


def _found(content: str = LOCK, category: str = Category.DECISION, **more: Any) -> Candidate:  # noqa: ANN401
    return Candidate(
        **{"line": 3, "passage": "said", **more, "category": category, "content": content}
    )


def _plan(*found: Found, held: tuple[Observation, ...] = (), **more: Any) -> CapturePlan:  # noqa: ANN401
    given = {"session": SESSION, "settings": Settings(), **more}
    session = given.pop("session")
    return plan_capture(session, issue=29, held=held, now=NOW, found=found, **given)


def _told(plan: CapturePlan) -> list[Observation]:
    return [each.observation for each in plan.kept]


def _reasons(plan: CapturePlan) -> list[str]:
    return [each.reason.kind for each in plan.skipped]


def test_all_that_is_known_of_what_was_found_is_filed() -> None:
    found = _found(summary="In short", marks=("a", "session:s#3", "b"), at=NOW - timedelta(days=3))
    plan = _plan(found._replace(finder="answers"))
    assert plan.kept[0].passage == "said"
    assert _told(plan) == [
        Observation(
            agent="codex",
            issue_number=29,
            category=Category.DECISION,
            content=LOCK,
            summary="In short",
            timestamp=NOW - timedelta(days=3),
            session_id="s",
            sources=("session:s#3", "a", "b"),
            extra={"finder": "answers"},
        )
    ]


@pytest.mark.parametrize(
    ("branch", "checkout", "filed"),
    [
        ("main", {"branch": "main", "commit": "309f2e8"}, {"branch": "main", "commit": "309f2e8"}),
        ("locks", {"branch": "main", "commit": "309f2e8"}, {"branch": "locks"}),
        ("", {"branch": "main", "commit": "309f2e8"}, {"branch": "main", "commit": "309f2e8"}),
        ("locks", {}, {"branch": "locks"}),
        ("locks", None, {}),  # it ran in no folder that is known
    ],
)
def test_branch_and_commit(
    branch: str, checkout: dict[str, str] | None, filed: dict[str, str]
) -> None:
    plan = _plan(_found(), session=SESSION._replace(branch=branch), checkout=checkout)
    assert _told(plan)[0].extra == {"finder": "", **filed}


@pytest.mark.parametrize(
    ("at", "ended", "day"),
    [
        (NOW - timedelta(days=9), True, "2026-02-19"),
        (None, True, "2026-02-28"),
        (None, False, "yesterday the"),
    ],
)
def test_yesterday_is_the_day_before_it_was_said(at: Any, ended: bool, day: str) -> None:  # noqa: ANN401
    session = SESSION if ended else SESSION._replace(messages=())
    (told,) = _told(_plan(_found("We decided yesterday the till is read.", at=at), session=session))
    assert day in told.content


def test_what_was_cleaned_out_is_named_once_and_out_of_the_passage_too() -> None:
    secret = "<private>the nights</private>"
    plan = _plan(_found(f"{LOCK} {secret}", passage=f"said {secret}"), _found(f"{QUEUE} {secret}"))
    assert len(plan.redactions) == len(set(plan.redactions)) > 0
    assert "the nights" not in repr(plan)
    assert _plan(_found(secret)).is_empty


def test_reasons_to_skip() -> None:
    found = (_found(), _found(), _found(QUEUE), Skipped("A look", notice("untold")))
    elsewhere = observation(LOCK, id="obs-1")
    mine = observation(QUEUE, id="obs-2", sources=("session:s#3",))
    assert _reasons(_plan(*found)) == ["untold", "repeated"]
    assert [it.seen_count for it in _told(_plan(*found))] == [2, 1]
    plan = _plan(*found, held=(elsewhere, mine))
    assert _reasons(plan) == ["untold", "known", "known", "captured-before"]
    assert plan.seen_again == ("obs-1",)
    assert [it.seen for it in plan.skipped] == ["", "obs-1", "obs-1", ""]
