"""Checks that failed and why, what was changed until they passed, and commands that worked."""

from __future__ import annotations

import pytest

from store.capture.candidate import CAPTURED, Candidate, Found, Known, Passed
from store.capture.checks.commands import _general, kind_of, working_commands
from store.capture.checks.failures import command_head, failures
from store.capture.checks.procedures import together
from store.capture.requests.request import exchanges_of, requests_of
from store.model import Category
from tests.store.capture.dialogues import session_of

ASKED = "USER Make the tests of the till pass\n"
LINE = "FAILED tests/test_till.py::test_close - KeyError: 'lease'"
FAILS = f"FAILS pytest tests/test_till.py\n{LINE}\n1 failed, 3 passed\n"
CAUSE = "`close()` fails because the lease is looked up before `take()` has set it in `till.py`."
WHY = f"AGENT {CAUSE}\n"
EDIT = "EDIT shop/till.py\n-a\n+b\n"
PASSES = "BASH pytest tests/test_till.py\n4 passed\n"
HEAD = f"`pytest tests/test_till.py` failed: {LINE}\nCause: {CAUSE}\n"
BANK = "Rows of the queue are dropped because `drop()` in `bank.py` never waits for them."
FIXED = f"{HEAD}Fixed by changing shop/till.py; it passed afterwards."


def _found(text: str) -> list[Found]:
    session = session_of(text)
    return list(failures(session, requests_of(exchanges_of(session))))


def _told(text: str) -> list[str]:
    return [it.content if isinstance(it, Candidate) else "passed" for it in _found(text)]


@pytest.mark.parametrize(
    ("between", "told"),
    [
        (f"{WHY}{EDIT}{PASSES}", FIXED),
        (f"{EDIT}{PASSES}", "passed"),
        (f"{WHY}{PASSES}", "passed"),
        (f"{WHY.replace('the lease', 'a drawer')}{EDIT}{PASSES}", "drawer"),
        (f"AGENT {BANK}\n{EDIT.replace('till', 'bank')}{PASSES}", "bank"),
        (f"{WHY}{EDIT}{PASSES.replace('4 passed', f'kept: {LINE}')}", "passed"),
        (f"{WHY}{EDIT}", "passed"),
        (f"{WHY}BASH ls\na\n{EDIT}BASH cd . && pytest tests/test_till.py -v\n4 passed\n", FIXED),
        (f"{WHY}{EDIT}BASH pytest tests/test_cart.py\n4 passed\n", "passed"),
        (f"{WHY}{EDIT}BASH make test\nok\n", "passed"),
        (f"{EDIT}{PASSES}{WHY}", "passed"),
        (f"{WHY}{EDIT}{FAILS}{EDIT.replace('till', 'cart')}{PASSES}", "and cart"),
        (f"AGENT This is pre-existing: {CAUSE}\n{EDIT}{PASSES}", "passed"),
        (f"{WHY}EDIT tests/test_till.py\n-a\n+b\n{PASSES}", "of tests"),
        (f"{WHY}EDIT /../../../tmp/a.py\n-a\n+b\n{PASSES}", "passed"),
        (
            f"{WHY}AGENT Let me set the lease of drawers before all else is asked:\n{EDIT}{PASSES}",
            "how",
        ),
    ],
)  # fmt: skip
def test_a_failure_is_told_with_its_cause_and_the_change_after_which_it_passed(
    between: str, told: str
) -> None:
    expected = {
        "and cart": FIXED.replace("till.py;", "till.py, shop/cart.py;"),
        "drawer": FIXED.replace("the lease", "a drawer"),
        "bank": FIXED.replace(CAUSE, BANK).replace("shop/till.py", "shop/bank.py"),
        "of tests": FIXED.replace("shop/till.py;", "tests/test_till.py;"),
        "how": FIXED.replace(
            "till.py;", "till.py (set the lease of drawers before all else is asked);"
        ),
    }.get(told, told)
    assert _told(f"{ASKED}{FAILS}{between}") == [expected]


def test_a_failure_stands_where_it_passed_and_rests_on_both_runs() -> None:
    text = f"{ASKED}{FAILS}{WHY}{EDIT}{PASSES}"
    (found,) = _found(text)
    assert isinstance(found, Candidate)
    assert (found.category, found.line, found.passage) == (Category.ERROR, 10, CAUSE)
    assert found.summary == f"`pytest tests/test_till.py` failed: {LINE} – {CAUSE}"
    session = session_of(text)
    assert found.marks == session.marks([session.steps[0], session.steps[2]])


@pytest.mark.parametrize(
    ("before", "is_told"),
    [
        ("", True),
        (EDIT, False),
        (EDIT.replace("till.py", "cart.py"), True),
        ("REFUSED Edit {\"file_path\": \"/home/someone/shop/shop/till.py\"}\nno\n", True),
    ],
)  # fmt: skip
def test_what_failed_in_what_was_just_changed_teaches_nothing(before: str, is_told: bool) -> None:
    text = f"{ASKED}{before}{FAILS}{WHY}{EDIT}{PASSES}"
    assert _told(text) == [FIXED if is_told else "passed"]
    tests = f"{ASKED}{before}{FAILS}{WHY}{EDIT.replace('shop/till', 'tests/test_till')}{PASSES}"
    assert (_told(tests) != ["passed"]) is (not before or before.startswith("REFUSED"))


def test_the_same_failure_of_two_requests_is_told_once_and_another_is_told_too() -> None:
    again = f"USER Run the tests of the till once more\n{FAILS}{WHY}{EDIT}{PASSES}"
    assert _told(f"{ASKED}{FAILS}{WHY}{EDIT}{PASSES}{again}") == [FIXED]
    other = FAILS.replace("test_close", "test_open").replace("'lease'", "'row'")
    told = _told(f"{ASKED}{FAILS}{WHY}{EDIT}{PASSES}USER And the others of the till?\n{other}")
    assert told == [FIXED, "passed"]
    assert _told(f"{ASKED}{FAILS}{FAILS}USER Once more the tests please\n{FAILS}") == ["passed"]


def test_of_two_failures_of_a_request_each_has_its_own_cause() -> None:
    lint = "FAILS make check\nerror: cannot find `rows.h` in the path\n"
    why = "AGENT The check fails since `rows.h` is made by `make rows`, which never ran.\n"
    made = "EDIT Makefile\n-a\n+b\nBASH make check\nok\n"
    first, second = _told(f"{ASKED}{FAILS}{WHY}{EDIT}{PASSES}{lint}{why}{made}")
    assert first == FIXED
    assert second.startswith("`make check` failed: error: cannot find `rows.h`")
    assert "Cause: The check fails since `rows.h`" in second
    assert "Fixed by changing Makefile; it passed afterwards." in second


def test_cases_that_the_line_does_not_name_are_named_up_to_four() -> None:
    cases = "\n".join(f"FAILED tests/test_till.py::test_{name} - x" for name in "fedcba")
    fails = f"FAILS pytest tests\nE   KeyError: 'lease'\n{cases}\n6 failed\n"
    passes = "BASH pytest tests\n6 passed\n"
    (told,) = _told(f"{ASKED}{fails}{WHY}{EDIT}{passes}")
    names = ", ".join(f"tests/test_till.py::test_{name}" for name in "abcd")
    assert told.startswith(f"`pytest tests` failed ({names}): KeyError: 'lease'\n")


def test_a_run_in_which_one_of_the_cases_still_fails_did_not_pass() -> None:
    two = FAILS.replace(LINE, f"{LINE}\nFAILED tests/test_till.py::test_open - KeyError: 'x'")
    one = "BASH pytest tests/test_till.py\nFAILED tests/test_till.py::test_open - KeyError: 'x'\n"
    bank = EDIT.replace("till.py", "bank.py")
    (told,) = [it for it in _told(f"{ASKED}{two}{WHY}{EDIT}{one}{bank}{PASSES}") if it != "passed"]
    assert "Fixed by changing shop/till.py, shop/bank.py" in told


def test_what_was_not_seen_to_pass_is_told_for_a_cause_of_the_run_alone() -> None:
    build = "USER Build the shop\nFAILS make build\nerror: cannot find `rows.h` in the path\n"
    why = (
        "AGENT The build fails because rows of `rows.h` are made by `make all`, which never ran.\n"
    )
    (told,) = _told(build + why)
    assert told.endswith("\nIt was not seen to pass in this session.")
    assert _told(f"{build}{why}{EDIT}") == ["passed"]
    assert _told(f"{build}BASH make test\nok\n{why}") == ["passed"]
    script = (
        "USER Try it\nWRITE probe.py\nx\nFAILS python probe.py test\nerror: no `rows.h` found\n"
    )
    assert _told(script + why.replace("build", "test")) == ["passed"]


def test_what_does_not_run_is_a_fact_unless_it_ran_in_another_way() -> None:
    text = "USER Run the tests\nFAILS npm test -- --silent\nsh: vitest: command not found\n"
    (found,) = _found(text)
    assert isinstance(found, Candidate)
    assert (found.category, found.line) == (Category.KEY_FACT, 4)
    assert found.content == "`npm test` does not run here: sh: vitest: command not found"
    assert _told(f"{text}BASH npm test\n3 passed\n") == ["passed"]
    assert len(_told(f"{text}BASH pytest\n3 passed\n")) == 1
    (node,) = _told(
        text.replace("sh: vitest: command not found", "Error: Cannot find module 'node:fs'")
    )
    assert node.endswith("(the Node that ran is older than 14.18)")


def test_the_command_that_checks_is_the_head_of_a_line() -> None:
    assert command_head("cd a && ls && make b && npm test") == "make b"
    assert command_head("ls && git status") == "ls"
    assert len(command_head(f"make {'x ' * 90}")) <= 100


def _commands(text: str, known: Known = Known()) -> list[Found]:  # noqa: B008
    return list(working_commands(session_of(text), known, ("/home/someone",)))


LINT = "BASH ruff check .\nok\n"
TEST = "BASH cd web && uv run pytest -k sums\n3 passed\n"
TOLD = "lint: `ruff check .`; run some tests: `uv run pytest -k <name>` in `shop/web`"


def test_the_last_command_of_each_kind_that_worked_is_told() -> None:
    (found,) = _commands(f"BASH ruff check shop/a\nok\n{LINT}FAILS ruff check b\nno\n{TEST}")
    assert isinstance(found, Candidate)
    assert found.content == f"Commands that worked here: {TOLD}"
    session = session_of(f"BASH ruff check shop/a\nok\n{LINT}FAILS ruff check b\nno\n{TEST}")
    assert found.marks == session.marks([session.steps[1], session.steps[3]])
    assert (found.line, found.passage) == (8, "ruff check . cd web && uv run pytest -k sums")
    helper = 'HELPER Bash {"command": "ruff check ."}\nok\nOPEN Bash {"command": "ruff check ."}\n'
    assert _commands(helper) == []
    assert _commands("BASH npm test\nok\n") == []
    (both,) = _commands(f"BASH npm test\nok\n{LINT}")
    assert isinstance(both, Candidate) and "run the tests: `npm test`" in both.content
    assert _commands(f"BASH make test | tail\n{LINE}\n1 failed\n") == []
    (away,) = _commands("BASH cd /srv/other && make check-all test\nok\n")
    assert isinstance(away, Candidate) and away.content.endswith(" test`")


def test_of_what_memory_knows_nothing_is_told_again() -> None:
    known = Known(procedures=f"Commands that worked here: {TOLD}")
    assert _commands(LINT + TEST, known) == [Passed(TOLD, CAPTURED)]
    held = {"obs-1": "Commands that worked here: format: `make fmt`", "obs-2": "Ask Greta."}
    one = Known(procedures="lint: `ruff check .`", standing=held)
    (found,) = _commands(LINT + TEST, one)
    assert isinstance(found, Candidate)
    assert found.content.endswith("format: `make fmt`; " + TOLD.partition("; ")[2])
    session = session_of(LINT + TEST)
    assert found.marks == ("obs-1", *session.marks(session.steps[1:]))


@pytest.mark.parametrize(
    ("between", "is_told"),
    [("", True), ("BASH ls\na\n" * 7, True), ("BASH ls\na\n" * 8, False)],
)
def test_a_command_stands_in_for_one_that_is_missing_soon_after_it(
    between: str, is_told: bool
) -> None:
    missing = "FAILS pytest -q\nbash: pytest: command not found\n"
    text = (
        f"{missing}{between}BASH uv run pytest -q\n3 passed\nBASH poetry run pytest -q\n3 passed\n"
    )
    told = [it.content for it in _commands(text) if isinstance(it, Candidate)]
    stands_in = (
        "Run the tests with `uv run pytest -q`: `pytest` fails here"
        " (bash: pytest: command not found)"
    )
    assert told[1:] == ([stands_in] if is_told else [])
    assert len(_commands(f"{missing}BASH pytest -q -x\n3 passed\n{LINT}")) == 1
    assert len(_commands(f"{missing}{LINT}")) == 1


@pytest.mark.parametrize(
    ("command", "kind", "general"),
    [
        ("pytest -q", "Run the tests", "pytest -q"),
        ("pytest tests/a.py tests/b.py -q", "Run some tests", "pytest <path> -q"),
        ("pytest a.py::test_b", "Run some tests", "pytest <file>::<name>"),
        ("npx jest -t 'sums rows'", "Run some tests", "npx jest -t <name>"),
        ("cargo test sums -- --nocapture", "Run some tests", "cargo test <name> -- --nocapture"),
        ("bash tests/test.sh", "Run the tests", "bash tests/test.sh"),
        ("bash tests/test.sh tests/a.py", "Run some tests", "bash tests/test.sh <path>"),
        ("eslint . --format json", "Lint", "eslint ."),
        ("eslint src/a.ts", "", "eslint src/a.ts"),
        ("ruff check --config ruff.toml", "Lint", "ruff check --config ruff.toml"),
        ("make build", "Build", "make build"),
        ("deploy", "", "deploy"),
        ("npm run deploy:shop", "Deploy", "npm run deploy:shop"),
        ("make test > /tmp/a", "", "make test > /tmp/a"),
        ('pytest -k "a', "", "pytest -k <name>"),
    ],
)
def test_what_a_command_is_for_and_what_is_of_the_occasion(
    command: str, kind: str, general: str
) -> None:
    assert kind_of(command) == kind
    assert kind_of(command.ljust(121)) == "" and kind_of(f"{command} {'x' * 120}") == ""
    if kind:
        assert _general(command) == general


def test_commands_held_in_several_stand_in_the_order_in_which_they_were_learned() -> None:
    def told(*commands: str) -> str:
        return f"Commands that worked here: {'; '.join(commands)}"

    lint, test, build = "lint: `ruff check`", "run the tests: `pytest`", "build: `make`"
    held = {"a": told(lint, test), "b": "Ask.", "c": told("lint: `ruff check -q`")}
    assert together([build], held) == (
        told(lint.replace("`ruff check`", "`ruff check -q`"), test, build),
        ("c", "a"),
    )
    assert together([lint], {}) == (told(lint), ())
    many = [f"build: `make part{at}`" for at in "abcdefghijkl"]
    assert together(many[:1], {"a": told(*many[1:])}) == (told(*many[1:], many[0]), ("a",))
    assert together(many[:2], {"a": told(*many[2:], lint)}) == (told(*many[:2]), ())
    both = [f"{lint} in `web`", f"{lint} in `api`"]
    assert together(both, {"a": told(lint)})[0] == told(lint, *both)
