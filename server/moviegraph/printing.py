"""Text that is safe to print: records and statements may hold any character."""


def printable(text: str) -> str:
    """Return text without characters that steer a terminal."""
    return "".join(char if char == "\n" or char.isprintable() else " " for char in text)
