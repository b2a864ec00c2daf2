"""The result codes of SQLite, without what they say beyond the kind of a failure."""

PRIMARY = 0xFF  # the last byte of a result code: https://www.sqlite.org/rescode.html


def primary_code(error: Exception) -> int | None:
    """Return the kind of a failure; None for an error that is not SQLite's own."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & PRIMARY
