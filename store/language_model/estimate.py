"""An estimate of what asking a language model about sessions would send."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from store.agents.client import SessionFile
from store.capture.plan import Held
from store.errors import Unreadable
from store.operations.plan import GoesOn
from store.sessions.place import issue_for
from store.sessions.session_file import read_file

_CHARACTERS_PER_TOKEN = 4


class Estimate(NamedTuple):
    """What asking a language model would take: sessions, prompts, and the tokens of these."""

    sessions: int
    prompts: int
    tokens: int


def estimate_of(
    files: Sequence[SessionFile], held: Held, goes_on: GoesOn | None = None
) -> Estimate:
    """Estimate what asking about session files would send. Reads each; asks nobody."""
    sizes = [
        len(prompt)
        for done, file in enumerate(files)
        if goes_on is None or goes_on(done, len(files))
        for prompt in _prompts(file, held)
    ]
    return Estimate(len(files), len(sizes), -(-sum(sizes) // _CHARACTERS_PER_TOKEN))


def _prompts(file: SessionFile, held: Held) -> Iterator[str]:
    """Yield what would be asked about a session; nothing where it can't be read."""
    # A hook loads this module with `Capture`, and needs no prompt.
    from store.language_model.prompt import parts_of, prompt_of, shown_of

    with suppress(OSError, Unreadable):
        session, _ = read_file(file.path, session_id=file.session_id)
        shown = shown_of(held(issue_for(branch=session.branch)), session.id)
        for text in parts_of(session).texts if session.messages else ():
            yield prompt_of(text, shown)
