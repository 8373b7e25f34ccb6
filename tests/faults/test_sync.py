"""A sync that breaks off at any call, its own or git's: the next ones lose and double nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from store.backends.user_data import KeptProject, projects_folder, write_project
from store.sync.repository import Repository
from tests.faults.modes import Killed
from tests.faults.scenarios import bury
from tests.faults.steps import SAMPLED, at_each_call
from tests.store.sync.machines import Machine, bare

REMOTE = "box:memory.git"
"""The same name wherever the folder is: git is told what it stands for."""
EXPECTED = [
    "(Archived on one.)",
    "Added on one.",
    "Added on two.",
    "Edited on one.",
    "Edited on two.",
    "Rewritten on two, also removed elsewhere.",
    "Said on both.",
]


def _shop(machine: Machine, name: str = "shop-1a2b3c4d") -> Path:
    """The memory of a project, which is new to the second machine."""
    with machine.at_home():
        place = projects_folder() / name
        if machine.home.name == "one":
            remotes = ("host/me/shop",)
            write_project(KeptProject(place, (f"{machine.home}/shop",), remotes))
    return place / ".agentx" / "memory"


def _machine(folder: Path, name: str) -> Machine:
    config = folder / "gitconfig"
    config.write_text(f'[url "{folder}/"]\n\tinsteadOf = box:\n')
    os.environ["GIT_CONFIG_GLOBAL"] = str(config)
    return Machine(folder / name, REMOTE)


@pytest.fixture(autouse=True)
def _git_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)


def _prepare(folder: Path) -> None:
    """Two machines in step, then each with changes that the other has not; two syncs next."""
    bare(folder / "memory.git")
    one, two = _machine(folder, "one"), _machine(folder, "two")
    names = [one.add(f"Memory {number}.") for number in range(5)]
    one.sync()
    two.sync()
    one.add("Added on one.")
    one.edit(names[0], content="Edited on one.")
    one.remove(names[1])
    one.remove(names[3])
    with one.memory() as memory:
        memory.apply(memory.plan.edit(names[2], {"content": "Archived on one."}))
        memory.apply(memory.plan.archive(names[2]))
    one.add("Said on both.")
    one.add("Locks rows by id.", memory=_shop(one))
    one.sync()
    two.add("Said on both.")
    two.add("Added on two.")
    two.edit(names[3], content="Rewritten on two, also removed elsewhere.")
    two.edit(names[4], content="Edited on two.")
    for cache in folder.glob("*/cache"):
        shutil.rmtree(cache)


def _sync(folder: Path) -> None:
    _machine(folder, "two").sync()


def _check(folder: Path, where: str) -> None:
    one, two = _machine(folder, "one"), _machine(folder, "two")
    two.sync()
    one.sync()
    assert sorted(two.held().values()) == EXPECTED, where
    assert one.held() == two.held(), where
    new = two.held(_shop(two, "shop-1a2b3c4d-synced"))
    assert list(new.values()) == ["Locks rows by id."], where
    assert two.plan().is_in_step, where


@SAMPLED
def test_a_sync_that_breaks_off_at_any_write_is_simply_done_again(
    tmp_path: Path, every: int
) -> None:
    assert at_each_call(tmp_path, _prepare, _sync, _check, every) > 60


class _Dying(Repository):
    """Git's calls, of which one ends the process: before it is made, or with its answer lost."""

    left = 0
    is_made = False

    def _run(self, arguments: Sequence[str], given: bytes = b"", **more: Any) -> Any:  # noqa: ANN401
        _Dying.left -= 1
        if _Dying.left < 0 and not self.is_made:
            raise Killed
        done = super()._run(arguments, given, **more)
        if _Dying.left < 0:
            raise Killed
        return done


@pytest.mark.parametrize("is_made", [False, True], ids=["before it", "after it"])
@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.long)])
def test_a_sync_that_breaks_off_at_any_call_of_git_is_simply_done_again(
    tmp_path: Path, every: int, is_made: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.sync.sync.Repository", _Dying)
    monkeypatch.setattr(_Dying, "is_made", is_made)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    _Dying.left = 1_000
    _prepare(tmp_path / "template")
    for point in range(0, 100, every):
        shutil.copytree(tmp_path / "template", folder := tmp_path / str(point))
        _Dying.left = point
        try:
            _sync(folder)
        except Killed:
            is_whole = False
        else:
            is_whole = True
        bury(folder)
        _Dying.left = 1_000
        _check(folder, f"at call {point}")
        shutil.rmtree(folder)
        if is_whole:
            break
    assert point > 15


def _prepare_to_forget(folder: Path) -> None:
    """Two machines in step, of which one forgets what the other edited; its sync is next."""
    bare(folder / "memory.git")
    one, two = _machine(folder, "one"), _machine(folder, "two")
    name = one.add("Ana's badge opens the lab.")
    one.add("Always use tabs.")
    one.sync()
    two.sync()
    two.edit(name, content="Ana's badge opens all doors.")
    with one.memory() as memory:
        memory.forget(memory.plan.forget(name))
    one.sync()
    for cache in folder.glob("*/cache"):
        shutil.rmtree(cache)


def _check_forgotten(folder: Path, where: str) -> None:
    one, two = _machine(folder, "one"), _machine(folder, "two")
    for machine in (two, one, two):
        machine.sync()
    assert list(two.held().values()) == list(one.held().values()) == ["Always use tabs."], where
    assert two.plan().is_in_step, where
    for file in (two.home / "data" / "memtui" / "mine").rglob("*"):
        assert not file.is_file() or b"badge" not in file.read_bytes(), (where, file)


@SAMPLED
def test_what_is_forgotten_as_elsewhere_is_so_in_the_end(tmp_path: Path, every: int) -> None:
    assert at_each_call(tmp_path, _prepare_to_forget, _sync, _check_forgotten, every) > 60
