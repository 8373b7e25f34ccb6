from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.capture.evidence.commands import together
from store.model import Category, Observation
from store.recall.overlaps import giving_way
from tests.store.capture.transcripts import NOW, ClaudeCode, contents

LINT = "lint: `ruff check`"
TESTS = "run the tests: `pytest -q`"
COMMANDS = (LINT, TESTS, "build: `make` in `docs`", "build: `make`", "lint: `npm run lint`")


def told(*commands: str) -> str:
    return f"Commands that worked here: {'; '.join(commands)}"


@pytest.mark.parametrize(
    "text",
    ["Deploy with `make deploy`", told(LINT) + ", but not on Windows", told(LINT) + "\nAsk."],
)
def test_what_a_person_wrote_is_left_as_it_is(text: str) -> None:
    assert together(told(TESTS), {"obs-1": text}) == (told(TESTS), ())


@given(st.lists(st.lists(st.sampled_from(COMMANDS), min_size=1, unique=True), min_size=2))
def test_no_command_is_lost(sessions: list[list[str]]) -> None:
    held = {f"obs-{at}": told(*commands) for at, commands in enumerate(sessions[1:])}
    text, replaced = together(told(*sessions[0]), held)
    assert set(replaced) == set(held)
    assert {command for each in sessions for command in each} == {
        command for command in COMMANDS if command in text.partition(": ")[2].split("; ")
    }


def test_the_earlier_procedure_gives_way_in_recall() -> None:
    before = Observation(
        id="obs-1",
        agent="claude",
        issue_number=29,
        category=Category.PROCEDURE,
        content=told(LINT),
        timestamp=NOW.replace(year=NOW.year - 1),
    )
    made = ClaudeCode().user("Run the tests").bash("pytest -q", "12 passed")
    plan = made.plan((before,))
    assert contents(plan, Category.PROCEDURE) == [told(LINT, TESTS)]
    after = plan.kept[0].observation._replace(id="obs-2")
    assert giving_way((before, after))["obs-1"][1] == after
    assert made.plan((before, after)).is_empty


@pytest.mark.parametrize(
    "command",
    [
        "cargo fmt --all --check",
        "cargo test takes_a_till",
        "cargo clippy --fix --allow-dirty",
        "go test ./till -run TestTake -v",
        "go vet ./...",
        "chmod +x tasks/lint",
        "mise current golangci-lint",
    ],
)
def test_what_a_language_does_in_all_its_projects_is_no_procedure(command: str) -> None:
    made = ClaudeCode().bash(command, "ok").bash("make fmt", "ok")
    assert contents(made.plan(), Category.PROCEDURE) == [told("format: `make fmt`")]


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("cargo test -- --test-threads=1", "run the tests: `cargo test -- --test-threads=1`"),
        ("cd till && go test ./...", "run the tests: `go test ./...` in `till`"),
        ("sh tasks/test.sh till/one", "run some tests: `sh tasks/test.sh <path>`"),
    ],
)
def test_what_is_of_this_project_is_one(command: str, kept: str) -> None:
    assert contents(ClaudeCode().bash(command, "ok").plan(), Category.PROCEDURE) == [told(kept)]
