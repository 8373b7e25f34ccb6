"""What the pure parts make of rich examples, kept whole, so that any change of it is looked at.

After a wanted change: `pytest tests/store/whole --snapshot-update`, then read what `git diff` says.
"""
