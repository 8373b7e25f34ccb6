"""Where what was captured is filed, and which of its words are kept."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.agents.paths import project_path
from store.agents.session import Session
from store.agents.shell import commit_message, files_done
from store.agents.tools import edits_of
from store.agents.transcript import Message, Speaker, ToolCall
from store.capture.candidate import Candidate, Found, Skipped
from store.capture.evidence.commands import together
from store.capture.key_sentences import key_sentences, words_in
from store.capture.plan import CapturePlan, plan_capture
from store.model import Category, Observation
from store.notice import notice
from store.recall.overlaps import giving_way
from store.sessions.place import issue_for, issue_from_branch
from store.settings.schema import Settings
from tests.store.capture.transcripts import NOW, ClaudeCode, contents
from tests.store.factories import observation

ENDED = NOW - timedelta(hours=1)
SAID = Message(line=9, at=ENDED, speaker=Speaker.USER, text="Tabs.")
SESSION = Session(
    id="s", folder="/home/someone/shop", branch="main", agent="codex", messages=(SAID,)
)
LOCK = "The lock of the manifest waits five seconds for its holder."
QUEUE = "Rows of `queue.py` are lost at night, because `close()` drops them before `flush()`."


def _found(content: str = LOCK, category: str = Category.DECISION, **more: Any) -> Candidate:  # noqa: ANN401
    return Candidate(
        **{"line": 3, "passage": "said", **more, "category": category, "content": content}
    )


def _plan(*found: Found, held: tuple[Observation, ...] = (), **more: Any) -> CapturePlan:  # noqa: ANN401
    given = {"session": SESSION, "settings": Settings(), **more}
    session = given.pop("session")
    return plan_capture(session, issue=29, held=held, now=NOW, found=found, **given)


def _told(plan: CapturePlan) -> list[Observation]:
    return [each.observation for each in plan.kept]


def _reasons(plan: CapturePlan) -> list[str]:
    return [each.reason.kind for each in plan.skipped]


def test_all_that_is_known_of_what_was_found_is_filed() -> None:
    found = _found(summary="In short", marks=("a", "session:s#3", "b"), at=NOW - timedelta(days=3))
    plan = _plan(found._replace(finder="answers"))
    assert plan.kept[0].passage == "said"
    assert _told(plan) == [
        Observation(
            agent="codex",
            issue_number=29,
            category=Category.DECISION,
            content=LOCK,
            summary="In short",
            timestamp=NOW - timedelta(days=3),
            session_id="s",
            sources=("session:s#3", "a", "b"),
            extra={"finder": "answers"},
        )
    ]


@pytest.mark.parametrize(
    ("branch", "checkout", "filed"),
    [
        ("main", {"branch": "main", "commit": "309f2e8"}, {"branch": "main", "commit": "309f2e8"}),
        ("locks", {"branch": "main", "commit": "309f2e8"}, {"branch": "locks"}),
        ("", {"branch": "main", "commit": "309f2e8"}, {"branch": "main", "commit": "309f2e8"}),
        ("locks", {}, {"branch": "locks"}),
        ("locks", None, {}),  # it ran in no folder that is known
    ],
)
def test_branch_and_commit(
    branch: str, checkout: dict[str, str] | None, filed: dict[str, str]
) -> None:
    plan = _plan(_found(), session=SESSION._replace(branch=branch), checkout=checkout)
    assert _told(plan)[0].extra == {"finder": "", **filed}


@pytest.mark.parametrize(
    ("at", "ended", "day"),
    [
        (NOW - timedelta(days=9), True, "2026-02-19"),
        (None, True, "2026-02-28"),
        (None, False, "yesterday the"),
    ],
)
def test_yesterday_is_the_day_before_it_was_said(at: Any, ended: bool, day: str) -> None:  # noqa: ANN401
    session = SESSION if ended else SESSION._replace(messages=())
    (told,) = _told(_plan(_found("We decided yesterday the till is read.", at=at), session=session))
    assert day in told.content


def test_what_was_cleaned_out_is_named_once_and_out_of_the_passage_too() -> None:
    secret = "<private>the nights</private>"
    plan = _plan(_found(f"{LOCK} {secret}", passage=f"said {secret}"), _found(f"{QUEUE} {secret}"))
    assert len(plan.redactions) == len(set(plan.redactions)) > 0
    assert "the nights" not in repr(plan)
    assert _plan(_found(secret)).is_empty


def test_reasons_to_skip() -> None:
    found = (_found(), _found(), _found(QUEUE), Skipped("A look", notice("untold")))
    elsewhere = observation(LOCK, id="obs-1")
    mine = observation(QUEUE, id="obs-2", sources=("session:s#3",))
    assert _reasons(_plan(*found)) == ["untold", "repeated"]
    assert [it.seen_count for it in _told(_plan(*found))] == [2, 1]
    plan = _plan(*found, held=(elsewhere, mine))
    assert _reasons(plan) == ["untold", "known", "known", "captured-before"]
    assert plan.seen_again == ("obs-1",)
    assert [it.seen for it in plan.skipped] == ["", "obs-1", "obs-1", ""]


# place


@pytest.mark.parametrize(
    ("branch", "issue"),
    [
        ("feature/29-locks", 29),
        ("issue-29", 29),
        ("GH-29", 29),
        ("gh-29-locks", 29),
        ("someone/issue_29", 29),
        ("fix/29", 29),
        ("team/feature/#29-x", 29),
        ("29-locks", 29),
        ("29", 29),
        ("ENT-98", 98),
        ("PROJ-1234", 1234),
        ("feature/PROJ-1234-login", 1234),
        ("UTF-8", 8),
        ("main", 0),
        ("", 0),
        ("release/2.1.0", 0),
        ("release-2024", 0),
        ("v2", 0),
        ("20260209-postinstall", 0),
        ("2026-02-09", 0),
        ("feature/python3-port", 0),
    ],
)
def test_issue_of_a_branch(branch: str, issue: int) -> None:
    assert issue_from_branch(branch) == issue


def test_the_issue_comes_from_the_most_explicit_place() -> None:
    assert issue_for(option=0, environ={"MEMTUI_ISSUE": "7"}, branch="issue-9") == 0
    assert issue_for(environ={"MEMTUI_ISSUE": "#7"}, hook={"issue": 8}, branch="issue-9") == 7
    assert issue_for(environ={"MEMTUI_ISSUE": "x"}, hook={"issue": 8}, branch="issue-9") == 8
    assert issue_for(hook={"issue": None}, branch="issue-9") == 9
    assert issue_for() == 0


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home/someone/shop/src/a.py", "src/a.py"),
        ("src/../a.py", "a.py"),
        ("./a.py", "a.py"),
        ("/home/someone/other/a.py", "~/other/a.py"),
        ("/Users/someone/other/a.py", "~/other/a.py"),
        ("/tmp/scratch.py", ""),
        ("~/.claude/plans/a.md", ""),
        (".git/config", ""),
        (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
        ("/private/var/folders/x/y.py", ""),
        ("/home/someone/.claude/plans/a.md", ""),
        ("../sibling/a.py", "~/sibling/a.py"),
        ("/etc/hosts", "/etc/hosts"),
        ("C:\\work\\a.py", "C:/work/a.py"),
        ("", ""),
    ],
)
def test_files_are_named_as_the_project_names_them(path: str, name: str) -> None:
    assert project_path(path, "/home/someone/shop") == name


# procedures


LINT = "lint: `ruff check`"
TESTS = "run the tests: `pytest -q`"
COMMANDS = (LINT, TESTS, "build: `make` in `docs`", "build: `make`", "lint: `npm run lint`")


def told(*commands: str) -> str:
    return f"Commands that worked here: {'; '.join(commands)}"


@pytest.mark.parametrize(
    "text",
    ["Deploy with `make deploy`", told(LINT) + ", but not on Windows", told(LINT) + "\nAsk."],
)
def test_what_a_person_wrote_is_left_as_it_is(text: str) -> None:
    assert together(told(TESTS), {"obs-1": text}) == (told(TESTS), ())


@given(st.lists(st.lists(st.sampled_from(COMMANDS), min_size=1, unique=True), min_size=2))
def test_no_command_is_lost(sessions: list[list[str]]) -> None:
    held = {f"obs-{at}": told(*commands) for at, commands in enumerate(sessions[1:])}
    text, replaced = together(told(*sessions[0]), held)
    assert set(replaced) == set(held)
    assert {command for each in sessions for command in each} == {
        command for command in COMMANDS if command in text.partition(": ")[2].split("; ")
    }


def test_the_earlier_procedure_gives_way_in_recall() -> None:
    before = Observation(
        id="obs-1",
        agent="claude",
        issue_number=29,
        category=Category.PROCEDURE,
        content=told(LINT),
        timestamp=NOW.replace(year=NOW.year - 1),
    )
    made = ClaudeCode().user("Run the tests").bash("pytest -q", "12 passed")
    plan = made.plan((before,))
    assert contents(plan, Category.PROCEDURE) == [told(LINT, TESTS)]
    after = plan.kept[0].observation._replace(id="obs-2")
    assert giving_way((before, after))["obs-1"][1] == after
    assert made.plan((before, after)).is_empty


@pytest.mark.parametrize(
    "command",
    [
        "cargo fmt --all --check",
        "cargo test takes_a_till",
        "cargo clippy --fix --allow-dirty",
        "go test ./till -run TestTake -v",
        "go vet ./...",
        "chmod +x tasks/lint",
        "mise current golangci-lint",
    ],
)
def test_what_a_language_does_in_all_its_projects_is_no_procedure(command: str) -> None:
    made = ClaudeCode().bash(command, "ok").bash("make fmt", "ok")
    assert contents(made.plan(), Category.PROCEDURE) == [told("format: `make fmt`")]


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("cargo test -- --test-threads=1", "run the tests: `cargo test -- --test-threads=1`"),
        ("cd till && go test ./...", "run the tests: `go test ./...` in `till`"),
        ("sh tasks/test.sh till/one", "run some tests: `sh tasks/test.sh <path>`"),
    ],
)
def test_what_is_of_this_project_is_one(command: str, kept: str) -> None:
    assert contents(ClaudeCode().bash(command, "ok").plan(), Category.PROCEDURE) == [told(kept)]


# The sentences of messages that name most of what was done.


WORDS = words_in(["/srv/shop/lock.py", "def wait(self): time.sleep(WAIT_SECONDS)"])


@pytest.mark.parametrize(
    ("parts", "kept"),
    [
        (["I looked around here.", "`WAIT_SECONDS` was 30."], "`WAIT_SECONDS` was 30."),
        # The one with more names comes first, and both stand in their order.
        (
            ["It sleeps in `wait`.", "Set `WAIT_SECONDS` in lock.py:12"],
            "It sleeps in `wait`. Set `WAIT_SECONDS` in lock.py:12",
        ),
        # What follows it is told, too, but not what another message begins with.
        (
            ["`wait()` polls.", "A scanner holds it.", "", "Now the tests run."],
            "`wait()` polls. A scanner holds it.",
        ),
        (["- `wait()`", "a lock"], "- `wait()`; a lock"),
        (["Nothing is named in this.", "PR 3030 is open."], ""),
        (["`Wait` is another word."], ""),
    ],
)
def test_which_are_kept(parts: list[str], kept: str) -> None:
    assert key_sentences(parts, WORDS, 200) == kept


@given(st.lists(st.text(alphabet="ab `._()", max_size=30)), st.integers(0, 80))
def test_never_longer_than_it_may_be(parts: list[str], limit: int) -> None:
    assert len(key_sentences(parts, words_in(["a.b a_b", "ab()"]), limit)) <= limit


# shell


@pytest.mark.parametrize(
    ("command", "done"),
    [
        ("rm -rf build/old.py", [("build/old.py", "deleted")]),
        ("git mv a.py b/c.py", [("a.py", "deleted"), ("b/c.py", "moved")]),
        (
            "cd src && touch new.py && cd sub && rm x.py",
            [("src/new.py", "created"), ("src/sub/x.py", "deleted")],
        ),
        ("cat > notes.md <<'EOF'\nrm -rf everything.py\nEOF", [("notes.md", "modified")]),
        ("echo hi >> log.txt 2>&1", [("log.txt", "modified")]),
        ("make test > /dev/null", []),
        ("pip install 'queue>=2.2,<3'", []),
        ("git mv todo/a.md done", [("todo/a.md", "deleted"), ("done/a.md", "moved")]),
        ("grep -rn 'a => b' src | head", []),
        ("sed -i 's/a/b/' conf.toml", [("conf.toml", "modified")]),
        ("sed -n 1,5p conf.toml", []),
        ("echo x | tee out.txt", [("out.txt", "modified")]),
        ("cp a.py b.py", [("b.py", "created")]),
        (
            "git add a.py src/b.py && git commit -m 'x'",
            [("a.py", "modified"), ("src/b.py", "modified")],
        ),
        ("git add -A && git add .", []),
        ("git rm --cached a.py", []),
        ("rm *.pyc $OUT", []),
        ("mv src/old/ kept/", [("src/old/", "deleted"), ("kept/old", "moved")]),
        (
            "mv src/a.py b.py lib",
            [
                *(("src/a.py", "deleted"), ("lib/a.py", "moved")),
                *(("b.py", "deleted"), ("lib/b.py", "moved")),
            ],
        ),
        ("echo x | tee /dev/null", []),
        (
            "cd src && rm /tmp/x.py ~/y.py z.py",
            [("/tmp/x.py", "deleted"), ("~/y.py", "deleted"), ("src/z.py", "deleted")],
        ),
        ("perl -pi -e 's/a/b/' conf.toml", [("conf.toml", "modified")]),
        ("cp a.py b.py lib", []),
        ("X=1 sudo rm a.py", [("a.py", "deleted")]),
        ("echo 'unclosed", []),
        ("", []),
    ],
)
def test_what_commands_do_to_files(command: str, done: list[tuple[str, str]]) -> None:
    assert list(files_done(command)) == done


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ('git commit -m "Fix the lock"', "Fix the lock"),
        ("git commit -am 'Fix it\n\nbody'", "Fix it"),
        ("git commit -m \"$(cat <<'EOF'\nFix the lock\n\nbody\nEOF\n)\"", "Fix the lock"),
        ("git commit --amend --no-edit", ""),
        ('echo "git commit"', ""),
        ("ls", ""),
    ],
)
def test_commit_messages(command: str, message: str) -> None:
    assert commit_message(command) == message


def call(tool: str, **arguments: object) -> ToolCall:
    return ToolCall(line=1, call_id="c", tool=tool, arguments=arguments)


PATCH = """*** Begin Patch
*** Update File: a.py
*** Move to: b.py
@@
-def old_name():
+def new_name():
*** Add File: c.py
+x = 1
*** Delete File: d.py
*** End Patch"""


def test_a_patch_in_a_shell_command() -> None:
    made = call("shell_command", command=f"apply_patch <<'EOF'\n{PATCH}\nEOF")
    assert [edit.path for edit in edits_of(made)] == ["a.py", "c.py", "d.py", "b.py"]
