"""`moviegraph call`: one call of a tool, as a model would see it; and the options of `eval`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from moviegraph.cli.client_commands import EVAL_TOP, add_server_settings, client_of, open_server
from moviegraph.cli.options import settings_of
from moviegraph.cli.streams import print_result
from moviegraph.errors import SettingsError
from moviegraph.text import sanitize

if TYPE_CHECKING:
    from mcp.types import CallToolResult, Tool


STANDARD_INPUT = "-"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("tool", metavar="TOOL", nargs="?", help="name of a tool; see --list")
    parser.add_argument(
        "arguments",
        metavar="JSON",
        nargs="?",
        help="its arguments as a JSON object; - reads them from standard input (default: {})",
    )
    parser.add_argument("--list", action="store_true", help="list the tools that are served")
    parser.add_argument("--json", action="store_true", help="print the structured result")
    add_server_settings(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print the result of one call, or the tools; the status is 1 if the result is an error."""
    import anyio

    if parsed.list == (parsed.tool is not None):
        raise SettingsError(
            "Name a tool, or pass --list.",
            hint="""For example: moviegraph call hybrid_search '{"query": "a heist"}'""",
        )
    arguments = _read_arguments(parsed.arguments)
    settings = settings_of(parsed)
    server = open_server(settings)
    if parsed.tool in server.unserved_tools:
        words = (*(settings.tools or ("retrieval", "sql", "strategies")), parsed.tool)
        raise SettingsError(
            f"The tool {parsed.tool} is not served.",
            hint=f"Name it: MOVIEGRAPH_TOOLS={','.join(words)}",
        )

    async def work() -> CallToolResult | list[Tool]:
        async with client_of(server, "call") as client:
            if parsed.list:
                return (await client.list_tools()).tools
            return await client.call_tool(parsed.tool, arguments)

    outcome = anyio.run(work)
    if isinstance(outcome, list):
        if not outcome:
            raise SettingsError(
                f"MOVIEGRAPH_TOOLS={','.join(settings.tools)} leaves no tool: the graph has none "
                "of its own.",
                hint="Name tools, or the groups retrieval, sql, strategies, connector.",
            )
        _print_tools(outcome, as_json=parsed.json)
        return 0
    if parsed.json:
        print_result(json.dumps(outcome.structured_content))
    else:
        parts = (getattr(part, "text", "") for part in outcome.content)
        print_result(sanitize("\n".join(parts)))
    return 1 if outcome.is_error else 0


def _read_arguments(text: str | None) -> dict[str, Any]:
    if text == STANDARD_INPUT:
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        value: Any = json.loads(text or "{}")
        json.dumps(value, ensure_ascii=False).encode()  # half characters are in no message
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise SettingsError(
            "The arguments are not a JSON object in UTF-8.",
            hint='Quote them for your shell, or pass - and write {"query": "..."} to standard '
            "input.",
        )
    return cast("dict[str, Any]", value)


def _print_tools(tools: list[Tool], *, as_json: bool) -> None:
    if as_json:
        members = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
        print_result(json.dumps(members))
        return
    for tool in tools:
        properties: dict[str, Any] = tool.input_schema.get("properties", {})
        required = tool.input_schema.get("required", ())
        names = [name if name in required else f"[{name}]" for name in properties]
        text = f"{tool.name}: {', '.join(names)}\n    {tool.description}\n"
        print_result(sanitize(text))


def configure_eval(parser: argparse.ArgumentParser) -> None:
    """Add the options of `eval`."""
    parser.add_argument("questions", metavar="QUESTIONS.jsonl", type=Path, help="file of questions")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.add_argument(
        "--top", type=int, default=EVAL_TOP, help=f"first results that count (default: {EVAL_TOP})"
    )
    parser.add_argument(
        "--min-recall",
        type=float,
        help="exit with status 1 if the recall of a tool is lower; without a call of its own "
        "get_planning_context does not count, which finds only what a question names",
    )
    parser.add_argument(
        "--ask", action="store_true", help="also ask the language model, and compare what it cites"
    )
    add_server_settings(parser, omitted=("top",))


def run_eval(parsed: argparse.Namespace) -> int:
    """Print recall, reciprocal rank and misses of each tool."""
    from moviegraph.cli import evaluation  # imports what no other command needs

    return evaluation.run(parsed)
