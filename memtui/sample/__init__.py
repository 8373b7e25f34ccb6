"""The bundled sample store of the demo: a believable project, told by seven agents."""

from __future__ import annotations

from memtui.sample.generator import sample_observations

__all__ = ["sample_observations"]
