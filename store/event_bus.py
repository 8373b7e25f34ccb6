"""The typed event bus: what happened to memory, told to whoever listens."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from store.events import Event

_log = logging.getLogger(__name__)
E = TypeVar("E", bound="Event")


class EventBus:
    """Delivers events to listeners, in the order they subscribed."""

    def __init__(self) -> None:
        self._listeners: dict[type[object], list[Callable[[Any], None]]] = {}

    def subscribe(self, kind: type[E], listener: Callable[[E], None]) -> Callable[[], None]:
        """Call `listener` for each event of this kind; returns the unsubscriber."""
        listeners = self._listeners.setdefault(kind, [])
        listeners.append(listener)

        def unsubscribe() -> None:
            if listener in listeners:
                listeners.remove(listener)

        return unsubscribe

    def emit(self, event: Event) -> None:
        """Tell every listener; one that raises is logged and stops nobody."""
        for listener in tuple(self._listeners.get(type(event), ())):
            try:
                listener(event)
            except Exception:  # noqa: BLE001 - a listener is foreign code
                _log.exception("a listener of %s failed", event.name)
