"""Settings that stand in several files, and folders that are trusted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.agents import gemini_cli
from store.agents.client import Home
from store.agents.gemini_cli import is_trusted


@pytest.mark.parametrize(
    ("rules", "is_so"),
    [
        ({"/a": "TRUST_FOLDER"}, True),
        ({"/a/b/x": "TRUST_PARENT"}, True),
        ({"/a/b/x": "TRUST_FOLDER"}, None),
        ({"/a": "TRUST_FOLDER", "/a/b": "DO_NOT_TRUST"}, False),
        ({"/a/b": "DO_NOT_TRUST", "/a": "TRUST_FOLDER"}, False),
        ({"/": "DO_NOT_TRUST"}, False),
        ({"/a": "unheard of"}, None),
        ({"/c": "TRUST_FOLDER"}, None),
        ({}, None),
    ],
)
def test_longest_rule_of_trust_wins(rules: dict[str, object], is_so: bool | None) -> None:
    assert is_trusted(Path("/a/b"), rules) is is_so


@pytest.mark.parametrize(
    ("environ", "enabled", "trusts"),
    [
        ({}, True, False),
        ({}, False, True),
        ({"GEMINI_CLI_TRUST_WORKSPACE": "true"}, True, True),
        ({"GEMINI_CLI_TRUST_WORKSPACE": "false"}, False, False),
        ({"GEMINI_RESTRICTED_MODE": "true"}, False, False),
        ({"GEMINI_CLI_TRUSTED_FOLDERS_PATH": "chosen.json"}, True, True),
    ],
)
def test_whether_gemini_trusts_a_project(
    tmp_path: Path, environ: dict[str, str], enabled: bool, trusts: bool
) -> None:
    project = tmp_path / "shop"
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"security": {"folderTrust": {"enabled": enabled}}}))
    (tmp_path / "chosen.json").write_text(json.dumps({str(project): "TRUST_FOLDER"}))
    chosen = {key: it.replace("chosen", f"{tmp_path}/chosen") for key, it in environ.items()}
    home = Home(tmp_path / "home", chosen)
    assert gemini_cli._is_trusted(home, project, (settings,)) is trusts
