"""Carrying out a plan under the lock: its records, files, texts and layout, as an operation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from store.action import Action, ActionKind
from store.backends.issue_records import IssueRecords, check_read
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import (
    Conflict,
    InvalidObservation,
    NotFound,
    NotSynced,
    ReadOnly,
    StoreError,
    Unopened,
    Unreadable,
    WriteFailed,
)
from store.model import COUNTERS, Layout, Location
from store.notice import Notice, notice, quoted
from store.operations.journal import (
    Operation,
    forget,
    forget_old,
    is_after,
    newest_id,
    next_operation_id,
    write_operation,
)
from store.operations.plan import Change, GoesOn, LayoutChange, Plan, TextChange, has_same_content
from store.operations.tombstones import keep_removed, lift_brought
from store.records import as_json

_FLAG = "archived"
"""The key in which a record and its copy in the archive may differ."""


@dataclass(frozen=True, slots=True)
class Applied:
    """The result of a plan: how many changes were made, and why others were left.

    `operation_id` is empty where nothing was there to be changed. `unfinished`: some were left
    because of an error, and can be tried again. `final`: nothing of it can be taken back.
    `added` are the ids of what was written anew.
    """

    operation_id: str
    action: Action
    changed: int
    left: tuple[Notice, ...] = ()
    unfinished: bool = False
    final: bool = False
    added: tuple[str, ...] = ()


def apply_plan(
    backend: Backend,
    plan: Plan,
    now: datetime,
    *,
    goes_on: GoesOn | None = None,
    by: str = "",
) -> Applied:
    """Carry out a plan, issue by issue, each atomically.

    `goes_on` is asked before each issue; where it stops, what is done stays done and can be
    undone. `by` is the agent that asked for it, empty where a person did. A change whose record is
    no longer what the plan saw is left, and named. Raises `Conflict` where nothing of the plan
    could be carried out, and the store's own errors.
    """
    if plan.is_empty:
        return Applied("", plan.action, 0)
    operation = begin(backend, plan, now)
    try:
        with backend.together():
            applied = carry_out(backend, operation, goes_on, by)
    except StoreError as error:
        discard(backend, operation, error)
        raise
    if applied.changed == 0:
        discard(backend, operation)
        return replace(applied, operation_id="")
    return applied


def begin(
    backend: Backend,
    plan: Plan,
    now: datetime,
    *,
    undoes: str = "",
    durable: bool = True,
) -> Operation:
    """Keep an operation in the journal before it is carried out, and forget old ones.

    Not `durable`, it may be lost in a power cut: for what was done already and is durable itself.
    """
    operation = Operation(next_operation_id("", now), plan, now, undoes=undoes)
    with backend.locked():
        try:
            newest = newest_id(backend)
            forget_old(backend, newest, now)
            if not is_after(operation.id, newest):
                operation = replace(operation, id=next_operation_id(newest, now))
            write_operation(backend, operation, durable=durable)
        except NotSynced as error:
            # What may not last in the journal is not carried out.
            discard(backend, operation)
            raise WriteFailed(
                "The disk did not confirm that the operation was noted. Nothing changed.",
                "Check the disk.",
            ) from error
    return operation


def keep_done(backend: Backend, plan: Plan, now: datetime) -> str:
    """Keep what was done otherwise as an operation, so that it can be taken back; its id.

    Raises `ReadOnly`, `WriteFailed`, `LockTimeout`; then it is done all the same.
    """
    return begin(backend, plan, now, durable=False).id


def carry_out(
    backend: Backend, operation: Operation, goes_on: GoesOn | None = None, by: str = ""
) -> Applied:
    """Make the changes of an operation that is in the journal. Raises as `apply_plan`."""
    plan = operation.plan
    # Before the records: one that is there with its own tombstone is known, and never lost.
    keep_removed(backend, plan, operation.timestamp, by)
    action, changed = plan.action, 0
    left: list[Notice] = []
    failures: list[StoreError] = []
    if not plan.moves_last:
        changed += _move_all(backend, plan, left)
    done, whole = _change_issues(backend, plan, left, failures, goes_on)
    changed += done
    if plan.moves_last and whole:
        changed += _move_all(backend, plan, left)
    changed += change_texts(backend, plan, left)
    if plan.clarifications:
        from store.operations.clarifications import change_clarifications

        changed += change_clarifications(backend, plan, left)
    if plan.layout is not None:
        written = change_layout(backend, plan.layout, left, goes_on)
        action = action._replace(figures={**action.figures, "issues": written})
        changed += written if written or left else 1
    try:
        lift_brought(backend, plan)
    except StoreError as error:  # what was brought back is there; only its capture is still refused
        left.append(quoted(error.message))
    if failures and changed == 0:
        raise failures[0]
    if left and changed == 0:
        raise Conflict("Nothing changed.", "Reload and repeat your change.", (left[0],))
    final = not plan.has_other_changes and all(change.forget for change in plan.changes)
    added = tuple(change.id for change in plan.changes) if plan.kind == "add" else ()
    return Applied(operation.id, action, changed, tuple(left), bool(failures), final, added)


def _change_issues(
    backend: Backend,
    plan: Plan,
    left: list[Notice],
    failures: list[StoreError],
    goes_on: GoesOn | None,
) -> tuple[int, bool]:
    """Change the records of a plan, issue by issue; how many were changed, and whether it came to
    the end. What could not be written is left, and its error is among the `failures`.
    """
    changed = 0
    issues = list(_by_issue(plan))
    for number, (issue, changes) in enumerate(issues):
        if goes_on is not None and not goes_on(number, len(issues)):
            left.append(notice("stopped", left=len(issues) - number, of=len(issues)))
            return changed, False
        try:
            with backend.changing(issue) as records:
                done, stayed = _apply_issue(records, changes)
        except StoreError as error:
            failures.append(error)
            left.append(_failure_of(issue, error))
            continue
        changed += done
        left += stayed
    return changed, True


def _failure_of(issue: int, error: StoreError) -> Notice:
    return notice(
        "issue-changed" if isinstance(error, NotSynced) else "issue-not-changed",
        issue=issue,
        text=error.message,
    )


def _move_all(backend: Backend, plan: Plan, left: list[Notice]) -> int:
    """Move files whole; one whose source is gone or whose target exists is left, and named."""
    moved, files = 0, backend.files
    for move in plan.moves:
        try:
            if files is None:
                raise InvalidObservation(f"{move.source!r} is not a file that repairs move.", "")
            moved += files.move(move.source, move.target)
        except (Conflict, InvalidObservation) as error:
            left.append(quoted(error.message))
    return moved


def discard(backend: Backend, operation: Operation, error: StoreError | None = None) -> None:
    """Take an operation that changed nothing out of the history.

    What a failed write ended may have changed something all the same: that stays, to be taken back.
    Where this fails it stays there too, and taking it back does nothing: the error that is raised
    is why nothing was done.
    """
    with suppress(StoreError), backend.locked():
        failed = isinstance(error, WriteFailed | ReadOnly)
        if not (failed and _has_changed(backend, operation.plan)):
            forget(backend, operation.id)


def _has_changed(backend: Backend, plan: Plan) -> bool:
    """True if anything that a plan changes is not as it was before; of files that move, it may."""
    if plan.moves or any(_is_issue_changed(backend, *changes) for changes in _by_issue(plan)):
        return True
    if plan.layout is not None and layout_of(backend) is not plan.layout.before:
        return True
    if plan.clarifications:
        from store.operations.clarifications import are_clarifications_changed

        if are_clarifications_changed(backend, plan):
            return True
    return are_texts_changed(backend, plan)


def _is_issue_changed(backend: Backend, issue: int, changes: list[Change]) -> bool:
    """Return whether an issue shows other records than before, as far as it can be read.

    A copy in the archive shows nothing while the issue file has the record.
    """
    records = backend.read(issue)
    in_issue = {change.id for change in changes if change.location is Location.ISSUE}
    return any(
        not has_same_content(records.find(change.location, change.id), change.before)
        for change in changes
        if change.location is Location.ISSUE or change.id not in in_issue
        if records.unread(change.location) is None
    )


def _by_issue(plan: Plan) -> Iterator[tuple[int, list[Change]]]:
    issues: dict[int, list[Change]] = {}
    for change in plan.changes:
        issues.setdefault(change.issue, []).append(change)
    yield from issues.items()


def _apply_issue(records: IssueRecords, changes: list[Change]) -> tuple[int, list[Notice]]:
    """Make the changes whose records are still what the plan saw.

    Changes of the same id belong together (a move between locations): all of them or none. Raises
    `Unreadable` where a record may be in a file that can't be read.
    """
    missing = [
        change
        for change in changes
        if change.before and records.find(change.location, change.id) is None
    ]
    check_read(records, *dict.fromkeys(change.location for change in missing))
    done = 0
    left: list[Notice] = []
    by_id: dict[str, list[Change]] = {}
    for change in changes:
        by_id.setdefault(change.id, []).append(change)
    for identifier, together in by_id.items():
        pairs = [(records.find(change.location, identifier), change) for change in together]
        if all(_is_done(now, change) for now, change in pairs):
            continue
        # What an earlier failure left half done is as it should be already.
        is_known = all(
            has_same_content(now, change.before) or has_same_content(now, change.after)
            for now, change in pairs
        )
        if not is_known or _is_elsewhere(records, together):
            left.append(notice("memory-changed-since", id=identifier, issue=records.issue))
            continue
        # Of what is in both files, the issue file's counters hold.
        held = next(filter(None, (records.find(location, identifier) for location in Location)), {})
        for change in together:
            if change.after is None:
                records.drop(change.location, identifier)
            else:
                records.put(change.location, _with_use(change, held), change.place)
        done += 1
    return done, left


def _is_elsewhere(records: IssueRecords, changes: list[Change]) -> bool:
    """Return whether another version of a record that comes is in the other location by now."""
    seen = {change.location for change in changes}
    others = [
        records.find(location, changes[0].id) for location in Location if location not in seen
    ]
    return any(
        other is not None
        and not has_same_content({**other, _FLAG: None}, {**change.after, _FLAG: None})
        for change in changes
        if change.before is None and change.after is not None
        for other in others
    )


def _is_done(now: dict[str, Any] | None, change: Change) -> bool:
    after = change.after
    if after is None or now is None or not has_same_content(now, after):
        return after is None and now is None
    return all(now.get(key) == after.get(key) for key in change.scores)


def _with_use(change: Change, now: dict[str, Any]) -> dict[str, Any]:
    """Return the record to write, with the counters of its use as they are now, but for those
    that the change sets.
    """
    counters = {key: now[key] for key in COUNTERS - change.scores if key in now}
    return {**(change.after or {}), **counters}


def change_texts(backend: Backend, plan: Plan, left: list[Notice]) -> int:
    """Change the texts of a plan; how many were changed. One that has changed since is left: it is
    named, unless it only goes with records that are changed; so is one that can't be opened. Raises
    as writing does.
    """
    if not plan.texts:
        return 0
    done = 0
    with backend.locked():
        for change in plan.texts:
            try:
                now = _text_now(backend, change)
            except Unopened as error:
                left.append(quoted(error.message))
                continue
            if now == change.after:
                continue
            if now != change.before:
                left += [] if plan.changes else [notice("changed-since", what=change.path)]
                continue
            if change.after is None:
                backend.texts.remove(change.kind, change.name)
                if change.kind is TextKind.SESSIONS:  # its messages go with it
                    backend.texts.remove(TextKind.MESSAGES, change.name)
            else:
                backend.texts.keep(change.kind, change.name, as_json(change.after))
            done += 1
    return done


def are_texts_changed(backend: Backend, plan: Plan) -> bool:
    """Return whether a plan's texts are others than before it, as far as they can be read."""
    try:
        return any(_text_now(backend, change) != change.before for change in plan.texts)
    except Unopened:
        return True


def _text_now(backend: Backend, change: TextChange) -> object:
    """Return a text as it is; None where it is gone, and what is no JSON as it can't be meant.

    Raises `Unopened`.
    """
    try:
        return json.loads(backend.texts.read(change.kind, change.name))
    except NotFound:
        return None
    except Unopened:
        raise
    except (Unreadable, ValueError, RecursionError):
        return b"unreadable"


def layout_of(backend: Backend) -> Layout:
    """Return the layout of files; by issue where there are none."""
    return Layout.PER_ISSUE if backend.files is None else backend.files.layout


def plan_layout(backend: Backend, layout: Layout) -> Plan:
    """Return a plan that has each memory, or each issue, written to a file of its own.

    Empty where all of them are. Raises `Unreadable`.
    """
    before, files = layout_of(backend), backend.files
    other = set() if files is None else files.other_layout()
    there = len(backend.issues() if before is not layout else other)
    action = Action(ActionKind.LAYOUT, {"issues": there, "each": int(layout is Layout.EACH)})
    if before is layout and not there:
        return Plan(action)
    return Plan(action, layout=LayoutChange(before, layout))


def change_layout(
    backend: Backend, change: LayoutChange, left: list[Notice], goes_on: GoesOn | None = None
) -> int:
    """Write every issue in a layout, each atomically; how many were written.

    What is written from now on follows the layout from the start. An issue that could not be
    written is named in `left`, and is read as it is; where none could be, all stays as it was.
    Raises `ReadOnly`, `WriteFailed`.
    """
    files = backend.files
    if files is None:
        raise InvalidObservation("This memory has no files.", "")
    files.set_layout(change.after)
    issues = sorted(files.other_layout())
    done = 0
    for number, issue in enumerate(issues):
        if goes_on is not None and not goes_on(number, len(issues)):
            left.append(notice("stopped", left=len(issues) - number, of=len(issues)))
            break
        try:
            with backend.changing(issue) as records:
                hidden = list(filter(None, map(records.unread, Location)))
            done += bool(records.parts)
            left += (
                notice(
                    "issue-changed-in-part" if records.parts else "issue-not-changed",
                    issue=issue,
                    text=problem.message,
                )
                for problem in hidden
            )
        except StoreError as error:
            left.append(_failure_of(issue, error))
    if issues and not done:
        files.set_layout(change.before)
    return done
