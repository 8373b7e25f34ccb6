"""One memory in full: its content as Markdown, every field it has, and what is related."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

import orjson
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Markdown, Static

from memtui.formatting import age, count, fit, moment, plural
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, question
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.routes import Context, Open
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.frame.toasts import toast
from memtui.tui.frame.type_ahead import keys_held
from memtui.tui.memory.actions import Entry, ObservationActions
from memtui.tui.memory.pane import facts, has_summary_first, read_observation
from memtui.tui.operations import RunOperation
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import Reader, Titled
from memtui.tui.widgets.row_list import RowList
from memtui.words.sentences import finder_of, messages_of
from store import Memory
from store.errors import StoreError
from store.merge.record import CONFLICT, EDITED, PROPOSED, REMOVED, Record, alternatives
from store.model import FINDER, SESSION_MARK, Hit, Observation, layer_of
from store.records import entry_of, to_record
from store.related import Related
from store.text.display import visible, visible_line

_RELATION = 13
"""Cells of the longest relation."""


class RelatedList(Titled, RowList[Related]):
    BINDINGS = bindings("related")

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__(id="related")
        self._now = now

    def show(self, related: Sequence[Related]) -> None:
        self.display = bool(related)
        self.cursor = 0
        self.list_rows(related)
        self.set_title("Related", count(len(related)))

    def row(self, index: int, width: int) -> Content:
        relation, it = self.rows[index]
        at = index == self.cursor and self.has_focus
        lead = Content.assemble(
            ("▸ " if at else "  ", "$accent-text"),
            (fit(relation, _RELATION), "$dim"),
            "  ",
            (f"{mark_of(it.category)} ", color_of(it.category)),
            (fit(age(it.timestamp, self._now()), 4, align="right"), "$dim"),
            "  ",
        )
        room = max(0, width - lead.cell_length - 1)
        return Content.assemble(lead, fit(visible_line(it.summary), room))


class ObservationScreen(ObservationActions):
    """Reads one observation; Esc goes back."""

    BINDINGS = bindings("memory", "memories")
    CSS_PATH = "memory.tcss"
    AUTO_FOCUS = "#page"

    def __init__(self, context: Context, route: routes.OneMemory) -> None:
        super().__init__()
        self._memory = context.memory
        self._hit = route.hit
        self._now = context.now
        self._step = route.step
        self._entry: Entry | None = route.hit.entry

    @property
    def memory(self) -> Memory:
        return self._memory

    @property
    def at(self) -> Entry | None:
        return self._entry

    def on_operation_ended(self) -> None:
        self._read(keys_held(self))

    def compose(self) -> ComposeResult:
        with Reader(id="page"):
            yield Static(id="page-heading", markup=False)
            yield Markdown(id="page-content", parser_factory=data_parser, open_links=False)
            yield Static(id="page-fields", markup=False)
        yield RelatedList(self._now)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self._begin(nullcontext())

    def _begin(self, held: AbstractContextManager[None]) -> None:
        self.query_one(Reader).set_title("Memory", f"#{self._hit.entry.issue_number}")
        self.query_one("#page-heading", Static).update(facts(self._hit.entry, self._now()))
        self._read(held)

    @question("read")
    async def _read(self, held: AbstractContextManager[None]) -> None:
        with held:
            read = await ask(read_observation, self._memory, self._hit)
            self._entry = read.observation
            self.refresh_bindings()
        fields = self.query_one("#page-fields", Static)
        if (observation := read.observation) is None:
            fields.update(Content.styled("This memory is no longer in the store.", "$dim"))
            return
        now = self._now()
        self.query_one("#page-heading", Static).update(facts(observation, now))
        await self.query_one(Markdown).update(visible(observation.content))
        key = key_in_use(self.app, "memory.source")
        fields.update(field_table(observation, now, key))
        self._show_related(await ask(self._memory.related, observation))

    def failed(self, error: StoreError) -> None:
        said = visible(error.told)
        self.query_one("#page-fields", Static).update(Content.styled(said, "$text-error"))

    def _show_related(self, found: Sequence[Related]) -> None:
        related = self.query_one(RelatedList)
        if related.has_focus and not found:
            self.set_focus(self.query_one(Reader))
        related.show(found)
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "step":
            return self._step is not None
        if action == "other_pane":
            # Asked while the screen is left, too: what is in it goes before it does.
            return any(related.row_count for related in self.query(RelatedList))
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

    def action_other_pane(self) -> None:
        related, page = self.query_one(RelatedList), self.query_one(Reader)
        self.set_focus(page if related.has_focus else related)

    @on(RowList.Chosen, "#related")
    def _open_related(self) -> None:
        if (related := self.query_one(RelatedList).at) is not None:
            self.post_message(Open(routes.OneMemory(Hit(entry_of(related.observation), 0))))


def data_parser() -> MarkdownIt:
    """Return a Markdown parser that takes no HTML, shows no images, makes no link of bare text, and
    leaves each line its own: memories say one thing a line.
    """
    parser = MarkdownIt("commonmark", {"html": False})
    parser.core.ruler.push("lines", _keep_lines)
    return parser.enable(["table", "strikethrough"]).disable("image")


def _keep_lines(state: StateCore) -> None:
    for token in state.tokens:
        for child in token.children or ():
            if child.type == "softbreak":
                child.type = "hardbreak"


def field_table(observation: Observation, now: datetime, opens: str = "") -> Content:
    """Return every field, names at the left, those unknown to us below; `opens` is the key that
    opens the session it came from.
    """
    rows = [(name, value) for name, value in _fields(observation, now, opens) if value.plain]
    width = max(cell_len(name) for name, _ in rows) + 2
    return Content("\n").join(
        Content.assemble((fit(name, width), "$dim"), value) for name, value in rows
    )


def _fields(observation: Observation, now: datetime, opens: str) -> Iterator[tuple[str, Content]]:
    def plain(text: str) -> Content:
        return Content(visible_line(text))

    category = f"{mark_of(observation.category)} {visible_line(observation.category)}"
    if not has_summary_first(observation):
        yield "summary", plain(observation.summary)
    yield "id", plain(observation.id)
    yield "agent", plain(observation.agent)
    yield "issue", plain(f"#{observation.issue_number}")
    yield "category", Content.styled(category, color_of(observation.category))
    yield "layer", plain(layer_of(observation.category))
    ago = age(observation.timestamp, now)
    yield "time", plain(moment(observation.timestamp, now) + (f"  ({ago})" if ago else ""))
    yield "size", plain(plural(len(observation.content), "character"))
    # Of a session that another program names, nothing may be kept here.
    is_ours = any(source.startswith(SESSION_MARK) for source in observation.sources)
    hint = f"  {opens} opens it" if is_ours and opens else ""
    yield "session", plain(observation.session_id) + Content.styled(hint, "$dim")
    yield "tags", plain(" ".join(observation.tags))
    yield "recalled", plain(plural(observation.recall_count, "time"))
    if observation.last_recalled is not None:
        yield "last recalled", plain(moment(observation.last_recalled, now))
    yield "seen", plain(plural(observation.seen_count, "time"))
    pin = "yes, but muted" if observation.muted else "yes: always injected"
    yield "pinned", plain(pin if observation.pinned else "")
    yield "muted", plain("yes: never injected" if observation.muted else "")
    yield "archived", plain("yes: not injected or searched" if observation.archived else "")
    yield "rests on", plain("; ".join(messages_of(observation.sources)))
    rest = (source for source in observation.sources if not source.startswith(SESSION_MARK))
    yield "sources", plain("  ".join(rest))
    yield "from", plain(finder_of(observation.extra))
    if others := alternatives(observation.extra):
        agents = dict.fromkeys(str(version[PROPOSED]) for version in others if PROPOSED in version)
        whose = f"proposed by {', '.join(agents)}" if agents else "other branches"
        yield visible_line(whose), plain(plural(len(others), "version"))
    for name, value in observation.extra.items():
        if name != FINDER and not (others and name == CONFLICT):
            yield visible_line(name), plain(_written(value))


def _written(value: object) -> str:
    """Return a value unknown to us as JSON, or as Python writes it where JSON can't."""
    try:
        return orjson.dumps(value).decode()
    except (orjson.JSONEncodeError, UnicodeError):
        return repr(value)


class ResolveScreen(ModalScreen[None]):
    """Keeps the version that counts, or takes that of the other branch."""

    BINDINGS = bindings("versions")
    CSS_PATH = "memory.tcss"
    AUTO_FOCUS = "#left"

    def __init__(self, context: Context, route: routes.Resolve) -> None:
        super().__init__()
        self._memory_id = route.id
        self._record = route.record
        self._others = alternatives(route.record)
        self._at = 0

    def compose(self) -> ComposeResult:
        with Horizontal(id="versions"):
            with Reader(id="left"):
                yield Static(id="left-text", markup=False)
            with Reader(id="right"):
                yield Static(id="right-text", markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self._show()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "next" or len(self._others) > 1

    def action_next(self) -> None:
        self._at = (self._at + 1) % len(self._others)
        self._show()

    def action_take(self, side: int) -> None:
        choice = self._at + 1 if side else 0
        self.post_message(
            RunOperation(lambda memory: memory.apply(memory.plan.resolve(self._memory_id, choice)))
        )
        self.dismiss()

    def _show(self) -> None:
        other = self._others[self._at]
        self.query_one("#left", Reader).set_title("This version", _edited(self._record))
        self.query_one("#left-text", Static).update(_version(self._record, self._record, other))
        more = f"{self._at + 1} of {len(self._others)}" if len(self._others) > 1 else _edited(other)
        by = other.get(PROPOSED)
        whose = visible_line(f"Proposed by {by}") if by else "Other branch"
        self.query_one("#right", Reader).set_title(whose, more)
        self.query_one("#right-text", Static).update(_version(other, self._record, other))


def _edited(version: Record) -> str:
    edited = version.get(EDITED)
    return visible_line(edited[:16].replace("T", " ")) if isinstance(edited, str) else ""


def _version(shown: Record, one: Record, other: Record) -> Content:
    if REMOVED in shown:
        return Content.styled("Removed on another branch.", "$text-warning")
    parts: list[Content] = []
    if isinstance(content := shown.get("content"), str):
        parts.append(Content(visible(content)))
    keys = [key for key in other if key not in ("content", "summary", "tokens", EDITED, REMOVED)]
    for key in keys:
        if one.get(key) != other[key]:
            value = visible_line(str(shown.get(key, "")))
            parts.append(Content.assemble((f"{visible_line(key)}: ", "$dim"), value))
    return Content("\n\n").join(parts)
