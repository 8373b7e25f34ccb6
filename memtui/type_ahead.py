"""Keys in order: each is dealt with before the next one is looked at.

Textual hands a key to whatever has the focus when it arrives. Keys that come in a burst (`/` and
then a word) would all go to the list, because the search box gets the focus only later.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial

from textual import events
from textual.app import App
from textual.message import Message

_PATIENCE = 0.3  # seconds after which a key counts as dealt with, should its widget be gone


@dataclass
class KeyHandled(Message):
    """Follows a key up the tree, and so reaches the app after the key's action was run."""

    key: events.Key


class TypeAhead(App[None]):
    """An app that can be typed at faster than it draws."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: deque[events.Key] = deque()
        self._sent: events.Key | None = None
        self._sent_to = 0

    async def on_event(self, event: events.Event) -> None:
        """Let keys queue, everything else pass."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            self._waiting.append(event)
            await self._send()
        else:
            await super().on_event(event)

    async def _send(self) -> None:
        """Hand out the next key, unless one is still being dealt with."""
        while self._waiting and self._sent is None:
            key = self._waiting.popleft()
            target = self.focused or self.screen
            screen = self.screen
            await super().on_event(key)
            if key.is_forwarded:
                self._sent, self._sent_to = key, id(screen)
                target.post_message(KeyHandled(key))
                self.set_timer(_PATIENCE, partial(self._done, key))
            elif self.screen is not screen:
                self.screen.call_after_refresh(self._send)
                return

    def on_key_handled(self, message: KeyHandled) -> None:
        """The key was dealt with."""
        self._done(message.key)

    def _done(self, key: events.Key) -> None:
        """Go on with the next key, once a screen that this one opened can take it."""
        if key is not self._sent:
            return
        self._sent = None
        if id(self.screen) == self._sent_to:
            self.call_next(self._send)
        else:
            self.screen.call_after_refresh(self._send)
