"""Sentences of an operation: `Archive 3 memories`, while it is carried out, and afterwards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from types import MappingProxyType

from memtui.formatting import count, filled, memories, plural
from store.action import Action, ActionKind
from store.model import Level

_VERBS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        ActionKind.ADD: ("Add", "Added"),
        ActionKind.CAPTURE: ("Capture", "Captured"),
        ActionKind.IMPORT: ("Import", "Imported"),
        ActionKind.SYNC: ("Sync", "Synced"),
        ActionKind.EDIT: ("Edit", "Edited"),
        ActionKind.TAG: ("Tag", "Tagged"),
        ActionKind.CLOSE: ("Close", "Closed"),
        ActionKind.REOPEN: ("Reopen", "Reopened"),
        ActionKind.PIN: ("Pin", "Pinned"),
        ActionKind.UNPIN: ("Unpin", "Unpinned"),
        ActionKind.MUTE: ("Mute", "Muted"),
        ActionKind.UNMUTE: ("Unmute", "Unmuted"),
        ActionKind.MARK: ("Mark", "Marked"),
        ActionKind.PATHS: ("Correct the paths of", "Corrected the paths of"),
        ActionKind.ANCHOR: ("Confirm", "Confirmed"),
        ActionKind.REMOVE: ("Delete", "Deleted"),
        ActionKind.FORGET: ("Forget", "Forgot"),
        ActionKind.MOVE: ("Move", "Moved"),
        ActionKind.COPY: ("Copy", "Copied"),
        ActionKind.ARCHIVE: ("Archive", "Archived"),
        ActionKind.RESTORE: ("Restore", "Restored"),
        ActionKind.COMPACT: ("Compact", "Compacted"),
        ActionKind.PRUNE: ("Prune", "Pruned"),
        ActionKind.MERGE: ("Merge", "Merged"),
        ActionKind.REPAIR: ("Repair", "Repaired"),
        ActionKind.TAKE_IN: ("Index", "Indexed"),
        ActionKind.INSTRUCT: ("Write", "Wrote"),
        ActionKind.APPROVE: ("Approve", "Approved"),
        ActionKind.TAKE_BACK: ("Take back", "Took back"),
        ActionKind.LAYOUT: ("Write", "Wrote"),
        ActionKind.ASK: ("Ask", "Asked"),
        ActionKind.ANSWER: ("Answer", "Answered"),
        ActionKind.RESOLVE: ("Resolve", "Resolved"),
        ActionKind.ESCALATE: ("Escalate", "Escalated"),
        ActionKind.ABANDON: ("Abandon", "Abandoned"),
        ActionKind.MONITOR: ("Ask again or escalate", "Asked again or escalated"),
        ActionKind.UNDO: ("Undo", "Undone"),
        ActionKind.REDO: ("Redo", "Redone"),
    }
)
"""What a kind is called before and after it is carried out."""
_DOING: Mapping[str, str] = MappingProxyType(
    {
        ActionKind.TAG: "Tagging",
        ActionKind.CLOSE: "Closing",
        ActionKind.REMOVE: "Deleting",
        ActionKind.FORGET: "Forgetting",
        ActionKind.ARCHIVE: "Archiving",
        ActionKind.RESTORE: "Restoring",
        ActionKind.COMPACT: "Compacting",
        ActionKind.PRUNE: "Pruning",
        ActionKind.IMPORT: "Importing",
        ActionKind.SYNC: "Syncing",
        ActionKind.REPAIR: "Repairing",
        ActionKind.UNDO: "Undoing",
        ActionKind.REDO: "Redoing",
    }
)
"""What a kind that may take long is called while it is carried out."""
_OBJECTS: Mapping[str, str] = MappingProxyType(
    {
        ActionKind.CLOSE: "{memories:task|tasks}",
        ActionKind.REOPEN: "{memories:task|tasks}",
        ActionKind.MERGE: "{files:file|files}",
        ActionKind.TAKE_IN: "{sessions:session|sessions}",
        ActionKind.INSTRUCT: "{memories:memory|memories} into an instruction file",
    }
)
"""What those kinds act on that act on one thing other than memories."""
_REPAIRS = {
    "merged": "merge {merged:file|files}",
    "files": "move {files:file|files}",
    "traces": "redact secrets in {traces:file|files}",
    "records": "change {records:record|records}",
    "manifest": "rebuild the manifest",
    "index": "rebuild the index",
}
_VAULT_PARTS = {
    "memories": "{memories:memory|memories} folded",
    "extracted": "{extracted:memory|memories} extracted",
    "checkpoints": "{checkpoints:old checkpoint|old checkpoints}",
    "conversations": "{conversations:long conversation|long conversations}",
    "legacy": "{legacy:old file|old files}",
}
_SEVERAL: Mapping[str, Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        ActionKind.MARK: {
            "pinned": ("pin", "pinned"),
            "muted": ("mute", "muted"),
            "unmarked": ("unmark", "unmarked"),
        },
        ActionKind.MONITOR: {
            "asked_again": ("ask again", "asked again"),
            "escalated": ("escalate", "escalated"),
            "unblocked": ("unblock", "unblocked"),
        },
    }
)
"""What kinds do that do several things at once, by the figure that counts each."""


def title(action: Action) -> str:
    """Return the title of an operation: `Compact 31 memories into 5`."""
    return _sentence(action, 0)


def done(action: Action) -> str:
    """Return the sentence of a finished operation: `Compacted 31 memories into 5`."""
    return _sentence(action, 1)


def doing(action: Action, so_far: int, of: int) -> str:
    """Return the progress of an operation: `Archiving 12,400 of 44,597 memories…`."""
    return f"{_DOING.get(action.kind, 'Writing')} {count(so_far)} of {memories(of)}…"


def doing_issues(kind: str, so_far: int, of: int) -> str:
    """Return the same where only issues are counted: `Undoing 120 of 1,500 issues…`."""
    return f"{_DOING.get(kind, 'Writing')} {count(so_far)} of {plural(of, 'issue')}…"


def _sentence(action: Action, tense: int) -> str:
    verbs = _VERBS.get(action.kind, (action.kind.capitalize(), action.kind.capitalize()))
    if action.kind in (ActionKind.UNDO, ActionKind.REDO):
        if action.title:
            return f"{verbs[tense]}: {action.title}"
        inner = _sentence(Action(action.of, action.figures), 0)
        return f"{verbs[tense]}: {inner[:1].lower()}{inner[1:]}"
    if action.title:
        return action.title
    if words := _several(action, tense):
        return words
    return f"{verbs[tense]}{_object(action)}"


def _object(action: Action) -> str:
    """Return what an operation acts on: ` 3 memories`, `: rebuild the index`; empty for nothing."""
    kind, figures = action.kind, action.figures
    if kind == ActionKind.REPAIR:
        words = _parts(_REPAIRS, figures)
        return f": {words}" if words else ""
    if kind == ActionKind.COMPACT:
        words = _compaction(figures)
    elif kind == ActionKind.LAYOUT:
        unit = "memory" if figures.get("each") else "issue"
        words = f"one file per {unit} ({plural(figures.get('issues', 0), 'issue')})"
    elif kind in (ActionKind.MOVE, ActionKind.COPY):
        level = next((level for level in Level if level in figures), "another level")
        words = f"{memories(figures.get('memories', 0))} to {level}"
    elif kind in _OBJECTS:
        words = filled(_OBJECTS[kind], defaultdict(int, figures))
    else:
        words = _memories(figures)
    return f" {words}" if words else ""


def _parts(sentences: Mapping[str, str], figures: Mapping[str, int]) -> str:
    """Return a sentence for each figure that is not 0."""
    return ", ".join(
        filled(sentence, figures) for name, sentence in sentences.items() if figures.get(name)
    )


def _memories(figures: Mapping[str, int]) -> str:
    if "clarifications" in figures:
        return plural(figures["clarifications"], "clarification")
    if "entries" in figures:
        return f"{plural(figures['entries'], 'change')} in the inbox"
    number = figures.get("memories")
    return "" if number is None else f"{memories(number)}{_of_levels(figures, number)}"


def _of_levels(figures: Mapping[str, int], number: int) -> str:
    """Return of which levels some memories are, where of others than the project's: ` of mine`."""
    for level, words in ((Level.MINE, " of mine"), (Level.TEAM, " of the team")):
        if number and figures.get(level) == number:
            return words
    found = (f"{figures[level]:,} {level}" for level in Level if figures.get(level))
    return f" ({words})" if (words := ", ".join(found)) else ""


def _compaction(figures: Mapping[str, int]) -> str:
    if "issues" in figures:
        return f"{count(figures.get('issues_done', 0))} of {plural(figures['issues'], 'issue')}"
    if "checkpoints" in figures:
        return f"the vault: {_parts(_VAULT_PARTS, figures) or 'nothing'}"
    into = f" into {count(figures['merged'])}" if "merged" in figures else ""
    return f"{_memories(figures)}{into}"


def _several(action: Action, tense: int) -> str:
    """`Pinned 1, muted 2 and unmarked 3 memories`, as far as there are any; else nothing."""
    words = _SEVERAL.get(action.kind, {})
    counts = [(both[tense], action.figures.get(name, 0)) for name, both in words.items()]
    *others, (verb, last) = [pair for pair in counts if pair[1]] or [("", 0)]
    if not verb:
        return ""
    before = ", ".join(f"{word} {number:,}" for word, number in others)
    what = plural(last, "clarification") if "clarifications" in action.figures else memories(last)
    return f"{before}{' and ' if before else ''}{verb} {what}".capitalize()
