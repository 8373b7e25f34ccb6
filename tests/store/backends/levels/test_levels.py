"""Three memories as one: what is read of all, and what is written to which."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store import Memory, open_memory
from store.backends import open_backend
from store.backends.files.locks import StoreLock
from store.backends.levels.backend import LevelsBackend
from store.backends.location import LEVELS, find_store, project_store
from store.backends.postgres.connections import Connections
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.backends.user_data import mine_memory, place_in_user_data
from store.errors import Conflict, NoMemory, ReadOnly, StoreError, WriteFailed
from store.model import Level, Location
from store.operations.plan import Plan
from store.platform.write import replace_durably
from store.settings.files import project_file
from tests.postgres import project_of
from tests.store.factories import NOW, Clock, Ids, observation, record, write_issue
from tests.store.repositories import Repository, tracked_project

MINE, PROJECT, TEAM = Level.MINE, Level.PROJECT, Level.TEAM


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which git tracks a memory, and a user with a data folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tracked_project(tmp_path / "shop")


@pytest.fixture
def memory(root: Path, tmp_path: Path) -> Iterator[Memory]:
    with _opened(root, tmp_path) as memory:
        memory.store([observation(f"It is {level}'s", level=level) for level in Level])
        yield memory


def _opened(root: Path, tmp_path: Path, clock: Clock | None = None) -> Memory:
    return open_memory(f"{LEVELS}{root}", cache=tmp_path / "cache", clock=clock or Clock())


def _place(root: Path, level: Level) -> Path:
    places = {MINE: mine_memory(), PROJECT: place_in_user_data(root).memory}
    return places.get(level, root / ".agentx" / "memory")


def _kept(root: Path) -> dict[Level, set[str]]:
    """The contents that each level's own files have."""
    return {level: _contents(open_backend(_place(root, level))) for level in Level}


def _contents(backend: Backend) -> set[str]:
    each = (backend.read(issue).observations() for issue in backend.issues())
    return {item.content for items in each for item in items}


def test_each_is_kept_with_its_level_and_found_by_it(memory: Memory, root: Path) -> None:
    assert _kept(root) == {level: {f"It is {level}'s"} for level in Level}
    found = memory.search("level:mine")
    assert [hit.entry.content for hit in found.hits] == ["It is mine's"]
    assert found.facets.levels == {"mine": 1, "project": 1, "team": 1}
    assert not any(b"memoryLevel" in path.read_bytes() for path in _record_files(root))


def test_who_holds_memory_holds_each_level(memory: Memory, root: Path) -> None:
    """An edit within would else wait for a capture that has the team's files and waits for it."""
    locks = [StoreLock(_place(root, level)) for level in Level]
    assert [lock.is_held() for lock in locks] == [False] * 3
    with memory.backend.locked():
        assert [lock.is_held() for lock in locks] == [True] * 3


def _record_files(root: Path) -> list[Path]:
    return [path for level in Level for path in _place(root, level).glob("issue-*.json")]


@pytest.mark.parametrize(
    ("rule", "level"),
    [
        ({}, PROJECT),
        ({"CAPTURE_LEVEL": "team"}, TEAM),
        ({"CAPTURE_LEVEL": "mine"}, MINE),
        ({"MEMORY_PLACE": "tracked"}, TEAM),
        ({"MEMORY_PLACE": "tracked", "CAPTURE_LEVEL": "project"}, PROJECT),
    ],
)
def test_what_is_added_without_a_level_is_the_projects_own_unless_by_a_rule(
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rule: dict[str, str],
    level: Level,
) -> None:
    with _opened(root, tmp_path) as memory:
        for name, value in rule.items():
            monkeypatch.setenv(f"MEMTUI_{name}", value)
        memory.reload_settings()
        memory.store([observation("Said here")])
    assert _kept(root) == {key: {"Said here"} if key == level else set() for key in Level}


def test_a_rule_gives_the_team_nothing_of_one_person(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_CAPTURE_LEVEL", "team")
    given = [observation("Logs are in /home/ana/logs"), observation("Carts are small")]
    with _opened(root, tmp_path) as memory:
        assert [one.kind for one in memory.add(given).notices] == ["not-shared-home"]
        memory.add([observation("Sent to ana@heron-parts.com", level=TEAM)])
    assert _kept(root)[PROJECT] == {"Logs are in /home/ana/logs"}
    assert _kept(root)[TEAM] == {"Carts are small", "Sent to ana@heron-parts.com"}


@pytest.mark.parametrize("chosen", ["team", "mine"])
def test_what_a_clone_brings_gives_nobodys_captures_away(
    root: Path, tmp_path: Path, chosen: str
) -> None:
    (root / ".agentx" / "memtui.toml").write_text(f'capture_level = "{chosen}"\n')
    with _opened(root, tmp_path) as memory:
        memory.store([observation("Said here")])
        assert [one.key for one in memory.settings_mistakes] == ["capture_level"]
    assert _kept(root)[PROJECT] == {"Said here"}


def test_ones_own_file_of_a_project_gives_captures_to_its_team(root: Path, tmp_path: Path) -> None:
    with _opened(root, tmp_path) as memory:
        memory.store([observation("Private")])
    project_file(_place(root, PROJECT)).write_text('capture_level = "team"\n')
    with _opened(root, tmp_path) as memory:
        assert memory.settings_mistakes == ()
        memory.store([observation("Said here")])
    assert _kept(root)[TEAM] == {"Said here"}


def test_a_move_is_an_edit_of_its_level_and_an_undo_moves_it_back(
    memory: Memory, root: Path
) -> None:
    (identifier,) = memory.search_ids("level:project")
    memory.apply(memory.plan.edit(identifier, {"level": TEAM}))
    assert _kept(root)[TEAM] == {"It is team's", "It is project's"}
    assert (memory.get(identifier).level, _kept(root)[PROJECT]) == (TEAM, set())
    before = (root / ".agentx" / "memory" / "issue-29.json").read_bytes()
    memory.undo()
    memory.redo()
    memory.undo()
    assert _kept(root) == {level: {f"It is {level}'s"} for level in Level}
    memory.redo()
    assert (root / ".agentx" / "memory" / "issue-29.json").read_bytes() == before
    assert memory.search("level:team").total == 2


def test_a_move_is_not_taken_back_where_one_level_is_open(memory: Memory, root: Path) -> None:
    (identifier,) = memory.search_ids("level:mine")
    memory.apply(memory.plan.edit(identifier, {"level": TEAM}))
    place = _place(root, TEAM)
    with open_memory(place, cache=root.parent / "one") as alone, pytest.raises(Conflict):
        alone.undo()
    memory.undo()
    assert _kept(root)[MINE] == {"It is mine's"}


def test_what_the_team_has_is_not_counted_again_by_itself(root: Path, tmp_path: Path) -> None:
    with _opened(root, tmp_path) as memory:
        memory.store([observation("Shared", level=TEAM), observation("Private")])
    shared = root / ".agentx" / "memory" / "issue-29.json"
    before = shared.read_bytes()
    with _opened(root, tmp_path) as memory:
        assert len(memory.add([observation("Shared"), observation("Private")]).twins) == 2
        assert memory.get(memory.search_ids("private")[0]).seen_count == 2
    assert shared.read_bytes() == before


def test_what_is_asked_for_by_level_is_added_there_whoever_has_the_words(memory: Memory) -> None:
    memory.store([observation("Said twice")])
    assert memory.add([observation("Said twice", level=MINE)]).twins == ()
    assert len(memory.add([observation("Said twice", level=MINE)]).twins) == 1
    assert memory.search("said twice").facets.levels == {"mine": 1, "project": 1}


def test_a_move_that_breaks_off_has_it_in_both_places(
    memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (identifier,) = memory.search_ids("level:team")
    plan = memory.plan.edit(identifier, {"level": MINE})

    def fail(*_: object) -> None:
        raise WriteFailed("The disk is full.", "")

    real = _write_of(memory, TEAM, monkeypatch, fail)
    with pytest.raises(WriteFailed):
        memory.apply(plan)
    assert "It is team's" in _kept(root)[TEAM] & _kept(root)[MINE]
    monkeypatch.setattr(*real)
    assert memory.search("team's").total == 1
    memory.apply(memory.plan.edit(identifier, {"level": PROJECT}))
    assert _kept(root)[PROJECT] == {"It is project's", "It is team's"}
    assert _kept(root)[MINE] == {"It is mine's"}


def _write_of(
    memory: Memory, level: Level, monkeypatch: pytest.MonkeyPatch, write: Callable[..., None]
) -> tuple[str, object]:
    """Have writing fail in the folder of a level; what undoes it."""
    place = memory.backend.levels[level].folder

    def replaced(path: Path, *rest: Any) -> None:  # noqa: ANN401
        (write if path.is_relative_to(place) else replace_durably)(path, *rest)

    name = "store.backends.files.issue_writer.replace_durably"
    monkeypatch.setattr(name, replaced)
    return name, replace_durably


@pytest.mark.parametrize("name", ["memoryLevel", "memory\\u004cevel"])
def test_a_level_that_a_file_gives_itself_means_nothing(
    root: Path, tmp_path: Path, name: str
) -> None:
    path = write_issue(root / ".agentx" / "memory", 29, record("a", memoryLevel="mine", odd=10**30))
    path.write_text(path.read_text().replace("memoryLevel", name))
    with open_memory(root / ".agentx" / "memory", cache=tmp_path / "one") as memory:
        assert memory.get("a").level == ""
        assert memory.search("level:mine").total == 0
    with _opened(root, tmp_path) as memory:
        assert memory.get("a").level == TEAM
        memory.apply(memory.plan.edit("a", {"tags": ("queue",)}))
    text = (root / ".agentx" / "memory" / "issue-29.json").read_text()
    assert f'"odd": {10**30}' in text and '"queue"' in text


def test_nothing_begins_where_nothing_is_written(root: Path, tmp_path: Path) -> None:
    with _opened(root, tmp_path) as memory:
        memory.store([observation("Shared", level=TEAM)])
        memory.apply(memory.plan.edit(memory.search_ids("shared")[0], {"tags": ("queue",)}))
    assert not (tmp_path / "data").exists()


def test_a_level_that_cant_be_written_refuses_only_its_own(memory: Memory, root: Path) -> None:
    held = _Locked(memory.backend.levels[TEAM])
    backend = LevelsBackend({**memory.backend.levels, TEAM: held})  # type: ignore[dict-item]
    with backend.changing(29) as records:
        records.append(Location.ISSUE, record("b", content="Private"))
    assert "Private" in _kept(root)[PROJECT]
    with pytest.raises(ReadOnly), backend.changing(29) as records:
        records.append(Location.ISSUE, record("c", content="Shared", memoryLevel="team"))
    assert _kept(root)[TEAM] == {"It is team's"}


class _Locked:
    """A memory that can be read alone."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def __getattr__(self, name: str) -> object:
        return getattr(self._backend, name)

    def changing(self, *_: object) -> None:
        raise ReadOnly("It can't be written.", "")


@pytest.mark.parametrize(
    ("there", "levels"),
    [
        ((), ["team"]),
        ((MINE,), ["mine", "team"]),
        ((PROJECT,), ["project", "team"]),
        ((MINE, PROJECT), ["mine", "project", "team"]),
    ],
)
def test_all_levels_are_opened_that_there_are(
    root: Path, there: tuple[Level, ...], levels: list[str]
) -> None:
    for level in there:
        _begin(root, level)
    assert find_store(root) == f"{LEVELS}{root}"


def test_levels_are_found_and_opened_with_one_question_to_git(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each start of a session waits for it."""
    for level in Level:
        _begin(root, level)
    run = Mock(side_effect=subprocess.run)
    monkeypatch.setattr(subprocess, "run", run)
    open_memory(find_store(root), cache=tmp_path / "cache").close()
    assert run.call_count == 1


def _begin(root: Path, level: Level) -> None:
    from store.backends.user_data import keep_project

    if level is PROJECT:
        keep_project(place_in_user_data(root), root)
    _place(root, level).mkdir(parents=True, exist_ok=True)


def test_a_project_level_begins_where_its_memory_was_moved_to_the_team(
    root: Path, tmp_path: Path
) -> None:
    _begin(root, PROJECT)
    _place(root, PROJECT).rmdir()
    with _opened(root, tmp_path) as memory:
        memory.store([observation("Private", level=PROJECT)])
    assert _kept(root)[PROJECT] == {"Private"}


def test_what_is_the_users_alone_is_no_memory_of_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    mine_memory().mkdir(parents=True)
    assert project_store(tmp_path / "new", {}) is None
    with pytest.raises(NoMemory):
        find_store(tmp_path / "new", {})


def test_what_git_tracks_from_now_on_is_the_teams(tmp_path: Path, memory: Memory) -> None:
    """A memory in the project changes its level as git does, and the index follows."""
    root = tmp_path / "other"
    Repository(root.parent)("init", "-q", str(root))
    with open_memory(root / ".agentx" / "memory") as alone:
        alone.store([observation("Found here")])
    location = find_store(root)
    with open_memory(location, cache=tmp_path / "cache") as opened:
        assert opened.search("level:project").total == 1
    Repository(root)("add", ".agentx")
    with open_memory(location, cache=tmp_path / "cache") as opened:
        assert opened.search("level:team").total == 1


def test_what_was_told_and_done_before_ones_own_level_began_is_known(
    root: Path, tmp_path: Path
) -> None:
    """It was logged beside the team's files, where git ignores it."""
    clock = Clock()
    with open_memory(root / ".agentx" / "memory", cache=tmp_path / "cache", clock=clock) as alone:
        (identifier,) = alone.store([observation("Shared", pinned=True)])
        alone.apply(alone.plan.edit(identifier, {"tags": ("queue",)}))
        _tell(alone)
    with _opened(root, tmp_path, clock) as memory:
        _tell(memory)
        clock.pass_by(minutes=1)
        before = [entry.kind for entry in memory.activity().entries]
        memory.store([observation("Private")])
    with _opened(root, tmp_path, clock) as memory:
        clock.pass_by(minutes=1)
        memory.store([observation("More of mine")])
        log = memory.activity()
        assert [entry.kind for entry in log.entries] == ["stored", "stored", *before]
        assert log.total == len(before) + 2
        assert memory.recall.already_injected("s").ids == {identifier}
        assert memory.get(identifier).recall_count == 2
        _tell(memory)
        memory.apply(memory.plan.edit(identifier, {"level": PROJECT}))
        assert memory.get(identifier).recall_count == 3
        memory.undo()
        assert memory.get(identifier).recall_count == 3
        edited = memory.history.operations()[-2]
        memory.undo(edited.id)
        assert memory.get(identifier).tags == ()
    with _opened(root, tmp_path, clock) as memory:
        assert memory.history.operations()[-2].undone


def _tell(memory: Memory) -> None:
    """Put what memory has in front of a session."""
    memory.recall.inject(memory.recall.plan(), "engineer", 29, session_id="s")


def test_a_recall_is_counted_once_however_the_log_is_summarised(memory: Memory, root: Path) -> None:
    """Records of another level than the log's count whole steps of its summary, too."""
    (identifier,) = memory.search_ids("level:mine")

    def tell(*days: int) -> None:
        for day in days:
            time = f"2026-03-{day:02}T10:00:00.000Z"
            entry = {"type": "recalled", "timestamp": time, "observationIds": [identifier]}
            memory.backend.log.append(entry)

    tell(2, 3, 4)
    memory.apply(memory.plan.edit(identifier, {"tags": ("queue",)}))
    tell(5, 6)
    memory.backend.log.summary(complete=True)
    with _opened(root, root.parent) as again:
        again.apply(again.plan.edit(identifier, {"tags": ("stock",)}))
        record = again.backend.read(29).find(Location.ISSUE, identifier)
        assert record is not None and record["recallCount"] == 5
        assert again.get(identifier).recall_count == 5


def test_a_project_archives_nothing_that_may_be_used_in_others(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_AUTO_ARCHIVE", "true")
    clock = Clock()
    with _opened(root, tmp_path, clock) as memory:
        memory.store([observation(f"It is {level}'s", level=level) for level in Level])
        clock.pass_by(days=400)
        memory.upkeep.make_room()
        assert memory.search("is:archived").facets.levels == {"project": 1}


def test_the_journal_and_digests_stay_out_of_the_teams_files(memory: Memory, root: Path) -> None:
    (identifier,) = memory.search_ids("level:mine")
    with _opened(root, root.parent) as again:
        again.apply(again.plan.edit(identifier, {"content": "A private thing"}))
    Repository(root)("add", "-A")
    assert "A private thing" not in Repository(root)("diff", "--cached").said
    assert b"A private thing" in b"".join(
        path.read_bytes() for path in (_place(root, PROJECT) / "operations").iterdir()
    )


def test_a_database_is_the_teams_and_takes_what_is_added(
    root: Path, tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What others read there is neither the journal nor what is private."""
    monkeypatch.setenv("MEMTUI_BACKEND", postgres)
    _begin(root, MINE)
    assert find_store(root) == f"{LEVELS}{root}"
    with _opened(root, tmp_path) as memory:
        memory.store([observation("For all"), observation("For me", level=MINE)])
        memory.apply(memory.plan.edit(memory.search_ids("me")[0], {"content": "For me alone"}))
        team = memory.backend.levels[TEAM]
        assert (_contents(team), _kept(root)[MINE]) == ({"For all"}, {"For me alone"})
        assert team.texts.names(TextKind.OPERATIONS) == []
        memory.undo()
    assert _kept(root)[MINE] == {"For me"}


@pytest.fixture
def away(
    root: Path, tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], None]]:
    """Levels with a memory each, the team's in a database that is away; ends that."""
    there = project_of(postgres)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user-cache"))
    monkeypatch.setenv("MEMTUI_BACKEND", there)
    monkeypatch.setenv("MEMTUI_CAPTURE_LEVEL", "project")
    with _opened(root, tmp_path) as memory:
        memory.store([observation(f"It is {level}'s", level=level) for level in Level])
        assert memory.search("").total == 3
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]  # nobody answers there once it is closed
    monkeypatch.setenv("MEMTUI_BACKEND", f"postgresql://ana@127.0.0.1:{port}/shop")
    yield lambda: monkeypatch.setenv("MEMTUI_BACKEND", there)


def test_while_the_teams_database_is_away_the_other_levels_work(
    root: Path, tmp_path: Path, away: Callable[[], None]
) -> None:
    clock = Clock()
    with _opened(root, tmp_path, clock) as memory:
        found = memory.search("")
        assert found.total == 3
        assert found.notice is not None and found.notice.kind == "level-away"
        assert found.notice.values["since"] == "2026-03-01T12:00:00.000Z"
    clock.pass_by(hours=1)
    with _opened(root, tmp_path, clock) as memory:
        found = memory.search("")
        assert found.notice and found.notice.values["since"] == "2026-03-01T12:00:00.000Z"
        assert "It is team's" in memory.recall.plan().text
        (own,), (mine,) = (memory.search_ids(f"level:{one}") for one in (PROJECT, MINE))
        assert memory.add([observation("Said again")], agent="engineer").ids
        memory.apply(memory.plan.edit(mine, {"content": "It is still mine's"}))
        memory.apply(memory.plan.archive([own]))
        memory.undo()
        memory.edit(own, {"tags": ("queue",)})
        (shared,) = memory.search_ids("level:team")
        for change in (
            lambda: memory.add([observation("For all", level=TEAM)]),
            lambda: memory.edit(shared, {"tags": ("queue",)}),
            lambda: memory.apply(memory.plan.edit(own, {"level": TEAM})),
        ):
            with pytest.raises(StoreError, match=r"database|postgresql"):
                change()
        assert memory.search("").total == 4
        assert memory.problems == ()
        with pytest.raises(StoreError, match=r"database|postgresql"):
            memory.doctor.examine()
    away()
    with _opened(root, tmp_path, clock) as memory:
        found = memory.search("")
        assert (found.total, found.notice) == (4, None)
        assert memory.get(shared).content == "It is team's"
        memory.edit(shared, {"tags": ("queue",)})
    assert "missing" not in {entry.problem for entry in memory.activity().entries}


def test_a_database_that_is_away_is_not_waited_for_again_at_once(
    root: Path, tmp_path: Path, away: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may answer nothing for seconds, and hooks have few."""
    with _opened(root, tmp_path) as memory:
        memory.search("")
    monkeypatch.setattr(Connections, "connect", lambda _: pytest.fail("It was asked."))
    with _opened(root, tmp_path) as memory:
        assert memory.search("").total == 3
        memory.store([observation("Said meanwhile")])


def test_who_adds_first_waits_once_for_a_database_that_is_away(
    root: Path, tmp_path: Path, away: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Mock(side_effect=psycopg.OperationalError("connection failed: timeout expired"))
    monkeypatch.setattr(Connections, "connect", asked)
    with _opened(root, tmp_path) as memory:
        memory.store([observation("Said meanwhile")])
    assert asked.call_count == 1


_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(list(Level))),
        st.tuples(st.just("move"), st.sampled_from(list(Level)), st.integers(0, 9)),
        st.tuples(st.just("edit"), st.sampled_from(list(Level)), st.integers(0, 9)),
        st.tuples(st.sampled_from(["undo", "redo"])),
    ),
    max_size=12,
)


@given(_STEPS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
def test_any_moves_and_undos_leave_what_a_model_has(
    root: Path, tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[Any, ...]]
) -> None:
    folder = tmp_path_factory.mktemp("data")
    levels = {level: f"memory://{folder}/{level}" for level in Level}
    backend = LevelsBackend({level: open_backend(place) for level, place in levels.items()})
    memory = Memory(backend, cache=folder, clock=lambda: NOW, new_id=Ids())
    states: list[dict[str, tuple[str, str]]] = [{}]
    at = 0
    for number, step in enumerate(steps):
        held = dict(states[at])
        if step[0] == "undo" and at:
            memory.undo()
            at -= 1
        elif step[0] == "redo" and at + 1 < len(states):
            memory.redo()
            at += 1
        elif step[0] in {"add", "move", "edit"} and (plan := _planned(memory, held, step, number)):
            memory.apply(plan)
            states[at + 1 :] = [held]
            at += 1
        expected = {level: {c for c, own in states[at].values() if own == level} for level in Level}
        found = {level: _contents(open_backend(place)) for level, place in levels.items()}
        assert found == expected
        read = [one for issue in backend.issues() for one in backend.read(issue).observations()]
        assert {one.id: (one.content, one.level) for one in read} == states[at]


def _planned(
    memory: Memory, held: dict[str, tuple[str, str]], step: tuple[Any, ...], number: int
) -> Plan | None:
    """Return the plan of a step, and change the model as it does; None for one that changes
    nothing.
    """
    if step[0] == "add":
        plan = memory.plan.add([observation(f"Text {number}", level=step[1])])
        held[plan.ids[0]] = (f"Text {number}", step[1])
        return plan
    if not held:
        return None
    identifier = sorted(held)[step[2] % len(held)]
    content, level = held[identifier]
    if step[0] == "edit":
        held[identifier] = (f"Edited {number}", level)
        return memory.plan.edit(identifier, {"content": f"Edited {number}"})
    held[identifier] = (content, step[1])
    return memory.plan.edit(identifier, {"level": step[1]}) if level != step[1] else None
