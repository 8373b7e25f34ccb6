"""Operations from the app: carried out away from the screen, in turn, and told in one toast.

A screen posts `RunOperation` with what is to be done, or `PreviewPlan` to show a plan and ask
first. Both bubble to the app, whose `OperationRunner` does the rest; when an operation has ended,
every open screen is told `OperationEnded`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memtui.read_only import check_writable, name_store
from memtui.tui import routes
from memtui.tui.message import Message
from memtui.tui.navigation import NavigatingApp
from memtui.tui.plan_progress import IssueProgress, PlanProgress
from memtui.tui.toasts import tell, tell_applied, tell_error
from memtui.tui.type_ahead import LetGo
from memtui.words.sentences import done
from store.errors import StoreError
from store.values import ActionKind

if TYPE_CHECKING:
    from store.pipeline import MemoryPipeline, OperationInfo, StoreState
    from store.values import Applied, Plan

T = TypeVar("T")

_PATIENCE = 0.7
"""Seconds after which the user is told that an operation is still going on, and after which no key
that was typed ahead agrees to a plan that nobody has seen.
"""
_NEWS = 1.0
"""Seconds between two words about how far it is."""
_WORKING = "Still working. It may wait for another program that is writing to this memory."
_INDEXING = "Bringing the index up to date…"
_PLANNING = "Preparing the preview…"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan as it is shown before it is carried out, and what carries it out.

    `count` is of what it touches; `also` are the marks and words of what is done beside the plan.
    `how_far` says how far it is while it is carried out; empty where that is not known.
    """

    plan: Plan
    count: int
    carry_out: Callable[[MemoryPipeline], Applied]
    also: Sequence[tuple[str, str]] = ()
    how_far: Callable[[], str] = str

    @classmethod
    def of(cls, plan: Plan) -> Proposal | None:
        """A plan as it stands; None where there is nothing to do."""
        if plan.is_empty:
            return None
        texts = len(plan.texts) + len(plan.clarifications)
        beside = len(plan.moves) + texts + (plan.layout is not None)
        count = len({change.id for change in plan.changes}) + beside
        far = PlanProgress(plan)
        return cls(plan, count, lambda it: it.apply(plan, far.goes_on), how_far=far.words)


class RunOperation(Message):
    """Asks the app to change memory, and to say what became of it.

    `run` works in a thread; `describe` says in the toast what was done, and `how_far` how far it
    is where it takes long. Whoever `shows_progress` needs no word about that.
    """

    run: Callable[[MemoryPipeline], Applied]
    describe: Callable[[Applied], str] = lambda applied: done(applied.action)
    shows_progress: bool = False
    how_far: Callable[[], str] = str


class PreviewPlan(Message):
    """Asks the app to show what would be done, and to do it where the user agrees.

    `plan` works in a thread; None says that there is nothing to do, which is told as `otherwise`.
    """

    plan: Callable[[MemoryPipeline], Proposal | None]
    otherwise: str = "Nothing to do."


class OperationStarted(Message, bubble=False):
    """An operation begins: looking at the files would hold it up, and can wait until it ends."""


class OperationEnded(Message, bubble=False):
    """An operation has ended; `applied` is None where it failed, `state` where memory is lost."""

    applied: Applied | None
    state: StoreState | None


class OperationRunner:
    """Carries out operations one after the other, in the order they were asked for."""

    def __init__(self, app: NavigatingApp, memory: MemoryPipeline) -> None:
        self._app = app
        self._memory = memory
        self._turn = asyncio.Lock()
        self._proposing = False
        self._done: set[str] = set()
        self._undone: list[str] = []

    def operate(self, asked: RunOperation) -> None:
        """Do what was asked, and say what became of it.

        Keys wait, since they are meant for what is there afterwards; where one sees how far it is,
        they can stop it.
        """
        let_keys_go = (
            None
            if asked.shows_progress
            else self._app.hold_keys(for_screen=False, however_long=True)
        )
        self._app.run_worker(self._carry_out(asked, let_keys_go), group="operations")

    def preview(self, asked: PreviewPlan) -> None:
        """Plan what was asked, show it, and do it where the user agrees; one plan at a time."""
        if not self._proposing:
            self._proposing = True
            self._app.run_worker(self._propose(asked, self._app.hold_keys()), group="operations")

    def undo(self) -> None:
        """Take back the last operation: at once what was the last change made here, anything else
        after it was shown, since it is not what the user has in mind."""
        self._app.run_worker(self._take_back(_UNDO, self._done), group="operations")

    def redo(self) -> None:
        """Do again what was taken back last: at once what was taken back here and nothing changed
        since, anything else after it was shown."""
        self._app.run_worker(self._take_back(_REDO, self._undone), group="operations")

    async def _take_back(self, way: _Way, at_once: Container[str]) -> None:
        """Undo or redo the last; `at_once` are the operations that need no preview."""
        let_keys_go = self._app.hold_keys()
        async with self._turn:
            try:
                last = await self._away(way.last)
            except StoreError as error:
                let_keys_go(expected=False)
                tell_error(self._app, error)
                return
            if last.id in at_once:
                let_keys_go = self._app.hold_keys(for_screen=False, however_long=True)
                await self._carry_out_in_turn(way.run(last.id), let_keys_go)
                return

        def proposed(memory: MemoryPipeline) -> Proposal | None:
            proposal = Proposal.of(way.plan(memory, last.id))
            run = way.run(last.id)
            return proposal and replace(proposal, carry_out=run.run, how_far=run.how_far)

        self.preview(PreviewPlan(proposed))

    async def _propose(self, asked: PreviewPlan, let_keys_go: LetGo) -> None:
        def planned(memory: MemoryPipeline) -> Proposal | None:
            check_writable(memory)
            return asked.plan(memory)

        proposal, asked_at = None, monotonic()
        async with self._turn:
            try:
                proposal = await self._away(planned, waiting=_PLANNING)
            except StoreError as error:
                tell_error(self._app, error)
            else:
                if proposal is None:
                    tell(self._app, asked.otherwise)
        if proposal is None:
            self._proposing = False
            let_keys_go()
            return
        carry_out = RunOperation(proposal.carry_out, how_far=proposal.how_far)

        def answered(agreed: bool | None) -> None:
            self._proposing = False
            if agreed:
                self.operate(carry_out)

        let_keys_go = self._app.hold_keys()
        await self._app.open_screen(
            routes.PlanPreview(proposal.plan, proposal.count, proposal.also), answered
        )
        if monotonic() - asked_at < _PATIENCE:
            let_keys_go()
        else:
            self._app.clear_notifications()
            self._app.let_see()

    async def _carry_out(self, asked: RunOperation, let_keys_go: LetGo | None) -> None:
        async with self._turn:
            await self._carry_out_in_turn(asked, let_keys_go)

    async def _carry_out_in_turn(self, asked: RunOperation, let_keys_go: LetGo | None) -> None:
        self._tell_screens(OperationStarted)
        applied = None
        try:
            waiting = "" if asked.shows_progress else _WORKING
            applied = await self._away(asked.run, waiting=waiting, how_far=asked.how_far)
        except StoreError as error:
            waiting = ""
            tell_error(self._app, error)
        try:
            state = await self._away(_refreshed, waiting=waiting and _INDEXING)
        except StoreError as error:
            state = None
            tell_error(self._app, error)
        if applied is not None:
            self._remember(applied)
            tell_applied(self._app, applied, asked.describe(applied))
        self._tell_screens(lambda: OperationEnded(applied, state))
        if let_keys_go is not None:
            # After the screen was told, which may hold them on until it has read what is new.
            self._app.screen.call_later(let_keys_go)

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

    def _tell_screens(self, message: Callable[[], Message]) -> None:
        for screen in self._app.screen_stack:
            screen.post_message(message())

    async def _away(
        self,
        work: Callable[[MemoryPipeline], T],
        *,
        waiting: str = _WORKING,
        how_far: Callable[[], str] = str,
    ) -> T:
        """Work in a thread; where that takes long, say how far it is, or what is waited for."""

        def worked() -> T:
            with name_store(self._memory.path):
                return work(self._memory)

        task = asyncio.ensure_future(asyncio.to_thread(worked))
        ended, _ = await asyncio.wait({task}, timeout=_PATIENCE)
        said = ""
        while waiting and not ended:
            if (news := how_far() or waiting) != said:
                tell(self._app, said := news)
            ended, _ = await asyncio.wait({task}, timeout=_NEWS)
        return await task


def _refreshed(memory: MemoryPipeline) -> StoreState:
    memory.refresh()
    return memory.state()


def undo(operation_id: str | None = None) -> RunOperation:
    """Asks to take back the last operation, or a named one."""
    far = IssueProgress(ActionKind.UNDO)
    return RunOperation(lambda memory: memory.undo(operation_id, far.tell), how_far=far.words)


def redo(operation_id: str | None = None) -> RunOperation:
    """Asks to do again what the last undo took back, or a named operation."""
    far = IssueProgress(ActionKind.REDO)
    return RunOperation(lambda memory: memory.redo(operation_id, far.tell), how_far=far.words)


class _Way(NamedTuple):
    """One of the two ways to take something back: the last of it, its plan, what carries it out."""

    last: Callable[[MemoryPipeline], OperationInfo]
    plan: Callable[[MemoryPipeline, str], Plan]
    run: Callable[[str], RunOperation]


_UNDO = _Way(lambda memory: memory.last_operation(), lambda memory, at: memory.plan_undo(at), undo)
_REDO = _Way(lambda memory: memory.last_undo(), lambda memory, at: memory.plan_redo(at), redo)


def import_from(source: Path) -> PreviewPlan:
    """Asks to import a file or a folder."""
    return PreviewPlan(
        lambda memory: Proposal.of(memory.plan_import(source)),
        "Everything in it is already stored.",
    )
