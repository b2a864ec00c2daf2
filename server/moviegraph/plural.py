"""A number together with its noun."""


def plural(number: int, one: str, many: str | None = None) -> str:
    """Return such as "1 row" or "2,000 rows"; `many` where it is not `one` with an s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
