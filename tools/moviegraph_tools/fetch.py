"""The tool fetch: the alias by which connectors read one record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from moviegraph_tools.arguments import Arguments, Words
from moviegraph_tools.permalink import Permalink
from moviegraph_tools.results import Verbatim
from moviegraph_tools.strict import Definition

if TYPE_CHECKING:
    from moviegraph.retrieval.session import Call, Session

NAMES = ("id", "title", "text", "url")
OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in NAMES} | {"metadata": {"type": "object"}},
    "required": list(NAMES),
}


class Fetch(Arguments):
    """Arguments of fetch."""

    id: Annotated[Words, Field(description="As search gives it.")]


def fetch_tool(permalink: Permalink) -> Definition:
    """Return the tool, whose result bears an address of one template."""

    def work(session: Session, call: Call, arguments: Fetch) -> Verbatim:
        from moviegraph.search import connector

        found = connector.fetch(session, call, arguments.id)
        return Verbatim(
            id=found.reference.id,
            title=found.reference.title,
            text=found.text,
            url=permalink.of(found.reference),
            metadata=found.metadata,
        )

    return Definition(
        name="fetch",
        title="Fetch one record",
        description=(
            "One record by an id of search: its whole text, columns, and its edges counted by "
            "table. For connectors that know only search and fetch; not for searching. "
            "Example: {{id: '{node_id}'}}"
        ),
        arguments=Fetch,
        work=work,
        output=OUTPUT,
    )
