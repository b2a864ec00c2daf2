"""`moviegraph check`: one line per part, with the fix."""

from __future__ import annotations

import argparse
import json
import os
from contextlib import closing
from typing import TYPE_CHECKING

from moviegraph import __version__
from moviegraph.cli.check_results import Report
from moviegraph.cli.options import add_settings, settings_of
from moviegraph.cli.streams import print_result
from moviegraph.settings import unknown_variables
from moviegraph.text import plural

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.embeddings.embedder import Embedder
    from moviegraph.http.application import HttpConfig
    from moviegraph.journal.chain import Verification
    from moviegraph.settings import Settings


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of lines"
    )
    add_settings(parser)


def run(parsed: argparse.Namespace) -> int:
    """Check everything; the exit status is 1 if a part failed."""
    report = Report() if parsed.json else Report(lambda result: print_result(result.as_line()))
    _check(report, settings_of(parsed))
    is_ok = all(result.is_ok for result in report.results)
    if parsed.json:
        checks = [result.as_dict() for result in report.results]
        print_result(json.dumps({"ok": is_ok, "version": __version__, "checks": checks}, indent=1))
    return 0 if is_ok else 1


def _check(report: Report, settings: Settings) -> None:
    from moviegraph.query.opening import served_contract

    for text in unknown_variables(os.environ):
        report.fail("settings", text)
    contract = report.attempt("contract", lambda: served_contract(settings))
    if contract is not None:
        tables = f"{len(contract.nodes)} node and {plural(len(contract.edges), 'edge table')}"
        report.ok("contract", f"{contract.name} {contract.version}, {tables}")
        report.attempt("tools", lambda: check_tools(report, settings, contract))
    embedder = report.attempt("embedder", lambda: _load_embedder(settings))
    if embedder is not None:
        space = embedder.space
        report.ok("embedder", f"{settings.embedder}: {space.model}, {space.dimensions} dimensions")
        report.attempt("similarity", lambda: _check_similarity(report, embedder, contract))
    if settings.engine == "mssql":
        from moviegraph.cli.check_database import check_database

        check_database(report, settings, contract, embedder)
    elif contract is not None:
        from moviegraph.cli.check_graph import check_folder

        check_folder(report, settings, contract, embedder)
    _check_journal(report, settings)
    _check_model(report, settings)
    check_sent(report, settings)
    _check_http(report, settings)


def check_tools(report: Report, settings: Settings, contract: Contract) -> None:
    """Check the choice of tools, and the graph's own, also where they are not served."""
    from moviegraph_tools import CUSTOM, served_tools

    served = {tool.name for tool in served_tools(contract, settings.tools)}
    own = {tool.name for tool in served_tools(contract, (CUSTOM,))}
    text = f"{plural(len(served), 'tool')}, {len(served & own)} of the graph's own"
    if not served:
        hint = "Name tools or groups in MOVIEGRAPH_TOOLS."
        report.warn("tools", "none is served: the graph has no tools of its own", hint)
        return
    if unserved := ", ".join(sorted(own - served)):
        text += f"; not named in MOVIEGRAPH_TOOLS: {unserved}"
    report.ok("tools", text)


def _load_embedder(settings: Settings) -> Embedder:
    from moviegraph.query.opening import configured_embedder

    embedder = configured_embedder(settings)
    embedder.load()
    return embedder


QUERY = "A robot wants to become human."
SAME, OTHER = "A machine wants to become a person.", "Two sisters run a bakery by the sea."
MIN_DIFFERENCE = 0.03  # of cosines; models with a prefix put all texts between 0.7 and 1


def _check_similarity(report: Report, embedder: Embedder, contract: Contract | None) -> None:
    """Check whether two texts of one meaning are nearer than two of different meanings."""
    from moviegraph.contract.languages import is_english
    from moviegraph.embeddings.embedder import embed_documents, embed_queries

    (query,) = embed_queries(embedder, [QUERY])
    near, far = (float(vector @ query) for vector in embed_documents(embedder, [SAME, OTHER]))
    text = f"texts of one meaning {near:.2f}, of different meanings {far:.2f}"
    if near - far < MIN_DIFFERENCE:
        report.warn(
            "similarity",
            f"hardly told apart: {text}",
            "Use a model for retrieval, with the prefixes that its page names "
            "(MOVIEGRAPH_EMBEDDER_QUERY_PREFIX, MOVIEGRAPH_EMBEDDER_DOCUMENT_PREFIX).",
        )
    elif embedder.space.family == "local" and contract and not is_english(contract.language):
        report.warn(
            "similarity",
            f'the built-in model reads English, and the texts are in "{contract.language}"',
            "Set MOVIEGRAPH_EMBEDDER to a multilingual model (docs/guides/languages.md).",
        )
    else:
        report.ok("similarity", text)


def _check_journal(report: Report, settings: Settings) -> None:
    path = settings.journal_file
    verification = report.attempt("journal", lambda: _verify(settings))
    if isinstance(verification, str):
        report.creatable("journal", path, verification)
    elif verification is not None and verification.ok:
        report.ok("journal", f"{path}: {plural(verification.records, 'record')}, chain intact")
    elif verification is not None:
        number, reason = verification.faults[0]
        text = f"{path}: {f'record {number}: ' if number else ''}{reason}"
        report.fail("journal", text, "Run `moviegraph journal verify` for details.")


def _verify(settings: Settings) -> Verification | str:
    """Return the verification of the journal, or the message that there is none yet."""
    from moviegraph.journal.sqlite_journal import SqliteJournal
    from moviegraph.query.opening import require_journal_apart

    require_journal_apart(settings)
    path = settings.journal_file
    if not path.exists():
        return f"will be created in {path}"
    with closing(SqliteJournal(path)) as journal:
        return journal.verify()


def _check_model(report: Report, settings: Settings) -> None:
    from moviegraph.query.opening import open_language_model

    if settings.llm is None:
        report.skip("model", "none configured; only rules repair SQL")
    elif model := report.attempt("model", lambda: open_language_model(settings)):
        report.ok("model", f"{model.name}, not contacted")


EMBEDDED = "receives the text of every semantic search and question, and all text of a load"
REPAIRED = "receives statements to repair with their errors, the contract and earlier statements"
RANKED = ", and the question with names and text of records to rank"
ASKED = "; `ask` and `load --extract` also send it records"


def check_sent(report: Report, settings: Settings) -> None:
    """Add which text each hosted model receives, or that nothing is sent."""
    if not settings.embedder.strip().lower().startswith("local"):
        where = _where("MOVIEGRAPH_EMBEDDER_BASE_URL", settings.embedder_base_url)
        report.ok("sent out", f"{settings.embedder}{where} {EMBEDDED}")
    elif settings.llm is None:
        report.ok("sent out", "nothing: embedding and SQL repair run on this machine")
    if settings.llm is not None:
        where = _where("MOVIEGRAPH_LLM_BASE_URL", settings.llm_base_url)
        ranked = RANKED if settings.rerank else ""
        report.ok("sent out", f"{settings.llm}{where} {REPAIRED}{ranked}{ASKED}")


def _where(variable: str, address: str | None) -> str:
    """Return the variable of a custom address; the address itself may contain secrets."""
    return f" (at {variable})" if address else ""


CHECK_ISSUER = (
    "Check that MOVIEGRAPH_OAUTH_ISSUER is exactly the issuer's URL, or set "
    "MOVIEGRAPH_OAUTH_JWKS_URL to the URL of its keys."
)
ADD_KEYS = (
    "Configure the issuer to sign with RSA keys of at least 2,048 bits, or with EC or "
    "Ed25519 keys, or set MOVIEGRAPH_OAUTH_JWKS_URL to the URL of such keys."
)


def _check_http(report: Report, settings: Settings) -> None:
    """Check HTTP as a whole, and of each configured way to authenticate."""
    from moviegraph.http.application import config_warnings, http_config_from

    config = report.attempt("http", lambda: http_config_from(settings))
    if config is None:
        return
    report.ok("http", _summary(settings, config))
    if config.access is not None and config.access.tokens is not None:
        lines = config.access.tokens.lines
        names = len({line.name for line in lines})
        report.ok("tokens", f"{settings.http_tokens}: tokens: {len(lines)}, of names: {names}")
    if config.access is not None and config.access.issued is not None:
        _check_issuer(report, settings)
    for warning in config_warnings(settings):
        report.warn("access", warning.message, warning.hint)


def _summary(settings: Settings, config: HttpConfig) -> str:
    if config.access is None:
        return "without authentication, on this machine only"
    methods = (
        ("tokens of the token file", config.access.tokens),
        ("access tokens", config.access.issued),
    )
    required = " or ".join(name for name, method in methods if method is not None)
    hosts = ", ".join(settings.allowed_hosts)
    where = f"also accepts {hosts}" if hosts else "on this machine only"
    rate = plural(config.a_minute, "request") if config.a_minute else "unlimited requests"
    return f"requires {required}; {where}; {rate} per minute"


def _check_issuer(report: Report, settings: Settings) -> None:
    import anyio

    from moviegraph.http.jwt_verifier import FetchError, fetch_keys, read_keys

    try:
        keys, _ = read_keys(
            anyio.run(fetch_keys, settings.oauth_issuer or "", settings.oauth_jwks_url)
        )
    except FetchError as error:
        text = f"{error}. No access token is accepted without keys."
        report.fail("issuer", text, CHECK_ISSUER)
        return
    if keys:
        report.ok("issuer", f"{settings.oauth_issuer}: usable keys: {len(keys)}")
    else:
        report.fail("issuer", f"{settings.oauth_issuer} has no usable key.", ADD_KEYS)
