"""A session file is read whole, or from its end as far as its last messages need."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.errors import Unreadable
from store.sessions import session_file
from store.sessions.session_file import read_end, read_file
from tests.store.capture.transcripts import ClaudeCode
from tests.store.repositories import repository


def _write(path: Path, messages: int, session: str = "s", cwd: str = "/gone") -> Path:
    made = ClaudeCode(session=session, cwd=cwd)
    for number in range(messages):
        made.user(f"Message {number}")
    path.write_text("\n".join(made.lines) + "\n")
    return path


def test_a_session_knows_its_project_and_one_without_an_id_is_named_by_its_file(
    tmp_path: Path,
) -> None:
    root = repository(tmp_path / "project").root
    path = _write(tmp_path / "named.jsonl", 2, session="", cwd=str(root / "sub"))
    (root / "sub").mkdir()
    read = read_file(path)
    assert read.session.id == "named"
    assert set(read.roots) == {str(root)}
    gone = _write(tmp_path / "gone.jsonl", 1, session="s", cwd="")
    assert (read_file(gone).session.id, read_file(gone).roots) == ("s", ())


def test_a_session_of_a_worktree_is_of_the_main_checkout_too(tmp_path: Path) -> None:
    git = repository(tmp_path / "main").commit("Begin")
    git("worktree", "add", "-q", "-b", "tree", str(tmp_path / "tree"))
    path = _write(tmp_path / "s.jsonl", 1, cwd=str(tmp_path / "tree"))
    assert read_file(path).roots == (str(tmp_path / "tree"), str(tmp_path / "main"))


def test_what_can_not_be_read_is_said_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=r"gone\.jsonl can't be read: No such file"):
        read_file(tmp_path / "gone.jsonl")


def test_progress_is_told_by_the_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _write(tmp_path / "s.jsonl", 10)
    total = path.stat().st_size
    monkeypatch.setattr(session_file, "_STEP", total // 3)
    told: list[tuple[int, int]] = []
    assert len(read_file(path, lambda *it: told.append(it)).session.said) == 10
    assert told[0] == (0, total)
    assert 3 <= len(told) <= 4
    assert {of for _, of in told} == {total}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[1][0] >= total // 3


def test_the_end_is_read_first_and_more_where_it_has_too_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _write(tmp_path / "s.jsonl", 400)
    size = path.stat().st_size
    monkeypatch.setattr(session_file, "_END_BYTES", size // 40)
    monkeypatch.setattr(session_file, "_MOST_END", size)
    session = read_end(path, "claude-code")
    assert 50 <= len(session.said) < 200
    assert session.said[-1].text == "Message 399"
    monkeypatch.setattr(session_file, "MOST_MESSAGES", 300)
    assert len(read_end(path, "claude-code").said) == 400


def test_an_end_begins_with_a_whole_line_and_has_as_many_messages_as_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _write(tmp_path / "s.jsonl", 90)
    line = path.stat().st_size // 90
    monkeypatch.setattr(session_file, "_MOST_END", path.stat().st_size)
    for lines, read in ((60.5, 60), (20.5, 82), (1.5, 90)):
        monkeypatch.setattr(session_file, "_END_BYTES", round(line * lines))
        assert abs(len(read_end(path, "claude-code").said) - read) <= 1


def test_a_short_file_is_read_whole(tmp_path: Path) -> None:
    path = _write(tmp_path / "s.jsonl", 3)
    assert read_end(path, "claude-code").said[0].text == "Message 0"
    with pytest.raises(Unreadable):
        read_end(tmp_path / "gone.jsonl", "claude-code")


def test_an_end_that_can_not_be_read_by_itself_is_read_with_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _write(tmp_path / "s.jsonl", 60)
    tried: list[int] = []

    def failing(_: Path, start: int, likely: str) -> None:
        tried.append(start)
        raise Unreadable("Not a transcript.")

    monkeypatch.setattr(session_file, "_END_BYTES", 10)
    monkeypatch.setattr(session_file, "_MOST_END", 100_000)
    monkeypatch.setattr(session_file, "_read_from", failing)
    assert len(read_end(path, "claude-code").said) == 60
    assert len(tried) == 1


def test_how_far_it_is_read_is_told_where_there_is_no_file_to_measure(tmp_path: Path) -> None:
    path, told = tmp_path / "sessions.db#s-1", list[tuple[int, int]]()
    for total in (0, 4):
        lines = session_file._telling([b"one\n"], path, lambda *of: told.append(of))
        assert list(lines) == [b"one\n"]
        assert told.pop() == (0, total)
        path.write_bytes(b"one\n")
