"""What an agent sums up as settled: the list under "Locked in:" or "What we decided"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from store.agents.session import Session
from store.agents.transcript import Message, Speaker
from store.capture.candidate import Candidate, passage_of, shorten
from store.capture.requests.request import Request
from store.capture.text.grounds import Grounds
from store.capture.text.prose import plain, without_code
from store.model import Category
from store.text.content_words import code_words
from store.text.regex import regex

_LEADS = regex(
    r"\W*+(?:(?:so|great|perfect|ok(?:ay)?|recap|yes)\b\W*+)?(?:(?:[\w'’-]++ ){0,4})"
    r"(?:locked(?:[- ]in)?(?: decisions?)?|decisions (?:made|locked|so far|recorded|captured)"
    r"|decisions|decided"
    r"|(?:what )?we(?:['’]ve| have)? (?:decided|agreed|settled)(?: on)?|agreed|settled"
    r"|where we(?:['’]ve| have)? (?:landed|ended up))"
    r"(?: \(?[\w'’-]++){0,5}+\W*+$",
    re.I,
)
_LEARNED = regex(r"\b(?:takeaways|learnings|lessons(?: learned)?)\W*$", re.I)
_UNSETTLED = regex(
    r"\b(?:need\w*|open|pending|remaining|outstanding|for you|which|before|points?|not|un\w+"
    r"|options?"
    r"|questions?|until|if|when|blocked|no|to make|to settle|documented?)\b",
    re.I,
)
"""What is still to be decided."""
_ITEM = regex(r"^\s{0,6}(?:[-*•]|\d{1,2}[.)])\s+(.+)$")
_TICKED = regex(r"\[[ xX]\]")
"""A box that was ticked says that something was done, not what."""
_SHORTEST_ITEM, _A_SENTENCE, _LONGEST = 18, 6, 1_000
"""Characters of an item, words of one that is a sentence, and characters of the list."""


def recaps(session: Session, requests: Sequence[Request]) -> Iterator[Candidate]:
    """A decision for each list of what is settled, with what it was about."""
    is_asked = False
    for said in session.said:
        is_asked |= said.speaker is Speaker.USER
        if said.speaker is Speaker.USER or not is_asked:
            continue  # what stood settled before anybody spoke another session has told
        if learned := _listed(said.text, _is_learned):
            yield _candidate(session, said, Category.LESSON, "Learned:", learned)
        settled = _listed(said.text, _is_settled)
        if settled:
            title = _about(said, requests, settled)
            head = f"Settled ({shorten(title, 120)}):" if title else "Settled:"
            yield _candidate(session, said, Category.DECISION, head, settled)


def _candidate(
    session: Session, said: Message, category: str, head: str, items: Sequence[str]
) -> Candidate:
    text = "\n".join(f"- {each}" for each in items)
    return Candidate(
        category=category,
        content=f"{head}\n{shorten_lines(text, _LONGEST)}",
        summary=f"{head.partition(' (')[0].rstrip(':')}: {items[0]}",
        line=said.line,
        at=said.at,
        passage=passage_of(said.text),
        marks=(session.mark(said.line),),
    )


def _about(said: Message, requests: Sequence[Request], settled: Sequence[str]) -> str:
    """What was asked for last, where what is settled speaks of it."""
    titles = [r.title for r in requests if r.asked and r.asked.line <= said.line]
    grounds = Grounds(code_words(" ".join(settled)))
    return titles[-1] if titles and grounds.hold(titles[-1]) else ""


def shorten_lines(text: str, longest: int) -> str:
    """The first lines of a text that fit, whole."""
    kept: list[str] = []
    for line in text.splitlines():
        if kept and len("\n".join((*kept, line))) > longest:
            break
        kept.append(line)
    return "\n".join(kept)


def _is_settled(lead: str) -> bool:
    return bool(_LEADS.match(lead)) and not _UNSETTLED.search(lead)


def _is_learned(lead: str) -> bool:
    return _LEARNED.search(lead) is not None


def _listed(text: str, leads_in: Callable[[str], bool]) -> list[str]:
    """The items of the lists to which a line of the kind leads."""
    found: list[str] = []
    inside, depth, part = False, 0, ""
    for line in without_code(text).splitlines():
        item = _ITEM.match(line)
        if item and inside:
            told = plain(item[1])
            if _TICKED.match(told):
                continue
            if len(told) >= _SHORTEST_ITEM and not told.endswith("?"):
                found.append(f"{part}: {told}" if part else told)
        elif line.strip():
            marks = len(line) - len(line.lstrip("#"))
            bare = plain(line.lstrip("# "))
            if inside and marks > depth > 0:
                part = bare  # a heading below the one that says it is settled
                continue
            leads = line.lstrip().startswith(("#", "**")) or bare.endswith(":")
            inside = leads and leads_in(bare)
            depth, part = marks, ""
    whole = [each for each in found if len(each.split()) >= _A_SENTENCE]
    return found if len(found) > 1 and 2 * len(whole) >= len(found) else []
