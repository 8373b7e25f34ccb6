"""A model server for coding agents' programs: it answers by a script, and keeps every request.

It speaks OpenAI's responses and chat completions, and Gemini. What comes next in the script follows
from how many of its calls were answered in the request; the calls are made with whatever tools the
program offers.
"""

from __future__ import annotations

import gzip
import json
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

TEST = "python3 -m unittest -q test_calc"
OLD, NEW = "    return a - b", "    return a + b"
PATCH = (
    "*** Begin Patch\n*** Update File: calc.py\n@@\n def add(a, b):\n"
    f"-{OLD}\n+{NEW}\n*** End Patch\n"
)
END = (
    "The test passes now.\n\n"
    "- Root cause: `add` in `calc.py` subtracted its arguments, so `add(2, 3)` gave -1.\n"
    "- Decision: we keep `calc.py` free of dependencies, as it is vendored into the firmware.\n"
)
_SHELLS = ("exec_command", "shell_command", "shell", "bash", "run_shell_command")
_EDITORS = ("apply_patch", "edit", "replace")
_READERS = ("read", "read_file")
_HELPERS = ("agent", "task", "invoke_agent")
_WANTED = "memory_search"
"""The tool of memtui's server that is called."""
_SEARCH = """const name = ALL_TOOLS.map(tool => tool.name).find(name => name.endsWith("%s"));
text(JSON.stringify(await tools[name](%s)));"""
"""How a script calls it in code mode."""
Json = dict[str, Any]


class Call(NamedTuple):
    """A tool call of the script. `patch` is for tools that take no JSON."""

    tool: str
    arguments: Json
    patch: str = ""


class Model:
    """The script for one project, and the requests that came."""

    question = ""
    """Where it stands, the script only searches memory for it."""
    delegates = False
    """The work is given to a sub-agent, by a client that has a tool for that."""
    answer = ""
    """Where it stands, it is said after the script tried to write with each tool that might."""

    def __init__(self, project: Path) -> None:
        self.requests: list[Json] = []
        self._file = str(project / "calc.py")

    @property
    def texts(self) -> str:
        return "\n".join(_strings(self.requests))

    def step(self, tools: Mapping[str, Json], answered: int) -> Call | str:
        """What to do after so many answers: a call, or the last words."""
        calls = self._calls(tools) if tools else []
        if self.answer:
            calls = self._harm(tools)
            return calls[answered] if answered < len(calls) else self.answer
        return calls[answered] if answered < len(calls) else END if tools else "A short title"

    def _harm(self, tools: Mapping[str, Json]) -> list[Call]:
        """The calls that would write, with the tools that a client offers for that."""
        names = {name.lower(): name for name in tools}
        shells = [names[name] for name in _SHELLS if name in names]
        editors = [names[name] for name in _EDITORS if name in names]
        touch = f"touch {self._file}.harmed"
        return [
            *(Call(it, {_key(it): touch, "description": "Try"}) for it in shells),
            *(self._edit(it, tools[it]) for it in editors),
        ]

    def _calls(self, tools: Mapping[str, Json]) -> list[Call]:
        names = {name.lower(): name for name in tools}
        shell = next((names[name] for name in _SHELLS if name in names), "")
        if self.question:
            # Clients offer a server's tools once it runs: not yet with the first request.
            first = [Call(shell, {_key(shell): "sleep 3", "description": "Wait"})] if shell else []
            return [*first, *self._search(names)]
        helper = next((names[name] for name in _HELPERS if name in names), "")
        if self.delegates and helper:  # which it does not have itself
            return [Call(helper, _order(tools[helper]))]
        editor = next((names[name] for name in _EDITORS if name in names), "")
        reader = next((names[name] for name in _READERS if name in names), "")
        if not shell or not editor:
            return []
        run = Call(shell, {_key(shell): TEST, "description": "Run the test"})
        read = [Call(reader, {_path_key(tools[reader]): self._file})] if reader else []
        return [run, *read, self._edit(editor, tools[editor]), run]

    def _search(self, names: Mapping[str, str]) -> list[Call]:
        """The calls that search memory: where a client defers tools it is asked for them first, and
        some call what was found by a tool of their own.
        """
        found = next((names[name] for name in names if name.endswith(_WANTED)), "")
        asked: Json = {"query": self.question}
        first = [Call("tool_search", {"query": _WANTED})] if "tool_search" in names else []
        if "tool_call" in names:
            named = re.findall(rf"\bmcp__\w*{_WANTED}\b", self.texts)
            found, asked = "tool_call", {"name": [*named, ""][0], "arguments": asked}
        return [*first, Call(found, asked)] if found else first

    def _edit(self, editor: str, tool: Json) -> Call:
        if editor == "apply_patch":
            return Call(editor, {"input": PATCH, "patchText": PATCH}, PATCH)
        told = json.dumps(tool)
        old, new = next(
            (
                pair
                for pair in (("oldString", "newString"), ("oldText", "newText"))
                if pair[0] in told
            ),
            ("old_string", "new_string"),
        )
        change = {old: OLD, new: NEW}
        more = {"edits": [change]} if '"edits"' in told else change
        why = {"instruction": "add must add"} if "instruction" in told else {}
        return Call(editor, {_path_key(tool): self._file, **more, **why})


def _order(tool: Json) -> Json:
    """What a sub-agent is asked for, by the names of the tool's arguments."""
    kinds = ("general-purpose", "coder", "general")
    known = {
        "description": "Mend add",
        "prompt": "Mend add in calc.py",
        "subagent_type": next((kind for kind in kinds if kind in json.dumps(tool)), ""),
        "agent_name": "generalist",
        "run_in_background": False,
    }
    fields = (tool.get("parameters") or tool.get("parametersJsonSchema") or {}).get("properties")
    return {name: value for name, value in known.items() if name in (fields or {})}


def _key(shell: str) -> str:
    return "cmd" if shell == "exec_command" else "command"


def _path_key(tool: Json) -> str:
    told = json.dumps(tool)
    return next((key for key in ("filePath", "file_path") if key in told), "path")


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from _strings(each)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: Model

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """A list of one model, or nothing."""
        one = {"id": "fake-1", "object": "model", "created": 1, "owned_by": "tests"}
        self._send({"object": "list", "data": [one], "models": []} if "models" in self.path else {})

    def do_POST(self) -> None:
        """Keep the request, and answer in its protocol."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        body = json.loads(raw or b"{}")
        self.model.requests.append(body)
        path = self.path.split("?")[0]
        if path.endswith("/responses"):
            self._responses(body)
        elif path.endswith("/chat/completions"):
            self._chat(body)
        elif "generateContent" in path or "streamGenerateContent" in path:
            self._gemini(body, stream="stream" in path)
        else:
            self._send({"totalTokens": 100} if "countTokens" in path else {})

    def _send(self, data: Json) -> None:
        content = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _stream(self, events: Sequence[Json | str], *, named: bool = False) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for event in events:
            name = f"event: {event['type']}\n" if named and isinstance(event, dict) else ""
            data = event if isinstance(event, str) else json.dumps(event)
            self.wfile.write(f"{name}data: {data}\n\n".encode())
            self.wfile.flush()

    def _responses(self, body: Json) -> None:
        tools: dict[str, Json] = {}
        for item in body.get("input") or []:
            if item.get("type") in ("additional_tools", "tool_search_output"):
                tools.update(_named(item.get("tools") or []))
        tools.update(_named(body.get("tools") or []))
        answered = 0
        for item in body.get("input") or []:
            if str(item.get("type")).endswith(("call_output", "search_output")):
                answered += 1
            elif item.get("role") == "user":
                answered = 0
        in_code_mode = tools.get("exec", {}).get("type") == "custom"
        if in_code_mode:
            tools = {**tools, "exec_command": {}, "apply_patch": {"type": "custom"}, _WANTED: {}}
        item = _item(self.model.step(tools, answered), tools, answered, in_code_mode=in_code_mode)
        size = len(json.dumps(body.get("input"))) // 4
        usage = {"input_tokens": size, "output_tokens": 50, "total_tokens": size + 50}
        whole = {"id": f"resp_{time.time_ns()}", "object": "response", "output": [item]}
        self._stream(
            [
                {"type": "response.created", "response": {**whole, "output": []}},
                {"type": "response.output_item.added", "output_index": 0, "item": item},
                {"type": "response.output_item.done", "output_index": 0, "item": item},
                {
                    "type": "response.completed",
                    "response": {**whole, "status": "completed", "usage": usage},
                },
            ],
            named=True,
        )

    def _chat(self, body: Json) -> None:
        tools = {it["function"]["name"]: it["function"] for it in body.get("tools") or []}
        answered = 0
        for message in body.get("messages", []):
            answered = answered + 1 if message["role"] == "tool" else answered
            answered = 0 if message["role"] == "user" else answered
        step = self.model.step(tools, answered)
        delta: Json = {"role": "assistant", "content": step}
        if isinstance(step, Call):
            function = {"name": step.tool, "arguments": json.dumps(step.arguments)}
            call = {"index": 0, "id": f"call_{time.time_ns()}", "type": "function"}
            delta = {
                "role": "assistant",
                "content": "",
                "tool_calls": [{**call, "function": function}],
            }
        head = {"id": "chatcmpl-1", "created": int(time.time()), "model": "fake-1"}
        usage = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}
        reason = "tool_calls" if isinstance(step, Call) else "stop"
        if not body.get("stream"):
            choice = {"index": 0, "message": delta, "finish_reason": reason}
            self._send({**head, "object": "chat.completion", "choices": [choice], "usage": usage})
            return
        chunk = {**head, "object": "chat.completion.chunk"}
        first = {"index": 0, "delta": delta, "finish_reason": None}
        last = {"index": 0, "delta": {}, "finish_reason": reason}
        end = {**chunk, "choices": [last], "usage": usage}
        self._stream([{**chunk, "choices": [first]}, end, "[DONE]"])

    def _gemini(self, body: Json, *, stream: bool) -> None:
        tools = {
            function["name"]: function
            for tool in body.get("tools") or []
            for function in tool.get("functionDeclarations", [])
        }
        answered = 0
        for content in body.get("contents", []):
            if content.get("role") == "user":
                given = sum("functionResponse" in part for part in content["parts"])
                answered = answered + given if given else 0
        step = self.model.step(tools, answered)
        if (body.get("generationConfig") or {}).get("responseMimeType") == "application/json":
            step = json.dumps({"reasoning": "", "model_choice": "flash", "next_speaker": "user"})
        part: Json = {"text": step}
        if isinstance(step, Call):
            part = {"functionCall": {"name": step.tool, "args": step.arguments}}
        content = {"role": "model", "parts": [part]}
        answer = {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 1000, "totalTokenCount": 1050},
        }
        if stream:
            self._stream([answer])
        else:
            self._send(answer)


def _named(tools: Sequence[Json]) -> dict[str, Json]:
    """Tools by name, those of a namespace by their own."""
    inner = [
        {**it, "namespace": tool["name"]} if "tools" in tool else it
        for tool in tools
        for it in (tool.get("tools") or [tool])
    ]
    return {it.get("name") or it["type"]: it for it in inner}


def _item(step: Call | str, tools: Mapping[str, Json], at: int, *, in_code_mode: bool) -> Json:
    """A step as an item of a response: a message, a call, or a script that makes the call."""
    head = {"id": f"item_{time.time_ns()}", "status": "completed"}
    if isinstance(step, str):
        text = {"type": "output_text", "text": step, "annotations": []}
        return {**head, "type": "message", "role": "assistant", "content": [text]}
    call = {**head, "call_id": f"call_{at}_{time.time_ns()}"}
    given = json.dumps(step.patch or step.arguments)
    if in_code_mode:
        script = f"const r = await tools.{step.tool}({given});\ntext(r.output ?? r);"
        if step.tool == _WANTED:
            script = _SEARCH % (_WANTED, given)
        return {**call, "type": "custom_tool_call", "name": "exec", "input": script}
    tool = tools[step.tool]
    if step.patch and tool.get("type") == "custom":
        return {**call, "type": "custom_tool_call", "name": step.tool, "input": step.patch}
    if tool.get("type") == "tool_search":
        asked = {"execution": "client", "arguments": step.arguments}
        return {**call, "type": "tool_search_call", **asked}
    space = {"namespace": tool["namespace"]} if "namespace" in tool else {}
    return {**call, "type": "function_call", "name": step.tool, **space, "arguments": given}


@contextmanager
def model_server(project: Path) -> Iterator[tuple[Model, int]]:
    """A server on a port of this machine, and what it keeps."""
    model = Model(project)
    handler = type("Handler", (_Handler,), {"model": model})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model, server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
