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

    from moviegraph.engines.sqlserver.database_draft import ContractDraft
    from moviegraph.loading.column_map import ColumnMap
    from moviegraph.loading.graph_draft import DraftChoices, GraphDraft
    from moviegraph.loading.preparation import Prepared
    from moviegraph.loading.row_validation import Rejects
    from moviegraph.settings import Settings

DATABASE = "mssql"
MAP = "columns.toml"
SOURCES = (
    "a .csv, .tsv, .txt, .json, .jsonl (all also .gz), .parquet, .sqlite, .duckdb or .xlsx file; "
    "several; or a folder of them"
)
COLUMN_OPTIONS = {
    "key": "column that identifies the records; TABLE.COLUMN, once for each table, of several",
    "name": "column of their names; + joins multiple",
    "text": "column of their texts",
}
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
        nargs="*",
        help=SOURCES,
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
    add_draft_options(parser)
    add_settings(parser, *SETTINGS)


def add_draft_options(parser: argparse.ArgumentParser) -> None:
    """Add the options with which a person decides what the draft would decide."""
    group = parser.add_argument_group("draft of a contract")
    group.add_argument(
        "--kind", metavar="NAME", help="node table of the records (default: from the file's name)"
    )
    for name, help_text in COLUMN_OPTIONS.items():
        group.add_argument(f"--{name}", metavar="COLUMN", action="append", help=help_text)
    group.add_argument(
        "--kinds", metavar="COLUMN,...", help="columns whose values become nodes; '' for none"
    )
    group.add_argument(
        "--nodes", metavar="TABLE,...", help="tables of two keys whose rows are nodes, not edges"
    )
    group.add_argument(
        "--no-join",
        dest="join",
        action="store_false",
        help="keep files apart that have the same columns, such as sales_2023 and sales_2024",
    )
    group.add_argument(
        "--day-first", action="store_true", help="read 12/11/2024 as a day in November"
    )
    group.add_argument("--encoding", metavar="NAME", help="encoding of text, such as cp1252")
    group.add_argument(
        "--vectors", action="store_true", help="embed the texts of more than 50,000 records, too"
    )


def draft_choices(parsed: argparse.Namespace) -> tuple[DraftChoices, ColumnMap]:
    """Return what these options decide, and how they let the file be read."""
    from moviegraph.loading.column_map import ColumnMap
    from moviegraph.loading.graph_draft import DraftChoices

    columns = {name: tuple(getattr(parsed, name) or ()) for name in COLUMN_OPTIONS}
    kinds = None if parsed.kinds is None else _listed(parsed.kinds)
    choices = DraftChoices(
        kind=parsed.kind,
        kinds=kinds,
        nodes=_listed(parsed.nodes or ""),
        join=parsed.join,
        vectors=parsed.vectors,
        **columns,
    )
    dates = "day first" if parsed.day_first else "month first"
    return choices, ColumnMap(encoding=parsed.encoding, dates=dates)


def _listed(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in names.split(",") if name.strip())


def run(parsed: argparse.Namespace) -> int:
    """Write the files, and print a summary and the next command."""
    if bool(parsed.source) == bool(parsed.origin):
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
    from moviegraph.loading.preparation import Preparation, prepare_source
    from moviegraph.loading.row_validation import Rejects
    from moviegraph.loading.source_files import (
        has_graph_lines,
        source_files,
        source_name,
        source_of,
    )

    source = source_of(parsed.source)
    if has_graph_lines(source_files(source)):
        raise SettingsError(
            f"{source_name(source)} already has the form of a graph: kind, id, name, content.",
            hint="Load it with its contract: moviegraph load SOURCE --contract FOLDER.",
        )
    choices, columns = draft_choices(parsed)
    rejects = Rejects()
    how = Preparation(columns=columns, choices=choices)
    prepared = prepare_source(source, None, rejects, how)  # what load does, before writing
    assert prepared.draft is not None
    _write(parsed.into, {**prepared.contract.files, MAP: prepared.draft.map_toml})
    for line in _file_summary(prepared, prepared.draft, rejects, parsed.source, parsed.into):
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


def _file_summary(
    prepared: Prepared, draft: GraphDraft, rejects: Rejects, source: list[Path], folder: Path
) -> Iterator[str]:
    from moviegraph.loading.source_files import source_name

    nodes = sum(len(columns.ids) for columns in prepared.nodes)
    kinds = ", ".join(node.name for node in prepared.contract.nodes)
    yield f"{source_name(source)}: {plural(nodes, 'node')} of {kinds}."
    yield from draft_lines(draft)
    if rejects.counts:
        yield f"  rejected  {plural(sum(rejects.counts.values()), 'record')}, of which the first:"
    yield from (f"            {bad.place}: {bad.message}" for bad in rejects.first)
    yield f"Wrote contract.toml, {MAP} and examples to {folder}."
    yield "Review the first two, correct them, and load:"
    graph = folder.with_name(f"{folder.name}-graph")
    load = ("load", *source, "--contract", folder, "--map", folder / MAP, "--into", graph)
    yield f"  {shlex.join(map(str, ('moviegraph', *load)))}"
    yield "Then serve it:"
    yield f"  {shlex.join(('moviegraph', 'serve', '--graph', str(graph)))}"


def draft_lines(draft: GraphDraft) -> Iterator[str]:
    """Yield what a draft decided, each line with what changes it."""
    for what, how in draft.summary:
        yield f"  {what:<9} {how}"
    if draft.embedded:
        yield f"  vectors   {plural(draft.embedded, 'text')} to embed; `load` shows the time left"
    for name, reason in draft.left_out.items():
        yield f"  omitted   {name}: {reason}"
    for decision in draft.decisions:
        yield f"  decided   {decision}"


def _from_database(folder: Path, settings: Settings) -> int:
    from moviegraph.contract.drafted_examples import example_files
    from moviegraph.engines.sqlserver.database_draft import draft_database
    from moviegraph.engines.sqlserver.metadata_connection import MetadataConnection
    from moviegraph.engines.sqlserver.startup import connector_of
    from moviegraph.loading.contract_draft import contract_toml
    from moviegraph.query.opening import database_choices

    login = database_choices(settings).login
    with closing(MetadataConnection(connector_of(login), login.variable)) as metadata:
        draft = draft_database(metadata.read)
    examples = example_files(draft.contract, "")
    _write(folder, {"contract.toml": contract_toml(draft.contract), **examples})
    for line in _database_summary(draft, folder):
        print_result(line)
    return 0


def _database_summary(draft: ContractDraft, folder: Path) -> Iterator[str]:
    for node in draft.contract.nodes:
        roles = [f"{node.key} is the key", f"{node.label} the name"]
        roles += [f"{node.source_key} the source's own"] * bool(node.source_key)
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
