"""The prompts: markdown files with front matter, filled from the contract and the arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.prompts.base import PromptArgument
from mcp.types import INVALID_PARAMS

from moviegraph.contract.markdown import PLACEHOLDER, contract_values, fill, placeholders
from moviegraph.contract.model import Contract
from moviegraph.errors import ContractError
from moviegraph.settings import content_folder
from moviegraph.text import sanitize

INSTRUCTIONS = "instructions.md"
ABSENT = "(none)"
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


def prompt_files(folder: Path | None = None) -> list[PromptFile]:
    """Return every prompt of a folder, by name. Raises ContractError naming the file."""
    folder = folder or content_folder("prompts")
    paths = sorted(path for path in folder.glob("*.md") if path.name != INSTRUCTIONS)
    return [parse_prompt(path.name, path.read_text(encoding="utf-8")) for path in paths]


def parse_prompt(file: str, text: str) -> PromptFile:
    """Read front matter and body of one file. Raises ContractError."""
    _, _, content = text.partition("---\n")
    front, separator, body = content.partition("\n---\n")
    if not text.startswith("---\n") or not separator:
        raise ContractError(f"prompts/{file}: no front matter between two lines of ---")
    values: dict[str, str] = {}
    arguments: list[PromptArgument] = []
    for line in front.splitlines():
        key, _, value = line.partition(":")
        if key == "argument":
            arguments.append(_argument(file, value))
        else:
            values[key] = value.strip()
    wrong = {"name", "title", "description"} ^ set(values)
    if wrong:
        raise ContractError(f"prompts/{file}: {', '.join(sorted(wrong))}: missing or unknown")
    return PromptFile(**values, arguments=tuple(arguments), body=body.strip())


def _argument(file: str, line: str) -> PromptArgument:
    parts = [part.strip() for part in line.split("|", 2)]
    if len(parts) != 3 or parts[1] not in ("required", "optional"):
        raise ContractError(f"prompts/{file}: argument: write NAME | required | DESCRIPTION")
    return PromptArgument(name=parts[0], required=parts[1] == "required", description=parts[2])


def instructions(contract: Contract, folder: Path | None = None) -> str:
    """Return the server's instructions, with the contract's names in them."""
    folder = folder or content_folder("prompts")
    return fill(
        (folder / INSTRUCTIONS).read_text(encoding="utf-8").strip(), contract_values(contract)
    )


def add_prompts(server: MCPServer[Any], contract: Contract, today: Callable[[], str]) -> None:
    """Register a prompt for each file."""
    for file in prompt_files():
        server.add_prompt(_prompt(file, contract, today))


def _prompt(file: PromptFile, contract: Contract, today: Callable[[], str]) -> Prompt:
    async def render(**arguments: str) -> str:
        return render_prompt(file, contract, arguments, today())

    return Prompt(
        name=file.name,
        title=file.title,
        description=file.description,
        arguments=list(file.arguments),
        fn=render,
        context_kwarg=None,
    )


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
