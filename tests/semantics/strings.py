"""Text functions: positions, lengths, padding, replacing, and how words sound."""

from semantics.case import Case, failure, value

FUNCTIONS = "t-sql/functions/"
LEN = FUNCTIONS + "len-transact-sql"
LEFT = FUNCTIONS + "left-transact-sql"
RIGHT = FUNCTIONS + "right-transact-sql"
SUBSTRING = FUNCTIONS + "substring-transact-sql"
CHARINDEX = FUNCTIONS + "charindex-transact-sql"
PATINDEX = FUNCTIONS + "patindex-transact-sql"
REPLACE = FUNCTIONS + "replace-transact-sql"
STUFF = FUNCTIONS + "stuff-transact-sql"
REPLICATE = FUNCTIONS + "replicate-transact-sql"
SPACE = FUNCTIONS + "space-transact-sql"
CONCAT = FUNCTIONS + "concat-transact-sql"
CONCAT_WS = FUNCTIONS + "concat-ws-transact-sql"
TRANSLATE = FUNCTIONS + "translate-transact-sql"
REVERSE = FUNCTIONS + "reverse-transact-sql"
UPPER = FUNCTIONS + "upper-transact-sql"
TRIM = FUNCTIONS + "trim-transact-sql"
ASCII = FUNCTIONS + "ascii-transact-sql"
CHAR = FUNCTIONS + "char-transact-sql"
NCHAR = FUNCTIONS + "nchar-transact-sql"
UNICODE = FUNCTIONS + "unicode-transact-sql"
REGEXP_LIKE = FUNCTIONS + "regexp-like-transact-sql"
REGEXP_COUNT = FUNCTIONS + "regexp-count-transact-sql"
REGEXP_REPLACE = FUNCTIONS + "regexp-replace-transact-sql"
REGEXP_SUBSTR = FUNCTIONS + "regexp-substr-transact-sql"
CONVERSION = "t-sql/data-types/data-type-conversion-database-engine"
PIPES = "t-sql/language-elements/string-concatenation-pipes-transact-sql"
PLUS = "t-sql/language-elements/string-concatenation-transact-sql"
PHONE = r"'123-456-7890', '(\d{3})-(\d{3})-(\d{4})', "
GROUPS = (
    (r"'The Matrix', '(?P<first>\w+) (?P<rest>.*)', '\2, \1'", "Matrix, The"),
    (r"'a\b', '\\(b)', '[\1]'", "a[b]"),
    (r"'f(12)', '[(](\d+)[)]', '<\2>'", "f<>"),
    (r"'f(12)', '[](](\d+)[)]', '<\1>'", "f<12>"),
    (r"'f(12)', '[[:alpha:](](?:\d)', '<\1>'", "f<>2)"),
    (r"'f(12)', '\Q(\E(\d+)', '<\1\2>'", "f<12>)"),
    (r"'f(12)', '(?i:F)\((\d+)', '<\1\2>'", "<12>)"),
)

CASES: tuple[Case, ...] = (
    value("LEFT('abc', '2')", "ab", "A length that is a text becomes a whole number", LEFT),
    value("RIGHT('abc', '2')", "bc", "A length that is a text becomes a whole number", RIGHT),
    failure(
        "SUBSTRING('abc', '2', 1)",
        "conversion_failed",
        "The start is an expression of int or bigint",
        SUBSTRING,
    ),
    value("LEN('abc  ')", 3, "LEN leaves out trailing blanks", LEN),
    value("LEN('  abc')", 5, "only trailing blanks are left out, leading ones count", LEN),
    value("LEN(12345)", 5, "a number is converted to text first", LEN),
    value("LEFT('abcdefg', 2)", "ab", "LEFT takes characters from the start", LEFT),
    *(
        value(text, created, "a number is converted to int, and its fraction cut", CONVERSION)
        for text, created in (
            ("LEFT('abcdef', LEN('abcde') / 2.0)", "ab"),
            ("RIGHT('abcdef', 2.9)", "ef"),
            ("REPLICATE('a', 2.9)", "aa"),
            ("'a' + SPACE(2.9) + 'b'", "a  b"),
            ("CHARINDEX('a', 'banana', 2.5)", 2),
            ("CHAR(65.9)", "A"),
        )
    ),
    value("LEFT('abc', CAST(1.5 AS MONEY))", "ab", "but money is rounded", CONVERSION),
    failure("LEFT('abc', -1)", "execution_failed", "a negative count is an error", LEFT),
    value("RIGHT('abcdefg', 2)", "fg", "RIGHT takes characters from the end", RIGHT),
    failure("RIGHT('abc', 0 - 1)", "execution_failed", "a negative count is an error", RIGHT),
    value("SUBSTRING('abcdef', 2, 3)", "bcd", "the first character is number 1", SUBSTRING),
    value("SUBSTRING('abcdef', 0, 3)", "ab", "start and length are summed below 1", SUBSTRING),
    value("SUBSTRING('abcdef', -1, 4)", "ab", "start and length are summed below 1", SUBSTRING),
    value("SUBSTRING('abcdef', -5, 2)", "", "a sum below 1 gives an empty text", SUBSTRING),
    value("SUBSTRING('abcdef', 5, 99)", "ef", "a length beyond the end takes the rest", SUBSTRING),
    value("SUBSTRING('abc', 9, 2)", "", "a start beyond the end gives an empty text", SUBSTRING),
    failure(
        "SUBSTRING('abc', 1, 0 - 1)", "execution_failed", "a negative length is an error", SUBSTRING
    ),
    value("SUBSTRING('abcdef', 3)", "cdef", "without a length the rest is taken", SUBSTRING),
    value("SUBSTRING('abcdef', -2)", "abcdef", "a start below 1 is the first character", SUBSTRING),
    value("SUBSTRING('abc', 1 + 8)", "", "a start beyond the end gives an empty text", SUBSTRING),
    value("SUBSTRING('abc', 2, NULL)", None, "a length of NULL gives NULL", SUBSTRING),
    value("SUBSTRING('abc', 0, NULL)", None, "a length of NULL gives NULL", SUBSTRING),
    value("SUBSTRING('abc', NULL, 2)", None, "a start of NULL gives NULL", SUBSTRING),
    value("SUBSTRING('abc', NULL)", None, "a start of NULL gives NULL", SUBSTRING),
    value("'SQL ' || 'Server'", "SQL Server", "|| joins texts", PIPES),
    value("N'a' || NULL || 'b'", None, "|| with NULL gives NULL", PIPES),
    value("'a' || '' || 'b'", "ab", "an empty text is no NULL", PIPES),
    value("'a' || ',' + SPACE(1) || 'b' || '.'", "a, b.", "|| and + join from the left", PIPES),
    failure("N'a' || 5", "syntax", "|| takes texts: a number is cast first", PIPES),
    value("CHARINDEX('C', 'abcabc')", 3, "the search follows the collation", CHARINDEX),
    value("CHARINDEX('c', 'abcabc', 4)", 6, "the search begins at the start given", CHARINDEX),
    value("CHARINDEX('x', 'abc')", 0, "0 where nothing is found", CHARINDEX),
    value("CHARINDEX('a', 'banana', -3)", 2, "a start of 0 or less is the beginning", CHARINDEX),
    value("CHARINDEX('a', NULL)", None, "NULL in either text gives NULL", CHARINDEX),
    value("PATINDEX('%ter%', 'interesting data')", 3, "the start of the pattern", PATINDEX),
    value(
        "PATINDEX('%en_ure%', 'Please ensure the door is locked!')",
        8,
        "_ stands for any one character, as in LIKE",
        PATINDEX,
    ),
    value(
        "PATINDEX('%[^ 0-9A-z]%', 'Please ensure the door is locked!')",
        33,
        "[^...] stands for one character that is not listed",
        PATINDEX,
    ),
    value("PATINDEX('a%', 'abc')", 1, "without % in front the pattern begins it", PATINDEX),
    value("PATINDEX('%a', 'cba')", 3, "without % behind the pattern ends it", PATINDEX),
    value("PATINDEX('%abc', 'abcabc')", 4, "without % behind the pattern ends it", PATINDEX),
    value("PATINDEX('b%', 'abc')", 0, "0 where it is not found", PATINDEX),
    value(
        "PATINDEX('%a%', CAST(NULL AS NVARCHAR(5)))",
        None,
        "an argument that is NULL gives NULL",
        PATINDEX,
    ),
    Case(
        "a computed pattern of PATINDEX",
        "the pattern is any character expression",
        PATINDEX,
        "SELECT PATINDEX('%' + v.x + '%', 'A safety_first rule 50%') AS p "
        "FROM (VALUES (1, 'SAFETY'), (2, 'y_f'), (3, 'none')) AS v(n, x) ORDER BY v.n",
        ((3,), (8,), (0,)),
    ),
    value(
        "REPLACE('abcdefghicde', 'cde', 'xxx')",
        "abxxxfghixxx",
        "every occurrence of the pattern is replaced",
        REPLACE,
    ),
    value("REPLACE('Abcabc', 'ABC', 'x')", "xx", "the comparison follows the collation", REPLACE),
    value("REPLACE('a.b', '.', '\\1')", "a\\1b", "neither text is a pattern", REPLACE),
    value("REPLACE('abc', '', 'x')", "abc", "an empty pattern leaves the text unchanged", REPLACE),
    value("REPLACE('abc', 'b', NULL)", None, "NULL in any argument gives NULL", REPLACE),
    value(
        "STUFF('abcdef', 2, 3, 'ijklmn')",
        "aijklmnef",
        "as many characters are deleted, and the text is inserted there",
        STUFF,
    ),
    value("STUFF('abc', 9, 1, 'X')", None, "NULL for a start beyond the text", STUFF),
    value("STUFF('abc', 0, 1, 'X')", None, "NULL for a start of 0", STUFF),
    value("STUFF('abc', 2, -1, 'X')", None, "NULL for a negative length", STUFF),
    value("STUFF('abc', 2, 0, 'X')", "aXbc", "a length of 0 only inserts", STUFF),
    value(
        "STUFF('abc', 2, 99, NULL)",
        "a",
        "a length beyond the end deletes to it, and NULL inserts nothing",
        STUFF,
    ),
    value("REPLICATE('0', 4) + 'A'", "0000A", "the text, as often as said", REPLICATE),
    value("REPLICATE('ab', -1)", None, "a negative count gives NULL", REPLICATE),
    value(
        "LEN(REPLICATE('abc', 8000))",
        8000,
        "a result that is not of a large type is cut at 8,000 bytes",
        REPLICATE,
    ),
    value("LEN(REPLICATE(N'a', 8000))", 4000, "those are 4,000 characters of nvarchar", REPLICATE),
    value("SPACE(2) + 'x'", "  x", "SPACE is a text of as many blanks", SPACE),
    value("SPACE(-1)", None, "a negative count gives NULL", SPACE),
    value("CONCAT('a', NULL, 1)", "a1", "NULL is an empty text, a number is converted", CONCAT),
    value("CONCAT(NULL, NULL)", "", "nothing but NULL is an empty text", CONCAT),
    value(
        "CONCAT('Happy ', 'Birthday ', 11, '/', '25')",
        "Happy Birthday 11/25",
        "two to 254 values are joined, each converted to text",
        CONCAT,
    ),
    value("CONCAT_WS('-', 'a', NULL, 'b')", "a-b", "NULL is left out, with its mark", CONCAT_WS),
    value("CONCAT_WS(NULL, 'a', 'b')", "ab", "a NULL separator is an empty one", CONCAT_WS),
    value("CONCAT_WS(',', '', 'b')", ",b", "an empty text is not left out", CONCAT_WS),
    value("'a' + NULL", None, "+ with NULL is NULL", PLUS),
    value(
        "TRANSLATE('2*[3+4]/{7-2}', '[]{}', '()()')",
        "2*(3+4)/(7-2)",
        "a character of the second text becomes that of the third at its place",
        TRANSLATE,
    ),
    value(
        "TRANSLATE('Straße', 'ß', 'z')",
        "Straze",
        "a character of the second text becomes that of the third at its place",
        TRANSLATE,
    ),
    value("TRANSLATE('ABC', 'ab', 'xy')", "xyC", "as REPLACE by the collation", TRANSLATE),
    failure(
        "TRANSLATE('a', 'ab', 'x')",
        "execution_failed",
        "the second and the third text must have the same length",
        TRANSLATE,
    ),
    Case(
        "computed lists of TRANSLATE",
        "the lists are any character expressions",
        TRANSLATE,
        "SELECT TRANSLATE('[137.4, 72.3]', v.a, v.b) AS t "
        "FROM (VALUES (1, '[,]', '( )'), (2, '.', ';')) AS v(n, a, b) ORDER BY v.n",
        (("(137.4  72.3)",), ("[137;4, 72;3]",)),
    ),
    value("REVERSE('abc')", "cba", "from the end to the start", REVERSE),
    value("UPPER('é') + LOWER('É')", "Éé", "letters with accents have both cases", UPPER),
    value(
        "TRIM('  a ') + LTRIM(' b') + RTRIM('c ')",
        "abc",
        "blanks at one end or at both are removed",
        TRIM,
    ),
    value("ASCII('A')", 65, "the code of the first character", ASCII),
    value("CHAR(65)", "A", "the character of a code", CHAR),
    value("CHAR(255) + CHAR(9)", "ÿ\t", "an integer from 0 to 255 is a character", CHAR),
    value("CHAR(999)", None, "an integer beyond 255 gives NULL", CHAR),
    value("CHAR(-1)", None, "an integer below 0 gives NULL", CHAR),
    value("NCHAR(65313)", "\uff21", "an integer up to 0x10FFFF under _SC", NCHAR),
    value("NCHAR(1114112)", None, "an integer beyond 0x10FFFF gives NULL", NCHAR),
    value("NCHAR(233)", "é", "the character of a Unicode code", NCHAR),
    value("UNICODE(N'Å')", 197, "the Unicode code of the first character", UNICODE),
    Case(
        "REGEXP_LIKE regards case by default",
        "without the flag i a regular expression regards case",
        REGEXP_LIKE,
        "SELECT v.x FROM (VALUES ('ABBY'), ('abby'), ('Amy')) AS v(x) WHERE REGEXP_LIKE(v.x, "
        "'^A.*Y$')",
        (("ABBY",),),
    ),
    Case(
        "REGEXP_LIKE with the flag i",
        "with the flag i a regular expression does not regard case",
        REGEXP_LIKE,
        "SELECT v.x FROM (VALUES ('Alby'), ('amy'), ('Bo')) AS v(x) WHERE REGEXP_LIKE(v.x, "
        "'^A.*Y$', 'i') ORDER BY v.x",
        (("Alby",), ("amy",)),
    ),
    value(
        r"REGEXP_COUNT('a1b22c', '\d+')", 2, "REGEXP_COUNT is the number of matches", REGEXP_COUNT
    ),
    value(
        r"REGEXP_COUNT('abcabc', 'A', 1, 'i')",
        2,
        "the start and the flags follow the pattern",
        REGEXP_COUNT,
    ),
    value(
        rf"REGEXP_REPLACE({PHONE}'(\1) \2-\3')",
        "(123) 456-7890",
        r"\n is the group of that number",
        REGEXP_REPLACE,
    ),
    value(
        rf"REGEXP_REPLACE({PHONE}'(\1) (\4)-xxxx')",
        "(123) ()-xxxx",
        "a group that is not there is nothing",
        REGEXP_REPLACE,
    ),
    value(
        "REGEXP_REPLACE('aXbX', 'X', '[&]', 1, 0)",
        "a[X]b[X]",
        "& in the replacement is the whole match, occurrence 0 replaces all",
        REGEXP_REPLACE,
    ),
    value(
        "REGEXP_REPLACE('Alien', '[aeiou]', '')",
        "Aln",
        "by default the occurrence is 0: all are replaced",
        REGEXP_REPLACE,
    ),
    value(
        "REGEXP_REPLACE('Alien', '[aeiou]', '', 1, 1)",
        "Alen",
        "occurrence 1 replaces the first match",
        REGEXP_REPLACE,
    ),
    *(
        value(f"REGEXP_REPLACE({call})", text, "groups are counted as RE2 does", REGEXP_REPLACE)
        for call, text in GROUPS
    ),
    value(
        "REGEXP_REPLACE('abc', 'x', 'y')",
        "abc",
        "a text without a match is returned as it is",
        REGEXP_REPLACE,
    ),
    value(r"REGEXP_SUBSTR('a1b22', '\d+', 1, 2)", "22", "the match of that number", REGEXP_SUBSTR),
    value(
        r"REGEXP_SUBSTR('abc', '\d+')", None, "without a match the result is NULL", REGEXP_SUBSTR
    ),
)
