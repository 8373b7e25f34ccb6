"""What the team should not be given: looked for before a memory is shared, and named."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from store.model import Observation
from store.notice import Notice
from store.platform.home import home_folder
from store.redaction.personal import personal_spans
from store.redaction.private_blocks import remove_private
from store.redaction.rules import secret_spans
from store.redaction.walk import texts_of

_HOME = re.compile(
    r"""(?: (?<![\w/.]) | (?<=//) )
        (?: (?:/mnt/[a-z]|/var)?/(?:home|Users)/ | [a-z]:\\{1,2}Users\\{1,2} | /root/ )
        [^\s/\\'"`)>,;:]+""",
    re.X | re.I,
)
_HOST = re.compile(
    r"""(?: (?<![\w./~-]) | (?<=//) )
        (?: (?: 10(?:\.\d{1,3}){2} | 192\.168(?:\.\d{1,3}) | 172\.(?:1[6-9]|2\d|3[01])\.\d{1,3} )
            \.\d{1,3}
          | (?:[a-z0-9][a-z0-9-]*\.)+(?:local|lan|internal|corp|intranet|home\.arpa) )
        (?![\w-]) (?!\.\w)""",
    re.X | re.I,
)
"""Addresses and names that only a network of one's own has."""
_SHORTEST = 4
"""Letters of a machine's own name from which it is looked for as a word."""


class Kind(StrEnum):
    SECRET = "secret"
    PRIVATE = "private"
    HOME = "home"
    EMAIL = "email"
    PHONE = "phone"
    HOST = "host"


class Unshared(NamedTuple):
    """Something of one person or machine. `text` is empty where it may not be shown either."""

    kind: Kind
    text: str = ""


def unshared_notices(observation: Observation) -> Iterator[Notice]:
    """Name what of an observation is not for others, on this machine. Raises as `find_unshared`."""
    host = socket.gethostname().partition(".")[0]
    for kind, text in find_unshared(observation, str(home_folder()), host):
        yield Notice(f"not-shared-{kind}", {"id": observation.id, "text": text})


def find_unshared(observation: Observation, home: str, host: str) -> Iterator[Unshared]:
    """Find what of an observation is not for others; `home` and `host` are this user's folder and
    this machine's name. Raises StoreError if the rules are missing.
    """
    for text in texts_of(observation):
        if remove_private(text)[1]:
            yield Unshared(Kind.PRIVATE)
        if secret_spans(text):
            yield Unshared(Kind.SECRET)
        found = [match.group() for match in _HOME.finditer(text)]
        if not found and home.count("/") > 1 and home in text:
            found.append(home)
        yield from (Unshared(Kind.HOME, path) for path in found)
        for start, end, rule in personal_spans(text):
            yield Unshared(Kind.EMAIL if rule == "email" else Kind.PHONE, text[start:end])
        yield from (Unshared(Kind.HOST, match.group()) for match in _HOST.finditer(text))
        if len(host) >= _SHORTEST and re.search(rf"(?<![\w-]){re.escape(host)}(?![\w-])", text):
            yield Unshared(Kind.HOST, host)
