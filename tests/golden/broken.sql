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
SELECT m.Name FROM Movie AS m, INCLUDES_THEME AS i, Theme AS t WHERE MATCH(m-(i)->t) GROUP BY m.Name ORDER BY MIN(m.ReleaseYear)

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
SELECT TOP 5 Name FROM Movie ORDER BY Id OFFSET 2 ROWS
-- meant
SELECT Name FROM Movie ORDER BY Id OFFSET 2 ROWS FETCH NEXT 5 ROWS ONLY

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
SELECT CAST(ReleaseYear AS CHAR(30)) AS y FROM Movie WHERE Id = 1

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
SELECT DISTINCT b.Name FROM Movie AS a, INCLUDES_THEME AS x, Theme AS t, INCLUDES_THEME AS y, Movie AS b WHERE MATCH(a-(x)->t<-(y)-b) AND a.Name = 'Dune' AND x.$edge_id <> y.$edge_id

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

-- name: snake case with nulls last and a limit
-- class: dialect
-- fresh: first
SELECT m.name, m.release_year
FROM movie m
WHERE m.release_year BETWEEN 1970 AND 1989
ORDER BY m.release_year DESC NULLS LAST
LIMIT 10;
-- meant
SELECT TOP 10 m.Name, m.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear BETWEEN 1970 AND 1989 ORDER BY m.ReleaseYear DESC

-- name: ascending nulls last
-- class: dialect
-- fresh: first
SELECT m.Id, m.Name, m.ReleaseYear FROM Movie m ORDER BY m.ReleaseYear ASC NULLS LAST, m.Id LIMIT 20
-- meant
SELECT TOP 20 m.Id, m.Name, m.ReleaseYear FROM Movie AS m ORDER BY CASE WHEN m.ReleaseYear IS NULL THEN 1 ELSE 0 END, m.ReleaseYear, m.Id

-- name: distinct on the newest film of a genre
-- class: dialect
-- fresh: first
SELECT DISTINCT ON (g.Id) g.Name AS Genre, m.Name AS Film, m.ReleaseYear
FROM Movie m
JOIN IN_GENRE ig ON ig.$from_id = m.$node_id
JOIN Genre g ON g.$node_id = ig.$to_id
ORDER BY g.Id, m.ReleaseYear DESC, m.Id
-- meant
WITH r AS (SELECT g.Id AS GenreId, g.Name AS Genre, m.Name AS Film, m.ReleaseYear, ROW_NUMBER() OVER (PARTITION BY g.Id ORDER BY m.ReleaseYear DESC, m.Id) AS Place FROM Movie AS m JOIN IN_GENRE AS ig ON ig.$from_id = m.$node_id JOIN Genre AS g ON g.$node_id = ig.$to_id) SELECT r.Genre, r.Film, r.ReleaseYear FROM r WHERE r.Place = 1 ORDER BY r.GenreId

-- name: qualify the first of each year
-- class: dialect
-- fresh: first
SELECT m.Name, m.ReleaseYear
FROM Movie AS m
WHERE m.ReleaseYear IS NOT NULL
QUALIFY ROW_NUMBER() OVER (PARTITION BY m.ReleaseYear ORDER BY m.Name, m.Id) = 1
ORDER BY m.ReleaseYear
-- meant
WITH r AS (SELECT m.Name, m.ReleaseYear, ROW_NUMBER() OVER (PARTITION BY m.ReleaseYear ORDER BY m.Name, m.Id) AS Place FROM Movie AS m WHERE m.ReleaseYear IS NOT NULL) SELECT r.Name, r.ReleaseYear FROM r WHERE r.Place = 1 ORDER BY r.ReleaseYear

-- name: qualify by an alias
-- class: dialect
-- fresh: first
SELECT m.Id, m.Name, RANK() OVER (ORDER BY m.ReleaseYear DESC) AS rk
FROM Movie m
WHERE m.ReleaseYear > 1900
QUALIFY rk <= 3
-- meant
SELECT x.Id, x.Name, x.rk FROM (SELECT m.Id, m.Name, RANK() OVER (ORDER BY m.ReleaseYear DESC) AS rk FROM Movie AS m WHERE m.ReleaseYear > 1900) AS x WHERE x.rk <= 3

-- name: MySQL group_concat distinct, ordered, with a separator
-- class: dialect
-- fresh: first
SELECT m.Id, m.Name, GROUP_CONCAT(DISTINCT t.Name ORDER BY t.Name SEPARATOR ', ') AS themes
FROM Movie m, INCLUDES_THEME it, Theme t
WHERE MATCH(m-(it)->t)
GROUP BY m.Id, m.Name
-- meant
SELECT x.Id, x.Name, STRING_AGG(x.Theme, ', ') WITHIN GROUP (ORDER BY x.Theme) AS themes FROM (SELECT DISTINCT m.Id, m.Name, t.Name AS Theme FROM Movie AS m, INCLUDES_THEME AS it, Theme AS t WHERE MATCH(m-(it)->t)) AS x GROUP BY x.Id, x.Name

-- name: group_concat ordered without distinct
-- class: dialect
-- fresh: first
SELECT g.Name, GROUP_CONCAT(m.Name ORDER BY m.ReleaseYear DESC, m.Id SEPARATOR ' | ') AS films
FROM Movie AS m, IN_GENRE AS ig, Genre AS g
WHERE MATCH(m-(ig)->g)
GROUP BY g.Name
-- meant
SELECT g.Name, STRING_AGG(m.Name, ' | ') WITHIN GROUP (ORDER BY m.ReleaseYear DESC, m.Id) AS films FROM Movie AS m, IN_GENRE AS ig, Genre AS g WHERE MATCH(m-(ig)->g) GROUP BY g.Name

-- name: PostgreSQL string_agg with an order inside
-- class: dialect
-- fresh: first
SELECT s.Name AS Series, string_agg(m.Name, ', ' ORDER BY m.ReleaseYear, m.Id) AS Films
FROM Movie m, PART_OF_SERIES p, Series s
WHERE MATCH(m-(p)->s)
GROUP BY s.Name
-- meant
SELECT s.Name AS Series, STRING_AGG(m.Name, ', ') WITHIN GROUP (ORDER BY m.ReleaseYear, m.Id) AS Films FROM Movie AS m, PART_OF_SERIES AS p, Series AS s WHERE MATCH(m-(p)->s) GROUP BY s.Name

-- name: array_agg of titles
-- class: dialect
-- fresh: first
SELECT m.ReleaseYear, array_to_string(array_agg(m.Name ORDER BY m.Id), ', ') AS titles
FROM Movie m
GROUP BY m.ReleaseYear
-- meant
SELECT m.ReleaseYear, STRING_AGG(m.Name, ', ') WITHIN GROUP (ORDER BY m.Id) AS titles FROM Movie AS m GROUP BY m.ReleaseYear

-- name: LISTAGG of Oracle
-- class: dialect
-- fresh: first
SELECT g.Name, LISTAGG(m.Name, '; ') WITHIN GROUP (ORDER BY m.Name, m.Id) AS Films
FROM Movie m, IN_GENRE i, Genre g
WHERE MATCH(m-(i)->g)
GROUP BY g.Name
-- meant
SELECT g.Name, STRING_AGG(m.Name, '; ') WITHIN GROUP (ORDER BY m.Name, m.Id) AS Films FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g) GROUP BY g.Name

-- name: regular expression match without case
-- class: dialect
-- fresh: first
SELECT m.Id, m.Name FROM Movie m WHERE m.Name ~* '^star|dune$' ORDER BY m.Id
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE REGEXP_LIKE(m.Name, '^star|dune$', 'i') ORDER BY m.Id

-- name: regular expression that must not match
-- class: dialect
-- fresh: first
SELECT m.Name FROM Movie m WHERE m.Name !~ '^[A-D]' AND m.ReleaseYear > 1970
-- meant
SELECT m.Name FROM Movie AS m WHERE NOT REGEXP_LIKE(m.Name, '^[A-D]', 'c') AND m.ReleaseYear > 1970

-- name: MySQL REGEXP operator
-- class: dialect
-- fresh: first
SELECT Id, Name FROM Movie WHERE Name REGEXP '^The' LIMIT 10
-- meant
SELECT TOP 10 Id, Name FROM Movie WHERE REGEXP_LIKE(Name, '^The', 'i')

-- name: any of an array
-- class: dialect
-- fresh: first
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = ANY(ARRAY[1977, 1979, 1999]) ORDER BY m.Name, m.Id
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear IN (1977, 1979, 1999) ORDER BY m.Name, m.Id

-- name: like any of an array
-- class: dialect
-- fresh: first
SELECT m.Id, m.Name FROM Movie m WHERE m.Name ILIKE ANY (ARRAY['%star%', '%alien%'])
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE m.Name LIKE '%star%' OR m.Name LIKE '%alien%'

-- name: different from all of an array
-- class: dialect
-- fresh: first
SELECT m.Name, m.ReleaseYear FROM Movie m WHERE m.Name <> ALL('{Alien,Dune}'::text[])
-- meant
SELECT m.Name, m.ReleaseYear FROM Movie AS m WHERE m.Name NOT IN ('Alien', 'Dune')

-- name: between with to
-- class: dialect
-- fresh: first
SELECT m.Name, m.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear BETWEEN 1975 TO 1985 ORDER BY m.ReleaseYear, m.Id
-- meant
SELECT m.Name, m.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear BETWEEN 1975 AND 1985 ORDER BY m.ReleaseYear, m.Id

-- name: collate nocase
-- class: dialect
-- fresh: first
SELECT m.Id, m.Name FROM Movie m WHERE m.Name = 'ALIEN' COLLATE NOCASE ORDER BY m.Name COLLATE NOCASE, m.Id
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE m.Name = 'ALIEN' ORDER BY m.Name, m.Id

-- name: lateral join for the first theme
-- class: dialect
-- fresh: first
SELECT m.Name, t.Name AS FirstTheme
FROM Movie m
CROSS JOIN LATERAL (
    SELECT th.Name FROM INCLUDES_THEME it JOIN Theme th ON th.$node_id = it.$to_id
    WHERE it.$from_id = m.$node_id ORDER BY th.Name LIMIT 1
) t
WHERE m.ReleaseYear < 2000
-- meant
SELECT m.Name, t.Name AS FirstTheme FROM Movie AS m CROSS APPLY (SELECT TOP 1 th.Name FROM INCLUDES_THEME AS it JOIN Theme AS th ON th.$node_id = it.$to_id WHERE it.$from_id = m.$node_id ORDER BY th.Name) AS t WHERE m.ReleaseYear < 2000

-- name: left join lateral on true
-- class: dialect
-- fresh: first
SELECT m.Id, m.Name, g.cnt
FROM Movie m
LEFT JOIN LATERAL (SELECT COUNT(*) AS cnt FROM IN_GENRE ig WHERE ig.$from_id = m.$node_id) g ON TRUE
ORDER BY m.Id
-- meant
SELECT m.Id, m.Name, g.cnt FROM Movie AS m OUTER APPLY (SELECT COUNT(*) AS cnt FROM IN_GENRE AS ig WHERE ig.$from_id = m.$node_id) AS g ORDER BY m.Id

-- name: fetch first after an ordinary order
-- class: dialect
-- fresh: first
SELECT m.Id, m.Name, m.ReleaseYear
FROM Movie m
WHERE m.ReleaseYear IS NOT NULL
ORDER BY m.ReleaseYear, m.Id
FETCH FIRST 4 ROWS ONLY
-- meant
SELECT TOP 4 m.Id, m.Name, m.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear IS NOT NULL ORDER BY m.ReleaseYear, m.Id

-- name: rownum of Oracle
-- class: dialect
-- fresh: first
SELECT Id, Name FROM (SELECT m.Id, m.Name FROM Movie m ORDER BY m.Id DESC) WHERE ROWNUM <= 3
-- meant
SELECT TOP 3 x.Id, x.Name FROM (SELECT TOP 1000 m.Id, m.Name FROM Movie AS m ORDER BY m.Id DESC) AS x ORDER BY x.Id DESC

-- name: NVL and DECODE
-- class: dialect
-- fresh: first
SELECT m.Id, NVL(m.ReleaseYear, 0) AS yr, DECODE(m.ReleaseYear, 1999, 'turn of the century', 'other') AS era FROM Movie m ORDER BY m.Id
-- meant
SELECT m.Id, ISNULL(m.ReleaseYear, 0) AS yr, CASE m.ReleaseYear WHEN 1999 THEN 'turn of the century' ELSE 'other' END AS era FROM Movie AS m ORDER BY m.Id

-- name: IF and IFNULL of MySQL
-- class: dialect
-- fresh: first
SELECT m.`Id`, m.`Name`, IF(m.`ReleaseYear` >= 1990, 'new', 'old') AS age, IFNULL(m.`ReleaseYear`, -1) AS y FROM `Movie` m ORDER BY m.`Id`
-- meant
SELECT m.Id, m.Name, IIF(m.ReleaseYear >= 1990, 'new', 'old') AS age, ISNULL(m.ReleaseYear, -1) AS y FROM Movie AS m ORDER BY m.Id

-- name: position and length and substr
-- class: dialect
-- fresh: first
SELECT m.Id, LENGTH(m.Name) AS len, SUBSTR(m.Name, 1, 3) AS head, POSITION('a' IN m.Name) AS place FROM Movie m ORDER BY m.Id
-- meant
SELECT m.Id, LEN(m.Name) AS len, SUBSTRING(m.Name, 1, 3) AS head, CHARINDEX('a', m.Name) AS place FROM Movie AS m ORDER BY m.Id

-- name: instr and char_length
-- class: dialect
-- fresh: first
SELECT m.Name, CHAR_LENGTH(m.Name) AS n FROM Movie m WHERE INSTR(m.Content, 'planet') > 0 ORDER BY m.Id
-- meant
SELECT m.Name, LEN(m.Name) AS n FROM Movie AS m WHERE CHARINDEX('planet', m.Content) > 0 ORDER BY m.Id

-- name: contains as a string function
-- class: dialect
-- fresh: first
SELECT m.Id, m.Name FROM Movie m WHERE STARTS_WITH(m.Name, 'Star') OR ENDS_WITH(m.Name, 'Wolf')
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE m.Name LIKE 'Star%' OR m.Name LIKE '%Wolf'

-- name: filter clause of an aggregate
-- class: dialect
-- fresh: first
SELECT g.Name, COUNT(*) AS total, COUNT(*) FILTER (WHERE m.ReleaseYear >= 1990) AS recent
FROM Movie m, IN_GENRE ig, Genre g
WHERE MATCH(m-(ig)->g)
GROUP BY g.Name
ORDER BY total DESC, g.Name
-- meant
SELECT g.Name, COUNT(*) AS total, COUNT(CASE WHEN m.ReleaseYear >= 1990 THEN 1 END) AS recent FROM Movie AS m, IN_GENRE AS ig, Genre AS g WHERE MATCH(m-(ig)->g) GROUP BY g.Name ORDER BY total DESC, g.Name

-- name: COUNTIF of BigQuery, once more
-- class: dialect
-- fresh: first
SELECT COUNTIF(m.ReleaseYear < 1980) AS before80, COUNT(*) AS all_films FROM `Movie` AS m
-- meant
SELECT COUNT(CASE WHEN m.ReleaseYear < 1980 THEN 1 END) AS before80, COUNT(*) AS all_films FROM Movie AS m

-- name: sum of a comparison
-- class: dialect
-- fresh: first
SELECT SUM(m.ReleaseYear > 1980) AS later, COUNT(*) AS n FROM Movie m
-- meant
SELECT SUM(CASE WHEN m.ReleaseYear > 1980 THEN 1 ELSE 0 END) AS later, COUNT(*) AS n FROM Movie AS m

-- name: group by all of DuckDB
-- class: dialect
-- fresh: first
SELECT m.ReleaseYear, COUNT(*) AS films FROM Movie m GROUP BY ALL ORDER BY films DESC, m.ReleaseYear LIMIT 5
-- meant
SELECT TOP 5 m.ReleaseYear, COUNT(*) AS films FROM Movie AS m GROUP BY m.ReleaseYear ORDER BY films DESC, m.ReleaseYear

-- name: from first of DuckDB
-- class: dialect
-- fresh: first
FROM Movie m SELECT m.Id, m.Name WHERE m.ReleaseYear = 1999 ORDER BY m.Id
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE m.ReleaseYear = 1999 ORDER BY m.Id

-- name: integer division and casts with colons
-- class: dialect
-- fresh: first
SELECT (m.ReleaseYear / 10)::int * 10 AS decade, count(*)::int AS films
FROM Movie m
WHERE m.ReleaseYear IS NOT NULL
GROUP BY 1
ORDER BY 1
-- meant
SELECT m.ReleaseYear / 10 * 10 AS decade, COUNT(*) AS films FROM Movie AS m WHERE m.ReleaseYear IS NOT NULL GROUP BY m.ReleaseYear / 10 * 10 ORDER BY decade

-- name: floor of a decade grouped by the alias
-- class: dialect
-- fresh: first
SELECT FLOOR(m.ReleaseYear / 10) * 10 AS decade, COUNT(*) AS num_movies
FROM Movie m
GROUP BY decade
HAVING num_movies > 1
ORDER BY decade
-- meant
SELECT FLOOR(m.ReleaseYear / 10) * 10 AS decade, COUNT(*) AS num_movies FROM Movie AS m GROUP BY FLOOR(m.ReleaseYear / 10) * 10 HAVING COUNT(*) > 1 ORDER BY decade

-- name: extract the current year
-- class: dialect
-- fresh: first
SELECT m.Name, EXTRACT(YEAR FROM CURRENT_DATE) - m.ReleaseYear AS age FROM Movie m WHERE m.ReleaseYear IS NOT NULL ORDER BY m.Id
-- meant
SELECT m.Name, YEAR(GETDATE()) - m.ReleaseYear AS age FROM Movie AS m WHERE m.ReleaseYear IS NOT NULL ORDER BY m.Id

-- name: strftime of the current year
-- class: dialect
-- fresh: first
SELECT m.Id, m.Name FROM Movie m WHERE m.ReleaseYear >= CAST(strftime('%Y', 'now') AS INTEGER) - 30 ORDER BY m.Id
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE m.ReleaseYear >= YEAR(GETDATE()) - 30 ORDER BY m.Id

-- name: greatest of two with using
-- class: dialect
-- fresh: first
SELECT a.Name, b.Name AS Other
FROM Movie a JOIN Series b USING (Name)
-- meant
SELECT a.Name, b.Name AS Other FROM Movie AS a JOIN Series AS b ON a.Name = b.Name

-- name: null safe equality of MySQL
-- class: dialect
-- fresh: first
SELECT m.Name FROM Movie m WHERE NOT (m.ReleaseYear <=> NULL) AND m.ReleaseYear != 1999 ORDER BY m.Id
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear IS NOT NULL AND m.ReleaseYear <> 1999 ORDER BY m.Id

-- name: double equals and double ampersand
-- class: dialect
-- fresh: first
SELECT m.Id, m.Name FROM Movie m WHERE m.ReleaseYear == 1999 && m.Name != "alien"
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE m.ReleaseYear = 1999 AND m.Name <> 'alien'

-- name: is true on a comparison
-- class: dialect
-- fresh: first
SELECT m.Id, m.Name, (m.ReleaseYear > 1990) AS is_modern FROM Movie m WHERE (m.ReleaseYear < 2010) IS TRUE ORDER BY m.Id
-- meant
SELECT m.Id, m.Name, CASE WHEN m.ReleaseYear > 1990 THEN 1 WHEN NOT m.ReleaseYear > 1990 THEN 0 END AS is_modern FROM Movie AS m WHERE m.ReleaseYear < 2010 ORDER BY m.Id

-- name: natural order with random
-- class: dialect
-- fresh: first
-- unfixable: A random order cannot be repeated; no deterministic statement means the same.
SELECT m.Name FROM Movie m ORDER BY RANDOM() LIMIT 5

-- name: recursive walk over themes
-- class: dialect
-- fresh: first
-- unfixable: Recursion is not part of what the server accepts.
WITH RECURSIVE walk AS (
  SELECT m.Id, m.Name, 0 AS depth FROM Movie m WHERE m.Name = 'Alien'
  UNION ALL
  SELECT n.Id, n.Name, w.depth + 1 FROM walk w JOIN Movie n ON n.Id = w.Id + 1 WHERE w.depth < 3
)
SELECT * FROM walk

-- name: with recursive that is not recursive
-- class: dialect
-- fresh: first
WITH RECURSIVE recent AS (SELECT m.Id, m.Name FROM Movie m WHERE m.ReleaseYear > 1990)
SELECT r.Name FROM recent r ORDER BY r.Id
-- meant
WITH recent AS (SELECT m.Id, m.Name FROM Movie AS m WHERE m.ReleaseYear > 1990) SELECT r.Name FROM recent AS r ORDER BY r.Id

-- name: materialized common table
-- class: dialect
-- fresh: first
WITH old AS MATERIALIZED (SELECT Id, Name FROM Movie WHERE ReleaseYear < 1980) SELECT o.Name FROM old o ORDER BY o.Id OFFSET 1 LIMIT 2
-- meant
WITH old AS (SELECT Id, Name FROM Movie WHERE ReleaseYear < 1980) SELECT o.Name FROM old AS o ORDER BY o.Id OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY

-- name: film for movie and title for name
-- class: names
-- fresh: first
SELECT f.title, f.year FROM films f WHERE f.year > 1978 ORDER BY f.year DESC, f.id
-- meant
SELECT f.Name, f.ReleaseYear FROM Movie AS f WHERE f.ReleaseYear > 1978 ORDER BY f.ReleaseYear DESC, f.Id

-- name: location for setting, once more
-- class: names
-- fresh: first
SELECT m.Name, l.Name AS Place
FROM Movie AS m, SET_IN AS s, Location AS l
WHERE MATCH(m-(s)->l) AND l.Name = 'Desert Planet'
-- meant
SELECT m.Name, l.Name AS Place FROM Movie AS m, SET_IN AS s, Setting AS l WHERE MATCH(m-(s)->l) AND l.Name = 'Desert Planet'

-- name: place for setting, counted
-- class: names
-- fresh: first
SELECT p.Name, COUNT(*) AS Films
FROM Movie AS m, SET_IN AS si, Place AS p
WHERE MATCH(m-(si)->p)
GROUP BY p.Name
ORDER BY Films DESC
-- meant
SELECT p.Name, COUNT(*) AS Films FROM Movie AS m, SET_IN AS si, Setting AS p WHERE MATCH(m-(si)->p) GROUP BY p.Name ORDER BY Films DESC

-- name: franchise for series, once more
-- class: names
-- fresh: first
SELECT m.Name, m.ReleaseYear
FROM Movie m, PART_OF_SERIES ps, Franchise fr
WHERE MATCH(m-(ps)->fr) AND fr.Name = 'Star Wars'
ORDER BY m.ReleaseYear
-- meant
SELECT m.Name, m.ReleaseYear FROM Movie AS m, PART_OF_SERIES AS ps, Series AS fr WHERE MATCH(m-(ps)->fr) AND fr.Name = 'Star Wars' ORDER BY m.ReleaseYear

-- name: topic for theme with a plural edge
-- class: names
-- fresh: first
SELECT DISTINCT m.Id, m.Name
FROM Movie m, INCLUDES_THEMES it, Topic tp
WHERE MATCH(m-(it)->tp) AND tp.Name IN ('Rebellion', 'Survival')
-- meant
SELECT DISTINCT m.Id, m.Name FROM Movie AS m, INCLUDES_THEME AS it, Theme AS tp WHERE MATCH(m-(it)->tp) AND tp.Name IN ('Rebellion', 'Survival')

-- name: HAS_GENRE for IN_GENRE
-- class: names
-- fresh: first
SELECT m.Id, m.Name FROM Movie AS m, HAS_GENRE AS hg, Genre AS g WHERE MATCH(m-(hg)->g) AND g.Name = 'Drama'
-- meant
SELECT m.Id, m.Name FROM Movie AS m, IN_GENRE AS hg, Genre AS g WHERE MATCH(m-(hg)->g) AND g.Name = 'Drama'

-- name: HAS_THEME and HAS_CHARACTER
-- class: names
-- fresh: first
SELECT m.Name, c.Name AS Who
FROM Movie AS m, HAS_CHARACTER AS hc, Character AS c, HAS_THEME AS ht, Theme AS t
WHERE MATCH(c<-(hc)-m-(ht)->t) AND t.Name = 'Rebellion'
-- meant
SELECT m.Name, c.Name AS Who FROM Movie AS m, FEATURES_CHARACTER AS hc, Character AS c, INCLUDES_THEME AS ht, Theme AS t WHERE MATCH(c<-(hc)-m-(ht)->t) AND t.Name = 'Rebellion'

-- name: TAKES_PLACE_IN for SET_IN
-- class: names
-- fresh: first
SELECT m.Name FROM Movie m, LOCATED_IN li, Setting s WHERE MATCH(m-(li)->s) AND s.Name = 'Paris'
-- meant
SELECT m.Name FROM Movie AS m, SET_IN AS li, Setting AS s WHERE MATCH(m-(li)->s) AND s.Name = 'Paris'

-- name: BELONGS_TO_SERIES, once more
-- class: names
-- fresh: first
SELECT s.Name, COUNT(m.Id) AS Parts FROM Movie m, BELONGS_TO_SERIES b, Series s WHERE MATCH(m-(b)->s) GROUP BY s.Name
-- meant
SELECT s.Name, COUNT(m.Id) AS Parts FROM Movie AS m, PART_OF_SERIES AS b, Series AS s WHERE MATCH(m-(b)->s) GROUP BY s.Name

-- name: movie_id foreign key as if relational
-- class: names
-- fresh: first
SELECT m.Name, g.Name AS Genre
FROM Movie m
JOIN IN_GENRE ig ON ig.movie_id = m.id
JOIN Genre g ON ig.genre_id = g.id
WHERE m.ReleaseYear = 1979
-- meant
SELECT m.Name, g.Name AS Genre FROM Movie AS m JOIN IN_GENRE AS ig ON ig.$from_id = m.$node_id JOIN Genre AS g ON ig.$to_id = g.$node_id WHERE m.ReleaseYear = 1979

-- name: MovieId and ThemeId on the edge
-- class: names
-- fresh: first
SELECT t.Name, COUNT(DISTINCT it.MovieId) AS Films
FROM INCLUDES_THEME it
JOIN Theme t ON t.Id = it.ThemeId
GROUP BY t.Name
ORDER BY Films DESC, t.Name
-- meant
SELECT t.Name, COUNT(DISTINCT it.$from_id) AS Films FROM INCLUDES_THEME AS it JOIN Theme AS t ON t.$node_id = it.$to_id GROUP BY t.Name ORDER BY Films DESC, t.Name

-- name: from_id and to_id without the dollar
-- class: names
-- fresh: first
SELECT m.Name, s.Name AS Setting
FROM Movie m
INNER JOIN SET_IN si ON si.from_id = m.node_id
INNER JOIN Setting s ON si.to_id = s.node_id
ORDER BY m.Id
-- meant
SELECT m.Name, s.Name AS Setting FROM Movie AS m INNER JOIN SET_IN AS si ON si.$from_id = m.$node_id INNER JOIN Setting AS s ON si.$to_id = s.$node_id ORDER BY m.Id

-- name: edge ends joined to Id
-- class: names
-- fresh: first
SELECT m.Name, c.Name AS Hero
FROM Movie m
JOIN FEATURES_CHARACTER fc ON m.Id = fc.$from_id
JOIN Character c ON c.Id = fc.$to_id
WHERE c.Name LIKE 'Luke%'
-- meant
SELECT m.Name, c.Name AS Hero FROM Movie AS m JOIN FEATURES_CHARACTER AS fc ON m.$node_id = fc.$from_id JOIN Character AS c ON c.$node_id = fc.$to_id WHERE c.Name LIKE 'Luke%'

-- name: plot and description for content
-- class: names
-- fresh: first
SELECT m.Id, m.Title, m.Plot FROM Movie m WHERE m.Plot LIKE '%planet%' ORDER BY m.Id
-- meant
SELECT m.Id, m.Name, m.Content FROM Movie AS m WHERE m.Content LIKE '%planet%' ORDER BY m.Id

-- name: overview and release date
-- class: names
-- fresh: first
SELECT m.Name, m.Overview FROM Movie m WHERE m.Year_Released = 1977
-- meant
SELECT m.Name, m.Content FROM Movie AS m WHERE m.ReleaseYear = 1977

-- name: theme name and genre name columns
-- class: names
-- fresh: first
SELECT m.MovieName, t.ThemeName FROM Movie AS m, INCLUDES_THEME AS it, Theme AS t WHERE MATCH(m-(it)->t) AND t.ThemeName = 'Chosen One' ORDER BY m.MovieId
-- meant
SELECT m.Name, t.Name FROM Movie AS m, INCLUDES_THEME AS it, Theme AS t WHERE MATCH(m-(it)->t) AND t.Name = 'Chosen One' ORDER BY m.Id

-- name: wrong alias after a change of mind
-- class: names
-- fresh: first
SELECT m.Id, m.Name, mv.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear >= 1999 ORDER BY m.Id
-- meant
SELECT m.Id, m.Name, m.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear >= 1999 ORDER BY m.Id

-- name: table name in place of its alias
-- class: names
-- fresh: first
SELECT Movie.Name, Movie.ReleaseYear, g.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g) AND Genre.Name = 'Horror'
-- meant
SELECT m.Name, m.ReleaseYear, g.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g) AND g.Name = 'Horror'

-- name: misspelt columns
-- class: names
-- fresh: first
SELECT m.Nmae, m.RelaseYear FROM Movei m WHERE m.RelaseYear < 1990 ORDER BY m.Id
-- meant
SELECT m.Name, m.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear < 1990 ORDER BY m.Id

-- name: database and schema before the table
-- class: names
-- fresh: first
SELECT m.Name FROM MovieGraph.dbo.Movie AS m WHERE m.ReleaseYear = 2021 OR m.Name = 'Dune'
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = 2021 OR m.Name = 'Dune'

-- name: public schema
-- class: names
-- fresh: first
SELECT m."Name", m."ReleaseYear" FROM public."Movie" m WHERE m."ReleaseYear" IS NOT NULL ORDER BY m."Id"
-- meant
SELECT m.Name, m.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear IS NOT NULL ORDER BY m.Id

-- name: unqualified name in several tables
-- class: names
-- fresh: first
-- unfixable: Both tables have a Name; which one is meant is not said.
SELECT Name, t.Content AS Theme FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t WHERE MATCH(m-(e)->t) AND ReleaseYear = 1999

-- name: director of a film
-- class: names
-- fresh: first
-- unfixable: The graph holds no directors.
SELECT m.Name, d.Name AS Director FROM Movie m, DIRECTED_BY db, Director d WHERE MATCH(m-(db)->d) AND d.Name = 'Ridley Scott'

-- name: actor of a film
-- class: names
-- fresh: first
-- unfixable: The graph holds no actors.
SELECT m.Name FROM Movie m, ACTED_IN a, Actor p WHERE MATCH(p-(a)->m) AND p.Name = 'Sigourney Weaver'

-- name: rating column
-- class: names
-- fresh: first
-- unfixable: The graph holds no ratings.
SELECT TOP 10 m.Name FROM Movie AS m WHERE m.Rating > 8 ORDER BY m.Rating DESC

-- name: Cypher pattern as a whole
-- class: graph
-- fresh: first
MATCH (m:Movie)-[:IN_GENRE]->(g:Genre)
WHERE g.Name = 'Science Fiction' AND m.ReleaseYear > 1978
RETURN m.Name, m.ReleaseYear
ORDER BY m.ReleaseYear
LIMIT 10
-- meant
SELECT TOP 10 m.Name, m.ReleaseYear FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Science Fiction' AND m.ReleaseYear > 1978 ORDER BY m.ReleaseYear

-- name: Cypher with two hops and properties
-- class: graph
-- fresh: first
MATCH (a:Movie {Name: 'Dune'})-[:INCLUDES_THEME]->(t:Theme)<-[:INCLUDES_THEME]-(b:Movie)
RETURN b.Name, COUNT(t) AS shared
ORDER BY shared DESC
-- meant
SELECT b.Name, COUNT(t.Id) AS shared FROM Movie AS a, INCLUDES_THEME AS e1, Theme AS t, INCLUDES_THEME AS e2, Movie AS b WHERE MATCH(a-(e1)->t<-(e2)-b) AND a.Name = 'Dune' AND e1.$edge_id <> e2.$edge_id GROUP BY b.Id, b.Name ORDER BY shared DESC

-- name: square brackets in the arrow
-- class: graph
-- fresh: first
SELECT m.Name, g.Name AS Genre
FROM Movie m, IN_GENRE e, Genre g
WHERE MATCH(m-[e]->g) AND m.ReleaseYear = 1979
-- meant
SELECT m.Name, g.Name AS Genre FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND m.ReleaseYear = 1979

-- name: nodes in parentheses within MATCH
-- class: graph
-- fresh: first
SELECT m.Name FROM Movie m, SET_IN s, Setting p WHERE MATCH((m)-[s]->(p)) AND p.Name = 'Paris'
-- meant
SELECT m.Name FROM Movie AS m, SET_IN AS s, Setting AS p WHERE MATCH(m-(s)->p) AND p.Name = 'Paris'

-- name: edge table named in the arrow with a colon
-- class: graph
-- fresh: first
SELECT m.Name, t.Name FROM Movie AS m, Theme AS t WHERE MATCH(m-[:INCLUDES_THEME]->t) AND t.Name = 'Survival'
-- meant
SELECT m.Name, t.Name FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t WHERE MATCH(m-(e)->t) AND t.Name = 'Survival'

-- name: edge table's name in the arrow
-- class: graph
-- fresh: first
SELECT m.Name, c.Name AS Who FROM Movie AS m, FEATURES_CHARACTER AS fc, Character AS c WHERE MATCH(m-(FEATURES_CHARACTER)->c) AND c.Name = 'Ellen Ripley'
-- meant
SELECT m.Name, c.Name AS Who FROM Movie AS m, FEATURES_CHARACTER AS fc, Character AS c WHERE MATCH(m-(fc)->c) AND c.Name = 'Ellen Ripley'

-- name: labels within MATCH of a select
-- class: graph
-- fresh: first
SELECT m.Name, s.Name AS Series
FROM Movie m, PART_OF_SERIES p, Series s
WHERE MATCH((m:Movie)-[p:PART_OF_SERIES]->(s:Series))
ORDER BY m.ReleaseYear
-- meant
SELECT m.Name, s.Name AS Series FROM Movie AS m, PART_OF_SERIES AS p, Series AS s WHERE MATCH(m-(p)->s) ORDER BY m.ReleaseYear

-- name: undirected edge, once more
-- class: graph
-- fresh: first
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)-g) AND g.Name = 'Horror'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Horror'

-- name: arrow from genre to movie
-- class: graph
-- fresh: first
SELECT m.Name, m.ReleaseYear FROM Genre g, IN_GENRE e, Movie m WHERE MATCH(g-(e)->m) AND g.Name = 'Drama'
-- meant
SELECT m.Name, m.ReleaseYear FROM Genre AS g, IN_GENRE AS e, Movie AS m WHERE MATCH(m-(e)->g) AND g.Name = 'Drama'

-- name: MATCH after FROM of one table
-- class: graph
-- fresh: first
-- unfixable: Neither the edge nor the node behind it is listed or named anywhere.
SELECT t.Name, COUNT(*) AS n FROM Movie AS m MATCH (m-(e)->t) GROUP BY t.Name

-- name: MATCH before WHERE
-- class: graph
-- fresh: first
SELECT m.Name, g.Name AS Genre
FROM Movie m, IN_GENRE ig, Genre g
MATCH (m-(ig)->g)
WHERE m.ReleaseYear > 1978
-- meant
SELECT m.Name, g.Name AS Genre FROM Movie AS m, IN_GENRE AS ig, Genre AS g WHERE MATCH(m-(ig)->g) AND m.ReleaseYear > 1978

-- name: tables of MATCH joined with JOIN
-- class: graph
-- fresh: first
SELECT m.Name, t.Name AS Theme
FROM Movie AS m
JOIN INCLUDES_THEME AS it ON MATCH(m-(it)->t)
JOIN Theme AS t ON t.Name = 'Rebellion'
-- meant
SELECT m.Name, t.Name AS Theme FROM Movie AS m, INCLUDES_THEME AS it, Theme AS t WHERE MATCH(m-(it)->t) AND t.Name = 'Rebellion'

-- name: cross joins under MATCH
-- class: graph
-- fresh: first
SELECT m.Name, c.Name AS Hero
FROM Movie m CROSS JOIN FEATURES_CHARACTER fc CROSS JOIN Character c
WHERE MATCH(m-(fc)->c) AND m.ReleaseYear < 1990
-- meant
SELECT m.Name, c.Name AS Hero FROM Movie AS m, FEATURES_CHARACTER AS fc, Character AS c WHERE MATCH(m-(fc)->c) AND m.ReleaseYear < 1990

-- name: one edge alias for two hops
-- class: graph
-- fresh: first
SELECT b.Name, COUNT(*) AS Shared
FROM Movie a, INCLUDES_THEME it, Theme t, Movie b
WHERE MATCH(a-(it)->t<-(it)-b) AND a.Name = 'Star Wars' AND b.Id <> a.Id
GROUP BY b.Name
-- meant
SELECT b.Name, COUNT(*) AS Shared FROM Movie AS a, INCLUDES_THEME AS it, Theme AS t, INCLUDES_THEME AS it2, Movie AS b WHERE MATCH(a-(it)->t<-(it2)-b) AND a.Name = 'Star Wars' AND b.Id <> a.Id GROUP BY b.Name

-- name: two MATCH under OR
-- class: graph
-- fresh: first
SELECT DISTINCT m.Id, m.Name
FROM Movie m, INCLUDES_THEME it, Theme t, IN_GENRE ig, Genre g
WHERE (MATCH(m-(it)->t) AND t.Name = 'Survival') OR (MATCH(m-(ig)->g) AND g.Name = 'Drama')
-- meant
SELECT DISTINCT m.Id, m.Name FROM Movie AS m WHERE EXISTS (SELECT 1 FROM Movie AS x, INCLUDES_THEME AS it, Theme AS t WHERE MATCH(x-(it)->t) AND t.Name = 'Survival' AND x.Id = m.Id) OR EXISTS (SELECT 1 FROM Movie AS x, IN_GENRE AS ig, Genre AS g WHERE MATCH(x-(ig)->g) AND g.Name = 'Drama' AND x.Id = m.Id)

-- name: NOT before MATCH
-- class: graph
-- fresh: first
SELECT m.Id, m.Name
FROM Movie m, PART_OF_SERIES p, Series s
WHERE NOT MATCH(m-(p)->s) AND s.Name = 'Star Wars'
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE NOT EXISTS (SELECT 1 FROM Movie AS x, PART_OF_SERIES AS p, Series AS s WHERE MATCH(x-(p)->s) AND x.Id = m.Id AND s.Name = 'Star Wars')

-- name: correlated MATCH in NOT EXISTS, once more
-- class: graph
-- fresh: first
SELECT m.Name, m.ReleaseYear
FROM Movie m, IN_GENRE ig, Genre g
WHERE MATCH(m-(ig)->g) AND g.Name = 'Science Fiction'
  AND NOT EXISTS (SELECT 1 FROM PART_OF_SERIES ps, Series s WHERE MATCH(m-(ps)->s) AND s.Name = 'Star Wars')
ORDER BY m.Id
-- meant
SELECT m.Name, m.ReleaseYear FROM Movie AS m, IN_GENRE AS ig, Genre AS g WHERE MATCH(m-(ig)->g) AND g.Name = 'Science Fiction' AND NOT EXISTS (SELECT 1 FROM Movie AS x, PART_OF_SERIES AS ps, Series AS s WHERE MATCH(x-(ps)->s) AND x.Id = m.Id AND s.Name = 'Star Wars') ORDER BY m.Id

-- name: correlated MATCH in EXISTS for a theme
-- class: graph
-- fresh: first
SELECT m.Name FROM Movie AS m
WHERE EXISTS (SELECT 1 FROM INCLUDES_THEME AS e, Theme AS t WHERE MATCH(m-(e)->t) AND t.Name = 'Chosen One')
  AND m.ReleaseYear < 2000
-- meant
SELECT m.Name FROM Movie AS m WHERE EXISTS (SELECT 1 FROM Movie AS x, INCLUDES_THEME AS e, Theme AS t WHERE MATCH(x-(e)->t) AND x.Id = m.Id AND t.Name = 'Chosen One') AND m.ReleaseYear < 2000

-- name: several patterns with commas
-- class: graph
-- fresh: first
SELECT DISTINCT m.Name
FROM Movie m, IN_GENRE ig, Genre g, INCLUDES_THEME it, Theme t
WHERE MATCH(m-(ig)->g, m-(it)->t) AND g.Name = 'Science Fiction' AND t.Name = 'Rebellion'
-- meant
SELECT DISTINCT m.Name FROM Movie AS m, IN_GENRE AS ig, Genre AS g, INCLUDES_THEME AS it, Theme AS t WHERE MATCH(m-(ig)->g AND m-(it)->t) AND g.Name = 'Science Fiction' AND t.Name = 'Rebellion'

-- name: GRAPH_TABLE with COLUMNS
-- class: graph
-- fresh: first
SELECT gt.title, gt.genre
FROM GRAPH_TABLE (movies
  MATCH (m IS Movie)-[e IS IN_GENRE]->(g IS Genre)
  WHERE g.Name = 'Horror'
  COLUMNS (m.Name AS title, g.Name AS genre)
) gt
-- meant
SELECT m.Name AS title, g.Name AS genre FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Horror'

-- name: shortest path without FOR PATH
-- class: graph
-- fresh: first
SELECT a.Name AS Start, LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS EndName
FROM Movie AS a, INCLUDES_THEME AS e, Theme AS t, INCLUDES_THEME AS f, Movie AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Name = 'Alien'
-- meant
SELECT a.Name AS Start, LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS EndName FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Name = 'Alien'

-- name: shortest path bounded with a star
-- class: graph
-- fresh: first
SELECT a.Name AS Start, STRING_AGG(b.Name, ' -> ') WITHIN GROUP (GRAPH PATH) AS Way
FROM Movie AS a, IN_GENRE FOR PATH AS e, Genre FOR PATH AS g, IN_GENRE FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b){1..2})) AND a.Name = 'Dune'
-- meant
SELECT a.Name AS Start, STRING_AGG(b.Name, ' -> ') WITHIN GROUP (GRAPH PATH) AS Way FROM Movie AS a, IN_GENRE FOR PATH AS e, Genre FOR PATH AS g, IN_GENRE FOR PATH AS f, Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b){1,2})) AND a.Name = 'Dune'

-- name: edge type given as a property
-- class: graph
-- fresh: first
SELECT m.Name FROM Movie m JOIN Genre g ON MATCH(m-(IN_GENRE)->g) WHERE g.Name = 'Horror'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Horror'

-- name: MATCH that lists its nodes only in the pattern
-- class: graph
-- fresh: first
SELECT m.Name, t.Name FROM Movie m WHERE MATCH(m-(INCLUDES_THEME)->(Theme t)) AND t.Name = 'Rebellion'
-- meant
SELECT m.Name, t.Name FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t WHERE MATCH(m-(e)->t) AND t.Name = 'Rebellion'

-- name: arrow with two dashes
-- class: graph
-- fresh: first
SELECT m.Name, g.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m--(e)-->g) AND g.Name = 'Horror'
-- meant
SELECT m.Name, g.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Horror'

-- name: MATCH without parentheses
-- class: graph
-- fresh: first
SELECT m.Name, s.Name FROM Movie m, SET_IN e, Setting s WHERE MATCH m-(e)->s AND s.Name = 'Paris'
-- meant
SELECT m.Name, s.Name FROM Movie AS m, SET_IN AS e, Setting AS s WHERE MATCH(m-(e)->s) AND s.Name = 'Paris'

-- name: pattern in FROM
-- class: graph
-- fresh: first
SELECT m.Name, g.Name AS Genre FROM Movie m-(IN_GENRE e)->Genre g WHERE g.Name = 'Drama'
-- meant
SELECT m.Name, g.Name AS Genre FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Drama'

-- name: CONTAINS with a bare phrase
-- class: fulltext
-- fresh: first
SELECT m.Id, m.Name FROM Movie m WHERE CONTAINS(m.Content, 'desert planet')
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"desert planet"')

-- name: CONTAINS with two columns and no parentheses
-- class: fulltext
-- fresh: first
SELECT m.Id, m.Name FROM Movie m WHERE CONTAINS(m.Name, m.Content, '"rebels" OR "creature"') ORDER BY m.Id
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS((m.Name, m.Content), '"rebels" OR "creature"') ORDER BY m.Id

-- name: CONTAINS with a prefix outside the quotes
-- class: fulltext
-- fresh: first
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS((m.Name, m.Content), 'rebel* AND empire')
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS((m.Name, m.Content), '"rebel*" AND empire')

-- name: a bare NOT in CONTAINS
-- class: fulltext
-- fresh: first
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'planet NOT family')
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'planet AND NOT family')

-- name: plus and minus in CONTAINS
-- class: fulltext
-- fresh: first
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '+planet -family')
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"planet" AND NOT "family"')

-- name: single quotes inside the search text
-- class: fulltext
-- fresh: first
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, ''farm boy'')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"farm boy"')

-- name: MySQL match against
-- class: fulltext
-- fresh: first
SELECT m.Id, m.Name FROM Movie m WHERE MATCH(m.Name, m.Content) AGAINST('desert rebellion' IN NATURAL LANGUAGE MODE)
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE FREETEXT((m.Name, m.Content), 'desert rebellion')

-- name: to_tsvector and to_tsquery
-- class: fulltext
-- fresh: first
SELECT m.Id, m.Name FROM Movie m WHERE to_tsvector('english', m.Content) @@ to_tsquery('english', 'planet & rebels')
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'FORMSOF(INFLECTIONAL, planet) AND FORMSOF(INFLECTIONAL, rebels)')

-- name: plainto_tsquery
-- class: fulltext
-- fresh: first
SELECT m.Id, m.Name FROM Movie m WHERE to_tsvector(m.Content) @@ plainto_tsquery('noble family')
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'FORMSOF(INFLECTIONAL, noble) AND FORMSOF(INFLECTIONAL, family)')

-- name: SQLite MATCH operator
-- class: fulltext
-- fresh: first
SELECT m.Id, m.Name FROM Movie m WHERE m.Content MATCH 'hacker' ORDER BY m.Id
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'hacker') ORDER BY m.Id

-- name: CONTAINSTABLE with columns of an alias
-- class: fulltext
-- fresh: first
SELECT m.Name, k.[RANK] FROM Movie m JOIN CONTAINSTABLE(m, (m.Name, m.Content), '"rebels"') k ON k.[KEY] = m.Id ORDER BY k.[RANK] DESC, m.Id
-- meant
SELECT m.Name, k.[RANK] FROM Movie AS m JOIN CONTAINSTABLE(Movie, (Name, Content), '"rebels"') AS k ON k.[KEY] = m.Id ORDER BY k.[RANK] DESC, m.Id

-- name: FREETEXTTABLE with its arguments turned
-- class: fulltext
-- fresh: first
SELECT m.Id, m.Name FROM FREETEXTTABLE(Movie, 'desert planet', (Name, Content)) AS f JOIN Movie AS m ON m.Id = f.[KEY] ORDER BY f.[RANK] DESC, m.Id
-- meant
SELECT m.Id, m.Name FROM FREETEXTTABLE(Movie, (Name, Content), 'desert planet') AS f JOIN Movie AS m ON m.Id = f.[KEY] ORDER BY f.[RANK] DESC, m.Id

-- name: FREETEXT with a comparison to one
-- class: fulltext
-- fresh: first
SELECT m.Id, m.Name FROM Movie AS m WHERE FREETEXT(m.Content, 'trained pilots') = 1
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE FREETEXT(m.Content, 'trained pilots')

-- name: CONTAINS over a column that is not full text
-- class: fulltext
-- fresh: first
-- unfixable: A number is no text; what is searched for is not said.
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS(m.ReleaseYear, '"19*"')

-- name: CONTAINS with the search first
-- class: fulltext
-- fresh: first
SELECT m.Name FROM Movie AS m WHERE CONTAINS('"werewolves"', m.Content)
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"werewolves"')

-- name: NEAR as an infix word with a distance
-- class: fulltext
-- fresh: first
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'farm NEAR/3 boy')
-- meant
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'NEAR((farm, boy), 3)')

-- name: C-like operators in the search
-- class: fulltext
-- fresh: first
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS((m.Name, m.Content), 'planet && (rebels || family)')
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS((m.Name, m.Content), 'planet AND (rebels OR family)')

-- name: unbalanced double quote in CONTAINS
-- class: fulltext
-- fresh: first
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"deep space')
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"deep space"')

-- name: pgvector cosine operator
-- class: vectors
-- fresh: first
SELECT m.Id, m.Name, m.embedding <=> @q AS distance FROM Movie m ORDER BY distance LIMIT 5
-- meant
SELECT TOP 5 m.Id, m.Name, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS distance FROM Movie AS m ORDER BY distance

-- name: pgvector operator in the order only
-- class: vectors
-- fresh: first
SELECT m.Id, m.Name FROM Movie m WHERE m.ReleaseYear >= 1979 ORDER BY m.Embedding <-> @q LIMIT 3
-- meant
SELECT TOP 3 m.Id, m.Name FROM Movie AS m WHERE m.ReleaseYear >= 1979 ORDER BY VECTOR_DISTANCE('euclidean', m.Embedding, @q)

-- name: cosine_similarity as a function
-- class: vectors
-- fresh: first
SELECT TOP 5 m.Id, m.Name, COSINE_SIMILARITY(m.Embedding, @q) AS similarity FROM Movie m ORDER BY similarity DESC
-- meant
SELECT TOP 5 m.Id, m.Name, 1 - VECTOR_DISTANCE('cosine', m.Embedding, @q) AS similarity FROM Movie AS m ORDER BY similarity DESC

-- name: cosine distance as a function
-- class: vectors
-- fresh: first
SELECT TOP 5 m.Id, m.Name FROM Movie m ORDER BY cosine_distance(m.Embedding, @q), m.Id
-- meant
SELECT TOP 5 m.Id, m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q), m.Id

-- name: metric behind the vectors
-- class: vectors
-- fresh: first
SELECT TOP 4 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE(m.Embedding, @q, 'cosine')
-- meant
SELECT TOP 4 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: metric left out
-- class: vectors
-- fresh: first
SELECT TOP 4 t.Name FROM Theme AS t ORDER BY VECTOR_DISTANCE(t.Embedding, @q)
-- meant
SELECT TOP 4 t.Name FROM Theme AS t ORDER BY VECTOR_DISTANCE('cosine', t.Embedding, @q)

-- name: vector declared before the select
-- class: vectors
-- fresh: first
DECLARE @q VECTOR(384) = CAST(@query AS VECTOR(384));
SELECT TOP 5 m.Id, m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q);
-- meant
SELECT TOP 5 m.Id, m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: another variable for the query
-- class: vectors
-- fresh: first
SELECT TOP 5 m.Id, m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @query_vector)
-- meant
SELECT TOP 5 m.Id, m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: colon parameter for the query
-- class: vectors
-- fresh: first
SELECT m.Id, m.Name, 1 - (m.Embedding <=> :q) AS score FROM Movie m ORDER BY score DESC LIMIT 4
-- meant
SELECT TOP 4 m.Id, m.Name, 1 - VECTOR_DISTANCE('cosine', m.Embedding, @q) AS score FROM Movie AS m ORDER BY score DESC

-- name: embedding of a text asked for in SQL
-- class: vectors
-- fresh: first
-- unfixable: The text belongs into query; put there, it would be lost from the statement.
SELECT TOP 5 m.Id, m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, AI_GENERATE_EMBEDDINGS('a lonely robot' USE MODEL embed))

-- name: a vector literal
-- class: vectors
-- fresh: first
-- unfixable: The numbers are no embedding of this graph's model.
SELECT TOP 5 m.Id, m.Name FROM Movie m ORDER BY m.Embedding <=> '[0.12, -0.03, 0.88]'

-- name: embedding in the select list beside the distance
-- class: vectors
-- fresh: first
SELECT TOP 3 m.Id, m.Name, m.Embedding, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS d FROM Movie AS m ORDER BY d
-- meant
SELECT TOP 3 m.Id, m.Name, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS d FROM Movie AS m ORDER BY d

-- name: dot for the metric
-- class: vectors
-- fresh: first
SELECT TOP 3 c.Name, VECTOR_DISTANCE('l2', c.Embedding, @q) AS d FROM Character AS c ORDER BY d
-- meant
SELECT TOP 3 c.Name, VECTOR_DISTANCE('euclidean', c.Embedding, @q) AS d FROM Character AS c ORDER BY d

-- name: dot product of vectors
-- class: vectors
-- fresh: first
SELECT TOP 3 m.Name, VECTOR_DISTANCE('dot_product', m.Embedding, @q) AS d FROM Movie AS m ORDER BY d
-- meant
SELECT TOP 3 m.Name, VECTOR_DISTANCE('dot', m.Embedding, @q) AS d FROM Movie AS m ORDER BY d

-- name: similarity over a seed by name
-- class: vectors
-- fresh: first
SELECT m2.Name, VECTOR_COSINE_SIMILARITY(m1.Embedding, m2.Embedding) AS sim
FROM Movie m1, Movie m2
WHERE m1.Name = 'Dune' AND m2.Id <> m1.Id
ORDER BY sim DESC LIMIT 3
-- meant
SELECT TOP 3 m2.Name, 1 - VECTOR_DISTANCE('cosine', m1.Embedding, m2.Embedding) AS sim FROM Movie AS m1, Movie AS m2 WHERE m1.Name = 'Dune' AND m2.Id <> m1.Id ORDER BY sim DESC

-- name: group by left out
-- class: aggregates
-- fresh: first
SELECT g.Name, COUNT(*) AS Films FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) ORDER BY Films DESC
-- meant
SELECT g.Name, COUNT(*) AS Films FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) GROUP BY g.Name ORDER BY Films DESC

-- name: group by that lacks a selected column
-- class: aggregates
-- fresh: first
SELECT m.Id, m.Name, m.ReleaseYear, COUNT(t.Id) AS Themes
FROM Movie AS m, INCLUDES_THEME AS it, Theme AS t
WHERE MATCH(m-(it)->t)
GROUP BY m.Id
ORDER BY Themes DESC, m.Id
-- meant
SELECT m.Id, m.Name, m.ReleaseYear, COUNT(t.Id) AS Themes FROM Movie AS m, INCLUDES_THEME AS it, Theme AS t WHERE MATCH(m-(it)->t) GROUP BY m.Id, m.Name, m.ReleaseYear ORDER BY Themes DESC, m.Id

-- name: aggregate in WHERE, once more
-- class: aggregates
-- fresh: first
SELECT t.Name, COUNT(*) AS n
FROM Movie m, INCLUDES_THEME it, Theme t
WHERE MATCH(m-(it)->t) AND COUNT(*) >= 2
GROUP BY t.Name
-- meant
SELECT t.Name, COUNT(*) AS n FROM Movie AS m, INCLUDES_THEME AS it, Theme AS t WHERE MATCH(m-(it)->t) GROUP BY t.Name HAVING COUNT(*) >= 2

-- name: alias in HAVING, once more
-- class: aggregates
-- fresh: first
SELECT t.Name AS Theme, COUNT(DISTINCT m.Id) AS MovieCount
FROM Movie m, INCLUDES_THEME e, Theme t
WHERE MATCH(m-(e)->t)
GROUP BY t.Name
HAVING MovieCount > 1
ORDER BY MovieCount DESC, Theme
-- meant
SELECT t.Name AS Theme, COUNT(DISTINCT m.Id) AS MovieCount FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t WHERE MATCH(m-(e)->t) GROUP BY t.Name HAVING COUNT(DISTINCT m.Id) > 1 ORDER BY MovieCount DESC, Theme

-- name: alias in WHERE, once more
-- class: aggregates
-- fresh: first
SELECT m.Name, m.ReleaseYear / 10 * 10 AS Decade FROM Movie m WHERE Decade = 1970 ORDER BY m.Id
-- meant
SELECT m.Name, m.ReleaseYear / 10 * 10 AS Decade FROM Movie AS m WHERE m.ReleaseYear / 10 * 10 = 1970 ORDER BY m.Id

-- name: window alias in WHERE, once more
-- class: aggregates
-- fresh: first
SELECT m.Name, m.ReleaseYear, ROW_NUMBER() OVER (PARTITION BY m.ReleaseYear ORDER BY m.Id) AS rn FROM Movie m WHERE rn = 1 ORDER BY m.ReleaseYear
-- meant
SELECT x.Name, x.ReleaseYear, x.rn FROM (SELECT m.Name, m.ReleaseYear, ROW_NUMBER() OVER (PARTITION BY m.ReleaseYear ORDER BY m.Id) AS rn FROM Movie AS m) AS x WHERE x.rn = 1 ORDER BY x.ReleaseYear

-- name: window function in WHERE, once more
-- class: aggregates
-- fresh: first
SELECT m.Name, m.ReleaseYear FROM Movie AS m WHERE ROW_NUMBER() OVER (PARTITION BY m.ReleaseYear ORDER BY m.Name, m.Id) = 1
-- meant
SELECT x.Name, x.ReleaseYear FROM (SELECT m.Name, m.ReleaseYear, ROW_NUMBER() OVER (PARTITION BY m.ReleaseYear ORDER BY m.Name, m.Id) AS rn FROM Movie AS m) AS x WHERE x.rn = 1

-- name: order by in a cte
-- class: aggregates
-- fresh: first
WITH counted AS (
    SELECT g.Name, COUNT(*) AS Films FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) GROUP BY g.Name ORDER BY Films DESC
)
SELECT c.Name, c.Films FROM counted c WHERE c.Films > 1
-- meant
WITH counted AS (SELECT g.Name, COUNT(*) AS Films FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) GROUP BY g.Name) SELECT c.Name, c.Films FROM counted AS c WHERE c.Films > 1

-- name: STUFF with FOR XML PATH correlated
-- class: aggregates
-- fresh: first
SELECT m.Id, m.Name,
  STUFF((SELECT ', ' + g.Name FROM IN_GENRE ig JOIN Genre g ON g.$node_id = ig.$to_id WHERE ig.$from_id = m.$node_id ORDER BY g.Name FOR XML PATH('')), 1, 2, '') AS Genres
FROM Movie m
ORDER BY m.Id
-- meant
SELECT m.Id, m.Name, (SELECT STRING_AGG(g.Name, ', ') WITHIN GROUP (ORDER BY g.Name) FROM IN_GENRE AS ig JOIN Genre AS g ON g.$node_id = ig.$to_id WHERE ig.$from_id = m.$node_id) AS Genres FROM Movie AS m ORDER BY m.Id

-- name: STRING_AGG with DISTINCT
-- class: aggregates
-- fresh: first
SELECT m.ReleaseYear, STRING_AGG(DISTINCT g.Name, ', ') AS Genres
FROM Movie m, IN_GENRE e, Genre g
WHERE MATCH(m-(e)->g)
GROUP BY m.ReleaseYear
-- meant
SELECT x.ReleaseYear, STRING_AGG(x.Name, ', ') AS Genres FROM (SELECT DISTINCT m.ReleaseYear, g.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g)) AS x GROUP BY x.ReleaseYear

-- name: STRING_AGG without a separator
-- class: aggregates
-- fresh: first
SELECT s.Name, STRING_AGG(m.Name) AS Films FROM Movie m, PART_OF_SERIES p, Series s WHERE MATCH(m-(p)->s) GROUP BY s.Name
-- meant
SELECT s.Name, STRING_AGG(m.Name, ',') AS Films FROM Movie AS m, PART_OF_SERIES AS p, Series AS s WHERE MATCH(m-(p)->s) GROUP BY s.Name

-- name: count distinct of two columns
-- class: aggregates
-- fresh: first
SELECT COUNT(DISTINCT m.Name, m.ReleaseYear) AS n FROM Movie m WHERE m.ReleaseYear > 1970
-- meant
SELECT COUNT(*) AS n FROM (SELECT DISTINCT m.Name, m.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear > 1970) AS x WHERE x.Name IS NOT NULL AND x.ReleaseYear IS NOT NULL

-- name: order by a column that DISTINCT drops
-- class: aggregates
-- fresh: first
SELECT DISTINCT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND g.Name = 'Science Fiction' ORDER BY m.ReleaseYear DESC
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Science Fiction' GROUP BY m.Name ORDER BY MAX(m.ReleaseYear) DESC

-- name: average rounded in the PostgreSQL way
-- class: aggregates
-- fresh: first
SELECT g.Name, ROUND(AVG(m.ReleaseYear)::numeric, 1) AS avg_year FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) GROUP BY g.Name ORDER BY g.Name
-- meant
SELECT g.Name, ROUND(AVG(CAST(m.ReleaseYear AS NUMERIC(38, 6))), 1) AS avg_year FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) GROUP BY g.Name ORDER BY g.Name

-- name: median of the years
-- class: aggregates
-- fresh: first
SELECT MEDIAN(m.ReleaseYear) AS mid FROM Movie m
-- meant
SELECT TOP 1 PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY m.ReleaseYear) OVER () AS mid FROM Movie AS m

-- name: group by the position of a column
-- class: aggregates
-- fresh: first
SELECT t.Name, COUNT(*) FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY 1 ORDER BY 2 DESC, 1
-- meant
SELECT t.Name, COUNT(*) FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t WHERE MATCH(m-(e)->t) GROUP BY t.Name ORDER BY 2 DESC, 1

-- name: fenced answer with an explanation
-- class: syntax
-- fresh: first
Here is the query you asked for:

```sql
SELECT TOP 10 m.Id, m.Name
FROM Movie AS m
WHERE m.ReleaseYear > 1978
ORDER BY m.ReleaseYear, m.Id
```

It returns the films after 1978, oldest first.
-- meant
SELECT TOP 10 m.Id, m.Name FROM Movie AS m WHERE m.ReleaseYear > 1978 ORDER BY m.ReleaseYear, m.Id

-- name: missing comma between columns
-- class: syntax
-- fresh: first
SELECT m.Id m.Name, m.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear > 1978
-- meant
SELECT m.Id, m.Name, m.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear > 1978

-- name: missing closing parenthesis at the end of a subquery
-- class: syntax
-- fresh: first
SELECT m.Name FROM Movie m WHERE m.ReleaseYear = (SELECT MAX(x.ReleaseYear) FROM Movie x
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = (SELECT MAX(x.ReleaseYear) FROM Movie AS x)

-- name: missing parenthesis after MATCH
-- class: syntax
-- fresh: first
SELECT m.Name, g.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g AND g.Name = 'Horror'
-- meant
SELECT m.Name, g.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Horror'

-- name: one closing parenthesis too many
-- class: syntax
-- fresh: first
SELECT m.Name, COUNT(*) AS n FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)) GROUP BY m.Name
-- meant
SELECT m.Name, COUNT(*) AS n FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) GROUP BY m.Name

-- name: curly quotes
-- class: syntax
-- fresh: first
SELECT m.Name FROM Movie AS m WHERE m.Name = ‘Dune’ OR m.Name LIKE “Star%”
-- meant
SELECT m.Name FROM Movie AS m WHERE m.Name = 'Dune' OR m.Name LIKE 'Star%'

-- name: backslash before an apostrophe
-- class: syntax
-- fresh: first
SELECT m.Id, m.Name FROM Movie AS m WHERE m.Content LIKE '%machine\'s%'
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE m.Content LIKE '%machine''s%'

-- name: apostrophe not doubled
-- class: syntax
-- fresh: first
SELECT m.Id, m.Name FROM Movie AS m WHERE m.Content LIKE '%machine's dream%'
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE m.Content LIKE '%machine''s dream%'

-- name: USE and GO and SET
-- class: syntax
-- fresh: first
USE MovieGraph;
GO
SET NOCOUNT ON;
SELECT m.Name FROM dbo.Movie AS m WHERE m.ReleaseYear = 1999;
GO
-- meant
SELECT m.Name FROM dbo.Movie AS m WHERE m.ReleaseYear = 1999

-- name: WHERE twice
-- class: syntax
-- fresh: first
SELECT m.Name FROM Movie m WHERE m.ReleaseYear > 1970 WHERE m.ReleaseYear < 1990
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear > 1970 AND m.ReleaseYear < 1990

-- name: AND right after WHERE
-- class: syntax
-- fresh: first
SELECT m.Name FROM Movie AS m WHERE AND m.ReleaseYear > 1978
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear > 1978

-- name: dangling AND at the end
-- class: syntax
-- fresh: first
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear > 1978 AND
ORDER BY m.Name, m.Id
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear > 1978 ORDER BY m.Name, m.Id

-- name: TOP at the end, once more
-- class: syntax
-- fresh: first
SELECT m.Id, m.Name FROM Movie AS m ORDER BY m.Id TOP 3
-- meant
SELECT TOP 3 m.Id, m.Name FROM Movie AS m ORDER BY m.Id

-- name: TOP before DISTINCT, once more
-- class: syntax
-- fresh: first
SELECT TOP 5 DISTINCT m.ReleaseYear FROM Movie AS m ORDER BY m.ReleaseYear DESC
-- meant
SELECT DISTINCT TOP 5 m.ReleaseYear FROM Movie AS m ORDER BY m.ReleaseYear DESC

-- name: second statement after the select
-- class: syntax
-- fresh: first
-- unfixable: Two questions in one call; which one is meant is not said.
SELECT COUNT(*) FROM Movie; SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear > 1990;

-- name: comparison with null
-- class: syntax
-- fresh: first
SELECT m.Id, m.Name FROM Movie AS m WHERE m.ReleaseYear IS NOT EQUAL 1999 AND m.ReleaseYear NOT NULL
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE m.ReleaseYear <> 1999 AND m.ReleaseYear IS NOT NULL

-- name: NOT before equals
-- class: syntax
-- fresh: first
SELECT m.Id, m.Name FROM Movie AS m WHERE m.ReleaseYear NOT = 1999 ORDER BY m.Id
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE NOT m.ReleaseYear = 1999 ORDER BY m.Id

-- name: IN without parentheses, once more
-- class: syntax
-- fresh: first
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear IN 1977, 1999
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear IN (1977, 1999)

-- name: CASE without END
-- class: syntax
-- fresh: first
SELECT m.Id, CASE WHEN m.ReleaseYear < 1990 THEN 'old' ELSE 'new' AS Era FROM Movie AS m ORDER BY m.Id
-- meant
SELECT m.Id, CASE WHEN m.ReleaseYear < 1990 THEN 'old' ELSE 'new' END AS Era FROM Movie AS m ORDER BY m.Id

-- name: ELSE IF in CASE
-- class: syntax
-- fresh: first
SELECT m.Id, CASE WHEN m.ReleaseYear < 1980 THEN 'old' WHEN m.ReleaseYear < 2000 THEN 'middle' ELSE WHEN m.ReleaseYear >= 2000 THEN 'new' END AS Era FROM Movie AS m ORDER BY m.Id
-- meant
SELECT m.Id, CASE WHEN m.ReleaseYear < 1980 THEN 'old' WHEN m.ReleaseYear < 2000 THEN 'middle' WHEN m.ReleaseYear >= 2000 THEN 'new' END AS Era FROM Movie AS m ORDER BY m.Id

-- name: misspelt keywords, once more
-- class: syntax
-- fresh: first
SELCT m.Name, COUNT(*) AS n FORM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) GRUOP BY m.Name ODER BY n DESC
-- meant
SELECT m.Name, COUNT(*) AS n FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) GROUP BY m.Name ORDER BY n DESC

-- name: ORDER without BY, once more
-- class: syntax
-- fresh: first
SELECT m.ReleaseYear, COUNT(*) AS n FROM Movie AS m GROUP m.ReleaseYear ORDER n DESC, m.ReleaseYear
-- meant
SELECT m.ReleaseYear, COUNT(*) AS n FROM Movie AS m GROUP BY m.ReleaseYear ORDER BY n DESC, m.ReleaseYear

-- name: derived table without an alias, once more
-- class: syntax
-- fresh: first
SELECT Name FROM (SELECT TOP 3 Id, Name FROM Movie ORDER BY Id) ORDER BY Id
-- meant
SELECT x.Name FROM (SELECT TOP 3 Id, Name FROM Movie ORDER BY Id) AS x ORDER BY x.Id

-- name: AND inside the select list
-- class: syntax
-- fresh: first
SELECT m.Name AND m.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear = 1999
-- meant
SELECT m.Name, m.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear = 1999

-- name: comment with a slash
-- class: syntax
-- fresh: first
// films of the seventies
SELECT m.Name, m.ReleaseYear -- the title
FROM Movie AS m # the films
WHERE m.ReleaseYear BETWEEN 1970 AND 1979
-- meant
SELECT m.Name, m.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear BETWEEN 1970 AND 1979

-- name: EXPLAIN in front
-- class: syntax
-- fresh: first
EXPLAIN SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = 1999
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = 1999

-- name: query as JSON
-- class: syntax
-- fresh: first
{"sql": "SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = 1999"}
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = 1999

-- name: comma after the last CTE
-- class: syntax
-- fresh: first
WITH a AS (SELECT Id, Name FROM Movie WHERE ReleaseYear < 1980), SELECT a.Name FROM a ORDER BY a.Id
-- meant
WITH a AS (SELECT Id, Name FROM Movie WHERE ReleaseYear < 1980) SELECT a.Name FROM a ORDER BY a.Id

-- name: semicolon between the CTE and its use
-- class: syntax
-- fresh: first
WITH a AS (SELECT Id, Name FROM Movie WHERE ReleaseYear < 1980);
SELECT a.Name FROM a ORDER BY a.Id
-- meant
WITH a AS (SELECT Id, Name FROM Movie WHERE ReleaseYear < 1980) SELECT a.Name FROM a ORDER BY a.Id

-- name: WITH said for each CTE
-- class: syntax
-- fresh: first
WITH a AS (SELECT Id, Name FROM Movie WHERE ReleaseYear < 1980)
WITH b AS (SELECT Id, Name FROM a WHERE Id > 1)
SELECT b.Name FROM b ORDER BY b.Id
-- meant
WITH a AS (SELECT Id, Name FROM Movie WHERE ReleaseYear < 1980), b AS (SELECT Id, Name FROM a WHERE Id > 1) SELECT b.Name FROM b ORDER BY b.Id

-- name: SQLite habits over lower case names
-- class: dialect
-- fresh: first
select m.title || ' (' || m.year || ')' as label from movies m where m.year >= 1979 and m.title like "%alien%" limit 5;
-- meant
SELECT TOP 5 m.Name + ' (' + CAST(m.ReleaseYear AS NVARCHAR(12)) + ')' AS label FROM Movie AS m WHERE m.ReleaseYear >= 1979 AND m.Name LIKE '%alien%'

-- name: wrong arrow, wrong table and a limit
-- class: graph
-- fresh: first
SELECT DISTINCT m.title FROM Movies m, IN_GENRE ig, Genres g WHERE MATCH(g-(ig)->m) AND g.name = "Science Fiction" ORDER BY m.title LIMIT 3
-- meant
SELECT DISTINCT TOP 3 m.Name FROM Movie AS m, IN_GENRE AS ig, Genre AS g WHERE MATCH(m-(ig)->g) AND g.Name = 'Science Fiction' ORDER BY m.Name

-- name: pgvector with a filter through a join table
-- class: vectors
-- fresh: first
SELECT m.title, m.embedding <=> @q AS dist
FROM movies m
JOIN in_genre ig ON ig.movie_id = m.id
JOIN genres g ON g.id = ig.genre_id
WHERE g.name ILIKE 'science fiction'
ORDER BY dist ASC
LIMIT 3
-- meant
SELECT TOP 3 m.Name, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS dist FROM Movie AS m JOIN IN_GENRE AS ig ON ig.$from_id = m.$node_id JOIN Genre AS g ON g.$node_id = ig.$to_id WHERE g.Name LIKE 'science fiction' ORDER BY dist ASC

-- name: full text and a graph with a missing group
-- class: fulltext
-- fresh: first
SELECT t.Name, COUNT(*) AS n FROM Movie m, INCLUDES_THEME it, Theme t WHERE MATCH(m-(it)->t) AND CONTAINS((m.Name, m.Content), desert planet) ORDER BY n DESC LIMIT 5
-- meant
SELECT TOP 5 t.Name, COUNT(*) AS n FROM Movie AS m, INCLUDES_THEME AS it, Theme AS t WHERE MATCH(m-(it)->t) AND CONTAINS((m.Name, m.Content), '"desert planet"') GROUP BY t.Name ORDER BY n DESC

-- name: fenced, with backticks and boolean words
-- class: syntax
-- fresh: first
```sql
SELECT `m`.`Name`, `m`.`ReleaseYear` FROM `Movie` AS `m` WHERE TRUE AND `m`.`ReleaseYear` > 1990 LIMIT 5;
```
-- meant
SELECT TOP 5 m.Name, m.ReleaseYear FROM Movie AS m WHERE 1 = 1 AND m.ReleaseYear > 1990

-- name: names of another schema and grouped by an alias
-- class: aggregates
-- fresh: first
SELECT th.name AS theme, COUNT(DISTINCT mv.movie_id) AS cnt
FROM movie mv, includes_theme it, theme th
WHERE MATCH(mv-(it)->th)
GROUP BY theme
ORDER BY cnt DESC, theme
LIMIT 2
-- meant
SELECT TOP 2 th.Name AS theme, COUNT(DISTINCT mv.Id) AS cnt FROM Movie AS mv, INCLUDES_THEME AS it, Theme AS th WHERE MATCH(mv-(it)->th) GROUP BY th.Name ORDER BY cnt DESC, theme

-- name: coalesced concatenation with a cast of Oracle
-- class: dialect
-- fresh: first
SELECT m.Id, m.Name || ' (' || TO_CHAR(m.ReleaseYear) || ')' AS label FROM Movie m WHERE m.ReleaseYear IS NOT NULL AND ROWNUM <= 3
-- meant
SELECT TOP 3 m.Id, m.Name + ' (' + CAST(m.ReleaseYear AS NVARCHAR(12)) + ')' AS label FROM Movie AS m WHERE m.ReleaseYear IS NOT NULL

-- name: concat with a separator and initcap
-- class: dialect
-- fresh: first
SELECT m.Id, CONCAT_WS(' - ', m.Name, m.ReleaseYear::text) AS label FROM Movie m ORDER BY m.Id LIMIT 4 OFFSET 1
-- meant
SELECT m.Id, CONCAT_WS(' - ', m.Name, CAST(m.ReleaseYear AS NVARCHAR(12))) AS label FROM Movie AS m ORDER BY m.Id OFFSET 1 ROWS FETCH NEXT 4 ROWS ONLY

-- name: generate_series of decades
-- class: dialect
-- fresh: first
SELECT d AS decade, COUNT(m.Id) AS films FROM generate_series(1970, 2000, 10) AS d LEFT JOIN Movie m ON m.ReleaseYear BETWEEN d AND d + 9 GROUP BY d ORDER BY d
-- meant
SELECT d.value AS decade, COUNT(m.Id) AS films FROM GENERATE_SERIES(1970, 2000, 10) AS d LEFT JOIN Movie AS m ON m.ReleaseYear BETWEEN d.value AND d.value + 9 GROUP BY d.value ORDER BY d.value

-- name: intersect of selects in parentheses with limits
-- class: dialect
-- fresh: first
(SELECT m.Id, m.Name FROM Movie m ORDER BY m.Id LIMIT 2) UNION ALL (SELECT m.Id, m.Name FROM Movie m ORDER BY m.Id DESC LIMIT 2)
-- meant
SELECT x.Id, x.Name FROM (SELECT TOP 2 m.Id, m.Name FROM Movie AS m ORDER BY m.Id) AS x UNION ALL SELECT y.Id, y.Name FROM (SELECT TOP 2 m.Id, m.Name FROM Movie AS m ORDER BY m.Id DESC) AS y

-- name: chatty answer with a bold heading
-- class: syntax
-- fresh: second
**SQL query**

```tsql
SELECT TOP (5) m.Id, m.Name
FROM dbo.Movie m
WHERE m.ReleaseYear > 1978
ORDER BY m.ReleaseYear DESC, m.Id;
```

**Explanation:** takes the newest films.
-- meant
SELECT TOP 5 m.Id, m.Name FROM Movie AS m WHERE m.ReleaseYear > 1978 ORDER BY m.ReleaseYear DESC, m.Id

-- name: answer that begins with Sure
-- class: syntax
-- fresh: second
Sure! Here's the T-SQL:

SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear BETWEEN 1977 AND 1980 ORDER BY m.Id
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear BETWEEN 1977 AND 1980 ORDER BY m.Id

-- name: clause keyword glued to a name
-- class: syntax
-- fresh: second
SELECT m.Name, m.ReleaseYearFROM Movie AS m WHERE m.ReleaseYear = 1999
-- meant
SELECT m.Name, m.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear = 1999

-- name: equals sign missing in a condition
-- class: syntax
-- fresh: second
-- unfixable: Which sign was meant is not said.
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear 1999

-- name: brackets of a list left open before ORDER BY
-- class: syntax
-- fresh: second
SELECT m.Id, m.Name FROM Movie AS m WHERE m.ReleaseYear IN (1977, 1979, 1999 ORDER BY m.Id
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE m.ReleaseYear IN (1977, 1979, 1999) ORDER BY m.Id

-- name: function left open before FROM
-- class: syntax
-- fresh: second
SELECT UPPER(m.Name AS Title, m.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear > 1990
-- meant
SELECT UPPER(m.Name) AS Title, m.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear > 1990

-- name: COUNT left open before AS
-- class: syntax
-- fresh: second
SELECT t.Name, COUNT(* AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY t.Name ORDER BY n DESC, t.Name
-- meant
SELECT t.Name, COUNT(*) AS n FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t WHERE MATCH(m-(e)->t) GROUP BY t.Name ORDER BY n DESC, t.Name

-- name: double quotes around a text with an apostrophe
-- class: syntax
-- fresh: second
SELECT m.Id, m.Name FROM Movie AS m WHERE m.Content LIKE "%machine's dream%"
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE m.Content LIKE '%machine''s dream%'

-- name: string closed with another quote
-- class: syntax
-- fresh: second
-- unfixable: Where the text ends is not said.
SELECT m.Id, m.Name FROM Movie AS m WHERE m.Name = 'Dune" AND m.ReleaseYear > 2000

-- name: SELECT said twice
-- class: syntax
-- fresh: second
SELECT SELECT TOP 3 m.Name FROM Movie AS m ORDER BY m.Id
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY m.Id

-- name: comma instead of AND in WHERE
-- class: syntax
-- fresh: second
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear > 1978, m.ReleaseYear < 2000
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear > 1978 AND m.ReleaseYear < 2000

-- name: comma instead of BY in ORDER BY with a direction in words
-- class: syntax
-- fresh: second
SELECT m.Id, m.Name, m.ReleaseYear FROM Movie AS m ORDER BY m.ReleaseYear DESCENDING, m.Name ASCENDING, m.Id
-- meant
SELECT m.Id, m.Name, m.ReleaseYear FROM Movie AS m ORDER BY m.ReleaseYear DESC, m.Name ASC, m.Id

-- name: ORDER BY within the arms of a UNION ALL with a limit
-- class: syntax
-- fresh: second
SELECT TOP 2 m.Name AS Label FROM Movie AS m ORDER BY m.Id
UNION ALL
SELECT TOP 2 t.Name AS Label FROM Theme AS t ORDER BY t.Id
-- meant
SELECT a.Label FROM (SELECT TOP 2 m.Name AS Label FROM Movie AS m ORDER BY m.Id) AS a UNION ALL SELECT b.Label FROM (SELECT TOP 2 t.Name AS Label FROM Theme AS t ORDER BY t.Id) AS b

-- name: IF around the whole query
-- class: syntax
-- fresh: second
-- unfixable: A procedure with two outcomes is no single question.
IF EXISTS (SELECT 1 FROM Movie WHERE Name = 'Dune') SELECT m.Name FROM Movie AS m ELSE SELECT 'none'

-- name: temporary table before the query
-- class: syntax
-- fresh: second
-- unfixable: Two statements, the first of which writes.
SELECT m.Id, m.Name INTO #old FROM Movie AS m WHERE m.ReleaseYear < 1980; SELECT * FROM #old

-- name: BEGIN and END around the query
-- class: syntax
-- fresh: second
BEGIN
  SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = 1999;
END
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = 1999

-- name: camel case names everywhere
-- class: names
-- fresh: second
SELECT m.movieName, m.releaseYear FROM movie m, inGenre ig, genre g WHERE MATCH(m-(ig)->g) AND g.genreName = 'Horror'
-- meant
SELECT m.Name, m.ReleaseYear FROM Movie AS m, IN_GENRE AS ig, Genre AS g WHERE MATCH(m-(ig)->g) AND g.Name = 'Horror'

-- name: Hungarian prefixes of tables
-- class: names
-- fresh: second
SELECT m.Name FROM tbl_Movie AS m WHERE m.ReleaseYear = 2021 OR m.Name = 'Dune'
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = 2021 OR m.Name = 'Dune'

-- name: node table with a suffix
-- class: names
-- fresh: second
SELECT t.Name, COUNT(*) AS n FROM MovieNode m, INCLUDES_THEME e, ThemeNode t WHERE MATCH(m-(e)->t) GROUP BY t.Name ORDER BY n DESC, t.Name
-- meant
SELECT t.Name, COUNT(*) AS n FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t WHERE MATCH(m-(e)->t) GROUP BY t.Name ORDER BY n DESC, t.Name

-- name: singular and plural mixed with another edge name
-- class: names
-- fresh: second
SELECT c.Name FROM Films f, APPEARS_IN a, Characters c WHERE MATCH(c-(a)->f) AND f.Title = 'Alien'
-- meant
SELECT c.Name FROM Movie AS f, FEATURES_CHARACTER AS a, Character AS c WHERE MATCH(f-(a)->c) AND f.Name = 'Alien'

-- name: edge named by both ends
-- class: names
-- fresh: second
SELECT m.Name, s.Name AS Place FROM Movie m, MOVIE_SETTING ms, Setting s WHERE MATCH(m-(ms)->s)
-- meant
SELECT m.Name, s.Name AS Place FROM Movie AS m, SET_IN AS ms, Setting AS s WHERE MATCH(m-(ms)->s)

-- name: tagline and synopsis
-- class: names
-- fresh: second
SELECT m.Name, LEFT(m.Synopsis, 20) AS head FROM Movie AS m WHERE m.Synopsis IS NOT NULL ORDER BY m.Id
-- meant
SELECT m.Name, LEFT(m.Content, 20) AS head FROM Movie AS m WHERE m.Content IS NOT NULL ORDER BY m.Id

-- name: genre as a column that is listed
-- class: names
-- fresh: second
-- unfixable: A film has several genres; whether one row each or a list is meant is not said.
SELECT m.Name, m.Genre FROM Movie AS m WHERE m.ReleaseYear > 1990

-- name: genre id as a column of the film
-- class: names
-- fresh: second
SELECT m.Name, g.Name AS Genre FROM Movie AS m JOIN Genre AS g ON m.GenreId = g.Id WHERE g.Name = 'Drama'
-- meant
SELECT m.Name, g.Name AS Genre FROM Movie AS m JOIN IN_GENRE AS e ON e.$from_id = m.$node_id JOIN Genre AS g ON g.$node_id = e.$to_id WHERE g.Name = 'Drama'

-- name: decade column
-- class: names
-- fresh: second
-- unfixable: No column holds a decade, and how it would be written is not said.
SELECT m.Name FROM Movie AS m WHERE m.Decade = '1970s'

-- name: alias of the outer query used for the inner table
-- class: names
-- fresh: second
SELECT m.Name, x.n FROM Movie AS m JOIN (SELECT mv.ReleaseYear AS y, COUNT(*) AS n FROM Movie AS m2 GROUP BY m2.ReleaseYear) AS x ON x.y = m.ReleaseYear ORDER BY m.Id
-- meant
SELECT m.Name, x.n FROM Movie AS m JOIN (SELECT m2.ReleaseYear AS y, COUNT(*) AS n FROM Movie AS m2 GROUP BY m2.ReleaseYear) AS x ON x.y = m.ReleaseYear ORDER BY m.Id

-- name: CTE called by another number
-- class: names
-- fresh: second
-- unfixable: No table or CTE has that name, nor one near it.
WITH themes AS (SELECT t.Id, t.Name FROM Theme AS t WHERE t.Name LIKE 'S%') SELECT x.Name FROM theme_list AS x

-- name: CTE in the wrong number
-- class: names
-- fresh: second
WITH old_films AS (SELECT m.Id, m.Name FROM Movie AS m WHERE m.ReleaseYear < 1980) SELECT o.Name FROM old_film AS o ORDER BY o.Id
-- meant
WITH old_films AS (SELECT m.Id, m.Name FROM Movie AS m WHERE m.ReleaseYear < 1980) SELECT o.Name FROM old_films AS o ORDER BY o.Id

-- name: OPTIONAL MATCH of Cypher
-- class: graph
-- fresh: second
MATCH (m:Movie) OPTIONAL MATCH (m)-[:PART_OF_SERIES]->(s:Series) RETURN m.Name, s.Name ORDER BY m.Id
-- meant
SELECT m.Name, s.Name FROM Movie AS m LEFT JOIN (PART_OF_SERIES AS p JOIN Series AS s ON s.$node_id = p.$to_id) ON p.$from_id = m.$node_id ORDER BY m.Id

-- name: Cypher with an aliased return and a count of paths
-- class: graph
-- fresh: second
MATCH (t:Theme)<-[:INCLUDES_THEME]-(m:Movie)
RETURN t.Name AS theme, count(m) AS films
ORDER BY films DESC, theme ASC
LIMIT 3;
-- meant
SELECT TOP 3 t.Name AS theme, COUNT(*) AS films FROM Theme AS t, INCLUDES_THEME AS e, Movie AS m WHERE MATCH(t<-(e)-m) GROUP BY t.Name ORDER BY films DESC, theme ASC

-- name: Cypher that leaves a pattern out
-- class: graph
-- fresh: second
MATCH (m:Movie)-[:IN_GENRE]->(g:Genre {Name: "Science Fiction"})
WHERE NOT (m)-[:PART_OF_SERIES]->(:Series)
RETURN m.Name
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Science Fiction' AND NOT EXISTS (SELECT 1 FROM Movie AS x, PART_OF_SERIES AS p, Series AS s WHERE MATCH(x-(p)->s) AND x.Id = m.Id)

-- name: Cypher list of names
-- class: graph
-- fresh: second
MATCH (m:Movie)-[:IN_GENRE]->(g:Genre) WHERE g.Name IN ['Horror', 'Drama'] RETURN DISTINCT m.Name
-- meant
SELECT DISTINCT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name IN ('Horror', 'Drama')

-- name: WITH of Cypher that filters a count
-- class: graph
-- fresh: second
MATCH (m:Movie)-[:INCLUDES_THEME]->(t:Theme) WITH t, count(m) AS n WHERE n > 1 RETURN t.Name, n
-- meant
SELECT t.Name, COUNT(*) AS n FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t WHERE MATCH(m-(e)->t) GROUP BY t.Name HAVING COUNT(*) > 1

-- name: MATCH with table names as nodes
-- class: graph
-- fresh: second
SELECT Movie.Name, Genre.Name FROM Movie, IN_GENRE, Genre WHERE MATCH(Genre-(IN_GENRE)->Movie) AND Genre.Name = 'Horror'
-- meant
SELECT Movie.Name, Genre.Name FROM Movie, IN_GENRE AS e, Genre WHERE MATCH(Movie-(e)->Genre) AND Genre.Name = 'Horror'

-- name: MATCH joined by a comma to a further condition
-- class: graph
-- fresh: second
SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g), g.Name = 'Drama'
-- meant
SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) AND g.Name = 'Drama'

-- name: two MATCH conditions on shared nodes in brackets
-- class: graph
-- fresh: second
SELECT DISTINCT m.Name FROM Movie m, IN_GENRE e1, Genre g1, IN_GENRE e2, Genre g2 WHERE (MATCH(m-[e1]->g1) AND MATCH(m-[e2]->g2)) AND g1.Name = 'Horror' AND g2.Name = 'Science Fiction'
-- meant
SELECT DISTINCT m.Name FROM Movie AS m, IN_GENRE AS e1, Genre AS g1, IN_GENRE AS e2, Genre AS g2 WHERE MATCH(m-(e1)->g1 AND m-(e2)->g2) AND g1.Name = 'Horror' AND g2.Name = 'Science Fiction'

-- name: property filter inside MATCH
-- class: graph
-- fresh: second
SELECT m.Name FROM Movie m, SET_IN s, Setting p WHERE MATCH(m-(s)->p AND p.Name = 'Paris')
-- meant
SELECT m.Name FROM Movie AS m, SET_IN AS s, Setting AS p WHERE MATCH(m-(s)->p) AND p.Name = 'Paris'

-- name: left join and MATCH for films without a series
-- class: graph
-- fresh: second
SELECT m.Name FROM Movie m LEFT JOIN PART_OF_SERIES p ON MATCH(m-(p)->s) LEFT JOIN Series s ON s.Id IS NOT NULL WHERE s.Id IS NULL
-- meant
SELECT m.Name FROM Movie AS m WHERE NOT EXISTS (SELECT 1 FROM PART_OF_SERIES AS p WHERE p.$from_id = m.$node_id)

-- name: arrow with an equals sign
-- class: graph
-- fresh: second
SELECT m.Name, t.Name FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m=(e)=>t) AND t.Name = 'Survival'
-- meant
SELECT m.Name, t.Name FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t WHERE MATCH(m-(e)->t) AND t.Name = 'Survival'

-- name: shortest path with a star for plus
-- class: graph
-- fresh: second
-- unfixable: A star would take the start itself too; plus does not.
SELECT a.Name, LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS EndName FROM Movie a, INCLUDES_THEME FOR PATH e, Theme FOR PATH t, INCLUDES_THEME FOR PATH f, Movie FOR PATH b WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)*)) AND a.Name = 'Alien'

-- name: CONTAINS with OR between two predicates' texts
-- class: fulltext
-- fresh: second
SELECT m.Id, m.Name FROM Movie m WHERE CONTAINS(m.Content, 'desert' OR 'swamp') ORDER BY m.Id
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"desert" OR "swamp"') ORDER BY m.Id

-- name: CONTAINS infix
-- class: fulltext
-- fresh: second
SELECT m.Id, m.Name FROM Movie m WHERE m.Content CONTAINS 'planet'
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'planet')

-- name: method call of contains
-- class: fulltext
-- fresh: second
SELECT m.Id, m.Name FROM Movie m WHERE m.Content.contains('planet')
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS(m.Content, 'planet')

-- name: FREETEXT with columns in a string
-- class: fulltext
-- fresh: second
SELECT m.Id, m.Name FROM Movie m WHERE FREETEXT('Name, Content', 'werewolves')
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE FREETEXT((m.Name, m.Content), 'werewolves')

-- name: CONTAINS with square brackets around columns
-- class: fulltext
-- fresh: second
SELECT m.Id, m.Name FROM Movie m WHERE CONTAINS([m.Name, m.Content], 'creature')
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS((m.Name, m.Content), 'creature')

-- name: FULLTEXT function
-- class: fulltext
-- fresh: second
-- unfixable: No such function is known, and whether all or any of the words are meant is not said.
SELECT m.Id, m.Name FROM Movie m WHERE FULLTEXT_SEARCH(m.Content, 'farm boy planet') > 0.5

-- name: CONTAINSTABLE joined on rank's key with a dollar
-- class: fulltext
-- fresh: second
SELECT m.Name FROM Movie m INNER JOIN CONTAINSTABLE(Movie, (Name, Content), 'planet') AS ft ON m.$node_id = ft.[KEY] ORDER BY ft.RANK DESC, m.Id
-- meant
SELECT m.Name FROM Movie AS m INNER JOIN CONTAINSTABLE(Movie, (Name, Content), 'planet') AS ft ON m.Id = ft.[KEY] ORDER BY ft.[RANK] DESC, m.Id

-- name: AND NOT written with a minus word
-- class: fulltext
-- fresh: second
SELECT m.Id, m.Name FROM Movie m WHERE CONTAINS(m.Content, '"planet" AND -"family"')
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '"planet" AND NOT "family"')

-- name: similarity threshold with an alias in WHERE
-- class: vectors
-- fresh: second
SELECT m.Id, m.Name, 1 - VECTOR_DISTANCE('cosine', m.Embedding, @q) AS similarity FROM Movie m WHERE similarity > 0.01 ORDER BY similarity DESC LIMIT 5
-- meant
SELECT TOP 5 m.Id, m.Name, 1 - VECTOR_DISTANCE('cosine', m.Embedding, @q) AS similarity FROM Movie AS m WHERE 1 - VECTOR_DISTANCE('cosine', m.Embedding, @q) > 0.01 ORDER BY similarity DESC

-- name: vector distance with three vectors of names
-- class: vectors
-- fresh: second
SELECT TOP 3 m.Id, m.Name FROM Movie m ORDER BY VECTOR_DISTANCE(cosine, m.Embedding, @q)
-- meant
SELECT TOP 3 m.Id, m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: array_cosine_similarity of DuckDB
-- class: vectors
-- fresh: second
SELECT m.Id, m.Name, array_cosine_similarity(m.embedding, @q) AS score FROM Movie m ORDER BY score DESC LIMIT 3
-- meant
SELECT TOP 3 m.Id, m.Name, 1 - VECTOR_DISTANCE('cosine', m.Embedding, @q) AS score FROM Movie AS m ORDER BY score DESC

-- name: array_cosine_distance of DuckDB
-- class: vectors
-- fresh: second
SELECT t.Name FROM Theme t ORDER BY array_cosine_distance(t.Embedding, @q::FLOAT[384]) LIMIT 2
-- meant
SELECT TOP 2 t.Name FROM Theme AS t ORDER BY VECTOR_DISTANCE('cosine', t.Embedding, @q)

-- name: vector.similarity.cosine of Neo4j
-- class: vectors
-- fresh: second
SELECT TOP 3 m.Name, vector.similarity.cosine(m.Embedding, @q) AS score FROM Movie m ORDER BY score DESC
-- meant
SELECT TOP 3 m.Name, 1 - VECTOR_DISTANCE('cosine', m.Embedding, @q) AS score FROM Movie AS m ORDER BY score DESC

-- name: named arguments of VECTOR_DISTANCE
-- class: vectors
-- fresh: second
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE(metric => 'cosine', m.Embedding, @q)
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: VECTOR_DISTANCE to the seed read by a subquery with a wrong column
-- class: vectors
-- fresh: second
SELECT TOP 3 m.Name FROM Movie m WHERE m.Name <> 'Dune' ORDER BY VECTOR_DISTANCE('cosine', m.Vector, (SELECT x.Vector FROM Movie x WHERE x.Name = 'Dune'))
-- meant
SELECT TOP 3 m.Name FROM Movie AS m WHERE m.Name <> 'Dune' ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, (SELECT x.Embedding FROM Movie AS x WHERE x.Name = 'Dune'))

-- name: query in braces
-- class: vectors
-- fresh: second
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, {{query_embedding}})
-- meant
SELECT TOP 3 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: ORDER BY a distance that is descending by mistake of naming
-- class: vectors
-- fresh: second
-- unfixable: A text cannot be compared with a vector; what it should be is not said.
SELECT TOP 3 m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, 'space rebels')

-- name: aggregate of an aggregate
-- class: aggregates
-- fresh: second
SELECT AVG(COUNT(*)) AS mean FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) GROUP BY g.Name
-- meant
SELECT AVG(x.n) AS mean FROM (SELECT COUNT(*) AS n FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) GROUP BY g.Name) AS x

-- name: max with its row by a subquery in HAVING
-- class: aggregates
-- fresh: second
-- unfixable: HAVING compares a row with its own group here; the newest film of all is only a guess.
SELECT m.Name, m.ReleaseYear FROM Movie m HAVING m.ReleaseYear = MAX(m.ReleaseYear)

-- name: newest film by MAX in WHERE
-- class: aggregates
-- fresh: second
SELECT m.Name FROM Movie m WHERE m.ReleaseYear = MAX(m.ReleaseYear)
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = (SELECT MAX(x.ReleaseYear) FROM Movie AS x)

-- name: COUNT with an alias in ORDER BY of a window
-- class: aggregates
-- fresh: second
SELECT g.Name, COUNT(*) AS n, RANK() OVER (ORDER BY n DESC) AS place FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) GROUP BY g.Name
-- meant
SELECT g.Name, COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) GROUP BY g.Name

-- name: percentage with a window over a count
-- class: aggregates
-- fresh: second
SELECT g.Name, ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (), 1) || '%' AS share FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) GROUP BY g.Name ORDER BY g.Name
-- meant
SELECT g.Name, CONCAT(ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (), 1), '%') AS share FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) GROUP BY g.Name ORDER BY g.Name

-- name: GROUP BY with an alias of an expression
-- class: aggregates
-- fresh: second
SELECT CONCAT(m.ReleaseYear / 10 * 10, 's') AS decade, COUNT(*) AS n FROM Movie m WHERE m.ReleaseYear IS NOT NULL GROUP BY decade ORDER BY decade
-- meant
SELECT CONCAT(m.ReleaseYear / 10 * 10, 's') AS decade, COUNT(*) AS n FROM Movie AS m WHERE m.ReleaseYear IS NOT NULL GROUP BY CONCAT(m.ReleaseYear / 10 * 10, 's') ORDER BY decade

-- name: selected column beside a CASE aggregate without a group
-- class: aggregates
-- fresh: second
SELECT t.Name, SUM(CASE WHEN m.ReleaseYear < 1990 THEN 1 ELSE 0 END) AS old FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) ORDER BY t.Name
-- meant
SELECT t.Name, SUM(CASE WHEN m.ReleaseYear < 1990 THEN 1 ELSE 0 END) AS old FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t WHERE MATCH(m-(e)->t) GROUP BY t.Name ORDER BY t.Name

-- name: TOP n per group by LIMIT BY
-- class: aggregates
-- fresh: second
SELECT m.ReleaseYear, m.Name FROM Movie m WHERE m.ReleaseYear IS NOT NULL ORDER BY m.ReleaseYear, m.Name, m.Id LIMIT 1 BY m.ReleaseYear
-- meant
WITH r AS (SELECT m.ReleaseYear, m.Name, ROW_NUMBER() OVER (PARTITION BY m.ReleaseYear ORDER BY m.ReleaseYear, m.Name, m.Id) AS Place FROM Movie AS m WHERE m.ReleaseYear IS NOT NULL) SELECT r.ReleaseYear, r.Name FROM r WHERE r.Place = 1 ORDER BY r.ReleaseYear

-- name: Oracle outer join sign
-- class: dialect
-- fresh: second
SELECT a.Name, b.Name AS Same FROM Movie a, Series b WHERE a.Name = b.Name(+) ORDER BY a.Id
-- meant
SELECT a.Name, b.Name AS Same FROM Movie AS a LEFT JOIN Series AS b ON a.Name = b.Name ORDER BY a.Id

-- name: IFF and ZEROIFNULL of Snowflake
-- class: dialect
-- fresh: second
SELECT m.Id, IFF(m.ReleaseYear > 1990, 'new', 'old') AS age, ZEROIFNULL(m.ReleaseYear) AS y FROM Movie m ORDER BY m.Id
-- meant
SELECT m.Id, IIF(m.ReleaseYear > 1990, 'new', 'old') AS age, ISNULL(m.ReleaseYear, 0) AS y FROM Movie AS m ORDER BY m.Id

-- name: date arithmetic of PostgreSQL for the last decades
-- class: dialect
-- fresh: second
SELECT m.Name FROM Movie m WHERE m.ReleaseYear >= date_part('year', now()) - 50 ORDER BY m.Id
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear >= YEAR(GETDATE()) - 50 ORDER BY m.Id

-- name: LIKE without case by LOWER and a backslash escape
-- class: dialect
-- fresh: second
SELECT m.Name FROM Movie m WHERE LOWER(m.Name) LIKE LOWER('100\%%') ESCAPE '\' OR m.Name ~~* 'dune'
-- meant
SELECT m.Name FROM Movie AS m WHERE LOWER(m.Name) LIKE LOWER('100\%%') ESCAPE '\' OR m.Name LIKE 'dune'

-- name: VALUES as the root with a limit in a join
-- class: dialect
-- fresh: second
SELECT v.column1 AS decade, COUNT(m.Id) AS films FROM (VALUES (1970), (1990)) v LEFT JOIN Movie m ON m.ReleaseYear BETWEEN v.column1 AND v.column1 + 9 GROUP BY v.column1 ORDER BY v.column1
-- meant
SELECT v.column1 AS decade, COUNT(m.Id) AS films FROM (VALUES (1970), (1990)) AS v(column1) LEFT JOIN Movie AS m ON m.ReleaseYear BETWEEN v.column1 AND v.column1 + 9 GROUP BY v.column1 ORDER BY v.column1

-- name: unnest of an array of titles
-- class: dialect
-- fresh: second
SELECT m.Id, m.Name FROM Movie m WHERE m.Name IN (SELECT unnest(ARRAY['Dune', 'Alien'])) ORDER BY m.Id
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE m.Name IN ('Dune', 'Alien') ORDER BY m.Id

-- name: row comparison
-- class: dialect
-- fresh: second
SELECT m.Id, m.Name FROM Movie m WHERE (m.Name, m.ReleaseYear) IN (('Dune', 2021), ('Alien', 1979))
-- meant
SELECT m.Id, m.Name FROM Movie AS m WHERE (m.Name = 'Dune' AND m.ReleaseYear = 2021) OR (m.Name = 'Alien' AND m.ReleaseYear = 1979)

-- name: FETCH NEXT with a percent and ties
-- class: dialect
-- fresh: second
-- unfixable: Rows that tie at the end cannot be kept at the root.
SELECT m.Name, m.ReleaseYear FROM Movie m ORDER BY m.ReleaseYear DESC FETCH FIRST 3 ROWS WITH TIES

-- name: CTE with a limit, booleans and a cast
-- class: dialect
-- fresh: second
WITH modern AS (SELECT m.id, m.title, m.year >= 1990 AS is_new FROM movies m ORDER BY m.year DESC NULLS LAST LIMIT 6) SELECT title FROM modern WHERE is_new = TRUE ORDER BY title, id
-- meant
WITH modern AS (SELECT TOP 6 m.Id, m.Name AS title, CASE WHEN m.ReleaseYear >= 1990 THEN 1 WHEN NOT (m.ReleaseYear >= 1990) THEN 0 END AS is_new FROM Movie AS m ORDER BY m.ReleaseYear DESC) SELECT title FROM modern WHERE is_new = 1 ORDER BY title, id

-- name: natural join habits with USING over three tables
-- class: dialect
-- fresh: second
-- unfixable: A natural join takes every column of the same name, which compares texts and keys.
SELECT m.Name, s.Name AS Series FROM Movie m NATURAL JOIN Series s

-- name: WITH ORDINALITY and string_to_array
-- class: dialect
-- fresh: second
-- unfixable: What the position is for is not said.
SELECT w.value FROM string_split('space,desert,swamp', ',') WITH ORDINALITY AS w

-- name: themes of a film by relational joins and a group list
-- class: names
-- fresh: second
SELECT f.title, GROUP_CONCAT(th.name, ', ') AS themes
FROM films f
INNER JOIN film_themes ft ON ft.film_id = f.id
INNER JOIN themes th ON th.id = ft.theme_id
WHERE f.release_year > 1970
GROUP BY f.id, f.title
ORDER BY f.title, f.id
LIMIT 10
-- meant
SELECT TOP 10 f.Name, STRING_AGG(th.Name, ', ') AS themes FROM Movie AS f INNER JOIN INCLUDES_THEME AS ft ON ft.$from_id = f.$node_id INNER JOIN Theme AS th ON th.$node_id = ft.$to_id WHERE f.ReleaseYear > 1970 GROUP BY f.Id, f.Name ORDER BY f.Name, f.Id

-- name: exclusion by NOT IN over a relational join
-- class: names
-- fresh: second
SELECT m.title FROM movie m WHERE m.id NOT IN (SELECT ps.movie_id FROM part_of_series ps JOIN series s ON s.id = ps.series_id WHERE s.name = 'Star Wars') ORDER BY m.id
-- meant
SELECT m.Name FROM Movie AS m WHERE m.$node_id NOT IN (SELECT ps.$from_id FROM PART_OF_SERIES AS ps JOIN Series AS s ON s.$node_id = ps.$to_id WHERE s.Name = 'Star Wars') ORDER BY m.Id

-- name: meaning and genre with several slips
-- class: vectors
-- fresh: second
SELECT m.Id m.Title, VECTOR_DISTANCE(m.Embedding, @query_embedding, 'cosine') AS dist
FROM Movies AS m, IN_GENRE AS ig, Genre AS g
WHERE MATCH(g<-(ig)-m) AND g.Name = "Science Fiction"
ORDER BY dist LIMIT 3;
-- meant
SELECT TOP 3 m.Id, m.Name, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS dist FROM Movie AS m, IN_GENRE AS ig, Genre AS g WHERE MATCH(g<-(ig)-m) AND g.Name = 'Science Fiction' ORDER BY dist

-- name: words, decade and a wrong edge alias
-- class: fulltext
-- fresh: second
SELECT m.Id, m.Name FROM Movie m, SET_IN si, Setting s WHERE MATCH(m-(s1)->s) AND s.Name = 'Desert Planet' AND CONTAINS(m.Content, 'farm boy' OR 'noble family') AND m.ReleaseYear BETWEEN 1970 TO 2025
-- meant
SELECT m.Id, m.Name FROM Movie AS m, SET_IN AS si, Setting AS s WHERE MATCH(m-(si)->s) AND s.Name = 'Desert Planet' AND CONTAINS(m.Content, '"farm boy" OR "noble family"') AND m.ReleaseYear BETWEEN 1970 AND 2025

-- name: sequels by lower case join
-- class: names
-- fresh: third
select m.title, m.release_year from movies m join part_of_series ps on ps.movie_id = m.movie_id join series s on s.series_id = ps.series_id where s.title = 'Star Wars' order by m.release_year limit 10
-- meant
SELECT TOP 10 m.Name, m.ReleaseYear FROM Movie AS m JOIN PART_OF_SERIES AS ps ON ps.$from_id = m.$node_id JOIN Series AS s ON s.$node_id = ps.$to_id WHERE s.Name = 'Star Wars' ORDER BY m.ReleaseYear

-- name: exclude by left join on key
-- class: graph
-- fresh: third
SELECT m.Name FROM Movie m LEFT JOIN PART_OF_SERIES p ON p.MovieId = m.Id WHERE p.MovieId IS NULL ORDER BY m.Id
-- meant
SELECT m.Name FROM Movie AS m LEFT JOIN PART_OF_SERIES AS p ON p.$from_id = m.$node_id WHERE p.$from_id IS NULL ORDER BY m.Id

-- name: arrow per hop with table labels
-- class: graph
-- fresh: third
SELECT m2.Name FROM Movie m1, INCLUDES_THEME t1, Theme th, INCLUDES_THEME t2, Movie m2 WHERE MATCH(m1-(t1)->th-(t2)->m2) AND m1.Name = 'Dune' AND m2.Name <> 'Dune'
-- meant
SELECT m2.Name FROM Movie AS m1, INCLUDES_THEME AS t1, Theme AS th, INCLUDES_THEME AS t2, Movie AS m2 WHERE MATCH(m1-(t1)->th<-(t2)-m2) AND m1.Name = 'Dune' AND m2.Name <> 'Dune'

-- name: decade label
-- class: dialect
-- fresh: third
SELECT CONCAT(FLOOR(m.ReleaseYear / 10) * 10, 's') AS decade, COUNT(*) AS n FROM Movie m WHERE m.ReleaseYear IS NOT NULL GROUP BY 1 ORDER BY 1 LIMIT 3
-- meant
SELECT TOP 3 CONCAT(FLOOR(m.ReleaseYear / 10) * 10, 's') AS decade, COUNT(*) AS n FROM Movie AS m WHERE m.ReleaseYear IS NOT NULL GROUP BY CONCAT(FLOOR(m.ReleaseYear / 10) * 10, 's') ORDER BY 1

-- name: nearest films to a named one in a CTE
-- class: vectors
-- fresh: third
WITH target AS (SELECT embedding FROM movies WHERE title = 'Dune') SELECT m.title, 1 - (m.embedding <=> t.embedding) AS similarity FROM movies m, target t WHERE m.title != 'Dune' ORDER BY similarity DESC LIMIT 3
-- meant
WITH target AS (SELECT Embedding FROM Movie WHERE Name = 'Dune') SELECT TOP 3 m.Name, 1 - VECTOR_DISTANCE('cosine', m.Embedding, t.Embedding) AS similarity FROM Movie AS m, target AS t WHERE m.Name <> 'Dune' ORDER BY similarity DESC

-- name: FREETEXTTABLE with alias columns and a score
-- class: fulltext
-- fresh: third
SELECT TOP 5 m.Name, ft.RANK FROM Movie m INNER JOIN FREETEXTTABLE(Movie, (m.Name, m.Content), 'desert rebels') ft ON ft.KEY = m.Id ORDER BY ft.RANK DESC, m.Id
-- meant
SELECT TOP 5 m.Name, ft.[RANK] FROM Movie AS m INNER JOIN FREETEXTTABLE(Movie, (Name, Content), 'desert rebels') AS ft ON ft.[KEY] = m.Id ORDER BY ft.[RANK] DESC, m.Id

-- name: CTE counts without group by
-- class: aggregates
-- fresh: third
WITH counts AS (SELECT g.Name AS Genre, COUNT(*) AS n FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) ORDER BY n DESC) SELECT Genre, n FROM counts WHERE n >= 1
-- meant
WITH counts AS (SELECT g.Name AS Genre, COUNT(*) AS n FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) GROUP BY g.Name) SELECT Genre, n FROM counts WHERE n >= 1

-- name: HAVING alias and count star with distinct
-- class: aggregates
-- fresh: third
SELECT m.Name, COUNT(DISTINCT t.Id) theme_count FROM Movie m, INCLUDES_THEME it, Theme t WHERE MATCH(m-(it)->t) GROUP BY m.Name HAVING theme_count >= 2 ORDER BY theme_count DESC
-- meant
SELECT m.Name, COUNT(DISTINCT t.Id) AS theme_count FROM Movie AS m, INCLUDES_THEME AS it, Theme AS t WHERE MATCH(m-(it)->t) GROUP BY m.Name HAVING COUNT(DISTINCT t.Id) >= 2 ORDER BY theme_count DESC

-- name: semicolon and a comment in the middle
-- class: syntax
-- fresh: third
SELECT m.Name; -- titles
FROM Movie AS m WHERE m.ReleaseYear = 1999
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = 1999

-- name: LIKE without quotes
-- class: syntax
-- fresh: third
SELECT m.Name FROM Movie AS m WHERE m.Name LIKE %star%
-- meant
SELECT m.Name FROM Movie AS m WHERE m.Name LIKE '%star%'

-- name: missing FROM keyword
-- class: syntax
-- fresh: third
SELECT m.Name Movie AS m WHERE m.ReleaseYear = 1999
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = 1999

-- name: text compared without quotes
-- class: syntax
-- fresh: third
SELECT m.ReleaseYear FROM Movie AS m WHERE m.Name = Dune
-- meant
SELECT m.ReleaseYear FROM Movie AS m WHERE m.Name = 'Dune'

-- name: greater or equal written apart
-- class: syntax
-- fresh: third
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear > = 1999
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear >= 1999

-- name: INNER JOIN with WHERE for ON
-- class: syntax
-- fresh: third
SELECT a.Name FROM Movie a INNER JOIN Series s WHERE a.Name = s.Name
-- meant
SELECT a.Name FROM Movie AS a INNER JOIN Series AS s ON a.Name = s.Name

-- name: TO_CHAR and concat of Oracle
-- class: dialect
-- fresh: third
SELECT m.Name || ' - ' || NVL(TO_CHAR(m.ReleaseYear), 'unknown') AS label FROM Movie m ORDER BY m.Id FETCH NEXT 5 ROWS ONLY
-- meant
SELECT TOP 5 m.Name + ' - ' + ISNULL(CAST(m.ReleaseYear AS NVARCHAR(30)), 'unknown') AS label FROM Movie AS m ORDER BY m.Id

-- name: BigQuery names and SAFE_CAST
-- class: dialect
-- fresh: third
SELECT m.Name, SAFE_CAST(m.ReleaseYear AS STRING) AS y FROM `project.dataset.Movie` AS m WHERE STARTS_WITH(m.Name, 'A') ORDER BY m.Id
-- meant
SELECT m.Name, TRY_CAST(m.ReleaseYear AS NVARCHAR(MAX)) AS y FROM Movie AS m WHERE m.Name LIKE 'A%' ORDER BY m.Id

-- name: ILIKE ANY and array literal
-- class: dialect
-- fresh: third
SELECT m.Name FROM Movie m WHERE m.Name ILIKE ANY(ARRAY['%alien%', '%wolf%']) AND m.ReleaseYear IS NOT NULL ORDER BY m.ReleaseYear NULLS LAST
-- meant
SELECT m.Name FROM Movie AS m WHERE (m.Name LIKE '%alien%' OR m.Name LIKE '%wolf%') AND m.ReleaseYear IS NOT NULL ORDER BY m.ReleaseYear

-- name: generated ranking with limit per genre
-- class: aggregates
-- fresh: third
SELECT g.Name, m.Name AS Film, ROW_NUMBER() OVER (PARTITION BY g.Id ORDER BY m.ReleaseYear DESC, m.Id) AS rn FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND rn <= 2 ORDER BY g.Name, rn
-- meant
SELECT x.Name, x.Film, x.rn FROM (SELECT g.Name, m.Name AS Film, ROW_NUMBER() OVER (PARTITION BY g.Id ORDER BY m.ReleaseYear DESC, m.Id) AS rn FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g)) AS x WHERE x.rn <= 2 ORDER BY x.Name, x.rn

-- name: Cypher with a variable length
-- class: graph
-- fresh: third
MATCH (m:Movie)-[:SET_IN]->(s:Setting {Name: 'Desert Planet'}), (m)-[:IN_GENRE]->(g:Genre) RETURN m.Name AS film, g.Name AS genre ORDER BY film
-- meant
SELECT m.Name AS film, g.Name AS genre FROM Movie AS m, SET_IN AS e, Setting AS s, IN_GENRE AS f, Genre AS g WHERE MATCH(m-(e)->s AND m-(f)->g) AND s.Name = 'Desert Planet' ORDER BY film

-- name: character of a film by a wrong table of the edge
-- class: names
-- fresh: third
SELECT c.CharacterName FROM Movie m, HAS_CHARACTERS h, Characters c WHERE MATCH(m-(h)->c) AND m.MovieTitle = 'Alien'
-- meant
SELECT c.Name FROM Movie AS m, FEATURES_CHARACTER AS h, Character AS c WHERE MATCH(m-(h)->c) AND m.Name = 'Alien'

-- name: subquery in FROM with limit and no alias
-- class: dialect
-- fresh: third
SELECT AVG(ReleaseYear) FROM (SELECT ReleaseYear FROM Movie WHERE ReleaseYear IS NOT NULL ORDER BY ReleaseYear DESC LIMIT 3)
-- meant
SELECT AVG(x.ReleaseYear) FROM (SELECT TOP 3 ReleaseYear FROM Movie WHERE ReleaseYear IS NOT NULL ORDER BY ReleaseYear DESC) AS x

-- name: cosine through a function with the query text
-- class: vectors
-- fresh: third
SELECT TOP 3 m.Id, m.Name, VECTOR_DISTANCE('cosine', m.Embedding, @query_embedding) AS Distance FROM dbo.Movies m WITH (NOLOCK) ORDER BY Distance ASC;
-- meant
SELECT TOP 3 m.Id, m.Name, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS Distance FROM Movie AS m ORDER BY Distance ASC

-- name: vector search by order of euclid
-- class: vectors
-- fresh: third
SELECT m.Name FROM Movie m WHERE m.ReleaseYear > 1978 ORDER BY L2_DISTANCE(m.Embedding, @q) LIMIT 2
-- meant
SELECT TOP 2 m.Name FROM Movie AS m WHERE m.ReleaseYear > 1978 ORDER BY VECTOR_DISTANCE('euclidean', m.Embedding, @q)

-- name: five newest with LIMIT
-- class: dialect
-- fresh: fourth
SELECT Name, ReleaseYear FROM Movie WHERE ReleaseYear IS NOT NULL ORDER BY ReleaseYear DESC, Name LIMIT 5;
-- meant
SELECT TOP 5 Name, ReleaseYear FROM Movie WHERE ReleaseYear IS NOT NULL ORDER BY ReleaseYear DESC, Name

-- name: ILIKE with LIMIT
-- class: dialect
-- fresh: fourth
SELECT m.Name FROM Movie m WHERE m.Name ILIKE '%star%' ORDER BY m.Name LIMIT 10
-- meant
SELECT TOP 10 m.Name FROM Movie m WHERE m.Name LIKE '%star%' ORDER BY m.Name

-- name: title and release_year
-- class: names
-- fresh: fourth
SELECT title, release_year FROM movies WHERE release_year > 1990 ORDER BY release_year, title
-- meant
SELECT Name, ReleaseYear FROM Movie WHERE ReleaseYear > 1990 ORDER BY ReleaseYear, Name

-- name: Cypher of a genre
-- class: graph
-- fresh: fourth
MATCH (m:Movie)-[:IN_GENRE]->(g:Genre) WHERE g.name = 'Science Fiction' RETURN m.name, m.releaseYear ORDER BY m.releaseYear LIMIT 10
-- meant
SELECT TOP 10 m.Name, m.ReleaseYear FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) AND g.Name = 'Science Fiction' ORDER BY m.ReleaseYear

-- name: pgvector operator
-- class: vectors
-- fresh: fourth
SELECT Id, Name FROM Movie ORDER BY Embedding <=> @q LIMIT 10
-- meant
SELECT TOP 10 Id, Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- name: GROUP BY is missing beside COUNT
-- class: aggregates
-- fresh: fourth
SELECT g.Name, COUNT(*) AS Films FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) ORDER BY Films DESC
-- meant
SELECT g.Name, COUNT(*) AS Films FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) GROUP BY g.Name ORDER BY Films DESC

-- name: comma before FROM
-- class: syntax
-- fresh: fourth
SELECT m.Id, m.Name, m.ReleaseYear, FROM Movie AS m WHERE m.ReleaseYear = 1999
-- meant
SELECT m.Id, m.Name, m.ReleaseYear FROM Movie AS m WHERE m.ReleaseYear = 1999

-- name: CONTAINS of a phrase without quotes
-- class: fulltext
-- fresh: fourth
SELECT m.Id, m.Name FROM Movie m WHERE CONTAINS(m.Content, 'desert planet')
-- meant
SELECT m.Id, m.Name FROM Movie m WHERE CONTAINS(m.Content, '"desert planet"')

-- name: joins over node ids
-- class: graph
-- fresh: fourth
SELECT m.Name FROM Movie m JOIN IN_GENRE i ON i.MovieId = m.Id JOIN Genre g ON i.GenreId = g.Id WHERE g.Name = 'Drama'
-- meant
SELECT m.Name FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) AND g.Name = 'Drama'

-- name: to_tsvector
-- class: fulltext
-- fresh: fourth
SELECT Name FROM Movie WHERE to_tsvector('english', Content) @@ to_tsquery('english', 'desert & planet')
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, 'desert AND planet')

-- name: a doubled AND again
-- class: syntax
-- fresh: fourth
SELECT Id, Name FROM Movie WHERE ReleaseYear > 1980 AND AND ReleaseYear < 1990
-- meant
SELECT Id, Name FROM Movie WHERE ReleaseYear > 1980 AND ReleaseYear < 1990

-- name: a CTE without comma between two
-- class: syntax
-- fresh: fourth
WITH a AS (SELECT Id, Name FROM Movie WHERE ReleaseYear < 1980) b AS (SELECT Id FROM Movie WHERE ReleaseYear > 1970) SELECT a.Name FROM a JOIN b ON a.Id = b.Id
-- meant
WITH a AS (SELECT Id, Name FROM Movie WHERE ReleaseYear < 1980), b AS (SELECT Id FROM Movie WHERE ReleaseYear > 1970) SELECT a.Name FROM a JOIN b ON a.Id = b.Id

-- name: SELECT AS ROW count without alias in HAVING
-- class: aggregates
-- fresh: fourth
SELECT g.Name, COUNT(m.Id) AS cnt FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) GROUP BY g.Name HAVING cnt > 2 ORDER BY cnt DESC
-- meant
SELECT g.Name, COUNT(m.Id) AS cnt FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) GROUP BY g.Name HAVING COUNT(m.Id) > 2 ORDER BY cnt DESC

-- name: snake case columns with aliases
-- class: names
-- fresh: fourth
SELECT m.movie_name, m.release_date FROM Movie m WHERE m.movie_name LIKE 'The %'
-- meant
SELECT m.Name, m.ReleaseYear FROM Movie m WHERE m.Name LIKE 'The %'

-- name: double-quoted literal
-- class: dialect
-- fresh: fourth
SELECT Id, Name FROM Movie WHERE Name = "Blade Runner"
-- meant
SELECT Id, Name FROM Movie WHERE Name = 'Blade Runner'

-- name: concatenation by pipes
-- class: dialect
-- fresh: fourth
SELECT m.Name || ' (' || m.ReleaseYear || ')' AS label FROM Movie m WHERE m.ReleaseYear = 1979
-- meant
SELECT CONCAT(m.Name, ' (', m.ReleaseYear, ')') AS label FROM Movie m WHERE m.ReleaseYear = 1979

-- name: arrow against the edge
-- class: graph
-- fresh: fourth
SELECT m.Name FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(t-(e)->m) AND t.Name = 'Rebellion'
-- meant
SELECT m.Name FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) AND t.Name = 'Rebellion'

-- name: cosine similarity descending
-- class: vectors
-- fresh: fourth
SELECT TOP 10 m.Name, COSINE_SIMILARITY(m.Embedding, @q) AS score FROM Movie m ORDER BY score DESC
-- meant
SELECT TOP 10 m.Name, 1 - VECTOR_DISTANCE('cosine', m.Embedding, @q) AS score FROM Movie m ORDER BY score DESC

-- name: VECTOR_DISTANCE without a metric
-- class: vectors
-- fresh: fourth
SELECT TOP 10 m.Id, m.Name, VECTOR_DISTANCE(m.Embedding, @q) AS dist FROM Movie m ORDER BY dist
-- meant
SELECT TOP 10 m.Id, m.Name, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS dist FROM Movie m ORDER BY dist

-- name: selecting the embedding
-- class: vectors
-- fresh: fourth
SELECT TOP 5 m.Id, m.Name, m.Embedding FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)
-- meant
SELECT TOP 5 m.Id, m.Name FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)

-- name: markdown fence
-- class: syntax
-- fresh: fourth
```sql
SELECT TOP 10 Name FROM Movie ORDER BY ReleaseYear
```
-- meant
SELECT TOP 10 Name FROM Movie ORDER BY ReleaseYear

-- name: FORM for FROM
-- class: syntax
-- fresh: fourth
SELECT Name FORM Movie WHERE ReleaseYear = 1977
-- meant
SELECT Name FROM Movie WHERE ReleaseYear = 1977

-- name: SELCT lower case
-- class: syntax
-- fresh: fourth
selct name, releaseyear from movie where releaseyear between 1970 and 1979
-- meant
SELECT Name, ReleaseYear FROM Movie WHERE ReleaseYear BETWEEN 1970 AND 1979

-- name: missing parenthesis of COUNT
-- class: syntax
-- fresh: fourth
SELECT COUNT(* FROM Movie WHERE ReleaseYear >= 2000
-- meant
SELECT COUNT(*) FROM Movie WHERE ReleaseYear >= 2000

-- name: unclosed string
-- class: syntax
-- fresh: fourth
SELECT Id, Name FROM Movie WHERE Name = 'Alien
-- meant
SELECT Id, Name FROM Movie WHERE Name = 'Alien'

-- name: apostrophe inside a string
-- class: syntax
-- fresh: fourth
SELECT Id, Name FROM Movie WHERE Name LIKE '%Philosopher's Stone%'
-- meant
SELECT Id, Name FROM Movie WHERE Name LIKE '%Philosopher''s Stone%'

-- name: edge not in FROM
-- class: graph
-- fresh: fourth
SELECT m.Name, t.Name FROM Movie m, Theme t WHERE MATCH(m-(INCLUDES_THEME)->t) AND m.Name = 'Alien'
-- meant
SELECT m.Name, t.Name FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) AND m.Name = 'Alien'

-- name: edge used twice
-- class: graph
-- fresh: fourth
SELECT n.Name, COUNT(*) AS shared FROM Movie m, INCLUDES_THEME e, Theme t, Movie n WHERE MATCH(m-(e)->t<-(e)-n) AND m.Name = 'Alien' AND n.Id <> m.Id GROUP BY n.Name
-- meant
SELECT n.Name, COUNT(*) AS shared FROM Movie m, INCLUDES_THEME e, Theme t, INCLUDES_THEME e2, Movie n WHERE MATCH(m-(e)->t<-(e2)-n) AND m.Name = 'Alien' AND n.Id <> m.Id GROUP BY n.Name

-- name: table genres and movie_genres
-- class: names
-- fresh: fourth
SELECT g.name, COUNT(*) AS n FROM genres g JOIN movie_genres mg ON mg.genre_id = g.id GROUP BY g.name ORDER BY n DESC
-- meant
SELECT g.Name, COUNT(*) AS n FROM Genre g, IN_GENRE mg, Movie m WHERE MATCH(m-(mg)->g) GROUP BY g.Name ORDER BY n DESC

-- name: EXTRACT of now
-- class: dialect
-- fresh: fourth
SELECT Name FROM Movie WHERE ReleaseYear >= EXTRACT(YEAR FROM CURRENT_DATE) - 10
-- meant
SELECT Name FROM Movie WHERE ReleaseYear >= YEAR(GETDATE()) - 10

-- name: cast with colons
-- class: dialect
-- fresh: fourth
SELECT Name, (ReleaseYear / 10)::int * 10 AS decade FROM Movie WHERE ReleaseYear IS NOT NULL
-- meant
SELECT Name, CAST((ReleaseYear / 10) AS INT) * 10 AS decade FROM Movie WHERE ReleaseYear IS NOT NULL

-- name: string_agg with order inside
-- class: dialect
-- fresh: fourth
SELECT m.Name, STRING_AGG(g.Name, ', ' ORDER BY g.Name) AS genres FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) GROUP BY m.Name
-- meant
SELECT m.Name, STRING_AGG(g.Name, ', ') WITHIN GROUP (ORDER BY g.Name) AS genres FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) GROUP BY m.Name

-- name: group_concat
-- class: dialect
-- fresh: fourth
SELECT m.Name, GROUP_CONCAT(t.Name SEPARATOR ', ') AS themes FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY m.Name
-- meant
SELECT m.Name, STRING_AGG(t.Name, ', ') AS themes FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY m.Name

-- name: IFNULL and LENGTH
-- class: dialect
-- fresh: fourth
SELECT Name, IFNULL(ReleaseYear, 0) AS y, LENGTH(Content) AS len FROM Movie
-- meant
SELECT Name, ISNULL(ReleaseYear, 0) AS y, LEN(Content) AS len FROM Movie

-- name: SUBSTR and POSITION
-- class: dialect
-- fresh: fourth
SELECT SUBSTR(Name, 1, 3) AS pre FROM Movie WHERE POSITION('the' IN LOWER(Content)) > 0
-- meant
SELECT SUBSTRING(Name, 1, 3) AS pre FROM Movie WHERE CHARINDEX('the', LOWER(Content)) > 0

-- name: ORDER BY inside a CTE
-- class: aggregates
-- fresh: fourth
WITH films AS (SELECT Id, Name, ReleaseYear FROM Movie WHERE ReleaseYear > 1990 ORDER BY ReleaseYear) SELECT Name FROM films ORDER BY Name
-- meant
WITH films AS (SELECT Id, Name, ReleaseYear FROM Movie WHERE ReleaseYear > 1990) SELECT Name FROM films ORDER BY Name

-- name: a WHERE on an aggregate
-- class: aggregates
-- fresh: fourth
SELECT m.Name, COUNT(*) AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) AND COUNT(*) > 2 GROUP BY m.Name
-- meant
SELECT m.Name, COUNT(*) AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY m.Name HAVING COUNT(*) > 2

-- name: group by alias
-- class: aggregates
-- fresh: fourth
SELECT ReleaseYear / 10 * 10 AS decade, COUNT(*) AS n FROM Movie WHERE ReleaseYear IS NOT NULL GROUP BY decade ORDER BY decade
-- meant
SELECT ReleaseYear / 10 * 10 AS decade, COUNT(*) AS n FROM Movie WHERE ReleaseYear IS NOT NULL GROUP BY ReleaseYear / 10 * 10 ORDER BY decade

-- name: group by ordinal
-- class: aggregates
-- fresh: fourth
SELECT s.Name, COUNT(*) FROM Movie m, SET_IN i, Setting s WHERE MATCH(m-(i)->s) GROUP BY 1 ORDER BY 2 DESC
-- meant
SELECT s.Name, COUNT(*) FROM Movie m, SET_IN i, Setting s WHERE MATCH(m-(i)->s) GROUP BY s.Name ORDER BY 2 DESC

-- name: grouped by too little
-- class: aggregates
-- fresh: fourth
SELECT m.Id, m.Name, m.ReleaseYear, COUNT(*) AS themes FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY m.Id ORDER BY themes DESC
-- meant
SELECT m.Id, m.Name, m.ReleaseYear, COUNT(*) AS themes FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY m.Id, m.Name, m.ReleaseYear ORDER BY themes DESC

-- name: alias in WHERE again
-- class: aggregates
-- fresh: fourth
SELECT Name, ReleaseYear / 10 * 10 AS decade FROM Movie WHERE decade = 1980
-- meant
SELECT Name, ReleaseYear / 10 * 10 AS decade FROM Movie WHERE ReleaseYear / 10 * 10 = 1980

-- name: two words by AND without quotes
-- class: fulltext
-- fresh: fourth
SELECT Name FROM Movie WHERE CONTAINS(Content, 'time travel AND love story')
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, '"time travel" AND "love story"')

-- name: MATCH AGAINST
-- class: fulltext
-- fresh: fourth
SELECT Id, Name FROM Movie WHERE MATCH(Content) AGAINST ('robot' IN NATURAL LANGUAGE MODE)
-- meant
SELECT Id, Name FROM Movie WHERE FREETEXT(Content, 'robot')

-- name: prefix star without quotes
-- class: fulltext
-- fresh: fourth
SELECT Id, Name FROM Movie WHERE CONTAINS(Content, 'robot*')
-- meant
SELECT Id, Name FROM Movie WHERE CONTAINS(Content, '"robot*"')

-- name: OR NOT in a search
-- class: fulltext
-- fresh: fourth
SELECT Id, Name FROM Movie WHERE CONTAINS(Content, '"war" NOT "space"')
-- meant
SELECT Id, Name FROM Movie WHERE CONTAINS(Content, '"war" AND NOT "space"')

-- name: CONTAINS with an unquoted column list
-- class: fulltext
-- fresh: fourth
SELECT Id, Name FROM Movie WHERE CONTAINS(Name, Content, 'dragon')
-- meant
SELECT Id, Name FROM Movie WHERE CONTAINS((Name, Content), 'dragon')

-- name: CONTAINS double quoted outside
-- class: fulltext
-- fresh: fourth
SELECT Id, Name FROM Movie WHERE CONTAINS(Content, "space battle")
-- meant
SELECT Id, Name FROM Movie WHERE CONTAINS(Content, '"space battle"')

-- name: CONTAINSTABLE joined to a wrong key
-- class: fulltext
-- fresh: fourth
SELECT TOP 10 m.Name, k.RANK FROM Movie m JOIN CONTAINSTABLE(Movie, Content, 'robot') k ON m.Id = k.Id ORDER BY k.RANK DESC
-- meant
SELECT TOP 10 m.Name, k.RANK FROM Movie m JOIN CONTAINSTABLE(Movie, Content, 'robot') k ON m.Id = k.[KEY] ORDER BY k.RANK DESC

-- name: CONTAINSTABLE key in bare word
-- class: fulltext
-- fresh: fourth
SELECT TOP 10 m.Name, ft.RANK FROM CONTAINSTABLE(Movie, Content, 'war') ft JOIN Movie m ON m.Id = ft.KEY ORDER BY ft.RANK DESC
-- meant
SELECT TOP 10 m.Name, ft.RANK FROM CONTAINSTABLE(Movie, Content, 'war') ft JOIN Movie m ON m.Id = ft.[KEY] ORDER BY ft.RANK DESC

-- name: wrong alias of a column
-- class: names
-- fresh: fourth
SELECT movie.Name FROM Movie m WHERE m.ReleaseYear = 1999
-- meant
SELECT m.Name FROM Movie m WHERE m.ReleaseYear = 1999

-- name: alias never declared
-- class: names
-- fresh: fourth
SELECT m.Name, m.ReleaseYear FROM Movie WHERE m.ReleaseYear > 2000
-- meant
SELECT Name, ReleaseYear FROM Movie WHERE ReleaseYear > 2000

-- name: plural and lower tables
-- class: names
-- fresh: fourth
SELECT c.Name FROM Characters c WHERE c.Description LIKE '%pirate%'
-- meant
SELECT c.Name FROM Character c WHERE c.Content LIKE '%pirate%'

-- name: plot for Content
-- class: names
-- fresh: fourth
SELECT Name, Plot FROM Movie WHERE Plot LIKE '%robot%'
-- meant
SELECT Name, Content FROM Movie WHERE Content LIKE '%robot%'

-- name: edge named HAS_THEME
-- class: names
-- fresh: fourth
SELECT m.Name FROM Movie m, HAS_THEME h, Theme t WHERE MATCH(m-(h)->t) AND t.Name = 'Time Travel'
-- meant
SELECT m.Name FROM Movie m, INCLUDES_THEME h, Theme t WHERE MATCH(m-(h)->t) AND t.Name = 'Time Travel'

-- name: edge named BELONGS_TO
-- class: names
-- fresh: fourth
SELECT m.Name FROM Movie m, BELONGS_TO_SERIES p, Series s WHERE MATCH(m-(p)->s) AND s.Name = 'Star Wars'
-- meant
SELECT m.Name FROM Movie m, PART_OF_SERIES p, Series s WHERE MATCH(m-(p)->s) AND s.Name = 'Star Wars'

-- name: Film for Movie
-- class: names
-- fresh: fourth
SELECT f.Title, f.Year FROM Film f WHERE f.Year BETWEEN 1980 AND 1989
-- meant
SELECT f.Name, f.ReleaseYear FROM Movie f WHERE f.ReleaseYear BETWEEN 1980 AND 1989

-- name: ambiguous Name over two tables
-- class: names
-- fresh: fourth
-- unfixable: which Name is to be listed is not said
SELECT Name FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) AND Genre.Name = 'Horror'

-- name: director asked
-- class: names
-- fresh: fourth
-- unfixable: the graph holds no directors
SELECT Name FROM Movie WHERE Director = 'Ridley Scott'

-- name: rating asked
-- class: names
-- fresh: fourth
-- unfixable: the graph holds no ratings
SELECT Name, Rating FROM Movie ORDER BY Rating DESC LIMIT 10

-- name: ReleseYear
-- class: names
-- fresh: fourth
SELECT Name FROM Movie WHERE ReleseYear = 1982
-- meant
SELECT Name FROM Movie WHERE ReleaseYear = 1982

-- name: NULL by equals
-- class: syntax
-- fresh: fourth
SELECT Name FROM Movie WHERE ReleaseYear == NULL
-- meant
SELECT Name FROM Movie WHERE ReleaseYear IS NULL

-- name: double equals
-- class: dialect
-- fresh: fourth
SELECT Name FROM Movie WHERE ReleaseYear == 1999
-- meant
SELECT Name FROM Movie WHERE ReleaseYear = 1999

-- name: missing comma in the list
-- class: syntax
-- fresh: fourth
SELECT m.Id m.Name, m.ReleaseYear FROM Movie m
-- meant
SELECT m.Id, m.Name, m.ReleaseYear FROM Movie m

-- name: missing AND
-- class: syntax
-- fresh: fourth
SELECT m.Name FROM Movie m WHERE m.ReleaseYear > 1990 m.Name LIKE 'A%'
-- meant
SELECT m.Name FROM Movie m WHERE m.ReleaseYear > 1990 AND m.Name LIKE 'A%'

-- name: missing BY
-- class: syntax
-- fresh: fourth
SELECT Name FROM Movie ORDER ReleaseYear DESC
-- meant
SELECT Name FROM Movie ORDER BY ReleaseYear DESC

-- name: GROUP without BY
-- class: syntax
-- fresh: fourth
SELECT ReleaseYear, COUNT(*) AS n FROM Movie GROUP ReleaseYear
-- meant
SELECT ReleaseYear, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear

-- name: an extra parenthesis at the end
-- class: syntax
-- fresh: fourth
SELECT Name FROM Movie WHERE Id IN (SELECT Id FROM Movie WHERE ReleaseYear = 1999))
-- meant
SELECT Name FROM Movie WHERE Id IN (SELECT Id FROM Movie WHERE ReleaseYear = 1999)

-- name: missing parenthesis at the end
-- class: syntax
-- fresh: fourth
SELECT Name FROM Movie WHERE (ReleaseYear = 1999 OR ReleaseYear = 2000
-- meant
SELECT Name FROM Movie WHERE (ReleaseYear = 1999 OR ReleaseYear = 2000)

-- name: WHERE before JOIN
-- class: syntax
-- fresh: fourth
SELECT a.Name FROM Movie a WHERE a.ReleaseYear = 1999 JOIN Movie b ON a.ReleaseYear = b.ReleaseYear
-- meant
SELECT a.Name FROM Movie a JOIN Movie b ON a.ReleaseYear = b.ReleaseYear WHERE a.ReleaseYear = 1999

-- name: TOP at the end again
-- class: syntax
-- fresh: fourth
SELECT Name FROM Movie ORDER BY ReleaseYear DESC TOP 5
-- meant
SELECT TOP 5 Name FROM Movie ORDER BY ReleaseYear DESC

-- name: ORDER BY before WHERE
-- class: syntax
-- fresh: fourth
SELECT TOP 5 Name FROM Movie ORDER BY ReleaseYear WHERE ReleaseYear > 1990
-- meant
SELECT TOP 5 Name FROM Movie WHERE ReleaseYear > 1990 ORDER BY ReleaseYear

-- name: curly quotes again
-- class: syntax
-- fresh: fourth
SELECT Name FROM Movie WHERE Name LIKE ‘%War%’
-- meant
SELECT Name FROM Movie WHERE Name LIKE '%War%'

-- name: prose before the statement
-- class: syntax
-- fresh: fourth
Here is the query you asked for:

SELECT TOP 10 m.Name FROM Movie AS m WHERE m.ReleaseYear = 1994 ORDER BY m.Name
-- meant
SELECT TOP 10 m.Name FROM Movie AS m WHERE m.ReleaseYear = 1994 ORDER BY m.Name

-- name: prose after the statement
-- class: syntax
-- fresh: fourth
SELECT TOP 10 m.Name FROM Movie AS m WHERE m.ReleaseYear = 1994 ORDER BY m.Name;

This query returns the films of 1994.
-- meant
SELECT TOP 10 m.Name FROM Movie AS m WHERE m.ReleaseYear = 1994 ORDER BY m.Name

-- name: GO and USE
-- class: syntax
-- fresh: fourth
USE MovieDB;
GO
SELECT TOP 3 Name FROM Movie ORDER BY Id;
GO
-- meant
SELECT TOP 3 Name FROM Movie ORDER BY Id

-- name: Cypher of shared themes
-- class: graph
-- fresh: fourth
MATCH (a:Movie {name: 'Alien'})-[:INCLUDES_THEME]->(t:Theme)<-[:INCLUDES_THEME]-(b:Movie) WHERE a <> b RETURN b.id, b.name, count(t) AS shared ORDER BY shared DESC, b.id LIMIT 10
-- meant
SELECT TOP 10 b.Id, b.Name, COUNT(t.Id) AS shared FROM Movie a, INCLUDES_THEME e1, Theme t, INCLUDES_THEME e2, Movie b WHERE MATCH(a-(e1)->t<-(e2)-b) AND a.Name = 'Alien' AND a.Id <> b.Id GROUP BY b.Id, b.Name ORDER BY shared DESC, b.Id

-- name: brackets of Cypher in MATCH
-- class: graph
-- fresh: fourth
SELECT m.Name FROM Movie m, SET_IN s, Setting p WHERE MATCH((m)-[s]->(p)) AND p.Name = 'Paris'
-- meant
SELECT m.Name FROM Movie m, SET_IN s, Setting p WHERE MATCH(m-(s)->p) AND p.Name = 'Paris'

-- name: MATCH in the FROM clause with JOIN
-- class: graph
-- fresh: fourth
SELECT m.Name, c.Name FROM Movie m JOIN FEATURES_CHARACTER f JOIN Character c ON MATCH(m-(f)->c) WHERE m.Name = 'Star Wars'
-- meant
SELECT m.Name, c.Name FROM Movie m, FEATURES_CHARACTER f, Character c WHERE MATCH(m-(f)->c) AND m.Name = 'Star Wars'

-- name: joined by from_id and to_id
-- class: graph
-- fresh: fourth
SELECT m.Name FROM Movie m JOIN SET_IN e ON m.node_id = e.from_id JOIN Setting s ON s.node_id = e.to_id WHERE s.Name = 'Desert Planet'
-- meant
SELECT m.Name FROM Movie m, SET_IN e, Setting s WHERE MATCH(m-(e)->s) AND s.Name = 'Desert Planet'

-- name: MATCH without WHERE
-- class: graph
-- fresh: fourth
SELECT m.Name, g.Name FROM Movie m, IN_GENRE i, Genre g MATCH(m-(i)->g) WHERE g.Name = 'Comedy'
-- meant
SELECT m.Name, g.Name FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) AND g.Name = 'Comedy'

-- name: MATCH under OR again
-- class: graph
-- fresh: fourth
SELECT DISTINCT m.Name FROM Movie m, IN_GENRE i, Genre g, SET_IN e, Setting s WHERE (MATCH(m-(i)->g) AND g.Name = 'Horror') OR (MATCH(m-(e)->s) AND s.Name = 'Desert Planet')
-- meant
SELECT DISTINCT m.Name FROM Movie m WHERE EXISTS (SELECT 1 FROM IN_GENRE i, Genre g WHERE i.$from_id = m.$node_id AND i.$to_id = g.$node_id AND g.Name = 'Horror') OR EXISTS (SELECT 1 FROM SET_IN e, Setting s WHERE e.$from_id = m.$node_id AND e.$to_id = s.$node_id AND s.Name = 'Desert Planet')

-- name: MATCH in NOT EXISTS with outer alias
-- class: graph
-- fresh: fourth
SELECT m.Name FROM Movie m WHERE NOT EXISTS (SELECT 1 FROM PART_OF_SERIES p, Series s WHERE MATCH(m-(p)->s) AND s.Name = 'Star Wars')
-- meant
SELECT m.Name FROM Movie m WHERE NOT EXISTS (SELECT 1 FROM PART_OF_SERIES p, Series s WHERE p.$from_id = m.$node_id AND p.$to_id = s.$node_id AND s.Name = 'Star Wars')

-- name: Genre as a column
-- class: graph
-- fresh: fourth
SELECT Name FROM Movie WHERE Genre = 'Horror'
-- meant
SELECT m.Name FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) AND g.Name = 'Horror'

-- name: SHORTEST_PATH without FOR PATH again
-- class: graph
-- fresh: fourth
SELECT m.Name, LAST_VALUE(n.Name) WITHIN GROUP (GRAPH PATH) AS other FROM Movie m, INCLUDES_THEME e FOR PATH, Theme t FOR PATH, INCLUDES_THEME e2 FOR PATH, Movie n WHERE MATCH(SHORTEST_PATH(m(-(e)->t<-(e2)-n)+)) AND m.Name = 'Alien'
-- meant
SELECT m.Name, LAST_VALUE(n.Name) WITHIN GROUP (GRAPH PATH) AS other FROM Movie m, INCLUDES_THEME FOR PATH e, Theme FOR PATH t, INCLUDES_THEME FOR PATH e2, Movie FOR PATH n WHERE MATCH(SHORTEST_PATH(m(-(e)->t<-(e2)-n)+)) AND m.Name = 'Alien'

-- name: question mark parameter
-- class: vectors
-- fresh: fourth
SELECT TOP 10 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, ?)
-- meant
SELECT TOP 10 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- name: query_embedding parameter
-- class: vectors
-- fresh: fourth
SELECT TOP 10 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @query_embedding)
-- meant
SELECT TOP 10 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- name: colon parameter with pgvector
-- class: vectors
-- fresh: fourth
SELECT name, 1 - (embedding <=> :query_vector) AS similarity FROM movie ORDER BY similarity DESC LIMIT 5
-- meant
SELECT TOP 5 Name, 1 - VECTOR_DISTANCE('cosine', Embedding, @q) AS similarity FROM Movie ORDER BY similarity DESC

-- name: metric last again
-- class: vectors
-- fresh: fourth
SELECT TOP 10 Name FROM Theme ORDER BY VECTOR_DISTANCE(Embedding, @q, 'cosine')
-- meant
SELECT TOP 10 Name FROM Theme ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- name: metric without quotes again
-- class: vectors
-- fresh: fourth
SELECT TOP 10 Name FROM Theme ORDER BY VECTOR_DISTANCE(cosine, Embedding, @q)
-- meant
SELECT TOP 10 Name FROM Theme ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- name: DECLARE of q
-- class: vectors
-- fresh: fourth
DECLARE @q VECTOR(384) = AI_GENERATE_EMBEDDINGS(N'a lonely robot' USE MODEL MyModel);
SELECT TOP 10 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q);
-- meant
SELECT TOP 10 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- name: similarity in WHERE by alias
-- class: vectors
-- fresh: fourth
SELECT TOP 10 Name, VECTOR_DISTANCE('cosine', Embedding, @q) AS d FROM Movie WHERE d < 0.9 ORDER BY d
-- meant
SELECT TOP 10 Name, VECTOR_DISTANCE('cosine', Embedding, @q) AS d FROM Movie WHERE VECTOR_DISTANCE('cosine', Embedding, @q) < 0.9 ORDER BY d

-- name: FETCH FIRST
-- class: dialect
-- fresh: fourth
SELECT Name FROM Movie ORDER BY Name FETCH FIRST 5 ROWS ONLY
-- meant
SELECT TOP 5 Name FROM Movie ORDER BY Name

-- name: ROWNUM
-- class: dialect
-- fresh: fourth
-- unfixable: Oracle numbers rows before it sorts them, so it is not said which five
SELECT Name FROM Movie WHERE ROWNUM <= 5 ORDER BY Name

-- name: NULLS LAST again
-- class: dialect
-- fresh: fourth
SELECT Name, ReleaseYear FROM Movie ORDER BY ReleaseYear DESC NULLS LAST LIMIT 3
-- meant
SELECT TOP 3 Name, ReleaseYear FROM Movie ORDER BY ReleaseYear DESC

-- name: boolean literals
-- class: dialect
-- fresh: fourth
SELECT m.Name FROM Movie m WHERE (m.ReleaseYear > 2000) = TRUE
-- meant
SELECT m.Name FROM Movie m WHERE m.ReleaseYear > 2000

-- name: EXISTS selected
-- class: dialect
-- fresh: fourth
SELECT m.Name, EXISTS (SELECT 1 FROM PART_OF_SERIES p WHERE p.$from_id = m.$node_id) AS in_series FROM Movie m
-- meant
SELECT m.Name, CASE WHEN EXISTS (SELECT 1 FROM PART_OF_SERIES p WHERE p.$from_id = m.$node_id) THEN 1 ELSE 0 END AS in_series FROM Movie m

-- name: FILTER of an aggregate
-- class: dialect
-- fresh: fourth
SELECT COUNT(*) FILTER (WHERE ReleaseYear >= 2000) AS new_ones, COUNT(*) AS everything FROM Movie
-- meant
SELECT COUNT(CASE WHEN ReleaseYear >= 2000 THEN 1 END) AS new_ones, COUNT(*) AS everything FROM Movie

-- name: USING of a join
-- class: dialect
-- fresh: fourth
SELECT a.Name FROM Movie a JOIN Movie b USING (Id) WHERE b.ReleaseYear = 1999
-- meant
SELECT a.Name FROM Movie a JOIN Movie b ON a.Id = b.Id WHERE b.ReleaseYear = 1999

-- name: DISTINCT ON again
-- class: dialect
-- fresh: fourth
SELECT DISTINCT ON (m.ReleaseYear) m.ReleaseYear, m.Name FROM Movie m ORDER BY m.ReleaseYear, m.Name
-- meant
SELECT x.ReleaseYear, x.Name FROM (SELECT m.ReleaseYear, m.Name, ROW_NUMBER() OVER (PARTITION BY m.ReleaseYear ORDER BY m.Name) AS rn FROM Movie m) x WHERE x.rn = 1 ORDER BY x.ReleaseYear, x.Name

-- name: RANDOM order again
-- class: dialect
-- fresh: fourth
-- unfixable: the guard admits no order that differs from call to call
SELECT Name FROM Movie WHERE ReleaseYear = 1999 ORDER BY RANDOM()

-- name: REGEXP
-- class: dialect
-- fresh: fourth
SELECT Name FROM Movie WHERE Name REGEXP '^The '
-- meant
SELECT Name FROM Movie WHERE Name LIKE 'The %'

-- name: QUALIFY again
-- class: dialect
-- fresh: fourth
SELECT m.ReleaseYear, m.Name FROM Movie m QUALIFY ROW_NUMBER() OVER (PARTITION BY m.ReleaseYear ORDER BY m.Name) = 1
-- meant
SELECT x.ReleaseYear, x.Name FROM (SELECT m.ReleaseYear, m.Name, ROW_NUMBER() OVER (PARTITION BY m.ReleaseYear ORDER BY m.Name) AS rn FROM Movie m) x WHERE x.rn = 1

-- name: backticks and LIMIT
-- class: dialect
-- fresh: fourth
SELECT `Name`, `ReleaseYear` FROM `Movie` WHERE `ReleaseYear` > 1995 ORDER BY `Name` LIMIT 4
-- meant
SELECT TOP 4 Name, ReleaseYear FROM Movie WHERE ReleaseYear > 1995 ORDER BY Name

-- name: ARRAY_AGG again
-- class: dialect
-- fresh: fourth
SELECT m.Name, ARRAY_TO_STRING(ARRAY_AGG(g.Name), ', ') AS genres FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) GROUP BY m.Name
-- meant
SELECT m.Name, STRING_AGG(g.Name, ', ') AS genres FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) GROUP BY m.Name

-- name: count distinct star of a subquery without alias
-- class: syntax
-- fresh: fourth
SELECT COUNT(*) FROM (SELECT DISTINCT ReleaseYear FROM Movie)
-- meant
SELECT COUNT(*) FROM (SELECT DISTINCT ReleaseYear FROM Movie) AS x

-- name: IN without parentheses again
-- class: syntax
-- fresh: fourth
SELECT Name FROM Movie WHERE ReleaseYear IN 1999, 2000
-- meant
SELECT Name FROM Movie WHERE ReleaseYear IN (1999, 2000)

-- name: BETWEEN with a comma
-- class: syntax
-- fresh: fourth
SELECT Name FROM Movie WHERE ReleaseYear BETWEEN 1980, 1989
-- meant
SELECT Name FROM Movie WHERE ReleaseYear BETWEEN 1980 AND 1989

-- name: = for IN of a subquery
-- class: syntax
-- fresh: fourth
SELECT Name FROM Movie WHERE ReleaseYear IS 1999
-- meant
SELECT Name FROM Movie WHERE ReleaseYear = 1999

-- name: WHERE twice again
-- class: syntax
-- fresh: fourth
SELECT Name FROM Movie WHERE ReleaseYear > 1990 WHERE Name LIKE 'T%'
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > 1990 AND Name LIKE 'T%'

-- name: comparison sign with a blank
-- class: syntax
-- fresh: fourth
SELECT Name FROM Movie WHERE ReleaseYear > = 1990 AND ReleaseYear =< 1995
-- meant
SELECT Name FROM Movie WHERE ReleaseYear >= 1990 AND ReleaseYear <= 1995

-- name: characters of a series by names
-- class: names
-- fresh: fourth
SELECT DISTINCT ch.CharacterName FROM Movies mv, FEATURES_CHARACTERS fc, Characters ch WHERE MATCH(mv-(fc)->ch) AND mv.MovieTitle = 'Star Wars'
-- meant
SELECT DISTINCT ch.Name FROM Movie mv, FEATURES_CHARACTER fc, Character ch WHERE MATCH(mv-(fc)->ch) AND mv.Name = 'Star Wars'

-- name: location for Setting
-- class: names
-- fresh: fourth
SELECT m.Name FROM Movie m, SET_IN e, Location l WHERE MATCH(m-(e)->l) AND l.Name = 'London'
-- meant
SELECT m.Name FROM Movie m, SET_IN e, Setting l WHERE MATCH(m-(e)->l) AND l.Name = 'London'

-- name: franchise table
-- class: names
-- fresh: fourth
SELECT f.Name, COUNT(*) AS n FROM Movie m, PART_OF_FRANCHISE p, Franchise f WHERE MATCH(m-(p)->f) GROUP BY f.Name
-- meant
SELECT f.Name, COUNT(*) AS n FROM Movie m, PART_OF_SERIES p, Series f WHERE MATCH(m-(p)->f) GROUP BY f.Name

-- name: dbo in wrong database
-- class: names
-- fresh: fourth
SELECT m.Name FROM MovieGraph.dbo.Movies AS m WHERE m.ReleaseYear = 2001
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = 2001

-- name: FROM is missing
-- class: syntax
-- fresh: fourth
SELECT Name, ReleaseYear Movie WHERE ReleaseYear = 2001
-- meant
SELECT Name, ReleaseYear FROM Movie WHERE ReleaseYear = 2001

-- name: WHERE misspelt after an alias
-- class: syntax
-- fresh: fourth
SELECT m.Name FROM Movie AS m WEHRE m.ReleaseYear = 2001 ORDER BY m.Name
-- meant
SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = 2001 ORDER BY m.Name

-- name: ORDER BY misspelt
-- class: syntax
-- fresh: fourth
SELECT Name FROM Movie WHERE ReleaseYear > 1990 ODER BY Name
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > 1990 ORDER BY Name

-- name: CASE without END again
-- class: syntax
-- fresh: fourth
SELECT Name, CASE WHEN ReleaseYear < 1980 THEN 'old' ELSE 'new' AS age FROM Movie
-- meant
SELECT Name, CASE WHEN ReleaseYear < 1980 THEN 'old' ELSE 'new' END AS age FROM Movie

-- name: themes of a decade in a CTE
-- class: aggregates
-- fresh: fifth
WITH eighties AS (
  SELECT m.Id, m.Name, t.Name AS theme
  FROM Movie m
  JOIN INCLUDES_THEME it ON it.movie_id = m.id
  JOIN Theme t ON t.id = it.theme_id
  WHERE m.ReleaseYear BETWEEN 1980 AND 1989
)
SELECT theme, COUNT(*) AS film_count
FROM eighties
GROUP BY theme
ORDER BY film_count DESC, theme
LIMIT 10;
-- meant
WITH eighties AS (SELECT m.Id, m.Name, t.Name AS theme FROM Movie m, INCLUDES_THEME it, Theme t WHERE MATCH(m-(it)->t) AND m.ReleaseYear BETWEEN 1980 AND 1989)
SELECT TOP 10 theme, COUNT(*) AS film_count FROM eighties GROUP BY theme ORDER BY film_count DESC, theme

-- name: share of each genre
-- class: aggregates
-- fresh: fifth
WITH counts AS (
  SELECT g.Name AS genre, COUNT(DISTINCT m.Id) AS films
  FROM Movie m, IN_GENRE ig, Genre g
  WHERE MATCH(m-(ig)->g)
  GROUP BY genre
)
SELECT genre, films, ROUND(100.0 * films / (SELECT COUNT(*) FROM Movie), 1) AS pct
FROM counts
ORDER BY films DESC, genre
-- meant
WITH counts AS (SELECT g.Name AS genre, COUNT(DISTINCT m.Id) AS films FROM Movie m, IN_GENRE ig, Genre g WHERE MATCH(m-(ig)->g) GROUP BY g.Name)
SELECT genre, films, ROUND(100.0 * films / (SELECT COUNT(*) FROM Movie), 1) AS pct FROM counts ORDER BY films DESC, genre

-- name: rank within decade without comma
-- class: syntax
-- fresh: fifth
WITH f AS (
  SELECT Id, Name, ReleaseYear, ReleaseYear / 10 * 10 AS decade
  FROM Movie
  WHERE ReleaseYear IS NOT NULL
)
r AS (
  SELECT f.*, ROW_NUMBER() OVER (PARTITION BY decade ORDER BY ReleaseYear, Id) AS rn
  FROM f
)
SELECT decade, Name FROM r WHERE rn = 1 ORDER BY decade
-- meant
WITH f AS (SELECT Id, Name, ReleaseYear, ReleaseYear / 10 * 10 AS decade FROM Movie WHERE ReleaseYear IS NOT NULL), r AS (SELECT f.*, ROW_NUMBER() OVER (PARTITION BY decade ORDER BY ReleaseYear, Id) AS rn FROM f)
SELECT decade, Name FROM r WHERE rn = 1 ORDER BY decade

-- name: window in WHERE
-- class: aggregates
-- fresh: fifth
SELECT g.Name AS Genre, m.Name, ROW_NUMBER() OVER (PARTITION BY g.Name ORDER BY m.ReleaseYear DESC, m.Id) AS rn
FROM Movie m, IN_GENRE i, Genre g
WHERE MATCH(m-(i)->g) AND rn <= 2
ORDER BY Genre, rn
-- meant
SELECT x.Genre, x.Name, x.rn FROM (SELECT g.Name AS Genre, m.Name, ROW_NUMBER() OVER (PARTITION BY g.Name ORDER BY m.ReleaseYear DESC, m.Id) AS rn FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g)) x WHERE x.rn <= 2 ORDER BY x.Genre, x.rn

-- name: hybrid CTE with scores
-- class: vectors
-- fresh: fifth
WITH words AS (
  SELECT m.Id, ft.RANK AS score FROM Movie m JOIN CONTAINSTABLE(Movie, Content, 'space station') AS ft ON ft.[KEY] = m.Id
), near AS (
  SELECT TOP 20 m.Id, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS dist FROM Movie m ORDER BY dist ASC
)
SELECT m.Name FROM Movie m JOIN words w ON w.Id = m.Id JOIN near n ON n.Id = m.Id ORDER BY n.dist, m.Id
-- meant
WITH words AS (SELECT m.Id, ft.RANK AS score FROM Movie m JOIN CONTAINSTABLE(Movie, Content, '"space station"') AS ft ON ft.[KEY] = m.Id), near AS (SELECT TOP 20 m.Id, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS dist FROM Movie m ORDER BY dist ASC)
SELECT m.Name FROM Movie m JOIN words w ON w.Id = m.Id JOIN near n ON n.Id = m.Id ORDER BY n.dist, m.Id

-- name: series gaps with LAG and NULL
-- class: dialect
-- fresh: fifth
WITH parts AS (
  SELECT s.Name AS series, m.Name AS film, m.ReleaseYear AS yr,
         LAG(m.ReleaseYear) OVER (PARTITION BY s.Name ORDER BY m.ReleaseYear, m.Id) AS prev
  FROM Movie m, PART_OF_SERIES p, Series s
  WHERE MATCH(m-(p)->s)
)
SELECT series, film, yr - prev AS gap FROM parts WHERE prev != NULL ORDER BY gap DESC NULLS LAST, film LIMIT 5
-- meant
WITH parts AS (SELECT s.Name AS series, m.Name AS film, m.ReleaseYear AS yr, LAG(m.ReleaseYear) OVER (PARTITION BY s.Name ORDER BY m.ReleaseYear, m.Id) AS prev FROM Movie m, PART_OF_SERIES p, Series s WHERE MATCH(m-(p)->s))
SELECT TOP 5 series, film, yr - prev AS gap FROM parts WHERE prev IS NOT NULL ORDER BY gap DESC, film

-- name: lazy one-liner of films
-- class: names
-- fresh: fifth
select * from films where year > 1999 limit 3
-- meant
SELECT TOP 3 Id, Name, ReleaseYear, Content FROM Movie WHERE ReleaseYear > 1999

-- name: lazy title search
-- class: names
-- fresh: fifth
select title, year from movies where title like '%war%' order by year
-- meant
SELECT Name, ReleaseYear FROM Movie WHERE Name LIKE '%war%' ORDER BY ReleaseYear

-- name: lazy count per genre
-- class: graph
-- fresh: fifth
select genre, count(*) from movies group by genre
-- meant
SELECT g.Name, COUNT(*) FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) GROUP BY g.Name

-- name: lazy how many
-- class: names
-- fresh: fifth
select count(*) from movie where release_year = 1999 and content ilike '%computer%'
-- meant
SELECT COUNT(*) FROM Movie WHERE ReleaseYear = 1999 AND Content LIKE '%computer%'

-- name: lazy like without quotes
-- class: syntax
-- fresh: fifth
select name from movie where name like %alien%
-- meant
SELECT Name FROM Movie WHERE Name LIKE '%alien%'

-- name: lazy vector
-- class: vectors
-- fresh: fifth
select name from movie order by embedding <-> @q limit 5
-- meant
SELECT TOP 5 Name FROM Movie ORDER BY VECTOR_DISTANCE('euclidean', Embedding, @q)

-- name: lazy themes of a film
-- class: graph
-- fresh: fifth
select t.name from movie m join includes_theme i join theme t where m.name = 'Star Wars'
-- meant
SELECT t.Name FROM Movie m, INCLUDES_THEME i, Theme t WHERE MATCH(m-(i)->t) AND m.Name = 'Star Wars'

-- name: lazy match
-- class: graph
-- fresh: fifth
select m.name from movie m, genre g where match(m-(in_genre)->g) and g.name = 'horror'
-- meant
SELECT m.Name FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) AND g.Name = 'horror'

-- name: lazy no commas
-- class: syntax
-- fresh: fifth
select m.name m.releaseyear from movie m where m.releaseyear > 1990 order by m.releaseyear m.name
-- meant
SELECT m.Name, m.ReleaseYear FROM Movie m WHERE m.ReleaseYear > 1990 ORDER BY m.ReleaseYear, m.Name

-- name: lazy missing quote
-- class: syntax
-- fresh: fifth
select name from movie where name = 'Alien' or name = 'Aliens
-- meant
SELECT Name FROM Movie WHERE Name = 'Alien' OR Name = 'Aliens'

-- name: lazy and and
-- class: syntax
-- fresh: fifth
select name from movie where releaseyear > 1980 & releaseyear < 1985
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > 1980 AND ReleaseYear < 1985

-- name: lazy order asc limit
-- class: dialect
-- fresh: fifth
select top 5 name from movie order by releaseyear asc, name limit 5
-- meant
SELECT TOP 5 Name FROM Movie ORDER BY ReleaseYear ASC, Name

-- name: lazy contains
-- class: fulltext
-- fresh: fifth
select name from movie where contains(content, robot) and releaseyear > 1980
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, 'robot') AND ReleaseYear > 1980

-- name: lazy phrase or phrase
-- class: fulltext
-- fresh: fifth
select name from movie where contains(*, 'haunted house OR ghost ship')
-- meant
SELECT Name FROM Movie WHERE CONTAINS(*, '"haunted house" OR "ghost ship"')

-- name: Cypher with two hops to a series
-- class: graph
-- fresh: fifth
MATCH (c:Character)<-[:FEATURES_CHARACTER]-(m:Movie)-[:PART_OF_SERIES]->(s:Series) WHERE s.name = 'Star Wars' RETURN DISTINCT c.name ORDER BY c.name
-- meant
SELECT DISTINCT c.Name FROM Character c, FEATURES_CHARACTER f, Movie m, PART_OF_SERIES p, Series s WHERE MATCH(c<-(f)-m-(p)->s) AND s.Name = 'Star Wars' ORDER BY c.Name

-- name: Cypher with a range of years
-- class: graph
-- fresh: fifth
MATCH (m:Movie)-[:SET_IN]->(s:Setting {name: "Desert Planet"}) WHERE m.releaseYear >= 1970 AND m.releaseYear < 2000 RETURN m.title AS title, m.year AS year ORDER BY year, title
-- meant
SELECT m.Name AS title, m.ReleaseYear AS year FROM Movie m, SET_IN e, Setting s WHERE MATCH(m-(e)->s) AND s.Name = 'Desert Planet' AND m.ReleaseYear >= 1970 AND m.ReleaseYear < 2000 ORDER BY year, title

-- name: Cypher counting by genre
-- class: graph
-- fresh: fifth
MATCH (m:Movie)-[:IN_GENRE]->(g:Genre) RETURN g.name AS genre, count(*) AS films ORDER BY films DESC, genre LIMIT 5
-- meant
SELECT TOP 5 g.Name AS genre, COUNT(*) AS films FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) GROUP BY g.Name ORDER BY films DESC, genre

-- name: Cypher without a label of the edge
-- class: graph
-- fresh: fifth
MATCH (m:Movie)-[]->(t:Theme) WHERE t.name CONTAINS 'Rebel' RETURN m.name, t.name
-- meant
SELECT m.Name, t.Name FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) AND t.Name LIKE '%Rebel%'

-- name: undirected in MATCH
-- class: graph
-- fresh: fifth
SELECT m.Name FROM Movie m, PART_OF_SERIES p, Series s WHERE MATCH(m-(p)-s) AND s.Name = 'Star Wars'
-- meant
SELECT m.Name FROM Movie m, PART_OF_SERIES p, Series s WHERE MATCH(m-(p)->s) AND s.Name = 'Star Wars'

-- name: edge joined like a table with source and target
-- class: graph
-- fresh: fifth
SELECT g.Name, COUNT(*) AS n FROM IN_GENRE e JOIN Movie m ON e.source_id = m.Id JOIN Genre g ON e.target_id = g.Id WHERE m.ReleaseYear >= 2000 GROUP BY g.Name ORDER BY n DESC, g.Name
-- meant
SELECT g.Name, COUNT(*) AS n FROM IN_GENRE e, Movie m, Genre g WHERE MATCH(m-(e)->g) AND m.ReleaseYear >= 2000 GROUP BY g.Name ORDER BY n DESC, g.Name

-- name: not in a series by LEFT JOIN
-- class: graph
-- fresh: fifth
SELECT m.Name FROM Movie m LEFT JOIN PART_OF_SERIES p ON p.movie_id = m.Id WHERE p.movie_id IS NULL ORDER BY m.Name
-- meant
SELECT m.Name FROM Movie m LEFT JOIN PART_OF_SERIES p ON p.$from_id = m.$node_id WHERE p.$from_id IS NULL ORDER BY m.Name

-- name: two genres with AND on one alias list
-- class: graph
-- fresh: fifth
SELECT m.Name FROM Movie m, IN_GENRE i1, Genre g1, IN_GENRE i2, Genre g2 WHERE MATCH(m-(i1)->g1, m-(i2)->g2) AND g1.Name = 'Comedy' AND g2.Name = 'Romance'
-- meant
SELECT m.Name FROM Movie m, IN_GENRE i1, Genre g1, IN_GENRE i2, Genre g2 WHERE MATCH(m-(i1)->g1 AND m-(i2)->g2) AND g1.Name = 'Comedy' AND g2.Name = 'Romance'

-- name: related films excluding itself
-- class: graph
-- fresh: fifth
SELECT TOP 10 n.Title, COUNT(DISTINCT t.Id) AS shared FROM Movies m, INCLUDES_THEME a, Theme t, INCLUDES_THEME b, Movies n WHERE MATCH(m-(a)->t<-(b)-n) AND m.Title = 'Blade Runner' AND n.Title != m.Title GROUP BY n.Title HAVING shared >= 2 ORDER BY shared DESC, n.Title
-- meant
SELECT TOP 10 n.Name, COUNT(DISTINCT t.Id) AS shared FROM Movie m, INCLUDES_THEME a, Theme t, INCLUDES_THEME b, Movie n WHERE MATCH(m-(a)->t<-(b)-n) AND m.Name = 'Blade Runner' AND n.Name <> m.Name GROUP BY n.Name HAVING COUNT(DISTINCT t.Id) >= 2 ORDER BY shared DESC, n.Name

-- name: IIF style booleans and concat
-- class: dialect
-- fresh: fifth
SELECT CONCAT(m.Name, ' [', CAST(m.ReleaseYear AS TEXT), ']') AS label, CASE WHEN m.ReleaseYear >= 2000 THEN TRUE ELSE FALSE END AS modern FROM Movie m ORDER BY m.Id LIMIT 5
-- meant
SELECT TOP 5 CONCAT(m.Name, ' [', CAST(m.ReleaseYear AS NVARCHAR(MAX)), ']') AS label, CASE WHEN m.ReleaseYear >= 2000 THEN 1 ELSE 0 END AS modern FROM Movie m ORDER BY m.Id

-- name: percentile in group
-- class: dialect
-- fresh: fifth
SELECT g.Name, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY m.ReleaseYear) AS median_year FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) GROUP BY g.Name
-- meant
SELECT DISTINCT g.Name, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY m.ReleaseYear) OVER (PARTITION BY g.Name) AS median_year FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g)

-- name: MAX_BY of BigQuery
-- class: dialect
-- fresh: fifth
SELECT COUNTIF(ReleaseYear >= 2000) AS recent, COUNT(*) AS total FROM Movie
-- meant
SELECT COUNT(CASE WHEN ReleaseYear >= 2000 THEN 1 END) AS recent, COUNT(*) AS total FROM Movie

-- name: SAFE_CAST and LENGTH
-- class: dialect
-- fresh: fifth
SELECT Name, CHAR_LENGTH(Content) AS chars, SAFE_CAST(ReleaseYear AS STRING) AS y FROM Movie ORDER BY chars DESC, Id LIMIT 3
-- meant
SELECT TOP 3 Name, LEN(Content) AS chars, TRY_CAST(ReleaseYear AS NVARCHAR(MAX)) AS y FROM Movie ORDER BY chars DESC, Id

-- name: DATE_PART of today
-- class: dialect
-- fresh: fifth
SELECT Name, DATE_PART('year', CURRENT_DATE) - ReleaseYear AS age FROM Movie WHERE ReleaseYear IS NOT NULL ORDER BY age, Name
-- meant
SELECT Name, YEAR(GETDATE()) - ReleaseYear AS age FROM Movie WHERE ReleaseYear IS NOT NULL ORDER BY age, Name

-- name: decade as text
-- class: dialect
-- fresh: fifth
SELECT FLOOR(ReleaseYear / 10) * 10 || 's' AS decade, COUNT(*) AS n FROM Movie WHERE ReleaseYear IS NOT NULL GROUP BY 1 ORDER BY 1
-- meant
SELECT CONCAT(FLOOR(ReleaseYear / 10) * 10, 's') AS decade, COUNT(*) AS n FROM Movie WHERE ReleaseYear IS NOT NULL GROUP BY CONCAT(FLOOR(ReleaseYear / 10) * 10, 's') ORDER BY 1

-- name: list of genres per film by LISTAGG
-- class: dialect
-- fresh: fifth
SELECT m.Name, LISTAGG(g.Name, ', ') WITHIN GROUP (ORDER BY g.Name) AS genres FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) GROUP BY m.Id, m.Name ORDER BY m.Id
-- meant
SELECT m.Name, STRING_AGG(g.Name, ', ') WITHIN GROUP (ORDER BY g.Name) AS genres FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) GROUP BY m.Id, m.Name ORDER BY m.Id

-- name: EXCEPT written as MINUS
-- class: dialect
-- fresh: fifth
SELECT m.Id FROM Movie m MINUS SELECT m.Id FROM Movie m, PART_OF_SERIES p, Series s WHERE MATCH(m-(p)->s)
-- meant
SELECT m.Id FROM Movie m EXCEPT SELECT m.Id FROM Movie m, PART_OF_SERIES p, Series s WHERE MATCH(m-(p)->s)

-- name: tsquery ranking
-- class: fulltext
-- fresh: fifth
SELECT Name FROM Movie WHERE Content @@ plainto_tsquery('desert planet') LIMIT 5
-- meant
SELECT TOP 5 Name FROM Movie WHERE CONTAINS(Content, 'desert AND planet')

-- name: FTS5 match
-- class: fulltext
-- fresh: fifth
SELECT Name FROM Movie WHERE Content MATCH 'robot AND war'
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, 'robot AND war')

-- name: prefix and phrase
-- class: fulltext
-- fresh: fifth
SELECT m.Name FROM Movie m WHERE CONTAINS((m.Name, m.Content), 'pirat* AND buried treasure')
-- meant
SELECT m.Name FROM Movie m WHERE CONTAINS((m.Name, m.Content), '"pirat*" AND "buried treasure"')

-- name: single quotes inside a search
-- class: fulltext
-- fresh: fifth
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, ''time travel'')
-- meant
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, '"time travel"')

-- name: CONTAINSTABLE joined with score
-- class: fulltext
-- fresh: fifth
SELECT m.Name, ct.score FROM Movie m JOIN CONTAINSTABLE(Movie, Content, 'dragon') ct ON m.Id = ct.key ORDER BY ct.score DESC, m.Id LIMIT 5
-- meant
SELECT TOP 5 m.Name, ct.RANK FROM Movie m JOIN CONTAINSTABLE(Movie, Content, 'dragon') ct ON m.Id = ct.[KEY] ORDER BY ct.RANK DESC, m.Id

-- name: NOT in a search by minus
-- class: fulltext
-- fresh: fifth
SELECT Name FROM Movie WHERE CONTAINS(Content, 'space -war')
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, 'space AND NOT war')

-- name: cosine of embedding text
-- class: vectors
-- fresh: fifth
-- unfixable: the text to embed belongs in the parameter query, which a statement cannot set
SELECT TOP 5 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, 'a lonely robot on mars')

-- name: order descending by distance alias similarity
-- class: vectors
-- fresh: fifth
SELECT Name, 1 - COSINE_DISTANCE(Embedding, $1) AS similarity FROM Movie ORDER BY similarity DESC LIMIT 10
-- meant
SELECT TOP 10 Name, 1 - VECTOR_DISTANCE('cosine', Embedding, @q) AS similarity FROM Movie ORDER BY similarity DESC

-- name: embedding of an unaliased theme
-- class: vectors
-- fresh: fifth
SELECT TOP 10 t.Name, VECTOR_DISTANCE('cosine', t.ThemeEmbedding, @q) AS distance FROM Themes t ORDER BY distance
-- meant
SELECT TOP 10 t.Name, VECTOR_DISTANCE('cosine', t.Embedding, @q) AS distance FROM Theme t ORDER BY distance

-- name: cosine_similarity threshold
-- class: vectors
-- fresh: fifth
SELECT Name FROM Movie WHERE cosine_similarity(Embedding, @q) > 0.2 ORDER BY cosine_similarity(Embedding, @q) DESC LIMIT 10
-- meant
SELECT TOP 10 Name FROM Movie WHERE 1 - VECTOR_DISTANCE('cosine', Embedding, @q) > 0.2 ORDER BY 1 - VECTOR_DISTANCE('cosine', Embedding, @q) DESC

-- name: query vector by subquery of a film name
-- class: vectors
-- fresh: fifth
SELECT TOP 5 m.Name FROM Movie m WHERE m.Name <> 'Jaws' ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, (SELECT vector FROM Movie WHERE title = 'Jaws'))
-- meant
SELECT TOP 5 m.Name FROM Movie m WHERE m.Name <> 'Jaws' ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, (SELECT Embedding FROM Movie WHERE Name = 'Jaws'))

-- name: aggregate ORDER BY in CTE with LIMIT
-- class: aggregates
-- fresh: fifth
WITH top_themes AS (SELECT t.Id, t.Name, COUNT(*) n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY t.Id ORDER BY n DESC, t.Id LIMIT 3) SELECT Name, n FROM top_themes ORDER BY n DESC, Name
-- meant
WITH top_themes AS (SELECT TOP 3 t.Id, t.Name, COUNT(*) n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY t.Id, t.Name ORDER BY n DESC, t.Id) SELECT Name, n FROM top_themes ORDER BY n DESC, Name

-- name: average per series with WHERE after GROUP BY
-- class: aggregates
-- fresh: fifth
SELECT s.Name, AVG(m.ReleaseYear) AS avg_year FROM Movie m, PART_OF_SERIES p, Series s GROUP BY s.Name WHERE MATCH(m-(p)->s)
-- meant
SELECT s.Name, AVG(m.ReleaseYear) AS avg_year FROM Movie m, PART_OF_SERIES p, Series s WHERE MATCH(m-(p)->s) GROUP BY s.Name

-- name: HAVING written as WHERE
-- class: aggregates
-- fresh: fifth
SELECT ReleaseYear, COUNT(*) AS films FROM Movie GROUP BY ReleaseYear WHERE COUNT(*) > 1 ORDER BY ReleaseYear
-- meant
SELECT ReleaseYear, COUNT(*) AS films FROM Movie GROUP BY ReleaseYear HAVING COUNT(*) > 1 ORDER BY ReleaseYear

-- name: count of distinct pairs without GROUP BY comma
-- class: syntax
-- fresh: fifth
SELECT m.Name, g.Name, COUNT(*) AS n FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) GROUP BY m.Name g.Name
-- meant
SELECT m.Name, g.Name, COUNT(*) AS n FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) GROUP BY m.Name, g.Name

-- name: parenthesis of IN left open
-- class: syntax
-- fresh: fifth
SELECT m.Name FROM Movie m WHERE m.ReleaseYear IN (1977, 1979, 1982 AND m.Name LIKE '%a%' ORDER BY m.Name
-- meant
SELECT m.Name FROM Movie m WHERE m.ReleaseYear IN (1977, 1979, 1982) AND m.Name LIKE '%a%' ORDER BY m.Name

-- name: subquery left open
-- class: syntax
-- fresh: fifth
SELECT Name FROM Movie WHERE ReleaseYear = (SELECT MAX(ReleaseYear) FROM Movie ORDER BY Name
-- meant
SELECT Name FROM Movie WHERE ReleaseYear = (SELECT MAX(ReleaseYear) FROM Movie) ORDER BY Name

-- name: WHRE and GRUOP
-- class: syntax
-- fresh: fifth
SELECT ReleaseYear, COUNT(*) AS n FROM Movie WHRE ReleaseYear > 1970 GRUOP BY ReleaseYear ORDER BY n DESC, ReleaseYear
-- meant
SELECT ReleaseYear, COUNT(*) AS n FROM Movie WHERE ReleaseYear > 1970 GROUP BY ReleaseYear ORDER BY n DESC, ReleaseYear

-- name: trailing AND
-- class: syntax
-- fresh: fifth
SELECT Name FROM Movie WHERE ReleaseYear > 1990 AND ORDER BY Name
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > 1990 ORDER BY Name

-- name: comma after the last CTE again
-- class: syntax
-- fresh: fifth
WITH a AS (SELECT Id, Name FROM Movie WHERE ReleaseYear > 1990), SELECT Name FROM a ORDER BY Name;
-- meant
WITH a AS (SELECT Id, Name FROM Movie WHERE ReleaseYear > 1990) SELECT Name FROM a ORDER BY Name

-- name: semicolon before ORDER BY
-- class: syntax
-- fresh: fifth
SELECT Name FROM Movie WHERE ReleaseYear > 1990; ORDER BY Name
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > 1990 ORDER BY Name

-- name: joined tables with wrong alias
-- class: names
-- fresh: fifth
SELECT movies.Name, genres.Name FROM Movie AS m JOIN IN_GENRE AS ig ON ig.$from_id = m.$node_id JOIN Genre AS g ON g.$node_id = ig.$to_id WHERE genres.Name = 'Drama'
-- meant
SELECT m.Name, g.Name FROM Movie AS m JOIN IN_GENRE AS ig ON ig.$from_id = m.$node_id JOIN Genre AS g ON g.$node_id = ig.$to_id WHERE g.Name = 'Drama'

-- name: tags for themes
-- class: names
-- fresh: fifth
SELECT m.MovieTitle, th.ThemeName FROM Movies m INNER JOIN MovieThemes mt ON m.MovieID = mt.MovieID INNER JOIN Themes th ON mt.ThemeID = th.ThemeID WHERE th.ThemeName = 'Rebellion'
-- meant
SELECT m.Name, th.Name FROM Movie m, INCLUDES_THEME mt, Theme th WHERE MATCH(m-(mt)->th) AND th.Name = 'Rebellion'

-- name: unqualified columns over a join
-- class: names
-- fresh: fifth
SELECT Title, GenreName FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) AND ReleaseYear = 1979
-- meant
SELECT m.Name, g.Name FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) AND m.ReleaseYear = 1979

-- name: newest horror films
-- class: dialect
-- fresh: sixth
SELECT m.title, m.release_year FROM Movies m JOIN MovieGenres mg ON m.id = mg.movie_id JOIN Genres g ON mg.genre_id = g.id WHERE g.name = 'Horror' ORDER BY m.release_year DESC, m.title LIMIT 10;
-- meant
SELECT TOP 10 m.Name, m.ReleaseYear FROM Movie m, IN_GENRE mg, Genre g WHERE MATCH(m-(mg)->g) AND g.Name = 'Horror' ORDER BY m.ReleaseYear DESC, m.Name

-- name: settings per film
-- class: dialect
-- fresh: sixth
SELECT m.Name, GROUP_CONCAT(DISTINCT s.Name) FROM Movie m, SET_IN e, Setting s WHERE MATCH(m-(e)->s) GROUP BY m.Name
-- meant
SELECT u.Name, STRING_AGG(u.Place, ',') FROM (SELECT DISTINCT m.Name, s.Name AS Place FROM Movie m, SET_IN e, Setting s WHERE MATCH(m-(e)->s)) AS u GROUP BY u.Name

-- name: similar to a film by vectors
-- class: vectors
-- fresh: sixth
SELECT TOP 5 b.Name FROM Movie a, Movie b WHERE a.Name = 'Star Wars' AND b.Id != a.Id ORDER BY a.Embedding <=> b.Embedding
-- meant
SELECT TOP 5 b.Name FROM Movie a, Movie b WHERE a.Name = 'Star Wars' AND b.Id <> a.Id ORDER BY VECTOR_DISTANCE('cosine', a.Embedding, b.Embedding)

-- name: MATCH with quotes of a label
-- class: graph
-- fresh: sixth
SELECT m.Name, c.Name FROM Movie m, FEATURES_CHARACTER f, Character c WHERE MATCH(m)-(f)->(c) AND m.Name = 'Star Wars'
-- meant
SELECT m.Name, c.Name FROM Movie m, FEATURES_CHARACTER f, Character c WHERE MATCH(m-(f)->c) AND m.Name = 'Star Wars'

-- name: a keyword as a column alias
-- class: syntax
-- fresh: sixth
SELECT m.Name AS Title, m.ReleaseYear AS Order FROM Movie m WHERE m.ReleaseYear = 1982
-- meant
SELECT m.Name AS Title, m.ReleaseYear AS [Order] FROM Movie m WHERE m.ReleaseYear = 1982

-- name: COUNT without parentheses
-- class: syntax
-- fresh: sixth
SELECT COUNT * FROM Movie WHERE ReleaseYear > 1990
-- meant
SELECT COUNT(*) FROM Movie WHERE ReleaseYear > 1990

-- name: between reversed word
-- class: syntax
-- fresh: sixth
SELECT Name FROM Movie WHERE BETWEEN ReleaseYear 1980 AND 1989
-- meant
SELECT Name FROM Movie WHERE ReleaseYear BETWEEN 1980 AND 1989

-- name: from twice
-- class: syntax
-- fresh: sixth
SELECT Name FROM FROM Movie WHERE ReleaseYear > 1990 ORDER BY Name DESC,
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > 1990 ORDER BY Name DESC

-- name: is between
-- class: syntax
-- fresh: sixth
SELECT Name FROM Movie WHERE ReleaseYear is between 1980 and 1989
-- meant
SELECT Name FROM Movie WHERE ReleaseYear BETWEEN 1980 AND 1989

-- name: not like without column
-- class: syntax
-- fresh: sixth
SELECT Name FROM Movie WHERE Name LIKE 'A%' AND NOT LIKE '%z%'
-- meant
SELECT Name FROM Movie WHERE Name LIKE 'A%' AND Name NOT LIKE '%z%'

-- name: or with values only
-- class: syntax
-- fresh: sixth
SELECT Name FROM Movie WHERE ReleaseYear = 1979 OR 1986
-- meant
SELECT Name FROM Movie WHERE ReleaseYear = 1979 OR ReleaseYear = 1986

-- name: LIMIT in the middle
-- class: syntax
-- fresh: sixth
SELECT Name FROM Movie LIMIT 5 ORDER BY ReleaseYear DESC, Id
-- meant
SELECT TOP 5 Name FROM Movie ORDER BY ReleaseYear DESC, Id

-- name: TOP with a word
-- class: syntax
-- fresh: sixth
SELECT FIRST 5 Name FROM Movie ORDER BY Id
-- meant
SELECT TOP 5 Name FROM Movie ORDER BY Id

-- name: GROUP BY with a trailing comma
-- class: syntax
-- fresh: sixth
SELECT ReleaseYear, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear, ORDER BY n DESC, ReleaseYear
-- meant
SELECT ReleaseYear, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear ORDER BY n DESC, ReleaseYear

-- name: comment with hash
-- class: syntax
-- fresh: sixth
# films of 1999
SELECT Name FROM Movie WHERE ReleaseYear = 1999
-- meant
SELECT Name FROM Movie WHERE ReleaseYear = 1999

-- name: ORDER BY n of a count without alias
-- class: aggregates
-- fresh: sixth
SELECT g.Name, COUNT(*) FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) GROUP BY g.Name ORDER BY count DESC, g.Name
-- meant
SELECT g.Name, COUNT(*) FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) GROUP BY g.Name ORDER BY COUNT(*) DESC, g.Name

-- name: HAVING without aggregate alias
-- class: aggregates
-- fresh: sixth
SELECT c.Name, COUNT(m.Id) AS appearances FROM Movie m JOIN FEATURES_CHARACTER f ON f.$from_id = m.$node_id JOIN Character c ON f.$to_id = c.$node_id WHERE appearances > 1 GROUP BY c.Name
-- meant
SELECT c.Name, COUNT(m.Id) AS appearances FROM Movie m JOIN FEATURES_CHARACTER f ON f.$from_id = m.$node_id JOIN Character c ON f.$to_id = c.$node_id GROUP BY c.Name HAVING COUNT(m.Id) > 1

-- name: SUM of a condition
-- class: aggregates
-- fresh: sixth
SELECT SUM(ReleaseYear > 1990) AS newer, COUNT(*) AS total FROM Movie
-- meant
SELECT SUM(CASE WHEN ReleaseYear > 1990 THEN 1 ELSE 0 END) AS newer, COUNT(*) AS total FROM Movie

-- name: max per group with the name
-- class: aggregates
-- fresh: sixth
-- unfixable: the film of the latest year, or a row for each film
SELECT g.Name, m.Name, MAX(m.ReleaseYear) AS latest FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) GROUP BY g.Name

-- name: count distinct with two columns
-- class: aggregates
-- fresh: sixth
SELECT COUNT(DISTINCT Name, ReleaseYear) AS n FROM Movie
-- meant
SELECT COUNT(*) AS n FROM (SELECT DISTINCT Name, ReleaseYear FROM Movie WHERE ReleaseYear IS NOT NULL) AS d

-- name: nested CTE name typo
-- class: names
-- fresh: sixth
WITH recent AS (SELECT Id, Name FROM Movie WHERE ReleaseYear >= 2000) SELECT r.Name FROM recents r ORDER BY r.Name
-- meant
WITH recent AS (SELECT Id, Name FROM Movie WHERE ReleaseYear >= 2000) SELECT r.Name FROM recent r ORDER BY r.Name

-- name: themes table prefixed
-- class: names
-- fresh: sixth
SELECT t.theme_id, t.theme_name, t.theme_description FROM dbo.Themes AS t WHERE t.theme_name LIKE '%Love%'
-- meant
SELECT t.Id, t.Name, t.Content FROM Theme AS t WHERE t.Name LIKE '%Love%'

-- name: character table as person
-- class: names
-- fresh: sixth
SELECT DISTINCT ch.Name FROM Movie m, HAS_CHARACTER hc, Character ch WHERE MATCH(m-(hc)->ch) AND m.Name = 'Alien'
-- meant
SELECT DISTINCT ch.Name FROM Movie m, FEATURES_CHARACTER hc, Character ch WHERE MATCH(m-(hc)->ch) AND m.Name = 'Alien'

-- name: TAKES_PLACE_IN
-- class: names
-- fresh: sixth
SELECT m.Name FROM Movie m, TAKES_PLACE_IN tp, Setting s WHERE MATCH(m-(tp)->s) AND s.Name = 'Desert'
-- meant
SELECT m.Name FROM Movie m, SET_IN tp, Setting s WHERE MATCH(m-(tp)->s) AND s.Name = 'Desert'

-- name: edge by plain name of the node
-- class: names
-- fresh: sixth
SELECT m.Name FROM Movie m, InGenre ig, Genre g WHERE MATCH(m-(ig)->g) AND g.GenreName = 'War'
-- meant
SELECT m.Name FROM Movie m, IN_GENRE ig, Genre g WHERE MATCH(m-(ig)->g) AND g.Name = 'War'

-- name: missing node table
-- class: graph
-- fresh: sixth
SELECT m.Name FROM Movie m, IN_GENRE i WHERE MATCH(m-(i)->g) AND g.Name = 'Horror'
-- meant
SELECT m.Name FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) AND g.Name = 'Horror'

-- name: arrow without parentheses
-- class: graph
-- fresh: sixth
SELECT m.Name FROM Movie m, SET_IN e, Setting s WHERE MATCH(m-e->s) AND s.Name = 'Desert'
-- meant
SELECT m.Name FROM Movie m, SET_IN e, Setting s WHERE MATCH(m-(e)->s) AND s.Name = 'Desert'

-- name: Cypher with collect
-- class: graph
-- fresh: sixth
MATCH (m:Movie)-[:INCLUDES_THEME]->(t:Theme) WHERE m.name = 'Star Wars' RETURN m.name, count(DISTINCT t) AS themes
-- meant
SELECT m.Name, COUNT(DISTINCT t.Id) AS themes FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) AND m.Name = 'Star Wars' GROUP BY m.Name

-- name: Cypher two patterns
-- class: graph
-- fresh: sixth
MATCH (m:Movie)-[:IN_GENRE]->(g:Genre), (m)-[:SET_IN]->(s:Setting) WHERE g.name = 'Science Fiction' AND s.name CONTAINS 'Desert' RETURN m.name, s.name ORDER BY m.name, s.name
-- meant
SELECT m.Name, s.Name FROM Movie m, IN_GENRE i, Genre g, SET_IN e, Setting s WHERE MATCH(m-(i)->g AND m-(e)->s) AND g.Name = 'Science Fiction' AND s.Name LIKE '%Desert%' ORDER BY m.Name, s.Name

-- name: double NOT EXISTS with MATCH outer
-- class: graph
-- fresh: sixth
SELECT m.Name FROM Movie m WHERE EXISTS (SELECT * FROM IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) AND g.Name = 'Horror') ORDER BY m.Name LIMIT 5
-- meant
SELECT TOP 5 m.Name FROM Movie m WHERE EXISTS (SELECT * FROM IN_GENRE i, Genre g WHERE i.$from_id = m.$node_id AND i.$to_id = g.$node_id AND g.Name = 'Horror') ORDER BY m.Name

-- name: FREETEXT with double quotes
-- class: fulltext
-- fresh: sixth
SELECT Name FROM Movie WHERE FREETEXT(Content, "lonely robot in space")
-- meant
SELECT Name FROM Movie WHERE FREETEXT(Content, 'lonely robot in space')

-- name: CONTAINS with LIKE pattern
-- class: fulltext
-- fresh: sixth
SELECT Name FROM Movie WHERE CONTAINS(Content, '%desert%')
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, '"desert"')

-- name: NEAR with slash
-- class: fulltext
-- fresh: sixth
SELECT Name FROM Movie WHERE CONTAINS(Content, 'robot NEAR war')
-- meant
SELECT Name FROM Movie WHERE CONTAINS(Content, 'robot NEAR war')

-- name: comma list in a search
-- class: fulltext
-- fresh: sixth
SELECT TOP 5 Name FROM Movie WHERE CONTAINS(Content, 'haunted house, ghost') ORDER BY Id
-- meant
SELECT TOP 5 Name FROM Movie WHERE CONTAINS(Content, '"haunted house" OR ghost') ORDER BY Id

-- name: search on two columns with OR in one call
-- class: fulltext
-- fresh: sixth
SELECT m.Name FROM Movie m WHERE CONTAINS(m.Name OR m.Content, 'dragon')
-- meant
SELECT m.Name FROM Movie m WHERE CONTAINS((m.Name, m.Content), 'dragon')

-- name: distance in a CTE by similarity alias
-- class: vectors
-- fresh: sixth
with ranked as (select name, 1 - (embedding <=> @query) as sim from movies) select name from ranked order by sim desc limit 3
-- meant
WITH ranked AS (SELECT Name, 1 - VECTOR_DISTANCE('cosine', Embedding, @q) AS sim FROM Movie) SELECT TOP 3 Name FROM ranked ORDER BY sim DESC

-- name: cosine with double quotes
-- class: vectors
-- fresh: sixth
SELECT TOP 3 t.Name FROM Theme t ORDER BY VECTOR_DISTANCE("cosine", t.Embedding, @q) ASC
-- meant
SELECT TOP 3 t.Name FROM Theme t ORDER BY VECTOR_DISTANCE('cosine', t.Embedding, @q) ASC

-- name: distance of a function of the text
-- class: vectors
-- fresh: sixth
SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, EMBED(@q))
-- meant
SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- name: current year
-- class: dialect
-- fresh: sixth
SELECT Name FROM Movie WHERE ReleaseYear > YEAR(NOW()) - 5 ORDER BY ReleaseYear DESC, Name
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > YEAR(GETDATE()) - 5 ORDER BY ReleaseYear DESC, Name

-- name: starts_with and lower
-- class: dialect
-- fresh: sixth
SELECT Name FROM Movie WHERE STARTS_WITH(LOWER(Name), 'the') AND ReleaseYear::text LIKE '19%'
-- meant
SELECT Name FROM Movie WHERE LOWER(Name) LIKE 'the%' AND CAST(ReleaseYear AS NVARCHAR(MAX)) LIKE '19%'

-- name: null safe coalesce
-- class: dialect
-- fresh: sixth
SELECT Name, NVL(ReleaseYear, 'unknown') AS y FROM Movie ORDER BY Id
-- meant
SELECT Name, ISNULL(CAST(ReleaseYear AS NVARCHAR(30)), 'unknown') AS y FROM Movie ORDER BY Id

-- name: films of a place
-- class: names
-- fresh: seventh
SELECT m.Title FROM Movie m JOIN SET_IN si ON si.MovieId = m.MovieId JOIN Setting s ON s.SettingId = si.SettingId WHERE s.SettingName = 'Desert Planet' ORDER BY m.Title
-- meant
SELECT m.Name FROM Movie m, SET_IN si, Setting s WHERE MATCH(m-(si)->s) AND s.Name = 'Desert Planet' ORDER BY m.Name

-- name: years between with typo
-- class: names
-- fresh: seventh
SELECT Name, RelaseYear FROM Movei WHERE RelaseYear BETWEEN 1990 AND 1999 ORDER BY RelaseYear, Name
-- meant
SELECT Name, ReleaseYear FROM Movie WHERE ReleaseYear BETWEEN 1990 AND 1999 ORDER BY ReleaseYear, Name

-- name: genre count limit
-- class: dialect
-- fresh: seventh
SELECT g.Name AS genre, COUNT(m.Id) AS total FROM Genre g JOIN IN_GENRE ig ON g.Id = ig.GenreId JOIN Movie m ON m.Id = ig.MovieId GROUP BY g.Name HAVING total > 1 ORDER BY total DESC, genre LIMIT 5
-- meant
SELECT TOP 5 g.Name AS genre, COUNT(m.Id) AS total FROM Genre g, IN_GENRE ig, Movie m WHERE MATCH(m-(ig)->g) GROUP BY g.Name HAVING COUNT(m.Id) > 1 ORDER BY total DESC, genre

-- name: MATCH after joins
-- class: graph
-- fresh: seventh
SELECT DISTINCT m.Name FROM Movie AS m JOIN FEATURES_CHARACTER AS f ON 1=1 JOIN Character AS c ON 1=1 WHERE MATCH(c-(f)->m) AND c.Name LIKE '%Ripley%'
-- meant
SELECT DISTINCT m.Name FROM Movie AS m, FEATURES_CHARACTER AS f, Character AS c WHERE MATCH(m-(f)->c) AND c.Name LIKE '%Ripley%'

-- name: Cypher plain
-- class: graph
-- fresh: seventh
MATCH (m:Movie)-[:PART_OF_SERIES]->(s:Series {name: 'Star Wars'}) RETURN m.title, m.release_year ORDER BY m.release_year
-- meant
SELECT m.Name, m.ReleaseYear FROM Movie m, PART_OF_SERIES e, Series s WHERE MATCH(m-(e)->s) AND s.Name = 'Star Wars' ORDER BY m.ReleaseYear

-- name: shared theme by Cypher arrows in SQL
-- class: graph
-- fresh: seventh
SELECT TOP 10 b.Name FROM Movie a, INCLUDES_THEME x, Theme t, INCLUDES_THEME y, Movie b WHERE MATCH((a)-[x]->(t)<-[y]-(b)) AND a.Name = 'Alien' AND a.Id <> b.Id ORDER BY b.Name
-- meant
SELECT TOP 10 b.Name FROM Movie a, INCLUDES_THEME x, Theme t, INCLUDES_THEME y, Movie b WHERE MATCH(a-(x)->t<-(y)-b) AND a.Name = 'Alien' AND a.Id <> b.Id ORDER BY b.Name

-- name: edge alias left out
-- class: graph
-- fresh: seventh
SELECT m.Name, s.Name FROM Movie m, SET_IN, Setting s WHERE MATCH(m-(SET_IN)->s) ORDER BY m.Name, s.Name
-- meant
SELECT m.Name, s.Name FROM Movie m, SET_IN e, Setting s WHERE MATCH(m-(e)->s) ORDER BY m.Name, s.Name

-- name: not in a genre
-- class: graph
-- fresh: seventh
SELECT m.Name FROM Movie m WHERE NOT MATCH(m-(IN_GENRE)->Genre) ORDER BY m.Name
-- meant
SELECT m.Name FROM Movie m WHERE NOT EXISTS (SELECT 1 FROM IN_GENRE e, Genre g WHERE e.$from_id = m.$node_id AND e.$to_id = g.$node_id) ORDER BY m.Name

-- name: films with a genre list
-- class: aggregates
-- fresh: seventh
SELECT m.Id, m.Name, STRING_AGG(g.Name, ', ') FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g)
-- meant
SELECT m.Id, m.Name, STRING_AGG(g.Name, ', ') FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) GROUP BY m.Id, m.Name

-- name: average by decade
-- class: aggregates
-- fresh: seventh
SELECT (ReleaseYear/10)*10 AS decade, COUNT(*) films FROM Movie WHERE ReleaseYear IS NOT NULL GROUP BY decade HAVING films >= 2 ORDER BY decade
-- meant
SELECT (ReleaseYear/10)*10 AS decade, COUNT(*) films FROM Movie WHERE ReleaseYear IS NOT NULL GROUP BY (ReleaseYear/10)*10 HAVING COUNT(*) >= 2 ORDER BY decade

-- name: nested order
-- class: aggregates
-- fresh: seventh
SELECT AVG(n) FROM (SELECT m.Id, COUNT(*) AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY m.Id ORDER BY n DESC)
-- meant
SELECT AVG(n) FROM (SELECT m.Id, COUNT(*) AS n FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY m.Id) AS x

-- name: count where
-- class: aggregates
-- fresh: seventh
SELECT COUNT(*) WHERE ReleaseYear = 1999 FROM Movie
-- meant
SELECT COUNT(*) FROM Movie WHERE ReleaseYear = 1999

-- name: phrase search
-- class: fulltext
-- fresh: seventh
SELECT TOP 10 Id, Name FROM Movie WHERE CONTAINS(Content, 'young wizard') ORDER BY Name
-- meant
SELECT TOP 10 Id, Name FROM Movie WHERE CONTAINS(Content, '"young wizard"') ORDER BY Name

-- name: search with OR of phrases
-- class: fulltext
-- fresh: seventh
SELECT Name FROM Movie WHERE CONTAINS((Name, Content), 'time machine OR parallel world OR robot')
-- meant
SELECT Name FROM Movie WHERE CONTAINS((Name, Content), '"time machine" OR "parallel world" OR robot')

-- name: search by LIKE sign
-- class: fulltext
-- fresh: seventh
SELECT Name FROM Movie WHERE Content CONTAINS 'rebels'
-- meant
SELECT Name FROM Movie WHERE Content LIKE '%rebels%'

-- name: ranked by bare rank
-- class: fulltext
-- fresh: seventh
SELECT TOP 5 m.Name FROM CONTAINSTABLE(Movie, Content, 'deep space') AS r JOIN Movie m ON m.Id = r.[KEY] ORDER BY RANK DESC, m.Id
-- meant
SELECT TOP 5 m.Name FROM CONTAINSTABLE(Movie, Content, '"deep space"') AS r JOIN Movie m ON m.Id = r.[KEY] ORDER BY r.RANK DESC, m.Id

-- name: distance with named vector
-- class: vectors
-- fresh: seventh
SELECT TOP 10 m.Id, m.Name, VECTOR_DISTANCE('cosine', m.Embedding, @queryVector) AS Distance FROM Movie AS m ORDER BY Distance
-- meant
SELECT TOP 10 m.Id, m.Name, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS Distance FROM Movie AS m ORDER BY Distance

-- name: L2 distance of DuckDB
-- class: vectors
-- fresh: seventh
SELECT name FROM movie ORDER BY array_cosine_distance(embedding, $query) LIMIT 4
-- meant
SELECT TOP 4 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)

-- name: metric upper case without quotes
-- class: vectors
-- fresh: seventh
SELECT TOP 5 t.Name FROM Theme t ORDER BY VECTOR_DISTANCE(t.Embedding, @q, COSINE)
-- meant
SELECT TOP 5 t.Name FROM Theme t ORDER BY VECTOR_DISTANCE('cosine', t.Embedding, @q)

-- name: nearest in a genre
-- class: vectors
-- fresh: seventh
SELECT m.Name, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS d FROM Movie m JOIN IN_GENRE i ON m.$node_id = i.$from_id JOIN Genre g ON g.$node_id = i.$to_id WHERE g.Name = 'Drama' ORDER BY d LIMIT 5
-- meant
SELECT TOP 5 m.Name, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS d FROM Movie m JOIN IN_GENRE i ON m.$node_id = i.$from_id JOIN Genre g ON g.$node_id = i.$to_id WHERE g.Name = 'Drama' ORDER BY d

-- name: parenthesis after count
-- class: syntax
-- fresh: seventh
SELECT ReleaseYear, COUNT(*)) AS n FROM Movie GROUP BY ReleaseYear ORDER BY n DESC, ReleaseYear
-- meant
SELECT ReleaseYear, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear ORDER BY n DESC, ReleaseYear

-- name: missing parenthesis of a CTE
-- class: syntax
-- fresh: seventh
WITH x AS (SELECT Id, Name FROM Movie WHERE ReleaseYear > 1990 SELECT Name FROM x ORDER BY Name
-- meant
WITH x AS (SELECT Id, Name FROM Movie WHERE ReleaseYear > 1990) SELECT Name FROM x ORDER BY Name

-- name: missing comma in FROM
-- class: syntax
-- fresh: seventh
SELECT m.Name, t.Name FROM Movie m INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) AND m.Name = 'Star Wars'
-- meant
SELECT m.Name, t.Name FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) AND m.Name = 'Star Wars'

-- name: missing AND after MATCH
-- class: syntax
-- fresh: seventh
SELECT m.Name FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) g.Name = 'War' ORDER BY m.Name
-- meant
SELECT m.Name FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) AND g.Name = 'War' ORDER BY m.Name

-- name: missing IN
-- class: syntax
-- fresh: seventh
SELECT Name FROM Movie WHERE ReleaseYear (1979, 1986) ORDER BY Name
-- meant
SELECT Name FROM Movie WHERE ReleaseYear IN (1979, 1986) ORDER BY Name

-- name: missing WHERE
-- class: syntax
-- fresh: seventh
SELECT m.Name FROM Movie m m.ReleaseYear = 1982 ORDER BY m.Name
-- meant
SELECT m.Name FROM Movie m WHERE m.ReleaseYear = 1982 ORDER BY m.Name

-- name: open quote before ORDER
-- class: syntax
-- fresh: seventh
SELECT Name FROM Movie WHERE Name LIKE '%War% ORDER BY Name
-- meant
SELECT Name FROM Movie WHERE Name LIKE '%War%' ORDER BY Name

-- name: apostrophe
-- class: syntax
-- fresh: seventh
SELECT Name FROM Movie WHERE Name = 'Schindler's List' OR Name = 'Alien'
-- meant
SELECT Name FROM Movie WHERE Name = 'Schindler''s List' OR Name = 'Alien'

-- name: SELECT DISTINCT twice and typo
-- class: syntax
-- fresh: seventh
SELECT DISTINCT DISTINCT Name FROM Movie WHERE ReleaseYear > 1990 ORDR BY Name
-- meant
SELECT DISTINCT Name FROM Movie WHERE ReleaseYear > 1990 ORDER BY Name

-- name: stray semicolon and fence
-- class: syntax
-- fresh: seventh
```
SELECT Name FROM Movie; WHERE ReleaseYear > 1990 ORDER BY Name
```
-- meant
SELECT Name FROM Movie WHERE ReleaseYear > 1990 ORDER BY Name

-- name: THEN left out
-- class: syntax
-- fresh: seventh
SELECT Name, CASE WHEN ReleaseYear < 1980 'old' ELSE 'new' END AS age FROM Movie ORDER BY Id
-- meant
SELECT Name, CASE WHEN ReleaseYear < 1980 THEN 'old' ELSE 'new' END AS age FROM Movie ORDER BY Id

-- name: NOT NULL
-- class: syntax
-- fresh: seventh
SELECT Name FROM Movie WHERE ReleaseYear NOT NULL ORDER BY Name
-- meant
SELECT Name FROM Movie WHERE ReleaseYear IS NOT NULL ORDER BY Name

-- name: offset paging
-- class: dialect
-- fresh: seventh
SELECT Name FROM Movie ORDER BY Name LIMIT 5 OFFSET 5
-- meant
SELECT Name FROM Movie ORDER BY Name OFFSET 5 ROWS FETCH NEXT 5 ROWS ONLY

-- name: concat with null year
-- class: dialect
-- fresh: seventh
SELECT Name || ' - ' || COALESCE(ReleaseYear::text, 'n/a') AS label FROM Movie ORDER BY Id LIMIT 3
-- meant
SELECT TOP 3 Name + ' - ' + COALESCE(CAST(ReleaseYear AS NVARCHAR(MAX)), 'n/a') AS label FROM Movie ORDER BY Id

-- name: case insensitive regex
-- class: dialect
-- fresh: seventh
SELECT Name FROM Movie WHERE Name ~* 'war' ORDER BY Name
-- meant
SELECT Name FROM Movie WHERE Name LIKE '%war%' ORDER BY Name

-- name: boolean select
-- class: dialect
-- fresh: seventh
SELECT Name, ReleaseYear > 2000 AS modern FROM Movie ORDER BY Id
-- meant
SELECT Name, CASE WHEN ReleaseYear > 2000 THEN 1 WHEN NOT ReleaseYear > 2000 THEN 0 END AS modern FROM Movie ORDER BY Id

-- name: double quotes and backticks
-- class: dialect
-- fresh: seventh
SELECT `m`.`Name` FROM `Movie` `m` WHERE `m`.`Name` = "Alien"
-- meant
SELECT m.Name FROM Movie m WHERE m.Name = 'Alien'

-- name: substring and length
-- class: dialect
-- fresh: seventh
SELECT LEFT(Content, 20) AS start, LENGTH(Name) AS len FROM Movie WHERE INSTR(Content, 'space') > 0 ORDER BY Id
-- meant
SELECT LEFT(Content, 20) AS start, LEN(Name) AS len FROM Movie WHERE CHARINDEX('space', Content) > 0 ORDER BY Id

-- name: box office
-- class: names
-- fresh: seventh
-- unfixable: the graph holds no box office
SELECT Name FROM Movie ORDER BY box_office DESC LIMIT 5

-- name: cast
-- class: names
-- fresh: seventh
-- unfixable: the graph holds no actors
SELECT m.Name FROM Movie m, ACTED_IN a, Actor p WHERE MATCH(p-(a)->m) AND p.Name = 'Harrison Ford'

-- name: guess of a column between Name and Content
-- class: names
-- fresh: beyond
-- unfixable: a film has no tagline; neither title nor plot is one
SELECT Name FROM Movie WHERE Tagline LIKE '%alone%'

-- name: guess of a budget
-- class: names
-- fresh: beyond
-- unfixable: the graph holds no budgets
SELECT Name, Budget FROM Movie WHERE Budget > 1000000 LIMIT 5

-- name: guess of actors
-- class: names
-- fresh: beyond
-- unfixable: characters are figures, never actors
SELECT a.Name FROM Actors a JOIN Movie m ON a.MovieId = m.Id WHERE m.Name = 'Alien'

-- name: guess of a director by an edge
-- class: graph
-- fresh: beyond
-- unfixable: the graph holds no directors
SELECT p.Name FROM Movie m, DIRECTED_BY d, Person p WHERE MATCH(m-(d)->p) AND m.Name = 'Alien'

-- name: guess of a runtime in an aggregate
-- class: aggregates
-- fresh: beyond
-- unfixable: the graph holds no running times
SELECT AVG(Runtime) FROM Movie WHERE ReleaseYear = 1999

-- name: guess of a rating threshold
-- class: names
-- fresh: beyond
-- unfixable: the graph holds no ratings
SELECT m.Name FROM Movie m WHERE m.imdb_rating >= 8 ORDER BY m.imdb_rating DESC

-- name: guess which Name is listed
-- class: names
-- fresh: beyond
-- unfixable: Name stands in both tables
SELECT Name, COUNT(*) FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g) GROUP BY Name

-- name: guess which Id is compared
-- class: names
-- fresh: beyond
-- unfixable: Id stands in both tables
SELECT m.Name FROM Movie m, Series s WHERE Id = 5 AND s.Name = 'Star Wars'

-- name: guess between two films by an unknown alias
-- class: names
-- fresh: beyond
-- unfixable: x could be either film
SELECT x.Name FROM Movie a, INCLUDES_THEME e1, Theme t, INCLUDES_THEME e2, Movie b WHERE MATCH(a-(e1)->t<-(e2)-b) AND a.Name = 'Alien'

-- name: guess between two genres by a table name
-- class: names
-- fresh: beyond
-- unfixable: Genre could be either alias
SELECT Genre.Name FROM Movie m, IN_GENRE i1, Genre g1, IN_GENRE i2, Genre g2 WHERE MATCH(m-(i1)->g1 AND m-(i2)->g2) AND g1.Name = 'War'

-- name: guess of a sign before a number
-- class: syntax
-- fresh: beyond
-- unfixable: the comparison could be any
SELECT Name FROM Movie WHERE ReleaseYear 1980 AND Name LIKE 'A%'

-- name: guess of a sign before a threshold
-- class: aggregates
-- fresh: beyond
-- unfixable: the comparison could be any
SELECT ReleaseYear, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear HAVING COUNT(*) 3

-- name: guess of AND beside OR
-- class: syntax
-- fresh: beyond
-- unfixable: the word left out could be AND or OR
SELECT Name FROM Movie WHERE ReleaseYear = 1979 OR ReleaseYear = 1986 Name LIKE 'A%'

-- name: guess of a word between two years
-- class: syntax
-- fresh: beyond
-- unfixable: two values of one column: OR, a list or a range
SELECT Name FROM Movie WHERE ReleaseYear = 1979 1986

-- name: guess of an opened parenthesis among AND and OR
-- class: syntax
-- fresh: beyond
-- unfixable: where the parenthesis opened is not said
SELECT Name FROM Movie WHERE ReleaseYear > 1990 AND Name LIKE 'A%' OR Name LIKE 'B%') AND Id > 3

-- name: guess of a closed parenthesis among AND and OR
-- class: syntax
-- fresh: beyond
-- unfixable: where the parenthesis closes is not said
SELECT Name FROM Movie WHERE (Name LIKE 'A%' OR Name LIKE 'B%' AND ReleaseYear > 1990 ORDER BY Id

-- name: guess of a parenthesis in arithmetic
-- class: syntax
-- fresh: beyond
-- unfixable: what is multiplied is not said
SELECT (ReleaseYear - 1900 * 2 AS n FROM Movie ORDER BY Id

-- name: guess of a parenthesis before a product
-- class: syntax
-- fresh: beyond
-- unfixable: where the parenthesis opened is not said
SELECT Id + ReleaseYear - 1900) * 2 AS n FROM Movie

-- name: guess of the end of half a statement
-- class: syntax
-- fresh: beyond
-- unfixable: the statement breaks off
SELECT Name FROM Movie WHERE ReleaseYear >

-- name: guess of the bound of BETWEEN
-- class: syntax
-- fresh: beyond
-- unfixable: one bound is missing
SELECT Name FROM Movie WHERE ReleaseYear BETWEEN 1980

-- name: guess of what is ordered by
-- class: syntax
-- fresh: beyond
-- unfixable: the column is missing
SELECT TOP 3 Name FROM Movie ORDER BY

-- name: guess of a list without values
-- class: syntax
-- fresh: beyond
-- unfixable: the values are missing
SELECT Name FROM Movie WHERE ReleaseYear IN ()

-- name: guess of a table
-- class: syntax
-- fresh: beyond
-- unfixable: no table is named
SELECT Name, ReleaseYear WHERE ReleaseYear > 1990

-- name: guess of a condition of a self join
-- class: syntax
-- fresh: beyond
-- unfixable: what joins the two films is not said
SELECT a.Name, b.Name FROM Movie a JOIN Movie b WHERE a.Name = 'Alien' AND b.director = a.director

-- name: guess of a LEFT JOIN without a condition
-- class: graph
-- fresh: beyond
-- unfixable: a left join without ON has no condition to keep
SELECT m.Name, s.Name FROM Movie m LEFT JOIN Series s ORDER BY m.Id

-- name: guess of an edge between films
-- class: graph
-- fresh: beyond
-- unfixable: no edge joins two films, and the way between them is not said
SELECT b.Name FROM Movie a, SIMILAR_TO s, Movie b WHERE MATCH(a-(s)->b) AND a.Name = 'Alien'

-- name: guess of an edge between genres and themes
-- class: graph
-- fresh: beyond
-- unfixable: genres and themes meet in films only
SELECT t.Name FROM Genre g, HAS_THEME h, Theme t WHERE MATCH(g-(h)->t) AND g.Name = 'War'

-- name: guess of an edge of the wrong kind
-- class: graph
-- fresh: beyond
-- unfixable: the edge contradicts the table it leads to
SELECT m.Name FROM Movie m, SET_IN e, Theme t WHERE MATCH(m-(e)->t) AND t.Name = 'War'

-- name: guess of a weight of an edge
-- class: graph
-- fresh: beyond
-- unfixable: edges have no columns of their own
SELECT m.Name FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) AND e.weight > 0.5

-- name: guess of a text behind a search
-- class: fulltext
-- fresh: beyond
-- unfixable: what is searched is missing
SELECT Name FROM Movie WHERE CONTAINS(Content, '')

-- name: guess of a column that is not searched
-- class: fulltext
-- fresh: beyond
-- unfixable: only texts are searched by words
SELECT Name FROM Movie WHERE CONTAINS(ReleaseYear, '1999')

-- name: guess of a vector written out
-- class: vectors
-- fresh: beyond
-- unfixable: a vector of three numbers is none of the graph's
SELECT TOP 5 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, '[0.1, 0.2, 0.3]')

-- name: guess of a metric
-- class: vectors
-- fresh: beyond
-- unfixable: there is no such metric
SELECT TOP 5 Name FROM Movie ORDER BY VECTOR_DISTANCE('jaccard', Embedding, @q)

-- name: guess of a sum of distances by weights
-- class: vectors
-- fresh: beyond
-- unfixable: the second parameter is not served
SELECT TOP 5 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q) + VECTOR_DISTANCE('cosine', Embedding, @p)

-- name: guess of a random sample
-- class: dialect
-- fresh: beyond
-- unfixable: no order differs from call to call
SELECT Name FROM Movie ORDER BY RAND() LIMIT 3

-- name: guess of a write
-- class: dialect
-- fresh: beyond
-- unfixable: nothing can be changed
UPDATE Movie SET ReleaseYear = 1979 WHERE Name = 'Alien'

-- name: guess of two statements
-- class: dialect
-- fresh: beyond
-- unfixable: two questions in one text
SELECT Name FROM Movie WHERE Id = 1; SELECT Name FROM Genre WHERE Id = 2

-- name: guess of Oracle's first rows before an order
-- class: dialect
-- fresh: beyond
-- unfixable: Oracle numbers rows before it sorts them
SELECT Name FROM Movie WHERE ROWNUM <= 5 ORDER BY Name

-- name: guess of a column grouped too little
-- class: aggregates
-- fresh: beyond
-- unfixable: one year for each theme, or any year
SELECT t.Name, m.ReleaseYear, COUNT(*) FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) GROUP BY t.Name

-- name: guess of a percent of nothing
-- class: aggregates
-- fresh: beyond
-- unfixable: the divisor is missing
SELECT 100 * COUNT(*) / AS share FROM Movie WHERE ReleaseYear > 1990

-- name: guess of a quote among two texts
-- class: syntax
-- fresh: beyond
-- unfixable: which of the words belong to the text is not said
SELECT Name FROM Movie WHERE Name = Alien' OR 'Aliens
