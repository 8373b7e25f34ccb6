"""Memories through a bare repository: found, matched, kept, and never lost or doubled."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from store.backends.location import find_store
from store.backends.moving import move_memory
from store.backends.placement import MemoryPlace, prepare_place
from store.backends.text_kinds import TextKind
from store.backends.user_data import mine_memory, projects_folder
from store.errors import Away, InvalidSetting, Unreadable, WriteFailed
from store.memory import Memory
from store.model import Location
from store.sync.repository import Repository
from store.sync.sync import Sync, check_remote
from tests.store.factories import observation
from tests.store.repositories import repository
from tests.store.sync.machines import Machine, bare

Machines = tuple[Machine, Machine]


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return bare(tmp_path / "memory.git")


@pytest.fixture
def machines(tmp_path: Path, remote: Path) -> Machines:
    return Machine(tmp_path / "one", remote), Machine(tmp_path / "two", remote)


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def shop_of(machine: Machine, folder: str, remote: str = "git@host:me/shop.git") -> Path:
    """A checkout of a project on a machine, whose memory is in the user's data folder."""
    checkout = repository(machine.home / folder).root
    git(checkout, "remote", "add", "origin", remote)
    with machine.at_home():
        return prepare_place(checkout, MemoryPlace.USER)


def test_what_one_machine_adds_edits_and_removes_the_other_has(machines: Machines) -> None:
    one, two = machines
    tabs, spaces = one.add("Always use tabs."), one.add("Never use spaces.")
    assert (one.plan().sent, one.plan().is_first) == (2, True)
    one.sync()
    assert two.sync().plan.received == 2
    two.edit(tabs, content="Use tabs, but not in Markdown.", tags=("style",))
    two.remove(spaces)
    two.sync()
    [done] = one.sync().operations.values()
    assert one.held() == two.held() == {tabs: "Use tabs, but not in Markdown."}
    assert one.plan().is_in_step
    with one.memory() as memory:
        memory.undo(done)
    assert one.held() == {tabs: "Always use tabs.", spaces: "Never use spaces."}
    one.sync()
    two.sync()
    assert two.held() == one.held()


def test_a_first_sync_of_two_grown_memories_loses_and_doubles_nothing(
    machines: Machines,
) -> None:
    one, two = machines
    both = "obs-engineer-0-1772186400000-aaaaaa"
    added: dict[str, Any] = {"id": both, "timestamp": one.now()}
    for machine in machines:
        machine.add("Known to both.", **added)
        machine.add("Reworded on one alone.", **{**added, "id": f"{both}b"})
        machine.add("Removed on one alone.", **{**added, "id": f"{both}c"})
        machine.add(f"Only on {machine.home.name}.")
    first = one.add("Said on both.", tags=("one",))
    two.add("Said on both.", tags=("two",))
    one.edit(f"{both}b", content="Reworded.")
    one.remove(f"{both}c")
    one.sync()
    two.sync()
    one.sync()
    assert one.held() == two.held()
    texts = ["Known to both.", "Only on one.", "Only on two.", "Reworded.", "Said on both."]
    assert sorted(two.held().values()) == texts
    with two.memory() as memory:
        assert sorted(memory.get(first).tags) == ["one", "two"]


def test_what_both_sides_edited_is_kept_in_both_versions(machines: Machines) -> None:
    one, two = machines
    name = one.add("Tabs.")
    one.sync()
    two.sync()
    one.edit(name, content="Tabs always.")
    two.edit(name, content="Spaces always.")
    two.edit(name, tags=("style",))
    one.sync()
    [memory] = two.plan().memories
    assert memory.conflicts == (name,)
    two.sync()
    one.sync()
    for machine in machines:
        with machine.memory() as opened:
            found = opened.get(name)
            assert (found.content, found.tags) == ("Spaces always.", ("style",))
            assert [it["content"] for it in found.extra["conflict"]] == ["Tabs always."]


def test_what_was_removed_and_tagged_elsewhere_stays_on_a_third_machine_too(
    machines: Machines, tmp_path: Path, remote: Path
) -> None:
    one, two = machines
    three = Machine(tmp_path / "three", remote)
    three.add("Of another one.")
    name = one.add("Tabs.")
    one.sync()
    two.sync()
    two.remove(name)
    two.sync()
    three.sync()
    one.edit(name, tags=("style",))
    one.sync()
    three.sync()
    assert three.held() == one.held()
    assert name in three.held()


def test_a_project_is_known_by_its_remote_or_first_commit_not_by_its_path(
    machines: Machines,
) -> None:
    one, two = machines
    theirs = shop_of(one, "work/shop")
    ours = shop_of(two, "elsewhere/store", "https://host/me/shop")
    one.add("Locks rows by id.", memory=theirs)
    two.add("Ships on Fridays.", memory=ours)
    shop_of(one, "tools", "git@host:me/tools.git")
    with one.at_home():
        tools = next(projects_folder().glob("tools-*")) / ".agentx" / "memory"
    known = one.add("Builds with make.", memory=tools)
    one.sync()
    [mine, new] = two.sync().plan.memories
    assert (mine.name, mine.is_new, new.name, new.is_new) == ("store", False, "tools", True)
    one.sync()
    assert sorted(two.held(ours).values()) == ["Locks rows by id.", "Ships on Fridays."]
    assert one.held(theirs) == two.held(ours)
    checkout = repository(two.home / "tools-again").root
    git(checkout, "remote", "add", "origin", "ssh://git@host/me/tools")
    with two.at_home():
        found = find_store(checkout)
    assert two.held(Path(found)) == {known: "Builds with make."}
    two.add("Lints with ruff.", memory=Path(found))
    two.sync()
    one.sync()
    assert sorted(one.held(tools).values()) == ["Builds with make.", "Lints with ruff."]


def test_a_project_that_two_machines_send_at_once_is_one(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = machines
    theirs, ours = shop_of(one, "work/shop"), shop_of(two, "store")
    one.add("Locks rows by id.", memory=theirs)
    two.add("Ships on Fridays.", memory=ours)
    push = Repository.push

    def late(self: Repository, commit: str) -> str:
        monkeypatch.setattr(Repository, "push", push)
        one.sync()
        return push(self, commit)

    monkeypatch.setattr(Repository, "push", late)
    two.sync()
    one.sync()
    assert one.held(theirs) == two.held(ours)
    for machine in machines:
        with machine.at_home():
            assert len(list(projects_folder().iterdir())) == 1


def test_folders_without_git_stay_apart_whatever_their_paths(machines: Machines) -> None:
    one, two = machines
    for machine in machines:
        with machine.at_home():
            place = projects_folder() / "notes-12345678"
            place.mkdir(parents=True)
            about = {"version": 1, "folders": ["/home/me/notes"]}
            (place / "project.json").write_text(json.dumps(about))
            machine.add(machine.home.name, memory=place / ".agentx" / "memory")
    for machine in (one, two, one, two):
        machine.sync()
    for machine in machines:
        with machine.at_home():
            places = sorted(projects_folder().iterdir())
            texts = [[*machine.held(it / ".agentx" / "memory").values()] for it in places]
        assert texts == [[machine.home.name], [({"one", "two"} - {machine.home.name}).pop()]]


@pytest.mark.parametrize("place", [MemoryPlace.UNTRACKED, MemoryPlace.TRACKED])
def test_a_memory_that_moved_into_its_project_is_left_out_until_it_is_back(
    machines: Machines, place: MemoryPlace
) -> None:
    one, two = machines
    theirs, ours = shop_of(one, "shop"), shop_of(two, "shop")
    one.add("Locks rows by id.", memory=theirs)
    one.sync()
    two.sync()
    checkout = two.home / "shop"
    with two.at_home():
        moved = move_memory(ours, checkout, place)
    one.add("Ships on Fridays.", memory=theirs)
    one.sync()
    [left_out] = two.plan().memories
    assert left_out.problem == "It is kept in its project."
    two.sync()
    assert not ours.exists()
    with two.at_home():
        assert move_memory(moved, checkout, MemoryPlace.USER) == ours
    two.sync()
    one.sync()
    assert sorted(one.held(theirs).values()) == ["Locks rows by id.", "Ships on Fridays."]
    assert two.held(ours) == one.held(theirs)


def test_a_folder_that_is_gone_comes_back_and_takes_nothing_away(machines: Machines) -> None:
    one, two = machines
    name = one.add("Always use tabs.")
    one.sync()
    with one.memory() as memory:
        folder = memory.path
    shutil.rmtree(folder)
    assert one.sync().plan.received == 1
    two.sync()
    assert one.held() == two.held() == {name: "Always use tabs."}


def test_what_is_gone_on_a_machine_and_in_the_repository_comes_from_the_other(
    machines: Machines, remote: Path
) -> None:
    one, two = machines
    name = one.add("Always use tabs.")
    shop = shop_of(one, "shop")
    rows = one.add("Locks rows by id.", memory=shop)
    one.sync()
    two.sync()
    shutil.rmtree(remote)
    bare(remote)
    shutil.rmtree(shop)
    with one.memory() as memory:
        shutil.rmtree(memory.path)
    for machine in (one, two, one):
        machine.sync()
    assert one.held() == two.held() == {name: "Always use tabs."}
    assert one.held(shop) == {rows: "Locks rows by id."}


def test_a_copy_of_a_project_s_place_is_a_project_of_its_own(machines: Machines) -> None:
    one, two = machines
    shop = shop_of(one, "shop")
    one.add("Locks rows by id.", memory=shop)
    one.sync()
    place = shop.parents[1]
    copy = place.with_name("copied") / ".agentx" / "memory"
    shutil.copytree(place, copy.parents[1])
    other = one.add("Ships on Fridays.", memory=copy)
    one.sync()
    two.sync()
    assert list(one.held(shop).values()) == ["Locks rows by id."]
    assert other in one.held(copy)
    with two.at_home():
        assert len(list(projects_folder().iterdir())) == 2


@pytest.mark.parametrize("key", ["../../evil", "a/b", "", " "])
def test_a_key_that_is_no_name_of_a_folder_is_replaced(machines: Machines, key: str) -> None:
    one, two = machines
    shop = shop_of(one, "shop")
    one.add("Locks rows by id.", memory=shop)
    about = shop.parents[1] / "project.json"
    about.write_text(json.dumps({**json.loads(about.read_text()), "key": key}))
    one.sync()
    assert json.loads(about.read_text())["key"] == about.parent.name
    assert two.sync().plan.received == 1


def test_a_file_that_cannot_be_read_is_left_out_and_loses_nothing(machines: Machines) -> None:
    one, two = machines
    name = one.add("Always use tabs.")
    one.sync()
    two.sync()
    with one.at_home():
        file = mine_memory() / "issue-0.json"
    good = file.read_bytes()
    file.write_bytes(b"{")
    two.edit(name, content="Tabs.")
    two.sync()
    [memory] = one.sync().plan.memories
    assert "not valid JSON" in memory.problem
    file.write_bytes(good)
    one.sync()
    two.sync()
    assert one.held() == two.held() == {name: "Tabs."}


def test_somebody_who_was_faster_is_merged_and_nothing_is_forced(
    machines: Machines, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = machines
    one.add("From one.")
    two.add("From two.")
    one.sync()
    push, faster = Repository.push, [lambda: one.add("Faster."), lambda: one.add("Faster still.")]

    def late(self: Repository, commit: str) -> str:
        if faster and self.folder.is_relative_to(two.home):
            faster.pop(0)()
            one.sync()
        return push(self, commit)

    monkeypatch.setattr(Repository, "push", late)
    two.sync()
    monkeypatch.undo()
    one.sync()
    assert sorted(two.held().values()) == ["Faster still.", "Faster.", "From one.", "From two."]
    assert one.held() == two.held()
    log = git(remote, "log", "--format=%an %s", "memtui/memory").splitlines()
    assert {line.split()[0] for line in log} == {"memtui"}
    assert "memtui Sync 1 memory: 1 added" in log


def test_what_a_repository_refuses_waits_and_what_it_has_comes(
    machines: Machines, remote: Path
) -> None:
    one, two = machines
    one.add("From one.")
    one.sync()
    two.add("From two.")
    hook = remote / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho 'not today' >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(WriteFailed, match="takes nothing"):
        two.sync()
    assert sorted(two.held().values()) == ["From one.", "From two."]
    hook.unlink()
    assert two.plan().sent == 1
    two.sync()
    one.sync()
    assert one.held() == two.held()


def test_what_a_full_disk_refuses_is_not_said_to_be_received(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = machines
    one.add("From one.")
    one.sync()
    two.add("From two.")

    def refuse(*_: object) -> None:
        raise WriteFailed("The disk is full.", "")

    with monkeypatch.context() as full:
        full.setattr(Memory, "apply", refuse)
        done = two.sync()
    assert (done.plan.sent, done.plan.received, done.left) == (1, 0, ("mine: The disk is full.",))
    assert two.sync().plan.received == 1


def test_offline_everything_waits(machines: Machines, remote: Path) -> None:
    one, two = machines
    name = one.add("Always use tabs.")
    one.sync()
    away = remote.rename(remote.with_name("away.git"))
    other = one.add("Never use spaces.")
    plan = one.plan()
    assert (plan.sent, "can't be reached" in plan.away) == (1, True)
    with pytest.raises(Away, match="does not appear to be a git repository"):
        one.sync()
    away.rename(remote)
    one.sync()
    two.sync()
    assert two.held() == {name: "Always use tabs.", other: "Never use spaces."}


def test_a_repository_that_was_begun_anew_gets_all_again(machines: Machines, remote: Path) -> None:
    one, two = machines
    name = one.add("Always use tabs.")
    one.sync()
    two.sync()
    shutil.rmtree(remote)
    bare(remote)
    one.sync()
    two.sync()
    assert one.held() == two.held() == {name: "Always use tabs."}


def test_digests_of_sessions_go_along_where_a_setting_says_so(tmp_path: Path, remote: Path) -> None:
    one, two = (Machine(tmp_path / it, remote, sync_sessions=True) for it in ("one", "two"))
    three = Machine(tmp_path / "three", remote)
    one.add("Always use tabs.")
    with one.memory() as memory:
        memory.backend.texts.keep(TextKind.SESSIONS, "abc", b'{"asked": "What?"}')
    for machine in (one, two, three, two):
        machine.sync()
    names = {}
    for machine in (two, three):
        with machine.memory() as memory:
            names[machine.home.name] = memory.backend.texts.names(TextKind.SESSIONS)
    assert names == {"two": ["abc"], "three": []}


def test_what_others_wrote_into_memory_leaves_without_secrets(
    machines: Machines, remote: Path
) -> None:
    one, _ = machines
    with one.memory() as memory:
        memory.add([observation(content="The key is here.", issue_number=0)])
        file = memory.path / "issue-0.json"
        secret = "ghp_" + "a1B2c3D4" * 4 + "wxyz"
        file.write_text(file.read_text().replace("The key is here", f"The key is {secret}"))
    one.sync()
    sent = git(remote, "show", "memtui/memory:mine/issue-0.json")
    assert "The key is" in sent
    assert secret not in sent
    assert one.plan().is_in_step


def test_an_edit_elsewhere_leaves_counters_of_use_as_they_are(machines: Machines) -> None:
    one, two = machines
    name = one.add("Always use tabs.")
    one.sync()
    two.sync()
    with one.memory() as memory:
        file = memory.path / "issue-0.json"
        file.write_text(file.read_text().replace('"recallCount": 0', '"recallCount": 7'))
    assert one.plan().is_in_step
    two.edit(name, tags=("style",))
    two.sync()
    one.sync()
    with one.memory() as memory:
        assert (memory.get(name).recall_count, memory.get(name).tags) == (7, ("style",))


def test_what_is_recalled_on_one_machine_is_not_stale_on_the_other(
    machines: Machines, remote: Path
) -> None:
    one, two = machines
    name = one.add("Always use tabs.")
    one.sync()
    two.sync()
    _tell(one, name, "2026-03-05T10:00:00.000Z", "2026-03-09T10:00:00.000Z")
    for machine in (one, two, one, two):
        machine.sync()
    assert _use(two, name) == (2, 9)
    _tell(two, name, "2026-03-20T10:00:00.000Z")
    _tell(one, name, "2026-03-11T10:00:00.000Z", "2026-03-12T10:00:00.000Z")
    for machine in (one, two, one, two):
        machine.sync()
    assert _use(one, name) == _use(two, name) == (5, 20)
    sent = git(remote, "rev-parse", "memtui/memory")
    _tell(one, name, "2026-03-20T22:00:00.000Z")
    assert one.plan().is_in_step
    one.sync()
    assert git(remote, "rev-parse", "memtui/memory") == sent
    two.edit(name, tags=("style",))
    for machine in (two, one, two):
        machine.sync()
    assert _use(one, name) == _use(two, name) == (6, 20)


def test_what_is_mine_is_recalled_in_projects(machines: Machines) -> None:
    one, two = machines
    name = one.add("Always use tabs.")
    with one.at_home():
        kept = prepare_place(repository(one.home / "shop").root, MemoryPlace.USER)
    one.sync()
    two.sync()
    _tell(one, name, "2026-03-05T10:00:00.000Z", memory=kept)
    one.sync()
    two.sync()
    assert _use(two, name) == (1, 5)


def _tell(machine: Machine, name: str, *times: str, memory: Path | None = None) -> None:
    with machine.memory(memory) as opened:
        opened.backend.texts.keep(TextKind.SESSIONS, "abc", b"{}")
        for time in times:
            opened.backend.log.append(
                {"type": "recalled", "timestamp": time, "observationIds": [name]}
            )


def _use(machine: Machine, name: str) -> tuple[int, int]:
    """The recalls of a memory by its record, and the day of the last."""
    with machine.memory() as opened:
        record = opened.backend.read(0).find(Location.ISSUE, name)
        assert record is not None
        return record["recallCount"], int(record["lastRecalled"][8:10])


@pytest.mark.parametrize("elsewhere", ["untouched", "edited", "removed"])
def test_what_is_forgotten_on_one_machine_is_forgotten_on_all(
    machines: Machines, remote: Path, elsewhere: str
) -> None:
    """From memories, journal, injected texts and digests, and nothing brings it back."""
    one, two = machines
    name, other = one.add("Ana's badge opens the lab."), one.add("Always use tabs.")
    one.sync()
    two.sync()
    with two.memory() as memory:
        memory.apply(memory.plan.edit(name, {"tags": ("badge",)}))
        memory.recall.inject(memory.recall.plan(), "engineer", 0, session_id="s")
        digest = b'{"asked": ["Ana\'s badge opens the lab."]}'
        memory.backend.texts.keep(TextKind.SESSIONS, "abc", digest)
    with two.memory(shop_of(two, "shop")) as memory:
        text = f"# Memories\n{name} Ana's badge opens the lab.\n".encode()
        memory.backend.texts.keep(TextKind.RECALLS, "abc", text)
    if elsewhere == "edited":
        two.edit(name, content="Ana's badge opens the lab. Since May.")
    elif elsewhere == "removed":
        two.remove(name)
    with one.memory() as memory:
        memory.forget(memory.plan.forget(name))
    one.sync()
    assert sum(one.forgets for one in two.plan().memories) == (elsewhere != "removed")
    for machine in (two, one, two):
        machine.sync()
    assert one.held() == two.held() == {other: "Always use tabs."}
    assert one.plan().is_in_step and two.plan().is_in_step
    for machine in machines:
        for file in machine.home.rglob("*"):
            if file.is_file() and "sync" not in file.relative_to(machine.home).parts:
                assert b"badge" not in file.read_bytes(), file
    files = git(remote, "ls-tree", "-r", "--name-only", "memtui/memory").split()
    assert not any("badge" in git(remote, "show", f"memtui/memory:{file}") for file in files)


def test_two_syncs_at_once_on_a_machine_wait_for_each_other(machines: Machines) -> None:
    one, two = machines
    one.add("Always use tabs.")
    with one.at_home(), ThreadPoolExecutor() as pool:
        both = [pool.submit(one.new_sync().run) for _ in range(2)]
        sent = [each.result().plan.sent for each in both]
    assert sorted(sent) == [0, 1]
    two.sync()
    assert one.held() == two.held()


def write_theirs(remote: Path, change: Callable[[Path], object]) -> None:
    """Change the repository as somebody else would, by a clone."""
    clone = remote.with_name("clone")
    subprocess.run(
        ["git", "clone", "-q", "-b", "memtui/memory", str(remote), str(clone)], check=True
    )
    change(clone)
    git(clone, "add", "-A")
    git(clone, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "Change by hand")
    git(clone, "push", "-q")


def test_a_repository_leads_nowhere_and_what_is_not_ours_stays(
    machines: Machines, remote: Path, tmp_path: Path
) -> None:
    one, two = machines
    one.add("Always use tabs.")
    one.sync()

    def plant(clone: Path) -> None:
        (clone / "README").write_text("Ours is elsewhere.\n")
        (clone / "projects" / ".hidden").mkdir(parents=True)
        (clone / "projects" / ".hidden" / "issue-1.json").write_text("{}")
        (clone / "mine" / "issue-2.json").symlink_to(tmp_path / "secret")
        (clone / "mine" / "activity.jsonl").write_text("{}\n")

    write_theirs(remote, plant)
    two.sync()
    two.add("Never use spaces.")
    two.sync()
    assert sorted(two.held().values()) == ["Always use tabs.", "Never use spaces."]
    names = git(remote, "ls-tree", "-r", "--name-only", "memtui/memory").splitlines()
    assert {"README", "mine/activity.jsonl", "mine/issue-0.json"} <= {*names}


def test_a_file_that_may_be_executed_is_not_taken_to_be_gone(
    machines: Machines, remote: Path
) -> None:
    one, _ = machines
    one.add("Always use tabs.")
    one.add("Ship on Fridays.", issue_number=7)
    one.sync()
    write_theirs(remote, lambda clone: (clone / "mine" / "issue-7.json").chmod(0o755))
    one.sync()
    assert sorted(one.held().values()) == ["Always use tabs.", "Ship on Fridays."]


def test_a_damaged_file_in_the_repository_is_not_taken_for_an_empty_one(
    machines: Machines, remote: Path
) -> None:
    one, _ = machines
    one.add("Always use tabs.")
    one.sync()
    write_theirs(remote, lambda clone: (clone / "mine" / "issue-0.json").write_text("{"))
    for machine in machines:
        with pytest.raises(Unreadable, match=r"memory\.git: .* is not valid JSON") as raised:
            machine.sync()
        assert "In a clone of it" in raised.value.hint
    assert list(one.held().values()) == ["Always use tabs."]


def test_a_record_whose_time_is_a_number_stops_no_sync(machines: Machines) -> None:
    one, two = machines
    one.add("Always use tabs.")
    with one.at_home():
        file = mine_memory() / "issue-0.json"
    kept = json.loads(file.read_text())
    kept["observations"][0]["timestamp"] = 1_772_186_400_000
    file.write_text(json.dumps(kept))
    one.sync()
    assert two.sync().plan.received == 1
    assert two.plan().is_in_step


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("me@server:memory.git", "me@server:memory.git"),
        ("ssh://me@server/memory.git", "ssh://me@server/memory.git"),
        ("/srv/../srv/memory.git", "/srv/memory.git"),
        ("https://me:secret@server/memory.git", "https://me@server/memory.git was given with"),
        ("--upload-pack=evil", "is no git repository"),
        ("ext::sh -c evil", "is no git repository"),
    ],
)
def test_a_repository_is_named_by_path_or_address_without_a_password(given: str, kept: str) -> None:
    if kept.endswith(".git"):
        assert check_remote(given) == kept
        return
    with pytest.raises(InvalidSetting, match=kept) as caught:
        check_remote(given)
    assert "secret" not in caught.value.full_message


def test_without_a_repository_or_git_it_says_what_to_do(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from store.errors import StoreError

    with pytest.raises(InvalidSetting, match="No repository"):
        Sync(replace(machines[0].settings, sync_remote=""))
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(StoreError, match="git was not found"):
        machines[0].sync()
