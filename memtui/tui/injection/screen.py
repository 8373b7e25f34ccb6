"""The injection preview: exactly what a session would be told, and why. It records nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input

from memtui.formatting import count
from memtui.tui import routes
from memtui.tui.clipboard import copied_message
from memtui.tui.export.operations import write_text
from memtui.tui.injection.gauge import InjectionGauge
from memtui.tui.injection.keys import INJECTION_KEYS
from memtui.tui.injection.marks import (
    marks_of,
    plan_marks,
    rank_alike,
    without_saved,
)
from memtui.tui.injection.next_session import question_for
from memtui.tui.injection.panes import InjectionPanes
from memtui.tui.injection.request import (
    RecallFound,
    StateRead,
    read_state,
    title_of,
    what_is_lost,
    why_nothing,
)
from memtui.tui.injection.request_actions import RequestActions
from memtui.tui.injection.request_bar import RequestBar, TaskBox
from memtui.tui.key_names import key_in_use
from memtui.tui.operations import OperationEnded, RunOperation
from memtui.tui.route import Context, Open
from memtui.tui.routes import NextOf
from memtui.tui.toasts import tell
from memtui.tui.type_ahead import TypeAhead
from memtui.tui.widgets.empty_state import EmptyState
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.status_line import StatusLine
from memtui.tui.widgets.title_bar import TitleBar
from memtui.tui.worker import MemoryFailed, ask
from store.model import Hit
from store.records import entry_of
from store.values import Recall, RecallRequest, ScoredCandidate


class InjectionScreen(RequestActions):
    """Candidates at the left, the text at the right, the gauge below; a what-if until saved."""

    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-tall")]  # noqa: RUF012 - as Screen has it
    BINDINGS = INJECTION_KEYS
    CSS_PATH = "injection.tcss"
    AUTO_FOCUS = "#candidates"

    def __init__(self, context: Context, route: routes.Injection) -> None:
        super().__init__()
        self._memory = context.memory
        self.budget_for = context.memory.budget_for
        self._place = context.place
        self.known = route.known
        self._next = route.request if isinstance(route.request, NextOf) else None
        self.request = RecallRequest() if isinstance(route.request, NextOf) else route.request
        self._let_keys_go: Callable[[bool], None] = lambda expected: None
        self._number = 0
        self._answered = 0
        self._waiting: Callable[[Recall], None] | None = None
        self.recall: Recall | None = None
        self._writable = True
        self._saving: RecallRequest | None = None
        self._shown: RecallRequest | None = None
        self._asked_first: RecallRequest | None = None

    def compose(self) -> ComposeResult:
        """What is asked for, the candidates and why, the text, the gauge."""
        yield TitleBar(id="title")
        yield StatusLine(id="notice")
        yield RequestBar(id="request")
        yield EmptyState(id="empty")
        yield InjectionPanes(id="injection")
        yield InjectionGauge(id="injection-gauge")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Ask for what was wished."""
        self._bar = self.query_one(RequestBar)
        self._panes = self.query_one(InjectionPanes)
        self._gauge = self.query_one(InjectionGauge)
        self.query_one(TitleBar).place = self._place
        self._gauge.set_title("Budget")
        self.query_one(EmptyState).set_title("Candidates")
        self._arrange()
        self._bar.show(self.request)
        ask(self, read_state(self._memory), group="state")
        if self._next is not None:
            self._let_keys_go = cast(TypeAhead, self.app).hold_keys(for_screen=False)
        self._ask()

    def on_state_read(self, event: StateRead) -> None:
        """Say how much the store holds, and where it can't be written."""
        self.query_one(TitleBar).show(event.state)
        self._writable = event.state.writable
        said = "Memory is read-only: you can try pins and mutes, but not save them."
        self.query_one("#notice", StatusLine).say("" if self._writable else said)
        self.refresh_bindings()

    # What is asked for

    def want(self, request: RecallRequest) -> None:
        """Ask for another recall, unless it is the same."""
        if request != self.request:
            self.request = request
            self._bar.show(request)
            self._ask()
            self.refresh_bindings()

    def _ask(self) -> None:
        self._number += 1
        wanted, width = self._next or self.request, self._panes.text_width
        question = question_for(self._memory, wanted, self._number, text_width=width)
        ask(self, question, group="recall")

    def on_recall_found(self, event: RecallFound) -> None:
        """Show the answer, if it is the one to what is asked for now."""
        if event.number != self._number:
            return
        self.recall = recall = event.recall
        self._answered = event.number
        if self._next is not None:
            self._next, self.request = None, event.request
            self._let_keys_go(False)
            self._bar.show(event.request)
        still = self._shown is not None and rank_alike(self._shown, event.request)
        self._shown = event.request
        self._asked_first = self._asked_first or event.request
        self._panes.show(recall, marks_of(event.request), still=still)
        self._gauge.show(recall, title_of(event.request))
        self._say_nothing()
        self._arrange()
        self.refresh_bindings()
        waiting, self._waiting = self._waiting, None
        if waiting is not None and recall.text:
            waiting(recall)

    def _say_nothing(self) -> None:
        """Prepare the sentence for where there are no candidates, or no room."""
        enabled, remembers = self._memory.settings.enabled, bool(self.known().agents)
        key_of = partial(key_in_use, self.app)
        said = why_nothing(self.request, key_of, enabled=enabled, remembers=remembers)
        self.query_one(EmptyState).say(*said)

    def on_operation_ended(self, event: OperationEnded) -> None:
        """Memory was changed: ask again; what is saved needs no trying any more."""
        if event.state is not None:
            self.on_state_read(StateRead(event.state))
        saved, self._saving = self._saving, None
        if saved is not None and event.applied is not None and not event.applied.left:
            self.request = without_saved(self.request, saved)
        self._ask()

    def on_memory_failed(self, event: MemoryFailed) -> None:
        """Say what went wrong, instead of what was there before."""
        self.query_one(EmptyState).say(event.error.message, event.error.hint)
        self.recall, self._waiting = Recall(), None
        self._let_keys_go(False)
        self._answered = self._number
        self._arrange()
        self.refresh_bindings()

    # The task

    def action_task(self) -> None:
        """Type the words of the task."""
        self.set_focus(self._bar.box)

    @on(Input.Changed, "#task")
    def _task_typed(self, event: Input.Changed) -> None:
        self.want(self.request._replace(task=event.value.strip()))

    def action_leave_task(self) -> None:
        """Back to the candidates."""
        if self._is_found:
            self._panes.focus_candidates()
        else:
            self.set_focus(None)

    # Keeping it

    def action_save(self) -> None:
        """Write the pins and mutes that are tried."""
        request = self._saving = self.request
        self.post_message(RunOperation(lambda memory: memory.apply(plan_marks(memory, request))))

    def action_copy(self) -> None:
        """Hand the text to the terminal, which never says whether it took it."""
        self._with_recall(self._copy)

    def action_write(self) -> None:
        """Write the text to a file."""
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
            self.post_message(Open(routes.Memory(Hit(entry_of(seen), it.score))))
        else:
            self.post_message(Open(routes.Session(seen.session_id, message=seen.id)))

    def action_pane(self, step: int) -> None:
        """Go to the next or previous pane."""
        self._panes.step()

    def action_zoom(self) -> None:
        """Give the pane with the focus the whole screen, or take it back."""
        self._panes.zoomed = not self._panes.zoomed

    def action_leave(self) -> None:
        """Take the whole screen back from a pane, else go back to where one was."""
        if self._panes.zoomed:
            self._panes.zoomed = False
        elif self._panes.candidates.is_filtered:
            self._panes.candidates.list_all()
        elif lost := what_is_lost(self._asked_first, self.request, self.budget_for):
            self.post_message(Open(routes.Confirm("Leave the preview", lost), self._left))
        else:
            self.dismiss()

    def _left(self, sure: bool | None) -> None:
        if sure:
            self.dismiss()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys are offered where they do something, or may once the answer is there."""
        if action == "save":
            return bool(marks_of(self.request)) and self._writable
        if action in {"copy", "write"}:
            return not self._is_answered or (self.recall is not None and bool(self.recall.text))
        if action in {"compare", "pane", "zoom"}:
            return not self._is_answered or self._is_found
        return True

    @property
    def candidate(self) -> ScoredCandidate | None:
        """The candidate under the cursor."""
        return self._panes.candidate

    @property
    def _is_answered(self) -> bool:
        """Whether what is asked for now was answered."""
        return self._answered == self._number

    @property
    def _is_found(self) -> bool:
        return self.recall is not None and bool(self.recall.candidates)

    def on_descendant_focus(self) -> None:
        """Where there is room for one pane, it is the one with the focus."""
        self._arrange()
        self._say_nothing()

    def on_descendant_blur(self) -> None:
        """Keys that were typed into the box work again."""
        self._say_nothing()

    def on_resize(self) -> None:
        """Show what fits."""
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
