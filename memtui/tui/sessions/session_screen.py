"""A session opened: the conversation in a form to read, and what can be done with it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.reactive import reactive
from textual.screen import Screen

from memtui.formatting import count, memories, moment, plural
from memtui.tui.dialogs.choices import pick_category
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.route import Context, Open
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.frame.toasts import toast, toast_error
from memtui.tui.operations import OperationEnded, PreviewPlan, Proposal
from memtui.tui.sessions.rows import issue_of, length, one_line, project_of
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import EmptyState, StatusLine, Titled
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.title_bar import TitleBar
from memtui.words.recall import injected_in_words
from store import Memory
from store.agents.client import Home
from store.agents.registry import NAMES, client_named
from store.errors import NotFound, StoreError
from store.model import Hit, Observation
from store.platform.links import is_folder
from store.sessions.conversation import (
    Conversation,
    Entry,
    EntryKind,
    Outcome,
    line_of,
    shown_output,
)
from store.sessions.documents import ended
from store.text.display import visible
from store.usage.values import Counts

_MOST = 2_000
"""Characters of a passage that become a memory's content."""
_LONG, _SHOWN = 40, 24
"""Lines from which a message is folded, and how many of it are shown then."""
_MOST_OUTPUT = 200
"""Lines of a tool's answer that are shown when it is unfolded."""
_MARKS = {
    Outcome.DONE: ("√", "$text-success"),
    Outcome.FAILED: ("×", "$text-error"),
    Outcome.UNKNOWN: ("?", "$text-warning"),
}
_SAID = frozenset({EntryKind.REQUEST, EntryKind.ANSWER})


class SessionScreen(Screen[None]):
    """One conversation; Esc goes back."""

    CSS_PATH = str(Path(__file__).with_name("sessions.tcss"))
    AUTO_FOCUS = "#conversation"
    MANUAL_PAGE = "screens/sessions.md"
    BINDINGS = bindings("session")

    def __init__(self, context: Context, route: routes.Session) -> None:
        super().__init__()
        self.memory: Memory = context.memory
        self._route = route
        self._now = context.now
        self._place = context.place
        self._opened: Conversation | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar(id="title")
        yield StatusLine(id="session-facts")
        yield EmptyState(id="empty")
        yield ConversationView(self._now())
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(TitleBar).place = self._place
        self._show_notice("Reading the session …")
        self._read()

    @exclusive_worker(group="session")
    async def _read(self) -> None:
        memory, route = self.memory, self._route
        known = (route.memory,) if route.memory else ()
        opened = await ask(
            lambda report: memory.sessions.open(
                route.id, memory.session_files.of_project(Home.of_user()), report, known
            ),
            report_to=self._show_far,
        )
        counts = (await ask(memory.known_usage)).of_session(opened.digest.id)
        first, self._opened = self._opened is None, opened
        digest, view = opened.digest, self.query_one(ConversationView)
        self.query_one("#session-facts", StatusLine).show_message(self._facts(opened, counts))
        if not opened.entries:
            self._show_notice("This session is empty.")
            return
        self.query_one(EmptyState).display = False
        view.display = True
        title = visible(digest.asked[0] if digest.asked else digest.id, newlines=False)
        view.set_title(title, plural(digest.messages, "message"))
        view.show(opened.entries, self._goal(opened.entries) if first else None)
        self.set_focus(view)

    def _show_far(self, done: int, total: int) -> None:
        if self._opened is None:
            megabytes = max(1, total // 1_000_000)
            far = megabytes * done // max(1, total)
            empty = self.query_one(EmptyState)
            empty.progress("Reading the session …", far, megabytes, "MB", "")

    def _show_notice(self, sentence: str, *more: str) -> None:
        empty = self.query_one(EmptyState)
        empty.set_title("Session")
        empty.show_message(sentence, *more)
        empty.display = True
        self.query_one(ConversationView).display = False
        self.set_focus(empty)

    def _facts(self, opened: Conversation, counts: Counts) -> str:
        digest = opened.digest
        facts = [
            project_of(digest),
            digest.agent,
            digest.branch,
            issue_of(digest),
            moment(ended(digest), self._now()),
            length(digest),
            plural(len(digest.changed), "file") + " changed" if digest.changed else "",
            f"told {counts.told}, used {counts.used}" if counts.told else "",
            "" if digest.ended_well else "interrupted",
            "" if opened.whole else "its file is gone; this is the stored summary",
        ]
        return " · ".join(visible(fact, newlines=False) for fact in facts if fact)

    def _goal(self, entries: Sequence[Entry]) -> int:
        if self._route.memory:
            found = (at for at, it in enumerate(entries) if it.id == self._route.memory)
            return next(found, 0)
        line = line_of(self._route.message)
        said = (EntryKind.REQUEST, EntryKind.ANSWER)
        return next(
            (at for at, it in enumerate(entries) if line and it.line == line and it.kind in said), 0
        )

    @property
    def _view(self) -> ConversationView:
        return self.query_one(ConversationView)

    def on_row_list_moved(self) -> None:
        self.refresh_bindings()

    @on(RowList.Chosen, "#conversation")
    @exclusive_worker(group="memory")
    async def _unfold(self) -> None:
        entry = self._view.entry
        if entry is not None and entry.kind is EntryKind.CAPTURED:
            found = await ask(self.memory.get_redacted, entry.id, fresh=False)
            self.post_message(Open(routes.OneMemory(Hit(found, 0.0))))
        else:
            self._view.toggle()

    def action_capture(self) -> None:
        entry, opened = self._view.entry, self._opened
        passage = self._view.passage[:_MOST]
        if entry is None or opened is None or not passage:
            toast(self.app, "Nothing to capture here.")
            return
        digest = opened.digest

        def picked(category: str | None) -> None:
            if category is None:
                return
            blank = Observation(
                agent=digest.agent or "user",
                issue_number=digest.issue,
                category=category,
                content=passage,
                session_id=digest.id,
                sources=(f"session:{digest.id}#{entry.line}",),
                tags=("from-session",),
            )
            self._view.begun_at = None
            self.post_message(
                PreviewPlan(lambda memory: Proposal.of(memory.sessions.plan_passage(blank)))
            )

        self.post_message(Open(pick_category(), picked))

    def action_find(self) -> None:
        def typed(words: str | None) -> None:
            if words and not self._view.find(words):
                toast(self.app, f"“{words}” is not in this session.")
            self.refresh_bindings()

        asked = routes.Prompt("Find", "Words in this session", self._view.words, verb="apply")
        self.post_message(Open(asked, typed))

    def action_find_again(self, way: int) -> None:
        self._view.find_again(way)

    def on_operation_ended(self, event: OperationEnded) -> None:
        self._read()

    def action_copy_resume(self) -> None:
        if self._opened is None:
            return
        digest = self._opened.digest
        client = client_named(digest.agent) if digest.agent in NAMES else None
        words = client.resume_command(digest.id) if client else ()
        if not words:
            name = client.title if client else digest.agent or "This client"
            toast(self.app, f"{name} can't resume a session by command.")
            return
        command = shlex.join(words)
        if self._opened.folder and is_folder(self._opened.folder):
            command = f"cd {shlex.quote(self._opened.folder)} && {command}"
        self.app.copy_to_clipboard(command)
        toast(self.app, f"Copied  {visible(command, newlines=False)}")

    def action_file_sessions(self) -> None:
        entry = self._view.entry
        if entry is not None and entry.files:
            path = entry.files[0]
            value = f'"{path}"' if " " in path or "," in path else path
            everywhere = self.memory.is_everywhere
            route = (routes.SessionsEverywhere if everywhere else routes.Sessions)(f"file:{value}")
            self.post_message(Open(route, memory=self.memory))

    def action_leave(self) -> None:
        if self._view.begun_at is not None:
            self._view.begun_at = None
        elif self._view.words:
            self._view.find("")
            self.refresh_bindings()
        else:
            self.dismiss()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "capture" and self.memory.is_everywhere:
            return False
        if action in ("capture", "copy_resume"):
            return self._opened is not None
        if action == "find_again":
            return self._opened is not None and bool(self._view.words)
        if action == "file_sessions":
            entry = self._view.entry if self._opened is not None else None
            return bool(entry and entry.files)
        return True

    def failed(self, error: StoreError) -> None:
        if self._opened is None or isinstance(error, NotFound):
            self._show_notice(error.message, error.hint)
        else:
            toast_error(self.app, error)


class Line(NamedTuple):
    """A line: the place of its entry, a mark of two cells and its colour, text and its style.

    `goes_on`: it was one line with the one before, and was wrapped. `said` is False for what the
    screen adds to the words of the conversation.
    """

    entry: int
    text: str
    mark: str = ""
    color: str = ""
    style: str = ""
    goes_on: bool = False
    said: bool = True


def lines_of(
    entries: Sequence[Entry], width: int, unfolded: frozenset[int], now: datetime
) -> list[Line]:
    """The lines of a conversation for so many cells; the entries at `unfolded` are shown whole."""
    found: list[Line] = []
    before: EntryKind | None = None
    for at, entry in enumerate(entries):
        beside = entry.kind is EntryKind.CAPTURED
        if before is not None and not beside and (entry.kind in _SAID or before in _SAID):
            found.append(Line(at, "", said=False))
        found += _lines(at, entry, width, at in unfolded, now)
        before = entry.kind
    return found


def passage_of(lines: Sequence[Line]) -> str:
    text = ""
    for line in lines:
        if line.said:
            text += (" " if line.goes_on else "\n" if text else "") + line.text
    return text.strip()


def _lines(at: int, entry: Entry, width: int, whole: bool, now: datetime) -> Iterator[Line]:
    if entry.kind in _SAID:
        yield from _message(at, entry, width, whole, now)
        return
    yield _head(at, entry, whole)
    if whole:
        text = shown_output(entry) if entry.kind is EntryKind.TOOL else entry.text
        if entry.kind is EntryKind.TOLD and not text:
            text = "The text has expired."
        shown = _wrapped(visible(text), width - 6)
        for line, goes_on in shown[:_MOST_OUTPUT]:
            yield Line(at, f"    {line}", style="$dim", goes_on=goes_on)
        if len(shown) > _MOST_OUTPUT:
            more = f"    … {plural(len(shown) - _MOST_OUTPUT, 'more line')}"
            yield Line(at, more, style="$dim", said=False)


def _message(at: int, entry: Entry, width: int, whole: bool, now: datetime) -> Iterator[Line]:
    asks = entry.kind is EntryKind.REQUEST
    mark, color = ("┃", "$accent-text") if asks else ("", "")
    if asks and entry.at:
        yield Line(at, moment(entry.at, now), mark, color, "$dim", said=False)
    shown = _wrapped(visible(entry.text), width - 2)
    folds = len(shown) > _LONG and not whole
    style = "bold" if asks else ""
    for line, goes_on in shown[:_SHOWN] if folds else shown:
        yield Line(at, line, mark, color, style, goes_on)
    if folds:
        more = f"… {plural(len(shown) - _SHOWN, 'more line')}"
        yield Line(at, more, mark, color, "$dim", said=False)


def _head(at: int, entry: Entry, whole: bool) -> Line:
    fold = "▾" if whole else "▸"
    if entry.kind is EntryKind.TOOL:
        mark, color = _MARKS[entry.outcome]
        why = "no answer" if entry.outcome is Outcome.UNKNOWN else entry.result
        text = f"{entry.name}  {entry.text}" + (f"  · {why}" if why else "")
        style = "$text-error" if entry.outcome is Outcome.FAILED else "$dim"
        return Line(at, one_line(text), mark, color, style)
    if entry.kind is EntryKind.TOLD:
        told = ", ".join(injected_in_words(entry.injected)) or memories(0)
        text = f"{fold} Memory injected {told}, {plural(entry.tokens, 'token')}"
        return Line(at, text, "↑", "$category-decision", "$category-decision", said=False)
    if entry.kind is EntryKind.CAPTURED:
        text = f"{mark_of(entry.name)} captured: {entry.text}"
        return Line(at, one_line(text), "+", "$text-success", color_of(entry.name), said=False)
    text = f"{fold} Summary the agent wrote, {count(len(entry.text))} characters"
    return Line(at, text, "≡", "$category-lesson", "$category-lesson", said=False)


def _wrapped(text: str, width: int) -> list[tuple[str, bool]]:
    """Return a text in lines of at most `width` cells, each with whether it goes on from the one
    before.

    Written for speed: a session may hold a million characters.
    """
    width = max(8, width)
    found = []
    for line in text.split("\n"):
        goes_on = False
        plain = line.isascii()
        while len(line) > width if plain else cell_len(line) > width:
            head = line[:width] if plain else set_cell_size(line, width).rstrip()
            cut = head.rfind(" ")
            cut = cut if cut > width // 3 else max(1, len(head))
            found.append((line[:cut].rstrip(), goes_on))
            line, goes_on = line[cut:].lstrip(" "), True
        found.append((line, goes_on))
    return found


class ConversationView(Titled, RowList[Line]):
    BINDINGS = bindings("conversation")

    begun_at: reactive[int | None] = reactive(None)
    """Where the range began that ends at the cursor."""

    def __init__(self, now: datetime) -> None:
        super().__init__(id="conversation")
        self._now = now
        self._entries: Sequence[Entry] = ()
        self._unfolded: frozenset[int] = frozenset()
        self.words = ""
        """Looked for in the conversation."""
        self._width = 0
        self._goal: int | None = None
        self._sought = False

    def show(self, entries: Sequence[Entry], at: int | None) -> None:
        self._entries = entries
        self._goal = at
        self.begun_at = None
        self._lay_out()

    @property
    def entry(self) -> Entry | None:
        return self._entries[self.rows[self.cursor].entry] if self.rows else None

    @property
    def passage(self) -> str:
        """The words that are chosen: the range, else the whole entry under the cursor."""
        if self.begun_at is not None:
            return passage_of([self.rows[at] for at in self._range()])
        entry = self.entry
        return "" if entry is None else (shown_output(entry) or entry.text).strip()

    def row(self, index: int, width: int) -> Content:
        line = self.rows[index]
        chosen = self.begun_at is not None and index in self._range()
        bar = ("▌", "$accent-text") if chosen else (" ", "")
        text = Content.styled(line.text, line.style)
        if self.words:
            found = re.compile(re.escape(self.words), re.IGNORECASE)
            text = text.highlight_regex(found, style="bold $accent-text underline")
        return Content.assemble(bar, (f"{line.mark:<2}", line.color or "$dim"), text)

    def on_resize(self) -> None:
        if self.scrollable_content_region.width != self._width:
            self._lay_out()

    def _lay_out(self) -> None:
        """Make the lines, the cursor and the beginning of a range staying on their entries."""
        width = self.scrollable_content_region.width
        if not width or not self._entries:
            return
        place = self._place_of(self.cursor)
        begun = None if self.begun_at is None else self._place_of(self.begun_at)
        self._width = width
        self.list_rows(lines_of(self._entries, width - 1, self._unfolded, self._now))
        self._sought = bool(self._goal)
        if self._goal is not None:
            place, begun, self._goal = (self._goal, 0), None, None
        self.cursor = self._line_of(*place)
        self.begun_at = None if begun is None else self._line_of(*begun)
        self.call_after_refresh(self._show_goal if self._sought else self.scroll_to_cursor)

    def _show_goal(self) -> None:
        """Scroll so that the lines before the cursor's are seen too."""
        above = self.scrollable_content_region.height // 3
        self.scroll_to(y=max(0, self.cursor - above), animate=False, force=True, immediate=True)

    def _place_of(self, line: int) -> tuple[int, int]:
        """The entry that a line belongs to, and how many lines below the entry's first it is."""
        if not self.rows:
            return 0, 0
        entry = self.rows[line].entry
        return entry, line - self._first_line(entry)

    def _line_of(self, entry: int, below: int) -> int:
        """Return the line so far below the first of an entry, its last where it has fewer."""
        last = sum(line.entry == entry for line in self.rows) - 1
        return self._first_line(entry) + min(below, max(0, last))

    def _first_line(self, entry: int) -> int:
        """Return the first line of an entry, that of its words where it has some."""
        lines = [(at, line) for at, line in enumerate(self.rows) if line.entry == entry]
        told = [at for at, line in lines if line.text]
        said = [at for at, line in lines if line.text and line.said]
        return next(iter([*said, *told]), 0)

    def _range(self) -> range:
        """Return the lines from the range's beginning to the cursor; what was wrapped is chosen
        whole: where it was cut depends on the screen's width, and no sentence ends.
        """
        first, last = sorted((self.begun_at or 0, self.cursor))
        while first and self.rows[first].goes_on:
            first -= 1
        while last + 1 < len(self.rows) and self.rows[last + 1].goes_on:
            last += 1
        return range(first, last + 1)

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        if self.begun_at is not None:
            self.refresh()

    def watch_begun_at(self) -> None:
        self.refresh()
        if self.is_mounted:
            self.screen.refresh_bindings()

    def action_range(self) -> None:
        self.begun_at = self.cursor if self.begun_at is None else None

    def action_request(self, way: int) -> None:
        if not self.rows:
            return
        here = self.rows[self.cursor].entry
        places = range(here + way, len(self._entries) if way > 0 else -1, way)
        asks = (at for at in places if self._entries[at].kind is EntryKind.REQUEST)
        place = next(asks, None)
        if place is not None:
            self.cursor = self._first_line(place)

    def find(self, words: str) -> bool:
        """Go to the next line with these words, unfolding what has them; true if there is one."""
        self.words = words
        with_words = (place for place, entry in enumerate(self._entries) if self._has(entry.text))
        self._unfolded |= frozenset(with_words) if words else frozenset()
        self._lay_out()
        if not self.find_again(1):
            self.words = ""
        return bool(self.words)

    def find_again(self, way: int) -> bool:
        """Go to the next line with the words that are looked for, or with -1 the one before."""
        places = [place for place, line in enumerate(self.rows) if self._has(line.text)]
        ahead = [place for place in places[::way] if (place - self.cursor) * way > 0]
        if places:
            self.cursor = (ahead or places[::way])[0]
        return bool(places)

    def _has(self, text: str) -> bool:
        return bool(self.words) and self.words.casefold() in text.casefold()

    def toggle(self) -> None:
        if self.rows:
            self._unfolded ^= {self.rows[self.cursor].entry}
            self._lay_out()
