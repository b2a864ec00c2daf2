"""The append-only record of every execution."""
