"""What is said twice in a context, and what contradicts."""

from __future__ import annotations

import pytest

from store.agent_context.overlaps import overlaps_of
from store.agents.context_files import ContextPart
from store.recall.values import Recall


def part(text: str, line: int = 1) -> ContextPart:
    return ContextPart("instruction", "", text, line=line)


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        (
            "Run the tests before a commit.",
            "- Always **run** the tests before a commit",
            "repeated",
        ),
        ("Run the tests\nbefore a commit.", "Run the tests before a commit.", "repeated"),
        ("Never push to `main`.", "Push to main.", "contradicted"),
        ("Retries are at most 3.", "Retries are at most 5.", "superseded"),
        ("Read the docs first.", "Write the docs first.", None),
        ("See below.", "See below.", None),
        ("# Run the tests now", "Run the tests now", None),
        ("Tabs in Makefiles.", "Never use tabs in Python.", None),
        ("No default exports.", "Use default exports.", "contradicted"),
        ("Log no keys in plain text.", "### Never do\n\n- Log keys in plain text", None),
        ("Never log keys in plain text.", "Don't:\n\n- Log keys in plain text", None),
        ("When to use this pattern:", "When not to use this pattern:", None),
        ("Create a PR to `develop`.", "Create a PR to `develop` (not `master`).", None),
        ("Remove unused imports.", "No dead code: remove unused imports.", None),
        ("Its findings are comments.", "Its findings are comments, do not repeat them.", None),
        ("Fixed secrets in code", "No fixed secrets in code", None),
    ],
)
def test_two_sentences_of_two_files(one: str, other: str, verdict: str | None) -> None:
    found = overlaps_of([part(one), part(other)], Recall())
    assert [str(overlap.verdict) for overlap in found] == ([verdict] if verdict else [])


def test_where_it_is_said() -> None:
    same = "Run the tests\nbefore a commit."
    found = overlaps_of([part(f"# A\n\n{same}", line=4), part(same), part(same)], Recall())
    places = [(it.earlier.part, it.earlier.line, it.earlier.end, it.later.part) for it in found]
    assert places == [(0, 6, 7, 1), (0, 6, 7, 2)], "the third repeats the first"


def test_sections_of_one_file_do_not_contradict() -> None:
    text = "Use this path if it ends in .0\n\nUse this path if it does not end in .0\n"
    assert overlaps_of([part(text)], Recall()) == ()
    assert [
        str(it.verdict)
        for it in overlaps_of([part("Keep names short.\n\nKeep names short.")], Recall())
    ]
