from __future__ import annotations

import pytest

from store.agents.shell import commit_message, files_done
from store.agents.tools import edits_of
from store.agents.transcript import ToolCall


@pytest.mark.parametrize(
    ("command", "done"),
    [
        ("rm -rf build/old.py", [("build/old.py", "deleted")]),
        ("git mv a.py b/c.py", [("a.py", "deleted"), ("b/c.py", "moved")]),
        (
            "cd src && touch new.py && cd sub && rm x.py",
            [("src/new.py", "created"), ("src/sub/x.py", "deleted")],
        ),
        ("cat > notes.md <<'EOF'\nrm -rf everything.py\nEOF", [("notes.md", "modified")]),
        ("echo hi >> log.txt 2>&1", [("log.txt", "modified")]),
        ("make test > /dev/null", []),
        ("pip install 'queue>=2.2,<3'", []),
        ("git mv todo/a.md done", [("todo/a.md", "deleted"), ("done/a.md", "moved")]),
        ("grep -rn 'a => b' src | head", []),
        ("sed -i 's/a/b/' conf.toml", [("conf.toml", "modified")]),
        ("sed -n 1,5p conf.toml", []),
        ("echo x | tee out.txt", [("out.txt", "modified")]),
        ("cp a.py b.py", [("b.py", "created")]),
        (
            "git add a.py src/b.py && git commit -m 'x'",
            [("a.py", "modified"), ("src/b.py", "modified")],
        ),
        ("git add -A && git add .", []),
        ("git rm --cached a.py", []),
        ("rm *.pyc $OUT", []),
        ("mv src/old/ kept/", [("src/old/", "deleted"), ("kept/old", "moved")]),
        (
            "mv src/a.py b.py lib",
            [
                *(("src/a.py", "deleted"), ("lib/a.py", "moved")),
                *(("b.py", "deleted"), ("lib/b.py", "moved")),
            ],
        ),
        ("echo x | tee /dev/null", []),
        (
            "cd src && rm /tmp/x.py ~/y.py z.py",
            [("/tmp/x.py", "deleted"), ("~/y.py", "deleted"), ("src/z.py", "deleted")],
        ),
        ("perl -pi -e 's/a/b/' conf.toml", [("conf.toml", "modified")]),
        ("cp a.py b.py lib", []),
        ("X=1 sudo rm a.py", [("a.py", "deleted")]),
        ("echo 'unclosed", []),
        ("", []),
    ],
)
def test_what_commands_do_to_files(command: str, done: list[tuple[str, str]]) -> None:
    assert list(files_done(command)) == done


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ('git commit -m "Fix the lock"', "Fix the lock"),
        ("git commit -am 'Fix it\n\nbody'", "Fix it"),
        ("git commit -m \"$(cat <<'EOF'\nFix the lock\n\nbody\nEOF\n)\"", "Fix the lock"),
        ("git commit --amend --no-edit", ""),
        ('echo "git commit"', ""),
        ("ls", ""),
    ],
)
def test_commit_messages(command: str, message: str) -> None:
    assert commit_message(command) == message


def call(tool: str, **arguments: object) -> ToolCall:
    return ToolCall(line=1, call_id="c", tool=tool, arguments=arguments)


PATCH = """*** Begin Patch
*** Update File: a.py
*** Move to: b.py
@@
-def old_name():
+def new_name():
*** Add File: c.py
+x = 1
*** Delete File: d.py
*** End Patch"""


def test_a_patch_in_a_shell_command() -> None:
    made = call("shell_command", command=f"apply_patch <<'EOF'\n{PATCH}\nEOF")
    assert [edit.path for edit in edits_of(made)] == ["a.py", "c.py", "d.py", "b.py"]
