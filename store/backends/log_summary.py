"""The recalls in an activity log up to a position, by memory and by session, as lines of text.

A log grows for as long as memory is used, and what is asked of it at every prompt and every write
is little: how often one memory was recalled since its record last counted it, and what one session
was told. A summary answers both by a search among its lines, and the log is read from where the
summary ends.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from store.platform.bounds import load_json
from store.platform.json_fields import is_integer, strings

RECALLED = "recalled"
CALLS = "calls"
"""The key of an entry of recalls with how often a memory was recalled, by id, where not once."""
COUNTED = "counted"
"""The kind of an entry with the time up to which records count their recalls, by id."""
SILENT = b'{"type":"%s"' % COUNTED.encode("ascii")
"""How the line of such an entry begins, which is no event."""
SESSIONS_BYTES = 2_000_000
"""What a summary may take for sessions, the last of them: hundreds, of some kilobytes each."""
_TOLD = 5_000
"""The most ids and words that are kept of one session."""
_STEPS = 12
"""The most steps that are kept of one memory; the oldest become one."""
_MOST_CALLS = 100_000
"""The most recalls that an entry counts of one memory, whoever wrote it."""
_FORMAT = 1
_OBSERVATION, _SESSION = b"o ", b"s "


@dataclass(frozen=True, slots=True)
class Recalls:
    """Number of recalls of a memory, and the last one: an ISO time in UTC."""

    count: int
    last: str


@dataclass(slots=True)
class LogSummary:
    """A summary as its text, which may be empty. Not thread-safe by itself.

    It covers the log up to `until`, the position that an entry after it would have. Where the
    text is damaged it is empty: `is_damaged`.
    """

    text: bytes = b""
    until: int = 0
    is_damaged: bool = False

    def recalls(self, identifier: str) -> list[Recalls]:
        """The recalls of a memory, in steps: records that count some of them count whole steps."""
        steps = self._value(_OBSERVATION, identifier)
        return [Recalls(*step) for step in steps] if steps else []

    def session(self, session_id: str) -> dict[str, Any] | None:
        """Recalls of a session since its context began, as one entry of the log."""
        found = self._value(_SESSION, session_id)
        return found[1] if found else None

    def identifiers(self) -> Iterator[str]:
        for line in self.text.split(b"\n"):
            if line.startswith(_OBSERVATION):
                yield json.loads(line.partition(b"\t")[0].removeprefix(_OBSERVATION))

    def _value(self, kind: bytes, name: str) -> Any:  # noqa: ANN401 - any JSON value
        if not self.text:
            return None
        found = _find(self.text, _key(kind, name))
        return None if found is None else json.loads(found)


def _key(kind: bytes, name: str) -> bytes:
    return kind + json.dumps(name).encode("ascii")


def _pairs(text: bytes) -> Iterator[tuple[bytes, bytes]]:
    for line in text.split(b"\n")[1:]:
        key, _, value = line.partition(b"\t")
        if key:
            yield key, value


def _find(text: bytes, key: bytes) -> bytes | None:
    low, high = text.find(b"\n") + 1, len(text)
    while low < high:
        start = text.rfind(b"\n", low, (low + high) // 2) + 1 or low
        end = text.find(b"\n", start)
        end = high if end < 0 else end
        here, _, value = text[start:end].partition(b"\t")
        if here == key:
            return value
        if here < key:
            low = end + 1
        else:
            high = start
    return None


def read_summary(text: bytes) -> LogSummary:
    """Return a summary from the text that `summarise` made; an empty one where it is another's."""
    line, _, body = text.partition(b"\n")
    until = 0
    try:
        head = json.loads(line)
        until = head["until"]
        is_ours = head["format"] == _FORMAT and head["bytes"] == len(body) and int(until) >= 0
    except (ValueError, KeyError, TypeError, RecursionError):
        is_ours = False
    return LogSummary(text, until) if is_ours else LogSummary(is_damaged=True)


@dataclass(slots=True)
class _New:
    """Recalls, counts and sessions in the entries after a summary."""

    times: dict[str, list[str]] = field(default_factory=dict)
    """By id, when it was recalled."""
    counted: dict[str, list[str]] = field(default_factory=dict)
    """By id, up to when its record counts that."""
    sessions: dict[str, list[dict[str, Any]]] = field(default_factory=dict)


def summarise(old: LogSummary, lines: Iterable[bytes], until: int) -> LogSummary:
    """Return a summary that covers the entries after it too, up to a position."""
    new = _New()
    for entry in entries_of(lines):
        _add_entry(new, entry)
    merged: dict[bytes, bytes] = dict(_pairs(old.text))
    for identifier in new.times.keys() | new.counted.keys():
        key = _key(_OBSERVATION, identifier)
        steps = json.loads(merged[key]) if key in merged else []
        counted = sorted(set(new.counted.get(identifier, ())))
        merged[key] = _dump(_in_steps(steps, sorted(new.times.get(identifier, ())), counted))
    for session_id, entries in new.sessions.items():
        key = _key(_SESSION, session_id)
        earlier = [json.loads(merged[key])[1]] if key in merged else []
        merged[key] = _dump([until, _as_one(session_id, [*earlier, *entries])])
    _drop_old_sessions(merged)
    body = b"".join(b"%s\t%s\n" % pair for pair in sorted(merged.items()))
    head = _dump({"format": _FORMAT, "until": until, "bytes": len(body)})
    return LogSummary(head + b"\n" + body, until)


def entries_of(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Lines as entries; those that are no JSON object are passed over."""
    for line in lines:
        try:
            entry = load_json(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield entry


def recalled_ids(entry: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield the ids of an entry of recalls, each with how often it was recalled: once, unless the
    entry means several calls of an agent.
    """
    given = entry.get(CALLS)
    calls = given if isinstance(given, dict) else {}
    for identifier in strings(entry.get("observationIds")):
        number = calls.get(identifier)
        yield identifier, min(max(number, 1), _MOST_CALLS) if is_integer(number) else 1


def _dump(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def _add_entry(new: _New, entry: Mapping[str, Any]) -> None:
    kind = entry.get("type")
    if kind == RECALLED:
        time = str(entry.get("timestamp", ""))
        for identifier, calls in recalled_ids(entry):
            new.times.setdefault(identifier, []).extend([time] * calls)
        session_id = entry.get("sessionId")
        if isinstance(session_id, str) and session_id:
            new.sessions.setdefault(session_id, []).append(dict(entry))
    elif kind == COUNTED and isinstance(counted := entry.get("counted"), dict):
        for identifier, last in counted.items():
            if isinstance(last, str):
                new.counted.setdefault(identifier, []).append(last)


def _in_steps(
    steps: list[list[Any]], times: Sequence[str], counted: Iterable[str]
) -> list[list[Any]]:
    """Steps and what came after: a step ends where a record counted it, so that each is whole.

    Both in order.
    """
    for limit in (*counted, None):
        at = len(times) if limit is None else bisect_right(times, limit)
        now, times = times[:at], times[at:]
        if now and steps:
            steps[-1] = [steps[-1][0] + len(now), max(steps[-1][1], now[-1])]
        elif now:
            steps.append([len(now), now[-1]])
        if limit is not None and steps and steps[-1][0] and steps[-1][1] <= limit:
            steps.append([0, limit])
    while len(steps) > _STEPS:
        first, second, *rest = steps
        steps = [[first[0] + second[0], second[1]], *rest]
    return steps


def _as_one(session_id: str, entries: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Join the entries of a session into one: all since its context began anew."""
    ids: dict[str, None] = {}
    about: dict[str, None] = {}
    time = ""
    for entry in entries:
        if entry.get("afresh") is True:
            ids, about = {}, {}
        ids.update(dict.fromkeys(strings(entry.get("observationIds"))))
        about.update(dict.fromkeys(strings(entry.get("about"))))
        time = max(time, str(entry.get("timestamp", "")))
    return {
        "type": RECALLED,
        "timestamp": time,
        "sessionId": session_id,
        "observationIds": list(ids)[-_TOLD:],
        "about": list(about)[-_TOLD:],
    }


def _drop_old_sessions(merged: dict[bytes, bytes]) -> None:
    """Keep the last sessions: by their place in the log, since a clock may be wrong."""
    keys = [key for key in merged if key.startswith(_SESSION)]
    left = SESSIONS_BYTES
    for key in sorted(keys, key=lambda key: -int(merged[key][1:].partition(b",")[0])):
        left -= len(merged[key])
        if left < 0:
            del merged[key]
