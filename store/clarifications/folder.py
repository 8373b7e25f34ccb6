"""The folders of clarifications."""

from __future__ import annotations

from pathlib import Path

from store.backends.user_data import is_in_user_data, project_root

AGENTX = ".agentx"


def state_folder(memory: Path) -> Path:
    """Return the folder that has AgentX's state and workflows of a memory.

    A memory in an `.agentx` has it there; any other in the `.agentx` of its project, if there is
    one (no link), else with itself: in the user's data next to it, elsewhere within it.
    """
    parent, in_user_data = memory.parent, is_in_user_data(memory)
    if parent.name == AGENTX and not in_user_data:
        return parent
    project = project_root(memory) if in_user_data else parent
    shared = project / AGENTX
    if shared.is_dir() and not shared.is_symlink():
        return shared
    return parent if in_user_data else memory


def folder_of(memory: Path) -> Path:
    """Return the folder of the ledgers, whether or not there is one."""
    return state_folder(memory) / "state" / "clarifications"
