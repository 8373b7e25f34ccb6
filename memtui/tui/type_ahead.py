"""Keys in order: each is dealt with before the next one is looked at.

Textual hands a key to whatever has the focus when it arrives. Keys that come in a burst (`/` and
then a word) would all go to the list, because the search box gets the focus only later.
"""

from __future__ import annotations

from collections import deque
from time import monotonic
from typing import Protocol

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.widgets import Input

from memtui.tui.message import Message

_PATIENCE = 0.3
"""Seconds after which a key whose widget is gone counts as dealt with."""
_STUCK = 5.0
"""Seconds after which the next key is let through to what takes that long."""
_HELD = 2.0
"""Seconds that keys wait at most for a screen that is being prepared."""
_GLANCE = 0.5
"""Seconds that a screen stands before a key is meant for it, where it came late."""


class LetGo(Protocol):
    """Lets keys go that were held."""

    def __call__(self, expected: bool = ...) -> None:
        """Let them go; `expected` says that they were meant for a screen that was to come."""


class KeyHandled(Message):
    """Follows a key up the tree, and so reaches the app after the key's action was run."""

    key: events.Key


class TypeAhead(App[None]):
    """An app that can be typed at faster than it draws."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: deque[events.Key] = deque()
        self._gathering = False
        self._sent: events.Key | None = None
        self._sent_to = 0
        self._hold: object = None

    @property
    def keys_dealt_with(self) -> bool:
        """Whether every key that came was dealt with."""
        return not self._waiting and self._sent is None and self._hold is None

    async def on_event(self, event: events.Event) -> None:
        """Let keys queue, everything else pass; but for a key that comes up from a screen on which
        another was opened meanwhile: it was not meant for the keys of that one."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            self._waiting.append(event)
            if not self._gathering:
                self._gathering = True
                self.call_later(self._gathered)
        elif event is not self._sent or id(self.screen) == self._sent_to:
            await super().on_event(event)

    async def _gathered(self) -> None:
        """Hand out the keys that arrived together, now that all of them are here."""
        self._gathering = False
        await self._send()

    async def _send(self) -> None:
        """Hand out the next key, unless one is still being dealt with.

        Letters in a row go to their box all at once, and only the last of them is waited for.
        """
        while self._waiting and self._sent is None and self._hold is None:
            target = self.focused or self.screen
            key = self._next_for(target)
            screen = self.screen
            await super().on_event(key)
            following = self._waiting[0] if self._waiting else None
            if key.is_forwarded and not (_writes(key, target) and _writes(following, target)):
                self._sent, self._sent_to = key, id(screen)
                target.post_message(KeyHandled(key))
                self._look_after(key, target, until=monotonic() + _STUCK)
            elif self.screen is not screen:
                self._send_soon()
                return

    def _next_for(self, target: DOMNode) -> events.Key:
        """The next key, with the letters that follow it where a box takes any: a box does with each
        key what it does with all of them, and draws the first before the last came.
        """
        key = self._waiting.popleft()
        takes_any = isinstance(target, Input) and not (target.restrict or target.max_length)
        if not takes_any or not _writes(key, target):
            return key
        text = key.character or ""
        while self._waiting and _writes(self._waiting[0], target):
            text += self._waiting.popleft().character or ""
        return events.Key(key.key, text)

    def _send_soon(self) -> None:
        """Hand out the next key once the screen is drawn, in a turn of the app's: what is sent in
        one of the screen's bubbles no further than the screen, and the app must hear of it.
        """
        self.screen.call_after_refresh(self.call_next, self._send)

    def hold_keys(self, *, for_screen: bool = True, however_long: bool = False) -> LetGo:
        """Keep keys back for a screen that is being prepared, or for what they act on to be shown
        as it now is; gives what lets them go again. Who holds them last does.

        Where a screen was to come and did not, or not soon, they are dropped: they were meant for
        none that is there. Where none was to come, they are kept; `however_long` that takes, since
        they would act on what is going.
        """
        hold, screen = object(), self.screen
        self._hold = hold

        def let_go(expected: bool = for_screen) -> None:
            if self._hold is hold:
                self._hold = None
                if expected and self.screen is screen:
                    self._waiting.clear()
                self._send_soon()

        if not however_long:
            self.set_timer(_HELD, let_go)
        return let_go

    def let_see(self) -> None:
        """Drop what is typed until one can have seen the screen that is there now: it came so late
        that this was not meant for it.
        """
        hold = self._hold = object()

        def let_go() -> None:
            if self._hold is hold:
                self._hold = None
                self._waiting.clear()

        self.set_timer(_GLANCE, let_go)

    def _look_after(self, key: events.Key, target: DOMNode, until: float) -> None:
        """Go on where the widget that was to deal with the key is gone; a slow one is waited for,
        or keys that were typed ahead would land where they were not meant to."""

        def look() -> None:
            if target.is_attached and monotonic() < until:
                self._look_after(key, target, until)
            else:
                self._done(key)

        if key is self._sent:
            self.set_timer(_PATIENCE, look)

    def on_key_handled(self, message: KeyHandled) -> None:
        """The key was dealt with; what its action asked of the app comes first."""
        if self.screen_stack:
            self.screen.call_later(self.call_later, self._done, message.key)

    def _done(self, key: events.Key) -> None:
        """Go on with the next key, once a screen that this one opened can take it."""
        if key is not self._sent or not self.screen_stack:
            return
        self._sent = None
        if id(self.screen) == self._sent_to:
            self.call_next(self._send)
        else:
            self._send_soon()


def _writes(key: events.Key | None, target: DOMNode) -> bool:
    """Whether a key only puts a letter into what has the focus."""
    return key is not None and target.check_consume_key(key.key, key.character)
