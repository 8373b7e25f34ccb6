"""`memtui init` and `move`: where this project's memory begins, and where it goes."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.completed_values import complete_id
from memtui.cli.memory import chosen_ids, find_folder, levels_here, opened_at
from memtui.cli.options import Options, level_option, never_asks_option, operation_options
from memtui.cli.output import note, note_all, one_line
from memtui.cli.plans import carry_out, is_question_agreed
from memtui.formatting import shown_path
from store.backends.location import begun_store
from store.backends.moving import move_memory
from store.backends.placement import MemoryPlace, begin_files, place_of, prepare_place
from store.backends.user_data import is_in_user_data
from store.errors import Conflict
from store.platform.git_command import ask_git
from store.platform.write import make_folder

_PLACES = """\b
  user       your data folder, apart from other projects; nothing is written in the project
  untracked  .agentx/memory in the project, left out by git (.git/info/exclude)
  tracked    .agentx/memory in the project, for git: a team shares it
"""
_EPILOG = f"""\b
Places:
{_PLACES}
\b
Examples:
  memtui init                in the project, left out by git
  memtui init tracked        in the project, for the team
"""
_MOVE_EPILOG = f"""\b
Places:
{_PLACES}
\b
Examples:
  memtui move user           out of the project
  memtui move tracked        into it, for the team
  memtui move a1b2c3 --level mine                one memory, to all your projects
  memtui move --query 'tag:rule' --level team --copy
"""


@click.command(epilog=_EPILOG)
@click.argument(
    "place",
    type=click.Choice([str(item) for item in MemoryPlace]),
    default=str(MemoryPlace.UNTRACKED),
)
@never_asks_option
def init_command(place: str) -> None:
    """Start the memory of this project in PLACE (default: untracked).

    Hooks start it in your data folder by themselves, or as the setting `memory_place` has it.
    """
    here = Path.cwd()
    found = begun_store(here)
    is_for_team = found is not None and is_in_user_data(found) and place == MemoryPlace.TRACKED
    if found is not None and not is_for_team:
        raise Conflict(
            f"This project has a memory at {shown_path(found)}.", "Move it with `memtui move`."
        )
    path = prepare_place(here, MemoryPlace(place))
    if place == MemoryPlace.TRACKED:
        begin_files(path)
    else:
        make_folder(path)
    if is_for_team:
        note(f"The team's memory begins in {shown_path(path)}: add to it with `--level team`.")
        note("What is added without a level still goes to your own.")
    else:
        note(f"Memory starts in {shown_path(path)}. `memtui move` puts it elsewhere.")
    if place == MemoryPlace.TRACKED and not is_for_team:
        note("`git add .agentx` makes it the team's.")
    _note_if_ignored(path, MemoryPlace(place))


@click.command(epilog=_MOVE_EPILOG)
@click.argument("words", metavar="PLACE | [ID]...", nargs=-1, shell_complete=complete_id)
@level_option("Move memories to this level; it begins where there is none yet.")
@click.option("--query", help="Move all memories that match a query to a level.")
@click.option("--copy", "copies", is_flag=True, help="Copy them to the level; they stay, too.")
@operation_options
def move_command(
    words: tuple[str, ...], level: str | None, query: str | None, copies: bool, options: Options
) -> None:
    """Move this project's memory to PLACE, or memories to another level.

    PLACE is user, untracked or tracked: all of it moves, with its journal and settings; moving it
    back undoes it. Close the app and end sessions of the project first.

    With --level, only the memories that are named move: to mine, project or team. What holds a
    secret, private text, a home folder, an address or a host stays out of the team's.
    """
    if level is not None:
        _move_to_level(words, level, query, options, copies=copies)
        return
    if query is not None or copies or options.dry_run or options.as_json:
        raise click.UsageError("--query, --copy, --dry-run and --json go with --level.")
    if len(words) != 1 or words[0] not in list(MemoryPlace):
        raise click.UsageError(f"Give a place ({', '.join(MemoryPlace)}), or IDs and --level.")
    _move_to_place(words[0], yes=options.yes)


def _move_to_level(
    words: tuple[str, ...], level: str, query: str | None, options: Options, *, copies: bool
) -> None:
    with opened_at(levels_here()) as memory:
        plan = memory.plan.move(chosen_ids(memory, words, query), level, copies=copies)
        carry_out(memory, plan, options)
        if not options.as_json:
            note_all(plan.notes)


def _move_to_place(place: str, *, yes: bool) -> None:
    memory, chosen = find_folder(), MemoryPlace(place)
    before = place_of(memory)
    if before is chosen:
        note(f"{shown_path(memory)} is {place} already.")
        return
    tracked = ask_git(memory, ["ls-files", "-z", "--", "."]) or b""
    if not is_question_agreed(f"Move {shown_path(memory)} ({before}) to {place}?", yes=yes):
        return
    target = move_memory(memory, Path.cwd(), chosen)
    note(f"Memory is in {shown_path(target)}. Undo with `memtui move {before}`.")
    _note_if_ignored(target, chosen)
    if tracked and chosen is not MemoryPlace.TRACKED:
        note("git tracks its files still: `git rm -r --cached .agentx/memory` and commit that.")


def _note_if_ignored(memory: Path, wanted: MemoryPlace) -> None:
    """Note it where git ignores what it is to track."""
    ignored = ask_git(memory.parent, ["check-ignore", "-v", str(memory / "issue-0.json")])
    if wanted is MemoryPlace.TRACKED and ignored:
        rule = ignored.decode("utf-8", "replace").partition("\t")[0]
        note(one_line(f"git leaves it out all the same, by a rule of yours: {rule}"))
