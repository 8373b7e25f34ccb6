"""`memtui inbox`: what agents wrote that waits for approval, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import click

from memtui.cli.memory import levels_here, opened, opened_at
from memtui.cli.options import Options, dir_option, json_option, operation_options
from memtui.cli.output import has_terminal, note, one_line, paint, print_json, print_line
from memtui.cli.plans import carry_out
from memtui.editing.editor import HINT, Draft, NoEditor, check_ended, editor_command, run_editor
from memtui.formatting import age, aligned
from memtui.settings.schema import app_settings
from memtui.streams import read_standard_input
from memtui.words.inbox import (
    EMPTY,
    MARKS,
    OUTDATED,
    effect_of,
    facts_of,
    grouped,
    heading_of,
    left_in_words,
    lines_of,
)
from memtui.words.notices import sentence
from store.errors import Conflict, StoreError
from store.inbox.entry import Entry, approvable
from store.records import format_time
from store.text.display import visible

_EPILOG = """\b
Examples:
  memtui inbox                          what agents wrote that waits
  memtui inbox show a1b2                one of it in full, by the beginning of its id
  memtui inbox approve a1b2 c3d4        store these
  memtui inbox approve --all --dry-run  preview all of it
  memtui inbox take-back a1b2           drop it; capture does not propose it again
"""
_EDIT_EPILOG = """\b
Examples:
  memtui inbox edit a1b2                        edit in your editor
  memtui inbox edit a1b2 --content "Use uv."
  git log -1 --format=%B | memtui inbox edit a1b2 --content -
"""
_COLOURS = {"-": "red", "+": "green", "~": "yellow", ">": "yellow"}


@click.group(invoke_without_command=True, epilog=_EPILOG)
@json_option
@dir_option
@click.pass_context
def inbox_command(context: click.Context, as_json: bool) -> None:
    """List what agents wrote that waits for you, to approve, edit or take it back.

    With the setting `review = "before"` all that agents would store waits here, and nothing of it
    is injected, searched or answered before. What agents changed in instruction files and in their
    own memories since you last approved them is here in any case. All can be undone.
    """
    if context.invoked_subcommand is not None:
        return
    with opened() as memory:
        waiting = memory.inbox.look()
    if as_json:
        print_json(list(map(_as_data, waiting.entries)))
    else:
        _print(waiting.entries)
    for problem in waiting.problems:
        note(f"{problem.path}: {problem.message}")


@inbox_command.command("show")
@click.argument("identifier", metavar="ID")
@json_option
@dir_option
def show_command(identifier: str, as_json: bool) -> None:
    """Show what would be stored: the lines that go and come, and where they are from."""
    with opened() as memory:
        entry = memory.inbox.get(identifier)
    if as_json:
        print_json(_as_data(entry))
        return
    for line in _lines_in_words(entry):
        print_line(line)


@inbox_command.command("approve")
@click.argument("identifiers", metavar="[ID]...", nargs=-1)
@click.option("--all", "of_all", is_flag=True, help="Approve all that waits.")
@operation_options
def approve_command(identifiers: tuple[str, ...], of_all: bool, options: Options) -> None:
    """Approve what waits: it is stored, or a file counts as you last saw it.

    Refused without a terminal, as the shells of agents are: you approve, not they.
    """
    if not options.dry_run and not has_terminal():
        raise Conflict(
            "Nothing approved: no terminal, so this may be an agent's shell.",
            "Approve in a terminal, or in the app.",
        )
    _carry_out(identifiers, options, of_all=of_all, approves=True)


@inbox_command.command("take-back")
@click.argument("identifiers", metavar="[ID]...", nargs=-1)
@click.option("--all", "of_all", is_flag=True, help="Take back all that waits.")
@operation_options
def take_back_command(identifiers: tuple[str, ...], of_all: bool, options: Options) -> None:
    """Take back what waits: memory stays as it is, and a file becomes as you last approved it."""
    _carry_out(identifiers, options, of_all=of_all, approves=False)


@inbox_command.command("edit", epilog=_EDIT_EPILOG)
@click.argument("identifier", metavar="ID")
@click.option("--content", help="New text; - reads standard input.")
@operation_options
def edit_command(identifier: str, content: str | None, options: Options) -> None:
    """Edit what waits, in your editor or with --content. It waits on, with the new text."""
    with opened() as memory:
        entry = memory.inbox.get(identifier)
        if content is not None:
            text = read_standard_input().rstrip("\n") if content == "-" else content
            carry_out(memory, memory.inbox.plan_edit(entry.id, text), options)
            return
        command = editor_command(app_settings(memory.settings).editor)
        if not command:
            raise NoEditor("No editor is set.", f"{HINT} Or use --content.")
        draft = Draft.of(f"inbox-{entry.id}", entry.after)
        try:
            check_ended(run_editor(command, draft.path))
            plan = memory.inbox.plan_edit(entry.id, draft.read().rstrip("\n"))
            # Saving the text was the answer to the question whether to do it.
            carry_out(memory, plan, options._replace(yes=True))
        except StoreError as error:
            if draft.read() == entry.after:
                draft.discard()
                raise
            raise draft.kept(error) from None
        draft.discard()


def _carry_out(
    identifiers: Sequence[str], options: Options, *, of_all: bool, approves: bool
) -> None:
    """Show the named entries, or all, and approve or take them back, once that is agreed to."""
    if of_all == bool(identifiers):
        raise click.UsageError("Give the ids of `memtui inbox`, or --all.")
    # What is approved may be for a level that is still to begin.
    with opened_at(levels_here()) if approves else opened() as memory:
        inbox = memory.inbox
        waiting = inbox.waiting().entries if of_all else list(map(inbox.get, identifiers))
        entries = approvable(waiting) if of_all and approves else waiting
        if left := len(waiting) - len(entries):
            note(left_in_words(left))
        if not entries:
            note(EMPTY if not left else "Nothing else waits for approval.")
            return
        ids = list(dict.fromkeys(entry.id for entry in entries))
        plan = (inbox.plan_approve if approves else inbox.plan_take_back)(ids)
        for one in plan.notes:
            note(sentence(one))
        carry_out(
            memory,
            plan,
            options,
            shown="\n\n".join("\n".join(_lines_in_words(entry)) for entry in entries),
            data=list(map(_as_data, entries)),
            apply=lambda: inbox.approve(ids) if approves else inbox.take_back(ids),
        )


def _print(entries: Sequence[Entry]) -> None:
    now = datetime.now(UTC)
    for heading, found in grouped(entries):
        print_line(paint(one_line(heading), bold=True))
        cells = [(entry.id, effect_of(entry), age(entry.when, now)) for entry in found]
        for entry, (name, effect, old) in zip(found, aligned(cells, right=(2,)), strict=True):
            mark = MARKS[entry.kind]
            print_line(
                f"  {paint(name, fg='cyan')}  {paint(f'{mark} {effect}', fg=_COLOURS[mark])}  "
                f"{paint(old, dim=True)}  {one_line(entry.title)}"
            )
    if not entries:
        note(EMPTY)


def _lines_in_words(entry: Entry) -> Iterator[str]:
    yield paint(one_line(f"{heading_of(entry)}: {entry.title}"), bold=True)
    facts = (facts_of(entry), entry.memory, OUTDATED if entry.is_outdated else "", entry.id)
    yield paint(one_line(" · ".join(filter(None, facts))), dim=True)
    for sign, line in lines_of(entry):
        text = f"{sign} {visible(line, newlines=False)}".rstrip()
        yield paint(text, fg=_COLOURS[sign]) if sign in _COLOURS else text


def _as_data(entry: Entry) -> dict[str, object]:
    return {
        "id": entry.id,
        "kind": str(entry.kind),
        "source": str(entry.source),
        "origin": entry.origin,
        "title": entry.title,
        "before": entry.before,
        "after": entry.after,
        "timestamp": format_time(entry.when),
        "category": entry.category,
        "memory": entry.memory,
        "issueNumber": entry.issue,
        "path": "" if entry.path is None else str(entry.path),
        "line": entry.line,
        "outdated": entry.is_outdated,
    }
