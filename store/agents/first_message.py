"""The first request of a session, found without reading the rest."""

from __future__ import annotations

from itertools import islice

from store.agents.client import SessionFile
from store.agents.discovery import open_session
from store.agents.formats import read_transcript
from store.agents.noise import without_noise
from store.agents.transcript import Message, Speaker
from store.errors import StoreError

_LINES = 400
"""Lines of a session that are read at most: clients begin with notes of their own."""


def first_request(file: SessionFile) -> str:
    """The first line of what was asked first; empty where none is found, or nothing can be read."""
    try:
        with open_session(file.path) as lines:
            for event in read_transcript(islice(lines, _LINES), likely=file.client):
                if isinstance(event, Message) and event.speaker is Speaker.USER:
                    text = without_noise(event.text).strip()
                    if text:
                        return text.splitlines()[0].strip()
    except (OSError, StoreError):
        return ""
    return ""
