"""Offers that write to files of others: hooks and a command to a client's, a driver to git's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeVar

from textual.content import Content

from memtui.client_command import RememberFile, command_path
from memtui.client_file import (
    InstallPlan,
    apply_install,
    command_in_use,
    plan_install,
    plan_uninstall,
)
from memtui.formatting import count, fit, short_path
from memtui.hooks.status import HookStatus, hook_status, settings_path
from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain
from memtui.tui.setup.offer import Change, Offer
from store import Memory
from store.agents.client import Client, Home
from store.agents.hook_files import hook_file
from store.agents.hooks import HookState
from store.errors import StoreError
from store.git.setup import (
    GitPlan,
    apply_git_plan,
    git_status,
    plan_git_install,
    plan_git_uninstall,
)
from store.text.display import visible

_EVENT = 20
"""Cells of the longest event's name, and the gap after it."""


PlanT = TypeVar("PlanT", InstallPlan, GitPlan)


def hooks_offer(client: Client, home: Home, *, asks_place: bool) -> Offer:
    """Return the offer of a client's hooks; `asks_place` as in `Offer`."""
    path, title = settings_path(client, home), f"Hooks for {client.title}"
    try:
        states = hook_status(client, home)
        plan = plan_install(hook_file(client), path, command_in_use())
        removal = plan_uninstall(hook_file(client), path)
    except StoreError as error:
        return _unreadable(client.name, title, error)
    done = bool(states) and all(hook.is_active for hook in states)
    after = client.hooks.after_install if client.hooks is not None and not done else ""
    what = f"hooks for {client.title}"

    def details() -> Iterator[Paragraph]:
        if done:
            yield plain("All hooks are installed and active.")
        elif plan.is_empty:
            yield plain(f"Its file is up to date. {after}".strip())
        else:
            backup = " and keeps a backup" if plan.backup is not None else ""
            shown = visible(str(plan.path), newlines=False)
            yield plain(f"Adds the green lines{backup}: {shown}")
        if any(hook.state is not HookState.MISSING for hook in states):
            yield BLANK
            yield from map(_hook_line, states)
        yield from _diff_lines(plan)

    return Offer(
        name=client.name,
        title=title,
        state="installed" if done else _state_of(states),
        details=details,
        done=done,
        take=_change(plan, apply_install, f"Installed {what}. {after}".strip()),
        remove=_change(removal, apply_install, f"Removed {what}."),
        asks_place=asks_place and not plan.is_empty,
    )


def command_offer(client: Client, home: Home) -> Iterator[Offer]:
    """Yield the offer of the command by which an agent stores memories, where it takes one."""
    path = command_path(client, home)
    if client.command is None or path is None:
        return
    name, title = f"remember-{client.name}", f"{client.command.typed} in {client.title}"
    try:
        plan, removal = plan_install(RememberFile(), path), plan_uninstall(RememberFile(), path)
    except StoreError as error:
        yield _unreadable(name, title, error, "not ours")
        return

    def details() -> Iterator[Paragraph]:
        yield plain(
            "When a session has taught something, type it: the agent stores that as memories, "
            "itself. Costs one answer of the session's own model."
        )
        if not plan.is_empty:
            yield plain(f"Writes {short_path(visible(str(plan.path), newlines=False))}")
            yield from _diff_lines(plan)

    yield Offer(
        name=name,
        title=title,
        state="installed" if plan.is_empty else "not installed",
        details=details,
        done=plan.is_empty,
        take=_change(plan, apply_install, f"Installed {title}."),
        remove=_change(removal, apply_install, f"Removed {title}."),
    )


def driver_offer(memory: Memory) -> Iterator[Offer]:
    """Yield the offer of git's merge driver, where git tracks the memory."""
    title = "Merge driver for git"
    try:
        status = git_status(memory.path)
        if not status.is_tracked:
            return
        plan = plan_git_install(memory.path, command_in_use())
        removal = plan_git_uninstall(memory.path)
    except StoreError as error:
        yield _unreadable("git", title, error)
        return

    def details() -> Iterator[Paragraph]:
        if not status.is_offered:
            yield plain("git merges memory by memory and shows changes in words.")
            return
        yield plain(
            "Keeps additions and deletions of both branches, and both versions of a double edit."
        )
        yield plain("Adds the green lines; commit .gitattributes.")
        yield from _diff_lines(plan)

    yield Offer(
        name="git",
        title=title,
        state="not installed" if status.is_offered else "installed",
        details=details,
        done=not status.is_offered,
        take=_change(plan, apply_git_plan, "Installed the merge driver.")
        if status.is_offered
        else None,
        remove=_change(removal, apply_git_plan, "Removed the merge driver."),
    )


def _unreadable(name: str, title: str, error: StoreError, state: str = "unreadable") -> Offer:
    reason = plain(visible(error.message), "$text-error")
    return Offer(name=name, title=title, state=state, details=lambda: [reason])


def _change(plan: PlanT, apply: Callable[[PlanT], object], outcome: str) -> Change | None:
    """Return the change that writes a plan; None where there is nothing to write."""

    def change() -> str:
        apply(plan)
        return outcome

    return None if plan.is_empty else change


def _diff_lines(plan: InstallPlan | GitPlan) -> Iterator[Paragraph]:
    if plan.is_empty:
        return
    yield BLANK
    for line in plan.diff.splitlines():
        if not line.startswith(("--- ", "+++ ")):
            style = {"+": "$text-success", "-": "$text-error"}.get(line[:1], "$dim")
            yield plain(visible(line, newlines=False), style)


def _hook_line(hook: HookStatus) -> Paragraph:
    state = " · ".join(filter(None, ("" if hook.is_active else str(hook.state), hook.reason)))
    is_trouble = not hook.is_active and hook.state is not HookState.MISSING
    return Paragraph(
        Content.assemble(
            ("√ ", "$text-success") if hook.is_active else ("· ", "$dim"),
            fit(visible(hook.event, newlines=False), _EVENT),
            (visible(state, newlines=False), "$text-warning" if is_trouble else "$dim"),
        ),
        hang=2,
    )


def _state_of(states: tuple[HookStatus, ...]) -> str:
    """Return the commonest trouble of hooks, where some are installed."""
    troubles = Counter(hook.state for hook in states if not hook.is_active)
    if troubles[HookState.MISSING] == len(states):
        return "not installed"
    (worst, number), *_ = troubles.most_common()
    return f"{count(number)} of {count(len(states))} {worst}"
