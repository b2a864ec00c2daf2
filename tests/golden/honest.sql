-- name: one column
-- class: simple
SELECT Name FROM Movie

-- name: all columns
-- class: simple
SELECT * FROM Movie

-- name: all columns of an alias
-- class: simple
SELECT m.* FROM Movie AS m WHERE m.Id = 1

-- name: star and a computed column
-- class: simple
SELECT *, ReleaseYear / 10 * 10 AS Decade FROM Movie

-- name: schema-qualified table
-- class: simple
SELECT m.Name FROM dbo.Movie AS m

-- name: schema-qualified column
-- class: simple
SELECT dbo.Movie.Name FROM dbo.Movie

-- name: bracketed everything
-- class: simple
SELECT [m].[Name] FROM [dbo].[Movie] AS [m] WHERE [m].[Id] = 1

-- name: lower case everything
-- class: simple
select m.name from movie m order by m.id

-- name: double-quoted names
-- class: simple
SELECT "m"."Name" FROM "Movie" AS "m"

-- name: alias without AS
-- class: simple
SELECT m.Name Title, m.ReleaseYear [Year] FROM Movie m

-- name: alias by equality
-- class: simple
SELECT Title = m.Name, [Year] = m.ReleaseYear FROM Movie AS m

-- name: alias as a string
-- class: simple
SELECT m.Name AS 'Film title' FROM Movie AS m ORDER BY [Film title]

-- name: select all
-- class: simple
SELECT ALL Name FROM Movie

-- name: distinct with top
-- class: simple
SELECT DISTINCT TOP 10 ReleaseYear FROM Movie ORDER BY ReleaseYear DESC

-- name: top without blanks
-- class: simple
SELECT TOP(5)Name FROM Movie

-- name: no table at all
-- class: simple
SELECT 1 AS One, 'x' AS Letter

-- name: comments everywhere
-- class: simple
SELECT /* a */ Name -- b
FROM /* c /* nested */ d */ Movie -- e

-- name: trailing semicolon
-- class: simple
SELECT Name FROM Movie;

-- name: names that other dialects reserve
-- class: simple
SELECT x.[date], x.type, x.level, x.value, x.first, x.language FROM (SELECT Name AS [date], Name AS type, Id AS level, Id AS value, Id AS first, Name AS language FROM Movie) AS x

-- name: a root in parentheses
-- class: simple
(SELECT Name FROM Movie)

-- name: comparison operators
-- class: filter
SELECT Name FROM Movie WHERE ReleaseYear >= 1990 AND ReleaseYear <> 1999 AND ReleaseYear != 2001 AND Id !> 500 AND Id !< 2

-- name: between and not between
-- class: filter
SELECT Name FROM Movie WHERE ReleaseYear BETWEEN 1970 AND 1979 AND Id NOT BETWEEN 5 AND 7

-- name: in list with strings
-- class: filter
SELECT Name FROM Movie WHERE Name IN ('Alien', N'Amélie', 'Dune')

-- name: not in list
-- class: filter
SELECT Name FROM Movie WHERE ReleaseYear NOT IN (1999, 2000)

-- name: like with classes
-- class: filter
SELECT Name FROM Movie WHERE Name LIKE '[A-D]%' AND Name NOT LIKE '%[^a-z ]%'

-- name: like with escape
-- class: filter
SELECT Name FROM Movie WHERE Name LIKE '100!%%' ESCAPE '!'

-- name: doubled quotes
-- class: filter
SELECT Name FROM Movie WHERE Name = 'Schindler''s List'

-- name: national strings
-- class: filter
SELECT Name FROM Movie WHERE Name = N'Léon' OR Name LIKE N'%é%'

-- name: nulls
-- class: filter
SELECT Name FROM Movie WHERE ReleaseYear IS NULL OR Content IS NOT NULL

-- name: is distinct from
-- class: filter
SELECT Name FROM Movie WHERE ReleaseYear IS DISTINCT FROM 1999 AND Content IS NOT DISTINCT FROM NULL

-- name: not over parentheses
-- class: filter
SELECT Name FROM Movie WHERE NOT (ReleaseYear < 1990 OR NOT Name LIKE 'A%')

-- name: deep parentheses
-- class: filter
SELECT Name FROM Movie WHERE ((((((ReleaseYear > 1990))))))

-- name: collate in a comparison
-- class: filter
SELECT Name FROM Movie WHERE Name COLLATE Latin1_General_CS_AS = 'alien'

-- name: collate in order by
-- class: filter
SELECT TOP 5 Name FROM Movie ORDER BY Name COLLATE Latin1_General_CI_AI DESC

-- name: constant conditions
-- class: filter
SELECT Name FROM Movie WHERE 1 = 1 AND ReleaseYear > 1990

-- name: inner join over pseudo-columns
-- class: join
SELECT m.Name, g.Name AS Genre FROM Movie AS m INNER JOIN IN_GENRE AS i ON i.$from_id = m.$node_id JOIN Genre AS g ON g.$node_id = i.$to_id

-- name: left join and is null
-- class: join
SELECT m.Name FROM Movie AS m LEFT JOIN PART_OF_SERIES AS p ON p.$from_id = m.$node_id WHERE p.$from_id IS NULL

-- name: left outer join chain
-- class: join
SELECT m.Name, s.Name AS Series FROM Movie AS m LEFT OUTER JOIN PART_OF_SERIES AS p ON p.$from_id = m.$node_id LEFT JOIN Series AS s ON s.$node_id = p.$to_id

-- name: right join
-- class: join
SELECT m.Name FROM IN_GENRE AS i RIGHT JOIN Movie AS m ON i.$from_id = m.$node_id

-- name: full join
-- class: join
SELECT a.Name, b.Name AS Sequel FROM Movie AS a FULL OUTER JOIN Movie AS b ON b.ReleaseYear = a.ReleaseYear + 1

-- name: self join with an inequality
-- class: join
SELECT a.Name, b.Name AS Other FROM Movie AS a JOIN Movie AS b ON a.ReleaseYear = b.ReleaseYear AND a.Id < b.Id

-- name: comma join with equality
-- class: join
SELECT a.Name FROM Movie AS a, Series AS s WHERE a.Name = s.Name

-- name: cross join with one aggregate row
-- class: join
SELECT m.Name FROM Movie AS m CROSS JOIN (SELECT MAX(ReleaseYear) AS Latest FROM Movie) AS x WHERE m.ReleaseYear = x.Latest

-- name: cross join with values
-- class: join
SELECT d.Start, COUNT(*) AS Films FROM Movie AS m CROSS JOIN (VALUES (1980), (1990)) AS d(Start) WHERE m.ReleaseYear BETWEEN d.Start AND d.Start + 9 GROUP BY d.Start

-- name: non-equi join with a pinned side
-- class: join
SELECT b.Name FROM Movie AS a JOIN Movie AS b ON ABS(a.ReleaseYear - b.ReleaseYear) <= 1 AND a.Id <> b.Id WHERE a.Name = 'Alien'

-- name: cross apply with top
-- class: join
SELECT m.Name, x.Name AS Genre FROM Movie AS m CROSS APPLY (SELECT TOP 2 g.Name FROM IN_GENRE AS i JOIN Genre AS g ON g.$node_id = i.$to_id WHERE i.$from_id = m.$node_id ORDER BY g.Name) AS x

-- name: outer apply with aggregate
-- class: join
SELECT m.Name, x.Genres FROM Movie AS m OUTER APPLY (SELECT COUNT(*) AS Genres FROM IN_GENRE AS i WHERE i.$from_id = m.$node_id) AS x

-- name: cross apply of values
-- class: join
SELECT m.Name, v.What, v.Number FROM Movie AS m CROSS APPLY (VALUES ('id', m.Id), ('year', m.ReleaseYear)) AS v(What, Number)

-- name: cross apply of string_split
-- class: join
SELECT m.Name, s.value FROM Movie AS m CROSS APPLY STRING_SPLIT(m.Name, ' ') AS s WHERE LEN(s.value) > 5

-- name: string_split without an alias
-- class: join
SELECT value FROM STRING_SPLIT('a,b,c', ',')

-- name: join of a grouped derived table
-- class: join
SELECT m.Name, x.Genres FROM Movie AS m JOIN (SELECT i.$from_id AS node, STRING_AGG(g.Name, ', ') AS Genres FROM IN_GENRE AS i JOIN Genre AS g ON g.$node_id = i.$to_id GROUP BY i.$from_id) AS x ON x.node = m.$node_id

-- name: a join in parentheses
-- class: join
SELECT m.Name, g.Name AS Genre FROM Movie AS m LEFT JOIN (IN_GENRE AS i JOIN Genre AS g ON g.$node_id = i.$to_id AND g.Name = 'Horror') ON i.$from_id = m.$node_id

-- name: on after on
-- class: join
SELECT m.Name, s.Name AS Series FROM Movie AS m LEFT JOIN PART_OF_SERIES AS p INNER JOIN Series AS s ON s.$node_id = p.$to_id ON p.$from_id = m.$node_id

-- name: seed by name against all
-- class: join
WITH seed AS (SELECT Id, Embedding FROM Movie WHERE Name = 'Alien') SELECT TOP 10 m.Name FROM seed AS s CROSS JOIN Movie AS m WHERE m.Id <> s.Id ORDER BY VECTOR_DISTANCE('cosine', s.Embedding, m.Embedding)

-- name: seeds behind an edge against all
-- class: join
WITH seed AS (SELECT m.Id, m.Embedding FROM Movie AS m, FEATURES_CHARACTER AS f, Character AS c WHERE MATCH(m-(f)->c) AND c.Name = 'Ellen Ripley') SELECT TOP 10 m.Name, MIN(VECTOR_DISTANCE('cosine', s.Embedding, m.Embedding)) AS Distance FROM seed AS s CROSS JOIN Movie AS m GROUP BY m.Id, m.Name ORDER BY Distance

-- name: decades of a cte
-- class: join
WITH d AS (SELECT v.Start FROM (VALUES (1970), (1980), (1990)) AS v(Start)) SELECT d.Start, COUNT(m.Id) AS Films FROM d LEFT JOIN Movie AS m ON m.ReleaseYear BETWEEN d.Start AND d.Start + 9 GROUP BY d.Start

-- name: running total by a self join of groups
-- class: join
WITH y AS (SELECT ReleaseYear, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear) SELECT a.ReleaseYear, SUM(b.n) AS UpToThen FROM y AS a JOIN y AS b ON b.ReleaseYear <= a.ReleaseYear GROUP BY a.ReleaseYear

-- name: share of a total
-- class: join
WITH y AS (SELECT ReleaseYear, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear), t AS (SELECT SUM(n) AS Total FROM y) SELECT y.ReleaseYear, 100.0 * y.n / t.Total AS Share FROM y CROSS JOIN t

-- name: pairs that share a theme
-- class: join
SELECT a.Name, b.Name AS Other, COUNT(*) AS Shared FROM INCLUDES_THEME AS e JOIN INCLUDES_THEME AS f ON f.$to_id = e.$to_id JOIN Movie AS a ON a.$node_id = e.$from_id JOIN Movie AS b ON b.$node_id = f.$from_id WHERE a.Id < b.Id GROUP BY a.Name, b.Name

-- name: band join of a film found by prefix
-- class: join
SELECT b.Name FROM Movie AS a JOIN Movie AS b ON b.ReleaseYear BETWEEN a.ReleaseYear - 2 AND a.ReleaseYear + 2 WHERE a.Name LIKE 'Star Wars%' AND b.Id <> a.Id

-- name: pinned by a subquery
-- class: join
SELECT b.Name FROM Movie AS a JOIN Movie AS b ON b.ReleaseYear > a.ReleaseYear WHERE a.Id = (SELECT MIN(x.Id) FROM Movie AS x)

-- name: scalar subquery in where
-- class: subquery
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = (SELECT MAX(x.ReleaseYear) FROM Movie AS x)

-- name: scalar subquery in the select list
-- class: subquery
SELECT m.Name, (SELECT COUNT(*) FROM IN_GENRE AS i WHERE i.$from_id = m.$node_id) AS Genres FROM Movie AS m

-- name: exists with select 1
-- class: subquery
SELECT m.Name FROM Movie AS m WHERE EXISTS (SELECT 1 FROM PART_OF_SERIES AS p WHERE p.$from_id = m.$node_id)

-- name: not exists with star over an edge table
-- class: subquery
SELECT m.Name FROM Movie AS m WHERE NOT EXISTS (SELECT * FROM PART_OF_SERIES AS p WHERE p.$from_id = m.$node_id)

-- name: in subquery
-- class: subquery
SELECT Name FROM Movie WHERE Id IN (SELECT Id FROM Movie WHERE ReleaseYear > 1990)

-- name: not in subquery
-- class: subquery
SELECT Name FROM Movie WHERE Id NOT IN (SELECT Id FROM Movie WHERE ReleaseYear > 1990)

-- name: greater than all
-- class: subquery
SELECT Name FROM Movie WHERE ReleaseYear >= ALL (SELECT ReleaseYear FROM Movie WHERE ReleaseYear IS NOT NULL)

-- name: equal to any
-- class: subquery
SELECT Name FROM Movie WHERE ReleaseYear = ANY (SELECT ReleaseYear FROM Movie WHERE Name LIKE 'A%')

-- name: greater than some
-- class: subquery
SELECT Name FROM Movie WHERE ReleaseYear > SOME (SELECT ReleaseYear FROM Movie WHERE Name LIKE 'A%')

-- name: node ids by subquery
-- class: subquery
SELECT m.Name FROM Movie AS m WHERE m.$node_id IN (SELECT p.$from_id FROM PART_OF_SERIES AS p)

-- name: correlated subquery
-- class: subquery
SELECT m.Name FROM Movie AS m WHERE m.Id = (SELECT MIN(x.Id) FROM Movie AS x WHERE x.ReleaseYear = m.ReleaseYear)

-- name: in over a grouped top
-- class: subquery
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear IN (SELECT TOP 3 x.ReleaseYear FROM Movie AS x GROUP BY x.ReleaseYear ORDER BY COUNT(*) DESC)

-- name: derived table
-- class: subquery
SELECT x.Name FROM (SELECT TOP 10 Name, Id FROM Movie ORDER BY Id) AS x ORDER BY x.Name

-- name: derived union with a column list
-- class: subquery
SELECT x.Label FROM (SELECT Name FROM Movie UNION SELECT Name FROM Genre) AS x(Label)

-- name: order by a subquery
-- class: subquery
SELECT TOP 5 Name FROM Movie ORDER BY (SELECT 1)

-- name: apply with the nearest
-- class: subquery
SELECT m.Name, x.Name AS Nearest FROM Movie AS m OUTER APPLY (SELECT TOP 1 n.Name FROM Movie AS n WHERE n.ReleaseYear = m.ReleaseYear AND n.Id <> m.Id ORDER BY n.Id) AS x

-- name: exists with a set operation
-- class: subquery
SELECT m.Name FROM Movie AS m WHERE EXISTS (SELECT m.Name INTERSECT SELECT s.Name FROM Series AS s)

-- name: cte
-- class: cte
WITH recent AS (SELECT Id, Name FROM Movie WHERE ReleaseYear > 2000) SELECT Name FROM recent

-- name: cte with a column list
-- class: cte
WITH c (Number, Title) AS (SELECT Id, Name FROM Movie) SELECT Number, Title FROM c

-- name: cte that reads a cte
-- class: cte
WITH a AS (SELECT TOP 5 Id FROM Movie ORDER BY Id), b AS (SELECT Id FROM a) SELECT m.Name FROM b JOIN Movie AS m ON m.Id = b.Id

-- name: cte before a union
-- class: cte
WITH x AS (SELECT Name FROM Movie) SELECT Name FROM x UNION ALL SELECT Name FROM Genre ORDER BY Name DESC

-- name: cte of a union
-- class: cte
WITH x AS (SELECT Name FROM Movie UNION ALL SELECT Name FROM Genre) SELECT Name FROM x

-- name: first of each group
-- class: cte
WITH r AS (SELECT Name, ReleaseYear, ROW_NUMBER() OVER (PARTITION BY ReleaseYear ORDER BY Name) AS Place FROM Movie) SELECT Name FROM r WHERE Place = 1

-- name: seed cte that carries an embedding
-- class: cte
WITH seed AS (SELECT TOP 1 Id, Embedding FROM Movie WHERE Name = 'Alien') SELECT TOP 10 m.Name FROM Movie AS m CROSS JOIN seed AS s WHERE m.Id <> s.Id ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, s.Embedding)

-- name: union
-- class: set
SELECT Name FROM Movie UNION SELECT Name FROM Genre

-- name: union all with order by
-- class: set
SELECT Name FROM Movie UNION ALL SELECT Name FROM Genre ORDER BY Name

-- name: except
-- class: set
SELECT Name FROM Movie EXCEPT SELECT Name FROM Series

-- name: intersect
-- class: set
SELECT Name FROM Movie INTERSECT SELECT Name FROM Series

-- name: three arms with precedence
-- class: set
SELECT Name FROM Movie UNION SELECT Name FROM Genre EXCEPT SELECT Name FROM Theme INTERSECT SELECT Name FROM Setting

-- name: arms cut by top in derived tables
-- class: set
SELECT x.Name FROM (SELECT TOP 5 Name FROM Movie ORDER BY Id) AS x UNION ALL SELECT y.Name FROM (SELECT TOP 5 Name FROM Genre ORDER BY Id) AS y

-- name: labelled arms
-- class: set
SELECT 'Movie' AS Kind, Id, Name FROM Movie WHERE Name = 'Alien' UNION ALL SELECT 'Genre', Id, Name FROM Genre WHERE Name = 'Drama' ORDER BY Kind, Name

-- name: union with offset and fetch
-- class: set
SELECT Name FROM Movie UNION SELECT Name FROM Genre ORDER BY Name OFFSET 5 ROWS FETCH NEXT 5 ROWS ONLY

-- name: offset and fetch
-- class: paging
SELECT Name FROM Movie ORDER BY Id OFFSET 10 ROWS FETCH NEXT 10 ROWS ONLY

-- name: offset alone
-- class: paging
SELECT Name FROM Movie ORDER BY Id OFFSET 10 ROWS

-- name: fetch first row
-- class: paging
SELECT Name FROM Movie ORDER BY Id OFFSET 0 ROWS FETCH FIRST 1 ROW ONLY

-- name: limit read as top
-- class: paging
SELECT Name FROM Movie LIMIT 5

-- name: top with ties
-- class: paging
SELECT TOP (10) WITH TIES Name FROM Movie ORDER BY ReleaseYear

-- name: top far too large
-- class: paging
SELECT TOP 1000000000 Name FROM Movie

-- name: order by ordinal and alias
-- class: paging
SELECT Name AS Title, ReleaseYear FROM Movie ORDER BY 2 DESC, Title

-- name: order by an expression
-- class: paging
SELECT TOP 5 Name FROM Movie ORDER BY CASE WHEN ReleaseYear IS NULL THEN 1 ELSE 0 END, ReleaseYear DESC

-- name: total beside a page
-- class: paging
SELECT Name, COUNT(*) OVER () AS Total FROM Movie ORDER BY Name OFFSET 20 ROWS FETCH NEXT 20 ROWS ONLY

-- name: inner ties
-- class: paging
SELECT x.Name, x.ReleaseYear FROM (SELECT TOP 3 WITH TIES Name, ReleaseYear FROM Movie ORDER BY ReleaseYear DESC) AS x

-- name: inner percent
-- class: paging
SELECT AVG(x.ReleaseYear) AS y FROM (SELECT TOP (10) PERCENT ReleaseYear FROM Movie ORDER BY ReleaseYear DESC) AS x

-- name: a hundred percent
-- class: paging
SELECT x.Name FROM (SELECT TOP 100 PERCENT Name, Id FROM Movie ORDER BY Id) AS x

-- name: inner offset
-- class: paging
SELECT x.Name FROM (SELECT Name FROM Movie ORDER BY Id OFFSET 1 ROW FETCH FIRST 1 ROW ONLY) AS x

-- name: count
-- class: aggregate
SELECT COUNT(*) FROM Movie

-- name: count of an edge table
-- class: aggregate
SELECT COUNT(*) AS Edges FROM INCLUDES_THEME

-- name: count distinct
-- class: aggregate
SELECT COUNT(DISTINCT ReleaseYear) AS Years, COUNT(ALL Id) AS Ids, COUNT_BIG(*) AS Big FROM Movie

-- name: group by with having
-- class: aggregate
SELECT ReleaseYear, COUNT(*) AS Films FROM Movie GROUP BY ReleaseYear HAVING COUNT(*) > 3 AND MIN(Id) > 1 ORDER BY Films DESC

-- name: group by an expression
-- class: aggregate
SELECT ReleaseYear / 10 * 10 AS Decade, COUNT(*) AS Films FROM Movie GROUP BY ReleaseYear / 10 * 10 ORDER BY Decade

-- name: group by in parentheses
-- class: aggregate
SELECT (ReleaseYear) AS Y, COUNT(*) AS Films FROM Movie GROUP BY (ReleaseYear)

-- name: rollup
-- class: aggregate
SELECT ReleaseYear, LEFT(Name, 1) AS Initial, COUNT(*) AS Films FROM Movie GROUP BY ROLLUP (ReleaseYear, LEFT(Name, 1))

-- name: with rollup
-- class: aggregate
SELECT ReleaseYear, COUNT(*) AS Films FROM Movie GROUP BY ReleaseYear WITH ROLLUP

-- name: cube
-- class: aggregate
SELECT ReleaseYear, LEFT(Name, 1) AS Initial, COUNT(*) AS Films FROM Movie GROUP BY CUBE (ReleaseYear, LEFT(Name, 1))

-- name: grouping sets
-- class: aggregate
SELECT ReleaseYear, COUNT(*) AS Films, GROUPING(ReleaseYear) AS Whole FROM Movie GROUP BY GROUPING SETS ((ReleaseYear), ())

-- name: statistics
-- class: aggregate
SELECT MIN(ReleaseYear), MAX(ReleaseYear), AVG(1.0 * ReleaseYear), SUM(Id), STDEV(ReleaseYear), VAR(ReleaseYear) FROM Movie

-- name: string_agg in order
-- class: aggregate
SELECT STRING_AGG(Name, ', ') WITHIN GROUP (ORDER BY Name DESC) AS Names FROM Genre

-- name: string_agg of a cast
-- class: aggregate
SELECT ReleaseYear, STRING_AGG(CAST(Name AS NVARCHAR(MAX)), N'; ') AS Names FROM Movie GROUP BY ReleaseYear

-- name: conditional sum
-- class: aggregate
SELECT SUM(CASE WHEN ReleaseYear < 2000 THEN 1 ELSE 0 END) AS Old, SUM(IIF(ReleaseYear >= 2000, 1, 0)) AS New FROM Movie

-- name: share of the whole
-- class: aggregate
SELECT ReleaseYear, CAST(ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (), 1) AS DECIMAL(5, 1)) AS Share FROM Movie GROUP BY ReleaseYear

-- name: pivot by year
-- class: aggregate
SELECT * FROM (SELECT g.Name AS Genre, m.ReleaseYear / 10 * 10 AS Decade, m.Id FROM Movie AS m JOIN IN_GENRE AS i ON i.$from_id = m.$node_id JOIN Genre AS g ON g.$node_id = i.$to_id) AS s PIVOT (COUNT(Id) FOR Decade IN ([1970], [1980], [1990])) AS p ORDER BY p.Genre

-- name: pivot that counts the column that it spreads
-- class: aggregate
SELECT * FROM (SELECT m.ReleaseYear, g.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g)) AS s PIVOT (COUNT(Name) FOR Name IN ([Drama], [War])) AS p ORDER BY ReleaseYear

-- name: joins in parentheses in parentheses
-- class: join
SELECT g.Name, MIN(m.ReleaseYear) AS y FROM ((Genre AS g INNER JOIN IN_GENRE AS e ON e.$to_id = g.$node_id) INNER JOIN Movie AS m ON m.$node_id = e.$from_id) GROUP BY g.Name ORDER BY y

-- name: pivot of a cte
-- class: aggregate
WITH s AS (SELECT ReleaseYear, Id FROM Movie) SELECT p.[1977], p.[1999] FROM s PIVOT (COUNT(Id) FOR ReleaseYear IN ([1977], [1999])) AS p

-- name: pivot that is joined
-- class: aggregate
SELECT t.Name, p.[1999] FROM Theme AS t JOIN (SELECT e.$to_id AS node, m.ReleaseYear, m.Id FROM Movie AS m JOIN INCLUDES_THEME AS e ON e.$from_id = m.$node_id) AS s PIVOT (COUNT(Id) FOR ReleaseYear IN ([1999])) AS p ON p.node = t.$node_id

-- name: mixed grouping list
-- class: aggregate
SELECT m.ReleaseYear, g.Name, GROUPING_ID(m.ReleaseYear, g.Name) AS Level, COUNT(*) AS n FROM Movie AS m JOIN IN_GENRE AS i ON i.$from_id = m.$node_id JOIN Genre AS g ON g.$node_id = i.$to_id GROUP BY m.ReleaseYear, ROLLUP (g.Name)

-- name: grouping with rollup
-- class: aggregate
SELECT ReleaseYear, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear WITH ROLLUP

-- name: row_number
-- class: window
SELECT Name, ROW_NUMBER() OVER (ORDER BY Id) AS Place FROM Movie

-- name: partition in parentheses of a function
-- class: window
SELECT Name, RANK() OVER (PARTITION BY LEFT(Name, 1) ORDER BY ReleaseYear) AS Place FROM Movie

-- name: dense_rank and ntile
-- class: window
SELECT Name, DENSE_RANK() OVER (ORDER BY ReleaseYear) AS D, NTILE(4) OVER (ORDER BY Id) AS Quarter FROM Movie

-- name: lag and lead
-- class: window
SELECT Name, LAG(Name) OVER (ORDER BY ReleaseYear) AS Before, LEAD(Name, 1, 'none') OVER (ORDER BY ReleaseYear) AS After FROM Movie

-- name: first and last value
-- class: window
SELECT FIRST_VALUE(Name) OVER (PARTITION BY ReleaseYear ORDER BY Id) AS F, LAST_VALUE(Name) OVER (PARTITION BY ReleaseYear ORDER BY Id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS L FROM Movie

-- name: short frame
-- class: window
SELECT Name, SUM(ReleaseYear) OVER (ORDER BY Id ROWS UNBOUNDED PRECEDING) AS Running FROM Movie

-- name: counted frame
-- class: window
SELECT Name, AVG(ReleaseYear) OVER (ORDER BY Id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS Mean FROM Movie

-- name: range frame
-- class: window
SELECT Name, COUNT(*) OVER (ORDER BY ReleaseYear RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS Sofar FROM Movie

-- name: aggregate inside a window
-- class: window
SELECT ReleaseYear, SUM(COUNT(*)) OVER (ORDER BY ReleaseYear) AS Sofar FROM Movie GROUP BY ReleaseYear

-- name: rank of a count
-- class: window
SELECT ReleaseYear, RANK() OVER (ORDER BY COUNT(*) DESC) AS Place FROM Movie GROUP BY ReleaseYear

-- name: percentile_cont
-- class: window
SELECT DISTINCT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY ReleaseYear) OVER (PARTITION BY LEFT(Name, 1)) AS Median FROM Movie

-- name: median of groups
-- class: aggregate
SELECT ReleaseYear, APPROX_PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY LEN(Content)) AS Median FROM Movie GROUP BY ReleaseYear

-- name: percent_rank and cume_dist
-- class: window
SELECT Name, PERCENT_RANK() OVER (ORDER BY Id) AS P, CUME_DIST() OVER (ORDER BY Id) AS C FROM Movie

-- name: last known year
-- class: window
SELECT Id, LAST_VALUE(ReleaseYear) IGNORE NULLS OVER (ORDER BY Id) AS Known FROM Movie

-- name: respect nulls
-- class: window
SELECT Id, LEAD(ReleaseYear, 1) RESPECT NULLS OVER (ORDER BY Id) AS Next FROM Movie

-- name: total over groups
-- class: window
SELECT ReleaseYear, COUNT(*) AS n, SUM(COUNT(*)) OVER (ORDER BY ReleaseYear) AS Total FROM Movie GROUP BY ReleaseYear

-- name: median of a group
-- class: window
SELECT DISTINCT g.Name, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY m.ReleaseYear) OVER (PARTITION BY g.Name) AS Median FROM Movie AS m JOIN IN_GENRE AS i ON i.$from_id = m.$node_id JOIN Genre AS g ON g.$node_id = i.$to_id

-- name: searched case
-- class: expression
SELECT Name, CASE WHEN ReleaseYear < 1980 THEN N'old' WHEN ReleaseYear IS NULL THEN N'unknown' ELSE N'new' END AS Era FROM Movie

-- name: simple case
-- class: expression
SELECT CASE ReleaseYear WHEN 1990 THEN 'x' WHEN 1991 THEN 'y' ELSE 'z' END AS K FROM Movie

-- name: arithmetic
-- class: expression
SELECT -ReleaseYear AS A, +1 AS B, ~Id AS C, Id % 2 AS D, Id & 1 AS E, Id | 2 AS F, Id ^ 3 AS G, 2 * (Id - 1) / 3.0 AS H FROM Movie

-- name: numbers of every form
-- class: expression
SELECT .5 AS A, 1e3 AS B, 1E-2 AS C, 1. AS D, -1 AS E, 007 AS F

-- name: string functions
-- class: expression
SELECT UPPER(LTRIM(RTRIM(Name))) AS A, SUBSTRING(Name, 1, 3) AS B, RIGHT(Name, 2) AS C, REPLACE(Name, 'a', 'b') AS D, STUFF(Name, 1, 1, 'x') AS E, CHARINDEX('a', Name) AS F, REVERSE(Name) AS G, CONCAT(Name, ' (', ReleaseYear, ')') AS H, CONCAT_WS('-', Name, Id) AS I, TRANSLATE(Name, 'ab', 'cd') AS J FROM Movie

-- name: null functions
-- class: expression
SELECT COALESCE(Content, Name) AS A, ISNULL(ReleaseYear, 0) AS B, NULLIF(Name, '') AS C, IIF(Id > 5, 1, 0) AS D, CHOOSE(2, 'a', 'b') AS E FROM Movie

-- name: date functions
-- class: expression
SELECT DATEADD(year, -10, GETDATE()) AS A, DATEDIFF(DAY, '2020-01-01', GETDATE()) AS B, DATENAME(weekday, GETDATE()) AS C, DATEPART(qq, GETDATE()) AS D, YEAR(GETDATE()) - ReleaseYear AS E, EOMONTH(GETDATE()) AS F, DATEFROMPARTS(2020, 1, 31) AS G, DATETRUNC(month, GETDATE()) AS H FROM Movie

-- name: current_timestamp
-- class: expression
SELECT CURRENT_TIMESTAMP AS Now

-- name: casts
-- class: expression
SELECT CAST(Id AS BIGINT) AS A, TRY_CAST(Name AS INT) AS B, CAST(ReleaseYear AS DECIMAL(10, 2)) AS C, CAST(1 AS REAL) AS D, CAST('2020-01-01' AS DATE) AS E, CAST(Id AS FLOAT(53)) AS F, CAST(Name AS NVARCHAR(50)) AS G, CAST(1 AS BIT) AS H FROM Movie

-- name: converts with styles
-- class: expression
SELECT CONVERT(VARCHAR(10), GETDATE(), 120) AS A, TRY_CONVERT(INT, Name) AS B, CONVERT(REAL, Id) AS C, CONVERT(CHAR(8), GETDATE(), 112) AS D FROM Movie

-- name: maths functions
-- class: expression
SELECT ROUND(1.555, 2) AS A, CEILING(1.2) AS B, FLOOR(1.8) AS C, POWER(2, 3) AS D, SQRT(16) AS E, LOG(10) AS F, LOG10(100) AS G, SQUARE(3) AS H, ABS(-1) AS I, PI() AS J, GREATEST(1, 2) AS K, LEAST(1, 2) AS L

-- name: json functions
-- class: expression
SELECT JSON_VALUE('{"a":1}', '$.a') AS A, JSON_QUERY('{"a":[1]}', '$.a') AS B, ISJSON('{}') AS C

-- name: format
-- class: expression
SELECT FORMAT(GETDATE(), 'yyyy-MM-dd') AS A, FORMAT(ReleaseYear, 'N0', 'en-US') AS B FROM Movie

-- name: films of the last ten years
-- class: expression
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear >= YEAR(DATEADD(year, -10, GETDATE()))

-- name: films of this year by the standard word
-- class: expression
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = YEAR(CURRENT_DATE)

-- name: a regular expression as condition
-- class: expression
SELECT m.Name FROM Movie AS m WHERE REGEXP_LIKE(m.Name, '^the\b', 'i') AND NOT REGEXP_LIKE(m.Name,
'[0-9]')

-- name: a number at the end of a name
-- class: expression
SELECT m.Name, PATINDEX('%[0-9]', m.Name) AS At FROM Movie AS m WHERE PATINDEX('%[0-9]', m.Name) > 0

-- name: a name within the text
-- class: expression
SELECT m.Name, PATINDEX('%' + m.Name + '%', m.Content) AS At FROM Movie AS m

-- name: the word before a colon
-- class: expression
SELECT LEFT(m.Name, CHARINDEX(':', m.Name + ':') - 1) AS Head FROM Movie AS m

-- name: styles of dates
-- class: expression
SELECT CONVERT(VARCHAR(10), DATEFROMPARTS(m.ReleaseYear, 12, 31), 104) AS German,
CONVERT(VARCHAR(11), GETDATE(), 106) AS Today FROM Movie AS m WHERE m.ReleaseYear IS NOT NULL

-- name: formatted numbers
-- class: expression
SELECT FORMAT(COUNT(*), 'N0') AS Films, FORMAT(AVG(m.ReleaseYear * 1.0), '0.00', 'en-US') AS
MeanYear FROM Movie AS m

-- name: formatted dates
-- class: expression
SELECT FORMAT(DATEFROMPARTS(m.ReleaseYear, 6, 1), 'MMMM yyyy', 'en-US') AS Shown FROM Movie AS m
WHERE m.ReleaseYear > 1900

-- name: every part of a date
-- class: expression
SELECT DATEPART(iso_week, GETDATE()) AS w, DATENAME(dw, GETDATE()) AS d, DATEPART(dy, GETDATE()) AS
y, DATETRUNC(quarter, GETDATE()) AS q, EOMONTH(GETDATE(), -1) AS m

-- name: a score on a logarithmic scale
-- class: expression
SELECT t.Name, ROUND(LOG(COUNT(*) + 1, 2), 2) AS Weight FROM Theme AS t, INCLUDES_THEME AS e, Movie
AS m WHERE MATCH(m-(e)->t) GROUP BY t.Id, t.Name ORDER BY Weight DESC

-- name: years between a film and the oldest
-- class: expression
SELECT m.Name, DATEDIFF(year, DATEFROMPARTS(MIN(m.ReleaseYear) OVER (), 1, 1),
DATEFROMPARTS(m.ReleaseYear, 1, 1)) AS Later FROM Movie AS m WHERE m.ReleaseYear IS NOT NULL

-- name: TRIM of characters
-- class: expression
SELECT TRIM('.,! ' FROM m.Name) AS a, TRIM('"' FROM m.Name) AS b, LTRIM(m.Name, '0') AS d FROM Movie AS m

-- name: GENERATE_SERIES of decades
-- class: expression
SELECT g.value AS Decade, COUNT(m.Id) AS n FROM GENERATE_SERIES(1950, 2020, 10) AS g LEFT JOIN Movie AS m ON m.ReleaseYear / 10 * 10 = g.value GROUP BY g.value

-- name: STRING_SPLIT with ordinals
-- class: expression
SELECT m.Name, s.value FROM Movie AS m CROSS APPLY STRING_SPLIT(m.Name, ' ', 1) AS s WHERE s.ordinal = 1
-- name: distinct from
-- class: expression
SELECT a.Name FROM Movie AS a JOIN Movie AS b ON b.Id = a.Id + 1 WHERE a.ReleaseYear IS DISTINCT FROM b.ReleaseYear

-- name: alias with an equals sign
-- class: expression
SELECT Film = m.Name, [Select] = m.Id FROM Movie AS m ORDER BY [Select]

-- name: nested choices
-- class: expression
SELECT COALESCE(NULLIF(Name, ''), IIF(ReleaseYear > 1990, CHOOSE(2, 'a', 'b'), 'c')) AS x FROM Movie

-- name: json path
-- class: json
SELECT TOP 5 Id, Name FROM Movie FOR JSON PATH

-- name: json auto
-- class: json
SELECT Name, Id FROM Movie FOR JSON AUTO

-- name: json path with options
-- class: json
SELECT Name AS [movie.name], Id AS [movie.id] FROM Movie FOR JSON PATH, ROOT('films'), INCLUDE_NULL_VALUES

-- name: json without wrapper
-- class: json
SELECT TOP 1 Name FROM Movie FOR JSON PATH, WITHOUT_ARRAY_WRAPPER

-- name: nested json
-- class: json
SELECT TOP 5 m.Name, (SELECT TOP 3 g.Name FROM Genre AS g JOIN IN_GENRE AS i ON i.$to_id = g.$node_id WHERE i.$from_id = m.$node_id FOR JSON PATH) AS Genres FROM Movie AS m FOR JSON PATH

-- name: json as a derived column
-- class: json
SELECT x.Text FROM (SELECT TOP 5 Name FROM Movie FOR JSON PATH) AS x(Text)

-- name: json of a page
-- class: json
SELECT Name FROM Movie ORDER BY Id OFFSET 5 ROWS FETCH NEXT 5 ROWS ONLY FOR JSON PATH

-- name: OPENJSON of an array
-- class: json
SELECT j.[key], j.value, j.type FROM OPENJSON('[1, 2, {"a": 3}]') AS j

-- name: OPENJSON with columns
-- class: json
SELECT j.Id, j.Title, j.Tags FROM OPENJSON(N'{"rows": []}', 'lax $.rows') WITH (Id INT, Title NVARCHAR(200) '$.name', Tags NVARCHAR(MAX) AS JSON) AS j

-- name: OPENJSON joins
-- class: json
SELECT m.Name FROM Movie AS m JOIN OPENJSON('[3, 5, 7]') WITH (Id INT '$') AS j ON j.Id = m.Id

-- name: OPENJSON for each row
-- class: json
SELECT m.Name, j.value FROM Movie AS m OUTER APPLY OPENJSON(CONCAT('[', m.ReleaseYear, ']')) AS j WHERE m.Id = 1

-- name: AUTO over two tables
-- class: json
SELECT m.Name, g.Name AS Genre FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g) ORDER BY m.Id FOR JSON AUTO, ROOT('movies')

-- name: contains a word
-- class: fulltext
SELECT Name FROM Movie WHERE CONTAINS(Content, 'pirate')

-- name: contains a phrase and a prefix
-- class: fulltext
SELECT m.Name FROM Movie AS m WHERE CONTAINS((m.Name, m.Content), '"star wars" OR "space*"')

-- name: contains with language
-- class: fulltext
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.*, N'ship NEAR captain', LANGUAGE 1033)

-- name: freetext over all columns
-- class: fulltext
SELECT Name FROM Movie WHERE FREETEXT(*, 'a lonely robot')

-- name: contains or equality
-- class: fulltext
SELECT Name FROM Movie WHERE (CONTAINS(Name, 'war') OR Name = 'Alien') AND NOT CONTAINS(Content, 'love')

-- name: containstable
-- class: fulltext
SELECT k.[KEY], k.[RANK], m.Name FROM CONTAINSTABLE(Movie, (Name, Content), 'space OR "star wars"', 50) AS k JOIN Movie AS m ON m.Id = k.[KEY] ORDER BY k.[RANK] DESC

-- name: freetexttable with language
-- class: fulltext
SELECT k.RANK, m.Name FROM FREETEXTTABLE(dbo.Movie, *, 'space travel', LANGUAGE 1033, 50) AS k INNER JOIN Movie AS m ON m.Id = k.[KEY]

-- name: containstable in a subquery
-- class: fulltext
SELECT Name FROM Movie WHERE Id IN (SELECT [KEY] FROM CONTAINSTABLE(Movie, *, 'star'))

-- name: contains with a symbol for and
-- class: fulltext
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'robot & love &! war')

-- name: contains with nested groups
-- class: fulltext
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.*, N'("space*" OR planet) AND (alien | robot) AND NOT "star wars"')

-- name: contains near with a distance
-- class: fulltext
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'NEAR((young, "small town", "teach*"), 8)')

-- name: contains near in order
-- class: fulltext
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'NEAR((detective, murder), MAX, TRUE)')

-- name: contains near without distance
-- class: fulltext
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'NEAR(king, daughter) OR ship ~ captain ~ storm')

-- name: contains near and a term
-- class: fulltext
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'NEAR((love, letter), 5, FALSE) AND NOT war')

-- name: contains inflections
-- class: fulltext
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'FORMSOF(INFLECTIONAL, run, "young man") AND FORMSOF(THESAURUS, ship)')

-- name: contains weighted terms
-- class: fulltext
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'ISABOUT(ship WEIGHT(0.8), "pirat*" WEIGHT(.4), NEAR((gold, island), 5) WEIGHT(0.2), treasure)')

-- name: contains a name with an apostrophe
-- class: fulltext
SELECT c.Name FROM Character AS c WHERE CONTAINS(c.Name, N'"O''Brien" OR "Spider-Man"')

-- name: contains other scripts
-- class: fulltext
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Name, N'Amélie OR 千')

-- name: contains a stop word within a phrase
-- class: fulltext
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Name, '"lord of the rings"')

-- name: contains with the name of a language
-- class: fulltext
SELECT m.Name FROM Movie AS m WHERE CONTAINS((m.Name, m.Content), 'ship', LANGUAGE N'English')

-- name: contains with a hexadecimal language
-- class: fulltext
SELECT m.Name FROM Movie AS m WHERE FREETEXT(m.Content, 'ships at sea', LANGUAGE 0x0409)

-- name: contains in a case
-- class: fulltext
SELECT m.Name, CASE WHEN CONTAINS(m.Content, '"space*"') THEN 'space' WHEN FREETEXT(m.Content, 'ocean') THEN 'sea' ELSE 'land' END AS Place FROM Movie AS m

-- name: contains counted
-- class: fulltext
SELECT SUM(IIF(CONTAINS(m.Content, 'robot'), 1, 0)) AS Robots, COUNT(*) AS Films FROM Movie AS m

-- name: contains in having
-- class: fulltext
SELECT m.Id, m.Name, COUNT(*) AS Genres FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g) GROUP BY m.Id, m.Name HAVING CONTAINS(m.Name, 'star') AND COUNT(*) > 1

-- name: contains in an on
-- class: fulltext
SELECT m.Name, s.Name AS Other FROM Movie AS m LEFT JOIN Movie AS s ON s.ReleaseYear = m.ReleaseYear AND CONTAINS(s.Content, 'robot') WHERE m.Id < 5

-- name: contains of two tables
-- class: fulltext
SELECT m.Name, t.Name AS Theme FROM Movie AS m, INCLUDES_THEME AS i, Theme AS t WHERE MATCH(m-(i)->t) AND CONTAINS(t.*, '"reveng*"') AND NOT FREETEXT(m.*, 'comedy')

-- name: contains in exists
-- class: fulltext
SELECT g.Name FROM Genre AS g WHERE EXISTS (SELECT 1 FROM Movie AS m, IN_GENRE AS i, Genre AS x WHERE MATCH(m-(i)->x) AND x.Id = g.Id AND CONTAINS(m.Content, 'submarine'))

-- name: containstable with a language and a count
-- class: fulltext
SELECT m.Name, k.[RANK] FROM CONTAINSTABLE(Movie, Content, N'ISABOUT(ship WEIGHT(0.9), island WEIGHT(0.1))', LANGUAGE 'English', 10) AS k JOIN Movie AS m ON m.Id = k.[KEY] ORDER BY k.[RANK] DESC, m.Id

-- name: two ranked lists fused
-- class: fulltext
SELECT TOP 10 m.Name, COALESCE(a.[RANK], 0) + COALESCE(b.[RANK], 0) AS Score FROM Movie AS m LEFT JOIN CONTAINSTABLE(Movie, Name, '"star*"') AS a ON a.[KEY] = m.Id LEFT JOIN FREETEXTTABLE(Movie, *, 'stars', 100) AS b ON b.[KEY] = m.Id WHERE a.[KEY] IS NOT NULL OR b.[KEY] IS NOT NULL ORDER BY Score DESC

-- name: ranked list in a cte
-- class: fulltext
WITH k AS (SELECT [KEY] AS Id, [RANK] AS Score FROM FREETEXTTABLE(Character, (Name, Content), 'brave knights', 30) AS f) SELECT c.Name, k.Score, RANK() OVER (ORDER BY k.Score DESC) AS Place FROM k JOIN Character AS c ON c.Id = k.Id

-- name: nearest
-- class: vector
SELECT TOP 10 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- name: distance as an alias
-- class: vector
SELECT TOP 5 m.Name, 1 - VECTOR_DISTANCE('cosine', m.Embedding, @q) AS Similarity FROM Movie AS m ORDER BY Similarity DESC

-- name: arguments the other way round
-- class: vector
SELECT TOP 5 Name FROM Movie ORDER BY VECTOR_DISTANCE('euclidean', @q, Embedding)

-- name: dot product
-- class: vector
SELECT TOP 5 Name, VECTOR_DISTANCE('dot', Embedding, @q) AS D FROM Theme ORDER BY D

-- name: distance in where
-- class: vector
SELECT Name FROM Movie WHERE VECTOR_DISTANCE('cosine', Embedding, @q) < 0.5 AND Embedding IS NOT NULL

-- name: column to column
-- class: vector
SELECT TOP 5 b.Name FROM Movie AS a, Movie AS b WHERE a.Name = 'Alien' AND b.Id <> a.Id ORDER BY VECTOR_DISTANCE('cosine', a.Embedding, b.Embedding)

-- name: distance to a subquery
-- class: vector
SELECT TOP 5 Name FROM Movie WHERE Id <> 1 ORDER BY VECTOR_DISTANCE('cosine', Embedding, (SELECT x.Embedding FROM Movie AS x WHERE x.Id = 1))

-- name: least of two distances
-- class: vector
SELECT TOP 5 m.Name, LEAST(VECTOR_DISTANCE('cosine', m.Embedding, @q), VECTOR_DISTANCE('cosine', t.Embedding, @q)) AS D FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t WHERE MATCH(m-(e)->t) ORDER BY D

-- name: min of distances
-- class: vector
SELECT g.Name, MIN(VECTOR_DISTANCE('cosine', m.Embedding, @q)) AS Best FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g) GROUP BY g.Name ORDER BY Best

-- name: whether there is an embedding
-- class: vector
SELECT COUNT(CASE WHEN Embedding IS NULL THEN 1 END) AS Missing FROM Movie

-- name: distance to the vector of one row
-- class: vector
SELECT TOP 10 Name FROM Movie WHERE Id <> 5 ORDER BY VECTOR_DISTANCE('cosine', Embedding, (SELECT Embedding FROM Movie WHERE Id = 5))

-- name: one hop
-- class: match
SELECT g.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g) AND m.Name = 'Alien'

-- name: one hop backwards
-- class: match
SELECT m.Name FROM Genre AS g, IN_GENRE AS i, Movie AS m WHERE MATCH(g<-(i)-m) AND g.Name = 'Drama'

-- name: two hops
-- class: match
SELECT TOP 10 n.Name, COUNT(*) AS Shared FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t, INCLUDES_THEME AS f, Movie AS n WHERE MATCH(m-(e)->t<-(f)-n) AND m.Name = 'Alien' AND n.Id <> m.Id GROUP BY n.Name ORDER BY Shared DESC

-- name: patterns joined by and
-- class: match
SELECT TOP 5 m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g, SET_IN AS s, Setting AS p WHERE MATCH(m-(i)->g AND m-(s)->p) AND g.Name = 'Horror'

-- name: two matches
-- class: match
SELECT TOP 5 m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g, SET_IN AS s, Setting AS p WHERE MATCH(m-(i)->g) AND MATCH(p<-(s)-m)

-- name: blanks inside arrows
-- class: match
SELECT g.Name FROM Movie m, IN_GENRE i, Genre g WHERE MATCH ( m - ( i ) -> g )

-- name: bracketed aliases
-- class: match
SELECT [g].[Name] FROM [dbo].[Movie] AS [m], [dbo].[IN_GENRE] AS [i], [dbo].[Genre] AS [g] WHERE MATCH([m]-([i])->[g])

-- name: match in a subquery
-- class: match
SELECT Name FROM Movie WHERE Id NOT IN (SELECT m.Id FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g) AND g.Name = 'Horror')

-- name: match in not exists
-- class: match
SELECT m.Name FROM Movie AS m WHERE NOT EXISTS (SELECT 1 FROM Movie AS x, IN_GENRE AS i, Genre AS g WHERE MATCH(x-(i)->g) AND x.Id = m.Id AND g.Name = 'Drama')

-- name: both themes
-- class: match
SELECT m.Name FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t WHERE MATCH(m-(e)->t) AND t.Name IN ('Love', 'War') GROUP BY m.Name HAVING COUNT(DISTINCT t.Name) = 2

-- name: three hops from a character
-- class: match
SELECT DISTINCT n.Name FROM Character AS c, FEATURES_CHARACTER AS f, Movie AS m, PART_OF_SERIES AS p, Series AS s, PART_OF_SERIES AS o, Movie AS n WHERE MATCH(c<-(f)-m-(p)->s<-(o)-n) AND c.Name = 'Ellen Ripley'

-- name: code fence
-- class: habit
```sql
SELECT Name FROM Movie
```

-- name: go at the end
-- class: habit
SELECT Name FROM Movie
GO

-- name: semicolon before with
-- class: habit
;WITH x AS (SELECT Id FROM Movie) SELECT Id FROM x;

-- name: trailing comma
-- class: habit
SELECT Name, FROM Movie

-- name: percent q
-- class: habit
SELECT TOP 5 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, %q)

-- name: colon q
-- class: habit
SELECT TOP 5 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, :q)

-- name: backticks
-- class: habit
SELECT `Name` FROM `Movie`

-- name: reserved word after as
-- class: habit
SELECT COUNT(*) AS Order, MIN(Id) AS Key FROM Movie

-- name: shortest paths from one film to all others
-- class: path
SELECT a.Name, STRING_AGG(b.Name, ' -> ') WITHIN GROUP (GRAPH PATH) AS Way
FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Name = 'Alien'

-- name: shortest path between two films, the end filtered outside
-- class: path
SELECT Q.Start, Q.Way, Q.Hops FROM (
    SELECT a.Name AS Start, STRING_AGG(b.Name, '->') WITHIN GROUP (GRAPH PATH) AS Way,
           COUNT(b.Id) WITHIN GROUP (GRAPH PATH) AS Hops,
           LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS LastNode
    FROM dbo.Movie AS a, dbo.IN_GENRE FOR PATH AS e, dbo.Genre FOR PATH AS g, dbo.IN_GENRE FOR PATH AS f, dbo.Movie FOR PATH AS b
    WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+)) AND a.Name = 'Alien'
) AS Q WHERE Q.LastNode = 'Blade Runner'

-- name: paths of one to three repetitions, without AS
-- class: path
SELECT m1.Name, STRING_AGG(m2.Name, N'->') WITHIN GROUP (GRAPH PATH) AS Films
FROM Movie m1, FEATURES_CHARACTER FOR PATH f1, [Character] FOR PATH c, FEATURES_CHARACTER FOR PATH f2, Movie FOR PATH m2
WHERE MATCH(SHORTEST_PATH(m1(-(f1)->c<-(f2)-m2){1, 3})) AND m1.Id = 42

-- name: exactly two repetitions
-- class: path
WITH p AS (
    SELECT a.Name AS Start, LAST_VALUE(b.Id) WITHIN GROUP (GRAPH PATH) AS EndId, COUNT(e.*) WITHIN GROUP (GRAPH PATH) AS Hops
    FROM Movie AS a, SET_IN FOR PATH AS e, Setting FOR PATH AS s, SET_IN FOR PATH AS f, Movie FOR PATH AS b
    WHERE MATCH(SHORTEST_PATH(a(-(e)->s<-(f)-b){1,2})) AND a.Id = 7
)
SELECT p.Start, m.Id, m.Name FROM p JOIN Movie AS m ON m.Id = p.EndId WHERE p.Hops = 2 ORDER BY m.Name

-- name: a hop from the last node
-- class: path
SELECT a.Name, g.Name AS Genre, STRING_AGG(b.Name, '->') WITHIN GROUP (GRAPH PATH) AS Way
FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b, IN_GENRE AS i, Genre AS g
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b){1,3}) AND LAST_NODE(b)-(i)->g) AND a.Name = 'Alien' AND g.Name = 'Western'

-- name: a hop that ends at the last node
-- class: path
SELECT a.Name, g.Name AS Genre FROM Movie AS a, SET_IN FOR PATH AS e, Setting FOR PATH AS s, SET_IN FOR PATH AS f, Movie FOR PATH AS b, IN_GENRE AS i, Genre AS g
WHERE MATCH(g<-(i)-LAST_NODE(b) AND SHORTEST_PATH(a(-(e)->s<-(f)-b)+)) AND a.Id = 1

-- name: one path begins where another ends
-- class: path
SELECT a.Name, STRING_AGG(c.Name, '->') WITHIN GROUP (GRAPH PATH) AS Second
FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b,
     SET_IN FOR PATH AS h, Setting FOR PATH AS s, SET_IN FOR PATH AS i, Movie FOR PATH AS c
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b){1,2}) AND SHORTEST_PATH(LAST_NODE(b)(-(h)->s<-(i)-c){1,2})) AND a.Id = 1

-- name: two paths that meet
-- class: path
SELECT a.Name, d.Name, LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS Meeting
FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b,
     Movie AS d, SET_IN FOR PATH AS h, Setting FOR PATH AS s, SET_IN FOR PATH AS i, Movie FOR PATH AS c
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+) AND SHORTEST_PATH(d(-(h)->s<-(i)-c)+) AND LAST_NODE(b) = LAST_NODE(c))
  AND a.Name = 'Alien' AND d.Name = 'Heat'

-- name: two paths in one SHORTEST_PATH
-- class: path
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b,
     SET_IN FOR PATH AS h, Setting FOR PATH AS s, SET_IN FOR PATH AS i, Movie FOR PATH AS c
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+ AND a(-(h)->s<-(i)-c)+)) AND a.Id = 3

-- name: a chain leads to the anchor, in a MATCH of its own
-- class: path
SELECT s.Name, m.Name, LAST_VALUE(n.Name) WITHIN GROUP (GRAPH PATH) AS Furthest
FROM Series AS s, PART_OF_SERIES AS p, Movie AS m, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS n
WHERE MATCH(s<-(p)-m) AND MATCH(SHORTEST_PATH(m(-(e)->t<-(f)-n){1,2})) AND s.Name = 'Star Wars'

-- name: figures along a path, ordered by them
-- class: path
SELECT TOP 10 a.Name, COUNT(b.Id) WITHIN GROUP (GRAPH PATH) AS Hops, MIN(b.ReleaseYear) WITHIN GROUP (GRAPH PATH) AS First,
       MAX(b.ReleaseYear) WITHIN GROUP (GRAPH PATH) AS Last, AVG(b.ReleaseYear) WITHIN GROUP (GRAPH PATH) AS Mean,
       SUM(b.ReleaseYear) WITHIN GROUP (GRAPH PATH) AS Total
FROM Movie AS a, IN_GENRE FOR PATH AS e, Genre FOR PATH AS g, IN_GENRE FOR PATH AS f, Movie FOR PATH AS b
WHERE a.Id = 1 AND MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+))
ORDER BY COUNT(e.*) WITHIN GROUP (GRAPH PATH), LEN(STRING_AGG(b.Name, '') WITHIN GROUP (GRAPH PATH)) DESC

-- name: the whole way with what lies between
-- class: path
SELECT a.Name + N' -> ' + STRING_AGG(CONCAT(t.Name, N' -> ', b.Name), N' -> ') WITHIN GROUP (GRAPH PATH) AS Way
FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b){1,4})) AND a.Name = 'Alien'

-- name: paths counted by their start
-- class: path
SELECT a.Name, COUNT(*) AS Reached
FROM Movie AS a, SET_IN FOR PATH AS e, Setting FOR PATH AS s, SET_IN FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->s<-(f)-b){1,2})) AND a.Id IN (1, 2, 3) GROUP BY a.Name

-- name: one hop that never repeats
-- class: path
SELECT m.Name, LAST_VALUE(g.Name) WITHIN GROUP (GRAPH PATH) AS Genre
FROM Movie AS m, IN_GENRE FOR PATH AS e, Genre FOR PATH AS g
WHERE MATCH(SHORTEST_PATH(m(-(e)->g){1,1})) AND m.Id = 1

-- name: table names as aliases, in lower case
-- class: path
select movie.name, string_agg(b.name, '->') within group (graph path) as path
from movie, in_genre for path as e, genre for path, in_genre for path as f, movie for path as b
where match(shortest_path(movie(-(e)->genre<-(f)-b)+)) and movie.id = 1

-- name: how near in meaning the path passes
-- class: path
SELECT a.Name, LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS EndName,
       MIN(VECTOR_DISTANCE('cosine', b.Embedding, @q)) WITHIN GROUP (GRAPH PATH) AS Nearest
FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b){1,2})) AND a.Name = 'Alien' ORDER BY Nearest

-- name: ends of paths as a list
-- class: path
SELECT m.Name FROM Movie AS m WHERE m.Id IN (
    SELECT LAST_VALUE(b.Id) WITHIN GROUP (GRAPH PATH)
    FROM Movie AS a, PART_OF_SERIES FOR PATH AS e, Series FOR PATH AS s, PART_OF_SERIES FOR PATH AS f, Movie FOR PATH AS b
    WHERE MATCH(SHORTEST_PATH(a(-(e)->s<-(f)-b)+)) AND a.Name = 'Alien')

-- name: a long unit
-- class: path
SELECT a.Name, LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS EndName
FROM Movie AS a, PART_OF_SERIES FOR PATH AS p, Series FOR PATH AS s, PART_OF_SERIES FOR PATH AS q, Movie FOR PATH AS m,
     FEATURES_CHARACTER FOR PATH AS f, Character FOR PATH AS c, FEATURES_CHARACTER FOR PATH AS h, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(p)->s<-(q)-m-(f)->c<-(h)-b)+)) AND a.Name = 'Alien'

-- name: top in parentheses
-- class: spelling
SELECT TOP (5) Name FROM Movie ORDER BY Name

-- name: aggregate of all
-- class: spelling
SELECT MAX(ALL ReleaseYear) AS y, COUNT(ALL [Name]) AS n FROM Movie

-- name: fraction without a leading zero
-- class: spelling
SELECT DISTINCT .5 AS a, -.5 AS b, 1 - .5 AS c FROM Movie WHERE Id > .5

-- name: fraction without digits behind the point
-- class: spelling
SELECT 100. AS a, 100./3 AS b FROM Movie WHERE Id IN (1., 2.)

-- name: plus before a number
-- class: spelling
SELECT +1 AS a, Id * +2 AS b, +(Id) AS c FROM Movie WHERE Id > +1

-- name: top and a fraction
-- class: spelling
SELECT TOP 5 .5 AS a FROM Movie

-- name: not less and not greater
-- class: spelling
SELECT Name FROM Movie WHERE ReleaseYear !< 1980 AND ReleaseYear !> 1989

-- name: two ways of unequal
-- class: spelling
SELECT Name FROM Movie WHERE Id != 1 AND Id <> 2

-- name: alias before an equals sign
-- class: spelling
SELECT DISTINCT Title = Name, [Year] = ReleaseYear FROM Movie

-- name: alias before an equals sign behind top
-- class: spelling
SELECT TOP 5 Title = m.Name, Id = m.Id FROM Movie AS m

-- name: alias before an equals sign in a derived table
-- class: spelling
SELECT x.t FROM (SELECT t = Name, Id FROM Movie) AS x

-- name: alias in single quotes
-- class: spelling
SELECT Name AS 'Film title' FROM Movie

-- name: alias that is a word of others
-- class: spelling
SELECT Id AS first, Name AS next, ReleaseYear AS row, Content AS limit FROM Movie

-- name: short window frame
-- class: spelling
SELECT SUM(Id) OVER (ORDER BY Id ROWS 3 PRECEDING) AS s, COUNT(*) OVER (ORDER BY Id RANGE UNBOUNDED PRECEDING) AS n FROM Movie

-- name: short frame of the current row
-- class: spelling
SELECT SUM(Id) OVER (ORDER BY Id ROWS CURRENT ROW) AS s FROM Movie

-- name: first and next
-- class: spelling
SELECT Name FROM Movie ORDER BY Id OFFSET 1 ROW FETCH FIRST 1 ROW ONLY

-- name: type synonyms
-- class: spelling
SELECT CAST(Id AS INTEGER) AS a, CAST(Id AS NUMERIC(9, 2)) AS b, CAST(Id AS REAL) AS c FROM Movie

-- name: types as written
-- class: spelling
SELECT CAST(Id AS DECIMAL(9, 2)) AS a, CAST(Id AS INT) AS b, CAST(Name AS NVARCHAR(MAX)) AS c FROM Movie

-- name: some is any
-- class: spelling
SELECT Name FROM Movie WHERE Id = SOME (SELECT Id FROM Genre)

-- name: keywords in any case
-- class: spelling
select top 5 m.NAME from dbo.movie as M where m.releaseyear Between 1980 And 1990 order BY m.name

-- name: comments in all places
-- class: spelling
SELECT /* a */ Name -- b
FROM Movie /* c /* d */ e */ WHERE Id = 1 -- f

-- name: text that looks like code
-- class: spelling
SELECT '--' AS a, '/*' AS b, '; DROP TABLE Movie' AS c, 'it''s' AS d, N'[x]' AS e

-- name: name that looks like code
-- class: spelling
SELECT Name AS [a; DROP TABLE Movie --] FROM Movie

-- name: name with a closing bracket
-- class: spelling
SELECT Name AS [a]]b] FROM Movie

-- name: statement words as columns in brackets
-- class: spelling
SELECT Name AS [SELECT], Id AS [FROM], Content AS [DROP] FROM Movie

-- name: parenthesised union
-- class: spelling
(SELECT Name FROM Movie UNION SELECT Name FROM Genre)

-- name: three set operations
-- class: spelling
SELECT Name FROM Theme EXCEPT SELECT Name FROM Movie UNION ALL SELECT Name FROM Genre INTERSECT SELECT Name FROM Setting

-- name: intersect in parentheses
-- class: spelling
SELECT Name FROM Theme UNION (SELECT Name FROM Movie INTERSECT SELECT Name FROM Setting)

-- name: negated predicates before json
-- class: spelling
SELECT Name FROM Movie WHERE Name NOT LIKE 'A%' AND Id NOT IN (1, 2) FOR JSON PATH

-- name: rollup of the older form
-- class: spelling
SELECT ReleaseYear, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear WITH ROLLUP

-- name: cube of the older form
-- class: spelling
SELECT ReleaseYear, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear WITH CUBE

-- name: double negation
-- class: spelling
SELECT Name FROM Movie WHERE NOT (NOT (Id = 1)) AND - -1 = 1

-- name: unary operators
-- class: spelling
SELECT ~Id AS a, -(-Id) AS b, - - Id AS c FROM Movie

-- name: precedence without parentheses
-- class: spelling
SELECT Id + Id * 2 - Id % 3 & 7 | 1 ^ 2 AS x FROM Movie WHERE Id = 1 OR Id = 2 AND NOT Id = 3

-- name: searched and simple case together
-- class: spelling
SELECT CASE WHEN Id > 5 THEN CASE Id % 2 WHEN 0 THEN 'even' ELSE 'odd' END ELSE 'small' END AS k FROM Movie

-- name: current timestamp
-- class: spelling
SELECT CURRENT_TIMESTAMP AS now, DATEDIFF(day, '2020-01-01', CURRENT_TIMESTAMP) AS d

-- name: grouping sets with an empty one
-- class: spelling
SELECT ReleaseYear, COUNT(*) AS n FROM Movie GROUP BY GROUPING SETS ((ReleaseYear), ())

-- name: semicolon before with
-- class: spelling
;WITH c AS (SELECT Id FROM Movie) SELECT Id FROM c

-- name: schema in any case
-- class: spelling
SELECT Name FROM DBO.[MOVIE]

-- name: a table function without an alias
-- class: spelling
SELECT value FROM STRING_SPLIT('a,b', ',')

-- name: collation in a comparison
-- class: spelling
SELECT Name FROM Movie WHERE Name COLLATE Latin1_General_CI_AI = N'amelie'

-- name: escape in like
-- class: spelling
SELECT Name FROM Movie WHERE Name LIKE '%!%%' ESCAPE '!'

-- name: classes in like
-- class: spelling
SELECT Name FROM Movie WHERE Name LIKE '[A-C]%' AND Name NOT LIKE '[^x]_%'

-- name: distinct from null
-- class: spelling
SELECT Name FROM Movie WHERE ReleaseYear IS DISTINCT FROM NULL

-- name: an edge at either of its ends
-- class: join
SELECT m.Name FROM Movie AS m JOIN IN_GENRE AS e ON e.$from_id = m.$node_id OR e.$to_id = m.$node_id

-- name: ends of edges of several kinds
-- class: join
WITH ids AS (SELECT e.$from_id AS n FROM IN_GENRE AS e UNION SELECT f.$to_id FROM INCLUDES_THEME AS f) SELECT COUNT(*) AS n FROM ids AS i JOIN Movie AS m ON m.$node_id = i.n

-- name: edges that meet in one node
-- class: join
SELECT COUNT(*) AS n FROM IN_GENRE AS e JOIN INCLUDES_THEME AS f ON e.$from_id = f.$from_id WHERE e.$edge_id <> f.$edge_id

-- name: a node at either end of an edge
-- class: join
SELECT m.Name FROM Movie AS m JOIN IN_GENRE AS a ON a.$from_id = m.$node_id WHERE m.$node_id IN (a.$from_id, a.$to_id)

-- name: nodes that differ from ALL ends
-- class: join
SELECT m.Name FROM Movie AS m WHERE m.$node_id <> ALL (SELECT e.$from_id FROM IN_GENRE AS e)

-- name: a path that can repeat only once
-- class: path
SELECT COUNT(*) AS n FROM Movie AS m, IN_GENRE FOR PATH AS e, Genre FOR PATH AS g WHERE MATCH(SHORTEST_PATH(m(-(e)->g)+)) AND m.Id = 1

-- name: where a path that repeats once ends
-- class: path
SELECT m.Name, LAST_VALUE(g.Name) WITHIN GROUP (GRAPH PATH) AS Genre FROM Movie AS m, IN_GENRE FOR PATH AS i, Genre FOR PATH AS g WHERE MATCH(SHORTEST_PATH(m(-(i)->g)+)) AND m.Id = 1
