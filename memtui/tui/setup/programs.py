"""Capture with a language model: the agents at hand that can be asked, one of which may be used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memtui.settings.programs import Program, programs_at_hand
from memtui.settings.values import Owner, SettingsView, read_settings, set_value, unset_value
from memtui.tui.frame.notices import short_path
from memtui.tui.setup.offer import Kind, Offer
from memtui.tui.widgets.paragraphs import BLANK, Paragraph, plain
from memtui.words.programs import terms
from store.settings.files import user_file
from store.text.display import visible

if TYPE_CHECKING:
    from store import Memory

SETTING = "capture_program"


def program_offers(memory: Memory) -> Iterator[Offer]:
    """Each client whose program is at hand and can be asked, and what else the settings name."""
    used = read_settings(memory).value(SETTING)
    for program in programs_at_hand(used):
        yield _offer(program, is_used=program.command == used)


def _offer(program: Program, *, is_used: bool) -> Offer:
    return Offer(
        Kind.PROGRAM,
        f"capture-{program.client or 'program'}",
        f"Capture with {program.name}",
        "used" if is_used else "not used",
        done=is_used,
        program=program,
    )


def program_details(memory: Memory, offer: Offer, program: Program) -> list[Paragraph]:
    """What is sent, to whom, when and at what cost, and where its command stands."""
    view = read_settings(memory)
    change = _change(view, program.command, is_set=offer.done)
    return [*map(plain, terms(program.title)), BLANK, *change]


def _change(view: SettingsView, command: str, *, is_set: bool) -> Iterator[Paragraph]:
    """Where the command stands, or would stand, and what it takes the place of."""
    shown = visible(command, newlines=False)
    if is_set:
        yield plain(f"Set in {short_path(visible(view.sources[SETTING], newlines=False))}:")
        yield plain(shown, "$dim")
        return
    yield plain(f"Sets {SETTING} in {short_path(visible(str(user_file()), newlines=False))}:")
    if before := view.said[Owner.USER].get(SETTING, ""):
        yield plain(visible(f"- {before}", newlines=False), "$text-error")
    yield plain(f"+ {shown}", "$text-success")


def use_program(memory: Memory, offer: Offer, program: Program) -> str:
    """Have the user's settings name the offer's command; what is to be said of it.

    Raises what `set_value` raises.
    """
    set_value(read_settings(memory), Owner.USER, SETTING, program.command)
    stronger = read_settings(memory).stronger_than(Owner.USER, SETTING)
    also = f", but {stronger} overrides it" if stronger else ""
    return f"{offer.title} from now on{also}."


def leave_program(memory: Memory) -> str:
    """Take the command out of the user's settings; what is to be said of it.

    Raises what `unset_value` raises.
    """
    unset_value(read_settings(memory), Owner.USER, SETTING)
    still = read_settings(memory).stronger_than(Owner.USER, SETTING)
    return f"{still} still sets {SETTING}." if still else "Rules pick the memories again."
