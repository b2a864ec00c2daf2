import pytest

from moviegraph.contract.loader import load_contract
from moviegraph.repair.comparison import is_equivalent

CONTRACT = load_contract()
STARS = "SELECT m.Key, m.Name FROM Movie m WHERE m.Name LIKE '%star%'"
STARS_FIXED = STARS.replace("m.Key", "m.Id")
TWO_TEXTS = (
    "SELECT m.Id FROM Movie m, IN_GENRE e, Genre g, PART_OF_SERIES p, Series s "
    "WHERE MATCH(m-(e)->g) AND MATCH(m-(p)->s) AND g.Name = 'Horror' AND s.Name = 'Alien'"
)
NEAREST = "SELECT TOP 5 m.Id FROM Movie m ORDER BY VECTOR_DISTANCE('dot', m.Embedding, @q)"
LEFT_OUT = (
    "SELECT m.Nam FROM Movie m WHERE m.ReleaseYear > 1990 AND m.Name NOT LIKE '%Star Wars%' "
    "ORDER BY m.ReleaseYear DESC LIMIT 5"
)
FIXED = (
    "SELECT TOP 5 m.Name FROM Movie AS m WHERE m.ReleaseYear > 1990 "
    "AND m.Name NOT LIKE '%Star Wars%' ORDER BY m.ReleaseYear DESC"
)
THEME_COUNTS = (
    "SELECT t.Name, COUNT(*) n FROM Theme t, INCLUDES_THEME e, Movie m "
    "WHERE MATCH(t-(e)->m) GROUP BY t.Name HAVING COUNT(*) > 3"
)
COUNTED_FIXED = THEME_COUNTS.replace("t-(e)->m", "m-(e)->t")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(LEFT_OUT, FIXED, id="dialect"),
        pytest.param(THEME_COUNTS, COUNTED_FIXED, id="arrow"),
        pytest.param(
            "SELECT Name FROM Movie WHERE ReleaseYear BETWEEN 1980 AND 1989",
            "SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear >= 1980 AND m.ReleaseYear <= 1989",
            id="between in two",
        ),
        pytest.param(
            "SELECT Name FROM Movie WHERE 1990 <= ReleaseYear",
            "SELECT Name FROM Movie WHERE ReleaseYear >= 1990",
            id="turned round",
        ),
        pytest.param(
            "SELECT m.Name FROM Movie m JOIN IN_GENRE i ON i.x = m.Id JOIN Genre g ON g.Id = i.y "
            "WHERE g.Name != 'Horror'",
            "SELECT m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g) "
            "AND g.Name <> 'Horror'",
            id="joins to a pattern",
        ),
    ],
)
def test_a_rewrite_that_changes_only_the_form_is_taken(before: str, after: str) -> None:
    assert is_equivalent(before, after, CONTRACT)


@pytest.mark.parametrize(
    ("first", "other"),
    [
        pytest.param("m.ReleaseYear > 1989", "m.ReleaseYear >= 1990", id="whole numbers"),
        pytest.param("m.ReleaseYear / 10.0 > 198", "m.ReleaseYear / 10.0 >= 199", id="a quotient"),
        pytest.param("m.ReleaseYear > 1989.5", "m.ReleaseYear >= 1990", id="a fraction"),
        pytest.param("r.Price > 7", "r.Price >= 8", id="a column of another type"),
        pytest.param(
            "VECTOR_DISTANCE('cosine', m.Embedding, @q) < 1",
            "VECTOR_DISTANCE('cosine', m.Embedding, @q) <= 0",
            id="a distance",
        ),
    ],
)
def test_bounds_are_kept_as_they_were_written(first: str, other: str) -> None:
    form = "SELECT m.Name FROM Movie AS m WHERE {}"

    assert not is_equivalent(form.format(first), form.format(other), CONTRACT)


UNCLOSED_QUOTE = (
    "SELECT m.Name FROM Movie m WHERE m.Name = 'Dune AND m.ReleaseYear > 1990 ORDER BY m.Id"
)
CLOSED_QUOTE = UNCLOSED_QUOTE.replace("Dune", "Dune'")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(UNCLOSED_QUOTE, CLOSED_QUOTE, id="a text without an end"),
        pytest.param(
            "SELECT m.Name FROM Movie m LEFT JOIN PART_OF_SERIES p ON p.f = m.Id WHERE p.f IS NULL",
            "SELECT m.Name FROM Movie m WHERE NOT EXISTS (SELECT 1 FROM Movie AS x, "
            "PART_OF_SERIES AS p, Series AS s WHERE MATCH(x-(p)->s) AND x.Id = m.Id)",
            id="tables that the statement has no name for",
        ),
    ],
)
def test_what_cannot_be_compared_is_no_repair(before: str, after: str) -> None:
    assert not is_equivalent(before, after, CONTRACT)


MUTATIONS = {
    "lost condition": ("m.ReleaseYear > 1990 AND ", ""),
    "changed literal": ("Star Wars", "Star Trek"),
    "changed number": ("1990", "1991"),
    "other table": ("Movie AS m", "Theme AS m"),
    "flipped comparison": ("> 1990", "< 1990"),
    "weakened comparison": ("> 1990", ">= 1990"),
    "shifted bound": ("> 1990", ">= 1992"),
    "dropped NOT": ("NOT LIKE", "LIKE"),
    "OR for AND": ("1990 AND", "1990 OR"),
    "lost exclusion": (" AND m.Name NOT LIKE '%Star Wars%'", ""),
    "exclusion of nothing": ("NOT LIKE '%Star Wars%'", "IS NOT NULL"),
    "changed TOP": ("TOP 5", "TOP 50"),
    "lost TOP": ("TOP 5 ", ""),
    "turned order": (" DESC", ""),
    "added condition": (" ORDER", " AND m.Id < 9 ORDER"),
}


@pytest.mark.parametrize("before", [LEFT_OUT, FIXED])
@pytest.mark.parametrize(
    "change", [pytest.param(pair, id=name) for name, pair in MUTATIONS.items()]
)
def test_a_rewrite_that_changes_the_question_is_refused_in_any_spelling(
    before: str, change: tuple[str, str]
) -> None:
    assert is_equivalent(before, FIXED, CONTRACT)
    assert change[0] in FIXED
    assert not is_equivalent(before, FIXED.replace(*change), CONTRACT)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(LEFT_OUT, FIXED.replace(" > 1990", " >= 1990"), id="another operator"),
        pytest.param(LEFT_OUT, FIXED.replace(" > 1990", " < 1990"), id="turned round"),
        pytest.param(LEFT_OUT, FIXED.replace("1990", "1980"), id="another number"),
        pytest.param(LEFT_OUT, FIXED.replace("NOT LIKE", "LIKE"), id="lost NOT"),
        pytest.param(LEFT_OUT, FIXED.replace("Wars", "Trek"), id="another literal"),
        pytest.param(LEFT_OUT, FIXED.replace("AND", "OR"), id="OR for AND"),
        pytest.param(LEFT_OUT, FIXED.replace("TOP 5", "TOP 6"), id="another number of rows"),
        pytest.param(LEFT_OUT, FIXED.replace(" DESC", ""), id="another order"),
        pytest.param(LEFT_OUT, FIXED.replace("ORDER BY m.ReleaseYear DESC", ""), id="no order"),
        pytest.param(LEFT_OUT, FIXED.replace("m.ReleaseYear > 1990 AND ", ""), id="lost condition"),
        pytest.param(
            LEFT_OUT, FIXED.replace(" ORDER", " AND m.ReleaseYear < 2000 ORDER"), id="new number"
        ),
        pytest.param(
            LEFT_OUT, FIXED.replace(" ORDER", " AND m.Content LIKE '%robot%' ORDER"), id="new word"
        ),
        pytest.param(THEME_COUNTS, COUNTED_FIXED.replace("> 3", "> 2"), id="a small number"),
        pytest.param("SELECT COUNT(*) FROM Movie", "SELECT m.Id FROM Movie AS m", id="no count"),
        pytest.param(
            THEME_COUNTS,
            COUNTED_FIXED.replace(" HAVING COUNT(*) > 3", ""),
            id="no condition on groups",
        ),
        pytest.param(THEME_COUNTS, "SELECT m.Name FROM Movie AS m", id="other tables"),
        pytest.param(
            "SELECT Name FROM Movie WHERE ReleaseYear IS NOT NULL",
            "SELECT Name FROM Movie",
            id="lost column",
        ),
        pytest.param(
            "SELECT DISTINCT Name FROM Movie", "SELECT Name FROM Movie", id="lost DISTINCT"
        ),
        pytest.param("SELECT Name FROM Movie WHERE Name = 'x", "SELECT Name FROM Movie", id="open"),
        pytest.param(
            "SELECT m.Id FROM Movie m WHERE CONTAINS(m.Content, 'war AND NOT love')",
            "SELECT m.Id FROM Movie m WHERE CONTAINS(m.Content, 'war AND love')",
            id="NOT within a search",
        ),
    ],
)
def test_a_rewrite_that_asks_something_else_is_refused(before: str, after: str) -> None:
    assert not is_equivalent(before, after, CONTRACT)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(STARS, STARS_FIXED.replace("m.Name LIKE", "m.Content LIKE"), id="column"),
        pytest.param(STARS, STARS_FIXED.replace("LIKE '%star%'", "= 'star'"), id="sign"),
        pytest.param(STARS, STARS_FIXED.replace("%star%", "star%"), id="pattern"),
        pytest.param(
            STARS.replace("LIKE '%star%'", "> 'M'"),
            STARS_FIXED.replace("LIKE '%star%'", "< 'M'"),
            id="other end of the alphabet",
        ),
        pytest.param(
            TWO_TEXTS,
            TWO_TEXTS.replace("Horror", "?").replace("Alien", "Horror").replace("?", "Alien"),
            id="texts exchanged",
        ),
        pytest.param(
            TWO_TEXTS, TWO_TEXTS.replace("= 'Alien'", "LIKE '%Alien%'"), id="pattern for a name"
        ),
        pytest.param(LEFT_OUT, FIXED.replace("ORDER BY m.ReleaseYear", "ORDER BY m.Name"), id="by"),
        pytest.param(NEAREST, NEAREST.replace("'dot'", "'cosine'"), id="metric"),
        pytest.param(STARS, STARS_FIXED.replace("SELECT", "SELECT TOP 1"), id="fewer rows"),
        pytest.param(STARS, STARS_FIXED.replace("m.Id, m.Name", "COUNT(*) AS n"), id="a count"),
        pytest.param(STARS, STARS_FIXED.replace("SELECT", "SELECT DISTINCT"), id="distinct rows"),
        pytest.param(STARS, STARS_FIXED + " AND m.ReleaseYear IS NOT NULL", id="not NULL"),
        pytest.param(STARS, STARS_FIXED + " AND LEN(m.Name) < LEN(m.Content)", id="two columns"),
        pytest.param(
            STARS,
            "SELECT m.Id, m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g "
            "WHERE MATCH(m-(e)->g) AND m.Name LIKE '%star%'",
            id="another table beside",
        ),
    ],
)
def test_a_rewrite_that_compares_otherwise_or_narrows_is_refused(before: str, after: str) -> None:
    assert not is_equivalent(before, after, CONTRACT)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(STARS, STARS_FIXED.replace("SELECT", "SELECT TOP 20"), id="the usual TOP"),
        pytest.param(
            "SELECT m.Name FROM Movie m WHERE m.Genres LIKE 'Drama'",
            "SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g "
            "WHERE MATCH(m-(e)->g) AND g.Name LIKE 'Drama'",
            id="a column that is a table",
        ),
    ],
)
def test_a_rewrite_may_add_what_the_statement_gives_a_reason_for(before: str, after: str) -> None:
    assert is_equivalent(before, after, CONTRACT)


KUSTO = (
    "Movie | where Name contains 'star' and Name !contains \"trek\" and ReleaseYear >= 1990 "
    "or ReleaseYear == 1977 | top 5 by ReleaseYear desc | project Id, Name"
)
OF_KUSTO = (
    "SELECT TOP 5 m.Id, m.Name FROM Movie AS m WHERE m.Name LIKE '%star%' "
    "AND m.Name NOT LIKE '%trek%' AND m.ReleaseYear >= 1990 OR m.ReleaseYear = 1977 "
    "ORDER BY m.ReleaseYear DESC"
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(KUSTO, OF_KUSTO, id="pipeline"),
        pytest.param("SELEC m.Name FROM Movie m", "SELECT m.Name FROM Movie m", id="no SELECT"),
        pytest.param(
            "Movie | summarize count() by ReleaseYear",
            "SELECT m.ReleaseYear, COUNT(*) AS n FROM Movie AS m GROUP BY m.ReleaseYear",
            id="groups",
        ),
        pytest.param(
            "Movie | where ReleaseYear in (1990, 1991) | take 3",
            "SELECT TOP 3 m.Id FROM Movie AS m WHERE m.ReleaseYear IN (1990, 1991)",
            id="rows and a list",
        ),
        pytest.param(
            "SELECT TOP 5 m.Id, FROM Movie m ORDER BY VECTOR_DISTANCE('dot', m.Embedding, @q)",
            NEAREST,
            id="a comma",
        ),
    ],
)
def test_without_a_tree_a_rewrite_that_keeps_every_known_token_is_taken(
    before: str, after: str
) -> None:
    assert is_equivalent(before, after, CONTRACT)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(("star", "stars"), id="literal"),
        pytest.param(("'%star%'", "'star%'"), id="pattern"),
        pytest.param(("trek", "trak"), id="literal in double quotes"),
        pytest.param(("m.Name LIKE", "m.Content LIKE"), id="column"),
        pytest.param((" NOT LIKE", " LIKE"), id="lost NOT"),
        pytest.param((">= 1990", "> 1990"), id="sign"),
        pytest.param((" OR ", " AND "), id="AND for OR"),
        pytest.param(("TOP 5", "TOP 6"), id="another number of rows"),
        pytest.param(("TOP 5 ", ""), id="all rows"),
        pytest.param((" DESC", ""), id="order"),
        pytest.param(("BY m.ReleaseYear", "BY m.Name"), id="sort key"),
        pytest.param((" ORDER BY m.ReleaseYear DESC", ""), id="no order"),
        pytest.param(("SELECT", "SELECT DISTINCT"), id="distinct rows"),
        pytest.param(("m.Id, m.Name", "COUNT(*) AS n"), id="a count"),
        pytest.param((" AND m.ReleaseYear >= 1990", ""), id="lost condition"),
        pytest.param(("m.Id,", ""), id="lost column"),
        pytest.param(("Movie AS m", "Movie AS m, Genre AS g"), id="another table beside"),
        pytest.param(("Movie AS m", "Theme AS m"), id="another table"),
        pytest.param(("WHERE", "WHERE m.Id = m.ReleaseYear AND"), id="a further condition"),
        pytest.param(("m.ReleaseYear = 1977", "m.ReleaseYear + m.Id = 1977"), id="a sum"),
    ],
)
def test_without_a_tree_a_rewrite_that_asks_something_else_is_refused(
    change: tuple[str, str],
) -> None:
    assert change[0] in OF_KUSTO
    assert not is_equivalent(KUSTO, OF_KUSTO.replace(*change, 1), CONTRACT)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "Movie | sort by ReleaseYear",
            "SELECT m.Id FROM Movie m ORDER BY m.ReleaseYear",
            id="up",
        ),
        pytest.param(
            "Movie | where strlen(Name) > 5", "SELECT m.Id FROM Movie m WHERE m.Name > 5", id="call"
        ),
        pytest.param(
            "Movie | summarize dcount(Name)", "SELECT m.Name FROM Movie m", id="aggregate"
        ),
        pytest.param(
            "Movie | where Name contains '100%'",
            "SELECT m.Id FROM Movie m WHERE m.Name LIKE '%100%%'",
            id="wildcard",
        ),
        pytest.param("every Movie about stars", "SELECT m.Id FROM Movie m", id="prose"),
        pytest.param("Movies | project Name", "SELECT m.Name FROM Movie m", id="unknown table"),
    ],
)
def test_without_a_tree_what_no_token_tells_is_no_repair(before: str, after: str) -> None:
    assert not is_equivalent(before, after, CONTRACT)
