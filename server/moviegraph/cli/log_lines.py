"""One line for each record of the log, as text or as JSON, whatever a record holds."""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from opentelemetry.trace import get_current_span

from moviegraph.observability import correlation

REPEATED = ("event",)
DEEPEST = 30


class TextLines(logging.Formatter):
    """Level and message for people, then what it belongs to, as `name=value`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        told = _facts(record)
        if told.get("event") == "incident":  # its message says these already
            told = {name: told[name] for name in told if name not in ("reference", "where")}
        tail = "".join(
            f" {name}={_word(value)}" for name, value in told.items() if name not in REPEATED
        )
        return f"{record.levelname} {plain(record.getMessage())}{tail}"


class JsonLines(logging.Formatter):
    """An object for programs: time, level, event, message, and what it belongs to."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        told = _facts(record)
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {
            "time": time.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "event": told.pop("event", "log"),
            "logger": record.name,
            "message": plain(record.getMessage()),
            **told,
        }
        return json.dumps(line, default=str)


def plain(text: str) -> str:
    """Return a text in which nothing ends the line, moves a cursor or hides: those are escaped."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else _escaped(each) for each in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def _word(value: object) -> str:
    text = plain(str(value))
    return json.dumps(text, ensure_ascii=False) if " " in text or '"' in text else text


def _facts(record: logging.LogRecord) -> dict[str, Any]:
    """Return what a record belongs to: the call, the trace, and what it says of itself."""
    told = {**correlation(), **cast("Mapping[str, Any]", getattr(record, "facts", {}))}
    span = get_current_span().get_span_context()
    if span.is_valid:
        told |= {"trace_id": f"{span.trace_id:032x}", "span_id": f"{span.span_id:016x}"}
    if record.exc_info and record.exc_info[1] is not None:
        told["exception"] = _raised(record.exc_info[1])
    return {name: value for name, value in told.items() if value is not None}


def _raised(error: BaseException) -> str:
    """Return the types and places of an error; its text may hold what somebody asked."""
    parts: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(parts) < DEEPEST:
        frames = traceback.extract_tb(cause.__traceback__)[-DEEPEST:]
        places = " < ".join(f"{each.name} ({each.filename}:{each.lineno})" for each in frames[::-1])
        parts.append(f"{type(cause).__qualname__} at {places}")
        cause = cause.__cause__ or cause.__context__
    return "; from ".join(parts)
