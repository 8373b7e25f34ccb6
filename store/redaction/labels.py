"""Short names that go into the log and into file names: agents, sessions, paths.

The rules for secrets take long to load: what can be none is let through without them.
"""

from __future__ import annotations

import re

_PLAIN = re.compile(
    r"[\w.: /-]{0,19}|[A-Za-z]+(?:[-_.: /][A-Za-z]+)*"
    r"|[\w.:-]{0,40}[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|ses_[0-9A-Za-z]{26}",
    re.ASCII,
)
"""Words, what is shorter than any key, and the ids that clients give to sessions."""
_SHORTEST = 16
"""Characters from which a name by itself may be a secret."""
_FOREIGN = re.compile(r"[^A-Za-z0-9._-]+", re.ASCII)


def clean_label(text: str) -> str:
    """A name without secrets and private text."""
    if _PLAIN.fullmatch(text):
        return text
    from store.redaction.sanitizer import sanitize

    return sanitize(text).text


def shown_name(name: str) -> str:
    """A foreign agent's name, tag or category as it may be shown."""
    return name if len(name) < _SHORTEST and "<" not in name else clean_label(name)


def agent_name(text: str) -> str:
    """The name that an agent goes by, as memory may keep it; empty where nothing is left of it."""
    return _FOREIGN.sub("-", clean_label(text))[:64].strip("-")
