"""Sessions of Claude Code by the megabyte, seeded, of the shape that real ones have.

Two thirds of a real transcript is what the agent notes beside the conversation: results a second
time, the file as it was before each edit, progress; a sixth is what tools answered. Prompts, prose
and edits are a twentieth.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from tests.bench.generate import NOW, Session, observations_of
from tests.bench.words import identifiers
from tests.store.capture.transcripts import ClaudeCode

_NO_OBSERVATIONS = 20_000_000
"""Sessions of the generator from this number on give the prose of transcripts."""
_COMPACTED_AT = 8
"""The turn after which the conversation is compacted."""
_HEADINGS = ("Primary Request and Intent", "Errors and fixes", "Pending Tasks", "Current Work")
_ENVELOPE: dict[str, Any] = {
    "uuid": "5d1c9f0a-4f5e-4b8e-9d53-0a8a6d1f7c11",
    "parentUuid": "0e4f6a1c-7b0d-4a51-8a4e-6d2b9c3e5f70",
    "isSidechain": False,
    "userType": "external",
    "version": "2.1.4",
    "requestId": "req_011CTfJx2mQ9vKpLhRzYbNwd",
    "usage": {"input_tokens": 9, "cache_read_input_tokens": 48211, "output_tokens": 214},
}
"""What stands on every line."""


def write_transcript(path: Path, number: int, size: int) -> Path:
    """Write a transcript of `size` bytes, a turn more or less; the same for the same number."""
    made = ClaudeCode(session=f"bench-{number}")
    random = Random(number)
    files = [name for name in identifiers() if "/" in name]
    written = turn = 0
    while written < size:
        before = len(made.lines)
        prose = _prose(number, turn)
        _add_turn(made, random, files, prose)
        if turn == _COMPACTED_AT:
            told = zip(_HEADINGS, prose, strict=False)
            summary = "\n\n".join(f"{head}:\n{text}" for head, text in told)
            made.user(summary, isCompactSummary=True)
        written += sum(len(line) + 1 for line in made.lines[before:])
        turn += 1
    made.agent("Done. " + _prose(number, turn)[0])
    path.write_text("\n".join(made.lines) + "\n", encoding="utf-8")
    return path


def _add_turn(made: ClaudeCode, random: Random, files: list[str], prose: list[str]) -> None:
    """One prompt, and what follows until the agent has answered."""
    name = random.choice(files)
    file = f"{made.cwd}/{name}"
    code = "\n".join(prose) * 2
    made.user(prose[0][:310], **_ENVELOPE)
    for thought in prose[1:4]:
        thinking = [{"type": "thinking", "thinking": thought[:320], "signature": "x" * 400}]
        made.line("assistant", {"role": "assistant", "content": thinking}, **_ENVELOPE)
    made.agent(prose[4][:240], **_ENVELOPE)
    for length in (3_500, 1_200):
        _call(made, "Read", {"file_path": file}, code[:length], {"file": {"content": code}})
    edit = {"file_path": file, "old_string": prose[5][:400], "new_string": prose[6][:500]}
    _call(made, "Edit", edit, f"The file {file} has been updated.", {**edit, "originalFile": code})
    for _ in range(4):
        made.line("progress", None, data={"type": "hook_progress", "output": code[:900]})
    failed = random.random() < 0.15
    end = f"E   AssertionError: {prose[7][:80]}\n1 failed" if failed else "42 passed in 1.2s"
    answer = f"{code[:1_200]}\n{end}"
    command = {"command": f"pytest tests/{Path(name).stem}"}
    _call(made, "Bash", command, answer, {"stdout": answer, "stderr": ""}, failed=failed)
    made.agent(f"Decided to keep {Path(name).name}: {prose[8][:200]}", **_ENVELOPE)


def _call(
    made: ClaudeCode, tool: str, given: dict[str, Any], answer: str, noted: dict[str, Any], *,
    failed: bool = False,
) -> None:  # fmt: skip
    """A tool's call and its answer, and beside it what Claude Code notes for itself."""
    made.call(tool, given, None, **_ENVELOPE)
    result = {
        "type": "tool_result",
        "tool_use_id": f"toolu_{made.session}_{made.calls}",
        "content": answer,
        "is_error": failed,
    }
    message = {"role": "user", "content": [result]}
    made.line("user", message, toolUseResult=noted, **_ENVELOPE)


def _prose(number: int, turn: int) -> list[str]:
    session = Session(_NO_OBSERVATIONS + number * 1_000 + turn, "claude-code", 0, NOW, 10)
    return [each.content for each in observations_of(session)]
