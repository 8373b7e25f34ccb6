"""Memories as a person would describe them, to check merges against: sets, flags and counts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from store.merge.files import Merged, Side
from store.merge.versions import CONFLICT
from store.records import new_record
from tests.store.factories import record

IDS = tuple(f"obs-{letter}" for letter in "abcde")
_BORN = "2026-02-01T10:00:00.000Z"
_DAY = "2026-03-{:02d}T10:00:00.000Z"


@dataclass(frozen=True)
class Memory:
    """One memory: every text that stands, its tags, its pin, how often it was recalled."""

    texts: frozenset[str]
    tags: frozenset[str] = frozenset()
    pinned: bool = False
    recalls: int = 0
    removed_elsewhere: bool = False


World = dict[str, Memory]


@dataclass
class Branch:
    """A branch: its records as they stand, and what a person takes them to be."""

    records: list[dict[str, Any]] = field(default_factory=list)
    world: World = field(default_factory=dict)
    day: int = 1

    def fork(self) -> Branch:
        return Branch([dict(item) for item in self.records], dict(self.world), self.day)

    def do(self, step: tuple[str, str, str], day: int) -> None:
        """Carry out one operation, on the records and in the model."""
        what, identifier, word = step
        self.day = max(self.day, day)
        known = self.world.get(identifier)
        if known is None:
            if what == "add":
                self.records.append(record(identifier, content=identifier, timestamp=_BORN))
                self.world[identifier] = Memory(frozenset({identifier}))
            return
        at = next(at for at, item in enumerate(self.records) if item["id"] == identifier)
        item = self.records[at] = dict(self.records[at])
        if what == "remove":
            del self.records[at], self.world[identifier]
        elif what == "edit":
            item.pop(CONFLICT, None)
            item.update(content=word, editedAt=_DAY.format(day))
            self.world[identifier] = replace(
                known, texts=frozenset({word}), removed_elsewhere=False
            )
        elif what == "tag":
            item["tags"] = list(dict.fromkeys([*item.get("tags", ()), word]))
            self.world[identifier] = replace(known, tags=known.tags | {word})
        elif what == "pin":
            item["pinned"] = True
            self.world[identifier] = replace(known, pinned=True)
        elif what == "recall":
            item["recallCount"] = item.get("recallCount", 0) + 1
            self.world[identifier] = replace(known, recalls=known.recalls + 1)

    def side(self) -> Side:
        header = {"version": 1, "issueNumber": 29, "updatedAt": _DAY.format(self.day)}
        return Side(header, [new_record(item) for item in self.records])


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "edit", "remove", "tag", "pin", "recall"]),
        st.sampled_from(IDS),
        st.sampled_from(["red", "green", "blue"]),
    ),
    max_size=8,
)


def grown(start: Branch, steps: list[tuple[str, str, str]], day: int) -> Branch:
    """A branch after some operations, a day each."""
    branch = start.fork()
    for number, step in enumerate(steps):
        branch.do(step, day + number)
    return branch


def side_of(merged: Merged) -> Side:
    """A merged file as a side of the next merge."""
    return Side(merged.header, merged.records)


def world_of(side: Side) -> World:
    """What a person takes the records of a file to be."""
    world: World = {}
    for _, value in side.records:
        assert value["id"] not in world, "doubled"
        others = value.get(CONFLICT, [])
        texts = [value["content"], *(it["content"] for it in others if "content" in it)]
        assert len(texts) == len(set(texts)), "a text kept twice"
        world[value["id"]] = Memory(
            frozenset(texts),
            frozenset(value.get("tags", ())),
            value.get("pinned", False),
            value.get("recallCount", 0),
            {"removed": True} in others,
        )
    return world


def merged_worlds(base: World, ours: World, theirs: World) -> World:
    """What a person expects of a merge."""
    merged: World = {}
    for identifier in {**base, **ours, **theirs}:
        was, one, other = (side.get(identifier) for side in (base, ours, theirs))
        if one is None or other is None:
            stands = one or other
            if stands is None:
                continue
            if was is None:
                merged[identifier] = stands
            elif replace(stands, recalls=0) != replace(was, recalls=0):
                merged[identifier] = replace(stands, removed_elsewhere=True)
            continue
        none = Memory(frozenset())
        old = was or none
        texts = _joined(old.texts, one.texts, other.texts) or one.texts | other.texts
        merged[identifier] = Memory(
            texts,
            _joined(old.tags, one.tags, other.tags),
            _turned(old.pinned, one.pinned, other.pinned),
            one.recalls + other.recalls - old.recalls if was else max(one.recalls, other.recalls),
            _turned(old.removed_elsewhere, one.removed_elsewhere, other.removed_elsewhere),
        )
    return merged


def _joined(base: frozenset[str], ours: frozenset[str], theirs: frozenset[str]) -> frozenset[str]:
    return (ours & theirs) | (ours - base) | (theirs - base)


def _turned(base: bool, ours: bool, theirs: bool) -> bool:
    return ours if theirs == base else theirs
