"""The compaction preview: what merges into what, what it saves, what is not carried over."""

from __future__ import annotations

from functools import reduce

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.reactive import reactive
from textual.screen import Screen

from memtui.formatting import count, plural
from memtui.tui.compaction.clusters import ADDED, LOST, ClusterList, Originals, merged_paragraphs
from memtui.tui.compaction.run import ApplyProgress, CompactionRun, plan_scope
from memtui.tui.compaction.savings import Savings
from memtui.tui.compaction.sentences import compaction_question, nothing_to_compact
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.paragraphs import Paragraph
from memtui.tui.frame.route import Context, Open
from memtui.tui.frame.toasts import toast
from memtui.tui.operations import OperationEnded, RunOperation
from memtui.tui.widgets.filter_box import FilterBox
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import EmptyState, StatusLine
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.text_pane import TextPane
from memtui.tui.widgets.title_bar import TitleBar
from store.compaction.compact import moved_out, without
from store.compaction.model import CompactionPlan
from store.errors import StoreError
from store.store_state import StoreState


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
            self._originals.show_cluster(cluster)
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

        asked = compaction_question(chosen)
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
        if action in ("move_out", "leave_out", "apply", "pane", "filter"):
            shows = self.is_mounted and not self.busy and not self._plan.is_empty
            return shows and (action != "apply" or self._writable)
        return action != "plan" or not self.busy
