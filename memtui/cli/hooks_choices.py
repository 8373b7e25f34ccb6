"""What is chosen once hooks are installed: where memory may begin, and who picks memories."""

from __future__ import annotations

from shutil import which

import click

from memtui.cli.output import note
from memtui.cli.plans import can_ask
from memtui.formatting import shown_path
from memtui.settings.programs import terms
from store.agents.client import Client
from store.backends.placement import MemoryPlace, chosen_place
from store.settings.edit import keep_setting
from store.settings.files import user_choice, user_file
from store.text.display import visible

PLACES = tuple(map(str, MemoryPlace))
_PLACE_SETTING = "memory_place"
_PLACE_QUESTION = """
Where may memory be kept of a project that has none?
  user       in your data folder, for each project apart
  untracked  in the project, left out by git (.git/info/exclude)
  tracked    in the project, for git: what agents learned is published with it\
"""
_PROGRAM_SETTING = "capture_program"


def choose_place(named: str | None, *, may_ask: bool) -> None:
    """Write the setting of where memory may begin: as named, or as answered where none is set.

    Raises as `keep_setting`.
    """
    chosen = chosen_place()
    if named is None and chosen is None and may_ask and can_ask():
        note(_PLACE_QUESTION)
        named = click.prompt(
            "Place",
            type=click.Choice(PLACES),
            default=str(MemoryPlace.USER),
            err=True,
        )
    if named is not None and named != chosen:
        keep_setting(user_file(), _PLACE_SETTING, named)
        note(f"Set {_PLACE_SETTING} = {named} in {shown_path(user_file())}.")
    elif chosen is None:
        note(
            "Memory of a project that has none begins in your data folder; "
            f"`memtui config set {_PLACE_SETTING}` or `memtui init` in a project changes that."
        )


def offer_model(client: Client, *, may_ask: bool) -> None:
    """Ask whether the client's model is to pick the memories; without a terminal or the client's
    program, note how to turn it on.

    Does nothing where the client has no model to ask, or a program is set. Raises as
    `keep_setting`.
    """
    if not client.asked_by or user_choice(_PROGRAM_SETTING):
        return
    if not may_ask or not can_ask() or not which(client.program):
        note(
            "Rules pick the memories when a session ends. "
            f"The model of {client.title} picks better ones: press W in memtui to use it."
        )
        return
    note(f"\nThe model of {client.title} picks better memories than rules do.")
    for sentence in terms(client.title):
        note(f"  {sentence}")
    # Enter alone decides nothing: it costs money, and sends the text of sessions.
    if not click.confirm(f"Let the model of {client.title} pick them?", default=None, err=True):
        note("Rules pick the memories. Press W in memtui to change that.")
        return
    keep_setting(user_file(), _PROGRAM_SETTING, client.asking)
    path = visible(shown_path(user_file()), newlines=False)
    note(
        f"Set {_PROGRAM_SETTING} in {path}. `memtui config unset {_PROGRAM_SETTING}` takes it out."
    )
