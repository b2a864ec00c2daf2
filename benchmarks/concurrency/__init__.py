"""Load over HTTP."""
