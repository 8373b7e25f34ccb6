"""A coherent change: what one request, or several about the same, did to files."""

from __future__ import annotations

from typing import NamedTuple

from store.agents.session import Step
from store.capture.requests.request import Request
from store.capture.steps.edited_files import EditedFile


class Change(NamedTuple):
    """The requests that a change answers, the files it changed and the steps that did."""

    requests: tuple[Request, ...]
    files: tuple[EditedFile, ...]
    steps: tuple[Step, ...]
