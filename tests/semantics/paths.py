"""Graph patterns: which rows MATCH finds, which paths SHORTEST_PATH finds, and what lies along.

Films and characters: 1 and 2 share Luke, 2 and 4 share Ripley. Films and themes: 1, 3 and 8 have
Rebellion and Chosen One, 2 has Rebellion, 4 has Survival.
"""

from semantics.case import Case

PATH = "relational-databases/graphs/sql-graph-shortest-path"
MATCH = "t-sql/queries/match-sql-graph"
LUKE, RIPLEY = "Luke Skywalker", "Ellen Ripley"
STAR_WARS, EMPIRE = "Star Wars", "The Empire Strikes Back"


def along(select: str, times: str = "+", start: str = " AND s.Id = 1") -> str:
    """Return a statement over the paths from film to film by shared characters."""
    return (
        f"SELECT {select} FROM Movie AS s, FEATURES_CHARACTER FOR PATH AS a, "
        "Character FOR PATH AS c, FEATURES_CHARACTER FOR PATH AS b, Movie FOR PATH AS d "
        f"WHERE MATCH(SHORTEST_PATH(s(-(a)->c<-(b)-d){times})){start}"
    )


def graph_path(call: str) -> str:
    return f"{call} WITHIN GROUP (GRAPH PATH)"


LAST = graph_path("LAST_VALUE(d.Id)")
HOPS = graph_path("COUNT(d.Id)")
ROUTE_QUERY = graph_path("STRING_AGG(d.Name, '->')")
BETWEEN = graph_path("STRING_AGG(c.Name, '->')")
LENGTHS = graph_path("STRING_AGG(CONCAT(d.Id, ':', LEN(d.Name)), ' ')")

SEARCH = (
    Case(
        "+ repeats until every node is reached",
        "+ repeats the pattern once or more often",
        PATH,
        along(f"{LAST} AS x, {HOPS} AS h"),
        ((1, 1), (2, 1), (4, 2)),
    ),
    Case(
        "{1,1} goes one repetition far",
        "{1,n} repeats the pattern 1 to n times",
        PATH,
        along(f"{LAST} AS x", "{1,1}"),
        ((1,), (2,)),
    ),
    Case(
        "{1,2} goes two repetitions far",
        "{1,n} repeats the pattern 1 to n times",
        PATH,
        along(f"{LAST} AS x", "{1,2}", " AND s.Id = 4"),
        ((1,), (2,), (4,)),
    ),
    Case(
        "n may be larger than any path is long",
        "the search ends when a shortest path is found, or after n repetitions",
        PATH,
        along(f"{LAST} AS x, {HOPS} AS h", "{1,50}", " AND s.Id = 4"),
        ((1, 2), (2, 1), (4, 1)),
    ),
    Case(
        "the start itself is an end, where a way leads back",
        "paths include loops, whose start and end are one node; a filter leaves them out",
        PATH,
        along(f"{LAST} AS x, {ROUTE_QUERY} AS w", start=" AND s.Id = 2"),
        ((1, STAR_WARS), (2, EMPIRE), (4, "Alien")),
    ),
    Case(
        "a filter around leaves loops out",
        "the last node differs from the start",
        PATH,
        f"SELECT p.x FROM ({along(f's.Id AS s, {LAST} AS x', start=' AND s.Id = 2')}) AS p "
        "WHERE p.x <> p.s",
        ((1,), (4,)),
    ),
    Case(
        "a node without edges begins no path",
        "at least one repetition is passed",
        PATH,
        along(f"{LAST} AS x", start=" AND s.Id = 6"),
        (),
    ),
    Case(
        "one path a pair, also where several are equally short",
        "of several shortest paths between two nodes one is returned",
        PATH,
        "SELECT COUNT(*) AS n FROM (SELECT s.Id FROM Movie AS s, INCLUDES_THEME FOR PATH AS a, "
        "Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS b, Movie FOR PATH AS d "
        "WHERE MATCH(SHORTEST_PATH(s(-(a)->t<-(b)-d)+)) AND s.Id = 1) AS p",
        ((4,),),
    ),
    Case(
        "several starts are searched each on its own",
        "shortest paths lead from several sources to several targets",
        PATH,
        along(f"s.Id, {LAST} AS x, {HOPS} AS h", start=" AND s.Id IN (1, 4)"),
        ((1, 1, 1), (1, 2, 1), (1, 4, 2), (4, 1, 2), (4, 2, 1), (4, 4, 1)),
    ),
    Case(
        "without a condition every node is a start",
        "shortest paths lead from several sources to several targets",
        PATH,
        f"SELECT COUNT(*) AS n, MAX(p.h) AS h FROM ({along(f'{HOPS} AS h', start='')}) AS p",
        ((9, 2),),
    ),
    Case(
        "a path to a given end, the filter around",
        "the last node is compared outside of the SELECT with the path",
        PATH,
        f"SELECT p.w FROM ({along(f'{ROUTE_QUERY} AS w, {LAST} AS x')}) AS p WHERE p.x = 4",
        ((f"{EMPIRE}->Alien",),),
    ),
    Case(
        "an end is compared without regard to case",
        "the comparison of names follows their collation, as everywhere",
        PATH,
        "SELECT p.h FROM ("
        + along(f"{HOPS} AS h, {graph_path('LAST_VALUE(d.Name)')} AS x")
        + ") AS p WHERE p.x = 'ALIEN'",
        ((2,),),
    ),
    Case(
        "paths of exactly two repetitions",
        "the count along the path, compared outside, gives paths of one length",
        PATH,
        f"SELECT p.x FROM ({along(f'{LAST} AS x, {HOPS} AS h', '{1,3}')}) AS p WHERE p.h = 2",
        ((4,),),
    ),
    Case(
        "paths in a CTE that is read twice",
        "the SELECT with the paths is a table like any other",
        PATH,
        f"WITH p AS ({along(f'{LAST} AS x, {HOPS} AS h')}) SELECT p.x, q.x AS y FROM p JOIN p AS q "
        "ON q.h = p.h + 1",
        ((1, 4), (2, 4)),
    ),
    Case(
        "a TOP inside comes before the filter around",
        "TOP cuts the rows of its own SELECT, and the WHERE around sees what is left",
        PATH,
        f"SELECT p.x FROM ({along(f'TOP 1 {LAST} AS x, {HOPS} AS h', '+')} ORDER BY h DESC) AS p "
        "WHERE p.x = 2",
        (),
    ),
    Case(
        "a unit of one hop into another table is passed once",
        "the pattern is one edge and one node; {1,1} passes it once",
        PATH,
        "SELECT s.Id, LAST_VALUE(c.Name) WITHIN GROUP (GRAPH PATH) AS x FROM Movie AS s, "
        "FEATURES_CHARACTER FOR PATH AS a, Character FOR PATH AS c "
        "WHERE MATCH(SHORTEST_PATH(s(-(a)->c){1,1}))",
        ((1, LUKE), (2, LUKE), (2, RIPLEY), (4, RIPLEY)),
    ),
    Case(
        "the anchor may be of any node table",
        "an arbitrary length pattern begins at a node of its anchor's table",
        PATH,
        "SELECT g.Name, LAST_VALUE(h.Name) WITHIN GROUP (GRAPH PATH) AS x FROM Genre AS g, "
        "IN_GENRE FOR PATH AS i, Movie FOR PATH AS m, IN_GENRE FOR PATH AS j, Genre FOR PATH AS h "
        "WHERE MATCH(SHORTEST_PATH(g(<-(i)-m-(j)->h)+)) AND g.Name = 'Horror'",
        (("Horror", "Horror"), ("Horror", "Science Fiction")),
    ),
    Case(
        "the start may be found by its meaning in full text",
        "other predicates are joined to MATCH by AND",
        MATCH,
        along(f"{LAST} AS x, {HOPS} AS h", start=" AND CONTAINS(s.Content, 'empire')"),
        ((1, 1), (2, 1), (4, 2)),
    ),
)

ALONG = (
    Case(
        "STRING_AGG follows the path",
        "the order is that of the path, from what is not repeated on",
        PATH,
        along(f"{ROUTE_QUERY} AS w"),
        ((STAR_WARS,), (EMPIRE,), (f"{EMPIRE}->Alien",)),
    ),
    Case(
        "STRING_AGG of what lies between follows the path too",
        "nodes that the pattern passes are collections in path order",
        PATH,
        "SELECT p.c FROM (" + along(f"{BETWEEN} AS c, {LAST} AS x") + ") AS p WHERE p.x = 4",
        ((f"{LUKE}->{RIPLEY}",),),
    ),
    Case(
        "LAST_VALUE is the node passed last",
        "the last node is the one that appears last on the path, whatever the arrows",
        PATH,
        along(f"{graph_path('LAST_VALUE(d.Name)')} AS x"),
        ((STAR_WARS,), (EMPIRE,), ("Alien",)),
    ),
    Case(
        "LAST_VALUE of a node in the middle of the unit",
        "LAST_VALUE takes any node alias of the pattern",
        PATH,
        "SELECT p.c FROM ("
        + along(f"{graph_path('LAST_VALUE(c.Name)')} AS c, {LAST} AS x")
        + ") AS p WHERE p.x = 4",
        ((RIPLEY,),),
    ),
    Case(
        "LAST_VALUE of NULL is NULL",
        "LAST_VALUE gives the value at the last node",
        PATH,
        "SELECT s.Name, LAST_VALUE(d.ReleaseYear) WITHIN GROUP (GRAPH PATH) AS y, "
        "LAST_VALUE(NULLIF(t.Name, 'Paris')) WITHIN GROUP (GRAPH PATH) AS t FROM Movie AS s, "
        "SET_IN FOR PATH AS a, Setting FOR PATH AS t, SET_IN FOR PATH AS b, Movie FOR PATH AS d "
        "WHERE MATCH(SHORTEST_PATH(s(-(a)->t<-(b)-d)+)) AND s.Id = 5",
        (("Amélie", 2001, None),),
    ),
    Case(
        "COUNT leaves out NULL",
        "COUNT gives the number of values on the path that are not NULL",
        PATH,
        "SELECT p.n, p.h FROM ("
        + along(
            f"{graph_path('COUNT(NULLIF(d.ReleaseYear, 1979))')} AS n, {HOPS} AS h, {LAST} AS x"
        )
        + ") AS p WHERE p.x = 4",
        ((1, 2),),
    ),
    Case(
        "COUNT of an alias with a star counts what the path passes",
        "COUNT supports * with the alias of a node or edge table",
        PATH,
        along(f"{LAST} AS x, {graph_path('COUNT(a.*)')} AS e, {graph_path('COUNT(c.*)')} AS n"),
        ((1, 1, 1), (2, 1, 1), (4, 2, 2)),
    ),
    Case(
        "SUM, MIN and MAX look at every node after the anchor",
        "they aggregate over the nodes that the path passes; the anchor is no part of them",
        PATH,
        "SELECT p.s, p.a, p.z FROM ("
        + along(
            f"{graph_path('SUM(d.ReleaseYear)')} AS s, {graph_path('MIN(d.ReleaseYear)')} AS a, "
            f"{graph_path('MAX(d.ReleaseYear)')} AS z, {LAST} AS x"
        )
        + ") AS p WHERE p.x = 4",
        ((3959, 1979, 1980),),
    ),
    Case(
        "AVG of whole numbers along a path is a whole number",
        "AVG returns the average of the values on the path; of int it is an int",
        PATH,
        "SELECT p.y FROM ("
        + along(f"{graph_path('AVG(d.ReleaseYear)')} AS y, {LAST} AS x")
        + ") AS p WHERE p.x = 4",
        ((1979,),),
    ),
    Case(
        "an expression is computed at every step",
        "aggregates take a value or an expression of what the path passes",
        PATH,
        "SELECT p.w FROM (" + along(f"{LENGTHS} AS w, {LAST} AS x") + ") AS p WHERE p.x = 4",
        (("2:23 4:5",),),
    ),
)

LAST_NODES = (
    Case(
        "a hop goes on from the last node",
        "LAST_NODE chains a plain pattern to the end of a path",
        PATH,
        "SELECT g.Name, LAST_VALUE(d.Id) WITHIN GROUP (GRAPH PATH) AS x FROM Movie AS s, "
        "FEATURES_CHARACTER FOR PATH AS a, Character FOR PATH AS c, "
        "FEATURES_CHARACTER FOR PATH AS b, Movie FOR PATH AS d, IN_GENRE AS i, Genre AS g "
        "WHERE MATCH(SHORTEST_PATH(s(-(a)->c<-(b)-d)+) AND LAST_NODE(d)-(i)->g) AND s.Id = 1",
        (
            ("Horror", 4),
            ("Science Fiction", 1),
            ("Science Fiction", 2),
            ("Science Fiction", 4),
        ),
    ),
    Case(
        "a condition on that hop keeps the paths that end there",
        "people within reach who also like one restaurant",
        PATH,
        "SELECT STRING_AGG(d.Name, '->') WITHIN GROUP (GRAPH PATH) AS w FROM Movie AS s, "
        "FEATURES_CHARACTER FOR PATH AS a, Character FOR PATH AS c, "
        "FEATURES_CHARACTER FOR PATH AS b, Movie FOR PATH AS d, IN_GENRE AS i, Genre AS g "
        "WHERE MATCH(SHORTEST_PATH(s(-(a)->c<-(b)-d){1,3}) AND LAST_NODE(d)-(i)->g) "
        "AND s.Id = 1 AND g.Name = 'Horror'",
        ((f"{EMPIRE}->Alien",),),
    ),
    Case(
        "one path begins where another ends",
        "LAST_NODE chains two arbitrary length patterns",
        PATH,
        "SELECT LAST_VALUE(d.Id) WITHIN GROUP (GRAPH PATH) AS x, LAST_VALUE(n.Id) WITHIN GROUP "
        "(GRAPH PATH) AS y FROM Movie AS s, FEATURES_CHARACTER FOR PATH AS a, "
        "Character FOR PATH AS c, FEATURES_CHARACTER FOR PATH AS b, Movie FOR PATH AS d, "
        "SET_IN FOR PATH AS e, Setting FOR PATH AS p, SET_IN FOR PATH AS f, Movie FOR PATH AS n "
        "WHERE MATCH(SHORTEST_PATH(s(-(a)->c<-(b)-d)+) "
        "AND SHORTEST_PATH(LAST_NODE(d)(-(e)->p<-(f)-n)+)) AND s.Id = 4",
        ((1, 1), (1, 3)),
    ),
    Case(
        "two paths meet at one node",
        "two shortest paths may merge at the same LAST_NODE",
        PATH,
        "SELECT STRING_AGG(d.Name, '->') WITHIN GROUP (GRAPH PATH) AS w, "
        "STRING_AGG(n.Name, '->') WITHIN GROUP (GRAPH PATH) AS v FROM Movie AS s, "
        "FEATURES_CHARACTER FOR PATH AS a, Character FOR PATH AS c, "
        "FEATURES_CHARACTER FOR PATH AS b, Movie FOR PATH AS d, Movie AS r, "
        "SET_IN FOR PATH AS e, Setting FOR PATH AS p, SET_IN FOR PATH AS f, Movie FOR PATH AS n "
        "WHERE MATCH(SHORTEST_PATH(s(-(a)->c<-(b)-d)+) AND SHORTEST_PATH(r(-(e)->p<-(f)-n)+) "
        "AND LAST_NODE(d) = LAST_NODE(n)) AND s.Id = 4 AND r.Id = 3",
        ((f"{EMPIRE}->{STAR_WARS}", STAR_WARS),),
    ),
    Case(
        "two paths from one node, in one SHORTEST_PATH",
        "SHORTEST_PATH takes several patterns joined by AND",
        MATCH,
        "SELECT LAST_VALUE(d.Id) WITHIN GROUP (GRAPH PATH) AS x, LAST_VALUE(n.Id) WITHIN GROUP "
        "(GRAPH PATH) AS y FROM Movie AS s, FEATURES_CHARACTER FOR PATH AS a, "
        "Character FOR PATH AS c, FEATURES_CHARACTER FOR PATH AS b, Movie FOR PATH AS d, "
        "SET_IN FOR PATH AS e, Setting FOR PATH AS p, SET_IN FOR PATH AS f, Movie FOR PATH AS n "
        "WHERE MATCH(SHORTEST_PATH(s(-(a)->c<-(b)-d){1,1} AND s(-(e)->p<-(f)-n)+)) AND s.Id = 1",
        ((1, 1), (1, 3), (2, 1), (2, 3)),
    ),
)

ROUTE_CASES = (
    Case(
        "a hop back by the same edge is found",
        "a pattern joins nodes by edges; nothing says that two edges of it differ",
        MATCH,
        "SELECT n.Id FROM Movie AS m, SET_IN AS e, Setting AS p, SET_IN AS f, Movie AS n "
        "WHERE MATCH(m-(e)->p<-(f)-n) AND m.Id = 5",
        ((5,),),
    ),
    Case(
        "a node may stand in several patterns",
        "node names may be repeated inside MATCH",
        MATCH,
        "SELECT m.Id FROM Movie AS m, SET_IN AS e, Setting AS p, PART_OF_SERIES AS f, Series AS q "
        "WHERE MATCH(m-(e)->p AND m-(f)->q)",
        ((1,),),
    ),
    Case(
        "an arrow may be written from either side",
        "a-(e)->b is b<-(e)-a",
        MATCH,
        "SELECT c.Name FROM Character AS c, FEATURES_CHARACTER AS f, Movie AS m "
        "WHERE MATCH(c<-(f)-m) AND m.Id = 2",
        ((LUKE,), (RIPLEY,)),
    ),
)

CASES = SEARCH + ALONG + LAST_NODES + ROUTE_CASES
