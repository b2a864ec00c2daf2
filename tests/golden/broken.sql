-- name: LIMIT after ORDER BY
-- class: dialect
SELECT m.Name FROM Movie m ORDER BY m.ReleaseYear DESC LIMIT 5
-- meant
SELECT TOP 5 m.Name FROM Movie AS m ORDER BY m.ReleaseYear DESC

-- name: LIMIT with OFFSET
-- class: dialect
SELECT m.Id, m.Name FROM Movie m ORDER BY m.Id LIMIT 3 OFFSET 2
-- meant
SELECT m.Id, m.Name FROM Movie AS m ORDER BY m.Id OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY

-- name: MySQL LIMIT with a comma
-- class: dialect
SELECT Id, Name FROM Movie ORDER BY Id LIMIT 2, 3
-- meant
SELECT Id, Name FROM Movie ORDER BY Id OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY

-- name: LIMIT in a derived table
-- class: dialect
SELECT x.Name FROM (SELECT Name, Id FROM Movie ORDER BY Id LIMIT 2) x
-- meant
SELECT x.Name FROM (SELECT TOP 2 Name, Id FROM Movie ORDER BY Id) AS x

-- name: LIMIT in a CTE
-- class: dialect
WITH first_ones AS (SELECT Id, Name FROM Movie ORDER BY ReleaseYear LIMIT 4)
SELECT f.Name FROM first_ones f WHERE f.Id > 1
-- meant
WITH first_ones AS (SELECT TOP 4 Id, Name FROM Movie ORDER BY ReleaseYear)
SELECT f.Name FROM first_ones AS f WHERE f.Id > 1

-- name: FETCH FIRST without OFFSET
-- class: dialect
SELECT Name FROM Movie ORDER BY Name FETCH FIRST 3 ROWS ONLY
-- meant
SELECT TOP 3 Name FROM Movie ORDER BY Name

-- name: ILIKE
-- class: dialect
SELECT m.Name FROM Movie m WHERE m.Name ILIKE '%star%'
-- meant
SELECT m.Name FROM Movie AS m WHERE m.Name LIKE '%star%'

-- name: NOT ILIKE
-- class: dialect
SELECT m.Name FROM Movie m WHERE m.Name NOT ILIKE 'alien%' AND m.ReleaseYear > 1978
-- meant
SELECT m.Name FROM Movie AS m WHERE m.Name NOT LIKE 'alien%' AND m.ReleaseYear > 1978

-- name: pipes join strings
-- class: dialect
SELECT m.Name || ' (' || m.ReleaseYear || ')' AS Label FROM Movie m
-- meant
SELECT m.Name + ' (' + CAST(m.ReleaseYear AS NVARCHAR(10)) + ')' AS Label FROM Movie AS m

-- name: pipes join names
-- class: dialect
SELECT m.Name || ': ' || m.Content AS Line FROM Movie m WHERE m.Id = 1
-- meant
SELECT m.Name + ': ' + m.Content AS Line FROM Movie AS m WHERE m.Id = 1

-- name: cast by colons to text
-- class: dialect
SELECT m.ReleaseYear::text AS Y FROM Movie m WHERE m.Id < 4
-- meant
SELECT CAST(m.ReleaseYear AS NVARCHAR(MAX)) AS Y FROM Movie AS m WHERE m.Id < 4

-- name: cast by colons to int
-- class: dialect
SELECT m.Name FROM Movie m WHERE m.ReleaseYear > '1990'::int
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear > CAST('1990' AS INT)

-- name: cast by colons to numeric in a division
-- class: dialect
SELECT m.Name, m.ReleaseYear::float / 10 AS Tenth FROM Movie m
-- meant
SELECT m.Name, CAST(m.ReleaseYear AS FLOAT) / 10 AS Tenth FROM Movie AS m

-- name: backticks
-- class: dialect
SELECT `m`.`Name` FROM `Movie` AS `m` WHERE `m`.`ReleaseYear` = 1999
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = 1999

-- name: backticks around schema and table
-- class: dialect
SELECT `Name` FROM `dbo`.`Genre` ORDER BY `Name`
-- meant
SELECT Name FROM Genre ORDER BY Name

-- name: TRUE as a condition
-- class: dialect
SELECT Name FROM Movie WHERE TRUE AND ReleaseYear < 1980
-- meant
SELECT Name FROM Movie WHERE ReleaseYear < 1980

-- name: boolean expression in the select list
-- class: dialect
SELECT m.Name, m.ReleaseYear > 1990 AS IsRecent FROM Movie m
-- meant
SELECT m.Name, CASE WHEN m.ReleaseYear > 1990 THEN 1 WHEN NOT m.ReleaseYear > 1990 THEN 0 END AS IsRecent FROM Movie AS m

-- name: EXISTS equals true
-- class: dialect
SELECT m.Name FROM Movie m WHERE EXISTS (SELECT 1 FROM SET_IN s WHERE s.$from_id = m.$node_id) = true
-- meant
SELECT m.Name FROM Movie AS m WHERE EXISTS (SELECT 1 FROM SET_IN AS s WHERE s.$from_id = m.$node_id)

-- name: NOW of MySQL
-- class: dialect
SELECT Name FROM Movie WHERE ReleaseYear > YEAR(NOW()) - 40
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > YEAR(GETDATE()) - 40

-- name: EXTRACT year of CURRENT_DATE
-- class: dialect
SELECT Name FROM Movie WHERE ReleaseYear >= EXTRACT(YEAR FROM CURRENT_DATE) - 30
-- meant
SELECT Name FROM Movie WHERE ReleaseYear >= YEAR(GETDATE()) - 30

-- name: year by strftime
-- class: dialect
SELECT Name FROM Movie WHERE ReleaseYear >= CAST(strftime('%Y', 'now') AS INTEGER) - 30
-- meant
SELECT Name FROM Movie WHERE ReleaseYear >= YEAR(GETDATE()) - 30

-- name: year by date_part
-- class: dialect
SELECT Name FROM Movie WHERE ReleaseYear >= date_part('year', now()) - 30
-- meant
SELECT Name FROM Movie WHERE ReleaseYear >= YEAR(GETDATE()) - 30

-- name: year of SYSDATE
-- class: dialect
SELECT Name FROM Movie WHERE ReleaseYear >= EXTRACT(YEAR FROM SYSDATE) - 30
-- meant
SELECT Name FROM Movie WHERE ReleaseYear >= YEAR(GETDATE()) - 30

-- name: CURDATE
-- class: dialect
SELECT Name FROM Movie WHERE ReleaseYear >= YEAR(CURDATE()) - 30
-- meant
SELECT Name FROM Movie WHERE ReleaseYear >= YEAR(GETDATE()) - 30

-- name: a string in double quotes
-- class: dialect
SELECT m.Name FROM Movie m WHERE m.Name = "Dune"
-- meant
SELECT m.Name FROM Movie AS m WHERE m.Name = 'Dune'

-- name: strings in double quotes in IN
-- class: dialect
SELECT m.Id FROM Movie m WHERE m.Name IN ("Dune", "Alien")
-- meant
SELECT m.Id FROM Movie AS m WHERE m.Name IN ('Dune', 'Alien')

-- name: a pattern in double quotes
-- class: dialect
SELECT m.Name FROM Movie m WHERE m.Name LIKE "%Star%"
-- meant
SELECT m.Name FROM Movie AS m WHERE m.Name LIKE '%Star%'

-- name: a double-quoted string with an apostrophe
-- class: dialect
SELECT Id, Name FROM Movie WHERE Content LIKE "%machine's%"
-- meant
SELECT Id, Name FROM Movie WHERE Content LIKE '%machine''s%'

-- name: LENGTH
-- class: dialect
SELECT Name, LENGTH(Content) AS L FROM Movie ORDER BY LENGTH(Content) DESC
-- meant
SELECT Name, LEN(Content) AS L FROM Movie ORDER BY LEN(Content) DESC

-- name: CHAR_LENGTH
-- class: dialect
SELECT Name FROM Movie WHERE CHAR_LENGTH(Name) > 6
-- meant
SELECT Name FROM Movie WHERE LEN(Name) > 6

-- name: SUBSTR
-- class: dialect
SELECT SUBSTR(Name, 1, 3) AS Start FROM Movie
-- meant
SELECT SUBSTRING(Name, 1, 3) AS Start FROM Movie

-- name: SUBSTRING FROM FOR
-- class: dialect
SELECT SUBSTRING(Name FROM 2 FOR 3) AS Part FROM Movie
-- meant
SELECT SUBSTRING(Name, 2, 3) AS Part FROM Movie

-- name: SUBSTR with two arguments
-- class: dialect
SELECT SUBSTR(Name, 3) AS Rest FROM Genre
-- meant
SELECT SUBSTRING(Name, 3, 4000) AS Rest FROM Genre

-- name: STRPOS
-- class: dialect
SELECT Name FROM Movie WHERE STRPOS(Content, 'planet') > 0
-- meant
SELECT Name FROM Movie WHERE CHARINDEX('planet', Content) > 0

-- name: INSTR
-- class: dialect
SELECT Name FROM Movie WHERE INSTR(Content, 'boy') > 0
-- meant
SELECT Name FROM Movie WHERE CHARINDEX('boy', Content) > 0

-- name: POSITION IN
-- class: dialect
SELECT Name FROM Movie WHERE POSITION('rebel' IN Content) > 0
-- meant
SELECT Name FROM Movie WHERE CHARINDEX('rebel', Content) > 0

-- name: LOCATE
-- class: dialect
SELECT Name FROM Movie WHERE LOCATE('ship', Content) > 0
-- meant
SELECT Name FROM Movie WHERE CHARINDEX('ship', Content) > 0

-- name: IFNULL
-- class: dialect
SELECT Name, IFNULL(ReleaseYear, 0) AS Y FROM Movie
-- meant
SELECT Name, ISNULL(ReleaseYear, 0) AS Y FROM Movie

-- name: NVL
-- class: dialect
SELECT Name, NVL(ReleaseYear, -1) AS Y FROM Movie
-- meant
SELECT Name, ISNULL(ReleaseYear, -1) AS Y FROM Movie

-- name: IF of MySQL
-- class: dialect
SELECT Name, IF(ReleaseYear < 1980, 'old', 'new') AS Age FROM Movie
-- meant
SELECT Name, IIF(ReleaseYear < 1980, 'old', 'new') AS Age FROM Movie

-- name: DECODE of Oracle
-- class: dialect
SELECT Name, DECODE(ReleaseYear, 1999, 'then', 'else') AS Age FROM Movie
-- meant
SELECT Name, CASE ReleaseYear WHEN 1999 THEN 'then' ELSE 'else' END AS Age FROM Movie

-- name: GREATEST and a modulo function
-- class: dialect
SELECT Name, GREATEST(Id, 3) AS G, MOD(Id, 2) AS Odd FROM Movie
-- meant
SELECT Name, GREATEST(Id, 3) AS G, Id % 2 AS Odd FROM Movie

-- name: integer division by DIV
-- class: dialect
SELECT ReleaseYear DIV 10 * 10 AS Decade, COUNT(*) AS N FROM Movie GROUP BY ReleaseYear DIV 10 * 10
-- meant
SELECT ReleaseYear / 10 * 10 AS Decade, COUNT(*) AS N FROM Movie GROUP BY ReleaseYear / 10 * 10

-- name: RANDOM order
-- class: dialect
SELECT COUNT(*) AS N FROM (SELECT Id FROM Movie ORDER BY RANDOM() LIMIT 3) x
-- meant
SELECT COUNT(*) AS N FROM (SELECT TOP 3 Id FROM Movie ORDER BY NEWID()) AS x

-- name: NULLS LAST
-- class: dialect
SELECT Name FROM Movie ORDER BY ReleaseYear DESC NULLS LAST
-- meant
SELECT Name FROM Movie ORDER BY ReleaseYear DESC

-- name: NULLS LAST ascending
-- class: dialect
SELECT Id FROM Movie ORDER BY ReleaseYear ASC NULLS LAST, Id
-- meant
SELECT Id FROM Movie ORDER BY CASE WHEN ReleaseYear IS NULL THEN 1 ELSE 0 END, ReleaseYear, Id

-- name: regular expression operator
-- class: dialect
SELECT Name FROM Movie WHERE Name ~* 'star|alien'
-- meant
SELECT Name FROM Movie WHERE Name LIKE '%star%' OR Name LIKE '%alien%'

-- name: REGEXP with a plain word
-- class: dialect
SELECT Name FROM Movie WHERE Name REGEXP 'Star'
-- meant
SELECT Name FROM Movie WHERE Name LIKE '%Star%'

-- name: join USING
-- class: dialect
WITH a AS (SELECT Id, Name FROM Movie WHERE Id < 4), b AS (SELECT Id, ReleaseYear FROM Movie)
SELECT a.Name, b.ReleaseYear FROM a JOIN b USING (Id)
-- meant
WITH a AS (SELECT Id, Name FROM Movie WHERE Id < 4), b AS (SELECT Id, ReleaseYear FROM Movie)
SELECT a.Name, b.ReleaseYear FROM a JOIN b ON a.Id = b.Id

-- name: DISTINCT ON
-- class: dialect
-- unfixable: which of the rows of a year is meant hangs on the order of the whole statement
SELECT DISTINCT ON (m.ReleaseYear) m.ReleaseYear, m.Name FROM Movie m

-- name: QUALIFY
-- class: dialect
SELECT Id, Name FROM Movie QUALIFY ROW_NUMBER() OVER (PARTITION BY ReleaseYear ORDER BY Id) = 1
-- meant
SELECT x.Id, x.Name FROM (SELECT Id, Name, ROW_NUMBER() OVER (PARTITION BY ReleaseYear ORDER BY Id) AS n FROM Movie) AS x WHERE x.n = 1

-- name: inequality and equality of C
-- class: dialect
SELECT Name FROM Movie WHERE ReleaseYear == 1999 AND Name != 'Alien'
-- meant
SELECT Name FROM Movie WHERE ReleaseYear = 1999 AND Name <> 'Alien'

-- name: AND by ampersands
-- class: dialect
SELECT Name FROM Movie WHERE ReleaseYear > 1970 && ReleaseYear < 1990
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > 1970 AND ReleaseYear < 1990

-- name: RECURSIVE
-- class: dialect
WITH RECURSIVE old AS (SELECT Id, Name FROM Movie WHERE ReleaseYear < 1980) SELECT Name FROM old
-- meant
WITH old AS (SELECT Id, Name FROM Movie WHERE ReleaseYear < 1980) SELECT Name FROM old

-- name: FROM DUAL
-- class: dialect
SELECT 1 + 1 AS two FROM DUAL
-- meant
SELECT 1 + 1 AS two

-- name: LPAD
-- class: dialect
SELECT LPAD(Id, 3, '0') AS Code FROM Movie
-- meant
SELECT CASE WHEN LEN(Id) > 3 THEN LEFT(Id, 3) ELSE RIGHT(CONCAT('000', Id), 3) END AS Code FROM Movie

-- name: TO_CHAR of a number
-- class: dialect
SELECT Name || ' ' || TO_CHAR(ReleaseYear) AS L FROM Movie WHERE ReleaseYear > 1990
-- meant
SELECT Name + ' ' + CAST(ReleaseYear AS NVARCHAR(50)) AS L FROM Movie WHERE ReleaseYear > 1990

-- name: count with FILTER
-- class: dialect
SELECT COUNT(*) AS N, COUNT(*) FILTER (WHERE ReleaseYear < 1980) AS Old FROM Movie
-- meant
SELECT COUNT(*) AS N, COUNT(CASE WHEN ReleaseYear < 1980 THEN 1 END) AS Old FROM Movie

-- name: COUNTIF of BigQuery
-- class: dialect
SELECT COUNTIF(ReleaseYear < 1980) AS Old FROM Movie
-- meant
SELECT COUNT(CASE WHEN ReleaseYear < 1980 THEN 1 END) AS Old FROM Movie

-- name: SAFE_CAST
-- class: dialect
SELECT Name FROM Movie WHERE SAFE_CAST('1999' AS INT64) = ReleaseYear
-- meant
SELECT Name FROM Movie WHERE TRY_CAST('1999' AS BIGINT) = ReleaseYear

-- name: lateral join
-- class: dialect
SELECT m.Name, x.N FROM Movie m CROSS JOIN LATERAL (SELECT COUNT(*) AS N FROM INCLUDES_THEME i WHERE i.$from_id = m.$node_id) x
-- meant
SELECT m.Name, x.N FROM Movie AS m CROSS APPLY (SELECT COUNT(*) AS N FROM INCLUDES_THEME AS i WHERE i.$from_id = m.$node_id) AS x

-- name: MINUS of Oracle
-- class: dialect
SELECT Id FROM Movie MINUS SELECT Id FROM Movie WHERE ReleaseYear < 1990
-- meant
SELECT Id FROM Movie EXCEPT SELECT Id FROM Movie WHERE ReleaseYear < 1990

-- name: BETWEEN SYMMETRIC
-- class: dialect
-- unfixable: a form so rare that no rule needs to know it; it must not become another question
SELECT Name FROM Movie WHERE ReleaseYear BETWEEN SYMMETRIC 1990 AND 1970

-- name: plural table
-- class: names
SELECT Name FROM Movies WHERE ReleaseYear = 1999
-- meant
SELECT Name FROM Movie WHERE ReleaseYear = 1999

-- name: table of another word
-- class: names
SELECT f.Name FROM Film f WHERE f.ReleaseYear = 1999
-- meant
SELECT f.Name FROM Movie AS f WHERE f.ReleaseYear = 1999

-- name: misspelt table
-- class: names
SELECT c.Name FROM Charcter c
-- meant
SELECT c.Name FROM Character AS c

-- name: misspelt column
-- class: names
SELECT m.Nmae, m.RelaseYear FROM Movie m
-- meant
SELECT m.Name, m.ReleaseYear FROM Movie AS m

-- name: a cut column
-- class: names
SELECT Nam FROM Movie
-- meant
SELECT Name FROM Movie

-- name: Title for Name
-- class: names
SELECT m.Title FROM Movie m WHERE m.Title LIKE 'Star%'
-- meant
SELECT m.Name FROM Movie AS m WHERE m.Name LIKE 'Star%'

-- name: year for ReleaseYear
-- class: names
SELECT m.Name, m.year FROM Movie m WHERE m.year > 1990 ORDER BY m.year
-- meant
SELECT m.Name, m.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear > 1990 ORDER BY m.ReleaseYear

-- name: release_year
-- class: names
SELECT name, release_year FROM movie WHERE release_year BETWEEN 1970 AND 1980
-- meant
SELECT Name, ReleaseYear FROM Movie WHERE ReleaseYear BETWEEN 1970 AND 1980

-- name: Year without alias
-- class: names
SELECT Name FROM Movie WHERE Year >= 1999
-- meant
SELECT Name FROM Movie WHERE ReleaseYear >= 1999

-- name: movie_id
-- class: names
SELECT m.movie_id, m.Name FROM Movie m
-- meant
SELECT m.Id, m.Name FROM Movie AS m

-- name: MovieId
-- class: names
SELECT MovieId, Title FROM Movie ORDER BY MovieId
-- meant
SELECT Id, Name FROM Movie ORDER BY Id

-- name: GenreName
-- class: names
SELECT g.GenreName FROM Genre g WHERE g.GenreId < 3
-- meant
SELECT g.Name FROM Genre AS g WHERE g.Id < 3

-- name: plot
-- class: names
SELECT m.Name, m.Plot FROM Movie m WHERE m.Plot LIKE '%planet%'
-- meant
SELECT m.Name, m.Content FROM Movie AS m WHERE m.Content LIKE '%planet%'

-- name: overview and description
-- class: names
SELECT Name, Overview FROM Movie WHERE Overview LIKE '%rebel%'
-- meant
SELECT Name, Content FROM Movie WHERE Content LIKE '%rebel%'

-- name: description of a theme
-- class: names
SELECT t.Name, t.Description FROM Theme t
-- meant
SELECT t.Name, t.Content FROM Theme AS t

-- name: release date as a year
-- class: names
SELECT Name FROM Movie WHERE YEAR(ReleaseDate) = 1999
-- meant
SELECT Name FROM Movie WHERE ReleaseYear = 1999

-- name: genre as a column
-- class: names
SELECT m.Name FROM Movie m WHERE m.Genre = 'Drama'
-- meant
SELECT m.Name FROM Movie AS m WHERE EXISTS (SELECT 1 FROM IN_GENRE AS e JOIN Genre AS g ON g.$node_id = e.$to_id WHERE e.$from_id = m.$node_id AND g.Name = 'Drama')

-- name: theme as a column without alias
-- class: names
SELECT Name FROM Movie WHERE Theme = 'Rebellion' AND ReleaseYear < 2000
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear < 2000 AND EXISTS (SELECT 1 FROM INCLUDES_THEME AS e JOIN Theme AS g ON g.$node_id = e.$to_id WHERE e.$from_id = m.$node_id AND g.Name = 'Rebellion')

-- name: genre column with IN
-- class: names
SELECT m.Name FROM Movie m WHERE m.Genre IN ('Drama', 'Horror')
-- meant
SELECT m.Name FROM Movie AS m WHERE EXISTS (SELECT 1 FROM IN_GENRE AS e JOIN Genre AS g ON g.$node_id = e.$to_id WHERE e.$from_id = m.$node_id AND g.Name IN ('Drama', 'Horror'))

-- name: genre column with LIKE
-- class: names
SELECT m.Name FROM Movie m WHERE m.Genre LIKE '%Fiction%' ORDER BY m.Id
-- meant
SELECT m.Name FROM Movie AS m WHERE EXISTS (SELECT 1 FROM IN_GENRE AS e JOIN Genre AS g ON g.$node_id = e.$to_id WHERE e.$from_id = m.$node_id AND g.Name LIKE '%Fiction%') ORDER BY m.Id

-- name: director as a column
-- class: names
-- unfixable: the graph holds no directors
SELECT m.Name FROM Movie m WHERE m.Director = 'Ridley Scott'

-- name: rating as a column
-- class: names
-- unfixable: the graph holds no ratings
SELECT TOP 5 m.Name FROM Movie m ORDER BY m.Rating DESC

-- name: an actor table
-- class: names
-- unfixable: the graph holds no actors
SELECT a.Name FROM Actor a WHERE a.Name LIKE 'Sigourney%'

-- name: a relational join table
-- class: names
SELECT m.Name FROM Movie m JOIN MovieGenre mg ON mg.MovieId = m.Id JOIN Genre g ON g.Id = mg.GenreId WHERE g.Name = 'Drama'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Drama'

-- name: edge joined by foreign keys
-- class: names
SELECT m.Name FROM Movie m JOIN IN_GENRE ig ON ig.MovieId = m.Id JOIN Genre g ON g.Id = ig.GenreId WHERE g.Name = 'Horror'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Horror'

-- name: edge joined by from_id without the dollar
-- class: names
SELECT m.Name, t.Name FROM Movie m JOIN INCLUDES_THEME i ON i.from_id = m.node_id JOIN Theme t ON t.node_id = i.to_id
-- meant
SELECT m.Name, t.Name FROM Movie AS m, INCLUDES_THEME AS i, Theme AS t WHERE MATCH(m-(i)->t)

-- name: edge joined to Id
-- class: names
SELECT m.Name FROM Movie m JOIN SET_IN s ON s.$from_id = m.Id JOIN Setting p ON p.Id = s.$to_id WHERE p.Name = 'Paris'
-- meant
SELECT m.Name FROM Movie AS m, SET_IN AS s, Setting AS p WHERE MATCH(m-(s)->p) AND p.Name = 'Paris'

-- name: wrong schema
-- class: names
SELECT m.Name FROM movies.Movie m
-- meant
SELECT m.Name FROM dbo.Movie AS m

-- name: PostgreSQL public schema
-- class: names
SELECT Name FROM public.Genre
-- meant
SELECT Name FROM dbo.Genre

-- name: database, schema and table
-- class: names
SELECT m.Name FROM MovieDB.dbo.Movie AS m
-- meant
SELECT m.Name FROM dbo.Movie AS m

-- name: an alias that was never given
-- class: names
SELECT m.Name FROM Movie WHERE m.ReleaseYear = 1979
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = 1979

-- name: table name where an alias was given
-- class: names
SELECT Movie.Name FROM Movie m WHERE Movie.ReleaseYear = 1979
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = 1979

-- name: edge in lower case with a typo
-- class: names
SELECT m.Name FROM Movie m, includes_themes i, Theme t WHERE MATCH(m-(i)->t) AND t.Name = 'Survival'
-- meant
SELECT m.Name FROM Movie AS m, INCLUDES_THEME AS i, Theme AS t WHERE MATCH(m-(i)->t) AND t.Name = 'Survival'

-- name: edge of another word
-- class: names
SELECT m.Name FROM Movie m, HAS_THEME h, Theme t WHERE MATCH(m-(h)->t) AND t.Name = 'Survival'
-- meant
SELECT m.Name FROM Movie AS m, INCLUDES_THEME AS i, Theme AS t WHERE MATCH(m-(i)->t) AND t.Name = 'Survival'

-- name: edge named HAS_GENRE
-- class: names
SELECT g.Name, COUNT(*) AS N FROM Movie m, HAS_GENRE h, Genre g WHERE MATCH(m-(h)->g) GROUP BY g.Name
-- meant
SELECT g.Name, COUNT(*) AS N FROM Movie AS m, IN_GENRE AS h, Genre AS g WHERE MATCH(m-(h)->g) GROUP BY g.Name

-- name: ambiguous column
-- class: names
-- unfixable: the name of the film, of the theme or both may be meant
SELECT Name FROM Movie m, INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t)

-- name: ambiguous year is not ambiguous
-- class: names
SELECT m.Name FROM Movie m, INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t) AND t.Name = 'Rebellion' AND Year < 1990
-- meant
SELECT m.Name FROM Movie AS m, INCLUDES_THEME AS i, Theme AS t WHERE MATCH(m-(i)->t) AND t.Name = 'Rebellion' AND m.ReleaseYear < 1990

-- name: reserved word as an alias
-- class: names
SELECT m.Name AS Key, m.ReleaseYear AS Order FROM Movie m
-- meant
SELECT m.Name AS [Key], m.ReleaseYear AS [Order] FROM Movie AS m

-- name: RANK without brackets
-- class: names
SELECT m.Name, k.RANK FROM CONTAINSTABLE(Movie, Content, 'planet') k JOIN Movie m ON m.Id = k.KEY
-- meant
SELECT m.Name, k.[RANK] FROM CONTAINSTABLE(Movie, Content, 'planet') AS k JOIN Movie AS m ON m.Id = k.[KEY]

-- name: alias with a blank, not quoted
-- class: names
SELECT m.Name AS Film Title, m.ReleaseYear FROM Movie m
-- meant
SELECT m.Name AS [Film Title], m.ReleaseYear FROM Movie AS m

-- name: MATCH with JOINs without ON
-- class: graph
SELECT m.Name FROM Movie m JOIN IN_GENRE e JOIN Genre g WHERE MATCH(m-(e)->g) AND g.Name = 'Drama'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Drama'

-- name: MATCH in ON
-- class: graph
SELECT m.Name FROM Movie m JOIN IN_GENRE e ON MATCH(m-(e)->g) JOIN Genre g ON g.Name = 'Drama'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Drama'

-- name: MATCH with JOIN ON pseudo-columns too
-- class: graph
SELECT m.Name, g.Name FROM Movie m JOIN IN_GENRE e ON e.$from_id = m.$node_id JOIN Genre g ON g.$node_id = e.$to_id WHERE MATCH(m-(e)->g)
-- meant
SELECT m.Name, g.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g)

-- name: wrong arrow
-- class: graph
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(g-(e)->m) AND g.Name = 'Drama'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Drama'

-- name: wrong arrow of the second half
-- class: graph
SELECT DISTINCT b.Name FROM Movie a, INCLUDES_THEME x, Theme t, INCLUDES_THEME y, Movie b WHERE MATCH(a-(x)->t-(y)->b) AND a.Name = 'Dune' AND a.Id <> b.Id
-- meant
SELECT DISTINCT b.Name FROM Movie AS a, INCLUDES_THEME AS x, Theme AS t, INCLUDES_THEME AS y, Movie AS b WHERE MATCH(a-(x)->t<-(y)-b) AND a.Name = 'Dune' AND a.Id <> b.Id

-- name: edge named in MATCH but not in FROM
-- class: graph
SELECT m.Name FROM Movie m, Genre g WHERE MATCH(m-(IN_GENRE)->g) AND g.Name = 'Horror'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Horror'

-- name: edge table's name where its alias belongs
-- class: graph
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(IN_GENRE)->g) AND g.Name = 'Horror'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Horror'

-- name: one edge used twice
-- class: graph
SELECT DISTINCT b.Name FROM Movie a, INCLUDES_THEME i, Theme t, Movie b WHERE MATCH(a-(i)->t<-(i)-b) AND a.Name = 'Alien' AND b.Id <> a.Id
-- meant
SELECT DISTINCT b.Name FROM Movie AS a, INCLUDES_THEME AS x, Theme AS t, INCLUDES_THEME AS y, Movie AS b WHERE MATCH(a-(x)->t<-(y)-b) AND a.Name = 'Alien' AND b.Id <> a.Id

-- name: one edge for two patterns
-- class: graph
SELECT m.Name FROM Movie m, INCLUDES_THEME i, Theme t, Theme u WHERE MATCH(m-(i)->t AND m-(i)->u) AND t.Name = 'Rebellion' AND u.Name = 'Chosen One'
-- meant
SELECT m.Name FROM Movie AS m, INCLUDES_THEME AS x, Theme AS t, INCLUDES_THEME AS y, Theme AS u WHERE MATCH(m-(x)->t AND m-(y)->u) AND t.Name = 'Rebellion' AND u.Name = 'Chosen One'

-- name: MATCH under OR
-- class: graph
SELECT DISTINCT m.Id, m.Name FROM Movie m, IN_GENRE e, Genre g, INCLUDES_THEME i, Theme t WHERE (MATCH(m-(e)->g) AND g.Name = 'Horror') OR (MATCH(m-(i)->t) AND t.Name = 'Chosen One')
-- meant
SELECT m.Id, m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Horror'
UNION SELECT m.Id, m.Name FROM Movie AS m, INCLUDES_THEME AS i, Theme AS t WHERE MATCH(m-(i)->t) AND t.Name = 'Chosen One'

-- name: MATCH or a plain condition
-- class: graph
SELECT DISTINCT m.Id, m.Name FROM Movie m, SET_IN s, Setting p WHERE m.ReleaseYear = 1999 OR (MATCH(m-(s)->p) AND p.Name = 'Paris')
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE m.ReleaseYear = 1999 OR EXISTS (SELECT 1 FROM SET_IN AS s JOIN Setting AS p ON p.$node_id = s.$to_id WHERE s.$from_id = m.$node_id AND p.Name = 'Paris')

-- name: MATCH in both branches of one OR
-- class: graph
SELECT DISTINCT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE (MATCH(m-(e)->g) AND g.Name = 'Horror') OR (MATCH(m-(e)->g) AND g.Name = 'Drama')
-- meant
SELECT DISTINCT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND (g.Name = 'Horror' OR g.Name = 'Drama')

-- name: NOT MATCH
-- class: graph
SELECT m.Name FROM Movie m, PART_OF_SERIES p, Series s WHERE NOT MATCH(m-(p)->s)
-- meant
SELECT m.Name FROM Movie AS m WHERE NOT EXISTS (SELECT 1 FROM PART_OF_SERIES AS p JOIN Series AS s ON s.$node_id = p.$to_id WHERE p.$from_id = m.$node_id)

-- name: correlated MATCH in NOT EXISTS
-- class: graph
SELECT m.Name FROM Movie m WHERE NOT EXISTS (SELECT 1 FROM PART_OF_SERIES p, Series s WHERE MATCH(m-(p)->s))
-- meant
SELECT m.Name FROM Movie AS m WHERE NOT EXISTS (SELECT 1 FROM PART_OF_SERIES AS p JOIN Series AS s ON s.$node_id = p.$to_id WHERE p.$from_id = m.$node_id)

-- name: correlated MATCH in EXISTS
-- class: graph
SELECT m.Name FROM Movie m WHERE m.ReleaseYear < 2000 AND EXISTS (SELECT 1 FROM INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t) AND t.Name = 'Rebellion')
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear < 2000 AND EXISTS (SELECT 1 FROM INCLUDES_THEME AS i JOIN Theme AS t ON t.$node_id = i.$to_id WHERE i.$from_id = m.$node_id AND t.Name = 'Rebellion')

-- name: correlated MATCH beside a MATCH outside
-- class: graph
SELECT m.Name, g.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND NOT EXISTS (SELECT 1 FROM INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t) AND t.Name = 'Chosen One')
-- meant
SELECT m.Name, g.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND NOT EXISTS (SELECT 1 FROM INCLUDES_THEME AS i JOIN Theme AS t ON t.$node_id = i.$to_id WHERE i.$from_id = m.$node_id AND t.Name = 'Chosen One')

-- name: correlated MATCH in a scalar subquery
-- class: graph
SELECT m.Name, (SELECT COUNT(*) FROM INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t)) AS Themes FROM Movie m
-- meant
SELECT m.Name, (SELECT COUNT(*) FROM INCLUDES_THEME AS i JOIN Theme AS t ON t.$node_id = i.$to_id WHERE i.$from_id = m.$node_id) AS Themes FROM Movie AS m

-- name: correlated MATCH aggregates names
-- class: graph
SELECT m.Name, (SELECT STRING_AGG(t.Name, ', ') FROM INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t)) AS Themes FROM Movie m WHERE m.Id = 4
-- meant
SELECT m.Name, (SELECT STRING_AGG(t.Name, ', ') FROM INCLUDES_THEME AS i JOIN Theme AS t ON t.$node_id = i.$to_id WHERE i.$from_id = m.$node_id) AS Themes FROM Movie AS m WHERE m.Id = 4

-- name: correlated MATCH of two hops
-- class: graph
SELECT m.Name FROM Movie m WHERE m.Name <> 'Dune' AND EXISTS (SELECT 1 FROM INCLUDES_THEME x, Theme t, INCLUDES_THEME y, Movie o WHERE MATCH(m-(x)->t<-(y)-o) AND o.Name = 'Dune')
-- meant
SELECT d.Name FROM (SELECT DISTINCT m.Id, m.Name FROM Movie AS m, INCLUDES_THEME AS x, Theme AS t, INCLUDES_THEME AS y, Movie AS o WHERE MATCH(m-(x)->t<-(y)-o) AND o.Name = 'Dune' AND m.Name <> 'Dune') AS d

-- name: correlated MATCH in an IN
-- class: graph
SELECT m.Name FROM Movie m WHERE 'Drama' IN (SELECT g.Name FROM IN_GENRE e, Genre g WHERE MATCH(m-(e)->g))
-- meant
SELECT m.Name FROM Movie AS m WHERE 'Drama' IN (SELECT g.Name FROM IN_GENRE AS e JOIN Genre AS g ON g.$node_id = e.$to_id WHERE e.$from_id = m.$node_id)

-- name: MATCH in CROSS APPLY
-- class: graph
SELECT m.Name, x.N FROM Movie m CROSS APPLY (SELECT COUNT(*) AS N FROM SET_IN s, Setting p WHERE MATCH(m-(s)->p)) x
-- meant
SELECT m.Name, x.N FROM Movie AS m CROSS APPLY (SELECT COUNT(*) AS N FROM SET_IN AS s JOIN Setting AS p ON p.$node_id = s.$to_id WHERE s.$from_id = m.$node_id) AS x

-- name: OUTER APPLY for LEFT JOIN with MATCH
-- class: graph
SELECT m.Name, s.Name FROM Movie m LEFT JOIN PART_OF_SERIES p ON MATCH(m-(p)->s) LEFT JOIN Series s ON 1 = 1
-- meant
SELECT m.Name, s.Name FROM Movie AS m LEFT JOIN PART_OF_SERIES AS p ON p.$from_id = m.$node_id LEFT JOIN Series AS s ON s.$node_id = p.$to_id

-- name: SHORTEST_PATH without FOR PATH
-- class: graph
SELECT a.Name, STRING_AGG(b.Name, '>') WITHIN GROUP (GRAPH PATH) AS Path FROM Movie a, PART_OF_SERIES p, Series s, PART_OF_SERIES r, Movie b WHERE MATCH(SHORTEST_PATH(a(-(p)->s<-(r)-b)+)) AND a.Name = 'Star Wars'
-- meant
SELECT a.Name, STRING_AGG(b.Name, '>') WITHIN GROUP (GRAPH PATH) AS Path FROM Movie AS a, PART_OF_SERIES FOR PATH AS p, Series FOR PATH AS s, PART_OF_SERIES FOR PATH AS r, Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-(p)->s<-(r)-b)+)) AND a.Name = 'Star Wars'

-- name: arrows without parentheses
-- class: graph
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-e->g) AND g.Name = 'Drama'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Drama'

-- name: nodes in parentheses
-- class: graph
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH((m)-(e)->(g)) AND g.Name = 'Drama'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Drama'

-- name: edge in square brackets as in Cypher
-- class: graph
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-[e]->g) AND g.Name = 'Drama'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Drama'

-- name: Cypher relation type
-- class: graph
SELECT m.Name FROM Movie m, Genre g WHERE MATCH((m)-[:IN_GENRE]->(g)) AND g.Name = 'Drama'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Drama'

-- name: Cypher with labels
-- class: graph
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH((m:Movie)-[e:IN_GENRE]->(g:Genre)) AND g.Name = 'Horror'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Horror'

-- name: Cypher alone
-- class: graph
MATCH (m:Movie)-[:IN_GENRE]->(g:Genre) WHERE g.Name = 'Horror' RETURN m.Name
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Horror'

-- name: Cypher alone with a limit
-- class: graph
MATCH (m:Movie)-[:INCLUDES_THEME]->(t:Theme {Name: 'Rebellion'}) RETURN m.Name, m.ReleaseYear ORDER BY m.ReleaseYear LIMIT 2
-- meant
SELECT TOP 2 m.Name, m.ReleaseYear FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t WHERE MATCH(m-(e)->t) AND t.Name = 'Rebellion' ORDER BY m.ReleaseYear

-- name: arrow with a blank edge
-- class: graph
SELECT m.Name FROM Movie m, Genre g WHERE MATCH(m-()->g) AND g.Name = 'Horror'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Horror'

-- name: double arrow
-- class: graph
SELECT m.Name FROM Movie m, SET_IN s, Setting p WHERE MATCH(m--(s)-->p) AND p.Name = 'Paris'
-- meant
SELECT m.Name FROM Movie AS m, SET_IN AS s, Setting AS p WHERE MATCH(m-(s)->p) AND p.Name = 'Paris'

-- name: undirected edge
-- class: graph
SELECT m.Name FROM Movie m, SET_IN s, Setting p WHERE MATCH(m-(s)-p) AND p.Name = 'Paris'
-- meant
SELECT m.Name FROM Movie AS m, SET_IN AS s, Setting AS p WHERE MATCH(m-(s)->p) AND p.Name = 'Paris'

-- name: edge alias missing in FROM
-- class: graph
SELECT m.Name, c.Name FROM Movie m, Character c WHERE MATCH(m-(fc)->c)
-- meant
SELECT m.Name, c.Name FROM Movie AS m, FEATURES_CHARACTER AS fc, Character AS c WHERE MATCH(m-(fc)->c)

-- name: node missing in FROM
-- class: graph
SELECT m.Name FROM Movie m, IN_GENRE e WHERE MATCH(m-(e)->g) AND g.Name = 'Drama'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Drama'

-- name: two MATCH joined by a comma
-- class: graph
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g, INCLUDES_THEME i, Theme t WHERE MATCH(m-(e)->g, m-(i)->t) AND g.Name = 'Science Fiction' AND t.Name = 'Chosen One'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g, INCLUDES_THEME AS i, Theme AS t WHERE MATCH(m-(e)->g AND m-(i)->t) AND g.Name = 'Science Fiction' AND t.Name = 'Chosen One'

-- name: edge between the wrong kinds
-- class: graph
SELECT m.Name FROM Movie m, INCLUDES_THEME i, Genre g WHERE MATCH(m-(i)->g) AND g.Name = 'Drama'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g) AND g.Name = 'Drama'

-- name: no edge between a theme and a genre
-- class: graph
-- unfixable: no edge joins themes and genres
SELECT t.Name FROM Theme t, IN_GENRE e, Genre g WHERE MATCH(t-(e)->g) AND g.Name = 'Drama'

-- name: property of an edge
-- class: graph
-- unfixable: edges have no weight
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND e.Weight > 0.5

-- name: words without quotes
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, 'desert planet')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"desert planet"')

-- name: three bare words
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, 'the desert planet')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"the desert planet"')

-- name: bare words on both sides of AND
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, 'farm boy AND rebels')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"farm boy" AND rebels')

-- name: bare prefix
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, 'rebel*')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"rebel*"')

-- name: bare prefixes with OR
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, 'rebel* OR hunt*')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"rebel*" OR "hunt*"')

-- name: percent signs of LIKE
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, '%planet%')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"planet"')

-- name: phrase in double quotes alone
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, "planet")
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"planet"')

-- name: apostrophes inside the condition
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, ''desert planet'')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"desert planet"')

-- name: doubled apostrophes as quotes
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, '''planet'' OR ''ship''')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"planet" OR "ship"')

-- name: bare NOT
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, 'planet NOT farm')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'planet AND NOT farm')

-- name: minus as NOT
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, 'planet -farm')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'planet AND NOT farm')

-- name: NOT first
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, 'NOT "planet"')
-- meant
SELECT m.Name FROM Movie AS m WHERE NOT CONTAINS(m.Content, '"planet"')

-- name: OR NOT
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, '"planet" OR NOT "boy"')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"planet"') OR NOT CONTAINS(m.Content, '"boy"')

-- name: an open quote
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, '"desert planet')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"desert planet"')

-- name: two phrases without operator
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, '"desert planet" "farm boy"')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"desert planet" AND "farm boy"')

-- name: trailing operator
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, '"planet" OR "ship" OR')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"planet" OR "ship"')

-- name: signs of C in the condition
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, '"planet" && "rebels"')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"planet" AND "rebels"')

-- name: pipes in the condition
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, '"planet" || "ship"')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"planet" OR "ship"')

-- name: columns without parentheses
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Name, m.Content, 'planet')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS((m.Name, m.Content), 'planet')

-- name: CONTAINS equals one
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, 'planet') = 1
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'planet')

-- name: MATCH AGAINST of MySQL
-- class: fulltext
SELECT Name FROM Movie WHERE MATCH(Name, Content) AGAINST('desert planet')
-- meant
SELECT Name FROM Movie WHERE FREETEXT((Name, Content), 'desert planet')

-- name: MATCH AGAINST in boolean mode
-- class: fulltext
SELECT Name FROM Movie WHERE MATCH(Content) AGAINST('+planet -farm' IN BOOLEAN MODE)
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, '"planet" AND NOT "farm"')

-- name: to_tsquery of PostgreSQL
-- class: fulltext
SELECT Name FROM Movie WHERE to_tsvector(Content) @@ to_tsquery('planet & rebels')
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, '"planet" AND "rebels"')

-- name: plainto_tsquery of PostgreSQL
-- class: fulltext
SELECT Name FROM Movie WHERE to_tsvector('english', Content) @@ plainto_tsquery('english', 'desert planet')
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, '"desert" AND "planet"')

-- name: full text on a column that has none
-- class: fulltext
-- unfixable: a year is no text, and searching another column asks something else
SELECT m.Name FROM Movie m WHERE CONTAINS(m.ReleaseYear, '1999')

-- name: CONTAINSTABLE with an alias inside
-- class: fulltext
SELECT m.Name, k.[RANK] FROM Movie m JOIN CONTAINSTABLE(m, Content, 'planet') k ON k.[KEY] = m.Id
-- meant
SELECT m.Name, k.[RANK] FROM Movie AS m JOIN CONTAINSTABLE(Movie, Content, 'planet') AS k ON k.[KEY] = m.Id

-- name: CONTAINSTABLE with a table in quotes
-- class: fulltext
SELECT k.[KEY] FROM CONTAINSTABLE('Movie', 'Content', 'planet') k
-- meant
SELECT k.[KEY] FROM CONTAINSTABLE(Movie, Content, 'planet') AS k

-- name: CONTAINSTABLE with a bare phrase
-- class: fulltext
SELECT k.[KEY], k.[RANK] FROM CONTAINSTABLE(Movie, (Name, Content), 'desert planet') k
-- meant
SELECT k.[KEY], k.[RANK] FROM CONTAINSTABLE(Movie, (Name, Content), '"desert planet"') AS k

-- name: RANK lower case without key join
-- class: fulltext
SELECT m.Name FROM FREETEXTTABLE(Movie, Content, 'planet rebels') k JOIN Movie m ON m.$node_id = k.[KEY]
-- meant
SELECT m.Name FROM FREETEXTTABLE(Movie, Content, 'planet rebels') AS k JOIN Movie AS m ON m.Id = k.[KEY]

-- name: NEAR without parentheses
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, 'NEAR((farm, planet), 10')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'NEAR((farm, planet), 10)')

-- name: empty condition
-- class: fulltext
-- unfixable: nothing is asked for
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, '')

-- name: percent q
-- class: vectors
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, %q)
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: the query in quotes
-- class: vectors
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, '@q')
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: @query
-- class: vectors
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @query)
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: @query_vector
-- class: vectors
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @query_vector)
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: colon q
-- class: vectors
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, :q)
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: colon query
-- class: vectors
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, :query)
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: question mark
-- class: vectors
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, ?)
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: dollar one
-- class: vectors
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, $1)
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: metric last
-- class: vectors
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE(m.Embedding, @q, 'cosine')
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: two arguments
-- class: vectors
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE(m.Embedding, @q)
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: metric without quotes
-- class: vectors
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE(cosine, m.Embedding, @q)
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: metric cosine_distance
-- class: vectors
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine_distance', m.Embedding, @q)
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: metric L2
-- class: vectors
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('l2', m.Embedding, @q)
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('euclidean', m.Embedding, @q)

-- name: metric dot product
-- class: vectors
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('dot_product', m.Embedding, @q)
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('dot', m.Embedding, @q)

-- name: operator of pgvector
-- class: vectors
SELECT m.Name FROM Movie m ORDER BY m.Embedding <=> @q LIMIT 3
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: Euclidean operator of pgvector
-- class: vectors
SELECT m.Name FROM Movie m ORDER BY m.Embedding <-> :q LIMIT 3
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('euclidean', m.Embedding, @q)

-- name: one minus the operator of pgvector
-- class: vectors
SELECT TOP 3 m.Name, 1 - (m.Embedding <=> @q) AS Similarity FROM Movie m ORDER BY m.Embedding <=> @q
-- meant
SELECT TOP 3 m.Name, 1 - VECTOR_DISTANCE('cosine', m.Embedding, @q) AS Similarity FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: cosine_similarity descending
-- class: vectors
SELECT TOP 3 m.Name FROM Movie m ORDER BY cosine_similarity(m.Embedding, @q) DESC
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: COSINE_DISTANCE as a function
-- class: vectors
SELECT TOP 3 m.Name FROM Movie m ORDER BY COSINE_DISTANCE(m.Embedding, @q)
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: VECTOR_SIMILARITY as a function
-- class: vectors
SELECT TOP 3 m.Name, VECTOR_SIMILARITY('cosine', m.Embedding, @q) AS Score FROM Movie m ORDER BY Score DESC
-- meant
SELECT TOP 3 m.Name, 1 - VECTOR_DISTANCE('cosine', m.Embedding, @q) AS Score FROM Movie AS m ORDER BY Score DESC

-- name: Embedding selected
-- class: vectors
SELECT m.Id, m.Name, m.Embedding FROM Movie m WHERE m.Id < 4
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE m.Id < 4

-- name: Embedding selected between others
-- class: vectors
SELECT TOP 2 m.Name, m.Embedding, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS d FROM Movie m ORDER BY d
-- meant
SELECT TOP 2 m.Name, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS d FROM Movie AS m ORDER BY d

-- name: DECLARE of @q
-- class: vectors
DECLARE @q VECTOR(1536) = '[0.1, 0.2]';
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: DECLARE by AI_GENERATE_EMBEDDINGS
-- class: vectors
DECLARE @qv VECTOR(1536) = AI_GENERATE_EMBEDDINGS(N'lonely robot' USE MODEL MyModel);
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @qv)
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: DECLARE and SET of @q
-- class: vectors
DECLARE @q VECTOR(384);
SET @q = (SELECT Embedding FROM Query);
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q);
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: @q cast to a vector
-- class: vectors
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, CAST(@q AS VECTOR(384)))
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: column named Vector
-- class: vectors
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Vector, @q)
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: VECTOR_DISTANCE with text
-- class: vectors
-- unfixable: the text to embed belongs in the parameter query, which a statement cannot set
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, 'a lonely robot')

-- name: unknown variable in a filter
-- class: vectors
-- unfixable: the value of the variable is not known
SELECT m.Name FROM Movie m WHERE m.ReleaseYear > @year

-- name: DECLARE of a number
-- class: vectors
DECLARE @since INT = 1990;
SELECT m.Name FROM Movie m WHERE m.ReleaseYear > @since
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear > 1990

-- name: no GROUP BY
-- class: aggregates
SELECT m.ReleaseYear, COUNT(*) AS N FROM Movie m
-- meant
SELECT m.ReleaseYear, COUNT(*) AS N FROM Movie AS m GROUP BY m.ReleaseYear

-- name: GROUP BY lacks a column
-- class: aggregates
SELECT g.Id, g.Name, COUNT(*) AS N FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) GROUP BY g.Id
-- meant
SELECT g.Id, g.Name, COUNT(*) AS N FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) GROUP BY g.Id, g.Name

-- name: ORDER BY lacks in GROUP BY
-- class: aggregates
SELECT m.Name, COUNT(*) AS N FROM Movie m, INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t) GROUP BY m.Name ORDER BY m.ReleaseYear
-- meant
SELECT m.Name, COUNT(*) AS N FROM Movie AS m, INCLUDES_THEME AS i, Theme AS t WHERE MATCH(m-(i)->t) GROUP BY m.Name, m.ReleaseYear ORDER BY m.ReleaseYear

-- name: alias in WHERE
-- class: aggregates
SELECT m.Name, m.ReleaseYear / 10 * 10 AS Decade FROM Movie m WHERE Decade = 1970
-- meant
SELECT m.Name, m.ReleaseYear / 10 * 10 AS Decade FROM Movie AS m WHERE m.ReleaseYear / 10 * 10 = 1970

-- name: alias in GROUP BY
-- class: aggregates
SELECT m.ReleaseYear / 10 * 10 AS Decade, COUNT(*) AS N FROM Movie m GROUP BY Decade
-- meant
SELECT m.ReleaseYear / 10 * 10 AS Decade, COUNT(*) AS N FROM Movie AS m GROUP BY m.ReleaseYear / 10 * 10

-- name: alias in HAVING
-- class: aggregates
SELECT t.Name, COUNT(*) AS Films FROM Movie m, INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t) GROUP BY t.Name HAVING Films > 2
-- meant
SELECT t.Name, COUNT(*) AS Films FROM Movie AS m, INCLUDES_THEME AS i, Theme AS t WHERE MATCH(m-(i)->t) GROUP BY t.Name HAVING COUNT(*) > 2

-- name: GROUP BY ordinal
-- class: aggregates
SELECT m.ReleaseYear, COUNT(*) AS N FROM Movie m GROUP BY 1 ORDER BY 2 DESC, 1
-- meant
SELECT m.ReleaseYear, COUNT(*) AS N FROM Movie AS m GROUP BY m.ReleaseYear ORDER BY N DESC, m.ReleaseYear

-- name: aggregate in WHERE
-- class: aggregates
SELECT t.Name FROM Movie m, INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t) AND COUNT(*) > 2 GROUP BY t.Name
-- meant
SELECT t.Name FROM Movie AS m, INCLUDES_THEME AS i, Theme AS t WHERE MATCH(m-(i)->t) GROUP BY t.Name HAVING COUNT(*) > 2

-- name: ORDER BY in a CTE
-- class: aggregates
WITH c AS (SELECT Id, Name FROM Movie ORDER BY ReleaseYear) SELECT Name FROM c WHERE Id < 5
-- meant
WITH c AS (SELECT Id, Name FROM Movie) SELECT Name FROM c WHERE Id < 5

-- name: ORDER BY in a derived table
-- class: aggregates
SELECT COUNT(*) AS N FROM (SELECT Id FROM Movie WHERE ReleaseYear < 2000 ORDER BY Id) x
-- meant
SELECT COUNT(*) AS N FROM (SELECT Id FROM Movie WHERE ReleaseYear < 2000) AS x

-- name: GROUP_CONCAT
-- class: aggregates
SELECT m.Name, GROUP_CONCAT(g.Name) AS Genres FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND m.Id <> 4 GROUP BY m.Name
-- meant
SELECT m.Name, STRING_AGG(g.Name, ',') AS Genres FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND m.Id <> 4 GROUP BY m.Name

-- name: GROUP_CONCAT with order and separator
-- class: aggregates
SELECT m.Name, GROUP_CONCAT(t.Name ORDER BY t.Name SEPARATOR '; ') AS Themes FROM Movie m, INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t) GROUP BY m.Name
-- meant
SELECT m.Name, STRING_AGG(t.Name, '; ') WITHIN GROUP (ORDER BY t.Name) AS Themes FROM Movie AS m, INCLUDES_THEME AS i, Theme AS t WHERE MATCH(m-(i)->t) GROUP BY m.Name

-- name: STRING_AGG with ORDER BY inside
-- class: aggregates
SELECT m.Name, STRING_AGG(t.Name, ', ' ORDER BY t.Name) AS Themes FROM Movie m, INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t) GROUP BY m.Name
-- meant
SELECT m.Name, STRING_AGG(t.Name, ', ') WITHIN GROUP (ORDER BY t.Name) AS Themes FROM Movie AS m, INCLUDES_THEME AS i, Theme AS t WHERE MATCH(m-(i)->t) GROUP BY m.Name

-- name: LISTAGG
-- class: aggregates
SELECT LISTAGG(g.Name, ', ') WITHIN GROUP (ORDER BY g.Name) AS Names FROM Genre g
-- meant
SELECT STRING_AGG(g.Name, ', ') WITHIN GROUP (ORDER BY g.Name) AS Names FROM Genre AS g

-- name: ARRAY_AGG
-- class: aggregates
-- unfixable: T-SQL has no arrays, and a text of the names is another result
SELECT ARRAY_AGG(g.Name) AS Names FROM Genre g

-- name: STUFF with FOR XML PATH
-- class: aggregates
SELECT m.Name, STUFF((SELECT ', ' + t.Name FROM INCLUDES_THEME i JOIN Theme t ON t.$node_id = i.$to_id WHERE i.$from_id = m.$node_id ORDER BY t.Name FOR XML PATH('')), 1, 2, '') AS Themes FROM Movie m
-- meant
SELECT m.Name, (SELECT STRING_AGG(t.Name, ', ') WITHIN GROUP (ORDER BY t.Name) FROM INCLUDES_THEME AS i JOIN Theme AS t ON t.$node_id = i.$to_id WHERE i.$from_id = m.$node_id) AS Themes FROM Movie AS m

-- name: STUFF with FOR XML PATH and TYPE
-- class: aggregates
SELECT STUFF((SELECT ',' + g.Name FROM Genre g ORDER BY g.Name FOR XML PATH(''), TYPE).value('.', 'NVARCHAR(MAX)'), 1, 1, '') AS Names
-- meant
SELECT (SELECT STRING_AGG(g.Name, ',') WITHIN GROUP (ORDER BY g.Name) FROM Genre AS g) AS Names

-- name: STUFF with FOR XML PATH and a correlated MATCH
-- class: aggregates
SELECT m.Name, STUFF((SELECT ', ' + g.Name FROM IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) ORDER BY g.Name FOR XML PATH('')), 1, 2, '') AS Genres FROM Movie m
-- meant
SELECT m.Name, (SELECT STRING_AGG(g.Name, ', ') WITHIN GROUP (ORDER BY g.Name) FROM IN_GENRE AS e JOIN Genre AS g ON g.$node_id = e.$to_id WHERE e.$from_id = m.$node_id) AS Genres FROM Movie AS m

-- name: COUNT DISTINCT of two columns
-- class: aggregates
SELECT COUNT(DISTINCT m.Name, m.ReleaseYear) AS N FROM Movie m
-- meant
SELECT COUNT(*) AS N FROM (SELECT DISTINCT m.Name, m.ReleaseYear FROM Movie AS m WHERE m.Name IS NOT NULL AND m.ReleaseYear IS NOT NULL) AS x

-- name: nested aggregate
-- class: aggregates
-- unfixable: the inner groups have no name that a rule could know
SELECT AVG(COUNT(*)) AS N FROM Movie m, INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t)

-- name: HAVING without GROUP BY
-- class: aggregates
SELECT m.ReleaseYear, COUNT(*) AS N FROM Movie m HAVING COUNT(*) > 1
-- meant
SELECT m.ReleaseYear, COUNT(*) AS N FROM Movie AS m GROUP BY m.ReleaseYear HAVING COUNT(*) > 1

-- name: HAVING for WHERE
-- class: aggregates
SELECT m.Name FROM Movie m HAVING m.ReleaseYear > 1990
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear > 1990

-- name: WHERE after GROUP BY
-- class: aggregates
SELECT m.ReleaseYear, COUNT(*) AS N FROM Movie m GROUP BY m.ReleaseYear WHERE m.ReleaseYear > 1978
-- meant
SELECT m.ReleaseYear, COUNT(*) AS N FROM Movie AS m WHERE m.ReleaseYear > 1978 GROUP BY m.ReleaseYear

-- name: window function in WHERE
-- class: aggregates
SELECT m.Name FROM Movie m WHERE ROW_NUMBER() OVER (PARTITION BY m.ReleaseYear ORDER BY m.Id) = 1
-- meant
SELECT x.Name FROM (SELECT m.Name, ROW_NUMBER() OVER (PARTITION BY m.ReleaseYear ORDER BY m.Id) AS n FROM Movie AS m) AS x WHERE x.n = 1

-- name: alias of a distance in WHERE
-- class: aggregates
SELECT m.Name, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS Distance FROM Movie m WHERE Distance < 0.9 ORDER BY Distance
-- meant
SELECT m.Name, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS Distance FROM Movie AS m WHERE VECTOR_DISTANCE('cosine', m.Embedding, @q) < 0.9 ORDER BY Distance

-- name: DISTINCT with an ORDER BY outside the list
-- class: aggregates
SELECT DISTINCT m.Name FROM Movie m, INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t) ORDER BY m.ReleaseYear
-- meant
SELECT m.Name FROM Movie AS m, INCLUDES_THEME AS i, Theme AS t WHERE MATCH(m-(i)->t) GROUP BY m.Name, m.ReleaseYear ORDER BY m.ReleaseYear

-- name: trailing comma in the list
-- class: syntax
SELECT m.Id, m.Name, FROM Movie m
-- meant
SELECT m.Id, m.Name FROM Movie AS m

-- name: trailing comma in FROM
-- class: syntax
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g, WHERE MATCH(m-(e)->g) AND g.Name = 'Drama'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Drama'

-- name: trailing comma in IN
-- class: syntax
SELECT Name FROM Movie WHERE Id IN (1, 2, 3,)
-- meant
SELECT Name FROM Movie WHERE Id IN (1, 2, 3)

-- name: missing comma
-- class: syntax
SELECT m.Id m.Name FROM Movie m
-- meant
SELECT m.Id, m.Name FROM Movie AS m

-- name: missing closing parenthesis at the end
-- class: syntax
SELECT Name FROM Movie WHERE Id IN (SELECT Id FROM Movie WHERE ReleaseYear = 1999
-- meant
SELECT Name FROM Movie WHERE Id IN (SELECT Id FROM Movie WHERE ReleaseYear = 1999)

-- name: one parenthesis too many
-- class: syntax
SELECT Name FROM Movie WHERE (ReleaseYear = 1999))
-- meant
SELECT Name FROM Movie WHERE ReleaseYear = 1999

-- name: missing parenthesis inside a function
-- class: syntax
SELECT TOP 3 m.Name FROM Movie m WHERE CONTAINS(m.Content, 'planet' ORDER BY m.Id
-- meant
SELECT TOP 3 m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'planet') ORDER BY m.Id

-- name: fence
-- class: syntax
```sql
SELECT Name FROM Movie WHERE Id = 3
```
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: fence with prose around it
-- class: syntax
Here is the query that finds the film:

```sql
SELECT Name FROM Movie WHERE Id = 3;
```

It looks for the film by its key.
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: prose in front
-- class: syntax
Sure! Here is your query: SELECT Name FROM Movie WHERE Id = 3
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: prose behind
-- class: syntax
SELECT Name FROM Movie WHERE Id = 3;

This query returns the film with the key 3.
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: the word SQL in front
-- class: syntax
SQL: SELECT Name FROM Movie WHERE Id = 3
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: GO
-- class: syntax
SELECT Name FROM Movie WHERE Id = 3
GO
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: USE and GO in front
-- class: syntax
USE MovieDB;
GO
SELECT Name FROM Movie WHERE Id = 3;
GO
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: SET NOCOUNT ON in front
-- class: syntax
SET NOCOUNT ON;
SELECT Name FROM Movie WHERE Id = 3
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: semicolon in the middle
-- class: syntax
SELECT Name FROM Movie WHERE ReleaseYear > 1990; ORDER BY Name
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > 1990 ORDER BY Name

-- name: smart quotes
-- class: syntax
SELECT Name FROM Movie WHERE Name = ‘Dune’
-- meant
SELECT Name FROM Movie WHERE Name = 'Dune'

-- name: smart double quotes in a search
-- class: syntax
SELECT Name FROM Movie WHERE CONTAINS(Content, '“desert planet”')
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, '"desert planet"')

-- name: an apostrophe that is not doubled
-- class: syntax
SELECT Id FROM Movie WHERE Content LIKE '%machine's dream%'
-- meant
SELECT Id FROM Movie WHERE Content LIKE '%machine''s dream%'

-- name: an apostrophe escaped by a backslash
-- class: syntax
SELECT Id FROM Movie WHERE Content LIKE '%machine\'s dream%'
-- meant
SELECT Id FROM Movie WHERE Content LIKE '%machine''s dream%'

-- name: hash comment
-- class: syntax
SELECT Name FROM Movie # all of the films
WHERE Id = 3
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: slash comment
-- class: syntax
SELECT Name // the title
FROM Movie WHERE Id = 3
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: TOP before DISTINCT
-- class: syntax
SELECT TOP 10 DISTINCT ReleaseYear FROM Movie ORDER BY ReleaseYear
-- meant
SELECT DISTINCT TOP 10 ReleaseYear FROM Movie ORDER BY ReleaseYear

-- name: TOP with an equal LIMIT
-- class: syntax
SELECT TOP 5 Name FROM Movie ORDER BY Id LIMIT 5
-- meant
SELECT TOP 5 Name FROM Movie ORDER BY Id

-- name: TOP with a smaller LIMIT
-- class: syntax
SELECT TOP 5 Name FROM Movie ORDER BY Id LIMIT 3
-- meant
SELECT TOP 3 Name FROM Movie ORDER BY Id

-- name: TOP with OFFSET
-- class: syntax
-- unfixable: the first five or the five behind the second may be meant
SELECT TOP 5 Name FROM Movie ORDER BY Id OFFSET 2 ROWS

-- name: TOP at the end
-- class: syntax
SELECT Name FROM Movie ORDER BY Id TOP 3
-- meant
SELECT TOP 3 Name FROM Movie ORDER BY Id

-- name: misspelt keywords
-- class: syntax
SELCT Name FORM Movie WHRE Id = 3
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: no SELECT list
-- class: syntax
-- unfixable: which columns are wanted is not said
SELECT FROM Movie WHERE Id = 3

-- name: ORDER without BY
-- class: syntax
SELECT Name FROM Movie ORDER Name DESC
-- meant
SELECT Name FROM Movie ORDER BY Name DESC

-- name: two WHERE
-- class: syntax
SELECT Name FROM Movie WHERE ReleaseYear > 1970 WHERE ReleaseYear < 1990
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > 1970 AND ReleaseYear < 1990

-- name: a doubled AND
-- class: syntax
SELECT Name FROM Movie WHERE ReleaseYear > 1970 AND AND ReleaseYear < 1990
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > 1970 AND ReleaseYear < 1990

-- name: a dangling AND
-- class: syntax
SELECT Name FROM Movie WHERE ReleaseYear > 1970 AND ORDER BY Name
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > 1970 ORDER BY Name

-- name: WHERE with AND first
-- class: syntax
SELECT Name FROM Movie WHERE AND ReleaseYear > 1970
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > 1970

-- name: derived table without an alias
-- class: syntax
SELECT Name FROM (SELECT Name, ReleaseYear FROM Movie) WHERE ReleaseYear = 1999
-- meant
SELECT Name FROM (SELECT Name, ReleaseYear FROM Movie) AS x WHERE ReleaseYear = 1999

-- name: derived column without a name
-- class: syntax
SELECT x.Id FROM (SELECT Id, COUNT(*) OVER () FROM Movie) x
-- meant
SELECT x.Id FROM (SELECT Id, COUNT(*) OVER () AS n FROM Movie) AS x

-- name: CTE with a trailing comma
-- class: syntax
WITH a AS (SELECT Id, Name FROM Movie WHERE Id < 4), SELECT Name FROM a
-- meant
WITH a AS (SELECT Id, Name FROM Movie WHERE Id < 4) SELECT Name FROM a

-- name: WITH said twice
-- class: syntax
WITH a AS (SELECT Id FROM Movie WHERE Id < 4), WITH b AS (SELECT Id, Name FROM Movie) SELECT b.Name FROM a JOIN b ON a.Id = b.Id
-- meant
WITH a AS (SELECT Id FROM Movie WHERE Id < 4), b AS (SELECT Id, Name FROM Movie) SELECT b.Name FROM a JOIN b ON a.Id = b.Id

-- name: semicolon in front of WITH
-- class: syntax
;WITH a AS (SELECT Id, Name FROM Movie WHERE Id < 4) SELECT Name FROM a;
-- meant
WITH a AS (SELECT Id, Name FROM Movie WHERE Id < 4) SELECT Name FROM a

-- name: IS a value
-- class: syntax
SELECT Name FROM Movie WHERE ReleaseYear IS 1999
-- meant
SELECT Name FROM Movie WHERE ReleaseYear = 1999

-- name: IN without parentheses
-- class: syntax
SELECT Name FROM Movie WHERE Id IN 1, 2, 3
-- meant
SELECT Name FROM Movie WHERE Id IN (1, 2, 3)

-- name: JOIN without ON
-- class: syntax
-- unfixable: how the two are joined is not said
SELECT a.Name, b.Name FROM Movie a JOIN Theme b

-- name: NOLOCK hint
-- class: syntax
SELECT m.Name FROM Movie m WITH (NOLOCK) WHERE m.Id = 3
-- meant
SELECT m.Name FROM Movie AS m WHERE m.Id = 3

-- name: OPTION at the end
-- class: syntax
SELECT m.Name FROM Movie m WHERE m.Id = 3 OPTION (RECOMPILE)
-- meant
SELECT m.Name FROM Movie AS m WHERE m.Id = 3

-- name: JSON around the statement
-- class: syntax
{"sql": "SELECT Name FROM Movie WHERE Id = 3"}
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: escaped line breaks
-- class: syntax
SELECT Name\nFROM Movie\nWHERE Id = 3
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: two statements
-- class: syntax
-- unfixable: one statement is run, and which of the two is not said
SELECT Name FROM Movie WHERE Id = 3; SELECT Name FROM Movie WHERE Id = 4

-- name: DELETE
-- class: syntax
-- unfixable: nothing is written
DELETE FROM Movie WHERE Id = 3

-- name: a statement behind a harmful one
-- class: syntax
-- unfixable: what removes a table is no slip
DROP TABLE Movie; SELECT Name FROM Movie

-- name: wrong order of clauses
-- class: syntax
SELECT Name FROM Movie ORDER BY Name WHERE ReleaseYear > 1990
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > 1990 ORDER BY Name

-- name: cut off at the end
-- class: syntax
-- unfixable: what is missing is not known
SELECT Name FROM Movie WHERE ReleaseYear >

-- name: fetch first in a subquery
-- class: dialect
SELECT COUNT(*) AS n FROM (SELECT Id FROM Movie ORDER BY Id FETCH FIRST 3 ROWS ONLY) t
-- meant
SELECT COUNT(*) AS n FROM (SELECT TOP 3 Id FROM Movie ORDER BY Id) AS t

-- name: offset before limit
-- class: dialect
SELECT Name FROM Movie ORDER BY Id OFFSET 1 LIMIT 2
-- meant
SELECT Name FROM Movie ORDER BY Id OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY

-- name: ROWNUM of Oracle
-- class: dialect
SELECT Name FROM Movie WHERE ROWNUM <= 3 AND ReleaseYear > 1900
-- meant
SELECT TOP 3 Name FROM Movie WHERE ReleaseYear > 1900

-- name: SIMILAR TO words
-- class: dialect
SELECT Name FROM Movie WHERE Name SIMILAR TO '%(Star|Dune)%'
-- meant
SELECT Name FROM Movie WHERE Name LIKE '%Star%' OR Name LIKE '%Dune%'

-- name: ILIKE ANY of an array
-- class: dialect
SELECT Name FROM Movie WHERE Name ILIKE ANY (ARRAY['%star%', '%dune%'])
-- meant
SELECT Name FROM Movie WHERE Name LIKE '%star%' OR Name LIKE '%dune%'

-- name: equals ANY of an array
-- class: dialect
SELECT Name FROM Movie WHERE Id = ANY(ARRAY[1, 3])
-- meant
SELECT Name FROM Movie WHERE Id IN (1, 3)

-- name: null-safe equality
-- class: dialect
SELECT Name FROM Movie WHERE ReleaseYear <=> 1999
-- meant
SELECT Name FROM Movie WHERE ReleaseYear = 1999

-- name: INITCAP
-- class: dialect
-- unfixable: T-SQL has no function that writes each word with a capital
SELECT INITCAP(Name) FROM Movie

-- name: CONCAT_WS and LOWER
-- class: dialect
SELECT CONCAT_WS(' - ', LOWER(Name), ReleaseYear) AS l FROM Movie WHERE Id <= 3 LIMIT 2
-- meant
SELECT TOP 2 CONCAT_WS(' - ', LOWER(Name), ReleaseYear) AS l FROM Movie WHERE Id <= 3

-- name: decade by FLOOR
-- class: dialect
SELECT FLOOR(ReleaseYear/10)*10 AS decade, COUNT(*) AS cnt FROM Movie GROUP BY decade ORDER BY decade
-- meant
SELECT FLOOR(ReleaseYear/10)*10 AS decade, COUNT(*) AS cnt FROM Movie GROUP BY FLOOR(ReleaseYear/10)*10 ORDER BY decade

-- name: SUM of a comparison
-- class: dialect
SELECT SUM(ReleaseYear >= 1990) AS recent FROM Movie
-- meant
SELECT SUM(CASE WHEN ReleaseYear >= 1990 THEN 1 ELSE 0 END) AS recent FROM Movie

-- name: AGE by date arithmetic
-- class: dialect
SELECT Name, EXTRACT(YEAR FROM NOW()) - ReleaseYear AS Age FROM Movie WHERE Id = 3
-- meant
SELECT Name, YEAR(GETDATE()) - ReleaseYear AS Age FROM Movie WHERE Id = 3

-- name: YEAR of CURRENT_TIMESTAMP
-- class: dialect
SELECT Name FROM Movie WHERE ReleaseYear BETWEEN YEAR(CURRENT_DATE()) - 60 AND YEAR(CURRENT_DATE())
-- meant
SELECT Name FROM Movie WHERE ReleaseYear BETWEEN YEAR(GETDATE()) - 60 AND YEAR(GETDATE())

-- name: string comparison of a year with interval
-- class: dialect
SELECT Name FROM Movie WHERE ReleaseYear >= YEAR(NOW() - INTERVAL '60 years')
-- meant
SELECT Name FROM Movie WHERE ReleaseYear >= YEAR(DATEADD(year, -60, GETDATE()))

-- name: SPLIT_PART
-- class: dialect
-- unfixable: no function of the dialect takes the n-th part of a text
SELECT SPLIT_PART(Name, ' ', 1) FROM Movie

-- name: EXCEPT columns of BigQuery
-- class: dialect
SELECT * EXCEPT (Embedding) FROM Movie WHERE Id = 3
-- meant
SELECT Id, Name, ReleaseYear, Content FROM Movie WHERE Id = 3

-- name: natural join
-- class: dialect
-- unfixable: what the two tables share says nothing about the edge between them
SELECT * FROM Movie NATURAL JOIN Genre

-- name: string literal with E prefix
-- class: dialect
SELECT Id FROM Movie WHERE Name = E'Dune'
-- meant
SELECT Id FROM Movie WHERE Name = 'Dune'

-- name: FULL month name types
-- class: dialect
SELECT CAST(ReleaseYear AS CHAR) AS y FROM Movie WHERE Id = 1
-- meant
SELECT CAST(ReleaseYear AS NVARCHAR(30)) AS y FROM Movie WHERE Id = 1

-- name: ROUND of a cast to numeric
-- class: dialect
SELECT ROUND(AVG(ReleaseYear)::numeric, 1) AS mean FROM Movie
-- meant
SELECT ROUND(AVG(CAST(ReleaseYear AS DECIMAL(38, 6))), 1) AS mean FROM Movie

-- name: genre_name and movie_title
-- class: names
SELECT m.movie_title, g.genre_name FROM Movie m, IN_GENRE ig, Genre g WHERE MATCH(m-(ig)->g)
-- meant
SELECT m.Name, g.Name FROM Movie AS m, IN_GENRE AS ig, Genre AS g WHERE MATCH(m-(ig)->g)

-- name: summary and Released
-- class: names
SELECT Title, Summary FROM Movies WHERE Released = 1999
-- meant
SELECT Name, Content FROM Movie WHERE ReleaseYear = 1999

-- name: characters table in lower case plural
-- class: names
SELECT c.name FROM characters c WHERE c.name LIKE '%Luke%'
-- meant
SELECT c.Name FROM Character AS c WHERE c.Name LIKE '%Luke%'

-- name: location for setting
-- class: names
SELECT l.Name FROM Location l
-- meant
SELECT l.Name FROM Setting AS l

-- name: franchise for series
-- class: names
SELECT f.Name FROM Franchise f WHERE f.Name LIKE 'Star%'
-- meant
SELECT f.Name FROM Series AS f WHERE f.Name LIKE 'Star%'

-- name: BELONGS_TO_SERIES
-- class: names
SELECT m.Name FROM Movie m, BELONGS_TO_SERIES b, Series s WHERE MATCH(m-(b)->s) AND s.Name = 'Star Wars'
-- meant
SELECT m.Name FROM Movie AS m, PART_OF_SERIES AS b, Series AS s WHERE MATCH(m-(b)->s) AND s.Name = 'Star Wars'

-- name: HAS_CHARACTER with from and to keys
-- class: names
SELECT m.Name FROM Movie m JOIN HAS_CHARACTER hc ON hc.movie_id = m.id JOIN Character c ON c.id = hc.character_id WHERE c.Name = 'Ellen Ripley'
-- meant
SELECT m.Name FROM Movie AS m, FEATURES_CHARACTER AS hc, Character AS c WHERE MATCH(m-(hc)->c) AND c.Name = 'Ellen Ripley'

-- name: theme joined to the film by a key
-- class: names
SELECT m.Name FROM Movie m JOIN Theme t ON t.MovieId = m.Id WHERE t.Name = 'Survival'
-- meant
SELECT m.Name FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t WHERE MATCH(m-(e)->t) AND t.Name = 'Survival'

-- name: film joined to its genre by a key
-- class: names
SELECT m.Name, g.Name FROM Movie m JOIN Genre g ON m.GenreId = g.Id
-- meant
SELECT m.Name, g.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g)

-- name: series name as a column
-- class: names
SELECT Name FROM Movie WHERE SeriesName = 'Star Wars' ORDER BY ReleaseYear
-- meant
SELECT m.Name FROM Movie AS m, PART_OF_SERIES AS p, Series AS s WHERE MATCH(m-(p)->s) AND s.Name = 'Star Wars' ORDER BY m.ReleaseYear

-- name: genre column unequal
-- class: names
SELECT Name FROM Movie WHERE Genre <> 'Drama'
-- meant
SELECT m.Name FROM Movie AS m WHERE NOT EXISTS (SELECT 1 FROM IN_GENRE AS e JOIN Genre AS g ON g.$node_id = e.$to_id WHERE e.$from_id = m.$node_id AND g.Name = 'Drama')

-- name: genre column listed
-- class: names
-- unfixable: a film has several genres; one text or one row for each may be meant
SELECT Name, Genre FROM Movie

-- name: runtime of a film
-- class: names
-- unfixable: the graph holds no running times
SELECT Name FROM Movie WHERE Runtime < 100

-- name: release date compared with a day
-- class: names
SELECT Name FROM Movie WHERE ReleaseDate >= '1990-01-01'
-- meant
SELECT Name FROM Movie WHERE ReleaseYear >= 1990

-- name: two slips in one name
-- class: names
SELECT Nmae, ReleasYear FROM Moive ORDER BY ReleasYear
-- meant
SELECT Name, ReleaseYear FROM Movie ORDER BY ReleaseYear

-- name: schema in lower case and brackets
-- class: names
SELECT [Title] FROM [DBO].[Movies] WHERE [Year] = 1979
-- meant
SELECT Name FROM Movie WHERE ReleaseYear = 1979

-- name: CTE column misspelt
-- class: names
WITH old AS (SELECT Id, Name AS Title FROM Movie WHERE ReleaseYear < 1980) SELECT Titel FROM old
-- meant
WITH old AS (SELECT Id, Name AS Title FROM Movie WHERE ReleaseYear < 1980) SELECT Title FROM old

-- name: reversed arrow with a wrong order of tables
-- class: graph
SELECT t.Name, COUNT(*) AS n FROM Theme t, INCLUDES_THEME i, Movie m WHERE MATCH(t-(i)->m) GROUP BY t.Name ORDER BY n DESC, t.Name
-- meant
SELECT t.Name, COUNT(*) AS n FROM Theme AS t, INCLUDES_THEME AS i, Movie AS m WHERE MATCH(m-(i)->t) GROUP BY t.Name ORDER BY n DESC, t.Name

-- name: comma and JOIN with MATCH
-- class: graph
SELECT m.Name FROM Movie m, IN_GENRE e JOIN Genre g ON g.Name = 'Drama' WHERE MATCH(m-(e)->g)
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Drama'

-- name: MATCH in ON with CROSS JOIN
-- class: graph
SELECT m.Name FROM Movie m CROSS JOIN SET_IN s CROSS JOIN Setting p WHERE MATCH(m-(s)->p) AND p.Name = 'Paris'
-- meant
SELECT m.Name FROM Movie AS m, SET_IN AS s, Setting AS p WHERE MATCH(m-(s)->p) AND p.Name = 'Paris'

-- name: left join of the other table beside MATCH
-- class: graph
SELECT m.Name, s.Name FROM Movie m LEFT JOIN PART_OF_SERIES p ON p.$from_id = m.$node_id LEFT JOIN Series s ON MATCH(m-(p)->s)
-- meant
SELECT m.Name, s.Name FROM Movie AS m LEFT JOIN PART_OF_SERIES AS p ON p.$from_id = m.$node_id LEFT JOIN Series AS s ON s.$node_id = p.$to_id

-- name: three edges, one alias
-- class: graph
SELECT m.Name FROM Movie m, INCLUDES_THEME i, Theme a, Theme b, Theme c WHERE MATCH(m-(i)->a AND m-(i)->b AND m-(i)->c) AND a.Name = 'Rebellion' AND b.Name = 'Chosen One' AND c.Name = 'Survival'
-- meant
SELECT m.Name FROM Movie AS m, INCLUDES_THEME AS x, INCLUDES_THEME AS y, INCLUDES_THEME AS z, Theme AS a, Theme AS b, Theme AS c WHERE MATCH(m-(x)->a AND m-(y)->b AND m-(z)->c) AND a.Name = 'Rebellion' AND b.Name = 'Chosen One' AND c.Name = 'Survival'

-- name: two MATCH joined by AND with an edge not listed
-- class: graph
SELECT DISTINCT o.Name FROM Movie m, Theme t, Movie o WHERE MATCH(m-(INCLUDES_THEME)->t<-(INCLUDES_THEME)-o) AND m.Name = 'Dune' AND o.Name <> 'Dune'
-- meant
SELECT DISTINCT o.Name FROM Movie AS m, INCLUDES_THEME AS x, Theme AS t, INCLUDES_THEME AS y, Movie AS o WHERE MATCH(m-(x)->t<-(y)-o) AND m.Name = 'Dune' AND o.Name <> 'Dune'

-- name: NOT MATCH with a condition
-- class: graph
SELECT m.Name FROM Movie m, PART_OF_SERIES p, Series s WHERE NOT MATCH(m-(p)->s) AND s.Name = 'Star Wars' AND m.ReleaseYear > 1900
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear > 1900 AND NOT EXISTS (SELECT 1 FROM PART_OF_SERIES AS p JOIN Series AS s ON s.$node_id = p.$to_id WHERE p.$from_id = m.$node_id AND s.Name = 'Star Wars')

-- name: MATCH under OR with text
-- class: graph
SELECT DISTINCT m.Id, m.Name FROM Movie m, INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t) AND t.Name = 'Survival' OR CONTAINS(m.Content, 'planet')
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'planet') OR EXISTS (SELECT 1 FROM INCLUDES_THEME AS i JOIN Theme AS t ON t.$node_id = i.$to_id WHERE i.$from_id = m.$node_id AND t.Name = 'Survival')

-- name: correlated MATCH under NOT IN
-- class: graph
SELECT m.Name FROM Movie m WHERE 'Rebellion' NOT IN (SELECT t.Name FROM INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t))
-- meant
SELECT m.Name FROM Movie AS m WHERE 'Rebellion' NOT IN (SELECT t.Name FROM INCLUDES_THEME AS i JOIN Theme AS t ON t.$node_id = i.$to_id WHERE i.$from_id = m.$node_id)

-- name: correlated MATCH in ORDER BY
-- class: graph
SELECT m.Id FROM Movie m ORDER BY (SELECT COUNT(*) FROM INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t)) DESC, m.Id
-- meant
SELECT m.Id FROM Movie AS m ORDER BY (SELECT COUNT(*) FROM INCLUDES_THEME AS i JOIN Theme AS t ON t.$node_id = i.$to_id WHERE i.$from_id = m.$node_id) DESC, m.Id

-- name: Cypher with a count
-- class: graph
MATCH (m:Movie)-[:INCLUDES_THEME]->(t:Theme) RETURN t.Name AS theme, count(*) AS films ORDER BY films DESC, theme LIMIT 3
-- meant
SELECT TOP 3 t.Name AS theme, COUNT(*) AS films FROM Movie AS m, INCLUDES_THEME AS i, Theme AS t WHERE MATCH(m-(i)->t) GROUP BY t.Name ORDER BY films DESC, theme

-- name: Cypher over two hops
-- class: graph
MATCH (a:Movie {title: 'Dune'})-[:INCLUDES_THEME]->(t:Theme)<-[:INCLUDES_THEME]-(b:Movie) RETURN DISTINCT b.title
-- meant
SELECT DISTINCT b.Name FROM Movie AS a, INCLUDES_THEME AS x, Theme AS t, INCLUDES_THEME AS y, Movie AS b WHERE MATCH(a-(x)->t<-(y)-b) AND a.Name = 'Dune'

-- name: SELECT from GRAPH_TABLE
-- class: graph
SELECT * FROM GRAPH_TABLE (movies MATCH (m IS Movie)-[e IS IN_GENRE]->(g IS Genre) COLUMNS (m.Name))
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g)

-- name: SHORTEST_PATH with one table FOR PATH
-- class: graph
SELECT a.Name, LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS Last FROM Movie a, PART_OF_SERIES FOR PATH p, Series s, PART_OF_SERIES r, Movie b WHERE MATCH(SHORTEST_PATH(a(-(p)->s<-(r)-b)+)) AND a.Id = 1
-- meant
SELECT a.Name, LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS Last FROM Movie AS a, PART_OF_SERIES FOR PATH AS p, Series FOR PATH AS s, PART_OF_SERIES FOR PATH AS r, Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-(p)->s<-(r)-b)+)) AND a.Id = 1

-- name: words joined by a comma
-- class: fulltext
SELECT Name FROM Movie WHERE CONTAINS(Content, 'planet, ship')
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, 'planet OR ship')

-- name: lower case operators with phrases
-- class: fulltext
SELECT Name FROM Movie WHERE CONTAINS(Content, 'desert planet or deep space')
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, '"desert planet" OR "deep space"')

-- name: quotes of a phrase left out behind AND NOT
-- class: fulltext
SELECT Name FROM Movie WHERE CONTAINS(Content, 'planet AND NOT farm boy')
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, 'planet AND NOT "farm boy"')

-- name: star in front
-- class: fulltext
SELECT Name FROM Movie WHERE CONTAINS(Content, '*planet*')
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, '"planet*"')

-- name: parentheses with bare words
-- class: fulltext
SELECT Name FROM Movie WHERE CONTAINS((Name, Content), '(farm boy OR crew) AND planet')
-- meant
SELECT Name FROM Movie WHERE CONTAINS((Name, Content), '("farm boy" OR crew) AND planet')

-- name: CONTAINS in the select list
-- class: fulltext
SELECT Name, CONTAINS(Content, 'planet') AS hit FROM Movie
-- meant
SELECT Name, CASE WHEN CONTAINS(Content, 'planet') THEN 1 ELSE 0 END AS hit FROM Movie

-- name: websearch query
-- class: fulltext
SELECT Name FROM Movie WHERE to_tsvector(Name || ' ' || Content) @@ websearch_to_tsquery('planet -farm')
-- meant
SELECT Name FROM Movie WHERE CONTAINS((Name, Content), '"planet" AND NOT "farm"')

-- name: FREETEXT without quotes
-- class: fulltext
SELECT Name FROM Movie WHERE FREETEXT(Content, desert planet)
-- meant
SELECT Name FROM Movie WHERE FREETEXT(Content, 'desert planet')

-- name: CONTAINS on an alias star
-- class: fulltext
SELECT m.Name FROM Movie m WHERE CONTAINS(m, 'planet')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS((m.Name, m.Content), 'planet')

-- name: CONTAINSTABLE ranks with a limit
-- class: fulltext
SELECT m.Name, ft.RANK FROM CONTAINSTABLE(Movie, Content, 'planet OR ship') AS ft INNER JOIN Movie m ON m.Id = ft.KEY ORDER BY ft.RANK DESC LIMIT 5
-- meant
SELECT TOP 5 m.Name, ft.[RANK] FROM CONTAINSTABLE(Movie, Content, 'planet OR ship') AS ft INNER JOIN Movie AS m ON m.Id = ft.[KEY] ORDER BY ft.[RANK] DESC

-- name: similarity as a score in double braces
-- class: vectors
SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, {{query}})
-- meant
SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- name: Embedding in a star of a join
-- class: vectors
SELECT TOP 3 m.Id, m.Name, m.Embedding AS vec, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS dist FROM Movie m ORDER BY dist ASC LIMIT 3
-- meant
SELECT TOP 3 m.Id, m.Name, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS dist FROM Movie AS m ORDER BY dist

-- name: declared text embedding
-- class: vectors
DECLARE @queryEmbedding VECTOR(1536) = (SELECT embedding FROM dbo.get_embedding('robots'));
SELECT TOP (5) Name, VECTOR_DISTANCE('cosine', Embedding, @queryEmbedding) AS d FROM Movie ORDER BY d
-- meant
SELECT TOP 5 Name, VECTOR_DISTANCE('cosine', Embedding, @q) AS d FROM Movie ORDER BY d

-- name: embedding function as an argument
-- class: vectors
-- unfixable: the text to embed belongs in the parameter query
SELECT TOP 5 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, AI_GENERATE_EMBEDDINGS(N'robots' USE MODEL m))

-- name: negative dot product
-- class: vectors
SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('inner_product', Embedding, @q)
-- meant
SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('dot', Embedding, @q)

-- name: arguments turned round
-- class: vectors
SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE(@q, Embedding, 'cosine')
-- meant
SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', @q, Embedding)

-- name: two values declared
-- class: vectors
DECLARE @from INT = 1970, @to INT = 1990;
SELECT Name FROM Movie WHERE ReleaseYear BETWEEN @from AND @to
-- meant
SELECT Name FROM Movie WHERE ReleaseYear BETWEEN 1970 AND 1990

-- name: group by id alone
-- class: aggregates
SELECT m.Id, m.Name, m.ReleaseYear, COUNT(t.Id) AS n FROM Movie m, INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t) GROUP BY m.Id ORDER BY n DESC, m.Id
-- meant
SELECT m.Id, m.Name, m.ReleaseYear, COUNT(t.Id) AS n FROM Movie AS m, INCLUDES_THEME AS i, Theme AS t WHERE MATCH(m-(i)->t) GROUP BY m.Id, m.Name, m.ReleaseYear ORDER BY n DESC, m.Id

-- name: alias of an aggregate in WHERE
-- class: aggregates
SELECT t.Name, COUNT(*) AS n FROM Movie m, INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t) AND n > 1 GROUP BY t.Name
-- meant
SELECT t.Name, COUNT(*) AS n FROM Movie AS m, INCLUDES_THEME AS i, Theme AS t WHERE MATCH(m-(i)->t) GROUP BY t.Name HAVING COUNT(*) > 1

-- name: STRING_AGG of DISTINCT
-- class: aggregates
SELECT STRING_AGG(DISTINCT g.Name, ', ') AS Names FROM Genre g
-- meant
SELECT STRING_AGG(x.Name, ', ') AS Names FROM (SELECT DISTINCT g.Name FROM Genre AS g) AS x

-- name: window alias in WHERE
-- class: aggregates
SELECT Id, Name, ROW_NUMBER() OVER (PARTITION BY ReleaseYear ORDER BY Id) AS rn FROM Movie WHERE rn = 1
-- meant
SELECT x.Id, x.Name, x.rn FROM (SELECT Id, Name, ROW_NUMBER() OVER (PARTITION BY ReleaseYear ORDER BY Id) AS rn FROM Movie) AS x WHERE x.rn = 1

-- name: ORDER BY an aggregate alias in a CTE with no TOP
-- class: aggregates
WITH c AS (SELECT t.Id, t.Name, COUNT(*) AS n FROM Movie m, INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t) GROUP BY t.Id ORDER BY n DESC) SELECT Name, n FROM c ORDER BY n DESC, Name
-- meant
WITH c AS (SELECT t.Id, t.Name, COUNT(*) AS n FROM Movie AS m, INCLUDES_THEME AS i, Theme AS t WHERE MATCH(m-(i)->t) GROUP BY t.Id, t.Name) SELECT Name, n FROM c ORDER BY n DESC, Name

-- name: percentage of a count
-- class: aggregates
SELECT AVG(CASE WHEN ReleaseYear > 1990 THEN 1.0 ELSE 0 END) AS Share, Name FROM Movie GROUP BY 2
-- meant
SELECT AVG(CASE WHEN ReleaseYear > 1990 THEN 1.0 ELSE 0 END) AS Share, Name FROM Movie GROUP BY Name

-- name: markdown heading
-- class: syntax
### SQL
SELECT Name FROM Movie WHERE Id = 3
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: fence not closed
-- class: syntax
```sql
SELECT Name FROM Movie WHERE Id = 3
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: single backticks around it
-- class: syntax
`SELECT Name FROM Movie WHERE Id = 3`
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: quotes around it
-- class: syntax
"SELECT Name FROM Movie WHERE Id = 3"
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: thoughts in a tag
-- class: syntax
<think>The user wants a film.</think>
SELECT Name FROM Movie WHERE Id = 3
-- meant
SELECT Name FROM Movie WHERE Id = 3

-- name: parameters as sp_executesql
-- class: syntax
-- unfixable: a procedure is called
EXEC sp_executesql N'SELECT Name FROM Movie'

-- name: comma before FROM and none after
-- class: syntax
SELECT m.Id, m.Name m.ReleaseYear, FROM Movie AS m WHERE m.Id IN (1,2,)
-- meant
SELECT m.Id, m.Name, m.ReleaseYear FROM Movie AS m WHERE m.Id IN (1, 2)

-- name: order by before group by
-- class: syntax
SELECT ReleaseYear, COUNT(*) AS n FROM Movie ORDER BY n DESC, ReleaseYear GROUP BY ReleaseYear
-- meant
SELECT ReleaseYear, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear ORDER BY n DESC, ReleaseYear

-- name: missing END
-- class: syntax
SELECT Name, CASE WHEN ReleaseYear < 1980 THEN 'old' ELSE 'new' AS Age FROM Movie
-- meant
SELECT Name, CASE WHEN ReleaseYear < 1980 THEN 'old' ELSE 'new' END AS Age FROM Movie

-- name: NOT in front of EXISTS misplaced
-- class: syntax
SELECT Name FROM Movie WHERE ReleaseYear NOT = 1999
-- meant
SELECT Name FROM Movie WHERE ReleaseYear <> 1999

-- name: chained comparison
-- class: syntax
SELECT Name FROM Movie WHERE 1970 <= ReleaseYear <= 1980
-- meant
SELECT Name FROM Movie WHERE 1970 <= ReleaseYear AND ReleaseYear <= 1980

-- name: union with an inner order
-- class: syntax
SELECT Name FROM Genre ORDER BY Name UNION SELECT Name FROM Theme
-- meant
SELECT Name FROM Genre UNION SELECT Name FROM Theme
