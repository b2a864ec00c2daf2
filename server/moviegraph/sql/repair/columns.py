"""Names of columns: synonyms, typos, and keys that edges do not have."""

from collections.abc import Iterator

from moviegraph.contract.model import EdgeTable, NodeTable
from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.names import names_of
from moviegraph.sql.repair.nearness import folded, meant
from moviegraph.sql.repair.outline import Source

LABEL_WORDS = frozenset({"title", "label", "name", "caption", "fullname"})
TEXT_WORDS = frozenset(
    """
    plot description overview text summary synopsis content body storyline abstract story
    plotsummary
    """.split()
)
VECTOR_WORDS = frozenset(
    """
    vector vec embeddings embedding contentembedding contentvector textembedding embeddingvector
    """.split()
)
VALUED = frozenset({"GENERATE_SERIES", "STRING_SPLIT"})
YEAR_WORDS = frozenset({"released", "release"})
KEY_WORDS = frozenset({"id", "key", "uid", "pk", "identifier", "nodeid"})
FROM_WORDS = frozenset({"from", "fromid", "source", "sourceid", "start", "startid"})
TO_WORDS = frozenset({"to", "toid", "target", "targetid", "end", "endid", "destination"})


def unknown_column(broken: Broken) -> Correction | None:
    """A synonym or a typo becomes the column that it must mean, wherever it stands."""
    at = broken.at_span()
    if at is None or not broken.pieces[at].is_name:
        return None
    name = broken.pieces[at].name
    found = _target(broken, at, name)
    if found is None:
        return None
    column, owner = found
    places = [at] if name.lower() in broken.output_names else _same(broken, at, name)
    edits = [Edit(p.start, p.end, column) for p in (broken.pieces[each] for each in places)]
    if owner is not None and broken.upper(at - 1) != ".":
        piece = broken.pieces[at]
        edits = [Edit(piece.start, piece.end, f"{owner.alias}.{column}")]
    return corrected(edits, f"The contract's column for {name} is {column}.")


def node_columns(broken: Broken) -> Correction | None:
    """Qualified columns that their node has not become those that they must mean."""
    found = dict(_foreign(broken))
    edits = [Edit(broken.start(at), broken.pieces[at].end, name) for at, name in found.items()]
    said = {broken.pieces[at].name: name for at, name in found.items()}
    whys = (f"The contract's column for {name} is {known}." for name, known in said.items())
    return corrected(edits, " ".join(whys))


def _foreign(broken: Broken) -> Iterator[tuple[int, str]]:
    """Yield qualified columns of the root that their node has not, and what they must mean.

    One of a CTE is mended where the guard points at it, with what is read of it outside.
    """
    for at in range(2, len(broken.pieces)):
        piece = broken.pieces[at]
        qualified = piece.is_name and broken.upper(at - 1) == "." and broken.upper(at + 1) != "("
        if not qualified or piece.name.startswith("$"):
            continue
        if [select.depth for select in broken.around(at)] != [0]:
            continue
        node = broken.node_of(broken.source_of(broken.pieces[at - 2].name, at))
        if node is not None and node.column(piece.name) is None:
            column = column_meant(node, piece.name)
            if column is not None:
                yield at, column


def _target(broken: Broken, at: int, name: str) -> tuple[str, Source | None] | None:
    """Return the column meant, and its source where a bare name would be ambiguous."""
    if broken.upper(at - 1) == ".":
        source = broken.source_of(broken.pieces[at - 2].name, at)
        node = broken.node_of(source)
        column = column_meant(node, name) if node else _derived(broken, source, name)
        return (column, None) if column else None
    for select in broken.around(at)[:1]:
        if len(select.sources) == 1 and broken.node_of(select.sources[0]) is None:
            column = _derived(broken, select.sources[0], name)
            return (column, None) if column else None
        found = [
            (column, source)
            for source in select.sources
            if (node := broken.node_of(source)) and (column := column_meant(node, name))
        ]
        if len(found) == 1:
            column, source = found[0]
            shared = [s for s in select.sources if _holds(broken, s, column)]
            return (column, source if len(shared) > 1 else None)
        described = [each for each in found if _described(broken, each[1], each[0], name)]
        if len(described) == 1:
            return described[0]
    return None


def table_value(broken: Broken) -> Correction | None:
    """The alias of GENERATE_SERIES or STRING_SPLIT, used as a column, is its column value."""
    at = broken.at_span()
    name = broken.pieces[at].name.lower() if at is not None else ""
    source = broken.source_of(name, at) if at is not None and broken.upper(at - 1) != "." else None
    if source is None or source.parts or broken.upper(source.range.first) not in VALUED:
        return None
    edits = [
        Edit(piece.end, piece.end, ".value")
        for here, piece in enumerate(broken.pieces)
        if piece.is_name
        and piece.name.lower() == name
        and here not in source.range
        and broken.upper(here + 1) not in (".", "(")
        and broken.upper(here - 1) not in (".", "AS")
    ]
    return corrected(edits, "The column of such a table is called value.")


def _derived(broken: Broken, source: Source | None, name: str) -> str | None:
    """Return the column of a CTE or subquery, which the refusal suggests."""
    if source is None or broken.edge_of(source) is not None:
        return None
    return meant(name, broken.suggestions)


def _holds(broken: Broken, source: Source, column: str) -> bool:
    node = broken.node_of(source)
    return node is not None and node.column(column) is not None


def _described(broken: Broken, source: Source, column: str, name: str) -> bool:
    """Whether the contract describes the column by this very word."""
    node = broken.node_of(source)
    found = node.column(column) if node else None
    return found is not None and name.lower() in found.description.lower().split()


def column_meant(node: NodeTable, name: str) -> str | None:
    """Return the column of a node table that a name must mean, or None."""
    word = folded(name)
    table = folded(node.name)
    if word.startswith(table) and len(word) > len(table):
        word = word.removeprefix(table)
    for words, column in (
        (LABEL_WORDS, node.label),
        (TEXT_WORDS, node.text),
        (VECTOR_WORDS, node.vector),
        (KEY_WORDS, node.key),
    ):
        if word in words:
            return column
    known = [column.name for column in node.columns]
    exact = [each for each in known if folded(each) in (word, folded(name))]
    if len(exact) == 1:
        return exact[0]
    if "year" in word or word in YEAR_WORDS:
        years = [each for each in known if "year" in each.lower()]
        return years[0] if len(years) == 1 else None
    return meant(name, known)


def _same(broken: Broken, at: int, name: str) -> list[int]:
    """Return where the same column stands: in tables of the same kind, or carried out of them."""
    wanted = _owner(broken, at)
    return [
        here
        for here, piece in enumerate(broken.pieces)
        if piece.is_name
        and piece.name.lower() == name.lower()
        and _is_column(broken, here)
        and (here == at or _owner(broken, here) in (wanted, "", None))
    ]


def _is_column(broken: Broken, at: int) -> bool:
    called = broken.upper(at + 1) in ("(", ".")
    return not called and broken.upper(at - 1) not in ("AS", "@", ")")


def _owner(broken: Broken, at: int) -> str | None:
    """Return the node table of a qualified column, '' for a derived one, None where unqualified."""
    if broken.upper(at - 1) != ".":
        return None
    source = broken.source_of(broken.pieces[at - 2].name, at)
    node = broken.node_of(source)
    if node is not None:
        return node.name
    return "" if source is not None and broken.edge_of(source) is None else "?"


def edge_keys(broken: Broken) -> Correction | None:
    """An edge has no keys of its own: e.MovieId = m.Id is e.$from_id = m.$node_id."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        if piece.upper != "=" or at < 3 or at + 3 >= len(broken.pieces):
            continue
        for mine, other in ((at - 3, at + 1), (at + 1, at - 3)):
            edits += _joined(broken, mine, other)
    return corrected(edits, "Edges join by $from_id and $to_id to the $node_id of nodes.")


def edge_end(broken: Broken) -> Correction | None:
    """e.MovieId of an edge, wherever it stands, is the end of the edge at that table."""
    edits: list[Edit] = []
    for at in range(2, len(broken.pieces)):
        piece = broken.pieces[at]
        named = piece.is_name and broken.upper(at - 1) == "." and not piece.name.startswith("$")
        edge = broken.edge_of(broken.source_of(broken.pieces[at - 2].name, at)) if named else None
        if edge is None:
            continue
        word = folded(piece.name)
        found = {
            end
            for pair in edge.pairs
            for end, table in (("$from_id", pair.from_table), ("$to_id", pair.to_table))
            if word.removesuffix("id") in names_of(broken.contract, table) and word.endswith("id")
        }
        if len(found) == 1:
            edits.append(Edit(piece.start, piece.end, found.pop()))
    return corrected(edits, "An edge knows its ends as $from_id and $to_id.")


def _joined(broken: Broken, mine: int, other: int) -> Iterator[Edit]:
    """Read `edge.column` at one number and `node.key` at the other."""
    if broken.upper(mine + 1) != "." or broken.upper(other + 1) != ".":
        return
    edge = broken.edge_of(broken.source_of(broken.pieces[mine].name, mine))
    node = broken.node_of(broken.source_of(broken.pieces[other].name, other))
    if edge is None or node is None:
        return
    column, key = broken.pieces[mine + 2], broken.pieces[other + 2]
    called = {f"{name}id" for name in names_of(broken.contract, node.name)}
    keys = {node.key.lower(), "$nodeid", "nodeid"} | called
    end = _end(broken, edge, node.name, folded(column.name))
    if end is None or folded(key.name) not in keys:
        return
    if column.name.lower() == end and key.name.lower() == "$node_id":
        return
    yield Edit(column.start, column.end, end)
    yield Edit(key.start, key.end, "$node_id")


def _end(broken: Broken, edge: EdgeTable, node: str, word: str) -> str | None:
    """Return the pseudo-column that a made-up key of an edge means, given the node it meets."""
    word = word.removeprefix("$")
    starts = {pair.from_table for pair in edge.pairs}
    ends = {pair.to_table for pair in edge.pairs}
    called = names_of(broken.contract, node)
    for end, tables, words in (("$from_id", starts, FROM_WORDS), ("$to_id", ends, TO_WORDS)):
        if node not in tables:
            continue
        named = word in words or word == "id" or word in called or word[:-2] in called
        if named and (node not in starts & ends or word in words):
            return end
    return None
