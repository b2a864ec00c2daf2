"""Results of the tools so far: rows to answer from, the nodes in them, and whole records."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from moviegraph.ask.reasoner import as_json
from moviegraph.tool_client import Result, ToolClient, ToolFailedError, records

Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class KindInfo:
    """One kind: its columns for key and name, and the additional ones of a title."""

    name: str
    key: str
    label: str
    further: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kinds:
    """Every kind, by its lowercase name."""

    by_name: dict[str, KindInfo]

    def spelling(self, name: str) -> str | None:
        """Return the name of a kind as in the contract, or None if it is unknown."""
        kind = self.by_name.get(name.strip().lower())
        return kind.name if kind else None

    def of(self, name: str) -> KindInfo:
        """Return the kind of a name in a result."""
        return self.by_name[name.lower()]

    def in_cells(
        self, lineage: Iterable[Sequence[str | None] | None], rows: Sequence[Sequence[Any]]
    ) -> Iterator[Key]:
        """Yield the nodes whose keys are in the rows, by the lineage of each column."""
        for index, origin in enumerate(lineage):
            kind = self.by_name.get((origin[0] or "").lower()) if origin else None
            if kind is None or origin is None or origin[1] != kind.key:
                continue
            for row in rows:
                if index < len(row) and isinstance(row[index], int):
                    yield kind.name, row[index]


def read_kinds(contract: Result) -> Kinds:
    """Read the kinds from the resource `moviegraph://contract.json`."""
    return Kinds({node["name"].lower(): _kind(node) for node in contract["nodes"]})


def _kind(node: Result) -> KindInfo:
    standard = {node["key"], node["label"], node["text"], node["vector"]}
    names = [column["name"] for column in node["columns"]]
    return KindInfo(
        name=node["name"],
        key=node["key"],
        label=node["label"],
        further=tuple(name for name in names if name not in standard),
    )


MAX_CHARS = 32_000
CELLS = (240, 120, 60)
CHOICE_MEMBERS = (
    "strategy_id", "execution_id", "status", "row_count", "quality", "columns", "rows"
)  # fmt: skip


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
        """Return the rows as JSON values, with text truncated to some number of characters."""
        return {
            "strategy": self.name,
            "tries": self.message,
            "row_count": self.row_count,
            "truncated": self.truncated,
            "columns": self.columns,
            "rows": [[_truncate(value, cell) for value in row] for row in self.rows],
        }


@dataclass(slots=True)
class Evidence:
    """Results of all rounds; nothing in it comes from the model.

    `found_by` contains every node of every result with the strategies that found it. Nodes of the
    latest result come first, as the earlier results were not sufficient.
    """

    kinds: Kinds
    found_by: dict[Key, list[str]] = field(default_factory=dict[Key, list[str]])
    shown: list[VisibleRows] = field(default_factory=list[VisibleRows])

    def add_run(self, run: Result, recorded: dict[str, Result]) -> None:
        """Add a result of run_strategies, and the record of each execution by its ID."""
        earlier, self.found_by = self.found_by, {}
        for row in records(run["fused"]):
            self._add_node((row["Kind"], row["Id"]), *_finders(row["FoundBy"]))
        for execution in run["executions"]:
            if execution["status"] != "failed":
                record = recorded.get(execution["execution_id"], {})
                self._add(execution, execution["strategy_id"], record)
        self._append(earlier)

    def add_expansion(self, name: str, expanded: Result, recorded: Result) -> None:
        """Add a result of expand_strategy, and the record of its execution."""
        earlier, self.found_by = self.found_by, {}
        facts = {"message_to_user": "expanded", "fusable": bool(recorded.get("keys")), **expanded}
        self._add(facts, name, recorded)
        self._append(earlier)

    @property
    def has_rows(self) -> bool:
        """Whether any execution returned rows."""
        return any(rows.row_count for rows in self.shown)

    @property
    def has_figures(self) -> bool:
        """Whether some rows are not nodes, but counts: an answer need not cite a record."""
        return any(rows.row_count and not rows.is_nodes for rows in self.shown)

    def first(self, count: int) -> list[Key]:
        """Return the nodes that were found first."""
        return list(self.found_by)[:count]

    def as_text(self, details: dict[str, Result]) -> str:
        """Return the evidence within its size limit; `details` are records by kind."""
        text = ""
        for cell in CELLS:
            text = as_json(
                {
                    "executions": [rows.as_dict(cell) for rows in self.shown],
                    "records": {kind: _table(result, cell) for kind, result in details.items()},
                }
            )
            if len(text) <= MAX_CHARS:
                return text
        return text[:MAX_CHARS] + " ... (truncated)"

    def _append(self, earlier: dict[Key, list[str]]) -> None:
        for key, finders in earlier.items():
            self._add_node(key, *finders)

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
            self._add_node((kind, key), name)
        for key in self.kinds.in_cells(recorded.get("lineage", ()), execution["rows"]):
            self._add_node(key, name)

    def _add_node(self, key: Key, *finders: str) -> None:
        sources = self.found_by.setdefault(key, [])
        sources.extend(finder for finder in finders if finder not in sources)


def choice_context(run: Result) -> Result:
    """Return a run for the choice of an execution: without statements, with reasons of failures."""
    return {
        "executions": [
            {
                **{name: execution[name] for name in CHOICE_MEMBERS},
                "failed_because": failures(execution) if execution["status"] == "failed" else [],
            }
            for execution in run["executions"]
        ],
        "fused": {**run["fused"], "rows": run["fused"]["rows"][:20]},
        "best": run["best"],
        "why": run["why"],
    }


def round_summary(run: Result, missing: str) -> str:
    """Return a round for the next plan: the commands, their results, and the missing parts."""
    attempts = [
        {
            "id": execution["strategy_id"],
            "command": execution["attempts"][-1]["sql"] if execution["attempts"] else "",
            "status": execution["status"],
            "row_count": execution["row_count"],
            "failed_because": failures(execution)[-1:] if execution["status"] == "failed" else [],
        }
        for execution in run["executions"]
    ]
    return as_json({"strategies": attempts, "missing": missing})


def failures(execution: Result) -> list[str]:
    """Return the reason of each failed attempt of an execution."""
    return [
        f"{attempt['code']}: {attempt['message']}"
        for attempt in execution["attempts"]
        if attempt.get("code")
    ]


def _finders(found_by: str | list[str]) -> list[str]:
    return found_by.split(", ") if isinstance(found_by, str) else found_by


def _table(result: Result, cell: int) -> Result:
    rows = [[_truncate(value, cell) for value in row] for row in result["rows"]]
    return {"columns": result["columns"], "rows": rows}


def _truncate(value: Any, length: int) -> Any:
    if isinstance(value, str) and len(value) > length:
        return value[: length - 1] + "\u2026"
    return value


@dataclass(frozen=True, slots=True)
class Details:
    """Calls `get_records` with at most as many IDs at once as a result may have rows."""

    tools: ToolClient
    max_ids: int

    async def read(self, keys: Iterable[Key]) -> dict[str, Result]:
        """Return the records of nodes by kind; kinds without a remaining node are omitted."""
        by_kind: dict[str, list[int]] = {}
        for kind, number in dict.fromkeys(keys):
            by_kind.setdefault(kind, []).append(number)
        results: dict[str, Result] = {}
        for kind, ids in by_kind.items():
            for start in range(0, len(ids), self.max_ids):
                result = await self._some(kind, ids[start : start + self.max_ids])
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
