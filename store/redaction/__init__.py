"""What must never be kept or told, and text without it."""

from typing import TYPE_CHECKING

from store.lazy import offered

if TYPE_CHECKING:
    from store.redaction.labels import agent_name, clean_label
    from store.redaction.sanitizer import sanitize
    from store.redaction.screen import cleaned_text
else:
    __getattr__ = offered(
        __name__,
        {
            "store.redaction.labels": "agent_name clean_label",
            "store.redaction.sanitizer": "sanitize",
            "store.redaction.screen": "cleaned_text",
        },
    )
