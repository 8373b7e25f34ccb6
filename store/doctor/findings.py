"""The result of an examination: findings, and the plan of a repair."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from store.action import Action, ActionKind
from store.notice import Notice
from store.operations.plan import Plan


class FindingKind(StrEnum):
    UNREADABLE = "unreadable-file"
    RECOVERED = "recovered-file"
    INVALID = "invalid-record"
    CONFLICT = "merge-conflict"
    TWICE = "edited-twice"
    DUPLICATE = "duplicate-id"
    BACK = "removed-before"
    MANIFEST = "manifest"
    INDEX = "index"
    LOCK = "orphaned-lock"
    TEMPORARY = "temporary-file"
    FUTURE = "future-timestamp"
    SECRET = "secret"
    TRACE = "secret-kept-beside"
    READ_ONLY = "read-only"
    PERMISSIONS = "world-writable"
    LARGE = "large-store"
    FORGETTING = "unfinished-forgetting"
    MISSING = "in-no-file"
    CAPTURE = "failing-capture"
    CAPTURED = "last-capture"
    LAYOUT = "layout"
    GIT = "git"
    DRIVER = "merge-driver"
    SETTING = "setting"
    DRIFT = "drift"
    LOG = "activity-log"
    LOG_SIZE = "log-size"


INFORMATION = frozenset(
    {
        FindingKind.MISSING,
        FindingKind.READ_ONLY,
        FindingKind.LARGE,
        FindingKind.CAPTURED,
        FindingKind.LAYOUT,
        FindingKind.GIT,
        FindingKind.DRIVER,
        FindingKind.SETTING,
        FindingKind.DRIFT,
        FindingKind.LOG_SIZE,
    }
)
"""Findings that are good to know, not problems."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the doctor found. `repair` is what `--repair` would do, None for nothing; `memory`
    the id of the one memory that it is about; `level` whose files it is in, of several.
    """

    kind: FindingKind
    path: str
    notice: Notice
    repair: Notice | None = None
    memory: str = ""
    level: str = ""

    @property
    def is_problem(self) -> bool:
        return self.kind not in INFORMATION


@dataclass(frozen=True, slots=True)
class IndexHealth:
    """How many documents the index has, and in how many segments."""

    documents: int
    segments: int


@dataclass(frozen=True, slots=True)
class Examination:
    """All findings, and the plan that mends those of the record that can be mended.

    `merges` are the files that a repair writes merged, `traces` those it takes secrets out of.
    `rebuild_manifest` and `rebuild_index` are the derived data that a repair builds anew.
    """

    findings: tuple[Finding, ...]
    plan: Plan
    rebuild_manifest: bool = False
    rebuild_index: bool = False
    merges: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()

    @property
    def is_healthy(self) -> bool:
        return not any(finding.is_problem for finding in self.findings)

    @property
    def is_repairable(self) -> bool:
        rebuilds = self.rebuild_manifest or self.rebuild_index
        return not self.plan.is_empty or rebuilds or bool(self.merges or self.traces)

    @property
    def action(self) -> Action:
        figures = {
            **self.plan.action.figures,
            "merged": len(self.merges),
            "traces": len(self.traces),
            "manifest": int(self.rebuild_manifest),
            "index": int(self.rebuild_index),
        }
        return Action(
            ActionKind.REPAIR, {name: number for name, number in figures.items() if number}
        )
