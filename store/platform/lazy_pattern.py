"""A regular expression that is compiled when it is first used: most hooks use few of them."""

from __future__ import annotations

import re
from typing import Any, cast


class _LazyPattern:
    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a pattern has
        """Return what the compiled pattern has, which is kept here: asked for once."""
        found = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)
        return found


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return the pattern that `re.compile` would."""
    return cast("re.Pattern[str]", _LazyPattern(source, flags))
