"""Commands that call the tools of a server as its client: `ask` and `demo`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from moviegraph.cli.options import add_settings, is_of_load, options_of, settings_of
from moviegraph.cli.streams import print_error, print_result, show_progress
from moviegraph.errors import SettingsError
from moviegraph.settings import SETTINGS

if TYPE_CHECKING:
    from moviegraph.ask.final_answer import Answered
    from moviegraph.llm.openai_model import OpenAIModel
    from moviegraph.settings import Settings


def ensure_graph(settings: Settings) -> Path:
    """Return the graph folder that is set, or the one in the box, built when it is missing."""
    if settings.graph is not None:
        return settings.graph
    from moviegraph.contract.loader import read_contract
    from moviegraph.loading.builtin_graph import ensure_builtin_graph
    from moviegraph.server import open_embedder

    embedder = open_embedder(settings)
    with show_progress() as progress:
        return ensure_builtin_graph(
            settings.graph_folder, read_contract(settings), embedder, progress
        )


NOT_FOUND = 3
OF_SERVING = ("http_", "oauth_", "allowed_", "trusted_", "connector_", "record_url", "log_")
NO_MODEL = "`ask` needs a language model, and none is configured."
HOW_TO = (
    "Set MOVIEGRAPH_LLM=openai:MODEL and MOVIEGRAPH_LLM_API_KEY. For a model on this "
    "machine (Ollama, LM Studio, llama.cpp), set MOVIEGRAPH_LLM=openai:MODEL and "
    "MOVIEGRAPH_LLM_BASE_URL=http://127.0.0.1:11434/v1, without a key. To try moviegraph "
    "without a model, run `moviegraph demo`."
)


def configure_ask(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("question", metavar="QUESTION", nargs="+", help="question in plain words")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    names = (setting.name for setting in SETTINGS)
    kept = (name for name in names if not is_of_load(name) and not name.startswith(OF_SERVING))
    add_settings(parser, *kept)


def run_ask(parsed: argparse.Namespace) -> int:
    """Ask, and print the answer; the status is 3 when the graph does not answer."""
    settings = settings_of(parsed)
    question = " ".join(" ".join(parsed.question).split())
    if not question:
        raise SettingsError("The question is empty.", hint='Write a question in quotes: ask "...".')
    model = _model(settings)
    try:
        answered = _answered(question, model, parsed, settings)
    finally:
        model.close()
    _print(answered, as_json=parsed.json)
    return 0 if answered.answered else NOT_FOUND


def _model(settings: Settings) -> OpenAIModel:
    """Return the configured model. Raises SettingsError, which says how to configure one."""
    from moviegraph.server import open_language_model

    model = open_language_model(settings)
    if model is None:
        raise SettingsError(NO_MODEL, hint=HOW_TO)
    return model


def _answered(
    question: str, model: OpenAIModel, parsed: argparse.Namespace, settings: Settings
) -> Answered:
    import anyio

    from moviegraph.ask.agent import run
    from moviegraph.ask.step_printer import StepPrinter

    _check(settings)
    printer = StepPrinter(print_error)
    printer.title(f"Question: {question}")
    return anyio.run(run, question, model, options_of(parsed), printer)


def _check(settings: Settings) -> None:
    """Raise what a server would die of, and build the graph in the box if it is to be served."""
    from moviegraph.server import require_engine, require_graph, served_contract

    require_engine(settings)
    require_graph(settings, served_contract(settings))
    if settings.engine == "embedded":
        ensure_graph(settings)


def _print(answered: Answered, *, as_json: bool) -> None:
    from moviegraph.text import printable

    if as_json:
        print_result(json.dumps(answered.as_dict(), indent=1))
    else:
        print_result(printable(answered.as_text()))


GRAPH = ("engine", "graph", "contract", "mssql", "embedder", "journal")


def configure_demo(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    names = (setting.name for setting in SETTINGS if not is_of_load(setting.name))
    add_settings(parser, *(name for name in names if name.startswith(GRAPH)))


def run_demo(parsed: argparse.Namespace) -> int:
    """Build the graph if needed, start the server, and print the tour."""
    import anyio

    from moviegraph.demo.demo_printer import DemoPrinter
    from moviegraph.demo.scenario import run_demo as tour
    from moviegraph.server import require_engine, require_graph, served_contract

    settings = settings_of(parsed)
    require_engine(settings)
    contract = served_contract(settings)
    require_graph(settings, contract)
    options = options_of(parsed)
    printer = DemoPrinter(has_options=bool(options))
    if settings.engine == "embedded" and settings.graph is None:
        options += ["--graph", str(ensure_graph(settings))]
    return 0 if anyio.run(tour, options, contract, printer) else 1
