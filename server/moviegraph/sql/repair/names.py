"""Names of tables, schemas and aliases."""

import re

from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.nearness import folded, meant, same_word
from moviegraph.sql.repair.outline import Source

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
        right = meant(name, broken.contract.table_names) or _synonym(broken, name)
        if right is not None:
            wrong[name.lower()] = right
    edits = [
        Edit(piece.start, piece.end, wrong[piece.name.lower()])
        for at, piece in enumerate(broken.pieces)
        if piece.is_name and piece.name.lower() in wrong and _names_table(broken, at)
    ]
    return corrected(edits, "The contract spells the table so.")


def _synonym(broken: Broken, name: str) -> str | None:
    """Return the node table that the contract describes by this very word, and finds by it."""
    word = folded(name)
    forms = {word, word.removesuffix("s")}
    keywords = [(each.table, folded(each.word)) for each in broken.contract.glossary.keywords]
    found = [
        node.name
        for node in broken.contract.nodes
        if forms & {word for table, word in keywords if table == node.name}
        and forms & {folded(each) for each in re.findall(r"\w+", node.description)}
    ]
    return found[0] if len(found) == 1 else None


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
        if found:
            return found[0].alias if len(found) == 1 else None
    return None


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
