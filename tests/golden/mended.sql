-- name: a column of the grouped node
-- class: aggregates
-- rules: missing_group
SELECT t.Id, t.Name, COUNT(*) AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY t.Id ORDER BY n DESC
-- meant
SELECT t.Id, t.Name, COUNT(*) AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY t.Id, t.Name ORDER BY n DESC

-- name: no GROUP BY at all
-- class: aggregates
-- rules: missing_group
SELECT t.Name AS Topic, COUNT(*) AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) ORDER BY n DESC
-- meant
SELECT t.Name AS Topic, COUNT(*) AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY t.Name ORDER BY n DESC

-- name: a name that several nodes bear
-- class: aggregates
-- rules: missing_group
SELECT TOP 10 m.Name, COUNT(*) AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) ORDER BY n DESC
-- meant
SELECT TOP 10 m.Name, COUNT(*) AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY m.Id, m.Name ORDER BY n DESC

-- name: nodes of one name counted
-- class: aggregates
-- rules: missing_group
SELECT m.Name, COUNT(DISTINCT m.Id) AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) ORDER BY n DESC
-- meant
SELECT m.Name, COUNT(DISTINCT m.Id) AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY m.Name ORDER BY n DESC

-- name: names counted over one table
-- class: aggregates
-- rules: missing_group
SELECT TOP 10 Name, COUNT(*) AS n FROM Movie ORDER BY n DESC
-- meant
SELECT TOP 10 Name, COUNT(*) AS n FROM Movie GROUP BY Name ORDER BY n DESC

-- name: an extreme of groups that are sorted
-- class: aggregates
-- rules: missing_group
SELECT TOP 1 m.Name, MAX(m.ReleaseYear) AS y FROM Movie m ORDER BY y DESC
-- meant
SELECT TOP 1 m.Name, MAX(m.ReleaseYear) AS y FROM Movie m GROUP BY m.Name ORDER BY y DESC

-- name: the first groups of a count
-- class: aggregates
-- rules: missing_group
SELECT TOP 5 t.Name, COUNT(*) AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t)
-- meant
SELECT TOP 5 t.Name, COUNT(*) AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY t.Name

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

-- name: nodes of one name apart in Cypher
-- class: cypher
-- rules: cypher_statement missing_group
MATCH (m:Movie)-[:INCLUDES_THEME]->(t:Theme) RETURN m.Name, count(t) AS n ORDER BY n DESC
-- meant
SELECT m.Name, COUNT(*) AS n FROM Movie AS m, Theme AS t, INCLUDES_THEME AS e1 WHERE MATCH(m-(e1)->t) GROUP BY m.Id, m.Name ORDER BY n DESC

-- name: GROUP BY a position
-- class: aggregates
-- rules: group_position
SELECT m.ReleaseYear AS y, COUNT(*) AS n FROM Movie m GROUP BY 1
-- meant
SELECT m.ReleaseYear AS y, COUNT(*) AS n FROM Movie m GROUP BY m.ReleaseYear

-- name: aliases in GROUP BY and HAVING
-- class: aggregates
-- rules: select_alias
SELECT m.ReleaseYear / 10 AS d, COUNT(*) AS n FROM Movie m GROUP BY d HAVING n > 2
-- meant
SELECT m.ReleaseYear / 10 AS d, COUNT(*) AS n FROM Movie m GROUP BY m.ReleaseYear / 10 HAVING COUNT(*) > 2

-- name: alias in WHERE
-- class: aggregates
-- rules: select_alias
SELECT m.Id, m.ReleaseYear - 1900 AS age FROM Movie m WHERE age * 2 > 50
-- meant
SELECT m.Id, m.ReleaseYear - 1900 AS age FROM Movie m WHERE (m.ReleaseYear - 1900) * 2 > 50

-- name: ORDER BY in a CTE
-- class: aggregates
-- rules: inner_order
WITH a AS (SELECT m.Id FROM Movie m ORDER BY m.Id) SELECT a.Id FROM a ORDER BY a.Id
-- meant
WITH a AS (SELECT m.Id FROM Movie m) SELECT a.Id FROM a ORDER BY a.Id

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

-- name: TOP at the end
-- class: clauses
-- rules: top_place
SELECT Name FROM Movie ORDER BY Id TOP 5
-- meant
SELECT TOP 5 Name FROM Movie ORDER BY Id

-- name: TOP and LIMIT
-- class: clauses
-- rules: top_and_limit
SELECT TOP 5 Name FROM Movie LIMIT 3
-- meant
SELECT TOP 3 Name FROM Movie

-- name: ORDER without BY
-- class: clauses
-- rules: missing_by
SELECT Name FROM Movie ORDER Id
-- meant
SELECT Name FROM Movie ORDER BY Id

-- name: a doubled word
-- class: clauses
-- rules: doubled_word
SELECT Name FROM FROM Movie
-- meant
SELECT Name FROM Movie

-- name: an operator at the end
-- class: clauses
-- rules: dangling_operator
SELECT Name FROM Movie WHERE Id = 1 AND ORDER BY Id
-- meant
SELECT Name FROM Movie WHERE Id = 1 ORDER BY Id

-- name: an operator at the head
-- class: clauses
-- rules: dangling_operator
SELECT Name FROM Movie WHERE AND Id = 1
-- meant
SELECT Name FROM Movie WHERE Id = 1

-- name: two WHERE, one with OR
-- class: clauses
-- rules: second_where
SELECT Name FROM Movie WHERE Id = 1 OR Id = 2 WHERE ReleaseYear = 1999
-- meant
SELECT Name FROM Movie WHERE (Id = 1 OR Id = 2) AND ReleaseYear = 1999

-- name: a hint
-- class: clauses
-- rules: query_hint
SELECT Name FROM Movie OPTION (MAXDOP 1)
-- meant
SELECT Name FROM Movie

-- name: WITH said twice
-- class: clauses
-- rules: second_with
WITH a AS (SELECT Id FROM Movie), WITH b AS (SELECT Id FROM a) SELECT Id FROM b
-- meant
WITH a AS (SELECT Id FROM Movie), b AS (SELECT Id FROM a) SELECT Id FROM b

-- name: top and fetch
-- class: clauses
-- rules: top_and_fetch
SELECT TOP 5 Name FROM Movie ORDER BY Id OFFSET 5 ROWS FETCH NEXT 5 ROWS ONLY
-- meant
SELECT Name FROM Movie ORDER BY Id OFFSET 5 ROWS FETCH NEXT 5 ROWS ONLY

-- name: direction word
-- class: clauses
-- rules: direction_word
SELECT Name FROM Movie ORDER BY Id DESCENDING
-- meant
SELECT Name FROM Movie ORDER BY Id DESC

-- name: comma for and
-- class: clauses
-- rules: comma_for_and
SELECT Name FROM Movie WHERE Id > 1, Id < 5
-- meant
SELECT Name FROM Movie WHERE Id > 1 AND Id < 5

-- name: TOP with OFFSET
-- class: clauses
-- rules: top_and_fetch
SELECT TOP 5 Name FROM Movie ORDER BY Id OFFSET 2 ROWS
-- meant
SELECT Name FROM Movie ORDER BY Id OFFSET 2 ROWS FETCH NEXT 5 ROWS ONLY

-- name: TOP with a bare OFFSET in a CTE
-- class: clauses
-- rules: top_and_fetch
WITH c AS (SELECT TOP (5) Name, Id FROM Movie ORDER BY Id OFFSET 2) SELECT Name FROM c
-- meant
WITH c AS (SELECT Name, Id FROM Movie ORDER BY Id OFFSET 2 ROWS FETCH NEXT 5 ROWS ONLY) SELECT Name FROM c

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

-- name: two WHERE, the second with OR behind a text
-- class: clauses
-- rules: second_where
SELECT Name FROM Movie WHERE ReleaseYear = 1979 WHERE Name = 'Alien' OR Name = 'Jaws' ORDER BY Name
-- meant
SELECT Name FROM Movie WHERE ReleaseYear = 1979 AND (Name = 'Alien' OR Name = 'Jaws') ORDER BY Name

-- name: two WHERE joined by AND
-- class: clauses
-- rules: second_where
SELECT Name FROM Movie WHERE Id = 1 OR Id = 2 AND WHERE ReleaseYear = 1999 OR Id = 3
-- meant
SELECT Name FROM Movie WHERE (Id = 1 OR Id = 2) AND (ReleaseYear = 1999 OR Id = 3)

-- name: an AND before a text
-- class: clauses
-- rules: second_where
SELECT Name FROM Movie WHERE Id = 1 AND 'Alien' = Name WHERE Id < 3
-- meant
SELECT Name FROM Movie WHERE Id = 1 AND 'Alien' = Name AND Id < 3

-- name: edge end
-- class: columns
-- rules: edge_end
SELECT COUNT(DISTINCT e.MovieId) AS n FROM INCLUDES_THEME e
-- meant
SELECT COUNT(DISTINCT e.$from_id) AS n FROM INCLUDES_THEME e

-- name: table value
-- class: columns
-- rules: table_value
SELECT d FROM GENERATE_SERIES(1, 3) AS d
-- meant
SELECT d.value FROM GENERATE_SERIES(1, 3) AS d

-- name: unknown column
-- class: columns
-- rules: unknown_column
WITH c AS (SELECT Name AS Title FROM Movie) SELECT Titel FROM c
-- meant
WITH c AS (SELECT Name AS Title FROM Movie) SELECT Title FROM c

-- name: between to
-- class: comparisons
-- rules: between_to
SELECT Name FROM Movie WHERE Id BETWEEN 1 TO 5
-- meant
SELECT Name FROM Movie WHERE Id BETWEEN 1 AND 5

-- name: negated sign
-- class: comparisons
-- rules: negated_sign
SELECT Name FROM Movie WHERE Id NOT = 5
-- meant
SELECT Name FROM Movie WHERE Id <> 5

-- name: worded sign
-- class: comparisons
-- rules: worded_sign
SELECT Name FROM Movie WHERE Id IS NOT EQUAL TO 5
-- meant
SELECT Name FROM Movie WHERE Id <> 5

-- name: null word
-- class: comparisons
-- rules: null_word
SELECT Name FROM Movie WHERE ReleaseYear NOTNULL
-- meant
SELECT Name FROM Movie WHERE ReleaseYear IS NOT NULL

-- name: tested condition
-- class: comparisons
-- rules: tested_condition
SELECT Name FROM Movie WHERE (Id > 5) IS FALSE
-- meant
SELECT Name FROM Movie WHERE NOT (Id > 5)

-- name: case free collation
-- class: comparisons
-- rules: case_free_collation
SELECT Name FROM Movie ORDER BY Name COLLATE NOCASE
-- meant
SELECT Name FROM Movie ORDER BY Name

-- name: null safe equality
-- class: comparisons
-- rules: null_safe_equality
SELECT Name FROM Movie WHERE ReleaseYear <=> NULL
-- meant
SELECT Name FROM Movie WHERE ReleaseYear IS NULL

-- name: listed any
-- class: comparisons
-- rules: listed_any
SELECT Name FROM Movie WHERE Name <> ALL('{Alien,Dune}'::text[])
-- meant
SELECT Name FROM Movie WHERE Name NOT IN ('Alien', 'Dune')

-- name: chained
-- class: comparisons
-- rules: chained
SELECT Name FROM Movie WHERE 1970 <= ReleaseYear < 1980
-- meant
SELECT Name FROM Movie WHERE ReleaseYear >= 1970 AND ReleaseYear < 1980

-- name: similar to
-- class: comparisons
-- rules: similar_to
SELECT Name FROM Movie WHERE Name SIMILAR TO '%(Star|Dune)%'
-- meant
SELECT Name FROM Movie WHERE (Name LIKE '%Star%' OR Name LIKE '%Dune%')

-- name: row values
-- class: comparisons
-- rules: row_values
SELECT Id FROM Movie WHERE (Name, Id) IN (('Dune', 3), ('Alien', 4))
-- meant
SELECT Id FROM Movie WHERE ((Name = 'Dune' AND Id = 3) OR (Name = 'Alien' AND Id = 4))

-- name: unnested
-- class: comparisons
-- rules: unnested
SELECT Id FROM Movie WHERE Id IN UNNEST([1, 2])
-- meant
SELECT Id FROM Movie WHERE Id IN (1, 2)

-- name: tilde like
-- class: comparisons
-- rules: tilde_like
SELECT Id FROM Movie m WHERE m.Name !~~ 'A%'
-- meant
SELECT Id FROM Movie m WHERE m.Name NOT LIKE 'A%'

-- name: a test for truth under NOT
-- class: comparisons
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE NOT (Id > 5) IS TRUE

-- name: a chain that turns
-- class: comparisons
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE 1970 <= ReleaseYear > 1980

-- name: a genre as a column
-- class: concepts
-- rules: concept_column
SELECT m.Name FROM Movie m WHERE m.Genre = 'Drama'
-- meant
SELECT m.Name FROM Movie m WHERE EXISTS (SELECT 1 FROM dbo.IN_GENRE AS e1 JOIN dbo.Genre AS g1 ON g1.$node_id = e1.$to_id WHERE e1.$from_id = m.$node_id AND g1.Name = 'Drama')

-- name: a theme as a column, not equal
-- class: concepts
-- rules: concept_column
SELECT Name FROM Movie WHERE Theme <> 'War'
-- meant
SELECT Name FROM Movie WHERE NOT EXISTS (SELECT 1 FROM dbo.INCLUDES_THEME AS e1 JOIN dbo.Theme AS t1 ON t1.$node_id = e1.$to_id WHERE e1.$from_id = Movie.$node_id AND t1.Name = 'War')

-- name: genres in a list
-- class: concepts
-- rules: concept_column
SELECT m.Name FROM Movie m WHERE m.Genres NOT IN ('War', 'Drama')
-- meant
SELECT m.Name FROM Movie m WHERE NOT EXISTS (SELECT 1 FROM dbo.IN_GENRE AS e1 JOIN dbo.Genre AS g1 ON g1.$node_id = e1.$to_id WHERE e1.$from_id = m.$node_id AND g1.Name IN ('War', 'Drama'))

-- name: a joining table
-- class: concepts
-- rules: joining_table
SELECT m.Name FROM Movie m, MovieGenre mg, Genre g WHERE MATCH(m-(mg)->g)
-- meant
SELECT m.Name FROM Movie m, IN_GENRE mg, Genre g WHERE MATCH(m-(mg)->g)

-- name: the year of a date
-- class: concepts
-- rules: year_of_date
SELECT Name FROM Movie WHERE YEAR(ReleaseDate) = 1999
-- meant
SELECT Name FROM Movie WHERE ReleaseYear = 1999

-- name: the year of a year
-- class: concepts
-- rules: year_of_date
SELECT m.Name FROM Movie m WHERE YEAR(m.ReleaseYear) = 1999
-- meant
SELECT m.Name FROM Movie m WHERE m.ReleaseYear = 1999

-- name: a part of a year
-- class: concepts
-- rules: year_of_date
SELECT m.Name FROM Movie m WHERE DATEPART(yyyy, ReleaseYear) = 1999
-- meant
SELECT m.Name FROM Movie m WHERE ReleaseYear = 1999

-- name: EXTRACT of a year
-- class: concepts
-- rules: worded_arguments year_of_date
SELECT m.Name FROM Movie m WHERE EXTRACT(YEAR FROM m.ReleaseYear) = 1999
-- meant
SELECT m.Name FROM Movie m WHERE m.ReleaseYear = 1999

-- name: DATE_PART of a year
-- class: concepts
-- rules: worded_arguments year_of_date
SELECT m.Name FROM Movie m WHERE DATE_PART('year', m.ReleaseYear) = 1999
-- meant
SELECT m.Name FROM Movie m WHERE m.ReleaseYear = 1999

-- name: a year that is formed
-- class: concepts
-- rules: dated_form year_of_date
SELECT m.Name FROM Movie m WHERE strftime('%Y', m.ReleaseYear) = 1999
-- meant
SELECT m.Name FROM Movie m WHERE m.ReleaseYear = 1999

-- name: the year of a synonym
-- class: concepts
-- rules: node_columns year_of_date
SELECT m.Name FROM Movie m WHERE YEAR(m.Year) = 1999
-- meant
SELECT m.Name FROM Movie m WHERE m.ReleaseYear = 1999

-- name: the latest of years as dates
-- class: concepts
-- rules: year_of_date
SELECT YEAR(MAX(m.ReleaseYear)) AS y FROM Movie m
-- meant
SELECT MAX(m.ReleaseYear) AS y FROM Movie m

-- name: years since a year
-- class: concepts
-- rules: years_apart
SELECT m.Name, DATEDIFF(year, m.ReleaseYear, GETDATE()) AS age FROM Movie m
-- meant
SELECT m.Name, (YEAR(GETDATE()) - m.ReleaseYear) AS age FROM Movie m

-- name: years since a year, up to another
-- class: concepts
-- rules: years_apart
SELECT m.Name, DATEDIFF(year, m.ReleaseYear, 2024) AS age FROM Movie m
-- meant
SELECT m.Name, (2024 - m.ReleaseYear) AS age FROM Movie m

-- name: years added to a year
-- class: concepts
-- rules: years_apart
SELECT m.Name, DATEADD(year, 25, m.ReleaseYear) AS y FROM Movie m
-- meant
SELECT m.Name, (m.ReleaseYear + 25) AS y FROM Movie m

-- name: years before the present year
-- class: concepts
-- rules: intervals worded_arguments years_apart
SELECT m.Name FROM Movie m WHERE m.ReleaseYear >= EXTRACT(YEAR FROM GETDATE()) - INTERVAL '10 years'
-- meant
SELECT m.Name FROM Movie m WHERE m.ReleaseYear >= (DATEPART(year, GETDATE()) + (-10))

-- name: a year after a day
-- class: concepts
-- rules: intervals renamed_functions year_beside_date
SELECT m.Name FROM Movie m WHERE m.ReleaseYear > NOW() - INTERVAL '10 years'
-- meant
SELECT m.Name FROM Movie m WHERE m.ReleaseYear > YEAR(DATEADD(year, -10, GETDATE()))

-- name: a day before a year
-- class: concepts
-- rules: year_beside_date
SELECT m.Name FROM Movie m WHERE GETDATE() - 365 <= m.ReleaseYear
-- meant
SELECT m.Name FROM Movie m WHERE YEAR(GETDATE() - 365) <= m.ReleaseYear

-- name: a year between days
-- class: concepts
-- rules: typed_literal year_beside_date
SELECT m.Name FROM Movie m WHERE m.ReleaseYear BETWEEN DATE '1990-01-01' AND DATE '1999-12-31'
-- meant
SELECT m.Name FROM Movie m WHERE m.ReleaseYear BETWEEN 1990 AND 1999

-- name: a year after a day in it
-- class: concepts
-- unfixable: whether 1990 counts is not said
SELECT m.Name FROM Movie m WHERE m.ReleaseYear > CAST('1990-01-01' AS DATE)

-- name: the month of a year
-- class: concepts
-- unfixable: the graph holds no months
SELECT MONTH(m.ReleaseYear) AS x FROM Movie m

-- name: a database in front
-- class: concepts
-- rules: foreign_database
SELECT Name FROM MovieDB.dbo.Movie
-- meant
SELECT Name FROM Movie

-- name: the key of a search
-- class: concepts
-- rules: own_key
SELECT m.Name FROM CONTAINSTABLE(Movie, Name, 'star') k JOIN Movie m ON m.$node_id = k.[KEY]
-- meant
SELECT m.Name FROM CONTAINSTABLE(Movie, Name, 'star') k JOIN Movie m ON m.Id = k.[KEY]

-- name: a foreign key
-- class: concepts
-- rules: foreign_key
SELECT m.Name FROM Movie m JOIN Theme t ON t.MovieId = m.Id
-- meant
SELECT m.Name FROM Movie m JOIN dbo.INCLUDES_THEME AS e1 ON e1.$from_id = m.$node_id JOIN Theme t ON e1.$to_id = t.$node_id

-- name: a foreign key between commas
-- class: concepts
-- rules: foreign_key
SELECT m.Name FROM Movie m, Theme t WHERE m.ThemeId = t.Id
-- meant
SELECT m.Name FROM Movie m, Theme t, dbo.INCLUDES_THEME AS e1 WHERE e1.$from_id = m.$node_id AND e1.$to_id = t.$node_id

-- name: a foreign key in a LEFT JOIN with a condition of its own
-- class: concepts
-- rules: foreign_key
SELECT COUNT(DISTINCT m.Id) AS n FROM Movie m LEFT JOIN Genre g ON m.GenreId = g.Id AND g.Name = 'Horror' WHERE g.Id IS NULL
-- meant
SELECT COUNT(DISTINCT m.Id) AS n FROM Movie m LEFT JOIN (dbo.IN_GENRE AS e1 JOIN Genre g ON e1.$to_id = g.$node_id) ON e1.$from_id = m.$node_id AND g.Name = 'Horror' WHERE g.Id IS NULL

-- name: two foreign keys in LEFT JOINs and a column of one table
-- class: concepts
-- rules: foreign_key node_columns foreign_key
SELECT m.Name, g.Title, t.Name FROM Movie m LEFT OUTER JOIN Genre AS g ON (g.Id = m.GenreId) LEFT JOIN Theme t ON m.ThemeId = t.Id
-- meant
SELECT m.Name, g.Name, t.Name FROM Movie m LEFT OUTER JOIN (dbo.IN_GENRE AS e1 JOIN Genre AS g ON e1.$to_id = g.$node_id) ON (e1.$from_id = m.$node_id) LEFT JOIN (dbo.INCLUDES_THEME AS e2 JOIN Theme t ON e2.$to_id = t.$node_id) ON e2.$from_id = m.$node_id

-- name: a foreign key in a RIGHT JOIN
-- class: concepts
-- rules: foreign_key
SELECT g.Name FROM Movie m RIGHT JOIN Genre g ON m.GenreId = g.Id AND m.Id = 1 WHERE m.Id IS NULL
-- meant
SELECT g.Name FROM Movie m JOIN dbo.IN_GENRE AS e1 ON e1.$from_id = m.$node_id RIGHT JOIN Genre g ON e1.$to_id = g.$node_id AND m.Id = 1 WHERE m.Id IS NULL

-- name: a foreign key behind a comment
-- class: concepts
-- rules: foreign_key
SELECT m.Name FROM Movie m -- films
JOIN Theme t ON t.MovieId = m.Id
-- meant
SELECT m.Name FROM Movie m JOIN dbo.INCLUDES_THEME AS e1 ON e1.$from_id = m.$node_id -- films
JOIN Theme t ON e1.$to_id = t.$node_id

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

-- name: joining table
-- class: concepts
-- rules: joining_table
SELECT COUNT(*) AS n FROM film_categories x
-- meant
SELECT COUNT(*) AS n FROM IN_GENRE x

-- name: year of day
-- class: concepts
-- rules: year_of_day
SELECT Name FROM Movie WHERE ReleaseDate BETWEEN '1980-01-01' AND '1989-12-31'
-- meant
SELECT Name FROM Movie WHERE ReleaseYear BETWEEN 1980 AND 1989

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
-- rules: filtered_aggregate
SELECT SUM(Id) FILTER (WHERE ReleaseYear < 1980) AS n FROM Movie
-- meant
SELECT SUM(CASE WHEN ReleaseYear < 1980 THEN Id END) AS n FROM Movie

-- name: COUNTIF
-- class: conditional
-- rules: counted_condition
SELECT COUNTIF(Id > 3) AS n FROM Movie
-- meant
SELECT COUNT(CASE WHEN Id > 3 THEN 1 END) AS n FROM Movie

-- name: the sum of a comparison
-- class: conditional
-- rules: counted_condition
SELECT SUM(Id > 3) AS n FROM Movie
-- meant
SELECT SUM(CASE WHEN Id > 3 THEN 1 ELSE 0 END) AS n FROM Movie

-- name: COUNT DISTINCT of two columns
-- class: conditional
-- rules: counted_pairs
SELECT COUNT(DISTINCT Name, ReleaseYear) AS n FROM Movie WHERE Id > 1
-- meant
SELECT COUNT(*) AS [n] FROM (SELECT DISTINCT Name AS c1, ReleaseYear AS c2 FROM Movie WHERE Id > 1) AS p WHERE p.c1 IS NOT NULL AND p.c2 IS NOT NULL

-- name: LATERAL
-- class: conditional
-- rules: truth_values lateral
SELECT m.Name, x.n FROM Movie m LEFT JOIN LATERAL (SELECT COUNT(*) AS n FROM SET_IN s WHERE s.$from_id = m.$node_id) x ON TRUE
-- meant
SELECT m.Name, x.n FROM Movie m OUTER APPLY (SELECT COUNT(*) AS n FROM SET_IN s WHERE s.$from_id = m.$node_id) x

-- name: half a comparison
-- class: conditional
-- rules: half_comparison
SELECT Name FROM Movie WHERE ReleaseYear >= 1980 AND <= 1990
-- meant
SELECT Name FROM Movie WHERE ReleaseYear >= 1980 AND ReleaseYear <= 1990

-- name: a value without its comparison
-- class: conditional
-- rules: half_comparison
SELECT Name FROM Movie WHERE Name = 'Dune' OR 'Alien'
-- meant
SELECT Name FROM Movie WHERE Name = 'Dune' OR Name = 'Alien'

-- name: LIKE without its column
-- class: conditional
-- rules: half_comparison
SELECT Name FROM Movie WHERE Name LIKE '%a%' AND NOT LIKE '%b%'
-- meant
SELECT Name FROM Movie WHERE Name LIKE '%a%' AND Name NOT LIKE '%b%'

-- name: USING
-- class: conditional
-- rules: joined_using
WITH a AS (SELECT Id FROM Movie), b AS (SELECT Id FROM Movie) SELECT a.Id FROM a JOIN b USING (Id)
-- meant
WITH a AS (SELECT Id FROM Movie), b AS (SELECT Id FROM Movie) SELECT a.Id FROM a JOIN b ON a.Id = b.Id

-- name: a comparison in the list
-- class: conditional
-- rules: listed_condition
SELECT Id > 3 AS big FROM Movie
-- meant
SELECT CASE WHEN Id > 3 THEN 1 WHEN NOT (Id > 3) THEN 0 END AS big FROM Movie

-- name: listed condition
-- class: conditional
-- rules: listed_condition
SELECT (m.Id > 3) AS late FROM Movie m
-- meant
SELECT CASE WHEN (m.Id > 3) THEN 1 WHEN NOT ((m.Id > 3)) THEN 0 END AS late FROM Movie m

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
-- rules: cypher_statement missing_group
MATCH (t:Theme)<-[:INCLUDES_THEME]-(m:Movie) RETURN t.Name, count(m) AS n ORDER BY n DESC
-- meant
SELECT t.Name, COUNT(*) AS n FROM Theme AS t, Movie AS m, INCLUDES_THEME AS e1 WHERE MATCH(t<-(e1)-m) GROUP BY t.Name ORDER BY n DESC

-- name: two patterns
-- class: cypher
-- rules: cypher_statement
MATCH (m:Movie)-[:IN_GENRE]->(g:Genre), (m)-[:SET_IN]->(s:Setting) RETURN DISTINCT m.Name
-- meant
SELECT DISTINCT m.Name FROM Movie AS m, Genre AS g, Setting AS s, IN_GENRE AS e1, SET_IN AS e2 WHERE MATCH(m-(e1)->g AND m-(e2)->s)

-- name: a node alone
-- class: cypher
-- rules: cypher_statement
MATCH (g:Genre) RETURN g SKIP 1 LIMIT 2
-- meant
SELECT g.Id, g.Name, g.Content FROM Genre AS g ORDER BY 1 OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY

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

-- name: cypher statement
-- class: cypher
-- rules: cypher_statement
MATCH (m:Movie) WHERE NOT (m)-[:PART_OF_SERIES]->(:Series) RETURN m.Name
-- meant
SELECT m.Name FROM Movie AS m WHERE NOT EXISTS (SELECT 1 FROM Series AS s1, Movie AS m1, PART_OF_SERIES AS e1 WHERE MATCH(m1-(e1)->s1) AND m1.Id = m.Id)

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
-- rules: ilike
SELECT m.Name FROM Movie m WHERE m.Name NOT ILIKE '%ilike%'
-- meant
SELECT m.Name FROM Movie m WHERE m.Name NOT LIKE '%ilike%'

-- name: two ampersands are AND
-- class: dialect
-- rules: operators
SELECT m.Name FROM Movie m WHERE m.Id > 3 && m.Id < 9
-- meant
SELECT m.Name FROM Movie m WHERE m.Id > 3  AND  m.Id < 9

-- name: MINUS is EXCEPT
-- class: dialect
-- rules: operators
SELECT m.Name FROM Movie m MINUS SELECT m.Name FROM Movie m WHERE m.Id = 3
-- meant
SELECT m.Name FROM Movie m EXCEPT SELECT m.Name FROM Movie m WHERE m.Id = 3

-- name: bars join a column of unknown type
-- class: dialect
-- rules: concatenation
SELECT c.n || '5' AS t FROM (SELECT COUNT(*) AS n FROM Movie) AS c
-- meant
SELECT CAST(c.n AS NVARCHAR(MAX)) || '5' AS t FROM (SELECT COUNT(*) AS n FROM Movie) AS c

-- name: bars that join strings are T-SQL
-- class: dialect
-- rules: unknown_tables
SELECT m.Name || ' || ' || m.Content AS t FROM Movies m
-- meant
SELECT m.Name || ' || ' || m.Content AS t FROM Movie m

-- name: a joined number is cast
-- class: dialect
-- rules: concatenation
SELECT m.Name || ' ' || m.ReleaseYear AS t FROM Movie m
-- meant
SELECT m.Name || ' ' || CAST(m.ReleaseYear AS NVARCHAR(30)) AS t FROM Movie m

-- name: TRUE as a condition
-- class: dialect
-- rules: truth_values
SELECT m.Name FROM Movie m WHERE TRUE AND m.Id > 3
-- meant
SELECT m.Name FROM Movie m WHERE 1 = 1 AND m.Id > 3

-- name: TRUE and FALSE as values
-- class: dialect
-- rules: truth_values
SELECT CASE WHEN m.Id > 3 THEN TRUE ELSE FALSE END AS b FROM Movie m
-- meant
SELECT CASE WHEN m.Id > 3 THEN 1 ELSE 0 END AS b FROM Movie m

-- name: CONTAINS compared with 1
-- class: dialect
-- rules: compared_predicate
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, 'war') = 1
-- meant
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, 'war')

-- name: FREETEXT compared with FALSE
-- class: dialect
-- rules: compared_predicate
SELECT m.Name FROM Movie m WHERE FREETEXT(m.Content, 'war') = FALSE
-- meant
SELECT m.Name FROM Movie m WHERE NOT FREETEXT(m.Content, 'war')

-- name: text in double quotes
-- class: dialect
-- rules: double_quoted_text
SELECT m.Name FROM Movie m WHERE m.Name IN ("Jaws", "Ocean's Eleven")
-- meant
SELECT m.Name FROM Movie m WHERE m.Name IN ('Jaws', 'Ocean''s Eleven')

-- name: LIMIT with OFFSET
-- class: dialect
-- rules: limit_offset
SELECT m.Name FROM Movie m ORDER BY m.Id LIMIT 10 OFFSET 5;
-- meant
SELECT m.Name FROM Movie m ORDER BY m.Id OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY;

-- name: LIMIT with two numbers
-- class: dialect
-- rules: limit_offset
SELECT m.Name FROM Movie m ORDER BY m.Id LIMIT 5, 10
-- meant
SELECT m.Name FROM Movie m ORDER BY m.Id OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY

-- name: FETCH without OFFSET
-- class: dialect
-- rules: fetch_first
SELECT m.Name FROM Movie m ORDER BY m.Id FETCH FIRST 10 ROWS ONLY
-- meant
SELECT TOP 10 m.Name FROM Movie m ORDER BY m.Id 

-- name: NULLS LAST
-- class: dialect
-- rules: nulls_order
SELECT m.Name FROM Movie m ORDER BY m.ReleaseYear NULLS LAST
-- meant
SELECT m.Name FROM Movie m ORDER BY CASE WHEN m.ReleaseYear IS NULL THEN 1 ELSE 0 END, m.ReleaseYear

-- name: concatenation
-- class: dialect
-- rules: concatenation node_columns
SELECT m.Name || m.Year || ROUND(m.Id, 0) AS x FROM Movie m
-- meant
SELECT m.Name || CAST(m.ReleaseYear AS NVARCHAR(30)) || CAST(ROUND(m.Id, 0) AS NVARCHAR(30)) AS x FROM Movie m

-- name: a MATCH in every branch
-- class: either
-- rules: same_match
SELECT m.Name, g.Name FROM Movie m, IN_GENRE e, Genre g WHERE (MATCH(m-(e)->g) AND g.Name = 'War') OR (MATCH(m-(e)->g) AND m.Id = 1)
-- meant
SELECT m.Name, g.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND ((1 = 1 AND g.Name = 'War') OR (1 = 1 AND m.Id = 1))

-- name: a MATCH under OR
-- class: either
-- rules: match_under_or
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE m.Id = 1 OR (MATCH(m-(e)->g) AND g.Name = 'War')
-- meant
SELECT m.Name FROM Movie m WHERE m.Id = 1 OR (EXISTS (SELECT 1 FROM IN_GENRE e, Genre g WHERE e.$from_id = m.$node_id AND e.$to_id = g.$node_id AND g.Name = 'War'))

-- name: a MATCH under NOT
-- class: either
-- rules: match_under_or
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE NOT MATCH(m-(e)->g) AND g.Name = 'War' AND m.Id > 1
-- meant
SELECT m.Name FROM Movie m WHERE NOT EXISTS (SELECT 1 FROM IN_GENRE e, Genre g WHERE e.$from_id = m.$node_id AND e.$to_id = g.$node_id AND g.Name = 'War') AND m.Id > 1

-- name: a MATCH in an outer join
-- class: either
-- rules: match_in_outer_join
SELECT m.Name, g.Name FROM Movie m LEFT JOIN IN_GENRE e ON MATCH(m-(e)->g) LEFT JOIN Genre g ON 1 = 1
-- meant
SELECT m.Name, g.Name FROM Movie m LEFT JOIN IN_GENRE e ON e.$from_id = m.$node_id LEFT JOIN Genre g ON e.$to_id = g.$node_id

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

-- name: a plain condition in HAVING
-- class: filters
-- rules: having_without_group
SELECT Name FROM Movie HAVING Id > 1
-- meant
SELECT Name FROM Movie WHERE Id > 1

-- name: a window in WHERE
-- class: filters
-- rules: window_filter
SELECT Id, Name FROM Movie WHERE ROW_NUMBER() OVER (PARTITION BY ReleaseYear ORDER BY Id) = 1 AND Id > 1
-- meant
SELECT w1.[Id], w1.[Name] FROM (SELECT Id, Name, ROW_NUMBER() OVER (PARTITION BY ReleaseYear ORDER BY Id) AS place FROM Movie WHERE Id > 1) AS w1 WHERE w1.place = 1

-- name: QUALIFY
-- class: filters
-- rules: window_filter
SELECT Id, Name FROM Movie QUALIFY RANK() OVER (ORDER BY ReleaseYear) <= 3
-- meant
SELECT w1.[Id], w1.[Name] FROM (SELECT Id, Name, RANK() OVER (ORDER BY ReleaseYear) AS place FROM Movie) AS w1 WHERE w1.place <= 3

-- name: an aggregate under OR
-- class: filters
-- unfixable: it could mean something else
SELECT ReleaseYear FROM Movie WHERE COUNT(*) > 1 OR Id > 1 GROUP BY ReleaseYear

-- name: HAVING with OR beside WHERE
-- class: filters
-- rules: having_without_group
SELECT Name FROM Movie WHERE Id = 1 OR Id = 2 HAVING Name = 'Alien' OR Name = 'Jaws'
-- meant
SELECT Name FROM Movie WHERE (Id = 1 OR Id = 2) AND (Name = 'Alien' OR Name = 'Jaws')

-- name: an aggregate in WHERE beside HAVING with OR
-- class: filters
-- rules: aggregate_in_where
SELECT ReleaseYear FROM Movie WHERE COUNT(*) > 1 AND Id > 3 GROUP BY ReleaseYear HAVING MIN(Id) > 5 OR MAX(Id) > 9
-- meant
SELECT ReleaseYear FROM Movie WHERE Id > 3 GROUP BY ReleaseYear HAVING COUNT(*) > 1 AND (MIN(Id) > 5 OR MAX(Id) > 9)

-- name: argument order
-- class: fulltext
-- rules: argument_order
SELECT k.[KEY] FROM FREETEXTTABLE(Movie, 'wolf', (Name, Content)) AS k
-- meant
SELECT k.[KEY] FROM FREETEXTTABLE(Movie, (Name, Content), 'wolf') AS k

-- name: searched text
-- class: fulltext
-- rules: searched_text
SELECT Id FROM Movie WHERE CONTAINS(Content, 'farm NEAR/3 boy')
-- meant
SELECT Id FROM Movie WHERE CONTAINS(Content, 'NEAR((farm, boy), 3)')

-- name: searched text 2
-- class: fulltext
-- rules: searched_text
SELECT Id FROM Movie WHERE CONTAINS(Content, 'farm AND -boy')
-- meant
SELECT Id FROM Movie WHERE CONTAINS(Content, 'farm AND NOT boy')

-- name: double colon
-- class: functions
-- rules: double_colon
SELECT ROUND(AVG(m.Id)::numeric, 1) AS n FROM Movie m
-- meant
SELECT ROUND(AVG(CAST(m.Id AS DECIMAL(38, 6))), 1) AS n FROM Movie m

-- name: worded arguments
-- class: functions
-- rules: worded_arguments worded_arguments
SELECT ARRAY_TO_STRING(ARRAY_AGG(m.Name ORDER BY m.Id), '; ') AS n FROM Movie m
-- meant
SELECT STRING_AGG(m.Name, '; ') WITHIN GROUP (ORDER BY m.Id) AS n FROM Movie m

-- name: renamed functions
-- class: functions
-- rules: renamed_functions
SELECT IFF(Id > 3, 'a', 'b') AS x FROM Movie
-- meant
SELECT IIF(Id > 3, 'a', 'b') AS x FROM Movie

-- name: a default longer than what it stands for
-- class: functions
-- rules: renamed_functions
SELECT IFNULL(LEFT(Name, 3), 'classic') AS x FROM Movie
-- meant
SELECT COALESCE(LEFT(Name, 3), 'classic') AS x FROM Movie

-- name: a literal of a date with an interval
-- class: functions
-- rules: typed_literal intervals
SELECT Name, DATE '2020-01-01' + INTERVAL '1 day' AS d FROM Movie
-- meant
SELECT Name, DATEADD(day, 1, CAST('2020-01-01' AS DATE)) AS d FROM Movie

-- name: a literal of a date in EXTRACT
-- class: functions
-- rules: typed_literal worded_arguments
SELECT Name FROM Movie WHERE ReleaseYear > EXTRACT(YEAR FROM DATE '2000-01-01')
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > DATEPART(year, CAST('2000-01-01' AS DATE))

-- name: a literal of a moment
-- class: functions
-- rules: typed_literal
SELECT TIMESTAMP '2020-01-01 10:00:00' AS t
-- meant
SELECT CAST('2020-01-01 10:00:00' AS DATETIME2) AS t

-- name: grouped listing
-- class: gathered
-- rules: grouped_listing
SELECT m.ReleaseYear, STRING_AGG(DISTINCT m.Name, ', ') AS n FROM Movie m GROUP BY m.ReleaseYear
-- meant
SELECT u.c1 AS ReleaseYear, STRING_AGG(u.c2, ', ') AS n FROM (SELECT DISTINCT m.releaseyear AS c1, m.name AS c2 FROM Movie m) AS u GROUP BY u.c1

-- name: grouped listing 2
-- class: gathered
-- rules: grouped_listing
SELECT m.ReleaseYear, COUNT(*) AS k, STRING_AGG(DISTINCT m.Name, ', ') AS n FROM Movie m GROUP BY m.ReleaseYear HAVING COUNT(*) > 1
-- meant
SELECT u.c1 AS ReleaseYear, COUNT(*) AS k, STRING_AGG(CASE WHEN u.first1 = 1 THEN u.c2 END, ', ') AS n FROM (SELECT m.releaseyear AS c1, m.name AS c2, ROW_NUMBER() OVER (PARTITION BY m.ReleaseYear, m.Name ORDER BY m.Name) AS first1 FROM Movie m) AS u GROUP BY u.c1 HAVING COUNT(*) > 1

-- name: median
-- class: gathered
-- rules: median grouped_percentile
SELECT MEDIAN(m.ReleaseYear) AS mid FROM Movie m
-- meant
SELECT DISTINCT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY m.ReleaseYear) OVER () AS mid FROM Movie m

-- name: grouped percentile
-- class: gathered
-- rules: grouped_percentile
SELECT g.Name, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY g.Id) AS mid, COUNT(*) AS n FROM Genre g GROUP BY g.Name ORDER BY n
-- meant
SELECT DISTINCT g.Name, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY g.Id) OVER (PARTITION BY g.Name) AS mid, COUNT(*) OVER (PARTITION BY g.Name) AS n FROM Genre g ORDER BY n

-- name: group by all
-- class: gathered
-- rules: group_by_all
SELECT m.ReleaseYear, COUNT(*) AS n FROM Movie m GROUP BY ALL
-- meant
SELECT m.ReleaseYear, COUNT(*) AS n FROM Movie m GROUP BY m.ReleaseYear

-- name: nested aggregate
-- class: gathered
-- rules: nested_aggregate
SELECT MAX(COUNT(*)) AS most FROM Movie m GROUP BY m.ReleaseYear
-- meant
SELECT MAX(u.v) AS [most] FROM (SELECT COUNT(*) AS v FROM Movie m GROUP BY m.ReleaseYear) AS u

-- name: extreme row
-- class: gathered
-- rules: extreme_row
SELECT m.Name FROM Movie m WHERE m.ReleaseYear = MAX(m.ReleaseYear)
-- meant
SELECT m.Name FROM Movie m WHERE m.ReleaseYear = (SELECT MAX(u.ReleaseYear) FROM Movie AS u)

-- name: json listing
-- class: gathered
-- rules: json_listing
SELECT m.ReleaseYear, JSON_AGG(m.Name) AS films FROM Movie m GROUP BY m.ReleaseYear
-- meant
SELECT m.ReleaseYear, '[' + STRING_AGG('"' + STRING_ESCAPE(m.Name, 'json') + '"', ',') + ']' AS films FROM Movie m GROUP BY m.ReleaseYear

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
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(g<-(e)-m)

-- name: wrong way back
-- class: graph
-- rules: turned_arrow
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m<-(e)-g)
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)

-- name: no head
-- class: graph
-- rules: turned_arrow
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)-g)
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)

-- name: edge in brackets
-- class: graph
-- rules: match_shape
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-[e]->g)
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)

-- name: nodes in parentheses
-- class: graph
-- rules: match_shape
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH((m)-(e)->(g))
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)

-- name: both
-- class: graph
-- rules: match_shape
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH((g)<-[e]-(m)) AND g.Name = 'War'
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(g<-(e)-m) AND g.Name = 'War'

-- name: MATCH without parentheses
-- class: graph
-- rules: bare_match
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH m-(e)->g AND g.Name = 'War'
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND g.Name = 'War'

-- name: edge named by its table
-- class: graph
-- rules: missing_edge
SELECT m.Name FROM Movie m, Genre g WHERE MATCH(m-(IN_GENRE)->g)
-- meant
SELECT m.Name FROM dbo.IN_GENRE AS e1, Movie m, Genre g WHERE MATCH(m-(e1)->g)

-- name: the only edge between its ends
-- class: graph
-- rules: missing_edge
SELECT m.Name FROM Movie m, Genre g WHERE MATCH(g<-(e)-m)
-- meant
SELECT m.Name FROM dbo.IN_GENRE AS e, Movie m, Genre g WHERE MATCH(g<-(e)-m)

-- name: by alias
-- class: graph
-- rules: missing_edge
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(IN_GENRE)->g)
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)

-- name: node that only MATCH names
-- class: graph
-- rules: missing_node
SELECT m.Name FROM Movie m, IN_GENRE e WHERE MATCH(m-(e)->g) AND g.Name = 'War'
-- meant
SELECT m.Name FROM dbo.Genre AS g, Movie m, IN_GENRE e WHERE MATCH(m-(e)->g) AND g.Name = 'War'

-- name: node of the outer query
-- class: graph
-- rules: outer_node
SELECT m.Name FROM Movie m WHERE NOT EXISTS (SELECT 1 FROM IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND g.Name = 'War')
-- meant
SELECT m.Name FROM Movie m WHERE NOT EXISTS (SELECT 1 FROM dbo.Movie AS m1, IN_GENRE e, Genre g WHERE m1.Id = m.Id AND MATCH(m1-(e)->g) AND g.Name = 'War')

-- name: one edge for two hops
-- class: graph
-- rules: repeated_edge
SELECT n.Name FROM Movie m, INCLUDES_THEME e, Theme t, Movie n WHERE MATCH(m-(e)->t<-(e)-n) AND m.Id = 1
-- meant
SELECT n.Name FROM dbo.INCLUDES_THEME AS e1, Movie m, INCLUDES_THEME e, Theme t, Movie n WHERE MATCH(m-(e)->t<-(e1)-n) AND m.Id = 1

-- name: made-up edge with the right ends
-- class: graph
-- rules: unknown_tables
SELECT m.Name FROM Movie m, HAS_THEME e, Theme t WHERE MATCH(m-(e)->t)
-- meant
SELECT m.Name FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t)

-- name: MATCH among joins
-- class: graph
-- rules: match_with_join
SELECT m.Name FROM Movie m JOIN IN_GENRE e ON 1 = 1 JOIN Genre g ON g.Id > 0 WHERE MATCH(m-(e)->g) ORDER BY m.Id
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE g.Id > 0 AND MATCH(m-(e)->g) ORDER BY m.Id

-- name: MATCH in ON keeps an OR together
-- class: graph
-- rules: match_with_join
SELECT m.Name FROM Movie m INNER JOIN IN_GENRE e ON MATCH(m-(e)->g) CROSS JOIN Genre g WHERE g.Name = 'War' OR g.Name = 'Drama'
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND (g.Name = 'War' OR g.Name = 'Drama')

-- name: an OR in ON keeps together beside MATCH
-- class: graph
-- rules: match_with_join
SELECT m.Name FROM Movie m, IN_GENRE e JOIN Genre g ON g.Name = 'Horror' OR g.Name = 'War' WHERE MATCH(m-(e)->g)
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE (g.Name = 'Horror' OR g.Name = 'War') AND MATCH(m-(e)->g)

-- name: edge by ends
-- class: graph
-- rules: edge_by_ends
SELECT g.Name FROM Movie m, BELONGS_TO b, Genre g WHERE MATCH(m-(b)->g)
-- meant
SELECT g.Name FROM Movie m, IN_GENRE b, Genre g WHERE MATCH(m-(b)->g)

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

-- name: graph table
-- class: graph_table
-- rules: graph_table
SELECT * FROM GRAPH_TABLE (g MATCH (m IS Movie)-[e IS SET_IN]->(s IS Setting) WHERE s.Id = 1 COLUMNS (m.Name AS film)) AS t
-- meant
SELECT * FROM (SELECT m.Name AS film FROM Movie AS m, Setting AS s, SET_IN AS e WHERE MATCH(m-(e)->s) AND s.Id = 1) AS t

-- name: an edge that may be passed twice
-- class: graph_table
-- rules: graph_table
SELECT x.n FROM GRAPH_TABLE (g MATCH (a IS Movie)-[e IS IN_GENRE]->(b IS Genre)<-[f IS IN_GENRE]-(c IS Movie) COLUMNS (c.Name AS n)) AS x
-- meant
SELECT x.n FROM (SELECT c.Name AS n FROM Movie AS a, Genre AS b, Movie AS c, IN_GENRE AS e, IN_GENRE AS f WHERE MATCH(a-(e)->b<-(f)-c)) AS x

-- name: key of end
-- class: keys
-- rules: key_of_end
SELECT m.Name FROM Movie m WHERE m.Id NOT IN (SELECT e.$from_id FROM PART_OF_SERIES e)
-- meant
SELECT m.Name FROM Movie m WHERE m.$node_id NOT IN (SELECT e.$from_id FROM PART_OF_SERIES e)

-- name: a bare key beside an end
-- class: keys
-- rules: key_of_end
SELECT m.Name FROM Movie m WHERE Id IN (SELECT e.$from_id FROM IN_GENRE e)
-- meant
SELECT m.Name FROM Movie m WHERE $node_id IN (SELECT e.$from_id FROM IN_GENRE e)

-- name: a key beside a bare end
-- class: keys
-- rules: key_of_end
SELECT m.Name FROM Movie m WHERE m.Id NOT IN (SELECT DISTINCT $from_id FROM IN_GENRE)
-- meant
SELECT m.Name FROM Movie m WHERE m.$node_id NOT IN (SELECT DISTINCT $from_id FROM IN_GENRE)

-- name: a key that a subquery of an end selects
-- class: keys
-- rules: key_of_end
SELECT COUNT(*) AS n FROM IN_GENRE WHERE $to_id IN (SELECT Id FROM Genre WHERE Name = 'War')
-- meant
SELECT COUNT(*) AS n FROM IN_GENRE WHERE $to_id IN (SELECT $node_id FROM Genre WHERE Name = 'War')

-- name: a key beside ANY end
-- class: keys
-- rules: key_of_end
SELECT m.Name FROM Movie m WHERE m.Id = ANY (SELECT e.$from_id FROM IN_GENRE e)
-- meant
SELECT m.Name FROM Movie m WHERE m.$node_id = ANY (SELECT e.$from_id FROM IN_GENRE e)

-- name: a key beside a bare end under EXISTS
-- class: keys
-- rules: key_of_end
SELECT m.Name FROM Movie m WHERE EXISTS (SELECT 1 FROM IN_GENRE WHERE $from_id = m.Id)
-- meant
SELECT m.Name FROM Movie m WHERE EXISTS (SELECT 1 FROM IN_GENRE WHERE $from_id = m.$node_id)

-- name: keys in a join in parentheses
-- class: keys
-- rules: edge_keys node_columns
SELECT m.Name, s.Title FROM Movie AS m LEFT JOIN (PART_OF_SERIES AS p JOIN Series AS s ON s.Id = p.SeriesId) ON p.MovieId = m.Id
-- meant
SELECT m.Name, s.Name FROM Movie AS m LEFT JOIN (PART_OF_SERIES AS p JOIN Series AS s ON s.$node_id = p.$to_id) ON p.$from_id = m.$node_id

-- name: a bare key beside two tables
-- class: keys
-- unfixable: it could mean something else
SELECT m.Name FROM Movie m JOIN IN_GENRE e ON e.$from_id = m.$node_id WHERE Id IN (SELECT $from_id FROM SET_IN)

-- name: both ends of an edge turned
-- class: keys
-- rules: turned_ends
SELECT g.Name FROM Movie m JOIN IN_GENRE e ON m.$node_id = e.$to_id JOIN Genre g ON g.$node_id = e.$from_id WHERE m.Name = 'Alien'
-- meant
SELECT g.Name FROM Movie m JOIN IN_GENRE e ON m.$node_id = e.$from_id JOIN Genre g ON g.$node_id = e.$to_id WHERE m.Name = 'Alien'

-- name: one end of an edge turned under NOT EXISTS
-- class: keys
-- rules: turned_ends
SELECT COUNT(*) AS n FROM Movie m WHERE NOT EXISTS (SELECT 1 FROM IN_GENRE e WHERE e.$to_id = m.$node_id)
-- meant
SELECT COUNT(*) AS n FROM Movie m WHERE NOT EXISTS (SELECT 1 FROM IN_GENRE e WHERE e.$from_id = m.$node_id)

-- name: an end turned under NOT IN
-- class: keys
-- rules: turned_ends
SELECT m.Name FROM Movie m WHERE m.$node_id NOT IN (SELECT e.$to_id FROM IN_GENRE e)
-- meant
SELECT m.Name FROM Movie m WHERE m.$node_id NOT IN (SELECT e.$from_id FROM IN_GENRE e)

-- name: an end turned under ALL
-- class: keys
-- rules: turned_ends
SELECT m.Name FROM Movie m WHERE m.$node_id <> ALL (SELECT $to_id FROM IN_GENRE)
-- meant
SELECT m.Name FROM Movie m WHERE m.$node_id <> ALL (SELECT $from_id FROM IN_GENRE)

-- name: both ends turned in a subquery
-- class: keys
-- rules: turned_ends
SELECT m.Name FROM Movie m WHERE m.$node_id IN (SELECT e.$to_id FROM IN_GENRE e JOIN Genre g ON g.$node_id = e.$from_id WHERE g.Name = 'War')
-- meant
SELECT m.Name FROM Movie m WHERE m.$node_id IN (SELECT e.$from_id FROM IN_GENRE e JOIN Genre g ON g.$node_id = e.$to_id WHERE g.Name = 'War')

-- name: a bare end turned under EXISTS
-- class: keys
-- rules: turned_ends
SELECT m.Name FROM Movie m WHERE EXISTS (SELECT 1 FROM IN_GENRE WHERE $to_id = m.$node_id)
-- meant
SELECT m.Name FROM Movie m WHERE EXISTS (SELECT 1 FROM IN_GENRE WHERE $from_id = m.$node_id)

-- name: an end turned before the subquery
-- class: keys
-- rules: turned_ends
SELECT COUNT(*) AS n FROM IN_GENRE e WHERE e.$to_id IN (SELECT m.$node_id FROM Movie m WHERE m.Id < 9)
-- meant
SELECT COUNT(*) AS n FROM IN_GENRE e WHERE e.$from_id IN (SELECT m.$node_id FROM Movie m WHERE m.Id < 9)

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

-- name: FOR XML PATH
-- class: listing
-- rules: xml_listing
SELECT STUFF((SELECT ', ' + g.Name FROM Genre g WHERE g.Id > 1 ORDER BY g.Name FOR XML PATH('')), 1, 2, '') AS x
-- meant
SELECT (SELECT STRING_AGG(g.Name, ', ') WITHIN GROUP (ORDER BY g.Name) FROM Genre g WHERE g.Id > 1) AS x

-- name: FOR XML PATH with TYPE
-- class: listing
-- rules: xml_listing
SELECT STUFF((SELECT DISTINCT '; ' + g.Name AS [text()] FROM Genre g FOR XML PATH(''), TYPE).value('.', 'NVARCHAR(MAX)'), 1, 2, '') AS x
-- meant
SELECT (SELECT STRING_AGG(u.v, '; ') FROM (SELECT DISTINCT g.Name AS v FROM Genre g) AS u) AS x

-- name: DISTINCT
-- class: listing
-- rules: distinct_listing
SELECT STRING_AGG(DISTINCT g.Name, ', ') AS x FROM Genre g WHERE g.Id > 1
-- meant
SELECT STRING_AGG(u.v, ', ') AS [x] FROM (SELECT DISTINCT g.Name AS v FROM Genre g WHERE g.Id > 1) AS u

-- name: a head of another length
-- class: listing
-- unfixable: it could mean something else
SELECT STUFF((SELECT ', ' + g.Name FROM Genre g FOR XML PATH('')), 1, 1, '') AS x

-- name: elements
-- class: listing
-- unfixable: it could mean something else
SELECT STUFF((SELECT ', ' + g.Name FROM Genre g FOR XML PATH('g')), 1, 2, '') AS x

-- name: a missing comma
-- class: lists
-- rules: missing_comma
SELECT m.Id m.Name FROM Movie m
-- meant
SELECT m.Id, m.Name FROM Movie m

-- name: a derived table without a name
-- class: lists
-- rules: derived_alias
SELECT Name FROM (SELECT Name FROM Movie)
-- meant
SELECT Name FROM (SELECT Name FROM Movie) AS d1

-- name: a derived column without a name
-- class: lists
-- rules: derived_name
SELECT x.Id FROM (SELECT Id, LEN(Name) FROM Movie) AS x
-- meant
SELECT x.Id FROM (SELECT Id, LEN(Name) AS v2 FROM Movie) AS x

-- name: IS with a value
-- class: lists
-- rules: is_value
SELECT Name FROM Movie WHERE Id IS NOT 3
-- meant
SELECT Name FROM Movie WHERE Id <> 3

-- name: IN without parentheses
-- class: lists
-- rules: bare_list
SELECT Name FROM Movie WHERE Id IN 1, 2
-- meant
SELECT Name FROM Movie WHERE Id IN (1, 2)

-- name: IN with square brackets
-- class: lists
-- rules: bracketed_list
SELECT Name FROM Movie WHERE Id IN [1, 2]
-- meant
SELECT Name FROM Movie WHERE Id IN (1, 2)

-- name: CASE without END
-- class: lists
-- rules: missing_end
SELECT CASE WHEN Id = 1 THEN 'a' ELSE 'b' AS x FROM Movie
-- meant
SELECT CASE WHEN Id = 1 THEN 'a' ELSE 'b' END AS x FROM Movie

-- name: else when
-- class: lists
-- rules: else_when
SELECT CASE WHEN Id > 5 THEN 'a' ELSE IF Id > 3 THEN 'b' END AS x FROM Movie
-- meant
SELECT CASE WHEN Id > 5 THEN 'a' WHEN Id > 3 THEN 'b' END AS x FROM Movie

-- name: listed and
-- class: lists
-- rules: listed_and
SELECT m.Name AND m.Id FROM Movie m
-- meant
SELECT m.Name, m.Id FROM Movie m

-- name: blank alias
-- class: lists
-- rules: blank_alias
SELECT m.Name AS Film Title, m.Id FROM Movie m
-- meant
SELECT m.Name AS [Film Title], m.Id FROM Movie m

-- name: value names
-- class: lists
-- rules: value_names
SELECT v.column1 FROM (VALUES (1), (2)) AS v
-- meant
SELECT v.column1 FROM (VALUES (1), (2)) AS v(column1)

-- name: plural
-- class: names
-- rules: unknown_tables
SELECT m.Name FROM Movies m
-- meant
SELECT m.Name FROM Movie m

-- name: typo of a table
-- class: names
-- rules: unknown_tables
SELECT s.Name FROM Settting s
-- meant
SELECT s.Name FROM Setting s

-- name: plural of an edge
-- class: names
-- rules: unknown_tables
SELECT m.Name FROM Movie m, features_characters f, Character c WHERE MATCH(m-(f)->c)
-- meant
SELECT m.Name FROM Movie m, FEATURES_CHARACTER f, Character c WHERE MATCH(m-(f)->c)

-- name: table of CONTAINSTABLE
-- class: names
-- rules: unknown_tables
SELECT TOP 5 k.[KEY] FROM CONTAINSTABLE(Movies, Name, 'war') AS k
-- meant
SELECT TOP 5 k.[KEY] FROM CONTAINSTABLE(Movie, Name, 'war') AS k

-- name: schema of another dialect
-- class: names
-- rules: foreign_schema
SELECT m.Name FROM public.Movie m
-- meant
SELECT m.Name FROM Movie m

-- name: table where its alias belongs
-- class: names
-- rules: table_as_alias
SELECT Movie.Name FROM Movie m WHERE Movie.Id = 3
-- meant
SELECT m.Name FROM Movie m WHERE m.Id = 3

-- name: alias never given
-- class: names
-- rules: missing_alias
SELECT m.Name FROM Movie WHERE m.Id = 3
-- meant
SELECT m.Name FROM Movie AS m WHERE m.Id = 3

-- name: Title
-- class: names
-- rules: node_columns
SELECT m.Title FROM Movie m
-- meant
SELECT m.Name FROM Movie m

-- name: Plot, wherever it stands
-- class: names
-- rules: node_columns
SELECT m.Name, m.plot FROM Movie m WHERE m.Plot LIKE '%Plot%'
-- meant
SELECT m.Name, m.Content FROM Movie m WHERE m.Content LIKE '%Plot%'

-- name: Year
-- class: names
-- rules: node_columns
SELECT m.Name FROM Movie m WHERE m.Year > 1999
-- meant
SELECT m.Name FROM Movie m WHERE m.ReleaseYear > 1999

-- name: underscore
-- class: names
-- rules: node_columns
SELECT m.Name FROM Movie m WHERE m.release_year > 1999
-- meant
SELECT m.Name FROM Movie m WHERE m.ReleaseYear > 1999

-- name: typo
-- class: names
-- rules: node_columns
SELECT m.Nmae FROM Movie m
-- meant
SELECT m.Name FROM Movie m

-- name: the table whose column the contract describes by the word
-- class: names
-- rules: unknown_column
SELECT Title FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)

-- name: keys that an edge does not have
-- class: names
-- rules: edge_keys
SELECT m.Name FROM Movie m JOIN SET_IN e ON e.MovieId = m.Id JOIN Setting s ON s.Id = e.setting_id
-- meant
SELECT m.Name FROM Movie m JOIN SET_IN e ON e.$from_id = m.$node_id JOIN Setting s ON s.$node_id = e.$to_id

-- name: near alias
-- class: names
-- rules: near_alias
SELECT mov.Name FROM Movie m
-- meant
SELECT m.Name FROM Movie m

-- name: unknown tables
-- class: names
-- rules: unknown_tables
SELECT f.Name FROM tbl_Movie f
-- meant
SELECT f.Name FROM Movie f

-- name: unknown tables 2
-- class: names
-- rules: unknown_tables
WITH old_films AS (SELECT Id FROM Movie) SELECT o.Id FROM old_film o
-- meant
WITH old_films AS (SELECT Id FROM Movie) SELECT o.Id FROM old_films o

-- name: unknown tables 3
-- class: names
-- rules: unknown_tables
SELECT l.Name FROM Locations l
-- meant
SELECT l.Name FROM Setting l

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

-- name: outer order
-- class: orders
-- rules: outer_order
SELECT x.Name FROM (SELECT m.Name FROM Movie m ORDER BY m.Id DESC) x LIMIT 3
-- meant
SELECT x.Name FROM (SELECT m.Name, m.Id AS order1 FROM Movie m) x ORDER BY x.order1 DESC LIMIT 3

-- name: outer order 2
-- class: orders
-- rules: outer_order
WITH x AS (SELECT m.Id, m.Name AS Title FROM Movie m ORDER BY m.Name) SELECT TOP 3 * FROM x
-- meant
WITH x AS (SELECT m.Id, m.Name AS Title FROM Movie m) SELECT TOP 3 * FROM x ORDER BY x.Title

-- name: unlisted order
-- class: orders
-- rules: unlisted_order
SELECT DISTINCT m.Name FROM Movie m ORDER BY m.ReleaseYear DESC
-- meant
SELECT m.Name FROM Movie m GROUP BY m.Name ORDER BY MAX(m.ReleaseYear) DESC

-- name: unlisted order, ascending
-- class: orders
-- rules: unlisted_order
SELECT DISTINCT TOP 5 m.Name FROM Movie m WHERE m.ReleaseYear > 1980 ORDER BY m.ReleaseYear, m.Name
-- meant
SELECT TOP 5 m.Name FROM Movie m WHERE m.ReleaseYear > 1980 GROUP BY m.Name ORDER BY MIN(m.ReleaseYear), m.Name

-- name: unlisted order beside the key
-- class: orders
-- rules: unlisted_order
SELECT DISTINCT m.Id, m.Name FROM Movie m ORDER BY m.ReleaseYear DESC, m.Content
-- meant
SELECT m.Id, m.Name FROM Movie m GROUP BY m.Id, m.Name ORDER BY MAX(m.ReleaseYear) DESC, MIN(m.Content)

-- name: two columns unlisted behind a name
-- class: orders
-- unfixable: the least year and the least plot of films of one name need not be of one film
SELECT DISTINCT m.Name FROM Movie m ORDER BY m.ReleaseYear, m.Content

-- name: arm order
-- class: orders
-- rules: arm_order
SELECT Name FROM Genre ORDER BY Name UNION SELECT Name FROM Theme
-- meant
SELECT Name FROM Genre UNION SELECT Name FROM Theme

-- name: sorted arms
-- class: orders
-- rules: sorted_arms
SELECT TOP 1 Name FROM Genre ORDER BY Id UNION ALL SELECT TOP 1 Name FROM Theme ORDER BY Id
-- meant
SELECT * FROM (SELECT TOP 1 Name FROM Genre ORDER BY Id) AS a1 UNION ALL SELECT * FROM (SELECT TOP 1 Name FROM Theme ORDER BY Id) AS a2

-- name: an order beside an unknown column
-- class: orders
-- unfixable: it could mean something else
SELECT TOP 3 COUNT(*) AS n FROM (SELECT TOP 5 Id FROM Movie ORDER BY Id) x WHERE x.Nothing = 1

-- name: DISTINCT sorted by another table
-- class: orders
-- unfixable: it could mean something else
SELECT DISTINCT t.Name FROM Theme t, INCLUDES_THEME e, Movie m WHERE MATCH(m-(e)->t) ORDER BY m.ReleaseYear

-- name: a vector
-- class: parameters
-- rules: declaration
DECLARE @v VECTOR(3) = '[1,2,3]'; SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @v)
-- meant
SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- name: a vector set later
-- class: parameters
-- rules: harmless_preamble declaration
SET NOCOUNT ON; DECLARE @q VECTOR(3); SET @q = AI_GENERATE_EMBEDDINGS('x' USE MODEL y); SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)
-- meant
SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- name: values
-- class: parameters
-- rules: declaration
DECLARE @a INT = 1970, @b NVARCHAR(20) = N'%Star%'; SELECT Name FROM Movie WHERE ReleaseYear > @a AND Name LIKE @b
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > 1970 AND Name LIKE N'%Star%'

-- name: a vector of the graph
-- class: parameters
-- rules: declaration
DECLARE @v VECTOR(3) = (SELECT Embedding FROM Movie WHERE Id = 1); SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @v)
-- meant
SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, (SELECT Embedding FROM Movie WHERE Id = 1))

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
-- rules: declaration
DECLARE @shift INT = -10; SELECT COUNT(*) AS n FROM Movie WHERE ReleaseYear = 1989 -@shift AND Name LIKE 'Alien%'
-- meant
SELECT COUNT(*) AS n FROM Movie WHERE ReleaseYear = 1989 -(-10) AND Name LIKE 'Alien%'

-- name: a whole number declared as FLOAT
-- class: parameters
-- rules: declaration
DECLARE @total FLOAT = 100; SELECT ReleaseYear, COUNT(*) / @total AS share FROM Movie GROUP BY ReleaseYear
-- meant
SELECT ReleaseYear, COUNT(*) / CAST(100 AS FLOAT) AS share FROM Movie GROUP BY ReleaseYear

-- name: a fraction declared as INT
-- class: parameters
-- rules: declaration
DECLARE @a INT = 3.7, @d DATE = '2020-01-01'; SELECT @a AS a, YEAR(@d) AS y
-- meant
SELECT CAST(3.7 AS INT) AS a, YEAR(CAST('2020-01-01' AS DATE)) AS y

-- name: texts within their length, and beyond
-- class: parameters
-- rules: declaration
DECLARE @a VARCHAR(MAX) = 'Alien', @b NVARCHAR(3) = N'classic'; SELECT Name FROM Movie WHERE Name = @a OR Name = @b
-- meant
SELECT Name FROM Movie WHERE Name = 'Alien' OR Name = CAST(N'classic' AS NVARCHAR(3))

-- name: a count of rows that is no INT
-- class: parameters
-- rules: declaration
DECLARE @n BIGINT = 5; SELECT TOP (@n) Name FROM Movie WHERE Id > @n ORDER BY Id
-- meant
SELECT TOP (5) Name FROM Movie WHERE Id > CAST(5 AS BIGINT) ORDER BY Id

-- name: a value of the graph with its type
-- class: parameters
-- rules: declaration
DECLARE @m FLOAT = (SELECT MAX(Id) FROM Movie); SELECT Name FROM Movie WHERE Id / @m > 0.9
-- meant
SELECT Name FROM Movie WHERE Id / CAST((SELECT MAX(Id) FROM Movie) AS FLOAT) > 0.9

-- name: a vector of a text by variable
-- class: parameters
-- rules: declaration
DECLARE @t NVARCHAR(100) = N'romantic comedy'; DECLARE @v VECTOR(3) = AI_GENERATE_EMBEDDINGS(@t USE MODEL m); SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @v)
-- meant
SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

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

-- name: FOR PATH left out
-- class: paths
-- rules: for_path
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE e, Genre AS g, IN_GENRE f, dbo.Movie AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+))
-- meant
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+))

-- name: anchor FOR PATH
-- class: paths
-- rules: for_path
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie FOR PATH a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+))
-- meant
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+))

-- name: FOR PATH behind an alias
-- class: paths
-- rules: for_path
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE e, Genre AS g FOR PATH, IN_GENRE f, dbo.Movie AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+))
-- meant
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+))

-- name: anchor behind
-- class: paths
-- rules: for_path
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE e, Genre AS g, IN_GENRE f, dbo.Movie AS b WHERE MATCH(SHORTEST_PATH((b-(f)->g<-(e)-)+a))
-- meant
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH((b-(f)->g<-(e)-)+a))

-- name: before FOR JSON PATH
-- class: paths
-- rules: for_path
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE e, Genre AS g, IN_GENRE f, dbo.Movie AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+)) FOR JSON PATH
-- meant
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+)) FOR JSON PATH

-- name: wrong arrow behind the anchor
-- class: paths
-- rules: turned_arrow
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(<-(e)-g<-(f)-b)+))
-- meant
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+))

-- name: wrong arrow on the way back
-- class: paths
-- rules: turned_arrow
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->g-(f)->b){1,3}))
-- meant
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b){1,3}))

-- name: wrong arrow from the last node
-- class: paths
-- rules: turned_arrow
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b, SET_IN i, Setting s WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+) AND LAST_NODE(b)<-(i)-s)
-- meant
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b, SET_IN i, Setting s WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+) AND LAST_NODE(b)-(i)->s)

-- name: wrong arrow to the last node
-- class: paths
-- rules: turned_arrow
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b, SET_IN i, Setting s WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+) AND s-(i)->LAST_NODE(b))
-- meant
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b, SET_IN i, Setting s WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+) AND s<-(i)-LAST_NODE(b))

-- name: edges in brackets
-- class: paths
-- rules: match_shape
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-[e]->g<-[f]-b)+))
-- meant
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, dbo.Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+))

-- name: named in match
-- class: patterns
-- rules: named_in_match
SELECT g.Name FROM Movie m WHERE MATCH(m-(IN_GENRE e)->(Genre g))
-- meant
SELECT g.Name FROM IN_GENRE AS e, Genre AS g, Movie m WHERE MATCH(m-(e)->g)

-- name: loose match
-- class: patterns
-- rules: loose_match
SELECT g.Name FROM Movie m, IN_GENRE e, Genre g MATCH (m-(e)->g) WHERE g.Id = 1 OR g.Id = 2
-- meant
SELECT g.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH (m-(e)->g) AND (g.Id = 1 OR g.Id = 2)

-- name: dotted range
-- class: patterns
-- rules: dotted_range
SELECT a.Name, LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, SET_IN FOR PATH e, Setting FOR PATH s, SET_IN FOR PATH f, Movie FOR PATH b WHERE MATCH(SHORTEST_PATH(a(-(e)->s<-(f)-b){1..2})) AND a.Id = 1
-- meant
SELECT a.Name, LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, SET_IN FOR PATH e, Setting FOR PATH s, SET_IN FOR PATH f, Movie FOR PATH b WHERE MATCH(SHORTEST_PATH(a(-(e)->s<-(f)-b){1,2})) AND a.Id = 1

-- name: filtered match
-- class: patterns
-- rules: filtered_match
SELECT m.Name FROM Movie m, SET_IN e, Setting s WHERE MATCH(m-(e)->s AND s.Name = 'Paris')
-- meant
SELECT m.Name FROM Movie m, SET_IN e, Setting s WHERE MATCH(m-(e)->s) AND s.Name = 'Paris'

-- name: REGEXP
-- class: regular
-- rules: regular_expression
SELECT Name FROM Movie WHERE Name REGEXP '^Star'
-- meant
SELECT Name FROM Movie WHERE Name LIKE 'Star%'

-- name: a tilde
-- class: regular
-- rules: regular_expression
SELECT Name FROM Movie WHERE Name ~* 'star|dune'
-- meant
SELECT Name FROM Movie WHERE (Name LIKE '%star%' OR Name LIKE '%dune%')

-- name: NOT REGEXP
-- class: regular
-- rules: regular_expression
SELECT Name FROM Movie WHERE Name NOT REGEXP 'star|dune'
-- meant
SELECT Name FROM Movie WHERE (Name NOT LIKE '%star%' AND Name NOT LIKE '%dune%')

-- name: a real regular expression
-- class: regular
-- rules: regular_expression
SELECT Name FROM Movie WHERE Name NOT REGEXP '^S.*[0-9]+$'
-- meant
SELECT Name FROM Movie WHERE NOT REGEXP_LIKE(Name, '^S.*[0-9]+$', 'i')

-- name: REGEXP_CONTAINS
-- class: regular
-- rules: regular_expression
SELECT Name FROM Movie WHERE REGEXP_CONTAINS(Name, '^S')
-- meant
SELECT Name FROM Movie WHERE REGEXP_LIKE(Name, '^S')

-- name: DIV
-- class: regular
-- rules: integer_division
SELECT ReleaseYear DIV 10 AS d FROM Movie
-- meant
SELECT ReleaseYear / 10 AS d FROM Movie

-- name: a form of a date
-- class: regular
-- rules: dated_form
SELECT Name FROM Movie WHERE ReleaseYear > STRFTIME('%Y', 'now')
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > YEAR(GETDATE())

-- name: LPAD
-- class: regular
-- rules: padded
SELECT LPAD(Name, 3, '0') AS n FROM Movie
-- meant
SELECT RIGHT(REPLICATE('0', 3) + LEFT(Name, 3), 3) AS n FROM Movie

-- name: DECODE
-- class: regular
-- rules: decoded
SELECT DECODE(Id, 1, 'a', 2, 'b') AS n FROM Movie
-- meant
SELECT CASE Id WHEN 1 THEN 'a' WHEN 2 THEN 'b' END AS n FROM Movie

-- name: STARTS_WITH
-- class: regular
-- rules: ended_text
SELECT Name FROM Movie WHERE STARTS_WITH(Name, 'Star')
-- meant
SELECT Name FROM Movie WHERE Name LIKE 'Star%'

-- name: null-safe equality
-- class: regular
-- rules: null_safe_equality
SELECT Name FROM Movie WHERE Id <=> 3
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: ANY of an array
-- class: regular
-- rules: listed_any
SELECT Name FROM Movie WHERE Id = ANY(ARRAY[1, 2])
-- meant
SELECT Name FROM Movie WHERE Id IN (1, 2)

-- name: LIKE ANY
-- class: regular
-- rules: listed_any
SELECT Name FROM Movie WHERE Name LIKE ANY (ARRAY['a%', 'b%'])
-- meant
SELECT Name FROM Movie WHERE (Name LIKE 'a%' OR Name LIKE 'b%')

-- name: LIMIT in a CTE
-- class: regular
-- rules: limit_offset
WITH a AS (SELECT Id FROM Movie ORDER BY ReleaseYear LIMIT 4) SELECT Id FROM a
-- meant
WITH a AS (SELECT TOP 4 Id FROM Movie ORDER BY ReleaseYear ) SELECT Id FROM a

-- name: FROM DUAL
-- class: regular
-- rules: dual
SELECT 1 AS one FROM DUAL
-- meant
SELECT 1 AS one

-- name: TO_CHAR of a number
-- class: regular
-- rules: renamed_functions
SELECT TO_CHAR(ReleaseYear) AS y FROM Movie
-- meant
SELECT CAST(ReleaseYear AS NVARCHAR(30)) AS y FROM Movie

-- name: an operator turned round
-- class: regular
-- rules: turned_operator
SELECT Name FROM Movie WHERE Id => 3
-- meant
SELECT Name FROM Movie WHERE Id >= 3

-- name: FETCH without a number
-- class: regular
-- rules: fetch_first
SELECT Name FROM Movie ORDER BY Id FETCH FIRST ROW ONLY
-- meant
SELECT TOP 1 Name FROM Movie ORDER BY Id 

-- name: a string with a prefix
-- class: regular
-- rules: escape_string
SELECT Name FROM Movie WHERE Name = E'Dune'
-- meant
SELECT Name FROM Movie WHERE Name = 'Dune'

-- name: ROWNUM
-- class: regular
-- rules: row_number_limit
SELECT Name FROM Movie WHERE ROWNUM <= 5 AND Id > 1
-- meant
SELECT TOP 5 Name FROM Movie WHERE Id > 1

-- name: EXCEPT of a star
-- class: regular
-- rules: star_without
SELECT * EXCEPT (Embedding, Content) FROM Movie
-- meant
SELECT Id, Name, ReleaseYear FROM Movie

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

-- name: boolean mode
-- class: searches
-- rules: match_against
SELECT Name FROM Movie WHERE MATCH(Content) AGAINST('desert "far away" -farm' IN BOOLEAN MODE)
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, '("desert" OR "far away") AND NOT "farm"')

-- name: boolean mode with required words
-- class: searches
-- rules: match_against
SELECT Name FROM Movie WHERE MATCH(Content) AGAINST('+desert +plan*' IN BOOLEAN MODE)
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, '"desert" AND "plan*"')

-- name: to_tsquery
-- class: searches
-- rules: text_query
SELECT Name FROM Movie WHERE to_tsvector('english', Content) @@ to_tsquery('english', 'desert & !farm | ship:*')
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, '"desert" AND NOT "farm" OR "ship*"')

-- name: phraseto_tsquery
-- class: searches
-- rules: text_query
SELECT Name FROM Movie m WHERE to_tsvector(m.Content) @@ phraseto_tsquery('desert planet')
-- meant
SELECT Name FROM Movie m WHERE CONTAINS(m.Content, '"desert planet"')

-- name: websearch_to_tsquery
-- class: searches
-- rules: text_query
SELECT Name FROM Movie WHERE Content @@ websearch_to_tsquery('"desert planet" or ship -farm')
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, '"desert planet" OR "ship" AND NOT "farm"')

-- name: MATCH of a column
-- class: searches
-- rules: column_match
SELECT Name FROM Movie WHERE Content MATCH 'planet'
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, 'planet')

-- name: a table as the column
-- class: searches
-- rules: whole_table
SELECT m.Name FROM Movie m WHERE CONTAINS(m, 'planet')
-- meant
SELECT m.Name FROM Movie m WHERE CONTAINS((m.Name, m.Content), 'planet')

-- name: an alias in CONTAINSTABLE
-- class: searches
-- rules: ranked_table
SELECT k.[KEY] FROM Movie m JOIN CONTAINSTABLE(m, m.Content, 'planet') k ON k.[KEY] = m.Id
-- meant
SELECT k.[KEY] FROM Movie m JOIN CONTAINSTABLE(Movie, Content, 'planet') k ON k.[KEY] = m.Id

-- name: quotes of quotes
-- class: searches
-- rules: doubled_quotes
SELECT Name FROM Movie WHERE CONTAINS(Content, ''desert planet'')
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, '"desert planet"')

-- name: OR NOT
-- class: searches
-- rules: either_not
SELECT Name FROM Movie WHERE CONTAINS(Content, 'planet OR NOT farm')
-- meant
SELECT Name FROM Movie WHERE (CONTAINS(Content, 'planet') OR NOT CONTAINS(Content, 'farm'))

-- name: joined texts
-- class: searches
-- rules: joined_texts
SELECT Id FROM Movie WHERE CONTAINS(Content, 'desert' OR 'deep space')
-- meant
SELECT Id FROM Movie WHERE CONTAINS(Content, '"desert" OR "deep space"')

-- name: infix contains
-- class: searches
-- rules: infix_contains
SELECT Id FROM Movie m WHERE m.Content CONTAINS 'planet' AND m.Name.startswith('D')
-- meant
SELECT Id FROM Movie m WHERE m.Content LIKE '%planet%' AND m.Name LIKE 'D%'

-- name: enclosed columns
-- class: searches
-- rules: enclosed_columns
SELECT Id FROM Movie WHERE FREETEXT('Name, Content', 'wolf')
-- meant
SELECT Id FROM Movie WHERE FREETEXT((Name, Content), 'wolf')

-- name: expansion
-- class: searches
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE MATCH(Content) AGAINST('planet' WITH QUERY EXPANSION)

-- name: required and optional words
-- class: searches
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE MATCH(Content) AGAINST('+planet farm' IN BOOLEAN MODE)

-- name: glued keyword
-- class: spelling
-- rules: glued_keyword
SELECT m.Name, m.ReleaseYearFROM Movie m
-- meant
SELECT m.Name, m.ReleaseYear FROM Movie m

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

-- name: language tag
-- class: syntax
-- rules: prose_before
sql
SELECT m.Name FROM Movie m WHERE m.Id IN (1, 2)
-- meant
SELECT m.Name FROM Movie m WHERE m.Id IN (1, 2)

-- name: parenthesis too many
-- class: syntax
-- rules: closing_parenthesis
SELECT m.Name FROM Movie m WHERE m.Id IN (1, 2))
-- meant
SELECT m.Name FROM Movie m WHERE m.Id IN (1, 2)

-- name: parenthesis missing
-- class: syntax
-- rules: missing_parenthesis
SELECT m.Name FROM Movie m WHERE m.Id IN (1, 2
-- meant
SELECT m.Name FROM Movie m WHERE m.Id IN (1, 2)

-- name: RECURSIVE without recursion
-- class: syntax
-- rules: recursive_word
WITH RECURSIVE a AS (SELECT m.Id FROM Movie m) SELECT a.Id FROM a
-- meant
WITH a AS (SELECT m.Id FROM Movie m) SELECT a.Id FROM a

-- name: signs as HTML writes them
-- class: syntax
-- rules: html_entities
SELECT m.Id FROM Movie m WHERE m.ReleaseYear &gt;= 1990 AND m.ReleaseYear &lt;&#62; 1999 AND m.Name &ne; 'Tom &amp; Jerry'
-- meant
SELECT m.Id FROM Movie m WHERE m.ReleaseYear >= 1990 AND m.ReleaseYear <> 1999 AND m.Name <> 'Tom &amp; Jerry'

-- name: quotes as HTML writes them
-- class: syntax
-- rules: html_entities
SELECT m.Id FROM Movie m WHERE m.Name = &#39;Tom &amp; Jerry&apos;
-- meant
SELECT m.Id FROM Movie m WHERE m.Name = 'Tom & Jerry'

-- name: RECURSIVE with columns, without recursion
-- class: syntax
-- rules: recursive_word
WITH RECURSIVE a(n) AS (SELECT m.Id FROM Movie m) SELECT a.n FROM a
-- meant
WITH a(n) AS (SELECT m.Id FROM Movie m) SELECT a.n FROM a

-- name: apostrophe
-- class: syntax
-- rules: apostrophe
SELECT m.Id FROM Movie m WHERE m.Name = 'Schindler's List'
-- meant
SELECT m.Id FROM Movie m WHERE m.Name = 'Schindler''s List'

-- name: curly quotes and signs
-- class: syntax
-- rules: typographic_characters
SELECT m.Id FROM Movie m WHERE m.Name = ‘Jaws’ AND m.Id ≥ 3
-- meant
SELECT m.Id FROM Movie m WHERE m.Name = 'Jaws' AND m.Id >= 3

-- name: comma that lists nothing
-- class: syntax
-- rules: stray_comma
SELECT m.Id, (m.ReleaseYear,) AS y FROM Movie m
-- meant
SELECT m.Id, (m.ReleaseYear) AS y FROM Movie m

-- name: escaped apostrophe
-- class: syntax
-- rules: escaped_apostrophe
SELECT Id FROM Movie WHERE Name = 'Schindler\'s List'
-- meant
SELECT Id FROM Movie WHERE Name = 'Schindler''s List'

-- name: closing parenthesis
-- class: syntax
-- rules: closing_parenthesis
SELECT Name FROM Movie WHERE LEN(Name)) > 3
-- meant
SELECT Name FROM Movie WHERE LEN(Name) > 3

-- name: closing parenthesis 2
-- class: syntax
-- rules: closing_parenthesis
SELECT COUNT(Id)) AS n FROM Movie
-- meant
SELECT COUNT(Id) AS n FROM Movie

-- name: missing parenthesis
-- class: syntax
-- rules: missing_parenthesis
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g AND g.Name = 'Drama'
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND g.Name = 'Drama'

-- name: missing parenthesis 2
-- class: syntax
-- rules: missing_parenthesis
SELECT Id FROM Movie WHERE CONTAINS(Content, 'planet' ORDER BY Id
-- meant
SELECT Id FROM Movie WHERE CONTAINS(Content, 'planet') ORDER BY Id

-- name: missing parenthesis 3
-- class: syntax
-- rules: missing_parenthesis
SELECT UPPER(Name AS n FROM Movie
-- meant
SELECT UPPER(Name) AS n FROM Movie

-- name: second with
-- class: syntax
-- rules: second_with
WITH a AS (SELECT Id FROM Movie) WITH b AS (SELECT Id FROM a) SELECT Id FROM b
-- meant
WITH a AS (SELECT Id FROM Movie), b AS (SELECT Id FROM a) SELECT Id FROM b

-- name: recursive word
-- class: syntax
-- rules: recursive_word
WITH a AS NOT MATERIALIZED (SELECT Id FROM Movie) SELECT Id FROM a
-- meant
WITH a AS (SELECT Id FROM Movie) SELECT Id FROM a

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

-- name: an order that a subquery cannot have
-- class: syntax
-- rules: unclosed_parenthesis
SELECT m.Id FROM Movie m WHERE m.Id IN (SELECT x.Id FROM Movie x ORDER BY m.Id
-- meant
SELECT m.Id FROM Movie m WHERE m.Id IN (SELECT x.Id FROM Movie x) ORDER BY m.Id

-- name: an open text
-- class: syntax
-- rules: unpaired_quote
SELECT m.Id FROM Movie m WHERE m.Name = 'Jaws
-- meant
SELECT m.Id FROM Movie m WHERE m.Name = 'Jaws'

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

-- name: query parameter 2
-- class: vectors
-- rules: query_parameter
SELECT t.Id FROM VECTOR_SEARCH(TABLE = Theme AS t, COLUMN = Embedding, SIMILAR_TO = @v, METRIC = 'cosine', TOP_N = 3) AS s
-- meant
SELECT t.Id FROM VECTOR_SEARCH(TABLE = Theme AS t, COLUMN = Embedding, SIMILAR_TO = @q, METRIC = 'cosine', TOP_N = 3) AS s

-- name: cast query
-- class: vectors
-- rules: cast_query
SELECT TOP 3 Id FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, CAST(@q AS VECTOR(384)))
-- meant
SELECT TOP 3 Id FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- name: named arguments
-- class: vectors
-- rules: named_arguments
SELECT TOP 3 Id FROM Movie ORDER BY VECTOR_DISTANCE(metric => 'cosine', Embedding, @q)
-- meant
SELECT TOP 3 Id FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- name: dotted function
-- class: vectors
-- rules: dotted_function vector_functions
SELECT TOP 3 Id, vector.similarity.cosine(Embedding, @q) AS s FROM Movie ORDER BY s DESC
-- meant
SELECT TOP 3 Id, 1 - VECTOR_DISTANCE('cosine', Embedding, @q) AS s FROM Movie ORDER BY s DESC

-- name: distinct on
-- class: windowed
-- rules: distinct_on
SELECT DISTINCT ON (m.ReleaseYear) m.ReleaseYear, m.Name FROM Movie m ORDER BY m.ReleaseYear, m.Id DESC LIMIT 3
-- meant
SELECT w1.[ReleaseYear], w1.[Name] FROM (SELECT m.ReleaseYear, m.Name, ROW_NUMBER() OVER (PARTITION BY m.ReleaseYear ORDER BY m.ReleaseYear, m.Id DESC) AS place, m.Id AS order1 FROM Movie m) AS w1 WHERE w1.place = 1 ORDER BY w1.[ReleaseYear], w1.[order1] DESC LIMIT 3

-- name: window filter
-- class: windowed
-- rules: window_filter
SELECT m.Id, m.Name FROM Movie m QUALIFY RANK() OVER (ORDER BY m.ReleaseYear) <= 3 ORDER BY m.Content DESC
-- meant
SELECT w1.[Id], w1.[Name] FROM (SELECT m.Id, m.Name, RANK() OVER (ORDER BY m.ReleaseYear) AS place, m.Content AS order1 FROM Movie m) AS w1 WHERE w1.place <= 3 ORDER BY w1.[order1] DESC

-- name: window filter 2
-- class: windowed
-- rules: window_filter
SELECT TOP 2 m.* FROM Movie m WHERE ROW_NUMBER() OVER (ORDER BY m.Id) > 1 AND m.Id < 9
-- meant
SELECT TOP 2 w1.[Id], w1.[Name], w1.[ReleaseYear], w1.[Content] FROM (SELECT m.Id, m.Name, m.ReleaseYear, m.Content, ROW_NUMBER() OVER (ORDER BY m.Id) AS place FROM Movie m WHERE m.Id < 9) AS w1 WHERE w1.place > 1

-- name: DISTINCT ON without an order within
-- class: windowed
-- unfixable: it could mean something else
SELECT DISTINCT ON (m.ReleaseYear) m.ReleaseYear, m.Name FROM Movie m ORDER BY m.ReleaseYear

-- name: a window under OR
-- class: windowed
-- unfixable: it could mean something else
SELECT m.Id FROM Movie m QUALIFY ROW_NUMBER() OVER (ORDER BY m.Id) = 1 OR m.Id = 5

-- name: JSON
-- class: wrapping
-- rules: json_wrapper
{"sql": "SELECT Name FROM Movie", "top": 5}
-- meant
SELECT Name FROM Movie

-- name: a text in quotes
-- class: wrapping
-- rules: json_wrapper
"SELECT Name FROM Movie"
-- meant
SELECT Name FROM Movie

-- name: backticks
-- class: wrapping
-- rules: quoted_whole
`SELECT Name FROM Movie`
-- meant
SELECT Name FROM Movie

-- name: tags
-- class: wrapping
-- rules: quoted_whole
<thinking>One film; I SELECT it.</thinking> SELECT Name FROM Movie
-- meant
SELECT Name FROM Movie

-- name: a tag around it
-- class: wrapping
-- rules: quoted_whole
<sql>SELECT Name FROM Movie</sql>
-- meant
SELECT Name FROM Movie

-- name: breaks written out
-- class: wrapping
-- rules: escaped_breaks
SELECT Name\nFROM Movie\r\nWHERE Id = 1
-- meant
SELECT Name
FROM Movie
WHERE Id = 1

-- name: prose below
-- class: wrapping
-- rules: prose_behind
SELECT Name FROM Movie;

This lists the films.
-- meant
SELECT Name FROM Movie;

-- name: prose behind a semicolon
-- class: wrapping
-- rules: prose_behind
SELECT Name FROM Movie; This lists the films.
-- meant
SELECT Name FROM Movie;

-- name: comments
-- class: wrapping
-- rules: foreign_comment
SELECT Name # title
FROM Movie // all
WHERE Id = 1
-- meant
SELECT Name 
FROM Movie 
WHERE Id = 1

-- name: comments that hold quotes
-- class: wrapping
-- rules: foreign_comment
SELECT Name // see "Alien" and [that]
FROM Movie // WHERE Id = 2
WHERE Id = 1
-- meant
SELECT Name 
FROM Movie 
WHERE Id = 1

-- name: a comment that begins with the name of a column
-- class: wrapping
-- rules: foreign_comment
SELECT Name // name of the film
FROM Movie WHERE Id = 1
-- meant
SELECT Name 
FROM Movie WHERE Id = 1

-- name: a comment behind the last clause
-- class: wrapping
-- rules: foreign_comment
SELECT Name FROM Movie WHERE Id = 1 // only the first
-- meant
SELECT Name FROM Movie WHERE Id = 1

-- name: integer division in HAVING
-- class: operators
-- rules: integer_division
SELECT ReleaseYear, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear HAVING COUNT(*) > 4 // 2 ORDER BY n
-- meant
SELECT ReleaseYear, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear HAVING COUNT(*) > 4 / 2 ORDER BY n

-- name: integer division on a line of its own
-- class: operators
-- rules: integer_division
SELECT m.Name,
 m.ReleaseYear // 10 * 10 AS decade
FROM Movie AS m
-- meant
SELECT m.Name,
 m.ReleaseYear / 10 * 10 AS decade
FROM Movie AS m

-- name: integer division of what is computed
-- class: operators
-- rules: integer_division
SELECT (m.ReleaseYear - 1900) // 10 AS d, SUM(m.Id) // NULLIF(COUNT(*), 0) AS n FROM Movie AS m GROUP BY m.ReleaseYear
-- meant
SELECT (m.ReleaseYear - 1900) / 10 AS d, SUM(m.Id) / NULLIF(COUNT(*), 0) AS n FROM Movie AS m GROUP BY m.ReleaseYear

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
-- rules: operators
SELECT Name FROM Movie

Where Id == 1
-- meant
SELECT Name FROM Movie

Where Id = 1

-- name: a list behind an empty line
-- class: wrapping
-- rules: prose_behind operators
SELECT Name FROM Movie WHERE Id == 1

- This lists the name of the film
-- meant
SELECT Name FROM Movie WHERE Id = 1

-- name: a setting that changes how dates are read
-- class: wrapping
-- unfixable: dates are read by month, day and year
SET DATEFORMAT dmy; SELECT Name FROM Movie WHERE Id = 1

-- name: an early semicolon
-- class: wrapping
-- rules: early_semicolon
SELECT Name FROM Movie; ORDER BY Id
-- meant
SELECT Name FROM Movie ORDER BY Id

-- name: early semicolon
-- class: wrapping
-- rules: early_semicolon
WITH a AS (SELECT Id FROM Movie); SELECT Id FROM a
-- meant
WITH a AS (SELECT Id FROM Movie) SELECT Id FROM a

-- name: from first
-- class: wrapping
-- rules: from_first
FROM Movie m SELECT m.Name WHERE m.Id = 1
-- meant
SELECT m.Name FROM Movie m WHERE m.Id = 1

-- name: block
-- class: wrapping
-- rules: block
BEGIN SELECT Name FROM Movie; END
-- meant
SELECT Name FROM Movie;

-- name: backticks 2
-- class: wrapping
-- rules: backticks truth_values
SELECT `m`.`Name`, `m`.`Id` AS `order` FROM `Movie` AS `m` WHERE TRUE
-- meant
SELECT m.Name, m.Id AS [order] FROM Movie AS m WHERE 1 = 1

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

-- name: split sign
-- class: comparisons
-- rules: split_sign
SELECT Name FROM Movie WHERE Id > = 5
-- meant
SELECT Name FROM Movie WHERE Id >= 5

-- name: bare pattern
-- class: comparisons
-- rules: bare_pattern
SELECT Name FROM Movie WHERE Name LIKE %star%
-- meant
SELECT Name FROM Movie WHERE Name LIKE '%star%'

-- name: bare text
-- class: comparisons
-- rules: bare_text
SELECT Id FROM Movie WHERE Name = Dune
-- meant
SELECT Id FROM Movie WHERE Name = 'Dune'

-- name: join without on
-- class: joins
-- rules: join_without_on
SELECT a.Name FROM Movie a INNER JOIN Series s WHERE a.Name = s.Name
-- meant
SELECT a.Name FROM Movie a, Series s WHERE a.Name = s.Name

-- name: missing from
-- class: joins
-- rules: missing_word
SELECT m.Name Movie AS m WHERE m.Id = 1
-- meant
SELECT m.Name FROM Movie AS m WHERE m.Id = 1

-- name: backticks 3
-- class: wrapping
-- rules: backticks truth_values
SELECT m.Name FROM `films.dataset.Movie` AS m WHERE TRUE
-- meant
SELECT m.Name FROM Movie AS m WHERE 1 = 1

-- name: early semicolon 2
-- class: wrapping
-- rules: early_semicolon
SELECT m.Name; FROM Movie AS m
-- meant
SELECT m.Name FROM Movie AS m

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
-- rules: tilde_like
SELECT Name FROM Movie WHERE Name !~~* '%[REC]%'
-- meant
SELECT Name FROM Movie WHERE Name NOT LIKE '%[[]REC]%'

-- name: a left join without ON
-- class: joins
-- unfixable: it could mean something else
SELECT a.Name FROM Movie a LEFT JOIN Series s WHERE a.Name = s.Name

-- name: a second WHERE behind an operator
-- class: syntax
-- rules: second_where
SELECT m.Id FROM Movie m WHERE m.ReleaseYear > 1990 OR WHERE m.Name = 'Alien'
-- meant
SELECT m.Id FROM Movie m WHERE m.ReleaseYear > 1990 OR m.Name = 'Alien'

-- name: a dollar before the parameter
-- class: vectors
-- rules: query_parameter
SELECT TOP 3 m.Id FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, $q), m.Id
-- meant
SELECT TOP 3 m.Id FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q), m.Id

-- name: words left out between operands
-- class: slips
-- rules: missing_comma missing_word
SELECT m.Id m.Name FROM Movie m, IN_GENRE i Genre g WHERE MATCH(m-(i)->g) g.Name = 'War'
-- meant
SELECT m.Id, m.Name FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) AND g.Name = 'War'

-- name: WHERE and THEN left out
-- class: slips
-- rules: missing_word
SELECT CASE WHEN m.Id > 3 'a' ELSE 'b' END AS x FROM Movie m m.ReleaseYear > 1990
-- meant
SELECT CASE WHEN m.Id > 3 THEN 'a' ELSE 'b' END AS x FROM Movie m WHERE m.ReleaseYear > 1990

-- name: ON and IN left out
-- class: slips
-- rules: missing_word
SELECT a.Name FROM Movie a JOIN Movie b a.Id = b.Id WHERE b.ReleaseYear NOT (1979, 1986)
-- meant
SELECT a.Name FROM Movie a JOIN Movie b ON a.Id = b.Id WHERE b.ReleaseYear NOT IN (1979, 1986)

-- name: LIKE left out before a pattern
-- class: slips
-- rules: missing_word
SELECT Name FROM Movie WHERE Name '%war%'
-- meant
SELECT Name FROM Movie WHERE Name LIKE '%war%'

-- name: a comma between CTEs
-- class: slips
-- rules: missing_word
WITH a AS (SELECT Id FROM Movie) b AS (SELECT Id FROM Genre) SELECT a.Id FROM a JOIN b ON a.Id = b.Id
-- meant
WITH a AS (SELECT Id FROM Movie), b AS (SELECT Id FROM Genre) SELECT a.Id FROM a JOIN b ON a.Id = b.Id

-- name: a number behind a column
-- class: slips
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE ReleaseYear 1999 AND Id > 3

-- name: AND or OR left out
-- class: slips
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE Id = 1 OR Id = 2 Name = 'Alien'

-- name: a call without its parenthesis
-- class: slips
-- rules: unopened_parenthesis
SELECT COUNT *) AS n FROM Movie WHERE Id > 3
-- meant
SELECT COUNT(*) AS n FROM Movie WHERE Id > 3

-- name: a call of a column without its parenthesis
-- class: slips
-- rules: unopened_parenthesis
SELECT LEN m.Name) AS n FROM Movie m WHERE m.Id > 3
-- meant
SELECT LEN(m.Name) AS n FROM Movie m WHERE m.Id > 3

-- name: AND and OR before a closing parenthesis
-- class: slips
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE Id > 3 AND Id = 1 OR Id = 2) AND ReleaseYear > 1990

-- name: a parenthesis twice
-- class: slips
-- rules: doubled_parenthesis
SELECT ReleaseYear, COUNT((*) AS n FROM Movie GROUP BY ReleaseYear
-- meant
SELECT ReleaseYear, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear

-- name: a CTE without its end
-- class: slips
-- rules: unclosed_parenthesis
WITH x AS (SELECT Id, Name FROM Movie WHERE ReleaseYear > 1990 SELECT Name FROM x
-- meant
WITH x AS (SELECT Id, Name FROM Movie WHERE ReleaseYear > 1990) SELECT Name FROM x

-- name: a product left open
-- class: slips
-- unfixable: it could mean something else
SELECT (ReleaseYear - 1900 * 2 AS n FROM Movie

-- name: a text without its end
-- class: slips
-- rules: unpaired_quote
SELECT Name FROM Movie WHERE Name LIKE '%War% AND ReleaseYear > 1990
-- meant
SELECT Name FROM Movie WHERE Name LIKE '%War%' AND ReleaseYear > 1990

-- name: a text without its beginning
-- class: slips
-- rules: unpaired_quote
SELECT Name FROM Movie WHERE Name = Blade Runner' AND ReleaseYear > 1980
-- meant
SELECT Name FROM Movie WHERE Name = 'Blade Runner' AND ReleaseYear > 1980

-- name: an edge with half its parentheses
-- class: slips
-- rules: edge_parenthesis
SELECT m.Name FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-i)->g)
-- meant
SELECT m.Name FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g)

-- name: a condition compared with TRUE
-- class: truths
-- rules: compared_condition
SELECT Name FROM Movie WHERE (Id > 3) = TRUE AND (ReleaseYear > 1990) = FALSE
-- meant
SELECT Name FROM Movie WHERE (Id > 3) AND NOT (ReleaseYear > 1990)

-- name: NULL compared by signs
-- class: truths
-- rules: operators null_by_sign
SELECT Name FROM Movie WHERE ReleaseYear == NULL OR Content <> NULL
-- meant
SELECT Name FROM Movie WHERE ReleaseYear IS NULL OR Content IS NOT NULL

-- name: conditions joined by &
-- class: truths
-- rules: bitwise_and
SELECT Name FROM Movie WHERE ReleaseYear > 1980 & ReleaseYear < 1990
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > 1980 AND ReleaseYear < 1990

-- name: key and score of a ranked search
-- class: ranked
-- rules: ranked_column
SELECT m.Name, k.score FROM Movie m JOIN CONTAINSTABLE(Movie, Content, 'robot') k ON k.MovieId = m.Id
-- meant
SELECT m.Name, k.RANK FROM Movie m JOIN CONTAINSTABLE(Movie, Content, 'robot') k ON k.[KEY] = m.Id

-- name: VECTOR_SEARCH by the order of its arguments
-- class: ranked
-- rules: placed_search
SELECT m.Name FROM VECTOR_SEARCH(Movie, Embedding, @q, 'cosine', 7) AS m
-- meant
SELECT m.Name FROM VECTOR_SEARCH(TABLE = Movie AS m, COLUMN = Embedding, SIMILAR_TO = @q, METRIC = 'cosine', TOP_N = 7) AS s1

-- name: joins of an edge without conditions
-- class: linked
-- rules: unlinked_edges
SELECT t.Name FROM Movie m JOIN INCLUDES_THEME i JOIN Theme t WHERE m.Name = 'Alien'
-- meant
SELECT t.Name FROM Movie m, INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t) AND m.Name = 'Alien'

-- name: films grouped by a node
-- class: linked
-- rules: grouped_concept
SELECT Genre, COUNT(*) AS n FROM Movie WHERE ReleaseYear > 1990 GROUP BY Genre
-- meant
SELECT g1.Name, COUNT(*) AS n FROM Movie, IN_GENRE AS e1, Genre AS g1 WHERE MATCH(Movie-(e1)->g1) AND Movie.ReleaseYear > 1990 GROUP BY g1.Name

-- name: a date in a list
-- class: concepts
-- rules: year_shown
SELECT m.Name, m.release_date FROM Movie m WHERE m.release_date > 1990 ORDER BY m.release_date DESC
-- meant
SELECT m.Name, m.ReleaseYear FROM Movie m WHERE m.ReleaseYear > 1990 ORDER BY m.ReleaseYear DESC

-- name: a day in the middle of a year
-- class: concepts
-- unfixable: it could mean something else
SELECT m.Name, m.release_date FROM Movie m WHERE m.release_date > '1990-05-17'

-- name: two comparisons in a row
-- class: bare
-- rules: stray_is
SELECT Name FROM Movie WHERE ReleaseYear IS NOT BETWEEN 1980 AND 1989 AND Name = LIKE 'A%'
-- meant
SELECT Name FROM Movie WHERE ReleaseYear NOT BETWEEN 1980 AND 1989 AND Name LIKE 'A%'

-- name: aggregates without parentheses
-- class: bare
-- rules: open_call
SELECT COUNT *, MAX ReleaseYear, COUNT DISTINCT m.Name FROM Movie m
-- meant
SELECT COUNT(*), MAX(ReleaseYear), COUNT(DISTINCT m.Name) FROM Movie m

-- name: the first rows
-- class: bare
-- rules: first_rows
SELECT FIRST 5 Name FROM Movie ORDER BY Id
-- meant
SELECT TOP 5 Name FROM Movie ORDER BY Id

-- name: FROM behind WHERE
-- class: bare
-- rules: late_from
SELECT COUNT(*) AS n WHERE ReleaseYear = 1999 FROM Movie
-- meant
SELECT COUNT(*) AS n FROM Movie WHERE ReleaseYear = 1999

-- name: columns of a search joined by OR
-- class: bare
-- rules: columns_by_or
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Name OR m.Content, 'dragon')
-- meant
SELECT m.Name FROM Movie m WHERE CONTAINS((m.Name, m.Content), 'dragon')

-- name: a text for a missing number
-- class: bare
-- rules: mixed_default renamed_functions
SELECT Name, NVL(ReleaseYear, 'unknown') AS y FROM Movie
-- meant
SELECT Name, COALESCE(CAST(ReleaseYear AS NVARCHAR(30)), 'unknown') AS y FROM Movie

-- name: a pattern outside MATCH
-- class: bare
-- rules: open_pattern
SELECT m.Name FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m)-(i)->(g) AND g.Name = 'War'
-- meant
SELECT m.Name FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) AND g.Name = 'War'

-- name: an embedding of the query
-- class: bare
-- rules: embedded_query
SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, EMBED(@q))
-- meant
SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- name: a count known by its function
-- class: bare
-- rules: function_as_column
SELECT ReleaseYear, COUNT(*) FROM Movie GROUP BY ReleaseYear ORDER BY count DESC
-- meant
SELECT ReleaseYear, COUNT(*) FROM Movie GROUP BY ReleaseYear ORDER BY COUNT(*) DESC

-- name: nodes compared and counts filtered in Cypher
-- class: cypher
-- rules: cypher_statement missing_group
MATCH (a:Movie)-[:INCLUDES_THEME]->(t:Theme)<-[:INCLUDES_THEME]-(b:Movie) WHERE a <> b WITH a, count(t) AS n WHERE n > 1 RETURN a.Name, n
-- meant
SELECT a.Name, COUNT(*) AS n FROM Movie AS a, Theme AS t, Movie AS b, INCLUDES_THEME AS e1, INCLUDES_THEME AS e2 WHERE MATCH(a-(e1)->t<-(e2)-b) AND e1.$edge_id <> e2.$edge_id AND a.Id <> b.Id GROUP BY a.Id, a.Name HAVING COUNT(*) > 1

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

-- name: OR behind WITH
-- class: cypher
-- rules: cypher_statement
MATCH (m:Movie) WHERE m.Id > 1 WITH m WHERE m.Id < 6 OR m.Id = 9 RETURN m.Name
-- meant
SELECT m.Name FROM Movie AS m WHERE ((m.Id > 1) AND (m.Id < 6 OR m.Id = 9))

-- name: two paths over one kind of edge
-- class: cypher
-- rules: cypher_statement missing_group
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
-- rules: cypher_statement missing_edge missing_edge
MATCH (a:Movie)-->(t:Theme)<--(b:Movie) RETURN b.Name
-- meant
SELECT b.Name FROM dbo.INCLUDES_THEME AS e2, dbo.INCLUDES_THEME AS e1, Movie AS a, Theme AS t, Movie AS b WHERE MATCH(a-(e1)->t<-(e2)-b) AND e1.$edge_id <> e2.$edge_id

-- name: a path in EXISTS over one kind of edge
-- class: cypher
-- rules: cypher_statement
MATCH (m:Movie) WHERE EXISTS { (m)-[:IN_GENRE]->(:Genre)<-[:IN_GENRE]-(n:Movie {Name: 'Alien'}) } RETURN m.Name
-- meant
SELECT m.Name FROM Movie AS m WHERE EXISTS (SELECT 1 FROM Genre AS g1, Movie AS n, Movie AS m1, IN_GENRE AS e1, IN_GENRE AS e2 WHERE MATCH(m1-(e1)->g1<-(e2)-n) AND n.Name = 'Alien' AND e1.$edge_id <> e2.$edge_id AND m1.Id = m.Id)

-- name: averages of whole numbers
-- class: cypher
-- rules: cypher_statement
MATCH (m:Movie) RETURN avg(m.ReleaseYear - 1900) AS y, avg(DISTINCT m.Id) AS i
-- meant
SELECT avg(CAST(m.ReleaseYear - 1900 AS FLOAT)) AS y, avg(DISTINCT CAST(m.Id AS FLOAT)) AS i FROM Movie AS m

-- name: one edge at two places
-- class: cypher
-- unfixable: it could mean something else
MATCH (a:Movie)-[e:IN_GENRE]->(g:Genre), (b:Movie)-[e:IN_GENRE]->(g) RETURN a.Name, b.Name

-- name: products joined as texts
-- class: dialect
-- rules: concatenation
SELECT ReleaseYear / 10 * 10 || 's' AS decade FROM Movie
-- meant
SELECT CAST(ReleaseYear / 10 * 10 AS NVARCHAR(30)) || 's' AS decade FROM Movie

-- name: ROWNUM beside OR
-- class: dialect
-- unfixable: it could mean something else
SELECT Name FROM Movie WHERE ROWNUM <= 5 AND Id = 2 OR Id = 9

-- name: ILIKE with a bracket
-- class: dialect
-- rules: ilike
SELECT Name FROM Movie WHERE Name ILIKE '%[REC]%'
-- meant
SELECT Name FROM Movie WHERE Name LIKE '%[[]REC]%'

-- name: ILIKE with a backslash
-- class: dialect
-- rules: ilike
SELECT Name FROM Movie WHERE Name ILIKE '%9\%%' AND Name NOT ILIKE 'a!_%' ESCAPE '!'
-- meant
SELECT Name FROM Movie WHERE Name LIKE '%9\%%' ESCAPE '\' AND Name NOT LIKE 'a!_%' ESCAPE '!'

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

-- name: years counted by a CTE that reads itself
-- class: series
-- rules: counted_series
WITH y AS (SELECT 1990 AS y UNION ALL SELECT y + 1 FROM y WHERE y < 2000) SELECT y.y, COUNT(m.Id) AS n FROM y LEFT JOIN Movie m ON m.ReleaseYear = y.y GROUP BY y.y ORDER BY y.y
-- meant
WITH y AS (SELECT s.value AS [y] FROM GENERATE_SERIES(1990, 2000) AS s) SELECT y.y, COUNT(m.Id) AS n FROM y LEFT JOIN Movie m ON m.ReleaseYear = y.y GROUP BY y.y ORDER BY y.y

-- name: decades counted downwards, the column named by the CTE
-- class: series
-- rules: recursive_word query_hint counted_series
WITH RECURSIVE decades(d) AS (SELECT 2020 UNION ALL SELECT r.d - 10 FROM decades r WHERE r.d - 10 >= 1965) SELECT d, (SELECT COUNT(*) FROM Movie m WHERE m.ReleaseYear / 10 * 10 = d) AS n FROM decades ORDER BY d OPTION (MAXRECURSION 0)
-- meant
WITH decades(d) AS (SELECT s.value AS [d] FROM GENERATE_SERIES(2020, 1970, -10) AS s) SELECT d, (SELECT COUNT(*) FROM Movie m WHERE m.ReleaseYear / 10 * 10 = d) AS n FROM decades ORDER BY d

-- name: FOR JSON of a subquery without TOP
-- class: orders
-- rules: inner_json
SELECT TOP 3 g.Name, (SELECT m.Name, m.ReleaseYear FROM Movie m, IN_GENRE e, Genre x WHERE MATCH(m-(e)->x) AND x.Id = g.Id ORDER BY m.ReleaseYear DESC, m.Id FOR JSON PATH) AS films FROM Genre g ORDER BY g.Id
-- meant
SELECT TOP 3 g.Name, (SELECT TOP 20 m.Name, m.ReleaseYear FROM Movie m, IN_GENRE e, Genre x WHERE MATCH(m-(e)->x) AND x.Id = g.Id ORDER BY m.ReleaseYear DESC, m.Id FOR JSON PATH) AS films FROM Genre g ORDER BY g.Id

-- name: FOR JSON of a subquery with DISTINCT, in JSON
-- class: orders
-- rules: inner_json
SELECT TOP 3 g.Name AS genre, (SELECT DISTINCT LEFT(t.Name, 1) AS letter FROM Theme t FOR JSON PATH, ROOT('x')) AS themes FROM Genre g ORDER BY g.Id FOR JSON PATH
-- meant
SELECT TOP 3 g.Name AS genre, (SELECT DISTINCT TOP 20 LEFT(t.Name, 1) AS letter FROM Theme t FOR JSON PATH, ROOT('x')) AS themes FROM Genre g ORDER BY g.Id FOR JSON PATH

-- name: a parameter for the vector
-- class: vectors
-- rules: query_parameter
SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, $embedding)
-- meant
SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)
