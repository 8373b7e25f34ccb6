"""Files that stand no more in a project's working trees: no task may touch them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path


def gone_from(trees: Sequence[Path]) -> Callable[[str], bool]:
    """Says of a path, relative to a project, whether its file was there and is no more.

    It was there as far as the folder that the path begins with is: what sessions saw of other
    places is never gone, nor is anything without a working tree.
    """
    roots = [os.fspath(tree) for tree in trees]

    @cache
    def stands(path: str) -> bool:
        return any(os.path.lexists(f"{root}/{path}") for root in roots)

    def is_gone(path: str) -> bool:
        first, *below = path.split("/")
        if not roots or first in ("", "~", "..") or ".." in below or "\0" in path:
            return False
        return not stands(path) and (not below or stands(first))

    return is_gone
