-- name: a column of the grouped node
-- class: aggregates
-- rules: missing_group
SELECT t.Id, t.Name, COUNT(*) AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY t.Id ORDER BY n DESC
-- meant
SELECT t.Id, t.Name, COUNT(*) AS n FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t WHERE MATCH([m]-([e])->[t]) GROUP BY t.Id, t.Name ORDER BY n DESC

-- name: the row of an extreme
-- class: aggregates
-- unfixable: the latest node is meant, and grouped it would be any node with its own year
SELECT TOP 1 m.Name, MAX(m.ReleaseYear) AS y FROM Movie m

-- name: the row of an extreme by LIMIT
-- class: aggregates
-- unfixable: the earliest nodes are meant
SELECT m.Name, MIN(m.ReleaseYear) AS y FROM Movie m LIMIT 3

-- name: the nearest node by an aggregate
-- class: aggregates
-- unfixable: the nearest node is meant
SELECT TOP (1) m.Name, MIN(VECTOR_DISTANCE('cosine', m.Embedding, @q)) AS d FROM Movie m

-- name: the one group of unsorted ones
-- class: aggregates
-- unfixable: which group is meant is not said
SELECT DISTINCT TOP 1 m.Name, COUNT(*) AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t)

-- name: the row of an extreme in Cypher
-- class: cypher
-- unfixable: the latest node is meant
MATCH (m:Movie)-[:IN_GENRE]->(g:Genre {name: 'Drama'}) RETURN m.name, max(m.year) LIMIT 1

-- name: GROUP BY a position
-- class: aggregates
-- rules: group_position
SELECT m.ReleaseYear AS y, COUNT(*) AS n FROM Movie m GROUP BY 1
-- meant
SELECT m.ReleaseYear AS y, COUNT(*) AS n FROM Movie AS m GROUP BY m.ReleaseYear

-- name: aliases in GROUP BY and HAVING
-- class: aggregates
-- rules: select_alias
SELECT m.ReleaseYear / 10 AS d, COUNT(*) AS n FROM Movie m GROUP BY d HAVING n > 2
-- meant
SELECT m.ReleaseYear / 10 AS d, COUNT(*) AS n FROM Movie AS m GROUP BY m.ReleaseYear / 10 HAVING COUNT(*) > 2

-- name: alias in WHERE
-- class: aggregates
-- rules: select_alias
SELECT m.Id, m.ReleaseYear - 1900 AS age FROM Movie m WHERE age * 2 > 50
-- meant
SELECT m.Id, m.ReleaseYear - 1900 AS age FROM Movie AS m WHERE (m.ReleaseYear - 1900) * 2 > 50

-- name: ORDER BY in a CTE
-- class: aggregates
-- rules: inner_order
WITH a AS (SELECT m.Id FROM Movie m ORDER BY m.Id) SELECT a.Id FROM a ORDER BY a.Id
-- meant
WITH a AS (SELECT m.Id AS Id FROM Movie AS m) SELECT a.Id FROM a ORDER BY a.Id

-- name: select alias
-- class: aggregates
-- rules: select_alias
SELECT COUNT(*) AS n, RANK() OVER (ORDER BY n DESC) AS place, ReleaseYear FROM Movie GROUP BY ReleaseYear
-- meant
SELECT COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*) DESC) AS place, ReleaseYear FROM Movie GROUP BY ReleaseYear

-- name: a column that would split the groups
-- class: aggregates
-- unfixable: it could mean something else
SELECT t.Name, m.ReleaseYear, COUNT(*) AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY t.Name

-- name: a window under OR in WHERE
-- class: aggregates
-- unfixable: it could mean something else
SELECT m.Id, ROW_NUMBER() OVER (ORDER BY m.Id) AS r FROM Movie m WHERE r < 3 OR m.Id = 1

-- name: an aggregate under OR in WHERE
-- class: aggregates
-- unfixable: it could mean something else
SELECT m.ReleaseYear, COUNT(*) AS n FROM Movie m WHERE n > 2 OR m.Id = 1 GROUP BY m.ReleaseYear

-- name: DISTINCT behind TOP
-- class: clauses
-- rules: top_place
SELECT TOP 5 DISTINCT Name FROM Movie
-- meant
SELECT DISTINCT TOP 5 Name FROM Movie

-- name: TOP PERCENT with OFFSET
-- class: clauses
-- unfixable: FETCH takes no share
SELECT TOP 5 PERCENT Name FROM Movie ORDER BY Id OFFSET 2 ROWS

-- name: TOP WITH TIES and OFFSET
-- class: clauses
-- unfixable: FETCH has no ties
SELECT TOP 5 WITH TIES Name FROM Movie ORDER BY Id OFFSET 2 ROWS

-- name: TOP in an arm with an OFFSET of the whole
-- class: clauses
-- unfixable: the OFFSET is that of the UNION
SELECT Name FROM Theme UNION SELECT TOP 5 Name FROM Movie ORDER BY Name OFFSET 2 ROWS

-- name: a condition cut off
-- class: clauses
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE Id >

-- name: TOP and FETCH that differ
-- class: clauses
-- unfixable: it could mean something else
SELECT TOP 3 Name FROM Movie ORDER BY Id OFFSET 2 ROWS FETCH NEXT 5 ROWS ONLY

-- name: unknown column
-- class: columns
-- rules: unknown_column
WITH c AS (SELECT Name AS Title FROM Movie) SELECT Titel FROM c
-- meant
WITH c AS (SELECT Name AS Title FROM Movie) SELECT Title FROM c

-- name: tested condition
-- class: comparisons
-- rules: foreign_dialect
SELECT Name FROM Movie WHERE (Id > 5) IS FALSE
-- meant
SELECT Name FROM Movie WHERE NOT (Id > 5)

-- name: null safe equality
-- class: comparisons
-- rules: foreign_dialect
SELECT Name FROM Movie WHERE ReleaseYear <=> NULL
-- meant
SELECT Name FROM Movie WHERE ReleaseYear IS NULL

-- name: tilde like
-- class: comparisons
-- rules: foreign_dialect
SELECT Id FROM Movie m WHERE m.Name !~~ 'A%'
-- meant
SELECT Id FROM Movie AS m WHERE m.Name NOT LIKE 'A%'

-- name: a test for truth under NOT
-- class: comparisons
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE NOT (Id > 5) IS TRUE

-- name: a chain that turns
-- class: comparisons
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE 1970 <= ReleaseYear > 1980

-- name: a year after a day in it
-- class: concepts
-- unfixable: whether 1990 counts is not said
SELECT m.Name FROM Movie m WHERE m.ReleaseYear > CAST('1990-01-01' AS DATE)

-- name: the month of a year
-- class: concepts
-- unfixable: the graph holds no months
SELECT MONTH(m.ReleaseYear) AS x FROM Movie m

-- name: a foreign key in a FULL JOIN
-- class: concepts
-- unfixable: it could mean something else
SELECT m.Name, g.Name FROM Movie m FULL JOIN Genre g ON m.GenreId = g.Id

-- name: a foreign key under OR in a LEFT JOIN
-- class: concepts
-- unfixable: it could mean something else
SELECT m.Name, g.Name FROM Movie m LEFT JOIN Genre g ON m.GenreId = g.Id OR g.Name = 'War'

-- name: a foreign key under NOT in a LEFT JOIN
-- class: concepts
-- unfixable: it could mean something else
SELECT m.Name, g.Name FROM Movie m LEFT JOIN Genre g ON g.Name = 'War' AND NOT (m.GenreId = g.Id)

-- name: a column of another table compared
-- class: concepts
-- unfixable: it could mean something else
SELECT m.Name FROM Movie m WHERE m.Director = 'X'

-- name: a genre listed
-- class: concepts
-- unfixable: it could mean something else
SELECT m.Name, m.Genre FROM Movie m

-- name: a foreign key without an edge
-- class: concepts
-- unfixable: it could mean something else
SELECT t.Name FROM Theme t JOIN Genre g ON t.GenreId = g.Id

-- name: a system database
-- class: concepts
-- unfixable: it could mean something else
SELECT Name FROM master.dbo.Movie

-- name: a day within a year
-- class: concepts
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE ReleaseDate > '1990-06-01'

-- name: FILTER
-- class: conditional
-- rules: foreign_dialect
SELECT SUM(Id) FILTER (WHERE ReleaseYear < 1980) AS n FROM Movie
-- meant
SELECT SUM(CASE WHEN ReleaseYear < 1980 THEN Id END) AS n FROM Movie

-- name: COUNTIF
-- class: conditional
-- rules: foreign_dialect
SELECT COUNTIF(Id > 3) AS n FROM Movie
-- meant
SELECT COUNT(IIF(Id > 3, 1, NULL)) AS n FROM Movie

-- name: the sum of a comparison
-- class: conditional
-- rules: foreign_dialect
SELECT SUM(Id > 3) AS n FROM Movie
-- meant
SELECT SUM(CASE WHEN Id > 3 THEN 1 ELSE 0 END) AS n FROM Movie

-- name: LATERAL
-- class: conditional
-- rules: foreign_dialect
SELECT m.Name, x.n FROM Movie m LEFT JOIN LATERAL (SELECT COUNT(*) AS n FROM SET_IN s WHERE s.$from_id = m.$node_id) x ON TRUE
-- meant
SELECT m.Name, x.n FROM Movie AS m OUTER APPLY (SELECT COUNT(*) AS n FROM SET_IN AS s WHERE s.$from_id = m.$node_id) AS x

-- name: COUNT DISTINCT of two columns of groups
-- class: conditional
-- unfixable: it could mean something else
SELECT COUNT(DISTINCT Name, Id) AS n FROM Movie GROUP BY ReleaseYear

-- name: a statement
-- class: cypher
-- rules: cypher_statement
MATCH (m:Movie)-[:IN_GENRE]->(g:Genre {Name: 'Drama'}) WHERE m.Name CONTAINS 'a' RETURN m.Name ORDER BY m.Name LIMIT 3
-- meant
SELECT TOP 3 m.Name FROM Movie AS m, Genre AS g, IN_GENRE AS e1 WHERE MATCH(m-(e1)->g) AND g.Name = 'Drama' AND m.Name LIKE '%a%' ORDER BY m.Name

-- name: a backward edge and a count
-- class: cypher
-- rules: cypher_statement
MATCH (t:Theme)<-[:INCLUDES_THEME]-(m:Movie) RETURN t.Name, count(m) AS n ORDER BY n DESC
-- meant
SELECT t.Name, COUNT(*) AS n FROM Theme AS t, Movie AS m, INCLUDES_THEME AS e1 WHERE MATCH(t<-(e1)-m) GROUP BY t.Name ORDER BY n DESC

-- name: two patterns
-- class: cypher
-- rules: cypher_statement
MATCH (m:Movie)-[:IN_GENRE]->(g:Genre), (m)-[:SET_IN]->(s:Setting) RETURN DISTINCT m.Name
-- meant
SELECT DISTINCT m.Name FROM Movie AS m, Genre AS g, Setting AS s, IN_GENRE AS e1, SET_IN AS e2 WHERE MATCH(m-(e1)->g AND m-(e2)->s)

-- name: labels in MATCH
-- class: cypher
-- rules: cypher_pattern
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH((m:Movie)-[e:IN_GENRE]->(g:Genre))
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)

-- name: long arrows
-- class: cypher
-- rules: cypher_pattern
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m--(e)-->g)
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)

-- name: steps of any number
-- class: cypher
-- unfixable: it could mean something else
MATCH (m:Movie)-[:IN_GENRE*1..3]->(g:Genre) RETURN m.Name

-- name: an optional pattern
-- class: cypher
-- unfixable: it could mean something else
OPTIONAL MATCH (m:Movie)-[:IN_GENRE]->(g:Genre) RETURN m.Name

-- name: a regular expression
-- class: cypher
-- unfixable: it could mean something else
MATCH (m:Movie) WHERE m.Name =~ 'S.*' RETURN m.Name

-- name: a change
-- class: cypher
-- unfixable: it could mean something else
MATCH (m:Movie) SET m.Name = 1 RETURN m.Name

-- name: ILIKE is LIKE
-- class: dialect
-- rules: foreign_dialect
SELECT m.Name FROM Movie m WHERE m.Name NOT ILIKE '%ilike%'
-- meant
SELECT m.Name FROM Movie AS m WHERE m.Name NOT LIKE '%ilike%'

-- name: two ampersands are AND
-- class: dialect
-- rules: foreign_dialect
SELECT m.Name FROM Movie m WHERE m.Id > 3 && m.Id < 9
-- meant
SELECT m.Name FROM Movie AS m WHERE m.Id > 3 AND m.Id < 9

-- name: MINUS is EXCEPT
-- class: dialect
-- rules: foreign_dialect
SELECT m.Name FROM Movie m MINUS SELECT m.Name FROM Movie m WHERE m.Id = 3
-- meant
SELECT m.Name FROM Movie AS m EXCEPT SELECT m.Name FROM Movie AS m WHERE m.Id = 3

-- name: bars join a column of unknown type
-- class: dialect
-- rules: foreign_dialect
SELECT c.n || '5' AS t FROM (SELECT COUNT(*) AS n FROM Movie) AS c
-- meant
SELECT CAST(c.n AS NVARCHAR(MAX)) + '5' AS t FROM (SELECT COUNT(*) AS n FROM Movie) AS c

-- name: bars that join strings are T-SQL
-- class: dialect
-- rules: foreign_dialect unknown_tables
SELECT m.Name || ' || ' || m.Content AS t FROM Movies m
-- meant
SELECT m.Name + ' || ' + m.Content AS t FROM Movie AS m

-- name: a joined number is cast
-- class: dialect
-- rules: foreign_dialect
SELECT m.Name || ' ' || m.ReleaseYear AS t FROM Movie m
-- meant
SELECT m.Name + ' ' + CAST(m.ReleaseYear AS NVARCHAR(MAX)) AS t FROM Movie AS m

-- name: TRUE as a condition
-- class: dialect
-- rules: foreign_dialect
SELECT m.Name FROM Movie m WHERE TRUE AND m.Id > 3
-- meant
SELECT m.Name FROM Movie AS m WHERE (1 = 1) AND m.Id > 3

-- name: TRUE and FALSE as values
-- class: dialect
-- rules: foreign_dialect
SELECT CASE WHEN m.Id > 3 THEN TRUE ELSE FALSE END AS b FROM Movie m
-- meant
SELECT CASE WHEN m.Id > 3 THEN 1 ELSE 0 END AS b FROM Movie AS m

-- name: text in double quotes
-- class: dialect
-- rules: double_quoted_text
SELECT m.Name FROM Movie m WHERE m.Name IN ("Jaws", "Ocean's Eleven")
-- meant
SELECT m.Name FROM Movie m WHERE m.Name IN ('Jaws', 'Ocean''s Eleven')

-- name: LIMIT with OFFSET
-- class: dialect
-- rules: foreign_dialect
SELECT m.Name FROM Movie m ORDER BY m.Id LIMIT 10 OFFSET 5;
-- meant
SELECT m.Name FROM Movie AS m ORDER BY m.Id OFFSET 5 ROWS FETCH FIRST 10 ROWS ONLY

-- name: LIMIT with two numbers
-- class: dialect
-- rules: foreign_dialect
SELECT m.Name FROM Movie m ORDER BY m.Id LIMIT 5, 10
-- meant
SELECT m.Name FROM Movie AS m ORDER BY m.Id OFFSET 5 ROWS FETCH FIRST 10 ROWS ONLY

-- name: FETCH without OFFSET
-- class: dialect
-- rules: foreign_dialect
SELECT m.Name FROM Movie m ORDER BY m.Id FETCH FIRST 10 ROWS ONLY
-- meant
SELECT m.Name FROM Movie AS m ORDER BY m.Id OFFSET 0 ROWS FETCH FIRST 10 ROWS ONLY

-- name: NULLS LAST
-- class: dialect
-- rules: foreign_dialect
SELECT m.Name FROM Movie m ORDER BY m.ReleaseYear NULLS LAST
-- meant
SELECT m.Name FROM Movie AS m ORDER BY CASE WHEN m.ReleaseYear IS NULL THEN 1 ELSE 0 END, m.ReleaseYear

-- name: concatenation
-- class: dialect
-- rules: foreign_dialect unknown_column
SELECT m.Name || m.Year || ROUND(m.Id, 0) AS x FROM Movie m
-- meant
SELECT m.Name + CAST(m.ReleaseYear AS NVARCHAR(MAX)) + CAST(ROUND(m.Id, 0) AS NVARCHAR(MAX)) AS x FROM Movie AS m

-- name: a node that is listed
-- class: either
-- unfixable: it could mean something else
SELECT m.Name, g.Name FROM Movie m, IN_GENRE e, Genre g WHERE m.Id = 1 OR MATCH(m-(e)->g)

-- name: rows that are counted
-- class: either
-- unfixable: it could mean something else
SELECT COUNT(*) AS n FROM Movie m, IN_GENRE e, Genre g WHERE m.Id = 1 OR MATCH(m-(e)->g)

-- name: an aggregate in WHERE
-- class: filters
-- rules: aggregate_in_where
SELECT ReleaseYear FROM Movie WHERE COUNT(*) > 1 AND Id > 1 GROUP BY ReleaseYear
-- meant
SELECT ReleaseYear FROM Movie WHERE Id > 1 GROUP BY ReleaseYear HAVING COUNT(*) > 1

-- name: an aggregate BETWEEN in WHERE
-- class: filters
-- rules: aggregate_in_where
SELECT ReleaseYear FROM Movie WHERE COUNT(*) BETWEEN 2 AND 5 AND Id > 3 GROUP BY ReleaseYear
-- meant
SELECT ReleaseYear FROM Movie WHERE Id > 3 GROUP BY ReleaseYear HAVING COUNT(*) BETWEEN 2 AND 5

-- name: an aggregate in WHERE beside CASE with AND and OR
-- class: filters
-- rules: aggregate_in_where
SELECT ReleaseYear FROM Movie WHERE CASE WHEN Id > 3 AND Id < 9 OR Name = 'Alien' THEN 1 ELSE 0 END = 1 AND COUNT(*) > 1 GROUP BY ReleaseYear
-- meant
SELECT ReleaseYear FROM Movie WHERE CASE WHEN Id > 3 AND Id < 9 OR Name = 'Alien' THEN 1 ELSE 0 END = 1 GROUP BY ReleaseYear HAVING COUNT(*) > 1

-- name: QUALIFY
-- class: filters
-- rules: foreign_dialect
SELECT Id, Name FROM Movie QUALIFY RANK() OVER (ORDER BY ReleaseYear) <= 3
-- meant
SELECT Id, Name FROM (SELECT Id AS Id, Name AS Name, RANK() OVER (ORDER BY ReleaseYear) AS _w FROM Movie) AS _t WHERE _w <= 3

-- name: an aggregate under OR
-- class: filters
-- unfixable: it could mean something else
SELECT ReleaseYear FROM Movie WHERE COUNT(*) > 1 OR Id > 1 GROUP BY ReleaseYear

-- name: an aggregate in WHERE beside HAVING with OR
-- class: filters
-- rules: aggregate_in_where
SELECT ReleaseYear FROM Movie WHERE COUNT(*) > 1 AND Id > 3 GROUP BY ReleaseYear HAVING MIN(Id) > 5 OR MAX(Id) > 9
-- meant
SELECT ReleaseYear FROM Movie WHERE Id > 3 GROUP BY ReleaseYear HAVING COUNT(*) > 1 AND (MIN(Id) > 5 OR MAX(Id) > 9)

-- name: double colon
-- class: functions
-- rules: foreign_dialect
SELECT ROUND(AVG(m.Id)::numeric, 1) AS n FROM Movie m
-- meant
SELECT ROUND(AVG(CAST(m.Id AS NUMERIC(18, 4))), 1) AS n FROM Movie AS m

-- name: renamed functions
-- class: functions
-- rules: foreign_dialect
SELECT IFF(Id > 3, 'a', 'b') AS x FROM Movie
-- meant
SELECT IIF(Id > 3, 'a', 'b') AS x FROM Movie

-- name: a default longer than what it stands for
-- class: functions
-- rules: foreign_dialect
SELECT IFNULL(LEFT(Name, 3), 'classic') AS x FROM Movie
-- meant
SELECT COALESCE(LEFT(Name, 3), 'classic') AS x FROM Movie

-- name: a literal of a date in EXTRACT
-- class: functions
-- rules: foreign_dialect
SELECT Name FROM Movie WHERE ReleaseYear > EXTRACT(YEAR FROM DATE '2000-01-01')
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > DATEPART(YEAR, CAST('2000-01-01' AS DATE))

-- name: a median of groups that are not listed
-- class: gathered
-- unfixable: it could mean something else
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY g.Id) AS mid FROM Genre g GROUP BY g.Name

-- name: JSON of a column with NULL
-- class: gathered
-- unfixable: it could mean something else
SELECT JSON_AGG(m.Content) AS texts FROM Movie m

-- name: an extreme beside another condition
-- class: gathered
-- unfixable: it could mean something else
SELECT m.Name FROM Movie m WHERE m.ReleaseYear = MAX(m.ReleaseYear) AND m.Id > 3

-- name: wrong arrow
-- class: graph
-- rules: turned_arrow
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(g-(e)->m)
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH([g]<-([e])-[m])

-- name: wrong way back
-- class: graph
-- rules: turned_arrow
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m<-(e)-g)
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH([m]-([e])->[g])

-- name: no head
-- class: graph
-- rules: match_shape
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)-g)
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)

-- name: edge in brackets
-- class: graph
-- rules: cypher_pattern
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-[e]->g)
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)

-- name: nodes in parentheses
-- class: graph
-- rules: cypher_pattern
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH((m)-(e)->(g))
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)

-- name: both
-- class: graph
-- rules: cypher_pattern
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH((g)<-[e]-(m)) AND g.Name = 'War'
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(g<-(e)-m) AND g.Name = 'War'

-- name: edge named by its table
-- class: graph
-- rules: missing_edge
SELECT m.Name FROM Movie m, Genre g WHERE MATCH(m-(IN_GENRE)->g)
-- meant
SELECT m.Name FROM dbo.IN_GENRE AS e1, Movie AS m, Genre AS g WHERE MATCH([m]-([e1])->[g])

-- name: the only edge between its ends
-- class: graph
-- rules: missing_edge
SELECT m.Name FROM Movie m, Genre g WHERE MATCH(g<-(e)-m)
-- meant
SELECT m.Name FROM dbo.IN_GENRE AS e, Movie AS m, Genre AS g WHERE MATCH([g]<-([e])-[m])

-- name: by alias
-- class: graph
-- rules: missing_edge
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(IN_GENRE)->g)
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH([m]-([e])->[g])

-- name: node that only MATCH names
-- class: graph
-- rules: missing_node
SELECT m.Name FROM Movie m, IN_GENRE e WHERE MATCH(m-(e)->g) AND g.Name = 'War'
-- meant
SELECT m.Name FROM dbo.Genre AS g, Movie AS m, IN_GENRE AS e WHERE MATCH([m]-([e])->[g]) AND g.Name = 'War'

-- name: node of the outer query
-- class: graph
-- rules: missing_node
SELECT m.Name FROM Movie m WHERE NOT EXISTS (SELECT 1 FROM IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND g.Name = 'War')
-- meant
SELECT m.Name FROM Movie AS m WHERE NOT EXISTS(SELECT 1 FROM dbo.Movie AS m1, IN_GENRE AS e, Genre AS g WHERE MATCH([m1]-([e])->[g]) AND g.Name = 'War' AND m1.Id = m.Id)

-- name: made-up edge with the right ends
-- class: graph
-- rules: unknown_tables
SELECT m.Name FROM Movie m, HAS_THEME e, Theme t WHERE MATCH(m-(e)->t)
-- meant
SELECT m.Name FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t WHERE MATCH([m]-([e])->[t])

-- name: MATCH among joins
-- class: graph
-- rules: match_with_join
SELECT m.Name FROM Movie m JOIN IN_GENRE e ON 1 = 1 JOIN Genre g ON g.Id > 0 WHERE MATCH(m-(e)->g) ORDER BY m.Id
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH([m]-([e])->[g]) AND g.Id > 0 ORDER BY m.Id

-- name: MATCH in ON keeps an OR together
-- class: graph
-- rules: match_with_join
SELECT m.Name FROM Movie m INNER JOIN IN_GENRE e ON MATCH(m-(e)->g) CROSS JOIN Genre g WHERE g.Name = 'War' OR g.Name = 'Drama'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE (g.Name = 'War' OR g.Name = 'Drama') AND MATCH([m]-([e])->[g])

-- name: an OR in ON keeps together beside MATCH
-- class: graph
-- rules: match_with_join
SELECT m.Name FROM Movie m, IN_GENRE e JOIN Genre g ON g.Name = 'Horror' OR g.Name = 'War' WHERE MATCH(m-(e)->g)
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH([m]-([e])->[g]) AND (g.Name = 'Horror' OR g.Name = 'War')

-- name: an edge to another kind
-- class: graph
-- unfixable: it could mean something else
SELECT m.Name FROM Movie m, IN_GENRE e, Theme t WHERE MATCH(m-(e)->t)

-- name: an edge of another meaning
-- class: graph
-- unfixable: it could mean something else
SELECT m.Name FROM Movie m, DIRECTED_BY e, Character c WHERE MATCH(m-(e)->c)

-- name: an outer join
-- class: graph
-- unfixable: it could mean something else
SELECT m.Name FROM Movie m LEFT JOIN IN_GENRE e ON MATCH(m-(e)->g), Genre g

-- name: no such edge
-- class: graph
-- unfixable: it could mean something else
SELECT a.Name FROM Movie a, Movie b WHERE MATCH(a-(e)->b)

-- name: MATCH under OR with a node of its own
-- class: graph
-- unfixable: it could mean something else
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) OR g.Name = 'War'

-- name: a node under two names
-- class: graph
-- unfixable: it could mean something else
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->x) AND g.Name = 'War'

-- name: keys in a join in parentheses
-- class: keys
-- rules: edge_keys unknown_column
SELECT m.Name, s.Title FROM Movie AS m LEFT JOIN (PART_OF_SERIES AS p JOIN Series AS s ON s.Id = p.SeriesId) ON p.MovieId = m.Id
-- meant
SELECT m.Name, s.Name FROM Movie AS m LEFT JOIN (PART_OF_SERIES AS p JOIN Series AS s ON s.$node_id = p.$to_id) ON p.$from_id = m.$node_id

-- name: a bare key beside two tables
-- class: keys
-- unfixable: it could mean something else
SELECT m.Name FROM Movie m JOIN IN_GENRE e ON e.$from_id = m.$node_id WHERE Id IN (SELECT $from_id FROM SET_IN)

-- name: two nodes that would stand at one end
-- class: keys
-- unfixable: it could mean something else
SELECT b.Name FROM Movie a JOIN IN_GENRE e ON e.$from_id = a.$node_id JOIN Movie b ON b.$node_id = e.$to_id

-- name: two edges that meet at the end where a node would stand
-- class: keys
-- unfixable: it could mean something else
SELECT n.Name FROM Movie m JOIN INCLUDES_THEME e ON e.$to_id = m.$node_id JOIN INCLUDES_THEME f ON f.$from_id = e.$from_id JOIN Movie n ON n.$node_id = f.$to_id WHERE m.Id = 3

-- name: one node at both ends
-- class: keys
-- unfixable: it could mean something else
SELECT m.Name FROM Movie m JOIN IN_GENRE e ON e.$from_id = m.$node_id WHERE e.$to_id = m.$node_id

-- name: the end of an edge that leaves what a subquery of edges selects
-- class: keys
-- unfixable: it could mean something else
SELECT m.Name FROM Movie m WHERE m.$node_id IN (SELECT e.$to_id FROM IN_GENRE e WHERE e.$from_id IN (SELECT f.$from_id FROM SET_IN f))

-- name: an edge of other kinds by its ends
-- class: keys
-- unfixable: it could mean something else
SELECT COUNT(*) AS n FROM Movie m WHERE NOT EXISTS (SELECT 1 FROM IN_GENRE e JOIN Setting s ON s.$node_id = e.$to_id WHERE e.$from_id = m.$node_id)

-- name: a head of another length
-- class: listing
-- unfixable: it could mean something else
SELECT STUFF((SELECT ', ' + g.Name FROM Genre g FOR XML PATH('')), 1, 1, '') AS x

-- name: elements
-- class: listing
-- unfixable: it could mean something else
SELECT STUFF((SELECT ', ' + g.Name FROM Genre g FOR XML PATH('g')), 1, 2, '') AS x

-- name: a derived table without a name
-- class: lists
-- rules: derived_alias
SELECT Name FROM (SELECT Name FROM Movie)
-- meant
SELECT Name FROM (SELECT Name AS Name FROM Movie) AS d1

-- name: IS with a value
-- class: lists
-- rules: foreign_dialect
SELECT Name FROM Movie WHERE Id IS NOT 3
-- meant
SELECT Name FROM Movie WHERE Id IS DISTINCT FROM 3

-- name: plural
-- class: names
-- rules: unknown_tables
SELECT m.Name FROM Movies m
-- meant
SELECT m.Name FROM Movie AS m

-- name: typo of a table
-- class: names
-- rules: unknown_tables
SELECT s.Name FROM Settting s
-- meant
SELECT s.Name FROM Setting AS s

-- name: plural of an edge
-- class: names
-- rules: unknown_tables
SELECT m.Name FROM Movie m, features_characters f, Character c WHERE MATCH(m-(f)->c)
-- meant
SELECT m.Name FROM Movie AS m, FEATURES_CHARACTER AS f, Character AS c WHERE MATCH([m]-([f])->[c])

-- name: table of CONTAINSTABLE
-- class: names
-- rules: unknown_tables
SELECT TOP 5 k.[KEY] FROM CONTAINSTABLE(Movies, Name, 'war') AS k
-- meant
SELECT TOP 5 k.[KEY] FROM CONTAINSTABLE(Movie, Name, 'war') AS k

-- name: table where its alias belongs
-- class: names
-- rules: table_as_alias
SELECT Movie.Name FROM Movie m WHERE Movie.Id = 3
-- meant
SELECT m.Name FROM Movie AS m WHERE m.Id = 3

-- name: Title
-- class: names
-- rules: unknown_column
SELECT m.Title FROM Movie m
-- meant
SELECT m.Name FROM Movie AS m

-- name: Plot, wherever it stands
-- class: names
-- rules: unknown_column
SELECT m.Name, m.plot FROM Movie m WHERE m.Plot LIKE '%Plot%'
-- meant
SELECT m.Name, m.Content FROM Movie AS m WHERE m.Content LIKE '%Plot%'

-- name: Year
-- class: names
-- rules: unknown_column
SELECT m.Name FROM Movie m WHERE m.Year > 1999
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear > 1999

-- name: underscore
-- class: names
-- rules: unknown_column
SELECT m.Name FROM Movie m WHERE m.release_year > 1999
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear > 1999

-- name: keys that an edge does not have
-- class: names
-- rules: edge_keys
SELECT m.Name FROM Movie m JOIN SET_IN e ON e.MovieId = m.Id JOIN Setting s ON s.Id = e.setting_id
-- meant
SELECT m.Name FROM Movie AS m JOIN SET_IN AS e ON e.$from_id = m.$node_id JOIN Setting AS s ON s.$node_id = e.$to_id

-- name: unknown tables 2
-- class: names
-- rules: unknown_tables
WITH old_films AS (SELECT Id FROM Movie) SELECT o.Id FROM old_film o
-- meant
WITH old_films AS (SELECT Id AS Id FROM Movie) SELECT o.Id FROM old_films AS o

-- name: unknown tables 3
-- class: names
-- rules: unknown_tables
SELECT l.Name FROM Locations l
-- meant
SELECT l.Name FROM Setting AS l

-- name: a column that nothing resembles
-- class: names
-- unfixable: it could mean something else
SELECT m.Director FROM Movie m

-- name: a table that nothing resembles
-- class: names
-- unfixable: it could mean something else
SELECT p.Name FROM Person p

-- name: what the graph does not hold
-- class: names
-- unfixable: it could mean something else
SELECT m.Rating FROM Movie m

-- name: a system table
-- class: names
-- unfixable: it could mean something else
SELECT o.name FROM sys.objects o

-- name: another database
-- class: names
-- unfixable: it could mean something else
SELECT m.Name FROM Archive.dbo.Movie m

-- name: a word that fits two tables
-- class: names
-- unfixable: it could mean something else
SELECT Description FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)

-- name: an alias compared with the only table
-- class: names
-- unfixable: it could mean something else
SELECT b.Name FROM Movie m WHERE b.ReleaseYear > m.ReleaseYear

-- name: people, whom the graph does not hold
-- class: names
-- unfixable: it could mean something else
SELECT p.Name FROM Person p

-- name: two columns unlisted behind a name
-- class: orders
-- unfixable: the least year and the least plot of films of one name need not be of one film
SELECT DISTINCT m.Name FROM Movie m ORDER BY m.ReleaseYear, m.Content

-- name: an order beside an unknown column
-- class: orders
-- unfixable: it could mean something else
SELECT TOP 3 COUNT(*) AS n FROM (SELECT TOP 5 Id FROM Movie ORDER BY Id) x WHERE x.Nothing = 1

-- name: DISTINCT sorted by another table
-- class: orders
-- unfixable: it could mean something else
SELECT DISTINCT t.Name FROM Theme t, INCLUDES_THEME e, Movie m WHERE MATCH(m-(e)->t) ORDER BY m.ReleaseYear

-- name: two vectors
-- class: parameters
-- unfixable: it could mean something else
DECLARE @a VECTOR(3), @b VECTOR(3); SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', @a, @b)

-- name: a value that is computed
-- class: parameters
-- unfixable: it could mean something else
DECLARE @a INT = YEAR(GETDATE()) - 10; SELECT Name FROM Movie WHERE ReleaseYear > @a

-- name: a negative value behind a minus
-- class: parameters
-- unfixable: a literal would have a different type
DECLARE @shift INT = -10; SELECT COUNT(*) AS n FROM Movie WHERE ReleaseYear = 1989 -@shift AND Name LIKE 'Alien%'

-- name: a whole number declared as FLOAT
-- class: parameters
-- unfixable: a literal would have a different type
DECLARE @total FLOAT = 100; SELECT ReleaseYear, COUNT(*) / @total AS share FROM Movie GROUP BY ReleaseYear

-- name: a fraction declared as INT
-- class: parameters
-- unfixable: a literal would have a different type
DECLARE @a INT = 3.7, @d DATE = '2020-01-01'; SELECT @a AS a, YEAR(@d) AS y

-- name: a count of rows that is no INT
-- class: parameters
-- unfixable: a literal would have a different type
DECLARE @n BIGINT = 5; SELECT TOP (@n) Name FROM Movie WHERE Id > @n ORDER BY Id

-- name: a value of the graph with its type
-- class: parameters
-- unfixable: a literal would have a different type
DECLARE @m FLOAT = (SELECT MAX(Id) FROM Movie); SELECT Name FROM Movie WHERE Id / @m > 0.9

-- name: a text without a length
-- class: parameters
-- unfixable: T-SQL keeps its first character only
DECLARE @s NVARCHAR = N'classic'; SELECT Name FROM Movie WHERE Name = @s

-- name: a value set anew from itself
-- class: parameters
-- unfixable: it could mean something else
DECLARE @a INT = 1; SET @a = @a + 1; SELECT Name FROM Movie WHERE Id = @a

-- name: a vector of two texts
-- class: parameters
-- unfixable: it could mean something else
DECLARE @v VECTOR(3) = EMBED('a model', 'a text'); SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @v)

-- name: wrong arrow behind the anchor
-- class: paths
-- rules: turned_arrow
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(<-(e)-g<-(f)-b)+))
-- meant
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie AS a, IN_GENRE FOR PATH AS e, Genre FOR PATH AS g, IN_GENRE FOR PATH AS f, dbo.Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH([a](-([e])->[g]<-([f])-[b])+))

-- name: wrong arrow on the way back
-- class: paths
-- rules: turned_arrow
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->g-(f)->b){1,3}))
-- meant
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie AS a, IN_GENRE FOR PATH AS e, Genre FOR PATH AS g, IN_GENRE FOR PATH AS f, dbo.Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH([a](-([e])->[g]<-([f])-[b]){1,3}))

-- name: wrong arrow from the last node
-- class: paths
-- rules: turned_arrow
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b, SET_IN i, Setting s WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+) AND LAST_NODE(b)<-(i)-s)
-- meant
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie AS a, IN_GENRE FOR PATH AS e, Genre FOR PATH AS g, IN_GENRE FOR PATH AS f, dbo.Movie FOR PATH AS b, SET_IN AS i, Setting AS s WHERE MATCH(SHORTEST_PATH([a](-([e])->[g]<-([f])-[b])+) AND LAST_NODE([b])-([i])->[s])

-- name: wrong arrow to the last node
-- class: paths
-- rules: turned_arrow
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b, SET_IN i, Setting s WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+) AND s-(i)->LAST_NODE(b))
-- meant
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie AS a, IN_GENRE FOR PATH AS e, Genre FOR PATH AS g, IN_GENRE FOR PATH AS f, dbo.Movie FOR PATH AS b, SET_IN AS i, Setting AS s WHERE MATCH(SHORTEST_PATH([a](-([e])->[g]<-([f])-[b])+) AND [s]<-([i])-LAST_NODE([b]))

-- name: edges in brackets
-- class: paths
-- rules: cypher_pattern
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-[e]->g<-[f]-b)+))
-- meant
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+))

-- name: REGEXP
-- class: regular
-- rules: foreign_dialect
SELECT Name FROM Movie WHERE Name REGEXP '^Star'
-- meant
SELECT Name FROM Movie WHERE REGEXP_LIKE(Name, '^Star', 'i')

-- name: a tilde
-- class: regular
-- rules: foreign_dialect
SELECT Name FROM Movie WHERE Name ~* 'star|dune'
-- meant
SELECT Name FROM Movie WHERE REGEXP_LIKE(Name, 'star|dune', 'i')

-- name: NOT REGEXP
-- class: regular
-- rules: foreign_dialect
SELECT Name FROM Movie WHERE Name NOT REGEXP 'star|dune'
-- meant
SELECT Name FROM Movie WHERE NOT REGEXP_LIKE(Name, 'star|dune', 'i')

-- name: a real regular expression
-- class: regular
-- rules: foreign_dialect
SELECT Name FROM Movie WHERE Name NOT REGEXP '^S.*[0-9]+$'
-- meant
SELECT Name FROM Movie WHERE NOT REGEXP_LIKE(Name, '^S.*[0-9]+$', 'i')

-- name: DECODE
-- class: regular
-- rules: foreign_dialect
SELECT DECODE(Id, 1, 'a', 2, 'b') AS n FROM Movie
-- meant
SELECT CASE WHEN Id = 1 THEN 'a' WHEN Id = 2 THEN 'b' END AS n FROM Movie

-- name: STARTS_WITH
-- class: regular
-- rules: foreign_dialect
SELECT Name FROM Movie WHERE STARTS_WITH(Name, 'Star')
-- meant
SELECT Name FROM Movie WHERE Name LIKE 'Star%'

-- name: null-safe equality
-- class: regular
-- rules: foreign_dialect
SELECT Name FROM Movie WHERE Id <=> 3
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: LIMIT in a CTE
-- class: regular
-- rules: foreign_dialect
WITH a AS (SELECT Id FROM Movie ORDER BY ReleaseYear LIMIT 4) SELECT Id FROM a
-- meant
WITH a AS (SELECT TOP 4 Id AS Id FROM Movie ORDER BY ReleaseYear) SELECT Id FROM a

-- name: FROM DUAL
-- class: regular
-- rules: foreign_dialect
SELECT 1 AS one FROM DUAL
-- meant
SELECT 1 AS one

-- name: TO_CHAR of a number
-- class: regular
-- rules: foreign_dialect
SELECT TO_CHAR(ReleaseYear) AS y FROM Movie
-- meant
SELECT CAST(ReleaseYear AS NVARCHAR(MAX)) AS y FROM Movie

-- name: division that keeps its fraction
-- class: regular
-- unfixable: it could mean something else
SELECT 7.5 DIV 2 AS d FROM Movie

-- name: ROWNUM under an order
-- class: regular
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE ROWNUM <= 5 ORDER BY Id

-- name: AGAINST
-- class: searches
-- rules: match_against
SELECT Name FROM Movie WHERE MATCH(Name, Content) AGAINST('desert planet')
-- meant
SELECT Name FROM Movie WHERE FREETEXT((Name, Content), 'desert planet')

-- name: to_tsquery
-- class: searches
-- unfixable: the message names what to write
SELECT Name FROM Movie WHERE to_tsvector('english', Content) @@ to_tsquery('english', 'desert & !farm | ship:*')

-- name: phraseto_tsquery
-- class: searches
-- unfixable: the message names what to write
SELECT Name FROM Movie m WHERE to_tsvector(m.Content) @@ phraseto_tsquery('desert planet')

-- name: websearch_to_tsquery
-- class: searches
-- unfixable: the message names what to write
SELECT Name FROM Movie WHERE Content @@ websearch_to_tsquery('"desert planet" or ship -farm')

-- name: expansion
-- class: searches
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE MATCH(Content) AGAINST('planet' WITH QUERY EXPANSION)

-- name: required and optional words
-- class: searches
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE MATCH(Content) AGAINST('+planet farm' IN BOOLEAN MODE)

-- name: fence
-- class: syntax
-- rules: code_fence
Sure! Try this:
```sql
SELECT m.Name FROM Movie m WHERE m.Id IN (1, 2)
```
It lists two.
-- meant
SELECT m.Name FROM Movie m WHERE m.Id IN (1, 2)

-- name: label
-- class: syntax
-- rules: prose_before
Here is the query: SELECT m.Name FROM Movie m WHERE m.Id IN (1, 2)
-- meant
SELECT m.Name FROM Movie m WHERE m.Id IN (1, 2)

-- name: RECURSIVE without recursion
-- class: syntax
-- rules: foreign_dialect
WITH RECURSIVE a AS (SELECT m.Id FROM Movie m) SELECT a.Id FROM a
-- meant
WITH a AS (SELECT m.Id AS Id FROM Movie AS m) SELECT a.Id FROM a

-- name: RECURSIVE with columns, without recursion
-- class: syntax
-- rules: foreign_dialect
WITH RECURSIVE a(n) AS (SELECT m.Id FROM Movie m) SELECT a.n FROM a
-- meant
WITH a(n) AS (SELECT m.Id FROM Movie AS m) SELECT a.n FROM a

-- name: escaped apostrophe
-- class: syntax
-- rules: escaped_apostrophe
SELECT Id FROM Movie WHERE Name = 'Schindler\'s List'
-- meant
SELECT Id FROM Movie WHERE Name = 'Schindler''s List'

-- name: recursive word
-- class: syntax
-- rules: foreign_dialect
WITH a AS NOT MATERIALIZED (SELECT Id FROM Movie) SELECT Id FROM a
-- meant
WITH a AS (SELECT Id AS Id FROM Movie) SELECT Id FROM a

-- name: a statement before
-- class: syntax
-- unfixable: it could mean something else
DELETE FROM Movie; SELECT m.Id FROM Movie m

-- name: a statement behind
-- class: syntax
-- unfixable: it could mean something else
SELECT m.Id FROM Movie m; DROP TABLE Movie

-- name: a statement as a label
-- class: syntax
-- unfixable: it could mean something else
DROP TABLE Movie:
SELECT m.Id FROM Movie m

-- name: a parenthesis that may close in two places
-- class: syntax
-- unfixable: it could mean something else
SELECT m.Id FROM Movie m WHERE (m.Id = 1 OR m.Id = 2 AND m.Name = 'x'

-- name: an open text
-- class: syntax
-- unfixable: the message names what to write
SELECT m.Id FROM Movie m WHERE m.Name = 'Jaws

-- name: a parenthesis whose opening may be missing
-- class: syntax
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE Id = 1 OR Id = 2) AND LEN(Name) > 3

-- name: query parameter
-- class: vectors
-- rules: query_parameter vector_functions
SELECT TOP 3 Id FROM Movie ORDER BY Embedding <=> :q
-- meant
SELECT TOP 3 Id FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- name: cast query
-- class: vectors
-- rules: cast_query
SELECT TOP 3 Id FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, CAST(@q AS VECTOR(384)))
-- meant
SELECT TOP 3 Id FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- name: DISTINCT ON without an order within
-- class: windowed
-- unfixable: it could mean something else
SELECT DISTINCT ON (m.ReleaseYear) m.ReleaseYear, m.Name FROM Movie m ORDER BY m.ReleaseYear

-- name: a window under OR
-- class: windowed
-- unfixable: it could mean something else
SELECT m.Id FROM Movie m QUALIFY ROW_NUMBER() OVER (ORDER BY m.Id) = 1 OR m.Id = 5

-- name: breaks written out
-- class: wrapping
-- rules: escaped_breaks
SELECT Name\nFROM Movie\r\nWHERE Id = 1
-- meant
SELECT Name
FROM Movie
WHERE Id = 1

-- name: division by // of a product that is not whole
-- class: operators
-- unfixable: it is no division of whole numbers
SELECT Id * 1.5 // 2 AS x FROM Movie

-- name: division by // of columns of unknown type
-- class: operators
-- unfixable: it may be no division of whole numbers
SELECT a // b AS x FROM (SELECT 7 AS a, 2 AS b) AS t

-- name: division by // of a misspelt column
-- class: operators
-- unfixable: it is no comment
SELECT Id // ReleseYear AS x
FROM Movie

-- name: exclusive or
-- class: operators
-- unfixable: it is no comment
SELECT 5 # 3 AS x

-- name: a comment that would take the rest of the one line
-- class: wrapping
-- unfixable: where the comment ends is not said
SELECT Name FROM Movie // the films WHERE Id = 1

-- name: a clause behind an empty line
-- class: wrapping
-- rules: foreign_dialect
SELECT Name FROM Movie

Where Id == 1
-- meant
SELECT Name FROM Movie WHERE Id = 1

-- name: a setting that changes how dates are read
-- class: wrapping
-- unfixable: dates are read by month, day and year
SET DATEFORMAT dmy; SELECT Name FROM Movie WHERE Id = 1

-- name: backticks 2
-- class: wrapping
-- rules: foreign_dialect
SELECT `m`.`Name`, `m`.`Id` AS `order` FROM `Movie` AS `m` WHERE TRUE
-- meant
SELECT [m].[Name], [m].[Id] AS [order] FROM [Movie] AS [m] WHERE (1 = 1)

-- name: two statements in JSON
-- class: wrapping
-- unfixable: it could mean something else
["SELECT Name FROM Movie", "SELECT Name FROM Genre"]

-- name: a harmful line below
-- class: wrapping
-- unfixable: it could mean something else
SELECT Name FROM Movie;

This removes all:
DROP TABLE Movie

-- name: a harmful statement in front
-- class: wrapping
-- unfixable: it could mean something else
DROP TABLE Movie; SELECT Name FROM Movie

-- name: a login in front
-- class: wrapping
-- unfixable: it could mean something else
EXECUTE AS LOGIN = 'sa'; SELECT Name FROM Movie

-- name: a second statement
-- class: wrapping
-- unfixable: it could mean something else
SELECT Name FROM Movie; SELECT Name FROM Genre

-- name: settings and GO
-- class: wrapping
-- rules: harmless_preamble
USE films;
GO
SET NOCOUNT ON;
SELECT Name FROM Movie
-- meant

SELECT Name FROM Movie

-- name: a word beside a number
-- class: comparisons
-- unfixable: it could mean something else
SELECT Id FROM Movie WHERE ReleaseYear = Dune

-- name: a parameter of Python for a pattern
-- class: comparisons
-- unfixable: what the parameter stands for is not known
SELECT Name FROM Movie WHERE Name LIKE %s

-- name: the operator of ILIKE with a bracket
-- class: comparisons
-- rules: foreign_dialect
SELECT Name FROM Movie WHERE Name !~~* '%[REC]%'
-- meant
SELECT Name FROM Movie WHERE Name NOT LIKE '%[[]REC]%'

-- name: a left join without ON
-- class: joins
-- unfixable: it could mean something else
SELECT a.Name FROM Movie a LEFT JOIN Series s WHERE a.Name = s.Name

-- name: a dollar before the parameter
-- class: vectors
-- rules: query_parameter
SELECT TOP 3 m.Id FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, $q), m.Id
-- meant
SELECT TOP 3 m.Id FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q), m.Id

-- name: a number behind a column
-- class: slips
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE ReleaseYear 1999 AND Id > 3

-- name: AND or OR left out
-- class: slips
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE Id = 1 OR Id = 2 Name = 'Alien'

-- name: AND and OR before a closing parenthesis
-- class: slips
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE Id > 3 AND Id = 1 OR Id = 2) AND ReleaseYear > 1990

-- name: a product left open
-- class: slips
-- unfixable: it could mean something else
SELECT (ReleaseYear - 1900 * 2 AS n FROM Movie

-- name: a text without its end
-- class: slips
-- unfixable: the message names what to write
SELECT Name FROM Movie WHERE Name LIKE '%War% AND ReleaseYear > 1990

-- name: a text without its beginning
-- class: slips
-- unfixable: the message names what to write
SELECT Name FROM Movie WHERE Name = Blade Runner' AND ReleaseYear > 1980

-- name: a condition compared with TRUE
-- class: truths
-- rules: foreign_dialect
SELECT Name FROM Movie WHERE (Id > 3) = TRUE AND (ReleaseYear > 1990) = FALSE
-- meant
SELECT Name FROM Movie WHERE (Id > 3) AND NOT (ReleaseYear > 1990)

-- name: NULL compared by signs
-- class: truths
-- rules: foreign_dialect
SELECT Name FROM Movie WHERE ReleaseYear == NULL OR Content <> NULL
-- meant
SELECT Name FROM Movie WHERE ReleaseYear IS NULL OR NOT Content IS NULL

-- name: a day in the middle of a year
-- class: concepts
-- unfixable: it could mean something else
SELECT m.Name, m.release_date FROM Movie m WHERE m.release_date > '1990-05-17'

-- name: a text for a missing number
-- class: bare
-- rules: foreign_dialect
SELECT Name, NVL(ReleaseYear, 'unknown') AS y FROM Movie
-- meant
SELECT Name, COALESCE(CAST(ReleaseYear AS NVARCHAR(MAX)), 'unknown') AS y FROM Movie

-- name: a parameter
-- class: cypher
-- unfixable: what the parameter stands for is not known
MATCH (m:Movie) WHERE m.name = $name RETURN m.name

-- name: a parameter as a property
-- class: cypher
-- unfixable: what the parameter stands for is not known
MATCH (m:Movie {name: $name}) RETURN m.name

-- name: a property that is no literal
-- class: cypher
-- unfixable: what the parameter stands for is not known
MATCH (m:Movie {name: title, id: 3}) RETURN m.name

-- name: a parameter in a pattern of MATCH
-- class: cypher
-- unfixable: what the parameter stands for is not known
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH((m {name: $name})-(e)->(g))

-- name: two paths over one kind of edge
-- class: cypher
-- rules: cypher_statement
MATCH (m:Movie)-[:IN_GENRE]->(g:Genre {name: 'Drama'}), (m)-[:IN_GENRE]->(h:Genre) RETURN h.name, count(m) AS n
-- meant
SELECT h.name, COUNT(*) AS n FROM Movie AS m, Genre AS g, Genre AS h, IN_GENRE AS e1, IN_GENRE AS e2 WHERE MATCH(m-(e1)->g AND m-(e2)->h) AND g.name = 'Drama' AND e1.$edge_id <> e2.$edge_id GROUP BY h.name

-- name: two MATCH over one kind of edge
-- class: cypher
-- rules: cypher_statement
MATCH (m:Movie)-[:IN_GENRE]->(g:Genre {name: 'Drama'}) MATCH (m)-[:IN_GENRE]->(h:Genre) RETURN h.name
-- meant
SELECT h.name FROM Movie AS m, Genre AS g, Genre AS h, IN_GENRE AS e1, IN_GENRE AS e2 WHERE MATCH(m-(e1)->g AND m-(e2)->h) AND g.name = 'Drama'

-- name: edges that are not named
-- class: cypher
-- rules: cypher_statement missing_edge
MATCH (a:Movie)-->(t:Theme)<--(b:Movie) RETURN b.Name
-- meant
SELECT b.Name FROM dbo.INCLUDES_THEME AS e2, dbo.INCLUDES_THEME AS e1, Movie AS a, Theme AS t, Movie AS b WHERE MATCH([a]-([e1])->[t]<-([e2])-[b]) AND e1.$edge_id <> e2.$edge_id

-- name: one edge at two places
-- class: cypher
-- unfixable: it could mean something else
MATCH (a:Movie)-[e:IN_GENRE]->(g:Genre), (b:Movie)-[e:IN_GENRE]->(g) RETURN a.Name, b.Name

-- name: products joined as texts
-- class: dialect
-- rules: foreign_dialect
SELECT ReleaseYear / 10 * 10 || 's' AS decade FROM Movie
-- meant
SELECT CAST(ReleaseYear / 10 * 10 AS NVARCHAR(MAX)) + 's' AS decade FROM Movie

-- name: ROWNUM beside OR
-- class: dialect
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE ROWNUM <= 5 AND Id = 2 OR Id = 9

-- name: ILIKE with a bracket
-- class: dialect
-- rules: foreign_dialect
SELECT Name FROM Movie WHERE Name ILIKE '%[REC]%'
-- meant
SELECT Name FROM Movie WHERE Name LIKE '%[[]REC]%'

-- name: ILIKE with a backslash
-- class: dialect
-- rules: foreign_dialect
SELECT Name FROM Movie WHERE Name ILIKE '%9\%%' AND Name NOT ILIKE 'a!_%' ESCAPE '!'
-- meant
SELECT Name FROM Movie WHERE Name LIKE '%9\%%' AND Name NOT LIKE 'a!_%' ESCAPE '!'

-- name: ILIKE with a bracket in a text put together
-- class: dialect
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE Name ILIKE '%[REC' || ']%'

-- name: a plural as an alias
-- class: names
-- rules: table_as_alias
SELECT movies.Name FROM Movie AS m WHERE movies.ReleaseYear > 1990
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear > 1990

-- name: a parameter of Cypher
-- class: names
-- unfixable: what the parameter stands for is not known
SELECT Name FROM Movie WHERE Name = $name

-- name: a parameter named after a column of years
-- class: names
-- unfixable: what the parameter stands for is not known
SELECT Name FROM Movie WHERE ReleaseYear = $year AND Name LIKE 'A%'

-- name: a parameter by number
-- class: names
-- unfixable: what the parameter stands for is not known
SELECT Name FROM Movie WHERE Name <> $1

-- name: a parameter among signs of a pattern
-- class: names
-- unfixable: what the parameter stands for is not known
SELECT Name FROM Movie WHERE Name LIKE %$name%

-- name: a parameter beside a pseudo-column
-- class: names
-- unfixable: what the parameter stands for is not known
SELECT m.Title FROM Movie m JOIN IN_GENRE e ON e.$fromid = m.$nodeid WHERE m.Name = $name

-- name: two parameters
-- class: vectors
-- unfixable: it could mean something else
SELECT TOP 5 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @a) + VECTOR_DISTANCE('cosine', Embedding, @b)

-- name: a parameter for the vector
-- class: vectors
-- rules: query_parameter
SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, $embedding)
-- meant
SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- name: prose below the semicolon
-- class: wrapping
-- rules: text_after
SELECT Name FROM Movie WHERE Id = 3;

This query returns one film
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: BEGIN and END
-- class: wrapping
-- rules: text_after
BEGIN SELECT Name FROM Movie WHERE Id = 3; END
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: EXPLAIN
-- class: wrapping
-- rules: harmless_preamble
EXPLAIN SELECT Name FROM Movie WHERE Id = 3
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: a condition inside MATCH
-- class: patterns
-- rules: match_form
SELECT m.Name FROM Movie m, SET_IN s, Setting p WHERE MATCH(m-(s)->p AND p.Name = 'Paris')
-- meant
SELECT m.Name FROM Movie m, SET_IN s, Setting p WHERE MATCH(m-(s)->p) AND p.Name = 'Paris'

-- name: an alias that no table has
-- class: names
-- rules: table_as_alias
SELECT m.Name FROM Movie WHERE m.ReleaseYear = 1979
-- meant
SELECT Movie.Name FROM Movie WHERE Movie.ReleaseYear = 1979

-- name: similarity of Neo4j
-- class: vectors
-- rules: cast_query vector_functions
SELECT TOP 3 m.Name, vector.similarity.cosine(m.Embedding, @q) AS score FROM Movie m ORDER BY score DESC
-- meant
SELECT TOP 3 m.Name, 1 - VECTOR_DISTANCE('cosine', m.Embedding, @q) AS score FROM Movie m ORDER BY score DESC
