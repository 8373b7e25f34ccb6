"""Settings in files, variables and on the command line: each way to write them, and what is taken.

What a text becomes is held whole: the file, the value, the mistake with its place.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from memtui.settings.schema import AppSettings
from store.errors import Conflict, InvalidSetting, WriteFailed
from store.settings import files
from store.settings.edit import keep_setting, reset_setting, take_back
from store.settings.files import load_settings, project_file, user_choice
from store.settings.schema import known_settings, settings_class
from store.settings.values import allowed, as_typed, typed_value

TEXTS = {
    "nothing": "",
    "a blank line": "\n",
    "a comment": "# mine",
    "another value": "max_tokens = 9\n",
    "without an end": "max_tokens = 9",
    "of Windows": "max_tokens = 9\r\n\r\n[client_tokens]\r\ncodex = 3\r\n",
    "set": 'enabled = false # mine\nbackend = ""\n',
    "by its other name": "maxMemoriesPerCapture = 3 # mine\n",
    "by its former name": "max_observations_per_capture = 3\n",
    "a table": "[client_tokens] # mine\ncodex = 3 # few\ngemini-cli = 4\n",
    "a table and comments": "max_tokens = 9\n\n# a\n\n# clients\n\n[client_tokens]\ncodex = 3\n",
    "a table alone": "\n# clients\n[client_tokens]\ncodex = 3\n",
    "in a line": "client_tokens = { codex = 3 } # mine\n",
    "dotted": "client_tokens.codex = 3\nmax_tokens = 9\n",
    "an array of lines": "theirs = [\n  1,\n]\n",
    "a bracket in a text": 'theirs = """\n[x]\n"""',
    "broken": "max_tokens = \n",
}
EDITS: dict[str, tuple[str, Any]] = {
    "enabled": ("enabled", True),
    "number": ("max_tokens", 12_000),
    "days": ("compaction_min_age_days", 1.5),
    "text": ("backend", "postgresql://db/x"),
    "former": ("max_memories_per_capture", 4),
    "table": ("client_tokens", {"codex": 3, "claude-code": 5}),
    "no table": ("client_tokens", {}),
}


@pytest.mark.parametrize("name", [*EDITS, "reset"])
def test_what_a_file_becomes(tmp_path: Path, name: str, snapshot: SnapshotAssertion) -> None:
    told = []
    for at, (about, text) in enumerate(TEXTS.items()):
        path = tmp_path / f"{at}.toml"
        path.write_bytes(text.encode())
        try:
            if name == "reset":
                change = reset_setting(path, "client_tokens")
            else:
                change = keep_setting(path, *EDITS[name])
        except WriteFailed as error:
            said = error.message.replace(str(tmp_path), ".").partition(" TOML: ")
            told.append(f"{about}: {said[0]}{said[1]}{error.hint}")
            assert path.read_bytes().decode() == text
            continue
        after = path.read_bytes().decode()
        assert (change.path, change.before, change.after) == (path, text, after)
        assert change.changed is (text != after)
        told.append(f"{about}: {after!r}")
        take_back(change)
        assert path.read_bytes().decode() == text
    assert "\n".join(told) == snapshot


def test_what_was_made_is_taken_back_and_made_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "settings.toml"
    assert not reset_setting(path, "enabled").changed
    assert not path.parent.exists()
    made = keep_setting(path, "enabled", value=False)
    assert (made.before, made.after) == (None, "enabled = false\n")
    assert path.stat().st_mode & 0o777 == 0o600
    gone = take_back(made)
    assert (gone.before, gone.after, path.exists()) == (made.after, None, False)
    assert take_back(gone).after == path.read_text() == made.after
    path.write_text("enabled = true\n")
    with pytest.raises(Conflict) as refused:
        take_back(made)
    assert refused.value.message == f"{path} has changed since."
    assert refused.value.hint == "Edit it with `memtui config edit`."


TYPED = {
    "enabled": ("true", "false", "1", "no", " on ", "maybe", ""),
    "max_tokens": ("0", " 12 ", "12.0", "12.5", "-1", "10000000", "10000001", "many", ""),
    "compaction_min_age_days": ("1.5", "-0.1", "36501", "nan", "x"),
    "stale_archive_after_days": ("0", "1", "36500", "36501"),
    "client_tokens": ("{codex = 3}", "{codex = -1}", "{other = 3}", "{", "3", "", "{codex = 'x'}"),
    "capacities": ("{semantic = 1}", "{semantic = 0}", "{none = 1}", "{}", "{semantic = 1.5}"),
    "recall_weights": ("{recency = 1}", "{issue = 1}", "{none = 1}", "{recency = 'x'}"),
    "backend": ("", " postgresql://db/x ", "mysql://db/x", "postgresql://me:secret@db/x", "x"),
    "theme": ("nord", "none", ""),
    "editor": ("vi", "vi -n", "'", ""),
}


def test_what_a_person_types(snapshot: SnapshotAssertion) -> None:
    told = []
    for name, texts in TYPED.items():
        for text in texts:
            try:
                value = typed_value(name, text)
                said = f"{value!r}, typed again {as_typed(value)!r}"
            except InvalidSetting as error:
                said = f"refused: {error.message} | {error.hint}"
            told.append(f"{name} {text!r}: {said}")
    assert "\n".join(told) == snapshot


def test_what_is_set_as_it_is_typed() -> None:
    rows = [("", ""), ({}, ""), ("x y", "x y"), (True, "true"), (3, "3"), (0, "0"), (1.5, "1.5")]
    assert [(value, as_typed(value)) for value, _ in rows] == rows
    assert as_typed({"codex": 3, "gemini-cli": 4}) == "{ codex = 3, gemini-cli = 4 }"


LOADED: dict[str, tuple[str, str, dict[str, str]]] = {
    "nothing": ("", "", {}),
    "blank": (" \n", "\n", {"MEMTUI_DIR": "x", "MEMTUI_AGENT": "y", "OTHER": "z"}),
    "each over the other": (
        "max_tokens = 1\nenabled = false\ncontext_limit = 2000",
        "max_tokens = 2\ncontext_limit = 3000",
        {"MEMTUI_MAX_TOKENS": "3"},
    ),
    "a wrong one leaves the one below": (
        "max_tokens = 1",
        "max_tokens = -1",
        {"MEMTUI_MAX_TOKENS": "x"},
    ),
    "strict in files": ('max_tokens = "5"\nenabled = 1', "compaction_min_age_days = 3", {}),
    "personal": ("share_sessions = true", "\nshare_sessions = false\nkeep_messages = true", {}),
    "unknown": ("maxToken = 1\nxyzzy = 2\n[tables]\na = 1", "", {"MEMTUI_XYZZY": "1"}),
    "former names": (
        "max_observations_per_capture = 3",
        "maxObservationsPerCapture = 4",
        {"MEMTUI_MAX_OBSERVATIONS_PER_CAPTURE": "5"},
    ),
    "both names": ("", "", {
        "MEMTUI_MAX_OBSERVATIONS_PER_CAPTURE": "5", "MEMTUI_MAX_MEMORIES_PER_CAPTURE": "6",
    }),
    "not needed": ("manifestCacheTtlMs = 5", "manifest_cache_ttl_ms = 5", {}),
    "of a table some": ("[client_tokens]\ncodex = 3\nnone = 4\nclaude-code = -1", "", {}),
    "of a table none": ("", "[capacities]\nnone = 3", {}),
    "no table": ("client_tokens = 3", "", {"MEMTUI_CLIENT_TOKENS": "3"}),
    "tables in variables": ("", "", {
        "MEMTUI_CLIENT_TOKENS": "{codex = 3}", "MEMTUI_CAPACITIES": "{none = 3}",
        "MEMTUI_RECALL_WEIGHTS": "{issue = 1, recency = 2}",
    }),
    "former factors": ("[recall_weights]\nissue = 1\nrecency = 2", "", {}),
    "no TOML": ("a = ", "a\n", {}),
    "empty variables": ("", "", {"MEMTUI_MAX_TOKENS": "", "MEMTUI_BACKEND": ""}),
    "spaces in variables": ("", "", {"MEMTUI_MAX_TOKENS": " 7 ", "MEMTUI_ENABLED": "no"}),
}  # fmt: skip


def test_what_is_in_force(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    told = []
    user, memory = tmp_path / "user.toml", tmp_path / "shop" / "memory"
    memory.mkdir(parents=True)
    for about, (mine, projects, environ) in LOADED.items():
        user.write_text(mine)
        project_file(memory).write_text(projects)
        loaded = load_settings(memory, environ, user)
        values = {name: getattr(loaded.settings, name) for name in loaded.chosen}
        told += [f"{about}: {values}", f"  from {dict(loaded.chosen)}"]
        for it in loaded.mistakes:
            if it.kind == "toml":
                assert it.detail == it.notice.values["detail"] != ""
                it = it._replace(detail="as the parser says")
            told.append(f"  {it!r} {it.notice!r}")
    assert "\n".join(told).replace(str(tmp_path), "") == snapshot


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"#" * files.MAX_BYTES, None),
        (b"#" * (files.MAX_BYTES + 1), "larger than 32 KB"),
        (b"a = 1\n\xff", "byte 6 is not UTF-8"),
        (b"# " + b"x" * 1_500 + b"\xff", "byte 1,502 is not UTF-8"),
        (None, "not a regular file"),
    ],
)
def test_which_file_is_read(tmp_path: Path, data: bytes | None, said: str | None) -> None:
    path = tmp_path / "user.toml"
    path.mkdir() if data is None else path.write_bytes(data)
    loaded = load_settings(tmp_path / "none" / "memory", {}, path)
    assert [it.detail for it in loaded.mistakes if it.kind == "file"] == ([said] if said else [])


@pytest.mark.parametrize(
    ("text", "environ", "found"),
    [
        (None, {}, ""),
        (None, {"MEMTUI_THEME": "nord"}, "nord"),
        ('theme = "nord"', {}, "nord"),
        ('theme = "nord"', {"MEMTUI_THEME": "gruvbox"}, "gruvbox"),
        ('theme = "nord"', {"MEMTUI_THEME": ""}, "nord"),
        ("max_tokens = 9", {}, ""),
        ('# theme = "nord"', {}, ""),
        ("theme = 7", {}, ""),
        ("#" * files.MAX_BYTES + '\ntheme = "nord"', {}, ""),
    ],
)
def test_one_text_is_read_without_the_others(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str | None,
    environ: dict[str, str],
    found: str,
) -> None:
    path = tmp_path / "settings.toml"
    if text is not None:
        path.write_text(text)
    monkeypatch.setattr(files, "user_file", lambda: path)
    assert user_choice("theme", environ) == found
    monkeypatch.setattr(files, "settings_in", lambda _: pytest.fail("read for nothing"))
    if "theme" not in (text or "") or environ.get("MEMTUI_THEME"):
        assert user_choice("theme", environ) == found


def test_what_is_known_of_each_setting(snapshot: SnapshotAssertion) -> None:
    assert settings_class() is AppSettings
    told = []
    for name, it in known_settings().items():
        assert it.name == name
        shown = json.dumps([it.default, it.example, it.accepts.options], default=str)
        personal = " personal" if it.is_personal else ""
        told.append(f"{name} {shown}{personal}, {allowed(name)}: {it.meaning}")
    assert "\n".join(told) == snapshot
