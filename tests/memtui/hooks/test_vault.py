"""A vault that is due is compacted by the hooks that capture."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.hooks.call import HookInput
from memtui.hooks.run import run_hook
from tests.store.backends.vault.vaults import FILES, make_vault


@pytest.mark.parametrize(("minutes", "compacted"), [("0", False), ("10", True)])
def test_a_session_that_ends_compacts_a_vault_that_is_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minutes: str, compacted: bool
) -> None:
    vault = make_vault(tmp_path / ".memory", {**FILES, "old.md.bak": "older\n"})
    monkeypatch.setenv("MEMTUI_AUTO_COMPACT", minutes)
    given = HookInput(session_id="s", folder=str(tmp_path), last_words="Done.")
    run_hook("session-end", given, "claude-code", {"MEMTUI_DIR": str(vault)}, tmp_path)
    assert (vault / ".vault/compact-log.json").exists() is compacted
    assert (vault / "old.md.bak").exists() is not compacted
