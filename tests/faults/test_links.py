"""A clone brings links: whatever they lead to is neither read nor changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.hooks.call import HookInput
from memtui.hooks.run import run_hook
from store import Observation, open_memory
from store.errors import NoMemory, StoreError
from store.model import Layout

FACT = Observation(
    agent="engineer", issue_number=0, category="decision", content="The lock is a kernel lock."
)
LINKS = (
    "manifest.json", "activity.jsonl", ".lock", ".gitignore", "issue-0.json.lock", "recalls",
    "operations", "archive", "quarantine", "issue-7.json", "issue-0.recovered.json",
)  # fmt: skip


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "project"
    with open_memory(root / ".agentx" / "memory") as memory:
        memory.store([FACT])
    return root


def _every_hook(root: Path) -> None:
    transcript = root / "session.jsonl"
    line = {"type": "user", "message": {"role": "user", "content": "Decided to use a lock."}}
    transcript.write_text(json.dumps(line) + "\n")
    for name in ("session-start", "user-prompt", "session-end"):
        given = HookInput(
            session_id="s",
            folder=str(root),
            prompt="what about the kernel lock?",
            transcript_path=str(transcript),
        )
        run_hook(name, given, "claude-code", {}, root.parent / "home")


def _records(memory: Path) -> dict[str, object]:
    """The contents of the record, by id; a session's end may add to it."""
    found = json.loads((memory / "issue-0.json").read_bytes())["observations"]
    return {each["id"]: each["content"] for each in found}


@pytest.mark.parametrize("name", LINKS)
def test_a_link_in_the_folder_leads_to_nothing(project: Path, name: str) -> None:
    memory = project / ".agentx" / "memory"
    (project / "foreign").write_text("foreign\n")
    place = memory / name
    if place.is_dir():
        for each in place.iterdir():
            each.unlink()
        place.rmdir()
    place.unlink(missing_ok=True)
    place.symlink_to("../../foreign")
    before = _records(memory)
    _every_hook(project)
    assert (project / "foreign").read_text() == "foreign\n"
    assert before == {key: _records(memory)[key] for key in before}


@pytest.mark.parametrize("name", LINKS)
def test_an_add_keeps_the_record_whatever_is_a_link(project: Path, name: str) -> None:
    memory = project / ".agentx" / "memory"
    place = memory / name
    if place.is_dir():
        place.rename(memory / "elsewhere")
    place.unlink(missing_ok=True)
    place.symlink_to("issue-0.json")
    with open_memory(memory) as opened:
        try:
            opened.store([FACT._replace(content="Another thing.")])
        except StoreError as error:
            assert "link" in str(error), error
    assert FACT.content in (memory / "issue-0.json").read_text()
    json.loads((memory / "issue-0.json").read_text())


@pytest.mark.parametrize("linked", [".agentx", ".agentx/memory"])
@pytest.mark.parametrize("empty", [False, True])
def test_a_memory_that_is_a_link_out_of_the_project_is_refused(
    tmp_path: Path, linked: str, empty: bool
) -> None:
    outside = tmp_path / "outside"
    (outside / "memory").mkdir(parents=True)
    if not empty:
        (outside / "issue-0.json").write_text("{}")
    root = tmp_path / "project"
    link = root / linked
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)
    before = _files(outside)
    _every_hook(root)
    with pytest.raises(NoMemory, match="is a symbolic link"):
        open_memory(root / ".agentx" / "memory")
    assert _files(outside) == before


@pytest.mark.parametrize("layout", Layout)
def test_a_link_in_the_place_of_a_memory_is_named_and_moved_away(
    project: Path, layout: Layout
) -> None:
    (project / "foreign").write_text("foreign\n")
    with open_memory(project / ".agentx" / "memory") as memory:
        memory.apply(memory.plan.layout(layout))
        memory.index.settle()
        (path,) = memory.path.glob("issue-0*/*.json" if layout is Layout.EACH else "issue-0.json")
        path.unlink()
        path.symlink_to(project / "foreign")
        found = memory.doctor.examine()
        assert f"{path.name} is a symbolic link" in str(found.findings[0].notice)
        memory.doctor.repair(found)
        assert not path.is_symlink()
        assert memory.doctor.examine().is_healthy
    assert (project / "foreign").read_text() == "foreign\n"


def test_what_stands_behind_a_link_stays_there(project: Path) -> None:
    memory = project / ".agentx" / "memory"
    with open_memory(memory) as door:
        (only,) = door.search("").hits
        door.apply(door.plan.archive(only.entry.id))
        (memory / "archive").rename(project / "archive")
        (memory / "archive").symlink_to(project / "archive")
        found = door.doctor.examine()
        assert {it.repair for it in found.findings if it.kind == "unreadable-file"} == {None}
        assert door.doctor.examine().plan.is_empty
    assert len(list((project / "archive").iterdir())) == 1
