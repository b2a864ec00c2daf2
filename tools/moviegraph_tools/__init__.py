"""One module per MCP tool."""

import re
from collections.abc import Sequence

from mcp.server.mcpserver.tools import Tool

from moviegraph.contract.markdown import contract_values
from moviegraph.contract.model import Contract, NodeTable
from moviegraph_tools.connector import connector_tools
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
    words = _words(scope)
    return [strict_tool(definition, scope, words) for definition in definitions]


def _words(scope: ArgumentScope) -> dict[str, str]:
    """Return what descriptions name: tables, limits, and examples in the contract's own domain."""
    contract = scope.contract
    node, edge = contract.nodes[0], contract.default_connection
    name = _example_name(contract)
    texts = sorted((e.query for e in contract.examples if e.query), key=len)
    question = min((e.question for e in contract.examples), key=len, default=node.description)
    values = contract_values(contract)
    values |= {"name": _quoted(name or "...")}
    return values | {
        "hops": f"path: ['{edge.name}', '{edge.name}']" if edge else "max_hops: 1",
        "select": _select(values, contract),
        "where": _condition(node),
        "query": _quoted(_clause(texts[0] if texts else node.description)),
        "node_id": f"{node.name.lower()}:1",
        "first": _quoted(name) if name else "1",
        "question": _quoted(question),
        "language": contract.language,
        "top": str(scope.top),
        "top_expanded": str(scope.top_expanded),
    }


def _condition(node: NodeTable) -> str:
    """Return an example of `where`: a word in a column of a kind that is searched by words."""
    column = next((name for name in (node.text, node.label) if name in node.searchable), None)
    return f"CONTAINS({column}, '\"word*\"')" if column else f"{node.key} > 10"


def _select(values: dict[str, str], contract: Contract) -> str:
    """Return the end of a statement along an edge, or of one over a graph without edges."""
    node, edge = contract.nodes[0], contract.default_connection
    if edge is None:
        return f"n.{node.label} FROM {node.name} AS n WHERE n.{node.label} = {values['name']}"
    start, end = (contract.node(name) or node for name in (edge.from_table, edge.to_table))
    labels = {"start_label": start.label, "end_label": end.label}
    text = "{end}.{end_label} {one_hop} AND {start}.{start_label} = {name}"
    return text.format_map(values | labels)


def _example_name(contract: Contract) -> str | None:
    """Return a name of the first kind that an example compares with, if there is one."""
    node = contract.nodes[0]
    for example in contract.examples:
        aliases = re.findall(rf"\b{node.name}(?:\s+FOR\s+PATH)?\s+AS\s+(\w+)", example.sql)
        compared = re.findall(rf"\b(\w+)\.{node.label}\s*=\s*N?'([^']+)'", example.sql)
        for alias, name in compared:
            if alias in aliases:
                return name
    return None


def _clause(text: str) -> str:
    return re.split(r"[,.;:]", text)[0]


def _quoted(text: str) -> str:
    return f"'{text}'"
