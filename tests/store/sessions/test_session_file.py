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


def test_what_can_not_be_read_is_said_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=r"gone\.jsonl can't be read: No such file"):
        read_file(tmp_path / "gone.jsonl")


def test_the_end_is_read_first_and_more_where_it_has_too_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _write(tmp_path / "s.jsonl", 400)
    size = path.stat().st_size
    monkeypatch.setattr(session_file, "_END_BYTES", size // 40)
    monkeypatch.setattr(session_file, "_MOST_END", size)
    session = read_end(path, "claude-code")
    assert 50 <= len(session.messages) < 200
    assert session.messages[-1].text == "Message 399"
    monkeypatch.setattr(session_file, "MOST_MESSAGES", 300)
    assert len(read_end(path, "claude-code").messages) == 400


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
    assert len(read_end(path, "claude-code").messages) == 60
    assert len(tried) == 1
