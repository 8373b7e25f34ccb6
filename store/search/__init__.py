"""Search: the query language, and the index that answers it."""

from typing import TYPE_CHECKING

from store.lazy import offered

if TYPE_CHECKING:
    from store.search.highlight import Marks
    from store.search.query import (
        FIELDS,
        FLAGS,
        SORTS,
        Query,
        Sort,
        Span,
        SpanKind,
        parse_query,
        short,
    )
    from store.search.relevance import stems_of
else:
    __getattr__ = offered(
        __name__,
        {
            "store.search.highlight": "Marks",
            "store.search.query": "FIELDS FLAGS SORTS Query Sort Span SpanKind parse_query short",
            "store.search.relevance": "stems_of",
        },
    )
