"""`memtui import`: bring in another store, JSON lines, Markdown banks or an archive of sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from memtui.cli.completed_values import complete_agent, complete_category
from memtui.cli.import_sessions import import_sessions
from memtui.cli.memory import levels_here, memory_or_new, opened_at
from memtui.cli.options import Options, level_option, operation_options
from memtui.cli.output import note_all, one_line, progress
from memtui.cli.parameter_types import FORMATS, NAMED, FormatChoice, Number
from memtui.cli.plans import carry_out
from memtui.words.notices import sentence
from memtui.words.sentences import title
from store.operations.plan import Plan

_EPILOG = """\b
Examples:
  memtui import memory-bank/ --dry-run        Markdown bullets
  memtui import notes.jsonl --agent engineer
  memtui import ../old/.agentx/memory         another store, with its archive
  memtui import ../old/.memory                a vault of Markdown
  memtui import .beads/issues.jsonl           beads issues, as tasks
  memtui import memory.jsonl                  MCP memory server graph
  memtui import --transcripts ~/.claude/projects/-home-me-shop

\b
Memories that exist are left unchanged, so an import can be repeated
or resumed.
"""
_SHOWN = 20
"""Observations that a preview names; the rest is counted."""


@click.command(epilog=_EPILOG)
@click.argument("source", required=False, type=click.Path(path_type=Path))
@click.option(
    "--format",
    "format_name",
    type=FormatChoice(("auto", *FORMATS)),
    default="auto",
    show_default=True,
    metavar="FORMAT",
    help=f"One of {NAMED}; auto detects it.",
)
@click.option(
    "--transcripts",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Capture all sessions in a folder instead.",
)
@click.option("--agent", shell_complete=complete_agent, help="Agent for all of them.")
@click.option("--issue", type=Number(min=0), help="Issue for all of them.")
@click.option("--category", shell_complete=complete_category, help="Category for all of them.")
@level_option("Level for all of them; it begins where there is none yet.")
@click.option("--removed", is_flag=True, help="Also import what was removed here before.")
@operation_options
def import_command(
    source: Path | None,
    format_name: str,
    transcripts: Path | None,
    agent: str | None,
    issue: int | None,
    category: str | None,
    level: str | None,
    removed: bool,
    options: Options,
) -> None:
    """Import memories from SOURCE that are not stored yet, after a preview."""
    if (source is None) == (transcripts is None):
        raise click.UsageError("Give one of SOURCE and --transcripts DIR.")
    with opened_at(levels_here() if level else memory_or_new()) as memory:
        if transcripts is not None:
            import_sessions(memory, transcripts, agent or "", issue, options)
        if source is None:
            return
        with progress("Looking", "memories") as report:
            plan = memory.exchange.plan_import(
                source,
                format_name,
                agent=agent,
                issue=issue,
                category=category,
                level=level or "",
                removed=removed,
                progress=report,
            )
        preview = "\n".join(_preview(plan, None if options.dry_run else _SHOWN))
        carry_out(memory, plan, options, shown=preview)
    if not options.as_json and not (options.dry_run and not plan.is_empty):
        note_all(plan.notes)


def _preview(plan: Plan, most: int | None) -> Iterator[str]:
    yield title(plan.action)
    records = [change.after or {} for change in plan.changes]
    for name in ("category", "agent", "issueNumber"):
        counts = Counter(str(record.get(name, "")) for record in records).most_common(8)
        yield f"  {name}: " + ", ".join(f"{one_line(what)} {count:,}" for what, count in counts)
    yield ""
    for record in records[:most]:
        head = f"+ #{record.get('issueNumber', 0)} {record.get('category', '')}"
        yield one_line(f"{head}  {str(record.get('timestamp', ''))[:10]}  {record.get('summary')}")
    if most is not None and len(records) > most:
        yield f"  and {len(records) - most:,} more; use --dry-run to list them all"
    yield from (("", *map(sentence, plan.notes)) if plan.notes else ())
