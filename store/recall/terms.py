"""On what terms memories are told: their rank, the room there is, what names and cleans them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from store.model import Observation
from store.recall.profiles import Profile
from store.recall.values import Limits
from store.text.tokens import Counter

Handle = Callable[[Observation], str]
"""The shortest name of an observation that no other has."""
Clean = Callable[[Observation], Observation]
"""Takes out of an observation what no session may be told."""


class Terms(NamedTuple):
    """What a recall keeps to from its first candidate to its text."""

    profile: Profile
    limits: Limits
    counter: Counter
    handle: Handle
    clean: Clean = lambda observation: observation

    @property
    def room(self) -> int:
        """About how many characters the text may take."""
        return self.limits.room(self.counter.characters_each)
