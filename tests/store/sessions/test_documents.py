"""Sessions in the shape of observations: what each field of a digest and a message becomes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from store.model import UNDATED, Observation
from store.sessions.documents import (
    digest_observation,
    digest_text,
    message_observations,
    session_of,
)
from store.sessions.model import ANSWER, REQUEST, Passage, SessionDigest
from tests.store.factories import NOW

HOUR = timedelta(hours=1)
DIGEST = SessionDigest(
    "s-1",
    "codex",
    branch="main",
    issue=7,
    started=NOW,
    ended=NOW + 9 * HOUR,
    asked=("Mend the till.", "And the lease.", "Then the queue.", "Last the gate."),
    changed={f"shop/{at}.py": 10 - at for at in range(9)},
    created=("shop/1.py",),
    removed=("shop/old.py",),
    read={"README.md": 2},
    failed=("make: no rule", "ruff: F401", "mypy: 3 errors", "pytest: 1 failed"),
    decided=("Leases end.", "Queues wait.", "Gates close.", "Tills count."),
    last="All of it is mended.",
)


def _messages(*passages: Passage, digest: SessionDigest = DIGEST) -> list[Observation]:
    return list(message_observations(digest, passages))


def test_a_digest_is_told_by_what_leads_each_of_its_fields() -> None:
    assert digest_text(DIGEST).splitlines() == [
        "asked: Mend the till. | And the lease. | Then the queue.",
        *(f"decided: {it}" for it in DIGEST.decided),
        *(f"failed: {it}" for it in DIGEST.failed[:3]),
        "changed: " + ", ".join(f"shop/{at}.py" for at in range(8)),
        "ended: All of it is mended.",
    ]
    assert digest_text(SessionDigest("s")) == ""
    assert digest_text(SessionDigest("s", last="Done.")) == "ended: Done."


def test_a_digest_is_of_its_agent_issue_and_branch_when_it_ended() -> None:
    told = digest_observation(DIGEST)
    assert (told.id, told.session_id, told.category) == ("s-1", "s-1", "session")
    assert (told.agent, told.issue_number, told.tags) == ("codex", 7, ("main",))
    assert (told.summary, told.timestamp) == ("Mend the till.", NOW + 9 * HOUR)
    assert told.extra == {
        "changed": DIGEST.changed,
        "read": DIGEST.read,
        "created": ["shop/1.py"],
        "removed": ["shop/old.py"],
    }
    bare = digest_observation(SessionDigest("s", last="Done."))
    assert (bare.agent, bare.tags, bare.summary) == ("agent", (), "ended: Done.")
    assert bare.timestamp == UNDATED


def test_messages_are_of_their_session_each_with_its_line_and_part() -> None:
    told = _messages(
        Passage(1, REQUEST, "Mend the till."),
        Passage(4, ANSWER, "x" * 401, None, 0, ("a.py", "b.py")),
        Passage(4, ANSWER, "And so on.", None, 1),
        Passage(4, ANSWER, "And on.", None, 2),
    )
    assert [it.id for it in told] == ["s-1#1", "s-1#4", "s-1#4.1", "s-1#4.2"]
    assert {session_of(it.id) for it in told} == {it.session_id for it in told} == {"s-1"}
    (signed,) = _messages(Passage(4, ANSWER, "Go.", None, 1), digest=SessionDigest("s#1"))
    assert (signed.id, session_of(signed.id)) == ("s#1#4.1", signed.session_id)
    assert session_of("s-1") == "s-1"
    assert [it.category for it in told] == [REQUEST, ANSWER, ANSWER, ANSWER]
    assert [it.extra for it in told] == [{}, {"files": ["a.py", "b.py"]}, {}, {}]
    assert [it.tokens for it in told] == [4, 101, 3, 2]
    assert {(it.agent, it.issue_number, it.tags) for it in told} == {("codex", 7, ("main",))}
    (bare,) = _messages(Passage(1, REQUEST, "Go."), digest=SessionDigest("s"))
    assert (bare.agent, bare.tags, bare.timestamp) == ("agent", (), UNDATED)


@pytest.mark.parametrize(
    ("given", "hours"),
    [
        ((None, None, None), (0, 0, 0)),
        ((1, None, 3), (1, 1, 3)),
        ((None, 2, None), (0, 2, 2)),
        ((1, 5, None), (1, 5, 5)),
    ],
)
def test_a_message_without_a_time_was_said_when_the_one_before_it_was(
    given: tuple[int | None, ...], hours: tuple[int, ...]
) -> None:
    passages = [
        Passage(line, ANSWER, "So.", None if hour is None else NOW + hour * HOUR)
        for line, hour in enumerate(given)
    ]
    assert [it.timestamp for it in _messages(*passages)] == [NOW + it * HOUR for it in hours]
