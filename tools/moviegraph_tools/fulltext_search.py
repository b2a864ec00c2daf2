"""The tool fulltext_search: nodes by their words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

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


class FulltextSearch(Arguments):
    """Arguments of fulltext_search."""

    query: Annotated[Words, Field(description="Names, keywords, or a condition.")]
    kind: Kind = None
    only: Entries = ()
    exclude: References = ()
    top: Limit = None
    where: WordsOrNone = None
    detail: Detail = "concise"
    mode: Literal["auto", "contains", "freetext"] = "auto"


def search_words(session: Session, call: Call, arguments: FulltextSearch) -> Rows:
    """Search by words."""
    from moviegraph.search import fulltext

    return fulltext.search(session, call, **dict(arguments))


FULLTEXT_SEARCH = ToolDefinition(
    name="fulltext_search",
    title="Search by words",
    description=(
        "Nodes whose name or text has the words; exact names first, misspelled last. Not "
        "for ideas (semantic_search). contains: the CONTAINS grammar; freetext: any inflected "
        "word. Example: {{query: {name}}}"
    ),
    arguments=FulltextSearch,
    work=search_words,
    scope=READ,
    repeatable=True,
)
