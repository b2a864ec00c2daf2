"""Tools of the contract: bound values, resolved names, and which tools are listed at all."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes.cookbook import COOKBOOK, cookbook_contract
from fakes.hashed_embedder import HashedEmbedder
from fakes.journals import MemoryJournal
from fakes.limits import limits
from fakes.published import (
    ALL_TYPES,
    COMPUTED,
    DISHES,
    HOSTILE,
    NEAREST,
    VALUES,
    published_contract,
)
from mcp import Client
from mcp.types import CallToolResult, TextContent

from moviegraph.cli import main
from moviegraph.cli.check import check_tools
from moviegraph.cli.check_results import Report
from moviegraph.contract.loader import contract_of, load_contract
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.errors import ContractError, SettingsError
from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings
from moviegraph_tools import GROUPS, NAMES

pytestmark = pytest.mark.anyio
CONTRACT = published_contract(dishes=DISHES, everything=ALL_TYPES, nearest=NEAREST)
OWN = {"dishes_with", "everything", "dishes_like"}


@pytest.fixture(scope="module")
def session(graph_folder: Path) -> Iterator[Session]:
    with closing(open_graph(graph_folder, CONTRACT)) as engine:
        yield Session(CONTRACT, engine, HashedEmbedder(), MemoryJournal(), limits(CONTRACT))


def client_of(session: Session, *words: str) -> Client:
    return Client(create_server(Settings(tools=words), session=session))


async def called(session: Session, tool: str, **arguments: Any) -> CallToolResult:
    async with client_of(session, "custom", "strategies") as client:
        return await client.call_tool(tool, arguments)


def text_of(result: CallToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


async def test_a_tool_resolves_names_and_binds_values(session: Session) -> None:
    result = await called(session, "dishes_with", ingredient="TOMATO", minutes=60)
    assert not result.is_error, text_of(result)
    found = result.structured_content or {}
    assert found["columns"] == ["Number", "Title", "Minutes"]
    assert [row[2] <= 60 for row in found["rows"]] == [True] * 2
    assert "sql" not in found
    execution = session.journal.find("local", found["execution_id"])
    assert execution and execution.sql and "@ingredient" in execution.sql
    assert json.loads(execution.given or "") == {"ingredient": "TOMATO", "minutes": 60}
    by_id = await called(session, "dishes_with", ingredient=2, minutes=60)
    assert not by_id.is_error


async def test_a_value_is_a_column_and_in_functions(session: Session) -> None:
    values = {"title": "Soup", "minutes": 30, "price": 0.5, "day": "2022-01-01"}
    changed = replace(session, contract=published_contract(computed=COMPUTED))
    async with client_of(changed, "custom") as client:
        result = await client.call_tool("computed", values)
    (row, *_) = (result.structured_content or {})["rows"]
    assert row[1:] == ["Dal or Soup", 0, "at least 30", 0.5, "2022-01-31"], text_of(result)


async def test_a_name_that_is_none_is_an_error(session: Session) -> None:
    result = await called(session, "dishes_with", ingredient="no such thing")
    assert result.is_error
    assert text_of(result).startswith("not_found: ")


async def test_the_text_behind_q_is_a_parameter(session: Session) -> None:
    result = await called(session, "dishes_like", query="stew")
    assert (result.structured_content or {})["row_count"] == 3


async def test_an_expansion_repeats_the_values_with_more_rows(session: Session) -> None:
    first = (await called(session, "dishes_with", ingredient="Tomato")).structured_content or {}
    assert (first["row_count"], first["truncated"]) == (2, "rows")
    more = await called(session, "expand_strategy", execution_id=first["execution_id"])
    rows = (more.structured_content or {})["rows"]
    assert rows[:2] == first["rows"]
    assert len(rows) > 2


@pytest.mark.parametrize("name", list(VALUES))
async def test_a_hostile_value_is_a_value_or_refused(session: Session, name: str) -> None:
    assert len(HOSTILE) >= 20
    statements: set[str] = set()
    async with client_of(session, "custom") as client:
        plain = await client.call_tool("everything", VALUES)
        expected = (plain.structured_content or {})["rows"]
        assert [row[1] for row in expected] == ["Hummus", "Dal"]
        for value in HOSTILE:
            if isinstance(value, str) and not value.isprintable() and "\ud800" in value:
                continue  # no message holds half a character
            result = await client.call_tool("everything", {**VALUES, name: value})
            found = result.structured_content or {}
            if result.is_error:
                assert found["error"]["code"] == "invalid_argument", (value, found)
                continue
            assert all(row in expected for row in found["rows"]), value
            execution = session.journal.find("local", found["execution_id"])
            assert execution is not None
            statements.add(execution.sql or "")
        again = await client.call_tool("everything", VALUES)
        assert (again.structured_content or {})["rows"] == expected
    assert len(statements) <= 1, "no value changes the text of the statement"


async def test_tools_of_the_contract_are_listed_only_where_a_word_names_them(
    session: Session,
) -> None:
    async def listed(*words: str) -> set[str]:
        async with client_of(session, *words) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert await listed() == NAMES
    assert await listed("custom") == OWN
    assert await listed("sql", "dishes_with") == {"run_readonly_sql", "fix_sql", "dishes_with"}
    assert await listed("connector") == {"search", "fetch"}
    assert await listed("search") == {"search"}


CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_planning_context", {"question": "Which dishes need tomatoes?"}),
    ("get_planning_context", {"section": "rules"}),
    ("get_planning_context", {}),
    ("semantic_search", {}),
    ("semantic_search", {"query": "stew", "kind": "Shop"}),
    ("semantic_search", {"query": "stew", "like": ["no such dish"]}),
    ("semantic_search", {"query": "stew", "where": "MATCH(a-(b)->c)"}),
    ("fulltext_search", {"query": "the"}),
    ("fulltext_search", {"query": "zzqx"}),
    ("fulltext_search", {"query": "zzqx stew", "mode": "freetext"}),
    ("fulltext_search", {"query": "stew tomato rice bread fish", "mode": "auto"}),
    ("hybrid_search", {"query": "stew", "only": ["Ingredient:Tomatto"]}),
    ("hybrid_search", {}),
    ("graph_traverse", {"start": ["Tomato"]}),
    ("graph_traverse", {"start_kind": "Recipe", "start": ["Tomato"], "to_kind": "Recipe"}),
    ("get_records", {"kind": "Recipe", "names": ["no such dish"]}),
    ("run_readonly_sql", {"sql": "SELECT SOUNDEX(Title) FROM Recipe"}),
    ("run_readonly_sql", {"sql": "SELECT LEVENSHTEIN(Title, 'a') FROM Recipe"}),
    ("run_readonly_sql", {"sql": "SELECT Title FROM Recipe WHERE Title = 'Tomatto'"}),
    ("run_readonly_sql", {"sql": "SELECT CAST(Title AS INT) FROM Recipe"}),
    ("fix_sql", {"sql": "SELECT * FROM Recipes"}),
    ("run_strategies", {"question": "What?", "strategies": [
        {"id": "a", "message_to_user": "a", "command": "SELECT Nothing FROM Recipe"}]}),
    ("expand_strategy", {"question": "What was never asked?"}),
    ("expand_strategy", {"execution_id": "0" * 32}),
    ("search", {"query": "zzqx"}),
    ("fetch", {"id": "nothing:1"}),
    ("dishes_with", {"ingredient": "no such thing"}),
)  # fmt: skip


@pytest.mark.parametrize("group", [*GROUPS, "custom", *sorted(NAMES)])
async def test_what_is_hidden_is_named_nowhere_and_refused(session: Session, group: str) -> None:
    async with client_of(session, group) as client:
        tools = (await client.list_tools()).tools
        names = {tool.name for tool in tools}
        hidden = NAMES - names
        texts = [client.instructions or "", *(tool.model_dump_json() for tool in tools)]
        for prompt in (await client.list_prompts()).prompts:
            texts.append(prompt.model_dump_json())
            needed = {argument.name: "x" for argument in prompt.arguments or []}
            texts.append((await client.get_prompt(prompt.name, needed)).model_dump_json())
        for resource in (await client.list_resources()).resources:
            texts.append(resource.model_dump_json())
            if str(resource.uri).startswith("moviegraph:"):
                texts.append((await client.read_resource(str(resource.uri))).model_dump_json())
        for name, arguments in CALLS:
            if name in names:
                result = await client.call_tool(name, arguments)
                assert text_of(result).strip(), (name, arguments)
                assert not re.search(r"(?m)^\w+: $", text_of(result)), (name, text_of(result))
                texts += [text_of(result), json.dumps(result.structured_content)]
        named = {name: text for text in texts for name in hidden if name in text}
        assert not named
        for name in sorted(hidden)[:1]:
            result = await client.call_tool(name, {"sql": "SELECT 1"})
            assert result.is_error
            assert text_of(result).startswith("not_found: There is no tool")


def test_a_word_that_is_no_tool_is_reported(session: Session) -> None:
    with pytest.raises(SettingsError, match="no tool 'retrival'") as raised:
        create_server(Settings(tools=("retrival",)), session=session)
    assert "retrieval" in (raised.value.hint or "")


def test_the_tools_of_the_contract_need_reading_alone(session: Session) -> None:
    server = create_server(Settings(tools=("custom",)), session=session)
    assert server.read_tools == OWN


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(DISHES.replace("r.Minutes <=", "r.Minuten <="),
                     "examples/tool.sql, line 7: the guard refuses", id="guard"),
        pytest.param(DISHES.replace("TOP 2", "TOP (@minutes)"), "line 5", id="place"),
        pytest.param(DISHES.replace("of Ingredient", "of Spice"), "no kind Spice", id="kind"),
        pytest.param(DISHES.replace("dishes_with", "fix_sql"), "another tool", id="name"),
        pytest.param(DISHES.replace(" AND r.Minutes <= @minutes", ""), "minutes", id="unused"),
        pytest.param(NEAREST.replace("param query", "param text"), "text", id="no query"),
    ],
)  # fmt: skip
def test_a_tool_that_cannot_work_stops_the_server(session: Session, text: str, says: str) -> None:
    contract = published_contract(tool=text)
    changed = Session(contract, session.engine, session.embedder, session.journal, session.limits)
    create_server(Settings(), session=changed)
    with pytest.raises(ContractError, match=re.escape(says)):
        create_server(Settings(tools=("custom",)), session=changed)


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (
            "-- describe: Dishes",
            "-- about: Dishes",
            "line 2: expected `-- describe: TEXT` or `-- param",
        ),
        ("-- describe: Dishes that need an ingredient, quick ones first.\n", "", "is missing"),
        ("int ?= 600", "number ?= 600", "line 4: the type of minutes"),
        ("int ?= 600", 'int ?= "many"', "line 4: "),
        ("param minutes", "param Minutes", "line 4: 'Minutes'"),
        ("param minutes", "param ingredient", "line 4: ingredient: duplicate"),
        ("tool: dishes_with", "tool: Dishes With", "a tool's name"),
    ],
)
def test_a_header_that_is_wrong_is_reported(before: str, after: str, says: str) -> None:
    assert before in DISHES
    with pytest.raises(ContractError, match=re.escape(says)):
        published_contract(tool=DISHES.replace(before, after))


@pytest.mark.slow("long")
def test_the_tools_of_films_and_cookbook_find_something(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("MOVIEGRAPH_JOURNAL", str(tmp_path / "journal.sqlite"))
    monkeypatch.setenv("MOVIEGRAPH_TOOLS", "custom")
    cookbook = ("--contract", str(COOKBOOK / "contract"))
    folder = str(tmp_path / "cookbook")
    assert main(["load", str(COOKBOOK / "data"), *cookbook, "--into", folder]) == 0
    for options, contract in (((), load_contract()), (("--graph", folder), cookbook_contract())):
        assert len(contract.tools) == 2
        for tool in contract.tools:
            samples = {each.name: each.value for each in tool.parameters if not each.is_optional}
            capsys.readouterr()
            assert main(["call", tool.name, json.dumps(samples), "--json", *options]) == 0
            assert json.loads(capsys.readouterr().out)["row_count"] > 0, tool.name


@pytest.mark.parametrize(
    ("sql", "words", "status", "said"),
    [
        pytest.param(None, (), "ok", "10 tools", id="not served"),
        pytest.param(None, ("custom",), "ok", "of the graph's own", id="served"),
        pytest.param("SELECT r.Nothing FROM Recipe AS r", (), "failed", "Nothing", id="refused"),
    ],
)
def test_check_names_a_tool_that_a_server_would_refuse(
    session: Session, sql: str | None, words: tuple[str, ...], status: str, said: str
) -> None:
    files = dict(session.contract.files)
    if sql:
        files["examples/refused.sql"] = f"-- tool: refused\n-- describe: Refused.\n{sql}\n"
    report, settings = Report(), Settings(tools=words)
    report.attempt("tools", lambda: check_tools(report, settings, contract_of(files)))
    (result,) = report.results
    assert result.status == status
    assert said in result.text


async def test_a_record_called_like_a_hidden_tool_is_named(session: Session) -> None:
    async with client_of(session, "retrieval") as client:
        result = await client.call_tool("get_records", {"names": ["run_readonly_sql"]})
        assert "'run_readonly_sql'" in text_of(result)
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["similar_to"]
