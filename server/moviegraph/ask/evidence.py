"""Results of the tools so far, and the answer of `ask` that cites nodes in them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from moviegraph.ask.reasoner import Composition, as_json
from moviegraph.llm.language_model import TokenUsage
from moviegraph.names import fold_name
from moviegraph.tool_client import Result, ToolClient, ToolFailedError, records

Key = tuple[str, int]
MAX_CHARS = 32_000
CELLS = (240, 120, 60)
CHOICE_MEMBERS = (
    "strategy_id", "execution_id", "status", "row_count", "quality", "columns", "rows"
)  # fmt: skip
MAX_CITED = 20
REFERENCE = re.compile(r"\[(\w+)[\s:#]*(\d{1,12})\]")
QUOTED = re.compile(r"[\"\u201c*]([^\"\u201c\u201d*\n]{2,80})[\"\u201d*]")
NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?!\w)")
NOT_FOUND = "in no result"
NO_RECORD = "The text names no record, so it cites nothing from the graph."
UNKNOWN = "(a record that is in no result)"


@dataclass(frozen=True, slots=True)
class KindInfo:
    """One kind: its columns for key and name, and the additional ones of a title."""

    name: str
    key: str
    label: str
    further: tuple[str, ...]


def read_kinds(contract: Result) -> dict[str, KindInfo]:
    """Return the kinds of the resource `moviegraph://contract.json`, by their lowercase names."""
    return {node["name"].lower(): _kind(node) for node in contract["nodes"]}


def _kind(node: Result) -> KindInfo:
    standard = {node["key"], node["label"], node["text"], node["vector"]}
    names = [column["name"] for column in node["columns"]]
    return KindInfo(
        name=node["name"],
        key=node["key"],
        label=node["label"],
        further=tuple(name for name in names if name not in standard),
    )


@dataclass(slots=True)
class Evidence:
    """Results of all rounds; nothing in it comes from the model.

    `found_by` contains every node of every result with the strategies that found it. Nodes of the
    latest result come first, as the earlier results were not sufficient. Keys of `kinds` are in
    lowercase.
    """

    kinds: dict[str, KindInfo]
    found_by: dict[Key, list[str]] = field(default_factory=dict[Key, list[str]])
    executions: list[Result] = field(default_factory=list[Result])
    has_figures: bool = False

    def add_run(self, run: Result, recorded: dict[str, Result]) -> None:
        """Add a result of run_strategies, and the record of each execution by its ID."""
        earlier, self.found_by = self.found_by, {}
        for row in records(run["fused"]):
            self._add_node((row["Kind"], row["Id"]), *row["FoundBy"])
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
        return any(execution["row_count"] for execution in self.executions)

    def spelling(self, name: str) -> str | None:
        """Return the name of a kind as in the contract, or None if it is unknown."""
        kind = self.kinds.get(name.strip().lower())
        return kind.name if kind else None

    def first(self, count: int) -> list[Key]:
        """Return the nodes that were found first."""
        return list(self.found_by)[:count]

    def as_text(self, details: dict[str, Result]) -> str:
        """Return the evidence within its size limit; `details` are records by kind."""
        text = ""
        for cell in CELLS:
            text = as_json(
                {
                    "executions": [_table(execution, cell) for execution in self.executions],
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
        self.executions.append(
            {
                "strategy": name,
                "tries": execution["message_to_user"],
                "truncated": execution.get("truncated"),
                **{member: execution[member] for member in ("row_count", "columns", "rows")},
            }
        )
        # Rows that are not nodes, but counts: an answer need not cite a record.
        self.has_figures |= bool(execution["row_count"]) and not execution["fusable"]
        nodes = self._nodes_in_cells(recorded.get("lineage", ()), execution["rows"])
        for kind, key in (*recorded.get("keys", ()), *nodes):
            self._add_node((kind, key), name)

    def _nodes_in_cells(
        self, lineage: Iterable[Sequence[str | None] | None], rows: Sequence[Sequence[Any]]
    ) -> Iterator[Key]:
        """Yield the nodes whose keys are in the rows, by the lineage of each column."""
        for index, origin in enumerate(lineage):
            kind = self.kinds.get((origin[0] or "").lower()) if origin else None
            if kind is None or origin is None or origin[1] != kind.key:
                continue
            for row in rows:
                if index < len(row) and isinstance(row[index], int):
                    yield kind.name, row[index]

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


def _table(result: Result, cell: int) -> Result:
    """Return a result with texts truncated to some number of characters."""
    rows = [[_truncate(value, cell) for value in row] for row in result["rows"]]
    return {**result, "rows": rows}


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
                    results.setdefault(kind, {"columns": result["columns"], "rows": []})[
                        "rows"
                    ] += result["rows"]
        return results

    async def _some(self, kind: str, ids: list[int]) -> Result | None:
        try:
            return await self.tools.call("get_records", kind=kind, ids=ids, detail="concise")
        except ToolFailedError as error:
            if error.code == "not_found":
                return None
            raise


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """One record of the answer; everything except the reason comes from the graph."""

    kind: str
    id: int
    name: str
    further: dict[str, Any]
    reason: str
    found_by: tuple[str, ...]

    @property
    def title(self) -> str:
        """The name, with the value of the only additional column, such as a year."""
        values = [value for value in self.further.values() if value is not None]
        return f"{self.name} ({values[0]})" if len(self.further) == len(values) == 1 else self.name


@dataclass(frozen=True, slots=True)
class DroppedRecord:
    """Something that the model cited and the answer omits, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to a question, with missing, omitted and doubtful parts."""

    question: str
    answered: bool
    text: str
    records: tuple[AnswerRecord, ...]
    missing: tuple[str, ...]
    dropped: tuple[DroppedRecord, ...]
    doubts: tuple[str, ...]
    rounds: int
    executions: tuple[str, ...]
    model: str
    usage: TokenUsage

    def as_dict(self) -> dict[str, Any]:
        """Return the answer for `--json`."""
        return {**asdict(self), "records": [_as_dict(record) for record in self.records]}

    def as_text(self) -> str:
        """Return the answer as text."""
        blocks = [self.text]
        blocks += [_entry(number, record) for number, record in enumerate(self.records, 1)]
        blocks += [_list("Missing", self.missing)] if self.missing else []
        omitted = [f"{record.what}: {record.why}" for record in self.dropped]
        blocks += [_list("Omitted", omitted)] if omitted else []
        blocks += [_list("To check", self.doubts)] if self.doubts else []
        return "\n\n".join(blocks)


def _as_dict(record: AnswerRecord) -> dict[str, Any]:
    members = asdict(record)
    return {"kind": members.pop("kind"), "id": members.pop("id"), "name": members.pop("name"),
            **members.pop("further"), **members}  # fmt: skip


def _entry(number: int, record: AnswerRecord) -> str:
    lines = [f"{number:>2}. {record.title} [{record.kind} {record.id}]", f"    {record.reason}"]
    return "\n".join([*lines, f"    found by: {', '.join(record.found_by)}"])


def _list(title: str, lines: tuple[str, ...] | list[str]) -> str:
    return "\n".join([f"{title}:", *(f"- {line}" for line in lines)])


@dataclass(slots=True)
class ResolvedAnswer:
    """Text and records with the names of the graph; the omitted and the doubtful parts."""

    text: str
    records: list[AnswerRecord] = field(default_factory=list[AnswerRecord])
    dropped: list[DroppedRecord] = field(default_factory=list[DroppedRecord])
    doubts: list[str] = field(default_factory=list[str])


class CitationResolver:
    """Resolves the citations of one composition; only nodes of some result pass."""

    def __init__(self, details: Details, evidence: Evidence, must_not: Iterable[str] = ()) -> None:
        self._details = details
        self._evidence = evidence
        self._must_not = {fold_name(name) for name in must_not}
        self._known: dict[Key, AnswerRecord] = {}
        self._dropped: dict[str, str] = {}

    async def resolve(self, composed: Composition, grounds: str) -> ResolvedAnswer:
        """Return the composition with names from the graph.

        Args:
            composed: What the model wrote.
            grounds: All that it received, in which each number of its text must occur.
        """
        cited = self._cited(composed)
        words = " ".join((composed.text, *cited.values()))
        references = self._references(words)
        await self._fetch([*cited, *references])
        text = self._insert_names(composed.text)
        resolved = [
            self._record(key, reason) for key, reason in cited.items() if key in self._known
        ]
        doubts = _doubts(REFERENCE.sub("", words), f"{grounds} {len(resolved)}")
        if not (cited or references or self._evidence.has_figures):
            doubts.append(NO_RECORD)
        doubts += [
            f"{record.title} may be something that the question excludes."
            for record in resolved
            if not self._must_not.isdisjoint(map(fold_name, (record.name, record.title)))
        ]
        dropped = [DroppedRecord(record, reason) for record, reason in self._dropped.items()]
        return ResolvedAnswer(text, resolved, dropped, doubts)

    def _cited(self, composed: Composition) -> dict[Key, str]:
        """Return the reason of each cited node that a result contains, in the model's order."""
        cited: dict[Key, str] = {}
        for citation in composed.records:
            key = self._key(citation.kind, citation.id)
            if key is None:
                self._drop(citation.kind, citation.id, NOT_FOUND)
            elif len(cited) < MAX_CITED:
                cited.setdefault(key, citation.reason)
            elif key not in cited:
                self._drop(*key, f"an answer lists at most {MAX_CITED} records")
        return cited

    def _references(self, text: str) -> list[Key]:
        keys = (self._key(kind, int(number)) for kind, number in REFERENCE.findall(text))
        return [key for key in keys if key is not None]

    def _key(self, kind: str, number: int) -> Key | None:
        """Return the node of a reference, if a result contains it."""
        name = self._evidence.spelling(kind)
        if name is not None:
            key = (name, number)
            return key if key in self._evidence.found_by else None
        same = [key for key in self._evidence.found_by if key[1] == number]
        return same[0] if kind.lower() == "id" and len(same) == 1 else None

    async def _fetch(self, keys: Iterable[Key]) -> None:
        keys = list(keys)
        for kind, result in (await self._details.read(keys)).items():
            info = self._evidence.kinds[kind.lower()]
            for row in records(result):
                key = (kind, row[info.key])
                self._known[key] = AnswerRecord(
                    kind=kind,
                    id=row[info.key],
                    name=str(row[info.label]),
                    further={name: row[name] for name in info.further if name in row},
                    reason="",
                    found_by=tuple(self._evidence.found_by[key]),
                )
        for key in keys:
            if key not in self._known:
                self._drop(*key, "the graph no longer contains it")

    def _record(self, key: Key, reason: str) -> AnswerRecord:
        record = self._known[key]
        return replace(record, reason=self._insert_names(reason))

    def _insert_names(self, text: str) -> str:
        return REFERENCE.sub(self._name, text.strip())

    def _name(self, reference: re.Match[str]) -> str:
        """Return the text that replaces a reference."""
        key = self._key(reference[1], int(reference[2]))
        if key is not None and key in self._known:
            return self._known[key].title
        if self._evidence.spelling(reference[1]) is None and reference[1].lower() != "id":
            return reference[0]
        self._drop(reference[1], int(reference[2]), NOT_FOUND)
        return UNKNOWN

    def _drop(self, kind: str, number: int, reason: str) -> None:
        kind = self._evidence.spelling(kind) or kind
        self._dropped.setdefault(f"{kind} {number}", reason)


def _doubts(text: str, grounds: str) -> list[str]:
    """Return a doubt for each number and quotation of a text that its grounds do not contain."""
    grounded = {_digits(number) for number in NUMBER.findall(grounds)}
    numbers = dict.fromkeys(NUMBER.findall(text))
    quotations = dict.fromkeys(words.strip() for words in QUOTED.findall(text))
    return [
        *(
            f"The number {number} is in no result."
            for number in numbers
            if _digits(number) not in grounded
        ),
        *(
            f"The words {words!r} are in no result."
            for words in quotations
            if words.lower() not in grounds.lower()
        ),
    ]


def _digits(number: str) -> str:
    return number.replace(",", "")
