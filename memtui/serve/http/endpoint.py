"""A protocol that is served over HTTP. Needs no package of the extra `http`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol


class Reply(NamedTuple):
    """What a message is answered with; an empty body is no answer."""

    body: bytes = b""
    headers: Mapping[str, str] = MappingProxyType({})


class Endpoint(Protocol):
    """A protocol that is served at one path."""

    path: str

    def refusal(self, headers: Mapping[str, str]) -> bytes:
        """Return what a request is refused with for its headers; empty where it may come in."""

    def answer(self, message: bytes, agent: str, headers: Mapping[str, str]) -> Reply:
        """Answer a message of the agent that the caller's token is for; `*` is any."""
