"""`load --extract`: the options, and the language model that they open."""

from __future__ import annotations

import argparse
import math
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from moviegraph.cli.outside import require_outside
from moviegraph.cli.streams import complain
from moviegraph.errors import SettingsError
from moviegraph.text import plural

if TYPE_CHECKING:
    from moviegraph.cli.progress import Progress
    from moviegraph.embeddings.embedder import Embedder
    from moviegraph.llm.openai_model import OpenAIModel
    from moviegraph.loading.extraction.extraction import Extraction
    from moviegraph.loading.extraction.spending import Spending
    from moviegraph.loading.extraction.summary import ExtractionSummary
    from moviegraph.settings import Settings

NO_MODEL = "`load --extract` needs a language model, and none is configured."
HOW_TO = (
    "Set MOVIEGRAPH_LLM=openai:MODEL and MOVIEGRAPH_LLM_API_KEY. For a model on this "
    "machine, set MOVIEGRAPH_LLM=openai:MODEL and "
    "MOVIEGRAPH_LLM_BASE_URL=http://127.0.0.1:11434/v1."
)
SETTINGS = (
    "llm",
    "llm_base_url",
    "llm_azure_endpoint",
    "llm_azure_api_version",
    "llm_timeout",
    "llm_price",
    "llm_concurrency",
)


def configure(parser: argparse.ArgumentParser) -> None:
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
    from moviegraph.loading.extraction.answers import AnswerStore
    from moviegraph.loading.extraction.asking import KEPT, Asker
    from moviegraph.loading.extraction.extraction import Extraction

    model = _model(settings)
    kept, report = parsed.answers or _answers(folder), parsed.extracted or _report(folder)
    if report is not None and kept.resolve() == report.resolve():
        raise SettingsError("--answers and --extracted name the same file. Name two files.")
    require_outside(folder, {"--answers": parsed.answers, "--extracted": parsed.extracted})
    answers = AnswerStore(kept)
    asker = Asker(
        model,
        answers,
        _spending(settings, parsed.max_cost),
        concurrency=settings.llm_concurrency,
        progress=progress,
    )
    try:
        yield Extraction(asker, embedder, report, complain)
    except KeyboardInterrupt:
        complain(f"Interrupted. {KEPT}")
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
    from moviegraph.app import open_language_model

    model = open_language_model(settings, many=True)
    if model is None:
        raise SettingsError(NO_MODEL, hint=HOW_TO)
    return model


def _spending(settings: Settings, ceiling: float | None) -> Spending:
    from moviegraph.app import language_model_endpoint
    from moviegraph.loading.extraction.price import price_of
    from moviegraph.loading.extraction.spending import Spending

    return Spending(price_of(language_model_endpoint(settings), settings.llm_price), ceiling)


def _answers(folder: Path | None) -> Path:
    from platformdirs import user_state_path

    from moviegraph.loading.extraction.answers import OWN_NAME, answers_beside

    if folder is None:
        return user_state_path("moviegraph", appauthor=False) / OWN_NAME
    return answers_beside(folder)


def _report(folder: Path | None) -> Path | None:
    from moviegraph.loading.extraction.report import report_beside

    return None if folder is None else report_beside(folder)


def _dollars(text: str) -> float:
    dollars = float(text)
    if not 0 <= dollars < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not an amount in dollars")
    return dollars
