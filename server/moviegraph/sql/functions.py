"""Functions of the dialect with kind, arity and result type, and why others are refused.

The embedded engine translates them in engines/duckdb, by the tables of its *_functions modules.
"""

from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from moviegraph.errors import Span
from moviegraph.names import closest_names
from moviegraph.sql.decision import RefusalError
from moviegraph.sql.match_patterns import GRAPH_PATH
from moviegraph.sql.syntax_tree import nodes_above

FunctionKind = Literal["scalar", "aggregate", "ranking", "predicate", "table"]
MANY = 254
CONTINUOUS = ("PERCENTILE_CONT", "APPROX_PERCENTILE_CONT")
DISCRETE = ("PERCENTILE_DISC", "APPROX_PERCENTILE_DISC")
PERCENTILES = (*CONTINUOUS, *DISCRETE)
FULLTEXT = frozenset({"CONTAINS", "FREETEXT", "CONTAINSTABLE", "FREETEXTTABLE"})
DATEPART_FIRST = frozenset(
    {"DATEADD", "DATEDIFF", "DATEDIFF_BIG", "DATENAME", "DATEPART", "DATETRUNC"}
)
DATEPARTS = {
    name: names.split()[0]
    for names in (
        *("year yy yyyy", "quarter qq q", "month mm m", "dayofyear dy y", "day dd d", "week wk ww"),
        *("weekday dw w", "hour hh", "minute mi n", "second ss s", "millisecond ms"),
        *("microsecond mcs", "nanosecond ns", "iso_week isowk isoww"),
    )
    for name in names.split()
}
"""The part that each name or abbreviation means."""
METRICS = ("cosine", "euclidean", "dot")
CALL_FORMS = {
    "APPROX_PERCENTILE_CONT": "APPROX_PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)",
    "APPROX_PERCENTILE_DISC": "APPROX_PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY x)",
    "CHARINDEX": "CHARINDEX('a', x)",
    "CONCAT_WS": "CONCAT_WS(', ', a, b)",
    "CONTAINS": "CONTAINS(x.Content, 'pirate')",
    "CONTAINSTABLE": "CONTAINSTABLE(Table, Content, 'pirate')",
    "DATEADD": "DATEADD(day, 1, x)",
    "DATEDIFF": "DATEDIFF(day, a, b)",
    "DATEFROMPARTS": "DATEFROMPARTS(2020, 1, 31)",
    "DATENAME": "DATENAME(month, x)",
    "DATEPART": "DATEPART(year, x)",
    "DATETRUNC": "DATETRUNC(month, x)",
    "FREETEXT": "FREETEXT(x.Content, 'pirates at sea')",
    "FREETEXTTABLE": "FREETEXTTABLE(Table, Content, 'pirates at sea')",
    "IIF": "IIF(x = 1, 'a', 'b')",
    "ISJSON": "ISJSON(x)",
    "ISNULL": "ISNULL(x, 0); of several values COALESCE(a, b, c)",
    "JSON_VALUE": "JSON_VALUE(x, '$.name')",
    "LEFT": "LEFT(x, 3)",
    "NTILE": "NTILE(4) OVER (ORDER BY x)",
    "PERCENTILE_CONT": "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x) OVER ()",
    "PERCENTILE_DISC": "PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY x) OVER ()",
    "REPLACE": "REPLACE(x, 'old', 'new')",
    "ROUND": "ROUND(x, 2)",
    "STRING_AGG": "STRING_AGG(x, ', ') WITHIN GROUP (ORDER BY x)",
    "STRING_SPLIT": "STRING_SPLIT(x, ',')",
    "SUBSTRING": "SUBSTRING(x, 1, 3)",
    "VECTOR_DISTANCE": "VECTOR_DISTANCE('cosine', t.Embedding, @q)",
}
# T-SQL's own functions that the dialect omits, and what to write instead.
NOT_REPEATABLE = "its result differs from call to call; order by a column instead"
NOT_PORTABLE = "its value means nothing outside one server; compare the columns themselves"
PREVIEW = "SQL Server 2025 has it as a preview only; use LIKE, CONTAINS or FREETEXT"
JSON_PREVIEW = "SQL Server 2025 has it as a preview only; "
LEFT_OUT = {
    "BINARY_CHECKSUM": NOT_PORTABLE,
    "CHECKSUM": NOT_PORTABLE,
    "CHECKSUM_AGG": NOT_PORTABLE,
    "CRYPT_GEN_RANDOM": NOT_REPEATABLE,
    "EDIT_DISTANCE": PREVIEW,
    "EDIT_DISTANCE_SIMILARITY": PREVIEW,
    "FORMATMESSAGE": "it reads the messages of the server; use CONCAT or FORMAT",
    "HASHBYTES": NOT_PORTABLE,
    "JARO_WINKLER_DISTANCE": PREVIEW,
    "JARO_WINKLER_SIMILARITY": PREVIEW,
    "JSON_ARRAY": "write SELECT ... FOR JSON PATH",
    "JSON_ARRAYAGG": f"{JSON_PREVIEW}write SELECT ... FOR JSON PATH",
    "JSON_CONTAINS": f"{JSON_PREVIEW}compare JSON_VALUE(x, '$.key'), or list what is held with "
    "CROSS APPLY OPENJSON(x)",
    "JSON_OBJECT": "write SELECT ... FOR JSON PATH, with the keys as aliases",
    "JSON_OBJECTAGG": f"{JSON_PREVIEW}write SELECT ... FOR JSON PATH",
    "NEWID": NOT_REPEATABLE,
    "NEWSEQUENTIALID": NOT_REPEATABLE,
    "PARSE": "it depends on a culture; use CAST, or CONVERT with a style",
    "PRODUCT": "SQL Server 2025 has it, and this server does not read it; of numbers above 0 it is "
    "EXP(SUM(LOG(x)))",
    "RAND": NOT_REPEATABLE,
    "RANDOM": NOT_REPEATABLE,
    "REGEXP_MATCHES": "only the scalar ones are; use REGEXP_SUBSTR or REGEXP_COUNT",
    "REGEXP_SPLIT_TO_TABLE": "only the scalar ones are; use STRING_SPLIT or REGEXP_SUBSTR",
    "TRY_PARSE": "it depends on a culture; use TRY_CAST, or TRY_CONVERT with a style",
}
# Rare functions of T-SQL that neither engine runs: DuckDB has no exact equivalent, and no statement
# that a model wrote needed one. The errors page lists them.
RARE = {
    "SOUNDEX DIFFERENCE": "Use LIKE or CONTAINS.",
    "BIT_COUNT GET_BIT SET_BIT LEFT_SHIFT RIGHT_SHIFT": "Use the operators & | ^ ~ and powers of "
    "two.",
    "SIN COS TAN COT ACOS ASIN ATAN ATN2 DEGREES RADIANS": "Return the numbers, and compute angles "
    "from them.",
    "DATETIMEFROMPARTS DATETIME2FROMPARTS SMALLDATETIMEFROMPARTS TIMEFROMPARTS": "Use "
    "DATEFROMPARTS, or CAST('2024-05-06 07:08' AS DATETIME2).",
    "SYSDATETIMEOFFSET DATETIMEOFFSETFROMPARTS SWITCHOFFSET TODATETIMEOFFSET": "Use DATETIME2 and "
    "SYSUTCDATETIME().",
    "DATE_BUCKET": "Use DATETRUNC; a decade is YEAR(x) / 10 * 10.",
    "ISNUMERIC ISDATE": "Use TRY_CAST(x AS FLOAT), or AS DATETIME, IS NOT NULL.",
    "DATALENGTH": "Use LEN.",
    "STR": "Use FORMAT(x, '0.00') or CAST(x AS VARCHAR(20)).",
    "QUOTENAME": "Use CONCAT('[', x, ']').",
    "JSON_MODIFY": "Use FOR JSON PATH.",
    "STRING_ESCAPE": "Use FOR JSON, which escapes its values.",
    "UNISTR": "Write the characters themselves: N'...'.",
    "REGEXP_INSTR": "Use PATINDEX, or REGEXP_SUBSTR.",
    "JSON_PATH_EXISTS": "Use JSON_VALUE(x, path) IS NOT NULL, or JSON_QUERY for an object or "
    "array.",
}
NEAREST = (
    "Write SELECT TOP (10) x.Id, VECTOR_DISTANCE('cosine', x.Embedding, @q) AS Distance FROM "
    "NodeTable AS x ORDER BY Distance"
)
RARE["VECTOR_SEARCH"] = (
    f"{NEAREST}; for the nearest to each of multiple nodes, CROSS APPLY (SELECT TOP (3) ... ORDER "
    "BY VECTOR_DISTANCE('cosine', n.Embedding, x.Embedding)) AS s."
)
RARE_FUNCTIONS = {name: instead for names, instead in RARE.items() for name in names.split()}
# Functions of other dialects that no single one of T-SQL answers, and what to write instead.
KEYS = "a key is j.[key] of CROSS APPLY OPENJSON(x) AS j"
ABSENT = {
    "COSH": "write (EXP(x) + EXP(-x)) / 2",
    "JSON_EACH": f"{KEYS}, its value j.value",
    "JSON_KEYS": KEYS,
    "JSON_OBJECT_KEYS": KEYS,
    "LEVENSHTEIN": "use LIKE or CONTAINS",
    "JSON_TABLE": "write CROSS APPLY OPENJSON(x, '$.path') WITH (Name NVARCHAR(100) '$.name') AS j",
    "SINH": "write (EXP(x) - EXP(-x)) / 2",
    "TANH": "write (EXP(2 * x) - 1) / (EXP(2 * x) + 1)",
    "WIDTH_BUCKET": "whole numbers divided by / are cut, so x / 100 numbers buckets of 100; for "
    "others write CASE WHEN x < 10 THEN 1 WHEN x < 50 THEN 2 ELSE 3 END",
}
# Prefixes of functions that report on the server or its users, or read other data.
SERVER_FUNCTIONS = tuple(
    """
    APP_NAME COLUMNPROPERTY CONNECTIONPROPERTY COLLATIONPROPERTY COL_ CONTEXT_INFO CERT
    CURRENT_REQUEST_ID CURRENT_TIMEZONE CURRENT_TRANSACTION_ID CURRENT_USER DATABASE DB_ FILE
    FN_ FULLTEXTCATALOGPROPERTY FULLTEXTSERVICEPROPERTY GETANSINULL HAS_ HOST_ IDENT_
    INDEXKEY_PROPERTY INDEXPROPERTY INDEX_COL IS_MEMBER IS_ROLEMEMBER IS_SRVROLEMEMBER OBJECT
    OPENDATASOURCE OPENQUERY OPENROWSET OPENXML ORIGINAL_DB_NAME ORIGINAL_LOGIN PARSENAME
    PERMISSIONS PREDICT PWD SCHEMA_ SERVERPROPERTY SESSION SP_ STATS_ SUSER_ SYSTEM_USER TYPE_
    TYPEPROPERTY USER_ XP_ AI_
    """.split()
)
# Functions of embeddings that the dialect does without, for an embedding is only compared.
WITHHELD = frozenset(
    """
    AI_GENERATE_CHUNKS AI_GENERATE_EMBEDDINGS VECTOR VECTORPROPERTY VECTOR_NORM VECTOR_NORMALIZE
    """.split()
)


@dataclass(frozen=True, slots=True)
class Function:
    """One T-SQL function.

    `result` is a T-SQL type name, or the number of the argument whose type it takes.
    """

    name: str
    kind: FunctionKind
    low: int
    high: int
    result: str | int = "NVARCHAR"


def _read_table(kind: FunctionKind, rows: str) -> dict[str, Function]:
    """Read rows of `low high result: names`."""
    functions: dict[str, Function] = {}
    for row in rows.strip().splitlines():
        signature, _, names = row.partition(":")
        low, high, result = signature.split()
        max_count = MANY if high == "*" else int(high)
        typed: str | int = int(result) if result.isdigit() else result
        for name in names.split():
            functions[name] = Function(name, kind, int(low), max_count, typed)
    return functions


FUNCTIONS: dict[str, Function] = {
    **_read_table(
        "aggregate",
        """
        1 1 BIGINT: APPROX_COUNT_DISTINCT COUNT_BIG
        1 1 FLOAT: APPROX_PERCENTILE_CONT STDEV STDEVP VAR VARP
        1 1 UNKNOWN: APPROX_PERCENTILE_DISC
        1 1 0: AVG MAX MIN SUM
        1 1 INT: COUNT GROUPING
        1 * INT: GROUPING_ID
        2 2 NVARCHAR: STRING_AGG
        """,
    ),
    **_read_table(
        "ranking",
        """
        0 0 FLOAT: CUME_DIST PERCENT_RANK
        0 0 BIGINT: DENSE_RANK RANK ROW_NUMBER
        1 1 0: FIRST_VALUE LAST_VALUE
        1 3 0: LAG LEAD
        1 1 BIGINT: NTILE
        1 1 FLOAT: PERCENTILE_CONT
        1 1 UNKNOWN: PERCENTILE_DISC
        """,
    ),
    **_read_table(
        "scalar",
        """
        2 * 1: CHOOSE
        2 * 0: COALESCE
        1 * 0: GREATEST LEAST
        3 3 1: IIF
        2 2 0: ISNULL NULLIF POWER
        1 1 INT: ASCII ISJSON LEN UNICODE DAY MONTH YEAR
        1 1 CHAR: CHAR
        2 3 INT: CHARINDEX
        2 * NVARCHAR: CONCAT
        3 * NVARCHAR: CONCAT_WS
        2 2 INT: PATINDEX DATEPART
        2 3 NVARCHAR: FORMAT SUBSTRING
        2 2 NVARCHAR: LEFT REPLICATE RIGHT DATENAME JSON_VALUE
        1 1 NVARCHAR: LOWER NCHAR REVERSE UPPER
        1 2 NVARCHAR: LTRIM RTRIM TRIM JSON_QUERY
        3 3 NVARCHAR: REPLACE TRANSLATE
        1 1 VARCHAR: SPACE
        4 4 NVARCHAR: STUFF
        2 4 INT: REGEXP_COUNT
        2 6 NVARCHAR: REGEXP_REPLACE REGEXP_SUBSTR
        1 1 0: ABS CEILING FLOOR SIGN
        1 1 FLOAT: EXP LOG10 SQRT SQUARE
        1 2 FLOAT: LOG
        0 0 FLOAT: PI
        2 3 0: ROUND
        3 3 2: DATEADD
        3 3 INT: DATEDIFF
        3 3 BIGINT: DATEDIFF_BIG
        3 3 DATE: DATEFROMPARTS
        2 2 1: DATETRUNC
        1 2 DATE: EOMONTH
        0 0 DATETIME: GETDATE GETUTCDATE
        0 0 DATETIME2: SYSDATETIME SYSUTCDATETIME
        3 3 FLOAT: VECTOR_DISTANCE
        """,
    ),
    **_read_table(
        "predicate",
        """
        2 3 BIT: CONTAINS FREETEXT REGEXP_LIKE
        """,
    ),
    **_read_table(
        "table",
        """
        3 5 TABLE: CONTAINSTABLE FREETEXTTABLE
        2 3 TABLE: GENERATE_SERIES STRING_SPLIT
        """,
    ),
}


def _by_foreign_name(rows: str) -> dict[str, str]:
    """Read rows of `T-SQL name: foreign names`."""
    names: dict[str, str] = {}
    for row in rows.strip().splitlines():
        ours, _, theirs = row.partition(":")
        names.update(dict.fromkeys(theirs.split(), ours.strip()))
    return names


# From MySQL, PostgreSQL, Oracle, SQLite, BigQuery, Snowflake and DuckDB.
FOREIGN = _by_foreign_name(
    """
    APPROX_COUNT_DISTINCT: APPROX_DISTINCT
    APPROX_PERCENTILE_CONT: APPROX_MEDIAN APPROX_PERCENTILE APPROX_QUANTILE
    CAST: DATE PARSE_DATE STRPTIME STR_TO_DATE TOSTRING TO_DATE TO_DECIMAL TO_NUMBER TO_TEXT
    CAST: MAKETIME MAKE_TIME MAKE_TIMESTAMP TIMESTAMP_FROM_PARTS TIME_FROM_PARTS TO_TIMESTAMP
    CEILING: CEIL
    CHAR: CHR
    CHARINDEX: FIND_IN_SET INSTR LOCATE POSITION STRPOS
    CHOOSE: ELT FIELD
    COALESCE: IFNULL NVL
    CONCAT: ARRAY_TO_STRING QUOTE QUOTE_IDENT QUOTE_LITERAL
    CONTAINS: MATCH_AGAINST PLAINTO_TSQUERY TO_TSQUERY
    COUNT: COUNTIF COUNT_DISTINCT COUNT_IF
    DATEADD: ADDDATE ADD_MONTHS DATETIME_ADD DATE_ADD DATE_SUB SUBDATE TIMESTAMPADD TIMESTAMP_ADD
    DATEDIFF: AGE DATETIME_DIFF DATE_DIFF DAYS_BETWEEN JULIANDAY MONTHS_BETWEEN TIMESTAMPDIFF
    DATEDIFF: TIMESTAMP_DIFF
    DATEFROMPARTS: DATE_FROM_PARTS MAKEDATE MAKE_DATE
    DATENAME: DAYNAME MONTHNAME
    DATEPART: DATE_PART DAYOFMONTH DAYOFWEEK DAYOFYEAR EXTRACT HOUR ISODOW MINUTE QUARTER SECOND
    DATEPART: STRFTIME WEEK WEEKOFYEAR
    DATETRUNC: DATETIME_TRUNC DATE_TRUNC TIMESTAMP_TRUNC TIME_BUCKET TIME_SLICE
    EOMONTH: LAST_DAY
    FORMAT: DATE_FORMAT FORMAT_DATE FORMAT_TIMESTAMP PRINTF TO_CHAR TO_VARCHAR
    FREETEXTTABLE: TS_RANK
    GETDATE: CLOCK_TIMESTAMP CURDATE CURRENT_DATE CURRENT_DATETIME LOCALTIMESTAMP NOW SYSDATE
    GETDATE: TODAY TRANSACTION_TIMESTAMP
    GENERATE_SERIES: RANGE
    GREATEST: GREATEST_IGNORE_NULLS
    IIF: DECODE IF IFF NVL2
    ISJSON: JSON_VALID
    ISNULL: ZEROIFNULL
    JSON_QUERY: JSON_EXTRACT_PATH
    JSON_VALUE: GET_JSON_OBJECT JSON_EXTRACT JSON_EXTRACT_SCALAR JSON_EXTRACT_STRING JSON_UNQUOTE
    LEAST: LEAST_IGNORE_NULLS
    LEFT: STARTSWITH STARTS_WITH
    LEN: BIT_LENGTH BYTE_LENGTH OCTET_LENGTH CHARACTER_LENGTH CHAR_LENGTH LENGTH LENGTHB STRLEN
    LOG: LN
    LOG10: LG
    LOWER: LCASE TO_LOWER
    MAX: ARG_MAX BOOL_OR LAST LOGICAL_OR MAX_BY
    MIN: ANY_VALUE ARG_MIN FIRST MIN_BY
    NULLIF: NULLIFZERO
    PERCENTILE_CONT: MEDIAN PERCENTILE QUANTILE QUANTILE_CONT
    POWER: POW
    REGEXP_COUNT: REGEXP_EXTRACT_ALL
    REGEXP_LIKE: ILIKE REGEXP REGEXP_CONTAINS REGEXP_FULL_MATCH RLIKE
    REGEXP_SUBSTR: REGEXP_EXTRACT REGEXP_MATCH
    REPLICATE: LPAD REPEAT RPAD
    RIGHT: ENDSWITH ENDS_WITH
    ROUND: ROUND_HALF_EVEN TRUNC TRUNCATE
    SIGN: SGN
    STDEV: STDDEV STDDEV_SAMP
    STDEVP: STDDEV_POP
    STRING_AGG: ARRAYAGG ARRAY_AGG COLLECT_LIST COLLECT_SET GROUP_CONCAT LIST LISTAGG WM_CONCAT
    STRING_AGG: XMLAGG
    STRING_SPLIT: SPLIT SPLIT_TO_TABLE STRING_TO_ARRAY UNNEST
    STUFF: OVERLAY
    SUBSTRING: MID SLICE SPLIT_PART SUBSTR SUBSTRING_INDEX
    SYSUTCDATETIME: UTC_DATE UTC_TIMESTAMP
    TRANSLATE: UNACCENT
    TRIM: BTRIM STRIP
    TRY_CAST: SAFE_CAST TRY_TO_DATE TRY_TO_NUMBER
    UNICODE: CODEPOINT ORD
    UPPER: TO_UPPER UCASE
    VAR: VARIANCE VAR_SAMP
    VARP: VAR_POP
    VECTOR_DISTANCE: ARRAY_COSINE_DISTANCE ARRAY_COSINE_SIMILARITY COSINE_DISTANCE
    VECTOR_DISTANCE: COSINE_SIMILARITY DOT_PRODUCT EUCLIDEAN_DISTANCE INNER_PRODUCT L2_DISTANCE
    VECTOR_DISTANCE: VECTOR_COSINE_SIMILARITY
    """
)


WRAPPERS = (exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)
INNER = (exp.Select, exp.SetOperation, exp.Table)


def is_along_path(node: exp.Expr | None) -> bool:
    """Whether a node is an aggregate WITHIN GROUP (GRAPH PATH)."""
    if not isinstance(node, exp.WithinGroup):
        return False
    order = node.expression.expressions
    return len(order) == 1 and order[0].this.name == GRAPH_PATH


def window_of(call: exp.Expr) -> exp.Window | None:
    """Return the window of a function call, if it has one."""
    holder, below = call.parent, call
    while isinstance(holder, WRAPPERS) and holder.this is below:
        holder, below = holder.parent, holder
    return holder if isinstance(holder, exp.Window) and holder.this is below else None


def is_group_aggregate(node: exp.Expr) -> bool:
    """Whether a node aggregates the rows of a group: not those of a window or along a path."""
    function = FUNCTIONS.get(node.name[2:]) if isinstance(node, exp.Anonymous) else None
    if function is None or function.kind != "aggregate":
        return False
    return window_of(node) is None and not is_along_path(node.parent)


def has_group_aggregate(expression: exp.Expr) -> bool:
    """Whether an expression contains an aggregate, not counting its subqueries."""
    return any(map(is_group_aggregate, nodes_of_row(expression)))


def nodes_of_row(expression: exp.Expr) -> list[exp.Expr]:
    """Return the nodes of an expression, none of those in its subqueries."""
    return nodes_above(expression, lambda node: isinstance(node, INNER))


def unknown_function(name: str, span: Span | None) -> RefusalError:
    """Return the refusal of a function that the dialect does not support, with the nearest ones."""
    code, close = "unknown_function", tuple[str, ...]()
    if name in WITHHELD:
        close = ("VECTOR_DISTANCE",)
        text = (
            f"{name} is not available: embeddings are only compared, with VECTOR_DISTANCE; "
            "@q is the embedding of the query text."
        )
    elif name.startswith(SERVER_FUNCTIONS):
        text = (
            f"{name} reports on the server or reads outside the graph; only the tables of the "
            "contract can be read."
        )
    elif name in RARE_FUNCTIONS:
        code = "not_allowed"
        text = f"The function {name} is not part of the dialect. {RARE_FUNCTIONS[name]}"
    elif name in LEFT_OUT:
        text = f"The function {name} is not available: {LEFT_OUT[name]}."
    elif name in ABSENT:
        text = f"T-SQL has no {name}: {ABSENT[name]}."
    elif name in FOREIGN:
        close = (FOREIGN[name],)
        text = f"The function {name} is not available; write {FOREIGN[name]} instead."
    else:
        close = closest_names(name, tuple(FUNCTIONS), cutoff=0.76)
        advice = (
            f"; the nearest name is {close[0]}" if close else ", and no similar one is; remove it"
        )
        text = f"The function {name} is not available{advice}."
    return RefusalError(code, text, span, close)
