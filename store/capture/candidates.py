"""What a session may teach, most trustworthy first: found by each module that looks for a kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from store.agents.session import Session
from store.capture.candidate import Beside, Candidate, Known, Passed
from store.capture.changes.changes import code_changes
from store.capture.checks.commands import working_commands
from store.capture.checks.failures import failures
from store.capture.checks.surroundings import surroundings
from store.capture.decisions.agreements import agreements
from store.capture.decisions.answers import answers, approved_plans, refusals
from store.capture.decisions.dialogue import settled_decisions
from store.capture.decisions.endorsed import endorsed
from store.capture.decisions.noted import noted
from store.capture.decisions.options import choices
from store.capture.decisions.pasted_plans import pasted_plans, says_what_is_done
from store.capture.decisions.recaps import recaps
from store.capture.decisions.stated import stated
from store.capture.decisions.written_plans import written_plans
from store.capture.findings.findings import explained, findings, investigations_in
from store.capture.findings.outside import done_outside
from store.capture.findings.remarks import remarks
from store.capture.findings.reviews import reviews
from store.capture.handoff import handoff
from store.capture.requests.request import Request, exchanges_of, requests_of
from store.capture.requests.rulings import settles
from store.capture.text.accounts import tells_why
from store.capture.text.facts import MUCH, answers_at_once, teaches_enough
from store.capture.text.prose import sentences
from store.capture.text.worth import is_found_out
from store.model import Category
from store.notice import notice
from store.text.content_words import content_words, covered

_MOSTLY, _A_LIST = 0.7, 2
"""The share of a text's words that are most of them; and the semicolons that make it a list."""
_LITTLE = notice("no-cause")
_LINE_IS_TOLD, _MOST_LINES = 0.5, 0.6
"""The share of a line's words that an answer has where it tells the line, and that of a list's
lines which are told where the rest is not worth the list: one of 8 recaps of 302 sessions.
"""
_OPENING = 420
"""Characters of a plan in which it says why, as far as a change tells that."""


def candidates_in(
    session: Session, known: Known, roots: tuple[str, ...], *, is_over: bool
) -> Iterator[Candidate | Passed | Beside]:
    """Everything a session may teach, most trustworthy first."""
    told_by_path: Mapping[str, str] = {}
    if session.summaries:  # few sessions have one, and reading them is not loaded for nothing
        from store.capture.summaries import accounts

        told_by_path = accounts(session.summaries)
    requests = requests_of(exchanges_of(session))
    asked = investigations_in(session, requests)
    before = explained(asked, requests)
    changes = list(code_changes(session, requests, told_by_path, known, roots, before))
    told = [*known.changes, *(_text_of(it) for it in changes if not isinstance(it, Beside))]
    kept = [*known.changes]
    for each in _settled_and_done(session, requests, roots, changes, told):
        kept += [each.content] if isinstance(each, Candidate) else []
        yield each
    yield from reviews(session, requests, known)
    for found in _taught(
        (*findings(session, asked, known), *failures(session, requests, roots)), changes
    ):
        told += [found.content] if isinstance(found, Candidate) else []
        kept += [found.content] if isinstance(found, Candidate) else []
        yield found
    for said in (it for it in stated(session, requests) if not _is_told(it.content, told)):
        kept.append(said.content)
        yield said
    for remark in remarks(session, requests, known, kept):
        told.append(remark.content)
        yield remark
    for found in done_outside(session, requests, known):
        if isinstance(found, Passed) or not _is_told(found.content, told):
            yield found
    yield from (it for it in surroundings(session) if not _is_told(it.summary, told))
    yield from working_commands(session, known, roots)
    if is_over:
        yield from handoff(session, requests)


def _settled_and_done(
    session: Session,
    requests: Sequence[Request],
    roots: tuple[str, ...],
    changes: Sequence[Candidate | Passed | Beside],
    told: Sequence[str],
) -> Iterator[Candidate | Passed | Beside]:
    """What the agent's summaries tell, what was settled, and the changes, of which `told` tells."""
    for summed_up in _summed_up(session):
        text = summed_up.content
        if not (text.startswith("Plan: ") and _is_told(text[:_OPENING], told)):
            yield summed_up
    yield from noted(session)
    yield from choices(session)
    chosen = list(answers(session))
    # What was chosen question by question is often summed up as well.
    both = [*told, "\n".join(each.content for each in chosen)]
    yield from _said_to_each_other(session, requests, both, chosen)
    yield from chosen
    does = any(not isinstance(it, Passed) for it in changes)
    yield from _planned(session, roots, both, does=does)
    yield from refusals(session)
    yield from changes


def _summed_up(session: Session) -> Iterator[Candidate]:
    """What the agent's own summaries tell."""
    if not session.summaries:
        return
    from store.capture.summaries import summary_candidates

    lines = [step.call.line for step in session.steps]
    for summary in session.summaries:
        went_on = any(line > summary.line for line in lines)
        begun = any(line < summary.line for line in lines)
        yield from summary_candidates(summary, is_last=not went_on, is_first=not begun)


def _taught(
    found: Iterable[Candidate | Passed], changes: Iterable[Candidate | Passed | Beside]
) -> Iterator[Candidate | Passed]:
    """What was found out, without what only says how things go, and what a change tells that was
    made for it.
    """
    kept = [it.content for it in changes if isinstance(it, Candidate)]
    for each in found:
        if isinstance(each, Passed) or each.category != Category.KEY_FACT:
            yield each
        elif _teaches_little(each):
            yield Passed(each.content, _LITTLE)
        elif not _is_told(each.summary, kept):
            yield each


def _teaches_little(found: Candidate) -> bool:
    """Whether what was found for a question only says how things go, without a reason or limit."""
    told = found.summary or found.content
    if is_found_out(told) or answers_at_once(told):
        return False
    return not teaches_enough(told, MUCH) or told.count(";") >= _A_LIST


def _text_of(change: Candidate | Passed) -> str:
    return change.content if isinstance(change, Candidate) else change.text


def _said_to_each_other(
    session: Session,
    requests: Sequence[Request],
    told: Sequence[str],
    chosen: Sequence[Candidate],
) -> Iterator[Candidate]:
    """What person and agent settled in words, each thing by the first that knows it."""
    agreed = list(agreements(session))
    yield from (it for it in agreed if not _is_told(it.content, told))
    for recap in recaps(session, requests):
        if not (_is_told(recap.content, told) or _is_chosen(recap.content, chosen)):
            yield recap
    taken_up = list(endorsed(session))
    yield from (it for it in taken_up if not _is_told(_lead_of(it), told))
    own = {mark for each in (*agreed, *taken_up) for mark in each.marks}
    for settled in settled_decisions(session, told):
        if settled.category != Category.DECISION or not own.issuperset(settled.marks):
            yield settled


def _lead_of(found: Candidate) -> str:
    return found.content.partition("\n")[0]


def _planned(
    session: Session, roots: tuple[str, ...], told: Sequence[str], *, does: bool
) -> Iterator[Candidate]:
    """What plans settle beyond what is told: where the session `does` them, no work either, nor a
    plan as a whole that only lists steps, which the changes tell: of seven nobody wanted one.
    """
    told = list(told)
    approved = list(approved_plans(session))
    whole = [it for it in approved if it.content.startswith("Plan: ")]
    for plan in (*pasted_plans(session), *approved, *written_plans(session, roots)):
        is_kept = plan.category == Category.TASK
        is_removed = plan.category == Category.KEY_FACT and _is_told(_title_of(plan), told)
        is_steps = plan in whole and not any(map(_settles, sentences(plan.content)))
        is_done = is_steps or is_removed or says_what_is_done(plan.content)
        is_work = does and not is_kept and is_done
        if not is_work and not _is_told(plan.content[:_OPENING], told):
            told.append(plan.content)
            yield plan


def _settles(sentence: str) -> bool:
    """Whether a sentence of a plan pins something down, or says why."""
    return settles(sentence) or tells_why(sentence)


def _title_of(plan: Candidate) -> str:
    """What a part of a plan is called, with the plan's own title."""
    return plan.content.partition("): ")[0]


def _is_chosen(recap: str, chosen: Sequence[Candidate]) -> bool:
    """Whether most lines of a recap tell, each by itself, what was answered to a question."""
    answered = [content_words(each.content) for each in chosen]
    lines = [content_words(each) for each in recap.splitlines()[1:]]
    told = [it for it in lines if any(covered(it, words) >= _LINE_IS_TOLD for words in answered)]
    return len(told) >= _MOST_LINES * len(lines)


def _is_told(text: str, told: Sequence[str]) -> bool:
    """Whether one of the texts says most of what `text` does."""
    words = content_words(text)
    return any(covered(words, content_words(each)) >= _MOSTLY for each in told)
