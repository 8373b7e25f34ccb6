"""Whether Codex runs a hook: hooks can be switched off, and each has to be trusted by the user."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path

from store.agents.client import FilePlace, Home
from store.agents.files import toml_in
from store.agents.hooks import HookEntry, HookState, Trouble
from store.agents.records import Record
from store.platform.json_fields import mapping

HOOKS = FilePlace("hooks.json", variable="CODEX_HOME", folder=".codex")
CONFIG = FilePlace("config.toml", variable="CODEX_HOME", folder=".codex")
"""A project's is read where the project is trusted."""


def other_hooks(home: Home, project: Path | None) -> tuple[Path, ...]:
    """Return the `[hooks]` of the user's configuration and the project's."""
    return tuple(CONFIG(home, folder) for folder in dict.fromkeys((None, project)))


def trouble(home: Home, path: Path, entry: HookEntry, project: Path | None) -> Trouble | None:
    """Return why Codex does not run a hook: hooks are switched off, Codex does not trust the
    project that has them, or the user has not trusted them as they are now.

    Codex keeps what was trusted in its `config.toml`, by the file and the hook's place in it, with
    a hash of the hook.
    """
    rules = home.system("", "codex/requirements.toml", "Codex/requirements.toml")
    if toml_in(rules).get("allow_managed_hooks_only") is True:
        return Trouble(HookState.DISABLED, f"`allow_managed_hooks_only` in {rules}")
    own = CONFIG(home, None)
    config = toml_in(own)
    trusted = project is not None and _is_trusted(config, project)
    for layer in (rules, *((CONFIG(home, project),) if trusted else ()), own):
        features = mapping(toml_in(layer).get("features"))
        if features.get("hooks", features.get("codex_hooks")) is False:
            return Trouble(HookState.DISABLED, f"`features.hooks` is false in {layer}")
    if project is not None and path == HOOKS(home, project) and not trusted:
        return Trouble(HookState.UNTRUSTED, f"start codex in {project} and trust the folder")
    states = mapping(mapping(config.get("hooks")).get("state"))
    state = mapping(states.get(trust_key(path, entry)))
    if state.get("enabled") is False:
        return Trouble(HookState.DISABLED, "switched off in config.toml")
    if state.get("trusted_hash") != trust_hash(entry):
        changed = "it was changed since" if state.get("trusted_hash") else "not yet"
        return Trouble(HookState.UNTRUSTED, f"start codex and trust it ({changed})")
    return None


def _is_trusted(config: Record, project: Path) -> bool:
    projects = mapping(config.get("projects"))
    return any(
        mapping(projects.get(str(folder))).get("trust_level") == "trusted"
        for folder in (project, *project.parents)
    )


def trust_key(path: Path, entry: HookEntry) -> str:
    """Return the name under which Codex keeps whether a hook is trusted."""
    return f"{path}:{_snake(entry.event)}:{entry.group}:{entry.at}"


def _snake(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


def trust_hash(entry: HookEntry) -> str:
    """Return the hash by which Codex knows a hook again (seen with 0.169.0)."""
    hook = {"async": False, **entry.settings}
    identity: dict[str, object] = {"event_name": _snake(entry.event), "hooks": [hook]}
    if entry.matcher is not None:
        identity["matcher"] = entry.matcher
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{sha256(text.encode()).hexdigest()}"
