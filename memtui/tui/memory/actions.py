"""Actions on the observations of a screen: each an operation that `u` takes back."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message
from textual.screen import Screen

from memtui.formatting import memories
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.route import Open, Route
from memtui.tui.frame.toasts import toast
from store.model import Category, Hit, Level, Observation

if TYPE_CHECKING:
    from memtui.editing.text import Flag
    from store import Memory
    from store.operations.plan import Plan

_OF_SESSIONS = frozenset({"request", "answer"})
"""Categories of messages, which are rows too where sessions are searched."""
NO_MEMORY = "This is from a session, not a memory. Open it to keep a passage as one."
"""Shown where a key changes memories and the row is none."""
DONE = "done"
"""The tag of a closed task."""


@dataclass
class BeginLevel(Message):
    """Asks the app to have a level begin, and to open memory again with it."""

    level: Level


@dataclass
class Edit(Message):
    id: str


@dataclass
class EditFile(Message):
    """Asks the app to open somebody's file in the editor, at a line; `then` is called after."""

    path: Path
    line: int
    then: Callable[[], object]


@dataclass
class WriteText(Message):
    """Asks the app to let the user write a text, of which `writing` makes a plan."""

    writing: routes.Write


@dataclass
class WriteNew(Message):
    """Asks the app to let the user write a new observation, beginning with `blank`."""

    blank: Observation


def route_to(hit: Hit, step: Callable[[int], Hit | None]) -> Route[None]:
    """Return what a row of a search opens: a memory, from which `step` goes on in the list, or the
    session at the message that was found.
    """
    if is_message(hit.entry):
        from store.sessions.documents import session_of  # not for the first frame

        return routes.Session(session_of(hit.entry.id), message=hit.entry.id)
    return routes.OneMemory(hit, step)


def is_message(entry: Observation) -> bool:
    from store.sessions.documents import session_of  # not for the first frame

    return entry.category in _OF_SESSIONS and session_of(entry.id) != entry.id


def source_of(memory: Memory, identifier: str) -> routes.Session | None:
    """Return the session that a memory came from, or a message is of; None where it names none."""
    from store.sessions.conversation import session_named  # not for the first frame

    found = memory.get(identifier, fresh=False)
    if "#" in found.id and found.id.startswith(found.session_id):
        return routes.Session(found.session_id, message=found.id)
    session = session_named(found)
    return routes.Session(session, memory=found.id) if session else None


def ask_to_begin(level: Level, post: Callable[[Message], object], *then: str) -> Open[bool]:
    """Return the question whether a level is to begin; a yes is posted to the app."""
    from memtui.tui.memory.level_picker import question_of  # not for the first frame

    def answered(agreed: bool | None) -> None:
        if agreed:
            post(BeginLevel(level))

    return Open(question_of(level, *then), answered)


class ObservationActions(Screen[None]):
    """A screen that is at observations: those that are selected, or the one under the cursor."""

    @property
    @abstractmethod
    def memory(self) -> Memory | None:
        """The memory, once it is open."""

    @property
    @abstractmethod
    def at(self) -> Observation | None:
        """The observation under the cursor."""

    @property
    def selection(self) -> Sequence[Observation]:
        """The selected observations; none where nothing can be selected."""
        return ()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("archive", "restore"):
            entries = self.selection or ((self.at,) if self.at is not None else ())
            archived = bool(entries) and all(item.archived for item in entries)
            return archived is (action == "restore")
        return super().check_action(action, parameters)

    def action_archive(self) -> None:
        if active := [item.id for item in self._memories() if not item.archived]:
            self._change(lambda memory: memory.plan.archive(active), ask=len(active) > 1)

    def action_restore(self) -> None:
        if archived := [item.id for item in self._memories()]:
            self._change(lambda memory: memory.plan.restore(archived), ask=len(archived) > 1)

    def action_delete(self) -> None:
        if ids := [item.id for item in self._memories()]:
            self._change(lambda memory: memory.plan.remove(ids), ask=True)

    def action_flag(self, flag: Flag) -> None:
        if not (entries := self._memories()):
            return
        from memtui.editing.text import plan_flag  # not for the first frame

        on = not all(getattr(item, flag) for item in entries)
        ids = [item.id for item in entries if getattr(item, flag) is not on]
        self._change(lambda memory: plan_flag(memory, ids, flag, on=on))

    def action_close_task(self) -> None:
        entries = self._memories()
        tasks = [item for item in entries if item.category == Category.TASK]
        if not tasks:
            if entries:
                toast(self.app, "Only tasks can be closed or reopened.")
            return
        if ids := [item.id for item in tasks if DONE not in item.tags]:
            self._change(lambda memory: memory.plan.tag(ids, add=[DONE], kind="close"))
        else:
            ids = [item.id for item in tasks]
            self._change(lambda memory: memory.plan.tag(ids, remove=[DONE], kind="reopen"))

    def action_tags(self) -> None:
        if not (entries := self._memories()):
            return
        ids = [entry.id for entry in entries]
        common = [
            tag
            for tag in entries[0].tags
            if _typed_tags(tag) == [tag]  # one with blanks stays: typed again it would be several
            and all(tag in entry.tags for entry in entries)
        ]

        def typed(text: str | None) -> None:
            if text is None:
                return
            tags = _typed_tags(text)
            add = [tag for tag in tags if tag not in common]
            remove = [tag for tag in common if tag not in tags]
            if add or remove:
                self._change(lambda memory: memory.plan.tag(ids, add=add, remove=remove))

        number = memories(len(ids)) if len(ids) > 1 else "this memory"
        hint = "Separated by blanks. Tags that only some have stay." if len(ids) > 1 else ""
        asked = routes.Prompt(
            "Tags", f"Tags of {number}", "".join(f"{tag} " for tag in common), hint
        )
        self.post_message(Open(asked, typed))

    @exclusive_worker(group="level")
    async def action_level(self) -> None:
        """Move to another level, after a preview; one that is still to begin is asked about."""
        if (memory := self.memory) is None or not (entries := self._memories()):
            return
        from memtui.tui.memory.level_picker import pick_level  # not for the first frame

        ids = [entry.id for entry in entries]

        def picked(level: Level | None) -> None:
            if level is not None and memory.backend.levels:
                self._change(lambda memory: memory.plan.move(ids, level), ask=True)
            elif level is not None:
                self.post_message(ask_to_begin(level, self.post_message))

        self.post_message(Open(await ask(pick_level, memory, entries), picked))

    def action_edit(self) -> None:
        if self._memories() and self.at is not None:
            self.post_message(Edit(self.at.id))

    @exclusive_worker(group="source")
    async def action_source(self) -> None:
        """Open the session that the one under the cursor came from, at the message."""
        if self.memory is None or not self._some() or self.at is None:
            return
        if (source := await ask(source_of, self.memory, self.at.id)) is not None:
            self.post_message(Open(source))
        else:
            toast(self.app, "This memory does not say which session it came from.")

    @exclusive_worker(group="verify")
    async def action_verify(self) -> None:
        """Ask how to repair the memories that no longer fit the code."""
        entries = self._memories()
        if self.memory is None or not entries:
            return
        from memtui.tui.memory.repair import NOTHING_TO_REPAIR, pick_repair, read_drifted

        drifted = await ask(read_drifted, self.memory, [item.id for item in entries])
        if drifted:
            self.post_message(pick_repair(drifted, self.post_message))
        else:
            toast(self.app, NOTHING_TO_REPAIR)

    def action_copy(self) -> None:
        ids = [item.id for item in self._some()]
        if ids and self.memory is not None:
            self.post_message(Open(routes.Copy(ids)))

    def _memories(self) -> Sequence[Observation]:
        """Return the memories that the keys act on; a toast shows where that is only messages."""
        entries = self._some()
        memories = [item for item in entries if not is_message(item)]
        if entries and not memories:
            toast(self.app, NO_MEMORY)
        return memories

    def _some(self) -> Sequence[Observation]:
        """Observations that the keys act on: the selection, else the one under the cursor.

        Where that is nothing, a toast shows it.
        """
        if self.selection:
            return self.selection
        if self.at is None:
            toast(self.app, "No memory is selected.")
            return ()
        return (self.at,)

    def _change(self, planning: Callable[[Memory], Plan], *, ask: bool = False) -> None:
        from memtui.tui.operations import PreviewPlan, Proposal, RunOperation

        if ask:
            self.post_message(PreviewPlan(lambda memory: Proposal.of(planning(memory))))
        else:
            self.post_message(RunOperation(lambda memory: memory.apply(planning(memory))))


def _typed_tags(text: str) -> list[str]:
    return [word.lstrip("#") for word in text.replace(",", " ").split()]
