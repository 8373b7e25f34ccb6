"""`memtui migrate --to`: the whole memory copied to another place, shown before and verified."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote

import click

from memtui.cli.memory import place_named
from memtui.cli.options import Options
from memtui.cli.output import note, one_line, print_json, progress, say
from memtui.cli.plans import can_ask, refuse_unasked
from memtui.formatting import memories, plural
from memtui.read_only import name_store
from store.backends import Location, shown_location
from store.errors import Away, LockTimeout, WriteFailed
from store.exchange.copy import Copy
from store.memory import Memory

_STAYS = "messages and checkpoints of sessions, clarifications, settings"


def copy_to(memory: Memory, location: Location, options: Options) -> None:
    """Show what a copy of memory writes; unless it is a dry run, ask, and copy.

    Without a terminal to ask on, and without `yes`, the command fails after showing it.
    """
    target = place_named(location)
    with name_store(target):
        with progress("Comparing", "issues") as tell:
            plan = memory.exchange.plan_copy(target, tell)
        asked = options.yes or can_ask()
        if plan.is_empty or options.dry_run or not asked:
            _show(memory, plan, as_json=options.as_json)
        if plan.is_empty or options.dry_run:
            return
        if not asked:
            refuse_unasked()
        if not options.yes and not _agreed(plan):
            note("Nothing copied.")
            return
        copied = _copied(memory, plan)
    if options.as_json:
        print_json(_as_data(memory, plan, copied))
        return
    say(one_line(f"Copied {memories(copied)} to {plan.shown}; every issue was verified."))
    note(f"Open it with `memtui --dir {quote(plan.shown)}`.")


def _copied(memory: Memory, plan: Copy) -> int:
    """Copy, and say where it breaks off that it can be resumed."""
    try:
        with progress("Copying", "issues") as tell:
            return memory.exchange.copy(plan, tell)
    except (Away, LockTimeout, WriteFailed):
        note("The copy is not finished. Run it again to continue.")
        raise


def _show(memory: Memory, plan: Copy, *, as_json: bool) -> None:
    if plan.is_empty:
        note(f"Nothing to copy: {plan.shown} has everything.")
    if as_json:
        print_json(_as_data(memory, plan, 0))
    elif not plan.is_empty:
        say("\n".join(_in_words(plan)))


def _agreed(plan: Copy) -> bool:
    click.echo("\n".join(_in_words(plan)), err=True)
    return click.confirm("Copy?", default=True, err=True)


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
