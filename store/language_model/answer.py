"""What a language model answered, as candidates for memory. It read a stranger's words: a memory
that names what the session does not is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from store.agents.session import Session
from store.agents.transcript import Message
from store.capture.candidate import Candidate, Skipped, passage_of
from store.capture.key_sentences import names_in
from store.errors import ProgramFailed
from store.language_model.prompt import MAX_MEMORIES
from store.model import MAX_SUMMARY, Category, Observation
from store.notice import notice
from store.platform.bounds import load_json
from store.platform.json_fields import integer, items, mapping, string
from store.redaction.sanitizer import cleaned_text
from store.text.content_words import content_words, covered
from store.text.shortening import shorten

CATEGORIES = (
    Category.DECISION,
    Category.LESSON,
    Category.ERROR,
    Category.KEY_FACT,
    Category.PROCEDURE,
    Category.CODE_CHANGE,
    Category.TASK,
    Category.HANDOFF,
)
"""What a model may write, in the order in which it is kept."""
FINDER = "model"
"""The name that the memories of a model carry as their finder."""
_SHORTEST = 20
"""Characters of a memory."""
_UNFOUNDED = 0.25
"""The share of a memory's names that the session may lack: a model writes `10s` for ten seconds."""
_BREAK = re.compile(r"[/-]")


def candidates_of(
    answer: str, session: Session, shown: Sequence[Observation] = ()
) -> list[Candidate | Skipped]:
    """Return the memories that a model wrote of a session, by category, and what is left out:
    those that name what the session does not, and those of the memories that it was `shown` which
    it says are said again.

    Raises `ProgramFailed` for an answer that is not the JSON that was asked for.
    """
    answered = _answered(answer)
    by_name = {f"m{number}": memory for number, memory in enumerate(shown, 1)}
    written = [_candidate(mapping(item), session, by_name) for item in items(answered["memories"])]
    written.sort(key=lambda each: CATEGORIES.index(Category(each.category)))
    held = _text_of(session)
    found: list[Candidate | Skipped] = []
    kept = 0
    for each in written:
        if len(each.content) < _SHORTEST:
            continue
        if strange := _strange_name(each.content, held):
            reason = notice("unfounded", name=cleaned_text(strange))
            found.append(Skipped(shorten(cleaned_text(each.content), MAX_SUMMARY), reason))
        elif kept < MAX_MEMORIES:
            found.append(each)
            kept += 1
    again = dict.fromkeys(map(string, items(answered.get("again"))))
    held_again = [by_name[name] for name in again if name in by_name]
    return found + [Skipped(each.content, notice("known"), each.id) for each in held_again]


def _answered(answer: str) -> Mapping[str, Any]:
    """The object in an answer, which may be fenced, or have words around it, or be a bare list."""
    for first, last in (("{", "}"), ("[", "]")):
        start, end = answer.find(first), answer.rfind(last)
        if start < 0 or end < start:
            continue
        try:
            value = load_json(answer[start : end + 1])
        except ValueError:
            continue
        answered = {"memories": value} if isinstance(value, list) else mapping(value)
        if isinstance(answered.get("memories"), list):
            return answered
    shown = shorten(cleaned_text(answer), 120)
    raise ProgramFailed(
        f"The program's answer is not the JSON that was asked for: {shown}"
        if shown
        else "The program answered nothing."
    )


def _candidate(
    fields: Mapping[str, Any], session: Session, shown: Mapping[str, Observation]
) -> Candidate:
    """Return a memory as a model wrote it; `from` are the messages that it rests on,
    `replaces` the name of the one in memory that it changes.
    """
    named = string(fields.get("category")).strip().lower().replace("_", "-")
    text, replaced = string(fields.get("text")).strip(), shown.get(string(fields.get("replaces")))
    lines = {spoken.line for spoken in session.messages} | {
        step.call.line for step in session.steps
    }
    lines |= {summary.line for summary in session.summaries}
    own = sorted(lines.intersection(map(integer, items(fields.get("from")))))
    message = _message_at(own, text, session)
    is_changed = replaced is not None and not content_words(replaced.content).isdisjoint(
        content_words(text)
    )
    return Candidate(
        category=named if named in CATEGORIES else Category.KEY_FACT,
        content=text,
        line=own[-1] if own else message.line if message else 0,
        passage=passage_of(message.text) if message else "",
        at=message.at if message else None,
        marks=tuple(session.mark(each) for each in own),
        finder=FINDER,
        replaces=replaced.id if replaced and is_changed else "",
    )


def _message_at(lines: Sequence[int], text: str, session: Session) -> Message | None:
    """The last of the named messages, or where none is named the one that says most of a text."""
    named = [message for message in session.messages if message.line in lines]
    if named or not session.messages:
        return named[-1] if named else None
    words = content_words(text)
    return max(session.messages, key=lambda message: covered(words, content_words(message.text)))


def _text_of(session: Session) -> str:
    """Return all that a session holds, for the question whether it names something."""
    texts = [message.text for message in session.messages] + [
        summary.text for summary in session.summaries
    ]
    for step in session.steps:
        texts += [str(dict(step.call.arguments)), step.result.text if step.result else ""]
    return "\n".join([session.folder, session.branch, *texts]).casefold()


def _strange_name(text: str, held: str) -> str:
    """Return a name in a text that is not `held`, where more than a few are not: whole, or in its
    parts, as `market/liquidity` is prose.
    """
    names = names_in(text)
    strange = [
        name
        for name in names
        if name.casefold() not in held
        and not all(part in held for part in _BREAK.split(name.casefold()))
    ]
    return strange[0] if len(strange) > _UNFOUNDED * len(names) else ""
