"""The tool hybrid_search: its description and arguments; search/hybrid.py does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from moviegraph_tools.tool_definition import (
    READ,
    Arguments,
    Detail,
    Entries,
    Kind,
    Limit,
    References,
    ToolDefinition,
    Words,
    WordsOrNone,
)

if TYPE_CHECKING:
    from moviegraph.query.rows import Rows
    from moviegraph.query.session import Call, Session


class HybridSearch(Arguments):
    """Arguments of hybrid_search."""

    query: Words
    keywords: Annotated[WordsOrNone, Field(description="Default: query.")] = None
    kind: Kind = None
    like: References = ()
    only: Entries = ()
    exclude: References = ()
    top: Limit = None
    where: WordsOrNone = None
    detail: Detail = "concise"


def search_all(session: Session, call: Call, arguments: HybridSearch) -> Rows:
    """Search by meaning, words and links."""
    from moviegraph.search import hybrid

    return hybrid.search(session, call, **dict(arguments))


HYBRID_SEARCH = ToolDefinition(
    name="hybrid_search",
    title="Hybrid search",
    description=(
        "Meaning, words and links fused by rank, names first; `like` and `exclude` take names, "
        "as Kind:Name. Not to walk links (graph_traverse). Example: "
        "{{query: '...', like: [{name}]}}"
    ),
    arguments=HybridSearch,
    work=search_all,
    scope=READ,
    repeatable=True,
)
