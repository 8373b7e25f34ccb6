"""Checkpoints: the last messages of a session that may break off, to go on from. They are kept by
agent and session, seven days, never in git.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

from store.agents.session import Session
from store.agents.transcript import Speaker
from store.backends import is_in_vault
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import NotFound, StoreError, Unopened, Unreadable
from store.platform.bounds import load_json
from store.platform.json_fields import is_integer, items, mapping, string, strings
from store.platform.read import read_bytes
from store.records import InvalidRecord, compact_json
from store.redaction.labels import agent_name, clean_label
from store.redaction.sanitizer import cleaned_text
from store.sessions.digest_record import load_record, text_name
from store.text.shortening import shorten

_MOST_BYTES = 20_000_000
"""Bytes that all checkpoints may take; the oldest go first."""
VALID = timedelta(days=7)
"""How long a checkpoint is good for."""
MOST_MESSAGES = 50
_LONGEST = 4_000
"""Characters of a message that are kept: its beginning and its end."""
_TOLD, _TOLD_WIDTH, _OPEN_WIDTH = 3, 320, 240
"""Messages of a session that broke off that the next one gets, and characters of each."""
_MOST_PROCESS = 2**31 - 1
"""The greatest number of a process that a system can be asked about."""
USER, AGENT = "user", "agent"
_USERS = frozenset({"user", "human"})
TITLE = "Recovering previous session:"
_NO_KEYS: Mapping[str, Any] = MappingProxyType({})
_KNOWN = frozenset("agentId savedAt messages chatId modelId branch open ended owner".split())


class KeptMessage(NamedTuple):
    """A message of `user` or `agent`."""

    role: str
    text: str


class Checkpoint(NamedTuple):
    """The last messages of a session of an agent, as they were at `saved_at`.

    `chat_id` is the session's id and `branch` where it worked, empty where that is not known;
    `left_open` what it had still to do. `ended`: it came to its end, and there is nothing to
    recover. `owner` is the process that ran it, 0 where that is not known. `of_vault`: it is one
    that a vault's own program keeps, and is its own to remove.
    """

    agent: str
    saved_at: datetime
    messages: tuple[KeptMessage, ...] = ()
    chat_id: str = ""
    model_id: str = ""
    branch: str = ""
    left_open: tuple[str, ...] = ()
    ended: bool = False
    owner: int = 0
    of_vault: bool = False
    extra: Mapping[str, Any] = _NO_KEYS


class Checkpoints:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def write(self, checkpoint: Checkpoint) -> None:
        """Keep a checkpoint in place of the session's last one; those that expired are removed.

        Raises `ReadOnly`, `WriteFailed`.
        """
        agent, chat_id = checkpoint.agent, checkpoint.chat_id
        name = text_name(f"{agent}-{chat_id}" if chat_id else agent)
        data = compact_json(to_record(checkpoint))
        # Written at every prompt: it outlives the agent's crash, and may be lost in a power cut.
        self._backend.texts.keep(TextKind.CHECKPOINTS, name, data, durable=False, private=True)
        with suppress(StoreError, OSError):  # it is tried again with the next one
            self._backend.texts.expire(
                TextKind.CHECKPOINTS, checkpoint.saved_at, VALID, _MOST_BYTES, name
            )

    def valid(self, now: datetime) -> list[Checkpoint]:
        """List the checkpoints that are still valid, newest first, those of a vault's own program
        among them; remove the others, but for one that can't be opened just now.
        """
        found = self.valid_of_vault(now)
        try:
            names = self._backend.texts.names(TextKind.CHECKPOINTS)
        except Unreadable:
            return found
        for name in names:
            try:
                checkpoint = self._read(name)
            except Unopened:
                continue
            if checkpoint is not None and is_valid(checkpoint, now):
                found.append(checkpoint)
            else:
                with suppress(StoreError):  # a memory that can't be written to keeps it
                    self._backend.texts.remove(TextKind.CHECKPOINTS, name)
        return sorted(found, key=lambda kept: (kept.saved_at, kept.chat_id), reverse=True)

    def valid_of_vault(self, now: datetime) -> list[Checkpoint]:
        """List those that a vault's own program keeps and that are still valid, newest first; none
        where memory is no vault.
        """
        if not is_in_vault(self._backend):
            return []
        from store.backends.vault import layout, listing  # few memories are vaults

        folder, found = self._backend.folder, []
        with suppress(Unreadable):
            for path in listing.json_files(folder, layout.CHECKPOINTS):
                with suppress(Unreadable, FileNotFoundError, ValueError):
                    checkpoint = _of_vault(load_json(read_bytes(folder / path, folder)))
                    found += [checkpoint] if is_valid(checkpoint, now) else []
        return sorted(found, key=lambda kept: kept.saved_at, reverse=True)

    def _read(self, name: str) -> Checkpoint | None:
        """Return the checkpoint of a name; None where it is gone or none. Raises `Unopened`."""
        try:
            return from_record(load_record(self._backend.texts.read(TextKind.CHECKPOINTS, name)))
        except Unopened:
            raise
        except (NotFound, Unreadable, ValueError):
            return None


def messages_in(session: Session) -> list[KeptMessage]:
    return [
        KeptMessage(USER if message.speaker is Speaker.USER else AGENT, message.text)
        for message in session.messages[-MOST_MESSAGES:]
    ]


def messages_of(given: Iterable[KeptMessage | Mapping[str, object]]) -> tuple[KeptMessage, ...]:
    """Return the last 50 messages, without secrets, private text and those that are `internal`."""
    found = [
        message if isinstance(message, KeptMessage) else _message(message)
        for message in given
        if isinstance(message, KeptMessage) or message.get("internal") is not True
    ]
    kept = [message for message in found if message.text.strip()][-MOST_MESSAGES:]
    return tuple(
        KeptMessage(message.role, _middle_out(cleaned_text(message.text))) for message in kept
    )


def is_valid(checkpoint: Checkpoint, now: datetime) -> bool:
    """Return whether the checkpoint is at most seven days old, and at most as far ahead."""
    return abs(now - checkpoint.saved_at) <= VALID


def recovery_lines(checkpoint: Checkpoint) -> tuple[str, ...]:
    """Lines for the next session about one that broke off: its last messages, and open ends."""
    messages = checkpoint.messages[-_TOLD:]
    if not messages:
        return ()
    return (
        TITLE,
        *(f"[{message.role}]: {shorten(message.text, _TOLD_WIDTH)}" for message in messages),
        *(f"open: {shorten(text, _OPEN_WIDTH)}" for text in checkpoint.left_open[:_TOLD]),
    )


def to_record(checkpoint: Checkpoint) -> dict[str, Any]:
    """Return a checkpoint as JSON; what is empty is left out."""
    record: dict[str, Any] = {
        "agentId": checkpoint.agent,
        "savedAt": round(checkpoint.saved_at.timestamp() * 1_000),
        "messages": [message._asdict() for message in checkpoint.messages],
        "chatId": checkpoint.chat_id,
        "modelId": checkpoint.model_id,
        "branch": checkpoint.branch,
        "open": list(checkpoint.left_open),
        "ended": checkpoint.ended,
        "owner": checkpoint.owner,
    }
    kept = {key: value for key, value in record.items() if value or key == "messages"}
    return kept | {key: value for key, value in checkpoint.extra.items() if key not in record}


def from_record(value: object) -> Checkpoint:
    """Return the checkpoint of a record. Raises `InvalidRecord` for anything else."""
    if not isinstance(value, Mapping):
        raise InvalidRecord("not a checkpoint")
    agent, saved, messages = (value.get(key) for key in ("agentId", "savedAt", "messages"))
    if not isinstance(agent, str) or not isinstance(messages, list):
        raise InvalidRecord("not a checkpoint: agent or messages are missing")
    try:
        at = datetime.fromtimestamp(float(str(saved)) / 1_000, UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidRecord("not a checkpoint: it has no time") from error
    return Checkpoint(
        agent,
        at,
        tuple(_message(message) for message in messages if isinstance(message, Mapping)),
        chat_id=string(value.get("chatId")),
        model_id=string(value.get("modelId")),
        branch=string(value.get("branch")),
        left_open=strings(value.get("open")),
        ended=value.get("ended") is True,
        owner=_process(value.get("owner")),
        extra={key: field for key, field in value.items() if key not in _KNOWN},
    )


def _of_vault(value: object) -> Checkpoint:
    """Return the checkpoint of another program, cleaned as ours are. Raises `InvalidRecord`."""
    found = from_record(value)
    messages = items(mapping(value).get("messages"))
    return Checkpoint(
        agent_name(found.agent),
        found.saved_at,
        messages_of(message for message in messages if isinstance(message, Mapping)),
        clean_label(found.chat_id),
        clean_label(found.model_id),
        of_vault=True,
    )


def _process(value: object) -> int:
    """Return the number of a process; 0 for what can be none."""
    return value if is_integer(value) and 0 < value <= _MOST_PROCESS else 0


def _message(given: Mapping[str, object]) -> KeptMessage:
    text = given.get("text", given.get("content"))
    role = USER if str(given.get("role", "")).lower() in _USERS else AGENT
    return KeptMessage(role, string(text))


def _middle_out(text: str) -> str:
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}\n…\n{text[-half:]}"
