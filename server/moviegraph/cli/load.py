"""`moviegraph load`: people's own data into a graph folder, or the tables of SQL Server."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from moviegraph.cli import extraction
from moviegraph.cli.options import add_settings, settings_of
from moviegraph.cli.outside import READ, require_outside
from moviegraph.cli.progress import shown_progress
from moviegraph.cli.streams import answer, complain
from moviegraph.contract.vector_space import MOST_CHARACTERS
from moviegraph.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from moviegraph.cli.progress import Progress
    from moviegraph.contract.model import Contract
    from moviegraph.embeddings.embedder import Embedder
    from moviegraph.engines.sqlserver.writing import Writer
    from moviegraph.loading.extraction.extraction import Extraction
    from moviegraph.loading.load import LoadReport
    from moviegraph.loading.preparation import Preparation
    from moviegraph.settings import Settings

NAME = "load"
HELP = "Load nodes and edges into a graph folder or SQL Server."
DATABASE = "mssql"
WITH_REJECTS = 3
SETTINGS = (
    "contract",
    "embedder",
    "embedder_base_url",
    "embedder_azure_endpoint",
    "embedder_azure_api_version",
    "embedder_model",
    "embedder_dimensions",
    "mssql_load_file",
    "mssql_load_password_file",
    "mssql_load_authentication",
    *extraction.SETTINGS,
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "source",
        metavar="SOURCE",
        type=Path,
        help="folder of .jsonl, .csv, .tsv, .json or .parquet files (also .gz), or one such file",
    )
    parser.add_argument(
        "--into",
        metavar="FOLDER",
        required=True,
        help="graph folder to create or replace; mssql for the database of MOVIEGRAPH_MSSQL_LOAD",
    )
    parser.add_argument(
        "--no-embeddings",
        dest="embeddings",
        action="store_false",
        help="build a graph without vectors",
    )
    parser.add_argument(
        "--clean",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="omit boilerplate from text, as configured in the contract (default: yes)",
    )
    parser.add_argument(
        "--enrich",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="append a line of names to text, where the contract configures it (default: yes)",
    )
    parser.add_argument(
        "--rejects", metavar="FILE", type=Path, help="write rejected rows to this file"
    )
    _add_mapping(parser)
    extraction.configure(parser)
    add_settings(parser, *SETTINGS)


def _add_mapping(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--map", metavar="FILE", type=Path, help="TOML file that maps columns to fields"
    )
    parser.add_argument(
        "--column",
        metavar="FIELD=COLUMN",
        action="append",
        default=[],
        help="column that fills a field, as name=title",
    )
    parser.add_argument(
        "--list",
        metavar="COLUMN=EDGE[:SEPARATOR]",
        action="append",
        default=[],
        help="column with multiple names: a JSON list, or text with a separator",
    )
    parser.add_argument(
        "--encoding", metavar="NAME", help="encoding of CSV and TSV, such as cp1252"
    )


def _preparation(parsed: argparse.Namespace, reading: Extraction | None) -> Preparation:
    from moviegraph.loading.column_map import read_column_map
    from moviegraph.loading.preparation import Preparation

    columns = read_column_map(parsed.map, parsed.column, parsed.list, parsed.encoding)
    return Preparation(parsed.clean, parsed.enrich, columns, reading)


def run(parsed: argparse.Namespace) -> int:
    """Load, and say what was loaded; the status is 3 if something was left out."""
    settings = settings_of(parsed)
    from moviegraph.app import open_embedder

    folder = None if parsed.into == DATABASE else Path(parsed.into)
    with ExitStack() as stack:
        writer = None if folder else stack.enter_context(_opened_writer(settings))
        contract = _contract(settings, folder, writer)
        embedder = open_embedder(settings) if parsed.embeddings else None
        require_outside(folder, {"SOURCE": parsed.source, "--map": parsed.map}, READ)
        require_outside(folder, {"--rejects": parsed.rejects})
        progress = stack.enter_context(shown_progress())
        reading = stack.enter_context(
            extraction.opened_extraction(parsed, settings, embedder, folder, progress)
        )
        if writer is not None:
            report = _into_database(parsed, contract, embedder, writer, reading, progress)
        else:
            report = _into_folder(parsed, Path(parsed.into), contract, embedder, reading, progress)
    _tell(report, contract, parsed)
    partial = report.rejected or extraction.is_partial(report.extraction)
    return WITH_REJECTS if partial else 0


def _opened_writer(settings: Settings) -> AbstractContextManager[Writer]:
    from moviegraph.app import open_writer

    return closing(open_writer(settings))


def _contract(settings: Settings, folder: Path | None, writer: Writer | None) -> Contract:
    """Return the contract that is set, else the one that the target carries, else the package's."""
    from moviegraph.contract.loader import read_contract

    carried = None
    if writer is not None and settings.contract is None:
        from moviegraph.engines.sqlserver.internal_tables import carried_contract

        carried = carried_contract(writer.read)
    engine = "embedded" if folder else "mssql"
    return read_contract(replace(settings, engine=engine, graph=folder), carried)


def _tell(report: LoadReport, contract: Contract, parsed: argparse.Namespace) -> None:
    for line in _summary(report, contract, parsed.into):
        answer(line)
    for line in extraction.summary_lines(report.extraction):
        answer(line)
    for line in report.notes:
        complain(line)
    for line in extraction.failure_lines(report.extraction):
        complain(line)
    for line in _rejects(report, parsed.rejects):
        complain(line)


def _into_folder(
    parsed: argparse.Namespace,
    folder: Path,
    contract: Contract,
    embedder: Embedder | None,
    reading: Extraction | None,
    progress: Progress,
) -> LoadReport:
    from moviegraph.loading.load import load

    return load(
        parsed.source,
        folder,
        contract,
        embedder,
        rejects=parsed.rejects,
        how=_preparation(parsed, reading),
        progress=progress,
    )


def _into_database(
    parsed: argparse.Namespace,
    contract: Contract,
    embedder: Embedder | None,
    writer: Writer,
    reading: Extraction | None,
    progress: Progress,
) -> LoadReport:
    from moviegraph.loading.box import shipped_vectors
    from moviegraph.loading.mssql import load_into_database

    return load_into_database(
        parsed.source,
        contract,
        embedder,
        writer,
        rejects=parsed.rejects,
        known=shipped_vectors(parsed.source, embedder.space) if embedder else None,
        how=_preparation(parsed, reading),
        progress=progress,
    )


def _summary(report: LoadReport, contract: Contract, folder: str) -> Iterator[str]:
    counts, vectors = report.counts, sum(report.vectors.values())
    nodes = [node.name for node in contract.nodes]
    edges = [edge.name for edge in contract.edges]
    yield f"Loaded into {folder} in {report.seconds:,.1f} s:"
    yield f"  {_total(counts, nodes, 'node')}: {_listed(counts, nodes)}"
    yield f"  {_total(counts, edges, 'edge')}: {_listed(counts, edges)}"
    none = "no vectors: semantic search is unavailable"
    yield f"  {plural(vectors, 'vector') if vectors else none}"
    if report.cleaned:
        yield f"  boilerplate omitted from text: {_listed(report.cleaned, report.cleaned)}"
    if report.partly:
        beginning = f"truncated to the first {MOST_CHARACTERS:,} characters"
        yield f"  text partly embedded, {beginning}: {_listed(report.partly, report.partly)}"
    if report.mapped:
        yield f"  non-integer ids mapped to integers: {_listed(report.mapped, report.mapped)}"
    if report.ignored:
        yield f"  fields without a column, not loaded: {_listed(report.ignored, report.ignored)}"


def _rejects(report: LoadReport, kept: Path | None) -> Iterator[str]:
    if not report.rejected:
        return
    yield f"Rejected {plural(sum(report.rejected.values()), 'row')}:"
    for reason, count in report.rejected.items():
        yield f"  {count:,} {reason}"
        first = [each for each in report.first_rejects if each.reason == reason]
        yield from (f"    {each.file}:{each.line}: {each.message}" for each in first)
        if count > len(first):
            yield f"    and {count - len(first):,} more"
    yield (
        f"All rejected rows are in {kept}."
        if kept
        else "Use --rejects FILE to write them to a file."
    )


def _total(counts: Mapping[str, int], names: list[str], noun: str) -> str:
    return plural(sum(counts[name] for name in names), noun)


def _listed(counts: Mapping[str, int], names: list[str] | Mapping[str, int]) -> str:
    return ", ".join(f"{counts[name]:,} {name}" for name in names)
