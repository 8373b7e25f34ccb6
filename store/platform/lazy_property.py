"""A property that is made once, when it is first asked for, also by several threads at a time."""

from __future__ import annotations

from functools import cached_property
from threading import RLock
from typing import Any, TypeVar, overload

T = TypeVar("T")
_MAKING = RLock()
"""One for all: what is made may ask for others, and each is made only once."""


class lazy_property(cached_property[T]):  # noqa: N801 - written as the property it is
    """A `cached_property` that makes one value: from Python 3.12 on two threads may make two."""

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> lazy_property[T]: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Any:
        """Make the value, or wait until another thread has made it."""
        with _MAKING:
            return super().__get__(instance, owner)
