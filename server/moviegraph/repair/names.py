"""Names of tables, schemas and aliases."""

import re

from moviegraph.contract.model import Contract
from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.nearness import closest_name, fold_name, same_word
from moviegraph.repair.outline import SourceTokens
from moviegraph.repair.context import RefusedStatement

AFFIX = re.compile(r"^(?:tbl|dim|fact|node|edge)_?|_?(?:nodes?|edges?|table|tbl)$", re.IGNORECASE)
MOST_SOURCES = 5
SYSTEM_SCHEMAS = frozenset({"sys", "information_schema", "master", "tempdb", "msdb", "model"})


def foreign_schema(statement: RefusedStatement) -> Correction | None:
    """The schema of another dialect before a table of the contract is dropped."""
    schema = statement.contract.schema_name.lower()
    edits = [
        Edit(source.parts[0].start, source.parts[1].start, "")
        for source in statement.sources
        if len(source.parts) == 2
        and source.parts[0].name.lower() not in SYSTEM_SCHEMAS | {schema}
        and _is_table(statement, source.table)
    ]
    return correct(edits, f"The only schema is {statement.contract.schema_name}.")


def _is_table(statement: RefusedStatement, name: str) -> bool:
    return same_word(name, statement.contract.table_names) is not None


def unknown_tables(statement: RefusedStatement) -> Correction | None:
    """A misspelt or plural table name becomes the one it must mean."""
    wrong: dict[str, str] = {}
    for name in (*(source.table for source in statement.sources), *_ranked_tables(statement)):
        known = statement.contract.node(name) or statement.contract.edge(name)
        if known or not name or name.lower() in statement.cte_names:
            continue
        right = (
            same_word(name, statement.cte_names)
            or closest_name(name, statement.contract.table_names)
            or _synonym(statement, name)
            or _without_affix(statement, name)
        )
        if right is not None:
            wrong[name.lower()] = right
    edits = [
        Edit(token.start, token.end, wrong[token.name.lower()])
        for index, token in enumerate(statement.tokens)
        if token.is_name and token.name.lower() in wrong and _names_table(statement, index)
    ]
    return correct(edits, "The contract spells the table so.")


def _without_affix(statement: RefusedStatement, name: str) -> str | None:
    """Return the table that is left of tbl_Movie, MovieNode or movies_table."""
    bare = AFFIX.sub("", name)
    return same_word(bare, statement.contract.table_names) if bare != name else None


def names_of(contract: Contract, table: str) -> set[str]:
    """Return the folded names that a table has in the contract and its glossary."""
    return {
        fold_name(table),
        *(fold_name(e.word) for e in contract.glossary.tables if e.table == table),
    }


def _synonym(statement: RefusedStatement, name: str) -> str | None:
    """Return the one table that the contract's glossary knows by that name."""
    found = tables_called(statement.contract, name)
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


def _ranked_tables(statement: RefusedStatement) -> list[str]:
    """Return the first arguments of CONTAINSTABLE and FREETEXTTABLE."""
    return [
        statement.tokens[call.arguments[0].last - 1].name
        for call in statement.calls("CONTAINSTABLE", "FREETEXTTABLE")
        if call.arguments
    ]


def _names_table(statement: RefusedStatement, index: int) -> bool:
    token = statement.tokens[index]
    stands = any(source.parts and source.parts[-1] is token for source in statement.sources)
    ranked = statement.upper(index - 1) == "(" and statement.upper(index - 2).endswith("TABLE")
    ranked = ranked or (
        statement.upper(index - 1) == "." and statement.upper(index - 4).endswith("TABLE")
    )
    inside_match = statement.upper(index - 1) in ("(", "->", "-", "<-") and any(
        call.index < index < call.last for call in statement.calls("MATCH")
    )
    return stands or ranked or inside_match or statement.upper(index + 1) == "."


def table_as_alias(statement: RefusedStatement) -> Correction | None:
    """A table that has an alias is known by it alone: Movie.Name is m.Name."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        if (
            not token.is_name
            or statement.upper(index + 1) != "."
            or statement.upper(index - 1) == "."
        ):
            continue
        if any(source.parts and source.parts[0] is token for source in statement.sources):
            continue
        alias = _alias_of(statement, token.name, index)
        if alias is not None:
            edits.append(Edit(token.start, token.end, alias))
    return correct(edits, "A table with an alias is known by the alias only.")


def _alias_of(statement: RefusedStatement, name: str, index: int) -> str | None:
    """Return the alias of the one source of that table, where the name itself is none."""
    if statement.source_of(name, index) is not None:
        return None
    for select in statement.around(index):
        found = [s for s in select.sources if s.table.lower() == name.lower()]
        found = found or [s for s in select.sources if _is_called(statement, name, s.table)]
        if found:
            return found[0].alias if len(found) == 1 else None
    return None


def _is_called(statement: RefusedStatement, name: str, table: str) -> bool:
    """Whether a name is a plural or another name of a table, and no table of its own."""
    called = same_word(name, statement.contract.table_names) or _synonym(statement, name)
    return called is not None and called.lower() == table.lower()


def missing_alias(statement: RefusedStatement) -> Correction | None:
    """An alias that columns use and no table has goes to the one table without an alias."""
    index = statement.refused_index()
    if index is None or index < 2 or statement.upper(index - 1) != ".":
        return None
    alias = statement.tokens[index - 2].name
    for select in statement.around(index):
        bare = [s for s in select.sources if s.parts and s.alias_at is None]
        source = _fitting(bare, alias)
        if source is not None and alias.lower() not in statement.aliases:
            end = source.parts[-1].end
            why = f"{alias} is the alias that the columns use."
            return correct([Edit(end, end, f" AS {statement.tokens[index - 2].text}")], why)
    return None


def _fitting(bare: list[SourceTokens], alias: str) -> SourceTokens | None:
    """Return the only source, or the only one that begins with the alias."""
    if len(bare) == 1:
        return bare[0]
    starting = [s for s in bare if s.table.lower().startswith(alias.lower()[:1])]
    return starting[0] if len(starting) == 1 else None


def near_alias(statement: RefusedStatement) -> Correction | None:
    """An alias that no table has is the one table that it abbreviates, where none else fits."""
    index = statement.refused_index()
    if (
        index is None
        or index < 2
        or statement.upper(index - 1) != "."
        or not statement.around(index)
    ):
        return None
    wrong, select = statement.tokens[index - 2].name.lower(), statement.around(index)[0]
    derived = any(source.range.first + 1 == select.first for source in statement.sources)
    alone = derived or len(statement.around(index)) == 1
    if wrong in statement.aliases or not alone or len(select.sources) > MOST_SOURCES:
        return None
    places = [
        current
        for current in range(len(statement.tokens) - 2)
        if statement.tokens[current].name.lower() == wrong and statement.upper(current + 1) == "."
    ]
    fitting = [s for s in select.sources if _abbreviates(wrong, s.table)]
    columns = {statement.tokens[current + 2].name.lower() for current in places}
    if len(fitting) != 1 or not all(statement.source_of(fitting[0].alias, p) for p in places):
        return None
    node = statement.node_of(fitting[0])
    rivals = _meets(statement, places, fitting[0].alias)
    if node is None or rivals or not all(node.column(column) for column in columns):
        return None
    edits = [Edit(statement.start(p), statement.tokens[p].end, fitting[0].alias) for p in places]
    return correct(edits, f"{fitting[0].alias} is the alias of {node.name} here.")


def _abbreviates(alias: str, table: str) -> bool:
    """Whether an alias begins like a table's name and goes on with letters of it, in order."""
    letters = iter(table.lower())
    return table[:1].lower() == alias[:1] and all(letter in letters for letter in alias)


def _meets(statement: RefusedStatement, places: list[int], alias: str) -> bool:
    """Whether a comparison has the wrong alias on one side and the right one on the other."""
    for index in places:
        for other in (index + 4, index - 4):
            sign = statement.upper(index + 3 if other > index else index - 1)
            near = (
                statement.tokens[other].name.lower() if 0 <= other < len(statement.tokens) else ""
            )
            if near == alias.lower() and sign in ("=", "<>", "!=", "<", ">", "<=", ">="):
                return True
    return False
