"""Where memory is looked for: the user's folders, projects, folders that a stranger could make."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from store.backends.location import (
    chosen_store,
    find_store,
    nearest_store,
    place_to_open,
    place_to_start,
)
from store.errors import InvalidObservation, NoMemory
from store.model import check_issue
from store.platform import git_command, home
from store.platform.git_command import ask_git, is_tracked
from store.platform.home import NOWHERE, expanded, home_folder, user_folder
from store.platform.project import project_of

COMMIT = "a" * 40


@pytest.mark.parametrize("kind", ["cache", "config", "state"])
def test_elsewhere_than_on_linux_the_platforms_own_folder_is_asked_for(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import platformdirs

    answers = iter((tmp_path / kind, Path("relative/memtui"), None))
    asked: list[object] = []

    def told(name: str, *, appauthor: bool) -> Path:
        asked.append((name, appauthor))
        if (answer := next(answers)) is None:
            raise RuntimeError("no home")
        return answer

    monkeypatch.setattr(home, "_IS_LINUX", False)
    monkeypatch.setattr(platformdirs, f"user_{kind}_path", told)
    nowhere = NOWHERE / f"XDG_{kind.upper()}_HOME"
    found = [user_folder(kind) for _ in range(3)]  # type: ignore[arg-type]
    assert found == [tmp_path / kind, nowhere, nowhere]
    assert asked == [("memtui", False)] * 3


def test_who_has_no_home_has_no_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", unknown)
    for kind in ("CACHE", "CONFIG", "STATE"):
        monkeypatch.delenv(f"XDG_{kind}_HOME", raising=False)
    assert home_folder() == NOWHERE
    assert user_folder("cache") == NOWHERE / "XDG_CACHE_HOME"


def test_a_home_that_is_not_known_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    assert expanded("~/notes") == Path("/home/someone/notes")
    assert expanded("notes/~") == Path("notes/~")
    with pytest.raises(NoMemory) as told:
        expanded("~nobody-at-all/notes")
    assert told.value.message == "~nobody-at-all/notes not found: unknown home folder."
    assert told.value.hint == "Give the full path."


@pytest.mark.parametrize("issue", [-1, 10**9, True, "7", 7.0, None])
def test_what_is_no_issue_is_said(issue: object) -> None:
    with pytest.raises(InvalidObservation) as told:
        check_issue(issue)  # type: ignore[arg-type]
    assert told.value.message == f"{issue!r} is not an issue number."
    assert told.value.hint == "Use 0 for the project, or a number up to 9 digits."


@pytest.mark.parametrize(
    ("mode", "theirs", "is_used"),
    [
        (0o1777, True, False),
        (0o1777, False, True),
        (0o1775, True, True),
        (0o777, True, True),
        (0o755, True, True),
    ],
)
def test_a_memory_that_a_stranger_could_put_there_is_not_used(
    tmp_path: Path, mode: int, theirs: bool, is_used: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = tmp_path / "shared" / ".agentx" / "memory"
    memory.mkdir(parents=True)
    (tmp_path / "shared").chmod(mode)
    work = tmp_path / "shared" / "work"
    work.mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: memory.stat().st_uid + theirs)
    if is_used:
        assert nearest_store(work) == memory
        return
    with pytest.raises(NoMemory) as told:
        nearest_store(work)
    assert told.value.message == (
        f"{memory} belongs to another user and anybody can write to its folder; it was not used."
    )
    assert told.value.hint == "If you trust it, set MEMTUI_DIR to it."


@pytest.mark.parametrize(
    ("files", "hint"),
    [
        ({"a.md": ""}, True),
        ({"notes/a.md": ""}, True),
        ({"a.txt": "", ".hidden/a.md": ""}, False),
        ({"a.txt": ""}, False),
        ({"notes/deep/a.md": ""}, False),
    ],
)
def test_a_folder_of_notes_is_offered_as_a_vault(
    tmp_path: Path, files: dict[str, str], hint: bool
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    with pytest.raises(NoMemory) as told:
        chosen_store(tmp_path, {"MEMTUI_DIR": str(tmp_path)})
    vault = f"; to open its Markdown as a vault, give vault://{tmp_path}" if hint else ""
    assert told.value.message == f"No memory found at {tmp_path}."
    assert told.value.hint == f"Give a project or its .agentx/memory folder{vault}."


@pytest.mark.parametrize(
    ("git", "common", "main"),
    [
        ("main/.git/worktrees/one", "../..", "main"),
        ("bare.git/worktrees/one", "../..", "work"),
        ("main/.git/modules/one", None, "work"),
        ("main/.git/worktrees/one", "gone/../../..", "main"),
    ],
)
def test_the_main_tree_of_a_linked_one(
    tmp_path: Path, git: str, common: str | None, main: str
) -> None:
    (tmp_path / git).mkdir(parents=True)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".git").write_text(f"gitdir: ../{git}\n")
    (tmp_path / git / "HEAD").write_text(f"{COMMIT}\n")
    if common is not None:
        (tmp_path / git / "commondir").write_text(f"{common}\n")
    found = project_of(tmp_path / "work")
    assert found is not None
    assert (found.root, found.main_root) == (tmp_path / "work", tmp_path / main)
    assert (found.branch, found.commit) == ("", COMMIT)
    assert found.origin == {"commit": COMMIT}


@pytest.mark.parametrize("text", [f"{COMMIT}0", f"{COMMIT}\n{COMMIT}", COMMIT.upper(), "a" * 63])
def test_what_is_no_commit_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text(text)
    found = project_of(tmp_path)
    assert found is not None
    assert found.commit == ""


def test_a_file_that_points_nowhere_is_no_project(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    for text in ("", "gitdir", "git: ../main"):
        (tmp_path / "work" / ".git").write_text(text)
        assert project_of(tmp_path / "work") is None


def test_git_that_is_missing_or_fails_answers_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    memory = tmp_path / "memory"
    memory.mkdir()
    assert ask_git(memory, ["rev-parse", "--git-dir"]) is None
    assert is_tracked(memory) is None, "the .git is none that git takes"
    assert ask_git(memory, ["rev-parse", "a\0b"]) is None
    monkeypatch.setattr(git_command, "git_command", lambda *_: [str(tmp_path / "no-git")])
    assert ask_git(memory, ["--version"]) is None
    monkeypatch.setattr(git_command, "git_command", lambda *_: ["sleep", "10"])
    assert ask_git(memory, [], seconds=0.01) is None


@pytest.mark.parametrize("theirs", [".agentx", ".agentx/memory", "."])
def test_a_memory_of_which_a_stranger_has_either_folder_is_not_used(
    tmp_path: Path, theirs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".agentx" / "memory").mkdir(parents=True)
    tmp_path.chmod(0o1777)
    look = Path.stat

    def of_a_stranger(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        info = look(path, follow_symlinks=follow_symlinks)
        own = os.geteuid() + (path == tmp_path / theirs)
        return os.stat_result((*info[:4], own, *info[5:]))

    monkeypatch.setattr(Path, "stat", of_a_stranger)
    if theirs == ".":
        assert nearest_store(tmp_path) == tmp_path / ".agentx" / "memory"
        return
    with pytest.raises(NoMemory, match="belongs to another user"):
        nearest_store(tmp_path)


@pytest.mark.parametrize("name", [".agentx", ".agentx/memory"])
def test_a_file_in_the_place_of_a_memory_is_passed_by(tmp_path: Path, name: str) -> None:
    work = tmp_path / "work"
    (work / name).parent.mkdir(parents=True)
    (work / name).touch()
    assert nearest_store(work) is None
    (tmp_path / ".agentx" / "memory").mkdir(parents=True)
    assert nearest_store(work) == tmp_path / ".agentx" / "memory"


def test_what_is_named_goes_before_the_settings_and_these_before_what_is_near(
    tmp_path: Path,
) -> None:
    near, named = (tmp_path / name / ".agentx" / "memory" for name in ("work", "named"))
    for place in (near, named):
        place.mkdir(parents=True)
    database = {"MEMTUI_BACKEND": "postgres://me@host/db"}
    both = {**database, "MEMTUI_DIR": str(tmp_path / "named")}
    for environ, found in (
        ({}, near),
        ({"MEMTUI_DIR": "", "MEMTUI_BACKEND": ""}, near),
        (database, "postgresql://me@host/db?project=work"),
        (both, named),
    ):
        assert find_store(tmp_path / "work", environ) == found
        chosen = chosen_store(tmp_path / "work", environ)
        assert chosen == (None if found == near else found)


@pytest.mark.parametrize("link", [".agentx", ".agentx/memory"])
@pytest.mark.parametrize("is_empty", [True, False])
def test_a_memory_that_a_clone_leads_elsewhere_is_opened_by_no_name(
    tmp_path: Path, link: str, is_empty: bool
) -> None:
    elsewhere, project = tmp_path / "elsewhere", tmp_path / "project"
    memory = project / ".agentx" / "memory"
    (elsewhere / "memory").mkdir(parents=True)
    if not is_empty:
        for place in (elsewhere, elsewhere / "memory"):
            (place / "issue-29.json").touch()
    (project / link).parent.mkdir(parents=True, exist_ok=True)
    (project / link).symlink_to(elsewhere)
    if is_empty and link == ".agentx":
        (elsewhere / "memory").rmdir()
    names = [memory] if is_empty and link == ".agentx" else [memory, project]
    for name in names:
        with pytest.raises(NoMemory, match="is a symbolic link"):
            place_to_open(name)
    if memory.exists():
        for name in names:
            with pytest.raises(NoMemory, match="is a symbolic link"):
                find_store(tmp_path, {"MEMTUI_DIR": str(name)})
        with pytest.raises(NoMemory, match="is a symbolic link"):
            find_store(project, {})


def test_a_folder_to_be_a_memory_is_new_or_empty(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "held").mkdir()
    (tmp_path / "held" / "issue-29.json").touch()
    (tmp_path / "project" / ".agentx" / "memory").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "README.txt").touch()
    (tmp_path / "file").touch()
    for name in ("new", "new/deep", "empty", "held"):
        assert place_to_open(tmp_path / name) == tmp_path / name
        assert place_to_open(str(tmp_path / name)) == tmp_path / name
    assert place_to_open(tmp_path / "project") == tmp_path / "project" / ".agentx" / "memory"
    for name in ("other", "file"):
        with pytest.raises(NoMemory, match="No memory found"):
            place_to_open(tmp_path / name)


def test_a_folder_may_be_named_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project" / "src").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    for name, place in ((".", "project"), ("src", "project/src")):
        assert place_to_start(Path(name)) == tmp_path / place
    memory = tmp_path / ".agentx" / "memory"
    memory.mkdir(parents=True)
    for name in (".", "src", "gone"):
        assert nearest_store(Path(name)) == memory
