"""Clarifications: who waits for whom, the thread, and keys to answer and to escalate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from types import MappingProxyType

from rich.cells import cell_len
from textual.content import Content

from memtui.formatting import age, count, fit
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain
from memtui.tui.frame.route import Context, Open
from memtui.tui.operations import PreviewPlan, Proposal, RunOperation
from memtui.tui.reports.overview import Details, OverviewList, OverviewScreen
from memtui.tui.widgets.title_bar import TitleBar
from memtui.words.clarifications import due_in_words, heading, rounds, speaker, state_in_words
from store import Memory
from store.action import Action, ActionKind
from store.clarifications.model import Clarification, Entry, EntryType, Ledgers, Status
from store.clarifications.monitor import Due, circles
from store.clarifications.service import Clarifications
from store.errors import StoreError
from store.operations.apply import Applied
from store.text.display import visible

MOST = 100
"""Rows that are shown."""
_WIDE = 60
"""Columns from which a row has room for its issue and rounds."""
_NAMES = 30
"""The most cells that the two agents' names take."""
_LOOKS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        Status.ESCALATED: ("!", "$text-warning", "for you"),
        Status.PENDING: ("?", "$accent-text", "waits"),
        Status.STALE: ("?", "$text-warning", "asked again"),
        Status.ANSWERED: ("→", "$accent-text", "answered"),
        Status.RESOLVED: ("✓", "$text-success", "resolved"),
        Status.ABANDONED: ("−", "$dim", "abandoned"),
    }
)
"""Mark, colour and word of each status."""
_WORD = max(len(word) for _, _, word in _LOOKS.values())
_STYLES: Mapping[str, str] = {
    EntryType.QUESTION: "$accent-text",
    EntryType.ANSWER: "$text-success",
    EntryType.ESCALATION: "$text-warning",
}
PERSON = "user"
"""Who speaks for the person at the keyboard."""
Change = Callable[[Clarifications, str, str, str], Clarification]
"""Changes a clarification, by its id, who speaks, and a text."""


def look_of(clarification: Clarification) -> tuple[str, str, str]:
    """Return the mark, the colour and the word of a clarification's status."""
    mark, style, word = _LOOKS.get(clarification.status, ("·", "$dim", clarification.status))
    return (mark, style, "blocked") if clarification.is_blocking else (mark, style, word)


class ClarificationList(OverviewList[Clarification]):
    """One clarification a line: those that wait first, the longest waiting on top."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._now = now
        self._names = 0

    def show(self, clarifications: Sequence[Clarification]) -> None:
        self._names = min(_NAMES, max(map(cell_len, map(_names, clarifications)), default=0))
        self.list_rows(clarifications)

    def row_key(self, row: Clarification) -> str:
        return f"{row.issue} {row.id}"

    def draw(self, row: Clarification, index: int, width: int) -> Content:
        mark, style, word = look_of(row)
        lead = Content.assemble(
            self.cursor_mark(index),
            (f"{mark} ", style),
            (fit(age(row.since, self._now()), 4, align="right"), "$dim"),
            "  ",
            fit(_names(row), self._names),
            "  ",
        )
        tail = Content.styled(f" {fit(visible(word, newlines=False), _WORD)} ", style)
        if width >= _WIDE:
            where = fit(f"#{row.issue}", 6, align="right")
            tail = Content.assemble((f" {where}  {row.round}/{row.max_rounds} ", "$dim"), tail)
        room = max(0, width - lead.cell_length - tail.cell_length)
        topic = Content.styled(
            visible(row.topic, newlines=False), "$dim" if row.is_settled else ""
        ).truncate(room, ellipsis=True, pad=True)
        return Content.assemble(lead, topic, tail)


def _names(clarification: Clarification) -> str:
    return visible(f"{clarification.asker} → {clarification.asked}", newlines=False)


def thread_paragraphs(clarification: Clarification, now: datetime) -> list[Paragraph]:
    """Return the topic, the state and all messages of a clarification; equal answers are marked."""
    same = circles(clarification)
    lines = [
        plain(heading(clarification), "bold"),
        plain(f"{state_in_words(clarification, now)} · {rounds(clarification)}", "$dim"),
    ]
    for entry in clarification.thread:
        lines += [BLANK, *_entry_paragraphs(clarification, entry, now, again=entry in same)]
    return lines


def _entry_paragraphs(
    clarification: Clarification, entry: Entry, now: datetime, *, again: bool
) -> Iterator[Paragraph]:
    style = "$text-warning" if again else _STYLES.get(entry.type, "$dim")
    yield Paragraph(
        Content.assemble(
            (speaker(clarification, entry, now), style), ("  says the same" if again else "", style)
        ),
        hang=2,
    )
    for line in visible(entry.body).split("\n"):
        yield Paragraph(Content(line), indent=2, hang=2)


class ClarificationsScreen(OverviewScreen):
    """The clarifications, those that wait first, each with its thread."""

    MANUAL_PAGE = "screens/clarifications.md"
    BINDINGS = bindings("clarifications")

    def __init__(self, context: Context, route: routes.Clarifications) -> None:
        self._list = ClarificationList(context.now)
        self._refresh_every = context.refresh_every
        self._stamp: object = None
        super().__init__(context, self._list, "Clarifications")

    def on_mount(self) -> None:
        if self._refresh_every:
            self.set_interval(self._refresh_every, self.follow)

    @exclusive_worker(group="ledgers")
    async def follow(self) -> None:
        """Read again what other programs wrote; nothing is read where they wrote nothing."""
        stamp = await ask(self.memory.clarifications.stamp)
        if self._stamp is not None and stamp != self._stamp:
            self._stamp = stamp
            self.action_reload()

    async def read(self) -> None:
        held = self.memory.clarifications
        due: Sequence[Due] = ()
        failed = ""
        try:
            due = await ask(held.watch)
        except StoreError as error:
            failed = error.message
        self._stamp = await ask(
            held.stamp
        )  # before they are read: what is written then is read again
        ledgers, state = await ask(lambda: (held.read(), self.memory.state()))
        self.query_one(TitleBar).show(state)
        self._show_findings(ledgers, due, failed)
        found = ledgers.open_first
        self._list.show(found[:MOST])
        waiting = sum(not clarification.is_settled for clarification in found)
        if found:
            total = count(len(found))
            shown = f"{MOST} of {total}" if len(found) > MOST else total
            and_open = f"{waiting} open {'·' if len(found) > MOST else 'of'} " if waiting else ""
            self.show_rows(and_open + shown)
        else:
            self.show_message("No clarifications.", "Agents ask with `memtui clarify ask`.")
        self.refresh_bindings()

    def _show_findings(self, ledgers: Ledgers, due: Sequence[Due], failed: str) -> None:
        """Say below the title what was found; of several, the first and how many more."""
        remarks = [due_in_words(item) for item in due]
        remarks += [f"{problem.path}: {problem.message}" for problem in ledgers.problems]
        remarks += [failed] if failed else []
        more = f" · {len(remarks) - 1} more" if len(remarks) > 1 else ""
        self.notice(visible(f"{remarks[0]}{more}", newlines=False) if remarks else "")

    def details(self) -> Details:
        row, now = self._list.at, self.now()
        return lambda: thread_paragraphs(row, now) if row is not None else []

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action not in ("answer", "resolve", "escalate", "abandon", "decision"):
            return super().check_action(action, parameters)
        if self.sentence or (clarification := self._list.at) is None:
            return False
        escalated = clarification.status == Status.ESCALATED
        offered = {
            "answer": clarification.is_waiting or escalated,
            "resolve": clarification.status == Status.ANSWERED or escalated,
            "escalate": not clarification.is_settled and not escalated,
            "abandon": not clarification.is_settled,
            "decision": clarification.status == Status.RESOLVED,
        }
        return offered[action]

    def on_row_list_moved(self) -> None:
        self.refresh_bindings()

    def action_answer(self) -> None:
        if (clarification := self._list.at) is not None:
            question = clarification.last("question")
            asked = question.body if question is not None else clarification.topic
            by = _speaker(clarification, clarification.asked)
            self._ask(ActionKind.ANSWER, Clarifications.answer, by, asked, needed=True)

    def action_resolve(self) -> None:
        if (clarification := self._list.at) is not None:
            by = _speaker(clarification, clarification.asker)
            self._ask(ActionKind.RESOLVE, Clarifications.resolve, by, "How it was settled:")

    def action_escalate(self) -> None:
        self._ask(ActionKind.ESCALATE, Clarifications.escalate, PERSON, "Why a person is needed:")

    def action_abandon(self) -> None:
        if (clarification := self._list.at) is not None:
            by = _speaker(clarification, clarification.asker)
            self._ask(ActionKind.ABANDON, Clarifications.abandon, by, "Why it is abandoned:")

    def action_decision(self) -> None:
        if (clarification := self._list.at) is None:
            return
        self.post_message(
            PreviewPlan(
                lambda memory: Proposal.of(memory.clarifications.plan_decision(clarification.id))
            )
        )

    def _ask(
        self, kind: ActionKind, change: Change, by: str, question: str, *, needed: bool = False
    ) -> None:
        """Ask for the text of `by`, and change the clarification under the cursor by it."""
        if (clarification := self._list.at) is None:
            return
        identifier = clarification.id

        def apply(text: str, memory: Memory) -> Applied:
            done = change(memory.clarifications, identifier, by, text)
            return Applied(done.operation, Action(kind, {"clarifications": 1}), 1)

        def answered(text: str | None) -> None:
            if text is not None:
                self.post_message(RunOperation(partial(apply, text)))

        prompt = routes.Prompt(
            kind.capitalize() if kind == ActionKind.ESCALATE else f"{kind.capitalize()} as {by}",
            visible(question, newlines=False),
            hint="" if needed else "May be left empty.",
            check=lambda text: "Write an answer." if needed and not text else "",
            about=heading(clarification),
        )
        self.post_message(Open(prompt, answered))


def _speaker(clarification: Clarification, agent: str) -> str:
    """The next speaker: a person once it is escalated, else for the agent whose turn it is."""
    return PERSON if clarification.status == Status.ESCALATED else agent
