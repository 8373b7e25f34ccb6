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

    Only those are in it whose commands it all has, if with other options: what was edited by hand
    since stands alone.
    """
    procedures = {one.id: one for one in observations if one.category == Category.PROCEDURE}
    taken: set[str] = set()
    found: list[Cluster] = []
    for latest in newest_first(list(procedures.values())):
        if latest.id in taken:
            continue
        older = [one for one in _named_by(latest, procedures) if one.id not in taken]
        older = [one for one in older if _subjects(one) and _subjects(one) <= _subjects(latest)]
        if older:
            taken.update(one.id for one in older)
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
    instead = {_subject(command): command for command in _COMMAND.findall(latest.content)}
    return Cluster(
        reason=Reason.SUPERSEDED,
        originals=tuple(originals),
        merged=merged,
        left_out=tuple(
            LeftOut(
                observation_id=one.id,
                statement=command,
                instead=instead[_subject(command)],
                superseded=command != instead[_subject(command)],
                missing=missing_from(latest.content, command),
            )
            for one in older
            for command in _COMMAND.findall(one.content)
        ),
    )


def _subjects(procedure: Observation) -> frozenset[tuple[str, ...]]:
    """What the commands of a procedure are for; nothing where it says anything else."""
    commands = _COMMAND.findall(procedure.content)
    said = procedure.content.partition(": ")[2]
    return frozenset(map(_subject, commands)) if "; ".join(commands) == said else frozenset()


def _subject(command: str) -> tuple[str, ...]:
    """A command without its options: its kind, its words and its place."""
    return tuple(word for word in command.replace("`", " ` ").split() if not word.startswith("-"))
