"""What a tool call does, as its arguments tell."""

from __future__ import annotations

from typing import Any

import pytest

from store.agents.transcript import ToolCall
from store.capture.steps.tools import command_of, reads_of, replaced_in


def call(tool: str, **arguments: Any) -> ToolCall:  # noqa: ANN401 - any JSON
    return ToolCall(1, "c", tool, arguments=arguments)


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["bash", "-lc", "make all"], "make all"),
        (["sh", "-c", "make all"], "make all"),
        (["make", "all"], "make all"),
        (["bash", "make.sh"], "bash make.sh"),
    ],
)
def test_a_command_in_words_is_what_a_shell_is_given(words: list[str], command: str) -> None:
    assert command_of(call("shell", command=words)) == command


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"paths": ["a.py", 5, {"path": "b.py"}, {"line": 1}]}, ["a.py", "b.py"]),
        ({"files": ["a.py"]}, ["a.py"]),
        ({"paths": "a.py"}, []),
        ({"path": "c.py", "paths": ["a.py"]}, ["c.py"]),
    ],
)
def test_several_files_are_read_at_once(arguments: dict[str, Any], paths: list[str]) -> None:
    assert list(reads_of(call("read_many_files", **arguments))) == paths


def test_only_an_editor_replaces_text() -> None:
    given = {"old_string": "a", "new_string": "b"}
    assert list(replaced_in(call("edit", **given))) == [("a", "b")]
    assert list(replaced_in(call("search", **given))) == []
