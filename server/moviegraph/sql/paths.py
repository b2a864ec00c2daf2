"""Checks of SHORTEST_PATH: FOR PATH, the anchor, what repeats, and LAST_NODE."""

from collections.abc import Sequence

from moviegraph.contract.model import Contract
from moviegraph.sql.patterns import Chain, Pattern, SameLast, ShortestPath
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.scope import Scope, Source


def check_unit(path: ShortestPath, scope: Scope, contract: Contract) -> None:
    """Refuse a unit that cannot repeat, because it ends at another table than it begins with."""
    start, end = _source(path.start, scope), _source(path.end, scope)
    if start.table == end.table or path.most == 1:
        return
    raise RefusalError(
        "path_shape",
        f"One repetition goes from {start.table} to {end.table}, so a second one could not begin: "
        f"what repeats ends at the table of its anchor. {_way_back(path, start, end, contract)}",
    )


def _way_back(path: ShortestPath, start: Source, end: Source, contract: Contract) -> str:
    """Say how a unit of one hop is continued back to the table of its anchor."""
    edge = _source_edge(contract, start, end)
    if edge is None or len(path.steps) != 1:
        return f"Go on within the parentheses to a {start.table}, or write {{1,1}}."
    step = path.steps[0]
    there = f"-({step.edge})->" if step.forward else f"<-({step.edge})-"
    back = "<-(f)-" if step.forward else "-(f)->"
    return (
        f"Go back within the parentheses: SHORTEST_PATH({path.start}({there}{path.end}{back}o)+), "
        f"with {edge} FOR PATH AS f and {start.table} FOR PATH AS o in FROM."
    )


def _source_edge(contract: Contract, start: Source, end: Source) -> str | None:
    found = contract.between(start.table or "", end.table or "")
    return found[0].name if found else None


def check_paths(patterns: Sequence[Pattern], scope: Scope) -> None:
    """Check what each alias stands for, outside of paths and in them. Raises RefusalError."""
    paths = [each for each in patterns if isinstance(each, ShortestPath)]
    inside: set[str] = set()
    for path in paths:
        _check_unit_aliases(path, scope, inside)
    for key, source in scope.sources.items():
        if source.path and key not in inside:
            raise RefusalError(
                "for_path",
                f"{source.alias} is FOR PATH, and no SHORTEST_PATH repeats it. Take FOR PATH away, "
                "or name it in the parentheses: MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)).",
            )
    ends = {path.end.lower(): path.end for path in paths}
    for pattern in patterns:
        for alias, last in _outside(pattern):
            _check_outside(alias, last, inside, ends)
    _check_order(paths)
    for pattern in patterns:
        if isinstance(pattern, SameLast):
            _check_same(pattern, scope)


def _check_unit_aliases(path: ShortestPath, scope: Scope, inside: set[str]) -> None:
    for step in path.steps:
        for alias in (step.edge, step.node):
            key = alias.lower()
            source = _source(alias, scope)
            if key in inside or key == path.start.lower():
                raise RefusalError(
                    "path_shape",
                    f"{alias} stands twice: the anchor, and each node and edge that repeats, has "
                    f"an alias of its own. List {source.table} FOR PATH once more in FROM.",
                )
            if not source.path:
                raise RefusalError(
                    "for_path",
                    f"{alias} repeats in SHORTEST_PATH, so FROM lists it FOR PATH: "
                    f"{source.table} FOR PATH AS {alias}.",
                )
            inside.add(key)


def _outside(pattern: Pattern) -> list[tuple[str, bool]]:
    """Return each node alias that a pattern names outside of what repeats, and whether as last."""
    if isinstance(pattern, SameLast):
        return [(pattern.left, True), (pattern.right, True)]
    nodes = [(pattern.start, pattern.last)]
    if isinstance(pattern, Chain):
        nodes += [(step.node, step.last) for step in pattern.steps]
    return nodes


def _check_outside(alias: str, last: bool, inside: set[str], ends: dict[str, str]) -> None:
    if last and alias.lower() not in ends:
        known = f"; LAST_NODE takes {' or '.join(ends.values())}" if ends else ""
        raise RefusalError(
            "path_shape", f"No SHORTEST_PATH of this SELECT ends with {alias}{known}."
        )
    if not last and alias.lower() in inside:
        raise RefusalError(
            "path_shape",
            f"{alias} stands for all that a path passes; outside of SHORTEST_PATH write "
            f"LAST_NODE({alias}) for its end, or list the table once more without FOR PATH.",
        )


def _check_order(paths: Sequence[ShortestPath]) -> None:
    """A path may begin where another ends, but not where it would end itself."""
    known: set[str] = set()
    waiting = list(paths)
    while waiting:
        ready = [path for path in waiting if not path.last or path.start.lower() in known]
        if not ready:
            raise RefusalError(
                "path_shape",
                f"The path from LAST_NODE({waiting[0].start}) would begin where it ends itself; "
                "one path begins at a node listed without FOR PATH.",
            )
        known |= {path.end.lower() for path in ready}
        waiting = [path for path in waiting if path not in ready]


def _check_same(pair: SameLast, scope: Scope) -> None:
    left, right = _source(pair.left, scope), _source(pair.right, scope)
    if left is right or left.table != right.table:
        raise RefusalError(
            "path_shape",
            f"LAST_NODE({pair.left}) is a {left.table} and LAST_NODE({pair.right}) a "
            f"{right.table}; two paths meet at one node of one table.",
        )


def _source(alias: str, scope: Scope) -> Source:
    return scope.sources[alias.lower()]
