"""`moviegraph load`: people's own data into a graph folder, or the tables of SQL Server."""

from __future__ import annotations

import argparse
import math
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from moviegraph.cli.options import add_settings, settings_of
from moviegraph.cli.streams import print_error, print_result, show_progress
from moviegraph.contract.vector_space import MAX_EMBEDDED_CHARS
from moviegraph.errors import SettingsError
from moviegraph.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from moviegraph.cli.streams import Progress
    from moviegraph.contract.model import Contract
    from moviegraph.embeddings.embedder import Embedder
    from moviegraph.engines.sqlserver.writing import Writer
    from moviegraph.extraction.costs import CostTracker
    from moviegraph.extraction.extractor import Extraction, ExtractionSummary
    from moviegraph.llm.openai_model import OpenAIModel
    from moviegraph.loading.folder_loader import LoadReport
    from moviegraph.loading.preparation import Preparation
    from moviegraph.settings import Settings

DATABASE = "mssql"
WITH_REJECTS = 3
EXTRACTION_SETTINGS = (
    "llm",
    "llm_base_url",
    "llm_azure_endpoint",
    "llm_azure_api_version",
    "llm_timeout",
    "llm_price",
    "llm_concurrency",
)
LOAD_SETTINGS = (
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
    *EXTRACTION_SETTINGS,
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
    _add_extraction(parser)
    add_settings(parser, *LOAD_SETTINGS)


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
    from moviegraph.server import open_embedder

    folder = None if parsed.into == DATABASE else Path(parsed.into)
    with ExitStack() as stack:
        writer = None if folder else stack.enter_context(_opened_writer(settings))
        contract = _contract(settings, folder, writer)
        embedder = open_embedder(settings) if parsed.embeddings else None
        require_outside(folder, {"SOURCE": parsed.source, "--map": parsed.map}, READ)
        require_outside(folder, {"--rejects": parsed.rejects})
        progress = stack.enter_context(show_progress())
        reading = stack.enter_context(
            opened_extraction(parsed, settings, embedder, folder, progress)
        )
        if writer is not None:
            report = _into_database(parsed, contract, embedder, writer, reading, progress)
        else:
            report = _into_folder(parsed, Path(parsed.into), contract, embedder, reading, progress)
    _tell(report, contract, parsed)
    partial = report.rejected or is_partial(report.extraction)
    return WITH_REJECTS if partial else 0


def _opened_writer(settings: Settings) -> AbstractContextManager[Writer]:
    from moviegraph.server import open_writer

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
        print_result(line)
    for line in summary_lines(report.extraction):
        print_result(line)
    for line in report.notes:
        print_error(line)
    for line in failure_lines(report.extraction):
        print_error(line)
    for line in _rejects(report, parsed.rejects):
        print_error(line)


def _into_folder(
    parsed: argparse.Namespace,
    folder: Path,
    contract: Contract,
    embedder: Embedder | None,
    reading: Extraction | None,
    progress: Progress,
) -> LoadReport:
    from moviegraph.loading.folder_loader import load

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
    from moviegraph.loading.builtin_graph import shipped_vectors
    from moviegraph.loading.database_loader import load_into_database

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
        beginning = f"truncated to the first {MAX_EMBEDDED_CHARS:,} characters"
        yield f"  text partly embedded, {beginning}: {_listed(report.partly, report.partly)}"
    if report.mapped:
        yield f"  non-integer ids mapped to integers: {_listed(report.mapped, report.mapped)}"


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


NO_MODEL = "`load --extract` needs a language model, and none is configured."
HOW_TO = (
    "Set MOVIEGRAPH_LLM=openai:MODEL and MOVIEGRAPH_LLM_API_KEY. For a model on this "
    "machine, set MOVIEGRAPH_LLM=openai:MODEL and "
    "MOVIEGRAPH_LLM_BASE_URL=http://127.0.0.1:11434/v1."
)


def _add_extraction(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--extract",
        action="store_true",
        help="extract entities from text with the configured language model",
    )
    parser.add_argument(
        "--max-cost",
        metavar="DOLLARS",
        type=_dollars,
        help="maximum cost of this run in dollars; required if the language model charges",
    )
    parser.add_argument(
        "--extracted",
        metavar="FILE",
        type=Path,
        help="report of extracted entities and their sources (default: next to the graph folder)",
    )
    parser.add_argument(
        "--answers",
        metavar="FILE",
        type=Path,
        help="cache of the model's responses (default: next to the graph folder)",
    )


@contextmanager
def opened_extraction(
    parsed: argparse.Namespace,
    settings: Settings,
    embedder: Embedder | None,
    folder: Path | None,
    progress: Progress,
) -> Generator[Extraction | None]:
    """Give what reads the texts, or None where that was not asked for.

    Raises:
        SettingsError: No language model is configured, or an option has no use.
        SourceError: The answers cannot be kept.
    """
    if not parsed.extract:
        _require_no_options(parsed)
        yield None
        return
    from moviegraph.extraction.extractor import Extraction
    from moviegraph.extraction.question_runner import STORED, AnswerStore, QuestionRunner

    model = _model(settings)
    kept, report = parsed.answers or _answers(folder), parsed.extracted or _report(folder)
    if report is not None and kept.resolve() == report.resolve():
        raise SettingsError("--answers and --extracted name the same file. Name two files.")
    require_outside(folder, {"--answers": parsed.answers, "--extracted": parsed.extracted})
    answers = AnswerStore(kept)
    asker = QuestionRunner(
        model,
        answers,
        _spending(settings, parsed.max_cost),
        concurrency=settings.llm_concurrency,
        progress=progress,
    )
    try:
        yield Extraction(asker, embedder, report, print_error)
    except KeyboardInterrupt:
        print_error(f"Interrupted. {STORED}")
        raise
    finally:
        answers.close()
        model.close()


def summary_lines(summary: ExtractionSummary | None) -> Iterator[str]:
    """Yield what was extracted, indented below the rest."""
    if summary is not None:
        yield from (f"  {line}" for line in summary.lines)


def failure_lines(summary: ExtractionSummary | None) -> Iterator[str]:
    """Yield what was left undone, and the first texts that the model did not answer for."""
    if summary is None:
        return
    yield from summary.notes
    if summary.failed:
        yield f"Not extracted because the model did not respond: {plural(summary.failed, 'text')}"
        yield from (f"    {each}" for each in summary.failures)
    if summary.failed > len(summary.failures):
        yield f"    and {summary.failed - len(summary.failures):,} more"
    if is_partial(summary):
        yield "Run the same command again to retry only the failed requests."


def is_partial(summary: ExtractionSummary | None) -> bool:
    """Return whether questions were not answered, so that the same command would go on."""
    return summary is not None and bool(summary.failed or summary.open)


def _require_no_options(parsed: argparse.Namespace) -> None:
    for option in ("max_cost", "extracted", "answers"):
        if getattr(parsed, option) is not None:
            flag = "--" + option.replace("_", "-")
            raise SettingsError(f"{flag} has no effect without --extract.")


def _model(settings: Settings) -> OpenAIModel:
    from moviegraph.server import open_language_model

    model = open_language_model(settings, many=True)
    if model is None:
        raise SettingsError(NO_MODEL, hint=HOW_TO)
    return model


def _spending(settings: Settings, ceiling: float | None) -> CostTracker:
    from moviegraph.extraction.costs import CostTracker, price_of
    from moviegraph.server import language_model_endpoint

    return CostTracker(price_of(language_model_endpoint(settings), settings.llm_price), ceiling)


def _answers(folder: Path | None) -> Path:
    from platformdirs import user_state_path

    from moviegraph.extraction.question_runner import DEFAULT_NAME, answers_beside

    if folder is None:
        return user_state_path("moviegraph", appauthor=False) / DEFAULT_NAME
    return answers_beside(folder)


def _report(folder: Path | None) -> Path | None:
    from moviegraph.extraction.extractor import report_beside

    return None if folder is None else report_beside(folder)


def _dollars(text: str) -> float:
    dollars = float(text)
    if not 0 <= dollars < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not an amount in dollars")
    return dollars


READ = "Move it outside that folder, or load into a different one."
WRITTEN = "Name a file outside it, or omit the option."


def require_outside(
    folder: Path | None, named: dict[str, Path | None], hint: str = WRITTEN
) -> None:
    """Refuse files that the graph would take the place of, by the option that names them."""
    for option, path in named.items():
        if folder and path and path.resolve().is_relative_to(folder.resolve()):
            raise SettingsError(
                f"{option} {path} is in the graph folder, which is replaced completely.",
                hint=hint,
            )
