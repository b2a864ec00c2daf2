"""The prompts: markdown files with front matter, filled from the contract and the arguments."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.prompts.base import PromptArgument
from mcp.types import INVALID_PARAMS

from moviegraph.contract.markdown import PLACEHOLDER, contract_values, fill, placeholders
from moviegraph.contract.model import Contract
from moviegraph.settings import content_folder
from moviegraph.text import sanitize, shorten, without_names

INSTRUCTIONS = "instructions.md"
ABSENT = "(none)"
MAX_INSTRUCTIONS_CHARS = 1_990
MIN_LIST_CHARS = 80
MORE = " (all: moviegraph://contract)"
MAX_ARGUMENT_CHARS = 200_000


@dataclass(frozen=True, slots=True)
class PromptFile:
    """One prompt, from its file."""

    name: str
    title: str
    description: str
    arguments: tuple[PromptArgument, ...]
    body: str

    @property
    def placeholders(self) -> frozenset[str]:
        """The placeholders of the body."""
        return frozenset(PLACEHOLDER.findall(self.body))


def prompt_files() -> list[PromptFile]:
    """Return the prompts of this installation, by name."""
    paths = sorted(content_folder("prompts").glob("*.md"))
    return [_read(path) for path in paths if path.name != INSTRUCTIONS]


def _read(path: Path) -> PromptFile:
    """Return the prompt in a file: front matter between two lines of ---, then the body."""
    _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    values: dict[str, str] = {}
    arguments: list[PromptArgument] = []
    for line in front.splitlines():
        key, _, value = line.partition(":")
        if key == "argument":
            name, presence, about = (part.strip() for part in value.split("|", 2))
            required = presence == "required"
            arguments.append(PromptArgument(name=name, required=required, description=about))
        else:
            values[key] = value.strip()
    return PromptFile(**values, arguments=tuple(arguments), body=body.strip())


def instructions(contract: Contract) -> str:
    """Return the server's instructions, with the contract's names in them.

    Of a contract with many tables they list only the first ones.
    """
    template = (content_folder("prompts") / INSTRUCTIONS).read_text(encoding="utf-8").strip()
    values = contract_values(contract)
    for name in ("edges", "nodes", "description"):
        excess = len(fill(template, values)) - MAX_INSTRUCTIONS_CHARS
        if excess > 0:
            kept = max(MIN_LIST_CHARS, len(values[name]) - excess - len(MORE))
            values[name] = shorten(values[name], kept) + MORE
    return fill(template, values)


def add_prompts(
    server: MCPServer[Any], contract: Contract, today: Callable[[], str], hidden: Set[str]
) -> None:
    """Register a prompt for each file, but for those with steps that need a hidden tool."""
    for file in prompt_files():
        if without_names(file.body, hidden) != file.body:
            continue
        prompt = Prompt(
            name=file.name,
            title=file.title,
            description=without_names(file.description, hidden),
            arguments=list(file.arguments),
            fn=partial(_render, file, contract, today),
            context_kwarg=None,
        )
        server.add_prompt(prompt)


async def _render(
    file: PromptFile, contract: Contract, today: Callable[[], str], /, **arguments: str
) -> str:
    return render_prompt(file, contract, arguments, today())


def render_prompt(
    file: PromptFile, contract: Contract, arguments: dict[str, str], today: str
) -> str:
    """Return the text of a prompt. Raises MCPError for an argument that is unknown or too long."""
    names = {argument.name for argument in file.arguments}
    unknown = sorted(set(arguments) - names)
    if unknown:
        accepted = ", ".join(sorted(names)) or "none"
        raise MCPError(
            INVALID_PARAMS, f"{file.name} has no argument {unknown[0]!r}; accepted: {accepted}."
        )
    if any(len(value) > MAX_ARGUMENT_CHARS for value in arguments.values()):
        raise MCPError(INVALID_PARAMS, f"An argument of {file.name} is too long.")
    values = {name: arguments.get(name) or ABSENT for name in names}
    return sanitize(fill(file.body, placeholders(contract) | {"today": today} | values))
