"""Sessions of two clients that the sample's project has not indexed yet, in the clients' folders.

In `transcripts/<client>.jsonl` `{folder}` is the project's folder, `{at:N}` the time of step N.
"""

from __future__ import annotations

import os
import re
from datetime import datetime, timedelta
from importlib import resources
from pathlib import Path

_STEP = timedelta(seconds=40)
_TIME = re.compile(r"\{at:(\d+)\}")


def write_waiting_sessions(home: Path, project: Path, now: datetime) -> None:
    """Write the sessions below `home`, as if they had run in `project` in the last hours."""
    begun = now - timedelta(hours=3)
    name = f"rollout-{begun:%Y-%m-%dT%H-%M-%S}-0c0de7ac-photos"
    _write(home / ".codex/sessions" / f"{begun:%Y/%m/%d}", "codex", name, project, begun)
    filed = re.sub(r"[^A-Za-z0-9]", "-", str(project))
    begun = now - timedelta(hours=1)
    _write(home / ".claude/projects" / filed, "claude-code", "e7a9-holidays", project, begun)


def _write(folder: Path, client: str, name: str, project: Path, begun: datetime) -> None:
    template = resources.files(__package__).joinpath("transcripts", f"{client}.jsonl")
    text = template.read_text(encoding="utf-8").replace("{folder}", str(project))
    text = _TIME.sub(lambda match: (begun + _STEP * int(match[1])).isoformat(), text)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    path.write_text(text, encoding="utf-8")
    ended = (begun + _STEP * text.count("\n")).timestamp()
    os.utime(path, (ended, ended))
