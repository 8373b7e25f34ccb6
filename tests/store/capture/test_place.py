from __future__ import annotations

import pytest

from store.agents.paths import project_path
from store.sessions.place import issue_for, issue_from_branch


@pytest.mark.parametrize(
    ("branch", "issue"),
    [
        ("feature/29-locks", 29),
        ("issue-29", 29),
        ("GH-29", 29),
        ("gh-29-locks", 29),
        ("someone/issue_29", 29),
        ("fix/29", 29),
        ("team/feature/#29-x", 29),
        ("29-locks", 29),
        ("29", 29),
        ("ENT-98", 98),
        ("PROJ-1234", 1234),
        ("feature/PROJ-1234-login", 1234),
        ("UTF-8", 8),
        ("main", 0),
        ("", 0),
        ("release/2.1.0", 0),
        ("release-2024", 0),
        ("v2", 0),
        ("20260209-postinstall", 0),
        ("2026-02-09", 0),
        ("feature/python3-port", 0),
    ],
)
def test_issue_of_a_branch(branch: str, issue: int) -> None:
    assert issue_from_branch(branch) == issue


def test_the_issue_comes_from_the_most_explicit_place() -> None:
    assert issue_for(option=0, environ={"MEMTUI_ISSUE": "7"}, branch="issue-9") == 0
    assert issue_for(environ={"MEMTUI_ISSUE": "#7"}, hook={"issue": 8}, branch="issue-9") == 7
    assert issue_for(environ={"MEMTUI_ISSUE": "x"}, hook={"issue": 8}, branch="issue-9") == 8
    assert issue_for(hook={"issue": None}, branch="issue-9") == 9
    assert issue_for() == 0


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home/someone/shop/src/a.py", "src/a.py"),
        ("src/../a.py", "a.py"),
        ("./a.py", "a.py"),
        ("/home/someone/other/a.py", "~/other/a.py"),
        ("/Users/someone/other/a.py", "~/other/a.py"),
        ("/tmp/scratch.py", ""),
        ("~/.claude/plans/a.md", ""),
        (".git/config", ""),
        (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
        ("/private/var/folders/x/y.py", ""),
        ("/home/someone/.claude/plans/a.md", ""),
        ("../sibling/a.py", "~/sibling/a.py"),
        ("/etc/hosts", "/etc/hosts"),
        ("C:\\work\\a.py", "C:/work/a.py"),
        ("", ""),
    ],
)
def test_files_are_named_as_the_project_names_them(path: str, name: str) -> None:
    assert project_path(path, "/home/someone/shop") == name
