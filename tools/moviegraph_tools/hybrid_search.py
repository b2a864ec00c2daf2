"""The tool hybrid_search: meaning and words, fused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from moviegraph_tools.arguments import Arguments, Detail, Kind, Limit, Words, WordsOrNone
from moviegraph_tools.strict import Definition

if TYPE_CHECKING:
    from moviegraph.retrieval.session import Call, Rows, Session


class HybridSearch(Arguments):
    """Arguments of hybrid_search."""

    query: Words
    keywords: Annotated[WordsOrNone, Field(description="By default from query.")] = None
    kind: Kind = None
    top: Limit = None
    where: WordsOrNone = None
    detail: Detail = "concise"


def work(session: Session, call: Call, arguments: HybridSearch) -> Rows:
    """Search both ways."""
    from moviegraph.retrieval import hybrid

    return hybrid.search(session, call, **arguments.model_dump())


HYBRID_SEARCH = Definition(
    name="hybrid_search",
    title="Hybrid search",
    description=(
        "Meaning and words at once, fused by rank, with both ranks. For names plus "
        "ideas; not for links between nodes (graph_traverse). Example: "
        "{{query: '...', keywords: {name}}}"
    ),
    arguments=HybridSearch,
    work=work,
)
