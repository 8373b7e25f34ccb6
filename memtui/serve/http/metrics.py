"""Metrics of the server, as Prometheus reads them (evolving memory, monitoring)."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)
_READS = {"memory.retrieve": "retrieve", "memory.get_context": "context"}
_QUERIES = {
    "memory.retrieve": "search",
    "memory.get_context": "search",
    "memory.stats": "search",
    "memory.store": "insert",
    "memory.update": "update",
    "memory.delete": "delete",
    "memory.prune": "delete",
}


_MOST_AGENTS = 1_000
"""Agents that are measured apart: whoever may ask as any agent must not fill the memory."""
OTHERS = "other"
"""Stands for those beyond."""


class Metrics:
    """The blueprint's measures of one server. Times are in seconds."""

    def __init__(self) -> None:
        self._agents: set[str] = set()
        self._registry = CollectorRegistry()
        self._retrieval = Histogram(
            "memory_retrieval_latency_seconds",
            "Time to retrieve memories",
            ["agent_id", "memory_type"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._encoding = Histogram(
            "memory_encoding_latency_seconds",
            "Time to encode and store an interaction",
            ["agent_id"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._query = Histogram(
            "memory_database_query_duration_seconds",
            "Time of a request's work on memory",
            ["query_type"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._errors = Counter(
            "memory_errors_total",
            "Requests that failed, by their code",
            ["code"],
            registry=self._registry,
        )

    def answered(self, method: str, agent: str, memory_type: str, seconds: float) -> None:
        agent = self._measured(agent)
        if method in _READS:
            self._retrieval.labels(agent, memory_type or _READS[method]).observe(seconds)
        elif method == "memory.store":
            self._encoding.labels(agent).observe(seconds)
        if method in _QUERIES:
            self._query.labels(_QUERIES[method]).observe(seconds)

    def _measured(self, agent: str) -> str:
        if len(self._agents) < _MOST_AGENTS:
            self._agents.add(agent)
        return agent if agent in self._agents else OTHERS

    def failed(self, code: int) -> None:
        self._errors.labels(str(code)).inc()

    def text(self) -> bytes:
        return generate_latest(self._registry)
