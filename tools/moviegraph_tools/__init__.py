"""One module per MCP tool."""

from collections.abc import Sequence

from mcp.server.mcpserver.tools import Tool

from moviegraph.contract.model import Contract
from moviegraph.errors import SettingsError
from moviegraph.names import closest_names
from moviegraph.text import without_names
from moviegraph_tools.connector import connector_tools
from moviegraph_tools.examples import ExampleData
from moviegraph_tools.expand_strategy import expand_strategy
from moviegraph_tools.fix_sql import FIX_SQL
from moviegraph_tools.fulltext_search import FULLTEXT_SEARCH
from moviegraph_tools.get_planning_context import GET_PLANNING_CONTEXT
from moviegraph_tools.get_records import GET_RECORDS
from moviegraph_tools.graph_traverse import GRAPH_TRAVERSE
from moviegraph_tools.hybrid_search import HYBRID_SEARCH
from moviegraph_tools.published import published_tools
from moviegraph_tools.run_readonly_sql import RUN_READONLY_SQL
from moviegraph_tools.run_strategies import RUN_STRATEGIES
from moviegraph_tools.semantic_search import SEMANTIC_SEARCH
from moviegraph_tools.tool_definition import ArgumentScope, ToolDefinition, strict_tool
from moviegraph_tools.tool_results import NO_NAMES

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


NAMES = frozenset(definition.name for definition in DEFINITIONS)
GROUPS = {
    "retrieval": (
        *("get_planning_context", "semantic_search", "fulltext_search", "hybrid_search"),
        *("graph_traverse", "get_records"),
    ),
    "sql": ("run_readonly_sql", "fix_sql"),
    "strategies": ("run_strategies", "expand_strategy"),
    "connector": ("search", "fetch"),
}
CUSTOM = "custom"


def tool_names(contract: Contract) -> frozenset[str]:
    """Return the names of all tools that words can name, the contract's own among them."""
    return NAMES | {*GROUPS["connector"], *(tool.name for tool in contract.tools)}


def served_tools(
    contract: Contract | None = None, words: Sequence[str] = (), record_url: str = ""
) -> tuple[ToolDefinition, ...]:
    """Return the ten tools, or those that words name.

    Args:
        contract: The contract, whose tools only a word lists.
        words: Names of tools and of groups; a word that could be both is a name.
        record_url: Template of a record's URL, for the tools of connectors.

    Raises:
        ContractError: The guard refuses a tool of the contract.
        SettingsError: A word is neither.
    """
    taken = NAMES | set(GROUPS["connector"])
    own = [tool.name for tool in contract.tools] if contract else []
    groups = {**GROUPS, CUSTOM: tuple(own)}
    chosen: set[str] = set() if words else {*NAMES}
    for word in words:
        if word not in (known := {*taken, *own, *groups}):
            near = closest_names(word, sorted(known), 1)
            hint = f"Did you mean {near[0]}? " if near else ""
            allowed = f"{hint}Groups: {', '.join(groups)}."
            raise SettingsError(f"MOVIEGRAPH_TOOLS: there is no tool {word!r}.", hint=allowed)
        chosen |= {word} if word in taken or word in own else set(groups[word])
    is_named = any(word == CUSTOM or word in own for word in words)
    published = published_tools(contract, taken) if contract and is_named else ()
    all_tools = (*TOOLS, *published)
    repeated = [tool for tool in all_tools if tool.name in chosen]
    definitions = (*TOOLS, expand_strategy(repeated), *connector_tools(record_url), *published)
    return tuple(tool for tool in definitions if tool.name in chosen)


def build_tools(
    definitions: Sequence[ToolDefinition], scope: ArgumentScope, hidden: frozenset[str] = NO_NAMES
) -> list[Tool]:
    """Return the tools for one contract and one operator's limits; none names a hidden one."""
    data = ExampleData(scope.contract)
    tools = [strict_tool(definition, scope, data) for definition in definitions]
    if hidden:
        for tool in tools:
            tool.description = without_names(tool.description or "", hidden)
            for argument in tool.parameters["properties"].values():
                if "description" in argument:
                    argument["description"] = without_names(argument["description"], hidden)
    return list(tools)
