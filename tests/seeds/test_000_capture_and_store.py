"""SPEC-29, from outside: what is captured, stored, read and removed (clauses 000-1 to 000-57)."""

from __future__ import annotations

import re

import pytest

from store import Observation, open_memory
from store.errors import InvalidObservation, NotFound
from store.events import MemoryRecalled, MemoryStored
from tests.seeds.world import NOW, World


def test_000_1_observations_outlive_the_session(world: World) -> None:
    [identifier] = world.add("Chose SQLite")
    world.memory.close()
    with open_memory(world.path, cache=world.home / "other") as later:
        assert later.get(identifier).content == "Chose SQLite"


def test_000_3_18_37_a_recall_has_past_decisions_within_its_budget(foreign: World) -> None:
    recall = foreign.memory.recall.plan("engineer", 29, "one JSON file")
    assert "Chose one JSON file an issue" in recall.text
    assert recall.budget == 20_000 and 0 < recall.tokens <= 20_000
    assert recall.text.startswith("## Memory Recall\n")  # 000-18
    asked = ("inject", "--agent", "reviewer", "--issue", "31", "--task", "stale locks")
    assert "Stale locks older than 30 seconds are removed" in foreign.cli(*asked).out  # 000-37


def test_000_4_19_recalled_observations_are_items_of_the_budget(foreign: World) -> None:
    asked = ("stats", "--context", "--agent", "engineer", "--issue", "29", "--json")
    recalled = [it for it in foreign.cli(*asked).json["items"] if it["category"] == "memory"]
    assert any(it["tokens"] > 0 and it["name"].startswith("recalled ") for it in recalled)


def test_000_6_7_34_41_42_43_44_commands(foreign: World) -> None:
    assert "Lock timeout" in foreign.cli("search", "timeout").out
    assert "after 5 retries" in foreign.cli("show", "b1b2c3").out
    assert len(foreign.cli("list", "--json").json) == 5  # 000-7
    assert foreign.cli("stats", "--json").json["totalObservations"] == 5  # 000-34
    hits = foreign.cli("search", "stale", "--json").json["hits"]
    assert [hit["agent"] for hit in hits] == ["reviewer"]  # 000-41
    assert foreign.cli("show", "c1b2c3", "--json").json["issueNumber"] == 31  # 000-42
    for which in (("--all",), ("--issue", "29")):
        assert foreign.cli("compact", *which, "--dry-run").code == 0  # 000-43
    figures = foreign.cli("stats").out  # 000-44
    assert all(name in figures for name in ("decision", "key-fact", "engineer", "reviewer"))


def test_000_10_any_end_of_a_session_is_captured(world: World) -> None:
    for number, reason in enumerate(("clear", "prompt_input_exit", "other")):
        world.end_session(f"s-{number}", reason=reason)
    captured = [entry for entry in world.memory.activity().entries if entry.kind == "captured"]
    assert {(it.session, it.count) for it in captured} == {("s-0", 1), ("s-1", 1), ("s-2", 1)}


def test_000_11_36_39_a_compacted_context_is_stored_while_capture_listens(world: World) -> None:
    stored: list[MemoryStored] = []
    world.memory.events.subscribe(MemoryStored, stored.append)
    stop = world.memory.capture.listen()
    stop()
    world.summarise()
    assert stored == []  # 000-36
    world.memory.capture.listen()
    world.summarise()
    assert [(it.agent, it.issue_number, it.count) for it in stored] == [("engineer", 29, 3)]
    world.memory.close()
    world.summarise("## Decisions\n- Chose another database\n")
    assert len(world.records()) == 3  # 000-39


def test_000_12_different_the_issue_file_is_written_before_the_manifest(world: World) -> None:
    world.add("Chose SQLite")
    assert world.records()[0]["content"] == "Chose SQLite"
    world.memory.close()
    assert world.file("manifest.json")["entries"][0]["id"] == world.records()[0]["id"]


def test_000_13_22_53_54_55_56_the_files_of_a_memory(world: World) -> None:
    [identifier] = world.add("Chose SQLite", session_id="s-1")
    world.memory.close()
    file, manifest = world.file("issue-29.json"), world.file("manifest.json")
    assert (file["version"], file["issueNumber"]) == (1, 29)  # 000-13, 000-55
    assert manifest["version"] == 1 and manifest["updatedAt"].startswith("20")  # 000-54
    summary = {
        "id": identifier,
        "agent": "engineer",
        "issueNumber": 29,
        "category": "decision",
        "summary": "Chose SQLite",
        "tokens": 3,
        "timestamp": "2026-03-01T12:00:00.000Z",
    }
    (entry,) = manifest["entries"]
    assert entry == entry | summary  # 000-53
    assert file["observations"] == [
        {
            **summary,
            "content": "Chose SQLite",
            "sessionId": "s-1",
            "recallCount": 0,
            "relevanceScore": 1.0,
            "archived": False,
        }
    ]
    assert re.fullmatch(r"obs-engineer-29-1772366400000-[a-z0-9]{6}", identifier)  # 000-56


def test_000_14_16_17_different_profile_agentx_tells_the_best_of_one_issue(foreign: World) -> None:
    plan = foreign.memory.recall.plan
    recall = plan("engineer", 29, "locks", profile="agentx")
    of = {(it.observation.agent, it.observation.issue_number) for it in recall.candidates}
    assert of == {("engineer", 29)}
    recall = plan("engineer", 29, "file", profile="agentx", budget=100)  # 000-16
    assert 0 < len(recall.included) < 3 and recall.tokens <= 100
    assert recall.included == recall.candidates[: len(recall.included)]
    text = plan("engineer", 29, "timeout").text
    assert "Lock timeout on manifest.json after 5 retries" in text  # 000-17


def test_000_15_candidates_are_sorted_by_score(foreign: World) -> None:
    plan = foreign.memory.recall.plan("engineer", 29, "locks", profile="agentx")
    scores = [candidate.score for candidate in plan.candidates]
    assert len(scores) == 3 and scores == sorted(scores, reverse=True)


def test_000_20_46_47_a_recall_is_an_event_and_gives_the_text(world: World) -> None:
    recalled: list[MemoryRecalled] = []
    [identifier] = world.add("Chose SQLite")
    world.memory.events.subscribe("memory-recalled", recalled.append)
    plan = world.memory.recall.plan("engineer", 29, "sqlite")
    assert "Chose SQLite" in world.memory.recall.inject(plan, "engineer", 29)
    (event,) = recalled
    assert (event.agent, event.issue_number, event.count) == ("engineer", 29, 1)
    assert (event.total_tokens, event.observation_ids) == (plan.tokens, (identifier,))
    kinds = [entry.kind for entry in world.memory.activity().entries]
    assert kinds == ["recalled", "stored"]  # 000-47


def test_000_21_different_a_recall_raises_the_recall_count(world: World) -> None:
    [identifier] = world.add("Chose SQLite")
    for _ in range(2):
        world.memory.recall.inject(world.memory.recall.plan("engineer", 29, "sqlite"))
    assert world.memory.get(identifier).recall_count == 2


def test_000_23_24_25_entries_and_totals(foreign: World) -> None:
    entry = foreign.memory.search("timeout").hits[0].entry
    assert (entry.agent, entry.issue_number, entry.category) == ("engineer", 29, "error")
    assert (entry.summary, entry.tokens) == ("Lock timeout on manifest.json", 8)
    assert entry.id.endswith("b1b2c3") and entry.timestamp.year == 2026
    stats = foreign.memory.stats()
    names = {"decision", "code-change", "error", "key-fact", "compaction-summary"}
    assert set(stats.by_category) == names  # 000-24
    assert (stats.total_observations, stats.total_tokens, stats.issue_count) == (5, 40, 3)
    assert dict(stats.by_agent) == {"engineer": 3, "reviewer": 1, "architect": 1}
    assert stats.oldest_timestamp and stats.oldest_timestamp.day == 20
    assert stats.newest_timestamp and stats.newest_timestamp.day == 28


def test_000_26_45_store_takes_observations_and_is_an_event(world: World) -> None:
    stored: list[MemoryStored] = []
    world.memory.events.subscribe("memory-stored", stored.append)
    ids = world.add("Chose SQLite", "Chose files")
    assert [it["content"] for it in world.records()] == ["Chose SQLite", "Chose files"]
    (event,) = stored
    assert (event.agent, event.issue_number, event.count) == ("engineer", 29, 2)
    assert (event.total_tokens, event.observation_ids) == (6, tuple(ids))


def test_000_27_29_38_observations_are_read(foreign: World) -> None:
    assert [it.content[:7] for it in foreign.memory.by_issue(31)] == ["Stale l"]
    found = foreign.memory.search("locks OR lock", limit=1)
    assert (len(found.hits), found.total) == (1, 3)
    hit = foreign.memory.search("timeout").hits[0]
    assert foreign.memory.get(hit.entry.id).content.endswith("after 5 retries")


def test_000_28_30_31_different_what_is_not_found_and_filters(foreign: World) -> None:
    with pytest.raises(NotFound):
        foreign.memory.get("obs-engineer-29-1-zzzzzz")
    totals = {"agent:reviewer": 1, "issue:29": 3, "category:error": 1, "after:2026-02-28": 1}
    assert {query: foreign.memory.search(query).total for query in totals} == totals
    for option, name in (("--agent", "reviewer"), ("--category", "error")):  # 000-31
        assert len(foreign.cli("list", option, name, "--json").json) == 1


def test_000_32_an_observation_is_removed(world: World) -> None:
    [identifier] = world.add("Chose SQLite")
    world.memory.apply(world.memory.plan.remove(identifier))
    with pytest.raises(NotFound):
        world.memory.get(identifier)


def test_000_33_the_recall_count_is_the_same_wherever_it_is_read(world: World) -> None:
    [identifier] = world.add("Chose SQLite", tags=("index",), pinned=True)
    world.memory.recall.inject(world.memory.recall.plan("engineer", 29, "sqlite"))
    assert world.memory.get(identifier).recall_count == 1
    assert world.memory.search("").hits[0].entry.recall_count == 1
    shown = world.cli("show", identifier, "--json").json
    assert shown["recallCount"] == 1
    assert world.cli("list", "--json").json == [shown]
    assert world.cli("export", "--format", "json-lines").json == shown
    world.memory.apply(world.memory.plan.tag([identifier], add=["file"]))
    assert world.records()[0]["recallCount"] == 1


def test_000_35_an_issue_is_compacted(world: World) -> None:
    memory, text = world.memory, "Chose SQLite for the index of the {}store"
    world.add(text.format(""), text.format("memory "), timestamp=NOW.replace(month=1))
    memory.apply(memory.compaction.to_plan(memory.compaction.plan(29)))
    assert memory.search("is:active").total == 1
    assert len(world.file("archive/issue-29-archived.json")["observations"]) >= 1


def test_000_40_another_backend_works_alike(world: World) -> None:
    with open_memory("memory://seeds", clock=world.clock) as memory:
        [identifier] = memory.store([Observation("engineer", 29, "decision", "Chose SQLite")])
        assert memory.search("sqlite").hits[0].entry.id == identifier


def test_000_48_49_50_settings(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    memory, settings = world.memory, world.memory.settings
    assert (settings.max_tokens, settings.max_memories_per_capture) == (20_000, 50)
    memory.capture.listen()
    monkeypatch.setenv("MEMTUI_MAX_TOKENS", "900")
    monkeypatch.setenv("MEMTUI_MAX_OBSERVATIONS_PER_CAPTURE", "2")  # the document's name
    memory.reload_settings()
    assert memory.recall.plan("engineer", 29).budget == 900
    world.summarise()
    assert memory.search("").total == 2  # 000-50
    monkeypatch.setenv("MEMTUI_ENABLED", "false")
    memory.reload_settings()
    world.summarise()
    assert memory.search("").total == 2  # 000-48
    assert memory.recall.plan("engineer", 29, "files").text == ""


def test_000_51_52_different_settings(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    (world.root / ".agentx" / "memtui.toml").parent.mkdir(exist_ok=True)
    (world.root / ".agentx" / "memtui.toml").write_text("manifestCacheTtlMs = 30000\n")
    assert world.memory.settings_mistakes == ()  # 000-51: it is taken
    assert world.memory.settings.stale_archive_after_days == 90
    world.add("Chose SQLite", timestamp=NOW.replace(year=2025))
    monkeypatch.setenv("MEMTUI_AUTO_ARCHIVE", "true")
    world.memory.reload_settings()
    world.memory.upkeep.make_room()
    assert world.memory.search("is:archived sqlite").total == 1


def test_000_57_an_agents_name_with_a_blank_is_cleaned_everywhere(world: World) -> None:
    world.memory.capture.listen()
    world.summarise(agent="Agent X")
    assert {it["agent"] for it in world.records()} == {"Agent-X"}
    [identifier] = world.add("Chose SQLite", agent="Agent X")
    assert identifier.startswith("obs-agentx-29-")
    assert world.memory.get(identifier).agent == "Agent-X"
    added = world.cli("add", "--agent", "Agent X", "--issue", "29", "Chose plain files")
    assert (added.code, world.records()[-1]["agent"]) == (0, "Agent-X")
    assert world.memory.search('agent:"Agent X"').total == 5
    recall = world.memory.recall.plan("Agent X", 29, "sqlite", profile="agentx")
    assert len(recall.candidates) == 5
    assert world.memory.recall.plan("Someone Else", 29, profile="agentx").candidates == ()


def test_000_75_an_issue_is_a_number_alone(world: World) -> None:
    for wrong in (-1, 10**9, "../29"):
        with pytest.raises(InvalidObservation):
            world.add("Chose SQLite", issue_number=wrong)
    assert not world.path.exists() or list(world.path.glob("issue*")) == []
