"""What an agent is asked by the command `/remember`, and by the prompt of that name."""

from __future__ import annotations

ABOUT = "Store what the next session on this project needs in memtui's memory."
TEXT = """\
Store what the next session on this project needs and cannot learn from its code or its git log,
with one call of memtui's tool `memory_add`: the list `memories`, each with `category` and
`content`.

- decision: what was decided and why; what was rejected, and why; limits and names pinned.
- lesson: what the user corrected, wants, or never wants.
- error: what failed, its real cause, and what mended it.
- key-fact: how something here works that took effort to find out; a trap of the environment.
- procedure: a command that worked for building, testing, running or deploying, with its folder.
- code-change: why something was changed as it was, with its files.
- task: what the user still wants done and nobody did.
- handoff: one at most, where work is broken off: what is done, what is open, where to go on.

Two to six are usual, and none is a good answer. Each stands alone for a reader who never saw this
session: it names the file, function, command and value, says why, in one to three sentences. Leave
out progress, guesses, secrets, and what memory has told you already. Without that tool, run
`memtui add --batch -` with a JSON object a line: {"agent": "", "category": "", "content": ""}.
Then say in one line what you stored.
"""
