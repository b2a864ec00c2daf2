"""The command line: one module a subcommand, each importing what it needs when it runs."""

import os
import sys

THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def main(arguments: list[str] | None = None) -> int:
    """Run one command, and return its exit status; 2 is for wrong usage or settings."""
    for variable in THREAD_VARIABLES:  # before numpy is imported: calls run beside each other
        os.environ.setdefault(variable, "1")
    from moviegraph.cli.commands import run

    return run(sys.argv[1:] if arguments is None else arguments)
