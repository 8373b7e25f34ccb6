"""A vault's own compaction (five-layer memory, §6): what its five steps take, extract and leave.

Pure but for what `read_side_files` reads. Checkpoints that expired (A); conversations, of which
decisions and lessons are extracted and the last 20 messages stay (B); categories of more than 30
entries, folded to 20 and a summary (C); the index of the vault's own program, which it builds
anew (D); backups and flat files that became entries (E).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from store.agents.records import instant
from store.agents.vault_lines import LONGEST, vault_lines
from store.backends.vault.flat import BACKUP, is_flat, sections_of
from store.backends.vault.items import NOTES
from store.backends.vault.layout import CHECKPOINTS, CONVERSATIONS, OBSIDIAN, OWN, SIDE, agent_of
from store.backends.vault.listing import json_files, listed
from store.errors import Unreadable
from store.model import Category, Observation
from store.notice import Notice, notice
from store.platform.bounds import load_json
from store.platform.read import read_bytes

TRASH = f"{SIDE}/trash"
"""Where what is taken away stays, so that it can be put back."""
INDEX, LOG = f"{OWN}/index.json", f"{OWN}/compact-log.json"
PROCESSED = f"{OWN}/processed-conversations.json"
MOST_MESSAGES = 20
_VALID = timedelta(days=7)
"""How long a checkpoint is good for."""
_HANDED = 3
_AGENTS = frozenset({"agent", "assistant", "ai", "model", "bot"})


class Conversation(NamedTuple):
    """A saved conversation: its path in the vault, whose it is, its whole JSON value."""

    path: str
    agent: str
    value: dict[str, Any]
    digest: str

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [message for message in self.value["messages"] if isinstance(message, dict)]


@dataclass(frozen=True, slots=True)
class SideFiles:
    """The other files of a vault, as compaction finds them."""

    expired: tuple[str, ...] = ()
    conversations: tuple[Conversation, ...] = ()
    processed: Mapping[str, str] | None = None
    has_index: bool = False
    legacy: tuple[str, ...] = ()
    problems: tuple[Notice, ...] = ()


def read_side_files(folder: Path, now: datetime) -> SideFiles:
    """Look at a vault's checkpoints, conversations and backups; what can't be read is named."""
    problems: list[Notice] = []
    expired = [name for name in json_files(folder, CHECKPOINTS) if _is_expired(folder, name, now)]
    conversations = []
    for path in json_files(folder, CONVERSATIONS):
        try:
            conversations.append(_conversation(folder, path))
        except (Unreadable, FileNotFoundError, ValueError) as error:
            problems.append(notice("skipped", text=str(error)).at(path))
    top = [
        name
        for name in listed(folder)
        if (folder / name).is_file() and not (folder / name).is_symlink()
    ]
    legacy = [
        file for file in top if file.endswith(f".md{BACKUP}") and is_flat(file[: -len(BACKUP)])
    ]
    if not (folder / OBSIDIAN).exists():
        flat = (file for file in top if is_flat(file))
        legacy += [file for file in flat if _is_migrated(folder, file)]
    return SideFiles(
        tuple(expired),
        tuple(conversations),
        _processed(folder),
        (folder / INDEX).is_file(),
        tuple(legacy),
        tuple(problems),
    )


def extracted(conversation: Conversation, now: datetime) -> Iterator[Observation]:
    """Yield the memories of a conversation: decisions, lessons, and a handoff of what goes.

    They are of the time when it was saved, so that none comes after the last session's handoff.
    """
    saved = instant(conversation.value.get("savedAt"))
    time = now if saved is None else min(saved, now)
    spoken = [
        (message, _text(message))
        for message in conversation.messages
        if message.get("internal") is not True
    ]
    going = spoken[:-MOST_MESSAGES] if is_long(conversation) else spoken
    agents = [text for message, text in going if str(message.get("role", "")).lower() in _AGENTS]
    tags = ("compacted", "auto-extract")
    for line in vault_lines(agents):
        yield Observation(
            conversation.agent, 0, line.category, line.text, timestamp=time, tags=tags
        )
    if is_long(conversation) and agents:
        content = "\n".join(f"[Agent]: {text[:LONGEST]}" for text in agents[-_HANDED:])
        tags = ("compacted", "auto-handoff")
        yield Observation(
            conversation.agent, 0, Category.HANDOFF, content, timestamp=time, tags=tags
        )


def is_note(memory: Observation) -> bool:
    """Return whether the memory is a file of its own in a vault, which a person keeps."""
    is_project = memory.agent == memory.category == Category.PROJECT
    return is_project or memory.agent == NOTES or "properties" in memory.extra


def is_long(conversation: Conversation) -> bool:
    return len(conversation.value["messages"]) > MOST_MESSAGES


def trimmed(conversation: Conversation) -> bytes:
    """Return a conversation with its last 20 messages."""
    messages = conversation.value["messages"][-MOST_MESSAGES:]
    return json.dumps({**conversation.value, "messages": messages}, indent=2).encode("ascii")


def digest_of(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def log_of(figures: Mapping[str, int], now: str) -> bytes:
    """Return the result of a compaction, as the vault's own program keeps it."""
    result = {
        "timestamp": now,
        "checkpointsCleaned": figures.get("checkpoints", 0),
        "conversationsTrimmed": figures.get("conversations", 0),
        "vaultEntriesMerged": figures.get("memories", 0),
        "indexRebuilt": True,
        "legacyFilesCleaned": figures.get("legacy", 0),
    }
    return json.dumps(result, indent=2).encode("ascii") + b"\n"


def _text(message: Mapping[str, Any]) -> str:
    text = message.get("text", message.get("content"))
    return text if isinstance(text, str) else ""


def _is_migrated(folder: Path, path: str) -> bool:
    """Return whether the folder of its agent has all of a flat file."""
    place = folder / agent_of(path.removesuffix(".md"))
    if place.is_symlink() or not place.is_dir():
        return False
    try:
        text = read_bytes(folder / path, folder).decode("utf-8", "replace")
        files = [place / name for name in listed(place) if name.endswith(".md")]
        held = [read_bytes(file, folder) for file in files if not file.is_symlink()]
    except (Unreadable, FileNotFoundError):
        return False
    there = b"\n".join(held).decode("utf-8", "replace")
    return all(section.content in there for section in sections_of(text))


def _is_expired(folder: Path, path: str, now: datetime) -> bool:
    """Return whether the checkpoint is older than seven days, or none at all."""
    try:
        saved = load_json(read_bytes(folder / path, folder))["savedAt"]
        return now.timestamp() * 1000 - float(saved) > _VALID.total_seconds() * 1000
    except (Unreadable, FileNotFoundError):
        return False
    except (ValueError, TypeError, KeyError):
        return True


def _conversation(folder: Path, path: str) -> Conversation:
    """Return a conversation. Raises `Unreadable`, `FileNotFoundError`, `ValueError`."""
    data = read_bytes(folder / path, folder)
    value = load_json(data)
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        raise Unreadable(f"{path} is not a conversation.")
    name = path.rpartition("/")[2].removesuffix(".json")
    agent = value.get("agentId")
    return Conversation(
        path, agent_of(agent if isinstance(agent, str) else name), value, digest_of(data)
    )


def _processed(folder: Path) -> dict[str, str]:
    try:
        value = load_json(read_bytes(folder / PROCESSED, folder))
        return {str(path): str(digest) for path, digest in value.items()}
    except (Unreadable, FileNotFoundError, ValueError, AttributeError):
        return {}
