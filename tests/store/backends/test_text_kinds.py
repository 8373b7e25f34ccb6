"""What backends share: the log and its summary, records of an issue, kinds of texts, packages."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.backends import check_shared, has_memory, log_summary, open_backend
from store.backends.activity import RecallLog, folded
from store.backends.files.backend import FilesBackend
from store.backends.files.layout import ACTIVITY
from store.backends.files.log import FileLog
from store.backends.log_summary import SESSIONS_BYTES, LogSummary, Recalls, read_summary, summarise
from store.backends.text_kinds import TextKind, expired_before, text_at, text_path, unpacked
from store.errors import NoMemory, NotFound
from store.model import Location, Problem
from store.recall.already_injected import already_injected
from tests.store.factories import NOW, append_activity, record, write_issue

KEEP = timedelta(days=30)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("used", "before"),
    [
        ([], None),
        ([NOW, NOW - DAY / 2], None),
        ([NOW + 400 * DAY], None),
        ([NOW, NOW - 2 * DAY], NOW - 32 * DAY),
        ([NOW - 40 * DAY, NOW - 2 * DAY, NOW + 400 * DAY], NOW - 32 * DAY),
        ([NOW - 40 * DAY], NOW - 70 * DAY),
    ],
)
def test_it_counts_from_the_last_use_before_today(
    used: list[datetime], before: datetime | None
) -> None:
    assert expired_before(NOW, used, KEEP) == before


def test_a_keep_beyond_all_times_expires_nothing() -> None:
    used = [datetime(2, 1, 1, tzinfo=UTC)]
    assert expired_before(NOW, used, timedelta(days=10_000)) is None


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("operations/a.json", (TextKind.OPERATIONS, "a")),
        ("recalls/a.md", (TextKind.RECALLS, "a")),
        ("recalls/a.json", None),
        ("recalls", None),
        ("issue-29.json", None),
    ],
)
def test_which_text_a_path_names(path: str, found: tuple[TextKind, str] | None) -> None:
    if found is not None:
        assert text_at(path) == found
        assert text_path(*found) == path
    else:
        with pytest.raises(NotFound):
            text_at(path)


def test_what_is_kept_compressed_is_unpacked_as_far_as_it_goes() -> None:
    text = b"".join(b'{"role":"user","text":"Question %d"}\n' % at for at in range(2_000))
    packed = gzip.compress(text)
    assert unpacked(TextKind.MESSAGES, packed) == text
    half = unpacked(TextKind.MESSAGES, packed[: len(packed) // 2])
    assert text.startswith(half) and len(half) > 1_000
    for damaged in (b"", b"no gzip", packed[1:], text):
        assert unpacked(TextKind.MESSAGES, damaged) == b""
    for kind in TextKind:
        if kind is not TextKind.MESSAGES:
            assert unpacked(kind, packed) == packed


# The activity log, and the recalls it tells of.


def _recall(folder: Path, time: str, *ids: object) -> None:
    append_activity(folder, {"type": "recalled", "timestamp": time, "observationIds": [*ids]})


def test_a_replaced_log_is_read_from_its_beginning(tmp_path: Path) -> None:
    log = RecallLog(FileLog(tmp_path))
    for day in range(1, 4):
        _recall(tmp_path, f"2026-03-0{day}T00:00:00.000Z", "a")
    log.read_on()
    (tmp_path / ACTIVITY).unlink()
    _recall(tmp_path, "2026-03-09T00:00:00.000Z", "b")
    log.read_on()
    assert log.uncounted({"id": "a"}) is None
    assert log.uncounted({"id": "b"}) == Recalls(1, "2026-03-09T00:00:00.000Z")
    (tmp_path / ACTIVITY).write_text("")
    log.read_on()
    assert (log.end, log.uncounted({"id": "b"})) == (0, None)


def test_recalls_count_after_the_last_one_the_record_knows(tmp_path: Path) -> None:
    log = RecallLog(FileLog(tmp_path))
    assert log.uncounted({"id": "a"}) is None
    for day in range(1, 4):
        _recall(tmp_path, f"2026-03-0{day}T00:00:00.000Z", "a", 7, None)
    append_activity(tmp_path, {"type": "recalled", "observationIds": "a"})
    append_activity(tmp_path, {"type": "stored", "observationIds": ["a"]})
    log.read_on()
    assert log.uncounted({"id": "a"}) == Recalls(3, "2026-03-03T00:00:00.000Z")
    counted = {"id": "a", "recallCount": 1, "lastRecalled": "2026-03-01T00:00:00.000Z"}
    assert log.uncounted(counted) == Recalls(2, "2026-03-03T00:00:00.000Z")
    assert folded(counted, log) == {
        "id": "a",
        "recallCount": 3,
        "lastRecalled": "2026-03-03T00:00:00.000Z",
    }
    assert folded({"id": "a", "recallCount": "many"}, log) == {
        "id": "a",
        "recallCount": 3,
        "lastRecalled": "2026-03-03T00:00:00.000Z",
    }
    for nothing in ({"id": "b"}, {"id": 7}, {}, None, "a"):
        assert log.uncounted(nothing) is None
    assert folded({"id": "b"}, log) is None


# What a log told, kept as sorted lines.


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


# The records of an issue, whatever they are.


FILE = "issue-29.json"
MISSING = "can't be shown: its `agent` is missing or not a string. It is kept."


def _problems(folder: Path) -> list[Problem]:
    records = FilesBackend(folder).read(29)
    records.observations()
    return list(records.problems)


@pytest.mark.parametrize(("bad", "told"), [(99, 99), (100, 100), (101, 101), (150, 101)])
def test_of_many_that_can_not_be_shown_the_first_hundred_are_named(
    tmp_path: Path, bad: int, told: int
) -> None:
    write_issue(tmp_path, 29, record("a"), *({"id": f"x-{at}"} for at in range(bad)), record("b"))
    found = _problems(tmp_path)
    named = [f"{FILE}: the record 'x-{at}' {MISSING}" for at in range(min(bad, 100))]
    more = f"{FILE}: more records can't be shown; these are the first."
    assert found == [Problem(FILE, it) for it in [*named, *[more] * (bad > 100)]]
    assert len(found) == told


@pytest.mark.parametrize(
    ("own", "recovered", "archive", "stand"),
    [
        ("a", "b", "a", ["a own", "b recovered"]),
        ("a", "ab", "ba", ["a own", "b recovered"]),
        ("", "a", "ab", ["a recovered", "b archive"]),
        ("aa", "a", "a", ["a own", "a own"]),
        ("a", "bb", "bc", ["a own", "b recovered", "b recovered", "c archive"]),
    ],
)
def test_an_id_stands_where_it_is_met_first_however_many_files_have_it(
    tmp_path: Path, own: str, recovered: str, archive: str, stand: list[str]
) -> None:
    """What one file has twice is told twice: it is that file's own mistake."""
    for name, ids in (("recovered", recovered), ("own", own), ("archive", archive)):
        records = [record(it, content=f"{it} {name}") for it in ids]
        path = write_issue(tmp_path, 29, *records, archived=name == "archive")
        if name == "recovered":
            path.rename(tmp_path / "issue-29.recovered.json")
    read = FilesBackend(tmp_path).read(29)
    assert [it.record.value["content"] for it in read.held()] == stand
    first = next((it for it in stand if it.startswith("a") and "archive" not in it), None)
    found = read.find(Location.ISSUE, "a")
    assert (found and found["content"]) == first


# A backend is a package beside the others: what it offers is found by the scheme of a URL.


def test_an_unknown_scheme_is_told_with_those_that_a_user_may_name() -> None:
    with pytest.raises(NoMemory, match="Unknown location nowhere://x") as refused:
        open_backend("nowhere://x")
    assert "postgresql://" in refused.value.hint
    assert "vault://" in refused.value.hint
    assert "memory://" not in refused.value.hint
    with pytest.raises(NoMemory, match="Unknown location protocol://x"):
        open_backend("protocol://x")
    with pytest.raises(ValueError, match="named by a URL"):
        check_shared("nowhere://x")


def test_a_memory_of_any_kind_is_seen_at_a_path(tmp_path: Path) -> None:
    assert not has_memory(tmp_path)
    (tmp_path / "issue-29.json").write_text("{}")
    (tmp_path / "notes" / ".obsidian").mkdir(parents=True)
    assert has_memory(tmp_path)
    assert has_memory(tmp_path / "notes")
