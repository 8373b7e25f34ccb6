"""An index's knowledge of the memory it was built from, and of its own files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from store.backends.protocol import Stamps
from store.model import Problem
from store.platform.read import FileStamp, stamp_of
from store.platform.write import replace_derived
from store.records import compact_json

FORMAT = 4
_SEGMENT = re.compile(r"[0-9a-f]{32}\.[\w.]+", re.ASCII)


@dataclass(slots=True)
class Seen:
    """All that an index knows of the memory it was built from, and of its own files.

    `stamps` are the issues' as the backend gave them, `log_end` is where the activity log ended.
    `segments` are those of tantivy's files that are never changed once they are written. `vanished`
    are ids that files had and have no more; nobody looked yet whether they were removed.
    """

    stamps: Stamps = field(default_factory=dict)
    log_end: int = 0
    problems: dict[int, list[Problem]] = field(default_factory=dict)
    segments: dict[str, FileStamp] = field(default_factory=dict)
    vanished: frozenset[str] = frozenset()

    def all_problems(self) -> tuple[Problem, ...]:
        """The problems of every issue, in order."""
        return tuple(problem for issue in sorted(self.problems) for problem in self.problems[issue])


def segments_of(index: Path, known: Mapping[str, FileStamp]) -> dict[str, FileStamp]:
    """The stamps of an index's own files; one that is known keeps the stamp it was given first."""
    names = [path.name for path in index.iterdir() if _SEGMENT.fullmatch(path.name)]
    stamps = ((name, known.get(name) or stamp_of(index / name)) for name in names)
    return {name: stamp for name, stamp in stamps if stamp is not None}


def is_intact(index: Path, known: Mapping[str, FileStamp]) -> bool:
    """Compare an index's own files with those that are known; missing ones don't count.

    One that is gone was merged into another, or is missed by tantivy itself.
    """
    stamps = ((stamp, stamp_of(index / name)) for name, stamp in known.items())
    return all(now is None or now == stamp for stamp, now in stamps)


def load_seen(path: Path, identity: Mapping[str, Any]) -> Seen | None:
    """Read what an index saw last; `None` where the file is missing, damaged or another's."""
    try:
        value = json.loads(path.read_bytes())
        if value["identity"] != dict(identity) or value["format"] != FORMAT:
            return None
        return Seen(
            stamps={int(issue): str(stamp) for issue, stamp in value["stamps"].items()},
            log_end=int(value["logEnd"]),
            problems={
                int(issue): [Problem(*problem) for problem in problems]
                for issue, problems in value["problems"].items()
            },
            segments={
                name: FileStamp(*map(int, stamp)) for name, stamp in value["segments"].items()
            },
            vanished=frozenset(map(str, value.get("vanished", ()))),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def save_seen(path: Path, seen: Seen, identity: Mapping[str, Any]) -> None:
    """Keep what the index saw. Raises `StoreError` where it can't be written."""
    value = {
        "format": FORMAT,
        "identity": dict(identity),
        "stamps": {str(issue): stamp for issue, stamp in seen.stamps.items()},
        "logEnd": seen.log_end,
        "problems": {
            str(issue): [list(problem) for problem in problems]
            for issue, problems in seen.problems.items()
            if problems
        },
        "segments": {name: list(stamp) for name, stamp in seen.segments.items()},
        "vanished": sorted(seen.vanished),
    }
    replace_derived(path, compact_json(value), path.parent)
