"""What an offer would do, told beside it as exactly as it is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.content import Content

from memtui.client_file import InstallPlan
from memtui.formatting import count, fit, moment, plural, size
from memtui.hooks.status import HookStatus
from memtui.tui.setup.offer import Kind, Offer
from memtui.tui.setup.offers import sessions_in_words
from memtui.tui.setup.programs import program_details
from memtui.tui.widgets.paragraphs import BLANK, Paragraph, plain
from store.agents.hooks import HookState
from store.agents.registry import client_named
from store.errors import StoreError
from store.text.display import visible

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from store import Memory

_SHOWN = 12
"""Sessions named in the details; the rest is counted."""
_EVENT = 20
"""Cells of the longest event's name, and the gap after it."""


def offer_details(memory: Memory, offer: Offer, now: datetime) -> list[Paragraph]:
    """What an offer would do, as exactly as it is known."""
    title = plain(visible(offer.title, newlines=False), "bold")
    if offer.problem:
        return [title, BLANK, plain(visible(offer.problem), "$text-error")]
    if offer.kind is Kind.SESSIONS:
        return [title, BLANK, *_session_details(offer, now)]
    if offer.kind is Kind.MEMORIES:
        return [title, BLANK, *map(plain, _capture_sentences(memory, offer))]
    if offer.kind is Kind.HOOKS:
        return [title, BLANK, *_hook_details(offer)]
    if offer.program is not None:
        return [title, BLANK, *program_details(memory, offer, offer.program)]
    if offer.kind is Kind.GIT:
        return [title, BLANK, *_driver_details(offer)]
    if offer.kind is Kind.NOTES and offer.source is not None:
        return [title, BLANK, *_note_details(memory, offer.source)]
    if offer.kind is Kind.NOTES:
        said = "Import another store, JSON lines or Markdown notes, after a preview."
        return [title, BLANK, plain(said)]
    return [title, BLANK, plain("Opens sample data. Nothing here changes.")]


def _session_details(offer: Offer, now: datetime) -> list[Paragraph]:
    if not offer.files:
        return [
            plain("All sessions of this project are indexed.")
            if offer.done
            else plain("No agent sessions found for this project.")
        ]
    lines = [
        plain(
            f"Reads {sessions_in_words(offer.files)}, newest first. Nothing leaves this machine."
        ),
        plain("Keeps requests, changes and decisions; redacts secrets."),
        BLANK,
    ]
    for file in offer.files[:_SHOWN]:
        told = f"{moment(file.modified, now)}  {file.client}  {size(file.size)}"
        lines.append(plain(told, "$dim"))
    if len(offer.files) > _SHOWN:
        lines.append(plain(f"and {plural(len(offer.files) - _SHOWN, 'more session')}", "$dim"))
    return lines


def _capture_sentences(memory: Memory, offer: Offer) -> Iterator[str]:
    yield (
        f"Reads {sessions_in_words(offer.files)} and previews what to remember: decisions, "
        "changes and why, errors and their fixes, corrections, commands that work."
    )
    if program := memory.settings.capture_program:
        said = f"Asks {program} once per session: {plural(len(offer.files), 'prompt')}."
        yield visible(said, newlines=False)
    yield "Nothing is stored before you apply it. You can undo it."


def _hook_details(offer: Offer) -> list[Paragraph]:
    if offer.done:
        lines = [plain("All hooks are installed and active.")]
    elif isinstance(offer.plan, InstallPlan):
        path = visible(str(offer.plan.path), newlines=False)
        backup = " and keeps a backup" if offer.plan.backup is not None else ""
        lines = [plain(f"Adds the green lines{backup}: {path}")]
    else:
        lines = [plain(f"Its file is up to date. {after_install(offer)}".strip())]
    if any(hook.state is not HookState.MISSING for hook in offer.hooks):
        lines += [BLANK, *map(_hook_line, offer.hooks)]
    return [*lines, *_diff_lines(offer)]


def _driver_details(offer: Offer) -> list[Paragraph]:
    if offer.done:
        return [plain("git merges memory by memory and shows changes in words.")]
    said = "Keeps additions and deletions of both branches, and both versions of a double edit."
    return [plain(said), plain("Adds the green lines; commit .gitattributes."), *_diff_lines(offer)]


def _diff_lines(offer: Offer) -> list[Paragraph]:
    if offer.plan is None:
        return []
    lines = [BLANK]
    for line in offer.plan.diff.splitlines():
        if line.startswith(("--- ", "+++ ")):
            continue
        style = {"+": "$text-success", "-": "$text-error"}.get(line[:1], "$dim")
        lines.append(plain(visible(line, newlines=False), style))
    return lines


def _hook_line(hook: HookStatus) -> Paragraph:
    named = "" if hook.active else str(hook.state)
    state = " · ".join(filter(None, (named, hook.reason)))
    return Paragraph(
        Content.assemble(
            ("√ ", "$text-success") if hook.active else ("· ", "$dim"),
            fit(visible(hook.event, newlines=False), _EVENT),
            (visible(state, newlines=False), "$text-warning" if _is_trouble(hook) else "$dim"),
        ),
        hang=2,
    )


def _is_trouble(hook: HookStatus) -> bool:
    """Whether a hook stands in the file and would not run."""
    return not hook.active and hook.state is not HookState.MISSING


def after_install(offer: Offer) -> str:
    """What is left to the user once hooks stand in a client's file."""
    hooks = client_named(offer.name).hooks if offer.kind is Kind.HOOKS else None
    return hooks.after_install if hooks is not None and not offer.done else ""


def _note_details(memory: Memory, source: Path) -> list[Paragraph]:
    try:
        plan = memory.exchange.plan_import(source)
    except StoreError as error:
        return [plain(visible(error.told), "$dim")]
    if plan.is_empty:
        return [plain("Everything in it is already stored.")]
    found = [change.after or {} for change in plan.changes]
    lines = [
        plain(f"Adds {plural(len(found), 'memory', 'memories')}. You can undo this."),
        BLANK,
    ]
    for record in found[:_SHOWN]:
        summary = visible(str(record.get("summary", "")), newlines=False)
        lines.append(plain(f"{record.get('category', '')}  {summary}", "$dim"))
    if len(found) > _SHOWN:
        lines.append(plain(f"and {count(len(found) - _SHOWN)} more", "$dim"))
    return lines
