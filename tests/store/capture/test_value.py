"""What a sentence is worth keeping, by weights that were learned."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import store.capture.text
from store.agents.transcript import Message, Speaker
from store.capture.text.value import Sentence, features_of, sentences_in, value_of

_CAUSE = "The root cause is that `lease.py` never waits, because the runner does not start a timer."
_WEIGHTS = json.loads(Path(store.capture.text.__file__).with_name("value.json").read_bytes())


def _said(text: str, speaker: Speaker = Speaker.AGENT) -> Sentence:
    return next(sentences_in(Message(1, speaker, text), closes=True))


@pytest.mark.parametrize(
    "less",
    [
        "Let me check whether the lease is given back now.",
        "I'll update the tests of `lease.py` next.",
        "Now all of the tests pass, and the changes are clean.",
        "Updated `lease.py`, and added a test for it.",
        "Do you want me to look at `lease.py` as well?",
    ],
)
def test_a_cause_is_worth_more_than_how_the_work_goes(less: str) -> None:
    assert value_of(_said(_CAUSE)) > 0 > value_of(_said(less))


def test_what_a_person_lays_down_is_worth_more_than_what_they_ask() -> None:
    ruled = "We should always keep the lease in one place, not in `till.py`, since both need it."
    asked = "What does your review of the tasks in these files say about it?"
    values = [value_of(_said(each, Speaker.USER)) for each in (ruled, asked)]
    assert values[0] > 0 > values[1]


def test_where_it_stands_counts() -> None:
    said = Message(1, Speaker.AGENT, _CAUSE)
    closing, passing = (next(sentences_in(said, closes=it)) for it in (True, False))
    below = _said(f"## Root cause\n\n{_CAUSE}")
    assert value_of(below) > value_of(closing) > value_of(passing)


def test_words_that_were_never_seen_weigh_nothing() -> None:
    strange = _said("Zzyzx qwfpgj `lease.py` zxcdvb")._replace(text="Qwfpgj zzyzx.")
    known = _said("Qwfpgj zzyzx.")._replace(text="Qwfpgj zzyzy.")
    assert value_of(strange) == value_of(known)


@given(st.text(max_size=300), st.sampled_from(Speaker), st.booleans())
def test_whatever_is_said_has_a_value(text: str, speaker: Speaker, closes: bool) -> None:
    told = list(sentences_in(Message(1, speaker, text), closes=closes))
    assert [it.block for it in told] == sorted(it.block for it in told)
    assert all(it.place < later.place for it, later in pairwise(told))
    assert all(abs(value_of(it)) < 50 for it in told)
    assert all(len(seen := list(features_of(it))) == len(set(seen)) for it in told)


def test_the_weights_are_whole_and_hold_no_name() -> None:
    assert _WEIGHTS.keys() == set(Speaker)
    for weights in _WEIGHTS.values():
        assert all(isinstance(it, int) and 0 < abs(it) < 300 for it in weights.values())
        assert all(len(word) < 20 for word in weights)


def test_of_a_long_sentence_the_first_sixty_words_count() -> None:
    said = "till " * 59
    counted, late = (_said(f"{said}{more} rows") for more in ("because", "and because"))
    assert "because" in features_of(counted)
    assert "because" not in features_of(late)
