"""Metrics of the server, as Prometheus reads them (evolving memory, monitoring)."""

from __future__ import annotations

from collections.abc import Collection

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)
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
"""Agents that have measures of their own: who may ask as any agent must not fill the memory."""
OTHERS = "other"
"""The agent of those beyond."""


class Metrics:
    """The blueprint's measures of one server. Times are in seconds."""

    def __init__(self) -> None:
        self._agents: set[str] = set()
        self._registry = CollectorRegistry()
        self._retrieval = self._times(
            "memory_retrieval_latency", "Time to retrieve memories", "agent_id", "memory_type"
        )
        self._encoding = self._times(
            "memory_encoding_latency", "Time to encode and store an interaction", "agent_id"
        )
        self._query = self._times(
            "memory_database_query_duration", "Time of a request's work on memory", "query_type"
        )
        self._errors = Counter(
            "memory_errors_total",
            "Requests that failed, by their code",
            ["code"],
            registry=self._registry,
        )

    def _times(self, name: str, help: str, *labels: str) -> Histogram:
        return Histogram(f"{name}_seconds", help, labels, buckets=_BUCKETS, registry=self._registry)

    def answered(self, method: str, agent: str, layers: Collection[str], seconds: float) -> None:
        """Measure the time of a request that was answered, which looked at these layers."""
        if agent not in self._agents and len(self._agents) >= _MOST_AGENTS:
            agent = OTHERS
        self._agents.add(agent)
        for layer in layers:
            self._retrieval.labels(agent, layer).observe(seconds)
        if method == "memory.store":
            self._encoding.labels(agent).observe(seconds)
        if method in _QUERIES:
            self._query.labels(_QUERIES[method]).observe(seconds)

    def failed(self, code: int) -> None:
        self._errors.labels(str(code)).inc()

    def text(self) -> bytes:
        return generate_latest(self._registry)
