"""What a command costs as a whole process, beside a Python that imports the two libraries."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from time import perf_counter

from tests.bench.measure import IMPORTING, Series, Target, interleaved, measurement
from tests.bench.transcripts import write_transcript
from tests.bench.world import World

_CHANNEL = ("--channel", "claude-code")
_PATH = re.compile(r"[\w/]+\.(?:py|ts|js)\b")
BARE = f'bare python -c "{IMPORTING}"'
BARE_AGAIN = f"{BARE}, beside hooks"
_TASK = "the lock times out when two agents write the manifest"
_MEGABYTE = 1_000_000
_CAPTURED = 5
"""The observations that a session must leave at least."""


@measurement
def commands(world: World) -> Iterator[Series]:
    """`search`, `show`, `inject` and `--help`, from the start of Python to the exit code."""
    world.memory.index.refresh()
    about = ("inject", "--agent", "engineer", "--issue", str(world.usual_issue()))
    named = {
        "memtui search": ("search", "lock timeout"),
        "memtui show": ("show", world.any_id()),
        **{
            f"memtui inject, {tokens:,} tokens{told}": (*about, "--budget", str(tokens), *task)
            for tokens in (2_500, 20_000)
            for told, task in (("", ()), (", with a task", ("--task", _TASK)))
        },
        "memtui --help": ("--help",),
    }
    took = interleaved(
        {
            BARE: partial(_run, world, "-c", IMPORTING),
            **{name: partial(_run, world, "-m", "memtui", *said) for name, said in named.items()},
        },
        runs=world.runs(15, large=7),
        warm_up=world.warm_up(2),
    )
    yield Series(BARE, took.pop(BARE))
    for name, samples in took.items():
        yield Series(name, samples, Target(times=3), per=BARE)


@measurement
def hooks(world: World) -> Iterator[Series]:
    """What a client waits for, in a repository: each hook with something to say, in a new session.

    The prompt, the edited file and the error are those of a memory.
    """
    world.memory.index.refresh()
    project = world.folder.parents[1]
    _begin_repository(project)
    sessions = count()
    known = [
        it for it in world.observations() if it.category == "error" and _PATH.search(it.content)
    ]
    told: list[str] = []

    def hook(name: str, fields: Callable[[str, str], dict[str, object]]) -> None:
        content = world.random.choice(known).content
        path = _PATH.search(content)
        given = {
            "session_id": f"hook-{next(sessions)}",
            "cwd": str(project),
            **fields(content, path[0] if path else ""),
        }
        told.append(name * bool(_run(world, "-m", "memtui", "hook", name, *_CHANNEL, given=given)))

    named: Mapping[str, tuple[float, Callable[[str, str], dict[str, object]]]] = {
        "session-start": (3, lambda content, path: {"source": "startup"}),
        "user-prompt": (3, lambda content, path: {"prompt": content[:200]}),
        "pre-tool-use": (2.5, lambda content, path: {"tool_input": {"file_path": path}}),
        "post-tool-use": (
            3,
            lambda content, path: {
                "hook_event_name": "PostToolUseFailure",
                "error": f"Error: {content[:200]}",
            },
        ),
    }
    took = interleaved(
        {
            BARE_AGAIN: partial(_run, world, "-c", IMPORTING),
            **{
                f"memtui hook {name}": partial(hook, name, fields)
                for name, (_, fields) in named.items()
            },
        },
        runs=world.runs(20, large=7),
        warm_up=world.warm_up(2),
    )
    if not world.is_quick and (silent := [name for name in named if told.count(name) < 10]):
        raise RuntimeError(f"{', '.join(silent)} had little to say: nothing was measured.")
    yield Series(BARE_AGAIN, took.pop(BARE_AGAIN))
    for name, samples in took.items():
        times, _ = named[name.rpartition(" ")[2]]
        yield Series(name, samples, Target(times=times), per=BARE_AGAIN)


@measurement
def capturing(world: World) -> Iterator[Series]:
    """A transcript of 1 MB read, cleaned and stored, index and manifest in step at the end.

    Each is another session: what was captured before is only seen again.
    """
    if world.is_large:
        return
    sessions = count(world.size)
    samples = []
    for run in range(-world.warm_up(1), world.runs(10)):
        session = next(sessions)
        path = write_transcript(world.root / f"session-{session}.jsonl", session, _MEGABYTE)
        issue = str(world.usual_issue())
        start = perf_counter()
        stored = _run(world, "-m", "memtui", "capture", str(path), "--issue", issue)
        if run >= 0:
            samples.append((perf_counter() - start) * 1_000)
        if len(stored.split()) < _CAPTURED:
            raise RuntimeError(f"Only {stored!r} was captured of a session: nothing was measured.")
    yield Series("memtui capture, a transcript of 1 MB", samples, Target(median=500))


def _begin_repository(project: Path) -> None:
    """A repository with a commit on a branch of an issue, as a session begins in."""
    (project / ".gitignore").write_text(".agentx/\n")
    git = ("git", "-C", str(project), "-c", "user.name=T", "-c", "user.email=t@example.org")
    for words in (
        ("init", "-qb", "feature/29-lock-timeout"),
        ("add", "-A"),
        ("commit", "-qm", "Begin"),
    ):
        subprocess.run([*git, *words], check=True, capture_output=True)


def _run(world: World, *arguments: str, given: Mapping[str, object] | None = None) -> str:
    """What Python prints, run in the world's project with the world's index; `given` as JSON."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env=world.environment,
        cwd=world.root,
        input=json.dumps(given or {}),
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout
