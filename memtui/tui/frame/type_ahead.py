"""Keys in order: each is dealt with before the next one is looked at.

Textual hands a key to whatever has the focus when it arrives. Keys that come in a burst (`/` and
then a word) would all go to the list, because the search box gets the focus only later. Therefore:

1. The app queues each key, hands the first to what has the focus, and posts `KeyHandled` after it.
2. That message goes up to the app as the key did, so that the key's action was run by then. The
   next key follows, after a screen that was opened meanwhile is drawn.
3. Whoever prepares what keys act on has them wait: `with keys_held(screen): …` in a worker, or
   `held = app.keys_held()` until `held.release()`.
"""

from __future__ import annotations

from collections import deque
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice
from time import monotonic
from typing import Any

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input

KeysHeld = AbstractContextManager[None]
"""Keys wait until it is left, see `keys_held`."""
NOT_HELD: KeysHeld = nullcontext()
_PATIENCE = 0.3
"""Seconds after which a key whose widget is gone counts as dealt with."""
_STUCK = 5.0
"""Seconds after which the next key is let through to what takes that long."""
_HELD = 2.0
"""Seconds that keys wait at most for a screen that is being prepared."""
_REPEATS = 30
"""The same key in a row, and…"""
_MOST = 100
"""…any keys that may wait: beyond them they come faster than they can be dealt with."""
_GLANCE = 0.5
"""Seconds without a key after which one is meant for the screen that is there."""


class Held:
    """Keys that wait until it is left or released, unless others have them wait by then."""

    def __init__(self, app: TypeAhead, *, until_screen: bool, however_long: bool) -> None:
        self._app = app
        self._screen = app.screen if until_screen else None
        if not however_long:
            app.set_timer(_HELD, self.release)

    def __enter__(self) -> None:
        """Do nothing: they wait since it was made."""

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self, *, keep: bool = False) -> None:
        """Hand them out. Where a screen was to come and did not, they were meant for none there is
        and are dropped, unless they are to be kept.
        """
        self._app.release_keys(self, meant_for=None if keep else self._screen)


@dataclass
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
    def are_keys_handled(self) -> bool:
        return not self._waiting and self._sent is None and self._hold is None

    async def on_event(self, event: events.Event) -> None:
        """Let keys queue, everything else pass; but for a key that comes up from a screen on which
        another was opened meanwhile: it was not meant for the keys of that one."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            if self._hold is not None and self._is_to_quit(event.key):
                await super().on_event(event)
                return
            if not self._should_wait(event):
                return
            self._waiting.append(event)
            if not self._gathering:
                self._gathering = True
                self.call_later(self._gathered)
        elif event is not self._sent or id(self.screen) == self._sent_to:
            await super().on_event(event)

    def _is_to_quit(self, key: str) -> bool:
        """True for the key that quits from anywhere and for Ctrl+C, which names it."""
        # Not of the screen that is shown: a window has its own keys alone.
        active = self.screen_stack[0].active_bindings.get(key)
        quits = active is not None and active.binding.priority and active.binding.action == "quit"
        return quits or key == "ctrl+c"

    def _should_wait(self, key: events.Key) -> bool:
        """True if a key is to wait. A key that is held down, and any where very many wait, is let
        go: it would act long after it was let loose. Letters for a box are all taken.
        """
        if _is_typed(key, self.focused or self.screen):
            return True
        last = list(islice(reversed(self._waiting), _REPEATS))
        is_held = len(last) == _REPEATS and all(waiting.key == key.key for waiting in last)
        return not is_held and len(self._waiting) < _MOST

    async def _gathered(self) -> None:
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
            if key.is_forwarded and not (_is_typed(key, target) and _is_typed(following, target)):
                self._sent, self._sent_to = key, id(screen)
                target.post_message(KeyHandled(key))
                self._look_after(key, target, until=monotonic() + _STUCK)
            elif self.screen is not screen:
                self._send_soon()
                return

    def _next_for(self, target: DOMNode) -> events.Key:
        """Return the next key, with the letters that follow it where a box takes any: a box does
        with each key what it does with all of them, and draws the first before the last came.
        """
        key = self._waiting.popleft()
        takes_any = isinstance(target, Input) and not (target.restrict or target.max_length)
        if not takes_any or not _is_typed(key, target):
            return key
        text = key.character or ""
        while self._waiting and _is_typed(self._waiting[0], target):
            text += self._waiting.popleft().character or ""
        return events.Key(key.key, text)

    def _send_soon(self) -> None:
        """Hand out the next key once the screen is drawn, in a turn of the app's: what is sent in
        one of the screen's bubbles no further than the screen, and the app must hear of it.
        """
        self.screen.call_after_refresh(self.call_next, self._send)

    def keys_held(self, *, until_screen: bool = False, however_long: bool = False) -> Held:
        """Have keys wait from now on while what they act on is prepared.

        Only who did so last ends that. It ends by itself after a while, unless they are to wait
        `however_long` it takes. `until_screen`: they are meant for a screen that is to come, and
        dropped where it does not.
        """
        self._hold = held = Held(self, until_screen=until_screen, however_long=however_long)
        return held

    def release_keys(self, held: Held, *, meant_for: Screen[Any] | None) -> None:
        """Hand out what waits for `held`, or drop it where the screen is still the one given."""
        if self._hold is held and self.screen_stack:
            self._hold = None
            if self.screen is meant_for:
                self._waiting.clear()
            self._send_soon()

    def ignore_keys_briefly(self) -> None:
        """Drop what is typed until nothing was for a moment: it was not meant for the screen that
        is there now, as where that came late.
        """
        hold = self._hold = object()

        def attend() -> None:
            if self._hold is hold and self._waiting:
                self._waiting.clear()
                self.set_timer(_GLANCE, attend)
            elif self._hold is hold:
                self._hold = None

        self.set_timer(_GLANCE, attend)

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


def _is_typed(key: events.Key | None, target: DOMNode) -> bool:
    """True if a key only puts a letter into what has the focus."""
    return key is not None and target.check_consume_key(key.key, key.character)


def keys_held(screen: Screen[Any]) -> KeysHeld:
    """Have keys wait for a screen that is read again; those for another one above it don't wait."""
    app = screen.app
    return app.keys_held() if screen.is_current and isinstance(app, TypeAhead) else NOT_HELD
