"""The real clients: their packages, how each is set up for a model server, and how it is started.

`python -m tests.clients.programs DIR` installs them from the npm registry; `MEMTUI_CLIENTS` names
the folder for the tests.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

PROMPT = "The test of calc.py fails; find out why add is wrong and fix it"
VARIABLE = "MEMTUI_CLIENTS"


@dataclass(frozen=True, slots=True)
class Program:
    """A client from a package. `setup` writes its settings for a server's port into a home.

    `start` are its arguments, `{prompt}` among them; `node` is the oldest version it runs with.
    """

    client: str
    package: str
    binary: str
    setup: Callable[[Path, Path, int], None]
    start: tuple[str, ...]
    environ: Mapping[str, str] = field(default_factory=dict)
    native: bool = False
    node: int = 20
    variant: str = ""

    @property
    def name(self) -> str:
        """What a test is called: the client, and how it was set up."""
        return f"{self.client}-{self.variant}" if self.variant else self.client


def folder() -> Path:
    """Where the packages are installed."""
    return Path(os.environ.get(VARIABLE) or Path(tempfile.gettempdir()) / "memtui-clients")


def command(program: Program) -> list[str] | str:
    """How to start a program; or why it can't be."""
    installed = folder() / program.client / "node_modules"
    found = installed / ".bin" / program.binary
    if not found.exists():
        return f"needs {program.package}: python -m tests.clients.programs {folder()}"
    if program.native:
        return [str(found.resolve())]
    node = _node(program.node)
    return [node, str(found.resolve())] if node else f"needs node {program.node} or newer"


def version(program: Program) -> str:
    """The version of an installed package."""
    path = folder() / program.client / "node_modules" / program.package / "package.json"
    return str(json.loads(path.read_text(encoding="utf-8"))["version"])


def _node(least: int) -> str:
    """A node of this version or newer: from the folder of packages, or on the PATH."""
    packaged = folder() / "node" / "node_modules" / "node" / "bin" / "node"
    for node in (str(packaged) if packaged.exists() else None, shutil.which("node")):
        if node is not None:
            told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
            major = told.stdout.strip().removeprefix("v").split(".")[0]
            if major.isdecimal() and int(major) >= least:
                return node
    return ""


def _codex(model: str) -> Callable[[Path, Path, int], None]:
    def setup(home: Path, project: Path, port: int) -> None:
        path = home / ".codex" / "config.toml"
        path.parent.mkdir(parents=True)
        path.write_text(
            f'model = "{model}"\nmodel_provider = "fake"\n\n[model_providers.fake]\n'
            f'name = "fake"\nbase_url = "http://127.0.0.1:{port}/v1"\nwire_api = "responses"\n'
            'env_key = "FAKE_KEY"\nrequest_max_retries = 0\nstream_max_retries = 0\n\n'
            f'[projects."{project}"]\ntrust_level = "trusted"\n'
        )

    return setup


def _gemini(home: Path, project: Path, port: int) -> None:
    path = home / ".gemini" / "settings.json"
    path.parent.mkdir(parents=True)
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
    }
    path.write_text(json.dumps(settings, indent=2))


def _qwen(home: Path, project: Path, port: int) -> None:
    path = home / ".qwen" / "settings.json"
    path.parent.mkdir(parents=True)
    settings = {
        "security": {"auth": {"selectedType": "openai"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
        "$version": 4,  # Qwen Code adds it where it is missing.
    }
    path.write_text(json.dumps(settings, indent=4) + "\n")


def _opencode(home: Path, project: Path, port: int) -> None:
    path = home / ".config" / "opencode" / "opencode.json"
    path.parent.mkdir(parents=True)
    options = {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "none"}
    limit = {"context": 200_000, "output": 8_000}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Fake",
        "options": options,
        "models": {"fake-1": {"name": "fake", "limit": limit}},
    }
    settings = {"model": "fake/fake-1", "autoupdate": False, "provider": {"fake": provider}}
    path.write_text(json.dumps(settings))


def _pi(home: Path, project: Path, port: int) -> None:
    path = home / ".pi" / "agent" / "models.json"
    path.parent.mkdir(parents=True)
    model = {"id": "fake-1", "name": "fake", "contextWindow": 200_000, "maxTokens": 8_000}
    provider = {
        "baseUrl": f"http://127.0.0.1:{port}/v1",
        "api": "openai-completions",
        "apiKey": "none",
        "models": [model],
    }
    path.write_text(json.dumps({"providers": {"fake": provider}}))
    chosen = {"defaultProvider": "fake", "defaultModel": "fake-1"}
    path.with_name("settings.json").write_text(json.dumps(chosen))


def _kimi(home: Path, project: Path, port: int) -> None:
    path = home / ".kimi-code" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(
        'default_model = "fake-1"\ntelemetry = false\n\n[providers.fake]\ntype = "openai"\n'
        f'base_url = "http://127.0.0.1:{port}/v1"\napi_key = "none"\n\n[models.fake-1]\n'
        'provider = "fake"\nmodel = "fake-1"\nmax_context_size = 200000\n'
    )


_CODEX_START = ("exec", "--dangerously-bypass-approvals-and-sandbox", "{prompt}")
PROGRAMS = (
    Program("codex", "@openai/codex", "codex", _codex("gpt-5.5"), _CODEX_START, variant="tools"),
    Program("codex", "@openai/codex", "codex", _codex("gpt-6-sol"), _CODEX_START, variant="code"),
    Program(
        "codex",
        "@openai/codex",
        "codex",
        _codex("gpt-5.5"),
        ("exec", "--ephemeral", *_CODEX_START[1:]),
        variant="ephemeral",
    ),
    Program(
        "gemini-cli",
        "@google/gemini-cli",
        "gemini",
        _gemini,
        ("--yolo", "--model", "gemini-2.5-pro", "--prompt", "{prompt}"),
        {
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:{port}",
            "GEMINI_TELEMETRY_ENABLED": "false",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "NO_BROWSER": "1",
        },
    ),
    Program(
        "qwen-code",
        "@qwen-code/qwen-code",
        "qwen",
        _qwen,
        ("--yolo", "--prompt", "{prompt}"),
        {
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": "http://127.0.0.1:{port}/v1",
            "OPENAI_MODEL": "fake-1",
            "QWEN_TELEMETRY_ENABLED": "false",
        },
        node=22,
    ),
    Program(
        "opencode",
        "opencode-ai",
        "opencode",
        _opencode,
        ("run", "{prompt}"),
        {
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        },
        native=True,
    ),
    Program(
        "pi",
        "@earendil-works/pi-coding-agent",
        "pi",
        _pi,
        ("--provider", "fake", "--model", "fake-1", "--print", "{prompt}"),
        {"PI_OFFLINE": "1"},
        node=22,
    ),
    Program(
        "kimi",
        "@moonshot-ai/kimi-code",
        "kimi",
        _kimi,
        ("--prompt", "{prompt}"),
        node=22,
    ),
)


def install(target: Path) -> None:
    """Install every package, and a newer node, each in a folder of its own."""
    # Without a tag npm takes an old release where this machine's node is too old for the newest.
    packages = {program.client: f"{program.package}@latest" for program in PROGRAMS}
    for name, package in {**packages, "node": "node@22"}.items():
        place = target / name
        place.mkdir(parents=True, exist_ok=True)
        quiet = ("--no-audit", "--no-fund", "--loglevel=error")
        subprocess.run(["npm", "install", *quiet, "--prefix", str(place), package], check=True)


if __name__ == "__main__":
    install(Path(sys.argv[1]) if len(sys.argv) > 1 else folder())
