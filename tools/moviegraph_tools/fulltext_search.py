"""The tool fulltext_search: nodes by their words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from moviegraph_tools.tool_definition import (
    READ,
    Arguments,
    Detail,
    Exclude,
    Kind,
    Limit,
    Only,
    ToolDefinition,
    Where,
    Words,
)

if TYPE_CHECKING:
    from moviegraph.query.rows import Rows
    from moviegraph.query.session import Call, Session


class FulltextSearch(Arguments):
    """Arguments of fulltext_search."""

    query: Annotated[
        Words, Field(description='Words, a name, or a condition: "a phrase" AND prefix*.')
    ]
    kind: Kind = None
    only: Only = ()
    exclude: Exclude = ()
    top: Limit = None
    where: Where = None
    detail: Detail = "concise"
    mode: Annotated[
        Literal["auto", "contains", "freetext"],
        Field(
            description="auto: a condition if it reads as one, else all words. freetext: any word."
        ),
    ] = "auto"


def search_words(session: Session, call: Call, arguments: FulltextSearch) -> Rows:
    """Search by words."""
    from moviegraph.search import fulltext

    return fulltext.search(session, call, **dict(arguments))


FULLTEXT_SEARCH = ToolDefinition(
    name="fulltext_search",
    title="Search by words",
    description=(
        "For exact words, names, phrases and the CONTAINS grammar; the nearest spelling if nothing "
        "is found. Not for ideas (hybrid_search)."
    ),
    arguments=FulltextSearch,
    work=search_words,
    scope=READ,
    example=lambda data: {"query": data.word},
    repeatable=True,
)
