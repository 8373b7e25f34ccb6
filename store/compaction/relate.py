"""The rules by which a compaction finds which observations of an issue belong together.

`near_pairs` finds the pairs that are worth comparing; each rule looks at these, and gives groups.
An observation is in at most one group of a rule. All are deterministic.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from rapidfuzz import fuzz

from store.compaction.merge import (
    is_history_entry,
    is_lasting,
    main_path,
    merged_observation,
    missing_from,
    newest_first,
)
from store.compaction.model import Cluster, LeftOut, Reason
from store.compaction.statements import has_code_of, supersedes
from store.model import Category, Layer, Observation, layer_of
from store.text.facts import Facts, facts_of, subjects_of, word_share
from store.text.normalise import meaning, normalise
from store.text.similarity import Blocks, is_covered_by, is_reordered

_FIRST_PERSON = frozenset({"I", "I'm", "I've", "I'll", "I'd", "My", "my", "me", "me.", "myself"})
_NEAR = 0.3
"""The share of the shorter one's subjects that two observations worth comparing have in common."""
ALIKE = 80.0
"""The similarity (0 to 100) from which two observations are in the same words."""
_SAME_WORDS = 0.8
_SHARED_WEIGHT = 0.4
_ABOUT_ONE_ERROR, _PLAINLY = 0.3, 0.6
_FILES_OF_A_FIX = 3
_COMMON_MARK = 12
_SMALL = 240
_PARTS = re.compile(r"^(?:Asked|Why|Cause|Fixed by|Files|The user|On|Not)\b", re.M)
"""Lines that give a cause, a reason or a request."""
_FIX_WORDS = frozenset(meaning(word) for word in ("fix", "workaround", "cause", "solution"))
_FIX_CATEGORIES = (Category.CODE_CHANGE, Category.LESSON, Category.DECISION, Category.KEY_FACT)
_COMMAND = re.compile(r"[a-z][a-z ]{0,40}: `[^`]+`(?: in `[^`]+`)?")


class Item:
    """An observation with what the rules of compaction ask of it, each read once."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        self.content = observation.content
        self.category = observation.category

    @cached_property
    def facts(self) -> Facts:
        return facts_of(self.content)

    @cached_property
    def subjects(self) -> frozenset[str]:
        """Subjects of an observation, read quickly (see `subjects_of`)."""
        return subjects_of(self.content)

    @cached_property
    def marks(self) -> frozenset[str]:
        """The files and names in code that it may be about; not its numbers and dates."""
        return self.facts.paths | self.facts.identifiers

    @cached_property
    def form(self) -> str:
        return " ".join(sorted(normalise(self.content).split()))

    @cached_property
    def senses(self) -> frozenset[str]:
        """The meanings of its content words."""
        return frozenset(meaning(word) for word in self.facts.words)

    @cached_property
    def kind(self) -> Hashable:
        """Only observations of one kind are compared: compatible categories, and one speaker
        where somebody speaks of themselves.
        """
        layer = layer_of(self.category)
        group = layer if layer is Layer.SEMANTIC else self.category
        is_personal = not _FIRST_PERSON.isdisjoint(self.content.split())
        return group, self.observation.agent if is_personal else ""

    @property
    def has_fix_words(self) -> bool:
        return not self.subjects.isdisjoint(_FIX_WORDS)


Pair = tuple[Item, Item]
"""Two observations that may belong together."""


class Group(NamedTuple):
    """Items that belong together. `about` names what they share, for people."""

    items: tuple[Item, ...]
    about: str = ""


def near_pairs(items: Sequence[Item]) -> Iterator[Pair]:
    """Yield the pairs of one kind that share rare words and three tenths of what the shorter is
    about.

    A bounded number for each item, so that the pairs grow with the items, not with their square.
    """
    kinds: dict[Hashable, list[Item]] = defaultdict(list)
    for item in items:
        kinds[item.kind].append(item)
    for alike in kinds.values():
        first_with: dict[str, Item] = {}
        blocks = Blocks(item.subjects for item in alike)
        for index, item in enumerate(alike):
            first = first_with.setdefault(item.content, item)
            if first is not item:
                yield item, first
                continue
            for other in map(alike.__getitem__, blocks.meet(index, item.subjects)):
                shorter = min(len(item.subjects), len(other.subjects))
                if _shared(item, other) >= _NEAR * shorter:
                    yield item, other


def duplicates(items: Sequence[Item], pairs: Sequence[Pair]) -> list[Group]:
    """Observations with the same content, or one of which adds nothing to the other."""
    return _joined(items, pairs, is_duplicate)


def superseded(items: Sequence[Item], pairs: Sequence[Pair]) -> list[Group]:
    """Observations with the later one that takes their place."""

    def is_superseded(one: Item, other: Item) -> bool:
        older, newer = sorted((one, other), key=lambda item: item.observation.timestamp)
        return older.observation.timestamp < newer.observation.timestamp and supersedes(
            newer.facts, older.facts
        )

    return _joined([item for item in items if is_lasting(item.category)], pairs, is_superseded)


def related(items: Sequence[Item], pairs: Sequence[Pair]) -> list[Group]:
    """Small observations about one file or name in code, or of one agent in similar words.

    A word weighs the more the fewer observations have it, `log(1 + observations / with it)`; two
    fifths of the weight of the lighter one must be shared. What has its cause, its reason or what
    was asked in lines of its own is left alone: among others these would seem to belong to all.
    """
    if not pairs:
        return []
    small = [
        item for item in items if len(item.content) <= _SMALL and not _PARTS.search(item.content)
    ]
    count = Counter(chain.from_iterable(item.subjects for item in small))

    def weight(subjects: Iterable[str]) -> float:
        return math.fsum(math.log1p(len(small) / count[subject]) for subject in subjects)

    def is_related(one: Item, other: Item) -> bool:
        shared = one.subjects & other.subjects
        if any(count[mark] <= _COMMON_MARK for mark in shared & one.marks):
            return True
        if one.observation.agent != other.observation.agent:
            return False
        lighter = min(weight(one.subjects), weight(other.subjects))
        return lighter > 0 and weight(shared) >= _SHARED_WEIGHT * lighter

    return _joined(small, pairs, is_related)


def file_histories(items: Sequence[Item], pairs: Sequence[Pair]) -> list[Group]:
    """Return the code changes of each file alone that are short enough for a line.

    What was changed in several files at once belongs to all of them, and to no one's history.
    """
    changes: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        is_change = item.category == Category.CODE_CHANGE
        if is_change and len(item.facts.paths) == 1 and is_history_entry(item.content):
            changes[main_path(item.content)[0]].append(item)
    return [
        Group(tuple(of_file), path) for path, of_file in sorted(changes.items()) if len(of_file) > 1
    ]


def errors_and_fixes(items: Sequence[Item], pairs: Sequence[Pair]) -> list[Group]:
    """Return each error not known to be mended, with the later observations that name the fix."""
    errors = [item for item in items if item.category == Category.ERROR and not item.has_fix_words]
    fixes = [item for item in items if item.category in _FIX_CATEGORIES and item.has_fix_words]
    blocks = Blocks(item.subjects for item in (*errors, *fixes))
    for index, error in enumerate(errors):
        blocks.add(index, error.subjects)
    found: dict[int, list[Item]] = defaultdict(list)
    for fix in fixes:
        scored = [
            (_shared(errors[index], fix), errors[index].observation.timestamp, -index)
            for index in blocks.candidates(fix.subjects)
            if _is_fix_of(fix, errors[index])
        ]
        if scored:
            found[-max(scored)[2]].append(fix)
    return [Group((errors[index], *found[index])) for index in sorted(found)]


def takeovers(observations: Sequence[Observation]) -> list[Cluster]:
    """Return a cluster for each procedure with those that a later one took over, in its own words:
    capture names in it those whose commands it gives again.

    Only those are in it whose commands it all has, with their options: what was edited by hand
    since is left alone, and so is an option that the later one no longer has.
    """
    procedures = {one.id: one for one in observations if one.category == Category.PROCEDURE}
    taken: set[str] = set()
    found: list[Cluster] = []
    for latest in newest_first(list(procedures.values())):
        if latest.id in taken:
            continue
        older = [
            one
            for one in _named_by(latest, procedures)
            if one.id not in taken and _has_all_commands(latest, one)
        ]
        if older:
            # Sessions are not captured in order of time: what took others over may be named, too.
            taken.update(one.id for one in (latest, *older))
            found.append(_takeover(latest, older))
    return found


def is_duplicate(one: Item, other: Item) -> bool:
    """Two observations have the same content, or one adds nothing to the other."""
    if not _is_about_one_thing(one.facts, other.facts):
        return False
    texts = one.content, other.content
    if not (has_code_of(*texts) or has_code_of(*reversed(texts))) or is_reordered(*texts):
        return False
    smaller, larger = sorted((one, other), key=lambda item: len(item.subjects))
    if (
        is_covered_by(smaller.facts, larger.facts)
        and word_share(larger.facts, smaller.facts) >= _SAME_WORDS
    ):
        return True
    if len(one.senses & other.senses) >= _SAME_WORDS * max(len(one.senses), len(other.senses)):
        return True
    return fuzz.ratio(one.form, other.form, score_cutoff=ALIKE) >= ALIKE


def _is_about_one_thing(one: Facts, other: Facts) -> bool:
    """Return whether two alike texts have no other value, name, file or contrast."""
    if one.contrasts != other.contrasts:
        return False
    if one.paths and other.paths and one.paths.isdisjoint(other.paths):
        return False
    return _is_nested(one.numbers, other.numbers) and _is_nested(
        one.identifiers | one.names, other.identifiers | other.names
    )


def _is_nested(one: frozenset[str], other: frozenset[str]) -> bool:
    return one <= other or other <= one


def _is_fix_of(fix: Item, error: Item) -> bool:
    is_wide = fix.category == Category.CODE_CHANGE and len(fix.facts.paths) > _FILES_OF_A_FIX
    if fix.observation.timestamp < error.observation.timestamp or is_wide:
        return False
    share = _shared(fix, error) / max(len(error.subjects), 1)
    if share < _ABOUT_ONE_ERROR:
        return False
    names_it = not error.marks.isdisjoint(fix.facts.spoken)
    session = error.observation.session_id
    if session and fix.observation.session_id and session != fix.observation.session_id:
        # Another session's change mends an error only where it plainly speaks of that one.
        return share >= _PLAINLY and names_it
    return share >= 0.5 or names_it


def _shared(one: Item, other: Item) -> int:
    return len(one.subjects & other.subjects)


def _joined(
    items: Sequence[Item], pairs: Sequence[Pair], belong: Callable[[Item, Item], bool]
) -> list[Group]:
    """Return the items that belong together, directly or through others between them."""
    leader = {item: item for item in items}

    def lead(item: Item) -> Item:
        while leader[item] is not item:
            leader[item] = leader[leader[item]]
            item = leader[item]
        return item

    for one, other in pairs:
        if one in leader and other in leader:
            mine, others = lead(one), lead(other)
            if mine is not others and (one.content == other.content or belong(one, other)):
                leader[mine] = others
    members: dict[Item, list[Item]] = defaultdict(list)
    for item in items:
        members[lead(item)].append(item)
    return [Group(tuple(group)) for group in members.values() if len(group) > 1]


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


def _takeover(latest: Observation, older: Sequence[Observation]) -> Cluster:
    originals = newest_first([latest, *older])
    left_out = []
    for one in older:
        for command in _commands(one):
            wider = next(wider for wider in _commands(latest) if _is_wider(wider, command))
            left_out.append(
                LeftOut(
                    observation_id=one.id,
                    statement=command,
                    instead=wider,
                    superseded=command != wider,
                    missing=missing_from(latest.content, command),
                )
            )
    return Cluster(
        reason=Reason.SUPERSEDED,
        originals=tuple(originals),
        merged=merged_observation(originals, latest.content, latest.summary, Category.PROCEDURE),
        left_out=tuple(left_out),
    )


def _has_all_commands(latest: Observation, older: Observation) -> bool:
    commands, known = _commands(older), _commands(latest)
    return bool(commands) and all(
        any(_is_wider(wider, command) for wider in known) for command in commands
    )


def _commands(procedure: Observation) -> tuple[str, ...]:
    """The commands of a procedure, those with most options first; none where it has other text."""
    commands = _COMMAND.findall(procedure.content)
    is_all = "; ".join(commands) == procedure.content.partition(": ")[2]
    return tuple(sorted(commands, key=len, reverse=True)) if is_all else ()


def _is_wider(command: str, older: str) -> bool:
    """Return whether a command is an older one, or that with more options."""
    words, before = command.replace("`", " ` ").split(), older.replace("`", " ` ").split()
    more = [word for word in words if word.startswith("-") and word not in before]
    return [word for word in words if word not in more] == before
