"""Handoff: where a session broke off, with what was open."""

from __future__ import annotations

import json

import pytest

from tests.store.capture.evidence.found import found

TODOS = json.dumps({
    "todos": [
        {"content": "Shorten the lease", "status": "completed"},
        {"content": "Write the manual page of leases", "status": "pending"},
    ]
})  # fmt: skip
ASKED = "USER Shorten the lease and document it\nAGENT The lease is five seconds long now.\n"


@pytest.mark.parametrize(
    ("session", "note"),
    [
        (
            f"{ASKED}CALL TodoWrite {TODOS}\nok\n",
            "Asked: Shorten the lease and document it\n"
            "Last said: The lease is five seconds long now.\n"
            "Open: Write the manual page of leases\nWhere: branch feature/29-locks",
        ),
        (
            f"{ASKED}FAILS make test\nFAILED tests/test_a.py::test_b - assert 5 == 3\n",
            "Asked: Shorten the lease and document it\n"
            "Last said: The lease is five seconds long now.\n"
            "Open: `make test` fails: FAILED tests/test_a.py::test_b - assert 5 == 3\n"
            "Where: branch feature/29-locks",
        ),
        (
            f"{ASKED}BASH ls\na\nUSER Does the renewal hold with two writers on one machine?\n",
            "Asked: Does the renewal hold with two writers on one machine?\n"
            "Last said: The lease is five seconds long now.\n"
            "Open: unanswered: Does the renewal hold with two writers on one machine?\n"
            "Where: branch feature/29-locks",
        ),
    ],
)
def test_broke_off(session: str, note: str) -> None:
    assert found(session, "handoff") == [("handoff", note)]


@pytest.mark.parametrize(
    "session",
    [
        f"{ASKED}CALL TodoWrite {TODOS}\nok\nAGENT That is all for today.\n",  # it came to its end
        f"{ASKED}BASH ls\na\nUSER thanks\n",  # nothing is asked
        f"{ASKED}FAILS make test\nFAILED a::b\nEDIT a.py\n-a\n+b\n",  # mended, perhaps
        "USER Does the renewal hold with two writers?\n",  # it can be asked again
    ],
)
def test_came_to_its_end(session: str) -> None:
    assert found(session, "handoff") == []
