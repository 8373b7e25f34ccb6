from __future__ import annotations

import pytest

from store.model import Category
from tests.store.capture.transcripts import ClaudeCode, contents

_RULE = "The sandbox cannot write `.git/FETCH_HEAD`, so a fetch needs the network of the host."


def _failed(said: str, command: str = "git fetch origin") -> list[str]:
    made = ClaudeCode().user("Bring the till up to date").bash(command, "denied", failed=True)
    return contents(made.agent(said).bash("ls", "x").agent("Done.").plan(), Category.KEY_FACT)


def test_what_a_failure_showed_of_the_place_is_a_fact_with_its_command() -> None:
    assert _failed(_RULE) == [f"{_RULE}\nAt: `git fetch origin`"]


@pytest.mark.parametrize(
    "said",
    [
        "The till never reads `rows` by night, because the lease ends then.",
        "I'll try it outside the sandbox, because `.git` cannot be written from here.",
        "It cannot write `.git` in this sandbox, so a fetch needs the network of the host.",
    ],
)
def test_what_is_of_the_code_or_the_agent_is_none(said: str) -> None:
    assert _failed(said) == []


@pytest.mark.parametrize("command", ["git fetch origin `cat refs`", "node -e 'fetch(1)'"])
def test_a_command_that_is_cut_or_code_is_not_told(command: str) -> None:
    assert _failed(_RULE, command) == [_RULE]


def test_a_report_is_no_word_on_a_failure() -> None:
    assert _failed(f"{_RULE}\n\n" + "The bank sums the rows of the day again. " * 30) == []


def test_at_most_two_are_told() -> None:
    made = ClaudeCode().user("Bring the till up to date")
    for name in ("tills", "banks", "rows"):
        made.bash(f"curl {name}", "denied", failed=True)
        made.agent(f"The sandbox cannot reach `{name}.example`, whatever its port is.")
    told = contents(made.bash("ls", "x").agent("Done.").plan(), Category.KEY_FACT)
    assert ["tills" in told[0], "banks" in told[1], len(told)] == [True, True, 2]


@pytest.mark.parametrize("where", ["in this workspace", "locally", "in `node_modules`"])
def test_what_an_installation_brings_is_not_missing_for_long(where: str) -> None:
    assert _failed(f"The till cannot start because `vite` isn't installed {where}.", "vite") == []
    assert _failed("The till cannot start because `vite` isn't installed on the host.", "vite")
