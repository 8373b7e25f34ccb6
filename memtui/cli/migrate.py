"""`memtui migrate`: a memory moves: flat files of a vault into entries, all of it elsewhere."""

from __future__ import annotations

import click

from memtui.cli.copy import copy_to
from memtui.cli.location import LocationType
from memtui.cli.memory import find_memory, opened
from memtui.cli.output import note_all, say, say_json
from memtui.cli.plans import agreed, carry_out, operation_options
from store.places import Location, shown_location
from store.text import visible

_EPILOG = """\b
--to copies and leaves this memory unchanged. What the target already has is
skipped, so run it again if it was interrupted. A target with a different
memory is refused. Messages and checkpoints of sessions, clarifications and
settings are not copied.

\b
Sections of flat files become categories by their headings, in English or
Portuguese:
  Decisions, Decisões Técnicas               decisions
  Lessons, Findings, Notes, Aprendizados     lessons
  Tasks, Tarefas                             tasks
  Context, Contexto de Projeto               projects
  Handoffs                                   handoffs
  any other                                  lessons, with its heading

\b
Examples:
  memtui migrate --to 'postgresql://me@db/team?project=heron' --dry-run
  memtui --dir 'postgresql://me@db/team?project=heron' migrate --to .
  memtui migrate --to .memory                a vault of Markdown
  memtui --dir 'postgresql://admin@db/team?project=heron' migrate --writer anna
  memtui --dir .memory migrate --dry-run     flat files of a vault
"""


@click.command(epilog=_EPILOG)
@click.option(
    "--to",
    "target",
    type=LocationType(),
    help="Copy the whole memory to this folder or database URL.",
)
@click.option("--reader", "readers", multiple=True, help="Let a database login read this memory.")
@click.option("--writer", "writers", multiple=True, help="Let a database login read and write it.")
@operation_options
def migrate_command(
    target: Location | None,
    readers: tuple[str, ...],
    writers: tuple[str, ...],
    dry_run: bool,
    yes: bool,
    as_json: bool,
    folder: Location | None,
) -> None:
    """Copy memory to another place with --to, or turn a vault's flat files into entries.

    --reader and --writer give database logins access to this project's memory only.
    Without any of these, each flat AGENT.md is kept as AGENT.md.bak.
    """
    if readers or writers:
        if target is not None:
            raise click.UsageError("Give --to or --reader and --writer, not both.")
        _share(find_memory(folder), readers, writers, dry_run=dry_run, yes=yes, as_json=as_json)
        return
    with opened(folder) as memory:
        if target is not None:
            copy_to(memory, target, dry_run=dry_run, yes=yes, as_json=as_json)
            return
        plan = memory.exchange.plan_migration()
        carry_out(memory, plan, dry_run=dry_run, yes=yes, as_json=as_json)
        if not as_json:
            note_all(plan.notes)


def _share(
    place: Location,
    readers: tuple[str, ...],
    writers: tuple[str, ...],
    *,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Give logins their rights, once agreed."""
    from store.places import give_rights

    data = {"readers": readers, "writers": writers}
    words = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in data.items() if names)
    said = f"{shown_location(place)}: {words}"
    if not dry_run:
        if not agreed(f"Give rights on {said}?", yes=yes):
            return
        give_rights(place, readers, writers)
    say_json(data) if as_json else say(visible(said))
