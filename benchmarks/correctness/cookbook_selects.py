"""SELECTs over the cookbook: BIT columns, edges within a kind, edges between several kinds."""

from collections import Counter, defaultdict
from decimal import Decimal
from itertools import product

from benchmarks.correctness.cases import Rows, SelectCases, average, fold, has_phrase, like, words
from benchmarks.correctness.graphs import Node, Records

CASES = SelectCases()
select = CASES.select


def shortest(
    g: Records, edge: str, kind: str, start: Node, *, backwards: bool = False
) -> dict[int, int]:
    """Return the number of edges from a node to each reachable node of its kind."""
    following = g.into(edge) if backwards else g.out(edge)
    steps, distance, frontier = {}, 0, [start]
    while frontier:
        distance += 1
        nodes = [e for n in frontier for e in following.get(n.Id, []) if n.kind == e.kind == kind]
        frontier = []
        for node in nodes:
            if node.Id not in steps:
                steps[node.Id] = distance
                frontier.append(node)
    return steps


# BIT, NULL and numbers


@select("SELECT Vegetarian, Vegan, COUNT(*) AS n FROM Recipe GROUP BY Vegetarian, Vegan")
def _(g: Records) -> Rows:
    return [
        (v, w, n) for (v, w), n in Counter((r.Vegetarian, r.Vegan) for r in g["Recipe"]).items()
    ]


@select("SELECT COUNT(*) FROM Recipe WHERE Vegetarian = 1 AND Vegan = 0 AND Minutes <= 30")
def _(g: Records) -> Rows:
    return [
        (
            sum(
                r.Vegetarian and not r.Vegan and r.Minutes is not None and r.Minutes <= 30
                for r in g["Recipe"]
            ),
        )
    ]


@select("SELECT COUNT(*) FROM Recipe WHERE Vegan = 'true' AND Vegetarian <> 'false'")
def _(g: Records) -> Rows:
    return [(sum(bool(r.Vegan and r.Vegetarian) for r in g["Recipe"]),)]


@select("""SELECT SUM(CAST(Vegan AS INT)) AS n, AVG(CAST(Vegan AS FLOAT)) AS share,
    AVG(CAST(Vegan AS INT)) AS cut, MAX(CAST(Vegan AS INT)) AS most FROM Recipe""")
def _(g: Records) -> Rows:
    vegan = [int(r.Vegan) for r in g["Recipe"]]
    return [(sum(vegan), sum(vegan) / len(vegan), average(vegan), max(vegan))]


@select("""SELECT COUNT(*) AS n, COUNT(Minutes) AS timed, MIN(Minutes) AS a, MAX(Minutes) AS b,
    AVG(Minutes) AS c FROM Recipe""")
def _(g: Records) -> Rows:
    minutes = [r.Minutes for r in g["Recipe"] if r.Minutes is not None]
    return [(len(g["Recipe"]), len(minutes), min(minutes), max(minutes), average(minutes))]


@select("""SELECT TOP 5 Title, Minutes FROM Recipe WHERE Minutes IS NOT NULL ORDER BY Minutes
    DESC, Number""")
def _(g: Records) -> Rows:
    return [
        (r.Name, r.Minutes)
        for r in sorted(
            (r for r in g["Recipe"] if r.Minutes is not None), key=lambda r: (-r.Minutes, r.Id)
        )[:5]
    ]


@select("""SELECT Minutes / 60 AS h, Minutes % 60 AS m, COUNT(*) AS n FROM Recipe GROUP BY
    Minutes / 60, Minutes % 60""")
def _(g: Records) -> Rows:
    return [
        (*((None, None) if m is None else divmod(m, 60)), n)
        for m, n in Counter(r.Minutes for r in g["Recipe"]).items()
    ]


@select("""SELECT TOP 10 Title, CONCAT(Minutes / 60, ' h ', RIGHT('0' + CAST(Minutes % 60 AS
    VARCHAR(2)), 2), ' min') AS t FROM Recipe WHERE Minutes >= 60 ORDER BY Number""")
def _(g: Records) -> Rows:
    return [
        (r.Name, f"{r.Minutes // 60} h {r.Minutes % 60:02} min")
        for r in g["Recipe"]
        if r.Minutes and r.Minutes >= 60
    ][:10]


@select("""SELECT Family, COUNT(*) AS n FROM Ingredient GROUP BY Family HAVING COUNT(*) >= 10
    ORDER BY n DESC, Family""")
def _(g: Records) -> Rows:
    return sorted(
        ((f, n) for f, n in Counter(i.Family for i in g["Ingredient"]).items() if n >= 10),
        key=lambda r: (-r[1], r[0]),
    )


@select("SELECT Name FROM Ingredient WHERE Family IS NULL OR Family = 'nut'")
def _(g: Records) -> Rows:
    return [(i.Name,) for i in g["Ingredient"] if i.Family in (None, "nut")]


@select("""SELECT UPPER(LEFT(Family, 1)) + LOWER(SUBSTRING(Family, 2, 100)) AS f,
    MAX(LEN(Name)) AS n FROM Ingredient WHERE Family IN ('Herb', 'SPICE') GROUP BY Family""")
def _(g: Records) -> Rows:
    return [
        (f.capitalize(), max(len(i.Name) for i in g["Ingredient"] if i.Family == f))
        for f in ("herb", "spice")
    ]


@select("""SELECT TOP 3 PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY Minutes) OVER () AS m,
    COUNT(*) OVER () AS n FROM Recipe WHERE Minutes IS NOT NULL""")
def _(g: Records) -> Rows:
    minutes = sorted(r.Minutes for r in g["Recipe"] if r.Minutes is not None)
    return [(minutes[(len(minutes) - 1) // 2], len(minutes))] * 3


@select("""SELECT CAST(Vegan AS VARCHAR(5)) AS v, CASE Vegetarian WHEN 1 THEN 'yes' ELSE 'no'
    END AS w, ~Vegan AS n FROM Recipe WHERE Number = 1""")
def _(g: Records) -> Rows:
    return [("1", "yes", 0)]


@select("""SELECT AVG(Minutes) AS i, AVG(Minutes * 1.0) AS d, SUM(Minutes) / COUNT(*) AS s FROM
    Recipe WHERE Number BETWEEN 1 AND 7""")
def _(g: Records) -> Rows:
    m = [r.Minutes for r in g["Recipe"] if r.Id <= 7 and r.Minutes is not None]
    return [(average(m), int(Decimal(sum(m)) / len(m) * 10**6) / 10**6, sum(m) // 7)]


# Paths


@select("""SELECT i.Name FROM Recipe r, NEEDS n, Ingredient i WHERE MATCH(r-(n)->i) AND r.Title
    = 'ratatouille'""")
def _(g: Records) -> Rows:
    return [(i.Name,) for r, i in g.edges["NEEDS"] if r.Name == "Ratatouille"]


@select("""SELECT TOP 10 i.Name, COUNT(*) AS n FROM Recipe r, NEEDS n, Ingredient i WHERE
    MATCH(i<-(n)-r) GROUP BY i.Name ORDER BY n DESC, i.Name""")
def _(g: Records) -> Rows:
    return sorted(
        Counter(i.Name for _, i in g.edges["NEEDS"]).items(), key=lambda r: (-r[1], r[0])
    )[:10]


@select("""SELECT r.Title, g.Name FROM Recipe r, COMES_FROM c, Region g WHERE MATCH(r-(c)->g)
    AND g.Name LIKE 'S%'""")
def _(g: Records) -> Rows:
    return [
        (r.Name, x.Name)
        for r, x in g.edges["COMES_FROM"]
        if r.kind == "Recipe" and like(x.Name, "s%")
    ]


@select("SELECT i.Name, g.Name FROM Ingredient i, COMES_FROM c, Region g WHERE MATCH(i-(c)->g)")
def _(g: Records) -> Rows:
    return [(i.Name, x.Name) for i, x in g.edges["COMES_FROM"] if i.kind == "Ingredient"]


@select("SELECT COUNT(*) AS n FROM COMES_FROM")
def _(g: Records) -> Rows:
    return [(len(g.edges["COMES_FROM"]),)]


@select("""SELECT COUNT(*) AS n FROM COMES_FROM c JOIN Region g ON g.$node_id = c.$to_id WHERE
    g.Name = 'Japan'""")
def _(g: Records) -> Rows:
    return [(sum(x.Name == "Japan" for _, x in g.edges["COMES_FROM"]),)]


@select("""SELECT a.Title, b.Title FROM Recipe a, GOES_WITH w, Recipe b WHERE MATCH(a-(w)->b)
    AND a.Minutes > b.Minutes""")
def _(g: Records) -> Rows:
    return [
        (a.Name, b.Name)
        for a, b in g.edges["GOES_WITH"]
        if a.kind == "Recipe" and (a.Minutes or 0) > (b.Minutes or 10**9) * 1
    ]


@select("""SELECT DISTINCT TOP 60 b.Name FROM Ingredient a, GOES_WITH w, Ingredient b WHERE
    (MATCH(a-(w)->b) OR MATCH(b-(w)->a)) AND a.Name = 'Tomato'""")
def _(g: Records) -> Rows:
    pairs = [(a, b) for a, b in g.edges["GOES_WITH"] if a.kind == "Ingredient"]
    return {(b.Name,) for a, b in pairs if a.Name == "Tomato"} | {
        (a.Name,) for a, b in pairs if b.Name == "Tomato"
    }


@select("""SELECT b.Name FROM Ingredient a, GOES_WITH w, Ingredient b WHERE MATCH(a-(w)->b) AND
    a.Name = 'Tomato' UNION SELECT a.Name FROM Ingredient a, GOES_WITH w, Ingredient b WHERE
    MATCH(a-(w)->b) AND b.Name = 'Tomato'""")
def _(g: Records) -> Rows:
    pairs = [(a, b) for a, b in g.edges["GOES_WITH"] if a.kind == "Ingredient"]
    return {(b.Name,) for a, b in pairs if a.Name == "Tomato"} | {
        (a.Name,) for a, b in pairs if b.Name == "Tomato"
    }


@select("""SELECT a.Name, b.Name FROM Region a, PART_OF p, Region b WHERE MATCH(a-(p)->b) AND
    b.Name = 'Europe'""")
def _(g: Records) -> Rows:
    return [(a.Name, b.Name) for a, b in g.edges["PART_OF"] if b.Name == "Europe"]


@select("""SELECT a.Name, c.Name FROM Region a, PART_OF p, Region b, PART_OF q, Region c WHERE
    MATCH(a-(p)->b-(q)->c)""")
def _(g: Records) -> Rows:
    up = g.out("PART_OF")
    return [(a.Name, c.Name) for a, b in g.edges["PART_OF"] for c in up.get(b.Id, [])]


@select("""SELECT a.Name, LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS Top1, COUNT(b.Name)
    WITHIN GROUP (GRAPH PATH) AS Steps, STRING_AGG(b.Name, ' > ') WITHIN GROUP (GRAPH PATH) AS
    Way FROM Region a, PART_OF FOR PATH p, Region FOR PATH b WHERE
    MATCH(SHORTEST_PATH(a(-(p)->b)+)) AND a.Name = 'Provence'""")
def _(g: Records) -> Rows:
    up, rows, path, region = g.out("PART_OF"), [], [], g.node("Region", "Provence")
    while region.Id in up:
        (region,) = up[region.Id]
        path.append(region.Name)
        rows.append(("Provence", region.Name, len(path), " > ".join(path)))
    return rows


@select("""SELECT COUNT(*) AS n FROM (SELECT a.Name AS A1, LAST_VALUE(b.Name) WITHIN GROUP
    (GRAPH PATH) AS B1 FROM Region a, PART_OF FOR PATH p, Region FOR PATH b WHERE
    MATCH(SHORTEST_PATH(a(<-(p)-b)+)) AND a.Name = 'Europe') AS x""")
def _(g: Records) -> Rows:
    return [(len(shortest(g, "PART_OF", "Region", g.node("Region", "Europe"), backwards=True)),)]


@select("""SELECT LAST_VALUE(b.Id) WITHIN GROUP (GRAPH PATH) AS Reached, COUNT(b.Id) WITHIN
    GROUP (GRAPH PATH) AS Steps FROM Ingredient a, REPLACES FOR PATH p, Ingredient FOR PATH b
    WHERE MATCH(SHORTEST_PATH(a(-(p)->b)+)) AND a.Id = 74""")
def _(g: Records) -> Rows:
    (start,) = (i for i in g["Ingredient"] if i.Id == 74)
    return shortest(g, "REPLACES", "Ingredient", start).items()


@select("""SELECT COUNT(*) AS n, MAX(x.Steps) AS m FROM (SELECT a.Id, LAST_VALUE(b.Id) WITHIN
    GROUP (GRAPH PATH) AS Reached, COUNT(b.Id) WITHIN GROUP (GRAPH PATH) AS Steps FROM
    Ingredient a, GOES_WITH FOR PATH p, Ingredient FOR PATH b WHERE
    MATCH(SHORTEST_PATH(a(-(p)->b)+))) AS x""")
def _(g: Records) -> Rows:
    steps_by_start = [shortest(g, "GOES_WITH", "Ingredient", i) for i in g["Ingredient"]]
    return [
        (sum(map(len, steps_by_start)), max(max(s.values(), default=0) for s in steps_by_start))
    ]


@select("""SELECT COUNT(*) AS n FROM (SELECT a.Id, LAST_VALUE(b.Id) WITHIN GROUP (GRAPH PATH)
    AS Reached FROM Ingredient a, GOES_WITH FOR PATH p, Ingredient FOR PATH b WHERE
    MATCH(SHORTEST_PATH(a(-(p)->b){1,2}))) AS x""")
def _(g: Records) -> Rows:
    steps_by_start = [shortest(g, "GOES_WITH", "Ingredient", i) for i in g["Ingredient"]]
    return [(sum(n <= 2 for s in steps_by_start for n in s.values()),)]


@select("""SELECT TOP 10 b.Title, COUNT(*) AS n FROM Recipe a, NEEDS x, Ingredient i, NEEDS y,
    Recipe b WHERE MATCH(a-(x)->i<-(y)-b) AND a.Title = 'Ratatouille' AND b.Number <> a.Number
    GROUP BY b.Number, b.Title ORDER BY n DESC, b.Number""")
def _(g: Records) -> Rows:
    needs = g.out("NEEDS")
    needed = {i.Id for i in needs[1]}
    shared = [
        (r.Name, sum(i.Id in needed for i in needs.get(r.Id, [])), r.Id)
        for r in g["Recipe"]
        if r.Id != 1
    ]
    return [
        (n, c) for n, c, _ in sorted((s for s in shared if s[1]), key=lambda s: (-s[1], s[2]))[:10]
    ]


@select("""SELECT r.Title FROM Recipe r WHERE r.Vegan = 1 AND NOT EXISTS (SELECT 1 FROM Recipe
    x, NEEDS n, Ingredient i WHERE MATCH(x-(n)->i) AND x.Number = r.Number AND i.Name IN
    ('Onion', 'Garlic'))""")
def _(g: Records) -> Rows:
    needs = g.out("NEEDS")
    return [
        (r.Name,)
        for r in g["Recipe"]
        if r.Vegan and not {"Onion", "Garlic"} & {i.Name for i in needs.get(r.Id, [])}
    ]


@select("""SELECT DISTINCT r.Title FROM Recipe r, NEEDS n, Ingredient i, IN_SEASON e, Season s,
    COMES_FROM c, Region g WHERE MATCH(r-(n)->i-(e)->s AND r-(c)->g) AND s.Name = 'Summer' AND
    g.Name = 'Italy'""")
def _(g: Records) -> Rows:
    summer = {i.Id for i, s in g.edges["IN_SEASON"] if s.Name == "Summer"}
    italy = {r.Id for r, x in g.edges["COMES_FROM"] if r.kind == "Recipe" and x.Name == "Italy"}
    return {(r.Name,) for r, i in g.edges["NEEDS"] if i.Id in summer and r.Id in italy}


@select("""SELECT r.Title, i.Name FROM Recipe r, NEEDS n, Ingredient i, FINISHED_WITH f WHERE
    MATCH(r-(n)->i AND r-(f)->i)""")
def _(g: Records) -> Rows:
    needed = {(r.Id, i.Id) for r, i in g.edges["NEEDS"]}
    return [(r.Name, i.Name) for r, i in g.edges["FINISHED_WITH"] if (r.Id, i.Id) in needed]


@select("""SELECT s.Name, COUNT(DISTINCT i.Id) AS n, STRING_AGG(LEFT(i.Name, 1), '') WITHIN
    GROUP (ORDER BY i.Id) AS Letters FROM Ingredient i, IN_SEASON e, Season s WHERE
    MATCH(i-(e)->s) GROUP BY s.Name""")
def _(g: Records) -> Rows:
    by_season = defaultdict(list)
    for i, s in sorted(g.edges["IN_SEASON"], key=lambda e: e[0].Id):
        by_season[s.Name].append(i)
    return [
        (n, len({i.Id for i in items}), "".join(i.Name[0] for i in items))
        for n, items in by_season.items()
    ]


@select("""SELECT i.Name FROM Ingredient i WHERE NOT EXISTS (SELECT 1 FROM Ingredient x,
    IN_SEASON e, Season s WHERE MATCH(x-(e)->s) AND x.Id = i.Id) AND i.Family = 'vegetable'""")
def _(g: Records) -> Rows:
    seasonal = g.out("IN_SEASON")
    return [(i.Name,) for i in g["Ingredient"] if i.Family == "vegetable" and i.Id not in seasonal]


@select("""SELECT t.Name, COUNT(*) AS n, SUM(CASE WHEN r.Vegetarian = 1 THEN 1 ELSE 0 END) AS
    v, AVG(r.Minutes) AS m FROM Recipe r, USES u, Technique t WHERE MATCH(r-(u)->t) GROUP BY
    t.Name""")
def _(g: Records) -> Rows:
    by_technique = defaultdict(list)
    for r, t in g.edges["USES"]:
        by_technique[t.Name].append(r)
    return [
        (
            n,
            len(rs),
            sum(r.Vegetarian for r in rs),
            average([r.Minutes for r in rs if r.Minutes is not None]),
        )
        for n, rs in by_technique.items()
    ]


@select("""SELECT a.Name AS One, b.Name AS Other FROM Ingredient a JOIN Ingredient b ON
    a.Family = b.Family AND a.Id < b.Id AND a.Family = 'pulse'""")
def _(g: Records) -> Rows:
    pulses = [i for i in g["Ingredient"] if i.Family == "pulse"]
    return [(a.Name, b.Name) for a, b in product(pulses, pulses) if a.Id < b.Id]


@select("""SELECT Season, herb, spice FROM (SELECT s.Name AS Season, i.Family, i.Id FROM
    Ingredient i, IN_SEASON e, Season s WHERE MATCH(i-(e)->s)) AS x PIVOT (COUNT(Id) FOR Family
    IN (herb, spice)) AS p""")
def _(g: Records) -> Rows:
    counts = Counter((s.Name, i.Family) for i, s in g.edges["IN_SEASON"])
    return [
        (s, counts[s, "herb"], counts[s, "spice"])
        for s in {s.Name for _, s in g.edges["IN_SEASON"]}
    ]


@select("""SELECT r.Title, x.Name, x.place FROM Recipe r CROSS APPLY (SELECT i.Name,
    ROW_NUMBER() OVER (ORDER BY i.Id DESC) AS place FROM Recipe y, NEEDS n, Ingredient i WHERE
    MATCH(y-(n)->i) AND y.Number = r.Number) AS x WHERE x.place <= 2 AND r.Number <= 5""")
def _(g: Records) -> Rows:
    needs = g.out("NEEDS")
    return [
        (r.Name, i.Name, n)
        for r in g["Recipe"]
        if r.Id <= 5
        for n, i in enumerate(sorted(needs.get(r.Id, []), key=lambda i: -i.Id)[:2], 1)
    ]


@select("""SELECT r.Title, x.n FROM Recipe r OUTER APPLY (SELECT TOP 1 i.Name AS n FROM Recipe
    y, FINISHED_WITH f, Ingredient i WHERE MATCH(y-(f)->i) AND y.Number = r.Number ORDER BY
    i.Id) AS x WHERE r.Number < 40""")
def _(g: Records) -> Rows:
    ends = g.out("FINISHED_WITH")
    return [
        (r.Name, min(ends[r.Id], key=lambda i: i.Id).Name if r.Id in ends else None)
        for r in g["Recipe"]
        if r.Id < 40
    ]


# Text


@select("""SELECT Title FROM Recipe WHERE Title COLLATE Latin1_General_CI_AI LIKE '%creme%' OR
    Title COLLATE Latin1_General_CI_AI LIKE '%jalapeno%' OR Title COLLATE Latin1_General_CI_AI
    LIKE '%a la%'""")
def _(g: Records) -> Rows:
    return [
        (r.Name,)
        for r in g["Recipe"]
        if any(w in fold(r.Name) for w in ("creme", "jalapeno", "a la"))
    ]


@select("SELECT Title FROM Recipe WHERE Title LIKE N'%[àâäéèêëïîôöûüçñõã]%'")
def _(g: Records) -> Rows:
    return [(r.Name,) for r in g["Recipe"] if set(r.Name.casefold()) & set("àâäéèêëïîôöûüçñõã")]


@select("""SELECT Name FROM Ingredient WHERE Name LIKE '% %' AND Name NOT LIKE '% % %' AND
    LEN(Name) < 11""")
def _(g: Records) -> Rows:
    return [(i.Name,) for i in g["Ingredient"] if i.Name.count(" ") == 1 and len(i.Name) < 11]


@select("""SELECT Number FROM Recipe WHERE CONTAINS(Method, 'garlic') AND NOT CONTAINS(Method,
    'onion')""")
def _(g: Records) -> Rows:
    return [
        (r.Id,)
        for r in g["Recipe"]
        if "garlic" in words(r.Content) and "onion" not in words(r.Content)
    ]


@select("""SELECT Number FROM Recipe WHERE CONTAINS((Title, Method),
    '"olive oil" OR "soy sauce"')""")
def _(g: Records) -> Rows:
    return [
        (r.Id,)
        for r in g["Recipe"]
        if any(has_phrase(t, p) for t in (r.Name, r.Content) for p in ("olive oil", "soy sauce"))
    ]


@select("""SELECT k.[KEY], r.Title FROM CONTAINSTABLE(Recipe, Method, '"overnight"') k JOIN
    Recipe r ON r.Number = k.[KEY]""")
def _(g: Records) -> Rows:
    return [(r.Id, r.Name) for r in g["Recipe"] if "overnight" in words(r.Content)]


@select("SELECT i.Name FROM Ingredient i JOIN Region r ON CHARINDEX(LEFT(r.Name, 4), i.Name) = 1")
def _(g: Records) -> Rows:
    return [
        (i.Name,)
        for r in g["Region"]
        for i in g["Ingredient"]
        if i.Name.casefold().startswith(r.Name[:4].casefold())
    ]


@select("""SELECT TOP 1 r.Title, r.Vegan, r.Minutes FROM Recipe r ORDER BY r.Number FOR JSON
    PATH, WITHOUT_ARRAY_WRAPPER""")
def _(g: Records) -> Rows:
    return [('{"Title":"Ratatouille","Vegan":true,"Minutes":75}',)]


@select("""SELECT TOP 2 Title AS [dish.title], Minutes AS [dish.minutes], NULL AS nothing FROM
    Recipe ORDER BY Number FOR JSON PATH, ROOT('menu'), INCLUDE_NULL_VALUES""")
def _(g: Records) -> Rows:
    dishes = ",".join(
        f'{{"dish":{{"title":"{r.Name}","minutes":{r.Minutes}}},"nothing":null}}'
        for r in g["Recipe"][:2]
    )
    return [(f'{{"menu":[{dishes}]}}',)]


@select("SELECT Name, LEN(Name) AS n FROM Season WHERE Name IN ('spring', 'SUMMER ', ' autumn')")
def _(g: Records) -> Rows:
    return [("Spring", 6), ("Summer", 6)]


@select("SELECT COUNT(*) FROM cookbook.Recipe AS r WHERE r.Title > 'm' AND r.Title < 'n'")
def _(g: Records) -> Rows:
    return [(sum(fold(r.Name)[0] == "m" and r.Name.casefold() != "m" for r in g["Recipe"]),)]
