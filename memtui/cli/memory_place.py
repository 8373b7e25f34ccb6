"""Where memory of projects may begin: asked for once, when hooks are installed."""

from __future__ import annotations

import click

from memtui.cli.output import note
from memtui.cli.plans import can_ask
from memtui.formatting import shown_path
from store.backends.placement import MemoryPlace, chosen_place
from store.settings.edit import keep_setting
from store.settings.files import user_file

SETTING = "memory_place"
_QUESTION = """
Where may memory be kept of a project that has none?
  user       in your data folder, for each project apart
  untracked  in the project, left out by git (.git/info/exclude)
  tracked    in the project, for git: what agents learned is published with it\
"""


def choose_place(named: str | None, *, may_ask: bool) -> None:
    """Keep where memory may begin, as named or as answered; asked only where nobody chose yet.

    Raises what `keep_setting` raises.
    """
    chosen = chosen_place()
    if named is None and chosen is None and may_ask and can_ask():
        note(_QUESTION)
        named = click.prompt(
            "Place",
            type=click.Choice([str(it) for it in MemoryPlace]),
            default=str(MemoryPlace.USER),
            err=True,
        )
    if named is not None and named != chosen:
        keep_setting(user_file(), SETTING, named)
        note(f"Set {SETTING} = {named} in {shown_path(user_file())}.")
    elif chosen is None:
        note(
            "Memory of a project that has none begins in your data folder; "
            f"`memtui config set {SETTING}` or `memtui init` in a project changes that."
        )
