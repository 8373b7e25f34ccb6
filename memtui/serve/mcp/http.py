"""`memtui mcp --http`: the protocol over HTTP, one message a request, without sessions."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

from memtui import __version__
from memtui.serve.http.run import ANY_AGENT, address_of, check_installed, run, tokens_of
from memtui.serve.jsonrpc import RpcError, encode, failure, parse
from memtui.serve.mcp.server import HANDSHAKE, NOBODY, STATELESS, Server, client_name, unsupported
from memtui.serve.mcp.stdio import check_place, opened
from store.backends import Location

PATH = "/mcp"
_REVISION = "mcp-protocol-version"
_SESSION = "mcp-session-id"


def serve_http(
    folder: Location | None, address: str, tokens: Path | None, tell: Callable[[str], None]
) -> None:
    """Answer until interrupted. Without a file of tokens, one is made for this run and told.

    Raises `InvalidSetting`, `NoMemory`, `Unreadable`.
    """
    check_place(folder)
    where = address_of(address)
    check_installed()
    own = secrets.token_urlsafe(24)
    allowed = {own: "*"} if tokens is None else tokens_of(tokens)
    # These need packages of the extra `http`.
    from memtui.serve.http.app import application
    from memtui.serve.http.metrics import Metrics

    server = Server(lambda: opened(folder), __version__)

    def record_start(url: str) -> None:
        tell(f"Serving at {url}{PATH}.")
        if tokens is None:
            tell(f"Send the header `Authorization: Bearer {own}`.")

    try:
        answers = {PATH: server.answer}
        app = application(answers, allowed, Metrics(), refuse=refuse, name=client, sign=session)
        run(where, app, record_start)
    finally:
        server.close()


def client(headers: Mapping[str, str], agent: str) -> str:
    """Client of a call: the token's agent; of a token for all, the session's first."""
    if agent != ANY_AGENT:
        return agent
    return client_name(headers.get(_SESSION, "").rpartition(".")[0]) or NOBODY


def session(message: bytes) -> Mapping[str, str]:
    """Return the header that names the session which a message begins: nothing is kept of it here,
    each request of the session brings it along.
    """
    if b'"initialize"' not in message:
        return {}
    try:
        request = parse(message)
    except RpcError:
        return {}
    info = request.params.get("clientInfo") if request and request.method == "initialize" else None
    name = client_name(info.get("name")) if isinstance(info, dict) else ""
    return {_SESSION: f"{name}.{secrets.token_hex(8)}"} if name else {}


def refuse(headers: Mapping[str, str]) -> bytes:
    """The error for a request whose header names no revision that is served; else nothing."""
    asked = headers.get(_REVISION)
    if asked is None or asked == STATELESS or asked in HANDSHAKE:
        return b""
    return encode(failure(None, unsupported(asked, STATELESS, *HANDSHAKE)))
