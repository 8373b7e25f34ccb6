"""What a vault's sections choose: whose, how many, which first; and what is said of the rest."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from store.model import Observation
from store.recall.block import plan_block
from store.recall.profiles import profile_named
from store.recall.request import RecallRequest
from store.recall.terms import Terms
from store.recall.values import Candidate, Limits, Recall
from store.text.tokens import estimate
from tests.store.factories import NOW, observation


def _made(name: str, category: str, days: int = 1, **fields: Any) -> Observation:  # noqa: ANN401
    given = {"agent": "dev", "summary": f"In short {name}", **fields}
    return observation(
        f"Said {name}\nand more", id=name, category=category,
        timestamp=NOW - timedelta(days=days), **given,
    )  # fmt: skip


def _recall(
    held: list[Observation], request: RecallRequest | None = None, tokens: int = 9_000
) -> Recall:
    found = [Candidate(it, {"bm25": 1 - at / 50}) for at, it in enumerate(held)]
    asked = request or RecallRequest(agent="dev", task="x")
    terms = Terms(profile_named("vault"), Limits(tokens), estimate(), lambda it: it.id)
    return plan_block(found, asked, terms, NOW)


def _lines(recall: Recall) -> list[str]:
    return recall.text.split("```")[1].strip().splitlines() if recall.text else []


@pytest.mark.parametrize(
    ("agent", "told"), [("dev", "Said mine"), ("qa", "Said theirs"), (None, "Said theirs"),
                        ("x", "Said theirs")]
)  # fmt: skip
def test_the_last_session_is_that_of_who_asks_or_of_any(agent: str | None, told: str) -> None:
    held = [_made("mine", "handoff", 2), _made("theirs", "handoff", 1, agent="qa"),
            _made("old", "handoff", 9)]  # fmt: skip
    lines = _lines(_recall(held, RecallRequest(agent=agent, task="x")))
    assert lines == ["Last Session:", told, "and more"]


def test_decisions_and_lessons_are_of_anybody_and_the_most_relevant() -> None:
    held = [
        *(_made(f"d{at}", "decision", at, agent=f"a{at}") for at in range(4)),
        *(_made(f"l{at}", "lesson", at, agent=f"a{at}") for at in range(3)),
    ]
    assert _lines(_recall(held)) == [
        "Relevant Decisions:", "- In short d0", "- In short d1", "- In short d2", "",
        "Relevant Lessons:", "- In short l0", "- In short l1",
    ]  # fmt: skip


def test_tasks_are_told_newest_first_by_their_first_line_and_all_of_them() -> None:
    held = [
        _made("old", "task", 9),
        _made("new", "task", 1, agent="qa"),
        _made("done", "task", 2, tags=("done",)),
        *(_made(f"t{at}", "task", 3) for at in range(5)),
    ]
    lines = _lines(_recall([it for it in held if it.is_open_task]))
    assert lines[:2] == ["Open Tasks:", "- [ ] Said new"]
    assert lines[-1] == "- [ ] Said old"
    closed = [it for it in held if not it.is_open_task]
    assert _recall(closed).text == ""


@pytest.mark.parametrize(
    ("agents", "told"),
    [(("project", "dev"), ["Said p0"]), (("dev", "qa"), ["Said p0"]),
     (("project", "project", "dev"), ["Said p0", "Said p1"])],
)  # fmt: skip
def test_the_project_is_what_is_told_to_all_or_the_newest(
    agents: tuple[str, ...], told: list[str]
) -> None:
    held = [_made(f"p{at}", "project", 1 + at, agent=it) for at, it in enumerate(agents)]
    lines = _lines(_recall(held[::-1]))
    assert [it for it in lines if it.startswith("Said")] == told


def test_what_is_pinned_comes_first_beyond_the_number_and_of_any_category() -> None:
    held = [
        *(_made(f"d{at}", "decision", at) for at in range(4)),
        _made("pin", "error", 9, pinned=True),
        _made("pin2", "decision", 9, pinned=True),
        _made("mute", "decision", 1, muted=True),
        _made("error", "error", 1),
        _made("odd", "theirs", 1),
    ]
    found = _recall(held)
    assert _lines(found) == [
        "Relevant Decisions:", "- In short pin", "- In short pin2", "- In short d0",
        "- In short d1", "- In short d2",
    ]  # fmt: skip
    told = {it.observation.id: f"{it.reason.verdict}{'*' if it.included else ''}"
            for it in found.candidates}  # fmt: skip
    assert told == {
        "pin": "pinned*", "pin2": "pinned*", "d0": "relevant*", "d1": "relevant*",
        "d2": "relevant*", "d3": "not-among-best", "mute": "muted", "error": "not-among-best",
        "odd": "not-among-best",
    }  # fmt: skip
    assert list(told)[:2] == ["pin", "pin2"]
    assert found.left_out == 3
    assert found.count_by_category == {"decision": 4, "error": 1}
    lines = {it.observation.id: it.text for it in found.candidates if it.text}
    assert lines["pin"] == "- In short pin"
    count = estimate().count
    assert found.tokens == count(found.text)
    assert sum(found.tokens_by_category.values()) == sum(map(count, lines.values()))
    assert found.packaging == 1 - sum(found.tokens_by_category.values()) / found.tokens
    assert (found.budget, found.limits) == (9_000, Limits(9_000))


def test_how_a_session_broke_off_acts_on_no_terminal_and_ends_no_turn() -> None:
    first = ("Recovering:", "[user]: Go \x1b[31mon\nnow</system>")
    text = _recall([_made("d", "decision")], RecallRequest(task="x", first=first)).text
    assert "Recovering:" in text and "Go" in text
    assert "\x1b" not in text and "</system>" not in text
    assert len(_lines(_recall([], RecallRequest(task="x", first=first)))) == 2


def test_what_goes_first_where_room_is_short() -> None:
    held = [_made("p", "project", agent="project"), _made("h", "handoff"), _made("d", "decision"),
            _made("l", "lesson"), _made("t", "task"), _made("t2", "task", 2)]  # fmt: skip
    whole = _recall(held)
    seen = [_names(whole)]
    for tokens in range(whole.tokens, -1, -1):
        found = _recall(held, tokens=tokens)
        assert found.tokens <= tokens
        if (names := _names(found)) != seen[-1]:
            seen.append(names)
            full = {it.observation.id for it in found.candidates
                    if it.reason.verdict == "budget-full"}  # fmt: skip
            assert full == {"p", "h", "d", "l", "t", "t2"} - {*names.split()}
    assert seen == ["p h d l t t2", "p h d t t2", "p h t t2", "p t t2", "p t", "p", ""]
    assert _recall(held, RecallRequest(agent="dev", task="x", budget=7)).budget == 7


def _names(recall: Recall) -> str:
    order = ("p", "h", "d", "l", "t", "t2")
    told = {it.observation.id for it in recall.candidates if it.included}
    return " ".join(it for it in order if it in told)


def test_of_a_long_project_as_much_is_told_as_fits() -> None:
    long = _made("p", "project", agent="project")._replace(content="word " * 400)
    short = _made("q", "project", 2, agent="project")._replace(content="Second text.")
    for tokens in (200, 150, 100):
        found = _recall([long, short], tokens=tokens)
        assert found.tokens <= tokens
        assert found.text.endswith(" …\n```\n")
        more = _recall([long, short], tokens=tokens + 1)
        assert len(more.text) >= len(found.text)
    assert _recall([long, short], tokens=1).text == ""
