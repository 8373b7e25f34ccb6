"""Hooks from the agent's input to what they print, on a real memory in a real repository."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random

import pytest

from memtui.hooks import run as running
from memtui.hooks.call import DUTIES, HOOKS, HookInput, memory_of, parse_input
from memtui.hooks.run import _seconds, run_hook
from memtui.hooks.surroundings import Surroundings, surroundings_of
from store import open_memory
from store.agents.hooks import Answer
from store.agents.registry import HOOKED, client_named
from store.backends.location import FOLDER
from store.backends.user_data import kept_project
from store.model import Observation
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import logged, observation
from tests.store.repositories import repository

LOCK = "Chose a kernel lock with a timeout of five seconds for the store's issue files."
COLOUR = "The palette of the dashboard follows the colours of the terminal theme."
FORM = "Invoices are rendered by the billing form with a total in two currencies."

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def note(content: str, number: int, **fields: object) -> Observation:
    given: dict[str, object] = {
        "agent": "claude-code",
        "issue_number": 29,
        "category": "decision",
        "content": content,
        "id": f"obs-claudecode-0-1767000000000-note{number:02}",
    }
    return Observation(**{**given, **fields})  # type: ignore[arg-type]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository on branch feature/29-locks whose memory holds three notes."""
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/feature/29-locks\n")
    with open_memory(root / FOLDER) as memory:
        memory.store([note(LOCK, 1), note(COLOUR, 2), note(FORM, 3)])
    return root


def run(name: str, shop: Path, channel: str = "claude-code", **fields: object) -> str:
    """What a hook puts in front of session `s`."""
    given: dict[str, object] = {"session_id": "s", "folder": str(shop), **fields}
    home = shop.parent / "home"
    printed = run_hook(name, HookInput(**given), channel, {}, home)  # type: ignore[arg-type]
    if not printed or channel != "codex":
        return printed
    event = {"session-start": "SessionStart", "user-prompt": "UserPromptSubmit"}[name]
    (said,) = json.loads(printed).values()
    assert list(said) == ["hookEventName", "additionalContext"]
    assert said["hookEventName"] == event
    text = said["additionalContext"]
    assert isinstance(text, str)
    return text


def activity(shop: Path, kind: str) -> list[dict[str, object]]:
    return [each for each in logged(shop / FOLDER) if each["type"] == kind]


@pytest.mark.parametrize("name", HOOKED)
def test_every_client_is_answered_in_its_own_form(shop: Path, name: str) -> None:
    client = client_named(name)
    assert client.hooks is not None
    hook = "user-prompt" if client.hooks.starts_with_prompt else "session-start"
    given = HookInput(session_id="s", folder=str(shop), event="AnEvent", prompt="Hello there")
    text = run_hook(hook, given, name, {}, shop.parent / "home")
    key = {
        Answer.TEXT: "",
        Answer.ADDITIONAL_CONTEXT: "additional_context",
        Answer.CONTEXT_FIELD: "additionalContext",
        Answer.HOOK_OUTPUT: "hookSpecificOutput",
        Answer.STEPS: "injectSteps",
    }[client.hooks.answer]
    if key:
        ((found, value),) = json.loads(text).items()
        assert found == key
        value = value[0]["ephemeralMessage"] if isinstance(value, list) else value
        text = value if isinstance(value, str) else value["additionalContext"]
        assert isinstance(value, str) or value["hookEventName"] == "AnEvent"
    assert text.startswith("## Memory Recall\n")


def test_antigravity_is_told_once_before_the_first_call_of_its_model(shop: Path) -> None:
    """It hands over no prompt, and runs the hook before each call."""

    def told(number: int) -> str:
        fields = {"conversationId": "c", "workspacePaths": [str(shop)], "invocationNum": number}
        given = parse_input(json.dumps(fields))
        assert given is not None
        return run_hook("user-prompt", given, "antigravity", {}, shop.parent / "home")

    assert told(1) == ""
    assert "## Memory Recall" in told(0)
    assert told(0) == ""


def test_what_memory_told_in_a_prompt_is_no_prompt(shop: Path) -> None:
    told = run("session-start", shop, "gemini-cli")
    prompt = f"<hook_context>{told}</hook_context>\n\nHello there"
    assert run("user-prompt", shop, "gemini-cli", prompt=prompt) == ""


@pytest.mark.parametrize("name", HOOKED)
def test_a_hook_ends_before_its_client_ends_it(name: str) -> None:
    client = client_named(name)
    assert client.hooks is not None
    for hook in client.hooks.events:
        assert _seconds(hook.name, client) < hook.seconds
    assert _seconds("session-end", client_named("codex")) == 2.5


def test_a_session_starts_with_what_memory_holds(shop: Path) -> None:
    text = run("session-start", shop, source="startup")
    assert all(content in text for content in (LOCK, COLOUR, FORM))
    (line,) = activity(shop, "recalled")
    assert (line["sessionId"], line["afresh"], line["issueNumber"]) == ("s", True, 29)


def test_a_resumed_session_is_told_only_what_is_new(shop: Path) -> None:
    run("session-start", shop, source="startup")
    assert run("session-start", shop, source="resume") == ""
    with open_memory(shop / FOLDER) as memory:
        memory.store([note("The lock's timeout is read from the settings.", 4)])
    text = run("session-start", shop, source="resume")
    assert "settings" in text
    assert LOCK not in text


def test_a_copy_is_not_told_again_what_its_origin_was(shop: Path) -> None:
    run("session-start", shop, source="startup")
    path = shop.parent / "s-2.jsonl"
    origin = ClaudeCode(session="s").user("Mend the lock")
    path.write_text("\n".join(ClaudeCode(session="s-2", lines=origin.lines).user("Go on").lines))
    for source in ("resume", "fork"):
        given = {"session_id": f"s-{source}", "transcript_path": str(path), "source": source}
        assert run("session-start", shop, **given) == ""


def test_a_prompt_recalls_what_it_is_about_and_nothing_else(shop: Path) -> None:
    text = run("user-prompt", shop, prompt="Why does the kernel lock have a timeout?")
    assert LOCK in text
    assert COLOUR not in text
    assert FORM not in text
    assert run("user-prompt", shop, prompt="And the timeout of the kernel lock, how long?") == ""


def test_there_is_quiet_when_there_is_nothing_to_say(shop: Path) -> None:
    for prompt in ("", "yes", "go on please", "What is the weather in Lisbon?"):
        assert run("user-prompt", shop, prompt=prompt) == ""
    assert activity(shop, "recalled") == []


@pytest.mark.parametrize("channel", ["claude-code", "codex"])
def test_channels_keep_to_their_limits(shop: Path, channel: str) -> None:
    heads, tails = ("ba", "co", "di", "fu", "ge", "ko", "lu", "ma"), ("la", "no", "ru", "sta", "ve")
    words = [a + b + c for a in heads for b in tails for c in tails]
    with open_memory(shop / FOLDER) as memory:
        memory.store(
            [note(" ".join(Random(n).sample(words, 28)), n, pinned=True) for n in range(10, 99)]
        )
    more = "client_tokens = { claude-code = 20000, codex = 20000 }\n"
    (shop / ".agentx" / "memtui.toml").write_text(more)
    text = run("session-start", shop, channel)
    if channel == "codex":
        assert 7_500 < len(text.encode()) <= 10_000
    else:
        assert 7_500 < len(text) <= 10_000


def test_switched_off_means_off(shop: Path) -> None:
    (shop / ".agentx" / "memtui.toml").write_text("enabled = false\n")
    transcript = shop.parent / "s.jsonl"
    transcript.write_text("\n".join(ClaudeCode(cwd=str(shop)).edit("a.py").lines))
    before = sorted(path.name for path in (shop / FOLDER).iterdir())
    prompt = "Why does the kernel lock have a timeout?"
    for name in HOOKS:
        assert run(name, shop, prompt=prompt, transcript_path=str(transcript)) == "", name
    assert sorted(path.name for path in (shop / FOLDER).iterdir()) == before
    assert activity(shop, "recalled") == activity(shop, "captured") == []


@pytest.mark.parametrize("name", ["session-start", "user-prompt"])
def test_a_recall_starts_no_memory(tmp_path: Path, name: str) -> None:
    (tmp_path / "new" / ".git").mkdir(parents=True)
    assert run(name, tmp_path / "new", prompt="Why does the lock have a timeout?") == ""
    assert [path.name for path in (tmp_path / "new").iterdir()] == [".git"]


def test_a_capture_starts_one_in_the_repository(tmp_path: Path) -> None:
    root = tmp_path / "new"
    (root / ".git").mkdir(parents=True)
    (root / "src").mkdir()
    transcript = tmp_path / "s.jsonl"
    made = ClaudeCode(cwd=str(root)).user("Mend the till of the shop").edit("a.py")
    transcript.write_text("\n".join(made.lines))
    assert run("session-end", root / "src", transcript_path=str(transcript)) == ""
    assert not (root / ".agentx").exists()
    memory = memory_of(root, {})
    assert isinstance(memory, Path) and (memory / "issue-29.json").is_file()


@pytest.mark.parametrize("client", ["claude-code", "codex", "qwen-code"])
def test_a_session_that_goes_into_another_project_stays_its_own(
    tmp_path: Path, client: str
) -> None:
    for name in ("shop", "shop/vendored", "till"):
        (tmp_path / name / ".git").mkdir(parents=True)
    shop, till = tmp_path / "shop", tmp_path / "till"
    lines = ClaudeCode(cwd=str(shop)).user("Mend the till of the shop").edit("a.py").lines
    if client == "codex":
        told = {"cwd": str(shop), "id": "s-1", "timestamp": "2026-02-27T10:00:00Z"}
        said = {"type": "user_message", "message": "Never log the card number."}
        records = [
            {"type": "session_meta", "payload": told},
            {"type": "event_msg", "payload": said},
        ]
        lines = [json.dumps({"timestamp": "2026-02-27T10:00:00Z", **it}) for it in records]
    transcript = tmp_path / "s.jsonl"
    transcript.write_text("\n".join(lines))
    for folder in (till, shop / "vendored"):
        assert run("stop", folder, client, transcript_path=str(transcript)) == ""
        assert kept_project(folder) is None
    assert kept_project(shop) is not None


def test_what_went_wrong_is_recorded_and_stops_nobody(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("session-end", shop, transcript_path="/gone.jsonl") == ""

    def broken(*arguments: object) -> str:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr("memtui.hooks.recall.recall_at_start", broken)
    assert run("session-start", shop) == ""
    first, second = activity(shop, "failed")
    assert (first["kind"], first["sessionId"]) == ("hook session-end", "s")
    assert "/gone.jsonl" in str(first["message"])
    assert second["message"] == "RuntimeError: a mistake of ours"


def test_a_hook_that_takes_too_long_is_stopped(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forever(*arguments: object) -> str:
        while True:
            pass

    monkeypatch.setattr("memtui.hooks.recall.recall_at_start", forever)
    quick = DUTIES["session-start"]._replace(seconds=0.05)
    monkeypatch.setattr(running, "DUTIES", {"session-start": quick})
    assert run("session-start", shop) == ""
    (failed,) = activity(shop, "failed")
    assert "0.035 seconds" in str(failed["message"])


def test_where_nothing_can_be_recorded_the_session_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("session-end", tmp_path / "nowhere", transcript_path="/gone.jsonl") == ""
    assert not (tmp_path / "nowhere").exists()

    def broken(*arguments: object, **named: object) -> object:
        raise RuntimeError

    (tmp_path / "held" / FOLDER).mkdir(parents=True)
    monkeypatch.setattr("store.open_memory", broken)
    assert run("session-end", tmp_path / "held") == ""


@needs_git
def test_a_session_is_about_its_branch_changes_and_commits(tmp_path: Path) -> None:
    git = repository(tmp_path)
    (tmp_path / "größe file.py").write_text("a")
    git.commit("Shorten the lock's timeout")
    assert surroundings_of(tmp_path, "main") == Surroundings("main")
    git("checkout", "-qb", "feature/29-lock_wait")
    (tmp_path / "wait.py").write_text("a")
    git.commit("Wait for the lock")
    (tmp_path / "größe file.py").write_text("b")
    assert surroundings_of(tmp_path, "feature/29-lock_wait") == Surroundings(
        "feature/29-lock_wait",
        ("feature", "29", "lock", "wait"),
        ("größe file.py", "wait.py"),
        ("Wait for the lock",),
    )


def test_a_git_that_hangs_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "git"
    slow.write_text("#!/bin/sh\nexec sleep 20\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr("memtui.hooks.surroundings._PATIENCE", 0.05)
    assert surroundings_of(tmp_path, "fix/lock") == Surroundings("fix/lock", ("fix", "lock"))


def test_variables_that_may_be_stale_give_way_to_the_folder(shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / FOLDER
    other.mkdir(parents=True)
    stale = {"MEMTUI_DIR": str(other)}
    input = HookInput(session_id="s", folder=str(shop))
    assert run_hook("session-start", input, "codex", stale, tmp_path / "home")
    assert run_hook("session-start", input, "claude-code", stale, tmp_path / "home") == ""


def test_what_a_variable_names_wrongly_is_recorded_in_the_project(
    shop: Path, tmp_path: Path
) -> None:
    gone = {"MEMTUI_DIR": str(tmp_path / "gone")}
    input = HookInput(session_id="s", folder=str(shop))
    assert run_hook("session-start", input, "claude-code", gone, tmp_path / "home") == ""
    with open_memory(shop) as memory:
        (failed,) = [entry for entry in memory.activity().entries if entry.kind == "failed"]
    assert failed.problem == "hook session-start"
    assert str(tmp_path / "gone") in failed.message


def test_of_a_prompts_words_no_secret_is_recorded(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    with open_memory(root / FOLDER) as memory:
        memory.store([observation("The registry of the shop is reached with PLACE at deploy.")])
    secret = "ghp_" + "aB3dE5gH7j" * 4
    file = next((root / FOLDER).glob("issue-*.json"))
    file.write_text(file.read_text().replace("PLACE", secret))
    asked = {"session_id": "s", "cwd": str(root), "prompt": f"Deploy to the registry with {secret}"}
    parsed = parse_input(json.dumps(asked))
    assert parsed is not None
    said = run_hook("user-prompt", parsed, "claude-code", {}, tmp_path)
    assert "The registry of the shop" in said and secret not in said
    assert secret not in json.dumps(logged(root / FOLDER))
