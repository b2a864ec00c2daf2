"""The functions of the dialect: kind, arity and result type of each; any other is refused."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["scalar", "aggregate", "ranking", "predicate", "table"]
MANY = 254


@dataclass(frozen=True, slots=True)
class Function:
    """One T-SQL function.

    `result` is a T-SQL type name, or the number of the argument whose type it takes.
    """

    name: str
    kind: Kind
    low: int
    high: int
    result: str | int = "NVARCHAR"


def _table(kind: Kind, rows: str) -> dict[str, Function]:
    """Read rows of `NAME low high result`."""
    found: dict[str, Function] = {}
    for row in rows.split("\n"):
        if not row.strip():
            continue
        name, low, high, result = row.split()
        most = MANY if high == "*" else int(high)
        kept: str | int = int(result) if result.isdigit() else result
        found[name] = Function(name, kind, int(low), most, kept)
    return found


FUNCTIONS: dict[str, Function] = {
    **_table(
        "aggregate",
        """
        APPROX_COUNT_DISTINCT 1 1 BIGINT
        APPROX_PERCENTILE_CONT 1 1 FLOAT
        APPROX_PERCENTILE_DISC 1 1 UNKNOWN
        AVG 1 1 0
        COUNT 1 1 INT
        COUNT_BIG 1 1 BIGINT
        GROUPING 1 1 INT
        GROUPING_ID 1 * INT
        MAX 1 1 0
        MIN 1 1 0
        STDEV 1 1 FLOAT
        STDEVP 1 1 FLOAT
        STRING_AGG 2 2 NVARCHAR
        SUM 1 1 0
        VAR 1 1 FLOAT
        VARP 1 1 FLOAT
        """,
    ),
    **_table(
        "ranking",
        """
        CUME_DIST 0 0 FLOAT
        DENSE_RANK 0 0 BIGINT
        FIRST_VALUE 1 1 0
        LAG 1 3 0
        LAST_VALUE 1 1 0
        LEAD 1 3 0
        NTILE 1 1 BIGINT
        PERCENTILE_CONT 1 1 FLOAT
        PERCENTILE_DISC 1 1 UNKNOWN
        PERCENT_RANK 0 0 FLOAT
        RANK 0 0 BIGINT
        ROW_NUMBER 0 0 BIGINT
        """,
    ),
    **_table(
        "scalar",
        """
        CHOOSE 2 * 1
        COALESCE 2 * 0
        GREATEST 1 * 0
        IIF 3 3 1
        ISNULL 2 2 0
        LEAST 1 * 0
        NULLIF 2 2 0
        ASCII 1 1 INT
        CHAR 1 1 CHAR
        CHARINDEX 2 3 INT
        CONCAT 2 * NVARCHAR
        CONCAT_WS 3 * NVARCHAR
        DATALENGTH 1 1 INT
        DIFFERENCE 2 2 INT
        FORMAT 2 3 NVARCHAR
        ISNUMERIC 1 1 INT
        LEFT 2 2 NVARCHAR
        LEN 1 1 INT
        LOWER 1 1 NVARCHAR
        LTRIM 1 2 NVARCHAR
        NCHAR 1 1 NVARCHAR
        PATINDEX 2 2 INT
        QUOTENAME 1 2 NVARCHAR
        REPLACE 3 3 NVARCHAR
        REPLICATE 2 2 NVARCHAR
        REVERSE 1 1 NVARCHAR
        RIGHT 2 2 NVARCHAR
        RTRIM 1 2 NVARCHAR
        SOUNDEX 1 1 VARCHAR
        SPACE 1 1 VARCHAR
        STR 1 3 VARCHAR
        STRING_ESCAPE 2 2 NVARCHAR
        STUFF 4 4 NVARCHAR
        SUBSTRING 2 3 NVARCHAR
        TRANSLATE 3 3 NVARCHAR
        TRIM 1 3 NVARCHAR
        UNICODE 1 1 INT
        UPPER 1 1 NVARCHAR
        REGEXP_COUNT 2 4 INT
        REGEXP_INSTR 2 7 INT
        REGEXP_REPLACE 2 6 NVARCHAR
        REGEXP_SUBSTR 2 6 NVARCHAR
        UNISTR 1 2 NVARCHAR
        ABS 1 1 0
        ACOS 1 1 FLOAT
        ASIN 1 1 FLOAT
        ATAN 1 1 FLOAT
        ATN2 2 2 FLOAT
        CEILING 1 1 0
        COS 1 1 FLOAT
        COT 1 1 FLOAT
        DEGREES 1 1 0
        EXP 1 1 FLOAT
        FLOOR 1 1 0
        LOG 1 2 FLOAT
        LOG10 1 1 FLOAT
        PI 0 0 FLOAT
        POWER 2 2 0
        RADIANS 1 1 0
        ROUND 2 3 0
        SIGN 1 1 0
        SIN 1 1 FLOAT
        SQRT 1 1 FLOAT
        SQUARE 1 1 FLOAT
        TAN 1 1 FLOAT
        BIT_COUNT 1 1 BIGINT
        GET_BIT 2 2 BIT
        LEFT_SHIFT 2 2 0
        RIGHT_SHIFT 2 2 0
        SET_BIT 2 3 0
        DATE_BUCKET 3 4 2
        DATEADD 3 3 2
        DATEDIFF 3 3 INT
        DATEDIFF_BIG 3 3 BIGINT
        DATEFROMPARTS 3 3 DATE
        DATENAME 2 2 NVARCHAR
        DATEPART 2 2 INT
        DATETIME2FROMPARTS 8 8 DATETIME2
        DATETIMEFROMPARTS 7 7 DATETIME
        DATETIMEOFFSETFROMPARTS 10 10 DATETIMEOFFSET
        DATETRUNC 2 2 1
        DAY 1 1 INT
        EOMONTH 1 2 DATE
        GETDATE 0 0 DATETIME
        GETUTCDATE 0 0 DATETIME
        ISDATE 1 1 INT
        MONTH 1 1 INT
        SMALLDATETIMEFROMPARTS 5 5 SMALLDATETIME
        SWITCHOFFSET 2 2 DATETIMEOFFSET
        SYSDATETIME 0 0 DATETIME2
        SYSDATETIMEOFFSET 0 0 DATETIMEOFFSET
        SYSUTCDATETIME 0 0 DATETIME2
        TIMEFROMPARTS 5 5 TIME
        TODATETIMEOFFSET 2 2 DATETIMEOFFSET
        YEAR 1 1 INT
        ISJSON 1 2 INT
        JSON_ARRAY 0 * NVARCHAR
        JSON_MODIFY 3 3 NVARCHAR
        JSON_OBJECT 0 * NVARCHAR
        JSON_PATH_EXISTS 2 2 INT
        JSON_QUERY 1 2 NVARCHAR
        JSON_VALUE 2 2 NVARCHAR
        VECTOR_DISTANCE 3 3 FLOAT
        """,
    ),
    **_table(
        "predicate",
        """
        CONTAINS 2 3 BIT
        FREETEXT 2 3 BIT
        REGEXP_LIKE 2 3 BIT
        """,
    ),
    **_table(
        "table",
        """
        CONTAINSTABLE 3 5 TABLE
        FREETEXTTABLE 3 5 TABLE
        GENERATE_SERIES 2 3 TABLE
        STRING_SPLIT 2 3 TABLE
        VECTOR_SEARCH 5 6 TABLE
        """,
    ),
}

CONTINUOUS = ("PERCENTILE_CONT", "APPROX_PERCENTILE_CONT")
DISCRETE = ("PERCENTILE_DISC", "APPROX_PERCENTILE_DISC")
PERCENTILES = (*CONTINUOUS, *DISCRETE)
FULLTEXT = frozenset({"CONTAINS", "FREETEXT", "CONTAINSTABLE", "FREETEXTTABLE"})
DATEPART_FIRST = frozenset(
    {
        "DATEADD",
        "DATEDIFF",
        "DATEDIFF_BIG",
        "DATENAME",
        "DATEPART",
        "DATETRUNC",
        "DATE_BUCKET",
    }
)
DATEPARTS = frozenset(
    """
    year yy yyyy quarter qq q month mm m dayofyear dy y day dd d week wk ww weekday dw w hour hh
    minute mi n second ss s millisecond ms microsecond mcs nanosecond ns iso_week isowk isoww
    """.split()
)
METRICS = ("cosine", "euclidean", "dot")
