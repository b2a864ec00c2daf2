"""The 8,000 bytes of a text that is not of a large type."""

from semantics.case import Case, failure, value

FUNCTIONS = "t-sql/functions/"
CONCAT = FUNCTIONS + "concat-transact-sql"
CONCAT_WS = FUNCTIONS + "concat-ws-transact-sql"
REPLACE = FUNCTIONS + "replace-transact-sql"
STUFF = FUNCTIONS + "stuff-transact-sql"
STRING_SPLIT = FUNCTIONS + "string-split-transact-sql"
PIPES = "t-sql/language-elements/string-concatenation-pipes-transact-sql"
PLUS = "t-sql/language-elements/string-concatenation-transact-sql"
NARROW = "REPLICATE('a', 8000)"
WIDE = "REPLICATE(N'a', 4000)"
LARGE = "CAST(REPLICATE('a', 8000) AS NVARCHAR(MAX))"
TRUNCATED = "what exceeds the limit of 8,000 bytes is cut"
FULL_LENGTH = "a part of a large value type keeps it whole"

CASES: tuple[Case, ...] = (
    *(
        value(f"LEN({text})", size, rule, page)
        for text, size, rule, page in (
            (f"{NARROW} + {NARROW}", 8000, TRUNCATED, PLUS),
            (f"{WIDE} + N'b'", 4000, TRUNCATED, PLUS),
            (f"{NARROW} + N'b'", 4000, "and those are 4,000 characters of nvarchar", PLUS),
            (f"UPPER({NARROW}) + CAST('b' AS CHAR(1))", 8000, TRUNCATED, PLUS),
            (f"{NARROW} || 'b'", 8000, TRUNCATED, PIPES),
            (f"{NARROW} || {NARROW} || {LARGE}", 16000, "the first two are no large ones", PIPES),
            (f"{LARGE} + {NARROW} + N'b'", 16001, FULL_LENGTH, PLUS),
            (f"CONCAT({NARROW}, 'END')", 8000, TRUNCATED, CONCAT),
            (f"CONCAT({WIDE}, 1)", 4000, TRUNCATED, CONCAT),
            (f"CONCAT({NARROW}, {LARGE})", 16000, FULL_LENGTH, CONCAT),
            (f"CONCAT_WS('-', {NARROW}, 'b')", 8000, "it follows CONCAT", CONCAT_WS),
            (f"CONCAT_WS('-', {LARGE}, 'b')", 8002, "it follows CONCAT", CONCAT_WS),
            (f"REPLACE({NARROW}, 'a', 'bb')", 8000, TRUNCATED, REPLACE),
            (f"REPLACE({WIDE}, LEFT('a', 1), N'bb')", 4000, TRUNCATED, REPLACE),
            (f"REPLACE({LARGE}, N'a', N'bb')", 16000, "unless the first is a large one", REPLACE),
            (f"REPLACE(N'x', N'x', {LARGE})", 4000, "only the first one counts", REPLACE),
            (f"STUFF({LARGE}, 1, 1, N'bb')", 8001, "a large type supports more", STUFF),
            (f"STUFF({NARROW}, 1, 2, 'bb')", 8000, "as long as the type supports", STUFF),
            (f"STUFF(N'x', 1, 1, {LARGE})", 8000, "also where that is put in", STUFF),
        )
    ),
    value(f"RIGHT(CONCAT({NARROW}, 'END'), 3)", "aaa", "the end is what is cut", CONCAT),
    value("'a' + 'b' + CONCAT('c', 1)", "abc1", "short texts are joined whole", PLUS),
    failure(
        f"STUFF({NARROW}, 1, 1, 'bb')",
        "execution_failed",
        "a result larger than the return type supports is an error",
        STUFF,
    ),
    failure(
        "STUFF(REPLICATE('a', 5000), 1, 1, N'bb')",
        "execution_failed",
        "Unicode that is put in makes it a Unicode text, of at most 4,000 characters",
        STUFF,
    ),
    Case(
        "a column beside a text of its own limit",
        TRUNCATED,
        PLUS,
        f"SELECT LEN(v.x + {WIDE}) AS n FROM (VALUES (N'abc')) AS v(x)",
        ((4000,),),
    ),
    Case(
        "what STRING_SPLIT makes of a large text is large",
        "the length of the return type is that of the string argument",
        STRING_SPLIT,
        f"SELECT LEN(s.value + N'b') AS n FROM STRING_SPLIT({LARGE}, N',') AS s",
        ((8001,),),
    ),
)
