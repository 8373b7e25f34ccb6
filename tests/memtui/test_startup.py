"""What the app is called where it starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.startup import project_title


def test_a_memory_is_named_by_its_project_and_branch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = tmp_path / "shop"
    (shop / ".git").mkdir(parents=True)
    (shop / ".git" / "HEAD").write_text("ref: refs/heads/fix/locks\n")
    monkeypatch.chdir(shop)
    assert project_title(shop / ".agentx" / "memory") == "shop · fix/locks"
    (tmp_path / "plain").mkdir()
    assert project_title(tmp_path / "plain" / ".agentx" / "memory") == "plain"
    monkeypatch.chdir(tmp_path)
    assert project_title(tmp_path / "elsewhere") == "elsewhere"
