"""Where memory goes: nothing in a project unasked, and a memory outside works as one in it."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memtui.hooks.background import index
from store import open_memory
from store.backends.files.backend import FilesBackend
from store.backends.files.locks import StoreLock
from store.backends.moving import move_memory
from store.backends.placement import MemoryPlace
from store.backends.text_kinds import TextKind
from store.backends.user_data import project_root
from store.errors import LockTimeout, WriteFailed
from tests.in_process import run_here
from tests.store.agents.test_ownership import git, repository
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import observation


class User:
    """Somebody with a home, who runs memtui in folders."""

    def __init__(self, home: Path) -> None:
        self.home = home
        home.mkdir()
        self.variables: dict[str, str] = {}

    @property
    def environ(self) -> dict[str, str]:
        plain = {"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        return {**plain, **self.variables}

    def run(self, folder: Path, *words: str, told: str = "", code: int = 0) -> str:
        left, said = run_here(words, folder, self.environ, told)
        assert left == code, said
        return said

    def stop(
        self, folder: Path, name: str = "s", branch: str = "main", at: Path | None = None
    ) -> str:
        """Let a session of Claude Code end a turn there; what the hook prints, run `at` a place."""
        made = ClaudeCode(session=name, cwd=str(folder), branch=branch)
        made.user("How long may the lock wait?").edit(f"waits-{name}.py").agent(
            f"It waits three seconds in {name} now."
        )
        path = self.home / f"{name}.jsonl"
        path.write_text("\n".join(made.lines))
        given = {"session_id": name, "cwd": str(folder), "transcript_path": str(path)}
        words = ("hook", "stop", "--channel", "claude-code")
        return self.run(at or folder, *words, told=json.dumps(given))

    @property
    def projects(self) -> list[Path]:
        """The folders of projects in the user's data folder."""
        return sorted((self.home / ".local/share/memtui/projects").glob("*"))


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path / "home")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop", "lock.py")


def status(folder: Path) -> str:
    return git(folder, "status", "--porcelain", "--ignored")


def test_hooks_leave_nothing_in_a_project(user: User, shop: Path) -> None:
    git(shop, "switch", "-qc", "waits")
    user.stop(shop, branch="waits")
    assert status(shop) == ""
    assert not (shop / ".agentx").exists()
    (place,) = user.projects
    assert place.name.startswith("shop-")
    assert place.stat().st_mode & 0o077 == 0
    assert "three seconds" in user.run(shop, "list")
    given = json.dumps({"session_id": "t", "cwd": str(shop), "source": "startup"})
    told = user.run(shop, "hook", "session-start", "--channel", "claude-code", told=given)
    assert "three seconds" in told


@pytest.mark.parametrize(
    ("place", "seen"),
    [("user", ""), ("untracked", "!! .agentx/"), ("tracked", "?? .agentx/")],
)
def test_hooks_keep_where_the_user_said(user: User, shop: Path, place: str, seen: str) -> None:
    user.run(shop, "hooks", "install", "claude-code", "--yes", "--memory", place)
    user.stop(shop)
    assert seen in status(shop)
    assert (shop / ".agentx").exists() is (place != "user")
    assert "three seconds" in user.run(shop, "list")


def test_init_says_it_for_one_project(user: User, tmp_path: Path, shop: Path) -> None:
    user.run(shop, "init")
    user.stop(shop)
    assert "!! .agentx/" in status(shop)
    assert "three seconds" in user.run(shop, "list")
    other = repository(tmp_path / "till")
    user.stop(other)
    assert status(other) == ""
    assert "memtui move" in user.run(other, "init", code=1)


def test_a_rule_that_leaves_out_what_git_is_to_track_is_named(user: User, shop: Path) -> None:
    (shop / ".gitignore").write_text(".agentx\n")
    rule = "git leaves it out all the same, by a rule of yours: .gitignore:1:.agentx"
    assert rule in user.run(shop, "init", "tracked")
    assert rule not in user.run(shop, "move", "user", "--yes")
    assert rule in user.run(shop, "move", "tracked", "--yes")


def test_a_server_leaves_nothing_in_a_project(user: User, shop: Path) -> None:
    call = {
        "name": "memory_add",
        "arguments": {"content": "The lock waits three seconds.", "category": "lesson"},
    }
    told = [
        {"method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}}},
        {"method": "tools/call", "params": call},
    ]
    lines = [json.dumps({"jsonrpc": "2.0", "id": at, **it}) for at, it in enumerate(told)]
    subprocess.run(
        [sys.executable, "-I", "-m", "memtui", "mcp"],
        input="\n".join(lines) + "\n", cwd=shop, env=user.environ,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert status(shop) == ""
    assert "three seconds" in user.run(shop, "list")


@pytest.mark.parametrize("by", ["remote", "first commit", "path"])
def test_a_project_is_found_again(user: User, tmp_path: Path, shop: Path, by: str) -> None:
    if by == "remote":
        git(shop, "remote", "add", "origin", "git@github.com:someone/shop.git")
    user.stop(shop)
    again = shop / "below"
    if by == "path":
        again.mkdir()
    else:
        again = tmp_path / "renamed"
        shop.rename(again)
    if by == "remote":
        git(again, "remote", "set-url", "origin", "https://github.com/someone/shop")
    assert "three seconds" in user.run(again, "list")
    user.stop(again, "later")
    assert len(user.projects) == 1


@pytest.mark.parametrize("is_repository", [True, False])
def test_a_project_is_found_again_by_the_name_of_its_place(
    user: User, tmp_path: Path, shop: Path, is_repository: bool
) -> None:
    """Also where a client runs its hooks elsewhere, and the agent is in a folder of it."""
    root = shop if is_repository else tmp_path / "notes"
    below = root / "below" / "deep"
    below.mkdir(parents=True)
    user.stop(root)
    user.run(root, "add", "Carts are small", "--pinned")
    (place,) = user.projects
    about = place / "project.json"
    known = about.read_text()
    about.unlink()
    given = json.dumps({"session_id": "t", "cwd": str(below), "source": "startup"})
    words = ("hook", "session-start", "--channel", "claude-code")
    assert "Carts" in user.run(tmp_path, *words, told=given)
    assert "Carts" in user.run(below, "list")
    user.stop(below, "later", at=tmp_path)
    assert user.projects == [place]
    assert about.read_text() == known
    assert "seconds in later" in user.run(below, "list")


@pytest.mark.parametrize("same", ["remote", "first commit"])
def test_what_only_looks_like_it_is_another(
    user: User, tmp_path: Path, shop: Path, same: str
) -> None:
    git(shop, "remote", "add", "origin", "git@github.com:someone/shop.git")
    user.stop(shop)
    if same == "remote":
        other = repository(tmp_path / "other", "other.py")
        git(other, "remote", "add", "origin", "git@github.com:someone/shop.git")
    else:
        other = tmp_path / "fork"
        git(tmp_path, "clone", "-q", str(shop), str(other))
        git(other, "remote", "set-url", "origin", "git@github.com:another/fork.git")
    assert "three seconds" not in user.run(other, "list", code=1)


@pytest.mark.parametrize("is_new", [True, False])
def test_another_repository_at_the_path_of_a_project_is_another(
    user: User, tmp_path: Path, shop: Path, is_new: bool
) -> None:
    user.stop(shop)
    old = tmp_path / "old"
    shop.rename(old)
    if is_new:
        shop.mkdir()
        git(shop, "init", "-q")
    else:
        repository(tmp_path / "till", "till.py").rename(shop)
    assert "three seconds" not in user.run(shop, "list", code=1)
    user.stop(shop, "till")
    assert len(user.projects) == 2
    assert "in till now" in user.run(shop, "list")
    assert "in till now" not in user.run(old, "list")
    assert "in s now" in user.run(old, "list")
    user.run(shop, "move", "untracked", "--yes")
    user.run(old, "move", "untracked", "--yes")
    assert [git(at, "status", "--porcelain") for at in (shop, old)] == ["", ""]


def test_what_is_found_out_of_a_project_later_is_kept(
    user: User, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository that had no commit yet, or was restored from a backup."""
    user.stop(shop)
    (place,) = user.projects
    before = json.loads((place / "project.json").read_text())
    (place / "project.json").write_text(
        json.dumps({**before, "firstCommits": [], "repositories": []})
    )
    monkeypatch.setenv("HOME", str(user.home))
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    index(place / ".agentx" / "memory")
    assert json.loads((place / "project.json").read_text()) == before
    assert len(before["firstCommits"]) == len(before["repositories"]) == 1


@pytest.mark.parametrize("mark", [True, False])
def test_a_project_with_a_new_remote_is_the_same(user: User, shop: Path, mark: bool) -> None:
    git(shop, "remote", "add", "origin", "git@github.com:someone/shop.git")
    user.stop(shop)
    git(shop, "remote", "set-url", "origin", "git@github.com:another/till.git")
    if not mark:
        (about,) = (place / "project.json" for place in user.projects)
        about.write_text(json.dumps({**json.loads(about.read_text()), "repositories": []}))
    assert "three seconds" in user.run(shop, "list")


def test_another_repository_is_not_the_root_of_a_project_that_was_there(
    user: User, tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user.stop(shop)
    (place,) = user.projects
    monkeypatch.setenv("HOME", str(user.home))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.chdir("/")
    memory = place / ".agentx" / "memory"
    assert project_root(memory) == shop
    shop.rename(tmp_path / "old")
    repository(tmp_path / "till", "till.py").rename(shop)
    assert project_root(memory) == place


def test_a_memory_moves_there_and_back(user: User, shop: Path) -> None:
    user.run(shop, "init", "tracked")
    user.stop(shop)
    (shop / ".agentx" / "memtui.toml").write_text("max_tokens = 1234\n")
    before = user.run(shop, "list", "--json")
    history = user.run(shop, "history", "--json")
    for place, seen in (("user", ""), ("untracked", "!!"), ("tracked", "??")):
        told = user.run(shop, "move", place, "--yes")
        assert "Undo with `memtui move" in told
        assert user.run(shop, "list", "--json") == before
        assert user.run(shop, "history", "--json") == history
        assert "1234" in user.run(shop, "config")
        assert status(shop).startswith(seen) and bool(status(shop)) is bool(seen)
        for words in (["stats"], ["doctor"], ["search", "seconds"], ["budget"]):
            user.run(shop, *words)
    assert "three seconds" in user.run(shop / ".agentx", "list")
    user.run(shop, "undo", "--yes")


@pytest.fixture
def tracked(user: User, shop: Path) -> Path:
    """A project in which git tracks a memory of the team's, all of it committed."""
    user.run(shop, "init", "tracked")
    user.run(shop, "add", "Carts are kept for a day.", "--pinned")
    git(shop, "add", "-A")
    git(shop, "commit", "-qm", "Begin memory")
    return shop


def told_at_start(user: User, folder: Path) -> str:
    given = json.dumps({"session_id": "t", "cwd": str(folder), "source": "startup"})
    return user.run(folder, "hook", "session-start", "--channel", "claude-code", told=given)


def test_what_is_captured_beside_a_teams_memory_stays_the_users(user: User, tracked: Path) -> None:
    begun = "What is captured or added here stays yours: "
    git(tracked, "switch", "-qc", "waits")
    assert begun in user.stop(tracked, branch="waits")
    assert git(tracked, "status", "--porcelain") == ""
    (place,) = user.projects
    assert "three seconds" in user.run(tracked, "list", "--dir", str(place))
    told = told_at_start(user, tracked)
    assert "three seconds" in told and "Carts are kept" in told
    assert begun not in user.stop(tracked, "later", branch="waits")
    assert git(tracked, "status", "--porcelain") == ""
    for _ in range(2):
        user.run(tracked, "undo", "--yes")
    assert "three seconds" not in user.run(tracked, "list")
    assert "Carts are kept" in user.run(tracked, "list")


@pytest.mark.parametrize("rule", ["team", "tracked", "project"])
def test_what_is_captured_goes_to_the_team_by_a_rule(user: User, tracked: Path, rule: str) -> None:
    if rule == "team":
        user.run(tracked, "config", "set", "capture_level", "team")
    elif rule == "tracked":
        user.run(tracked, "config", "set", "memory_place", "tracked")
    else:
        user.run(tracked, "add", "Mine", "--level", "project")
        user.run(tracked, "config", "set", "capture_level", "team", "--project")
        assert "memtui.toml" not in git(tracked, "status", "--porcelain")
    assert "stays yours" not in user.stop(tracked)
    assert "three seconds" in user.run(tracked, "list", "--dir", str(tracked / ".agentx/memory"))
    assert "issue-0.json" in git(tracked, "status", "--porcelain")
    assert len(user.projects) == (rule == "project")


def test_what_a_rule_kept_from_the_team_is_said(user: User, tracked: Path) -> None:
    user.run(tracked, "config", "set", "capture_level", "team")
    assert "kept from the team" not in user.run(tracked, "status")
    given = {"session_id": "s", "cwd": str(tracked), "transcript_path": str(user.home / "s.jsonl")}
    made = ClaudeCode(session="s", cwd=str(tracked))
    made.user("Where do logs go?").edit("logs.py").agent("Logs go to /home/ana/logs now.")
    (user.home / "s.jsonl").write_text("\n".join(made.lines))
    told = user.run(tracked, "hook", "stop", "--channel", "claude-code", told=json.dumps(given))
    assert "stays: it names the home folder /home/ana" in told
    assert "1 kept from the team" in user.run(tracked, "status")
    assert json.loads(user.run(tracked, "status", "--json"))["keptBack"] == 1
    assert "/home/ana" in user.run(tracked, "search", "level:project")


@pytest.mark.parametrize("removed_from", ["team", "project"])
def test_what_was_removed_is_not_captured_again_at_another_level(
    user: User, tracked: Path, removed_from: str
) -> None:
    user.run(tracked, "config", "set", "capture_level", removed_from)
    user.stop(tracked)
    (hit,) = json.loads(user.run(tracked, "search", "seconds", "--json"))["hits"]
    user.run(tracked, "remove", hit["id"], "--yes")
    other = {"team": "project", "project": "team"}[removed_from]
    user.run(tracked, "config", "set", "capture_level", other)
    user.stop(tracked)
    assert "three seconds" not in user.run(tracked, "list")


def test_a_move_onto_another_memory_is_refused(user: User, shop: Path) -> None:
    user.stop(shop)
    (shop / ".agentx" / "memory").mkdir(parents=True)
    user.run(shop, "add", "Another.")
    assert "has a memory already" in user.run(shop, "move", "tracked", "--yes", code=1)


def test_a_move_to_another_disk_leaves_no_empty_memory(
    user: User, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NFS keeps a file that is open in a folder, as the lock is, until it is closed."""
    user.run(shop, "init", "tracked")
    user.stop(shop)
    rename, rmtree = Path.rename, shutil.rmtree

    def rename_here(self: Path, target: Path) -> Path:
        if shop in self.parents and shop not in target.parents:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        return rename(self, target)

    def rmtree_but_open(path: Path, *, ignore_errors: bool = False) -> None:
        if not ignore_errors:
            raise OSError(errno.ENOTEMPTY, "Directory not empty")
        rmtree(path, ignore_errors=True)

    monkeypatch.setattr(Path, "rename", rename_here)
    monkeypatch.setattr("store.backends.moving.shutil.rmtree", rmtree_but_open)
    user.run(shop, "move", "user", "--yes")
    assert "three seconds" in user.run(shop, "list")
    assert not (shop / ".agentx").exists()


def test_a_move_waits_for_who_writes(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.backends.files.locks.TIMEOUT", 0.1)
    memory = shop / ".agentx" / "memory"
    with open_memory(memory, cache=shop / "cache") as opened:
        opened.store([observation("One")])
    lock = StoreLock(memory)
    held, done = threading.Event(), threading.Event()

    def write() -> None:
        with lock.hold():
            held.set()
            done.wait(30)

    writer = threading.Thread(target=write)
    writer.start()
    held.wait(30)
    with pytest.raises(LockTimeout):
        move_memory(memory, shop, MemoryPlace.USER)
    done.set()
    writer.join()
    assert memory.is_dir()


def test_who_had_memory_open_begins_no_other_after_a_move(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    memory = shop / ".agentx" / "memory"
    with open_memory(memory, cache=shop / "cache") as opened:
        opened.store([observation("One")])
    with open_memory(memory, cache=shop / "cache") as opened:
        target = move_memory(memory, shop, MemoryPlace.USER)
        with pytest.raises(WriteFailed, match=r"memory of this project is in .* now"):
            opened.store([observation("Two")])
        opened.record_failure("hook stop", "Gone.")
        with pytest.raises(WriteFailed, match="is gone: memory was moved"):
            move_memory(memory, shop, MemoryPlace.USER)
    assert not memory.exists()
    with open_memory(target, cache=shop / "cache") as opened:
        assert [it.content for it in opened.by_issue(29)] == ["One"]


@pytest.mark.parametrize("place", [MemoryPlace.USER, MemoryPlace.UNTRACKED])
def test_who_found_memory_before_a_move_begins_no_other(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: MemoryPlace
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    memory = shop / ".agentx" / "memory"
    with open_memory(memory, cache=shop / "cache") as opened:
        opened.store([observation("One")])
    if place is MemoryPlace.UNTRACKED:
        memory = move_memory(memory, shop, MemoryPlace.USER)
    move_memory(memory, shop, place)
    moved = pytest.raises(WriteFailed, match=r"memory of this project is in .* now")
    with open_memory(memory, cache=shop / "cache") as late, moved:
        late.store([observation("Two")])
    with moved:
        FilesBackend(memory).texts.keep(TextKind.SESSIONS, "late", b"{}")
    assert not memory.exists()


def test_a_project_that_is_named_finds_its_memory_outside(user: User, shop: Path) -> None:
    user.stop(shop)
    assert "three seconds" in user.run(shop.parent, "list", "--dir", str(shop))
    user.run(shop.parent, "add", "By hand.", "--dir", str(shop))
    user.variables["MEMTUI_DIR"] = str(shop)
    assert "By hand." in user.run(shop.parent, "list")
    assert status(shop) == ""


def test_sessions_of_a_project_outside_are_its_own(user: User, shop: Path) -> None:
    user.stop(shop)
    made = ClaudeCode(session="here", cwd=str(shop)).user("Is this mine?").agent("Yes.")
    folder = user.home / ".claude" / "projects" / "x"
    folder.mkdir(parents=True)
    (folder / "here.jsonl").write_text("\n".join(made.lines))
    assert "Is this mine?" in user.run(shop, "sessions")
    assert "ran in" not in user.run(shop, "capture", str(folder / "here.jsonl"), "--dry-run")


def test_a_person_who_adds_is_asked_nothing(user: User, shop: Path) -> None:
    user.run(shop, "add", "By hand.")
    assert (shop / ".agentx" / "memory").is_dir()
    user.variables["MEMTUI_MEMORY_PLACE"] = "user"
    other = repository(shop.parent / "till")
    user.run(other, "add", "By hand, too.")
    assert status(other) == ""
