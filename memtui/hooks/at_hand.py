"""The client at hand: whose next session is meant where no client is named."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memtui.hooks.install import is_installed
from memtui.hooks.status import tells_sessions
from store.agents.client import Home
from store.agents.registry import HOOKED, client_named
from store.errors import StoreError

if TYPE_CHECKING:
    from store import Memory


def client_at_hand(memory: Memory, home: Home, project: Path) -> str:
    """The name of the client whose hooks tell its sessions here; of several, and where no hook
    does, the one that was used here last; else one that is installed, else the first we know.
    """
    told = [name for name in HOOKED if _is_told(name, home, project)]
    if len(told) == 1:
        return told[0]
    among = told or HOOKED
    used = next((it.client for it in memory.sessions.files(home) if it.client in among), "")
    installed = (name for name in among if is_installed(client_named(name), home))
    return used or next(installed, among[0])


def clients_to_hook(memory: Memory, home: Home, project: Path) -> list[str]:
    """The names of the clients that hooks are offered for: those installed, else the one at
    hand.
    """
    installed = [name for name in HOOKED if is_installed(client_named(name), home)]
    return installed or [client_at_hand(memory, home, project)]


def _is_told(name: str, home: Home, project: Path) -> bool:
    """Whether a hook of the client would run; what can't be read runs none."""
    try:
        return tells_sessions(client_named(name), home, project)
    except StoreError:
        return False
