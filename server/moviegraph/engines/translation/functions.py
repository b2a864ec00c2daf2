"""Every scalar function that the embedded engine reproduces; any other is refused by name."""

from moviegraph.engines.translation.bits import BITS
from moviegraph.engines.translation.calls import Call, Translation
from moviegraph.engines.translation.dates import DATES
from moviegraph.engines.translation.json_texts import JSON
from moviegraph.engines.translation.logic import LOGIC
from moviegraph.engines.translation.made_dates import MADE_DATES
from moviegraph.engines.translation.nodes import Node, unsupported
from moviegraph.engines.translation.numbers import NUMBERS
from moviegraph.engines.translation.phonetics import PHONETICS
from moviegraph.engines.translation.regexes import REGEXES
from moviegraph.engines.translation.texts import TEXTS

SCALARS: dict[str, Translation] = {
    **TEXTS,
    **PHONETICS,
    **REGEXES,
    **NUMBERS,
    **BITS,
    **LOGIC,
    **DATES,
    **MADE_DATES,
    **JSON,
}


def translate_scalar(given: Call) -> Node:
    """Translate the call of a scalar function.

    Raises:
        ExecutionError: The engine has no such function.
    """
    translation = SCALARS.get(given.name)
    if translation is None:
        raise unsupported(f"function {given.name}")
    return translation(given)
