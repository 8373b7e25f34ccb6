"""`memtui compact`: many related observations into few, shown first, and undoable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from memtui.cli.memory import opened
from memtui.cli.number import Number
from memtui.cli.output import note_all, one_line
from memtui.cli.plans import carry_out, operation_options
from memtui.cli.progress import progress
from store.places import Location

if TYPE_CHECKING:
    from store.values import Cluster, CompactionPlan

_EPILOG = """\b
Examples:
  memtui compact --issue 29 --dry-run    preview what would merge
  memtui compact --stale --yes          compact all stale issues
  memtui --dir .memory compact --vault  compact a vault
  memtui undo                           undo it
"""


@click.command(epilog=_EPILOG)
@click.option("--issue", type=Number(min=0), help="Compact this issue.")
@click.option("--stale", is_flag=True, help="Compact stale issues (`stale_archive_after_days`).")
@click.option("--all", "every", is_flag=True, help="Compact all issues.")
@click.option(
    "--vault",
    is_flag=True,
    help="Compact a vault: old checkpoints, long conversations, full categories.",
)
@operation_options
def compact_command(
    issue: int | None,
    stale: bool,
    every: bool,
    vault: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    folder: Location | None,
) -> None:
    """Merge related memories into one; the originals are archived.

    Leaves alone: pinned and muted memories, open tasks, the latest handoff, and memories
    younger than `compaction_min_age_days`.
    """
    if (issue is not None) + stale + every + vault != 1:
        raise click.UsageError("Give one of --issue, --stale, --all or --vault.")
    if vault:
        _compact_vault(folder, dry_run=dry_run, yes=yes, as_json=as_json)
        return
    from memtui.words.sentences import title

    with opened(folder, searchable=True) as memory:
        with progress("Planning", "memories") as tell:
            compaction = memory.compaction.plan(issue, stale=stale, all=every, progress=tell)
        plan = memory.compaction.to_plan(compaction)
        carry_out(
            memory,
            plan,
            dry_run=dry_run,
            yes=yes,
            as_json=as_json,
            shown="\n".join([title(plan.action), *_lines(compaction)]),
            data=_as_data(compaction),
        )


def _compact_vault(folder: Location | None, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    with opened(folder) as memory:
        plan = memory.vault.plan()
        carry_out(
            memory,
            plan,
            dry_run=dry_run,
            yes=yes,
            as_json=as_json,
            apply=(lambda: memory.vault.compact(plan)) if not plan.is_empty else None,
        )
        if not as_json:
            note_all(it for it in plan.notes if it.place)


def _lines(compaction: CompactionPlan) -> Iterator[str]:
    """Each cluster: `-` what goes to the archive, `+` what stands for it, `!` what it lacks."""
    from memtui.words.sentences import why_merged

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
        "observationsBefore": compaction.observations_before,
        "observationsAfter": compaction.observations_after,
        "tokensBefore": compaction.tokens_before,
        "tokensAfter": compaction.tokens_after,
        "clusters": [_cluster(each) for each in compaction.clusters],
    }


def _cluster(cluster: Cluster) -> dict[str, object]:
    from memtui.words.sentences import why_merged
    from store.records import to_record

    return {
        "issueNumber": cluster.merged.issue_number,
        "reason": str(cluster.reason),
        "why": why_merged(cluster),
        "tokensBefore": cluster.tokens_before,
        "tokensAfter": cluster.tokens_after,
        "originals": [original.id for original in cluster.originals],
        "merged": to_record(cluster.merged),
        "leftOut": [
            {"id": left.observation_id, "statement": left.statement, "instead": left.instead}
            for left in cluster.left_out
        ],
    }
