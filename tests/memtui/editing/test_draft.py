"""Drafts and files of the user's choice: nothing typed and nothing there is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.editing.editor import Draft, NoDraft
from memtui.tui.browse.query_text import suggested
from memtui.tui.export.save import save_text
from store.errors import StoreError, Unreadable, WriteFailed


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    return tmp_path


def test_drafts_of_one_name_stand_beside_each_other(home: Path) -> None:
    one, two = Draft.of("../obs/1", "One \udc80"), Draft.of("../obs/1", "Two")
    assert one.shown == "~/.local/state/memtui/drafts/obs-1.md"
    assert two.path.name == "obs-1-2.md"
    assert (one.read(), two.read()) == ("One \udc80", "Two")
    one.discard()
    one.discard()
    assert not one.path.exists()
    with pytest.raises(NoDraft):
        one.read()
    two.path.write_bytes(b"\xff")
    with pytest.raises(Unreadable):
        two.read()
    error = two.kept(WriteFailed("The disk is full.", "Make room."))
    assert two.shown in error.hint and error.message == "The disk is full."


def test_a_file_is_replaced_whole_and_keeps_its_mode(home: Path) -> None:
    target = home / "out.md"
    target.write_text("before")
    target.chmod(0o640)
    save_text(target, "after")
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("after", 0o640)
    for wrong in (home, home / "nowhere" / "out.md"):
        with pytest.raises(StoreError):
            save_text(wrong, "text")


def test_a_file_that_cant_be_replaced_stays(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = home / "out.md"
    target.write_text("before")

    def full(self: Path, other: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(WriteFailed, match="No space left"):
        save_text(target, "after")
    assert [path.name for path in home.iterdir()] == ["out.md"]
    assert target.read_text() == "before"


def test_a_new_observation_begins_as_the_query_says() -> None:
    found = suggested("lock agent:tester,engineer issue:29 category:lesson tag:ui -agent:x")
    assert (found.agent, found.issue_number, found.category) == ("tester", 29, "lesson")
    assert found.tags == ("ui",)
    plain = suggested("issue:many words")
    assert (plain.agent, plain.issue_number, plain.category) == ("user", 0, "key-fact")
