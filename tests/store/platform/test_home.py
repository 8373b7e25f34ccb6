"""The user's own folders are those that platformdirs names."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.errors import StoreError
from store.platform.home import NOWHERE, check_home


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        (NOWHERE, "Set HOME."),
        (NOWHERE / "XDG_CACHE_HOME" / "memtui", "Set HOME or XDG_CACHE_HOME."),
        (NOWHERE / "memtui" / "XDG_CACHE_HOME", "Set HOME."),
    ],
)
def test_without_a_home_it_is_said_what_to_set(path: Path, hint: str) -> None:
    with pytest.raises(StoreError) as refused:
        check_home(path)
    assert (refused.value.message, refused.value.hint) == ("No home folder found.", hint)
