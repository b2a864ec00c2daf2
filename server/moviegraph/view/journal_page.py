"""The page that shows a journal; its server tells it the records."""

from collections.abc import Mapping
from typing import Any

from moviegraph.contract.model import Contract
from moviegraph.view.apps import shape_of
from moviegraph.view.document import Document, document

NOTHING: dict[str, Any] = {"kinds": [], "edges": {}}


def journal_page(contract: Contract | None, filters: Mapping[str, str]) -> Document:
    """Return the page.

    Args:
        contract: Tells the kinds of nodes in records that ran over it.
        filters: What is listed at first.
    """
    known = {**shape_of(contract), "hash": contract.hash} if contract else NOTHING
    return document(
        "records.js",
        "journal.js",
        title="moviegraph journal",
        waiting="Reading the journal",
        shape={**known, "filters": dict(filters)},
    )
