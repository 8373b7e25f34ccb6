"""Cursor's transcripts: `~/.cursor/projects/<slug>/agent-transcripts/<id>/<id>.jsonl`.

A line is `{role, message: {content: [...]}}`, without times, results or a session id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from store.capture.readers.records import blocks, json_lines, mapping, string
from store.capture.transcript import Called, Event, Place, Said, Speaker, Unread

AGENT = "cursor"
_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.S)


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """The events of a transcript's lines."""
    yield Place(line=1, agent=AGENT)
    for entry in json_lines(lines):
        if isinstance(entry, Unread):
            yield entry
            continue
        line, record = entry
        speaker = Speaker.USER if record.get("role") == "user" else Speaker.AGENT
        for block in blocks(mapping(record.get("message")).get("content")):
            text = string(block.get("text"))
            if block.get("type") == "text" and text.strip():
                query = _QUERY.search(text)
                yield Said(line=line, speaker=speaker, text=query.group(1) if query else text)
            elif block.get("type") == "tool_use":
                yield Called(
                    line=line,
                    call_id=string(block.get("id")),
                    tool=string(block.get("name")),
                    arguments=mapping(block.get("input")),
                )
