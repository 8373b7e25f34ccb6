"""Our server in the files of every client: it comes and goes, and nothing else moves."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.client_file import apply_install
from memtui.serve.mcp.install import is_installed, plan_install, plan_uninstall, servers_path
from store.agents import server_files
from store.agents.client import Home
from store.agents.commented_json import plain_json
from store.agents.registry import SERVED, client_named
from store.agents.server_files import server_in, with_server, without_server
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
    for kind, text in {**ODD, **_others(client.servers.key)}.items():
        path = servers_path(client, Home(tmp_path / kind, {}))
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is not None:
            path.write_bytes(text.encode())
        apply_install(plan_install(client, path))
        after = json.loads(path.read_text(encoding="utf-8-sig"))
        assert is_installed(client, path), kind
        listed = after[client.servers.key]
        words = listed["memtui"]["command"]
        words = words if isinstance(words, list) else [words, *listed["memtui"]["args"]]
        assert words[:2] == ["memtui", "mcp"]
        before = json.loads((text or "").lstrip("\ufeff").strip() or "{}")
        del listed["memtui"]
        assert {**after, client.servers.key: listed} == {client.servers.key: {}, **before}
        assert plan_install(client, path).is_empty
        apply_install(plan_uninstall(client, path))
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
    client = client_named("codex")
    path = tmp_path / "config.toml"
    if text is not None:
        path.write_text(text)
    apply_install(plan_install(client, path))
    ours = tomllib.loads(path.read_text())["mcp_servers"]["memtui"]
    assert ours == {"command": "memtui", "args": ["mcp"]}
    assert path.read_text().startswith(text or "")
    apply_install(plan_uninstall(client, path))
    assert (path.read_text() if path.exists() else None) == text


def test_what_its_user_adds_after_our_table_stays() -> None:
    servers = client_named("codex").servers
    assert servers
    added = '# later\n[other]\nx = "[mcp_servers.memtui]"\n'
    text = with_server("a = 1\n", PATH, servers) + added
    assert without_server(text, PATH, servers)[0] == "a = 1\n" + added


@pytest.mark.parametrize(
    "rest",
    [
        '\n# how\nargs = ["mcp"]\n\nenv = {}\n',
        '\r\n\r\nargs = ["mcp"]\r\n',
        '\nargs = ["mcp"]\n\n[mcp_servers.memtui.env]\nA = "b"\n',
    ],
)
def test_our_table_goes_with_all_of_its_keys(rest: str) -> None:
    servers = client_named("codex").servers
    assert servers
    text = f'[a]\n# mine\n\n[mcp_servers.memtui]\ncommand = "memtui"{rest}# later\n[b]\n'
    assert without_server(text, PATH, servers)[0] == "[a]\n# mine\n# later\n[b]\n"


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_one_that_moved_is_renewed(name: str) -> None:
    servers = client_named(name).servers
    assert servers
    old = with_server("", PATH, servers, "/old place/bin/memtui")
    new = with_server(old, PATH, servers)
    assert new != old
    assert new == with_server("", PATH, servers)


@pytest.mark.parametrize("name", JSON_CLIENTS)
@pytest.mark.parametrize("blank", ["\n", "  \n\n", "\t"])
def test_a_file_of_empty_lines_takes_it_as_a_new_one_does(name: str, blank: str) -> None:
    servers = client_named(name).servers
    assert servers
    assert with_server(blank, PATH, servers) == with_server("", PATH, servers)


def test_an_editor_starts_it_in_its_folder() -> None:
    for name in ("cursor", "vscode"):
        servers = client_named(name).servers
        assert servers
        users = server_in(with_server("", PATH, servers), PATH, servers)
        project = server_in(with_server("", PATH, servers, project=True), PATH, servers)
        assert users and users["args"] == ["mcp", "--dir", "${workspaceFolder}"]
        assert project and project["args"] == ["mcp"]


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
    servers = client_named(name).servers
    assert servers
    with pytest.raises(Unreadable, match=told):
        with_server(text, PATH, servers)


_COMMENTED = {
    "around": '// "a\n{\n  // b\n  "a": "//x, ]", /* c\n */\n  "KEY": {\n    "x": {} // d\n  }}',
    "last commas": '{\n\t"KEY": {\n\t\t"x": {"y": [1, 2, ], }, // d\n\t},\n}',
    "nothing yet": "{\n  // servers come here\n}\n",
    "an empty list": '{"KEY": { /* none */ }, "a": "\\\\", // "\n}',
    "windows": '{\r\n  // a\r\n  "a": 1, // b\r\n}\r\n',
    "one line": '{"a": 1 /* b */, "KEY": {"x": {},},}',
    "open at its end": '{"a": 1} /* b',
}


@pytest.mark.parametrize("kind", _COMMENTED)
@pytest.mark.parametrize("name", ["vscode", "opencode", "gemini-cli", "qwen-code"])
def test_comments_that_a_client_reads_stay_to_the_letter(name: str, kind: str) -> None:
    servers = client_named(name).servers
    assert servers
    text = _COMMENTED[kind].replace("KEY", servers.key)
    after = with_server(text, PATH, servers)
    told, before = json.loads(plain_json(after)), json.loads(plain_json(text))
    assert told.pop(servers.key).pop("memtui")
    before.pop(servers.key, None)
    assert told == before
    assert with_server(after, PATH, servers) == after
    assert text in without_server(after, PATH, servers)
    assert without_server(after, PATH, servers)[0]


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
    servers = client_named("opencode").servers
    assert servers
    ours = '"memtui": {"command": ["memtui", "mcp"]}'
    assert without_server(text.replace("OURS", ours), PATH, servers)[0] == left


def test_its_own_comma_goes_along() -> None:
    servers = client_named("vscode").servers
    assert servers
    text = '{"servers": {\n  // mine\n}}'
    with_comma = with_server(text, PATH, servers).replace("}\n  // mine", "},\n  // mine")
    assert text in without_server(with_comma, PATH, servers)


@pytest.mark.parametrize("text", ["{,}", "[ ,]", '{"a": 1,,}', '{"a": "b\n"}', "{/}"])
def test_what_no_client_passes_over_is_no_json(text: str) -> None:
    with pytest.raises(ValueError, match="line"):
        json.loads(plain_json(text))


def test_of_two_lists_of_one_name_the_last_counts() -> None:
    servers = client_named("cursor").servers
    assert servers
    text = '{"mcpServers": {"x": {}}, "mcpServers": {"y": {}}}'
    after = with_server(text, PATH, servers)
    assert told_entry(after)
    assert without_server(after, PATH, servers) == (text,)


_JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_SETTINGS = st.dictionaries(st.text() | st.just("mcpServers!"), _JSON, max_size=4)
_SERVERS = st.none() | st.dictionaries(
    st.text().filter(lambda name: name != "memtui"), _JSON, max_size=3
)


@given(_SETTINGS, _SERVERS, st.sampled_from([None, 0, 1, 2, 4, "\t"]), st.booleans())
def test_any_settings_come_back(
    settings: dict[str, Any], listed: dict[str, Any] | None, indent: int | str | None, ascii: bool
) -> None:
    servers = client_named("cursor").servers
    assert servers
    if listed is not None:
        settings = {**settings, "mcpServers": listed}
    text = json.dumps(settings, indent=indent, ensure_ascii=ascii)
    after = with_server(text, PATH, servers)
    told = json.loads(after)
    assert told.pop("mcpServers") == {**(listed or {}), "memtui": told_entry(after)}
    assert told == {key: value for key, value in settings.items() if key != "mcpServers"}
    assert text in without_server(after, PATH, servers) or not settings


def told_entry(text: str) -> object:
    """Our server as a text names it."""
    return json.loads(text)["mcpServers"]["memtui"]


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        ({"command": "/x/memtui", "args": ["mcp"]}, True),
        ({"command": ["memtui", "mcp", "--dir", "x"]}, True),
        ({"command": "memtui", "args": ["serve"]}, False),
        ({"command": "other", "args": ["mcp"]}, False),
        ({"command": "memtui"}, False),
        ({}, False),
    ],
)
def test_which_entries_start_our_server(entry: dict[str, Any], ours: bool) -> None:
    assert server_files._is_ours(entry) is ours


@pytest.mark.parametrize("entry", ["7", '"memtui mcp"', "[]", "true"])
def test_what_stands_by_our_name_and_is_no_server_is_another_program_s(entry: str) -> None:
    servers = client_named("claude-code").servers
    assert servers is not None
    text = f'{{"{servers.key}": {{"memtui": {entry}}}}}'
    assert server_in(text, PATH, servers) == {}
    with pytest.raises(Unreadable, match="has another server named memtui"):
        with_server(text, PATH, servers)


@pytest.mark.parametrize(
    "text",
    [
        "{\r\n}\r\n",
        '{\r\n  "mcpServers": {\r\n  }\r\n}\r\n',
        '{\r\n  "a": 1\r\n}\r\n',
        '{\r\n  "mcpServers": {\r\n    "x": {}\r\n  }\r\n}\r\n',
    ],
)
def test_its_lines_end_as_those_of_the_file(text: str) -> None:
    servers = client_named("cursor").servers
    assert servers
    after = with_server(text, PATH, servers)
    assert after.count("\r\n") == after.count("\n") > text.count("\n")
    assert text in without_server(after, PATH, servers)
