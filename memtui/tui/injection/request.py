"""Recalls asked from the app: what is wished for, the worker's question, and its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from textual.message import Message

from memtui.formatting import plural
from memtui.tui.browse import query_text
from memtui.tui.injection.text import wrapped
from memtui.tui.worker import Question, Tell
from store.model import IndexEntry, Observation
from store.operations.plan import Plan
from store.pipeline import MemoryPipeline
from store.recall.profiles import PROFILES
from store.recall.request import RecallRequest
from store.recall.values import CHANNELS, TEXT, Recall
from store.text.visible import visible

_BUDGETS = (
    *(0, 250, 500, 750, 1_000, 1_500, 2_000, 3_000, 4_000, 6_000, 8_000, 12_000, 16_000),
    *(20_000, 30_000, 40_000, 60_000, 80_000, 120_000, 160_000, 200_000),
)


class Mark(StrEnum):
    """What one tries with an observation, in place of what its record says."""

    PINNED = "pinned"
    MUTED = "muted"
    PLAIN = "plain"

    @classmethod
    def of(cls, observation: Observation) -> Mark:
        """What the record of an observation says."""
        return cls.PINNED if observation.pinned else cls.MUTED if observation.muted else cls.PLAIN


@dataclass(frozen=True, slots=True)
class Wish:
    """A recall as one would like to see it. `marks` are pins and mutes that are only tried."""

    budget: int
    agent: str | None = None
    issue: int | None = None
    task: str = ""
    profile: str = next(iter(PROFILES))
    channel: str = TEXT
    marks: Mapping[str, Mark] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Whose recall it is, as far as that is asked for: `#29 engineer`."""
        issue = "" if self.issue is None else f"#{self.issue}"
        return visible(f"{issue} {self.agent or ''}".strip(), newlines=False)

    def marked(self, mark: Mark) -> tuple[str, ...]:
        """The ids that are tried as pinned, or as muted."""
        return tuple(identifier for identifier, tried in self.marks.items() if tried is mark)

    def with_mark(self, identifier: str, mark: Mark | None) -> Wish:
        """The same with another try for one observation; None leaves it to its record."""
        others = {key: tried for key, tried in self.marks.items() if key != identifier}
        return replace(self, marks=others if mark is None else {**others, identifier: mark})

    def with_next_profile(self) -> Wish:
        """The same by the profile that follows."""
        return replace(self, profile=following(self.profile, PROFILES))

    def with_next_channel(self) -> Wish:
        """The same for the channel that follows."""
        return replace(self, channel=following(self.channel, CHANNELS))

    def with_budget(self, step: int, usual: int) -> Wish:
        """The same with the next larger budget, or with -1 the next smaller; `usual` is among
        them.
        """
        return replace(self, budget=next_budget(self.budget, step, usual))


def wish_at(query: str, row: IndexEntry | Observation | None, budget: int) -> Wish:
    """The recall for the one agent and issue that a query asks for, else for those of a row."""
    agents = query_text.chosen(query, "agent")
    issues = [text for text in query_text.chosen(query, "issue") if text.isdecimal()]
    agent = agents[0] if len(agents) == 1 else row.agent if row is not None else None
    issue = int(issues[0]) if len(issues) == 1 else row.issue_number if row is not None else None
    return Wish(budget, agent, issue)


@dataclass(eq=False, repr=False)
class RecallFound(Message, bubble=False):
    """What a wish comes to. `number` tells it from the answers to earlier ones."""

    number: int
    wish: Wish
    recall: Recall


def recalling(
    memory: MemoryPipeline, wish: Wish, number: int = 0, *, text_width: int = 0
) -> Question:
    """Work out a wish; with `text_width` its text is wrapped for so many cells already."""

    def question(tell: Tell) -> None:
        found = recalled(memory, wish)
        if text_width:
            wrapped(found.text, text_width)
        tell(RecallFound(number, wish, found))

    return question


@dataclass(eq=False, repr=False)
class Compared(Message, bubble=False):
    """What two wishes come to. `number` tells it from the answers to earlier ones."""

    number: int
    before: Recall
    after: Recall


def comparing(memory: MemoryPipeline, before: Wish, after: Wish, number: int) -> Question:
    """Work out two wishes, to see what the second would change."""

    def question(tell: Tell) -> None:
        tell(Compared(number, recalled(memory, before), recalled(memory, after)))

    return question


def recalled(memory: MemoryPipeline, wish: Wish) -> Recall:
    """The recall of a wish, by what the index knows; the files are not looked at."""
    return memory.recall(
        RecallRequest(
            agent=wish.agent,
            issue=wish.issue,
            task=wish.task,
            budget=wish.budget,
            profile=wish.profile,
            channel=wish.channel,
            pinned=frozenset(wish.marked(Mark.PINNED)),
            muted=frozenset(wish.marked(Mark.MUTED)),
            plain=frozenset(wish.marked(Mark.PLAIN)),
        ),
        fresh=False,
    )


def following(value: str, values: Iterable[str]) -> str:
    """The one after `value`, the first after the last."""
    known = list(values)
    return known[(known.index(value) + 1) % len(known)]


def next_budget(budget: int, step: int, usual: int) -> int:
    """The next budget above or below, in tokens, of round figures and the settings' own."""
    known = sorted({*_BUDGETS, usual})
    if step > 0:
        return next((figure for figure in known if figure > budget), budget)
    return next((figure for figure in reversed(known) if figure < budget), 0)


def plan_marks(memory: MemoryPipeline, wish: Wish) -> Plan:
    """A plan that writes what is tried into the records. Raises `NotFound`."""
    plans = [
        memory.plan_edit(
            wish.marked(mark), {"pinned": mark is Mark.PINNED, "muted": mark is Mark.MUTED}
        )
        for mark in Mark
        if wish.marked(mark)
    ]
    return Plan(
        "edit",
        _said(wish, {Mark.PINNED: "pin", Mark.MUTED: "mute", Mark.PLAIN: "unmark"}),
        tuple(change for plan in plans for change in plan.changes),
        tuple(note for plan in plans for note in plan.notes),
    )


def said_of_marks(wish: Wish) -> str:
    """What was done, once the marks are in the records."""
    return _said(wish, {Mark.PINNED: "pinned", Mark.MUTED: "muted", Mark.PLAIN: "unmarked"})


def _said(wish: Wish, verbs: Mapping[Mark, str]) -> str:
    """`Pinned 1, muted 2 and unmarked 3 observations`, as far as there are any."""
    counts = {verb: len(wish.marked(mark)) for mark, verb in verbs.items() if wish.marked(mark)}
    *others, (verb, last) = counts.items()
    before = ", ".join(f"{verb} {number:,}" for verb, number in others)
    return f"{before}{' and ' if before else ''}{verb} {plural(last, 'observation')}".capitalize()


def why_nothing(
    wish: Wish, key_of: Callable[[str], str], *, enabled: bool, remembers: bool
) -> tuple[str, str]:
    """Why a wish comes to nothing, and what to do about it by the keys that work now."""
    if not remembers:
        return (
            "Nothing is remembered here yet, so there is nothing to recall.",
            "Agents' sessions fill this memory, or you do:  memtui add",
        )
    if not enabled:
        return (
            "Memory is switched off here: no session is told anything.",
            "memory.enabled = true in the settings switches it on.",
        )
    if not wish.budget:
        raises = key_of("injection.more")
        return "A budget of 0 lets nothing in.", f"{raises} raises it." if raises else ""
    issue = "" if wish.issue is None else f" and #{wish.issue}"
    keys = {what: key_of(f"injection.{what}") for what in ("agent", "issue", "profile")}
    others = ", ".join(f"{key} another {what}" for what, key in keys.items() if key)
    return (
        f"There is nothing to recall for {wish.agent or 'any agent'}{issue}.",
        f"{others}.".replace(" another", " picks another", 1) if others else "",
    )


@dataclass(frozen=True, slots=True)
class Difference:
    """What one recall holds that another does not, by id, in the order of its rank."""

    enters: tuple[str, ...]
    leaves: tuple[str, ...]


def difference(before: Recall, after: Recall) -> Difference:
    """Which observations would come in, and which would go."""
    was = [it.observation.id for it in before.included]
    will = [it.observation.id for it in after.included]
    return Difference(
        tuple(it for it in will if it not in set(was)),
        tuple(it for it in was if it not in set(will)),
    )
