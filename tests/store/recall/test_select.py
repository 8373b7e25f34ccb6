"""What each moment is told, and why the rest is not."""

from __future__ import annotations

from typing import Any

import pytest

from store.drift.verdicts import Drift
from store.model import Verdict as DriftVerdict
from store.recall.excerpt import outcome_of, sentences
from store.recall.plan import plan
from store.recall.profiles import Terms, profile_named
from store.recall.query_terms import query_terms
from store.recall.reasons import Verdict
from store.recall.request import RecallRequest
from store.recall.select import is_rule
from store.recall.values import Candidate, Kind, Recall, limits_of
from store.text.tokens import Family, counter_for
from tests.store.recall.makers import NOW, aged

COMMANDS = "Commands that worked here: run the tests: `just test`; lint: `just lint`"
CAUSES = (
    "NFS keeps the lock of the manifest for ninety seconds.",
    "Windows opens the manifest twice, so its lock hangs.",
    "The lock of the manifest hangs on journals of XFS.",
    "Docker mounts copy the manifest without its lock.",
    "Kernel 5.4 forgets a lock of the manifest after suspend.",
    "Backups hold the manifest and its lock at midnight.",
    "A crashed indexer leaves the lock of the manifest behind.",
    "Git hooks take the lock of the manifest in parallel.",
)
START = RecallRequest(at_start=True, branch="feature/locks", agent="engineer", budget=1_200)


def candidate(content: str, number: int, relevance: float = 1.0, **fields: Any) -> Candidate:  # noqa: ANN401
    """A memory of a session of its own, as relevant by its own words as with what is around it."""
    given: dict[str, Any] = {"session_id": f"s{number}", **fields}
    return Candidate(aged(content, number, **given), {"relevance": relevance, "bm25": relevance})


def session(asked: str, ended: str, number: int, relevance: float = 1.0) -> Candidate:
    """An earlier session: its prompts, a bar between them, and how it ended."""
    digest = candidate(f"asked: {asked}\nended: {ended}", number, relevance, category="session")
    return digest._replace(kind=Kind.SESSION)


def planned(
    *candidates: Candidate, request: RecallRequest, profile: str = "memtui", share: float = 0.0
) -> Recall:
    """What is told where each word of the request is in that share of all texts."""
    limits = limits_of(request.channel, request.budget or 0)
    terms = Terms(profile_named(profile), limits, counter_for(Family.CLAUDE), lambda it: it.id[-4:])
    return plan(candidates, request, terms, NOW, lambda stem: share)


def asked(task: str, *candidates: Candidate, **fields: Any) -> Recall:  # noqa: ANN401
    request = RecallRequest(task=task, budget=1_500)._replace(**fields)
    return planned(*candidates, request=request)


def told(recall: Recall) -> list[str]:
    return [it.observation.content for it in recall.included]


def verdicts(recall: Recall) -> dict[str, Verdict]:
    return {it.observation.content: it.reason.verdict for it in recall.candidates}


def test_a_prompt_is_told_what_answers_it_and_nothing_else() -> None:
    found = asked(
        "run the tests and the linter please",
        candidate(COMMANDS, 1, category="procedure"),
        candidate("The palette follows the terminal's theme.", 2, 0.4),
    )
    assert told(found) == [COMMANDS]
    assert verdicts(found)["The palette follows the terminal's theme."] is Verdict.NOT_ABOUT
    assert found.files == ()


@pytest.mark.parametrize(("elsewhere", "is_told"), [(7, True), (2, False)])
def test_a_branch_is_a_trunk_where_most_sessions_ran_there(elsewhere: int, is_told: bool) -> None:
    branches = ["feature/locks"] * 7 + ["main"] * elsewhere
    memories = [
        candidate(f"The {number}th lock waits {number} seconds.", number, extra={"branch": branch})
        for number, branch in enumerate(branches)
    ]
    assert bool(told(planned(*memories, request=START))) == is_told


@pytest.mark.parametrize(
    ("category", "task", "share", "is_told"),
    [
        ("procedure", "run the tests", 0.3, True),
        ("decision", "run the tests", 0.3, False),
        ("procedure", "run the tests and the formatter", 0.1, True),
        ("decision", "run the tests and the formatter", 0.1, False),
        ("procedure", "can you lint?", 0.3, False),
        ("decision", "can you lint?", 0.01, True),
    ],
)
def test_few_common_words_ask_for_commands_alone(
    category: str, task: str, share: float, is_told: bool
) -> None:
    memory = candidate(COMMANDS, 1, category=category)
    found = planned(memory, request=RecallRequest(task=task, budget=1_500), share=share)
    assert told(found) == ([COMMANDS] if is_told else [])


def test_of_lists_of_commands_the_newest_alone_is_told() -> None:
    older = "Commands that worked here: run the tests: `tox -e py`; lint: `tox -e style`"
    lists = [
        candidate(text, at, category="procedure", days=at, extra={"finder": "commands"})
        for at, text in enumerate((COMMANDS, older))
    ]
    assert told(asked("run the tests and lint", *lists)) == [COMMANDS]


def test_three_notes_at_most() -> None:
    memories = [candidate(text, at) for at, text in enumerate(CAUSES)]
    found = asked("why does the lock of the manifest hang", *memories)
    assert len(found.included) == 3
    left = [it.reason.verdict for it in found.candidates]
    assert left.count(Verdict.NOT_AMONG_BEST) == len(memories) - 3


def test_of_changes_the_most_relevant_memory_alone_is_told() -> None:
    known = candidate("The lock of the manifest hangs on NFS.", 1)
    change = candidate("Mended the lock of the manifest that hangs.", 2, 0.9)
    change = change._replace(observation=change.observation._replace(category="code-change"))
    found = asked("the lock of the manifest hangs", known, change)
    assert told(found) == [known.observation.content]
    assert verdicts(found)[change.observation.content] is Verdict.NOT_AMONG_BEST
    assert told(asked("the lock of the manifest hangs", change)) == [change.observation.content]


def test_what_the_session_knows_is_not_told_and_makes_no_room_for_the_next_best() -> None:
    memories = [candidate(text, at) for at, text in enumerate(CAUSES)]
    first = asked("why does the lock of the manifest hang", *memories)
    given = frozenset(it.observation.id for it in first.included)
    assert len(given) == 3
    again = asked("why does the lock of the manifest hang", *memories, given=given)
    assert again.text == ""
    assert {it.reason.verdict for it in again.candidates if it.observation.id in given} == {
        Verdict.INJECTED
    }


def test_two_web_addresses_of_one_host_answer_nothing() -> None:
    found = asked(
        "analyse https://github.com/acme/shop/issues/81",
        candidate("Closed https://github.com/acme/shop/issues/12: analyse logs by day.", 1),
        candidate("Taxes come from https://github.com/acme/shop/issues/81: analyse again.", 2),
    )

    assert [it.rpartition("/")[2] for it in told(found)] == ["81: analyse again."]


def test_what_the_prompt_says_itself_is_not_told() -> None:
    text = "The lock waits five seconds on Windows."
    found = asked(f"{text} Change that to nine seconds on Linux.", candidate(text, 1))
    assert verdicts(found)[text] is Verdict.IN_PROMPT


def test_a_start_on_a_clean_main_branch_is_told_rules_last_session_and_open_ends() -> None:
    rule = candidate("Never start a terminal in a unit test.", 1, category="lesson")
    tagged = candidate("Commit messages in English.", 2, tags=("rule",))
    stopped = candidate("Stopped at the gauge.", 3, category="handoff", days=1)
    task = candidate("Mend the gauge.", 4, category="task")
    done = candidate("Write the page.", 5, category="task", tags=("done",))
    other = candidate("Queues are kept in files.", 6)
    commands = candidate(COMMANDS, 7, category="procedure")
    request = START._replace(branch="main")
    found = planned(rule, tagged, stopped, task, done, other, commands, request=request)
    held = [rule, tagged, stopped, task]
    assert sorted(told(found)) == sorted(it.observation.content for it in held)
    headings = [line for line in found.text.splitlines() if line.endswith(":") and "`" not in line]
    assert headings == ["Rules:", "Where the last session stopped:", "Open:"]
    assert planned(other, done, commands, request=request).text == ""


def test_a_branch_is_told_what_touches_its_files_and_how_the_project_is_worked_on() -> None:
    touches = candidate("store/lock.py waits for the manifest.", 1)
    learned = candidate("Retries are five.", 2, extra={"branch": "feature/locks"})
    elsewhere = candidate("store/page.py is drawn twice.", 3)
    commands = candidate(COMMANDS, 4, category="procedure")
    request = START._replace(changed_files=("store/lock.py",))
    found = planned(touches, learned, elsewhere, commands, request=request)
    assert set(told(found)) == {
        touches.observation.content, learned.observation.content, COMMANDS
    }  # fmt: skip
    known = request._replace(instructions="Run `just test` and `just lint` before a commit.")
    found = planned(touches, learned, elsewhere, commands, request=known)
    assert verdicts(found)[COMMANDS] is Verdict.IN_INSTRUCTIONS
    newer = candidate(COMMANDS.replace("just", "make"), 5, category="procedure", days=-1)
    found = planned(learned, commands, newer, request=request)
    assert newer.observation.content in told(found)
    assert COMMANDS not in told(found), "one list of procedures"
    assert planned(commands, request=request).text == "", "nothing was done on this branch"


@pytest.mark.parametrize(
    ("learned_on", "unmerged", "is_told"),
    [
        ("feature/locks", (), True),
        ("feature/other", (), False),
        ("feature/other", ("feature/other",), True),
        ("", (), True),
    ],
    ids=["its own branch", "merged long ago", "not merged, and the last of all", "unknown"],
)
def test_a_handoff_counts_on_its_branch_or_where_that_waits(
    learned_on: str, unmerged: tuple[str, ...], is_told: bool
) -> None:
    extra = {"branch": learned_on} if learned_on else {}
    stopped = candidate("Stopped at the gauge.", 1, category="handoff", extra=extra)
    found = planned(stopped, request=START._replace(unmerged=unmerged))
    assert bool(found.included) is is_told
    expected = Verdict.LAST_SESSION if is_told else Verdict.OTHER_BRANCH
    assert verdicts(found)[stopped.observation.content] is expected


def test_a_handoff_of_another_branch_waits_behind_a_later_session() -> None:
    extra = {"branch": "feature/other"}
    stopped = candidate("Stopped at the gauge.", 1, category="handoff", extra=extra, days=3)
    later = candidate(
        "asked: Draw the page.\nended: Drawn.", 2, category="session", days=1, tags=("main",)
    )
    request = START._replace(unmerged=("feature/other",))
    found = planned(stopped, later._replace(kind=Kind.SESSION), request=request)
    assert found.text == ""


def test_continue_is_told_where_the_last_session_stopped() -> None:
    stopped = candidate("Stopped at the gauge.", 1, category="handoff")
    other = candidate("We continue to use tantivy.", 2)
    assert told(asked("continue", stopped, other, branch="main")) == [stopped.observation.content]
    assert told(asked("continue the parser", stopped, other)) == []


def test_before_an_edit_what_names_the_file_is_told() -> None:
    about = candidate("billing/money.py holds integer cents.", 1)
    other = candidate("The palette of money is green.", 2, pinned=True)
    request = RecallRequest(file="billing/money.py", budget=300)
    assert told(planned(about, other, request=request)) == [about.observation.content]


@pytest.mark.parametrize(
    ("command", "error", "is_told"),
    [
        ("go test ./queue", "panic: test timed out after 1m0s\nFAIL", True),
        ("make all", "panic: test timed out after 1m0s in the queue's drain\nFAIL", True),
        ("go test ./queue", "undefined: Frobnicate", False),
        ("go build ./cmd", "panic: nil map", False),
    ],
    ids=["the command and two lines", "most of the line", "another error", "another command"],
)
def test_after_a_failure_the_fix_of_the_same_error_is_told(
    command: str, error: str, is_told: bool
) -> None:
    fix = candidate(
        "`go test ./queue` failed: panic: test timed out after 1m0s in drain(). "
        "Fixed by closing the channel in queue/drain.go.",
        1,
        category="error",
    )
    request = RecallRequest(task=error, command=command, budget=300)
    assert bool(planned(fix, request=request).included) is is_told


def test_what_names_code_that_is_gone_is_lowered_marked_and_kept_from_a_start() -> None:
    gone = Drift(DriftVerdict.GONE, ("drain_all",), share=1.0)
    stale = candidate("Never call `drain_all()` in a test.", 1)._replace(drift=gone)
    fresh = candidate("Never call `drain_one()` in a test.", 2)
    found = asked("may I call drain in a test", stale, fresh)
    assert told(found)[0] == fresh.observation.content
    assert "(names drain_all: gone from the code) Never call" in found.text
    start = planned(stale, fresh, request=START)
    assert verdicts(start)[stale.observation.content] is Verdict.GONE


def test_pins_come_first_and_mutes_never() -> None:
    pinned = candidate("The palette follows the theme.", 1, 0.0, pinned=True)
    muted = candidate("The lock waits five seconds.", 2, muted=True)
    answer = candidate("The lock waits for the manifest.", 3)
    found = asked("what does the lock wait for", answer, muted, pinned)
    assert set(told(found)) == {pinned.observation.content, answer.observation.content}
    assert verdicts(found)[muted.observation.content] is Verdict.MUTED
    assert found.text.index("palette") < found.text.index("manifest")


def test_sentences_leave_out_code_headings_and_logs() -> None:
    text = (
        "# Title\nThe lock waits. It ends, e.g. on Windows! And then?\n```\nx = 1\n```\n"
        "2026-03-01T12:00:00 [0x3f] 404 ###\nThat is all."
    )
    assert [*sentences(text)] == [
        "The lock waits.", "It ends, e.g. on Windows!", "And then?", "That is all."
    ]  # fmt: skip


@pytest.mark.parametrize(("branch", "is_told"), [("feature/locks", True), ("main", False)])
def test_a_start_on_main_is_not_told_the_last_session_which_is_done(
    branch: str, is_told: bool
) -> None:
    last = session("Ignore the cache in git.", "Ignored, and pushed.", 1)
    last = last._replace(observation=last.observation._replace(tags=(branch,)))
    start = planned(last, request=START._replace(branch=branch))
    assert bool(start.included) is is_told
    assert len(asked("continue", last, branch=branch).included) == 1


def test_where_a_memory_says_what_the_last_session_does_it_alone_is_told() -> None:
    last = session("Mend the lock of the manifest.", "Mended: the lock waits for NFS.", 1)
    last = last._replace(observation=last.observation._replace(tags=("feature/locks",)))
    says = "Mend the lock of the manifest. Done: Mended: the lock waits for NFS, by polling."
    same = candidate(says, 2, session_id="s1", extra={"branch": "feature/locks"})
    assert told(planned(last, request=START)) == [last.observation.content]
    found = planned(last, same, request=START)
    assert told(found) == [says]
    assert verdicts(found)[last.observation.content] is Verdict.SUMMED_UP


@pytest.mark.parametrize(("finder", "is_told"), [("model", False), ("", True)])
def test_a_captured_task_is_open_until_a_later_session_of_its_branch(
    finder: str, is_told: bool
) -> None:
    extra = {"branch": "main", **({"finder": finder} if finder else {})}
    task = candidate("Mend the gauge.", 1, category="task", extra=extra)
    later = candidate("Queues are kept in files.", 2, days=-1, extra={"branch": "main"})
    request = START._replace(branch="main")
    assert told(planned(task, request=request)) == ["Mend the gauge."]
    assert (told(planned(task, later, request=request)) == ["Mend the gauge."]) is is_told


def test_forms_of_a_word_are_one_and_rare_words_weigh_more() -> None:
    words = query_terms("lint the queues", {"lint": 0.5, "queue": 0.01}.__getitem__)
    assert words.shared("The linter is in a queue.") == {"lint", "queue"}
    assert words.weights["queue"] > words.weights["lint"]
    assert words.share({"queue"}) > 0.5 > words.share({"lint"})


@pytest.mark.parametrize(
    ("content", "fields", "is_one"),
    [
        ("Never start a terminal in a unit test.", {}, True),
        ("Commit messages in English.", {"tags": ("preference",)}, True),
        ("The option is always accessible.", {"extra": {"finder": "answers"}}, False),
        ("Answer in German.", {"extra": {"finder": "rules"}}, True),
        ("Use uv, not pip.", {"category": "lesson", "extra": {"finder": "model"}}, True),
        ("Use uv, not pip.", {"category": "decision", "extra": {"finder": "model"}}, False),
        ("store/lock.py: never waits", {"category": "code-change"}, False),
        (f"Never {'long ' * 100}", {}, False),
    ],
)
def test_what_is_a_rule(content: str, fields: dict[str, Any], is_one: bool) -> None:
    assert is_rule(aged(content, **fields)) is is_one


def test_the_session_in_which_the_same_was_asked_is_told_by_what_was_decided_there() -> None:
    asks = "Mend the discount of the basket: vouchers stack wrongly with coupons at checkout."
    same = session(f"{asks} | Percent first, always.", "The fixed amount comes second.", 1)
    other = session("Draw the page of the shop in green.", "Drawn.", 2, 0.2)
    found = asked(asks, same, other)
    (note,) = found.included
    assert note.text == "Percent first, always. ended: The fixed amount comes second."
    text = (
        "Vouchers and coupons of the basket: percent first, always; the fixed amount comes second."
    )
    kept = candidate(text, 3, session_id="s1")
    found = asked(asks, same, kept)
    assert told(found) == [kept.observation.content]
    assert verdicts(found)[same.observation.content] is Verdict.SUMMED_UP


def test_beside_a_memory_a_session_is_told_only_where_nearly_the_same_was_asked() -> None:
    commands = candidate(COMMANDS, 1, category="procedure")
    ended = "Committed, but the linter of the website is not installed."
    same = session("Run the tests and the linter | Now commit.", ended, 2, 0.9)
    assert len(asked("run the tests and the linter please", commands, same).included) == 2
    weaker = session("Run the page | Now commit.", ended, 2, 0.9)
    assert told(asked("run the tests and the linter please", commands, weaker)) == [COMMANDS]


def test_a_session_that_only_says_that_it_is_done_is_not_told() -> None:
    asks = "Mend the discount of the basket: vouchers stack wrongly with coupons at checkout."
    assert told(asked(asks, session(asks, "Everything looks correct.", 1))) == []


@pytest.mark.parametrize(("other", "is_told"), [(0.95, False), (0.3, True)])
def test_a_weak_match_is_told_where_it_stands_out_from_other_sessions(
    other: float, is_told: bool
) -> None:
    weak = candidate("Docker mounts copy the journal of the gauge.", 1)
    like = candidate("Docker mounts hide the palette of the gauge.", 2, other)
    task = "docker mounts the journal: do queues, pages, forms, trees, locks, tables, keys break?"
    assert told(asked(task, weak, like)) == ([weak.observation.content] if is_told else [])


def test_a_change_is_told_until_nothing_new_answers_and_a_statement_to_the_end() -> None:
    parts = [f"The lock of the manifest hangs in case {number} again." for number in range(30)]
    content = " ".join(["Mend the hanging lock of the manifest.", *parts])
    change, statement = (
        asked("why does the lock hang?", candidate(content, 1, category=category)).included[0].text
        for category in ("code-change", "decision")
    )
    assert len(change) < 400 < len(statement) <= 600


def test_a_change_is_told_by_what_came_of_it_last_where_nothing_else_answers() -> None:
    steps = [f"Done: Step {number} of the queue waits {number} seconds." for number in range(30)]
    content = "\n".join(["Asked: mend the hanging lock of the manifest", *steps])
    (note,) = asked(
        "why does the lock hang?", candidate(content, 1, category="code-change")
    ).included
    assert "Step 29 of" in note.text
    assert "Step 3 of" not in note.text


def test_a_change_that_nobody_asked_for_in_words_is_told_by_its_whole_outcome() -> None:
    assert outcome_of("Done: Casts are gone. Flags have types.\nFiles: a.ts.") == (
        "Done: Casts are gone. Flags have types."
    )


def test_a_start_is_told_three_lasting_memories_and_the_newest_change_by_its_outcome() -> None:
    on_branch: dict[str, Any] = {"extra": {"branch": "feature/locks"}, "session_id": "s1"}
    content = "Asked: make the wait short\nTried: a queue.\nDone: Waits five seconds now."
    changes = [
        candidate(text, number, category="code-change", days=-number, **on_branch)
        for number, text in enumerate(("Asked: draw the gauge\nDone: It has colours.", content))
    ]
    lasting = [candidate(CAUSES[number], number, **on_branch) for number in range(3, 7)]
    included = planned(*changes, *lasting, request=START).included
    told_changes = [note for note in included if note.observation.category == "code-change"]
    assert len(included) - len(told_changes) == 3
    assert [note.observation.id for note in told_changes] == [changes[1].observation.id]
    assert told_changes[0].text == (
        "Asked: make the wait short Done: Waits five seconds now. Tried: a queue."
    )


@pytest.mark.parametrize(
    ("ended", "is_told"),
    [
        ("Vouchers of a basket stack, but for coupons that the checkout takes.", True),
        (
            "Commit successful: hooks ran tests, lint and typecheck, and all of them are green.",
            False,
        ),
    ],
)
def test_of_sessions_alike_one_is_told_whose_note_answers(ended: str, is_told: bool) -> None:
    asks = "Mend the discount of the basket: vouchers, coupons, gifts, points, taxes at checkout."
    alike = session("Draw the discount of the basket.", "Drawn.", 2)
    found = told(
        asked(asks, session("Mend vouchers, coupons, points of a basket | go on", ended, 1), alike)
    )
    assert bool(found) == is_told


def test_no_session_answers_what_is_asked_again_and_again() -> None:
    same = session("Commit this please | Now push it.", "Pushed.", 1)
    assert told(asked("commit this please", same)) == []


def test_a_session_that_amends_a_memory_is_told_with_it() -> None:
    old = candidate("The upload limit is ten megabytes for each attachment of a ticket.", 1, days=9)
    ended = "Amended: the upload limit for each attachment of a ticket is now fifty megabytes."
    new = session("Raise the limit.", ended, 2, 0.1)
    found = asked("which upload limit has an attachment?", old, new)
    assert {it.text for it in found.included} == {
        f"(amended 1 Mar by 0002) {old.observation.content}",
        f"ended: {ended}",
    }


@pytest.mark.parametrize(
    ("rule", "context", "is_said"),
    [
        ("Never push to main.", "# Rules\n\n- Run it.\n- **Never** push to\n  `main`.\n", True),
        ("Git: Never push to main.", "# Git\n\n- Never push to main.\n", True),
        ("Never push to main.", "Push to main.", False),
        ("Never push to main. Always rebase first.", "Never push to main.", False),
        ("Retries: never more than 5 of them.", "Retries: never more than 3 of them.", False),
        ("Never push to main.", "```\nNever push to main.\n```\n", False),
    ],
    ids=[
        "in other marks",
        "imported with its heading",
        "the contrary",
        "half of it",
        "another figure",
        "code",
    ],
)
def test_what_a_client_is_told_anyway_is_not_told_again(
    rule: str, context: str, is_said: bool
) -> None:
    rules = [candidate(rule, 1), candidate(rule, 2, pinned=True)]
    for request in (START._replace(branch="main"), RecallRequest(task=rule[:12], budget=1_500)):
        found = planned(rules[0], request=request._replace(instructions=context))
        assert (verdicts(found)[rule] is Verdict.IN_INSTRUCTIONS) == is_said
    found = planned(rules[1], request=START._replace(branch="main", instructions=context))
    assert told(found) == [rule], "pinned"
