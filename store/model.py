"""The values memory is made of: observations, their entries in a listing, and totals.

Values that every start loads are named tuples, here and in the app: Python makes such a class in a
tenth of the time that it takes for a frozen dataclass.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from store.errors import InvalidObservation
from store.notice import Notice

MAX_CONTENT = 2_000
"""Characters of an observation's content (SPEC-29)."""
FINDER = "finder"
"""The key of an observation's `extra` that names the finder of capture which made it."""
CHANGED, REMOVED = "changed", "removed"
"""The keys of a session's `extra` for the files that it changed, with counts, and removed."""
SESSION_MARK, TOOL_MARK = "session:", "tool:"
"""How sources begin that are no other observations: a place in an agent's session, a tool call."""
MAX_SUMMARY = 240
"""Characters of an observation's summary."""
MAX_PER_CAPTURE = 50
"""Observations that one capture may leave (SPEC-29)."""
MANY_OBSERVATIONS = 40_000
"""Observations from which compaction is advised (SPEC-29 §12.3)."""
LARGE_STORE = 40_000_000
"""Bytes of records from which compaction is advised (SPEC-29 §12.3)."""
MAX_ISSUE = 999_999_999
"""The largest issue number: nine digits."""
FULL_RELEVANCE = 1.0
"""The relevance of a memory that nobody gave another (evolving memory: 0 to 1)."""
COUNTERS = frozenset({"recallCount", "lastRecalled", "seenCount", "relevanceScore"})
"""Keys of a record that count use: one in which only they changed counts as unchanged."""
_NONE: Mapping[str, int] = MappingProxyType({})
UNDATED = datetime.min.replace(tzinfo=UTC)
"""The timestamp of an observation that was not given one; the store sets it when it stores."""
INTERACTION = "interaction"
"""The category of what an agent did, by a program (`store.evolving`)."""


class Location(StrEnum):
    """The two places of a record within its issue."""

    ISSUE = "issue"
    ARCHIVE = "archive"


class Level(StrEnum):
    """Whose a memory is: the user's in all projects, the user's in this one, or all who share it.

    Where several have a memory of one id, the first of them is shown.
    """

    PROJECT = "project"
    MINE = "mine"
    TEAM = "team"


class Layout(StrEnum):
    """The ways to divide an issue's records into files."""

    PER_ISSUE = "one-file-per-issue"
    EACH = "one-file-each"


class Layer(StrEnum):
    """The kinds of memory: the top level of the category tree."""

    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    OTHER = "other"


class Category(StrEnum):
    """The categories memtui knows. A category on disk may be any other lowercase-hyphen word."""

    DECISION = "decision"
    CODE_CHANGE = "code-change"
    ERROR = "error"
    KEY_FACT = "key-fact"
    COMPACTION_SUMMARY = "compaction-summary"
    LESSON = "lesson"
    HANDOFF = "handoff"
    TASK = "task"
    PROJECT = "project"
    PROCEDURE = "procedure"


LAYER_OF: Mapping[str, Layer] = MappingProxyType(
    {
        Category.TASK: Layer.WORKING,
        Category.CODE_CHANGE: Layer.EPISODIC,
        Category.ERROR: Layer.EPISODIC,
        Category.HANDOFF: Layer.EPISODIC,
        Category.COMPACTION_SUMMARY: Layer.EPISODIC,
        INTERACTION: Layer.EPISODIC,
        Category.DECISION: Layer.SEMANTIC,
        Category.KEY_FACT: Layer.SEMANTIC,
        Category.LESSON: Layer.SEMANTIC,
        Category.PROJECT: Layer.SEMANTIC,
        Category.PROCEDURE: Layer.PROCEDURAL,
    }
)
"""The layer of each known category."""


def layer_of(category: str) -> Layer:
    """Return the layer a category belongs to; `Layer.OTHER` for one unknown to us."""
    return LAYER_OF.get(category, Layer.OTHER)


class Verdict(StrEnum):
    """What became of the code that a memory names (`store.drift`). None of them means that a memory
    is true: only that what it names is there, as it was.
    """

    GONE = "gone"
    """A file or command that it names is gone, or most names of code in it are."""
    MOVED = "moved"
    CHANGED = "changed"
    """What it names was changed since, or some names in it are gone; edits far from the lines or
    names that it cites don't count.
    """
    CURRENT = "current"
    UNKNOWN = "unknown"


DRIFTED = (Verdict.GONE, Verdict.MOVED, Verdict.CHANGED)
"""Verdicts on a memory that no longer fits the code."""
USED, UNUSED = USES = ("used", "unused")
"""Verdicts on what a memory was worth to the sessions that were given it (`store.usage`): some used
it; many were given it, and what it names came up in none of them.
"""


class Observation(NamedTuple):
    """One thing an agent learned: the unit of memory.

    Only `agent`, `issue_number`, `category` and `content` are needed; the store fills in the id,
    the summary (at most 240 characters), the tokens (`ceil(characters / 4)`) and the timestamp of
    those it stores. `sources` name where it came from: other observations' ids, or
    `session:ID#LINE` marks of a transcript. `extra` keeps keys of the record unknown to us.
    `level` is empty where only one level is open.
    """

    agent: str
    issue_number: int
    category: str
    content: str
    id: str = ""
    summary: str = ""
    tokens: int = 0
    timestamp: datetime = UNDATED
    session_id: str = ""
    recall_count: int = 0
    relevance_score: float = FULL_RELEVANCE
    archived: bool = False
    tags: tuple[str, ...] = ()
    pinned: bool = False
    muted: bool = False
    last_recalled: datetime | None = None
    sources: tuple[str, ...] = ()
    seen_count: int = 1
    extra: Mapping[str, Any] = _NONE
    level: str = ""

    @property
    def is_open_task(self) -> bool:
        """This is a task that nobody tagged `done`."""
        return self.category == Category.TASK and "done" not in self.tags


class StoreStats(NamedTuple):
    """Totals over the records in issue files, archived flag or not (as AgentX counts them).

    `size_bytes` is None while a database is away.
    """

    total_observations: int = 0
    total_tokens: int = 0
    issue_count: int = 0
    oldest_timestamp: datetime | None = None
    newest_timestamp: datetime | None = None
    by_category: Mapping[str, int] = _NONE
    by_agent: Mapping[str, int] = _NONE
    archived_observations: int = 0
    size_bytes: int | None = 0


class Hit(NamedTuple):
    """A row of a search: the entry, its score, and a passage with the matches marked.

    `marks` are (start, end) character ranges in `snippet`; `summary_marks` in `entry.summary`.
    """

    entry: Observation
    score: float
    snippet: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    summary_marks: tuple[tuple[int, int], ...] = ()


class Facets(NamedTuple):
    """Counts of the observations a query finds, by the fields that were asked for.

    Each leaves out the query's own filter of its kind, so that the agent list still shows the
    other agents while one is chosen.
    """

    counts: Mapping[str, Mapping[Any, int]] = MappingProxyType({})

    @property
    def agents(self) -> Mapping[str, int]:
        """The counts of agents."""
        return self.counts.get("agent", _NONE)

    @property
    def layers(self) -> Mapping[str, int]:
        """The counts of layers, the largest first."""
        return self.counts.get("layer", _NONE)

    @property
    def categories(self) -> Mapping[str, int]:
        """The counts of categories."""
        return self.counts.get("category", _NONE)

    @property
    def issues(self) -> Mapping[int, int]:
        """The counts of issues."""
        return self.counts.get("issue", MappingProxyType({}))

    @property
    def levels(self) -> Mapping[str, int]:
        """The counts of levels; none where only one is open."""
        return self.counts.get("level", _NONE)

    @property
    def tags(self) -> Mapping[str, int]:
        """The counts of tags."""
        return self.counts.get("tag", _NONE)


class SearchResult(NamedTuple):
    """The answer to a query: how many match, one page of them, and their facets.

    `notes` name what of the query was not understood or nothing has; `near` the spellings that were
    tried because few or none matched exactly (word typed, word found); `relaxed` that no memory
    has all the words, and these have at least half of them; `notice` how fresh the answer is where
    it may lag behind the files.
    """

    query: str
    total: int
    hits: tuple[Hit, ...]
    facets: Facets
    notes: tuple[Notice, ...] = ()
    near: tuple[tuple[str, str], ...] = ()
    relaxed: bool = False
    notice: Notice | None = None


class InjectedCounts(NamedTuple):
    """Numbers of memories, messages and sessions in an injected text."""

    memories: int = 0
    messages: int = 0
    sessions: int = 0


NONE_INJECTED = InjectedCounts()


class EntrySource(StrEnum):
    """Where something comes in that agents write: see `store/inbox/`."""

    CAPTURE = "capture"
    MCP = "mcp"
    JSONRPC = "jsonrpc"
    COMMAND = "command"
    """A command in a shell without a terminal, as agents have one."""
    FILE = "file"
    """A file that agents are given: instructions, or a client's own memory."""


class Problem(NamedTuple):
    """Something in the store that can't be used as it is: which file, and what is wrong.

    `is_restored`: all that the file holds is shown all the same.
    """

    path: str
    message: str
    is_restored: bool = False


def issue_named(text: str) -> int | None:
    """The issue that a text names by its number, as `#29` or `29`; None for any other text."""
    digits = text.removeprefix("#")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= len(str(MAX_ISSUE))
    return int(digits) if is_number else None


def check_issue(issue: int) -> int:
    """Return the issue number, or `InvalidObservation` for anything but 0 or up to nine digits."""
    if isinstance(issue, bool) or not isinstance(issue, int) or not 0 <= issue <= MAX_ISSUE:
        raise InvalidObservation(
            f"{issue!r} is not an issue number.",
            "Use 0 for the project, or a number up to 9 digits.",
        )
    return issue
