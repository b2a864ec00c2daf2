"""A SELECT put around another one, so that what the inner one computes can be filtered."""

from dataclasses import dataclass
from itertools import islice

from moviegraph.repair.changes import Edit
from moviegraph.repair.outline import Select, TokenRange, listed
from moviegraph.repair.selected import Item, items_of
from moviegraph.repair.context import RefusedStatement

TAIL = ("ORDER", "LIMIT", "OFFSET", "FETCH")


@dataclass(frozen=True, slots=True)
class Computed:
    """A value that the inner SELECT lists beside its items, and the condition on it ('> 1')."""

    value: str
    condition: str


def around(
    statement: RefusedStatement,
    select: Select,
    computed: list[Computed],
    source: str,
    head: str = "",
) -> Edit | None:
    """Return the edit that filters a SELECT in another one; None where a column has no name.

    Args:
        broken: The statement.
        select: The SELECT to filter.
        computed: What is filtered on.
        source: Text of the inner SELECT from FROM on.
        head: DISTINCT and TOP of the outer SELECT, with a blank behind.
    """
    read = _items(statement, select)
    if read is None:
        return None
    texts, names = read
    taken = {token.name.lower() for token in statement.tokens if token.is_name}
    alias = next(f"w{n}" for n in range(1, len(taken) + 2) if f"w{n}" not in taken)
    free = (f"place{n or ''}" for n in range(len(taken) + len(computed) + 1))
    places = list(islice((name for name in free if name not in taken), len(computed)))
    hidden, tail = _tail(statement, select, alias, names)
    texts += [f"{each.value} AS {name}" for each, name in zip(computed, places, strict=True)]
    inner = f"SELECT {', '.join([*texts, *hidden])} {source}"
    outer = ", ".join(f"{alias}.[{name}]" for name in names)
    kept = " AND ".join(
        f"{alias}.{name} {each.condition}" for each, name in zip(computed, places, strict=True)
    )
    text = f"SELECT {head}{outer} FROM ({inner}) AS {alias} WHERE {kept}{tail}"
    return Edit(statement.start(select.first), statement.tokens[select.last - 1].end, text)


def head_of(statement: RefusedStatement, select: Select) -> str:
    """Return the words between SELECT and its first item, with a blank behind; DISTINCT, TOP 5."""
    items = items_of(statement, select)
    text = statement.text(TokenRange(select.first + 1, items[0].value.first)) if items else ""
    return f"{text} " if text else ""


def _items(statement: RefusedStatement, select: Select) -> tuple[list[str], list[str]] | None:
    """Return the items as they are listed, and their names; a star is written out."""
    texts, names = list[str](), list[str]()
    for item in items_of(statement, select):
        if item.has_star:
            starred = _starred(statement, select, item)
            if starred is None:
                return None
            texts += [text for text, _ in starred]
            names += [name for _, name in starred]
            continue
        last = statement.tokens[item.value.last - 1]
        plain = item.value.last - item.value.first in (1, 3) and last.is_name
        if not (item.alias or plain):
            return None
        value = statement.text(item.value)
        texts.append(f"{value} AS [{item.alias}]" if item.alias else value)
        names.append(item.alias or last.name)
    return (texts, names) if names and len({n.lower() for n in names}) == len(names) else None


def _starred(
    statement: RefusedStatement, select: Select, item: Item
) -> list[tuple[str, str]] | None:
    """Return the columns of `m.*`, or of `*` over one table, without the vector."""
    whole = item.value.last - item.value.first
    if whole == 3 and statement.upper(item.value.first + 1) == ".":
        source = statement.source_of(statement.tokens[item.value.first].name, item.value.first)
    else:
        source = select.sources[0] if whole == 1 and len(select.sources) == 1 else None
    node = statement.node_of(source)
    if source is None or node is None:
        return None
    return [(f"{source.alias}.{c.name}", c.name) for c in node.columns if c.name != node.vector]


def _tail(
    statement: RefusedStatement, select: Select, alias: str, names: list[str]
) -> tuple[list[str], str]:
    """Return columns that only the order needs, and the order and limits of the outer SELECT."""
    terms = order_terms(statement, select)
    values = {
        "".join(statement.text(item.value).lower().split()): item.alias
        or statement.tokens[item.value.last - 1].name
        for item in items_of(statement, select)
        if not item.has_star
    }
    known = {name.lower(): name for name in names}
    hidden, said = list[str](), list[str]()
    for value, direction in terms:
        name = values.get("".join(value.lower().split())) or known.get(value.lower().strip("[]"))
        if name is None and not value.isdigit():
            name = f"order{len(hidden) + 1}"
            hidden.append(f"{value} AS {name}")
        said.append((value if name is None else f"{alias}.[{name}]") + direction)
    order = f" ORDER BY {', '.join(said)}" if said else ""
    rest = [select.clauses[word].first for word in TAIL[1:] if word in select.clauses]
    limits = f" {statement.text(TokenRange(min(rest) - 1, select.last))}" if rest else ""
    return hidden, order + limits


def order_terms(statement: RefusedStatement, select: Select) -> list[tuple[str, str]]:
    """Return the values of ORDER BY, each with its direction (' DESC' or '')."""
    order = select.clauses.get("ORDER")
    found: list[tuple[str, str]] = []
    for term in listed(statement.tokens, order) if order else []:
        word = statement.upper(term.last - 1)
        last = term.last - 1 if word in ("ASC", "DESC") else term.last
        found.append(
            (statement.text(TokenRange(term.first, last)), f" {word}" if last < term.last else "")
        )
    return found
