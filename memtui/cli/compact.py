"""`memtui compact`: many related observations into few, or old ones into the archive."""

from __future__ import annotations

from collections.abc import Iterator

import click

from memtui.cli.memory import opened
from memtui.cli.options import Options, operation_options
from memtui.cli.output import note, note_all, one_line, progress
from memtui.cli.parameter_types import Number
from memtui.cli.plans import carry_out
from memtui.words.clusters import why_merged
from memtui.words.sentences import title
from store.compaction.model import Cluster, CompactionPlan
from store.model import Layer
from store.records import to_record

_EPILOG = """\b
Examples:
  memtui compact --issue 29 --dry-run    preview what would merge
  memtui compact --stale --yes          compact all stale issues
  memtui --dir .memory compact --vault  compact a vault
  memtui compact --prune --strategy least_relevant --capacity episodic=50 --dry-run
  memtui compact --prune --strategy cap --yes
  memtui undo                           undo it

\b
Strategies of --prune:
  least_relevant    lowest relevance, then least recent and recalled first
  oldest_first      oldest first
  frequency_based   least recalled, then least seen, first
  cap               over 30 in a category of an agent: keep the 20 newest, merge the rest into one
"""
_DIGITS = 9
"""Digits of the largest capacity."""


@click.command(epilog=_EPILOG)
@click.option("--issue", type=Number(min=0), help="Compact this issue.")
@click.option("--stale", is_flag=True, help="Compact stale issues (`stale_archive_after_days`).")
@click.option("--all", "every", is_flag=True, help="Compact all issues.")
@click.option(
    "--vault",
    is_flag=True,
    help="Compact a vault: old checkpoints, long conversations, full categories.",
)
@click.option(
    "--prune", is_flag=True, help="Merge nothing: archive memories beyond a layer's capacity."
)
@click.option("--strategy", help="Which memories --prune archives first (see below).")
@click.option(
    "--capacity",
    "given",
    multiple=True,
    metavar="LAYER=N",
    help="Most memories per agent in a layer, for --prune; overrides the settings.",
)
@operation_options
def compact_command(
    issue: int | None,
    stale: bool,
    every: bool,
    vault: bool,
    prune: bool,
    strategy: str | None,
    given: tuple[str, ...],
    options: Options,
) -> None:
    """Merge related memories into one; the originals are archived. Nothing is deleted.

    Leaves alone: pinned and muted memories, open tasks, the latest handoff, and memories
    younger than `compaction_min_age_days`. --prune archives what is beyond a layer's
    capacity instead; it leaves alone pinned memories, open tasks and the latest handoffs.
    """
    if (issue is not None) + stale + every + vault + prune != 1:
        raise click.UsageError("Give one of --issue, --stale, --all, --vault or --prune.")
    if prune:
        if strategy is None:
            raise click.UsageError("--prune needs a --strategy.")
        _prune(strategy, given, options)
        return
    if strategy is not None or given:
        raise click.UsageError("--strategy and --capacity go with --prune.")
    if vault:
        _compact_vault(options)
        return

    with opened(searchable=True) as memory:
        with progress("Planning", "memories") as tell:
            compaction = memory.compaction.plan(issue, stale=stale, all=every, progress=tell)
        plan = memory.compaction.to_plan(compaction)
        carry_out(
            memory,
            plan,
            options,
            shown="\n".join([title(plan.action), *_lines(compaction)]),
            data=_as_data(compaction),
        )


def _compact_vault(options: Options) -> None:
    with opened() as memory:
        plan = memory.vault.plan()
        carry_out(
            memory,
            plan,
            options,
            apply=(lambda: memory.vault.compact(plan)) if not plan.is_empty else None,
        )
        if not options.as_json:
            note_all(item for item in plan.notes if item.place)


def _prune(strategy: str, given: tuple[str, ...], options: Options) -> None:
    capacities = dict(map(_capacity, given))
    with opened(searchable=True) as memory:
        with progress("Planning"):
            plan = memory.compaction.plan_prune(strategy, capacities or None)
        if strategy != "cap" and not (capacities or memory.settings.capacities):
            note("No capacity set: use --capacity, or set `capacities` in the settings.")
        carry_out(memory, plan, options)


def _capacity(text: str) -> tuple[str, int]:
    """Return a layer and its capacity, as given. Raises `click.UsageError`."""
    name, _, number = text.partition("=")
    is_number = number.isdecimal() and len(number) <= _DIGITS
    if name not in set(Layer) or not is_number or int(number) < 1:
        raise click.UsageError(
            f"{text!r} is not a capacity. Write LAYER=N; layers are {', '.join(Layer)}."
        )
    return name, int(number)


def _lines(compaction: CompactionPlan) -> Iterator[str]:
    """Yield each cluster: `-` what is archived, `+` the merged memory, `!` what it leaves out."""
    for cluster in compaction.clusters:
        before, after = cluster.characters
        yield ""
        yield (
            f"#{cluster.merged.issue_number} {one_line(why_merged(cluster))}: "
            f"{before:,} characters into {after:,}"
        )
        for original in cluster.originals:
            yield f"  - {one_line(original.id)}  {one_line(original.summary)}"
        for line in cluster.merged.content.split("\n"):
            yield f"  + {one_line(line)}"
        for left in cluster.left_out:
            if left.superseded or left.missing:
                why = "superseded" if left.superseded else "not kept"
                yield f"  ! {why}: {one_line(left.statement)}"


def _as_data(compaction: CompactionPlan) -> dict[str, object]:
    return {
        "observationsBefore": compaction.observations.before,
        "observationsAfter": compaction.observations.after,
        "tokensBefore": compaction.tokens.before,
        "tokensAfter": compaction.tokens.after,
        "clusters": [_cluster(cluster) for cluster in compaction.clusters],
    }


def _cluster(cluster: Cluster) -> dict[str, object]:
    return {
        "issueNumber": cluster.merged.issue_number,
        "reason": str(cluster.reason),
        "why": why_merged(cluster),
        "tokensBefore": cluster.tokens.before,
        "tokensAfter": cluster.tokens.after,
        "originals": [original.id for original in cluster.originals],
        "merged": to_record(cluster.merged),
        "leftOut": [
            {"id": left.observation_id, "statement": left.statement, "instead": left.instead}
            for left in cluster.left_out
        ],
    }
