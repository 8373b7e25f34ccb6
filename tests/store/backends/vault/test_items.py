"""What the names and texts of a vault's files say, step by step: no disk."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from store.backends.vault.cells import Cell, PieceChange, cells_of, change_of, changed, insert
from store.backends.vault.flat import category_of, flat_files, sections_of
from store.backends.vault.items import Item, is_note, items_of, ms_of, note_item, time_of
from store.backends.vault.layout import (
    agent_of,
    category_named,
    file_of,
    is_note_path,
    location_of_file,
    owner,
)
from store.backends.vault.markdown import Entry, Kind, parse, render, split, tags_in
from store.backends.vault.properties import read_properties
from store.model import Location
from tests.store.factories import NOW

MTIME = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def _kinds(text: str, *, tasks: bool = False) -> list[tuple[str, str]]:
    return [(str(it.kind), it.text.strip()) for it in split(text, tasks=tasks)]


def _one(path: str, text: str) -> Item:
    (item,) = items_of(path, text, MTIME)
    return item


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("dev/decisions.md", ("dev", "decision")),
        (".vault/archive/dev/lessons.md", ("dev", "lesson")),
        ("dev/Key Facts.md", ("dev", "key-fact")),
        ("Ünal Ö/lições.md", ("Unal-O", "licoes")),
        ("dev/2026.md", ("dev", "key-fact")),
        ("dev/_private.md", None),
        ("dev/sub/decisions.md", None),
        ("decisions.md", None),
        ("dev/decisions.txt", None),
    ],
)
def test_whose_a_file_is(path: str, told: tuple[str, str] | None) -> None:
    assert owner(path) == told


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


def test_which_file_takes_an_entry() -> None:
    assert file_of("dev", "decision") == "dev/decisions.md"
    assert file_of("dev", "decision", Location.ARCHIVE) == ".vault/archive/dev/decisions.md"
    assert file_of("dev", "new thing") == "dev/new-thing.md"
    assert file_of("Conversations", "error") == "Conversations-agent/errors.md"
    assert file_of("../..", "../x") == "agent/x.md"
    assert file_of("a" * 99, "b" * 99) == f"{'a' * 60}/{'b' * 60}.md"
    assert file_of("dev", "...") == "dev/memories.md"
    assert location_of_file(".vault/archive/a.md") is Location.ARCHIVE
    assert location_of_file("vault/archive/a.md") is Location.ISSUE
    assert agent_of("ü/ñ") == "u-n"
    assert agent_of("¿") == "agent"
    assert [category_named(it) for it in (" Lessons ", "error", "Key-Facts", "x")] == [
        "lesson",
        "error",
        "key-fact",
        None,
    ]


def test_which_files_are_one_memory() -> None:
    assert is_note("note.md", "<!-- id:1 -->\n")
    assert is_note("dev/plan.md", "# Plan\n")
    assert not is_note("dev/plan.md", "# Plan\n\n<!-- id:12 -->\n")
    assert is_note("dev/plan.md", "Say <!-- id:12 --> so\n")
    assert not is_note("dev/decisions.md", "")


def test_what_stands_between_entries_is_cut_where_another_begins() -> None:
    text = "# T\n\nfree\nmore\n## A\ntext\n\n---\n## B\nb\n<!-- id:1 -->\nentry\n\n---\nafter\n"
    assert _kinds(text) == [
        ("filler", "# T"),
        ("section", "free\nmore"),
        ("section", "## A\ntext\n\n---"),
        ("section", "## B\nb"),
        ("entry", "<!-- id:1 -->\nentry\n\n---"),
        ("section", "after"),
    ]


def test_a_rule_ends_an_entry_only_after_a_blank_line() -> None:
    text = "<!-- id:1 -->\ntitle\n---\n## In it\nstill\n\n---\n## After it\n"
    assert _kinds(text)[1] == ("section", "## After it")
    assert _kinds("---\nfree\n")[0][0] == "filler"


def test_each_box_of_a_list_of_tasks_is_one_with_what_is_indented_below() -> None:
    text = "- [ ] one\n  more\n- [x] two\nfree\n"
    assert _kinds(text, tasks=True) == [
        ("box", "- [ ] one\n  more"),
        ("box", "- [x] two"),
        ("section", "free"),
    ]
    assert _kinds(text) == [("section", text.strip())]


def test_comments_and_rules_alone_say_nothing() -> None:
    assert [kind for kind, _ in _kinds("<!-- a note -->\n\n----\n")] == ["filler"]
    assert _kinds("\ufefffree\n") == [("filler", "\ufeff"), ("section", "free")]
    front = "---\na: b\n---\nfree\n"
    assert _kinds(front) == [("filler", "---\na: b\n---"), ("section", "free")]


@pytest.mark.parametrize(
    ("heading", "time", "tags", "content"),
    [
        ("## 2026-03-16T16:51 · #a #b-c", "2026-03-16T16:51", ("a", "b-c"), "text"),
        ("## 2026-03-16", "2026-03-16", (), "text"),
        ("## 2026-03-16 Chosen · #a", "2026-03-16", ("a",), "Chosen\n\ntext"),
        ("## 2026-03-16T16:51:30.5Z #a #a", "2026-03-16T16:51:30.5Z", ("a",), "text"),
        ("## 2026-03-161", "", (), "## 2026-03-161\ntext"),
        ("## Chosen #a", "", ("a",), "## Chosen #a\ntext"),
    ],
)
def test_what_a_heading_says(heading: str, time: str, tags: tuple[str, ...], content: str) -> None:
    (piece,) = split(f"<!-- id:007 -->\n{heading}\ntext\n\n---\n")
    assert parse(piece) == Entry("7", time, tags, content)


def test_the_blank_lines_and_the_rule_around_a_text_are_not_said() -> None:
    (piece,) = split("<!-- id:1 -->\n\n## 2026-03-16\n\n\n text\n\n\n---\n\n")
    assert parse(piece).content == " text"
    (only,) = split("<!-- id:1 -->\n## 2026-03-16\n---\n")
    assert parse(only).content == "2026-03-16"
    (title,) = split("<!-- id:1 -->\ntext\n---\n")
    assert parse(title).content == "text\n---"


@pytest.mark.parametrize(
    ("text", "is_done", "content"),
    [
        ("- [x] one", True, "one"),
        ("* [X] one\n  more", True, "one\n  more"),
        ("- [ ] one", False, "one"),
        ("- [x] one\n- [ ] two", False, "- [x] one\n- [ ] two"),
        ("- [x] one\n- [x] two", True, "- [x] one\n- [x] two"),
        ("one", False, "one"),
    ],
)
def test_whether_a_task_is_done(text: str, is_done: bool, content: str) -> None:
    (piece,) = split(f"<!-- id:1 -->\n\n{text}\n\n---\n")
    found = parse(piece, is_task=True)
    assert (found.is_done, found.content) == (is_done, content)
    assert not parse(piece).is_done


def test_what_is_written_is_read_as_it_was() -> None:
    text = "One\n---\n<!-- id:5 -->\n\\---\n- [ ] #not-a-task"
    (piece,) = split(render(Entry("1", "2026-03-16T16:51", ("a b", "#c", " "), text)))
    assert parse(piece) == Entry("1", "2026-03-16T16:51", ("a-b", "c"), text)
    rendered = render(Entry("1", "", (), "a\0b\r\nc\rd", True), is_task=True)
    assert "- [x] a\ufffdb\nc\nd" in rendered
    assert "- [ ] a" in render(Entry("1", "", (), "a"), is_task=True)
    assert render(Entry("1", "", (), "- [x] a\n- [ ] b"), is_task=True).count("- [") == 2
    assert tags_in("#a #29 x#b /#c &#d; #e_1 #a") == ("a", "e_1")


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


def test_what_a_note_says_of_itself() -> None:
    front = "---\ntype: lessons\nagent: Dev Ü\ntags: a, #b c\ndate: 2026-01-02\n---\n"
    item = _one("sub/Rules of locks.md", f"{front}\n# Head\n\nText #d\n")
    assert item.kind is None
    told = {key: item.record[key] for key in ("agent", "category", "tags", "summary", "timestamp")}
    assert told == {
        "agent": "Dev-U",
        "category": "lesson",
        "tags": ["a", "b", "c", "d"],
        "summary": "Rules of locks",
        "timestamp": "2026-01-02T00:00:00.000Z",
    }
    assert item.record["content"] == "# Head\n\nText #d"
    assert item.is_dated
    assert item.record["properties"]["type"] == "lessons"
    plain = _one("a.md", "Text\n")
    assert (plain.record["agent"], plain.record["category"]) == ("notes", "key-fact")
    assert not plain.is_dated
    assert plain.record["timestamp"] == "2026-03-01T12:00:00.000Z"
    assert "properties" not in plain.record
    assert plain.key != _one("b.md", "Text\n").key
    assert plain.key == _one(".vault/archive/a.md", "Text\n").key
    assert note_item("a.md", "---\na: b\n---\n\n", MTIME) is None
    assert _one("2026-01-15.md", "x").record["timestamp"].startswith("2026-01-15")
    assert _one("dev/errors-of-mine.md", "x").record["agent"] == "notes"


def test_a_section_without_a_mark_is_known_by_its_first_line() -> None:
    first = _one("dev/lessons.md", "One\nmore\n")
    assert first.key == _one("dev/lessons.md", "One\nother\n").key
    assert first.key != _one("dev/lessons.md", "Two\nmore\n").key
    assert first.key.startswith("note-")
    done = _one("dev/tasks.md", "- [x] one #done\n")
    assert done.record["tags"] == ["done"]
    assert _one("dev/tasks.md", "- [x] one\n").record["tags"] == ["done"]
    assert "tags" not in _one("dev/lessons.md", "- [x] one\n").record


def test_properties_are_texts_and_lists_of_texts() -> None:
    front = (
        '---\na: "x y"\nb: [p, \'q\' , ]\nc:\n  - one\n  - "two"\nd: [[Link]]\n'
        "e: '\nf:\nnot one\n- gone\ng: 1: 2\n---\n"
    )
    assert read_properties(front) == {
        "a": "x y",
        "b": ["p", "q"],
        "c": ["one", "two"],
        "d": "[[Link]]",
        "e": "'",
        "g": "1: 2",
    }
    many = "---\n" + "".join(f"k{number}: v\n" for number in range(250)) + "---\n"
    assert len(read_properties(many)) == 200


def _texts(*cells: str) -> list[Cell]:
    return [Cell(text, is_filler=text.startswith("#")) for text in cells]


@pytest.mark.parametrize(("key", "at"), [(9, 1), (5, 3), (4, 3), (3, 4), (8, 2), (7, 2), (1, 4)])
def test_an_entry_goes_before_the_first_that_is_older(key: int, at: int) -> None:
    cells = _texts("# T\n\n", *(f"<!-- id:{it} -->\nx\n\n---\n\n" for it in (8, 5, 3)))
    assert cells[1].key == 8
    insert(cells, key, f"<!-- id:{key} -->\nnew\n")
    assert [it.text.startswith(f"<!-- id:{key} -->\nnew") for it in cells].index(True) == at


def test_blank_lines_part_a_new_entry_from_what_is_around_it() -> None:
    cells = _texts("<!-- id:9 -->\nx\n\n---")
    insert(cells, 5, "new\n")
    assert [it.text for it in cells] == ["<!-- id:9 -->\nx\n\n---\n\n", "new\n"]
    cells = _texts("<!-- id:9 -->\nx\n", "<!-- id:1 -->\ny\n")
    insert(cells, 5, "new\n")
    assert [it.text for it in cells][:2] == ["<!-- id:9 -->\nx\n", "new\n\n"]
    cells = _texts("# T\n", "free\n")
    insert(cells, 5, "new\n")
    assert [it.text for it in cells] == ["# T\n", "new\n\n", "free\n"]
    cells = _texts("<!-- id:9 -->\nx\n", "# What a person wrote below\n")
    insert(cells, 5, "new\n")
    assert [it.text.strip() for it in cells][1:] == ["new", "# What a person wrote below"]
    cells = cells_of("dev/lessons.md", "")
    insert(cells, 5, "new\n")
    assert "".join(it.text for it in cells) == "new\n"


def test_of_a_change_only_its_pieces_are_made() -> None:
    path, one, two = "dev/lessons.md", "<!-- id:2 -->\none\n\n---\n", "<!-- id:1 -->\ntwo\n\n---\n"
    change = change_of(path, f"{one}\n{two}", f"# T\n\n{two}")
    assert change == PieceChange((one.strip("\n"),), ())
    assert changed(path, f"Mine\n\n{one}\n{two}", change).startswith("Mine\n\n")
    assert "one" not in changed(path, f"Mine\n\n{one}\n{two}", change)
    edited = one.replace("one", "uno")
    assert changed(path, f"{edited}\n{two}", change) == f"{edited}\n{two}"
    twice = changed(path, f"{one}\n{one}", change)
    assert twice.count("one") == 1
    back = change_of(path, two, f"{one}\n{two}")
    assert changed(path, f"{one}\n{two}", back).count("one") == 1
    assert changed(path, "", back).count("one") == 1


def test_the_sections_of_a_flat_file() -> None:
    text = "\ufeff# Dev\n\nBefore\r\n\r\n## Decisões técnicas ##\nA\n\n## Other\nB\n## Tasks\n\n"
    assert [(str(it.category), it.content) for it in sections_of(text)] == [
        ("lesson", "Before"),
        ("decision", "A"),
        ("lesson", "Other\n\nB"),
    ]
    assert [category_of(it) for it in ("LICOES", "decisionz", "", "Weather")] == [
        "lesson",
        "decision",
        None,
        None,
    ]
    paths = ["dev.md", "a/b.md", "README.md", "_project.md", ".x.md", "b.txt", "a.md"]
    assert flat_files(paths) == ["a.md", "dev.md"]


def test_a_kind_of_piece_is_said_by_its_name() -> None:
    assert [str(it) for it in Kind] == ["entry", "section", "box", "filler"]


@pytest.mark.parametrize(
    ("path", "text", "is_dated"),
    [
        ("dev/lessons.md", "<!-- id:1773679871839 -->\n## 2026-03-16T16:51\n\nOne\n\n---\n", True),
        ("dev/lessons.md", "<!-- id:own -->\n## Without a time\n\nOne\n\n---\n", False),
        ("2026-03-16.md", "One\n", True),
        ("Lock.md", "---\ndate: 2026-03-16\n---\nOne\n", True),
        ("Lock.md", "One\n", False),
    ],
)
def test_a_memory_is_dated_where_its_time_stands_in_the_text(
    path: str, text: str, is_dated: bool
) -> None:
    (item,) = items_of(path, text, NOW)
    assert item.is_dated is is_dated


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("[a, 'b', ]", ["a", "b"]),
        ("[a, b", "[a, b"),
        ('["auth, login", api]', ["auth, login", "api"]),
        ('"a # b" # c', "a # b"),
        ("|\n  two\n  lines", "two\nlines"),
        ("012", "012"),
        ("Lock: timed out", "Lock: timed out"),
        ("[" * 5_000, "[" * 5_000),
        ("&a [*a]", "&a [*a]"),
        ("{a: b}", "{a: b}"),
        ("!!python/object/apply:os.system [x]", ["x"]),
        ("[[a]]", "[[a]]"),
        ("'[a]'", "[a]"),
        ("", None),
        ("[]", None),
    ],
)
def test_what_a_property_says(value: str, read: str | list[str] | None) -> None:
    found = read_properties(f"---\nx: {value}\n---\n")
    assert found == ({} if read is None else {"x": read})


def test_a_title_within_a_section_is_part_of_it() -> None:
    found = [it.content for it in sections_of("# Of all\n\nOne.\n# Two\nThree.\n")]
    assert found == ["One.\n# Two\nThree."]
