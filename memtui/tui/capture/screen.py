"""The capture preview: what a session would leave, with the passage each comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from memtui.editing.editor import Written
from memtui.editing.text import from_text, to_text
from memtui.formatting import percent, plural
from memtui.settings.programs import Program
from memtui.tui.capture.draft import Draft, DraftRow, issue_in_words, source_in_words
from memtui.tui.capture.planning import (
    estimate_of,
    pick_by_model,
    plan_project,
    plan_session,
    store_plan,
)
from memtui.tui.capture.rows import CapturedList, captured_details, skipped_details
from memtui.tui.capture.transcripts import in_home
from memtui.tui.dialogs.choices import pick_program
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.route import Context, Open
from memtui.tui.frame.toasts import toast
from memtui.tui.operations import OperationEnded, RunOperation
from memtui.tui.reports.overview import Details, OverviewScreen
from memtui.tui.widgets.title_bar import TitleBar
from memtui.words.sentences import done
from store.capture.candidate import Skipped
from store.capture.plan import CapturePlan
from store.errors import StoreError, Unreadable
from store.language_model.program import program_name
from store.model import Facets, issue_named
from store.operations.apply import Applied
from store.operations.plan import Plan
from store.platform.home import home_folder
from store.redaction.labels import agent_name
from store.store_state import StoreState
from store.text.display import visible
from store.validation.rules import is_agent


class CaptureScreen(OverviewScreen):
    """The memories that a transcript, or all of them, would leave: edit, drop, keep."""

    MANUAL_PAGE = "screens/capture.md"
    BINDINGS = bindings("capture")

    def __init__(self, context: Context, route: routes.Capture) -> None:
        self._list = CapturedList()
        self.route = route
        self._path = route.path
        self.draft = Draft(CapturePlan())
        self._known = Facets()
        self._writable = True
        self._elsewhere = False
        self._failed = ""
        self._programs: Sequence[Program] = ()
        self._picked_by = ""
        self._chosen_program: str | None = None
        self._is_demo = context.is_demo
        self._keeping = False
        super().__init__(context, self._list, "Capture")
        if route.path is not None:
            self.sentence = ("Reading the transcript …", *self._named)

    @property
    def _named(self) -> tuple[str, ...]:
        return () if self._path is None else (in_home(self._path, home_folder()),)

    async def read(self) -> None:
        program, path = self._program, self._path
        if path is None:
            planned = await ask(plan_project, self.memory, program, report_to=self._show_reading)
        else:
            planned = await ask(plan_session, self.memory, path)
            if program:
                self._show_asking(program_name(program))
                planned = await ask(
                    pick_by_model, self.memory, planned, program, report_to=lambda *_: None
                )
        self._failed, self._picked_by = planned.failed, planned.picked_by
        self._programs = () if self._is_demo else planned.programs
        self.draft, self._known = Draft(planned.plan), planned.known
        self._elsewhere = planned.elsewhere
        self._show_state(planned.state)
        if self.draft.rows or self._skipped:
            self._show()
        elif planned.plan.left:
            self.show_message("These sessions could not be captured.")
        else:
            self.show_message(
                f"Nothing to capture in {'this session' if path else 'these sessions'}.",
                "No decisions, changes, errors, lessons or summaries were found.",
                *self._named,
            )
        self.refresh_bindings()

    @property
    def _program(self) -> str:
        """The command whose model is to pick, empty for rules: many sessions are sent to one only
        where it was chosen here.
        """
        if self._chosen_program is not None:
            return self._chosen_program
        return self.memory.settings.capture_program if self._path else ""

    def _show_reading(self, done: int, total: int) -> None:
        self.show_progress("Reading sessions", done, total, "sessions")

    def _show_asking(self, name: str) -> None:
        self.show_message(f"Asking {visible(name, newlines=False)} …", *self._named)

    def _show_state(self, state: StoreState) -> None:
        self._writable = state.writable
        self.query_one(TitleBar).show(state)
        self.notice(self._facts())

    def _facts(self) -> str:
        """Return what to know of the plan before it is stored, a sentence each."""
        plan = self.draft.plan
        facts = []
        if not self._writable:
            facts.append("Memory is read-only: you can look, but not capture.")
        elif not self.memory.settings.enabled:
            facts.append("Memory is switched off: you can look, but not capture.")
        if self._failed:
            why = visible(self._failed, newlines=False).rstrip(".")
            facts.append(f"The model failed ({why}); rules picked these.")
        elif self._picked_by and (plan.kept or not plan.left):
            facts.append(f"Picked by {visible(self._name_of(self._picked_by), newlines=False)}.")
        if self._elsewhere:
            facts.append(f"Of another project: {in_home(Path(plan.folder), home_folder())}.")
        if plan.redactions:
            facts.append(f"{plural(len(plan.redactions), 'secret')} redacted.")
        if plan.unread_lines:
            facts.append(f"{plural(plan.unread_lines, 'line')} could not be read.")
        if plan.left:
            facts.append(f"{plural(len(plan.left), 'session')} left out: {plan.left[0]}")
        return " ".join(facts)

    def _show(self) -> None:
        self._list.show(self.draft.rows, self._skipped)
        chosen = self.draft.chosen
        some = f"{plural(len(chosen.kept), 'memory', 'memories')} for {issue_in_words(chosen)}"
        if chosen.sessions:
            some += f" {source_in_words(chosen)}"
        self.show_rows(some if self.draft.rows else "nothing new")

    @property
    def _skipped(self) -> Sequence[Skipped]:
        """Rows of what is skipped: of many sessions they would be a long list of no use."""
        return () if self.draft.plan.sessions else self.draft.plan.skipped

    def details(self) -> Details:
        row, now = self._list.at, self.now()
        if isinstance(row, DraftRow):
            return lambda: captured_details(row.captured, now)
        return lambda: [] if row is None else skipped_details(row)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        has_rows = not self.sentence and bool(self.draft.rows)
        if action in ("issue", "agent") and self.draft.plan.sessions:
            return False  # each session has its own
        if action in ("edit", "drop", "issue", "agent"):
            return has_rows
        if action == "model":
            return bool(self._programs) and not self._keeping
        if action == "keep":
            can_store = self._writable and self.memory.settings.enabled
            return has_rows and can_store and not self._keeping
        return super().check_action(action, parameters)

    def action_drop(self) -> None:
        if isinstance(row := self._list.at, DraftRow):
            self.draft.toggle(row)
            self._show()
            self._list.action_move(1)

    def action_edit(self) -> None:
        row = self._list.at
        if not isinstance(row, DraftRow):
            toast(self.app, "Skipped items can't be edited.")
            return
        shown = row.captured.observation

        def plan(text: str) -> Plan:
            return self.memory.plan.add([shown._replace(**from_text(text, shown))])

        def edited(written: Written | None) -> None:
            if written is not None:
                self._take_edit(row, written)

        name = f"capture-{shown.category}"
        self.post_message(Open(routes.Write("Edit", name, to_text(shown), plan), edited))

    def _take_edit(self, row: DraftRow, written: Written) -> None:
        try:
            fields = from_text(written.draft.read(), row.captured.observation)
        except StoreError as error:
            toast(self.app, error.full_message)
            return
        written.draft.discard()
        if fields:
            self.draft.edit(row, fields)
            self._show()

    def action_issue(self) -> None:
        prompt = routes.Prompt(
            "Issue",
            "Issue for these memories",
            str(self.draft.plan.issue),
            "A number; 0 for the whole project.",
            _issue_problem,
            lambda _: [str(issue) for issue in self._known.issues],
            verb="apply",
        )
        self._ask_for(prompt, lambda text: self.draft.file_under(issue_named(text) or 0))

    def action_agent(self) -> None:
        prompt = routes.Prompt(
            "Agent",
            "Agent for these memories",
            self.draft.plan.agent,
            "Such as engineer or claude-code.",
            _agent_problem,
            lambda _: list(self._known.agents),
            verb="apply",
        )
        self._ask_for(prompt, lambda text: self.draft.name_agent(agent_name(text)))

    def _ask_for(self, prompt: routes.Prompt, change: Callable[[str], None]) -> None:
        def typed(text: str | None) -> None:
            if text is not None:
                change(text)
                self._show()

        self.post_message(Open(prompt, typed))

    @exclusive_worker(group="estimate")
    async def action_model(self) -> None:
        """Show what a model would be sent, and ask the one that is picked then."""

        def show_far(done: int, total: int) -> None:
            self.notice(f"Reading sessions · {percent(done, total)}")

        estimate = await ask(estimate_of, self.memory, self._path, report_to=show_far)
        self.notice(self._facts())

        def picked(command: str | None) -> None:
            if command is None:
                return
            if command:
                self._show_asking(self._name_of(command))
            else:
                self.show_message("Reading …", *self._named)
            self._chosen_program, self._programs = command, ()
            self.action_reload()

        self.post_message(Open(pick_program(self._programs, self._picked_by, estimate), picked))

    def _name_of(self, command: str) -> str:
        titles = (program.title for program in self._programs if program.command == command)
        return next(titles, "") or program_name(command)

    def action_keep(self) -> None:
        chosen = self.draft.chosen
        if not chosen.kept:
            toast(self.app, "Everything is dropped: nothing to store.")
            return
        self._keeping = True
        notices: list[str] = []

        def captured(applied: Applied) -> str:
            place = f"under {issue_in_words(chosen)} {source_in_words(chosen)}"
            return " · ".join([f"{done(applied.action)} {place}", *notices])

        self.post_message(
            RunOperation(lambda memory: store_plan(memory, chosen, notices), captured)
        )

    def on_operation_ended(self, event: OperationEnded) -> None:
        """Stored: go back. Anything else, and the list is read again, unless what the user chose
        and wrote would be lost by that.
        """
        keeping, self._keeping = self._keeping, False
        if keeping and event.applied is not None:
            event.prevent_default()
            self.dismiss()
        elif self.draft.is_changed:
            event.prevent_default()
            if event.state is not None:
                self._show_state(event.state)
            self.refresh_bindings()

    def failed(self, error: StoreError) -> None:
        if isinstance(error, Unreadable):
            named = "If it is one, give its format:  memtui capture --format NAME FILE"
            self.show_message(error.message, *self._named, named)
        else:
            super().failed(error)


def _issue_problem(text: str) -> str:
    return "Give an issue's number, 0 or more." if issue_named(text) is None else ""


def _agent_problem(text: str) -> str:
    return "" if is_agent(text) else "Use 1 to 64 letters, digits, `.`, `_` or `-`."
