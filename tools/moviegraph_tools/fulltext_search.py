"""The tool fulltext_search: nodes by their words."""

from typing import Annotated, Literal

from pydantic import Field

from moviegraph_tools.tool_definition import (
    Arguments,
    Detail,
    Kind,
    Limit,
    References,
    ToolDefinition,
    Words,
    WordsOrNone,
    forwards_to,
)


class FulltextSearch(Arguments):
    """Arguments of fulltext_search."""

    query: Annotated[Words, Field(description="Names, keywords, or a condition.")]
    kind: Kind = None
    exclude: References = ()
    top: Limit = None
    where: WordsOrNone = None
    detail: Detail = "concise"
    mode: Literal["auto", "contains", "freetext"] = "auto"


FULLTEXT_SEARCH = ToolDefinition(
    name="fulltext_search",
    title="Search by words",
    description=(
        "Nodes whose name or text has the words; exact names first, misspelled last. Not "
        "for ideas (semantic_search). contains: the CONTAINS grammar; freetext: any inflected "
        "word. Example: {{query: {name}}}"
    ),
    arguments=FulltextSearch,
    work=forwards_to("moviegraph.search.fulltext:search"),
)
