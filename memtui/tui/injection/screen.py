"""The injection preview: exactly what a session would be given, and why. It records nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial

from textual import on
from textual.app import ComposeResult, RenderResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Input, Static

from memtui.formatting import count, plural
from memtui.tui.dialogs.choices import pick_agent, pick_issue
from memtui.tui.export.save import write_text
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, question
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.paragraphs import Paragraph
from memtui.tui.frame.routes import Context, NextOf, Open
from memtui.tui.frame.toasts import copied_message, toast
from memtui.tui.frame.type_ahead import keys_held
from memtui.tui.injection.candidates import CandidatesPane, Why
from memtui.tui.injection.request import (
    Mark,
    answer,
    are_ranked_alike,
    cycled,
    forecast_of,
    marks_of,
    plan_marks,
    title_of,
    toggled,
    what_is_lost,
    why_nothing,
    with_budget,
    with_next_channel,
    with_next_profile,
    without_saved,
)
from memtui.tui.injection.text import RecallText
from memtui.tui.memory.actions import NO_MEMORY
from memtui.tui.operations import OperationEnded, RunOperation
from memtui.tui.widgets.gauge import Gauge
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import Box, EmptyState, StatusLine
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.title_bar import TitleBar
from store.errors import StoreError
from store.model import Hit
from store.recall.request import RecallRequest
from store.recall.values import Recall, ScoredCandidate
from store.records import entry_of
from store.statistics import StoreState
from store.text.display import visible

NO_TASK = "(none)"


@dataclass(frozen=True, slots=True)
class _Part:
    """One thing that is asked for: its name, its value, the bindings that change it."""

    name: str
    value: str
    bindings: tuple[str, ...]


_ACTIONS = {
    "injection.agent": "pick_agent",
    "injection.issue": "pick_issue",
    "injection.profile": "profile",
    "injection.channel": "channel",
    "injection.more": "budget(1)",
    "injection.less": "budget(-1)",
    "injection.task": "task",
}
"""What the bindings do, for a click on their keys or what they change."""


class RequestLine(Widget):
    ALLOW_SELECT = False
    auto_links = False
    request: reactive[RecallRequest | None] = reactive(None)
    keys: reactive[Mapping[str, str]] = reactive(dict)
    """The keys of the bindings."""

    def render(self) -> RenderResult:
        if self.request is None:
            return ""
        parts = _parts(self.request)
        line = self._line(parts, named=True)
        if line.cell_length > self.content_size.width:
            line = self._line(parts, named=False)
        return line.truncate(self.content_size.width, ellipsis=True)

    def _line(self, parts: list[_Part], *, named: bool) -> Content:
        return Content("   ").join(
            Content.assemble(
                *(_key(self.keys, binding) for binding in part.bindings),
                Content.assemble(
                    (f"{part.name} " if named else "", "$dim"), (part.value, "bold $foreground")
                ).stylize(_clicking(part.bindings[0])),
            )
            for part in parts
        )


class TaskBox(Box):
    """The words of the task; the recall follows as one types."""

    BINDINGS = bindings("task")

    def __init__(self) -> None:
        super().__init__(id="task", placeholder=NO_TASK)


class RequestBar(Vertical):
    def compose(self) -> ComposeResult:
        yield RequestLine()
        with Horizontal(id="task-line"):
            yield Static(id="task-name", markup=False)
            yield TaskBox()

    def on_mount(self) -> None:
        keys = {binding: key_in_use(self.app, binding) for binding in _ACTIONS}
        self.query_one(RequestLine).keys = keys
        task = Content.assemble(_key(keys, "injection.task"), ("task ", "$dim"))
        self.query_one("#task-name", Static).update(task)

    def show(self, request: RecallRequest) -> None:
        self.query_one(RequestLine).request = request
        self.box.placeholder = about(request) or NO_TASK

    @property
    def box(self) -> TaskBox:
        return self.query_one(TaskBox)


def about(request: RecallRequest) -> str:
    """Subject of a session before its task: `branch issue 42 login, 3 changed files`."""
    branch = f"branch {' '.join(request.branch_words)}" if request.branch_words else ""
    files = plural(len(request.changed_files), "changed file") if request.changed_files else ""
    commits = plural(len(request.commits), "last commit") if request.commits else ""
    found = ", ".join(filter(None, (branch, files, commits)))
    return visible(f"(none)  {found}" if found else "", newlines=False)


def _parts(request: RecallRequest) -> list[_Part]:
    issue = "any" if request.issue is None else str(request.issue)
    return [
        _Part("agent", visible(request.agent or "any", newlines=False), ("injection.agent",)),
        _Part("issue", issue, ("injection.issue",)),
        _Part("profile", request.profile or "", ("injection.profile",)),
        _Part("client" if request.client else "channel", request.channel, ("injection.channel",)),
        _Part("budget", count(request.budget or 0), ("injection.more", "injection.less")),
    ]


def _key(keys: Mapping[str, str], binding: str) -> Content:
    key = Content.styled(f"{keys.get(binding, '')} ", "bold $accent-text")
    return key.stylize(_clicking(binding))


def _clicking(binding: str) -> Style:
    return Style.from_meta({"@click": f"screen.{_ACTIONS[binding]}"})


BESIDE = 110
"""Columns from which the text fits beside the candidates."""
TALL = 18
"""Lines from which it is said why a candidate is in or out."""


class InjectionScreen(Screen[None]):
    """Candidates and why at the left, the text at the right, the gauge below.

    Where there is room for one of the panes, it is the one with the focus.
    """

    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-tall")]  # noqa: RUF012 - as Screen has it
    BINDINGS = bindings("injection")
    CSS_PATH = "injection.tcss"
    AUTO_FOCUS = "#candidates"

    zoomed = reactive(False, init=False)
    """True if the pane with the focus has the screen to itself."""

    def __init__(self, context: Context, route: routes.Injection) -> None:
        super().__init__()
        self._memory = context.memory
        self._place = context.place
        self.known = route.known
        self._next = route.request if isinstance(route.request, NextOf) else None
        self.request = RecallRequest() if isinstance(route.request, NextOf) else route.request
        self._is_answered = False
        self._waiting: Callable[[Recall], None] | None = None
        self.recall: Recall | None = None
        self._writable = True
        self._saving: RecallRequest | None = None
        self._following = False
        self._shown: RecallRequest | None = None
        self._asked_first: RecallRequest | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar(id="title")
        yield StatusLine(id="notice")
        yield RequestBar(id="request")
        yield EmptyState(id="empty")
        with Horizontal(id="injection"):
            with Vertical(id="ranked"):
                yield CandidatesPane(id="candidates-pane")
                yield Why(id="why")
            yield RecallText(id="recall-text")
        yield Gauge(id="injection-gauge")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self._bar = self.query_one(RequestBar)
        self._candidates = self.query_one(CandidatesPane)
        self._why = self.query_one(Why)
        self._text = self.query_one(RecallText)
        self._text.set_title("Text")
        self._gauge = self.query_one(Gauge)
        self.query_one(TitleBar).place = self._place
        self.query_one(EmptyState).set_title("Candidates")
        self._arrange()
        self._bar.show(self.request)
        self._read_state()
        self._ask(keys_held(self) if self._next is not None else None)

    @question("state")
    async def _read_state(self) -> None:
        self._know(await ask(self._memory.state))

    def _know(self, state: StoreState) -> None:
        """Say how much the store holds, and where it can't be written."""
        self.query_one(TitleBar).show(state)
        self._writable = state.writable
        said = "Memory is read-only: you can try pins and mutes, but not save them."
        self.query_one("#notice", StatusLine).say("" if self._writable else said)
        self.refresh_bindings()

    # What is asked for

    def want(self, request: RecallRequest) -> None:
        if request != self.request:
            self.request = request
            self._bar.show(request)
            self._ask()
            self.refresh_bindings()

    def _ask(self, held: AbstractContextManager[None] | None = None) -> None:
        """Ask for what is wanted now; keys that are `held` wait for the answer."""
        self._is_answered = False
        self._answer(held or nullcontext())

    @question("recall")
    async def _answer(self, held: AbstractContextManager[None]) -> None:
        with held:
            found = await ask(answer, self._memory, self._next or self.request)
            self._is_answered = True
            self._next, self.request = None, found.request
        request, self.recall = found.request, found.recall
        self._bar.show(request)
        still = self._shown is not None and are_ranked_alike(self._shown, request)
        self._shown = request
        self._asked_first = self._asked_first or request
        self._candidates.show(found.recall, marks_of(request), still=still)
        self._text.show(found.recall)
        self._text.set_title("Text", plural(found.recall.tokens, "token"))
        self._explain()
        self._gauge.forecast = forecast_of(found)._replace(
            title=f"Budget {title_of(request)}", counter=found.recall.counter
        )
        self._explain_nothing()
        self._arrange()
        self.refresh_bindings()
        waiting, self._waiting = self._waiting, None
        if waiting is not None and found.recall.text:
            waiting(found.recall)

    def _explain_nothing(self) -> None:
        """Prepare the sentence for where there are no candidates, or no room."""
        enabled, remembers = self._memory.settings.enabled, bool(self.known().agents)
        key_of = partial(key_in_use, self.app)
        said = why_nothing(self.request, key_of, enabled=enabled, remembers=remembers)
        self.query_one(EmptyState).say(*said)

    def on_operation_ended(self, event: OperationEnded) -> None:
        """Memory was changed: ask again; what is saved needs no trying any more."""
        if event.state is not None:
            self._know(event.state)
        saved, self._saving = self._saving, None
        if saved is not None and event.applied is not None and not event.applied.left:
            self.request = without_saved(self.request, saved)
        self._ask()

    def on_memory_changed(self) -> None:
        self._read_state()
        self._ask()

    def failed(self, error: StoreError) -> None:
        self.query_one(EmptyState).say(error.message, error.hint)
        self.recall, self._waiting = Recall(), None
        self._is_answered = True
        self._arrange()
        self.refresh_bindings()

    def action_budget(self, step: int) -> None:
        self.want(with_budget(self.request, step, self._memory.recall.budget_for))

    def action_profile(self) -> None:
        self.want(with_next_profile(self.request))

    def action_channel(self) -> None:
        self.want(with_next_channel(self.request, self._memory.recall.budget_for))

    def action_pick_agent(self) -> None:
        def picked(agent: str | None) -> None:
            if agent is not None:
                self.want(self.request._replace(agent=agent or None))

        self.post_message(Open(pick_agent(self.known().agents, self.request.agent), picked))

    def action_pick_issue(self) -> None:
        def picked(issue: int | None) -> None:
            if issue is not None:
                self.want(self.request._replace(issue=issue if issue >= 0 else None))

        chosen = () if self.request.issue is None else (str(self.request.issue),)
        route = pick_issue(self._memory, self.known().issues, chosen, any_issue=True)
        self.post_message(Open(route, picked))

    def action_try_mark(self) -> None:
        if (candidate := self._markable()) is not None:
            self.want(cycled(self.request, candidate.observation))

    def action_toggle_mark(self, mark: str) -> None:
        if (candidate := self._markable()) is not None:
            self.want(toggled(self.request, candidate.observation, Mark(mark)))

    def _markable(self) -> ScoredCandidate | None:
        """Return the candidate under the cursor, if it is a memory; else that is told."""
        candidate = self.candidate
        if candidate is None or candidate.is_memory:
            return candidate
        toast(self.app, NO_MEMORY)
        return None

    def action_compare(self) -> None:
        def taken(request: RecallRequest | None) -> None:
            if request is not None:
                self.want(request)

        self.post_message(Open(routes.Comparison(self.request), taken))

    # The task

    def action_task(self) -> None:
        self.set_focus(self._bar.box)

    @on(Input.Changed, "#task")
    def _task_typed(self, event: Input.Changed) -> None:
        self.want(self.request._replace(task=event.value.strip()))

    def action_leave_task(self) -> None:
        if self._is_found:
            self._focus_candidates()
        else:
            self.set_focus(None)

    # Keeping it

    def action_save(self) -> None:
        request = self._saving = self.request
        self.post_message(RunOperation(lambda memory: memory.apply(plan_marks(memory, request))))

    def action_copy(self) -> None:
        self._with_recall(self._copy)

    def action_write(self) -> None:
        self._with_recall(lambda recall: write_text(self.app, "text", "recall", recall.text))

    def _with_recall(self, use: Callable[[Recall], None]) -> None:
        """Use the recall of what is asked for now, once it is there."""
        if self.recall is not None and self._is_answered:
            use(self.recall)
        else:
            self._waiting = use

    def _copy(self, recall: Recall) -> None:
        self.app.copy_to_clipboard(recall.text)
        copied = f"the text: {count(recall.tokens)} tokens"
        toast(self.app, copied_message(self.app, copied, "injection.write"))

    # Looking

    def watch_zoomed(self) -> None:
        self._arrange()

    @on(RowList.Moved, "#candidates")
    def _candidate_moved(self) -> None:
        self._following = True
        self._explain()

    @on(CandidatesPane.Listed)
    def _explain(self) -> None:
        """Say why, and once the cursor was moved show where the text tells of it."""
        candidate = self.candidate
        self._why.show(candidate, self.recall or Recall())
        identifier = candidate.observation.id if candidate is not None else ""
        self._text.show_note(identifier, reveal=self._following)

    @on(RowList.Chosen, "#candidates")
    def _open_candidate(self) -> None:
        if (candidate := self.candidate) is None:
            return
        seen = candidate.observation
        if candidate.is_memory:
            self.post_message(Open(routes.OneMemory(Hit(entry_of(seen), candidate.score))))
        else:
            self.post_message(Open(routes.Session(seen.session_id, message=seen.id)))

    def action_pane(self, step: int) -> None:
        """Go to the text, or back to the candidates: with two panes, each step is the same."""
        if self._text.has_focus:
            self._focus_candidates()
        else:
            self._text.display = True
            self.set_focus(self._text)

    def _focus_candidates(self) -> None:
        self.query_one("#ranked").display = True
        self.set_focus(self._candidates.rows)

    def action_zoom(self) -> None:
        self.zoomed = not self.zoomed

    def action_leave(self) -> None:
        if self.zoomed:
            self.zoomed = False
        elif self._candidates.is_filtered:
            self._candidates.list_all()
        elif lost := what_is_lost(self._asked_first, self.request, self._memory.recall.budget_for):
            self.post_message(
                Open(routes.Confirm("Leave the preview", [Paragraph(lost)]), self._left)
            )
        else:
            self.dismiss()

    def _left(self, sure: bool | None) -> None:
        if sure:
            self.dismiss()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "save":
            return bool(marks_of(self.request)) and self._writable
        if action in {"copy", "write"}:
            return not self._is_answered or (self.recall is not None and bool(self.recall.text))
        if action in {"compare", "pane", "zoom"}:
            return not self._is_answered or self._is_found
        return True

    @property
    def candidate(self) -> ScoredCandidate | None:
        return self._candidates.rows.at if self.is_mounted else None

    @property
    def _is_found(self) -> bool:
        return self.recall is not None and bool(self.recall.candidates)

    def on_descendant_focus(self) -> None:
        self._arrange()
        self._explain_nothing()

    def on_descendant_blur(self) -> None:
        self._explain_nothing()

    def on_resize(self) -> None:
        self._arrange()

    def _arrange(self) -> None:
        """Show the panes that fit, or the sentence where there is nothing to recall."""
        if not self.is_mounted:
            return
        empty = self.query_one(EmptyState)
        nothing = self.recall is not None and not self._is_found
        empty.display = nothing
        self.query_one("#injection").display = not nothing
        self.set_reactive(InjectionScreen.zoomed, self.zoomed and not nothing)
        alone = self.zoomed or self.size.width < BESIDE
        reading = self.focused is self._text
        self._text.display = reading or not alone
        self.query_one("#ranked").display = not (reading and alone)
        self._why.display = not (self.zoomed and not reading) and self.size.height >= TALL
        self._why.write()
        if nothing and not isinstance(self.focused, TaskBox):
            self.set_focus(None)
        elif not nothing and self.focused is None:
            self._focus_candidates()
