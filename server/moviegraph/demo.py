"""`moviegraph demo`: one question about films with its strategies, or a tour of any other graph."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from mcp import Client

from moviegraph.ask.step_printer import StepPrinter
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Connection, Contract, NodeTable
from moviegraph.settings import content_folder
from moviegraph.text import plural
from moviegraph.tool_client import Result, ToolClient, ToolFailedError, records
from moviegraph_tools.examples import ExampleData

WIDTH = 80
MAX_FILMS = 10
TOP = 5
NEXT_STEPS = """
Next
  See these calls        moviegraph journal, or moviegraph journal --web
  Connect a client       docs/guides/clients.md in the repository; it runs
                         moviegraph serve{options}
  See the graph          moviegraph explore
  Load your own data     moviegraph load FILE --into GRAPH"""


def read_walkthrough() -> dict[str, Any]:
    """Return the question about films, its strategies, and the statements that explain them."""
    path = content_folder("schema_docs") / "walkthroughs" / "star_wars.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


class DemoPrinter(StepPrinter):
    """Printer that numbers the steps, and names the tool of each."""

    steps = 0

    def step(self, text: str, tool: str) -> None:
        """Print the title of a step."""
        self.steps += 1
        self.write("")
        self.title(f"{self.steps}. {text}  {tool}")

    def nodes(self, names: Iterable[str], notes: Iterable[str] = ()) -> None:
        """Print names, best first, and the notes of the tool."""
        lines = [f"{number}. {name}" for number, name in enumerate(names, 1)]
        for line in (*(lines or ["No results."]), *notes):
            self.note(line)


@dataclass(frozen=True, slots=True)
class FilmWalkthrough:
    """The question about films: strategies, expansion, and the records that they find."""

    tools: ToolClient
    plan: dict[str, Any]
    printer: DemoPrinter

    async def run(self) -> list[Result]:
        """Return the records of the answer, best first."""
        question = self.plan["question"]
        self.printer.title(f"Question: {question}")
        await _print_context(self.tools, self.printer, question)
        run = await self._run(question)
        await self._expand(run)
        await self._search_like()
        return await self._read_films(run)

    async def _run(self, question: str) -> Result:
        strategies = self.plan["strategies"]
        number = plural(len(strategies), "strategy", "strategies")
        self.printer.step(f"{number} in one call", "run_strategies")
        for strategy in strategies:
            self.printer.note(f"{strategy['id']}: {strategy['message_to_user']}")
        run = await self.tools.call("run_strategies", question=question, strategies=strategies)
        self.printer.run(run)
        return run

    async def _expand(self, run: Result) -> None:
        if run["best"] is not None:
            expanded = await self.tools.call("expand_strategy", execution_id=run["best"])
            self.printer.step("Expand the best strategy", "expand_strategy")
            self.printer.expansion(expanded)

    async def _search_like(self) -> None:
        """Search with the seen series in `like` and `exclude`."""
        series = [f"{self.plan['seen_kind']}:{self.plan['seen']}"]
        result = await self.tools.call("semantic_search", like=series, exclude=series, top=TOP)
        self.printer.step("Shorter: like and exclude", "semantic_search")
        self.printer.note(f"like {series[0]}, exclude {series[0]}")
        self.printer.nodes((row["Name"] for row in records(result)), result["notes"])

    async def _read_films(self, run: Result) -> list[Result]:
        """Print and return the records that the strategies found together, none that was seen."""
        kind, fused = self.plan["kind"], records(run["fused"])
        found_by = {row["Id"]: row["FoundBy"] for row in fused if row["Kind"] == kind}
        ids = list(found_by)[:MAX_FILMS]
        self.printer.step("What to watch next", "get_records")
        if not ids:
            self.printer.note("Nothing in this graph is similar to the films that were seen.")
            return []
        films = records(await self.tools.call("get_records", kind=kind, ids=ids, detail="concise"))
        for number, film in enumerate(films, 1):
            self.printer.note(
                f"{number}. {film['Name']} ({film['ReleaseYear']}): {film['Content']}"
            )
            self.printer.note(f"found by: {', '.join(found_by[film['Id']])}", level=2)
        return films


@dataclass(frozen=True, slots=True)
class GraphTour:
    """A tour with the question, search text and edges of the served contract."""

    tools: ToolClient
    contract: Contract
    printer: DemoPrinter

    async def run(self) -> bool:
        """Search, follow edges, and search without a neighbor; return whether there are rows."""
        examples, data = self.contract.examples, ExampleData(self.contract)
        question = examples[0].question if examples else data.question
        text = (examples[0].query if examples else None) or data.query
        table = self.contract.nodes[0]
        self.printer.title(f"Question: {question}")
        await _print_context(self.tools, self.printer, question)
        tool, result = await self._search(text)
        nodes = _nodes(result, table)
        self.printer.step("Semantic, full-text and link search", tool)
        self.printer.note(f"query: {text}")
        self.printer.nodes(name for _, name in nodes)
        connection = await self._connection(nodes[0][0]) if nodes else None
        if connection is not None:
            neighbor = await self._follow(nodes[0], connection)
            result = await self._search_by(tool, text, exclude=[":".join(neighbor)])
            title = f"The same search without {' '.join(neighbor)}"
            self.printer.step(title, f"{tool} with exclude")
            self.printer.nodes((name for _, name in _nodes(result, table)), result["notes"])
        return bool(nodes)

    async def _search(self, text: str) -> tuple[str, Result]:
        """Return a search tool and its result; full-text search if there are no vectors."""
        try:
            return "hybrid_search", await self._search_by("hybrid_search", text)
        except ToolFailedError as error:
            if error.code not in ("no_vectors", "unavailable", "embedder_failed"):
                raise
        return "fulltext_search", await self._search_by("fulltext_search", text)

    async def _search_by(self, tool: str, text: str, **arguments: object) -> Result:
        mode = {"mode": "freetext"} if tool == "fulltext_search" else {}
        return await self.tools.call(tool, query=text, top=TOP, **mode, **arguments)

    async def _connection(self, key: int) -> Connection | None:
        """Return the first connection to a different kind of which the node has an edge."""
        kind = self.contract.nodes[0].name
        result = await self.tools.call("get_records", kind=kind, ids=[key])
        rows = records(result)
        counts: dict[str, int] = rows[0]["Edges"] if rows else {}
        connections = self.contract.connections_of(kind)
        return next((c for c in connections if len(c.ends) == 2 and counts.get(c.name)), None)

    async def _follow(self, node: tuple[int, str], connection: Connection) -> tuple[str, str]:
        """Print the nodes that share neighbors with a node; return kind and name of a neighbor."""
        table = self.contract.nodes[0]
        start: Result = {"start_kind": table.name, "start": [node[0]]}
        path = [connection.name, connection.name]
        shared = await self.tools.call(
            "graph_traverse", **start, path=path, to_kind=table.name, top=TOP
        )
        self.printer.step(f"Nodes that share {connection.name} with {node[1]}", "graph_traverse")
        self.printer.nodes(f"{row[table.label]} ({row['Via']})" for row in records(shared))
        other = next(iter(connection.ends - {table.name}))
        neighbors = await self.tools.call(
            "graph_traverse", **start, path=path[:1], to_kind=other, top=1
        )
        return other, _nodes(neighbors, self.contract.node(other) or table)[0][1]


def _nodes(result: Result, table: NodeTable) -> list[tuple[int, str]]:
    return [(row[table.key], row[table.label]) for row in records(result)]


async def _print_context(tools: ToolClient, printer: DemoPrinter, question: str) -> None:
    context = await tools.call("get_planning_context", question=question)
    printer.step("Planning context", "get_planning_context")
    printer.context(context)


async def tour_graph(client: Client, contract: Contract, printer: DemoPrinter) -> bool:
    """Tour the graph of a server, and return whether there were rows.

    Raises:
        MoviegraphError: The server failed; the message states how.
    """
    tools, plan = ToolClient(client), read_walkthrough()
    if await _has_seen_node(tools, contract, plan):
        return bool(await FilmWalkthrough(tools, plan, printer).run())
    return await GraphTour(tools, contract, printer).run()


async def _has_seen_node(tools: ToolClient, contract: Contract, plan: dict[str, Any]) -> bool:
    """Return whether the graph has the movie contract and the series that was seen."""
    if contract.hash != load_contract().hash:
        return False
    try:
        await tools.call("get_records", kind=plan["seen_kind"], names=[plan["seen"]])
    except ToolFailedError as error:
        if error.code == "not_found":
            return False
        raise
    return True
