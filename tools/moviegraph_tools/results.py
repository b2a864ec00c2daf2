"""Turns what retrieval found, or why it failed, into a tool result: structure and text alike."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from mcp.types import CallToolResult, TextContent

from moviegraph.errors import ForModel

if TYPE_CHECKING:
    from moviegraph.retrieval.session import Rows

SAFE_INTEGER = 2**53


def rows_result(found: Rows) -> CallToolResult:
    """Return rows, in columns, with everything that belongs to them."""
    facts: dict[str, Any] = {
        "columns": list(found.columns),
        "rows": found.rows,
        "row_count": len(found.rows),
        "truncated": found.truncated,
        "execution_id": found.execution_id,
        "sql": found.sql,
        "notes": list(found.notes),
        "elapsed_ms": round(found.elapsed_ms, 1),
    }
    if found.changes:
        facts["changes"] = [asdict(change) for change in found.changes]
    return facts_result(facts | dict(found.extra))


def facts_result(facts: dict[str, Any]) -> CallToolResult:
    """Return members as structure, and the same as compact text."""
    facts = cast("dict[str, Any]", plain(facts))
    return CallToolResult(
        content=[TextContent(type="text", text=as_text(facts))], structured_content=facts
    )


def error_result(error: ForModel) -> CallToolResult:
    """Return an error, whole in the text."""
    members: dict[str, Any] = {
        "code": error.code,
        "message": error.message,
        "hint": error.hint,
        "span": list(error.span) if error.span else None,
        "suggestions": list(error.suggestions),
    }
    lines = [f"{error.code}: {error.message}"]
    if error.span:
        lines.append(f"At characters {error.span[0]} to {error.span[1]}.")
    if error.hint:
        lines.append(error.hint)
    if any(each not in (error.hint or "") for each in error.suggestions):
        lines.append("Nearest: " + ", ".join(error.suggestions))
    return _failed("\n".join(lines), members)


def neutral_result(sentence: str) -> CallToolResult:
    """Return the one sentence that stands for an error which is not the model's to mend."""
    members: dict[str, Any] = {
        "code": "internal_error",
        "message": sentence,
        "hint": None,
        "span": None,
        "suggestions": [],
    }
    return _failed(sentence, members)


def _failed(text: str, members: dict[str, Any]) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=whole(text))],
        structured_content={"error": plain(members)},
        is_error=True,
    )


def as_text(facts: Mapping[str, Any]) -> str:
    """Return one line a member, and one line an item where the items are lists or objects."""
    lines: list[str] = []
    for name, value in facts.items():
        if isinstance(value, list) and value and isinstance(value[0], list | dict):
            lines.append(f"{name}:")
            lines += [compact(item) for item in cast("list[Any]", value)]
        elif isinstance(value, str):
            lines.append(f"{name}: {value}")
        else:
            lines.append(f"{name}: {compact(value)}")
    return "\n".join(lines)


def compact(value: Any) -> str:
    """Return JSON without spaces, every script as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def plain(value: Any) -> Any:
    """Return a value made of JSON types only."""
    kind = cast(
        "type[object]", type(value)
    )  # the usual cells first: asking an abstract class about each is slow
    if kind is str:
        return whole(value)
    if value is None or kind is int or kind is float:
        return cell(value)
    if isinstance(value, Mapping):
        members = cast("Mapping[Any, Any]", value)
        return {whole(str(name)): plain(member) for name, member in members.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
        return [plain(item) for item in cast("Sequence[Any]", value)]
    return cell(value)


def cell(value: Any) -> Any:
    """Return one value as JSON: nothing is rounded, and bytes never leave.

    Decimals and integers beyond 2^53 become strings, dates ISO strings, NaN and infinities null.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, int):
        return int(value) if abs(value) <= SAFE_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal | UUID):
        return str(value)
    raise TypeError(f"a cell of type {type(value).__name__} has no form in a result")


def whole(text: str) -> str:
    """Return text that can be written as UTF-8: lone surrogates become U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
