"""The known name that a misspelt one is likely meant to be, and refusing a name that is none."""

from __future__ import annotations

from collections.abc import Collection, Iterable

_ALIKE = 0.75
"""Of 1: `agnet` is near `agent`, `engine` near `engineer`, `lock` near nothing."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the one of the known names that is spelt much like `name`, whatever the case."""
    from difflib import get_close_matches  # few names are wrong

    as_written = {spelling.casefold(): spelling for spelling in known}
    found = get_close_matches(name.casefold(), as_written, n=1, cutoff=_ALIKE)
    return as_written[found[0]] if found else None


def check_name(name: str, what: str, known: Collection[str], otherwise: str) -> None:
    """Check a name. Raises `ValueError`, with the nearest, or what to do `otherwise`."""
    if name not in known:
        meant = nearest(name, known)
        raise ValueError(
            f"unknown {what} `{name}`; {f'did you mean `{meant}`?' if meant else otherwise}"
        )
