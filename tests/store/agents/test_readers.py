"""What readers of transcripts take from odd lines, and what is no word of anybody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.agents import codex_rollout
from store.agents.client import Client, ContextFile, Home
from store.agents.context_files import loaded_files
from store.agents.formats import CONVERSATION, CONVERSATION_LINES, SUMMARY, format_of
from store.agents.noise import RECALL_HEADING, without_noise, without_recall
from store.agents.reading import read_transcript
from store.agents.records import json_lines
from store.agents.registry import client_named
from store.agents.session import Session, collect
from store.agents.transcript import Message, Unread
from store.recall.render import TITLE, framed


def lines(*records: object) -> list[bytes]:
    return [json.dumps(record).encode() + b"\n" for record in records]


def session(*records: object) -> Session:
    return collect(read_transcript(lines(*records)))


CODEX = (
    {"type": "session_meta", "payload": {"id": "c-1", "cwd": "/work"}},
    {
        "type": "response_item",
        "payload": {"role": "assistant", "content": [{"type": "output_text", "text": "Added it."}]},
    },
)


def test_the_exit_code_of_a_codex_call() -> None:
    output = {"output": "boom", "metadata": {"exit_code": 2}}
    call = {"type": "function_call", "name": "shell", "call_id": "c", "arguments": "{}"}
    done = {"type": "function_call_output", "call_id": "c", "output": json.dumps(output)}
    (step,) = session(
        *CODEX, *({"type": "response_item", "payload": it} for it in (call, done))
    ).steps
    assert step.has_failed
    assert step.result is not None
    assert step.result.text == "boom"


def test_whole_objects_of_a_damaged_line_are_read() -> None:
    first, second, unread = json_lines([b'{"a": 1}{"b": 2}{"c": '])
    assert (first, second) == ((1, {"a": 1}), (1, {"b": 2}))
    assert isinstance(unread, Unread)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (lines(*CODEX), "codex"),
        ([b'{"type":"summary","summary":"x","leafUuid":"y"}\n'], "claude-code"),
        ([b"not json\n", b'{"type":"user","message":{}}\n'], "claude-code"),
        ([b'{"role":"user","message":{"content":[]}}\n'], "cursor"),
        ([b'{"role":"user","content":"x"}\n'], CONVERSATION_LINES),
        ([b'  [{"role":"user","content":"x"}]'], CONVERSATION),
        ([b'{\n "messages": [\n', b" ]}"], CONVERSATION),
        ([b'{"messages": []}'], CONVERSATION),
        ([b"## Decisions\n", b"- one\n"], SUMMARY),
        ([b'\xef\xbb\xbf{"messages": []}'], CONVERSATION),
        ([b'\xef\xbb\xbf{"role":"user","content":"x"}\n'], CONVERSATION_LINES),
        ([b"\n"], CONVERSATION_LINES),
        ([], CONVERSATION_LINES),
    ],
)
def test_auto_finds_the_format(head: list[bytes], expected: str) -> None:
    assert format_of(head) == expected


def test_the_last_words_are_added_where_the_transcript_lags_behind() -> None:
    read = session(*CODEX)
    assert read.ending_with("Added it.") is read
    assert read.ending_with("  ") is read
    later = read.ending_with("All done.<system-reminder>x</system-reminder>")
    assert later.messages[-1].text == "All done."
    assert later.messages[-1].line > read.messages[-1].line


# Fields that may be anything, branches that were gone back on, and lines of odd clients.


def _lines(*records: object) -> list[bytes]:
    return [json.dumps(record).encode() for record in records]


def test_the_session_of_codexs_guardian_is_not_read_and_says_so() -> None:
    meta = {"id": "g", "source": {"subagent": {"other": "guardian"}}}
    said = {"type": "message", "role": "assistant", "content": "Always allow `ls`."}
    lines = _lines(
        {"type": "session_meta", "payload": meta}, {"type": "response_item", "payload": said}
    )
    (unread,) = codex_rollout.read(lines)
    assert isinstance(unread, Unread)
    assert "guardian" in unread.reason
    meta["source"] = {"subagent": {"other": "review"}}
    lines[0] = _lines({"type": "session_meta", "payload": meta})[0]
    assert any(isinstance(it, Message) for it in codex_rollout.read(lines))


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (r"cut \ud83d", "cut \ufffd"),
        (r"\uDE00 cut", "\ufffd cut"),
        (r"\ud83d\ud83d\ude00\ude00", "\ufffd\U0001f600\ufffd"),
        (r"\\ud83d \ud83d\n", "\\ud83d \ufffd\n"),
        (r"\\\ud83d\" \udfff", '\\\ufffd" \ufffd'),
        (r"whole \ud83d\ude00 \ud83d", "whole \U0001f600 \ufffd"),
    ],
)
def test_a_character_that_was_cut_in_two_takes_no_line_along(said: str, text: str) -> None:
    assert list(json_lines([f'{{"text": "{said}"}}'.encode()])) == [(1, {"text": text})]


# noise


COMMAND = (
    "You **MUST** consider the user input before proceeding (if not empty).\n\n## Outline\n1. Go"
)

COMMAND_FILE = (
    "---\ndescription: Create the plan\n---\n\nThe user input to you can be provided directly by "
    "the agent or as a command argument - you **MUST** consider it before proceeding with the "
    "prompt (if not empty).\n\nUser input:\n\n"
)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Fix it<system-reminder>\nbe careful\n</system-reminder> now", "Fix it now"),
        ("<command-name>/exit</command-name>\n<command-args></command-args>", ""),
        (
            "<command-message>fix runs…</command-message>\n<command-name>/fix</command-name>\n"
            "<command-args>the retry bug.\nAt most three.</command-args>",
            "/fix the retry bug.\nAt most three.",
        ),
        ("<command-name>/model</command-name>\n<command-args>opus</command-args>", ""),
        ("<local-command-stdout>Bye!</local-command-stdout>", ""),
        ("<system-reminder>never closed", ""),
        ("Caveat: The messages below were generated by the user while running", ""),
        ("[Request interrupted by user for tool use]", ""),
        ("# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>x</INSTRUCTIONS>", ""),
        ("<recommended_plugins>\n- Till\n</recommended_plugins>\n\n# AGENTS.md instructions", ""),
        ("<environment_context>\n  <cwd>/x</cwd>\n</environment_context>", ""),
        ("<hook_context>told</hook_context>\n\nFix it", "Fix it"),
        ("<session_context>\nThis is the Gemini CLI.\n</session_context>", ""),
        ("Fix\n\n<qwen:user-prompt-submit-context>\n\n</qwen:user-prompt-submit-context>", "Fix"),
        ('<qwen:session-start-context hidden="true">\nx\n</qwen:session-start-context>\nGo', "Go"),
        ("<permissions instructions>\nx\n</permissions instructions>Go", "Go"),
        ("<ci-monitor-event>\nThe build failed.\n</ci-monitor-event>\nGo on", "Go on"),
        ("<claude-mem-context>\n# Recent\n- old\n</claude-mem-context>\nGo on", "Go on"),
        ("<supermemory-context>old</supermemory-context>Go on", "Go on"),
        ("<relevant-memories>\nold\n</relevant-memories>\nGo on", "Go on"),
        ("Done.\n<oai-mem-citation>\nM.md:1\n</oai-mem-citation>", "Done."),
        ('<skill-context name="plans">\nWrite plans.\n</skill-context>\nGo on', "Go on"),
        ("<system_instruction>\nYou work in X.\n</system_instruction>\n\nMend it", "Mend it"),
        ("<system-instruction>\nFirst, once: …\n</system-instruction>\nMend it", "Mend it"),
        ("look at [Image #1] please", "look at  please"),
        ("It matches `/x/<skill-name>/y` alone.", "It matches `/x/<skill-name>/y` alone."),
        ("# In app browser:\n- open\n\n## My request for Codex:\nMend it", "Mend it"),
        ("\n# Files mentioned by the user:\n\n## a.png: /x\n\n## My request for Codex:\nGo", "Go"),
        (f"\n## User Input\n\n```text\nMend it\n\nsoon\n```\n\n{COMMAND}", "Mend it\n\nsoon"),
        (f"## User Input\n\n```text\n\n```\n\n{COMMAND}", ""),
        (
            f"{COMMAND_FILE}Keep a row for each queue\nand lease\n\nGiven that, do this",
            "Keep a row for each queue\nand lease",
        ),
        (f"{COMMAND_FILE.replace(' to you', '')}$ARGUMENTS\n\nGiven that, do this", ""),
        (f"{COMMAND_FILE}\n\nThe text the user typed is the feature.\n\n1. Go", ""),
        ("---\ntitle: A note\n---\n\nUser input:\n\nIt stays.\n\nAll.",) * 2,
        ("## User Input\n\n```text\nMend it\n```\n\nPlease consider the user input.",) * 2,
        ('Mend it\n<image name=[Image #1] path="/x/a.png">\n</image>', "Mend it"),
        ('Mended.\n\n::git-push{cwd="/x" branch="b"}', "Mended."),
        ('<teammate-message teammate_id="lead">\nMend it\n</teammate-message>', "Mend it"),
        (
            "We strip `<system-reminder>` tags\nand more",
            "We strip `<system-reminder>` tags\nand more",
        ),
        ("Full transcript available at: /tmp/tasks/a.output\nGo on", "Go on"),
        ("plain words with <b>markup</b>", "plain words with <b>markup</b>"),
    ],
)
def test_the_programs_notes_are_taken_out(text: str, left: str) -> None:
    assert without_noise(text) == left


def test_our_own_recall_never_comes_back() -> None:
    notes = "All: decision engineer\na1b2c3: We decided to use SQLite.\n```\ncode\n```\n# 3 more"
    written = f"before\n{framed(notes)}- What the person wrote.\n"
    left = without_recall(written + written)
    assert "SQLite" not in left
    assert "a1b2c3" not in left
    assert left.count("- What the person wrote.") == 2
    assert left.count("before") == 2


def test_the_heading_is_recalls_own() -> None:
    assert RECALL_HEADING == TITLE


@pytest.mark.parametrize("cut", ["no fence at all", "````\nnever closed"])
def test_a_cut_recall_goes_to_its_end(cut: str) -> None:
    assert without_recall(f"before\n{RECALL_HEADING}\n\n{cut}") == "before\n"


# The files that clients load by themselves, as far as they load them.


KINDS = (
    ContextFile("instruction", "RULES.md"),
    ContextFile("memory", "notes/*.md", most_lines=2),
    ContextFile("template", "*.md"),
    ContextFile("instruction", ".rules/{project}.md", of_user=True),
)
CLIENT: Client = client_named("aider")._replace(context=KINDS)


def test_files_are_loaded_once_as_text_and_as_far_as_their_client_does(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "shop"
    for folder in (root / "notes", home / ".rules"):
        folder.mkdir(parents=True)
    (root / "RULES.md").write_bytes(b"Run the linter. \xff\n")
    (root / "notes" / "b.md").write_text("one\ntwo\nthree\n")
    (root / "notes" / "a.md").mkdir()
    name = str(root).replace("/", "-").replace("_", "-").replace(".", "-")
    (home / ".rules" / f"{name}.md").write_text("Mine.")
    found = [part[:3] for part in loaded_files([CLIENT, CLIENT], root, Home(home, {}))]
    assert found == [
        ("instruction", "RULES.md", "Run the linter. \ufffd\n"),
        ("memory", "notes/b.md", "one\ntwo\n"),
        ("instruction", f"~/.rules/{name}.md", "Mine."),
    ]
    assert len(list(loaded_files([CLIENT], root, Home(root, {})))) == 2
