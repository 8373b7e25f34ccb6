"""Serving an endpoint with uvicorn, on this machine's own address alone."""

from __future__ import annotations

import importlib.util
import re
import signal
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from memtui.serve.http.endpoint import Endpoint
from store.errors import InvalidSetting, Unreadable

if TYPE_CHECKING:  # needs a package of the extra `http`
    from memtui.serve.http.metrics import Metrics

_ADDRESS = re.compile(r"(?:(127\.0\.0\.1|localhost|\[::1\]):)?(\d{1,5})")
_MOST_OF_HEADERS = 16_384
"""Bytes of a request's headers that may wait for the rest of them."""
_NEEDED = ("starlette", "uvicorn", "prometheus_client", "anyio")


class Address(NamedTuple):
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


def serve(
    make_endpoint: Callable[[Metrics], Endpoint],
    address: str,
    tokens: Mapping[str, str],
    on_start: Callable[[str], None],
) -> None:
    """Serve an endpoint until interrupted. `on_start` gets its URL once the port is ours.

    Raises `InvalidSetting` for an address elsewhere, `Unreadable` where a package is missing or the
    port can't be had.
    """
    where = address_of(address)
    if missing := [name for name in _NEEDED if importlib.util.find_spec(name) is None]:
        raise Unreadable(
            f"HTTP needs {', '.join(missing)}.", "Install them with `pip install 'memtui[http]'`."
        )
    import uvicorn  # an extra

    from memtui.serve.http.app import WAITING, application
    from memtui.serve.http.metrics import Metrics

    metrics = Metrics()
    endpoint = make_endpoint(metrics)
    config = uvicorn.Config(
        application(endpoint, tokens, metrics),
        host=where.host,
        port=where.port,
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
    try:
        socket = config.bind_socket()
    except SystemExit as error:
        raise Unreadable(
            f"Can't listen on port {where.port}.",
            "Another program may be using it; choose another port.",
        ) from error
    socket.listen(WAITING)  # who connects before the first accept waits
    host, port = socket.getsockname()[:2]
    signal.signal(signal.SIGTERM, _end)
    on_start(f"http://{f'[{host}]' if ':' in host else host}:{port}{endpoint.path}")
    uvicorn.Server(config).run(sockets=[socket])


def _end(number: int, frame: object) -> NoReturn:
    """End with what there is to be closed: uvicorn raises the signal again when it has stopped."""
    raise SystemExit(0)
