"""Dialogs that every feature shares: pick, confirm, apply a plan."""
