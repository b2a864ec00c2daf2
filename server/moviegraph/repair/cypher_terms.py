"""Terms of Cypher that stand in WHERE, WITH and RETURN."""

import re

from moviegraph.contract.model import Contract
from moviegraph.repair.changes import Edit, apply, without_overlaps
from moviegraph.repair.context import RefusedStatement

AGGREGATE = re.compile(r"\b(COUNT|SUM|AVG|MIN|MAX|STRING_AGG)\s*\(", re.IGNORECASE)
COMPARED = re.compile(r"(?<![\w.'])(\w+)\s*(<>|!=|=)\s*(\w+)(?![\w.'(])")
KEYED = re.compile(r"\b(?:element)?id\(\s*(\w+)\s*\)", re.IGNORECASE)
COLLECTED = re.compile(r"\bcollect\(\s*(\w+\.\w+)\s*\)", re.IGNORECASE)
CONTAINED = re.compile(r"=~\s*(['\"])\(\?i\)(\.\*)?([\w ]+)(\.\*)?\1", re.IGNORECASE)
COMMA = re.compile(r",(?![^()]*\))")
Kinds = dict[str, str]


def said(text: str, contract: Contract, kinds: Kinds) -> str:
    """Return a text in which nodes are compared by key, and collect and =~ are those of T-SQL."""

    def compared(found: re.Match[str]) -> str:
        one, other = (contract.node(kinds.get(found[n], "")) for n in (1, 3))
        if one is None or other is None:
            return found.group()
        return f"{found[1]}.{one.key} {found[2]} {found[3]}.{other.key}"

    def key(found: re.Match[str]) -> str:
        node = contract.node(kinds.get(found[1], ""))
        return f"{found[1]}.{node.key}" if node else found.group()

    text = COMPARED.sub(compared, KEYED.sub(key, text))
    text = COLLECTED.sub(r"STRING_AGG(\1, ', ')", text)
    return CONTAINED.sub(lambda m: f"LIKE '{'%' if m[2] else ''}{m[3]}{'%' if m[4] else ''}'", text)


def with_fractions(statement: RefusedStatement) -> str:
    """Return a text in which every average has its fraction: that of whole numbers has none."""
    edits: list[Edit] = []
    for call in statement.calls("AVG"):
        for argument in call.arguments[:1]:
            start = statement.start(
                argument.first + (statement.upper(argument.first) == "DISTINCT")
            )
            end = statement.tokens[argument.last - 1].end
            edits += [Edit(start, start, "CAST("), Edit(end, end, " AS FLOAT)")]
    return apply(statement.sql, without_overlaps(edits))


def named(items: str) -> dict[str, str] | None:
    """Return what WITH names, `expression AS name`; a node alone is itself."""
    found: dict[str, str] = {}
    for item in COMMA.split(items):
        value, _, name = re.sub(r"\s+AS\s+", "\0", item.strip(), flags=re.I).partition("\0")
        if not name and not re.fullmatch(r"\w+", value):
            return None
        found[(name or value).strip()] = value.strip()
    return found


def written_out(text: str, names: dict[str, str], *, listed: bool) -> str:
    """Return a text with the expressions for the names that WITH gave them."""
    parts = COMMA.split(text) if listed else [text]
    return ", ".join(_part(part.strip(), names, listed=listed) for part in parts)


def _part(text: str, names: dict[str, str], *, listed: bool) -> str:
    if listed and names.get(text, text) != text:
        return f"{names[text]} AS {text}"
    words = "|".join(re.escape(name) for name, value in names.items() if value != name)
    if not words:
        return text
    return re.sub(rf"(?<![\w.'])({words})(?![\w.'(])", lambda m: names[m[1]], text)
