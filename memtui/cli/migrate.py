"""`memtui migrate`: memory in another place, or in other files: divided differently, or without the
flat files of a vault.
"""

from __future__ import annotations

import click

from memtui.cli.copy import copy_to
from memtui.cli.memory import find_folder, find_memory, opened
from memtui.cli.options import LocationType, Options, operation_options
from memtui.cli.output import note, note_all, print_json, say
from memtui.cli.plans import agreed, carry_out
from store.backends import Location, shown_location
from store.backends.location import give_rights
from store.model import Layout
from store.text.display import visible

_EPILOG = """\b
--to copies and leaves this memory unchanged. What the target already has is
skipped, so run it again if it was interrupted. A target with a different
memory is refused. Messages and checkpoints of sessions, clarifications and
settings are not copied.

\b
With one file per memory, memories added on two branches never conflict in git, even without the
merge driver. Other programs that read the AgentX format can't read this layout.
`memtui undo` converts back; memories added since are kept.

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
  memtui migrate --layout                    show the layout
  memtui migrate --one-file-each             issue-29/<id>.json for each memory
  memtui migrate --one-file-per-issue        issue-29.json for each issue, the default
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
@click.option("--layout", is_flag=True, help="Show how memories are divided into files.")
@click.option("--one-file-each", "each", is_flag=True, help="One file per memory.")
@click.option("--one-file-per-issue", "per_issue", is_flag=True, help="One file per issue.")
@operation_options
def migrate_command(
    target: Location | None,
    readers: tuple[str, ...],
    writers: tuple[str, ...],
    layout: bool,
    each: bool,
    per_issue: bool,
    options: Options,
) -> None:
    """Copy memory to another place, divide it into other files, or convert a vault's flat files.

    --reader and --writer give database logins access to this project's memory only.
    Without any of these, a vault's flat files become entries; each AGENT.md is kept as
    AGENT.md.bak.
    """
    if each and per_issue:
        raise click.UsageError("Give one of --one-file-each and --one-file-per-issue.")
    is_layout, is_sharing = layout or each or per_issue, bool(readers or writers)
    if is_layout + is_sharing + (target is not None) > 1:
        raise click.UsageError("Give --to, --reader and --writer, or a layout: one of these.")
    if is_layout:
        wanted = Layout.EACH if each else Layout.PER_ISSUE if per_issue else None
        _divide(wanted, options)
        return
    if is_sharing:
        _share(readers, writers, options)
        return
    with opened(options.folder) as memory:
        if target is not None:
            copy_to(memory, target, options)
            return
        plan = memory.exchange.plan_migration()
        carry_out(memory, plan, options)
        if not options.as_json:
            note_all(plan.notes)


def _divide(wanted: Layout | None, options: Options) -> None:
    """Divide memory into one file for each memory, or for each issue; show how it is for `None`."""
    with opened(find_folder(options.folder)) as memory:
        if wanted is not None:
            plan = memory.plan.layout(wanted)
            carry_out(memory, plan, options)
            return
        files = memory.backend.files
        held = Layout.PER_ISSUE if files is None else files.layout
        other = 0 if files is None else len(files.other_layout())
    if options.as_json:
        print_json({"layout": str(held), "issuesInOther": other})
        return
    say("One file per memory." if held is Layout.EACH else "One file per issue.")
    if other:
        note(f"{other:,} issues have the other layout; `memtui migrate --{held}` converts them.")


def _share(readers: tuple[str, ...], writers: tuple[str, ...], options: Options) -> None:
    """Give logins their rights, once agreed."""
    place = find_memory(options.folder)
    data = {"readers": readers, "writers": writers}
    words = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in data.items() if names)
    said = f"{shown_location(place)}: {words}"
    if not options.dry_run:
        if not agreed(f"Give rights on {said}?", yes=options.yes):
            return
        give_rights(place, readers, writers)
    print_json(data) if options.as_json else say(visible(said))
