"""What steps did to files: edits in twos and threes, folders, helpers and checkouts."""

from __future__ import annotations

from typing import Any

import pytest

from store.agents.session import Step
from store.agents.transcript import ToolCall, ToolResult
from store.capture.steps.edited_files import EditedFile, changed_files
from store.capture.steps.paths import project_path, without_folder
from store.capture.steps.tools import Edit, edits_of, reads_of
from tests.store.capture.dialogues import session_of


def step(line: int = 5, command: str = "", *, failed: bool = False) -> Step:
    """An edit, or a command, at a line."""
    arguments: dict[str, object] = {"command": command} if command else {"file_path": "a.py"}
    made = ToolCall(line, f"call-{line}", "Bash" if command else "Edit", None, arguments)
    return Step(made, ToolResult(line + 1, f"call-{line}", "ok", None, failed))


def call(tool: str, **arguments: Any) -> ToolCall:  # noqa: ANN401 - any JSON
    return ToolCall(1, "c", tool, arguments=arguments)


PATCH = (
    "*** Begin Patch\n*** Add File: a.py\n+def row():\n+    x\n*** Update File: b.py\n-old\n+new\n"
    "+more\n*** Move to: c.py\n*** Delete File: d.py\n*** End Patch"
)
PATCHED = [
    Edit("a.py", "created", 2, 0),
    Edit("b.py", "modified", 2, 1),
    Edit("d.py", "deleted"),
    Edit("c.py", "moved"),
]


@pytest.mark.parametrize(
    ("given", "edits"),
    [
        (call("apply_patch", input=PATCH), PATCHED),
        (call("apply_patch", patch=PATCH), PATCHED),
        (call("shell", command=["apply_patch", PATCH]), PATCHED),
        (
            call("bash", command="rm a.py; touch b.py"),
            [Edit("a.py", "deleted"), Edit("b.py", "created")],
        ),
        (
            call("edit", file_path="a.py", old_string="x\ny", new_string="x\nz\nw"),
            [Edit("a.py", "modified", 2, 1)],
        ),
        (call("write", path="a.py", content="x\ny"), [Edit("a.py", "modified", 2)]),
        (call("delete_file", target_file="a.py"), [Edit("a.py", "deleted")]),
        (call("delete", path="a.py"), [Edit("a.py", "deleted")]),
        (call("edit", path="a.py", content=[5], diff="x"), [Edit("a.py", "modified", 1)]),
        (call("mcp__it__its__write_file", path="a.py", content="x"), [Edit("a.py", "modified", 1)]),
        (call("shell", command=["zsh", "-lc", "rm a.py"]), [Edit("a.py", "deleted")]),
        (call("edit", old_string="x", new_string="y"), []),
        (call("read", path="a.py"), []),
        (
            call("multi_edit", file_path="a.py", edits=[
                {"old_string": "x", "new_string": "y"},
                "odd",
                {"old_string": "def sum():\n    z", "new_string": "def sum():\n    w\n    v"},
                {"old_string": "class Row:\n", "new_string": ""},
            ]),
            [Edit("a.py", "modified", 3, 3)],
        ),
    ],
)  # fmt: skip
def test_what_a_call_does_to_files(given: ToolCall, edits: list[Edit]) -> None:
    assert list(edits_of(given)) == edits


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        (call("read", file_path="a.py"), ["a.py"]),
        (call("grep", path="shop/a.py"), ["shop/a.py"]),
        (call("grep", path="shop"), []),
        (call("grep", path="shop.d/src"), []),
        (call("read", path="shop"), ["shop"]),
        (call("read_files", files=[{"path": "a.py"}, {"path": "b.py"}]), ["a.py", "b.py"]),
        (
            call("bash", command="cat a.py && cd web && head -3 b.py 'c.py'"),
            ["a.py", "web/b.py", "web/c.py"],
        ),
        (call("edit", path="a.py"), []),
    ],
)
def test_the_files_that_a_call_reads(given: ToolCall, paths: list[str]) -> None:
    assert list(reads_of(given)) == paths


def _files(text: str) -> dict[str, str]:
    session = session_of(text)
    return {path: file.how for path, file in changed_files(session).items()}


EDITS = "EDIT a.py\n-x\n+y\nEDIT b.py\n-x\n+y\n"


@pytest.mark.parametrize(
    ("text", "files"),
    [
        (EDITS, {"a.py": "modified", "b.py": "modified"}),
        (f"{EDITS}BASH rm a.py\n", {"a.py": "deleted", "b.py": "modified"}),
        ("WRITE a.py\nx\nBASH touch c.py\nBASH rm c.py\n", {"a.py": "modified"}),
        (f"{EDITS}FAILS rm a.py\nno\n", {"a.py": "modified", "b.py": "modified"}),
        (f"{EDITS}BASH mv a.py web/a.py\n", {"web/a.py": "moved", "b.py": "modified"}),
        ("EDIT web/a.py\n-x\n+y\nBASH rm -rf web\n", {"web/a.py": "deleted"}),
        (
            "EDIT web/a.py\n-x\n+y\nEDIT b.py\n-x\n+y\nBASH rm -rf web\n",
            {"web/a.py": "deleted", "b.py": "modified"},
        ),
        (
            f"{EDITS}EDIT web/c.py\n-x\n+y\nBASH rm -rf web\n",
            {"a.py": "modified", "b.py": "modified", "web/c.py": "deleted"},
        ),
        ("EDIT a.py\n-x\n+y\nBASH rm a.py\n", {"a.py": "deleted"}),
        (
            f"{EDITS}EDIT web/c.py\n-x\n+y\nEDIT web2/d.py\n-x\n+y\nBASH rm -rf web\n",
            {
                "a.py": "modified",
                "b.py": "modified",
                "web/c.py": "deleted",
                "web2/d.py": "modified",
            },
        ),
        ("EDIT src/a.py\n-x\n+y\nBASH mv src/a.py web/a.py\n", {"web/a.py": "moved"}),
        (f"{EDITS}BASH git add a.py && git rm b.py\n", {"a.py": "modified", "b.py": "modified"}),
        ("BASH git add a.py\n", {"a.py": "modified"}),
        ("BASH python gen.py > gen.py\n", {"gen.py": "modified"}),
        (f"{EDITS}BASH python gen.py > web/gen.py\n", {"a.py": "modified", "b.py": "modified"}),
        (f"{EDITS}BASH ls > out.log\n", {"a.py": "modified", "b.py": "modified"}),
        (f"{EDITS}BASH ls > logs/out.json\n", {"a.py": "modified", "b.py": "modified"}),
        (f"{EDITS}BASH ls > c.py\n", {"a.py": "modified", "b.py": "modified", "c.py": "modified"}),
        ("EDIT ../c.py\n-x\n+y\n", {}),
    ],
)
def test_which_files_are_changes_of_the_project(text: str, files: dict[str, str]) -> None:
    assert _files(text) == files


def test_what_became_of_a_file_is_told_by_its_first_and_its_last_edit() -> None:
    for hows, how in (
        (["created", "modified"], "created"),
        (["created", "deleted"], ""),
        (["created", "moved"], "created"),
        (["modified", "deleted"], "deleted"),
        (["deleted", "created"], "modified"),
        (["deleted", "modified"], "modified"),
        (["modified", "moved"], "moved"),
    ):
        assert EditedFile("a", [(step(), Edit("a", it)) for it in hows]).how == how
    done = [(step(), Edit("a.py", "modified", 2, 1)), (step(), Edit("a.py", "modified", 4))]
    assert EditedFile("a.py", done).lines == 7
    assert EditedFile("a.py", done).is_source
    assert not EditedFile("tests/test_a.py", done).is_source
    assert not EditedFile("a.MD", done).is_source


@pytest.mark.parametrize(
    ("path", "folder", "roots", "told"),
    [
        ("/srv/shop/web/a.py", "/srv/shop/web", ("/srv/shop",), "web/a.py"),
        ("/srv/shop/web/a.py", "/srv/shop/web", ("/other", "/srv/shop"), "web/a.py"),
        ("/srv/shop/web/a.py", "/srv/shop/web", (), "a.py"),
        ("a.py", "/srv/shop/web", ("/srv/shop",), "web/a.py"),
        ("/srv/shopping/a.py", "/srv/shop", (), "/srv/shopping/a.py"),
        ("/srv/shop/a.py", "/srv/shop/", (), "a.py"),
        (" /srv/shop/a.py ", "/srv/shop", (), "a.py"),
        ("/srv/shop/.claude/worktrees/one/a.py", "/srv/shop", (), "a.py"),
        ("/tmp/shop/a.py", "/tmp/shop", (), "a.py"),
        ("/tmp/other/a.py", "/tmp/shop", (), ""),
        ("/srv/shop/.git/config", "/srv/shop", (), ""),
        ("a.py", "", (), "a.py"),
    ],
)
def test_a_path_is_told_from_the_first_root_above_it(
    path: str, folder: str, roots: tuple[str, ...], told: str
) -> None:
    assert project_path(path, folder, roots) == told


def test_a_folder_is_left_out_of_a_text_where_it_says_where() -> None:
    assert without_folder("See /srv/shop/a.py, /srv/shop/b.py", "/srv/shop/") == "See a.py, b.py"
    assert without_folder("See /srv/a.py", "/srv") == "See /srv/a.py"
    assert without_folder("See / a/b", "/") == "See / a/b"
    assert without_folder("See /srv/shops/a.py", "/srv/shop") == "See /srv/shops/a.py"
