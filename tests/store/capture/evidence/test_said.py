"""What was said: options chosen, refusals with words, talks, summaries."""

from __future__ import annotations

import json

import pytest

from tests.store.capture.evidence.found import found


def asked(question: str, answer: str, *options: tuple[str, str]) -> str:
    listed = [{"label": label, "description": told} for label, told in options]
    given = json.dumps({"questions": [{"question": question, "options": listed}]})
    return f'CALL AskUserQuestion {given}\nUser has answered: "{question}"="{answer}".\n'


@pytest.mark.parametrize(
    ("session", "memories"),
    [
        (
            asked(
                "Where do leases live?", "A row (Recommended)",
                ("A row (Recommended)", "one for each queue."), ("A file", "locked"),
            ),
            ["Where do leases live? The user chose: A row (one for each queue).\nNot: A file"],
        ),
        (
            asked("How long is a lease?", "5 seconds, renewed by its worker", ("30 s", "")),
            ["How long is a lease? The user chose: 5 seconds, renewed by its worker."],
        ),
        (
            'CALL request_user_input {"questions": [{"id": "q", "question": "Which table?"}]}\n'
            '{"answers": {"q": {"answers": ["leases"]}}}\n',
            ["Which table? The user chose: leases."],
        ),
        (
            'CALL ask_user {"question": "Which table?", "choices": ["old (Recommended)", "rows"]}\n'
            "User selected: old (Recommended)\n",
            ["Which table? The user chose: old.\nNot: rows"],
        ),
    ],
)  # fmt: skip
def test_decisions(session: str, memories: list[str]) -> None:
    assert found(session, "answers") == [("decision", memory) for memory in memories]


# Talks: sessions without a tool call, in several turns.

TALK = """\
USER The contact list keeps growing duplicates after every sync run.
AGENT I'd key duplicates on the lowercased email.
USER Right, and the same day. The newer one wins.
AGENT Settled: `merge_records` keys on lowercased email and day; the newer record is kept.
"""


@pytest.mark.parametrize("nod", ["", "USER Right, ship it.\n"])
def test_how_it_ended(nod: str) -> None:
    assert found(f"{TALK}{nod}", "talks") == [
        (
            "decision",
            "Settled: `merge_records` keys on lowercased email and day; the newer record is kept.\n"
            "Asked: The contact list keeps growing duplicates after every sync run.",
        )
    ]


# The client's own summaries, cut by their headings.

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
