"""The cookbook behind the real command, with the local model: every tool, as a client calls it."""

import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes.cookbook import COOKBOOK, DATA, cookbook_contract
from mcp import Client, StdioServerParameters

pytestmark = pytest.mark.slow("process")

MAIN = Path(__file__).parents[2] / "server" / "main.py"
CONTRACT = cookbook_contract()
EXAMPLES = [pytest.param(example, id=example.id) for example in CONTRACT.examples]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cookbook") / "graph"
    options = ("--into", str(folder), "--contract", str(COOKBOOK / "contract"))
    command = [sys.executable, str(MAIN), "load", str(DATA), *options]
    subprocess.run(command, check=True, capture_output=True, timeout=900)
    return folder


@pytest.fixture(scope="module")
def address(graph: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    journal = tmp_path_factory.mktemp("journal") / "journal.sqlite"
    command = ("--graph", str(graph), "--contract", str(COOKBOOK / "contract"))
    served = ("serve", *command, "--journal", str(journal), "--transport", "http", "--port", "0")
    process = subprocess.Popen(
        [sys.executable, str(MAIN), *served],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    assert process.stderr is not None
    yield process.stderr.readline().split()[-1]
    process.terminate()
    process.wait()
    process.stderr.close()


@pytest.fixture
async def cook(address: str) -> AsyncGenerator[Client]:
    async with Client(address) as connected:
        yield connected


async def answer(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert result.structured_content is not None
    return result.structured_content


def column(result: dict[str, Any], name: str) -> list[Any]:
    at = result["columns"].index(name)
    return [row[at] for row in result["rows"]]


@pytest.mark.parametrize("example", EXAMPLES)
async def test_every_example_answers_with_rows(cook: Client, example: Any) -> None:
    arguments = {"sql": example.sql} | ({"query": example.query} if example.query else {})
    result = await answer(cook, "run_readonly_sql", **arguments, repair=False)
    assert result["rows"], result
    assert "changes" not in result


async def test_stdio_serves_it_too(graph: Path, tmp_path: Path) -> None:
    command = ("--graph", str(graph), "--contract", str(COOKBOOK / "contract"))
    served = [str(MAIN), "serve", *command, "--journal", str(tmp_path / "journal.sqlite")]
    async with Client(StdioServerParameters(command=sys.executable, args=served)) as client:
        result = await answer(client, "semantic_search", query="fermented cabbage", top=5)
        assert "Sauerkraut" in column(result, "Title")


@pytest.mark.parametrize(
    ("tool", "arguments", "name", "first"),
    [
        pytest.param(
            "semantic_search",
            {"query": "tastes of smoke", "kind": "Ingredient", "where": "Family = 'spice'"},
            "Name", "Smoked paprika", id="meaning",
        ),
        pytest.param(
            "semantic_search",
            {"query": "fermented vegetables and chilli paste", "kind": "Region", "top": 1},
            "Name", "Korea", id="region",
        ),
        pytest.param(
            "fulltext_search",
            {"query": '"burnt sugar" OR "brulee"', "mode": "contains"},
            "Title", "Crème brûlée", id="words",
        ),
        pytest.param("fulltext_search", {"query": "baklawa"}, "Title", "Baklava", id="typo"),
        pytest.param(
            "fulltext_search", {"query": "eggplant", "kind": "Ingredient"},
            "Name", "Aubergine", id="alias",
        ),
        pytest.param("hybrid_search", {"query": "Tarte Tatin"}, "Title", "Tarte Tatin", id="name"),
        pytest.param(
            "hybrid_search",
            {"query": "beef noodle soup from Vietnam", "like": ["Ramen"], "exclude": ["Pork"]},
            "Title", "Pho", id="like and exclude",
        ),
        pytest.param(
            "graph_traverse",
            {"start_kind": "Season", "start": ["Winter"], "path": ["IN_SEASON", "NEEDS"],
             "where": "Vegan = 1"},
            "Title", "Ribollita", id="chain",
        ),
        pytest.param(
            "graph_traverse",
            {"start_kind": "Region", "start": ["Italian"], "path": ["PART_OF", "COMES_FROM"],
             "to_kind": "Ingredient"},
            "Name", "Caper", id="second pair",
        ),
        pytest.param(
            "graph_traverse",
            {"start": ["Falafel"], "path": ["GOES_WITH", "GOES_WITH"]},
            "Title", "Shish kebab", id="one kind",
        ),
        pytest.param(
            "graph_traverse",
            {"start": ["Caponata"], "to": ["Europe"], "to_kind": "Region", "max_hops": 3},
            "Name", "Europe", id="shortest path",
        ),
        pytest.param(
            "get_records", {"kind": "Ingredient", "names": ["zucchini"]},
            "Name", "Courgette", id="record",
        ),
    ],
)  # fmt: skip
async def test_each_tool_finds_what_a_cook_would_expect_first(
    cook: Client, tool: str, arguments: dict[str, Any], name: str, first: str
) -> None:
    result = await answer(cook, tool, **arguments)
    assert column(result, name)[0] == first


async def test_one_statement_holds_vectors_words_and_a_pattern(cook: Client) -> None:
    result = await answer(
        cook,
        "run_readonly_sql",
        sql="SELECT DISTINCT TOP 5 r.Title, g.Name AS Region, "
        "ROUND(VECTOR_DISTANCE('cosine', r.Meaning, @q), 4) AS Far "
        "FROM Recipe AS r, NEEDS AS n, Ingredient AS i, COMES_FROM AS c, Region AS g "
        "WHERE MATCH(i<-(n)-r-(c)->g) AND CONTAINS(r.Method, 'vinegar OR lemon') "
        "AND i.Family = 'vegetable' ORDER BY Far",
        query="A sour stew of cabbage or beetroot.",
    )
    assert "Borscht" in column(result, "Title")


async def test_a_plan_with_a_broken_strategy_is_repaired_fused_and_expanded(cook: Client) -> None:
    question = "Quick vegan dishes with chickpeas"
    result = await answer(
        cook,
        "run_strategies",
        question=question,
        strategies=[
            {
                "id": "meaning",
                "message_to_user": "By meaning.",
                "query": "A quick vegan dish of chickpeas.",
                "command": "SELECT TOP 10 r.Number, r.Title FROM Recipe AS r WHERE r.Vegan = 1 "
                "ORDER BY VECTOR_DISTANCE('cosine', r.Meaning, @q)",
            },
            {
                "id": "edge",
                "message_to_user": "By what goes in.",
                "query": None,
                "command": "SELECT d.Number, d.Title FROM Dish d, NEEDS n, Ingredient i "
                "WHERE MATCH(i-(n)->d) AND i.Name = 'Chickpea' AND d.Vegan = 1 LIMIT 3",
            },
        ],
    )
    assert [entry["status"] for entry in result["executions"]] == ["ok", "ok"]
    attempts = result["executions"][1]["attempts"]
    assert attempts[0]["code"] is not None
    assert "turned_arrow" in attempts[-1]["rule"]
    assert {"Hummus", "Falafel"} <= {row[2] for row in result["fused"]["rows"]}
    more = await answer(
        cook, "expand_strategy", execution_id=result["executions"][1]["execution_id"]
    )
    assert more["row_count"] > 3


async def test_fix_sql_knows_the_words_and_edges_of_the_domain(cook: Client) -> None:
    result = await answer(
        cook,
        "fix_sql",
        sql="SELECT d.Title FROM Dish d JOIN COMES_FROM c ON c.RecipeId = d.Number "
        "JOIN Region g ON g.Id = c.RegionId WHERE g.Name = 'Sicily'",
    )
    assert result["status"] == "fixed"
    rows = await answer(cook, "run_readonly_sql", sql=result["sql"])
    assert set(column(rows, "Title")) == {"Caponata", "Pasta alla Norma", "Arancini"}


async def test_a_plan_is_prepared_in_the_words_of_the_domain(cook: Client) -> None:
    result = await answer(
        cook,
        "get_planning_context",
        question="Which side dish goes with Moroccan stews without lamb, and how many calories?",
    )
    entities = {(entry["text"], entry["kind"], entry["name"]) for entry in result["entities"]}
    assert ("Moroccan", "Region", "Maghreb") in entities
    assert any(edge.startswith("Recipe-(COMES_FROM)->Region: ") for edge in result["edges"])
    assert "nutritional" in result["not_held"]
    assert "movie" not in str(result).lower()


async def test_resources_and_prompts_speak_of_nothing_else(cook: Client) -> None:
    texts: list[str] = []
    for name in ("contract", "rules", "examples", "stats", "tables/COMES_FROM"):
        resource_result = await cook.read_resource(f"moviegraph://{name}")
        texts.append(str(resource_result.contents[0]))
    for prompt in (await cook.list_prompts()).prompts:
        arguments = {argument.name: "x" for argument in prompt.arguments or ()}
        prompt_result = await cook.get_prompt(prompt.name, arguments)
        texts.append(str(prompt_result.messages))
    tools = (await cook.list_tools()).tools
    texts += [f"{tool.description} {tool.input_schema}" for tool in tools]
    all_text = "\n".join(texts).lower().replace("moviegraph", "")
    assert "ingredient-(comes_from)->region" in all_text
    for word in ("movie", "film", "genre", "star wars", "releaseyear"):
        assert word not in all_text, word
