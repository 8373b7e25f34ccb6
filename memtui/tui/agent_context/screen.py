"""The context of an agent at a session's start: its files, its memory, hooks, and memtui."""

from __future__ import annotations

import os
from pathlib import Path

from memtui.editing.text import plan_flag
from memtui.formatting import plural
from memtui.hooks.agent_context import read_context
from memtui.tui.agent_context.rows import ContextList, row_paragraphs, rows_of
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.route import Context
from memtui.tui.injection.request import following
from memtui.tui.memory.actions import EditFile
from memtui.tui.operations import PreviewPlan, Proposal, RunOperation, import_from
from memtui.tui.reports.overview import Details, OverviewScreen
from memtui.tui.widgets.title_bar import TitleBar
from store import Memory
from store.agents.client import Home
from store.agents.context_files import INSTRUCTION, MEMORY
from store.agents.registry import NAMES
from store.backends.user_data import project_root


class ContextScreen(OverviewScreen):
    """The parts of a client's context at the start of a session here, each with its text."""

    MANUAL_PAGE = "screens/told.md"
    BINDINGS = bindings("told")

    def __init__(self, context: Context, route: routes.Told) -> None:
        self._client = route.client
        self._list = ContextList()
        super().__init__(context, self._list, "Told")

    async def read(self) -> None:
        root, here, client = project_root(self.memory.path), Path.cwd(), self._client or None
        folder = here if here.is_relative_to(root) else root
        found = await ask(
            lambda: read_context(self.memory, client, folder, Home.of_user(), os.environ)
        )
        self._client = found.client.name
        self.query_one(TitleBar).show(await ask(self.memory.state))
        self._list.list_rows(rows_of(found))
        if found.parts:
            self.show_rows(f"{found.client.title} · {plural(found.tokens, 'token')}")
        else:
            self.show_message(
                f"{found.client.title} is told nothing at a start here.",
                "Instruction files, its own memory, hooks and memtui would appear.",
                "I shows another client, W installs hooks.",
            )

    def details(self) -> Details:
        row = self._list.at
        return lambda: [] if row is None else row_paragraphs(row)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "edit":
            return not self.sentence and self._path is not None
        if action == "import_file":
            return not self.sentence and self._has_notes
        if action in ("mute", "to_file"):
            return not self.sentence and self._list.at is not None and bool(self._list.at.memory)
        return super().check_action(action, parameters)

    @property
    def _has_notes(self) -> bool:
        """The row under the cursor is a file of instructions or notes that could be read."""
        if (row := self._list.at) is None:
            return False
        part = row.context.parts[row.at].part
        return part.category in (INSTRUCTION, MEMORY) and bool(part.text or part.rest)

    @property
    def _path(self) -> Path | None:
        """The file of the row under the cursor."""
        row = self._list.at
        return row.context.parts[row.at].part.path if row is not None else None

    def action_next_client(self) -> None:
        self._client = following(self._client, NAMES)
        self.action_reload()

    def action_import_file(self) -> None:
        if (path := self._path) is not None:
            self.post_message(import_from(path))

    def action_mute(self) -> None:
        row = self._list.at
        if row is not None and row.memory is not None:
            identifier = row.memory.id
            self.post_message(
                RunOperation(
                    lambda memory: memory.apply(plan_flag(memory, [identifier], "muted", on=True))
                )
            )

    def action_to_file(self) -> None:
        """Write the memory into the client's instruction file of this project, after a preview."""
        row = self._list.at
        if row is not None and row.memory is not None:
            context, identifier = row.context, row.memory.id

            def plan(memory: Memory) -> Proposal | None:
                found = memory.get_redacted(identifier)
                return Proposal.of(memory.context.plan_instruction(context, found))

            title = context.client.title
            self.post_message(PreviewPlan(plan, f"{title} reads no instruction file."))

    def action_edit(self) -> None:
        """Open the file in the editor, at the first line that overlaps."""
        row, path = self._list.at, self._path
        if row is not None and path is not None:
            line = min((own.line for _, own, _ in row.overlaps), default=1)
            self.post_message(EditFile(path, line, self.action_reload))
