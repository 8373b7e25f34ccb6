"""The programs whose language model can pick the memories of a session."""

from __future__ import annotations

from collections.abc import Iterator
from shutil import which
from typing import NamedTuple

from store.agents.registry import clients


class Program(NamedTuple):
    """A command that answers a prompt; the name and the title of its client are empty where it is
    of none that we know.
    """

    client: str
    title: str
    command: str

    @property
    def name(self) -> str:
        """Name on screen."""
        return self.title or self.command


def programs_at_hand(chosen: str) -> Iterator[Program]:
    """Each client whose program is on the path and answers a prompt, and beside them what the
    settings name, `chosen`, unless that is empty.
    """
    is_known = False
    for client in clients():
        if not client.asked_by:
            continue
        is_chosen = client.asking == chosen
        is_known |= is_chosen
        if is_chosen or which(client.program):
            yield Program(client.name, client.title, client.asking)
    if chosen and not is_known:
        yield Program("", "", chosen)
