"""The commands of a plan, written from the words of a question as a planning model would."""

from dataclasses import dataclass

EDGES = {
    "Genre": "IN_GENRE",
    "Character": "FEATURES_CHARACTER",
    "Theme": "INCLUDES_THEME",
    "Setting": "SET_IN",
    "Series": "PART_OF_SERIES",
}
LISTED = "m.Id, m.Name, m.ReleaseYear"
NEWEST, OLDEST = "m.ReleaseYear DESC, m.Id", "m.ReleaseYear, m.Id"


@dataclass(frozen=True, slots=True)
class Step:
    """One strategy; a wide one is what the question asks for, and is expanded after the first look.

    `query` is the text behind @q.
    """

    id: str
    command: str
    query: str | None = None
    wide: bool = False


def asked(*, has: str = "", lacks: str = "", years: str = "") -> str:
    """Return FROM and WHERE of films: `has` as "Genre: western; Theme: revenge"."""
    tables, conditions = ["Movie AS m"], list[str]()
    for at, (kind, words) in enumerate(_pairs(has)):
        tables += [f"{EDGES[kind]} AS e{at}", f"[{kind}] AS k{at}"]
        conditions.append(f"MATCH(m-(e{at})->k{at}) AND k{at}.Name LIKE '%{words}%'")
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
) -> Step:
    """List films by what they are linked to."""
    source = asked(has=has, lacks=lacks, years=years)
    return Step("by links", f"SELECT DISTINCT TOP {top} {LISTED} {source} ORDER BY {order}")


def wide(step: Step, name: str = "") -> Step:
    """Mark a step as what the question asks for."""
    return Step(name or step.id, step.command, step.query, wide=True)


def nearest(text: str) -> Step:
    """List films by meaning."""
    order = "VECTOR_DISTANCE('cosine', m.Embedding, @q), m.Id"
    return Step("by meaning", f"SELECT TOP 20 {LISTED} FROM Movie AS m ORDER BY {order}", text)


def worded(condition: str) -> Step:
    """List films by words of their texts."""
    sql = f"SELECT TOP 20 {LISTED} FROM Movie AS m WHERE CONTAINS(m.Content, '{condition}')"
    return Step("by words", f"{sql} ORDER BY {NEWEST}")


def ranked(text: str) -> Step:
    """List films by how well their texts fit some words."""
    words = text.replace("'", "''")
    return Step(
        "by ranked words",
        f"SELECT TOP 20 {LISTED} FROM Movie AS m INNER JOIN FREETEXTTABLE(Movie, Content, "
        f"'{words}') AS f ON f.[KEY] = m.Id ORDER BY f.[RANK] DESC, m.Id",
    )


def through(kind: str, text: str, *, has: str = "", most: int = 3) -> Step:
    """List films linked to the nodes of a kind that are nearest to an idea."""
    source = asked(has=has)
    joiner = " AND" if "WHERE" in source else " WHERE"
    tables, _, rest = source.partition(" WHERE ")
    rest = f" WHERE {rest}" if rest else ""
    return Step(
        f"through {kind.lower()}s",
        f"SELECT DISTINCT TOP 20 {LISTED} {tables}, (SELECT TOP {most} t.Id FROM [{kind}] AS t "
        f"ORDER BY VECTOR_DISTANCE('cosine', t.Embedding, @q)) AS near, {EDGES[kind]} AS ne, "
        f"[{kind}] AS n{rest}{joiner} MATCH(m-(ne)->n) AND n.Id = near.Id ORDER BY {NEWEST}",
        text,
    )


def like_series(series: str, *kinds: str) -> Step:
    """List films outside a series by how much they share with one of its films."""
    arms = " UNION ALL ".join(
        f"SELECT seen.Id AS Seen, n.Id AS Found, k.Id AS Shared FROM Series AS s, "
        f"PART_OF_SERIES AS p, Movie AS seen, {EDGES[kind]} AS a, {kind} AS k, "
        f"{EDGES[kind]} AS b, Movie AS n WHERE MATCH(s<-(p)-seen-(a)->k<-(b)-n) "
        f"AND s.Name LIKE '%{series}%'"
        for kind in kinds
    )
    return Step(
        "shared " + " and ".join(kind.lower() + "s" for kind in kinds),
        f"WITH shared AS ({arms}), pairs AS (SELECT Seen, Found, COUNT(*) AS Shared FROM shared "
        "GROUP BY Seen, Found) SELECT TOP 20 m.Id, m.Name, MAX(p.Shared) AS MostShared "
        "FROM pairs AS p INNER JOIN Movie AS m ON m.Id = p.Found WHERE NOT EXISTS (SELECT 1 "
        "FROM Movie AS x, PART_OF_SERIES AS o, Series AS r WHERE MATCH(x-(o)->r) "
        f"AND x.Id = m.Id AND r.Name LIKE '%{series}%') "
        "GROUP BY m.Id, m.Name ORDER BY MostShared DESC, m.Id",
    )


def how_many(*, has: str = "", lacks: str = "", years: str = "") -> Step:
    """Count films."""
    source = asked(has=has, lacks=lacks, years=years)
    return Step("counted", f"SELECT COUNT(DISTINCT m.Id) AS Films {source}", wide=True)


def top_names(kind: str, *, has: str = "", years: str = "", top: int = 5) -> Step:
    """Count films by the names of a kind."""
    source = asked(has=has, years=years)
    tables, _, rest = source.partition(" WHERE ")
    rest = f"{rest} AND " if rest else ""
    return Step(
        f"commonest {kind.lower()}s",
        f"SELECT TOP {top} g.Name, COUNT(DISTINCT m.Id) AS Films {tables}, {EDGES[kind]} AS ge, "
        f"[{kind}] AS g WHERE {rest}MATCH(m-(ge)->g) GROUP BY g.Name ORDER BY Films DESC, g.Name",
        wide=True,
    )


def per_years(step: int, *, has: str = "") -> Step:
    """Count films by year, or by so many years."""
    group = "m.ReleaseYear" if step == 1 else f"m.ReleaseYear / {step} * {step}"
    return Step(
        "by year",
        f"SELECT TOP 60 {group} AS Year, COUNT(DISTINCT m.Id) AS Films {asked(has=has)} "
        f"AND m.ReleaseYear IS NOT NULL GROUP BY {group} ORDER BY Year",
        wide=True,
    )


def _pairs(text: str) -> list[tuple[str, str]]:
    parts = [part.partition(":") for part in text.split(";") if part.strip()]
    return [(kind.strip(), words.strip().replace("'", "''")) for kind, _, words in parts]
