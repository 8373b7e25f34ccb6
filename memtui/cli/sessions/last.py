"""`memtui sessions last`: how the last session ended, and how to resume it."""

from __future__ import annotations

import shlex

import click

from memtui.cli.memory import opened
from memtui.cli.options import dir_option, json_option
from memtui.cli.output import note, one_line, paint, print_json, print_line
from memtui.hooks.next_session import is_running
from store.agents.client import Home
from store.agents.registry import NAMES, client_named
from store.errors import NotFound
from store.sessions.checkpoint import Checkpoint
from store.text.closest_match import nearest
from store.text.display import visible

_EPILOG = """\b
Examples:
  memtui sessions last                 the last session of any agent
  memtui sessions last claude-code     the last one of Claude Code
"""
_LAST_MESSAGES, _MESSAGE_WIDTH = 6, 600


@click.command("last", epilog=_EPILOG, short_help="Show the last messages of the last session.")
@click.argument("agent", required=False)
@json_option
@dir_option
def last_command(agent: str | None, as_json: bool) -> None:
    """Show the last messages of the last session, if it ran in the last seven days.

    It is read from what hooks saved, or from the newest transcript of this project, whichever is
    later. AGENT is the client, such as claude-code. Default: the one that ran last.
    """
    with opened() as memory:
        found = memory.continuation.recover(agent)
        files = memory.session_files.of_project(Home.of_user())
        read = memory.continuation.last_in(files, agent)
    is_saved = read is None or (
        found is not None and (found.chat_id == read.chat_id or found.saved_at >= read.saved_at)
    )
    found = found if is_saved else read
    if found is None:
        _check_is_client(agent)
        of_agent = f" of {agent}" if agent else ""
        note(
            f"No session{of_agent} ran in the last seven days: hooks saved none, and no transcript "
            "was found. `memtui hooks install` installs hooks."
        )
    if as_json:
        print_json(found and _checkpoint_record(found, is_saved=is_saved))
    elif found is not None:
        _print_checkpoint(found, is_saved=is_saved)


def _check_is_client(agent: str | None) -> None:
    """Check that an agent without checkpoints is at least a client. Raises `NotFound`."""
    if agent is None or agent in NAMES:
        return
    meant = nearest(agent, NAMES)
    hint = f"Did you mean {meant}?" if meant else f"Clients are {', '.join(NAMES)}."
    raise NotFound(f"No session is saved of an agent {agent}, and no client has that name.", hint)


def _checkpoint_record(found: Checkpoint, *, is_saved: bool) -> dict[str, object]:
    return {
        "agentId": found.agent,
        "savedAt": round(found.saved_at.timestamp() * 1_000),
        "messages": [message._asdict() for message in found.messages],
        "chatId": found.chat_id or None,
        "modelId": found.model_id or None,
        "branch": found.branch,
        "open": list(found.left_open),
        "ended": found.ended if is_saved else None,
    }


def _print_checkpoint(found: Checkpoint, *, is_saved: bool) -> None:
    facts = [found.agent, found.branch, f"{found.saved_at:%Y-%m-%d %H:%M} UTC"]
    facts.append(_state(found) if is_saved else "from its transcript")  # which has no end
    print_line(paint(" · ".join(one_line(fact) for fact in facts if fact), bold=True))
    for message in found.messages[-_LAST_MESSAGES:]:
        text = message.text
        if len(text) > _MESSAGE_WIDTH:
            text = f"{text[: _MESSAGE_WIDTH - 1]}…"
        print_line(f"{paint(f'[{message.role}]:', dim=True)} {visible(text)}")
    for text in found.left_open:
        print_line(f"{paint('open:', dim=True)} {one_line(text)}")
    if command := _resume_command(found):
        note(f"Resume it with: {command}")


def _state(found: Checkpoint) -> str:
    if found.ended:
        return "ended"
    return "still running" if found.owner and is_running(found.owner) else "interrupted"


def _resume_command(found: Checkpoint) -> str:
    if not found.chat_id or found.agent not in NAMES:
        return ""
    return shlex.join(client_named(found.agent).resume_command(found.chat_id))
