"""Plan, apply, journal, undo, redo: every change that can be previewed and taken back."""
