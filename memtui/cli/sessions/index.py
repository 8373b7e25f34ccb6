"""`memtui sessions index`: read sessions so that search and recall find them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from memtui.cli.memory import memory_or_new, opened_at
from memtui.cli.options import dir_option, json_option, never_asks_option
from memtui.cli.output import Progress, note, one_line, print_json, progress
from memtui.formatting import plural
from store.agents.client import Home, SessionFile
from store.agents.discovery import transcripts_in
from store.agents.files import files_at
from store.errors import NotFound
from store.memory import Memory
from store.operations.plan import GoesOn


@click.command("index")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@json_option
@never_asks_option
@dir_option
def index_command(files: tuple[Path, ...], as_json: bool) -> None:
    """Index sessions for search and recall, newest first.

    FILES are session files or folders of them. Default: all sessions of this project. Sessions that
    have not changed are skipped, so a stopped run can be resumed.
    """
    with opened_at(memory_or_new()) as memory:
        chosen = _files_named(files) if files else memory.session_files.of_project(Home.of_user())
        with progress("Reading", "sessions") as report:
            done = memory.session_indexing.index(chosen, reporting(report))
    if as_json:
        print_json({"taken": done.taken, "known": done.known, "left": list(done.left)})
        return
    for line in done.left:
        note(one_line(line))
    known = f", {done.known:,} already indexed" if done.known else ""
    note(f"Indexed {plural(done.taken, 'session')}{known}.")


def reporting(report: Progress, stops: Sequence[int] = ()) -> GoesOn:
    """Make a callback that shows progress, and stops the work once `stops` holds anything."""

    def should_continue(done: int, total: int) -> bool:
        report(done, total)
        return not stops

    return should_continue


def sessions_to_index(memory: Memory) -> list[SessionFile]:
    """Return the files of sessions that the index has not read as they are now."""
    return memory.session_indexing.to_index(memory.session_files.of_project(Home.of_user()))


def print_not_indexed(waiting: int, writable: bool) -> None:
    """Print how many sessions are not indexed yet, and how to index them; nothing for none."""
    if waiting:
        then = "Run `memtui sessions index`" if writable else "Memory is read-only"
        note(f"{plural(waiting, 'session')} not indexed yet. {then}.")


def _files_named(paths: Sequence[Path]) -> list[SessionFile]:
    """Return the session files that are named or in a named folder. Raises `NotFound`."""
    found: list[SessionFile] = []
    for path in paths:
        if not path.exists():
            raise NotFound(f"There is no {path}.", "Give a session file or a folder of them.")
        found += transcripts_in(path) if path.is_dir() else files_at([path.absolute()], "")
    return found
