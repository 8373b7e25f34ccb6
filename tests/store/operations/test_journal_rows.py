"""An operation as it is kept, each way in which it may have been damaged, and texts it changes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from store.action import Action, ActionKind
from store.backends.memory.backend import Held, MemoryBackend
from store.backends.text_kinds import TextKind
from store.errors import NotFound, Unreadable
from store.model import Layout, Location
from store.notice import Notice, notice
from store.operations.journal import (
    Operation,
    newest_id,
    operation_ids,
    read_operation,
    write_operation,
)
from store.operations.plan import (
    Change,
    ClarificationChange,
    LayoutChange,
    Move,
    Plan,
    TextChange,
)
from store.operations.texts import change_texts
from tests.store.factories import NOW, Clock

ID = "20260301T120000000-a1b2"
GONE = Change(Location.ISSUE, 29, "k3", None, {"id": "k3"}, None, forget=True)
WHOLE = Plan(
    Action(ActionKind.EDIT, {"memories": 3}, of="tag"),
    (
        Change(Location.ISSUE, 29, "k1", {"id": "k1"}, {"id": "k1", "pinned": True}, 4),
        Change(Location.ARCHIVE, 0, "k2", None, {"id": "k2"}),
        GONE,
    ),
    (notice("changed-since", what="k9"),),
    (Move("a", "quarantine/a"),),
    moves_last=True,
    texts=(TextChange(TextKind.SESSIONS, "s", None, {"id": "s"}),),
    layout=LayoutChange(Layout.PER_ISSUE, Layout.EACH),
    clarifications=(ClarificationChange(29, "c", None, {"id": "c"}),),
)


@pytest.fixture
def backend() -> MemoryBackend:
    return MemoryBackend(Held("m"), Clock())


def _keep(backend: MemoryBackend, value: object, name: str = ID) -> None:
    text = value if isinstance(value, str) else json.dumps(value)
    backend.keep(TextKind.OPERATIONS, name, text.encode())


def _kept(backend: MemoryBackend) -> dict[str, Any]:
    found = json.loads(backend.kept(TextKind.OPERATIONS, ID))
    assert isinstance(found, dict)
    return found


def test_an_operation_as_it_is_kept(backend: MemoryBackend, snapshot: SnapshotAssertion) -> None:
    made = Operation(ID, WHOLE, NOW, "later", "earlier")
    write_operation(backend, made)
    text = backend.kept(TextKind.OPERATIONS, ID).decode()
    plain = Operation(ID, Plan(Action(ActionKind.ADD, {})), NOW)
    write_operation(backend, plain)
    assert f"{text}{backend.kept(TextKind.OPERATIONS, ID).decode()}" == snapshot
    assert read_operation(backend, ID) == plain
    write_operation(backend, made)
    read = read_operation(backend, ID)
    changes = read.plan.changes
    assert (read.undone_by, read.undoes, read.timestamp) == ("later", "earlier", NOW)
    assert changes[:2] == WHOLE.changes[:2]
    assert (changes[2].before, changes[2].after, changes[2].forget) == ({"id": "k3"},) * 2 + (True,)
    for name in ("action", "notes", "moves", "moves_last", "texts", "layout", "clarifications"):
        assert getattr(read.plan, name) == getattr(WHOLE, name)


def _in(key: str, at: int, **changed: Any) -> Mapping[str, Any]:  # noqa: ANN401
    """The change of one item of a list."""
    return {"list": key, "at": at, "changed": changed}


DAMAGED: dict[str, Mapping[str, Any]] = {
    "another kind": {"kind": "theirs"},
    "no kind": {"kind": None},
    "no time": {"timestamp": "soon"},
    "no changes": {"changes": None},
    "a change that is none": {"changes": [7]},
    "another place": _in("changes", 0, shelf="attic"),
    "an issue as text": _in("changes", 0, issue="29"),
    "a negative issue": _in("changes", 0, issue=-1),
    "a place as text": _in("changes", 0, place="4"),
    "a negative place": _in("changes", 0, place=-4),
    "a place that is true": _in("changes", 0, place=True),
    "forgotten by 1": _in("changes", 0, forget=1),
    "an id that is a number": _in("changes", 0, id=7),
    "a move out": {"moves": [["a", "../b"]]},
    "a move from the root": {"moves": [["/a", "b"]]},
    "a move below": {"moves": [["a/..b", "c..d"]]},
    "a move out of a folder": {"moves": [["a/../../b", "c"]]},
    "a move to a folder above": {"moves": [["a", "b/.."]]},
    "a move of three": {"moves": [["a", "b", "c"]]},
    "moves last by 1": {"movesLast": 1},
    "no moves": {"moves": []},
    "a layout of one": {"layout": ["one-file-each"]},
    "another layout": {"layout": ["one-file-each", "other"]},
    "a text of another kind": _in("texts", 0, kind="songs"),
    "a text that is no record": _in("texts", 0, after="x"),
    "a text that was no record": _in("texts", 0, before=[]),
    "a question that is no record": _in("clarifications", 0, after=7),
    "a question that was no record": _in("clarifications", 0, before="x"),
    "a question of no issue": _in("clarifications", 0, issue=None),
    "a note that is none": {"notes": [7]},
    "undone by a number": {"undoneBy": 7, "undoes": None},
    "a title and figures": {"title": "Mine"},
    "a title without figures": {"figures": {}, "title": "Mine"},
    "a title that is a number": {"figures": None, "title": 7},
    "figures that are none": {"figures": {"a": "1", "b": True, "c": 2}, "of": 7},
}


def _differing(one: object, other: object) -> Iterator[str]:
    """What a value has otherwise, a part each."""
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        for first, second in zip(one, other, strict=True):
            yield from _differing(first, second)
    elif isinstance(one, Operation | Plan):
        for it in fields(one):
            yield from _differing(getattr(one, it.name), getattr(other, it.name))
    elif one != other:
        yield f"{other}"


def test_what_is_read_of_a_damaged_operation(
    backend: MemoryBackend, snapshot: SnapshotAssertion
) -> None:
    write_operation(backend, Operation(ID, WHOLE, NOW, "later", "earlier"))
    whole, good = _kept(backend), read_operation(backend, ID)
    told = []
    for about, change in DAMAGED.items():
        value = json.loads(json.dumps(whole))
        if "list" in change:
            value[change["list"]][change["at"]] |= change["changed"]
        else:
            value |= change
        _keep(backend, value)
        try:
            told.append(f"{about}: {'; '.join(_differing(good, read_operation(backend, ID)))}")
        except Unreadable:
            told.append(f"{about}: damaged")
    assert "\n".join(told) == snapshot


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "{}", "[" * 9_000])
def test_what_is_no_operation_is_said(backend: MemoryBackend, text: str) -> None:
    _keep(backend, text)
    with pytest.raises(Unreadable) as told:
        read_operation(backend, ID)
    assert told.value.message == (
        f"operations/{ID}.json is damaged, so this operation can't be undone."
    )
    assert told.value.hint == "The memories are not affected."


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        (ID, True),
        ("20260228T235959999-0000", True),
        ("20260229T120000000-a1b2", False),
        ("20240229T120000000-a1b2", True),
        ("20260231T120000000-a1b2", False),
        ("20260131T120000000-a1b2", True),
        ("20261301T120000000-a1b2", False),
        ("20260301T240000000-a1b2", False),
        ("20260301T126000000-a1b2", False),
        ("89991231T120000000-a1b2", True),
        ("90000101T120000000-a1b2", False),
        ("00010101T120000000-a1b2", True),
        ("20260301T120000000-A1B2", False),
        ("20260301T120000000-a1b", False),
        ("20260301T120000000-a1b2x", False),
        ("x", False),
    ],
)
def test_which_names_are_operations(backend: MemoryBackend, name: str, is_one: bool) -> None:
    _keep(backend, {}, name)
    assert operation_ids(backend) == ([name] if is_one else [])
    assert newest_id(backend) == (name if is_one else "")


Stood = dict[str, object] | str | None
ONE, TWO, OTHER = {"id": "s"}, {"id": "s", "asked": ["x"]}, {"id": "s", "asked": ["y"]}


@pytest.mark.parametrize(
    ("now", "before", "after", "done", "stands"),
    [
        (None, None, ONE, 1, ONE),
        (ONE, None, ONE, 0, ONE),
        (ONE, ONE, TWO, 1, TWO),
        (TWO, ONE, TWO, 0, TWO),
        (OTHER, ONE, TWO, None, OTHER),
        (OTHER, None, ONE, None, OTHER),
        (None, ONE, TWO, None, None),
        (ONE, ONE, None, 1, None),
        (None, ONE, None, 0, None),
        (OTHER, ONE, None, None, OTHER),
        ("{", ONE, TWO, None, "{"),
        ("{", None, TWO, None, "{"),
        ("{", ONE, None, None, "{"),
    ],
)
def test_a_text_is_changed_only_while_it_is_what_was_seen(
    backend: MemoryBackend,
    now: Stood,
    before: dict[str, object] | None,
    after: dict[str, object] | None,
    done: int | None,
    stands: Stood,
) -> None:
    for beside in (False, True):
        for kind in (TextKind.SESSIONS, TextKind.MESSAGES):
            backend.forget(kind, "s")
        if now is not None:
            text = now if isinstance(now, str) else json.dumps(now)
            backend.keep(TextKind.SESSIONS, "s", text.encode())
            backend.keep(TextKind.MESSAGES, "s", b"said")
        change = TextChange(TextKind.SESSIONS, "s", before, after)
        last = TextChange(TextKind.SESSIONS, "t", None, ONE)
        plan = Plan(
            Action(ActionKind.UNDO, {}), WHOLE.changes if beside else (), texts=(change, last)
        )
        left: list[Notice] = []
        assert change_texts(backend, plan, left) == (done or 0) + (not beside)
        told = [] if beside or done is not None else [notice("changed-since", what=change.path)]
        assert left == told
        try:
            kept = backend.kept(TextKind.SESSIONS, "s").decode()
        except NotFound:
            assert stands is None
        else:
            assert (kept if isinstance(stands, str) else json.loads(kept)) == stands
        held = [*backend.names(TextKind.MESSAGES)]
        assert held == (["s"] if now is not None and not (done == 1 and after is None) else [])
        assert change_texts(backend, Plan(Action(ActionKind.UNDO, {})), left) == 0
