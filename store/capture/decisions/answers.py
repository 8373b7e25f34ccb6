"""What people answered to a question, a plan or a step they refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from store.agents.noise import without_noise
from store.agents.session import Session, Step
from store.capture.candidate import Candidate, passage_of, shorten
from store.capture.decisions.pasted_plans import is_plan, plan_statements
from store.capture.requests.rulings import is_standing, settles
from store.capture.steps.tools import tool_name
from store.capture.text.prose import plain, prose_lines
from store.json_fields import mapping, string
from store.model import Category
from store.text.regex import regex

_FEEDBACK = regex(r"the user said:\s*(.+)\Z", re.S)
_ANSWER = regex(r'"([^"]{8,300})"="([^"]{1,300})"')
_QUESTIONS = frozenset({"askuserquestion", "requestuserinput"})
"""The tools by which agents ask, as `tool_name` writes them."""
_RECOMMENDED = regex(r" \(recommended\)", re.I)
_WHAT_NEXT = regex(
    r"\bwhat (?:would you like|should (?:i|we)|do you want|are we)\b[^?]*\b(?:do|work|update)\b"
    r"|\b(?:next|proceed|continue|ready|start(?: with)?)\b[^?]{0,30}\?"
    r"|^(?:are you )?ready to\b"
    r"|\b(?:commit(?:ted)?|push(?:ed)?|force-push|merged?|pull request|PR)\b"
    r"|\bwhich (?:\w+ )?(?:task|todo|phase|issue|item|area|topic)s?\b|^(?:any )?more questions\b"
    r"|\bworked (?:on )?(?:today|next|now)\b|\bapproval\b|\bbefore i (?:dispatch|begin|start)\b"
    r"|\bare we done\b|\bshould (?:i|we)\b.{0,40}\bnow\?"
    r"|^where\b.{0,40}\b(?:write|save|put|store)\b.{0,20}\b(?:plan|findings|report|notes?)\b"
    r"|\b(?:new|this|current) (?:[\w`/.-]+ ){0,3}(?:stack|branch|worktree)\b"
    r"|\b(?:tackle|attempt|begin with|work through)\b[^?]*\?|\b(?:in|for) this session\b"
    r"|\b(?:can|could) you (?:now )?(?:upload|send|paste|share|attach)\b|\bshould i wait\b"
    r"|\bwhat(?:['’]s| is) (?:your current|already)\b",
    re.I,
)
"""What to do now is no decision that a later session needs."""
_OFFERED = regex(r"^(?:would you like me to|(?:do you )?want me to|shall i)\b", re.I)
_LEAVES_IT = regex(
    r"^(?:h+m+|not sure|(?:that |it )?depends)\b|^done\b|^(?:you (?:decide|choose|pick)"
    r"|your (?:call|choice)|up to you|either|no preference|whatever"
    r"|skip|none|n/a)\b[^,;]{0,30}$",
    re.I,
)
_UNDECIDED = regex(
    r"\bneed\w* (?:some |a bit )?(?:more|further) (?:info\w*|details?|context|time)\b|\bundecided\b"
    r"|\b(?:(?:my|our) understanding|as far as i|potentially|we can discuss)\b"
    r"|\bto decide\b|\b(?:not|haven['’]?t|have not) (?:yet )?decided\b|\b(?:un|not )sure\b"
    r"|\b(?:but|though|however)\b.{0,30}\b(?:fear|worr\w+|concern\w*|afraid|wonder\w*)\b",
    re.I,
)
"""Who weighs one against the other has not chosen."""
_ASKS_BACK = regex(
    r"\b(?:could|can|would) you\b.{0,20}\b(?:explain|expand|elaborate|clarify|compare|tell|show)\b"
    r"|\bwhat(?:['’]s| is| are) the\b[^?]*\?|\bon the one hand\b|\bnot quite\b"
    r"|\blet me (?:redirect|rephrase|explain)\b",
    re.I,
)
_OF_THE_RUN = regex(
    r"\b(?:review|agents?|tests?|it)\b[^?]{0,40}\b(?:run|wait)\b[^?]{0,30}\?"
    r"|\b(?:wait|run)\b[^?]{0,60}\bin the background\b",
    re.I,
)
"""Whether to wait for what runs is of the moment."""
_SEES = regex(
    r"\b(?:did (?:it|that|this|you|the [^?]{1,40}) (?:\w+ )?"
    r"(?:work|appear|see|start|open|finish|succeed|help|show)\w*\b|can you (?:now )?see\b"
    r"|what (?:exactly |else )?(?:are|do|did) you (?:see|seeing|get|getting|experienc\w+)\b"
    r"|what (?:exactly )?happen(?:s|ed)\b|what(?: is the)?(?: exact)? error\b"
    r"|showing (?:this|the|an) error"
    r"|qu['’]est-ce qui se passe|message d['’]erreur|est-ce qu['’]il y a des erreurs)",
    re.I,
)
"""What the person sees just now decides nothing."""
_PICKED = regex(
    r"(?<!\bnot )(?<!\bthan )(?<!\bover )(?<!\binstead of )(?:\boption |\bnumber |#)(\d)\b", re.I
)
_APPROVED = regex(r"\bapproved\b", re.I)
_HEADING = regex(r"^#{1,3}\s+(?:Plan:?\s*)?(.{5,160})$", re.M)
_TAKES_OVER = regex(
    r"^(?:(?:oh|huh|h+m+|ah|er+m?|well)\b[,.! ]*)*"
    r"(?:i['’]?ll|i will|i['’]?ve|i have|i['’]m|let me|wait|stop|no|never ?mind|hold on|hang on"
    r"|stuff it|actually"
    r"|ok(?:ay)?|later)\b",
    re.I,
)
_SHORTEST_INSTRUCTION, _LONGEST_TITLE = 60, 160
"""Characters of what is said to a refused step, and of a title."""
_ERRAND = regex(
    r"^(?:(?:and|but|so|ok(?:ay)?|oh|hm+|first|please|no|wait|yes)[,.!:]? )*"
    r"(?:(?:can|could|should) (?:we|you) |let['’]?s |i(?:['’]d| would) like (?:you )?to "
    r"|we need to )?(?:please )?(?:(?:cut|rename|create|make|open|switch|check ?out|merge|pull"
    r"|push|rebase|commit|stash|amend)\b.{0,40}\b(?:branch|pr|pull request|origin|main|master"
    r"|commits?|changes)\b"
    r"|update the (?:docs?|document\w*|plan|readme|changelog|pr)\b"
    r"|(?:write (?:\w+ ){0,3}(?:down|up)|show|explain|list|tell|look|summari[sz]e|describe"
    r"|remind|critique|review|save|check|verify|investigate|search|fetch)\b"
    r"|(?:only |just )*(?:implement|do|fix|apply|start with) (?:only |just )*(?:the )?(?:\w+ )?"
    r"(?:#|no\.? ?)?\d)",
    re.I,
)
"""What people want done at once, once: it teaches nothing for the next session."""
_FOR_NOW = regex(
    r"\bfor now\b|^exit\b|\bcontext (?:limi?t|window)\b|^or\b"
    r"|^(?:hang|hold) on\b|\bi['’]?ll (?:get|send|show|give|do|check)\b"
    r"|\bin this (?:branch|pr|commit)\b|^(?:so )?i (?:\w+ed|did|ran|got|saw)\b"
    r"|\bi think\b.{0,40}\b(?:fail\w*|error|issue|problem|bug)\b"
    r"|\bfirst,? (?:and )?then\b|\b(?:get|come back) to (?:that|it)\b"
    r"|\bjust (?:continue|go on|proceed)\b|\b(?:try|look|check) again\b"
    r"|\b(?:with|do) (?:that|this|it) first\W*$|```|[⏺⎿❯]",
    re.I,
)
_OF_THIS_SESSION = regex(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-")
_PROGRAM = ("The user wants to clarify", "The user doesn't want")
_PROPOSES = regex(
    r"\b(?:can['’]?t (?:we|you|it)|shouldn['’]?t|why not|(?:can|could|should) (?:we|you) (?:not )?"
    r"(?:use|make|keep|put|call|just|do)|instead|rather|better)\b",
    re.I,
)
_SETS_AGAINST = regex(r"\b(?:instead of|rather than)\b", re.I)
"""What is asked so is preferred: other questions are of the step at hand."""


def refusals(session: Session) -> Iterator[Candidate]:
    """How people corrected a step that they refused."""
    for step in session.steps:
        feedback = _FEEDBACK.search(step.result.text) if step.failed and step.result else None
        text = shorten(without_noise(feedback.group(1)), 300) if feedback else ""
        brief = len(text) < _SHORTEST_INSTRUCTION and _TAKES_OVER.match(text)
        if len(text) >= 20 and not brief and not _teaches_nothing(text) and _holds(text):
            yield _from_step(
                session, step, Category.LESSON, f"On {_occasion(step)} the user said: {text}"
            )


def _holds(text: str) -> bool:
    """Whether a refusal says how it should be done, rather than not to do it now.

    What else was said to a plan, the plan that followed takes up.
    """
    return settles(text) or is_standing(text) or _PROPOSES.search(text) is not None


def _teaches_nothing(text: str) -> bool:
    """Whether a refusal teaches nothing: a question, an errand, or the program's own sentence."""
    if (
        text.startswith(_PROGRAM)
        or _ERRAND.match(text)
        or _FOR_NOW.search(text)
        or _OF_THIS_SESSION.search(text)
    ):
        return True
    return "?" in text and not (_SETS_AGAINST.search(text) or is_standing(text))


def answers(session: Session) -> Iterator[Candidate]:
    """The answers people gave to an agent's questions."""
    for step in session.steps:
        if tool_name(step.call) in _QUESTIONS and step.result is not None and not step.failed:
            for question, answer in _answered(step):
                if _is_passing(question, answer):
                    continue
                chosen = f"{_RECOMMENDED.sub('', answer)}{_meant(step, question, answer)}"
                text = f"{question} The user chose: {chosen}.{_left(step, question, answer)}"
                yield _from_step(session, step, Category.DECISION, text)


def approved_plans(session: Session) -> Iterator[Candidate]:
    """What the plans say that people approved, or with which a session ended."""
    for step in session.steps:
        if tool_name(step.call) == "exitplanmode" and _stands(session, step):
            yield from _approved_plan(session, step)


def _stands(session: Session, step: Step) -> bool:
    """Whether a plan was approved, or ended its session unrefused: another carries it out."""
    answer = step.result.text if step.result else ""
    if not step.failed and _APPROVED.search(answer[:300]):
        return True
    return step is session.steps[-1] and not _FEEDBACK.search(answer)


def _answered(step: Step) -> Iterator[tuple[str, str]]:
    """The questions of a call with their answers: as they were asked, else as the answer cites."""
    text = step.result.text if step.result else ""
    listed = _listed(step)
    if text.startswith("{"):
        yield from _answered_by_id(listed, text)
        return
    questions = [str(each.get("question")) for each in listed]
    if not any(f'"{question}"="' in text for question in questions):
        yield from _ANSWER.findall(text)
        return
    for question in questions:
        answer = text.partition(f'"{question}"="')[2].partition('"')[0].strip()
        if answer:
            yield question, shorten(answer, 300)


def _listed(step: Step) -> list[Mapping[str, Any]]:
    """The questions of a call, as it asked them."""
    asked = step.call.arguments.get("questions")
    return [each for each in asked if isinstance(each, dict)] if isinstance(asked, list) else []


def _answered_by_id(listed: Sequence[Mapping[str, Any]], text: str) -> Iterator[tuple[str, str]]:
    """The questions with their answers, where these stand as JSON by the ids of the questions."""
    try:
        answers = mapping(json.loads(text)).get("answers")
    except ValueError:
        return
    for each in listed:
        told = mapping(mapping(answers).get(string(each.get("id")))).get("answers")
        said = [word for word in told if isinstance(word, str)] if isinstance(told, list) else []
        if said and each.get("question"):
            yield str(each["question"]), shorten("; ".join(said), 300)


def _left(step: Step, question: str, answer: str) -> str:
    """The options that were offered and not taken, where one of them was."""
    options = next((it.get("options") for it in _listed(step) if it.get("question") == question), 0)
    offered = options if isinstance(options, list) else []
    labels = [plain(str(it.get("label") or "")) for it in offered if isinstance(it, dict)]
    labels = [_RECOMMENDED.sub("", it) for it in labels]
    left = [it for it in labels if it and it not in answer]
    is_one = 0 < len(left) < len(labels)
    return f"\nNot: {shorten('; '.join(left), _LONGEST_TITLE)}" if is_one else ""


def _meant(step: Step, question: str, answer: str) -> str:
    """What the option that was chosen stands for, as it was offered."""
    picked = _PICKED.findall(answer)
    for each in _listed(step):
        options = each.get("options")
        if not isinstance(options, list) or each.get("question") != question:
            continue
        for number, option in enumerate(options, 1):
            if not isinstance(option, dict):
                continue
            if picked and picked[-1] == str(number):
                label = plain(str(option.get("label") or ""))
                told = plain(str(option.get("description") or "")).rstrip(". ")
                meant = ", ".join(filter(None, (label, told)))
                return f" ({number}: {shorten(meant, _LONGEST_TITLE)})"
            if option.get("label") == answer:
                told = plain(str(option.get("description") or "")).rstrip(". ")
                return f" ({shorten(told, _LONGEST_TITLE)})" if told else ""
    return ""


def _is_passing(question: str, answer: str) -> bool:
    """Whether an answer settles nothing that lasts: what to do next, an offer taken, no choice."""
    if _ASKS_BACK.search(answer) or (_UNDECIDED.search(answer) and not settles(answer)):
        return True
    if _OF_THE_RUN.search(question) or _SEES.search(question):
        return True
    if _LEAVES_IT.match(answer) or _FOR_NOW.search(answer) or answer.rstrip(". ").endswith("?"):
        return True
    return bool(_WHAT_NEXT.search(question) or _OFFERED.match(question)) and not settles(answer)


def _approved_plan(session: Session, step: Step) -> Iterator[Candidate]:
    plan = str(step.call.arguments.get("plan") or "")
    if is_plan(plan):
        for category, text in plan_statements(plan):
            yield _from_step(session, step, category, text)
        return
    title = _HEADING.search(plan)
    lines = [line for line in prose_lines(plan) if len(line) >= 25]
    if title or lines:
        head = f"{plain(title.group(1))}. " if title else ""
        body = shorten(" ".join(lines[:3]), 500)
        yield _from_step(session, step, Category.DECISION, f"Plan: {head}{body}".strip())


def _occasion(step: Step) -> str:
    if tool_name(step.call) == "exitplanmode":
        return "the plan"
    path = step.call.arguments.get("file_path")
    return f"an edit of {str(path).rsplit('/', 1)[-1]}" if path else f"a call of {step.call.tool}"


def _from_step(session: Session, step: Step, category: str, text: str) -> Candidate:
    return Candidate(
        category=category,
        content=text,
        line=step.call.line,
        at=step.call.at,
        passage=passage_of(step.result.text if step.result else text),
        marks=session.marks([step]),
    )
