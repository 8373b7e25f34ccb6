"""`edit`: by options and in an editor; nothing that was typed is lost."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from store import Observation, open_memory
from tests.memtui.cli.conftest import Run
from tests.memtui.cli.test_writing import standard_input


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def editor(monkeypatch: pytest.MonkeyPatch, old: str, new: str, code: int = 0) -> None:
    """An editor that replaces a text by another, and leaves with an exit code."""
    program = (
        "import pathlib, sys; path = pathlib.Path(sys.argv[1]);"
        f"path.write_text(path.read_text('utf-8').replace({old!r}, {new!r}), 'utf-8');"
        f"sys.exit({code})"
    )
    monkeypatch.setenv("EDITOR", shlex.join([sys.executable, "-c", program]))


def held(project: Path, ending: str) -> Observation:
    with open_memory(project) as memory:
        return memory.get(ending)


def drafts(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "state").rglob("*.md"))


def test_options_change_fields(memtui: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = held(project, "aaaa01")
    dry = memtui("edit", "aaaa01", "--category", "lesson", "--dry-run")
    assert "+ category: lesson" in dry.out
    assert held(project, "aaaa01") == before
    standard_input(monkeypatch, "Chose a kernel lock — für immer\n".encode())
    done = memtui(
        "edit", "aaaa01", "--content", "-", "--category", "lesson", "--summary", "Lock", "--yes"
    )
    assert done.code == 0
    assert done.out == "Edited 1 memory.\n"
    after = held(project, "aaaa01")
    assert (after.category, after.summary) == ("lesson", "Lock")
    assert after.content == "Chose a kernel lock — für immer"
    memtui("undo", "--yes")
    assert held(project, "aaaa01") == before


def test_the_editor_gets_the_text_and_gives_it_back(
    memtui: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(monkeypatch, "option 1", "option one")
    done = memtui("edit", "aaaa01")
    assert (done.code, "memtui undo" in done.err) == (0, True)
    assert held(project, "aaaa01").content == "Chose option one for the lock."
    assert memtui("edit", "aaaa01").err == "Nothing to do.\n"
    assert drafts(tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("category:", "catgory:", "catgory"),
        ("issue: 29", "issue: 30", "can't change the id or issue"),
        ("option 1", "x" * 2_100, "2,000"),
    ],
)
def test_what_is_refused_is_kept_and_can_be_mended(
    memtui: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    old: str, new: str, said: str,
) -> None:  # fmt: skip
    before = held(project, "aaaa01")
    editor(monkeypatch, old, new)
    done = memtui("edit", "aaaa01")
    assert (done.code, said in done.err) == (1, True)
    (draft,) = drafts(tmp_path)
    assert draft.name in done.err
    assert new in draft.read_text()
    assert held(project, "aaaa01") == before
    mended = draft.read_text().replace(new, old).replace("lock.", "gate.")
    draft.write_text(mended)
    assert memtui("edit", "aaaa01", "--from", str(draft), "--yes").code == 0
    assert held(project, "aaaa01").content == "Chose option 1 for the gate."


def test_an_editor_that_fails_changes_nothing(
    memtui: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = held(project, "aaaa01")
    editor(monkeypatch, "option", "choice", code=3)
    assert "code 3" in memtui("edit", "aaaa01").err
    assert len(drafts(tmp_path)) == 1
    for wrong, said in (("nowhere-to-be-found", "Can't start"), ("'", "is not a valid command")):
        monkeypatch.setenv("EDITOR", wrong)
        refused = memtui("edit", "aaaa01")
        assert (refused.code, said in refused.err) == (1, True)
    monkeypatch.delenv("EDITOR")
    assert "No editor is set" in memtui("edit", "aaaa01").err
    assert len(drafts(tmp_path)) == 1
    assert held(project, "aaaa01") == before


def test_what_another_program_changed_meanwhile_is_not_lost(
    memtui: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = project / ".agentx" / "memory" / "issue-29.json"
    program = (
        "import pathlib, sys;"
        f"file, path = pathlib.Path({str(file)!r}), pathlib.Path(sys.argv[1]);"
        "file.write_text(file.read_text().replace('option 1', 'option A'));"
        "path.write_text(path.read_text().replace('option 1', 'option B'))"
    )
    monkeypatch.setenv("EDITOR", shlex.join([sys.executable, "-c", program]))
    done = memtui("edit", "aaaa01")
    assert (done.code, "by another program" in done.err) == (1, True)
    assert held(project, "aaaa01").content == "Chose option A for the lock."
    kept = re.search(r"saved in (\S+)", done.err)
    assert kept is not None
    assert "option B" in Path(kept[1]).expanduser().read_text()
