"""Pick an issue by its number, its key, or words of what sessions on it were about."""

from __future__ import annotations

from collections.abc import Mapping

from memtui.tui import routes
from memtui.tui.dialogs.picker import Choice, PickScreen
from memtui.tui.message import Message
from memtui.tui.route import Context
from memtui.tui.worker import Tell, ask
from store.model import issue_named
from store.values import issue_for

ALL = -1
"""Stands for all issues."""
_LONGEST = 9
"""Digits of an issue's number."""


class TitlesRead(Message, bubble=False):
    """What issues are about, as far as a session says so."""

    titles: Mapping[int, str]


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
            placeholder="type a number, a key, or words",
            anywhere=False,
            other=_typed if route.free else lambda typed: None,
        )
        self._memory = context.memory

    def on_mount(self) -> None:
        """Ask what the issues are about."""
        super().on_mount()
        ask(self, self._read_titles, group="titles")

    def _read_titles(self, tell: Tell) -> None:
        titles: dict[int, str] = {}
        for digest in self._memory.sessions():
            about = digest.asked[0] if digest.asked else digest.branch
            if digest.issue and about:
                titles.setdefault(digest.issue, f"{digest.branch}  {about}".strip())
        tell(TitlesRead(titles))

    def on_titles_read(self, event: TitlesRead) -> None:
        """Show it, and find issues by it."""
        if event.titles:
            self._list.describe(event.titles, self.typed)


def _typed(typed: str) -> Choice[int] | None:
    """The issue of a number or a key (`ENT-98`) that memory holds nothing of."""
    named = typed.strip()
    found = issue_named(named) or issue_for(environ={}, branch=named)
    if not found or len(str(found)) > _LONGEST:
        return None
    return Choice(found, f"#{found}  no memories", str(found), 0)
