"""What steps did to files: edits in twos and threes, folders, helpers and checkouts."""

from __future__ import annotations

import pytest

from store.agents.changed_files import changed_files
from store.agents.paths import project_path
from tests.store.capture.dialogues import session_of


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
        ("/srv/other/shop/a.py", "/srv/shop", (), "/srv/other/shop/a.py"),
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
