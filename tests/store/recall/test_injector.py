"""Packing keeps to its limits, whatever it is given, and uses them well."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from store.agents.client import ChannelLimits
from store.agents.noise import RECALL_HINT
from store.model import Observation
from store.recall import values
from store.recall.extras import Extras
from store.recall.injector import Packed, pack
from store.recall.plan import plan
from store.recall.profiles import PROFILES
from store.recall.reasons import Reason, Verdict
from store.recall.request import RecallRequest
from store.recall.sizes import _Added
from store.recall.terms import Terms
from store.recall.values import (
    CLIENT_TOKENS,
    Candidate,
    Limits,
    Ranked,
    family_of,
    limits_of,
)
from store.text.tokens import Counter, Exact, Family, counter_for, estimate
from tests.store.recall.makers import NOW, observation

WORDS = Exact("words", lambda text: len(text.split()))
PROSE = "The lock is taken before the record is replaced, so that no reader sees half of it. "


def packed(
    observations: Sequence[Observation],
    tokens: int,
    *,
    profile: str = "memtui",
    characters: int | None = None,
    size: int | None = None,
    counter: Counter | None = None,
    pinned: frozenset[str] = frozenset(),
) -> Packed:
    """The observations packed in this order."""
    ranked = [Ranked(it, 1.0, {}) for it in observations]
    limits = Limits(tokens, characters, size)
    terms = Terms(PROFILES[profile], limits, counter or estimate(), lambda it: it.id[-4:])
    return pack(ranked, terms, pinned)


def notes(count: int, size: int = 2) -> list[Observation]:
    """Observations of some sentences each, on different days."""
    return [observation(f"Note {n}. {PROSE * size}", n, days=n / 3) for n in range(count)]


def test_a_note_that_is_told_in_part_takes_no_more_than_one_told_whole_may() -> None:
    long = observation("\n".join(f"Step {n}: {PROSE}" for n in range(30)), 99, summary="Steps")
    found = packed([long, *notes(30)], 1_200)
    assert "Step 1" in found.told[long.id]
    assert found.costs[long.id] <= 1_200 / 6
    assert "Step 0" in packed([long], 400).told[long.id], "longer than all that is left"


_OBSERVATIONS = st.lists(
    st.tuples(
        st.text(st.characters(codec=None), min_size=1, max_size=300),
        st.sampled_from(["decision", "error", "task", "odd`kind"]),
        st.floats(0, 900),
    ),
    max_size=12,
)


@given(
    _OBSERVATIONS,
    st.integers(0, 1_200),
    st.none() | st.integers(0, 1_500),
    st.sampled_from(list(PROFILES)),
    st.sampled_from([estimate(), estimate(Family.GPT), WORDS]),
)
@settings(deadline=None, max_examples=100)
def test_the_whole_text_never_exceeds_its_limits(
    made: list[tuple[str, str, float]],
    tokens: int,
    characters: int | None,
    profile: str,
    counter: Counter,
) -> None:
    held = [
        observation(content, n, category=category, days=days)
        for n, (content, category, days) in enumerate(made)
    ]
    result = packed(held, tokens, profile=profile, characters=characters, counter=counter)
    assert counter.count(result.text) == result.tokens <= tokens
    assert characters is None or len(result.text) <= characters
    assert bool(result.text) == bool(result.costs)
    assert 0 <= result.packaging <= 1


@pytest.mark.parametrize("budget", [300, 500, 2_000, 8_000, 20_000])
@pytest.mark.parametrize("family", Family)
def test_a_budget_is_filled_where_there_is_enough_to_say(budget: int, family: Family) -> None:
    result = packed(notes(600), budget, counter=estimate(family))
    assert result.tokens >= 0.85 * budget


def test_packaging_is_less_than_a_fifth() -> None:
    assert packed(notes(200), 2_000).packaging < 0.2


def test_what_does_not_fit_does_not_stop_the_rest() -> None:
    short, long, tiny = notes(5), notes(9, size=20)[8], observation("Tiny.", 99)
    room = packed(short, 2_000, counter=WORDS).tokens + 12
    result = packed([*short, long, tiny], room, counter=WORDS)
    assert set(result.costs) == {it.id for it in (*short, tiny)}
    assert result.reasons[long.id].needs > result.reasons[long.id].left


def test_the_seeds_stop_at_the_first_that_does_not_fit() -> None:
    long, *short = notes(1, size=20) + notes(6)[1:]
    assert packed([long, *short], 200, profile="agentx").costs == {}
    assert set(packed([*short, long], 300, profile="agentx", counter=WORDS).costs) == {
        it.id for it in short
    }


def test_a_note_too_long_for_the_budget_goes_in_as_its_summary() -> None:
    long = notes(1, size=20)[0]
    result = packed([long], 300)
    assert result.costs.keys() == {long.id}
    assert " …" in result.text
    assert long.content.strip() not in result.text
    whole = packed([long], 2_000, pinned=frozenset({long.id}))
    assert long.content.strip() in whole.text


def test_much_left_out_is_listed() -> None:
    result = packed(notes(300), 2_000)
    assert "more, not shown:" in result.text
    assert "memtui show" in result.text
    assert "more, not shown:" not in packed(notes(4), 2_000).text


def test_a_line_of_what_is_left_out_names_its_file_once_or_how_it_begins() -> None:
    many = notes(300)
    fit = len(packed(many, 2_000).told)
    left = [observation(f"store/lock.py: {PROSE}", 400 + n, category="code-change") for n in (0, 1)]
    left.append(observation(f"The journal is kept thirty days. {PROSE}", 500))
    text = packed([*many[:fit], *left, *many[fit:]], 2_000).text
    lines = text.partition("more, not shown:")[2].splitlines()
    assert [line.split()[1:] for line in lines if "lock.py" in line] == [["store/lock.py"]]
    assert any("The journal is kept thirty days." in line for line in lines)


@pytest.mark.parametrize("budget", [300, 600, 1_200])
def test_of_one_that_is_much_too_long_as_many_words_go_in_as_there_is_room_for(budget: int) -> None:
    (it,) = notes(1, 300)
    it = it._replace(summary=f"{PROSE * 300}")
    result = packed([it], budget)
    assert 0.85 * budget < result.tokens <= budget


def test_the_characters_of_the_channel_rule_where_they_are_fewer() -> None:
    result = packed(notes(600), 20_000, characters=10_000)
    assert 9_000 < len(result.text) <= 10_000


_ALPHABETS = ("abcdefgh ", "äöüßéèñ ", "メモリ層の索引 ", "🙂🔒 lock ", "абвгд ")


@pytest.mark.parametrize(("tokens", "length"), [(2_000, 600), (20_000, 3_000), (300, 10_000)])
def test_what_does_not_fit_says_by_which_limit(tokens: int, length: int) -> None:
    for unit, result in (
        ("characters", packed(notes(40), tokens, characters=length)),
        ("bytes", packed(notes(40), tokens, size=length)),
    ):
        units = {it.unit for it in result.reasons.values() if it.verdict is Verdict.TOO_LONG}
        assert units == {"tokens" if tokens == 300 else unit}
        for it in result.reasons.values():
            assert it.verdict is not Verdict.TOO_LONG or it.needs > it.left >= 0


def _cut_by_codex(text: str) -> bool:
    """Whether Codex 0.169.0 cuts the middle out: it takes four bytes for a token."""
    return -(-len(text.encode()) // 4) > 2_500


@pytest.mark.parametrize("alphabet", _ALPHABETS)
@pytest.mark.parametrize(
    "packings",
    [6, pytest.param(80, marks=pytest.mark.long)],
    ids=["thirty in all", "four hundred in all"],
)
def test_codex_cuts_nothing_of_what_it_is_told(alphabet: str, packings: int) -> None:
    chosen = Random(29)
    limits = limits_of("codex", CLIENT_TOKENS)
    for _ in range(packings):
        size = chosen.randint(20, 400)
        texts = ["".join(chosen.choices(alphabet, k=size)) for _ in range(60_000 // size // 3)]
        held = [
            Candidate(observation(f"{n} {text}", n, days=n / 3)) for n, text in enumerate(texts)
        ]
        request = RecallRequest(
            channel="codex",
            first=("Recovering previous session:", *texts[: chosen.randrange(4)]),
            last=RECALL_HINT,
            estimated=True,
        )
        counter = counter_for(family_of("codex"), exactly=False)
        terms = Terms(PROFILES["memtui"], limits, counter, lambda it: it.id[-4:])
        told = plan(held, request, terms, NOW)
        assert not _cut_by_codex(told.text)
        assert max(len(told.text.encode()) / 10_000, told.tokens / CLIENT_TOKENS) > 0.75


def test_a_budget_too_small_for_anything_gives_nothing() -> None:
    assert packed(notes(3), 20).text == ""
    assert packed([], 2_000).text == ""


CROWDED = Exact("crowded", lambda text: len(text.split()) + text.count("\n") ** 2)
"""Counts more for many lines together than for each alone."""


def test_where_all_together_take_more_than_each_alone_the_last_are_given_up() -> None:
    ranked = notes(30)
    result = packed(ranked, 700, counter=CROWDED)
    assert 0 < result.tokens <= 700
    assert ranked[0].id in result.costs
    assert Reason(Verdict.BUDGET_FULL) in result.reasons.values()


def test_there_is_room_for_the_list_of_what_is_left_out() -> None:
    short = [observation(f"word{n}", n) for n in range(1_500)]
    assert "more, not shown:" in packed(short, 2_000, counter=WORDS).text


def test_what_the_characters_leave_out_is_left_out_before_it_is_tried() -> None:
    result = packed(notes(40), 20_000, characters=3_000)
    assert Reason(Verdict.BUDGET_FULL) not in result.reasons.values()


@pytest.mark.parametrize("budget", [2_000, 4_000, 8_000])
def test_of_much_that_is_left_out_as_many_are_listed_as_room_is_kept_for(budget: int) -> None:
    listed = packed(notes(600, size=3), budget).text.partition("more, not shown:")[2]
    assert listed.count("\n") >= budget // 600


def _of_all_sizes() -> list[Observation]:
    """Notes of a few words up to many lines; some of changes, several of the same file."""
    told = []
    for n in range(26):
        about = f"shop/part{n % 4}.py: " if n % 3 == 0 else ""
        told_of = "of leases that end, and of the queue, " * (n * 7 % 11)
        words = f"{about}Note {n} tells {told_of}and ends."
        lines = "\n".join([words, *(f"- point {at} of {n}: it waits" for at in range(n % 6))])
        category = "code_change" if about else ("decision", "key_fact", "lesson")[n % 4 % 3]
        made = observation(lines, n, days=n, category=category)
        told.append(made._replace(summary=lines[: 20 + 9 * (n % 5)] + "…"))
    return told


def _in_short(result: Packed, observations: Sequence[Observation]) -> str:
    """What is in, with its words and tokens, what is out and why, and the last lines."""
    numbers = {it.id: at for at, it in enumerate(observations)}
    told = [
        f"{numbers[known]}:{len(words.split())}/{result.costs[known]}{'…' * words.endswith('…')}"
        for known, words in result.told.items()
    ]
    out = [
        f"{numbers[known]}:{why.verdict}{f' {why.needs}>{why.left}' if why.needs else ''}"
        for known, why in result.reasons.items()
    ]
    listed = result.text.partition(" more, not shown:")[2].count("\n")
    return (
        f"{result.tokens} tokens, {len(result.text)} characters, {result.packaging:.3f} packaging,"
        f" {listed} listed; in {' '.join(told)}; out {' '.join(out)}"
    )


@pytest.mark.parametrize("tokens", [90, 300, 700, 1_500])
def test_what_surely_does_not_fit_is_left_out_as_it_would_be_if_it_were_counted(
    tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, skipped = _of_all_sizes(), []
    exceeds = _Added.exceeds

    def noted(sizes: _Added, text: str, left: int) -> bool:
        skipped.append(exceeds(sizes, text, left))
        return skipped[-1]

    monkeypatch.setattr(_Added, "exceeds", noted)
    found = packed(told, tokens)
    assert any(skipped)
    monkeypatch.setattr(_Added, "exceeds", lambda *_: False)
    assert packed(told, tokens) == found


@pytest.mark.parametrize("profile", ["memtui", "agentx"])
def test_what_goes_into_each_budget(profile: str, snapshot: SnapshotAssertion) -> None:
    told = _of_all_sizes()
    pinned = frozenset({told[7].id})
    lines = [
        f"{tokens} tokens, {characters} characters: "
        + _in_short(
            packed(told, tokens, profile=profile, characters=characters, pinned=pinned), told
        )
        for tokens, characters in (
            *((tokens, None) for tokens in range(40, 1_900, 93)),
            *((2_000, characters) for characters in range(150, 2_200, 205)),
        )
    ]
    assert "\n".join(lines) == snapshot


def test_a_budget_is_as_small_as_the_channel_lets_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "_channel_limits", lambda _: ChannelLimits(500))
    assert [limits_of("any", budget).tokens for budget in (400, 500, 600)] == [400, 500, 500]


@pytest.mark.parametrize("tokens", [900, 1_800, 2_700])
def test_a_note_that_is_told_is_in_no_index(tokens: int) -> None:
    found = packed(notes(60, 6), tokens)
    assert found.text.count("\n") > len(found.told), "there is an index"
    assert [found.text.count(it[-4:]) for it in found.told] == [1] * len(found.told)


def test_what_is_told_first_stands_alone_where_it_fits() -> None:
    extras = Extras((), ("Recovering:", "a b c"), "")
    for tokens, fits in ((200, True), (5, False)):
        terms = Terms(PROFILES["memtui"], Limits(tokens), estimate(), lambda it: it.id)
        assert ("a b c" in pack([], terms, extras=extras).text) is fits
