"""Several processes and threads: forks while another thread writes, writers in containers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.errors import Conflict, InvalidObservation
from tests.store.factories import observation


def _contents(memory: Memory, issue: int = 29) -> set[str]:
    return {it.content for it in memory.by_issue(issue)}


def test_a_fork_writes_although_another_thread_of_its_parent_was_writing(tmp_path: Path) -> None:
    inside, ends = threading.Event(), threading.Event()
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        memory.store([observation("first")])

        def write() -> None:
            with memory.backend.locked():
                inside.set()
                ends.wait(20)

        writer = threading.Thread(target=write)
        writer.start()
        inside.wait(20)
        child = os.fork()
        if not child:
            code = 1
            try:
                with open_memory(tmp_path / "memory", cache=tmp_path / "other") as own:
                    own.store([observation("child")])
                code = 0
            finally:
                os._exit(code)
        assert os.waitpid(child, os.WNOHANG) == (0, 0)  # it waits for the thread that writes
        ends.set()
        writer.join()
        assert os.waitpid(child, 0)[1] == 0
        memory.store([observation("last")])
        assert _contents(memory) == {"first", "child", "last"}


def test_the_doctor_leaves_a_writer_in_another_namespace_alone(tmp_path: Path) -> None:
    unshare = shutil.which("unshare")
    if os.geteuid() != 0 or unshare is None:
        pytest.skip("only root can make a namespace of processes")
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "from store import open_memory\nfrom store.backends.files.locks import StoreLock\n"
        "folder = Path(sys.argv[1])\n"
        "with StoreLock(folder).marked(folder / 'issue-29.json'):\n"
        "    (folder / f'.issue-29.json.{os.getpid()}-00000000.tmp').touch()\n"
        "    print(os.getpid(), flush=True)\n"
        "    sys.stdin.read()\n"
    )
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        memory.store([observation("first")])
    # A number that nobody has out here, with some after it.
    most = int(Path("/proc/sys/kernel/pid_max").read_text()) - 100
    taken = {int(path.name) for path in Path("/proc").glob("[0-9]*")}
    last = next(it for it in range(most, 0, -20) if taken.isdisjoint(range(it, it + 20)))
    far = f'echo {last} > /proc/sys/kernel/ns_last_pid; {sys.executable} -c "$0" "$@"'
    writer = subprocess.Popen(
        [unshare, "--pid", "--fork", "--mount-proc", "/bin/sh", "-c", far, code, str(memory.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert writer.stdout is not None
        number = int(writer.stdout.readline())
        assert not Path(f"/proc/{number}").exists()
        with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
            kinds = {finding.kind for finding in memory.doctor.examine().findings}
            assert not kinds & {"orphaned-lock", "temporary-file"}
    finally:
        writer.communicate("", timeout=30)
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        kinds = {finding.kind for finding in memory.doctor.examine().findings}
        assert "temporary-file" in kinds


def test_an_id_that_is_used_again_stands_in_one_place(tmp_path: Path) -> None:
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        memory.store([observation("first", id="obs-x")])
        memory.undo()
        memory.store([observation("second", id="obs-x", issue_number=5)])
        with pytest.raises(Conflict, match="obs-x is now in issue 5; nothing changed"):
            memory.redo()
        assert (_contents(memory, 29), _contents(memory, 5)) == (set(), {"second"})
        with pytest.raises(InvalidObservation, match="already exists in issue 5"):
            memory.store([observation("third", id="obs-x")])
        memory.apply(memory.plan.remove("obs-x"))
        removal = memory.history.operations()[0].id
        memory.store([observation("fourth", id="obs-x", issue_number=7)])
        with pytest.raises(Conflict, match="is now in issue 7"):
            memory.undo(removal)
        memory.apply(memory.plan.archive("obs-x"))
        with pytest.raises(Conflict, match="is now in issue 7"):
            memory.undo(removal)


def test_a_working_directory_that_is_gone_is_named(tmp_path: Path) -> None:
    with open_memory(tmp_path / ".agentx" / "memory", cache=tmp_path / "cache") as memory:
        memory.store([observation("Always lock first.")])
    gone = (
        "import os, sys\nfrom pathlib import Path\n"
        "folder = Path(sys.argv.pop(1))\nfolder.mkdir()\nos.chdir(folder)\nfolder.rmdir()\n"
        "from memtui.cli.main import run\nprint(*[run(it.split()) for it in sys.argv[1:]])\n"
    )

    def run(*commands: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", gone, str(tmp_path / "gone"), *commands],
            input=given, capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip

    done = run("list", "add x", "config", "hooks status", f"list --dir {tmp_path}")
    assert done.stdout.endswith("1 1 1 1 0\n")
    assert done.stderr.count("The working directory no longer exists.") == 4, done.stderr
    assert "Always lock first." in done.stdout
    assert "Always lock" in run("hook session-start", given=f'{{"cwd": "{tmp_path}"}}').stdout


def test_a_full_disk_at_the_other_end_is_named(tmp_path: Path) -> None:
    with open_memory(tmp_path / ".agentx" / "memory", cache=tmp_path / "cache") as memory:
        memory.store([observation("first")])
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "memtui", "list"],
            cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
            env=_buffered(),
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.endswith("No space left on device.\n")


def test_a_full_disk_behind_the_words_fails_no_command(tmp_path: Path) -> None:
    place = str(tmp_path / ".agentx" / "memory")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "memtui", "--dir", place, "add", "first"],
            stdout=subprocess.PIPE, stderr=full, text=True, timeout=60, check=False,
            env=_buffered(),
        )  # fmt: skip
    with open_memory(tmp_path, cache=tmp_path / "cache") as memory:
        assert memory.get(done.stdout.strip()).content == "first"
    assert done.returncode == 0


def _buffered() -> dict[str, str]:
    """The variables of a process whose output Python keeps to write at its end, as it does for
    users.
    """
    return {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
