"""A check that failed and passed later, with what was changed in between."""

from __future__ import annotations

import pytest

from tests.store.capture.evidence.found import found, passed

FAILS = "FAILS make test\nFAILED tests/test_lock.py::test_waits - KeyError: 'lease'\n1 failed\n"
PASSES = "BASH make test\n12 passed\n"
EDIT = "EDIT store/lock.py\n-a\n+b\n"


@pytest.mark.parametrize(
    ("session", "memories"),
    [
        (
            f"USER Why is the build red?\n{FAILS}"
            "AGENT The row of a lease is read before it is made. I make it first:\n"
            f"{EDIT}{PASSES}",
            [
                "`make test` failed: FAILED tests/test_lock.py::test_waits - KeyError: 'lease'\n"
                "The row of a lease is read before it is made. I make it first\n"
                "It passed after changing store/lock.py."
            ],
        ),
        # Twice in the same way is no slip, although the session wrote the file itself.
        (
            f"USER Mend the lock of the store\n{EDIT}{FAILS}{EDIT}{FAILS}"
            f"AGENT The lease has to be made before it is read.\n{EDIT}{PASSES}",
            [
                "`make test` failed: FAILED tests/test_lock.py::test_waits - KeyError: 'lease'\n"
                "The lease has to be made before it is read.\n"
                "It passed after changing store/lock.py."
            ],
        ),
    ],
)
def test_failed_then_passed(session: str, memories: list[str]) -> None:
    assert found(session, "checks") == [("error", memory) for memory in memories]


@pytest.mark.parametrize(
    "session",
    [
        f"USER Mend the lock\n{EDIT}{FAILS}{EDIT}{PASSES}",  # a slip of its own
        f"USER Run the tests\n{FAILS}{PASSES}",  # it passed by itself
        f"USER Run the tests\n{FAILS}{EDIT}",  # it was not seen to pass
        f"USER Run the tests\n{FAILS}{EDIT}BASH ruff check .\nok\n",  # another check passed
    ],
)
def test_nothing_to_learn(session: str) -> None:
    assert found(session, "checks") == []
    assert ("no-cause") in [reason for _, reason in passed(session)]
