"""The sessions of all projects, for `memtui sessions --everywhere`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from memtui.cli.memory import folder_named
from memtui.cli.output import note, note_problem, one_line, progress
from memtui.cli.sessions.index import reporting
from memtui.formatting import plural
from store import open_everywhere
from store.agents.client import Home
from store.memory import Memory

everywhere_option = click.option(
    "--everywhere", is_flag=True, help="Sessions of all projects on this machine."
)
NONE_EVERYWHERE = "No agent sessions found of a project whose memory is on."


@contextmanager
def opened_everywhere() -> Iterator[Memory]:
    """The sessions of all projects, opened; those that are new or changed are indexed first, and
    those whose files are gone are dropped.

    Raises `click.UsageError` where one memory is named as well.
    """
    if folder_named():
        raise click.UsageError("--everywhere searches all projects, --dir names one: give either.")
    with open_everywhere() as memory:
        memory.on_problem(note_problem)
        files = memory.session_files.of_project(Home.of_user())
        memory.session_indexing.drop_others(files)
        with progress("Reading", "sessions") as report:
            waiting = memory.session_indexing.to_index(files)
            done = memory.session_indexing.index(waiting, reporting(report))
        for line in done.left:
            note(one_line(line))
        yield memory


def note_how_to_open(found: int, indexed: int) -> None:
    """Print how the memory of one of the projects is opened; where nothing was found, what there
    is.
    """
    if found:
        note("Open the memory of a project with `memtui --dir FOLDER`.")
    elif indexed:
        note(f"Searched {plural(indexed, 'session')}: `memtui sessions --everywhere` lists them.")
    else:
        note(NONE_EVERYWHERE)
