"""The tool search: the alias by which connectors find records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moviegraph_tools.arguments import Arguments, Words
from moviegraph_tools.permalink import Permalink
from moviegraph_tools.results import Verbatim
from moviegraph_tools.strict import Definition

if TYPE_CHECKING:
    from moviegraph.retrieval.session import Call, Session

TEXT = {"type": "string"}
OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "results": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"id": TEXT, "title": TEXT, "url": TEXT},
                "required": ["id", "title", "url"],
            },
        }
    },
    "required": ["results"],
}


class Search(Arguments):
    """Arguments of search."""

    query: Words


def search_tool(permalink: Permalink) -> Definition:
    """Return the tool, whose results bear addresses of one template."""

    def work(session: Session, call: Call, arguments: Search) -> Verbatim:
        from moviegraph.search import connector

        found = connector.search(session, call, arguments.query)
        return Verbatim(
            results=[
                {"id": each.id, "title": each.title, "url": permalink.of(each)} for each in found
            ]
        )

    return Definition(
        name="search",
        title="Search",
        description=(
            "Records by meaning, words and links, of every kind, with ids for fetch. "
            "For connectors that know only search and fetch; not for counts or "
            "conditions (run_readonly_sql). Example: {{query: {query}}}"
        ),
        arguments=Search,
        work=work,
        output=OUTPUT,
    )
