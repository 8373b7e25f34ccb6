"""The client's own summaries, cut by their headings."""

from __future__ import annotations

from tests.store.capture.evidence.found import found

SUMMARY = """\
SUMMARY This session is being continued from a previous conversation.

1. Primary Request and Intent:
   Mend the queue, which runs jobs twice.

4. Errors and fixes:
   - **Job runs twice**: `renew()` in `lease.py` wrote its row only after the job, so that a second
     worker saw none, took the same job and ran it once more, at night when both were idle
     - Fixed by writing the row first, in the transaction that takes the job.
   - **Lint**: an unused import in `lease.py`, fixed by removing it from the file
   - User feedback: never touch `lease.py` by hand, it is generated

7. Pending Tasks:
   - Measure the lease with two writers
   - None
"""
FACTS = [
    (
        "error",
        "Job runs twice: `renew()` in `lease.py` wrote its row only after the job, so that "
        "a second worker saw none, took the same job and ran it once more, at night when both were "
        "idle; "
        "Fixed by writing the row first, in the transaction that takes the job.",
    ),
    ("lesson", "User feedback: never touch `lease.py` by hand, it is generated"),
]


def test_of_claude_code() -> None:
    task = ("task", "Measure the lease with two writers")
    assert found(SUMMARY, "summaries") == [*FACTS, task]
    # What was pending may be done where the session went on.
    assert found(f"{SUMMARY}EDIT lease.py\n-a\n+b\n", "summaries") == FACTS


# SPEC-29's own extractor.
