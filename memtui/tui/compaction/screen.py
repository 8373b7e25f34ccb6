"""The compaction preview: what merges into what, what it saves, what is not carried over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from threading import Event

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.screen import Screen

from memtui.formatting import count, memories, plural
from memtui.tui.compaction.clusters import ADDED, LOST, ClusterList, Originals, merged_paragraphs
from memtui.tui.compaction.savings import Savings
from memtui.tui.frame import routes
from memtui.tui.frame.ask import Progress, ask, exclusive_worker
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.paragraphs import Paragraph
from memtui.tui.frame.route import Context, Open
from memtui.tui.frame.routes import Scope
from memtui.tui.frame.toasts import toast
from memtui.tui.operations import OperationEnded, RunOperation
from memtui.tui.widgets.filter_box import FilterBox
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import EmptyState, StatusLine
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.text_pane import TextPane
from memtui.tui.widgets.title_bar import TitleBar
from store import Memory
from store.action import Action
from store.compaction.compact import moved_out, without
from store.compaction.model import Alone, CompactionPlan
from store.errors import StoreError
from store.operations.apply import Applied
from store.store_state import StoreState

_WHY = {
    Alone.PINNED: ("pinned", "pinned"),
    Alone.MUTED: ("muted", "muted"),
    Alone.OPEN_TASK: ("open task", "open tasks"),
    Alone.LATEST_HANDOFF: ("latest handoff", "latest handoffs"),
    Alone.YOUNG: ("too recent", "too recent"),
    Alone.AMBIGUOUS: ("with a duplicate id", "with duplicate ids"),
    Alone.UNRELATED: ("unrelated", "unrelated"),
    Alone.CHOSEN: ("left out", "left out"),
}


class CompactionScreen(Screen[None]):
    """Clusters at the left, the texts of one at the right, the figures of all at the top."""

    HORIZONTAL_BREAKPOINTS = [(110, "-wide")]  # noqa: RUF012 - as Screen has it
    MANUAL_PAGE = "screens/compaction.md"
    BINDINGS = bindings("compaction")
    CSS_PATH = "compaction.tcss"
    AUTO_FOCUS = ""

    busy = reactive("planning", init=False, bindings=True)
    """What is going on: `planning` or `applying`; empty while one looks at a plan."""

    def __init__(self, context: Context, route: routes.Compaction) -> None:
        super().__init__()
        self._memory = context.memory
        self._place = context.place
        self._now = context.now
        self._scope = route.scope
        self._plan = CompactionPlan()
        self._left_out: set[str] = set()
        self._writable = True
        self._run: CompactionRun | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar(id="title")
        yield StatusLine(id="notice")
        yield EmptyState(id="empty")
        yield Savings(id="savings")
        with Container(id="compaction"):
            yield FilterBox()
            yield ClusterList(id="clusters", issues=self._scope.issue is None)
            with Container(id="texts"):
                yield Originals(id="originals", now=self._now)
                yield TextPane(id="merged")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self._title = self.query_one(TitleBar)
        self._empty = self.query_one(EmptyState)
        self._list = self.query_one(ClusterList)
        self._originals = self.query_one(Originals)
        self._merged = self.query_one("#merged", TextPane)
        self._title.place = self._place
        self._empty.set_title(f"Compaction · {self._scope.name.lower()}")
        self._originals.border_subtitle = Content.styled("words missing from the merged text", LOST)
        self._merged.border_subtitle = Content.styled("words from the other originals", ADDED)
        self.action_plan()

    # Planning

    def action_plan(self) -> None:
        self._left_out.clear()
        self._plan_anew()

    @exclusive_worker(group="compaction")
    async def _plan_anew(self) -> None:
        self.busy = "planning"
        self._show_planning(0, 0)
        self._show_empty()
        self._show(*await ask(plan_scope, self._memory, self._scope, report_to=self._show_planning))

    def _show_planning(self, done: int, total: int) -> None:
        hint = f"{self._key_back} cancels; nothing is changed."
        self._empty.progress("Finding related memories …", done, total, "memories", hint)

    def _show(self, plan: CompactionPlan, state: StoreState) -> None:
        self.busy = ""
        self._plan = plan
        self._left_out &= {cluster.id for cluster in plan.clusters}
        self._writable = state.writable
        self._title.show(state)
        read_only = "Memory is read-only: you can look, but not compact."
        self.query_one("#notice", StatusLine).show_message("" if self._writable else read_only)
        if plan.is_empty:
            days = self._memory.settings.stale_archive_after_days
            self._empty.show_message(*nothing_to_compact(plan, self._scope, days))
            self._show_empty()
        else:
            self._show_plan()
            self.set_focus(self._list)

    def failed(self, error: StoreError) -> None:
        self.busy = ""
        self._plan = CompactionPlan()
        self._empty.show_message(error.message, error.hint)
        self._show_empty()

    # The plan

    def _show_empty(self) -> None:
        self._arrange(empty=True)
        self.set_focus(self._empty)

    def _show_plan(self) -> None:
        others = plural(len(self._plan.left_alone), "other")
        self._list.border_subtitle = Content.styled(f"{others} unchanged", "$dim")
        self._list.show(self._plan.clusters)
        self._show_left_out()
        self._arrange(empty=False)
        self._show_texts()
        self.refresh_bindings()

    @property
    def _chosen(self) -> CompactionPlan:
        """The plan without the clusters that are left out."""
        return reduce(without, sorted(self._left_out), self._plan)

    def _show_left_out(self) -> None:
        left_out = [cluster for cluster in self._plan.clusters if cluster.id in self._left_out]
        self.query_one(Savings).plan = self._chosen
        total = count(len(self._plan.clusters))
        total_in_words = f"{len(left_out):,} of {total} left out" if left_out else total
        shown = f"{self._list.found:,} shown · " if self._list.is_narrowed else ""
        self._list.set_title(self._scope.name, f"{shown}{total_in_words}")
        self._list.leave_out(self._left_out)

    def _arrange(self, *, empty: bool) -> None:
        self._empty.display = empty
        self.query_one(Savings).display = not empty
        self.query_one("#compaction").display = not empty

    @on(RowList.Moved, "#clusters")
    def _show_texts(self) -> None:
        if (cluster := self._list.at) is not None:
            self._merged.set_title("Merged", plural(cluster.characters[1], "character"))
            self._originals.show(cluster)
            self._show_merged(from_top=True)

    @on(Originals.Moved)
    def _show_other_original(self) -> None:
        self._show_merged(from_top=False)

    def _show_merged(self, *, from_top: bool) -> None:
        cluster, original = self._list.at, self._originals.original
        if cluster is not None and original is not None:
            paragraphs = merged_paragraphs(cluster, original, self._now())
            self._merged.show(paragraphs, from_top=from_top)

    def action_filter(self) -> None:
        self.query_one(FilterBox).open()

    @on(FilterBox.Changed)
    def _narrow(self, event: FilterBox.Changed) -> None:
        self._list.narrow(event.value)
        self._show_left_out()
        self._show_texts()

    def on_filter_box_left(self) -> None:
        self.set_focus(self._list)

    def action_leave_out(self) -> None:
        if (cluster := self._list.at) is not None:
            self._left_out ^= {cluster.id}
            self._show_left_out()
            self._list.action_move(1)

    def action_move_out(self) -> None:
        original = self._originals.original
        if self.focused is not self._originals or original is None:
            self.set_focus(self._originals)
            key = key_in_use(self.app, "compaction.move_out")
            toast(self.app, f"Choose the original; {key} moves it out.")
            return
        self._plan = moved_out(self._plan, original.id)
        self._left_out &= {cluster.id for cluster in self._plan.clusters}
        if self._plan.is_empty:
            anew = key_in_use(self.app, "compaction.refresh")
            hint = f"{anew} plans again, {self._key_back} goes back."
            self._empty.show_message("Nothing left to merge.", hint)
            self._show_empty()
        else:
            self._show_plan()

    def action_pane(self, step: int) -> None:
        panes = [self._list, self._originals, self._merged]
        at = next((number for number, pane in enumerate(panes) if pane.has_focus), 0)
        self.set_focus(panes[(at + step) % len(panes)])

    # Applying

    def action_apply(self) -> None:
        if (chosen := self._chosen).is_empty:
            toast(self.app, "Every cluster is left out: nothing to apply.")
            return

        def answered(agreed: bool | None) -> None:
            if agreed:
                self._apply(chosen)

        asked = what_would_be_done(chosen)
        self.post_message(Open(routes.Confirm(self._scope.name, [Paragraph(asked)]), answered))

    def _apply(self, plan: CompactionPlan) -> None:
        self._run = run = CompactionRun(plan, self.post_message)
        self.busy = "applying"
        self.on_apply_progress(run.progress)
        self._show_empty()
        self.post_message(RunOperation(run.run, shows_progress=True))

    def on_apply_progress(self, event: ApplyProgress) -> None:
        if self._run is not None and self.busy == "applying":
            status, hint = self._run.status(event, self._key_back)
            self._empty.progress(status, event.done, event.total, "issues", hint)

    def on_operation_ended(self, event: OperationEnded) -> None:
        """Go back once it is applied. After anything else plan anew, and what was left out stays
        so; where nothing was changed at all, the plan stays as it was chosen.
        """
        run = self._run
        if run is None or self.busy != "applying":
            self._plan_anew()
        elif event.applied is None and not run.progress.done and event.state is not None:
            self._show(self._plan, event.state)
        elif event.applied is None:
            self._plan_anew()
        elif event.applied is run.applied:
            self.dismiss()

    @property
    def _key_back(self) -> str:
        return key_in_use(self.app, "compaction.back")

    def action_leave(self) -> None:
        if self._run is not None and self.busy == "applying":
            self._run.stop()
            self.on_apply_progress(self._run.progress)
        elif self.focused in (self._originals, self._merged):
            self.set_focus(self._list)
        elif self._list.is_narrowed:
            self.query_one(FilterBox).action_clear()
        else:
            self.dismiss()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("move_out", "leave_out", "apply", "pane"):
            shows = self.is_mounted and not self.busy and not self._plan.is_empty
            return shows and (action != "apply" or self._writable)
        return action != "plan" or not self.busy


def what_would_be_done(plan: CompactionPlan) -> Content:
    (memories, fewer), (characters, less) = plan.observations, plan.characters
    originals = sum(len(cluster.originals) for cluster in plan.clusters)
    return Content.assemble(
        "Compact ",
        (count(memories), "bold"),
        " memories into ",
        (count(fewer), "bold $accent-text"),
        ", ",
        (count(characters), "bold"),
        " characters into ",
        (count(less), "bold $accent-text"),
        "?\n\n",
        (
            f"{plural(originals, 'memory', 'memories')} become {count(len(plan.clusters))}; the "
            "originals are archived. You can undo this.",
            "$dim",
        ),
    )


def plan_scope(
    memory: Memory, scope: Scope, progress: Progress
) -> tuple[CompactionPlan, StoreState]:
    """Plan the compaction of a scope, and return it with the state of the store; progress is
    reported in memories.
    """
    plan = memory.compaction.plan(
        scope.issue,
        stale=scope.stale,
        all=scope.issue is None and not scope.stale,
        progress=progress,
    )
    return plan, memory.state()


@dataclass
class ApplyProgress(Message, bubble=False):
    done: int = 0
    total: int = 0

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, ApplyProgress)


class CompactionRun:
    """A plan that is being applied, one issue after the other."""

    def __init__(self, plan: CompactionPlan, post: Callable[[Message], object]) -> None:
        self._plan = plan
        self._post = post
        self._stop = Event()
        self.progress = ApplyProgress(0, 0)
        self.applied: Applied | None = None

    def run(self, memory: Memory) -> Applied:
        """Apply it, in a thread; the action of one that was stopped has how far it came."""
        applied = memory.apply(memory.compaction.to_plan(self._plan), self._advance)
        done, total = self.progress.done, self.progress.total
        self._post(ApplyProgress(total, total))
        if self._stop.is_set() and applied.left:
            figures = {"issues_done": done, "issues": total}
            applied = replace(applied, action=Action("compact", figures))
        self.applied = applied
        return applied

    def _advance(self, done: int, total: int) -> bool:
        self.progress = ApplyProgress(done, total)
        self._post(self.progress)
        return not self._stop.is_set()

    def stop(self) -> None:
        self._stop.set()

    def status(self, progress: ApplyProgress, key: str) -> tuple[str, str]:
        """Return what is going on, and what the user can do meanwhile; `key` leads back."""
        if progress.done and progress.done == progress.total:
            return "Updating the index …", ""
        if self._stop.is_set():
            return "Stopping after this issue …", "What is done can be undone."
        return "Compacting …", f"{key} stops after this issue."


def why_alone(plan: CompactionPlan) -> tuple[str, ...]:
    """Reasons why observations are left as they are, the commonest first: `12 too young`."""
    reasons = Counter(left.why for left in plan.left_alone)
    return tuple(plural(number, *_WHY[why]) for why, number in reasons.most_common())


def nothing_to_compact(plan: CompactionPlan, scope: Scope, days: int) -> tuple[str, ...]:
    """Return the sentences for a plan without clusters; `days` after which an issue is stale."""
    if not plan.left_alone:
        if scope.stale:
            return (
                "No issue is stale.",
                f"An issue is stale when its newest memory is more than {plural(days, 'day')} old.",
            )
        return ("Nothing to compact.", "There are no active memories here.")
    looked_at = memories(plan.observations.before)
    return (
        "Nothing to compact.",
        f"{scope.name}: {looked_at}, unchanged:",
        " · ".join(why_alone(plan)),
    )
