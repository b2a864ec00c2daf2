"""What a model can do about an error of SQL Server, by the error's number.

Numbers and meanings are those of Microsoft's lists of errors and of its pages on SQL graph, full
text and vectors: https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
"""

from collections.abc import Iterator
from dataclasses import dataclass

UNAVAILABLE = "unavailable"
NO_CONNECTION = "no_connection"
# What a database does not know below a compatibility level; other functions of REGEXP have none.
# https://learn.microsoft.com/sql/t-sql/functions/regexp-like-transact-sql
# https://learn.microsoft.com/sql/t-sql/functions/generate-series-transact-sql
FROM_LEVEL = {"REGEXP_LIKE": 170, "GENERATE_SERIES": 160}
RAISE_LEVEL = f"ALTER DATABASE CURRENT SET COMPATIBILITY_LEVEL = {max(FROM_LEVEL.values())}"


@dataclass(frozen=True, slots=True)
class Hint:
    """The code under which the guard or the embedded engine knows the mistake, and its cure.

    `{tables}` and `{columns}` in the cure stand for those that the statement may name.
    """

    code: str
    cure: str


Row = tuple[tuple[int, ...], str, str]

SYNTAX: tuple[Row, ...] = (
    (
        (102, 156),
        "syntax",
        (
            "Write T-SQL only: TOP (n) instead of LIMIT, MATCH(a-(e)->b) without brackets around "
            "the edge; check commas and parentheses."
        ),
    ),
    ((137,), "unknown_variable", "Only @q, the vector of `query`, is supplied; write literals."),
    ((195, 4121), "unknown_function", "Write the T-SQL function: LEN, YEAR, DATEADD, STRING_AGG."),
    ((319, 336), "syntax", "Send one statement only, and begin it with WITH where it has CTEs."),
    ((2812,), "not_select", "Begin the statement with SELECT or WITH."),
    ((4145,), "syntax", "A condition needs a comparison: write x = 1 instead of x."),
)
NAMES: tuple[Row, ...] = (
    ((207,), "unknown_column", "The columns of the tables in FROM are {columns}."),
    ((208,), "unknown_table", "The tables are {tables}."),
    ((209,), "ambiguous_column", "Write the column with the alias of its table: m.Name."),
    (
        (4104,),
        "unknown_alias",
        "Use an alias of this FROM; a derived table passes on only what it selects.",
    ),
)
GROUPS: tuple[Row, ...] = (
    (
        (8118, 8119, 8120, 8121),
        "not_grouped",
        "Add the column to GROUP BY, or wrap it in MIN() or MAX().",
    ),
    (
        (130, 144),
        "execution_failed",
        "Compute the inner aggregate in a derived table or CTE, then aggregate over that.",
    ),
    (
        (147,),
        "execution_failed",
        "Put conditions on aggregates into HAVING, or filter around a derived table.",
    ),
    ((164,), "execution_failed", "GROUP BY needs columns of this FROM, not constants."),
    ((169,), "execution_failed", "Name each column once in ORDER BY."),
    (
        (104, 145),
        "execution_failed",
        (
            "With DISTINCT or UNION, sort by columns of the select list: add the column there, or "
            "wrap the query."
        ),
    ),
    (
        (1033,),
        "order_by_needs_top",
        "Add TOP (n) beside the inner ORDER BY, or sort in the outermost SELECT.",
    ),
    (
        (116, 512),
        "execution_failed",
        "Let the subquery give one value: TOP (1), an aggregate, or EXISTS instead.",
    ),
    ((205,), "execution_failed", "Give all parts of UNION the same number of columns."),
    ((4108,), "execution_failed", "Compute the window function in a CTE, and filter around it."),
    ((4112,), "execution_failed", "Add ORDER BY inside OVER ( )."),
    ((4113,), "execution_failed", "OVER goes with ROW_NUMBER, RANK, LAG or an aggregate only."),
    ((239,), "execution_failed", "Give each CTE a name of its own."),
    ((252,), "recursive_cte", "Use SHORTEST_PATH or VALUES; recursion would need UNION ALL."),
    ((240,), "recursive_cte", "CAST the columns of both parts to the same type."),
    ((530,), "too_complex", "Recurse less: OPTION (MAXRECURSION n) allows a limited number only."),
)
VALUES: tuple[Row, ...] = (
    (
        (206, 257, 402, 8117),
        "conversion_failed",
        "CAST one side to the type of the other; vectors are compared by VECTOR_DISTANCE alone.",
    ),
    (
        (241, 242, 245, 8114, 8115, 2628),
        "conversion_failed",
        "Use TRY_CAST or TRY_CONVERT, a larger type, and dates as 'yyyy-mm-dd'.",
    ),
    (
        (289,),
        "conversion_failed",
        "Give a year from 1 to 9999, a month from 1 to 12, a day that the month has, and a time.",
    ),
    (
        (517,),
        "conversion_failed",
        "A date ends with the year 9999, and a DATETIME begins with 1753: add or take less.",
    ),
    ((535,), "conversion_failed", "Count with DATEDIFF_BIG, or in a coarser part of the date."),
    (
        (536, 537),
        "execution_failed",
        "A length is 0 or more: CHARINDEX is 0 where nothing is found, so test it first.",
    ),
    ((8134,), "divide_by_zero", "Divide by NULLIF(x, 0)."),
)
RIGHTS: tuple[Row, ...] = (
    (
        (229, 230, 262, 297, 300, 916),
        "not_allowed",
        "This table or view is not open to this tool. The tables are {tables}.",
    ),
    (
        (40508, 40515),
        "not_allowed",
        "Name tables with their schema only, without database or server: {tables}.",
    ),
)
GRAPH: tuple[Row, ...] = (
    ((13900,), "unknown_alias", "List every node and edge of MATCH in FROM, with its alias."),
    (
        (13901, 13902),
        "wrong_arrow",
        "In MATCH node and edge tables alternate: node-(edge)->node.",
    ),
    ((13903,), "edge_used_twice", "List the edge table again under another alias for each hop."),
    (
        (13905,),
        "match_place",
        "Join MATCH by AND only. For OR write a UNION, for NOT a NOT EXISTS over keys.",
    ),
    (
        (13919, 13940, 13958),
        "match_place",
        "Name base tables in MATCH, and filter them in the same WHERE.",
    ),
    (
        (13920,),
        "match_with_join",
        "List what MATCH names with commas; other joins go around a derived table with the MATCH.",
    ),
    (
        (13906, 13948, 13949, 13965),
        "for_path",
        "Write FOR PATH after exactly those tables that SHORTEST_PATH walks; LAST_NODE() leads on.",
    ),
    ((13942, 13943, 13966), "path_shape", "The quantifier is + or {{1,n}}."),
    (
        (13950, 13951, 13952, 13953, 13954, 13961),
        "path_aggregate",
        (
            "Read columns of the path as STRING_AGG, COUNT or LAST_VALUE(...) "
            "WITHIN GROUP (GRAPH PATH)."
        ),
    ),
    (
        (13955, 13956, 13957, 13962),
        "path_shape",
        "Put the SHORTEST_PATH into a CTE or derived table, with LAST_NODE() last in its MATCH.",
    ),
    ((13908,), "pseudo_column_output", "Use $node_id, $from_id, $to_id, or the key Id."),
)
FULL_TEXT: tuple[Row, ...] = (
    (
        (4126, 7601, 7609, 7643, 7677),
        "not_searchable",
        "Search the full-text columns ({searchable}), or use LIKE.",
    ),
    (
        (7630,),
        "fulltext_syntax",
        'Quote phrases, write AND or OR between words, and prefixes as "word*".',
    ),
    ((7645,), "fulltext_syntax", "Give at least one term to search for."),
    ((7646,), "fulltext_syntax", "Search one table in each CONTAINS or FREETEXT."),
)
VECTORS: tuple[Row, ...] = (
    ((42201,), "wrong_arguments", "The metric is 'cosine', 'euclidean' or 'dot'."),
    ((42202, 42203, 42204), "conversion_failed", "Compare with @q; do not type vectors."),
    (
        (42205, 42243, 42246),
        "conversion_failed",
        "Both vectors need one base type; float16 goes with float16 only.",
    ),
    ((42206, 42241, 13670), "conversion_failed", "A vector's text is a JSON array of numbers."),
    (
        (421, 5335, 42213),
        "embedding_output",
        "Leave the vector column out of SELECT, DISTINCT, UNION, GROUP BY and ORDER BY.",
    ),
    (
        (42226, 42227, 42233),
        "unsupported_by_engine",
        "Search exactly: TOP (n) ... ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q).",
    ),
    (
        (42248, 42271),
        "wrong_arguments",
        "After VECTOR_SEARCH write ORDER BY s.distance, ascending and alone; aggregate around it.",
    ),
    (
        (42253, 42274),
        "wrong_arguments",
        "Say how many with TOP (n) WITH APPROXIMATE, from 1 to 2000, and without TOP_N.",
    ),
)
SERVER: tuple[Row, ...] = (
    ((1205,), UNAVAILABLE, "Others changed the same rows meanwhile: make the same call again."),
    ((1222,), UNAVAILABLE, "The rows are locked by somebody else: make the same call again."),
    (
        (8622, 8623, 8632),
        "too_complex",
        "Write it simpler: shorter IN lists, fewer joins and expressions.",
    ),
    ((701, 8645), "too_complex", "Ask for fewer rows, and filter or aggregate earlier."),
)


def _hints(*sections: tuple[Row, ...]) -> Iterator[tuple[int, Hint]]:
    for section in sections:
        for numbers, code, cure in section:
            for number in numbers:
                yield number, Hint(code, cure)


HINTS = dict(_hints(SYNTAX, NAMES, GROUPS, VALUES, RIGHTS, GRAPH, FULL_TEXT, VECTORS, SERVER))
NARROWER = "Narrow it: filter earlier, join fewer tables, or search with TOP first."
STATES = {"HYT00": Hint("timeout", NARROWER), "HY008": Hint("cancelled", NARROWER)}


@dataclass(frozen=True, slots=True)
class Cure:
    """What is wrong, and what to do about it."""

    message: str
    cure: str


OURS = Cure(
    "The vector of a query did not reach the server as it must.",
    "This is a mistake of the program: report it with this number.",
)
CURES: dict[int, Cure] = {
    529: OURS,
    42211: OURS,
    3906: Cure("The database takes no changes, and one was tried.", "Report this: none was meant."),
    3952: Cure(
        "The database does not allow snapshot isolation any more.",
        "ALTER DATABASE ... SET ALLOW_SNAPSHOT_ISOLATION ON, or start the server anew.",
    ),
    9002: Cure("The transaction log of the database is full.", "Back it up, or enlarge it."),
    40544: Cure("The database is full.", "Enlarge it, or remove data."),
}
