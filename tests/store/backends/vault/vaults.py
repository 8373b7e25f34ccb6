"""Vaults for tests: as the format's own program writes them, and as people edit them."""

from __future__ import annotations

from pathlib import Path
from random import Random

from store.backends.vault.backend import VaultBackend
from tests.store.factories import NOW

DECISIONS = """\
<!-- id:1773679871839 -->
## 2026-03-16T16:51 · #react #typescript

We decided to use SSE, see [[1773679871000]].

- because it is plain
- because proxies let it pass

---

<!-- id:1773679871000 -->
## 2026-03-16T16:51

We chose plain files.

---
"""
LESSONS = """\
# Lições

<!-- id:1773700000000 -->
## 2026-03-16T22:26 · #compacted #auto-extract

Aprendemos que o índice atrasa.

---
Escrito à mão, sem marca.

## Outra nota #solta
- com lista
- de dois
"""
TASKS = """\
- [ ] Mend the gauge
- [x] Write the page
  with its pictures

<!-- id:1773600000000 -->
## 2026-03-15T18:40 · #later

- [ ] Try it by hand

---
"""
FILES = {
    "_project.md": "# Shop\n\nA shop in TypeScript. Tests run with `npm test`.\n",
    "dev/decisions.md": DECISIONS,
    "dev/lessons.md": LESSONS,
    "dev/tasks.md": TASKS,
    "tech-writer/handoffs.md": DECISIONS.replace("177367987", "177367988"),
    "notes/Lock rules.md": "---\ntags: [locks, rules]\ncreated: 2026-01-02\n---\nSee [[Shop]].\n",
    "notes/Daily/2026-03-01.md": "# Today\n\nNothing #quiet\n",
}


def make_vault(folder: Path, files: dict[str, str] = FILES) -> Path:
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())
    return folder


def open_vault(folder: Path) -> VaultBackend:
    return VaultBackend(folder, lambda: NOW)


def texts(folder: Path) -> dict[str, str]:
    """All Markdown files of a vault, those of its archive not."""
    found = (it for it in sorted(folder.rglob("*.md")) if ".vault" not in it.parts)
    return {it.relative_to(folder).as_posix(): it.read_bytes().decode() for it in found}


def edit_by_hand(text: str, random: Random) -> str:
    """The text as somebody leaves it who edits a line of it."""
    lines = text.split("\n")
    at = random.randrange(len(lines) + 1)
    match random.randrange(6):
        case 0:
            lines.insert(
                at, random.choice(["", "---", "## Mine", "free #text", "- [ ] more", "```"])
            )
        case 1 if lines:
            del lines[at % len(lines)]
        case 2 if lines:
            lines[at % len(lines)] += random.choice([" ", "\r", " #tag", " …", "\\"])
        case 3:
            lines.insert(at, f"<!-- id:{random.randrange(10**13)} -->")
        case 4 if lines:
            lines.insert(at, lines[random.randrange(len(lines))])
        case _:
            lines[at:at] = ["## 2026-04-01T10:00 · #mine", "", "Mine", "", "---"]
    return "\n".join(lines)
