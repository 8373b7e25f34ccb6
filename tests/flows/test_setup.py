"""Set up: what a project without memory offers, each taken by one key and taken back."""

from __future__ import annotations

import json
import os
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from memtui.settings import programs
from memtui.tui.app import MemtuiApp
from memtui.tui.capture.screen import CaptureScreen
from memtui.tui.dialogs.prompt import ConfirmScreen
from memtui.tui.frame import routes
from memtui.tui.frame.route import Route
from memtui.tui.setup.offer import Offer
from memtui.tui.setup.screen import OfferList, SetupScreen
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import StatusLine
from memtui.tui.widgets.text_pane import TextPane
from store.backends.placement import memory_to_begin
from store.settings.files import user_file
from tests.flows.stage import SIZES, Looks, fill, open_at, press, running, screen_text, under_cursor
from tests.flows.stories import observations, toasts
from tests.store.capture.transcripts import ClaudeCode
from tests.store.language_model.programs import answering
from tests.store.repositories import repository

pytestmark = pytest.mark.usefixtures("still")

NOTES = """# Conventions

- 2026-02-10: Tests run with `make check`; the plain runner misses the fixtures.
- 2026-02-11: Amounts are integer cents everywhere.
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project without memory: Claude Code was used in it, and it keeps notes."""
    root = Path("/tmp") / f"memtui-setup-{os.getpid():07}"  # paths stand in pictures
    home, work = root / "home", root / "heron"
    work.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / ".local" / "share"))
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "MEMTUI_DIR"):
        monkeypatch.delenv(variable, raising=False)
    sessions = home / ".claude" / "projects" / str(work).replace("/", "-")
    sessions.mkdir(parents=True)
    for number in range(3):
        path = sessions / f"session-{number}.jsonl"
        path.write_text("".join(_session(work, number)))
        when = datetime(2026, 2, 20 + number, 9, tzinfo=UTC).timestamp()
        os.utime(path, (when, when))
    (work / "memory-bank").mkdir()
    (work / "memory-bank" / "conventions.md").write_text(NOTES)
    monkeypatch.chdir(work)
    return work


def _session(work: Path, number: int) -> list[str]:
    stamp = f"2026-02-{20 + number}T09:00:00.000Z"
    common = {"sessionId": f"session-{number}", "cwd": str(work), "timestamp": stamp}
    said = [
        {"type": "user", "message": {"role": "user", "content": f"Fix the login test {number}"}},
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "Fixed it."}]},
        },
    ]
    return [json.dumps({**common, **each}) + "\n" for each in said]


@pytest.fixture(autouse=True)
def _removed() -> object:
    """What stands under a fixed name goes again."""
    from shutil import rmtree

    yield
    rmtree(Path("/tmp") / f"memtui-setup-{os.getpid():07}", ignore_errors=True)


TAUGHT = (
    "From now on the login test runs against the fake clock: the real one made it flaky.",
    "We never retry a login by ourselves, because the gateway locks the account.",
    "Always run `make check` before you commit.",
)


def teach(project: Path, branch: str = "main") -> None:
    """Have each session say something that is worth keeping."""
    folder = Path.home() / ".claude" / "projects" / str(project).replace("/", "-")
    for number, said in enumerate(TAUGHT):
        made = ClaudeCode(session=f"session-{number}", cwd=str(project), branch=branch)
        made.user(f"Fix the login test {number}").agent("Fixed it.").user(said).agent("Noted.")
        path = folder / f"session-{number}.jsonl"
        before = path.stat()
        path.write_text("".join(f"{line}\n" for line in made.lines))
        os.utime(path, (before.st_atime, before.st_mtime))


def offers(pilot: Pilot[None]) -> OfferList:
    assert isinstance(pilot.app.screen, SetupScreen)
    return pilot.app.screen.query_one(OfferList)


def states(pilot: Pilot[None]) -> dict[str, str]:
    return {offer.name: offer.state for offer in offers(pilot).rows if isinstance(offer, Offer)}


def details(pilot: Pilot[None]) -> str:
    return pilot.app.screen.query_one(TextPane).text


async def test_each_offer_is_taken_by_one_key_and_taken_back(project: Path, looks: Looks) -> None:
    folder, settings = memory_to_begin(project), Path.home() / ".claude" / "settings.json"
    settings.write_text('{"model": "opus"}')
    async with running(folder) as pilot:
        assert await looks(pilot, "first_run", SIZES)
        assert states(pilot) == {
            "sessions": "3 sessions of Claude Code found here",
            "memories": "from these sessions",
            "claude-code": "not installed",
            "remember-claude-code": "not installed",
            "place": "asked before it begins",
            "personal-data": "e-mail addresses and telephone numbers stay",
            "memory-bank": "",
            "other": "a file or a folder",
            "demo": "sample data",
        }
        await press(pilot, "j", "j", "k", "k")
        assert not folder.exists()
        assert settings.read_text() == '{"model": "opus"}'
        await press(pilot, *"jjjj")
        assert details(pilot).count("you are asked before memory begins here") == 1
        await press(pilot, "g")

        await press(pilot, "enter", "escape")
        assert not folder.exists(), "first it is asked where memory begins"
        await press(pilot, "enter", "j", "enter")
        assert toasts(pilot)[-1] == "Indexed 3 sessions"
        assert states(pilot)["place"] == "this project's is in the project, for git"
        assert await looks(pilot, "sessions_taken_in", SIZES)

        await press(pilot, "j", "j")
        assert "memtui hook session-start" in details(pilot)
        assert "missing" not in details(pilot)
        await press(pilot, "enter")
        assert "session-start" in settings.read_text()
        assert tomllib.loads(user_file().read_text()) == {"memory_place": "untracked"}
        assert under_cursor(offers(pilot)).done == (states(pilot)["claude-code"] == "installed")
        await press(pilot, "enter")
        assert "session-start" in settings.read_text()
        await press(pilot, "d")
        assert settings.read_text() == '{"model": "opus"}'
        assert toasts(pilot)[-1] == "Removed hooks for Claude Code."
        await press(pilot, "d")
        assert states(pilot)["claude-code"] == "not installed"

        await press(pilot, "j")
        command = Path.home() / ".claude" / "skills" / "remember" / "SKILL.md"
        assert not command.exists()
        await press(pilot, "enter")
        assert "`memory_add`" in command.read_text()
        assert states(pilot)["remember-claude-code"] == "installed"
        assert toasts(pilot)[-1] == "Installed /remember in Claude Code."
        await press(pilot, "d")
        assert not command.parent.exists()
        assert toasts(pilot)[-1] == "Removed /remember in Claude Code."

        await press(pilot, "j", "j", "enter")
        assert under_cursor(offers(pilot)).name == "personal-data"
        assert toasts(pilot)[-1] == "Redact personal data from now on."
        assert states(pilot)["personal-data"] == "redacted"
        assert tomllib.loads(user_file().read_text())["redact_personal_data"] is True
        await press(pilot, "d")
        assert toasts(pilot)[-1] == "E-mail addresses and telephone numbers stay."
        assert "redact_personal_data" not in tomllib.loads(user_file().read_text())

        await press(pilot, "j", "enter")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "enter")
        with open_at(folder) as memory:
            assert memory.stats().total_observations == 2
        await press(pilot, "u")
        with open_at(folder) as memory:
            assert memory.stats().total_observations == 0
        await press(pilot, "G", "enter")
    assert cast(MemtuiApp, pilot.app).wanted_next == "demo"


@pytest.mark.parametrize(
    ("keys", "back_to"),
    [
        ("enter", routes.Setup("sessions")),
        ("escape S B", routes.Sessions()),
        ("j enter enter", routes.Capture()),
    ],
)
async def test_it_is_asked_first_where_memory_begins(
    project: Path, keys: str, back_to: Route[None]
) -> None:
    teach(project)
    folder = memory_to_begin(project)
    async with running(folder) as pilot:
        await press(pilot, *keys.split())
        assert "Where may memory begin?" in screen_text(pilot)
        await press(pilot, "escape", *keys.split()[-1:])
        assert "Where may memory begin?" in screen_text(pilot)
        assert not folder.exists()
        await press(pilot, "enter")
    app = cast(MemtuiApp, pilot.app)
    assert (app.wanted_next, app.back_to) == ("again", back_to)
    assert not folder.exists()
    assert tomllib.loads(user_file().read_text()) == {"memory_place": "user"}


async def test_home_with_hooks(project: Path, looks: Looks) -> None:
    (project / ".git").mkdir()
    (project / ".git" / "HEAD").write_text("ref: refs/heads/fix/login-test\n")
    async with running(memory_to_begin(project)) as pilot:
        await press(pilot, "enter", "j", "enter", "j", "j", "enter", "escape")
        assert await looks(pilot, "home_with_hooks", SIZES)


async def test_memories_of_all_sessions_are_kept_by_one_key_and_taken_back(
    project: Path, looks: Looks
) -> None:
    teach(project)
    async with running(memory_to_begin(project)) as pilot:
        line = pilot.app.screen.query_one("#notice", StatusLine)
        shown = [line.display]
        await press(pilot, "enter", "j", "enter", "j", "enter")
        assert await looks(pilot, "captured_from_all_sessions", SIZES)
        await press(pilot, "enter")
        assert states(pilot)["memories"] == "3 sessions captured"
        shown.append(line.display)
        assert shown == [True, False], "there are no memories yet, then there are"
        assert states(pilot)["sessions"] == "3 indexed"
        assert "from 3 sessions" in toasts(pilot)[-1]
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CaptureScreen)
        assert pilot.app.screen.sentence[0] == "Nothing to capture in these sessions."
        await press(pilot, "escape", "u")
        assert states(pilot)["memories"] == "from these sessions"


async def test_the_merge_driver_goes_in_and_out_by_a_key_from_the_doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    git = repository(tmp_path / "heron")
    folder = fill(git.root / ".agentx" / "memory", observations())
    git.commit("memory")
    before = git("config", "--local", "--list").said
    async with running(folder) as pilot:
        await press(pilot, "exclamation_mark", "W")
        assert under_cursor(offers(pilot)).name == "git"
        assert "merge-file %O %A %B %P" in details(pilot)
        assert git("config", "--local", "--list").said == before
        await press(pilot, "enter")
        assert states(pilot)["git"] == "installed"
        assert "merge=memtui" in (folder / ".gitattributes").read_text()
        await press(pilot, "d")
        assert states(pilot)["git"] == "not installed"
        assert git("config", "--local", "--list").said == before


CLAUDE = "claude -p --tools '' --strict-mcp-config --no-session-persistence"


@pytest.fixture
def agents_at_hand(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The programs of two agents are on the path; the user's settings file."""
    paths = {"claude": "/usr/bin/claude", "pi": "/usr/bin/pi"}
    monkeypatch.setattr(programs, "which", paths.get)
    monkeypatch.delenv("MEMTUI_CAPTURE_PROGRAM", raising=False)
    return user_file()


async def test_an_agent_is_asked_from_then_on_and_no_more(
    project: Path, agents_at_hand: Path, looks: Looks
) -> None:
    async with running(memory_to_begin(project)) as pilot:
        await press(pilot, "j", "j", "j", "j")
        assert await looks(pilot, "an_agent_that_could_be_asked", SIZES)
        assert not agents_at_hand.exists(), "nothing is set unasked"
        assert states(pilot)["capture-claude-code"] == "not used"
        assert "remove" not in [key[2] for key in pilot.app.screen.query_one(KeyBar).keys]
        await press(pilot, "enter")
        assert tomllib.loads(agents_at_hand.read_text()) == {"capture_program": CLAUDE}
        assert toasts(pilot)[-1] == "Capture with Claude Code from now on."
        assert states(pilot)["capture-claude-code"] == "used"
        await press(pilot, "j", "enter")
        assert states(pilot)["capture-claude-code"] == "not used"
        assert states(pilot)["capture-pi"] == "used"
        await press(pilot, "k", "k", "k", "k")
        asks = "Rules pick first; then pi -p --no-tools --no-session can be asked, once you saw"
        assert asks in details(pilot)
        await press(pilot, "j", "j", "j", "j", "d")
        assert toasts(pilot)[-1] == "Rules pick the memories again."
        assert states(pilot)["capture-pi"] == "not used"
        assert "capture_program" not in agents_at_hand.read_text()


async def test_all_sessions_are_sent_only_once_the_amount_was_shown(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picked = {"category": "decision", "text": "Never retry a login: the gateway locks the account."}
    teach(project)
    monkeypatch.setenv("MEMTUI_CAPTURE_PROGRAM", answering(picked))
    async with running(memory_to_begin(project)) as pilot:
        await press(pilot, "j", "enter")
        line = pilot.app.screen.query_one("#notice", StatusLine)
        assert "Picked by" not in str(line.render()), "rules, on this machine"
        await press(pilot, "L", "k")
        about = str(pilot.app.screen.query_one("#picker-about Static", Static).render())
        assert "3 sessions to read: 3 prompts, about 1,700 tokens." in about
        await press(pilot, "enter")
        assert "Picked by " in str(line.render())
