"""Generator of docs/reference/ from the code; --check compares."""

import argparse
import json
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import anyio
from mcp.types import Tool

from moviegraph import errors
from moviegraph.cli.commands import COMMANDS
from moviegraph.cli.options import GROUPS, PREFIX, group_of
from moviegraph.contract.loader import load_contract
from moviegraph.contract.markdown import to_markdown
from moviegraph.contract.model import Contract, EdgeTable, NodeTable
from moviegraph.engines.duckdb.refusals import FORMS
from moviegraph.prompts import PromptFile, prompt_files
from moviegraph.server import create_server
from moviegraph.settings import FLAG, SETTINGS, Setting, Settings
from moviegraph.sql.decision import Allowed, Refused
from moviegraph.sql.functions import RARE
from moviegraph.sql.guard import Where, judge

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
WORDS = ROOT / "scripts" / "reference.toml"
NOTE = "<!-- Written by scripts/docs.py from the code; change the code, then run it again. -->"
Page = Callable[[], str]


class ServerLists(NamedTuple):
    """Tools and resources that a server lists for the built-in contract."""

    tools: list[Tool]
    resources: list[tuple[str, str]]


def list_server(settings: Settings | None = None) -> ServerLists:
    """Return the tools and resources of a server, as a client lists them."""
    # Without a graph, whose records would be in the examples.
    server = create_server(replace(settings or Settings(), graph=Path("none")))

    async def request() -> ServerLists:
        fixed = [(str(item.uri), item.description) for item in await server.list_resources()]
        templates = await server.list_resource_templates()
        uris = fixed + [(item.uri_template, item.description) for item in templates]
        return ServerLists(await server.list_tools(), [(uri, text or "") for uri, text in uris])

    return anyio.run(request)


def page(title: str, intro: str, *parts: str) -> str:
    """Return a page of the reference."""
    return "\n\n".join((f"# {title}", NOTE, intro, *parts)) + "\n"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table; bars within cells are escaped."""
    names = list(head)
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"|{'|'.join(map(_cell, line))}|" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def words(section: str) -> dict[str, Any]:
    """Return a section of the text that is not in the code."""
    return tomllib.loads(WORDS.read_text(encoding="utf-8"))[section]


def settings_page() -> str:
    """Return the page of the settings."""
    intro = (
        "A setting is read from the command line, then from its environment variable. "
        "`MOVIEGRAPH_LLM_TIMEOUT` is the option `--llm-timeout`, and so on; secrets have no "
        "option, because process lists show command lines. An empty variable counts as unset. "
        "A boolean is written `--x`, `--no-x`, or as the variable `1` or `0`. `moviegraph check` "
        "reports unknown `MOVIEGRAPH_*` variables. Only `load` reads the settings of "
        "`MOVIEGRAPH_MSSQL_LOAD`."
    )
    parts = [
        f"## {title[0].upper()}{title[1:]}\n\n"
        + table(("variable", "value", "default", "meaning"), map(_setting, settings))
        for title, settings in _setting_groups().items()
    ]
    return page("Settings", intro, *parts)


def _setting_groups() -> dict[str, list[Setting]]:
    groups: dict[str, list[Setting]] = {title: [] for title, _ in GROUPS}
    for setting in SETTINGS:
        groups.setdefault(group_of(setting.name), []).append(setting)
    return groups


def _setting(setting: Setting) -> tuple[str, ...]:
    if setting.flag not in (None, "--" + setting.name.replace("_", "-")):
        raise SystemExit(f"{setting.variable}: the option {setting.flag} does not follow the rule")
    values = "boolean" if setting.type is FLAG else setting.type.words
    secret = "" if setting.flag else " Secret: no option."
    return f"`{setting.variable}`", values, _default(setting.default), setting.help + secret


def _default(value: Any) -> str:
    if value is None or value == ():
        return "none"
    if isinstance(value, bool):
        return "`1`" if value else "`0`"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def tools_page() -> str:
    """Return the page of the tools and resources."""
    contract = load_contract()
    server = list_server()
    connectors = list_server(Settings(tools=("connector",))).tools
    arguments = {tool.name: _arguments(tool, contract) for tool in (*server.tools, *connectors)}
    counts = Counter(row for rows in arguments.values() for row in rows)
    common = [row for row, count in counts.items() if count >= COMMON]
    intro = (
        "Descriptions as in `tools/list` for the built-in contract, without their examples: "
        "[results](results.md) has a call of each. All tools are read-only. Formats of results: "
        "[contract](contract.md#results). Errors: [errors](errors.md)."
    )
    shared = (
        "## Common arguments\n\nNodes are named by Id, by name, or with their kind: "
        '`"Series:Rocky"`, `"Theme:12"`.\n\n' + table(ARGUMENT_COLUMNS, common)
    )
    parts = [_tool(tool, arguments[tool.name], common) for tool in server.tools]
    parts.append(
        "The group `connector` of `MOVIEGRAPH_TOOLS` serves two tools for connectors such as "
        "[ChatGPT](../guides/clients.md#chatgpt). Their results are one JSON object, as text "
        "and as structured content."
    )
    parts += [_tool(tool, arguments[tool.name], common) for tool in connectors]
    resources = table(
        ("resource", "content"), ((f"`{uri}`", text) for uri, text in server.resources)
    )
    texts = (
        "Clients also receive instructions, which are "
        "[instructions.md](../../prompts/instructions.md) filled from the contract."
    )
    return page("Tools and resources", intro, shared, *parts, f"## Resources\n\n{resources}", texts)


COMMON = 3
ARGUMENT_COLUMNS = ("argument", "type", "default", "meaning")
Row = tuple[str, ...]


def _arguments(tool: Tool, contract: Contract) -> list[Row]:
    required = tool.input_schema.get("required", [])
    return [
        (
            f"`{name}`",
            _type(schema, contract),
            "required" if name in required else _argument_default(schema),
            schema["description"],
        )
        for name, schema in tool.input_schema["properties"].items()
    ]


def _argument_default(schema: dict[str, Any]) -> str:
    value = schema.get("default")
    return "none" if value is None else f"`{json.dumps(value)}`".replace('"', "")


def _tool(tool: Tool, arguments: list[Row], common: list[Row]) -> str:
    rows = [row for row in arguments if row not in common]
    description = (tool.description or "").partition(" Example: ")[0]
    parts = [f"## {tool.name}", f"{tool.title}. {description}"]
    if rows:
        parts.append(table(ARGUMENT_COLUMNS, rows))
    if len(rows) < len(arguments):
        names = ", ".join(row[0] for row in arguments if row in common)
        parts.append(f"Common arguments: {names}.")
    return "\n\n".join(parts)


def _type(schema: dict[str, Any], contract: Contract) -> str:
    if "enum" in schema:
        values = set(schema["enum"])
        if values == {node.name for node in contract.nodes}:
            return "node table"
        if values == {edge.name for edge in contract.edges}:
            return "edge table"
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type(option, contract) for option in schema["anyOf"])
    types: str | list[str] = schema["type"]
    if isinstance(types, list):
        return " or ".join(types)
    if types == "array":
        items = schema["items"]
        is_node = items.get("type") == ["integer", "string"]
        return f"list of {'nodes' if is_node else _type(items, contract)}"
    if types == "object":
        inner = schema["properties"]
        optional = [name for name in inner if name not in schema.get("required", [])]
        members = ", ".join(f"{name}?" if name in optional else name for name in inner)
        return f"{{{members}}}"
    bounds = f" {schema['minimum']} to {schema['maximum']}" if "minimum" in schema else ""
    return types + bounds


def errors_page() -> str:
    """Return the page of refusals and errors, each example validated by the guard."""
    contract = load_contract()
    intro = (
        'A refused or failed call has `isError`, the full message as text, and `{"error": '
        '{"code", "message", "hint", "span", "suggestions"}}`. The message states the fix. '
        "Codes are stable, messages are not."
    )
    refusals = (_refusal(code, case, contract) for code, case in words("refusals").items())
    other_codes = ((f"`{code}`", text) for code, text in words("others").items())
    return page(
        "Errors",
        intro,
        "## Refusals of the guard\n\nThe statement did not run. The message is that of an example.",
        table(("code", "message"), sorted(refusals)),
        "### Functions outside the dialect\n\nThese are refused with `not_allowed`.",
        table(("functions", "write instead"), ((", ".join(n.split()), r) for n, r in RARE.items())),
        "## Other codes",
        table(("code", "meaning"), sorted(other_codes)),
        "## Refused by the embedded engine\n\nThese have the code `unsupported_by_engine`; SQL "
        "Server runs them. Other [differences](../concepts/differences.md).",
        table(("form", "write instead"), ((form.subject, form.instead) for form in FORMS)),
        "## Operator errors\n\nThe log has these codes with the cause and the fix. The model "
        "receives `internal_error` or `unavailable` with a reference.",
        table(("code", "cause"), _operator_errors()),
    )


def _refusal(code: str, case: dict[str, str], contract: Contract) -> Row:
    """Return a code and the message of its example, whose correction must be allowed."""
    refused = _decision(case, contract, "sql")
    if not isinstance(refused, Refused) or refused.code != code:
        raise SystemExit(f"{WORDS.name}: {code}: the guard returns {_verdict(refused)}")
    corrected = _decision(case, contract, "cure")
    if not isinstance(corrected, Allowed):
        raise SystemExit(
            f"{WORDS.name}: {code}: the corrected statement is refused: {_verdict(corrected)}"
        )
    return f"`{code}`", refused.message


def _decision(case: dict[str, str], contract: Contract, part: str) -> Allowed | Refused:
    """Validate a statement, or a `where` argument over the first node table."""
    if "where" in case:
        text = case["where"] if part == "sql" else case["cure"]
        return judge(
            "SELECT m.Id FROM Movie AS m", contract, where=Where(text, contract.nodes[0].name, "m")
        )
    return judge(case[part], contract)


def _verdict(decision: Allowed | Refused) -> str:
    return decision.code if isinstance(decision, Refused) else f"allowed: {decision.sql}"


def _operator_errors() -> list[Row]:
    classes = [
        item
        for item in vars(errors).values()
        if isinstance(item, type) and issubclass(item, errors.OperatorError)
    ]
    return [
        (f"`{item.default_code}`", (item.__doc__ or "").partition("\n")[0])
        for item in classes
        if item is not errors.OperatorError
    ]


def cli_page() -> str:
    """Return the page of the command line."""
    intro = (
        "`moviegraph COMMAND [OPTIONS]`. Results go to standard output, everything else to "
        "standard error. The exit status is 0 on success, 1 on failure, 2 for invalid usage or "
        "settings, 130 when interrupted; some commands document additional ones. "
        "`moviegraph COMMAND --help` lists the [settings](settings.md) of a command as options."
    )
    known: dict[tuple[str, str], str] = {}
    return page("Command line", intro, *(_command(command, known) for command in COMMANDS))


def _command(command: Any, known: dict[tuple[str, str], str]) -> str:
    """Return the section of a command; `known` has the first command with each argument."""
    parser = argparse.ArgumentParser(prog=f"moviegraph {command.name}")
    command.configure(parser)
    actions = [action for action in _actions(parser) if action.dest != "help"]
    rows = [(_usage(a), _help(a)) for a in actions if not a.dest.startswith(PREFIX)]
    parts = [f"## {command.name}", command.help]
    others: dict[str, list[str]] = {}
    for row in rows:
        others.setdefault(known.setdefault(row, command.name), []).append(row[0])
    own = [row for row in rows if known[row] == command.name]
    if own:
        parts.append(table(("argument", "meaning"), own))
    for name, usages in others.items():
        if name != command.name:
            parts.append(f"As for `{name}`: {', '.join(usages)}.")
    return "\n\n".join(parts)


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    # format_help() differs between versions of Python and widths of terminals.
    return parser._actions  # pyright: ignore[reportPrivateUsage]


def _usage(action: argparse.Action) -> str:
    choices = "|".join(map(str, action.choices)) if action.choices else ""
    name = "|".join(action.option_strings)
    value = "" if action.nargs == 0 else choices or str(action.metavar or action.dest.upper())
    usage = f"{name} {value}".strip()
    return f"`[{usage}]`" if action.nargs == "?" else f"`{usage}`"


def _help(action: argparse.Action) -> str:
    text = (action.help or "").replace("%%", "%")
    has_default = action.default not in (None, False, True, argparse.SUPPRESS, [])
    if "(default" in text or not has_default:
        return text
    return f"{text} (default: {action.default})".strip()


def contract_page() -> str:
    """Return the page of the built-in contract and the formats of results."""
    contract = load_contract()
    intro = (
        f"{contract.title}, version {contract.version}. {' '.join(contract.description.split())} "
        "Clients read it as "
        "`moviegraph://contract`, with `moviegraph://rules` and `moviegraph://examples`. Its "
        "source is [schema_docs/](../../schema_docs/contract.toml)."
    )
    columns = [_columns(node) for node in contract.nodes]
    common = [text for text in columns[0] if all(text in texts for texts in columns)]
    results = to_markdown(contract, "rules").partition("## Results\n")[2].partition("\n## ")[0]
    return page(
        "Contract",
        intro,
        _diagram(contract),
        f"## Node tables\n\nEach has {', '.join(common)}.",
        table(
            ("table", "other columns", "content"),
            (_node_table(node, common) for node in contract.nodes),
        ),
        "## Edge tables",
        table(("edge", "meaning"), ((_edge(edge), edge.meaning) for edge in contract.edges)),
        f"Not in the graph: {contract.not_held}.",
        f"## Results\n\n{results.strip()}",
        "## Example queries\n\n[A file for each question](../../schema_docs/examples).",
    )


def _diagram(contract: Contract) -> str:
    """Return the kinds of nodes and the edges between them as a picture."""
    arrows = (
        f"  {pair.from_table} -- {edge.name} --> {pair.to_table}"
        for edge in contract.edges
        for pair in edge.connections
    )
    return "\n".join(("```mermaid", "flowchart LR", *arrows, "```"))


def _columns(node: NodeTable) -> list[str]:
    return [f"{column.name} {column.type}" for column in node.columns]


def _node_table(node: NodeTable, common: list[str]) -> Row:
    others = ", ".join(text for text in _columns(node) if text not in common)
    return f"`{node.name}`", others, node.description


def _edge(edge: EdgeTable) -> str:
    pairs = ", ".join(f"{pair.from_table} to {pair.to_table}" for pair in edge.connections)
    return f"`{edge.name}`, {pairs}"


def prompts_page() -> str:
    """Return the page of the prompts."""
    intro = (
        "Each prompt is a file in `prompts/`. Names in double braces are filled from the "
        "contract, the arguments and the date; an omitted optional argument becomes "
        "`(none)`. Arguments in bold are required."
    )
    rows = ((f"`{p.name}`", p.description, _prompt_arguments(p)) for p in prompt_files())
    return page("Prompts", intro, table(("prompt", "purpose", "arguments"), rows))


def _prompt_arguments(prompt: PromptFile) -> str:
    return " ".join(
        f"**{item.name}**: {item.description}"
        if item.required
        else f"{item.name}: {item.description}"
        for item in prompt.arguments
    )


PAGES: dict[str, Page] = {
    "settings.md": settings_page,
    "tools.md": tools_page,
    "errors.md": errors_page,
    "cli.md": cli_page,
    "contract.md": contract_page,
    "prompts.md": prompts_page,
}


def generated_files() -> dict[Path, str]:
    """Return every generated file with its text."""
    return {REFERENCE / name: page() for name, page in PAGES.items()}


def stale(files: dict[Path, str]) -> list[Path]:
    """Return the generated files whose text differs."""
    return [p for p, text in files.items() if not p.is_file() or p.read_text("utf-8") != text]


def write(files: dict[Path, str], about: str | None) -> int:
    """Write generated files that are stale, or with --check only name them; return the status."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--check", action="store_true", help="name stale files; exit with 1 if any")
    check: bool = parser.parse_args().check
    paths = stale(files)
    for path in paths:
        print(f"{'stale' if check else 'written'}: {path.relative_to(ROOT).as_posix()}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path], encoding="utf-8", newline="\n")
    return 1 if check and paths else 0


if __name__ == "__main__":
    sys.exit(write(generated_files(), __doc__))
