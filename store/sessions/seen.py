"""Session files that the index has seen, kept beside it, so that only changes are read again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from store.platform.read import FileStamp
from store.search.schema import VERSION

FORMAT = f"sessions-3-{VERSION}"
"""What is kept in another format is built anew: the first number is how files are read, the second
the shape of the index."""


class FileMark(NamedTuple):
    """A session file as it was when it was read: bytes, and milliseconds since 1970. `session` is
    empty where it turned out to be none.
    """

    size: int
    mtime: int
    session: str


class IndexedDigest(NamedTuple):
    """A digest as it was indexed: its session, and its stamp."""

    session: str
    stamp: str


@dataclass(slots=True)
class Seen:
    """The digests that are indexed, by file name; the session files whose messages are, by what
    `file_key` makes of their paths.
    """

    digests: dict[str, IndexedDigest] = field(default_factory=dict)
    files: dict[str, FileMark] = field(default_factory=dict)
    segments: dict[str, FileStamp] = field(default_factory=dict)


def seen_as_json(seen: Seen) -> bytes:
    """Encode the seen files for the index's folder."""
    value = {
        "format": FORMAT,
        "digests": seen.digests,
        "files": seen.files,
        "segments": seen.segments,
    }
    return json.dumps(value).encode()


def file_key(path: Path | str) -> str:
    """Key of a session file: not its path, which may hold what nobody is to keep."""
    return blake2b(str(path).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def segments_in(seen: Seen, part: str) -> dict[str, FileStamp]:
    """The stamps of one part's segment files, by name."""
    prefix = f"{part}/"
    return {
        name.removeprefix(prefix): stamp
        for name, stamp in seen.segments.items()
        if name.startswith(prefix)
    }


def times_of(path: Path) -> tuple[int, int] | None:
    """Times that tell one version of a file from the next; None where there is no file."""
    try:
        info = path.stat()
    except OSError:
        return None
    return info.st_mtime_ns, info.st_ino


def marks_in(value: Mapping[str, Any]) -> dict[str, FileMark]:
    """The session files in what an index says it has seen; earlier versions kept their paths."""
    return {
        file_key(name) if _is_path(name) else name: FileMark(*it)
        for name, it in value["files"].items()
    }


def _is_path(name: str) -> bool:
    return Path(name).is_absolute()


def load_seen(path: Path) -> Seen | None:
    """Read the files that an index has seen; None where that is unreadable or of another format."""
    try:
        value = json.loads(path.read_bytes())
        if value["format"] != FORMAT:
            return None
        return Seen(
            {name: IndexedDigest(str(it[0]), str(it[1])) for name, it in value["digests"].items()},
            marks_in(value),
            {name: FileStamp(*map(int, it)) for name, it in value["segments"].items()},
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
