"""The request of a recall: one value from the key press, flag or hook to the scorer."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import NamedTuple, TypedDict, Unpack

from store.model import Category, Observation
from store.recall.values import TEXT, channel_named
from store.redaction.labels import agent_spellings


class Moment(StrEnum):
    """When memories are injected: at a session's start, for the words of a prompt or task, before a
    file is edited, after a command failed.
    """

    START = "start"
    PROMPT = "prompt"
    EDIT = "edit"
    FAILURE = "failure"


class RecallRequest(NamedTuple):
    """The request of a recall. None means any agent, any issue, the settings' own budget.

    `budget` is in tokens, for the whole text. `pinned`, `muted` and `plain` (neither) are ids that
    win over the marks in the record; `given` are those that the session has been given already.
    `branch`, the words of its name, `changed_files` (paths in the project) and `commits` (their
    subjects) show what a session is about before its first prompt; `unmerged` are branches whose
    work is not in the session's; `instructions` is what the client has in its context anyway, its
    instruction files and its own memory, which need not be recalled. `questions` are lines of
    what other agents asked and answered, put before all else, `first` those that follow them;
    `last` is one that ends the text.
    `client` is the program that asks, `session_id` the session: what is in it already, and what
    it taught, is not recalled. `file` is the one about to be edited, `command` the one that failed,
    `task` then having the lines of its error. `estimated`: tokens are estimated, since a hook has
    not the time to load a tokenizer. `own`: no memory but those of the agent and issue asked for
    is looked at. `at_start`: it is what a session starts with, which a setting switches off.
    `told_only`: nobody looks at what is left out, so it is neither cleaned nor listed.
    """

    agent: str | None = None
    issue: int | None = None
    task: str = ""
    budget: int | None = None
    profile: str | None = None
    channel: str = TEXT
    pinned: frozenset[str] = frozenset()
    muted: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    branch: str = ""
    branch_words: tuple[str, ...] = ()
    changed_files: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    unmerged: tuple[str, ...] = ()
    instructions: str = ""
    questions: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    last: str = ""
    client: str = ""
    session_id: str = ""
    file: str = ""
    command: str = ""
    estimated: bool = False
    own: bool = False
    at_start: bool = False
    told_only: bool = False

    @property
    def agents(self) -> tuple[str, ...]:
        """The names that the agent's own memories may be under; empty for any agent."""
        return () if self.agent is None else agent_spellings(self.agent)

    @property
    def moment(self) -> Moment:
        if self.file:
            return Moment.EDIT
        if self.command:
            return Moment.FAILURE
        return Moment.PROMPT if self.task.strip() else Moment.START

    def unmerged_branch(self, observation: Observation) -> str:
        """The branch an observation was learned on, where its work is not in the session's."""
        if observation.category in (Category.PROCEDURE, Category.LESSON):
            return ""  # commands, and what a person wants, hold on all branches
        branch = observation.extra.get("branch")
        return str(branch) if branch in self.unmerged else ""

    @property
    def text(self) -> str:
        """All text about the session's subject; its words find what is relevant."""
        parts = (
            self.task,
            self.command,
            self.file,
            " ".join(self.branch_words),
            *self.changed_files,
            *self.commits,
        )
        return "\n".join(part for part in parts if part)

    @property
    def opening(self) -> tuple[str, ...]:
        """The lines at the top of the text."""
        return *self.questions, *self.first

    def is_muted(self, observation: Observation) -> bool:
        """Return whether the observation must stay out."""
        if self.muted and observation.id in self.muted:
            return True
        return observation.muted and observation.id not in self.pinned | self.plain

    def is_pinned(self, observation: Observation) -> bool:
        """Return whether the observation comes first, whatever its score."""
        if not (observation.pinned or self.pinned) or self.is_muted(observation):
            return False
        if observation.id in self.pinned:
            return True
        return observation.pinned and observation.id not in self.plain


class RequestFields(TypedDict, total=False):
    """The fields of a request as a caller may give them: any collection of ids, a channel's name.

    An unknown channel raises `InvalidObservation`.
    """

    agent: str | None
    issue: int | None
    task: str | None
    budget: int | None
    profile: str | None
    channel: str | None
    pinned: Collection[str]
    muted: Collection[str]
    plain: Collection[str]
    given: Collection[str]
    branch: str
    branch_words: Collection[str]
    changed_files: Collection[str]
    commits: Collection[str]
    unmerged: Collection[str]
    client: str
    session_id: str


def request_of(**fields: Unpack[RequestFields]) -> RecallRequest:
    """Return the request of these fields. Raises `InvalidObservation` for an unknown channel."""
    return RecallRequest(
        agent=fields.get("agent"),
        issue=fields.get("issue"),
        task=fields.get("task") or "",
        budget=fields.get("budget"),
        profile=fields.get("profile"),
        channel=channel_named(fields.get("channel")),
        pinned=frozenset(fields.get("pinned", ())),
        muted=frozenset(fields.get("muted", ())),
        plain=frozenset(fields.get("plain", ())),
        given=frozenset(fields.get("given", ())),
        branch=fields.get("branch", ""),
        branch_words=tuple(fields.get("branch_words", ())),
        changed_files=tuple(fields.get("changed_files", ())),
        commits=tuple(fields.get("commits", ())),
        unmerged=tuple(fields.get("unmerged", ())),
        client=fields.get("client", ""),
        session_id=fields.get("session_id", ""),
    )
