"""Alerts that memory grew large, each reported once until it is small again (SPEC-29 §12.3)."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from store.activity.recorder import Recorder
from store.backends.protocol import Backend
from store.errors import StoreError
from store.model import LARGE_STORE, MANY_OBSERVATIONS
from store.platform.read import read_bytes
from store.platform.write import make_folder, replace_derived

_NAME = "alerts.json"


def check_size(
    backend: Backend, recorder: Recorder, observations: int, folder: Path | None
) -> None:
    """Report which limits so many observations, and the bytes of their files, have passed.

    What was reported is kept in `folder`, next to the index.
    """
    passed: dict[str, str] = {}
    if backend.size() > LARGE_STORE:
        passed["store-large"] = f"{LARGE_STORE // 1_000_000}"
    if observations > MANY_OBSERVATIONS:
        passed["store-many"] = f"{observations:,}"
    reported = set() if folder is None else _reported(folder)
    for kind in sorted(passed.keys() - reported):
        recorder.problem(kind, passed[kind])
    if folder is not None and passed.keys() != reported:
        with suppress(StoreError):  # without a cache it is reported again
            make_folder(folder)
            replace_derived(folder / _NAME, json.dumps(sorted(passed)).encode(), folder)


def _reported(folder: Path) -> set[str]:
    try:
        value = json.loads(read_bytes(folder / _NAME, folder, most=1_000))
    except (OSError, StoreError, ValueError, RecursionError):
        return set()
    return {kind for kind in value if isinstance(kind, str)} if isinstance(value, list) else set()
