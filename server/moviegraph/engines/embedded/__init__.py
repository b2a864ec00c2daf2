"""The embedded engine: DuckDB for SQL, SQLite for full text, numpy for vectors and paths."""
