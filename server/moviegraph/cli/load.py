"""`moviegraph load`: a source into a graph folder, or into the tables of SQL Server."""

from __future__ import annotations

import argparse
import math
import shlex
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from moviegraph.cli.client_commands import require_language_model
from moviegraph.cli.init import SOURCES, add_draft_options, draft_choices, draft_lines
from moviegraph.cli.options import add_settings, settings_of
from moviegraph.cli.streams import ProgressLines, log_to_stderr, print_error, print_result
from moviegraph.embeddings.embedder import MAX_EMBEDDED_CHARS
from moviegraph.errors import SettingsError
from moviegraph.text import plural

if TYPE_CHECKING:
    from moviegraph.cli.streams import Progress
    from moviegraph.contract.model import Contract
    from moviegraph.embeddings.embedder import Embedder
    from moviegraph.engines.sqlserver.writing import Writer
    from moviegraph.extraction.extractor import Extraction, ExtractionSummary
    from moviegraph.loading.folder_loader import LoadReport
    from moviegraph.loading.row_validation import Rejects
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
        nargs="+",
        help=SOURCES,
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
        "--enrich",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="append a line of names to text, where the contract configures it (default: yes)",
    )
    parser.add_argument(
        "--rejects", metavar="FILE", type=Path, help="write rejected rows to this file"
    )
    parser.add_argument(
        "--map", metavar="FILE", type=Path, help="TOML file that maps columns to fields"
    )
    parser.add_argument(
        "--replace", action="store_true", help="replace a graph of another source or contract"
    )
    add_draft_options(parser)
    _add_extraction(parser)
    add_settings(parser, *LOAD_SETTINGS)


def run(parsed: argparse.Namespace) -> int:
    """Load, and print a summary; the status is 3 if something was rejected or not extracted."""
    from moviegraph.query.opening import configured_embedder, open_writer

    settings = settings_of(parsed)
    log_to_stderr(settings)
    folder = None if parsed.into == DATABASE else Path(parsed.into)
    with ExitStack() as stack:
        writer = None if folder else stack.enter_context(closing(open_writer(settings)))
        contract = None
        if folder is None or not _is_drafted(parsed, settings):
            contract = _contract(settings, folder, writer)
        embedder = configured_embedder(settings) if parsed.embeddings else None
        for path in parsed.source:
            _require_outside(folder, {"SOURCE": path, "--map": parsed.map}, MOVE_SOURCE)
        _require_outside(folder, {"--rejects": parsed.rejects})
        progress = ProgressLines().show
        extraction = stack.enter_context(_extraction(parsed, settings, embedder, folder, progress))
        report = _load(parsed, contract, embedder, folder or writer, extraction, progress)
    _print_report(report, parsed)
    extracted = report.prepared.extraction
    return WITH_REJECTS if report.rejects.counts or _is_partial(extracted) else 0


def _is_drafted(parsed: argparse.Namespace, settings: Settings) -> bool:
    """Return whether the source is a table without contract and map, for which both are drafted."""
    from moviegraph.loading.source_files import has_graph_lines, source_files, source_of

    if parsed.map is None and settings.contract is None:
        return not has_graph_lines(source_files(source_of(parsed.source)))
    choices, columns = draft_choices(parsed)
    if choices != type(choices)() or columns != type(columns)():
        raise SettingsError(
            "The options of a draft have no effect with --contract or --map.",
            hint="Change contract.toml or the column map instead.",
        )
    return False


def _contract(settings: Settings, folder: Path | None, writer: Writer | None) -> Contract:
    """Return the configured contract, else that of the target, else the built-in one."""
    from moviegraph.contract.loader import read_contract

    carried = None
    if writer is not None and settings.contract is None:
        from moviegraph.engines.sqlserver.internal_tables import database_contract

        carried = database_contract(writer.read)
    engine = "embedded" if folder else "mssql"
    return read_contract(replace(settings, engine=engine, graph=folder), carried)


def _load(
    parsed: argparse.Namespace,
    contract: Contract | None,
    embedder: Embedder | None,
    target: Path | Writer | None,
    extraction: Extraction | None,
    progress: Progress,
) -> LoadReport:
    from moviegraph.loading.column_map import read_column_map
    from moviegraph.loading.preparation import Preparation
    from moviegraph.loading.source_files import source_of

    columns = read_column_map(parsed.map) if parsed.map else None
    how = Preparation(parsed.enrich, columns, extraction)
    if contract is None:
        choices, columns = draft_choices(parsed)
        how = Preparation(parsed.enrich, columns, extraction, choices)
    source, rejects = source_of(parsed.source), parsed.rejects
    if isinstance(target, Path):
        from moviegraph.loading.folder_loader import load

        return load(
            source,
            target,
            contract,
            embedder,
            rejects=rejects,
            replace=parsed.replace,
            how=how,
            progress=progress,
        )
    from moviegraph.loading.database_loader import load_into_database
    from moviegraph.loading.folder_loader import shipped_vectors

    assert target is not None
    assert contract is not None
    shipped = shipped_vectors(parsed.source[0], embedder.space) if embedder else None
    return load_into_database(
        source,
        contract,
        embedder,
        target,
        rejects=rejects,
        known=shipped,
        how=how,
        progress=progress,
    )


def _print_report(report: LoadReport, parsed: argparse.Namespace) -> None:
    from moviegraph.contract.loader import CARRIED

    prepared = report.prepared
    for line in _summary(report, prepared.contract, parsed.into):
        print_result(line)
    if prepared.draft:
        for line in draft_lines(prepared.draft):
            print_result(line)
        print_result(f"The contract is in {Path(parsed.into) / CARRIED / 'contract.toml'}.")
        print_result(f"Serve it: moviegraph serve --graph {shlex.quote(parsed.into)}")
    extracted = report.prepared.extraction
    for line in extracted.lines if extracted else ():
        print_result(f"  {line}")
    problems = (*report.notes, *_failures(extracted), *_rejects(report.rejects, parsed.rejects))
    for line in problems:
        print_error(line)


def _summary(report: LoadReport, contract: Contract, folder: str) -> Iterator[str]:
    counts, vectors = report.manifest.counts, sum(report.manifest.vectors.values())
    yield f"Loaded into {folder} in {report.seconds:,.1f} s:"
    for noun, tables in (("node", contract.nodes), ("edge", contract.edges)):
        rows = {table.name: counts[table.name] for table in tables}
        yield f"  {plural(sum(rows.values()), noun)}: {_count_each(rows)}"
    none = "no vectors: semantic search is unavailable"
    yield f"  {plural(vectors, 'vector') if vectors else none}"
    if partly := report.partly_embedded():
        beginning = f"truncated to the first {MAX_EMBEDDED_CHARS:,} characters"
        yield f"  text partly embedded, {beginning}: {_count_each(partly)}"
    if mapped := report.prepared.mapped:
        yield f"  non-integer ids mapped to integers: {_count_each(mapped)}"


def _rejects(rejects: Rejects, file: Path | None) -> Iterator[str]:
    if not rejects.counts:
        return
    yield f"Rejected {plural(sum(rejects.counts.values()), 'row')}:"
    for reason, count in rejects.counts.items():
        yield f"  {count:,} {reason}"
        first = [reject for reject in rejects.first if reject.reason == reason]
        yield from (f"    {reject.place}: {reject.message}" for reject in first)
        if count > len(first):
            yield f"    and {count - len(first):,} more"
    yield (
        f"All rejected rows are in {file}."
        if file
        else "Use --rejects FILE to write them to a file."
    )


def _count_each(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def _failures(summary: ExtractionSummary | None) -> Iterator[str]:
    """Yield the counts of unextracted texts, with the first of them."""
    if summary is None:
        return
    yield from summary.notes
    if summary.failed:
        yield f"Not extracted because the model did not respond: {plural(summary.failed, 'text')}"
        yield from (f"    {failure}" for failure in summary.failures)
    if summary.failed > len(summary.failures):
        yield f"    and {summary.failed - len(summary.failures):,} more"
    if _is_partial(summary):
        yield "Run the same command again to retry only the failed requests."


def _is_partial(summary: ExtractionSummary | None) -> bool:
    """Return whether requests failed, so that the same command would retry them."""
    return summary is not None and bool(summary.failed or summary.open)


def _add_extraction(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--extract",
        action="store_true",
        help="extract entities from text with the configured language model",
    )
    parser.add_argument(
        "--max-cost",
        metavar="AMOUNT",
        type=_amount,
        help="maximum cost of this run: dollars if MOVIEGRAPH_LLM_PRICE is set, else tokens; "
        "required if the language model may charge",
    )
    parser.add_argument(
        "--describe-all",
        action="store_true",
        default=None,
        help="let the model also describe nodes that only one text names",
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
def _extraction(
    parsed: argparse.Namespace,
    settings: Settings,
    embedder: Embedder | None,
    folder: Path | None,
    progress: Progress,
) -> Generator[Extraction | None]:
    """Yield the extraction, or None without --extract.

    Raises:
        SettingsError: No language model is configured, or an option has no effect.
        SourceError: The responses cannot be stored.
    """
    if not parsed.extract:
        for option in ("max_cost", "describe_all", "extracted", "answers"):
            if getattr(parsed, option) is not None:
                flag = "--" + option.replace("_", "-")
                raise SettingsError(f"{flag} has no effect without --extract.")
        yield None
        return
    from moviegraph.extraction.costs import CostTracker, Price
    from moviegraph.extraction.extractor import Extraction, report_beside
    from moviegraph.extraction.question_runner import STORED, QuestionRunner
    from moviegraph.extraction.questions import AnswerStore

    model = require_language_model(settings, "load --extract", many=True)
    responses = parsed.answers or _response_file(folder)
    report = parsed.extracted or (report_beside(folder) if folder else None)
    if report is not None and responses.resolve() == report.resolve():
        raise SettingsError("--answers and --extracted name the same file. Name two files.")
    _require_outside(folder, {"--answers": parsed.answers, "--extracted": parsed.extracted})
    store = AnswerStore(responses)
    price = Price(*settings.llm_price) if settings.llm_price else None
    runner = QuestionRunner(
        model,
        store,
        CostTracker(price, parsed.max_cost, may_charge=not model.endpoint.is_loopback),
        concurrency=settings.llm_concurrency,
        progress=progress,
        announce=print_error,
    )
    try:
        yield Extraction(runner, embedder, report, parsed.describe_all or False)
    except KeyboardInterrupt:
        print_error(f"Interrupted. {STORED}")
        raise
    finally:
        store.close()
        model.close()


def _response_file(folder: Path | None) -> Path:
    from platformdirs import user_state_path

    from moviegraph.extraction.questions import DEFAULT_NAME, answers_beside

    if folder is None:
        return user_state_path("moviegraph", appauthor=False) / DEFAULT_NAME
    return answers_beside(folder)


def _amount(text: str) -> float:
    amount = float(text)
    if not 0 <= amount < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not an amount of dollars or tokens")
    return amount


MOVE_SOURCE = "Move it outside that folder, or load into a different one."
NAME_OTHER = "Name a file outside it, or omit the option."


def _require_outside(
    folder: Path | None, paths: dict[str, Path | None], hint: str = NAME_OTHER
) -> None:
    """Raise SettingsError for files in the graph folder, by the option that names them."""
    for option, path in paths.items():
        if folder and path and path.resolve().is_relative_to(folder.resolve()):
            raise SettingsError(
                f"{option} {path} is in the graph folder, which is replaced completely.",
                hint=hint,
            )
