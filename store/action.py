"""Actions: an operation's kind and figures, from which a sentence is made where it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from store.platform.json_fields import is_integer, string


class ActionKind(StrEnum):
    """The kinds of operations. One unknown to us is kept as it is."""

    ADD = "add"
    CAPTURE = "capture"
    IMPORT = "import"
    SYNC = "sync"
    EDIT = "edit"
    TAG = "tag"
    CLOSE = "close"
    REOPEN = "reopen"
    PIN = "pin"
    UNPIN = "unpin"
    MUTE = "mute"
    UNMUTE = "unmute"
    MARK = "mark"
    PATHS = "paths"
    ANCHOR = "anchor"
    REMOVE = "remove"
    FORGET = "forget"
    MOVE = "move"
    COPY = "copy"
    ARCHIVE = "archive"
    RESTORE = "restore"
    COMPACT = "compact"
    PRUNE = "prune"
    MERGE = "merge"
    REPAIR = "repair"
    TAKE_IN = "take-in"
    INSTRUCT = "instruct"
    APPROVE = "approve"
    TAKE_BACK = "take-back"
    LAYOUT = "layout"
    ASK = "ask"
    ANSWER = "answer"
    RESOLVE = "resolve"
    ESCALATE = "escalate"
    ABANDON = "abandon"
    MONITOR = "monitor"
    UNDO = "undo"
    REDO = "redo"


class Action(NamedTuple):
    """A kind and its figures by name: `memories`, and for some kinds more.

    Marking counts `pinned`, `muted` and `unmarked`; compaction `merged` (memories after), `tokens`
    and `tokens_after`, and where it was stopped `issues_done` of `issues`; a repair `files` that
    move, `records` that change, files that are `merged`, `traces` of
    secrets in other files, and 1 for a `manifest` and an `index`
    that are rebuilt; taking in counts `sessions`; a layout counts `issues`, and has 1 for `each`
    where each memory gets a file; a move or copy to a level has a figure of that name, too, and all
    else one for the memories of each level but the project's; what
    changes clarifications counts `clarifications`, and watching over them those `asked_again`,
    `escalated` and `unblocked`; what the inbox holds counts `entries`. `of` is
    the kind that an undo takes back or a redo does again. `title` is the sentence of a journal or
    a log that has no figures.
    """

    kind: str
    figures: Mapping[str, int] = MappingProxyType({})
    of: str = ""
    title: str = ""

    def inverse(self) -> Action:
        return Action(ActionKind.UNDO, self.figures, self.kind, self.title)

    def again(self) -> Action:
        return Action(ActionKind.REDO, self.figures, self.kind, self.title)


def action_record(action: Action) -> dict[str, Any]:
    """Return an action as it is kept; what is empty is left out."""
    record = {
        "kind": action.kind,
        "figures": dict(action.figures),
        "of": action.of,
        "title": action.title,
    }
    return {key: value for key, value in record.items() if value}


def action_of(record: Mapping[str, Any]) -> Action:
    """Return an action that was kept; what is no figure or no text is left out."""
    figures = record.get("figures")
    known = figures if isinstance(figures, dict) else {}
    of, title = record.get("of"), record.get("title")
    return Action(
        str(record.get("kind", "")),
        {str(name): number for name, number in known.items() if is_integer(number)},
        string(of),
        title if isinstance(title, str) and not known else "",
    )
