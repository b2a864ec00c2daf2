"""Which statements answer the same each time, as long as the data stay as they are."""

from sqlglot import exp

from moviegraph.sql.functions import FUNCTIONS

LOWERED = "__"


def is_repeatable(tree: exp.Query) -> bool:
    """Whether no function in a judged tree could answer otherwise next time.

    One that is given nothing, as those of the clock are, takes its answer from elsewhere.
    """
    return not any(map(_is_given_nothing, tree.find_all(exp.Anonymous)))


def _is_given_nothing(call: exp.Anonymous) -> bool:
    function = FUNCTIONS.get(call.name.removeprefix(LOWERED))
    return function is not None and function.kind == "scalar" and function.high == 0
