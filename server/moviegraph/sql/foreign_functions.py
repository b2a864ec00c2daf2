"""Functions that the dialect does not hold: the T-SQL one to write instead, or the reason."""

from moviegraph.contract.model import nearest
from moviegraph.errors import Span
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.refusal import RefusalError


def _by_foreign_name(rows: str) -> dict[str, str]:
    """Read rows of `T-SQL name: foreign names`."""
    found: dict[str, str] = {}
    for row in rows.strip().splitlines():
        ours, _, theirs = row.partition(":")
        found.update(dict.fromkeys(theirs.split(), ours.strip()))
    return found


# From MySQL, PostgreSQL, Oracle, SQLite, BigQuery, Snowflake and DuckDB.
FOREIGN = _by_foreign_name(
    """
    APPROX_COUNT_DISTINCT: APPROX_DISTINCT
    APPROX_PERCENTILE_CONT: APPROX_MEDIAN APPROX_PERCENTILE APPROX_QUANTILE
    ATN2: ATAN2
    BIT_COUNT: BITCOUNT POPCOUNT
    CAST: DATE PARSE_DATE STRPTIME STR_TO_DATE TOSTRING TO_DATE TO_DECIMAL TO_NUMBER TO_TEXT
    CAST: TO_TIMESTAMP
    CEILING: CEIL
    CHAR: CHR
    CHARINDEX: FIND_IN_SET INSTR LOCATE POSITION STRPOS
    CHOOSE: ELT FIELD
    COALESCE: IFNULL NVL
    CONCAT: ARRAY_TO_STRING
    CONTAINS: MATCH_AGAINST PLAINTO_TSQUERY TO_TSQUERY
    COUNT: COUNTIF COUNT_DISTINCT COUNT_IF
    DATALENGTH: BIT_LENGTH BYTE_LENGTH OCTET_LENGTH
    DATEADD: ADDDATE ADD_MONTHS DATETIME_ADD DATE_ADD DATE_SUB SUBDATE TIMESTAMPADD TIMESTAMP_ADD
    DATEDIFF: AGE DATETIME_DIFF DATE_DIFF DAYS_BETWEEN JULIANDAY MONTHS_BETWEEN TIMESTAMPDIFF
    DATEDIFF: TIMESTAMP_DIFF
    DATEFROMPARTS: DATE_FROM_PARTS MAKEDATE MAKE_DATE
    DATENAME: DAYNAME MONTHNAME
    DATEPART: DATE_PART DAYOFMONTH DAYOFWEEK DAYOFYEAR EXTRACT HOUR ISODOW MINUTE QUARTER SECOND
    DATEPART: STRFTIME WEEK WEEKOFYEAR
    DATETIME2FROMPARTS: MAKE_TIMESTAMP TIMESTAMP_FROM_PARTS
    DATETRUNC: DATETIME_TRUNC DATE_TRUNC TIMESTAMP_TRUNC
    DATE_BUCKET: TIME_BUCKET TIME_SLICE
    DEGREES: TO_DEGREES
    DIFFERENCE: LEVENSHTEIN
    EOMONTH: LAST_DAY
    FORMAT: DATE_FORMAT FORMAT_DATE FORMAT_TIMESTAMP PRINTF TO_CHAR TO_VARCHAR
    FREETEXTTABLE: TS_RANK
    GETDATE: CLOCK_TIMESTAMP CURDATE CURRENT_DATE CURRENT_DATETIME LOCALTIMESTAMP NOW SYSDATE
    GETDATE: TODAY TRANSACTION_TIMESTAMP
    GREATEST: GREATEST_IGNORE_NULLS
    IIF: DECODE IF IFF NVL2
    ISJSON: JSON_VALID
    ISNULL: ZEROIFNULL
    JSON_QUERY: JSON_EXTRACT_PATH
    JSON_VALUE: GET_JSON_OBJECT JSON_EXTRACT JSON_EXTRACT_SCALAR JSON_EXTRACT_STRING JSON_UNQUOTE
    LEAST: LEAST_IGNORE_NULLS
    LEFT: STARTSWITH STARTS_WITH
    LEFT_SHIFT: BITSHIFTLEFT SHIFTLEFT
    LEN: CHARACTER_LENGTH CHAR_LENGTH LENGTH LENGTHB STRLEN
    LOG: LN
    LOG10: LG
    LOWER: LCASE TO_LOWER
    MAX: ARG_MAX BOOL_OR LAST LOGICAL_OR MAX_BY
    MIN: ANY_VALUE ARG_MIN FIRST MIN_BY
    NULLIF: NULLIFZERO
    PERCENTILE_CONT: MEDIAN PERCENTILE QUANTILE QUANTILE_CONT
    POWER: POW
    QUOTENAME: QUOTE QUOTE_IDENT QUOTE_LITERAL
    RADIANS: TO_RADIANS
    REGEXP_COUNT: REGEXP_EXTRACT_ALL
    REGEXP_LIKE: ILIKE REGEXP REGEXP_CONTAINS REGEXP_FULL_MATCH RLIKE
    REGEXP_SUBSTR: REGEXP_EXTRACT REGEXP_MATCH
    REPLICATE: LPAD REPEAT RPAD
    RIGHT: ENDSWITH ENDS_WITH
    RIGHT_SHIFT: BITSHIFTRIGHT SHIFTRIGHT
    ROUND: ROUND_HALF_EVEN TRUNC TRUNCATE
    SIGN: SGN
    SOUNDEX: DMETAPHONE METAPHONE
    STDEV: STDDEV STDDEV_SAMP
    STDEVP: STDDEV_POP
    STRING_AGG: ARRAYAGG ARRAY_AGG COLLECT_LIST COLLECT_SET GROUP_CONCAT LIST LISTAGG WM_CONCAT
    STRING_AGG: XMLAGG
    STRING_SPLIT: SPLIT SPLIT_TO_TABLE STRING_TO_ARRAY UNNEST
    STUFF: OVERLAY
    SUBSTRING: MID SLICE SPLIT_PART SUBSTR SUBSTRING_INDEX
    SYSUTCDATETIME: UTC_DATE UTC_TIMESTAMP
    TIMEFROMPARTS: MAKETIME MAKE_TIME TIME_FROM_PARTS
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

# T-SQL's own functions that are left out, and what to write instead.
NOT_REPEATABLE = "its result differs from call to call; order by a column instead"
NOT_PORTABLE = "its value means nothing outside one server; compare the columns themselves"
PREVIEW = "SQL Server 2025 has it as a preview only; use DIFFERENCE or LIKE"
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
    "JSON_ARRAYAGG": f"{JSON_PREVIEW}write '[' + STRING_AGG('\"' + STRING_ESCAPE(x, 'json') + "
    "'\"', ',') + ']', or SELECT ... FOR JSON PATH",
    "JSON_CONTAINS": f"{JSON_PREVIEW}compare JSON_VALUE(x, '$.key'), or list what is held with "
    "CROSS APPLY OPENJSON(x)",
    "JSON_OBJECTAGG": f"{JSON_PREVIEW}write '{{' + STRING_AGG('\"' + STRING_ESCAPE(k, 'json') + "
    "'\":\"' + STRING_ESCAPE(x, 'json') + '\"', ',') + '}', or SELECT ... FOR JSON PATH",
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

# Functions of other dialects that no single one of T-SQL answers, and what to write instead.
KEYS = "a key is j.[key] of CROSS APPLY OPENJSON(x) AS j"
ABSENT = {
    "COSH": "write (EXP(x) + EXP(-x)) / 2",
    "JSON_EACH": f"{KEYS}, its value j.value",
    "JSON_KEYS": KEYS,
    "JSON_OBJECT_KEYS": KEYS,
    "JSON_TABLE": "write CROSS APPLY OPENJSON(x, '$.path') WITH (Name NVARCHAR(100) '$.name') AS j",
    "SINH": "write (EXP(x) - EXP(-x)) / 2",
    "TANH": "write (EXP(2 * x) - 1) / (EXP(2 * x) + 1)",
    "WIDTH_BUCKET": "whole numbers divided by / are cut, so x / 100 numbers buckets of 100; for "
    "others write CASE WHEN x < 10 THEN 1 WHEN x < 50 THEN 2 ELSE 3 END",
}

# Beginnings of functions that tell about the server, its users or other places.
SERVER_FUNCTIONS = (
    "APP_NAME",
    "COLUMNPROPERTY",
    "CONNECTIONPROPERTY",
    "COLLATIONPROPERTY",
    "COL_",
    "CONTEXT_INFO",
    "CERT",
    "CURRENT_REQUEST_ID",
    "CURRENT_TIMEZONE",
    "CURRENT_TRANSACTION_ID",
    "CURRENT_USER",
    "DATABASE",
    "DB_",
    "FILE",
    "FN_",
    "FULLTEXTCATALOGPROPERTY",
    "FULLTEXTSERVICEPROPERTY",
    "GETANSINULL",
    "HAS_",
    "HOST_",
    "IDENT_",
    "INDEXKEY_PROPERTY",
    "INDEXPROPERTY",
    "INDEX_COL",
    "IS_MEMBER",
    "IS_ROLEMEMBER",
    "IS_SRVROLEMEMBER",
    "OBJECT",
    "OPENDATASOURCE",
    "OPENQUERY",
    "OPENROWSET",
    "OPENXML",
    "ORIGINAL_DB_NAME",
    "ORIGINAL_LOGIN",
    "PARSENAME",
    "PERMISSIONS",
    "PREDICT",
    "PWD",
    "SCHEMA_",
    "SERVERPROPERTY",
    "SESSION",
    "SP_",
    "STATS_",
    "SUSER_",
    "SYSTEM_USER",
    "TYPE_",
    "TYPEPROPERTY",
    "USER_",
    "XP_",
    "AI_",
)

# Functions of embeddings that the dialect does without, for an embedding is only compared.
WITHHELD = frozenset(
    """
    AI_GENERATE_CHUNKS AI_GENERATE_EMBEDDINGS VECTOR VECTORPROPERTY VECTOR_NORM VECTOR_NORMALIZE
    """.split()
)


def unknown_function(name: str, span: Span | None) -> RefusalError:
    """Return the refusal of a function that the dialect does not hold, with the nearest ones."""
    if name in WITHHELD:
        return RefusalError(
            "unknown_function",
            f"{name} is not available: embeddings are only compared, with VECTOR_DISTANCE or "
            "VECTOR_SEARCH; @q is the embedding of the query text.",
            span,
            ("VECTOR_DISTANCE", "VECTOR_SEARCH"),
        )
    if name.startswith(SERVER_FUNCTIONS):
        return RefusalError(
            "unknown_function",
            f"{name} asks about the server or reaches outside the graph; only the tables of the "
            "contract can be read.",
            span,
        )
    if name in LEFT_OUT:
        return RefusalError(
            "unknown_function", f"The function {name} is left out: {LEFT_OUT[name]}.", span
        )
    if name in ABSENT:
        return RefusalError("unknown_function", f"T-SQL has no {name}: {ABSENT[name]}.", span)
    if name in FOREIGN:
        close, advice = (FOREIGN[name],), f"; write {FOREIGN[name]} instead"
    else:
        close = nearest(name, tuple(FUNCTIONS), cutoff=0.76)
        near = f"; the nearest name is {close[0]}" if close else ""
        advice = near or ", and nothing like it is; leave it out"
    return RefusalError(
        "unknown_function", f"The function {name} is not available{advice}.", span, close
    )
