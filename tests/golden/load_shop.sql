-- lock
DECLARE @result INT;
EXEC @result = sp_getapplock @Resource = N'moviegraph load', @LockMode = N'Exclusive',
    @LockOwner = N'Session', @LockTimeout = 10000;
SELECT @result AS Result;
GO

-- read the manifest
IF OBJECT_ID(N'[moviegraph].[Manifest]', N'U') IS NOT NULL
    SELECT Value FROM [moviegraph].[Manifest] WHERE Name = N'manifest';
ELSE SELECT CAST(NULL AS NVARCHAR(MAX)) AS Value WHERE 1 = 0;
GO

-- write the manifest
DECLARE @document NVARCHAR(MAX) = ?;
UPDATE [moviegraph].[Manifest] SET Value = @document WHERE Name = N'manifest';
IF @@ROWCOUNT = 0 INSERT [moviegraph].[Manifest] (Name, Value) VALUES (N'manifest', @document);
GO

-- read the contract
IF OBJECT_ID(N'[moviegraph].[Manifest]', N'U') IS NOT NULL
    SELECT Value FROM [moviegraph].[Manifest] WHERE Name = N'contract';
ELSE SELECT CAST(NULL AS NVARCHAR(MAX)) AS Value WHERE 1 = 0;
GO

-- write the contract
DECLARE @document NVARCHAR(MAX) = ?;
UPDATE [moviegraph].[Manifest] SET Value = @document WHERE Name = N'contract';
IF @@ROWCOUNT = 0 INSERT [moviegraph].[Manifest] (Name, Value) VALUES (N'contract', @document);
GO

-- read aliases
IF OBJECT_ID(N'[moviegraph].[Alias]', N'U') IS NOT NULL
    SELECT Kind, Id, Alias FROM [moviegraph].[Alias] ORDER BY Kind, Id, Alias;
ELSE SELECT CAST(NULL AS NVARCHAR(64)) AS Kind, CAST(NULL AS BIGINT) AS Id,
    CAST(NULL AS NVARCHAR(200)) AS Alias WHERE 1 = 0;
GO

-- write aliases
DECLARE @document NVARCHAR(MAX) = ?;
DELETE FROM [moviegraph].[Alias];
INSERT [moviegraph].[Alias] (Kind, Id, Alias) SELECT Kind, Id, Alias FROM OPENJSON(@document)
    WITH (Kind NVARCHAR(64) '$[0]', Id BIGINT '$[1]', Alias NVARCHAR(200) '$[2]');
GO

-- count
SELECT N'Customer' AS TableName, COUNT_BIG(*) AS AllRows, COUNT_BIG(CASE WHEN [Embedding] IS NOT NULL THEN 1 END) AS Vectors FROM [dbo].[Customer]
UNION ALL SELECT N'Product' AS TableName, COUNT_BIG(*) AS AllRows, COUNT_BIG(CASE WHEN [Embedding] IS NOT NULL THEN 1 END) AS Vectors FROM [dbo].[Product]
UNION ALL SELECT N'BOUGHT', COUNT_BIG(*), 0 FROM [dbo].[BOUGHT]
UNION ALL SELECT N'KNOWS', COUNT_BIG(*), 0 FROM [dbo].[KNOWS]
UNION ALL SELECT N'RATED', COUNT_BIG(*), 0 FROM [dbo].[RATED];
GO

-- full text
SELECT N'Customer' AS TableName, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[dbo].[Customer]'), 'TableFulltextPopulateStatus') AS INT) AS Status, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[dbo].[Customer]'), 'TableFulltextPendingChanges') AS INT) AS Pending
UNION ALL SELECT N'Product' AS TableName, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[dbo].[Product]'), 'TableFulltextPopulateStatus') AS INT) AS Status, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[dbo].[Product]'), 'TableFulltextPendingChanges') AS INT) AS Pending;
GO

-- read Customer
SELECT n.[Id], d.RowDigest, d.TextDigest,
    CASE WHEN n.[Embedding] IS NULL THEN 0 ELSE 1 END
FROM [dbo].[Customer] AS n
LEFT JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Customer' AND d.Id = n.[Id];
GO

-- read vectors of Customer
DECLARE @rows NVARCHAR(MAX) = ?;
SELECT d.TextDigest, CAST(n.[Embedding] AS NVARCHAR(MAX))
FROM OPENJSON(@rows) WITH (Digest CHAR(32) '$') AS j
JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Customer' AND d.TextDigest = j.Digest
JOIN [dbo].[Customer] AS n ON n.[Id] = d.Id
WHERE n.[Embedding] IS NOT NULL;
GO

-- write Customer
DECLARE @rows NVARCHAR(MAX) = ?;
DECLARE @new TABLE ([Id] INT NOT NULL PRIMARY KEY, [Name] NVARCHAR(100) NOT NULL, [Content] NVARCHAR(MAX), _Vector NVARCHAR(MAX), _RowDigest CHAR(32) NOT NULL, _TextDigest CHAR(32), _Keep BIT NOT NULL);
INSERT @new ([Id], [Name], [Content], _Vector, _RowDigest, _TextDigest, _Keep)
SELECT [Id], [Name], [Content], _Vector, _RowDigest, _TextDigest, _Keep FROM OPENJSON(@rows) WITH (
    [Id] INT '$[0]',
    [Name] NVARCHAR(100) '$[1]',
    [Content] NVARCHAR(MAX) '$[2]',
    _Vector NVARCHAR(MAX) '$[3]' AS JSON,
    _RowDigest CHAR(32) '$[4]',
    _TextDigest CHAR(32) '$[5]',
    _Keep BIT '$[6]');
UPDATE n SET [Name] = r.[Name], [Content] = r.[Content]
    FROM [dbo].[Customer] AS n JOIN @new AS r ON r.[Id] = n.[Id];
UPDATE n SET [Embedding] = CAST(r._Vector AS VECTOR(64))
    FROM [dbo].[Customer] AS n JOIN @new AS r ON r.[Id] = n.[Id] WHERE r._Keep = 0;
INSERT [dbo].[Customer] ([Id], [Name], [Content], [Embedding])
SELECT r.[Id], r.[Name], r.[Content], CAST(r._Vector AS VECTOR(64)) FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [dbo].[Customer] AS n WHERE n.[Id] = r.[Id]);
UPDATE d SET RowDigest = r._RowDigest, TextDigest = r._TextDigest
    FROM [moviegraph].[Loaded] AS d JOIN @new AS r ON d.TableName = N'Customer' AND d.Id = r.[Id];
INSERT [moviegraph].[Loaded] (TableName, Id, RowDigest, TextDigest)
SELECT N'Customer', r.[Id], r._RowDigest, r._TextDigest FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [moviegraph].[Loaded] AS d WHERE d.TableName = N'Customer' AND d.Id = r.[Id]);
GO

-- remove Customer
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE n FROM [dbo].[Customer] AS n JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON j.Id = n.[Id];
DELETE d FROM [moviegraph].[Loaded] AS d JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON d.TableName = N'Customer' AND d.Id = j.Id;
GO

-- read Product
SELECT n.[Id], d.RowDigest, d.TextDigest,
    CASE WHEN n.[Embedding] IS NULL THEN 0 ELSE 1 END
FROM [dbo].[Product] AS n
LEFT JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Product' AND d.Id = n.[Id];
GO

-- read vectors of Product
DECLARE @rows NVARCHAR(MAX) = ?;
SELECT d.TextDigest, CAST(n.[Embedding] AS NVARCHAR(MAX))
FROM OPENJSON(@rows) WITH (Digest CHAR(32) '$') AS j
JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Product' AND d.TextDigest = j.Digest
JOIN [dbo].[Product] AS n ON n.[Id] = d.Id
WHERE n.[Embedding] IS NOT NULL;
GO

-- write Product
DECLARE @rows NVARCHAR(MAX) = ?;
DECLARE @new TABLE ([Id] INT NOT NULL PRIMARY KEY, [Name] NVARCHAR(100) NOT NULL, [Content] NVARCHAR(MAX), _Vector NVARCHAR(MAX), _RowDigest CHAR(32) NOT NULL, _TextDigest CHAR(32), _Keep BIT NOT NULL);
INSERT @new ([Id], [Name], [Content], _Vector, _RowDigest, _TextDigest, _Keep)
SELECT [Id], [Name], [Content], _Vector, _RowDigest, _TextDigest, _Keep FROM OPENJSON(@rows) WITH (
    [Id] INT '$[0]',
    [Name] NVARCHAR(100) '$[1]',
    [Content] NVARCHAR(MAX) '$[2]',
    _Vector NVARCHAR(MAX) '$[3]' AS JSON,
    _RowDigest CHAR(32) '$[4]',
    _TextDigest CHAR(32) '$[5]',
    _Keep BIT '$[6]');
UPDATE n SET [Name] = r.[Name], [Content] = r.[Content]
    FROM [dbo].[Product] AS n JOIN @new AS r ON r.[Id] = n.[Id];
UPDATE n SET [Embedding] = CAST(r._Vector AS VECTOR(64))
    FROM [dbo].[Product] AS n JOIN @new AS r ON r.[Id] = n.[Id] WHERE r._Keep = 0;
INSERT [dbo].[Product] ([Id], [Name], [Content], [Embedding])
SELECT r.[Id], r.[Name], r.[Content], CAST(r._Vector AS VECTOR(64)) FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [dbo].[Product] AS n WHERE n.[Id] = r.[Id]);
UPDATE d SET RowDigest = r._RowDigest, TextDigest = r._TextDigest
    FROM [moviegraph].[Loaded] AS d JOIN @new AS r ON d.TableName = N'Product' AND d.Id = r.[Id];
INSERT [moviegraph].[Loaded] (TableName, Id, RowDigest, TextDigest)
SELECT N'Product', r.[Id], r._RowDigest, r._TextDigest FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [moviegraph].[Loaded] AS d WHERE d.TableName = N'Product' AND d.Id = r.[Id]);
GO

-- remove Product
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE n FROM [dbo].[Product] AS n JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON j.Id = n.[Id];
DELETE d FROM [moviegraph].[Loaded] AS d JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON d.TableName = N'Product' AND d.Id = j.Id;
GO

-- read BOUGHT
SELECT f.[Id], t.[Id], e._Digest
FROM [dbo].[BOUGHT] AS e
JOIN [dbo].[Customer] AS f ON f.$node_id = e.$from_id
JOIN [dbo].[Product] AS t ON t.$node_id = e.$to_id;
GO

-- write BOUGHT
DECLARE @rows NVARCHAR(MAX) = ?;
INSERT [dbo].[BOUGHT] ($from_id, $to_id, _Digest, [Amount], [Price], [Bought], [Note])
SELECT f.$node_id, t.$node_id, j._Digest, j.[Amount], j.[Price], j.[Bought], j.[Note] FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]', _Digest CHAR(32) '$[2]', [Amount] INT '$[3]', [Price] DECIMAL(8, 2) '$[4]', [Bought] DATE '$[5]', [Note] NVARCHAR(40) '$[6]') AS j
JOIN [dbo].[Customer] AS f ON f.[Id] = j.Source
JOIN [dbo].[Product] AS t ON t.[Id] = j.Target
WHERE NOT EXISTS (SELECT 1 FROM [dbo].[BOUGHT] AS e
    WHERE e.$from_id = f.$node_id AND e.$to_id = t.$node_id AND e._Digest = j._Digest);
GO

-- remove BOUGHT
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE e FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]', _Digest CHAR(32) '$[2]') AS j
JOIN [dbo].[Customer] AS f ON f.[Id] = j.Source
JOIN [dbo].[Product] AS t ON t.[Id] = j.Target
JOIN [dbo].[BOUGHT] AS e ON e.$from_id = f.$node_id AND e.$to_id = t.$node_id AND e._Digest = j._Digest;
GO

-- read KNOWS
SELECT f.[Id], t.[Id]
FROM [dbo].[KNOWS] AS e
JOIN [dbo].[Customer] AS f ON f.$node_id = e.$from_id
JOIN [dbo].[Customer] AS t ON t.$node_id = e.$to_id;
GO

-- write KNOWS
DECLARE @rows NVARCHAR(MAX) = ?;
INSERT [dbo].[KNOWS] ($from_id, $to_id)
SELECT f.$node_id, t.$node_id FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [dbo].[Customer] AS f ON f.[Id] = j.Source
JOIN [dbo].[Customer] AS t ON t.[Id] = j.Target
WHERE NOT EXISTS (SELECT 1 FROM [dbo].[KNOWS] AS e
    WHERE e.$from_id = f.$node_id AND e.$to_id = t.$node_id);
GO

-- remove KNOWS
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE e FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [dbo].[Customer] AS f ON f.[Id] = j.Source
JOIN [dbo].[Customer] AS t ON t.[Id] = j.Target
JOIN [dbo].[KNOWS] AS e ON e.$from_id = f.$node_id AND e.$to_id = t.$node_id;
GO

-- read RATED from Customer to Product
SELECT f.[Id], t.[Id], e._Digest
FROM [dbo].[RATED] AS e
JOIN [dbo].[Customer] AS f ON f.$node_id = e.$from_id
JOIN [dbo].[Product] AS t ON t.$node_id = e.$to_id;
GO

-- write RATED from Customer to Product
DECLARE @rows NVARCHAR(MAX) = ?;
INSERT [dbo].[RATED] ($from_id, $to_id, _Digest, [Stars], [Note])
SELECT f.$node_id, t.$node_id, j._Digest, j.[Stars], j.[Note] FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]', _Digest CHAR(32) '$[2]', [Stars] FLOAT '$[3]', [Note] NVARCHAR(40) '$[4]') AS j
JOIN [dbo].[Customer] AS f ON f.[Id] = j.Source
JOIN [dbo].[Product] AS t ON t.[Id] = j.Target
WHERE NOT EXISTS (SELECT 1 FROM [dbo].[RATED] AS e
    WHERE e.$from_id = f.$node_id AND e.$to_id = t.$node_id AND e._Digest = j._Digest);
GO

-- remove RATED from Customer to Product
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE e FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]', _Digest CHAR(32) '$[2]') AS j
JOIN [dbo].[Customer] AS f ON f.[Id] = j.Source
JOIN [dbo].[Product] AS t ON t.[Id] = j.Target
JOIN [dbo].[RATED] AS e ON e.$from_id = f.$node_id AND e.$to_id = t.$node_id AND e._Digest = j._Digest;
GO

-- read RATED from Customer to Customer
SELECT f.[Id], t.[Id], e._Digest
FROM [dbo].[RATED] AS e
JOIN [dbo].[Customer] AS f ON f.$node_id = e.$from_id
JOIN [dbo].[Customer] AS t ON t.$node_id = e.$to_id;
GO

-- write RATED from Customer to Customer
DECLARE @rows NVARCHAR(MAX) = ?;
INSERT [dbo].[RATED] ($from_id, $to_id, _Digest, [Stars], [Note])
SELECT f.$node_id, t.$node_id, j._Digest, j.[Stars], j.[Note] FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]', _Digest CHAR(32) '$[2]', [Stars] FLOAT '$[3]', [Note] NVARCHAR(40) '$[4]') AS j
JOIN [dbo].[Customer] AS f ON f.[Id] = j.Source
JOIN [dbo].[Customer] AS t ON t.[Id] = j.Target
WHERE NOT EXISTS (SELECT 1 FROM [dbo].[RATED] AS e
    WHERE e.$from_id = f.$node_id AND e.$to_id = t.$node_id AND e._Digest = j._Digest);
GO

-- remove RATED from Customer to Customer
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE e FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]', _Digest CHAR(32) '$[2]') AS j
JOIN [dbo].[Customer] AS f ON f.[Id] = j.Source
JOIN [dbo].[Customer] AS t ON t.[Id] = j.Target
JOIN [dbo].[RATED] AS e ON e.$from_id = f.$node_id AND e.$to_id = t.$node_id AND e._Digest = j._Digest;
GO

