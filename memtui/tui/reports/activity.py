"""Activity: what happened to memory, when, by whom, how much; it follows the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from rich.cells import cell_len
from textual.content import Content

from memtui.formatting import age, count, fit, memories, moment, plural
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain
from memtui.tui.frame.route import Context
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.reports.history import operation_diff
from memtui.tui.reports.overview import Details, OverviewList, OverviewScreen
from memtui.tui.widgets.title_bar import TitleBar
from memtui.words.notices import capture_in_words, problem_in_words
from memtui.words.recall import injected_in_words
from memtui.words.sentences import title
from store import Memory
from store.activity.kinds import CAPTURED, FAILED, SHORTENED, STORED, WARNING
from store.activity.log import ActivityEntry, ActivityLog
from store.errors import StoreError
from store.text.display import visible

TAKEN_IN = "taken-in"
WORDS: Mapping[str, str] = MappingProxyType(
    {
        "add": "added",
        "compact": "compacted",
        "edit": "edited",
        "import": "imported",
        "prune": "pruned",
        "remove": "removed",
        "repair": "repaired",
        "pin": "pinned",
        "unpin": "unpinned",
        "mute": "muted",
        "unmute": "unmuted",
        "mark": "marked",
        "tag": "tagged",
        "close": "closed",
        "reopen": "reopened",
        "merge": "merged",
        "asked-again": "asked again",
        TAKEN_IN: "indexed",
    }
)
"""Kinds of operations as what happened."""
LOOKS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        STORED: ("+", "$text-success"),
        CAPTURED: ("↓", "$text-success"),
        "recalled": ("↑", "$category-decision"),
        "archived": ("▾", "$text-warning"),
        "restored": ("▴", "$text-success"),
        "compact": ("≡", "$category-lesson"),
        "prune": ("≈", "$category-lesson"),
        "edit": ("~", "$dim"),
        "remove": ("−", "$text-error"),
        "import": ("»", "$text-success"),
        "approve": ("✓", "$text-success"),
        "take-back": ("−", "$text-warning"),
        "repair": ("✓", "$text-success"),
        TAKEN_IN: ("↓", "$dim"),
        "asked": ("?", "$accent-text"),
        "asked-again": ("?", "$text-warning"),
        "answered": ("→", "$accent-text"),
        "resolved": ("✓", "$text-success"),
        "escalated": ("!", "$text-warning"),
        "undone": ("‹", "$text-warning"),
        "redone": ("›", "$text-warning"),
        FAILED: ("×", "$text-error"),
        SHORTENED: ("−", "$dim"),
        WARNING: ("!", "$text-warning"),
    }
)
"""Mark and colour of each kind of entry."""
_ID = 6
"""Characters of an id that name it."""
_NEWEST = 500
"""Lines of the log that are shown."""

_COUNTED = {
    "skipped": "skipped",
    "seenAgain": "seen before",
    "waiting": "to approve",
    "keptBack": "kept yours, not for the team",
}
"""Numbers in a line of the log, each with the words that follow it."""


class ActivityList(OverviewList[ActivityEntry]):
    """One entry a line: how long ago, what, by whom, where, how much."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._now = now
        self._widths = (0, 0, 0)

    def show(self, entries: Sequence[ActivityEntry]) -> None:
        """Show these. At the top the cursor follows the newest; elsewhere it stays on its line."""
        line = self.cursor - self.scroll_offset.y
        self._widths = (
            max((cell_len(_kind(item)) for item in entries), default=0),
            max((cell_len(item.agent) for item in entries), default=0),
            max((cell_len(_issue(item)) for item in entries), default=0),
        )
        self.list_rows(entries, keep=self.cursor > 0)
        if self.cursor:
            self.scroll_to(y=self.cursor - line, animate=False, force=True, immediate=True)

    def text_of(self, row: ActivityEntry, heading: str) -> str:
        return " ".join((row.kind, _kind(row), row.agent, _issue(row), in_words(row), row.session))

    def draw(self, row: ActivityEntry, index: int, width: int) -> Content:
        kind, agent, issue = self._widths
        mark, style = LOOKS.get(row.kind, ("·", "$dim"))
        ago = age(row.time, self._now()) if row.time else ""
        parts: list[Content | str | tuple[str, str]] = [
            self.cursor_mark(index),
            (fit(ago, 4, align="right"), "$dim"),
            "  ",
            (f"{mark} {fit(_kind(row), min(kind, 12))}", style),
            "  ",
        ]
        if agent and width >= 60:
            room = min(agent, 20 if width >= 100 else 12)
            parts += [fit(visible(row.agent, newlines=False), room), " "]
        if issue and width >= 48:
            parts += [(fit(_issue(row), min(issue, 8), align="right"), "$dim"), "  "]
        lead = Content.assemble(*parts)
        tokens = fit(count(row.tokens) if row.text else "", 7, align="right")
        room = max(0, width - lead.cell_length - len(tokens) - 2)
        said_style = "$text-error" if row.kind == FAILED else ""
        words = fit(visible(f"{in_words(row)}{_which(row)}", newlines=False), room)
        return Content.assemble(lead, (words, said_style), (f" {tokens} ", "$dim"))


class ActivityScreen(OverviewScreen):
    MANUAL_PAGE = "screens/activity.md"
    BINDINGS = bindings("activity")

    def __init__(self, context: Context, route: routes.Activity) -> None:
        self._list = ActivityList(context.now)
        self._refresh_every = context.refresh_every
        self._log: ActivityLog | None = None
        self._drawn_at = context.now()
        super().__init__(context, self._list, "Activity")

    def on_mount(self) -> None:
        if self._refresh_every:
            self.set_interval(self._refresh_every, self.action_reload)

    async def read(self) -> None:
        before = self._log
        self._log = log = await ask(self.memory.activity, _NEWEST, before)
        self._show_capture(log)
        if log is not before:
            self._show(log)
        elif (self.now() - self._drawn_at).total_seconds() >= 60:
            self._drawn_at = self.now()
            self._list.refresh()  # ages have moved on

    def _show(self, log: ActivityLog) -> None:
        self._list.show(log.entries)
        if log.entries:
            of = f"{count(len(log.entries))} of " if len(log.entries) < log.total else ""
            self.show_rows(f"{of}{count(log.total)}")
        else:
            self.show_message(
                "Nothing has happened yet.",
                "What is stored, injected, compacted and undone appears here.",
                "To capture sessions automatically:  memtui hooks install",
            )

    def _show_capture(self, log: ActivityLog) -> None:
        text = capture_in_words(log.capture, self.now())
        failing = log.capture.failing_since is not None
        self.query_one(TitleBar).fact = "" if failing else text.rstrip(".") or "no capture yet"
        self.notice(f"{text} {log.capture.message}" if failing else "")

    def details(self) -> Details:
        memory, item, now = self.memory, self._list.at, self.now()
        return lambda: entry_details(memory, item, now) if item is not None else []


def _which(item: ActivityEntry) -> str:
    """Return the end of the id of the only memory that was changed: several edits look alike."""
    is_one = item.action is not None and item.count == 1 and len(item.ids) == 1
    return f"  {item.ids[0][-_ID:]}" if is_one else ""


def in_words(item: ActivityEntry) -> str:
    if item.text:
        return f"Injected {', '.join(injected_in_words(item.injected)) or memories(0)}"
    if item.kind in (FAILED, WARNING):
        return problem_in_words(item.problem, item.message, item.took)
    if item.action is not None:
        return title(item.action)
    if "clarification" in item.more:
        return f"{item.more['clarification']} {item.message}"
    if item.kind == SHORTENED:
        return f"Removed {plural(item.count, 'old entry', 'old entries')} of this log"
    some = memories(item.count)
    if item.kind == TAKEN_IN:
        return f"Indexed {plural(item.count, 'session')}"
    if item.kind == CAPTURED:
        return f"Captured {some}" if item.count else "Nothing to capture"
    return some if item.count else ""


def entry_details(memory: Memory, item: ActivityEntry, now: datetime) -> list[Paragraph]:
    """Return all that is known of an entry: facts, then the text, the diff or the observations."""
    text = in_words(item)
    facts = [
        f"{_kind(item)} ({item.problem})" if item.problem else _kind(item),
        moment(item.time, now) if item.time else "",
        item.agent,
        _issue(item),
        plural(item.tokens, "token") if item.text else "",
        f"took {item.took:,.0f} ms" if item.took else "",
        f"session {item.session}" if item.session else "",
        *(_more(name, value) for name, value in item.more.items()),
    ]
    lines = [
        plain(visible(text, newlines=False), "bold"),
        plain(" · ".join(visible(fact, newlines=False) for fact in facts if fact), "$dim"),
        BLANK,
    ]
    if item.text:
        return lines + _injection(memory, item.text)
    if item.operation and item.kind not in (STORED, CAPTURED):
        return lines + operation_diff(memory, item.operation)
    return lines + [_observation(memory, identifier) for identifier in item.ids]


def _more(name: str, value: object) -> str:
    """Further facts of a line of the log in words; empty where there are none."""
    if name == "afresh":
        return "in a new context" if value is True else ""
    if name in _COUNTED:
        return f"{value:,} {_COUNTED[name]}" if isinstance(value, int) and value else ""
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    return f"{name} {value}"


def _injection(memory: Memory, name: str) -> list[Paragraph]:
    try:
        text = memory.recall.injected_text(name)
    except StoreError as error:
        return [plain(visible(error.full_message), "$dim")]
    return [plain(visible(line, newlines=False)) for line in text.split("\n")]


def _observation(memory: Memory, identifier: str) -> Paragraph:
    try:
        entry = memory.get_redacted(identifier, fresh=False)
    except StoreError:
        gone = f"· {visible(identifier, newlines=False)} is no longer in the store"
        return Paragraph(Content.styled(gone, "$dim"), hang=2)
    return Paragraph(
        Content.assemble(
            (f"{mark_of(entry.category)} ", color_of(entry.category)),
            visible(entry.summary, newlines=False),
        ),
        hang=2,
    )


def _kind(item: ActivityEntry) -> str:
    return visible(WORDS.get(item.kind, item.kind), newlines=False)


def _issue(item: ActivityEntry) -> str:
    return "" if item.issue is None else f"#{item.issue}"
