"""Plan, apply, journal, undo: every change that can be previewed and taken back."""
