"""Texts in small letters, as the tables compare them."""

CAPITAL_I_WITH_DOT, CAPITAL_SIGMA, SIGMA = "\u0130", "\u03a3", "\u03c3"


def small(text: str) -> str:
    """Return a text in small letters, each by itself.

    Python makes two of one letter, and another of one at the end of a word; DuckDB does neither.
    """
    plain = text.replace(CAPITAL_I_WITH_DOT, "i").replace(CAPITAL_SIGMA, SIGMA)
    return plain.lower()
