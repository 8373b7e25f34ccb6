"""Where a session's texts end: digests, passages and checkpoints; the steps of taking in."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from store.agents.client import SessionFile
from store.records import InvalidRecord
from store.sessions import indexing
from store.sessions.checkpoint import (
    VALID,
    Checkpoint,
    Said,
    from_record,
    handoff_of,
    is_valid,
    messages_of,
    recovery_lines,
    to_record,
)
from store.sessions.digest import _in_namesake, _passages, fitting
from store.sessions.indexing import IndexReport, Run, in_steps, mark_of, unread
from store.sessions.model import MAX_BYTES, SessionDigest
from store.sessions.record import as_bytes
from store.sessions.search import is_named
from store.sessions.seen import FileMark, file_key
from tests.store.factories import NOW


def _texts(number: int, width: int) -> tuple[str, ...]:
    return tuple(f"{at:02d} {'word ' * width}"[: width * 5 - 1] for at in range(number))


def _full(width: int, **more: Any) -> SessionDigest:  # noqa: ANN401
    return SessionDigest(
        id="s",
        asked=_texts(20, width),
        changed={f"shop/changed{at:02d}.py": at for at in range(40)},
        created=tuple(f"shop/changed{at:02d}.py" for at in range(20)),
        read={f"shop/read{at:02d}.py": at for at in range(40)},
        failed=_texts(8, width),
        decided=_texts(8, width),
        last="last " * 3 * width,
        commits=_texts(8, width),
        memories=tuple(f"obs-{at:02d}" for at in range(40)),
        recalls=tuple(f"{at:016x}" for at in range(20)),
        path="/home/someone/.claude/projects/shop/" + "p" * 60,
        extra={"mine": "x" * 100},
    )._replace(**more)


def _outline(digest: SessionDigest) -> str:
    """How many values each field has left, and how long they are."""
    told = []
    for name, value in digest._asdict().items():
        if isinstance(value, str) and value:
            told.append(f"{name}={len(value)}")
        elif isinstance(value, tuple) and value:
            longest = max(map(len, value))
            told.append(f"{name}={len(value)}x{longest} {value[0][:2]}..{value[-1][-2:]}")
        elif isinstance(value, Mapping) and value:
            told.append(f"{name}={len(value)} ..{[*value][-1]}")
    return " ".join(told)


def test_what_a_digest_leaves_out_in_which_order(snapshot: SnapshotAssertion) -> None:
    shapes = {
        **{f"width {width}": _full(width) for width in (2, 6, 12, 24, 60)},
        "extra": _full(2, extra={"mine": "x" * 3_900}),
        "path": _full(2, path="p" * 3_950),
        "asked": SessionDigest(id="s", asked=_texts(60, 30)),
        "changed": SessionDigest(id="s", changed={"c" * 90 + str(at): at for at in range(60)}),
        "id": _full(2, id="i" * 4_000),
    }
    lines = []
    for name, digest in shapes.items():
        short = fitting(digest)
        lines += [f"{name}: {_outline(short)}"]
        assert name == "id" or len(as_bytes(short)) <= MAX_BYTES
    assert "\n".join(lines) == snapshot


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("", []),
        ("  \n ", []),
        (" a ", [1]),
        ("x" * 1_600, [1_600]),
        ("x" * 600 + " " + "z" * 999, [1_600]),
        ("x" * 1_601, [1_600, 1]),
        ("x" * 3_201, [1_600, 1_600, 1]),
        ("x" * 600 + "\n\n" + "x" * 1_200, [600, 1_200]),
        ("x" * 500 + "\n\n" + "y" * 400 + "\n" + "x" * 1_200, [902, 1_200]),
        ("x" * 500 + "\n\n" + "x" * 1_200, [1_600, 102]),
        ("x" * 600 + " " + "y" * 600 + " " + "z" * 600, [1_201, 600]),
        ("x" * 600 + "\n" + "y" * 600 + " " + "z" * 600, [600, 1_201]),
        ("x" * 533 + " " + "z" * 1_100, [1_600, 34]),
        ("x" * 534 + " " + "z" * 1_100, [534, 1_100]),
    ],
)
def test_a_long_text_is_cut_between_paragraphs_lines_or_words(
    text: str, lengths: list[int]
) -> None:
    found = _passages(text)
    assert [len(it) for it in found] == lengths
    assert "".join("".join(found).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("path", "folders", "found"),
    [
        ("/old/shop/a/b.py", ("/new/shop",), "a/b.py"),
        ("/old/shop/a/b.py", ("/new/shop/",), "a/b.py"),
        ("C:/old/shop/a.py", ("D:\\new\\shop",), "a.py"),
        ("/shop/shop/a.py", ("/new/shop",), "shop/a.py"),
        ("/old/till/a.py", ("/new/shop", "/new/till"), "a.py"),
        ("/old/workshop/a.py", ("/new/shop",), ""),
        ("/old/shop", ("/new/shop",), ""),
        ("/old/~/a.py", ("~",), ""),
        ("/old/../a.py", ("..",), ""),
        ("/old//a.py", ("/", ""), ""),
    ],
)
def test_a_path_in_a_folder_of_the_projects_name(
    path: str, folders: tuple[str, ...], found: str
) -> None:
    assert _in_namesake(path, folders) == found


@pytest.mark.parametrize(
    ("path", "is_so"),
    [
        ("shop/a.py", True),
        ("a.py", True),
        ("/A.PY/", True),
        ("p/a.py", False),
        ("hop/a.py", False),
        ("b.py", False),
        ("shop", False),
    ],
)
def test_a_file_is_named_by_the_end_of_its_path(path: str, is_so: bool) -> None:
    assert is_named(["other.py", "shop/a.py"], path) is is_so


def _file(name: str, size: int, seconds: float = 0) -> SessionFile:
    return SessionFile(Path("/sessions") / name, "claude", NOW + timedelta(seconds=seconds), size)


def test_files_are_taken_in_newest_first_and_again_where_they_changed() -> None:
    files = [_file("a", 5), _file("b", 5, 9), _file("c", 5, 9), _file("d", 6, 1)]
    known = {file_key(it.path): FileMark(*mark_of(it), "s") for it in files}
    assert unread(files, known) == []
    assert [it.path.name for it in unread(files, {})] == ["c", "b", "d", "a"]
    for changed in (files[0]._replace(size=6), _file("a", 5, 0.001)):
        assert unread([changed, *files[1:]], known) == [changed]


def test_steps_end_with_the_file_that_reaches_so_many_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(indexing, "STEP", 10)
    sizes = (4, 5, 1, 10, 11, 0, 9, 1, 3)
    steps = list(in_steps([_file("a", size) for size in sizes]))
    assert [[it.size for it in step] for step in steps] == [[4, 5, 1], [10], [11], [0, 9, 1], [3]]
    assert list(in_steps([])) == []
    assert [len(step) for step in in_steps([_file("a", 9), _file("a", 1)])] == [2]


def test_a_run_tells_how_far_it_is_and_what_came_of_it() -> None:
    told: list[tuple[int, int]] = []

    def ask(done: int, total: int) -> bool:
        told.append((done, total))
        return done < 2

    run = Run([_file(name, 1) for name in "abc"], ask)
    assert [run.goes_on() for _ in range(3)] == [True, True, False]
    assert (run.stopped, run.done) == (True, 2)
    run.left.append("b can't be read.")
    assert run.ended(5) == IndexReport(1, 2, ("b can't be read.",), True)
    assert told == [(0, 3), (1, 3), (2, 3), (2, 3)]
    whole = Run([_file("a", 1)], None)
    assert whole.goes_on()
    assert whole.ended(1) == IndexReport(1, 0, (), False)
    assert not whole.stopped
    told.clear()
    assert Run([], ask).ended(4) == IndexReport(0, 4, (), False)
    assert told == []


WHOLE: dict[str, Any] = {
    "agentId": "qa",
    "savedAt": 1_772_366_400_000,
    "messages": [{"role": "Human", "text": "Mend it"}, {"role": "tool", "content": "Done"}],
    "chatId": "s",
    "modelId": "m",
    "branch": "main",
    "open": ["tests"],
    "ended": True,
    "owner": 7,
    "theirs": [1],
}


def test_a_checkpoint_comes_back_as_it_was() -> None:
    found = from_record(WHOLE)
    assert found == Checkpoint(
        "qa",
        datetime(2026, 3, 1, 12, 0, tzinfo=UTC),
        (Said("user", "Mend it"), Said("agent", "Done")),
        "s",
        "m",
        "main",
        ("tests",),
        True,
        7,
        {"theirs": [1]},
    )
    messages = [{"role": "user", "text": "Mend it"}, {"role": "agent", "text": "Done"}]
    assert to_record(found) == {**WHOLE, "messages": messages}
    bare = Checkpoint("qa", found.saved_at, extra={"agentId": "other"})
    assert to_record(bare) == {"agentId": "qa", "savedAt": WHOLE["savedAt"], "messages": []}
    assert from_record(to_record(bare)) == bare._replace(extra={})


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("agentId", None, "not a checkpoint: agent or messages are missing"),
        ("messages", "none", "not a checkpoint: agent or messages are missing"),
        ("savedAt", None, "not a checkpoint: it has no time"),
        ("savedAt", "soon", "not a checkpoint: it has no time"),
        ("savedAt", 10**30, "not a checkpoint: it has no time"),
        ("savedAt", float("inf"), "not a checkpoint: it has no time"),
        ("savedAt", float("nan"), "not a checkpoint: it has no time"),
    ],
)
def test_what_is_no_checkpoint_is_said(key: str, value: object, said: str) -> None:
    with pytest.raises(InvalidRecord, match=f"^{said}$"):
        from_record({**WHOLE, key: value})
    with pytest.raises(InvalidRecord, match=r"^not a checkpoint$"):
        from_record([WHOLE])


@pytest.mark.parametrize(
    ("owner", "found"),
    [(1, 1), (2**31 - 1, 2**31 - 1), (2**31, 0), (0, 0), (-1, 0), (True, 0), ("7", 0), (7.0, 0)],
)
def test_only_what_can_be_a_process_is_one(owner: object, found: int) -> None:
    assert from_record({**WHOLE, "owner": owner}).owner == found


@pytest.mark.parametrize(("key", "empty"), [("chatId", ""), ("modelId", ""), ("branch", "")])
def test_what_is_no_text_is_none(key: str, empty: str) -> None:
    found = from_record({**WHOLE, "ended": 1, "open": "tests", key: 7, "messages": [7, {}]})
    assert (found.ended, found.left_open) == (False, ())
    assert found.messages == (Said("agent", ""),)
    names = {"chatId": "chat_id", "modelId": "model_id", "branch": "branch"}
    assert getattr(found, names[key]) == empty
    assert from_record({**WHOLE, "open": ["a", 7]}).left_open == ("a",)


def test_a_checkpoint_is_good_for_seven_days_either_way() -> None:
    checkpoint = Checkpoint("qa", NOW)
    second = timedelta(seconds=1)
    asked = [NOW + VALID, NOW + VALID + second, NOW - VALID, NOW - VALID - second]
    assert [is_valid(checkpoint, it) for it in asked] == [True, False, True, False]


def test_the_last_messages_are_kept_shortened_in_their_middle() -> None:
    given: list[Said | dict[str, object]] = [
        {"role": "user", "text": "hidden", "internal": True},
        {"role": "user", "text": "shown", "internal": 1},
        {"role": "user", "text": "  "},
        Said("agent", "x" * 4_000),
        Said("agent", "a" * 2_000 + "b" + "c" * 2_000),
    ]
    found = messages_of(given)
    assert [it.text[:5] for it in found] == ["shown", "xxxxx", "aaaaa"]
    assert found[1].text == "x" * 4_000
    assert found[2].text == "a" * 2_000 + "\n…\n" + "c" * 2_000
    many = [Said("user", f"message {at}") for at in range(51)]
    assert messages_of(many) == tuple(many[1:])


def test_what_the_next_session_is_told(snapshot: SnapshotAssertion) -> None:
    said = tuple(Said("user" if at % 2 else "agent", f"{at} " + "word " * 80) for at in range(8))
    checkpoint = Checkpoint("qa", NOW, said, left_open=("tests",) * 2 + ("more " * 80, "never"))
    lines = [*recovery_lines(checkpoint), "---", handoff_of(said)]
    assert "\n".join(lines) == snapshot
    assert recovery_lines(checkpoint._replace(messages=())) == ()
    assert len(recovery_lines(checkpoint._replace(messages=said[:2], left_open=()))) == 3
