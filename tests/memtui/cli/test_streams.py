"""What a command is given to read may have no end, or lead in a circle."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui import streams
from memtui.cli.main import run
from store.exchange import sources


@pytest.fixture(autouse=True)
def _endless(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Standard input without an end."""
    monkeypatch.setattr(streams, "_MOST", 1_000_000)
    with Path("/dev/zero").open(encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        yield


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["add", "--batch", "/dev/zero"], "A line has more than"),
        (["add", "--batch", "-"], "A line has more than"),
        (["add", "-"], "Standard input has more than 1 MB"),
        (["edit", "01", "--content", "-"], "Standard input has more than 1 MB"),
        (["edit", "01", "--from", "/dev/zero"], "not a regular file"),
        (["import", "/dev/zero"], "not a regular file"),
        (["git", "textconv", "/dev/zero"], "not a regular file"),
        (["capture", "/dev/zero"], "not a regular file"),
    ],
)
def test_a_device_is_no_text(
    words: list[str], said: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*words, *(["--dir", str(project)] if words[0] != "git" else [])]) in (1, 2)
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("words", [["list"], ["sessions"], ["add", "x"], ["import", "loop"]])
def test_a_link_in_a_circle_is_no_memory(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / ".git").write_text("gitdir: loop/loop\n")
    assert run([*words, "--dir", "loop"]) in (1, 2)
    told = capsys.readouterr().err
    assert "not a folder" in told
    assert "unexpectedly" not in told


def test_notes_are_not_looked_for_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sources, "_MOST_FILES", 3)
    (tmp_path / "notes" / ".hidden").mkdir(parents=True)
    for number in range(3):
        (tmp_path / "notes" / f"{number}.md").write_text("- We chose flock.\n")
        (tmp_path / "notes" / ".hidden" / f"{number}.md").write_text("- Not this.\n")
    assert run(["import", "notes", "--yes"]) == 0
    (tmp_path / "notes" / "more.txt").touch()
    assert run(["import", "notes", "--yes"]) == 2
    assert "more than 3 files and folders" in capsys.readouterr().err
