"""The themes of the app."""

from __future__ import annotations

THEMES = tuple(
    "memtui textual-dark textual-light nord gruvbox catppuccin-mocha dracula tokyo-night monokai "
    "flexoki catppuccin-latte catppuccin-frappe catppuccin-macchiato solarized-light "
    "solarized-dark rose-pine rose-pine-moon rose-pine-dawn atom-one-dark atom-one-light "
    "ansi-dark ansi-light".split()
)
"""The themes; those called ansi use the terminal's own colours."""
