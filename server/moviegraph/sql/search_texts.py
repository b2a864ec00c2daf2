"""What full-text calls search for: read by the guard, so that both engines refuse the same."""

from sqlglot import exp

from moviegraph.errors import ExecutionError
from moviegraph.sql.conditions import Condition, is_void, phrases_of
from moviegraph.sql.contains import check_length, parse_contains
from moviegraph.sql.functions import FULLTEXT
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.walk import nodes
from moviegraph.sql.words import STOP_WORDS, words_of

STOPPED = "stop words are left out of the full-text index."
SILENT = " finds nothing by "
WORDLESS = "the full-text index holds letters and digits alone."


def check_search_text(name: str, text: str) -> None:
    """Check the text of a full-text call against its grammar. Raises RefusalError."""
    try:
        if name.startswith("CONTAINS"):
            parse_contains(text)
        else:
            _check_free_text(name, text)
    except ExecutionError as error:
        raise RefusalError("fulltext_syntax", f"{name}: {error.message} {error.hint}") from error


def _check_free_text(name: str, text: str) -> None:
    check_length(text)
    if not text.strip():
        raise RefusalError(
            "fulltext_syntax", f"{name}: The text to search for is empty. Write the words wanted."
        )


def search_notes(tree: exp.Expr) -> list[str]:
    """Say of each full-text call that stop words keep from finding anything."""
    found: list[str] = []
    for node in nodes(tree):
        if isinstance(node, exp.Anonymous) and node.name[2:] in FULLTEXT:
            found += notes_on(*searched(node))
    return list(dict.fromkeys(found))


def searched(call: exp.Anonymous) -> tuple[str, str]:
    """Return function and text of a full-text call."""
    name = call.name[2:]
    return name, str(call.expressions[2 if name.endswith("TABLE") else 1].this)


def notes_on(name: str, text: str) -> list[str]:
    """Say of a full-text call that stop words keep it from finding anything."""
    if name.startswith("CONTAINS"):
        silent = _silent_terms(parse_contains(text))
    else:
        silent = [text] if set(words_of(text)) <= STOP_WORDS else []
    return [
        f"{name}{SILENT}{term[:40]!r}: {STOPPED if words_of(term) else WORDLESS} "
        "Leave the term out, or compare with LIKE."
        for term in silent[:1]
    ]


def _silent_terms(condition: Condition) -> list[str]:
    if not is_void(condition):
        return []
    return [phrase.written for phrase in phrases_of(condition) if is_void(phrase)]
