"""The five-layer memory, from outside: sessions, vault, search, injection (clauses 002-1 to 41)."""

from __future__ import annotations

import json
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from store import Observation, open_memory
from store.errors import StoreError
from tests.seeds.vaults import converse, keep
from tests.seeds.world import NOW, WORK, World

CATEGORIES = {
    "decision": "decisions",
    "lesson": "lessons",
    "handoff": "handoffs",
    "task": "tasks",
    "project": "projects",
}


def told(world: World, task: str = "", agent: str = "dev", budget: int | None = None) -> str:
    return world.memory.recall.plan(agent, 0, task, profile="vault", budget=budget).text


def section(text: str, heading: str) -> list[str]:
    part = text.partition(f"\n{heading}:\n")[2].partition("\n\n")[0]
    return [line for line in part.splitlines() if line != "```"]


def test_002_1_different_the_clients_own_session_is_found_and_resumed(vault: World) -> None:
    folder = vault.home / ".claude" / "projects" / str(vault.root).replace("/", "-")
    folder.mkdir(parents=True)
    Path(vault.transcript(*WORK)).rename(folder / "s-1.jsonl")
    found = vault.cli("sessions", "last")
    assert "claude --resume s-1" in found.out + found.err


def test_002_2_different_a_prompt_keeps_what_was_said(vault: World) -> None:
    path = vault.transcript(*WORK)
    vault.hook("user-prompt", prompt="And test it.", transcript_path=path)
    shown = vault.cli("recover", "claude-code").out
    assert all(words in shown for words in (*WORK, "And test it."))


@pytest.mark.parametrize("internal", [False, True])
def test_002_3_4_conversations_are_read_but_for_internal_messages(
    vault: World, internal: bool
) -> None:
    path = converse(vault, "Which?", "We decided to use SSE for updates of the page.")
    talk = json.loads(path.read_text())
    talk["messages"][1]["internal"] = internal
    path.write_text(json.dumps(talk))
    assert vault.cli("import", "--transcripts", str(path.parent), "--yes").code == 0
    found = [hit.entry for hit in vault.memory.search("category:decision sse").hits]
    dated = [(it.agent, it.timestamp.isoformat()[:16]) for it in found]
    assert dated == ([] if internal else [("dev", "2026-02-15T23:04")])


def test_002_5_6_8_35_the_last_messages_are_recovered_for_seven_days(vault: World) -> None:
    for days in (0, 6.9):
        keep(vault, days)
        found = vault.memory.continuation.recover("dev")
        assert found and (found.chat_id, found.model_id) == ("chat_abc123", "claude-opus-4-6")
        assert (found.agent, found.saved_at) == ("dev", NOW - timedelta(days=days))
        assert [it.text for it in found.messages] == [f"m{n}" for n in range(10, 60)]  # 002-6
        lines = section(told(vault), "Recovering previous session")
        assert lines == ["[user]: m57", "[user]: m58", "[user]: m59"]  # 002-8
    keep(vault, days=7.1)
    assert vault.memory.continuation.recover("dev") is None
    assert "Recovering previous session:" not in told(vault)  # 002-35


def test_002_7_checkpoint_recover_and_sleep(vault: World) -> None:
    said = [{"role": "user", "text": "Mend it."}, {"role": "agent", "text": "Done."}]
    going_on = vault.memory.continuation
    going_on.checkpoint("qa", said, "chat-1", "opus")
    found = going_on.recover("qa")
    assert found and (found.chat_id, len(found.messages)) == ("chat-1", 2)
    going_on.sleep("qa", said, "Mended the gauge.")
    assert "Mended the gauge." in (vault.path / "qa" / "handoffs.md").read_text()


def test_002_9_34_every_agent_is_told_of_the_project_and_of_its_open_tasks(vault: World) -> None:
    for agent in ("dev", "ux", "nobody-yet"):
        assert section(told(vault, agent=agent), "Project") == ["The shop runs on SQLite."]
    lines = section(told(vault), "Open Tasks")
    assert sorted(lines) == ["- [ ] Measure the gauge", "- [ ] Write the manual"]


def test_002_10_11_a_folder_an_agent_a_file_a_category(vault: World) -> None:
    for number, (category, name) in enumerate(CATEGORIES.items(), 1):
        vault.add("Tabs wrap", agent="qa", issue_number=0, category=category)
        assert "Tabs wrap\n" in (vault.path / "qa" / f"{name}.md").read_text()
        assert len(list((vault.path / "qa").glob("*.md"))) == number
        assert vault.memory.search(f"agent:qa category:{category}").total == 1


def test_002_12_13_an_entry_is_read_and_written_as_given(vault: World) -> None:
    read = vault.memory.get("1773679871839")
    assert read.content == "We decided to use server-sent events."
    assert read.tags == ("react", "typescript")
    vault.add("Tabs wrap", agent="qa", issue_number=0, category="lesson", tags=("css",))
    assert (vault.path / "qa" / "lessons.md").read_text().strip() == (
        "<!-- id:1772366400000 -->\n## 2026-03-01T12:00 · #css\n\nTabs wrap\n\n---"
    )
    vault.add("Two", "Three", agent="qa", issue_number=0)  # 002-13: milliseconds, else the next
    text = (vault.path / "qa" / "decisions.md").read_text()
    ids = sorted(line[8:21] for line in text.splitlines() if line.startswith("<!-- id:"))
    assert ids == ["1772366400001", "1772366400002"]


def test_002_14_tags_stand_in_the_text(vault: World) -> None:
    texts = {"We chose #sqlite for #db_1.": ("sqlite", "db_1"), "No tag # here": (), "#29": ()}
    for content, tags in texts.items():
        entry = f"<!-- id:1773679871000 -->\n## 2026-03-16T16:51\n\n{content}\n\n---\n"
        (vault.path / "dev" / "lessons.md").write_text(entry)
        assert vault.memory.get("1773679871000").tags == tags


def test_002_15_the_newest_comes_first(vault: World) -> None:
    for words in ("First", "Second", "Third"):
        vault.add(words, agent="qa", issue_number=0, category="lesson")
        vault.clock.pass_by(minutes=1)
    text = (vault.path / "qa" / "lessons.md").read_text()
    assert text.index("Third") < text.index("Second") < text.index("First")


def test_002_16_what_compaction_wrote_is_tagged(vault: World) -> None:
    converse(vault, "Which?", "We decided to use SSE for updates of the page.")
    vault.memory.vault.compact(vault.memory.vault.plan())
    (hit,) = vault.memory.search("category:decision sse").hits
    assert vault.memory.get(hit.entry.id).tags == ("compacted", "auto-extract")


def test_002_17_entries_are_read_added_changed_and_deleted(vault: World) -> None:
    path = vault.path / "dev" / "decisions.md"
    at = ("--agent", "dev", "--category", "decision")
    added = vault.cli("add", *at, "We chose SQLite")
    assert "We chose SQLite" in path.read_text()
    identifier = added.out.strip()
    assert vault.cli("edit", identifier, "--content", "We chose Postgres", "--yes").code == 0
    assert "Postgres" in path.read_text() and "We chose SQLite" not in path.read_text()
    listed = vault.cli("list", "--agent", "dev", "--category", "decision", "--json").json
    assert len(listed) == 2
    assert vault.cli("remove", listed[0]["id"], listed[1]["id"], "--yes").code == 0
    assert not path.exists()


def test_002_18_19_22_25_agents_categories_and_results(vault: World) -> None:
    assert vault.cli("stats", "--json").json["byAgent"] == {"dev": 4, "project": 1, "ux": 1}
    facets = vault.memory.search("agent:dev").facets
    assert facets.counts["category"] == {"decision": 1, "task": 3}  # 002-19
    (hit,) = vault.cli("search", "server-sent", "--json").json["hits"]  # 002-22
    assert hit["score"] > 0 and hit["snippet"] == "We decided to use server-sent events."
    assert (hit["id"], hit["agent"], hit["category"]) == ("1773679871839", "dev", "decision")
    for words, total in (("agent:ux", 1), ("category:task", 4), ("agent:dev category:task", 3)):
        found = vault.cli("search", *words.split(), "--limit", "1", "--json").json  # 002-25
        assert (found["total"], len(found["hits"])) == (total, 1)


def test_002_23_text_and_tags_are_searched_by_a_lasting_index(vault: World) -> None:
    assert vault.memory.search("typescript").total == vault.memory.search("events").total == 1
    vault.memory.close()
    files = [path for path in (vault.home / "cache").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) > 1_000


def test_002_20_writes_come_in_turn_and_one_that_fails_blocks_none(vault: World) -> None:
    with pytest.raises(StoreError):
        vault.add("", agent="qa", issue_number=0)
    writers = [
        threading.Thread(target=vault.add, args=(f"Words {n}",), kwargs={"agent": "qa"})
        for n in range(4)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert (vault.path / "qa" / "decisions.md").read_text().count("<!-- id:") == 4


def test_002_21_the_index_follows_and_its_failure_stops_no_write(vault: World) -> None:
    [identifier] = vault.add("Tabs wrap", agent="qa", issue_number=0)
    assert vault.memory.search("tabs").total == 1
    vault.memory.apply(vault.memory.plan.remove(identifier))
    assert vault.memory.search("tabs").total == 0
    (vault.home / "broken").write_text("no folder")
    with open_memory(vault.path, cache=vault.home / "broken") as memory:
        memory.store([Observation("qa", 0, "lesson", "Caches fail")])
    assert "Caches fail" in (vault.path / "qa" / "lessons.md").read_text()


def test_002_24_a_missing_index_is_built_again(vault: World) -> None:
    for cache in ("cache", "another", "a-third"):
        with open_memory(vault.path, cache=vault.home / cache) as memory:
            assert memory.search("events").total == 1


def test_002_26_27_28_different_near_spellings_beginnings_and_50_results(vault: World) -> None:
    totals = {"servre": 1, "zzzzzz": 0, "serv": 1, "events serv": 1}
    assert {query: vault.memory.search(query).total for query in totals} == totals
    vault.add(*(f"Tabs wrap {n}" for n in range(53)), agent="qa", issue_number=0)
    assert len(vault.memory.search("tabs").hits) == 50  # 002-28
    assert len(vault.memory.search("tabs", limit=10).hits) == 10


def test_002_29_a_snippet_is_short_and_shows_the_word(vault: World) -> None:
    vault.add("Before it. " * 40 + "The gauge wraps. " + "After it. " * 40, agent="qa")
    (hit,) = vault.cli("search", "gauge", "wraps", "--json").json["hits"]
    assert "gauge wraps" in hit["snippet"] and len(hit["snippet"]) <= 162
    assert hit["snippet"].index("gauge") > 20


def test_002_30_at_most_2000_tokens(vault: World) -> None:
    (vault.path / "_project.md").write_text("The shop runs on many tables. " * 60)
    vault.add(
        *(f"Task {n}: " + "write it down " * 30 for n in range(40)), agent="dev", category="task"
    )
    plan = vault.memory.recall.plan("dev", 0, "", profile="vault")
    assert 1_800 < plan.tokens <= 2_000


def test_002_31_the_project_is_told_whole(vault: World) -> None:
    text = "\n".join(f"Rule {n} of the shop" for n in range(60))
    (vault.path / "_project.md").write_text(text)
    assert section(told(vault), "Project") == text.splitlines()


def test_002_32_the_agents_latest_handoff(vault: World) -> None:
    for agent, words in (("dev", "Began"), ("dev", "Left at the form"), ("ux", "Drew it")):
        vault.clock.pass_by(minutes=1)
        vault.add(words, agent=agent, issue_number=0, category="handoff")
    assert section(told(vault), "Last Session") == ["Left at the form"]


LIVE = (
    "Live updates need a lock",
    "A cache of live updates expires",
    "Nobody tests live updates on Windows",
    "Measure live updates with two writers",
)


def test_002_33_three_decisions_and_two_lessons_that_match(vault: World) -> None:
    vault.add(*LIVE, "We chose blue", agent="dev", issue_number=0)
    vault.add(*LIVE, "Paint dries", agent="dev", issue_number=0, category="lesson")
    text = told(vault, "live updates")
    decisions, lessons = section(text, "Relevant Decisions"), section(text, "Relevant Lessons")
    assert (len(decisions), len(lessons)) == (3, 2)
    assert {line[2:] for line in (*decisions, *lessons)} <= set(LIVE)


def test_002_36_different_counts_of_tokens(world: World) -> None:
    world.add("Chose SQLite!")
    assert world.records()[0]["tokens"] == 4  # 13 characters
    plan = world.memory.recall.plan("engineer", 29, "sqlite")
    assert "Claude" in plan.counter and plan.tokens > len(plan.text) / 4


def test_002_37_lessons_go_first_then_decisions_then_the_handoff(vault: World) -> None:
    vault.add("Live updates need a lock", agent="dev", issue_number=0, category="lesson")
    vault.add("Live updates by polling", agent="dev", issue_number=0)
    vault.add("Left at the form", agent="dev", issue_number=0, category="handoff")
    names = ("Relevant Lessons", "Relevant Decisions", "Last Session", "Project")
    seen = []
    for budget in range(300, 60, -3):
        text = told(vault, "live updates", budget=budget)
        seen.append(tuple(name for name in names if f"{name}:" in text))
    assert list(dict.fromkeys(seen))[:4] == [names, names[1:], names[2:], names[3:]]


def test_002_38_the_headings_of_the_text_in_their_order(vault: World) -> None:
    keep(vault)
    for category in ("handoff", "decision", "lesson"):
        vault.add("Live updates", agent="dev", issue_number=0, category=category)
    lines = told(vault, "live updates").splitlines()
    assert lines[0] == "## MEMORY CONTEXT"
    assert [line for line in lines if line.endswith(":")] == [
        "Project:",
        "Last Session:",
        "Relevant Decisions:",
        "Relevant Lessons:",
        "Open Tasks:",
        "Recovering previous session:",
    ]


def test_002_39_41_a_session_is_told_how_to_write_and_nothing_again(vault: World) -> None:
    text = vault.hook("session-start", source="startup")
    assert text.rstrip().endswith('memtui add "what, and why" --category decision')
    assert "Write the manual" in text
    assert "Write the manual" not in vault.hook("session-start", source="resume")  # 002-41
