"""`memtui mcp install`: clients' lists of servers, from the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.memtui.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("on_the_path")


def test_a_server_comes_and_goes_with_a_diff(memtui: Run, tmp_path: Path) -> None:
    path = tmp_path / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"theme":"x"}')
    words = ("mcp", "install", "--client", "gemini")
    unasked = memtui(*words)
    assert (unasked.code, path.read_text()) == (1, '{"theme":"x"}')
    assert "--yes" in unasked.err
    dry = memtui(*words, "--dry-run")
    assert dry.code == 0
    assert '+{"theme":"x", "mcpServers"' in dry.out
    done = memtui(*words, "--yes")
    assert done.code == 0
    assert "Backup:" in done.err
    assert json.loads(path.read_text())["mcpServers"]["memtui"]["command"] == sys.executable
    assert "is up to date" in memtui(*words, "--yes").err
    assert memtui("mcp", "uninstall", "--client", "gemini", "--yes").code == 0
    assert path.read_text() == '{"theme":"x"}'


def test_hooks_and_server_of_one_file_go_in_any_order(memtui: Run, tmp_path: Path) -> None:
    path = tmp_path / ".gemini" / "settings.json"
    path.parent.mkdir()
    text = '{\n    "theme": "x"\n}\n'
    path.write_text(text)
    for last in (("hooks", "gemini-cli"), ("mcp", "--client", "gemini")):
        first = ("mcp", "--client", "gemini") if last[0] == "hooks" else ("hooks", "gemini-cli")
        for name, *rest in (first, last):
            assert memtui(name, "install", *rest, "--yes").code == 0
        for name, *rest in (first, last):
            assert memtui(name, "uninstall", *rest, "--yes").code == 0
        assert path.read_text() == text
        assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("server", [("mcp",), ("serve",), ("mcp", "--http", "127.0.0.1:0")])
def test_a_folder_that_is_not_there_is_not_served(
    memtui: Run, tmp_path: Path, server: tuple[str, ...]
) -> None:
    done = memtui(*server, "--dir", str(tmp_path / "projcet"))
    assert (done.code, done.out) == (1, "")
    assert "projcet is not a folder." in done.err
    assert [*tmp_path.glob("projcet")] == []


def test_a_client_without_a_file_of_a_project(memtui: Run, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    words = ("--client", "cline", "--project", str(tmp_path / "shop"), "--yes")
    done = memtui("mcp", "install", *words)
    assert (done.code, "Cline reads no servers in a project" in done.err) == (2, True)
    assert [*tmp_path.rglob("cline_mcp_settings.json")] == []
