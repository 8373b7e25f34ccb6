"""A memory is written into an instruction file, and taken out again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.agents.client import Home
from store.agents.registry import client_named
from store.errors import Conflict, StoreError
from store.operations.apply import Applied
from store.recall.values import Recall
from tests.store.factories import observation

LINE = "- Keep prices in cents."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "shop"


def opened(project: Path) -> Memory:
    return open_memory(project / ".agentx" / "memory", cache=project.parent / "cache")


def written(memory: Memory, project: Path, client: str, content: str = LINE[2:]) -> Applied:
    (identifier,) = memory.add([observation(content, issue_number=0)]).ids
    found = memory.get_redacted(identifier)
    context = memory.context.read(client_named(client), project, Home(project, {}), Recall())
    return memory.apply(memory.context.plan_instruction(context, found))


@pytest.mark.parametrize("before", [None, "# Shop\n", "# Shop", "# Shop\n\nNever\npush."])
def test_undo_gives_the_file_from_before(project: Path, before: str | None) -> None:
    file = project / "CLAUDE.md"
    project.mkdir()
    if before is not None:
        file.write_text(before)
    with opened(project) as memory:
        written(memory, project, "claude-code")
        assert LINE in file.read_text().splitlines()
        assert file.read_text().startswith(before or "")
        memory.undo()
        assert (file.read_text() if file.exists() else None) == before
        memory.redo()
        assert LINE in file.read_text().splitlines()


def test_undo_takes_out_the_line_alone(project: Path) -> None:
    file = project / "AGENTS.md"
    project.mkdir()
    file.write_text("# Shop\n")
    with opened(project) as memory:
        written(memory, project, "codex", "Keep prices\nin cents.\x1b[31m")
        assert file.read_text() == "# Shop\n- Keep prices in cents.␛[31m\n"
        file.write_text(f"{file.read_text()}- By hand.\n")
        memory.undo()
        assert file.read_text() == "# Shop\n- By hand.\n"
        memory.redo()
        file.write_text("# Shop\n")
        with pytest.raises(Conflict):
            memory.undo()


def test_a_forgotten_memory_is_not_in_the_journal(project: Path) -> None:
    with opened(project) as memory:
        written(memory, project, "codex")
        (found,) = memory.by_issue(0)
        memory.forget(memory.plan.forget(found.id))
    kept = "".join(path.read_text() for path in project.rglob("operations/*.json"))
    assert "prices" not in kept


@pytest.mark.parametrize(
    ("path", "text"),
    [("../.bashrc", "x"), ("/etc/x", "x"), ("Makefile", "x"), ("CLAUDE.md", "a\nb")],
)
def test_a_journal_that_somebody_wrote_changes_no_other_file(
    project: Path, path: str, text: str
) -> None:
    with opened(project) as memory:
        written(memory, project, "claude-code")
        (entry,) = (
            one for one in project.rglob("operations/*.json") if "CLAUDE.md" in one.read_text()
        )
        value = json.loads(entry.read_text())
        value["lines"] = [{"path": path, "text": text, "memory": "", "is_added": False}]
        (project / "Makefile").write_text("x\n")
        entry.write_text(json.dumps(value))
        with pytest.raises(StoreError):
            memory.undo(value["id"])
        assert (project / "Makefile").read_text() == "x\n"


def test_nothing_is_written_through_a_link(project: Path) -> None:
    project.mkdir()
    target = project.parent / "other.md"
    target.write_text("mine\n")
    (project / "CLAUDE.md").symlink_to(target)
    with opened(project) as memory, pytest.raises(Conflict):
        written(memory, project, "claude-code")
    assert target.read_text() == "mine\n"


def test_secrets_are_not_written(project: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with opened(project) as memory:
        written(memory, project, "claude-code", f"The token is {secret}.")
    assert secret not in (project / "CLAUDE.md").read_text()
