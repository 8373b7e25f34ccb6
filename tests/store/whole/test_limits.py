"""The limits of what is read, kept and waited for: none changes unless somebody means it.

Numbers that rate and choose (of capture, recall and search) are tuned by the bench, not held here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

from syrupy.assertion import SnapshotAssertion

import store

_TUNED = ("capture", "recall", "search", "sessions.candidates", "redaction", "text", "agents",
          "backends.postgres")  # fmt: skip
_NAMED = re.compile(r"^(_?[A-Z][A-Z_]*(?:, _?[A-Z][A-Z_]*)*)(?:: [^=]+)? = ", re.MULTILINE)
_SYSTEMS = "_FLAGS"
"""What each system numbers by itself."""


def _limits() -> Iterator[str]:
    for found in walk_packages(store.__path__, "store."):
        if found.name.removeprefix("store.").startswith(_TUNED):
            continue
        module = import_module(found.name)
        source = Path(module.__file__ or "").read_text(encoding="utf-8")
        for name in (it for named in _NAMED.findall(source) for it in named.split(", ")):
            value = getattr(module, name)
            is_number = isinstance(value, int | float | timedelta) and not isinstance(value, bool)
            if is_number and name != _SYSTEMS:
                yield f"{found.name}.{name}: {value}"


def test_limits_hold(snapshot: SnapshotAssertion) -> None:
    assert "\n".join(sorted(_limits())) == snapshot
