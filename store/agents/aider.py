"""Aider's chats: `.aider.chat.history.md` in a project, one chat after the other.

A chat begins with `# aider chat started at …`. Lines of the user begin with `####`, those of the
program with `>`, and both end in two spaces; the rest is what the model said. Edits are blocks in
its words; the program names those that it applied.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path

from store.agents.client import Client, ContextFile, Head, Home, SessionFile
from store.agents.compressed import MAX_SESSION
from store.agents.transcript import Event, Line, Speaker
from store.platform.bounds import read_regular

AGENT = "aider"
HISTORY = ".aider.chat.history.md"
_STARTED = "# aider chat started at "
_BREAK = "  "
"""What a line of the user or the program ends in."""
_MODEL = re.compile(r"(?:Main model|Model): (\S+)")
_APPLIED = "Applied edit to "
_RUN = re.compile(r"(?:/run |/test |!)\s*(.+)")
_BLOCK = re.compile(
    r"^(?P<path>[^\n]+)\n```[^\n]*\n<{5,9} SEARCH\n"
    r"(?P<old>.*?)^={5,9}\n(?P<new>.*?)^>{5,9} REPLACE",
    re.M | re.S,
)


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    chat = _Chat()
    for number, raw in enumerate(lines, 1):
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line.startswith(_STARTED):
            yield from chat.ended()
            chat.begin(line.removeprefix(_STARTED).strip())
            yield Line(number, chat.at).info(session_id=chat.started, agent=AGENT)
        elif line.startswith("####") and line.endswith(_BREAK):
            yield from chat.add(number, Speaker.USER, line[4:].strip())
        elif line.startswith(">") and line.endswith(_BREAK):
            yield from chat.ended()
            yield from chat.noted(Line(number, chat.at), line[1:].strip())
        elif line.strip() or chat.speaker is Speaker.AGENT:
            yield from chat.add(number, Speaker.AGENT, line)
    yield from chat.ended()


class _Chat:
    """What is being said, and the edits that were proposed and not yet applied; all of it `at` the
    moment when the chat started: there is no other.
    """

    def __init__(self) -> None:
        self.started = ""
        self.at: datetime | None = None
        self.speaker: Speaker | None = None
        self._line = 0
        self._text: list[str] = []
        self._proposed: dict[str, list[dict[str, str]]] = {}

    def begin(self, started: str) -> None:
        self.started, self.at = started, _moment(started)

    def add(self, line: int, speaker: Speaker, text: str) -> Iterator[Event]:
        if speaker is not self.speaker:
            yield from self.ended()
            self.speaker, self._line = speaker, line
        self._text.append(text)

    def ended(self) -> Iterator[Event]:
        """Take the message that was collected so far."""
        text, speaker = "\n".join(self._text).strip(), self.speaker
        self._text, self.speaker = [], None
        if not text or speaker is None:
            return
        line = Line(self._line, self.at)
        command = _RUN.fullmatch(text) if speaker is Speaker.USER else None
        if command is not None:
            call_id = self._call_id(line.number)
            yield line.call(call_id=call_id, tool="bash", arguments={"command": command[1]})
        else:
            yield from line.message(speaker, text)
        for block in _BLOCK.finditer(text):
            change = {"old_string": block["old"], "new_string": block["new"]}
            self._proposed.setdefault(block["path"].strip(), []).append(change)

    def noted(self, line: Line, text: str) -> Iterator[Event]:
        """Yield a line of the program: its model, or an edit that it applied."""
        if model := _MODEL.match(text):
            yield line.info(model=model[1])
        elif text.startswith(_APPLIED):
            path = text.removeprefix(_APPLIED)
            call_id = self._call_id(line.number)
            arguments = {"path": path, "edits": self._proposed.pop(path, [])}
            yield line.call(call_id=call_id, tool="edit", arguments=arguments)
            yield line.result(call_id=call_id, text=text)

    def _call_id(self, line: int) -> str:
        """An id that no call of another chat has: by it memory knows what it holds already."""
        return f"{AGENT}-{self.started}-{line}"


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """Yield the chats in the folders' histories; without folders none are known."""
    for folder in folders:
        path = folder / HISTORY
        try:
            chats = list(_chats(read_regular(path, MAX_SESSION)))
            ended = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        except OSError:
            continue
        following = [_moment(started) for started, _ in chats[1:]]
        for (started, lines), end in zip(chats, [*following, ended], strict=True):
            yield SessionFile(
                path=path.with_name(f"{HISTORY}#{started}"),
                client=AGENT,
                modified=end or ended,
                size=sum(map(len, lines)),
                session_id=started,
                folder=str(folder),
            )


def lines(place: Path) -> AbstractContextManager[Iterable[bytes]] | None:
    """One chat of a history, `FILE#START`. Raises OSError."""
    path, _, started = str(place).rpartition("#")
    if Path(path).name != HISTORY:
        return None
    content = read_regular(Path(path), MAX_SESSION)
    found = next((lines for begun, lines in _chats(content) if begun == started), None)
    if found is None:
        raise FileNotFoundError(2, f"no chat started at {started}", path)
    return nullcontext(found)


def _chats(content: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """Yield the chats of a history: when each started, and its lines."""
    mark = _STARTED.encode()
    lines = content.splitlines(keepends=True)
    starts = [at for at, line in enumerate(lines) if line.startswith(mark)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield lines[start].removeprefix(mark).decode("utf-8", "replace").strip(), lines[start:end]


def _moment(started: str) -> datetime | None:
    """When a chat started; it is written in the time of the machine."""
    try:
        return datetime.fromisoformat(started).astimezone(UTC)
    except ValueError:
        return None


def matches_format(head: Head) -> bool:
    return head.start.startswith(_STARTED.encode())


CLIENT = Client(
    name=AGENT,
    title="Aider",
    session_files=session_files,
    matches_format=matches_format,
    read=read,
    lines=lines,
    context=(ContextFile("instruction", "CONVENTIONS.md"),),
)
