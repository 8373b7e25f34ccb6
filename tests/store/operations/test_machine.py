"""Operations with a fault at each step: what is told, what stands, what an undo brings back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from store.action import Action, ActionKind
from store.backends.files.issue_reader import read_issue
from store.backends.text_kinds import TextKind
from store.clarifications.ledger import ClarificationLedgers
from store.errors import LockTimeout, NotSynced, StoreError, WriteFailed
from store.operations.apply import Applied, apply_plan
from store.operations.changes import plan_archive, plan_edit, plan_remove
from store.operations.journal import operations
from store.operations.plan import ClarificationChange, Move, Plan, TextChange
from store.operations.undo import redo_operation, undo_operation
from tests.store.factories import NOW, Store, record, records_in, write_issue

ERRORS: Mapping[str, StoreError] = {
    "full": WriteFailed("The disk is full.", "Free some."),
    "not synced": NotSynced("The disk did not confirm it.", "Try again."),
    "locked": LockTimeout("issue-30.json has been locked.", "Try again."),
}
ASKED = {"id": "c-29-1", "issueNumber": 29, "asker": "a", "asked": "b", "thread": []}


class Faulty(Store):
    """A store that counts what it is asked to change, and refuses one of these."""

    refused = 0
    error: StoreError | None = None
    steps: list[str]

    def _step(self, what: str) -> None:
        self.steps.append(what)
        if len(self.steps) == self.refused and self.error is not None:
            raise self.error

    @contextmanager
    def changing(self, issue: int, see: Any = None) -> Iterator[Any]:  # noqa: ANN401
        """Refused before anything is written; not synced, after."""
        if not isinstance(self.error, NotSynced):
            self._step(f"issue {issue}")
        with super().changing(issue, see) as records:
            yield records
        if isinstance(self.error, NotSynced):
            self._step(f"issue {issue}")

    def keep(self, kind: TextKind, name: str, data: bytes, **how: bool) -> None:
        """A text, refused."""
        self._step(f"keep {kind}")
        super().keep(kind, name, data, **how)

    def forget(self, kind: TextKind, name: str) -> None:
        """A text's end, refused."""
        self._step(f"forget {kind}")
        super().forget(kind, name)

    def move(self, source: str, target: str) -> bool:
        """A move, refused."""
        self._step("move")
        return super().move(source, target)


def begin(folder: Path) -> Faulty:
    store = Faulty(folder)
    store.steps = []
    write_issue(folder, 29, record("a"), record("b"), record("c"))
    write_issue(folder, 30, record("d", issueNumber=30), record("e", issueNumber=30))
    write_issue(folder, 31, record("f", issueNumber=31))
    write_issue(folder, 40, record("g", issueNumber=40))
    for name in ("s1", "s2", "s3"):
        store.keep(TextKind.SESSIONS, name, json.dumps({"id": name}).encode())
        store.keep(TextKind.MESSAGES, name, b"said")
    with ClarificationLedgers(folder).changing(29) as held:
        held["c-29-1"] = dict(ASKED)
    store.steps = []
    return store


def plan_of(folder: Path) -> Plan:
    """All that a plan may hold: a removal, an edit, moves to the archive, and what is beside."""
    where = {issue: read_issue(folder, issue) for issue in (29, 30, 31)}
    changes = (
        *plan_remove(where, ["b"]).changes,
        *plan_edit(where, ["d"], {"content": "New"}).changes,
        *plan_archive(where, ["c", "f"]).changes,
    )
    return Plan(
        Action(ActionKind.PRUNE, {"memories": 4}),
        changes,
        moves=(Move("issue-40.json", "quarantine/issue-40.json"),),
        texts=(
            TextChange(TextKind.SESSIONS, "s1", {"id": "s1"}, None),
            TextChange(TextKind.SESSIONS, "s2", {"id": "s2"}, {"id": "s2", "more": 1}),
            TextChange(TextKind.SESSIONS, "s4", None, {"id": "s4"}),
        ),
        clarifications=(
            ClarificationChange(29, "c-29-1", ASKED, {**ASKED, "asked": "c"}),
            ClarificationChange(29, "c-29-2", None, {**ASKED, "id": "c-29-2"}),
        ),
    )


def told(applied: Applied) -> str:
    left = [f"{it.kind} {dict(it.values)}" for it in applied.left]
    flags = [name for name in ("unfinished", "final") if getattr(applied, name)]
    flags += ["no operation"] * (not applied.operation_id)
    action = applied.action
    return f"{action.kind} {dict(action.figures)}: {applied.changed} {flags} {left}"


def attempt(do: Callable[..., Applied], *given: object) -> str:
    try:
        return told(do(*given))
    except StoreError as error:
        notes = [f"{it.kind} {dict(it.values)}" for it in error.notes]
        return f"{type(error).__name__}: {error.message} {notes}"


def standing(store: Faulty) -> str:
    """All that is kept, by where it stands."""
    paths = [
        path
        for place in ("", "archive/", "quarantine/")
        for path in store.folder.glob(f"{place}issue-*.json")
    ]
    records = {
        str(path.relative_to(store.folder)).removesuffix(".json"): [
            it["id"] + "!" * (it["content"] == "New") for it in records_in(path)
        ]
        for path in sorted(paths)
    }
    texts = {
        name: json.loads(store.kept(TextKind.SESSIONS, name))
        for name in sorted(store.names(TextKind.SESSIONS))
    }
    return "\n".join(
        (
            "    " + " ".join(f"{name}={','.join(it)}" for name, it in records.items() if it),
            f"    {texts} messages {sorted(store.names(TextKind.MESSAGES))}",
            f"    {held_of(store)}",
            f"    {[(str(it.plan.kind), bool(it.undone_by)) for it in operations(store)]}",
        )
    )


def held_of(store: Faulty) -> list[tuple[str, object]]:
    with ClarificationLedgers(store.folder).changing(29) as held:
        return [(name, it["asked"]) for name, it in held.items()]


@pytest.mark.parametrize(
    ("error", "numbers"),
    [("full", range(10)), ("not synced", (1, 3, 4, 6)), ("locked", (1, 4))],
)
def test_a_fault_at_each_step(
    tmp_path: Path, error: str, numbers: Iterable[int], snapshot: SnapshotAssertion
) -> None:
    lines = []
    for number in numbers:
        store = begin(tmp_path / str(number))
        plan = plan_of(store.folder)
        store.refused, store.error = number, ERRORS[error]
        lines += [f"at {number}: {attempt(apply_plan, store, plan, NOW)}"]
        lines += [f"    {store.steps[max(0, number - 1) :]}", standing(store)]
        store.error = None
        lines += [f"  undo: {attempt(undo_operation, store, None, NOW)}", standing(store)]
    assert "\n".join(lines) == snapshot


def test_a_fault_at_a_step_of_an_undo_and_a_redo(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    lines = []
    for number, error in ((2, "full"), (4, "not synced"), (6, "full"), (10, "full")):
        store = begin(tmp_path / str(number))
        apply_plan(store, plan_of(store.folder), NOW)
        for name, do in (("undo", undo_operation), ("redo", redo_operation)):
            for fault in (ERRORS[error], None):
                store.steps, store.refused, store.error = [], number, fault
                lines += [f"{name} at {number if fault else 0}: {attempt(do, store, None, NOW)}"]
                lines += [f"    {store.steps}", standing(store)]
    assert "\n".join(lines) == snapshot
