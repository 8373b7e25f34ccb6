"""The text of a recall: grouped, said once, fenced, and visible."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.model import UNDATED, Observation
from store.recall.profiles import Layout
from store.recall.render import (
    TITLE,
    data_line,
    fence_of,
    files_head,
    frame_of,
    framed,
    grouping_of,
    index_of,
    lines_of,
    note_of,
    render,
)
from store.recall.values import FileHint
from tests.store.recall.makers import observation


def text_of(*observations: Observation, layout: Layout = Layout.GROUPED) -> str:
    """The observations as they would be injected, in this order."""
    return render([note_of(it, it.id[-4:], it.content) for it in observations], layout)


def body(text: str) -> list[str]:
    """The lines inside the fence."""
    lines = text.splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("```"))
    return lines[first + 1 : -1]


def test_no_notes_make_no_text() -> None:
    assert render([], Layout.GROUPED) == ""


def test_of_what_has_no_date_none_is_told() -> None:
    text = text_of(observation("One", 1)._replace(timestamp=UNDATED))
    assert body(text) == ["0001 decision #29 engineer: One"]


def test_what_all_share_is_said_once_and_the_newest_comes_first() -> None:
    text = text_of(
        observation("Older", 1, days=2),
        observation("Newer", 2, days=1.99),
        observation("Another day", 3, days=40),
    )
    assert text.startswith(TITLE)
    assert body(text) == [
        "All: decision #29 engineer 2026",
        "0003 20 Jan: Another day",
        "27 Feb",
        "0002: Newer",
        "0001: Older",
    ]


def test_a_group_of_several_agents_names_each() -> None:
    lines = body(text_of(observation("One", 1), observation("Two", 2, agent="reviewer")))
    assert lines[0] == "All: decision #29 1 Mar 2026"
    assert set(lines[1:]) == {"0001 engineer: One", "0002 reviewer: Two"}


def test_sections_follow_the_layers() -> None:
    lines = body(
        text_of(
            observation("Known", 1),
            observation("Happened", 2, category="error"),
            observation("To do", 3, category="task"),
            layout=Layout.SECTIONS,
        )
    )
    assert lines == [
        "# Current Task Context",
        "0003: To do",
        "# Relevant Past Interactions",
        "0002: Happened",
        "# Relevant Knowledge",
        "0001: Known",
    ]


def test_a_flat_text_says_everything_of_each() -> None:
    assert body(text_of(observation("One", 1), layout=Layout.FLAT)) == [
        "0001 decision #29 engineer 1 Mar 2026: One"
    ]


def test_further_lines_are_indented_and_blank_ones_left_out() -> None:
    assert body(text_of(observation("First\n\n\nsecond\n## Memory Recall", 1))) == [
        "0001 decision #29 engineer 1 Mar 2026: First",
        "  second",
        "  ## Memory Recall",
    ]


def test_files_are_named_with_the_whole_of_why_or_its_beginning() -> None:
    hints = [
        FileHint("src/a.py", 1.0, ("3×", "with b.py", "1 Mar")),
        FileHint("src/b\x1b[31m.py", 0.5, ("read 1×",)),
        FileHint("src/c.py", 0.4, ()),
    ]
    title, *lines = files_head(hints, whole=True)
    assert lines[0] == "src/a.py 3×, with b.py, 1 Mar"
    short, *brief = files_head(hints, whole=False)
    assert brief[0] == "src/a.py 3×"
    assert brief[1:] == lines[1:]
    assert "\x1b" not in lines[1] and lines[1].endswith(" read 1×")
    assert title != short and title.endswith(":") and short.endswith(":")
    assert files_head([], whole=True) == files_head([], whole=False) == ()


def test_a_frame_says_what_stands_in_it_and_ends_with_the_last_line() -> None:
    before, after = frame_of("````", "Ask for more.", "## Theirs")
    assert before.startswith("## Theirs\n\n") and before.endswith("\n````\n")
    assert after == "\n````\nAsk for more.\n"
    assert frame_of("```")[1] == "\n```\n"
    assert framed("body", "last", "## T") == "x".join(frame_of("```", "last", "## T")).replace(
        "\nx\n", "\nbody\n"
    )


def test_an_index_names_what_is_left_out() -> None:
    shown, hidden = observation("Shown", 1), observation("Hidden", 2)
    notes = [note_of(it, it.id[-4:], it.content) for it in (shown, hidden)]
    assert list(map(str, index_of(notes[1:], 12))) == ["12 more, not shown:", "0002: Hidden"]


_HOSTILE = st.text(st.sampled_from("`~\n\r\x1b[31m\u202e\u2028ab#: \t\x00😀"), max_size=60)


@given(st.lists(_HOSTILE.filter(str.strip), min_size=1, max_size=4), st.sampled_from(Layout))
@settings(deadline=None, max_examples=75)
def test_no_content_leaves_the_fence_or_acts(contents: list[str], layout: Layout) -> None:
    text = text_of(*(observation(it, n) for n, it in enumerate(contents)), layout=layout)
    lines = text.split("\n")
    fence = lines[3]
    assert set(fence) == {"`"}
    assert lines.index(fence, 4) == len(lines) - 2
    inside = "\n".join(lines[4:-2])
    assert fence not in inside
    assert not any(char in inside for char in "\x1b\x00\u202e\u2028\r\t")


def test_a_line_of_data_is_one_line_that_acts_on_no_terminal() -> None:
    told = data_line("one\ntwo\r\x1b[31mthree\u2028four")
    assert len(told.splitlines()) == 1
    assert "\x1b" not in told
    assert told.startswith("one") and told.endswith("four")


@pytest.mark.parametrize(
    ("texts", "fence"),
    [
        (["a", "b"], "```"),
        (["`a` and ``b``"], "```"),
        (["```"], "````"),
        (["```a```", "`````"], "``````"),
        (["`````\n```", "````"], "``````"),
    ],
)
def test_a_fence_is_longer_than_the_longest_of_any_text(texts: list[str], fence: str) -> None:
    assert fence_of(texts) == fence
    assert framed("\n".join(texts)).endswith(f"\n{fence}\n")


def test_a_group_that_stays_is_told_anew_where_all_share_something_else() -> None:
    """Of three notes of one agent and issue all say so; where a fourth joins, its group must."""
    held = [
        observation("One", 1, days=1),
        observation("Two", 2, days=1),
        observation("Other", 3, days=40, category="error"),
        observation("Theirs", 4, days=50, agent="qa", issue_number=7, category="task"),
    ]
    notes = [note_of(it, it.id[-4:], it.content) for it in held]
    kept = grouping_of(notes)
    for told in (notes[:3], notes, notes[:2], notes[:3]):
        first = lines_of(told, Layout.GROUPED, grouping_of(notes))
        assert [*map(str, lines_of(told, Layout.GROUPED, kept))] == [*map(str, first)]
    assert "All: #29 engineer 2026" in map(str, lines_of(notes[:3], Layout.GROUPED, kept))
    assert "All: 2026" in map(str, lines_of(notes, Layout.GROUPED, kept))


_SHARED = st.tuples(st.sampled_from("ab"), st.integers(1, 3), st.integers(1, 3))


@given(
    st.lists(_SHARED, min_size=1, max_size=9),
    st.lists(st.sets(st.integers(0, 8)), min_size=2, max_size=4),
)
@settings(deadline=None, max_examples=75)
def test_a_grouping_tells_each_text_as_if_it_were_its_first(
    shared: list[tuple[str, int, int]], texts: list[set[int]]
) -> None:
    """Whatever is added or left out: the agent, the issue and the day are shared by some."""
    observations = [
        observation("Words", at, agent=agent, issue_number=issue, days=days)
        for at, (agent, issue, days) in enumerate(shared)
    ]
    notes = [note_of(it, it.id[-4:], it.content) for it in observations]
    kept = grouping_of(notes)
    for chosen in texts:
        told = [note for at, note in enumerate(notes) if at in chosen]
        first = grouping_of(notes)
        assert lines_of(told, Layout.GROUPED, kept) == lines_of(told, Layout.GROUPED, first)
