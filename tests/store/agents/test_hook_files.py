"""Clients' files as they are found: cut, half written, odd. What is theirs is never lost."""

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

from memtui.client_file import read_text
from store.agents.commented_json import ClientJson
from store.agents.files import head_of, object_in, toml_in
from store.agents.hook_files import hook_file
from store.agents.hooks import is_ours
from store.agents.registry import HOOKED, client_named
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


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kimi", 'hooks = "all"\n'),
        ("opencode", 'const COMMAND = "memtui"\n'),
        ("opencode", "// Written by `memtui hooks install opencode`\n"),
    ],
)
def test_a_file_of_another_shape_is_refused(name: str, text: str) -> None:
    file = hook_file(client_named(name))
    with pytest.raises(Unreadable, match="settings"):
        file.entries(text, PATH)
    with pytest.raises(Unreadable, match="settings"):
        file.without_ours(text, PATH)
    with pytest.raises(Unreadable, match="settings"):
        file.with_ours(text, PATH, "memtui")


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


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "a": [\n    1\n  ]\n}\n'),
        ("{}\n", '{\n  "a": [\n    1\n  ]\n}\n'),
        ('{"a": []}', '{"a": [\n  1\n]}'),
        ('{\n\t"x": 1,\n\t"a": []\n}', '{\n\t"a": [\n\t\t1\n\t]\n}'),
        ('{\r\n  "a": [\r\n    2\r\n  ]\r\n}', '{\r\n  "a": [\r\n    1\r\n  ]\r\n}'),
        ('{"a": [ 1 , 2 ]} ', '{"a": [ 1 ]} '),
    ],
)
def test_json_is_changed_in_the_style_of_its_file(before: str, after: str) -> None:
    assert ClientJson(has_comments=False).edited(before, {"a": [1]}) == after


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
