"""The injection preview: exactly what a session would be told, and why. It records nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Input

from memtui.formatting import count
from memtui.tui.export.operations import write_text
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, question
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.operations import OperationEnded, RunOperation
from memtui.tui.frame.routes import Context, NextOf, Open
from memtui.tui.frame.toasts import copied_message, tell
from memtui.tui.frame.type_ahead import keys_held
from memtui.tui.injection.gauge import InjectionGauge
from memtui.tui.injection.marks import (
    Mark,
    cycled,
    marks_of,
    plan_marks,
    rank_alike,
    toggled,
    without_saved,
)
from memtui.tui.injection.next_session import answer
from memtui.tui.injection.panes import InjectionPanes
from memtui.tui.injection.request import (
    title_of,
    what_is_lost,
    why_nothing,
    with_budget,
    with_next_channel,
    with_next_profile,
)
from memtui.tui.injection.request_bar import RequestBar, TaskBox
from memtui.tui.memory.actions import NO_MEMORY
from memtui.tui.widgets.empty_state import EmptyState
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.status_line import StatusLine
from memtui.tui.widgets.title_bar import TitleBar
from store.errors import StoreError
from store.model import Hit
from store.recall.request import RecallRequest
from store.recall.values import Recall, ScoredCandidate
from store.records import entry_of
from store.statistics import StoreState


class InjectionScreen(Screen[None]):
    """Candidates at the left, the text at the right, the gauge below; a what-if until saved."""

    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-tall")]  # noqa: RUF012 - as Screen has it
    BINDINGS = bindings("injection")
    CSS_PATH = "injection.tcss"
    AUTO_FOCUS = "#candidates"

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
        self._shown: RecallRequest | None = None
        self._asked_first: RecallRequest | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar(id="title")
        yield StatusLine(id="notice")
        yield RequestBar(id="request")
        yield EmptyState(id="empty")
        yield InjectionPanes(id="injection")
        yield InjectionGauge(id="injection-gauge")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self._bar = self.query_one(RequestBar)
        self._panes = self.query_one(InjectionPanes)
        self._gauge = self.query_one(InjectionGauge)
        self.query_one(TitleBar).place = self._place
        self._gauge.set_title("Budget")
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
            wanted, width = self._next or self.request, self._panes.text_width
            found = await ask(answer, self._memory, wanted, text_width=width)
            self._is_answered = True
            self._next, self.request = None, found.request
        request, self.recall = found.request, found.recall
        self._bar.show(request)
        still = self._shown is not None and rank_alike(self._shown, request)
        self._shown = request
        self._asked_first = self._asked_first or request
        self._panes.show(found.recall, marks_of(request), still=still)
        self._gauge.show(found.recall, title_of(request))
        self._say_nothing()
        self._arrange()
        self.refresh_bindings()
        waiting, self._waiting = self._waiting, None
        if waiting is not None and found.recall.text:
            waiting(found.recall)

    def _say_nothing(self) -> None:
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

    def failed(self, error: StoreError) -> None:
        """Say what went wrong, instead of what was there before."""
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

        self.post_message(Open(routes.PickAgent(self.known().agents, self.request.agent), picked))

    def action_pick_issue(self) -> None:
        def picked(issue: int | None) -> None:
            if issue is not None:
                self.want(self.request._replace(issue=issue if issue >= 0 else None))

        chosen = () if self.request.issue is None else (str(self.request.issue),)
        self.post_message(Open(routes.PickIssue(self.known().issues, chosen, free=True), picked))

    def action_try_mark(self) -> None:
        if (it := self._markable()) is not None:
            self.want(cycled(self.request, it.observation))

    def action_toggle_mark(self, mark: str) -> None:
        if (it := self._markable()) is not None:
            self.want(toggled(self.request, it.observation, Mark(mark)))

    def _markable(self) -> ScoredCandidate | None:
        """The candidate under the cursor, if it is a memory; else that is told."""
        it = self.candidate
        if it is None or it.is_memory:
            return it
        tell(self.app, NO_MEMORY)
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
            self._panes.focus_candidates()
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
        tell(self.app, copied_message(self.app, copied, "injection.write"))

    # Looking

    @on(RowList.Chosen, "#candidates")
    def _open_candidate(self) -> None:
        if (it := self.candidate) is None:
            return
        seen = it.observation
        if it.is_memory:
            self.post_message(Open(routes.OneMemory(Hit(entry_of(seen), it.score))))
        else:
            self.post_message(Open(routes.Session(seen.session_id, message=seen.id)))

    def action_pane(self, step: int) -> None:
        self._panes.step()

    def action_zoom(self) -> None:
        self._panes.zoomed = not self._panes.zoomed

    def action_leave(self) -> None:
        if self._panes.zoomed:
            self._panes.zoomed = False
        elif self._panes.candidates.is_filtered:
            self._panes.candidates.list_all()
        elif lost := what_is_lost(self._asked_first, self.request, self._memory.recall.budget_for):
            self.post_message(Open(routes.Confirm("Leave the preview", lost), self._left))
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
        return self._panes.candidate

    @property
    def _is_found(self) -> bool:
        return self.recall is not None and bool(self.recall.candidates)

    def on_descendant_focus(self) -> None:
        self._arrange()
        self._say_nothing()

    def on_descendant_blur(self) -> None:
        self._say_nothing()

    def on_resize(self) -> None:
        self._arrange()

    def _arrange(self) -> None:
        """Show the panes that fit, or the sentence where there is nothing to recall."""
        if not self.is_mounted:
            return
        empty = self.query_one(EmptyState)
        nothing = self.recall is not None and not self._is_found
        empty.display, self._panes.display = nothing, not nothing
        self._panes.zoomed = self._panes.zoomed and not nothing
        self._panes.fit()
        if nothing and not isinstance(self.focused, TaskBox):
            self.set_focus(None)
        elif not nothing and self.focused is None:
            self._panes.focus_candidates()
