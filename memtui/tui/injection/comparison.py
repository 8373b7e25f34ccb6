"""What another profile, budget or channel would change in a recall, as a diff."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.formatting import count, fit
from memtui.tui import routes
from memtui.tui.injection.request import (
    Compared,
    compare_requests,
    difference,
    with_budget,
    with_next_channel,
    with_next_profile,
)
from memtui.tui.route import Context
from memtui.tui.theme import color_of, mark_of
from memtui.tui.toasts import tell_error
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.titled import Titled
from memtui.tui.worker import MemoryFailed, ask
from memtui.words.sentences import why_included
from store.text import visible
from store.values import Recall, RecallRequest, ScoredCandidate


@dataclass(frozen=True, slots=True)
class _Changed:
    """A candidate that would come in, or go; and why."""

    candidate: ScoredCandidate
    enters: bool
    reason: str


class DiffList(RowList):
    """What would come in, then what would go."""

    def __init__(self) -> None:
        super().__init__(id="recall-diff-rows")
        self._changed: Sequence[_Changed] = ()

    def show(self, changed: Sequence[_Changed]) -> None:
        """List these."""
        self._changed = changed
        self.row_count = len(changed)
        self.cursor = 0
        self.reload()

    def row(self, index: int, width: int) -> Content:
        """In or out, category, issue, summary, why."""
        it = self._changed[index]
        seen = it.candidate.observation
        style = "$text-success" if it.enters else "$text-error"
        reason = min(36, width // 3) if width >= 60 else 0
        room = max(0, width - 2 - 2 - 8 - 2 - reason - 1)
        return Content.assemble(
            ("+ " if it.enters else "- ", f"bold {style}"),
            (f"{mark_of(seen.category)} ", color_of(seen.category)),
            (fit(f"#{seen.issue_number}", 6, align="right"), "$dim"),
            "  ",
            (fit(visible(seen.summary, newlines=False), room), style),
            "  ",
            (fit(visible(it.reason, newlines=False), reason), "$dim"),
            " ",
        )


class DiffWindow(Titled, Vertical):
    """What stands around both recalls, with a title in its border."""


class RecallDiffScreen(ModalScreen[RecallRequest | None]):
    """Compares a recall with another; gives the other request where it is taken."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("P", "profile", "profile", id="compare.profile", tooltip="Next profile"),
        Binding(
            "plus,equals_sign",
            "budget(1)",
            "more",
            key_display="+",
            id="compare.more",
            tooltip="Larger budget",
        ),
        Binding(
            "minus",
            "budget(-1)",
            "less",
            key_display="-",
            id="compare.less",
            tooltip="Smaller budget",
        ),
        Binding("h", "channel", "channel", id="compare.channel", tooltip="Next channel"),
        Binding("enter", "take", "use this", id="compare.take", tooltip="Use this instead"),
        Binding(
            "escape,D,q", "dismiss(None)", "back", key_display="esc", id="compare.back",
            tooltip="Change nothing",
        ),
    ]  # fmt: skip
    CSS_PATH = "injection.tcss"
    AUTO_FOCUS = "#recall-diff-rows"

    def __init__(self, context: Context, route: routes.Comparison) -> None:
        super().__init__()
        self._memory = context.memory
        self._now = route.request
        self._request = with_next_profile(route.request)
        self._number = 0

    def compose(self) -> ComposeResult:
        """The two wishes with their figures, then what differs."""
        with DiffWindow(id="recall-diff"):
            yield Static(id="recall-diff-head", markup=False)
            yield DiffList()
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Work out the other."""
        self.query_one(DiffWindow).set_title("What would change")
        self._ask()

    def _ask(self) -> None:
        self._number += 1
        question = compare_requests(self._memory, self._now, self._request, self._number)
        ask(self, question, group="compare")

    def on_compared(self, event: Compared) -> None:
        """Show what differs."""
        if event.number != self._number:
            return
        changed = changes(event.before, event.after)
        enters = sum(it.enters for it in changed)
        self.query_one(DiffWindow).set_title(
            "What would change", f"+{enters} -{len(changed) - enters}"
        )
        rows = [
            _told("now", self._now, event.before),
            _told("then", self._request, event.after),
        ]
        said = Content("\n").join(rows)
        if not changed:
            said += Content.styled("\n\nThe same memories would be injected.", "$dim")
        self.query_one("#recall-diff-head", Static).update(said)
        self.query_one(DiffList).show(changed)

    def on_memory_failed(self, event: MemoryFailed) -> None:
        """Say why it can't be worked out."""
        tell_error(self.app, event.error)
        self.dismiss(None)

    def _want(self, request: RecallRequest) -> None:
        if request != self._request:
            self._request = request
            self._ask()

    def action_profile(self) -> None:
        """Compare with the next profile."""
        self._want(with_next_profile(self._request))

    def action_channel(self) -> None:
        """Compare with the next channel."""
        self._want(with_next_channel(self._request, self._memory.budget_for))

    def action_budget(self, step: int) -> None:
        """Compare with the next budget."""
        self._want(with_budget(self._request, step, self._memory.budget_for))

    def action_take(self) -> None:
        """Ask for the other instead."""
        self.dismiss(self._request)


def changes(before: Recall, after: Recall) -> list[_Changed]:
    """What `after` tells and `before` does not, then what it does not tell any more."""
    found = difference(before, after)
    was = {it.observation.id: it for it in before.candidates}
    will = {it.observation.id: it for it in after.candidates}
    enters = [_Changed(will[id_], True, why_included(will[id_])) for id_ in found.enters]
    leaves = [
        _Changed(was[id_], False, why_included(will[id_]) if id_ in will else "not a candidate")
        for id_ in found.leaves
    ]
    return enters + leaves


def _told(name: str, request: RecallRequest, recall: Recall) -> Content:
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
