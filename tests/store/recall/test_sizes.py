"""What is added up of pieces is what the whole takes, whatever stands in it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from store.recall.render import NOTHING, Line, Traits, index_of, line_of, note_of
from store.recall.sizes import Sizes, sizes_by
from store.recall.values import Limits
from store.text.tokens import Estimate, Exact, Family, Scaled, estimate
from tests.store.recall.makers import observation

_COUNTERS: list[Estimate | Scaled] = [
    *map(estimate, Family),
    Scaled(estimate(), 1.07, "scaled", 2.5),
]
_LIMITS = [Limits(2_000), Limits(2_000, characters=900), Limits(2_000, bytes=900)]
_ODD = st.text(st.sampled_from("the of a; `~\n\r\t#_é…日😀\u2028\ud800<[x0A "), max_size=40)
_WORDS = st.lists(st.sampled_from(["the", "lock", "a", "", "of", "12", "é", "``` x", "\n", "to:"]))
_TEXTS = _ODD | _WORDS.map(" ".join)
_HANDLES = st.from_regex(r"[a-z0-9][a-z0-9_ é#`-]{0,8}", fullmatch=True)


@example([("a```", "fact", "x")], [], "", _COUNTERS[0], _LIMITS[0])
@example([("a", "fact", "x")], ["Files:", "a````.py 2×"], "", _COUNTERS[0], _LIMITS[0])
@example([("a", "```fact", "x ```` y")], ["```"], "`````", _COUNTERS[0], _LIMITS[0])
@given(
    told=st.lists(st.tuples(_HANDLES, _ODD, _TEXTS), min_size=1, max_size=4),
    head=st.lists(_TEXTS, max_size=2),
    last=_TEXTS,
    counter=st.sampled_from(_COUNTERS),
    limits=st.sampled_from(_LIMITS),
)
def test_pieces_come_to_what_the_whole_takes(
    told: list[tuple[str, str, str]],
    head: list[str],
    last: str,
    counter: Estimate | Scaled,
    limits: Limits,
) -> None:
    notes = [
        note_of(observation(text or "x", 1, category=category), handle, text)
        for handle, category, text in told
    ]
    added, whole = sizes_by(counter, limits), Sizes(counter, limits)
    for note in notes:
        assert added.sized(note) == whole.sized(note)
        assert added.words(note) == whole.words(note)
        assert added.name(note) == whole.name(note)
        assert added.line(line_of(note, NOTHING)) == whole.line(line_of(note, NOTHING))
    lines = [Line("All: decision"), *(line_of(it, NOTHING) for it in notes), *index_of(notes, 9)]
    text = added.text(head, lines, last)
    assert str(text) == str(whole.text(head, lines, last))
    assert text.tokens == counter.count(str(text))
    assert added.text(head, [], last).tokens == whole.text(head, [], last).tokens


@given(
    words=st.lists(st.text(min_size=1, max_size=6), max_size=9), counter=st.sampled_from(_COUNTERS)
)
def test_what_is_said_to_exceed_does(words: list[str], counter: Estimate | Scaled) -> None:
    text = " ".join(words)
    sizes = sizes_by(counter, _LIMITS[0])
    cost = sizes.sized(note_of(observation(text, 1), "0001", text)).cost
    assert not any(sizes.exceeds(text, tokens) for tokens in range(cost, 2 * cost))


def test_what_has_more_words_than_there_are_tokens_exceeds() -> None:
    sizes = sizes_by(estimate(), _LIMITS[0])
    assert sizes.exceeds("1 2 3 4 5 6 7 8 9", 7)
    assert not sizes.exceeds("1 2 3 4 5 6 7 8 9", 8)
    words = Exact("words", lambda text: len(text.split()))
    assert not sizes_by(words, _LIMITS[0]).exceeds("1 2 3", 1)


def test_a_counter_that_is_no_estimate_is_asked_for_texts_as_a_whole() -> None:
    lines = Exact("lines", lambda text: text.count("\n") ** 2)
    note = note_of(observation("One.\nTwo.", 1), "0001", "One.\nTwo.")
    text = sizes_by(lines, Limits(100)).text([], [line_of(note, Traits())], "")
    assert text.tokens == str(text).count("\n") ** 2


@pytest.mark.parametrize(
    ("limits", "length"), [(_LIMITS[0], 0), (_LIMITS[1], 12), (_LIMITS[2], 13)]
)
def test_length_is_measured_where_a_limit_counts_it(limits: Limits, length: int) -> None:
    note = note_of(observation("é", 1), "0001", "Café.")
    assert sizes_by(estimate(), limits).length(line_of(note)) == length
