"""Writes the full-text side file: one unstemmed FTS5 index a node table, and its stems."""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from moviegraph.engines.columns import NodeColumns
from moviegraph.engines.stems import Stemmer
from moviegraph.sql.contains import with_placeholders

Progress = Callable[[str, int, int], None]


def index_name(position: int) -> str:
    """Return the name of the index of the contract's node table at a position.

    Neutral names, because FTS5 reserves words that a contract may use.
    """
    return f"n{position}"


def write_fulltext(path: Path, tables: Sequence[NodeColumns], progress: Progress) -> None:
    """Index the searchable columns of every node table."""
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        stemmer = Stemmer()
        for at, table in enumerate(tables):
            if table.table.searchable:
                _write_table(connection, at, table, stemmer)
            progress("Indexing text", at + 1, len(tables))
        connection.commit()
    finally:
        connection.close()


def _write_table(
    connection: sqlite3.Connection, at: int, table: NodeColumns, stemmer: Stemmer
) -> None:
    name = index_name(at)
    sources = [_texts(table, column) for column in table.table.searchable]
    columns = ", ".join(f"c{number}" for number in range(len(sources)))
    connection.execute(
        f"CREATE VIRTUAL TABLE {name} USING fts5({columns}, content='', "
        "tokenize='unicode61 remove_diacritics 0')"
    )
    marks = ", ".join("?" * (len(sources) + 1))
    connection.executemany(
        f"INSERT INTO {name}(rowid, {columns}) VALUES ({marks})",  # noqa: S608
        zip(table.ids.tolist(), *sources, strict=True),
    )
    connection.execute(f"INSERT INTO {name}({name}) VALUES ('optimize')")  # noqa: S608
    connection.execute(f"CREATE VIRTUAL TABLE {name}_words USING fts5vocab({name}, 'row')")
    connection.execute(f"CREATE VIRTUAL TABLE {name}_places USING fts5vocab({name}, 'instance')")
    _write_stems(connection, name, stemmer)


def _texts(table: NodeColumns, column: str) -> list[str]:
    if column == table.table.label:
        texts: list[str] = table.names
    elif column == table.table.text:
        texts = table.contents
    else:
        texts = [text or "" for text in table.extras[column]]
    return [with_placeholders(_storable(text)) for text in texts]


def _storable(text: str) -> str:
    """Replace what SQLite cannot store (lone surrogates) or would stop at (NUL)."""
    if text.isascii():
        return text.replace("\0", " ")
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")


def _write_stems(connection: sqlite3.Connection, name: str, stemmer: Stemmer) -> None:
    connection.execute(
        f"CREATE TABLE {name}_stems (stem TEXT, word TEXT, PRIMARY KEY (stem, word)) WITHOUT ROWID"
    )
    words = connection.execute(f"SELECT term FROM {name}_words").fetchall()  # noqa: S608
    connection.executemany(
        f"INSERT INTO {name}_stems VALUES (?, ?)",  # noqa: S608
        sorted((stem, word) for (word,) in words for stem in stemmer.stems(word)),
    )
