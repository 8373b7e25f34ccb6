"""`memtui inject`: the text that a session starts with."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Unpack

import click

from memtui.cli.memory import folder_named, opened
from memtui.cli.options import Asked, dir_option, json_option, request_options
from memtui.cli.output import note, one_line, print_json, print_line
from memtui.formatting import plural
from memtui.hooks.next_session import next_session, request_at_start
from memtui.words.recall import why_included
from store.agents.client import Home
from store.backends.user_data import project_root
from store.memory import Memory
from store.platform.home import expanded
from store.recall.request import RecallRequest, request_of
from store.recall.values import Recall, ScoredCandidate
from store.text.display import visible

_EPILOG = """\b
Examples:
  memtui inject --agent engineer --issue 29 --task "the lock times out on Windows"
  memtui inject --issue 29 --budget 2000 --explain     why each is in or out
  memtui inject --next --client codex                 what the next session here gets
  memtui inject --channel claude-code --record        and record it
"""
_EXPLAINED = 50


@click.command(epilog=_EPILOG)
@request_options
@click.option("--next", "next_one", is_flag=True, help="Show what the next session here gets.")
@click.option("--client", help="Client of the next session. Default: the one used here.")
@click.option("--record", is_flag=True, help="Record it as injected, as hooks do.")
@click.option("--dry-run", is_flag=True, hidden=True, help="Don't record it (default).")
@click.option("--explain", is_flag=True, help="List the candidates and why each is in or out.")
@json_option
@dir_option
def inject_command(
    next_one: bool,
    client: str | None,
    record: bool,
    dry_run: bool,
    explain: bool,
    as_json: bool,
    **asked: Unpack[Asked],
) -> None:
    """Print the text that would be injected into a session. Changes nothing."""
    if record and (dry_run or explain):
        raise click.UsageError("--record can't be combined with --dry-run or --explain.")
    if client is not None and not next_one:
        raise click.UsageError("--client can only be used with --next.")
    if next_one and any(item is not None for item in asked.values()):
        raise click.UsageError("--next can only be combined with --client.")
    with opened(searchable=True) as memory:
        request = _next_request(memory, client) if next_one else request_of(**asked)
        told_only = not (as_json or explain)
        recall = memory.recall.plan(request._replace(told_only=told_only))
        if record:
            memory.recall.inject(recall, request.agent, request.issue)
        if not memory.settings.enabled:
            note("Memory is off (`enabled = false` in the settings): nothing is injected.")
    if as_json:
        print_json(_as_data(recall))
    elif explain:
        _explain(recall)
    elif recall.text:
        print_line(visible(recall.text).rstrip("\n"))
    else:
        note("Nothing would be injected; --explain says why.")


def _next_request(memory: Memory, client: str | None) -> RecallRequest:
    """For the session that starts here, or in the project of the memory that was named; by default
    of the client that home starts with.
    """
    from memtui.hooks.status import client_at_hand  # only for `--next`

    here = expanded(folder_named() or Path.cwd()).absolute()
    home = Home.of_user()
    client = client or client_at_hand(memory, home, project_root(memory.path))
    return request_at_start(memory, next_session(client, here, os.environ))


def _as_data(recall: Recall) -> dict[str, object]:
    return {
        "text": recall.text,
        "tokens": recall.tokens,
        "budget": recall.limits.tokens,
        "counter": recall.counter,
        "profile": recall.profile,
        "channel": str(recall.channel),
        "tokensByCategory": dict(recall.tokens_by_category),
        "files": [{"path": file.path, "why": list(file.why)} for file in recall.files],
        "candidates": [
            {
                "id": candidate.id,
                "kind": str(candidate.kind),
                "sessionId": candidate.observation.session_id,
                "text": candidate.text,
                "score": round(candidate.score, 4),
                "factors": {name: round(value, 4) for name, value in candidate.factors.items()},
                "included": candidate.included,
                "reason": why_included(candidate),
                "tokens": candidate.tokens,
            }
            for candidate in recall.candidates
        ],
    }


def _explain(recall: Recall) -> None:
    for candidate in recall.candidates[:_EXPLAINED]:
        print_line(_line(candidate))
    included = len(recall.included)
    note(
        f"{included} of {plural(len(recall.candidates), 'candidate')} in; {recall.tokens:,} of "
        f"{recall.limits.tokens:,} tokens, {recall.counter}."
    )


def _line(scored_candidate: ScoredCandidate) -> str:
    mark = "+" if scored_candidate.included else "-"
    factors = " ".join(
        f"{name} {value:.2f}" for name, value in scored_candidate.factors.items() if value
    )
    summary = one_line(scored_candidate.observation.summary, 80)
    why = one_line(why_included(scored_candidate))
    return f"{mark} {scored_candidate.score:.3f}  {summary}\n    {why} · {factors}"
