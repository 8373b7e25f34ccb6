"""What may befall a session in every client, put into its sample where it can happen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from store.agents.reading import read_session
from store.agents.session import MAX_TEXT, Session
from store.errors import Unreadable

HERE = Path(__file__).parent
SAMPLES = sorted((HERE / "samples").iterdir())
ASKED = "Make add() add in calc.py"
ANSWERED = "`add` subtracts its arguments."
TYPED = "Never store it in cookies"
COMMAND = "/fix-issue the retry bug"
THOUGHT = "Perhaps it should multiply"
FAILED = "FAILED (failures=1)"
PIXELS = "iVBORw0KGgoAAAANSUhEUg"
DATA_URL = f"data:image/png;base64,{PIXELS}"
BASE64 = {"type": "base64", "media_type": "image/png", "data": PIXELS}
IMAGES: dict[str, dict[str, object]] = {
    "claude-code": {"type": "image", "source": BASE64},
    "codex": {"type": "input_image", "image_url": DATA_URL},
    "gemini-cli": {"inlineData": {"mimeType": "image/png", "data": PIXELS}},
    "qwen-code": {"inlineData": {"mimeType": "image/png", "data": PIXELS}},
    "opencode": {"type": "file", "mime": "image/png", "url": DATA_URL},
    "kilo": {"type": "file", "mime": "image/png", "url": DATA_URL},
    "pi": {"type": "image", "mimeType": "image/png", "data": PIXELS},
    "kimi": {"type": "image_url", "image_url": {"url": DATA_URL}},
    "cline": {"type": "image", "source": BASE64},
    "roo": {"type": "image", "source": BASE64},
    "goose": {"type": "image", "mimeType": "image/png", "data": PIXELS},
    "continue-dev": {"type": "imageUrl", "imageUrl": {"url": DATA_URL}},
    "cursor": {"type": "image", "source": BASE64},
    "copilot": {"attachments": [{"type": "blob", "data": PIXELS, "mimeType": "image/png"}]},
    "vscode": {"variableData": {"variables": [{"kind": "image", "value": PIXELS}]}},
}
"""An image in a message of each client that keeps it there; of two, in a field beside the text."""
THOUGHTS: dict[str, dict[str, object]] = {
    "copilot": {"type": "assistant.reasoning", "data": {"content": THOUGHT}},
    "cursor": {
        "role": "assistant",
        "message": {"content": [{"type": "thinking", "thinking": THOUGHT}]},
    },
}
"""What an agent thinks, of clients whose samples have none."""
AT_ONCE = frozenset({"aider", "specstory"})
"""Those in whose files nothing is typed while the agent works."""
NO_RESULTS = frozenset({"aider", "cursor", "specstory"})
"""Those of whose commands no results are read: their files have none apart from the text."""


def client_of(sample: Path) -> str:
    return "codex" if sample.stem == "codex-code-mode" else sample.stem


def read(data: bytes, sample: Path) -> Session:
    return read_session(data.splitlines(keepends=True), client_of(sample))


def words(session: Session) -> list[str]:
    return [message.text for message in session.messages]


every_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)


@every_sample
def test_a_mark_of_the_encoding_takes_nothing_along(sample: Path) -> None:
    data = sample.read_bytes()
    marked = read_session((b"\xef\xbb\xbf" + data).splitlines(keepends=True))
    assert (words(marked), marked.agent) == (words(read(data, sample)), read(data, sample).agent)
    assert not marked.unread


@every_sample
def test_bytes_that_are_no_utf_8_take_no_line_along(sample: Path) -> None:
    data = sample.read_bytes()
    asked = words(read(data, sample))[0].splitlines()[0]
    damaged = data.replace(asked.encode(), b"\xff" + asked.encode())
    assert damaged != data
    expected = [text.replace(asked, f"\ufffd{asked}") for text in words(read(data, sample))]
    assert words(read(damaged, sample)) == expected


@every_sample
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_another_encoding_is_refused(sample: Path, encoding: str) -> None:
    mark = "\ufeff".encode(encoding)
    data = mark + sample.read_text(encoding="utf-8").encode(encoding)
    with pytest.raises(Unreadable):
        read_session(data.splitlines(keepends=True))


@every_sample
def test_a_damaged_end_is_named_and_what_is_before_it_is_read(sample: Path) -> None:
    data = sample.read_bytes()
    if sample.suffix == ".jsonl":
        session = read(data.rstrip() + b'\n{"type": "us', sample)
        assert words(session) == words(read(data, sample))
        assert [item.line for item in session.unread] == [data.rstrip().count(b"\n") + 2]
    elif sample.suffix == ".json":
        with pytest.raises(Unreadable, match="not JSON"):
            read(data[: len(data) // 2], sample)
    else:  # text: its end is a message that ends early
        assert words(read(data.rstrip()[:-3], sample))[:2] == words(read(data, sample))[:2]


@every_sample
def test_a_huge_result_is_cut_and_leaves_the_rest(sample: Path) -> None:
    data = sample.read_bytes()
    if client_of(sample) in NO_RESULTS:
        return
    huge = data.replace(FAILED.encode(), FAILED.encode() + b" x" * MAX_TEXT)
    assert huge != data
    session = read(huge, sample)
    assert words(session) == words(read(data, sample))
    results = [step.result.text for step in session.steps if step.result is not None]
    assert all(len(text) <= MAX_TEXT for text in results)


def with_image(value: Any, image: dict[str, object]) -> bool:  # noqa: ANN401 - any JSON value
    """Put an image beside each text of the person in a JSON value; False where there is none."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = sum(with_image(item, image) for item in inner) > 0  # in each, not up to the first
    if isinstance(value, list):
        texts = (item.get("text") for item in value if isinstance(item, dict))
        if any(isinstance(text, str) and ASKED in text for text in texts):
            value.append(image)
            return True
    if isinstance(value, dict):
        text = value.get("content")
        if isinstance(text, str) and ASKED in text and "type" in image:
            value["content"] = [{"type": "text", "text": text}, image]
            return True
        if "type" not in image and any(ASKED in str(item) for item in value.values()):
            value.update(image)
            return True
    return found


@every_sample
def test_an_image_is_left_out_and_its_words_are_kept(sample: Path) -> None:
    image = IMAGES.get(client_of(sample))
    if image is None:
        return
    data = sample.read_bytes()
    if sample.suffix == ".json":
        whole = json.loads(data)
        assert with_image(whole, image)
        changed = json.dumps(whole).encode()
    else:
        records = [json.loads(line) for line in data.splitlines()]
        assert sum(with_image(record, image) for record in records)
        changed = b"\n".join(json.dumps(record).encode() for record in records)
    session = read(changed, sample)
    assert words(session) == words(read(data, sample))
    assert PIXELS not in repr(session)


def with_prompt(sample: Path) -> bytes:
    """Return a sample in which another prompt was typed between a tool's call and its answer."""
    data = sample.read_bytes()
    is_lines = sample.suffix == ".jsonl"
    whole = [json.loads(line) for line in data.splitlines()] if is_lines else json.loads(data)
    records = whole
    if isinstance(whole, dict):
        records = next(whole[key] for key in ("messages", "history", "requests") if key in whole)
    texts = [json.dumps(record) for record in records]
    typed = [json.loads(text.replace(ASKED, TYPED)) for text in texts if ASKED in text]
    at = max(place for place, text in enumerate(texts) if ANSWERED in text)
    for key, parent in (("uuid", "parentUuid"), ("id", "parentId")):
        for record in typed:
            if key in record:
                record[key] = TYPED
            if parent in record:
                record[parent] = records[at][key]
        for record in records[at + 1 :]:
            if parent in record and record[parent] == records[at][key]:
                record[parent] = TYPED
    for record in typed:
        record.pop("response", None)  # VS Code keeps an answer with what was asked
        record.pop("result", None)
        if "step_index" in record:
            record["step_index"] = 4
        if "provenance" in record:
            record["subtype"] = "mid_turn_user_message"
    records[at + 1 : at + 1] = typed
    separate = b"\n".join(json.dumps(record).encode() for record in records)
    return separate if is_lines else json.dumps(whole).encode()


@every_sample
def test_a_prompt_typed_while_the_agent_works_is_read(sample: Path) -> None:
    if client_of(sample) in AT_ONCE:
        return
    before, session = read(sample.read_bytes(), sample), read(with_prompt(sample), sample)
    assert [text for text in words(session) if text != TYPED] == words(before)
    assert words(session).count(TYPED) == 1
    results = [
        [(step.result.text, step.has_failed) for step in found.steps if step.result is not None]
        for found in (before, session)
    ]
    assert results[0] == results[1]


@every_sample
def test_words_typed_after_a_slash_are_kept(sample: Path) -> None:
    asked = words(read(sample.read_bytes(), sample))[0]
    typed = sample.read_bytes().replace(asked.encode(), COMMAND.encode())
    assert words(read(typed, sample))[0] == COMMAND


@pytest.mark.parametrize("client", THOUGHTS)
def test_a_thought_is_nobodys_word(client: str) -> None:
    sample = HERE / "samples" / f"{client}.jsonl"
    data = sample.read_bytes()
    session = read(data.rstrip() + b"\n" + json.dumps(THOUGHTS[client]).encode(), sample)
    assert words(session) == words(read(data, sample))
    assert not session.unread
