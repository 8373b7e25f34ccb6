"""Hooks and servers in the settings of clients: put in, taken out, and the rest left."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.client_file import apply_install, plan_install, plan_uninstall, read_text
from store.agents import gemini_cli
from store.agents.client import Home
from store.agents.commented_json import ClientJson
from store.agents.files import head_of, object_in, toml_in
from store.agents.gemini_cli import is_trusted
from store.agents.hook_files import hook_file
from store.agents.hooks import is_ours
from store.agents.registry import HOOKED, SERVED, client_named
from store.agents.server_files import ServerFile
from store.errors import Unreadable

PATH = Path("settings")
OTHERS: dict[str, Any] = {
    "model": "größer",
    "hooks": {
        "SessionEnd": [{"hooks": [{"type": "command", "command": "other end"}], "note": 1}],
        "sessionStart": [{"command": "mine"}],
        "Odd": True,
    },
    "deep": {"a": [1, 2.5, None, "\ud800", 12345678901234567890]},
}
TABLES = """\
# how I work
model = "größer"  # the large one

[[hooks]]
event = "Stop"
command = "mine"

# what follows
[permissions]
allow = ["ls"]
"""


def _styles() -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    for name in HOOKED:
        hooks = client_named(name).hooks
        assert hooks is not None
        found.setdefault(hooks.style, name)
    return list(found.items())


def _text(style: str) -> str:
    return TABLES if style == "toml-tables" else json.dumps(OTHERS, indent=2)


def _theirs(style: str, text: str) -> object:
    """What a text says beside hooks of ours, events that are left empty apart."""
    value: Any = tomllib.loads(text) if style == "toml-tables" else json.loads(text or "{}")

    def without(value: object) -> object:
        if isinstance(value, dict):
            if is_ours(str(value.get("command", ""))):
                return None
            inner = {key: without(one) for key, one in value.items()}
            left = {key: one for key, one in inner.items() if one not in (None, [], {})}
            return None if "hooks" in value and left.keys() <= {"matcher"} else left or None
        if isinstance(value, list):
            return [kept for one in value if (kept := without(one)) is not None] or None
        return value

    value.pop("version", None)
    return without(value)


@pytest.mark.parametrize(("style", "name"), _styles())
def test_a_file_cut_anywhere_is_refused_or_kept_whole(style: str, name: str) -> None:
    whole, file = _text(style), hook_file(client_named(name))
    refused = 0
    for end in range(len(whole) + 1):
        text = whole[:end]
        try:
            installed = file.with_ours(text, PATH, "memtui")
        except Unreadable:
            refused += 1
            continue
        if style == "plugin":
            assert not text  # all of that file is ours
            continue
        assert _theirs(style, installed) == _theirs(style, text)
        bare = file.without_ours(installed, PATH)
        assert _theirs(style, bare) == _theirs(style, text)
        if style == "toml-tables":
            assert bare.rstrip() == text.rstrip()
    assert refused > 20


@pytest.mark.parametrize(("style", "name"), [it for it in _styles() if it[0] != "plugin"])
def test_doubled_hooks_are_renewed_as_one(style: str, name: str) -> None:
    client = client_named(name)
    file = hook_file(client)
    once = file.with_ours("", PATH, "memtui")

    def doubled(value: Any) -> Any:  # noqa: ANN401 - any JSON
        if isinstance(value, dict):
            return {key: doubled(one) for key, one in value.items()}
        return [doubled(one) for one in value] * 2 if isinstance(value, list) else value

    toml = style == "toml-tables"
    twice = once * 2 if toml else json.dumps(doubled(json.loads(once)))
    wanted = [(it.event, it.line, it.seconds) for it in file.entries(once, PATH)]
    assert client.hooks is not None
    assert [it[::2] for it in wanted] == [(it.event, it.seconds) for it in client.hooks.events]
    assert len(file.entries(twice, PATH)) > len(wanted)
    odd = re.sub(r'(timeout"?\s*[=:]\s*)(\d+)', r"\1[\2]", once)
    for text in (twice, twice.replace("memtui hook", "/old/memtui hook"), odd):
        renewed = file.with_ours(text, PATH, "memtui")
        assert [(it.event, it.line, it.seconds) for it in file.entries(renewed, PATH)] == wanted
        assert file.with_ours(renewed, PATH, "memtui") == renewed


@pytest.mark.parametrize("kind", ["device", "fifo", "large"])
def test_settings_are_read_from_regular_files_alone(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "settings.json"
    if kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.touch()
        os.truncate(path, 20_000_000_000)
    with pytest.raises(Unreadable):
        read_text(path)
    assert object_in(path) == {}
    assert toml_in(path) == {}
    assert head_of(path) == b""


COMMENTED = """\
{
  // the large one
  "model": "pro",
  "hooks": {
    // rings when it is done
    "SessionEnd": [
      {"hooks": [{"type": "command", "command": "bell"}]}, // loud
    ],
  },
}
"""


@pytest.mark.parametrize("name", ["gemini-cli", "qwen-code"])
def test_comments_stay_where_hooks_come_and_go(name: str) -> None:
    file = hook_file(client_named(name))
    installed = file.with_ours(COMMENTED, PATH, "memtui")
    entries = file.entries(installed, PATH)
    hooks = client_named(name).hooks
    assert hooks is not None
    assert {entry.name for entry in entries} == {hook.name for hook in hooks.events}
    for comment in ("// the large one", "// rings when it is done", "// loud"):
        assert comment in installed
    bare = file.without_ours(installed, PATH)
    assert file.is_equivalent(bare, COMMENTED)
    assert not file.is_equivalent(bare, COMMENTED.replace("loud", "quiet"))


_JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
_OBJECT = st.dictionaries(st.text(max_size=3), _JSON, max_size=4)


@settings(max_examples=10)
@given(_OBJECT, _OBJECT, st.sampled_from([None, 0, 2, "\t"]))
def test_any_json_becomes_any_other(
    before: dict[str, Any], after: dict[str, Any], indent: int | str | None
) -> None:
    text = ClientJson(has_comments=False).edited(json.dumps(before, indent=indent), after)
    assert json.loads(text) == after
    commented = text.replace("{", "{ // c\n", 1)
    client = ClientJson(has_comments=True)
    assert client.parsed(client.edited(commented, before), PATH) == before


# Our server in the files of every client: it comes and goes, and nothing else moves.


SERVERS = Path("/settings")
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
        ServerFile(client_named(name)).with_ours(text, SERVERS)


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
    assert file.without_ours(text.replace("OURS", ours), SERVERS) == left


# Settings that stand in several files, and folders that are trusted.


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
