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


def test_000_3_a_recall_has_past_decisions_within_20k_tokens(foreign: World) -> None:
    recall = foreign.memory.recall.plan("engineer", 29, "one JSON file")
    assert "Chose one JSON file an issue" in recall.text
    assert recall.budget == 20_000 and 0 < recall.tokens <= 20_000


def test_000_4_the_budget_report_has_a_part_of_recalled_memory(foreign: World) -> None:
    asked = ("stats", "--context", "--agent", "engineer", "--issue", "29", "--json")
    items = foreign.cli(*asked).json["items"]
    assert any(it["category"] == "memory" and it["tokens"] > 0 for it in items)


def test_000_6_search_get_compact_and_stats_are_commands(foreign: World) -> None:
    assert "Lock timeout" in foreign.cli("search", "timeout").out
    assert "after 5 retries" in foreign.cli("show", "b1b2c3").out
    assert foreign.cli("compact", "--all", "--dry-run").code == 0
    assert "5" in foreign.cli("stats").out


def test_000_7_there_is_a_command_line(foreign: World) -> None:
    assert len(foreign.cli("list", "--json").json) == 5


def test_000_10_any_end_of_a_session_is_captured(world: World) -> None:
    for number, reason in enumerate(("clear", "prompt_input_exit", "other")):
        world.end_session(f"s-{number}", reason=reason)
    captured = [entry for entry in world.memory.activity().entries if entry.kind == "captured"]
    assert {(it.session, it.count) for it in captured} == {("s-0", 1), ("s-1", 1), ("s-2", 1)}


def test_000_11_a_compacted_context_is_extracted_and_stored(world: World) -> None:
    stored: list[MemoryStored] = []
    world.memory.events.subscribe(MemoryStored, stored.append)
    world.memory.capture.listen()
    world.summarise()
    assert [(it.agent, it.issue_number, it.count) for it in stored] == [("engineer", 29, 3)]


def test_000_12_different_the_issue_file_is_written_before_the_manifest(world: World) -> None:
    world.add("Chose SQLite")
    assert world.records()[0]["content"] == "Chose SQLite"
    world.memory.close()
    assert world.file("manifest.json")["entries"][0]["id"] == world.records()[0]["id"]


def test_000_13_a_missing_issue_file_is_created(world: World) -> None:
    world.add("Chose SQLite", issue_number=412)
    assert world.file("issue-412.json")["issueNumber"] == 412


def test_000_14_different_profile_agentx_looks_at_one_agent_and_issue(foreign: World) -> None:
    recall = foreign.memory.recall.plan("engineer", 29, "locks", profile="agentx")
    assert {it.observation.agent for it in recall.candidates} == {"engineer"}
    assert {it.observation.issue_number for it in recall.candidates} == {29}


def test_000_15_candidates_are_sorted_by_score(foreign: World) -> None:
    plan = foreign.memory.recall.plan("engineer", 29, "locks", profile="agentx")
    scores = [candidate.score for candidate in plan.candidates]
    assert len(scores) == 3 and scores == sorted(scores, reverse=True)


def test_000_16_different_as_many_of_the_best_as_the_budget_holds(foreign: World) -> None:
    recall = foreign.memory.recall.plan("engineer", 29, "file", profile="agentx", budget=100)
    assert 0 < len(recall.included) < 3 and recall.tokens <= 100
    assert recall.included == recall.candidates[: len(recall.included)]


def test_000_17_different_what_is_told_is_told_in_full(foreign: World) -> None:
    text = foreign.memory.recall.plan("engineer", 29, "timeout").text
    assert "Lock timeout on manifest.json after 5 retries" in text


def test_000_18_the_text_is_a_section_memory_recall(foreign: World) -> None:
    assert foreign.memory.recall.plan("engineer", 29, "locks").text.startswith("## Memory Recall\n")


def test_000_19_recalled_observations_are_items_of_the_budget(foreign: World) -> None:
    found = foreign.cli("stats", "--context", "--issue", "29", "--json").json["items"]
    assert any(it["name"].startswith("recalled ") for it in found)


def test_000_20_a_recall_is_an_event_and_gives_the_text(world: World) -> None:
    recalled: list[MemoryRecalled] = []
    [identifier] = world.add("Chose SQLite")
    world.memory.events.subscribe(MemoryRecalled, recalled.append)
    plan = world.memory.recall.plan("engineer", 29, "sqlite")
    assert "Chose SQLite" in world.memory.recall.inject(plan, "engineer", 29)
    assert [it.observation_ids for it in recalled] == [(identifier,)]


def test_000_21_different_a_recall_raises_the_recall_count(world: World) -> None:
    [identifier] = world.add("Chose SQLite")
    for _ in range(2):
        world.memory.recall.inject(world.memory.recall.plan("engineer", 29, "sqlite"))
    assert world.memory.get(identifier).recall_count == 2


def test_000_22_a_record_has_all_twelve_fields(world: World) -> None:
    world.add("Chose SQLite", session_id="s-1")
    (record,) = world.records()
    assert {**record, "id": "x"} == {
        "id": "x",
        "agent": "engineer",
        "issueNumber": 29,
        "category": "decision",
        "content": "Chose SQLite",
        "summary": "Chose SQLite",
        "tokens": 3,
        "timestamp": "2026-03-01T12:00:00.000Z",
        "sessionId": "s-1",
        "recallCount": 0,
        "relevanceScore": 1.0,
        "archived": False,
    }


def test_000_23_an_entry_of_a_list_has_seven_fields(foreign: World) -> None:
    entry = foreign.memory.search("timeout").hits[0].entry
    assert (entry.agent, entry.issue_number, entry.category) == ("engineer", 29, "error")
    assert (entry.summary, entry.tokens) == ("Lock timeout on manifest.json", 8)
    assert entry.id.endswith("b1b2c3") and entry.timestamp.year == 2026


def test_000_24_the_five_categories(foreign: World) -> None:
    assert set(foreign.memory.stats().by_category) == {
        "decision",
        "code-change",
        "error",
        "key-fact",
        "compaction-summary",
    }


def test_000_25_totals(foreign: World) -> None:
    stats = foreign.memory.stats()
    assert (stats.total_observations, stats.total_tokens, stats.issue_count) == (5, 40, 3)
    assert dict(stats.by_agent) == {"engineer": 3, "reviewer": 1, "architect": 1}
    assert stats.oldest_timestamp and stats.oldest_timestamp.day == 20
    assert stats.newest_timestamp and stats.newest_timestamp.day == 28


def test_000_26_store_takes_observations(world: World) -> None:
    assert len(world.add("Chose SQLite", "Chose files")) == 2
    assert [it["content"] for it in world.records()] == ["Chose SQLite", "Chose files"]


def test_000_27_observations_of_an_issue(foreign: World) -> None:
    assert [it.content[:7] for it in foreign.memory.by_issue(31)] == ["Stale l"]


def test_000_28_different_an_unknown_id_is_not_found(foreign: World) -> None:
    with pytest.raises(NotFound):
        foreign.memory.get("obs-engineer-29-1-zzzzzz")


def test_000_29_search_takes_a_query_and_a_limit(foreign: World) -> None:
    found = foreign.memory.search("locks OR lock", limit=1)
    assert (len(found.hits), found.total) == (1, 3)


@pytest.mark.parametrize(
    ("query", "total"),
    [("agent:reviewer", 1), ("issue:29", 3), ("category:error", 1), ("after:2026-02-28", 1)],
)
def test_000_30_different_search_by_filters(foreign: World, query: str, total: int) -> None:
    assert foreign.memory.search(query).total == total


def test_000_31_different_lists_of_an_agent_and_of_a_category(foreign: World) -> None:
    assert len(foreign.cli("list", "--agent", "reviewer", "--json").json) == 1
    assert len(foreign.cli("list", "--category", "error", "--json").json) == 1


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


def test_000_34_stats_are_a_command(foreign: World) -> None:
    assert foreign.cli("stats", "--json").json["totalObservations"] == 5


def test_000_35_an_issue_is_compacted(world: World) -> None:
    world.add(
        "Chose SQLite for the index of the store",
        "Chose SQLite for the index of the memory store",
        timestamp=NOW.replace(month=1),
    )
    memory = world.memory
    memory.apply(memory.compaction.to_plan(memory.compaction.plan(29)))
    assert memory.search("is:active").total == 1
    assert len(world.file("archive/issue-29-archived.json")["observations"]) >= 1


def test_000_36_capture_is_started_and_stopped(world: World) -> None:
    stop = world.memory.capture.listen()
    stop()
    world.summarise()
    assert world.memory.search("").total == 0


def test_000_37_a_text_for_an_agent_an_issue_and_a_context(foreign: World) -> None:
    out = foreign.cli("inject", "--agent", "reviewer", "--issue", "31", "--task", "stale locks").out
    assert "Stale locks older than 30 seconds are removed" in out


def test_000_38_search_and_get_are_on_the_pipeline(foreign: World) -> None:
    hit = foreign.memory.search("timeout").hits[0]
    assert foreign.memory.get(hit.entry.id).content.endswith("after 5 retries")


def test_000_39_a_closed_memory_captures_no_more(world: World) -> None:
    world.memory.capture.listen()
    world.memory.close()
    world.summarise()
    assert not (world.path / "issue-29.json").exists()


def test_000_40_another_backend_works_alike(world: World) -> None:
    with open_memory("memory://seeds", clock=world.clock) as memory:
        [identifier] = memory.store([Observation("engineer", 29, "decision", "Chose SQLite")])
        assert memory.search("sqlite").hits[0].entry.id == identifier


def test_000_41_the_search_command(foreign: World) -> None:
    found = foreign.cli("search", "stale", "--json").json
    assert [hit["agent"] for hit in found["hits"]] == ["reviewer"]


def test_000_42_the_get_command_takes_an_ending_of_the_id(foreign: World) -> None:
    assert foreign.cli("show", "c1b2c3", "--json").json["issueNumber"] == 31


def test_000_43_the_compact_command_takes_an_issue(foreign: World) -> None:
    assert foreign.cli("compact", "--issue", "29", "--dry-run").code == 0


def test_000_44_the_stats_command_counts_by_category_and_agent(foreign: World) -> None:
    out = foreign.cli("stats").out
    assert all(name in out for name in ("decision", "key-fact", "engineer", "reviewer"))


def test_000_45_the_event_of_what_was_stored(world: World) -> None:
    stored: list[MemoryStored] = []
    world.memory.events.subscribe("memory-stored", stored.append)
    ids = world.add("Chose SQLite", "Chose files")
    (event,) = stored
    assert (event.agent, event.issue_number, event.count, event.total_tokens) == (
        "engineer",
        29,
        2,
        6,
    )
    assert event.observation_ids == tuple(ids)


def test_000_46_the_event_of_what_was_recalled(world: World) -> None:
    recalled: list[MemoryRecalled] = []
    world.add("Chose SQLite")
    world.memory.events.subscribe("memory-recalled", recalled.append)
    plan = world.memory.recall.plan("engineer", 29, "sqlite")
    world.memory.recall.inject(plan, "engineer", 29)
    (event,) = recalled
    assert (event.agent, event.issue_number, event.count) == ("engineer", 29, 1)
    assert event.total_tokens == plan.tokens


def test_000_47_the_activity_log_hears_events(world: World) -> None:
    world.add("Chose SQLite")
    world.memory.recall.inject(world.memory.recall.plan("engineer", 29, "sqlite"))
    assert [it.kind for it in world.memory.activity().entries] == ["recalled", "stored"]


def test_000_48_switched_off(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.add("Chose SQLite")
    monkeypatch.setenv("MEMTUI_ENABLED", "false")
    world.memory.reload_settings()
    world.memory.capture.listen()
    world.summarise()
    assert world.memory.search("").total == 1
    assert world.memory.recall.plan("engineer", 29, "sqlite").text == ""


def test_000_49_the_budget(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert world.memory.settings.max_tokens == 20_000
    monkeypatch.setenv("MEMTUI_MAX_TOKENS", "900")
    world.memory.reload_settings()
    assert world.memory.recall.plan("engineer", 29).budget == 900


def test_000_50_most_of_a_capture(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert world.memory.settings.max_memories_per_capture == 50
    monkeypatch.setenv("MEMTUI_MAX_OBSERVATIONS_PER_CAPTURE", "2")  # the document's name
    world.memory.reload_settings()
    world.memory.capture.listen()
    world.summarise()
    assert world.memory.search("").total == 2


def test_000_51_different_the_life_of_a_cached_manifest_is_taken(world: World) -> None:
    (world.root / ".agentx" / "memtui.toml").parent.mkdir(exist_ok=True)
    (world.root / ".agentx" / "memtui.toml").write_text("manifestCacheTtlMs = 30000\n")
    assert world.memory.settings_mistakes == ()


def test_000_52_different_stale_ones(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert world.memory.settings.stale_archive_after_days == 90
    world.add("Chose SQLite", timestamp=NOW.replace(year=2025))
    monkeypatch.setenv("MEMTUI_AUTO_ARCHIVE", "true")
    world.memory.reload_settings()
    world.memory.upkeep.make_room()
    assert world.memory.search("is:archived sqlite").total == 1


def test_000_53_an_entry_of_the_manifest(world: World) -> None:
    world.add("Chose SQLite")
    world.memory.close()
    (entry,) = world.file("manifest.json")["entries"]
    assert entry | {"id": "x"} == entry | {
        "id": "x",
        "agent": "engineer",
        "issueNumber": 29,
        "category": "decision",
        "summary": "Chose SQLite",
        "tokens": 3,
        "timestamp": "2026-03-01T12:00:00.000Z",
    }


def test_000_54_the_manifest(world: World) -> None:
    world.add("Chose SQLite")
    world.memory.close()
    manifest = world.file("manifest.json")
    assert manifest["version"] == 1 and manifest["updatedAt"].startswith("20")


def test_000_55_the_file_of_an_issue(world: World) -> None:
    world.add("Chose SQLite")
    file = world.file("issue-29.json")
    assert (file["version"], file["issueNumber"], len(file["observations"])) == (1, 29, 1)


def test_000_56_an_id_names_agent_issue_and_time(world: World) -> None:
    [identifier] = world.add("Chose SQLite")
    assert re.fullmatch(r"obs-engineer-29-1772366400000-[a-z0-9]{6}", identifier)


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
