"""`memtui git` with its merge driver and its diff, as a person or git calls them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from store import open_memory
from tests.memtui.cli.conftest import Run, observation
from tests.store.factories import record, records_in, write_issue
from tests.store.repositories import Repository, repository


@pytest.fixture
def git(project: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    git = repository(project)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(project.parent / "gitconfig"))
    return git.commit("base")


def test_a_driver_is_installed_after_its_diff_and_removed(git: Repository, memtui: Run) -> None:
    assert "Named in .gitattributes: no" in memtui("git", "status").out
    assert "Run it again with --yes" in memtui("git", "install").err
    shown = memtui("git", "install", "--dry-run")
    assert "\n+merge.memtui.driver" in shown.out
    assert "\n-merge.memtui.driver" not in shown.out
    assert memtui("git", "install", "--yes").code == 0
    told = json.loads(memtui("git", "status", "--json").out)
    assert told["attributes"]
    assert "merge-file %O %A %B %P" in told["driver"]
    assert memtui("git", "install", "--yes").err == "Nothing to change.\n"
    shown = memtui("git", "uninstall", "--dry-run")
    assert "\n-merge.memtui.driver" in shown.out
    assert "\n+merge.memtui.driver" not in shown.out
    assert memtui("git", "uninstall", "--yes").code == 0
    assert json.loads(memtui("git", "status", "--json").out)["driver"] is None


def _three(folder: Path) -> tuple[str, str, str]:
    base = write_issue(folder / "base", 29, record("a"))
    ours = write_issue(folder / "ours", 29, record("a", content="Ours"), record("b"))
    theirs = write_issue(folder / "theirs", 29, record("a", content="Theirs"), record("c"))
    return str(base), str(ours), str(theirs)


def test_three_files_become_one(tmp_path: Path, memtui: Run) -> None:
    base, ours, theirs = _three(tmp_path)
    before = Path(ours).read_bytes()
    printed = memtui("merge-file", "--stdout", base, ours, theirs)
    assert Path(ours).read_bytes() == before
    done = memtui("merge-file", base, ours, theirs, ".agentx/memory/issue-29.json")
    assert (done.code, done.out) == (0, "")
    assert "issue-29.json: 1 memory was edited on both sides" in done.err
    assert [item["id"] for item in records_in(Path(ours))] == ["a", "b", "c"]
    assert json.loads(printed.out) == json.loads(Path(ours).read_text())


def test_what_is_no_memory_is_merged_by_lines(tmp_path: Path, memtui: Run) -> None:
    base, ours, theirs = _three(tmp_path)
    Path(theirs).write_text("{ no json\n")
    done = memtui("merge-file", base, ours, theirs)
    assert done.code == 1
    assert "Falling back to a line merge" in done.err
    assert "<<<<<<< " in Path(ours).read_text()


def test_changes_are_told_in_words(git: Repository, memtui: Run) -> None:
    with open_memory(git.root) as memory:
        memory.store([observation(7, content="# Chose *this*")])
        memory.apply(memory.plan.edit("aaaa01", {"content": "Chose another lock"}))
        memory.apply(memory.plan.archive("aaaa04"))
        memory.apply(memory.plan.remove("aaaa02"))
    told = memtui("diff")
    assert told.code == 0
    assert [line[0] for line in told.out.splitlines() if not line.startswith(" ")] == list("+~>-")
    assert "+ content: Chose another lock" in told.out
    assert "1 added, 1 edited, 1 archived, 1 removed" in told.err
    markdown = memtui("diff", "HEAD", "--markdown").out
    assert "### Memory: 1 added" in markdown
    assert r"\# Chose \*this\*" in markdown
    data = json.loads(memtui("diff", "--json").out)
    assert [change["what"] for change in data["changes"]] == [
        "added",
        "edited",
        "archived",
        "removed",
    ]
    assert "is not a commit here" in memtui("diff", "nowhere..").err


def test_a_review_reads_all_that_a_branch_changes(git: Repository, memtui: Run) -> None:
    text = f"Chose plain files: {'they merge line by line. ' * 12}\n\n- ```never``` a database\n"
    git("switch", "-qc", "feature")
    with open_memory(git.root) as memory:
        memory.store([observation(7, content=text)])
        memory.apply(memory.plan.edit("aaaa01", {"content": f"{'More. ' * 90}The end"}))
        memory.apply(memory.plan.archive("aaaa04"))
    git.commit("feature")
    git("switch", "-q", "main")
    with open_memory(git.root) as memory:
        memory.store([observation(8, content="Meanwhile on main")])
    git.commit("main goes on")
    told = memtui("diff", "main...feature")
    assert "1 added, 1 edited, 1 archived ·" in told.err
    lines = told.out.splitlines()
    assert "    - ```never``` a database" in lines
    assert any(line.startswith("    + content: More.") and "The end" in line for line in lines)
    assert not any("summary:" in line for line in lines)
    markdown = memtui("diff", "main...feature", "--markdown").out.splitlines()
    assert r"  > - \`\`\`never\`\`\` a database" in markdown
    at = markdown.index("  ```diff")
    assert [line[:12] for line in markdown[at + 1 : at + 4]] == [
        "  - content:",
        "  + content:",
        "  ```",
    ]


def test_one_of_two_versions_is_kept(project: Path, memtui: Run) -> None:
    path = project / ".agentx/memory/issue-7.json"
    told = json.loads(path.read_text())
    told["observations"][0]["conflict"] = [{"content": "Theirs"}, {"removed": True}]
    path.write_text(json.dumps(told, indent=2))
    listed = memtui("resolve", "aaaa04")
    assert [line.split()[0] for line in listed.out.splitlines()] == ["0", "1", "2"]
    assert "has no version 3" in memtui("resolve", "aaaa04", "--take", "3", "--yes").err
    assert memtui("resolve", "aaaa04", "--take", "1", "--yes").code == 0
    (kept,) = records_in(path)
    assert (kept["content"], "conflict" in kept) == ("Theirs", False)
    assert "has only one version" in memtui("resolve", "aaaa04").err
    memtui("undo", "--yes")
    assert memtui("resolve", "aaaa04", "--take", "2", "--yes").code == 0
    assert records_in(path) == []


def test_a_pipe_is_not_waited_for(tmp_path: Path, memtui: Run) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = memtui("merge-file", *["pipe"] * 3)
    assert (done.code, done.out) == (1, "")
    assert "not a regular file. Nothing was merged." in done.err
