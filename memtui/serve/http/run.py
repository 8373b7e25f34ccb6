"""Running the application with uvicorn, on this machine's own address alone."""

from __future__ import annotations

import importlib.util
import re
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from store.errors import InvalidSetting, Unreadable

if TYPE_CHECKING:
    from types import FrameType

    import uvicorn
    from starlette.types import ASGIApp


_ADDRESS = re.compile(r"(?:(127\.0\.0\.1|localhost|\[::1\]):)?(\d{1,5})")
_MOST_OF_HEADERS = 16_384
"""Bytes of a request's headers that may wait for the rest of them."""
_NEEDED = ("starlette", "uvicorn", "prometheus_client", "anyio")


class Address(NamedTuple):
    """The address to listen on."""

    host: str
    port: int


def address_of(text: str) -> Address:
    """The address that a text names: `127.0.0.1:8765`, or a port. Raises `InvalidSetting`."""
    match = _ADDRESS.fullmatch(text)
    if match is None or int(match.group(2)) > 65_535:
        raise InvalidSetting(
            f"{text[:80]} is not an address.",
            "Use 127.0.0.1:PORT; only this machine can connect.",
        )
    return Address((match.group(1) or "127.0.0.1").strip("[]"), int(match.group(2)))


def check_installed() -> None:
    """Raise `Unreadable` where what HTTP needs is not installed."""
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise Unreadable(
            f"HTTP needs {', '.join(missing)}.", "Install them with `pip install 'memtui[http]'`."
        )


def run(address: Address, app: ASGIApp, on_start: Callable[[str], None]) -> None:
    """Serve until interrupted. `on_start` is told the URL once the port is ours.

    Raises `Unreadable` where the port can't be had.
    """
    import uvicorn

    from memtui.serve.http.app import WAITING

    config = configured(app, *address)
    try:
        socket = config.bind_socket()
    except SystemExit as error:
        raise Unreadable(
            f"Can't listen on port {address.port}.",
            "Another program may be using it; choose another port.",
        ) from error
    socket.listen(WAITING)  # who connects before the first accept waits
    host, port = socket.getsockname()[:2]
    signal.signal(signal.SIGTERM, _end)
    on_start(f"http://{f'[{host}]' if ':' in host else host}:{port}")
    uvicorn.Server(config).run(sockets=[socket])


def configured(app: ASGIApp, host: str, port: int) -> uvicorn.Config:
    """Settings of uvicorn for an application."""
    import uvicorn

    from memtui.serve.http.app import WAITING

    return uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="error",
        access_log=False,
        server_header=False,
        http="h11",
        ws="none",
        h11_max_incomplete_event_size=_MOST_OF_HEADERS,
        limit_concurrency=WAITING * 2,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=5,
        loop="asyncio",
        lifespan="off",
    )


def _end(number: int, frame: FrameType | None) -> NoReturn:
    """End with what there is to be closed: uvicorn raises the signal again when it has stopped."""
    raise SystemExit(0)


def tokens_of(path: Path | None) -> Mapping[str, str]:
    """The tokens of a file. Raises `InvalidSetting` where none is named."""
    from memtui.serve.http.tokens import read_tokens

    if path is None:
        raise InvalidSetting(
            "HTTP needs tokens.", "Give --tokens FILE, with one line `AGENT TOKEN` for each agent."
        )
    return read_tokens(path)
