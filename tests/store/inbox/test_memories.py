"""What agents want of memory waits for approval, and nothing finds it before."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.backends.location import FOLDER, LEVELS
from store.errors import Conflict, InvalidObservation, NotFound, ReadOnly, StoreError
from store.inbox.entry import Entry, EntryKind
from store.inbox.memories import ProposedMemories
from store.model import EntrySource, Level, Observation
from store.operations import proposals
from store.settings.files import load_settings, project_file, user_file
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import Clock, make_memory, observation
from tests.store.repositories import tracked_project

MCP = EntrySource.MCP
RULE = "Never write to the ledger without a lock, because two tills run at once."
OTHER = "The gauge of the boiler is read in bar, never in psi."


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Memory:
    """A memory in which agents' changes wait."""
    return make_memory(tmp_path, clock, review="before")


def shown(memory: Memory) -> list[tuple[EntryKind, str, str]]:
    return [(entry.kind, entry.before, entry.after) for entry in memory.inbox.waiting().entries]


def only(memory: Memory) -> Entry:
    (entry,) = memory.inbox.waiting().entries
    return entry


def contents(memory: Memory) -> list[str]:
    return [found.content for found in memory.by_issue(29)]


def add(memory: Memory, content: str = RULE, **fields: str) -> str:
    report = memory.add([observation(content, **fields)], agent="engineer", source=MCP)
    assert report.stored == ()
    return report.ids[0]


def test_by_default_nothing_waits(tmp_path: Path) -> None:
    memory = make_memory(tmp_path)
    assert memory.add([observation(RULE)], agent="engineer", source=MCP).waiting == ()
    assert contents(memory) == [RULE]


def test_a_new_memory_is_approved_and_that_undone(memory: Memory) -> None:
    name = add(memory)
    entry = only(memory)
    assert (entry.id, entry.source, entry.origin, entry.title) == (name, MCP, "engineer", RULE)
    assert memory.search("ledger").total == 0
    applied = memory.inbox.approve([name])
    assert contents(memory) == [RULE]
    assert memory.search("ledger").total == 1
    assert shown(memory) == []
    memory.undo(applied.operation_id)
    assert (contents(memory), shown(memory)) == ([], [(EntryKind.NEW, "", RULE)])
    memory.redo()
    assert (contents(memory), shown(memory)) == ([RULE], [])


def test_what_is_taken_back_is_not_proposed_again(memory: Memory) -> None:
    memory.inbox.take_back([add(memory)])
    assert shown(memory) == []
    assert memory.add([observation(RULE)], agent="engineer", source=MCP).refused == (0,)
    memory.undo()
    assert shown(memory) == [(EntryKind.NEW, "", RULE)]
    memory.inbox.approve([only(memory).id])
    assert contents(memory) == [RULE]


def test_the_same_is_proposed_once(memory: Memory) -> None:
    assert add(memory) == add(memory)
    memory.store([observation(OTHER)])
    report = memory.add([observation(OTHER)], agent="engineer", source=MCP)
    assert (report.waiting, len(report.twins)) == ((), 1)
    assert memory.by_issue(29)[0].seen_count == 2
    assert shown(memory) == [(EntryKind.NEW, "", RULE)]


def test_what_was_added_meanwhile_is_not_added_twice(memory: Memory) -> None:
    name = add(memory)
    memory.store([observation(RULE)])
    memory.inbox.approve([name])
    assert contents(memory) == [RULE]


@pytest.mark.parametrize(
    ("change", "kind", "after"),
    [
        (
            lambda memory, kept: memory.edit(kept, {"content": OTHER}, source=MCP),
            EntryKind.CHANGED,
            [OTHER],
        ),
        (
            lambda memory, kept: memory.apply(memory.plan.remove(kept), source=MCP),
            EntryKind.GONE,
            [],
        ),
        (
            lambda memory, kept: memory.apply(memory.plan.archive(kept), source=MCP),
            EntryKind.GONE,
            [],
        ),
        (
            lambda memory, kept: memory.forget(memory.plan.forget(kept), source=MCP),
            EntryKind.GONE,
            [],
        ),
    ],
    ids=["edit", "remove", "archive", "forget"],
)
def test_a_change_waits(
    memory: Memory, change: Callable[[Memory, str], object], kind: EntryKind, after: list[str]
) -> None:
    [kept] = memory.store([observation(RULE)])
    change(memory, kept)
    assert contents(memory) == [RULE]
    assert shown(memory) == [(kind, RULE, "".join(after))]
    memory.inbox.approve([only(memory).id])
    assert contents(memory) == after
    memory.undo()
    assert contents(memory) == [RULE]
    memory.inbox.take_back([only(memory).id])
    assert (contents(memory), shown(memory)) == ([RULE], [])


def test_an_edit_starts_from_what_memory_holds_now(memory: Memory) -> None:
    [kept] = memory.store([observation(RULE)])
    memory.edit(kept, {"content": OTHER}, source=MCP)
    memory.apply(memory.plan.edit(kept, {"content": f"{RULE} Ask Ann."}))
    entry = only(memory)
    assert (entry.is_outdated, entry.before) == (True, f"{RULE} Ask Ann.")
    with pytest.raises(Conflict, match="changed since") as error:
        memory.inbox.approve([entry.id])
    assert f"{RULE} Ask Ann." in error.value.message
    assert OTHER in error.value.message
    assert len(shown(memory)) == 1
    memory.inbox.edit(entry.id, f"{OTHER} Ask Ann.")
    assert not only(memory).is_outdated
    memory.inbox.approve([entry.id])
    assert contents(memory) == [f"{OTHER} Ask Ann."]


def test_changes_that_do_not_touch_each_other_merge(memory: Memory) -> None:
    [kept] = memory.store([observation(RULE)])
    memory.edit(kept, {"content": OTHER}, source=MCP)
    memory.apply(memory.plan.edit(kept, {"pinned": True}))
    memory.inbox.approve([only(memory).id])
    (now,) = memory.by_issue(29)
    assert (now.content, now.pinned) == (OTHER, True)


def test_approving_all_reads_an_issue_once(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 1,000 proposals in issues of 3,000 memories, reading it for each took 11 s."""
    memory.store([observation(OTHER)])
    names = [add(memory, f"{RULE} {number}") for number in range(5)]
    read, issues = memory.backend.read, list[int]()

    def counted(issue: int) -> object:
        issues.append(issue)
        return read(issue)

    monkeypatch.setattr(memory.backend, "read", counted)
    assert len(ProposedMemories(memory._store).plan_approve(names).changes) == 5
    assert issues == [29]


def test_a_change_of_what_is_gone_is_refused(memory: Memory) -> None:
    [kept] = memory.store([observation(RULE)])
    memory.edit(kept, {"content": OTHER}, source=MCP)
    memory.apply(memory.plan.remove(kept))
    with pytest.raises(Conflict, match="was removed since"):
        memory.inbox.approve([only(memory).id])
    memory.inbox.take_back([only(memory).id])
    assert shown(memory) == []


def test_removing_what_changed_since_is_refused_with_what_can_be_done(memory: Memory) -> None:
    [kept] = memory.store([observation(RULE)])
    memory.apply(memory.plan.remove(kept), source=MCP)
    memory.apply(memory.plan.edit(kept, {"content": OTHER}))
    with pytest.raises(Conflict) as refused:
        memory.inbox.approve([only(memory).id])
    assert refused.value.hint == "Take the proposal back, and remove the memory yourself."


def test_a_new_one_is_edited_before_it_is_approved(memory: Memory) -> None:
    name = add(memory, summary="Lock the ledger.")
    memory.inbox.edit(name, f"{OTHER} password=hunter2hunter2")
    (entry,) = memory.inbox.waiting().entries
    assert "hunter2" not in entry.after
    assert entry.title.startswith(OTHER)
    memory.undo()
    assert only(memory).after == RULE
    with pytest.raises(InvalidObservation, match="2,100 characters"):
        memory.inbox.edit(name, "x" * 2_100)
    [kept] = memory.store([observation(OTHER)])
    memory.apply(memory.plan.remove(kept), source=MCP)
    removal = next(one for one in memory.inbox.waiting().entries if one.kind is EntryKind.GONE)
    with pytest.raises(InvalidObservation, match="no text"):
        memory.inbox.edit(removal.id, RULE)


def test_a_capture_waits_once(memory: Memory, tmp_path: Path) -> None:
    path = ClaudeCode(session="s").user(RULE).agent("Done.").write(tmp_path / "s.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)

    def capture() -> tuple[Observation, ...]:
        plan = memory.capture.plan(lines, issue=29)
        memory.capture.apply(plan)
        return tuple(kept.observation for kept in plan.kept)

    assert len(capture()) == 1
    assert only(memory).source is EntrySource.CAPTURE
    assert capture() == ()
    memory.inbox.take_back([only(memory).id])
    assert capture() == ()
    memory.undo()
    memory.inbox.approve([only(memory).id])
    assert len(contents(memory)) == 1
    assert capture() == ()
    assert shown(memory) == []


def test_a_capture_that_a_person_saw_is_stored(memory: Memory, tmp_path: Path) -> None:
    path = ClaudeCode(session="s").user(RULE).agent("Done.").write(tmp_path / "s.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    memory.capture.apply(memory.capture.plan(lines, issue=29), reviewed=True)
    assert len(contents(memory)) == 1
    assert shown(memory) == []


def test_secrets_do_not_wait(memory: Memory) -> None:
    add(memory, "The deploy key is ghp_abcdefghijklmnopqrstuvwxyz0123456789 in the vault.")
    kept = b"".join(path.read_bytes() for path in (memory.path / "inbox").iterdir())
    assert b"abcdefghij" not in kept


def test_what_waits_is_named_and_forgotten_too(memory: Memory) -> None:
    [kept] = memory.store([observation(RULE, agent="user")])
    memory.edit(kept, {"content": OTHER}, source=MCP)
    traces = memory.plan.find_traces(memory.plan.forget(kept))
    assert traces.texts == (f"inbox/{only(memory).id}.json",)
    add(memory)
    memory.forget(memory.plan.forget(kept))
    assert shown(memory) == []


def test_it_stays_on_this_machine(memory: Memory) -> None:
    name = add(memory)
    assert (memory.path / "inbox" / f"{name}.json").is_file()
    assert (memory.path / "inbox" / ".gitignore").read_text().endswith("*\n")
    assert "inbox/" in (memory.path / ".gitignore").read_text().split()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"kind": "add", "timestamp": "2026-03-01T12:00:00Z", "changes": []}',
        '{"kind": "add", "timestamp": "x", "changes": [{}]}',
        "[" * 5_000,
        "x" * 500_000,
    ],
)
def test_a_damaged_one_is_named_and_stops_nothing(memory: Memory, text: str) -> None:
    name = add(memory)
    (memory.path / "inbox" / "half.json").write_text(text)
    waiting = memory.inbox.waiting()
    assert [entry.id for entry in waiting.entries] == [name]
    assert [problem.path for problem in waiting.problems] == ["inbox/half.json"]
    memory.inbox.approve([name])
    assert contents(memory) == [RULE]


def test_a_record_that_is_none_can_not_wait(memory: Memory) -> None:
    path = memory.path / "inbox" / f"{add(memory)}.json"
    kept = json.loads(path.read_bytes())
    kept["changes"][0]["after"]["content"] = {"$": 1}
    path.write_text(json.dumps(kept))
    assert memory.inbox.waiting().entries == []
    assert len(memory.inbox.waiting().problems) == 1


def test_too_many_are_refused(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposals, "MOST", 1)
    add(memory)
    with pytest.raises(StoreError, match="wait for approval"):
        add(memory, OTHER)
    assert len(shown(memory)) == 1


def test_ids_are_found_by_their_ends(memory: Memory) -> None:
    name = add(memory)
    assert memory.inbox.get(name[:4]).id == memory.inbox.get(name[-4:]).id == name
    for wrong in ("", "../issue-29", "nonsense"):
        with pytest.raises(NotFound, match="id"):
            memory.inbox.get(wrong)
    with pytest.raises(NotFound, match="inbox"):
        memory.inbox.approve(["../issue-29"])


def test_what_can_not_be_written_waits_on(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of two issues fails: its proposal is not lost."""
    first = add(memory)
    [second] = memory.add([observation(OTHER, issue_number=30)], source=MCP).ids
    changing = memory.backend.changing

    def failing(issue: int, *more: object) -> object:
        if issue == 30:
            raise Conflict("Issue 30 can't be written.", "")
        return changing(issue)

    monkeypatch.setattr(memory.backend, "changing", failing)
    memory.inbox.approve([first, second])
    assert contents(memory) == [RULE]
    assert [entry.id for entry in memory.inbox.waiting().entries] == [second]


def test_a_memory_that_can_not_be_written_lists_what_waits(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = add(memory)

    def refused(*_: object, **__: object) -> None:
        raise ReadOnly("This memory can't be written.", "")

    monkeypatch.setattr(memory.backend, "locked", refused)
    assert [entry.id for entry in memory.inbox.look().entries] == [name]
    with pytest.raises(ReadOnly, match="can't be written"):
        memory.inbox.approve([name])
    with pytest.raises(ReadOnly, match="can't be written"):
        memory.inbox.take_back([name])


@pytest.mark.parametrize("text", ['review = "befor"\n', 'review = "before"\ntheme = "nord\n'])
def test_a_slip_in_the_settings_does_not_turn_review_off(tmp_path: Path, text: str) -> None:
    own = tmp_path / "settings.toml"
    own.write_text(text)
    loaded = load_settings(tmp_path / "shop" / FOLDER, environ={}, user=own)
    assert (loaded.settings.review, len(loaded.mistakes)) == ("before", 1)


def test_a_project_can_not_turn_review_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    user_file().parent.mkdir(parents=True)
    user_file().write_text('review = "before"\n')
    memory = open_memory(tmp_path / "shop" / ".agentx" / "memory", cache=tmp_path / "cache")
    memory.path.mkdir(parents=True)
    project_file(memory.path).write_text('review = "after"\n')
    memory.reload_settings()
    assert memory.settings.review == "before"
    assert len(memory.settings_mistakes) == 1


def test_a_memory_goes_to_the_level_that_it_is_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("MEMTUI_REVIEW", "before")
    root = tracked_project(tmp_path / "shop")
    team, levels = root / FOLDER, f"{LEVELS}{root}"
    with open_memory(team, cache=tmp_path / "cache") as memory:
        memory.store([observation(OTHER)])
    with open_memory(levels, cache=tmp_path / "cache") as memory:
        memory.add([observation(RULE, level=Level.MINE)], source=MCP)
    with open_memory(team, cache=tmp_path / "cache") as memory:
        entry = only(memory)
        assert (entry.level, entry.needs_level) == ("mine", True)
        with pytest.raises(Conflict, match="level mine"):
            memory.inbox.approve([entry.id])
    with open_memory(levels, cache=tmp_path / "cache") as memory:
        assert not only(memory).needs_level
        memory.inbox.approve([entry.id])
        assert [(held.content, held.level) for held in memory.by_issue(29)] == [
            (OTHER, "team"),
            (RULE, "mine"),
        ]
    assert RULE.encode() not in (team / "issue-29.json").read_bytes()
