"""VS Code's chats with Copilot: `workspaceStorage/<id>/chatSessions/<session>.json`.

An object with `requests`. Newer ones are `.jsonl`: the object, then changes of it by a path of
keys, which set (1), extend (2) or take out (3) a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from store.agents.client import Head, Home, SessionFile
from store.agents.cline_tasks import editors_folder
from store.agents.files import files_in, object_in
from store.agents.records import Record, all_records, instant, load, whole_json
from store.agents.transcript import Event, Line, Speaker, Unread
from store.platform.json_fields import items, mapping, string

_EDITORS = ("Code", "Code - Insiders", "VSCodium")
_PATTERNS = ("*/chatSessions/*.json", "*/chatSessions/*.jsonl")
_EXITED = re.compile(r"exit(?:ed with)? code:? [1-9]", re.I)
_HEAD = 65_536
_SET, _EXTEND, _TAKE_OUT = 1, 2, 3


def read_chat(lines: Iterable[bytes], agent: str) -> Iterator[Event]:
    """Yield the events of one chat. An event's line is the number of its request."""
    rows = list(lines)
    if rows and rows[0].startswith(b'{"kind"'):
        records, unread = all_records(rows)
        yield from unread
        content: Any = _replayed(record for _, record in records)
    else:
        content = whole_json(rows)
    if isinstance(content, Unread):
        yield content
        return
    whole = mapping(content)
    yield Line(1).info(session_id=string(whole.get("sessionId")), agent=agent)
    for number, request in enumerate(map(mapping, items(whole.get("requests"))), 1):
        yield from _events(Line(number, instant(request.get("timestamp"))), request)


def _replayed(records: Iterable[Record]) -> object:
    """Return the chat as its changes left it; one that fits nowhere is passed over."""
    whole: Any = {}
    for record in records:
        path, value = items(record.get("k")), record.get("v")
        if not path:
            whole = value if record.get("kind") == 0 else whole
            continue
        try:
            _change(whole, path, record.get("kind"), value, record.get("i"))
        except (KeyError, IndexError, TypeError, AttributeError):
            continue
    return whole


def _change(whole: Any, path: list[Any], kind: object, value: Any, start: object) -> None:  # noqa: ANN401 - any JSON
    for key in path[:-1]:
        whole = whole[key]
    last = path[-1]
    if kind == _EXTEND:
        listed = whole.setdefault(last, []) if isinstance(whole, dict) else whole[last]
        if isinstance(start, int):
            del listed[start:]
        listed.extend(items(value))
    elif kind == _TAKE_OUT:
        del whole[last]
    elif kind == _SET and isinstance(whole, list) and last == len(whole):
        whole.append(value)
    elif kind == _SET:
        whole[last] = value


def _events(line: Line, request: Record) -> Iterator[Event]:
    if model := string(request.get("modelId")):
        yield line.info(model=model)
    yield from line.message(Speaker.USER, string(mapping(request.get("message")).get("text")))
    result = mapping(mapping(request.get("result")).get("metadata"))
    answers = mapping(result.get("toolCallResults"))
    rounds = [mapping(part) for part in items(result.get("toolCallRounds"))]
    for part in rounds:
        yield from line.message(Speaker.AGENT, string(part.get("response")))
        for call in map(mapping, items(part.get("toolCalls"))):
            call_id = string(call.get("id"))
            yield line.call(
                call_id=call_id,
                tool=string(call.get("name")),
                arguments=_arguments(call.get("arguments")),
            )
            if call_id in answers:
                content = items(mapping(answers[call_id]).get("content"))
                text = "\n".join(string(mapping(item).get("value")) for item in content)
                yield line.result(
                    call_id=call_id, text=text.strip(), failed=bool(_EXITED.search(text))
                )
    if not rounds:
        parts = map(mapping, items(request.get("response")))
        texts = [string(part.get("value")) for part in parts if "kind" not in part]
        yield from line.message(Speaker.AGENT, "".join(texts))


def _arguments(written: object) -> Record:
    """Return the arguments that a model wrote as JSON; none where it is damaged."""
    try:
        return mapping(load(string(written)))
    except ValueError:
        return {}


def chat_files(home: Home, agent: str) -> Iterator[SessionFile]:
    """Yield the chats of each workspace; `workspace.json` has its folder."""
    for editor in _EDITORS:
        root = editors_folder(home) / editor / "User" / "workspaceStorage"
        for file in files_in(root, _PATTERNS, agent):
            address = string(object_in(file.path.parents[1] / "workspace.json").get("folder"))
            folder = unquote(address.removeprefix("file://")) if "file://" in address else ""
            yield file._replace(session_id=file.path.stem, folder=folder)


def is_chat(head: Head) -> bool:
    start = head.start[:_HEAD]
    return start.startswith(b"{") and b'"responderUsername"' in start
