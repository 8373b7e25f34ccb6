"""What a capture knows of its file, and what it goes on from where a session can't be kept."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.agents.files import files_at
from store.errors import NotFound, WriteFailed
from store.events import ContextCompacted
from store.settings.schema import Settings
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import NOW, Clock, Ids, make_memory, observation

SAID = "From now on requests are retried at most 3 times, because the gateway gives up then."


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return make_memory(tmp_path)


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
    assert memory.sessions.to_index(list(files_at([path], "claude-code"))) == []


def test_a_file_that_went_meanwhile_is_not_named(memory: Memory, path: Path) -> None:
    with path.open("rb") as file:
        plan = memory.capture.plan(file)
    path.unlink()
    memory.capture.apply(plan)
    (digest,) = memory.sessions.digests()
    assert (digest.path, digest.size) == ("", 0)


@pytest.mark.parametrize(
    "error", [WriteFailed("The disk is full.", "Free some."), OSError("It is away.")]
)
def test_of_several_sessions_what_can_not_be_linked_is_told(
    memory: Memory, path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refused(*_: object) -> None:
        raise error

    heard = _heard(memory)
    monkeypatch.setattr(memory.capture._sessions, "link_memories", refused)
    report = memory.capture.apply(memory.capture.plan_files(list(files_at([path], "claude-code"))))
    assert len(report.ids) == 1
    assert heard == [("session-not-kept", str(error))]


def test_a_session_that_was_captured_is_not_asked_for_whatever_its_file_is_called(
    memory: Memory, path: Path
) -> None:
    (file,) = files_at([path.rename(path.with_name("t.jsonl"))], "claude-code")
    files = [file._replace(session_id="s")]
    assert memory.capture.apply(memory.capture.plan_files(files)).ids
    asked = memory.capture.plan_files(files, program="false")
    assert (asked.sessions, asked.left) == ((), ())


def test_a_program_that_failed_is_asked_of_no_later_session(memory: Memory, path: Path) -> None:
    other = path.with_name("t.jsonl")
    other.write_text("\n".join(ClaudeCode(session="t").user(SAID).agent("Done.").lines))
    asked = path.with_name("asked")
    program = shlex.join(["sh", "-c", f"echo x >> {shlex.quote(str(asked))}; exit 1"])
    plan = memory.capture.plan_files(list(files_at([path, other], "claude-code")), program=program)
    assert (len(plan.left), asked.read_text()) == (1, "x\n")


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
    memory.recall.record_accesses("qa", ["obs-1"], text, 3)
    entry = memory.activity().entries[0]
    assert memory.recall.injected_text(entry.text) == text
    with pytest.raises(NotFound) as told:
        memory.recall.injected_text("0" * 20)
    assert told.value.message == f"The injected text {'0' * 20!r} has expired."
    assert told.value.hint == "Texts are kept for `recall_texts_days`."
