"""Cross-checks of a contract, patterns of sentences, and reserved words."""

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import TypeVar

from moviegraph.contract.model import Contract, NodeTable, suggestion

ANY = "*"
NAME = "{name}"
MIN_WORDS = 2
_NO_WORD = re.compile(r"[\W_]++")


def words_of_sentence(text: str) -> str:
    """Return the words of a text in lower case, separated by spaces, without punctuation."""
    return _NO_WORD.sub(" ", text.lower()).strip()


class SentencePattern:
    """A sentence with gaps: `*` for any words or none, `a|b` for either, `{name}` for the node."""

    def __init__(self, pattern: str) -> None:
        tokens = pattern.split()
        self.words = sum(token not in (ANY, NAME) for token in tokens)
        runs = [run.split() for run in f" {' '.join(tokens)} ".split(ANY)]
        self._runs = [
            re.compile(_run(run, starts=index == 0, ends=index == len(runs) - 1))
            for index, run in enumerate(runs)
            if run
        ]

    def fits(self, words: str) -> bool:
        """Return whether the words of a sentence match, with a space at each end."""
        at = 0
        for run in self._runs:
            match = run.search(words, at)
            if match is None:
                return False
            at = match.end() - 1
        return True


def _run(tokens: list[str], *, starts: bool, ends: bool) -> str:
    words = " ".join(_either(token) for token in tokens)
    return ("\\A" if starts else "") + f" {words} " + ("\\Z" if ends else "")


def _either(token: str) -> str:
    if token == NAME:
        return re.escape(NAME)
    return f"(?:{'|'.join(re.escape(words_of_sentence(word)) for word in token.split('|'))})"


SOURCE = "contract.toml"
Item = TypeVar("Item", bound=Hashable)


def find_problems(contract: Contract) -> Iterator[str]:
    """Yield each contradiction as a sentence that begins with file and key."""
    yield from _names(contract)
    for node in contract.nodes:
        yield from _roles(node)
        yield from _columns(node)
        yield from _within(node, contract)
        yield from _disambiguated(node)
        yield from _cleaning(node)
    yield from _edges(contract)
    yield from _limits(contract)
    yield from _glossary(contract)
    yield from _examples(contract)


def _names(contract: Contract) -> Iterator[str]:
    keyed = [(f"nodes.{n.name}", n.name) for n in contract.nodes]
    keyed += [(f"edges.{e.name}", e.name) for e in contract.edges]
    yield from _collisions(keyed)
    yield from _reserved(keyed)


def _columns(node: NodeTable) -> Iterator[str]:
    keyed = [(f"nodes.{node.name}.columns.{c.name}", c.name) for c in node.columns]
    yield from _collisions(keyed)
    yield from _reserved(keyed)
    for key, column in zip((key for key, _ in keyed), node.columns, strict=True):
        if column.searchable and not column.is_text:
            yield (
                f"{SOURCE}: {key}.searchable: only NVARCHAR columns can be searchable, not "
                f"{column.type}"
            )
        if column.type == "VECTOR" and column.name != node.vector:
            yield f"{SOURCE}: {key}.type: only the column `{node.vector}` can be VECTOR"
    if not node.searchable:
        yield (
            f"{SOURCE}: nodes.{node.name}.columns: no column is searchable; full-text search "
            "needs one"
        )


def _roles(node: NodeTable) -> Iterator[str]:
    type_by_role = {"key": "INT", "label": "NVARCHAR", "text": "NVARCHAR", "vector": "VECTOR"}
    for role, kind in type_by_role.items():
        name: str = getattr(node, role)
        field = f"{SOURCE}: nodes.{node.name}.{role}"
        column = next((c for c in node.columns if c.name == name), None)
        if column is None:
            candidates = tuple(c.name for c in node.columns)
            yield f"{field}: no column '{name}'; {suggestion(name, candidates)}"
        elif column.type.split("(")[0] != kind:
            yield f"{field}: column '{name}' must be {kind}, not {column.type}"
        elif role in {"key", "label"} and column.nullable:
            yield f"{field}: column '{name}' must have nullable = false"


def _within(node: NodeTable, contract: Contract) -> Iterator[str]:
    candidates = tuple(edge.name for edge in contract.edges)
    for name in node.named_within or ():
        if name not in candidates:
            field = f"{SOURCE}: nodes.{node.name}.named_within"
            yield f"{field}: no edge table '{name}'; {suggestion(name, candidates)}"


def _disambiguated(node: NodeTable) -> Iterator[str]:
    name = node.disambiguated_by
    column = next((column for column in node.extra if column.name == name), None)
    field = f"{SOURCE}: nodes.{node.name}.disambiguated_by"
    if name is not None and column is None:
        candidates = tuple(column.name for column in node.extra)
        yield f"{field}: no additional column '{name}'; {suggestion(name, candidates)}"
    elif column is not None and column.type not in {"INT", "BIGINT"}:
        yield f"{field}: column '{name}' must be INT or BIGINT, not {column.type}"


def _cleaning(node: NodeTable) -> Iterator[str]:
    field = f"{SOURCE}: nodes.{node.name}.clean"
    for pattern in node.clean.drop if node.clean else ():
        if SentencePattern(pattern).words < MIN_WORDS:
            yield (
                f"{field}.drop: '{pattern}' needs {MIN_WORDS} words in addition to * and {{name}}"
            )
        elif any(ANY in token and token != ANY for token in pattern.split()):
            yield f"{field}.drop: '{pattern}': put a space before and after each *"
    for word in node.clean.keep if node.clean else ():
        if not words_of_sentence(word):
            yield f"{field}.keep: '{word}' contains no word"


def _edges(contract: Contract) -> Iterator[str]:
    candidates = tuple(node.name for node in contract.nodes)
    for edge in contract.edges:
        has_multiple = len(edge.pairs) > 1
        for pair in edge.pairs:
            for key, name in (("from", pair.from_table), ("to", pair.to_table)):
                if name not in candidates:
                    field = f"{SOURCE}: edges.{edge.name}.{'connects' if has_multiple else key}"
                    yield f"{field}: no node table '{name}'; {suggestion(name, candidates)}"
        for start, end in _repeated((pair.from_table, pair.to_table) for pair in edge.pairs):
            yield f"{SOURCE}: edges.{edge.name}.connects: duplicate pair {start} to {end}"


def _limits(contract: Contract) -> Iterator[str]:
    limits = contract.limits
    if limits.top > limits.top_expanded:
        yield f"{SOURCE}: limits.top: {limits.top} exceeds top_expanded, {limits.top_expanded}"
    if limits.top_expanded > limits.inner_top:
        yield (
            f"{SOURCE}: limits.top_expanded: {limits.top_expanded} exceeds inner_top, "
            f"{limits.inner_top}"
        )


def _glossary(contract: Contract) -> Iterator[str]:
    nodes = tuple(node.name for node in contract.nodes)
    for kind in dict.fromkeys(alias.kind for alias in contract.glossary.aliases):
        if kind not in nodes:
            field = f"{SOURCE}: glossary.aliases.{kind}"
            yield f"{field}: no such node table; {suggestion(kind, nodes)}"
    tables = contract.table_names
    tables_by_key = {"keywords": contract.glossary.keywords, "tables": contract.glossary.tables}
    for key, words in tables_by_key.items():
        for table in dict.fromkeys(word.table for word in words):
            if table not in tables:
                field = f"{SOURCE}: glossary.{key}.{table}"
                yield f"{field}: no such table; {suggestion(table, tables)}"
    candidates = {table.lower() for table in tables}
    for synonym in contract.glossary.tables:
        if synonym.word.lower() in candidates:
            yield f"{SOURCE}: glossary.tables.{synonym.table}: '{synonym.word}' is itself a table"
    pairs = [(a.kind, a.alias.lower()) for a in contract.glossary.aliases]
    for kind, alias in _repeated(pairs):
        yield f"{SOURCE}: glossary.aliases.{kind}: duplicate alias '{alias}'"


def _examples(contract: Contract) -> Iterator[str]:
    for name in _repeated([example.id.lower() for example in contract.examples]):
        yield f"examples/{name}.sql: two examples have the id '{name}'"


def _collisions(keyed: list[tuple[str, str]]) -> Iterator[str]:
    places: dict[str, list[str]] = defaultdict(list)
    for key, name in keyed:
        places[name.lower()].append(key)
    for keys in places.values():
        if len(keys) > 1:
            yield f"{SOURCE}: {keys[-1]}: the name differs from {keys[0]} at most by case"


def _reserved(keyed: list[tuple[str, str]]) -> Iterator[str]:
    for key, name in keyed:
        if name.upper() in RESERVED:
            yield f"{SOURCE}: {key}: '{name}' is a reserved word of T-SQL; choose a different name"


def _repeated(items: Iterable[Item]) -> list[Item]:
    return [item for item, count in Counter(items).items() if count > 1]


RESERVED = frozenset(
    """
    ADD ALL ALTER AND ANY AS ASC AUTHORIZATION BACKUP BEGIN BETWEEN BREAK BROWSE BULK BY CASCADE
    CASE CHECK CHECKPOINT CLOSE CLUSTERED COALESCE COLLATE COLUMN COMMIT COMPUTE CONSTRAINT
    CONTAINS CONTAINSTABLE CONTINUE CONVERT CREATE CROSS CURRENT CURRENT_DATE CURRENT_TIME
    CURRENT_TIMESTAMP CURRENT_USER CURSOR DATABASE DBCC DEALLOCATE DECLARE DEFAULT DELETE DENY
    DESC DISK DISTINCT DISTRIBUTED DOUBLE DROP DUMP ELSE END ERRLVL ESCAPE EXCEPT EXEC EXECUTE
    EXISTS EXIT EXTERNAL FETCH FILE FILLFACTOR FOR FOREIGN FREETEXT FREETEXTTABLE FROM FULL
    FUNCTION GOTO GRANT GROUP HAVING HOLDLOCK IDENTITY IDENTITYCOL IDENTITY_INSERT IF IN INDEX
    INNER INSERT INTERSECT INTO IS JOIN KEY KILL LEFT LIKE LINENO LOAD MERGE NATIONAL NOCHECK
    NONCLUSTERED NOT NULL NULLIF OF OFF OFFSETS ON OPEN OPENDATASOURCE OPENQUERY OPENROWSET
    OPENXML OPTION OR ORDER OUTER OVER PERCENT PIVOT PLAN PRECISION PRIMARY PRINT PROC PROCEDURE
    PUBLIC RAISERROR READ READTEXT RECONFIGURE REFERENCES REPLICATION RESTORE RESTRICT RETURN
    REVERT REVOKE RIGHT ROLLBACK ROWCOUNT ROWGUIDCOL RULE SAVE SCHEMA SECURITYAUDIT SELECT
    SEMANTICKEYPHRASETABLE SEMANTICSIMILARITYDETAILSTABLE SEMANTICSIMILARITYTABLE SESSION_USER
    SET SETUSER SHUTDOWN SOME STATISTICS SYSTEM_USER TABLE TABLESAMPLE TEXTSIZE THEN TO TOP TRAN
    TRANSACTION TRIGGER TRUNCATE TRY_CONVERT TSEQUAL UNION UNIQUE UNPIVOT UPDATE UPDATETEXT USE
    USER VALUES VARYING VIEW WAITFOR WHEN WHERE WHILE WITH WITHIN WRITETEXT
    """.split()
)
