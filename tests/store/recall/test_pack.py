"""Packing: the text never exceeds its limits, whatever it holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.recall.pack import Chosen, Frame, pack
from store.recall.reasons import Reason, Verdict
from store.recall.render import words_of
from store.recall.values import FileHint, Limits
from store.text.tokens import estimate
from tests.store.recall.makers import observation

IN = Reason(Verdict.RELEVANT)
TEXTS = st.lists(
    st.text(alphabet="abc äé`\n#界", max_size=300) | st.sampled_from(["```", "x " * 400]),
    max_size=8,
)


def chosen(*texts: str, heading: str = "") -> list[Chosen]:
    return [Chosen(observation(text, at), IN, heading) for at, text in enumerate(texts)]


def line(choice: Chosen, most: int | None) -> str:
    content = choice.observation.content
    return f"a: {words_of(content)}" if content.strip() else ""


@given(
    texts=TEXTS,
    tokens=st.integers(0, 900),
    characters=st.none() | st.integers(0, 2_000),
    size=st.none() | st.integers(0, 2_000),
    first=TEXTS,
    last=st.sampled_from(["", "To keep something: memtui add"]),
)
def test_a_text_keeps_to_its_limits_whatever_it_holds(
    texts: list[str],
    tokens: int,
    characters: int | None,
    size: int | None,
    first: list[str],
    last: str,
) -> None:
    limits = Limits(tokens, characters, size)
    files = (FileHint("a/b.py", ("2 Mar",)),)
    frame = Frame(tuple(first), files, last)
    packed = pack(chosen(*texts), frame, line, limits, estimate(), note_tokens=200, goes_past=True)
    assert packed.tokens == estimate().count(packed.text) <= tokens
    if limits.length is not None:
        assert limits.measure(packed.text) <= limits.length
    ids = {it.observation.id for it in chosen(*texts)}
    assert packed.costs.keys() | packed.missing.keys() == ids
    assert not packed.costs.keys() & packed.missing.keys()


def test_what_does_not_fit_is_named_and_a_shorter_one_comes_in_behind_it() -> None:
    notes = chosen("short", "long " * 200, "short too")
    limits = Limits(100)
    packed = pack(notes, Frame(), line, limits, estimate(), note_tokens=None, goes_past=True)
    assert "short too" in packed.text
    (reason,) = packed.missing.values()
    assert (reason.verdict, reason.unit) == (Verdict.TOO_LONG, "tokens")
    assert reason.needs > reason.left
    stopped = pack(notes, Frame(), line, limits, estimate(), note_tokens=None, goes_past=False)
    assert "short too" not in stopped.text
    assert [it.verdict for it in stopped.missing.values()] == [
        Verdict.TOO_LONG, Verdict.BUDGET_FULL
    ]  # fmt: skip


def test_what_a_channel_counts_in_bytes_is_told_so() -> None:
    limits = Limits(5_000, bytes=300)
    packed = pack(
        chosen("é" * 200), Frame(), line, limits, estimate(), note_tokens=None, goes_past=True
    )
    (reason,) = packed.missing.values()
    assert (reason.unit, packed.text) == ("bytes", "")


def test_nothing_chosen_is_no_text_and_a_recovery_is_told_by_itself() -> None:
    limits, count = Limits(500), estimate()
    nothing = pack([], Frame(last="Hint"), line, limits, count, note_tokens=9, goes_past=True)
    assert (nothing.text, nothing.tokens) == ("", 0)
    frame = Frame(("Recovering:", "[user]: Go on."))
    told = pack([], frame, line, limits, count, note_tokens=9, goes_past=True)
    assert "Recovering:\n[user]: Go on." in told.text


# What a text may take, which channel it goes to, and what of a recall is in it.


@pytest.mark.parametrize(
    ("limits", "length", "unit", "measured"),
    [
        (Limits(100), None, "characters", 4),
        (Limits(100, 90), 90, "characters", 4),
        (Limits(100, 900), 900, "characters", 4),
        (Limits(100, bytes=80), 80, "bytes", 5),
        (Limits(100, 90, 80), 80, "bytes", 5),
        (Limits(100, 0), 0, "characters", 4),
        (Limits(0, 90), 90, "characters", 4),
    ],
)
def test_a_text_may_take_its_tokens_and_what_the_channel_counts(
    limits: Limits, length: int | None, unit: str, measured: int
) -> None:
    assert (limits.length, limits.unit) == (length, unit)
    assert limits.measure("Café") == measured
