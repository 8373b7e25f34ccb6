"""The terminal's clipboard (OSC 52), which never says whether it took what it was handed."""

from __future__ import annotations

from typing import Any

from textual.app import App

from memtui.tui.key_names import key_in_use


def copied_message(app: App[Any], copied: str, *bindings: str) -> str:
    """What to say once `copied` was sent; the keys of `bindings` save a file instead."""
    keys = [key_in_use(app, binding) for binding in bindings]
    pressed = " then ".join(keys)
    instead = f"\nIf paste fails, press {pressed} to save a file." if all(keys) else ""
    return f"Copied {copied}.{instead}"
