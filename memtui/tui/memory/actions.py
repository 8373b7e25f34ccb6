"""What can be done with the observations a screen is at: each an operation that `u` takes back."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from textual.screen import Screen

from memtui.tui import routes
from memtui.tui.message import Message
from memtui.tui.route import Open, Route
from memtui.tui.type_ahead import LetGo, TypeAhead
from memtui.tui.worker import Question, Tell, ask
from store.model import Category, Hit, IndexEntry, Observation

if TYPE_CHECKING:
    from memtui.editing.flags import Flag
    from store.pipeline import MemoryPipeline
    from store.values import Plan

Entry: TypeAlias = IndexEntry | Observation
MakePlan: TypeAlias = "Callable[[MemoryPipeline], Plan]"

_SAID = frozenset({"request", "answer"})
"""Categories of messages, which are rows too where sessions are searched."""
NO_MEMORY = "This is from a session, not a memory. Open it to keep a passage as one."
"""What is told where a key changes memories and the row is none."""
DONE = "done"
"""The tag of a closed task."""


class Edit(Message):
    """Asks the app to let the user edit an observation."""

    id: str


class WriteNew(Message):
    """Asks the app to let the user write a new observation, beginning with `blank`."""

    blank: Observation


class SourceFound(Message, bubble=False):
    """The session that a memory came from, empty where it names none; or that a message is of."""

    session: str
    memory: str = ""
    message: str = ""


def route_to(hit: Hit, step: Callable[[int], Hit | None]) -> Route[None]:
    """What a row of a search opens: a memory, from which `step` goes on in the list, or the session
    at the message that was found.
    """
    if is_message(hit.entry):
        from store.sessions import session_of

        return routes.Session(session_of(hit.entry.id), message=hit.entry.id)
    return routes.Memory(hit, step)


def is_message(entry: Entry) -> bool:
    """Whether it is a message of a session, which is no memory."""
    from store.sessions import session_of

    return entry.category in _SAID and session_of(entry.id) != entry.id


def find_source(memory: MemoryPipeline, identifier: str) -> Question:
    """Find the session that a memory came from."""

    def question(tell: Tell) -> None:
        from store.sessions import session_named

        found = memory.get(identifier, fresh=False)
        if "#" in found.id and found.id.startswith(found.session_id):
            tell(SourceFound(found.session_id, message=found.id))
        else:
            tell(SourceFound(session_named(found), memory=found.id))

    return question


class ObservationActions(Screen[None]):
    """A screen that is at observations: those that are selected, or the one under the cursor."""

    _keys_held: LetGo | None = None

    def hold_keys(self) -> None:
        """Keep keys back until `let_keys_go`: what they would act on is being read again."""
        if self.is_current and isinstance(self.app, TypeAhead):
            self._keys_held = self.app.hold_keys(for_screen=False)

    def let_keys_go(self) -> None:
        """Let the keys go that were held back: what they act on is as it is shown."""
        if self._keys_held is not None:
            self._keys_held()
            self._keys_held = None

    @property
    @abstractmethod
    def memory(self) -> MemoryPipeline | None:
        """The memory, once it is open."""

    @property
    @abstractmethod
    def at(self) -> Entry | None:
        """The observation under the cursor."""

    @property
    def selection(self) -> Sequence[Entry]:
        """The selected observations; none where nothing can be selected."""
        return ()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The key that archives restores where all that it acts on is archived."""
        if action in ("archive", "restore"):
            entries = self.selection or ((self.at,) if self.at is not None else ())
            archived = bool(entries) and all(item.archived for item in entries)
            return archived is (action == "restore")
        return super().check_action(action, parameters)

    def action_archive(self) -> None:
        """Archive what is not archived."""
        if active := [item.id for item in self._memories() if not item.archived]:
            self._change(lambda memory: memory.plan_archive(active), ask=len(active) > 1)

    def action_restore(self) -> None:
        """Bring back what is archived."""
        if archived := [item.id for item in self._memories()]:
            self._change(lambda memory: memory.plan_restore(archived), ask=len(archived) > 1)

    def action_delete(self) -> None:
        """Delete, after a preview."""
        if ids := [item.id for item in self._memories()]:
            self._change(lambda memory: memory.plan_remove(ids), ask=True)

    def action_flag(self, flag: Flag) -> None:
        """Pin or mute it; where all of it is, take that back."""
        if not (entries := self._memories()):
            return
        from memtui.editing.flags import plan_flag

        on = not all(getattr(item, flag) for item in entries)
        ids = [item.id for item in entries if getattr(item, flag) is not on]
        self._change(lambda memory: plan_flag(memory, ids, flag, on=on))

    def action_close_task(self) -> None:
        """Close the tasks that are open; where all are closed, open them again."""
        entries = self._memories()
        tasks = [item for item in entries if item.category == Category.TASK]
        if not tasks:
            if entries:
                self._tell("Only tasks can be closed or reopened.")
            return
        if ids := [item.id for item in tasks if DONE not in item.tags]:
            self._change(lambda memory: memory.plan_tag(ids, add=[DONE], kind="close"))
        else:
            ids = [item.id for item in tasks]
            self._change(lambda memory: memory.plan_tag(ids, remove=[DONE], kind="reopen"))

    def action_edit(self) -> None:
        """Edit the one under the cursor."""
        if self._memories() and self.at is not None:
            self.post_message(Edit(self.at.id))

    def action_source(self) -> None:
        """Open the session that the one under the cursor came from, where it was said."""
        memory, entries = self.memory, self._some()
        if memory is not None and entries and self.at is not None:
            ask(self, find_source(memory, self.at.id), group="source")

    def on_source_found(self, event: SourceFound) -> None:
        """Open it, or say that there is none."""
        if event.session:
            route = routes.Session(event.session, message=event.message, memory=event.memory)
            self.post_message(Open(route))
        else:
            self._tell("This memory does not say which session it came from.")

    def action_copy(self) -> None:
        """Choose what of it to copy."""
        ids = [item.id for item in self._some()]
        if ids and self.memory is not None:
            self.post_message(Open(routes.Copy(ids)))

    def _memories(self) -> Sequence[Entry]:
        """The memories among what the keys act on. Where that is only messages, it is said."""
        entries = self._some()
        memories = [item for item in entries if not is_message(item)]
        if entries and not memories:
            self._tell(NO_MEMORY)
        return memories

    def _some(self) -> Sequence[Entry]:
        """What the keys act on: the selection, else the one under the cursor.

        Where that is nothing, it is said.
        """
        if self.selection:
            return self.selection
        if self.at is None:
            self._tell("No memory is selected.")
            return ()
        return (self.at,)

    def _tell(self, sentence: str) -> None:
        from memtui.tui.toasts import tell

        tell(self.app, sentence)

    def _change(self, planning: MakePlan, *, ask: bool = False) -> None:
        """Carry out a plan; with `ask` after a preview."""
        from memtui.tui.operations import PreviewPlan, Proposal, RunOperation

        if ask:
            self.post_message(PreviewPlan(lambda memory: Proposal.of(planning(memory))))
        else:
            self.post_message(RunOperation(lambda memory: memory.apply(planning(memory))))
