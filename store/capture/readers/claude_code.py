"""Claude Code's transcripts: `~/.claude/projects/<folder>/<session>.jsonl`.

A line is a message (`user`, `assistant`), a snapshot of changed files, or the program's own notes.
The program's notes, its meta messages and the words of sub-agents are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from store.capture.readers.records import (
    Record,
    blocks,
    instant,
    json_lines,
    mapping,
    string,
    text_of,
)
from store.capture.transcript import (
    Called,
    Event,
    Place,
    Returned,
    Said,
    Snapshot,
    Speaker,
    Summarised,
    Unread,
)

AGENT = "claude-code"


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """The events of a transcript's lines."""
    place: tuple[str, str, str] | None = None
    for entry in json_lines(lines):
        if isinstance(entry, Unread):
            yield entry
            continue
        line, record = entry
        here = (string(record.get("sessionId")), string(record.get("cwd")), _branch(record))
        if any(here) and here != place:
            place = here
            yield Place(line=line, session_id=here[0], folder=here[1], branch=here[2], agent=AGENT)
        yield from _events(line, record)


def _branch(record: Record) -> str:
    branch = string(record.get("gitBranch"))
    return "" if branch == "HEAD" else branch


def _events(line: int, record: Record) -> Iterator[Event]:
    kind = record.get("type")
    if kind == "file-history-snapshot":
        tracked = mapping(mapping(record.get("snapshot")).get("trackedFileBackups"))
        if tracked:
            at = instant(mapping(record.get("snapshot")).get("timestamp"))
            yield Snapshot(line=line, at=at, paths=tuple(map(str, tracked)))
    elif kind == "progress":
        inner = mapping(mapping(record.get("data")).get("message"))
        if inner.get("type") == "assistant":
            yield from _calls(line, {**inner, "timestamp": record.get("timestamp")}, aside=True)
    elif kind == "assistant" and not record.get("isApiErrorMessage"):
        aside = bool(record.get("isSidechain"))
        if not aside:
            yield from _words(line, record, Speaker.AGENT)
        yield from _calls(line, record, aside=aside)
    elif kind == "user":
        yield from _from_user(line, record)


def _from_user(line: int, record: Record) -> Iterator[Event]:
    at = instant(record.get("timestamp"))
    content = mapping(record.get("message")).get("content")
    if record.get("isCompactSummary"):
        yield Summarised(line=line, at=at, text=text_of(content))
        return
    for block in blocks(content):
        if block.get("type") == "tool_result":
            yield Returned(
                line=line,
                at=at,
                call_id=string(block.get("tool_use_id")),
                text=text_of(block.get("content")),
                failed=block.get("is_error") is True,
            )
    if not record.get("isMeta") and not record.get("isSidechain"):
        yield from _words(line, record, Speaker.USER)


def _words(line: int, record: Record, speaker: Speaker) -> Iterator[Event]:
    for block in blocks(mapping(record.get("message")).get("content")):
        if block.get("type") == "text" and string(block.get("text")).strip():
            at = instant(record.get("timestamp"))
            yield Said(line=line, at=at, speaker=speaker, text=string(block.get("text")))


def _calls(line: int, record: Record, *, aside: bool) -> Iterator[Event]:
    for block in blocks(mapping(record.get("message")).get("content")):
        if block.get("type") == "tool_use":
            yield Called(
                line=line,
                at=instant(record.get("timestamp")),
                call_id=string(block.get("id")),
                tool=string(block.get("name")),
                arguments=mapping(block.get("input")),
                aside=aside,
            )
