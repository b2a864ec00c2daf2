"""Search, traversal, free SQL and strategies over an engine."""
