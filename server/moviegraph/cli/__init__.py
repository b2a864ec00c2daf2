"""The command line: one module a subcommand, each importing what it needs when it runs."""

import os
import sys
from pathlib import Path

INTERRUPTED = 130
THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def main(arguments: list[str] | None = None) -> int:
    """Run one command, and return its exit status; 2 is for wrong usage or settings."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed, and the next file opened would take its number
            stream = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - until the end
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
    for variable in THREAD_VARIABLES:  # before numpy is imported: calls run beside each other
        os.environ.setdefault(variable, "1")
    try:
        from moviegraph.cli.commands import run  # of much: an interrupt may come during it

        return run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
