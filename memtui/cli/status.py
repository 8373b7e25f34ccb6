"""`memtui status`: memory in a few figures for a status line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from memtui.cli.memory import folder_named, opened
from memtui.cli.options import dir_option, json_option
from memtui.cli.output import print_json, print_line
from memtui.cli.status_line import keep_line
from memtui.formatting import plural
from memtui.hooks.next_session import next_session, request_at_start
from memtui.hooks.status import client_at_hand
from store.activity.kinds import CAPTURED
from store.agents.client import Home
from store.backends.user_data import project_root
from store.memory import Memory
from store.model import Level
from store.platform.home import expanded
from store.platform.json_fields import integer
from store.settings.files import project_file, user_file

_LINES = 500
"""Lines of the log that are looked through."""
_EPILOG = """\b
Examples:
  memtui status
  memtui status --short     for the status line of tmux, a prompt, a bar
"""


@click.command("status", epilog=_EPILOG)
@click.option("--short", is_flag=True, help="Print one line.")
@json_option
@dir_option
def status_command(short: bool, as_json: bool) -> None:
    """Show how many memories there are, how many are new, and what the next session gets.

    New are those of the last 24 hours; so is what was captured by a rule for the team, and stayed
    yours. The next session is that of the client used here. What waits in the inbox is counted, if
    anything does.
    """
    with opened(searchable=True) as memory:
        total = memory.search("", limit=0, facets=()).total
        new = memory.search("after:1d", limit=0, facets=(), fresh=False).total
        client, tokens = _next_session(memory)
        kept_back, waiting = _kept_back(memory), len(memory.inbox.waiting().entries)
        levels = memory.backend.levels.values()
        paths = [level.folder for level in levels] or [memory.path]
    if as_json:
        coming = {"client": client, "nextSessionTokens": tokens}
        kept = {"keptBack": kept_back} if kept_back else {}
        print_json({"memories": total, "new": new, "waiting": waiting, **coming, **kept})
        return
    parts = [
        plural(total, "memory", "memories"),
        f"{new:,} new",
        f"next {client} session {tokens:,} tokens",
        *([f"{kept_back:,} kept from the team"] if kept_back else []),
        *([f"{waiting:,} to approve"] if waiting else []),
    ]
    if short and folder_named() is None:
        keep_line(" · ".join(parts), [file for path in paths for file in _followed(path)])
    print_line(" · ".join(parts) if short else "\n".join(parts))


def _followed(memory: Path) -> Sequence[Path]:
    """Return the files that are replaced where memory, its settings or the branch change."""
    git = project_root(memory) / ".git"
    return (
        *(memory, memory / "activity.jsonl", memory / "operations", memory / "inbox"),
        *(user_file(), project_file(memory)),
        *(git / "HEAD", git / "index", git / "logs" / "HEAD"),
    )


def _kept_back(memory: Memory) -> int:
    """Count what a rule was to give to the team in the last 24 hours, and stayed the user's."""
    if Level.TEAM not in memory.backend.levels:
        return 0
    since = datetime.now(UTC) - timedelta(days=1)
    captures = (one for one in memory.activity(_LINES).entries if one.kind == CAPTURED)
    return sum(
        integer(one.more.get("keptBack")) for one in captures if one.time and one.time > since
    )


def _next_session(memory: Memory) -> tuple[str, int]:
    """Return the client of the session that would start here, and the tokens it would get."""
    here = expanded(folder_named() or Path.cwd()).absolute()
    client = client_at_hand(memory, Home.of_user(), project_root(memory.path))
    request = request_at_start(memory, next_session(client, here, os.environ))
    return client, memory.recall.plan(request._replace(told_only=True)).tokens
