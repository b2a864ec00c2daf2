"""Translation of validated T-SQL into DuckDB SQL."""
