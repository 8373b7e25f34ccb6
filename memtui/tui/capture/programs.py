"""Choose whose language model picks the memories of a session, or that rules do."""

from __future__ import annotations

from memtui.formatting import plural
from memtui.settings.programs import Program
from memtui.tui.dialogs.picker import ShortPicker
from memtui.tui.frame import routes
from memtui.tui.frame.routes import Context
from memtui.words.programs import terms

_RULES = Program("", "Rules", "")


class ProgramPicker(ShortPicker[Program, str]):
    """Gives the command of the one picked, or None; below the list what it is sent, and at whose
    cost.
    """

    def __init__(self, context: Context, route: routes.PickProgram) -> None:
        programs = [*route.programs, _RULES]
        commands = [program.command for program in programs]
        chosen = route.chosen
        rows = [
            (program, program.name, "picked these" if program.command == chosen else "")
            for program in programs
        ]
        at = commands.index(chosen) if chosen and chosen in commands else 0
        super().__init__("Pick with", rows, at)
        self._sessions = route.sessions

    def about(self, row: Program) -> str:
        if row == _RULES:
            return "Picks them on this machine, at once."
        sent, _, *rest = terms(row.title)
        said = [sent, *rest]
        if self._sessions > 1:
            said.append(f"Up to {plural(self._sessions, 'prompt')} for these sessions.")
        return "\n".join(said)

    def value_of(self, row: Program) -> str:
        return row.command
