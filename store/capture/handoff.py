"""The note to whoever continues: what is done, what is open, what comes next, and where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from store.agents.session import Session
from store.agents.transcript import Message, Speaker
from store.capture.candidate import Candidate, passage_of, shorten
from store.capture.checks.commands import kind_of
from store.capture.checks.failures import NOT_OURS, command_head
from store.capture.findings.reviews import is_review
from store.capture.requests.request import Request, lets_go_on
from store.capture.requests.rulings import rulings_in
from store.capture.steps.check_output import failure_line, has_failed, is_check, was_refused
from store.capture.steps.tools import command_of, edits_of, tool_name
from store.capture.text.accounts import closing_account
from store.capture.text.chatter import is_aside, is_chore, is_progress
from store.capture.text.grounds import OF_ANY_WORK, Grounds, says_what
from store.capture.text.prose import announces, intent, points_back, sentences
from store.capture.text.trouble import tells_deed
from store.model import Category
from store.text.content_words import code_words
from store.text.phrases import Phrases
from store.text.regex import regex

_LEFT = Phrases(
    "will need|out of scope for now|ainda|pendente|noch|offen",
    {
        "still ": (r"\bstill (?:needs?|have to|has to|to|open|fail\w*|missing|unclear|pending)\b"),
        "not yet": r"\b(?:is|are) not yet\b",
        "remain": (
            r"\bremains? (?:to|open|un(?:resolv|fix|test|finish|clear|done|known|address|implement"
            r"|answer|verif|solv|cover|document|check)\w*|fail\w+|broken)\b"
            r"|\bremaining (?:work|tasks?|items?|steps?|issues?)\b"
        ),
        "left to": r"(?<!nothing )\bleft to\b",
        "next ": r"\bnext (?:steps?|up|is|comes)\b",
        "blocked": (r"\b(?:is|are|still) blocked\b|(?<!be )(?<!not )\bblocked (?:by|on)\b"),
        "waiting for": r"\b(?:is|are|am) waiting for\b",
        "known ": r"\bknown (?:issue|limitation)\b",
        "falta": r"\bfalta",
        "passo": r"\bpróximos? passos?\b",
        ":": (
            r"\b(?:remaining|to-?do|next|follow[- ]?ups?|pending|blocked):"
            r"(?!\s*(?:no(?:ne|thing)?|all)\b)"
        ),
    },
)
_NOTHING_LEFT = regex(
    r"\W*(?:✅|✓|no(?:ne|thing)?\b|all\b|next(?: up| steps?)?\W*\Z)"
    r"|.*\bno (?:more|remaining|further) (?:\w+ )?tasks?\b"
    r"|.*\b(?:exiting|will (?:now )?exit)\b",
    re.I,
)
_DETAIL = regex(r"`[^`]+`|(?<!\w)(?:\w+\.\w{1,5}\b|\w+_\w+)|(?<![a-z])[a-z]+[A-Z]\w+|#\d+|\d")
_SMALL_OFFER = regex(
    r"\b(?:commit|push|pr\b|pull request|anything else|help with|look(?:s)? (?:good|right)|sound"
    r"|more detail|expla\w+|clarif\w+|show you|run the tests|more closely|in (?:more )?detail"
    r"|read the|approv\w+|aprovar|permiss(?:ion|ão)|posso"
    r"|like to (?:do|work)|work on|proceed|go ahead|continue|as-is|leave it)\b"
    r"|^(?:(?:do you )?want me to|would you like me to|shall i|should i)\b",
    re.I,
)
_GOES_TO_GIT = regex(
    r"\b(?:branch|pr|pull request|commits?|changes|release|it|this|that)\b.{0,40}"
    r"\b(?:merged|committed|pushed|reviewed|rebased|approved|mergeable)\b"
    r"|\bpending on\b|\bprs? #\d",
    re.I,
)
_IS_HOW_IT_WORKS = regex(
    r"\beven (?:with|when|if|though)\b"
    r"|\bif (?:a|an|the|no)\b.{0,60}\b(?:is|are) (?:pending|blocked|missing)\b"
    r"|\bnow (?:returns|does|is|uses)\b|, but now \w+s\b|\bno \w+ (?:is|are) (?:pending|blocked)\b",
    re.I,
)
_OF_THE_SANDBOX = regex(
    r"\b(?:sandbox\w*|environment limitation|EPERM|without a TTY|non-interactive)\b", re.I
)
"""What only the agent's own surroundings kept it from is open to nobody else."""
_FAILS = regex(
    r"\b(?:fail\w*|errors?|panic|fatal|exception|assert\w*)\b|\w(?:Error|Exception)\b|✗|✖|×", re.I
)
_ADVISED = regex(r"(?<=\w[ ,])\s?next steps?\b", re.I)
"""A next step that is recommended, or written of, was not left."""
_LABEL = regex(
    r"\A\W*(?:(?:still )?open|next(?: steps?| up| task)?|to-?do|follow[- ]?ups?"
    r"|(?:what['’]s |what is )?(?:remaining|left)(?: (?:work|tasks?|items?|steps?|issues?|to do))?)"
    r"\s*:[\s*_]*(?=\w|`)",
    re.I,
)
"""What leads to what is left; the note's own line does."""
_WAITS = regex(r"\b(?:wait|waiting|hold) (?:for|on|until) you( to \w[^.]*)", re.I)
_PERSONS = regex(r"\bI\b|\b(?i:you|your)\b")
"""What the agent could do, or the person should, is not done."""
_GOES_ON = regex(
    r"\bwill (?:wait|report|continue|check)\b|\bi['’]m \w+ing\b|\bbefore i \w+\b"
    r"|\bstill (?:running|pending|in progress|waiting)\b",
    re.I,
)
_TASK = regex(r"#(\d+)")
_LONGEST_PART, _LONGEST_DONE = 420, 260
"""Characters of what is open, and of what is done."""
_SHORTEST_TASK, _SAYS_ENOUGH = 10, 4
"""Characters of a task, and words of a request that say what it is about."""
_SHORTEST_REQUEST = 20
"""Characters up to which a request only lets go on."""
_STALE_AFTER = 25
"""Tool calls after which a list of things to do no longer says what is open."""


def handoff(session: Session, requests: Sequence[Request]) -> Iterator[Candidate]:
    """The note that lets one continue; none where the session came to its end, whatever a list
    of its still says: of ten of those nobody wanted one.
    """
    last_summary = session.summaries[-1] if session.summaries else None
    since = _since(session)
    open_parts = left_open(session)
    if not any(_left(session, since)) or not _broke_off(session, since):
        return
    if requests and is_review(requests[-1], session.folder):
        return
    done = _last_done(since)
    if not (done or _says_more_than(_left_to_do(session), open_parts) or _changes(session)):
        return  # a list of what is to be done, of which nothing was begun
    parts = [f"Asked: {title}" for title in _last_title(requests)]
    if done:
        parts.append(f"Done: {shorten(done, _LONGEST_DONE)}")
    parts += [f"Open: {part}" for part in open_parts]
    if where := _where(session):
        parts.append(f"Where: {where}")
    line = max([said.line for said in since] or [last_summary.line if last_summary else 1])
    yield Candidate(
        category=Category.HANDOFF,
        content="\n".join(parts),
        summary=f"Open: {open_parts[0]}",
        line=line,
        at=session.ended,
        passage=passage_of(since[-1].text if since else open_parts[0]),
    )


def _broke_off(session: Session, since: Sequence[Message]) -> bool:
    """Whether a session ended in the midst of its work: after a step, an announcement, a failing
    check or a message that nobody answered; or its last words say what is left.
    """
    if not since or _still_failing(session):
        return True
    last = since[-1]
    if session.went_on_after(last):
        return True
    if any(it.speaker is Speaker.USER and it.line > last.line for it in session.said):
        return True
    told = list(sentences(last.text))
    left = any(_is_open(each) and not _ADVISED.search(each) for each in told)
    return left or bool(told and intent(told[-1]))


def _last_done(since: Sequence[Message]) -> str:
    """What the last account tells as done; where it tells nothing, one before it of a deed."""
    accounts = (it for said in reversed(since) if (it := closing_account(said.text)))
    last = _done(next(accounts, ""))
    earlier = (it for it in map(_done, accounts) if any(map(tells_deed, sentences(it))))
    return last or next(earlier, "")


def _done(account: str) -> str:
    """An account without what it waits for, what comes next and what is left: that is open."""
    told = [it for it in sentences(account) if not (_WAITS.search(it) or _GOES_ON.search(it))]
    told = [it for it in told if not (announces(it) or is_progress(it) or _is_open(it))]
    return " ".join(it for it in told if tells_deed(it) or not _PERSONS.search(it))


def _says_more_than(listed: Sequence[str], open_parts: Sequence[str]) -> bool:
    """Whether more is open than what stands in a list."""
    return any(part != "; ".join(listed) for part in open_parts)


def _changes(session: Session) -> bool:
    """Whether a session changed a file."""
    return any(True for step in session.steps for _ in edits_of(step.call))


def _asked_once(session: Session) -> bool:
    """Whether a session is one message and nothing done for it: it can be asked again."""
    users = [said for said in session.said if said.speaker is Speaker.USER]
    return len(users) == 1 and not session.steps


def left_open(session: Session) -> list[str]:
    """What a session leaves to do, a sentence each; nothing where all is done."""
    parts = dict.fromkeys(_open(session, _since(session)))
    return [part for part in parts if part]


def _since(session: Session) -> list[Message]:
    """What the agent said since it last summed the session up."""
    spoken = [said for said in session.said if said.speaker is Speaker.AGENT]
    last = session.summaries[-1].line if session.summaries else 0
    return [said for said in spoken if said.line > last]


def _open(session: Session, since: Sequence[Message]) -> Iterator[str]:
    """What is left, and what the agent's last words wait for or announce."""
    yield from _left(session, since)
    if since:
        told = list(sentences(since[-1].text))
        yield next((f"waits for you{it[1]}" for it in map(_WAITS.search, told) if it), "")
        yield _question(told)
        if told and _DETAIL.search(told[-1]):
            yield shorten(intent(told[-1]), 240)


def _left(session: Session, since: Sequence[Message]) -> Iterator[str]:
    """What is left, by the agent's last list, its last check, its last words and the person's."""
    yield "; ".join(_left_to_do(session))
    yield _still_failing(session)
    users = [said for said in session.said if said.speaker is Speaker.USER]
    if users and (not since or users[-1].line > since[-1].line):
        acted = any(step.asked is users[-1] for step in session.steps)
        if not acted and not _asked_once(session) and _waits(users[-1].text):
            yield shorten(f"unanswered: {users[-1].text}", _LONGEST_PART)
    if since:
        told = list(sentences(since[-1].text))
        left = [each for each in told if _is_open(each)]
        yield shorten(_LABEL.sub("", " ".join(left[:4])), _LONGEST_PART)


def _is_open(sentence: str) -> bool:
    """Whether a sentence says what is left to do, rather than how the code behaves."""
    if not _LEFT.stand_in(sentence) or _NOTHING_LEFT.match(_LABEL.sub("", sentence)):
        return False
    if _OF_THE_SANDBOX.search(sentence):
        return False
    if (
        _IS_HOW_IT_WORKS.search(sentence)
        or _GOES_TO_GIT.search(sentence)
        or points_back(sentence)
        or is_aside(sentence)
    ):
        return False
    return not announces(sentence) and not sentence.endswith(("?", ":"))


def _waits(text: str) -> bool:
    """Whether a message that names something waits for an answer: not where it settles something
    or agrees, and not where who wrote it would say the same again.
    """
    if len(text) <= _SHORTEST_REQUEST or lets_go_on(text) or not _DETAIL.search(text):
        return False
    return "?" in text or not rulings_in(text, answers=True)


def _question(told: Sequence[str]) -> str:
    """The question that the agent's last words leave with the person."""
    asked = [each for each in told[-4:] if each.endswith("?") and not _SMALL_OFFER.search(each)]
    if not asked or not _DETAIL.search(" ".join(told[-6:])):
        return ""
    if len(code_words(asked[-1]) - OF_ANY_WORK) < _SAYS_ENOUGH:
        return ""
    return f"the agent asked: {shorten(asked[-1], 300)}"


def _left_to_do(session: Session) -> list[str]:
    """What the agent's last list of things to do leaves undone, unless much was done since."""
    return _unfinished_tasks(session) or _last_list(session)


def _is_work(text: str) -> bool:
    return len(text) >= _SHORTEST_TASK and not is_chore(text)


def _unfinished_tasks(session: Session) -> list[str]:
    """The tasks that the agent noted one by one and did not close."""
    tasks: dict[str, str] = {}
    last = 0
    for at, step in enumerate(session.steps):
        name, given = tool_name(step.call), step.call.arguments
        if name == "taskcreate" and step.result:
            number = _TASK.search(step.result.text)
            if number:
                tasks[number.group(1)] = str(given.get("subject") or "")
                last = at
        elif name == "taskupdate" and given.get("status") in ("completed", "deleted"):
            tasks.pop(str(given.get("taskId")), None)
            last = at
    if len(session.steps) - last > _STALE_AFTER:
        return []
    return [text for text in tasks.values() if _is_work(text)]


def _last_list(session: Session) -> list[str]:
    lists = [
        at
        for at, step in enumerate(session.steps)
        if tool_name(step.call) in {"todowrite", "updateplan"}
    ]
    if not lists or len(session.steps) - lists[-1] > _STALE_AFTER:
        return []
    arguments = session.steps[lists[-1]].call.arguments
    entries = arguments.get("todos") or arguments.get("plan")
    found: list[str] = []
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and entry.get("status") in ("pending", "in_progress"):
            text = str(entry.get("content") or entry.get("step") or "").strip()
            if _is_work(text):
                found.append(text)
    return found


def _still_failing(session: Session) -> str:
    """The last check, if it failed, no file was changed after it and it was not left as it was."""
    checks = [step for step in session.steps if is_check(step) and not was_refused(step)]
    if not checks or not has_failed(checks[-1]) or checks[-1].call.aside:
        return ""
    last = checks[-1]
    if any(
        s.call.line > last.call.line and any(True for _ in edits_of(s.call)) for s in session.steps
    ):
        return ""
    after = [said for said in session.said if said.line > last.call.line]
    if any(said.speaker is Speaker.AGENT and NOT_OURS.search(said.text) for said in after):
        return ""
    line = failure_line(last.result.text if last.result else "")
    head = command_head(command_of(last.call))
    if not kind_of(head) or not _FAILS.search(line):
        return ""
    return f"`{head}` fails: {line}"


def _last_title(requests: Sequence[Request]) -> list[str]:
    titles = [request.title for request in requests if says_what(request.title, Grounds())]
    return titles[-1:]


def _where(session: Session) -> str:
    """The branch."""
    return f"branch {session.branch}" if session.branch else ""
