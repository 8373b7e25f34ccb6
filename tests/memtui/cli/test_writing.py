"""`add`, `demo`, the app, completion and help."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.cli.commands import ALIASES, COMMANDS, GROUPS
from memtui.cli.main import run
from memtui.tui.app import MemtuiApp
from store import open_memory
from tests.memtui.cli.conftest import Run


def standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


def test_add_prints_the_id_and_search_finds_it(memtui: Run, project: Path) -> None:
    done = memtui("add", "Retries need one key", "--category", "lesson", "--issue", "3",
                  "--tag", "api", "--tag", "retry", "--pinned", "--agent", "tester")  # fmt: skip
    identifier = done.out.strip()
    with open_memory(project) as memory:
        kept = memory.get(identifier)
    assert (kept.agent, kept.issue_number, kept.category) == ("tester", 3, "lesson")
    assert (kept.tags, kept.pinned) == (("api", "retry"), True)
    assert identifier[-6:] in memtui("search", "retries").out
    manifest = json.loads((project / ".agentx/memory/manifest.json").read_bytes())
    assert identifier in {entry["id"] for entry in manifest["entries"]}


@pytest.mark.usefixtures("project")
def test_add_reads_standard_input(memtui: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTUI_AGENT", "hook")
    standard_input(monkeypatch, b"caf\xe9 from a pipe\n")
    identifier = memtui("add", "-").out.strip()
    shown = json.loads(memtui("show", identifier, "--json").out)
    assert (shown["content"], shown["agent"]) == ("caf\ufffd from a pipe", "hook")
    again = memtui("add", shown["content"])
    assert again.out.strip() == identifier and "already stored" in again.err


def test_the_first_add_starts_a_memory(memtui: Run, tmp_path: Path) -> None:
    done = memtui("add", "The first thing")
    assert done.code == 0
    assert "No memory yet; created in .agentx/memory." in done.err
    assert memtui("stats").out.startswith("1 memory")
    named = memtui("add", "Elsewhere", "--dir", str(tmp_path / "elsewhere"))
    assert named.code == 0
    assert (tmp_path / "elsewhere" / "issue-0.json").is_file()


@pytest.mark.usefixtures("project")
def test_a_batch_of_json_lines(memtui: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        {"agent": "a", "issueNumber": 1, "category": "error", "content": "one", "ours": [1]},
        {"agent": "b", "issueNumber": 2, "category": "task", "content": "two", "tags": ["done"],
         "timestamp": "2026-01-02T03:04:05+01:00", "id": "keep-1"},
    ]  # fmt: skip
    standard_input(monkeypatch, "\n\n".join(json.dumps(line) for line in lines).encode())
    ids = json.loads(memtui("add", "--batch", "-", "--json").out)
    assert ids[1] == "keep-1"
    first, second = (json.loads(memtui("show", each, "--json").out) for each in ids)
    assert first["ours"] == [1]
    assert (second["tags"], second["timestamp"]) == (["done"], "2026-01-02T02:04:05.000Z")


def test_a_bad_line_stores_nothing(memtui: Run, tmp_path: Path) -> None:
    batch = tmp_path / "batch.jsonl"
    good: dict[str, object] = {"agent": "a", "issueNumber": 1, "category": "error", "content": "x"}
    wrong = {"timestamp": "soon", "tags": "auth", "issueNumber": "1", "agent": 1, "content": 7}
    said = {"timestamp": "'soon'", "issueNumber": "issue"}
    rows = [(json.dumps({**good, key: wrong[key]}), said.get(key, key)) for key in wrong]
    bad = (
        ("{", "not valid JSON"),
        ("[1]", "not a JSON object"),
        ('{"agent": "a"}', "`issueNumber`"),
    )
    for line, named in (*bad, *rows):
        batch.write_text(f"{json.dumps(good)}\n{line}\n")
        done = memtui("add", "--batch", str(batch))
        assert (done.code, named in done.err) == (2, True), line
        assert not (tmp_path / ".agentx").exists() or memtui("stats").out.startswith("0")


def test_memtui_alone_opens_the_app(
    memtui: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[Path, str]] = []
    monkeypatch.setenv("TEXTUAL_DRIVER", "one that needs no terminal")

    def run(app: MemtuiApp) -> str:
        opened.append((Path(app.path), app.context.place))
        return ""

    monkeypatch.setattr("memtui.tui.app.run", run)
    monkeypatch.chdir(project)
    assert memtui().code == 0
    monkeypatch.chdir("/")
    assert memtui("--dir", str(project)).code == 0
    memory = project / ".agentx" / "memory"
    assert opened == [(memory, "project")] * 2


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("arguments", [(), ("demo",)])
def test_without_a_terminal_the_app_says_so(
    memtui: Run, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEXTUAL_DRIVER", raising=False)
    monkeypatch.setattr("sys.__stdin__", io.StringIO())
    done = memtui(*arguments)
    assert done.code == 1
    assert "No terminal to read keys from" in done.err
    assert "memtui --help" in done.err


def test_a_project_s_own_files_are_not_written_over(memtui: Run, tmp_path: Path) -> None:
    project = tmp_path / "extension"
    project.mkdir()
    (project / "manifest.json").write_text('{"name": "an extension"}')
    done = memtui("add", "The first thing", "--dir", str(project))
    assert done.code == 0
    assert "created in extension/.agentx/memory" in done.err
    assert (project / "manifest.json").read_text() == '{"name": "an extension"}'
    assert sorted(each.name for each in project.iterdir()) == [".agentx", "manifest.json"]
    assert "The first thing" in memtui("list", "--dir", str(project)).out


def test_the_home_of_the_demo_is_its_own(
    memtui: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from store.agents.client import Home
    from store.agents.registry import HOOKED, client_named
    from store.platform.home import user_folder
    from store.settings.edit import keep_setting
    from store.settings.files import user_file

    seen: list[Path] = []
    variables = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "QWEN_HOME", "PI_CODING_AGENT_DIR")
    for name in (*variables, "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "MEMTUI_THEME"):
        monkeypatch.setenv(name, str(tmp_path / "real"))
    monkeypatch.setenv("TEXTUAL_DRIVER", "one that needs no terminal")

    def change(_: MemtuiApp, **_options: object) -> None:
        keep_setting(user_file(), "theme", "nord")
        home = Home.of_user()
        for name in HOOKED:
            hooks = client_named(name).hooks
            assert hooks is not None
            seen.extend([hooks.file(home, None), user_folder("data"), user_folder("cache")])
        seen.append(user_file())

    monkeypatch.setattr(MemtuiApp, "run", change)
    assert memtui("demo").code == 0
    assert {it.parts[:3] for it in seen} == {seen[0].parts[:3]}
    assert all("memtui-demo-" in str(it) and not it.exists() for it in seen)
    assert user_file().is_relative_to(tmp_path) and not user_file().exists()


@pytest.fixture
def complete(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., str]:
    """What a shell is offered for the last of some words."""

    def completed(words: str, shell: str = "bash") -> str:
        monkeypatch.setenv("_MEMTUI_COMPLETE", f"{shell}_complete")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
        with pytest.raises(SystemExit):
            run([])
        offered = capsys.readouterr()
        assert offered.err == ""
        return offered.out

    return completed


def test_completion_offers_what_fits(complete: Callable[..., str]) -> None:
    ids = {f"aaaa0{number}" for number in range(1, 7)}
    whole = "obs-engineer-29-1709035200000-aaaa06"
    for words, offered in (
        ("memtui s", {"search", "show", "stats", "status", "sessions", "serve", "sync"}),
        ("memtui list --category dec", {"decision"}),
        ("memtui list --agent u", {"ux-designer"}),
        ("memtui list --agent u --dir /nowhere --agent u", set()),
        ("memtui show aaaa", ids),
        (f"memtui edit {whole}", {whole}),
        ("memtui tag aaaa01 aaaa01", set()),
        ("memtui restore aaaa", set()),
    ):
        assert {line.partition(",")[2] for line in complete(words).split()} == offered, words


def test_completion_shows_what_an_id_is_of(complete: Callable[..., str], memtui: Run) -> None:
    assert memtui("archive", "aaaa01", "--yes").code == 0
    for words, summary in (
        ("memtui restore aaaa", "Chose option 1 for the lock."),
        ("memtui history undo ''", "Archive 1 memory"),
    ):
        kind, name, shown = complete(words, "zsh").splitlines()[:3]
        assert (kind, shown) == ("plain", summary)
        assert len(name) in (4, 6)


def test_completion_offers_no_name_that_a_shell_would_run(
    complete: Callable[..., str], project: Path
) -> None:
    hostile = ("$(touch x)", "`touch x`", ";touch x", "\x1b[31m", "'", " f")
    path = project / ".agentx" / "memory" / "issue-29.json"
    value = json.loads(path.read_text())
    for record, name in zip(value["observations"], hostile, strict=False):
        record["agent"] = f"engineer{name}"
    value["observations"].append({**value["observations"][0], "id": "safe", "agent": "e.v_1-x"})
    path.write_text(json.dumps(value))
    offered = complete("memtui list --agent e").split()
    assert set(offered) <= {"plain,e.v_1-x", "plain,engineer"}


@pytest.mark.parametrize(
    ("earlier", "now", "option"),
    [
        ("pin", "tag", "--off"),
        ("mute", "tag", "--off"),
        ("prune", "compact", "--capacity LAYER=N"),
        ("redo", "history redo", "--dry-run"),
        ("recover", "sessions last", "--json"),
        ("budget", "stats", "--channel TEXT"),
        ("layout", "migrate", "--one-file-per-issue"),
        ("diff", "git diff", "--markdown"),
        ("resolve", "git resolve", "--take NUMBER"),
        ("merge-file", "git merge-file", "--stdout"),
        ("hook", "hooks run", "--channel TEXT"),
    ],
)
def test_an_earlier_name_still_works(memtui: Run, earlier: str, now: str, option: str) -> None:
    done = memtui(earlier, "--help")
    assert done.code == 0
    assert f"Usage: memtui {now} [OPTIONS]" in done.out
    assert f"  {option} " in done.out


def test_the_help_names_every_command(memtui: Run) -> None:
    out = memtui("--help").out
    assert all(f"\n  {name} " in out for name in COMMANDS)
    assert all(f"\n{title}:\n" in out for title in GROUPS)
    assert not any(f"\n  {name} " in out for name in ALIASES)
    assert "Examples:" in out
    assert memtui("--version").out.startswith("memtui ")
