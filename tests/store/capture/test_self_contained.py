"""What is told says by itself what it is about, and says it truly."""

from __future__ import annotations

import json

import pytest

from store.agents.formats import read_session
from store.capture.handoff import left_open
from store.capture.requests.request import title_of
from store.capture.requests.rulings import is_standing, settles
from store.capture.steps.shell import files_done
from store.capture.text.accounts import aims_of, closing_account
from store.capture.text.prose import plain, prose_lines
from store.model import Category
from tests.store.capture.transcripts import ClaudeCode, contents


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Names match `^[a-z](?:x)$`.", "Names match `^[a-z](?:x)$`."),
        ("See [`cart.py`](/home/someone/shop/cart.py).", "See `cart.py`."),
        (
            "`__init__` and __main__ stay, __as it was__ said.",
            "`__init__` and __main__ stay, as it was said.",
        ),
        ("**Both** of `a**b**c`", "Both of `a**b**c`"),
    ],
)
def test_what_stands_in_code_is_no_markup(line: str, told: str) -> None:
    assert plain(line) == told


def test_a_row_is_told_without_its_number() -> None:
    table = (
        "| # | What | Where |\n|---|---|---|\n| 2 | Bounds are checked | `till.py` |\n| a | b | c |"
    )
    assert list(prose_lines(table, tables=True)) == ["Bounds are checked – `till.py`", "a – b – c"]


def test_a_ruling_that_leans_on_the_sentence_before_is_told_with_it() -> None:
    made = (
        ClaudeCode()
        .user("Find the lines of the invoice")
        .edit("find.py")
        .agent("Done with `find.py`.")
    )
    made.user("`rg` is not on every till. We should either check for its existence or use `grep`.")
    (decision,) = contents(made.plan(), Category.DECISION)
    assert decision.startswith("`rg` is not on every till. We should either check")


@pytest.mark.parametrize(
    "answer",
    [
        "leaning towards two files, but need more info on both to decide",
        "I like the first one, but fear that it adds a lot of work..",
    ],
)
def test_who_has_not_decided_yet_chose_nothing(answer: str) -> None:
    question = "How should prices be kept?"
    given: dict[str, object] = {"questions": [{"question": question, "options": []}]}
    made = ClaudeCode().user("Plan the cart")
    made.call("AskUserQuestion", given, f'The user answered: "{question}"="{answer}".')
    assert contents(made.plan(), Category.DECISION) == []


def test_a_task_of_a_team_is_told_by_its_subject() -> None:
    task = {
        "type": "task_assignment",
        "taskId": "3",
        "subject": "CART-1: Round each line of a cart",
        "description": "In cart.py.",
    }
    idle = {"type": "idle_notification", "from": "tester", "timestamp": "2026-03-01"}
    notes = (json.dumps(each, separators=(",", ":")) for each in (task, idle))
    tag = "teammate-message"
    text = "\n\n".join(f'<{tag} teammate_id="lead">\n{each}\n</{tag}>' for each in notes)
    made = (
        ClaudeCode()
        .user(text)
        .edit("cart.py")
        .agent("`cart.py` rounds each line, since the sum lost a cent.")
    )
    (change,) = contents(made.plan(), Category.CODE_CHANGE)
    assert change.startswith("CART-1: Round each line of a cart: ") and "idle" not in change


def test_a_heading_and_a_pasted_output_are_cut_where_their_words_end() -> None:
    assert title_of("You are one of a team.\n\n## Task from the list: round prices\n\nDo.") == (
        "Task from the list: round prices"
    )
    asked = "Round the prices once, and also I see stuff like this ⏺ Bash(cat prices.json)"
    assert title_of(asked) == "Round the prices once, and also I see stuff like this"


def test_paths_of_the_project_are_told_from_its_root() -> None:
    made = ClaudeCode().user("Round the sums once").edit("cart.py")
    made.agent("`/home/someone/shop/cart.py` rounds once, since two roundings lost a cent.")
    (change,) = contents(made.plan(), Category.CODE_CHANGE)
    assert change.startswith("Round the sums once: `cart.py` rounds once")


def test_planning_texts_stand_neither_alone_nor_beside_a_change() -> None:
    made = ClaudeCode().user("Round the sums once").edit("cart.py")
    made.agent("`cart.py` rounds the sum once, since two roundings lost a cent.")
    made.user("add the other tills to the plan").edit(".plans/STATE.md")
    made.agent("`.plans/STATE.md` lists the three tills of the second phase and their eight tasks.")
    (change,) = contents(made.plan(), Category.CODE_CHANGE)
    assert ".plans" not in change
    alone = ClaudeCode().user("Plan the next phase").edit(".plans/ROADMAP.md")
    alone.agent("`.plans/ROADMAP.md` has phase 4 with five tasks, from prices to the till.")
    alone.user("and count it in the state").edit(".plans/STATE.md").agent(
        "`.plans/STATE.md` counts five open tasks now."
    )
    assert contents(alone.plan(), Category.CODE_CHANGE) == []


@pytest.mark.parametrize(
    "said",
    [
        "Todo saved: `.plans/todos/round-the-prices.md`",
        "Phase 12.3 scope updated.",
        "Cart phase: 4 plan(s) in 2 wave(s)",
        "Execute phase 12.3 with all of its plans.",
        "Now, back to the `till` app for a while.",
        "Now rebuild the release and you'll be able to open it.",
        "Please log in when you get a chance.",
        "Test 2 – the second till registers – PASSED – as pending",
        "Replied to the comment about `till`.",
        "Per project rules I can't skip the signature.",
    ],
)
def test_what_a_workflow_says_of_itself_is_no_account(said: str) -> None:
    told = "`render` escapes braces before the path is composed."
    assert closing_account(f"{told}\n\n{said}") == told


def test_an_aim_that_names_only_files_says_nothing() -> None:
    made = (
        ClaudeCode()
        .agent("Let me fix all 4 files in parallel, then delete the backup:")
        .edit("a.py")
    )
    made.agent("Now let me fix the speed-tunnel.tsx:").edit("b.py").agent("Ready.")
    from store.agents.formats import read_session

    session = read_session(f"{line}\n".encode() for line in made.lines)
    assert aims_of(session.steps) == []


def test_a_bet_and_a_choice_that_is_asked_for_are_no_findings() -> None:
    found = (
        "The login in `auth.ts:31` fails after `verify` took the code, because the frame of"
        " `CoreKit` has another origin than the page has in a release: `tauri://localhost`."
    )
    looked = ClaudeCode().user("Why does the login fail?")
    looked.bash("git log -3", "dfba5083").bash("cat auth.ts", "x").bash("ls", "auth.ts")
    guess = found.replace("fails after", "is my bet: it fails after")
    assert (
        len(contents(ClaudeCode(lines=list(looked.lines)).agent(found).plan(), Category.KEY_FACT))
        == 1
    )
    assert not contents(ClaudeCode(lines=list(looked.lines)).agent(guess).plan(), Category.KEY_FACT)
    asked = f"{found}\n\nWhich of the two ways would you prefer?"
    assert not contents(ClaudeCode(lines=list(looked.lines)).agent(asked).plan(), Category.KEY_FACT)


def test_what_does_not_run_says_what_it_needs() -> None:
    made = ClaudeCode().user("Run the tests")
    made.bash("npm test", "Error: Cannot find module 'node:path'", failed=True)
    (fact,) = contents(made.plan(), Category.KEY_FACT)
    assert fact.endswith("'node:path' (the Node that ran is older than 14.18)")


def test_the_one_command_that_anybody_tries_first_is_no_procedure() -> None:
    assert not contents(ClaudeCode().bash("npm test", "ok").plan(), Category.PROCEDURE)
    two = ClaudeCode().bash("npm test", "ok").bash("npm run lint:fix", "ok")
    assert not contents(two.bash("bun test src/till.test.ts", "ok").plan(), Category.PROCEDURE)
    own = ClaudeCode().bash("npm test", "ok").bash("npm run lint:till", "ok")
    assert contents(own.plan(), Category.PROCEDURE)
    placed = ClaudeCode().bash("cd web && npm test", "ok")
    assert contents(placed.plan(), Category.PROCEDURE)


@pytest.mark.parametrize(
    "command",
    ["npx create-next-app@latest till --eslint", "make compose-down", "make up", "npm i --no-lint"],
)
def test_what_only_names_a_check_is_none(command: str) -> None:
    assert not contents(ClaudeCode().bash(command, "ok").plan(), Category.PROCEDURE)


def test_a_plan_refused_for_a_bug_teaches_no_rule() -> None:
    said = "Also it seems that the prices of the till aren't really working, else you had seen them"
    refused = f"The user doesn't want to proceed. the user said:\n{said}"
    made = (
        ClaudeCode().user("Round prices").call("ExitPlanMode", {"plan": "x"}, refused, failed=True)
    )
    assert contents(made.plan(), Category.LESSON) == []


@pytest.mark.parametrize(
    "said",
    [
        "Most remaining tasks are either in-progress by others or blocked.",
        "The remaining tasks (CART-3 pending, CART-7 in progress) belong to other team members.",
        "`client.ts` line 11 (`tokens`) — wait, there were two entries for `tokens`.",
    ],
)
def test_what_is_of_others_or_thought_aloud_is_neither_told_nor_open(said: str) -> None:
    told = "`render` escapes braces before the path is composed."
    assert closing_account(f"{told}\n\n{said}") == told
    made = (
        ClaudeCode()
        .user("Escape the braces of each path")
        .edit("render.py")
        .agent(f"{told} {said}")
    )
    assert contents(made.plan(), Category.HANDOFF) == []


def test_a_row_ends_with_what_it_says() -> None:
    head = "| Part | What | Took |\n|---|---|---|\n"
    table = (
        f"{head}| Till | Prices are rounded once | 4 min |\n| Cart | Sums | Done |\n| A | b | - |"
    )
    assert list(prose_lines(table, tables=True)) == [
        "Till – Prices are rounded once",
        "Cart – Sums",
        "A – b",
    ]


def test_what_is_sent_elsewhere_is_no_file_of_a_command() -> None:
    assert [each.path for each in files_done("mv a.json plugins/ 2>&1")] == [
        "a.json",
        "plugins/a.json",
    ]
    assert [each.path for each in files_done("mv a.json b.json 2>/dev/null")] == [
        "a.json",
        "b.json",
    ]


def test_an_output_format_is_of_the_occasion() -> None:
    made = ClaudeCode().bash("npx eslint src/", "ok").bash("npx eslint src/ -f json", "[]")
    (procedure,) = contents(made.bash("npm run build", "ok").plan(), Category.PROCEDURE)
    assert procedure == "Commands that worked here: lint: `npx eslint src/`; build: `npm run build`"


def test_how_the_agent_is_to_work_is_no_choice_and_else_no_option() -> None:
    made = (
        ClaudeCode()
        .user("Plan it")
        .agent("1. **Subagent-driven** - one a task\n2. **Inline execution** - here\n\nWhich one?")
    )
    assert contents(made.user("1").plan(), Category.DECISION) == []
    made = (
        ClaudeCode()
        .user("Draw it")
        .agent(
            "1. **Round prices** - once\n2. **Cut prices** - never\n"
            "3. **Something else** - tell me.\n\nWhich?"
        )
    )
    (decision,) = contents(made.user("1 and 3").plan(), Category.DECISION)
    assert decision.splitlines()[0] == "Chosen: Round prices - once"


@pytest.mark.parametrize(
    ("said", "is_named"),
    [
        ("how would option 1 be shown to anybody? seems like #2 is the way to go", True),
        ("option 2, not option 1", True),
        ("option 2 instead of option 1, for the sums", True),
        ("rather than option 1 I would take number 2", True),
        ("number 2 over number 1, it can be added up", True),
        ("not option 1, it can't be added up", False),
    ],
)
def test_an_option_that_is_picked_by_its_number_is_named(said: str, is_named: bool) -> None:
    question = "How are prices kept?"
    options = [
        {"label": "Hashed", "description": "no sums"},
        {"label": "Plain", "description": "as cents"},
    ]
    given: dict[str, object] = {"questions": [{"question": question, "options": options}]}
    made = ClaudeCode().user("Plan it").call("AskUserQuestion", given, f'"{question}"="{said}".')
    (decision,) = contents(made.plan(), Category.DECISION)
    assert decision.startswith(f"{question} The user chose: {said}")
    assert ("(2: Plain, as cents)" in decision) is is_named
    assert "(1:" not in decision


def test_a_review_that_only_says_what_it_could_not_do_found_nothing() -> None:
    made = ClaudeCode().user("Review the branch").bash("git diff main", "+ x")
    made.agent(
        "Read were the till and the cart.\n\nOne caveat from verification: I couldn't run the tests"
        " of `till` due to a local issue (`Cannot find module 'x'` from `npm`), so this is a static"
        " review only."
    )
    assert contents(made.plan(), Category.CODE_CHANGE) == []


def test_rules_for_an_agents_task_are_none_of_the_project() -> None:
    brief = (
        "# Plan: cache the prices\n\n## Context\n\nThe prices are read from the disk for each cart,"
        " which takes 2 s.\n\n## Important rules\n\nRead each file before you edit it. Keep the"
        " structure.\n"
    )
    assert not any(
        "Read each file" in each
        for each in contents(ClaudeCode().user(brief).plan(), Category.DECISION)
    )


@pytest.mark.parametrize(
    "answer",
    [
        "could you please explain these ways more thoroughly so that I can understand them..",
        "The till only lists them by name? what are the pros/cons of each way? I need comparisons",
        "On the one hand I want it clean, on the other it must never lose a cent",
    ],
)
def test_who_asks_back_or_weighs_chose_nothing(answer: str) -> None:
    question = "How should prices be kept?"
    given: dict[str, object] = {"questions": [{"question": question, "options": []}]}
    made = ClaudeCode().user("Plan the cart")
    made.call("AskUserQuestion", given, f'"{question}"="{answer}".')
    assert contents(made.plan(), Category.DECISION) == []


def test_what_a_program_of_the_project_demands_is_a_lesson() -> None:
    said = "The hook requires `api.json` to be staged whenever a route is, even if it is the same."
    made = (
        ClaudeCode().user("Commit it").agent(said).edit("cart.py").agent("`cart.py` rounds once.")
    )
    assert contents(made.plan(), Category.LESSON) == [said]


def test_a_change_whose_commit_failed_is_told_by_what_it_would_have_said() -> None:
    made = ClaudeCode().user("they are not happy with it").edit("cart.py")
    made.bash(
        "git commit -m 'Refuse an unknown till instead of hashing its name'", "no key", failed=True
    )
    (change,) = contents(made.plan(), Category.CODE_CHANGE)
    assert change.startswith("Refuse an unknown till")


def test_who_waits_for_the_person_leaves_that_open() -> None:
    made = ClaudeCode().user("Commit the rounding of `cart.py`").edit("cart.py")
    made.bash("git commit -m 'Round once'", "no key", failed=True)
    made.agent(
        "Got it, I'll wait for you to fix the signing agent. Then I'll commit `cart.py` again."
    )
    assert "waits for you to fix the signing agent" in left_open(
        read_session(f"{line}\n".encode() for line in made.lines)
    )
    assert not contents(made.plan(), Category.HANDOFF)


def test_a_workflows_next_command_is_neither_told_nor_open() -> None:
    told = "`render` escapes braces before the path is composed."
    made = ClaudeCode().user("Escape the braces of each path").edit("render.py")
    made.agent(f"{told}\n\nNext step when you're ready: `/plan:next 12` (in a fresh context).")
    assert not contents(made.plan(), Category.HANDOFF)


def test_where_a_checkout_stands_is_no_finding() -> None:
    looked = ClaudeCode().user("Is this checkout clean?").bash("git fetch", "ok")
    looked.bash("git status", "x").bash("git log -1", "dfba5083")
    told = (
        "Local `HEAD` is `dfba5083`, and `origin/main` is `dfba5083`, because the fetch brought"
        " nothing. Not fully clean: one untracked folder is left, `.store/`. Behind is 0."
    )
    assert contents(looked.agent(told).plan(), Category.KEY_FACT) == []


@pytest.mark.parametrize(
    "said",
    [
        "wait i want to find the right database, because this is hosted elsewhere",
        "its only like too specific ish, not so much. idkkkk",
    ],
)
def test_who_wavers_settles_nothing(said: str) -> None:
    assert not settles(said)


def test_what_is_specified_in_a_manual_is_no_plan() -> None:
    page = (
        "# Environment variables\n\nThey are specific to a worker.\n\n## Overview\n\nYou can add"
        " them to a worker as text or JSON.\n\n## Notes\n\nThey are not encrypted, and read at the"
        " start.\n"
    )
    assert contents(ClaudeCode().user(page).plan(), Category.DECISION) == []


@pytest.mark.parametrize(
    "said",
    [
        "but why are we using cyan for the till",
        "idk about this wording, only three records must be checked",
        "i have a question.. the till shows a hint, should we do the same for the cart",
        "which do you think must be used.. manual or automatic",
        "i dont get the metal panel idea",
    ],
)
def test_a_question_without_its_mark_decides_nothing(said: str) -> None:
    made = ClaudeCode().user("Draw the till").agent("I would draw the panel in cyan. Shall I?")
    made.user(said).agent(
        "Cyan is the colour of the till, and the panel must show only three records."
    )
    assert contents(made.plan(), Category.DECISION) == []


@pytest.mark.parametrize(
    "said",
    [
        "Dev server is still live at http://127.0.0.1:5174/ now.",
        "One note: `git status` also shows an untracked `.codex/`.",
        "Fetch is clean and the staged patch is exactly one file.",
        "`README.md` was already dirty before this change; I left it alone.",
    ],
)
def test_the_state_of_the_machine_is_no_account(said: str) -> None:
    told = "`render` escapes braces before the path is composed."
    assert closing_account(f"{told}\n\n{said}") == told


def test_to_be_allowed_an_edit_leaves_nothing_open() -> None:
    made = ClaudeCode().user("pode fazer as alterações").edit("till.py", failed=True)
    made.agent("`till.py` espera 3 linhas. Pode aprovar a edição do arquivo `till.py` agora?")
    assert contents(made.plan(), Category.HANDOFF) == []


def test_what_a_finding_tells_is_told_once() -> None:
    found = (
        "The root cause: `lease.take` in `queue.py:31` never checks the owner, because the lease is"
        " told before it is written. Two workers read the old one in between, so a job runs twice."
    )
    made = ClaudeCode().user("Why does the queue run a job twice?")
    made.bash("git log -3", "dfba5083").bash("cat queue.py", "x").bash("ls", "queue.py")
    kept = made.agent(found).plan().kept
    assert [each.observation.category for each in kept] == [Category.KEY_FACT]


def test_what_was_chosen_is_told_once() -> None:
    made = (
        ClaudeCode()
        .user("Show who wrote it")
        .agent(
            "1. **Detail only** - the author in the detail view, one log of a path is fast enough\n"
            "2. **Skip it** - leave the author out until `ENT-9` stores it\n\nWhich one?"
        )
    )
    made.user("1").agent(
        "Show the author only in the detail view: one log of a path is fast enough."
    )
    assert len(contents(made.plan(), Category.DECISION)) == 1


def test_a_file_that_the_account_names_is_not_listed_again() -> None:
    made = ClaudeCode().user("Round each sum of the shop once")
    for name in ("cart.py", "till.py", "tax.py", "sum.py"):
        made.edit(f"shop/{name}")
    made.agent(
        "`shop/cart.py`, `shop/till.py` and `shop/tax.py` add up before they round the sum once."
    )
    (change,) = contents(made.plan(), Category.CODE_CHANGE)
    assert change.endswith("Files: shop/sum.py.") or "\nFiles: " not in change
    assert all(f"shop/{name}" in change for name in ("cart.py", "till.py", "tax.py", "sum.py"))


def test_a_placeholder_in_a_template_is_no_title() -> None:
    asked = (
        "Do the next open task of the list. Documents begin like this:\n\n# Descriptive Title\n\n"
        "created: YYYY-MM-DD\n"
    )
    assert title_of(asked).startswith("Do the next open task of the list")
    assert title_of("# [Feature name]\n\nRound each line.").startswith("Round each")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Does the shape land the way you meant?", "Close, but not quite - let me redirect"),
        ("What gets worked today (2026-07-24)?", "The guard of the till"),
        ("The cost needs approval before I dispatch anything.", "Approve ~11 and dispatch now"),
    ],
)
def test_what_is_approved_or_worked_on_today_is_no_decision(question: str, answer: str) -> None:
    given: dict[str, object] = {"questions": [{"question": question, "options": []}]}
    made = ClaudeCode().user("Plan it").call("AskUserQuestion", given, f'"{question}"="{answer}".')
    assert contents(made.plan(), Category.DECISION) == []


def test_a_prompt_for_a_program_settles_nothing() -> None:
    prompt = (
        "Write a synopsis of the session. NEVER begin with words like Great. ALWAYS be specific,"
        " not vague. You MUST NOT tell what was tried. IMPORTANT: keep it only to what was done."
    )
    made = ClaudeCode().user("Go on").agent("Which style must it have?").user(prompt)
    made.agent("The synopsis must be specific, not vague, and only of what was done.")
    plan = made.plan()
    assert not contents(plan, Category.DECISION) and not contents(plan, Category.LESSON)


def test_what_a_formatter_mends_is_no_error() -> None:
    made = (
        ClaudeCode()
        .user("Round the sums")
        .bash("npm run check", "× Formatter would have printed the following content:", failed=True)
    )
    made.agent("`npm run check` failed because of formatting only.").edit("cart.ts")
    made.bash("npm run check", "ok")
    assert contents(made.plan(), Category.ERROR) == []


@pytest.mark.parametrize(
    "said",
    [
        "There are no more tasks for this loop in `plan.md`, so the next steps are left to others.",
        "If a load of the root is pending, `tree.ts` returns the old item.",
        "I am exiting immediately so another agent can handle the next steps of `x.md`.",
    ],
)
def test_nothing_is_open_where_a_loop_ends(said: str) -> None:
    made = ClaudeCode().user("Do the next task of the list").edit("tree.ts")
    made.agent(f"`tree.ts` keeps its rows while it loads, since they jumped. {said}")
    assert contents(made.plan(), Category.HANDOFF) == []


def test_to_wire_something_is_a_request() -> None:
    assert not is_standing("Wire this into tree.ts so that whenever one is selected it is loaded.")


@pytest.mark.parametrize(
    "said",
    [
        "Note: `.tmux/last` is currently modified by a run; I did not touch or revert it.",
        "Note: `.accounts` was already changed by the failed path: I left those untouched.",
    ],
)
def test_what_an_agent_left_alone_is_no_lesson(said: str) -> None:
    made = ClaudeCode().user("Round the sums").edit("cart.py")
    made.agent(f"`cart.py` rounds once, since two roundings lost a cent. {said}")
    assert contents(made.plan(), Category.LESSON) == []


def test_what_git_printed_is_nobodys_ruling() -> None:
    printed = (
        'Changes not staged for commit: (use "git add <file>..." to update what will be committed)'
        " [main 2485e24] lock 1 file changed, 9 insertions(+), 9 deletions(-), only that"
    )
    made = ClaudeCode().user("Lock the plugins").agent("Shall I commit the lock file only?")
    made.user(printed).agent("1 file changed: only the lock must be committed, 9 insertions.")
    assert contents(made.plan(), Category.DECISION) == []
