import pytest
from golden.decisions import allowed, refused

from moviegraph.contract.statement_limits import MAX_CHARACTERS, MAX_TOKENS


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        pytest.param("", "syntax", id="nothing"),
        pytest.param(" \n\t ", "syntax", id="blanks"),
        pytest.param("-- only a comment", "syntax", id="comment"),
        pytest.param(";;;", "syntax", id="semicolons"),
        pytest.param("SELECT", "syntax", id="select alone"),
        pytest.param("x" * 100_000, "too_large", id="100 kB"),
        pytest.param("SELECT '" + "a" * MAX_CHARACTERS + "'", "too_large", id="many characters"),
        pytest.param("SELECT " + "1," * MAX_TOKENS + "1", "too_large", id="many tokens"),
        pytest.param("SELECT '" + "a" * 4001 + "'", "too_large", id="long string"),
        pytest.param("SELECT Name AS " + "a" * 129 + " FROM Movie", "too_large", id="long name"),
        pytest.param("SELECT " + "9" * 200, "too_large", id="long number"),
        pytest.param("SELECT 1e1.5", "syntax", id="two numbers in one"),
        pytest.param("SELECT " + "(" * 25 + "1" + ")" * 25, "too_large", id="parentheses"),
        pytest.param("SELECT " + "(" * 7000, "too_large", id="open parentheses"),
        pytest.param(
            "SELECT " + "CASE WHEN 1=1 THEN " * 25 + "1" + " END" * 25, "too_large", id="case"
        ),
        pytest.param("SELECT 1 WHERE " + "NOT " * 9 + "1=1", "too_large", id="not"),
        pytest.param("SELECT " + "- " * 9 + "1", "too_large", id="minus"),
        pytest.param("SELECT Name FROM Movie\0", "syntax", id="NUL"),
        pytest.param("SELECT '\0' AS x", "syntax", id="NUL in a string"),
        pytest.param("SELECT '\ud800' AS x", "syntax", id="lone surrogate"),
        pytest.param("SELECT Name\u2028FROM Movie", "syntax", id="line separator"),
        pytest.param("SELECT Name FROM Movie\x1a", "syntax", id="control character"),
        pytest.param("SELECT [N\u00e4me] FROM Movie", "syntax", id="umlaut in a name"),
        pytest.param("SELECT LEN('ab\\\ncd') AS x", "syntax", id="joined lines"),
        pytest.param("SELECT N'ab\\\r\ncd' AS x", "syntax", id="joined lines of Windows"),
        pytest.param("SELECT 1 AS [ab\\\ncd]", "syntax", id="joined lines in a name"),
    ],
)
def test_what_is_empty_too_large_or_unreadable_is_refused(sql: str, code: str) -> None:
    assert refused(sql).code == code


def test_the_largest_nesting_is_read() -> None:
    allowed("SELECT " + "(" * 24 + "1" + ")" * 24 + " AS x")


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        pytest.param("1e0+2e0-3", "1e0 + 2e0 - 3", id="a sum"),
        pytest.param("1e+2-1E-2", "1e+2 - 1E-2", id="signs of exponents"),
        pytest.param("-1.5e0-.5e0", "-1.5e0 - 0.5e0", id="fractions"),
        pytest.param("'1e0+2'", "'1e0+2'", id="a text"),
        pytest.param("1e0--1e0+\n+2", "1e0 + 2", id="a comment"),
    ],
)
def test_a_number_ends_with_its_exponent(text: str, parsed: str) -> None:
    assert allowed(f"SELECT {text} AS [1e0+2]").sql == f"SELECT TOP 20 {parsed} AS [1e0+2]"


def test_a_name_may_end_as_a_number_does() -> None:
    allowed("SELECT s.t1e0-s.Id AS x FROM (SELECT Id AS t1e0, Id FROM Movie) AS s")


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        pytest.param("'Amélie 日本 🎬'", "'Amélie 日本 🎬'", id="letters of the world"),
        pytest.param("'\u202eright to left'", "'\u202eright to left'", id="right to left"),
        pytest.param("N'it''s'", "N'it''s'", id="doubled quote"),
        pytest.param("'-- no comment /* '", "'-- no comment /* '", id="comment signs"),
        pytest.param("'a;b'", "'a;b'", id="semicolon"),
        pytest.param("'GO'", "'GO'", id="go"),
        pytest.param("'DROP TABLE Movie'", "'DROP TABLE Movie'", id="a statement"),
        pytest.param("'%q :q `x`'", "'%q :q `x`'", id="habits"),
        pytest.param("'a\\b'", "'a\\b'", id="backslash"),
        pytest.param("'a\nb\\'", "'a\nb\\'", id="backslash at the end"),
        pytest.param("''", "''", id="empty"),
    ],
)
def test_strings_are_kept_to_the_letter(text: str, literal: str) -> None:
    assert allowed(f"SELECT Id FROM Movie WHERE Name = {text}").sql.endswith(f"= {literal}")


@pytest.mark.parametrize(
    ("sql", "note"),
    [
        pytest.param("```sql\nSELECT Name FROM Movie\n```", "code fence", id="fence"),
        pytest.param("```\nSELECT Name FROM Movie```  ", "code fence", id="plain fence"),
        pytest.param("SELECT Name FROM Movie\nGO", "GO", id="go"),
        pytest.param("SELECT Name FROM Movie\n  go  \n", "GO", id="small go"),
        pytest.param("SELECT Name, FROM Movie", "trailing comma", id="comma"),
        pytest.param("SELECT `Name` FROM `Movie`", "Backticks", id="backticks"),
    ],
)
def test_habits_that_keep_the_meaning_are_repaired_with_a_note(sql: str, note: str) -> None:
    decision = allowed(sql)
    assert decision.sql == "SELECT TOP 20 [Name] FROM [dbo].[Movie]"
    assert any(note in note_text for note_text in decision.notes)


@pytest.mark.parametrize("sign", ["%q", ":q", "@Q", "@q"])
def test_the_parameter_is_known_by_its_usual_spellings(sign: str) -> None:
    decision = allowed(
        f"SELECT TOP 5 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, {sign})"
    )
    assert decision.sql.endswith("[Embedding], @q)")
    assert decision.uses_query


def test_a_statement_without_the_parameter_does_not_use_the_query() -> None:
    assert not allowed("SELECT Name FROM Movie WHERE Name = '@q'").uses_query


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param(";WITH x AS (SELECT Id FROM Movie) SELECT Id FROM x", id="before with"),
        pytest.param("SELECT Id FROM Movie;", id="at the end"),
        pytest.param("SELECT Id FROM Movie;;\n;", id="several at the end"),
    ],
)
def test_semicolons_around_one_statement_mean_nothing(sql: str) -> None:
    assert ";" not in allowed(sql).sql


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("SELECT Name/**/FROM/* -- */Movie", id="block"),
        pytest.param("SELECT Name -- ' \nFROM Movie", id="line with a quote"),
        pytest.param("/* /* a */ ' */ SELECT Name FROM Movie", id="nested"),
        pytest.param("SELECT Name FROM Movie --", id="at the end"),
        pytest.param("SELECT Name FROM Movie -- é \u202e", id="with any character"),
        pytest.param("SELECT Name -- a\rFROM Movie", id="ended by a carriage return"),
    ],
)
def test_comments_are_dropped(sql: str) -> None:
    assert allowed(sql).sql == "SELECT TOP 20 [Name] FROM [dbo].[Movie]"


@pytest.mark.parametrize(
    ("sql", "span"),
    [
        pytest.param("SELECT Name FROM Movie; DROP TABLE Movie", ";", id="semicolon"),
        pytest.param("SELECT Name /* x */ FROM Movie SHUTDOWN", "SHUTDOWN", id="statement word"),
        pytest.param("SELECT LENGTH(Name) FROM Movie", "LENGTH", id="function"),
        pytest.param("SELECT m.Titel FROM Movie m", "Titel", id="column"),
        pytest.param("SELECT Id::INT FROM Movie", "::", id="operator"),
    ],
)
def test_a_refusal_points_at_the_place_in_the_text_as_given(sql: str, span: str) -> None:
    place = refused(sql).span
    assert place is not None
    assert sql[slice(*place)] == span


@pytest.mark.parametrize(
    ("sql", "advice"),
    [
        pytest.param("SELECT Id // 2 FROM Movie", "FLOOR(a / b)", id="slashes"),
        pytest.param("SELECT Name FROM #t", "WITH x AS", id="temporary table"),
        pytest.param("SELECT Name FROM Movie WHERE Id = ?", "@q", id="question mark"),
        pytest.param("SELECT Name FROM Movie WHERE Name = “x”", "curly quotes", id="curly quotes"),
        pytest.param("SELECT {fn NOW()}", "call the function itself", id="braces"),
        pytest.param("DROP TABLE Movie", "nothing can be changed", id="drop"),
    ],
)
def test_a_refused_sign_says_what_to_write_instead(sql: str, advice: str) -> None:
    assert advice in refused(sql).message
