"""Writing observations: in the user's editor, or in the app where there is none.

A screen posts `Edit` or `WriteNew`; both bubble to the app, whose `EditController` does the rest.
What was written becomes an operation only once memory takes it; until then it is kept as a draft.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

from rich.text import Text
from textual import work
from textual.app import App, ComposeResult, SuspendNotSupported
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import TextArea

from memtui.editing.editor import (
    HINT,
    Draft,
    NoDraft,
    NoEditor,
    RunEditor,
    Written,
    check_ended,
    command_at,
    editor_command,
    run_editor,
)
from memtui.editing.text import content_of, from_text, to_text
from memtui.formatting import count, plural
from memtui.read_only import check_writable
from memtui.settings.schema import app_settings
from memtui.tui.frame import routes
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain
from memtui.tui.frame.route import Context, screen_for
from memtui.tui.frame.toasts import toast, toast_error
from memtui.tui.frame.type_ahead import TypeAhead
from memtui.tui.memory.actions import Edit, EditFile, WriteNew, WriteText
from memtui.tui.operations import RunOperation
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import StatusLine, Window
from memtui.words.notices import error_in_words, sentence
from memtui.words.sentences import done
from store import Memory
from store.errors import Conflict, StoreError
from store.model import MAX_CONTENT
from store.operations.apply import Applied
from store.operations.plan import Plan
from store.text.display import visible, visible_line

_UNCHANGED = "Nothing changed."


def terminal_editor(app: App[Any]) -> RunEditor:
    """Runs editors in the app's terminal while the app steps aside. Raises `NoEditor`."""

    def run(command: Sequence[str], path: Path) -> int:
        try:
            with app.suspend():  # which takes the terminal back only where nothing is raised
                ended = _run_editor(command, path)
        except SuspendNotSupported as error:
            raise NoEditor("Can't run an editor in this terminal.") from error
        if isinstance(ended, NoEditor):
            raise ended
        return ended

    return run


def _run_editor(command: Sequence[str], path: Path) -> int | NoEditor:
    try:
        return run_editor(command, path)
    except NoEditor as error:
        return error


class EditController:
    """Lets the user write, and hands what was written to the operator."""

    def __init__(self, app: TypeAhead, context: Context, run_editor: RunEditor) -> None:
        self._app = app
        self._context = context
        self._memory = context.memory
        self._run_editor = run_editor

    def edit(self, asked: Edit) -> None:
        self._begin(self._edit(asked.id))

    def write(self, asked: WriteText) -> None:
        self._begin(self._write(asked.writing))

    def write_new(self, asked: WriteNew) -> None:
        def plan(text: str) -> Plan:
            fields = from_text(text, asked.blank)
            return self._memory.plan.add([asked.blank._replace(**fields)])

        self._begin(self._write(routes.Write("New memory", "new", to_text(asked.blank), plan)))

    def edit_file(self, asked: EditFile) -> None:
        """Open a file that is not memory's own, where an editor is set."""
        try:
            command = editor_command(app_settings(self._memory.settings).editor)
            if not command:
                raise NoEditor("No editor is set.", HINT)
            self._run_editor(*command_at(command, asked.path, asked.line))
        except NoEditor as error:
            toast_error(self._app, error)
        asked.then()

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        held = self._app.keys_held(until_screen=True)

        async def working() -> None:
            with held:
                await work

        self._app.run_worker(working(), group="writing")

    async def _edit(self, identifier: str) -> None:
        try:
            shown = await asyncio.to_thread(self._memory.get, identifier)
        except StoreError as error:
            toast_error(self._app, error)
            return

        def plan(text: str) -> Plan:
            fields = from_text(text, shown)
            now = self._memory.get(identifier)
            if changed := [name for name in fields if getattr(now, name) != getattr(shown, name)]:
                names = " and ".join(name.replace("_", " ") for name in changed)
                raise Conflict(
                    f"The {names} changed while you were editing.",
                    "Open it again and copy over what you need from your draft.",
                )
            return self._memory.plan.edit(identifier, fields)

        await self._write(routes.Write("Edit", shown.id, to_text(shown), plan))

    async def _write(self, writing: routes.Write) -> None:
        """Have it written, in an editor if there is one, else here."""
        try:
            await asyncio.to_thread(check_writable, self._memory)
            if command := editor_command(app_settings(self._memory.settings).editor):
                draft = Draft.of(writing.name, writing.text)
                await self._write_in_editor(writing, command, draft)
                return
        except NoEditor as error:
            toast(self._app, f"{error.message} Write here instead.")
        except StoreError as error:
            toast_error(self._app, error)
            return
        await self._app.push_screen(
            screen_for(self._context, writing),
            lambda written: self._carry_out(written.plan, written.draft) if written else None,
        )

    async def _write_in_editor(
        self, writing: routes.Write, command: list[str], draft: Draft
    ) -> None:
        """Run the editor; where memory refuses what was written, ask whether to go on with it.

        Raises `NoEditor`; the draft is gone then.
        """
        try:
            code = self._run_editor(command, draft.path)
        except NoEditor:
            draft.discard()
            raise
        try:
            written = draft.read()
            if written == writing.text:
                draft.discard()
                toast(self._app, _UNCHANGED)
                return
            check_ended(code)
            plan = await asyncio.to_thread(writing.plan, written)
        except NoDraft as error:
            toast_error(self._app, error)
            return
        except StoreError as error:

            def go_on(again: bool | None) -> None:
                if again:
                    work = self._write_in_editor(writing, command, draft)
                    self._app.run_worker(work, group="writing")

            self._app.push_screen(screen_for(self._context, _refusal(error, draft)), go_on)
            return
        self._carry_out(plan, draft)

    def _carry_out(self, plan: Plan, draft: Draft) -> None:
        """Have the plan applied; the draft goes once it is, and is named where that fails."""
        if plan.is_empty:
            draft.discard()
            toast(self._app, _UNCHANGED)
            return

        def run(memory: Memory) -> Applied:
            try:
                applied = memory.apply(plan)
            except StoreError as error:
                raise draft.kept(error) from error
            draft.discard()
            return applied

        notes = (sentence(note).rstrip(".") for note in plan.notes)
        text = " · ".join([done(plan.action), *notes])
        self._app.post_message(RunOperation(run, lambda _: text))


def _refusal(error: StoreError, draft: Draft) -> routes.Confirm:
    """Says why memory did not take a text, and where it is kept."""
    body = [plain(visible(error_in_words(error)), "bold")]
    if error.hint:
        body.append(plain(visible(error.hint)))
    where = Content.assemble(("Draft saved in ", "$dim"), visible_line(draft.shown))
    return routes.Confirm("Not stored yet", [*body, BLANK, Paragraph(where)], verb="edit")


class Page(TextArea):
    """The text; what could act on the terminal shows as symbols."""

    def get_line(self, line_index: int) -> Text:
        line = self.document.get_line(line_index)
        shown = "\t".join(visible_line(part) for part in line.split("\t"))
        return Text(shown, end="", no_wrap=True)


class WriteScreen(ModalScreen[Written | None]):
    """A text to write; gives what becomes of it, or None where it was left."""

    BINDINGS = bindings("write")
    CSS_PATH = "editing.tcss"
    AUTO_FOCUS = "#text"

    def __init__(self, context: Context, route: routes.Write) -> None:
        super().__init__()
        self._writing = route

    def compose(self) -> ComposeResult:
        with Window(id="desk"):
            yield Page(self._writing.text, id="text", compact=True, highlight_cursor_line=False)
            yield StatusLine(id="refused")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.move_cursor(area.document.end)
        self._count()

    def on_text_area_changed(self) -> None:
        self._count()

    def _count(self) -> None:
        typed = count(len(content_of(self._now)))
        length = f"{typed} of {plural(MAX_CONTENT, 'character')}"
        if self._writing.of_file:
            length = plural(len(self._now), "character")
        self.query_one(Window).set_title(self._writing.title, length)

    @property
    def _now(self) -> str:
        return self.query_one(TextArea).text

    @work(exclusive=True)
    async def action_keep(self) -> None:
        line = self.query_one("#refused", StatusLine)
        text = self._now
        try:
            plan = await asyncio.to_thread(self._writing.plan, text)
            self.dismiss(Written(plan, Draft.of(self._writing.name, text)))
        except StoreError as error:
            line.show_message(
                " ".join(part for part in (error_in_words(error), error.hint) if part)
            )

    def action_leave(self) -> None:
        if self._now != self._writing.text:
            try:
                draft = Draft.of(self._writing.name, self._now)
            except StoreError as error:
                self.query_one("#refused", StatusLine).show_message(error_in_words(error))
                return
            toast(self.app, f"Nothing changed. Your draft is saved in {draft.shown}")
        self.dismiss(None)
