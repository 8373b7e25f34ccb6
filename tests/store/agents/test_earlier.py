"""Sessions of a project that lay elsewhere: found by what they name, never by a name alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.agents.client import Home
from store.agents.discovery import session_files
from store.agents.files import dashed
from store.project import folders_of
from tests.store.capture.transcripts import ClaudeCode


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project, now at `new/shop`."""
    root = tmp_path / "new" / "shop"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (root / ".git" / "config").write_text(
        '[remote "origin"]\n\turl = git@github.com:someone/shop.git\n'
    )
    (root / "store").mkdir()
    (root / "store" / "lock.py").write_text("x = 1\n")
    return root


def claude(home: Path, cwd: str, *edited: str) -> Path:
    made = ClaudeCode(session="s", cwd=cwd).user("Make it wait.")
    for name in edited:
        made.edit(name)
    path = home / ".claude" / "projects" / dashed(Path(cwd)) / "s.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(made.lines))
    return path


def found(home: Path, root: Path) -> list[Path]:
    return [file.path for file in session_files(Home(home, {}), folders_of(root))]


@pytest.mark.parametrize(
    ("cwd", "edited"),
    [
        ("/gone/shop", ["store/lock.py"]),
        ("/gone/shop/store", ["lock.py"]),
        ("/gone/worktrees/shop/quick-fix", ["store/lock.py"]),
        ("/gone/shop", ["store/lock.py", "since/removed.py"]),
        ("/gone/shop/shop/store", ["lock.py"]),
        ("/gone/Shop", ["store/lock.py"]),
        ("/gone/shop", ["store/lock.py", "store/lock.py", "store/lock.py", "a.py"]),
    ],
)
def test_where_it_lay_before(tmp_path: Path, shop: Path, cwd: str, edited: list[str]) -> None:
    path = claude(tmp_path / "home", cwd, *edited)
    assert found(tmp_path / "home", shop) == [path]


@pytest.mark.parametrize(
    ("cwd", "edited"),
    [
        ("/gone/shop", ["other/app.py"]),
        ("/gone/shop", []),
        ("/gone/bakery", ["store/lock.py"]),
        ("/gone/shop", ["store/lock.py", "a.py", "b.py"]),
    ],
)
def test_another_project_stays_out(tmp_path: Path, shop: Path, cwd: str, edited: list[str]) -> None:
    claude(tmp_path / "home", cwd, *edited)
    assert found(tmp_path / "home", shop) == []


def test_a_namesake_that_is_there_stays_out(tmp_path: Path, shop: Path) -> None:
    other = tmp_path / "old" / "shop"
    other.mkdir(parents=True)
    claude(tmp_path / "home", str(other), "store/lock.py")
    assert found(tmp_path / "home", shop) == []


@pytest.mark.parametrize(
    ("url", "is_ours"),
    [
        ("https://github.com/someone/shop", True),
        ("https://GitHub.com/someone/shop.git", True),
        ("ssh://git@github.com/someone/shop/", True),
        ("git@github.com:someone/shop", True),
        ("https://github.com/other/shop", False),
        ("https://github.com/someone/shop-2", False),
        ("", False),
    ],
)
def test_its_remote_is_known(tmp_path: Path, shop: Path, url: str, is_ours: bool) -> None:
    folder = tmp_path / "home" / ".codex" / "sessions" / "2026" / "03" / "01"
    folder.mkdir(parents=True)
    (folder / "rollout-1.jsonl").write_text(
        '{"type": "session_meta", "payload": {"id": "c-1", "cwd": "/gone/renamed",'
        f' "git": {{"repository_url": "{url}"}}}}}}\n'
    )
    assert bool(found(tmp_path / "home", shop)) is is_ours


def test_any_remote_of_a_project_and_any_session_of_it_counts(tmp_path: Path, shop: Path) -> None:
    with (shop / ".git" / "config").open("a") as config:
        config.write('[remote "fork"]\n  url=https://example.test/fork/shop.git\n[core]\n')
    folder = tmp_path / "home" / ".codex" / "sessions" / "2026" / "03" / "01"
    folder.mkdir(parents=True)
    for number, url in enumerate(("git@github.com:someone/shop", "https://example.test/fork/shop")):
        meta = (
            f'{{"id": "{number}", "cwd": "/gone/{number}", "git": {{"repository_url": "{url}"}}}}'
        )
        line = f'{{"type": "session_meta", "payload": {meta}}}\n'
        (folder / f"rollout-{number}.jsonl").write_text(line)
    sessions = session_files(Home(tmp_path / "home", {}), [shop])
    assert {file.folder for file in sessions} == {"/gone/0", "/gone/1"}
    (shop / ".git" / "config").unlink()
    assert found(tmp_path / "home", shop) == []
