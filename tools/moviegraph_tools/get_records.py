"""The tool get_records: whole records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from moviegraph_tools.arguments import MOST_ITEMS, Arguments, Items, Kind, Number, Text
from moviegraph_tools.strict import Definition

if TYPE_CHECKING:
    from moviegraph.retrieval.session import Call, Rows, Session

Many = Field(min_length=1, max_length=MOST_ITEMS)


class GetRecords(Arguments):
    """Arguments of get_records."""

    kind: Kind = None
    ids: Annotated[tuple[Number, ...] | None, Items, Many] = None
    names: Annotated[tuple[str, ...] | None, Items, Many, Text()] = None
    detail: Literal["full", "concise"] = "full"


def work(session: Session, call: Call, arguments: GetRecords) -> Rows:
    """Fetch."""
    from moviegraph.retrieval import records

    return records.fetch(
        session,
        call,
        kind=arguments.kind or "",
        ids=None if arguments.ids is None else list(arguments.ids),
        names=None if arguments.names is None else list(arguments.names),
        detail=arguments.detail,
    )


GET_RECORDS = Definition(
    name="get_records",
    title="Whole records",
    description=(
        "Records by ids or names, edges counted by table. To read what was found; not to "
        "search. Example: {{names: [{name}]}}"
    ),
    arguments=GetRecords,
    work=work,
    light=True,
)
