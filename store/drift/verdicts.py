"""What became of the code that a memory names, as values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from store.model import DRIFTED, Verdict

MOSTLY = 0.5
"""The share of its names from which a memory whose names are gone is doubtful."""


class Drift(NamedTuple):
    """A verdict on a memory. `gone` are files, names and commands in it that the code no longer
    has, `share` (0 to 1) what they are of all such in it; `moved` files with their paths now,
    `changed` files. `commit` is the first that did this, at `time` (seconds), where that is known.
    """

    verdict: Verdict = Verdict.UNKNOWN
    gone: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    changed: tuple[str, ...] = ()
    commit: str = ""
    time: int = 0
    share: float = 0.0

    @property
    def is_drifted(self) -> bool:
        return self.verdict in DRIFTED

    @property
    def is_mostly_gone(self) -> bool:
        return self.share > MOSTLY


UNKNOWN = Drift()


def with_paths(text: str, moved: Iterable[tuple[str, str]]) -> str:
    """Return a text with the paths of moved files as they are now."""
    now = dict(moved)
    if not now:
        return text
    paths = "|".join(map(re.escape, sorted(now, key=len, reverse=True)))
    written = re.compile(rf"(?<![\w/.@-])(?:\./)?({paths})(?![\w/-]|\.\w)")
    return written.sub(lambda found: now[found[1]], text)


def drift_record(drift: Drift) -> list[Any]:
    """Return a verdict as the cache keeps it."""
    return [str(drift.verdict), *drift[1:]] if drift.is_drifted else [str(drift.verdict)]


def drift_of(record: Sequence[Any]) -> Drift:
    """Return a verdict that the cache kept. Raises `ValueError`, `TypeError`, `IndexError`."""
    verdict = Verdict(record[0])
    if len(record) == 1:
        return Drift(verdict)
    _, gone, moved, changed, commit, time, share = record
    return Drift(
        verdict,
        tuple(map(str, gone)),
        tuple((str(before), str(after)) for before, after in moved),
        tuple(map(str, changed)),
        str(commit),
        int(time),
        float(share),
    )
