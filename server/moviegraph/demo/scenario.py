"""Scenarios of the demo: a question with strategies from a file, or a tour of any graph."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client
from pydantic import BaseModel, ConfigDict, ValidationError

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Connection, Contract, NodeTable
from moviegraph.demo.demo_printer import DemoPrinter
from moviegraph.errors import ContractError
from moviegraph.settings import content_folder
from moviegraph.tool_client import Result, ToolClient, ToolFailedError, call_server, records


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ScenarioStrategy(_Record):
    """One strategy, as an argument of `run_strategies`."""

    id: str
    message_to_user: str
    query: str
    command: str


class ReasonQuery(_Record):
    """A statement for what records share with the seen ones; `{ids}` are their IDs."""

    label: str
    command: str
    query: str | None = None


class Films(_Record):
    """The statement that reads the records."""

    command: str


class Scenario(_Record):
    """One question, its strategies, and the statements that explain the answer."""

    question: str
    kind: str
    seen: str
    seen_kind: str
    strategies: tuple[ScenarioStrategy, ...]
    reasons: tuple[ReasonQuery, ...]
    films: Films


@dataclass(frozen=True, slots=True)
class IdList:
    """IDs to replace `{ids}`: only integers, so that nothing else can enter the SQL."""

    ids: tuple[int, ...]

    def into(self, command: str) -> str:
        """Return the command with the IDs."""
        return command.replace("{ids}", ", ".join(str(int(number)) for number in self.ids))


def load_scenario(path: Path) -> Scenario:
    """Return a scenario from a file. Raises ContractError, naming the file."""
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return Scenario.model_validate(data)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise ContractError(f"{path.name} cannot be read as a walkthrough: {error}") from error


MAX_FILMS = 10
MAX_CANDIDATES = 20
EXPANDED = 60
LIKE_TOP = 5
OnStep = Callable[[str, Result], None]


@dataclass(frozen=True, slots=True)
class Film:
    """One record of the answer, with what it shares with the seen ones, by label."""

    id: int
    name: str
    year: int | None
    content: str
    found_by: tuple[str, ...]
    shares: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(slots=True)
class ScenarioRunner:
    """Runs a scenario; `on_step` receives the name and result of each step."""

    tools: ToolClient
    plan: Scenario
    on_step: OnStep

    async def run(self) -> list[Film]:
        """Return the records of the answer, best first."""
        question = self.plan.question
        context = await self.tools.call("get_planning_context", question=question)
        self.on_step("context", context)
        run = await self.tools.call(
            "run_strategies",
            question=question,
            strategies=[strategy.model_dump() for strategy in self.plan.strategies],
        )
        self.on_step("strategies", run)
        expanded = await self._expand(run)
        self.on_step("likeness", await self._likeness())
        films = await self._films(run, expanded)
        self.on_step("films", {"count": len(films)})
        return films

    async def _expand(self, run: Result) -> Result:
        if run.get("best") is None:
            return {"columns": [], "rows": []}
        expanded = await self.tools.call("expand_strategy", execution_id=run["best"], top=EXPANDED)
        self.on_step("expansion", expanded)
        return expanded

    async def _likeness(self) -> Result:
        """Return the result of a search with the seen series in `like` and `exclude`."""
        series = [f"{self.plan.seen_kind}:{self.plan.seen}"]
        result = await self.tools.call("semantic_search", like=series, exclude=series, top=LIKE_TOP)
        names = [row["Name"] for row in records(result)]
        return {"seen": series[0], "nodes": names, "notes": result["notes"]}

    async def _films(self, run: Result, expanded: Result) -> list[Film]:
        """Return the candidates that were not seen, fused ones first."""
        candidates = self._candidates(run, expanded)
        ids = IdList(tuple(candidates)[:MAX_CANDIDATES])
        if not ids.ids:
            return []
        answer = await self.tools.call("run_readonly_sql", sql=ids.into(self.plan.films.command))
        rows = {row["Id"]: row for row in records(answer) if row["Series"] != self.plan.seen}
        unseen = IdList(tuple(number for number in ids.ids if number in rows)[:MAX_FILMS])
        shares = {reason.label: await self._shares(reason, unseen) for reason in self.plan.reasons}
        return [
            Film(
                id=number,
                name=rows[number]["Name"],
                year=rows[number]["ReleaseYear"],
                content=rows[number]["Content"],
                found_by=candidates[number],
                shares={label: by[number] for label, by in shares.items() if number in by},
            )
            for number in unseen.ids
        ]

    def _candidates(self, run: Result, expanded: Result) -> dict[int, tuple[str, ...]]:
        """Return IDs with the strategies that found them, in the order of the fused list."""
        films: dict[int, tuple[str, ...]] = {}
        for row in records(run["fused"]):
            if row["Kind"] == self.plan.kind:
                by = row["FoundBy"]
                films[row["Id"]] = tuple(by.split(", ")) if isinstance(by, str) else tuple(by)
        for row in records(expanded):
            films.setdefault(row["Id"], ("expansion",))
        return films

    async def _shares(self, reason: ReasonQuery, ids: IdList) -> dict[int, str]:
        if not ids.ids:
            return {}
        arguments = {"query": reason.query} if reason.query else {}
        answer = await self.tools.call(
            "run_readonly_sql", sql=ids.into(reason.command), **arguments
        )
        return {row["Id"]: row["Shared"] for row in records(answer)}


TOP = 5
Node = tuple[int, str]


@dataclass(frozen=True, slots=True)
class GraphTour:
    """A tour with the question, search text and edges of the served contract."""

    tools: ToolClient
    contract: Contract
    on_step: OnStep

    @property
    def question(self) -> str:
        """The question of the first example, or a general one."""
        examples = self.contract.examples
        return examples[0].question if examples else f"What is in {self.contract.title}?"

    @property
    def search_text(self) -> str:
        """The search text: that of the first example, or its question."""
        examples = self.contract.examples
        return (examples[0].query if examples else None) or self.question

    @property
    def table(self) -> NodeTable:
        """The node table that the tools search by default."""
        return self.contract.nodes[0]

    async def run(self) -> bool:
        """Search, follow edges, and search without a neighbor; return whether there are rows."""
        self.on_step(
            "context", await self.tools.call("get_planning_context", question=self.question)
        )
        tool, result = await self._search()
        nodes = self._nodes(result)
        self.on_step("search", {"tool": tool, "text": self.search_text, "nodes": _names(nodes)})
        connection = await self._connection(nodes[0]) if nodes else None
        if connection is not None:
            await self._follow(nodes[0], connection, tool)
        return bool(nodes)

    async def _search(self) -> tuple[str, Result]:
        """Return a search tool and its result; full-text search if there are no vectors."""
        try:
            return "hybrid_search", await self._search_by("hybrid_search")
        except ToolFailedError as error:
            if error.code not in ("no_vectors", "unavailable", "embedder_failed"):
                raise
        return "fulltext_search", await self._search_by("fulltext_search")

    async def _search_by(self, tool: str, **arguments: object) -> Result:
        mode = {"mode": "freetext"} if tool == "fulltext_search" else {}
        return await self.tools.call(tool, query=self.search_text, top=TOP, **mode, **arguments)

    async def _connection(self, node: Node) -> Connection | None:
        """Return the first connection to a different kind of which the node has an edge."""
        result = await self.tools.call("get_records", kind=self.table.name, ids=[node[0]])
        rows = records(result)
        counts: dict[str, int] = rows[0]["Edges"] if rows else {}
        connections = self.contract.connections_of(self.table.name)
        return next((c for c in connections if len(c.ends) == 2 and counts.get(c.name)), None)

    async def _follow(self, node: Node, connection: Connection, tool: str) -> None:
        """Show the nodes that share neighbors with a node, then a search without one neighbor."""
        kind = self.table.name
        start = {"start_kind": kind, "start": [node[0]]}
        path = [connection.name, connection.name]
        shared = await self.tools.call("graph_traverse", **start, path=path, to_kind=kind, top=TOP)
        self.on_step("shared", {"name": node[1], "edge": connection.name, **self._shown(shared)})
        other = next(iter(connection.ends - {kind}))
        neighbors = await self.tools.call(
            "graph_traverse", **start, path=path[:1], to_kind=other, top=1
        )
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
        node_table = table or self.table
        return [(row[node_table.key], row[node_table.label]) for row in records(result)]

    def _shown(self, result: Result) -> Result:
        return {"rows": [(row[self.table.label], row["Via"]) for row in records(result)]}


def _names(nodes: list[Node]) -> list[str]:
    return [name for _, name in nodes]


def walkthrough() -> Scenario:
    """Return the scenario of the package."""
    return load_scenario(content_folder("schema_docs") / "walkthroughs" / "star_wars.toml")


async def run_tour(options: list[str], contract: Contract, printer: DemoPrinter) -> bool:
    """Start the server with some options, tour its graph, and return whether there were rows.

    Raises:
        MoviegraphError: The server failed; the message states how.
    """

    async def tour(client: Client) -> bool:
        tools = ToolClient(client)
        scenario = walkthrough()
        if not await _has_seen_node(tools, contract, scenario):
            graph_tour = GraphTour(tools, contract, printer.step)
            printer.question(graph_tour.question)
            return await graph_tour.run()
        printer.question(scenario.question)
        films = await ScenarioRunner(tools, scenario, printer.step).run()
        printer.films(films)
        return bool(films)

    has_rows = await call_server(options, tour)
    printer.next_steps()
    return has_rows


async def _has_seen_node(tools: ToolClient, contract: Contract, scenario: Scenario) -> bool:
    """Return whether the graph has the movie contract and the node that the scenario starts at."""
    if contract.hash != load_contract().hash:
        return False
    try:
        await tools.call("get_records", kind=scenario.seen_kind, names=[scenario.seen])
    except ToolFailedError as error:
        if error.code == "not_found":
            return False
        raise
    return True
