"""The capture preview: what a session would leave, with the passage each comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from textual.content import Content

from memtui.editing.editor import Written
from memtui.editing.text import from_text, to_text
from memtui.formatting import age, fit, percent, plural
from memtui.settings.programs import Program, programs_at_hand
from memtui.tui.capture.transcripts import in_home
from memtui.tui.dialogs.choices import pick_program
from memtui.tui.frame import routes
from memtui.tui.frame.ask import Progress as Report
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain
from memtui.tui.frame.route import Context, Open
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.frame.toasts import toast
from memtui.tui.operations import OperationEnded, RunOperation
from memtui.tui.reports.overview import Details, OverviewList, OverviewScreen
from memtui.tui.widgets.title_bar import TitleBar
from memtui.words.notices import sentence
from memtui.words.origins import finder_of
from memtui.words.sentences import done
from store import Memory
from store.action import Action
from store.agents.client import Home, SessionFile
from store.agents.discovery import open_session, session_id_of
from store.backends.user_data import project_root
from store.capture.candidate import Skipped
from store.capture.plan import Captured, CapturePlan
from store.errors import NotFound, ProgramFailed, StoreError, Unreadable
from store.language_model.estimate import Estimate
from store.language_model.program import program_name
from store.model import Facets, Observation, issue_named
from store.operations.apply import Applied
from store.operations.plan import Plan
from store.platform.home import home_folder
from store.platform.project import has_run_elsewhere
from store.records import first_line
from store.redaction.labels import agent_name
from store.store_state import StoreState
from store.text.display import visible
from store.validation.rules import is_agent

_CATEGORY = 18
"""Cells of the longest category we know."""


class CapturedList(OverviewList[Captured | Skipped]):
    """Memories to be stored, one a line, and below a heading what is skipped and why."""

    BINDINGS = bindings("captured")

    def __init__(self) -> None:
        super().__init__()
        self._dropped: Set[int] = frozenset()
        self._edited: Set[int] = frozenset()
        self._category = 0
        self._places: Mapping[int, int] = {}

    def show(
        self,
        kept: Sequence[Captured],
        skipped: Sequence[Skipped],
        dropped: Set[int],
        edited: Set[int],
    ) -> None:
        """Show these; `dropped` and `edited` are places among the `kept`."""
        self._places = {id(row): place for place, row in enumerate(kept)}
        self._dropped, self._edited = dropped, edited
        rows: list[Captured | Skipped | str] = [*kept]
        if skipped:
            rows += [f"Skipped, {len(skipped):,}", *skipped]
        self._category = min(
            _CATEGORY, max((len(captured.observation.category) for captured in kept), default=0)
        )
        self.list_rows(rows)

    def place_of(self, row: Captured) -> int:
        """Return the place of a row among all that are kept, listed or not."""
        return self._places[id(row)]

    def draw(self, row: Captured | Skipped, index: int, width: int) -> Content:
        cursor = self.cursor_mark(index)
        if isinstance(row, Skipped):
            tail = f"  {visible(sentence(row.reason), newlines=False)} "
            room = max(0, width - len(tail) - 4)
            text = fit(visible(row.text, newlines=False), room)
            return Content.assemble(cursor, ("· ", "$dim"), (text, "$dim"), (tail, "$dim"))
        place, category = self.place_of(row), row.observation.category
        is_out = place in self._dropped
        word = "dropped" if is_out else "edited" if place in self._edited else ""
        tail = f"  {word:>7} " if self._dropped or self._edited else " "
        lead = Content.assemble(
            cursor,
            (
                f"{'–' if is_out else mark_of(category)} "
                f"{fit(visible(category, newlines=False), self._category)}  ",
                "$dim" if is_out else color_of(category),
            ),
        )
        room = max(0, width - lead.cell_length - len(tail))
        summary = fit(visible(row.observation.summary, newlines=False), room)
        return Content.assemble(
            lead, (summary, "$dim" if is_out else ""), (tail, "$dim" if is_out else "$accent-text")
        )


def captured_details(row: Captured, now: datetime) -> list[Paragraph]:
    """Return an observation as it would be stored, and the passage that it comes from."""
    observation = row.observation
    category = observation.category
    facts = [
        observation.agent,
        f"#{observation.issue_number}",
        age(observation.timestamp, now),
    ]
    lines = [
        Paragraph(
            Content.assemble(
                (f"{mark_of(category)} {visible(category, newlines=False)}", color_of(category)),
                (visible(" · ".join(["", *facts]), newlines=False), "$dim"),
            )
        ),
        plain(visible(observation.content)),
    ]
    if finder := finder_of(observation.extra):
        lines.append(plain(f"from: {visible(finder, newlines=False)}", "$dim"))
    if row.passage.strip():
        lines += [BLANK, plain("From the transcript", "bold")]
        passage = row.passage.strip().split("\n")
        lines += [Paragraph(Content.styled(visible(line), "$dim")) for line in passage]
    return lines


def skipped_details(row: Skipped) -> list[Paragraph]:
    because = Content.assemble(("Skipped: ", "bold"), visible(sentence(row.reason), newlines=False))
    lines = [Paragraph(because)]
    if row.seen:
        seen = f"{row.seen} says the same; it counts as seen again."
        lines.append(plain(visible(seen, newlines=False), "$dim"))
    return [*lines, BLANK, plain(visible(row.text))]


class CaptureScreen(OverviewScreen):
    """The memories that a transcript, or all of them, would leave: edit, drop, keep."""

    MANUAL_PAGE = "screens/capture.md"
    BINDINGS = bindings("capture")

    def __init__(self, context: Context, route: routes.Capture) -> None:
        self._list = CapturedList()
        self.route = route
        self._path = route.path
        self._plan = CapturePlan()
        self._known = Facets()
        self._dropped: set[int] = set()
        self._edited: set[int] = set()
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
        planned = await ask(
            plan_capture, self.memory, self._path, self._chosen_program, report_to=self._show_far
        )
        self._failed, self._picked_by = planned.failed, planned.picked_by
        self._programs = () if self._is_demo else planned.programs
        self._plan, self._known = planned.plan, planned.known
        self._elsewhere = planned.elsewhere
        self._dropped.clear()
        self._edited.clear()
        self._know(planned.state)
        if self._plan.kept or self._skipped:
            self._show()
        elif self._plan.left:
            self.show_message("These sessions could not be captured.")
        else:
            self.show_message(
                f"Nothing to capture in {'this session' if self._path else 'these sessions'}.",
                "No decisions, changes, errors, lessons or summaries were found.",
                *self._named,
            )
        self.refresh_bindings()

    def _show_far(self, done: int, total: int) -> None:
        if (done, total) != ASKING:
            self.show_progress("Reading sessions", done, total, "sessions")
            return
        chosen = self._chosen_program
        program = self.memory.settings.capture_program if chosen is None else chosen
        self.show_message(
            f"Asking {visible(program_name(program), newlines=False)} …", *self._named
        )

    def _know(self, state: StoreState) -> None:
        self._writable = state.writable
        self.query_one(TitleBar).show(state)
        self.notice(self._worth_knowing())

    def _worth_knowing(self) -> str:
        plan = self._plan
        said = []
        if not self._writable:
            said.append("Memory is read-only: you can look, but not capture.")
        elif not self.memory.settings.enabled:
            said.append("Memory is switched off: you can look, but not capture.")
        if self._failed:
            why = visible(self._failed, newlines=False).rstrip(".")
            said.append(f"The model failed ({why}); rules picked these.")
        elif self._picked_by and (plan.kept or not plan.left):
            said.append(f"Picked by {self._name_of(self._picked_by)}.")
        if self._elsewhere:
            said.append(f"Of another project: {in_home(Path(plan.folder), home_folder())}.")
        if plan.redactions:
            said.append(f"{plural(len(plan.redactions), 'secret')} redacted.")
        if plan.unread_lines:
            said.append(f"{plural(plan.unread_lines, 'line')} could not be read.")
        if plan.left:
            said.append(f"{plural(len(plan.left), 'session')} left out: {plan.left[0]}")
        return " ".join(said)

    def _show(self) -> None:
        plan = self._plan
        self._list.show(plan.kept, self._skipped, self._dropped, self._edited)
        chosen = self._chosen()
        some = f"{plural(len(chosen.kept), 'memory', 'memories')} for {filed_under(chosen)}"
        if plan.sessions:
            some += f" {from_whom(plan)}"
        self.show_rows(some if plan.kept else "nothing new")

    @property
    def _skipped(self) -> tuple[Skipped, ...]:
        """Rows of what is skipped: of many sessions they would be a long list of no use."""
        return () if self._plan.sessions else self._plan.skipped

    def _chosen(self) -> CapturePlan:
        kept = (each for at, each in enumerate(self._plan.kept) if at not in self._dropped)
        return replace(self._plan, kept=tuple(kept))

    def details(self) -> Details:
        row, now = self._list.at, self.now()
        if isinstance(row, Captured):
            return lambda: captured_details(row, now)
        return lambda: [] if row is None else skipped_details(row)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("issue", "agent") and self._plan.sessions:
            return False  # each session has its own
        if action in ("edit", "drop", "issue", "agent"):
            return not self.sentence and bool(self._plan.kept)
        if action == "model":
            return bool(self._programs) and not self._keeping
        if action == "keep":
            can = self._writable and self.memory.settings.enabled and not self._keeping
            return not self.sentence and bool(self._plan.kept) and can
        return super().check_action(action, parameters)

    def action_drop(self) -> None:
        if isinstance(row := self._list.at, Captured):
            self._dropped ^= {self._list.place_of(row)}
            self._show()
            self._list.action_move(1)

    def action_edit(self) -> None:
        row = self._list.at
        if not isinstance(row, Captured):
            toast(self.app, "Skipped items can't be edited.")
            return
        at, shown = self._list.place_of(row), row.observation

        def plan(text: str) -> Plan:
            return self.memory.plan.add([shown._replace(**from_text(text, shown))])

        def edited(written: Written | None) -> None:
            if written is not None:
                self._take(at, row, written)

        name = f"capture-{shown.category}"
        self.post_message(Open(routes.Write("Edit", name, to_text(shown), plan), edited))

    def _take(self, at: int, row: Captured, written: Written) -> None:
        try:
            fields = from_text(written.draft.read(), row.observation)
        except StoreError as error:
            toast(self.app, error.full_message)
            return
        written.draft.discard()
        before = row.observation
        if "content" in fields and before.summary == first_line(before.content):
            fields.setdefault("summary", first_line(fields["content"]))
        if fields:
            kept = list(self._plan.kept)
            kept[at] = row._replace(observation=row.observation._replace(**fields))
            self._plan = replace(self._plan, kept=tuple(kept))
            self._edited.add(at)
            self._dropped.discard(at)
            self._show()

    def action_issue(self) -> None:
        self._refile(
            routes.Prompt(
                "Issue",
                "Issue for these memories",
                str(self._plan.issue),
                "A number; 0 for the whole project.",
                wrong_issue,
                lambda _: [str(issue) for issue in self._known.issues],
                verb="apply",
            ),
            lambda text: refiled(self._plan, issue=issue_named(text)),
        )

    def action_agent(self) -> None:
        self._refile(
            routes.Prompt(
                "Agent",
                "Agent for these memories",
                self._plan.agent,
                "Such as engineer or claude-code.",
                wrong_agent,
                lambda _: list(self._known.agents),
                verb="apply",
            ),
            lambda text: refiled(self._plan, agent=agent_name(text)),
        )

    @exclusive_worker(group="estimate")
    async def action_model(self) -> None:
        """Say what a model would be sent, and ask the one that is picked then."""

        def show_far(done: int, total: int) -> None:
            self.notice(f"Reading sessions · {percent(done, total)}")

        estimate = await ask(estimate_of, self.memory, self._path, report_to=show_far)
        self.notice(self._worth_knowing())

        def picked(command: str | None) -> None:
            if command is not None:
                self.show_message(
                    f"Asking {self._name_of(command)} …" if command else "Reading …", *self._named
                )
                self._chosen_program, self._programs = command, ()
                self.action_reload()

        self.post_message(Open(pick_program(self._programs, self._picked_by, estimate), picked))

    def _name_of(self, command: str) -> str:
        titles = (program.title for program in self._programs if program.command == command)
        return visible(next(titles, "") or program_name(command), newlines=False)

    def _refile(self, asked: routes.Prompt, refile: Callable[[str], CapturePlan]) -> None:
        def typed(text: str | None) -> None:
            if text is not None:
                self._plan = refile(text)
                self._show()

        self.post_message(Open(asked, typed))

    def action_keep(self) -> None:
        chosen = self._chosen()
        if not chosen.kept:
            toast(self.app, "Everything is dropped: nothing to store.")
            return
        self._keeping = True
        notices: list[str] = []

        def captured(applied: Applied) -> str:
            said = f"{done(applied.action)} under {filed_under(chosen)} {from_whom(chosen)}"
            return " · ".join([said, *notices])

        self.post_message(RunOperation(lambda memory: carry_out(memory, chosen, notices), captured))

    def on_operation_ended(self, event: OperationEnded) -> None:
        """Stored: go back. Anything else, and the list is read again, unless what the user chose
        and wrote would be lost by that.
        """
        keeping, self._keeping = self._keeping, False
        if keeping and event.applied is not None:
            event.prevent_default()
            self.dismiss()
        elif self._dropped or self._edited:
            event.prevent_default()
            if event.state is not None:
                self._know(event.state)
            self.refresh_bindings()

    def failed(self, error: StoreError) -> None:
        if isinstance(error, Unreadable):
            named = "If it is one, give its format:  memtui capture --format NAME FILE"
            self.show_message(error.message, *self._named, named)
        else:
            super().failed(error)


ASKING = (-1, -1)
"""The progress of a plan whose memories a language model picks now."""


class Planned(NamedTuple):
    """The plan of a capture, the state of the store, and its agents and issues.

    `elsewhere`: the session ran in another project. `picked_by` is the command whose model picked
    the memories, empty for rules, `failed` why it did not; `programs` are those that could.
    """

    plan: CapturePlan
    state: StoreState
    known: Facets
    elsewhere: bool
    programs: Sequence[Program]
    picked_by: str = ""
    failed: str = ""


def plan_capture(memory: Memory, path: Path | None, chosen: str | None, report: Report) -> Planned:
    """Plan the capture of a transcript; without a path, of all sessions of the project.

    `chosen` is the command whose model is to pick, empty for rules; None for that of the settings,
    and for rules where many sessions would be sent at once. `report` hears of sessions read, and of
    a model that is asked, again and again. Raises `NotFound`, `Unreadable`.
    """
    set_program = memory.settings.capture_program
    program = (set_program if path else "") if chosen is None else chosen
    if path is None:
        files = memory.session_files.of_project(Home.of_user())
        plan = memory.capture.plan_files(files, report, program=program)
    else:
        plan = _plan_one(memory, path)
    failed = ""
    if path is not None and program:
        try:
            plan = memory.capture.ask_model(plan, program, lambda: report(*ASKING))
        except ProgramFailed as error:
            failed, program = error.message, ""
    known = memory.search("", 0).facets
    elsewhere = has_run_elsewhere(plan.folder, project_root(memory.path))
    programs = list(programs_at_hand(set_program))
    return Planned(plan, memory.state(), known, elsewhere, programs, program, failed)


def estimate_of(memory: Memory, path: Path | None, report: Report) -> Estimate:
    """Return what asking a model about a transcript would send; without a path, about all sessions
    of the project that none has read yet.
    """
    if path is None:
        files = memory.capture.not_read(memory.session_files.of_project(Home.of_user()))
    else:
        files = [SessionFile(path, "", datetime.now(UTC), 0, session_id_of(path))]
    return memory.capture.estimate(files, report)


def _plan_one(memory: Memory, path: Path) -> CapturePlan:
    try:
        with open_session(path) as lines:
            return memory.capture.plan(lines)
    except OSError as error:
        raise NotFound(
            f"{path} can't be read: {error.strerror}.", "Choose another transcript."
        ) from error


def filed_under(plan: CapturePlan) -> str:
    """The issue that what a plan keeps is filed under, or how many: an edit may choose another."""
    issues = {captured.observation.issue_number for captured in plan.kept} or {plan.issue}
    return f"#{issues.pop()}" if len(issues) == 1 else plural(len(issues), "issue")


def from_whom(plan: CapturePlan) -> str:
    """`for claude-code`, or of how many sessions the plan is: `from 18 sessions`."""
    number = len(plan.sessions)
    return f"from {plural(number, 'session')}" if number else f"for {plan.agent}"


def refiled(plan: CapturePlan, *, issue: int | None = None, agent: str = "") -> CapturePlan:
    """Return a plan under another issue, or by another agent; what an edit chose stays."""

    def moved(memory: Observation) -> Observation:
        if issue is not None and memory.issue_number == plan.issue:
            memory = memory._replace(issue_number=issue)
        return memory._replace(agent=agent) if agent and memory.agent == plan.agent else memory

    kept = tuple(
        captured._replace(observation=moved(captured.observation)) for captured in plan.kept
    )
    number = plan.issue if issue is None else issue
    return replace(plan, kept=kept, issue=number, agent=agent or plan.agent)


def wrong_issue(text: str) -> str:
    """Return the problem of a text as an issue; empty where there is none."""
    return "Give an issue's number, 0 or more." if issue_named(text) is None else ""


def wrong_agent(text: str) -> str:
    """Return the problem of a text as an agent's name; empty where there is none."""
    return "" if is_agent(text) else "Use 1 to 64 letters, digits, `.`, `_` or `-`."


def carry_out(memory: Memory, plan: CapturePlan, notices: list[str]) -> Applied:
    """Store what a plan keeps; `notices` take what to know of it. Raises as `memory.capture`."""
    report = memory.capture.apply(plan)
    notices += map(sentence, report.notices)
    kept = len(report.stored)
    return Applied(report.operation_id, Action("capture", {"memories": kept}), kept)
