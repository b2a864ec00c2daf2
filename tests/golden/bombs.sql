-- name: product through a constant column
-- class: product
WITH a AS (SELECT 1 AS k, m.Id FROM Movie AS m) SELECT SUM(CAST((x.Id + y.Id) % 7 AS BIGINT)) AS n FROM a AS x JOIN a AS y ON x.k = y.k JOIN a AS z ON z.k = x.k

-- name: product through a coarse group
-- class: product
SELECT COUNT(*) AS n FROM Movie AS a JOIN Movie AS b ON b.ReleaseYear / 100 = a.ReleaseYear / 100 JOIN Movie AS c ON c.ReleaseYear / 100 = a.ReleaseYear / 100 WHERE a.Name <> b.Name AND b.Content <> c.Content

-- name: products of MATCH hops
-- class: product
SELECT COUNT(*) AS n FROM Movie AS a, IN_GENRE AS e, Genre AS g, IN_GENRE AS f, Movie AS b, INCLUDES_THEME AS h, Theme AS t, INCLUDES_THEME AS i, Movie AS c, IN_GENRE AS j, Genre AS k, IN_GENRE AS l, Movie AS d WHERE MATCH(a-(e)->g<-(f)-b-(h)->t<-(i)-c-(j)->k<-(l)-d) AND a.Name <> d.Name

-- name: inequality joins
-- class: product
WITH a AS (SELECT 1 AS k, m.Id, m.Name FROM Movie AS m) SELECT COUNT(*) AS n FROM a AS x JOIN a AS y ON x.k = y.k AND x.Name < y.Name JOIN a AS z ON z.k = x.k AND y.Name < z.Name

-- name: applies in applies
-- class: product
SELECT COUNT(*) AS n FROM Movie AS m CROSS APPLY (SELECT o.Id, o.Name FROM Movie AS o WHERE o.Id <> m.Id) AS p CROSS APPLY (SELECT q.Id FROM Movie AS q WHERE q.Name <> p.Name) AS r

-- name: a subquery for every row
-- class: correlated
SELECT TOP 20 m.Name, (SELECT COUNT(*) FROM Movie AS o WHERE o.Content > m.Content) AS n FROM Movie AS m ORDER BY n DESC

-- name: EXISTS over inequalities
-- class: correlated
SELECT COUNT(*) AS n FROM Movie AS m WHERE NOT EXISTS (SELECT 1 FROM Movie AS o WHERE o.Content + m.Content = 'x' OR LEN(o.Name + m.Name) > 9000)

-- name: distances between all pairs
-- class: vectors
WITH a AS (SELECT 1 AS k, m.Id, m.Embedding FROM Movie AS m) SELECT MIN(VECTOR_DISTANCE('cosine', x.Embedding, y.Embedding)) AS d FROM a AS x JOIN a AS y ON x.k = y.k AND x.Id < y.Id

-- name: distances between pairs of all tables
-- class: vectors
WITH a AS (SELECT 1 AS k, c.Embedding FROM Character AS c) SELECT COUNT(*) AS n FROM a AS x JOIN a AS y ON x.k = y.k JOIN a AS z ON z.k = x.k WHERE VECTOR_DISTANCE('euclidean', x.Embedding, y.Embedding) < VECTOR_DISTANCE('dot', y.Embedding, z.Embedding)

-- name: text that doubles in every CTE
-- class: text
WITH a AS (SELECT REPLICATE('ab', 4000) AS s), b AS (SELECT s + s + s + s AS s FROM a), c AS (SELECT s + s + s + s AS s FROM b), d AS (SELECT s + s + s + s AS s FROM c), e AS (SELECT s + s + s + s AS s FROM d), f AS (SELECT s + s + s + s AS s FROM e), g AS (SELECT s + s + s + s AS s FROM f), h AS (SELECT s + s + s + s AS s FROM g) SELECT LEN(s) AS n FROM h

-- name: nested REPLACE
-- class: text
SELECT LEN(REPLACE(REPLACE(REPLACE(REPLICATE('a', 8000), 'a', 'aaaaaaaaaa'), 'a', REPLICATE('b', 100)), 'b', REPLICATE('c', 8000))) AS n

-- name: REPLACE of every row by itself
-- class: text
SELECT SUM(LEN(REPLACE(REPLACE(m.Content, 'e', m.Content), 'a', m.Content))) AS n FROM Movie AS m

-- name: nested REPLICATE in a concatenation
-- class: text
SELECT TOP 20 LEN(CONCAT(REPLICATE(m.Content, 8000), REPLICATE(m.Content, 8000), REPLICATE(m.Content, 8000), SPACE(8000))) AS n FROM Movie AS m

-- name: STRING_AGG over a product
-- class: text
WITH a AS (SELECT 1 AS k, m.Content FROM Movie AS m) SELECT LEN(STRING_AGG(CAST(x.Content AS NVARCHAR(MAX)), ',')) AS n FROM a AS x JOIN a AS y ON x.k = y.k

-- name: STRING_AGG of STRING_AGG
-- class: text
WITH a AS (SELECT g.Name AS g, STRING_AGG(CAST(m.Content AS NVARCHAR(MAX)), ',') AS s FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) GROUP BY g.Name) SELECT LEN(STRING_AGG(x.s, y.s)) AS n FROM a AS x JOIN a AS y ON LEFT(x.s, 0) = LEFT(y.s, 0)

-- name: LIKE with many wildcards
-- class: patterns
SELECT COUNT(*) AS n FROM Movie AS m WHERE m.Content LIKE '%a%b%c%d%e%f%g%h%i%j%k%l%m%n%o%p%q%r%s%t%u%v%w%x%y%z%a%b%c%d%e%f%'

-- name: LIKE with classes over one long text
-- class: patterns
SELECT COUNT(*) AS n FROM Movie AS m WHERE REPLICATE('a', 8000) + m.Name LIKE '%[ab]%[ab]%[ab]%[ab]%[ab]%[ab]%[ab]%[ab]%c%d'

-- name: PATINDEX over one long text
-- class: patterns
SELECT SUM(PATINDEX('%[ab]%[ab]%[ab]%[ab]%[ab]%c%d%', REPLICATE('a', 8000) + m.Name)) AS n FROM Movie AS m

-- name: sort of a product
-- class: aggregates
WITH a AS (SELECT 1 AS k, m.Name, m.Content FROM Movie AS m) SELECT TOP 20 x.Name, y.Content FROM a AS x JOIN a AS y ON x.k = y.k ORDER BY REVERSE(y.Content), x.Content DESC

-- name: groups of a product
-- class: aggregates
WITH a AS (SELECT 1 AS k, m.Name FROM Movie AS m) SELECT TOP 20 x.Name + y.Name AS n, COUNT(*) AS c FROM a AS x JOIN a AS y ON x.k = y.k GROUP BY x.Name + y.Name ORDER BY c DESC

-- name: distinct values of a product
-- class: aggregates
WITH a AS (SELECT 1 AS k, m.Name FROM Movie AS m) SELECT COUNT(DISTINCT x.Name + y.Name + x.Name) AS n FROM a AS x JOIN a AS y ON x.k = y.k

-- name: windows over a product
-- class: aggregates
WITH a AS (SELECT 1 AS k, m.Id, m.Name FROM Movie AS m) SELECT TOP 20 x.Name, ROW_NUMBER() OVER (PARTITION BY y.Name ORDER BY x.Name DESC, y.Id) AS r, SUM(x.Id) OVER (ORDER BY y.Id, x.Id ROWS BETWEEN 500 PRECEDING AND 500 FOLLOWING) AS s FROM a AS x JOIN a AS y ON x.k = y.k ORDER BY r DESC

-- name: cube of many columns
-- class: aggregates
SELECT TOP 20 m.Name, COUNT(*) AS n FROM Movie AS m, FEATURES_CHARACTER AS e, Character AS c, INCLUDES_THEME AS f, Theme AS t WHERE MATCH(m-(e)->c AND m-(f)->t) GROUP BY CUBE (m.Name, c.Name, t.Name, m.ReleaseYear, m.Content, c.Content, t.Content) ORDER BY n DESC

-- name: percentiles over a product
-- class: aggregates
WITH a AS (SELECT 1 AS k, m.Id FROM Movie AS m) SELECT TOP 20 PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x.Id * 1.0 + y.Id) OVER (PARTITION BY y.Id % 3) AS p FROM a AS x JOIN a AS y ON x.k = y.k

-- name: FOR JSON in FOR JSON
-- class: expansion
SELECT TOP 20 m.Name, (SELECT TOP 1000 o.Name, o.Content, (SELECT TOP 1000 p.Name, p.Content FROM Movie AS p WHERE p.Id <> o.Id FOR JSON PATH) AS more FROM Movie AS o WHERE o.Id <> m.Id FOR JSON PATH) AS films FROM Movie AS m FOR JSON PATH

-- name: FOR JSON of a long text at the root
-- class: expansion
SELECT TOP 20 m.Name, REPLICATE(m.Content, 8000) AS a, REPLICATE(m.Content, 8000) AS b, REPLICATE('"', 8000) AS c FROM Movie AS m FOR JSON PATH

-- name: long JSON for every row
-- class: expansion
SELECT COUNT(j.a) AS n FROM GENERATE_SERIES(1, 1000) AS m CROSS APPLY OPENJSON('[' + REPLICATE('[1,2,3],', 900) + CONVERT(NVARCHAR(20), m.value) + ']') WITH (a INT '$[0]') AS j

-- name: changes of long JSON
-- class: expansion
SELECT SUM(LEN(JSON_MODIFY('[' + REPLICATE('[1,2,3],', 900) + CONVERT(NVARCHAR(20), m.value) + ']', '$[800]', 1))) AS n FROM GENERATE_SERIES(1, 1000) AS m

-- name: splits of splits
-- class: expansion
SELECT COUNT(*) AS n FROM STRING_SPLIT(REPLICATE('a,', 4000), ',') AS a CROSS APPLY STRING_SPLIT(REPLICATE('b' + a.value + ',', 2000), ',') AS b CROSS APPLY STRING_SPLIT(REPLICATE('c' + b.value + ',', 2000), ',') AS c

-- name: forty arms
-- class: expansion
SELECT COUNT(*) AS n FROM (SELECT a.Content FROM Movie AS a UNION ALL SELECT b.Content FROM Movie AS b UNION ALL SELECT c.Content FROM Movie AS c UNION ALL SELECT d.Content FROM Movie AS d UNION ALL SELECT e.Content FROM Movie AS e) AS u JOIN (SELECT a.Content FROM Movie AS a UNION ALL SELECT b.Content FROM Movie AS b UNION ALL SELECT c.Content FROM Movie AS c) AS v ON LEFT(u.Content, 1) = LEFT(v.Content, 1) WHERE u.Content < v.Content

-- name: prefixes near prefixes
-- class: full text
SELECT COUNT(*) AS n FROM Movie AS m WHERE CONTAINS(m.Content, 'NEAR(("a*", "b*", "c*", "d*", "e*", "f*"), MAX, TRUE)')

-- name: phrases of prefixes
-- class: full text
SELECT COUNT(*) AS n FROM Movie AS m WHERE CONTAINS(*, '"a b c d e f g h*"') OR CONTAINS(*, '"t* s* a*"') OR CONTAINS(*, '"a*" AND "b*" AND "c*" AND NOT "d*" OR "s*" AND "t*"')

-- name: all words of the index
-- class: full text
SELECT SUM(f.[RANK]) AS n FROM FREETEXTTABLE(Movie, *, 'life love time man woman young old world war city family friend death secret night day home father mother story') AS f
