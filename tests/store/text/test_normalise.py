"""What texts say: facts, dates, and how alike they are."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.text.facts import facts_of, has_fact, statements
from store.text.normalise import Kind, chunks, normalise, tokens
from store.text.relative_dates import dates_meant, with_dates
from store.text.roots import root
from store.text.similarity import is_reordered, near_duplicates
from store.text.vocabulary import UNITS


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Fixed the  Lock\ttimeout.", "fixed the lock timeouts"),
        ("retry after 30 seconds", "Retry after 30s"),
        ("retry five times", "retry 5 times"),
        ("at most 1,000 tokens", "at most 1000 tokens"),
        ("half: 50 percent", "half: 50%"),
        ("decided on 27 February 2026", "decided on 2026-02-27"),
        ("decided on Feb 27th, 2026", "decided on 2026/02/27"),
        ("seen 2026-02-27T10:00:00Z", "seen 2026-02-27"),
        ("see ./src/lock.py", "see /home/ann/project/src/lock.py"),
        ("see src\\lock.py", "see src/lock.py"),
        ("repair the config", "fix the configuration"),
        ("don't use it", "never use it"),
        ("ﬁle “x”", "file x"),
    ],
)
def test_rewordings_compare_equal(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


def test_a_number_in_words_is_that_number_and_its_unit_in_any_spelling_that_unit() -> None:
    words = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    for number, word in enumerate(words, 2):
        assert normalise(f"after {word} tries") == normalise(f"after {number} tries")
    for spelling, unit in UNITS.items():
        assert normalise(f"wait 7 {spelling} more") == normalise(f"wait 7{unit} more")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("timeout is 5 s", "timeout is 30 s"),
        ("timeout is 5 s", "timeout is 5 ms"),
        ("use tabs", "do not use tabs"),
        ("see src/lock.py", "see src/gate.py"),
        ("on 2026-02-27", "on 2026-02-28"),
        ("call open_memory", "call close_memory"),
        ("v1.2.3", "v1.2.4"),
    ],
)
def test_different_statements_stay_different(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("in src/store/lock.py:120.", Kind.PATH, "src/store/lock.py"),
        ("the manifest.json file", Kind.PATH, "manifest.json"),
        ("of C:\\work\\a.txt", Kind.PATH, "work/a.txt"),
        ("the .gitignore", Kind.PATH, ".gitignore"),
        ("by `LockTimeout`", Kind.IDENTIFIER, "locktimeout"),
        ("with --dry-run", Kind.IDENTIFIER, "--dry-run"),
        ("store.open_memory()", Kind.IDENTIFIER, "store.open_memory"),
        ("utf-8 text", Kind.IDENTIFIER, "utf-8"),
        ("at https://example.org/a?b=1.", Kind.IDENTIFIER, "https://example.org/a?b=1"),
        ("version v1.2.3", Kind.NUMBER, "1.2.3"),
        ("took 3.5 ms", Kind.NUMBER, "3.5ms"),
        ("May 8, 2023", Kind.DATE, "2023-05-08"),
    ],
)
def test_pieces_are_told_apart(text: str, kind: Kind, value: str) -> None:
    assert value in [
        token.value for chunk in chunks(text)[0] for token in tokens(chunk) if token.kind is kind
    ]


def test_root_strips_inflection() -> None:
    assert root("Configurations") == root("configuration") != root("config")
    assert root("retries") == root("retry")
    assert root("stopped") == root("stopping") == root("stop")


@settings(max_examples=10)
@given(st.text(alphabet=st.characters(exclude_categories=["N", "Cs"]), max_size=300))
def test_any_text_has_a_common_form_without_case(text: str) -> None:
    form = normalise(text)
    assert form == form.casefold()
    assert normalise(text.replace(" ", "  ").replace("\n", "\n\n")) == form


# facts


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("The lock waits 30 s.", "Locks wait 30 seconds, then give up."),
        ("Fixed src/lock.py", "fixed /home/ann/src/lock.py by jitter"),
        ("Fixed lock.py", "fixed src/lock.py"),
        ("Calls open_memory", "it calls store.open_memory"),
        ("Use Textual for the app", "for this app we use textual widgets"),
        ("alpha beta gamma delta epsilon", "alpha beta gamma delta"),
        ("", "anything"),
        ("Let's keep orders in SQLite.", "We keep orders in SQLite."),
    ],
)
def test_kept(fact: str, text: str) -> None:
    assert has_fact(facts_of(text), facts_of(fact))


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("The lock waits 30 s.", "The lock waits 5 s."),
        ("The lock waits 30 s.", "The lock waits 30 ms."),
        ("Fixed src/lock.py", "fixed lock.py"),
        ("Calls open_memory", "calls it"),
        ("We asked Caroline", "we asked"),
        ("Do not use tabs", "use tabs"),
        ("alpha beta gamma delta", "alpha beta gamma"),
    ],
)
def test_not_kept(fact: str, text: str) -> None:
    assert not has_fact(facts_of(text), facts_of(fact))


def test_statements_are_sentences_bullets_and_blocks() -> None:
    text = (
        "# Head\n- One, e.g. This. Two!\n1. Three\n```\ncode. More\n\n```\ntail v1.2 is. `x` ends"
    )
    assert statements(text) == (
        "# Head",
        "One, e.g. This.",
        "Two!",
        "Three",
        "```\ncode. More\n\n```",
        "tail v1.2 is.",
        "`x` ends",
    )
    assert statements("```\nnever closed") == ("```\nnever closed",)


@given(st.text(max_size=200), st.text(max_size=100))
def test_a_text_keeps_itself_whatever_follows(text: str, more: str) -> None:
    assert has_fact(facts_of(text), facts_of(text))
    assert has_fact(facts_of(f"{text}\n{more}"), facts_of(text))


@given(st.text(alphabet="ab C1./`\n-", max_size=120))
def test_statements_lose_no_word(text: str) -> None:
    assert facts_of(text).words == facts_of("\n".join(statements(text))).words


# similarity


def test_near_duplicates_point_at_the_held_twin() -> None:
    held = ["Use tabs for indentation", "Set the timeout to 30 seconds", "Use tabs for indenting"]
    texts = ["set timeout to the 30 s.", "use tabs for indentation!", "Nothing alike at all"]
    assert near_duplicates(texts, held) == [1, 2, None]
    assert near_duplicates(texts, []) == [None, None, None]
    assert near_duplicates([], held) == []


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("Set the timeout to 5 s", "Set the timeout to 30 s"),
        ("Do not use tabs for indentation", "Use tabs for indentation"),
        ("Use tabs for indentation", "Do not use tabs for indentation"),
        ("Wrapped the call in src/a.py by a lock", "Wrapped the call in src/b.py by a lock"),
        ("Write dates as day, month, year", "Write dates as year, month, day"),
    ],
)
def test_what_says_more_or_the_opposite_is_no_twin(text: str, held: str) -> None:
    assert near_duplicates([text], [held], threshold=50) == [None]


# The order of words: what moves without saying anything else, and what does not.

_SENTENCE = st.lists(st.sampled_from("bcdfghjkmnpq"), min_size=2, max_size=6).map(" ".join)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Write dates as year, month, day", "No, write the dates as day, month, year"),
        ("Use Docker, not Podman", "Use Podman, not Docker"),
        ("Run the linter before the tests", "Run the tests before the linter"),
        ("Migrate from the old index to the new index", "Migrate from the new index to the old"),
        ("Prefer speed over size, measured twice", "Prefer size over speed, measured twice"),
    ],
)
def test_words_that_changed_places_say_something_else(one: str, other: str) -> None:
    assert is_reordered(one, other)
    assert is_reordered(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Fix the lock in src/a.py", "in ./src/a.py: repaired the lock"),
        ("The cache is capped at 7, measured", "Measured: the cache is capped at 7"),
        ("Always run the linter first", "run the linter always first, please"),
        ("Use tabs. Keep lines short.", "Keep lines short. Use tabs."),
        ("Use tabs for indentation", "Use tabs for all indentation here"),
        ("Run the linter. Run the tests too.", "Run the linter."),
        ("Requests a minute at which it closes: 41, we heard", "It closes at 41 requests a minute"),
        ("", "Use tabs"),
        ("tabs", "tabs"),
    ],
)
def test_clauses_and_added_words_say_the_same(one: str, other: str) -> None:
    assert not is_reordered(one, other)
    assert not is_reordered(other, one)


@given(
    st.lists(_SENTENCE, max_size=4).flatmap(lambda it: st.tuples(st.just(it), st.permutations(it)))
)
def test_sentences_may_stand_in_any_order(told: tuple[list[str], list[str]]) -> None:
    assert not is_reordered(". ".join(told[0]), ". ".join(told[1]))


# relative_dates


WEDNESDAY = datetime(2026, 2, 11, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("The server broke yesterday.", "The server broke yesterday (2026-02-10)."),
        ("since last Friday", "since last Friday (2026-02-06)"),
        ("since last wednesday", "since last wednesday (2026-02-04)"),
        ("the release is next Monday", "the release is next Monday (2026-02-16)"),
        ("two weeks ago we moved", "two weeks ago (2026-01-28) we moved"),
        ("3 days ago", "3 days ago (2026-02-08)"),
        ("a month ago", "a month ago (January 2026)"),
        ("last year", "last year (2025)"),
        ("next month", "next month (March 2026)"),
        ("this week", "this week (week of 2026-02-09)"),
        ("last night", "last night (2026-02-10)"),
        ("this Friday, last Thursday", "this Friday (2026-02-13), last Thursday (2026-02-05)"),
        ("next wednesday", "next wednesday (2026-02-18)"),
        ("this past monday", "this past monday (2026-02-09)"),
        ("the day before yesterday", "the day before yesterday (2026-02-09)"),
        ("the day after tomorrow", "the day after tomorrow (2026-02-13)"),
        ("tonight, tomorrow", "tonight (2026-02-11), tomorrow (2026-02-12)"),
        ("a few days ago", "a few days ago (2026-02-08)"),
        ("a couple of weeks ago", "a couple of weeks ago (2026-01-28)"),
        ("2 years ago", "2 years ago (2024)"),
        ("14 months ago", "14 months ago (December 2024)"),
        ("in two weeks time", "in two weeks (2026-02-25) time"),
        ("in 3 days from now", "in 3 days (2026-02-14) from now"),
        ("in two weeks it ends", "in two weeks it ends"),
        ("last weekend", "last weekend (2026-02-07)"),
        ("next week", "next week (week of 2026-02-16)"),
        ("next year, last month", "next year (2027), last month (January 2026)"),
        ("yesterday (2026-02-10)", "yesterday (2026-02-10)"),
        ("yesterday's build", "yesterday's build"),
        ("the last item, in a week of work", "the last item, in a week of work"),
    ],
)
def test_relative_dates_get_the_date_they_mean(text: str, dated: str) -> None:
    assert with_dates(text, WEDNESDAY) == dated


@given(st.text(max_size=60), st.datetimes(min_value=datetime(1990, 1, 1)))
def test_dating_twice_changes_nothing(text: str, on: datetime) -> None:
    once = with_dates(f"{text} yesterday and {text} last Monday.", on)
    assert with_dates(once, on) == once
    assert with_dates(text, None) == text


def test_the_days_that_a_text_speaks_of() -> None:
    assert dates_meant("It broke last Friday, and last month too.", WEDNESDAY) == [
        "2026-02-06",
        "January 2026",
    ]
    assert dates_meant("It broke yesterday (2026-02-10).", WEDNESDAY) == ["2026-02-10"]
    assert dates_meant("It is broken, 2026 times.", WEDNESDAY) == []
