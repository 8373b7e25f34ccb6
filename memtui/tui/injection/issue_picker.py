"""Filter by issue."""

from __future__ import annotations

from memtui.tui import routes
from memtui.tui.dialogs.picker import Choice, PickScreen
from memtui.tui.routes import Context

ALL = -1
"""Stands for all issues."""


class IssuePicker(PickScreen[int]):
    """Issues, the newest number first; gives the issue, ALL or None."""

    def __init__(self, context: Context, route: routes.PickIssue) -> None:
        counts, chosen = route.counts, route.chosen
        issues = [
            Choice(
                number,
                f"#{number}" + ("" if number else "  project"),
                str(number),
                counts[number],
                str(number) in chosen,
            )
            for number in sorted(counts, reverse=True)
        ]
        super().__init__(
            "Issues",
            [Choice(ALL, "all issues", "", sum(counts.values())), *issues],
            placeholder="type a number",
            restrict=r"[0-9]{0,9}",
            anywhere=False,
        )
