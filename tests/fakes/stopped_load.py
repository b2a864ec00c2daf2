"""`moviegraph load` that stops at a step: run as a module, with step and arguments."""

import os
import signal
import sys

from moviegraph.cli import main, streams


def stop_at_step(text: str) -> None:
    """Stop the process when the step is printed."""
    if text.startswith(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGSTOP)


if __name__ == "__main__":
    streams.PAUSE = 0.0
    streams.print_error = stop_at_step
    sys.exit(main(["load", *sys.argv[2:]]))
