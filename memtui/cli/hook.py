"""`memtui hook`: what an agent calls at a session's start, prompts, compaction and end."""

from __future__ import annotations

import click

from memtui.cli.output import note

_EPILOG = """\b
Hooks: session-start, user-prompt, pre-compact, post-compact, stop, subagent-stop, session-end,
pre-tool-use, post-tool-use

\b
Examples:
  memtui hooks install claude-code      install them
  echo '{"cwd": "."}' | memtui hook session-start      what a session here gets
"""


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
    from memtui.hooks.names import HOOKS

    if name not in HOOKS:
        note(f"Unknown hook {name!r}. Hooks: {', '.join(HOOKS)}.")
        return
    from memtui.hooks.stdio import answer

    answer(name, channel)
