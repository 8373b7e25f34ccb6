"""Lines of a conversation that a vault's own program saved, which that program would keep."""

from __future__ import annotations

from collections.abc import Iterator

from store.agents.transcript import Speaker
from store.agents.vault_lines import vault_lines
from store.capture.candidate import Candidate
from store.capture.work import Reading

_TAGS = ("auto-extract",)


def find(reading: Reading) -> Iterator[Candidate]:
    """Yield the decisions and lessons that the agent's messages have by the program's patterns."""
    if not reading.session.of_vault:
        return
    spoken = [message for message in reading.session.messages if message.speaker is Speaker.AGENT]
    for line in vault_lines(message.text for message in spoken):
        found = reading.from_message(spoken[line.message], line.category, line.text)
        yield found._replace(tags=_TAGS)
