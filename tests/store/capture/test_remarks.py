"""Which sentences make a remark: what they are worth, what they join, and which are told."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from store.agents.transcript import Message, Speaker
from store.capture.candidate import Candidate, Known
from store.capture.findings import remarks as module
from store.capture.findings.remarks import _best, _news, _Point, _point_of, remarks
from store.capture.requests.request import Request, exchanges_of, requests_of
from store.capture.text.value import Kind, Sentence
from store.model import Category
from store.text.content_words import content_words
from tests.store.capture.dialogues import session_of

SAID = Message(4, Speaker.AGENT, "", None)
_WORTH, _TAUGHT = re.compile(r"(-?\d+\.\d)"), re.compile(r"\((-?\d)\)")


@pytest.fixture(autouse=True)
def _worth(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence is worth the number with a point that stands in it, and teaches what is in a
    bracket, else 2.
    """

    def value(sentence: Sentence) -> float:
        found = _WORTH.search(sentence.text)
        return float(found[1]) if found else -9.0

    def teaches(sentence: str) -> int:
        found = _TAUGHT.search(sentence)
        return int(found[1]) if found else 2

    monkeypatch.setattr(module, "value_of", value)
    monkeypatch.setattr(module, "teaches", teaches)
    monkeypatch.setattr(module, "is_found_out", lambda it: "found out" in it)


def _block(*texts: str, speaker: Speaker = Speaker.AGENT) -> list[Sentence]:
    return [Sentence(text, speaker, "", Kind.TEXT, 1, at, False) for at, text in enumerate(texts)]


def _point(*texts: str, speaker: Speaker = Speaker.AGENT) -> _Point | None:
    return _point_of(_block(*texts, speaker=speaker), SAID)


GOOD = "Rows of `till.py` are kept in cents by the bank of the shop 1.0."
FAIR = "Sums of `bank.py` are kept in floats by the clerk of the till -0.9."
POOR = "Coins of `cart.py` are kept in boxes by the cook of the inn -1.1."
LEANING = "This is kept in boxes, as the bank of the shop says 0.5."
BUSY = "I'll look at the rows of the till in the bank 3.0."


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ((GOOD,), (GOOD,)),
        ((POOR,), ()),
        ((FAIR,), ()),
        ((GOOD.replace("1.0", "-0.3"),), (GOOD.replace("1.0", "-0.3"),)),
        ((GOOD.replace("1.0", "-0.4"),), ()),
        ((FAIR, GOOD, FAIR), (FAIR, GOOD, FAIR)),
        ((POOR, GOOD, POOR), (GOOD,)),
        ((POOR, FAIR, GOOD, POOR, FAIR), (FAIR, GOOD, FAIR)),
        ((POOR, LEANING, FAIR), (POOR, LEANING, FAIR)),
        ((LEANING,), ()),
        ((BUSY, LEANING), ()),
        ((BUSY, GOOD), (GOOD,)),
        ((GOOD, BUSY, FAIR), (GOOD, FAIR)),
        (("Rows stay as they are 2.0.",), ()),
    ],
)
def test_a_point_is_its_best_sentence_with_those_that_join_it(
    texts: tuple[str, ...], told: tuple[str, ...]
) -> None:
    point = _point(*texts)
    assert (point.text if point else "") == " ".join(told)


def test_a_point_is_worth_its_best_sentence_and_counts_what_would_be_marked() -> None:
    point = _point(FAIR, GOOD)
    assert point is not None
    assert (point.value, point.said) == (1.0, SAID)
    one, two = _point(GOOD), _point(GOOD, GOOD)
    assert one is not None and two is not None
    assert two.marked == pytest.approx(2 * one.marked)
    assert one.marked == pytest.approx(0.731, abs=0.001)


def test_a_long_point_loses_its_end_but_never_its_best_sentence() -> None:
    long = [FAIR.replace("floats", f"floats {'of the night ' * 10}{at}") for at in range(3)]
    point = _point(GOOD, *long)
    assert point is not None and point.text == f"{GOOD} {long[0]}"
    point = _point(*long, GOOD)
    assert point is not None and len(point.text) <= 420 and point.text.startswith("Sums")
    assert point.text.endswith("…") and point.value == 1.0
    alone = GOOD.replace("Rows", f"Rows, sums, coins, bills, tills {'of the night ' * 33}")
    point = _point(alone)
    assert point is not None and len(point.text) <= 420 and point.text.endswith("…")


@pytest.mark.parametrize(
    ("text", "by_agent", "by_person"),
    [
        (GOOD, True, True),
        (GOOD.replace(".", "?")[:-1] + "?", False, False),
        (BUSY, False, False),
        ("I have checked the rows of the till at the bank 1.0.", False, True),
        ("> Rows of the till are kept in cents by the bank 1.0.", False, True),
    ],
)
def test_what_the_agent_did_is_no_point_of_its_own(
    text: str, by_agent: bool, by_person: bool
) -> None:
    text = text if "1.0" in text or "3.0" in text else GOOD.replace(".", " 1.0?")
    told = [_point(text, speaker=it) is not None for it in (Speaker.AGENT, Speaker.USER)]
    assert told == [by_agent, by_person]


def _made(text: str, value: float = 1.0, line: int = 4) -> _Point:
    return _Point(text, value, value, 2, SAID._replace(line=line))


def test_the_best_four_points_that_fit_are_told_in_their_order() -> None:
    points = [_made(f"Point {at}", value) for at, value in enumerate((1, 5, 2, 4, 3))]
    assert [it.text[-1] for it in _best(points)] == ["1", "2", "3", "4"]
    long = [_made("a" * 420, 3), _made("b" * 420, 2), _made("c" * 420, 1), _made("d" * 160, 0)]
    assert [it.text[0] for it in _best(long)] == ["a", "b", "d"]
    assert _best([]) == []


def test_of_two_messages_that_say_the_same_the_later_counts() -> None:
    messages = [
        Message(line, Speaker.AGENT, f"{text}\n\n{GOOD}", None)
        for line, text in ((4, FAIR.replace("-0.9", "2.0")), (6, POOR.replace("-1.1", "2.0")))
    ]
    words: list[frozenset[str]] = []
    points = _news(messages, Request(None, ()), words)
    assert [(it.said.line, it.text[:4]) for it in points] == [(4, "Sums"), (6, "Coin"), (6, "Rows")]
    assert len(words) == 3
    assert _news(messages, Request(None, ()), words) == []
    assert len(_news(messages, Request(None, ()), [content_words(GOOD)])) == 2


def _text(*points: str, asked: str = "Mend the lease of the night") -> str:
    said = "\n\n".join(points)
    return f"USER {asked}\nBASH ls\na\nAGENT {said}\n"


def _remarks(
    text: str, told: Sequence[str] = (), known: Callable[[int], bool] = lambda _: False
) -> list[Candidate]:
    session = session_of(text)
    steps = [step for step in session.steps if known(step.call.line)]
    held = Known(marks=frozenset(session.marks(steps)))
    return list(remarks(session, requests_of(exchanges_of(session)), held, told))


NIGHT = "The printer of `paper.py` waits for its clerk at night for an hour 1.5."
DOOR = "Doors of `shop.py` open at eight for who has a key of the house 1.2."


def test_a_remark_tells_its_points_the_best_in_short_and_where_they_stand() -> None:
    (found,) = _remarks(_text(GOOD, NIGHT))
    assert found.content == f"- {GOOD}\n- {NIGHT}\nAsked: Mend the lease of the night"
    assert (found.category, found.summary, found.line) == (Category.KEY_FACT, NIGHT, 6)
    assert found.marks == ("session:s-1#6",)
    two = f"{_text(NIGHT)}BASH ls\na\nAGENT {GOOD}\n"
    (found,) = _remarks(two)
    assert (found.summary, found.passage, found.line) == (NIGHT, NIGHT, 10)
    assert found.marks == ("session:s-1#6", "session:s-1#10")


def test_what_was_asked_is_not_told_where_the_points_say_it() -> None:
    (found,) = _remarks(_text(GOOD, NIGHT, asked="Rows of the till are kept by the bank in cents?"))
    assert "Asked: " not in found.content


@pytest.mark.parametrize(
    ("points", "is_told"),
    [
        ((GOOD, NIGHT), True),
        ((GOOD,), False),
        ((NIGHT.replace("1.5", "9.0"),), False),
        ((GOOD, NIGHT.replace("1.5", "-0.2")), False),
        ((GOOD, NIGHT.replace("1.5", "0.1")), True),
        ((GOOD, NIGHT, DOOR.replace("1.2", "-0.3")), True),
        (
            (GOOD.replace("1.0", "0.5"), NIGHT.replace("1.5", "-0.1"), DOOR.replace("1.2", "-0.1")),
            False,
        ),
        (
            (NIGHT.replace("1.5", "0.3"), DOOR.replace("1.2", "0.3"), GOOD.replace("1.0", "0.3")),
            False,
        ),
    ],
)
def test_points_are_told_where_enough_of_them_would_be_marked_and_most_are_worth_it(
    points: tuple[str, ...], is_told: bool
) -> None:
    assert bool(_remarks(_text(*points))) is is_told


@pytest.mark.parametrize(
    ("taught", "is_told"),
    [
        (("", ""), True),
        (("(1) ", ""), False),
        (("(1) ", "(3) "), True),
        (("(-1) ", "(3) "), False),
        (("(-1) ", "(4) "), True),
        (("(0) found out ", ""), True),
        (("(0) found out ", "(1) "), False),
    ],
)
def test_points_are_told_where_they_teach_something_together(
    taught: tuple[str, str], is_told: bool
) -> None:
    points = [f"{it[:-4]}{how}{it[-4:]}" for it, how in zip((GOOD, NIGHT), taught, strict=True)]
    assert bool(_remarks(_text(*points))) is is_told


@pytest.mark.parametrize("grade", ["High: ", "- Low – ", "**Critical** - ", ""])
def test_what_is_graded_was_found_out(grade: str) -> None:
    points = (f"{grade}{it[:-4]}(0) {it[-4:]}" for it in (GOOD, NIGHT))
    assert bool(_remarks(_text(*points))) is bool(grade)


def test_what_another_part_told_is_no_remark() -> None:
    text = _text(GOOD, NIGHT, DOOR)
    (found,) = _remarks(text, (GOOD,))
    assert found.content.startswith(f"- {NIGHT}\n- {DOOR}")
    assert _remarks(text, (GOOD, NIGHT)) == []


def test_what_an_earlier_capture_has_read_is_no_remark() -> None:
    gate = "Gates of `yard.py` are shut at nine by a guard of the town 1.2."
    text = f"{_text(GOOD, NIGHT)}BASH ls\na\nAGENT {DOOR}\n\n{gate}\nBASH ls\na\n"
    whole = [f"- {it}" for it in (GOOD, NIGHT, DOOR, gate)]
    for read, told in ((0, whole), (4, whole), (8, whole[2:]), (12, [])):
        found = _remarks(text, known=read.__eq__)
        assert [it for each in found for it in each.content.split("\n")[:-1]] == told


def test_a_message_that_a_memory_rests_on_is_no_remark_again() -> None:
    session = session_of(f"{_text(GOOD, NIGHT)}BASH ls\na\nAGENT {DOOR}\n")
    requests = requests_of(exchanges_of(session))
    (found,) = remarks(session, requests, Known(), [])
    assert DOOR in found.content
    assert list(remarks(session, requests, Known(marks=frozenset(found.marks)), [])) == []


def test_what_stands_in_the_line_of_a_step_that_was_read_was_read_with_it() -> None:
    session = session_of(_text(GOOD, NIGHT))
    (step,) = session.steps
    session = session._replace(steps=(step._replace(call=step.call._replace(line=6)),))
    known = Known(marks=frozenset(session.marks(session.steps)))
    assert list(remarks(session, requests_of(exchanges_of(session)), known, [])) == []


def test_of_many_remarks_the_three_with_most_in_them_are_told_in_their_order() -> None:
    worth = (1.5, 3.0, 2.0, 2.5)
    names = ("lease", "queue", "drawer", "coupon")
    text = "".join(
        _text(
            f"`{name}.py` keeps {name}rows in {name}boxes of {name}clerks at {name}shops {value}.",
            f"`{name}er.py` opens {name}doors for {name}keys at {name}hours, {name}days {value}.",
            asked=f"Mend the {name} of all the shops at night",
        )
        for name, value in zip(names, worth, strict=True)
    )
    assert [it.content.split("`")[1] for it in _remarks(text)] == [
        "queue.py",
        "drawer.py",
        "coupon.py",
    ]


RULE = "From now on rows of the till must always be kept in cents, never in floats 2.0."


def test_what_a_person_lays_down_is_a_decision_where_it_rules_something() -> None:
    (found,) = _remarks(
        f"USER {RULE}\nBASH ls\na\nAGENT Ok.\nUSER ok\nAGENT Ok.\n".replace("2.0", "4.0")
    )
    assert found.category == Category.DECISION
    assert found.content == RULE.replace("2.0", "4.0")
    assert _remarks(f"USER {GOOD.replace('1.0', '9.0')}\nBASH ls\na\nAGENT Ok.\n") == []
