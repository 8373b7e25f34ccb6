"""Procedures that a later one took over: capture names in it those whose commands it says again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from store.compaction.merge import merged_observation, missing_from, newest_first
from store.compaction.model import Cluster, LeftOut, Reason
from store.model import Category, Observation

_COMMAND = re.compile(r"[a-z][a-z ]{0,40}: `[^`]+`(?: in `[^`]+`)?")


def takeovers(observations: Sequence[Observation]) -> list[Cluster]:
    """A cluster for each procedure with those that it took over, in its own words.

    Only those are in it whose commands it all has, with their options: what was edited by hand
    since stands alone, and so does an option that the later one no longer has.
    """
    procedures = {one.id: one for one in observations if one.category == Category.PROCEDURE}
    taken: set[str] = set()
    found: list[Cluster] = []
    for latest in newest_first(list(procedures.values())):
        if latest.id in taken:
            continue
        older = [one for one in _named_by(latest, procedures) if one.id not in taken]
        older = [one for one in older if _has_all_commands(latest, one)]
        if older:
            # Sessions are not captured in order of time: what took others over may be named, too.
            taken.update(one.id for one in (latest, *older))
            found.append(_cluster(latest, older))
    return found


def _named_by(latest: Observation, procedures: dict[str, Observation]) -> list[Observation]:
    """The procedures that a later one names, and those that these name in turn, newest first."""
    found: dict[str, Observation] = {}
    waiting = [latest]
    while waiting:
        for source in waiting.pop().sources:
            if source in procedures and source not in found and source != latest.id:
                found[source] = procedures[source]
                waiting.append(procedures[source])
    return newest_first(list(found.values()))


def _cluster(latest: Observation, older: Sequence[Observation]) -> Cluster:
    originals = newest_first([latest, *older])
    merged = merged_observation(originals, latest.content, latest.summary, Category.PROCEDURE)
    commands = _commands(latest)
    return Cluster(
        reason=Reason.SUPERSEDED,
        originals=tuple(originals),
        merged=merged,
        left_out=tuple(
            LeftOut(
                observation_id=one.id,
                statement=command,
                instead=(wider := next(it for it in commands if _is_wider(it, command))),
                superseded=command != wider,
                missing=missing_from(latest.content, command),
            )
            for one in older
            for command in _commands(one)
        ),
    )


def _has_all_commands(latest: Observation, older: Observation) -> bool:
    commands = _commands(older)
    return bool(commands) and all(
        any(_is_wider(command, one) for command in _commands(latest)) for one in commands
    )


def _commands(procedure: Observation) -> tuple[str, ...]:
    """The commands of a procedure, those with most options first; none where it says more."""
    commands = _COMMAND.findall(procedure.content)
    is_all = "; ".join(commands) == procedure.content.partition(": ")[2]
    return tuple(sorted(commands, key=len, reverse=True)) if is_all else ()


def _is_wider(command: str, older: str) -> bool:
    """Whether a command is an older one, or that with more options."""
    words, said = command.replace("`", " ` ").split(), older.replace("`", " ` ").split()
    more = [word for word in words if word.startswith("-") and word not in said]
    return [word for word in words if word not in more] == said
