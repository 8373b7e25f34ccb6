"""Names and places of a vault's files, by tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.backends.vault.layout import is_vault

ENTRY = "<!-- id:1773679871839 -->\n## 2026-03-16T16:51\n\nSaid\n\n---\n"


@pytest.mark.parametrize(
    ("name", "files", "is_so"),
    [
        (".memory", {}, True),
        (".memory", {"a.md": ""}, True),
        (".memory", {"conversations/x.json": ""}, True),
        (".memory", {"a.txt": ""}, False),
        (".memory", {"dev/decisions.md": ""}, True),
        (".memory", {"dev/custom.md": ""}, False),
        ("notes", {}, False),
        ("notes", {"a.md": ""}, False),
        ("notes", {".obsidian/app.json": ""}, True),
        ("notes", {"_project.md": ""}, True),
        ("notes", {".vault/x": ""}, True),
        ("notes", {"dev/decisions.md": ""}, False),
        ("notes", {"dev/decisions.md": ENTRY}, True),
        ("notes", {"dev/tasks.md": f"# Tasks\n\n{ENTRY}"}, True),
        ("notes", {"dev/tasks.md": f"{'x' * 399}\n{ENTRY}"}, False),
        ("notes", {"dev/key-facts.md": ENTRY}, False),
        ("notes", {".dev/decisions.md": ENTRY}, False),
        ("notes", {"dev/decisions.md/x": ENTRY}, False),
    ],
)
def test_what_a_vault_is_told_by(
    tmp_path: Path, name: str, files: dict[str, str], is_so: bool
) -> None:
    (tmp_path / name).mkdir()
    for path, text in files.items():
        (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name / path).write_text(text)
    assert is_vault(tmp_path / name) is is_so
