"""The headless store of agents' memory: `from store import open_memory, Observation`."""

from typing import TYPE_CHECKING, Any

from store.model import Observation

if TYPE_CHECKING:
    from store.pipeline import MemoryPipeline, open_memory

__all__ = ["MemoryPipeline", "Observation", "open_memory"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - what the pipeline exports
    """The pipeline's names, imported when they are first asked for."""
    if name in __all__:
        from store import pipeline

        return getattr(pipeline, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
