from __future__ import annotations

import json
import random
import string

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from store.agents.formats import read_session
from store.capture.carried import without_carried
from store.capture.plan import CapturePlan, _limited, from_origin, plan_capture
from store.model import MAX_CONTENT, Category, Observation
from store.notice import notice
from store.settings.schema import Settings
from tests.store.capture.transcripts import NOW, ClaudeCode, contents, plan_of


def held(plan: CapturePlan) -> tuple[Observation, ...]:
    """What memory holds once a plan has been carried out."""
    return tuple(each.observation._replace(id=f"obs-{i}") for i, each in enumerate(plan.kept))


def worked_session() -> ClaudeCode:
    return (
        ClaudeCode()
        .user("The lock is held for too long, please shorten the timeout")
        .agent("Now let me shorten the timeout of the lock to five seconds:")
        .edit("store/lock.py", "def wait():\n    30", "def wait():\n    5")
        .edit("store/lock.py", "x = 1", "x = 2")
        .edit("store/failing.py", failed=True)
        .call("Write", {"file_path": "/home/someone/shop/tests/test_lock.py", "content": "a\nb"})
        .agent("Done.\n\n- `store/lock.py` - Now gives up after five seconds instead of thirty.")
    )


def test_what_a_request_changed_is_one_code_change() -> None:
    plan = worked_session().plan()
    (change,) = contents(plan, Category.CODE_CHANGE)
    assert change == (
        "The lock is held for too long, please shorten the timeout: `store/lock.py` - Now gives up"
        " after five seconds instead of thirty.\n"
        "Files: store/lock.py, tests/test_lock.py."
    )
    observation = plan.kept[0].observation
    assert observation.sources == (
        "session:s-1#9",
        "tool:toolu_s-1_1",
        "tool:toolu_s-1_2",
        "tool:toolu_s-1_4",
    )
    assert observation.session_id == "s-1"
    assert observation.agent == "claude-code"
    assert observation.issue_number == 29
    assert observation.timestamp > NOW
    assert (plan.folder, plan.branch) == ("/home/someone/shop", "feature/29-locks")


def test_the_shell_changes_files_too() -> None:
    plan = (
        ClaudeCode()
        .user("Tidy the folder of commands up")
        .call("Read", {"file_path": "/home/someone/shop/commands/help.py"}, "text")
        .bash("rm -rf /home/someone/shop/commands")
        .bash("touch scratch.py")
        .bash("rm scratch.py")
        .bash("echo x > /tmp/scratch.txt")
        .bash("rm gone.py", "rm: cannot remove", failed=True)
        .bash("git add kept.py && git commit -m 'Keep the lock short'", "[main 1] x")
        .agent("Deleted the `commands/` folder, since nothing uses it any more.")
        .plan()
    )
    changes = contents(plan, Category.CODE_CHANGE)
    assert "Files: commands/help.py (deleted), kept.py." in changes[0]
    assert "Deleted the `commands/` folder" in changes[0]


def test_snapshots_name_what_was_changed_before() -> None:
    snapshot: dict[str, object] = {"trackedFileBackups": {"a/b.py": {}, "store/lock.py": {}}}
    made = worked_session().line("file-history-snapshot", snapshot=snapshot)
    (told,) = contents(made.plan(), Category.CODE_CHANGE)
    assert told.endswith("\nChanged earlier in this session: a/b.py")
    alone = ClaudeCode().line("file-history-snapshot", snapshot=snapshot)
    assert alone.line("summary", summary="A title", leafUuid="x").plan().is_empty


def test_of_two_changes_the_first_alone_names_what_was_changed_before() -> None:
    made = ClaudeCode().line("file-history-snapshot", snapshot={"trackedFileBackups": {"b.py": {}}})
    made.user("Sort the names in the index").edit("a.py")
    made.agent("The problem was that `disk.list()` has another order each time. It sorts now.")
    made.user("Keep the last ten searches").edit("c.py")
    made.agent("The bug was that `c.py` read the old file as a whole, which grew at each start.")
    told = contents(made.plan(), Category.CODE_CHANGE)
    assert ["b.py" in each for each in told] == [True, False]


def test_a_sub_agents_report_counts_by_its_file() -> None:
    report = "The review has been written to `docs/review.md`."
    plan = ClaudeCode().user("Review the tax branch").call("Task", {"prompt": "x"}, report).plan()
    assert contents(plan, Category.CODE_CHANGE) == ["docs/review.md (new): Review the tax branch."]


def test_an_error_and_its_fix_belong_together() -> None:
    plan = (
        ClaudeCode()
        .user("Run the tests")
        .bash("make test 2>&1 | tail", "Exit code 2\nlock.py:7: KeyError: wait", failed=True)
        .agent(
            "The name was lost when the module was cut in two last week."
            " Let me restore the name in both parts:"
        )
        .edit("store/lock.py")
        .bash("cd sub && make test", "ok")
        .plan()
    )
    assert contents(plan, Category.ERROR) == [
        "`make test` failed: lock.py:7: KeyError: wait\n"
        "Cause: The name was lost when the module was cut in two last week (week of 2026-02-16).\n"
        "Fixed by changing store/lock.py (restore the name in both parts); it passed afterwards."
    ]


def test_what_is_said_of_something_else_is_no_cause_though_both_say_cannot() -> None:
    made = ClaudeCode().user("Review the runner")
    made.bash("npm test", "Error: Cannot find module 'node:path'", failed=True)
    made.agent("The next run cannot start, because `claim` requires that nothing is `cancelled`.")
    assert contents(made.plan(), Category.ERROR) == []


def test_a_failure_that_only_the_words_admit() -> None:
    made = ClaudeCode().user("Run the tests").bash("make test | tail", "--- FAIL: TestLock (0s)")
    plan = made.agent("One test fails because `clock.now` is not reset between runs.").plan()
    assert "It was not seen to pass in this session." in contents(plan, Category.ERROR)[0]
    untold = ClaudeCode().bash("make test | tail", "--- FAIL: TestLock (0s)").plan()
    assert contents(untold, Category.ERROR) == []


@pytest.mark.parametrize("command", ["npm test", "npm test --workspace till -- --grep night"])
def test_a_program_that_is_not_to_be_had_is_a_fact_of_the_machine(command: str) -> None:
    made = ClaudeCode().user("Run the tests")
    made.bash(command, "Error: Cannot find module 'node:path'", failed=True)
    plan = made.agent("I could not run the tests here.").plan()
    assert contents(plan, Category.KEY_FACT) == [
        "`npm test` does not run here: Error: Cannot find module 'node:path'"
        " (the Node that ran is older than 14.18)"
    ]
    assert not contents(plan, Category.ERROR)


def test_what_passes_again_by_itself_teaches_nothing() -> None:
    made = ClaudeCode().user("Run the tests").bash("make test | tail", "--- FAIL: TestLock (0s)")
    made.agent("One test fails because `clock.now` is not reset between runs.")
    plan = made.bash("make test | tail", "ok  lock 0.2s").plan()
    assert contents(plan, Category.ERROR) == []


def test_failures_without_a_lesson_are_skipped_with_a_reason() -> None:
    plan = ClaudeCode().bash("make lint", "Exit code 1\nerror: bad style (E1)", failed=True).plan()
    assert not contents(plan, Category.ERROR)
    assert plan.skipped[0].reason == notice("no-cause")
    looked = ClaudeCode().bash("ls nowhere", "ls: cannot access: No such file", failed=True).plan()
    assert looked.is_empty
    assert not looked.skipped


def test_a_slip_in_code_just_written_teaches_nothing() -> None:
    made = ClaudeCode().user("Add the new field to the cart").edit("shop/cart.py")
    made.bash("go build ./...", "shop/cart.go:9:2: undefined: total", failed=True)
    made.agent("The build fails because `total` was renamed. Let me rename the field here as well:")
    plan = made.edit("shop/cart.py").bash("go build ./...", "").plan()
    assert contents(plan, Category.ERROR) == []


def test_a_failure_goes_with_the_change_after_which_it_passed() -> None:
    tax = "--- FAIL: TestTax (0s)\n    tax: want 1"
    both = f"--- FAIL: TestCart (0s)\n    cart_test.go:3: want 2\n{tax}"
    made = ClaudeCode().user("Make the tests pass").bash("go test ./...", both, failed=True)
    made.agent("`TestCart` fails because `cart.sum` skips the first row of the cart.")
    made.edit("shop/cart.go").bash(
        "go test ./...", "--- FAIL: TestTax (0s)\n tax: want 1", failed=True
    )
    made.agent("Tax is wrong because `tax.rate` is read before the file is loaded.")
    made.edit("shop/tax.go").bash("go test ./...", "ok")
    first, second = contents(made.plan(), Category.ERROR)
    assert "shop/cart.go" in first or "shop/tax.go" in first
    assert "TestTax" in second
    assert "shop/tax.go" in second and "shop/cart.go" not in without_carried(second)


def test_a_traceback_is_told_by_its_last_line() -> None:
    output = "Traceback (most recent call last):\n  File x\nKeyError: 'lock'"
    made = ClaudeCode().bash("pytest -q", output, failed=True)
    plan = made.agent("It fails because `locks` is filled only after the first request.").plan()
    assert "KeyError: 'lock'" in contents(plan, Category.ERROR)[0]


def test_what_people_teach() -> None:
    refused = "The user doesn't want to proceed. the user said:\nuse a switch instead of the ifs"
    plan = (
        ClaudeCode()
        .user("Always run the linter before you commit.")
        .call("ExitPlanMode", {"plan": "# Plan: x"}, refused, failed=True)
        .call(
            "Bash", {"command": "ls"}, "said\nthe user said:\nI'll take it from here.", failed=True
        )
        .plan()
    )
    assert contents(plan, Category.LESSON) == [
        "Always run the linter before you commit.",
        "On the plan the user said: use a switch instead of the ifs",
    ]


@pytest.mark.parametrize(
    "said",
    [
        "let's cut a branch first, please",
        "please write down all the steps we have to follow",
        "merge from origin alex/better-state-tracking",
        "our session starts with 7a3cf82d-9284-4b61-9e6b-d409226e0000",
        "don't worry about the linter for now, just continue",
    ],
)
def test_an_errand_teaches_nothing(said: str) -> None:
    refused = f"The user doesn't want to proceed. the user said:\n{said}"
    plan = (
        ClaudeCode().user("Mend the totals").call("Bash", {"command": "ls"}, refused, failed=True)
    )
    assert not contents(plan.plan(), Category.LESSON)


def test_a_change_of_which_nobody_said_anything_is_left_to_git() -> None:
    made = (
        ClaudeCode()
        .user("I like option C.")
        .call("Write", {"file_path": "CHANGES.md", "content": "x"}, "ok")
    )
    assert not contents(made.plan(), Category.CODE_CHANGE)


def test_a_question_is_told_whole_though_it_cites_something() -> None:
    asked = 'When a player clicks a place, how does going "into" it work?'
    answers = f'User has answered your questions: "{asked}"="Cut to a new level". Go on.'
    made = (
        ClaudeCode()
        .user("Plan it")
        .call("AskUserQuestion", {"questions": [{"question": asked}]}, answers)
    )
    assert contents(made.plan(), Category.DECISION) == [
        f"{asked} The user chose: Cut to a new level."
    ]


@pytest.mark.parametrize(
    "answer", ["are there others that we missed?", "focus on the world first then get to that"]
)
def test_who_asks_back_or_puts_off_has_settled_nothing(answer: str) -> None:
    answers = f'User has answered your questions: "How is an empty cart shown?"="{answer}".'
    made = ClaudeCode().user("Plan it").call("AskUserQuestion", {"questions": []}, answers)
    assert contents(made.plan(), Category.DECISION) == []


def test_a_trouble_told_again_by_a_later_summary_is_told_once() -> None:
    first = "4. Errors and fixes:\n   - Two points expected, none found: `list_states` looked for"
    first += " the old branch name, because the suffix was not known to `list_states`\n"
    again = first.replace("Two points expected, none found", "Points expected, none found in it")
    made = ClaudeCode().user(first, isCompactSummary=True).edit("a.py")
    made.user(again, isCompactSummary=True).edit("a.py")
    assert len(contents(made.plan(), Category.ERROR)) == 1


def test_a_line_of_a_script_is_no_command() -> None:
    made = ClaudeCode().user("Which deployment failed?")
    made.bash("node -e '\nconst d=j.deployments.find(d=>d.id)\nconsole.log(d)\n'", "ok")
    made.bash(
        "python3 -c \"\nfor each in found:\n  if each['rule'] == 'eslint':\n    print(1)\n\"", "1"
    )
    assert contents(made.plan(), Category.PROCEDURE) == []


def test_decisions_of_people_and_agents() -> None:
    answers = (
        'User has answered your questions: "Which store do we use?"="One file for each issue".'
    )
    text = "# Plan: Short locks\n\nThe timeout goes down to five seconds everywhere.\n"
    plan = (
        ClaudeCode()
        .user("Plan it, with me")
        .call("AskUserQuestion", {"questions": []}, answers)
        .call("ExitPlanMode", {"plan": text}, "User has approved your plan.")
        .agent("We decided to keep one file for each issue, since a merge is easier. I start.")
        .plan()
    )
    assert contents(plan, Category.DECISION) == [
        "Which store do we use? The user chose: One file for each issue.",
        "Plan: Short locks. The timeout goes down to five seconds everywhere.",
        "We decided to keep one file for each issue, since a merge is easier.",
    ]


def test_a_handoff_says_what_is_done_open_and_where() -> None:
    todos = [
        {"content": "Write the manual page", "status": "pending"},
        {"content": "Fix the lock", "status": "completed"},
        {"content": "short", "status": "pending"},
        "odd",
    ]
    plan = (
        ClaudeCode()
        .user("Shorten the wait for the lock")
        .call("TodoWrite", {"todos": todos})
        .agent("The lock gives up after five seconds. Next step: measure it with two writers.")
        .plan()
    )
    assert contents(plan, Category.HANDOFF) == [
        "Asked: Shorten the wait for the lock\n"
        "Done: The lock gives up after five seconds.\n"
        "Open: Write the manual page\n"
        "Open: measure it with two writers.\n"
        "Where: branch feature/29-locks"
    ]


def test_what_a_passing_check_prints_leaves_nothing_open() -> None:
    made = ClaudeCode().user("Group the rows by file").edit("rows.py")
    printed = "error: issue without a file\n 1324 pass\n 0 fail\nRan 1324 tests"
    made.bash("bun run test", printed).agent("The rows in `rows.py` are grouped by file.")
    assert contents(made.plan(), Category.HANDOFF) == []
    made.bash("bun run test", printed.replace(" 0 fail", " 2 fail"))
    assert contents(made.agent("I stop here.").plan(), Category.HANDOFF)


@pytest.mark.parametrize(
    "last",
    ["Both files are committed, and the other modified files remain unstaged.",
     "There's nothing left to stage in `rows.py`.",
     "Mended, so that commits of `rows.py` won't be blocked by this any more."],
)  # fmt: skip
def test_what_git_holds_or_nobody_waits_for_is_not_open(last: str) -> None:
    made = ClaudeCode().user("Group the rows by file").edit("rows.py").agent(last)
    assert contents(made.plan(), Category.HANDOFF) == []


def test_a_check_that_failed_elsewhere_leaves_nothing_open() -> None:
    made = ClaudeCode().user("Group the rows by file").edit("rows.py")
    made.bash("pytest", "FAILED other.py::test_it - KeyError: 'x'", failed=True)
    made.agent("`rows.py` groups them. The failure is pre-existing.")
    assert contents(made.plan(), Category.HANDOFF) == []


def test_a_session_that_leaves_nothing_open_leaves_no_handoff() -> None:
    made = ClaudeCode().user("Shorten the wait").edit("lock.py")
    made.agent("The lock gives up after five seconds now. Would you like me to commit this?")
    assert contents(made.plan(), Category.HANDOFF) == []


def test_a_check_that_still_fails_is_open() -> None:
    made = ClaudeCode().user("Shorten the wait").edit("lock.py")
    made.bash("pytest tests", "FAILED tests/test_lock.py::test_wait - assert 5 == 30", failed=True)
    (note,) = contents(made.agent("I stop here for today.").plan(), Category.HANDOFF)
    assert "Open: `pytest tests` fails: FAILED tests/test_lock.py::test_wait" in note


SUMMARY = """This session is being continued from a previous conversation.
Analysis:
Something internal.

Summary:
1. Primary Request and Intent:
   - Shorten the lock's timeout
2. Key Technical Concepts:
   - Kernel locks are released when a process dies, markers are not
   - Python
3. Files and Code Sections:
   - **`store/lock.py`**
     - Changed the timeout to five seconds
     ```python
     - not a bullet
     ```
   - **`store/read.py`**
     - Read to see how it waits
4. Errors and fixes:
   - **Stale marker blocks the writer**:
     - Caused by a killed process. Fixed by comparing the process id
   - Import cycle between the stores:
   - Cause: `store/lock.py` imports `store/read.py` at the top
   - Fix: Moved the helper to `store/names.py`
   - Menu too low: moved it to the row above, at 50 pixels
   - User feedback on plans: User asked why the plan was not followed - I explained the cycle
   - User feedback: "ask me again", "I did not mean that one"
   - "the heading is too small" → made it larger, from 17px to 21px everywhere
   - Missing await: `save()` was not awaited in `store/lock.py` → awaited it
   - Pre-existing type errors in `store/old.py`, not introduced by this change
   - **User feedback on names**: said `wait` is too short a name for it
5. Problem Solving:
   - Found the cause by killing writers
6. All user messages:
   - "always do as I say in this list"
7. Pending Tasks:
   - Document the new timeout in the manual
   - None
8. Current Work:
   Writing the manual page for locks, half of it is done.
9. Optional Next Step:
   Finish the manual page.
Please continue the conversation from where we left it off.
"""


def test_an_agents_own_summary_is_trusted_first() -> None:
    plan = ClaudeCode().user(SUMMARY, isCompactSummary=True).edit("store/lock.py").plan()
    told = [(c.observation.category, c.observation.content) for c in plan.kept]
    assert told == [
        (Category.KEY_FACT, "Kernel locks are released when a process dies, markers are not"),
        (
            Category.ERROR,
            "Stale marker blocks the writer: Caused by a killed process."
            " Fixed by comparing the process id.",
        ),
        (
            Category.ERROR,
            "Import cycle between the stores: Cause: `store/lock.py` imports `store/read.py` at the"
            " top. Fix: Moved the helper to `store/names.py`.",
        ),
        (Category.LESSON, "User feedback on names: said `wait` is too short a name for it"),
        (
            Category.COMPACTION_SUMMARY,
            "Asked: Shorten the lock's timeout\nSolved: Found the cause by killing writers",
        ),
    ]


def test_a_markdown_summary_is_read_by_the_spec() -> None:
    plan = plan_of(["## Decisions", "- chose per-issue files for the record"], agent="engineer")
    assert contents(plan, Category.DECISION) == ["chose per-issue files for the record"]
    assert plan.kept[0].observation.timestamp == NOW


def test_capturing_twice_adds_nothing() -> None:
    plan = worked_session().plan()
    again = worked_session().plan(held(plan))
    assert again.is_empty
    assert again.seen_again == ()
    assert {each.reason.kind for each in again.skipped} == {"captured-before"}


def test_what_a_change_told_is_not_told_anew_by_another_capture() -> None:
    said = (
        "the command string sent to the log only contains the last word of the command. "
        'if "shop session list" is sending "list" it should send "shop session list"'
    )
    made = ClaudeCode().user("Give me the build command.").agent("`make build` builds it.")
    made.user(said).edit("store/log.py").agent("Done. `shop session list` is sent as it is.")
    plan = made.plan()
    assert [it.observation.category for it in plan.kept] == [Category.CODE_CHANGE]
    assert made.plan(held(plan)).is_empty


def test_a_longer_transcript_adds_only_what_is_new() -> None:
    made = worked_session()
    known = held(made.plan())
    made.user("Also make the pause between two tries shorter")
    made.agent("I'll shorten the pause between two tries to ten milliseconds.").edit(
        "store/lock.py"
    )
    made.edit("store/pause.py")
    made.agent("The problem was that `pause()` outlived the lock. `pause.py` sleeps 10 ms now.")
    assert contents(made.plan(known), Category.CODE_CHANGE) == [
        "Make the pause between two tries shorter: The problem was that `pause()` outlived the"
        " lock.\nDone: `pause.py` sleeps 10 ms now.\n"
        "Files: store/lock.py, store/pause.py."
    ]


def test_what_is_known_from_elsewhere_is_seen_again() -> None:
    known = Observation(
        id="obs-9",
        agent="reviewer",
        issue_number=29,
        category=Category.LESSON,
        content="Always run the linter before you commit",
    )
    plan = ClaudeCode().user("always run the linter before you commit!").plan((known,))
    assert plan.is_empty
    assert plan.seen_again == ("obs-9",)


def test_what_is_said_twice_is_kept_once() -> None:
    made = ClaudeCode().user("Always run the linter.").user("always run the linter")
    plan = made.plan()
    assert len(plan.kept) == 1
    assert plan.skipped[0].reason == notice("repeated")


def test_the_limit_keeps_the_most_trusted() -> None:
    plan = worked_session().plan(limit=1)
    assert [each.observation.category for each in plan.kept] == [Category.CODE_CHANGE]
    assert all(each.reason == notice("too-many", most=1) for each in plan.skipped)


def test_secrets_and_private_words_are_cleaned_everywhere() -> None:
    secret = "".join(random.Random(5).choices(string.ascii_letters + string.digits, k=30))
    plan = (
        ClaudeCode()
        .user(f"Always use token={secret} for staging. <private>never tell this</private>")
        .agent(
            f"I stored it. The staging server works now with token={secret}, as you asked me to do."
        )
        .plan()
    )
    assert plan.kept
    assert plan.redactions
    assert secret not in repr(plan)
    assert "never tell this" not in repr(plan)


def test_long_content_is_cut_to_the_limits() -> None:
    plan = ClaudeCode().user(SUMMARY + "  - `x` " * 900, isCompactSummary=True).plan()
    observation = max((each.observation for each in plan.kept), key=lambda it: len(it.content))
    assert len(observation.content) <= 2_000
    assert len(observation.summary) <= 240


def test_nothing_worth_keeping() -> None:
    plan = ClaudeCode().user("hello").agent("Hi! How can I help?").plan()
    assert plan.is_empty
    assert plan_of([]).is_empty
    assert plan_of([]).agent == "agent"
    assert worked_session().plan(agent="engineer").agent == "engineer"


@hypothesis_settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["user", "agent", "edit", "bash", "fail"]),
            st.sampled_from(
                [
                    "Always test the lock.",
                    "We decided to use files because they last.",
                    "make test\nERROR: it broke (x)",
                    "store/a.py: changed",
                    "",
                ]
            )
            | st.text(max_size=30),
        ),
        max_size=8,
    )
)
def test_any_session_is_captured_once(steps: list[tuple[str, str]]) -> None:
    made = ClaudeCode()
    for kind, text in steps:
        if kind == "user":
            made.user(text)
        elif kind == "agent":
            made.agent(text)
        elif kind == "edit":
            made.edit(f"src/{len(text)}.py", text, text[::-1])
        else:
            made.bash("make test", text, failed=kind == "fail")
    plan = made.plan()
    assert len(plan.kept) <= 50
    for each in plan.kept:
        observation = each.observation
        assert 0 < len(observation.content) <= 2_000
        assert 0 < len(observation.summary) <= 240
        assert observation.sources
    assert made.plan(held(plan)).is_empty


def test_a_session_that_goes_on_leaves_no_handoff() -> None:
    lines = [f"{line}\n".encode() for line in worked_session().lines]
    read = read_session(lines).ending_with("The lock is done; next up is the pause of `wait`. " * 3)
    for is_over in (True, False):
        plan = plan_capture(read, issue=29, held=(), now=NOW, settings=Settings(), is_over=is_over)
        assert bool(contents(plan, Category.HANDOFF)) is is_over


@pytest.mark.parametrize("over", [-1, 0, 1, 2])
def test_content_is_cut_from_the_first_character_too_many(over: int) -> None:
    written = Observation("engineer", 29, Category.LESSON, "x" * (MAX_CONTENT + over))
    content = _limited(written).content
    assert len(content) == min(MAX_CONTENT + over, MAX_CONTENT)
    assert content.endswith("…") is (over > 0)


def test_no_space_is_left_where_content_is_cut() -> None:
    words = "x" * (MAX_CONTENT - 2) + " and more"
    written = Observation("engineer", 29, Category.LESSON, words)
    assert _limited(written).content == "x" * (MAX_CONTENT - 2) + "…"


def test_a_handoff_stands_at_the_last_message_it_is_made_of() -> None:
    made = ClaudeCode().user("Shorten the wait for the lock")
    made.agent("I look at the lock.").agent("Next step: measure it with two writers.")
    plan = made.plan()
    (handoff,) = (it.observation for it in plan.kept if it.observation.category == "handoff")
    assert handoff.sources[0] == f"session:s-1#{len(made.lines)}"


def test_a_day_that_is_named_by_another_is_that_of_the_message() -> None:
    said = "We decided yesterday to keep one file for each issue, since a merge is easier."
    made = ClaudeCode().user("How do we keep issues?").agent(said)
    later = json.loads(made.user("Good.").lines.pop())
    made.lines.append(json.dumps({**later, "timestamp": "2026-03-09T12:00:00Z"}))
    (decided,) = contents(made.plan(), Category.DECISION)
    assert decided.startswith("We decided yesterday (2026-02-28) to")


def test_what_does_the_work_of_a_missing_program_is_found_past_other_failures() -> None:
    plan = (
        ClaudeCode()
        .user("Run the tests")
        .bash("pytest -q", "bash: pytest: command not found", failed=True)
        .bash("ls missing", "ls: no such file", failed=True)
        .bash("uv run pytest -q", "12 passed")
        .plan()
    )
    assert any("`pytest` fails here" in it for it in contents(plan, Category.PROCEDURE))


@pytest.mark.parametrize(
    ("branch", "known"),
    [
        ("main", {"branch": "main", "commit": "309f2e8"}),
        ("", {"branch": "main", "commit": "309f2e8"}),
        ("other", {"branch": "other"}),
    ],
)
def test_a_commit_is_told_only_of_the_branch_that_is_checked_out(
    branch: str, known: dict[str, str]
) -> None:
    plan = from_origin(worked_session().plan(), {"branch": "main", "commit": "309f2e8"}, branch)
    assert [it.observation.extra for it in plan.kept] == [known] * len(plan.kept)
