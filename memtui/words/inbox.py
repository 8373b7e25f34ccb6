"""The inbox in words: where an entry comes from, what becomes of it, and its lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from types import MappingProxyType

from memtui.formatting import plural, short_name
from store.action import ActionKind
from store.inbox.entry import Entry, EntryKind, EntrySource

MARKS: Mapping[EntryKind, str] = MappingProxyType(
    {EntryKind.NEW: "+", EntryKind.CHANGED: "~", EntryKind.GONE: "-", EntryKind.MOVED: ">"}
)
_SOURCES: Mapping[EntrySource, str] = MappingProxyType(
    {
        EntrySource.CAPTURE: "Captured",
        EntrySource.MCP: "By MCP",
        EntrySource.JSONRPC: "By JSON-RPC",
        EntrySource.COMMAND: "By command",
    }
)
_ARCHIVING = frozenset({ActionKind.ARCHIVE, ActionKind.PRUNE})
OUTDATED = "changed since it was proposed"
EMPTY = "Nothing waits for approval."


def left_in_words(number: int) -> str:
    """Return why some entries can't be approved with all others."""
    which = "of memories that changed since, with several changes, or of a level not open"
    left = plural(number, "change is", "changes are")
    return f"{left} left: {which}. Approve them one by one."


def heading_of(entry: Entry) -> str:
    """Return the heading above the entries of one source: `Captured, claude-code`, or a file."""
    before = _SOURCES.get(entry.source, "")
    return f"{before}, {entry.origin}" if before else short_name(entry.origin)


def grouped(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    """Yield each heading with its entries, in an order that stays when some of them leave."""
    groups: dict[tuple[int, str], list[Entry]] = {}
    for entry in entries:
        group = list(EntrySource).index(entry.source), heading_of(entry)
        groups.setdefault(group, []).append(entry)
    for group in sorted(groups):
        yield group[1], groups[group]


def effect_of(entry: Entry) -> str:
    """Return what becomes of a memory, or became of a file: `new`, `changed`, `archived` …"""
    if entry.kind is EntryKind.GONE and entry.source is not EntrySource.FILE:
        return "to archive" if entry.action in _ARCHIVING else "to delete"
    return str(entry.kind)


def facts_of(entry: Entry) -> str:
    """Return what becomes of an entry and where it is filed: `new · lesson · #29`."""
    place = f"line {entry.line}" if entry.path else f"#{entry.issue}" if entry.category else ""
    return " · ".join(filter(None, (effect_of(entry), entry.category, place, entry.level)))


def lines_of(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield the lines of an entry, each with its sign: `-` goes, `+` comes, a blank stays."""
    before, after = entry.before.splitlines(), entry.after.splitlines()
    for what, start, end, to_start, to_end in SequenceMatcher(None, before, after).get_opcodes():
        gone = before[start:end] if what != "equal" else ()
        come = after[to_start:to_end] if what != "equal" else ()
        yield from ((" ", line) for line in before[start:end] if what == "equal")
        yield from (("-", line) for line in gone)
        yield from (("+", line) for line in come)
