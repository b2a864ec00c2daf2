"""One module per MCP tool."""

from collections.abc import Sequence

from mcp.server.mcpserver.tools import Tool

from moviegraph_tools.connector import connector_tools
from moviegraph_tools.examples import ExampleData
from moviegraph_tools.expand_strategy import expand_strategy
from moviegraph_tools.fix_sql import FIX_SQL
from moviegraph_tools.fulltext_search import FULLTEXT_SEARCH
from moviegraph_tools.get_planning_context import GET_PLANNING_CONTEXT
from moviegraph_tools.get_records import GET_RECORDS
from moviegraph_tools.graph_traverse import GRAPH_TRAVERSE
from moviegraph_tools.hybrid_search import HYBRID_SEARCH
from moviegraph_tools.run_readonly_sql import RUN_READONLY_SQL
from moviegraph_tools.run_strategies import RUN_STRATEGIES
from moviegraph_tools.semantic_search import SEMANTIC_SEARCH
from moviegraph_tools.tool_definition import ArgumentScope, ToolDefinition, strict_tool

TOOLS: tuple[ToolDefinition, ...] = (
    GET_PLANNING_CONTEXT,
    SEMANTIC_SEARCH,
    FULLTEXT_SEARCH,
    HYBRID_SEARCH,
    GRAPH_TRAVERSE,
    RUN_READONLY_SQL,
    FIX_SQL,
    RUN_STRATEGIES,
    GET_RECORDS,
)
DEFINITIONS: tuple[ToolDefinition, ...] = (*TOOLS, expand_strategy(TOOLS))


def served_tools(record_url: str | None = None) -> tuple[ToolDefinition, ...]:
    """Return the ten tools; with the template of a record's URL also the two of connectors."""
    return (*DEFINITIONS, *(connector_tools(record_url) if record_url else ()))


def build_tools(definitions: Sequence[ToolDefinition], scope: ArgumentScope) -> list[Tool]:
    """Return the tools for one contract and one operator's limits."""
    data = ExampleData(scope.contract)
    return [strict_tool(definition, scope, data) for definition in definitions]
