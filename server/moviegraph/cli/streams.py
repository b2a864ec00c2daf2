"""Where commands write: answers to standard output, everything else to standard error."""

import logging
import sys

from moviegraph.cleaning import clean
from moviegraph.cli.log_lines import JsonLines, TextLines

OWN = "moviegraph"


def answer(text: str) -> None:
    """Write one line of the answer, and hand it over at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def complain(text: str) -> None:
    """Write one line for the operator; names of data and messages of drivers may stand in it."""
    sys.stderr.write(clean(text) + "\n")
    sys.stderr.flush()


def log_to_stderr(form: str = "text", level: str = "warning") -> None:
    """Send the log to standard error before any library sets it up otherwise.

    Args:
        form: "text" or "json": one line a record in either.
        level: From which level on our own records are written. Those of libraries are written from
            warnings on: below, they tell of addresses and texts that belong into no log.
    """
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(JsonLines() if form == "json" else TextLines())
    logging.basicConfig(level=logging.WARNING, handlers=[lines])
    logging.getLogger(OWN).setLevel(level.upper())
    logging.captureWarnings(True)
