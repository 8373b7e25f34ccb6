"""Our server in the files of every client: it comes and goes, and nothing else moves."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from memtui.client_file import apply_install, plan_install, plan_uninstall, read_text
from store.agents.client import Home
from store.agents.registry import SERVED, client_named
from store.agents.server_files import ServerFile
from store.errors import Unreadable

PATH = Path("/settings")
ODD = {
    "none": None,
    "nothing in it": "",
    "an empty line": "\n",
    "byte order mark": '\ufeff{"a": 1}\r\n',
    "empty": "{}",
    "blank": "{ }\n",
    "inline": '{"a": [1,2], "b":{}}',
    "tabs": '{\n\t"a": {"x": 1},\n\t"z": "é\\u00e9"\n}\n',
    "windows": '{\r\n  "a": 1\r\n}\r\n',
    "no last line end": '{\n    "a": 1\n}',
}
JSON_CLIENTS = [name for name in SERVED if name != "codex"]


def _others(key: str) -> dict[str, str]:
    """Texts with a list of servers: empty, with another, with another in a style of its own."""
    return {
        "empty list": f'{{"a": 1, "{key}": {{}}}}\n',
        "empty list, tidy": f'{{\n  "{key}": {{}},\n  "a": 1\n}}\n',
        "another": f'{{\n  "{key}": {{\n    "x": {{ "command": "y" }}\n  }},\n  "a": 1\n}}\n',
        "another inline": f'{{"{key}": {{"x": {{"command": "y"}}}}, "a": 1}}',
    }


@pytest.mark.parametrize("name", JSON_CLIENTS)
def test_it_comes_and_goes_and_leaves_the_rest_to_the_letter(name: str, tmp_path: Path) -> None:
    client = client_named(name)
    assert client.servers
    file = ServerFile(client)
    for kind, text in {**ODD, **_others(client.servers.key)}.items():
        path = client.servers.file(Home(tmp_path / kind, {}), None)
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is not None:
            path.write_bytes(text.encode())
        apply_install(plan_install(file, path))
        after = json.loads(path.read_text(encoding="utf-8-sig"))
        assert file.server_in(read_text(path), path), kind
        listed = after[client.servers.key]
        words = listed["memtui"]["command"]
        words = words if isinstance(words, list) else [words, *listed["memtui"]["args"]]
        assert words[:2] == ["memtui", "mcp"]
        before = json.loads((text or "").lstrip("\ufeff").strip() or "{}")
        del listed["memtui"]
        assert {**after, client.servers.key: listed} == {client.servers.key: {}, **before}
        assert plan_install(file, path).is_empty
        apply_install(plan_uninstall(file, path))
        assert (path.read_bytes().decode() if path.exists() else None) == text, kind
        left = [] if text is None else [path.name]
        assert [it.name for it in path.parent.iterdir()] == left, kind


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        'model = "x"',
        'model = "x"\n',
        '[mcp_servers.other]\ncommand = "y"\n\n# mine\n[profiles.a]\nx = 1\n\n\n',
        "# only words\n[mcp_servers]\n",
    ],
)
def test_a_table_comes_and_goes(text: str | None, tmp_path: Path) -> None:
    file = ServerFile(client_named("codex"))
    path = tmp_path / "config.toml"
    if text is not None:
        path.write_text(text)
    apply_install(plan_install(file, path))
    ours = tomllib.loads(path.read_text())["mcp_servers"]["memtui"]
    assert ours == {"command": "memtui", "args": ["mcp"]}
    assert path.read_text().startswith(text or "")
    apply_install(plan_uninstall(file, path))
    assert (path.read_text() if path.exists() else None) == text


@pytest.mark.parametrize(
    ("name", "at", "entry"),
    [
        ("kilo", ".config/kilo/kilo.json", {"type": "local", "command": ["memtui", "mcp"]}),
        ("pi", ".pi/agent/mcp.json", {"command": "memtui", "exposure": "direct"}),
        ("kimi", ".kimi-code/mcp.json", {"command": "memtui", "args": ["mcp"]}),
        ("copilot", ".copilot/mcp-config.json", {"type": "stdio", "tools": ["*"]}),
        ("continue-dev", ".continue/mcpServers/memtui.json", {"command": "memtui"}),
        ("cline", ".cline/data/settings/cline_mcp_settings.json", {"type": "stdio"}),
    ],
)
def test_the_file_and_form_of_a_client(name: str, at: str, entry: dict[str, object]) -> None:
    client = client_named(name)
    assert client.servers
    assert client.servers.file(Home(PATH, {}), None) == PATH / at
    ours = json.loads(ServerFile(client).with_ours("", PATH))[client.servers.key]["memtui"]
    assert entry.items() <= ours.items()


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("cursor", "// mine\n{}", "not valid JSON"),
        ("cursor", "[]", "not an object"),
        ("cursor", '{"mcpServers": 1}', "not an object"),
        ("cursor", '{"mcpServers": {"memtui": {"command": "rm"}}}', "another server named memtui"),
        ("codex", "a = ", "not valid TOML"),
        ("codex", "mcp_servers = {}\n", "names its servers in one value"),
        ("vscode", "// mine\n", "it has comments, and no object"),
        ("vscode", "// mine\n{]", "not valid JSON"),
        ("vscode", "/* mine\n{}", "it has comments, and no object"),
        ("codex", '[mcp_servers.memtui]\nurl = "http://x"\n', "another server named memtui"),
    ],
)
def test_what_is_not_understood_is_left_alone(name: str, text: str, told: str) -> None:
    with pytest.raises(Unreadable, match=told):
        ServerFile(client_named(name)).with_ours(text, PATH)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"mcp": {\n  "a": 1, // a\n  OURS\n}}', '{"mcp": {\n  "a": 1 // a\n}}'),
        ('{"mcp": {\n"a": 1,\n// b\nOURS, // c\n}}', '{"mcp": {\n"a": 1\n// b\n // c\n}}'),
        ('{"mcp": {\n  "a": 1, // a\r\n  OURS,\r\n}}', '{"mcp": {\n  "a": 1 // a\r\n}}'),
        ('{"mcp": {"a": 1, // a\n  OURS}}', '{"mcp": {"a": 1 // a\n}}'),
        ('{"mcp": {"a": 1 /* , */, OURS}}', '{"mcp": {"a": 1 /* , */}}'),
        ('{"mcp": {"a": 1,\n // b\n OURS,\n "c": 2}}', '{"mcp": {"a": 1,\n // b\n "c": 2}}'),
        ('{"mcp": {"a": 1/**/, OURS /* b */, "c": 2}}', '{"mcp": {"a": 1/**/, /* b */ "c": 2}}'),
        ('{"mcp": {OURS /* b */ , "c": 2}}', '{"mcp": {/* b */  "c": 2}}'),
        ('{"mcp": {\n  // a\n  OURS\n}}', '{"mcp": {\n  // a\n}}'),
        ('{"mcp": { /* a */ OURS }}', '{"mcp": { /* a */ }}'),
        ('{\n  "x": 1, // x\n  // mcp\n  "mcp": {OURS}\n}', '{\n  "x": 1 // x\n  // mcp\n}'),
        ('{\n  // mcp\n  "mcp": {OURS}\n}', '{\n  // mcp\n}'),
    ],
)  # fmt: skip
def test_a_comment_before_it_stays_when_it_is_taken_out(text: str, left: str) -> None:
    ours = '"memtui": {"command": ["memtui", "mcp"]}'
    file = ServerFile(client_named("opencode"))
    assert file.without_ours(text.replace("OURS", ours), PATH) == left
