"""Where commands write: answers to standard output, everything else to standard error."""

import logging
import sys

from moviegraph.cleaning import clean


def answer(text: str) -> None:
    """Write one line of the answer, and hand it over at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def complain(text: str) -> None:
    """Write one line for the operator; names of data and messages of drivers may stand in it."""
    sys.stderr.write(clean(text) + "\n")
    sys.stderr.flush()


def log_to_stderr() -> None:
    """Send the log to standard error, plainly, before any library sets it up otherwise."""
    logging.basicConfig(
        level=logging.WARNING, format="%(levelname)s %(message)s", stream=sys.stderr
    )
