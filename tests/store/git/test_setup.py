"""What git is told of a memory: planned, carried out, taken back, refused where it can't be."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.backends.files.backend import FilesBackend
from store.errors import StoreError, Unreadable, WriteFailed
from store.git.setup import (
    ATTRIBUTES,
    DRIVER,
    GitPlan,
    Setting,
    apply_git_plan,
    git_status,
    plan_git_install,
    plan_git_uninstall,
)
from store.model import Layout
from tests.store.factories import record, write_issue
from tests.store.repositories import Repository, repository


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    return repository(tmp_path / "project")


@pytest.fixture
def folder(git: Repository) -> Path:
    folder = git.root / ".agentx" / "memory"
    write_issue(folder, 29, record("a"))
    return folder


def test_outside_of_a_repository_nothing_is_planned(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is not in a git repository"):
        plan_git_install(tmp_path, "memtui")
    with pytest.raises(StoreError, match="is not in a git repository"):
        plan_git_uninstall(tmp_path)
    assert git_status(tmp_path).repository is None
    assert not git_status(tmp_path).is_offered


def test_how_git_treats_a_memory(git: Repository, folder: Path) -> None:
    status = git_status(folder)
    assert (status.repository, status.is_tracked, status.is_offered) == (git.root, False, False)
    (folder / "manifest.json").write_text("{}")
    git.commit("one")
    status = git_status(folder)
    assert (status.is_tracked, status.is_offered, status.is_ignored) == (True, True, False)
    assert (status.tracks_manifest, status.attributes, status.driver) == (True, False, "")
    apply_git_plan(plan_git_install(folder, "my memtui"))
    status = git_status(folder)
    assert (status.attributes, status.is_offered) == (True, False)
    assert status.driver == "'my memtui' merge-file %O %A %B %P"
    git("config", "--unset", DRIVER)
    assert git_status(folder).is_offered
    git("rm", "-q", "--cached", "-r", ".agentx")
    (git.root / ".gitignore").write_text("*.json\n")
    assert git_status(folder).is_ignored


def test_the_files_that_git_holds_in_conflict_are_named_once(git: Repository, folder: Path) -> None:
    git.commit("one")
    for branch, said in (("theirs", "Two"), ("main", "Three")):
        git("checkout", "-q", "-B", branch, "main")
        write_issue(folder, 29, record("a", content=said))
        write_issue(folder, 7, record("b", content=said))
        git.commit(said)
    git("checkout", "-q", "main")
    assert git_status(folder).unmerged == ()
    git("merge", "theirs", fails=True)
    assert git_status(folder).unmerged == ("issue-29.json", "issue-7.json")


def test_an_installation_keeps_what_stands_and_adds_what_is_missing(
    git: Repository, folder: Path
) -> None:
    apply_git_plan(plan_git_install(folder, "memtui"))
    place = folder / ATTRIBUTES
    lines = place.read_text().splitlines()
    place.write_text("*.svg text\n" + "\n".join(lines[:-1]))
    plan = plan_git_install(folder, "memtui")
    assert plan.after == "*.svg text\n" + "\n".join(lines) + "\n"
    assert plan.settings == ()
    other = plan_git_install(folder, "other")
    assert [it.key for it in other.settings] == ["merge.memtui.driver", "diff.memtui.textconv"]
    assert "-merge.memtui.driver = memtui merge-file" in other.diff
    assert "this repository's configuration" in other.diff
    assert plan_git_uninstall(folder).after == "*.svg text\n"


def test_the_users_configuration_is_another(git: Repository, folder: Path) -> None:
    plan = plan_git_install(folder, "memtui", for_user=True)
    assert "the user's configuration" in plan.diff
    apply_git_plan(plan)
    assert "memtui" not in git("config", "--local", "--list").said
    assert git_status(folder).driver
    assert plan_git_uninstall(folder).settings == ()
    apply_git_plan(plan_git_uninstall(folder, for_user=True))
    assert not git_status(folder).driver
    assert plan_git_uninstall(folder, for_user=True).is_empty


def test_what_git_refuses_and_what_is_no_text_is_said(git: Repository, folder: Path) -> None:
    plan = plan_git_install(folder, "memtui")
    (git.root / ".git" / "config.lock").write_text("")
    with pytest.raises(WriteFailed, match=r"could not set merge\.memtui\.name") as raised:
        apply_git_plan(plan)
    assert raised.value.hint.startswith("Try `git config --local merge.memtui.name")
    (folder / ATTRIBUTES).write_bytes(b"\xff")
    with pytest.raises(Unreadable, match="is not a text file"):
        plan_git_uninstall(folder)


def test_of_a_file_each_other_lines_count(git: Repository, folder: Path) -> None:
    apply_git_plan(plan_git_install(folder, "memtui"))
    git.commit("all")
    lines = (folder / ATTRIBUTES).read_text().splitlines(keepends=True)
    (folder / ATTRIBUTES).write_text("".join(it for it in lines if "/*.json" not in it))
    assert git_status(folder).attributes
    FilesBackend(folder).set_layout(Layout.EACH)
    status = git_status(folder)
    assert (status.attributes, status.is_offered) == (False, True)
    (folder / ATTRIBUTES).write_text("".join(lines))
    assert git_status(folder).attributes


@pytest.mark.parametrize(
    ("after", "settings", "is_empty"),
    [
        ("a\n", (), True),
        ("b\n", (), False),
        ("a\n", (Setting("merge.x", None, "y"),), False),
    ],
)
def test_a_plan_with_settings_alone_is_not_empty(
    after: str, settings: tuple[Setting, ...], is_empty: bool
) -> None:
    plan = GitPlan(Path("memory"), "a\n", after, settings)
    assert plan.is_empty is is_empty
    assert (plan.diff == "") is is_empty
    assert ("configuration:" in plan.diff) is bool(settings)


def test_a_setting_is_told_as_it_was_and_as_it_will_be_where_it_is_set() -> None:
    settings = Setting("a", None, "1"), Setting("b", "1", "2"), Setting("c", "2", None)
    lines = GitPlan(Path("memory"), "", "", settings).diff.splitlines()
    assert lines == [
        "git, this repository's configuration:", "+a = 1", "-b = 1", "+b = 2", "-c = 2",
    ]  # fmt: skip


def test_lines_of_ones_own_stay_also_those_about_memory(git: Repository, folder: Path) -> None:
    own = "issue-7.json merge=memtui -diff\n# memtui merges the rest\n"
    (folder / ATTRIBUTES).write_text(own)
    apply_git_plan(plan_git_install(folder, "memtui"))
    assert (folder / ATTRIBUTES).read_text().startswith(own)
    assert plan_git_uninstall(folder).after == own


def test_a_memory_of_which_git_tracks_no_record_is_not_tracked(
    git: Repository, folder: Path
) -> None:
    (folder / ".gitignore").write_text("*.json\n")
    git.commit("only what is ignored")
    status = git_status(folder)
    assert (status.is_tracked, status.is_offered, status.is_ignored) == (False, False, True)
    (folder / "archive").mkdir()
    (folder / "archive" / "manifest.json").write_text("{}")
    git("add", "-f", ".")
    assert not git_status(folder).tracks_manifest, "it is another"


@pytest.mark.parametrize("for_user", [False, True])
def test_an_installation_that_is_taken_out_leaves_nothing(
    git: Repository, folder: Path, tmp_path: Path, for_user: bool
) -> None:
    place = tmp_path / "gitconfig" if for_user else git.root / ".git" / "config"
    with place.open("a") as config:
        config.write('[merge "other"]\n\tdriver = other %A\n')
    (folder / ATTRIBUTES).write_text("*.svg text\n")
    before = place.read_text()
    plan = plan_git_install(folder, "memtui", for_user=for_user)
    apply_git_plan(plan)
    assert place.read_text() != before
    taken_out = plan_git_uninstall(folder, for_user=for_user)
    assert [(it.key, it.before, it.after) for it in taken_out.settings] == [
        (it.key, it.after, it.before) for it in plan.settings
    ]
    assert len(plan.settings) == 3
    apply_git_plan(taken_out)
    assert "memtui" not in place.read_text()
    assert "driver = other %A" in place.read_text()
    assert (folder / ATTRIBUTES).read_text() == "*.svg text\n"
    assert plan_git_uninstall(folder, for_user=for_user).is_empty
