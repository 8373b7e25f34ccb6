"""What was done outside the project: on servers, in databases, in the settings of a host."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from store.agents.session import Session, Step
from store.capture.candidate import CAPTURED, Candidate, Known, Passed, passage_of
from store.capture.findings.reviews import asks_review
from store.capture.requests.request import Request
from store.capture.requests.rulings import wonders
from store.capture.steps.edited_files import is_known, writes
from store.capture.steps.shell import commands_in
from store.capture.steps.tools import command_of
from store.capture.text.accounts import closing_account
from store.capture.text.grounds import asked_below
from store.capture.text.prose import CODE_NAME
from store.model import Category
from store.text.regex import regex

_CHANGES = regex(
    r"git config --(?:global|system) (?!--(?:get|list))\S+ \S"
    r"|ssh\b.{1,200}\b(?:systemctl|service|docker|nginx|apt(?:-get)?|certbot|sed -i|tee|cp|mv|rm"
    r"|chmod|chown|ufw|crontab)\b"
    r"|(?:scp|rsync)\b.{0,200}\w:|kubectl (?:apply|delete|patch|scale|set|rollout restart|create)\b"
    r"|(?:gcloud|aws|az|fly|flyctl|heroku|wrangler|supabase|railway|vercel|doctl) (?!.*--dry-run)"
    r"(?:\S+ ){0,4}(?:create|update|delete|set|put|deploy|add|enable|disable|remove)\b"
    r"|(?:psql|mysql|mongosh|redis-cli)\b.{0,300}\b(?:insert|update|delete|alter|create|drop|grant"
    r"|config set)\b"
    r"|gh (?:api\b.{0,200}(?:-X|--method)[ =]?(?:POST|PUT|PATCH|DELETE)|secret set|variable set"
    r"|repo edit|workflow (?:run|enable|disable)|auth (?:login|refresh))\b"
    r"|sudo (?!-)\S+ \S|systemctl (?:start|stop|restart|enable|disable)\b|terraform apply\b"
    r"|(?:npm|cargo|pnpm) publish\b(?!.*--dry-run)",
    re.I | re.S,
)
"""Commands after which a host, a service or a database is another than before."""
_MAY_CHANGE = regex(
    r"\b(?:git config --|ssh|scp|rsync|kubectl|gcloud|aws|az|fly|flyctl|heroku|wrangler|supabase"
    r"|railway|vercel|doctl|psql|mysql|mongosh|redis-cli|sudo|systemctl|terraform|publish"
    r"|gh (?:api|secret|variable|repo|workflow|auth))\b"
)
_OF_REVIEWS = regex(r"\bgh api\b[^\n]{0,200}/(?:comments|reviews|replies|pulls|issues)\b")
"""What is answered in a review stands there."""
_WANTS = regex(r"\b(?:can|could|would|will) (?:you|we)\b|\bplease\b", re.I)
_NOT_DONE = regex(
    r"\bstill (?:in progress|running)\b"
    r"|\bhere are (?:the|your)\b.{0,30}\b(?:steps?|instructions)\b",
    re.I,
)
"""What goes on, and what the person is to do, is not done."""
_SHORTEST, _LONGEST = 80, 620
"""Characters of what was done."""


def done_outside(
    session: Session, requests: Sequence[Request], known: Known
) -> Iterator[Candidate | Passed]:
    """A fact for each request that changed no file, but something elsewhere, and told what."""
    for request in requests:
        text = request.asked.text if request.asked else ""
        steps = [] if _asks(text) else [step for step in request.steps if changes_elsewhere(step)]
        if not steps or not request.said or any(writes(it, session.folder) for it in request.steps):
            continue
        said = request.said[-1]
        told = closing_account(said.text, _LONGEST)
        if len(told) < _SHORTEST or not CODE_NAME.search(told) or _NOT_DONE.search(told):
            continue
        if all(is_known(step, session, known) for step in steps):
            yield Passed(told, CAPTURED)
            continue
        asked = asked_below(request.title)
        yield Candidate(
            category=Category.KEY_FACT,
            content=f"Done outside the project's files: {told}{asked}",
            summary=told,
            line=said.line,
            at=said.at,
            passage=passage_of(said.text),
            marks=session.marks(steps),
        )


def _asks(text: str) -> bool:
    """Whether a message wants to know something: what was found is told then."""
    if asks_review(text):
        return True
    return not _WANTS.search(text) and (text.endswith("?") or wonders(text))


def changes_elsewhere(step: Step) -> bool:
    """Whether the command of a step changes a host, a service or a database."""
    command = command_of(step.call)
    if step.failed or step.call.aside or not _MAY_CHANGE.search(command):
        return False  # most commands need not be cut into their parts
    commands = (command for _, command in commands_in(command))
    return any(_CHANGES.match(it) and not _OF_REVIEWS.search(it) for it in commands)
