"""The edges that extraction fills, the form of an answer, and its prompts."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from moviegraph.contract.markdown import PLACEHOLDER, fill
from moviegraph.contract.model import Connection, Contract, NodeTable
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.errors import ContractError, SourceError
from moviegraph.settings import content_folder

MAX_NAMES = 12
MAX_VOCABULARY = 60
MIN_USE = 3


class Named(BaseModel):
    """A name with its evidence; the class name is part of the schema, and of stored digests."""

    model_config = ConfigDict(title="Named")

    name: str
    evidence: str


@dataclass(frozen=True)
class Relations:
    """The edges from one kind of nodes to others that a model fills."""

    contract: Contract
    kind: NodeTable
    edges: tuple[Connection, ...]

    @cached_property
    def shape(self) -> type[BaseModel]:
        """The form of an answer: a list of names for each edge, all required."""
        fields: dict[str, Any] = {
            f"edge_{at}": (list[Named], Field(alias=edge.name, description=edge.meaning))
            for at, edge in enumerate(self.edges)
        }
        return create_model("Extraction", **fields)

    def named(self, answer: BaseModel) -> Iterator[tuple[Connection, Named]]:
        """Yield the names in an answer."""
        for at, edge in enumerate(self.edges):
            relations: list[Named] = getattr(answer, f"edge_{at}")
            yield from ((edge, relation) for relation in relations)

    def values(self) -> dict[str, str]:
        """Return their values for the prompt."""
        return {
            "title": self.contract.title,
            "description": " ".join(self.contract.description.split()),
            "kind": self.kind.name,
            "kind_description": self.kind.description,
            "lists": "\n".join(map(self._line, self.edges)),
            "most": str(MAX_NAMES),
        }

    def target(self, edge: Connection) -> NodeTable:
        """Return the kind that an edge points to."""
        node_table = self.contract.node(edge.to_table)
        assert node_table is not None, "the contract is checked when it is read"
        return node_table

    def vocabulary(self, nodes: Iterable[NodeRecord], edges: Iterable[EdgeRecord]) -> str:
        """Return the names of those kinds that seem to be complete, or nothing.

        These are kinds with few nodes that are used often, such as genres.
        """
        used = Counter(edge.kind for edge in edges)
        names: dict[str, list[str]] = {}
        for node in nodes:
            names.setdefault(node.kind, []).append(node.name)
        lines: list[str] = []
        for edge in self.edges:
            target_names = names.get(self.target(edge).name, [])
            if 0 < len(target_names) <= MAX_VOCABULARY and used[edge.name] >= MIN_USE * len(
                target_names
            ):
                lines.append(f"- {edge.name}: {', '.join(sorted(target_names))}")
        head = "Names that are in use already; take one of them where it fits:"
        return "\n".join((head, *lines)) if lines else ""

    def _line(self, edge: Connection) -> str:
        target = self.target(edge)
        return f"- `{edge.name}` ({edge.meaning}): names of {target.name}. {target.description}"


def relations_of(contract: Contract, kind: str | None) -> Relations:
    """Return the relations extracted from the nodes of a kind, by default the contract's first.

    Raises:
        SourceError: No edge leads from it to another kind.
    """
    table = contract.node(kind) if kind else contract.nodes[0]
    table = table or contract.nodes[0]
    leaving: Sequence[Connection] = [
        edge
        for _, edge in contract.targets_from(table.name).values()
        if edge.to_table.lower() != table.name.lower()
    ]
    if not leaving:
        raise SourceError(
            f"No edge of the contract {contract.name} connects {table.name} with a different "
            "kind, so there is nothing to extract.",
            hint="Load without --extract, or set a different kind in the column map.",
        )
    return Relations(contract, table, tuple(leaving))


FOLDER = "load"
MARK = "\n---\n"
TAG = re.compile(r"^<(\w+)>$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LoadingPrompt:
    """The texts for the model: once (system) and for each text (user), with placeholders.

    Attributes:
        name: Name of the file.
        version: Name and digest of the file, so that every change of words counts.
        system: The task.
        user: The input of the task.
    """

    name: str
    version: str
    system: str
    user: str

    def of_task(self, values: Mapping[str, str]) -> str:
        """Return the task with its values. Raises ContractError where names do not agree."""
        return self._filled(self.system, values)

    def of_text(self, values: Mapping[str, str]) -> str:
        """Return the rest with its values. Raises ContractError where names do not agree.

        No value can open or close one of the tags around it.
        """
        tags = "|".join(TAG.findall(self.user))
        opening = re.compile(rf"<(?=\s*/?\s*(?:{tags})\b)", re.IGNORECASE)
        fenced = {
            name: opening.sub("\u2039", value) if tags else value for name, value in values.items()
        }
        return self._filled(self.user, fenced)

    def _filled(self, template: str, values: Mapping[str, str]) -> str:
        unused = sorted(set(values) - set(PLACEHOLDER.findall(template)))
        if unused:
            raise ContractError(
                f"prompts/{FOLDER}/{self.name}.md does not use {{{{{unused[0]}}}}}."
            )
        return fill(template, values)


def loading_prompt(name: str, folder: Path | None = None) -> LoadingPrompt:
    """Return a prompt of this installation. Raises ContractError."""
    path = (folder or content_folder("prompts") / FOLDER) / f"{name}.md"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ContractError(f"prompts/{FOLDER}/{name}.md cannot be read.") from error
    system, separator, user = text.partition(MARK)
    if not separator:
        raise ContractError(f"prompts/{FOLDER}/{name}.md has no line of --- between its parts.")
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return LoadingPrompt(name, f"{name}-{digest}", system.strip(), user.strip())
