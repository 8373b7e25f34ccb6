"""What agents changed in instruction files and own memories: approved, taken back, undone."""

from __future__ import annotations

import errno
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store import open_memory
from store.action import Action
from store.backends.approved_files import ApprovedFiles, kept_text
from store.errors import StoreError
from store.inbox.differences import differences
from store.inbox.entry import Entry
from store.operations.plan import FileChange, LineChange, Plan
from store.text.markdown import whole_lines
from tests.store.factories import observation
from tests.store.inbox.test_differences import TEXTS


class Shop:
    def __init__(self, place: Path) -> None:
        self.home, self.root = place / "home", place / "shop"
        self.folder = self.root / ".agentx" / "memory"
        self.root.mkdir(parents=True)
        self.memory = open_memory(self.folder, cache=place / "cache")

    def entries(self) -> list[Entry]:
        return list(self.memory.inbox.waiting().entries)

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.home / name[2:] if name.startswith("~/") else self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def shown(self) -> list[tuple[str, str, str]]:
        return [(entry.kind, entry.origin, entry.title) for entry in self.entries()]

    def approve(self, *numbers: int) -> None:
        found = self.entries()
        self.memory.inbox.approve([found[number].id for number in numbers or range(len(found))])

    def take_back(self, *numbers: int) -> None:
        found = self.entries()
        self.memory.inbox.take_back([found[number].id for number in numbers or range(len(found))])


@contextmanager
def a_shop(place: Path) -> Iterator[Shop]:
    shop = Shop(place)
    with pytest.MonkeyPatch.context() as patch, shop.memory:
        patch.setenv("HOME", str(shop.home))
        for kind in ("CONFIG", "DATA", "CACHE", "STATE"):
            patch.setenv(f"XDG_{kind}_HOME", str(place / kind.lower()))
        yield shop


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    with a_shop(tmp_path) as shop:
        yield shop


RULES = "# Rules\n\n- Run the tests first.\n- Prices are in cents.\n"


def test_the_first_look_has_nothing_to_show_and_later_ones_what_changed(shop: Shop) -> None:
    rules = shop.write("CLAUDE.md", RULES)
    shop.write("~/.claude/CLAUDE.md", "Short names.\n")
    shop.write("AGENTS.md", "Never push.\n")
    memory = f"~/.claude/projects/{str(shop.root).translate(str.maketrans('/_.', '---'))}/memory"
    assert shop.shown() == []
    shop.memory.inbox.begin()
    shop.memory.inbox.begin()
    assert shop.shown() == []
    rules.write_text(f"{RULES.replace('first', 'last')}- Pay in cash.\n")
    shop.write("~/.claude/CLAUDE.md", "")
    shop.write(f"{memory}/MEMORY.md", "---\nname: shop\n---\n# Shop\n\nUse make.\n")
    shop.write("pkg/CLAUDE.md", "Of the package.\n")
    (shop.root / "AGENTS.md").rename(shop.root / "GEMINI.md")
    assert sorted(shop.shown()) == [
        ("changed", "CLAUDE.md", "- Run the tests last."),
        ("gone", "~/.claude/CLAUDE.md", "Short names."),
        ("moved", "GEMINI.md", "AGENTS.md → GEMINI.md"),
        ("new", "CLAUDE.md", "- Pay in cash."),
        ("new", "pkg/CLAUDE.md", "Of the package."),
        ("new", f"{memory}/MEMORY.md", "# Shop"),
    ]
    places = {entry.title: (entry.path, entry.line) for entry in shop.entries()}
    assert (places["- Run the tests last."], places["- Pay in cash."]) == ((rules, 3), (rules, 5))
    before = {it: it.read_bytes() for it in shop.root.parent.rglob("*.md")}
    shop.approve()
    assert shop.shown() == []
    shop.memory.undo()
    assert len(shop.shown()) == 6
    shop.take_back()
    assert shop.shown() == []
    assert rules.read_text() == RULES
    assert (shop.root / "AGENTS.md").read_text() == "Never push.\n"
    assert not (shop.root / "GEMINI.md").exists()
    shop.memory.undo()
    assert {it: it.read_bytes() for it in shop.root.parent.rglob("*.md")} == before


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from("eeatu"), TEXTS, st.integers(0, 7)), max_size=8), TEXTS)
def test_files_and_approvals_are_as_a_model_has_them(
    steps: list[tuple[str, str, int]], first: str
) -> None:
    with tempfile.TemporaryDirectory() as place, a_shop(Path(place)) as shop:
        path = shop.write("CLAUDE.md", first)
        shop.memory.inbox.begin()
        file, approved = first, first
        done: list[tuple[str, str]] = []
        for kind, text, chosen in steps:
            entries = shop.entries()
            picked = [entry for at, entry in enumerate(entries) if chosen >> at % 3 & 1]
            if kind == "e":
                path.write_bytes(text.encode())
                file, done = text, []
            elif kind == "u" and done:
                shop.memory.undo()
                shop.memory.redo()
                assert path.read_bytes() == file.encode()
                shop.memory.undo()
                file, approved = done.pop()
            elif kind in "at" and picked:
                done.append((file, approved))
                spans = [differences(approved, file)[entries.index(it)] for it in picked]
                old, new = whole_lines(approved), whole_lines(file)
                kept, there = [*old], [*new]
                for it in reversed(spans):
                    there[it.later_first : it.later_end] = old[it.first : it.end]
                    kept[it.first : it.end] = new[it.later_first : it.later_end]
                ids = [entry.id for entry in picked]
                if kind == "a":
                    shop.memory.inbox.approve(ids)
                    approved = "".join(kept)
                else:
                    shop.memory.inbox.take_back(ids)
                    file = "".join(there)
            assert path.read_bytes() == file.encode()
            kept_files = ApprovedFiles(shop.root).read()
            assert kept_files is not None
            assert kept_files["CLAUDE.md"].text == approved
            assert [(it.before, it.after) for it in shop.entries()] == [
                (
                    "".join(whole_lines(approved)[it.first : it.end]),
                    "".join(whole_lines(file)[it.later_first : it.later_end]),
                )
                for it in differences(approved, file)
            ]
        if shop.entries():
            shop.take_back()
        assert path.read_bytes() == approved.encode()


def test_looking_writes_nothing_and_what_is_kept_is_for_the_user_alone(shop: Shop) -> None:
    shop.write("CLAUDE.md", RULES)
    shop.entries()
    place = shop.root.parent / "data" / "memtui" / "approved"
    assert not place.exists()
    shop.memory.inbox.begin()
    assert place.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in place.iterdir()} == {0o600}
    for path in place.iterdir():
        path.write_text("{")
    shop.write("CLAUDE.md", "Other.\n")
    assert shop.shown() == [], "nothing is known of earlier"
    shop.memory.inbox.begin()
    shop.write("CLAUDE.md", "More.\n")
    assert shop.shown() == [("gone", "CLAUDE.md", "Other."), ("new", "CLAUDE.md", "More.")]


def test_what_is_kept_of_projects_that_are_gone_goes(shop: Shop) -> None:
    other = shop.root.parent / "other"
    other.mkdir()
    ApprovedFiles(other).keep({})
    other.rmdir()
    shop.write("CLAUDE.md", RULES)
    shop.memory.inbox.begin()
    assert ApprovedFiles(other).read() is None
    assert ApprovedFiles(shop.root).read() is not None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"# A\r\n\r\n- One.\r\n- Two.\r\n", b"# A\r\n\r\n- One.\r\n- Three.\r\n- Four.\r\n"),
        (b"# A\n\nNo end", b"# A\n\nNo end\n\nMore, and no end"),
        (b"\xef\xbb\xbf# A\n", b"# A\n- One.\n"),
        (b"", b"# A\n"),
        (b"# A\n\x0cB\xe2\x80\xa8C\rD", b"# A\n\x0cB\xe2\x80\xa8C\rE"),
    ],
)
def test_taking_all_back_gives_the_bytes_from_before(
    shop: Shop, before: bytes, after: bytes
) -> None:
    path = shop.write(".claude/rules/web.md", before)
    shop.memory.inbox.begin()
    path.write_bytes(after)
    shop.take_back()
    assert path.read_bytes() == before
    shop.memory.undo()
    assert path.read_bytes() == after
    shop.approve()
    assert (shop.shown(), path.read_bytes()) == ([], after)


def test_an_undo_finds_the_lines_though_others_were_added(shop: Shop) -> None:
    path = shop.write("CLAUDE.md", RULES)
    shop.memory.inbox.begin()
    path.write_text(f"{RULES}- Pay in cash.\n")
    shop.take_back()
    path.write_text(f"# Title\n{RULES}- Never push.\n")
    shop.memory.undo()
    assert path.read_text() == f"# Title\n{RULES}- Pay in cash.\n- Never push.\n"


def refused(what: Callable[[], object]) -> str:
    with pytest.raises(StoreError) as error:
        what()
    return " ".join([error.value.message, *map(str, error.value.notes)])


def test_what_changed_meanwhile_is_left(shop: Shop) -> None:
    path = shop.write("CLAUDE.md", RULES)
    shop.memory.inbox.begin()
    path.write_text(f"{RULES}- Pay in cash.\n")
    (entry,) = shop.entries()
    plan = shop.memory.inbox.plan_take_back([entry.id])
    path.write_text(f"{RULES}- Pay in coins.\n")
    assert "changed-since" in refused(lambda: shop.memory.apply(plan))
    assert path.read_text() == f"{RULES}- Pay in coins.\n"
    path.unlink()
    assert "changed-since" in refused(lambda: shop.memory.apply(plan))
    assert not path.exists()


def test_links_and_other_encodings_are_refused_with_words(shop: Shop) -> None:
    path, real = shop.root / "CLAUDE.md", shop.write("notes/rules.md", RULES)
    path.symlink_to(real)
    latin = shop.write("GEMINI.md", "Grün.\n".encode("latin-1"))
    shop.memory.inbox.begin()
    real.write_text(f"{RULES}- Pay in cash.\n")
    latin.write_bytes("Grün.\nBlau.\n".encode("latin-1"))
    assert [origin for _, origin, _ in shop.shown()] == ["GEMINI.md", "CLAUDE.md"]
    assert "not UTF-8" in refused(lambda: shop.take_back(0))
    assert "symbolic link" in refused(lambda: shop.take_back(1))
    assert (real.read_text(), latin.read_bytes()) == (
        f"{RULES}- Pay in cash.\n",
        "Grün.\nBlau.\n".encode("latin-1"),
    )
    shop.approve()
    assert shop.shown() == []


def test_a_journal_of_others_names_no_other_files(shop: Shop) -> None:
    shop.write("~/.bashrc", "ls\n")
    shop.write("~/.ssh/config", "Host *\n")
    shop.write("CLAUDE.md", "@~/.ssh/config\n")
    (shop.root / "AGENTS.md").symlink_to(shop.home / ".ssh" / "config")
    (shop.root / ".qwen").symlink_to(shop.write("~/rules/rules/a.md", "Mine.\n").parents[1])
    shop.memory.inbox.begin()
    kept = "".join(it.read_text() for it in (shop.root.parent / "data").rglob("*.json"))
    assert "Host" not in kept and "Mine" not in kept
    for name in ("~/.bashrc", "../home/.bashrc", "~/.ssh/config", str(shop.home / ".bashrc"),
                 "~/.claude/CLAUDE.md/../../.bashrc", "notes.md"):  # fmt: skip
        for before in ("ls\n", None):
            plan = Plan(Action("take-back"), files=(FileChange(name, before, "rm -r .\n"),))
            assert "file-not-loaded" in refused(partial(shop.memory.apply, plan))
    assert (shop.home / ".bashrc").read_text() == "ls\n"


def test_a_file_that_another_imports_is_watched_as_well(shop: Shop) -> None:
    shop.write("CLAUDE.md", "See @docs/style.md\n")
    style = shop.write("docs/style.md", "Short names.\n")
    shop.memory.inbox.begin()
    style.write_text("Long names.\n")
    shop.take_back()
    assert style.read_text() == "Short names.\n"
    style.unlink()
    assert shop.shown() == [("gone", "docs/style.md", "Short names.")]
    assert "file-not-loaded" in refused(shop.take_back)
    shop.approve()
    assert shop.shown() == []


SECRET = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"


def kept_everywhere(shop: Shop) -> str:
    """All that memtui keeps: in memory, and of the user."""
    places = (shop.folder, shop.root.parent / "data", shop.root.parent / "cache")
    files = (path for place in places for path in place.rglob("*") if path.is_file())
    return "".join(path.read_text(errors="replace") for path in files)


def test_no_secret_is_kept(shop: Shop) -> None:
    path = shop.write("CLAUDE.md", f"{RULES}- The key is {SECRET}.\n")
    shop.memory.inbox.begin()
    path.write_text(RULES)
    (entry,) = shop.entries()
    assert entry.title.startswith("- The key is [redacted ")
    assert "a secret there, which is not kept" in refused(lambda: shop.take_back())
    path.write_text(f"{RULES}\nSlow.\n")
    shop.take_back()
    assert path.read_text() == RULES, "what can be"
    shop.approve()
    path.write_text(f"{RULES}- Key: {SECRET}\n- Pay in cash.\n")
    assert "stays-redacted" in str(shop.memory.inbox.plan_take_back([shop.entries()[0].id]).notes)
    shop.take_back(1)
    assert path.read_text() == f"{RULES}- Key: {SECRET}\n", "others stay as they are"
    shop.take_back(0)
    assert path.read_text() == RULES
    shop.memory.undo()
    assert path.read_text().startswith(f"{RULES}- Key: [redacted ")
    assert SECRET not in kept_everywhere(shop)
    path.write_text(
        f"{RULES}-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n"
    )
    assert "file-secret" in refused(lambda: shop.take_back(0))


def test_what_is_forgotten_is_not_kept_of_files_either(shop: Shop) -> None:
    words = "The vault's door code is the year of the move."
    path = shop.write("CLAUDE.md", f"- {words}\n- Never push.\n")
    shop.memory.inbox.begin()
    (identifier,) = shop.memory.add([observation(words)]).ids
    path.write_text("- Never push.\n- Pay in cash.\n")
    shop.approve(0)
    shop.take_back(0)
    assert words in kept_everywhere(shop)
    shop.memory.undo()
    shop.memory.forget(shop.memory.plan.forget([identifier]))
    assert words not in kept_everywhere(shop)
    path.write_text("- Never push.\n- Pay in cash.\n")
    assert shop.shown() == [("new", "CLAUDE.md", "- Pay in cash.")]


def test_files_that_can_not_be_read_are_not_gone(shop: Shop) -> None:
    path, other = shop.write("CLAUDE.md", RULES), shop.write("AGENTS.md", RULES)
    shop.memory.inbox.begin()
    path.write_text("x" * 1_000_001)
    other.write_bytes(b"a\0b")
    assert shop.shown() == []
    path.write_text(RULES)
    other.unlink()
    other.mkdir()
    assert shop.shown() == []
    other.rmdir()
    assert shop.shown() == [("gone", "AGENTS.md", "# Rules")]


def test_what_memtui_writes_is_no_agents(shop: Shop) -> None:
    path = shop.write("CLAUDE.md", RULES)
    shop.memory.inbox.begin()
    path.write_text(f"{RULES}- Pay in cash.\n")
    for name in ("CLAUDE.md", "AGENTS.md"):
        shop.memory.apply(Plan(Action("instruct"), lines=(LineChange(name, "- Ours.", "obs-1"),)))
    assert shop.shown() == [("new", "CLAUDE.md", "- Pay in cash.")]
    shop.memory.undo()
    shop.memory.undo()
    assert shop.shown() == [("new", "CLAUDE.md", "- Pay in cash.")]


def test_an_entry_is_edited_in_its_file(shop: Shop) -> None:
    path = shop.write("CLAUDE.md", RULES.replace("\n", "\r\n"))
    shop.memory.inbox.begin()
    path.write_bytes(path.read_bytes() + b"\r\n- Pay in cash.\r\n\r\n- Never push.\r\n")
    assert shop.memory.inbox.plan_edit(shop.entries()[0].id, "- Pay in cash.").is_empty
    shop.memory.inbox.edit(shop.entries()[0].id, "- Pay in coins.\n  Not in notes.\n\n")
    assert path.read_bytes() == RULES.replace("\n", "\r\n").encode() + (
        b"\r\n- Pay in coins.\r\n  Not in notes.\r\n\r\n- Never push.\r\n"
    )
    shop.memory.undo()
    assert "- Pay in cash." in path.read_text()


def git(shop: Shop, *arguments: str, by: str = "me") -> None:
    who = {f"GIT_{role}_{key}": f"{by}@x" if key == "EMAIL" else by
           for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}  # fmt: skip
    subprocess.run(["git", "-C", str(shop.root), *arguments], check=True, env={**os.environ, **who})


def test_what_others_committed_is_no_agents(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_COMMITTER_EMAIL", "me@x")
    path = shop.write("CLAUDE.md", RULES)
    git(shop, "init", "-qb", "main")
    shop.memory.inbox.begin()
    git(shop, "add", "CLAUDE.md")
    git(shop, "commit", "-qm", "Begin")
    theirs = RULES.replace("first", "last")
    path.write_text(theirs)
    assert shop.shown() == [("changed", "CLAUDE.md", "- Run the tests last.")]
    git(shop, "commit", "-qam", "Theirs", by="other")
    assert shop.shown() == []
    path.write_text(f"{theirs}- Pay in cash.\n")
    assert shop.shown() == [("new", "CLAUDE.md", "- Pay in cash.")]
    shop.take_back()
    assert path.read_text() == theirs
    shop.memory.undo()
    shop.approve()
    kept = ApprovedFiles(shop.root).read()
    assert kept is not None and kept["CLAUDE.md"].text == kept_text(path.read_text())
    shop.memory.undo()
    git(shop, "commit", "-qam", "An agent's")
    assert shop.shown() == [("new", "CLAUDE.md", "- Pay in cash.")], "theirs is before it"
    (shop.root / "CLAUDE.md").unlink()
    shop.write("AGENTS.md", "Of others.\n")
    git(shop, "add", "-A")
    git(shop, "commit", "-qm", "Theirs", by="other")
    assert shop.shown() == [("gone", "CLAUDE.md", "# Rules")], "an agent's commit is before it"
    shop.approve()
    shop.write("AGENTS.md", "Of others.\n\nMore.\n")
    assert shop.shown() == [("new", "AGENTS.md", "More.")]
    shop.approve()
    assert shop.shown() == []
    (shop.root / "AGENTS.md").unlink()
    assert shop.shown() == [("gone", "AGENTS.md", "Of others.")]


def test_a_branch_has_what_was_approved_on_it(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_COMMITTER_EMAIL", "me@x")
    path = shop.write("CLAUDE.md", RULES)
    git(shop, "init", "-qb", "main")
    git(shop, "add", "CLAUDE.md")
    git(shop, "commit", "-qm", "Begin")
    shop.memory.inbox.begin()
    git(shop, "switch", "-qc", "feature")
    path.write_text(f"{RULES}- Pay in cash.\n")
    git(shop, "commit", "-qam", "An agent's")
    shop.approve()
    git(shop, "switch", "-q", "main")
    assert shop.shown() == []
    path.write_text(RULES.replace("first", "last"))
    assert shop.shown() == [("changed", "CLAUDE.md", "- Run the tests last.")]
    shop.take_back()
    assert path.read_text() == RULES
    shop.memory.undo()
    shop.approve()
    assert shop.shown() == []
    git(shop, "commit", "-qam", "Approved")
    git(shop, "switch", "-q", "feature")
    assert shop.shown() == []
    shop.memory.undo()
    git(shop, "switch", "-q", "main")
    assert shop.shown() == [("changed", "CLAUDE.md", "- Run the tests last.")]


def test_a_full_disk_leaves_all_as_it_is(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    path = shop.write("CLAUDE.md", RULES)
    shop.memory.inbox.begin()
    path.write_text(f"{RULES}- Pay in cash.\n")
    before, replace = shop.entries(), os.replace

    def full(source: Path, target: Path) -> None:
        if "approved" in str(target) or target == path:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        assert "disk is full" in refused(shop.take_back)
        assert "disk is full" in refused(shop.approve)
    assert (path.read_text(), shop.entries()) == (f"{RULES}- Pay in cash.\n", before)
    assert shop.memory.history.operations() == []
    assert [it.name for it in shop.root.iterdir() if it.name.endswith(".tmp")] == []


def test_a_file_that_is_being_written_is_read_again_once_it_is_whole(shop: Shop) -> None:
    text = f"{RULES}- Größe in cm.\n"
    path = shop.write("CLAUDE.md", text)
    shop.memory.inbox.begin()
    for length in (0, 5, len(RULES) + 5):
        path.write_bytes(text.encode()[:length])
        assert shop.entries()
    path.write_bytes(text.encode())
    assert shop.entries() == []
