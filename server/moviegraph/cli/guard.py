"""`moviegraph guard`: judges SQL without running it, and needs no graph, driver or model."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from moviegraph.cli.options import add_settings, settings_of
from moviegraph.cli.streams import answer

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.sql.guard import RowLimits

NAME = "guard"
HELP = "Validate SQL from standard input; print the decision as JSON."
LONGEST_LINE = 1_000_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--jsonl", action="store_true", help='read one {"sql": ...} object per line'
    )
    parser.add_argument(
        "--expanded", action="store_true", help="apply the row limit of expanded results"
    )
    add_settings(parser, "contract", "top", "top_expanded")


def run(parsed: argparse.Namespace) -> int:
    """Judge; with one statement the status is 1 when it was refused."""
    from moviegraph.contract.loader import read_contract
    from moviegraph.sql.guard import contract_limits

    contract = read_contract(settings_of(parsed))
    rows = contract_limits(contract, expanded=parsed.expanded)
    if parsed.jsonl:
        _judge_lines(sys.stdin.buffer, contract, rows)
        return 0
    decision = _judge_bytes(sys.stdin.buffer.read(), contract, rows)
    answer(json.dumps(decision))
    return 0 if decision["allowed"] else 1


def _judge_bytes(given: bytes, contract: Contract, limits: RowLimits) -> dict[str, Any]:
    try:
        sql = given.decode("utf-8")
    except UnicodeDecodeError as error:
        return _bad_input(f"The statement is not UTF-8 (byte {error.start}).")
    return _judge(sql, contract, limits)


def _judge_lines(lines: Iterable[bytes], contract: Contract, limits: RowLimits) -> None:
    for line in lines:
        if line.strip():
            answer(json.dumps(_judge_line(line, contract, limits)))


def _judge_line(line: bytes, contract: Contract, limits: RowLimits) -> dict[str, Any]:
    if len(line) > LONGEST_LINE:
        return _bad_input(f"The line is longer than {LONGEST_LINE:,} bytes.")
    try:
        given: Any = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return _bad_input("The line is not JSON in UTF-8.")
    if not isinstance(given, dict):
        return _bad_input('The line is not an object such as {"sql": "SELECT ..."}.')
    sql = cast("dict[str, Any]", given).get("sql")
    if not isinstance(sql, str):
        return _bad_input('The object has no string "sql".')
    return _judge(sql, contract, limits)


def _bad_input(message: str) -> dict[str, Any]:
    return _refusal("bad_input", message, None, ())


def _judge(sql: str, contract: Contract, limits: RowLimits) -> dict[str, Any]:
    from moviegraph.observability import report
    from moviegraph.sql.decision import Allowed
    from moviegraph.sql.guard import judge

    decision = judge(sql, contract, limits)
    if isinstance(decision, Allowed):
        return {"allowed": True, "sql": decision.sql, "notes": list(decision.notes)}
    message = report(decision.fault, "guard") if decision.fault else decision.message
    return _refusal(decision.code, message, decision.span, decision.suggestions)


def _refusal(
    code: str, message: str, span: tuple[int, int] | None, suggestions: tuple[str, ...]
) -> dict[str, Any]:
    return {
        "allowed": False,
        "code": code,
        "message": message,
        "span": list(span) if span else None,
        "suggestions": list(suggestions),
    }
