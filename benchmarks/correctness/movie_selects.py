"""SELECTs over values of the bundled films: counts, numbers, NULL, text and dates."""

from collections import Counter, defaultdict
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from statistics import pstdev, stdev

from benchmarks.correctness.cases import Rows, SelectCases, average, divide, fold, like
from benchmarks.correctness.graphs import Node, Records

CASES = SelectCases()
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
        Counter(f.Name[0].upper() for f in g["Movie"] if fold(f.Name[0]) in "abcdef").items()
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
    ids = [k.Id for k in g["Genre"] if k.Id <= 6 and k.Id != 3]
    return [(len(ids), sum(ids), average(ids), 2)]


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
        if not any(fold(c) in "abcdefghijklmnopqrstuvwxyz " for c in f.Name)
    ]


@select(r"""SELECT Name FROM Movie WHERE Name LIKE '%\_%' ESCAPE '\' OR Name LIKE '%!%%' ESCAPE
    '!' OR Name LIKE '%[%]%'""")
def _(g: Records) -> Rows:
    return [(f.Name,) for f in g["Movie"] if "_" in f.Name or "%" in f.Name]


@select("SELECT Name FROM Movie WHERE Name LIKE '%[^a-zA-Z0-9 :''.,!?()&-]%'")
def _(g: Records) -> Rows:
    allowed = set("abcdefghijklmnopqrstuvwxyz0123456789 :'.,!?()&-")
    return [(f.Name,) for f in g["Movie"] if any(fold(c)[:1] not in allowed for c in f.Name)]


@select("""SELECT Name FROM Character WHERE Name COLLATE Latin1_General_CI_AI LIKE '%jose%' OR
    Name COLLATE Latin1_General_CI_AI = 'amelie poulain'""")
def _(g: Records) -> Rows:
    return [
        (c.Name,)
        for c in g["Character"]
        if "jose" in fold(c.Name) or fold(c.Name) == "amelie poulain"
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
