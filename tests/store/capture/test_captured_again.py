"""Which issue a capture is of, whose paths are told short, and what of it is known already."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import Memory
from store.agents.client import SessionFile
from store.agents.files import files_at
from store.capture.plan import plan_capture
from store.model import Observation
from store.settings.schema import Settings
from tests.store.capture.dialogues import session_of
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import NOW

SAID = "From now on requests are retried at most 3 times, because the gateway gives up then."
OTHER = "We never push to main without a review, because the deployment starts by itself."


def _lines(made: ClaudeCode) -> list[bytes]:
    return [f"{line}\n".encode() for line in made.lines]


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
