"""What clients are told, on graphs of several domains: every example runs, and no film is named."""

import csv
import json
import re
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fakes.cookbook import build_cookbook
from fakes.hashed_embedder import HashedEmbedder
from fakes.limits import limits
from fakes.parcels import parcel_session
from fakes.records import build_graph
from mcp import Client
from mcp.types import TextContent, TextResourceContents

from moviegraph.contract.loader import contract_of, folder_contract, load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.loading.folder_loader import load
from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings, content_folder

FILM_WORDS = re.compile(
    r"\b(movies?|films?|genres?|actors?|directors?|cinema|screen|plots?|characters|themes?"
    r"|sequels?|star wars|alien|casablanca|rocky|matrix|dune|releaseyear|series)\b",
    re.IGNORECASE,
)
GENERAL = re.compile(
    r"moviegraph|GENERATE_SERIES|At characters? \d|\d+ characters|characters are removed", re.I
)  # of T-SQL, and of text
SQL_BLOCK = re.compile(r"```sql\n(.*?)```", re.DOTALL)
ENOUGH = 300


def write_csv(path: Path, header: str, rows: list[list[Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header.split(","))
        writer.writerows(rows)
    return path


def events(folder: Path) -> Path:
    """Write a table of a kind that begins with E, with dates, sums, prose and links."""
    cities = ["Lyon", "Oslo", "Turin", "Ghent"]
    rows = [
        [
            f"EV-{at}",
            f"{cities[at % 4]} fair {at}",
            f"A market of {('cheese', 'wool', 'books')[at % 3]} with music until late at night.",
            cities[at % 4],
            ("food|music", "craft", "books|music")[at % 3],
            f"2024-{at % 12 + 1:02}-{at % 27 + 1:02}",
            at * 37 % 500,
        ]
        for at in range(60)
    ]
    return write_csv(folder / "events.csv", "code,title,about,city,tags,opened,visitors", rows)


def moves(folder: Path) -> Path:
    """Write a table whose name begins a statement of T-SQL, without prose."""
    rows = [[f"Move {chr(65 + at % 26)}{at}", ("fire", "ice")[at % 2], at % 9] for at in range(40)]
    return write_csv(folder / "moves.csv", "name,element,power", rows)


def stations(folder: Path) -> Path:
    """Write a table of names and numbers only: no link, no prose."""
    rows = [[at, f'O\'Brien "{at}": a|b', 1.5 * at] for at in range(1, 30)]
    return write_csv(folder / "stations.csv", "id,label,height", rows)


@dataclass(frozen=True)
class Domain:
    """A graph: how it is built in a folder, and whether its texts may speak of films."""

    build: Callable[[Path], Session]
    is_films: bool = False
    is_drafted: bool = False


def served(folder: Path, contract: Contract | None = None) -> Session:
    contract = contract or folder_contract(folder)
    assert contract is not None
    engine = open_graph(folder, contract)
    return Session(contract, engine, HashedEmbedder(), SqliteJournal(None), limits(contract))


def drafted(write: Callable[[Path], Path], *, has_vectors: bool = True) -> Domain:
    def build(folder: Path) -> Session:
        folder.mkdir(parents=True)
        embedder = HashedEmbedder() if has_vectors else None
        load(write(folder), folder / "graph", None, embedder)
        return served(folder / "graph")

    return Domain(build, is_drafted=True)


NAMES = """
name = "roads"
title = "Roads"
version = "1"
description = "Towns and the roads between them."
[nodes.Town]
description = "One town."
[nodes.Town.columns]
Id = { type = "INT", nullable = false, description = "Key." }
Name = { type = "NVARCHAR(80)", nullable = false, searchable = true, description = "Name." }
[nodes.Employer]
description = "One employer."
[nodes.Employer.columns]
Id = { type = "INT", nullable = false, description = "Key." }
Name = { type = "NVARCHAR(80)", nullable = false, searchable = true, description = "Name." }
[edges.ROAD_TO]
from = "Town"
to = "Town"
meaning = "a road"
[edges.EMPLOYS_IN]
from = "Employer"
to = "Town"
meaning = "has workers in the town"
"""


def names_only(folder: Path) -> Session:
    """Build a graph of names: no prose, no vectors, an edge of a kind to itself."""
    contract = contract_of({"contract.toml": NAMES})
    nodes = [NodeRecord("Town", at, f"Town of {chr(64 + at)}a", "") for at in range(1, 20)]
    nodes += [NodeRecord("Employer", at, f"Works {chr(64 + at)}b", "") for at in range(1, 6)]
    edges = [EdgeRecord("ROAD_TO", at, at % 7 + 1) for at in range(8, 20)]
    edges += [EdgeRecord("EMPLOYS_IN", at % 5 + 1, at) for at in range(1, 20)]
    build_graph(nodes, edges, folder, contract, None, source="made")
    return served(folder, contract)


def cookbook(folder: Path) -> Session:
    return served(build_cookbook(folder))


def films(folder: Path) -> Session:
    load(content_folder("data"), folder, load_contract(), HashedEmbedder())
    return served(folder)


DOMAINS = {
    "events": drafted(events),
    "moves": drafted(moves),
    "stations": drafted(stations, has_vectors=False),
    "names only": Domain(names_only),
    "parcels": Domain(parcel_session),
    "cookbook": Domain(cookbook),
    "films": Domain(films, is_films=True),
}
SLOW = {"cookbook", "films"}


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=[pytest.mark.slow("long")] if name in SLOW else [])
        for name in DOMAINS
    ],
)
def graph(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Domain, Session]]:
    domain = DOMAINS[request.param]
    session = domain.build(tmp_path_factory.mktemp("told") / "graph")
    with closing(session.engine), closing(session.journal):
        yield domain, session


@pytest.fixture
async def client(graph: tuple[Domain, Session]) -> AsyncGenerator[Client]:
    async with Client(create_server(Settings(), session=graph[1])) as connected:
        yield connected


async def run(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert isinstance(result.content[0], TextContent)
    assert not result.is_error, (tool, arguments, result.content[0].text)
    assert result.structured_content is not None
    return result.structured_content


async def test_the_example_of_every_tool_returns_rows(
    client: Client, graph: tuple[Domain, Session]
) -> None:
    contract = graph[1].contract
    without = set[str]() if contract.edges else {"graph_traverse"}
    has_vectors = graph[1].engine.describe().space is not None
    without |= set[str]() if has_vectors else {"semantic_search"}
    tools = (await client.list_tools()).tools
    for tool in tools:
        description, has_example, example = (tool.description or "").partition("Example: ")
        assert bool(has_example) == (tool.name not in without), description
        assert "{{" not in json.dumps(tool.input_schema) + description
        for name, parameter in tool.input_schema["properties"].items():
            assert parameter.get("description"), (tool.name, name)
        if example:
            answer = await run(client, tool.name, json.loads(example))
            match tool.name:
                case "fix_sql":
                    assert answer["status"] == "fixed"
                case "run_strategies":
                    assert answer["fused"]["rows"] or answer["executions"][0]["rows"]
                case "get_planning_context":
                    assert answer["facts"]
                case _:
                    assert answer["rows"], (tool.name, example)


async def test_the_values_of_every_parameter_return_rows(
    client: Client, graph: tuple[Domain, Session]
) -> None:
    contract = graph[1].contract
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    parameters = tools["hybrid_search"].input_schema["properties"]
    values = {
        name: re.split(r'[:,] (?=[^,:]*(?:["]|[<>=]|LIKE))', parameters[name]["description"])[-1]
        for name in ("like", "only", "exclude", "where")
        if name != "only" or contract.edges
    }
    for name, text in values.items():
        value = text.rstrip(".") if name == "where" else [re.findall(r'"(.*)"', text)[0]]
        if name == "like":
            value = [text.removeprefix("as ").strip('".')]
            value = [int(value[0])] if value[0].isdigit() else value
        if name == "like" and graph[1].engine.describe().space is None:
            continue
        answer = await run(client, "hybrid_search", {"query": "a market or a song", name: value})
        notes = " ".join(answer["notes"])
        assert "no node has that name" not in notes
        assert name != "where" or "No " + contract.nodes[0].name not in notes


async def test_every_statement_of_contract_and_pages_returns_rows(
    client: Client, graph: tuple[Domain, Session]
) -> None:
    contract = graph[1].contract
    contract = contract.with_samples(graph[1].engine.describe().statistics.samples)
    if graph[0].is_drafted:
        assert len(contract.examples) >= 3
    for example in contract.examples:
        query = {"query": example.query} if example.query else {}
        answer = await run(client, "run_readonly_sql", {"sql": example.sql, **query})
        assert answer["rows"], example.id
    for name in contract.table_names:
        page = await read(client, f"moviegraph://tables/{name}")
        for sql in SQL_BLOCK.findall(page):
            query = {"query": "a story"} if "@q" in sql else {}
            assert (await run(client, "run_readonly_sql", {"sql": sql, **query}))["rows"], sql


async def test_patterns_of_rules_and_instructions_return_rows(
    client: Client, graph: tuple[Domain, Session]
) -> None:
    from moviegraph.contract.markdown import contract_values

    values = contract_values(graph[1].contract)
    for name in ("one_hop", "two_hop"):
        if values[name]:
            sql = f"SELECT TOP 1 {values['start']}.{values['start_label']} {values[name]}"
            assert (await run(client, "run_readonly_sql", {"sql": sql, "repair": False}))["rows"]


async def read(client: Client, uri: str) -> str:
    content = (await client.read_resource(uri)).contents[0]
    assert isinstance(content, TextResourceContents)
    return content.text


async def told_texts(client: Client, contract: Contract) -> dict[str, str]:
    """Return all that a client reads before it asks, and some answers, by where it stands."""
    texts = {"instructions": client.instructions or "", "server": str(client.server_info)}
    texts |= {
        f"tool {tool.name}": tool.model_dump_json() for tool in (await client.list_tools()).tools
    }
    for prompt in (await client.list_prompts()).prompts:
        arguments = {argument.name: "x" for argument in prompt.arguments or ()}
        messages = (await client.get_prompt(prompt.name, arguments)).messages
        texts[f"prompt {prompt.name}"] = prompt.model_dump_json() + str(messages)
    for resource in (await client.list_resources()).resources:
        if str(resource.uri).startswith("moviegraph:"):
            texts[str(resource.uri)] = await read(client, str(resource.uri))
    for name in contract.table_names:
        texts[name] = await read(client, f"moviegraph://tables/{name}")
    context = {"question": "Which records are about a market?"}
    wrong = [
        ("get_planning_context", context),
        ("semantic_search", {"query": "a market", "where": "Nothing = 1"}),
        ("semantic_search", {"query": "a market", "where": "Name = (SELECT 1)"}),
        ("fulltext_search", {"query": "zzzzzzzz"}),
        ("hybrid_search", {"query": "zzzzzzzz", "exclude": ["Nothing"], "only": ["Nothing"]}),
        ("hybrid_search", {"kind": "Nothing", "query": "a"}),
        ("graph_traverse", {"start": ["zzzzzzzz"], "path": ["NOTHING"]}),
        ("graph_traverse", {"start": ["zzzzzzzz"], "to_kind": contract.nodes[0].name}),
        ("get_records", {"names": ["zzzzzzzz"]}),
        ("run_readonly_sql", {"sql": "SELECT x.Nothing FROM Nothing AS x"}),
        ("run_readonly_sql", {"sql": f"DELETE FROM {contract.nodes[0].name}"}),
        ("run_strategies", {"question": "a"}),
        ("fix_sql", {"sql": "SELEC"}),
        ("expand_strategy", {"question": "never asked"}),
    ]
    for at, (tool, arguments) in enumerate(wrong):
        result = await client.call_tool(tool, arguments)
        texts[f"answer {at} of {tool}"] = " ".join(
            item.text for item in result.content if isinstance(item, TextContent)
        )
    return texts


async def test_no_text_for_clients_speaks_of_films(
    client: Client, graph: tuple[Domain, Session]
) -> None:
    domain, session = graph
    if domain.is_films:
        pytest.skip("this graph is about films")
    for place, text in (await told_texts(client, session.contract)).items():
        assert text, place
        found = FILM_WORDS.search(GENERAL.sub("", text))
        assert found is None, (place, text[max(0, found.start() - 80) : found.end() + 80])
