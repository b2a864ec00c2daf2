"""SOUNDEX and DIFFERENCE, which compare how words sound in English."""

from sqlglot import exp

from moviegraph.engines.translation.calls import Call, Translation
from moviegraph.engines.translation.nodes import (
    Node,
    binary,
    call,
    cast,
    concatenated,
    joined,
    let,
    number,
    text,
    when,
)

WORD = "^[A-Za-z]+"
# H and W are dropped, so that equal codes beside them fall together; a vowel keeps them apart.
LETTERS = "BFPVCGJKQSXZDTLMNRAEIOUYHW"
CODES = "111122222222334556000000"
LENGTH = 4


def _soundex(given: Call) -> Node:
    return let(
        given.text(0), lambda it: _coded(call("upper", call("regexp_extract", it, text(WORD))))
    )


def _coded(word: Node) -> Node:
    first = call("left", word, number(1))
    codes = call("translate", call("substring", word.copy(), number(2)), text(LETTERS), text(CODES))
    codes = joined(call("translate", first.copy(), text(LETTERS), text(CODES + "00")), codes)
    for digit in "123456":
        codes = call("regexp_replace", codes, text(f"{digit}+"), text(digit), text("g"))
    codes = call("replace", call("substring", codes, number(2)), text("0"), text(""))
    made = concatenated(first.copy(), call("rpad", codes, number(LENGTH - 1), text("0")))
    return when(binary(exp.EQ, word.copy(), text("")), text("0" * LENGTH), made)


def _difference(given: Call) -> Node:
    """Count the places at which the two codes agree."""
    second = Call(given.name, given.given[1:], given.arguments[1:])
    return let(concatenated(_soundex(given), _soundex(second)), _agreeing)


def _agreeing(codes: Node) -> Node:
    def letter(at: int) -> Node:
        return call("substring", codes.copy(), number(at), number(1))

    found: Node = number(0)
    for at in range(1, LENGTH + 1):
        same = exp.EQ(this=letter(at), expression=letter(at + LENGTH))
        found = binary(exp.Add, found, cast(same, "INT"))
    return found


PHONETICS: dict[str, Translation] = {"SOUNDEX": _soundex, "DIFFERENCE": _difference}
