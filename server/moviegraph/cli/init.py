"""`moviegraph init`: drafts a contract and a column map for a file or a database."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from moviegraph.cli.options import add_settings, settings_of
from moviegraph.cli.streams import print_result
from moviegraph.errors import GraphError, SettingsError
from moviegraph.text import plural

if TYPE_CHECKING:
    from collections.abc import Mapping

    from moviegraph.loading.contract_draft import ContractDraft
    from moviegraph.loading.table_scaffold import TableDraft
    from moviegraph.settings import Settings

DATABASE = "mssql"
MAP = "columns.toml"
SETTINGS = (
    "mssql_file",
    "mssql_password_file",
    "mssql_authentication",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "source",
        metavar="SOURCE",
        type=Path,
        nargs="?",
        help="a .csv, .tsv, .json, .jsonl or .parquet file, all but Parquet also .gz",
    )
    parser.add_argument(
        "--into", metavar="FOLDER", type=Path, required=True, help="folder for the drafted files"
    )
    parser.add_argument(
        "--from",
        dest="origin",
        choices=(DATABASE,),
        help="read the graph tables of the database of MOVIEGRAPH_MSSQL instead of a file",
    )
    parser.add_argument(
        "--kind", metavar="NAME", help="node table of the records (default: from the file's name)"
    )
    parser.add_argument(
        "--encoding", metavar="NAME", help="encoding of CSV and TSV, such as cp1252"
    )
    add_settings(parser, *SETTINGS)


def run(parsed: argparse.Namespace) -> int:
    """Write the files, and print a summary and the next command."""
    if (parsed.source is None) == (parsed.origin is None):
        raise SettingsError(
            "Name one source.", hint="moviegraph init FILE --into FOLDER, or --from mssql."
        )
    _require_free(parsed.into)
    if parsed.origin == DATABASE:
        return _from_database(parsed.into, settings_of(parsed))
    return _from_file(parsed)


def _require_free(folder: Path) -> None:
    """Raise an error for a folder with a graph, or with files that would be overwritten."""
    from moviegraph.engines.embedded.graph_folder import is_graph_folder

    if is_graph_folder(folder):
        raise GraphError(
            f"{folder} contains a graph; nothing was changed.",
            hint="Name a different folder: the draft describes the source of a graph.",
        )
    names = ("contract.toml", MAP, "examples", "tables")
    existing = [name for name in names if (folder / name).exists()]
    if folder.is_file() or existing:
        raise SettingsError(
            f"{folder} already has {', '.join(existing) or 'a file of that name'}.",
            hint="Name a different folder, or remove them first.",
        )


def _from_file(parsed: argparse.Namespace) -> int:
    from moviegraph.loading.contract_draft import contract_toml, example_files
    from moviegraph.loading.source_records import source_files
    from moviegraph.loading.table_scaffold import column_map_toml, draft_table

    files = source_files(parsed.source)
    if len(files) > 1:
        raise SettingsError(
            f"{parsed.source} contains {len(files)} files.", hint="Name one of them."
        )
    table = draft_table(files[0], kind=parsed.kind, encoding=parsed.encoding)
    _write(
        parsed.into,
        {
            "contract.toml": contract_toml(table.draft.contract),
            MAP: column_map_toml(table),
            **example_files(table.draft),
        },
    )
    for line in _file_summary(table, files[0], parsed.into):
        print_result(line)
    return 0


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files, after checking the contract."""
    from moviegraph.contract.loader import contract_of

    contract_of({name: text for name, text in files.items() if name != MAP})
    try:
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise SettingsError(f"{folder} cannot be written: {error.strerror}.") from error


def _file_summary(table: TableDraft, source: Path, folder: Path) -> Iterator[str]:
    draft, columns = table.draft, dict(table.columns)
    node = draft.contract.nodes[0]
    records = plural(table.profile.records, "record")
    yield f"{source.name}: {records} read; each becomes a node of {node.name}."
    key = columns.pop("id")
    yield f"  key       {key if isinstance(key, str) else ' and '.join(key)}"
    yield f"  name      {columns.pop('name')}"
    yield f"  text      {columns.pop('content')}"
    targets = {column.source_field: column for column in node.columns}
    for field, column in columns.items():
        yield f"  column    {targets[field].name} {targets[field].type}, from {column}"
    for (column, names), nodes in zip(table.lists.items(), draft.contract.nodes[1:], strict=True):
        split = f", separated by {names.split!r}" if names.split else ""
        yield f"  nodes     {nodes.name}, from {column}: {plural(len(names.counts), 'name')}{split}"
    for name, reason in draft.left_out.items():
        yield f"  omitted   {name}: {reason}"
    for note in table.notes:
        yield f"  note      {note}"
    yield f"Wrote contract.toml, {MAP} and examples to {folder}."
    yield "Review the first two, correct them, and load:"
    graph = folder.with_name(f"{folder.name}-graph")
    load = ("load", source, "--contract", folder, "--map", folder / MAP, "--into", graph)
    yield f"  {shlex.join(map(str, ('moviegraph', *load)))}"
    yield "Then serve it:"
    yield f"  {shlex.join(('moviegraph', 'serve', '--graph', str(graph)))}"


def _from_database(folder: Path, settings: Settings) -> int:
    from moviegraph.engines.sqlserver.metadata_connection import MetadataConnection
    from moviegraph.engines.sqlserver.startup import connector_of
    from moviegraph.loading.contract_draft import contract_toml, draft_database, example_files
    from moviegraph.query.opening import database_choices

    login = database_choices(settings).login
    with closing(MetadataConnection(connector_of(login), login.variable)) as metadata:
        draft = draft_database(metadata.read)
    _write(folder, {"contract.toml": contract_toml(draft.contract), **example_files(draft)})
    for line in _database_summary(draft, folder):
        print_result(line)
    return 0


def _database_summary(draft: ContractDraft, folder: Path) -> Iterator[str]:
    for node in draft.contract.nodes:
        roles = [f"{node.key} is the key", f"{node.label} the name"]
        roles += [f"{node.text} the text"] * bool(node.text)
        roles += [f"{node.vector} the vector"] * bool(node.vector)
        yield f"  node table {node.name}: {', '.join(roles)}"
    for edge in draft.contract.edges:
        pairs = ", ".join(f"{pair.from_table} to {pair.to_table}" for pair in edge.pairs)
        yield f"  edge table {edge.name}: {pairs}"
    for name, reason in draft.left_out.items():
        yield f"  omitted    {name}: {reason}"
    yield f"Wrote contract.toml and examples to {folder}."
    yield "Describe the rows and columns there, then run:"
    yield f"  moviegraph check --engine mssql --contract {shlex.quote(str(folder))}"
    yield f"  moviegraph serve --engine mssql --contract {shlex.quote(str(folder))}"
