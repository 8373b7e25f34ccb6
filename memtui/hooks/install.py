"""Installing memtui's hooks into an agent's settings: as a plan with a diff, and back out again.

An entry of ours is known by its command. Everything else in the file stays as it is, in its order.
"""

from __future__ import annotations

import json
import os
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from store.errors import ReadOnly, Unreadable, WriteFailed

COMMAND = "memtui"
BACKUP = ".memtui-backup"
"""What the name of a settings file's backup ends in."""


class Agent(StrEnum):
    """The agents whose hooks memtui can install."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook: the agent's event, our command's name for it, and its time limit in seconds."""

    event: str
    name: str
    timeout: int


HOOKS: Mapping[Agent, tuple[Hook, ...]] = MappingProxyType(
    {
        Agent.CLAUDE_CODE: (
            Hook("SessionStart", "session-start", 10),
            Hook("UserPromptSubmit", "user-prompt", 5),
            Hook("PreCompact", "pre-compact", 20),
            Hook("SessionEnd", "session-end", 20),
        ),
        Agent.CODEX: (
            Hook("SessionStart", "session-start", 10),
            Hook("UserPromptSubmit", "user-prompt", 5),
            Hook("Stop", "stop", 20),
        ),
    }
)
"""What is installed for each agent. Codex has no event at a session's end: Stop stands for it."""


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """A settings file before and after. Nothing is written until it is applied."""

    path: Path
    before: str
    after: str

    @property
    def is_empty(self) -> bool:
        """Whether the file would stay as it is."""
        return self.before == self.after

    @property
    def diff(self) -> str:
        """What would change, as a unified diff."""
        name = str(self.path)
        return "".join(
            unified_diff(
                self.before.splitlines(keepends=True),
                self.after.splitlines(keepends=True),
                name,
                name,
            )
        )


@dataclass(frozen=True, slots=True)
class HookStatus:
    """Whether one of our hooks stands in an agent's settings."""

    event: str
    name: str
    installed: bool


def settings_path(agent: Agent, home: Path, project: Path | None = None) -> Path:
    """The settings file of an agent: the user's, or the project's where one is named."""
    if agent is Agent.CODEX:
        return (project or home) / ".codex" / "hooks.json"
    return (project or home) / ".claude" / "settings.json"


def plan_install(agent: Agent, path: Path, command: str = COMMAND) -> InstallPlan:
    """The plan that adds the hooks which are missing. `command` is memtui, or the path to it.

    Raises Unreadable for a file that is no JSON object: a settings file that its agent may still
    understand is never overwritten.
    """
    before = _read(path)
    settings = _parsed(before, path)
    hooks = _events(settings, path)
    changed = False
    for hook in HOOKS[agent]:
        groups = _groups(hooks, hook.event, path)
        if not any(_is_ours(entry, hook.name) for entry in _entries(groups)):
            groups.append({"hooks": [_entry(agent, hook, command)]})
            hooks[hook.event] = groups
            changed = True
    settings["hooks"] = hooks
    return InstallPlan(path, before, _written(settings, before) if changed else before)


def plan_uninstall(path: Path) -> InstallPlan:
    """The plan that removes exactly our entries, and what they leave empty. Raises Unreadable.

    Where that leaves what stood there before the installation, it is the old text to the letter;
    a file that the installation made is removed.
    """
    before = _read(path)
    settings = _parsed(before, path)
    hooks = _events(settings, path)
    changed = False
    for event in list(hooks):
        groups = _groups(hooks, event, path)
        kept = [group for group in map(_without_ours, groups) if group is not None]
        if kept != groups:
            changed = True
            hooks[event] = kept
            if not kept:
                del hooks[event]
    if not changed:
        return InstallPlan(path, before, before)
    settings["hooks"] = hooks
    return InstallPlan(path, before, _restored(settings, path, before))


def _restored(settings: dict[str, Any], path: Path, before: str) -> str:
    """The text of settings that are rid of our entries; empty where nothing is left to say."""
    old = _read(backup_of(path))
    bare = {key: value for key, value in settings.items() if key != "hooks" or value}
    if old and json.loads(old) in (settings, bare):
        return old
    return _written(bare, before) if bare or old else ""


def backup_of(path: Path) -> Path:
    """Where the settings file from before the first installation is kept."""
    target = path.resolve() if path.is_symlink() else path
    return target.with_name(target.name + BACKUP)


def hook_status(agent: Agent, path: Path) -> tuple[HookStatus, ...]:
    """Which of our hooks are active in a settings file. Raises Unreadable."""
    settings = _parsed(_read(path), path)
    hooks = _events(settings, path)
    return tuple(
        HookStatus(
            hook.event,
            hook.name,
            any(_is_ours(e, hook.name) for e in _entries(_groups(hooks, hook.event, path))),
        )
        for hook in HOOKS[agent]
    )


def apply_install(plan: InstallPlan) -> Path | None:
    """Write the planned file, atomically; the backup of the old one, or None if there was none.

    The backup is made once, before the first change, and never overwritten. Raises ReadOnly,
    WriteFailed.
    """
    if plan.is_empty:
        return None
    target = plan.path.resolve() if plan.path.is_symlink() else plan.path
    backup = backup_of(plan.path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        kept = None
        if plan.before:
            if not backup.exists():
                _replace(backup, plan.before, like=target)
            kept = backup
        if plan.after:
            _replace(target, plan.after, like=target)
        else:
            target.unlink()
    except PermissionError as error:
        raise ReadOnly(
            f"{target} can't be written.", "Check who owns the file and its folder."
        ) from error
    except OSError as error:
        raise WriteFailed(
            f"{target} could not be written: {error.strerror}.", "The old file is intact."
        ) from error
    return kept


def _replace(path: Path, text: str, *, like: Path) -> None:
    """Put the text in place of a file in one step, with the rights of `like` where it exists."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(like.stat().st_mode & 0o777 if like.exists() else 0o600)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            return stream.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path} can't be read.", "Check the file and its rights.") from error


def _parsed(text: str, path: Path) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        settings = json.loads(text)
    except ValueError as error:
        raise Unreadable(
            f"{path} is not valid JSON: {error}.", "Mend the file first; it was not touched."
        ) from error
    if not isinstance(settings, dict):
        raise _not_ours_to_change(path, "no object")
    return settings


def _events(settings: dict[str, Any], path: Path) -> dict[str, Any]:
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise _not_ours_to_change(path, '"hooks" is no object')
    return dict(hooks)


def _groups(hooks: Mapping[str, Any], event: str, path: Path) -> list[Any]:
    groups = hooks.get(event, [])
    if not isinstance(groups, list):
        raise _not_ours_to_change(path, f'"{event}" is no list')
    return list(groups)


def _not_ours_to_change(path: Path, what: str) -> Unreadable:
    return Unreadable(
        f"{path} is not what its agent writes: {what}.", "Mend the file first; it was not touched."
    )


def _entries(groups: list[Any]) -> Iterator[Mapping[str, Any]]:
    for group in groups:
        inner = group.get("hooks") if isinstance(group, dict) else None
        yield from (e for e in inner if isinstance(e, dict)) if isinstance(inner, list) else ()


def _is_ours(entry: object, name: str = "") -> bool:
    """Whether an entry runs our command, for the hook of this name or for any."""
    if not isinstance(entry, dict):
        return False
    arguments = entry.get("args")
    command = str(entry.get("command", ""))
    words = [command, *map(str, arguments)] if isinstance(arguments, list) else _split(command)
    if len(words) < 3 or Path(words[0]).stem != COMMAND or words[1] != "hook":
        return False
    return not name or words[2] == name


def _split(command: str) -> list[str]:
    """The words of a command line; one whose quotes don't end is no command of ours."""
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _without_ours(group: object) -> object | None:
    """The group without our entries; None where nothing else was in it."""
    inner = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(group, dict) or not isinstance(inner, list):
        return group
    kept = [entry for entry in inner if not _is_ours(entry)]
    if kept == inner:
        return group
    return {**group, "hooks": kept} if kept else None


def _entry(agent: Agent, hook: Hook, command: str) -> dict[str, Any]:
    """Codex takes a command line; Claude Code runs the arguments without a shell."""
    if agent is Agent.CODEX:
        line = f"{shlex.quote(command)} hook {hook.name} --channel {agent}"
        return {"type": "command", "command": line, "timeout": hook.timeout}
    return {
        "type": "command",
        "command": command,
        "args": ["hook", hook.name],
        "timeout": hook.timeout,
    }


def _written(settings: Mapping[str, Any], before: str) -> str:
    """The settings as JSON in the file's own style: indentation, line ends, final newline."""
    lines = before.splitlines()
    first = next((line for line in lines[1:] if line.strip()), "  x")
    indent: int | str = "\t" if first.startswith("\t") else len(first) - len(first.lstrip()) or 2
    text = json.dumps(settings, ensure_ascii=False, indent=indent)
    if not before or before.endswith("\n"):
        text += "\n"
    return text.replace("\n", "\r\n") if "\r\n" in before else text
