"""What stands around a statement: JSON, prose, blocks, settings."""

import json
import re
from typing import Any, cast

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.outline import TokenRange
from moviegraph.repair.context import RefusedStatement
from moviegraph.sql.advice import ENTITY
from moviegraph.sql.reserved import RESERVED, STATEMENT_WORDS
from moviegraph.sql.scan import regions

BEGINS = re.compile(r"\s*\(*\s*;?\s*(SELECT|WITH)\b", re.IGNORECASE)
HARMLESS = re.compile(
    r"\s*(?:GO\b|USE\s+(?:\w+|\[[^\]]+\])|SET\s+(?:NOCOUNT|ANSI_NULLS|ANSI_WARNINGS|XACT_ABORT|"
    r"QUOTED_IDENTIFIER|ARITHABORT)\s+\w+|"
    r"SET\s+LANGUAGE\s+(?:us_)?english|SET\s+DATEFORMAT\s+mdy|"
    r"SET\s+TRANSACTION\s+ISOLATION\s+LEVEL\s+(?:\w+\s+)??\w+(?=\s*[;\n]))[ \t]*(?:;|(?=\s))",
    re.IGNORECASE,
)
TAGGED = re.compile(r"<(\w+)>(.*?)</\1>", re.DOTALL)
CHARACTERS = {
    "<": ("lt", "#60", "#x3c"),
    ">": ("gt", "#62", "#x3e"),
    "<=": ("le",),
    ">=": ("ge",),
    "<>": ("ne",),
    "&": ("amp", "#38", "#x26"),
    " ": ("nbsp", "#160", "#xa0"),
    "'": ("apos", "#39", "#x27"),
    '"': ("quot", "#34", "#x22"),
}
ENTITIES = {name: character for character, names in CHARACTERS.items() for name in names}
BREAKS = re.compile(r"\\(?:r\\n|n|r|t)")
PARAGRAPH = re.compile(r";[ \t]*\r?\n\s*|\n[ \t]*\r?\n\s*|;[ \t]+(?=[A-Z][a-z]+ [a-z])")
TOLD = re.compile(
    r"(?:This|That|These|The|It|Its|Note|Notes|Explanation|Here|I|You|Please|Where|In|Let|If|"
    r"\*\*|#+|-|\d\.)[\s:*]",
)
GOES_ON = re.compile(r"(?:Where|In|\*\*|-|\d)(?![\w])")
WORDS = r"\b(?!(?:is|not|null|like|in|and|or|between|exists|by|asc|desc)\b)[a-z]+"
SENTENCE = re.compile(rf"[^\n=<>()]*{WORDS} {WORDS} {WORDS}\b[^\n=<>()]*(?:\n|\Z)")
PROJECT_PARTS = 3  # `project.dataset.table` of BigQuery
BACKTICKED = re.compile(r"`([^`\n]+)`")
CLAUSES = frozenset(
    "FROM JOIN INNER LEFT ON ORDER WHERE GROUP HAVING LIMIT OFFSET UNION AND OR".split()
)


def json_wrapper(statement: RefusedStatement) -> Correction | None:
    """Of an object such as {"sql": "SELECT ..."} the one statement in it is meant."""
    if not statement.sql.lstrip().startswith(("{", '"', "[")):
        return None
    try:
        found = _statements(json.loads(statement.sql, strict=False))
    except (ValueError, RecursionError):
        return None
    if len(found) != 1:
        return None
    return correct(
        [Edit(0, len(statement.sql), found[0])], "The statement stood in JSON; it is sent alone."
    )


def quoted_whole(statement: RefusedStatement) -> Correction | None:
    """Backticks or tags around the whole statement, and what stands in other tags, are dropped."""
    text = statement.sql.strip()
    if text.startswith("`") and text.strip("`") and BEGINS.match(text.strip("`")):
        inner = text.strip("`")
    else:
        tagged = TAGGED.search(text)
        inner = TAGGED.sub("", text) if tagged else ""
        if tagged and not BEGINS.match(inner):
            inner = tagged[2] if not inner.strip() else ""
    if not BEGINS.match(inner) or inner.startswith("``") or "`" in inner:
        return None
    why = "Only the statement itself is sent, without what is wrapped around it."
    return correct([Edit(0, len(statement.sql), inner.strip())], why)


def _statements(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value] if BEGINS.match(value) else []
    if isinstance(value, dict):
        held = cast("dict[str, Any]", value)
        return [text for each in held.values() for text in _statements(each)]
    return []


def html_entities(statement: RefusedStatement) -> Correction | None:
    """What HTML writes as `&gt;` is the character itself; texts between quotes stay as they are."""
    if "&" not in statement.sql or not statement.readable:
        return None
    edits = [
        Edit(found.start(), found.end(), ENTITIES[name])
        for region in regions(statement.sql)
        if region.kind == "code"
        for found in ENTITY.finditer(statement.sql, region.start, region.end)
        if (name := found.group()[1:-1].lower()) in ENTITIES
    ]
    return correct(edits, "HTML entities stood for the characters themselves.")


def escaped_breaks(statement: RefusedStatement) -> Correction | None:
    r"""A \n written out between words is a line break."""
    if "\\" not in statement.sql or not statement.readable:
        return None
    edits = [
        Edit(found.start(), found.end(), "\n" if "n" in found.group() else " ")
        for region in regions(statement.sql)
        if region.kind == "code"
        for found in BREAKS.finditer(statement.sql, region.start, region.end)
    ]
    return correct(edits, r"\n and \t stood for line breaks and blanks.")


def harmless_preamble(statement: RefusedStatement) -> Correction | None:
    """USE, GO and SET NOCOUNT ON in front read nothing and change nothing here."""
    index = 0
    while (found := HARMLESS.match(statement.sql, index)) is not None:
        index = found.end()
    if not index or not re.match(
        r"\s*(?:;\s*)?(?:SELECT|WITH|DECLARE)\b", statement.sql[index:], re.I
    ):
        return None
    why = "One statement is sent alone; the database and the settings are the server's."
    return correct([Edit(0, index, "")], why)


def prose_behind(statement: RefusedStatement) -> Correction | None:
    """Sentences below the statement are no part of it."""
    if not BEGINS.match(statement.sql):
        return None
    for found in PARAGRAPH.finditer(statement.sql):
        rest = statement.sql[found.end() :]
        ended = found.group().startswith(";")
        if not TOLD.match(rest) or _commands(rest) or not (ended or _is_told(rest)):
            continue
        keep = found.start() + ended
        why = "What is said about the statement is no part of it."
        return correct([Edit(keep, len(statement.sql), "")], why)
    return None


def _is_told(rest: str) -> bool:
    """Whether a text that no semicolon parts from the statement cannot be its next clause."""
    return not GOES_ON.match(rest) or SENTENCE.match(rest) is not None


def _commands(prose: str) -> bool:
    """Whether a line of a text begins like a statement, which nobody should overlook."""
    words = {
        line.split(maxsplit=1)[0].upper() for line in re.split(r"[;\n]", prose) if line.split()
    }
    return bool(words & (STATEMENT_WORDS | {"SELECT", "WITH"}))


def backticks(statement: RefusedStatement) -> Correction | None:
    """A name in backticks is that name, in brackets where it needs them."""
    if not statement.readable or "`" not in statement.sql:
        return None
    edits = [
        Edit(found.start(), found.end(), _delimited(found[1]))
        for region in regions(statement.sql)
        if region.kind == "code"
        for found in BACKTICKED.finditer(statement.sql, region.start, region.end)
    ]
    return correct(edits, "T-SQL delimits names by brackets, where they need it.")


def _delimited(name: str) -> str:
    parts = name.split(".")
    parts = parts[-1:] if len(parts) == PROJECT_PARTS else parts
    plain = all(
        re.fullmatch(r"[A-Za-z_]\w*", part) and part.upper() not in RESERVED for part in parts
    )
    return ".".join(parts) if plain else ".".join(f"[{part}]" for part in parts)


def block(statement: RefusedStatement) -> Correction | None:
    """BEGIN and END around one statement are dropped."""
    last = len(statement.tokens) - 1
    while last > 0 and statement.upper(last) == ";":
        last -= 1
    if statement.upper(0) != "BEGIN" or statement.upper(last) != "END":
        return None
    if statement.upper(1) not in ("SELECT", "WITH"):
        return None
    first = statement.tokens[0]
    edits = [
        Edit(first.start, first.end, ""),
        Edit(statement.start(last), statement.tokens[-1].end, ""),
    ]
    return correct(edits, "One statement needs no block around it.")


def from_first(statement: RefusedStatement) -> Correction | None:
    """FROM a SELECT b WHERE c is SELECT b FROM a WHERE c."""
    outer = [select for select in statement.selects if select.depth == 0]
    if statement.upper(0) != "FROM" or len(outer) != 1 or "FROM" in outer[0].clauses:
        return None
    listing = outer[0].clauses["SELECT"]
    source = TokenRange(0, outer[0].first)
    start, end = 0, statement.tokens[listing.last - 1].end
    text = f"{statement.text(TokenRange(outer[0].first, listing.last))} {statement.text(source)}"
    return correct([Edit(start, end, text)], "T-SQL begins with SELECT.")


def _is_behind_ctes(statement: RefusedStatement, index: int) -> bool:
    """Whether nothing but CTEs stands before the SELECT behind a semicolon."""
    if (
        statement.upper(0) != "WITH"
        or statement.upper(index - 1) != ")"
        or statement.upper(index + 1) != "SELECT"
    ):
        return False
    return not any(select.depth == 0 and select.first < index for select in statement.selects)


def early_semicolon(statement: RefusedStatement) -> Correction | None:
    """A semicolon before a further clause of the same statement is dropped."""
    edits = [
        Edit(token.start, token.end, "")
        for index, token in enumerate(statement.tokens)
        if token.upper == ";"
        and index
        and (statement.upper(index + 1) in CLAUSES or _is_behind_ctes(statement, index))
    ]
    return correct(edits, "The clause behind the semicolon belongs to the statement.")
