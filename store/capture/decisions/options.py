"""A choice between options: what an agent laid out, which of it a person picked, what they left."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from store.agents.session import Session
from store.agents.transcript import Message, Speaker
from store.capture.candidate import Candidate, passage_of, shorten
from store.capture.text.prose import plain, without_code
from store.model import Category
from store.text.content_words import content_words
from store.text.regex import regex

_OPTION = regex(
    r"^\s{0,3}(?:#{1,5}\s+|[-*•]\s+)?(?:\*\*|__)?"
    r"(?:(?P<named>(?:option|approach|alternative|choice|solution)\s+#?)|(?=\w[.):]))"
    r"(?P<key>\d{1,2}|[A-F])\b\s*(?:[.):–—-]+|(?=\*\*))\s*(?P<text>\S.*)$",
    re.I,
)
_PICKED = regex(
    r"\b(?i:options?|approach|alternative|choice|solution|number|with|do|go|take|implement|try)"
    r"\s+#?(?P<key>\d{1,2}|[A-Fa-f])\b(?P<more>(?:\s*(?:,|and|&|\+)\s*#?(?:\d{1,2}|[a-fA-F])\b)*)"
    r"|^\s*#?(?P<bare>\d{1,2}|[A-F])(?P<rest>(?:\s*(?:,|and|&|\+)\s*#?(?:\d{1,2}|[A-F])\b)*)"
    r"(?=[\s.,!)]*(?:$|\bplease\b|\bbut\b|\band\b|\bis\b|\bsounds\b|\blooks\b|[-–—]|[.,!]))",
)
_ORDINAL = regex(
    r"\b(?:the )?(first|second|third|fourth|last) (?:one|option|approach|choice|idea)\b", re.I
)
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": -1}
_GOES_ON = regex(r"\b(?:this|separate|new|next|parallel) session\b", re.I)
"""Where to go on is no choice about the project."""
_ERRAND = regex(
    r"(?:subagent|inline|parallel)\b.{0,3}\b(?:driven|execution)|(?:run|start|begin|review|discuss|triage|debug|investigate|verify|check|continue|proceed|commit|push|open|stop|pause|wait|resolve|rebase|merge)\b",
    re.I,
)
"""Nor is with what to go on."""
_WHO_DOES_IT = regex(r"\bI(?:['’]ll| will| can)\b|\byou (?:run|do|paste|send)\b")
"""Nor is who does what next."""
_COMMAND = regex(r"[*/`]*[a-z]+(?:-[a-z]+)+`?(?: [—–-] |: | \()")
"""What begins with a command's name is a menu of what a program does next."""
_ELSE = regex(r"(?:something|anything|none|other)\b", re.I)
_ASKS = regex(r"\?[^\w?]*(?:\([^()\n]{1,40}\))?\W*\Z")
"""A question at the end, with its answers in brackets or without."""
_HEADING = regex(r"^\s{0,3}(?:#{1,5}\s+|\*\*)([^\n]{8,160}?)[\s:*]*$")
"""What options are about."""
_COUNTED = regex(
    r"(?:(?:decision|question|issue)(?: (?:required|needed))?(?: #?\d{1,2})?\s*[:.–—-]+\s*)+", re.I
)
_NAMED = regex(r"^\s{0,3}[-*•]\s+\*\*(?P<text>[A-Z][^*\n]{2,40})\*\*\s*(?:[:–—-]|\().*$")
_LISTS = regex(r"\boptions\b[^\n]{0,20}:\W*$", re.I)
"""What leads to options that have names for numbers."""
_ENDS = regex(r"\s*(?:-{3,}|\*{3,}|_{3,}|#{1,6}\s.*)$")
"""What ends the list of options: a rule, or the next heading."""
_KEY = regex(r"\d{1,2}|[A-Fa-f]\b")
_LONGEST_ANSWER, _LEAST_OPTIONS, _MOST_OPTIONS = 80, 2, 9
"""Words of an answer that picks, and how many options are a choice."""
_LONGEST_TITLE, _LONGEST_BODY, _LOOKED_BACK = 160, 420, 3
"""Characters of an option's title and body, and the messages in which the options stand."""
_SAYS_MORE, _SAYS_LITTLE, _SAYS_WHAT = 5, 6, 3
"""Words: of an answer that is told itself, of a name that needs the subject, and of an option that
says what it is.
"""


class _Option(NamedTuple):
    key: str
    title: str
    body: str


def choices(session: Session) -> Iterator[Candidate]:
    """A decision for each pick of a person among options that the agent had laid out."""
    before: list[Message] = []
    for said in session.said:
        if said.speaker is Speaker.AGENT:
            before = [said, *before[: _LOOKED_BACK - 1]]
            continue
        if len(said.text.split()) <= _LONGEST_ANSWER:
            yield from _chosen(session, before, said)
        before = []


def _chosen(session: Session, before: Sequence[Message], said: Message) -> Iterator[Candidate]:
    """The decision for a pick among the options laid out last, if the message is one."""
    for laid_out in before:
        options = _options(laid_out.text) if laid_out is before[0] else []
        picked = _picked(said.text, options)
        if not options:
            options = _named_options(laid_out.text)
            picked = _named_in(said.text, options)
        if not options:
            continue
        goes_on = any(
            _GOES_ON.search(each.title) or _WHO_DOES_IT.search(each.title) for each in options
        )
        goes_on |= all(_ERRAND.match(each.title) or _COMMAND.match(each.title) for each in picked)
        if picked and len(picked) < len(options) and not goes_on:
            yield _choice(session, said, options, picked, _subject(laid_out.text, options))
        return


def _options(text: str) -> list[_Option]:
    """The last list of options in a text: those that are called so, else one that it numbers."""
    found: list[tuple[bool, str, str, list[str]]] = []
    is_open = True
    for line in without_code(text).splitlines():
        match = _OPTION.match(line)
        if match:
            key = match["key"].upper()
            found.append((bool(match["named"]), key, match["text"], []))
            is_open = True
        elif _ENDS.match(line):
            is_open = False
        elif found and is_open and line.strip():
            found[-1][3].append(plain(line))
    named = [each for each in found if each[0]]
    listed = named or found
    if not named and not _ASKS.search(text):
        return []
    listed = _last_run(listed)
    if not _LEAST_OPTIONS <= len(listed) <= _MOST_OPTIONS:
        return []
    if any(head.rstrip("* ").endswith("?") for _, _, head, _ in listed):
        return []  # a list of questions
    return [_option(key, head, rest) for _, key, head, rest in listed]


def _last_run(
    listed: list[tuple[bool, str, str, list[str]]],
) -> list[tuple[bool, str, str, list[str]]]:
    """The last options that are counted from the first on; one alone was only named once more."""
    starts = [at for at, each in enumerate(listed) if each[1] in {"1", "A"}]
    runs = [listed[start:end] for start, end in pairwise((*starts, len(listed)))]
    return next((it for it in reversed(runs) if len(it) >= _LEAST_OPTIONS), [])


def _named_options(text: str) -> list[_Option]:
    """The options that a text lists by names, where it says that these are options."""
    found: list[_Option] = []
    leads = False
    for line in without_code(text).splitlines():
        match = _NAMED.match(line) if leads else None
        if match:
            found.append(_option("", line.split("**", 1)[1], []))
        elif line.strip():
            leads = bool(_LISTS.search(line))
            found = [] if leads else found
    return found if _LEAST_OPTIONS <= len(found) <= _MOST_OPTIONS else []


def _named_in(text: str, options: list[_Option]) -> list[_Option]:
    """The one option whose name begins the first line of a message."""
    first = text.partition("\n")[0].lower()
    named = [it for it in options if first.startswith(it.title.lower())]
    return named if len(named) == 1 else []


def _subject(text: str, options: list[_Option]) -> str:
    """The heading above options whose titles say little by themselves."""
    before = text.partition(options[0].title)[0] if options else ""
    heads = (match[1] for line in before.splitlines() if (match := _HEADING.match(line)))
    told = [_COUNTED.sub("", plain(each).strip("* ")) for each in heads]
    told = [it for it in told if len(content_words(it)) >= _SAYS_WHAT and not _ASKS.search(it)]
    return told[-1] if told else ""


def _option(key: str, head: str, rest: list[str]) -> _Option:
    head = plain(head).strip("* _")
    title, _, more = head.partition("** ") if "** " in head else (head, "", "")
    body = " ".join(each for each in (more, *rest) if each and not _ASKS.search(each))
    body = body.lstrip("-–—: ")
    return _Option(key, shorten(title.strip("*: "), _LONGEST_TITLE), shorten(body, _LONGEST_BODY))


def _picked(text: str, options: list[_Option]) -> list[_Option]:
    """The options that a message picks; none where it asks or speaks of something else."""
    if not options or text.endswith("?"):
        return []
    match = _PICKED.search(text)
    if match:
        words = f"{match['key'] or match['bare']} {match['more'] or match['rest'] or ''}"
        keys = {key.upper() for key in _KEY.findall(words)}
        return [it for it in options if it.key in keys and not _ELSE.match(it.title)]
    ordinal = _ORDINAL.search(text)
    at = _ORDINALS[ordinal.group(1).lower()] if ordinal else len(options)
    return [options[at]] if at < len(options) else []


def _choice(
    session: Session,
    said: Message,
    options: list[_Option],
    picked: list[_Option],
    subject: str,
) -> Candidate:
    chosen = "; ".join(each.title for each in picked)
    lines = [f"Chosen: {chosen}"]
    lines += [each.body for each in picked if each.body]
    left = "; ".join(each.title for each in options if each not in picked)
    lines.append(f"Not: {shorten(left, 400)}")
    name = chosen.partition(" — ")[0]
    if subject and len(name.split()) <= _SAYS_LITTLE:
        lines.append(f"On: {shorten(subject, _LONGEST_TITLE)}")
    if len(said.text.split()) >= _SAYS_MORE:
        lines.append(f"The user: {shorten(said.text, 300)}")
    return Candidate(
        category=Category.DECISION,
        content="\n".join(lines),
        summary=lines[0],
        line=said.line,
        at=said.at,
        passage=passage_of(said.text),
        marks=(session.mark(said.line),),
    )
