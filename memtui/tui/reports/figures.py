"""The figures of Statistics, drawn: totals, growth, agents by layer, work, health. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from rich.cells import cell_len
from textual.content import Content

from memtui.formatting import age, count, day, fit, memories, plural, size
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.reports.charts import Bar, sparkline
from store.compaction.model import Excess
from store.model import Layer
from store.search.figures import Measure
from store.statistics import Growth, Statistics, Timing, Work
from store.text.display import visible
from store.usage.values import Counts

_LOW, _HIGH = 3, 5
"""Lines of the sparkline, where panes are in one column and in several."""
_BESIDE = 70
"""Cells of width from which it is high."""
_LAYERS = {
    Layer.WORKING: "work.",
    Layer.EPISODIC: "epis.",
    Layer.SEMANTIC: "sem.",
    Layer.PROCEDURAL: "proc.",
}
"""The layers of the table of agents, and their names where there is little room."""
_AGENTS = 10
"""Agents that are listed there; the rest is counted."""
_NAMED = 3
"""Findings of the doctor that are named; the rest is counted."""


def totals(found: Statistics, excess: Excess, key: str, now: datetime, width: int) -> Content:
    """Return the totals, a line each, names at the left and figures at the right end; `key` opens
    the plan that makes room where something is stale, beyond a capacity or too large.
    """
    figures = found.figures
    never = figures.never_recalled
    share = f" ({never / figures.total.count:.0%})" if figures.total.count else ""
    rows = [
        ("memories", f"{count(figures.total.count)} in {plural(figures.issue_count, 'issue')}"),
        ("archived", count(figures.archived)),
        ("never recalled", f"{count(never)}{share}"),
    ]
    by_key = f" · {key} makes room" if key else ""
    if found.size_bytes is not None:
        rows.append(("size on disk", size(found.size_bytes) + (by_key if excess.size else "")))
    rows += [
        (name, f"{count(number)}{by_key}")
        for name, number in (("stale", excess.stale), ("beyond capacity", excess.beyond))
        if number
    ]
    if figures.oldest and figures.newest:
        rows += [("oldest", _day(figures.oldest, now)), ("newest", _day(figures.newest, now))]
    return Content("\n").join(
        Content.assemble((name, "$dim"), fit(value, width - len(name), align="right"))
        for name, value in rows
    )


def _day(time: datetime, now: datetime) -> str:
    ago = age(time, now)
    return f"{day(time, now)}  {fit('now' if ago == 'now' else ago, 4, align='right')}"


def growth_unit(growth: Growth) -> str:
    return "per day" if growth.step_days == 1 else "per week"


def growth_chart(growth: Growth, now: datetime, width: int) -> Content:
    """Return the sparkline, its dates below it, and the most there was in one step."""
    if not growth.counts:
        return Content.styled("Nothing in the last year.", "$dim")
    counts = growth.counts[-width:]
    start = now - timedelta(days=growth.step_days * len(counts))
    left, right = f"{start:%Y-%m-%d}", "now"
    drawn = max(1, width // len(counts)) * len(counts)
    middle = f"most {count(max(counts))} · last {count(counts[-1])}"
    gap = drawn - len(left) - len(right)
    below = f"{left}{middle.center(gap)}{right}" if gap > len(middle) + 2 else middle
    height = _HIGH if width >= _BESIDE else _LOW
    return Content.assemble(sparkline(counts, width, height), "\n", (below, "$dim"))


def measure_bars(measures: Mapping[str, Measure]) -> Iterator[Bar]:
    for name, measure in measures.items():
        yield Bar(visible(name, newlines=False), measure.count)


def category_bars(measures: Mapping[str, Measure]) -> Iterator[Bar]:
    """Yield a bar for each category, in its colour and with its mark."""
    for name, measure in measures.items():
        shown = visible(name, newlines=False)
        yield Bar(shown, measure.count, color_of(name), f"{mark_of(name)} ")


def agents_table(
    agents: Mapping[str, Mapping[str, int]], limits: Mapping[str, int], width: int
) -> Content:
    """Return the memories of each agent by layer, the most first, below the capacities of layers.

    What is above one stands out.
    """
    heads = list(_LAYERS) if width >= _BESIDE else list(_LAYERS.values())
    rooms = [max(map(len, heads)) + 1] * len(heads)
    columns = (max(0, width - sum(rooms)), *rooms)
    lines = [Content.styled(_row(("", *heads), columns), "$dim")]
    if limits:
        most = (count(limits[layer]) if layer in limits else "" for layer in _LAYERS)
        lines.append(Content.styled(_row(("capacity", *most), columns), "$dim"))
    for agent, numbers in list(agents.items())[:_AGENTS]:
        drawn = [Content(fit(visible(agent, newlines=False), columns[0]))]
        for layer, room in zip(_LAYERS, rooms, strict=True):
            number = numbers.get(layer, 0)
            above = number > limits.get(layer, number)
            figure = fit(count(number) if number else "–", room, align="right")
            drawn.append(Content.styled(figure, "bold $text-warning" if above else "$dim"))
        lines.append(Content("").join(drawn))
    if len(agents) > _AGENTS:
        lines.append(Content.styled(f"and {count(len(agents) - _AGENTS)} more", "$dim"))
    return Content("\n").join(line.truncate(width, ellipsis=True) for line in lines)


def work_table(timings: Mapping[Work, Timing], width: int) -> Content:
    if not timings:
        return Content.styled("Unavailable: the database can't be reached.", "$dim")
    columns = (9, 5, 8, 7, 7)
    heads = ("", "done", "median", "p95", "failed")
    lines = [Content.styled(_row(heads, columns), "$dim")]
    for work, timing in timings.items():
        cells = (work, count(timing.done), _took(timing.middle), _took(timing.slow))
        failed = fit(count(timing.failed), columns[4], align="right")
        style = "bold $text-warning" if timing.failed else "$dim"
        lines.append(Content.assemble(_row(cells, columns), (failed, style)))
    lines += [
        Content.styled(fit(f"{work}: {visible(timing.message, newlines=False)}", width), "$dim")
        for work, timing in timings.items()
        if timing.message
    ]
    if captured := timings[Work.CAPTURE].memories:
        lines.append(Content.styled(f"Captured {memories(captured)}.", "$dim"))
    injected = timings[Work.INJECTION]
    if injected.tokens:
        held = f"{memories(injected.memories)}, {plural(injected.tokens, 'token')}"
        lines.append(Content.styled(f"Injected {held}.", "$dim"))
    lines.append(Content.styled("Searches: this run only.", "$dim"))
    return Content("\n").join(line.truncate(width, ellipsis=True) for line in lines)


def usage_bars(counts: Mapping[str, Counts], unused: int, key: str, width: int) -> Content:
    """Return how many of the memories that sessions were given they used, by category; `key` finds
    those that are `unused`.
    """
    if not counts:
        nothing = "No session that was told a memory has ended yet."
        return Content.styled(fit(nothing, width), "$dim")
    figures = {name: f"{count(each.used)} of {count(each.told)}" for name, each in counts.items()}
    names, numbers = max(map(cell_len, counts)) + 2, max(map(len, figures.values()))
    room = max(0, width - names - numbers - 2)
    most = max(each.told for each in counts.values())
    lines = []
    for category, each in counts.items():
        told, used = (round(room * number / most) for number in (each.told, each.used))
        name = f"{mark_of(category)} {visible(category, newlines=False)}"
        lines.append(
            Content.assemble(
                (fit(name, names), color_of(category)),
                f" {figures[category]:>{numbers}} ",
                ("━" * used, color_of(category)),
                ("━" * (told - used), "$dim"),
            )
        )
    if unused:
        by_key = f" · {key} finds {'it' if unused == 1 else 'them'}" if key else ""
        words = f"{memories(unused)} always told, never used{by_key}"
        lines.append(Content.styled(words, "$text-warning"))
    return Content("\n").join(line.truncate(width, ellipsis=True) for line in lines)


def _row(cells: Sequence[str], columns: Sequence[int]) -> str:
    first, *others = zip(cells, columns, strict=False)
    return fit(*first) + "".join(fit(cell, width, align="right") for cell, width in others)


def _took(milliseconds: float | None) -> str:
    if not milliseconds:  # none was done, or the clock did not move
        return "–"
    if milliseconds >= 1_000:
        return f"{milliseconds / 1_000:.1f} s"
    return f"{milliseconds:.1f} ms" if milliseconds < 10 else f"{milliseconds:.0f} ms"


def health_lines(problems: Sequence[str], key: str, width: int) -> Content:
    """Findings of the doctor in a few lines; `key` opens it."""
    if not problems:
        return Content.assemble(("✓ ", "$text-success"), "No problems found.")
    lines: list[Content] = []
    for problem in problems[:_NAMED]:
        lines_of_problem = Content(visible(problem, newlines=False)).wrap(max(10, width - 2))
        lines += [
            Content.assemble(("! " if number == 0 else "  ", "$text-warning"), line)
            for number, line in enumerate(lines_of_problem)
        ]
    more = len(problems) - _NAMED
    hints = [f"and {count(more)} more"] if more > 0 else []
    hints += [f"{key} for details"] if key else []
    return Content("\n").join([*lines, Content.styled("; ".join(hints), "$dim")])
