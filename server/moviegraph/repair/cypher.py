"""Patterns and statements of Cypher."""

import re
from dataclasses import dataclass, field
from itertools import combinations

from moviegraph.contract.model import Contract
from moviegraph.repair.context import Correction, Edit, RefusedStatement, correct
from moviegraph.repair.regex_rules import PARENTHESES

COMPARED = re.compile(r"(?<![\w.'])(\w+)\s*(<>|!=|=)\s*(\w+)(?![\w.'(])")
NODE = re.compile(r"\(\s*(\w*)\s*(?::\s*`?(\w+)`?)?\s*(?:\{([^{}]*)\})?\s*\)")
EDGE = re.compile(r"(<?)-{1,2}\s*(?:[\[(]\s*(\w*)\s*(?::\s*`?(\w+)`?)?\s*[\])])?\s*-{1,2}(>?)")
STEP = re.compile(rf"{EDGE.pattern}|{NODE.pattern}")
PROPERTY = re.compile(r"\s*(\w+)\s*:\s*('(?:[^']|'')*'|\"[^\"]*\"|-?\d+(?:\.\d+)?)\s*")
WHOLE = re.compile(
    r"\s*MATCH\s+(?P<patterns>.+?)(?:\s+WHERE\s+(?P<where>.+?))?\s+RETURN\s+"
    r"(?P<distinct>DISTINCT\s+)?(?P<items>.+?)(?:\s+ORDER\s+BY\s+(?P<order>.+?))?"
    r"(?:\s+LIMIT\s+(?P<limit>\d+))?\s*;?\s*",
    re.IGNORECASE | re.DOTALL,
)
BEYOND = re.compile(
    r"\b(?:UNWIND|OPTIONAL|CALL|CREATE|MERGE|DELETE|SET|SKIP|EXISTS|AVG|COLLECT)\b"
    r"|\b(?:ELEMENT)?ID\s*\(|(?<!S )\bWITH\b|=~",
    re.IGNORECASE,
)
"""Forms of Cypher that are left to the caller, whose diagnosis says how T-SQL writes them."""
PATTERN = re.compile(r"\)\s*<?-{1,2}[\[(>-]")
AGGREGATE = re.compile(r"(?:COUNT|SUM|MIN|MAX)\s*\(", re.IGNORECASE)
NAMED = re.compile(r"\s+AS\s+\w+\Z", re.IGNORECASE)
COMMA = re.compile(r",(?![^()]*\))")
PROPERTIES = re.compile(rf"\s*|{PROPERTY.pattern}(?:,{PROPERTY.pattern})*")
TEXT_SIGNS = {"CONTAINS": "%{}%", r"STARTS\s+WITH": "{}%", r"ENDS\s+WITH": "%{}"}
WITHOUT_TEXTS = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"")


@dataclass(slots=True)
class PatternGraph:
    """The nodes, edges, patterns and conditions read so far; `hops` are the edges of each MATCH.

    In Cypher one MATCH passes no edge twice.
    """

    contract: Contract
    nodes: dict[str, str] = field(default_factory=dict[str, str])
    edges: dict[str, str] = field(default_factory=dict[str, str])
    patterns: list[str] = field(default_factory=list[str])
    conditions: list[str] = field(default_factory=list[str])
    hops: list[list[str]] = field(default_factory=list[list[str]])

    def select(self, items: str, where: str | None, head: str = "") -> str:
        """Return a SELECT of items over the tables read, with MATCH and the conditions."""
        tables = [*self.nodes.items(), *((a, kind) for a, kind in self.edges.items() if kind)]
        listing = ", ".join(f"{kind} AS {alias}" for alias, kind in tables)
        conditions = [f"MATCH({' AND '.join(self.patterns)})"] if self.patterns else []
        conditions += self.conditions
        conditions += self.passed_once()
        if where:
            enclosed = re.search(r"\bOR\b", where, re.IGNORECASE)
            conditions.append(f"({where})" if enclosed else where)
        text = f"SELECT {head}{items} FROM {listing}"
        return f"{text} WHERE {' AND '.join(conditions)}" if conditions else text

    def passed_once(self) -> list[str]:
        """Return the conditions that no MATCH passes an edge twice, where two hops could."""
        return [
            f"{first}.$edge_id <> {second}.$edge_id"
            for hops in self.hops
            for first, second in combinations(hops, 2)
            if "" in (tables := {self.edges[hop].upper() for hop in (first, second)})
            or len(tables) == 1
        ]


def cypher_statement(statement: RefusedStatement) -> Correction | None:
    """A statement of Cypher is a SELECT with MATCH; it groups by what is not aggregated.

    MATCH (m:Movie)-[:IN_GENRE]->(g:Genre) RETURN g.Name
    -> SELECT g.Name FROM Movie AS m, Genre AS g, IN_GENRE AS e1 WHERE MATCH(m-(e1)->g)
    """
    match = WHOLE.fullmatch(statement.sql)
    if match is None or BEYOND.search(WITHOUT_TEXTS.sub("", statement.sql)):
        return None
    graph, where = PatternGraph(statement.contract), _where(match["where"] or "")
    if PATTERN.search(where) or not read_patterns(graph, match["patterns"]):
        return None
    head = "DISTINCT " if match["distinct"] else ""
    head += f"TOP {match['limit']} " if match["limit"] else ""
    items = [_item(graph, item.strip()) for item in COMMA.split(match["items"])]
    text = graph.select(", ".join(items), where, head)
    keys = [NAMED.sub("", item) for item in items if not AGGREGATE.match(item)]
    if 0 < len(keys) < len(items):
        # Without an order any group is first, where an extreme may be meant; and of namesakes one
        # group or several.
        if (match["limit"] and not match["order"]) or not _are_nodes(graph, keys):
            return None
        text += f" GROUP BY {', '.join(keys)}"
    text += f" ORDER BY {_counted(graph, match['order'])}" if match["order"] else ""
    text = _compared_by_key(graph, text)
    return correct([Edit(0, len(statement.sql), text)], "Cypher is not read; T-SQL has MATCH too.")


def _are_nodes(graph: PatternGraph, keys: list[str]) -> bool:
    """Return whether one group is one node, as far as others may have its name."""
    grouped = {key.lower() for key in keys}
    for alias in {key.partition(".")[0] for key in keys}:
        node = graph.contract.node(graph.nodes.get(alias, ""))
        has_namesakes = node and (node.disambiguated_by or node.named_within)
        if node and has_namesakes and f"{alias}.{node.key}".lower() not in grouped:
            return False
    return True


def _where(text: str) -> str:
    """Return a WHERE with lists in parentheses, and comparisons of texts that T-SQL has as LIKE."""
    for word, form in TEXT_SIGNS.items():
        text = re.sub(
            rf"\s+{word}\s+(['\"])([^'\"%_\[]*)\1",
            lambda match, form=form: f" LIKE '{form.format(match[2])}'",
            text,
            flags=re.IGNORECASE,
        )
    text = re.sub(r"\[((?:\s*'[^']*'\s*,?)+)\]", r"(\1)", text)
    return re.sub(r"\bto(Lower|Upper)\(", r"\1(", text)


def _compared_by_key(graph: PatternGraph, text: str) -> str:
    """Return a text in which nodes are compared by their keys."""

    def compared(match: re.Match[str]) -> str:
        left, right = (graph.contract.node(graph.nodes.get(match[n], "")) for n in (1, 3))
        if left is None or right is None:
            return match.group()
        return f"{match[1]}.{left.key} {match[2]} {match[3]}.{right.key}"

    return COMPARED.sub(compared, text)


def read_patterns(graph: PatternGraph, text: str) -> bool:
    """Read paths between commas; False where one is no plain chain, or a node has no kind."""
    for match in re.split(r"\s+MATCH\s+", text, flags=re.IGNORECASE):
        graph.hops.append([])
        paths = re.split(r"\s*,\s*(?=\()", match)
        if not all(_pattern(graph, path.strip()) for path in paths):
            return False
    return bool(graph.nodes) and all(graph.nodes.values())


def _pattern(graph: PatternGraph, text: str) -> bool:
    """Read one path; False where it is no plain chain of nodes, and edges that are new."""
    index, chain = 0, ""
    while True:
        node = NODE.match(text, index)
        if node is None:
            return False
        name = _node(graph, node)
        if name is None:
            return False
        chain += name
        index = node.end()
        if index >= len(text):
            break
        edge = EDGE.match(text, index)
        if edge is None or (edge[1] and edge[4]):
            return False
        hop = edge[2] or _fresh(graph, "e")
        if hop in graph.edges:
            return False
        graph.edges[hop] = edge[3] or ""
        graph.hops[-1].append(hop)
        chain += f"<-({hop})-" if edge[1] else f"-({hop})->"
        index = edge.end()
    if ")" in chain:
        graph.patterns.append(chain)
    return True


def _node(graph: PatternGraph, match: re.Match[str]) -> str | None:
    """Read a node; None where a property of it is no literal."""
    if not PROPERTIES.fullmatch(match[3] or ""):
        return None
    alias = match[1] or _fresh(graph, (match[2] or "n")[0].lower())
    kind = graph.nodes.get(alias, "")
    graph.nodes[alias] = match[2] or kind
    for name, value in PROPERTY.findall(match[3] or ""):
        graph.conditions.append(f"{alias}.{name} = {_single(value)}")
    return alias


def _fresh(graph: PatternGraph, letter: str) -> str:
    used = graph.nodes.keys() | graph.edges.keys()
    return next(f"{letter}{n}" for n in range(1, len(used) + 2) if f"{letter}{n}" not in used)


def _single(value: str) -> str:
    escaped = value[1:-1].replace("'", "''")
    return f"'{escaped}'" if value.startswith('"') else value


def _item(graph: PatternGraph, text: str) -> str:
    """Return an item; a node alone is its columns without the vector."""
    node = graph.contract.node(graph.nodes.get(text, ""))
    if node is not None:
        columns = [column.name for column in node.columns if column.name != node.vector]
        return ", ".join(f"{text}.{name}" for name in columns)
    return _counted(graph, text)


def _counted(graph: PatternGraph, text: str) -> str:
    def counted(match: re.Match[str]) -> str:
        node = graph.contract.node(graph.nodes.get(match[2], ""))
        if match[2] not in graph.nodes.keys() | graph.edges.keys() or (match[1] and node is None):
            return match.group()
        return f"COUNT(DISTINCT {match[2]}.{node.key})" if match[1] and node else "COUNT(*)"

    return re.sub(r"\bcount\(\s*(distinct\s+)?(\w+)\s*\)", counted, text, flags=re.IGNORECASE)


def cypher_pattern(statement: RefusedStatement) -> Correction | None:
    """Labels, square brackets, and nodes in parentheses in MATCH(...) are Cypher.

    SELECT g.Id FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-[e:IN_GENRE]->g)
    -> SELECT g.Id FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)
    """
    # Not by tokens: a long arrow `--` begins a comment there.
    for call in re.finditer(rf"\bMATCH\s*({PARENTHESES})", statement.sql, re.IGNORECASE):
        first, last = call.start(1) + 1, call.end(1) - 1
        text = statement.sql[first:last]
        pattern = STEP.sub(_with_aliases, text)
        if "{" not in text and pattern != text:
            return correct([Edit(first, last, pattern)], "MATCH takes aliases; FROM has tables.")
    return None


def _with_aliases(match: re.Match[str]) -> str:
    """Return an edge or a node of Cypher by its alias, or by its label."""
    tail, edge, edge_label, head, node, node_label, _ = match.groups()
    if tail is None:
        return node or node_label or ""
    name = edge or edge_label or ""
    return f"<-({name})-" if tail else f"-({name}){'->' if head else '-'}"
