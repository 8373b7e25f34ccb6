"""The hooks by name: how long each may take, and what it does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Duties(NamedTuple):
    """Duties of a hook, and its time limit in seconds, well inside the one that is installed."""

    seconds: float = 15.0
    recalls: bool = False
    captures: bool = False
    checkpoints: bool = False
    watches_questions: bool = False
    ends_session: bool = False
    """Nothing more is said after it: it leaves a handoff."""


DUTIES: Mapping[str, Duties] = {
    "session-start": Duties(6, recalls=True, watches_questions=True),
    "user-prompt": Duties(3, recalls=True, checkpoints=True),
    "pre-compact": Duties(captures=True, checkpoints=True),
    "post-compact": Duties(captures=True),
    "stop": Duties(captures=True, checkpoints=True, watches_questions=True),
    "subagent-stop": Duties(captures=True),
    "session-end": Duties(
        captures=True, checkpoints=True, watches_questions=True, ends_session=True
    ),
    "pre-tool-use": Duties(2, recalls=True),
    "post-tool-use": Duties(2, recalls=True),
}
HOOKS = tuple(DUTIES)
AT_TOOLS = frozenset({"pre-tool-use", "post-tool-use"})
"""Those of a single act: they do nothing but recall."""
