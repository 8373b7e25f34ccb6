"""SPEC-29, from outside: scores, search and what is kept out (clauses 000-58 to 000-74)."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest

from store import Observation, open_memory
from tests.seeds import foreign_writer
from tests.seeds.world import NOW, TOKEN, World
from tests.store.factories import record

Scores = dict[str, float]


def factors(world: World, task: str, content: str = "Chose SQLite", **of: object) -> Scores:
    """The parts of the score of a memory that is alone in an issue, in profile `agentx`."""
    issue = world.memory.search("").total + 1
    world.add(content, issue_number=issue, **of)
    (candidate,) = world.memory.recall.plan("engineer", issue, task, profile="agentx").candidates
    return {**candidate.factors, "score": candidate.score}


def test_000_58_59_61_recency_and_recalls_add_to_a_score(world: World) -> None:
    for days, score in ((0, 0.4), (30, 0.2), (90, 0.1)):
        found = factors(world, "other", timestamp=NOW - timedelta(days=days))
        assert found["recency"] == pytest.approx(score)
    for recalls, score in ((0, 0), (3, 0.06), (10, 0.2), (14, 0.2)):
        found = factors(world, "other", recall_count=recalls)
        assert found.get("recall", 0) == pytest.approx(score)
    found = factors(world, "sqlite", timestamp=NOW - timedelta(days=30), recall_count=5)
    assert found["score"] == pytest.approx(0.4 * 0.5 + 0.2 * 0.5 + 0.4 * 1)


def test_000_60_different_keywords_are_whole_words(world: World) -> None:
    scores = {"sqlite": 0.4, "sqlite art": 0.2, "art": 0, "start art sqlite": 0.8 / 3}
    for task, score in scores.items():
        found = factors(world, task, "Start the smartcart on SQLite")
        assert found.get("keywords", 0) == pytest.approx(score), task


def test_000_62_different_forms_of_words(foreign: World) -> None:
    totals = {"LOCK": 3, "locking": 3, "manifestJson": 1, "block": 0}
    assert {query: foreign.memory.search(query).total for query in totals} == totals


def test_000_63_different_what_others_write_is_found_at_once(world: World) -> None:
    world.add("Chose SQLite")
    assert world.memory.search("postgres").total == 0
    foreign_writer.add(world.path, record("obs-a-29-1709035200000-a1b2c3", content="No Postgres"))
    assert world.memory.search("postgres").total == 1


def test_000_64_different_what_has_more_of_the_words_comes_first(world: World) -> None:
    world.add("Chose a lock", "Chose a lock for each table", "Chose a queue for each column")
    first = world.memory.search("lock table column").hits[0]
    assert first.entry.summary == "Chose a lock for each table"


def test_000_66_rare_words_weigh_more_as_in_bm25(world: World) -> None:
    world.add("Chose a table", "Chose a table", "Chose a table, too", "Chose a mutex")
    assert world.memory.search("table mutex").hits[0].entry.summary == "Chose a mutex"


def test_000_65_different_50_results_unless_said(world: World) -> None:
    world.add(*(f"Chose table {number}" for number in range(55)))
    assert len(world.memory.search("table").hits) == 50
    assert len(world.cli("search", "table", "--limit", "20", "--json").json["hits"]) == 20


def test_000_67_secrets_are_stripped(world: World) -> None:
    for secret in (
        TOKEN,
        "AKIAIOSFODNN7EXAMPLZ",
        "sk-ant-api03-" + "aB3dE5fG7hI9jK1lM3nO5" * 4 + "-AA",
        "postgres://me:hunter2secret@db/shop",
    ):
        world.add(f"The shop logs in with {secret} at night")
        content = world.records()[-1]["content"]
        assert "redacted" in content and "at night" in content
        assert secret not in (world.path / "issue-29.json").read_text("utf-8")


def test_000_68_private_passages_are_removed(world: World) -> None:
    added = world.cli("add", "--issue", "29", "Ask <private>Ann Smith</private> about the lease")
    assert "1 secret or private passage" in added.err
    assert "Ann" not in (world.path / "issue-29.json").read_text("utf-8")


def test_000_69_no_secret_of_others_is_shown_recalled_or_found(world: World) -> None:
    world.path.mkdir(parents=True)
    content = f"Deploy with {TOKEN} of <private>Ann Smith</private> on Monday"
    foreign_writer.add(world.path, record("obs-a-29-1709035200000-a1b2c3", content=content))
    shown = [
        world.memory.recall.plan("engineer", 29, "deploy").text,
        world.cli("show", "a1b2c3").out,
        world.cli("show", "a1b2c3", "--json").out,
        world.cli("search", "monday", "--json").out,
        world.cli("export").out,
    ]
    assert all("Monday" in text or "Chose" in text for text in shown)
    assert not any(TOKEN in text or "Ann" in text for text in shown)
    assert world.memory.search("monday").total == 1
    for word in ("smith", "smi", "ann", '"ann smith"'):
        assert world.memory.search(word).total == 0


def test_000_70_at_most_2000_characters(world: World) -> None:
    [identifier] = world.add("x" * 5_000)
    content = world.memory.get(identifier).content
    assert len(content) == 2_000 and content.endswith("[cut at 2,000 characters]")


def test_000_71_at_most_50_of_a_capture(world: World) -> None:
    lines = "\n".join(f"- Chose table {number} for module {number}" for number in range(60))
    captured = world.cli(
        "capture", "-", "--format", "summary", "--yes", stdin=f"## Decisions\n{lines}\n"
    )
    assert (captured.code, world.memory.search("").total) == (0, 50)


def test_000_72_different_only_its_user_may_read_it(world: World) -> None:
    world.root.chmod(0o755)
    world.add("Chose SQLite")
    files = (world.path, world.path / "issue-29.json")
    assert [path.stat().st_mode & 0o777 for path in files] == [0o700, 0o600]


def test_000_73_writers_in_a_row_lose_nothing(world: World) -> None:
    world.add("Chose SQLite")

    def write(name: str) -> None:
        with open_memory(world.path, cache=world.home / name, clock=world.clock) as memory:
            for number in range(5):
                memory.store([Observation(name, 29, "decision", f"Chose {name} {number}")])

    writers = [threading.Thread(target=write, args=(f"writer-{number}",)) for number in range(3)]
    for writer in writers:
        writer.start()
    for number in range(3):
        made = record(f"obs-a-29-170903520000{number}-a1b2c3", content=f"Foreign {number}")
        foreign_writer.add(world.path, made)
    for writer in writers:
        writer.join()
    assert len(world.records()) == 1 + 15 + 3


def test_000_74_different_ids_of_any_form_are_read(world: World) -> None:
    world.path.mkdir(parents=True)
    foreign_writer.add(world.path, record("a weird id!", content="Chose SQLite"))
    assert world.memory.get("a weird id!").content == "Chose SQLite"
    assert "Chose SQLite" in world.cli("show", "weird id!").out
