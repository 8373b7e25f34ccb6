"""What is left out, since it teaches the next session nothing: one made-up case of each kind."""

from __future__ import annotations

import pytest

from store.agents.transcript import Message, Speaker
from store.capture.checks.commands import kind_of
from store.capture.requests.rulings import is_standing, settles
from store.capture.steps.check_output import failure_line, is_slip, looks_failing
from store.capture.steps.paths import project_path
from store.capture.text.accounts import closing_account, told_work
from store.capture.text.prose import statements
from store.model import Category
from tests.store.capture.transcripts import ClaudeCode, contents

_TOLD = "`render` escapes braces before the path is composed."


@pytest.mark.parametrize(
    "aside",
    [
        "Handle: `price-worker`",
        "Evidence: https://shop.test/runs/7",
        "`npx prettier --check src/cart.ts`",
        "✅ `/api/prices` answers with 200",
        "Build, lint, unit tests and a live run in two shells (first draw, second draw) all pass.",
        "Root cause found, verified by a second run.",
        "I closed the second pane, and triggered a deployment of both.",
        "You were right to ask for `cart` there.",
        "Skipped items: the third and the fifth.",
        "No code was written yet.",
        "The worker is making real progress on `cart`.",
        "Now I can give you the whole answer.",
        "The reviewers have approved the changes.",
        "`make fmt` - passed",
        "2 `decision-needed`, 4 `patch`, 9 `defer`, 6 dismissed as noise.",
        "Story status: `done`",
        "💡 Tip: have it read by somebody else than who wrote it.",
        "Winston (Architect): the small template is right, I say that up front.",
        "Both the struct and the test look correct.",
        "I created and switched to `fewer-braces`, and started with the first phase.",
        "Next time you open the page of `render`, all should be drawn.",
        "There's already a commit with it, but its message is that of `render`.",
        "No reset of the pages needed -- nothing changed for `render`.",
    ],
)
def test_an_account_leaves_out_what_is_of_the_moment(aside: str) -> None:
    assert closing_account(f"{_TOLD}\n\n{aside}") == _TOLD


def test_an_account_tells_what_was_done_without_who_did_it() -> None:
    told = "I've successfully added a lock to `take()`, so that two workers wait."
    assert closing_account(told) == "Added a lock to `take()`, so that two workers wait."


def test_a_change_is_told_without_how_grave_it_was_and_its_tick() -> None:
    def told(line: str) -> str:
        said = Message(1, Speaker.AGENT, f"- Moved `take()` to lease.py\n{line}")
        return told_work([said], [])[0].partition("; ")[2]

    did = "Added a lock to `take()`, so that two workers wait."
    assert told(f"- HIGH – {did}") == told(f"- **Medium** — {did}") == told(f"- ✅ {did}") == did
    low = "Low memory no longer stops `take()`, since it waits."
    assert told(low) == low
    assert closing_account(f"- HIGH – {did}").startswith("HIGH")


def test_an_account_tells_what_the_agent_took_instead_and_why() -> None:
    told = "I switched to the script of `lease`, since its action runs no command."
    assert closing_account(told) == told


def test_what_leads_to_a_block_of_code_goes_with_it() -> None:
    told = f"{_TOLD} The command will now print:\n\n```\n3 left\n```\n\nBoth paths do so."
    account = closing_account(told)
    assert account.startswith(_TOLD)
    assert "will now print" not in account


@pytest.mark.parametrize(
    "sentence",
    [
        "Root cause: the `clock` module.",
        "The issue is that my config sends `/api/` to the wrong server, because it comes first.",
        "Summary: root cause pinned in `cart.py`, since the lock came late, and a reply was sent.",
    ],
)
def test_a_lesson_says_something_of_the_project(sentence: str) -> None:
    assert not list(statements(sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        "Yes, we only need to do it once, if the filter works.",
        "Now it is quiet, always.",
        "Go ahead and we should add a sample that looks as it does by default.",
    ],
)
def test_what_is_said_of_the_work_at_hand_is_no_rule(sentence: str) -> None:
    assert not is_standing(sentence)


def test_a_guess_and_a_wish_to_hear_settle_nothing() -> None:
    assert not settles("Hmm, we seem to be missing prices again, only 19 instead of 26 are there.")
    assert not settles("No, don't set it, let's see if it goes on.")
    assert not settles("There should be a price in it - it's not there I don't believe.")
    assert settles("Per order is more right, because one list has several of them.")
    assert not settles("Just explain why it can't be mended on our side because of the terminal.")


def _asked(question: str, answer: str, description: str = "") -> list[str]:
    option = {"label": answer, "description": description}
    given: dict[str, object] = {"questions": [{"question": question, "options": [option]}]}
    result = f'User has answered your questions: "{question}"="{answer}"'
    made = ClaudeCode().user("Plan the cart").call("AskUserQuestion", given, result)
    return contents(made.plan(), Category.DECISION)


def test_an_answer_is_told_with_what_it_stands_for() -> None:
    assert _asked("Which way of rounding?", "Hybrid", "Round each line, check the sum.") == [
        "Which way of rounding? The user chose: Hybrid (Round each line, check the sum)."
    ]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which areas of the cart do you want to discuss?", "Prices and taxes"),
        ("More questions about the cart, or are we done with it?", "Done, write it down"),
        ("Where are prices rounded?", "hmmm, that depends on the till"),
        ("There is no list of changes. What should I update?", "There is one, at the root"),
        ("How should the review of the till run?", "Wait for results"),
        ("Should I wait for the till, or go on in the background?", "Wait for the till"),
    ],
)
def test_an_answer_that_settles_nothing_is_no_decision(question: str, answer: str) -> None:
    assert _asked(question, answer) == []


@pytest.mark.parametrize(
    "said",
    [
        "hang on a second, I'll get you the raw log of the till to look at",
        "let's write this plan down, then go on with what we spoke of :)",
        "or something that says more? but let's not worry about the name of it",
        "didn't ``` ⏺ Bash(curl shop.test/prices) ``` do that for all prices already",
    ],
)
def test_a_refusal_for_the_moment_teaches_nothing(said: str) -> None:
    refused = f"The user doesn't want to proceed. the user said:\n{said}"
    edit: dict[str, object] = {"file_path": "/home/someone/shop/cart.py", "old_string": "a"}
    made = ClaudeCode().user("Round prices").call("Edit", edit, refused, failed=True)
    assert contents(made.plan(), Category.LESSON) == []


def test_what_a_helper_is_about_to_do_is_no_decision() -> None:
    made = ClaudeCode().user("Plan the samples").agent("Shall every sample have a reference?")
    made.user("Every sample needs a reference file, so that it runs without the network.")
    made.agent("The worker will own the samples; I'll keep the main checkout as it is.")
    (decision,) = contents(made.plan(), Category.DECISION)
    assert decision.startswith("Every sample needs a reference file")


def test_a_review_that_the_session_mended_is_over() -> None:
    found = (
        "`cart.py` never rounds the sum, so that two cents are lost at every order of three lines."
        " `till.py` ignores the tax of imported goods, which must be added before the sum."
    )
    made = ClaudeCode().user("Review the branch").bash("git diff main", "+ x").agent(found)
    assert len(contents(made.plan(), Category.CODE_CHANGE)) == 1
    made.user("Mend both").edit("cart.py").edit("till.py")
    made.agent("`cart.py` rounds the sum, and `till.py` adds the tax of imported goods.")
    assert not any("Review found" in it for it in contents(made.plan(), Category.CODE_CHANGE))


@pytest.mark.parametrize(
    "reviewed",
    [
        "Consider whether the price should only be read once, or always at the till.",
        "The comment should be updated to say only what `total` counts.",
    ],
)
def test_what_a_reviewer_writes_of_code_is_no_ruling(reviewed: str) -> None:
    assert not settles(reviewed)


def test_a_message_that_is_taken_back_settles_nothing() -> None:
    said = "Never name the branch anew, the old request would be closed otherwise."
    made = ClaudeCode().user("Plan the sync").agent("Shall I name it anew?").user(said)
    made.agent("Understood: the branch keeps its name, the old request would be closed otherwise.")
    assert contents(made.plan(), Category.DECISION) or contents(made.plan(), Category.LESSON)
    made.user("sorry, wrong chat. ignore my last message")
    assert not contents(made.plan(), Category.DECISION)
    assert not contents(made.plan(), Category.LESSON)


def test_an_aim_at_lines_and_imports_says_nothing() -> None:
    made = ClaudeCode().user("Say it better in the notice")
    made.agent("Now let me remove the unused imports:").edit("notice.py")
    assert not any("imports" in it for it in contents(made.plan(), Category.CODE_CHANGE))


def test_what_was_tried_out_elsewhere_is_no_change_of_what_is_reviewed() -> None:
    found = (
        "`till.sh` ends its text at the word END, so that a price list with such a line is cut, and"
        " `check` wrongly says that it is whole. A word that no list has must be taken instead."
    )
    made = ClaudeCode().user("Review this request").bash("gh pr diff 7", "+ x")
    made.bash("touch /tmp/price_marker", "").agent(found)
    assert contents(made.plan(), Category.CODE_CHANGE)[0].startswith("Review found: `till.sh` ends")


def test_a_script_that_is_all_that_was_written_is_the_change() -> None:
    made = ClaudeCode().user("Let the till be tried by hand")
    made.call("Write", {"file_path": "/home/someone/shop/test/till.go", "content": "package main"})
    made.bash("go run test/till.go", "listening")
    made.agent("`test/till.go` serves the till without a bridge, since the key is set already.")
    (change,) = contents(made.plan(), Category.CODE_CHANGE)
    assert "`test/till.go` serves the till" in change


def test_words_of_the_code_under_test_are_no_tally() -> None:
    output = "error: Item 3 failed\nTask 2 failed: 84\n\n 12 pass\n 0 fail\nRan 12 tests"
    assert not looks_failing(output)
    assert looks_failing("Tests:       1 failed, 2 passed\nerror: no price\n0 errors")


def test_why_something_does_not_happen_is_a_finding() -> None:
    told = (
        "The issue is that the till is in `manual` mode.\n\nIn this mode, `sync` only runs when it"
        " is asked to: it does not send prices by itself, whatever `prices.toml` says of the hour."
    )
    made = ClaudeCode().user("Why do I not see any prices?").bash("cat prices.toml", "mode")
    made.bash("ls", "prices.toml").bash("sync status", "manual").agent(told)
    (fact,) = contents(made.plan(), Category.KEY_FACT)
    assert "only runs when it is asked to" in fact


def test_a_workflows_menu_is_no_decision() -> None:
    made = ClaudeCode().user("Plan the till").agent("Shall the till print only one price a line?")
    made.user("Yes, the till must print only one price a line.")
    made.agent("The till prints one price a line.\n\nSelect: [A] Ask more [P] Party [C] Continue")
    assert contents(made.plan(), Category.DECISION) == [
        "The till must print only one price a line."
        "\nOn: Shall the till print only one price a line?"
    ]


def test_how_the_code_works_and_an_offer_to_explain_are_nothing_left_to_do() -> None:
    told = "`blocking()` returns an empty list now, since no tills are blocked by a price."
    made = ClaudeCode().user("Let every till print").edit("till.py")
    offer = "Would you like any explanations about `till.py` and how `blocking()` works?"
    made.agent(f"{told}\n\n{offer}")
    assert contents(made.plan(), Category.HANDOFF) == []


def test_what_git_alone_tells_is_left_to_git() -> None:
    made = ClaudeCode().edit("till.py").bash("git commit -m 'Print stories 1.2 to 1.4'", "[main 1]")
    assert contents(made.plan(), Category.CODE_CHANGE) == []


def test_texts_beside_texts_say_themselves_what_they_say() -> None:
    made = ClaudeCode().user("Write the story down")
    made.edit("stories/1-2.md").edit("stories/status.yaml")
    made.agent("`stories/1-2.md` has the list of colours and sizes; `status.yaml` counts four.")
    assert contents(made.plan(), Category.CODE_CHANGE) == []


@pytest.mark.parametrize(
    "command",
    ["deployments. The server is up", "python3 test_prices.py", "- `pnpm run typecheck`"],
)
def test_what_is_no_way_of_working_on_the_project(command: str) -> None:
    assert kind_of(command) == ""


def test_what_stays_as_it_is_leaves_nothing_open() -> None:
    made = ClaudeCode().user("Escape the joins").edit("till.py")
    made.agent("When `escape` is off, both the items and the string between remain unescaped.")
    assert contents(made.plan(), Category.HANDOFF) == []


def test_that_a_review_found_something_is_no_finding() -> None:
    made = ClaudeCode().user("Review the branch").bash("git diff main", "+ x")
    made.agent(
        "Found 1 likely bug in the new changes.\n\nRead were the sums, the prices and the lists of"
        " the till, from the first to the last, with all that they are made of and what uses them."
    )
    assert contents(made.plan(), Category.CODE_CHANGE) == []


def test_what_is_put_up_for_review_is_none() -> None:
    told = "Updated the title and the description to name `cart.py` instead of `till.py`."
    made = ClaudeCode().user("Describe it better, then open it for review again")
    made.bash("git diff main", "+ x").agent(f"{told} {told.replace('title', 'list of tests')}")
    assert contents(made.plan(), Category.CODE_CHANGE) == []


def test_texts_that_were_changed_for_no_reason_say_it_themselves() -> None:
    told = "Added the table of all 14 prices and the list of files to `docs/prices.md`."
    made = ClaudeCode().user("Bring the docs up to date").edit("docs/prices.md").agent(told)
    assert contents(made.plan(), Category.CODE_CHANGE) == []
    reason = "`docs/prices.md` leaves out the table, because the shop reads it from `prices.toml`."
    made = ClaudeCode().user("Bring the docs up to date").edit("docs/prices.md").agent(reason)
    assert len(contents(made.plan(), Category.CODE_CHANGE)) == 1


def test_what_a_release_counts_up_is_left_to_git() -> None:
    made = ClaudeCode().user("Release 0.4.1").edit("CHANGELOG.md").edit("package.json")
    made.agent("`package.json` says 0.4.1 now, and `CHANGELOG.md` has a heading for it.")
    assert contents(made.plan(), Category.CODE_CHANGE) == []


def test_tests_alone_stand_with_the_change_they_test() -> None:
    made = ClaudeCode().user("Round the sum of the cart once").edit("cart.py")
    made.agent("`cart.py` rounds the sum once, since two roundings lost a cent.")
    made.user("add tests for the three kinds of prices").edit("tests/test_cart.py")
    made.agent("`tests/test_cart.py` has a test for whole, half and free prices, with two rates.")
    (change,) = contents(made.plan(), Category.CODE_CHANGE)
    assert change.endswith("\nAlso changed: tests/test_cart.py.")


def test_a_failure_after_which_the_work_went_on_may_be_mended() -> None:
    made = ClaudeCode().user("Run the tests").bash("make test | tail", "--- FAIL: TestLock (0s)")
    made.agent("One test fails because `clock.now` is not reset between runs.")
    assert contents(made.plan(), Category.ERROR)
    assert not contents(made.edit("clock.py").plan(), Category.ERROR)


def test_a_line_that_passed_does_not_say_what_failed() -> None:
    output = "(pass) cart > fails clearly when a price is missing\nerror: tax is undefined in cart"
    assert failure_line(output) == "error: tax is undefined in cart"
    assert is_slip("Syntax error in cart.py: missing closing brace")


def test_one_message_that_nobody_answered_is_no_handoff() -> None:
    made = ClaudeCode().user("Reply with the word READY, please?")
    assert contents(made.plan(), Category.HANDOFF) == []


def test_a_sub_agents_checkout_is_the_project() -> None:
    path = "/home/a/shop/.claude/worktrees/agent-1/src/cart.py"
    assert project_path(path, "/home/a/shop") == "src/cart.py"


def test_a_section_does_not_end_with_what_it_leads_to() -> None:
    plan = (
        "# Plan: Rounding\n\n## Context\n\nThe till rounds each line, so that a cent is lost.\n\n"
        "## Findings\n\nThe flow is right. Here is the chain:\n\n```\na -> b\n```\n"
    )
    kept = ClaudeCode().user(plan).agent("Ok.").plan().kept
    assert [it.observation.content for it in kept] == [
        "Plan: Rounding. The till rounds each line, so that a cent is lost."
    ]


def test_what_a_message_tells_below_problem_is_why_a_change_was_made() -> None:
    problem = "`Lease.key` wants 130 letters, but keys of the till are 64 letters long."
    made = ClaudeCode().user("Mend the key of the lease, please")
    made.agent(f"## The lease's key\n\n### Problem\n{problem}\n\n### Fix\nTake 64.")
    made.edit("shop/lease.py", new="Lease.key wants 64 letters, as keys of the till are long")
    made.agent("`lease.py` – changed `130` to `64`.")
    (told,) = contents(made.plan(), Category.CODE_CHANGE)
    assert problem in told


def test_why_something_goes_is_reason_enough_for_a_change() -> None:
    made = (
        ClaudeCode()
        .user("Remove `Pinata` from the shop")
        .agent("Since the shop runs `node.py` by itself, `Pinata` is no longer needed.")
    )
    made.edit("shop/node.py").agent("Deleted `Pinata` and its tests; `node.py` is always used.")
    (told,) = contents(made.plan(), Category.CODE_CHANGE)
    assert "Since the shop runs `node.py` by itself" in told
