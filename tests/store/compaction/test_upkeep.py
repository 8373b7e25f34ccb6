"""When compaction is due, and that of a vault."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from store import Memory, open_memory
from store.compaction.model import Excess
from store.compaction.vault import TRASH
from store.platform.read import read_bytes
from tests.store.backends.vault.vaults import make_vault
from tests.store.factories import NOW, Clock, make_memory, observation

# What is stale goes to the archive after a capture, only where the settings say so.


def test_memories_of_an_old_session_stay_a_month(tmp_path: Path) -> None:
    clock = Clock()
    memory = make_memory(tmp_path, clock, auto_archive=True, stale_archive_after_days=1)
    memory.store([observation("Old", timestamp=NOW - timedelta(days=9))])
    memory.capture.apply(
        memory.capture.plan(_a_ruling("From now on, always sort the imports."), issue=0)
    )
    (archived,) = memory.search_ids("is:archived")
    memory.apply(memory.plan.restore(archived))
    clock.pass_by(days=20)
    memory.capture.apply(
        memory.capture.plan(_a_ruling("We never commit a lock file here."), issue=0)
    )
    assert memory.search_ids("is:archived") == []
    assert memory.upkeep.excess().stale == 3
    clock.pass_by(days=31)
    memory.capture.apply(
        memory.capture.plan(_a_ruling("Never name a branch after a person."), issue=0)
    )
    assert memory.upkeep.excess().stale == 1
    assert len(memory.search_ids("is:archived")) == 3


def _a_ruling(text: str) -> list[bytes]:
    day = NOW - timedelta(days=9)
    said = {"role": "user", "content": text, "timestamp": f"{day:%Y-%m-%dT00:00:00Z}"}
    return [json.dumps(said).encode() + b"\n"]


def test_what_a_person_keeps_in_a_vault_is_never_stale(tmp_path: Path) -> None:
    entry = "<!-- id:1600000000000 -->\n## 2020-09-13T12:26\n\nAn old lesson.\n\n---\n"
    files = {
        "_project.md": "# Shop\n",
        "dev/lessons.md": entry,
        "Old.md": "An old note.\n",
        "dev/Own.md": "---\nagent: dev\ndate: 2020-01-01\n---\nA note of an agent.\n",
    }
    folder = make_vault(tmp_path / ".memory", files)
    for path in folder.rglob("*.md"):
        os.utime(path, (1_600_000_000,) * 2)
    with open_memory(folder, cache=tmp_path / "cache", clock=Clock()) as memory:
        assert len(memory.search_ids("is:stale")) == 4
        assert memory.upkeep.excess() == Excess(stale=1)
        assert [change.id for change in memory.upkeep.plan().changes] == ["1600000000000"] * 2


# A vault's own compaction: five steps, one operation that undo takes back.


OLD = (NOW - timedelta(days=8)).timestamp() * 1000
TALK: list[dict[str, Any]] = [
    {"role": "user", "text": "We decided nothing, said the user"},
    {"role": "agent", "text": "We decided to use SSE.\nShort."},
    {"role": "agent", "text": "We decided to keep this to ourselves", "internal": True},
    {"role": "agent", "text": "Aprendemos que o índice atrasa. " + "x" * 400},
    *[{"role": "user", "text": f"message {n}"} for n in range(22)],
]


def _files(talk: list[dict[str, Any]]) -> dict[str, str]:
    return {
        "_project.md": "# Shop\n",
        "dev/projects.md": "Written\n",
        "dev.md": "## Contexto\nWritten\n",
        "new.md": "## Notes\nnot an entry yet\n",
        "tech.md.bak": "older\n",
        ".vault/index.json": "{}",
        ".vault/checkpoints/dev.json": json.dumps({"agentId": "dev", "savedAt": OLD}),
        ".vault/checkpoints/bad.json": "{",
        ".vault/checkpoints/new.json": json.dumps({"savedAt": NOW.timestamp() * 1000}),
        "conversations/dev.json": json.dumps({"agentId": "dev", "messages": talk}),
        "conversations/bad.json": "{",
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_vault(tmp_path / ".memory", _files(TALK))


@pytest.fixture
def memory(folder: Path, tmp_path: Path) -> Iterator[Memory]:
    with open_memory(folder, cache=tmp_path / "cache", clock=Clock()) as opened:
        yield opened


def _tree(folder: Path) -> dict[str, bytes]:
    found = (it for it in folder.rglob("*") if it.is_file() and "memtui" not in it.parts)
    return {it.relative_to(folder).as_posix(): it.read_bytes() for it in found}


def test_the_five_steps_are_one_operation(memory: Memory, folder: Path) -> None:
    made = {"agent": "dev", "issue_number": 0, "category": "error"}
    memory.store([observation(f"Error {n}", **made) for n in range(31)])
    before = _tree(folder)
    plan = memory.vault.plan()
    assert plan.moves_last, "no file goes before its entries stand"
    assert [note.place for note in plan.notes if note.place] == ["conversations/bad.json"]
    assert _tree(folder) == before
    memory.vault.compact(plan)
    after = _tree(folder)
    talk = json.loads(after["conversations/dev.json"])
    assert talk == {"agentId": "dev", "messages": TALK[-20:]}
    assert not {"dev.md", "tech.md.bak", ".vault/index.json"} & after.keys()
    decisions = after["dev/decisions.md"].decode()
    assert "· #compacted #auto-extract\n\nWe decided to use SSE.\n" in decisions
    assert "ourselves" not in decisions and "said the user" not in decisions
    entries = after["dev/errors.md"].decode()
    assert entries.count("<!-- id:") == 21, "where the vault's own program reads it"
    assert "dev/compaction-summaries.md" not in after
    memory.undo()
    back = _tree(folder)
    for path in (*before.keys() - {"dev/errors.md"}, "conversations/dev.json"):
        assert back[path] == before[path], path


def test_notes_of_a_person_are_never_folded(tmp_path: Path) -> None:
    entries = "".join(
        f"<!-- id:{n} -->\n## 2026-03-01T10:{n:02}\n\nEntry {n}\n\n---\n" for n in range(40)
    )
    notes = {f"ideas/Note {n}.md": f"# Note {n}\n\nWritten by hand.\n" for n in range(40)}
    owned = {f"ideas/Of {n}.md": f"---\nagent: dev\n---\nNote {n} of dev\n" for n in range(40)}
    folder = make_vault(tmp_path / ".memory", {**notes, **owned, "dev/lessons.md": entries})
    before = _tree(folder)
    with open_memory(folder, cache=tmp_path / "cache", clock=Clock()) as memory:
        memory.vault.compact(memory.vault.plan())
        after = _tree(folder)
        assert {path: after.get(path) for path in (*notes, *owned)} == {
            path: before[path] for path in (*notes, *owned)
        }
        assert after["dev/lessons.md"] != before["dev/lessons.md"]


def test_notes_of_a_person_are_never_merged(tmp_path: Path) -> None:
    said = "The lock waits five seconds before it gives up on the manifest.\n"
    entries = "".join(
        f"<!-- id:{n} -->\n## 2026-01-01T10:{n:02}\n\n{said}\n---\n" for n in range(2)
    )
    files = {"A.md": said, "ideas/B.md": said, "dev/lessons.md": entries}
    folder = make_vault(tmp_path / ".memory", {**files, "_project.md": "# Shop\n"})
    for path in folder.rglob("*.md"):
        os.utime(path, (1_700_000_000,) * 2)
    with open_memory(folder, cache=tmp_path / "cache", clock=Clock()) as memory:
        (cluster,) = memory.compaction.plan(all=True).clusters
    assert {it.id for it in cluster.originals} == {"0", "1"}


def test_old_trash_goes(memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trash = folder / TRASH
    trash.mkdir(parents=True)
    first = NOW - timedelta(days=30)
    names = [f"{first + timedelta(seconds=at):%Y%m%dT%H%M%S}-x" for at in (-1, 0, 1)]
    for name in names:
        (trash / name).write_text("x")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", _refused)
        memory.vault.compact(memory.vault.plan())
    assert {it.name for it in trash.iterdir()} >= set(names)
    memory.vault.compact(memory.vault.plan())
    assert {it.name for it in trash.iterdir()} & set(names) == set(names[1:])


def _refused(path: Path, missing_ok: bool = False) -> None:
    raise PermissionError(13, "Permission denied", str(path))


def test_said_meanwhile(memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = memory.vault.plan()
    path = folder / "conversations/dev.json"
    longer = json.dumps({"agentId": "dev", "messages": [*TALK, {"role": "user", "text": "More"}]})

    def read(asked: Path, root: Path, **how: int) -> bytes:
        if asked == path:
            path.write_text(longer)
        return read_bytes(asked, root, **how)

    with monkeypatch.context() as patch:
        patch.setattr("store.platform.read.read_bytes", read)
        memory.vault.compact(plan)
    assert path.read_text() == longer
    assert memory.vault.plan().action.figures["conversations"] == 1


# What a vault's compaction takes from its conversations and its other files, by rows.
