"""Executions belong to whom the transport authenticated, over real HTTP."""

import json
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any
from urllib.parse import quote

import pytest
from fakes.http_clients import BOTH_REVISIONS, Callers
from fakes.http_server import http_server
from mcp import Client, MCPError
from mcp.server import MCPServer
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from mcp.server.auth.provider import AccessToken
from mcp.types import ResourceTemplateReference, TextResourceContents
from starlette.middleware.authentication import AuthenticationMiddleware

from moviegraph.http.scopes import ALL
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.query.session import Session

pytestmark = pytest.mark.slow("http")

ISSUER = "https://login.example/tenant"
QUESTION = "Which recipes are soups?"
SQL = "SELECT TOP 3 r.Number, r.Title FROM Recipe AS r"


def token(name: str, subject: str | None = None, issuer: str | None = None) -> AccessToken:
    claims = {"iss": issuer} if issuer else None
    return AccessToken(token="t", client_id=name, scopes=list(ALL), subject=subject, claims=claims)


TOKENS = {
    "ann": token("app", "ann", ISSUER),
    "bob": token("app", "bob", ISSUER),
    "other ann": token("app", "ann", "https://elsewhere.example"),
    "named": token("nightly"),
    "spaced": token("nightly x"),
    "local": token("local"),
    "half": token("app", "ann"),
}
OWNERS = {
    "ann": f"user {ISSUER} ann",
    "bob": f"user {ISSUER} bob",
    "other ann": "user https://elsewhere.example ann",
    "named": "token nightly",
    "spaced": "token nightly%20x",
    "local": "token local",
    "half": "token app ann",
    "": "local",
}


class Verifier:
    """Implements the SDK's TokenVerifier: a token is a name of the table."""

    async def verify_token(self, token: str) -> AccessToken | None:
        return TOKENS.get(token)


def authenticated(app: Any) -> Any:
    """Wrap an application as the SDK does where authentication is configured."""
    return AuthenticationMiddleware(
        AuthContextMiddleware(app), backend=BearerAuthBackend(Verifier())
    )


@pytest.fixture
def address(server: MCPServer[Any]) -> Iterator[str]:
    with http_server(server, authenticated) as server_address:
        yield f"{server_address}/mcp"


async def run_tool(
    client: Client, tool: str = "run_readonly_sql", **arguments: Any
) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments or {"sql": SQL})
    assert result.structured_content is not None
    return result.structured_content


async def run_plan(client: Client, question: str = QUESTION) -> dict[str, Any]:
    plan = [{"id": "a", "message_to_user": "All", "command": SQL}]
    return await run_tool(client, "run_strategies", question=question, strategies=plan)


@pytest.mark.parametrize("name", [pytest.param(name, id=name or "nobody") for name in OWNERS])
async def test_the_owner_is_who_was_authenticated(
    address: str, session: Session, mode: str, name: str
) -> None:
    async with AsyncExitStack() as stack:
        rows = await run_tool(await Callers(address, mode, stack).caller(name))

    assert isinstance(session.journal, SqliteJournal)
    (link,) = session.journal.entries()
    assert link.execution().owner == OWNERS[name]
    assert session.journal.find(OWNERS[name], rows["execution_id"])


def test_no_two_callers_have_the_same_owner() -> None:
    assert len(set(OWNERS.values())) == len(OWNERS)


@BOTH_REVISIONS
async def test_a_foreign_execution_answers_as_an_unknown_one(address: str, mode: str) -> None:
    async with AsyncExitStack() as stack:
        callers = Callers(address, mode, stack)
        ann, bob = await callers.caller("ann"), await callers.caller("bob")
        anonymous = await callers.caller("")
        execution_id = (await run_plan(ann))["best"]

        own = await ann.read_resource(f"moviegraph://executions/{execution_id}")
        assert isinstance(own.contents[0], TextResourceContents)
        assert json.loads(own.contents[0].text)["id"] == execution_id
        assert "error" not in await run_tool(ann, "expand_strategy", execution_id=execution_id)
        unknown = await run_tool(bob, "expand_strategy", execution_id="0" * 32)
        for foreign in (bob, anonymous):
            assert await run_tool(foreign, "expand_strategy", execution_id=execution_id) == unknown
            with pytest.raises(MCPError, match="You have no execution"):
                await foreign.read_resource(f"moviegraph://executions/{execution_id}")


@pytest.mark.parametrize(
    "forged",
    ["{0} ", "{0}%00", "%", "_" * 32, "*", "{1}", "{0}' OR '1'='1", "' OR owner = '{2}' --", ""],
)
async def test_no_form_of_an_id_reaches_a_foreign_execution(
    address: str, mode: str, forged: str
) -> None:
    async with AsyncExitStack() as stack:
        callers = Callers(address, mode, stack)
        ann, bob = await callers.caller("ann"), await callers.caller("bob")
        known = (await run_plan(ann))["best"]
        execution_id = forged.format(known, known.upper(), OWNERS["ann"])

        answer = await run_tool(bob, "expand_strategy", execution_id=execution_id)
        assert answer["error"]["code"] in ("not_found", "invalid_argument")
        with pytest.raises(MCPError) as refusal:
            await bob.read_resource(f"moviegraph://executions/{quote(execution_id, safe='')}")
        assert SQL not in str(refusal.value)


async def test_nothing_that_one_owner_asked_shows_in_what_another_is_answered(
    address: str, mode: str
) -> None:
    private_question = "Which soup does the heiress of Winterthur order?"
    async with AsyncExitStack() as stack:
        callers = Callers(address, mode, stack)
        ann, bob = await callers.caller("ann"), await callers.caller("bob")
        execution_id = (await run_plan(ann, private_question))["best"]
        await run_tool(ann, sql=SQL, purpose=private_question)
        await run_tool(ann, "fix_sql", sql="SELECT Titel FROM Recipe", error=private_question)

        template = ResourceTemplateReference(uri="moviegraph://executions/{execution_id}")
        offered = await bob.complete(template, {"name": "execution_id", "value": execution_id[:4]})
        answers = [
            await run_tool(
                bob, "get_planning_context", question=private_question.replace("heiress", "heir")
            ),
            await run_tool(
                bob, "expand_strategy", question=private_question.replace("heiress", "heir")
            ),
            await run_plan(bob, "Which soup?"),
            await run_tool(bob, "fix_sql", sql="SELECT Titel FROM Recipe"),
            (await bob.read_resource("moviegraph://stats")).model_dump(mode="json"),
            offered.model_dump(mode="json"),
        ]
    assert not any("heiress" in json.dumps(answer) for answer in answers)
    assert not any(execution_id in json.dumps(answer) for answer in answers)


async def test_recall_and_the_best_of_a_question_see_ones_own_alone(
    address: str, mode: str
) -> None:
    async with AsyncExitStack() as stack:
        callers = Callers(address, mode, stack)
        ann, bob = await callers.caller("ann"), await callers.caller("bob")
        await run_plan(ann)

        for client, is_offered in ((ann, True), (bob, False)):
            context = await run_tool(client, "get_planning_context", question=QUESTION)
            assert (context["earlier"] is not None) is is_offered
        assert "from_execution_id" in await run_tool(ann, "expand_strategy", question=QUESTION)
        refused = await run_tool(bob, "expand_strategy", question=QUESTION)
        assert refused["error"]["code"] == "not_found"


@BOTH_REVISIONS
async def test_the_client_is_recorded(address: str, session: Session, mode: str) -> None:
    async with AsyncExitStack() as stack:
        await run_tool(await Callers(address, mode, stack).caller("ann"))

    (execution,) = session.journal.recent(OWNERS["ann"])
    assert execution.client is not None
    assert (execution.client.name, execution.client.transport) == ("mcp", "http")
    assert execution.client.version
    assert execution.client.protocol == ("2025-11-25" if mode == "legacy" else "2026-07-28")
