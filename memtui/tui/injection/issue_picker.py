"""Pick an issue from a counted list."""

from __future__ import annotations

from collections.abc import Mapping

from memtui.tui.dialogs.picker import Choice, PickScreen

ALL = -1
"""Stands for all issues."""


class IssuePicker(PickScreen[int]):
    """Issues, the newest number first; gives the issue, ALL or None."""

    def __init__(self, counts: Mapping[int, int], chosen: tuple[str, ...]) -> None:
        """`counts` of observations by issue; `chosen` are the numbers picked so far."""
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
