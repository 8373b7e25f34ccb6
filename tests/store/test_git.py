"""Git is asked without running what a repository's own configuration names."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from memtui.hooks import surroundings
from memtui.hooks.surroundings import surroundings_of
from store import open_memory
from store.backends import open_backend
from store.backends.text_kinds import TextKind
from store.platform.git_command import ask_git, find_repository, is_tracked
from tests.store.factories import make_memory, observation

NAMES_OF_RECORDS = {"issue-29.json", "issue-29-archived.json", "decisions.md"}
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def _git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(surroundings, "_PATIENCE", 60.0)
    root = tmp_path / "repository"
    root.mkdir()
    _git(root, "init", "-q", "-b", "main")
    (root / "a.txt").write_text("one\n")
    (root / ".gitattributes").write_text("*.txt filter=evil diff=evil\n*.md filter=a=b\n")
    (root / "b.md").write_text("one\n")
    _git(root, "add", ".")
    _git(root, "commit", "-q", "-m", "Lock the store")
    (root / "a.txt").write_text("two\n")
    (root / "b.md").write_text("two\n")
    return root


def _trap(root: Path) -> Path:
    """Have all that may name a program name one; returns what it would make."""
    marker = root.parent / "ran"
    program = root.parent / "trap"
    program.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    program.chmod(0o755)
    hooks = root.parent / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "reference-transaction", "fsmonitor-watchman"):
        shutil.copy(program, hooks / name)
    values = {
        "filter.evil.clean": program,
        "filter.evil.smudge": program,
        "filter.evil.required": "true",
        "filter.a=b.clean": program,
        "filter.a=b.process": program,
        "diff.evil.textconv": program,
        "diff.evil.command": program,
        "diff.external": program,
        "gpg.program": program,
        "log.showSignature": "true",
        "core.fsmonitor": program,
        "core.hooksPath": hooks,
        "core.pager": program,
        "core.editor": program,
        "core.sshCommand": program,
        "pager.log": program,
        "pager.status": program,
        "status.submoduleSummary": "true",
        "submodule.recurse": "true",
        "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::{program}",
        "remote.origin.promisor": "true",
        "protocol.ext.allow": "always",
        "alias.log": f"!{program}",
        "alias.status": f"!{program}",
    }
    with (root / ".git" / "config").open("a") as config:
        for key, value in values.items():
            section, _, name = key.rpartition(".")
            kind, _, of = section.partition(".")
            config.write(f'[{kind} "{of}"]\n' if of else f"[{kind}]\n")
            config.write(f'\t{name} = "{value}"\n')
    return marker


def test_a_trapped_repository_runs_nothing_and_still_answers(repository: Path) -> None:
    _git(repository, "checkout", "-q", "-b", "lock")
    _git(repository, "commit", "-q", "--allow-empty", "-m", "Wait for the lock")
    marker = _trap(repository)
    found = surroundings_of(repository, "lock")
    assert not marker.exists()
    assert set(found.changed_files) == {"a.txt", "b.md"}
    assert found.commits == ("Wait for the lock",)


def test_the_trap_works(repository: Path) -> None:
    marker = _trap(repository)
    subprocess.run(["git", "-C", str(repository), "status"], check=False, capture_output=True)
    assert marker.exists()


def test_missing_objects_are_not_fetched(repository: Path) -> None:
    marker = _trap(repository)
    shutil.rmtree(repository / ".git" / "objects")
    (repository / ".git" / "objects").mkdir()
    surroundings_of(repository, "main")
    assert not marker.exists()


def test_the_doctor_runs_nothing_either(repository: Path) -> None:
    memory = repository / ".agentx" / "memory"
    memory.mkdir(parents=True)
    marker = _trap(repository)
    assert is_tracked(memory) is not None
    assert not marker.exists()


def test_looking_for_forgotten_text_runs_nothing(repository: Path) -> None:
    with make_memory(repository) as memory:
        (stored,) = memory.store([observation("The merger with Falcon is signed in May.")])
        (repository / ".gitattributes").write_text("*.json diff=evil\n")
        _git(repository, "add", "-A")
        _git(repository, "commit", "-q", "-m", "Remember")
        marker = _trap(repository)
        plan = memory.plan.forget(stored)
        assert len(memory.plan.find_traces(plan).commits) == 1
    assert not marker.exists()


def test_variables_of_another_repository(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = repository.parent / "other"
    other.mkdir()
    _git(other, "init", "-q", "-b", "theirs")
    asked = (["log", "--format=%D %s"], ["status", "--short"])
    before = [ask_git(repository, it) for it in asked]
    assert before == [b"HEAD -> main Lock the store\n", b" M a.txt\n M b.md\n"]
    for name, place in (
        ("GIT_DIR", other / ".git"),
        ("GIT_COMMON_DIR", other / ".git"),
        ("GIT_INDEX_FILE", other / ".git" / "index"),
        ("GIT_OBJECT_DIRECTORY", other / ".git" / "objects"),
        ("GIT_WORK_TREE", other),
    ):
        with monkeypatch.context() as patched:
            patched.setenv(name, str(place))
            assert [ask_git(repository, it) for it in asked] == before, name


def test_a_memory_is_tracked_ignored_or_in_no_repository(repository: Path) -> None:
    memory = repository / "a" / "memory"
    memory.mkdir(parents=True)
    assert is_tracked(memory) is True
    link = repository.parent / "link"
    link.symlink_to(memory)
    assert find_repository(link) == find_repository(memory) == repository
    assert is_tracked(link) is True
    (repository / ".gitignore").write_text("a/\n")
    assert is_tracked(memory) is is_tracked(link) is False
    for outside in (repository.parent, repository.parent / "gone" / "memory"):
        assert (find_repository(outside), is_tracked(outside)) == (None, None)
    shutil.rmtree(repository / ".git")
    (repository / ".git").mkdir()
    assert is_tracked(memory) is None


PRIVATE = {TextKind.MESSAGES, TextKind.CHECKPOINTS, TextKind.FORGETTING}


@pytest.mark.parametrize("vault", [False, True])
def test_git_is_offered_the_record_and_nothing_else(repository: Path, vault: bool) -> None:
    place = f"vault://{repository / '.memory'}" if vault else repository / ".agentx/memory"
    with open_memory(place, cache=repository.parent / "cache") as memory:
        [kept, archived] = memory.store([observation("A record"), observation("An old one")])
        memory.apply(memory.plan.archive(archived))
        memory.recall.inject(memory.recall.plan())
        assert memory.get(kept)
    backend = open_backend(place)
    for kind in TextKind:
        backend.texts.keep(kind, "a1", b"{}", private=kind in PRIVATE)
    folder = repository / ".memory/.vault/memtui" if vault else repository / ".agentx/memory"
    for name in ("quarantine/issue-1.json", "pending/issue-1.json", ".issue-1.json.1-ab.tmp"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    asked = ["git", "-C", str(repository), "ls-files", "--others", "--exclude-standard"]
    names = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
    found = {Path(name).name for name in names}
    assert not found - {".gitignore", "records.json", "a1.jsonl", *NAMES_OF_RECORDS}, names
    assert len(found & NAMES_OF_RECORDS) >= 1
