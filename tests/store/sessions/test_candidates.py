"""What an index of sessions offers: the last ones, likeness, neighbours, files; by plain values."""

from __future__ import annotations

from datetime import timedelta

import pytest

from store.backends.memory.backend import Held, MemoryBackend
from store.recall.request import RecallRequest
from store.recall.values import Kind
from store.redaction.outgoing import Outgoing
from store.search.query import parse_query
from store.sessions.candidates import SessionCandidates
from store.sessions.documents import session_key_of
from store.sessions.index import SessionIndex
from store.sessions.model import ANSWER, REQUEST, Passage, ReadSession, SessionDigest
from store.sessions.search import conversation, in_sessions_of_files, neighbours
from store.sessions.seen import FileMark
from tests.store.factories import NOW, Clock


def _taken(name: str, hours: int, *said: str, **more: object) -> ReadSession:
    digest = SessionDigest(name, "codex", ended=NOW + timedelta(hours=hours), asked=said[:1])
    passages = [
        Passage(2 * at + 1, ANSWER if at % 2 else REQUEST, text, NOW + timedelta(hours=hours))
        for at, text in enumerate(said)
    ]
    return ReadSession(digest._replace(**more), passages)  # type: ignore[arg-type]


SESSIONS = [
    _taken("till", 1, "Why does the till hang?", "It waits for a lease.", "Mend the till.",
           "It waits no more.", changed={"shop/till.py": 2}, read={"lib/lease.py": 1}),
    _taken("lease", 2, "Rename the lease.", "Renamed, the till too.", issue=7,
           changed={"lib/lease.py": 1}),
    _taken("queue", 4, "Sort the queue.", "Sorted.", issue=7, read={"shop/queue.py": 1}),
    _taken("moved", 3, "Move the old till away.", "Moved.", removed=("old/till.py",)),
    _taken("idle", 5, "Good morning."),
]  # fmt: skip


@pytest.fixture(scope="module")
def index() -> SessionIndex:
    made = SessionIndex(MemoryBackend(Held("m"), Clock()), None, Outgoing(None))
    made.add(SESSIONS[:3], {"one": FileMark(1, 1, "till")})
    made.add(SESSIONS[3:], {"two": FileMark(2, 2, "moved")})
    return made


@pytest.fixture
def offered(index: SessionIndex) -> SessionCandidates:
    return SessionCandidates(index.messages, index.sessions, index.schema)


def _asked(task: str = "", **more: object) -> RecallRequest:
    return RecallRequest(budget=500, task=task, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("issue", "session", "names"),
    [
        (None, "", ["idle", "queue", "moved", "lease", "till"]),
        (None, "moved", ["idle", "queue", "lease", "till"]),
        (7, "", ["queue", "lease"]),
        (7, "lease", ["queue"]),
        (8, "", []),
    ],
)
def test_the_last_sessions_of_an_issue(
    offered: SessionCandidates, issue: int | None, session: str, names: list[str]
) -> None:
    found = offered.newest(_asked(issue=issue, session_id=session))
    assert [it.observation.id for it in found] == names
    assert {it.kind for it in found} <= {Kind.SESSION}


def test_what_is_asked_next_is_answered_by_itself(offered: SessionCandidates) -> None:
    def told(task: str, session: str = "") -> set[str]:
        found = offered.candidates(_asked(task, session_id=session))
        return {it.observation.id for it in found if it.signals["bm25"]}

    assert told("sorted") == {"queue#3", "queue#1", "queue"}
    assert told("the till hangs") == {"till#1", "till#5", "lease#3", "moved#1", "till", "moved"}
    assert told("the till hangs", "till") == {"lease#3", "moved#1", "moved"}
    assert told("sorted", "queue") == set()
    assert told(" ") == set()
    assert told("shop/till.py and the queue") >= {"queue", "till"}


def test_what_was_said_before_and_after_a_message(index: SessionIndex) -> None:
    said = [it.text for it in SESSIONS[0].messages]
    around = {f"till#{line}": neighbours(index, f"till#{line}") for line in (1, 3, 5, 7)}
    assert around == {
        "till#1": ("", said[1]),
        "till#3": (said[0], said[2]),
        "till#5": (said[1], said[3]),
        "till#7": (said[2], ""),
    }
    assert neighbours(index, "idle#1") == ("", "")
    assert neighbours(index, "till#2") == neighbours(index, "gone#1") == ("", "")
    assert [it.content for it in conversation(index, "till")] == said
    assert conversation(index, "gone") == []


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("file:lease.py", ["lease", "till"]),
        ("file:shop/till.py,queue.py", ["queue", "till"]),
        ("-file:lib/lease.py", ["lease", "till"]),
        ("file:other.py", []),
    ],
)
def test_a_file_stands_for_the_sessions_that_changed_or_read_it(
    index: SessionIndex, query: str, names: list[str]
) -> None:
    asked = in_sessions_of_files(parse_query(f"issue:7 {query}", NOW), index.sessions)
    issue, files = asked.filters
    assert (issue.field, files.field) == ("issue", "session")
    assert sorted(map(int, files.values)) == sorted(map(session_key_of, names))
    assert files.negated is query.startswith("-")


def test_files_of_the_sessions_asked_for(offered: SessionCandidates) -> None:
    assert offered.files(()) == []
    found = offered.files({"queue", "lease", "unheard-of"})
    assert {it.session for it in found} == {"queue", "lease"}
