"""What a capture knows of its file, and what it goes on from where a session can't be kept."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from store import Memory
from store.agents.client import SessionFile
from store.agents.files import files_at
from store.capture.plan import plan_capture
from store.errors import NotFound
from store.settings.schema import Settings
from tests.store.capture.dialogues import session_of
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import NOW, observation

SAID = "From now on requests are retried at most 3 times, because the gateway gives up then."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = ClaudeCode(session="s").user(SAID).agent("Done.")
    return made.write(tmp_path / "s.jsonl")


def test_plan_names_its_file(memory: Memory, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    assert memory.capture.plan(lines).path == ""
    monkeypatch.chdir(path.parent)
    with Path("s.jsonl").open("rb") as file:
        plan = memory.capture.plan(file)
    assert plan.path == str(path)
    memory.capture.apply(plan)
    (digest,) = memory.sessions.digests()
    assert (digest.path, digest.size) == (str(path), path.stat().st_size)
    assert digest.memories == tuple(it.id for it in memory.sessions.captured_from("s", digest))
    assert len(digest.memories) == 1
    assert memory.sessions.captured_from("s", None) == []  # filed under an issue that nobody names
    assert memory.session_indexing.to_index(list(files_at([path], "claude-code"))) == []


def _transcripts(path: Path, *names: str) -> list[SessionFile]:
    for name in names:
        made = ClaudeCode(session=name).user(f"{SAID} So says {name}.").agent("Done.")
        path.with_name(f"{name}.jsonl").write_text("\n".join(made.lines))
    return list(files_at([path.with_name(f"{name}.jsonl") for name in names], "claude-code"))


def _sh(code: str) -> str:
    return shlex.join(["sh", "-c", code])


def test_a_model_reads_a_session_once(memory: Memory, path: Path) -> None:
    (file,) = files_at([path.rename(path.with_name("t.jsonl"))], "claude-code")
    files = [file._replace(session_id="s")]
    by_rules = memory.capture.apply(memory.capture.plan_files(files))
    assert memory.capture.not_read(files) == files, "rules are no model"
    report = memory.capture.apply(memory.capture.plan_files(files, program=_sh("echo []")))
    assert memory.capture.not_read(files) == []
    assert memory.by_issue(29) == [], "what rules had captured is replaced"
    memory.undo(report.operation_id)
    assert [it.id for it in memory.by_issue(29)] == list(by_rules.ids)
    assert memory.capture.not_read(files) == files
    memory.redo()
    longer = [files[0]._replace(size=file.size + 1)]
    assert memory.capture.not_read(longer) == longer


def test_a_program_that_fails_three_times(memory: Memory, path: Path) -> None:
    asked = path.with_name("asked")
    files = _transcripts(path, *"abcdefgh")
    program = _sh(f"echo x >> {shlex.quote(str(asked))}; exit 1")
    plan = memory.capture.plan_files(files, program=program)
    assert [it.rpartition("/")[2].partition(":")[0] for it in plan.left[:3]] == [
        f"{name}.jsonl" for name in "abc"
    ]
    assert plan.left[3:] == ("No other session was asked about: 3 failed in a row.",)
    assert len(asked.read_text().split()) in (6, 7, 8, 9, 10), "at most two ran meanwhile"


def test_a_model_replaces_what_rules_captured(memory: Memory, path: Path) -> None:
    made = ClaudeCode(session="s").user("Always keep the lock short.").agent("Yes.")
    made.user("Never push to main without a review.").agent("Yes.")
    made.user("Never log a token or a key.").agent("Yes.").bash("make lint-all", "ok")
    path.write_text("\n".join(made.lines))
    files = list(files_at([path], "claude-code"))
    memory.capture.apply(memory.capture.plan_files(files))
    by_text = {it.content: it.id for it in memory.by_issue(29)}
    memory.edit(by_text["Always keep the lock short."], {"content": "Locks are short."})
    memory.edit(by_text["Never push to main without a review."], {"pinned": True})
    answer = '{"memories": [{"category": "lesson", "text": "No token and no key is ever logged."}]}'
    plan = memory.capture.plan_files(files, program=_sh(f"echo {shlex.quote(answer)}"))
    assert [it.content for it in plan.replaced] == ["Never log a token or a key."]
    report = memory.capture.apply(plan)
    assert sorted(it.content for it in memory.by_issue(29)) == [
        "Commands that worked here: lint: `make lint-all`",
        "Locks are short.",
        "Never push to main without a review.",
        "No token and no key is ever logged.",
    ]
    memory.undo(report.operation_id)
    assert "Never log a token or a key." in [it.content for it in memory.by_issue(29)]
    assert len(memory.by_issue(29)) == 4


def test_a_model_names_what_is_no_longer_true(memory: Memory, path: Path) -> None:
    memory.store([observation("Requests are retried at most 5 times.", issue_number=29)])
    (held,) = memory.by_issue(29)
    answer = {"memories": [{"category": "decision", "replaces": "m1",
                            "text": "Requests are retried at most 3 times."}]}  # fmt: skip
    files = list(files_at([path], "claude-code"))
    said = shlex.quote(json.dumps(answer))
    (kept,) = memory.capture.plan_files(files, program=_sh(f"echo {said}")).kept
    assert held.id in kept.observation.sources
    again = shlex.quote(json.dumps({"memories": [], "again": ["m1"]}))
    plan = memory.capture.plan_files(files, program=_sh(f"echo {again}"))
    memory.capture.apply(plan)
    assert memory.get(held.id).seen_count == 2


def test_what_asking_takes_is_estimated_without_asking(memory: Memory, path: Path) -> None:
    files = _transcripts(path, "a", "b")
    estimate = memory.capture.estimate(files)
    assert (estimate.sessions, estimate.prompts) == (2, 2)
    assert 1_000 < estimate.tokens < 2_000, "mostly the prompt's own words"


def test_what_can_not_be_read_is_left_and_named(memory: Memory, path: Path) -> None:
    other = path.with_name("t.jsonl")
    other.write_text("no transcript\n")
    gone = path.with_name("u.jsonl")
    gone.write_bytes(path.read_bytes())
    files = list(files_at([path, other, gone], "claude-code"))
    gone.unlink()
    told: list[tuple[int, int]] = []

    def goes_on(done: int, total: int) -> bool:
        told.append((done, total))
        return True

    plan = memory.capture.plan_files(files, goes_on)
    assert told == [(0, 3), (1, 3), (2, 3)]
    assert len(plan.kept) == 1
    assert sorted(it.partition(".jsonl")[0][-1] for it in plan.left) == ["t", "u"]
    assert f"{gone} can't be read: No such file or directory." in plan.left
    assert memory.capture.plan_files(files, lambda done, _: done < 0).kept == ()


@pytest.mark.parametrize("text", ["plain", "half \ud83d of it", "of\r\nWindows"])
def test_an_injected_text_comes_back_byte_for_byte(memory: Memory, text: str) -> None:
    memory.store([observation("It is there")])
    memory.recall.record_accesses("qa", {"obs-1": 1}, text, 3)
    entry = memory.activity().entries[0]
    assert memory.recall.injected_text(entry.text) == text
    with pytest.raises(NotFound) as told:
        memory.recall.injected_text("0" * 20)
    assert told.value.message == f"The injected text {'0' * 20!r} has expired."
    assert told.value.hint == "Texts are kept for `recall_texts_days`."


# Capture from all sessions at once: each as if those before it had been captured.

SETTLED = "From now on requests are retried at most 3 times, because the gateway gives up then."


def written(folder: Path, *made: ClaudeCode) -> list[SessionFile]:
    """The transcripts as files, the first the oldest; listed newest first, as a client's are."""
    files: list[SessionFile] = []
    for at, each in enumerate(made):
        path = each.write(folder / f"{each.session}.jsonl")
        os.utime(path, (1_770_000_000 + at, 1_770_000_000 + at))
        files = [*files_at([path], "claude-code"), *files]
    return files


def asked(session: str, *said: str) -> ClaudeCode:
    made = ClaudeCode(session=session)
    for text in said:
        made.user(text).agent("Done.")
    return made


def test_several_sessions_are_one_operation(memory: Memory, tmp_path: Path) -> None:
    first = asked("one", SETTLED).user("Make the lock wait 5 ms, it starves.").edit("store/lock.py")
    first.agent("The lock waits 5 ms now, so that writers no longer starve.")
    files = written(tmp_path, first, asked("two", "We never push to main without a review."))
    report = memory.capture.apply(memory.capture.plan_files(files))
    assert len(report.stored) == len(memory.by_issue(29)) > 1
    linked = {it.id: set(it.memories) for it in memory.sessions.digests()}
    assert set().union(*linked.values()) == set(report.ids)
    assert linked["two"]
    assert memory.capture.plan_files(files).is_empty
    memory.undo(report.operation_id)
    assert memory.by_issue(29) == []
    assert not any(it.memories for it in memory.sessions.digests())
    memory.redo()
    assert {it.id: set(it.memories) for it in memory.sessions.digests()} == linked


# Which issue a capture is of, whose paths are told short, and what of it is known already.


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
def test_session_whose_agent_stored_memories(call: str, finders: list[str]) -> None:
    session = session_of(
        "USER Never log a token. The lock starves writers, mend that\n"
        "EDIT store/lock.py\n-a\n+b\nBASH make lint-all\nok\n"
        f"AGENT The lock waits five milliseconds now.\n{call}\n[]\n"
    )
    plan = plan_capture(session, issue=29, held=(), now=NOW, settings=Settings())
    assert [each.observation.extra["finder"] for each in plan.kept] == finders
    passed = [each.text for each in plan.skipped if each.reason.kind == "stored-by-agent"]
    assert passed == ([] if "rules" in finders else ["Never log a token."])


# A compacted context is captured as every session is.


# A capture is an operation: it stands in the history, and `undo` takes it back.
