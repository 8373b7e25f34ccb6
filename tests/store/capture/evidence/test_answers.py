"""Answers that clients keep as structure: options chosen, refusals with words."""

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
