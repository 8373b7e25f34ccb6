"""`memtui stats`: how much memory there is, and of what; its part in an agent's context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Unpack

import click

from memtui.cli.memory import opened
from memtui.cli.options import Asked, dir_option, json_option, request_options
from memtui.cli.output import one_line, paint, print_json, print_line
from memtui.formatting import aligned, count, memories, plural, size
from memtui.words.usage import UNUSED_QUERY
from store.agents.client import Home
from store.agents.context_files import loaded_files
from store.agents.registry import NAMES, client_named, clients
from store.backends import shown_location
from store.backends.user_data import project_root
from store.compaction.model import Excess
from store.model import StoreStats
from store.recall.report import ContextItem, budget_report, memory_items
from store.recall.values import family_of
from store.records import stats_record
from store.statistics import Statistics
from store.text.display import visible
from store.text.tokens import counter_for
from store.usage.kept import KeptSessions
from store.usage.values import Counts

_EPILOG = """\b
Examples:
  memtui stats
  memtui stats --json
  memtui stats --context --agent engineer --issue 29
  memtui stats --context --channel codex --json
"""


@click.command(epilog=_EPILOG)
@click.option("--context", is_flag=True, help="Show what fills a session's context instead.")
@request_options
@json_option
@dir_option
def stats_command(context: bool, as_json: bool, **asked: Unpack[Asked]) -> None:
    """Show totals by category, agent and layer, growth, what sessions used, and the time of work.

    With --context: instructions, agents, skills and memories of a session, in tokens. Counts the
    files that agents load by themselves from the project and your home. The limit is the
    `context_limit` setting. The other options describe the session.
    """
    if context:
        _show_context(asked, as_json=as_json)
        return
    if any(value is not None for value in asked.values()):
        raise click.UsageError("Options that describe a session need --context.")
    with opened(searchable=True) as memory:
        stats = memory.stats()  # looks at the files; the rest asks the index as it is then
        figures, excess = memory.statistics(fresh=False), memory.upkeep.excess(fresh=False)
        memory.usage.refresh()
        used, unused = memory.known_usage(), memory.search(UNUSED_QUERY, 0, fresh=False).total
        place, is_vault = shown_location(memory.location), memory.is_vault
    if as_json:
        beyond = {"stale": excess.stale, "beyondCapacity": excess.beyond}
        print_json(
            {**stats_record(stats), **beyond, **_more(figures), "usage": _usage(used, unused)}
        )
    else:
        _print(stats, place)
        _print_excess(excess, is_vault=is_vault)
        _print_work(figures)
        _print_usage(used, unused)


def _usage(used: KeptSessions, unused: int) -> dict[str, Any]:
    return {
        "neverUsed": unused,
        "byCategory": {name: _counts_record(counts) for name, counts in used.by_category.items()},
        "bySession": {name: _counts_record(used.of_session(name)) for name in used.sessions},
    }


def _counts_record(counts: Counts) -> dict[str, int]:
    return {"told": counts.told, "used": counts.used, "cameBack": counts.came_back}


def _print_usage(used: KeptSessions, unused: int) -> None:
    if not used.by_category:
        return
    print_line()
    print_line(paint(f"use, in {plural(len(used.sessions), 'session')}", bold=True))
    rows = [
        (one_line(name), f"told {count(counts.told)}", f"used {count(counts.used)}")
        for name, counts in used.by_category.items()
    ]
    for cells in aligned(rows, right=(1, 2)):
        print_line(f"  {'  '.join(cells)}")
    if unused:
        print_line(f"{memories(unused)} never used · `memtui search '{UNUSED_QUERY}'` lists them")


def _more(figures: Statistics) -> dict[str, Any]:
    return {
        "byLayer": _layer_counts(figures),
        "growth": {"stepDays": figures.growth.step_days, "counts": list(figures.growth.counts)},
        "work": {
            str(work): {
                "done": timing.done,
                "medianMs": timing.middle,
                "p95Ms": timing.slow,
                "failed": timing.failed,
                "memories": timing.memories,
                "tokens": timing.tokens,
            }
            for work, timing in figures.timings.items()
        },
    }


def _layer_counts(figures: Statistics) -> dict[str, int]:
    return {name: layer.count for name, layer in figures.figures.layers.items()}


def _print_excess(excess: Excess, *, is_vault: bool) -> None:
    stale = "is:stale -is:open" + (" -agent:notes -category:project" if is_vault else "")
    ways = (
        (excess.stale, f"{count(excess.stale)} stale", f"archive --query '{stale}'"),
        (
            excess.beyond,
            f"{count(excess.beyond)} beyond capacity",
            "compact --prune --strategy least_relevant",
        ),
        (
            excess.size,
            f"{size(excess.size)} on disk",
            f"compact --{'vault' if is_vault else 'all'}",
        ),
    )
    for number, words, command in ways:
        if number:
            print_line(f"{words} · `memtui {command}` makes room")


def _print_work(figures: Statistics) -> None:
    if layers := _layer_counts(figures):
        print_line()
        print_line(paint("by layer", bold=True))
        for line in _counts(layers):
            print_line(line)
    grown = figures.growth
    if grown.counts:
        step = "day" if grown.step_days == 1 else "week"
        counts = f"most {count(max(grown.counts))} a {step}, last {count(grown.counts[-1])}"
        print_line()
        print_line(f"{paint('growth', bold=True)}  {counts}")
    done = {
        work: timing for work, timing in figures.timings.items() if timing.done or timing.failed
    }
    if done:
        print_line()
        print_line(paint("work", bold=True))
    for work, timing in done.items():
        took = "" if timing.middle is None else f", median {timing.middle:,.0f} ms"
        slow = "" if timing.slow is None else f", p95 {timing.slow:,.0f} ms"
        held = f", {memories(timing.memories)}" if timing.memories else ""
        tokens = f", {plural(timing.tokens, 'token')}" if timing.tokens else ""
        failed = f", {count(timing.failed)} failed" if timing.failed else ""
        print_line(f"  {work:9}  {count(timing.done)}{took}{slow}{held}{tokens}{failed}")


def _print(stats: StoreStats, place: str) -> None:
    large = "" if stats.size_bytes is None else f" · {size(stats.size_bytes)}"
    print_line(
        f"{plural(stats.total_observations, 'memory', 'memories')} · "
        f"{plural(stats.issue_count, 'issue')} · "
        f"{count(stats.archived_observations)} archived{large}"
    )
    if stats.oldest_timestamp and stats.newest_timestamp:
        print_line(f"from {stats.oldest_timestamp:%Y-%m-%d} to {stats.newest_timestamp:%Y-%m-%d}")
    print_line(f"in {one_line(place)}")
    for title, counts in (("by category", stats.by_category), ("by agent", stats.by_agent)):
        if counts:
            print_line()
            print_line(paint(title, bold=True))
            for line in _counts(counts):
                print_line(line)


def _counts(counts: Mapping[str, int]) -> Iterator[str]:
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    for cells in aligned([(one_line(name), count(number)) for name, number in ranked], right=(1,)):
        yield f"  {'  '.join(cells)}"


def _show_context(asked: Asked, *, as_json: bool) -> None:
    with opened() as memory:
        recall = memory.recall.plan(**asked)
        root = project_root(memory.path)
        limit = memory.settings.context_limit
    others = _loaded(root, recall.channel)
    if not as_json:
        print_line(visible(budget_report(recall, limit, others)).rstrip("\n"))
        return
    items = [*others, *memory_items(recall)]
    total = sum(item.tokens for item in items)
    print_json(
        {
            "totalTokens": total,
            "contextLimit": limit,
            "memoryTokens": recall.tokens,
            "memoryBudget": recall.limits.tokens,
            "items": [
                {"category": item.category, "name": item.name, "tokens": item.tokens}
                for item in items
            ],
        }
    )


def _loaded(root: Path, channel: str) -> list[ContextItem]:
    """Return the files that the channel's client loads by itself; those of all clients for none."""
    asked = [client_named(channel)] if channel in NAMES else list(clients())
    counter = counter_for(family_of(channel))
    return [
        ContextItem(file.category, file.name, counter.count(file.text))
        for file in loaded_files(asked, root, Home.of_user())
    ]
