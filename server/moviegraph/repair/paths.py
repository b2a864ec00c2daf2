"""FOR PATH: on every table that SHORTEST_PATH repeats, between name and alias, and on no other."""

from collections.abc import Iterator

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.outline import Select, SourceTokens, past_parenthesis
from moviegraph.repair.context import RefusedStatement


def for_path(statement: RefusedStatement) -> Correction | None:
    """Tables that SHORTEST_PATH repeats are FOR PATH, right behind their name, and no others."""
    edits: list[Edit] = []
    for select in statement.selects:
        repeated = set(_repeated(statement, select))
        for source in select.sources:
            edits += _listed(statement, source, repeats=source.alias.lower() in repeated)
    return correct(edits, "What SHORTEST_PATH repeats is listed FOR PATH, its anchor is not.")


def _repeated(statement: RefusedStatement, select: Select) -> Iterator[str]:
    """Yield the names in the parentheses that repeat, in every SHORTEST_PATH of one SELECT."""
    for call in statement.calls("SHORTEST_PATH"):
        if statement.around(call.index)[:1] != [select]:
            continue
        index = call.index + 2
        while index < call.last - 1 and (
            statement.upper(index) != "(" or _is_last_node(statement, index)
        ):
            index += 1
        end = past_parenthesis(statement.tokens, index) if statement.upper(index) == "(" else index
        yield from (token.name.lower() for token in statement.tokens[index:end] if token.is_name)


def _is_last_node(statement: RefusedStatement, index: int) -> bool:
    return statement.upper(index - 1) == "LAST_NODE"


def _listed(statement: RefusedStatement, source: SourceTokens, *, repeats: bool) -> list[Edit]:
    if not source.parts:
        return []
    edits: list[Edit] = []
    name_end = source.parts[-1].end
    if source.path is not None:
        first, last = statement.tokens[source.path.first], statement.tokens[source.path.last - 1]
        before = statement.tokens[source.path.first - 1].end
        if repeats and before == name_end:
            return []
        edits.append(Edit(min(before, first.start), last.end, ""))
    if repeats:
        edits.append(Edit(name_end, name_end, " FOR PATH"))
    return edits
