"""Output of commands: results on standard output; messages, progress and log on standard error."""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, cast

from opentelemetry.trace import get_current_span

from moviegraph.http.rate_limits import TokenBuckets
from moviegraph.observability import log_context
from moviegraph.settings import Settings, unknown_variables
from moviegraph.text import sanitize

OWN = "moviegraph"


def print_result(text: str) -> None:
    """Write a line of the result to standard output, and flush it."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def print_error(text: str, *, event: str = "log", level: int = logging.ERROR) -> None:
    """Write a message to standard error, sanitized: it may contain data and texts of drivers.

    If the log is JSON, it is a log line of this event and level.
    """
    formatter = _json_formatter()
    if formatter is not None:
        members = {"name": OWN, "levelno": level, "levelname": logging.getLevelName(level)}
        message = {"msg": " ".join(text.split()), "facts": {"event": event}}
        text = formatter.format(logging.makeLogRecord(members | message))
    sys.stderr.write(sanitize(text) + "\n")
    sys.stderr.flush()


def _json_formatter() -> JsonFormatter | None:
    formatters = (handler.formatter for handler in logging.getLogger().handlers)
    return next(
        (formatter for formatter in formatters if isinstance(formatter, JsonFormatter)), None
    )


def log_to_stderr(settings: Settings) -> None:
    """Send the log to standard error, a line per record, before a library configures it.

    The level is that of moviegraph's records. That of libraries is always warning: below, they
    contain addresses and texts that must not be logged. Variables that set nothing are logged.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if settings.log_format == "json" else TextFormatter())
    handler.addFilter(RepeatFilter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger(OWN).setLevel(settings.log_level.upper())
    logging.captureWarnings(True)
    for text in unknown_variables(os.environ):
        logging.getLogger(OWN).warning("%s", text, extra={"facts": {"event": "settings"}})


REPEATED = ("event",)
MAX_DEPTH = 30


class TextFormatter(logging.Formatter):
    """Level, message and context as `name=value`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        facts = _facts(record)
        if facts.get("event") == "incident":  # its message contains these
            facts = {name: facts[name] for name in facts if name not in ("reference", "where")}
        tail = "".join(
            f" {name}={_word(value)}" for name, value in facts.items() if name not in REPEATED
        )
        return f"{record.levelname} {escape_unprintable(record.getMessage())}{tail}"


class JsonFormatter(logging.Formatter):
    """A JSON object with time, level, event, message and context."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        facts = _facts(record)
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {
            "time": time.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "event": facts.pop("event", "log"),
            "logger": record.name,
            "message": escape_unprintable(record.getMessage()),
            **facts,
        }
        return json.dumps(line, default=str)


def escape_unprintable(text: str) -> str:
    """Return text with line ends, control and invisible characters escaped."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escape(char) for char in text)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def _word(value: object) -> str:
    text = escape_unprintable(str(value))
    return json.dumps(text, ensure_ascii=False) if " " in text or '"' in text else text


def _facts(record: logging.LogRecord) -> dict[str, Any]:
    """Return the context of a record: its own facts, the call, the trace and the exception."""
    facts = {**log_context(), **cast("Mapping[str, Any]", getattr(record, "facts", {}))}
    span = get_current_span().get_span_context()
    if span.is_valid:
        facts |= {"trace_id": f"{span.trace_id:032x}", "span_id": f"{span.span_id:016x}"}
    if record.exc_info and record.exc_info[1] is not None:
        facts["exception"] = _describe_exception(record.exc_info[1])
    return {name: value for name, value in facts.items() if value is not None}


def _describe_exception(error: BaseException) -> str:
    """Return types and positions of an error; its text may contain a question."""
    parts: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(parts) < MAX_DEPTH:
        frames = traceback.extract_tb(cause.__traceback__)[-MAX_DEPTH:]
        calls = (f"{frame.name} ({frame.filename}:{frame.lineno})" for frame in frames[::-1])
        parts.append(f"{type(cause).__qualname__} at {' < '.join(calls)}")
        cause = cause.__cause__ or cause.__context__
    return "; from ".join(parts)


LIBRARIES = ("uvicorn.error", "mcp.")
PER_MINUTE = 1


class RepeatFilter(logging.Filter):
    """Passes each warning of the HTTP libraries once per minute; `left_out` counts the rest.

    They report what any client can cause at will: bytes that are not HTTP, upgrades, connections
    and sessions above the limit. A warning is known by its line of code, since its text may vary.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._buckets = TokenBuckets(PER_MINUTE, 1, clock)
        self._left_out = Counter[str]()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is written."""
        if not record.name.startswith(LIBRARIES) or record.levelno != logging.WARNING:
            return True
        warning = f"{record.pathname}:{record.lineno}"
        if self._buckets.take(warning):
            self._left_out[warning] += 1
            return False
        if suppressed := self._left_out.pop(warning, 0):
            vars(record)["facts"] = {"left_out": suppressed}
        return True


Progress = Callable[[str, int, int], None]
PAUSE = 10.0
MIN_COUNTED = 100  # below, what is counted is tables or files


class ProgressLines:
    """Progress as lines: one per stage, and one every few seconds, with rate and time left."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._stage = ""
        self._due = 0.0
        self._start = 0.0, 0

    def show(self, stage: str, done: int, total: int) -> None:
        """Write a line if one is due."""
        now = self._clock()
        if stage == self._stage and now < self._due:
            return
        if stage != self._stage:
            self._start = now, done
            missing = f": {total - done:,}" if total > max(done, MIN_COUNTED) else ""
            print_error(f"{stage}{missing}")
        else:
            print_error(f"{stage}: {self._part(now, done, total)}")
        self._stage, self._due = stage, now + PAUSE

    def _part(self, now: float, done: int, total: int) -> str:
        """Return share, count, rate and time left; the count alone where the total is unknown."""
        share = f"{100 * done // total} %" if total else f"{done:,}"
        start, before = self._start
        rate = (done - before) / max(now - start, 0.001)
        if max(done, total) <= MIN_COUNTED or not rate:
            return share
        counted = f", {done:,} of {total:,}" if total else ""
        left = f", {(total - done) / rate:,.0f} s left" if total else ""
        return f"{share}{counted}, {rate:,.0f} per second{left}"
