"""Alerts that memory grew large, each reported once until it is small again (SPEC-29 §12.3)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from store.model import LARGE_STORE, MANY_OBSERVATIONS

if TYPE_CHECKING:
    from pathlib import Path

    from store.activity.recorder import Recorder
    from store.backends.protocol import Backend

_NAME = "alerts.json"


class Alerts:
    """Reports what passes a limit; what was reported is kept in the cache, beside the index."""

    def __init__(self, backend: Backend, recorder: Recorder) -> None:
        self._backend = backend
        self._recorder = recorder

    def check(self, observations: int, folder: Path | None) -> None:
        """Tell which limits so many observations, and the bytes of their files, have passed."""
        size = self._backend.size()
        passed = {
            "store-large": f"{LARGE_STORE // 1_000_000}" if size > LARGE_STORE else "",
            "store-many": f"{observations:,}" if observations > MANY_OBSERVATIONS else "",
        }
        now = {kind for kind, said in passed.items() if said}
        told = _alert_text(folder) if folder is not None else set()
        for kind in sorted(now - told):
            self._recorder.problem(kind, passed[kind])
        if folder is not None and now != told:
            _keep(folder, now)


def _alert_text(folder: Path) -> set[str]:
    from store.errors import StoreError
    from store.platform.read import read_bytes

    try:
        value = json.loads(read_bytes(folder / _NAME, folder, most=1_000))
    except (OSError, StoreError, ValueError, RecursionError):
        return set()
    return {kind for kind in value if isinstance(kind, str)} if isinstance(value, list) else set()


def _keep(folder: Path, told: set[str]) -> None:
    from store.errors import StoreError
    from store.platform.write import make_folder, replace_derived

    try:
        make_folder(folder)
        replace_derived(folder / _NAME, json.dumps(sorted(told)).encode(), folder)
    except StoreError:
        return  # told again then: no cache, no memory of it
