"""Where agents keep their transcripts, and which ones there are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

_SUB_AGENTS = "subagents"
_ENDINGS = frozenset({".jsonl", ".json"})


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """A transcript on disk. `size` in bytes; `modified` in UTC."""

    path: Path
    agent: str
    modified: datetime
    size: int


def known_transcripts(home: Path, project: Path | None = None) -> tuple[TranscriptFile, ...]:
    """The transcripts in the agents' own folders, newest first.

    With `project`, only those of agents that file them by project keep to its sessions. Folders
    that are missing or can't be read hold none.
    """
    name = re.sub(r"[^A-Za-z0-9]", "-", str(project)) if project else "*"
    slug = name.strip("-") if project else "*"
    places = (
        ("claude-code", home / ".claude" / "projects", f"{name}/*.jsonl"),
        ("codex", home / ".codex" / "sessions", "*/*/*/rollout-*.jsonl"),
        ("cursor", home / ".cursor" / "projects", f"{slug}/agent-transcripts/*/*.jsonl"),
    )
    found = (
        file
        for agent, folder, pattern in places
        for file in _files(folder.glob(pattern) if folder.is_dir() else (), agent)
    )
    return tuple(sorted(found, key=lambda file: (file.modified, file.path), reverse=True))


def transcripts_in(folder: Path) -> tuple[TranscriptFile, ...]:
    """All files under a folder that may be transcripts, oldest first: the order of a history.

    Those of sub-agents are left out. Which of the others are transcripts, reading them tells.
    """
    paths = (path for path in folder.rglob("*") if path.suffix in _ENDINGS)
    files = _files((path for path in paths if _SUB_AGENTS not in path.parts), "")
    return tuple(sorted(files, key=lambda file: (file.modified, file.path)))


def _files(paths: Iterable[Path], agent: str) -> Iterator[TranscriptFile]:
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            continue
        if path.is_file() and status.st_size:
            modified = datetime.fromtimestamp(status.st_mtime, UTC)
            yield TranscriptFile(path, agent, modified, status.st_size)
