"""Where commands write: answers to standard output, everything else to standard error."""

import logging
import sys

from moviegraph.cli.log_lines import JsonLines, TextLines
from moviegraph.cli.sparing import Sparing
from moviegraph.text import clean

OWN = "moviegraph"


def answer(text: str) -> None:
    """Write one line of the answer, and hand it over at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def complain(text: str, *, event: str = "log", level: int = logging.ERROR) -> None:
    """Write for the operator; names of data and messages of drivers may stand in it.

    Where the log is one of JSON lines, it is such a line too, of this event and level.
    """
    lines = _json_lines()
    if lines is not None:
        told = {"name": OWN, "levelno": level, "levelname": logging.getLevelName(level)}
        message = {"msg": " ".join(text.split()), "facts": {"event": event}}
        text = lines.format(logging.makeLogRecord(told | message))
    sys.stderr.write(clean(text) + "\n")
    sys.stderr.flush()


def _json_lines() -> JsonLines | None:
    found = (handler.formatter for handler in logging.getLogger().handlers)
    return next((each for each in found if isinstance(each, JsonLines)), None)


def log_to_stderr(form: str = "text", level: str = "warning") -> None:
    """Send the log to standard error before any library sets it up otherwise.

    Args:
        form: "text" or "json": one line a record in either.
        level: From which level on our own records are written. Those of libraries are written from
            warnings on: below, they tell of addresses and texts that belong into no log.
    """
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(JsonLines() if form == "json" else TextLines())
    lines.addFilter(Sparing())
    logging.basicConfig(level=logging.WARNING, handlers=[lines])
    logging.getLogger(OWN).setLevel(level.upper())
    logging.captureWarnings(True)
