"""The folders in which AgentX keeps a project's clarifications and workflows."""

from __future__ import annotations

from pathlib import Path

from store.backends.user_data import is_in_user_data, project_root

AGENTX = ".agentx"


def home_of(memory: Path) -> Path:
    """Return the folder that AgentX keeps its state in: the `.agentx` around a memory or beside it,
    else the memory itself.
    """
    parent = memory.parent
    if is_in_user_data(memory):
        shared = project_root(memory) / AGENTX
        return shared if shared.is_dir() and not shared.is_symlink() else parent
    if parent.name == AGENTX:
        return parent
    beside = parent / AGENTX
    return beside if beside.is_dir() and not beside.is_symlink() else memory


def folder_of(memory: Path) -> Path:
    """Return the folder of the ledgers, whether or not there is one."""
    return home_of(memory) / "state" / "clarifications"
