"""Names and places of a vault's files."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from store.backends.vault.markdown import MARK
from store.model import Category, Location

NAME = ".memory"
"""What a project's vault is called."""
OWN = ".vault"
"""The folder of what is not memory itself; the archive is in it."""
SIDE = f"{OWN}/memtui"
"""The folder of the sidecar, the log and the named texts."""
ARCHIVE = f"{OWN}/archive"
CHECKPOINTS = f"{OWN}/checkpoints"
"""What the vault's own program keeps of each agent's session, a file an agent."""
PROJECT = "_project.md"
CONVERSATIONS = "conversations"
SIDECAR = f"{SIDE}/records.json"
"""What the Markdown can't hold of its memories."""
PENDING = f"{SIDE}/pending/vault.json"
"""A change of several files, until each is written."""
OBSIDIAN = ".obsidian"

_FILES = {
    Category.DECISION: "decisions",
    Category.LESSON: "lessons",
    Category.HANDOFF: "handoffs",
    Category.TASK: "tasks",
    Category.PROJECT: "projects",
    Category.CODE_CHANGE: "code-changes",
    Category.ERROR: "errors",
    Category.KEY_FACT: "key-facts",
    Category.COMPACTION_SUMMARY: "compaction-summaries",
    Category.PROCEDURE: "procedures",
}
_CATEGORIES = {name: str(category) for category, name in _FILES.items()}
_OF_SEED = ("decisions", "lessons", "handoffs", "tasks", "projects")
"""The categories whose files any vault has, with or without an entry in them."""
_NOT_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_NOT_WORD = re.compile(r"[^a-z0-9]+")
_NOT_PLAIN = re.compile(r"[^\w.-]+")
NOT_AGENTS = frozenset({CONVERSATIONS, "node_modules"})
"""Folders of a vault that are not read."""
_MOST_LOOKED_AT = 400
"""Bytes of a file that are looked at to find whether it has entries."""


def file_of(agent: str, category: str, location: Location = Location.ISSUE) -> str:
    """Return the file that takes new entries of an agent and a category, relative to the vault."""
    folder = _NOT_PLAIN.sub("-", agent).strip("._-")[:60] or "agent"
    if folder.lower() in NOT_AGENTS:
        folder = f"{folder}-agent"
    name = _FILES.get(Category(category)) if category in _CATEGORIES.values() else None
    name = name or _NOT_PLAIN.sub("-", category).strip("._-")[:60] or "memories"
    path = f"{folder}/{name}.md"
    return path if location is Location.ISSUE else f"{ARCHIVE}/{path}"


def location_of_file(path: str) -> Location:
    return Location.ARCHIVE if path.startswith(f"{ARCHIVE}/") else Location.ISSUE


def agent_of(folder: str) -> str:
    """Return the agent that a folder is of: its name, in letters that an agent's name may have."""
    return _NOT_NAME.sub("-", _ascii(folder)).strip("-")[:64] or "agent"


def owner(path: str) -> tuple[str, str] | None:
    """Return the agent and the category of a file that may hold entries; `None` for any other."""
    parts = path.removeprefix(f"{ARCHIVE}/").split("/")
    if len(parts) != 2 or not parts[1].endswith(".md") or parts[1].startswith("_"):
        return None
    name = parts[1].removesuffix(".md")
    word = _NOT_WORD.sub("-", _ascii(name).lower()).strip("-")[:64].strip("-")
    known = _CATEGORIES.get(word)
    return agent_of(parts[0]), known or (word if word[:1].isalpha() else str(Category.KEY_FACT))


def is_note_path(path: str) -> bool:
    """Return whether a path, relative to a vault, is one that a memory of it may be at."""
    parts = path.split("/")
    is_plain = not any(part.startswith(".") or not part or "\0" in part for part in parts)
    return is_plain and path.endswith(".md") and parts[0] not in NOT_AGENTS and len(path) < 1000


def is_of_category(path: str) -> bool:
    """Return whether a file holds one of the categories by its name alone, whatever is in it."""
    return owner(path) is not None and path.rpartition("/")[2].removesuffix(".md") in _CATEGORIES


def category_named(name: str) -> str | None:
    """Return the category that a word names, in the plural or not; `None` for another word."""
    word = name.strip().lower()
    known = _CATEGORIES.get(word, word)
    return known if known in _CATEGORIES.values() else None


def _ascii(name: str) -> str:
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")


def is_vault(folder: Path) -> bool:
    """Return whether a folder that somebody named is a vault: by what `has_vault_files` knows, as
    an Obsidian vault, or as a `.memory` of Markdown or of nothing yet.

    One that is not there yet, or can't be listed, is one by its name.
    """
    try:
        names = {path.name for path in folder.iterdir()}
    except NotADirectoryError:
        return False
    except OSError:
        return folder.name == NAME
    if has_vault_files(folder, names) or OBSIDIAN in names:
        return True
    if folder.name != NAME:
        return False
    return (
        not names
        or any(map(_can_be_memory, names))
        or any(file.is_file() for file in _files_of_seed(folder, names))
    )


def has_vault_files(folder: Path, names: set[str] | None = None) -> bool:
    """Return whether a folder has what only a vault's own program writes: its folder, its page of
    the project, or a file of entries. `names` are those in the folder, where they are known.
    """
    if names is None:
        try:
            names = {path.name for path in folder.iterdir()}
        except OSError:
            return False
    return bool(names & {OWN, PROJECT}) or any(map(_has_entry, _files_of_seed(folder, names)))


def _can_be_memory(name: str) -> bool:
    return name.endswith(".md") or name == CONVERSATIONS


def _files_of_seed(folder: Path, names: set[str]) -> Iterator[Path]:
    for name in sorted(names):
        if not name.startswith(".") and (folder / name).is_dir():
            yield from (folder / name / f"{item}.md" for item in _OF_SEED)


def _has_entry(file: Path) -> bool:
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        start = os.read(handle, _MOST_LOOKED_AT).decode("utf-8", "replace")
    except OSError:
        return False
    finally:
        os.close(handle)
    return any(MARK.fullmatch(line.rstrip()) for line in start.splitlines())
