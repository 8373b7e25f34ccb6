"""The next session of a client: whose it is, and the one request that says what it is told.

Hooks, `memtui inject --next` and the app's preview all ask here, so that what is shown is what the
session gets, byte for byte.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from store.agents.client import Client
from store.agents.noise import RECALL_HINT
from store.agents.registry import client_named
from store.platform.bounds import read_regular
from store.platform.git_command import git_command, git_environment
from store.platform.project import project_of
from store.recall.request import RecallRequest
from store.recall.values import channel_named
from store.sessions.place import issue_for

if TYPE_CHECKING:
    from store import Memory


_PATIENCE = 0.5
"""Seconds that git may take for all it is asked; in a large repository the rest goes unsaid."""
_RECORD = ".agentx/memory/issue-*.json"
_MAIN = ("main", "master", "trunk", "develop")
_NOT_IN_MAIN = (
    *(f"--branches=[{name[0]}]{name[1:]}" for name in _MAIN),
    *(f"--remotes=*/[{name[0]}]{name[1:]}" for name in _MAIN),
)
"""The main branches, as patterns: of those that are not there git says nothing."""
_MOST_FILES, _MOST_COMMITS = 20, 20
_MOST_BYTES = 64 * 1024
"""Bytes that are read of each instruction file."""
_ASKED = (
    ("status", "--porcelain=v1", "-z", "--untracked-files=no", "--ignore-submodules"),
    ("for-each-ref", "--no-merged=HEAD", "--format=%(refname:short)", "refs/heads"),
    (
        "log", f"-{_MOST_COMMITS}", "--no-merges", "--no-show-signature", "--no-ext-diff",
        "--name-only", "-z", "--format=%x01%s%x01", "HEAD", "--not", *_NOT_IN_MAIN,
    ),
)  # fmt: skip
_TRACKED = ("ls-files", "--", _RECORD)
_TOLD_COMMITS = 5
_WORDLESS = frozenset({*_MAIN, "head"})
_NOT_A_WORD = re.compile(r"[\W_]+")


class Surroundings(NamedTuple):
    """The branch and the words of its name, the files it changed, committed or not, and the
    subjects of its last commits; of a main branch the files that are changed and not committed.

    `unmerged` are the other branches whose work is not in this one; none where git tracks memory,
    since what they taught comes with their merge.
    """

    branch: str = ""
    branch_words: tuple[str, ...] = ()
    changed_files: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    unmerged: tuple[str, ...] = ()


def surroundings_of(root: Path, branch: str) -> Surroundings:
    """Ask git about a project; a main branch says nothing of what is being done."""
    end = monotonic() + _PATIENCE
    try:
        environ = git_environment(root, _PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        environ = None
    is_main = branch in _WORDLESS
    asked = _ASKED[:2] if is_main else _ASKED
    changed, unmerged, log = (*_answers(root, asked, environ, end), "")[:3]
    # A hook waits for each process of git: this one is only asked where it matters.
    (tracked,) = _answers(root, (_TRACKED,), environ, end) if unmerged else ("",)
    uncommitted = [entry[3:] for entry in changed.split("\0") if entry[2:3] == " "]
    subjects, committed = _commits(log)
    files = [path for path in dict.fromkeys([*uncommitted, *committed]) if not _is_ours(path)]
    words = () if is_main else tuple(_NOT_A_WORD.sub(" ", branch).split())
    return Surroundings(
        branch,
        words,
        tuple(files[:_MOST_FILES]),
        tuple(subjects[:_TOLD_COMMITS]),
        () if tracked else tuple(unmerged.split()),
    )


def _commits(log: str) -> tuple[list[str], list[str]]:
    subjects, files = [], []
    for at, part in enumerate(log.split("\x01")):
        if at % 2:
            subjects.append(part)
        else:
            files += [path for path in part.strip("\n").split("\0") if path.strip()]
    return subjects, [path.strip("\n") for path in files]


def _is_ours(path: str) -> bool:
    return path.startswith(".agentx/")


def instructions_of(root: Path, client: Client) -> str:
    texts = []
    for file in client.context:
        if file.category == "instruction" and not file.of_user and "*" not in file.pattern:
            with suppress(OSError, ValueError):
                texts.append(read_regular(root / file.pattern, _MOST_BYTES))
    return b"\n".join(texts).decode("utf-8", "replace")


def _answers(
    root: Path,
    asked: Sequence[Sequence[str]],
    environ: Mapping[str, str] | None,
    end: float,
) -> list[str]:
    """Ask git several things at once; empty where it is missing, fails or takes too long."""
    running = []
    if environ is None:
        return [""] * len(asked)
    for arguments in asked:
        try:
            running.append(
                subprocess.Popen(
                    git_command(root, *arguments),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=environ,
                )
            )
        except OSError:
            return [""] * len(asked)
    return [_answer(process, max(0.0, end - monotonic())) for process in running]


def _answer(process: subprocess.Popen[bytes], seconds: float) -> str:
    with process:
        try:
            said, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return ""
    return said.decode("utf-8", "replace") if process.returncode == 0 else ""


class NextSession(NamedTuple):
    """A session that is about to start: its client, its branch (empty without a repository), and
    what memory is asked for it.
    """

    client: str
    branch: str
    request: RecallRequest


def next_session(
    client: str,
    folder: Path,
    environ: Mapping[str, str],
    *,
    hook: Mapping[str, object] | None = None,
    agent: str = "",
    given: Collection[str] = (),
    session_id: str = "",
) -> NextSession:
    """The session of `client` that starts in `folder`, by its branch, changed files and commits.

    `hook` are the fields of a hook's input, which may name the issue; `agent` is the client's own
    name for who works, if it has one; `given` are the ids it was told already, `session_id` is its
    own where it goes on. Raises
    `InvalidObservation` for an unknown client.
    """
    project = project_of(folder)
    branch = project.branch if project else ""
    about = surroundings_of(project.root, branch) if project else Surroundings()
    instructions = instructions_of(project.root, client_named(client)) if project else ""
    request = RecallRequest(
        agent=agent or client,
        issue=issue_for(environ=environ, hook=hook, branch=branch) or None,
        channel=channel_named(client),
        given=frozenset(given),
        client=client,
        session_id=session_id,
        estimated=True,
        at_start=True,
        instructions=instructions,
        **about._asdict(),
    )
    return NextSession(client, branch, request)


def starting(memory: Memory, session: NextSession, session_id: str = "") -> RecallRequest:
    """The request of a session that starts anew: with what is told of the one that broke off on its
    branch, if one did, and how to add a memory. `session_id` is its own, where it is known.
    """
    from memtui.hooks.checkpoint import runs

    request = with_questions(memory, with_hint(memory, session.request))
    broken = memory.continuation.interrupted(session.branch, session_id, runs)
    if broken is None:
        return request
    from store.sessions.checkpoint import recovery_lines

    return request._replace(first=(*request.first, *recovery_lines(broken)))


def with_questions(memory: Memory, request: RecallRequest) -> RecallRequest:
    """The request, begun by what its agent was asked by others and what it was answered."""
    asked = memory.clarifications.told_to(request.agent or "", request.issue)
    return request._replace(questions=asked)


def with_hint(memory: Memory, request: RecallRequest) -> RecallRequest:
    """The request, ended by how to add a memory, unless the settings leave that out."""
    return request._replace(last=RECALL_HINT if memory.settings.recall_hint else "")
