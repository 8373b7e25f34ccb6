"""What a log told, kept as sorted lines."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.backends import log_summary
from store.backends.log_summary import SESSIONS_BYTES, LogSummary, read_summary, summarise
from store.recall.already_injected import already_injected

NAMES = st.sampled_from(["a", "b", "obs-engineer-29-1-x", "\ud800 \t\n", ""])
TIMES = st.integers(1, 28).map(lambda day: f"2026-03-{day:02d}T00:00:00.000Z")
RECALL = st.builds(
    lambda time, session, ids, afresh: {
        "type": "recalled",
        "timestamp": time,
        "sessionId": session,
        "observationIds": ids,
        "about": ids[:1],
        "afresh": afresh,
    },
    TIMES,
    NAMES,
    st.lists(NAMES, max_size=3),
    st.booleans(),
)
JSON = st.none() | st.integers() | st.text(max_size=3) | st.lists(st.text(max_size=3), max_size=2)
FOREIGN = st.dictionaries(
    st.sampled_from(["type", "sessionId", "observationIds", "counted", "afresh"]),
    JSON | st.sampled_from(["recalled", "counted"]),
)


def lines(*entries: dict[str, Any]) -> list[bytes]:
    return [json.dumps(entry).encode() for entry in entries]


def recall(day: int, *ids: str, session: str = "s", **more: object) -> dict[str, Any]:
    time = f"2026-03-{day:02d}T00:00:00.000Z"
    return {
        "type": "recalled",
        "timestamp": time,
        "sessionId": session,
        "observationIds": [*ids],
        **more,
    }


def counted(**days: int) -> dict[str, Any]:
    return {
        "type": "counted",
        "counted": {name: f"2026-03-{day:02d}T00:00:00.000Z" for name, day in days.items()},
    }


def number(summary: LogSummary, identifier: str, after: int) -> int:
    limit = f"2026-03-{after:02d}T00:00:00.000Z"
    return sum(step.count for step in summary.recalls(identifier) if step.last > limit)


@given(st.lists(RECALL | FOREIGN, max_size=12), st.integers(0, 12))
def test_a_summary_answers_as_the_log_would(entries: list[dict[str, Any]], cut: int) -> None:
    first = summarise(LogSummary(), lines(*entries[:cut]), 7)
    summary = read_summary(summarise(first, lines(*entries[cut:]), 11).text)
    assert summary.until == 11
    for session in ("a", "b", "\ud800 \t\n"):
        merged = summary.session(session)
        assert already_injected([merged] if merged else [], session) == already_injected(
            entries, session
        )
    for name in ("a", "b", "obs-engineer-29-1-x", "\ud800 \t\n", "", "nobody"):
        recalls = [
            each.get("observationIds", []).count(name)
            for each in entries
            if each.get("type") == "recalled" and isinstance(each.get("observationIds"), list)
        ]
        assert sum(step.count for step in summary.recalls(name)) == sum(recalls)


def test_what_a_record_counts_is_told_apart_exactly() -> None:
    summary = summarise(LogSummary(), lines(*(recall(day, "a") for day in (1, 2, 3))), 1)
    summary = summarise(summary, lines(counted(a=3)), 2)
    summary = summarise(summary, lines(recall(5, "a"), recall(6, "a"), counted(a=5)), 3)
    assert number(summary, "a", 0) == 5
    assert number(summary, "a", 3) == 2
    assert number(summary, "a", 5) == 1
    assert number(summary, "a", 6) == 0


def test_sessions_told_of_last_are_known_whatever_a_clock_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(log_summary, "SESSIONS_BYTES", SESSIONS_BYTES // 20)
    many = [f"obs-{n:06d}" for n in range(250)]
    summary = LogSummary()
    for at in range(60):
        entry = recall(1, *many, session=f"s{at}", timestamp=f"{2099 - at}-01-01T00:00:00.000Z")
        summary = summarise(summary, lines(entry), at + 1)
    assert len(summary.text) < SESSIONS_BYTES // 10
    assert summary.session("s59") is not None
    assert summary.session("s0") is None


@pytest.mark.parametrize("changed", [{"format": 2}, {"until": -1}, {"bytes": -1}, {"until": "x"}])
def test_a_summary_of_another_head_is_damaged(changed: dict[str, object]) -> None:
    whole = summarise(LogSummary(), lines(recall(1, "a")), 9).text
    head, _, body = whole.partition(b"\n")
    assert not read_summary(whole).is_damaged
    told = json.dumps({**json.loads(head), **changed}).encode()
    assert read_summary(told + b"\n" + body).is_damaged


def test_a_summary_that_was_cut_or_added_to_is_damaged() -> None:
    whole = summarise(LogSummary(), lines(recall(1, "a", "b")), 1).text
    assert all(read_summary(whole[:at]).is_damaged for at in range(len(whole)))
    assert all(read_summary(whole + more).is_damaged for more in (b"\n", b'o "z"\t[]\n', whole))
