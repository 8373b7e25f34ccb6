"""Text in, text or numbers out: cleaning, comparing and counting."""

from typing import TYPE_CHECKING

from store.lazy import offered

if TYPE_CHECKING:
    from store.text.closest_match import check_name, nearest
    from store.text.display import visible
    from store.text.failure import tells_failure
    from store.text.tokens import counter_for
    from store.text.turns import defused
else:
    __getattr__ = offered(
        __name__,
        {
            "store.text.closest_match": "check_name nearest",
            "store.text.display": "visible",
            "store.text.failure": "tells_failure",
            "store.text.tokens": "counter_for",
            "store.text.turns": "defused",
        },
    )
