"""Whose sessions are these: the folder that a file tells decides, and proof where it is gone."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from store.agents.answers import Answer, forget_answer, keep_answer, read_answers
from store.agents.client import Home
from store.agents.files import dashed
from store.agents.ownership import Earlier, Standing, sort_sessions
from store.errors import NotFound
from store.platform.project import folders_of
from tests.store.capture.transcripts import ClaudeCode


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    done = subprocess.run(
        ["git", "-C", str(folder), *identity, *words], capture_output=True, check=True, text=True
    )
    return done.stdout.strip()


def repository(root: Path, *files: str) -> Path:
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x = 1\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "first")
    return root


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "home").mkdir()
    return Home(tmp_path / "home", {})


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project, now at `new/shop`."""
    root = repository(tmp_path / "new" / "shop", "store/lock.py", "README.md", "src/index.ts")
    git(root, "remote", "add", "origin", "git@github.com:someone/shop.git")
    return root


def claude(home: Home, cwd: Path | str, *edited: str, filed: str = "", ran: str = "") -> Path:
    made = ClaudeCode(session="s", cwd=str(cwd)).user("Make it wait.")
    for name in edited:
        made.edit(name)
    if ran:
        made.bash(ran)
    folder = home.path / ".claude" / "projects" / (filed or dashed(Path(cwd)))
    path = folder / f"s{len(list(folder.glob('*')))}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    return made.write(path)


def codex(home: Home, cwd: Path | str, **of_git: str) -> Path:
    folder = home.path / ".codex" / "sessions" / "2026" / "03" / "01"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"rollout-{len(list(folder.iterdir()))}.jsonl"
    meta = {"id": path.stem, "cwd": str(cwd), "git": of_git}
    path.write_text(json.dumps({"type": "session_meta", "payload": meta}) + "\n")
    return path


def cursor(home: Home, folder: Path, *named: str) -> Path:
    slug = dashed(folder).strip("-")
    path = home.path / ".cursor" / "projects" / slug / "agent-transcripts" / "t" / "t.jsonl"
    path.parent.mkdir(parents=True)
    blocks = [{"type": "tool_use", "name": "Read", "input": {"path": name}} for name in named]
    path.write_text(json.dumps({"role": "assistant", "message": {"content": blocks}}))
    return path


def own(home: Home, root: Path) -> list[Path]:
    return [file.path for file in sort_sessions(home, folders_of(root)).own]


def earlier(home: Home, root: Path) -> list[Earlier]:
    return list(sort_sessions(home, folders_of(root)).earlier)


def reasons(found: Earlier) -> list[str]:
    return [why.kind for why in found.reasons]


# The folder that a session tells


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("a-b", "a/b"),
        ("店铺", "商店"),
        ("x" * 120 + "/" + "y" * 120 + "a", "x" * 120 + "/" + "y" * 120 + "b"),
    ],
)
@pytest.mark.parametrize("client", ["claude", "qwen"])
def test_folders_with_one_name(
    tmp_path: Path, home: Home, ours: str, theirs: str, client: str
) -> None:
    mine, other = repository(tmp_path / ours), repository(tmp_path / theirs)
    name = dashed(other)[:200] if len(dashed(other)) > 200 else dashed(other)
    path = claude(home, other, filed=name)
    if client == "qwen":
        chat = home.path / ".qwen" / "projects" / name / "chats" / "s.jsonl"
        chat.parent.mkdir(parents=True)
        path = path.rename(chat)
    assert own(home, mine) == []
    assert earlier(home, mine) == []
    assert own(home, other) == [path]


def test_a_client_that_tells_no_folder(tmp_path: Path, home: Home) -> None:
    mine, other = repository(tmp_path / "my-app"), repository(tmp_path / "my_app")
    path = cursor(home, mine)
    for root, beside in ((mine, other), (other, mine)):
        (offered,) = earlier(home, root)
        assert own(home, root) == []
        assert offered.folder == path.parents[2]
        assert offered.standing is Standing.OFFERED
        (why,) = offered.reasons
        assert (why.kind, why.values) == (
            "ran-named-alike",
            {"client": "Cursor", "folder": str(beside)},
        )
    other.rename(tmp_path / "elsewhere")
    assert own(home, mine) == [path]


def test_a_link_to_the_project(tmp_path: Path, home: Home, shop: Path) -> None:
    (tmp_path / "link").symlink_to(shop)
    path = claude(home, tmp_path / "link")
    assert own(home, shop) == own(home, tmp_path / "link") == [path]


# A folder that is gone: what shows that it was this repository


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
def test_its_remote_is_proof(home: Home, shop: Path, url: str, is_ours: bool) -> None:
    path = codex(home, "/gone/renamed", repository_url=url)
    assert own(home, shop) == ([path] if is_ours else [])


def test_its_commits_are_proof(home: Home, shop: Path) -> None:
    first = git(shop, "rev-parse", "HEAD")
    path = codex(home, "/gone/renamed", commit_hash=first)
    codex(home, "/gone/other", commit_hash="0" * 40)
    assert own(home, shop) == [path]
    assert [reasons(it) for it in earlier(home, shop)] == [["ran-same-commit"]]


def test_a_move_that_a_session_made_is_proof(tmp_path: Path, home: Home, shop: Path) -> None:
    claude(home, tmp_path / "new", ran="mv old-name shop && cd shop && ls")
    path = claude(home, tmp_path / "new" / "old-name" / "api")
    assert own(home, shop) == [path]
    assert [reasons(it) for it in earlier(home, shop)] == [["ran-moved"]]


# What is offered otherwise, and what is answered


def test_another_home_folder_is_offered(tmp_path: Path) -> None:
    home = Home(tmp_path / "ana", {})
    root = repository(home.path / "work" / "shop")
    below = claude(home, tmp_path / "old-ana" / "work" / "shop" / "api")
    claude(home, tmp_path / "old-ana" / "work" / "till")
    (found,) = earlier(home, root)
    assert (found.folder, reasons(found)) == (tmp_path / "old-ana", ["ran-other-home"])
    keep_answer(home, Answer(tmp_path / "old-ana", home.path, is_taken=True))
    assert own(home, root) == [below]
    till = repository(home.path / "work" / "till")
    assert len(own(home, till)) == 1


def test_an_answer_is_remembered(home: Home, shop: Path) -> None:
    path = claude(home, "/gone/old-name/store", "lock.py")
    keep_answer(home, Answer(Path("/gone/old-name"), shop, is_taken=True))
    assert own(home, shop) == [path]
    keep_answer(home, Answer(Path("/gone/old-name"), shop, is_taken=False))
    assert own(home, shop) == []
    assert [(it.standing, it.is_answered) for it in earlier(home, shop)] == [
        (Standing.REFUSED, True)
    ]
    assert len(read_answers(home)) == 1
    forget_answer(home, Path("/gone/old-name"), shop)
    assert [it.standing for it in earlier(home, shop)] == [Standing.OFFERED]
    with pytest.raises(NotFound):
        forget_answer(home, Path("/gone/old-name"), shop)


def test_what_is_proven_can_be_refused(home: Home, shop: Path) -> None:
    codex(home, "/gone/renamed", repository_url="git@github.com:someone/shop")
    keep_answer(home, Answer(Path("/gone/renamed"), shop, is_taken=False))
    assert own(home, shop) == []
