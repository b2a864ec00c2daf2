"""Generator of docs/reference/ from the code; --check compares."""

import argparse
import sys
import tomllib
from collections.abc import Callable, Iterable
from inspect import cleandoc
from pathlib import Path
from typing import Any, NamedTuple

import anyio
from mcp.types import Tool

from moviegraph import errors
from moviegraph.app import create_server
from moviegraph.cli.commands import COMMANDS
from moviegraph.cli.options import PREFIX
from moviegraph.contract.load import load_contract
from moviegraph.contract.model import Contract
from moviegraph.contract.render import to_markdown
from moviegraph.prompts import PromptFile, instructions, prompt_files
from moviegraph.repair.driver import RULES, Rule
from moviegraph.repair.rewrites import Rewrite
from moviegraph.settings import SETTINGS, Setting, Settings
from moviegraph.sql.decision import Allowed, Refused
from moviegraph.sql.guard import Where, judge
from moviegraph_tools import DEFINITIONS
from moviegraph_tools.argument_models import Mark, Scope

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
WORDS = ROOT / "scripts" / "reference.toml"
NOTE = "<!-- Written by scripts/docs.py from the code; change the code, then run it again. -->"
Page = Callable[[], str]


class Served(NamedTuple):
    """What a server shows to a client, for the contract in the package."""

    tools: list[Tool]
    resources: list[tuple[str, str]]


def served(settings: Settings | None = None) -> Served:
    """Ask a server for its tools and resources, as a client would."""
    server = create_server(settings or Settings())

    async def ask() -> Served:
        fixed = [(str(each.uri), each.description) for each in await server.list_resources()]
        templates = await server.list_resource_templates()
        made = [(each.uri_template, each.description) for each in templates]
        found = [(uri, text or "") for uri, text in fixed + made]
        return Served(await server.list_tools(), found)

    return anyio.run(ask)


def page(title: str, intro: str, *parts: str) -> str:
    """Return a page of the reference."""
    return "\n\n".join((f"# {title}", NOTE, intro, *parts)) + "\n"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a markdown table; bars within cells are escaped."""
    names = list(head)
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(_cell(each) for each in line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def words(section: str) -> dict[str, Any]:
    """Return what the reference says beside what the code holds."""
    return tomllib.loads(WORDS.read_text(encoding="utf-8"))[section]


def settings_page() -> str:
    """Return the page of the settings."""
    intro = (
        "A setting is read from the command line, then from its environment variable; "
        "otherwise it has its default. An empty variable counts as unset. Secrets have no "
        "command-line option, because process lists show command lines. `moviegraph check` "
        "reports unknown `MOVIEGRAPH_*` variables. Only `load` reads the settings of "
        "`mssql_load`."
    )
    return page("Settings", intro, *map(_setting, SETTINGS))


def _setting(setting: Setting) -> str:
    option = (
        f"`{setting.flag} {_metavar(setting)}`" if setting.flag else "none, because it is a secret"
    )
    lines = [
        f"## {setting.variable}",
        "",
        setting.help,
        "",
        f"- Option: {option}",
        f"- Value: {setting.kind.words}",
        f"- Default: {_default(setting.default)}",
    ]
    return "\n".join(lines)


def _metavar(setting: Setting) -> str:
    return setting.name.rpartition("_")[2].upper()


def _default(value: Any) -> str:
    if value is None or value == ():
        return "none"
    if isinstance(value, bool):
        return "`1`" if value else "`0`"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def tools_page() -> str:
    """Return the page of the tools and resources."""
    shown = served()
    contract = load_contract()
    scope = Scope(contract, contract.limits.top, contract.limits.top_expanded)
    intro = (
        "As in `tools/list` for the built-in contract. All tools are read-only; unknown "
        "arguments are refused. Arguments in bold are required. For the format of results, "
        "see Results in [contract.md](contract.md); for errors, see [errors.md](errors.md)."
    )
    rows = [(f"`{uri}`", text) for uri, text in shown.resources]
    resources = "## Resources\n\n" + table(("resource", "holds"), rows)
    said = "## Server instructions\n\n```text\n" + instructions(contract) + "\n```"
    tools = [_tool(each, scope) for each in shown.tools]
    further = served(Settings(connector_tools=True)).tools[len(shown.tools) :]
    tools.append(
        "`MOVIEGRAPH_CONNECTOR_TOOLS` adds two more tools. Their results are one JSON "
        "object, as text and as structured content, in the format that "
        "[ChatGPT](../clients/chatgpt.md) supports."
    )
    tools += [_tool(each, scope) for each in further]
    return page("Tools and resources", intro, tools_table(shown.tools), *tools, resources, said)


def _tool(tool: Tool, scope: Scope) -> str:
    required = tool.input_schema.get("required", [])
    meanings = words("arguments")
    rows = [
        (
            f"`{name}`",
            _type(schema),
            "required" if name in required else _tool_default(tool.name, name, scope),
            schema.get("description") or meanings.get(name, ""),
        )
        for name, schema in tool.input_schema["properties"].items()
    ]
    arguments = table(("argument", "type", "default", "meaning"), rows)
    return f"## {tool.name}\n\n{tool.title}. {tool.description}\n\n{arguments}"


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(f"`{each}`" for each in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"])
    types: str | list[str] = schema["type"]
    if isinstance(types, list):
        return " or ".join(types)
    if types == "array":
        return f"list of {_type(schema['items'])}"
    if types == "object":
        inner = schema["properties"]
        optional = [name for name in inner if name not in schema.get("required", [])]
        named = ", ".join(f"{name}?" if name in optional else name for name in inner)
        return f"{{{named}}}"
    bounds = f" {schema['minimum']} to {schema['maximum']}" if "minimum" in schema else ""
    return types + bounds


def _tool_default(tool: str, argument: str, scope: Scope) -> str:
    definition = next(each for each in DEFINITIONS if each.name == tool)
    field = definition.arguments.model_fields[argument]
    value: Any = field.default
    for mark in field.metadata:
        if isinstance(mark, Mark):
            value = mark.settle(argument, value, scope)
    if value is None:
        return "none"
    return f"`{str(value).lower()}`" if isinstance(value, bool) else f"`{value}`"


def tools_table(tools: list[Tool]) -> str:
    """Return a table of the tools, their arguments and what they are for."""
    rows = [
        (f"`{tool.name}`", _call(tool), (tool.description or "").split(". Example:")[0] + ".")
        for tool in tools
    ]
    return table(("tool", "arguments", "for"), rows)


def _call(tool: Tool) -> str:
    required = tool.input_schema.get("required", [])
    names = tool.input_schema["properties"]
    return ", ".join(f"**{name}**" if name in required else name for name in names)


def errors_page() -> str:
    """Return the page of refusals and errors; every refusal is what the guard really says."""
    contract = load_contract()
    intro = (
        'A refused or failed call has `isError`, the full message as text, and `{"error": '
        '{"code", "message", "hint", "span", "suggestions"}}`. Codes are stable; wording is '
        "not."
    )
    refusals = (_refusal(code, each, contract) for code, each in words("refusals").items())
    others = (f"### {code}\n\n{text}" for code, text in words("others").items())
    return page(
        "Errors",
        intro,
        "## Refusals of the guard\n\nThe statement did not run. Each code has an example "
        "statement, the response of the guard, and a corrected statement.",
        *refusals,
        "## Other codes",
        *others,
        "## Classes\n\nThe model receives its errors in full. For errors of the operator, "
        "it receives a generic message with a reference; the log has the details under it.",
        table(("class", "for", "code", "when"), _classes()),
        "## Repair rules\n\nIn order of application. A rule is applied only if the repaired "
        "statement is equivalent; the guard validates the result.",
        table(("rule", "effect"), ((f"`{each.name}`", _effect(each)) for each in RULES)),
    )


def _effect(rule: Rule) -> str:
    return rule.apply.effect if isinstance(rule.apply, Rewrite) else _doc(rule.apply)


def _doc(described: Any) -> str:
    return cleandoc(described.__doc__ or "").partition("\n")[0]


def _refusal(code: str, example: dict[str, str], contract: Contract) -> str:
    refused = _judged(example, contract, "sql")
    if not isinstance(refused, Refused) or refused.code != code:
        raise SystemExit(f"{WORDS.name}: {code}: the guard returns {_verdict(refused)}")
    cured = _judged(example, contract, "cure")
    if not isinstance(cured, Allowed):
        raise SystemExit(
            f"{WORDS.name}: {code}: the corrected statement is refused: {_verdict(cured)}"
        )
    lines = [f"### {code}", "", _shown(example, "sql"), "", f"> {refused.message}"]
    if refused.suggestions:
        lines += ["", "Suggestions: " + ", ".join(f"`{each}`" for each in refused.suggestions)]
    return "\n".join((*lines, "", "Instead:", "", _shown(example, "cure")))


def _judged(example: dict[str, str], contract: Contract, part: str) -> Allowed | Refused:
    """Judge a statement, or a `where` argument over films."""
    if "where" in example:
        text = example["where"] if part == "sql" else example["cure"]
        return judge(
            "SELECT m.Id FROM Movie AS m", contract, where=Where(text, contract.nodes[0].name, "m")
        )
    return judge(example[part], contract)


def _verdict(decision: Allowed | Refused) -> str:
    return decision.code if isinstance(decision, Refused) else f"allowed: {decision.sql}"


def _shown(example: dict[str, str], part: str) -> str:
    if "where" in example:
        return f"`where`: `{example['where'] if part == 'sql' else example['cure']}`"
    return f"```sql\n{example[part].strip()}\n```"


def _classes() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for each in vars(errors).values():
        if not isinstance(each, type) or not issubclass(each, errors.MoviegraphError):
            continue
        whom = "the model" if issubclass(each, errors.ForModel) else "the operator"
        if each.default_code != errors.MoviegraphError.default_code:
            found.append((f"`{each.__name__}`", whom, f"`{each.default_code}`", _doc(each)))
    return found


def cli_page() -> str:
    """Return the page of the command line."""
    intro = (
        "`moviegraph COMMAND [OPTIONS]`. Results go to standard output, everything else to "
        "standard error. The exit status is 0 on success, 1 on failure, 2 for invalid usage "
        "or settings, 130 when interrupted; some commands document additional ones."
    )
    return page("Command line", intro, *map(_command, COMMANDS))


def _command(command: Any) -> str:
    parser = argparse.ArgumentParser(prog=f"moviegraph {command.NAME}")
    command.configure(parser)
    actions = [each for each in _actions(parser) if each.dest != "help"]
    own = [each for each in actions if not each.dest.startswith(PREFIX)]
    settings = [each.option_strings[0] for each in actions if each.dest.startswith(PREFIX)]
    parts = [f"## {command.NAME}", command.HELP]
    if own:
        parts.append(table(("argument", "meaning"), [(_usage(each), _help(each)) for each in own]))
    if settings:
        flags = ", ".join(f"`{flag}`" for flag in settings)
        parts.append(f"Settings ([settings.md](settings.md)): {flags}.")
    return "\n\n".join(parts)


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    # format_help() differs between versions of Python and widths of terminals.
    return parser._actions  # pyright: ignore[reportPrivateUsage]


def _usage(action: argparse.Action) -> str:
    choices = "|".join(map(str, action.choices)) if action.choices else ""
    name = "|".join(action.option_strings)
    value = "" if action.nargs == 0 else choices or str(action.metavar or action.dest.upper())
    shown = f"{name} {value}".strip()
    return f"`[{shown}]`" if action.nargs == "?" else f"`{shown}`"


def _help(action: argparse.Action) -> str:
    text = (action.help or "").replace("%%", "%")
    said = "(default" in text or action.default in (None, False, True, argparse.SUPPRESS)
    return text if said else f"{text} (default: {action.default})".strip()


def contract_page() -> str:
    """Return the page of the contract: what planners and the guard read."""
    contract = load_contract()
    intro = (
        "The built-in contract, as clients read it in `moviegraph://contract`, "
        "`moviegraph://rules` and `moviegraph://examples`. Its source is `schema_docs/`."
    )
    parts = [to_markdown(contract), to_markdown(contract, "rules")]
    parts.append(to_markdown(contract, "examples"))
    return page("Contract", intro, *(_lowered(each).strip() for each in parts))


def _lowered(markdown: str) -> str:
    """Make every heading one level smaller, outside code."""
    lines, code = list[str](), False
    for line in markdown.splitlines():
        code ^= line.startswith("```")
        lines.append(f"#{line}" if line.startswith("#") and not code else line)
    return "\n".join(lines)


def prompts_page() -> str:
    """Return the page of the prompts."""
    intro = (
        "Each prompt is a file in `prompts/`. Names in double braces are filled from the "
        "contract, the arguments and the date; an omitted optional argument becomes "
        "`(none)`."
    )
    return page("Prompts", intro, *map(_prompt, prompt_files()))


def _prompt(prompt: PromptFile) -> str:
    rows = [
        (f"`{each.name}`", "required" if each.required else "optional", each.description)
        for each in prompt.arguments
    ]
    head = f"## {prompt.name}\n\n{prompt.title}. {prompt.description}"
    return f"{head}\n\n{table(('argument', '', 'meaning'), rows)}"


PAGES: dict[str, Page] = {
    "settings.md": settings_page,
    "tools.md": tools_page,
    "errors.md": errors_page,
    "cli.md": cli_page,
    "contract.md": contract_page,
    "prompts.md": prompts_page,
}


def wanted() -> dict[Path, str]:
    """Return every generated file with the text that it should have."""
    return {REFERENCE / name: make() for name, make in PAGES.items()}


def stale(files: dict[Path, str]) -> list[Path]:
    """Return the files that have not the text that they should have."""
    return [p for p, text in files.items() if not p.is_file() or p.read_text("utf-8") != text]


def write(files: dict[Path, str], about: str | None) -> int:
    """Write generated files that are stale, or with --check only name them; return the status."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--check", action="store_true", help="name stale files; exit with 1 if any")
    check: bool = parser.parse_args().check
    found = stale(files)
    for path in found:
        print(f"{'stale' if check else 'written'}: {path.relative_to(ROOT).as_posix()}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path], encoding="utf-8", newline="\n")
    return 1 if check and found else 0


if __name__ == "__main__":
    sys.exit(write(wanted(), __doc__))
