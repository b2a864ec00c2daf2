"""The kinds of node of the served contract, and what tells one node from another."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from moviegraph.tool_client import Result

Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind: its columns for key, name, and the further ones that stand beside a name."""

    name: str
    key: str
    label: str
    further: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kinds:
    """Every kind, by its name without regard to case."""

    by_name: dict[str, Kind]

    @property
    def first(self) -> Kind:
        """The contract's first kind, which questions ask for unless they say otherwise."""
        return next(iter(self.by_name.values()))

    def spelt(self, name: str) -> str | None:
        """Return a kind's name as the contract spells it, or None for an unknown one."""
        found = self.by_name.get(name.strip().lower())
        return found.name if found else None

    def of(self, name: str) -> Kind:
        """Return the kind of a name that the server gave."""
        return self.by_name[name.lower()]

    def in_cells(
        self, lineage: Iterable[Sequence[str | None] | None], rows: Sequence[Sequence[Any]]
    ) -> Iterator[Key]:
        """Yield the nodes whose keys stand in the rows, by where each column comes from."""
        for at, origin in enumerate(lineage):
            kind = self.by_name.get((origin[0] or "").lower()) if origin else None
            if kind is None or origin is None or origin[1] != kind.key:
                continue
            for row in rows:
                if at < len(row) and isinstance(row[at], int):
                    yield kind.name, row[at]


def kinds_of(contract: Result) -> Kinds:
    """Read the kinds from the resource `moviegraph://contract.json`."""
    return Kinds({node["name"].lower(): _kind(node) for node in contract["nodes"]})


def _kind(node: Result) -> Kind:
    usual = {node["key"], node["label"], node["text"], node["vector"]}
    names = [column["name"] for column in node["columns"]]
    return Kind(
        name=node["name"],
        key=node["key"],
        label=node["label"],
        further=tuple(name for name in names if name not in usual),
    )
