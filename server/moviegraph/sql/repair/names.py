"""Names of tables, schemas and aliases."""

import re

from moviegraph.contract.model import Contract
from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.nearness import folded, meant, same_word
from moviegraph.sql.repair.outline import Source

AFFIX = re.compile(r"^(?:tbl|dim|fact|node|edge)_?|_?(?:nodes?|edges?|table|tbl)$", re.IGNORECASE)
MOST_SOURCES = 5
SYSTEM_SCHEMAS = frozenset({"sys", "information_schema", "master", "tempdb", "msdb", "model"})


def foreign_schema(broken: Broken) -> Correction | None:
    """The schema of another dialect before a table of the contract is dropped."""
    schema = broken.contract.schema_name.lower()
    edits = [
        Edit(source.parts[0].start, source.parts[1].start, "")
        for source in broken.sources
        if len(source.parts) == 2
        and source.parts[0].name.lower() not in SYSTEM_SCHEMAS | {schema}
        and _is_table(broken, source.table)
    ]
    return corrected(edits, f"The only schema is {broken.contract.schema_name}.")


def _is_table(broken: Broken, name: str) -> bool:
    return same_word(name, broken.contract.table_names) is not None


def unknown_tables(broken: Broken) -> Correction | None:
    """A misspelt or plural table name becomes the one it must mean."""
    wrong: dict[str, str] = {}
    for name in (*(source.table for source in broken.sources), *_ranked_tables(broken)):
        known = broken.contract.node(name) or broken.contract.edge(name)
        if known or not name or name.lower() in broken.cte_names:
            continue
        right = (
            same_word(name, broken.cte_names)
            or meant(name, broken.contract.table_names)
            or _synonym(broken, name)
            or _without_affix(broken, name)
        )
        if right is not None:
            wrong[name.lower()] = right
    edits = [
        Edit(piece.start, piece.end, wrong[piece.name.lower()])
        for at, piece in enumerate(broken.pieces)
        if piece.is_name and piece.name.lower() in wrong and _names_table(broken, at)
    ]
    return corrected(edits, "The contract spells the table so.")


def _without_affix(broken: Broken, name: str) -> str | None:
    """Return the table that is left of tbl_Movie, MovieNode or movies_table."""
    bare = AFFIX.sub("", name)
    return same_word(bare, broken.contract.table_names) if bare != name else None


def names_of(contract: Contract, table: str) -> set[str]:
    """Return the folded names that a table has in the contract and its glossary."""
    return {folded(table), *(folded(e.word) for e in contract.glossary.tables if e.table == table)}


def _synonym(broken: Broken, name: str) -> str | None:
    """Return the one table that the contract's glossary knows by that name."""
    found = tables_called(broken.contract, name)
    return found[0] if len(found) == 1 else None


def tables_called(contract: Contract, name: str) -> list[str]:
    """Return the tables that the glossary, or their description by a keyword, call so."""
    called = [e.table for e in contract.glossary.tables if same_word(name, [e.word])]
    if called:
        return list(dict.fromkeys(called))
    words = [e.table for e in contract.glossary.keywords if same_word(name, [e.word])]
    return [
        node.name
        for node in contract.nodes
        if node.name in words and same_word(name, re.findall(r"\w+", node.description.lower()))
    ]


def _ranked_tables(broken: Broken) -> list[str]:
    """Return the first arguments of CONTAINSTABLE and FREETEXTTABLE."""
    return [
        broken.pieces[call.arguments[0].last - 1].name
        for call in broken.calls("CONTAINSTABLE", "FREETEXTTABLE")
        if call.arguments
    ]


def _names_table(broken: Broken, at: int) -> bool:
    piece = broken.pieces[at]
    stands = any(source.parts and source.parts[-1] is piece for source in broken.sources)
    ranked = broken.upper(at - 1) == "(" and broken.upper(at - 2).endswith("TABLE")
    ranked = ranked or (broken.upper(at - 1) == "." and broken.upper(at - 4).endswith("TABLE"))
    inside_match = broken.upper(at - 1) in ("(", "->", "-", "<-") and any(
        call.at < at < call.last for call in broken.calls("MATCH")
    )
    return stands or ranked or inside_match or broken.upper(at + 1) == "."


def table_as_alias(broken: Broken) -> Correction | None:
    """A table that has an alias is known by it alone: Movie.Name is m.Name."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        if not piece.is_name or broken.upper(at + 1) != "." or broken.upper(at - 1) == ".":
            continue
        if any(source.parts and source.parts[0] is piece for source in broken.sources):
            continue
        alias = _alias_of(broken, piece.name, at)
        if alias is not None:
            edits.append(Edit(piece.start, piece.end, alias))
    return corrected(edits, "A table with an alias is known by the alias only.")


def _alias_of(broken: Broken, name: str, at: int) -> str | None:
    """Return the alias of the one source of that table, where the name itself is none."""
    if broken.source_of(name, at) is not None:
        return None
    for select in broken.around(at):
        found = [s for s in select.sources if s.table.lower() == name.lower()]
        found = found or [s for s in select.sources if _is_called(broken, name, s.table)]
        if found:
            return found[0].alias if len(found) == 1 else None
    return None


def _is_called(broken: Broken, name: str, table: str) -> bool:
    """Whether a name is a plural or another name of a table, and no table of its own."""
    called = same_word(name, broken.contract.table_names) or _synonym(broken, name)
    return called is not None and called.lower() == table.lower()


def missing_alias(broken: Broken) -> Correction | None:
    """An alias that columns use and no table has goes to the one table without an alias."""
    at = broken.at_span()
    if at is None or at < 2 or broken.upper(at - 1) != ".":
        return None
    alias = broken.pieces[at - 2].name
    for select in broken.around(at):
        bare = [s for s in select.sources if s.parts and s.alias_at is None]
        source = _fitting(bare, alias)
        if source is not None and alias.lower() not in broken.aliases:
            end = source.parts[-1].end
            why = f"{alias} is the alias that the columns use."
            return corrected([Edit(end, end, f" AS {broken.pieces[at - 2].text}")], why)
    return None


def _fitting(bare: list[Source], alias: str) -> Source | None:
    """Return the only source, or the only one that begins with the alias."""
    if len(bare) == 1:
        return bare[0]
    starting = [s for s in bare if s.table.lower().startswith(alias.lower()[:1])]
    return starting[0] if len(starting) == 1 else None


def near_alias(broken: Broken) -> Correction | None:
    """An alias that no table has is the one table that it abbreviates, where none else fits."""
    at = broken.at_span()
    if at is None or at < 2 or broken.upper(at - 1) != "." or not broken.around(at):
        return None
    wrong, select = broken.pieces[at - 2].name.lower(), broken.around(at)[0]
    derived = any(source.range.first + 1 == select.first for source in broken.sources)
    alone = derived or len(broken.around(at)) == 1
    if wrong in broken.aliases or not alone or len(select.sources) > MOST_SOURCES:
        return None
    places = [
        here
        for here in range(len(broken.pieces) - 2)
        if broken.pieces[here].name.lower() == wrong and broken.upper(here + 1) == "."
    ]
    fitting = [s for s in select.sources if _abbreviates(wrong, s.table)]
    columns = {broken.pieces[here + 2].name.lower() for here in places}
    if len(fitting) != 1 or not all(broken.source_of(fitting[0].alias, p) for p in places):
        return None
    node = broken.node_of(fitting[0])
    rivals = _meets(broken, places, fitting[0].alias)
    if node is None or rivals or not all(node.column(column) for column in columns):
        return None
    edits = [Edit(broken.start(p), broken.pieces[p].end, fitting[0].alias) for p in places]
    return corrected(edits, f"{fitting[0].alias} is the alias of {node.name} here.")


def _abbreviates(alias: str, table: str) -> bool:
    """Whether an alias begins like a table's name and goes on with letters of it, in order."""
    letters = iter(table.lower())
    return table[:1].lower() == alias[:1] and all(letter in letters for letter in alias)


def _meets(broken: Broken, places: list[int], alias: str) -> bool:
    """Whether a comparison has the wrong alias on one side and the right one on the other."""
    for at in places:
        for other in (at + 4, at - 4):
            sign = broken.upper(at + 3 if other > at else at - 1)
            near = broken.pieces[other].name.lower() if 0 <= other < len(broken.pieces) else ""
            if near == alias.lower() and sign in ("=", "<>", "!=", "<", ">", "<=", ">="):
                return True
    return False
