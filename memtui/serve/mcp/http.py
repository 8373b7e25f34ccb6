"""`memtui mcp --http`: the protocol over HTTP, one message a request, without sessions."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

from memtui import __version__
from memtui.serve.http.endpoint import Reply
from memtui.serve.http.run import serve
from memtui.serve.http.tokens import tokens_of
from memtui.serve.jsonrpc import RpcError, encode, failure, parse
from memtui.serve.mcp.revisions import HANDSHAKE, STATELESS, unsupported
from memtui.serve.mcp.server import NOBODY, Server, client_name
from memtui.serve.server import ANY_AGENT, check_place, open_served
from store.backends import Location

_REVISION = "mcp-protocol-version"
_SESSION = "mcp-session-id"


def serve_http(
    folder: Location | None, address: str, tokens: Path | None, tell: Callable[[str], None]
) -> None:
    """Answer until interrupted. Without a file of tokens, make one token for this run and show it.

    Raises `InvalidSetting`, `NoMemory`, `Unreadable`.
    """
    check_place(folder)
    own = secrets.token_urlsafe(24)
    allowed = {own: ANY_AGENT} if tokens is None else tokens_of(tokens)

    def on_start(url: str) -> None:
        tell(f"Serving at {url}.")
        if tokens is None:
            tell(f"Send the header `Authorization: Bearer {own}`.")

    server = Server(lambda: open_served(folder), __version__)
    try:
        serve(lambda metrics: McpEndpoint(server), address, allowed, on_start)
    finally:
        server.close()


class McpEndpoint:
    """Answers requests. Nothing is kept of a session: each of its requests brings its name along,
    in the header that the answer to `initialize` had.
    """

    path = "/mcp"

    def __init__(self, server: Server) -> None:
        self._server = server

    def refusal(self, headers: Mapping[str, str]) -> bytes:
        """Return the error for a header that names no revision that is served; else nothing."""
        asked = headers.get(_REVISION)
        if asked is None or asked == STATELESS or asked in HANDSHAKE:
            return b""
        return encode(failure(None, unsupported(asked, STATELESS, *HANDSHAKE)))

    def answer(self, message: bytes, agent: str, headers: Mapping[str, str]) -> Reply:
        """Answer a message as its token's agent; with a token for all, as the session's client."""
        if agent == ANY_AGENT:
            agent = client_name(headers.get(_SESSION, "").rpartition(".")[0]) or NOBODY
        return Reply(self._server.answer(message, agent), _session_header(message))


def _session_header(message: bytes) -> Mapping[str, str]:
    """Return the header that names the session which a message begins, where it begins one."""
    if b'"initialize"' not in message:
        return {}
    try:
        request = parse(message)
    except RpcError:
        return {}
    info = request.params.get("clientInfo") if request and request.method == "initialize" else None
    name = client_name(info.get("name")) if isinstance(info, dict) else ""
    return {_SESSION: f"{name}.{secrets.token_hex(8)}"} if name else {}
