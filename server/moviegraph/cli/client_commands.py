"""What commands that call tools share: a server in this process; and `ask` and `demo`."""

from __future__ import annotations

import argparse
import json
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from moviegraph import __version__
from moviegraph.cli.options import add_settings, has_options, is_of_load, settings_of
from moviegraph.cli.streams import ProgressLines, log_to_stderr, print_error, print_result
from moviegraph.errors import SettingsError
from moviegraph.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from mcp import Client

    from moviegraph.ask.evidence import Answered
    from moviegraph.llm.openai_model import OpenAIModel
    from moviegraph.server import GraphServer
    from moviegraph.settings import Settings


def ensure_graph(settings: Settings) -> Path:
    """Return the configured graph folder, or the built-in one, built if it is missing."""
    if settings.graph is not None:
        return settings.graph
    from moviegraph.contract.loader import read_contract
    from moviegraph.loading.folder_loader import ensure_builtin_graph
    from moviegraph.query.opening import configured_embedder

    embedder = configured_embedder(settings)
    progress = ProgressLines().show
    return ensure_builtin_graph(settings.graph_folder, read_contract(settings), embedder, progress)


NOT_FOUND = 3
EVAL_TOP = 10  # first results that count in an evaluation
SERVER_ONLY = ("http_", "oauth_", "allowed_", "trusted_", "record_url", "log_")
CONFIGURE_MODEL = (
    "Set MOVIEGRAPH_LLM=openai:MODEL and MOVIEGRAPH_LLM_API_KEY. For a model on this "
    "machine (Ollama, LM Studio, llama.cpp), set MOVIEGRAPH_LLM=openai:MODEL and "
    "MOVIEGRAPH_LLM_BASE_URL=http://127.0.0.1:11434/v1, without a key. `moviegraph demo` needs no "
    "model."
)


def add_server_settings(parser: argparse.ArgumentParser, omitted: tuple[str, ...] = ()) -> None:
    """Add the options of a server that only this process calls."""
    names = (setting.name for setting in SETTINGS if setting.name not in omitted)
    add_settings(parser, *(n for n in names if not is_of_load(n) and not n.startswith(SERVER_ONLY)))


def open_server(settings: Settings, *, eager: bool = False) -> GraphServer:
    """Return a server for calls of this process, with the built-in graph built if it is missing.

    Raises:
        OperatorError: The settings, the contract or the graph are wrong.
    """
    from moviegraph.server import create_server

    log_to_stderr(settings)
    server = create_server(settings, check_graph=True, eager=eager)
    if settings.engine == "embedded":
        ensure_graph(settings)
    return server


@asynccontextmanager
async def client_of(server: GraphServer, name: str) -> AsyncGenerator[Client]:
    """Yield a client in this process, which the journal knows by this name."""
    from mcp import Client
    from mcp.types import Implementation

    failure: Exception | None = None
    async with Client(server, client_info=Implementation(name=name, version=__version__)) as client:
        try:
            yield client
        except Exception as error:  # noqa: BLE001 - raised here, it would leave in a group
            failure = error
    if failure is not None:
        raise failure


def configure_ask(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("question", metavar="QUESTION", nargs="+", help="question in plain words")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    add_server_settings(parser)


def run_ask(parsed: argparse.Namespace) -> int:
    """Print the answer; the status is 3 if the graph has none."""
    import anyio

    from moviegraph.ask.agent import answer_question
    from moviegraph.ask.step_printer import StepPrinter
    from moviegraph.text import printable

    settings = settings_of(parsed)
    question = " ".join(" ".join(parsed.question).split())
    if not question:
        raise SettingsError("The question is empty.", hint='Write a question in quotes: ask "...".')
    with closing(require_language_model(settings, "ask")) as model:
        server = open_server(replace(settings, tools=()))  # its steps need the ten
        printer = StepPrinter(print_error)
        printer.title(f"Question: {question}")

        async def work() -> Answered:
            async with client_of(server, "ask") as client:
                return await answer_question(question, model, client, printer)

        answer = anyio.run(work)
    if parsed.json:
        print_result(json.dumps(answer.as_dict(), indent=1))
    else:
        print_result(printable(answer.as_text()))
    return 0 if answer.answered else NOT_FOUND


def require_language_model(settings: Settings, command: str, *, many: bool = False) -> OpenAIModel:
    """Return the configured model. Raises SettingsError with how to configure one."""
    from moviegraph.query.opening import open_language_model

    model = open_language_model(settings, many=many)
    if model is None:
        message = f"`{command}` needs a language model, and none is configured."
        raise SettingsError(message, hint=CONFIGURE_MODEL)
    return model


GRAPH = ("engine", "graph", "contract", "mssql", "embedder", "journal")


def configure_demo(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    names = (setting.name for setting in SETTINGS if not is_of_load(setting.name))
    add_settings(parser, *(name for name in names if name.startswith(GRAPH)))


def run_demo(parsed: argparse.Namespace) -> int:
    """Build the graph if needed, and print the tour."""
    import anyio

    from moviegraph.demo import NEXT_STEPS, WIDTH, DemoPrinter, tour_graph
    from moviegraph.query.opening import served_contract

    settings = settings_of(parsed)
    server = open_server(replace(settings, tools=()))
    contract = served_contract(settings)

    async def work() -> bool:
        async with client_of(server, "demo") as client:
            return await tour_graph(client, contract, DemoPrinter(print_result, WIDTH))

    has_rows = anyio.run(work)
    options = ", with the options of this demo" if has_options(parsed) else ""
    print_result(NEXT_STEPS.format(options=options))
    return 0 if has_rows else 1
