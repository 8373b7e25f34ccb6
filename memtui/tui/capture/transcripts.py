"""Pick a transcript: the newest of the known places first, or a path of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from rich.cells import cell_len
from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content

from memtui.formatting import age, count, fit, size
from memtui.tui import routes
from memtui.tui.capture.requests import (
    Begun,
    RequestsRead,
    TranscriptsFound,
    find_transcripts,
    read_requests,
)
from memtui.tui.dialogs.list_picker import ListPicker, PickList, stepping
from memtui.tui.route import Context
from memtui.tui.widgets.row_list import RowList
from memtui.tui.worker import ask
from store.agents import SessionFile
from store.places import home_folder, is_file, place_typed
from store.text import visible


class TranscriptList(PickList):
    """One transcript a line: age, agent, whether it was captured, what was asked first."""

    def __init__(self, home: Path, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._home = home
        self._now = now
        self._all: Sequence[SessionFile] = ()
        self._own: frozenset[Path] = frozenset()
        self._listed: Sequence[SessionFile] = ()
        self._begun: dict[Path, Begun] = {}
        self._agents = 0

    def show(self, files: Sequence[SessionFile], own: int, typed: str) -> None:
        """Take these, the first `own` of the project, and list those that hold what is typed."""
        self._all = files
        self._own = frozenset(file.path for file in files[:own])
        self._agents = max((len(file.client) for file in files), default=0)
        self.narrow(typed)

    def narrow(self, typed: str) -> None:
        """List only those whose agent, path or first request holds every typed word."""
        words = typed.casefold().split()
        self._listed = [
            file for file in self._all if all(word in self._searched(file) for word in words)
        ]
        self.list_rows(len(self._listed), typed)

    def _searched(self, file: SessionFile) -> str:
        begun = self._begun.get(file.path)
        return f"{file.client} {file.path} {begun.request if begun else ''}".casefold()

    def learn(self, begun: Mapping[Path, Begun]) -> None:
        """Know what some of them were begun for."""
        self._begun |= begun
        self.refresh()

    @property
    def path(self) -> Path | None:
        """The file of the transcript under the cursor."""
        return self._listed[self.cursor].path if self._listed else None

    def row(self, index: int, width: int) -> Content:
        """Cursor mark, age, agent, a mark where it was captured, and what was asked first, dimmed
        where another project's session was.
        """
        file = self._listed[index]
        begun = self._begun.get(file.path)
        lead = Content.assemble(
            ("▸ " if index == self.cursor else "  ", "$accent-text"),
            (fit(age(file.modified, self._now()), 4, align="right"), "$dim"),
            f"  {fit(file.client, self._agents)}  ",
            ("√ " if begun and begun.is_captured else "  ", "$text-success"),
        )
        room = max(0, width - lead.cell_length - 1)
        if begun and begun.request:
            asked = fit(visible(begun.request, newlines=False), room)
            return Content.assemble(lead, (asked, "" if file.path in self._own else "$dim"), " ")
        tail = f"  {size(file.size)}"
        path = visible(in_home(file.path, self._home), newlines=False)
        end = _end_of(path, room - len(tail))
        return Content.assemble(lead, (fit(end, max(0, room - len(tail))) + tail, "$dim"), " ")


class TranscriptPicker(ListPicker[Path]):
    """Transcripts that narrow while one types; gives the path of one, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "pick",
            "preview",
            id="transcripts.pick",
            priority=True,
            tooltip="Preview what it captures",
        ),
        *stepping("transcripts"),
    ]
    wide = True

    def __init__(self, context: Context, route: routes.PickTranscript) -> None:
        self._memory = context.memory
        self._home = home_folder()  # the folder that agents keep theirs in
        self._list = TranscriptList(self._home, context.now)
        self._looking = True
        super().__init__(self._list, placeholder="a path, or words to filter the list")

    def on_mount(self) -> None:
        """Look for them."""
        self.window.set_title("Transcripts")
        ask(self, find_transcripts(self._memory, self._home), group="transcripts")

    def on_transcripts_found(self, event: TranscriptsFound) -> None:
        """List them, or say that there are none."""
        self._looking = False
        self._list.show(event.files, event.own, self.typed)
        self.window.set_title("Transcripts", _how_many(event.own, len(event.files)))
        if event.files:
            ask(self, read_requests(self._memory, event.files), group="transcripts")
        else:
            self.say("No agent sessions found for this project. Enter a transcript path.")
        self.narrowed()

    def on_requests_read(self, event: RequestsRead) -> None:
        """Show what they were begun for."""
        self._list.learn(event.begun)
        self._show_path()

    @on(RowList.Moved, "#picker-list")
    def _show_path(self) -> None:
        """Name the file under the cursor in the border below."""
        path, window = self._list.path, self.window
        shown = "" if path is None else visible(in_home(path, self._home), newlines=False)
        window.border_subtitle = Content(_end_of(shown, max(0, window.size.width - 6)))

    def narrow(self, typed: str) -> None:
        """List those that it is said of."""
        self._list.narrow(typed)
        self._show_path()
        self.say("")

    def pick(self) -> None:
        """Give the file that was typed, else the one under the cursor, once they are found."""
        typed = place_typed(self.typed) if self.typed else None
        if typed is not None and is_file(typed):
            self.dismiss(typed)
        elif self._list.path is not None:
            self.dismiss(self._list.path)
        elif self._looking:
            self.pick_later()
        elif self.typed:
            self.say("No such file, and no session matches.")


def _how_many(own: int, found: int) -> str:
    """`25`, or where some are of other projects `4 here, 21 of other projects`."""
    others = found - own
    return f"{count(own)} here, {count(others)} of other projects" if others else count(found)


def in_home(path: Path, home: Path) -> str:
    """A path as people write it: `~` for their home."""
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def _end_of(text: str, width: int) -> str:
    """The last `width` cells of a text, the cut marked at its beginning."""
    if cell_len(text) <= width:
        return text
    while text and cell_len(text) > max(0, width - 1):
        text = text[1:]
    return f"…{text}"
