"""`python -m memtui`: the same as the command `memtui`."""

from memtui.cli.main import main

main()
