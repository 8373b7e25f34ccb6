"""`memtui recover`: the last messages of a session, and the command that resumes it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from memtui.cli.memory import dir_option, json_option, opened
from memtui.cli.output import note, one_line, paint, say, say_json
from store.places import Location

if TYPE_CHECKING:
    from store.sessions import Checkpoint

_EPILOG = """\b
Examples:
  memtui recover                 the last session of any agent
  memtui recover claude-code     the last one of Claude Code
"""
_SHOWN, _WIDTH = 6, 600


@click.command(epilog=_EPILOG)
@click.argument("agent", required=False)
@json_option
@dir_option
def recover_command(agent: str | None, as_json: bool, folder: Location | None) -> None:
    """Show the last messages of the last session, if it ran in the last seven days.

    AGENT is the client, such as claude-code. Default: the one that ran last.
    """
    with opened(folder) as memory:
        found = memory.continuation.recover(agent)
    if found is None:
        _check_known(agent)
        of_agent = f" of {agent}" if agent else ""
        note(
            f"No session{of_agent} ran in the last seven days that could be recovered. "
            "Hooks save them: `memtui hooks install`."
        )
    if as_json:
        say_json(found and _record(found))
    elif found is not None:
        _print(found)


def _check_known(agent: str | None) -> None:
    """That an agent of which nothing is saved is at least a client. Raises `NotFound`."""
    from store.agents import NAMES
    from store.errors import NotFound
    from store.text import nearest

    if agent is None or agent in NAMES:
        return
    meant = nearest(agent, NAMES)
    hint = f"Did you mean {meant}?" if meant else f"Clients are {', '.join(NAMES)}."
    raise NotFound(f"No session is saved of an agent {agent}, and no client has that name.", hint)


def _record(found: Checkpoint) -> dict[str, object]:
    """A checkpoint for programs: as its file, with every field."""
    return {
        "agentId": found.agent,
        "savedAt": round(found.saved_at.timestamp() * 1_000),
        "messages": [it._asdict() for it in found.messages],
        "chatId": found.chat_id or None,
        "modelId": found.model_id or None,
        "branch": found.branch,
        "open": list(found.left_open),
        "ended": found.ended,
    }


def _print(found: Checkpoint) -> None:
    from store.text import visible

    state = "ended" if found.ended else "interrupted or still running"
    facts = [found.agent, found.branch, f"{found.saved_at:%Y-%m-%d %H:%M} UTC", state]
    say(paint(" · ".join(one_line(fact) for fact in facts if fact), bold=True))
    for it in found.messages[-_SHOWN:]:
        text = it.text if len(it.text) <= _WIDTH else it.text[: _WIDTH - 1] + "…"
        say(f"{paint(f'[{it.role}]:', dim=True)} {visible(text)}")
    for text in found.left_open:
        say(f"{paint('open:', dim=True)} {one_line(text)}")
    if words := _resume(found):
        note(f"Resume it with: {words}")


def _resume(found: Checkpoint) -> str:
    from store.agents import NAMES, client_named

    if not found.chat_id or found.agent not in NAMES:
        return ""
    return shlex.join(client_named(found.agent).resume_command(found.chat_id))
