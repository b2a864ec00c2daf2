"""Agent of `ask`: context, rounds of strategies, a choice and an answer."""

import json
from dataclasses import dataclass, field, replace
from typing import cast

from mcp import Client

from moviegraph.ask.evidence import (
    Answered,
    CitationResolver,
    Details,
    Evidence,
    choice_context,
    read_kinds,
    round_summary,
)
from moviegraph.ask.reasoner import (
    Choice,
    Composition,
    Plan,
    PlannedCall,
    Reasoner,
    Understanding,
    as_json,
)
from moviegraph.ask.step_printer import StepPrinter
from moviegraph.llm.language_model import LanguageModel
from moviegraph.tool_client import Result, ToolClient, ToolFailedError

ROUNDS = 3
MAX_TOKENS = 150_000
CANDIDATES = 24
MAX_CALLS = 8
OWN_TOOLS = frozenset(  # of the agent itself, or run as strategies
    "get_planning_context run_strategies expand_strategy run_readonly_sql fix_sql".split()
)
NO_RUN: Result = {
    "executions": [],
    "fused": {"columns": ["Kind", "Id", "FoundBy"], "rows": []},
    "best": None,
    "why": "rows of single calls are not compared",
}
FIXABLE_CODE = "invalid_argument"
NOTHING = "The graph has no results for this question."
SILENT = "The model wrote no text; any records that it named follow."
WITHHELD = "The model named only records that are in no result, so its answer is withheld."


@dataclass(slots=True)
class _Inquiry:
    """State of one question."""

    question: str
    context: str
    searches: dict[str, Result]
    today: str
    evidence: Evidence
    parts: str = ""
    readings: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    gaps: list[str] = field(default_factory=list[str])
    must_not: list[str] = field(default_factory=list[str])
    earlier: str = ""
    missing: str = ""
    rounds: int = 0
    executions: list[str] = field(default_factory=list[str])
    best: str | None = None

    def facts(self) -> str:
        """Return how the question was understood, for the answer."""
        facts = {
            "unavailable": self.gaps,
            "must_not": self.must_not,
            "interpretations": self.readings,
        }
        return as_json(facts) if any(facts.values()) else ""


class Agent:
    """The client: the model plans, chooses and writes the answer; the server does the rest."""

    def __init__(self, tools: ToolClient, reasoner: Reasoner, printer: StepPrinter) -> None:
        self._tools = tools
        self._reasoner = reasoner
        self._printer = printer

    async def answer(self, question: str) -> Answered:
        """Return the answer.

        Raises:
            ModelError: The model failed, refused, or returned a different form.
            ToolFailedError: A tool failed, or rejected the plan twice.
            ConnectionLostError: The server stopped.
        """
        inquiry = await self._begin(question)
        choice = await self._search(inquiry)
        if choice is not None and choice.next == "expand":
            await self._expand(inquiry, choice)
        if not inquiry.evidence.has_rows:
            return self._answer(inquiry, inquiry.missing, NOTHING)
        return await self._compose(inquiry)

    async def _begin(self, question: str) -> _Inquiry:
        """Read the context, and let the model analyze the question."""
        kinds = read_kinds(json.loads(await self._tools.read("moviegraph://contract.json")))
        context = await self._tools.call("get_planning_context", question=question)
        self._printer.title("Context")
        self._printer.context(context)
        # The prompt of a plan contains all rules.
        facts = {name: context[name] for name in context if name != "rules"}
        today = context["facts"]["today"]
        tools = await self._tools.definitions()
        searches = {name: tools[name] for name in tools if name not in OWN_TOOLS}
        inquiry = _Inquiry(question, as_json(facts), searches, today, Evidence(kinds))
        self._printer.title("Parts")
        understood = await self._reasoner.ask(
            Understanding,
            "reformulate_question",
            question=question,
            context=inquiry.context,
            today=today,
        )
        self._printer.understanding(understood)
        inquiry.parts = understood.model_dump_json()
        inquiry.readings = [reading.model_dump() for reading in understood.interpretations]
        inquiry.gaps = understood.unavailable
        inquiry.must_not = understood.must_not
        return inquiry

    async def _search(self, inquiry: _Inquiry) -> Choice | None:
        """Run rounds of strategies until the model has enough, or a limit is reached."""
        choice: Choice | None = None
        for left in range(ROUNDS - 1, -1, -1):
            run = await self._round(inquiry)
            missing = "everything: every strategy failed"
            if any(execution["status"] != "failed" for execution in run["executions"]):
                self._printer.title("Choice")
                choice = await self._reasoner.ask(
                    Choice,
                    "select_strategy",
                    question=inquiry.question,
                    executions=as_json(choice_context(run)),
                    left=str(left),
                )
                self._printer.choice(choice, run)
                inquiry.missing = choice.missing or ""
                missing = choice.missing or choice.why
            if (choice is not None and choice.next != "plan") or self._is_spent():
                break
            inquiry.earlier = f"{inquiry.earlier}\n{round_summary(run, missing)}".strip()
        return choice

    def _is_spent(self) -> bool:
        is_spent = self._reasoner.usage.tokens >= MAX_TOKENS
        if is_spent:
            self._printer.note(f"{MAX_TOKENS:,} tokens are used; no further round is planned")
        return is_spent

    async def _round(self, inquiry: _Inquiry) -> Result:
        """Plan and run one round, and collect its results."""
        inquiry.rounds += 1
        self._printer.title(f"Round {inquiry.rounds}: planned by {self._reasoner.name}")
        run = await self._run(inquiry, await self._plan(inquiry, inquiry.earlier))
        self._printer.run(run)
        inquiry.best = run["best"] or inquiry.best
        recorded: dict[str, Result] = {}
        for execution in run["executions"]:
            execution_id = execution["execution_id"]
            inquiry.executions += [execution_id] if execution_id else []
            if execution["status"] != "failed":
                recorded[execution_id] = await self._recorded(execution_id)
        inquiry.evidence.add_run(run, recorded)
        return run

    async def _run(self, inquiry: _Inquiry, plan: Plan) -> Result:
        """Run a plan; if the server rejects it, let the model correct it once."""
        try:
            return await self._strategies(inquiry, plan)
        except ToolFailedError as error:
            if error.code != FIXABLE_CODE:
                raise
            self._printer.refused(error.message)
            earlier = f"{inquiry.earlier}\n{_refused(plan, error.message)}".strip()
        return await self._strategies(inquiry, await self._plan(inquiry, earlier))

    async def _plan(self, inquiry: _Inquiry, earlier: str) -> Plan:
        return await self._reasoner.ask(
            Plan,
            "plan_strategies",
            question=inquiry.question,
            context=inquiry.context,
            parts=inquiry.parts,
            earlier=earlier,
            today=inquiry.today,
            tools=as_json(inquiry.searches),
        )

    async def _strategies(self, inquiry: _Inquiry, plan: Plan) -> Result:
        """Run the strategies of a plan in one call, then its calls of search tools."""
        self._printer.plan(plan)
        run = dict(NO_RUN)
        if plan.strategies or not plan.calls:
            run = await self._tools.call(
                "run_strategies",
                question=inquiry.question,
                strategies=[strategy.model_dump() for strategy in plan.strategies],
            )
        called = [await self._called(inquiry, call) for call in plan.calls[:MAX_CALLS]]
        found = (call["execution_id"] for call in called if call["status"] == "ok")
        return run | {
            "executions": [*called, *run["executions"]],
            "best": run["best"] or next(found, None),
        }

    async def _called(self, inquiry: _Inquiry, call: PlannedCall) -> Result:
        """Return the result of a search tool in the form of an execution of a strategy."""
        execution: Result = {
            "strategy_id": call.id,
            "execution_id": None,
            "message_to_user": call.message_to_user,
            "quality": None,
            "fusable": True,
            "attempts": [{"sql": f"{call.tool} {call.arguments}"}],
            "row_count": 0,
            "columns": [],
            "rows": [],
        }
        try:
            arguments = json.loads(call.arguments)
            if call.tool not in inquiry.searches or not isinstance(arguments, dict):
                raise ToolFailedError(f"{call.tool} is no search tool, or has no arguments.")
            result = await self._tools.call(call.tool, **cast("Result", arguments))
        except (ToolFailedError, ValueError) as error:
            failed = {"code": getattr(error, "code", None) or FIXABLE_CODE, "message": str(error)}
            execution["attempts"][0] |= failed
            return execution | {"status": "failed"}
        rows = result.get("rows", [])
        return execution | result | {"row_count": len(rows), "status": "ok" if rows else "empty"}

    async def _recorded(self, execution_id: str) -> Result:
        return json.loads(await self._tools.read(f"moviegraph://executions/{execution_id}"))

    async def _expand(self, inquiry: _Inquiry, choice: Choice) -> None:
        """Expand the chosen execution; if that fails, use the earlier results."""
        is_known = choice.execution_id in inquiry.executions
        execution_id = choice.execution_id if is_known else inquiry.best
        if execution_id is None:
            return
        try:
            expanded = await self._tools.call("expand_strategy", execution_id=execution_id)
        except ToolFailedError as error:
            self._printer.note(f"not expanded: {error.message}")
            return
        self._printer.title("Expansion")
        self._printer.expansion(expanded)
        inquiry.executions.append(expanded["execution_id"])
        recorded = await self._recorded(expanded["execution_id"])
        name = recorded.get("strategy_id") or "expansion"
        inquiry.evidence.add_expansion(name, expanded, recorded)

    async def _compose(self, inquiry: _Inquiry) -> Answered:
        """Let the model write the answer, and resolve its citations."""
        self._printer.title("Answer")
        tops = (
            tool["arguments"]["properties"].get("top", {}).get("maximum", 1)
            for tool in (await self._tools.definitions()).values()
        )
        details = Details(self._tools, max(tops))
        first = await details.read(inquiry.evidence.first(CANDIDATES))
        grounds = inquiry.evidence.as_text(first)
        composed = await self._reasoner.ask(
            Composition,
            "compose_answer",
            question=inquiry.question,
            records=grounds,
            gaps=inquiry.facts(),
            kind=next(iter(inquiry.evidence.kinds.values())).name,
        )
        resolver = CitationResolver(details, inquiry.evidence, inquiry.must_not)
        resolved = await resolver.resolve(composed, f"{grounds} {inquiry.question}")
        is_withheld = bool(composed.records) and not resolved.records
        has_content = bool(resolved.text or resolved.records)
        text = WITHHELD if is_withheld else resolved.text or SILENT
        return replace(
            self._answer(inquiry, composed.missing, text),
            answered=composed.answered and not is_withheld and has_content,
            records=tuple(resolved.records),
            dropped=tuple(resolved.dropped),
            doubts=() if is_withheld else tuple(resolved.doubts),
        )

    def _answer(self, inquiry: _Inquiry, missing: str | None, text: str) -> Answered:
        """Return an answer without records."""
        return Answered(
            question=inquiry.question,
            answered=False,
            text=text,
            records=(),
            missing=_distinct(missing, *inquiry.gaps),
            dropped=(),
            doubts=(),
            rounds=inquiry.rounds,
            executions=tuple(inquiry.executions),
            model=self._reasoner.name,
            usage=self._reasoner.usage,
        )


def _refused(plan: Plan, because: str) -> str:
    return (
        "The server refused this plan, and ran none of it: "
        f"{because}\n{plan.model_dump_json()}\nCorrect the plan and return all of it."
    )


def _distinct(*texts: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.strip() for text in texts if text and text.strip()))


async def answer_question(
    question: str, model: LanguageModel, client: Client, printer: StepPrinter
) -> Answered:
    """Return the answer with the tools of a server.

    Raises:
        MoviegraphError: The model or the server failed; the message states how.
    """
    tools = ToolClient(client, printer.note)
    reasoner = Reasoner(tools, model)
    try:
        return await Agent(tools, reasoner, printer).answer(question)
    finally:
        printer.usage(reasoner.usage, of_server=reasoner.of_server.requests)
