"""SELECTs over a large graph of the movie contract: years missing, odd names, hubs."""

from collections import Counter, defaultdict

from benchmarks.correctness.cases import Rows, SelectCases, average, fold, like
from benchmarks.correctness.graphs import Node, Records

CASES = SelectCases()
select = CASES.select


def dated(g: Records) -> list[Node]:
    return [film for film in g["Movie"] if film.ReleaseYear is not None]


@select("""SELECT COUNT(*), COUNT(ReleaseYear), COUNT(DISTINCT Name), COUNT(DISTINCT
    ReleaseYear), AVG(ReleaseYear), SUM(CAST(Id AS BIGINT)) FROM Movie""")
def _(g: Records) -> Rows:
    years = [f.ReleaseYear for f in dated(g)]
    return [
        (
            len(g["Movie"]),
            len(years),
            len({f.Name.casefold() for f in g["Movie"]}),
            len(set(years)),
            average(years),
            sum(f.Id for f in g["Movie"]),
        )
    ]


@select("""SELECT TOP 20 Name, COUNT(*) AS n FROM Movie GROUP BY Name HAVING COUNT(*) > 1 ORDER
    BY n DESC, MIN(Id)""")
def _(g: Records) -> Rows:
    nodes: dict[str, list[Node]] = defaultdict(list)
    for f in g["Movie"]:
        nodes[f.Name.casefold()].append(f)
    same_name = sorted(
        (films for films in nodes.values() if len(films) > 1), key=lambda f: (-len(f), f[0].Id)
    )
    return [(films[0].Name, len(films)) for films in same_name[:20]]


@select("SELECT Id, Name FROM Movie WHERE ReleaseYear IS NULL")
def _(g: Records) -> Rows:
    return [(f.Id, f.Name) for f in g["Movie"] if f.ReleaseYear is None]


@select("""SELECT TOP 10 g.Name, COUNT(*) AS n FROM Movie m, IN_GENRE i, Genre g WHERE
    MATCH(m-(i)->g) GROUP BY g.Name ORDER BY n DESC, g.Name""")
def _(g: Records) -> Rows:
    return sorted(
        Counter(k.Name for _, k in g.edges["IN_GENRE"]).items(), key=lambda r: (-r[1], r[0])
    )[:10]


@select("""SELECT TOP 10 t.Id, COUNT(*) AS n FROM Theme t, INCLUDES_THEME e, Movie m WHERE
    MATCH(m-(e)->t) GROUP BY t.Id ORDER BY n DESC, t.Id""")
def _(g: Records) -> Rows:
    return sorted(
        Counter(t.Id for _, t in g.edges["INCLUDES_THEME"]).items(), key=lambda r: (-r[1], r[0])
    )[:10]


@select("""SELECT TOP 15 n.Id, COUNT(*) AS Shared FROM Movie m, INCLUDES_THEME a, Theme t,
    INCLUDES_THEME b, Movie n WHERE MATCH(m-(a)->t<-(b)-n) AND m.Id = 11 AND n.Id <> 11 GROUP BY
    n.Id ORDER BY Shared DESC, n.Id""")
def _(g: Records) -> Rows:
    theme_ids = {t.Id for t in g.out("INCLUDES_THEME")[11]}
    counts = Counter(f.Id for f, t in g.edges["INCLUDES_THEME"] if t.Id in theme_ids and f.Id != 11)
    return sorted(counts.items(), key=lambda r: (-r[1], r[0]))[:15]


@select("""SELECT COUNT(*) FROM Movie m, INCLUDES_THEME a, Theme t, INCLUDES_THEME b, Movie n
    WHERE MATCH(m-(a)->t<-(b)-n) AND t.Name LIKE 'robot%'""")
def _(g: Records) -> Rows:
    counts = Counter(t.Id for _, t in g.edges["INCLUDES_THEME"] if like(t.Name, "robot%"))
    return [(sum(n * n for n in counts.values()),)]


@select("""SELECT TOP 10 c.Name, COUNT(DISTINCT m.Id) AS n FROM Character c, FEATURES_CHARACTER
    f, Movie m WHERE MATCH(m-(f)->c) GROUP BY c.Id, c.Name ORDER BY n DESC, c.Id""")
def _(g: Records) -> Rows:
    counts = Counter(c.Id for _, c in g.edges["FEATURES_CHARACTER"])
    named = {c.Id: c.Name for c in g["Character"]}
    return [(named[i], n) for i, n in sorted(counts.items(), key=lambda r: (-r[1], r[0]))[:10]]


@select("""SELECT s.Name, COUNT(*) AS n, MIN(m.ReleaseYear) AS a, MAX(m.ReleaseYear) -
    MIN(m.ReleaseYear) AS span FROM Series s, PART_OF_SERIES p, Movie m WHERE MATCH(m-(p)->s)
    GROUP BY s.Id, s.Name HAVING COUNT(*) >= 9""")
def _(g: Records) -> Rows:
    rows = []
    for s in g["Series"]:
        films = g.into("PART_OF_SERIES").get(s.Id, [])
        years = [f.ReleaseYear for f in films if f.ReleaseYear is not None]
        rows += (
            [(s.Name, len(films), min(years), max(years) - min(years))] if len(films) >= 9 else []
        )
    return rows


@select("""SELECT TOP 30 Name FROM Character WHERE Name COLLATE Latin1_General_CI_AI LIKE
    'jose%' ORDER BY Id""")
def _(g: Records) -> Rows:
    return [(c.Name,) for c in g["Character"] if fold(c.Name).startswith("jose")][:30]


@select("""SELECT TOP 30 Name FROM Character WHERE Name LIKE '%é%' AND Name LIKE '% %' ORDER BY
    Id DESC""")
def _(g: Records) -> Rows:
    return [(c.Name,) for c in g["Character"][::-1] if "é" in c.Name.casefold() and " " in c.Name][
        :30
    ]


@select("SELECT COUNT(*) FROM Character WHERE Name LIKE '%''%' OR Name LIKE '%\"%'")
def _(g: Records) -> Rows:
    return [(sum("'" in c.Name or '"' in c.Name for c in g["Character"]),)]


@select("""SELECT COUNT(*) FROM Movie WHERE Name LIKE '%#[0-9]%' OR Name LIKE '%[-]%' OR Name
    LIKE '%&%'""")
def _(g: Records) -> Rows:
    return [(sum(like(f.Name, "%#[0-9]%") or "-" in f.Name or "&" in f.Name for f in g["Movie"]),)]


@select("""SELECT TOP 5 LEN(Name) AS n, COUNT(*) AS c FROM Movie GROUP BY LEN(Name) ORDER BY
    LEN(Name) DESC""")
def _(g: Records) -> Rows:
    return sorted(Counter(len(f.Name) for f in g["Movie"]).items(), reverse=True)[:5]


@select("""SELECT COUNT(*) FROM Movie WHERE Name = UPPER(Name) COLLATE Latin1_General_BIN2 AND
    Name COLLATE Latin1_General_BIN2 LIKE '%[A-Z]%'""")
def _(g: Records) -> Rows:
    return [
        (
            sum(
                f.Name == f.Name.upper() and any("A" <= c <= "Z" for c in f.Name)
                for f in g["Movie"]
            ),
        )
    ]


@select("""WITH y AS (SELECT ReleaseYear AS v, COUNT(*) AS n FROM Movie WHERE ReleaseYear IS
    NOT NULL GROUP BY ReleaseYear) SELECT TOP 10 v, n, n - LAG(n, 1, 0) OVER (ORDER BY v) AS d,
    SUM(n) OVER (ORDER BY v ROWS UNBOUNDED PRECEDING) AS s FROM y ORDER BY v DESC""")
def _(g: Records) -> Rows:
    rows = sorted(Counter(f.ReleaseYear for f in dated(g)).items())
    full = [
        (v, n, n - (rows[i - 1][1] if i else 0), sum(c for _, c in rows[: i + 1]))
        for i, (v, n) in enumerate(rows)
    ]
    return full[::-1][:10]


@select("""SELECT k.Name, AVG(m.ReleaseYear) AS y, MAX(m.ReleaseYear) AS x FROM Movie m,
    IN_GENRE i, Genre k WHERE MATCH(m-(i)->k) AND k.Name LIKE '%film' GROUP BY k.Name HAVING
    COUNT(m.ReleaseYear) > 30""")
def _(g: Records) -> Rows:
    years = defaultdict(list)
    for f, k in g.edges["IN_GENRE"]:
        if like(k.Name, "%film") and f.ReleaseYear is not None:
            years[k.Name].append(f.ReleaseYear)
    return [(n, average(y), max(y)) for n, y in years.items() if len(y) > 30]


@select("""SELECT COUNT(*) FROM Movie m WHERE EXISTS (SELECT 1 FROM Movie x, SET_IN e, Setting
    s WHERE MATCH(x-(e)->s) AND x.Id = m.Id AND s.Name = 'Paris') AND NOT EXISTS (SELECT 1 FROM
    Movie x, IN_GENRE e, Genre k WHERE MATCH(x-(e)->k) AND x.Id = m.Id AND k.Name = 'Drama')""")
def _(g: Records) -> Rows:
    drama = {f.Id for f, k in g.edges["IN_GENRE"] if k.Name == "Drama"}
    return [(len({f.Id for f, s in g.edges["SET_IN"] if s.Name == "Paris"} - drama),)]


@select("""SELECT COUNT(*) FROM Movie m LEFT JOIN (SELECT x.Id AS i, COUNT(*) AS n FROM Movie
    x, INCLUDES_THEME e, Theme t WHERE MATCH(x-(e)->t) GROUP BY x.Id) AS c ON c.i = m.Id WHERE
    ISNULL(c.n, 0) = 0""")
def _(g: Records) -> Rows:
    themed = g.out("INCLUDES_THEME")
    return [(sum(f.Id not in themed for f in g["Movie"]),)]


@select("""SELECT COUNT(*) AS n, COUNT(DISTINCT CONCAT(m.Id, '-', t.Id)) AS d FROM Movie m,
    INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) AND m.ReleaseYear = 1999""")
def _(g: Records) -> Rows:
    edges = [(f.Id, t.Id) for f, t in g.edges["INCLUDES_THEME"] if f.ReleaseYear == 1999]
    return [(len(edges), len(set(edges)))]


@select("""SELECT t.Name FROM Theme t JOIN Genre k ON k.Name = t.Name JOIN Setting s ON s.Name
    = t.Name""")
def _(g: Records) -> Rows:
    genres = {k.Name.casefold() for k in g["Genre"]}
    settings = Counter(s.Name.casefold() for s in g["Setting"])
    return [
        (t.Name,)
        for t in g["Theme"]
        if t.Name.casefold() in genres
        for _ in range(settings[t.Name.casefold()])
    ]


@select("""SELECT TOP 5 ReleaseYear, STRING_AGG(CAST(Id AS VARCHAR(10)), ',') WITHIN GROUP
    (ORDER BY Id) AS Ids FROM Movie WHERE ReleaseYear < 1925 GROUP BY ReleaseYear ORDER BY
    ReleaseYear""")
def _(g: Records) -> Rows:
    ids_by_year = defaultdict(list)
    for f in dated(g):
        if f.ReleaseYear < 1925:
            ids_by_year[f.ReleaseYear].append(str(f.Id))
    return [(y, ",".join(i)) for y, i in sorted(ids_by_year.items())[:5]]


@select("SELECT Id FROM Theme WHERE Name IN ('War', 'PEACE', 'love ', 'revenge') ORDER BY Id")
def _(g: Records) -> Rows:
    return [(t.Id,) for t in g["Theme"] if t.Name.casefold() in ("war", "peace", "love", "revenge")]


@select("""SELECT COUNT(*) FROM Movie WHERE Name LIKE 'A %' OR Name LIKE 'An %' OR Name LIKE
    'The %'""")
def _(g: Records) -> Rows:
    return [
        (
            sum(
                like(f.Name, "a %") or like(f.Name, "an %") or like(f.Name, "the %")
                for f in g["Movie"]
            ),
        )
    ]


@select("SELECT COUNT(*) FROM Movie WHERE Name NOT LIKE '%[^0-9]%'")
def _(g: Records) -> Rows:
    return [(sum(all(c in "0123456789" for c in f.Name) for f in g["Movie"]),)]


@select("""SELECT Name, TRY_CAST(Name AS INT) + 1 AS n FROM Movie WHERE Name NOT LIKE
    '%[^0-9]%' AND LEN(Name) < 5""")
def _(g: Records) -> Rows:
    return [
        (f.Name, int(f.Name) + 1)
        for f in g["Movie"]
        if all(c in "0123456789" for c in f.Name) and len(f.Name) < 5
    ]


@select("""SELECT COUNT(*) FROM Movie WHERE ReleaseYear % 100 BETWEEN 0 AND 9 AND ReleaseYear /
    100 = 20""")
def _(g: Records) -> Rows:
    return [(sum(2000 <= f.ReleaseYear <= 2009 for f in dated(g)),)]


@select("""SELECT TOP 12 c.Name, MIN(m.Name) AS First1 FROM Character c, FEATURES_CHARACTER f,
    Movie m, PART_OF_SERIES p, Series s WHERE MATCH(c<-(f)-m-(p)->s) AND s.Id = 10 GROUP BY
    c.Id, c.Name HAVING COUNT(*) > 2 ORDER BY COUNT(*) DESC, c.Id""")
def _(g: Records) -> Rows:
    films = {f.Id for f, s in g.edges["PART_OF_SERIES"] if s.Id == 10}
    films_by_character: dict[tuple[int, str], list[str]] = defaultdict(list)
    for f, c in g.edges["FEATURES_CHARACTER"]:
        if f.Id in films:
            films_by_character[c.Id, c.Name].append(f.Name)
    rows = sorted(
        ((i, n, f) for (i, n), f in films_by_character.items() if len(f) > 2),
        key=lambda r: (-len(r[2]), r[0]),
    )[:12]
    return [(n, min(f, key=fold)) for _, n, f in rows]
