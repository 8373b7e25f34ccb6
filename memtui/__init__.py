"""The faces of memory: command line, hooks, servers and terminal app."""

from memtui_start import is_program, leave_foreign_folders

if is_program():
    leave_foreign_folders()

from store.settings.schema import extend_settings

__version__ = "0.1.0"

extend_settings("memtui.settings.schema:AppSettings")
