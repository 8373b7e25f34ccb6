"""The manual: every command has its page, in step with its help; every link leads somewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote

import click
import pytest

from memtui import __version__
from memtui.cli.commands import cli
from store.settings.values import typed_value
from tests.memtui.cli.manual import pages, with_lists

ROOT = Path(__file__).parents[3]
MANUAL = ROOT / "docs"
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def test_the_pages_of_commands_are_in_step_with_their_help() -> None:
    """Where this fails: `python -m tests.memtui.cli.manual docs/commands`."""
    written = {path.name: path.read_text() for path in (MANUAL / "commands").glob("*.md")}
    assert written == pages()


def test_the_lists_of_the_page_about_settings_are_in_step_with_the_code() -> None:
    """Where this fails: `python -m tests.memtui.cli.manual docs/commands`."""
    page = (MANUAL / "settings.md").read_text()
    assert page == with_lists(page)
    assert "| `max_tokens` | `20000` | Budget: most tokens" in page
    assert {"`nord`", "`recency`", "`archive`"} <= {word.rstrip(",.") for word in page.split()}


def test_examples_of_settings_are_written_as_they_are_taken() -> None:
    page = (MANUAL / "settings.md").read_text()
    examples = re.findall(r"^\| `(\w+)` \| none; e\.g\. `(.+?)` \|", page, re.M)
    assert len(examples) > 3
    for name, example in examples:
        assert typed_value(name, example)


@pytest.mark.parametrize(
    "page", sorted(MANUAL.rglob("*.md")), ids=lambda page: str(page.relative_to(MANUAL))
)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    links = [link for link in _LINK.findall(page.read_text()) if "://" not in link]
    missing = [link for link in links if not (page.parent / unquote(link)).exists()]
    assert missing == []


@pytest.mark.parametrize(
    "page", sorted(MANUAL.rglob("*.md")), ids=lambda page: str(page.relative_to(MANUAL))
)
def test_every_command_that_a_page_names_is_there(page: Path) -> None:
    listed = cli.list_commands(click.Context(cli))
    named = re.findall(r"`memtui ([a-z][a-z-]*)", page.read_text())
    assert [name for name in named if name not in listed] == []


def test_the_entry_for_registries_names_this_version() -> None:
    entry = json.loads((ROOT / "server.json").read_text())
    assert entry["version"] == entry["packages"][0]["version"] == __version__
    assert f"<!-- mcp-name: {entry['name']} -->" in (ROOT / "README.md").read_text()
