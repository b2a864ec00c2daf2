"""The tool run_strategies: runs a whole plan in one call, and compares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from moviegraph_tools.sampling import RepairRequest, repair_request
from moviegraph_tools.tool_definition import (
    SQL,
    Arguments,
    Items,
    ToolDefinition,
    Words,
    text_limit,
)

if TYPE_CHECKING:
    from moviegraph.query.session import Call, Session

MAX_ID_CHARS = 64
Many = Field(
    min_length=1,
    max_length=10,
    description="1 to 10; command: a SELECT, query: text behind its @q, message_to_user: what it "
    "tries.",
)


class StrategyArguments(Arguments):
    """One strategy; its command may be anything, because a bad one fails alone."""

    id: Annotated[str, text_limit(MAX_ID_CHARS)]
    message_to_user: Words
    query: Annotated[str | None, text_limit(may_be_blank=True)] = None
    command: str


class RunStrategies(Arguments):
    """Arguments of run_strategies."""

    question: Annotated[Words, Field(description="The user's question.")]
    strategies: Annotated[tuple[StrategyArguments, ...], Items, Many]
    repair: Annotated[bool, Field(description="Fix unambiguous slips.")] = True


def run_plan(session: Session, call: Call, arguments: RunStrategies) -> dict[str, Any]:
    """Run the plan."""
    from moviegraph.strategies import strategy_runner as strategies

    return strategies.run(
        session,
        call,
        question=arguments.question,
        strategies=[
            strategies.Strategy(**strategy.model_dump()) for strategy in arguments.strategies
        ],
        repair=arguments.repair,
    )


def unrepaired(
    session: Session, arguments: RunStrategies, output: dict[str, Any]
) -> list[RepairRequest]:
    """Return the requests to the client's model: each command that was refused, or failed."""
    from moviegraph.errors import ExecutionError
    from moviegraph.query.query_pipeline import decide
    from moviegraph.query.repair_pipeline import BEYOND_REPAIR, METHODS, RUNTIME_CODES
    from moviegraph.sql.decision import Refused

    strategies = {strategy.id: strategy for strategy in arguments.strategies if arguments.repair}
    requests: dict[str, RepairRequest] = {}
    for execution in output["executions"]:
        strategy = strategies.get(execution["strategy_id"])
        if strategy is None or execution["status"] != "failed":
            continue
        tries = [attempt for attempt in execution["attempts"] if attempt["rule"] not in METHODS]
        error = ExecutionError(tries[-1]["message"], code=tries[-1]["code"])
        decision = decide(session, strategy.command)
        if isinstance(decision, Refused) and error.code not in RUNTIME_CODES:
            error = decision.error()
        elif error.code not in (*RUNTIME_CODES, "unsupported_by_engine"):
            continue
        if error.code not in BEYOND_REPAIR:
            request = repair_request(session, strategy.command, error, strategy.query)
            requests[strategy.command] = request
    return list(requests.values())


RUN_STRATEGIES = ToolDefinition(
    name="run_strategies",
    title="Run strategies",
    description=(
        "Several different statements for one open question, by meaning, words and graph, where "
        "one call was not enough: repaired, rated, fused. Not for one statement."
    ),
    arguments=RunStrategies,
    work=run_plan,
    scope=SQL,
    example=lambda data: {
        "question": data.question,
        "strategies": [
            {
                "id": "meaning",
                "message_to_user": "By meaning",
                **({"query": data.ranking[1]} if data.ranking[1] else {}),
                "command": data.ranking[0],
            }
        ],
    },
    statements=lambda arguments: [strategy.command for strategy in arguments.strategies],
    unrepaired=unrepaired,
    seen=True,
    form=(
        'Pass {"question": "...", "strategies": [{"id": "...", "message_to_user": "...", '
        '"query": "...", "command": "SELECT ..."}]}; query is the text of @q, if it is used.'
    ),
)
