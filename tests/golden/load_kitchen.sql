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
SELECT N'Recipe' AS TableName, COUNT_BIG(*) AS AllRows, COUNT_BIG(CASE WHEN [Meaning] IS NOT NULL THEN 1 END) AS Vectors FROM [kitchen].[Recipe]
UNION ALL SELECT N'Ingredient' AS TableName, COUNT_BIG(*) AS AllRows, COUNT_BIG(CASE WHEN [Embedding] IS NOT NULL THEN 1 END) AS Vectors FROM [kitchen].[Ingredient]
UNION ALL SELECT N'Cuisine' AS TableName, COUNT_BIG(*) AS AllRows, COUNT_BIG(CASE WHEN [Embedding] IS NOT NULL THEN 1 END) AS Vectors FROM [kitchen].[Cuisine]
UNION ALL SELECT N'NEEDS', COUNT_BIG(*), 0 FROM [kitchen].[NEEDS]
UNION ALL SELECT N'COMES_FROM', COUNT_BIG(*), 0 FROM [kitchen].[COMES_FROM];
GO

-- full text
SELECT N'Recipe' AS TableName, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[kitchen].[Recipe]'), 'TableFulltextPopulateStatus') AS INT) AS Status, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[kitchen].[Recipe]'), 'TableFulltextPendingChanges') AS INT) AS Pending
UNION ALL SELECT N'Ingredient' AS TableName, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[kitchen].[Ingredient]'), 'TableFulltextPopulateStatus') AS INT) AS Status, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[kitchen].[Ingredient]'), 'TableFulltextPendingChanges') AS INT) AS Pending
UNION ALL SELECT N'Cuisine' AS TableName, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[kitchen].[Cuisine]'), 'TableFulltextPopulateStatus') AS INT) AS Status, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[kitchen].[Cuisine]'), 'TableFulltextPendingChanges') AS INT) AS Pending;
GO

-- read Recipe
SELECT n.[Number], d.RowDigest, d.TextDigest,
    CASE WHEN n.[Meaning] IS NULL THEN 0 ELSE 1 END
FROM [kitchen].[Recipe] AS n
LEFT JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Recipe' AND d.Id = n.[Number];
GO

-- read vectors of Recipe
DECLARE @rows NVARCHAR(MAX) = ?;
SELECT d.TextDigest, CAST(n.[Meaning] AS NVARCHAR(MAX))
FROM OPENJSON(@rows) WITH (Digest CHAR(32) '$') AS j
JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Recipe' AND d.TextDigest = j.Digest
JOIN [kitchen].[Recipe] AS n ON n.[Number] = d.Id
WHERE n.[Meaning] IS NOT NULL;
GO

-- write Recipe
DECLARE @rows NVARCHAR(MAX) = ?;
DECLARE @new TABLE ([Number] INT NOT NULL PRIMARY KEY, [Title] NVARCHAR(120) NOT NULL, [Minutes] INT, [Vegan] BIT NOT NULL, [Added] DATE, [Price] FLOAT, [Tip] NVARCHAR(300), [Method] NVARCHAR(MAX), _Vector NVARCHAR(MAX), _RowDigest CHAR(32) NOT NULL, _TextDigest CHAR(32), _Keep BIT NOT NULL);
INSERT @new ([Number], [Title], [Minutes], [Vegan], [Added], [Price], [Tip], [Method], _Vector, _RowDigest, _TextDigest, _Keep)
SELECT [Number], [Title], [Minutes], [Vegan], [Added], [Price], [Tip], [Method], _Vector, _RowDigest, _TextDigest, _Keep FROM OPENJSON(@rows) WITH (
    [Number] INT '$[0]',
    [Title] NVARCHAR(120) '$[1]',
    [Minutes] INT '$[2]',
    [Vegan] BIT '$[3]',
    [Added] DATE '$[4]',
    [Price] FLOAT '$[5]',
    [Tip] NVARCHAR(300) '$[6]',
    [Method] NVARCHAR(MAX) '$[7]',
    _Vector NVARCHAR(MAX) '$[8]' AS JSON,
    _RowDigest CHAR(32) '$[9]',
    _TextDigest CHAR(32) '$[10]',
    _Keep BIT '$[11]');
UPDATE n SET [Title] = r.[Title], [Minutes] = r.[Minutes], [Vegan] = r.[Vegan], [Added] = r.[Added], [Price] = r.[Price], [Tip] = r.[Tip], [Method] = r.[Method]
    FROM [kitchen].[Recipe] AS n JOIN @new AS r ON r.[Number] = n.[Number];
UPDATE n SET [Meaning] = CAST(r._Vector AS VECTOR(64))
    FROM [kitchen].[Recipe] AS n JOIN @new AS r ON r.[Number] = n.[Number] WHERE r._Keep = 0;
INSERT [kitchen].[Recipe] ([Number], [Title], [Minutes], [Vegan], [Added], [Price], [Tip], [Method], [Meaning])
SELECT r.[Number], r.[Title], r.[Minutes], r.[Vegan], r.[Added], r.[Price], r.[Tip], r.[Method], CAST(r._Vector AS VECTOR(64)) FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [kitchen].[Recipe] AS n WHERE n.[Number] = r.[Number]);
UPDATE d SET RowDigest = r._RowDigest, TextDigest = r._TextDigest
    FROM [moviegraph].[Loaded] AS d JOIN @new AS r ON d.TableName = N'Recipe' AND d.Id = r.[Number];
INSERT [moviegraph].[Loaded] (TableName, Id, RowDigest, TextDigest)
SELECT N'Recipe', r.[Number], r._RowDigest, r._TextDigest FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [moviegraph].[Loaded] AS d WHERE d.TableName = N'Recipe' AND d.Id = r.[Number]);
GO

-- remove Recipe
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE n FROM [kitchen].[Recipe] AS n JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON j.Id = n.[Number];
DELETE d FROM [moviegraph].[Loaded] AS d JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON d.TableName = N'Recipe' AND d.Id = j.Id;
GO

-- read Ingredient
SELECT n.[Id], d.RowDigest, d.TextDigest,
    CASE WHEN n.[Embedding] IS NULL THEN 0 ELSE 1 END
FROM [kitchen].[Ingredient] AS n
LEFT JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Ingredient' AND d.Id = n.[Id];
GO

-- read vectors of Ingredient
DECLARE @rows NVARCHAR(MAX) = ?;
SELECT d.TextDigest, CAST(n.[Embedding] AS NVARCHAR(MAX))
FROM OPENJSON(@rows) WITH (Digest CHAR(32) '$') AS j
JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Ingredient' AND d.TextDigest = j.Digest
JOIN [kitchen].[Ingredient] AS n ON n.[Id] = d.Id
WHERE n.[Embedding] IS NOT NULL;
GO

-- write Ingredient
DECLARE @rows NVARCHAR(MAX) = ?;
DECLARE @new TABLE ([Id] INT NOT NULL PRIMARY KEY, [Name] NVARCHAR(80) NOT NULL, [Content] NVARCHAR(MAX), _Vector NVARCHAR(MAX), _RowDigest CHAR(32) NOT NULL, _TextDigest CHAR(32), _Keep BIT NOT NULL);
INSERT @new ([Id], [Name], [Content], _Vector, _RowDigest, _TextDigest, _Keep)
SELECT [Id], [Name], [Content], _Vector, _RowDigest, _TextDigest, _Keep FROM OPENJSON(@rows) WITH (
    [Id] INT '$[0]',
    [Name] NVARCHAR(80) '$[1]',
    [Content] NVARCHAR(MAX) '$[2]',
    _Vector NVARCHAR(MAX) '$[3]' AS JSON,
    _RowDigest CHAR(32) '$[4]',
    _TextDigest CHAR(32) '$[5]',
    _Keep BIT '$[6]');
UPDATE n SET [Name] = r.[Name], [Content] = r.[Content]
    FROM [kitchen].[Ingredient] AS n JOIN @new AS r ON r.[Id] = n.[Id];
UPDATE n SET [Embedding] = CAST(r._Vector AS VECTOR(64))
    FROM [kitchen].[Ingredient] AS n JOIN @new AS r ON r.[Id] = n.[Id] WHERE r._Keep = 0;
INSERT [kitchen].[Ingredient] ([Id], [Name], [Content], [Embedding])
SELECT r.[Id], r.[Name], r.[Content], CAST(r._Vector AS VECTOR(64)) FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [kitchen].[Ingredient] AS n WHERE n.[Id] = r.[Id]);
UPDATE d SET RowDigest = r._RowDigest, TextDigest = r._TextDigest
    FROM [moviegraph].[Loaded] AS d JOIN @new AS r ON d.TableName = N'Ingredient' AND d.Id = r.[Id];
INSERT [moviegraph].[Loaded] (TableName, Id, RowDigest, TextDigest)
SELECT N'Ingredient', r.[Id], r._RowDigest, r._TextDigest FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [moviegraph].[Loaded] AS d WHERE d.TableName = N'Ingredient' AND d.Id = r.[Id]);
GO

-- remove Ingredient
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE n FROM [kitchen].[Ingredient] AS n JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON j.Id = n.[Id];
DELETE d FROM [moviegraph].[Loaded] AS d JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON d.TableName = N'Ingredient' AND d.Id = j.Id;
GO

-- read Cuisine
SELECT n.[Id], d.RowDigest, d.TextDigest,
    CASE WHEN n.[Embedding] IS NULL THEN 0 ELSE 1 END
FROM [kitchen].[Cuisine] AS n
LEFT JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Cuisine' AND d.Id = n.[Id];
GO

-- read vectors of Cuisine
DECLARE @rows NVARCHAR(MAX) = ?;
SELECT d.TextDigest, CAST(n.[Embedding] AS NVARCHAR(MAX))
FROM OPENJSON(@rows) WITH (Digest CHAR(32) '$') AS j
JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Cuisine' AND d.TextDigest = j.Digest
JOIN [kitchen].[Cuisine] AS n ON n.[Id] = d.Id
WHERE n.[Embedding] IS NOT NULL;
GO

-- write Cuisine
DECLARE @rows NVARCHAR(MAX) = ?;
DECLARE @new TABLE ([Id] INT NOT NULL PRIMARY KEY, [Name] NVARCHAR(80) NOT NULL, [Content] NVARCHAR(MAX), _Vector NVARCHAR(MAX), _RowDigest CHAR(32) NOT NULL, _TextDigest CHAR(32), _Keep BIT NOT NULL);
INSERT @new ([Id], [Name], [Content], _Vector, _RowDigest, _TextDigest, _Keep)
SELECT [Id], [Name], [Content], _Vector, _RowDigest, _TextDigest, _Keep FROM OPENJSON(@rows) WITH (
    [Id] INT '$[0]',
    [Name] NVARCHAR(80) '$[1]',
    [Content] NVARCHAR(MAX) '$[2]',
    _Vector NVARCHAR(MAX) '$[3]' AS JSON,
    _RowDigest CHAR(32) '$[4]',
    _TextDigest CHAR(32) '$[5]',
    _Keep BIT '$[6]');
UPDATE n SET [Name] = r.[Name], [Content] = r.[Content]
    FROM [kitchen].[Cuisine] AS n JOIN @new AS r ON r.[Id] = n.[Id];
UPDATE n SET [Embedding] = CAST(r._Vector AS VECTOR(64))
    FROM [kitchen].[Cuisine] AS n JOIN @new AS r ON r.[Id] = n.[Id] WHERE r._Keep = 0;
INSERT [kitchen].[Cuisine] ([Id], [Name], [Content], [Embedding])
SELECT r.[Id], r.[Name], r.[Content], CAST(r._Vector AS VECTOR(64)) FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [kitchen].[Cuisine] AS n WHERE n.[Id] = r.[Id]);
UPDATE d SET RowDigest = r._RowDigest, TextDigest = r._TextDigest
    FROM [moviegraph].[Loaded] AS d JOIN @new AS r ON d.TableName = N'Cuisine' AND d.Id = r.[Id];
INSERT [moviegraph].[Loaded] (TableName, Id, RowDigest, TextDigest)
SELECT N'Cuisine', r.[Id], r._RowDigest, r._TextDigest FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [moviegraph].[Loaded] AS d WHERE d.TableName = N'Cuisine' AND d.Id = r.[Id]);
GO

-- remove Cuisine
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE n FROM [kitchen].[Cuisine] AS n JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON j.Id = n.[Id];
DELETE d FROM [moviegraph].[Loaded] AS d JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON d.TableName = N'Cuisine' AND d.Id = j.Id;
GO

-- read NEEDS
SELECT f.[Number], t.[Id]
FROM [kitchen].[NEEDS] AS e
JOIN [kitchen].[Recipe] AS f ON f.$node_id = e.$from_id
JOIN [kitchen].[Ingredient] AS t ON t.$node_id = e.$to_id;
GO

-- write NEEDS
DECLARE @rows NVARCHAR(MAX) = ?;
INSERT [kitchen].[NEEDS] ($from_id, $to_id)
SELECT f.$node_id, t.$node_id FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [kitchen].[Recipe] AS f ON f.[Number] = j.Source
JOIN [kitchen].[Ingredient] AS t ON t.[Id] = j.Target
WHERE NOT EXISTS (SELECT 1 FROM [kitchen].[NEEDS] AS e
    WHERE e.$from_id = f.$node_id AND e.$to_id = t.$node_id);
GO

-- remove NEEDS
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE e FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [kitchen].[Recipe] AS f ON f.[Number] = j.Source
JOIN [kitchen].[Ingredient] AS t ON t.[Id] = j.Target
JOIN [kitchen].[NEEDS] AS e ON e.$from_id = f.$node_id AND e.$to_id = t.$node_id;
GO

-- read COMES_FROM
SELECT f.[Number], t.[Id]
FROM [kitchen].[COMES_FROM] AS e
JOIN [kitchen].[Recipe] AS f ON f.$node_id = e.$from_id
JOIN [kitchen].[Cuisine] AS t ON t.$node_id = e.$to_id;
GO

-- write COMES_FROM
DECLARE @rows NVARCHAR(MAX) = ?;
INSERT [kitchen].[COMES_FROM] ($from_id, $to_id)
SELECT f.$node_id, t.$node_id FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [kitchen].[Recipe] AS f ON f.[Number] = j.Source
JOIN [kitchen].[Cuisine] AS t ON t.[Id] = j.Target
WHERE NOT EXISTS (SELECT 1 FROM [kitchen].[COMES_FROM] AS e
    WHERE e.$from_id = f.$node_id AND e.$to_id = t.$node_id);
GO

-- remove COMES_FROM
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE e FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [kitchen].[Recipe] AS f ON f.[Number] = j.Source
JOIN [kitchen].[Cuisine] AS t ON t.[Id] = j.Target
JOIN [kitchen].[COMES_FROM] AS e ON e.$from_id = f.$node_id AND e.$to_id = t.$node_id;
GO

