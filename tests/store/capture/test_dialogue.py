from __future__ import annotations

import pytest

from store.capture.decisions.amendments import amended_by
from store.capture.decisions.dialogue import settled_decisions
from store.model import Category, Observation
from tests.store.capture.dialogues import session_of
from tests.store.capture.transcripts import ClaudeCode, contents


def decisions(made: ClaudeCode) -> list[str]:
    return contents(made.plan(), Category.DECISION)


def test_what_is_corrected_is_told_in_the_words_that_sum_it_up() -> None:
    made = ClaudeCode().user("Old invoices fill the disk. What can we do about it?")
    made.agent("I'll delete every invoice that is older than one year. Shall I?")
    made.user("Not delete - the tax office wants them for ten years. Move them to cold storage.")
    made.agent("Understood - invoices older than a year move to cold storage for ten years.")
    made.user("Right.")
    assert decisions(made) == [
        "Invoices older than a year move to cold storage for ten years.\n"
        "The user: Not delete - the tax office wants them for ten years."
    ]


def test_what_is_reported_after_work_is_no_decision() -> None:
    made = ClaudeCode().user("Something corrupts the index").agent("It may be the collector.")
    made.user("yeah, but it should only run once a day").bash("git count-objects", "12")
    made.agent(
        "Logged as [ENT-1](https://example.org/ENT-1): the collector should only run once a day."
    )
    assert not any("Logged" in each for each in decisions(made))


def test_a_short_answer_is_explained_by_the_reply() -> None:
    made = ClaudeCode().user("The gateway blocks us now and then, we ask too often")
    made.agent("I can pause between two requests. How many of them may we send in a minute?")
    made.user("Forty. Forty one trips it.")
    made.agent("So the limit is exactly 40 requests a minute, since 41 trips the gateway.")
    made.user("leave it at that")
    (decision,) = decisions(made)
    assert decision.startswith("The limit is exactly 40 requests a minute, since 41 trips")


def test_a_recap_holds_what_was_settled_on_the_way_with_the_reasons() -> None:
    made = ClaudeCode().user("Search is slow and shows deleted pages")
    made.agent("I'll cache each result for an hour. Should titles weigh more than bodies?")
    made.user("Titles weigh double, never more - at three times, lists drown the manual.")
    made.agent("Double it is. Should deleted pages stay in the index until night?")
    made.user("No, a deleted page must leave the index at once, legal insists on it.")
    made.agent(
        "Recap of search: titles weigh double, bodies single; a deleted page leaves the index"
        " at once; each result is cached for an hour."
    )
    (decision,) = decisions(made)
    assert decision.startswith("Recap of search: titles weigh double, bodies single; a deleted")
    assert "lists drown the manual" in decision
    assert "legal insists on it" in decision


def test_a_ruling_that_nobody_repeats_is_told_with_the_question() -> None:
    made = ClaudeCode().user("Add a log to the importer").edit("importer.py")
    made.agent("Done. Should each row be logged at info level?")
    made.user("No, only one line a file - a row each would drown the collector.")
    for file in ("a.log", "b.log", "c.log", "d.log"):
        made.bash(f"wc -l {file}", "12")
    made.agent("The importer is quiet now.")
    assert decisions(made) == [
        "No, only one line a file - a row each would drown the collector.\n"
        "On: Should each row be logged at info level?\n"
        "Changed in this session: importer.py."
    ]


def test_a_rule_that_holds_from_now_on_is_a_lesson() -> None:
    made = ClaudeCode().user("Always write the date as year, month, day.")
    made.agent("I have done it so in the header.").user("always write the date as year, month, day")
    plan = made.plan()
    assert contents(plan, Category.LESSON) == ["Always write the date as year, month, day."]
    lesson = next(e.observation for e in plan.kept if e.observation.category == Category.LESSON)
    assert lesson.seen_count == 2


def test_talk_that_settles_nothing_leaves_nothing() -> None:
    made = ClaudeCode().user("Did you see how `split` works?")
    made.agent("Yes, it cuts at each blank. It might be slow for long texts, should we measure?")
    made.user("Interesting, I think that would be nice at some point.").agent("Agreed!")
    assert decisions(made) == []


def test_a_form_that_was_filled_in_is_no_decision() -> None:
    form = "repo: a/b\nbase: 1c2\nproblem: it never ends, because: the loop is not left"
    assert decisions(ClaudeCode().user(f"Fix this:\n{form}").edit("a.py").agent("Done.")) == []
    assert decisions(ClaudeCode().user("Only cents, never euros, because: they lose parts."))


def test_what_points_at_something_unsaid_or_was_told_by_another_agent_settles_nothing() -> None:
    made = ClaudeCode().user("Look for what the importer forgets").agent("It keeps every row.")
    made.user("This should be addressed in the second step, not in 3 others.").edit("importer.py")
    report = "From now on only 2 rows are kept, never 3."
    made.user(f'<teammate-message teammate_id="tester">\n{report}\n</teammate-message>')
    made.agent("Waiting for the others.")
    assert decisions(made) == []
    assert contents(made.plan(), Category.LESSON) == []


def test_a_decision_names_the_one_that_it_changes() -> None:
    held = Observation(
        id="obs-1",
        agent="engineer",
        issue_number=29,
        category=Category.DECISION,
        session_id="earlier",
        content="Duplicate contacts: the record with the newest date wins, keyed by email.",
    )
    made = ClaudeCode().user("Change of the rule for contacts: newest wipes phone numbers")
    made.agent("So the fuller record should win over the newest date. Shall I?")
    made.user("Yes, but a tie must keep ours - we are the source, not the feed.")
    made.agent(
        "Amended rule, superseding newest date: duplicate contacts are keyed by email; the fuller"
        " record wins, and a tie keeps ours."
    )
    plan = made.plan((held,))
    (decision,) = [each for each in plan.kept if each.observation.category == Category.DECISION]
    assert decision.observation.sources[-1] == "obs-1"
    other = decision.observation._replace(content="Amended rule: the menu closes at once now.")
    assert amended_by(other, (held,)) == ""


def test_what_holds_is_told_in_own_words_where_the_agent_said_otherwise_before() -> None:
    made = ClaudeCode().user("How do I get rid of the question for the lock's word?")
    advice = "A key of the till can lock the rows, so that no word is asked. I'd use a key file."
    made.agent(f"{advice} Which do you prefer?")
    made.user("I do not want to lock rows anymore. Too much work.").agent("Locks are off now.")
    (rule,) = contents(made.plan(), Category.LESSON)
    assert rule == "I do not want to lock rows anymore. Too much work."


@pytest.mark.parametrize(
    ("said", "is_told"),
    [
        ("we must dim the lamps..so the clerks can see", False),
        ("we must dim the lamps of `till.py`, so the clerks can see", True),
        ("No, only one lamp at a time - two of them blind the clerks.", True),
    ],
)
def test_in_a_working_session_a_ruling_names_something_or_is_firm(said: str, is_told: bool) -> None:
    made = ClaudeCode().user("Add lamps to the till").edit("lamps.py").agent("Done.").user(said)
    made.bash("ls", "lamps.py").agent("They are off now.")
    assert bool(decisions(made)) is is_told


def test_what_a_person_asked_beside_is_no_part_of_what_was_settled() -> None:
    text = (
        "USER Change of the rule for contacts: newest wipes phone numbers\n"
        "AGENT So the fuller record should win over the newest date. Shall I?\n"
        "USER Yes, but a tie must keep ours - we are the source, not the feed. Does anybody know"
        " how many phone numbers were wiped last week?\n"
        "AGENT Amended rule, superseding newest date: duplicate contacts are keyed by email; the"
        " fuller record wins, and a tie keeps ours.\n"
    )
    (found,) = settled_decisions(session_of(text))
    assert found.content.endswith("we are the source, not the feed.")


@pytest.mark.parametrize(("others", "is_told"), [(12, True), (13, False)])
def test_a_ruling_is_restated_within_fourteen_messages(others: int, is_told: bool) -> None:
    said = "USER Close it\nAGENT Shall the till of `till.py` wait for the printer?\n"
    said += "USER The till of `till.py` must never wait for the printer of the shop.\n"
    said += "AGENT Hm.\n" + "USER Go on\n" * others
    said += "AGENT Recap: the till of `till.py` never waits, whatever the printer says.\nUSER ok"
    (decision,) = settled_decisions(session_of(said))
    assert ("whatever" in decision.content) is is_told


_RULED = (
    "USER Close it\nAGENT Shall the till of `till.py` wait for the printer of the shop?\n"
    "USER The till of `till.py` must only wait for the drawer of the shop.\n"
)
_MORE = "USER Receipts of `receipts.csv` must only be read by the auditors of the state.\n"
_ALWAYS = "USER From now on receipts of `receipts.csv` are only read by the auditors.\n"
_TOLD = ("Wait only for the drawer of the shop in `till.py`", "Sort the cart")
_BOTH = (
    "AGENT Recap: the till of `till.py` only waits for the drawer of the shop, and receipts of"
    " `receipts.csv` are only read by the auditors of the state.\nUSER ok"
)


@pytest.mark.parametrize(
    ("said", "told_in_changes", "told"),
    [
        (_RULED + _BOTH, (), 1),
        (_RULED + _BOTH, _TOLD[:1], 0),
        (_RULED + _BOTH, ("Sort the cart", *_TOLD[:1]), 0),
        (_RULED + _BOTH, ("Sort the cart",), 1),
        (_RULED + _MORE + _BOTH, _TOLD[:1], 1),
        (_RULED + _MORE + _BOTH, ("Receipts of receipts.csv: auditors of the state", *_TOLD), 0),
        (_RULED + _MORE, (), 2),
        (_RULED + _MORE, _TOLD[:1], 1),
        (_RULED + _ALWAYS, ("Receipts of receipts.csv are only read by auditors", *_TOLD), 1),
    ],
)
def test_what_a_change_tells_is_told_once_unless_it_holds_from_now_on(
    said: str, told_in_changes: tuple[str, ...], told: int
) -> None:
    assert len(list(settled_decisions(session_of(said), told_in_changes))) == told
