"""`memtui drift`: what became of the code that memories name, and the repairs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from store.backends.files.backend import FilesBackend
from tests.memtui.cli.conftest import Run
from tests.store.drift.made import Made

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """A repository with four memories, whose code moved, changed, is gone, and is as it was."""
    made = Made(tmp_path)
    monkeypatch.setattr(made, "cache", tmp_path / "cache" / "memtui")
    monkeypatch.chdir(made.root)
    texts = {
        "aaaa01": "The queue is in shop/queue.py.",
        "aaaa02": "`step_3()` of shop/other.py returns three.",
        "aaaa03": "shop/gate.py lets one in.",
        "aaaa04": "`step_4()` of shop/other.py returns four.",
    }
    made.write("shop/gate.py", "def gate(): ...\n")
    made.commit()
    with made.open() as memory:
        memory.add(
            [made.memory(text, id=f"obs-a-29-1709035200000-{end}") for end, text in texts.items()]
        )
    made.git("mv", "shop/queue.py", "shop/lines.py")
    made.git("rm", "-q", "shop/gate.py")
    made.edit("shop/other.py", "return 3", "return 33")
    made.commit()
    return made


def test_it_lists_what_drifted_the_worst_first(memtui: Run, made: Made) -> None:
    listed = memtui("drift")
    assert listed.code == 0
    commit = made.git("rev-parse", "--short=7", "HEAD").said.strip()
    lines = listed.out.splitlines()
    assert [line.split()[:2] for line in lines[:6:2]] == [
        ["aaaa03", "gone"],
        ["aaaa01", "moved"],
        ["aaaa02", "changed"],
    ]
    assert f"gone from the code: shop/gate.py, since {commit} (" in lines[1]
    assert "shop/queue.py is now shop/lines.py, since" in lines[3]
    (four,) = json.loads(memtui("drift", "aaaa04", "--json").out)
    assert (four["verdict"], four["commit"]) == ("current", "")
    data = json.loads(memtui("drift", "--json").out)
    assert [row["verdict"] for row in data] == ["gone", "moved", "changed"]


def test_the_files_of_memory_are_looked_at_once(
    memtui: Run, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    memtui("drift")
    looked = list[Path]()
    find = FilesBackend.changes_since

    def counted(backend: FilesBackend, *more: Any) -> Any:  # noqa: ANN401
        looked.append(backend.folder)
        return find(backend, *more)

    monkeypatch.setattr(FilesBackend, "changes_since", counted)
    assert memtui("drift").out.count("since") == 3
    assert len(looked) == 1


def test_lists_name_what_drifted(memtui: Run, made: Made) -> None:
    memtui("drift")
    verdicts = {"aaaa01": "moved", "aaaa02": "changed", "aaaa03": "gone"}
    for command in ("list", "search"):
        lines = memtui(command).out.splitlines()
        shown = {line[:6]: line.split(" · ")[0].split()[-1] for line in lines if " · " in line}
        assert shown == verdicts
        data = json.loads(memtui(command, "--json").out)
        found = data["hits"] if command == "search" else data
        assert {one["id"][-6:]: one["drift"] for one in found if "drift" in one} == verdicts


def test_repairs_are_operations_that_undo_takes_back(memtui: Run, made: Made) -> None:
    shown = memtui("drift", "--paths", "--dry-run")
    assert "shop/lines.py" in shown.out
    done = memtui("drift", "--paths", "--yes")
    assert done.out == "Corrected the paths of 1 memory.\n"
    assert "The queue is in shop/lines.py." in memtui("show", "aaaa01").out
    assert json.loads(memtui("drift", "aaaa01", "--json").out)[0]["verdict"] == "current"
    assert memtui("drift", "aaaa02", "--holds", "--yes").out == "Confirmed 1 memory.\n"
    assert "0 memories" in memtui("search", "drift:changed").err
    renamed = memtui("drift", "aaaa03", "--path", "shop/gate.py=shop/other.py", "--yes")
    assert renamed.code == 0
    assert "No memory names code" in memtui("drift").err
    memtui("undo", "--yes")
    memtui("undo", "--yes")
    verdicts = [row["verdict"] for row in json.loads(memtui("drift", "--json").out)]
    assert verdicts == ["gone", "changed"]
    assert memtui("drift", "aaaa03", "--holds", "--yes").code == 0
    assert json.loads(memtui("drift", "aaaa03", "--json").out)[0]["verdict"] == "unknown"


def test_what_it_can_not_do_it_says(memtui: Run, made: Made) -> None:
    assert memtui("drift", "--holds").code == 2
    assert memtui("drift", "aaaa01", "--holds", "--paths").code == 2
    assert memtui("drift", "aaaa01", "--path", "nonsense", "--yes").code in (1, 2)
    assert "without such a path" in memtui("drift", "aaaa02", "--paths", "--yes").err


def test_a_memory_that_is_added_keeps_what_its_files_held(memtui: Run, made: Made) -> None:
    memtui("add", "In shop/lines.py, `drain_all()` empties it.", "--yes")
    (added,) = [
        one for one in json.loads(memtui("list", "--json").out) if "empties" in one["content"]
    ]
    (marks,) = added["anchor"].values()
    assert marks[1].startswith("drain_all ")
    assert added["commit"] == made.git("rev-parse", "HEAD").said.strip()


def test_without_git_nothing_is_known(
    memtui: Run, made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, plain = made.root / ".agentx", tmp_path / "plain"
    shutil.copytree(here, plain / ".agentx")
    monkeypatch.chdir(plain)
    known = memtui("drift")
    assert (known.code, known.out) == (0, "")
    assert "It is not known whether code changed: there is no git history here." in known.err
    monkeypatch.chdir(made.root)
    with monkeypatch.context() as patched:
        patched.setenv("PATH", str(tmp_path / "nothing"))
        known = memtui("drift")
    assert "It is not known whether code changed: git is not installed." in known.err
    assert "aaaa03  gone" in memtui("drift").out
