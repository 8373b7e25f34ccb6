"""What memory saves: tokens of history against those of what is told, and what compaction merges.

    python -m tests.bench.saving FOLDER [--sessions N] [--model] [--merges FILE]

FOLDER holds a project's sessions as `tests.bench.worth` has them: `sessions.json` and
`sessions/NAME.jsonl`. The first N, 24 by default, are captured by rules, each when it ended; with
`--model` by what a model answered, `answers/NAME.json`, where there is one. The next ones ask
memory at their start and with their first prompt, by their branch. History is what was said and
called in all sessions before, as an agent would read it again. A month later all of memory is
compacted: `--merges` writes each merge, with what it was made of, to be read by eye.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from pydantic import TypeAdapter

from store import Memory, open_memory
from store.agents.discovery import open_session
from store.agents.session import Session
from store.compaction.model import CompactionPlan
from store.recall.request import RecallRequest
from store.records import estimate_tokens
from store.sessions.session_file import read_file
from tests.bench.worth import CLIENT, Listed

ASKING = 12
"""Sessions that ask memory."""
LATER = timedelta(days=30)
PROMPT_BUDGET = 1_500


class Spent(NamedTuple):
    """Estimated tokens of a session: what was said, and with what tools were given and answered."""

    said: int
    all: int


def spent(session: Session) -> Spent:
    """Return the tokens of a session's words, and of all that stands in its context."""
    said = sum(estimate_tokens(message.text) for message in session.messages)
    tools = [str(dict(step.call.arguments)) for step in session.steps]
    tools += [step.result.text for step in session.steps if step.result is not None]
    calls = sum(map(estimate_tokens, tools))
    return Spent(said, said + calls)


def captured(memory: Memory, path: Path, session: str, answer: Path | None = None) -> None:
    with open_session(path) as lines:
        plan = memory.capture.plan(lines, session_id=session, likely=CLIENT, environ={})
    if answer is not None and answer.exists():
        plan = memory.capture.ask_model(plan, shlex.join(["cat", str(answer.absolute())]))
    memory.capture.apply(plan)


def told(memory: Memory, session: Session, now: datetime) -> tuple[int, int]:
    """Return the tokens that a session is told at its start and with its first prompt."""
    request = RecallRequest(
        agent=CLIENT, client=CLIENT, channel=CLIENT, branch=session.branch, told_only=True
    )
    start = memory.recall.plan(request._replace(at_start=True), now=now)
    first = next((message.text for message in session.messages), "")
    prompt = request._replace(
        task=first,
        budget=PROMPT_BUDGET,
        given=frozenset(row.observation.id for row in start.included),
    )
    return start.tokens, memory.recall.plan(prompt, now=now).tokens


def merges(compaction: CompactionPlan) -> Iterator[str]:
    """Yield each merge in Markdown: what it leaves, what it was made of, what it left out."""
    for number, cluster in enumerate(compaction.clusters, 1):
        yield f"## {number}. {cluster.reason}: {len(cluster.originals)} become one\n"
        yield f"{cluster.merged.content}\n"
        yield from (f"- from {one.category}: {one.content!r}" for one in cluster.originals)
        yield from (
            f"- left out: {left.statement!r}, instead: {left.instead!r}"
            for left in cluster.left_out
        )
        yield ""


def report(compaction: CompactionPlan) -> Iterator[str]:
    """Yield what a compaction saves, in words."""
    for name in ("observations", "tokens"):
        before, after = getattr(compaction, name)
        yield f"compaction, {name}: {before:,} -> {after:,} ({after / max(1, before) - 1:+.1%})"
    merged = sum(len(cluster.originals) for cluster in compaction.clusters)
    yield f"{len(compaction.clusters)} merges of {merged} memories"


def main(arguments: Sequence[str]) -> None:
    """Capture, ask and compact, and print what was saved."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.saving", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sessions", type=int, default=24)
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--merges", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    listed = TypeAdapter(list[Listed]).validate_json(
        (options.folder / "sessions.json").read_bytes()
    )
    before, asking = listed[: options.sessions], listed[options.sessions :][:ASKING]
    clock = [before[0].ended]
    with (
        tempfile.TemporaryDirectory() as folder,
        open_memory(
            Path(folder) / "memory", cache=Path(folder) / "cache", clock=lambda: clock[0]
        ) as memory,
    ):
        for one in before:
            clock[0] = one.ended
            answer = options.folder / "answers" / f"{one.name}.json" if options.model else None
            captured(memory, file_of(options.folder, one), one.session, answer)
        memory.index.refresh()
        print(f"{len(before)} sessions, {memory.stats().total_observations} memories")
        history = [spent(read_file(file_of(options.folder, one)).session) for one in before]
        said, everything = (sum(column) for column in zip(*history, strict=True))
        print(f"history: {said:,} tokens said, {everything:,} with tools")
        sessions = [(read_file(file_of(options.folder, one)).session, one.ended) for one in asking]
        starts, prompts = zip(*(told(memory, *session) for session in sessions), strict=True)
        spent_on = mean(starts) + mean(prompts)
        print(
            f"told to {len(starts)} later sessions: {mean(starts):,.0f} tokens at the start, "
            f"{mean(prompts):,.0f} with the first prompt; "
            f"{1 - spent_on / said:.1%} less than what was said"
        )
        clock[0] += LATER
        compaction = memory.compaction.plan(all=True)
        print("\n".join(report(compaction)))
        if options.merges:
            options.merges.write_text("\n".join(merges(compaction)), encoding="utf-8")


def file_of(folder: Path, session: Listed) -> Path:
    return folder / "sessions" / f"{session.name}.jsonl"


if __name__ == "__main__":
    main(sys.argv[1:])
