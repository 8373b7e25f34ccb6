"""`memtui migrate`: memory in another place, or in other files: divided differently, or without the
flat files of a vault.
"""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote

import click

from memtui.cli.memory import find_folder, find_memory, opened, opened_at, place_named
from memtui.cli.options import Options, operation_options
from memtui.cli.output import note, note_all, one_line, print_json, print_line, progress
from memtui.cli.parameter_types import LocationType
from memtui.cli.plans import carry_out, is_agreed, is_question_agreed
from memtui.formatting import memories, plural
from memtui.read_only import name_store
from store.backends import Location, give_rights, shown_location
from store.backends.location import own_place
from store.errors import Away, LockTimeout, WriteFailed
from store.exchange.copy import Copy
from store.memory import Memory
from store.model import Layout, Level
from store.text.display import visible

_STAYS = "messages and checkpoints of sessions, clarifications, settings"
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
    with opened() as memory:
        if target is not None:
            _copy_to(memory, target, options)
            return
        plan = memory.exchange.plan_migration()
        carry_out(memory, plan, options)
        if not options.as_json:
            note_all(plan.notes)


def _divide(wanted: Layout | None, options: Options) -> None:
    """Divide memory into one file for each memory, or for each issue; show how it is for `None`."""
    with opened_at(find_folder()) as memory:
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
    print_line("One file per memory." if held is Layout.EACH else "One file per issue.")
    if other:
        note(f"{other:,} issues have the other layout; `memtui migrate --{held}` converts them.")


def _share(readers: tuple[str, ...], writers: tuple[str, ...], options: Options) -> None:
    place = own_place(find_memory(), Level.TEAM)
    data = {"readers": readers, "writers": writers}
    words = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in data.items() if names)
    shown = f"{shown_location(place)}: {words}"
    if not options.dry_run:
        if not is_question_agreed(f"Give rights on {shown}?", yes=options.yes):
            return
        give_rights(place, readers, writers)
    print_json(data) if options.as_json else print_line(visible(shown))


def _copy_to(memory: Memory, location: Location, options: Options) -> None:
    """Show what a copy of memory writes; unless it is a dry run, ask, and copy.

    Without a terminal to ask on, and without `yes`, the command fails after showing it.
    """
    target = place_named(location)
    with name_store(target):
        with progress("Comparing", "issues") as tell:
            plan = memory.exchange.plan_copy(target, tell)
        if plan.is_empty:
            note(f"Nothing to copy: {plan.shown} has everything.")
            if options.as_json:
                print_json(_as_data(memory, plan, 0))
            return
        if not is_agreed(
            lambda: "\n".join(_in_words(plan)),
            lambda: _as_data(memory, plan, 0),
            "Copy?",
            options,
        ):
            return
        copied = _copied(memory, plan)
    if options.as_json:
        print_json(_as_data(memory, plan, copied))
        return
    print_line(one_line(f"Copied {memories(copied)} to {plan.shown}; every issue was verified."))
    note(f"Open it with `memtui --dir {quote(plan.shown)}`.")


def _copied(memory: Memory, plan: Copy) -> int:
    """Copy; where that is interrupted, note that it can be resumed."""
    try:
        with progress("Copying", "issues") as tell:
            return memory.exchange.copy(plan, tell)
    except (Away, LockTimeout, WriteFailed):
        note("The copy is not finished. Run it again to continue.")
        raise


def _in_words(plan: Copy) -> Iterator[str]:
    issues = plural(len(plan.issues), "issue")
    yield one_line(f"Copy {memories(plan.memories)} of {issues} to {plan.shown}")
    if plan.archived:
        yield f"  archived: {plan.archived:,}"
    if plan.already_there:
        yield f"  there already: {plan.already_there:,}"
    for kind, number in plan.texts.items():
        yield f"  {kind}: {number:,}"
    yield f"  log entries: {plan.entries:,}"
    yield f"  not copied: {_STAYS}"


def _as_data(memory: Memory, plan: Copy, copied: int) -> dict[str, object]:
    return {
        "from": shown_location(memory.location),
        "to": plan.shown,
        "issues": len(plan.issues),
        "memories": plan.memories,
        "archived": plan.archived,
        "alreadyThere": plan.already_there,
        "texts": dict(plan.texts),
        "logEntries": plan.entries,
        "copied": copied,
    }
