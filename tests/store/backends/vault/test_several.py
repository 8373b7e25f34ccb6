"""Of several files, entries of one key, notes of one name and properties: which of them counts."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from store.backends.activity import read_activity
from store.backends.files.activity_summary import SUMMARY
from store.backends.vault.backend import VaultBackend, VaultRecords
from store.backends.vault.items import items_of
from store.backends.vault.layout import SIDE
from store.backends.vault.sidecar import read_sidecar
from store.model import Location, Observation, Problem
from store.records import to_record
from tests.store.backends.vault.vaults import make_vault, texts
from tests.store.factories import NOW, record

KEY = "1773679871839"
MTIME = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ARCHIVE = ".vault/archive"


def _open(folder: Path) -> VaultBackend:
    return VaultBackend(folder, lambda: NOW)


def _entry(said: str, key: str = KEY) -> str:
    return f"<!-- id:{key} -->\n## 2026-03-16T16:51\n\n{said}\n\n---\n"


def _said(folder: Path, location: Location = Location.ISSUE) -> dict[str, str]:
    found: list[Observation] = []
    backend = _open(folder)
    for issue in sorted(backend.issues()):
        found += backend.read(issue).observations(location)
    return {it.id: it.content for it in found}


@pytest.mark.parametrize("issue", [0, 29])
def test_what_cannot_be_read_is_of_the_project_whatever_issues_there_are(
    tmp_path: Path, issue: int
) -> None:
    folder = make_vault(tmp_path / ".memory", {"_project.md": ""})
    with _open(folder).changing(issue) as records:
        records.put(Location.ISSUE, record("a", agent="dev", issueNumber=issue))
    assert _open(folder).issues() == {issue}
    (folder / "odd.md").write_bytes(b"\xff")
    backend = _open(folder)
    assert backend.issues() == {0, issue}
    assert backend.changes_since({}).stamps.keys() == {0, issue}
    assert [it.path for it in backend.read(0).problems] == ["odd.md"]
    assert backend.read(29).problems == []


@pytest.mark.parametrize(
    ("path", "issue", "archive"),
    [
        ("dev/a.md", True, False),
        ("dev/", True, False),
        (f"{ARCHIVE}/dev/a.md", False, True),
        (f"{ARCHIVE}/", False, True),
        ("", True, True),
        ("pending", True, True),
        (f"{SIDE}/records.json", True, True),
    ],
)
def test_a_memory_may_stand_behind_what_is_unread_of_its_location(
    path: str, issue: bool, archive: bool
) -> None:
    unread = Problem(path, "It can't be read.")
    records = VaultRecords(29, {}, hidden=[unread])
    assert records.unread(Location.ISSUE) == (unread if issue else None)
    assert records.unread(Location.ARCHIVE) == (unread if archive else None)
    both = VaultRecords(29, {}, hidden=[Problem("b.md", ""), Problem(f"{ARCHIVE}/b.md", "")])
    assert [both.unread(it) for it in Location] == list(both.hidden)


def test_a_change_that_waits_is_no_part_of_the_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"dev/lessons.md": _entry("One"), f"{ARCHIVE}/dev/lessons.md": _entry("Two")}
    folder = make_vault(tmp_path / ".memory", files)
    size = sum(map(len, files.values()))
    assert _open(folder).size() == size
    with monkeypatch.context() as patch:
        patch.setattr("store.backends.vault.pending._write", lambda *_: None)
        with _open(folder).changing(29) as records:
            records.put(Location.ISSUE, record("a", agent="dev"))
    assert (folder / SIDE / "pending/vault.json").exists()
    beside = sum(it.stat().st_size for it in (folder / SIDE).glob("[!.]*") if it.is_file())
    assert _open(folder).size() == size + beside


def test_entries_of_one_key_are_as_many_memories(tmp_path: Path) -> None:
    said = ["One", "Two", "Three", "Four"]
    entries = "\n".join(map(_entry, said))
    folder = make_vault(tmp_path / ".memory", {"dev/lessons.md": entries})
    names = [KEY, *(f"{KEY}~{number}" for number in (2, 3, 4))]
    assert _said(folder) == dict(zip(names, said, strict=True))
    for name in names[1:3]:
        with _open(folder).changing(0) as records:
            value = records.find(Location.ISSUE, name)
            assert value is not None
            records.put(Location.ISSUE, {**value, "pinned": True})
    told = read_sidecar((folder / SIDE / "records.json").read_bytes())
    assert told == {name: {"pinned": {"was": "", "is": True}} for name in names[1:3]}
    assert texts(folder) == {"dev/lessons.md": entries}
    assert [it.id for it in _open(folder).read(0).observations() if it.pinned] == names[1:3]


def test_entries_of_one_time_stand_by_their_keys(tmp_path: Path) -> None:
    later = "\n".join(_entry(said, key) for said, key in (("Ten", "10"), ("Nine", "9")))
    folder = make_vault(tmp_path / ".memory", {"dev/lessons.md": later})
    assert [*_said(folder).values()] == ["Nine", "Ten"]


def test_the_note_that_is_not_archived_has_the_name_of_both(tmp_path: Path) -> None:
    folder = make_vault(tmp_path / ".memory", {"_project.md": "", "notes/Plan.md": "New plan\n"})
    (name,) = _said(folder)
    make_vault(folder, {f"{ARCHIVE}/notes/Plan.md": "Old plan\n"})
    assert _said(folder) == {name: "New plan"}
    assert _said(folder, Location.ARCHIVE) == {f"{name}~2": "Old plan"}


def test_of_two_with_one_id_each_is_changed_where_it_stands(tmp_path: Path) -> None:
    files = {"notes/Plan.md": "Plan\n", f"{ARCHIVE}/notes/Plan.md": "Plan\n"}
    folder = make_vault(tmp_path / ".memory", {"_project.md": "", **files})
    (name,) = _said(folder)
    with _open(folder).changing(0) as records:
        for location in Location:
            value = records.find(location, name)
            assert value is not None
            records.put(location, {**value, "tags": [str(location)]})
    held = {path: (folder / path).read_text() for path in files}
    assert held == files
    assert len([*folder.rglob("Plan*.md")]) == 2
    read = _open(folder).read(0)
    assert [(read.find(it, name) or {})["tags"] for it in Location] == [["issue"], ["archive"]]


def test_of_two_with_one_id_in_a_place_both_are_taken_out(tmp_path: Path) -> None:
    entries = "\n".join(
        _entry(said, key) for said, key in (("2", "200"), ("1", "100"), ("0", "99"))
    )
    folder = make_vault(tmp_path / ".memory", {"dev/lessons.md": entries})
    with _open(folder).changing(0) as records:
        for key in ("200", "100"):
            value = records.find(Location.ISSUE, key)
            assert value is not None
            records.drop(Location.ISSUE, key)
            records.append(Location.ISSUE, {**value, "id": "same", "issueNumber": 0})
    told = [it.content for it in _open(folder).read(0).observations()]
    assert sorted(told) == ["0", "1", "2"]
    with _open(folder).changing(0) as records:
        part = records.parts["issue"]
        part.records = [it for it in part.records if it.value["id"] != "same"]
    assert _said(folder) == {"99": "0"}


@pytest.mark.parametrize(
    ("front", "tags"),
    [
        ("tags: a", ["a", "in"]),
        ("tag: b", ["b", "in"]),
        ("tag: b\ntags: a", ["a", "in"]),
        ("tags:\n  - a\n  - '#b'\n  - a", ["a", "b", "in"]),
        ("tags: a b,c #d", ["a", "b", "c", "d", "in"]),
        ("tags: [in, z]", ["in", "z"]),
        ("title: x", ["in"]),
    ],
)
def test_the_tags_of_a_note_are_those_of_its_properties_then_those_in_it(
    front: str, tags: list[str]
) -> None:
    (item,) = items_of("a.md", f"---\n{front}\n---\nText #in\n", MTIME)
    assert item.record["tags"] == tags


@pytest.mark.parametrize(
    ("path", "front", "category"),
    [
        ("a.md", "category: error\ntype: lesson", "error"),
        ("a.md", "type: lessons", "lesson"),
        ("a.md", "type: weather", "key-fact"),
        ("dev/handoff.md", "type: error", "error"),
        ("dev/handoff.md", "type: weather", "handoff"),
        ("dev/handoff.md", "title: x", "handoff"),
        ("dev/plan.md", "title: x", "key-fact"),
        ("_project.md", "title: x", "project"),
        ("_project.md", "type: lesson", "lesson"),
    ],
)
def test_the_category_of_a_note_is_told_by_its_properties_then_by_its_place(
    path: str, front: str, category: str
) -> None:
    (item,) = items_of(path, f"---\n{front}\n---\nText\n", MTIME)
    assert item.record["category"] == category


@pytest.mark.parametrize(
    ("path", "front", "day"),
    [
        ("a.md", "created: 2026-01-01\ndate: 2026-01-02\ntimestamp: 2026-01-03", "2026-01-01"),
        ("a.md", "timestamp: 2026-01-03\ndate: 2026-01-02", "2026-01-02"),
        ("a.md", "timestamp: 2026-01-03", "2026-01-03"),
        ("a.md", "created: soon\ndate: 2026-01-02", "2026-01-02"),
        ("2026-01-04.md", "created: soon", "2026-01-04"),
        ("2026-01-04.md", "date: 2026-01-02", "2026-01-02"),
        ("a.md", "created: soon", "2026-03-01"),
    ],
)
def test_the_first_property_that_is_a_time_dates_a_note(path: str, front: str, day: str) -> None:
    (item,) = items_of(path, f"---\n{front}\n---\nText\n", MTIME)
    assert item.record["timestamp"][:10] == day
    assert item.is_dated is (day != "2026-03-01")


@pytest.mark.parametrize(
    ("path", "front", "agent"),
    [
        ("dev/handoff.md", "title: x", "notes"),
        ("a.md", "agent: Dev ü", "Dev-u"),
        ("a.md", "agent: [a, b]", "notes"),
        ("_project.md", "title: x", "project"),
        ("_project.md", "agent: dev", "dev"),
    ],
)
def test_whose_a_note_is(path: str, front: str, agent: str) -> None:
    (item,) = items_of(path, f"---\n{front}\n---\nText\n", MTIME)
    assert item.record["agent"] == agent


def test_an_edited_note_keeps_its_mark_of_a_text_file(tmp_path: Path) -> None:
    text = "\ufeff---\ntitle: x\n---\nOld\n"
    folder = make_vault(tmp_path / ".memory", {"_project.md": "", "a.md": text})
    (told,) = _open(folder).read(0).observations()
    with _open(folder).changing(0) as records:
        records.put(Location.ISSUE, to_record(told._replace(content="New")))
    assert texts(folder)["a.md"] == text.replace("Old", "New")


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("- [x] Mend #a", ["a", "done"]),
        ("- [x] Mend #done #a", ["done", "a"]),
        ("- [x] Mend", ["done"]),
        ("- [ ] Mend #a #b", ["a", "b"]),
        ("- [ ] Mend", None),
        (_entry("- [x] Mend #a", KEY), ["a", "done"]),
        (_entry("- [x] Mend\n- [ ] Mind", KEY), None),
        (_entry("Mend [x]", KEY), None),
        (_entry("- [x] Mend #in", KEY).replace("16:51", "16:51 · #b #a"), ["b", "a", "done"]),
    ],
)
def test_the_tags_of_a_task_are_its_own_and_whether_it_is_done(
    text: str, tags: list[str] | None
) -> None:
    (item,) = items_of("dev/tasks.md", f"{text}\n", MTIME)
    assert item.record.get("tags") == tags
    (other,) = items_of("dev/lessons.md", f"{text}\n", MTIME)
    told = [it for it in tags or () if it != "done" or "#done" in text]
    assert other.record.get("tags", []) == told


def test_a_file_without_a_time_is_of_the_millisecond_it_was_written(tmp_path: Path) -> None:
    folder = make_vault(tmp_path / ".memory", {"a.md": "A", "dev/lessons.md": "Free\n"})
    for path in folder.rglob("*.md"):
        os.utime(path, ns=(0, 1_772_000_000_123_999_999))
    times = {f"{it.timestamp:%FT%T.%f}" for it in _open(folder).read(0).observations()}
    assert times == {"2026-02-25T06:13:20.123000"}


def test_what_was_moved_into_the_archive_by_hand_is_a_change(tmp_path: Path) -> None:
    for path in ("dev/lessons.md", "dev/handoffs.md"):
        folder = make_vault(tmp_path / path / ".memory", {path: _entry("Said")})
        backend = _open(folder)
        before = backend.changes_since({}).stamps
        place = folder / ARCHIVE / path
        place.parent.mkdir(parents=True)
        (folder / path).rename(place)
        assert backend.changes_since(before).issues == {0}
        assert _said(folder) == {}
        assert _said(folder, Location.ARCHIVE) == {KEY: "Said"}


def test_recalls_of_all_that_is_changed_are_counted_once(tmp_path: Path) -> None:
    entries = {name: _entry(name, KEY[:-1] + name) for name in "123"}
    files = {"dev/lessons.md": f"{entries['1']}\n{entries['2']}"}
    files[f"{ARCHIVE}/dev/lessons.md"] = entries["3"]
    folder = make_vault(tmp_path / ".memory", files)
    backend = _open(folder)
    names = [KEY[:-1] + name for name in "123"]
    told = {"type": "recalled", "timestamp": "2026-03-20T00:00:00.000Z", "observationIds": names}
    with backend.locked():
        for _ in range(2):
            backend.append_activity(told)
    with backend.changing(0) as records:
        for location, name in ((Location.ISSUE, names[0]), (Location.ARCHIVE, names[2])):
            value = records.find(location, name)
            assert value is not None
            records.put(location, {**value, "pinned": True})
    counted = [it["counted"] for it in read_activity(backend)[0] if "counted" in it]
    assert counted == [dict.fromkeys(names, told["timestamp"])]
    read = backend.read(0)
    counts = [it.recall_count for location in Location for it in read.observations(location)]
    assert counts == [2, 2, 2]


def test_the_doctor_names_what_is_wrong_of_each_room_of_a_vault(tmp_path: Path) -> None:
    folder = make_vault(tmp_path / ".memory", {"dev/lessons.md": _entry("Said")})
    side = folder / SIDE
    with _open(folder).changing(0) as records:
        records.put(Location.ISSUE, record("a", agent="dev", issueNumber=0))
    (side / SUMMARY).parent.mkdir(parents=True, exist_ok=True)
    (side / SUMMARY).write_bytes(b"no summary\n")
    (side / "pending").mkdir(exist_ok=True)
    (side / "pending/vault.json").write_text("{")
    (folder / "odd.md").write_bytes(b"\xff")
    folder.chmod(0o777)
    facts = {(it.kind, it.path): it.moves for it in _open(folder).examine([], "now")}
    assert facts[("unreadable-file", "odd.md")] == ()
    aside = f"{SIDE}/quarantine/now-vault.json"
    pending = f"{SIDE}/pending/vault.json"
    assert facts[("unreadable-file", pending)] == ((pending, aside),)
    assert ("activity-log", SUMMARY) in facts
    assert {kind for kind, _ in facts} > {"unreadable-file", "activity-log"}
