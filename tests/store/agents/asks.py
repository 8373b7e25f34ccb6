"""What the rows ask of the clients: what their lines tell, and what becomes of their files."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from itertools import cycle
from pathlib import Path
from typing import Any
from unittest.mock import patch

from store.agents import (
    cline,
    codex,
    conversation,
    formats,
    gemini_parts,
    json_members,
    noise,
    server_files,
)
from store.agents.client import Head, Home
from store.agents.cline_tasks import read_task
from store.agents.hook_files import flat_json, settings_json, toml_tables
from store.agents.records import json_lines
from store.agents.registry import NAMES, client_named
from store.agents.session import collect
from store.agents.transcript import Event, Unread
from store.errors import InvalidObservation, Unreadable
from tests.rows import Ask, outcome

_STYLES = {
    "flat_json": (flat_json, "cursor", Path("/home/a/hooks.json")),
    "settings_json": (settings_json, "claude-code", Path("/home/a/settings.json")),
    "settings_toml": (settings_json, "codex", Path("/home/a/config.toml")),
    "toml_tables": (toml_tables, "kimi", Path("/home/a/config.toml")),
}


_HOME = Home(Path("/home/a"), {})
_PARSERS = re.compile(
    r"(?<=is not valid (?:JSON|TOML): ).*(?=\.)|(?<=expected format: )Expected.*(?=\.)", re.S
)


def _bytes(text: str) -> list[bytes]:
    return text.encode().splitlines(keepends=True)


def event_told(event: Event) -> str:
    """An event with the fields that say something."""
    fields = (
        f"{name}={value}"
        for name, value in event._asdict().items()
        if value not in (None, "", {}, False)
    )
    return f"{type(event).__name__} {' '.join(fields)}"


def _events(read: Callable[[Iterable[bytes]], Iterable[Event]]) -> Ask:
    return lambda text: [event_told(it) for it in read(_bytes(text))]


def _head(text: str) -> Head:
    lines = _bytes(text)
    records = tuple(it[1] for it in json_lines(lines) if not isinstance(it, Unread))
    return Head(b"".join(lines).strip(), records)


def _or_error(ask: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever is asked
    """What is answered, or the sentence of the error and the hint; without a parser's own words."""
    try:
        return ask()
    except (Unreadable, InvalidObservation) as error:
        told = _PARSERS.sub("…", error.message)
        return f"{type(error).__name__}: {told} {error.hint}"


def _hooks(style: str) -> Ask:
    """The entries in a file of hooks, and the file with ours and without."""
    module, name, path = _STYLES[style]

    def ask(text: str) -> str:
        client = client_named(name)
        added = _or_error(lambda: module.with_hooks(text, path, client, "memtui"))
        spaced = str(added).replace("\n", "\n\n")
        told = (
            _or_error(lambda: module.entries(text, path)),
            added,
            _or_error(lambda: module.with_hooks(spaced, path, client, "memtui") == spaced),
            _or_error(lambda: module.without_hooks(text, path)),
            _or_error(lambda: module.without_hooks(str(added), path)),
            module.says_the_same(text, str(added)),
        )
        return "\n  ".join(map(outcome, ("", *told)))

    return ask


def _servers(name: str) -> Ask:
    """Our server in a client's file, and the file with it and without."""

    def ask(text: str) -> str:
        servers, path = client_named(name).servers, Path("/home/a/servers")
        assert servers is not None
        added = _or_error(lambda: server_files.with_server(text, path, servers))
        told = (
            _or_error(lambda: server_files.server_in(text, path, servers)),
            added,
            _or_error(
                lambda: server_files.with_server(text, path, servers, "/x/memtui", project=True)
            ),
            _or_error(lambda: server_files.without_server(text, path, servers)),
            _or_error(lambda: server_files.without_server(str(added), path, servers)),
        )
        return "\n  ".join(map(outcome, ("", *told)))

    return ask


def _session(text: str) -> Any:  # noqa: ANN401 - a session's fields
    session = collect(formats.read_transcript(_bytes(text), "claude-code"))
    said = [(it.line, str(it.speaker), it.text) for it in session.said]
    steps = [
        (it.call.tool, it.failed, *(each.line if each else 0 for each in it[1:]))
        for it in session.steps
    ]
    ending = session.ending_with("All done.").said[-1:]
    return (
        *session[:5],
        said,
        steps,
        len(session.summaries),
        len(session.unread),
        ending,
        str(session.ended),
    )


def _task(text: str) -> list[str]:
    """A task of Cline's: its messages with a line `---` between them, the person's first, and the
    blocks of each with a line `+++`."""
    messages = [
        {"role": role, "content": [{"type": "text", "text": it} for it in told.split("\n+++\n")]}
        for role, told in zip(cycle(("user", "assistant")), text.split("\n---\n"), strict=False)
    ]
    return [event_told(it) for it in read_task(messages, "cline")]


def _answer(text: str) -> list[str]:
    """What a command gave, of which Cline's program wrote this."""
    answer = {"type": "tool_result", "tool_use_id": "t", "content": [{"result": text}]}
    whole = {"sessionId": "s", "messages": [{"role": "user", "content": [answer]}]}
    return [event_told(it) for it in cline.read([json.dumps(whole).encode()])]


def _script(text: str) -> list[str]:
    """A script of Codex's, and below a line `---` what was answered."""
    script, _, answer = text.partition("\n---\n")
    call = {"type": "custom_tool_call", "call_id": "c", "name": "exec", "input": script}
    output = {"type": "custom_tool_call_output", "call_id": "c", "output": answer}
    lines = [{"type": "response_item", "payload": it} for it in (call, output)]
    return [event_told(it) for it in codex.read([json.dumps(it).encode() for it in lines])]


def _client(name: str) -> str:
    """How a session of a client is gone on with, and where its files of hooks and servers are on
    Linux."""
    client = client_named(name)
    told: list[tuple[str, Any]] = [("to resume", client.resume_command("s-1"))]
    for part, field in ((client.hooks, "file"), (client.hooks, "others"), (client.servers, "file")):
        if find := getattr(part, field, None):
            with patch.object(sys, "platform", "linux"):
                places = [outcome(find(_HOME, each)) for each in (None, Path("/srv/shop"))]
            told.append((f"{type(part).__name__} {field}", places))
    return "".join(f"\n  {name}: {outcome(value)}" for name, value in told)


def _recognises(ask: Callable[[Head], bool]) -> Ask:
    return lambda text: ask(_head(text))


def _clients() -> Iterable[tuple[str, Ask]]:
    for name in (*NAMES, "vscode"):
        module = import_module(f"store.agents.{name.replace('-', '_')}")
        stem = name.replace("-", "_")
        yield f"{stem}.read", _events(module.read)
        yield f"{stem}.recognises", _recognises(module.recognises)


ASKS: dict[str, Ask] = {
    **dict(_clients()),
    "cline.answer": _answer,
    "cline_tasks": _task,
    "codex.script": _script,
    "client": _client,
    "conversation.read_array": _events(conversation.read_array),
    "conversation.read_lines": _events(conversation.read_lines),
    "formats": lambda text: _or_error(lambda: formats.format_of(_bytes(text))),
    "formats.likely": lambda text: _or_error(lambda: formats.format_of(_bytes(text), "cursor")),
    "formats.named": lambda text: _or_error(lambda: formats.format_named(text)),
    "formats.session": lambda text: _or_error(
        lambda: formats.read_session(_bytes(text), session_id="given", likely="cursor")[:5]
    ),
    "gemini_parts": lambda text: (
        gemini_parts.answer({"output": text}),
        gemini_parts.answer({"error": text}),
    ),
    "json_members": lambda text: json_members.members(text, json_members.root_of(text)),
    "json_members.with_member": lambda text: json_members.with_member(
        text, text, json_members.root_of(text), "new", {"a": [1, "é"]}
    ),
    "json_members.without_member": lambda text: json_members.without_member(
        text, text, json_members.root_of(text), "a"
    ),
    "noise.is_report": noise.is_report,
    "noise.without_noise": noise.without_noise,
    "noise.without_recall": noise.without_recall,
    "session": _session,
    **{f"hook_files.{style}": _hooks(style) for style in _STYLES},
    **{
        f"server_files.{name}": _servers(name)
        for name in ("claude-code", "codex", "opencode", "cursor")
    },
}
