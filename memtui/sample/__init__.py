"""The bundled sample store of the demo: a believable project with seven agents."""

from __future__ import annotations

from memtui.sample.generator import sample_observations
from memtui.sample.waiting_sessions import write_waiting_sessions
from memtui.sample.write import write_sample_store

__all__ = ["sample_observations", "write_sample_store", "write_waiting_sessions"]
