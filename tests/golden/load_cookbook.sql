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
SELECT N'Recipe' AS TableName, COUNT_BIG(*) AS AllRows, COUNT_BIG(CASE WHEN [Meaning] IS NOT NULL THEN 1 END) AS Vectors FROM [cookbook].[Recipe]
UNION ALL SELECT N'Ingredient' AS TableName, COUNT_BIG(*) AS AllRows, COUNT_BIG(CASE WHEN [Embedding] IS NOT NULL THEN 1 END) AS Vectors FROM [cookbook].[Ingredient]
UNION ALL SELECT N'Region' AS TableName, COUNT_BIG(*) AS AllRows, COUNT_BIG(CASE WHEN [Embedding] IS NOT NULL THEN 1 END) AS Vectors FROM [cookbook].[Region]
UNION ALL SELECT N'Technique' AS TableName, COUNT_BIG(*) AS AllRows, COUNT_BIG(CASE WHEN [Embedding] IS NOT NULL THEN 1 END) AS Vectors FROM [cookbook].[Technique]
UNION ALL SELECT N'Season' AS TableName, COUNT_BIG(*) AS AllRows, COUNT_BIG(CASE WHEN [Embedding] IS NOT NULL THEN 1 END) AS Vectors FROM [cookbook].[Season]
UNION ALL SELECT N'NEEDS', COUNT_BIG(*), 0 FROM [cookbook].[NEEDS]
UNION ALL SELECT N'FINISHED_WITH', COUNT_BIG(*), 0 FROM [cookbook].[FINISHED_WITH]
UNION ALL SELECT N'USES', COUNT_BIG(*), 0 FROM [cookbook].[USES]
UNION ALL SELECT N'COMES_FROM', COUNT_BIG(*), 0 FROM [cookbook].[COMES_FROM]
UNION ALL SELECT N'IN_SEASON', COUNT_BIG(*), 0 FROM [cookbook].[IN_SEASON]
UNION ALL SELECT N'GOES_WITH', COUNT_BIG(*), 0 FROM [cookbook].[GOES_WITH]
UNION ALL SELECT N'REPLACES', COUNT_BIG(*), 0 FROM [cookbook].[REPLACES]
UNION ALL SELECT N'PART_OF', COUNT_BIG(*), 0 FROM [cookbook].[PART_OF];
GO

-- full text
SELECT N'Recipe' AS TableName, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[cookbook].[Recipe]'), 'TableFulltextPopulateStatus') AS INT) AS Status, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[cookbook].[Recipe]'), 'TableFulltextPendingChanges') AS INT) AS Pending
UNION ALL SELECT N'Ingredient' AS TableName, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[cookbook].[Ingredient]'), 'TableFulltextPopulateStatus') AS INT) AS Status, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[cookbook].[Ingredient]'), 'TableFulltextPendingChanges') AS INT) AS Pending
UNION ALL SELECT N'Region' AS TableName, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[cookbook].[Region]'), 'TableFulltextPopulateStatus') AS INT) AS Status, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[cookbook].[Region]'), 'TableFulltextPendingChanges') AS INT) AS Pending
UNION ALL SELECT N'Technique' AS TableName, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[cookbook].[Technique]'), 'TableFulltextPopulateStatus') AS INT) AS Status, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[cookbook].[Technique]'), 'TableFulltextPendingChanges') AS INT) AS Pending
UNION ALL SELECT N'Season' AS TableName, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[cookbook].[Season]'), 'TableFulltextPopulateStatus') AS INT) AS Status, CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[cookbook].[Season]'), 'TableFulltextPendingChanges') AS INT) AS Pending;
GO

-- read Recipe
SELECT n.[Number], d.RowDigest, d.TextDigest,
    CASE WHEN n.[Meaning] IS NULL THEN 0 ELSE 1 END
FROM [cookbook].[Recipe] AS n
LEFT JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Recipe' AND d.Id = n.[Number];
GO

-- read vectors of Recipe
DECLARE @rows NVARCHAR(MAX) = ?;
SELECT d.TextDigest, CAST(n.[Meaning] AS NVARCHAR(MAX))
FROM OPENJSON(@rows) WITH (Digest CHAR(32) '$') AS j
JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Recipe' AND d.TextDigest = j.Digest
JOIN [cookbook].[Recipe] AS n ON n.[Number] = d.Id
WHERE n.[Meaning] IS NOT NULL;
GO

-- write Recipe
DECLARE @rows NVARCHAR(MAX) = ?;
DECLARE @new TABLE ([Number] INT NOT NULL PRIMARY KEY, [Title] NVARCHAR(120) NOT NULL, [Minutes] INT, [Vegetarian] BIT NOT NULL, [Vegan] BIT NOT NULL, [Method] NVARCHAR(MAX), _Vector NVARCHAR(MAX), _RowDigest CHAR(32) NOT NULL, _TextDigest CHAR(32), _Keep BIT NOT NULL);
INSERT @new ([Number], [Title], [Minutes], [Vegetarian], [Vegan], [Method], _Vector, _RowDigest, _TextDigest, _Keep)
SELECT [Number], [Title], [Minutes], [Vegetarian], [Vegan], [Method], _Vector, _RowDigest, _TextDigest, _Keep FROM OPENJSON(@rows) WITH (
    [Number] INT '$[0]',
    [Title] NVARCHAR(120) '$[1]',
    [Minutes] INT '$[2]',
    [Vegetarian] BIT '$[3]',
    [Vegan] BIT '$[4]',
    [Method] NVARCHAR(MAX) '$[5]',
    _Vector NVARCHAR(MAX) '$[6]' AS JSON,
    _RowDigest CHAR(32) '$[7]',
    _TextDigest CHAR(32) '$[8]',
    _Keep BIT '$[9]');
UPDATE n SET [Title] = r.[Title], [Minutes] = r.[Minutes], [Vegetarian] = r.[Vegetarian], [Vegan] = r.[Vegan], [Method] = r.[Method]
    FROM [cookbook].[Recipe] AS n JOIN @new AS r ON r.[Number] = n.[Number];
UPDATE n SET [Meaning] = CAST(r._Vector AS VECTOR(64))
    FROM [cookbook].[Recipe] AS n JOIN @new AS r ON r.[Number] = n.[Number] WHERE r._Keep = 0;
INSERT [cookbook].[Recipe] ([Number], [Title], [Minutes], [Vegetarian], [Vegan], [Method], [Meaning])
SELECT r.[Number], r.[Title], r.[Minutes], r.[Vegetarian], r.[Vegan], r.[Method], CAST(r._Vector AS VECTOR(64)) FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [cookbook].[Recipe] AS n WHERE n.[Number] = r.[Number]);
UPDATE d SET RowDigest = r._RowDigest, TextDigest = r._TextDigest
    FROM [moviegraph].[Loaded] AS d JOIN @new AS r ON d.TableName = N'Recipe' AND d.Id = r.[Number];
INSERT [moviegraph].[Loaded] (TableName, Id, RowDigest, TextDigest)
SELECT N'Recipe', r.[Number], r._RowDigest, r._TextDigest FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [moviegraph].[Loaded] AS d WHERE d.TableName = N'Recipe' AND d.Id = r.[Number]);
GO

-- remove Recipe
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE n FROM [cookbook].[Recipe] AS n JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON j.Id = n.[Number];
DELETE d FROM [moviegraph].[Loaded] AS d JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON d.TableName = N'Recipe' AND d.Id = j.Id;
GO

-- read Ingredient
SELECT n.[Id], d.RowDigest, d.TextDigest,
    CASE WHEN n.[Embedding] IS NULL THEN 0 ELSE 1 END
FROM [cookbook].[Ingredient] AS n
LEFT JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Ingredient' AND d.Id = n.[Id];
GO

-- read vectors of Ingredient
DECLARE @rows NVARCHAR(MAX) = ?;
SELECT d.TextDigest, CAST(n.[Embedding] AS NVARCHAR(MAX))
FROM OPENJSON(@rows) WITH (Digest CHAR(32) '$') AS j
JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Ingredient' AND d.TextDigest = j.Digest
JOIN [cookbook].[Ingredient] AS n ON n.[Id] = d.Id
WHERE n.[Embedding] IS NOT NULL;
GO

-- write Ingredient
DECLARE @rows NVARCHAR(MAX) = ?;
DECLARE @new TABLE ([Id] INT NOT NULL PRIMARY KEY, [Name] NVARCHAR(80) NOT NULL, [Family] NVARCHAR(20), [Content] NVARCHAR(MAX), _Vector NVARCHAR(MAX), _RowDigest CHAR(32) NOT NULL, _TextDigest CHAR(32), _Keep BIT NOT NULL);
INSERT @new ([Id], [Name], [Family], [Content], _Vector, _RowDigest, _TextDigest, _Keep)
SELECT [Id], [Name], [Family], [Content], _Vector, _RowDigest, _TextDigest, _Keep FROM OPENJSON(@rows) WITH (
    [Id] INT '$[0]',
    [Name] NVARCHAR(80) '$[1]',
    [Family] NVARCHAR(20) '$[2]',
    [Content] NVARCHAR(MAX) '$[3]',
    _Vector NVARCHAR(MAX) '$[4]' AS JSON,
    _RowDigest CHAR(32) '$[5]',
    _TextDigest CHAR(32) '$[6]',
    _Keep BIT '$[7]');
UPDATE n SET [Name] = r.[Name], [Family] = r.[Family], [Content] = r.[Content]
    FROM [cookbook].[Ingredient] AS n JOIN @new AS r ON r.[Id] = n.[Id];
UPDATE n SET [Embedding] = CAST(r._Vector AS VECTOR(64))
    FROM [cookbook].[Ingredient] AS n JOIN @new AS r ON r.[Id] = n.[Id] WHERE r._Keep = 0;
INSERT [cookbook].[Ingredient] ([Id], [Name], [Family], [Content], [Embedding])
SELECT r.[Id], r.[Name], r.[Family], r.[Content], CAST(r._Vector AS VECTOR(64)) FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [cookbook].[Ingredient] AS n WHERE n.[Id] = r.[Id]);
UPDATE d SET RowDigest = r._RowDigest, TextDigest = r._TextDigest
    FROM [moviegraph].[Loaded] AS d JOIN @new AS r ON d.TableName = N'Ingredient' AND d.Id = r.[Id];
INSERT [moviegraph].[Loaded] (TableName, Id, RowDigest, TextDigest)
SELECT N'Ingredient', r.[Id], r._RowDigest, r._TextDigest FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [moviegraph].[Loaded] AS d WHERE d.TableName = N'Ingredient' AND d.Id = r.[Id]);
GO

-- remove Ingredient
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE n FROM [cookbook].[Ingredient] AS n JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON j.Id = n.[Id];
DELETE d FROM [moviegraph].[Loaded] AS d JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON d.TableName = N'Ingredient' AND d.Id = j.Id;
GO

-- read Region
SELECT n.[Id], d.RowDigest, d.TextDigest,
    CASE WHEN n.[Embedding] IS NULL THEN 0 ELSE 1 END
FROM [cookbook].[Region] AS n
LEFT JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Region' AND d.Id = n.[Id];
GO

-- read vectors of Region
DECLARE @rows NVARCHAR(MAX) = ?;
SELECT d.TextDigest, CAST(n.[Embedding] AS NVARCHAR(MAX))
FROM OPENJSON(@rows) WITH (Digest CHAR(32) '$') AS j
JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Region' AND d.TextDigest = j.Digest
JOIN [cookbook].[Region] AS n ON n.[Id] = d.Id
WHERE n.[Embedding] IS NOT NULL;
GO

-- write Region
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
    FROM [cookbook].[Region] AS n JOIN @new AS r ON r.[Id] = n.[Id];
UPDATE n SET [Embedding] = CAST(r._Vector AS VECTOR(64))
    FROM [cookbook].[Region] AS n JOIN @new AS r ON r.[Id] = n.[Id] WHERE r._Keep = 0;
INSERT [cookbook].[Region] ([Id], [Name], [Content], [Embedding])
SELECT r.[Id], r.[Name], r.[Content], CAST(r._Vector AS VECTOR(64)) FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [cookbook].[Region] AS n WHERE n.[Id] = r.[Id]);
UPDATE d SET RowDigest = r._RowDigest, TextDigest = r._TextDigest
    FROM [moviegraph].[Loaded] AS d JOIN @new AS r ON d.TableName = N'Region' AND d.Id = r.[Id];
INSERT [moviegraph].[Loaded] (TableName, Id, RowDigest, TextDigest)
SELECT N'Region', r.[Id], r._RowDigest, r._TextDigest FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [moviegraph].[Loaded] AS d WHERE d.TableName = N'Region' AND d.Id = r.[Id]);
GO

-- remove Region
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE n FROM [cookbook].[Region] AS n JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON j.Id = n.[Id];
DELETE d FROM [moviegraph].[Loaded] AS d JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON d.TableName = N'Region' AND d.Id = j.Id;
GO

-- read Technique
SELECT n.[Id], d.RowDigest, d.TextDigest,
    CASE WHEN n.[Embedding] IS NULL THEN 0 ELSE 1 END
FROM [cookbook].[Technique] AS n
LEFT JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Technique' AND d.Id = n.[Id];
GO

-- read vectors of Technique
DECLARE @rows NVARCHAR(MAX) = ?;
SELECT d.TextDigest, CAST(n.[Embedding] AS NVARCHAR(MAX))
FROM OPENJSON(@rows) WITH (Digest CHAR(32) '$') AS j
JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Technique' AND d.TextDigest = j.Digest
JOIN [cookbook].[Technique] AS n ON n.[Id] = d.Id
WHERE n.[Embedding] IS NOT NULL;
GO

-- write Technique
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
    FROM [cookbook].[Technique] AS n JOIN @new AS r ON r.[Id] = n.[Id];
UPDATE n SET [Embedding] = CAST(r._Vector AS VECTOR(64))
    FROM [cookbook].[Technique] AS n JOIN @new AS r ON r.[Id] = n.[Id] WHERE r._Keep = 0;
INSERT [cookbook].[Technique] ([Id], [Name], [Content], [Embedding])
SELECT r.[Id], r.[Name], r.[Content], CAST(r._Vector AS VECTOR(64)) FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [cookbook].[Technique] AS n WHERE n.[Id] = r.[Id]);
UPDATE d SET RowDigest = r._RowDigest, TextDigest = r._TextDigest
    FROM [moviegraph].[Loaded] AS d JOIN @new AS r ON d.TableName = N'Technique' AND d.Id = r.[Id];
INSERT [moviegraph].[Loaded] (TableName, Id, RowDigest, TextDigest)
SELECT N'Technique', r.[Id], r._RowDigest, r._TextDigest FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [moviegraph].[Loaded] AS d WHERE d.TableName = N'Technique' AND d.Id = r.[Id]);
GO

-- remove Technique
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE n FROM [cookbook].[Technique] AS n JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON j.Id = n.[Id];
DELETE d FROM [moviegraph].[Loaded] AS d JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON d.TableName = N'Technique' AND d.Id = j.Id;
GO

-- read Season
SELECT n.[Id], d.RowDigest, d.TextDigest,
    CASE WHEN n.[Embedding] IS NULL THEN 0 ELSE 1 END
FROM [cookbook].[Season] AS n
LEFT JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Season' AND d.Id = n.[Id];
GO

-- read vectors of Season
DECLARE @rows NVARCHAR(MAX) = ?;
SELECT d.TextDigest, CAST(n.[Embedding] AS NVARCHAR(MAX))
FROM OPENJSON(@rows) WITH (Digest CHAR(32) '$') AS j
JOIN [moviegraph].[Loaded] AS d ON d.TableName = N'Season' AND d.TextDigest = j.Digest
JOIN [cookbook].[Season] AS n ON n.[Id] = d.Id
WHERE n.[Embedding] IS NOT NULL;
GO

-- write Season
DECLARE @rows NVARCHAR(MAX) = ?;
DECLARE @new TABLE ([Id] INT NOT NULL PRIMARY KEY, [Name] NVARCHAR(20) NOT NULL, [Content] NVARCHAR(MAX), _Vector NVARCHAR(MAX), _RowDigest CHAR(32) NOT NULL, _TextDigest CHAR(32), _Keep BIT NOT NULL);
INSERT @new ([Id], [Name], [Content], _Vector, _RowDigest, _TextDigest, _Keep)
SELECT [Id], [Name], [Content], _Vector, _RowDigest, _TextDigest, _Keep FROM OPENJSON(@rows) WITH (
    [Id] INT '$[0]',
    [Name] NVARCHAR(20) '$[1]',
    [Content] NVARCHAR(MAX) '$[2]',
    _Vector NVARCHAR(MAX) '$[3]' AS JSON,
    _RowDigest CHAR(32) '$[4]',
    _TextDigest CHAR(32) '$[5]',
    _Keep BIT '$[6]');
UPDATE n SET [Name] = r.[Name], [Content] = r.[Content]
    FROM [cookbook].[Season] AS n JOIN @new AS r ON r.[Id] = n.[Id];
UPDATE n SET [Embedding] = CAST(r._Vector AS VECTOR(64))
    FROM [cookbook].[Season] AS n JOIN @new AS r ON r.[Id] = n.[Id] WHERE r._Keep = 0;
INSERT [cookbook].[Season] ([Id], [Name], [Content], [Embedding])
SELECT r.[Id], r.[Name], r.[Content], CAST(r._Vector AS VECTOR(64)) FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [cookbook].[Season] AS n WHERE n.[Id] = r.[Id]);
UPDATE d SET RowDigest = r._RowDigest, TextDigest = r._TextDigest
    FROM [moviegraph].[Loaded] AS d JOIN @new AS r ON d.TableName = N'Season' AND d.Id = r.[Id];
INSERT [moviegraph].[Loaded] (TableName, Id, RowDigest, TextDigest)
SELECT N'Season', r.[Id], r._RowDigest, r._TextDigest FROM @new AS r
    WHERE NOT EXISTS (SELECT 1 FROM [moviegraph].[Loaded] AS d WHERE d.TableName = N'Season' AND d.Id = r.[Id]);
GO

-- remove Season
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE n FROM [cookbook].[Season] AS n JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON j.Id = n.[Id];
DELETE d FROM [moviegraph].[Loaded] AS d JOIN OPENJSON(@rows) WITH (Id INT '$') AS j ON d.TableName = N'Season' AND d.Id = j.Id;
GO

-- read NEEDS
SELECT f.[Number], t.[Id], e._Digest
FROM [cookbook].[NEEDS] AS e
JOIN [cookbook].[Recipe] AS f ON f.$node_id = e.$from_id
JOIN [cookbook].[Ingredient] AS t ON t.$node_id = e.$to_id;
GO

-- write NEEDS
DECLARE @rows NVARCHAR(MAX) = ?;
INSERT [cookbook].[NEEDS] ($from_id, $to_id, _Digest, [Grams])
SELECT f.$node_id, t.$node_id, j._Digest, j.[Grams] FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]', _Digest CHAR(32) '$[2]', [Grams] INT '$[3]') AS j
JOIN [cookbook].[Recipe] AS f ON f.[Number] = j.Source
JOIN [cookbook].[Ingredient] AS t ON t.[Id] = j.Target
WHERE NOT EXISTS (SELECT 1 FROM [cookbook].[NEEDS] AS e
    WHERE e.$from_id = f.$node_id AND e.$to_id = t.$node_id AND e._Digest = j._Digest);
GO

-- remove NEEDS
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE e FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]', _Digest CHAR(32) '$[2]') AS j
JOIN [cookbook].[Recipe] AS f ON f.[Number] = j.Source
JOIN [cookbook].[Ingredient] AS t ON t.[Id] = j.Target
JOIN [cookbook].[NEEDS] AS e ON e.$from_id = f.$node_id AND e.$to_id = t.$node_id AND e._Digest = j._Digest;
GO

-- read FINISHED_WITH
SELECT f.[Number], t.[Id]
FROM [cookbook].[FINISHED_WITH] AS e
JOIN [cookbook].[Recipe] AS f ON f.$node_id = e.$from_id
JOIN [cookbook].[Ingredient] AS t ON t.$node_id = e.$to_id;
GO

-- write FINISHED_WITH
DECLARE @rows NVARCHAR(MAX) = ?;
INSERT [cookbook].[FINISHED_WITH] ($from_id, $to_id)
SELECT f.$node_id, t.$node_id FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [cookbook].[Recipe] AS f ON f.[Number] = j.Source
JOIN [cookbook].[Ingredient] AS t ON t.[Id] = j.Target
WHERE NOT EXISTS (SELECT 1 FROM [cookbook].[FINISHED_WITH] AS e
    WHERE e.$from_id = f.$node_id AND e.$to_id = t.$node_id);
GO

-- remove FINISHED_WITH
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE e FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [cookbook].[Recipe] AS f ON f.[Number] = j.Source
JOIN [cookbook].[Ingredient] AS t ON t.[Id] = j.Target
JOIN [cookbook].[FINISHED_WITH] AS e ON e.$from_id = f.$node_id AND e.$to_id = t.$node_id;
GO

-- read USES
SELECT f.[Number], t.[Id]
FROM [cookbook].[USES] AS e
JOIN [cookbook].[Recipe] AS f ON f.$node_id = e.$from_id
JOIN [cookbook].[Technique] AS t ON t.$node_id = e.$to_id;
GO

-- write USES
DECLARE @rows NVARCHAR(MAX) = ?;
INSERT [cookbook].[USES] ($from_id, $to_id)
SELECT f.$node_id, t.$node_id FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [cookbook].[Recipe] AS f ON f.[Number] = j.Source
JOIN [cookbook].[Technique] AS t ON t.[Id] = j.Target
WHERE NOT EXISTS (SELECT 1 FROM [cookbook].[USES] AS e
    WHERE e.$from_id = f.$node_id AND e.$to_id = t.$node_id);
GO

-- remove USES
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE e FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [cookbook].[Recipe] AS f ON f.[Number] = j.Source
JOIN [cookbook].[Technique] AS t ON t.[Id] = j.Target
JOIN [cookbook].[USES] AS e ON e.$from_id = f.$node_id AND e.$to_id = t.$node_id;
GO

-- read COMES_FROM from Recipe to Region
SELECT f.[Number], t.[Id]
FROM [cookbook].[COMES_FROM] AS e
JOIN [cookbook].[Recipe] AS f ON f.$node_id = e.$from_id
JOIN [cookbook].[Region] AS t ON t.$node_id = e.$to_id;
GO

-- write COMES_FROM from Recipe to Region
DECLARE @rows NVARCHAR(MAX) = ?;
INSERT [cookbook].[COMES_FROM] ($from_id, $to_id)
SELECT f.$node_id, t.$node_id FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [cookbook].[Recipe] AS f ON f.[Number] = j.Source
JOIN [cookbook].[Region] AS t ON t.[Id] = j.Target
WHERE NOT EXISTS (SELECT 1 FROM [cookbook].[COMES_FROM] AS e
    WHERE e.$from_id = f.$node_id AND e.$to_id = t.$node_id);
GO

-- remove COMES_FROM from Recipe to Region
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE e FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [cookbook].[Recipe] AS f ON f.[Number] = j.Source
JOIN [cookbook].[Region] AS t ON t.[Id] = j.Target
JOIN [cookbook].[COMES_FROM] AS e ON e.$from_id = f.$node_id AND e.$to_id = t.$node_id;
GO

-- read COMES_FROM from Ingredient to Region
SELECT f.[Id], t.[Id]
FROM [cookbook].[COMES_FROM] AS e
JOIN [cookbook].[Ingredient] AS f ON f.$node_id = e.$from_id
JOIN [cookbook].[Region] AS t ON t.$node_id = e.$to_id;
GO

-- write COMES_FROM from Ingredient to Region
DECLARE @rows NVARCHAR(MAX) = ?;
INSERT [cookbook].[COMES_FROM] ($from_id, $to_id)
SELECT f.$node_id, t.$node_id FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [cookbook].[Ingredient] AS f ON f.[Id] = j.Source
JOIN [cookbook].[Region] AS t ON t.[Id] = j.Target
WHERE NOT EXISTS (SELECT 1 FROM [cookbook].[COMES_FROM] AS e
    WHERE e.$from_id = f.$node_id AND e.$to_id = t.$node_id);
GO

-- remove COMES_FROM from Ingredient to Region
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE e FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [cookbook].[Ingredient] AS f ON f.[Id] = j.Source
JOIN [cookbook].[Region] AS t ON t.[Id] = j.Target
JOIN [cookbook].[COMES_FROM] AS e ON e.$from_id = f.$node_id AND e.$to_id = t.$node_id;
GO

-- read IN_SEASON
SELECT f.[Id], t.[Id]
FROM [cookbook].[IN_SEASON] AS e
JOIN [cookbook].[Ingredient] AS f ON f.$node_id = e.$from_id
JOIN [cookbook].[Season] AS t ON t.$node_id = e.$to_id;
GO

-- write IN_SEASON
DECLARE @rows NVARCHAR(MAX) = ?;
INSERT [cookbook].[IN_SEASON] ($from_id, $to_id)
SELECT f.$node_id, t.$node_id FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [cookbook].[Ingredient] AS f ON f.[Id] = j.Source
JOIN [cookbook].[Season] AS t ON t.[Id] = j.Target
WHERE NOT EXISTS (SELECT 1 FROM [cookbook].[IN_SEASON] AS e
    WHERE e.$from_id = f.$node_id AND e.$to_id = t.$node_id);
GO

-- remove IN_SEASON
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE e FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [cookbook].[Ingredient] AS f ON f.[Id] = j.Source
JOIN [cookbook].[Season] AS t ON t.[Id] = j.Target
JOIN [cookbook].[IN_SEASON] AS e ON e.$from_id = f.$node_id AND e.$to_id = t.$node_id;
GO

-- read GOES_WITH from Recipe to Recipe
SELECT f.[Number], t.[Number]
FROM [cookbook].[GOES_WITH] AS e
JOIN [cookbook].[Recipe] AS f ON f.$node_id = e.$from_id
JOIN [cookbook].[Recipe] AS t ON t.$node_id = e.$to_id;
GO

-- write GOES_WITH from Recipe to Recipe
DECLARE @rows NVARCHAR(MAX) = ?;
INSERT [cookbook].[GOES_WITH] ($from_id, $to_id)
SELECT f.$node_id, t.$node_id FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [cookbook].[Recipe] AS f ON f.[Number] = j.Source
JOIN [cookbook].[Recipe] AS t ON t.[Number] = j.Target
WHERE NOT EXISTS (SELECT 1 FROM [cookbook].[GOES_WITH] AS e
    WHERE e.$from_id = f.$node_id AND e.$to_id = t.$node_id);
GO

-- remove GOES_WITH from Recipe to Recipe
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE e FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [cookbook].[Recipe] AS f ON f.[Number] = j.Source
JOIN [cookbook].[Recipe] AS t ON t.[Number] = j.Target
JOIN [cookbook].[GOES_WITH] AS e ON e.$from_id = f.$node_id AND e.$to_id = t.$node_id;
GO

-- read GOES_WITH from Ingredient to Ingredient
SELECT f.[Id], t.[Id]
FROM [cookbook].[GOES_WITH] AS e
JOIN [cookbook].[Ingredient] AS f ON f.$node_id = e.$from_id
JOIN [cookbook].[Ingredient] AS t ON t.$node_id = e.$to_id;
GO

-- write GOES_WITH from Ingredient to Ingredient
DECLARE @rows NVARCHAR(MAX) = ?;
INSERT [cookbook].[GOES_WITH] ($from_id, $to_id)
SELECT f.$node_id, t.$node_id FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [cookbook].[Ingredient] AS f ON f.[Id] = j.Source
JOIN [cookbook].[Ingredient] AS t ON t.[Id] = j.Target
WHERE NOT EXISTS (SELECT 1 FROM [cookbook].[GOES_WITH] AS e
    WHERE e.$from_id = f.$node_id AND e.$to_id = t.$node_id);
GO

-- remove GOES_WITH from Ingredient to Ingredient
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE e FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [cookbook].[Ingredient] AS f ON f.[Id] = j.Source
JOIN [cookbook].[Ingredient] AS t ON t.[Id] = j.Target
JOIN [cookbook].[GOES_WITH] AS e ON e.$from_id = f.$node_id AND e.$to_id = t.$node_id;
GO

-- read REPLACES
SELECT f.[Id], t.[Id]
FROM [cookbook].[REPLACES] AS e
JOIN [cookbook].[Ingredient] AS f ON f.$node_id = e.$from_id
JOIN [cookbook].[Ingredient] AS t ON t.$node_id = e.$to_id;
GO

-- write REPLACES
DECLARE @rows NVARCHAR(MAX) = ?;
INSERT [cookbook].[REPLACES] ($from_id, $to_id)
SELECT f.$node_id, t.$node_id FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [cookbook].[Ingredient] AS f ON f.[Id] = j.Source
JOIN [cookbook].[Ingredient] AS t ON t.[Id] = j.Target
WHERE NOT EXISTS (SELECT 1 FROM [cookbook].[REPLACES] AS e
    WHERE e.$from_id = f.$node_id AND e.$to_id = t.$node_id);
GO

-- remove REPLACES
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE e FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [cookbook].[Ingredient] AS f ON f.[Id] = j.Source
JOIN [cookbook].[Ingredient] AS t ON t.[Id] = j.Target
JOIN [cookbook].[REPLACES] AS e ON e.$from_id = f.$node_id AND e.$to_id = t.$node_id;
GO

-- read PART_OF
SELECT f.[Id], t.[Id]
FROM [cookbook].[PART_OF] AS e
JOIN [cookbook].[Region] AS f ON f.$node_id = e.$from_id
JOIN [cookbook].[Region] AS t ON t.$node_id = e.$to_id;
GO

-- write PART_OF
DECLARE @rows NVARCHAR(MAX) = ?;
INSERT [cookbook].[PART_OF] ($from_id, $to_id)
SELECT f.$node_id, t.$node_id FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [cookbook].[Region] AS f ON f.[Id] = j.Source
JOIN [cookbook].[Region] AS t ON t.[Id] = j.Target
WHERE NOT EXISTS (SELECT 1 FROM [cookbook].[PART_OF] AS e
    WHERE e.$from_id = f.$node_id AND e.$to_id = t.$node_id);
GO

-- remove PART_OF
DECLARE @rows NVARCHAR(MAX) = ?;
DELETE e FROM OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j
JOIN [cookbook].[Region] AS f ON f.[Id] = j.Source
JOIN [cookbook].[Region] AS t ON t.[Id] = j.Target
JOIN [cookbook].[PART_OF] AS e ON e.$from_id = f.$node_id AND e.$to_id = t.$node_id;
GO

