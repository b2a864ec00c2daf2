"""Judged T-SQL trees rewritten for DuckDB, with SQL Server's semantics."""
