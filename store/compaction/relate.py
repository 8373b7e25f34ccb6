"""The rules by which a compaction finds its clusters.

Each rule looks at observations of one issue, and at the pairs of them that are near each other, and
gives groups; an observation is in at most one group. All are deterministic.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from store.compaction.history import has_place
from store.compaction.merge import is_lasting
from store.compaction.neighbours import FEW, Item, Pair
from store.compaction.statements import has_code_of, supersedes
from store.model import Category
from store.text.facts import Facts, word_share
from store.text.normalise import meaning
from store.text.order import is_reordered
from store.text.similarity import Blocks, is_covered_by

ALIKE = 80.0
"""The similarity (0 to 100) from which two observations are in the same words."""
_SAME_WORDS = 0.8
_SHARED_WEIGHT = 0.4
_ABOUT_ONE_ERROR, _PLAINLY = 0.3, 0.6
_FILES_OF_A_FIX = 3
_COMMON_MARK = 12
_SMALL = 240
_FIX_WORDS = frozenset(meaning(word) for word in ("fix", "workaround", "cause", "solution"))
_FIX_CATEGORIES = (Category.CODE_CHANGE, Category.LESSON, Category.DECISION, Category.KEY_FACT)


@dataclass(frozen=True, slots=True)
class Group:
    """Items that belong together. `about` says what they share, for people."""

    items: tuple[Item, ...]
    about: str = ""


def duplicates(items: Sequence[Item], pairs: Sequence[Pair]) -> list[Group]:
    """Observations that say the same, or one of which says no more than the other."""
    return _joined(items, pairs, _is_duplicate)


def superseded(items: Sequence[Item], pairs: Sequence[Pair]) -> list[Group]:
    """Observations with the later one that takes their place."""
    lasting = [item for item in items if is_lasting(item.observation.category)]

    def is_superseded(one: Item, other: Item) -> bool:
        older, newer = sorted((one, other), key=lambda item: item.observation.timestamp)
        return older.observation.timestamp < newer.observation.timestamp and supersedes(
            newer.facts, older.facts
        )

    return _joined(lasting, pairs, is_superseded)


def related(items: Sequence[Item], pairs: Sequence[Pair]) -> list[Group]:
    """Small observations about one file or name in code, or of one agent in similar words.

    A word weighs the more the fewer observations have it, `log(1 + observations / with it)`; two
    fifths of the weight of the lighter one must be shared. What has its cause, its reason or what
    was asked in lines of its own is told alone: among others these would seem to belong to all.
    """
    small = [item for item in items if _is_small(item.observation.content)]
    if not pairs:
        return []
    count = Counter(chain.from_iterable(item.subjects for item in small))

    def weight(subjects: Iterable[str]) -> float:
        return math.fsum(math.log1p(len(small) / count[subject]) for subject in subjects)

    def is_related(one: Item, other: Item) -> bool:
        shared = one.subjects & other.subjects
        if any(count[mark] <= _COMMON_MARK for mark in shared & _subjects(one.facts)):
            return True
        if one.observation.agent != other.observation.agent:
            return False
        lighter = min(weight(one.subjects), weight(other.subjects))
        return lighter > 0 and weight(shared) >= _SHARED_WEIGHT * lighter

    return _joined(small, pairs, is_related)


_OF_ITS_OWN = re.compile(r"^(?:Asked|Why|Cause|Fixed by|Files|The user|On|Not)\b", re.M)


def _is_small(content: str) -> bool:
    return len(content) <= _SMALL and not _OF_ITS_OWN.search(content)


def file_histories(items: Sequence[Item], pairs: Sequence[Pair]) -> list[Group]:
    """The code changes of each file alone that are short enough to be told in a line.

    What was changed in several files at once belongs to all of them, and to no one's history.
    """
    changes: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        is_change = item.observation.category == Category.CODE_CHANGE
        if is_change and len(item.facts.paths) == 1 and has_place(item.observation.content):
            changes[item.path].append(item)
    return [
        Group(tuple(of_file), path) for path, of_file in sorted(changes.items()) if len(of_file) > 1
    ]


def errors_and_fixes(items: Sequence[Item], pairs: Sequence[Pair]) -> list[Group]:
    """Each error not known to be mended, with the later observations that say how it was."""
    errors = [
        item
        for item in items
        if item.observation.category == Category.ERROR and not _has_fix_words(item)
    ]
    fixes = [
        item
        for item in items
        if item.observation.category in _FIX_CATEGORIES and _has_fix_words(item)
    ]
    mending = fixes
    if len(errors) <= FEW:
        mending = [fix for fix in fixes if any(_is_fix_of(fix, error) for error in errors)]
    if not mending:
        return []
    blocks = Blocks(item.subjects for item in (*errors, *fixes))
    for index, error in enumerate(errors):
        blocks.add(index, error.subjects)
    found: dict[int, list[Item]] = defaultdict(list)
    for fix in mending:
        scored = [
            (_shared(errors[index], fix), errors[index].observation.timestamp, -index)
            for index in blocks.candidates(fix.subjects)
            if _is_fix_of(fix, errors[index])
        ]
        if scored:
            found[-max(scored)[2]].append(fix)
    return [Group((errors[index], *found[index])) for index in sorted(found)]


def _subjects(facts: Facts) -> frozenset[str]:
    """Possible subjects of a text: files, names in code; not its numbers and dates."""
    return facts.paths | facts.identifiers


def _is_about_one_thing(one: Facts, other: Facts) -> bool:
    """Whether nothing tells two alike texts apart: a value, a name, a file or a contrast."""
    if one.contrasts != other.contrasts:
        return False
    if one.paths and other.paths and one.paths.isdisjoint(other.paths):
        return False
    return _is_nested(one.numbers, other.numbers) and _is_nested(
        one.identifiers | one.names, other.identifiers | other.names
    )


def _is_nested(one: frozenset[str], other: frozenset[str]) -> bool:
    return one <= other or other <= one


def _is_duplicate(one: Item, other: Item) -> bool:
    from rapidfuzz import fuzz

    if not _is_about_one_thing(one.facts, other.facts):
        return False
    texts = one.observation.content, other.observation.content
    if not (has_code_of(*texts) or has_code_of(*reversed(texts))) or is_reordered(*texts):
        return False
    smaller, larger = sorted((one, other), key=lambda item: len(item.subjects))
    if (
        is_covered_by(smaller.facts, larger.facts)
        and word_share(larger.facts, smaller.facts) >= 0.8
    ):
        return True
    if len(one.senses & other.senses) >= _SAME_WORDS * max(len(one.senses), len(other.senses)):
        return True
    return fuzz.ratio(one.form, other.form, score_cutoff=ALIKE) >= ALIKE


def _has_fix_words(item: Item) -> bool:
    return not item.subjects.isdisjoint(_FIX_WORDS)


def _is_wide(item: Item) -> bool:
    """The change went further than one error: it belongs to no error alone."""
    return (
        item.observation.category == Category.CODE_CHANGE
        and len(item.facts.paths) > _FILES_OF_A_FIX
    )


def _is_fix_of(fix: Item, error: Item) -> bool:
    if fix.observation.timestamp < error.observation.timestamp or _is_wide(fix):
        return False
    share = _shared(fix, error) / max(len(error.subjects), 1)
    if share < _ABOUT_ONE_ERROR:
        return False
    session = error.observation.session_id
    if session and fix.observation.session_id and session != fix.observation.session_id:
        # Another session's change mends an error only where it plainly speaks of that one.
        return share >= _PLAINLY and not _subjects(error.facts).isdisjoint(fix.facts.spoken)
    return share >= 0.5 or not _subjects(error.facts).isdisjoint(fix.facts.spoken)


def _shared(one: Item, other: Item) -> int:
    return len(one.subjects & other.subjects)


def _joined(
    items: Sequence[Item], pairs: Sequence[Pair], belong: Callable[[Item, Item], bool]
) -> list[Group]:
    """The items that belong together, directly or through others between them."""
    leader = {id(item): id(item) for item in items}

    def lead(item: int) -> int:
        while leader[item] != item:
            leader[item] = leader[leader[item]]
            item = leader[item]
        return item

    for one, other in pairs:
        if id(one) in leader and id(other) in leader:
            mine, others = lead(id(one)), lead(id(other))
            same = one.observation.content == other.observation.content
            if mine != others and (same or belong(one, other)):
                leader[mine] = others
    members: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        members[lead(id(item))].append(item)
    return [Group(tuple(group)) for group in members.values() if len(group) > 1]
