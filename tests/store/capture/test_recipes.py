from __future__ import annotations

import pytest

from store.capture.findings.recipes import recipe_in
from store.model import Category
from tests.store.capture.transcripts import ClaudeCode, contents


def test_what_is_to_be_run_is_told_with_what_it_is_for() -> None:
    text = (
        "The key is locked.\n\nThe fix from a terminal of your own is:\n\n```sh\n# once\n"
        "$ till-add --chain ~/.till/key\ntill-add -l\n```\n\nThen it works."
    )
    assert recipe_in(text) == (
        "The fix from a terminal of your own is: `till-add --chain ~/.till/key && till-add -l`"
    )


def test_a_command_on_several_lines_is_one() -> None:
    text = "To publish it again, run:\n```bash\ntill publish \\\n  --ref main \\\n  -f all=no\n```"
    assert recipe_in(text) == "To publish it again, run: `till publish --ref main -f all=no`"


def test_the_first_block_of_commands_is_told_with_the_sentence_that_leads_to_it() -> None:
    run = "```sh\ntill unlock\n```"
    prints = "It prints:\n```sh\ntill rows\n```"
    assert recipe_in(f"Rows are locked. To unlock them, run:\n{run}") == (
        "To unlock them, run: `till unlock`"
    )
    assert recipe_in(f"{prints}\n\nTo unlock it:\n{run}") == "To unlock it: `till unlock`"
    other = "To lock it again:\n```sh\ntill lock\n```"
    assert recipe_in(f"To unlock it:\n{run}\n\n{other}") == "To unlock it: `till unlock`"


@pytest.mark.parametrize(
    "text",
    [
        "To publish it:\n```python\ntill.publish()\n```",
        "To publish it:\n```\nTill: 3 rows\n```",
        "To publish it:\n```sh\ngit commit -m till\n```",
        "To publish it:\n```sh\na b\nc d\ne f\ng h\n```",
        "It prints:\n```sh\ntill publish\n```",
        "To publish it:\n```sh\ntill `date`\n```",
        "To publish it:\n```sh\ntill " + "x" * 300 + "\n```",
        "To publish it: till publish",
    ],
)
def test_output_code_and_what_git_does_is_none(text: str) -> None:
    assert recipe_in(text) == ""


def test_a_finding_is_told_with_its_recipe() -> None:
    asked = ClaudeCode().user("Why is the till locked?")
    for name in ("till", "bank", "key"):
        asked.bash(f"cat lp/{name}", "…")
    why = "The printer's proxy does not pass `X-Till` on, because its key is locked by night."
    run = "To unlock it:\n\n```sh\ntill unlock\n```"
    (told,) = contents(asked.agent(f"{why}\n\n{run}").plan(), Category.KEY_FACT)
    assert told == f"{why}\nTo unlock it: `till unlock`\nAsked: Why is the till locked?"
