"""Giving memory out: the observations with given ids, as text in a format."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from store.backends.protocol import Backend
from store.errors import InvalidObservation
from store.exchange.agentx import read_memory
from store.exchange.json_lines import to_json_lines
from store.exchange.memory_bank_text import to_markdown_bank
from store.exchange.values import Format
from store.model import Observation

_WRITERS = {Format.JSON_LINES: to_json_lines, Format.MARKDOWN: to_markdown_bank}


def to_text(observations: Iterable[Observation], format_name: str) -> str:
    """Observations in a format that is one text. Raises `InvalidObservation` for another one."""
    writer = next((write for kind, write in _WRITERS.items() if kind == format_name), None)
    if writer is None:
        raise InvalidObservation(
            f"{format_name!r} is not a text format.",
            f"One of: {', '.join(_WRITERS)}; agentx and vault need a folder.",
        )
    return writer(observations)


def named(
    backend: Backend, identifiers: Iterable[str], clean: Callable[[Observation], Observation]
) -> list[Observation]:
    """The whole observations with these ids, read from the record, oldest first, as `clean`
    leaves them.
    """
    wanted = set(identifiers)
    everything = (item.observation for item in read_memory(backend).incoming)
    found = [clean(observation) for observation in everything if observation.id in wanted]
    return sorted(found, key=lambda item: (item.timestamp, item.id))
