"""The five-layer memory, from outside: compaction, handoffs, migration (clauses 002-42 to 79)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from store import open_memory
from tests.seeds.vaults import converse, keep
from tests.seeds.world import WORK, World
from tests.store.backends.vault.vaults import make_vault
from tests.store.language_model.programs import answering


def compact(world: World) -> None:
    world.memory.vault.compact(world.memory.vault.plan())


def entries(world: World, name: str) -> list[str]:
    """The entries of a file of the vault, as a person reads them."""
    path = world.path / name
    text = path.read_text("utf-8") if path.exists() else ""
    return [it.partition("-->\n")[2] for it in text.split("<!-- id:")[1:]]


@pytest.mark.parametrize(("minutes", "runs"), [(9, False), (11, True)])
def test_002_42_every_ten_minutes_where_that_is_set(
    vault: World, monkeypatch: pytest.MonkeyPatch, minutes: int, runs: bool
) -> None:
    monkeypatch.setenv("MEMTUI_AUTO_COMPACT", "10")
    vault.memory.reload_settings()
    (vault.path / "old.md.bak").write_text("older")
    vault.memory.vault.compact_if_due()
    assert not (vault.path / "old.md.bak").exists()
    vault.clock.pass_by(minutes=minutes)
    (vault.path / "tech.md.bak").write_text("older")
    vault.memory.vault.compact_if_due()
    assert (not (vault.path / "tech.md.bak").exists()) is runs


def test_002_43_expired_and_broken_checkpoints_go(vault: World) -> None:
    keep(vault, days=6.9)
    keep(vault, days=7.1, agent="old")
    folder = vault.path / ".vault" / "checkpoints"
    (folder / "broken.json").write_text("{")
    compact(vault)
    assert [path.name for path in folder.glob("*.json")] == ["dev.json"]


DECISIONS = (
    "We decided on SQLite here",
    "The team chose SQLite here",
    "The page will use SQLite here",
    "Uma decisão: SQLite aqui",
    "Nós escolhemos SQLite aqui",
    "Agora optamos por SQLite",
    "Agora adotamos o SQLite",
    "Agora vamos usar SQLite",
    "The team went with SQLite",
    "The team settled on SQLite",
)
LESSONS = (
    "We learned that it is slow",
    "An important limit is size",
    "Please note: it is slow",
    "Nós aprendemos que é lento",
    "Um ponto importante é isso",
    "Uma lição: isso é lento",
    "A discovery: it is slow",
    "An insight: it is slow",
    "Nós descobrimos que é lento",
    "Nós observamos que é lento",
)


def test_002_44_patterns_of_decisions_and_lessons(vault: World) -> None:
    converse(vault, "Which?", "\n".join((*DECISIONS, *LESSONS)))
    compact(vault)
    for name, lines in (("decisions", DECISIONS), ("lessons", LESSONS)):
        found = [it.split("\n\n")[1] for it in entries(vault, f"dev/{name}.md")]
        assert set(lines) <= set(found) and len(found) <= 11


def test_002_45_a_line_without_a_pattern_leaves_nothing(vault: World) -> None:
    for line in ("We talked about SQLite here", "Undecidable words stand here"):
        converse(vault, "The user will use SQLite here", line)
        compact(vault)
        assert len(entries(vault, "dev/decisions.md")) == 1
        assert not entries(vault, "dev/lessons.md")


def test_002_46_ten_decisions_and_ten_lessons_of_a_conversation(vault: World) -> None:
    said = [f"We decided on table {n} here\nWe learned that {n} is slow" for n in range(15)]
    converse(vault, "Which?", "\n".join(said))
    compact(vault)
    assert len(entries(vault, "dev/decisions.md")) == 1 + 10
    assert len(entries(vault, "dev/lessons.md")) == 10


def test_002_47_between_15_and_300_letters(vault: World) -> None:
    lines = {"a": "We chose SQL 15", "b": "We chose SQL 016", "c": "We chose " + "x" * 400}
    for agent, line in lines.items():
        converse(vault, "Which?", line, agent=agent)
    compact(vault)
    found = {agent: entries(vault, f"{agent}/decisions.md") for agent in lines}
    lengths = {agent: [len(it.split("\n\n")[1]) for it in of] for agent, of in found.items()}
    assert lengths == {"a": [], "b": [16], "c": [300]}


def test_002_48_50_a_long_conversation_keeps_20_messages_and_leaves_a_handoff(vault: World) -> None:
    path = converse(vault, *(f"message {n}" for n in range(30)))
    compact(vault)
    kept = [it["text"] for it in json.loads(path.read_text())["messages"]]
    assert kept == [f"message {n}" for n in range(10, 30)]
    (handoff,) = entries(vault, "dev/handoffs.md")  # 002-50: of the agent's, the last three that go
    assert "#compacted #auto-handoff" in handoff
    assert re.findall(r"message \d+", handoff) == ["message 5", "message 7", "message 9"]


def test_002_49_a_conversation_that_is_as_it_was_is_not_read_again(vault: World) -> None:
    converse(vault, "Which?", "We decided on SQLite here")
    compact(vault)
    (hit,) = vault.memory.search("category:decision sqlite").hits
    vault.memory.apply(vault.memory.plan.remove(hit.entry.id))
    compact(vault)
    assert vault.memory.search("category:decision sqlite").total == 0


def test_002_51_52_many_of_a_category_are_folded_into_a_line_each(vault: World) -> None:
    for number in (30, 31, 60):
        words = (f"Tabs wrap {n} {'wrap ' * 100}" for n in range(number))
        vault.add(*words, agent=f"qa{number}", issue_number=0)
    compact(vault)
    for number, left in ((30, 30), (31, 21), (60, 21)):
        found = entries(vault, f"qa{number}/decisions.md")
        assert len(found) == left
        for summary in (it for it in found if "Compacted" in it):  # 002-52
            lines = re.findall(r"^- \[2026-03-01\] (Tabs wrap \d+ wrap.*)", summary, re.MULTILINE)
            assert f"Compacted {number - 20} older entries:" in summary
            assert len(set(lines)) == number - 20
            assert max(map(len, lines)) <= 200


@pytest.mark.parametrize("minutes", ["0", "10"])
def test_002_53_different_at_end(
    vault: World, monkeypatch: pytest.MonkeyPatch, minutes: str
) -> None:
    monkeypatch.setenv("MEMTUI_AUTO_COMPACT", minutes)
    (vault.path / "old.md.bak").write_text("older")
    vault.end_session()
    assert (vault.path / ".vault" / "compact-log.json").exists() is (minutes == "10")


def test_002_54_the_programs_own_index_goes_and_ours_follows(vault: World) -> None:
    index = vault.path / ".vault" / "index.json"
    index.parent.mkdir()
    index.write_text("{}")
    converse(vault, "Which?", "We decided on SQLite here")
    compact(vault)
    assert not index.exists() and vault.memory.search("sqlite here").total == 1


def test_002_55_backups_and_flat_files_that_became_entries_go(vault: World) -> None:
    (vault.path / "old.md.bak").write_text("older")
    (vault.path / "dev.md").write_text("## Decisions\nWe decided to use server-sent events.\n")
    (vault.path / "qa.md").write_text("## Notes\nNot an entry yet.\n")
    compact(vault)
    left = {path.name for path in vault.path.glob("*.md*")}
    assert left == {"_project.md", "qa.md"}


def test_002_56_the_last_result_is_kept_as_given(vault: World) -> None:
    keep(vault, days=8)
    converse(vault, *(f"message {n}" for n in range(25)))
    (vault.path / "old.md.bak").write_text("older")
    vault.add(*(f"Tabs wrap {n}" for n in range(33)), agent="qa", issue_number=0)
    compact(vault)
    assert vault.file(".vault/compact-log.json") == {
        "timestamp": "2026-03-01T12:00:00.000Z",
        "checkpointsCleaned": 1,
        "conversationsTrimmed": 1,
        "vaultEntriesMerged": 13,
        "indexRebuilt": True,
        "legacyFilesCleaned": 1,
    }


def test_002_57_different_nothing_is_served_beyond_this_machine(vault: World) -> None:
    tokens = vault.home / "tokens"
    tokens.write_text("* " + "a" * 24 + "\n")
    tokens.chmod(0o600)
    for address in ("0.0.0.0:8765", "192.168.1.9:8765", "example.com:80"):
        refused = vault.cli("serve", "--listen", address, "--tokens", str(tokens))
        assert refused.code == 2 and "127.0.0.1" in refused.err


def test_002_58_60_61_a_session_that_ends_leaves_a_handoff_and_what_it_decided(
    vault: World,
) -> None:
    vault.end_session()
    (handoff,) = entries(vault, "claude-code/handoffs.md")
    assert WORK[1] in handoff
    assert handoff.splitlines()[0].endswith("· #auto-handoff #session-close")  # 002-60
    assert vault.memory.search("agent:claude-code -category:handoff sqlite database").total == 1


def test_002_59_its_last_six_messages_of_200_characters(vault: World) -> None:
    said = [f"message {n} " + "and more of it " * 20 for n in range(9)]
    vault.hook("session-end", transcript_path=vault.transcript(*said))
    (handoff,) = entries(vault, "claude-code/handoffs.md")
    lines = handoff.partition("\n\n")[2].partition("\n\n")[0].splitlines()
    speakers = ("Agent", "User") * 3
    assert [
        line[: len(f"[{who}]: message 3")] for line, who in zip(lines, speakers, strict=True)
    ] == [f"[{who}]: message {n}" for n, who in enumerate(speakers, 3)]
    assert all(len(line.partition(": ")[2]) <= 200 for line in lines)


SECTIONS = {
    "Decisões": "decisions",
    "Decisões Técnicas": "decisions",
    "Decisions": "decisions",
    "Aprendizados": "lessons",
    "Notas de Sessão": "lessons",
    "Lessons": "lessons",
    "Findings": "lessons",
    "Notes": "lessons",
    "Tarefas": "tasks",
    "Tasks": "tasks",
    "Contexto": "projects",
    "Contexto de Projeto": "projects",
    "Context": "projects",
    "Projects": "projects",
    "Handoffs": "handoffs",
    "decisoes tecnicas": "decisions",
}


def migrate(world: World, text: str) -> None:
    """Make entries of a flat file of qa."""
    (world.path / "qa.md").write_text(text)
    assert world.cli("migrate", "--yes").code == 0


def test_002_62_64_65_sections_of_a_flat_file_become_entries_once(vault: World) -> None:
    text = (
        "# QA\n\n## Decisions\nWe chose SQLite.\n\n## Tasks\n- [ ] Measure it\n\n"
        "## Colours\nThe gauge is blue.\n"
    )
    for _ in range(2):  # 002-65: again, it adds nothing
        migrate(vault, text)
        (decision,) = entries(vault, "qa/decisions.md")
        assert "We chose SQLite." in decision
        assert "- [ ] Measure it" in (vault.path / "qa" / "tasks.md").read_text()
        (lesson,) = entries(vault, "qa/lessons.md")  # 002-64: any other section
        assert "The gauge is blue." in lesson
        assert (vault.path / "qa.md.bak").read_text() == text


def test_002_63_headings_in_two_languages_name_a_category(vault: World) -> None:
    headings = enumerate(SECTIONS)
    migrate(vault, "".join(f"## {heading}\nGauge {n} wraps.\n\n" for n, heading in headings))
    for n, name in enumerate(SECTIONS.values()):
        assert f"Gauge {n} wraps." in (vault.path / "qa" / f"{name}.md").read_text()


def test_002_66_different_a_preview_names_what_would_be_migrated(vault: World) -> None:
    (vault.path / "qa.md").write_text("## Colours\nThe gauge is blue.\n")
    asked = vault.cli("migrate", "--dry-run")
    assert "qa.md becomes 1 memory; the original is kept as qa.md.bak." in asked.out
    assert (vault.path / "qa.md").exists() and not (vault.path / "qa").exists()


def test_002_67_all_conversations_are_imported_and_a_broken_one_named(vault: World) -> None:
    for n in range(3):
        converse(vault, "Which?", f"We decided on table {n} here", agent=f"dev-{n}")
    (vault.path / "conversations" / "broken.json").write_text("{")
    folder = str(vault.path / "conversations")
    imported = vault.cli("import", "--transcripts", folder, "--yes")
    assert "broken.json" in imported.out + imported.err
    assert vault.memory.search("category:decision table here").total == 3


ROUTES = (
    ("import --transcripts conversations --dry-run", '"kept": 2'),
    ("list --agent dev --category decision", "server-sent"),
    ("add --agent dev --category lesson Tabs", "obs-dev-0-"),
    ("search tabs", "Tabs"),
    ("edit 1773679871839 --content Words --yes", "Edit 1 memory"),
    ("remove 1773679871839 --yes", "Delete 1 memory"),
    ("compact --vault --dry-run", "We decided on SQLite here"),
    ("compact --vault --yes", "1 memory extracted"),
    ("migrate --yes", "Import 1 memory"),
)
"""Commands in place of routes, and words of what they answer."""


def test_002_68_different_each_route_is_a_command_with_json(vault: World) -> None:
    folder = converse(vault, "Which?", "We decided on SQLite here").parent
    (vault.path / "qa.md").write_text("## Colours\nThe gauge is blue.\n")
    for command, words in ROUTES:
        done = vault.cli(*command.replace("conversations", str(folder)).split(), "--json")
        assert done.json and words in done.out, command


def test_002_69_a_search_takes_words_agent_category_and_limit(vault: World) -> None:
    vault.add(*(f"Tabs wrap {n}" for n in range(60)), agent="qa", issue_number=0)
    for words, total, hits in (
        ("wrap", 60, 50),
        ("wrap --limit 10", 60, 10),
        ("wrap --limit 55", 60, 55),
        ("wrap agent:ux", 0, 0),
        ("wrap agent:qa category:decision", 60, 50),
    ):
        found = vault.cli("search", *words.split(), "--json").json
        assert (found["total"], len(found["hits"])) == (total, hits), words


def test_002_70_git_keeps_the_vault_alone(vault: World) -> None:
    vault.add("Tabs wrap", agent="qa", issue_number=0)
    lines = (vault.path / ".gitignore").read_text().splitlines()
    assert {
        ".vault/index.json",
        ".vault/compact-log.json",
        ".vault/checkpoints/",
        "conversations/",
    } <= set(lines)
    assert not any("*" in line or "_project" in line or "qa" in line for line in lines)


def test_002_71_what_is_missing_or_broken_stops_nothing(vault: World) -> None:
    assert vault.cli("list", "--agent", "dev", "--category", "lesson", "--json").json == []
    converse(vault, "Which?", "We decided on SQLite here")
    (vault.path / "conversations" / "broken.json").write_text("{")
    compact(vault)
    assert vault.memory.search("sqlite here").total == 1


def test_002_72_a_broken_checkpoint_is_none(vault: World) -> None:
    keep(vault)
    assert vault.memory.continuation.recover("dev") is not None
    for content in ("{", "[]", '{"agentId": "dev"}', "\x00", ""):
        (vault.path / ".vault" / "checkpoints" / "dev.json").write_text(content)
        assert vault.memory.continuation.recover("dev") is None, content


def test_002_73_74_an_index_that_cant_be_written_is_told_and_stops_no_session(vault: World) -> None:
    (vault.home / "CACHE").write_text("no folder")
    found = vault.cli("search", "events")
    assert "server-sent" in found.out and "search index can't be written" in found.err
    assert "Write the manual" in vault.hook("session-start", source="startup")  # 002-74


def test_002_75_a_model_extracts_where_a_program_is_named(vault: World) -> None:
    picked = {"category": "decision", "text": "SQLite, since nobody runs a server.", "from": [2]}
    path = vault.transcript(*WORK, edits="store/lock.py")
    done = vault.cli("capture", path, "--with", answering(picked), "--yes")
    assert done.code == 0
    assert "SQLite, since nobody runs a server." in entries(vault, "claude-code/decisions.md")[0]


def test_002_76_different_words_in_another_form_are_found_without_a_model(vault: World) -> None:
    assert vault.memory.search("deciding event").total == 1
    assert vault.memory.search("websocket push").total == 0


def test_002_77_memories_link_to_each_other(vault: World) -> None:
    at = {"agent": "qa", "issue_number": 0}
    [rule] = vault.add("Lock rules\n\nKeep them short.", **at)
    [about] = vault.add("The gauge keeps to the [[Lock rules]].", **at)
    memory = vault.memory
    links = {(it.relation, it.observation.id) for it in memory.related(memory.get(about))}
    back = {(it.relation, it.observation.id) for it in memory.related(memory.get(rule))}
    assert ("links to", rule) in links and ("linked from", about) in back


def test_002_78_a_profile_says_what_is_told(vault: World) -> None:
    for profile in ("memtui", "agentx", "evolving", "vault"):
        text = vault.memory.recall.plan("dev", 0, "server-sent events", profile=profile).text
        assert "We decided to use server-sent events." in text
        assert ("Project:\nThe shop runs on SQLite." in text) is (profile == "vault")


def test_002_79_a_vault_of_obsidian_opens_and_stays_as_it_is(home: Path) -> None:
    files = {
        ".obsidian/app.json": "{}",
        "Lock rules.md": "---\ntags: [locks]\naliases: [Rules]\n---\nKeep locks short.\n",
        "Gauge.md": "See [[Rules]].\n",
    }
    folder = make_vault(home / "notes", files)
    with open_memory(folder, cache=home / "cache") as memory:
        (gauge,) = [hit.entry.id for hit in memory.search("see").hits]
        (rules,) = memory.related(memory.get(gauge))
        assert rules.observation.tags == ("locks",)
        memory.store([memory.get(gauge)._replace(id="", content="Drawn in blue.")])
    assert {name: (folder / name).read_text() for name in files} == files
