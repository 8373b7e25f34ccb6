"""Session files for the tests of sessions."""

from __future__ import annotations

from pathlib import Path

from store.agents.client import SessionFile
from store.agents.files import files_at
from tests.store.capture.transcripts import ClaudeCode


def talk(folder: Path, name: str, *said: str) -> SessionFile:
    """A session in which a person and the agent speak in turn."""
    made = ClaudeCode(session=name)
    for at, text in enumerate(said):
        made = made.agent(text) if at % 2 else made.user(text)
    return written(folder, made)


def written(folder: Path, made: ClaudeCode) -> SessionFile:
    path = made.write(folder / f"{made.session}.jsonl")
    return next(iter(files_at([path], "claude-code")))
