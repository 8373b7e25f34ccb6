"""Changes nobody asked for: each is agreed to, or not made; and what is misread is said."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from memtui.cli.commands import cli
from tests.memtui.cli.conftest import Run
from tests.memtui.cli.test_writing import standard_input


def record_of(project: Path) -> dict[str, bytes]:
    """The files of the record, archive included, by name."""
    folder = project / ".agentx" / "memory"
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("issue-*")}


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool | None], list[dict[str, object]]]:
    """Has there be a terminal on which a question is answered; None presses Enter alone."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    def answering(answer: bool | None) -> list[dict[str, object]]:
        asked: list[dict[str, object]] = []

        def confirm(question: str, **given: object) -> object:
            asked.append({"question": question, **given})
            return given["default"] if answer is None else answer

        monkeypatch.setattr("sys.stdin", Terminal())
        monkeypatch.setattr("sys.stderr.isatty", lambda: True)
        monkeypatch.setattr(click, "confirm", confirm)
        return asked

    return answering


def test_a_question_that_is_broken_off_ends_its_line(
    memtui: Run,
    project: Path,
    terminal: Callable[[bool | None], object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def breaking_off(question: str, **given: object) -> None:
        click.echo(question, nl=False, err=True)
        raise click.Abort

    before = record_of(project)
    terminal(None)
    monkeypatch.setattr(click, "confirm", breaking_off)
    done = memtui("remove", "aaaa01")
    assert (done.code, record_of(project)) == (130, before)
    assert done.err.endswith("?\n")


_CHANGES = [
    ["remove", "aaaa01"],
    ["archive", "aaaa01"],
    ["archive", "--query", "issue:29"],
    ["prune", "--strategy", "oldest_first", "--capacity", "semantic=1"],
    ["edit", "aaaa01", "--category", "lesson"],
    ["tag", "aaaa01", "--add", "x"],
    ["pin", "aaaa01"],
    ["mute", "aaaa01"],
]


@pytest.mark.parametrize("arguments", _CHANGES, ids=lambda it: it[0])
def test_a_change_is_made_only_where_one_agrees(
    memtui: Run,
    project: Path,
    arguments: list[str],
    terminal: Callable[[bool | None], list[dict[str, object]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By a terminal, where Enter alone takes no memory away, or by an option."""
    before, takes_away = record_of(project), arguments[0] in {"remove", "archive", "prune"}
    standard_input(monkeypatch, b"y\n")
    done = memtui(*arguments)
    assert (done.code, "aaaa0" in done.out) == (1, True)
    assert done.err.splitlines()[-2:] == [
        "Nothing changed: no terminal to confirm in.",
        "Run it again with --yes.",
    ]
    data = memtui(*arguments, "--json")
    assert (data.code, bool(json.loads(data.out)["changes"])) == (1, True)
    assert record_of(project) == before
    asked = terminal(None)
    done = memtui(*arguments)
    assert [each["default"] for each in asked] == [not takes_away]
    assert ("Nothing changed" in done.err) is takes_away
    assert (record_of(project) == before) is takes_away
    if takes_away:
        assert memtui(*arguments, "--yes").code == 0
        assert record_of(project) != before


def test_sessions_are_captured_only_where_that_is_agreed_to(memtui: Run, project: Path) -> None:
    history = project / "history"
    history.mkdir()
    (history / "one.jsonl").write_text(
        json.dumps({"role": "user", "content": "Decided to keep one lock for all of the issues."})
    )
    before = record_of(project)
    done = memtui("import", "--transcripts", str(history))
    assert (done.code, "would be stored" in done.err) == (1, True)
    assert record_of(project) == before


def test_a_query_that_is_misread_changes_and_exports_nothing(memtui: Run, project: Path) -> None:
    before = record_of(project)
    for query in ("is:nothing", "issue:abc", "agent:", "after:foo", "agnt:x"):
        export = ["export", query]
        as_store = [*export, "--format", "agentx", "-o", str(project / "out")]
        for arguments in (["archive", "--yes", "--query", query], export, as_store):
            done = memtui(*arguments)
            assert (done.code, done.out) == (2, "")
            assert f"The query {query!r} is not clear: `" in done.err
    assert record_of(project) == before
    assert not (project / "out").exists()


@pytest.mark.usefixtures("project")
def test_a_query_that_finds_everything_is_not_archived(memtui: Run) -> None:
    for query in ("", "sort:newest", " sort:oldest "):
        done = memtui("archive", "--yes", "--query", query)
        assert (done.code, "matches everything" in done.err) == (2, True)
    assert memtui("search", "is:archived").out == ""


_LOOKING = frozenset(
    """
    search, show, list, digest, stats, status, inject, told, mcp, serve, export, demo, completion
    history, sessions search, sessions last, sessions earlier, hooks run, hooks status, config edit
    inbox show, git status, git diff, git merge-file, git textconv
    """.strip()
    .replace("\n    ", ", ")
    .split(", ")
)
"""Commands that change nothing, write where they were told to, or are called by programs."""


def _commands(group: click.Group, above: str = "") -> Iterator[tuple[str, click.Command]]:
    with click.Context(group) as context:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            if isinstance(command, click.Group):
                yield from _commands(command, f"{above}{name} ")
            else:
                yield f"{above}{name}", command


def test_every_command_that_changes_something_takes_yes() -> None:
    without = [
        name
        for name, command in _commands(cli)
        if name not in _LOOKING and not any("--yes" in it.opts for it in command.params)
    ]
    assert without == []
