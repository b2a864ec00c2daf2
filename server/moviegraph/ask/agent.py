"""Agent of `ask`: context, rounds of strategies, a choice and an answer."""

import asyncio
import os
import sys
from dataclasses import dataclass, field

from mcp import Client, MCPError, StdioServerParameters

from moviegraph.ask.evidence import Details, Evidence, for_choosing, kinds_of, so_far
from moviegraph.ask.final_answer import Answered, CitationResolver
from moviegraph.ask.reasoner import Choice, MeteredModel, Plan, Reasoner, as_json
from moviegraph.ask.step_printer import StepPrinter
from moviegraph.errors import MoviegraphError
from moviegraph.tool_client import ConnectionLostError, Result, ToolClient, ToolFailedError

ROUNDS = 3
MAX_TOKENS = 150_000
CANDIDATES = 24
MENDABLE = "invalid_argument"
NOTHING = "The graph has no results for this question."
SILENT = "The model wrote no text; any records that it named follow."
WITHHELD = "The model named only records that are in no result, so its answer is withheld."


@dataclass(slots=True)
class _Inquiry:
    """One question under way."""

    question: str
    context: Result
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
        """Return how the question was understood, for the wording of the answer."""
        facts = {
            "unavailable": self.gaps,
            "must_not": self.must_not,
            "interpretations": self.readings,
        }
        return as_json(facts) if any(facts.values()) else ""


class Agent:
    """Plays the client: the model plans, chooses and words; the server does everything else."""

    def __init__(self, tools: ToolClient, reasoner: Reasoner, screen: StepPrinter) -> None:
        self._tools = tools
        self._reasoner = reasoner
        self._screen = screen

    async def answer(self, question: str) -> Answered:
        """Return the answer.

        Raises:
            ModelError: The model failed, refused, or wrote what it was not asked for.
            ToolFailedError: A tool failed, or refused the plan twice.
            ConnectionLostError: The server ended.
        """
        inquiry = await self._begin(question)
        choice = await self._search(inquiry)
        if choice is not None and choice.next == "expand":
            await self._expand(inquiry, choice)
        if not inquiry.evidence.has_rows:
            return self._nothing(inquiry)
        return await self._compose(inquiry)

    async def _begin(self, question: str) -> _Inquiry:
        """Read the context, and let the model take the question apart before it is planned."""
        kinds = kinds_of(await self._tools.read("moviegraph://contract.json"))
        context = await self._tools.call("get_planning_context", question=question)
        self._screen.context(context)
        inquiry = _Inquiry(question, context, Evidence(kinds))
        self._screen.title("Parts")
        understood = await self._reasoner.understand(question, context)
        self._screen.understanding(understood)
        inquiry.parts = understood.model_dump_json()
        inquiry.readings = [each.model_dump() for each in understood.interpretations]
        inquiry.gaps = understood.unavailable
        inquiry.must_not = understood.must_not
        return inquiry

    async def _search(self, inquiry: _Inquiry) -> Choice | None:
        """Run rounds of strategies until the model is content, or a bound is reached."""
        choice: Choice | None = None
        for left in range(ROUNDS - 1, -1, -1):
            run = await self._round(inquiry)
            missing = "everything: every strategy failed"
            if any(each["status"] != "failed" for each in run["executions"]):
                self._screen.title("Choice")
                choice = await self._reasoner.choose(inquiry.question, for_choosing(run), left)
                self._screen.choice(choice, run)
                inquiry.missing = choice.missing or ""
                missing = choice.missing or choice.why
            if (choice is not None and choice.next != "plan") or self._is_spent():
                break
            inquiry.earlier = f"{inquiry.earlier}\n{so_far(run, missing)}".strip()
        return choice

    def _is_spent(self) -> bool:
        spent = self._reasoner.usage.tokens >= MAX_TOKENS
        if spent:
            self._screen.note(f"{MAX_TOKENS:,} tokens are used; no further round is planned")
        return spent

    async def _round(self, inquiry: _Inquiry) -> Result:
        """Plan and run one round, and take what it found."""
        inquiry.rounds += 1
        self._screen.title(f"Round {inquiry.rounds}: planned by {self._reasoner.name}")
        run = await self._run(inquiry, await self._plan(inquiry, inquiry.earlier))
        self._screen.run(run)
        inquiry.best = run["best"] or inquiry.best
        recorded: dict[str, Result] = {}
        for each in run["executions"]:
            inquiry.executions.append(each["execution_id"])
            if each["status"] != "failed":
                recorded[each["execution_id"]] = await self._recorded(each["execution_id"])
        inquiry.evidence.add_run(run, recorded)
        return run

    async def _run(self, inquiry: _Inquiry, plan: Plan) -> Result:
        """Run a plan; one that the server refuses goes back to the model once."""
        try:
            return await self._strategies(inquiry, plan)
        except ToolFailedError as error:
            if error.code != MENDABLE:
                raise
            self._screen.refused(error.message)
            earlier = f"{inquiry.earlier}\n{_refused(plan, error.message)}".strip()
        return await self._strategies(inquiry, await self._plan(inquiry, earlier))

    async def _plan(self, inquiry: _Inquiry, earlier: str) -> Plan:
        return await self._reasoner.plan(inquiry.question, inquiry.context, inquiry.parts, earlier)

    async def _strategies(self, inquiry: _Inquiry, plan: Plan) -> Result:
        self._screen.plan(plan)
        return await self._tools.call(
            "run_strategies",
            question=inquiry.question,
            strategies=[each.model_dump() for each in plan.strategies],
        )

    async def _recorded(self, execution_id: str) -> Result:
        return await self._tools.read(f"moviegraph://executions/{execution_id}")

    async def _expand(self, inquiry: _Inquiry, choice: Choice) -> None:
        """Widen the chosen execution; where that fails, what was found before must do."""
        known = choice.execution_id in inquiry.executions
        chosen = choice.execution_id if known else inquiry.best
        if chosen is None:
            return
        try:
            expanded = await self._tools.call("expand_strategy", execution_id=chosen)
        except ToolFailedError as error:
            self._screen.note(f"not expanded: {error.message}")
            return
        self._screen.expansion(expanded)
        inquiry.executions.append(expanded["execution_id"])
        recorded = await self._recorded(expanded["execution_id"])
        name = recorded.get("strategy_id") or "expansion"
        inquiry.evidence.add_expansion(name, expanded, recorded)

    async def _compose(self, inquiry: _Inquiry) -> Answered:
        """Let the model word the answer, and join it back to the graph."""
        self._screen.title("Answer")
        details = Details(self._tools, await self._tools.maximum("expand_strategy", "top"))
        first = await details.read(inquiry.evidence.first(CANDIDATES))
        grounds = inquiry.evidence.as_text(first)
        composed = await self._reasoner.compose(inquiry.question, grounds, inquiry.facts())
        join = CitationResolver(details, inquiry.evidence, inquiry.must_not)
        joined = await join.join(composed, f"{grounds} {inquiry.question}")
        withheld = bool(composed.records) and not joined.records
        return Answered(
            question=inquiry.question,
            answered=composed.answered and not withheld and bool(joined.text or joined.records),
            text=WITHHELD if withheld else joined.text or SILENT,
            records=tuple(joined.records),
            missing=_distinct(composed.missing, *inquiry.gaps),
            dropped=tuple(joined.dropped),
            doubts=() if withheld else tuple(joined.doubts),
            rounds=inquiry.rounds,
            executions=tuple(inquiry.executions),
            model=self._reasoner.name,
            usage=self._reasoner.usage,
        )

    def _nothing(self, inquiry: _Inquiry) -> Answered:
        """Say that nothing was found, without giving the model anything to embroider."""
        return Answered(
            question=inquiry.question,
            answered=False,
            text=NOTHING,
            records=(),
            missing=_distinct(inquiry.missing, *inquiry.gaps),
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


LOGGED = "Read the server log above, and run `moviegraph check`."
LOST = "The server did not start, or stopped too early. Read its output above."


async def run(
    question: str, model: MeteredModel, options: list[str], screen: StepPrinter
) -> Answered:
    """Return the answer of a server with the given options, and end that server.

    Raises:
        MoviegraphError: The model or the server failed; the message says how.
    """
    outcome: Answered | MoviegraphError | None = None
    try:
        async with Client(_server(options)) as client:
            outcome = await _outcome(client, question, model, screen)
    except (MCPError, OSError, ExceptionGroup) as error:
        if outcome is None and not _is_interrupted():
            raise ConnectionLostError(LOST) from error
    if _is_interrupted():  # whatever else an interrupt broke on its way
        raise asyncio.CancelledError
    if not isinstance(outcome, Answered):
        raise outcome or ConnectionLostError(LOST)
    return outcome


def _is_interrupted() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _outcome(
    client: Client, question: str, model: MeteredModel, screen: StepPrinter
) -> Answered | MoviegraphError:
    """Return the answer, or what failed: raised, it would leave the client within a group."""
    tools = ToolClient(client, screen.note)
    reasoner = Reasoner(tools, model)
    try:
        return await Agent(tools, reasoner, screen).answer(question)
    except MoviegraphError as error:
        if error.code == "internal_error":
            error.hint = LOGGED
        return error
    finally:
        screen.usage(reasoner.usage, of_server=reasoner.of_server.requests)


def _server(options: list[str]) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "moviegraph", "serve", "--transport", "stdio", *options],
        env=dict(os.environ),
    )
