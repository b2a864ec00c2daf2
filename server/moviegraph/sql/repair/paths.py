"""FOR PATH: on every table that SHORTEST_PATH repeats, between name and alias, and on no other."""

from collections.abc import Iterator

from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.outline import Select, Source, past_parenthesis


def for_path(broken: Broken) -> Correction | None:
    """Tables that SHORTEST_PATH repeats are FOR PATH, right behind their name, and no others."""
    edits: list[Edit] = []
    for select in broken.selects:
        repeated = set(_repeated(broken, select))
        for source in select.sources:
            edits += _listed(broken, source, repeats=source.alias.lower() in repeated)
    return corrected(edits, "What SHORTEST_PATH repeats is listed FOR PATH, its anchor is not.")


def _repeated(broken: Broken, select: Select) -> Iterator[str]:
    """Yield the names in the parentheses that repeat, in every SHORTEST_PATH of one SELECT."""
    for call in broken.calls("SHORTEST_PATH"):
        if broken.around(call.at)[:1] != [select]:
            continue
        at = call.at + 2
        while at < call.last - 1 and (broken.upper(at) != "(" or _is_last_node(broken, at)):
            at += 1
        end = past_parenthesis(broken.pieces, at) if broken.upper(at) == "(" else at
        yield from (piece.name.lower() for piece in broken.pieces[at:end] if piece.is_name)


def _is_last_node(broken: Broken, at: int) -> bool:
    return broken.upper(at - 1) == "LAST_NODE"


def _listed(broken: Broken, source: Source, *, repeats: bool) -> list[Edit]:
    if not source.parts:
        return []
    edits: list[Edit] = []
    name_end = source.parts[-1].end
    if source.path is not None:
        first, last = broken.pieces[source.path.first], broken.pieces[source.path.last - 1]
        before = broken.pieces[source.path.first - 1].end
        if repeats and before == name_end:
            return []
        edits.append(Edit(min(before, first.start), last.end, ""))
    if repeats:
        edits.append(Edit(name_end, name_end, " FOR PATH"))
    return edits
