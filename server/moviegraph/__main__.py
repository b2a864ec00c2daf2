"""`python -m moviegraph`: the command line."""

import sys

from moviegraph.cli import main

sys.exit(main())
