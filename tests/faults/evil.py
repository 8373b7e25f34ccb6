"""A project that is hostile wherever it can be: memory, sessions, branch, paths, settings."""

from __future__ import annotations

import json
import re
from pathlib import Path

EVIL = (
    "\x1b]0;owned\x07\x1b[2J\u202egnp.exe \x9b31m\u200b\u2066[bold]x[/bold] [@click=app.quit]q[/]"
)
"""Codes of terminals, controls of direction, what nobody sees, and markup."""
NAME = EVIL.replace("/", "")
"""The same for one name of a file."""
BRANCH = "lock-\u202eevil\x9b31m\u200b[red]"
"""A branch that git itself allows."""
ACTS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
"""What must reach no terminal, lines and tabs aside."""


def evil_project(folder: Path, home: Path) -> Path:
    """The project, with sessions of it in the clients' folders of `home`."""
    project = folder / f"shop{NAME}"
    memory = project / ".agentx" / "memory"
    (memory / "archive").mkdir(parents=True)
    for path, archived in ((memory / "issue-1.json", False),
                           (memory / "archive" / "issue-1-archived.json", True)):  # fmt: skip
        records = [_record(number, archived=archived) for number in range(3)]
        file = {"version": 1, "issueNumber": 1, "observations": records}
        path.write_text(json.dumps(file))
    (memory / "issue-2.json").write_text('{"' + EVIL)
    kinds = ("failed", "warning", "stored", "recalled", "captured", "archived", EVIL)
    shared = {"timestamp": "2026-02-27T10:00:00Z", "kind": EVIL, "message": EVIL, "agent": EVIL,
              "sessionId": EVIL, "observationIds": [EVIL], "action": {"kind": EVIL}}  # fmt: skip
    lines = ({"type": kind, **shared} for kind in kinds)
    (memory / "activity.jsonl").write_text("".join(json.dumps(it) + "\n" for it in lines))
    (memory.parent / "memtui.toml").write_text(
        f"{json.dumps(EVIL)} = 1\neditor = {json.dumps(EVIL)}\ntheme = 5\n"
    )
    (project / ".git").mkdir()
    (project / ".git" / "HEAD").write_text(f"ref: refs/heads/{BRANCH}\n")
    _sessions(project, home)
    _clarifications(project)
    _inbox(memory)
    for settings in (home / ".claude" / "settings.json", home / ".codex" / "hooks.json"):
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(json.dumps({EVIL: EVIL, "hooks": {}}))
    (project / "CLAUDE.md").write_text(f"# {EVIL}\n\n{EVIL}\n")
    return project


def _record(number: int, *, archived: bool) -> dict[str, object]:
    kinds = ("decision", "error", f"kind{EVIL}")
    return {
        "id": f"obs{EVIL}-{'old' if archived else 'new'}{number}",
        "agent": f"agent{EVIL}",
        "issueNumber": 1,
        "category": kinds[number],
        "content": f"content {number} lock {EVIL}",
        "summary": f"summary {number} lock {EVIL}",
        "tokens": 3,
        "timestamp": "2026-02-27T10:00:00Z",
        "sessionId": EVIL,
        "tags": [EVIL],
        "sources": [EVIL],
        "branch": EVIL,
        "commit": EVIL,
        "unknown": {EVIL: EVIL},
    }


def _inbox(memory: Path) -> None:
    (memory / "inbox").mkdir()
    for name, before in (("new", None), ("changed", _record(0, archived=False))):
        change = {"shelf": "issue", "issue": 1, "id": f"obs{EVIL}-new0", "before": before,
                  "after": {**_record(0, archived=False), "content": f"waits {EVIL}"}}  # fmt: skip
        proposal = {"id": name, "kind": EVIL, "timestamp": "2026-02-27T10:00:00Z",
                    "changes": [change], "source": "mcp", "by": EVIL, EVIL: EVIL}  # fmt: skip
        kept = {key: value for key, value in proposal.items() if value is not None}
        (memory / "inbox" / f"waits-{name}.json").write_text(json.dumps(kept))
    (memory / "inbox" / "half.json").write_text('{"' + EVIL)


def _clarifications(project: Path) -> None:
    folder = project / ".agentx" / "state" / "clarifications"
    folder.mkdir(parents=True)
    said = {"round": 1, "from": EVIL, "body": f"lock {EVIL}", "timestamp": "2026-02-27T10:00:00Z"}
    records = [
        {"id": f"CLR-1-00{number}", "issueNumber": 1, "from": EVIL, "to": f"agent{EVIL}",
         "topic": EVIL, "blocking": True, "status": status, "round": 1, "maxRounds": 5,
         "created": "2026-02-27T10:00:00Z", "staleAfter": "2026-02-27T10:30:00Z", EVIL: EVIL,
         "thread": [{**said, "type": kind} for kind in ("question", "answer", EVIL)]}
        for number, status in enumerate(("pending", "resolved", EVIL), 1)
    ]  # fmt: skip
    (folder / "issue-1.json").write_text(json.dumps({"clarifications": records}))
    (folder / "issue-2.json").write_text(EVIL)
    workflows = project / ".agentx" / "workflows"
    workflows.mkdir()
    (workflows / f"{NAME}.toml").write_text(EVIL)


def _sessions(project: Path, home: Path) -> None:
    folder = home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(project))
    folder.mkdir(parents=True)
    shared = {"cwd": str(project), "sessionId": f"one{EVIL}", "gitBranch": BRANCH, "version": "2",
              "timestamp": "2026-02-27T10:00:00Z", "uuid": EVIL}  # fmt: skip
    edit = {"file_path": f"{project}/src/{NAME}.py", "old_string": "a", "new_string": "b"}
    used = {"type": "tool_use", "id": "1", "name": "Edit", "input": edit}
    ran = {"type": "tool_use", "id": "2", "name": "Bash", "input": {"command": f"pytest {EVIL}"}}
    answers = [{"type": "tool_result", "tool_use_id": "1", "content": "ok"},
               {"type": "tool_result", "tool_use_id": "2", "is_error": True,
                "content": f"Error: lock failed {EVIL}"}]  # fmt: skip
    said = {"role": "user", "content": f"We decided to use flock for the lock {EVIL}."}
    done = [used, ran, {"type": "text", "text": f"Done: lock {EVIL}"}]
    lines: list[dict[str, object]] = [
        {**shared, "type": "summary", "summary": EVIL},
        {**shared, "type": "user", "message": said},
        {
            **shared,
            "type": "assistant",
            "message": {"role": "assistant", "model": EVIL, "content": done},
        },
        {**shared, "type": "user", "message": {"role": "user", "content": answers}},
    ]
    (folder / "one.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
