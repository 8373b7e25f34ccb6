"""The real clients, run with our hooks against a model server on this machine.

`python -m tests.clients.programs DIR` installs them; then `MEMTUI_CLIENTS=DIR pytest -m clients`.
A row of measurements for `docs/hooks.md` is printed by each test (`-s` shows it).
"""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from time import perf_counter

import pytest

from memtui.client_file import backup_of
from memtui.hooks.status import settings_path
from store import open_memory
from store.agents.client import Home
from store.agents.codex_trust import trust_hash, trust_key
from store.agents.discovery import open_session, session_files
from store.agents.hook_files import hook_file
from store.agents.reading import read_session
from store.agents.registry import client_named
from store.agents.tools import edits_of
from store.backends.location import FOLDER
from tests.clients.model_server import Model, model_server
from tests.clients.programs import PROGRAMS, PROMPT, Program, command, version
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import observation

pytestmark = pytest.mark.clients
ROOT = Path(__file__).parents[2]
MARK = "calc.py is vendored into the firmware image, so it must not import anything"
_SECONDS = 300
"""OpenCode took 222 to answer a long prompt on a busy machine."""
_MEMORIES = 400
"""Pinned ones: more than a session starts with."""
_RECORDER = """#!/bin/sh
[ "$4" = hook ] || exec "{python}" "$@"
id=$(date +%s%N)
cat > "{records}/$id.in"
"{python}" "$@" < "{records}/$id.in" > "{records}/$id.out" 2> "{records}/$id.err"
code=$?
echo "$5 $(( ($(date +%s%N) - id) / 1000000 )) $code" > "{records}/$id.ran"
cat "{records}/$id.out"
exit $code
"""
"""The Python that hooks start, as `python -I -m memtui hook NAME`: it writes down how they ran."""
_MEMTUI = """#!/bin/sh
exec "{python}" -c '
import sys
sys.executable = "{recorder}"
from memtui.cli.main import main
main()' "$@"
"""


@dataclass(frozen=True, slots=True)
class Ran:
    """A hook that a client ran: its name, how long it took in ms, its exit code and its answer."""

    name: str
    milliseconds: int
    code: int
    answer: str


@dataclass(frozen=True, slots=True)
class Desk:
    """A home with a client set up in it, and a project with a failing test and a memory."""

    program: Program
    start: list[str]
    home: Path
    project: Path
    records: Path
    environ: Mapping[str, str]
    model: Model

    def memtui(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run memtui as the user would."""
        return self._run(["memtui", *arguments])

    def client(self) -> subprocess.CompletedProcess[str]:
        """Have the client do its work."""
        words = [PROMPT if word == "{prompt}" else word for word in self.program.start]
        return self._run([*self.start, *words])

    def _run(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=self.project,
            env=dict(self.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )

    @property
    def ran(self) -> list[Ran]:
        """The hooks that ran, in their order."""
        found = []
        for path in sorted(self.records.glob("*.ran")):
            name, milliseconds, code = path.read_text().split()
            answer = path.with_suffix(".out").read_text(encoding="utf-8")
            found.append(Ran(name, int(milliseconds), int(code), answer))
        return found


@pytest.fixture(params=PROGRAMS, ids=lambda program: program.name)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    program: Program = request.param
    start = command(program)
    if isinstance(start, str):
        pytest.skip(start)
    home, project, records = tmp_path / "home", tmp_path / "shop", tmp_path / "records"
    for folder in (home, project, records, tmp_path / "bin"):
        folder.mkdir()
    recorder, memtui = tmp_path / "bin" / "python", tmp_path / "bin" / "memtui"
    recorder.write_text(_RECORDER.format(python=sys.executable, records=records))
    memtui.write_text(_MEMTUI.format(python=sys.executable, recorder=recorder))
    for program_file in (recorder, memtui):
        program_file.chmod(0o755)
    make_project(project)
    with model_server(project) as (model, port):
        program.setup(home, project, port)
        environ = {
            "HOME": str(home),
            "PATH": os.pathsep.join(
                [str(recorder.parent), *map(str, {Path(start[0]).parent}), os.environ["PATH"]]
            ),
            "PYTHONPATH": str(ROOT),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "FAKE_KEY": "none",
            **{key: value.replace("{port}", str(port)) for key, value in program.environ.items()},
        }
        yield Desk(program, start, home, project, records, environ, model)


def make_project(project: Path) -> None:
    """A repository with a failing test, and more memories than a session starts with."""
    (project / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    (project / "test_calc.py").write_text(
        "import unittest\n\nimport calc\n\n\nclass Add(unittest.TestCase):\n"
        "    def test_add(self):\n        self.assertEqual(calc.add(2, 3), 5)\n"
    )
    (project / ".gitignore").write_text(".agentx/\n__pycache__/\n")
    git = ["git", "-C", str(project), "-c", "user.name=T", "-c", "user.email=t@example.org"]
    for words in (["init", "-qb", "main"], ["add", "-A"], ["commit", "-qm", "Add calc"]):
        subprocess.run([*git, *words], check=True)
    starts, ends = ("ba", "co", "di", "fu", "ge", "ko", "lu", "ma"), ("la", "no", "ru", "sta", "ve")
    words = [a + b + c for a in starts for b in ends for c in ends]
    chosen = random.Random(7)
    notes = [" ".join(chosen.sample(words, 28)) for _ in range(_MEMORIES)]
    with open_memory(project / FOLDER, cache=project.parent / "cache") as memory:
        memory.store(
            [
                *(
                    observation(note, issue_number=0, category="lesson", pinned=True)
                    for note in notes
                ),
                observation(MARK, issue_number=0, agent="architect", pinned=True),
            ]
        )


def trust(desk: Desk, path: Path) -> None:
    """Trust Codex's hooks, as its user does on a screen."""
    config = desk.home / ".codex" / "config.toml"
    lines = [config.read_text()]
    for entry in hook_file(client_named("codex")).entries(path.read_text(), path):
        lines.append(f'[hooks.state."{trust_key(path, entry)}"]')
        lines.append(f'trusted_hash = "{trust_hash(entry)}"')
    config.write_text("\n".join(lines) + "\n")


def files_of(home: Path) -> dict[str, bytes]:
    return {str(it.relative_to(home)): it.read_bytes() for it in home.rglob("*") if it.is_file()}


def text_of(answer: str) -> str:
    """What a hook told, out of the form that its client takes it in."""
    if not answer.startswith("{"):
        return answer.strip()
    (said,) = json.loads(answer).values()
    return str(said if isinstance(said, str) else said["additionalContext"]).strip()


def bare_python() -> int:
    """What a start of Python with our two largest libraries takes now, in ms."""
    started = perf_counter()
    subprocess.run([sys.executable, "-c", "import tantivy, pydantic"], check=True)
    return round((perf_counter() - started) * 1_000)


def print_row(desk: Desk, done: subprocess.CompletedProcess[str], ran: list[Ran]) -> None:
    """Print what was measured: version, hooks with their times, how much arrived."""
    told = next((text_of(it.answer) for it in ran if it.answer), "")
    hooks = ", ".join(f"{it.name} {it.milliseconds}" for it in ran)
    arrived = "whole" if told and told in desk.model.texts else "cut"
    size = f"{len(told):,} characters, {len(told.encode()):,} bytes"
    print(f"\n{desk.program.name} {version(desk.program)} | exit {done.returncode} | {hooks} ms")
    print(f"  beside it, python -c 'import tantivy, pydantic' took {bare_python()} ms")
    print(f"  told {size}: {arrived}; {len(desk.model.requests)} requests")
    if done.returncode:
        print(done.stdout[-1500:], done.stderr[-1500:])


def test_a_real_client(desk: Desk) -> None:
    client, home = client_named(desk.program.client), Home(desk.home, {})
    path = settings_path(client, home)
    before = files_of(desk.home)
    installed = desk.memtui("hooks", "install", client.name, "--yes")
    assert installed.returncode == 0, installed.stderr
    if client.name == "codex":
        trust(desk, path)
    status = desk.memtui("hooks", "status", client.name)
    assert status.returncode == 0, status.stdout
    assert client.hooks is not None
    assert status.stdout.count("✓") == len(client.hooks.events)
    done = desk.client()
    ran = desk.ran
    print_row(desk, done, ran)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "return a + b" in (desk.project / "calc.py").read_text()
    assert {it.code for it in ran} == {0}
    first = next(it for it in ran if it.answer)
    assert first.name == ("user-prompt" if client.hooks.starts_with_prompt else "session-start")
    assert MARK in desk.model.texts
    assert text_of(first.answer) in desk.model.texts
    with open_memory(desk.project / FOLDER, cache=desk.project.parent / "cache") as memory:
        kept = [it for it in memory.by_issue(0) if it.agent == client.name]
        if desk.program.variant == "ephemeral":
            assert not kept  # its last message alone, with neither request nor deeds
        else:
            assert any("calc.py" in it.content for it in kept)
    with_hooks = files_of(desk.home)
    uninstalled = desk.memtui("hooks", "uninstall", client.name, "--yes")
    assert uninstalled.returncode == 0, uninstalled.stderr
    after = files_of(desk.home)
    name = str(path.relative_to(desk.home))
    assert after.get(name) == before.get(name)
    touched = {it for it in {*with_hooks, *after} if with_hooks.get(it) != after.get(it)}
    touched -= {it for it in touched if it.startswith(".cache/memtui/")}  # work in the background
    assert touched <= {name, str(backup_of(path).relative_to(desk.home))}
    assert not backup_of(path).exists()


def test_a_real_clients_sub_agent_is_read(desk: Desk) -> None:
    if desk.program.client not in {"gemini-cli", "qwen-code", "opencode", "kimi"}:
        pytest.skip("this client starts none by a tool that the model is offered at first")
    desk.model.delegates = True
    done = desk.client()
    assert done.returncode == 0, done.stderr[-2000:]
    assert "return a + b" in (desk.project / "calc.py").read_text()
    (file, *others) = session_files(Home(desk.home, {}), (desk.project,))
    assert not others
    with open_session(file.path) as lines:
        session = read_session(lines)
    edits = [(edit.path, step.call.aside) for step in session.steps for edit in edits_of(step.call)]
    assert [(Path(path).name, aside) for path, aside in edits] == [("calc.py", True)]
    assert PROMPT in session.messages[0].text


def test_a_real_client_searches_memory(desk: Desk) -> None:
    client, home = client_named(desk.program.client), Home(desk.home, {})
    if client.servers is None:
        pytest.skip("this client starts no servers that we know of")
    desk.model.question = "firmware image"
    before = files_of(desk.home)
    installed = desk.memtui("mcp", "install", "--client", client.name, "--yes")
    assert installed.returncode == 0, installed.stderr
    done = desk.client()
    assert done.returncode == 0, done.stderr[-2000:]
    assert MARK in desk.model.texts, " ".join(sorted({*_tools(desk.model)}))
    uninstalled = desk.memtui("mcp", "uninstall", "--client", client.name, "--yes")
    assert uninstalled.returncode == 0, uninstalled.stderr
    name = str(client.servers.file(home, None).relative_to(desk.home))
    after = files_of(desk.home).get(name, b"")
    # OpenCode adds a schema to its file: that stays, ours is gone.
    assert after == before.get(name) or b"memtui" not in after


def test_a_real_client_is_asked_for_memories(desk: Desk) -> None:
    client, home = client_named(desk.program.client), Home(desk.home, {})
    if not client.asked_by:
        pytest.skip("this client takes no prompt on standard input")
    program = desk.records.parent / "bin" / client.program
    program.write_text(f'#!/bin/sh\nexec {shlex.join(desk.start)} "$@"\n')
    program.chmod(0o755)
    assert desk.memtui("hooks", "install", client.name, "--yes").returncode == 0
    if client.name == "codex":
        trust(desk, settings_path(client, home))
    said = "calc.py is vendored into the firmware image, so it has no dependencies."
    desk.model.answer = json.dumps({"memories": [{"category": "decision", "text": said}]})
    before = files_of(desk.project)
    started = perf_counter()
    file = str(long_session(desk.project))
    done = desk.memtui("capture", file, "--with", client.asking, "--dry-run", "--json")
    seconds = perf_counter() - started
    assert done.returncode == 0, done.stderr
    assert [it["content"] for it in json.loads(done.stdout)["kept"]] == [said]
    sent = max(len(json.dumps(request)) for request in desk.model.requests)
    print(f"\n{desk.program.name} {version(desk.program)} | {seconds:.1f} s | {sent:,} characters")
    print(f"  tools: {', '.join(sorted({*_tools(desk.model)}))}")
    assert sent > 70_000
    assert not [it.answer for it in desk.ran if it.answer or it.code]
    assert not list(session_files(home, (desk.project,)))
    changed = {name for name, text in files_of(desk.project).items() if before.get(name) != text}
    assert not {name for name in changed if not name.startswith((".git/", ".agentx/"))}


def test_a_real_client_sends_the_parts_that_told_lists(desk: Desk) -> None:
    client = client_named(desk.program.client)
    write_marked_files(desk)
    assert desk.memtui("hooks", "install", client.name, "--yes").returncode == 0
    if client.name == "codex":
        trust(desk, settings_path(client, Home(desk.home, {})))
    listed = desk.memtui("told", "--client", client.name, "--json")
    assert listed.returncode == 0, listed.stderr
    parts = json.loads(listed.stdout)["parts"]
    done = desk.client()
    assert done.returncode == 0, done.stderr[-2000:]
    sent = set(_LINE.findall(desk.model.texts))
    for part in parts:
        lines, left_out = set(_LINE.findall(part["text"])), set(_LINE.findall(part["rest"]))
        print(f"  {part['source']}: {len(lines)} lines, {len(left_out)} left out")
        assert lines <= sent, (
            part["source"],
            len(lines - sent),
            sorted(lines - sent)[:1],
            sorted(lines - sent)[-1:],
        )
    assert sent == {line for part in parts for line in _LINE.findall(part["text"])}
    described = {mark for part in parts for mark in _DESCRIBED.findall(part["text"])}
    assert described and set(_DESCRIBED.findall(desk.model.texts)) == described
    assert parts[-1]["category"] == "recall"
    assert parts[-1]["text"].strip() in desk.model.texts
    print(f"{desk.program.name} {version(desk.program)}: {len(sent):,} lines in {len(parts)} parts")


_SKILLS = (
    ".claude/skills", ".codex/skills", ".agents/skills", ".gemini/skills", ".qwen/skills",
    ".opencode/skill", ".opencode/skills", ".config/opencode/skill", ".config/opencode/skills",
    ".pi/skills", ".pi/agent/skills", ".kimi-code/skills", ".cursor/skills", ".github/skills",
    ".claude/agents", ".codex/agents", ".agents/agents", ".gemini/agents", ".qwen/agents",
    ".opencode/agent", ".opencode/agents", ".config/opencode/agent", ".config/opencode/agents",
    ".pi/agents", ".kimi-code/agents",
)  # fmt: skip
"""Folders in which some client looks for skills and sub-agents."""
_LINE = re.compile(r"<[\w./~-]+ \d{4}>")
"""A line that says which of which file it is."""
_DESCRIBED = re.compile(r"\bDescribed-[\w./~-]+")
"""The description of a skill or a sub-agent, which names its folder."""


def write_marked_files(desk: Desk) -> None:
    """Write all files that any client loads, larger than some limits, with marked lines."""
    dashed = re.sub(r"[^A-Za-z0-9]", "-", str(desk.project))
    own = [
        ".codex/AGENTS.md", ".codex/memories/memory_summary.md", ".codex/memories/MEMORY.md",
        ".gemini/GEMINI.md", ".gemini/AGENTS.md", ".gemini/tmp/shop/memory/MEMORY.md",
        ".gemini/tmp/shop/memory/topic.md", ".qwen/QWEN.md", ".qwen/AGENTS.md",
        ".qwen/rules/own.md", ".qwen/memories/MEMORY.md", ".config/opencode/AGENTS.md",
        f".qwen/projects/{dashed}/memory/MEMORY.md", f".qwen/projects/{dashed}/memory/topic.md",
        ".claude/CLAUDE.md", ".pi/agent/AGENTS.md", ".kimi-code/AGENTS.md", ".agents/AGENTS.md",
    ]  # fmt: skip
    shared = [
        "AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", "docs/a.md", "docs/b.md", "docs/code.md",
        "pkg/AGENTS.md", "pkg/GEMINI.md", "pkg/QWEN.md", ".gemini/GEMINI.md", ".qwen/QWEN.md",
        ".qwen/rules/all.md", ".qwen/QWEN.local.md",
    ]  # fmt: skip
    for base, name in [*((desk.home, it) for it in own), *((desk.project, it) for it in shared)]:
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        label = f"{'~/' if base == desk.home else ''}{name}"
        most = 2_500 if name == "AGENTS.md" else 260
        path.write_text("".join(f"- <{label} {number:04}>\n" for number in range(most)))
    for name in ("AGENTS.md", "GEMINI.md", "QWEN.md"):
        path = desk.project / name
        path.write_text(f"See @./docs/a.md and `@./docs/code.md`.\n\n{path.read_text()}")
    (desk.project / "docs" / "a.md").write_text("- <docs/a.md 0000>\n@./b.md\n")
    scoped = desk.project / ".qwen" / "rules" / "web.md"
    scoped.write_text("---\npaths:\n  - web/**\n---\n- <web.md 0000>\n")
    for base, place in product((desk.home, desk.project), _SKILLS):
        name = re.sub(r"[^a-z]+", "-", f"mine-{base.name}{place}")
        path = base / place / name / "SKILL.md"
        path = (
            path if place.rpartition("/")[2].startswith("skill") else path.parent.with_suffix(".md")
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        mark = f"Described-{base.name}/{place}"
        path.write_text(f"---\nname: {name}\ndescription: {mark}\n---\n\nDescribed-not/{place}\n")
    (desk.home / ".gemini" / "tmp" / "shop" / ".project_root").write_text(str(desk.project))
    if desk.program.client == "codex":
        config = desk.home / ".codex" / "config.toml"
        config.write_text(f"{config.read_text()}\n[features]\nmemories = true\n")


def long_session(project: Path) -> Path:
    """A transcript that fills a prompt."""
    made = ClaudeCode(cwd=str(project), branch="main").user("Keep calc.py free of dependencies.")
    made.agent("It is vendored into the firmware image, so it has no dependencies.")
    for number in range(200):
        made.user(f"And {number}? " + "Why so? " * 50).agent(f"So {number}. " + "As said. " * 90)
    path = project.parent / "session.jsonl"
    path.write_text("\n".join(made.lines))
    return path


def _tools(model: Model) -> Iterator[str]:
    """The names of the tools that a client offered, in whatever form."""
    for request in model.requests:
        yield from re.findall(r'"name": "([^"]+)"', json.dumps(request))
