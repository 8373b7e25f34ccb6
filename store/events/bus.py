"""The typed event bus: what happened to memory, told to whoever listens."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar, overload

from store.events import Event

E = TypeVar("E", bound="Event")


class EventBus:
    """Delivers events to listeners, in the order they subscribed."""

    def __init__(self) -> None:
        self._listeners: dict[str, list[Callable[[Any], None]]] = {}

    @overload
    def subscribe(self, kind: type[E], listener: Callable[[E], None]) -> Callable[[], None]: ...

    @overload
    def subscribe(self, kind: str, listener: Callable[[Any], None]) -> Callable[[], None]: ...

    def subscribe(
        self, kind: type[Any] | str, listener: Callable[[Any], None]
    ) -> Callable[[], None]:
        """Call `listener` for each event of a kind, or of a kind's name; returns the unsubscriber.

        By its name a kind need not be imported before something happens.
        """
        name = kind if isinstance(kind, str) else kind.name
        listeners = self._listeners.setdefault(name, [])
        listeners.append(listener)

        def unsubscribe() -> None:
            if listener in listeners:
                listeners.remove(listener)

        return unsubscribe

    def emit(self, event: Event) -> None:
        """Tell every listener; one that raises is logged and stops nobody."""
        for listener in tuple(self._listeners.get(event.name, ())):
            try:
                listener(event)
            except Exception:  # a listener is foreign code: its failure is logged, the write stands
                logging.getLogger(__name__).exception("a listener of %s failed", event.name)
