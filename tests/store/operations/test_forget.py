"""What is forgotten is kept nowhere, and what holds it all the same is named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from memtui.cli.archive import traces_in_words
from store import Memory
from store.backends.files.backend import FilesBackend
from store.clarifications.rules import Question
from store.errors import Conflict, NotFound
from store.notice import notice, quoted
from store.operations.journal import read_operation, write_operation
from store.operations.passages import FORGOTTEN
from tests.store.factories import make_memory, observation
from tests.store.repositories import repository

SAID = "The merger with Falcon, “Größe”, closes in May."
EARLIER = "The merger with Falcon costs forty a share."
LINES = f"Before all else, ask the board.\n{SAID}"


def told(tmp_path: Path) -> tuple[Memory, str]:
    """A memory in which one observation was injected, edited, archived, restored and injected."""
    memory = make_memory(tmp_path)
    [identifier, other] = memory.store([observation(EARLIER), observation("Ask the lock first.")])
    memory.recall.inject(memory.recall.plan())
    memory.apply(memory.plan.edit(identifier, {"content": LINES}))
    memory.apply(memory.plan.edit([identifier, other], {"pinned": True}))
    memory.apply(memory.plan.archive(identifier))
    memory.undo()
    memory.recall.inject(memory.recall.plan())
    sessions = memory.path / "sessions"
    sessions.mkdir(exist_ok=True)
    (sessions / "s1.json").write_text(f'{{"decided": ["{SAID}"]}}')
    (sessions / "s2.json").write_text('{"decided": ["Nothing of it."]}')
    memory.index.settle()
    return memory, identifier


def holding(folder: Path) -> set[str]:
    """The names of all files that hold what was said, as it is or as JSON may have it."""
    said = [form.encode() for it in (SAID, EARLIER) for form in (it, json.dumps(it)[1:-1])]
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and any(it in path.read_bytes() for it in said)
    }


def test_what_is_forgotten_is_kept_nowhere(tmp_path: Path) -> None:
    memory, identifier = told(tmp_path)
    held = holding(tmp_path)
    assert {name.split("/")[2] for name in held if name.startswith(".agentx")} >= {
        *("operations", "recalls", "sessions", "issue-29.json")
    }
    plan = memory.plan.forget(identifier)
    memory.plan.find_traces(plan)
    assert holding(tmp_path) == held
    applied = memory.forget(plan)
    memory.close()
    assert (applied.changed, applied.final) == (1, True)
    assert holding(tmp_path) == set()
    assert (memory.path / "sessions" / "s2.json").exists()
    assert [it.content for it in memory.by_issue(29)] == ["Ask the lock first."]
    assert memory.search("Falcon").total == 0
    with pytest.raises(NotFound):
        memory.get(identifier)


def test_the_rest_of_an_operation_can_still_be_taken_back(tmp_path: Path) -> None:
    memory, identifier = told(tmp_path)
    edit = next(it for it in memory.history.operations() if it.kind == "edit")
    memory.forget(memory.plan.forget(identifier))
    with pytest.raises(Conflict, match="deleted for good"):
        memory.undo()
    undone = memory.undo(edit.id)
    assert undone.left == (notice("stays-redacted", id=identifier),)
    assert [it.pinned for it in memory.by_issue(29)] == [False]


def test_git_that_holds_it_is_named(tmp_path: Path) -> None:
    memory, identifier = told(tmp_path)
    git = repository(tmp_path)
    plan = memory.plan.forget(identifier)
    assert memory.plan.find_traces(plan).commits == ()
    git("add", ".agentx/memory/issue-29.json")("commit", "-qm", "Keep")
    traces = memory.plan.find_traces(plan)
    assert len(traces.commits) == 1
    assert any("git still has it in 1 commit" in line for line in traces_in_words(traces))


def test_what_was_said_between_agents_is_forgotten_too(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        say = memory.clarifications
        asked = say.ask(29, Question("engineer", "architect", "Falcon", "When does it close?"))
        say.escalate(asked.id, "engineer", kept := "It is not in the minutes.")
        say.answer(asked.id, "architect", f"As told: {SAID}")
        say.resolve(asked.id, "engineer")
        say.ask(30, Question("engineer", "architect", "Kestrel", kept))
        other = say.read(30)
        [identifier] = memory.apply(say.plan_decision(asked.id)).added
        plan = memory.plan.forget(identifier)
        traces = memory.plan.find_traces(plan)
        assert traces.clarifications == (asked.id,)
        assert f"clarifications: {asked.id}" in " ".join(traces_in_words(traces))
        memory.forget(plan)
        [left] = say.read(29).clarifications
        assert [entry.body for entry in left.thread][1:3] == [kept, FORGOTTEN]
        assert left.topic == "Falcon"
        assert say.read(30) == other
        assert not holding(tmp_path)
        resolved = next(it for it in memory.history.operations() if it.action.kind == "resolve")
        assert memory.undo(resolved.id).changed, "what is left of it can't be taken back"


def test_what_is_set_aside_is_named_and_what_an_operation_notes_goes(tmp_path: Path) -> None:
    memory, identifier = told(tmp_path)
    aside = memory.path / "quarantine"
    aside.mkdir()
    (aside / "issue-29.json").write_text(f'{{"content": "{EARLIER}"')
    (aside / "issue-30.json").write_text("Nothing of it.")
    journal = FilesBackend(memory.path)
    pin = read_operation(
        journal, next(it.id for it in memory.history.operations() if it.kind == "edit")
    )
    notes = quoted(f"Left: {SAID}"), quoted("Left: another.")
    action = pin.plan.action._replace(title=f"Edited {SAID}", figures={})
    noting = replace(pin.plan, notes=notes, action=action)
    write_operation(journal, replace(pin, plan=noting))
    plan = memory.plan.forget(identifier)
    assert memory.plan.find_traces(plan).stay == ("quarantine/issue-29.json",)
    memory.forget(plan)
    assert [it for it in holding(memory.path) if "quarantine" not in it] == []
    left = read_operation(journal, pin.id).plan
    assert (left.notes, left.action.title) == ((quoted("Left: another."),), "")


def test_only_what_tells_it_is_touched(tmp_path: Path) -> None:
    """Operations of other memories, records that can't be read and questions of other things."""
    with make_memory(tmp_path) as memory:
        texts = (SAID, f"In short: {SAID}", "Ask the lock first, then the store.", "Ask twice.")
        added = [memory.apply(memory.plan.add([observation(it)])) for it in texts]
        (identifier, told_by), (merged, telling), (_, another), (_, noting) = (
            (it.added[0], it.operation_id) for it in added
        )
        noted = read_operation(journal := FilesBackend(memory.path), noting)
        noted = replace(noted, plan=replace(noted.plan, notes=(quoted(f"Left: {SAID}"),)))
        write_operation(journal, noted)
        say = memory.clarifications
        asked = say.ask(30, Question("engineer", "architect", "Locks", "Which of them goes first?"))
        issue = memory.path / "issue-29.json"
        kept = json.loads(issue.read_text())
        kept["observations"].append({"id": "odd-1", "content": ["no text"]})
        issue.write_text(json.dumps(kept))
        plan = memory.plan.forget(identifier)
        traces = memory.plan.find_traces(plan)
        assert traces.also == (merged,)
        assert traces.clarifications == ()
        operations = (noting, told_by)
        assert traces.operations == tuple(f"operations/{it}.json" for it in operations)
        memory.forget(plan)
        [left] = memory.history.plan_of(telling).changes
        assert left.after is not None
        [stays] = memory.history.plan_of(another).changes
        assert stays.after is not None
        assert memory.plan.find_traces(plan).operations == ()
        assert [it.topic for it in say.read(30).clarifications] == [asked.topic]
