"""What a tool call does, as its arguments tell."""

from __future__ import annotations

from typing import Any

import pytest

from store.agents.transcript import ToolCall
from store.capture.steps.tools import command_of, edits_of, reads_of


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


@pytest.mark.parametrize(
    ("old", "new", "added", "removed"),
    [
        ("a\nb\nc", "a\nc", 0, 1),
        ("b\na\nb\nc", "a\nc", 0, 2),
        ("a", "b\na\nb", 2, 0),
        ("a\na", "b\nb\nb", 3, 2),
        ("a\nb", "b\na", 0, 0),
    ],
)
def test_lines_that_stand_several_times_count_each_time(
    old: str, new: str, added: int, removed: int
) -> None:
    (edit,) = edits_of(call("edit", path="a.py", old_string=old, new_string=new))
    assert (edit.added, edit.removed) == (added, removed)
