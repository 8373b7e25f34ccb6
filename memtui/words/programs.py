"""Sentences about a program whose language model picks the memories."""

from __future__ import annotations

from store.agents.registry import clients
from store.language_model.prompt import MAX_PARTS, MAX_PROMPT


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
