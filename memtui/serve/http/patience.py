"""How long a connection may take to ask, and who goes where too many are open.

uvicorn bounds how long a connection rests after an answer, and how many there are; not how long it
takes to ask, so that some hundred half-sent requests would keep everybody else out.
"""

from __future__ import annotations

import asyncio
import re

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADERS_WITHIN = 10.0
"""Seconds from which on a connection that has not sent all of its request's headers is closed, and
one that still sends a message that was answered already."""
HEADERS_MOST = 16_384
"""Bytes that the headers of a request may have, its first line among them."""
_TOO_LONG = b"The headers are longer than %d bytes.\n" % HEADERS_MOST
_HEADERS_END = re.compile(rb"\n\r?\n")
_ANSWERING = (h11.SEND_RESPONSE, h11.SEND_BODY)


class Patient(H11Protocol):
    """A connection that has its time to ask.

    Where there are too many, the one that took longest over its first request makes room; where
    all have asked, the one that rested longest. Those that are being answered stay.
    """

    _timer: asyncio.TimerHandle | None = None
    _since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Make room, and wait for the headers."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._make_room()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._unwatch()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take more of a request."""
        super().data_received(data)
        self._watch()

    def handle_events(self) -> None:
        """Read on; headers that are too long are refused unread.

        h11 bounds those that are not whole yet: what comes at once may be four times as long.
        """
        if self.conn.their_state is h11.IDLE:
            begun, _ = self.conn.trailing_data
            found = _HEADERS_END.search(begun)
            if (found.end() if found else len(begun)) > HEADERS_MOST:
                self._refuse_headers()
                return
        super().handle_events()

    def on_response_complete(self) -> None:
        """Rest, or take the rest of a message that was answered before it was there."""
        super().on_response_complete()
        self._since = self.loop.time()
        if self.conn.their_state is not h11.IDLE:
            self._watch()

    def _watch(self) -> None:
        """Close in time unless it is being answered; what comes meanwhile gives no more time."""
        if self._is_answering or self.transport.is_closing():
            self._unwatch()
        elif self._timer is None:
            self._timer = self.loop.call_later(HEADERS_WITHIN, self.transport.abort)

    def _unwatch(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def _is_answering(self) -> bool:
        return self.conn.our_state in _ANSWERING

    def _refuse_headers(self) -> None:
        headers = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", b"%d" % len(_TOO_LONG)),
            (b"connection", b"close"),
        ]
        reason = b"Request Header Fields Too Large"
        answer = h11.Response(status_code=431, headers=headers, reason=reason)
        for event in (answer, h11.Data(data=_TOO_LONG), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _make_room(self) -> None:
        most = self.limit_concurrency
        if most is None or len(self.connections) < most:
            return
        others = (it for it in self.connections if isinstance(it, Patient) and it is not self)
        waiting = [it for it in others if not it._is_answering]
        if waiting:
            oldest = min(waiting, key=lambda it: (it.cycle is not None, it._since))
            # uvicorn counts it until the system has closed it.
            self.connections.discard(oldest)
            oldest.transport.abort()
