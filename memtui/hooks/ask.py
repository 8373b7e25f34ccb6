"""Capture with a language model beside a hook that can't wait for it, in a process that ends by
itself.

Run as `python -P -m memtui.hooks.ask HOOK CHANNEL`, MEMTUI_DIR naming the memory, with the hook's
own input on standard input.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from tempfile import TemporaryFile
from time import monotonic
from typing import TYPE_CHECKING

from memtui.hooks.call import HookCall
from memtui.hooks.names import DUTIES

if TYPE_CHECKING:
    from store import Memory
    from store.backends import Location

_ASKING, _SECONDS = 1_500.0, 1_620
"""The longest that the program may take for all its prompts, and all of it with reading and
storing: six prompts of a minute are usual for a long session.
"""
_POLITE = 10


def is_asked_at_end(call: HookCall, program: str) -> bool:
    """Whether a program picks the memories of a hook's session, once at its end: its client has a
    hook for that, and the session a transcript to be read then.
    """
    hooks = call.client.hooks
    has_end = hooks is not None and any(DUTIES[hook.name].ends_session for hook in hooks.events)
    of_session = call.hook != "subagent-stop" and bool(call.given.transcript_path)
    return bool(program) and has_end and of_session


def start_asking(call: HookCall, memory: Location) -> None:
    """Start a process that captures what a hook's input points to, with the program."""
    with TemporaryFile() as given:
        given.write(json.dumps(call.given.fields or {}).encode())
        given.seek(0)
        actions = [
            (os.POSIX_SPAWN_DUP2, given.fileno(), 0),
            *((os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (1, 2)),
        ]
        command = [sys.executable, "-I", "-m", __name__, call.hook, call.client.name]
        # Not as an argument: everyone sees those, and a URL may hold a password.
        environ = {**os.environ, "MEMTUI_DIR": str(memory)}
        os.posix_spawn(sys.executable, command, environ, file_actions=actions, setsid=True)


def ask(call: HookCall, memory: Memory) -> None:
    """Capture a session with the program of the settings, by rules where that fails."""
    from memtui.hooks.capture import plan_session
    from store.errors import ProgramFailed, StoreError

    try:
        plan = plan_session(call, memory)
        try:
            until = monotonic() + _ASKING
            program = memory.settings.capture_program
            plan = memory.capture.ask_model(plan, program, lambda: monotonic() < until)
        except ProgramFailed as error:
            memory.record_failure("capture_program", error.told, call.given.session_id)
        memory.capture.apply(plan)
    except StoreError as error:
        memory.record_failure(f"hook {call.hook}", error.told, call.given.session_id)


def main() -> None:
    """Capture the session of the hook that was called so."""
    from memtui.hooks.event import parse_input
    from store import open_memory
    from store.agents.client import Home
    from store.agents.registry import client_named

    signal.alarm(_SECONDS)
    os.nice(_POLITE)
    hook, channel = sys.argv[1:3]
    given = parse_input(sys.stdin.read())
    named = os.environ["MEMTUI_DIR"]
    if given is not None:
        call = HookCall(hook, given, client_named(channel), os.environ, Home.of_user())
        with open_memory(named if "://" in named else Path(named)) as memory:
            ask(call, memory)


if __name__ == "__main__":
    main()
