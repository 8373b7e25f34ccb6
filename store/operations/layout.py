"""The layout of records in files, by issue or each by itself: planned, and changed by a plan."""

from __future__ import annotations

from store.action import Action, ActionKind
from store.backends.protocol import Backend
from store.errors import InvalidObservation, StoreError
from store.model import Layout, Location
from store.notice import Notice, notice
from store.operations.outcome import Outcome, failed_issue_notice, stopped_notice
from store.operations.plan import GoesOn, LayoutChange, Plan


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


def change_layout(backend: Backend, change: LayoutChange, goes_on: GoesOn | None = None) -> Outcome:
    """Write every issue in a layout, each atomically. Raises `ReadOnly`, `WriteFailed`.

    What is written from now on follows the layout from the start. An issue that could not be
    written is left, and is read as it is; where none could be, all stays as it was.
    """
    files = backend.files
    if files is None:
        raise InvalidObservation("This memory has no files.", "")
    files.set_layout(change.after)
    issues = sorted(files.other_layout())
    written = 0
    left: list[Notice] = []
    for number, issue in enumerate(issues):
        if goes_on is not None and not goes_on(number, len(issues)):
            left.append(stopped_notice(number, len(issues)))
            break
        try:
            with backend.changing(issue) as records:
                hidden = list(filter(None, map(records.unread, Location)))
            written += bool(records.parts)
            left += (
                notice(
                    "issue-changed-in-part" if records.parts else "issue-not-changed",
                    issue=issue,
                    text=problem.message,
                )
                for problem in hidden
            )
        except StoreError as error:
            left.append(failed_issue_notice(issue, error))
    if issues and not written:
        files.set_layout(change.before)
    return Outcome(written, tuple(left))
