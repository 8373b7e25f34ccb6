"""Sentences on both sides of what tells them apart, function by function."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from store.agents.session import Session
from store.agents.transcript import Message, Speaker
from store.capture import handoff
from store.capture.candidate import Candidate
from store.capture.changes import asked, change_layout
from store.capture.checks import procedures
from store.capture.decisions import answers, endorsed
from store.capture.findings import findings
from store.capture.plan import _Filing, _known
from store.capture.requests import request, rulings
from store.capture.text import accounts, causes, chatter, facts, review_text
from store.model import Category
from tests.store.factories import NOW, observation

BROKEN = "The till is broken and shows the wrong sum in the list."
FOUND = "The till `load()` reads `prices.json` before the lock is held."
OTHER = "There is a `load()` in the till that reads all of it."
LIMIT = "The `till` only needs one lock for all of its rows."
SINCE = "No, that is common. The bank is the truth, since `till.py` may lose its sums."
WHY = "It fails because `load()` reads the till before it is locked."


def _after_found(text: str) -> list[str]:
    return list(causes._after_found(text))


def _restated(text: str) -> list[str]:
    return endorsed._restated(text.split(" / "))


ROWS: list[tuple[Callable[[str], object], object, list[str]]] = [
    (_after_found, [FOUND], [f"Found it! {FOUND}", f"Found it! No `x`. {FOUND}"]),
    (_after_found, [OTHER], [f"Found it! {OTHER}", f"Found it! Let me look at `load()`. {OTHER}"]),
    (_after_found, [], [
        "Found it! No `x`.",
        "Found it! Now I'll look at `load()` in the till once more.",
        "Found it! `load()` `save()` `till.py` `x` `y` `z_a`.",
        FOUND,
    ]),
    (causes._tells_how_it_is, True, [LIMIT]),
    (causes._tells_how_it_is, False, [
        f"Now I'll check: {LIMIT}",
        f"Expected: {LIMIT.lower()}",
        "The commit is done and the `till` only needs a push now.",
        LIMIT.replace(".", "?"),
        "The `till` has one lock for all of its rows.",
    ]),
    (causes._tells_why, True, [WHY]),
    (causes._tells_why, False, [WHY.replace("()`", "()"), WHY.replace(".", ":")]),
    (chatter.is_empty, True, ["Done.", "All done!"]),
    (chatter.is_empty, False, ["The till is locked.", "That's it."]),
    (chatter.is_progress, True, ["All tests pass now.", "Committed as a1b2c3d."]),
    (chatter.is_progress, False, ["The till is locked.", "Next, the till."]),
    (facts.answers_at_once, True, ["Yes, the till waits.", "No. It does not."]),
    (facts.answers_at_once, False, ["The till waits."]),
    (facts._says_limit, True, ["It never waits.", "It waits, otherwise rows get lost."]),
    (facts._says_limit, False, ["It waits for the till."]),
    (findings._is_told_whole, True, ["The `till` waits for its lock in all of the rows it has."]),
    (findings._is_told_whole, False, [
        "Does the `till` wait for its lock in all of the rows it has?",
        "I'll let the `till` wait for its lock in all of the rows.",
        "The `till` waits for the commit of its branch in all rows it has.",
    ]),
    (rulings.is_firm, True, ["No, only tabs, since they are shorter, never spaces."]),
    (rulings.is_firm, False, ["No, only tabs.", "Never use spaces, always tabs, no exceptions."]),
    (rulings._is_other, True, ["Commit the till to the branch."]),
    (rulings._is_other, False, ["Always commit the till to a branch.", "Use the till."]),
    (answers._teaches_nothing, True, [
        "The user doesn't want to proceed",
        "The user wants to clarify the till",
        "Why not tabs?",
    ]),
    (answers._teaches_nothing, False, ["Use tabs.", "Use tabs instead of spaces, ok?"]),
    (answers._holds, True, ["Always use tabs.", "never do that again without asking"]),
    (answers._holds, False, ["Not now.", "How about tabs?"]),
    (endorsed._gives_reason, True, ["It waits because rows get lost.", "It must never wait."]),
    (endorsed._gives_reason, False, ["It waits."]),
    (_restated, ["The till must wait."], ["Done. / the till must wait", "The till must wait."]),
    (_restated, [], ["Great! / It waits", "Done."]),
    (asked._says_whats_wrong, True, [BROKEN]),
    (asked._says_whats_wrong, False, [BROKEN.replace(".", "?"), f"{BROKEN[:-1]}{', all' * 90}."]),
    (change_layout.done_of, "Added `load()` to the till.", [
        "Added `load()` to the till.",
        "Added `load()` to the till. Renamed `x to y.",
    ]),
    (accounts._tells_how, True, ["lock the till before `load()` reads it", "write `load()` anew"]),
    (accounts._tells_how, True, ["add a lock to the till"]),
    (accounts._tells_how, False, ["write the tests", "create till.py"]),
    (accounts._is_small, True, ["Done it now.", "18 files, +1,022 lines", "4 rows wait."]),
    (accounts._is_small, False, [
        "3 rows and 4 tills of the shop that wait for a lock now",
        "The till waits for the lock now.",
        "Added `load()`.",
    ]),
    (review_text.named_faults, [], [
        "Consider a lock: `till.py:4` is wrong and loses rows.",
        "`till.py:9` is fine, nothing is wrong.",
        "`till.py:4` is wrong and loses rows:",
    ]),
    (answers._holds, True, ["from now on. The rows stay as they are."]),
    (chatter.is_empty, True, ["Fixed."]),
    (facts.direct_answer, SINCE, [SINCE]),
    (facts.direct_answer, "", [SINCE.replace("since", "and").replace("may lose", "has")]),
    (findings._asks_or_plans, True, ["<proposed_plan>"]),
    (findings._asks_or_plans, False, ["The till waits."]),
    (accounts.closing_account, "", ["v1 ends twelve months from 2026-02-05."]),
    (procedures._subject, ("pick", frozenset(), ""), ["pick"]),
    (handoff._is_open, True, ["We still need to lock the till."]),
    (handoff._is_open, False, ["still need to ", "I'll still need to lock the till next."]),
    (request._leads_in, True, ["Do it", f"{BROKEN * 20}:"]),
    (request._leads_in, False, [BROKEN * 20]),
    (review_text.named_faults, ["`till.py:4` is wrong and loses rows."], [
        "`till.py:4` is wrong and loses rows.",
    ]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("tell", "told", "text"), [(tell, told, text) for tell, told, texts in ROWS for text in texts]
)
def test_what_tells_sentences_apart(tell: Callable[[str], object], told: object, text: str) -> None:
    assert tell(text) == told


def test_a_file_is_named_by_its_name_or_a_long_beginning() -> None:
    told = [("till.py", "the till.py reads"), ("inventory_loader.py", "the inventory_loader reads")]
    assert all(findings._is_named(*it) for it in told)
    assert not findings._is_named("till.py", "the till reads")
    assert not findings._is_named("inventory_loader.py", "the inventory reads")


def test_what_was_captured_is_dated_by_itself_then_by_the_end_of_its_session() -> None:
    filing = _Filing(Session(id="s"), "engineer", 29, NOW)
    said = Message(line=1, at=NOW - timedelta(days=1), speaker=Speaker.USER, text="Tabs.")
    ended = filing._replace(session=Session(id="s", said=(said,)))
    candidate = Candidate(Category.DECISION, "Tabs.", 1, "")
    later = candidate._replace(at=NOW - timedelta(days=2))
    ((first,), _), ((second,), _), ((third,), _) = (
        it.observations([made])
        for it, made in ((filing, candidate), (ended, candidate), (ended, later))
    )
    dates = [it.observation.timestamp for it in (first, second, third)]
    assert dates == [NOW, NOW - timedelta(days=1), NOW - timedelta(days=2)]
    blank = candidate._replace(content="<private>x</private>")
    assert filing.observations([blank])[0] == []


def test_procedures_that_were_archived_or_replaced_do_not_stand() -> None:
    held = [
        observation("One", id="a", category="procedure"),
        observation("Two", id="b", category="procedure", archived=True),
        observation("Three", id="c", category="procedure"),
        observation("Four", id="d", category="lesson", sources=("c",)),
        observation("Five", id="e", category="code-change", session_id=""),
        observation("Six", id="f", category="code-change", session_id="s"),
        observation("Seven", id="g", category="code-change", session_id="t"),
    ]
    known = _known(Session(id="s"), held)
    assert (dict(known.standing), known.changes) == ({"a": "One"}, ("Six",))
    assert (known.files, known.marks) == ("Five\nSeven", frozenset({"c"}))
    assert known.procedures == "One\nTwo\nThree"
    assert _known(Session(id=""), held).changes == ()
