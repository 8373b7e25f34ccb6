"""Pick an agent, or an issue, of those that memories are filed under, each with its count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Generic, TypeVar

from textual.content import Content

from memtui.formatting import count, fit
from memtui.tui.dialogs.picker import Picker
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, question
from memtui.tui.frame.routes import Context
from store import Memory
from store.capture.place import issue_for
from store.model import issue_named
from store.text.display import visible
from store.validation.rules import AGENT_NAME

T = TypeVar("T")

ALL_AGENTS = ""
ALL_ISSUES = -1
_LONGEST = 9
"""Digits of an issue's number."""


@dataclass(frozen=True, slots=True)
class Choice(Generic[T]):
    """One that can be picked: what it gives, its name, and what is typed to find it.

    Without `typed` it stands for all, above the others while nothing is typed. `words` say what it
    is about; any of them finds it too.
    """

    value: T
    name: str
    typed: str
    count: int
    chosen: bool = False
    words: str = ""


class CountedPicker(Picker[Choice[T], T]):
    """Choices, each with its count and a bar to compare by, or with what it is about."""

    anywhere: ClassVar[bool] = True
    """Whether what is typed finds a choice inside its name too."""

    def __init__(self, title: str, choices: Sequence[Choice[T]]) -> None:
        known = [choice for choice in choices if choice.typed]
        super().__init__(title, count(len(known)))
        self._choices = choices
        self._most = max((choice.count for choice in known), default=1)
        widest = max((len(choice.name) for choice in choices), default=0)
        self._name_width = min(28, max(14, widest + 2))

    def other(self, typed: str) -> Choice[T] | None:
        """A choice of what is typed and stands for none that is known."""
        return None

    def narrow(self, typed: str) -> None:
        """List only those that begin with `typed`, that very one first; or hold it anywhere.

        What none of them is called comes last, where it can be picked too.
        """
        asked = typed.casefold()

        def place(choice: Choice[T]) -> int:
            name = choice.typed.casefold()
            return 0 if name == asked else 1 if name.startswith(asked) else 2

        found = [
            choice
            for choice in self._choices
            if choice.typed.casefold().startswith(asked)
            or (self.anywhere and asked in choice.typed.casefold())
            or (choice.words and all(word in choice.words.casefold() for word in asked.split()))
        ]
        listed = sorted(found, key=place) if asked else list(self._choices)
        if asked and all(place(choice) for choice in found) and (other := self.other(typed)):
            listed.append(other)
        self.list.show(listed, typed)

    def describe(self, words: Mapping[T, str]) -> None:
        """Say what choices are about, by their values; what is typed finds them by it, too."""
        self._choices = [
            replace(choice, words=words.get(choice.value, "")) for choice in self._choices
        ]
        at = self.list.cursor
        self.narrow(self.typed)
        self.list.cursor = at

    def draw(self, row: Choice[T], cursor: Content, width: int) -> Content:
        room = max(0, width - self._name_width - 3 - 10)
        middle = Content.styled(fit(visible(row.words, newlines=False), room), "$dim")
        if not row.words:
            cells = max(1, round(room * row.count / self._most)) if row.typed else 0
            middle = Content.assemble(("━" * cells, "$dim"), " " * (room - cells))
        if row.chosen and not cursor.plain.strip():
            cursor = Content.styled("✓ ", "$accent-text")
        return Content.assemble(
            cursor,
            (fit(row.name, self._name_width), "bold $accent-text" if row.chosen else ""),
            middle,
            (fit(count(row.count), 9, align="right"), "$dim"),
            " ",
        )

    def value_of(self, row: Choice[T]) -> T:
        return row.value


class AgentPicker(CountedPicker[str]):
    """Agents, those who observed most first; gives the agent, ALL_AGENTS or None."""

    placeholder = "type a name"

    def __init__(self, context: Context, route: routes.PickAgent) -> None:
        counts, chosen = route.counts, route.chosen
        agents = [
            Choice(agent, visible(agent, newlines=False), agent, counts[agent], agent == chosen)
            for agent in sorted(counts, key=lambda name: (-counts[name], name))
        ]
        everyone = Choice(ALL_AGENTS, "all agents", "", sum(counts.values()))
        super().__init__("Agents", [everyone, *agents])

    def other(self, typed: str) -> Choice[str] | None:
        name = typed.strip()
        known = AGENT_NAME.fullmatch(name)
        return Choice(name, f"{name}  no memories", name, 0) if known else None


class IssuePicker(CountedPicker[int]):
    """Issues by number, key, or words of what sessions on them were about, the newest number
    first; gives the issue, ALL_ISSUES or None.
    """

    placeholder = "type a number, a key, or words"
    anywhere = False

    def __init__(self, context: Context, route: routes.PickIssue) -> None:
        counts, chosen = route.counts, route.chosen
        issues = [
            Choice(
                number,
                f"#{number}" + ("" if number else "  project"),
                str(number),
                counts[number],
                str(number) in chosen,
            )
            for number in sorted(counts, reverse=True)
        ]
        everything = Choice(ALL_ISSUES, "all issues", "", sum(counts.values()))
        super().__init__("Issues", [everything, *issues])
        self._memory = context.memory
        self._free = route.free

    def on_mount(self) -> None:
        super().on_mount()
        self._read_titles()

    @question("titles")
    async def _read_titles(self) -> None:
        if titles := await ask(issue_titles, self._memory):
            self.describe(titles)

    def other(self, typed: str) -> Choice[int] | None:
        """The issue of a number or a key (`ENT-98`) that memory holds nothing of."""
        found = issue_named(typed) or issue_for(environ={}, branch=typed)
        if not self._free or not found or len(str(found)) > _LONGEST:
            return None
        return Choice(found, f"#{found}  no memories", str(found), 0)


def issue_titles(memory: Memory) -> dict[int, str]:
    """What issues are about, as far as a session says so."""
    titles: dict[int, str] = {}
    for digest in memory.sessions.digests():
        about = digest.asked[0] if digest.asked else digest.branch
        if digest.issue and about:
            titles.setdefault(digest.issue, f"{digest.branch}  {about}".strip())
    return titles
