"""The next session of a client, and the one request for what it gets from memory.

Hooks, `memtui inject --next` and the app's preview all use it, so that the preview is what the
session gets, byte for byte.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memtui.hooks.surroundings import Surroundings, surroundings_of
from store import Memory
from store.agents.client import Home
from store.agents.context_files import context_text
from store.agents.noise import RECALL_HINT
from store.agents.registry import client_named
from store.platform.home import home_folder
from store.platform.project import project_of
from store.recall.request import RecallRequest
from store.recall.values import channel_named
from store.sessions.place import agent_from, issue_for


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
    """Return the session of `client` that starts in `folder`, by its branch, changed files and
    commits.

    `hook` are the fields of a hook's input, which may name the issue; `agent` is the one that was
    named for it, by default the one of `MEMTUI_AGENT`; `given` are the ids that it got already,
    `session_id` is its own where it is resumed. Raises `InvalidObservation` for an unknown client.
    """
    project = project_of(folder)
    branch = project.branch if project else ""
    about = surroundings_of(project.root, branch) if project else Surroundings()
    known = context_text(client_named(client), folder, Home(home_folder(), environ))
    request = RecallRequest(
        agent=agent or agent_from(environ) or client,
        issue=issue_for(environ=environ, hook=hook, branch=branch) or None,
        channel=channel_named(client),
        given=frozenset(given),
        client=client,
        session_id=session_id,
        estimated=True,
        at_start=True,
        instructions=known,
        **about._asdict(),
    )
    return NextSession(client, branch, request)


def request_at_start(memory: Memory, session: NextSession, session_id: str = "") -> RecallRequest:
    """Return the request of a session that starts anew, with what an interrupted session on its
    branch left, and how to add a memory. `session_id` is its own, where it is known.
    """
    request = with_questions(memory, with_hint(memory, session.request))
    broken = memory.continuation.interrupted(
        session.branch, session_id, is_running, session.request.agent or ""
    )
    if broken is None:
        return request
    from store.sessions.checkpoint import recovery_lines

    return request._replace(first=(*request.first, *recovery_lines(broken)))


def with_questions(memory: Memory, request: RecallRequest) -> RecallRequest:
    """Return the request, begun by what its agent was asked by others and what it was answered."""
    if not memory.has_clarifications:
        return request
    asked = memory.clarifications.lines_for(request.agent or "", request.issue)
    return request._replace(questions=asked)


def with_hint(memory: Memory, request: RecallRequest) -> RecallRequest:
    """Return the request, ended by how to add a memory, unless the settings leave that out."""
    return request._replace(last=RECALL_HINT if memory.settings.recall_hint else "")


def is_running(process: int) -> bool:
    """Return whether a process of this machine runs, whoever started it."""
    try:
        with suppress(PermissionError):
            os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
