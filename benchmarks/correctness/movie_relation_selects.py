"""SELECTs over the bundled films that relate rows: windows, subqueries, JSON, paths and search."""

from collections import Counter, defaultdict
from itertools import combinations, groupby, pairwise
from statistics import fmean, median

from benchmarks.correctness.cases import (
    Rows,
    SelectCases,
    average,
    fold,
    has_phrase,
    has_prefix,
    like,
    words,
)
from benchmarks.correctness.graphs import Records
from benchmarks.correctness.movie_selects import dated, decade

CASES = SelectCases()
select = CASES.select


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


@select("""SELECT x.Id, u.What, u.Value FROM (SELECT Id, LEN(Name) AS Letters, Id * 2 AS Twice
    FROM Genre WHERE Id < 4) AS x CROSS APPLY (VALUES ('Letters', x.Letters), ('Twice', x.Twice))
    AS u(What, Value)""")
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
    alien_themes = {t.Id for t in themes[alien.Id]}
    counts = {
        f.Id: sum(t.Id in alien_themes for t in themes.get(f.Id, []))
        for f in g["Movie"]
        if f.Id != alien.Id
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
    by_series: dict[str, set[int]] = defaultdict(set)
    for f, s in g.edges["PART_OF_SERIES"]:
        by_series[s.Name] |= {t.Id for t in themes.get(f.Id, [])}
    return sorted(((n, len(t)) for n, t in by_series.items() if t), key=lambda r: (-r[1], r[0]))[
        :10
    ]


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
    return [(s.Id, s.Name) for s in sorted(g["Setting"], key=lambda s: fold(s.Name))[:5]]


@select("SELECT TOP 5 Id, Name FROM Genre ORDER BY Name DESC")
def _(g: Records) -> Rows:
    return [
        (s.Id, s.Name) for s in sorted(g["Genre"], key=lambda s: fold(s.Name), reverse=True)[:5]
    ]


@select("SELECT MIN(Name) AS a, MAX(Name) AS b FROM Theme")
def _(g: Records) -> Rows:
    ordered = sorted((t.Name for t in g["Theme"]), key=fold)
    return [(ordered[0], ordered[-1])]
