"""The faces of memory: command line, hooks, servers and terminal app."""

from store.extension import extend_settings

__version__ = "0.1.0"

extend_settings("memtui.settings.schema:AppSettings")
