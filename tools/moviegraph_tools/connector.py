"""The tools search and fetch, by which connectors find and read records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

from pydantic import Field

from moviegraph_tools.tool_definition import Arguments, ToolDefinition, Words
from moviegraph_tools.tool_results import Rendered, compact

if TYPE_CHECKING:
    from moviegraph.query.session import Call, Session
    from moviegraph.search.records import Reference


@dataclass(frozen=True, slots=True)
class Permalink:
    """A template with `{kind}`, `{id}` and `{name}`; what is put into it is percent-encoded."""

    template: str

    def of(self, reference: Reference) -> str:
        """Return the address of a record."""
        address = self.template.replace("{kind}", quote(reference.kind.lower(), safe=""))
        address = address.replace("{id}", str(reference.key))
        return address.replace("{name}", quote(reference.title, safe=""))


TEXT = {"type": "string"}
SEARCH_OUTPUT: dict[str, Any] = {
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


def search_tool(permalink: Permalink) -> ToolDefinition:
    """Return the tool, whose results have addresses of one template."""

    def work(session: Session, call: Call, arguments: Search) -> Rendered:
        from moviegraph.search import records

        references = records.search_documents(session, call, arguments.query)
        results = [
            {"id": reference.id, "title": reference.title, "url": permalink.of(reference)}
            for reference in references
        ]
        return Rendered({"results": results}, compact)

    return ToolDefinition(
        name="search",
        title="Search",
        description=(
            "Records by meaning, words and links, of every kind, with ids for fetch. "
            "For connectors that know only search and fetch; not for counts or "
            "conditions (run_readonly_sql). Example: {{query: {query}}}"
        ),
        arguments=Search,
        work=work,
        output=SEARCH_OUTPUT,
    )


NAMES = ("id", "title", "text", "url")
FETCH_OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in NAMES} | {"metadata": {"type": "object"}},
    "required": list(NAMES),
}


class Fetch(Arguments):
    """Arguments of fetch."""

    id: Annotated[Words, Field(description="As search gives it.")]


def fetch_tool(permalink: Permalink) -> ToolDefinition:
    """Return the tool, whose result has an address of one template."""

    def work(session: Session, call: Call, arguments: Fetch) -> Rendered:
        from moviegraph.search import records

        document = records.fetch_document(session, call, arguments.id)
        members = {
            "id": document.reference.id,
            "title": document.reference.title,
            "text": document.text,
            "url": permalink.of(document.reference),
            "metadata": document.metadata,
        }
        return Rendered(members, compact)

    return ToolDefinition(
        name="fetch",
        title="Fetch one record",
        description=(
            "One record by an id of search: its whole text, columns, and its edges counted by "
            "table. For connectors that know only search and fetch; not for searching. "
            "Example: {{id: '{node_id}'}}"
        ),
        arguments=Fetch,
        work=work,
        output=FETCH_OUTPUT,
    )
