"""Every screen on a project that is hostile in all it is made of: shown, and obeyed nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.evil import ACTS, evil_project
from tests.flows.stage import browse, go_home, press, running, screen_text

pytestmark = pytest.mark.usefixtures("still")

WAYS: dict[str, tuple[str, ...]] = {
    "browse": ("tab", "j", "tab", "j", "space"),
    "memory": ("enter", "G"),
    "issue": ("number_sign",),
    "stats": ("s",),
    "activity": ("A", "G", "enter"),
    "doctor": ("exclamation_mark", "G"),
    "history": ("H",),
    "sessions": ("S", "enter", "G"),
    "settings": ("comma", "G"),
    "setup": ("O", "j", "j", "j"),
    "injection": ("i", "j", "j"),
    "next client": ("I", "I"),
    "pick agent": ("i", "at"),
    "compaction": ("c", "j"),
    "transcripts": ("C",),
    "capture": ("C", "enter"),
    "export": ("x",),
    "copy": ("y",),
    "new": ("n",),
    "edit": ("e",),
    "delete": ("d",),
    "archive": ("a",),
    "help": ("question_mark",),
    "palette": ("ctrl+p", *"agent"),
}
"""How each screen is reached from home."""


async def test_no_screen_obeys_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    project = evil_project(tmp_path / "evil", home)
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.chdir(project)
    seen: dict[str, str] = {}
    async with running(project / ".agentx" / "memory") as pilot:
        for name, keys in WAYS.items():
            for key in keys:
                await press(pilot, key)
                text = screen_text(pilot)
                assert not ACTS.findall(text), (name, key)
                assert pilot.app.is_running, (name, key)
            seen[name] = f"{type(pilot.app.screen).__name__} {text}"
            await go_home(pilot)
            browse(pilot).set_query("")
    for name in ("browse", "memory", "sessions", "injection", "capture"):
        assert "␛" in seen[name], name
    assert "[bold]x[/bold] [@click=app.quit]q[/]" in seen["memory"]
    assert len({text.partition(" ")[0] for text in seen.values()}) > 15, sorted(
        {(name, text.partition(" ")[0]) for name, text in seen.items()}
    )
