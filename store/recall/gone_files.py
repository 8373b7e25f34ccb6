"""Files that stand no more in a project's working trees: no task may touch them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path


def gone_from(trees: Sequence[Path]) -> Callable[[str], bool | None]:
    """Says of a path, relative to a project, whether its file was there and is no more; None where
    that is unknown.

    It was there as far as the folder that the path begins with is: of what sessions saw of other
    places nothing is known, nor of anything without a working tree.
    """
    roots = [os.fspath(tree) for tree in trees]

    @cache
    def stands(path: str) -> bool:
        return any(os.path.lexists(f"{root}/{path}") for root in roots)

    def is_gone(path: str) -> bool | None:
        first, *below = path.split("/")
        if not roots or first in ("", "~", "..") or ".." in below or "\0" in path:
            return None
        if stands(path):
            return False
        return True if not below or stands(first) else None

    return is_gone
