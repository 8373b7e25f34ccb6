"""One thing that can be set up."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.client_file import InstallPlan
from memtui.hooks.status import HookStatus
from memtui.settings.programs import Program

if TYPE_CHECKING:
    from store.agents.client import SessionFile
    from store.git.setup import GitPlan


class Kind(StrEnum):
    """What an offer is about."""

    SESSIONS = "sessions"
    MEMORIES = "memories"
    HOOKS = "hooks"
    PROGRAM = "program"
    GIT = "git"
    NOTES = "notes"
    DEMO = "demo"


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing that can be set up. `done`: it is, and can be taken back where that is possible.

    `files` are sessions to take in, `plan` what adds hooks to a client's file, or the merge driver
    to git, and `removal` what takes them out, `hooks` the state of each, `program` what asks a
    language model, `source` notes to import.
    """

    kind: Kind
    name: str
    title: str
    state: str
    done: bool = False
    files: tuple[SessionFile, ...] = ()
    plan: InstallPlan | GitPlan | None = None
    removal: InstallPlan | GitPlan | None = None
    hooks: tuple[HookStatus, ...] = ()
    program: Program | None = None
    source: Path | None = None
    problem: str = ""
