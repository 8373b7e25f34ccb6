"""Codex: its sessions are rollouts, `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`.

`codex_rollout` reads a rollout, and `codex_trust` finds out whether a hook is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path

from store.agents.client import (
    ChannelLimits,
    Client,
    CommandFile,
    ContextFile,
    FilePlace,
    Home,
    Hooks,
    Loading,
    ServerList,
    SessionFile,
    Upward,
    skills_in,
)
from store.agents.codex_rollout import AGENT, matches_format, read
from store.agents.codex_trust import CONFIG, HOOKS, other_hooks, trouble
from store.agents.files import files_in, first_string, head_of, toml_in, with_folder
from store.agents.hooks import Answer, Hook
from store.platform.json_fields import integer, mapping, strings

_SUB_AGENT = re.compile(rb'"source"\s*:\s*\{\s*"sub_?agent"')
_NAMES = ("rollout-*.jsonl", "rollout-*.jsonl.zst")
_PLACES = ("sessions/*/*/*", "archived_sessions")
_FOLDERS = frozenset({"sessions", "archived_sessions"})


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """Yield the rollouts of `CODEX_HOME`, archived ones too; the first line of each has its folder.

    Those of sub-agents are read with the session that started them.
    """
    root = home.folder("CODEX_HOME", ".codex")
    patterns = [f"{place}/{name}" for place in _PLACES for name in _NAMES]
    return with_folder(files_in(root, patterns, AGENT), "cwd", _SUB_AGENT)


def sub_agents(path: Path) -> Iterator[Path]:
    """Yield the rollouts that a session started, and these in turn, on its day or the next."""
    started = {first_string(path, "id")}
    day = path.parent
    days = day.parent.glob("[0-9][0-9]") if day.name.isdecimal() else (day,)
    for folder in sorted(folder for folder in days if folder.name >= day.name)[:2]:
        for file in sorted(files_in(folder, _NAMES, AGENT)):
            parent_id = _started_by(file)
            if parent_id and parent_id in started and file.path != path:
                started.add(first_string(file.path, "id"))
                yield file.path


@lru_cache(maxsize=20_000)
def _started_by(file: SessionFile) -> str:
    """Return the session that started a rollout's, empty where a person did."""
    head = head_of(file.path)
    return first_string(file.path, "parent_thread_id") if _SUB_AGENT.search(head) else ""


def parent(path: Path) -> str:
    """Return the session that a rollout's was forked from, empty where it was not."""
    return first_string(path, "forked_from_id")


def file_of(path: Path, session_id: str) -> Path | None:
    """Return the rollout of another session, of any day, archived or not."""
    home = next((at.parent for at in path.parents if at.name in _FOLDERS), path.parent)
    patterns = [f"{place}/{name}" for place in _PLACES for name in _NAMES]
    found = (home.glob(pattern.replace("*.", f"*{session_id}.")) for pattern in patterns)
    return next(chain.from_iterable(found), None)


def _has_memories(home: Home) -> bool:
    """The feature is off unless the user's settings switch it on."""
    return mapping(toml_in(CONFIG(home, None)).get("features")).get("memories") is True


def _most_instructions(home: Home) -> int:
    return integer(toml_in(CONFIG(home, None)).get("project_doc_max_bytes"), 32 * 1024)


def _renamed(home: Home, project: Path) -> Mapping[str, tuple[str, ...]]:
    others = strings(toml_in(CONFIG(home, None)).get("project_doc_fallback_filenames"))
    return {"AGENTS.md": ("AGENTS.md", *others)}


_of_user = partial(ContextFile, of_user=True, variable="CODEX_HOME")
CLIENT = Client(
    name=AGENT,
    title="Codex",
    session_files=session_files,
    matches_format=matches_format,
    read=read,
    limits=ChannelLimits(bytes=10_000, tokenizer="gpt"),
    hooks=Hooks(
        events=(
            Hook("SessionStart", "session-start", 10),
            Hook("UserPromptSubmit", "user-prompt", 5),
            Hook("PreCompact", "pre-compact", 20),
            Hook("Stop", "stop", 20),
            Hook("SessionEnd", "session-end", 3),
        ),
        style="json-groups",
        file=HOOKS,
        answer=Answer.HOOK_OUTPUT,
        trouble=trouble,
        others=other_hooks,
        stale_environment=True,
        after_install="Start codex and trust the hooks when it asks; they don't run before.",
    ),
    parent=parent,
    file_of=file_of,
    sub_agents=sub_agents,
    resume=("codex", "resume", "{id}"),
    asked_by=(
        "codex",
        "exec",
        "--skip-git-repo-check",
        "--ephemeral",
        "--sandbox=read-only",
        "--disable=shell_tool",
        "--config=web_search=disabled",
        "-",
    ),
    servers=ServerList(CONFIG, key="mcp_servers", form="table"),
    command=CommandFile(FilePlace(".agents/skills/remember/SKILL.md"), "$remember"),
    most_instructions=_most_instructions,
    renamed=_renamed,
    context=(
        _of_user(
            "memory",
            ".codex/memories/memory_summary.md",
            most_bytes=10_000,
            keeps_end=True,
            is_on=_has_memories,
        ),
        _of_user(
            "memory",
            ".codex/memories/MEMORY.md",
            loading=Loading.ASKED,
            is_on=_has_memories,
        ),
        _of_user("instruction", ".codex/AGENTS.override.md|.codex/AGENTS.md"),
        ContextFile("instruction", "AGENTS.override.md|AGENTS.md", upward=Upward.PROJECT),
        *skills_in(".codex/skills", ".agents/skills"),
        *skills_in(".codex/skills", of_user=True, variable="CODEX_HOME"),
        *skills_in(".agents/skills", of_user=True),
    ),
)
