"""The commands by which a project is checked, as they worked: one memory, kept current.

Test, one test, lint, format, types, build, deploy: of each kind the last command that succeeded,
without what belongs to one occasion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from store.agents.session import Step
from store.capture.candidate import Candidate, shorten
from store.capture.evidence.reading import Reading
from store.capture.steps.check_output import has_failed
from store.capture.steps.paths import is_elsewhere, project_path
from store.capture.steps.shell import commands_in
from store.capture.steps.tools import command_of
from store.model import Category
from store.text.regex import regex

_TASK_RUNNER = r"(?:make|just|task|mise run|npm(?: run)?|pnpm(?: run)?|yarn(?: run)?|bun(?: run)?)"
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, regex(pattern))
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
            r"|mvn\b.*\bpackage|(?:\./)?gradlew? build|make)\b",
        ),
        (
            "deploy",
            rf"^{_TASK_RUNNER}\s+\S*deploy\S*|^(?:\./|bash |sh )\S*deploy\S*"
            r"|^(?:fly|vercel|heroku|kubectl apply|npx \S+) deploy\b|^kubectl apply\b",
        ),
    )
)  # fmt: skip
_ONE = regex(
    r"(?:\s|^)(-run|-k|-t|--filter|--test|--grep|-R|--testPathPatterns?|--testNamePattern)"
    r"[ =](\"[^\"]*\"|'[^']*'|\S+)"
)
_NODE = regex(r"(?<!\S)\S+::\S+")
_CARGO_NAME = regex(r"(?<=cargo test )(?!-)\S+")
_PATH = regex(r"(?<=\s)(?!-)\.{0,2}/?[\w.-]+/[\w./-]*\S|(?<=\s)[\w-]+\.\w{1,4}(?=\s|$)")
_SCRIPT = regex(r"(?:bash|sh|zsh) (?!-)\S+|(?:python[\d.]*|node|ruby|perl) [\w./-]*\.\w{2,3}(?!\S)")
_OF_THE_MOMENT = regex(r"[$\n`]|/tmp/|<<|\s(?:--version|--help|-h|-V)(?:\s|$)")
_NO_PROGRAM = regex(
    r"(?:printf|echo|grep|egrep|rg|cat|sed|awk|find|ls|head|tail|which|man|git|gh|curl|diff|wc|kill"
    r"|pkill|chmod|cp|mv|rm|mkdir|touch|ln|if|elif|for|while|return|import|from|assert)\s|-"
    r"|(?:mise|asdf|brew|npm|pnpm|pip|uv|cargo) (?:current|which|where|ls|list|info|install"
    r"|search)\b"
)
_OF_ALL = frozenset({"lint", "format", "check the types"})
_PACKAGES = regex(r"(?: \./(?!\.\.\.)\S+)+$")
"""What is built or linted in parts is of one occasion."""
_ONE_FILE = regex(r"\s(?!-)[\w./@-]*\w\.(?!(?:json|toml|ya?ml|ini|cfg)\b)[a-z]{1,4}$")
"""What is linted or formatted file by file is of one occasion."""
_RUNS = regex(
    r"make (?:[\w-]+-)?(?:up|down|clean|start|stop|run|dev|install|logs|help)(?:-[\w-]+)?$"
)
"""What is called with `make` and builds nothing."""
_OBVIOUS = regex(
    r"(?:(?:npm|pnpm|yarn|bun)(?: run)? (?:test|build|lint|format|check)|make"
    r"|(?:python3? -m )?pytest(?: <path>)?"
    r"|(?:npx )?tsc --noEmit|cargo (?:build|check|test|clippy|fmt)(?: (?:--?\w[\w-]*|<name>))*"
    r"|go (?:build|test|vet)(?: (?:-v|-race|-o|-count=\d+|-run <name>|\./\.\.\.|<path>))*)"
)
"""What anybody tries first: it says nothing of the project."""
_LONGEST = 120
"""Characters of a command that can be kept."""
_OPENING, _BETWEEN = "Commands that worked here: ", "; "
_COMMAND = regex(r"(?P<kind>[a-z][a-z ]{0,40}): `(?P<command>[^`]+)`(?P<place>(?: in `[^`]+`)?)")
_VALUE = regex(r"(?<=\w)=(?=\w)")
_ANY = regex(r"<(?:path|name|file)>|\d+\w?$")
"""What differs from one occasion to the next: a path, the name of a test, how often, how long."""
_MOST_COMMANDS = 12
"""More than so many are no longer one thing to read; what holds them stays as it is."""


def find(reading: Reading) -> Iterator[Candidate]:
    """Yield one procedure of the commands that worked."""
    found: dict[str, tuple[str, Step]] = {}
    for step in reading.session.steps:
        if step.result is None or step.call.aside or has_failed(step):
            continue
        for folder, command in commands_in(command_of(step.call)):
            kind, general = kind_of(command), _general(command)
            place = _place(reading, folder)
            is_obvious = not place and _OBVIOUS.fullmatch(general)
            if kind and not _RUNS.match(command) and not is_obvious:
                found[kind] = (f"{kind}: `{general}`{place}", step)
    if not found:
        return
    steps = [step for _, step in found.values()]
    last = max(steps, key=lambda step: step.call.line)
    yield Candidate(
        category=Category.PROCEDURE,
        content=_OPENING + _BETWEEN.join(text for text, _ in found.values()),
        line=last.call.line,
        at=last.call.at,
        passage=shorten("\n".join(command_of(step.call) for step in steps), 400),
        marks=reading.session.marks(steps),
    )


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


def together(fresh: str, held: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """Return a procedure with the commands of those `held` too, and the ids that it replaces.

    `held` are texts by id, older first. Each command of theirs is kept, unless a later one differs
    from it in its options alone. What was edited by hand is left as it is.
    """
    commands = {_subject(command): command for command in commands_of(fresh)}
    replaced: list[str] = []
    for id_, text in reversed(list(held.items())):
        told = commands_of(text)
        wider = {_subject(command): command for command in told} | commands
        if told and len(wider) <= _MOST_COMMANDS:
            commands = wider
            replaced.append(id_)
    return _OPENING + _BETWEEN.join(commands.values()), tuple(replaced)


def commands_of(text: str) -> tuple[str, ...]:
    """Return the commands of a procedure that this finder made; none of any other text."""
    told = tuple(match.group() for match in _COMMAND.finditer(text.removeprefix(_OPENING)))
    return told if text == _OPENING + _BETWEEN.join(told) else ()


def _subject(command: str) -> tuple[str, frozenset[str], str]:
    """What a command is for: its kind, its words in any order, without options, and its place."""
    match = _COMMAND.fullmatch(command)
    if match is None:
        return command, frozenset(), ""
    words = _VALUE.sub(" ", match["command"]).split()
    told = frozenset(word for word in words if not word.startswith("-") and not _ANY.match(word))
    return match["kind"], told, match["place"]


def _general(command: str) -> str:
    """A command without what belongs to one occasion: the names of tests and their files."""
    general = _CARGO_NAME.sub("<name>", _NODE.sub("<file>::<name>", command))
    general = _ONE.sub(lambda match: f" {match.group(1)} <name>", general).strip()
    if kind_of(command) == "run some tests":
        own = _after_program(general)
        general = general[:own] + _PATH.sub("<path>", general[own:])
        general = re.sub(r"<path>(?: <path>)+", "<path>", general)
    return _PACKAGES.sub(" <path>", general)


def _after_program(command: str) -> int:
    """Where a command's arguments begin: the first of an interpreter is the script that it runs."""
    script = _SCRIPT.match(command)
    return script.end() if script else 0


def _place(reading: Reading, folder: str) -> str:
    session = reading.session
    place = project_path(f"{folder}/x", session.folder, reading.roots)[:-2] if folder else ""
    return f" in `{place}`" if place and not is_elsewhere(place) else ""
