"""How a project is worked on: the commands that ran its checks, and what stood in for another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from store.agents.session import Session, Step
from store.capture.candidate import CAPTURED, Candidate, Known, Passed, shorten
from store.capture.checks.procedures import together
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
            "Run the tests",
            r"^(?:\S+/)?(?:pytest|py\.test|tox|nox|ctest|rspec|phpunit|jest|vitest|go test"
            r"|cargo (?:nextest|test)|bundle exec rspec|dotnet test|mvn\b.*\btest"
            r"|(?:\./)?gradlew?\b.*\btest|rake (?:test|spec))\b"
            r"|^(?:python[\d.]*|uv run|poetry run|npx|bunx|pnpm exec)\b"
            r".*\b(?:pytest|unittest|jest|vitest|test)\b"
            rf"|^{_TASK_RUNNER}\s+\S*test\S*|^(?:\./|bash |sh )\S*test\S*",
        ),
        (
            "Lint",
            r"(?<!--)(?<!no-)\b(?:lint|ruff check|eslint|flake8|pylint|golangci-lint|clippy|rubocop"
            r"|vet)\b",
        ),
        (
            "Format",
            rf"^(?:{_TASK_RUNNER}|ruff|cargo|go|npx|dart|terraform) \S*(?:fmt|format|prettier)\b"
            r"|^(?:prettier|black|gofmt|rustfmt)\b",
        ),
        ("Check the types", r"\b(?:mypy|pyright|tsc|typecheck|type-check)\b"),
        (
            "Build",
            rf"^{_TASK_RUNNER}\s+\S*build\S*|^(?:go build|cargo build|docker build|cmake --build"
            r"|mvn\b.*\bpackage|(?:\./)?gradlew? build|make)\b",
        ),
        (
            "Deploy",
            r"^(?!(?:stat|ls|cat|cd|du|rm|mkdir|cp|mv|chmod|chown|head|tail|less|touch|vim?|nano|find"
            r"|grep) )(?:[\w./-]+ )?(?:run )?(?=[\w./:-]*deploy)[\w./:-]*+(?<![.:])(?= |$)"
            r"|^(?:fly|vercel|heroku|kubectl apply)\b"
            r"(?! (?:inspect|logs?|ls|list|status|env|whoami)\b)",
        ),
    )
)  # fmt: skip
_ONE = regex(
    r"(?:\s|^)(-run|-k|-t|--filter|--test|--grep|-R|--testPathPatterns?|--testNamePattern)"
    r"[ =](\"[^\"]*\"|'[^']*'|\S+)"
)
_OF_A_PACKAGE = regex(
    r"(?:go (?:build|vet)|golangci-lint run)(?: -(?!o\b)\S+)*(?: \./(?!\.\.\.)\S+)+$"
)
"""One package, built or linted, is of the occasion."""
_OUTPUT_FORMAT = regex(
    r"\s(?:-f|--format|--reporter|--output-format)[ =](?:json|compact|unix|stylish|line|dot"
    r"|list|concise|tap|spec|verbose)\b"
)
_CARGO_NAME = regex(r"(?<=cargo test )(?!-)\S+")
_SCRIPT = regex(
    r"(?:bash|sh|zsh) (?!-)\S+"
    r"|(?:python[\d.]*|node|ruby|perl) [\w./-]*\.(?:py|js|mjs|ts|rb|pl)(?!\S)"
)
_ASKS_THE_PROGRAM = regex(
    r"(?:^|\s)(?:--version|--help|-h|-V)(?:\s|$)"
    r"|^(?:mise|asdf|brew|npm|pnpm|pip|uv|cargo) (?:current|which|where|ls|list|info|install"
    r"|search)\b"
)
_NODE = regex(r"(?<!\S)\S+::\S+")
_PATH = regex(r"(?<=\s)(?!-)\.{0,2}/?[\w.-]+/[\w./-]*\S|(?<=\s)[\w-]+\.\w{1,4}(?=\s|$)")
_OF_THE_MOMENT = regex(r"[$\n]|/tmp/|<<")
_PROGRAM = regex(
    r"(?!-)(?!(?:printf|echo|grep|egrep|rg|cat|sed|awk|find|ls|head|tail|which|man|git|gh|curl|diff|wc|kill|pkill|chmod|cp|mv|rm|mkdir|touch|ln)\s)"
    r"(?!(?:if|elif|for|while|return|import|from|assert) )(?:\w+=\S* )*[\w./@~+-]+(?: [^=({]|$)"
)
"""A command begins with a program's name: a line of a script handed to one does not."""
_MISSING = regex(
    r"command not found|not recognized as|No module named|is not installed|Cannot find module",
    re.I,
)
_OF_ALL = frozenset({"Lint", "Format", "Check the types"})
_ONE_FILE = regex(r"\s(?!-)[\w./@-]*\w\.(?!(?:json|toml|ya?ml|ini|cfg)\b)[a-z]{1,4}$")
"""What is linted or formatted file by file is of one occasion."""
_A_SCRIPT = regex(r"(?:python[\d.]*|node|ruby|perl) [\w./-]*\.(?:py|js|mjs|ts|rb|pl)")
"""A script that is run by its name alone: it may try out anything."""
_RUNS = regex(
    r"make (?:[\w-]+-)?(?:up|down|clean|start|stop|run|dev|install|logs|help)(?:-[\w-]+)?$"
)
"""What is called with `make` and builds nothing."""
_TRIED_FIRST = regex(
    r"[a-z ]+: `(?:(?:npm|pnpm|yarn|bun)(?: run)? (?:test|build|lint|format|type-?check|check)"
    r"(?::(?:fix|check|all|unit))?(?: <path>)?"
    r"|pytest|(?:npx |bunx )?tsc --noEmit)`"
)
"""What anybody tries first says nothing alone: of 19 such procedures of 106 sessions that were
judged by eye none was wanted.
"""
_OF_THE_LANGUAGE = regex(
    r"[a-z ]+: `(?:cargo (?:build|check|test|clippy|fmt)"
    r"(?: (?:--(?:release|all|all-targets|workspace|check|lib|fix|allow-dirty)|<name>"
    r"|<file>::<name>))*"
    r"|go (?:build|test|vet)(?: (?:-v|-race|-count=\d+|-timeout[ =]\w+|-run <name>|\./\.\.\."
    r"|<path>))*)`"
    r"|(?:run some tests|build): `go (?:test|build) <path>` in `[^`]*`"
)
"""What a language's own tool does in each of its projects says nothing of this one."""
_LOOKED_AHEAD = 8
"""Steps after a failed command among which another stands in for it."""
_LONGEST = 120
"""Characters of a command that can be told."""


def working_commands(
    session: Session, known: Known, roots: tuple[str, ...] = ()
) -> Iterator[Candidate | Passed]:
    """One procedure of the checks that succeeded, each by the last command that ran it.

    Nothing where memory knows them all already. Otherwise it takes over what the held ones say and
    names these, so that they give way: a project's commands stand in one place.
    """
    found: dict[str, tuple[str, Step]] = {}
    for step in session.steps:
        if step.result is None or has_failed(step) or step.call.aside:
            continue
        for folder, command in commands_in(command_of(step.call)):
            kind = kind_of(command)
            if kind and not _RUNS.match(command):
                place = project_path(f"{folder}/x", session.folder, roots)[:-2] if folder else ""
                where = f" in `{place}`" if place and not is_elsewhere(place) else ""
                found[kind] = (f"{kind.lower()}: `{_general(command)}`{where}", step)
    found = {kind: it for kind, it in found.items() if not _OF_THE_LANGUAGE.fullmatch(it[0])}
    if all(_TRIED_FIRST.fullmatch(text) for text, _ in found.values()):
        found = {}
    fresh = [(text, step) for text, step in found.values() if text not in known.procedures]
    if fresh:
        text, replaced = together([text for text, _ in fresh], known.standing)
        yield _candidate(session, [step for _, step in fresh], text, replaced)
    elif found:
        told = "; ".join(text for text, _ in found.values())
        yield Passed(told, CAPTURED)
    yield from _stand_ins(session)


def kind_of(command: str) -> str:
    """What a command is for, "Run the tests" or "Lint"; empty where it is none of these."""
    if len(command) > _LONGEST or _OF_THE_MOMENT.search(command):
        return ""
    if _ASKS_THE_PROGRAM.search(command) or command.count('"') % 2 or command.count("'") % 2:
        return ""
    if not _PROGRAM.match(command) or _A_SCRIPT.fullmatch(command):
        return ""
    kind = next((kind for kind, pattern in _KINDS if pattern.search(command)), "")
    if kind == "Deploy" and command.isalpha():
        return ""
    if kind == "Run the tests" and (
        any(each.search(command) for each in (_ONE, _NODE, _CARGO_NAME))
        or _PATH.search(command.replace("./...", ""), _after_program(command))
    ):
        return "Run some tests"
    return "" if kind in _OF_ALL and _ONE_FILE.search(command) else kind


def _general(command: str) -> str:
    """A command without what belongs to one occasion: the names of tests and their files."""
    general = _CARGO_NAME.sub("<name>", _NODE.sub("<file>::<name>", command))
    general = _OUTPUT_FORMAT.sub("", general)
    general = _ONE.sub(lambda match: f" {match.group(1)} <name>", general).strip()
    if kind_of(command) == "Run some tests" or _OF_A_PACKAGE.match(command):
        own = _after_program(general)
        rest = re.sub(r"<path>(?: <path>)+", "<path>", _PATH.sub("<path>", general[own:]))
        general = general[:own] + rest
    return general


def _after_program(command: str) -> int:
    """Where a command's arguments begin: the first of a shell, or of a language's own program, is
    the script that it runs.
    """
    script = _SCRIPT.match(command)
    return script.end() if script else 0


def _stand_ins(session: Session) -> Iterator[Candidate]:
    """A command that is not to be had here, with the one that did its work."""
    for at, step in enumerate(session.steps):
        output = step.result.text if step.result and step.failed else ""
        missing = _MISSING.search(output[:2_000])
        if not missing or step.call.aside:
            continue
        tried = [command for _, command in commands_in(command_of(step.call))]
        kinds = {kind: command for command in tried if (kind := kind_of(command))}
        for later in session.steps[at + 1 : at + 1 + _LOOKED_AHEAD]:
            if later.result is None or has_failed(later):
                continue
            for _, command in commands_in(command_of(later.call)):
                kind = kind_of(command)
                if kind in kinds and command.split()[0] != kinds[kind].split()[0]:
                    line = next(each for each in output.splitlines() if _MISSING.search(each))
                    text = (
                        f"{kind} with `{_general(command)}`: `{kinds.pop(kind).split()[0]}` fails"
                        f" here ({shorten(line, 120)})"
                    )
                    yield _candidate(session, [later], text)


def _candidate(
    session: Session, steps: Sequence[Step], text: str, replaced: Sequence[str] = ()
) -> Candidate:
    return Candidate(
        category=Category.PROCEDURE,
        content=text,
        line=steps[-1].call.line,
        at=steps[-1].call.at,
        passage=shorten("\n".join(command_of(step.call) for step in steps), 400),
        marks=(*replaced, *session.marks(steps)),
    )
