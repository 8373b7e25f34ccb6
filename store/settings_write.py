"""Changing one setting in its file, everything else in it left as it is."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path

from store.errors import WriteFailed

_TABLE = re.compile(r"^\s*\[", re.M)


def keep_setting(path: Path, name: str, value: str | float | bool) -> None:
    """Set a plain setting in a file of settings, which is made where there is none.

    Raises `WriteFailed`; then the file is as it was.
    """
    line = f"{name} = {json.dumps(value, ensure_ascii=False)}\n"
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            before, mode = path.read_text(encoding="utf-8"), path.stat().st_mode & 0o777
        except FileNotFoundError:
            before, mode = "", 0o600
        temporary.write_text(_with_line(before, name, line), encoding="utf-8")
        temporary.chmod(mode)
        temporary.replace(path.resolve())
    except (OSError, UnicodeError) as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        why = getattr(error, "strerror", None) or "it is no text"
        raise WriteFailed(
            f"{path} could not be changed: {why}.", f"Write {line.strip()}."
        ) from error


def _with_line(text: str, name: str, line: str) -> str:
    """A file's text with a setting's line in place of the old one, before the first table."""
    table = _TABLE.search(text)
    end = table.start() if table else len(text)
    head, tail = text[:end], text[end:]
    old = re.compile(rf"^[ \t]*{re.escape(name)}[ \t]*=[^\n]*\n?", re.M)
    if old.search(head):
        return old.sub(lambda _: line, head, count=1) + tail
    if head and not head.endswith("\n"):
        head += "\n"
    return head + line + tail
