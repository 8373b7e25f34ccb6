"""Programs that stand for a language model."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping


def answering(*memories: Mapping[str, object]) -> str:
    """A command that reads its prompt and answers with these memories."""
    answer = json.dumps({"memories": [dict(each) for each in memories]})
    return _python(f"import sys; sys.stdin.read(); print({answer!r})")


def failing(said: str) -> str:
    """A command that says why it fails."""
    return _python(f"import sys; sys.exit({said!r})")


def _python(code: str) -> str:
    return shlex.join([sys.executable, "-S", "-c", code])
