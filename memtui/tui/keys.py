"""The keys that work on every screen."""

from __future__ import annotations

from textual.binding import Binding, BindingType

APP_KEYS: list[BindingType] = [
    Binding(
        "s",
        "show('Stats')",
        "stats",
        id="app.stats",
        tooltip="Totals, growth and performance",
    ),
    Binding(
        "S",
        "show('Sessions')",
        "sessions",
        show=False,
        id="app.sessions",
        tooltip="Agent sessions of this project: list, search, read",
    ),
    Binding(
        "W",
        "show('Setup')",
        "set up",
        show=False,
        id="app.setup",
        tooltip="Index sessions, install hooks, import notes",
    ),
    Binding(
        "comma",
        "show('Settings')",
        "settings",
        show=False,
        id="app.settings",
        tooltip="Show and change settings",
    ),
    Binding(
        "X",
        "import",
        "import",
        show=False,
        id="app.import",
        tooltip="Import a store, a file or a folder of notes, after a preview",
    ),
    Binding(
        "u,ctrl+z",
        "undo",
        "undo",
        id="app.undo",
        tooltip="Undo the last operation of any kind",
    ),
    Binding(
        "U,ctrl+y",
        "redo",
        "redo",
        show=False,
        id="app.redo",
        tooltip="Redo the last undone operation",
    ),
    Binding(
        "A",
        "show('Activity')",
        "activity",
        show=False,
        id="app.activity",
        tooltip="What was stored, injected, changed and undone, live",
    ),
    Binding(
        "H",
        "show('History')",
        "history",
        show=False,
        id="app.history",
        tooltip="Operations of the last 30 days; any can be undone",
    ),
    Binding(
        "Q",
        "show('Clarifications')",
        "questions",
        show=False,
        id="app.clarifications",
        tooltip="Questions between agents: who waits for whom, and answers",
    ),
    Binding(
        "exclamation_mark",
        "show('Doctor')",
        "doctor",
        show=False,
        id="app.doctor",
        tooltip="Problems and repairs",
    ),
    Binding("question_mark,f1", "help", "help", id="app.help", tooltip="Keys of this screen"),
    Binding(
        "ctrl+p",
        "command_palette",
        "palette",
        show=False,
        id="app.palette",
        tooltip="All actions, issues and agents",
    ),
    Binding("q", "quit", "quit", id="app.quit", tooltip="Leave memtui"),
    Binding(
        "ctrl+q",
        "quit",
        "quit",
        show=False,
        priority=True,
        id="app.quit_anywhere",
        tooltip="Leave memtui",
    ),
]
"""What works wherever a screen has no key of its own."""
