"""The programs whose language model can pick the memories of a session, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator
from shutil import which
from typing import NamedTuple

from memtui.formatting import plural
from store.agents.registry import clients
from store.language_model.estimate import Estimate
from store.language_model.prompt import MAX_PARTS, MAX_PROMPT


class Program(NamedTuple):
    """A command that answers a prompt; the name and the title of its client are empty where it is
    of none that we know.
    """

    client: str
    title: str
    command: str

    @property
    def name(self) -> str:
        return self.title or self.command


def programs_at_hand(chosen: str) -> Iterator[Program]:
    """Yield each client whose program is on the path and answers a prompt, and what the settings
    name, `chosen`, unless that is empty.
    """
    is_known = False
    for client in clients():
        if not client.asked_by:
            continue
        is_chosen = client.asking == chosen
        is_known |= is_chosen
        if is_chosen or which(client.program):
            yield Program(client.name, client.title, client.asking)
    if chosen and not is_known:
        yield Program("", "", chosen)


def terms(title: str) -> tuple[str, ...]:
    """Return what a client's program is sent, when, and at whose cost, a sentence each; of a
    command that is no client's, which has no title, the same as far as it is known.
    """
    model = f"the model that {title} uses" if title else "the model that this command asks"
    return (
        f"Sends the text of a session to {model}, which picks the memories. Secrets and private "
        "passages are taken out first.",
        "When you capture, and when a session ends with hooks installed.",
        f"Costs one prompt per session, of at most {MAX_PROMPT:,} characters, up to {MAX_PARTS} "
        "for a long one" + (f", on your {title} account." if title else "."),
        "Without it, and where it fails, rules on this machine pick them.",
    )


def terms_of(program: str) -> tuple[str, ...]:
    """Return the terms of a client's name, of its command, or of any other command."""
    titles = (client.title for client in clients() if program in (client.name, client.asking))
    return terms(next(titles, ""))


def estimate_in_words(estimate: Estimate) -> str:
    """`12 sessions to read: 14 prompts, about 40,000 tokens.`"""
    return (
        f"{plural(estimate.sessions, 'session')} to read: {plural(estimate.prompts, 'prompt')}, "
        f"about {round(estimate.tokens, -2):,} tokens."
    )
