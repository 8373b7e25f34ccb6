"""Picking one of the values that a setting may have; a theme is tried as the cursor comes to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memtui.tui.frame.routes import Choice, Pick

_FEW = 9
"""Options that are seen at a glance; more are narrowed by typing."""


def pick_option(
    title: str,
    options: Sequence[str],
    chosen: str,
    about: str = "",
    try_out: Callable[[str], None] | None = None,
) -> Pick[str]:
    """Gives an option; the cursor begins on the one that is `chosen`."""
    choices = [Choice(name, name, key=name, is_chosen=name == chosen) for name in options]
    return Pick(
        title,
        choices,
        "type a name" if len(options) > _FEW else "",
        about=lambda _: about,
        try_out=try_out,
        at=options.index(chosen) if chosen in options else 0,
    )
