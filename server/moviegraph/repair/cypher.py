"""Patterns and statements of Cypher."""

import re
from dataclasses import dataclass, field
from itertools import combinations

from moviegraph.contract.model import Contract
from moviegraph.repair.context import (
    Correction,
    Edit,
    RefusedStatement,
    apply,
    correct,
    without_overlaps,
)

AGGREGATE = re.compile(r"\b(COUNT|SUM|AVG|MIN|MAX|STRING_AGG)\s*\(", re.IGNORECASE)
COMPARED = re.compile(r"(?<![\w.'])(\w+)\s*(<>|!=|=)\s*(\w+)(?![\w.'(])")
KEYED = re.compile(r"\b(?:element)?id\(\s*(\w+)\s*\)", re.IGNORECASE)
COLLECTED = re.compile(r"\bcollect\(\s*(\w+\.\w+)\s*\)", re.IGNORECASE)
CONTAINED = re.compile(r"=~\s*(['\"])\(\?i\)(\.\*)?([\w ]+)(\.\*)?\1", re.IGNORECASE)
COMMA = re.compile(r",(?![^()]*\))")
Kinds = dict[str, str]
NODE = re.compile(r"\(\s*(\w*)\s*(?::\s*`?(\w+)`?)?\s*(?:\{([^{}]*)\})?\s*\)")
EDGE = re.compile(r"(<?)-{1,2}\s*(?:[\[(]\s*(\w*)\s*(?::\s*`?(\w+)`?)?\s*[\])])?\s*-{1,2}(>?)")
PROPERTY = re.compile(r"\s*(\w+)\s*:\s*('(?:[^']|'')*'|\"[^\"]*\"|-?\d+(?:\.\d+)?)\s*")
PROPERTIES = re.compile(rf"\s*|{PROPERTY.pattern}(?:,{PROPERTY.pattern})*")
WHOLE = re.compile(
    r"\s*MATCH\s+(?P<patterns>.+?)(?:\s+WHERE\s+(?P<where>.+?))?"
    r"(?:\s+(?<!S\s)WITH\s+(?P<with>(?!DISTINCT)[^;]+?)(?:\s+WHERE\s+(?P<having>[^;]+?))?)?"
    r"\s+RETURN\s+(?P<distinct>DISTINCT\s+)?"
    r"(?P<items>.+?)(?:\s+ORDER\s+BY\s+(?P<order>.+?))?(?:\s+SKIP\s+(?P<skip>\d+))?"
    r"(?:\s+LIMIT\s+(?P<limit>\d+))?\s*;?\s*",
    re.IGNORECASE | re.DOTALL,
)
PREDICATE = re.compile(
    r"(?:\bEXISTS\s*[({]\s*(?:MATCH\s+)?)?(?P<path>\(\w*(?::\w+)?\s*(?:\{[^{}]*\})?\)"
    r"(?:<?-{1,2}\[?[\w:]*\]?-{1,2}>?\(\w*(?::\w+)?\s*(?:\{[^{}]*\})?\))+)(?:\s*[)}])?",
    re.IGNORECASE,
)
TEXT_SIGNS = {"CONTAINS": "%{}%", "STARTS WITH": "{}%", "ENDS WITH": "%{}"}
BEYOND = re.compile(
    r"\b(UNWIND|OPTIONAL|CALL|CREATE|MERGE|DELETE|SET)\b|\bWITH\b.*\bWITH\b", re.I | re.S
)
WITHOUT_TEXTS = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"")


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


@dataclass(frozen=True, slots=True)
class _Hop:
    """An edge of a pattern: the nodes at its ends, and in which MATCH it stands."""

    edge: str
    ends: tuple[str, str]
    match: int


@dataclass(slots=True)
class PatternGraph:
    """The nodes, edges, patterns and conditions read so far.

    `repeating` says whether one MATCH may pass an edge twice: in SQL/PGQ it may, in Cypher not.
    """

    contract: Contract
    nodes: dict[str, str] = field(default_factory=dict[str, str])
    edges: dict[str, str] = field(default_factory=dict[str, str])
    patterns: list[str] = field(default_factory=list[str])
    conditions: list[str] = field(default_factory=list[str])
    hops: list[_Hop] = field(default_factory=list[_Hop])
    matches: int = 0
    repeating: bool = False

    def select(self, items: str, where: str | None, head: str = "") -> str:
        """Return a SELECT of items over the tables read, with MATCH and the conditions."""
        tables = [*self.nodes.items(), *((a, kind) for a, kind in self.edges.items() if kind)]
        listing = ", ".join(f"{kind} AS {alias}" for alias, kind in tables)
        conditions = [f"MATCH({' AND '.join(self.patterns)})"] if self.patterns else []
        conditions += self.conditions
        conditions += [] if self.repeating else self.passed_once()
        if where:
            enclosed = re.search(r"\bOR\b", where, re.IGNORECASE)
            conditions.append(f"({where})" if enclosed else where)
        text = f"SELECT {head}{items} FROM {listing}"
        return f"{text} WHERE {' AND '.join(conditions)}" if conditions else text

    def passed_once(self) -> list[str]:
        """Return the conditions that no MATCH passes an edge twice, where two hops could."""
        return [
            f"{one.edge}.$edge_id <> {other.edge}.$edge_id"
            for one, other in combinations(self.hops, 2)
            if one.match == other.match
            and one.edge != other.edge
            and self._table(one) == self._table(other)
            and self._kinds(one) == self._kinds(other)
        ]

    def _table(self, hop: _Hop) -> str:
        """Return the edge table of a hop; one left out is the only one between its ends."""
        if self.edges[hop.edge]:
            return self.edges[hop.edge].upper()
        kinds = self._kinds(hop)
        fitting = {e.name.upper() for e in self.contract.connections if e.ends == kinds}
        return fitting.pop() if len(fitting) == 1 else ""

    def _kinds(self, hop: _Hop) -> set[str]:
        nodes = (self.contract.node(self.nodes.get(end, "")) for end in hop.ends)
        return {node.name for node in nodes if node is not None}


def cypher_statement(statement: RefusedStatement) -> Correction | None:
    """MATCH (m:Movie)-[:IN_GENRE]->(g:Genre) ... RETURN m.Name is a SELECT with MATCH."""
    found = WHOLE.fullmatch(statement.sql)
    if found is None or BEYOND.search(_unsigned(WITHOUT_TEXTS.sub("", statement.sql))):
        return None
    graph = PatternGraph(statement.contract)
    if not read_patterns(graph, found["patterns"]):
        return None
    where = _predicates(graph, where_of(found["where"])) if found["where"] else None
    names = named(found["with"]) if found["with"] else {}
    if names is None or re.search(r"\b(ORDER|LIMIT|SKIP)\b", found["with"] or "", re.I):
        return None
    text = said(_select(graph, found, where, names), graph.contract, graph.nodes)
    if "=~" in WITHOUT_TEXTS.sub("", text):
        return None
    text = with_fractions(RefusedStatement(text, graph.contract))
    return correct([Edit(0, len(statement.sql), text)], "Cypher is not read; T-SQL has MATCH too.")


def read_patterns(graph: PatternGraph, text: str) -> bool:
    """Read paths between commas; False where one is no plain chain, or a node has no kind."""
    for match in re.split(r"\s+MATCH\s+", text, flags=re.IGNORECASE):
        graph.matches += 1
        paths = re.split(r"\s*,\s*(?=\()", match)
        if not all(_pattern(graph, path.strip()) for path in paths):
            return False
    return _complete(graph)


def _unsigned(text: str) -> str:
    return re.sub(r"\b(STARTS|ENDS)\s+WITH\b", "", text, flags=re.IGNORECASE)


def _pattern(graph: PatternGraph, text: str) -> bool:
    """Read one path; False where it is no plain chain of nodes, and edges that are new."""
    index, chain, behind, before = 0, "", "", ""
    while True:
        node = NODE.match(text, index)
        if node is None:
            return False
        name = _node(graph, node)
        if name is None:
            return False
        chain += name
        if behind:
            graph.hops.append(_Hop(behind, (before, name), graph.matches))
        index = node.end()
        if index >= len(text):
            break
        edge = EDGE.match(text, index)
        if edge is None or (edge[1] and edge[4]):
            return False
        behind, before = edge[2] or _fresh(graph, "e"), name
        if behind in graph.edges:
            return False
        graph.edges[behind] = edge[3] or ""
        chain += f"<-({behind})-" if edge[1] else f"-({behind})->"
        index = edge.end()
    if ")" in chain:
        graph.patterns.append(chain)
    return True


def _node(graph: PatternGraph, found: re.Match[str]) -> str | None:
    """Read a node; None where a property of it is no literal."""
    if not PROPERTIES.fullmatch(found[3] or ""):
        return None
    alias = found[1] or _fresh(graph, (found[2] or "n")[0].lower())
    known = graph.nodes.get(alias, "")
    graph.nodes[alias] = found[2] or known
    for name, value in PROPERTY.findall(found[3] or ""):
        graph.conditions.append(f"{alias}.{name} = {_single(value)}")
    return alias


def _fresh(graph: PatternGraph, letter: str) -> str:
    taken = graph.nodes.keys() | graph.edges.keys()
    return next(f"{letter}{n}" for n in range(1, len(taken) + 2) if f"{letter}{n}" not in taken)


def _single(value: str) -> str:
    escaped = value[1:-1].replace("'", "''")
    return f"'{escaped}'" if value.startswith('"') else value


def _complete(graph: PatternGraph) -> bool:
    """Whether every node has a kind; an edge without one is listed by a later rule."""
    return bool(graph.nodes) and all(graph.nodes.values())


def where_of(text: str) -> str:
    """Return a WHERE with the comparisons of texts that T-SQL has as LIKE."""
    for word, form in TEXT_SIGNS.items():
        sign = word.replace(" ", r"\s+")
        text = re.sub(
            rf"\s+{sign}\s+(['\"])([^'\"%_\[]*)\1",
            lambda m, form=form: f" LIKE '{form.format(m[2])}'",
            text,
            flags=re.IGNORECASE,
        )
    return re.sub(r"\bto(Lower|Upper)\(", r"\1(", text)


def _predicates(graph: PatternGraph, text: str) -> str:
    """Return a WHERE in which each pattern, or EXISTS of one, is an EXISTS over its own tables."""

    def exists(found: re.Match[str]) -> str:
        inner = PatternGraph(graph.contract, dict(graph.nodes))
        if not _pattern(inner, found["path"]):
            return found.group()
        own = {
            a: k for a, k in inner.nodes.items() if a not in graph.nodes or f"({a}" in found["path"]
        }
        outer = [alias for alias in own if alias in graph.nodes]
        inner.conditions += inner.passed_once()
        inner.repeating = True
        pattern, ties = inner.patterns[0], list[str]()
        for alias in outer:
            fresh = _fresh(inner, alias)
            node = graph.contract.node(own[alias])
            if node is None:
                return found.group()
            pattern = re.sub(rf"(?<![\w(]){alias}(?![\w)])", fresh, pattern)
            own[fresh] = own.pop(alias)
            inner.nodes[fresh] = own[fresh]
            ties.append(f"{fresh}.{node.key} = {alias}.{node.key}")
        if not ties or not all(own.values()) or not all(inner.edges.values()):
            return found.group()
        inner.nodes, inner.patterns = own, [pattern]
        inner.conditions += ties
        return f"EXISTS ({inner.select('1', None)})"

    return PREDICATE.sub(exists, re.sub(r"\[((?:\s*'[^']*'\s*,?)+)\]", r"(\1)", text))


def _select(
    graph: PatternGraph, found: re.Match[str], where: str | None, names: dict[str, str]
) -> str:
    limited = found["limit"] and not found["skip"]
    head = "DISTINCT " if found["distinct"] else ""
    head += f"TOP {found['limit']} " if limited else ""
    items = written_out(found["items"], names, listed=True)
    filtered = written_out(where_of(found["having"] or ""), names, listed=False)
    if filtered and not AGGREGATE.search(filtered):
        where, filtered = f"({where}) AND ({filtered})" if where else filtered, ""
    text = graph.select(_items(graph, items), where, head)
    text += _grouped(graph, names) + (f" HAVING {_counted(graph, filtered)}" if filtered else "")
    if found["order"]:
        text += f" ORDER BY {_counted(graph, found['order'])}"
    if found["skip"]:
        text += "" if found["order"] else " ORDER BY 1"
        text += f" OFFSET {found['skip']} ROWS"
        text += f" FETCH NEXT {found['limit']} ROWS ONLY" if found["limit"] else ""
    return text


def _grouped(graph: PatternGraph, names: dict[str, str]) -> str:
    """Group by the nodes that a WITH passes on beside an aggregate."""
    if not any(AGGREGATE.search(value) for value in names.values()):
        return ""
    nodes = [(a, graph.contract.node(graph.nodes.get(a, ""))) for a in names]
    keys = [f"{alias}.{node.key}" for alias, node in nodes if node is not None]
    return f" GROUP BY {', '.join(keys)}" if keys else ""


def _items(graph: PatternGraph, items: str) -> str:
    read = [_item(graph, text.strip()) for text in re.split(r",(?![^()]*\))", items)]
    return ", ".join(read)


def _item(graph: PatternGraph, text: str) -> str:
    """Return an item; a node alone is its columns without the vector."""
    node = graph.contract.node(graph.nodes.get(text, ""))
    if node is not None:
        columns = [each.name for each in node.columns if each.name != node.vector]
        return ", ".join(f"{text}.{name}" for name in columns)
    return _counted(graph, text)


def _counted(graph: PatternGraph, text: str) -> str:
    def counted(found: re.Match[str]) -> str:
        node = graph.contract.node(graph.nodes.get(found[2], ""))
        if found[2] not in graph.nodes.keys() | graph.edges.keys() or (found[1] and node is None):
            return found.group()
        return f"COUNT(DISTINCT {found[2]}.{node.key})" if found[1] and node else "COUNT(*)"

    return re.sub(r"\bcount\(\s*(distinct\s+)?(\w+)\s*\)", counted, text, flags=re.IGNORECASE)


def cypher_pattern(statement: RefusedStatement) -> Correction | None:
    """Inside MATCH(...) labels and square brackets are Cypher: aliases stand there alone."""
    for found in re.finditer(r"\bMATCH\s*\(", statement.sql, re.IGNORECASE):
        first = found.end()
        last = _closing(statement.sql, first)
        text = statement.sql[first:last]
        if not re.search(r"[:{]|--", text):
            continue
        read = _rewritten(text)
        if read is not None and read[0] != text:
            rest = "".join(f" AND {condition}" for condition in read[1])
            why = "In MATCH aliases stand alone; labels are said in FROM."
            return correct([Edit(first, last, read[0]), Edit(last + 1, last + 1, rest)], why)
    return None


def _closing(sql: str, index: int) -> int:
    depth = 1
    for current in range(index, len(sql)):
        depth += (sql[current] == "(") - (sql[current] == ")")
        if depth == 0:
            return current
    return len(sql)


def _rewritten(text: str) -> tuple[str, list[str]] | None:
    """Return the pattern with bare aliases and the conditions of its properties, all literals."""
    conditions: list[str] = []

    def node(found: re.Match[str]) -> str:
        alias = found[1] or found[2] or ""
        for name, value in PROPERTY.findall(found[3] or ""):
            conditions.append(f"{alias}.{name} = {_single(value)}")
        return alias

    def edge(found: re.Match[str]) -> str:
        name = found[2] or found[3] or ""
        if not found[1] and not found[4]:
            return f"-({name})-"
        return f"<-({name})-" if found[1] else f"-({name})->"

    if not all(PROPERTIES.fullmatch(node[3] or "") for node in NODE.finditer(text)):
        return None
    parts: list[str] = []
    index = 0
    while index < len(text):
        step = EDGE.match(text, index)
        if step is not None:
            parts.append(edge(step))
        else:
            step = NODE.match(text, index) or re.compile(r"\w+|\s+|.", re.DOTALL).match(text, index)
            assert step is not None
            parts.append(
                node(step) if step.group().startswith("(") and step.re is NODE else step.group()
            )
        index = step.end()
    return "".join(parts), conditions
