"""Rules that turn a refused statement into one that asks the same and is allowed."""
