from __future__ import annotations

import pytest

from store.capture.requests.request import crisp
from store.capture.text.accounts import closing_account
from store.capture.text.grounds import Grounds, grounds_of, says_what
from store.model import Category
from store.text.content_words import code_words
from tests.store.capture.dialogues import session_of
from tests.store.capture.transcripts import ClaudeCode, contents

WRITTEN = (
    "def total(rows):\n    rounded = round(sum(row.price for row in rows), 2)\n"
    "    invoice.currency = settings.default_currency\n    return invoice.apply_discount(rounded)\n"
)


def test_what_a_closing_message_says_of_other_things_is_no_part_of_the_change() -> None:
    made = ClaudeCode().user("The invoice loses a cent when it is rounded")
    made.edit("shop/invoice.py", "pass", WRITTEN)
    made.agent(
        "The password manager's agent refuses to sign, as it did before lunch.\n\n"
        "`total` rounds the sum of the rows once, instead of rounding each row's price."
    )
    (change,) = contents(made.plan(), Category.CODE_CHANGE)
    assert ": `total` rounds the sum of the rows once" in change
    assert "password manager" not in change


def test_where_nothing_is_known_of_a_change_everything_may_speak_of_it() -> None:
    assert Grounds().hold("The menu closes too early.")
    assert not Grounds(code_words(WRITTEN)).hold("The menu closes when another window opens.")
    assert Grounds(code_words(WRITTEN)).hold("Each `rowPrice` is rounded.")


@pytest.mark.parametrize(
    ("title", "says"),
    [("please fix all 11 issues", False), ("go with the fix", False), ("3", False),
     ("can you address the open comments and fix the tests", False),
     ("Round the tax once", True), ("The menu closes too early on small screens", True)],
)  # fmt: skip
def test_a_request_that_points_at_what_stood_before_says_nothing(title: str, says: bool) -> None:
    assert says_what(title, Grounds()) is says


@pytest.mark.parametrize(
    ("said", "told"),
    [("ok, can you also sort it by name?", "Sort it by name"),
     ("and now please keep the last ten", "Keep the last ten"),
     ("it was lost, but kept before", "it was lost, but kept before"),
     ("yes please", ""),
     ("Stale total Medium Severity The total is kept.", "Stale total: The total is kept.")],
)  # fmt: skip
def test_what_is_wanted_is_told_without_what_leads_to_it(said: str, told: str) -> None:
    assert crisp(said) == told


def test_an_item_keeps_the_heading_without_which_it_says_something_else() -> None:
    text = "### Removed\n\n- `auto_apply()` and its call in `hooks.py`\n- the flag `--apply`"
    assert closing_account(text).startswith("Removed: `auto_apply()`")


@pytest.mark.parametrize(
    "aside",
    ["I'm flagging this rather than mending it, since `render` is used elsewhere.",
     "You may want to run `make install` afterwards.",
     "Two backup branches are left over from `fold`.",
     "Verified with `make test` on both platforms."],
)  # fmt: skip
def test_what_the_agent_says_of_itself_or_the_branch_is_left_out(aside: str) -> None:
    told = "`render` escapes braces before the path is composed."
    assert closing_account(f"{told}\n\n{aside}") == told


def test_of_much_that_was_written_the_first_40_000_characters_count() -> None:
    long = "row of the till " * 2_400
    said = f"WRITE a.py\n{WRITTEN}{long}\nWRITE b.py\n{'x ' * 1_000}drawer\nWRITE c.py\nprinter"
    grounds = grounds_of(session_of(said).steps, ["shop/lease.py"])
    assert code_words("discount lease") <= grounds.words
    assert not code_words("drawer printer") & grounds.words


def test_what_a_change_took_out_and_the_names_of_its_files_are_its_words_too() -> None:
    said = f"EDIT a.py\n-drawer\n+cart\nBASH print receipts\nok\nWRITE b.py\n{WRITTEN}"
    words = grounds_of(session_of(said).steps, ["shop/lease.py", "shop/clerk.py"]).words
    assert code_words("drawer cart receipts lease clerk") <= words
