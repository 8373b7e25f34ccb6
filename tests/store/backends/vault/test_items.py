"""How entries lie in the files of a vault, and what a change does to them."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.backends.vault.backend import VaultBackend
from store.backends.vault.items import ms_of, note_item, time_of
from store.backends.vault.layout import is_note_path, is_vault
from store.backends.vault.markdown import Entry, Kind, parse, render, split
from store.model import Location
from tests.store.backends.vault.vaults import make_vault
from tests.store.factories import NOW, record

MTIME = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("dev/decisions.md", True),
        ("note.md", True),
        ("a/b/c.md", True),
        ("conversations/a.md", False),
        ("a/conversations/b.md", True),
        ("node_modules/x.md", False),
        (".obsidian/a.md", False),
        ("a/.hidden/b.md", False),
        ("a//b.md", False),
        ("/etc/a.md", False),
        ("a/../b.md", False),
        ("a\0.md", False),
        ("a.txt", False),
        (f"{'a' * 996}.md", True),
        (f"{'a' * 997}.md", False),
    ],
)
def test_where_a_memory_may_stand(path: str, is_one: bool) -> None:
    assert is_note_path(path) is is_one


def test_when_an_entry_was_made() -> None:
    exact = datetime(2026, 3, 16, 16, 51, 11, 839000, tzinfo=UTC)
    key = str(ms_of(exact))
    assert time_of(Entry(key, "2026-03-16T16:51", (), "")) == exact
    assert time_of(Entry(key, "", (), "")) == exact
    told = time_of(Entry(key, "2026-03-17T16:51", (), ""))
    assert told == datetime(2026, 3, 17, 16, 51, tzinfo=UTC)
    seconds = time_of(Entry(key, "2026-03-16T16:51:30", (), ""))
    assert seconds is not None
    assert seconds.second == 30
    assert time_of(Entry("17", "", (), "")) is None
    assert time_of(Entry("99999999999", "", (), "")) is None
    assert time_of(Entry("100000000000", "", (), "")) is not None
    assert time_of(Entry("9" * 18, "2026-13-99", (), "")) is None
    assert ms_of(datetime(1960, 1, 1, tzinfo=UTC)) == 1


@pytest.mark.parametrize(
    ("front", "category"),
    [
        ("name: retries\ndescription: Three\nmetadata:\n  type: feedback", "lesson"),
        ("name: retries\ndescription: Three\ntype: feedback", "lesson"),
        ("name: retries\nmetadata:\n  type: project", "project"),
        ("name: retries\nmetadata:\n  type: user", "key-fact"),
        ("category: error\nmetadata:\n  type: feedback", "error"),
    ],
)
def test_a_note_that_an_agents_client_keeps_has_the_category_of_its_type(
    front: str, category: str
) -> None:
    item = note_item("retries.md", f"---\n{front}\n---\nNever more than three.\n", MTIME)
    assert item is not None and item.value["category"] == category


def test_a_list_of_the_notes_beside_it_is_no_memory() -> None:
    index = "# Index\n\n- [Retries](retries.md) — three at most\n"
    assert note_item("memory/MEMORY.md", index, MTIME) is None
    assert note_item("memory/MEMORY.md", f"{index}\nWe keep it short.\n", MTIME) is not None
    assert note_item("memory/Links.md", index, MTIME) is not None


# Names and places of a vault's files, by tables.


SHORT = "<!-- id:1773679871839 -->\n## 2026-03-16T16:51\n\nSaid\n\n---\n"


@pytest.mark.parametrize(
    ("name", "files", "is_so"),
    [
        (".memory", {}, True),
        (".memory", {"a.md": ""}, True),
        (".memory", {"conversations/x.json": ""}, True),
        (".memory", {"a.txt": ""}, False),
        (".memory", {"dev/decisions.md": ""}, True),
        (".memory", {"dev/custom.md": ""}, False),
        ("notes", {}, False),
        ("notes", {"a.md": ""}, False),
        ("notes", {".obsidian/app.json": ""}, True),
        ("notes", {"_project.md": ""}, True),
        ("notes", {".vault/x": ""}, True),
        ("notes", {"dev/decisions.md": ""}, False),
        ("notes", {"dev/decisions.md": SHORT}, True),
        ("notes", {"dev/tasks.md": f"# Tasks\n\n{SHORT}"}, True),
        ("notes", {"dev/tasks.md": f"{'x' * 399}\n{SHORT}"}, False),
        ("notes", {"dev/key-facts.md": SHORT}, False),
        ("notes", {".dev/decisions.md": SHORT}, False),
        ("notes", {"dev/decisions.md/x": SHORT}, False),
    ],
)
def test_what_a_vault_is_told_by(
    tmp_path: Path, name: str, files: dict[str, str], is_so: bool
) -> None:
    (tmp_path / name).mkdir()
    for path, text in files.items():
        (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name / path).write_text(text)
    assert is_vault(tmp_path / name) is is_so


# A vault's Markdown: any text is cut and joined to the same text, entries say what they hold.


ENTRY = """\
<!-- id:1773679871839 -->
## 2026-03-16T16:51 · #react #typescript #components

Free-form memory content in markdown.

- one
- two

---
"""
LINES = st.sampled_from(
    ["", " ", "---", "<!-- id:1773679871839 -->", "<!-- id:17 -->  ", "<!-- a note -->",
     "## 2026-03-16T16:51 · #a #b-c", "## 2026-03-16T16:51", "## Anything", "# Decisions",
     "- [ ] Do it", "- [x] Done", "  more of it", "Free text with #tag", "\\---", "```",
     "key: value\r", "\u2028\x0c"]
)  # fmt: skip


@given(lines=st.lists(LINES, max_size=25), end=st.sampled_from(["", "\n"]), tasks=st.booleans())
def test_the_pieces_of_any_text_are_that_text(lines: list[str], end: str, tasks: bool) -> None:
    text = "\n".join(lines) + end
    assert "".join(piece.text for piece in split(text, tasks=tasks)) == text


@given(lines=st.lists(LINES.map(str.rstrip), min_size=1, max_size=8))
def test_lines_that_look_like_marks_and_rules_are_content(lines: list[str]) -> None:
    content = "\n".join(lines).replace("\r", "").strip()
    if not content:
        return
    pieces = split(render(Entry("17", "2026-03-16T16:51", ("a",), content)) + "\n" + ENTRY)
    assert [piece.kind for piece in pieces] == [Kind.ENTRY, Kind.ENTRY]
    if not {"\u2028", "\x0c"} & set(content):
        assert parse(pieces[0]).content == content


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("# Decisions\n\n" + ENTRY, [Kind.FILLER, Kind.ENTRY]),
        (ENTRY + "\nBy hand.\n", [Kind.ENTRY, Kind.SECTION]),
        ("One\n\n## Two\ntext\n", [Kind.SECTION, Kind.SECTION]),
        (ENTRY.replace("\n\n---", "") + ENTRY, [Kind.ENTRY, Kind.ENTRY]),
        ("---\ntitle: x\n---\n<!-- only said -->\n", [Kind.FILLER, Kind.FILLER]),
        (ENTRY.replace("- one", "---\n- one"), [Kind.ENTRY, Kind.SECTION]),
    ],
)
def test_what_stands_between_entries_is_a_piece_too(text: str, kinds: list[Kind]) -> None:
    assert [piece.kind for piece in split(text)] == kinds


# The files of a vault after a change of each kind of memory, and the same record read back.


ISSUE, ARCHIVE = Location.ISSUE, Location.ARCHIVE
ONE = "<!-- id:1773679871839 -->\n## 2026-03-16T16:51 · #a\n\nOne\n\n---\n"
TWO = "<!-- id:1773679871000 -->\n## 2026-03-16T16:51\n\nTwo\n\n---\n"
ONCE = "<!-- id:1773679871839 -->\n## 2026-03-16T16:51\n\nOnce\n\n---\n"
FILES = {
    "dev/decisions.md": f"# Ours\n\n{ONE}\n{TWO}",
    "dev/tasks.md": "- [ ] Mend\n- [x] Done\n",
    "dev/custom.md": "A note where entries would go\n",
    "notes/Plan.md": "---\ntags: x\n---\nThe plan\n",
    ".vault/archive/notes/Plan.md": "The old plan\n",
    ".vault/archive/dev/decisions.md": ONCE,
}
TIME = "2026-03-16T16:51:11.839Z"


def _changed(
    folder: Path, *changes: tuple[Location, str, dict[str, Any] | None]
) -> dict[str, str | None]:
    """The files that differ once memories, known by what they say, have new fields.

    None moves one to the other location; what no memory says is a new one.
    """
    make_vault(folder, FILES)
    for path in folder.rglob("*.md"):
        os.utime(path, (1_772_000_000, 1_772_000_000))
    backend = VaultBackend(folder, lambda: NOW)
    wanted = []
    with backend.changing(0) as records:
        parts = [(Location(name), part.values()) for name, part in records.parts.items()]
        held = {(place, it["content"]): it for place, values in parts for it in values}
        for location, said, fields in changes:
            new = record("new", agent="dev", issueNumber=0, content=said)
            value = held.get((location, said), new)
            target = (ISSUE, ARCHIVE)[location is ISSUE] if fields is None else location
            wanted.append((target, {**value, **(fields or {})}))
            records.drop(location, value["id"])
        for target, value in wanted:
            records.append(target, value)
    read = VaultBackend(folder, lambda: NOW).read(0)
    for target, value in wanted:
        assert read.find(target, value["id"]) == value
    files = {it.relative_to(folder).as_posix(): it.read_text() for it in folder.rglob("*.md")}
    return {
        path: files.get(path) for path in {**FILES, **files} if files.get(path) != FILES.get(path)
    }


def _entry(key: int, heading: str, said: str) -> str:
    return f"<!-- id:{key} -->\n## {heading}\n\n{said}\n\n---\n"


OURS, DATED = "# Ours\n\n", "2026-02-25T06:13"
LATER = "2026-03-16T16:51"
DONE = "- [x] Done\n"
PLAN = FILES["notes/Plan.md"]


@pytest.mark.parametrize(
    ("changes", "files"),
    [
        (
            [(ISSUE, "One", {"content": "Said anew\n\n---\n\n- [ ] and more"})],
            {
                "dev/decisions.md": FILES["dev/decisions.md"].replace(
                    "\nOne\n", "\nSaid anew\n\n\\---\n\n- [ ] and more\n"
                )
            },
        ),
        ([(ISSUE, "One", {"timestamp": "2026-03-16T16:51:12.000Z"})], {}),
        ([(ISSUE, "One", {"pinned": True, "extra": 7})], {}),
        (
            [(ISSUE, "One", None), (ARCHIVE, "Once", None)],
            {"dev/decisions.md": f"{OURS}{ONCE}\n{TWO}", ".vault/archive/dev/decisions.md": ONE},
        ),
        (
            [(ISSUE, "Mend", {"tags": ["done", "c d"]})],
            {"dev/tasks.md": _entry(1772000000000, f"{DATED} · #c-d", "- [x] Mend") + DONE},
        ),
        (
            [(ISSUE, "Mend", {"category": "custom"})],
            {"dev/tasks.md": DONE, "dev/custom-memories.md": _entry(1772000000000, DATED, "Mend")},
        ),
        (
            [(ISSUE, "Mend", {"agent": "Ünal"})],
            {"dev/tasks.md": DONE, "Ünal/tasks.md": _entry(1772000000000, DATED, "- [ ] Mend")},
        ),
        (
            [(ISSUE, "Mend", None)],
            {
                "dev/tasks.md": DONE,
                ".vault/archive/dev/tasks.md": _entry(1772000000000, DATED, "- [ ] Mend"),
            },
        ),
        (
            [(ISSUE, "The plan", {"content": "Said anew\n\n---"})],
            {"notes/Plan.md": "---\ntags: x\n---\nSaid anew\n\n---\n"},
        ),
        (
            [(ISSUE, "The plan", {"id": "obs-1"})],
            {
                "notes/Plan.md": None,
                "notes/key-facts.md": _entry(1772000000000, f"{DATED} · #x", "The plan"),
            },
        ),
        (
            [(ISSUE, "The plan", None)],
            {"notes/Plan.md": None, ".vault/archive/notes/Plan-2.md": PLAN},
        ),
        (
            [(ISSUE, "The plan", None), (ARCHIVE, "The old plan", None)],
            {
                "notes/Plan.md": None,
                "notes/Plan-2.md": "The old plan\n",
                ".vault/archive/notes/Plan.md": None,
                ".vault/archive/notes/Plan-2.md": PLAN,
            },
        ),
        (
            [(ISSUE, "New", {"timestamp": TIME}), (ISSUE, "Newer", {"id": "n", "timestamp": TIME})],
            {
                "dev/decisions.md": f"{OURS}{_entry(1773679871841, LATER, 'Newer')}\n"
                f"{_entry(1773679871840, LATER, 'New')}\n{ONE}\n{TWO}"
            },
        ),
        (
            [(ISSUE, "New", {"timestamp": "2020-01-01T00:00:00.000Z"})],
            {
                "dev/decisions.md": f"{OURS}{ONE}\n{TWO}\n"
                f"{_entry(1577836800000, '2020-01-01T00:00', 'New')}"
            },
        ),
        (
            [(ISSUE, "New", {"category": "custom"})],
            {"dev/custom-memories.md": _entry(1772186400000, "2026-02-27T10:00", "New")},
        ),
        (
            [(ARCHIVE, "New", {"agent": "../zoe"})],
            {".vault/archive/zoe/decisions.md": _entry(1772186400000, "2026-02-27T10:00", "New")},
        ),
    ],
)
def test_the_files_of_a_change(
    tmp_path: Path,
    changes: list[tuple[Location, str, dict[str, Any] | None]],
    files: dict[str, str | None],
) -> None:
    assert _changed(tmp_path, *changes) == files
