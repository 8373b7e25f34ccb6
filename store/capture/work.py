"""What a session worked on: each request of the person, with the messages and tool calls for it.

"Yes", "commit please" and other messages of a few words ask for nothing of their own: what follows
them belongs to the request before.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from store.agents.paths import is_elsewhere, project_path
from store.agents.session import Session, Step
from store.agents.transcript import Message, Speaker
from store.capture.candidate import Candidate, passage_of
from store.text.content_words import has_request
from store.text.markdown import paragraphs, plain, sections, sentences
from store.text.shortening import cut

_TITLE = 240
"""Characters of a request in short."""
_LONG = 700
"""Characters of a message in which something was pasted: what is wanted may come after it."""
_LAST = 240
"""Characters of the paragraph after it that says so."""
_PLAN_TITLE = re.compile(
    r"^(?:(?:implementation )?plan|task|issue|feature|bug)\b\s*[:–-]?\s*", re.I
)


class Work(NamedTuple):
    """A request, the agent's messages and tool calls until the next request.

    `asked` is None for what came before the first message of a person. `closings` are the messages
    with which the agent left the word to the person.
    """

    asked: Message | None
    messages: tuple[Message, ...]
    steps: tuple[Step, ...]
    closings: tuple[Message, ...] = ()

    @property
    def title(self) -> str:
        """The request in a line of at most 240 characters; empty where nothing was asked for."""
        return title_of(self.asked.text) if self.asked and has_request(self.asked.text) else ""


def works_of(session: Session) -> list[Work]:
    steps_of: defaultdict[Message | None, list[Step]] = defaultdict(list)
    for step in session.steps:
        steps_of[step.asked].append(step)
    turns: list[tuple[Message | None, list[Message]]] = [(None, [])]
    for message in session.messages:
        if message.speaker is Speaker.USER:
            turns.append((message, []))
        else:
            turns[-1][1].append(message)
    found: list[Work] = []
    for asked, answers in turns:
        steps, closing = tuple(steps_of[asked]), tuple(answers[-1:])
        if found and asked is not None and not has_request(asked.text):
            of, said_before, done, closings = found[-1]
            found[-1] = Work(of, (*said_before, *answers), done + steps, closings + closing)
        elif asked is not None or answers or steps:
            found.append(Work(asked, tuple(answers), steps, closing))
    return found


def title_of(text: str) -> str:
    """Return a request in a line: the heading of a text that has sections, else its opening."""
    headed = sections(text)
    if len(headed) > 1 and (heading := _PLAN_TITLE.sub("", headed[0].heading.strip())):
        return cut(heading, _TITLE)
    found = list(paragraphs(text))
    if not found:
        return cut(plain(text), _TITLE)
    first = cut(" ".join(sentences(text)), _TITLE)
    if len(text) > _LONG and len(found) > 1 and len(found[-1]) <= _LAST:
        return f"{cut(found[0], _TITLE - 40)} … {found[-1]}"
    return first


class Reading(NamedTuple):
    """A session, cut into works. `roots` are the project's folders, to which paths are relative;
    `known` the provenance of what memory rests on already; `is_over`: the session has ended;
    `in_vault`: a vault is the memory.
    """

    session: Session
    works: Sequence[Work]
    roots: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    is_over: bool = True
    in_vault: bool = False

    def own_path(self, path: str) -> str:
        """Return a path as the project names it; empty for what is no part of it."""
        name = project_path(path, self.session.folder, self.roots)
        return "" if is_elsewhere(name) else name

    def from_step(self, step: Step, category: str, content: str) -> Candidate:
        """Make a candidate of a tool call and its answer."""
        passage = passage_of(step.result.text if step.result else content)
        marks = self.session.marks([step])
        return Candidate(category, content, step.call.line, passage, at=step.call.at, marks=marks)

    def from_message(self, message: Message, category: str, content: str) -> Candidate:
        return Candidate(category, content, message.line, passage_of(message.text), at=message.at)
