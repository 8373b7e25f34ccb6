"""Every screen on a project that is hostile in all it is made of: shown, and obeyed nowhere."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.faults.evil import ACTS, evil_project
from tests.flows.stage import NORMAL, app_on, press, settled

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


def _shown(pilot: Pilot[None]) -> str:
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", pilot.app.export_screenshot())
    return html.unescape("".join(texts)).replace("\xa0", " ")


async def test_no_screen_obeys_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    project = evil_project(tmp_path / "evil", home)
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.chdir(project)
    seen: dict[str, str] = {}
    async with app_on(project / ".agentx" / "memory").run_test(size=NORMAL) as pilot:
        await settled(pilot)
        for name, keys in WAYS.items():
            for key in keys:
                await press(pilot, key)
                text = _shown(pilot)
                assert not ACTS.findall(text), (name, key)
                assert pilot.app.is_running, (name, key)
            seen[name] = f"{type(pilot.app.screen).__name__} {text}"
            for _ in range(4):
                await press(pilot, "escape")
    for name in ("browse", "memory", "sessions", "injection", "capture"):
        assert "␛" in seen[name], name
    assert "[bold]x[/bold] [@click=app.quit]q[/]" in seen["memory"]
    assert len({text.partition(" ")[0] for text in seen.values()}) > 15, sorted(
        {(name, text.partition(" ")[0]) for name, text in seen.items()}
    )
