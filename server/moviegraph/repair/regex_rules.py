"""Rules made of regular expressions on a statement without its literals."""

import re
from collections.abc import Callable
from types import FunctionType
from typing import cast

from moviegraph.repair.context import Correction, Edit, RefusedStatement, correct

PARENTHESES = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
TEXT = r"N?'[^']*'"
Replacement = str | Callable[[RefusedStatement, list[str]], str | None]


def regex_rule(name: str, doc: str, why: str, *forms: tuple[str, Replacement]) -> FunctionType:
    r"""Return a rule of pairs of an expression and its replacement.

    The expressions are matched on the text in upper case, with an x for each character of a
    literal, _ for each of a delimited name and spaces for comments. In a replacement {1} is the
    first group as it was written; a function gets all groups, and returns None to leave it.

    `doc` is the effect, then an example; `why` says why the change keeps the meaning.
    """
    compiled = [(re.compile(form, re.DOTALL), replacement) for form, replacement in forms]

    def rule(statement: RefusedStatement) -> Correction | None:
        edits: list[Edit] = []
        for form, replacement in compiled:
            for match in form.finditer(statement.masked):
                spans = [match.span(number) for number in range(len(match.groups()) + 1)]
                groups = [statement.sql[slice(*span)] if span[0] >= 0 else "" for span in spans]
                is_form = isinstance(replacement, str)
                text = replacement.format(*groups) if is_form else replacement(statement, groups)
                if text is not None:
                    edits.append(Edit(*match.span(), text))
        return correct(edits, why)

    rule.__name__, rule.__doc__ = name, doc
    return cast("FunctionType", rule)
