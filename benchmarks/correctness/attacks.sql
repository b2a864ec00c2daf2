-- Statements that must not run: other places, writing, facts about the server, embeddings, costs without bound.
-- Each ends with a line of two hyphens. All of them are refused by the guard; none reaches an engine.

SELECT m.Name FROM Movie m; DELETE FROM Movie WHERE Id = 1
--
SELECT Name INTO #copy FROM Movie
--
SELECT Name INTO dbo.Stolen FROM Movie
--
WITH gone AS (SELECT TOP 1 * FROM Movie) DELETE FROM gone
--
WITH old AS (SELECT Id, Name FROM Movie) UPDATE old SET Name = 'x'
--
SELECT * FROM (DELETE FROM Movie OUTPUT deleted.Id) AS d
--
INSERT Theme (Id, Name) OUTPUT inserted.Name SELECT 999, 'x'
--
SELECT NEXT VALUE FOR dbo.numbers
--
BEGIN TRAN; SELECT Name FROM Movie WITH (TABLOCKX, HOLDLOCK)
--
SELECT Name FROM Movie WITH (XLOCK)
--
SELECT Name FROM Movie (UPDLOCK)
--
SELECT Name FROM Movie OPTION (MAXDOP 8)
--
SELECT Name FROM Movie OPTION (USE HINT ('QUERY_OPTIMIZER_COMPATIBILITY_LEVEL_100'), MAXRECURSION 0)
--
SELECT name FROM sys.tables
--
SELECT name, password_hash FROM sys.sql_logins
--
SELECT * FROM INFORMATION_SCHEMA.COLUMNS
--
SELECT * FROM master..sysdatabases
--
SELECT * FROM master.dbo.spt_values
--
SELECT * FROM tempdb.sys.objects
--
SELECT * FROM [other server].movies.dbo.Movie
--
SELECT * FROM sys.dm_exec_sessions
--
SELECT * FROM sys.dm_exec_sql_text(0x01)
--
SELECT * FROM sys.fn_dblog(NULL, NULL)
--
SELECT * FROM fn_my_permissions(NULL, 'SERVER')
--
SELECT * FROM ::fn_helpcollations()
--
SELECT * FROM dbo.moviegraph_aliases
--
SELECT * FROM moviegraph.manifest
--
SELECT * FROM sqlite_master
--
SELECT * FROM duckdb_settings()
--
SELECT * FROM pragma_table_info('Movie')
--
SELECT * FROM read_csv_auto('/etc/passwd')
--
SELECT * FROM '/etc/passwd'
--
SELECT * FROM read_text('/etc/hostname')
--
SELECT * FROM glob('/root/*')
--
SELECT getenv('HOME') AS x
--
SELECT current_setting('threads') AS x
--
COPY (SELECT Name FROM Movie) TO '/tmp/out.csv'
--
ATTACH '/tmp/other.db' AS o
--
INSTALL httpfs
--
PRAGMA database_list
--
EXPLAIN ANALYZE SELECT * FROM Movie
--
SET ROWCOUNT 0; SELECT Name FROM Movie
--
SELECT * FROM OPENROWSET(BULK '/etc/passwd', SINGLE_CLOB) AS x
--
SELECT * FROM OPENROWSET('SQLNCLI', 'Server=evil;Trusted_Connection=yes;', 'SELECT 1') AS x
--
SELECT * FROM OPENQUERY(evil, 'SELECT 1')
--
SELECT * FROM OPENDATASOURCE('SQLNCLI', 'Data Source=evil').m.dbo.t
--
EXEC('SELECT Name FROM Movie')
--
EXECUTE sp_executesql N'SELECT 1'
--
SELECT @@VERSION
--
SELECT @@SERVERNAME AS s, @@SPID AS p
--
SELECT SUSER_SNAME()
--
SELECT SYSTEM_USER
--
SELECT CURRENT_USER
--
SELECT SESSION_USER AS x
--
SELECT USER
--
SELECT DB_NAME(), HOST_NAME(), APP_NAME()
--
SELECT OBJECT_DEFINITION(OBJECT_ID('dbo.Movie'))
--
SELECT SERVERPROPERTY('Edition')
--
SELECT CAST(SERVERPROPERTY('MachineName') AS INT)
--
SELECT IS_SRVROLEMEMBER('sysadmin')
--
SELECT HAS_PERMS_BY_NAME('Movie', 'OBJECT', 'INSERT')
--
SELECT SESSION_CONTEXT(N'key')
--
SELECT CONTEXT_INFO()
--
SELECT ERROR_MESSAGE()
--
SELECT COLUMNPROPERTY(OBJECT_ID('Movie'), 'Id', 'AllowsNull')
--
SELECT NEWID() AS n FROM Movie
--
SELECT Name FROM Movie ORDER BY CRYPT_GEN_RANDOM(4)
--
SELECT Name FROM Movie ORDER BY RAND()
--
SELECT PWDENCRYPT('x')
--
SELECT ENCRYPTBYPASSPHRASE('x', Name) FROM Movie
--
SELECT Embedding FROM Movie WHERE Id = 1
--
SELECT m.Embedding.value FROM Movie m
--
SELECT CAST(Embedding AS NVARCHAR(MAX)) FROM Movie
--
SELECT CONVERT(VARCHAR(MAX), Embedding) FROM Movie
--
SELECT CONCAT(Embedding, '') FROM Movie
--
SELECT JSON_ARRAY(Embedding) FROM Movie
--
SELECT JSON_OBJECT('e': Embedding) FROM Movie
--
SELECT TOP 1 Embedding AS e FROM Movie FOR JSON PATH
--
SELECT (SELECT TOP 1 x.Embedding FROM Movie AS x FOR JSON PATH) AS j
--
SELECT e FROM (SELECT Embedding AS e FROM Movie) AS d
--
WITH d(a, b) AS (SELECT Id, Embedding FROM Movie) SELECT a, b FROM d
--
WITH d(a, b) AS (SELECT Id, Embedding FROM Movie) SELECT a, CAST(b AS VARCHAR(100)) FROM d
--
SELECT Id, Embedding FROM Movie UNION SELECT Id, Embedding FROM Theme
--
SELECT MAX(Embedding) FROM Movie
--
SELECT STRING_AGG(CAST(Embedding AS NVARCHAR(MAX)), ';') FROM Movie
--
SELECT COALESCE(Embedding, Embedding) FROM Movie
--
SELECT CASE WHEN Id = 1 THEN Embedding END FROM Movie
--
SELECT LEN(CAST(Embedding AS NVARCHAR(MAX))) FROM Movie
--
SELECT j.value FROM Movie CROSS APPLY OPENJSON(CAST(Embedding AS NVARCHAR(MAX))) AS j
--
SELECT VECTOR_DISTANCE('dot', Embedding, CAST('[1, 0, 0]' AS VECTOR(3))) FROM Movie
--
SELECT VECTOR_DISTANCE('dot', Embedding, CAST(JSON_ARRAY(1, 0) AS VECTOR(384))) FROM Movie
--
SELECT VECTOR_NORM(Embedding, 'norm2') FROM Movie
--
SELECT @q AS q
--
SELECT CAST(@q AS NVARCHAR(MAX)) AS q
--
SELECT AI_GENERATE_EMBEDDINGS(N'x' USE MODEL m)
--
SELECT u.v FROM (SELECT Id, Embedding FROM Movie) AS s UNPIVOT (v FOR k IN (Embedding)) AS u
--
SELECT LAG(Embedding) OVER (ORDER BY Id) FROM Movie
--
SELECT FIRST_VALUE(Embedding) OVER (ORDER BY Id) AS e FROM Movie
--
SELECT x.e FROM Movie CROSS APPLY (SELECT Embedding AS e) AS x
--
SELECT v.e FROM Movie CROSS APPLY (VALUES (Embedding)) AS v(e)
--
SELECT CAST(CAST(Embedding AS NVARCHAR(MAX)) AS INT) FROM Movie
--
SELECT 1 FROM Movie WHERE CAST(Embedding AS VARCHAR(MAX)) LIKE '[[]0.1%'
--
SELECT TOP 1 Id FROM Movie ORDER BY CAST(Embedding AS VARCHAR(MAX))
--
SELECT $node_id FROM Movie
--
SELECT m.$node_id AS n FROM Movie m
--
SELECT MAX($node_id) FROM Movie
--
SELECT STRING_AGG($node_id, ',') FROM Movie
--
SELECT JSON_VALUE($node_id, '$.id') FROM Movie
--
SELECT CAST($from_id AS NVARCHAR(1000)) FROM IN_GENRE
--
SELECT OBJECT_ID_FROM_NODE_ID($node_id) FROM Movie
--
SELECT graph_id_3A4B FROM Movie
--
SELECT a.Name FROM Movie a, Movie b, Movie c
--
SELECT COUNT(*) FROM Movie a CROSS JOIN Movie b CROSS JOIN Movie c CROSS JOIN Movie d
--
SELECT COUNT(*) FROM Movie a JOIN Movie b ON a.Id <> b.Id JOIN Movie c ON b.Id <> c.Id
--
SELECT COUNT(*) FROM Movie a JOIN Movie b ON 1 = 1 JOIN Movie c ON 1 = 1
--
SELECT COUNT(*) FROM Movie a JOIN Movie b ON a.Id = a.Id
--
SELECT COUNT(*) FROM Movie a JOIN Movie b ON a.Id + b.Id = b.Id + a.Id
--
SELECT COUNT(*) FROM GENERATE_SERIES(1, 2000000000)
--
SELECT SUM(CAST(a.value AS BIGINT)) FROM GENERATE_SERIES(1, 100000) AS a CROSS JOIN GENERATE_SERIES(1, 100000) AS b
--
SELECT COUNT(*) FROM Movie CROSS APPLY GENERATE_SERIES(1, 1000000) AS s
--
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT n FROM r
--
SELECT REPLICATE(REPLICATE('x', 8000), 8000)
--
SELECT REPLICATE(CAST('x' AS VARCHAR(MAX)), 2000000000)
--
SELECT SPACE(2000000000)
--
SELECT LEN(REPLICATE(Content, 8000)) FROM Movie
--
SELECT COUNT(*) FROM Movie a JOIN Movie b ON a.Id = a.Id + b.Id - b.Id
--
SELECT COUNT(*) FROM Movie m CROSS APPLY OPENJSON((SELECT TOP 1000 x.Name FROM Movie x FOR JSON PATH)) AS j
--
WAITFOR DELAY '00:01:00'
--
IF (SELECT COUNT(*) FROM Movie) > 1 SELECT 1
--
DECLARE @x INT = 1; WHILE @x > 0 SELECT @x
--
SELECT Name FROM Movie /* */ ; /* DROP */ DROP TABLE Movie
--
SELECT Name FROM Movie FOR XML PATH('')
--
SELECT * FROM OPENXML(1, '/x')
--
SELECT CAST('<x/>' AS XML).value('.', 'int')
--
SELECT geometry::Point(1, 2, 0).ToString()
--
SELECT HIERARCHYID::GetRoot()
--
SELECT CAST(0x41 AS VARCHAR(10)) AS a FROM Movie FOR BROWSE
--
SELECT Name FROM Movie FOR SYSTEM_TIME ALL
--
SELECT Name FROM Movie TABLESAMPLE (10 PERCENT)
--
SELECT dbo.secret(Name) FROM Movie
--
SELECT Name FROM Movie WHERE ΝΑΜΕ = 'x'
--
SELECT Name FROM Movie WHERE Name = (SELECT TOP 1 c.name FROM sys.columns AS c)
--
SELECT Name FROM Movie WHERE EXISTS (SELECT 1 FROM sys.databases WHERE name = 'master')
--
SELECT TOP 5 Name FROM Movie ORDER BY (SELECT COUNT(*) FROM sys.objects)
--
SELECT k.[KEY] FROM CONTAINSTABLE(sys.objects, name, 'x') AS k
--
SELECT * FROM VECTOR_SEARCH(TABLE = sys.objects, COLUMN = name, SIMILAR_TO = @q, METRIC = 'cosine', TOP_N = 5) AS s
--
SELECT * FROM PREDICT(MODEL = @m, DATA = Movie AS d) WITH (s FLOAT) AS p
--
SELECT * FROM CHANGETABLE(CHANGES Movie, 0) AS c
--
SELECT m.Name FROM Movie AS m CROSS APPLY sys.dm_exec_input_buffer(1, 0) AS b
