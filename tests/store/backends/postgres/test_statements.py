"""The statements by which each operation writes to a database, in their order: a lock, a
part of a transaction or a commit less is another list.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from store import Memory, open_memory
from tests.store.factories import Clock, Ids, observation

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
Act = Callable[[Memory], object]
_HELD = (
    observation("Chose plain files for the record"),
    observation("Chose plain files for the record, since git merges them"),
    observation("Locks go stale after thirty seconds", issue_number=30),
)
_NEW = observation("Leases end after five seconds", tags=("lease",))
_SAID = ({"role": "user", "text": "Mend the lease"}, {"role": "agent", "text": "Done."})
_SPACE = re.compile(r"\s+")


def _apply(how: str, *of: object) -> Act:
    return lambda memory: memory.apply(getattr(memory.plan, how)(*of))


def _do(how: str, *of: object) -> Act:
    return lambda memory: getattr(memory, how)(*of)


def _forget(memory: Memory) -> object:
    return memory.forget(memory.plan.forget(["obs-1"]))


def _inject(memory: Memory) -> object:
    return memory.recall.inject(
        memory.recall.plan("engineer", 29, "locks"), "engineer", 29, session_id="s-1"
    )


def _repair(memory: Memory) -> object:
    return memory.doctor.repair(memory.doctor.examine())


_CHECKPOINT: Act = lambda memory: memory.continuation.checkpoint("engineer", _SAID, "s-1")  # noqa: E731
_PIN = _apply("edit", ["obs-1", "obs-3"], {"pinned": True})
_ARCHIVE = _apply("archive", ["obs-1", "obs-3"])
OPERATIONS: dict[str, tuple[Act, ...]] = {
    "store": (_do("store", [_NEW]),),
    "store what is known": (_do("store", [_HELD[0]]),),
    "store in two issues": (
        _do("store", [_NEW, observation("Readers need no lock", issue_number=31)]),
    ),
    "edit": (_PIN,),
    "archive": (_ARCHIVE,),
    "restore": (_ARCHIVE, _apply("restore", ["obs-1"])),
    "remove": (_apply("remove", ["obs-1"]),),
    "forget": (_PIN, _inject, _forget),
    "undo": (_PIN, _do("undo")),
    "redo": (_ARCHIVE, _do("undo"), _do("redo")),
    "inject": (_inject,),
    "inject again": (_inject, _inject),
    "checkpoint": (_CHECKPOINT,),
    "record a failure": (_do("record_failure", "hook stop", "Too late."),),
    "repair": (_repair,),
}
"""What is done; the last of it is looked at."""


@contextmanager
def _watched() -> Iterator[list[str]]:
    """The statements that this thread sends, without their values."""
    sent: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        for name in ("execute", "executemany", "copy"):
            patch.setattr(psycopg.Cursor, name, _noting(name, sent))
        yield sent


def _noting(name: str, sent: list[str]) -> Callable[..., object]:
    """A method of a cursor that notes what it sends, where this thread does."""
    real, thread = getattr(psycopg.Cursor, name), threading.get_ident()
    prefix = "" if name == "execute" else f"{name}: "

    def send(cursor: object, query: str, *values: object, **how: object) -> object:
        if threading.get_ident() == thread:
            sent.append(f"{prefix}{_SPACE.sub(' ', query).strip()}")
        return real(cursor, query, *values, **how)

    return send


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_statements_of_an_operation(
    name: str, url: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    clock = Clock()
    with open_memory(url, cache=tmp_path, clock=clock, new_id=Ids()) as memory:
        memory.store(_HELD)
        *before, act = OPERATIONS[name]
        for step in before:
            clock.pass_by(minutes=1)
            step(memory)
        clock.pass_by(minutes=1)
        memory.index.refresh()
        with _watched() as sent:
            act(memory)
    assert "\n".join(_writing(sent)) == snapshot


def _writing(sent: list[str]) -> Iterator[str]:
    """The statements of transactions, and those that write by themselves: which others ask depends
    on what the database has told by then of what was written before.
    """
    inside = False
    for statement in sent:
        inside = inside or statement == "begin"
        if inside or not statement.startswith(("select", "listen")):
            yield statement
        inside = inside and statement not in ("commit", "rollback")
