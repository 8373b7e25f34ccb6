"""What a terminal sends: UTF-8, but for a paste in another encoding."""

from __future__ import annotations

from codecs import getincrementaldecoder
from functools import partial
from typing import Any

from textual.drivers import linux_driver


def take_any_bytes() -> None:
    """Have what is no UTF-8 read as `�`: one such byte ended the thread that reads keys."""
    setattr(linux_driver, "getincrementaldecoder", _lenient)  # noqa: B010 - no public name


def _lenient(encoding: str) -> Any:  # noqa: ANN401 - a class of the standard library
    return partial(getincrementaldecoder(encoding), errors="replace")
