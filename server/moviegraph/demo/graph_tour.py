"""Tour of any graph: the first example of its contract, searched, followed and narrowed."""

from collections.abc import Callable
from dataclasses import dataclass

from mcp import Client

from moviegraph.contract.model import Connection, Contract, NodeTable
from moviegraph.tool_client import Result, ToolClient, ToolFailedError, records

TOP = 5
Node = tuple[int, str]
OnStep = Callable[[str, Result], None]


@dataclass(frozen=True, slots=True)
class GraphTour:
    """A tour whose question, search text and edges come from the contract that is served."""

    client: Client
    contract: Contract
    on_step: OnStep

    @property
    def question(self) -> str:
        """The question of the first example, or a general one."""
        examples = self.contract.examples
        return examples[0].question if examples else f"What is in {self.contract.title}?"

    @property
    def search_text(self) -> str:
        """The text that is searched: that of the first example, or its question."""
        examples = self.contract.examples
        return (examples[0].query if examples else None) or self.question

    @property
    def table(self) -> NodeTable:
        """The node table that the tools search by default."""
        return self.contract.nodes[0]

    async def run(self) -> bool:
        """Search, follow edges, and search again without a neighbor; return whether rows came."""
        self.on_step("context", await self._call("get_planning_context", question=self.question))
        tool, result = await self._search()
        nodes = self._nodes(result)
        self.on_step("search", {"tool": tool, "text": self.search_text, "nodes": _names(nodes)})
        connection = await self._connection(nodes[0]) if nodes else None
        if connection is not None:
            await self._follow(nodes[0], connection, tool)
        return bool(nodes)

    async def _call(self, tool: str, **arguments: object) -> Result:
        return await ToolClient(self.client).call(tool, **arguments)

    async def _search(self) -> tuple[str, Result]:
        """Return the tool that searched and its result; full text where there are no vectors."""
        try:
            return "hybrid_search", await self._search_by("hybrid_search")
        except ToolFailedError as error:
            if error.code not in ("no_vectors", "unavailable", "embedder_failed"):
                raise
        return "fulltext_search", await self._search_by("fulltext_search")

    async def _search_by(self, tool: str, **arguments: object) -> Result:
        mode = {"mode": "freetext"} if tool == "fulltext_search" else {}
        return await self._call(tool, query=self.search_text, top=TOP, **mode, **arguments)

    async def _connection(self, node: Node) -> Connection | None:
        """Return the first connection to another kind that the node has an edge of."""
        result = await self._call("get_records", kind=self.table.name, ids=[node[0]])
        rows = records(result)
        counts: dict[str, int] = rows[0]["Edges"] if rows else {}
        connections = self.contract.connections_of(self.table.name)
        return next((c for c in connections if len(c.ends) == 2 and counts.get(c.name)), None)

    async def _follow(self, node: Node, connection: Connection, tool: str) -> None:
        """Show what shares neighbors with a node, then the search without one neighbor."""
        kind = self.table.name
        start = {"start_kind": kind, "start": [node[0]]}
        path = [connection.name, connection.name]
        shared = await self._call("graph_traverse", **start, path=path, to_kind=kind, top=TOP)
        self.on_step("shared", {"name": node[1], "edge": connection.name, **self._shown(shared)})
        other = next(iter(connection.ends - {kind}))
        neighbors = await self._call("graph_traverse", **start, path=path[:1], to_kind=other, top=1)
        neighbor = self._nodes(neighbors, self.contract.node(other))[0]
        result = await self._search_by(tool, exclude=[f"{other}:{neighbor[1]}"])
        self.on_step(
            "exclusion",
            {
                "tool": tool,
                "name": f"{other} {neighbor[1]}",
                "nodes": _names(self._nodes(result)),
                "notes": result["notes"],
            },
        )

    def _nodes(self, result: Result, table: NodeTable | None = None) -> list[Node]:
        of = table or self.table
        return [(row[of.key], row[of.label]) for row in records(result)]

    def _shown(self, result: Result) -> Result:
        return {"rows": [(row[self.table.label], row["Via"]) for row in records(result)]}


def _names(nodes: list[Node]) -> list[str]:
    return [name for _, name in nodes]
