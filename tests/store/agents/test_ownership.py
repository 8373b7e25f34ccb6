"""Whose sessions are these: the folder that a file tells decides, and proof where it is gone."""

from __future__ import annotations

import json
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from store.agents.answers import Answer, answers_file, forget_answer, keep_answer, read_answers
from store.agents.client import Home
from store.agents.filed import folders_filed_as
from store.agents.files import dashed
from store.agents.ownership import Earlier, Standing, sort_sessions
from store.agents.registry import client_named
from store.agents.traces import Moved, moves_in
from store.errors import NotFound
from store.project import folders_of
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
    path.write_text("\n".join(made.lines))
    return path


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
        ("my-app", "my_app"),
        ("a-b", "a/b"),
        ("проект", "данные"),
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


def test_a_client_that_tells_no_folder_and_letters_beyond_ascii(tmp_path: Path, home: Home) -> None:
    mine, other = repository(tmp_path / "проект"), repository(tmp_path / "данные")
    cursor(home, other)
    assert own(home, mine) == own(home, other) == []
    assert [it.standing for it in earlier(home, mine)] == [Standing.OFFERED]


def test_a_line_without_a_folder_is_filed_by_name_alone(tmp_path: Path, home: Home) -> None:
    mine = repository(tmp_path / "my-app")
    path = claude(home, "")
    path = path.rename(_made(home.path / ".claude/projects" / dashed(mine)) / "s.jsonl")
    path.write_text(path.read_text().replace('"cwd": ""', '"note": ""'))
    assert own(home, mine) == [path]
    repository(tmp_path / "my_app")
    assert own(home, mine) == []
    assert [reasons(it) for it in earlier(home, mine)] == [["ran-named-alike"]]


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def test_gemini_is_told_by_a_digest(tmp_path: Path, home: Home) -> None:
    mine, other = repository(tmp_path / "my-app"), repository(tmp_path / "my_app")
    chats = home.path / ".gemini/tmp" / sha256(str(other).encode()).hexdigest() / "chats"
    chats.mkdir(parents=True)
    (chats / "session-1.json").write_text("{}")
    assert own(home, mine) == []
    assert own(home, other) == [chats / "session-1.json"]


def test_folders_that_fit_a_name(tmp_path: Path) -> None:
    for name in ("a-b/c", "a_b/c", "a/b/c", "a/b-c", "a/b/d"):
        (tmp_path / name).mkdir(parents=True)
    found = folders_filed_as(client_named("claude-code"), dashed(tmp_path / "a-b" / "c"))
    assert sorted(str(it.relative_to(tmp_path)) for it in found) == [
        "a-b/c",
        "a/b-c",
        "a/b/c",
        "a_b/c",
    ]


def test_below_and_in_a_repository_inside(tmp_path: Path, home: Home) -> None:
    mono = repository(tmp_path / "mono", "packages/api/app.py")
    inner = repository(mono / "vendor" / "lib")
    below, inside = claude(home, mono / "packages" / "api"), claude(home, inner)
    assert own(home, mono) == [below]
    assert own(home, inner) == [inside]


def test_a_link_to_the_project(tmp_path: Path, home: Home, shop: Path) -> None:
    (tmp_path / "link").symlink_to(shop)
    path = claude(home, tmp_path / "link")
    assert own(home, shop) == own(home, tmp_path / "link") == [path]


def test_a_session_that_went_on_here(home: Home, shop: Path) -> None:
    path = claude(home, "/gone/first", filed=dashed(shop))
    with path.open("a") as file:
        file.write("\n" + "\n".join(ClaudeCode(session="s", cwd=str(shop)).user("On.").lines))
    assert own(home, shop) == [path]


# A folder that is gone: what shows that it was this repository


def test_a_namesake_that_is_gone_is_offered(home: Home, shop: Path) -> None:
    claude(home, "/gone/shop", "src/index.ts", "README.md")
    assert own(home, shop) == []
    (found,) = earlier(home, shop)
    assert (found.folder, found.standing) == (Path("/gone/shop"), Standing.OFFERED)
    assert reasons(found) == ["ran-same-name", "ran-same-files"]


@pytest.mark.parametrize(
    ("cwd", "edited", "root"),
    [
        ("/gone/old-name", ["store/lock.py"], "/gone/old-name"),
        ("/gone/old-name/store", ["lock.py"], "/gone/old-name"),
        ("/gone/shop/store", ["lock.py"], "/gone/shop"),
        ("/gone/shop", ["store/lock.py", "a.py", "b.py"], "/gone/shop"),
        ("/gone/old-name", ["store/lock.py", "since/removed.py"], "/gone/old-name"),
    ],
)
def test_what_names_files_of_the_project_is_offered(
    home: Home, shop: Path, cwd: str, edited: list[str], root: str
) -> None:
    claude(home, cwd, *edited)
    assert own(home, shop) == []
    assert [str(it.folder) for it in earlier(home, shop)] == [root]


@pytest.mark.parametrize(
    ("cwd", "edited"),
    [
        ("/gone/shop", ["other/app.py"]),
        ("/gone/shop", []),
        ("/gone/bakery", ["README.md", "src/index.ts"]),
        ("/gone/bakery", ["store/lock.py", "a.py", "b.py"]),
    ],
)
def test_what_only_has_names_that_all_have_is_no_candidate(
    home: Home, shop: Path, cwd: str, edited: list[str]
) -> None:
    claude(home, cwd, *edited)
    assert not own(home, shop) and not earlier(home, shop)


def test_a_namesake_that_is_there_is_another_project(
    tmp_path: Path, home: Home, shop: Path
) -> None:
    other = tmp_path / "old" / "shop"
    other.mkdir(parents=True)
    claude(home, other, "store/lock.py")
    assert not own(home, shop) and not earlier(home, shop)


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


def test_a_remote_speaks_for_all_that_ran_there(home: Home, shop: Path) -> None:
    git(shop, "remote", "add", "fork", "https://example.test/fork/shop.git")
    told = codex(home, "/gone/renamed", repository_url="https://example.test/fork/shop")
    same, below = claude(home, "/gone/renamed"), claude(home, "/gone/renamed/api")
    other = codex(home, "/gone/renamed", repository_url="https://example.test/other")
    assert sorted(own(home, shop)) == sorted([told, same, below])
    assert other not in own(home, shop)
    assert {reasons(it)[0] for it in earlier(home, shop)} == {"ran-same-remote"}


def test_a_repository_that_only_shares_its_beginning_is_not_taken(home: Home, shop: Path) -> None:
    first = git(shop, "rev-parse", "HEAD")
    codex(home, "/gone/fork", repository_url="https://x.test/a/b", commit_hash=first)
    assert own(home, shop) == []


def test_its_commits_are_proof(home: Home, shop: Path) -> None:
    first = git(shop, "rev-parse", "HEAD")
    path = codex(home, "/gone/renamed", commit_hash=first)
    codex(home, "/gone/other", commit_hash="0" * 40)
    assert own(home, shop) == [path]
    assert [reasons(it) for it in earlier(home, shop)] == [["ran-same-commit"]]


@pytest.mark.parametrize("field", ["repository", "prRepository"])
def test_a_repository_of_github_is_proof(home: Home, shop: Path, field: str) -> None:
    path = claude(home, "/gone/renamed")
    with path.open("a") as file:
        file.write("\n" + json.dumps({"type": "pr-link", field: "Someone/Shop"}))
    assert own(home, shop) == [path]


def test_a_clone_of_a_folder_that_is_gone(home: Home, shop: Path) -> None:
    git(shop, "remote", "set-url", "origin", "/gone/upstream")
    path = claude(home, "/gone/upstream")
    assert own(home, shop) == [path]


def test_a_move_that_a_session_made_is_proof(tmp_path: Path, home: Home, shop: Path) -> None:
    claude(home, tmp_path / "new", ran="mv old-name shop && cd shop && ls")
    path = claude(home, tmp_path / "new" / "old-name" / "api")
    assert own(home, shop) == [path]
    assert [reasons(it) for it in earlier(home, shop)] == [["ran-moved"]]


def test_a_tree_that_a_session_added_is_this_repository(
    tmp_path: Path, home: Home, shop: Path
) -> None:
    first = claude(home, shop, ran="git worktree add -b fix ../shop-fix main")
    path = claude(home, tmp_path / "new" / "shop-fix")
    assert sorted(own(home, shop)) == sorted([first, path])


def test_a_tree_that_was_entered_within_a_session(home: Home, shop: Path) -> None:
    path = claude(home, "/gone/trees/fix")
    entered = {"originalCwd": str(shop), "preEnterCwd": "/x", "worktreePath": "/gone/trees/fix"}
    with path.open("a") as file:
        file.write("\n" + json.dumps({"type": "worktree-state", "worktreeSession": entered}))
    assert own(home, shop) == [path]


def test_a_session_that_began_here_and_went_to_a_tree(home: Home, shop: Path) -> None:
    path = claude(home, shop, filed="-gone-trees-fix")
    assert own(home, shop) == [path]


def test_moves_in_commands() -> None:
    said = "cd /w && mv -v old 'new name'; git worktree move a ../b\nbash -lc 'mv x y'; mv 'half"
    assert list(moves_in(said, Path("/"))) == [
        Moved(Path("/w/old"), Path("/w/new name/old")),
        Moved(Path("/w/old"), Path("/w/new name")),
        Moved(Path("/w/a"), Path("/b")),
        Moved(Path("/w/x"), Path("/w/y/x")),
        Moved(Path("/w/x"), Path("/w/y")),
    ]


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


def test_a_name_that_fits_two_folders_can_be_taken(tmp_path: Path, home: Home) -> None:
    mine, other = repository(tmp_path / "my-app"), repository(tmp_path / "my_app")
    path = cursor(home, mine)
    keep_answer(home, Answer(path.parents[2], mine, is_taken=True))
    assert own(home, mine) == [path]
    assert own(home, other) == []


def test_a_project_that_moved_twice(tmp_path: Path, home: Home, shop: Path) -> None:
    path = claude(home, "/gone/first")
    keep_answer(home, Answer(Path("/gone/first"), Path("/gone/second"), is_taken=True))
    keep_answer(home, Answer(Path("/gone/second"), shop, is_taken=True))
    assert own(home, shop) == [path]


def test_answers_that_cannot_be_read_are_none(home: Home, shop: Path) -> None:
    path = answers_file(home)
    path.parent.mkdir(parents=True)
    for text in ("no json", "[]", '{"answers": [{"folder": 1}, 2]}'):
        path.write_text(text)
        assert read_answers(home) == ()
