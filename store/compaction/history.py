"""The changes of one file as one line: `src/lock.py: 2026-02-03 added: a retry; 2026-02-01 …`."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from store.compaction.statements import Said, Told, statements_by
from store.model import Observation
from store.text.normalise import Kind, chunks, tokens

_LINE = re.compile(r"^(?P<path>\S+): (?P<entries>\d{4}-\d\d-\d\d .+)$")
_ENTRY = re.compile(r"^(?:(?P<date>\d{4}-\d\d-\d\d) )?(?P<text>.+)$")


_LONGEST_ENTRY = 400


def has_place(content: str) -> bool:
    """A change can be a line of history: it is short, or such a line itself.

    What has several lines says what was asked and why beside it, and keeps to itself.
    """
    is_short = len(content) <= _LONGEST_ENTRY and "\n" not in content.strip()
    return is_short or bool(_LINE.match(content))


def main_path(text: str) -> tuple[str, str]:
    """The first path that a text names, in its common form and as it is written; or two `""`."""
    for line in chunks(text):
        for chunk in line:
            for token in tokens(chunk):
                if token.kind is Kind.PATH:
                    return token.value, token.written
    return "", ""


def history_of_file(change: Observation) -> list[Said]:
    """The entries that a code change adds to the history of its file, newest first."""
    line = _LINE.match(change.content)
    if line:
        return _entries(line["entries"], change)
    _, path = main_path(change.content)
    day = f"{change.timestamp:%Y-%m-%d} "
    if "\n" in change.content:
        # What was done, who asked for it and why stay together, as one entry.
        text = "; ".join(line.rstrip(".") for line in change.content.splitlines() if line.strip())
        return [
            Said(_without_path(text, path).replace("; ", ", "), change.id, change.timestamp, day)
        ]
    said = statements_by(change.id, change.content, change.timestamp, day)
    return [
        entry._replace(text=_without_path(" ".join(entry.text.split()), path)) for entry in said
    ]


def history_line(path: str, told: list[Told]) -> str:
    """The line of history of `path`; a date that several entries share is said once."""
    entries: list[str] = []
    day = ""
    for one in told:
        text = one.said.text.removesuffix(".")
        entries.append(text if one.said.label == day else one.said.label + text)
        day = one.said.label
    return f"{path}: {'; '.join(entries)}"


def _entries(line: str, change: Observation) -> list[Said]:
    said: list[Said] = []
    on = change.timestamp
    for part in line.split("; "):
        entry = _ENTRY.match(part)
        if entry is None:
            continue
        if entry["date"]:
            on = _day(entry["date"], on)
        said.append(Said(entry["text"], change.id, on, f"{on:%Y-%m-%d} "))
    return said


def _day(date: str, otherwise: datetime) -> datetime:
    try:
        return datetime.strptime(date, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return otherwise


def _without_path(entry: str, path: str) -> str:
    """The entry without the path that the line begins with, where its grammar stays whole."""
    named = rf"[`'\"]?{re.escape(path)}[`'\"]?"
    begins = re.match(rf"(?:(\w+) (?:file )?)?{named}(?![\w/])\s*[:,.;—–-]*\s*(.*)$", entry)
    if begins:
        verb, rest = begins.groups()
        return f"{verb}: {rest}" if verb and rest else (verb or rest or entry)
    return re.sub(rf"(?<!\s)\s+(?:in|to|of|for|at|from)\s+{named}(?=[.!]?$)", "", entry)
