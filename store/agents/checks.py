"""Commands that check a project: what each is for, what of it belongs to one occasion, and whether
it failed."""

from __future__ import annotations

import re

from store.agents.session import Step
from store.agents.shell import commands_in
from store.agents.tools import command_of
from store.text.failure import failure_line, is_failing_output
from store.text.shortening import shorten

_TASK_RUNNER = r"(?:make|just|task|mise run|npm(?: run)?|pnpm(?: run)?|yarn(?: run)?|bun(?: run)?)"
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (
            "run the tests",
            r"^(?:\S+/)?(?:pytest|py\.test|tox|nox|ctest|rspec|phpunit|jest|vitest|go test"
            r"|cargo (?:nextest|test)|bundle exec rspec|dotnet test|mvn\b.*\btest"
            r"|(?:\./)?gradlew?\b.*\btest|rake (?:test|spec))\b"
            r"|^(?:python[\d.]*|uv run|poetry run|npx|bunx|pnpm exec)\b"
            r".*\b(?:pytest|unittest|jest|vitest|test)\b"
            rf"|^{_TASK_RUNNER}\s+\S*test\S*|^(?:\./|bash |sh )\S*test\S*",
        ),
        (
            "lint",
            r"(?<!--)(?<!no-)\b(?:lint|ruff check|eslint|flake8|pylint|golangci-lint|clippy|rubocop"
            r"|vet)\b",
        ),
        (
            "format",
            rf"^(?:{_TASK_RUNNER}|ruff|cargo|go|npx|dart|terraform) \S*(?:fmt|format|prettier)\b"
            r"|^(?:prettier|black|gofmt|rustfmt)\b",
        ),
        ("check the types", r"\b(?:mypy|pyright|tsc|typecheck|type-check)\b"),
        (
            "build",
            rf"^{_TASK_RUNNER}\s+\S*build\S*|^(?:go build|cargo build|docker build|cmake --build"
            r"|mvn\b.*\bpackage|(?:\./)?gradlew? build)\b|^make(?: (?:all|check|-\S+))*$",
        ),
        (
            "deploy",
            rf"^{_TASK_RUNNER}\s+\S*deploy\S*|^(?:\./|bash |sh )\S*deploy\S*"
            r"|^(?:fly|vercel|heroku|kubectl apply|npx \S+) deploy\b|^kubectl apply\b",
        ),
    )
)  # fmt: skip
_ONE = re.compile(
    r"(?:\s|^)(-run|-k|-t|--filter|--test|--grep|-R|--testPathPatterns?|--testNamePattern)"
    r"[ =](\"[^\"]*\"|'[^']*'|\S+)"
)
_NODE = re.compile(r"(?<!\S)\S+::\S+")
_CARGO_NAME = re.compile(r"(?<=cargo test )(?!-)\S+")
_PATH = re.compile(r"(?<=\s)(?!-)\.{0,2}/?[\w.-]+/[\w./-]*\S|(?<=\s)[\w-]+\.\w{1,4}(?=\s|$)")
_SCRIPT = re.compile(
    r"(?:bash|sh|zsh) (?!-)\S+|(?:python[\d.]*|node|ruby|perl) [\w./-]*\.\w{2,3}(?!\S)"
)
_OF_THE_MOMENT = re.compile(r"[$\n`]|/tmp/|<<|\s(?:--version|--help|-h|-V)(?:\s|$)")
_NO_PROGRAM = re.compile(
    r"(?:printf|echo|grep|egrep|rg|cat|sed|awk|find|ls|head|tail|which|man|git|gh|curl|diff|wc|kill"
    r"|pkill|chmod|cp|mv|rm|mkdir|touch|ln|if|elif|for|while|return|import|from|assert)\s|-"
    r"|(?:mise|asdf|brew|npm|pnpm|pip|uv|cargo) (?:current|which|where|ls|list|info|install"
    r"|search)\b"
)
_OF_ALL = frozenset({"lint", "format", "check the types"})
_PACKAGES = re.compile(r"(?: \./(?!\.\.\.)\S+)+$")
"""What is built or linted in parts is of one occasion."""
_ONE_FILE = re.compile(r"\s(?!-)[\w./@-]*\w\.(?!(?:json|toml|ya?ml|ini|cfg)\b)[a-z]{1,4}$")
"""What is linted or formatted file by file is of one occasion."""
_LONGEST = 120
"""Characters of a command that can be kept."""


def check_in(command: str) -> str:
    """Return the command of a line that checks something, else its first."""
    parts = [part for _, part in commands_in(command)]
    checks = [part for part in parts if kind_of(part)]
    return shorten((checks or parts or [""])[0], 100)


def kind_of(command: str) -> str:
    """Return what a command is for, such as "lint"; empty where it is no check."""
    if len(command) > _LONGEST or _OF_THE_MOMENT.search(command) or _NO_PROGRAM.match(command):
        return ""
    if command.count('"') % 2 or command.count("'") % 2:
        return ""
    kind = next((kind for kind, pattern in _KINDS if pattern.search(command)), "")
    if kind == "run the tests" and (
        any(each.search(command) for each in (_ONE, _NODE, _CARGO_NAME))
        or _PATH.search(command.replace("./...", ""), _after_program(command))
    ):
        return "run some tests"
    return "" if kind in _OF_ALL and _ONE_FILE.search(command) else kind


def general_form(command: str) -> str:
    """Return a command without what belongs to one occasion: the names of tests and their files."""
    general = _CARGO_NAME.sub("<name>", _NODE.sub("<file>::<name>", command))
    if kind_of(command) == "run some tests":
        general = _ONE.sub(lambda match: f" {match[1]} <name>", general).strip()
        own = _after_program(general)
        general = general[:own] + _PATH.sub("<path>", general[own:])
        general = re.sub(r"<path>(?: <path>)+", "<path>", general)
    return _PACKAGES.sub(" <path>", general)


def _after_program(command: str) -> int:
    """Where a command's arguments begin: the first of an interpreter is the script that it runs."""
    script = _SCRIPT.match(command)
    return script.end() if script else 0


_REFUSED = ("The user doesn't want", "Permission to use", "claude-")
"""How clients answer for a call that the person did not allow."""


def is_check(step: Step) -> bool:
    """Return whether a step runs a command that checks or builds something."""
    return bool(kind_of(check_in(command_of(step.call))))


def has_failed(step: Step) -> bool:
    """Return whether a check failed, by its exit or, where a pipe hid that, by its output."""
    if step.result is None or step.result.text.startswith(_REFUSED):
        return step.has_failed
    if step.has_failed:
        return True
    return is_check(step) and is_failing_output(step.result.text)


def was_refused(step: Step) -> bool:
    """Return whether the person did not let the step run."""
    return step.result is not None and step.result.text.startswith(_REFUSED)


def failure_of(step: Step) -> str:
    """Return how a check failed, such as "`make test` fails: KeyError: 'x'"; empty for any other
    step.
    """
    if step.result is None or step.call.aside or was_refused(step):
        return ""
    line = failure_line(step.result.text) if is_check(step) and has_failed(step) else ""
    return f"`{check_in(command_of(step.call))}` fails: {line}" if line else ""
