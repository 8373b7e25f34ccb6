"""Pick a transcript: the newest of the known places first, or a path of one's own."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content

from memtui.formatting import age, count, fit, size
from memtui.tui.dialogs.picker import Picker
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.route import Context
from store import Memory
from store.agents.client import Home, SessionFile
from store.agents.discovery import first_request, session_files
from store.platform.home import home_folder, place_typed
from store.platform.links import is_file
from store.text.display import visible

_DESCRIBED, _AT_ONCE = 200, 10
"""Sessions whose first request is read, and how many are shown at once."""
_NO_SESSIONS = "No agent sessions found for this project. Enter a transcript path."
_NO_MATCH = "No session matches. The path of a transcript is taken, too."


class Begun(NamedTuple):
    """The first request of a session, and if memories were captured from it."""

    request: str
    is_captured: bool


def find_transcripts(
    memory: Memory, home: Path
) -> tuple[Sequence[SessionFile], Sequence[SessionFile]]:
    """Return the transcripts of a user's agents: those of the memory's project, then those and all
    others, each newest first.
    """
    user = Home(home, os.environ)
    own = memory.session_files.of_project(user)
    files = {file.path: file for file in (*own, *session_files(user))}
    return own, list(files.values())


def begun_of(memory: Memory, files: Sequence[SessionFile]) -> Mapping[Path, Begun]:
    """First requests of sessions: as they are kept, else from their files."""
    kept = {digest.id: digest for digest in memory.sessions.digests()}
    kept |= {digest.path: digest for digest in kept.values()}
    begun = {}
    for file in files:
        digest = kept.get(str(file.path)) or kept.get(file.session_id or file.path.stem)
        asked = digest.asked[0] if digest is not None and digest.asked else ""
        captured = digest is not None and bool(digest.memories)
        begun[file.path] = Begun(asked or first_request(file), captured)
    return begun


class TranscriptPicker(Picker[SessionFile, Path]):
    """Transcripts, one a line: age, agent, whether it was captured, what was asked first; gives the
    path of one, or None.
    """

    placeholder = "a path, or words to filter the list"
    wide = True
    previews = True

    def __init__(self, context: Context, route: routes.PickTranscript) -> None:
        super().__init__("Transcripts")
        self._memory = context.memory
        self._now = context.now
        self._home = home_folder()  # the folder that agents keep theirs in
        self._files: Sequence[SessionFile] | None = None
        self._own: frozenset[Path] = frozenset()
        self._begun: dict[Path, Begun] = {}
        self._agents = 0

    def on_mount(self) -> None:
        self._look()

    @exclusive_worker(group="transcripts")
    async def _look(self) -> None:
        own, files = await ask(find_transcripts, self._memory, self._home)
        self._files = files
        self._own = frozenset(file.path for file in own)
        self._agents = max((len(file.client) for file in files), default=0)
        self.window.set_title("Transcripts", _how_many(len(own), len(files)))
        self.narrow(self.typed)
        for at in range(0, min(len(files), _DESCRIBED), _AT_ONCE):
            self._begun |= await ask(begun_of, self._memory, files[at : at + _AT_ONCE])
            self.list.refresh()

    def narrow(self, typed: str) -> None:
        """List only those whose agent, path or first request holds every typed word."""
        words = typed.casefold().split()
        files = self._files or ()
        found = [file for file in files if all(word in self._searched(file) for word in words)]
        why_none = "" if self._files is None or found else _NO_MATCH if files else _NO_SESSIONS
        self.show_message(why_none)
        self.show_rows(found, typed)

    def _searched(self, file: SessionFile) -> str:
        begun = self._begun.get(file.path)
        return f"{file.client} {file.path} {begun.request if begun else ''}".casefold()

    def show_about(self) -> None:
        file, window = self.list.at, self.window
        shown = "" if file is None else visible(in_home(file.path, self._home), newlines=False)
        window.border_subtitle = Content(_end_of(shown, max(0, window.size.width - 6)))

    def draw(self, row: SessionFile, cursor: Content, width: int) -> Content:
        """Age, agent, a mark where it was captured, and what was asked first, dimmed where another
        project's session was.
        """
        begun = self._begun.get(row.path)
        lead = Content.assemble(
            cursor,
            (fit(age(row.modified, self._now()), 4, align="right"), "$dim"),
            f"  {fit(row.client, self._agents)}  ",
            ("√ " if begun and begun.is_captured else "  ", "$text-success"),
        )
        room = max(0, width - lead.cell_length - 1)
        if begun and begun.request:
            asked = fit(visible(begun.request, newlines=False), room)
            return Content.assemble(lead, (asked, "" if row.path in self._own else "$dim"), " ")
        tail = f"  {size(row.size)}"
        path = visible(in_home(row.path, self._home), newlines=False)
        end = _end_of(path, room - len(tail))
        return Content.assemble(lead, (fit(end, max(0, room - len(tail))) + tail, "$dim"), " ")

    def take(self, row: SessionFile) -> None:
        self.dismiss(row.path)

    def pick(self) -> None:
        """Give the file that was typed, else the one under the cursor, once they are found."""
        typed = place_typed(self.typed) if self.typed else None
        if typed is not None and is_file(typed):
            self.dismiss(typed)
        elif self.list.at is not None:
            super().pick()
        elif self._files is None:
            self.pick_later()
        elif self.typed:
            self.show_message("No such file, and no session matches.")


def _how_many(own: int, found: int) -> str:
    """`25`, or where some are of other projects `4 here, 21 of other projects`."""
    others = found - own
    return f"{count(own)} here, {count(others)} of other projects" if others else count(found)


def in_home(path: Path, home: Path) -> str:
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def _end_of(text: str, width: int) -> str:
    """Return the last `width` cells of a text, the cut marked at its beginning."""
    if cell_len(text) <= width:
        return text
    while text and cell_len(text) > max(0, width - 1):
        text = text[1:]
    return f"…{text}"
