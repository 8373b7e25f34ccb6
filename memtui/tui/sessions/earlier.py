"""Earlier folders: where sessions ran that may be of this project, why, and the answer to that."""

from __future__ import annotations

from pathlib import Path

from textual.content import Content

from memtui.formatting import count, fit, plural, shown_path
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain
from memtui.tui.frame.route import Context
from memtui.tui.frame.toasts import toast
from memtui.tui.reports.overview import Details, OverviewList, OverviewScreen
from memtui.words.notices import sentence
from store import Memory
from store.agents.client import Home
from store.agents.discovery import first_request
from store.agents.ownership import Earlier, Standing
from store.text.display import visible

_REQUESTS = 8
"""Sessions of a folder whose first request is shown."""
_LOOKS = {
    Standing.OFFERED: ("?", "offered", "$text-warning"),
    Standing.TAKEN: ("√", "counted", "$text-success"),
    Standing.REFUSED: ("×", "refused", "$dim"),
}


class EarlierList(OverviewList[Earlier]):
    """One folder a line: what became of it, how many sessions, where it was."""

    def row_key(self, row: Earlier) -> str:
        return f"{row.folder} {row.standing}"

    def draw(self, row: Earlier, index: int, width: int) -> Content:
        mark, word, style = _LOOKS[row.standing]
        lead = Content.assemble(
            self.cursor_mark(index),
            (f"{mark} {word}  ", style),
            (f"{plural(len(row.files), 'session'):>12}  ", "$dim"),
        )
        folder = visible(shown_path(row.folder), newlines=False)
        return Content.assemble(lead, fit(folder, max(0, width - lead.cell_length)))


class EarlierScreen(OverviewScreen):
    BINDINGS = bindings("earlier", "overview")

    def __init__(self, context: Context, route: routes.EarlierFolders) -> None:
        self._list = EarlierList()
        super().__init__(context, self._list, "Earlier folders")

    async def read(self) -> None:
        found = await ask(lambda: self.memory.session_files.earlier_folders(Home.of_user()))
        self._list.list_rows(found)
        if found:
            self.show_rows(count(len(found)))
            self.notice("Space counts a folder's sessions as this project's, or not.")
        else:
            self.show_message(
                "No earlier folder of this project found.",
                "If it was moved or renamed:  memtui sessions adopt FOLDER",
            )

    def details(self) -> Details:
        found = self._list.at
        return lambda: _details(found) if found is not None else []

    @exclusive_worker(group="answer")
    async def action_mark(self) -> None:
        """Count what ran there; of what is counted, leave it out; then it is undecided again."""
        found, memory = self._list.at, self.memory
        if found is None:
            return
        said = await ask(lambda: _answered(memory, found))
        toast(self.app, said)
        self.action_reload()


def _answered(memory: Memory, found: Earlier) -> str:
    """Keep the next answer to a folder, or take it back; return a sentence about that."""
    folder = shown_path(found.folder)
    if found.standing is Standing.OFFERED:
        memory.session_files.adopt(Home.of_user(), found.folder)
        return f"Adopted {folder}: {plural(len(found.files), 'session')}."
    if found.standing is Standing.TAKEN:
        memory.session_files.refuse(Home.of_user(), found.folder)
        return f"Refused {folder}."
    memory.session_files.forget_answer(Home.of_user(), found.folder)
    return f"{folder} is undecided again."


def _details(found: Earlier) -> list[Paragraph]:
    """Evidence that the folder may be the project's, and first requests of its sessions."""
    lines = [plain(visible(shown_path(found.folder), newlines=False)), BLANK]
    if found.is_answered:
        lines += [plain("You said so; Space goes on to the next answer.", "$dim"), BLANK]
    lines += [plain(f"· {visible(sentence(why), newlines=False)}") for why in found.reasons]
    lines += [BLANK] if found.reasons else []
    newest = sorted(found.files, key=lambda file: (file.modified, file.path), reverse=True)
    for file in newest[:_REQUESTS]:
        asked = first_request(file) or Path(file.path).name
        lines.append(
            Paragraph(
                Content(visible(" ".join(asked.split())[:300], newlines=False)),
                lead=Content.styled(f"{file.client}  {file.modified:%d %b}  ", "$dim"),
            )
        )
    return lines
