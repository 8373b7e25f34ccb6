"""What counts as use of a memory that a session was given, and what does not."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.agents.reading import read_session
from store.usage.evidence import Recalled, moments_of, outcome_of
from store.usage.values import Evidence, Kind, Outcome
from tests.store.capture.transcripts import NOW, ClaudeCode
from tests.store.factories import observation
from tests.store.usage.made import Talk, edited, ran

LOCK, QUEUE, WAIT = "store/lock.py", "store/queue.py", "store/wait.py"
TWO = f"The wait is in {LOCK} and {QUEUE}."
TESTS = "Run the tests: `make test-slow JOBS=2`."
FULL = "Fails with `Cannot open the lock: in use` while two writers wait; see `make unlock-all`."


def outcome(
    content: str,
    *after: Talk,
    before: Talk | None = None,
    asked: str = "Make the waiting shorter.",
    common: str = "",
    known: str = "",
) -> Outcome | None:
    """What a session did with a memory that it was given a second before its second request."""
    made = ClaudeCode().user("Hello.")
    if before:
        before(made)
    for _ in range(6):  # a second each
        made.agent("Looking.")
    told = Recalled(
        observation(content, id="obs-1-a1b2c3"),
        content,
        NOW + timedelta(seconds=len(made.lines) - 0.5),
    )
    made.user(asked)
    for talk in after:
        talk(made)
    session = read_session(f"{line}\n".encode() for line in made.lines)
    return outcome_of(told, moments_of(session, (made.cwd,)), lambda name: name == common, known)


def opened(path: str, *, side: bool = False) -> Talk:
    return lambda made: made.call("Read", {"file_path": f"{made.cwd}/{path}"}, isSidechain=side)


def said(words: str) -> Talk:
    return lambda made: made.user(words)


@pytest.mark.parametrize(
    ("content", "done", "expected"),
    [
        (TWO, [opened(LOCK), opened(QUEUE)], [(Kind.OPENED, LOCK), (Kind.OPENED, QUEUE)]),
        (f"The wait is in {LOCK}.", [opened(LOCK), edited(LOCK)], [(Kind.CHANGED, LOCK)]),
        (TESTS, [ran("make test-slow JOBS=2")], [(Kind.RAN, "make test-slow JOBS=2")]),
        (
            "Run `cd web && npm run lint:css -- --quiet` first.",
            [ran("cd web && npm run lint:css -- --quiet 2>&1 | tail")],
            [(Kind.RAN, "npm run lint:css -- --quiet")],
        ),
        ("No file, no command.", [ran("memtui show a1b2c3")], [(Kind.READ, "obs-1-a1b2c3")]),
    ],
    ids=["two files opened", "file changed", "command", "in a line of commands", "read in full"],
)
def test_used(content: str, done: list[Talk], expected: list[tuple[Kind, str]]) -> None:
    found = outcome(content, *done)
    assert found is not None
    assert [(each.kind, each.what) for each in found.evidence] == expected
    assert found.is_used


@pytest.mark.parametrize(
    ("content", "done", "more"),
    [
        (f"The wait is in {LOCK}.", [opened(LOCK)], {}),
        (TWO, [edited(LOCK)], {}),
        (f"{TWO} See {WAIT}, a/b.py and c/d.py.", [opened(LOCK), opened(QUEUE)], {}),
        (TWO, [opened(LOCK), opened(QUEUE)], {"asked": "What do lock.py and queue.py do?"}),
        (TWO, [opened(LOCK), opened(QUEUE)], {"known": f"Read {LOCK} and {QUEUE} first."}),
        (TWO, [opened(LOCK, side=True), opened(QUEUE, side=True)], {}),
        (TWO, [said("Now the docs."), opened(LOCK), opened(QUEUE)], {}),
        (f"The wait is in {LOCK}.", [edited(LOCK, failed=True)], {}),
        (TESTS, [ran("make test-slow")], {}),
        (TESTS, [ran("make test-slow JOBS=2")], {"asked": "Run make test-slow JOBS=2 please."}),
        (
            "Run `git status --short` and `npm test`.",
            [ran("git status --short"), ran("npm test")],
            {},
        ),
        ("Run `go test ./...` before a commit.", [ran("go test ./...")], {}),
        ("Run `go test -run <name>` in pairs.", [ran("go test -run TestLock")], {}),
        (TESTS, [ran("memtui show ffffff")], {}),
    ],
    ids=[
        "the only one opened",
        "one of two changed",
        "two of five",
        "named by the prompt",
        "named by an instruction file",
        "by a sub-agent",
        "for a later request",
        "edit that failed",
        "another command",
        "command of the prompt",
        "what every session runs",
        "what any project has",
        "a form of commands",
        "another memory read",
    ],
)
def test_not_used(content: str, done: list[Talk], more: dict[str, str]) -> None:
    found = outcome(
        content,
        *done,
        asked=more.get("asked", "Make the waiting shorter."),
        known=more.get("known", ""),
    )
    assert found is None or not found.is_used


def test_what_was_opened_before_it_was_told_is_no_use() -> None:
    def before(made: ClaudeCode) -> None:
        opened(LOCK)(made)
        edited(QUEUE)(made)
        ran("make test-slow JOBS=2")(made)

    again = (edited(LOCK), edited(QUEUE), ran("make test-slow JOBS=2"))
    for content in (TWO, TESTS):
        assert outcome(content, *again, before=before) == Outcome("decision", (), touched=True)


def test_a_command_is_told_with_its_end() -> None:
    failing = ran("make test-slow JOBS=2", "1 failed", failed=True)
    expected = Evidence(Kind.RAN, "make test-slow JOBS=2", failed=True)
    assert outcome(TESTS, failing) == Outcome("decision", (expected,), touched=True)


def test_an_error_that_came_back_is_no_use() -> None:
    line = "Error: Cannot open the lock: in use"
    found = outcome(FULL, ran("make sync-all", line, failed=True))
    expected = Evidence(Kind.CAME_BACK, "Cannot open the lock: in use")
    assert found == Outcome("decision", (expected,), touched=True)
    assert not found.is_used
    assert outcome(FULL, before=ran("make sync-all", line, failed=True)) == Outcome("decision")


def test_what_can_not_be_seen_is_not_judged() -> None:
    assert outcome("Chose plain files, not a database.", opened(LOCK)) is None
    assert outcome("See README.md and `ls -la`.", opened("README.md")) is None
    assert outcome(f"The wait is in {LOCK}.", edited(LOCK), common="lock.py") is None


def test_what_was_left_alone_is_untouched() -> None:
    assert outcome(TWO, opened(WAIT), ran("make test-slow JOBS=2")) == Outcome("decision")
    assert outcome(TWO, said("And queue.py?")) == Outcome("decision", (), touched=True)


_DONE = st.sampled_from([opened(LOCK), opened(QUEUE), edited(LOCK), ran("make test-slow JOBS=2")])


@given(st.lists(_DONE, max_size=6))
def test_only_what_follows_counts(done: list[Talk]) -> None:
    def before(made: ClaudeCode) -> None:
        for talk in done:
            talk(made)

    for content in (TWO, TESTS, FULL):
        found = outcome(content, before=before)
        assert found is not None
        assert not found.evidence
