"""The resources: the contract in several renderings, statistics, and the caller's executions."""

from __future__ import annotations

import json
from collections.abc import Callable, Set
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.types import Completion, PromptReference, ResourceTemplateReference

from moviegraph.caller import owner_of
from moviegraph.contract.markdown import rules_markdown, table_markdown, to_json, to_markdown
from moviegraph.contract.model import Contract
from moviegraph.errors import ModelVisibleError, NotFoundError
from moviegraph.observability import report
from moviegraph.text import json_compatible, one_line, without_names, without_names_in

if TYPE_CHECKING:
    from mcp.types import CompletionArgument, CompletionContext

    from moviegraph.journal.execution_records import Execution
    from moviegraph.query.session import Session
    from moviegraph.query.session_opener import SessionOpener

MARKDOWN = "text/markdown"
JSON = "application/json"
MAX_WAIT_SECONDS = 30.0
TABLE = "moviegraph://tables/{table}"
EXECUTION = "moviegraph://executions/{execution_id}"


def add_resources(
    server: MCPServer[Any], contract: Contract, opening: SessionOpener, hidden: Set[str]
) -> None:
    """Register every resource; none of the server's sentences names a hidden tool."""
    _add_contract(server, contract, hidden)
    _add_table(server, contract)
    _add_records(server, opening, hidden)


def _add_contract(server: MCPServer[Any], contract: Contract, hidden: Set[str]) -> None:
    @server.resource("moviegraph://contract", title="Contract", mime_type=MARKDOWN)
    async def contract_markdown() -> str:  # pyright: ignore[reportUnusedFunction]
        """Tables, edges and glossary: everything a statement may name."""
        return to_markdown(contract)

    @server.resource("moviegraph://contract.json", title="Contract as JSON", mime_type=JSON)
    async def contract_json() -> str:  # pyright: ignore[reportUnusedFunction]
        """The contract for programs, with its hash."""
        return _json(to_json(contract))

    @server.resource("moviegraph://examples", title="Examples", mime_type=MARKDOWN)
    async def examples() -> str:  # pyright: ignore[reportUnusedFunction]
        """Questions with the T-SQL that answers them."""
        return to_markdown(contract, "examples")

    @server.resource("moviegraph://rules", title="Rules", mime_type=MARKDOWN)
    async def rules() -> str:  # pyright: ignore[reportUnusedFunction]
        """Dialect, limits, shapes of results and error codes."""
        return without_names(rules_markdown(contract), hidden)


def _add_table(server: MCPServer[Any], contract: Contract) -> None:
    @server.resource(TABLE, title="One table", mime_type=MARKDOWN)
    async def table(table: str) -> str:  # pyright: ignore[reportUnusedFunction]
        """Columns, edges and advice for one node or edge table."""
        try:
            return table_markdown(contract, table)
        except NotFoundError as error:
            raise ResourceNotFoundError(f"{error.message} {error.hint or ''}".strip()) from None

    @server.completion()
    async def complete(  # pyright: ignore[reportUnusedFunction]
        reference: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        _: CompletionContext | None,
    ) -> Completion | None:
        if not isinstance(reference, ResourceTemplateReference) or reference.uri != TABLE:
            return None
        prefix = argument.value.lower()
        names = [name for name in contract.table_names if name.lower().startswith(prefix)]
        return Completion(values=names, total=len(names), has_more=False)


def _add_records(server: MCPServer[Any], opening: SessionOpener, hidden: Set[str]) -> None:
    @server.resource("moviegraph://stats", title="Statistics", mime_type=JSON)
    def stats() -> str:  # pyright: ignore[reportUnusedFunction]
        """Contents of the graph: rows of each table, engine, model, recipe, losses of the load."""
        return _read("stats", opening, _stats)

    @server.resource(EXECUTION, title="One execution", mime_type=JSON)
    def execution(  # pyright: ignore[reportUnusedFunction]
        execution_id: str, context: Context[Any, Any]
    ) -> str:
        """Everything recorded of one of your executions: statements, attempts, quality."""
        owner = owner_of(context.request_context)
        work = partial(_execution, owner=owner, execution_id=execution_id, hidden=hidden)
        return _read("executions", opening, work)


def _read(name: str, opening: SessionOpener, work: Callable[[Session], str]) -> str:
    """Return the result of `work`; errors for the operator become one generic message."""
    try:
        with opening.read(MAX_WAIT_SECONDS) as session:
            return work(session)
    except NotFoundError as error:
        raise ResourceNotFoundError(one_line(error.message)) from None
    except ModelVisibleError as error:
        raise ResourceError(one_line(error.message)) from None
    except TimeoutError:
        raise ResourceError(
            "The graph is still opening. Read this again in a few seconds."
        ) from None
    except Exception as error:
        raise ResourceError(report(error, f"resource {name}")) from error


def _stats(session: Session) -> str:
    description = session.engine.describe()
    space = description.space
    return _json(
        {
            "engine": description.engine,
            "contract": {"name": session.contract.name, "version": session.contract.version},
            "contract_hash": description.contract_hash,
            "content_hash": description.content_hash,
            "counts": dict(description.counts),
            "embeddings": {"model": space.model, "dimensions": space.dimensions} if space else None,
            "capabilities": sorted(description.capabilities),
            "recipe": dict(description.recipe),
            "edges_per_node": [asdict(counts) for counts in description.statistics.edges],
            "ranges": dict(description.statistics.ranges),
            "losses": asdict(description.losses),
        }
    )


def _execution(session: Session, *, owner: str, execution_id: str, hidden: Set[str]) -> str:
    execution: Execution | None = session.journal.find(owner, execution_id)
    if execution is None:
        raise NotFoundError(f"You have no execution with the ID {execution_id[:64]!r}.")
    members = execution.model_dump(mode="json", exclude={"owner"})
    return _json(without_names_in(members, hidden))


def _json(value: Any) -> str:
    return json.dumps(json_compatible(value), ensure_ascii=False, indent=1)
