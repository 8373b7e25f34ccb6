"""Sources of an import: detecting formats, and reading files with care."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from store.agents import specstory
from store.backends import open_backend
from store.backends.location import FOLDER
from store.backends.vault.layout import is_vault
from store.backends.vault.topics import is_index
from store.errors import InvalidObservation, NotFound, Unreadable
from store.exchange.agentx import read_memory
from store.exchange.json_lines import read_json_lines
from store.exchange.memory_bank import read_markdown_bank
from store.exchange.topics import groups_of, read_topic
from store.exchange.values import Format, Incoming, Reading
from store.exchange.vault import read_vault_memories
from store.model import Observation
from store.notice import Notice, notice
from store.platform.home import expanded
from store.platform.links import real_path
from store.platform.read import read_bytes
from store.validation.rules import check_fields

AUTO = "auto"
"""The format that means: detect it."""

_SUFFIXES = {
    ".md": Format.MARKDOWN,
    ".markdown": Format.MARKDOWN,
    ".jsonl": Format.JSON_LINES,
    ".ndjson": Format.JSON_LINES,
}
_MOST_FILES = 100_000
"""Files and folders among which Markdown files are looked for."""
_AS_UTF8 = "Save it as UTF-8 and import it again."
_NOTHING = Observation(agent="", issue_number=0, category="", content="")
_TAKEN = "Give a store, a .jsonl file, a Markdown file or a folder of them."


def detect(path: Path) -> Format:
    """The format of a file or a folder. Raises `NotFound`, `InvalidObservation`, `Unreadable`."""
    if not path.exists():
        raise NotFound(f"{path} does not exist.", _TAKEN)
    if path.is_dir():
        if is_vault(_store_at(path)):
            return Format.VAULT
        if open_backend(_store_at(path)).issues():
            return Format.AGENTX
        if next(_bank_files(path), None) is not None:
            return Format.MARKDOWN
        sessions = any(file.suffix == ".jsonl" for file in _files_below(path))
        raise InvalidObservation(
            f"{path} has neither a store nor Markdown files.",
            f"For agent sessions: `memtui import --transcripts {path}`." if sessions else _TAKEN,
        )
    if path.suffix.lower() in _SUFFIXES:
        return _SUFFIXES[path.suffix.lower()]
    start = _text(path).lstrip()[:1]
    if start == "[" or (path.suffix.lower() == ".json" and start != "{"):
        raise InvalidObservation(f"{path.name} is JSON of an unknown format.", _TAKEN)
    return Format.JSON_LINES if start == "{" else Format.MARKDOWN


def format_named(name: str, path: Path) -> Format:
    """Return the format of this name, `auto` standing for what `path` is. Raises as `detect`."""
    if name == AUTO:
        return detect(path)
    try:
        return Format(name)
    except ValueError:
        raise InvalidObservation(
            f"Unknown format {name!r}.", f"One of: {AUTO}, {', '.join(Format)}."
        ) from None


def read_source(
    path: Path,
    format_name: str = AUTO,
    *,
    agent: str | None = None,
    issue: int | None = None,
    category: str | None = None,
    project: Path | None = None,
) -> Reading:
    """Return the observations of a file or folder. What is given holds for all of them. Of notes
    of all projects, those of the `project` are taken.

    Raises `NotFound`, `InvalidObservation` and `Unreadable` for the source as a whole, and for what
    is given where it can't be stored; what is wrong inside the source becomes problems.
    """
    named = {"agent": agent, "issue_number": issue, "category": category}
    fields: dict[str, Any] = {key: value for key, value in named.items() if value is not None}
    check_fields(_NOTHING._replace(**fields), fields)
    path = expanded(path).absolute()
    chosen = format_named(format_name, path)
    if not path.exists():
        raise NotFound(f"{path} does not exist.", _TAKEN)
    match chosen:
        case Format.AGENTX:
            reading = read_memory(open_backend(_store_at(path)))
        case Format.VAULT:
            reading = read_vault_memories(path)
        case Format.JSON_LINES:
            reading = read_json_lines(
                _text(path), path.name, agent=agent, issue=issue, category=category
            )
            if reading.problems and not reading.incoming:
                raise InvalidObservation(
                    f"No memories in {path.name}{_why(reading.problems[0])}.",
                    "Give --agent and --category for all lines, or capture an agent session with "
                    f"`memtui capture {path}`.",
                )
        case Format.MARKDOWN:
            reading = _read_bank(path, project)
    return _with_fields(reading, fields)


def _why(problem: Notice) -> str:
    """Return the reason of a mistake in a line, in the reader's words."""
    reason = str(problem.values.get("text", ""))
    return f": {problem.place}: {reason.rstrip('.')}" if reason else ""


def _with_fields(reading: Reading, fields: Mapping[str, Any]) -> Reading:
    if not fields:
        return reading
    changed = (Incoming(one.observation._replace(**fields), one.place) for one in reading.incoming)
    return Reading(tuple(changed), reading.problems)


def _store_at(path: Path) -> Path:
    """The memory folder that a path names: itself, its own folder's, or the one of a project."""
    if path.is_file():
        path = path.parent
    return path / FOLDER if (path / FOLDER).is_dir() else path


def _read_bank(path: Path, project: Path | None) -> Reading:
    """Return all Markdown files of a bank; one that can't be read becomes a problem."""
    if path.is_file():
        return _read_note(path, _text(path), path.name, project)
    incoming: list[Incoming] = []
    problems: list[Notice] = []
    for file in _bank_files(path):
        name = file.relative_to(path).as_posix()
        try:
            reading = _read_note(file, _decoded(read_bytes(file, path), name), name, project)
        except InvalidObservation as error:
            problems.append(notice("skipped", text=f"{error.message} {error.hint}").at(name))
            continue
        except (Unreadable, FileNotFoundError) as error:
            problems.append(notice("skipped", text=str(error)).at(name))
            continue
        incoming += reading.incoming
        problems += reading.problems
    return Reading(tuple(incoming), tuple(problems))


def _read_note(path: Path, text: str, name: str, project: Path | None) -> Reading:
    """One Markdown file. Raises `InvalidObservation` for what is no notes but a session."""
    if text.encode().startswith(specstory.GENERATED):
        raise InvalidObservation(
            f"{name} is an agent session.", f"Capture it: `memtui capture {path}`."
        )
    if is_index(path.name, text):
        return Reading()
    if project is not None and (ours := groups_of(text, project)) != text:
        return _with_fields(read_markdown_bank(ours, name), {"agent": "codex"})
    written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    topic = read_topic(text, name, written)
    return topic if topic.incoming else read_markdown_bank(text, name)


def _bank_files(folder: Path) -> Iterator[Path]:
    """Yield the Markdown files below a folder, in order of their names; hidden folders left out."""
    for path in sorted(_files_below(folder)):
        if _SUFFIXES.get(path.suffix.lower()) is Format.MARKDOWN:
            yield path


def _files_below(folder: Path) -> Iterator[Path]:
    """The files below a folder, hidden ones left out. Raises `InvalidObservation` for too many."""
    met = 0
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        met += len(folders) + len(names)
        if met > _MOST_FILES:
            raise InvalidObservation(
                f"{folder} has more than {_MOST_FILES:,} files and folders.",
                "Give the folder of the notes themselves.",
            )
        yield from (Path(place, name) for name in names if not name.startswith("."))


def _text(path: Path) -> str:
    real = real_path(path)
    return _decoded(read_bytes(real, real.parent), path.name)


def _decoded(data: bytes, name: str) -> str:
    """Return a text in UTF-8 or UTF-16, lone surrogates taken. Raises `Unreadable`."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        shown, encoding = "UTF-16", "utf-16"
    else:
        shown, encoding = "UTF-8", "utf-8-sig"
    try:
        text = data.decode(encoding, "surrogatepass")
    except UnicodeDecodeError as error:
        raise Unreadable(
            f"{name} is not a text file: byte {error.start:,} is not {shown}.", _AS_UTF8
        ) from error
    if (at := text.find("\0")) >= 0:
        raise Unreadable(f"{name} is not a text file: character {at:,} is NUL.", _AS_UTF8)
    return text
