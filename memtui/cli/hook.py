"""`memtui hook`: what an agent calls at a session's start, prompts, compaction and end."""

from __future__ import annotations

import os
import sys
import time

import click

from memtui.cli.output import note, say
from memtui.cli.streams import silence
from store.places import home_folder

_EPILOG = """\b
Hooks: session-start, user-prompt, pre-compact, post-compact, stop, subagent-stop, session-end

\b
Examples:
  memtui hooks install claude-code      install them
  echo '{"cwd": "."}' | memtui hook session-start      what a session here gets
"""

_STDIN = 0
_SECONDS = 2.0
"""How long standard input may take."""


@click.command(
    epilog=_EPILOG,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
@click.argument("name", metavar="HOOK", default="")
@click.option("--channel", default="claude-code", show_default=True, help="Calling client.")
def hook_command(name: str, channel: str) -> None:
    """Run a hook: reads the agent's JSON on standard input, prints the text to inject.

    Always exits 0, so that a failure never stops a session. Failures are logged: see Activity in
    the app.
    """
    from memtui.hooks.event import parse_input, read_within
    from memtui.hooks.run import HOOKS, run_hook

    if name not in HOOKS:
        note(f"Unknown hook {name!r}. Hooks: {', '.join(HOOKS)}.")
        return
    given = parse_input(read_within(_STDIN, _SECONDS))
    if given is None:
        return
    spent = time.process_time()
    if text := run_hook(name, given, channel, os.environ, home_folder(), spent=spent):
        try:
            say(text)
            sys.stdout.flush()
        except OSError:
            silence()  # nobody takes the answer; the session goes on all the same
