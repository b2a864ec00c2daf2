"""TRIM, LTRIM and RTRIM with the characters that they take away."""

from semantics.case import Case, value

FUNCTIONS = "t-sql/functions/"
TRIM = f"{FUNCTIONS}trim-transact-sql"
LTRIM = f"{FUNCTIONS}ltrim-transact-sql"
RTRIM = f"{FUNCTIONS}rtrim-transact-sql"

CASES: tuple[Case, ...] = (
    value("TRIM('     test    ')", "test", "Blanks go from both ends", TRIM),
    value(
        "TRIM('.,! ' FROM '     #     test    .')",
        "#     test",
        "Each of the characters goes from both ends",
        TRIM,
    ),
    value("LTRIM('123abc.', '123.')", "abc.", "The second argument lists the characters", LTRIM),
    value(
        "RTRIM('.123abc.', 'abc.')",
        ".123",
        "The second argument lists the characters",
        RTRIM,
        gaps={"embedded": "whether a letter stands for its other case is not documented"},
    ),
)
