"""One memory in full: its content as Markdown, every field it has, and what is related."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Markdown, Static

from memtui.formatting import age, count, fit
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.route import Context, Open
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.frame.toasts import toast
from memtui.tui.frame.type_ahead import NOT_HELD, KeysHeld, keys_held
from memtui.tui.memory.actions import ObservationActions
from memtui.tui.memory.fields import field_table
from memtui.tui.memory.pane import GONE, facts, facts_and_drift, read_observation
from memtui.tui.widgets.filter_box import FilterBox
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import Reader, Titled
from memtui.tui.widgets.row_list import RowList
from memtui.words.drift import drift_words
from memtui.words.usage import last_use_words, usage_words
from store import Memory
from store.errors import StoreError
from store.merge.versions import alternatives
from store.model import Hit, Observation, Verdict
from store.records import to_record
from store.related import Related
from store.text.display import visible, visible_line

_RELATION = 13
"""Cells of the longest relation."""


class RelatedList(Titled, RowList[Related]):
    BINDINGS = bindings("related")

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__(id="related")
        self._now = now
        self._everything: Sequence[Related] = ()

    @property
    def has_any(self) -> bool:
        return bool(self._everything)

    def show(self, related: Sequence[Related]) -> None:
        self._everything = related
        self.display = bool(related)
        self.narrow(lambda _: True)

    def narrow(self, matches: Callable[[str], bool]) -> None:
        """List the memories whose text matches."""
        matching = [
            row
            for row in self._everything
            if matches(f"{row.relation} {row.observation.category} {row.observation.summary}")
        ]
        self.cursor = 0
        self.list_rows(matching)
        of = f"{count(len(matching))} of " if len(matching) < len(self._everything) else ""
        self.set_title("Related", f"{of}{count(len(self._everything))}")

    def row(self, index: int, width: int) -> Content:
        relation, memory = self.rows[index]
        lead = Content.assemble(
            self.cursor_mark(index) if self.has_focus else ("  ", "$accent-text"),
            (fit(relation, _RELATION), "$dim"),
            "  ",
            (f"{mark_of(memory.category)} ", color_of(memory.category)),
            (fit(age(memory.timestamp, self._now()), 4, align="right"), "$dim"),
            "  ",
        )
        room = max(0, width - lead.cell_length - 1)
        return Content.assemble(lead, fit(visible_line(memory.summary), room))


class ObservationScreen(ObservationActions):
    """Reads one observation; Esc goes back."""

    MANUAL_PAGE = "screens/memory.md"
    BINDINGS = bindings("memory", "memories")
    CSS_PATH = "memory.tcss"
    AUTO_FOCUS = "#page"

    def __init__(self, context: Context, route: routes.OneMemory) -> None:
        super().__init__()
        self._memory = context.memory
        self._hit = route.hit
        self._now = context.now
        self._step = route.step
        self._entry: Observation | None = route.hit.entry

    @property
    def memory(self) -> Memory:
        return self._memory

    @property
    def at(self) -> Observation | None:
        return self._entry

    def on_operation_ended(self) -> None:
        self._read(keys_held(self))

    def compose(self) -> ComposeResult:
        with Reader(id="page"):
            yield Static(id="page-heading", markup=False)
            yield Markdown(id="page-content", parser_factory=data_parser, open_links=False)
            yield Static(id="page-fields", markup=False)
        yield FilterBox()
        yield RelatedList(self._now)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self._begin(NOT_HELD)

    def _begin(self, held: KeysHeld) -> None:
        self.query_one(Reader).set_title("Memory", f"#{self._hit.entry.issue_number}")
        self.query_one("#page-heading", Static).update(facts(self._hit.entry, self._now()))
        self._read(held)

    @exclusive_worker(group="read")
    async def _read(self, held: KeysHeld) -> None:
        with held:
            read = await ask(read_observation, self._memory, self._hit)
            self._entry = None if read is None else read[0]
            self.refresh_bindings()
        fields = self.query_one("#page-fields", Static)
        if read is None:
            fields.update(GONE)
            return
        observation, _, drift, usage = read
        now = self._now()
        heading = facts_and_drift(observation, drift, now)
        self.query_one("#page-heading", Static).update(heading)
        await self.query_one(Markdown).update(visible(observation.content))
        key = key_in_use(self.app, "memory.source")
        code = drift_words(drift, now) if drift.verdict is Verdict.CURRENT else ""
        used = usage_words(usage.counts.get(observation.id))
        last = last_use_words(usage.last_use(observation.id))
        more = {"code": code, "use": used, "last use": last}
        fields.update(field_table(observation, now, key, more))
        self._show_related(await ask(self._memory.related, observation))

    def failed(self, error: StoreError) -> None:
        text = visible(error.full_message)
        self.query_one("#page-fields", Static).update(Content.styled(text, "$text-error"))

    def _show_related(self, found: Sequence[Related]) -> None:
        related = self.query_one(RelatedList)
        if related.has_focus and not found:
            self.set_focus(self.query_one(Reader))
        box = self.query_one(FilterBox)
        box.value, box.display = "", False
        related.show(found)
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "step":
            return self._step is not None
        if action == "other_pane":
            # Asked while the screen is left, too: what is in it goes before it does.
            return any(related.row_count for related in self.query(RelatedList))
        if action == "filter":
            return any(related.has_any for related in self.query(RelatedList))
        if action == "resolve":
            return isinstance(self._entry, Observation) and bool(alternatives(self._entry.extra))
        return super().check_action(action, parameters)

    def action_resolve(self) -> None:
        if isinstance(entry := self._entry, Observation):
            self.post_message(Open(routes.Resolve(entry.id, to_record(entry))))

    def action_step(self, rows: int) -> None:
        hit = self._step(rows) if self._step is not None else None
        if hit is None:
            toast(self.app, f"This is the {'last' if rows > 0 else 'first'} of the list.")
            return
        self._hit, self._entry = hit, hit.entry
        self.query_one(Reader).action_to(end=False)
        self._begin(keys_held(self))

    def action_filter(self) -> None:
        self.query_one(FilterBox).open()

    @on(FilterBox.Changed)
    def _narrow_related(self) -> None:
        self.query_one(RelatedList).narrow(self.query_one(FilterBox).matches)

    def on_filter_box_left(self) -> None:
        self.set_focus(self.query_one(RelatedList))

    def action_other_pane(self) -> None:
        related, page = self.query_one(RelatedList), self.query_one(Reader)
        self.set_focus(page if related.has_focus else related)

    @on(RowList.Chosen, "#related")
    def _open_related(self) -> None:
        if (related := self.query_one(RelatedList).at) is not None:
            self.post_message(Open(routes.OneMemory(Hit(related.observation, 0))))


def data_parser() -> MarkdownIt:
    """Return a Markdown parser that takes no HTML, shows no images, makes no link of bare text, and
    leaves each line its own: memories have one thing a line.
    """
    parser = MarkdownIt("commonmark", {"html": False})
    parser.core.ruler.push("lines", _keep_lines)
    return parser.enable(["table", "strikethrough"]).disable("image")


def _keep_lines(state: StateCore) -> None:
    for token in state.tokens:
        for child in token.children or ():
            if child.type == "softbreak":
                child.type = "hardbreak"
