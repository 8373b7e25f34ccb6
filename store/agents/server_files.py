"""Our MCP server in clients' files: added to a text, and taken out of it again.

The rest of the text stays as its user or its client wrote it, to the letter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from store.agents.client import ServerList
from store.agents.commented_json import plain_json
from store.agents.hook_files import not_understood
from store.agents.hook_files.json_text import parsed
from store.agents.hooks import COMMAND, is_memtui_call, own_words, program_words
from store.agents.json_members import Member, members, root_of, with_member, without_member
from store.errors import Unreadable
from store.platform.bounds import load_toml

NAME = "memtui"
_TABLE = re.compile(
    rf'(?:(?<=\n)\n)?^\[mcp_servers\.(?:{NAME}|"{NAME}")(?:\.[^\]\n]+)?\][^\n]*'
    r"(?:\n(?:[ \t\r]*(?:#[^\n]*)?\n)*(?![ \t\r]*(?:\[|#|$))[^\n]*)*\n?",
    re.M,
)
"""Our table, or one below it, up to its last key, with the empty line before it."""


def server_in(text: str, path: Path, servers: ServerList) -> Mapping[str, Any] | None:
    """Our server as the text names it; None where it does not. Raises Unreadable."""
    is_table = servers.form == "table"
    settings = _toml(text, path) if is_table else parsed(_plain(text, servers), path)
    listed = settings.get(servers.key, {})
    if not isinstance(listed, dict):
        raise not_understood(path, f'"{servers.key}" is not an object')
    found = listed.get(NAME)
    return found if isinstance(found, dict) or found is None else {}


def with_server(
    text: str, path: Path, servers: ServerList, command: str = COMMAND, *, project: bool = False
) -> str:
    """The text with our server, started by `command`; unchanged where it stands there so.

    `project`: the file is a project's, whose server is started in it. Raises Unreadable for a text
    that its client would not understand, and for one that names another program by our name.
    """
    entry = _entry(servers, command, at_home=project)
    there = server_in(text, path, servers)
    if there == entry:
        return text
    if there is not None:
        if not _is_ours(there):
            raise Unreadable(
                f"{path} has another server named {NAME}.", "Remove or rename it first."
            )
        text = without_server(text, path, servers)[0]
    if servers.form == "table":
        return _with_table(text, path, entry)
    if not text.strip():
        return json.dumps({servers.key: {NAME: entry}}, indent=2) + "\n"
    plain = _plain(text, servers)
    if not plain.strip():
        raise not_understood(path, "it has comments, and no object")
    listed = _member(plain, servers.key)
    if listed is None:
        return with_member(text, plain, root_of(plain), servers.key, {NAME: entry})
    return with_member(text, plain, listed.value, NAME, entry)


def without_server(text: str, path: Path, servers: ServerList) -> tuple[str, ...]:
    """What the text may have been without our server, the likeliest first. Raises Unreadable.

    Whether an empty list or a last line end were there before can't be told from it.
    """
    there = server_in(text, path, servers)
    if there is None or not _is_ours(there):
        return (text,)
    if servers.form == "table":
        bare = _TABLE.sub("", text)
        _toml(bare, path)
        return bare, bare.removesuffix("\n")
    found = _without_entry(text, _plain(text, servers), servers)
    for item in found:
        parsed(_plain(item, servers), path)
    return found


def _without_entry(text: str, plain: str, servers: ServerList) -> tuple[str, ...]:
    listed = _member(plain, servers.key)
    assert listed is not None
    emptied = without_member(text, plain, listed.value, NAME)
    if len(members(plain, listed.value)) > 1 or _has_comment(emptied, servers):
        return (emptied,)
    bare = without_member(text, plain, root_of(plain), servers.key)
    if members(plain, root_of(plain))[1:]:
        return bare, emptied
    return (bare, emptied) if _plain(bare, servers) != bare else ("", bare, emptied)


def _has_comment(text: str, servers: ServerList) -> bool:
    plain = _plain(text, servers)
    listed = _member(plain, servers.key)
    assert listed is not None
    return text[listed.value : listed.end] != plain[listed.value : listed.end]


def _entry(servers: ServerList, command: str, *, at_home: bool) -> dict[str, Any]:
    program, *isolated = program_words(command)
    arguments = [*isolated, "mcp"]
    if servers.folder and not at_home:
        arguments += ["--dir", servers.folder]
    if servers.form == "line":
        return {"type": "local", "command": [program, *arguments], "enabled": True}
    entry: dict[str, Any] = {"command": program, "args": arguments}
    return {"type": "stdio", **entry} if servers.form == "typed" else entry


def _is_ours(entry: Mapping[str, Any]) -> bool:
    command = entry.get("command", "")
    given = [*command] if isinstance(command, list) else [command, *entry.get("args", ())]
    words = list(map(str, given))
    return is_memtui_call(words) and own_words(words)[1:2] == ["mcp"]


def _plain(text: str, servers: ServerList) -> str:
    """The text as JSON: with blanks for what its client passes over."""
    return plain_json(text) if servers.comments else text


def _member(plain: str, name: str) -> Member | None:
    """A member of the text's object: the last of that name, which counts."""
    found = [member for member in members(plain, root_of(plain)) if member.name == name]
    return found[-1] if found else None


def _with_table(text: str, path: Path, entry: Mapping[str, Any]) -> str:
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()]
    start = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    after = f"{text}{start}[mcp_servers.{NAME}]\n" + "\n".join(lines) + "\n"
    try:
        load_toml(after)
    except ValueError as error:  # the text was read before
        raise Unreadable(
            f"{path} names its servers in one value, which can't be added to.",
            "Write each as a table of its own first, as `[mcp_servers.NAME]`.",
        ) from error
    return after


def _toml(text: str, path: Path) -> dict[str, Any]:
    try:
        return load_toml(text)
    except ValueError as error:
        raise Unreadable(
            f"{path} is not valid TOML: {error}.", "Fix the file first; it was not changed."
        ) from error
