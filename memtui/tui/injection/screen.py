"""The injection preview: exactly what a session would be given, and why. It records nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Input

from memtui.formatting import count
from memtui.tui.dialogs.choices import pick_agent, pick_issue
from memtui.tui.export.save import write_text
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.paragraphs import Paragraph
from memtui.tui.frame.route import Context, Open
from memtui.tui.frame.routes import NextOf
from memtui.tui.frame.toasts import copied_message, toast
from memtui.tui.frame.type_ahead import NOT_HELD, KeysHeld, keys_held
from memtui.tui.injection.forecast import RecallFound, answer, forecast_of, title_of
from memtui.tui.injection.marks import Mark, cycled, marks_of, plan_marks, toggled, without_saved
from memtui.tui.injection.panes import InjectionPanes
from memtui.tui.injection.request import (
    are_ranked_alike,
    what_is_lost,
    why_nothing,
    with_budget,
    with_next_channel,
    with_next_profile,
)
from memtui.tui.injection.request_bar import RequestBar, TaskBox
from memtui.tui.memory.actions import NO_MEMORY
from memtui.tui.operations import OperationEnded, RunOperation
from memtui.tui.widgets.gauge import Gauge
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import EmptyState, StatusLine
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.title_bar import TitleBar
from store.errors import StoreError
from store.model import Hit
from store.recall.request import RecallRequest
from store.recall.values import Recall, ScoredCandidate
from store.store_state import StoreState


class InjectionScreen(Screen[None]):
    """The request at the top, then candidates and the text, the gauge at the bottom."""

    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-tall")]  # noqa: RUF012 - as Screen has it
    MANUAL_PAGE = "screens/injection.md"
    BINDINGS = bindings("injection")
    CSS_PATH = "injection.tcss"
    AUTO_FOCUS = "#candidates"

    def __init__(self, context: Context, route: routes.Injection) -> None:
        super().__init__()
        self._memory = context.memory
        self._place = context.place
        self._now = context.now
        self._known = route.known
        self._wanted = route.request
        self._found: RecallFound | None = None
        self._is_answered = False
        self._first: RecallRequest | None = None
        self._saving: RecallRequest | None = None
        self._waiting: Callable[[Recall], None] | None = None
        """To be called with the recall that is asked for."""
        self._writable = True

    def compose(self) -> ComposeResult:
        yield TitleBar(id="title")
        yield StatusLine(id="notice")
        yield RequestBar(id="request")
        yield EmptyState(id="empty")
        yield InjectionPanes()
        yield Gauge(id="injection-gauge")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self._bar = self.query_one(RequestBar)
        self._panes = self.query_one(InjectionPanes)
        self.query_one(TitleBar).place = self._place
        self.query_one(EmptyState).set_title("Candidates")
        self._show_panes()
        self._bar.show(self.request)
        self._read_state()
        self._ask(keys_held(self) if isinstance(self._wanted, NextOf) else NOT_HELD)

    @exclusive_worker(group="state")
    async def _read_state(self) -> None:
        self._show_state(await ask(self._memory.state))

    def _show_state(self, state: StoreState) -> None:
        """Say how much the store holds, and where it can't be written."""
        self.query_one(TitleBar).show(state)
        self._writable = state.writable
        notice = "Memory is read-only: you can try pins and mutes, but not save them."
        self.query_one("#notice", StatusLine).show_message("" if self._writable else notice)
        self.refresh_bindings()

    # Asking, and showing the answer

    @property
    def request(self) -> RecallRequest:
        """The request; an empty one until it is known what the next session asks for."""
        return RecallRequest() if isinstance(self._wanted, NextOf) else self._wanted

    @property
    def recall(self) -> Recall | None:
        return None if self._found is None else self._found.recall

    @property
    def _has_candidates(self) -> bool:
        return self._found is not None and bool(self._found.recall.candidates)

    def want(self, request: RecallRequest) -> None:
        if request != self.request:
            self._wanted = request
            self._bar.show(request)
            self._ask()
            self.refresh_bindings()

    def _ask(self, held: KeysHeld = NOT_HELD) -> None:
        """Ask for what is wanted now; keys that are `held` wait for the answer."""
        self._is_answered = False
        self._answer(held)

    @exclusive_worker(group="recall")
    async def _answer(self, held: KeysHeld) -> None:
        with held:
            found = await ask(answer, self._memory, self._wanted)
            usage = await ask(self._memory.known_usage)
            before = self._found
            self._wanted, self._found, self._is_answered = found.request, found, True
        request, recall = found.request, found.recall
        self._first = self._first or request
        self._bar.show(request)
        still = (
            before is not None
            and before.request != request  # else memory changed: what is new is seen in its place
            and are_ranked_alike(before.request, request)
        )
        self._panes.show(recall, marks_of(request), usage.counts, still=still)
        title = f"Budget {title_of(request)}"
        gauge = forecast_of(found)._replace(title=title, counter=recall.counter)
        self.query_one(Gauge).forecast = gauge
        self._explain_nothing()
        self._show_panes()
        waiting, self._waiting = self._waiting, None
        if waiting is not None and recall.text:
            waiting(recall)

    def failed(self, error: StoreError) -> None:
        self.query_one(EmptyState).show_message(error.message, error.hint)
        self._found, self._waiting, self._is_answered = None, None, True
        self._show_panes()

    def on_operation_ended(self, event: OperationEnded) -> None:
        """Memory was changed: ask again; what is saved needs no trying any more."""
        if event.state is not None:
            self._show_state(event.state)
        saved, self._saving = self._saving, None
        if saved is not None and event.applied is not None and not event.applied.left:
            self._wanted = without_saved(self.request, saved)
        self._ask()

    def on_memory_changed(self) -> None:
        self._read_state()
        self._ask()

    def _explain_nothing(self) -> None:
        """Prepare the sentence for where there are no candidates, or no room."""
        enabled, remembers = self._memory.settings.enabled, bool(self._known().agents)
        key_of = partial(key_in_use, self.app)
        words = why_nothing(self.request, key_of, enabled=enabled, remembers=remembers)
        self.query_one(EmptyState).show_message(*words)

    def _show_panes(self) -> None:
        """Show the panes, or the sentence where there is nothing to recall."""
        nothing = self._is_answered and not self._has_candidates
        self.query_one(EmptyState).display = nothing
        self._panes.display = not nothing
        if nothing:
            self._panes.zoomed = False
        self._panes.fit_panes()
        if nothing and not isinstance(self.focused, TaskBox):
            self.set_focus(None)
        elif not nothing and self.focused is None:
            self._panes.focus_candidates()
        self.refresh_bindings()

    def on_descendant_focus(self) -> None:
        self._panes.fit_panes()
        self._explain_nothing()

    def on_descendant_blur(self) -> None:
        self._explain_nothing()

    # Changing what is asked for

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

        self.post_message(Open(pick_agent(self._known().agents, self.request.agent), picked))

    def action_pick_issue(self) -> None:
        def picked(issue: int | None) -> None:
            if issue is not None:
                self.want(self.request._replace(issue=issue if issue >= 0 else None))

        chosen = () if self.request.issue is None else (str(self.request.issue),)
        route = pick_issue(self._memory, self._known().issues, chosen, self._now(), any_issue=True)
        self.post_message(Open(route, picked))

    def action_compare(self) -> None:
        def taken(request: RecallRequest | None) -> None:
            if request is not None:
                self.want(request)

        self.post_message(Open(routes.Comparison(self.request), taken))

    def action_task(self) -> None:
        self.set_focus(self._bar.box)

    @on(Input.Changed, "#task")
    def _task_typed(self, event: Input.Changed) -> None:
        self.want(self.request._replace(task=event.value.strip()))

    def action_leave_task(self) -> None:
        if self._has_candidates:
            self._panes.focus_candidates()
        else:
            self.set_focus(None)

    # Marks: tried, then saved

    def action_try_mark(self) -> None:
        if (candidate := self._markable()) is not None:
            self.want(cycled(self.request, candidate.observation))

    def action_toggle_mark(self, mark: str) -> None:
        if (candidate := self._markable()) is not None:
            self.want(toggled(self.request, candidate.observation, Mark(mark)))

    def _markable(self) -> ScoredCandidate | None:
        """Return the candidate under the cursor; None with a toast if that is no memory."""
        candidate = self._panes.candidate
        if candidate is None or candidate.is_memory:
            return candidate
        toast(self.app, NO_MEMORY)
        return None

    def action_save(self) -> None:
        request = self._saving = self.request
        self.post_message(RunOperation(lambda memory: memory.apply(plan_marks(memory, request))))

    # Keeping the text

    def action_copy(self) -> None:
        self._with_recall(self._copy)

    def action_write(self) -> None:
        self._with_recall(lambda recall: write_text(self.app, "text", "recall", recall.text))

    def _with_recall(self, use: Callable[[Recall], None]) -> None:
        """Use the recall of what is asked for now, once it is there."""
        if self._found is not None and self._is_answered:
            use(self._found.recall)
        else:
            self._waiting = use

    def _copy(self, recall: Recall) -> None:
        self.app.copy_to_clipboard(recall.text)
        copied = f"the text: {count(recall.tokens)} tokens"
        toast(self.app, copied_message(self.app, copied, "injection.write"))

    # Looking, and leaving

    @on(RowList.Chosen, "#candidates")
    def _open_candidate(self) -> None:
        if (candidate := self._panes.candidate) is None:
            return
        observation = candidate.observation
        if candidate.is_memory:
            self.post_message(Open(routes.OneMemory(Hit(observation, candidate.score))))
        else:
            message = observation.id
            self.post_message(Open(routes.Session(observation.session_id, message=message)))

    def action_pane(self, step: int) -> None:
        self._panes.step()

    def action_zoom(self) -> None:
        self._panes.zoomed = not self._panes.zoomed

    def action_leave(self) -> None:
        if self._panes.zoomed:
            self._panes.zoomed = False
        elif self._panes.candidates.is_filtered:
            self._panes.candidates.list_all()
        elif lost := what_is_lost(self._first, self.request, self._memory.recall.budget_for):
            route = routes.Confirm("Leave the preview", [Paragraph(lost)])
            self.post_message(Open(route, self._leave_if))
        else:
            self.dismiss()

    def _leave_if(self, sure: bool | None) -> None:
        if sure:
            self.dismiss()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "save":
            return bool(marks_of(self.request)) and self._writable
        if action in {"copy", "write"}:
            return not self._is_answered or (self.recall is not None and bool(self.recall.text))
        if action in {"compare", "pane", "zoom"}:
            return not self._is_answered or self._has_candidates
        return True
