"""Findings: what an agent found out for a question, by looking alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, takewhile
from posixpath import basename

from store.agents.session import Session
from store.agents.transcript import Message
from store.capture.candidate import CAPTURED, Candidate, Known, Passed, passage_of, shorten
from store.capture.decisions.pasted_plans import is_plan, lays_out_plan
from store.capture.findings.outside import changes_elsewhere
from store.capture.findings.recipes import recipe_in
from store.capture.findings.reviews import asks_review
from store.capture.requests.request import Request
from store.capture.requests.rulings import wonders
from store.capture.steps.edited_files import is_known, writes
from store.capture.steps.paths import project_path
from store.capture.steps.tools import command_of, edits_of, reads_of
from store.capture.text.accounts import closing_account
from store.capture.text.causes import FOUND_IT, names_cause, tells_cause, tells_limit
from store.capture.text.chatter import doubts, is_aside, tells_something, thinks
from store.capture.text.facts import ENOUGH, MUCH, answer_in, direct_answer, teaches_enough
from store.capture.text.grounds import asked_below
from store.capture.text.prose import CODE_NAME, announces, leans, sentences, statements, stopped
from store.model import Category
from store.notice import notice
from store.text.regex import regex

_TELLS_WHY = regex(
    r"\b(?:root cause|culprit|turns out|introduced (?:in|by)|regress\w*|caused by|because"
    r"|(?:the|this) (?:\w+ )?(?:bug|issue|problem|failure|cause) (?:is|was|comes|came|lies|starts)"
    r"|there['’]s the (?:issue|problem|bug|culprit)|even though|dead code|(?:ignores|ignored by)"
    r"|explains (?:the|why|that)|(?:likely|probable|main) (?:reason|cause)|recommendation(?=:)"
    r"|short answer|no strong reason|the (?:gap|lesson is)|must be set|environment variables?"
    r"|(?:still|not) (?:intact|affected|fixed|related)|a causa|porque)\b",
    re.I,
)
_ASKS_WHY = regex(
    r"\?|\b(?:why|how|what|whats|where|which|when|investigat\w*|check|look|analy[sz]\w*|find|explain"
    r"|debug|figure|understand|discuss\w*|research|see if|trace|diagnos\w*|wonder\w*|issues?|bugs?"
    r"|problem|fail\w*|errors?|broken|wrong|weird|\w+n['’]t|not|porqu\w+|warum|wieso)\b",
    re.I,
)
_WHY = regex(r"\bwhy\b[^?]*\?\s*\Z", re.I)
"""Who asks why in the end is told, whether or not the agent looks."""
_ENDING = 300
"""Characters at the end of a question in which it asks why."""
_FIRST = 3
"""Sentences of an answer in which it says why, where that is what it is about."""
_OPENING = 1_500
"""Characters of a message in which it asks what it wants to know."""
_NAMES_CAUSE = regex(r"\b(?:root cause|culprit|turns out|caused by|introduced (?:in|by))\b", re.I)
"""Why it was so is worth knowing after it was mended, too; how it was is not."""
_OUT_THERE = regex(
    r"\b(?:curl|wget|ssh|psql|mysql|sqlite3|redis-cli|mongosh|kubectl|aws|gcloud|az|journalctl"
    r"|docker (?:logs|exec|compose logs)|gh run view)\b"
    r"|/(?:node_modules|site-packages|pkg/mod|\.cargo)/"
)
_WEB = regex(r"web_?(?:search|fetch)|fetch|browser|^mcp", re.I)
"""Where an agent looks that is no part of the project: what it finds there no file tells again."""
_REPORT = regex(r"\b(?:report back|research|investigat\w+|findings|find out)\b", re.I)
_VERDICT = regex(
    r"^(?:#{1,5} +|\*\*)(?:\w+ ){0,2}(?:verdict|recommendation|conclusion|bottom line|assessment"
    r"|my read|short answer|tl;?dr)\b[^\n]{0,40}?(?:\*\*|:|$)",
    re.I | re.M,
)
"""Below it stands what an answer comes to."""
_SHORTEST_VERDICT = 80
"""Characters of a verdict."""
_MANY_LOOKS, _LONG_STEM = 10, 8
"""Steps from which an answer may be a report, and characters of a file's name that names it without
its ending.
"""
_WHY_SO = regex(r"\bwhy (?:do|does|did|is|are|was|were|not)\b|\bthe difference\b", re.I)
_LEAST_FACTS, _MOST_FACTS, _SHORTEST_FACT = 2, 4, 40
"""Facts of an answer, at least and at most, and characters of each."""
_PROPOSED = "<proposed_plan>"
"""How Codex marks a plan: whoever takes it up pastes it."""
_ASKS_WHICH = regex(r"\b(?:which|prefer)\b[^?]*\?\W*\Z", re.I)
"""Who asks which way to take lays out ways, and has found none."""
_OF_GIT = regex(
    r"\bhead\b|\borigin/\w|\bahead\b|\bbehind\b|\buntracked\b|\bup to date\b"
    r"|\bamend(?:ed)?\b|\bforce-?push|--force-with-lease\b"
)
"""Where a checkout stands, which git says better, and what can be done about its past."""
_WANTS_PLAN = regex(r"\bplan\b", re.I)
"""Who wants a plan gets one, and it is told as such."""
_OWN_WORK = regex(
    r"(?:(?:ok(?:ay)?|please|now|so|can you|could you)\b[, ]*)*"
    r"(?:summari[sz]e|recap|sum up|list|what (?:have|did))\b"
    r"[^.?!]{0,40}\b(?:we|you|been)(?: have|['’]ve)? (?:just |all )?"
    r"(?:changed?|d(?:o|id|one)|built|made|implemented)\b",
    re.I,
)
"""Who asks what the session itself did is told what its changes tell."""
_OF_THE_DAY = regex(
    r"\b(?:status|ready to|stale|progress|how (?:big|long)|any work|be merged"
    r"|what['’]?s (?:next|left)"
    r"|(?:this|that|the|on) (?:pr|pull request)"
    r"|(?:can|should) (?:we|i|you) (?:close|merge|prune|push)|(?:check|try|test) (?:\w+ )?again"
    r"|(?:worker|agent|pr|pull request|branch|issue|ticket|bead|todo)s? (?:is|are|done|now))\b",
    re.I,
)
"""Who asks how far the work is gets an answer for the day."""
_REPORTS = regex(r"\bI(?:['’]ve)? (?:also |have |just |now )?\w+ed\b|\A[A-Z]\w{2,12}: (?!the\b)")
"""What the agent did itself, or what a label stands before: a report."""
_NAMES = regex(r"`[^`\n]+`|\b\w+\.\w{1,4}:\d+|\b[0-9a-f]{7,12}\b|\b[A-Z]+-\d+\b")
_LEAST_LOOKS, _LEAST_NAMES, _SHORTEST, _LONGEST, _MOST_NAMED = 3, 2, 160, 700, 4
"""Steps and names of code of an investigation, characters of what it found, and files named that
changed since.
"""


def investigations_in(session: Session, requests: Sequence[Request]) -> list[Request]:
    """The requests that want to know something, as far as they were answered without changing a
    file: what was let go on with then is work.
    """
    answered = (_answered(request, session) for request in requests)
    return [it for it in answered if it.asked and it.said and not wants_else(it)]


def _answered(request: Request, session: Session) -> Request:
    """A request up to the first exchange in which a file was changed."""
    quiet = tuple(
        takewhile(
            lambda it: not any(writes(step, session.folder) for step in it.steps), request.exchanges
        )
    )
    return request if len(quiet) == len(request.exchanges) else Request(request.asked, quiet)


def findings(
    session: Session, investigations: Sequence[Request], known: Known
) -> Iterator[Candidate | Passed]:
    """A fact for each investigation whose answer says why something is so, or what it is not."""
    for request in investigations:
        looked = [step for step in request.steps if not step.call.aside]
        said, found = _found_out(request, looked=bool(looked))
        if not found and session.steps:  # who only talks answers everything at once
            found = _direct(request, said)
        if not found or _OF_THE_DAY.search(request.title) or _REPORTS.search(found):
            continue
        since = _changed_since(said, found, session)
        if since and not (_NAMES_CAUSE.search(found) or teaches_enough(found)):
            yield Passed(found, notice("mended-since"))
            continue
        if looked and all(is_known(step, session, known) for step in looked):
            yield Passed(found, CAPTURED)
            continue
        recipe = recipe_in(request.said[-1].text)
        run = f"\n{recipe}" if recipe and recipe not in found else ""
        asked = asked_below(request.title)
        yield Candidate(
            category=Category.KEY_FACT,
            content=f"{found}{run}{asked}{since}",
            summary=found,
            line=said.line,
            at=said.at,
            passage=passage_of(said.text),
            marks=session.marks(looked[-1:]),
        )


def _found_out(request: Request, *, looked: bool) -> tuple[Message, str]:
    """What a request found out, and the message that tells it; empty where it is little."""
    text = request.asked.text if request.asked else ""
    last = request.said[-1]
    if len(request.steps) < _LEAST_LOOKS and not _asks(request):
        return last, ""
    if looked or _WHY.search(text[-_ENDING:]):
        said = max(request.said, key=lambda each: len(_NAMES.findall(each.text)))
        found = _found(said.text) or (_limits(said.text) if _researches(request) else "")
        if found or (found := _verdict(last.text)):
            return said, found
    return last, _answer(request, least=ENOUGH if looked else MUCH)


def _direct(request: Request, said: Message) -> str:
    """How a question was answered at once; empty where it was talked over, and where it guesses."""
    if len(request.exchanges) > 1 or not _asks(request) or _asks_or_plans(said.text):
        return ""
    told = direct_answer(said.text)
    return "" if doubts(told) else told


def _asks(request: Request) -> bool:
    text = request.asked.text if request.asked else ""
    return text.endswith("?") or wonders(text)


def explained(
    investigations: Sequence[Request], requests: Sequence[Request]
) -> list[tuple[int, str]]:
    """What was found out without changing a file, by line: why what is changed later is changed.

    What was let go on with at once its own change tells.
    """
    asked = set(map(id, requests))
    whole = (it for it in investigations if id(it) in asked)
    told = ((it.said[-1].line, _found(it.said[-1].text)) for it in whole)
    return [(line, found) for line, found in told if found]


@lru_cache(maxsize=256)
def _found(text: str) -> str:
    """What a message says why it is so, that first; empty where it thinks aloud, plans or asks."""
    found = closing_account(text, _LONGEST)
    is_it = FOUND_IT.search(text) and tells_cause(found)
    if len(found) < _SHORTEST or not (is_it or _says_why(found)):
        return ""
    if len(_NAMES.findall(found)) < (1 if is_it else _LEAST_NAMES):
        return ""
    if _asks_or_plans(text) or is_of_git(found, 2):
        return ""
    if thinks(text) or thinks(found) or doubts(found):
        return ""
    found = _cause_first(found)
    return found if is_it or any(map(_says_why, list(sentences(found))[:_FIRST])) else ""


def _asks_or_plans(text: str) -> bool:
    last = text.rpartition("\n")[2]
    return lays_out_plan(text) or _PROPOSED in text or _ASKS_WHICH.search(last) is not None


def _verdict(text: str) -> str:
    """What a message says below "Verdict" or "Recommendation"; empty where it comes to none."""
    at = _VERDICT.search(text)
    if at is None or _asks_or_plans(text):
        return ""
    told = (it for it in sentences(text[at.end() :].lstrip("*_: ")) if _is_told_whole(it))
    found = shorten(" ".join(map(stopped, islice(told, _MOST_FACTS))), _LONGEST)
    return found if len(found) >= _SHORTEST_VERDICT else ""


def _limits(text: str) -> str:
    """What a message says of things that the project's files do not tell: how they are, or not."""
    if _asks_or_plans(text) or doubts(text):
        return ""
    told = [it for it in sentences(text) if tells_limit(it) and _is_told_whole(it)]
    first = next((at for at, each in enumerate(told) if not leans(each)), len(told))
    kept = told[first:][:_MOST_FACTS]
    is_enough = len(kept) >= _LEAST_FACTS and any(map(CODE_NAME.search, kept))
    return shorten(" ".join(map(stopped, kept)), _LONGEST) if is_enough else ""


def _answer(request: Request, *, least: int) -> str:
    """What the last words on a request teach, one sentence at `least` so much; empty where they are
    a plan, think aloud or ask, and where something was done elsewhere.
    """
    text = request.said[-1].text
    if not teaches_enough(text, least) or any(map(changes_elsewhere, request.steps)):
        return ""
    if _WANTS_PLAN.search(request.title) or _asks_or_plans(text) or thinks(text):
        return ""
    told = answer_in(text, {sentence for _, sentence in statements(text)})
    return "" if doubts(told) or is_of_git(told, 1) else told


def is_of_git(found: str, most: int) -> bool:
    """Whether more than `most` words of a text are about where a checkout stands."""
    return len(set(_OF_GIT.findall(found.lower()))) > most


def _is_told_whole(sentence: str) -> bool:
    if sentence.endswith(("?", ":")) or announces(sentence) or is_aside(sentence):
        return False
    if "I'll" in sentence or _OF_GIT.search(sentence.lower()):
        return False
    return len(sentence) >= _SHORTEST_FACT and tells_something(sentence)


def _researches(request: Request) -> bool:
    """Whether a request looked at more than the project, the web, a service, a library, a machine;
    or long, to report what is so; or asks why it is so.
    """
    text = request.asked.text if request.asked else ""
    if len(request.steps) >= _MANY_LOOKS and _REPORT.search(text[:_OPENING]):
        return True
    if _WHY_SO.search(text[:_OPENING]):
        return True
    for step in request.steps:
        command = command_of(step.call)
        if _OUT_THERE.search(command) or (not command and _WEB.search(step.call.tool)):
            return True
        if any(_OUT_THERE.search(path) for path in reads_of(step.call)):
            return True
    return False


def _cause_first(found: str) -> str:
    """What was found with the sentence that says why at its beginning."""
    told = list(sentences(found))
    why = next((it for it in told if _says_why(it) and not leans(it)), "")
    if not why or any(map(_says_why, told[:2])):
        return found
    return " ".join((why, *(it for it in told if it != why)))


def wants_else(request: Request) -> bool:
    """Whether a request is for a review, or for work: what is told then is that it was done."""
    text = request.asked.text if request.asked else ""
    if asks_review(text) or is_plan(text) or _OWN_WORK.match(text):
        return True
    found = any(FOUND_IT.search(each.text) for each in request.said)
    return not found and not _ASKS_WHY.search(text[:_OPENING])


def _says_why(found: str) -> bool:
    """Whether what is told of an answer says why; how the code is made it tells itself."""
    return names_cause(found) or _TELLS_WHY.search(found) is not None


def _changed_since(said: Message, found: str, session: Session) -> str:
    """The files of what was found that the session changed afterwards: it may be mended."""
    paths = dict.fromkeys(
        path
        for step in session.steps
        if step.call.line > said.line and not step.failed
        for edit in edits_of(step.call)
        if (path := project_path(edit.path, session.folder))
    )
    named = [path for path in paths if _is_named(basename(path), found)]
    return f"\nChanged since, in this session: {', '.join(named[:_MOST_NAMED])}" if named else ""


def _is_named(name: str, found: str) -> bool:
    """Whether a file is named, by its name or by a long one without its ending."""
    stem = name.partition(".")[0]
    return name in found or (len(stem) >= _LONG_STEM and stem in found)
