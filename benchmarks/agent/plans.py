"""Commands of plans, written from the words of a question as by a planning model."""

from dataclasses import dataclass

EDGES = {
    "Genre": "IN_GENRE",
    "Character": "FEATURES_CHARACTER",
    "Theme": "INCLUDES_THEME",
    "Setting": "SET_IN",
    "Series": "PART_OF_SERIES",
}
COLUMNS = "m.Id, m.Name, m.ReleaseYear"
NEWEST, OLDEST = "m.ReleaseYear DESC, m.Id", "m.ReleaseYear, m.Id"


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One strategy; `query` is the text of @q, and the main strategy is expanded after the run."""

    id: str
    command: str
    query: str | None = None
    is_expanded: bool = False


def film_source(*, has: str = "", lacks: str = "", years: str = "") -> str:
    """Return FROM and WHERE of films: `has` as "Genre: western; Theme: revenge"."""
    tables, conditions = ["Movie AS m"], list[str]()
    for index, (kind, words) in enumerate(_pairs(has)):
        tables += [f"{EDGES[kind]} AS e{index}", f"[{kind}] AS k{index}"]
        conditions.append(f"MATCH(m-(e{index})->k{index}) AND k{index}.Name LIKE '%{words}%'")
    for kind, words in _pairs(lacks):
        conditions.append(
            f"NOT EXISTS (SELECT 1 FROM Movie AS x, {EDGES[kind]} AS xe, [{kind}] AS xk "
            f"WHERE MATCH(x-(xe)->xk) AND x.Id = m.Id AND xk.Name LIKE '%{words}%')"
        )
    if years:
        first, _, last = years.partition("-")
        conditions.append(f"m.ReleaseYear BETWEEN {first} AND {last or 9999}")
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"FROM {', '.join(tables)}{where}"


def films(
    *, has: str = "", lacks: str = "", years: str = "", order: str = NEWEST, top: int = 20
) -> PlanStep:
    """List films by linked nodes."""
    source = film_source(has=has, lacks=lacks, years=years)
    return PlanStep("by links", f"SELECT DISTINCT TOP {top} {COLUMNS} {source} ORDER BY {order}")


def expanded(step: PlanStep, name: str = "") -> PlanStep:
    """Return the step as the main strategy, which is expanded."""
    return PlanStep(name or step.id, step.command, step.query, is_expanded=True)


def nearest(text: str) -> PlanStep:
    """List films by semantic similarity."""
    order = "VECTOR_DISTANCE('cosine', m.Embedding, @q), m.Id"
    return PlanStep("semantic", f"SELECT TOP 20 {COLUMNS} FROM Movie AS m ORDER BY {order}", text)


def full_text(condition: str) -> PlanStep:
    """List films by words of their text."""
    sql = f"SELECT TOP 20 {COLUMNS} FROM Movie AS m WHERE CONTAINS(m.Content, '{condition}')"
    return PlanStep("full text", f"{sql} ORDER BY {NEWEST}")


def ranked(text: str) -> PlanStep:
    """List films by full-text rank."""
    words = text.replace("'", "''")
    return PlanStep(
        "ranked full text",
        f"SELECT TOP 20 {COLUMNS} FROM Movie AS m INNER JOIN FREETEXTTABLE(Movie, Content, "
        f"'{words}') AS f ON f.[KEY] = m.Id ORDER BY f.[RANK] DESC, m.Id",
    )


def through(kind: str, text: str, *, has: str = "", limit: int = 3) -> PlanStep:
    """List films linked to the nodes of a kind that are nearest to an idea."""
    source = film_source(has=has)
    joiner = " AND" if "WHERE" in source else " WHERE"
    tables, _, condition = source.partition(" WHERE ")
    where = f" WHERE {condition}" if condition else ""
    return PlanStep(
        f"through {kind.lower()}s",
        f"SELECT DISTINCT TOP 20 {COLUMNS} {tables}, (SELECT TOP {limit} t.Id FROM [{kind}] AS t "
        f"ORDER BY VECTOR_DISTANCE('cosine', t.Embedding, @q)) AS near, {EDGES[kind]} AS ne, "
        f"[{kind}] AS n{where}{joiner} MATCH(m-(ne)->n) AND n.Id = near.Id ORDER BY {NEWEST}",
        text,
    )


def like_series(series: str, *kinds: str) -> PlanStep:
    """List films outside a series by how much they share with one of its films."""
    branches = " UNION ALL ".join(
        f"SELECT seen.Id AS Seen, n.Id AS Found, k.Id AS Shared FROM Series AS s, "
        f"PART_OF_SERIES AS p, Movie AS seen, {EDGES[kind]} AS a, {kind} AS k, "
        f"{EDGES[kind]} AS b, Movie AS n WHERE MATCH(s<-(p)-seen-(a)->k<-(b)-n) "
        f"AND s.Name LIKE '%{series}%'"
        for kind in kinds
    )
    return PlanStep(
        "shared " + " and ".join(kind.lower() + "s" for kind in kinds),
        f"WITH shared AS ({branches}), pairs AS (SELECT Seen, Found, COUNT(*) AS Shared FROM "
        "shared GROUP BY Seen, Found) SELECT TOP 20 m.Id, m.Name, MAX(p.Shared) AS MostShared "
        "FROM pairs AS p INNER JOIN Movie AS m ON m.Id = p.Found WHERE NOT EXISTS (SELECT 1 "
        "FROM Movie AS x, PART_OF_SERIES AS o, Series AS r WHERE MATCH(x-(o)->r) "
        f"AND x.Id = m.Id AND r.Name LIKE '%{series}%') "
        "GROUP BY m.Id, m.Name ORDER BY MostShared DESC, m.Id",
    )


def how_many(*, has: str = "", lacks: str = "", years: str = "") -> PlanStep:
    """Count films."""
    source = film_source(has=has, lacks=lacks, years=years)
    return PlanStep("counted", f"SELECT COUNT(DISTINCT m.Id) AS Films {source}", is_expanded=True)


def top_names(kind: str, *, has: str = "", years: str = "", top: int = 5) -> PlanStep:
    """Count films by the names of a kind."""
    source = film_source(has=has, years=years)
    tables, _, condition = source.partition(" WHERE ")
    prefix = f"{condition} AND " if condition else ""
    return PlanStep(
        f"commonest {kind.lower()}s",
        f"SELECT TOP {top} g.Name, COUNT(DISTINCT m.Id) AS Films {tables}, {EDGES[kind]} AS ge, "
        f"[{kind}] AS g WHERE {prefix}MATCH(m-(ge)->g) GROUP BY g.Name ORDER BY Films DESC, g.Name",
        is_expanded=True,
    )


def per_years(step: int, *, has: str = "") -> PlanStep:
    """Count films by year, or by group of years."""
    group = "m.ReleaseYear" if step == 1 else f"m.ReleaseYear / {step} * {step}"
    return PlanStep(
        "by year",
        f"SELECT TOP 60 {group} AS Year, COUNT(DISTINCT m.Id) AS Films {film_source(has=has)} "
        f"AND m.ReleaseYear IS NOT NULL GROUP BY {group} ORDER BY Year",
        is_expanded=True,
    )


def _pairs(text: str) -> list[tuple[str, str]]:
    parts = [part.partition(":") for part in text.split(";") if part.strip()]
    return [(kind.strip(), words.strip().replace("'", "''")) for kind, _, words in parts]
