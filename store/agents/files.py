"""Finding sessions, shared by the clients: files with their stamps, and first lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from store.agents.client import SessionFile
from store.agents.commented_json import plain_json
from store.agents.compressed import open_session_file
from store.platform.bounds import load_json, load_toml, read_regular
from store.platform.json_fields import mapping, string, strings

_FORKED_FROM = re.compile(rb'"forkedFrom"\s*:\s*\{[^{}]*"sessionId"\s*:\s*("[^"\\]+")')
_HEAD_BYTES = 65_536
"""Enough for a first line that says where a session runs."""


def files_at(paths: Iterable[Path], client: str) -> Iterator[SessionFile]:
    """The session files at these paths: those that are files, can be read and are not empty."""
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            continue
        if path.is_file() and status.st_size:
            modified = datetime.fromtimestamp(status.st_mtime, UTC)
            yield SessionFile(path, client, modified, status.st_size)


def dashed(folder: Path) -> str:
    """Return a folder's path as some clients write it into a file name: `-home-dev-shop`."""
    return re.sub(r"[^A-Za-z0-9]", "-", str(folder))


def files_in(root: Path, patterns: Iterable[str], client: str) -> Iterator[SessionFile]:
    """Yield the session files under a folder by their patterns; none where it is missing."""
    if root.is_dir():
        for pattern in patterns:
            yield from files_at(root.glob(pattern), client)


def with_folder(
    files: Iterable[SessionFile], key: str, unless: re.Pattern[bytes] | None = None
) -> Iterator[SessionFile]:
    """Yield the files with the folder that their first lines have, and the name they are filed
    under.

    `key` is the field that has it, wherever it is in them; `unless` a pattern that they must
    not have.
    """
    pattern = string_under(key)
    for file in files:
        folder = _place(file, pattern, unless)
        if folder is not None:
            yield file._replace(folder=folder)


def filed_by_folder(root: Path, below: str, client: str) -> Iterator[SessionFile]:
    """Yield the session files of a client that files them under the dashed path of where they ran.

    `below` is their pattern under such a folder. Their first lines have the folder of each: several
    folders may have the same dashed path.
    """
    for file in with_folder(files_in(root, (f"*/{below}",), client), "cwd"):
        yield file._replace(filed_under=file.path.relative_to(root).parts[0])


@lru_cache(maxsize=20_000)
def _place(
    file: SessionFile, pattern: re.Pattern[bytes], unless: re.Pattern[bytes] | None
) -> str | None:
    """Return where a session ran, empty where its first lines have none; None where they have what
    they must not. A file that has not changed is not read again.
    """
    head = head_of(file.path)
    if unless is not None and unless.search(head):
        return None
    return _string(pattern.search(head))


def first_string(path: Path, key: str) -> str:
    """The first string under a key in the first lines of a file; empty where there is none."""
    return _string(string_under(key).search(head_of(path)))


def forked_from(path: Path) -> str:
    """Return the session that a file's was copied from, as its lines name it: `"forkedFrom":
    {"sessionId": …}`; empty where they name none.
    """
    return _string(_FORKED_FROM.search(head_of(path)))


def session_folder(path: Path) -> str:
    """Return the folder in which a session began, as its first lines have it in a field of their
    own; empty for a client that writes none.
    """
    for line in head_of(path).splitlines():
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        for fields in (mapping(record), mapping(mapping(record).get("payload"))):
            if folder := string(fields.get("cwd")):
                return folder
    return ""


@lru_cache(maxsize=16)
def string_under(key: str) -> re.Pattern[bytes]:
    """Finds the string that is under a key of JSON, in its quotes."""
    return re.compile(rb'"%s"\s*:\s*("(?:[^"\\]|\\.)*")' % key.encode())


def head_of(path: Path) -> bytes:
    """Return the first 64 KB of a file; nothing of one that can't be read."""
    try:
        with open_session_file(path) as lines:
            return lines.read(_HEAD_BYTES)
    except OSError:
        return b""


def text_of_string(quoted: bytes) -> str:
    """Return the text of a JSON string in its quotes; empty for what is none."""
    try:
        return str(orjson.loads(quoted))
    except orjson.JSONDecodeError:
        return ""


def _string(match: re.Match[bytes] | None) -> str:
    """Return the JSON string that was found, empty where none was."""
    return text_of_string(match.group(1)) if match else ""


def object_in(path: Path) -> Mapping[str, Any]:
    """Return the JSON object in a settings file, comments or not; an empty one where it is missing
    or none.
    """
    try:
        text = read_regular(path).decode()
        try:
            found = load_json(text)
        except ValueError:
            found = load_json(plain_json(text))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def toml_in(path: Path) -> Mapping[str, Any]:
    """Return the TOML table in a settings file; an empty one where it is missing or none."""
    try:
        return load_toml(read_regular(path).decode())
    except (OSError, ValueError):
        return {}


class Setting(NamedTuple):
    """A setting's value, and the file that it is in."""

    value: object = None
    path: Path | None = None


def first_setting(files: Iterable[Path], *keys: str) -> Setting:
    """Return the setting as the first of the files has it that has it at all; `keys` lead to it."""
    for path in dict.fromkeys(files):
        found: object = object_in(path)
        for key in keys:
            found = mapping(found).get(key)
        if found is not None:
            return Setting(found, path)
    return Setting()


def context_names(settings: Iterable[Path]) -> tuple[str, ...]:
    """Return the names that settings give a client's instruction files; none where they don't."""
    found = first_setting(settings, "context", "fileName").value
    return (found,) if isinstance(found, str) else strings(found)
