"""TOP (n) WITH APPROXIMATE: the nearest by a vector index, if there is one.

To sqlglot the count is `__APPROXIMATE(n)`.
"""

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from moviegraph.sql.reader import Parts, Reader, numbered
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.scope import Scope
from moviegraph.sql.vector_search import is_search
from moviegraph.sql.walk import nodes

MARK = "__APPROXIMATE"
WORDS = ("APPROX", "APPROXIMATE")


def read_approximate(reader: Reader, word: str) -> tuple[Parts, int] | None:
    """Return what stands for TOP and the words after it, and how many those are.

    Raises RefusalError.
    """
    if word == "FETCH" and reader.word(1) in WORDS:
        raise RefusalError(
            "syntax",
            "The nearest rows by a vector index are taken with TOP: SELECT TOP (10) WITH "
            "APPROXIMATE ... ORDER BY s.distance. Write that instead of FETCH.",
            reader.span(),
        )
    if word == "TOP":
        wrapped = reader.word(1) == "("
        number, after = reader.token(2 if wrapped else 1), 4 if wrapped else 2
        closed = reader.word(3) == ")" if wrapped else True
        approximate = reader.word(after) == "WITH" and reader.word(after + 1) in WORDS
        if closed and approximate and number and number.token_type is TokenType.NUMBER:
            top = (TokenType.TOP, "TOP"), (TokenType.L_PAREN, "(")
            return (*top, *numbered(MARK, number.text), (TokenType.R_PAREN, ")")), after + 2
    return None


def is_marked(node: object) -> bool:
    """Whether a count is approximate."""
    return isinstance(node, exp.Anonymous) and node.name == MARK


def plain_count(limit: exp.Expr) -> exp.Expr | None:
    """Return the count of TOP, without its mark."""
    count = limit.args.get("expression")
    return count.expressions[0] if isinstance(count, exp.Anonymous) and is_marked(count) else count


def unmark(tree: exp.Expr) -> list[exp.Query]:
    """Make every approximate count a plain number; return the queries that had one."""
    found: list[exp.Query] = []
    for node in nodes(tree):
        limit = node.parent
        if is_marked(node) and limit is not None and isinstance(limit.parent, exp.Query):
            limit.set("expression", node.expressions[0])
            found.append(limit.parent)
    return found


def mark(queries: list[exp.Query]) -> None:
    """Make the counts of queries approximate again."""
    for query in queries:
        limit = query.args["limit"]
        count = limit.args["expression"]
        limit.set("expression", exp.Anonymous(this=MARK, expressions=[count]))


def approximate_text(call: exp.Anonymous) -> None:
    """Write an approximate count of TOP as T-SQL, in a tree that is printed next."""
    limit, number = call.parent, call.expressions[0].name
    if limit is not None:
        limit.set("expression", exp.Literal.number(f"({number}) WITH APPROXIMATE"))


def check_approximate(select: exp.Select, scope: Scope) -> None:
    """Refuse an approximate TOP whose rows are not those nearest by one VECTOR_SEARCH."""
    limit = select.args.get("limit")
    if limit is None or not is_marked(limit.args.get("expression")):
        return
    order = select.args.get("order")
    keys: list[exp.Expr] = order.expressions if order is not None else []
    key = _meant(keys[0].this, select) if len(keys) == 1 and not keys[0].args.get("desc") else None
    searched = {alias for alias in scope.sources if alias in _results(select)}
    if (
        not isinstance(key, exp.Column)
        or key.name.lower() != "distance"
        or (str(key.meta.get("alias", "")).lower() not in searched)
    ):
        raise RefusalError(
            "syntax",
            "WITH APPROXIMATE takes the rows nearest by a VECTOR_SEARCH of the same FROM: ORDER BY "
            "s.distance alone, ascending. Without VECTOR_SEARCH drop it; VECTOR_DISTANCE is exact.",
        )


def _meant(key: exp.Expr, select: exp.Select) -> exp.Expr:
    """Return the column that an ORDER BY key is, also through an alias of the select list."""
    if isinstance(key, exp.Column) and not key.table and not key.meta.get("alias"):
        for item in select.expressions:
            if item.alias_or_name.lower() == key.name.lower():
                return item.unalias()
    return key


def _results(select: exp.Select) -> set[str]:
    items = [select.args.get("from_"), *(select.args.get("joins") or ())]
    found = [item.this for item in items if item is not None]
    return {each.alias.lower() for each in found if is_search(each.this)}
