-- name: insert
-- class: write
-- code: not_select
INSERT INTO Movie (Id, Name) VALUES (1, 'x')

-- name: update
-- class: write
-- code: not_select
UPDATE Movie SET Name = 'x'

-- name: delete
-- class: write
-- code: not_select
DELETE FROM Movie

-- name: merge
-- class: write
-- code: not_select
MERGE Movie AS t USING Genre AS s ON t.Id = s.Id WHEN MATCHED THEN DELETE;

-- name: truncate
-- class: write
-- code: not_select
TRUNCATE TABLE Movie

-- name: drop
-- class: write
-- code: not_select
DROP TABLE Movie

-- name: create
-- class: write
-- code: not_select
CREATE TABLE Evil (Id INT)

-- name: alter
-- class: write
-- code: not_select
ALTER TABLE Movie ADD Evil INT

-- name: grant
-- class: write
-- code: not_select
GRANT SELECT ON Movie TO public

-- name: backup
-- class: write
-- code: not_select
BACKUP DATABASE movies TO DISK = 'x'

-- name: shutdown
-- class: write
-- code: not_select
SHUTDOWN WITH NOWAIT

-- name: exec
-- class: write
-- code: not_select
EXEC xp_cmdshell 'dir'

-- name: execute a string
-- class: write
-- code: not_select
EXECUTE ('DROP TABLE Movie')

-- name: procedure by name alone
-- class: write
-- code: not_select
sp_who

-- name: declare
-- class: write
-- code: not_select
DECLARE @x INT = 1

-- name: set option
-- class: write
-- code: not_select
SET NOCOUNT ON

-- name: use
-- class: write
-- code: not_select
USE master

-- name: waitfor
-- class: write
-- code: not_select
WAITFOR DELAY '00:00:10'

-- name: kill
-- class: write
-- code: not_select
KILL 53

-- name: begin transaction
-- class: write
-- code: not_select
BEGIN TRANSACTION

-- name: bulk insert
-- class: write
-- code: not_select
BULK INSERT Movie FROM 'x.csv'

-- name: dbcc
-- class: write
-- code: not_select
DBCC CHECKDB

-- name: label
-- class: write
-- code: syntax
lbl: SELECT 1

-- name: if
-- class: write
-- code: not_select
IF 1 = 1 DROP TABLE Movie

-- name: values alone
-- class: write
-- code: not_select
VALUES (1)

-- name: select into
-- class: write
-- code: not_allowed
SELECT Name INTO Evil FROM Movie

-- name: select into a temporary table
-- class: write
-- code: syntax
SELECT Name INTO #t FROM Movie

-- name: delete inside a cte
-- class: write
-- code: multiple_statements
WITH x AS (DELETE FROM Movie OUTPUT deleted.Id) SELECT Id FROM x

-- name: delete after a cte
-- class: write
-- code: multiple_statements
WITH x AS (SELECT Id FROM Movie) DELETE FROM x

-- name: update after a cte
-- class: write
-- code: multiple_statements
WITH x AS (SELECT Id FROM Movie) UPDATE x SET Id = 1

-- name: assignment to a parameter
-- class: write
-- code: syntax
SELECT @q = Content FROM Movie

-- name: assignment to a variable
-- class: write
-- code: syntax
SELECT @x = Content FROM Movie

-- name: next value of a sequence
-- class: write
-- code: not_allowed
SELECT NEXT VALUE FOR s

-- name: output clause
-- class: write
-- code: syntax
SELECT Name OUTPUT inserted.Id FROM Movie

-- name: semicolon and drop
-- class: stacking
-- code: multiple_statements
SELECT Name FROM Movie; DROP TABLE Movie

-- name: semicolon and select
-- class: stacking
-- code: multiple_statements
SELECT 1; SELECT 2

-- name: semicolon hidden by a comment
-- class: stacking
-- code: multiple_statements
SELECT 1 /* ; */ ; /* x */ DELETE FROM Movie

-- name: drop without a semicolon
-- class: stacking
-- code: multiple_statements
SELECT Name FROM Movie DROP TABLE Movie

-- name: delete as an alias
-- class: stacking
-- code: multiple_statements
SELECT 1 DELETE FROM Movie

-- name: shutdown as an alias
-- class: stacking
-- code: multiple_statements
SELECT Name FROM Movie SHUTDOWN

-- name: return as an alias
-- class: stacking
-- code: multiple_statements
SELECT Name FROM Movie RETURN

-- name: commit as an alias
-- class: stacking
-- code: multiple_statements
SELECT Name FROM Movie m COMMIT

-- name: checkpoint as an alias
-- class: stacking
-- code: multiple_statements
SELECT Name FROM Movie CHECKPOINT

-- name: reconfigure as an alias
-- class: stacking
-- code: multiple_statements
SELECT Name FROM Movie RECONFIGURE

-- name: revert as an alias
-- class: stacking
-- code: multiple_statements
SELECT Name FROM Movie REVERT

-- name: break as an alias
-- class: stacking
-- code: multiple_statements
SELECT 1 BREAK

-- name: throw as an alias
-- class: stacking
-- code: multiple_statements
SELECT 1 THROW

-- name: exec on the next line
-- class: stacking
-- code: multiple_statements
SELECT Name FROM Movie
EXEC sp_who

-- name: second select
-- class: stacking
-- code: multiple_statements
SELECT Name FROM Movie SELECT Name FROM Genre

-- name: second select after a cte
-- class: stacking
-- code: multiple_statements
WITH a AS (SELECT 1 AS x) SELECT x FROM a SELECT 2

-- name: go between
-- class: stacking
-- code: multiple_statements
SELECT Name FROM Movie
GO
DROP TABLE Movie

-- name: go with a count
-- class: stacking
-- code: syntax
SELECT Name FROM Movie
GO 5

-- name: second cte statement
-- class: stacking
-- code: syntax
SELECT 1 WITH x AS (SELECT 1 AS a) SELECT a FROM x

-- name: carriage return ends the comment
-- class: stacking
-- code: multiple_statements
SELECT Name FROM Movie -- xDROP TABLE Movie

-- name: update statistics
-- class: stacking
-- code: syntax
SELECT 1 UPDATE STATISTICS Movie

-- name: open a cursor
-- class: stacking
-- code: multiple_statements
SELECT 1 OPEN c

-- name: print
-- class: stacking
-- code: multiple_statements
SELECT 1 PRINT 'x'

-- name: system view
-- class: foreign table
-- code: unknown_table
SELECT name FROM sys.objects

-- name: information schema
-- class: foreign table
-- code: unknown_table
SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES

-- name: old system table
-- class: foreign table
-- code: unknown_table
SELECT name FROM sysobjects

-- name: unknown table
-- class: foreign table
-- code: unknown_table
SELECT Name FROM Secret

-- name: other schema
-- class: foreign table
-- code: unknown_table
SELECT Name FROM other.Movie

-- name: other database
-- class: foreign table
-- code: not_allowed
SELECT Name FROM OtherDb.dbo.Movie

-- name: other server
-- class: foreign table
-- code: not_allowed
SELECT Name FROM srv.db.dbo.Movie

-- name: empty schema
-- class: foreign table
-- code: syntax
SELECT Name FROM db..Movie

-- name: leading dot
-- class: foreign table
-- code: syntax
SELECT Name FROM .Movie

-- name: three leading dots
-- class: foreign table
-- code: syntax
SELECT Name FROM ...Movie

-- name: temporary table
-- class: foreign table
-- code: syntax
SELECT Name FROM #t

-- name: global temporary table
-- class: foreign table
-- code: syntax
SELECT Name FROM ##t

-- name: table variable
-- class: foreign table
-- code: unknown_variable
SELECT Name FROM @t

-- name: cte shadows a table
-- class: foreign table
-- code: syntax
WITH Movie AS (SELECT Id FROM Movie) SELECT Id FROM Movie

-- name: cte named through the schema
-- class: foreign table
-- code: unknown_table
WITH c AS (SELECT 1 AS a) SELECT a FROM dbo.c

-- name: cte that reads a later one
-- class: foreign table
-- code: unknown_table
WITH c AS (SELECT a FROM d), d AS (SELECT 1 AS a) SELECT a FROM c

-- name: in an arm of a union
-- class: foreign table
-- code: unknown_table
SELECT Name FROM Movie UNION SELECT name FROM sys.tables

-- name: in exists
-- class: foreign table
-- code: unknown_table
SELECT Name FROM Movie WHERE EXISTS (SELECT 1 FROM sys.tables)

-- name: in order by
-- class: foreign table
-- code: unknown_table
SELECT Name FROM Movie ORDER BY (SELECT TOP 1 name FROM sys.tables)

-- name: in group by
-- class: foreign table
-- code: unknown_table
SELECT COUNT(*) FROM Movie GROUP BY (SELECT TOP 1 name FROM sys.tables)

-- name: in having
-- class: foreign table
-- code: unknown_table
SELECT COUNT(*) FROM Movie HAVING (SELECT COUNT(*) FROM sys.tables) = 1

-- name: in a join condition
-- class: foreign table
-- code: unknown_table
SELECT m.Name FROM Movie AS m JOIN Genre AS g ON g.Id = (SELECT TOP 1 object_id FROM sys.tables)

-- name: in over
-- class: foreign table
-- code: unknown_table
SELECT ROW_NUMBER() OVER (ORDER BY (SELECT TOP 1 name FROM sys.tables)) FROM Movie

-- name: in a frame
-- class: foreign table
-- code: syntax
SELECT SUM(Id) OVER (ORDER BY Id ROWS BETWEEN (SELECT 1 FROM sys.tables) PRECEDING AND CURRENT ROW) FROM Movie

-- name: in within group
-- class: foreign table
-- code: unknown_table
SELECT STRING_AGG(Name, ',') WITHIN GROUP (ORDER BY (SELECT TOP 1 name FROM sys.tables)) FROM Movie

-- name: in values
-- class: foreign table
-- code: unknown_table
SELECT v.a FROM (VALUES ((SELECT TOP 1 name FROM sys.tables))) AS v(a)

-- name: in case
-- class: foreign table
-- code: unknown_table
SELECT CASE WHEN EXISTS (SELECT 1 FROM sys.tables) THEN 1 END AS x

-- name: in an argument
-- class: foreign table
-- code: unknown_table
SELECT CONCAT(Name, (SELECT TOP 1 name FROM sys.tables)) FROM Movie

-- name: in a conversion style
-- class: foreign table
-- code: unknown_table
SELECT CONVERT(VARCHAR(10), Name, (SELECT 1 FROM sys.tables)) FROM Movie

-- name: in any
-- class: foreign table
-- code: unknown_table
SELECT Name FROM Movie WHERE Id = ANY (SELECT object_id FROM sys.tables)

-- name: in between
-- class: foreign table
-- code: unknown_table
SELECT Name FROM Movie WHERE Id BETWEEN (SELECT 1 FROM sys.tables) AND 5

-- name: in string_split
-- class: foreign table
-- code: unknown_table
SELECT s.value FROM STRING_SPLIT((SELECT TOP 1 name FROM sys.tables), ',') AS s

-- name: in an apply
-- class: foreign table
-- code: unknown_table
SELECT m.Name FROM Movie AS m CROSS APPLY (SELECT name FROM sys.tables) AS t

-- name: in a nested cte
-- class: foreign table
-- code: syntax
SELECT Name FROM Movie UNION ALL (WITH x AS (SELECT name FROM sys.objects) SELECT Name FROM Movie)

-- name: full-text table function
-- class: foreign table
-- code: unknown_table
SELECT k.[KEY] FROM CONTAINSTABLE(Secret, *, 'x') AS k

-- name: full-text table function of another schema
-- class: foreign table
-- code: unknown_table
SELECT k.[KEY] FROM CONTAINSTABLE(sys.objects, *, 'x') AS k

-- name: full-text table function of an edge table
-- class: foreign table
-- code: unknown_table
SELECT k.[KEY] FROM CONTAINSTABLE(IN_GENRE, *, 'x') AS k

-- name: full-text table function of another database
-- class: foreign table
-- code: unknown_table
SELECT k.[KEY] FROM FREETEXTTABLE(db.dbo.Movie, *, 'x') AS k

-- name: search of a foreign table
-- class: foreign table
-- code: unknown_table
SELECT m.id FROM VECTOR_SEARCH(TABLE = sys.objects AS m, COLUMN = name, SIMILAR_TO = @q, METRIC = 'cosine', TOP_N = 1) AS s

-- name: search of an unknown table
-- class: foreign table
-- code: unknown_table
SELECT m.Id FROM VECTOR_SEARCH(TABLE = Secrets AS m, COLUMN = Embedding, SIMILAR_TO = @q, METRIC = 'cosine', TOP_N = 1) AS s

-- name: search of another database
-- class: foreign table
-- code: unknown_table
SELECT m.Id FROM VECTOR_SEARCH(TABLE = other.dbo.Movie AS m, COLUMN = Embedding, SIMILAR_TO = @q, METRIC = 'cosine', TOP_N = 1) AS s

-- name: search of an edge table
-- class: foreign table
-- code: unknown_table
SELECT s.distance FROM VECTOR_SEARCH(TABLE = IN_GENRE AS m, COLUMN = Embedding, SIMILAR_TO = @q, METRIC = 'cosine', TOP_N = 1) AS s
-- name: in a nested join
-- class: foreign table
-- code: unknown_table
SELECT m.Name FROM Movie AS m LEFT JOIN (sys.objects AS o JOIN Genre AS g ON g.Id = o.object_id) ON g.Id = m.Id

-- name: second of a nested join
-- class: foreign table
-- code: not_allowed
SELECT m.Name FROM Movie AS m LEFT JOIN Genre AS g JOIN master.sys.databases AS d ON d.database_id = g.Id ON g.Id = m.Id

-- name: pivoted
-- class: foreign table
-- code: unknown_table
SELECT p.[1] FROM sys.columns PIVOT (COUNT(name) FOR column_id IN ([1])) AS p

-- name: in the list of a pivot
-- class: foreign table
-- code: syntax
SELECT p.x FROM (SELECT Id, Name FROM Movie) AS s PIVOT (MAX(Name) FOR Id IN (SELECT object_id FROM sys.objects)) AS p

-- name: openrowset
-- class: function
-- code: unknown_function
SELECT * FROM OPENROWSET('SQLNCLI', 'x', 'SELECT 1') AS x

-- name: openquery
-- class: function
-- code: unknown_function
SELECT * FROM OPENQUERY(srv, 'SELECT 1') AS x

-- name: opendatasource
-- class: function
-- code: unknown_function
SELECT * FROM OPENDATASOURCE('x', 'y') AS x

-- name: openxml
-- class: function
-- code: unknown_function
SELECT * FROM OPENXML(1, '/x') AS x

-- name: changetable
-- class: function
-- code: unknown_function
SELECT * FROM CHANGETABLE(CHANGES Movie, 0) AS c

-- name: scalar function of a schema
-- class: function
-- code: unknown_function
SELECT dbo.fn(1)

-- name: table function of a schema
-- class: function
-- code: unknown_function
SELECT Name FROM dbo.fn(1) AS x

-- name: method of a column
-- class: function
-- code: unknown_function
SELECT Name.value('x', 'y') FROM Movie

-- name: function in brackets
-- class: function
-- code: unknown_function
SELECT [LEN](Name) FROM Movie

-- name: function in double quotes
-- class: function
-- code: unknown_function
SELECT "OBJECT_ID"('x')

-- name: object_id
-- class: function
-- code: unknown_function
SELECT OBJECT_ID('Movie')

-- name: db_name
-- class: function
-- code: unknown_function
SELECT DB_NAME()

-- name: suser_sname
-- class: function
-- code: unknown_function
SELECT SUSER_SNAME()

-- name: session_context
-- class: function
-- code: unknown_function
SELECT SESSION_CONTEXT(N'x')

-- name: serverproperty
-- class: function
-- code: unknown_function
SELECT SERVERPROPERTY('ProductVersion')

-- name: predict
-- class: function
-- code: unknown_function
SELECT * FROM PREDICT(MODEL = 1, DATA = Movie)

-- name: ai embeddings
-- class: function
-- code: unknown_function
SELECT AI_GENERATE_EMBEDDINGS(Name USE MODEL m) FROM Movie

-- name: newid
-- class: function
-- code: unknown_function
SELECT TOP 5 Name FROM Movie ORDER BY NEWID()

-- name: rand
-- class: function
-- code: unknown_function
SELECT RAND()

-- name: current_user
-- class: function
-- code: syntax
SELECT CURRENT_USER

-- name: system_user
-- class: function
-- code: syntax
SELECT SYSTEM_USER

-- name: session_user
-- class: function
-- code: syntax
SELECT SESSION_USER

-- name: server version
-- class: function
-- code: unknown_variable
SELECT @@VERSION

-- name: function hidden as a column list
-- class: function
-- code: unknown_function
SELECT Id, evil(Name) AS x FROM Movie

-- name: node id from parts
-- class: function
-- code: unknown_function
SELECT NODE_ID_FROM_PARTS(1, 2)

-- name: odbc escape
-- class: function
-- code: syntax
SELECT {fn NOW()}

-- name: lowered mark
-- class: function
-- code: syntax
SELECT __LEN(Name) FROM Movie

-- name: lowered mark of match
-- class: function
-- code: syntax
SELECT Name FROM Movie WHERE __MATCH(0)

-- name: function of another dialect
-- class: function
-- code: unknown_function
SELECT LENGTH(Name) FROM Movie

-- name: random order
-- class: function
-- code: unknown_function
SELECT m.Name FROM Movie AS m ORDER BY NEWID()

-- name: random number
-- class: function
-- code: unknown_function
SELECT RAND() AS r

-- name: random bytes
-- class: function
-- code: unknown_function
SELECT CRYPT_GEN_RANDOM(8) AS r

-- name: a hash of a row
-- class: function
-- code: unknown_function
SELECT HASHBYTES('SHA2_256', m.Name) AS h FROM Movie AS m

-- name: checksum
-- class: function
-- code: unknown_function
SELECT CHECKSUM(m.Name) AS h FROM Movie AS m

-- name: messages of the server
-- class: function
-- code: unknown_function
SELECT FORMATMESSAGE(20009, 'a', 'b') AS m

-- name: preview function
-- class: function
-- code: unknown_function
SELECT EDIT_DISTANCE(m.Name, 'Alien') AS d FROM Movie AS m

-- name: parse by culture
-- class: function
-- code: unknown_function
SELECT PARSE('1' AS INT USING 'de-DE') AS x

-- name: time zone of the server
-- class: function
-- code: unknown_function
SELECT CURRENT_TIMEZONE() AS z

-- name: certificate
-- class: function
-- code: unknown_function
SELECT CERT_ID('a') AS c

-- name: column length
-- class: function
-- code: unknown_function
SELECT COL_LENGTH('Movie', 'Embedding') AS c

-- name: identity
-- class: function
-- code: unknown_function
SELECT IDENT_CURRENT('Movie') AS c

-- name: index column
-- class: function
-- code: unknown_function
SELECT INDEX_COL('Movie', 1, 1) AS c

-- name: collation of the server
-- class: function
-- code: unknown_function
SELECT COLLATIONPROPERTY('Latin1_General_CI_AS', 'CodePage') AS c

-- name: permissions
-- class: function
-- code: unknown_function
SELECT PERMISSIONS(OBJECT_ID('Movie')) AS c

-- name: atan2 of other dialects
-- class: function
-- code: unknown_function
SELECT ATAN2(1, 2) AS x

-- name: date_add of other dialects
-- class: function
-- code: unknown_function
SELECT DATE_ADD(GETDATE(), 1) AS x

-- name: lpad of other dialects
-- class: function
-- code: unknown_function
SELECT LPAD(m.Name, 5, '0') AS x FROM Movie AS m

-- name: regular expression as a value
-- class: function
-- code: syntax
SELECT REGEXP_LIKE(m.Name, 'a') AS x FROM Movie AS m

-- name: regular expression as rows
-- class: function
-- code: unknown_function
SELECT r.match_value FROM REGEXP_MATCHES('a', 'a') AS r

-- name: time zone
-- class: function
-- code: unsupported
SELECT GETDATE() AT TIME ZONE 'UTC' AS x

-- name: shift operator
-- class: function
-- code: syntax
SELECT m.Id << 2 AS x FROM Movie AS m

-- name: too few numbers for a moment
-- class: function
-- code: wrong_arguments
SELECT DATETIMEFROMPARTS(2020, 1, 1) AS x

-- name: a bucket without its part
-- class: function
-- code: wrong_arguments
SELECT DATE_BUCKET('week', 1, GETDATE()) AS x

-- name: OPENJSON as a value
-- class: function
-- code: syntax
SELECT OPENJSON('[1]') AS x

-- name: a type of one's own in OPENJSON
-- class: function
-- code: not_allowed
SELECT j.a FROM OPENJSON('[]') WITH (a GEOGRAPHY) AS j

-- name: chunks of text by a model
-- class: function
-- code: unknown_function
SELECT c.chunk FROM AI_GENERATE_CHUNKS(SOURCE = 'x', CHUNK_TYPE = FIXED) AS c

-- name: plain
-- class: embedding
-- code: embedding_output
SELECT Embedding FROM Movie

-- name: through an alias
-- class: embedding
-- code: embedding_output
SELECT m.Embedding AS e FROM Movie AS m

-- name: in parentheses
-- class: embedding
-- code: embedding_output
SELECT ((m.Embedding)) AS e FROM Movie AS m

-- name: through a derived table
-- class: embedding
-- code: embedding_output
SELECT x.Embedding FROM (SELECT Embedding FROM Movie) AS x

-- name: through a derived column list
-- class: embedding
-- code: embedding_output
SELECT x.v FROM (SELECT Embedding FROM Movie) AS x(v)

-- name: through a cte
-- class: embedding
-- code: embedding_output
WITH c AS (SELECT Embedding AS e FROM Movie) SELECT e FROM c

-- name: through a cte column list
-- class: embedding
-- code: embedding_output
WITH c(e) AS (SELECT Embedding FROM Movie) SELECT TOP 1 e AS f FROM c

-- name: through two ctes and a star
-- class: embedding
-- code: embedding_output
WITH a AS (SELECT Embedding AS e FROM Movie), b AS (SELECT a.e AS f FROM a) SELECT b.f FROM b

-- name: through an apply
-- class: embedding
-- code: embedding_output
SELECT x.e FROM Movie AS m CROSS APPLY (SELECT m.Embedding AS e) AS x

-- name: through values
-- class: embedding
-- code: embedding_output
SELECT v.e FROM Movie AS m CROSS APPLY (VALUES (m.Embedding)) AS v(e)

-- name: through a scalar subquery
-- class: embedding
-- code: embedding_output
SELECT (SELECT TOP 1 Embedding FROM Movie) AS e

-- name: through a cast of a scalar subquery
-- class: embedding
-- code: embedding_output
SELECT CAST((SELECT Embedding FROM Movie WHERE Id = 1) AS NVARCHAR(MAX)) AS e

-- name: probed through a scalar subquery
-- class: embedding
-- code: embedding_output
SELECT Name FROM Movie WHERE CAST((SELECT Embedding FROM Movie WHERE Id = 1) AS NVARCHAR(MAX)) LIKE '[-0.1%'

-- name: compared through a scalar subquery
-- class: embedding
-- code: embedding_output
SELECT Name FROM Movie WHERE (SELECT Embedding FROM Movie WHERE Id = 1) = '[1]'

-- name: through a union
-- class: embedding
-- code: embedding_output
SELECT NULL AS e UNION ALL SELECT Embedding FROM Movie

-- name: through a union in a derived table
-- class: embedding
-- code: embedding_output
SELECT x.e FROM (SELECT 'a' AS e UNION ALL SELECT Embedding FROM Movie) AS x

-- name: through except
-- class: embedding
-- code: embedding_output
SELECT x.e FROM (SELECT Embedding AS e FROM Movie EXCEPT SELECT Embedding FROM Genre) AS x

-- name: cast
-- class: embedding
-- code: embedding_output
SELECT CAST(Embedding AS NVARCHAR(MAX)) FROM Movie

-- name: convert
-- class: embedding
-- code: embedding_output
SELECT CONVERT(NVARCHAR(MAX), Embedding) FROM Movie

-- name: min
-- class: embedding
-- code: embedding_output
SELECT MIN(Embedding) FROM Movie

-- name: string_agg
-- class: embedding
-- code: embedding_output
SELECT STRING_AGG(Embedding, ',') FROM Movie

-- name: coalesce
-- class: embedding
-- code: embedding_output
SELECT COALESCE(Embedding, NULL) FROM Movie

-- name: isnull
-- class: embedding
-- code: embedding_output
SELECT ISNULL(Embedding, '') FROM Movie

-- name: case
-- class: embedding
-- code: embedding_output
SELECT CASE WHEN 1 = 1 THEN Embedding END FROM Movie

-- name: iif
-- class: embedding
-- code: embedding_output
SELECT IIF(1 = 1, Embedding, NULL) FROM Movie

-- name: concat
-- class: embedding
-- code: embedding_output
SELECT CONCAT(Embedding, '') FROM Movie

-- name: window
-- class: embedding
-- code: embedding_output
SELECT FIRST_VALUE(Embedding) OVER (ORDER BY Id) FROM Movie

-- name: percentile_disc
-- class: embedding
-- code: embedding_output
SELECT PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY Embedding) OVER () FROM Movie

-- name: order by
-- class: embedding
-- code: embedding_output
SELECT Name FROM Movie ORDER BY Embedding

-- name: order by an alias
-- class: embedding
-- code: embedding_output
SELECT TOP 5 Embedding AS e, Name FROM Movie ORDER BY e

-- name: order by ordinal in a derived table
-- class: embedding
-- code: embedding_output
SELECT x.Name FROM (SELECT TOP 5 Name, Embedding FROM Movie ORDER BY 2) AS x

-- name: group by
-- class: embedding
-- code: embedding_output
SELECT COUNT(*) FROM Movie GROUP BY Embedding

-- name: distinct
-- class: embedding
-- code: embedding_output
SELECT x.Name FROM (SELECT DISTINCT Embedding, Name FROM Movie) AS x

-- name: count distinct
-- class: embedding
-- code: embedding_output
SELECT COUNT(DISTINCT Embedding) FROM Movie

-- name: like
-- class: embedding
-- code: embedding_output
SELECT Name FROM Movie WHERE Embedding LIKE '[[]0.1%'

-- name: in subquery
-- class: embedding
-- code: embedding_output
SELECT Name FROM Movie WHERE Name IN (SELECT Embedding FROM Movie)

-- name: for json
-- class: embedding
-- code: embedding_output
SELECT Embedding FROM Movie FOR JSON PATH

-- name: nested for json
-- class: embedding
-- code: embedding_output
SELECT TOP 1 (SELECT TOP 1 Embedding FROM Movie FOR JSON PATH) AS j

-- name: the parameter itself
-- class: embedding
-- code: embedding_output
SELECT @q

-- name: the parameter compared
-- class: embedding
-- code: embedding_output
SELECT Name FROM Movie WHERE Name = @q

-- name: the parameter as a row count
-- class: embedding
-- code: embedding_output
SELECT TOP (@q) Name FROM Movie

-- name: distance of text
-- class: embedding
-- code: wrong_arguments
SELECT VECTOR_DISTANCE('cosine', Name, @q) FROM Movie

-- name: distance of a literal
-- class: embedding
-- code: wrong_arguments
SELECT VECTOR_DISTANCE('cosine', Embedding, '[1,0]') FROM Movie

-- name: distance of a text subquery
-- class: embedding
-- code: wrong_arguments
SELECT VECTOR_DISTANCE('cosine', (SELECT Name FROM Movie WHERE Id = 1), @q) FROM Movie

-- name: embedding of a search
-- class: embedding
-- code: embedding_output
SELECT m.Embedding FROM VECTOR_SEARCH(TABLE = dbo.Movie AS m, COLUMN = Embedding, SIMILAR_TO = @q, METRIC = 'cosine', TOP_N = 1) AS s

-- name: embedding of a search through a CTE
-- class: embedding
-- code: embedding_output
WITH c AS (SELECT m.Embedding AS e FROM VECTOR_SEARCH(TABLE = dbo.Movie AS m, COLUMN = Embedding, SIMILAR_TO = @q, METRIC = 'cosine', TOP_N = 1) AS s) SELECT e FROM c

-- name: embedding of a search as JSON
-- class: embedding
-- code: embedding_output
SELECT m.Id, m.Embedding FROM VECTOR_SEARCH(TABLE = dbo.Movie AS m, COLUMN = Embedding, SIMILAR_TO = @q, METRIC = 'cosine', TOP_N = 1) AS s FOR JSON PATH

-- name: embedding in FOR JSON AUTO
-- class: embedding
-- code: embedding_output
SELECT m.Embedding AS e FROM Movie AS m FOR JSON AUTO

-- name: embedding in an inner FOR JSON
-- class: embedding
-- code: embedding_output
SELECT (SELECT TOP 5 m.Embedding FROM Movie AS m FOR JSON PATH) AS j

-- name: embedding through OPENJSON
-- class: embedding
-- code: embedding_output
SELECT j.value FROM Movie AS m CROSS APPLY OPENJSON(m.Embedding) AS j

-- name: embedding of a subquery through OPENJSON
-- class: embedding
-- code: embedding_output
SELECT j.value FROM OPENJSON((SELECT Embedding FROM Movie WHERE Id = 1)) AS j

-- name: embedding cast for OPENJSON
-- class: embedding
-- code: embedding_output
SELECT j.value FROM Movie AS m CROSS APPLY OPENJSON(CAST(m.Embedding AS NVARCHAR(MAX))) AS j

-- name: embedding in JSON_OBJECT
-- class: embedding
-- code: embedding_output
SELECT JSON_OBJECT('e': Embedding) AS j FROM Movie

-- name: embedding in JSON_ARRAY
-- class: embedding
-- code: embedding_output
SELECT JSON_ARRAY(Embedding) AS j FROM Movie

-- name: embedding in JSON_MODIFY
-- class: embedding
-- code: embedding_output
SELECT JSON_MODIFY('{}', '$.e', Embedding) AS j FROM Movie

-- name: embedding trimmed
-- class: embedding
-- code: embedding_output
SELECT TRIM('[' FROM Embedding) AS x FROM Movie

-- name: embedding split
-- class: embedding
-- code: embedding_output
SELECT s.value FROM Movie AS m CROSS APPLY STRING_SPLIT(m.Embedding, ',') AS s

-- name: @q through OPENJSON
-- class: embedding
-- code: embedding_output
SELECT j.value FROM OPENJSON(@q) AS j

-- name: @q as JSON
-- class: embedding
-- code: embedding_output
SELECT JSON_ARRAY(@q) AS j

-- name: norm of an embedding
-- class: embedding
-- code: unknown_function
SELECT VECTOR_NORM(Embedding, 'norm2') AS x FROM Movie

-- name: normalized embedding
-- class: embedding
-- code: unknown_function
SELECT VECTOR_NORMALIZE(Embedding, 'norm2') AS x FROM Movie

-- name: a vector made to probe one component
-- class: embedding
-- code: unknown_function
SELECT VECTOR_DISTANCE('dot', Embedding, CAST('[1,0,0]' AS VECTOR(3))) AS x FROM Movie

-- name: a vector made as text
-- class: embedding
-- code: wrong_arguments
SELECT VECTOR_DISTANCE('dot', Embedding, '[1,0,0]') AS x FROM Movie

-- name: search for a vector made as text
-- class: embedding
-- code: syntax
SELECT m.Name FROM VECTOR_SEARCH(TABLE = Movie AS m, COLUMN = Embedding, SIMILAR_TO = '[1,0,0]', METRIC = 'dot', TOP_N = 1) AS s

-- name: search for a vector cast
-- class: embedding
-- code: wrong_arguments
SELECT m.Name FROM VECTOR_SEARCH(TABLE = Movie AS m, COLUMN = Embedding, SIMILAR_TO = CAST('[1]' AS VECTOR(1)), METRIC = 'dot', TOP_N = 1) AS s

-- name: search by a subquery
-- class: embedding
-- code: wrong_arguments
SELECT m.Name FROM VECTOR_SEARCH(TABLE = Movie AS m, COLUMN = Embedding, SIMILAR_TO = (SELECT Embedding FROM Genre WHERE Id = 1), METRIC = 'dot', TOP_N = 1) AS s

-- name: search of a text column
-- class: embedding
-- code: wrong_arguments
SELECT m.Id FROM VECTOR_SEARCH(TABLE = Movie AS m, COLUMN = Content, SIMILAR_TO = @q, METRIC = 'cosine', TOP_N = 1) AS s

-- name: search for a text
-- class: embedding
-- code: wrong_arguments
SELECT m.Id FROM Movie AS x CROSS APPLY VECTOR_SEARCH(TABLE = Movie AS m, COLUMN = Embedding, SIMILAR_TO = x.Name, METRIC = 'cosine', TOP_N = 1) AS s

-- name: a column of another table in a search
-- class: embedding
-- code: wrong_arguments
SELECT m.Id FROM VECTOR_SEARCH(TABLE = Movie AS m, COLUMN = Genre.Embedding, SIMILAR_TO = @q, METRIC = 'cosine', TOP_N = 1) AS s
-- name: pivoted
-- class: embedding
-- code: embedding_output
SELECT p.[1] FROM (SELECT Id, Embedding FROM Movie) AS s PIVOT (MAX(Embedding) FOR Id IN ([1])) AS p

-- name: grouped by a pivot
-- class: embedding
-- code: embedding_output
SELECT p.* FROM Movie PIVOT (COUNT(Name) FOR ReleaseYear IN ([1977])) AS p

-- name: unpivoted
-- class: embedding
-- code: embedding_output
SELECT u.x FROM (SELECT Id, Embedding AS e FROM Movie) AS s UNPIVOT (x FOR n IN (e)) AS u

-- name: beside an unpivot
-- class: embedding
-- code: unknown_column
SELECT u.Embedding FROM Movie UNPIVOT (x FOR n IN (Id, ReleaseYear)) AS u

-- name: partition of a named window
-- class: embedding
-- code: embedding_output
SELECT COUNT(*) OVER w AS n FROM Movie WINDOW w AS (PARTITION BY Embedding)

-- name: first value that is not null
-- class: embedding
-- code: embedding_output
SELECT FIRST_VALUE(Embedding) IGNORE NULLS OVER (ORDER BY Id) AS e FROM Movie

-- name: node id
-- class: pseudo-column
-- code: pseudo_column_output
SELECT $node_id FROM Movie

-- name: node id under another name
-- class: pseudo-column
-- code: pseudo_column_output
SELECT m.$node_id AS x FROM Movie AS m

-- name: edge id
-- class: pseudo-column
-- code: pseudo_column_output
SELECT $edge_id FROM IN_GENRE

-- name: through a derived table
-- class: pseudo-column
-- code: pseudo_column_output
SELECT x.n FROM (SELECT $node_id AS n FROM Movie) AS x

-- name: through a union with text
-- class: pseudo-column
-- code: pseudo_column_output
SELECT x.a FROM (SELECT 'a' AS a UNION SELECT $node_id FROM Genre) AS x

-- name: through a union with null
-- class: pseudo-column
-- code: pseudo_column_output
SELECT x.a FROM (SELECT NULL AS a UNION SELECT $node_id FROM Genre) AS x

-- name: through percentile_disc
-- class: pseudo-column
-- code: pseudo_column_output
SELECT PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY $node_id) OVER () FROM Movie

-- name: through max
-- class: pseudo-column
-- code: pseudo_column_output
SELECT MAX($from_id) FROM IN_GENRE

-- name: cast
-- class: pseudo-column
-- code: pseudo_column_output
SELECT CAST($node_id AS NVARCHAR(1000)) FROM Movie

-- name: cast of a subquery
-- class: pseudo-column
-- code: pseudo_column_output
SELECT CAST((SELECT $node_id FROM Movie WHERE Id = 1) AS NVARCHAR(1000)) AS x

-- name: for json
-- class: pseudo-column
-- code: pseudo_column_output
SELECT $node_id FROM Movie FOR JSON PATH

-- name: probed with a literal
-- class: pseudo-column
-- code: pseudo_column_output
SELECT Name FROM Movie WHERE $node_id = '{"type":"node"}'

-- name: probed with a list
-- class: pseudo-column
-- code: pseudo_column_output
SELECT Name FROM Movie WHERE $node_id IN ('a', 'b')

-- name: probed with values
-- class: pseudo-column
-- code: pseudo_column_output
SELECT m.Name FROM Movie AS m JOIN (VALUES ('a')) AS v(a) ON v.a = m.$node_id

-- name: in brackets
-- class: pseudo-column
-- code: pseudo_column_output
SELECT m.[$node_id] FROM Movie AS m

-- name: alias that begins with a dollar
-- class: pseudo-column
-- code: syntax
SELECT Name AS [$node_id] FROM Movie

-- name: pivoted
-- class: pseudo-column
-- code: pseudo_column_output
SELECT p.[1] FROM (SELECT m.Id, m.$node_id AS n FROM Movie AS m) AS s PIVOT (MAX(n) FOR Id IN ([1])) AS p

-- name: unpivoted
-- class: pseudo-column
-- code: pseudo_column_output
SELECT u.x FROM (SELECT m.Id, m.$node_id AS n FROM Movie AS m) AS s UNPIVOT (x FOR c IN (n)) AS u

-- name: kept by a pivot
-- class: pseudo-column
-- code: pseudo_column_output
SELECT p.n FROM (SELECT m.Id, m.$node_id AS n, m.Name FROM Movie AS m) AS s PIVOT (COUNT(Name) FOR Id IN ([1])) AS p

-- name: expression in top
-- class: row cap
-- code: not_allowed
SELECT TOP (10 + 1000) Name FROM Movie

-- name: subquery in top
-- class: row cap
-- code: not_allowed
SELECT TOP (SELECT COUNT(*) FROM Movie) Name FROM Movie

-- name: float in top
-- class: row cap
-- code: not_allowed
SELECT TOP 1e9 Name FROM Movie

-- name: negative top
-- class: row cap
-- code: not_allowed
SELECT TOP -1 Name FROM Movie

-- name: percent
-- class: row cap
-- code: not_allowed
SELECT TOP 100 PERCENT Name FROM Movie

-- name: top with offset
-- class: row cap
-- code: syntax
SELECT TOP 10 Name FROM Movie ORDER BY Id OFFSET 5 ROWS

-- name: expression in offset
-- class: row cap
-- code: not_allowed
SELECT Name FROM Movie ORDER BY Id OFFSET (1 + 1) ROWS

-- name: subquery in fetch
-- class: row cap
-- code: not_allowed
SELECT Name FROM Movie ORDER BY Id OFFSET 0 ROWS FETCH NEXT (SELECT 1000) ROWS ONLY

-- name: huge offset
-- class: row cap
-- code: too_large
SELECT Name FROM Movie ORDER BY Id OFFSET 99999999999999999999 ROWS

-- name: fetch without offset
-- class: row cap
-- code: syntax
SELECT Name FROM Movie ORDER BY Id FETCH NEXT 10 ROWS ONLY

-- name: order by after a root in parentheses
-- class: row cap
-- code: not_allowed
(SELECT Name FROM Movie) ORDER BY 1

-- name: for json after a root in parentheses
-- class: row cap
-- code: not_allowed
(SELECT Name FROM Movie) FOR JSON PATH

-- name: for json of a union
-- class: row cap
-- code: not_allowed
SELECT Name FROM Movie UNION ALL SELECT Name FROM Genre FOR JSON PATH

-- name: for json subquery without top
-- class: row cap
-- code: syntax
SELECT TOP 5 (SELECT Id, Name FROM Movie FOR JSON PATH) AS j

-- name: for xml
-- class: row cap
-- code: unsupported
SELECT Name FROM Movie FOR XML PATH('')

-- name: for browse
-- class: row cap
-- code: syntax
SELECT Name FROM Movie FOR BROWSE

-- name: order by in a derived table
-- class: row cap
-- code: order_by_needs_top
SELECT x.Name FROM (SELECT Name FROM Movie ORDER BY Name) AS x

-- name: a series without end
-- class: row cap
-- code: too_large
SELECT value FROM GENERATE_SERIES(1, 2000000000) AS g

-- name: a series of fractions
-- class: row cap
-- code: too_large
SELECT value FROM GENERATE_SERIES(0.0, 100.0, 0.000001) AS g

-- name: a series of computed length
-- class: row cap
-- code: wrong_arguments
SELECT g.value FROM Movie AS m CROSS APPLY GENERATE_SERIES(1, m.Id * 1000000) AS g

-- name: a variable TOP_N
-- class: row cap
-- code: wrong_arguments
SELECT m.Id FROM VECTOR_SEARCH(TABLE = dbo.Movie AS m, COLUMN = Embedding, SIMILAR_TO = @q, METRIC = 'cosine', TOP_N = @n) AS s

-- name: an approximate TOP of a variable
-- class: row cap
-- code: syntax
SELECT TOP (@n) WITH APPROXIMATE m.Id FROM VECTOR_SEARCH(TABLE = dbo.Movie AS m, COLUMN = Embedding, SIMILAR_TO = @q, METRIC = 'cosine') AS s ORDER BY s.distance

-- name: two series
-- class: row cap
-- code: cartesian_product
SELECT COUNT(*) AS n FROM GENERATE_SERIES(1, 10000) AS a, GENERATE_SERIES(1, 10000) AS b

-- name: an inner JSON without TOP
-- class: row cap
-- code: syntax
SELECT (SELECT m.Name FROM Movie AS m FOR JSON AUTO) AS j
-- name: percent at the root
-- class: row cap
-- code: not_allowed
SELECT TOP 10 PERCENT WITH TIES Name FROM Movie ORDER BY Id

-- name: ties without an order
-- class: row cap
-- code: syntax
SELECT x.Name FROM (SELECT TOP 5 WITH TIES Name FROM Movie) AS x

-- name: computed percent
-- class: row cap
-- code: not_allowed
SELECT x.Name FROM (SELECT TOP (5 + 5) PERCENT Name FROM Movie) AS x

-- name: more than all
-- class: row cap
-- code: not_allowed
SELECT x.Name FROM (SELECT TOP 1000 PERCENT Name FROM Movie) AS x

-- name: json of a percentage
-- class: row cap
-- code: syntax
SELECT (SELECT TOP 100 PERCENT Name FROM Movie FOR JSON PATH) AS j

-- name: comma without a condition
-- class: cartesian
-- code: cartesian_product
SELECT m.Name FROM Movie AS m, Genre AS g

-- name: cross join
-- class: cartesian
-- code: cartesian_product
SELECT m.Name FROM Movie AS m CROSS JOIN Genre AS g

-- name: always true
-- class: cartesian
-- code: cartesian_product
SELECT m.Name FROM Movie AS m JOIN Genre AS g ON 1 = 1

-- name: inequality
-- class: cartesian
-- code: cartesian_product
SELECT m.Name FROM Movie AS m JOIN Genre AS g ON m.Id <> g.Id

-- name: a column equal to itself
-- class: cartesian
-- code: cartesian_product
SELECT m.Name FROM Movie AS m JOIN Genre AS g ON m.Id = m.Id

-- name: joined or true
-- class: cartesian
-- code: cartesian_product
SELECT m.Name FROM Movie AS m JOIN Genre AS g ON m.Id = g.Id OR 1 = 1

-- name: not joined
-- class: cartesian
-- code: cartesian_product
SELECT m.Name FROM Movie AS m JOIN Genre AS g ON NOT m.Id = g.Id

-- name: apply without correlation
-- class: cartesian
-- code: cartesian_product
SELECT m.Name FROM Movie AS m CROSS APPLY (SELECT Name FROM Genre) AS g

-- name: two matches apart
-- class: cartesian
-- code: cartesian_product
SELECT m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g, Movie AS n, SET_IN AS s, Setting AS p WHERE MATCH(m-(i)->g) AND MATCH(n-(s)->p)

-- name: inside a derived table
-- class: cartesian
-- code: cartesian_product
SELECT COUNT(*) FROM (SELECT a.Id FROM Movie AS a, Movie AS b, Movie AS c) AS x

-- name: inside exists
-- class: cartesian
-- code: cartesian_product
SELECT Name FROM Movie WHERE EXISTS (SELECT 1 FROM Movie AS a, Movie AS b WHERE a.Id > b.Id)

-- name: inside a nested join
-- class: cartesian
-- code: cartesian_product
SELECT m.Name FROM Movie AS m LEFT JOIN (Genre AS g CROSS JOIN Theme AS t) ON g.Id = m.Id

-- name: two pinned groups
-- class: cartesian
-- code: cartesian_product
SELECT m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g, Movie AS n, SET_IN AS s, Setting AS p WHERE MATCH(m-(i)->g) AND MATCH(n-(s)->p) AND g.Name = 'Drama' AND p.Name = 'Paris'

-- name: pinned far away
-- class: cartesian
-- code: cartesian_product
SELECT b.Name FROM Movie AS a JOIN IN_GENRE AS i ON i.$from_id = a.$node_id JOIN Genre AS g ON g.$node_id = i.$to_id CROSS JOIN Movie AS b WHERE g.Name = 'Drama'

-- name: digits to the fifth
-- class: cartesian
-- code: cartesian_product
SELECT COUNT(*) AS n FROM (VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) AS a(x) CROSS JOIN (VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) AS b(x) CROSS JOIN (VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) AS c(x) CROSS JOIN (VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) AS d(x) CROSS JOIN (VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) AS e(x)

-- name: pivoted
-- class: cartesian
-- code: cartesian_product
SELECT m.Name FROM Movie AS m, (SELECT Id, Name, ReleaseYear FROM Movie) AS s PIVOT (COUNT(Name) FOR ReleaseYear IN ([1977])) AS p

-- name: recursive cte
-- class: recursion
-- code: recursive_cte
WITH c AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM c) SELECT a FROM c

-- name: recursive keyword
-- class: recursion
-- code: not_allowed
WITH RECURSIVE c AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM c) SELECT a FROM c

-- name: recursion in a subquery
-- class: recursion
-- code: recursive_cte
WITH c AS (SELECT 1 AS a UNION ALL SELECT 2 WHERE EXISTS (SELECT 1 FROM c)) SELECT a FROM c

-- name: nolock
-- class: hint
-- code: not_allowed
SELECT Name FROM Movie WITH (NOLOCK)

-- name: updlock
-- class: hint
-- code: not_allowed
SELECT Name FROM Movie AS m WITH (UPDLOCK, HOLDLOCK)

-- name: hint without with
-- class: hint
-- code: not_allowed
SELECT Name FROM Movie (NOLOCK)

-- name: option
-- class: hint
-- code: not_allowed
SELECT Name FROM Movie OPTION (RECOMPILE)

-- name: option with maxrecursion
-- class: hint
-- code: not_allowed
SELECT Name FROM Movie OPTION (MAXRECURSION 0)

-- name: join hint
-- class: hint
-- code: not_allowed
SELECT m.Name FROM Movie AS m INNER LOOP JOIN Genre AS g ON m.Id = g.Id

-- name: tablesample
-- class: hint
-- code: not_allowed
SELECT Name FROM Movie TABLESAMPLE (10 PERCENT)

-- name: system time
-- class: hint
-- code: syntax
SELECT Name FROM Movie FOR SYSTEM_TIME AS OF '2020-01-01'

-- name: a hint behind VECTOR_SEARCH
-- class: hint
-- code: not_allowed
SELECT m.Id FROM VECTOR_SEARCH(TABLE = dbo.Movie AS m, COLUMN = Embedding, SIMILAR_TO = @q, METRIC = 'cosine', TOP_N = 1) WITH (FORCE_ANN_ONLY) AS s

-- name: a hint behind the alias of VECTOR_SEARCH
-- class: hint
-- code: not_allowed
SELECT m.Id FROM VECTOR_SEARCH(TABLE = dbo.Movie AS m, COLUMN = Embedding, SIMILAR_TO = @q, METRIC = 'cosine') AS s WITH (FORCE_ANN_ONLY) ORDER BY s.distance
-- name: in a nested join
-- class: hint
-- code: not_allowed
SELECT m.Name FROM Movie AS m LEFT JOIN (IN_GENRE AS i WITH (NOLOCK) JOIN Genre AS g ON g.$node_id = i.$to_id) ON i.$from_id = m.$node_id

-- name: two strings
-- class: two meanings
-- code: syntax
SELECT 'a' 'b'

-- name: date literal
-- class: two meanings
-- code: unknown_column
SELECT DATE '2020-01-01' FROM Movie

-- name: double colon
-- class: two meanings
-- code: syntax
SELECT Id::INT FROM Movie

-- name: hex with an alias
-- class: two meanings
-- code: unknown_column
SELECT 0x1G FROM Movie

-- name: binary literal
-- class: two meanings
-- code: syntax
SELECT 0xFF AS x

-- name: semi join
-- class: two meanings
-- code: not_allowed
SELECT m.Name FROM Movie AS m SEMI JOIN Genre AS g ON m.Id = g.Id

-- name: anti join
-- class: two meanings
-- code: not_allowed
SELECT m.Name FROM Movie AS m LEFT ANTI JOIN Genre AS g ON m.Id = g.Id

-- name: natural join
-- class: two meanings
-- code: not_allowed
SELECT m.Name FROM Movie AS m NATURAL JOIN Genre AS g

-- name: using
-- class: two meanings
-- code: unknown_function
SELECT m.Name FROM Movie AS m JOIN Genre AS g USING (Id)

-- name: lateral
-- class: two meanings
-- code: unknown_function
SELECT m.Name FROM Movie AS m, LATERAL (SELECT 1 AS a) AS x

-- name: qualify
-- class: two meanings
-- code: not_allowed
SELECT Name FROM Movie QUALIFY ROW_NUMBER() OVER (ORDER BY Id) = 1

-- name: distinct on
-- class: two meanings
-- code: syntax
SELECT TOP 5 DISTINCT Name FROM Movie

-- name: distinct on a column
-- class: two meanings
-- code: not_allowed
SELECT DISTINCT ON (Id) Name FROM Movie

-- name: pipe
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie |> LIMIT 5

-- name: string pipes
-- class: two meanings
-- code: syntax
SELECT Name || 'x' FROM Movie

-- name: json arrow
-- class: two meanings
-- code: syntax
SELECT Content -> '$.a' FROM Movie

-- name: double equals
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie WHERE Id == 1

-- name: exclamation mark
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie WHERE ! Id = 1

-- name: postfix isnull
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie WHERE Id ISNULL

-- name: true
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie WHERE TRUE

-- name: a column as a condition
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie WHERE Id

-- name: a function as a condition
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie WHERE ISNULL(Id, 1)

-- name: a predicate as a value
-- class: two meanings
-- code: syntax
SELECT CONTAINS(Name, 'x') FROM Movie

-- name: a predicate compared
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie WHERE CONTAINS(Name, 'x') = 1

-- name: a comparison as a value
-- class: two meanings
-- code: syntax
SELECT Id > 1 FROM Movie

-- name: row comparison
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie WHERE (Id, Name) = (1, 'x')

-- name: ilike
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie WHERE Name ILIKE 'x'

-- name: any of a list
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie WHERE Id = ANY ('{1}')

-- name: values as a value
-- class: two meanings
-- code: syntax
SELECT (VALUES (1))

-- name: nulls last
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie ORDER BY Name NULLS LAST

-- name: groups frame
-- class: two meanings
-- code: syntax
SELECT SUM(Id) OVER (ORDER BY Id GROUPS 2 PRECEDING) FROM Movie

-- name: except all
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie EXCEPT ALL SELECT Name FROM Genre

-- name: union distinct
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie UNION DISTINCT SELECT Name FROM Genre

-- name: array
-- class: two meanings
-- code: unknown_column
SELECT ARRAY[1]

-- name: interval
-- class: two meanings
-- code: syntax
SELECT INTERVAL '1' DAY

-- name: star except
-- class: two meanings
-- code: not_allowed
SELECT * EXCEPT (Name) FROM Movie

-- name: reserved word as a bare alias
-- class: two meanings
-- code: syntax
SELECT Name KEY FROM Movie

-- name: zero-width blank
-- class: two meanings
-- code: syntax
SELECT​Name FROM Movie

-- name: curly quotes
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie WHERE Name = ‘Alien’

-- name: no-break space
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie

-- name: fullwidth letters
-- class: two meanings
-- code: syntax
SELECT Name FROM Ｍovie

-- name: right-to-left override
-- class: two meanings
-- code: syntax
SELECT Name FROM ‮eivoM

-- name: cyrillic look-alike
-- class: two meanings
-- code: syntax
SELECT Name FROM Mоvie

-- name: unterminated string
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie WHERE Name = 'x

-- name: unterminated comment
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie /* x

-- name: unterminated name
-- class: two meanings
-- code: syntax
SELECT [Name FROM Movie

-- name: empty name
-- class: two meanings
-- code: syntax
SELECT [] FROM Movie

-- name: JSON_OBJECT with commas
-- class: two meanings
-- code: syntax
SELECT JSON_OBJECT('a', 1) AS x

-- name: a colon outside JSON_OBJECT
-- class: two meanings
-- code: syntax
SELECT JSON_OBJECT('a': 1) AS x, m:Name FROM Movie AS m

-- name: TRIM with a comma
-- class: two meanings
-- code: syntax
SELECT TRIM(Name, 'x') AS x FROM Movie

-- name: a statement in OPENJSON WITH
-- class: two meanings
-- code: syntax
SELECT j.a FROM OPENJSON('[]') WITH (a INT DROP TABLE Movie) AS j

-- name: SELECT in OPENJSON WITH
-- class: two meanings
-- code: syntax
SELECT j.a FROM OPENJSON('[]') WITH (a INT (SELECT 1)) AS j

-- name: approximate by another column
-- class: two meanings
-- code: syntax
SELECT TOP (5) WITH APPROXIMATE m.Name FROM VECTOR_SEARCH(TABLE = dbo.Movie AS m, COLUMN = Embedding, SIMILAR_TO = @q, METRIC = 'cosine') AS s ORDER BY m.Name

-- name: approximate without a search
-- class: two meanings
-- code: syntax
SELECT TOP (5) WITH APPROXIMATE Name FROM Movie ORDER BY Name

-- name: a sibling in a function of FROM
-- class: two meanings
-- code: unknown_alias
SELECT j.value FROM Movie AS m, OPENJSON(m.Content) AS j
-- name: pivot after a join
-- class: two meanings
-- code: not_allowed
SELECT p.[1977] FROM Movie AS m JOIN Genre AS g ON g.Id = m.Id PIVOT (COUNT(Id) FOR ReleaseYear IN ([1977])) AS p

-- name: pivot after a cross join
-- class: two meanings
-- code: syntax
SELECT p.[1977] FROM Movie AS m CROSS JOIN (SELECT TOP 2 Id, Name, ReleaseYear FROM Movie) AS s PIVOT (COUNT(Id) FOR ReleaseYear IN ([1977])) AS p

-- name: aggregate that names itself
-- class: two meanings
-- code: syntax
SELECT p.a FROM (SELECT Id, ReleaseYear FROM Movie) AS s PIVOT (COUNT(Id) AS n FOR ReleaseYear IN ([1977])) AS p

-- name: pivot column with an alias
-- class: two meanings
-- code: syntax
SELECT p.a FROM (SELECT Id, ReleaseYear FROM Movie) AS s PIVOT (COUNT(Id) FOR ReleaseYear IN ([1977] AS a)) AS p

-- name: alias of a join
-- class: two meanings
-- code: syntax
SELECT x.Name FROM (Movie AS m JOIN Genre AS g ON g.Id = m.Id) AS x

-- name: table in parentheses
-- class: two meanings
-- code: syntax
SELECT m.Name FROM (Movie AS m)

-- name: order before union
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie ORDER BY Name UNION SELECT Name FROM Genre

-- name: on that looks past a comma
-- class: two meanings
-- code: unknown_alias
SELECT m.Name FROM Movie AS m, Genre AS g JOIN Theme AS t ON t.Id = m.Id WHERE g.Id = m.Id

-- name: two columns of one name in order by
-- class: two meanings
-- code: ambiguous_column
SELECT a.Name, b.Name FROM Movie AS a JOIN Movie AS b ON b.Id = a.Id + 1 ORDER BY Name

-- name: column that is not grouped
-- class: two meanings
-- code: not_grouped
SELECT Name, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear

-- name: column beside an aggregate
-- class: two meanings
-- code: not_grouped
SELECT Name, MAX(ReleaseYear) AS y FROM Movie

-- name: having on a bare column
-- class: two meanings
-- code: not_grouped
SELECT ReleaseYear FROM Movie GROUP BY ReleaseYear HAVING Name = 'Alien'

-- name: distinct ordered by another column
-- class: two meanings
-- code: syntax
SELECT DISTINCT Name FROM Movie ORDER BY ReleaseYear

-- name: aggregate of a subquery
-- class: two meanings
-- code: syntax
SELECT SUM((SELECT COUNT(*) FROM Genre)) AS n FROM Movie

-- name: aggregate of an aggregate
-- class: two meanings
-- code: syntax
SELECT MAX(COUNT(*)) AS n FROM Movie GROUP BY ReleaseYear

-- name: window in a circle
-- class: two meanings
-- code: syntax
SELECT SUM(Id) OVER a AS s FROM Movie WINDOW a AS (b), b AS (a)

-- name: range of values
-- class: two meanings
-- code: syntax
SELECT SUM(Id) OVER (ORDER BY Id RANGE BETWEEN 5 PRECEDING AND CURRENT ROW) AS s FROM Movie

-- name: row of values
-- class: two meanings
-- code: syntax
SELECT Name FROM Movie WHERE (Id, ReleaseYear) = (1, 1977)

-- name: wrong arrow
-- class: match
-- code: wrong_arrow
SELECT m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(g-(i)->m)

-- name: wrong edge table
-- class: match
-- code: wrong_arrow
SELECT m.Name FROM Movie AS m, SET_IN AS s, Genre AS g WHERE MATCH(m-(s)->g)

-- name: edge table instead of its alias
-- class: match
-- code: missing_edge_alias
SELECT m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(IN_GENRE)->g)

-- name: edge left out
-- class: match
-- code: missing_edge_alias
SELECT m.Name FROM Movie AS m, Genre AS g WHERE MATCH(m-()->g)

-- name: edge not in from
-- class: match
-- code: missing_edge_alias
SELECT m.Name FROM Movie AS m, Genre AS g WHERE MATCH(m-(i)->g)

-- name: node of an outer query
-- class: match
-- code: unknown_alias
SELECT m.Name FROM Movie AS m WHERE EXISTS (SELECT 1 FROM IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g))

-- name: edge twice
-- class: match
-- code: edge_used_twice
SELECT m.Name FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t, Movie AS n WHERE MATCH(m-(e)->t<-(e)-n)

-- name: under or
-- class: match
-- code: match_place
SELECT m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g) OR m.Id = 1

-- name: under not
-- class: match
-- code: match_place
SELECT m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE NOT MATCH(m-(i)->g)

-- name: in on
-- class: match
-- code: match_place
SELECT m.Name FROM Movie AS m JOIN IN_GENRE AS i ON i.$from_id = m.$node_id JOIN Genre AS g ON MATCH(m-(i)->g)

-- name: with a join
-- class: match
-- code: match_with_join
SELECT m.Name FROM Movie AS m JOIN Genre AS g ON g.Id = m.Id, IN_GENRE AS i WHERE MATCH(m-(i)->g)

-- name: derived table as a node
-- class: match
-- code: match_syntax
SELECT m.Name FROM (SELECT * FROM Movie) AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g)

-- name: or inside
-- class: match
-- code: match_syntax
SELECT m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g OR m-(i)->g)

-- name: two heads
-- class: match
-- code: match_syntax
SELECT m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m<-(i)->g)

-- name: cypher label
-- class: match
-- code: syntax
SELECT m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i:IN_GENRE)->g)

-- name: shortest path that cannot repeat
-- class: match
-- code: path_shape
SELECT m.Name FROM Movie AS m, IN_GENRE FOR PATH AS i, Genre FOR PATH AS g WHERE MATCH(SHORTEST_PATH(m(-(i)->g)+))

-- name: misspelt column
-- class: name
-- code: unknown_column
SELECT Titel FROM Movie

-- name: column of another table
-- class: name
-- code: unknown_column
SELECT g.ReleaseYear FROM Genre AS g

-- name: misspelt table
-- class: name
-- code: unknown_table
SELECT Name FROM Movies

-- name: unknown alias
-- class: name
-- code: unknown_alias
SELECT x.Name FROM Movie AS m

-- name: table name beside its alias
-- class: name
-- code: unknown_alias
SELECT Movie.Name FROM Movie AS m

-- name: ambiguous column
-- class: name
-- code: ambiguous_column
SELECT Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g)

-- name: alias in where
-- class: name
-- code: unknown_column
SELECT Name AS Title FROM Movie WHERE Title = 'x'

-- name: text in double quotes
-- class: name
-- code: unknown_column
SELECT Name FROM Movie WHERE Name = "Alien"

-- name: four-part column
-- class: name
-- code: not_allowed
SELECT db.dbo.Movie.Name FROM Movie

-- name: money pseudo-column
-- class: name
-- code: unknown_column
SELECT $identity FROM Movie

-- name: not searchable
-- class: name
-- code: not_searchable
SELECT Name FROM Movie WHERE CONTAINS(ReleaseYear, 'x')

-- name: column of the path projected
-- class: path
-- code: path_column
SELECT a.Name, b.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: column of the path in WHERE
-- class: path
-- code: path_column
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1 AND b.Name = 'Heat'

-- name: column of the path in ORDER BY
-- class: path
-- code: path_column
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1 ORDER BY b.ReleaseYear

-- name: column of the path in GROUP BY
-- class: path
-- code: path_column
SELECT COUNT(*) AS n FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1 GROUP BY t.Name

-- name: column of the path in an aggregate over rows
-- class: path
-- code: path_column
SELECT STRING_AGG(b.Name, ', ') AS Names FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: column of the path in another order
-- class: path
-- code: path_column
SELECT STRING_AGG(b.Name, ', ') WITHIN GROUP (ORDER BY b.Name) AS Names FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: column of the path in a window
-- class: path
-- code: path_column
SELECT LAST_VALUE(b.Name) OVER (ORDER BY a.Id) AS L FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: column of the path from a subquery
-- class: path
-- code: path_column
SELECT a.Name, (SELECT TOP 1 g.Name FROM Genre AS g WHERE g.Id = b.Id) AS n FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: aggregate along the path of the outer query
-- class: path
-- code: path_column
SELECT a.Name, (SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) FROM Genre AS g WHERE g.Id = 1) AS n FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: star over a path
-- class: path
-- code: path_column
SELECT * FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: full text along a path
-- class: path
-- code: path_column
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1 AND CONTAINS(b.Content, '"space"')

-- name: embedding along a path
-- class: path
-- code: embedding_output
SELECT LAST_VALUE(b.Embedding) WITHIN GROUP (GRAPH PATH) AS v FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: embedding as text along a path
-- class: path
-- code: embedding_output
SELECT STRING_AGG(b.Embedding, ',') WITHIN GROUP (GRAPH PATH) AS v FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: embedding cast along a path
-- class: path
-- code: embedding_output
SELECT STRING_AGG(CAST(b.Embedding AS NVARCHAR(MAX)), ',') WITHIN GROUP (GRAPH PATH) AS v FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: ids of nodes along a path
-- class: path
-- code: pseudo_column_output
SELECT STRING_AGG(b.$node_id, ',') WITHIN GROUP (GRAPH PATH) AS v FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: id of the last node
-- class: path
-- code: pseudo_column_output
SELECT LAST_VALUE(b.$node_id) WITHIN GROUP (GRAPH PATH) AS v FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: ids of edges along a path
-- class: path
-- code: pseudo_column_output
SELECT MAX(e.$edge_id) WITHIN GROUP (GRAPH PATH) AS v FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: edge listed without FOR PATH
-- class: path
-- code: for_path
SELECT a.Name FROM Movie AS a, INCLUDES_THEME AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: node listed without FOR PATH
-- class: path
-- code: for_path
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: anchor FOR PATH
-- class: path
-- code: for_path
SELECT COUNT(*) AS n FROM Movie FOR PATH AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: FOR PATH without a path
-- class: path
-- code: for_path
SELECT a.Name FROM Movie AS a, IN_GENRE FOR PATH AS e, Genre FOR PATH AS g WHERE MATCH(a-(e)->g)

-- name: FOR PATH alone
-- class: path
-- code: for_path
SELECT COUNT(*) AS n FROM Movie FOR PATH AS m

-- name: FOR PATH behind the alias
-- class: path
-- code: for_path
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie AS b FOR PATH
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: FOR PATH behind a subquery
-- class: path
-- code: for_path
SELECT a.Name FROM Movie AS a, (SELECT m.Id FROM Movie AS m) FOR PATH AS b WHERE a.Id = 1

-- name: FOR PATH of a CTE
-- class: path
-- code: for_path
WITH c AS (SELECT m.Id FROM Movie AS m) SELECT COUNT(*) AS n FROM c FOR PATH AS b

-- name: FOR PATH of a function
-- class: path
-- code: for_path
SELECT k.[KEY] FROM CONTAINSTABLE(Movie, Content, '"a"') FOR PATH AS k

-- name: FOR PATH at the end of a statement
-- class: path
-- code: for_path
SELECT m.Name FROM Movie AS m WHERE m.Id = 1 FOR PATH

-- name: temporal table
-- class: path
-- code: syntax
SELECT m.Name FROM Movie FOR SYSTEM_TIME ALL AS m

-- name: temporal table in other words
-- class: path
-- code: syntax
SELECT m.Name FROM Movie FOR TIMESTAMP ALL AS m

-- name: a unit that cannot repeat
-- class: path
-- code: path_shape
SELECT COUNT(*) AS n FROM Movie AS m, IN_GENRE FOR PATH AS e, Genre FOR PATH AS g WHERE MATCH(SHORTEST_PATH(m(-(e)->g)+)) AND m.Id = 1

-- name: a wrong arrow in a unit
-- class: path
-- code: wrong_arrow
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t-(f)->b)+)) AND a.Id = 1

-- name: an edge twice in a unit
-- class: path
-- code: edge_used_twice
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(e)-b)+)) AND a.Id = 1

-- name: the anchor in its own unit
-- class: path
-- code: path_shape
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-a)+)) AND a.Id = 1

-- name: last node of a plain alias
-- class: path
-- code: path_shape
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b, IN_GENRE AS i, Genre AS g
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+) AND LAST_NODE(a)-(i)->g) AND a.Id = 1

-- name: last node in the middle of a unit
-- class: path
-- code: path_shape
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b, INCLUDES_THEME AS i, Movie AS m
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+) AND LAST_NODE(t)<-(i)-m) AND a.Id = 1

-- name: alias of a path in a plain chain
-- class: path
-- code: path_shape
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b, IN_GENRE AS i, Genre AS g
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+) AND b-(i)->g) AND a.Id = 1

-- name: a path that begins where it ends
-- class: path
-- code: path_shape
SELECT COUNT(*) AS n FROM INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(LAST_NODE(b)(-(e)->t<-(f)-b)+))

-- name: paths that can never meet
-- class: path
-- code: path_shape
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b, Theme AS u, INCLUDES_THEME FOR PATH AS h, Movie FOR PATH AS m, INCLUDES_THEME FOR PATH AS i, Theme FOR PATH AS v
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+) AND SHORTEST_PATH(u(<-(h)-m-(i)->v)+) AND LAST_NODE(b) = LAST_NODE(v)) AND a.Id = 1 AND u.Id = 1

-- name: last node equal to a plain node
-- class: path
-- code: match_syntax
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b, Movie AS c
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+) AND LAST_NODE(b) = c) AND a.Id = 1 AND c.Id = 2

-- name: star as a quantifier
-- class: path
-- code: match_syntax
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)*)) AND a.Id = 1

-- name: no quantifier
-- class: path
-- code: match_syntax
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b))) AND a.Id = 1

-- name: quantifier from two
-- class: path
-- code: match_syntax
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b){2,3})) AND a.Id = 1

-- name: quantifier of one number
-- class: path
-- code: match_syntax
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b){3})) AND a.Id = 1

-- name: quantifier beyond all bounds
-- class: path
-- code: match_syntax
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b){1,100000})) AND a.Id = 1

-- name: a path without parentheses
-- class: path
-- code: match_syntax
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a-(e)->t<-(f)-b)) AND a.Id = 1

-- name: braces elsewhere
-- class: path
-- code: syntax
SELECT (1){1,2} AS n

-- name: SHORTEST_PATH outside of MATCH
-- class: path
-- code: match_place
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE SHORTEST_PATH(a(-(e)->t<-(f)-b)+)

-- name: column of LAST_NODE
-- class: path
-- code: syntax
SELECT LAST_NODE(b).Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: a path under OR
-- class: path
-- code: match_place
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) OR a.Id = 1

-- name: aggregate along a path in WHERE
-- class: path
-- code: path_aggregate
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1 AND COUNT(b.Id) WITHIN GROUP (GRAPH PATH) = 2

-- name: aggregate along a path beside GROUP BY
-- class: path
-- code: path_aggregate
SELECT a.Name, COUNT(b.Id) WITHIN GROUP (GRAPH PATH) AS n FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1 GROUP BY a.Name

-- name: aggregate over an aggregate along a path
-- class: path
-- code: path_aggregate
SELECT MAX(COUNT(b.Id) WITHIN GROUP (GRAPH PATH)) AS n FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: aggregate along a path within another
-- class: path
-- code: path_aggregate
SELECT STRING_AGG(COUNT(b.Id) WITHIN GROUP (GRAPH PATH), ',') WITHIN GROUP (GRAPH PATH) AS n FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: aggregate along no path
-- class: path
-- code: path_aggregate
SELECT STRING_AGG(m.Name, ',') WITHIN GROUP (GRAPH PATH) AS n FROM Movie AS m

-- name: aggregate along a path of the anchor alone
-- class: path
-- code: path_aggregate
SELECT STRING_AGG(a.Name, ',') WITHIN GROUP (GRAPH PATH) AS n FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: star along a path
-- class: path
-- code: path_aggregate
SELECT COUNT(*) WITHIN GROUP (GRAPH PATH) AS n FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: star of the anchor along a path
-- class: path
-- code: path_aggregate
SELECT COUNT(a.*) WITHIN GROUP (GRAPH PATH) AS n FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: DISTINCT along a path
-- class: path
-- code: path_aggregate
SELECT COUNT(DISTINCT b.Id) WITHIN GROUP (GRAPH PATH) AS n FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: another function along a path
-- class: path
-- code: path_aggregate
SELECT FIRST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: OVER behind GRAPH PATH
-- class: path
-- code: path_aggregate
SELECT COUNT(b.Id) WITHIN GROUP (GRAPH PATH) OVER (PARTITION BY a.Id) AS n FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: GRAPH PATH elsewhere
-- class: path
-- code: path_aggregate
SELECT a.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1 ORDER BY GRAPH PATH

-- name: the mark of GRAPH PATH by hand
-- class: path
-- code: syntax
SELECT STRING_AGG(b.Name, ',') WITHIN GROUP (ORDER BY [__GRAPH_PATH]) AS n FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: a path beside a loose table
-- class: path
-- code: cartesian_product
SELECT a.Name, g.Name FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b, Genre AS g
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.ReleaseYear > 2000

-- name: a path over a join
-- class: path
-- code: match_with_join
SELECT a.Name FROM Movie AS a JOIN INCLUDES_THEME FOR PATH AS e ON 1 = 1, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1

-- name: contains with an open quote
-- class: fulltext
-- code: fulltext_syntax
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Name, '"star')

-- name: contains with a leading not
-- class: fulltext
-- code: fulltext_syntax
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Name, 'NOT star')

-- name: contains with or not
-- class: fulltext
-- code: fulltext_syntax
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Name, 'star OR NOT wars')

-- name: contains of bare words
-- class: fulltext
-- code: fulltext_syntax
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Name, 'star wars')

-- name: contains of nothing
-- class: fulltext
-- code: fulltext_syntax
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Name, '  ')

-- name: free text of nothing
-- class: fulltext
-- code: fulltext_syntax
SELECT m.Name FROM Movie AS m WHERE FREETEXT(m.Name, '')

-- name: a weight above one
-- class: fulltext
-- code: fulltext_syntax
SELECT k.[KEY] FROM CONTAINSTABLE(Movie, Name, 'ISABOUT(star WEIGHT(2))') AS k

-- name: near of one term
-- class: fulltext
-- code: fulltext_syntax
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Name, 'NEAR((star), 5)')

-- name: forms without a kind
-- class: fulltext
-- code: fulltext_syntax
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Name, 'FORMSOF(star)')

-- name: the syntax of another index
-- class: fulltext
-- code: fulltext_syntax
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Name, 'Name : star^2 +wars')

-- name: contains of a property
-- class: fulltext
-- code: unsupported
SELECT m.Name FROM Movie AS m WHERE CONTAINS(PROPERTY(m.Content, 'Title'), 'star')

-- name: contains of a variable
-- class: fulltext
-- code: wrong_arguments
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Name, @q)

-- name: contains of a computed text
-- class: fulltext
-- code: wrong_arguments
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Name, 'star' + 'wars')

-- name: contains of a null
-- class: fulltext
-- code: wrong_arguments
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Name, NULL)

-- name: contains of an edge
-- class: fulltext
-- code: wrong_arguments
SELECT m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g) AND CONTAINS(i.*, 'star')

-- name: contains of a derived table
-- class: fulltext
-- code: wrong_arguments
SELECT d.Name FROM (SELECT m.Name FROM Movie AS m) AS d WHERE CONTAINS(d.Name, 'star')

-- name: contains of two tables at once
-- class: fulltext
-- code: wrong_arguments
SELECT m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g) AND CONTAINS((m.Name, g.Name), 'star')

-- name: contains of the vector
-- class: fulltext
-- code: not_searchable
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Embedding, 'star')

-- name: containstable with a computed count
-- class: fulltext
-- code: wrong_arguments
SELECT k.[KEY] FROM CONTAINSTABLE(Movie, Name, 'star', 5 + 5) AS k

-- name: a language that is none
-- class: fulltext
-- code: syntax
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Name, 'star', LANGUAGE 'Klingon')

-- name: a binary literal elsewhere
-- class: fulltext
-- code: syntax
SELECT m.Name FROM Movie AS m WHERE m.Id = 0x409

-- name: contains with a deep condition
-- class: fulltext
-- code: fulltext_syntax
SELECT m.Name FROM Movie AS m WHERE CONTAINS(m.Name, '((((((((((((((((((((((((((((((star))))))))))))))))))))))))))))))')
