from __future__ import annotations

import pytest

from store.capture.requests.rulings import (
    gives_reason,
    in_context,
    is_firm,
    is_readable,
    is_standing,
    rulings_in,
    settles,
)


@pytest.mark.parametrize(
    "text",
    [
        "Always run the linter before you commit.",
        "never touch the generated files",
        "From now on write the tests first.",
        "We never log a customer's name.",
        "please always answer in short sentences",
        "In the future open the pull request as a draft.",
        "Nunca altere os arquivos gerados.",
        "Sempre rode os testes antes do commit.",
        "The list of tills should not be rewritten ever, it is of one day.",
        "Prefer short names of tills and say no more than needed.",
        "I do not want to lock the rows any more by hand.",
        "use uv as the package manager of the shop",
    ],
)
def test_a_rule_that_holds_from_now_on(text: str) -> None:
    assert is_standing(text)
    assert rulings_in(text, answers=False) == (text,)


@pytest.mark.parametrize(
    "text",
    [
        "No, cap it at 7 - the gateway closes after that.",
        "Only the admin may delete an invoice, not the clerk.",
        "use pathlib instead of `os.path`",
        "The menu must stay open while 2 or more rows are marked.",
        "Please don't use mocks in the integration tests.",
        "I'd rather keep our own parser than take a dependency.",
        "we should publish as till.yml given that the bank knows that name",
        "I greatly value short lists of rows, since we print them.",
        "i dont want to use `till close`, it is our last day",
    ],
)
def test_a_sentence_that_settles_something(text: str) -> None:
    assert settles(text)
    assert not is_standing(text)


@pytest.mark.parametrize(
    "text",
    [
        "why does it always fail?",
        "never mind, it works",
        "```\nalways run this\n```",
        'it prints "always run this first" twice',
        "looks good to me",
        "can you only show the first 3 rows?",
        "let's review the branch, not the release",
        "I think we should maybe keep it",
        "src/a.py:12:3: cannot use x (variable of type int) as string value",
        "Session count: 2 must match",
        "--- FAIL: TestKeep (0.1s)\n    keep_test.go:12: it must be 7, not 8",
        "I'll put together a small change, only for `cart.py`, with 2 tests.",
        "I can take that one, it must not wait for 3 weeks.",
        "it never worked for me when I tried 3 times",
        "yes please, update the documentation, not only the readme",
        "it is throwing the following error: only 3 of 7 rows must match",
        "Which do you think is better? Only memory must be used, never the disk",
        "also should it keep only 3 rows, not 7",
        "ok so summarize what only changed, not the rest",
        "I've only just moved to 2 worktrees, so it must not be new",
        "To hide this notice, never run it in the future again",
        "Im thinking of something as simple as only 2 rows, not 7",
        "If the agent reads it whenever, basically only 3 times, not 4",
        "You are ui-lint on the web team. Never edit files, only call workers.",
        "You are the coordinator. Never edit files, only call workers.",
        "shop/till to understand and we need to look through this..but keep in mind what stays",
        "I like plainer..and we don't need that many rows ..like idky it's listing them",
        "You own the tills of the shop. You must only edit `till.py`.",
        "You are mending the tills. You must only edit `till.py`, never `cart.py`.",
        "Only edit `till.py`.\nYou are not alone in this codebase. Never revert what others edit.",
        "Take a breath. You're not just an AI assistant. Every line must be so right, not less.",
        'Follow them:\n\n<steps CRITICAL="TRUE">\nAlways load the full @flow.xml\n</steps>',
        "=== Step 17: validation ===\nSession 2 must not be there, only 1",
    ],
)
def test_what_settles_nothing(text: str) -> None:
    assert rulings_in(text, answers=False) == ()


def test_what_need_not_be_done_now_is_no_rule() -> None:
    assert not is_standing("Yes, but we don't need to commit it")
    assert not is_standing("Do it on a separate tree so we don't touch this one")
    assert is_standing("We don't commit generated files")


def test_an_answer_needs_less_than_a_ruling_out_of_the_blue() -> None:
    assert rulings_in("Fourteen days - the auditors asked for it.", answers=True)
    assert not rulings_in("Fourteen days it is.", answers=False)


def test_what_calls_a_command_of_the_program_is_no_persons_ruling() -> None:
    ruled = "Never close the till before the drawer is counted, since coins are lost."
    assert is_readable(ruled)
    assert not is_readable(f"/review {ruled}")
    assert is_readable(f"/srv/till.py must stay. {ruled}")


def test_what_was_ruled_is_told_in_its_order_with_what_it_refers_to() -> None:
    told = "The till is slow. It must be closed. Why? It must stay so. Rows stay. They are void."
    ruled = "They are void. It must stay so. It must be closed."
    assert in_context(told, ruled) == (
        "The till is slow. It must be closed. It must stay so. Rows stay. They are void."
    )
    assert in_context(told, "Something else.") == "Something else."


_NEVER = "The till is green."


@pytest.mark.parametrize(
    ("said", "settles_it", "firm", "reasoned"),
    [
        (_NEVER, False, False, False),
        ("The till must close.", False, False, False),
        ("The till must close at 6 or so.", True, False, False),
        ("The till closes since it is late at 6.", False, False, False),
        ("The till must close since it is late.", True, False, True),
        ("No, the till must only close.", True, False, False),
        ("No, the till must only close at 6 or so.", True, True, False),
        ("No, the till must only close, since it is late.", True, True, True),
        ("Should the till only close, since it is late?", False, False, False),
    ],
)
def test_what_settles_pins_and_supports(
    said: str, settles_it: bool, firm: bool, reasoned: bool
) -> None:
    assert (settles(said), is_firm(said), gives_reason(said)) == (settles_it, firm, reasoned)


def test_what_shouts_more_than_twice_is_written_for_programs() -> None:
    for times, is_own in ((1, True), (2, True), (3, False)):
        assert is_readable("We must close it. " + "NEVER open it. " * times) is is_own
