import json
from typing import Any

import pytest

from moviegraph.http.scopes import ALL, READ, SQL, ScopeNames, missing_scope, needed_for
from moviegraph_tools import served_tools

TOOLS = served_tools(words=("retrieval", "sql", "strategies", "connector"))
READ_TOOLS = frozenset(tool.name for tool in TOOLS if tool.scope == READ)


def body(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@pytest.mark.parametrize(
    ("request_body", "scopes"),
    [
        pytest.param(body("tools/call", name="semantic_search"), (READ,), id="search"),
        pytest.param(body("tools/call", name="run_strategies"), ALL, id="plan"),
        pytest.param(body("tools/call", name="to come"), ALL, id="unknown tool"),
        pytest.param(body("tools/call"), ALL, id="no tool"),
        pytest.param(body("resources/read", uri="moviegraph://executions/1"), (READ,), id="read"),
        pytest.param([body("ping"), body("tools/call", name="fix_sql")], ALL, id="batch"),
        pytest.param({"method": "tools/call", "params": [1]}, ALL, id="list of params"),
        pytest.param(body("tools/call", name=["fetch"]), ALL, id="list of names"),
        pytest.param([], (READ,), id="empty batch"),
        pytest.param(7, (READ,), id="number"),
    ],
)
def test_what_a_message_needs(request_body: Any, scopes: tuple[str, ...]) -> None:
    assert needed_for(json.dumps(request_body).encode(), READ_TOOLS) == scopes


@pytest.mark.parametrize(
    "request_body", [b"", b"{", b"\xff", b"[" * 100_000], ids=["", "{", "no", "deep"]
)
def test_what_is_no_json_needs_what_everything_needs(request_body: bytes) -> None:
    assert needed_for(request_body, READ_TOOLS) == (READ,)


def test_the_tools_that_run_what_a_model_wrote_need_more() -> None:
    assert {tool.name for tool in TOOLS} - READ_TOOLS == {
        "run_readonly_sql",
        "fix_sql",
        "run_strategies",
        "expand_strategy",
    }


def test_the_first_scope_that_lacks_is_named() -> None:
    assert missing_scope(ALL, ALL) is None
    assert missing_scope(ALL, [READ]) == SQL
    assert missing_scope(ALL, [SQL, "moviegraph"]) == READ


ENTRA = ScopeNames("api://films/films.read", "api://films/films.sql", ("roles", "permissions"))


@pytest.mark.parametrize(
    ("names", "claims", "granted"),
    [
        pytest.param(ScopeNames(), {"scope": "openid moviegraph:read"}, [READ], id="scope"),
        pytest.param(ScopeNames(), {"scp": list(ALL)}, list(ALL), id="scp list"),
        pytest.param(ScopeNames(), {"roles": list(ALL)}, [], id="roles are not configured"),
        pytest.param(ScopeNames(), {"scope": "read moviegraph:readx"}, [], id="parts of names"),
        pytest.param(ScopeNames(), {"scope": {READ: 1}}, [], id="object"),
        pytest.param(ScopeNames(), {"scope": [[READ], 7, None]}, [], id="list of others"),
        pytest.param(ENTRA, {"scp": "films.read"}, [READ], id="short form"),
        pytest.param(ENTRA, {"scp": "api://films/films.sql"}, [SQL], id="long form"),
        pytest.param(ENTRA, {"scp": "api://else/films.sql"}, [], id="of another application"),
        pytest.param(ENTRA, {"roles": ["films.read"]}, [READ], id="roles"),
        pytest.param(ENTRA, {"scope": READ, "permissions": ["films.sql"]}, list(ALL), id="both"),
    ],
)
def test_scopes_are_read_by_the_names_of_the_issuer(
    names: ScopeNames, claims: dict[str, Any], granted: list[str]
) -> None:
    assert names.granted(claims) == granted
