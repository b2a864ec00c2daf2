"""Text that is safe to print: records and statements may hold any character."""

from moviegraph.cleaning import clean


def printable(text: str) -> str:
    """Return text without what steers a terminal or shows nothing, tabs as blanks."""
    return clean(text).replace("\t", " ")
