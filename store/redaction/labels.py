"""Short names that go into the log and into file names: ids, agents, sessions, paths.

The rules for secrets take long to load: what can be none is let through without them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b

from store.redaction.sanitizer import cleaned_text

_PLAIN = re.compile(
    r"[\w.: /-]{0,19}|[A-Za-z]+(?:[-_.: /][A-Za-z]+)*"
    r"|[\w.:-]{0,40}[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|ses_[0-9A-Za-z]{26}",
    re.ASCII,
)
"""Words, what is shorter than any key, and the ids that clients give to sessions."""
_SHORTEST = 16
"""Characters from which a name by itself may be a secret."""
_PLAIN_ID = re.compile(
    r"obs-[a-z0-9]{1,20}-\d{1,9}-\d{1,16}-[a-z0-9]{1,12}|[0-9a-f-]{1,64}|[0-7][0-9A-HJKMNP-TV-Z]{25}",
    re.ASCII,
)
"""AgentX's ids, hexadecimal ones and ULIDs: by themselves no rule takes them for a secret."""
_FOREIGN = re.compile(r"[^A-Za-z0-9._-]+", re.ASCII)


def clean_label(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else cleaned_text(text)


def public_id(identifier: str) -> str:
    """Return the id a memory goes by: its record's own, or one made of that where it holds a
    secret.

    It is the same every time, so that the memory is found by it; the record keeps its own.
    """
    if _PLAIN_ID.fullmatch(identifier) or _PLAIN.fullmatch(identifier):
        return identifier
    return _public_id(identifier)


@lru_cache(maxsize=4_096)
def _public_id(identifier: str) -> str:
    if clean_label(identifier) == identifier:
        return identifier
    data = identifier.encode("utf-8", "surrogatepass")
    return f"obs-redacted-{blake2b(data, digest_size=6).hexdigest()}"


def shown_name(name: str) -> str:
    """Return a foreign agent's name, tag or category as it may be shown."""
    return name if len(name) < _SHORTEST and "<" not in name else clean_label(name)


def agent_name(text: str) -> str:
    """The name that an agent goes by, as memory may keep it; empty where nothing is left of it."""
    return _FOREIGN.sub("-", clean_label(text))[:64].strip("-")


def agent_spellings(agent: str) -> tuple[str, ...]:
    """The names that an agent's memories are found by: as given, and as `agent_name` keeps it."""
    return tuple(dict.fromkeys((agent, agent_name(agent) or agent)))
