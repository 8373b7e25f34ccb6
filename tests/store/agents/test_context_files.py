"""The files that clients load by themselves, as far as they load them."""

from __future__ import annotations

from pathlib import Path

from store.agents.client import Client, ContextFile, Home
from store.agents.context_files import loaded_files
from store.agents.registry import client_named

KINDS = (
    ContextFile("instruction", "RULES.md"),
    ContextFile("memory", "notes/*.md", most_lines=2),
    ContextFile("template", "*.md"),
    ContextFile("instruction", ".rules/{project}.md", of_user=True),
)
CLIENT: Client = client_named("aider")._replace(context=KINDS)


def test_files_are_loaded_once_as_text_and_as_far_as_their_client_does(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "shop"
    for folder in (root / "notes", home / ".rules"):
        folder.mkdir(parents=True)
    (root / "RULES.md").write_bytes(b"Run the linter. \xff\n")
    (root / "notes" / "b.md").write_text("one\ntwo\nthree\n")
    (root / "notes" / "a.md").mkdir()
    name = str(root).replace("/", "-").replace("_", "-").replace(".", "-")
    (home / ".rules" / f"{name}.md").write_text("Mine.")
    found = list(loaded_files([CLIENT, CLIENT], root, Home(home, {})))
    assert found == [
        ("instruction", "RULES.md", "Run the linter. \ufffd\n"),
        ("memory", "notes/b.md", "one\ntwo\n"),
        ("instruction", f"~/.rules/{name}.md", "Mine."),
    ]
    assert len(list(loaded_files([CLIENT], root, Home(root, {})))) == 2
