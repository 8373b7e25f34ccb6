"""Running the application with uvicorn, on this machine's own address alone."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import stat
from collections.abc import Callable, Mapping
from hmac import compare_digest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from store.errors import InvalidSetting, Unreadable
from store.platform.bounds import read_regular

if TYPE_CHECKING:
    from types import FrameType

    import uvicorn
    from starlette.types import ASGIApp

    from memtui.serve.http.app import Endpoint
    from memtui.serve.http.metrics import Metrics

SHORTEST = 20
"""Characters of a token at least: shorter ones can be guessed."""
_LINE = re.compile(rf"(\*|[A-Za-z0-9._-]{{1,64}})[ \t]+([!-~]{{{SHORTEST},500}})")


def read_tokens(path: Path) -> Mapping[str, str]:
    """Return the agent of each token: a file with a line `AGENT TOKEN` each, `*` for any agent.

    Raises `Unreadable` for a file that others can read, is a link, or holds anything else.
    """
    try:
        mode = os.lstat(path).st_mode
        if not stat.S_ISREG(mode):
            raise Unreadable(f"{path} is not a regular file.", "Give the file itself, not a link.")
        if mode & 0o077:
            raise Unreadable(f"{path} can be read by others.", f"Run `chmod 600 {path}`.")
        text = read_regular(path).decode()
    except OSError as error:
        raise Unreadable(f"{path} can't be read: {error.strerror}.", "Check the path.") from error
    except UnicodeDecodeError as error:
        raise Unreadable(f"{path} is not UTF-8 text.", "Save it as UTF-8.") from error
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise Unreadable(
                f"Line {number} of {path} is not `AGENT TOKEN`.",
                f"Write an agent, a space and a token of at least {SHORTEST} characters.",
            )
        found[match.group(2)] = match.group(1)
    if not found:
        raise Unreadable(f"{path} has no token.", "Write a line `AGENT TOKEN` for each agent.")
    return found


def agent_of(header: str, tokens: Mapping[str, str]) -> str:
    """Return the agent whose token an `Authorization` header has; empty for none.

    Every token is compared, each in constant time.
    """
    scheme, _, given = header.partition(" ")
    candidate = given.strip().encode("utf-8", "replace")
    found = ""
    for token, agent in tokens.items():
        if compare_digest(token.encode(), candidate):
            found = agent
    return found if scheme.lower() == "bearer" else ""


_ADDRESS = re.compile(r"(?:(127\.0\.0\.1|localhost|\[::1\]):)?(\d{1,5})")
_MOST_OF_HEADERS = 16_384
"""Bytes of a request's headers that may wait for the rest of them."""
WAITING = 256
"""Requests that may wait; beyond them a caller is told to come later."""
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
    # These need packages of the extra `http`.
    from memtui.serve.http.app import application
    from memtui.serve.http.metrics import Metrics

    metrics = Metrics()
    endpoint = make_endpoint(metrics)
    app = application(endpoint, tokens, metrics)
    _run(where, app, lambda url: on_start(f"{url}{endpoint.path}"))


def _run(address: Address, app: ASGIApp, on_start: Callable[[str], None]) -> None:
    import uvicorn

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
    import uvicorn

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
    """Return the tokens of a file. Raises `InvalidSetting` where none is named."""
    if path is None:
        raise InvalidSetting(
            "HTTP needs tokens.", "Give --tokens FILE, with one line `AGENT TOKEN` for each agent."
        )
    return read_tokens(path)
