"""Levels at the faces: what a person or an agent adds in one project is told in another."""

from __future__ import annotations

import json
import os
import socket
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memtui.hooks.call import HookInput
from memtui.hooks.run import run_hook
from memtui.serve.mcp.server import Server
from memtui.serve.rpc.server import Server as RpcServer
from memtui.serve.server import open_served
from store import Memory, open_memory
from store.backends.location import FOLDER, find_store
from store.backends.user_data import mine_memory
from tests.in_process import run_here
from tests.postgres import project_of
from tests.store.factories import observation
from tests.store.repositories import repository, tracked_project


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which git tracks a memory, of a user with a home of their own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for kind in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind.lower()))
    root = tracked_project(tmp_path / "shop")
    with open_memory(root / FOLDER) as memory:
        memory.store([observation("Carts are kept for a day", pinned=True)])
    return root


def _run(folder: Path, *arguments: str) -> str:
    code, said = run_here(arguments, folder, os.environ)
    assert code == 0, said
    return said


def _told(folder: Path) -> str:
    given = HookInput(session_id="s", folder=str(folder))
    return run_hook("session-start", given, "claude-code", {}, folder.parent)


def _contents(place: Path) -> set[str]:
    with open_memory(place) as memory:
        return {hit.entry.content for hit in memory.search("").hits}


def test_what_is_mine_is_told_in_every_project_and_says_so(shop: Path, tmp_path: Path) -> None:
    rule = "Always write the tests first"
    _run(shop, "add", rule, "--level", "mine", "--pinned")
    told = _told(shop)
    assert rule in told and "Carts are kept" in told
    other = tmp_path / "other"
    repository(other)
    assert "mine user" in _told(other) and rule in _told(other)
    assert "Carts" not in _told(other)
    assert rule in _run(other, "search", "tests first")
    assert json.loads(_run(shop, "search", "level:mine", "--json"))["total"] == 1
    assert _contents(mine_memory()) == {rule}
    (mine_memory() / "issue-7.json").write_text("broken")
    code, said = run_here(["doctor"], shop, os.environ)
    assert code == 1 and "mine: issue-7.json" in said
    assert "move 1 file" in _run(shop, "doctor", "--repair", "--yes")
    assert len(list((mine_memory() / "quarantine").glob("*issue-7.json"))) == 1


def test_while_the_teams_database_is_away_hooks_answer_and_a_search_says_so(
    tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind.lower()))
    shop = tmp_path / "shop"
    repository(shop)
    monkeypatch.setenv("MEMTUI_BACKEND", project_of(postgres))
    _run(shop, "add", "Carts are kept for a day", "--pinned")
    _run(shop, "add", "Tabs, never spaces", "--level", "mine", "--pinned")
    assert "answered" not in _run(shop, "search", "")
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]  # nobody answers there once it is closed
    monkeypatch.setenv("MEMTUI_BACKEND", f"postgresql://ana@127.0.0.1:{port}/shop")
    monkeypatch.setattr("memtui.hooks.run.start_indexing", pytest.fail)
    told = _told(shop)
    assert "Carts are kept" in told and "Tabs" in told
    found = _run(shop, "search", "")
    assert "The team's memory has not answered since 20" in found and "Carts are kept" in found
    assert "Undo with" in _run(shop, "add", "Said meanwhile", "--level", "project")
    code, said = run_here(["add", "Said to all"], shop, os.environ)
    assert code == 1 and "Connection refused" in said


def test_an_agent_adds_to_the_projects_own_memory_unless_told_otherwise(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop)
    server = Server(lambda: open_served(None), "1")

    def call(name: str, **arguments: str) -> dict[str, Any]:
        params = {"name": name, "arguments": arguments}
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        found: dict[str, Any] = json.loads(server.answer(json.dumps(asked).encode()))["result"]
        return found

    def add(content: str, **more: str) -> bool:
        return bool(call("memory_add", content=content, category="key-fact", **more)["isError"])

    assert not add("Carts are in the session")
    assert not add("Tabs, never spaces", level="mine")
    assert not add("Carts are small")
    assert add("Nobody's agent shares by itself", level="team")
    (hit,) = call("memory_search", query="tabs")["structuredContent"]["hits"]
    assert hit["level"] == "mine"
    server.close()
    assert _contents(mine_memory()) == {"Tabs, never spaces"}
    assert _contents(shop / FOLDER) == {"Carts are kept for a day"}
    with _here(shop) as memory:
        assert memory.search("level:project").total == 2


def test_an_agent_finds_what_is_mine_before_the_project_has_a_memory(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _run(shop, "add", "Tabs, never spaces", "--level", "mine")
    other = tmp_path / "other"
    repository(other)
    monkeypatch.chdir(other)
    assert "Tabs, never spaces" in _run(other, "search", "tabs")
    with open_served(None) as memory:
        assert memory.search("tabs").total == 1
        memory.store([observation("Begun here")])
    with _here(other) as memory:
        assert memory.search("level:project").total == 1
    assert not (other / ".agentx").exists()


def test_captures_go_to_the_level_of_the_settings(
    shop: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MEMTUI_CAPTURE_LEVEL", "project")
    session = tmp_path / "session.jsonl"
    rule = "From now on, always run the linter before you commit."
    line = {"type": "user", "sessionId": "s", "cwd": str(shop), "message": {"content": rule}}
    session.write_text(json.dumps({**line, "timestamp": "2026-03-01T12:00:00Z"}) + "\n")
    _run(shop, "capture", str(session), "--yes")
    with _here(shop) as memory:
        (found,) = memory.search("linter").hits
        assert found.entry.level == "project"
    assert _contents(shop / FOLDER) == {"Carts are kept for a day"}


def _here(folder: Path) -> Memory:
    return open_memory(find_store(folder))


def test_a_level_counts_by_its_weight(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _run(shop, "add", "Carts are kept in the session", "--level", "mine")

    def scores() -> dict[str, float]:
        with _here(shop) as memory:
            ranked = memory.recall.plan(None, None, "Where are carts kept?").candidates
            return {one.observation.level: one.score for one in ranked}

    usual = scores()
    config = Path(mine_memory().parents[4] / "config" / "memtui" / "settings.toml")
    config.parent.mkdir(parents=True)
    config.write_text("[recall_weights]\nmine = 2.0\n")
    assert scores()["mine"] == pytest.approx(2 * usual["mine"])
    assert scores()["team"] == pytest.approx(usual["team"])


def test_memory_that_is_off_says_so_in_one_line(shop: Path, tmp_path: Path) -> None:
    environ = {**os.environ, "MEMTUI_MEMORY_OFF": str(tmp_path)}
    for command in (["search", "cart"], ["add", "A thing"], ["add", "A", "--level", "mine"]):
        code, said = run_here(command, shop, environ)
        assert (code, said.count("Memory is off here")) == (1, 1), said
    given = HookInput(session_id="s", folder=str(shop))
    assert run_hook("session-start", given, "claude-code", environ, tmp_path) == ""


def test_words_that_another_level_has_are_said_to_be_there(shop: Path) -> None:
    _run(shop, "add", "Ask before a release", "--level", "mine")
    again = _run(shop, "add", "Ask before a release", "--level", "project")
    assert "1 memory already stored (mine), counted there as seen again." in again
    again = _run(shop, "add", "Carts are kept for a day", "--agent", "engineer", "--issue", "29",
                 "--category", "decision", "--level", "project")  # fmt: skip
    assert "1 memory already the team's; nothing was added." in again


def test_memories_move_to_another_level_and_back(shop: Path) -> None:
    _run(shop, "add", "Ask before a release", "--level", "project")
    said = _run(shop, "move", "--query", "release", "--level", "mine", "--yes")
    assert "Moved 1 memory to mine." in said
    assert _contents(mine_memory()) == {"Ask before a release"}
    _run(shop, "undo", "--yes")
    assert _contents(mine_memory()) == set()
    _run(shop, "move", "--query", "release", "--level", "team", "--copy", "--yes")
    assert _contents(shop / FOLDER) == {"Carts are kept for a day", "Ask before a release"}
    shown = _run(shop, "move", "--query", "carts", "--level", "project", "--dry-run")
    assert "Move 1 memory to project" in shown and "level" in shown


def test_a_project_without_memory_begins_with_the_teams(tmp_path: Path) -> None:
    git = repository(tmp_path / "fresh")
    assert "`git add .agentx` makes it the team's" in _run(git.root, "init", "tracked")
    git("add", ".agentx")
    _run(git.root, "add", "Carts are kept for one day", "--level", "team")
    assert "team · Carts are kept" in _run(git.root, "list")


def test_what_git_would_track_is_said_to_become_the_teams(shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    repository(other)
    _run(other, "init", "tracked")
    said = _run(other, "add", "Ana has the key", "--level", "project")
    assert "`git add` makes it the team's" in said
    _run(other, "move", "untracked", "--yes")
    assert "git" not in _run(other, "add", "Ask before a release", "--level", "project")


def test_a_team_without_memory_is_told_how_to_begin(shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    repository(other)
    _run(other, "add", "Ask before a release", "--level", "project")
    code, said = run_here(["add", "Ships on Fridays", "--level", "team"], other, os.environ)
    assert (code, said.partition("\n")[0]) == (2, "The team has no memory here yet.")
    begun = _run(other, "init", "tracked")
    assert "without a level still goes to your own" in begun
    _run(other, "add", "Ships on Mondays")
    assert _contents(other / FOLDER) == set()
    _run(other, "add", "Ships on Fridays", "--level", "team")
    assert _contents(other / FOLDER) == {"Ships on Fridays"}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("The key is ghp_" + "a1B2" * 9, None),
        ("Logs are in /home/ana/logs", "it names the home folder /home/ana."),
        ("Ask ana@heron-parts.com", "it has the e-mail address ana@heron-parts.com."),
        ("Deploy from build.heron.internal", "it names the host build.heron.internal."),
        ("The cache is at 192.168.7.12", "it names the host 192.168.7.12."),
        ("Open https://build.heron.internal/ci", "it names the host build.heron.internal."),
        ("Open http://10.0.0.5:3000/", "it names the host 10.0.0.5."),
        ("Logs: file:///home/ana/logs", "it names the home folder /home/ana."),
        ("Logs: C:\\\\Users\\\\ana", "it names the home folder C:\\\\Users\\\\ana."),
        ("Logs: /mnt/c/Users/ana", "it names the home folder /mnt/c/Users/ana."),
        ("Settings are in settings.local.json and ~/.local/share", None),
    ],
)
def test_what_is_not_for_others_stays_while_the_rest_goes(
    shop: Path, content: str, why: str | None
) -> None:
    _run(shop, "add", "Ask before a release", "--level", "project")
    _run(shop, "add", content, "--level", "project")
    said = _run(shop, "move", "--query", "level:project", "--level", "team", "--yes")
    if why is None:
        assert "Moved 2 memories to team." in said
        return
    assert "Moved 1 memory to team." in said and why in said
    code, said = run_here(
        ["move", "--query", "level:project", "--level", "team", "--yes"], shop, os.environ
    )
    assert code == 1
    assert said.startswith("Nothing was given to the team: ") and why in said
    _run(shop, "move", "--query", "level:project", "--level", "mine", "--yes")
    assert _contents(mine_memory()) == {content}


def test_notes_are_imported_for_all_projects(shop: Path, tmp_path: Path) -> None:
    notes = tmp_path / "CLAUDE.md"
    notes.write_text("# Style\n\n- Prefer small functions\n")
    _run(shop, "import", str(notes), "--level", "mine", "--yes")
    assert any("Prefer small functions" in content for content in _contents(mine_memory()))
    assert notes.exists()


def test_a_program_stores_an_interaction_for_all_projects(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop)
    server = RpcServer(lambda: open_served(None))
    given = {"id": "i1", "query": "Tabs or spaces?", "response": "Tabs.", "level": "mine"}
    asked = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "memory.store",
        "params": {"interaction": {**given, "timestamp": "2026-03-01T12:00:00Z"}},
        "a2a_context": {"source_agent": "tester"},
    }
    assert json.loads(server.answer(json.dumps(asked).encode()))["result"]["success"]
    server.close()
    assert any("Tabs or spaces?" in content for content in _contents(mine_memory()))
    assert _contents(shop / FOLDER) == {"Carts are kept for a day"}


def test_the_teams_memory_begins_beside_ones_own(shop: Path, tmp_path: Path) -> None:
    root = tmp_path / "own"
    git = repository(root)
    _run(root, "init", "user")
    _run(root, "add", "Mine alone so far")
    _run(root, "init", "tracked")
    _run(root, "add", "Still private")
    _run(root, "move", "--query", "alone", "--level", "team", "--yes")
    assert _contents(root / FOLDER) == {"Mine alone so far"}
    git("add", ".agentx")
    assert json.loads(_run(root, "search", "level:project", "--json"))["total"] == 1
    assert json.loads(_run(root, "search", "level:team", "--json"))["total"] == 1
