"""Effects of another profile, budget or channel on a recall, as a diff."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.formatting import count, fit
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.route import Context
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.frame.toasts import toast_error
from memtui.tui.injection.request import with_budget, with_next_channel, with_next_profile
from memtui.tui.widgets.filter_box import FilterBox
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import Window
from memtui.tui.widgets.row_list import RowList
from memtui.words.recall import why_included
from store.errors import StoreError
from store.recall.request import RecallRequest
from store.recall.values import Recall, ScoredCandidate
from store.text.display import visible_line


@dataclass(frozen=True, slots=True)
class _Changed:
    """A candidate that would come in, or go; and why."""

    candidate: ScoredCandidate
    enters: bool
    reason: str

    @property
    def text(self) -> str:
        memory = self.candidate.observation
        return f"#{memory.issue_number} {memory.category} {memory.summary} {self.reason}"


class DiffList(RowList[_Changed]):
    """Candidates that would come in, then those that would go."""

    def __init__(self) -> None:
        super().__init__(id="recall-diff-rows")

    def row(self, index: int, width: int) -> Content:
        change = self.rows[index]
        memory = change.candidate.observation
        style = "$text-success" if change.enters else "$text-error"
        reason = min(36, width // 3) if width >= 60 else 0
        room = max(0, width - 2 - 2 - 8 - 2 - reason - 1)
        return Content.assemble(
            ("+ " if change.enters else "- ", f"bold {style}"),
            (f"{mark_of(memory.category)} ", color_of(memory.category)),
            (fit(f"#{memory.issue_number}", 6, align="right"), "$dim"),
            "  ",
            (fit(visible_line(memory.summary), room), style),
            "  ",
            (fit(visible_line(change.reason), reason), "$dim"),
            " ",
        )


class RecallDiffScreen(ModalScreen[RecallRequest | None]):
    """Compares a recall with another; gives the other request where it is taken."""

    BINDINGS = bindings("comparison")
    CSS_PATH = "injection.tcss"
    AUTO_FOCUS = "#recall-diff-rows"

    def __init__(self, context: Context, route: routes.Comparison) -> None:
        super().__init__()
        self._memory = context.memory
        self._now = route.request
        self._request = with_next_profile(route.request)
        self._changed: Sequence[_Changed] = ()

    def compose(self) -> ComposeResult:
        with Window(id="recall-diff"):
            yield Static(id="recall-diff-head", markup=False)
            yield FilterBox()
            yield DiffList()
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(Window).set_title("What would change")
        self._ask()

    @exclusive_worker(group="compare")
    async def _ask(self) -> None:
        recall, now, then = self._memory.recall.plan, self._now, self._request
        before, after = await ask(lambda: (recall(now, fresh=False), recall(then, fresh=False)))
        changed = changes(before, after)
        enters = sum(change.enters for change in changed)
        self.query_one(Window).set_title("What would change", f"+{enters} -{len(changed) - enters}")
        rows = [
            _summary("now", now, before),
            _summary("then", then, after),
        ]
        content = Content("\n").join(rows)
        if not changed:
            content += Content.styled("\n\nThe same memories would be injected.", "$dim")
        self.query_one("#recall-diff-head", Static).update(content)
        self._changed = changed
        self._list()

    @on(FilterBox.Changed)
    def _list(self) -> None:
        """List the candidates that have all words of the filter."""
        matches = self.query_one(FilterBox).matches
        diff = self.query_one(DiffList)
        diff.cursor = 0
        diff.list_rows([change for change in self._changed if matches(change.text)])

    def action_filter(self) -> None:
        self.query_one(FilterBox).open()

    def on_filter_box_left(self) -> None:
        self.set_focus(self.query_one(DiffList))

    def failed(self, error: StoreError) -> None:
        toast_error(self.app, error)
        self.dismiss(None)

    def _want(self, request: RecallRequest) -> None:
        if request != self._request:
            self._request = request
            self._ask()

    def action_profile(self) -> None:
        self._want(with_next_profile(self._request))

    def action_channel(self) -> None:
        self._want(with_next_channel(self._request, self._memory.recall.budget_for))

    def action_budget(self, step: int) -> None:
        self._want(with_budget(self._request, step, self._memory.recall.budget_for))

    def action_take(self) -> None:
        self.dismiss(self._request)


def changes(before: Recall, after: Recall) -> list[_Changed]:
    """Return the candidates that `after` includes and `before` does not, then those that go."""
    now = {candidate.id: candidate for candidate in before.candidates}
    then = {candidate.id: candidate for candidate in after.candidates}
    included = {candidate.id for candidate in before.included}
    includes = {candidate.id for candidate in after.included}
    enters = [
        _Changed(then[id_], True, why_included(then[id_]))
        for id_ in then
        if id_ in includes - included
    ]
    leaves = [
        _Changed(now[id_], False, why_included(then[id_]) if id_ in then else "not a candidate")
        for id_ in now
        if id_ in included - includes
    ]
    return enters + leaves


def _summary(name: str, request: RecallRequest, recall: Recall) -> Content:
    return Content.assemble(
        (fit(name, 6), "$dim"),
        (fit(request.profile or "", 10), "bold"),
        (fit(request.channel, 13), "bold"),
        (fit(count(request.budget or 0), 8, align="right"), "bold"),
        (" tokens", "$dim"),
        (fit(count(len(recall.included)), 7, align="right"), "bold"),
        (" in", "$dim"),
        (fit(count(recall.tokens), 9, align="right"), "bold"),
        (" taken", "$dim"),
    )
