"""Whatever goes wrong is a sentence and a hint on stderr, and an exit code; never a traceback."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.memtui.cli.conftest import Run


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["zzz"], 2, "Unknown command 'zzz'"),
        (["serach", "lock"], 2, "Unknown command 'serach'. Did you mean `memtui search`?"),
        (["tag", "+x", "--yes"], 2, "Give IDs or --query, to say which memories."),
        (["tag", "aaaa01", "+x", "--query", "issue:29"], 2, "Give IDs or --query, not both."),
        (["tag", "+x", "--query", ""], 2, "matches everything. Narrow it down."),
        (["capture", "gone.jsonl"], 2, "No such file"),
        (["capture", "x.jsonl", "--issue", "-1"], 2, "--issue"),
        (["list", "--issue", "x"], 2, "Invalid value for '--issue'"),
        (["list", "--limit", "x"], 2, "'--limit': 'x' is not a whole number of at least 0."),
        (["search", "x", "--limit", "0"], 2, "'--limit': '0' is not a whole number of at least 1."),
        (["list", "--nonsense"], 2, "No such option"),
        (["tag", "--query"], 2, "See `memtui tag --help`."),
        (["--dir"], 2, "See `memtui --help`."),
        (["show"], 2, "Missing argument 'ID'"),
        (["show", "zzzz"], 2, "zzzz"),
        (["show", "a"], 2, "a"),
        (["add", "text", "--agent", "!?"], 2, "agent"),
        (["add", "text", "--category", "No Such"], 2, "category"),
        (["add", "text", "--issue", "-3"], 2, "issue"),
        (["add", ""], 2, "empty"),
        (["add"], 2, "TEXT"),
        (["add", "x", "--batch", "/nowhere.jsonl"], 2, "nowhere"),
        (["stats", "--dir", "/nowhere"], 1, "/nowhere"),
        (["add", "x", "--dir", ""], 2, "It is empty; a dot is this folder."),
        (["completion", "tcsh"], 2, "tcsh"),
        (["completion"], 2, "Choose from: bash, zsh, fish"),
        (["mcp", "install"], 2, "Choose from: claude-code, codex"),
        (["layout", "--one-file-each", "--one-file-per-issue"], 2, "Give one of"),
        (["capture", "x.jsonl", "--at-most", "3"], 2, "--at-most needs --all."),
        (["compact", "--yes"], 2, "one of --issue, --stale, --all, --vault or --prune"),
        (["compact", "--issue", "3", "--all"], 2, "one of --issue, --stale, --all, --vault or"),
        (["compact", "--prune"], 2, "--prune needs a --strategy."),
        (["compact", "--all", "--strategy", "cap"], 2, "go with --prune"),
        (["tag", "aaaa01"], 2, "Give tags as +TAG or -TAG, or one of --pin and --mute."),
        (["tag", "aaaa01", "--pin", "--mute"], 2, "one of --pin and --mute"),
        (["tag", "aaaa01", "--add", "x", "--off"], 2, "--off goes with --pin or --mute."),
        (["stats", "--agent", "engineer"], 2, "need --context"),
        (["migrate", "--to", "x", "--layout"], 2, "one of these"),
        (["add"], 2, "Give one of TEXT (- for standard input) and --batch FILE."),
        (["import"], 2, "Give one of SOURCE and --transcripts DIR."),
        (["import", "a.md", "--transcripts", "."], 2, "Give one of SOURCE and --transcripts DIR."),
        (["import", "gone.md"], 2, "does not exist"),
        (["import", ".", "--format", "novel"], 2, "'novel' is not one of 'auto'"),
        (["import", "a.jsonl", "--agent", ""], 2, "agent '' is not valid"),
        (["import", "a.jsonl", "--agent", "!?"], 2, "agent '!?' is not valid"),
        (["import", "a.jsonl", "--category", "Bad Cat"], 2, "category 'Bad Cat' is not valid"),
        (["import", "a.jsonl", "--issue", "9999999999"], 2, "9999999999"),
    ],
)
@pytest.mark.usefixtures("project")
def test_a_mistake_is_a_sentence_and_a_hint(
    memtui: Run, arguments: list[str], code: int, said: str
) -> None:
    done = memtui(*arguments)
    assert done.code == code
    assert done.out == ""
    assert said in done.err
    assert 1 <= len(done.err.splitlines()) <= 2
    assert "Traceback" not in done.err


def refuse_writing(folder: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file in a folder can be opened for writing, whoever runs the tests."""
    plainly = os.open

    def opening(path: str | Path, flags: int, *rest: int, **named: int) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR) and Path(path).is_relative_to(folder):
            raise OSError(number, os.strerror(number), str(path))
        return plainly(path, flags, *rest, **named)

    monkeypatch.setattr(os, "open", opening)


@pytest.mark.parametrize(
    ("change", "number", "why"),
    [
        ("add --agent tester Fact.", errno.EACCES, "its permissions forbid it"),
        ("pin aaaa01 -y", errno.EROFS, "its disk is read-only"),
    ],
)
def test_a_store_that_can_not_be_written_is_named(
    memtui: Run, project: Path, monkeypatch: pytest.MonkeyPatch, change: str, number: int, why: str
) -> None:
    folder = project / ".agentx" / "memory"
    refuse_writing(folder, number, monkeypatch)
    done = memtui(*change.split())
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines() == [
        f"The memory in {folder} can't be written: {why}.",
        "You can still search and view it.",
    ]


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (RuntimeError("out of order"), 1, "RuntimeError: out of order"),
        (KeyboardInterrupt(), 130, ""),
        (PermissionError(13, "Permission denied", "/x"), 1, "Permission denied: /x."),
    ],
)
def test_what_breaks_off_a_command_is_a_sentence(
    memtui: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, said: str
) -> None:
    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr("store.memory.Memory.stats", broken)
    done = memtui("stats")
    assert done.code == code
    assert said in done.err and "Traceback" not in done.err
    if isinstance(error, RuntimeError):
        monkeypatch.setenv("MEMTUI_TRACEBACK", "1")
        with pytest.raises(RuntimeError, match="out of order"):
            memtui("stats")


def test_of_a_reader_that_goes_away_nothing_is_said(project: Path) -> None:
    root = Path(__file__).parents[3]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "memtui", "list"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(root)},
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert done.returncode == 1
    assert done.stderr in ("", "6 memories\n")


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("arguments", "closed", "code"),
    [
        ("hook session-end", "<&- >&- 2>&-", 0),
        ("stats", ">&-", 0),
        ("stats --nonsense", "2>&-", 2),
    ],
)
def test_streams_may_be_closed(arguments: str, closed: str, code: int) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'"$0" -m memtui {arguments} {closed}', sys.executable],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert "unexpectedly" not in done.stderr
    assert "descriptor" not in done.stderr
