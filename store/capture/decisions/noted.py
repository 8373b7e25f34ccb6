"""What an agent noted for its own later sessions: what a person told it to mind, what it found."""

from __future__ import annotations

import re
from collections.abc import Iterator

from store.agents.session import Session, Step
from store.capture.candidate import Candidate, passage_of, shorten
from store.capture.steps.tools import edits_of, replaced_in, tool_name
from store.capture.text.prose import plain, without_code
from store.json_fields import string
from store.model import Category
from store.text.regex import regex

_NOTE = regex(r"[\\/]\.\w[\w-]*[\\/](?:.*[\\/])?memor(?:y|ies)[\\/][^\\/]+\.md$", re.I)
"""A file in the memory that a program keeps for an agent, in the program's own folder."""
_INDEX = regex(r"(?:memory|index|readme)\.md$", re.I)
"""What only lists the others."""
_TOOLS = frozenset({"savememory", "creatememory", "updatememory", "addmemory"})
_FACT = ("fact", "content", "memory", "knowledge_to_store", "text")
_HEAD = regex(r"\A\s*---\n(.*?)\n---\s*\n", re.S)
_DESCRIPTION = regex(r"^description:[ \t]*[\"']?(.+?)[\"']?\s*$", re.M)
_KIND = regex(r"^[ \t]*type:[ \t]*(\w+)", re.M)
_LINK = regex(r"\[\[([^][|\n]{1,80})(?:\|[^][\n]{0,80})?\]\]")
_HEADING = regex(r"^#{1,6}\s.*$", re.M)
_PARTS = regex(r"\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)])\s)")
_ITEM = regex(r"\s*(?:[-*•]|\d+[.)])\s")
_FACTS = frozenset({"project", "reference"})
_SHORTEST, _LONGEST, _LONGEST_PATH = 40, 900, 400
"""Characters of a note: at least, and of its paragraphs together; and of a path."""


def noted(session: Session) -> Iterator[Candidate]:
    """A lesson, or a fact, for each note that the agent wrote, as it was in the end."""
    last: dict[str, tuple[Step, str]] = {}
    for step in (it for it in session.steps if not it.failed):
        for name, old, new in _notes(step):
            held = last[name][1] if name in last else ""
            last[name] = (step, _edited(held, old, new))
    for step, text in last.values():
        if told := _told(text):
            description = _DESCRIPTION.search(text)
            kind = _KIND.search(text)
            is_fact = kind is not None and kind[1].lower() in _FACTS
            yield Candidate(
                category=Category.KEY_FACT if is_fact else Category.LESSON,
                content=told,
                summary=plain(description[1]) if description else "",
                line=step.call.line,
                at=step.call.at,
                passage=passage_of(text),
                marks=session.marks([step]),
            )


def _edited(held: str, old: str, new: str) -> str:
    """A note after an edit, as far as it is known: what the session `held` of it, with what was
    added.
    """
    if old and old in held:
        return held.replace(old, new, 1)
    before = set(old.splitlines())
    added = "\n".join(it for it in new.splitlines() if not it or it not in before)
    return f"{held}\n\n{added}" if held and old else added


def _notes(step: Step) -> Iterator[tuple[str, str, str]]:
    """The notes that a step wrote, by their file: what it took out of them, and put there."""
    name = tool_name(step.call)
    if name in _TOOLS:
        told = next((it for key in _FACT if (it := string(step.call.arguments.get(key)))), "")
        yield told, "", told
        return
    given = (it for it in step.call.arguments.values() if isinstance(it, str))
    if not any("memor" in it[:_LONGEST_PATH].lower() for it in given):
        return  # most calls need not be read
    paths = [edit.path for edit in edits_of(step.call)]
    if len(paths) != 1 or not _NOTE.search(paths[0]) or _INDEX.search(paths[0]):
        return
    yield from ((paths[0], old, new) for old, new in replaced_in(step.call))


def _told(text: str) -> str:
    """A note's paragraphs that fit, whole, without its head and its links to others."""
    body = _LINK.sub(r"\1", _HEAD.sub("", text, count=1))
    kept: list[str] = []
    for part in _PARTS.split(_HEADING.sub(r"\n\g<0>\n", without_code(body))):
        line = plain(part.lstrip("#\n "))
        if line and (not kept or len("\n".join(kept)) + len(line) <= _LONGEST):
            if kept and kept[-1].endswith(":") and not _ITEM.match(part):
                kept.pop()  # what it led to had no room
            kept.append(line)
    while kept and kept[-1].endswith(":"):
        kept.pop()
    told = shorten(" ".join(kept), 2 * _LONGEST) if len(kept) == 1 else "\n".join(kept)
    return told if len(told) >= _SHORTEST else ""
