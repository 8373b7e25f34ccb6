"""What the rows ask of capture: each function of a text, and each reader of a session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from store.agents.session import Session
from store.agents.transcript import Message, Speaker
from store.capture import extractor, handoff, place, summaries
from store.capture.candidate import Beside, Candidate, Known, Passed
from store.capture.changes import asked, changes
from store.capture.checks import commands, failures, surroundings
from store.capture.decisions import (
    agreements,
    answers,
    dialogue,
    endorsed,
    noted,
    options,
    pasted_plans,
    recaps,
    stated,
    written_plans,
)
from store.capture.findings import findings, outside, recipes, remarks, reviews
from store.capture.plan import CapturePlan, plan_capture
from store.capture.requests import request, rulings
from store.capture.requests.request import Request, exchanges_of, requests_of
from store.capture.steps import check_output, edited_files, paths, shell, tools
from store.capture.text import (
    accounts,
    causes,
    chatter,
    facts,
    prose,
    review_text,
    trouble,
    value,
)
from store.capture.text.grounds import Grounds, grounds_of, says_what
from store.model import Observation
from store.settings.schema import Settings
from tests.rows import Ask
from tests.store.capture.dialogues import BEGUN, FOLDER, session_of

_KNOWN = Known()


def _requests(session: Session) -> list[Request]:
    return requests_of(exchanges_of(session))


def _found(it: Candidate | Passed | Beside) -> str:
    if isinstance(it, Beside):
        alone = ", alone" if it.stands_alone else ""
        return f"beside{alone}: {it.what!r}, {' '.join(it.files)}, {_found(it.candidate)}"
    if isinstance(it, Passed):
        return f"passed {it.text!r}: {it.reason.kind}"
    passage = f"{it.passage[:20]}…{it.passage[-20:]}" if len(it.passage) > 40 else it.passage
    summary = f"\n   in short {it.summary!r}" if it.summary else ""
    at = f"{it.at:%H:%M}" if it.at else "no time"
    where = f"line {it.line}, {at}, {' '.join(it.marks)}, {len(it.passage)}: {passage!r}"
    return f"{it.category} {it.content!r}{summary}\n   of {where}"


def _of(read: Callable[[Session], Iterable[Candidate | Passed | Beside]]) -> Ask:
    return lambda text: _Lines(map(_found, read(session_of(text))))


class _Lines(str):
    """What was found, each on a line of its own."""

    __slots__ = ()

    def __new__(cls, found: Iterable[str]) -> _Lines:
        return super().__new__(cls, "".join(f"\n - {each}" for each in found) or "nothing")

    def __repr__(self) -> str:
        return str(self)


def _changed(session: Session) -> Iterator[Candidate | Passed | Beside]:
    asked = _requests(session)
    before = findings.explained(findings.investigations_in(session, asked), asked)
    told = summaries.accounts(session.summaries) if session.summaries else {}
    yield from changes.code_changes(session, asked, told, _KNOWN, (), before)


def _summed_up(session: Session) -> Iterator[Candidate]:
    for number, summary in enumerate(session.summaries):
        yield from summaries.summary_candidates(summary, is_last=not number, is_first=not number)
        yield from summaries.summary_candidates(summary, is_last=bool(number), is_first=True)


def _planned(text: str) -> _Lines:
    """The plan of a whole capture, and of the same session when that is held: what is kept, what
    is passed and why."""
    session = session_of(text)
    plan = _plan(session, ())
    again = _plan(session, tuple(it.observation for it in plan.kept))
    return _Lines([*_of_plan(plan), *(f"again {line}" for line in _of_plan(again))])


def _plan(session: Session, held: Sequence[Observation]) -> CapturePlan:
    return plan_capture(session, issue=29, held=held, now=BEGUN, settings=Settings())


def _of_plan(plan: CapturePlan) -> Iterator[str]:
    yield from (f"{it.observation.category} {it.observation.content!r}" for it in plan.kept)
    yield from (f"skipped {it.text!r}: {it.reason.kind}" for it in plan.skipped)


def _touched(text: str) -> _Lines:
    session = session_of(text)
    files = edited_files.touched_files(session)
    ours = edited_files.changes_among(files, session)
    return _Lines(
        f"{path}: {it.how}, {it.weight}, {[edit.names for _, edit in it.done]}"
        f"{'' if path in ours else ', no change'}"
        for path, it in files.items()
    )


def _asked(text: str) -> _Lines:
    return _Lines(
        f"{it.title!r}: {len(it.said)} said, {len(it.steps)} done"
        for it in _requests(session_of(text))
    )


def _called(text: str) -> _Lines:
    return _Lines(
        f"{tools.tool_name(it.call)}: {tools.command_of(it.call)!r},"
        f" {list(tools.edits_of(it.call))}, {list(tools.texts_of(it.call))},"
        f" {list(tools.reads_of(it.call))}"
        for it in session_of(text).steps
    )


def _checked(text: str) -> _Lines:
    return _Lines(
        f"check {check_output.is_check(it)}, failed {check_output.has_failed(it)},"
        f" refused {check_output.was_refused(it)}"
        for it in session_of(text).steps
    )


def _account(text: str) -> Any:  # noqa: ANN401 - what told_work answers, and the aims
    session = session_of(text)
    told, where = accounts.told_work(session.said, session.steps, session.said[-1:])
    return told, where.line if where else 0, accounts.aims_of(session.steps)


def _grounded(text: str) -> Any:  # noqa: ANN401 - three answers
    """Whether the last words of a session are of what it did, and say what it is."""
    session = session_of(text)
    grounds = grounds_of(session.steps, ["shop/lease.py"] if session.steps else [])
    last = session.said[-1].text if session.said else ""
    return (
        len(grounds.words),
        grounds.hold(last),
        says_what(last, grounds),
        says_what(last, Grounds()),
    )


def _said(text: str) -> Any:  # noqa: ANN401 - three answers
    """What a message before a change asks for, why, and whether it is a request."""
    session = session_of(f"USER {text}\nEDIT shop/lease.py\n-a\n+lease(till, rows, queue)")
    requests, grounds = _requests(session), grounds_of(session.steps, ["shop/lease.py"])
    titles = [it.title for it in requests]
    return (
        asked.asked_for(requests, grounds),
        asked.why_asked(requests, grounds),
        [asked.is_request(it) for it in titles],
    )


ASKS: dict[str, Ask] = {
    "accounts.closing_account": accounts.closing_account,
    "accounts.short": lambda text: accounts.closing_account(text, 160),
    "accounts.tells_reason": accounts.tells_reason,
    "accounts.tells_why": accounts.tells_why,
    "accounts.aim_of": accounts.aim_of,
    "accounts.told_work": _account,
    "agreements": _of(agreements.agreements),
    "answers": _of(answers.answers),
    "answers.refusals": _of(answers.refusals),
    "answers.approved_plans": _of(answers.approved_plans),
    "stated": _of(lambda it: stated.stated(it, _requests(it))),
    "asked": _said,
    "causes.causes_in": lambda text: causes.causes_in(
        session_of(text).said, session_of(text).said[-1]
    )[0],
    "causes.cause_in": lambda text: causes.cause_in(session_of(text).said, 99, Grounds().hold)[0],
    "causes.names_cause": causes.names_cause,
    "causes.tells_cause": causes.tells_cause,
    "causes.tells_limit": causes.tells_limit,
    "prose.stopped": prose.stopped,
    "changes": _of(_changed),
    "chatter.tells_something": chatter.tells_something,
    "chatter.is_empty": chatter.is_empty,
    "chatter.is_progress": chatter.is_progress,
    "chatter.is_aside": chatter.is_aside,
    "check_output": _checked,
    "check_output.looks_failing": check_output.looks_failing,
    "check_output.is_slip": check_output.is_slip,
    "check_output.failed_cases": check_output.failed_cases,
    "check_output.failure_line": check_output.failure_line,
    "commands": _of(lambda it: commands.working_commands(it, _KNOWN)),
    "commands.kind_of": commands.kind_of,
    "dialogue": _of(dialogue.settled_decisions),
    "edited_files": _touched,
    "endorsed": _of(endorsed.endorsed),
    "extractor": lambda text: [
        (it.category, it.content) for it in extractor.extract_observations(text)
    ],
    "recipes.recipe_in": recipes.recipe_in,
    "surroundings": _of(surroundings.surroundings),
    "facts.teaches": facts.teaches,
    "facts.answer_in": facts.answer_in,
    "facts.direct_answer": facts.direct_answer,
    "failures": _of(lambda it: failures.failures(it, _requests(it))),
    "failures.command_head": failures.command_head,
    "findings": _of(
        lambda it: findings.findings(it, findings.investigations_in(it, _requests(it)), _KNOWN)
    ),
    "grounds": _grounded,
    "grounds.says_what": lambda text: (
        says_what(text, Grounds()),
        says_what(text, Grounds(frozenset({"receipt"}))),
    ),
    "handoff": _of(lambda it: handoff.handoff(it, _requests(it))),
    "noted": _of(noted.noted),
    "options": _of(options.choices),
    "outside": _of(lambda it: outside.done_outside(it, _requests(it), _KNOWN)),
    "pasted_plans": _of(pasted_plans.pasted_plans),
    "pasted_plans.is_plan": pasted_plans.is_plan,
    "pasted_plans.lays_out_plan": pasted_plans.lays_out_plan,
    "pasted_plans.plan_statements": pasted_plans.plan_statements,
    "pasted_plans.settled_in": pasted_plans.settled_in,
    "pasted_plans.problem_in": pasted_plans.problem_in,
    "pasted_plans.says_what_is_done": pasted_plans.says_what_is_done,
    "pasted_plans.why_of": pasted_plans.why_of,
    "paths.is_test": paths.is_test,
    "paths.project_path": lambda text: paths.project_path(text, FOLDER, ("/srv/shop",)),
    "paths.without_folder": lambda text: paths.without_folder(text, FOLDER),
    "place.issue_from_branch": place.issue_from_branch,
    "plan": _planned,
    "prose.prose_lines": prose.prose_lines,
    "prose.with_tables": lambda text: prose.prose_lines(
        text, tables=True, short=True, headings=True
    ),
    "prose.without_code": prose.without_code,
    "prose.plain": prose.plain,
    "prose.sentences": prose.sentences,
    "prose.points_back": prose.points_back,
    "prose.leans": prose.leans,
    "prose.statements": prose.statements,
    "prose.announces": prose.announces,
    "prose.intent": prose.intent,
    "recaps": _of(lambda it: recaps.recaps(it, _requests(it))),
    "recaps.shorten_lines": lambda text: recaps.shorten_lines(text, 40),
    "remarks": _of(lambda it: remarks.remarks(it, _requests(it), _KNOWN, [])),
    "request": _asked,
    "request.lets_go_on": request.lets_go_on,
    "request.title_of": request.title_of,
    "request.crisp": request.crisp,
    "request.is_brief": request.is_brief,
    "request.task_in": request.task_in,
    "review_text.names_fault": review_text.names_fault,
    "review_text.named_faults": review_text.named_faults,
    "review_text.told_findings": lambda text: review_text.told_findings(text, 400),
    "review_text.whole_sentences": lambda text: review_text.whole_sentences(text, 60),
    "reviews": _of(lambda it: reviews.reviews(it, _requests(it), _KNOWN)),
    "reviews.asks_review": reviews.asks_review,
    "rulings.speaks": rulings.speaks,
    "rulings.is_readable": rulings.is_readable,
    "rulings.settles": rulings.settles,
    "rulings.is_standing": rulings.is_standing,
    "rulings.rulings_in": lambda text: rulings.rulings_in(text, answers=False),
    "rulings.answers_in": lambda text: rulings.rulings_in(text, answers=True),
    "rulings.wonders": rulings.wonders,
    "rulings.in_context": lambda text: rulings.in_context(text, text.rpartition(". ")[2]),
    "rulings.is_short_answer": rulings.is_short_answer,
    "shell.files_done": shell.files_done,
    "shell.files_shown": shell.files_shown,
    "shell.commands_in": shell.commands_in,
    "shell.patched_files": shell.patched_files,
    "shell.commit_message": shell.commit_message,
    "shell.committed_files": shell.committed_files,
    "summaries": _of(_summed_up),
    "summaries.sections": summaries.sections,
    "summaries.accounts": lambda text: summaries.accounts(session_of(text).summaries),
    "tools": _called,
    "trouble.tells_trouble": trouble.tells_trouble,
    "trouble.tells_deed": trouble.tells_deed,
    "value": lambda text: (
        f"{it.kind} {it.block}.{it.place} {it.head!r}: {it.text!r}"
        for it in value.sentences_in(Message(1, Speaker.AGENT, text), closes=True)
    ),
    "written_plans": _of(written_plans.written_plans),
}

OF_SESSIONS = frozenset(
    {
        "accounts.told_work",
        "agreements",
        "answers",
        "answers.refusals",
        "answers.approved_plans",
        "stated",
        "causes.causes_in",
        "causes.cause_in",
        "changes",
        "check_output",
        "commands",
        "dialogue",
        "edited_files",
        "endorsed",
        "failures",
        "findings",
        "grounds",
        "handoff",
        "noted",
        "options",
        "outside",
        "pasted_plans",
        "plan",
        "recaps",
        "remarks",
        "request",
        "reviews",
        "summaries",
        "summaries.accounts",
        "tools",
        "written_plans",
    }
)
"""Those that read a session, written as `dialogues` has it."""
