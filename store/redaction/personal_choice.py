"""Whether e-mail addresses and telephone numbers are redacted, too: one choice for a process.

Only the user's own settings make it, never a project's: all memories of a process agree on it, and
no caller of the gate needs to pass it on.
"""

from __future__ import annotations

from store.settings.files import user_choice

SETTING = "redact_personal_data"
_chosen: bool | None = None
"""The choice in the settings of the memory opened last; None before one is opened."""


def choose_personal(is_redacted: bool) -> None:
    """Redact personal data from now on in this process, or no longer."""
    global _chosen
    _chosen = is_redacted


def is_personal_redacted() -> bool:
    """Return the choice; that of the user's file where this process opened no memory."""
    global _chosen
    if _chosen is None:
        _chosen = user_choice(SETTING).lower() in {"true", "1", "yes", "on"}
    return _chosen
