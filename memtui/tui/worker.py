"""Questions to memory, asked in worker threads so that no key press waits for the disk.

A widget or screen calls `ask` with a question: a function that does the reading and tells its
answers, as messages, through the `tell` it is given. Only the newest question of a group is
answered; an older one stops at its next `tell`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from textual.dom import DOMNode
from textual.worker import get_current_worker

from memtui.tui.message import Message
from store.errors import NotFound, StoreError
from store.model import FACETS, FacetKind
from store.places import Location

if TYPE_CHECKING:
    from store.model import Hit, Observation, SearchResult
    from store.pipeline import MemoryPipeline, StoreState
    from store.search import Marks

_FOLLOWING: tuple[FacetKind, ...] = ("agent", "category", "issue")
"""The counts that follow a query; what tags there are is asked of everything."""
OpenMemory: TypeAlias = "Callable[[Location], MemoryPipeline]"


class Request(NamedTuple):
    """One page of a query. `number` grows with each, so that late answers are told apart.

    `typed` is what stands in the search box, `text` what is asked: a half-typed value stands for
    all it could become. `everything` asks for the facets of the whole store too. With `rows_first`
    facets are to be asked for when the rows are drawn: counting takes a while in a large store.
    """

    number: int
    typed: str
    text: str
    limit: int
    offset: int = 0
    everything: bool = False
    rows_first: bool = False


class MemoryOpened(Message, bubble=False):
    """Memory is open and can be asked; it is to be refreshed once that delays nothing."""

    memory: MemoryPipeline
    state: StoreState


class MemoryRefreshed(Message, bubble=False):
    """The index caught up with the files; `changed` if it found any that differ."""

    state: StoreState
    changed: bool


class MemoryFailed(Message, bubble=False):
    """A question could not be answered."""

    error: StoreError


class Progress(Message, bubble=False):
    """How far something has come."""

    done: int
    total: int

    def can_replace(self, message: object) -> bool:
        """Only the newest figure of a kind matters."""
        return type(message) is type(self)


class MemoryWarned(Message, bubble=False):
    """Something failed while memory went on, in a sentence."""

    sentence: str


class IndexProgress(Progress, bubble=False):
    """How far the index has come with reading the files."""


class FacetsFound(Message, bubble=False):
    """The same request's facets; `everything` are those of the whole store, if asked for."""

    request: Request
    result: SearchResult
    everything: SearchResult | None


class ObservationRead(Message, bubble=False):
    """The whole observation of a row and its matches; None where it is gone."""

    hit: Hit
    observation: Observation | None
    marks: Marks = ()


class RowsFound(Message, bubble=False):
    """The rows of a request; `first` is the observation of the first one, as a list begins at it.
    Where there are no rows, `archived` is how many the archive has.

    Rows and observation come together because drawing them one after the other costs more.
    """

    request: Request
    result: SearchResult
    first: ObservationRead | None = None
    archived: int = 0


Tell = Callable[[Message], None]
"""Posts an answer, or stops the question where a newer one was asked."""
Question = Callable[[Tell], None]


# One question of a group at a time: while keys come fast, those that were replaced before their
# turn cost nothing.
_turns: defaultdict[str, Lock] = defaultdict(Lock)


class _Outdated(BaseException):
    """Unwinds a question that a newer one replaced, through code that catches exceptions."""


def ask(node: DOMNode, question: Question, *, group: str) -> None:
    """Run `question` in a thread and post what it tells to `node`, unless a newer one came.

    Errors of the store, and what else the system refuses, arrive as `MemoryFailed`.
    """

    def run() -> None:
        worker = get_current_worker()

        def tell(message: Message) -> None:
            if worker.is_cancelled:
                raise _Outdated
            node.post_message(message)

        with _turns[group]:
            try:
                try:
                    if not worker.is_cancelled:
                        question(tell)
                except StoreError as error:
                    tell(MemoryFailed(error))
                except OSError as error:
                    place = f": {error.filename}" if error.filename else ""
                    tell(MemoryFailed(StoreError(f"{error.strerror or error}{place}.", "")))
            except _Outdated:
                pass

    node.run_worker(run, group=group, exclusive=True, thread=True)


def open_store(open_memory: OpenMemory, path: Location) -> Question:
    """Open memory as its index was left; a new index is made first, telling how far it is."""

    def question(tell: Tell) -> None:
        memory = open_memory(path)
        if not memory.open_as_left():
            memory.refresh(_telling(tell))
        tell(MemoryOpened(memory, memory.state()))

    return question


def refresh_index(memory: MemoryPipeline) -> Question:
    """Let the index catch up with the files again."""

    def question(tell: Tell) -> None:
        changed = memory.refresh(_telling(tell))
        tell(MemoryRefreshed(memory.state(), changed))

    return question


def _telling(tell: Tell) -> Callable[[int, int], None]:
    return lambda done, total: tell(IndexProgress(done, total))


def search_rows(memory: MemoryPipeline, request: Request) -> Question:
    """Find the rows of a request, then its facets where those need not wait."""

    def question(tell: Tell) -> None:
        kinds = () if request.offset or request.rows_first else _kinds(request)
        found = memory.search(
            request.text, request.limit, request.offset, facets=kinds, fresh=False
        )
        first = None if request.offset else _first(memory, found)
        archived = (
            0 if found.total else memory.search("is:archived", 0, facets=(), fresh=False).total
        )
        tell(RowsFound(request, found, first, archived))
        if kinds:
            _tell_facets(memory, request, found, tell)

    return question


def count_facets(memory: MemoryPipeline, request: Request) -> Question:
    """Find the facets of a request whose rows came first."""

    def question(tell: Tell) -> None:
        found = memory.search(request.text, 0, facets=_kinds(request), fresh=False)
        _tell_facets(memory, request, found, tell)

    return question


def _kinds(request: Request) -> tuple[FacetKind, ...]:
    return FACETS if request.everything and not request.text else _FOLLOWING


def _tell_facets(memory: MemoryPipeline, request: Request, found: SearchResult, tell: Tell) -> None:
    everything = found
    if request.everything and request.text:
        everything = memory.search("", 0, fresh=False)
    tell(FacetsFound(request, found, everything if request.everything else None))


def read_observation(
    memory: MemoryPipeline, hit: Hit, found: SearchResult | None = None
) -> Question:
    """Read the whole observation of a row, and where the words that found it stand in it."""
    return lambda tell: tell(_read(memory, hit, found))


def _first(memory: MemoryPipeline, found: SearchResult) -> ObservationRead | None:
    """The observation of the first row; None where there is none or reading it fails, which is
    said when it is asked for itself: the rows can be shown."""
    try:
        return _read(memory, found.hits[0], found) if found.hits else None
    except StoreError:
        return None


def _read(memory: MemoryPipeline, hit: Hit, found: SearchResult | None) -> ObservationRead:
    try:
        observation = memory.tell(hit.entry.id, fresh=False)
    except NotFound:
        return ObservationRead(hit, None)
    query, near = (found.query, found.near) if found is not None else ("", ())
    return ObservationRead(hit, observation, memory.marks(observation.content, query, near))
