"""What the app's settings may name: themes, actions, keys, commands.

Settings are checked where no screen is loaded, so the names are kept here; tests hold them to what
there is.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache

from memtui.settings.themes import THEMES
from store.text import check_name, nearest

BINDINGS = tuple(
    """
    app.clarifications clarifications.abandon clarifications.answer clarifications.decision
    clarifications.escalate clarifications.resolve
    archived.archive results.all results.range
    app.sessions sessions.open sessions.search sessions.take_in sessions.stop
    sessions.zoom memory.source setup.stop
    session.capture session.resume session.file session.back
    conversation.unfold conversation.range conversation.next conversation.previous
    activity.filter activity.history agents.choose app.activity app.doctor app.help app.history
    app.import app.palette app.prune app.quit app.quit_anywhere app.redo
    app.settings app.setup app.stats app.undo
    browse.capture browse.clear browse.client
    browse.compact browse.inject browse.issue browse.next_pane browse.order
    browse.pane_1 browse.pane_2 browse.pane_3 browse.pane_4
    browse.previous_pane browse.refresh browse.search browse.zoom candidates.filter
    candidates.left_out candidates.mark candidates.mute candidates.open candidates.pin
    capture.agent capture.drop capture.edit capture.issue capture.keep capture.model
    programs.back programs.pick
    categories.choose categories.fold filter.clear filter.done
    categories.unfold clusters.leave_out compaction.apply compaction.back compaction.move_out
    compaction.next_pane compaction.plan compaction.previous_pane compare.back compare.channel
    compare.less compare.more compare.profile compare.take confirm.back confirm.yes copy.back
    copy.block copy.copy copy.id copy.save copy.text doctor.driver doctor.repair
    help.back help.manual
    history.redo history.undo injection.agent injection.back injection.channel injection.compare
    injection.copy injection.issue injection.less injection.more injection.pane
    injection.pane_back injection.profile injection.save injection.task injection.write
    injection.zoom list.down list.first list.last list.pgdn list.pgup list.up manual.back
    manual.index manual.last manual.next memory.back originals.down originals.first
    originals.last originals.up overview.back overview.open overview.refresh picker.back
    picker.down picker.pgdn picker.pgup picker.pick picker.up plan.apply plan.back reader.down
    reader.end reader.pgdn reader.pgup reader.top reader.up refused.again refused.back
    resolve.back resolve.keep resolve.next resolve.take
    results.open results.select save.back save.format save.write scope.back scope.pick
    setup.remove setup.take
    sources.back sources.complete sources.down sources.pgdn sources.pgup sources.pick sources.up
    search.complete search.down search.leave search.open search.pgdn search.pgup search.up
    prompt.apply prompt.back prompt.next prompt.previous prompt.save settings.edit settings.file
    settings.redo settings.reset settings.undo
    stats.back stats.refresh task.done memory.archive memory.close memory.copy
    memory.delete memory.edit memory.export memory.mute memory.new memory.pin
    memory.next memory.pane memory.previous
    memory.resolve related.open
    text.back text.down text.end text.pgdn text.pgup text.top text.up transcripts.back
    transcripts.down transcripts.pgdn transcripts.pgup transcripts.pick transcripts.up
    write.back write.keep
    """.split()
)
"""The ids of all key bindings, each a place and the name of an action."""


def _actions() -> dict[str, tuple[str, ...]]:
    ids: dict[str, tuple[str, ...]] = {}
    for binding in BINDINGS:
        name = binding.rpartition(".")[2]
        ids[name] = (*ids.get(name, ()), binding)
    return ids


ACTIONS: Mapping[str, tuple[str, ...]] = _actions()
"""The names of the actions, each with the bindings that it has in one place or in several."""

_MODIFIERS = frozenset({"alt", "ctrl", "hyper", "meta", "shift", "super"})
_SHORTER = {
    "solidus": "slash",
    "reverse_solidus": "backslash",
    "commercial_at": "at",
    "hyphen_minus": "minus",
    "plus_sign": "plus",
    "low_line": "underscore",
}


def _name_of(character: str) -> str:
    """The name of a key that writes a sign, such as `question_mark`: Unicode's, or a shorter."""
    import unicodedata

    name = unicodedata.name(character).lower().replace("-", "_").replace(" ", "_")
    return _SHORTER.get(name, name)


@cache
def _named() -> frozenset[str]:
    """The names of the keys that have more than a letter or a digit."""
    import string

    moving = "backspace delete down end enter escape home insert left pagedown pageup right space"
    numbered = [f"f{number}" for number in range(1, 25)]
    return frozenset([*moving.split(), "tab", "up", *numbered, *map(_name_of, string.punctuation)])


def check_theme(name: str) -> bool:
    """That there is a theme of this name. Raises `ValueError`."""
    return check_name(name, "theme", THEMES, f"known: {', '.join(THEMES)}")


def check_action(name: str) -> bool:
    """That there is an action of this name. Raises `ValueError`."""
    return check_name(name, "action", ACTIONS, "see Settings in the manual")


def check_keys(keys: str) -> bool:
    """That it names keys, joined by commas. Raises `ValueError`."""
    return bool(key_names(keys))


def key_names(keys: str) -> tuple[str, ...]:
    """The keys that are named, joined by commas: `f8`, `ctrl+d`, `question_mark`, `?`.

    Raises `ValueError` where one is no key.
    """
    return tuple(_key_name(each.strip()) for each in keys.split(","))


def _key_name(key: str) -> str:
    if len(key) == 1 and key.isprintable() and not key.isspace():
        return key if key.isalnum() else _name_of(key)
    *modifiers, plain = key.split("+")
    known = plain in _named() or (len(plain) == 1 and plain.isalnum())
    if not known or not _MODIFIERS.issuperset(modifiers):
        meant = nearest(key, _named())
        such = f"did you mean `{meant}`?" if meant else "keys are named like `x`, `f8` or `ctrl+d`"
        raise ValueError(f"unknown key `{key}`; {such}")
    if modifiers == ["shift"] and plain.isalpha() and len(plain) == 1:
        return plain.upper()  # what terminals send
    return "+".join((*sorted(set(modifiers)), plain))


def check_command(command: str) -> bool:
    """That it can be taken apart into the words of a command. Raises `ValueError`."""
    import shlex

    try:
        shlex.split(command, posix=os.name == "posix")
    except ValueError as error:
        raise ValueError(f"`{command}` is not a command: {str(error).lower()}") from error
    return True
