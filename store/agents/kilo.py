"""Kilo's sessions: `~/.local/share/kilo/kilo.db`, or where `KILO_DB` says, in OpenCode's tables.

An export does not name the program that made it: only what is read from the database is known as
Kilo's.
"""

from __future__ import annotations

from store.agents import opencode
from store.agents.client import Client, CommandFile, ContextFile, Head, Hooks, ServerList

AGENT = "kilo"
_MARK = b'"client":"kilo"'


def matches_format(head: Head) -> bool:
    return _MARK in head.start[:64] and opencode.matches_format(head)


CLIENT = Client(
    name=AGENT,
    title="Kilo",
    session_files=opencode.session_finder(AGENT),
    matches_format=matches_format,
    read=opencode.reader(AGENT),
    lines=opencode.session_opener(AGENT),
    hooks=Hooks(
        events=opencode.EVENTS,
        style="plugin",
        plugin_of=opencode.AGENT,
        file=opencode.place("kilo/plugin/memtui.js", ".kilo/plugin/memtui.js"),
    ),
    resume=("kilo", "--session", "{id}"),
    servers=ServerList(opencode.settings_place(AGENT), key="mcp", form="line"),
    command=CommandFile(opencode.place("kilo/commands/remember.md", ".kilo/commands/remember.md")),
    has_comments=True,
    context=(
        ContextFile("instruction", "AGENTS.md"),
        ContextFile("instruction", ".config/kilo/AGENTS.md", of_user=True),
    ),
)
