"""Output of commands: answers on standard output; messages, progress and log on standard error."""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from opentelemetry.trace import get_current_span

from moviegraph.http.http_limits import TokenBuckets
from moviegraph.observability import log_context
from moviegraph.text import sanitize

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

OWN = "moviegraph"


def print_result(text: str) -> None:
    """Write one line of the answer, and hand it over at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def print_error(text: str, *, event: str = "log", level: int = logging.ERROR) -> None:
    """Write for the operator; names of data and messages of drivers may stand in it.

    Where the log is one of JSON lines, it is such a line too, of this event and level.
    """
    lines = _json_lines()
    if lines is not None:
        members = {"name": OWN, "levelno": level, "levelname": logging.getLevelName(level)}
        message = {"msg": " ".join(text.split()), "facts": {"event": event}}
        text = lines.format(logging.makeLogRecord(members | message))
    sys.stderr.write(sanitize(text) + "\n")
    sys.stderr.flush()


def _json_lines() -> JsonLines | None:
    formatters = (handler.formatter for handler in logging.getLogger().handlers)
    return next((each for each in formatters if isinstance(each, JsonLines)), None)


def log_to_stderr(form: str = "text", level: str = "warning") -> None:
    """Send the log to standard error before any library sets it up otherwise.

    Args:
        form: "text" or "json": one line a record in either.
        level: From which level on our own records are written. Those of libraries are written from
            warnings on: below, they tell of addresses and texts that belong into no log.
    """
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(JsonLines() if form == "json" else TextLines())
    lines.addFilter(RepeatFilter())
    logging.basicConfig(level=logging.WARNING, handlers=[lines])
    logging.getLogger(OWN).setLevel(level.upper())
    logging.captureWarnings(True)


REPEATED = ("event",)
DEEPEST = 30


class TextLines(logging.Formatter):
    """Level and message for people, then what it belongs to, as `name=value`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        facts = _facts(record)
        if facts.get("event") == "incident":  # its message says these already
            facts = {name: facts[name] for name in facts if name not in ("reference", "where")}
        tail = "".join(
            f" {name}={_word(value)}" for name, value in facts.items() if name not in REPEATED
        )
        return f"{record.levelname} {plain(record.getMessage())}{tail}"


class JsonLines(logging.Formatter):
    """An object for programs: time, level, event, message, and what it belongs to."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        facts = _facts(record)
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {
            "time": time.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "event": facts.pop("event", "log"),
            "logger": record.name,
            "message": plain(record.getMessage()),
            **facts,
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
    facts = {**log_context(), **cast("Mapping[str, Any]", getattr(record, "facts", {}))}
    span = get_current_span().get_span_context()
    if span.is_valid:
        facts |= {"trace_id": f"{span.trace_id:032x}", "span_id": f"{span.span_id:016x}"}
    if record.exc_info and record.exc_info[1] is not None:
        facts["exception"] = _raised(record.exc_info[1])
    return {name: value for name, value in facts.items() if value is not None}


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


LIBRARY = "uvicorn.error"
A_MINUTE = 1


class RepeatFilter(logging.Filter):
    """Lets each warning of the HTTP library through once a minute; `left_out` counts the rest.

    They tell of what is no request that could be counted or refused: bytes that are no HTTP,
    upgrades, connections beyond the bound. Their texts are constants, so few that all are kept.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._buckets = TokenBuckets(A_MINUTE, 1, clock)
        self._left_out = Counter[str]()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is written."""
        if record.name != LIBRARY or record.levelno != logging.WARNING:
            return True
        if self._buckets.take(record.msg):
            self._left_out[record.msg] += 1
            return False
        if left_out := self._left_out.pop(record.msg, 0):
            vars(record)["facts"] = {"left_out": left_out}
        return True


Progress = Callable[[str, int, int], None]
PAUSE = 10.0


@contextmanager
def show_progress() -> Generator[Progress]:
    """Give what to call with stage, done and total."""
    if not sys.stderr.isatty():
        yield Lines().show
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description:<16}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(compact=True),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        yield _Drawn(bars).show


class Lines:
    """A line for each stage, and one more whenever some seconds have passed."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._stage = ""
        self._due = 0.0

    def show(self, stage: str, done: int, total: int) -> None:
        """Write a line if one is due."""
        now = self._clock()
        if stage == self._stage and now < self._due:
            return
        part = f": {100 * done // total} %" if stage == self._stage and total else ""
        print_error(f"{stage}{part}")
        self._stage, self._due = stage, now + PAUSE


class _Drawn:
    """A bar for each stage."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}

    def show(self, stage: str, done: int, total: int) -> None:
        if stage not in self._tasks:
            self._tasks[stage] = self._bars.add_task(stage, total=total)
        self._bars.update(self._tasks[stage], completed=done, total=total)
