"""ADR-29, from outside: requirements, constraints and decisions (clauses 001-1 to 001-25)."""

from __future__ import annotations

import json
import os
import shlex
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from store import Memory, Observation, open_memory
from store.errors import NotFound
from store.events import MemoryStored
from tests.seeds import foreign_writer
from tests.seeds.world import NOW, WORK, World
from tests.store.factories import record


def installed(world: World) -> dict[str, list[str]]:
    """The arguments of the commands that `hooks install` wrote, by the client's events."""
    assert world.cli("hooks", "install", "claude-code", "--yes").code == 0
    settings = json.loads((world.home / ".claude" / "settings.json").read_text("utf-8"))
    lines = {event: of[0]["hooks"][0]["command"] for event, of in settings["hooks"].items()}
    return {event: shlex.split(line)[4:] for event, line in lines.items()}


def test_001_1_once_installed_capture_needs_no_step(world: World) -> None:
    command = installed(world)["SessionEnd"]
    world.path.mkdir(parents=True)
    given = {
        "session_id": "s-1",
        "cwd": str(world.root),
        "transcript_path": world.transcript(*WORK, edits="store/lock.py"),
        "hook_event_name": "SessionEnd",
    }
    assert world.cli(*command, stdin=json.dumps(given)).code == 0
    assert world.memory.search("agent:claude-code database").total == 1


def test_001_2_10_12_memory_of_a_project_is_files_that_a_person_can_read(world: World) -> None:
    added = world.cli("add", "--dir", str(world.root), "--issue", "29", "Chose SQLite")
    assert added.code == 0
    assert [it["content"] for it in world.records()] == ["Chose SQLite"]
    lines = (world.path / "issue-29.json").read_text("utf-8").splitlines()  # 001-10
    assert any('"content": "Chose SQLite"' in line and len(line) < 100 for line in lines)
    world.add("Chose files", issue_number=31)  # 001-12
    world.memory.apply(world.memory.plan.archive([added.out.strip()]))
    world.memory.index.settle()
    names = {path.relative_to(world.path).as_posix() for path in world.path.rglob("*.json")}
    files = {"issue-29.json", "issue-31.json", "manifest.json"}
    assert names >= files | {"archive/issue-29-archived.json"}


def test_001_3_a_tenth_of_the_context(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.add("Chose SQLite")
    report = world.cli("stats", "--context", "--json").json
    assert report["memoryBudget"] == report["contextLimit"] / 10 == 20_000
    monkeypatch.setenv("MEMTUI_MAX_TOKENS", "8000")
    assert world.cli("stats", "--context", "--json").json["memoryBudget"] == 8_000


def test_001_4_15_lists_have_summaries_and_an_id_leads_to_the_whole(foreign: World) -> None:
    listed = foreign.cli("search", "timeout").out
    assert "Lock timeout on manifest.json" in listed and "after 5 retries" not in listed
    assert "after 5 retries" in foreign.cli("show", listed.split()[0]).out
    items = foreign.cli("stats", "--context", "--issue", "29", "--json").json["items"]  # 001-15
    recalled = {it["category"] for it in items if it["name"].startswith("recalled ")}
    assert recalled == {"memory"}


def test_001_5_different_hooks_stand_at_start_prompt_compaction_and_end(world: World) -> None:
    hooks = {event: command[-3] for event, command in installed(world).items()}
    assert hooks == hooks | {
        "SessionStart": "session-start",
        "UserPromptSubmit": "user-prompt",
        "PreCompact": "pre-compact",
        "PostCompact": "post-compact",
        "SessionEnd": "session-end",
    }


@pytest.mark.parametrize(("asked", "archived"), [("false", 0), ("true", 1)])
def test_001_6_different_what_is_old_goes_by_itself_only_where_asked(
    world: World, monkeypatch: pytest.MonkeyPatch, asked: str, archived: int
) -> None:
    world.add("Chose a server", timestamp=NOW.replace(year=2025))
    monkeypatch.setenv("MEMTUI_AUTO_ARCHIVE", asked)
    world.end_session()
    assert world.memory.search("is:archived").total == archived


def test_001_7_nothing_is_asked_of_a_network(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    world.end_session()
    assert world.cli("search", "database").out.count("#0") == 1
    assert world.hook("user-prompt", "s-2", prompt="Which database does the shop use?")


def test_001_8_different_no_other_program(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    world.end_session()
    assert "database" in world.hook("user-prompt", "s-2", prompt="Which database do we use?")


@pytest.mark.parametrize("mode", ["github", "local", "no git"])
def test_001_9_memory_is_the_same_in_each_mode(world: World, mode: str) -> None:
    git = world.root / ".git"
    if mode == "github":
        (git / "config").write_text('[remote "origin"]\n\turl = git@github.com:shop/shop.git\n')
    elif mode == "no git":
        git.rename(world.home / "elsewhere")
    world.end_session()
    (stored,) = world.records(0)
    assert "SQLite" in stored["content"] and stored["agent"] == "claude-code"


def test_001_11_23_different_signs_stay_and_git_keeps_what_is_not_derived(world: World) -> None:
    world.add("Preis in € · größer als 5 …")
    assert "Preis in € · größer als 5 …" in (world.path / "issue-29.json").read_text("utf-8")
    ignored = (world.path / ".gitignore").read_text("utf-8").splitlines()  # 001-23
    assert {"manifest.json", "activity.jsonl", "operations/", "*.lock"} <= set(ignored)
    assert not any(line.startswith(("issue", "archive", "*.json", "*\n")) for line in ignored)


def test_001_13_a_capture_that_fails_stops_no_session(world: World) -> None:
    world.add("Chose SQLite")
    broken = world.home / "broken.jsonl"
    broken.write_text("what is this?")
    assert world.hook("session-end", transcript_path=str(broken)) == ""
    assert [it["kind"] for it in world.log("failed")] == ["checkpoint", "hook session-end"]


def test_001_14_different_all_are_ranked_and_few_are_told(world: World) -> None:
    world.add(*(f"Chose table {number} for the shop " + "and why " * 40 for number in range(6)))
    plan = world.memory.recall.plan("engineer", 29, "table shop", profile="agentx", budget=300)
    assert len(plan.candidates) == 6
    assert plan.text.count("Chose table") == len(plan.included) == 2


def test_001_17_18_files_in_turn_under_markers(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.add("Chose SQLite")  # a new memory begins with an empty manifest
    world.memory.index.settle()
    seen: list[tuple[str, set[str]]] = []
    replace: Callable[..., None] = os.replace

    def watched(source: str, target: str, **of: int) -> None:
        markers = {path.name for path in world.path.glob("*.json.lock")}
        seen.append((Path(target).name, markers))
        replace(source, target, **of)

    monkeypatch.setattr(os, "replace", watched)
    world.add("Chose files")
    world.memory.index.settle()
    written = [it for it in seen if it[0] in ("issue-29.json", "manifest.json")]
    assert [name for name, _ in written] == ["issue-29.json", "manifest.json"]
    assert all(f"{name}.lock" in markers for name, markers in written)


def test_001_16_foreign_programs_and_ours_write_in_turn(world: World) -> None:
    world.path.mkdir(parents=True)
    for number in range(3):
        foreign_writer.add(world.path, record(f"theirs-{number}", content=f"Foreign {number}"))
        world.add(f"Chose table {number}")
        world.memory.index.settle()
    assert len(world.records()) == len(world.file("manifest.json")["entries"]) == 6
    assert list(world.path.glob("*.json.lock")) == []


def test_001_19_old_events_reach_their_listeners_as_before(world: World) -> None:
    heard: list[str] = []
    world.memory.capture.listen()
    world.memory.events.subscribe("context-compacted", lambda it: heard.append(it.name))
    world.memory.events.subscribe(MemoryStored, lambda it: heard.append(it.name))
    world.summarise()
    assert sorted(heard) == ["context-compacted", "memory-stored"]


def test_001_20_25_the_log_the_budget_and_the_agents_show_memory(world: World) -> None:
    [identifier] = world.add("Chose SQLite")
    world.memory.recall.inject(world.memory.recall.plan("engineer", 29, "sqlite"), "engineer", 29)
    assert [it.agent for it in world.memory.activity().entries] == ["engineer", "engineer"]
    assert world.memory.search("").facets.counts["agent"] == {"engineer": 1}
    context = world.cli("stats", "--context", "--issue", "29", "--task", "sqlite", "--json").json
    assert context["memoryTokens"] > 0
    world.cli("tag", identifier, "--pin", "--yes")  # 001-25
    titles = [it["title"] for it in world.cli("history", "--json").json]
    assert titles == ["Pin 1 memory", "Add 1 memory"]
    (stored,) = world.log("stored")
    assert (stored["agent"], stored["observationIds"]) == ("engineer", [identifier])


def eight_methods(memory: Memory) -> None:
    """Use what ADR-29 asks of a store."""
    first, second = memory.store(
        [
            Observation("engineer", 29, "decision", "Chose SQLite"),
            Observation("reviewer", 29, "error", "Lock timeout"),
        ]
    )
    assert {it.id for it in memory.by_issue(29)} == {first, second}
    assert memory.get(first).content == "Chose SQLite"
    for query in ("sqlite", "agent:engineer", "category:decision"):
        assert [hit.entry.id for hit in memory.search(query).hits] == [first]
    assert memory.stats().total_observations == 2
    memory.apply(memory.plan.remove(first))
    with pytest.raises(NotFound):
        memory.get(first)


def test_001_21_the_eight_methods_of_a_store(world: World) -> None:
    eight_methods(world.memory)


@pytest.mark.parametrize("place", ["memory://adr", "vault"])
def test_001_22_different_other_stores_have_the_same_methods(world: World, place: str) -> None:
    where = place if "://" in place else f"vault://{world.home / 'notes'}"
    with open_memory(where, cache=world.home / "cache", clock=world.clock) as memory:
        eight_methods(memory)


def test_001_24_different_half_as_many_are_active_and_none_is_lost(world: World) -> None:
    contents = {
        f"Chose SQLite for the {subject} of the store, since {cause} was slow"
        for subject in ("index", "log")
        for cause in ("disk", "net", "JSON", "parsing")
    }
    world.add(*contents, timestamp=NOW.replace(year=2025))
    memory = world.memory
    memory.apply(memory.compaction.to_plan(memory.compaction.plan(29)))
    assert memory.search("is:active").total <= 4
    kept = [memory.get(hit.entry.id).content for hit in memory.search("is:archived").hits]
    assert contents == set(kept)
