"""ADR-1, from outside: locks and clarifications (clauses 003-1 to 003-29)."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from store import Observation, open_memory
from store.backends.files.locks import TIMEOUT
from store.clarifications.rules import Question
from store.errors import InvalidObservation, LockTimeout
from tests.seeds import foreign_writer
from tests.seeds.world import World
from tests.store.factories import record

ASK = ("clarify", "ask", "--issue", "29", "--from", "engineer", "--to", "architect")


def ledger(world: World) -> Path:
    return world.root / ".agentx" / "state" / "clarifications" / "issue-29.json"


def stored(world: World) -> dict[str, Any]:
    """The first clarification, as it stands in the ledger."""
    found: dict[str, Any] = json.loads(ledger(world).read_text("utf-8"))["clarifications"][0]
    return found


def ask(
    world: World,
    asker: str = "engineer",
    asked: str = "architect",
    body: str = "Which status?",
    blocking: bool = True,
) -> str:
    """Ask a question on issue 29; its id."""
    question = Question(asker, asked, "API", body, blocking)
    return world.memory.clarifications.ask(29, question).id


def workflow(world: World, **limits: object) -> None:
    """Say what the engineer may ask."""
    folder = world.root / ".agentx" / "workflows"
    folder.mkdir(parents=True)
    lines = [f"{key} = {json.dumps(value)}" for key, value in limits.items()]
    (folder / "feature.toml").write_text("\n".join(['[[steps]]\nagent = "engineer"', *lines]))


@pytest.mark.parametrize(("age", "is_stale"), [(1, False), (28, False), (31, True)])
def test_003_1_2_a_marker_keeps_others_out_for_30_seconds(
    hasty: World, age: float, is_stale: bool
) -> None:
    marker = foreign_writer.mark(ledger(hasty), age)
    if is_stale:
        assert ask(hasty) == "CLR-29-001" and not marker.exists()
        return
    with pytest.raises(LockTimeout):
        ask(hasty)
    assert not ledger(hasty).exists()


def test_003_3_different_waiting_ends_after_five_seconds_and_is_told(hasty: World) -> None:
    assert TIMEOUT == 5
    foreign_writer.mark(ledger(hasty))
    told = hasty.cli(*ASK, "--topic", "API", "Which?")
    assert told.code == 1 and "locked by foreign (process 999999)" in told.err


def test_003_4_what_our_marker_says(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, Any]] = []
    replace = os.replace

    def watched(source: str, target: str, **of: Any) -> None:  # noqa: ANN401
        markers = ledger(world).parent.glob("*.json.lock")
        seen.extend(json.loads(marker.read_text()) for marker in markers)
        replace(source, target, **of)

    monkeypatch.setattr(os, "replace", watched)
    ask(world)
    assert seen and seen[0]["pid"] == os.getpid() and {"timestamp", "agent"} <= seen[0].keys()


def test_003_5_threads_of_a_process_take_turns(world: World) -> None:
    names = [f"agent-{n}" for n in range(4)]
    threads = [threading.Thread(target=ask, args=(world, name)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = world.memory.clarifications.read(29).clarifications
    assert sorted(it.asker for it in found) == names and len({it.id for it in found}) == 4


def test_003_6_git_leaves_markers_out_and_none_stays(world: World) -> None:
    ask(world)
    folder = ledger(world).parent
    assert "*.lock" in (folder / ".gitignore").read_text().splitlines()
    assert list(folder.glob("*.json.lock")) == []


def test_003_7_two_programs_on_a_ledger_lose_nothing(world: World) -> None:
    ask(world, "qa")
    ours = threading.Thread(target=lambda: [ask(world, f"agent-{n}") for n in range(6)])
    ours.start()
    for n in range(6):
        foreign_writer.ask(ledger(world), f"Topic {n}")
    ours.join()
    ids = [it["id"] for it in json.loads(ledger(world).read_text())["clarifications"]]
    assert len(ids) == len(set(ids)) == 13
    assert len(world.cli("history", "--json").json) == 7


def test_003_8_no_process_is_started(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    ask(world)
    world.clock.pass_by(minutes=31)
    assert [it.trouble for it in world.memory.clarifications.watch()] == ["late"]


def test_003_9_11_a_question_has_a_topic_and_only_who_was_asked_answers(world: World) -> None:
    identifier = world.cli(*ASK, "--topic", "API", "--blocking", "Which status?").out.strip()
    about = {"from": "engineer", "to": "architect", "topic": "API", "blocking": True}
    assert stored(world) == stored(world) | about | {"id": "CLR-29-001", "status": "pending"}
    refused = world.cli("clarify", "answer", identifier, "--from", "reviewer", "404")
    assert refused.code == 2 and len(stored(world)["thread"]) == 1
    assert world.cli("clarify", "answer", identifier, "--from", "architect", "404").code == 0
    assert [it["body"] for it in stored(world)["thread"]] == ["Which status?", "404"]


def test_003_10_a_ledger_an_issue(world: World) -> None:
    ask(world)
    world.memory.clarifications.ask(31, Question("engineer", "architect", "DB", "Which?"))
    assert sorted(path.name for path in ledger(world).parent.glob("*.json")) == [
        "issue-29.json",
        "issue-31.json",
    ]
    foreign_writer.ask(ledger(world), "Theirs")
    assert [it.topic for it in world.memory.clarifications.read(29).clarifications] == [
        "API",
        "Theirs",
    ]


def test_003_12_who_is_not_in_scope_is_not_asked(world: World) -> None:
    workflow(world, can_clarify=["architect"])
    refused = world.cli(*ASK[:-1], "pm", "--topic", "API", "Which?")
    assert refused.code == 2 and "Rejected: engineer may not ask pm" in refused.err
    assert not ledger(world).exists()
    assert world.cli(*ASK, "--topic", "API", "Which?").code == 0


@pytest.mark.parametrize(("blocking", "rounds"), [(True, 5), (False, 6)])
def test_003_13_after_the_last_round(world: World, blocking: bool, rounds: int) -> None:
    for n in range(rounds):
        ask(world, body=f"Question {n}?", blocking=blocking)
        assert (stored(world)["status"], stored(world)["round"]) == ("pending", n + 1)
        world.memory.clarifications.answer("CLR-29-001", "architect", f"Answer {n * 7919}")
    ask(world, body="And now?", blocking=blocking)
    assert stored(world)["status"] == "escalated"


def test_003_14_each_step_is_written_and_their_answers_are_read(world: World) -> None:
    own, theirs = ask(world), foreign_writer.ask(ledger(world), "Theirs")
    foreign_writer.answer(ledger(world), own, "architect", "404")
    ask(world, body="And the body?")
    world.memory.clarifications.answer(own, "architect", "A problem document")
    world.memory.clarifications.resolve(own, "engineer")
    world.memory.clarifications.escalate(theirs, "foreign", "Nobody knows")
    kinds = [it["type"] for it in stored(world)["thread"]]
    assert kinds == ["question", "answer", "question", "answer", "resolution"]
    assert [it["status"] for it in json.loads(ledger(world).read_text())["clarifications"]] == [
        "resolved",
        "escalated",
    ]


def test_003_15_agents_are_clarifying_or_blocked(world: World) -> None:
    questions = world.memory.clarifications
    identifier = ask(world)
    states = {agent: str(state) for agent, state in questions.agent_states().items()}
    assert states == {"architect": "clarifying", "engineer": "blocked-clarification"}
    questions.answer(identifier, "architect", "404")
    assert questions.agent_states() == {}


@pytest.mark.parametrize("moment", ["session-start", "stop", "session-end", "clarify"])
def test_003_16_what_is_late_is_seen_at_each_moment(world: World, moment: str) -> None:
    ask(world)  # in March: late by the clock of hooks and commands
    if moment == "clarify":
        world.cli("clarify")
    else:
        world.hook(moment, source="startup", last_words="Done.")
    assert stored(world)["status"] == "stale"


def test_003_17_late_is_asked_again_and_late_twice_is_escalated(world: World) -> None:
    ask(world)
    statuses = []
    for minutes in (29, 2, 31):
        world.clock.pass_by(minutes=minutes)
        world.memory.clarifications.watch()
        statuses.append(stored(world)["status"])
    assert statuses == ["pending", "stale", "escalated"]


def test_003_18_answers_in_circles_are_escalated(world: World) -> None:
    for body in ("Which status?", "Which one, then?"):
        ask(world, body=body)
        world.memory.clarifications.answer("CLR-29-001", "architect", "As the page says.")
    assert [it.trouble for it in world.memory.clarifications.watch()] == ["stuck"]
    assert stored(world)["status"] == "escalated"


def test_003_19_of_two_that_block_each_other_upstream_wins(world: World) -> None:
    down, up = ask(world, "engineer", "architect"), ask(world, "architect", "engineer")
    (found,) = world.memory.clarifications.watch()
    assert (found.trouble, found.before.id) == ("deadlock", down)
    blocks = {it.id: it.is_blocking for it in world.memory.clarifications.read(29).clarifications}
    assert blocks == {down: False, up: True}


def test_003_20_five_events(world: World) -> None:
    heard: list[tuple[str, str, int]] = []
    for kind in ("requested", "answered", "stale", "resolved", "escalated"):
        world.memory.events.subscribe(
            f"clarification-{kind}", lambda it: heard.append((it.name, it.id, it.issue_number))
        )
    questions = world.memory.clarifications
    identifier = ask(world)
    world.clock.pass_by(minutes=31)
    questions.watch()
    questions.answer(identifier, "architect", "404")
    questions.resolve(identifier, "engineer")
    questions.escalate(ask(world, "qa"), "qa", "Nobody knows")
    assert heard == [
        ("clarification-requested", "CLR-29-001", 29),
        ("clarification-stale", "CLR-29-001", 29),
        ("clarification-answered", "CLR-29-001", 29),
        ("clarification-resolved", "CLR-29-001", 29),
        ("clarification-requested", "CLR-29-002", 29),
        ("clarification-escalated", "CLR-29-002", 29),
    ]


def test_003_21_workflows_set_scope_rounds_time_and_blocking(world: World) -> None:
    workflow(
        world,
        can_clarify=["architect"],
        clarify_max_rounds=2,
        clarify_sla_minutes=10,
        clarify_blocking_allowed=False,
    )
    with pytest.raises(InvalidObservation, match="may not block"):
        ask(world, blocking=True)
    ask(world, blocking=False)
    assert stored(world)["maxRounds"] == 2
    assert (stored(world)["created"][11:19], stored(world)["staleAfter"][11:19]) == (
        "12:00:00",
        "12:10:00",
    )


def test_003_22_27_a_thread_only_grows_and_can_become_a_decision(world: World) -> None:
    identifier = ask(world)
    before = stored(world)["thread"]
    world.memory.clarifications.answer(identifier, "architect", "404")
    world.memory.clarifications.resolve(identifier, "engineer")
    assert stored(world)["thread"][:1] == before and len(stored(world)["thread"]) == 3
    lines = world.cli("clarify", "--issue", "29").out.splitlines()  # 003-22
    assert [line.partition(" (")[0] for line in lines if line.startswith("[")] == [
        "[Round 1] engineer -> architect",
        "[Round 1] architect -> engineer",
        "[RESOLVED] engineer",
    ]
    assert "  Q: Which status?" in lines and "  A: 404" in lines
    assert world.cli("clarify", "decision", identifier, "--yes").code == 0
    (decision,) = world.records(29)
    assert "404" in decision["content"] and f"clarification:{identifier}" in decision["sources"]


def test_003_23_different_a_session_is_told_in_place_of_a_chat(world: World) -> None:
    world.cli(*ASK, "--topic", "API", "Which status?")
    told = world.hook("session-start", source="startup", agent_type="architect")
    assert "Which status?" in told and "CLR-29-001" in told
    assert "Which status?" not in world.hook(
        "session-start", "s-2", source="startup", agent_type="ux"
    )


def test_003_25_different_the_log_says_what_was_asked_when(world: World) -> None:
    identifier = ask(world)
    world.clock.pass_by(days=2)
    world.memory.clarifications.answer(identifier, "architect", "404")
    entries = world.memory.activity().entries
    assert [(it.kind, str(it.time)[:10], it.agent) for it in entries] == [
        ("answered", "2026-03-03", "architect"),
        ("asked", "2026-03-01", "engineer"),
    ]


def test_003_26_different_the_list_says_who_waits(world: World) -> None:
    ask(world)
    world.memory.clarifications.answer(ask(world, "qa"), "architect", "404")
    told = world.cli("clarify", "--json").json
    assert [(it["from"], it["status"]) for it in told] == [
        ("engineer", "stale"),
        ("qa", "answered"),
    ]


def test_003_28_the_command_shows_what_is_open_first(world: World) -> None:
    world.memory.clarifications.resolve(
        world.memory.clarifications.answer(ask(world, "qa"), "architect", "404").id, "qa"
    )
    ask(world)
    told = world.cli("clarify").out
    assert told.index("engineer waits for architect") < told.index("resolved")


@pytest.mark.parametrize("mode", ["github", "local"])
def test_003_29_clarifications_are_the_same_in_each_mode(world: World, mode: str) -> None:
    if mode == "github":
        url = '[remote "origin"]\n\turl = git@github.com:shop/shop.git\n'
        (world.root / ".git" / "config").write_text(url)
    assert world.cli(*ASK, "--topic", "API", "Which?").out.strip() == "CLR-29-001"
    assert stored(world)["status"] == "pending"


def test_memory_and_ledgers_are_locked_apart(hasty: World) -> None:
    hasty.add("Chose SQLite")
    foreign_writer.mark(hasty.path / "issue-29.json")
    assert ask(hasty) == "CLR-29-001"
    (hasty.path / "issue-29.json.lock").unlink()
    foreign_writer.mark(ledger(hasty))
    with open_memory(hasty.path, cache=hasty.home / "other") as memory:
        memory.store([Observation("qa", 29, "lesson", "Tabs wrap")])
    foreign_writer.add(hasty.path, record("theirs"))
    assert len(hasty.records()) == 3
