"""Files of the repository encrypted by `age`: read by who has the identity, by nobody else."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from store.errors import StoreError
from tests.store.sync.machines import Machine, bare
from tests.store.sync.test_sync import git

with_age = pytest.mark.skipif(shutil.which("age-keygen") is None, reason="age is not installed")
CONTENT = "The merger closes in May."


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return bare(tmp_path / "memory.git")


@pytest.fixture
def identity(tmp_path: Path) -> str:
    path = tmp_path / "memory.key"
    subprocess.run(["age-keygen", "-o", str(path)], check=True, capture_output=True)
    return str(path)


def names_and_bytes(remote: Path) -> dict[str, bytes]:
    names = git(remote, "ls-tree", "-r", "--name-only", "memtui/memory").splitlines()
    shown = (["git", "-C", str(remote), "show", f"memtui/memory:{name}"] for name in names)
    found = (subprocess.run(it, capture_output=True, check=True).stdout for it in shown)
    return dict(zip(names, found, strict=True))


@with_age
def test_files_are_encrypted_one_by_one_under_stable_names(
    tmp_path: Path, remote: Path, identity: str
) -> None:
    one, two = (Machine(tmp_path / it, remote, sync_identity=identity) for it in ("one", "two"))
    one.add(CONTENT)
    one.sync()
    first = names_and_bytes(remote)
    assert list(first) == ["mine/issue-0.json.age"]
    assert not any(b"merger" in data for data in first.values())
    two.add("Ask the lock first.", issue_number=1)
    two.sync()
    assert sorted(two.held().values()) == ["Ask the lock first.", CONTENT]
    second = names_and_bytes(remote)
    assert list(second) == ["mine/issue-0.json.age", "mine/issue-1.json.age"]
    assert second["mine/issue-0.json.age"] == first["mine/issue-0.json.age"]
    one.sync()
    assert one.plan().is_in_step


@with_age
def test_turning_it_on_encrypts_all_and_who_has_no_identity_is_told(
    tmp_path: Path, remote: Path, identity: str
) -> None:
    plain = Machine(tmp_path / "one", remote)
    plain.add(CONTENT)
    plain.sync()
    Machine(tmp_path / "one", remote, sync_identity=identity).sync()
    assert list(names_and_bytes(remote)) == ["mine/issue-0.json.age"]
    with pytest.raises(StoreError, match="The repository is encrypted"):
        plain.sync()
    other = tmp_path / "other.key"
    subprocess.run(["age-keygen", "-o", str(other)], check=True, capture_output=True)
    with pytest.raises(StoreError, match="age failed"):
        Machine(tmp_path / "two", remote, sync_identity=str(other)).sync()


def test_without_age_nothing_is_sent(
    tmp_path: Path, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Machine(tmp_path / "one", remote, sync_identity=str(tmp_path / "memory.key"))
    one.add(CONTENT)
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "git").symlink_to(shutil.which("git") or os.devnull)
    monkeypatch.setenv("PATH", str(programs))
    with pytest.raises(StoreError, match="age was not found") as caught:
        one.sync()
    assert "config unset sync_identity" in caught.value.hint
    assert git(remote, "for-each-ref") == ""
