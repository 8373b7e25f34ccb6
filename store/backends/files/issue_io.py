"""Reading and writing issues, loaded where one is read or written: most starts ask the index."""

from typing import TYPE_CHECKING

from store.lazy import offered

if TYPE_CHECKING:
    from store.backends.files.issue_reader import layout_to_read, read_issue, read_layout
    from store.backends.files.issue_writer import leaves, merged_files, write_issue, write_layout
    from store.backends.files.pending import complete
else:
    __getattr__ = offered(
        __name__,
        {
            "store.backends.files.issue_reader": "layout_to_read read_issue read_layout",
            "store.backends.files.issue_writer": "leaves merged_files write_issue write_layout",
            "store.backends.files.pending": "complete",
        },
    )
