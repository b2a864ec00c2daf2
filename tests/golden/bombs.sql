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

-- name: many wildcards before a blank at the end
-- class: text
SELECT COUNT(*) AS n FROM Movie AS m WHERE REPLICATE('a', 7000) + CAST(m.Id AS VARCHAR(9)) + ' ' LIKE REPLICATE('%a_', 1300) + 'xx'

-- name: many wildcards of PATINDEX
-- class: text
SELECT COUNT(*) AS n FROM Movie AS m WHERE PATINDEX(REPLICATE('%a_', 1300) + 'xx%', REPLICATE('a', 7000) + CAST(m.Id AS VARCHAR(9))) > 0

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
WITH a AS (SELECT g.Name AS g, STRING_AGG(CAST(m.Content AS NVARCHAR(MAX)), ',') AS s FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g) GROUP BY g.Name) SELECT LEN(STRING_AGG(CONCAT(x.s, y.s), ',')) AS n FROM a AS x JOIN a AS y ON LEFT(x.s, 0) = LEFT(y.s, 0)

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

-- name: shortest paths from every film over themes
-- class: paths
SELECT COUNT(*) AS n FROM (SELECT a.Id, LAST_VALUE(b.Id) WITHIN GROUP (GRAPH PATH) AS last, STRING_AGG(b.Content, ' / ') WITHIN GROUP (GRAPH PATH) AS road FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+))) AS s

-- name: shortest paths over two relations beside each other
-- class: paths
SELECT COUNT(*) AS n FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b, IN_GENRE FOR PATH AS g, Genre FOR PATH AS h, IN_GENRE FOR PATH AS i, Movie FOR PATH AS c WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+) AND SHORTEST_PATH(a(-(g)->h<-(i)-c)+))

-- name: OPENJSON of a text that grows with every film
-- class: json
SELECT COUNT(*) AS n FROM Movie AS m CROSS APPLY OPENJSON(CONCAT('[', REPLICATE('1,', 3990), '1]')) AS j CROSS APPLY OPENJSON(CONCAT('[', REPLICATE('1,', 3990), '1]')) AS k

-- name: OPENJSON in OPENJSON
-- class: json
SELECT SUM(CAST(j.value AS BIGINT) * CAST(k.value AS BIGINT)) AS n FROM OPENJSON(CONCAT('[', REPLICATE('1,', 3990), '1]')) AS j CROSS APPLY OPENJSON(CONCAT('[', REPLICATE(CONCAT(j.value, ','), 3990), '1]')) AS k CROSS APPLY OPENJSON(CONCAT('[', REPLICATE(CONCAT(k.value, ','), 3990), '1]')) AS l

-- name: OPENJSON of the whole graph as one text
-- class: json
SELECT SUM(LEN(j.value)) AS n FROM OPENJSON((SELECT TOP 1000 a.Content, b.Name, c.Content AS d FROM Movie AS a, FEATURES_CHARACTER AS e, Character AS b, INCLUDES_THEME AS f, Theme AS c WHERE MATCH(a-(e)->b AND a-(f)->c) FOR JSON PATH)) AS j CROSS APPLY OPENJSON(j.value) AS k CROSS APPLY OPENJSON((SELECT TOP 1000 a.Content FROM Movie AS a FOR JSON PATH)) AS l

-- name: replacements by a pattern that grow
-- class: patterns
SELECT SUM(LEN(REGEXP_REPLACE(REGEXP_REPLACE(REPLICATE(m.Content, 30), '.', '\0\0\0\0\0\0\0\0\0'), '.', '\0\0\0\0\0\0\0\0'))) AS n FROM Movie AS m

-- name: JSON of all pairs, nested
-- class: json
WITH a AS (SELECT 1 AS k, m.Id, m.Content FROM Movie AS m) SELECT LEN((SELECT TOP 1000 x.Content, (SELECT TOP 1000 y.Content FROM a AS y WHERE y.k = x.k FOR JSON PATH) AS inner_rows FROM a AS x FOR JSON PATH)) AS n

-- name: a PIVOT of a product
-- class: pivot
WITH a AS (SELECT 1 AS k, m.Id, m.ReleaseYear FROM Movie AS m) SELECT TOP 20 * FROM (SELECT x.Id AS i, y.Id AS j, z.Id AS l, y.ReleaseYear AS yr, z.Id AS zid FROM a AS x JOIN a AS y ON x.k = y.k JOIN a AS z ON z.k = y.k) AS s PIVOT (COUNT(zid) FOR yr IN ([1970], [1971], [1972], [1973], [1974], [1975], [1976], [1977])) AS p ORDER BY p.i, p.j, p.l

-- name: UNPIVOT of a product
-- class: pivot
WITH a AS (SELECT 1 AS k, m.Id AS i, m.ReleaseYear AS y FROM Movie AS m) SELECT COUNT(*) AS n FROM (SELECT u.v FROM (SELECT x.i AS a, x.y AS b, y.i AS c, y.y AS d, z.i AS e FROM a AS x JOIN a AS y ON x.k = y.k JOIN a AS z ON z.k = y.k) AS s UNPIVOT (v FOR n IN (a, b, c, d, e)) AS u) AS t GROUP BY t.v % 3 ORDER BY n

-- name: VALUES applied to a product
-- class: pivot
WITH a AS (SELECT 1 AS k, m.Id AS i, m.ReleaseYear AS y FROM Movie AS m) SELECT COUNT(*) AS n FROM a AS x JOIN a AS y ON x.k = y.k JOIN a AS z ON z.k = y.k CROSS APPLY (VALUES (x.i), (x.y), (y.i), (y.y), (z.i)) AS u(v) GROUP BY u.v % 3 ORDER BY n

-- name: percentiles and distances over a product
-- class: product
WITH a AS (SELECT 1 AS k, c.Id, c.Embedding FROM Character AS c) SELECT TOP 5 PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY VECTOR_DISTANCE('cosine', x.Embedding, y.Embedding)) OVER (PARTITION BY x.Id) AS p FROM a AS x JOIN a AS y ON x.k = y.k

-- name: collation keys of a product
-- class: product
WITH a AS (SELECT 1 AS k, m.Content FROM Movie AS m) SELECT COUNT(DISTINCT x.Content + y.Content) AS n FROM a AS x JOIN a AS y ON x.k = y.k

-- name: long patterns over a product
-- class: patterns
WITH g AS (SELECT 1 AS k, s.value FROM GENERATE_SERIES(1, 10000) AS s) SELECT SUM(REGEXP_COUNT(REPLICATE(m.Content, 20), '(a|b|c|d|e)*(x|y|z){0,50}.{0,200}q')) AS n FROM Movie AS m JOIN g ON g.k = 1 + LEN(LEFT(m.Name, 0))

-- name: a LIKE that backtracks
-- class: patterns
WITH g AS (SELECT 1 AS k, s.value FROM GENERATE_SERIES(1, 10000) AS s), m AS (SELECT 1 AS k, REPLICATE(o.Content, 20) AS c FROM Movie AS o) SELECT COUNT(*) AS n FROM m JOIN g ON g.k = m.k WHERE CONCAT(REPLICATE('a', 7000), g.value) LIKE '%a%a%a%a%a%a%a%a%a%a%b' OR m.c LIKE '%[a-c]%[d-f]%[g-i]%[j-l]%[a-c]%[d-f]%[g-i]%#'

-- name: a PATINDEX that backtracks
-- class: patterns
WITH g AS (SELECT 1 AS k, s.value FROM GENERATE_SERIES(1, 10000) AS s) SELECT SUM(PATINDEX('%a%a%a%a%a%a%a%a%b', CONCAT(REPLICATE('a', 7000), a.value, b.value))) AS n FROM g AS a JOIN g AS b ON a.k = b.k

-- name: JSON values of every pair
-- class: json
WITH g AS (SELECT 1 AS k, s.value FROM GENERATE_SERIES(1, 10000) AS s) SELECT SUM(LEN(JSON_VALUE(CONCAT('{"a":[', REPLICATE('1,', 3900), a.value, b.value, ']}'), '$.a[3900]'))) AS n FROM g AS a JOIN g AS b ON a.k = b.k

-- name: JSON checked for every pair
-- class: json
WITH g AS (SELECT 1 AS k, s.value FROM GENERATE_SERIES(1, 10000) AS s) SELECT SUM(ISJSON(CONCAT('[', REPLICATE('[1],', 1990), a.value, ',', b.value, ']'))) AS n FROM g AS a JOIN g AS b ON a.k = b.k

-- name: JSON arrays of every pair
-- class: json
WITH a AS (SELECT 1 AS k, m.Content AS c FROM Movie AS m) SELECT MAX(LEN(JSON_ARRAY(JSON_OBJECT('a': x.c, 'b': JSON_ARRAY(x.c, y.c, z.c)), REPLICATE(z.c, 20)))) AS n FROM a AS x JOIN a AS y ON x.k = y.k JOIN a AS z ON z.k = y.k

-- name: distinct texts of a product of series
-- class: series
WITH g AS (SELECT 1 AS k, s.value AS v FROM GENERATE_SERIES(1, 10000) AS s) SELECT COUNT(DISTINCT CONCAT(a.v, REPLICATE('x', 4000), b.v)) AS n FROM g AS a JOIN g AS b ON a.k = b.k

-- name: a window over a product of series
-- class: series
WITH g AS (SELECT 1 AS k, s.value AS v FROM GENERATE_SERIES(1, 10000) AS s) SELECT MAX(x.s) AS s FROM (SELECT SUM(CAST(a.v AS BIGINT)) OVER (ORDER BY b.v DESC, a.v ROWS BETWEEN 10000 PRECEDING AND 10000 FOLLOWING) AS s FROM g AS a JOIN g AS b ON a.k = b.k) AS x

-- name: one long text of a product of series
-- class: series
WITH g AS (SELECT 1 AS k, s.value AS v FROM GENERATE_SERIES(1, 10000) AS s) SELECT LEN(STRING_AGG(CAST(CONCAT(a.v, REPLICATE('x', 4000)) AS NVARCHAR(MAX)), ',') WITHIN GROUP (ORDER BY b.v)) AS n FROM g AS a JOIN g AS b ON a.k = b.k

-- name: CUBE over a product of series
-- class: pivot
WITH g AS (SELECT 1 AS k, s.value AS v FROM GENERATE_SERIES(1, 10000) AS s) SELECT COUNT(*) AS n FROM (SELECT COUNT(*) AS n FROM g AS a JOIN g AS b ON a.k = b.k GROUP BY CUBE (a.v % 7, b.v % 11, a.v % 13, b.v % 17, a.v % 19, b.v % 23)) AS x

-- name: CUBE of many columns
-- class: pivot
SELECT COUNT(*) AS n FROM (SELECT COUNT(*) AS n FROM GENERATE_SERIES(1, 10000) AS g GROUP BY CUBE (g.value % 2, g.value % 3, g.value % 5, g.value % 7, g.value % 11, g.value % 13, g.value % 17, g.value % 19, g.value % 23, g.value % 29, g.value % 31, g.value % 37)) AS x

-- name: CUBE beside CUBE
-- class: pivot
SELECT COUNT(*) AS n FROM (SELECT COUNT(*) AS n FROM Movie AS m GROUP BY CUBE (m.Id, m.Name, m.ReleaseYear, m.Content, m.Id % 3, m.Id % 5), CUBE (m.Id % 7, m.Id % 11, m.Id % 13, m.Id % 17, m.Id % 19, m.Id % 23)) AS x

-- name: texts of a product converted
-- class: product
WITH g AS (SELECT 1 AS k, s.value AS v FROM GENERATE_SERIES(1, 10000) AS s) SELECT COUNT(TRY_CAST(REPLICATE('1', 30 + a.v % 8) AS DECIMAL(38, 0))) AS n, MAX(TRY_CONVERT(DATE, CONCAT(b.v, '-01-01'))) AS d FROM g AS a JOIN g AS b ON a.k = b.k JOIN g AS c ON c.k = b.k

-- name: a quantile of every frame
-- class: product
WITH g AS (SELECT 1 AS k, s.value AS v FROM GENERATE_SERIES(1, 10000) AS s) SELECT TOP 3 PERCENTILE_DISC(0.3) WITHIN GROUP (ORDER BY a.v) OVER (PARTITION BY b.v) AS p FROM g AS a JOIN g AS b ON a.k = b.k

-- name: words split by words of a product
-- class: text
WITH a AS (SELECT 1 AS k, m.Content AS c FROM Movie AS m) SELECT COUNT(*) AS n FROM a AS x JOIN a AS y ON x.k = y.k CROSS APPLY STRING_SPLIT(REPLICATE(CONCAT(x.c, y.c), 10), ' ') AS s CROSS APPLY STRING_SPLIT(REPLICATE(s.value, 1000), 'e') AS t

-- name: JSON columns read from every pair
-- class: json
WITH g AS (SELECT 1 AS k, s.value AS v FROM GENERATE_SERIES(1, 10000) AS s) SELECT SUM(j.a) AS n FROM g AS x JOIN g AS y ON x.k = y.k CROSS APPLY OPENJSON(CONCAT('[', REPLICATE(CONCAT('{"a":', x.v % 9, '},'), 780), '{"a":', y.v % 9, '}]')) WITH (a INT) AS j

-- name: FOR JSON AUTO of a product
-- class: json
WITH a AS (SELECT 1 AS k, m.Id, m.Content FROM Movie AS m) SELECT LEN((SELECT TOP 1000 x.Content, y.Content AS d, z.Id FROM a AS x JOIN a AS y ON x.k = y.k JOIN a AS z ON z.k = y.k ORDER BY z.Id, y.Content, x.Content FOR JSON AUTO)) AS n

-- name: FOR JSON of every row
-- class: json
SELECT SUM(LEN(x.j)) AS n FROM (SELECT (SELECT TOP 1000 c.Content, o.Content AS e FROM Character AS c WHERE c.Id <> o.Id FOR JSON PATH) AS j FROM Movie AS o) AS x

-- name: paths whose texts are long
-- class: paths
SELECT MAX(LEN(s.road)) AS n FROM (SELECT STRING_AGG(CAST(t.Content AS NVARCHAR(MAX)) + b.Content, ' / ') WITHIN GROUP (GRAPH PATH) AS road FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+))) AS s

-- name: paths from paths
-- class: paths
WITH p AS (SELECT a.Id AS x, LAST_VALUE(b.Id) WITHIN GROUP (GRAPH PATH) AS y FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+))) SELECT COUNT(*) AS n FROM p AS u JOIN p AS v ON u.y = v.x JOIN p AS w ON v.y = w.x WHERE u.x < w.y

-- name: vector distances of nested applies
-- class: vectors
SELECT SUM(y.d) AS n FROM Character AS c CROSS APPLY (SELECT TOP 100 d.Embedding, d.Id FROM Character AS d WHERE d.Id <> c.Id ORDER BY VECTOR_DISTANCE('cosine', c.Embedding, d.Embedding)) AS x CROSS APPLY (SELECT TOP 100 VECTOR_DISTANCE('cosine', m.Embedding, x.Embedding) AS d FROM Character AS m WHERE m.Id <> x.Id ORDER BY d) AS y

-- name: EXCEPT of products
-- class: product
WITH g AS (SELECT 1 AS k, s.value AS v FROM GENERATE_SERIES(1, 10000) AS s) SELECT COUNT(*) AS n FROM (SELECT a.v AS x, b.v AS y FROM g AS a JOIN g AS b ON a.k = b.k EXCEPT SELECT b.v, a.v FROM g AS a JOIN g AS b ON a.k = b.k WHERE a.v < 5000) AS z

-- name: common table expressions that double
-- class: product
WITH c0 AS (SELECT g.Id AS k FROM Genre AS g WHERE g.Id = 1), c1 AS (SELECT a.k FROM c0 AS a JOIN c0 AS b ON a.k = b.k), c2 AS (SELECT a.k FROM c1 AS a JOIN c1 AS b ON a.k = b.k), c3 AS (SELECT a.k FROM c2 AS a JOIN c2 AS b ON a.k = b.k), c4 AS (SELECT a.k FROM c3 AS a JOIN c3 AS b ON a.k = b.k), c5 AS (SELECT a.k FROM c4 AS a JOIN c4 AS b ON a.k = b.k), c6 AS (SELECT a.k FROM c5 AS a JOIN c5 AS b ON a.k = b.k), c7 AS (SELECT a.k FROM c6 AS a JOIN c6 AS b ON a.k = b.k), c8 AS (SELECT a.k FROM c7 AS a JOIN c7 AS b ON a.k = b.k), c9 AS (SELECT a.k FROM c8 AS a JOIN c8 AS b ON a.k = b.k), c10 AS (SELECT a.k FROM c9 AS a JOIN c9 AS b ON a.k = b.k), c11 AS (SELECT a.k FROM c10 AS a JOIN c10 AS b ON a.k = b.k), c12 AS (SELECT a.k FROM c11 AS a JOIN c11 AS b ON a.k = b.k), c13 AS (SELECT a.k FROM c12 AS a JOIN c12 AS b ON a.k = b.k), c14 AS (SELECT a.k FROM c13 AS a JOIN c13 AS b ON a.k = b.k) SELECT MAX(k) AS k FROM c14

-- name: a long text in several columns
-- class: text
WITH s AS (SELECT STRING_AGG(CAST(m.Content AS NVARCHAR(MAX)), ',') AS t FROM Movie AS m) SELECT TOP 20 m.Id, s.t AS a, s.t AS b, s.t AS c, s.t AS d FROM Movie AS m CROSS JOIN s

-- name: windows over long texts
-- class: text
WITH a AS (SELECT g.value, CONCAT(REPLICATE(CONCAT('x', g.value), 900), g.value) AS t FROM GENERATE_SERIES(1, 9000) AS g), b AS (SELECT value, CONCAT(t, t, t, t, t, t) AS t FROM a) SELECT TOP 3 MAX(b.t + CAST(b.value AS VARCHAR(10)) + 'i') OVER (PARTITION BY b.value) AS x, MAX(b.t + 'j') OVER (PARTITION BY b.value) AS y FROM b

-- name: a subquery that functions name several times
-- class: text
SELECT TOP 5 m.Id, TRY_CAST(SUBSTRING((SELECT MAX(z.Name) FROM Movie AS z WHERE z.Id = m.Id), CHARINDEX(' ', (SELECT MAX(z.Name) FROM Movie AS z WHERE z.Id = m.Id)) + 1, CHARINDEX(' ', (SELECT MAX(z.Name) FROM Movie AS z WHERE z.Id = m.Id), CHARINDEX(' ', (SELECT MAX(z.Name) FROM Movie AS z WHERE z.Id = m.Id)) + 1)) AS INT) + TRY_CAST(SUBSTRING((SELECT MAX(z.Name) FROM Movie AS z WHERE z.Id = m.Id), CHARINDEX(' ', (SELECT MAX(z.Name) FROM Movie AS z WHERE z.Id = m.Id)) + 1, CHARINDEX(' ', (SELECT MAX(z.Name) FROM Movie AS z WHERE z.Id = m.Id), CHARINDEX(' ', (SELECT MAX(z.Name) FROM Movie AS z WHERE z.Id = m.Id)) + 1)) AS DECIMAL(9, 2)) AS x FROM Movie AS m WHERE m.Id < 40 ORDER BY m.Id

-- name: matches of one long text for every row
-- class: text
WITH a(x) AS (SELECT STRING_AGG(CAST(m.Content AS NVARCHAR(MAX)), '') FROM Movie AS m CROSS JOIN GENERATE_SERIES(1, 7) AS g) SELECT SUM(REGEXP_COUNT(a.x, '[a-z]') + m.Id) AS n FROM a CROSS JOIN Movie AS m

-- name: pieces of one long text for every row
-- class: text
WITH a(x) AS (SELECT STRING_AGG(CAST(m.Content AS NVARCHAR(MAX)), '') FROM Movie AS m CROSS JOIN GENERATE_SERIES(1, 7) AS g) SELECT SUM(LEN(SUBSTRING(a.x, m.Id, 3000000))) AS n FROM a CROSS JOIN Movie AS m

-- name: names searched in one long text
-- class: text
WITH a(x) AS (SELECT STRING_AGG(CAST(m.Content AS NVARCHAR(MAX)), '') FROM Movie AS m CROSS JOIN GENERATE_SERIES(1, 7) AS g) SELECT SUM(CHARINDEX(m.Name + 'zq', a.x)) AS n FROM a CROSS JOIN Movie AS m

-- name: beginnings of one long text
-- class: text
WITH a(x) AS (SELECT STRING_AGG(CAST(m.Content AS NVARCHAR(MAX)), '') FROM Movie AS m CROSS JOIN GENERATE_SERIES(1, 7) AS g) SELECT SUM(LEN(LEFT(a.x, 3700000 - m.Id))) AS n FROM a CROSS JOIN Movie AS m

-- name: words of one text of all rows
-- class: text
WITH a(x) AS (SELECT STRING_AGG(CAST(m.Content AS NVARCHAR(MAX)), '') FROM Movie AS m) SELECT SUM(REGEXP_COUNT(a.x, '[a-z]+') + m.Id) AS n FROM a CROSS JOIN Movie AS m

-- name: a text of all rows joined again and again
-- class: text
WITH a(x) AS (SELECT STRING_AGG(CAST(m.Content AS NVARCHAR(MAX)), '') FROM Movie AS m), b(x) AS (SELECT STRING_AGG(a.x, '') FROM a JOIN Movie AS m ON m.Id <> LEN(a.x)), c(x) AS (SELECT STRING_AGG(b.x, '') FROM b JOIN Movie AS m ON m.Id <> LEN(b.x)) SELECT LEN(x) AS n FROM c

-- name: matches in a long text of every row
-- class: text
SELECT SUM(REGEXP_COUNT(CONCAT(m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content), '[a-z]')) AS n FROM Movie AS m

-- name: the largest long text of a window
-- class: text
SELECT TOP 5 MAX(CONCAT(m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content)) OVER (ORDER BY m.Id ROWS BETWEEN 500 PRECEDING AND CURRENT ROW) AS n FROM Movie AS m

-- name: words of a long text of every row
-- class: text
SELECT COUNT(*) AS n FROM Movie AS m CROSS APPLY STRING_SPLIT(CONCAT(m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content, m.Content), ' ') AS s

-- name: triples of the words of every row
-- class: text
SELECT COUNT(*) AS n FROM Movie AS m CROSS APPLY STRING_SPLIT(m.Content, ' ') AS a CROSS APPLY STRING_SPLIT(m.Content, ' ') AS b CROSS APPLY STRING_SPLIT(m.Content, ' ') AS c
