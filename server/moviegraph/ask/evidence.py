"""Results of the tools so far: rows to answer from, the nodes in them, and whole records."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from moviegraph.ask.reasoner import as_json
from moviegraph.tool_client import Result, ToolClient, ToolFailedError, records

Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class KindInfo:
    """One kind: its columns for key, name, and the further ones that stand beside a name."""

    name: str
    key: str
    label: str
    further: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kinds:
    """Every kind, by its name without regard to case."""

    by_name: dict[str, KindInfo]

    @property
    def first(self) -> KindInfo:
        """The contract's first kind, which questions ask for unless they say otherwise."""
        return next(iter(self.by_name.values()))

    def spelt(self, name: str) -> str | None:
        """Return a kind's name as the contract spells it, or None for an unknown one."""
        kind = self.by_name.get(name.strip().lower())
        return kind.name if kind else None

    def of(self, name: str) -> KindInfo:
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


def _kind(node: Result) -> KindInfo:
    usual = {node["key"], node["label"], node["text"], node["vector"]}
    names = [column["name"] for column in node["columns"]]
    return KindInfo(
        name=node["name"],
        key=node["key"],
        label=node["label"],
        further=tuple(name for name in names if name not in usual),
    )


MAX_CHARS = 32_000
CELLS = (240, 120, 60)


@dataclass(frozen=True, slots=True)
class VisibleRows:
    """The rows of one execution that the model may answer from."""

    name: str
    message: str
    row_count: int
    truncated: str | None
    is_nodes: bool
    columns: list[str]
    rows: list[list[Any]]

    def as_dict(self, cell: int) -> dict[str, Any]:
        """Return it as JSON values, with texts cut to so many characters."""
        return {
            "strategy": self.name,
            "tries": self.message,
            "row_count": self.row_count,
            "truncated": self.truncated,
            "columns": self.columns,
            "rows": [[_cut(value, cell) for value in row] for row in self.rows],
        }


@dataclass(slots=True)
class Evidence:
    """Grows with every round; nothing in it comes from the model.

    `found_by` holds every node of every result with the strategies that found it: those of the
    latest result first, because it was asked for as the earlier ones did not do.
    """

    kinds: Kinds
    found_by: dict[Key, list[str]] = field(default_factory=dict[Key, list[str]])
    shown: list[VisibleRows] = field(default_factory=list[VisibleRows])

    def add_run(self, run: Result, recorded: dict[str, Result]) -> None:
        """Take the result of run_strategies, and the record of each execution by its id."""
        before = self._begin()
        for row in records(run["fused"]):
            self._found((row["Kind"], row["Id"]), *_finders(row["FoundBy"]))
        for each in run["executions"]:
            if each["status"] != "failed":
                self._add(each, each["strategy_id"], recorded.get(each["execution_id"], {}))
        self._append(before)

    def add_expansion(self, name: str, expanded: Result, recorded: Result) -> None:
        """Take the result of expand_strategy, and the record of its execution."""
        before = self._begin()
        facts = {"message_to_user": "expanded", "fusable": bool(recorded.get("keys")), **expanded}
        self._add(facts, name, recorded)
        self._append(before)

    @property
    def has_rows(self) -> bool:
        """Whether any execution found anything."""
        return any(each.row_count for each in self.shown)

    @property
    def has_figures(self) -> bool:
        """Whether some rows are no nodes, as counts are, so that an answer may name no record."""
        return any(each.row_count and not each.is_nodes for each in self.shown)

    def first(self, count: int) -> list[Key]:
        """Return the nodes that were found first."""
        return list(self.found_by)[:count]

    def as_text(self, details: dict[str, Result]) -> str:
        """Return everything to answer from, within its size; details are records by kind."""
        text = ""
        for cell in CELLS:
            text = as_json(
                {
                    "executions": [each.as_dict(cell) for each in self.shown],
                    "records": {kind: _table(result, cell) for kind, result in details.items()},
                }
            )
            if len(text) <= MAX_CHARS:
                return text
        return text[:MAX_CHARS] + " ... (truncated)"

    def _begin(self) -> dict[Key, list[str]]:
        before, self.found_by = self.found_by, {}
        return before

    def _append(self, before: dict[Key, list[str]]) -> None:
        for key, finders in before.items():
            self._found(key, *finders)

    def _add(self, execution: Result, name: str, recorded: Result) -> None:
        self.shown.append(
            VisibleRows(
                name=name,
                message=execution["message_to_user"],
                row_count=execution["row_count"],
                truncated=execution.get("truncated"),
                is_nodes=execution["fusable"],
                columns=execution["columns"],
                rows=execution["rows"],
            )
        )
        for kind, key in recorded.get("keys", ()):
            self._found((kind, key), name)
        for key in self.kinds.in_cells(recorded.get("lineage", ()), execution["rows"]):
            self._found(key, name)

    def _found(self, key: Key, *finders: str) -> None:
        known = self.found_by.setdefault(key, [])
        known.extend(each for each in finders if each not in known)


def for_choosing(run: Result) -> Result:
    """Return what a choice between executions needs: no statements, and why one failed."""
    return {
        "executions": [
            {
                **{name: each[name] for name in ("strategy_id", "execution_id", "status")},
                "row_count": each["row_count"],
                "quality": each["quality"],
                "failed_because": failures(each) if each["status"] == "failed" else [],
                "columns": each["columns"],
                "rows": each["rows"],
            }
            for each in run["executions"]
        ],
        "fused": {**run["fused"], "rows": run["fused"]["rows"][:20]},
        "best": run["best"],
        "why": run["why"],
    }


def so_far(run: Result, missing: str) -> str:
    """Return what a next plan must know of this round: what ran, what it brought, what lacks."""
    tried = [
        {
            "id": each["strategy_id"],
            "command": each["attempts"][-1]["sql"] if each["attempts"] else "",
            "status": each["status"],
            "row_count": each["row_count"],
            "failed_because": failures(each)[-1:] if each["status"] == "failed" else [],
        }
        for each in run["executions"]
    ]
    return as_json({"strategies": tried, "missing": missing})


def failures(execution: Result) -> list[str]:
    """Return why each failed attempt of an execution failed."""
    return [
        f"{each['code']}: {each['message']}" for each in execution["attempts"] if each.get("code")
    ]


def _finders(found_by: str | list[str]) -> list[str]:
    return found_by.split(", ") if isinstance(found_by, str) else found_by


def _table(result: Result, cell: int) -> Result:
    rows = [[_cut(value, cell) for value in row] for row in result["rows"]]
    return {"columns": result["columns"], "rows": rows}


def _cut(value: Any, length: int) -> Any:
    if isinstance(value, str) and len(value) > length:
        return value[: length - 1] + "\u2026"
    return value


@dataclass(frozen=True, slots=True)
class Details:
    """Calls `get_records`, with at most as many ids at once as the server lists rows."""

    tools: ToolClient
    most: int

    async def read(self, keys: Iterable[Key]) -> dict[str, Result]:
        """Return the records of nodes by kind; a kind of which none is left is left out."""
        by_kind: dict[str, list[int]] = {}
        for kind, number in dict.fromkeys(keys):
            by_kind.setdefault(kind, []).append(number)
        results: dict[str, Result] = {}
        for kind, ids in by_kind.items():
            for start in range(0, len(ids), self.most):
                result = await self._some(kind, ids[start : start + self.most])
                if result is not None:
                    results.setdefault(kind, {**result, "rows": []})["rows"] += result["rows"]
        return results

    async def _some(self, kind: str, ids: list[int]) -> Result | None:
        try:
            return await self.tools.call("get_records", kind=kind, ids=ids, detail="concise")
        except ToolFailedError as error:
            if error.code == "not_found":
                return None
            raise
