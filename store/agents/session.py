"""A session as capture sees it: who wrote what, and each tool call with its answer and occasion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from store.agents.noise import is_report, without_noise
from store.agents.transcript import (
    ContextSummary,
    Event,
    Message,
    SessionInfo,
    Snapshot,
    Speaker,
    ToolCall,
    ToolResult,
    Unread,
)
from store.model import SESSION_MARK, TOOL_MARK

MAX_TEXT = 200_000
"""Characters of one message or answer that are read; what is longer was pasted or printed."""
_MOST_ID = 200
"""Characters of the longest id that a client would give to a session."""
_LONG = 200
"""Characters from which a message that stands in a summary is that summary."""


class Step(NamedTuple):
    """A tool call: its answer, what the agent said before and after it, what it was asked for.

    `before` and `after` are of the same turn: no message of the person is between.
    """

    call: ToolCall
    result: ToolResult | None = None
    before: Message | None = None
    after: Message | None = None
    asked: Message | None = None

    @property
    def has_failed(self) -> bool:
        """The tool did not do it, by its answer."""
        return self.result is not None and self.result.failed


class Session(NamedTuple):
    """A transcript, read to its end. Words are without the program's notes.

    `messages` are of the person and the agent, `aside` of the sub-agents that it started.
    `of_vault`: it is a conversation that a vault's own program saved.
    """

    id: str = ""
    folder: str = ""
    branch: str = ""
    agent: str = ""
    model: str = ""
    messages: tuple[Message, ...] = ()
    steps: tuple[Step, ...] = ()
    summaries: tuple[ContextSummary, ...] = ()
    snapshots: tuple[Snapshot, ...] = ()
    aside: tuple[Message, ...] = ()
    unread: tuple[Unread, ...] = ()
    of_vault: bool = False

    def mark(self, line: int) -> str:
        """Return the provenance of a line, for an observation's sources."""
        return f"{SESSION_MARK}{self.id or 'unknown'}#{line}"

    def marks(self, steps: Iterable[Step]) -> tuple[str, ...]:
        """The provenance of tool calls: their ids, which outlive a resumed session's copy."""
        return tuple(
            dict.fromkeys(
                f"{TOOL_MARK}{step.call.call_id}"
                if step.call.call_id
                else self.mark(step.call.line)
                for step in steps
            )
        )

    def has_gone_on_after(self, message: Message) -> bool:
        """Return whether a tool was called after a message: some clients keep both in one line."""
        return any(step.before is message or step.call.line > message.line for step in self.steps)

    def ending_with(self, words: str) -> Session:
        """The session with the agent's last words, where the transcript does not hold them yet."""
        words = without_noise(words)
        spoken = [message.text for message in self.messages if message.speaker is Speaker.AGENT]
        if not words or (spoken and spoken[-1] == words):
            return self
        lines = [message.line for message in self.messages] + [
            step.call.line for step in self.steps
        ]
        last = Message(
            line=max(lines, default=0) + 1, at=self.ended, speaker=Speaker.AGENT, text=words
        )
        return self._replace(messages=(*self.messages, last))

    @property
    def ended(self) -> datetime | None:
        times = [item.at for item in self.messages if item.at]
        times += [step.call.at for step in self.steps if step.call.at]
        return max(times, default=None)


@dataclass(slots=True)
class _Reading:
    """A session read so far: steps wait for their results, and for the next message."""

    messages: list[Message] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    summaries: list[ContextSummary] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)
    aside: list[Message] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    waiting: dict[str, int] = field(default_factory=dict)
    unanswered: list[int] = field(default_factory=list)
    asked: Message | None = None
    before: Message | None = None

    def add_message(self, message: Message) -> None:
        """Add a message without its noise, as the one that follows the steps before it.

        A sub-agent's goes to `aside`, and changes nothing else. The report of another agent is
        noise, except as the order that begins a session.
        """
        if self.messages and is_report(message.text):
            return
        message = message._replace(text=without_noise(message.text))
        if not message.text:
            return
        if message.speaker is Speaker.SUB_AGENT:
            self.aside.append(message)
            return
        self.messages.append(message)
        if message.speaker is Speaker.AGENT:
            for index in self.unanswered:
                self.steps[index] = self.steps[index]._replace(after=message)
            self.before = message
        else:
            self.asked, self.before = message, None
        self.unanswered.clear()

    def call(self, call: ToolCall) -> None:
        """Add a step; one of a sub-agent (`aside`) does not follow the agent's own message."""
        if call.call_id:
            self.waiting[call.call_id] = len(self.steps)
        self.unanswered.append(len(self.steps))
        before = None if call.aside else self.before
        self.steps.append(Step(call, before=before, asked=self.asked))

    def answer(self, result: ToolResult) -> None:
        """Add a result to the step of its call; one without a call is ignored."""
        index = self.waiting.get(result.call_id, -1)
        if index >= 0:
            self.steps[index] = self.steps[index]._replace(result=result)


def collect(events: Iterable[Event]) -> Session:
    place = SessionInfo(line=0)
    reading = _Reading()
    for event in map(_bounded, events):
        if isinstance(event, SessionInfo):
            place = _merged(place, event)
        elif isinstance(event, Message):
            reading.add_message(event)
        elif isinstance(event, ToolCall):
            reading.call(event)
        elif isinstance(event, ToolResult):
            reading.answer(event)
        elif isinstance(event, ContextSummary):
            reading.summaries.append(event)
        elif isinstance(event, Snapshot):
            reading.snapshots.append(event)
        else:
            reading.unread.append(event)
    return Session(
        id=place.session_id if len(place.session_id) <= _MOST_ID else "",
        folder=place.folder,
        branch=place.branch,
        agent=place.agent,
        model=place.model,
        messages=tuple(
            item for item in reading.messages if not _is_summary(item, reading.summaries)
        ),
        steps=tuple(reading.steps),
        summaries=tuple(reading.summaries),
        snapshots=tuple(reading.snapshots),
        aside=tuple(reading.aside),
        unread=tuple(reading.unread),
        of_vault=place.of_vault,
    )


def _bounded(event: Event) -> Event:
    """Return an event with no more text than anybody writes or reads in one go."""
    if isinstance(event, Message | ToolResult | ContextSummary) and len(event.text) > MAX_TEXT:
        return event._replace(text=event.text[:MAX_TEXT])
    return event


def _is_summary(message: Message, summaries: Sequence[ContextSummary]) -> bool:
    return message.speaker is Speaker.AGENT and any(
        message.text in summary.text for summary in summaries if len(message.text) > _LONG
    )


def _merged(known: SessionInfo, new: SessionInfo) -> SessionInfo:
    """Return the first value of each field; of the branch and the model the latest."""
    return SessionInfo(
        line=known.line or new.line,
        session_id=known.session_id or new.session_id,
        folder=known.folder or new.folder,
        branch=new.branch or known.branch,
        agent=known.agent or new.agent,
        model=new.model or known.model,
        of_vault=known.of_vault or new.of_vault,
    )
