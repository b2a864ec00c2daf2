"""Entry point for bundles that start a file."""

import sys

from moviegraph.cli import main

sys.exit(main())
