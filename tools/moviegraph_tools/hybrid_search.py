"""The tool hybrid_search: meaning, words and links, fused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from moviegraph_tools.argument_models import (
    Arguments,
    Detail,
    Kind,
    Limit,
    References,
    Words,
    WordsOrNone,
)
from moviegraph_tools.tool_definition import ToolDefinition

if TYPE_CHECKING:
    from moviegraph.query.session import Call, Rows, Session


class HybridSearch(Arguments):
    """Arguments of hybrid_search."""

    query: Words
    keywords: Annotated[WordsOrNone, Field(description="Default: query.")] = None
    kind: Kind = None
    like: References = ()
    exclude: References = ()
    top: Limit = None
    where: WordsOrNone = None
    detail: Detail = "concise"


def work(session: Session, call: Call, arguments: HybridSearch) -> Rows:
    """Search every way."""
    from moviegraph.search import hybrid

    return hybrid.search(session, call, **vars(arguments))


HYBRID_SEARCH = ToolDefinition(
    name="hybrid_search",
    title="Hybrid search",
    description=(
        "Meaning, words and links fused by rank, names first; `like` and `exclude` take names, "
        "such as Series:Rocky. Not to walk links (graph_traverse). Example: "
        "{{query: '...', like: [{name}]}}"
    ),
    arguments=HybridSearch,
    work=work,
)
