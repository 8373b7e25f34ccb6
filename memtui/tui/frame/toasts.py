"""Toasts: each in the place of the one before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.notifications import SeverityLevel

from memtui.formatting import plural
from memtui.tui.frame.keys import key_in_use
from memtui.words.notices import error_in_words, sentence
from store.action import ActionKind
from store.errors import Conflict, NotFound, StoreError
from store.text.display import visible, visible_line

if TYPE_CHECKING:
    from store.operations.apply import Applied

_NAMED = 2
"""Sentences of a toast about what was left; the rest is counted."""


def toast(
    app: App[Any], text: str, *, title: str = "", severity: SeverityLevel = "information"
) -> None:
    """Show a toast in the place of the one before, so that they never hide what is worked on."""
    app.clear_notifications()
    app.notify(
        visible(text),
        title=visible_line(title),
        severity=severity,
        markup=False,
        timeout=5 if severity == "information" else 8,
    )


def toast_error(app: App[Any], error: StoreError) -> None:
    """Say what could not be done, and what the user can do; calmly where nothing is wrong."""
    severity: SeverityLevel = "error"
    if isinstance(error, NotFound | Conflict):
        severity = "information" if isinstance(error, NotFound) else "warning"
    message = error_in_words(error)
    title = message if error.hint else ""
    toast(app, error.hint or message, title=title, severity=severity)


def toast_applied(app: App[Any], applied: Applied, what: str) -> None:
    """Say what was done, what was left and why, and how to take it back."""
    back = "redo" if applied.action.kind == ActionKind.UNDO else "undo"
    undoable = applied.operation_id and not applied.final
    key = key_in_use(app, f"app.{back}") if undoable else ""
    lines = [f"{what} · {key} to {back}" if key else what]
    if applied.left:
        lines.append(f"{plural(applied.changed, 'change')} made, {len(applied.left)} left:")
        lines += map(sentence, applied.left[:_NAMED])
        if len(applied.left) > _NAMED:
            lines.append(f"and {len(applied.left) - _NAMED} more.")
    toast(app, "\n".join(lines), severity="warning" if applied.left else "information")


def copied_message(app: App[Any], copied: str, *bindings: str) -> str:
    """Message once `copied` was sent; the keys of `bindings` save a file instead."""
    keys = [key_in_use(app, binding) for binding in bindings]
    pressed = " then ".join(keys)
    instead = f"\nIf paste fails, press {pressed} to save a file." if all(keys) else ""
    return f"Copied {copied}.{instead}"
