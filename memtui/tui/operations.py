"""Operations from the app: carried out away from the screen, in turn, each with one toast.

A screen posts `RunOperation` with what is to be done, or `PreviewPlan` to show a plan and ask
first. Both bubble to the app, whose `OperationRunner` does the rest; when an operation has ended,
every open screen gets `OperationEnded`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from time import monotonic
from typing import NamedTuple, TypeVar

from textual.message import Message

from memtui.read_only import check_writable, name_store
from memtui.tui.frame import routes
from memtui.tui.frame.paragraphs import BLANK, plain
from memtui.tui.frame.route import Context, screen_for
from memtui.tui.frame.toasts import toast, toast_applied, toast_error
from memtui.tui.frame.type_ahead import Held, TypeAhead
from memtui.tui.widgets.diff import diff_paragraphs
from memtui.words.sentences import doing, doing_issues, done, title
from store import Memory
from store.action import ActionKind
from store.errors import StoreError
from store.operations.apply import Applied
from store.operations.journal import OperationInfo
from store.operations.plan import Plan
from store.store_state import StoreState

T = TypeVar("T")

_PATIENCE = 0.7
"""Seconds after which a toast shows that an operation is still going on, and after which no key
that was typed ahead agrees to a plan that nobody has seen.
"""
_NEWS = 1.0
"""Seconds between two words about how far it is."""
_WORKING = "Still working. It may wait for another program that is writing to this memory."
_INDEXING = "Bringing the index up to date…"
_PLANNING = "Preparing the preview…"
_LONG = 38
"""Characters of a heading beyond which its figures are below it."""


class OperationProgress:
    """How far an operation is: in issues, or where the `sizes` of these are known in memories."""

    def __init__(self, describe: Callable[[int, int], str], sizes: Iterable[int] = ()) -> None:
        self._describe = describe
        self._after = tuple(accumulate(sizes, initial=0))
        self._done = self._total = 0

    def advance(self, done: int, total: int) -> bool:
        """Show how far it is; it always goes on."""
        if self._after[-1]:
            done, total = self._after[min(done, len(self._after) - 1)], self._after[-1]
        self._done, self._total = done, total
        return True

    def words(self) -> str:
        """`Archiving 12,400 of 44,597 memories…`; empty before the first are done."""
        return self._describe(self._done, self._total) if self._done else ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan as it is shown before it is carried out, and what carries it out.

    `count` is of what it touches; `also` are the marks and words of what is done with the plan.
    `how_far` describes how far it is while it is carried out; empty where that is not known.
    """

    plan: Plan
    count: int
    carry_out: Callable[[Memory], Applied]
    also: Sequence[tuple[str, str]] = ()
    how_far: Callable[[], str] = str

    @classmethod
    def of(cls, plan: Plan) -> Proposal | None:
        """Return a proposal of a plan; None where there is nothing to do."""
        if plan.is_empty:
            return None
        texts = len(plan.texts) + len(plan.clarifications)
        others = len(plan.moves) + texts + len(plan.lines) + (plan.layout is not None)
        count = len({change.id for change in plan.changes}) + others
        touched: dict[int, set[str]] = {}
        for change in plan.changes:
            touched.setdefault(change.issue, set()).add(change.id)
        progress = OperationProgress(partial(doing, plan.action), map(len, touched.values()))
        return cls(
            plan, count, lambda memory: memory.apply(plan, progress.advance), how_far=progress.words
        )


@dataclass
class RunOperation(Message):
    """Asks the app to change memory, and to show what became of it.

    `run` works in a thread; `describe` words the toast for what was done, and `how_far` how far it
    is where it takes long. Whoever `shows_progress` needs no word about that.
    """

    run: Callable[[Memory], Applied]
    describe: Callable[[Applied], str] = lambda applied: done(applied.action)
    shows_progress: bool = False
    how_far: Callable[[], str] = str


@dataclass
class PreviewPlan(Message):
    """Asks the app to show what would be done, and to do it where the user agrees.

    `plan` works in a thread; for None, nothing to do, the toast is `otherwise`.
    """

    plan: Callable[[Memory], Proposal | None]
    otherwise: str = "Nothing to do."


@dataclass
class OperationEnded(Message, bubble=False):
    """An operation has ended; `applied` is None where it failed, `state` where memory is lost."""

    applied: Applied | None
    state: StoreState | None


class OperationRunner:
    """Carries out operations one after the other, in the order they were asked for."""

    def __init__(
        self, app: TypeAhead, context: Context, place_asked: Callable[[Callable[[], None]], None]
    ) -> None:
        """Carry out what `place_asked` calls, once it is known where memory may begin."""
        self._app = app
        self._place_asked = place_asked
        self._context = context
        self._memory = context.memory
        self._turn = asyncio.Lock()
        self._proposing = False
        self.is_changing = False
        """True while memory is written."""
        self._done: set[str] = set()
        self._undone: list[str] = []

    @property
    def is_busy(self) -> bool:
        """True if an operation is under way, at whose end the index catches up."""
        return self._turn.locked()

    def operate(self, asked: RunOperation) -> None:
        """Do what was asked, and show what became of it.

        Keys wait, since they are meant for what is there afterwards; where one sees how far it is,
        they can stop it.
        """
        self._place_asked(partial(self._operate, asked))

    def _operate(self, asked: RunOperation) -> None:
        held = None if asked.shows_progress else self._app.keys_held(however_long=True)
        self._app.run_worker(self._carry_out(asked, held), group="operations")

    def preview(self, asked: PreviewPlan) -> None:
        """Plan what was asked, show it, and do it where the user agrees; one plan at a time."""
        if not self._proposing:
            self._proposing = True
            held = self._app.keys_held(until_screen=True)
            self._app.run_worker(self._propose(asked, held), group="operations")

    def undo(self) -> None:
        """Take back the last operation: at once what was the last change made here, anything else
        after it was shown, since it is not what the user has in mind."""
        self._app.run_worker(self._undo_or_redo(_UNDO, self._done), group="operations")

    def redo(self) -> None:
        """Do again what was taken back last: at once what was taken back here and nothing changed
        since, anything else after it was shown."""
        self._app.run_worker(self._undo_or_redo(_REDO, self._undone), group="operations")

    async def _undo_or_redo(self, direction: _Direction, at_once: Container[str]) -> None:
        """Undo or redo the last; `at_once` are the operations that need no preview."""
        held = self._app.keys_held(until_screen=True)
        async with self._turn:
            try:
                last = await self._in_thread(direction.last)
            except StoreError as error:
                held.release(keep=True)
                toast_error(self._app, error)
                return
            if last.id in at_once:
                held = self._app.keys_held(however_long=True)
                await self._carry_out_in_turn(direction.run(last.id), held)
                return

        def proposed(memory: Memory) -> Proposal | None:
            proposal = Proposal.of(direction.plan(memory, last.id))
            run = direction.run(last.id)
            return proposal and replace(proposal, carry_out=run.run, how_far=run.how_far)

        self.preview(PreviewPlan(proposed))

    async def _propose(self, asked: PreviewPlan, held: Held) -> None:
        asked_at = monotonic()
        proposal = await self._planned(asked)
        if proposal is None:
            self._proposing = False
            held.release()
            return
        carry_out = RunOperation(proposal.carry_out, how_far=proposal.how_far)

        def answered(agreed: bool | None) -> None:
            self._proposing = False
            if agreed:
                self.operate(carry_out)

        held = self._app.keys_held(until_screen=True)
        await self._app.push_screen(screen_for(self._context, _question(proposal)), answered)
        if monotonic() - asked_at < _PATIENCE:
            held.release()
        else:
            self._app.clear_notifications()
            self._app.ignore_keys_briefly()

    async def _planned(self, asked: PreviewPlan) -> Proposal | None:
        """Return what is to be shown; where there is nothing, a toast has the reason."""

        def plan(memory: Memory) -> Proposal | None:
            check_writable(memory)
            return asked.plan(memory)

        async with self._turn:
            try:
                proposal = await self._in_thread(plan, waiting=_PLANNING)
            except StoreError as error:
                toast_error(self._app, error)
                return None
        if proposal is None:
            toast(self._app, asked.otherwise)
        return proposal

    async def _carry_out(self, asked: RunOperation, held: Held | None) -> None:
        async with self._turn:
            await self._carry_out_in_turn(asked, held)

    async def _carry_out_in_turn(self, asked: RunOperation, held: Held | None) -> None:
        applied, state = await self._applied(asked), None
        indexing = _INDEXING if applied is not None and not asked.shows_progress else ""
        try:
            state = await self._in_thread(_refreshed, waiting=indexing)
        except StoreError as error:
            toast_error(self._app, error)
        if applied is not None:
            self._remember(applied)
            toast_applied(self._app, applied, asked.describe(applied))
        for screen in self._app.screen_stack:
            screen.post_message(OperationEnded(applied, state))
        if held is not None:
            # After the screen got that: it may hold them on until it has read what is new.
            self._app.screen.call_later(held.release)

    async def _applied(self, asked: RunOperation) -> Applied | None:
        """Change memory; where that fails, a toast has the reason."""

        def run(memory: Memory) -> Applied:
            self.is_changing = True
            try:
                return asked.run(memory)
            finally:
                self.is_changing = False

        waiting = "" if asked.shows_progress else _WORKING
        try:
            return await self._in_thread(run, waiting=waiting, how_far=asked.how_far)
        except StoreError as error:
            toast_error(self._app, error)
            return None

    def _remember(self, applied: Applied) -> None:
        """Know what was done here; after what has no undo, nothing before it is the last change,
        and after any other change no undo is what one would redo unseen."""
        if applied.operation_id:
            self._done.add(applied.operation_id)
        elif applied.changed:
            self._done.clear()
        if applied.action.kind == ActionKind.UNDO:
            self._undone.append(applied.operation_id)
        elif applied.action.kind != ActionKind.REDO and applied.changed:
            self._undone.clear()

    async def _in_thread(
        self,
        work: Callable[[Memory], T],
        *,
        waiting: str = _WORKING,
        how_far: Callable[[], str] = str,
    ) -> T:
        """Work in a thread; where that takes long, show how far it is, or what is waited for."""

        def worked() -> T:
            with name_store(self._memory.path):
                return work(self._memory)

        task = asyncio.ensure_future(asyncio.to_thread(worked))
        ended, _ = await asyncio.wait({task}, timeout=_PATIENCE)
        shown = ""
        while waiting and not ended:
            if (news := how_far() or waiting) != shown:
                toast(self._app, shown := news)
            ended, _ = await asyncio.wait({task}, timeout=_NEWS)
        return await task


def _question(proposal: Proposal) -> routes.Confirm:
    """Return the question that shows a plan; figures that its heading has no room for begin it."""
    heading, _, figures = title(proposal.plan.action).partition(": ")
    body = diff_paragraphs(proposal.plan, proposal.also)
    if figures and len(heading) + len(figures) > _LONG:
        body = [plain(f"{figures}."), BLANK, *body]
    elif figures:
        heading = f"{heading}: {figures}"
    return routes.Confirm(heading, body, proposal.count, "apply")


def _refreshed(memory: Memory) -> StoreState:
    memory.index.refresh()
    return memory.state()


def undo(operation_id: str | None = None) -> RunOperation:
    progress = OperationProgress(partial(doing_issues, ActionKind.UNDO))
    return RunOperation(
        lambda memory: memory.undo(operation_id, progress.advance), how_far=progress.words
    )


def redo(operation_id: str | None = None) -> RunOperation:
    """Asks to redo the last undone operation, or a named one."""
    progress = OperationProgress(partial(doing_issues, ActionKind.REDO))
    return RunOperation(
        lambda memory: memory.redo(operation_id, progress.advance), how_far=progress.words
    )


class _Direction(NamedTuple):
    """One of the two ways to take something back: the last of it, its plan, what carries it out."""

    last: Callable[[Memory], OperationInfo]
    plan: Callable[[Memory, str], Plan]
    run: Callable[[str], RunOperation]


_UNDO = _Direction(
    lambda memory: memory.history.last_operation(),
    lambda memory, at: memory.history.plan_undo(at),
    undo,
)
_REDO = _Direction(
    lambda memory: memory.history.last_undo(), lambda memory, at: memory.history.plan_redo(at), redo
)


def import_from(source: Path, level: str = "") -> PreviewPlan:
    return PreviewPlan(
        lambda memory: Proposal.of(memory.exchange.plan_import(source, level=level)),
        "Everything in it is already stored.",
    )
