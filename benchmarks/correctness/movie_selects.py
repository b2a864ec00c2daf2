"""SELECTs over the bundled films, each with its rows computed from the JSON Lines."""

from collections import Counter, defaultdict
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import combinations, groupby, pairwise
from statistics import fmean, median, pstdev, stdev

from benchmarks.correctness.cases import (
    Cases,
    Rows,
    average,
    divide,
    has_phrase,
    has_prefix,
    like,
    plain,
    words,
)
from benchmarks.correctness.graphs import Node, Records

CASES = Cases()
select = CASES.select


def decade(film: Node) -> int:
    return film.ReleaseYear // 10 * 10


def dated(g: Records) -> list[Node]:
    return [film for film in g["Movie"] if film.ReleaseYear is not None]


def rounded(value: Decimal, digits: int = 0) -> Decimal:
    return Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


# Counting and grouping


@select("""SELECT COUNT(*) AS Films, COUNT(ReleaseYear) AS Dated, COUNT(DISTINCT ReleaseYear)
    AS Years FROM Movie""")
def _(g: Records) -> Rows:
    years = [film.ReleaseYear for film in dated(g)]
    return [(len(g["Movie"]), len(years), len(set(years)))]


@select("SELECT MIN(ReleaseYear), MAX(ReleaseYear), AVG(ReleaseYear), SUM(ReleaseYear) FROM Movie")
def _(g: Records) -> Rows:
    years = [film.ReleaseYear for film in dated(g)]
    return [(min(years), max(years), average(years), sum(years))]


@select("""SELECT ReleaseYear / 10 * 10 AS Decade, COUNT(*) AS Films FROM Movie WHERE
    ReleaseYear IS NOT NULL GROUP BY ReleaseYear / 10 * 10 ORDER BY Decade""")
def _(g: Records) -> Rows:
    return sorted(Counter(decade(film) for film in dated(g)).items())


@select("""SELECT TOP 5 ReleaseYear, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear HAVING
    COUNT(*) > 5 ORDER BY COUNT(*) DESC, ReleaseYear ASC""")
def _(g: Records) -> Rows:
    counts = Counter(film.ReleaseYear for film in g["Movie"])
    return sorted(((y, n) for y, n in counts.items() if n > 5), key=lambda r: (-r[1], r[0]))[:5]


@select("""SELECT TOP 8 g.Name, COUNT(*) AS Films FROM Movie m, IN_GENRE i, Genre g WHERE
    MATCH(m-(i)->g) GROUP BY g.Name ORDER BY Films DESC, g.Name""")
def _(g: Records) -> Rows:
    counts = Counter(genre.Name for _, genre in g.edges["IN_GENRE"])
    return sorted(counts.items(), key=lambda r: (-r[1], r[0]))[:8]


@select("""SELECT g.Name, AVG(m.ReleaseYear) AS Whole, AVG(m.ReleaseYear * 1.0) AS Exact,
    AVG(CAST(m.ReleaseYear AS FLOAT)) AS Floating FROM Movie m, IN_GENRE i, Genre g WHERE
    MATCH(m-(i)->g) GROUP BY g.Name""")
def _(g: Records) -> Rows:
    years = defaultdict(list)
    for film, genre in g.edges["IN_GENRE"]:
        years[genre.Name] += [film.ReleaseYear] if film.ReleaseYear is not None else []
    return [
        (n, average(y), Fraction(int(Fraction(sum(y), len(y)) * 10**6), 10**6), sum(y) / len(y))
        for n, y in years.items()
    ]


@select("""SELECT STDEV(ReleaseYear) AS s, STDEVP(ReleaseYear) AS p, VAR(ReleaseYear) AS v FROM
    Movie""")
def _(g: Records) -> Rows:
    years = [film.ReleaseYear for film in dated(g)]
    return [(stdev(years), pstdev(years), stdev(years) ** 2)]


@select("""SELECT CASE WHEN ReleaseYear < 1950 THEN 'old' WHEN ReleaseYear < 2000 THEN 'middle'
    ELSE 'new' END AS Age, COUNT(*) AS n FROM Movie GROUP BY CASE WHEN ReleaseYear < 1950 THEN
    'old' WHEN ReleaseYear < 2000 THEN 'middle' ELSE 'new' END""")
def _(g: Records) -> Rows:
    def age(y: int | None) -> str:
        return "new" if y is None or y >= 2000 else "old" if y < 1950 else "middle"

    return Counter(age(film.ReleaseYear) for film in g["Movie"]).items()


@select("""SELECT SUM(CASE WHEN ReleaseYear % 4 = 0 THEN 1 ELSE 0 END) AS Leap, COUNT(CASE WHEN
    ReleaseYear % 2 = 1 THEN 1 END) AS Odd, SUM(IIF(Id > 700, 1, 0)) AS Late FROM Movie""")
def _(g: Records) -> Rows:
    films = g["Movie"]
    return [
        (
            sum(f.ReleaseYear % 4 == 0 for f in dated(g)),
            sum(f.ReleaseYear % 2 for f in dated(g)),
            sum(f.Id > 700 for f in films),
        )
    ]


@select("SELECT COUNT(*) FROM Movie HAVING COUNT(*) > 100000")
def _(g: Records) -> Rows:
    return []


@select("SELECT COUNT(*) AS n, MAX(Name) AS Last, SUM(Id) AS Total FROM Movie WHERE Id < 0")
def _(g: Records) -> Rows:
    return [(0, None, None)]


@select("SELECT ReleaseYear, COUNT(*) AS n FROM Movie WHERE Id < 0 GROUP BY ReleaseYear")
def _(g: Records) -> Rows:
    return []


@select("""SELECT ReleaseYear / 10 * 10 AS Decade, g.Name, COUNT(*) AS n FROM Movie AS m,
    IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g) AND g.Name IN ('War', 'Western') AND
    m.ReleaseYear < 1980 GROUP BY ROLLUP(ReleaseYear / 10 * 10, g.Name)""")
def _(g: Records) -> Rows:
    edges = [
        (decade(f), k.Name)
        for f, k in g.edges["IN_GENRE"]
        if k.Name in ("War", "Western") and f.ReleaseYear and f.ReleaseYear < 1980
    ]
    one, two = Counter(d for d, _ in edges), Counter(edges)
    return [
        *((d, n, c) for (d, n), c in two.items()),
        *((d, None, c) for d, c in one.items()),
        (None, None, len(edges)),
    ]


@select("""SELECT g.Name, GROUPING(g.Name) AS Total, COUNT(DISTINCT m.Id) AS Films FROM Movie
    m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) AND m.ReleaseYear BETWEEN 1990 AND 1999 GROUP
    BY GROUPING SETS ((g.Name), ())""")
def _(g: Records) -> Rows:
    edges = [
        (f.Id, k.Name)
        for f, k in g.edges["IN_GENRE"]
        if f.ReleaseYear and 1990 <= f.ReleaseYear <= 1999
    ]
    return [
        *((n, 0, c) for n, c in Counter(n for _, n in edges).items()),
        (None, 1, len({i for i, _ in edges})),
    ]


@select("""SELECT LEFT(Name, 1) AS Letter, COUNT(*) AS n FROM Movie WHERE Name LIKE '[A-F]%'
    GROUP BY LEFT(Name, 1) ORDER BY Letter""")
def _(g: Records) -> Rows:
    return sorted(
        Counter(f.Name[0].upper() for f in g["Movie"] if plain(f.Name[0]) in "abcdef").items()
    )


@select("""SELECT COUNT(DISTINCT LOWER(Name)), COUNT(DISTINCT LEFT(Name, 1)), COUNT(DISTINCT
    LEN(Name)) FROM Character""")
def _(g: Records) -> Rows:
    n = [c.Name for c in g["Character"]]
    return [
        (
            len({x.casefold() for x in n}),
            len({x[0].casefold() for x in n}),
            len({len(x) for x in n}),
        )
    ]


@select("""SELECT TOP 5 t.Name, COUNT(*) * 100 / (SELECT COUNT(*) FROM Movie) AS Share,
    COUNT(*) * 100.0 / 786 AS Exact FROM Theme t, INCLUDES_THEME e, Movie m WHERE
    MATCH(m-(e)->t) GROUP BY t.Name ORDER BY COUNT(*) DESC, t.Name""")
def _(g: Records) -> Rows:
    counts = sorted(
        Counter(t.Name for _, t in g.edges["INCLUDES_THEME"]).items(), key=lambda r: (-r[1], r[0])
    )[:5]
    return [(n, c * 100 // len(g["Movie"]), rounded(Decimal(c * 100) / 786, 6)) for n, c in counts]


@select("""SELECT APPROX_COUNT_DISTINCT(Name) AS n, COUNT_BIG(*) AS b FROM Theme""")
def _(g: Records) -> Rows:
    return [(len({t.Name.casefold() for t in g["Theme"]}), len(g["Theme"]))]


@select("""SELECT DISTINCT m.ReleaseYear FROM Movie m WHERE m.Name LIKE 'The %' AND
    m.ReleaseYear < 1950 ORDER BY m.ReleaseYear DESC""")
def _(g: Records) -> Rows:
    return sorted(
        {(f.ReleaseYear,) for f in dated(g) if like(f.Name, "The %") and f.ReleaseYear < 1950},
        reverse=True,
    )


# Integers, division, rounding


@select("""SELECT TOP 5 Id, Id / 2 AS h, Id % 3 AS r, -Id / 2 AS m, Id / 2.0 AS d, -7 / 2 AS a,
    -7 % 3 AS b FROM Movie ORDER BY Id""")
def _(g: Records) -> Rows:
    return [
        (f.Id, f.Id // 2, f.Id % 3, divide(-f.Id, 2), Fraction(f.Id, 2), -3, -1)
        for f in g["Movie"][:5]
    ]


@select("""SELECT 1 / 3 AS i, 1.0 / 3 AS d, 1e0 / 3 AS f, 10 / 4 * 4 AS x, 4 * 10 / 4 AS y, 7 /
    2.0 AS z""")
def _(g: Records) -> Rows:
    return [(0, Decimal("0.333333"), 1 / 3, 8, 10, Decimal("3.5"))]


@select("""SELECT ROUND(2.5, 0) AS a, ROUND(-2.5, 0) AS b, ROUND(1234.567, -2) AS c,
    ROUND(2.675, 2) AS d, ROUND(2.9, 0, 1) AS e, CEILING(-1.5) AS f, FLOOR(-1.5) AS g, ROUND(15,
    -1) AS h""")
def _(g: Records) -> Rows:
    return [(3, -3, 1200, Decimal("2.68"), 2, -1, -2, 20)]


@select("""SELECT CAST(2.7 AS INT) AS a, CAST(-2.7 AS INT) AS b, CAST('  12 ' AS INT) AS c,
    CAST(1.005 AS DECIMAL(5,2)) AS d, TRY_CAST('twelve' AS INT) AS e, CAST(12 AS VARCHAR(10)) +
    'x' AS f""")
def _(g: Records) -> Rows:
    return [(2, -2, 12, Decimal("1.01"), None, "12x")]


@select("""SELECT POWER(2, 10) AS a, SQRT(16) AS b, ABS(-3) AS c, SIGN(-9) AS d, POWER(2, 0.5)
    AS e, SQUARE(5) AS f, LOG(EXP(1)) AS h, LOG(8, 2) AS i""")
def _(g: Records) -> Rows:
    return [(1024, 4.0, 3, -1, 1, 25.0, 1.0, 3.0)]


@select("SELECT 5 & 3 AS a, 5 | 3 AS b, 5 ^ 3 AS c, ~5 AS d, 2 + '3' AS e, '2' + '3' AS f")
def _(g: Records) -> Rows:
    return [(1, 7, 6, -6, 5, "23")]


@select("""SELECT TOP 6 Id, CAST(Id AS FLOAT) / 7 AS f, ROUND(CAST(Id AS FLOAT) / 7, 2) AS r,
    CAST(Id / 7.0 AS DECIMAL(6,2)) AS d FROM Genre ORDER BY Id DESC""")
def _(g: Records) -> Rows:
    return [
        (k.Id, k.Id / 7, round(k.Id / 7, 2), rounded(Decimal(k.Id) / 7, 2))
        for k in g["Genre"][::-1][:6]
    ]


@select("""SELECT COALESCE(NULL, NULL, 3) AS a, ISNULL(NULL, 'x') AS b, NULLIF(1, 1) AS c,
    NULLIF(2, 1) AS d, 1 + NULL AS e, CONCAT('a', NULL, 'b') AS f, 'a' + NULL AS h, COALESCE(1,
    2.5) AS i""")
def _(g: Records) -> Rows:
    return [(3, "x", None, 2, None, "ab", None, 1)]


# NULL


@select("SELECT COUNT(*) FROM Movie WHERE NOT (ReleaseYear > 1990)")
def _(g: Records) -> Rows:
    return [(sum(f.ReleaseYear <= 1990 for f in dated(g)),)]


@select("SELECT Name FROM Movie WHERE ReleaseYear IS NULL")
def _(g: Records) -> Rows:
    return [(f.Name,) for f in g["Movie"] if f.ReleaseYear is None]


@select("""SELECT COUNT(*) FROM Genre WHERE Id NOT IN (SELECT NULLIF(Id, 3) FROM Genre WHERE Id
    < 5)""")
def _(g: Records) -> Rows:
    return [(0,)]


@select("SELECT COUNT(*) FROM Genre WHERE NULLIF(Id, 3) <> 4 OR NULLIF(Id, 3) IS NULL")
def _(g: Records) -> Rows:
    return [(sum(k.Id != 4 for k in g["Genre"]),)]


@select("SELECT TOP 4 Id, NULLIF(Id, 3) AS n FROM Genre ORDER BY NULLIF(Id, 3), Id")
def _(g: Records) -> Rows:
    return sorted(
        ((k.Id, None if k.Id == 3 else k.Id) for k in g["Genre"]),
        key=lambda r: (r[1] is not None, r[1] or 0),
    )[:4]


@select("SELECT TOP 22 Id, NULLIF(Id, 3) AS n FROM Genre ORDER BY n DESC")
def _(g: Records) -> Rows:
    return sorted(
        ((k.Id, None if k.Id == 3 else k.Id) for k in g["Genre"]),
        key=lambda r: (r[1] is None, -(r[1] or 0)),
    )


@select("""SELECT COUNT(NULLIF(Id, 3)) AS a, SUM(NULLIF(Id, 3)) AS b, AVG(NULLIF(Id, 3)) AS c,
    MIN(NULLIF(Id, 1)) AS d FROM Genre WHERE Id <= 6""")
def _(g: Records) -> Rows:
    kept = [k.Id for k in g["Genre"] if k.Id <= 6 and k.Id != 3]
    return [(len(kept), sum(kept), average(kept), 2)]


@select("""SELECT m.Id, s.Name FROM Movie m LEFT JOIN (SELECT x.Id AS MovieId, r.Name FROM
    Movie x, PART_OF_SERIES p, Series r WHERE MATCH(x-(p)->r)) s ON s.MovieId = m.Id WHERE
    m.ReleaseYear = 1982""")
def _(g: Records) -> Rows:
    series = g.out("PART_OF_SERIES")
    return [
        (f.Id, s)
        for f in g["Movie"]
        if f.ReleaseYear == 1982
        for s in [x.Name for x in series.get(f.Id, [])] or [None]
    ]


# Text


@select("SELECT Id, Name FROM Movie WHERE Name = 'star wars' OR Name = 'ALIEN'")
def _(g: Records) -> Rows:
    return [(f.Id, f.Name) for f in g["Movie"] if f.Name.casefold() in ("star wars", "alien")]


@select("SELECT COUNT(*) FROM Movie WHERE Name LIKE '%war%'")
def _(g: Records) -> Rows:
    return [(sum(like(f.Name, "%war%") for f in g["Movie"]),)]


@select("SELECT Name FROM Movie WHERE Name LIKE '[0-9]%'")
def _(g: Records) -> Rows:
    return [(f.Name,) for f in g["Movie"] if f.Name[0] in "0123456789"]


@select("SELECT Name FROM Movie WHERE Name LIKE '____'")
def _(g: Records) -> Rows:
    return [(f.Name,) for f in g["Movie"] if len(f.Name) == 4]


@select("SELECT Name FROM Movie WHERE Name NOT LIKE '%[a-z ]%'")
def _(g: Records) -> Rows:
    return [
        (f.Name,)
        for f in g["Movie"]
        if not any(plain(c) in "abcdefghijklmnopqrstuvwxyz " for c in f.Name)
    ]


@select(r"""SELECT Name FROM Movie WHERE Name LIKE '%\_%' ESCAPE '\' OR Name LIKE '%!%%' ESCAPE
    '!' OR Name LIKE '%[%]%'""")
def _(g: Records) -> Rows:
    return [(f.Name,) for f in g["Movie"] if "_" in f.Name or "%" in f.Name]


@select("SELECT Name FROM Movie WHERE Name LIKE '%[^a-zA-Z0-9 :''.,!?()&-]%'")
def _(g: Records) -> Rows:
    known = set("abcdefghijklmnopqrstuvwxyz0123456789 :'.,!?()&-")
    return [(f.Name,) for f in g["Movie"] if any(plain(c)[:1] not in known for c in f.Name)]


@select("""SELECT Name FROM Character WHERE Name COLLATE Latin1_General_CI_AI LIKE '%jose%' OR
    Name COLLATE Latin1_General_CI_AI = 'amelie poulain'""")
def _(g: Records) -> Rows:
    return [
        (c.Name,)
        for c in g["Character"]
        if "jose" in plain(c.Name) or plain(c.Name) == "amelie poulain"
    ]


@select("SELECT COUNT(*) FROM Character WHERE Name COLLATE Latin1_General_CS_AS LIKE '%the%'")
def _(g: Records) -> Rows:
    return [(sum("the" in c.Name for c in g["Character"]),)]


@select("SELECT COUNT(*) FROM Movie WHERE Name COLLATE Latin1_General_BIN2 LIKE 'the%'")
def _(g: Records) -> Rows:
    return [(sum(f.Name.startswith("the") for f in g["Movie"]),)]


@select("SELECT Name FROM Character WHERE Name LIKE '%é%' AND Name NOT LIKE '%e%'")
def _(g: Records) -> Rows:
    return [
        (c.Name,)
        for c in g["Character"]
        if "é" in c.Name.casefold() and "e" not in c.Name.casefold()
    ]


@select("""SELECT TOP 6 Name, LEN(Name) AS n, UPPER(Name) AS u, REVERSE(Name) AS r,
    SUBSTRING(Name, 2, 3) AS s, LEFT(Name, 2) AS l, RIGHT(Name, 2) AS e, CHARINDEX('a', Name) AS
    c, REPLACE(Name, 'a', '*') AS p, STUFF(Name, 1, 1, '#') AS f FROM Genre ORDER BY Id""")
def _(g: Records) -> Rows:
    rows = []
    for k in g["Genre"][:6]:
        n = k.Name
        starred = "".join("*" if c in "aA" else c for c in n)
        rows.append(
            (
                n,
                len(n),
                n.upper(),
                n[::-1],
                n[1:4],
                n[:2],
                n[-2:],
                n.casefold().find("a") + 1,
                starred,
                "#" + n[1:],
            )
        )
    return rows


@select("""SELECT LEN('ab  ') AS a, LEN('  ab') AS b, LTRIM('  x') + RTRIM('y  ') + '|' AS c,
    TRIM('  z ') AS d, SUBSTRING('hello', 0, 3) AS e, CHARINDEX('l', 'hello', 4) AS f,
    PATINDEX('%l_o%', 'hello') AS h, REPLICATE('ab', 3) AS i, SPACE(2) + 'x' AS j,
    CONCAT_WS('-', 'a', NULL, 'b') AS k""")
def _(g: Records) -> Rows:
    return [(2, 4, "xy|", "z", "he", 4, 3, "ababab", "  x", "a-b")]


@select("""SELECT TRANSLATE('2*[3+4]', '[]', '()') AS a, ASCII('A') AS b, CHAR(65) AS c,
    UNICODE(N'é') AS d, NCHAR(233) AS e, 'a' + CHAR(10) + 'b' AS f""")
def _(g: Records) -> Rows:
    return [("2*(3+4)", 65, "A", 233, "é", "a\nb")]


@select("""SELECT CASE WHEN 'abc ' = 'abc' THEN 1 ELSE 0 END AS a, CASE WHEN 'abc' = 'ABC' THEN
    1 ELSE 0 END AS b, CASE WHEN N'e' = N'é' THEN 1 ELSE 0 END AS c, CASE WHEN 'abc' LIKE 'abc '
    THEN 1 ELSE 0 END AS d""")
def _(g: Records) -> Rows:
    return [(1, 1, 0, 0)]


@select("""SELECT TOP 5 Name, LEN(Name) - LEN(REPLACE(Name, ' ', '')) + 1 AS Words FROM Movie
    ORDER BY Words DESC, LEN(Name) DESC, Id""")
def _(g: Records) -> Rows:
    return [
        (f.Name, f.Name.count(" ") + 1)
        for f in sorted(g["Movie"], key=lambda f: (-f.Name.count(" "), -len(f.Name), f.Id))[:5]
    ]


@select("SELECT TOP 10 Id, LEN(Content) AS n FROM Movie ORDER BY LEN(Content) DESC, Id")
def _(g: Records) -> Rows:
    return sorted(((f.Id, len(f.Content)) for f in g["Movie"]), key=lambda r: (-r[1], r[0]))[:10]


@select("SELECT COUNT(*), MAX(LEN(Content)), MIN(LEN(Content)), AVG(LEN(Content)) FROM Character")
def _(g: Records) -> Rows:
    lengths = [len(c.Content) for c in g["Character"]]
    return [(len(lengths), max(lengths), min(lengths), average(lengths))]


@select("""SELECT Id, Name FROM Movie WHERE Content LIKE '%robot%' AND Content NOT LIKE
    '%love%' AND ReleaseYear > 2000""")
def _(g: Records) -> Rows:
    return [
        (f.Id, f.Name)
        for f in dated(g)
        if "robot" in f.Content.casefold()
        and "love" not in f.Content.casefold()
        and f.ReleaseYear > 2000
    ]


@select("""SELECT Name FROM Series WHERE CHARINDEX('star', Name) > 0 OR PATINDEX('%[0-9]%',
    Name) > 0""")
def _(g: Records) -> Rows:
    return [
        (s.Name,)
        for s in g["Series"]
        if "star" in s.Name.casefold() or any(c.isdigit() for c in s.Name)
    ]


@select("""SELECT STRING_AGG(Name, ', ') WITHIN GROUP (ORDER BY Id) AS Names FROM Genre WHERE
    Id <= 5""")
def _(g: Records) -> Rows:
    return [(", ".join(k.Name for k in g["Genre"] if k.Id <= 5),)]


@select("""SELECT m.Name, STRING_AGG(k.Name, ' / ') WITHIN GROUP (ORDER BY k.Name DESC) AS
    Genres FROM Movie m, IN_GENRE i, Genre k WHERE MATCH(m-(i)->k) AND m.ReleaseYear = 1979
    GROUP BY m.Id, m.Name""")
def _(g: Records) -> Rows:
    genres = g.out("IN_GENRE")
    return [
        (f.Name, " / ".join(sorted((k.Name for k in genres[f.Id]), reverse=True)))
        for f in g["Movie"]
        if f.ReleaseYear == 1979 and f.Id in genres
    ]


@select("""SELECT value, COUNT(*) AS n FROM Genre CROSS APPLY STRING_SPLIT(Name, ' ') GROUP BY
    value""")
def _(g: Records) -> Rows:
    counts = Counter(w for k in g["Genre"] for w in k.Name.split(" "))
    return counts.items()


@select("""SELECT s.value, s.ordinal FROM STRING_SPLIT('a,b,,c', ',', 1) AS s ORDER BY
    s.ordinal DESC""")
def _(g: Records) -> Rows:
    return [("c", 4), ("", 3), ("b", 2), ("a", 1)]


@select("""SELECT TOP 3 FORMAT(Id, '000') AS a, FORMAT(ReleaseYear, 'N0') AS b, FORMAT(Id /
    3.0, '0.00') AS c FROM Movie ORDER BY Id""")
def _(g: Records) -> Rows:
    return [(f"{f.Id:03}", f"{f.ReleaseYear:,}", f"{f.Id / 3:.2f}") for f in g["Movie"][:3]]


@select("SELECT Name FROM Movie WHERE REGEXP_LIKE(Name, '^[A-Z]{2,}$')")
def _(g: Records) -> Rows:
    return [
        (f.Name,) for f in g["Movie"] if len(f.Name) >= 2 and all("A" <= c <= "Z" for c in f.Name)
    ]


@select("SELECT COUNT(*) FROM Movie WHERE Name BETWEEN 'a' AND 'czz' AND Name LIKE '[abc]%'")
def _(g: Records) -> Rows:
    return [(sum(f.Name[0].casefold() in "abc" for f in g["Movie"]),)]


# Dates


@select("""SELECT DATEADD(month, 1, CAST('2024-01-31' AS DATE)) AS a, DATEDIFF(year,
    '2023-12-31', '2024-01-01') AS b, DATEDIFF(day, '2024-02-28', '2024-03-01') AS c,
    EOMONTH('2023-02-10') AS d, DATENAME(weekday, CAST('2024-02-29' AS DATE)) AS e,
    DATEPART(quarter, CAST('2024-05-05' AS DATE)) AS f""")
def _(g: Records) -> Rows:
    from datetime import date

    return [(date(2024, 2, 29), 1, 2, date(2023, 2, 28), "Thursday", 2)]


@select("""SELECT TOP 3 Name, DATEFROMPARTS(ReleaseYear, 1, 1) AS d, YEAR(DATEADD(year, -1,
    DATEFROMPARTS(ReleaseYear, 1, 1))) AS y, 2024 - ReleaseYear AS Age FROM Movie WHERE
    ReleaseYear IS NOT NULL ORDER BY ReleaseYear, Id""")
def _(g: Records) -> Rows:
    from datetime import date

    return [
        (f.Name, date(f.ReleaseYear, 1, 1), f.ReleaseYear - 1, 2024 - f.ReleaseYear)
        for f in sorted(dated(g), key=lambda f: (f.ReleaseYear, f.Id))[:3]
    ]


@select("""SELECT CONVERT(VARCHAR(10), CAST('2024-03-05' AS DATE), 101) AS a, CONVERT(CHAR(8),
    CAST('2024-03-05' AS DATE), 112) AS b, FORMAT(CAST('2024-03-05' AS DATE), 'yyyy-MM') AS c,
    DATEDIFF(month, '2024-01-31', '2024-02-01') AS d, DATEDIFF(week, '2024-01-06', '2024-01-07')
    AS e, DAY('2024-03-05') AS f""")
def _(g: Records) -> Rows:
    return [("03/05/2024", "20240305", "2024-03", 1, 1, 5)]


@select("""SELECT COUNT(*) FROM Movie WHERE ReleaseYear >= YEAR(GETDATE()) - 10000 AND
    CAST(ReleaseYear AS VARCHAR(4)) LIKE '19[5-6]_'""")
def _(g: Records) -> Rows:
    return [(sum(1950 <= f.ReleaseYear <= 1969 for f in dated(g)),)]


# Windows


@select("""SELECT TOP 10 Id, ROW_NUMBER() OVER (ORDER BY ReleaseYear, Id) AS n, RANK() OVER
    (ORDER BY ReleaseYear) AS r, DENSE_RANK() OVER (ORDER BY ReleaseYear) AS d FROM Movie WHERE
    ReleaseYear IS NOT NULL ORDER BY n""")
def _(g: Records) -> Rows:
    films = sorted(dated(g), key=lambda f: (f.ReleaseYear, f.Id))
    years = [f.ReleaseYear for f in films]
    return [
        (f.Id, i + 1, years.index(f.ReleaseYear) + 1, len(set(years[: i + 1])))
        for i, f in enumerate(films[:10])
    ]


@select("""SELECT y.ReleaseYear, y.n, SUM(y.n) OVER (ORDER BY y.ReleaseYear) AS Running,
    LAG(y.n) OVER (ORDER BY y.ReleaseYear) AS Before, LEAD(y.n, 2, -1) OVER (ORDER BY
    y.ReleaseYear) AS After, AVG(y.n) OVER (ORDER BY y.ReleaseYear ROWS BETWEEN 2 PRECEDING AND
    CURRENT ROW) AS Moving FROM (SELECT ReleaseYear, COUNT(*) AS n FROM Movie WHERE ReleaseYear
    BETWEEN 1970 AND 1989 GROUP BY ReleaseYear) AS y ORDER BY y.ReleaseYear""")
def _(g: Records) -> Rows:
    rows = sorted(Counter(f.ReleaseYear for f in dated(g) if 1970 <= f.ReleaseYear <= 1989).items())
    n = [c for _, c in rows]
    return [
        (
            y,
            c,
            sum(n[: i + 1]),
            n[i - 1] if i else None,
            n[i + 2] if i + 2 < len(n) else -1,
            average(n[max(0, i - 2) : i + 1]),
        )
        for i, (y, c) in enumerate(rows)
    ]


@select("""WITH ranked AS (SELECT m.Id, m.Name, m.ReleaseYear, ROW_NUMBER() OVER (PARTITION BY
    m.ReleaseYear / 10 ORDER BY m.ReleaseYear, m.Id) AS n FROM Movie m WHERE m.ReleaseYear IS
    NOT NULL) SELECT Id, Name FROM ranked WHERE n = 1 ORDER BY ReleaseYear""")
def _(g: Records) -> Rows:
    films = sorted(dated(g), key=lambda f: (f.ReleaseYear, f.Id))
    return [
        (first.Id, first.Name) for first in (next(group) for _, group in groupby(films, decade))
    ]


@select("""SELECT DISTINCT g.Name, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY m.ReleaseYear)
    OVER (PARTITION BY g.Name) AS Median FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g)""")
def _(g: Records) -> Rows:
    years = defaultdict(list)
    for film, genre in g.edges["IN_GENRE"]:
        if film.ReleaseYear is not None:
            years[genre.Name].append(film.ReleaseYear)
    return [(n, float(median(y))) for n, y in years.items()]


@select("""SELECT Id, NTILE(3) OVER (ORDER BY Id) AS t, PERCENT_RANK() OVER (ORDER BY Id) AS p,
    CUME_DIST() OVER (ORDER BY Id) AS c, FIRST_VALUE(Id) OVER (ORDER BY Id DESC) AS f,
    LAST_VALUE(Id) OVER (ORDER BY Id) AS l FROM Genre ORDER BY Id""")
def _(g: Records) -> Rows:
    ids = [k.Id for k in g["Genre"]]
    count = len(ids)
    sizes = [count // 3 + (i < count % 3) for i in range(3)]
    tiles = [t + 1 for t, size in enumerate(sizes) for _ in range(size)]
    return [(k, tiles[i], i / (count - 1), (i + 1) / count, ids[-1], k) for i, k in enumerate(ids)]


@select("""SELECT TOP 10 m.Name, COUNT(*) OVER (PARTITION BY m.ReleaseYear) AS Same, MAX(m.Id)
    OVER () AS Last FROM Movie m WHERE m.ReleaseYear >= 2000 ORDER BY Same DESC, m.Id""")
def _(g: Records) -> Rows:
    films = [f for f in dated(g) if f.ReleaseYear >= 2000]
    counts = Counter(f.ReleaseYear for f in films)
    last = max(f.Id for f in films)
    return [
        (f.Name, counts[f.ReleaseYear], last)
        for f in sorted(films, key=lambda f: (-counts[f.ReleaseYear], f.Id))[:10]
    ]


@select("""SELECT g.Name, COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*) DESC) AS r, 100.0 *
    COUNT(*) / SUM(COUNT(*)) OVER () AS p FROM Genre g, IN_GENRE i, Movie m WHERE
    MATCH(m-(i)->g) GROUP BY g.Name""")
def _(g: Records) -> Rows:
    counts = Counter(k.Name for _, k in g.edges["IN_GENRE"])
    total = sum(counts.values())
    return [
        (n, c, 1 + sum(x > c for x in counts.values()), 100 * c / total) for n, c in counts.items()
    ]


@select("""SELECT t.Decade, t.Name FROM (SELECT x.Decade, x.Name, ROW_NUMBER() OVER (PARTITION
    BY x.Decade ORDER BY x.n DESC, x.Name) AS place FROM (SELECT m.ReleaseYear / 10 * 10 AS
    Decade, t.Name, COUNT(*) AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t)
    AND m.ReleaseYear >= 1950 GROUP BY m.ReleaseYear / 10 * 10, t.Name) AS x) AS t WHERE t.place
    <= 2""")
def _(g: Records) -> Rows:
    counts = Counter(
        (decade(f), t.Name)
        for f, t in g.edges["INCLUDES_THEME"]
        if f.ReleaseYear and f.ReleaseYear >= 1950
    )
    ranked = sorted(counts, key=lambda key: (key[0], -counts[key], key[1]))
    return [key for _, group in groupby(ranked, lambda key: key[0]) for key in list(group)[:2]]


@select("""SELECT Id, ReleaseYear - LAG(ReleaseYear) OVER (ORDER BY ReleaseYear, Id) AS Gap
    FROM Movie WHERE ReleaseYear < 1940""")
def _(g: Records) -> Rows:
    films = sorted(
        (f for f in dated(g) if f.ReleaseYear < 1940), key=lambda f: (f.ReleaseYear, f.Id)
    )
    return [
        (films[0].Id, None),
        *((b.Id, b.ReleaseYear - a.ReleaseYear) for a, b in pairwise(films)),
    ]


@select("""SELECT TOP 1 WITH TIES ReleaseYear FROM (SELECT TOP 1 WITH TIES ReleaseYear FROM
    Movie WHERE ReleaseYear IS NOT NULL ORDER BY ReleaseYear DESC) AS x ORDER BY ReleaseYear""")
def _(g: Records) -> Rows:
    return [(max(f.ReleaseYear for f in dated(g)),)]


@select("""SELECT COUNT(*) AS n FROM (SELECT TOP 3 WITH TIES Id, ReleaseYear FROM Movie WHERE
    ReleaseYear IS NOT NULL ORDER BY ReleaseYear DESC) AS x""")
def _(g: Records) -> Rows:
    years = sorted((f.ReleaseYear for f in dated(g)), reverse=True)
    return [(sum(y >= years[2] for y in years),)]


@select("SELECT COUNT(*) FROM (SELECT TOP 10 PERCENT Id FROM Theme ORDER BY Id) AS x")
def _(g: Records) -> Rows:
    return [(-(-len(g["Theme"]) // 10),)]


@select("SELECT Id FROM Movie ORDER BY Id OFFSET 100 ROWS FETCH NEXT 5 ROWS ONLY")
def _(g: Records) -> Rows:
    return [(f.Id,) for f in g["Movie"][100:105]]


@select("""SELECT TOP 5 Name FROM Movie WHERE ReleaseYear IS NOT NULL ORDER BY ABS(ReleaseYear
    - 1977), Id DESC""")
def _(g: Records) -> Rows:
    return [
        (f.Name,) for f in sorted(dated(g), key=lambda f: (abs(f.ReleaseYear - 1977), -f.Id))[:5]
    ]


# Sets, subqueries, APPLY, PIVOT


@select("""SELECT Name FROM Movie WHERE Id <= 3 UNION SELECT Name FROM Series WHERE Id <= 2
    UNION ALL SELECT Name FROM Genre WHERE Id = 1""")
def _(g: Records) -> Rows:
    united = {f.Name for f in g["Movie"] if f.Id <= 3} | {s.Name for s in g["Series"] if s.Id <= 2}
    return [(name,) for name in [*united, *(k.Name for k in g["Genre"] if k.Id == 1)]]


@select("SELECT Name FROM Movie WHERE Id < 200 INTERSECT SELECT Name FROM Series")
def _(g: Records) -> Rows:
    series = {s.Name.casefold() for s in g["Series"]}
    return [
        (n,) for n in {f.Name for f in g["Movie"] if f.Id < 200 and f.Name.casefold() in series}
    ]


@select("SELECT Id FROM Genre EXCEPT SELECT Id FROM Genre WHERE Id % 2 = 0")
def _(g: Records) -> Rows:
    return [(k.Id,) for k in g["Genre"] if k.Id % 2]


@select("""SELECT Name FROM Genre k WHERE NOT EXISTS (SELECT 1 FROM Movie m, IN_GENRE i, Genre
    x WHERE MATCH(m-(i)->x) AND x.Id = k.Id AND m.ReleaseYear < 1940)""")
def _(g: Records) -> Rows:
    early = {k.Id for f, k in g.edges["IN_GENRE"] if f.ReleaseYear and f.ReleaseYear < 1940}
    return [(k.Name,) for k in g["Genre"] if k.Id not in early]


@select("""SELECT s.Name, x.Name, x.ReleaseYear FROM Series s CROSS APPLY (SELECT TOP 1 m.Name,
    m.ReleaseYear FROM Movie m, PART_OF_SERIES p, Series r WHERE MATCH(m-(p)->r) AND r.Id = s.Id
    ORDER BY m.ReleaseYear, m.Id) AS x WHERE s.Id <= 12""")
def _(g: Records) -> Rows:
    films = g.into("PART_OF_SERIES")
    return [
        (s.Name, first.Name, first.ReleaseYear)
        for s in g["Series"]
        if s.Id <= 12 and films.get(s.Id)
        for first in [
            min(films[s.Id], key=lambda f: (f.ReleaseYear is not None, f.ReleaseYear or 0, f.Id))
        ]
    ]


@select("""SELECT k.Name, (SELECT COUNT(*) FROM Movie m, IN_GENRE i, Genre x WHERE
    MATCH(m-(i)->x) AND x.Id = k.Id) AS n FROM Genre k""")
def _(g: Records) -> Rows:
    counts = Counter(k.Name for _, k in g.edges["IN_GENRE"])
    return [(k.Name, counts[k.Name]) for k in g["Genre"]]


@select("""SELECT Name, [1970], [1980], [1990] FROM (SELECT k.Name, m.ReleaseYear / 10 * 10 AS
    Decade, m.Id FROM Movie m, IN_GENRE i, Genre k WHERE MATCH(m-(i)->k)) AS s PIVOT (COUNT(Id)
    FOR Decade IN ([1970], [1980], [1990])) AS p""")
def _(g: Records) -> Rows:
    counts = Counter(
        (k.Name, decade(f)) for f, k in g.edges["IN_GENRE"] if f.ReleaseYear is not None
    )
    return [
        (n, *(counts[n, d] for d in (1970, 1980, 1990)))
        for n in {k.Name for _, k in g.edges["IN_GENRE"]}
    ]


@select("""SELECT u.Id, u.What, u.Value FROM (SELECT Id, LEN(Name) AS Letters, Id * 2 AS Twice
    FROM Genre WHERE Id < 4) AS x UNPIVOT (Value FOR What IN (Letters, Twice)) AS u""")
def _(g: Records) -> Rows:
    return [
        row
        for k in g["Genre"]
        if k.Id < 4
        for row in ((k.Id, "Letters", len(k.Name)), (k.Id, "Twice", k.Id * 2))
    ]


@select("""SELECT v.a, v.b, m.Name FROM (VALUES (1, 'one'), (2, 'two'), (99999, 'none')) AS
    v(a, b) LEFT JOIN Movie m ON m.Id = v.a""")
def _(g: Records) -> Rows:
    by_id = {f.Id: f.Name for f in g["Movie"]}
    return [(a, b, by_id.get(a)) for a, b in ((1, "one"), (2, "two"), (99999, "none"))]


@select("""SELECT Id FROM Movie WHERE ReleaseYear > ALL (SELECT ReleaseYear FROM Movie WHERE
    ReleaseYear < 2024)""")
def _(g: Records) -> Rows:
    most = max(f.ReleaseYear for f in dated(g) if f.ReleaseYear < 2024)
    return [(f.Id,) for f in dated(g) if f.ReleaseYear > most]


@select("SELECT COUNT(*) FROM Movie WHERE ReleaseYear = (SELECT MAX(ReleaseYear) FROM Movie)")
def _(g: Records) -> Rows:
    most = max(f.ReleaseYear for f in dated(g))
    return [(sum(f.ReleaseYear == most for f in dated(g)),)]


@select("""SELECT a.Name, b.Name FROM Movie a JOIN Movie b ON a.Name = b.Name AND a.Id < b.Id""")
def _(g: Records) -> Rows:
    return [
        (a.Name, b.Name)
        for a, b in combinations(g["Movie"], 2)
        if a.Name.casefold() == b.Name.casefold()
    ]


@select("""SELECT m.Name, s.Name FROM Movie m FULL JOIN Series s ON s.Name = m.Name WHERE m.Id
    IS NULL AND s.Id < 15""")
def _(g: Records) -> Rows:
    names = {f.Name.casefold() for f in g["Movie"]}
    return [(None, s.Name) for s in g["Series"] if s.Id < 15 and s.Name.casefold() not in names]


@select("SELECT value FROM GENERATE_SERIES(1, 20, 5)")
def _(g: Records) -> Rows:
    return [(1,), (6,), (11,), (16,)]


@select("""SELECT y.value, COUNT(m.Id) AS n FROM GENERATE_SERIES(1930, 1949) AS y LEFT JOIN
    Movie m ON m.ReleaseYear = y.value GROUP BY y.value""")
def _(g: Records) -> Rows:
    counts = Counter(f.ReleaseYear for f in dated(g))
    return [(y, counts[y]) for y in range(1930, 1950)]


# JSON


@select("SELECT TOP 2 Id, Name, ReleaseYear FROM Movie ORDER BY Id FOR JSON PATH")
def _(g: Records) -> Rows:
    import json

    return [
        (
            json.dumps(
                [
                    {"Id": f.Id, "Name": f.Name, "ReleaseYear": f.ReleaseYear}
                    for f in g["Movie"][:2]
                ],
                separators=(",", ":"),
            ),
        )
    ]


@select("""SELECT JSON_VALUE('{"a":{"b":[1,2]}}', '$.a.b[1]') AS x, JSON_QUERY('{"a":[1]}',
    '$.a') AS y, ISJSON('{') AS z, JSON_VALUE('{"a":1}', '$.b') AS w""")
def _(g: Records) -> Rows:
    return [("2", "[1]", 0, None)]


@select("""SELECT j.[key], j.value, j.type FROM OPENJSON('{"a":1,"b":"x","c":null,"d":[1]}') AS
    j""")
def _(g: Records) -> Rows:
    return [("a", "1", 2), ("b", "x", 1), ("c", None, 0), ("d", "[1]", 4)]


@select("""SELECT m.Name FROM OPENJSON('[3, 5, 8]') AS j JOIN Movie AS m ON m.Id = CAST(j.value
    AS INT)""")
def _(g: Records) -> Rows:
    return [(f.Name,) for f in g["Movie"] if f.Id in (3, 5, 8)]


# Paths


@select("""SELECT c.Name FROM Movie m, FEATURES_CHARACTER f, Character c WHERE MATCH(m-(f)->c)
    AND m.Name = 'Alien'""")
def _(g: Records) -> Rows:
    return [(c.Name,) for f, c in g.edges["FEATURES_CHARACTER"] if f.Name == "Alien"]


@select("""SELECT DISTINCT m.Name FROM Character c, FEATURES_CHARACTER f, Movie m WHERE
    MATCH(c<-(f)-m) AND c.Name LIKE 'Ellen Ripley%'""")
def _(g: Records) -> Rows:
    return {(f.Name,) for f, c in g.edges["FEATURES_CHARACTER"] if like(c.Name, "Ellen Ripley%")}


@select("""SELECT TOP 10 n.Id, COUNT(*) AS Shared FROM Movie m, INCLUDES_THEME a, Theme t,
    INCLUDES_THEME b, Movie n WHERE MATCH(m-(a)->t<-(b)-n) AND m.Name = 'Alien' AND n.Id <> m.Id
    GROUP BY n.Id ORDER BY Shared DESC, n.Id""")
def _(g: Records) -> Rows:
    themes = g.out("INCLUDES_THEME")
    alien = g.node("Movie", "Alien")
    own = {t.Id for t in themes[alien.Id]}
    counts = {
        f.Id: sum(t.Id in own for t in themes.get(f.Id, [])) for f in g["Movie"] if f.Id != alien.Id
    }
    return sorted(((i, c) for i, c in counts.items() if c), key=lambda r: (-r[1], r[0]))[:10]


@select("""SELECT COUNT(*) FROM Movie m, INCLUDES_THEME a, Theme t, INCLUDES_THEME b, Movie n
    WHERE MATCH(m-(a)->t<-(b)-n) AND m.Name = 'Alien'""")
def _(g: Records) -> Rows:
    films, alien = g.into("INCLUDES_THEME"), g.node("Movie", "Alien")
    return [(sum(len(films[t.Id]) for t in g.out("INCLUDES_THEME")[alien.Id]),)]


@select("""SELECT DISTINCT m.Name FROM Movie m, IN_GENRE i, Genre k, SET_IN e, Setting s WHERE
    MATCH(k<-(i)-m-(e)->s) AND k.Name = 'horror' AND s.Name LIKE '%space%'""")
def _(g: Records) -> Rows:
    horror = {f.Id for f, k in g.edges["IN_GENRE"] if k.Name == "Horror"}
    return {
        (f.Name,) for f, s in g.edges["SET_IN"] if f.Id in horror and "space" in s.Name.casefold()
    }


@select("""SELECT TOP 10 r.Name, COUNT(DISTINCT t.Id) AS Themes FROM Series r, PART_OF_SERIES
    p, Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(r<-(p)-m-(e)->t) GROUP BY r.Name ORDER BY
    Themes DESC, r.Name""")
def _(g: Records) -> Rows:
    themes = g.out("INCLUDES_THEME")
    by_key: dict[str, set[int]] = defaultdict(set)
    for f, s in g.edges["PART_OF_SERIES"]:
        by_key[s.Name] |= {t.Id for t in themes.get(f.Id, [])}
    return sorted(((n, len(t)) for n, t in by_key.items() if t), key=lambda r: (-r[1], r[0]))[:10]


@select("""SELECT COUNT(DISTINCT n.Id) FROM Movie m, SET_IN a, Setting s, SET_IN b, Movie n,
    IN_GENRE c, Genre k WHERE MATCH(m-(a)->s<-(b)-n-(c)->k) AND m.Name = 'Casablanca' AND k.Name
    = 'War'""")
def _(g: Records) -> Rows:
    films = g.into("SET_IN")
    war = {f.Id for f, k in g.edges["IN_GENRE"] if k.Name == "War"}
    near = {f.Id for s in g.out("SET_IN")[g.node("Movie", "Casablanca").Id] for f in films[s.Id]}
    return [(len(near & war),)]


@select("""SELECT COUNT(*) FROM Movie m, INCLUDES_THEME e, Theme t WHERE m.$node_id =
    e.$from_id AND t.$node_id = e.$to_id AND t.Name = 'Revenge'""")
def _(g: Records) -> Rows:
    return [(sum(t.Name == "Revenge" for _, t in g.edges["INCLUDES_THEME"]),)]


@select("""SELECT COUNT(*) AS n, COUNT(DISTINCT e.$from_id) AS f, COUNT(DISTINCT e.$to_id) AS t
    FROM INCLUDES_THEME e""")
def _(g: Records) -> Rows:
    e = g.edges["INCLUDES_THEME"]
    return [(len(e), len({f.Id for f, _ in e}), len({t.Id for _, t in e}))]


@select("""SELECT m.Name FROM Movie m WHERE NOT EXISTS (SELECT 1 FROM Movie x, INCLUDES_THEME
    e, Theme t WHERE MATCH(x-(e)->t) AND x.Id = m.Id)""")
def _(g: Records) -> Rows:
    themed = g.out("INCLUDES_THEME")
    return [(f.Name,) for f in g["Movie"] if f.Id not in themed]


@select("""SELECT m.Name FROM Movie m, INCLUDES_THEME a, Theme t, INCLUDES_THEME b, Theme u
    WHERE MATCH(t<-(a)-m-(b)->u) AND t.Name = 'Revenge' AND u.Name = 'Friendship'""")
def _(g: Records) -> Rows:
    themes = g.out("INCLUDES_THEME")
    return [
        (f.Name,)
        for f in g["Movie"]
        if {"Revenge", "Friendship"} <= {t.Name for t in themes.get(f.Id, [])}
    ]


@select("""SELECT m.Id FROM Movie m, IN_GENRE i, Genre k WHERE MATCH(m-(i)->k) AND k.Name IN
    ('Horror', 'Comedy') GROUP BY m.Id HAVING COUNT(DISTINCT k.Name) = 2""")
def _(g: Records) -> Rows:
    genres = g.out("IN_GENRE")
    return [
        (f.Id,)
        for f in g["Movie"]
        if {"Horror", "Comedy"} <= {k.Name for k in genres.get(f.Id, [])}
    ]


@select("""SELECT LAST_VALUE(t.Name) WITHIN GROUP (GRAPH PATH) AS Theme FROM Movie m,
    INCLUDES_THEME FOR PATH e, Theme FOR PATH t WHERE MATCH(SHORTEST_PATH(m(-(e)->t)+)) AND
    m.Name = 'Alien'""")
def _(g: Records) -> Rows:
    return [(t.Name,) for f, t in g.edges["INCLUDES_THEME"] if f.Name == "Alien"]


# Words and vectors


@select("SELECT Id FROM Movie WHERE CONTAINS(Content, 'submarine')")
def _(g: Records) -> Rows:
    return [(f.Id,) for f in g["Movie"] if "submarine" in words(f.Content)]


@select("SELECT Id FROM Movie WHERE CONTAINS((Name, Content), '\"vampir*\"')")
def _(g: Records) -> Rows:
    return [
        (f.Id,)
        for f in g["Movie"]
        if has_prefix(f.Content, "vampir") or has_prefix(f.Name, "vampir")
    ]


@select('SELECT Id FROM Movie WHERE CONTAINS(Content, \'"time travel" OR "time machine"\')')
def _(g: Records) -> Rows:
    return [
        (f.Id,)
        for f in g["Movie"]
        if has_phrase(f.Content, "time travel") or has_phrase(f.Content, "time machine")
    ]


@select("SELECT Id FROM Movie WHERE CONTAINS(Content, 'pirate AND NOT treasure')")
def _(g: Records) -> Rows:
    return [
        (f.Id,)
        for f in g["Movie"]
        if "pirate" in words(f.Content) and "treasure" not in words(f.Content)
    ]


@select("SELECT COUNT(*) FROM Movie WHERE CONTAINS(Content, 'robot') OR CONTAINS(Name, 'robot')")
def _(g: Records) -> Rows:
    return [(sum("robot" in words(f.Content) or "robot" in words(f.Name) for f in g["Movie"]),)]


@select("SELECT k.[KEY] FROM CONTAINSTABLE(Theme, Name, 'love OR \"friend*\"') AS k")
def _(g: Records) -> Rows:
    return [(t.Id,) for t in g["Theme"] if "love" in words(t.Name) or has_prefix(t.Name, "friend")]


@select("""SELECT m.Id FROM Movie m WHERE CONTAINS(m.Content, 'heist') AND NOT
    CONTAINS(m.Content, 'bank')""")
def _(g: Records) -> Rows:
    return [
        (f.Id,)
        for f in g["Movie"]
        if "heist" in words(f.Content) and "bank" not in words(f.Content)
    ]


@select("SELECT Id FROM Character WHERE FREETEXT(Name, 'skywalker')")
def _(g: Records) -> Rows:
    return [(c.Id,) for c in g["Character"] if {"skywalker", "skywalkers"} & set(words(c.Name))]


@select("SELECT Id FROM Movie WHERE CONTAINS(Content, 'NEAR((shark, beach), 5)') AND Id < 0")
def _(g: Records) -> Rows:
    return []


@select("""SELECT TOP 1 ROUND(VECTOR_DISTANCE('cosine', a.Embedding, b.Embedding), 3) AS d FROM
    Movie a JOIN Movie b ON a.Id = b.Id WHERE a.Id = 7""")
def _(g: Records) -> Rows:
    return [(0.0,)]


@select("""SELECT COUNT(*) FROM Movie a JOIN Movie b ON b.Id = 2 WHERE a.Id = 1 AND
    VECTOR_DISTANCE('euclidean', a.Embedding, b.Embedding) > 0""")
def _(g: Records) -> Rows:
    return [(1,)]


# Names of columns and quoting, everyday forms


@select("""SELECT m.[Name] AS [Film title], m.Id AS 'key' FROM dbo.Movie AS m WHERE m.Name =
    N'Jaws'""")
def _(g: Records) -> Rows:
    return [(f.Name, f.Id) for f in g["Movie"] if f.Name == "Jaws"]


@select("SELECT Name FROM Movie WHERE Name = 'Schindler''s List' -- the one of 1993")
def _(g: Records) -> Rows:
    return [(f.Name,) for f in g["Movie"] if f.Name == "Schindler's List"]


@select("SELECT TOP (3) Id, Name FROM Movie WHERE ReleaseYear BETWEEN 1999 AND 1999 ORDER BY Id;")
def _(g: Records) -> Rows:
    return [(f.Id, f.Name) for f in g["Movie"] if f.ReleaseYear == 1999][:3]


@select("SELECT COUNT(*) FROM Movie WHERE ReleaseYear IN (1980, 1981, NULL)")
def _(g: Records) -> Rows:
    return [(sum(f.ReleaseYear in (1980, 1981) for f in g["Movie"]),)]


@select("SELECT COUNT(*) FROM Movie WHERE ReleaseYear NOT IN (1980, NULL)")
def _(g: Records) -> Rows:
    return [(0,)]


@select("""SELECT CHOOSE(2, 'a', 'b') AS a, CHOOSE(5, 'a') AS b, IIF(NULL = 1, 1, 0) AS c,
    GREATEST(1, NULL, 3) AS d, LEAST(2, 5) AS e, CASE NULL WHEN NULL THEN 1 ELSE 2 END AS f""")
def _(g: Records) -> Rows:
    return [("b", None, 0, 3, 2, 2)]


@select("SELECT fmean.a FROM (SELECT AVG(1e0 * LEN(Name)) AS a FROM Setting) AS fmean")
def _(g: Records) -> Rows:
    return [(fmean(len(s.Name) for s in g["Setting"]),)]


@select("""WITH a AS (SELECT Id, Name FROM Movie WHERE ReleaseYear = 1994), b AS (SELECT a.Id,
    COUNT(*) AS n FROM a JOIN Movie m ON m.Id = a.Id, FEATURES_CHARACTER f, Character c WHERE
    MATCH(m-(f)->c) GROUP BY a.Id) SELECT a.Name, b.n FROM a LEFT JOIN b ON b.Id = a.Id""")
def _(g: Records) -> Rows:
    characters = g.out("FEATURES_CHARACTER")
    return [
        (f.Name, len(characters[f.Id]) if f.Id in characters else None)
        for f in g["Movie"]
        if f.ReleaseYear == 1994
    ]


@select("SELECT TOP 5 Id, Name FROM Setting ORDER BY Name")
def _(g: Records) -> Rows:
    return [(s.Id, s.Name) for s in sorted(g["Setting"], key=lambda s: plain(s.Name))[:5]]


@select("SELECT TOP 5 Id, Name FROM Genre ORDER BY Name DESC")
def _(g: Records) -> Rows:
    return [
        (s.Id, s.Name) for s in sorted(g["Genre"], key=lambda s: plain(s.Name), reverse=True)[:5]
    ]


@select("SELECT MIN(Name) AS a, MAX(Name) AS b FROM Theme")
def _(g: Records) -> Rows:
    ordered = sorted((t.Name for t in g["Theme"]), key=plain)
    return [(ordered[0], ordered[-1])]
