"""`moviegraph eval`: questions with the records that they should find, and how well tools do."""

from __future__ import annotations

import argparse
import json
from collections.abc import Hashable, Sequence, Set
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from moviegraph.cli.client_commands import (
    EVAL_TOP,
    client_of,
    open_server,
    require_language_model,
)
from moviegraph.cli.options import settings_of
from moviegraph.cli.streams import print_error, print_result
from moviegraph.errors import SettingsError
from moviegraph.text import plural, printable
from moviegraph.tool_client import Result, ToolClient, ToolFailedError, records

if TYPE_CHECKING:
    from mcp import Client

    from moviegraph.contract.model import Contract
    from moviegraph.llm.openai_model import OpenAIModel

Node = tuple[str, int]
MAX_LISTED = 5  # missing records of one question
CONTEXT, SEARCH, RECORDS, SQL, ASK = (
    "get_planning_context", "hybrid_search", "get_records", "run_readonly_sql", "ask",
)  # fmt: skip
FORM = (
    'Write objects such as {"question": "...", "expect": {"Movie": ["Alien", 12]}}, with '
    '"call": {"tool": "...", "arguments": {...}} or "sql": "SELECT ..." where another tool is '
    "to be called than the searches."
)


def recall(ranking: Sequence[Hashable], relevant: Set[Hashable], top: int = EVAL_TOP) -> float:
    """Return the share of the relevant items, at most `top`, that are among the first `top`."""
    return len(relevant & set(ranking[:top])) / min(top, len(relevant))


def reciprocal(ranking: Sequence[Hashable], relevant: Set[Hashable]) -> float:
    """Return 1 divided by the rank of the first relevant item, 0 without one."""
    ranks = (rank for rank, item in enumerate(ranking, start=1) if item in relevant)
    return 1 / next(ranks, float("inf"))


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A line of the file; `expected` holds ids, keys and names by kind, `call` tool, arguments."""

    where: str
    text: str
    expected: dict[str, list[int | str]]
    call: tuple[str, dict[str, Any]] | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one tool ranked for a question, and the names of what it should have found."""

    question: Question
    tool: str
    ranking: list[Node]
    relevant: dict[Node, str]
    error: str | None = None


def run(parsed: argparse.Namespace) -> int:
    """Print recall, reciprocal rank and misses of each tool."""
    import anyio

    from moviegraph.query.opening import served_contract

    if parsed.top < 1:
        raise SettingsError(f"--top {parsed.top} is too small.", hint="Use 1 or more.")
    if not 0 <= (parsed.min_recall or 0) <= 1:
        raise SettingsError(f"--min-recall {parsed.min_recall} is not between 0 and 1.")
    questions = read_questions(parsed.questions)
    settings = settings_of(parsed)
    model = require_language_model(settings, "eval --ask") if parsed.ask else None
    contract, server = served_contract(settings), open_server(settings)

    async def work() -> list[Outcome]:
        async with client_of(server, "eval") as client:
            evaluation = _Evaluation(ToolClient(client), contract, parsed.top)
            expected = [await evaluation.relevant(question) for question in questions]
            pairs = zip(questions, expected, strict=True)
            outcomes = [o for pair in pairs for o in await evaluation.outcomes(*pair)]
            return outcomes + (await _asked(model, client, outcomes) if model else [])

    with closing(model) if model else nullcontext():
        outcomes = anyio.run(work)
    summary = summarize(outcomes, parsed.top)
    print_result(json.dumps(summary) if parsed.json else _as_text(summary))
    has_calls = any(question.call and question.call[0] == CONTEXT for question in questions)
    counted = [
        row["recall"] for tool, row in summary["tools"].items() if tool != CONTEXT or has_calls
    ]
    return 1 if parsed.min_recall is not None and min(counted) < parsed.min_recall else 0


def read_questions(path: Path) -> list[Question]:
    """Return the questions of a file. Raises SettingsError with file and line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = "not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise SettingsError(f"{path} cannot be read: {reason}.", hint=FORM) from None
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not numbered:
        raise SettingsError(f"{path} has no question.", hint=FORM)
    return [_question(line, f"{path.name}:{number}") for number, line in numbered]


class _Call(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    tool: str
    arguments: dict[str, Any] = {}


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    question: str = Field(min_length=1)
    expect: dict[str, Annotated[list[int | str], Field(min_length=1)]] = Field(min_length=1)
    call: _Call | None = None
    sql: str | None = None


def _question(line: str, where: str) -> Question:
    try:
        values = _Line.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the line"
        message = f"{where} is no question to evaluate: {place}: {first['msg']}."
        raise SettingsError(message, hint=FORM) from None
    if values.call and values.sql:
        raise SettingsError(f"{where} has a call and SQL; it can have one of them.", hint=FORM)
    call = (values.call.tool, values.call.arguments) if values.call else None
    if values.sql:
        query = {"query": values.question} if "@q" in values.sql else {}
        call = SQL, {"sql": values.sql, **query}
    return Question(where, values.question, values.expect, call)


@dataclass(slots=True)
class _Evaluation:
    """Calls of the questions; what is expected is resolved as in every call, each name once."""

    tools: ToolClient
    contract: Contract
    top: int
    resolved: dict[tuple[str, int | str], dict[Node, str]] = field(default_factory=dict[Any, Any])

    async def relevant(self, question: Question) -> dict[Node, str]:
        """Return what a question should find. Raises SettingsError for what the graph has not."""
        relevant: dict[Node, str] = {}
        for kind, items in question.expected.items():
            for item in items:
                relevant |= await self._nodes(question, kind, item)
        return relevant

    async def outcomes(self, question: Question, relevant: dict[Node, str]) -> list[Outcome]:
        """Return what the call of a question found, or else what the searches did."""
        if question.call is not None:
            return [await self._outcome(question, *question.call, relevant)]
        outcomes = [await self._outcome(question, CONTEXT, {"question": question.text}, relevant)]
        for kind in question.expected:
            arguments = {"query": question.text, "kind": kind, "top": self.top}
            named = {key: relevant[key] for key in relevant if key[0].lower() == kind.lower()}
            outcomes.append(await self._outcome(question, SEARCH, arguments, named))
        return outcomes

    async def _nodes(self, question: Question, kind: str, item: int | str) -> dict[Node, str]:
        """Return the nodes that an id, key or name means, with their names."""
        table = self.contract.node(kind)
        if table is None:
            kinds = ", ".join(node.name for node in self.contract.nodes)
            raise SettingsError(
                f"{question.where}: there is no kind {kind!r}; the graph has {kinds}."
            )
        if (table.name, item) not in self.resolved:
            argument = "ids" if isinstance(item, int) else "names"
            try:
                result = await self.tools.call(RECORDS, kind=table.name, **{argument: [item]})
            except ToolFailedError as error:
                raise SettingsError(f"{question.where}: {error.message}") from None
            self.resolved[table.name, item] = {
                (table.name, record[table.key]): record[table.label] for record in records(result)
            }
        return self.resolved[table.name, item]

    async def _outcome(
        self, question: Question, tool: str, arguments: dict[str, Any], relevant: dict[Node, str]
    ) -> Outcome:
        try:
            ranking = await self._ranking(await self.tools.call(tool, **arguments))
        except ToolFailedError as error:
            return Outcome(question, tool, [], relevant, error.message)
        return Outcome(question, tool, ranking, relevant)

    async def _ranking(self, result: Result) -> list[Node]:
        """Return the nodes of a result, best first, as the journal has them."""
        if "entities" in result:
            return [(entity["kind"], entity["id"]) for entity in result["entities"]]
        if "fused" in result:
            return [(row[0], row[1]) for row in result["fused"]["rows"]]
        execution = result.get("execution_id")
        if execution is None:
            return []
        record = json.loads(await self.tools.read(f"moviegraph://executions/{execution}"))
        return [(kind, node_id) for kind, node_id in record["keys"]]


async def _asked(model: OpenAIModel, client: Client, outcomes: list[Outcome]) -> list[Outcome]:
    """Return what the answers of the language model cite, each question asked once."""
    from moviegraph.ask.agent import answer_question
    from moviegraph.ask.step_printer import StepPrinter

    expected: dict[Question, dict[Node, str]] = {}
    for outcome in outcomes:
        expected[outcome.question] = expected.get(outcome.question, {}) | outcome.relevant
    asked: list[Outcome] = []
    for question, relevant in expected.items():
        printer = StepPrinter(print_error)
        printer.title(f"{question.where}: {question.text}")
        answer = await answer_question(question.text, model, client, printer)
        cited = [(record.kind, record.id) for record in answer.records]
        asked.append(Outcome(question, ASK, cited, relevant))
    return asked


def summarize(outcomes: Sequence[Outcome], top: int) -> dict[str, Any]:
    """Return recall, mean reciprocal rank and misses by tool."""
    tools: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        tools.setdefault(outcome.tool, []).append(outcome)
    return {"top": top, "tools": {tool: _scores(group, top) for tool, group in tools.items()}}


def _scores(outcomes: Sequence[Outcome], top: int) -> dict[str, Any]:
    pairs = [(outcome.ranking[:top], outcome.relevant.keys()) for outcome in outcomes]
    return {
        "questions": len(outcomes),
        "recall": round(fmean(recall(*pair, top) for pair in pairs), 3),
        "mrr": round(fmean(reciprocal(*pair) for pair in pairs), 3),
        "misses": [miss for outcome in outcomes if (miss := _miss(outcome, top))],
    }


def _miss(outcome: Outcome, top: int) -> dict[str, Any] | None:
    shown = set(outcome.ranking[:top])
    if recall(outcome.ranking, outcome.relevant.keys(), top) == 1:
        return None
    return {
        "line": outcome.question.where,
        "question": outcome.question.text,
        "missing": [
            {"kind": kind, "id": node_id, "name": name}
            for (kind, node_id), name in outcome.relevant.items()
            if (kind, node_id) not in shown
        ],
        **({"error": outcome.error} if outcome.error else {}),
    }


def _as_text(summary: dict[str, Any]) -> str:
    lines: list[str] = []
    for tool, row in summary["tools"].items():
        scores = f"recall@{summary['top']} {row['recall']:.3f}  MRR {row['mrr']:.3f}"
        lines.append(f"{tool:<22}{plural(row['questions'], 'question'):>14}  {scores}")
    for tool, row in summary["tools"].items():
        for miss in row["misses"] if tool != CONTEXT else ():  # which finds only what is named
            names = [f"{node['kind']} {node['name']}" for node in miss["missing"][:MAX_LISTED]]
            more = len(miss["missing"]) - len(names)
            missing = miss.get("error") or ", ".join(names) + (f" and {more} more" if more else "")
            lines.append(f"\n{miss['line']} {tool}: {miss['question']}\n  missing: {missing}")
    return printable("\n".join(lines))
