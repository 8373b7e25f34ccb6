"""Memory as a vault of Markdown: a folder an agent, a file a category, notes wherever they are.

`vault://PATH`; a path alone, where a vault is at it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from store.backends.protocol import Backend
from store.platform.home import expanded


def open_backend(location: str, clock: Callable[[], datetime] | None = None) -> Backend:
    from store.backends.vault.backend import VaultBackend  # only for memory of its kind

    return VaultBackend(expanded(Path(location.removeprefix("vault://"))), clock)


def is_at(path: Path) -> bool:
    from store.backends.vault.layout import is_vault  # only for memory of its kind

    return is_vault(path)


def has_vault_files(path: Path) -> bool:
    from store.backends.vault.layout import has_vault_files  # only for memory of its kind

    return has_vault_files(path)
