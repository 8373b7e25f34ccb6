"""git: asking it, being its merge driver, what changed between two commits."""

from typing import TYPE_CHECKING

from store.lazy import offered

if TYPE_CHECKING:
    from store.backends.files.merge_versions import merge_versions
    from store.disk.write import replace_derived
    from store.git.diff import diff_memory, told_in_words
    from store.git.setup import (
        GitPlan,
        GitStatus,
        apply_git_plan,
        git_status,
        plan_git_install,
        plan_git_uninstall,
    )
    from store.git_command import ask_git, git_command, git_environment
    from store.merge.changes import MemoryChange, MemoryDiff
else:
    __getattr__ = offered(
        __name__,
        {
            "store.backends.files.merge_versions": "merge_versions",
            "store.disk.write": "replace_derived",
            "store.git_command": "ask_git git_command git_environment",
            "store.git.diff": "diff_memory told_in_words",
            "store.git.setup": (
                "GitPlan GitStatus apply_git_plan git_status plan_git_install plan_git_uninstall"
            ),
            "store.merge.changes": "MemoryChange MemoryDiff",
        },
    )
