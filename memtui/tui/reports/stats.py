"""Statistics: what memory is made of, how it grew, and how capture, injection and search do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Grid
from textual.content import Content
from textual.screen import Screen

from memtui.formatting import count, fit, plural
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.route import Context, Find
from memtui.tui.reports.charts import Bar, Chart, bars
from memtui.tui.reports.figures import (
    agents_table,
    category_bars,
    growth_chart,
    growth_unit,
    health_lines,
    measure_bars,
    totals,
    usage_bars,
    work_table,
)
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import EmptyState, Reader
from memtui.tui.widgets.title_bar import TitleBar
from memtui.words.notices import sentence
from memtui.words.usage import UNUSED_QUERY
from store import Memory
from store.compaction.model import Excess
from store.errors import Away, StoreError
from store.statistics import Statistics
from store.usage.kept import KeptSessions

_ISSUES = 8
"""Issues that are listed, the largest."""


class StatsScreen(Screen[None]):
    """Figures in panes, scrolled together; Esc goes back."""

    HORIZONTAL_BREAKPOINTS = [(110, "-broad")]  # noqa: RUF012 - as Screen has it
    MANUAL_PAGE = "screens/statistics.md"
    BINDINGS = bindings("stats")
    CSS_PATH = "stats.tcss"
    AUTO_FOCUS = "#stats"

    def __init__(self, context: Context, route: routes.Stats) -> None:
        super().__init__()
        self._memory = context.memory
        self._place = context.place
        self._now = context.now
        self._unused = 0

    def compose(self) -> ComposeResult:
        yield TitleBar(id="title")
        with Reader(id="stats"), Grid(id="charts"):
            yield Chart("Memory", id="stats-memory")
            yield Chart("Growth", id="stats-growth")
            yield Chart("Layers", id="stats-layers")
            yield Chart("Categories", id="stats-categories")
            yield Chart("Agents", id="stats-agents")
            yield Chart("Largest issues", id="stats-issues")
            yield Chart("Work", id="stats-work")
            yield Chart("Health", id="stats-health")
            yield Chart("Use", id="stats-usage")
        yield EmptyState(id="empty")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        title = self.query_one(TitleBar)
        title.place, title.fact = self._place, "statistics"
        self.query_one(EmptyState).display = False
        self.action_reload()

    @exclusive_worker(group="stats")
    async def action_reload(self) -> None:
        memory = self._memory
        found, excess = await ask(lambda: (memory.statistics(), memory.upkeep.excess(fresh=False)))
        self._show_statistics(found, excess)
        self._show_usage(*await ask(_read_usage, memory))
        try:  # last: it reads all of memory
            found_wrong = await ask(memory.doctor.examine, report_to=self._show_checking)
            problems = [
                sentence(finding.notice) for finding in found_wrong.findings if finding.is_problem
            ]
        except Away as error:
            problems = [error.message]
        self._show_health(problems)

    def on_operation_ended(self) -> None:
        self.action_reload()

    def failed(self, error: StoreError) -> None:
        self._show_notice(error.message, error.hint)

    def _show_notice(self, sentence: str, *more: str) -> None:
        self.query_one(EmptyState).show_message(sentence, *more)
        self._show_figures(False)

    def _show_figures(self, shown: bool) -> None:
        self.query_one("#stats").display = shown
        self.query_one(EmptyState).display = not shown

    def _show_statistics(self, found: Statistics, excess: Excess) -> None:
        figures = found.figures
        if not figures.total.count and not figures.archived:
            self._show_notice(
                "No memories yet.", "Capture an agent's session, or write one:  memtui add"
            )
            return
        self._show_figures(True)
        now = self._now()
        key = key_in_use(self.app, "app.prune")
        self._show("memory", lambda width: totals(found, excess, key, now, width))
        self._show(
            "growth",
            lambda width: growth_chart(found.growth, now, width),
            growth_unit(found.growth),
        )
        self._bars("layers", list(measure_bars(figures.layers)))
        self._bars("categories", list(category_bars(figures.categories)))
        limits = self._memory.settings.capacities
        self._show("agents", lambda width: agents_table(figures.agent_layers, limits, width))
        largest = sorted(figures.issues.items(), key=lambda issue: -issue[1].count)[:_ISSUES]
        issues = {f"#{number}": measure for number, measure in largest}
        self._bars("issues", list(measure_bars(issues)))
        self._show("work", lambda width: work_table(found.timings, width))

    def _show_checking(self, done: int, total: int) -> None:
        text = f"Checked {count(done)} of {plural(total, 'issue')} …"
        self._show("health", lambda width: Content.styled(fit(text, width), "$dim"))

    def _show_health(self, problems: Sequence[str]) -> None:
        key = key_in_use(self.app, "app.doctor")
        self._show(
            "health",
            lambda width: health_lines(problems, key, width),
            plural(len(problems), "warning") if problems else "",
        )

    def _show_usage(self, sessions: KeptSessions, unused: int) -> None:
        self._unused = unused
        key = key_in_use(self.app, "stats.unused")
        self._show(
            "usage",
            lambda width: usage_bars(sessions.by_category, unused, key, width),
            f"used of told in {plural(len(sessions.sessions), 'session')}",
        )
        self.refresh_bindings()

    def action_find_unused(self) -> None:
        self.post_message(Find(UNUSED_QUERY))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "find_unused":
            return bool(self._unused)
        return super().check_action(action, parameters)

    def _bars(self, name: str, rows: list[Bar]) -> None:
        self._show(name, lambda width: bars(rows, width), "memories")

    def _show(self, name: str, draw: Callable[[int], Content], total: str = "") -> None:
        self.query_one(f"#stats-{name}", Chart).show(draw, total)


def _read_usage(memory: Memory) -> tuple[KeptSessions, int]:
    """Return what sessions used, with those that ended since, and how many memories none did."""
    memory.usage.refresh()
    unused = memory.search(UNUSED_QUERY, 0, facets=(), fresh=False).total
    return memory.known_usage(), unused
