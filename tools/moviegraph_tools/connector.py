"""The tools search and fetch, by which connectors find and read records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

from pydantic import Field

from moviegraph_tools.tool_definition import READ, Arguments, ToolDefinition, Words
from moviegraph_tools.tool_results import Rendered, compact

if TYPE_CHECKING:
    from moviegraph.query.session import Call, Session
    from moviegraph.search.records import Reference


class Search(Arguments):
    """Arguments of search."""

    query: Annotated[Words, Field(description="Words, a name, or an idea.")]


class Fetch(Arguments):
    """Arguments of fetch."""

    id: Annotated[Words, Field(description="As search gives it.")]


def connector_tools(template: str) -> tuple[ToolDefinition, ...]:
    """Return the tools, whose results have URLs of a template with `{kind}`, `{id}`, `{name}`."""

    def record_url(reference: Reference) -> str:
        url = template.replace("{kind}", quote(reference.kind.lower(), safe=""))
        url = url.replace("{id}", str(reference.key))
        return url.replace("{name}", quote(reference.title, safe=""))

    def search(session: Session, call: Call, arguments: Search) -> Rendered:
        from moviegraph.search import records

        references = records.search_documents(session, call, arguments.query)
        results = [
            {"id": reference.id, "title": reference.title, "url": record_url(reference)}
            for reference in references
        ]
        return Rendered({"results": results}, compact)

    def fetch(session: Session, call: Call, arguments: Fetch) -> Rendered:
        from moviegraph.search import records

        document = records.fetch_document(session, call, arguments.id)
        members = {
            "id": document.reference.id,
            "title": document.reference.title,
            "text": document.text,
            "url": record_url(document.reference),
            "metadata": document.metadata,
        }
        return Rendered(members, compact)

    return (
        ToolDefinition(
            name="search",
            title="Search",
            description=(
                "Records by meaning, words and links, of every kind, with ids for fetch. "
                "For connectors that know only search and fetch; not for counts or "
                "conditions (run_readonly_sql)."
            ),
            arguments=Search,
            work=search,
            scope=READ,
            example=lambda data: {"query": data.query},
        ),
        ToolDefinition(
            name="fetch",
            title="Fetch one record",
            description=(
                "One record by an id of search: its whole text, columns, and its edges counted by "
                "table. For connectors that know only search and fetch; not for searching."
            ),
            arguments=Fetch,
            work=fetch,
            scope=READ,
            example=lambda data: {"id": f"{data.kind.name.lower()}:{data.record[0]}"},
        ),
    )
