"""The draft of a capture: a plan's memories as the user edits, drops and files them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from memtui.formatting import plural
from store.capture.plan import Captured, CapturePlan
from store.records import first_line


class DraftRow(NamedTuple):
    """A memory to be stored, at its place among all, and what the user did with it."""

    place: int
    captured: Captured
    is_dropped: bool = False
    is_edited: bool = False


class Draft:
    """A plan, and a row for each of its memories; `plan.kept` stays as it was planned."""

    def __init__(self, plan: CapturePlan) -> None:
        self.plan = plan
        self.rows = [DraftRow(place, captured) for place, captured in enumerate(plan.kept)]

    @property
    def is_changed(self) -> bool:
        """A row was edited or is dropped."""
        return any(row.is_dropped or row.is_edited for row in self.rows)

    @property
    def chosen(self) -> CapturePlan:
        """The plan of the rows that are not dropped."""
        kept = tuple(row.captured for row in self.rows if not row.is_dropped)
        return replace(self.plan, kept=kept)

    def toggle(self, row: DraftRow) -> None:
        """Drop a row, or keep one that is dropped."""
        self.rows[row.place] = row._replace(is_dropped=not row.is_dropped)

    def edit(self, row: DraftRow, fields: Mapping[str, Any]) -> None:
        """Set fields of a memory; a summary that is the content's first line follows it."""
        before, fields = row.captured.observation, dict(fields)
        if "content" in fields and before.summary == first_line(before.content):
            fields.setdefault("summary", first_line(fields["content"]))
        captured = row.captured._replace(observation=before._replace(**fields))
        self.rows[row.place] = DraftRow(row.place, captured, is_edited=True)

    def file_under(self, issue: int) -> None:
        """Move the memories of the plan's issue to another; one that was edited away stays."""
        self._change("issue_number", self.plan.issue, issue)
        self.plan = replace(self.plan, issue=issue)

    def name_agent(self, agent: str) -> None:
        """Make the memories of the plan's agent those of another."""
        self._change("agent", self.plan.agent, agent)
        self.plan = replace(self.plan, agent=agent)

    def _change(self, field: str, before: object, after: Any) -> None:  # noqa: ANN401 - as it is
        for row in self.rows:
            observation = row.captured.observation
            if getattr(observation, field) == before:
                captured = row.captured._replace(observation=observation._replace(**{field: after}))
                self.rows[row.place] = row._replace(captured=captured)


def issue_in_words(plan: CapturePlan) -> str:
    """Return the issue of what a plan keeps, `#29`, or `2 issues`: an edit may choose another."""
    issues = {captured.observation.issue_number for captured in plan.kept} or {plan.issue}
    return f"#{issues.pop()}" if len(issues) == 1 else plural(len(issues), "issue")


def source_in_words(plan: CapturePlan) -> str:
    """Return `for claude-code`, or of a plan of several sessions `from 18 sessions`."""
    number = len(plan.sessions)
    return f"from {plural(number, 'session')}" if number else f"for {plan.agent}"
