"""How often the interpreter looks for objects that only hold each other."""

import gc

YOUNG, MIDDLE, ALL = 10_000, 10, 10


def collect_seldom() -> None:
    """Let more objects come into being before each look at them.

    A look at all that lives takes the better part of a tenth of a second, for which every call
    waits, and as the interpreter comes, it does so every few hundred calls.

    Source: https://docs.python.org/3/library/gc.html#gc.set_threshold
    """
    gc.set_threshold(YOUNG, MIDDLE, ALL)
