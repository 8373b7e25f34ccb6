"""The files that clients load by themselves, as far as they load them."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import pytest

from store.agents import context_files
from store.agents.client import Home
from store.agents.context_files import ContextPart, context_parts, context_text, described_parts
from store.agents.registry import client_named


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """A home, and a repository with a folder `pkg` in it."""
    home, root = tmp_path / "home", tmp_path / "shop"
    home.mkdir()
    (root / "pkg").mkdir(parents=True)
    subprocess.run(["git", "init", "-qb", "main", str(root)], check=True)
    return home, root


def written(base: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def shown(parts: Iterator[ContextPart]) -> list[tuple[str, str, str]]:
    """Each part's source, what of it is in the context, and when or for what the rest is loaded."""
    return [
        (part.name, part.text, part.condition or part.importer or (part.rest and str(part.loading)))
        for part in parts
    ]


def test_claude_code_loads_levels_rules_imports_and_its_memory(places: tuple[Path, Path]) -> None:
    home, root = places
    project = str(root).translate(str.maketrans("/_.", "---"))
    memory = f".claude/projects/{project}/memory"
    written(
        home,
        {
            ".claude/CLAUDE.md": "Mine: @~/style.md",
            "style.md": "Short names.",
            f"{memory}/MEMORY.md": "".join(f"- {n}\n" for n in range(1, 203)),
            f"{memory}/topic.md": "A topic.",
        },
    )
    written(
        root,
        {
            "CLAUDE.md": "See @docs/a.md or `@docs/code.md` or @no.\n```\n@docs/code.md\n```\n",
            "docs/a.md": "A, as in @b.md",
            "docs/b.md": "B, as in @a.md",
            "docs/code.md": "not imported",
            "AGENTS.md": "for others",
            "CLAUDE.local.md": "Local.",
            ".claude/rules/all.md": "---\ndescription: for all\n---\nA rule.",
            ".claude/rules/web.md": "---\npaths:\n  - web/**\n  - '*.css'\n---\nWeb alone.",
            "pkg/CLAUDE.md": "Of the package.",
            "pkg/inner/CLAUDE.md": "Of an inner one.",
        },
    )
    client, its = client_named("claude-code"), Home(home, {})
    found = shown(context_parts(client, root, its, below=True))
    assert found == [
        ("~/.claude/CLAUDE.md", "Mine: @~/style.md", ""),
        ("~/style.md", "Short names.", "~/.claude/CLAUDE.md"),
        ("CLAUDE.md", (root / "CLAUDE.md").read_text(), ""),
        ("docs/a.md", "A, as in @b.md", "CLAUDE.md"),
        ("docs/b.md", "B, as in @a.md", "docs/a.md"),
        (".claude/rules/all.md", "A rule.", ""),
        (".claude/rules/web.md", "", "web/**, *.css"),
        ("CLAUDE.local.md", "Local.", ""),
        (f"~/{memory}/MEMORY.md", "".join(f"- {n}\n" for n in range(1, 201)), "start"),
        (f"~/{memory}/topic.md", "", "asked"),
        ("pkg/CLAUDE.md", "", "pkg/**"),
        ("pkg/inner/CLAUDE.md", "", "pkg/inner/**"),
    ]
    inside = [name for name, text, _ in shown(context_parts(client, root / "pkg", its)) if text]
    assert inside.index("CLAUDE.md") < inside.index("pkg/CLAUDE.md")
    written(home, {".claude/settings.json": '{"autoMemoryEnabled": false}'})
    assert "- 200" not in context_text(client, root, its)
    for name in ("CLAUDE.md", "CLAUDE.local.md"):
        (root / name).unlink()
    assert "for others" in context_text(client, root, its), "where it has none of its own"


def test_claude_code_has_the_administrators_files_and_what_its_user_allows(
    places: tuple[Path, Path],
) -> None:
    home, root = places
    written(
        home, {".claude/CLAUDE.md": "Mine: @~/style.md", "style.md": "Short names.", "k": "Key."}
    )
    written(
        home / "etc/claude-code",
        {"CLAUDE.md": "Of the company.", ".claude/rules/law.md": "Its rule."},
    )
    written(
        root, {"CLAUDE.md": "See @~/k and @AGENTS.md", "pkg/CLAUDE.md": "", "AGENTS.md": "All."}
    )
    client, its = client_named("claude-code"), Home(home, {}, root=home)
    managed = str(home / "etc/claude-code")
    found = [
        (managed + "/CLAUDE.md", "Of the company.", ""),
        (managed + "/.claude/rules/law.md", "Its rule.", ""),
        ("~/.claude/CLAUDE.md", "Mine: @~/style.md", ""),
        ("~/style.md", "Short names.", "~/.claude/CLAUDE.md"),
        ("CLAUDE.md", "See @~/k and @AGENTS.md", ""),
        ("~/k", "", "CLAUDE.md"),
        ("AGENTS.md", "All.", "CLAUDE.md"),
    ]
    assert shown(context_parts(client, root, its)) == [
        (name.replace(str(home), "~"), *rest) for name, *rest in found
    ]
    assert "Key." not in [part.rest for part in context_parts(client, root, its)], "it is not read"
    off = {"claudeMdExcludes": ["**/shop/CLAUDE.md", "**/claude-code/CLAUDE.md"]}
    written(root, {".claude/settings.local.json": json.dumps(off)})
    text = context_text(client, root, its)
    assert "See @" not in text
    assert "Of the company." in text, "that can't be switched off"
    (root / ".claude/settings.local.json").unlink()
    assert "All." not in context_text(client, root / "pkg", its), "it lies outside of that folder"
    allowed = {"projects": {str(root): {"hasClaudeMdExternalIncludesApproved": True}}}
    written(home, {".claude.json": json.dumps(allowed)})
    assert "Key." in context_text(client, root / "pkg", its)


def test_codex_takes_one_file_a_folder_up_to_its_bytes(places: tuple[Path, Path]) -> None:
    home, root = places
    written(home, {".codex/AGENTS.md": "Mine.", ".codex/memories/memory_summary.md": "Summary."})
    written(
        root,
        {
            "AGENTS.md": "Of the root.\n@pkg/AGENTS.md",
            "pkg/AGENTS.md": "overridden",
            "pkg/AGENTS.override.md": "Of the package.",
        },
    )
    client, its = client_named("codex"), Home(home, {})
    inside = [
        ("~/.codex/AGENTS.md", "Mine.", ""),
        ("AGENTS.md", "Of the root.\n@pkg/AGENTS.md", ""),
        ("pkg/AGENTS.override.md", "Of the package.", ""),
    ]
    off = ("~/.codex/memories/memory_summary.md", "", "off")
    assert shown(context_parts(client, root / "pkg", its)) == [off, *inside]
    config = "project_doc_max_bytes = 30\n[features]\nmemories = true\n"
    written(home, {".codex/config.toml": config})
    assert shown(context_parts(client, root / "pkg", its)) == [
        (off[0], "Summary.", ""),
        *inside[:2],
        ("pkg/AGENTS.override.md", "Of ", "start"),
    ]
    lines = [f"- line {number:05}\n" for number in range(1_000)]
    written(home, {".codex/memories/memory_summary.md": "".join(lines)})
    first, last, *_ = context_parts(client, root, its)
    assert (len(first.text), len(last.text), last.line) == (5_000, 5_000, 616)
    assert first.text + first.rest + last.text == "".join(lines)
    elsewhere = Home(home, {"CODEX_HOME": str(home / "other")})
    written(home, {"other/AGENTS.md": "Elsewhere."})
    assert shown(context_parts(client, root, elsewhere))[0] == (
        "~/other/AGENTS.md", "Elsewhere.", ""
    )  # fmt: skip


def test_gemini_imports_in_place_and_only_from_the_project(places: tuple[Path, Path]) -> None:
    home, root = places
    written(home, {".gemini/tmp/shop/.project_root": f"{root}\n", "secret.md": "Secret."})
    written(home, {".gemini/tmp/shop/memory/MEMORY.md": "Saved.", ".gemini/GEMINI.md": "Mine."})
    written(home, {".gemini/tmp/other/memory/MEMORY.md": "Of another project."})
    written(root, {"GEMINI.md": f"@./a.md and @./a.md, {home}/secret.md @{home}/secret.md"})
    written(root, {"a.md": "A."})
    assert shown(context_parts(client_named("gemini-cli"), root, Home(home, {}))) == [
        ("~/.gemini/GEMINI.md", "Mine.", ""),
        ("GEMINI.md", (root / "GEMINI.md").read_text(), ""),
        ("a.md", "A.", "GEMINI.md"),
        ("~/.gemini/tmp/shop/memory/MEMORY.md", "Saved.", ""),
    ]


def test_settings_give_the_files_other_names(places: tuple[Path, Path]) -> None:
    home, root = places
    settings = '{"context": {"fileName": ["AGENTS.md", "TEAM.md", "../x", "**/*"]}}'
    config = 'project_doc_fallback_filenames = ["TEAM.md"]\n'
    written(root, {"TEAM.md": "Team.", "GEMINI.md": "Old.", "QWEN.md": "Old.", "pkg/x": "X."})
    written(root.parent, {"x": "Outside."})
    written(home, {".codex/config.toml": config})
    for name in ("gemini", "qwen"):
        written(root, {f".{name}/settings.json": settings})

    def told(client: str) -> str:
        return context_text(client_named(client), root, Home(home, {}))

    assert [told("gemini-cli"), told("qwen-code")] == ["Team.\nOld.", "Team."]
    assert told("codex") == "Team."
    written(root, {"AGENTS.md": "Agents."})
    assert [told("gemini-cli"), told("codex")] == ["Agents.\nTeam.\nOld.", "Agents."]


def test_rules_of_cursor_and_copilot_say_when_they_hold(places: tuple[Path, Path]) -> None:
    home, root = places
    written(
        root,
        {
            ".cursor/rules/always.mdc": "---\nalwaysApply: true\nglobs: x\n---\nAlways.",
            ".cursor/rules/asked.mdc": "---\ndescription: For releases\n---\nTag it.",
            ".cursor/rules/files.mdc": "---\nglobs: **/*.ts\n---\nTypes.",
            ".cursor/rules/named.mdc": "---\nalwaysApply: false\n---\nBy name.",
            ".cursor/rules/plain.mdc": "By name, too.",
            ".github/instructions/all.instructions.md": '---\napplyTo: "**"\n---\nAll.',
            ".github/instructions/py.instructions.md": "---\napplyTo: '*.py'\n---\nPython.",
        },
    )
    assert shown(context_parts(client_named("cursor"), root, Home(home, {}))) == [
        (".cursor/rules/always.mdc", "Always.", ""),
        (".cursor/rules/asked.mdc", "For releases", "description"),
        (".cursor/rules/files.mdc", "", "**/*.ts"),
        (".cursor/rules/named.mdc", "", "asked"),
        (".cursor/rules/plain.mdc", "", "asked"),
    ]
    mine = ".copilot/instructions/style.instructions.md"
    written(home, {mine: "Short names."})
    written(root / "pkg", {".github/instructions/pkg.instructions.md": "Of the package."})
    inside = context_text(client_named("copilot"), root / "pkg", Home(home, {}))
    assert inside == "Short names.\nAll.\nOf the package."
    assert shown(context_parts(client_named("copilot"), root, Home(home, {}))) == [
        (f"~/{mine}", "Short names.", ""),
        (".github/instructions/all.instructions.md", "All.", ""),
        (".github/instructions/py.instructions.md", "", "*.py"),
    ]


def test_opencode_takes_claudes_files_where_it_has_none(places: tuple[Path, Path]) -> None:
    home, root = places
    written(home, {".claude/CLAUDE.md": "Mine."})
    written(root, {"CLAUDE.md": "Of the root.", "pkg/CLAUDE.md": "Of the package."})
    client, its = client_named("opencode"), Home(home, {})
    assert context_text(client, root / "pkg", its) == "Mine.\nOf the root.\nOf the package."
    written(root, {"pkg/AGENTS.md": "For agents."})
    written(home, {".config/opencode/AGENTS.md": "For all."})
    assert context_text(client, root / "pkg", its) == "For all.\nFor agents."


def test_files_without_text_are_named_with_the_reason(places: tuple[Path, Path]) -> None:
    home, root = places
    written(root, {"CLAUDE.md": f"@{'x' * 5_000} @./{'../' * 200}etc @loop.md @null.md @pipe.md"})
    (root / "loop.md").symlink_to("loop.md")
    (root / "null.md").write_bytes(b"a\0b")
    os.mkfifo(root / "pipe.md")
    (root / "CLAUDE.local.md").write_text("x" * 1_000_001)
    (root / ".claude" / "rules" / "folder.md").mkdir(parents=True)
    found = list(context_parts(client_named("claude-code"), root, Home(home, {}), below=True))
    assert [(part.name, part.problem) for part in found] == [
        ("CLAUDE.md", ""),
        ("null.md", "no text"),
        ("CLAUDE.local.md", "over 1 MB"),
    ]
    assert "".join(part.text for part in found[1:]) == ""


def test_a_file_that_can_not_be_opened_is_named(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, root = places
    written(root, {"AGENTS.md": "Rules."})

    def refused(path: Path, most: int) -> bytes:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(context_files, "read_regular", refused)
    (part,) = context_parts(client_named("codex"), root, Home(home, {}))
    assert (part.name, part.text, part.problem) == ("AGENTS.md", "", "permission denied")


def test_imports_that_multiply_at_each_step_come_to_an_end(places: tuple[Path, Path]) -> None:
    home, root = places
    names = ("GEMINI", "a", "b", "c", "d")
    written(root, {f"{name}.md": f"@./{other}.md\n" * 30 for name, other in pairwise(names)})
    written(root, {"d.md": "End."})
    found = shown(context_parts(client_named("gemini-cli"), root, Home(home, {})))
    assert (len(found), found[-1][0]) == (501, "d.md")


def test_no_more_is_read_than_a_context_holds(places: tuple[Path, Path]) -> None:
    home, root = places
    for number in range(12):
        written(root, {f".claude/rules/{number:02}.md": f"{number:02} " * 333_000})
    found = list(context_parts(client_named("claude-code"), root, Home(home, {})))
    assert [part.name for part in found if part.text] == [
        f".claude/rules/{number:02}.md" for number in range(8)
    ]
    assert {part.problem for part in found[8:]} == {"too much is loaded before it"}
    assert len(context_text(client_named("claude-code"), root, Home(home, {}))) == 200_000


def test_of_skills_sub_agents_and_commands_there_are_descriptions(
    places: tuple[Path, Path],
) -> None:
    home, root = places
    written(
        root,
        {
            ".claude/skills/deploy/SKILL.md": "---\nname: go\ndescription: It ships\n---\nSteps.\n",
            ".claude/skills/plain/SKILL.md": "# Plain\n\nSteps.\n",
            ".claude/skills/own/SKILL.md": "---\ndisable-model-invocation: true\n---\nMine.\n",
            ".claude/agents/judge.md": "---\ndescription: >\n  Reviews\n  code\n---\nYou judge.\n",
            ".claude/commands/fix.md": "Fix the tests.\n",
        },
    )
    written(home, {".claude/skills/big/SKILL.md": "x" * 1_000_001})
    client, its = client_named("claude-code"), Home(home, {})
    found = [
        (part.name, part.text, part.rest, str(part.loading))
        for part in described_parts(client, root, its)
    ]
    assert found == [
        (".claude/skills/deploy/SKILL.md", "go: It ships", "Steps.\n", "description"),
        (".claude/skills/own/SKILL.md", "", "Mine.\n", "asked"),
        (".claude/skills/plain/SKILL.md", "plain: # Plain", "# Plain\n\nSteps.\n", "description"),
        (".claude/agents/judge.md", "judge: Reviews code", "You judge.\n", "description"),
        (".claude/commands/fix.md", "fix: Fix the tests.", "Fix the tests.\n", "description"),
        ("~/.claude/skills/big/SKILL.md", "", "", "start"),
    ]
    assert "It ships" not in context_text(client, root, its), "a hook reads none of them"
