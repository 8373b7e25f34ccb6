"""Differences of two versions of a file, piece by piece."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.inbox.differences import differences
from store.text.markdown import pieces, whole_lines

TEXTS = st.lists(
    st.sampled_from(
        ["# Shop", "- Run the tests first.", "- Run the tests last.", "", "Prices are in cents.",
         "  more of it", "```", "---", "- x\r", "\ufeffa"]
    ),
    max_size=12,
).flatmap(lambda lines: st.sampled_from(["\n".join(lines), "\n".join([*lines, ""])]))  # fmt: skip


def shown(before: str, after: str) -> list[tuple[str, str]]:
    old, new = whole_lines(before), whole_lines(after)
    return [
        ("".join(old[it.first : it.end]), "".join(new[it.later_first : it.later_end]))
        for it in differences(before, after)
    ]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("a\n", "a\n", []),
        ("", "- One.\n- Two.\n", [("", "- One.\n"), ("", "- Two.\n")]),
        (
            "# Rules\n\n- Run the tests first.\n",
            "# Rules\n\n- Run all the tests first.\n- Prices are in cents.\n",
            [
                ("- Run the tests first.\n", "- Run all the tests first.\n"),
                ("", "- Prices are in cents.\n"),
            ],
        ),
        ("One.\n\nTwo.\n\nThree.\n", "One.\n\nThree.\n", [("Two.\n\n", "")]),
        (
            "- Never push.\n",
            "- Prices are in cents.\n",
            [("- Never push.\n", ""), ("", "- Prices are in cents.\n")],
        ),
        (
            "A.\n",
            "A.\n\n## Deploy\n\n- Use make.\n- Wait.\n",
            [("", "\n## Deploy\n\n- Use make.\n"), ("", "- Wait.\n")],
        ),
        ("- One.\n  More.\n- Two.\n", "- Two.\n", [("- One.\n  More.\n", "")]),
        (
            "```\na\n\nb\n```\n",
            "```\na\n\nc\n```\n",
            [("```\na\n\nb\n```\n", "```\na\n\nc\n```\n")],
        ),
        ("---\nx: 1\n---\nA.", "---\nx: 2\n---\nA.", [("---\nx: 1\n---\n", "---\nx: 2\n---\n")]),
        ("Last", "Last\n\nMore", [("Last", "Last\n\nMore")]),
    ],
)
def test_what_somebody_would_judge_by_itself(
    before: str, after: str, found: list[tuple[str, str]]
) -> None:
    assert shown(before, after) == found


@given(TEXTS, TEXTS)
def test_later_lines_in_place_of_earlier_ones_are_the_later_text(before: str, after: str) -> None:
    assert "".join(line for piece in pieces(before) for line in piece) == before
    old, new = whole_lines(before), whole_lines(after)
    found = differences(before, after)
    rebuilt = [*old]
    for it in reversed(found):
        rebuilt[it.first : it.end] = new[it.later_first : it.later_end]
    assert "".join(rebuilt) == after
    assert all(old[it.first : it.end] != new[it.later_first : it.later_end] for it in found)


def test_of_very_many_pieces_all_that_differs_is_one() -> None:
    before = "".join(f"- {number}\n" for number in range(5_000))
    after = "- first\n" + before.replace("- 7\n", "- seven\n").replace("- 4000\n", "")
    (found,) = differences(before, after)
    assert (found.first, found.end, found.later_end) == (0, 4_001, 4_001)
