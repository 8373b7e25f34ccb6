"""Which issue a capture is of, whose paths are told short, and what of it is known already."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from store import Memory
from store.agents.client import SessionFile
from store.agents.files import files_at
from store.capture.plan import plan_capture
from store.events import SessionCaptured
from store.model import Observation
from store.operations.batch import StoreReport
from store.settings.schema import Settings
from tests.store.capture.dialogues import session_of
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import NOW, logged, make_memory

SAID = "From now on requests are retried at most 3 times, because the gateway gives up then."
OTHER = "We never push to main without a review, because the deployment starts by itself."


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return make_memory(tmp_path)


def _project(root: Path, branch: str) -> Path:
    """A folder inside a repository on a branch."""
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text(f"ref: refs/heads/{branch}\n")
    (root / "src").mkdir()
    return root / "src"


def _lines(made: ClaudeCode) -> list[bytes]:
    return [f"{line}\n".encode() for line in made.lines]


def test_what_a_person_reworded_in_the_file_does_not_come_back_in_its_old_words(
    tmp_path: Path,
) -> None:
    memory = make_memory(tmp_path)
    made = ClaudeCode(branch="issue-29").user(f"{SAID}\n\n{OTHER}").agent("Done.")
    memory.capture.apply(memory.capture.plan(_lines(made), environ={}))
    (file,) = memory.path.glob("issue-29.json")
    file.write_text(file.read_text().replace(OTHER, "A review comes first."))
    plan = memory.capture.plan(_lines(made), environ={})
    assert [it.observation.content for it in plan.kept] == []
    assert sorted(it.content for it in memory.by_issue(29)) == ["A review comes first.", SAID]


def test_what_a_session_says_later_in_a_place_of_its_own_is_captured(memory: Memory) -> None:
    made = ClaudeCode(branch="issue-29").user(SAID).agent("Done.")
    memory.capture.apply(memory.capture.plan(_lines(made), environ={}))
    made.user(OTHER).agent("Done.")
    plan = memory.capture.plan(_lines(made), environ={})
    assert [it.observation.content for it in plan.kept] == [OTHER]


ISSUES: list[tuple[str, dict[str, Any], int]] = [
    ("feature/12-a", {}, 12),
    ("", {}, 30),
    ("main", {}, 0),
    ("feature/12-a", {"hook": {"issue": "13"}}, 13),
    ("feature/12-a", {"hook": {"issue": "13"}, "environ": {"MEMTUI_ISSUE": "14"}}, 14),
    ("feature/12-a", {"environ": {"MEMTUI_ISSUE": "14"}, "issue": 15}, 15),
    ("feature/12-a", {"environ": {"MEMTUI_ISSUE": "14"}, "issue": 0}, 0),
    ("feature/12-a", {"environ": {"MEMTUI_ISSUE": "none"}}, 12),
]


def test_the_issue_is_the_nearest_that_is_named(memory: Memory, tmp_path: Path) -> None:
    cwd = _project(tmp_path / "shop", "feature/30-b")
    for said, given, issue in ISSUES:
        made = ClaudeCode(cwd=str(cwd), branch=said).user(SAID).agent("Done.")
        plan = memory.capture.plan(_lines(made), **{"environ": {}, **given})
        assert plan.issue == issue, (said, given)
        assert {it.observation.issue_number for it in plan.kept} == {issue}


def test_where_a_transcript_names_no_folder_that_of_its_file_counts(
    memory: Memory, tmp_path: Path
) -> None:
    one, other = _project(tmp_path / "a", "issue-31"), _project(tmp_path / "b", "issue-32")
    bare = _lines(ClaudeCode(cwd="", branch="").user(SAID).agent("Done."))
    assert memory.capture.plan(bare, environ={}, folder=str(one)).issue == 31
    assert memory.capture.plan(bare, environ={}).issue == 0
    placed = _lines(ClaudeCode(cwd=str(other), branch="").user(SAID).agent("Done."))
    assert memory.capture.plan(placed, environ={}, folder=str(one)).issue == 32


def _worktree(root: Path) -> tuple[Path, Path]:
    """A repository, and another working tree of it."""
    main, tree = root / "main", root / "tree"
    git = main / ".git" / "worktrees" / "tree"
    git.mkdir(parents=True)
    tree.mkdir()
    (main / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "HEAD").write_text("ref: refs/heads/issue-7\n")
    (git / "commondir").write_text("../..\n")
    (git / "gitdir").write_text(f"{tree / '.git'}\n")
    (tree / ".git").write_text(f"gitdir: {git}\n")
    return main, tree


def test_files_of_a_working_tree_and_of_the_main_one_are_named_within_the_project(
    memory: Memory, tmp_path: Path
) -> None:
    main, tree = _worktree(tmp_path / "shop")
    made = ClaudeCode(cwd=str(tree), branch="").user("Make the lock wait 5 ms, it starves.")
    made.edit("src/lock.py")
    made.call("Edit", {"file_path": f"{main}/src/wait.py", "old_string": "a", "new_string": "b"})
    made.agent("The lock waits 5 ms now, so that writers no longer starve.")
    plan = memory.capture.plan(_lines(made), environ={})
    assert plan.issue == 7
    assert plan.roots == (str(tree), str(main))
    (change,) = [it.observation for it in plan.kept if it.observation.category == "code-change"]
    assert "src/lock.py" in change.content
    assert "src/wait.py" in change.content
    assert str(tmp_path) not in str(change)


def _files(folder: Path, *made: ClaudeCode) -> list[SessionFile]:
    paths = []
    for each in made:
        paths.append(folder / f"{each.session}.jsonl")
        paths[-1].write_text("\n".join(each.lines))
    return list(files_at(paths, "claude-code"))


def _two(folder: Path) -> list[SessionFile]:
    return _files(
        folder,
        ClaudeCode(session="one", branch="issue-29").user(SAID).agent("Done."),
        ClaudeCode(session="two", branch="issue-30").user(OTHER).agent("Done."),
    )


def _counts(memory: Memory) -> list[tuple[str, int]]:
    found: list[Observation] = [*memory.by_issue(29), *memory.by_issue(30)]
    return [(it.session_id, it.seen_count) for it in found]


def test_what_is_said_again_in_any_of_several_sessions_is_counted(
    memory: Memory, tmp_path: Path
) -> None:
    memory.capture.apply(memory.capture.plan_files(_two(tmp_path)))
    assert _counts(memory) == [("one", 1), ("two", 1)]
    again = _files(
        tmp_path,
        ClaudeCode(session="three", branch="issue-29").user(SAID).agent("Done."),
        ClaudeCode(session="four", branch="issue-30").user(OTHER).agent("Done."),
    )
    plan = memory.capture.plan_files(again)
    assert plan.kept == ()
    memory.capture.apply(plan)
    assert _counts(memory) == [("one", 2), ("two", 2)]
    alone = ClaudeCode(session="five", branch="issue-30").user(OTHER).agent("Done.")
    memory.capture.apply(memory.capture.plan(_lines(alone), environ={}))
    assert _counts(memory) == [("one", 2), ("two", 3)]
    assert [it.seen_count for it in map(memory.get, ("obs-1", "obs-2"))] in ([2, 3], [3, 2])


def _heard(memory: Memory) -> list[tuple[str, int, tuple[str, ...], str]]:
    heard: list[tuple[str, int, tuple[str, ...], str]] = []

    def hear(it: SessionCaptured) -> None:
        heard.append((it.session_id, it.issue_number, it.observation_ids, it.operation_id))

    memory.events.subscribe(SessionCaptured, hear)
    return heard


def _ids(report: StoreReport, session: str) -> tuple[str, ...]:
    return tuple(it.id for it in report.stored if it.session_id == session)


def test_each_of_several_sessions_is_told_with_what_it_left_itself(
    memory: Memory, tmp_path: Path
) -> None:
    heard = _heard(memory)
    silent = ClaudeCode(session="three", branch="issue-30").user("Thanks.").agent("Good.")
    plan = memory.capture.plan_files([*_two(tmp_path), *_files(tmp_path, silent)])
    report = memory.capture.apply(plan)
    one, two = _ids(report, "one"), _ids(report, "two")
    assert (len(one), len(two)) == (1, 1)
    told = [("two", 30, two, report.operation_id), ("one", 29, one, report.operation_id)]
    assert sorted(heard) == sorted(told)
    lines = [it for it in logged(memory.path) if it["type"] == "captured"]
    assert {(it["sessionId"], *it["observationIds"]) for it in lines} == {
        ("one", *one),
        ("two", *two),
    }
    by_session = {it.id: it.memories for it in memory.sessions.digests()}
    assert by_session == {"one": one, "two": two, "three": ()}


@pytest.mark.parametrize("leave", ["archive", "stay"])
def test_what_stands_in_the_archive_is_not_captured_again(
    memory: Memory, tmp_path: Path, leave: str
) -> None:
    files = _two(tmp_path)
    kept = memory.capture.apply(memory.capture.plan_files(files)).ids
    if leave == "archive":
        memory.apply(memory.plan.archive(kept))
    assert memory.capture.plan_files(files).kept == ()
    for file in files:
        with file.path.open("rb") as lines:
            assert memory.capture.plan(lines, environ={}).kept == ()


def test_a_session_without_an_id_leaves_memories_and_no_digest(memory: Memory) -> None:
    heard: list[str] = []
    memory.on_problem(lambda it: heard.append(it.kind))
    lines = [
        b'{"role": "user", "content": "%s"}\n' % SAID.encode(),
        b'{"role": "agent", "content": "Done."}\n',
    ]
    plan = memory.capture.plan(lines, format="conversation-lines", environ={})
    assert (plan.session_id, len(memory.capture.apply(plan).ids)) == ("", 1)
    assert (memory.sessions.digests(), heard) == ([], [])
    named = memory.capture.plan(lines, format="conversation-lines", environ={}, session_id="s")
    memory.capture.apply(named)
    assert [it.id for it in memory.sessions.digests()] == ["s"]


def test_what_a_model_picks_is_planned_of_the_same_file_for_the_same_issue(
    memory: Memory, tmp_path: Path
) -> None:
    (_, file) = _two(tmp_path)
    with file.path.open("rb") as lines:
        plan = memory.capture.plan(lines, environ={}, agent="qa")
    found = memory.capture.ask_model(plan, _answering(tmp_path, "'{\"memories\": []}'"))
    assert (found.kept, found.path, found.issue) == ((), str(file.path), plan.issue)
    assert (found.agent, found.session_id, found.roots) == ("qa", plan.session_id, plan.roots)
    memory.capture.apply(found)
    assert [it.path for it in memory.sessions.digests()] == [str(file.path)]


def _answering(folder: Path, *said: str) -> str:
    """A program that notes that it was asked, and prints an answer."""
    asked = shlex.quote(str(folder / "asked"))
    return shlex.join(["sh", "-c", f"cat > /dev/null; echo x >> {asked}; echo {' '.join(said)}"])


STORED = '{"memories": [{"content": "Locks are short.", "category": "decision"}]}'


@pytest.mark.parametrize(
    ("call", "finders"),
    [
        (f"CALL mcp__memtui__memory_add {STORED}", ["changes", "commands"]),
        (f"CALL memtui_memory_add {STORED}", ["changes", "commands"]),
        (f"REFUSED mcp__memtui__memory_add {STORED}", ["rules", "changes", "commands"]),
        (
            'CALL mcp__memtui__memory_add {"content": "x", "category": "task"}',
            ["rules", "changes", "commands"],
        ),
    ],
)
def test_of_a_session_whose_agent_stored_what_it_taught_rules_keep_the_facts_alone(
    call: str, finders: list[str]
) -> None:
    session = session_of(
        "USER Never log a token. The lock starves writers, mend that\n"
        "EDIT store/lock.py\n-a\n+b\nBASH make lint-all\nok\n"
        f"AGENT The lock waits five milliseconds now.\n{call}\n[]\n"
    )
    plan = plan_capture(session, issue=29, held=(), now=NOW, settings=Settings())
    assert [each.observation.extra["finder"] for each in plan.kept] == finders
    passed = [each.text for each in plan.skipped if each.reason.kind == "stored-by-agent"]
    assert passed == ([] if "rules" in finders else ["Never log a token."])
