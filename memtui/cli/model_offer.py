"""Capture with a client's language model, offered once its hooks stand."""

from __future__ import annotations

from shutil import which

import click

from memtui.cli.output import note
from memtui.cli.plans import can_ask
from memtui.formatting import shown_path
from memtui.words.programs import terms
from store.agents.client import Client
from store.settings.edit import keep_setting
from store.settings.files import user_choice, user_file
from store.text.display import visible

_SETTING = "capture_program"


def offer_model(client: Client, *, may_ask: bool) -> None:
    """Ask whether the client's model is to pick the memories; where nobody can be asked, or its
    program is not here, say how to have it. Nothing is said where it can't be, or a program is set.

    Raises what `keep_setting` raises.
    """
    if not client.asked_by or user_choice(_SETTING):
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
    # Enter alone decides nothing: it costs money, and sends what was said.
    if not click.confirm(f"Let the model of {client.title} pick them?", default=None, err=True):
        note("Rules pick the memories. Press W in memtui to change that.")
        return
    keep_setting(user_file(), _SETTING, client.asking)
    path = visible(shown_path(user_file()), newlines=False)
    note(f"Set {_SETTING} in {path}. `memtui config unset {_SETTING}` takes it out.")
