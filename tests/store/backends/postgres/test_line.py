"""What a line that listens makes of the database's words; no server is needed."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, cast

import pytest

from store.backends.postgres.connections import Connections
from store.backends.postgres.listener import Listener, Word
from store.errors import NoMemory

OURS, THEIRS = "7", "8"


class _Broken(Exception):
    """What the driver raises."""


class _Line:
    """A connection whose words come with the answer to a question."""

    def __init__(self) -> None:
        self.coming: list[str] = []
        self.asked: list[str] = []
        self.is_open = True
        self.breaks = False
        self._hear: Callable[[Any], object] = lambda note: None

    def add_notify_handler(self, hear: Callable[[Any], object]) -> None:
        self._hear = hear

    def execute(self, statement: str) -> None:
        if self.breaks:
            raise _Broken
        self.asked.append(statement)
        for payload in self.coming:
            self._hear(type("Note", (), {"payload": payload}))
        self.coming = []

    def close(self) -> None:
        self.is_open = False
        if self.breaks:
            raise _Broken


class _Database:
    """Gives lines out."""

    project = int(OURS)

    def __init__(self) -> None:
        self.lines: list[_Line] = []
        self.refuses: Exception | None = None

    def connect(self) -> _Line:
        if self.refuses is not None:
            raise self.refuses
        self.lines.append(_Line())
        return self.lines[-1]

    def errors(self) -> type[Exception]:
        return _Broken


@pytest.fixture
def database() -> _Database:
    return _Database()


@pytest.fixture
def now() -> list[float]:
    return [1_000.0]


@pytest.fixture
def listener(database: _Database, now: list[float]) -> Listener:
    """One that listens, and has asked once."""
    listener = Listener(cast("Connections", database), lambda: now[0])
    assert listener.word() is Word.UNKNOWN
    listener.begin()
    assert listener.word() is Word.UNKNOWN, "who was never asked is asked"
    assert listener.word() is Word.UNCHANGED
    return listener


def test_it_listens_once_and_asks_each_time(database: _Database, listener: Listener) -> None:
    listener.begin()
    (line,) = database.lines
    assert line.asked == ["listen memtui", "select", "select"]


def test_a_word_of_this_memory_is_told_once(database: _Database, listener: Listener) -> None:
    database.lines[0].coming = [OURS, OURS]
    assert listener.word() is Word.CHANGED
    assert listener.word() is Word.UNCHANGED


def test_a_word_of_another_memory_tells_nothing(database: _Database, listener: Listener) -> None:
    database.lines[0].coming = [THEIRS]
    assert listener.word() is Word.UNCHANGED
    database.lines[0].coming = [THEIRS, OURS, THEIRS]
    assert listener.word() is Word.CHANGED


def test_after_half_a_minute_without_a_word_it_is_asked_all_the_same(
    listener: Listener, now: list[float]
) -> None:
    now[0] += 30
    assert listener.word() is Word.UNCHANGED
    now[0] += 1
    assert listener.word() is Word.UNKNOWN
    assert listener.word() is Word.UNCHANGED


def test_a_word_does_not_put_off_when_all_is_asked_for(
    database: _Database, listener: Listener, now: list[float]
) -> None:
    now[0] += 20
    database.lines[0].coming = [OURS]
    assert listener.word() is Word.CHANGED
    now[0] += 20
    database.lines[0].coming = [OURS]
    assert listener.word() is Word.UNKNOWN
    assert listener.word() is Word.UNCHANGED


def test_a_line_that_broke_is_closed_and_replaced(database: _Database, listener: Listener) -> None:
    database.lines[0].breaks = True
    assert listener.word() is Word.UNKNOWN
    assert not database.lines[0].is_open
    assert listener.word() is Word.UNKNOWN
    listener.begin()
    assert len(database.lines) == 2


def test_who_ends_listens_no_more_and_may_begin_again(
    database: _Database, listener: Listener
) -> None:
    listener.end()
    listener.end()
    assert not database.lines[0].is_open
    assert listener.word() is Word.UNKNOWN
    listener.begin()
    assert database.lines[1].is_open


@pytest.mark.parametrize("refuses", [_Broken(), NoMemory("No driver.", "")])
def test_where_none_can_listen_the_database_goes_on_being_asked(
    database: _Database, refuses: Exception
) -> None:
    database.refuses = refuses
    listener = Listener(cast("Connections", database))
    listener.begin()
    assert listener.word() is Word.UNKNOWN


def test_after_a_fork_the_parents_line_is_let_alone(
    database: _Database, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert listener.word() is Word.UNKNOWN
    assert database.lines[0].asked[2:] == ["select"]
    listener.begin()
    assert len(database.lines) == 2
    monkeypatch.undo()
    listener.end()
    assert database.lines[0].is_open
