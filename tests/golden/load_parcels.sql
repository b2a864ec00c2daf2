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
SELECT N'Parcel' AS TableName, COUNT_BIG(*) AS AllRows, COUNT_BIG(CASE WHEN [Embedding] IS NOT NULL THEN 1 END) AS Vectors FROM [dbo].[Parcel]
UNION ALL SELECT N'Depot' AS TableName, COUNT_BIG(*) AS AllRows, 0 AS Vectors FROM [dbo].[Depot];
GO

-- full text
SELECT N'Parcel' AS TableName, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[dbo].[Parcel]'), 'TableFulltextPopulateStatus') AS INT) AS Status, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[dbo].[Parcel]'), 'TableFulltextPendingChanges') AS INT) AS Pending
UNION ALL SELECT N'Depot' AS TableName, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[dbo].[Depot]'), 'TableFulltextPopulateStatus') AS INT) AS Status, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[dbo].[Depot]'), 'TableFulltextPendingChanges') AS INT) AS Pending;
GO

-- read Parcel
SELECT n.[Id], d.RowDigest, d.TextDigest,
    CASE WHEN n.[Embedding] IS NULL THEN 0 ELSE 1 END
FROM [dbo].[Parcel] AS n
LEFT JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Parcel' AND d.Id = n.[Id];
GO

-- read vectors of Parcel
DECLARE @rows NVARCHAR(MAX) = ?;
SELECT d.TextDigest, CAST(n.[Embedding] AS NVARCHAR(MAX))
FROM OPENJSON(@rows) WITH (Digest CHAR(32) '$') AS j
JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Parcel' AND d.TextDigest = j.Digest
JOIN [dbo].[Parcel] AS n ON n.[Id] = d.Id
WHERE n.[Embedding] IS NOT NULL;
GO

-- write Parcel
DECLARE @rows NVARCHAR(MAX) = ?;
DECLARE @new TABLE ([Id] BIGINT NOT NULL PRIMARY KEY, [Code] NVARCHAR(40) NOT NULL, [Name] NVARCHAR(80) NOT NULL, [Weight] DECIMAL(8, 2), [Units] BIGINT, [Rate] FLOAT, [Fragile] BIT, [Sent] DATE, [Scanned] DATETIME2, [Details] NVARCHAR(MAX), [Content] NVARCHAR(MAX), _Vector NVARCHAR(MAX), _RowDigest CHAR(32) NOT NULL, _TextDigest CHAR(32), _Keep BIT NOT NULL);
INSERT @new ([Id], [Code], [Name], [Weight], [Units], [Rate], [Fragile], [Sent], [Scanned], [Details], [Content], _Vector, _RowDigest, _TextDigest, _Keep)
SELECT [Id], [Code], [Name], [Weight], [Units], [Rate], [Fragile], [Sent], [Scanned], [Details], [Content], _Vector, _RowDigest, _TextDigest, _Keep FROM OPENJSON(@rows) WITH (
    [Id] BIGINT '$[0]',
    [Code] NVARCHAR(40) '$[1]',
    [Name] NVARCHAR(80) '$[2]',
    [Weight] DECIMAL(8, 2) '$[3]',
    [Units] BIGINT '$[4]',
    [Rate] FLOAT '$[5]',
    [Fragile] BIT '$[6]',
    [Sent] DATE '$[7]',
    [Scanned] DATETIME2 '$[8]',
    [Details] NVARCHAR(MAX) '$[9]',
    [Content] NVARCHAR(MAX) '$[10]',
    _Vector NVARCHAR(MAX) '$[11]' AS JSON,
    _RowDigest CHAR(32) '$[12]',
    _TextDigest CHAR(32) '$[13]',
    _Keep BIT '$[14]');
UPDATE n SET [Code] = r.[Code], [Name] = r.[Name], [Weight] = r.[Weight], [Units] = r.[Units], [Rate] = r.[Rate], [Fragile] = r.[Fragile], [Sent] = r.[Sent], [Scanned] = r.[Scanned], [Details] = r.[Details], [Content] = r.[Content]
    FROM [dbo].[Parcel] AS n JOIN @new AS r ON r.[Id] = n.[Id];
UPDATE n SET [Embedding] = CAST(r._Vector AS VECTOR(64))
    FROM [dbo].[Parcel] AS n JOIN @new AS r ON r.[Id] = n.[Id] WHERE r._Keep = 0;
INSERT [dbo].[Parcel] ([Id], [Code], [Name], [Weight], [Units], [Rate], [Fragile], [Sent], [Scanned], [Details], [Content], [Embedding])
SELECT r.[Id], r.[Code], r.[Name], r.[Weight], r.[Units], r.[Rate], r.[Fragile], r.[Sent], r.[Scanned], r.[Details], r.[Content], CAST(r._Vector AS VECTOR(64)) FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [dbo].[Parcel] AS n WHERE n.[Id] = r.[Id]);
UPDATE d SET RowDigest = r._RowDigest, TextDigest = r._TextDigest
    FROM [moviegraph].[Loaded] AS d JOIN @new AS r ON d.TableName = N'Parcel' AND d.Id = r.[Id];
INSERT [moviegraph].[Loaded] (TableName, Id, RowDigest, TextDigest)
SELECT N'Parcel', r.[Id], r._RowDigest, r._TextDigest FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [moviegraph].[Loaded] AS d WHERE d.TableName = N'Parcel' AND d.Id = r.[Id]);
GO

-- remove Parcel
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE n FROM [dbo].[Parcel] AS n JOIN OPENJSON(@rows) WITH (Id BIGINT '$') AS j ON j.Id = n.[Id];
DELETE d FROM [moviegraph].[Loaded] AS d JOIN OPENJSON(@rows) WITH (Id BIGINT '$') AS j ON d.TableName = N'Parcel' AND d.Id = j.Id;
GO

-- read Depot
SELECT n.[Id], d.RowDigest, d.TextDigest,
    0
FROM [dbo].[Depot] AS n
LEFT JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Depot' AND d.Id = n.[Id];
GO

-- write Depot
DECLARE @rows NVARCHAR(MAX) = ?;
DECLARE @new TABLE ([Id] INT NOT NULL PRIMARY KEY, [Name] NVARCHAR(80) NOT NULL, _Vector NVARCHAR(MAX), _RowDigest CHAR(32) NOT NULL, _TextDigest CHAR(32), _Keep BIT NOT NULL);
INSERT @new ([Id], [Name], _Vector, _RowDigest, _TextDigest, _Keep)
SELECT [Id], [Name], _Vector, _RowDigest, _TextDigest, _Keep FROM OPENJSON(@rows) WITH (
    [Id] INT '$[0]',
    [Name] NVARCHAR(80) '$[1]',
    _Vector NVARCHAR(MAX) '$[2]' AS JSON,
    _RowDigest CHAR(32) '$[3]',
    _TextDigest CHAR(32) '$[4]',
    _Keep BIT '$[5]');
UPDATE n SET [Name] = r.[Name]
    FROM [dbo].[Depot] AS n JOIN @new AS r ON r.[Id] = n.[Id];
INSERT [dbo].[Depot] ([Id], [Name])
SELECT r.[Id], r.[Name] FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [dbo].[Depot] AS n WHERE n.[Id] = r.[Id]);
UPDATE d SET RowDigest = r._RowDigest, TextDigest = r._TextDigest
    FROM [moviegraph].[Loaded] AS d JOIN @new AS r ON d.TableName = N'Depot' AND d.Id = r.[Id];
INSERT [moviegraph].[Loaded] (TableName, Id, RowDigest, TextDigest)
SELECT N'Depot', r.[Id], r._RowDigest, r._TextDigest FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [moviegraph].[Loaded] AS d WHERE d.TableName = N'Depot' AND d.Id = r.[Id]);
GO

-- remove Depot
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE n FROM [dbo].[Depot] AS n JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON j.Id = n.[Id];
DELETE d FROM [moviegraph].[Loaded] AS d JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON d.TableName = N'Depot' AND d.Id = j.Id;
GO

