"""Which observations belong together: the rules by which a compaction finds its clusters.

Each rule looks at the observations of one issue and gives groups of them; an observation is in at
most one group. Each group has one at least of the ids in `fresh`: the others were looked at before.
All rules are deterministic and look at a bounded number of candidates for each observation.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

from store.compaction.history import main_path
from store.compaction.merge import is_lasting
from store.compaction.statements import supersedes, tells_a_change
from store.model import Category, Layer, Observation, layer_of
from store.text.facts import Facts, facts_of, word_share
from store.text.normalise import meaning, normalise
from store.text.similarity import Blocks, says_no_more

ALIKE = 80.0
"""The similarity (0 to 100) from which two observations are in the same words."""
_SAME_WORDS = 0.8
_SHARED_WORDS = 0.34
_ABOUT_ONE_ERROR = 0.3
_COMMON_MARK = 12
_SMALL = 500
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I've|I'll|my|me|mine|myself)\b", re.IGNORECASE)
_FIX_WORDS = frozenset(meaning(word) for word in ("fix", "workaround", "cause", "solution"))


class Item:
    """An observation with what the rules ask of it, each read once."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation

    @cached_property
    def facts(self) -> Facts:
        """The facts of its content."""
        return facts_of(self.observation.content)

    @cached_property
    def form(self) -> str:
        """Its content in the common form, words sorted."""
        return " ".join(sorted(normalise(self.observation.content).split()))

    @cached_property
    def senses(self) -> frozenset[str]:
        """The meanings of its content words."""
        return frozenset(meaning(word) for word in self.facts.words)

    @cached_property
    def bag(self) -> frozenset[str]:
        """Its marks and the meanings of its words."""
        return self.facts.marks | self.senses

    @cached_property
    def path(self) -> str:
        """The first path that it names, or nothing."""
        return main_path(self.observation.content)[0]

    @cached_property
    def kind(self) -> Hashable:
        """Only observations of one kind tell the same: compatible categories, and one speaker

        where somebody speaks of themselves.
        """
        category = self.observation.category
        group = layer_of(category) if layer_of(category) is Layer.SEMANTIC else category
        speaker = self.observation.agent if _FIRST_PERSON.search(self.observation.content) else ""
        return group, speaker


@dataclass(frozen=True, slots=True)
class Group:
    """Items that belong together. `about` says what they share, for people."""

    items: tuple[Item, ...]
    about: str = ""


def duplicates(items: Sequence[Item], fresh: Container[str]) -> list[Group]:
    """Observations that say the same, or one of which says no more than the other."""
    return _joined(items, fresh, _says_the_same)


def superseded(items: Sequence[Item], fresh: Container[str]) -> list[Group]:
    """Observations with the later one that takes their place."""
    lasting = [item for item in items if is_lasting(item.observation.category)]
    later = {item.observation.id for item in lasting if tells_a_change(item.facts)}

    def gives_way(one: Item, other: Item) -> bool:
        older, newer = sorted((one, other), key=lambda item: item.observation.timestamp)
        return older.observation.timestamp < newer.observation.timestamp and supersedes(
            newer.facts, older.facts
        )

    return _joined(lasting, later, gives_way)


def related(items: Sequence[Item], fresh: Container[str]) -> list[Group]:
    """Small observations about one file, name or error, or that share a third of their words."""
    small = [item for item in items if len(item.observation.content) <= _SMALL]
    count = Counter(mark for item in small for mark in item.facts.marks)

    def is_related(one: Item, other: Item) -> bool:
        shared = one.facts.marks & other.facts.marks
        if any(count[mark] <= _COMMON_MARK for mark in shared & _subjects(one.facts)):
            return True
        smaller = min(len(one.senses), len(other.senses))
        return smaller > 0 and len(one.senses & other.senses) >= _SHARED_WORDS * smaller

    return _joined(small, fresh, is_related)


def file_histories(items: Sequence[Item], fresh: Container[str]) -> list[Group]:
    """The code changes of each file."""
    changes: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        observation = item.observation
        if observation.category == Category.CODE_CHANGE and "```" not in observation.content:
            changes[item.path].append(item)
    return [
        Group(tuple(of_file), path)
        for path, of_file in sorted(changes.items())
        if path and len(of_file) > 1 and any(item.observation.id in fresh for item in of_file)
    ]


def errors_and_fixes(items: Sequence[Item], fresh: Container[str]) -> list[Group]:
    """Each error with the later observations that say how it was mended."""
    errors = [item for item in items if item.observation.category == Category.ERROR]
    fixes = [item for item in items if _is_fix(item)]
    if not errors or not fixes:
        return []
    blocks = Blocks(item.bag for item in items)
    for index, error in enumerate(errors):
        blocks.add(index, error.bag)
    found: dict[int, list[Item]] = defaultdict(list)
    for fix in fixes:
        scored = [
            (_shared(errors[index], fix), errors[index].observation.timestamp, -index)
            for index in blocks.candidates(fix.bag)
            if errors[index] is not fix and _is_fix_of(fix, errors[index])
        ]
        if scored:
            found[-max(scored)[2]].append(fix)
    groups: list[Group] = []
    taken: set[int] = set()
    for index in sorted(found):
        members = [item for item in (errors[index], *found[index]) if id(item) not in taken]
        taken.update(id(item) for item in members)
        if errors[index] in members and len(members) > 1:
            groups.append(Group(tuple(members)))
    return groups


def _subjects(facts: Facts) -> frozenset[str]:
    """What a text can be about: files, names in code; not its numbers and dates."""
    return facts.paths | facts.identifiers


def _of_one_thing(one: Facts, other: Facts) -> bool:
    """Whether nothing tells two alike texts apart: a value, a name, a file or a contrast."""
    if one.contrasts != other.contrasts:
        return False
    if one.paths and other.paths and one.paths.isdisjoint(other.paths):
        return False
    return _one_holds_the_other(one.numbers, other.numbers) and _one_holds_the_other(
        one.identifiers | one.names, other.identifiers | other.names
    )


def _one_holds_the_other(one: frozenset[str], other: frozenset[str]) -> bool:
    return one <= other or other <= one


def _says_the_same(one: Item, other: Item) -> bool:
    from rapidfuzz import fuzz

    if not _of_one_thing(one.facts, other.facts):
        return False
    smaller, larger = sorted((one, other), key=lambda item: len(item.bag))
    if says_no_more(smaller.facts, larger.facts) and word_share(larger.facts, smaller.facts) >= 0.8:
        return True
    shared = len(one.senses & other.senses)
    if shared >= _SAME_WORDS * max(len(one.senses), len(other.senses)):
        return True
    return fuzz.ratio(one.form, other.form, score_cutoff=ALIKE) >= ALIKE


def _is_fix(item: Item) -> bool:
    return bool(item.senses & _FIX_WORDS) and item.observation.category in (
        Category.ERROR,
        Category.CODE_CHANGE,
        Category.LESSON,
        Category.DECISION,
        Category.KEY_FACT,
    )


def _is_fix_of(fix: Item, error: Item) -> bool:
    if fix.observation.timestamp < error.observation.timestamp:
        return False
    if fix.observation.category == Category.ERROR and not error.senses.isdisjoint(_FIX_WORDS):
        return False
    share = len(fix.senses & error.senses) / max(len(error.senses), 1)
    names = error.facts.identifiers & fix.facts.spoken
    paths = error.facts.paths & fix.facts.spoken
    return share >= _ABOUT_ONE_ERROR and bool(names or paths or share >= 0.5)


def _shared(one: Item, other: Item) -> int:
    return len(one.bag & other.bag)


def _joined(
    items: Sequence[Item], fresh: Container[str], belong: Callable[[Item, Item], bool]
) -> list[Group]:
    """The items of one kind that belong together, directly or through others between them."""
    kinds: dict[Hashable, list[Item]] = defaultdict(list)
    for item in items:
        kinds[item.kind].append(item)
    return [
        group
        for alike in kinds.values()
        if len(alike) > 1 and any(item.observation.id in fresh for item in alike)
        for group in _connected(alike, fresh, belong)
    ]


def _connected(
    items: Sequence[Item], fresh: Container[str], belong: Callable[[Item, Item], bool]
) -> list[Group]:
    leader = list(range(len(items)))

    def lead(index: int) -> int:
        while leader[index] != index:
            leader[index] = leader[leader[index]]
            index = leader[index]
        return index

    blocks = Blocks(item.bag for item in items)
    first_with: dict[str, int] = {}
    for index, item in sorted(enumerate(items), key=lambda pair: pair[1].observation.id in fresh):
        same = first_with.setdefault(item.observation.content, index)
        if same != index:
            leader[index] = lead(same)
        elif item.observation.id not in fresh:
            blocks.add(index, item.bag)
        else:
            for other in blocks.meet(index, item.bag):
                if lead(other) != lead(index) and belong(item, items[other]):
                    leader[lead(index)] = lead(other)
    members: dict[int, list[Item]] = defaultdict(list)
    for index, item in enumerate(items):
        members[lead(index)].append(item)
    return [Group(tuple(group)) for group in members.values() if len(group) > 1]
