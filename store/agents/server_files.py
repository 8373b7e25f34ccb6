"""Our MCP server in clients' files: added to a text, and taken out of it again.

The rest of the text stays as its user or its client wrote it, to the letter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from store.agents.client import Client, ServerList
from store.agents.commented_json import ClientJson, not_understood, parsed_toml
from store.agents.hooks import COMMAND, is_memtui_call, own_words, program_words
from store.errors import NotFound, Unreadable
from store.platform.bounds import load_toml

NAME = "memtui"
_TABLE = re.compile(
    rf'(?:(?<=\n)\n)?^\[mcp_servers\.(?:{NAME}|"{NAME}")(?:\.[^\]\n]+)?\][^\n]*'
    r"(?:\n(?:[ \t\r]*(?:#[^\n]*)?\n)*(?![ \t\r]*(?:\[|#|$))[^\n]*)*\n?",
    re.M,
)
"""Our table, or one below it, up to its last key, with the empty line before it."""


class ServerFile:
    """The file that names a client's MCP servers: the user's, or a `project`'s, whose server is
    started in it. Raises `NotFound` for a client without one.

    All methods raise `Unreadable` for a text that the client would not understand.
    """

    backup_suffix = ".memtui-mcp-backup"

    def __init__(self, client: Client, *, project: bool = False) -> None:
        if client.servers is None:
            raise NotFound(f"{client.title} starts no MCP servers.", "Use its hooks instead.")
        self._servers: ServerList = client.servers
        self._is_toml = self._servers.form == "table"
        self._is_project = project
        self._json = ClientJson(has_comments=client.has_comments)

    def server_in(self, text: str, path: Path) -> Mapping[str, Any] | None:
        """Our server as the text names it; None where it does not."""
        listed = self._settings(text, path).get(self._servers.key, {})
        if not isinstance(listed, dict):
            raise not_understood(path, f'"{self._servers.key}" is not an object')
        found = listed.get(NAME)
        return found if isinstance(found, dict) or found is None else {}

    def with_ours(self, text: str, path: Path, command: str = COMMAND) -> str:
        """Return the text with our server, started by `command`; unchanged where it is there
        so.

        Raises `Unreadable` where it names another program by our name.
        """
        entry = self._entry(command)
        there = self.server_in(text, path)
        if there == entry:
            return text
        if there is not None and not _is_ours(there):
            raise Unreadable(
                f"{path} has another server named {NAME}.", "Remove or rename it first."
            )
        if self._is_toml:
            return _with_table(_TABLE.sub("", text), path, entry)
        settings, key = self._settings(text, path), self._servers.key
        after = {**settings, key: {**settings.get(key, {}), NAME: entry}}
        return self._json.edited(text, after)

    def without_ours(self, text: str, path: Path) -> str:
        there = self.server_in(text, path)
        if there is None or not _is_ours(there):
            return text
        if self._is_toml:
            bare = _TABLE.sub("", text)
            self._settings(bare, path)
            return bare
        settings, key = self._settings(text, path), self._servers.key
        others = {name: server for name, server in settings[key].items() if name != NAME}
        emptied = {**settings, key: others}
        bare_settings = {name: emptied[name] for name in emptied if others or name != key}
        return self._json.reduced(text, emptied, bare_settings)

    def is_equivalent(self, one: str, other: str) -> bool:
        if self._is_toml:
            return one.rstrip() == other.rstrip()
        return self._json.is_equivalent(one, other)

    def _settings(self, text: str, path: Path) -> dict[str, Any]:
        return parsed_toml(text, path) if self._is_toml else self._json.parsed(text, path)

    def _entry(self, command: str) -> dict[str, Any]:
        program, *isolated = program_words(command)
        arguments = [*isolated, "mcp"]
        if self._servers.folder and not self._is_project:
            arguments += ["--dir", self._servers.folder]
        if self._servers.form == "line":
            return {"type": "local", "command": [program, *arguments], "enabled": True}
        entry: dict[str, Any] = {"command": program, "args": arguments, **self._servers.fields}
        return {"type": "stdio", **entry} if self._servers.form == "typed" else entry


def _is_ours(entry: Mapping[str, Any]) -> bool:
    command = entry.get("command", "")
    given = [*command] if isinstance(command, list) else [command, *entry.get("args", ())]
    words = list(map(str, given))
    return is_memtui_call(words) and own_words(words)[1:2] == ["mcp"]


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
