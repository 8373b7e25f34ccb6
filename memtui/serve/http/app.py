"""The HTTP application: who may ask, how much at once, and where it goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from time import monotonic
from urllib.parse import urlsplit

from anyio import CapacityLimiter, fail_after, to_thread
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from memtui.serve.http.endpoint import Endpoint
from memtui.serve.http.metrics import Metrics
from memtui.serve.http.rate_limit import RateLimit
from memtui.serve.http.tokens import agent_of
from memtui.serve.jsonrpc import MAX_MESSAGE
from memtui.serve.server import ANY_AGENT

AT_ONCE = 8
"""Requests that work on memory at once; the others wait. More of them only wait for each other:
one interpreter does the work."""
WAITING = 256
"""Requests that may wait; beyond them the answer is 429."""
SHARE = WAITING // 4
"""Requests of one token that may arrive, wait and be worked on at once: the others' places stay."""
ARRIVES_WITHIN = 30.0
"""Seconds within which a message must be there, once its headers are."""
HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
"""The names under which the server may be asked for, so that no page of a browser reaches it by
a name that leads here."""
_TOO_MANY = {"Retry-After": "1"}
_JSON = "application/json"


def application(
    endpoint: Endpoint,
    tokens: Mapping[str, str],
    metrics: Metrics,
    *,
    clock: Callable[[], float] = monotonic,
) -> Starlette:
    """Return the application: the endpoint, `/metrics` and `/healthz`."""
    gate = _Gate(endpoint, tokens, metrics, RateLimit(clock))
    return Starlette(
        routes=[
            Route("/healthz", gate.health, methods=["GET"]),
            Route("/metrics", gate.measures, methods=["GET"]),
            Route(endpoint.path, gate.answer, methods=["POST"]),
        ]
    )


class _Gate:
    """The routes, each behind the check of its token."""

    def __init__(
        self, endpoint: Endpoint, tokens: Mapping[str, str], metrics: Metrics, rate: RateLimit
    ) -> None:
        self._endpoint = endpoint
        self._tokens = tokens
        self._metrics = metrics
        self._rate = rate
        self._at_once = CapacityLimiter(AT_ONCE)
        self._waiting = 0
        self._places: Counter[str] = Counter()

    async def health(self, request: Request) -> Response:
        return _foreign(request) or PlainTextResponse("ok\n")

    async def measures(self, request: Request) -> Response:
        if refused := self._refused(request):
            return refused
        if self._agent(request) != ANY_AGENT:  # they name all agents
            return PlainTextResponse("Metrics need the token of `*`.\n", 403)
        return Response(self._metrics.text(), media_type="text/plain; version=0.0.4")

    async def answer(self, request: Request) -> Response:
        if refused := self._refused(request):
            return refused
        agent = self._agent(request)
        if self._places[agent] >= SHARE:
            headers = {**_TOO_MANY, "Connection": "close"}
            return PlainTextResponse("Too many requests of this token at once.\n", 429, headers)
        self._places[agent] += 1
        try:
            return await self._answered(request, agent)
        finally:
            self._places[agent] -= 1

    async def _answered(self, request: Request, agent: str) -> Response:
        try:
            with fail_after(ARRIVES_WITHIN):
                body = await _body(request)
        except ClientDisconnect:
            return Response(status_code=400)
        except TimeoutError:
            late = f"The message did not come whole within {ARRIVES_WITHIN:g} seconds.\n"
            return PlainTextResponse(late, 408, {"Connection": "close"})
        if body is None:
            return PlainTextResponse(f"The message is longer than {MAX_MESSAGE:,} bytes.\n", 413)
        self._waiting += 1
        try:
            reply = await to_thread.run_sync(
                self._endpoint.answer, body, agent, request.headers, limiter=self._at_once
            )
        finally:
            self._waiting -= 1
        if not reply.body:
            return Response(status_code=202)
        return Response(reply.body, media_type=_JSON, headers=dict(reply.headers))

    def _refused(self, request: Request) -> Response | None:
        """Return a refusal for a request without a token, or of one that asks too much."""
        if foreign := _foreign(request):
            return foreign
        agent = self._agent(request)
        if not agent:
            headers = {"WWW-Authenticate": "Bearer"}
            return PlainTextResponse("A token is missing or wrong.\n", 401, headers)
        if not self._rate.allows(agent) or self._waiting >= WAITING:
            return PlainTextResponse("Too many requests.\n", 429, _TOO_MANY)
        refusal = self._endpoint.refusal(request.headers)
        return Response(refusal, 400, media_type=_JSON) if refusal else None

    def _agent(self, request: Request) -> str:
        return agent_of(request.headers.get("authorization", ""), self._tokens)


def _foreign(request: Request) -> Response | None:
    """Return a refusal for a request that is not meant for this machine's own server."""
    origin = request.headers.get("origin")
    if _host(f"//{request.headers.get('host', '')}") not in HOSTS:
        return PlainTextResponse("Unknown host.\n", 421)
    if origin is not None and _host(origin) not in HOSTS:
        return PlainTextResponse("Unknown origin.\n", 403)
    return None


def _host(url: str) -> str:
    """Return the host that a URL names; empty for one that is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


async def _body(request: Request) -> bytes | None:
    """Return the message; None for one that is too long, of which no more is read."""
    parts = []
    room = MAX_MESSAGE
    async for part in request.stream():
        room -= len(part)
        if room < 0:
            return None
        parts.append(part)
    return b"".join(parts)
