"""Capture with a language model: the agents at hand that can be asked, one of which may be used."""

from __future__ import annotations

from collections.abc import Iterator
from shutil import which
from typing import TYPE_CHECKING

from memtui.settings.values import Owner, SettingsView, read_settings, set_value, unset_value
from memtui.tui.notices import short_path
from memtui.tui.setup.offer import Kind, Offer
from memtui.tui.widgets.paragraphs import BLANK, Paragraph, plain
from memtui.words.programs import terms
from store.agents import clients
from store.settings import user_file
from store.text import visible

if TYPE_CHECKING:
    from store.pipeline import MemoryPipeline

SETTING = "capture_program"


def program_offers(memory: MemoryPipeline) -> Iterator[Offer]:
    """Each client whose program is at hand and can be asked, and what else the settings name."""
    used = read_settings(memory).value(SETTING)
    known = {client.asking: client for client in clients() if client.asked_by}
    for command, client in known.items():
        if command == used or which(client.program):
            yield _offer(f"capture-{client.name}", client.title, command, used)
    if used and used not in known:
        yield _offer("capture-program", used, used, used)


def _offer(name: str, title: str, command: str, used: str) -> Offer:
    is_used = command == used
    return Offer(
        Kind.PROGRAM,
        name,
        f"Capture with {title}",
        "used" if is_used else "not used",
        done=is_used,
        program=command,
    )


def program_details(memory: MemoryPipeline, offer: Offer) -> list[Paragraph]:
    """What is sent, to whom, when and at what cost, and where its command stands."""
    view = read_settings(memory)
    return [*map(plain, terms(_title(offer.program))), BLANK, *_change(view, offer)]


def _change(view: SettingsView, offer: Offer) -> Iterator[Paragraph]:
    """Where the command stands, or would stand, and what it takes the place of."""
    command = visible(offer.program, newlines=False)
    if offer.done:
        yield plain(f"Set in {short_path(visible(view.sources[SETTING], newlines=False))}:")
        yield plain(command, "$dim")
        return
    yield plain(f"Sets {SETTING} in {short_path(visible(str(user_file()), newlines=False))}:")
    if before := view.said[Owner.USER].get(SETTING, ""):
        yield plain(visible(f"- {before}", newlines=False), "$text-error")
    yield plain(f"+ {command}", "$text-success")


def use_program(memory: MemoryPipeline, offer: Offer) -> str:
    """Have the user's settings name the offer's command; what is to be said of it.

    Raises what `set_value` raises.
    """
    set_value(read_settings(memory), Owner.USER, SETTING, offer.program)
    stronger = read_settings(memory).stronger_than(Owner.USER, SETTING)
    also = f", but {stronger} overrides it" if stronger else ""
    return f"{offer.title} from now on{also}."


def leave_program(memory: MemoryPipeline) -> str:
    """Take the command out of the user's settings; what is to be said of it.

    Raises what `unset_value` raises.
    """
    unset_value(read_settings(memory), Owner.USER, SETTING)
    still = read_settings(memory).stronger_than(Owner.USER, SETTING)
    return f"{still} still sets {SETTING}." if still else "Rules pick the memories again."


def _title(command: str) -> str:
    """The title of the client that a command asks; empty for any other."""
    return next((client.title for client in clients() if client.asking == command), "")
