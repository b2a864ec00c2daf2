"""The same questions in each dialect."""

from dataclasses import dataclass

from benchmarks.peers.data import GraphData

ROWS = 50
MISSPELT = "ReleaseYer"
MEANT = "ReleaseYear"
MISSPELT_SQL = {
    "tsql": f"SELECT TOP 5 m.Id, m.{MISSPELT} FROM Movie AS m",
    "sqlite": f"SELECT m.Id, m.{MISSPELT} FROM Movie AS m LIMIT 5",
}


@dataclass(frozen=True, slots=True)
class Join:
    """A three-table join of fifty rows, by dialect."""

    name: str
    tsql: str
    sqlite: str

    def text(self, dialect: str) -> str:
        """Return the statement in a dialect."""
        return self.tsql if dialect == "tsql" else self.sqlite


def joins(data: GraphData) -> tuple[Join, Join]:
    """Return the newest films of the commonest genre, and the first films with their genres."""
    counts: dict[int, int] = {}
    for _, genre in data.edges["IN_GENRE"]:
        counts[genre] = counts.get(genre, 0) + 1
    commonest = max(counts, key=lambda genre: (counts[genre], -genre))
    name = dict(data.nodes["Genre"])[commonest].replace("'", "''")
    return (
        _join("newest of a genre", f"g.Name = '{name}'", "m.ReleaseYear DESC, m.Id"),
        _join("first by id", "", "m.Id, g.Name"),
    )


def _join(name: str, condition: str, order: str) -> Join:
    listed = "m.Id, m.Name, m.ReleaseYear, g.Name AS Genre"
    more = f" AND {condition}" if condition else ""
    return Join(
        name,
        f"SELECT TOP {ROWS} {listed} FROM Movie AS m, IN_GENRE AS e, Genre AS g "
        f"WHERE MATCH(m-(e)->g){more} ORDER BY {order}",
        f"SELECT {listed} FROM Movie AS m JOIN IN_GENRE AS e ON e.from_id = m.Id "
        f"JOIN Genre AS g ON g.Id = e.to_id WHERE 1 = 1{more} ORDER BY {order} LIMIT {ROWS}",
    )


def two_hops(film: int) -> tuple[str, str]:
    """Return T-SQL and Cypher for the films that share most themes with a film."""
    return (
        (
            "SELECT TOP 20 o.Id, o.Name, COUNT(*) AS Shared FROM Movie AS m, INCLUDES_THEME AS a, "
            "Theme AS t, INCLUDES_THEME AS b, Movie AS o WHERE MATCH(m-(a)->t<-(b)-o) "
            f"AND m.Id = {film} AND o.Id <> m.Id GROUP BY o.Id, o.Name ORDER BY Shared DESC, o.Id"
        ),
        (
            f"MATCH (m:Movie {{Id: {film}}})-[:INCLUDES_THEME]->(t:Theme)"
            "<-[:INCLUDES_THEME]-(o:Movie) "
            "WHERE o.Id <> m.Id RETURN o.Id, o.Name, COUNT(*) AS Shared "
            "ORDER BY Shared DESC, o.Id LIMIT 20"
        ),
    )


def shortest(start: int, end: int) -> tuple[str, str]:
    """Return T-SQL and Cypher for the length of a shortest way over themes."""
    return (
        (
            "SELECT d.Hops FROM (SELECT COUNT(o.Id) WITHIN GROUP (GRAPH PATH) AS Hops, "
            "LAST_VALUE(o.Id) WITHIN GROUP (GRAPH PATH) AS Reached FROM Movie AS m, "
            "INCLUDES_THEME FOR PATH AS a, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS b, "
            "Movie FOR PATH AS o WHERE MATCH(SHORTEST_PATH(m(-(a)->t<-(b)-o){1,3})) "
            f"AND m.Id = {start}) AS d WHERE d.Reached = {end}"
        ),
        (
            f"MATCH p = (m:Movie {{Id: {start}}})-[:INCLUDES_THEME* SHORTEST 1..6]-"
            f"(o:Movie {{Id: {end}}}) RETURN length(p)"
        ),
    )
