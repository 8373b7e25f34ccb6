"""What a capture knows of its file, and what it goes on from where a session can't be kept."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.agents.client import SessionFile
from store.agents.files import files_at
from store.errors import NotFound, WriteFailed
from store.events import ContextCompacted
from store.settings.schema import Settings
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import NOW, Clock, Ids, observation

SAID = "From now on requests are retried at most 3 times, because the gateway gives up then."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = ClaudeCode(session="s").user(SAID).agent("Done.")
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(made.lines))
    return path


def _heard(memory: Memory) -> list[tuple[str, str]]:
    told: list[tuple[str, str]] = []
    memory.on_problem(lambda it: told.append((it.kind, it.message)))
    return told


def test_a_plan_names_the_file_that_its_lines_come_from(
    memory: Memory, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


@pytest.mark.parametrize(
    "error", [WriteFailed("The disk is full.", "Free some."), OSError("It is away.")]
)
def test_of_several_sessions_what_can_not_be_linked_is_told(
    memory: Memory, path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise error

    heard = _heard(memory)
    monkeypatch.setattr(memory.capture._indexing, "link_memories", refused)
    report = memory.capture.apply(memory.capture.plan_files(list(files_at([path], "claude-code"))))
    assert len(report.ids) == 1
    assert heard == [("session-not-kept", str(error))]


def _transcripts(path: Path, *names: str) -> list[SessionFile]:
    for name in names:
        made = ClaudeCode(session=name).user(f"{SAID} So says {name}.").agent("Done.")
        path.with_name(f"{name}.jsonl").write_text("\n".join(made.lines))
    return list(files_at([path.with_name(f"{name}.jsonl") for name in names], "claude-code"))


def _sh(code: str) -> str:
    return shlex.join(["sh", "-c", code])


def test_a_session_that_a_model_read_is_not_asked_about_again_until_it_goes_on(
    memory: Memory, path: Path
) -> None:
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


def test_a_program_that_fails_is_asked_twice_and_after_three_sessions_no_more(
    memory: Memory, path: Path
) -> None:
    asked = path.with_name("asked")
    files = _transcripts(path, *"abcdefgh")
    program = _sh(f"echo x >> {shlex.quote(str(asked))}; exit 1")
    plan = memory.capture.plan_files(files, program=program)
    assert [it.rpartition("/")[2].partition(":")[0] for it in plan.left[:3]] == [
        f"{name}.jsonl" for name in "abc"
    ]
    assert plan.left[3:] == ("No other session was asked about: 3 failed in a row.",)
    assert len(asked.read_text().split()) in (6, 7, 8, 9, 10), "at most two ran meanwhile"


def test_what_failed_once_is_asked_again_and_what_was_read_is_kept(
    memory: Memory, path: Path
) -> None:
    """The program answers of `b` only the second time that it runs at all."""
    files = _transcripts(path, "a", "b", "c")
    once = shlex.quote(str(path.with_name("once")))
    program = _sh(f"grep -q 'So says b' && ! test -e {once} && touch {once} && exit 1; echo []")
    plan = memory.capture.plan_files(files, program=program)
    assert (plan.left, len(plan.sessions)) == ((), 3)
    broken = _sh("grep -q 'So says b' && exit 1; echo []")
    plan = memory.capture.plan_files(files, program=broken)
    assert [each.session_id for each in plan.sessions] == ["c", "a"]
    assert len(plan.left) == 1
    memory.capture.apply(plan)
    assert [file.path.stem for file in memory.capture.not_read(files)] == ["b"]


def test_the_newest_are_read_first_and_a_run_that_is_stopped_goes_on_later(
    memory: Memory, path: Path
) -> None:
    files = _transcripts(path, *"abcde")
    for at, file in enumerate(files):
        os.utime(file.path, (1_770_000_000 + at, 1_770_000_000 + at))
    files = list(files_at([file.path for file in files], "claude-code"))
    assert [file.path.stem for file in memory.capture.not_read(files, 2)] == ["d", "e"]
    plan = memory.capture.plan_files(files, program=_sh("echo []"), at_most=2)
    assert [each.session_id for each in plan.sessions] == ["e", "d"]
    memory.capture.apply(plan)

    def goes_on(done: int, total: int) -> bool:
        assert total == 3
        return done < 1

    stopped = memory.capture.plan_files(
        files, goes_on, program=_sh("grep -q 'So says a' || sleep 60; echo []")
    )
    assert [each.session_id for each in stopped.sessions] == ["a"]
    memory.capture.apply(stopped)
    assert [file.path.stem for file in memory.capture.not_read(files)] == ["b", "c"]


def test_what_rules_captured_is_replaced_unless_somebody_pinned_or_edited_it(
    memory: Memory, path: Path
) -> None:
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


def test_a_memory_that_a_model_says_is_no_longer_true_is_named_by_the_new_one(
    memory: Memory, path: Path
) -> None:
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


def test_a_summary_that_an_agent_tells_is_captured_until_that_is_stopped(
    memory: Memory,
) -> None:
    memory.store([observation()])
    heard = _heard(memory)
    stop = memory.capture.listen()

    def tell(summary: str, agent: str = "qa", issue: int = 7) -> list[str]:
        memory.events.emit(
            ContextCompacted(
                agent=agent,
                issue_number=issue,
                summary=summary,
                timestamp=NOW,
                session_id="s",
                original_tokens=9,
                compacted_tokens=3,
            )
        )
        return [it.content for it in memory.by_issue(7)]

    assert tell(" ") == []
    assert heard == [("nothing-extracted", "")]
    found = tell("We decided to retry at most 3 times, because the gateway gives up then.")
    assert len(found) == 1
    assert {it.agent for it in memory.by_issue(7)} == {"qa"}
    assert tell("We decided to retry at most 3 times, because the gateway gives up then.") == found
    assert len(heard) == 1, "what is known already was extracted, too"
    tell(SAID, issue=-1)
    assert [kind for kind, _ in heard][1:] == ["capture-failed"]
    stop()
    assert tell("We decided to keep the port at 8080 because of the gateway.") == found


def test_switched_off_nothing_is_captured(tmp_path: Path, path: Path) -> None:
    memory = open_memory(
        tmp_path / "m", cache=tmp_path / "c", clock=Clock(), new_id=Ids(),
        settings=Settings(enabled=False),
    )  # fmt: skip
    heard = _heard(memory)
    with path.open("rb") as file:
        report = memory.capture.apply(memory.capture.plan(file))
    assert (report.ids, report.operation_id, memory.sessions.digests(), heard) == ((), "", [], [])


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
