"""`memtui sync`: the user's memories, the same on all machines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shlex import quote

import click

from memtui.cli.exits import FAILED
from memtui.cli.memory import folder_named
from memtui.cli.options import Options, json_option, yes_option
from memtui.cli.output import fail, note, one_line, print_json, print_line, progress
from memtui.cli.plans import is_agreed
from memtui.formatting import short_path
from memtui.words.sync import both_kept, sync_done, sync_lines, sync_title, waiting
from store.backends.location import FOLDER
from store.backends.user_data import mine_memory
from store.platform.home import home_folder
from store.settings.edit import keep_setting
from store.settings.files import load_settings, user_file
from store.sync.plan import Synced, SyncPlan
from store.sync.sync import Sync, check_remote

_EPILOG = """\b
REMOTE is a path or an ssh address of a bare git repository, which you name once.
Your own memory and those of projects in your data folder are synced, memory by
memory; what projects keep themselves is left to their git. Projects are known by
their remotes or first commit, not by their path.

\b
If both sides edited a memory, both versions are kept: `memtui git resolve ID`
shows them. What was removed on one machine is removed on all. Nothing is force-pushed.
What you delete for good stays in the repository's history. To begin a new one, with
all machines in step, delete its branch memtui/memory and, on each machine, the folder
sync in the data folder; then sync again.

\b
Examples:
  git init --bare ~/memory.git        begin, here or on a server
  memtui sync ~/memory.git            name it, and sync
  memtui sync me@server:memory.git    the same on a server
  memtui sync --status                what would go where
  memtui sync --yes                   for cron
"""
_NAMED = 5
"""Memories with two versions that are named."""


@click.command(epilog=_EPILOG)
@click.argument("remote", required=False, default="")
@click.option("--status", is_flag=True, help="Show what would go where; change nothing.")
@yes_option
@json_option
def sync_command(remote: str, status: bool, yes: bool, as_json: bool) -> int:
    """Have your memories the same on all machines, through a git repository of your own.

    Offline, exits with 1 and says what waits; the next sync sends it.
    """
    if folder_named():
        raise click.UsageError("sync takes all memories of your data folder, --dir names one.")
    settings = load_settings(mine_memory()).settings
    named = check_remote(remote) if remote else settings.sync_remote
    sync = Sync(replace(settings, sync_remote=named))
    with progress("Comparing"):
        plan = sync.plan()
    is_new_name = bool(remote) and named != settings.sync_remote
    if status or plan.away or plan.is_in_step:
        if is_new_name and plan.is_in_step and not (status or plan.away):
            keep_setting(user_file(), "sync_remote", named)
        _print_plan(plan, as_json=as_json)
        if plan.away:
            fail(plan.away, f"Waiting: {waiting(plan)}. Sync again when it can be reached.")
        return FAILED if plan.away and not status else 0
    options = Options(yes=yes, as_json=as_json)
    if not is_agreed(lambda: _in_words(plan), lambda: _as_data(plan), "Sync?", options):
        return 0
    if is_new_name:
        keep_setting(user_file(), "sync_remote", named)
    with progress("Syncing"):
        synced = sync.run()
    _report(synced, as_json=as_json)
    return FAILED if synced.left else 0


def _print_plan(plan: SyncPlan, *, as_json: bool) -> None:
    if as_json:
        print_json(_as_data(plan))
    elif plan.memories or not plan.is_in_step:
        print_line(_in_words(plan))
    elif not plan.away:
        note(f"In step with {short_path(plan.remote)}.")


def _report(synced: Synced, *, as_json: bool) -> None:
    plan = synced.plan
    if as_json:
        operations = {str(path): operation for path, operation in synced.operations.items()}
        print_json({**_as_data(plan), "operations": operations, "left": synced.left})
        return
    print_line(one_line(f"{sync_done(plan)}."))
    if sentence := both_kept(plan):
        note(sentence)
        for memory in plan.memories:
            for identifier in memory.conflicts[:_NAMED]:
                place = _typed(memory.memory)
                note(f"Choose with `memtui --dir {place} git resolve {identifier[-6:]}`.")
    for path, operation in synced.operations.items():
        note(f"Undo with `memtui --dir {_typed(path)} undo {operation[-4:]}`.")
    for line in synced.left:
        note(line)


def _typed(memory: Path) -> str:
    """Return a memory as it is typed in a shell after `--dir`: by the folder that it is of."""
    place = memory.parents[1] if memory.parts[-2:] == FOLDER.parts else memory
    home = home_folder()
    if place.is_relative_to(home):
        return f"~/{quote(str(place.relative_to(home)))}"
    return quote(str(place))


def _in_words(plan: SyncPlan) -> str:
    lines = (sync_title(plan), *(f"  {line}" for line in sync_lines(plan)))
    return "\n".join(map(one_line, lines))


def _as_data(plan: SyncPlan) -> dict[str, object]:
    return {
        "remote": plan.remote,
        "first": plan.is_first,
        "away": plan.away,
        "inStep": plan.is_in_step,
        "memories": [
            {
                "name": memory.name,
                "folder": str(memory.memory),
                "send": memory.sends.counted(),
                "receive": memory.receives.counted(),
                "conflicts": memory.conflicts,
                "new": memory.is_new,
                "problem": memory.problem,
            }
            for memory in plan.memories
        ],
    }
