"""The HTTP application: who may ask, how much at once, and where it goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from threading import Lock
from time import monotonic
from urllib.parse import urlsplit

from anyio import CapacityLimiter, fail_after, to_thread
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from memtui.serve.http.metrics import Metrics
from memtui.serve.http.run import ANY_AGENT, WAITING, agent_of
from memtui.serve.jsonrpc import MAX_MESSAGE

RATE = 200.0
"""Requests a second that a token may send on average: twice what the server is measured at."""
BURST = 400.0
"""Requests that it may send at once."""


class RateLimit:
    """A bucket for each caller, filled at `rate` a second up to `burst`."""

    def __init__(
        self, clock: Callable[[], float], rate: float = RATE, burst: float = BURST
    ) -> None:
        self._clock = clock
        self._rate, self._burst = rate, burst
        self._buckets: dict[str, tuple[float, float]] = {}
        self._lock = Lock()

    def allows(self, caller: str) -> bool:
        now = self._clock()
        with self._lock:
            left, since = self._buckets.get(caller, (self._burst, now))
            left = min(self._burst, left + (now - since) * self._rate)
            allowed = left >= 1
            self._buckets[caller] = (left - 1 if allowed else left, now)
            return allowed


AT_ONCE = 8
"""Requests that work on memory at once; the others wait. More of them only wait for each other:
one interpreter does the work."""
SHARE = WAITING // 4
"""Requests of one token that may arrive, wait and be worked on at once: the others' places stay."""
ARRIVES_WITHIN = 30.0
"""Seconds within which a message must be there, once its headers are."""
HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
"""The names under which the server may be asked for, so that no page of a browser reaches it by
a name that leads here."""
Answer = Callable[[bytes, str], bytes]
"""What a message is answered with, from the caller's agent; empty for none."""
Name = Callable[[Mapping[str, str], str], str]
"""Whom a message is answered as, by its headers and the caller's agent."""
Sign = Callable[[bytes], Mapping[str, str]]
"""The headers of an answer, by the message."""
Refuse = Callable[[Mapping[str, str]], bytes]
"""What a request is refused with for its headers; empty where it may come in."""
_JSON = "application/json"


def application(
    answers: Mapping[str, Answer],
    tokens: Mapping[str, str],
    metrics: Metrics,
    *,
    clock: Callable[[], float] = monotonic,
    refuse: Refuse = lambda headers: b"",
    name: Name = lambda headers, agent: agent,
    sign: Sign = lambda message: {},
) -> Starlette:
    """Return the application: a route for each of `answers`, `/metrics` and `/healthz`."""
    gate = _Gate(tokens, RateLimit(clock), refuse, name, sign)

    async def health(request: Request) -> Response:
        return gate.foreign(request) or PlainTextResponse("ok\n")

    async def measured(request: Request) -> Response:
        if refused := gate.refused(request):
            return refused
        if gate.agent(request) != ANY_AGENT:  # they name all agents
            return PlainTextResponse("Metrics need the token of `*`.\n", 403)
        return Response(metrics.text(), media_type="text/plain; version=0.0.4")

    routes = [
        Route("/healthz", health, methods=["GET"]),
        Route("/metrics", measured, methods=["GET"]),
        *(Route(path, _route(gate, answer), methods=["POST"]) for path, answer in answers.items()),
    ]
    return Starlette(routes=routes)


class _Gate:
    """The check of tokens at the door."""

    def __init__(
        self,
        tokens: Mapping[str, str],
        rate: RateLimit,
        refuse: Refuse,
        name: Name,
        sign: Sign,
    ) -> None:
        self.name, self.sign = name, sign
        self.places: Counter[str] = Counter()
        self._tokens = tokens
        self._rate = rate
        self._refuse = refuse
        self.at_once = CapacityLimiter(AT_ONCE)
        self.waiting = 0

    def foreign(self, request: Request) -> Response | None:
        """Return a refusal for a request that is not meant for this machine's own server."""
        origin = request.headers.get("origin")
        if _host(f"//{request.headers.get('host', '')}") not in HOSTS:
            return PlainTextResponse("Unknown host.\n", 421)
        if origin is not None and _host(origin) not in HOSTS:
            return PlainTextResponse("Unknown origin.\n", 403)
        return None

    def refused(self, request: Request) -> Response | None:
        """Return a refusal for a request without a token, or of one that asks too much."""
        if foreign := self.foreign(request):
            return foreign
        agent = self.agent(request)
        if not agent:
            return PlainTextResponse(
                "A token is missing or wrong.\n", 401, {"WWW-Authenticate": "Bearer"}
            )
        if not self._rate.allows(agent) or self.waiting >= WAITING:
            return PlainTextResponse("Too many requests.\n", 429, {"Retry-After": "1"})
        told = self._refuse(request.headers)
        return Response(told, 400, media_type=_JSON) if told else None

    def agent(self, request: Request) -> str:
        return agent_of(request.headers.get("authorization", ""), self._tokens)


def _host(url: str) -> str:
    """Return the host that a URL names; empty for one that is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _route(gate: _Gate, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
    async def answered(request: Request) -> Response:
        if refused := gate.refused(request):
            return refused
        agent = gate.agent(request)
        if gate.places[agent] >= SHARE:
            return PlainTextResponse(
                "Too many requests of this token at once.\n",
                429,
                {"Retry-After": "1", "Connection": "close"},
            )
        gate.places[agent] += 1
        try:
            return await _answered(gate, answer, request, agent)
        finally:
            gate.places[agent] -= 1

    return answered


async def _answered(gate: _Gate, answer: Answer, request: Request, agent: str) -> Response:
    try:
        with fail_after(ARRIVES_WITHIN):
            body = await _body(request)
    except ClientDisconnect:
        return Response(status_code=400)
    except TimeoutError:
        said = f"The message did not come whole within {ARRIVES_WITHIN:g} seconds.\n"
        return PlainTextResponse(said, 408, {"Connection": "close"})
    if body is None:
        return PlainTextResponse(f"The message is longer than {MAX_MESSAGE:,} bytes.\n", 413)
    gate.waiting += 1
    try:
        name = gate.name(request.headers, agent)
        told = await to_thread.run_sync(answer, body, name, limiter=gate.at_once)
    finally:
        gate.waiting -= 1
    if not told:
        return Response(status_code=202)
    return Response(told, media_type=_JSON, headers=dict(gate.sign(body)))


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
