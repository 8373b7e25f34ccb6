"""The terminal's clipboard (OSC 52), which never says whether it took what it was handed."""

from __future__ import annotations

from typing import Any

from textual.app import App

from memtui.tui.key_names import key_in_use


def copied_message(app: App[Any], copied: str, *bindings: str) -> str:
    """What is told once `copied` was handed over; the keys of `bindings` write a file instead."""
    keys = [key_in_use(app, binding) for binding in bindings]
    instead = f": {' '.join(keys)} writes a file." if all(keys) else "."
    return f"Copied {copied}.\nWhere nothing can be pasted, the terminal takes no copies{instead}"
