"""Which names are operations, and texts that an operation changes."""

from __future__ import annotations

import json

import pytest

from store.action import Action, ActionKind
from store.backends.memory.backend import Held, MemoryBackend
from store.backends.text_kinds import TextKind
from store.errors import NotFound
from store.model import Location
from store.notice import notice
from store.operations.journal import newest_id, operation_ids
from store.operations.outcome import Outcome
from store.operations.plan import Change, Plan, TextChange
from store.operations.texts import change_texts
from tests.store.factories import Clock

CHANGE = Change(Location.ISSUE, 29, "k1", {"id": "k1"}, {"id": "k1", "pinned": True}, 4)


@pytest.fixture
def backend() -> MemoryBackend:
    return MemoryBackend(Held("m"), Clock())


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("20260301T120000000-a1b2", True),
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
    backend.texts.keep(TextKind.OPERATIONS, name, b"{}")
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
            backend.texts.remove(kind, "s")
        if now is not None:
            text = now if isinstance(now, str) else json.dumps(now)
            backend.texts.keep(TextKind.SESSIONS, "s", text.encode())
            backend.texts.keep(TextKind.MESSAGES, "s", b"said")
        change = TextChange(TextKind.SESSIONS, "s", before, after)
        last = TextChange(TextKind.SESSIONS, "t", None, ONE)
        plan = Plan(Action(ActionKind.UNDO, {}), (CHANGE,) if beside else (), texts=(change, last))
        outcome = change_texts(backend, plan)
        assert outcome.changed == (done or 0) + (not beside)
        is_named = not beside and done is None
        assert outcome.left == (notice("changed-since", what=change.path),) * is_named
        try:
            kept = backend.texts.read(TextKind.SESSIONS, "s").decode()
        except NotFound:
            assert stands is None
        else:
            assert (kept if isinstance(stands, str) else json.loads(kept)) == stands
        held = [*backend.texts.names(TextKind.MESSAGES)]
        assert held == (["s"] if now is not None and not (done == 1 and after is None) else [])
        assert change_texts(backend, Plan(Action(ActionKind.UNDO, {}))) == Outcome()
