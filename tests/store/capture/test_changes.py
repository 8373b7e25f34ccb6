from __future__ import annotations

import pytest

from store.capture.requests.request import lets_go_on, title_of
from store.capture.text.accounts import closing_account
from store.model import Category
from tests.store.capture.transcripts import ClaudeCode, contents


@pytest.mark.parametrize(
    "text",
    ["yes", "Do it.", "I like Option C", "let's do option 2",
      "commit this please", "1", "ok, let's go ahead", "sorry I messed up, can you"
     " do it again", "push and open a draft PR", "sim, pode continuar"],
)  # fmt: skip
def test_some_messages_only_let_the_work_go_on(text: str) -> None:
    assert lets_go_on(text)


@pytest.mark.parametrize("text", ["fix the tests", "use tabs", "why?", "add a flag to the command"])
def test_others_ask_for_something(text: str) -> None:
    assert not lets_go_on(text)


def test_a_request_is_told_by_its_title_or_first_sentences() -> None:
    plan = "Implement the following plan:\n\n# Plan: Keep the queue short\n\n## Context\n\nIt grew."
    assert title_of(plan) == "Keep the queue short"
    issue = "Fix this:\n  repo: a/b\n  problem_statement: Rounding loses a cent in invoices\nMore."
    assert title_of(issue) == "Rounding loses a cent in invoices"
    assert title_of("Look at this:\n\nThe menu closes too early.") == "The menu closes too early."
    assert title_of("ok") == ""
    code = 'Warn of large shops\n\n```ts\n  title: "Shop too large for a till",\n```\n\nOnly there.'
    assert title_of(code).startswith("Warn of large shops")
    role = "You are a code reviewer. Your job is to review the changes, and to say what to mend."
    template = f"{role}\n\n{'Look at the whole file. ' * 10}\n\n## What to review\n\nThe diff."
    assert title_of(template).startswith("Your job is to review the changes")


def test_the_reason_for_a_change_is_never_what_was_said_last() -> None:
    made = ClaudeCode().user("The invoice loses a cent when it is rounded")
    made.agent("The total is wrong because `round_all` rounds every line. Let me fix it.")
    made.edit("shop/invoice.py").user("sorry, I closed it, do it again").edit("shop/invoice.py")
    made.agent("The total in `shop/invoice.py` is rounded once, after the sum.")
    made.user("commit please").bash("git commit -m 'Round once'", "[main 1] Round once")
    assert contents(made.plan(), Category.CODE_CHANGE) == [
        "The invoice loses a cent when it is rounded: The total is wrong because `round_all` rounds"
        " every line.\n"
        "Done: The total in `shop/invoice.py` is rounded once, after the sum.\n"
        "Files: shop/invoice.py."
    ]


@pytest.mark.parametrize(
    "text",
    ["PR: https://example.org/pull/9", "- [ ] Verify that the notice is shown once",
     "✅ Fixed. The branch has no outstanding issues.", "All four items addressed.",
     "I have a thorough understanding of the whole code now.", "Both threads are now resolved.",
     "- `shop/tax.py` (+8 lines)", "PR is up: https://example.org/pull/9",
     "Wait, `cart.py` is not listed as modified.", "Both files updated. Now running the tests.",
     "100 files, +17,022 lines; 136 tests passing.", "`any` in `cart.ts` – 0 matches ✅",
     "The repo is on `main`. I'm staging `cart.py` now.", "Need to add the missing `rate`.",
     "There are two changes, but only `cart.py` is related to our task.",
     "Design written to `docs/plans/design.md`.", "Context updated.", "GSD ► RESEARCHING PHASE 12",
     "| 2 | bot | Wrong offset | Already fixed in `a1b2c3d` |\n|--|--|--|--|\n"
     "| 3 | bot | Wrong sum | Already fixed in `cart.py` |",
     "Commit landed as `b51711ec`, message fixed.", "Monitoring the rerun now.",
     "- `999fd87d` `fix(site): convert the format` — `a.js`, `b.js`",
     "Here's the full analysis of the work:\n\nGot a complete picture."],
)  # fmt: skip
def test_that_something_is_done_tells_nothing(text: str) -> None:
    assert closing_account(text) == ""


def test_what_an_earlier_change_told_is_told_once() -> None:
    made = ClaudeCode().user("Default telemetry to off where nobody set it").edit("telemetry.py")
    told = (
        "`telemetry.py` takes an unset value as disabled. The notice is shown on the first start."
    )
    made.agent(told).user("and mention it in the manual").edit("manual.md")
    made.agent(f"{told} `manual.md` says how to switch it on.")
    (change,) = contents(made.plan(), Category.CODE_CHANGE)
    assert change.count("takes an unset value as disabled") == 1
    assert change.endswith("\nAlso changed: manual.md.")


def test_a_short_account_is_one_too() -> None:
    made = ClaudeCode().user("Let us keep a list of changes").edit("CHANGES.txt")
    (told,) = contents(made.agent("Began `CHANGES.txt` anew.").plan(), Category.CODE_CHANGE)
    assert told.startswith("CHANGES.txt: ")


def test_what_is_cleaned_away_with_its_checkout_was_changed_all_the_same() -> None:
    made = ClaudeCode().user("Round the tax once").edit("work/tax.py").edit("work/cart.py")
    made.agent("`tax.py` rounds the sum once, and `cart.py` no longer does.")
    made.bash("rm -rf work")
    (told,) = contents(made.plan(), Category.CODE_CHANGE)
    assert told.startswith("Round the tax once: `tax.py` rounds the sum once")
    assert told.endswith("\nFiles: work/tax.py, work/cart.py.")


def test_a_commit_ends_no_account_of_what_it_holds() -> None:
    made = ClaudeCode().user("Let the parser skip blank lines").edit("parse.py")
    made.agent("`parse.py` skips blank lines before it counts them, since one broke it.")
    made.user("commit this").bash(
        "git add parse.py new.py && git commit -m 'Skip'",
        "[main 1] Skip\n create mode 100644 new.py",
    )
    made.agent("Committed as `309f2e8`. Working tree is clean.")
    (told,) = contents(made.plan(), Category.CODE_CHANGE)
    assert "skips blank lines before it counts them" in told


def test_a_review_without_files_counted_is_told_too_and_one_without_findings_is_not() -> None:
    found = (
        "High: `queue.py:31` takes the lease before it is written, so that two workers run one job;"
        " a crash in between leaves it locked until the next start."
    )
    made = ClaudeCode().user("Please review the changes on main").bash("git show main", "+ x")
    assert contents(made.agent(found).plan(), Category.CODE_CHANGE) == [
        f"Review found: {found}\nAsked: Review the changes on main"
    ]
    assert not contents(made.plan(), Category.HANDOFF)
    clean = ClaudeCode().user("Please review the changes on main").bash("git show main", "+ x")
    clean.agent(f"No blocking issues found. {'`queue.py` takes the lease once and in order. ' * 4}")
    assert clean.plan().is_empty


def test_what_goes_on_in_the_same_files_is_one_change_and_little_told_stands_beside_it() -> None:
    made = (
        ClaudeCode().user("Sort the names in the index").edit("a.py").agent("Sorted by name now.")
    )
    made.user("ignore case when you sort").edit("a.py").agent(
        "Names are folded before sorting them."
    )
    made.user("Show the size in the footer").edit("b.py").agent(
        "The footer shows the size in bytes."
    )
    (change,) = contents(made.plan(), Category.CODE_CHANGE)
    assert "Asked: Sort the names in the index Then: ignore case when you sort" in change
    assert change.endswith("\nAlso changed: b.py.")


def test_what_is_told_with_its_reason_is_a_change_of_its_own() -> None:
    made = ClaudeCode().user("Sort the names in the index").edit("a.py")
    made.agent(
        "The problem was that `disk.list()` has another order each time. `names()` sorts now."
    )
    made.user("Keep the last ten searches").edit("b.py")
    made.agent("The bug was that `b.py` read the old file as a whole, which grew at each start.")
    assert len(contents(made.plan(), Category.CODE_CHANGE)) == 2


def test_scratch_scripts_outputs_and_paths_elsewhere_are_no_changes() -> None:
    made = ClaudeCode().user("Find out why the import is slow")
    made.call("Write", {"file_path": "/home/someone/shop/probe.py", "content": "x"}, "created "
              "successfully").bash("python probe.py > out.txt", "3 s")  # fmt: skip
    made.call("Write", {"file_path": "/home/someone/notes/other.py", "content": "x"})
    made.edit("../elsewhere.py")
    made.edit("shop/loader.py").agent("The loader reads each file once, not once a row.")
    (change,) = contents(made.plan(), Category.CODE_CHANGE)
    assert change.startswith("shop/loader.py: The loader reads")
    assert "probe" not in change and "out.txt" not in change and "other" not in change


def test_many_files_are_listed_after_the_first_two() -> None:
    made = ClaudeCode().user("Rename the setting everywhere")
    for name in ("a.py", "b.py", "docs/c.md", "tests/test_d.py"):
        made.edit(name)
    made.agent("The setting is called `page_size` in every module and in the manual.")
    (change,) = contents(made.plan(), Category.CODE_CHANGE)
    assert change.startswith("a.py, b.py and 2 more: The setting is called `page_size`")
    assert change.endswith("Files: docs/c.md, tests/test_d.py.")


def test_a_review_tells_what_it_found_with_the_files_it_saw() -> None:
    stat = " shop/cart.py | 12 ++--\n shop/tax.py  |  3 +\n 2 files changed"
    table = (
        "| Where | What |\n| --- | --- |\n"
        "| `shop/tax.py:9` | The rate is read again for every line, which is slow |\n"
        "| `shop/cart.py` | An empty cart raises `IndexError` instead of being free |"
    )
    made = ClaudeCode().user("Review this branch, please").bash("git diff --stat main", stat)
    (review,) = contents(made.agent(f"Two findings:\n\n{table}").plan(), Category.CODE_CHANGE)
    assert review.startswith("Reviewed 2 changed files: `shop/tax.py:9` – The rate is read again")
    assert review.endswith("Asked: Review this branch, please\nFiles: shop/cart.py, shop/tax.py")


def test_an_account_leaves_praise_checks_and_offers_out() -> None:
    text = (
        "Perfect! All tests pass. I've done it in two places:\n\n1. **`a.py`** reads the flag\n"
        "2. `b.py` obeys it\n\nWould you like me to commit this?"
    )
    assert closing_account(text) == "`a.py` reads the flag; `b.py` obeys it"
    assert closing_account("Done. All 12 tests pass.") == ""
    said = "I've successfully fixed the bug. `sum_rows` no longer skips the first row of the list."
    assert closing_account(said) == "`sum_rows` no longer skips the first row of the list."
    assert closing_account("Ready for the review comments of the pull request.") == ""


def test_what_a_change_was_is_told_before_the_talk_about_its_commit() -> None:
    made = ClaudeCode().user("Print the report as JSON unless told otherwise").edit("cli.py")
    made.agent("The default of `--report` in `cli.py` is now `json`, since `text` was cut off.")
    made.user("then commit, and update the changelog").edit("CHANGELOG.md")
    made.bash("git commit -am 'Print JSON'", "[main 1] Print JSON")
    made.agent("Committed as `beba8a7`. The changelog has been updated under `[Unreleased]`.")
    told = contents(made.plan(), Category.CODE_CHANGE)
    assert any("is now `json`, since `text` was cut off" in each for each in told)


def test_what_is_announced_of_it_tells_no_change() -> None:
    made = ClaudeCode().user("Keep several reports for each order").agent("Let me rewrite it all.")
    made.edit("report.py")
    made.user("Give each order a page").agent("Let me create `page.py` and write it.")
    made.edit("page.py")
    assert contents(made.plan(), Category.CODE_CHANGE) == [
        "report.py: Keep several reports for each order.\nAlso changed: page.py."
    ]


def test_an_account_begins_with_a_capital_unless_it_begins_with_a_name() -> None:
    assert closing_account("Done — keyword stops are supported now.").startswith("Keyword")
    assert closing_account("Done — e2e/run.py starts a shell for each.").startswith("e2e/")


def test_a_question_alone_tells_no_change() -> None:
    made = ClaudeCode().user("or does the row use 20 pixels instead of 30?").edit("row.css")
    assert contents(made.plan(), Category.CODE_CHANGE) == []


def test_what_a_merge_needed_is_left_to_git() -> None:
    made = ClaudeCode().user("Rebase this onto main, please").edit("shop/cart.py")
    made.agent("Resolved the merge conflict in `cart.py`: kept our `total`, and took their `rate`.")
    assert not contents(made.plan(), Category.CODE_CHANGE)


def test_what_is_linted_file_by_file_is_no_command_of_the_project() -> None:
    made = ClaudeCode().user("Tidy up").bash("gofmt -l shop/cart.go", "")
    assert not contents(made.plan(), Category.PROCEDURE)
    made.bash("npx tsc --noEmit --project shop/tsconfig.json", "").bash("gofmt -l .", "")
    (told,) = contents(made.plan(), Category.PROCEDURE)
    assert "tsconfig.json" in told and "`gofmt -l .`" in told


def test_texts_that_every_session_is_told_are_no_memory_without_a_reason() -> None:
    made = ClaudeCode().user("Describe the layout of the project").edit("CLAUDE.md")
    assert not contents(made.agent("`CLAUDE.md` lists the folders.").plan(), Category.CODE_CHANGE)
    reason = "`CLAUDE.md` names the port, since the old one is taken by the proxy on some machines."
    made = ClaudeCode().user("Describe the layout of the project").edit("CLAUDE.md")
    assert contents(made.agent(reason).plan(), Category.CODE_CHANGE)


def test_a_text_of_which_only_its_commit_speaks_is_left_to_git() -> None:
    made = ClaudeCode().user("5 seems like a great one to tackle").edit("plans/todo.md")
    made.bash("git commit -am 'docs: start on the todo'", "[main 1] docs: start on the todo")
    assert not contents(made.plan(), Category.CODE_CHANGE)


def test_a_script_that_was_only_run_is_no_change_however_it_was_run() -> None:
    made = ClaudeCode().user("Sum the prices of `till.py` in cents").edit("shop/till.py")
    made.call(
        "Write", {"file_path": "/home/someone/shop/try.sh", "content": "x"}, "created successfully"
    )
    made.bash("./try.sh", "ok").agent(
        "Summed the prices of `till.py` in cents, so that none is lost."
    )
    (told,) = contents(made.plan(), Category.CODE_CHANGE)
    assert "try.sh" not in told
