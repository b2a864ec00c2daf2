"""`moviegraph load` as a process that tells every step: run as a module, with the arguments."""

import sys

from moviegraph.cli import main, progress

if __name__ == "__main__":
    progress.PAUSE = 0.0
    sys.exit(main(["load", *sys.argv[1:]]))
