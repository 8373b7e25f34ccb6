"""Questions to memory: asked in threads, so that no key waits for the disk; the newest answer wins.

A widget or screen asks by `await ask(function, …)` in a method that is an `exclusive_worker`.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Coroutine
from functools import wraps
from threading import Lock
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, runtime_checkable

from textual.dom import DOMNode
from textual.worker import Worker, get_current_worker

from memtui.tui.frame.toasts import toast_error
from store.errors import StoreError

NodeT = TypeVar("NodeT", bound=DOMNode)
ParamsT = ParamSpec("ParamsT")
T = TypeVar("T")

Progress = Callable[[int, int], Any]
"""Takes how much of how much is done, and answers True: to go on."""

# One call of a group at a time: while keys come fast, those that were replaced before their turn
# cost nothing.
_turns: defaultdict[str, Lock] = defaultdict(Lock)


@runtime_checkable
class _Fails(Protocol):
    def failed(self, error: StoreError) -> None:
        """Show why a worker of this node, or of one in it, has no answer."""


class _Replaced(BaseException):
    """Unwinds a thread that nobody waits for, through code that catches errors."""


def exclusive_worker(
    *,
    group: str,
) -> Callable[
    [Callable[Concatenate[NodeT, ParamsT], Coroutine[Any, Any, None]]],
    Callable[Concatenate[NodeT, ParamsT], Worker[None]],
]:
    """Decorate a coroutine method as Textual's `@work(exclusive=True, group=…)` does.

    A call starts a worker and returns at once; it ends the worker of the call before, at its next
    `await`, so that nothing of an older answer is shown. A `StoreError` is given to the `failed` of
    the node, or of the nearest around it that has one.
    """

    def decorate(
        method: Callable[Concatenate[NodeT, ParamsT], Coroutine[Any, Any, None]],
    ) -> Callable[Concatenate[NodeT, ParamsT], Worker[None]]:
        @wraps(method)
        def start(node: NodeT, /, *args: ParamsT.args, **kwargs: ParamsT.kwargs) -> Worker[None]:
            async def run() -> None:
                try:
                    await method(node, *args, **kwargs)
                except StoreError as error:
                    _fail(node, error)

            return node.run_worker(run, group=group, exclusive=True)

        return start

    return decorate


def _fail(node: DOMNode, error: StoreError) -> None:
    for owner in node.ancestors_with_self:
        if isinstance(owner, _Fails):
            owner.failed(error)
            return
    toast_error(node.app, error)


async def ask(
    function: Callable[..., T],
    *args: object,
    report_to: Callable[[int, int], object] | None = None,
    **kwargs: object,
) -> T:
    """Run a function in a thread, within an `exclusive_worker`; calls of a group take turns.

    With `report_to` the function is given a last argument to call with its progress, which arrives
    there as far as it is the newest. Raises what the function raises, where the system refuses
    something as `StoreError`.
    """
    worker = get_current_worker()
    reporter = _Reporter(worker, report_to) if report_to is not None else None
    given = args if reporter is None else (*args, reporter.report)

    def run() -> T:
        with _turns[worker.group]:
            if worker.is_cancelled:
                raise _Replaced
            try:
                return function(*given, **kwargs)
            except OSError as error:
                place = f": {error.filename}" if error.filename else ""
                raise StoreError(f"{error.strerror or error}{place}.", "") from error

    try:
        answer = await asyncio.to_thread(run)
    finally:
        if reporter is not None:
            reporter.over = True
    if _is_closing(worker.node):
        raise asyncio.CancelledError  # its children are gone before it is
    return answer


def _is_closing(node: DOMNode) -> bool:
    return not node.app.is_running or any(owner._pruning for owner in node.ancestors_with_self)


class _Reporter:
    """Hands the progress of a thread to the screen, as often as that can draw it."""

    def __init__(self, worker: Worker[Any], show: Callable[[int, int], object]) -> None:
        self._worker = worker
        self._show = show
        self._loop = asyncio.get_running_loop()
        self._newest: tuple[int, int] | None = None
        self.over = False

    def report(self, done: int, total: int) -> bool:
        """Pass on the progress, in the thread; ends the thread where nobody waits any more."""
        if self._worker.is_cancelled:
            raise _Replaced
        waits, self._newest = self._newest is not None, (done, total)
        if not waits:
            self._loop.call_soon_threadsafe(self._worker.node.call_later, self._draw)
        return True

    def _draw(self) -> None:
        newest, self._newest = self._newest, None
        if newest is not None and not self.over:
            self._show(*newest)
