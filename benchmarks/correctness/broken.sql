-- Broken statements with the statement that was meant. A repair must return the rows of what was meant; what is
-- not repaired must name the cure: a word that the message, the hint or a suggestion has to contain.

-- broken, cure: TOP
SELECT Name FROM Movie WHERE ReleaseYear > 2000 ORDER BY ReleaseYear, Id LIMIT 7
-- meant
SELECT TOP 7 Name FROM Movie WHERE ReleaseYear > 2000 ORDER BY ReleaseYear, Id

-- broken, cure: OFFSET
SELECT Id FROM Theme ORDER BY Id OFFSET 10 LIMIT 4
-- meant
SELECT Id FROM Theme ORDER BY Id OFFSET 10 ROWS FETCH NEXT 4 ROWS ONLY

-- broken, cure: LIKE
SELECT Id, Name FROM Movie WHERE Name ILIKE '%king%'
-- meant
SELECT Id, Name FROM Movie WHERE Name LIKE '%king%'

-- broken, cure: CAST
SELECT ReleaseYear::text AS y FROM Movie WHERE Id < 5
-- meant
SELECT CAST(ReleaseYear AS VARCHAR(4)) AS y FROM Movie WHERE Id < 5

-- broken, cure: +
SELECT Name || ' (' || CAST(ReleaseYear AS VARCHAR(4)) || ')' AS t FROM Movie WHERE Id <= 10
-- meant
SELECT Name + ' (' + CAST(ReleaseYear AS VARCHAR(4)) + ')' AS t FROM Movie WHERE Id <= 10

-- broken, cure: IS NULL
SELECT COUNT(*) FROM Movie WHERE ReleaseYear = NULL
-- meant
SELECT COUNT(*) FROM Movie WHERE ReleaseYear IS NULL

-- broken, cure: IS NOT NULL
SELECT COUNT(*) FROM Movie WHERE ReleaseYear != NULL
-- meant
SELECT COUNT(*) FROM Movie WHERE ReleaseYear IS NOT NULL

-- broken, cure: =
SELECT Name FROM Movie WHERE ReleaseYear == 1984
-- meant
SELECT Name FROM Movie WHERE ReleaseYear = 1984

-- broken, cure: Name
SELECT Title FROM Movie WHERE Title LIKE 'The L%'
-- meant
SELECT Name FROM Movie WHERE Name LIKE 'The L%'

-- broken, cure: ReleaseYear
SELECT Name, Year FROM Movie WHERE Year BETWEEN 1960 AND 1963
-- meant
SELECT Name, ReleaseYear FROM Movie WHERE ReleaseYear BETWEEN 1960 AND 1963

-- broken, cure: Content
SELECT Id, Plot FROM Movie WHERE Plot LIKE '%submarine%'
-- meant
SELECT Id, Content FROM Movie WHERE Content LIKE '%submarine%'

-- broken, cure: Movie
SELECT COUNT(*) FROM Movies
-- meant
SELECT COUNT(*) FROM Movie

-- broken, cure: Theme
SELECT t.Name FROM Themes AS t WHERE t.Id < 6
-- meant
SELECT t.Name FROM Theme AS t WHERE t.Id < 6

-- broken, cure: INCLUDES_THEME
SELECT m.Name FROM Movie m, HAS_THEME e, Theme t WHERE MATCH(m-(e)->t) AND t.Name = 'Revenge'
-- meant
SELECT m.Name FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) AND t.Name = 'Revenge'

-- broken, cure: MATCH
MATCH (m:Movie)-[:IN_GENRE]->(g:Genre) WHERE g.Name = 'Western' RETURN m.Name
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Western'

-- broken, cure: MATCH
MATCH (m:Movie {Name: 'Alien'})-[:FEATURES_CHARACTER]->(c:Character) RETURN c.Name LIMIT 10
-- meant
SELECT TOP 10 c.Name FROM Movie AS m, FEATURES_CHARACTER AS e, Character AS c WHERE MATCH(m-(e)->c) AND m.Name = 'Alien'

-- broken, cure: ->
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(g-(e)->m) AND g.Name = 'Western'
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(g<-(e)-m) AND g.Name = 'Western'

-- broken, cure: MATCH
SELECT m.Name FROM Movie m JOIN IN_GENRE e ON e.MovieId = m.Id JOIN Genre g ON g.Id = e.GenreId WHERE g.Name = 'Western'
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND g.Name = 'Western'

-- broken, cure: MATCH
SELECT m.Name FROM Movie m JOIN IN_GENRE e ON m.$node_id = e.$from_id JOIN Genre g ON g.Id = e.$to_id WHERE g.Name = 'War'
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND g.Name = 'War'

-- broken, cure: FROM
SELECT m.Name FROM Movie m, Genre g WHERE MATCH(m-(IN_GENRE)->g) AND g.Name = 'Musical'
-- meant
SELECT m.Name FROM Movie m, IN_GENRE, Genre g WHERE MATCH(m-(IN_GENRE)->g) AND g.Name = 'Musical'

-- broken, cure: MATCH
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE m-(e)->g AND g.Name = 'Musical'
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND g.Name = 'Musical'

-- broken, cure: SELECT
SELECT m.Name, FROM Movie m WHERE m.Id = 4
-- meant
SELECT m.Name FROM Movie m WHERE m.Id = 4

-- broken, cure: parenthes
SELECT COUNT(*) FROM Movie WHERE (ReleaseYear > 1990 AND ReleaseYear < 1995
-- meant
SELECT COUNT(*) FROM Movie WHERE (ReleaseYear > 1990 AND ReleaseYear < 1995)

-- broken, cure: STRING_AGG
SELECT GROUP_CONCAT(Name SEPARATOR '; ') FROM Genre WHERE Id < 4
-- meant
SELECT STRING_AGG(Name, '; ') FROM Genre WHERE Id < 4

-- broken, cure: DISTINCT
SELECT STRING_AGG(DISTINCT LEFT(Name, 1), ',') FROM Genre
-- meant
SELECT STRING_AGG(x.l, ',') FROM (SELECT DISTINCT LEFT(Name, 1) AS l FROM Genre) AS x

-- broken, cure: GETDATE
SELECT COUNT(*) FROM Movie WHERE ReleaseYear < EXTRACT(YEAR FROM NOW()) - 50
-- meant
SELECT COUNT(*) FROM Movie WHERE ReleaseYear < YEAR(GETDATE()) - 50

-- broken, cure: LEN
SELECT TOP 3 Name FROM Movie ORDER BY LENGTH(Name) DESC, Id
-- meant
SELECT TOP 3 Name FROM Movie ORDER BY LEN(Name) DESC, Id

-- broken, cure: SUBSTRING
SELECT SUBSTR(Name, 1, 4) AS s FROM Genre
-- meant
SELECT SUBSTRING(Name, 1, 4) AS s FROM Genre

-- broken, cure: CHARINDEX
SELECT Name FROM Series WHERE INSTR(Name, 'man') > 0
-- meant
SELECT Name FROM Series WHERE CHARINDEX('man', Name) > 0

-- broken, cure: CHARINDEX
SELECT Name FROM Series WHERE POSITION('man' IN Name) > 0
-- meant
SELECT Name FROM Series WHERE CHARINDEX('man', Name) > 0

-- broken, cure: ISNULL
SELECT IFNULL(ReleaseYear, 0) AS y FROM Movie WHERE Id < 4
-- meant
SELECT ISNULL(ReleaseYear, 0) AS y FROM Movie WHERE Id < 4

-- broken, cure: IIF
SELECT IF(ReleaseYear < 1980, 'old', 'new') AS age, COUNT(*) AS n FROM Movie GROUP BY IF(ReleaseYear < 1980, 'old', 'new')
-- meant
SELECT IIF(ReleaseYear < 1980, 'old', 'new') AS age, COUNT(*) AS n FROM Movie GROUP BY IIF(ReleaseYear < 1980, 'old', 'new')

-- broken, cure: ORDER BY
SELECT Name FROM Movie WHERE ReleaseYear IS NOT NULL ORDER BY ReleaseYear DESC NULLS LAST, Id LIMIT 5
-- meant
SELECT TOP 5 Name FROM Movie WHERE ReleaseYear IS NOT NULL ORDER BY ReleaseYear DESC, Id

-- broken, cure: '
SELECT Id FROM Movie WHERE Name = "Alien"
-- meant
SELECT Id FROM Movie WHERE Name = 'Alien'

-- broken, cure: '
SELECT Name FROM Movie WHERE Name = 'Schindler's List'
-- meant
SELECT Name FROM Movie WHERE Name = 'Schindler''s List'

-- broken, cure: [
SELECT `Name` FROM `Movie` WHERE `Id` = 3
-- meant
SELECT [Name] FROM [Movie] WHERE [Id] = 3

-- broken, cure: SELECT
```sql
SELECT COUNT(*) FROM Series;
```
-- meant
SELECT COUNT(*) FROM Series

-- broken, cure: SELECT
USE movies; GO
SELECT COUNT(*) FROM Genre
-- meant
SELECT COUNT(*) FROM Genre

-- broken, cure: GROUP BY
SELECT g.Name, COUNT(*) AS n FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) ORDER BY n DESC, g.Name
-- meant
SELECT g.Name, COUNT(*) AS n FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) GROUP BY g.Name ORDER BY n DESC, g.Name

-- broken, cure: HAVING
SELECT ReleaseYear, COUNT(*) AS n FROM Movie WHERE COUNT(*) > 15 GROUP BY ReleaseYear
-- meant
SELECT ReleaseYear, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear HAVING COUNT(*) > 15

-- broken, cure: GROUP BY
SELECT ReleaseYear / 10 * 10 AS Decade, COUNT(*) AS n FROM Movie GROUP BY 1
-- meant
SELECT ReleaseYear / 10 * 10 AS Decade, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear / 10 * 10

-- broken, cure: ROW_NUMBER
SELECT Name, ReleaseYear FROM Movie WHERE ReleaseYear < 1950 QUALIFY ROW_NUMBER() OVER (PARTITION BY ReleaseYear ORDER BY Id) = 1
-- meant
SELECT x.Name, x.ReleaseYear FROM (SELECT Name, ReleaseYear, ROW_NUMBER() OVER (PARTITION BY ReleaseYear ORDER BY Id) AS n FROM Movie WHERE ReleaseYear < 1950) AS x WHERE x.n = 1

-- broken, cure: CASE
SELECT COUNT(*) FILTER (WHERE ReleaseYear < 1960) AS old, COUNT(*) AS n FROM Movie
-- meant
SELECT COUNT(CASE WHEN ReleaseYear < 1960 THEN 1 END) AS old, COUNT(*) AS n FROM Movie

-- broken, cure: ROW_NUMBER
SELECT DISTINCT ON (ReleaseYear) ReleaseYear, Name FROM Movie WHERE ReleaseYear < 1945 ORDER BY ReleaseYear, Id
-- meant
SELECT x.ReleaseYear, x.Name FROM (SELECT ReleaseYear, Name, ROW_NUMBER() OVER (PARTITION BY ReleaseYear ORDER BY Id) AS n FROM Movie WHERE ReleaseYear < 1945) AS x WHERE x.n = 1 ORDER BY x.ReleaseYear

-- broken, cure: TOP
SELECT x.Name FROM (SELECT Name FROM Genre ORDER BY Name) AS x WHERE x.Name LIKE 'M%'
-- meant
SELECT x.Name FROM (SELECT Name FROM Genre) AS x WHERE x.Name LIKE 'M%'

-- broken, cure: AS
SELECT Name FROM (SELECT Name FROM Genre WHERE Id < 5)
-- meant
SELECT x.Name FROM (SELECT Name FROM Genre WHERE Id < 5) AS x

-- broken, cure: CONTAINS
SELECT Id FROM Movie WHERE Content CONTAINS 'submarine'
-- meant
SELECT Id FROM Movie WHERE CONTAINS(Content, 'submarine')

-- broken, cure: "
SELECT Id FROM Movie WHERE CONTAINS(Content, 'haunted house')
-- meant
SELECT Id FROM Movie WHERE CONTAINS(Content, '"haunted house"')

-- broken, cure: "
SELECT Id FROM Movie WHERE CONTAINS(Content, 'vampir*')
-- meant
SELECT Id FROM Movie WHERE CONTAINS(Content, '"vampir*"')

-- broken, cure: CONTAINS
SELECT Id FROM Movie WHERE MATCH(Content) AGAINST('submarine')
-- meant
SELECT Id FROM Movie WHERE CONTAINS(Content, 'submarine')

-- broken, cure: CONTAINS
SELECT Id FROM Movie WHERE CONTAINS(Content, 'pirate') = 1
-- meant
SELECT Id FROM Movie WHERE CONTAINS(Content, 'pirate')

-- broken, cure: AND
SELECT Id FROM Movie WHERE CONTAINS(Content, 'pirate && ship')
-- meant
SELECT Id FROM Movie WHERE CONTAINS(Content, 'pirate AND ship')

-- broken, cure: VECTOR_DISTANCE
SELECT TOP 5 Id FROM Movie ORDER BY Embedding <=> @q
-- query: a lonely robot
-- meant
SELECT TOP 5 Id FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- broken, cure: VECTOR_DISTANCE
SELECT TOP 5 Id FROM Movie ORDER BY COSINE_DISTANCE(Embedding, @q)
-- query: a lonely robot
-- meant
SELECT TOP 5 Id FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- broken, cure: cosine
SELECT TOP 5 Id FROM Movie ORDER BY VECTOR_DISTANCE(Embedding, @q)
-- query: a lonely robot
-- meant
SELECT TOP 5 Id FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- broken, cure: cosine
SELECT TOP 5 Id FROM Movie ORDER BY VECTOR_DISTANCE(Embedding, @q, 'cosine')
-- query: a lonely robot
-- meant
SELECT TOP 5 Id FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- broken, cure: @q
SELECT TOP 5 Id FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, :query)
-- query: a lonely robot
-- meant
SELECT TOP 5 Id FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- broken, cure: @q
DECLARE @q VECTOR(384); SELECT TOP 5 Id FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)
-- query: a lonely robot
-- meant
SELECT TOP 5 Id FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- broken, cure: LIKE
SELECT Name FROM Movie WHERE Name REGEXP '^[0-9]+'
-- meant
SELECT Name FROM Movie WHERE REGEXP_LIKE(Name, '^[0-9]+')

-- broken, cure: REGEXP_LIKE
SELECT Name FROM Movie WHERE Name ~ '^The [A-D]'
-- meant
SELECT Name FROM Movie WHERE REGEXP_LIKE(Name, '^The [A-D]')

-- broken, cure: LIKE
SELECT Name FROM Movie WHERE Name SIMILAR TO 'Alien|Aliens'
-- meant
SELECT Name FROM Movie WHERE Name IN ('Alien', 'Aliens')

-- broken, cure: LIKE
SELECT Name FROM Movie WHERE STARTS_WITH(Name, 'Star')
-- meant
SELECT Name FROM Movie WHERE Name LIKE 'Star%'

-- broken, cure: CROSS APPLY
SELECT s.Name, x.Name FROM Series s, LATERAL (SELECT TOP 1 m.Name FROM Movie m, PART_OF_SERIES p, Series r WHERE MATCH(m-(p)->r) AND r.Id = s.Id ORDER BY m.Id) AS x WHERE s.Id < 6
-- meant
SELECT s.Name, x.Name FROM Series s CROSS APPLY (SELECT TOP 1 m.Name FROM Movie m, PART_OF_SERIES p, Series r WHERE MATCH(m-(p)->r) AND r.Id = s.Id ORDER BY m.Id) AS x WHERE s.Id < 6

-- broken, cure: ON
SELECT a.Name FROM Movie a JOIN Series b USING (Name)
-- meant
SELECT a.Name FROM Movie a JOIN Series b ON a.Name = b.Name

-- broken, cure: ON
SELECT COUNT(*) FROM Movie a JOIN Series b WHERE a.Name = b.Name
-- meant
SELECT COUNT(*) FROM Movie a JOIN Series b ON a.Name = b.Name

-- broken, cure: EXCEPT
SELECT Id FROM Genre WHERE Id < 5 MINUS SELECT Id FROM Genre WHERE Id < 3
-- meant
SELECT Id FROM Genre WHERE Id < 5 EXCEPT SELECT Id FROM Genre WHERE Id < 3

-- broken, cure: SELECT
WITH a AS (SELECT Id FROM Genre WHERE Id < 3), SELECT * FROM a
-- meant
WITH a AS (SELECT Id FROM Genre WHERE Id < 3) SELECT * FROM a

-- broken, cure: WITH
WITH RECURSIVE a AS (SELECT Id FROM Genre WHERE Id < 3) SELECT Id FROM a
-- meant
WITH a AS (SELECT Id FROM Genre WHERE Id < 3) SELECT Id FROM a

-- broken, cure: JOIN ... ON
SELECT m.Name, g.Name FROM Movie m NATURAL JOIN Genre g WHERE m.Id < 3
-- meant
SELECT m.Name, g.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND m.Id < 3

-- broken, cure: 1
SELECT COUNT(*) FROM Movie WHERE TRUE
-- meant
SELECT COUNT(*) FROM Movie WHERE 1 = 1

-- broken, cure: 1
SELECT COUNT(*) FROM Movie WHERE (ReleaseYear > 2000) = TRUE
-- meant
SELECT COUNT(*) FROM Movie WHERE ReleaseYear > 2000

-- broken, cure: CAST
SELECT TO_CHAR(ReleaseYear) AS y FROM Movie WHERE Id < 3
-- meant
SELECT CAST(ReleaseYear AS VARCHAR(10)) AS y FROM Movie WHERE Id < 3

-- broken, cure: CAST
SELECT CAST(ReleaseYear AS STRING) AS y FROM Movie WHERE Id < 3
-- meant
SELECT CAST(ReleaseYear AS VARCHAR(10)) AS y FROM Movie WHERE Id < 3

-- broken, cure: /
SELECT ReleaseYear DIV 10 AS d, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear DIV 10
-- meant
SELECT ReleaseYear / 10 AS d, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear / 10

-- broken, cure: %
SELECT MOD(Id, 4) AS r, COUNT(*) AS n FROM Genre GROUP BY MOD(Id, 4)
-- meant
SELECT Id % 4 AS r, COUNT(*) AS n FROM Genre GROUP BY Id % 4

-- broken, cure: PERCENTILE_CONT
SELECT MEDIAN(ReleaseYear) AS m FROM Movie
-- meant
SELECT DISTINCT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY ReleaseYear) OVER () AS m FROM Movie

-- broken, cure: ROUND(x, 0, 1)
SELECT TRUNC(Id / 3.0) AS t FROM Genre WHERE Id < 9
-- meant
SELECT ROUND(Id / 3.0, 0, 1) AS t FROM Genre WHERE Id < 9

-- broken, cure: TOP
SELECT Name FROM Movie WHERE ReleaseYear = 1999 AND ROWNUM <= 3 ORDER BY Id
-- meant
SELECT TOP 3 Name FROM Movie WHERE ReleaseYear = 1999 ORDER BY Id

-- broken, cure: TOP
SELECT Name TOP 3 FROM Genre ORDER BY Id
-- meant
SELECT TOP 3 Name FROM Genre ORDER BY Id

-- broken, cure: TOP
SELECT TOP 3 DISTINCT LEFT(Name, 1) AS l FROM Genre ORDER BY l
-- meant
SELECT DISTINCT TOP 3 LEFT(Name, 1) AS l FROM Genre ORDER BY l

-- broken, cure: ,
SELECT TOP 4 Id Name ReleaseYear FROM Movie ORDER BY Id
-- meant
SELECT TOP 4 Id, Name, ReleaseYear FROM Movie ORDER BY Id

-- broken, cure: WHERE
SELECT Name FROM Genre WHERE Id > 3 WHERE Id < 6
-- meant
SELECT Name FROM Genre WHERE Id > 3 AND Id < 6

-- broken, cure: WHERE
SELECT Name FROM Genre ORDER BY Id WHERE Id < 4
-- meant
SELECT Name FROM Genre WHERE Id < 4 ORDER BY Id

-- broken, cure: FROM
SELCT Name FROM Genre WHERE Id < 4
-- meant
SELECT Name FROM Genre WHERE Id < 4

-- broken, cure: WHERE
SELECT Name FROM Genre WEHRE Id < 4
-- meant
SELECT Name FROM Genre WHERE Id < 4

-- broken, cure: BETWEEN
SELECT COUNT(*) FROM Movie WHERE ReleaseYear BETWEEN 1990, 1995
-- meant
SELECT COUNT(*) FROM Movie WHERE ReleaseYear BETWEEN 1990 AND 1995

-- broken, cure: IN
SELECT Name FROM Movie WHERE ReleaseYear IN [1954, 1955]
-- meant
SELECT Name FROM Movie WHERE ReleaseYear IN (1954, 1955)

-- broken, cure: NOT IN
SELECT m.Name FROM Movie m WHERE m.ReleaseYear = 1999 AND NOT MATCH(m-(e)->s)
-- meant
SELECT m.Name FROM Movie m WHERE m.ReleaseYear = 1999 AND NOT EXISTS (SELECT 1 FROM Movie x, PART_OF_SERIES e, Series s WHERE MATCH(x-(e)->s) AND x.Id = m.Id)

-- broken, cure: STRING_SPLIT
SELECT UNNEST(STRING_TO_ARRAY('a,b,c', ',')) AS v
-- meant
SELECT value AS v FROM STRING_SPLIT('a,b,c', ',')

-- broken, cure: GENERATE_SERIES
SELECT * FROM RANGE(1, 4)
-- meant
SELECT value FROM GENERATE_SERIES(1, 3)

-- broken, cure: CAST
SELECT '{"a": "x"}'::json ->> 'a' AS v
-- meant
SELECT JSON_VALUE('{"a": "x"}', '$.a') AS v

-- broken, cure: Id
SELECT r.Name, COUNT(m.movie_id) AS n FROM Movie m, PART_OF_SERIES p, Series r WHERE MATCH(m-(p)->r) AND r.Id < 5 GROUP BY r.Name
-- meant
SELECT r.Name, COUNT(m.Id) AS n FROM Movie m, PART_OF_SERIES p, Series r WHERE MATCH(m-(p)->r) AND r.Id < 5 GROUP BY r.Name

-- broken, cure: ReleaseYear
SELECT COUNT(*) FROM Movie WHERE YEAR(ReleaseDate) = 1999
-- meant
SELECT COUNT(*) FROM Movie WHERE ReleaseYear = 1999

-- broken, cure: GENRE
SELECT Name FROM Movie WHERE Genre = 'Western'
-- meant
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND g.Name = 'Western'

-- broken, cure: Embedding
SELECT * FROM Genre WHERE Id = 1 AND Embedding IS NOT NULL
-- meant
SELECT Id, Name, Content FROM Genre WHERE Id = 1

-- broken, cure: 1 or 0
-- graph: cookbook
SELECT Title FROM Recipe WHERE CookingTime < 20 AND Vegan = TRUE
-- meant
SELECT Title FROM Recipe WHERE Minutes < 20 AND Vegan = 1

-- broken, cure: Title
-- graph: cookbook
SELECT Name FROM Recipe WHERE Name LIKE 'S%'
-- meant
SELECT Title FROM Recipe WHERE Title LIKE 'S%'

-- broken, cure: NEEDS
-- graph: cookbook
SELECT r.Title FROM Recipe r, HAS_INGREDIENT n, Ingredient i WHERE MATCH(r-(n)->i) AND i.Name = 'Saffron'
-- meant
SELECT r.Title FROM Recipe r, NEEDS n, Ingredient i WHERE MATCH(r-(n)->i) AND i.Name = 'Saffron'

-- broken, cure: SHORTEST_PATH
-- graph: cookbook
SELECT b.Name FROM Region a, PART_OF p, Region b WHERE MATCH(a-(p*1..3)->b) AND a.Name = 'Provence'
-- meant
SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS Name FROM Region a, PART_OF FOR PATH p, Region FOR PATH b WHERE MATCH(SHORTEST_PATH(a(-(p)->b){1,3})) AND a.Name = 'Provence'

-- broken, cure: Vegan
-- graph: cookbook
SELECT COUNT(*) FROM Recipe WHERE Vegan IS TRUE AND NOT Vegetarian
-- meant
SELECT COUNT(*) FROM Recipe WHERE Vegan = 1 AND Vegetarian = 0

-- broken, cure: CAST
-- graph: cookbook
SELECT SUM(Vegan) AS n FROM Recipe
-- meant
SELECT SUM(CAST(Vegan AS INT)) AS n FROM Recipe
