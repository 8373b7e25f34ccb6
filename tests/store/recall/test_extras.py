"""What is told beside memories keeps to its shares of the room."""

from __future__ import annotations

import pytest

from store.recall.extras import extras_for
from store.recall.request import RecallRequest
from store.recall.values import FileHint, Limits
from store.text.tokens import estimate

TOLD = ("Recovering:", "a b c", "d e f", "g h i")
WHY = ("changed in 3 sessions like this", "read in 2")
FILES = [FileHint(f"src/file{number}.py", 1.0, WHY) for number in range(4)]


@pytest.mark.parametrize(
    ("limits", "lines"),
    [
        (Limits(30), 0),
        (Limits(35), 2),
        (Limits(50), 3),
        (Limits(70), 4),
        (Limits(70, 20), 0),
        (Limits(70, 42), 0),
        (Limits(70, 43), 2),
        (Limits(70, 60), 3),
        (Limits(70, 80), 4),
        (Limits(50, 80), 3),
    ],
)
def test_what_is_told_first_is_cut_line_by_line_to_its_share(limits: Limits, lines: int) -> None:
    told = extras_for([], RecallRequest(first=TOLD), limits, estimate()).first
    assert told == TOLD[:lines]


@pytest.mark.parametrize(
    ("tokens", "lines", "whole"),
    [(150, 0, False), (200, 2, False), (300, 3, False), (400, 4, False), (600, 5, True)],
)
def test_files_are_told_shorter_then_fewer(tokens: int, lines: int, whole: bool) -> None:
    told = extras_for(FILES, RecallRequest(), Limits(tokens), estimate()).files
    assert len(told) == lines
    assert [line.split()[0] for line in told[1:]] == [it.path for it in FILES[: len(told[1:])]]
    assert [WHY[1] in line for line in told[1:]] == [whole] * max(0, lines - 1)


def test_the_last_line_is_told_where_there_is_room_for_much() -> None:
    found = [
        extras_for([], RecallRequest(last="Ask."), Limits(it), estimate()) for it in (499, 500)
    ]
    assert [it.last for it in found] == ["", "Ask."]
