-- Cookbook graph: tables, indexes and roles for moviegraph, contract cookbook 1.0 (c6d3bdea71f1eec4).
-- Runs on Azure SQL Database, Azure SQL Managed Instance and SQL Server 2025 (the first version with
-- VECTOR), in every edition. Run it as the database owner, in that database, outside a transaction
-- (full text requires that), for example: sqlcmd -I -b -d DATABASE -i FILE. It can run again: existing
-- objects stay. VECTOR has 64 dimensions, those of the embedder that loads and queries.
-- On SQL Server (Azure SQL has it by default), to let readers run without waiting for a load:
--   ALTER DATABASE CURRENT SET ALLOW_SNAPSHOT_ISOLATION ON;
SET ANSI_NULLS, ANSI_PADDING, ANSI_WARNINGS, QUOTED_IDENTIFIER ON;
GO

-- Text comparison ignores case but not accents, by the collation of the database.
IF CAST(DATABASEPROPERTYEX(DB_NAME(), 'Collation') AS NVARCHAR(128)) NOT LIKE N'%[_]CI[_]AS%'
    PRINT N'The collation of this database is not a CI_AS collation: text comparison will differ from the moviegraph documentation.';
GO

IF SCHEMA_ID(N'cookbook') IS NULL EXEC (N'CREATE SCHEMA [cookbook];');
GO

IF SCHEMA_ID(N'moviegraph') IS NULL EXEC (N'CREATE SCHEMA [moviegraph];');
GO

-- Metadata of the load: sources, counts and vector space.
IF OBJECT_ID(N'[moviegraph].[Manifest]', N'U') IS NULL
CREATE TABLE [moviegraph].[Manifest] (
    Name NVARCHAR(100) NOT NULL CONSTRAINT PK_Manifest PRIMARY KEY,
    Value NVARCHAR(MAX) NOT NULL
);
GO

-- Aliases of nodes.
IF OBJECT_ID(N'[moviegraph].[Alias]', N'U') IS NULL
CREATE TABLE [moviegraph].[Alias] (
    Kind NVARCHAR(64) NOT NULL,
    Id BIGINT NOT NULL,
    Alias NVARCHAR(200) NOT NULL,
    INDEX IX_Alias_node CLUSTERED (Kind, Id)
);
GO

-- State of each loaded node, so that load can resume.
IF OBJECT_ID(N'[moviegraph].[Loaded]', N'U') IS NULL
CREATE TABLE [moviegraph].[Loaded] (
    TableName NVARCHAR(64) NOT NULL,
    Id BIGINT NOT NULL,
    RowDigest CHAR(32) NOT NULL,
    TextDigest CHAR(32) NULL,
    CONSTRAINT PK_Loaded PRIMARY KEY (TableName, Id),
    INDEX IX_Loaded_text NONCLUSTERED (TableName, TextDigest)
);
GO

IF OBJECT_ID(N'[cookbook].[Recipe]', N'U') IS NULL
CREATE TABLE [cookbook].[Recipe] (
    [Number] INT NOT NULL CONSTRAINT PK_Recipe PRIMARY KEY CLUSTERED,
    [Title] NVARCHAR(120) NOT NULL,
    [Minutes] INT NULL,
    [Vegetarian] BIT NOT NULL,
    [Vegan] BIT NOT NULL,
    [Method] NVARCHAR(MAX) NULL,
    [Meaning] VECTOR(64) NULL,
    INDEX UX_Recipe_node UNIQUE NONCLUSTERED ($node_id),
    INDEX IX_Recipe_label NONCLUSTERED ([Title])
) AS NODE;
GO

IF OBJECT_ID(N'[cookbook].[Ingredient]', N'U') IS NULL
CREATE TABLE [cookbook].[Ingredient] (
    [Id] INT NOT NULL CONSTRAINT PK_Ingredient PRIMARY KEY CLUSTERED,
    [Name] NVARCHAR(80) NOT NULL,
    [Family] NVARCHAR(20) NULL,
    [Content] NVARCHAR(MAX) NULL,
    [Embedding] VECTOR(64) NULL,
    INDEX UX_Ingredient_node UNIQUE NONCLUSTERED ($node_id),
    INDEX IX_Ingredient_label NONCLUSTERED ([Name])
) AS NODE;
GO

IF OBJECT_ID(N'[cookbook].[Region]', N'U') IS NULL
CREATE TABLE [cookbook].[Region] (
    [Id] INT NOT NULL CONSTRAINT PK_Region PRIMARY KEY CLUSTERED,
    [Name] NVARCHAR(80) NOT NULL,
    [Content] NVARCHAR(MAX) NULL,
    [Embedding] VECTOR(64) NULL,
    INDEX UX_Region_node UNIQUE NONCLUSTERED ($node_id),
    INDEX IX_Region_label NONCLUSTERED ([Name])
) AS NODE;
GO

IF OBJECT_ID(N'[cookbook].[Technique]', N'U') IS NULL
CREATE TABLE [cookbook].[Technique] (
    [Id] INT NOT NULL CONSTRAINT PK_Technique PRIMARY KEY CLUSTERED,
    [Name] NVARCHAR(80) NOT NULL,
    [Content] NVARCHAR(MAX) NULL,
    [Embedding] VECTOR(64) NULL,
    INDEX UX_Technique_node UNIQUE NONCLUSTERED ($node_id),
    INDEX IX_Technique_label NONCLUSTERED ([Name])
) AS NODE;
GO

IF OBJECT_ID(N'[cookbook].[Season]', N'U') IS NULL
CREATE TABLE [cookbook].[Season] (
    [Id] INT NOT NULL CONSTRAINT PK_Season PRIMARY KEY CLUSTERED,
    [Name] NVARCHAR(20) NOT NULL,
    [Content] NVARCHAR(MAX) NULL,
    [Embedding] VECTOR(64) NULL,
    INDEX UX_Season_node UNIQUE NONCLUSTERED ($node_id),
    INDEX IX_Season_label NONCLUSTERED ([Name])
) AS NODE;
GO

IF OBJECT_ID(N'[cookbook].[NEEDS]', N'U') IS NULL
CREATE TABLE [cookbook].[NEEDS] (
    [Grams] INT NULL,
    _Digest CHAR(32) NOT NULL,
    INDEX UX_NEEDS_from UNIQUE NONCLUSTERED ($from_id, $to_id, _Digest),
    INDEX IX_NEEDS_to NONCLUSTERED ($to_id, $from_id),
    CONSTRAINT EC_NEEDS CONNECTION ([cookbook].[Recipe] TO [cookbook].[Ingredient]) ON DELETE NO ACTION
) AS EDGE;
GO

IF OBJECT_ID(N'[cookbook].[FINISHED_WITH]', N'U') IS NULL
CREATE TABLE [cookbook].[FINISHED_WITH] (
    INDEX UX_FINISHED_WITH_from UNIQUE NONCLUSTERED ($from_id, $to_id),
    INDEX IX_FINISHED_WITH_to NONCLUSTERED ($to_id, $from_id),
    CONSTRAINT EC_FINISHED_WITH CONNECTION ([cookbook].[Recipe] TO [cookbook].[Ingredient]) ON DELETE NO ACTION
) AS EDGE;
GO

IF OBJECT_ID(N'[cookbook].[USES]', N'U') IS NULL
CREATE TABLE [cookbook].[USES] (
    INDEX UX_USES_from UNIQUE NONCLUSTERED ($from_id, $to_id),
    INDEX IX_USES_to NONCLUSTERED ($to_id, $from_id),
    CONSTRAINT EC_USES CONNECTION ([cookbook].[Recipe] TO [cookbook].[Technique]) ON DELETE NO ACTION
) AS EDGE;
GO

IF OBJECT_ID(N'[cookbook].[COMES_FROM]', N'U') IS NULL
CREATE TABLE [cookbook].[COMES_FROM] (
    INDEX UX_COMES_FROM_from UNIQUE NONCLUSTERED ($from_id, $to_id),
    INDEX IX_COMES_FROM_to NONCLUSTERED ($to_id, $from_id),
    CONSTRAINT EC_COMES_FROM CONNECTION ([cookbook].[Recipe] TO [cookbook].[Region], [cookbook].[Ingredient] TO [cookbook].[Region]) ON DELETE NO ACTION
) AS EDGE;
GO

IF OBJECT_ID(N'[cookbook].[IN_SEASON]', N'U') IS NULL
CREATE TABLE [cookbook].[IN_SEASON] (
    INDEX UX_IN_SEASON_from UNIQUE NONCLUSTERED ($from_id, $to_id),
    INDEX IX_IN_SEASON_to NONCLUSTERED ($to_id, $from_id),
    CONSTRAINT EC_IN_SEASON CONNECTION ([cookbook].[Ingredient] TO [cookbook].[Season]) ON DELETE NO ACTION
) AS EDGE;
GO

IF OBJECT_ID(N'[cookbook].[GOES_WITH]', N'U') IS NULL
CREATE TABLE [cookbook].[GOES_WITH] (
    INDEX UX_GOES_WITH_from UNIQUE NONCLUSTERED ($from_id, $to_id),
    INDEX IX_GOES_WITH_to NONCLUSTERED ($to_id, $from_id),
    CONSTRAINT EC_GOES_WITH CONNECTION ([cookbook].[Recipe] TO [cookbook].[Recipe], [cookbook].[Ingredient] TO [cookbook].[Ingredient]) ON DELETE NO ACTION
) AS EDGE;
GO

IF OBJECT_ID(N'[cookbook].[REPLACES]', N'U') IS NULL
CREATE TABLE [cookbook].[REPLACES] (
    INDEX UX_REPLACES_from UNIQUE NONCLUSTERED ($from_id, $to_id),
    INDEX IX_REPLACES_to NONCLUSTERED ($to_id, $from_id),
    CONSTRAINT EC_REPLACES CONNECTION ([cookbook].[Ingredient] TO [cookbook].[Ingredient]) ON DELETE NO ACTION
) AS EDGE;
GO

IF OBJECT_ID(N'[cookbook].[PART_OF]', N'U') IS NULL
CREATE TABLE [cookbook].[PART_OF] (
    INDEX UX_PART_OF_from UNIQUE NONCLUSTERED ($from_id, $to_id),
    INDEX IX_PART_OF_to NONCLUSTERED ($to_id, $from_id),
    CONSTRAINT EC_PART_OF CONNECTION ([cookbook].[Region] TO [cookbook].[Region]) ON DELETE NO ACTION
) AS EDGE;
GO

-- Full text. Azure SQL includes it; on SQL Server it is a separate feature (on Linux the package
-- mssql-server-fts; container images lack it). If it is missing, no index is created here, and
-- CONTAINS and FREETEXT fail. The catalog is accent-sensitive, as in the embedded engine.
IF CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1 AND NOT EXISTS (SELECT 1 FROM sys.fulltext_catalogs WHERE name = N'moviegraph')
CREATE FULLTEXT CATALOG moviegraph WITH ACCENT_SENSITIVITY = ON;
GO

IF CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1 AND NOT EXISTS (SELECT 1 FROM sys.fulltext_indexes WHERE object_id = OBJECT_ID(N'[cookbook].[Recipe]'))
CREATE FULLTEXT INDEX ON [cookbook].[Recipe] ([Title] LANGUAGE 1033, [Method] LANGUAGE 1033)
    KEY INDEX PK_Recipe ON moviegraph
    WITH (CHANGE_TRACKING = AUTO, STOPLIST = SYSTEM);
GO

IF CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1 AND NOT EXISTS (SELECT 1 FROM sys.fulltext_indexes WHERE object_id = OBJECT_ID(N'[cookbook].[Ingredient]'))
CREATE FULLTEXT INDEX ON [cookbook].[Ingredient] ([Name] LANGUAGE 1033, [Content] LANGUAGE 1033)
    KEY INDEX PK_Ingredient ON moviegraph
    WITH (CHANGE_TRACKING = AUTO, STOPLIST = SYSTEM);
GO

IF CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1 AND NOT EXISTS (SELECT 1 FROM sys.fulltext_indexes WHERE object_id = OBJECT_ID(N'[cookbook].[Region]'))
CREATE FULLTEXT INDEX ON [cookbook].[Region] ([Name] LANGUAGE 1033, [Content] LANGUAGE 1033)
    KEY INDEX PK_Region ON moviegraph
    WITH (CHANGE_TRACKING = AUTO, STOPLIST = SYSTEM);
GO

IF CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1 AND NOT EXISTS (SELECT 1 FROM sys.fulltext_indexes WHERE object_id = OBJECT_ID(N'[cookbook].[Technique]'))
CREATE FULLTEXT INDEX ON [cookbook].[Technique] ([Name] LANGUAGE 1033, [Content] LANGUAGE 1033)
    KEY INDEX PK_Technique ON moviegraph
    WITH (CHANGE_TRACKING = AUTO, STOPLIST = SYSTEM);
GO

IF CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1 AND NOT EXISTS (SELECT 1 FROM sys.fulltext_indexes WHERE object_id = OBJECT_ID(N'[cookbook].[Season]'))
CREATE FULLTEXT INDEX ON [cookbook].[Season] ([Name] LANGUAGE 1033, [Content] LANGUAGE 1033)
    KEY INDEX PK_Season ON moviegraph
    WITH (CHANGE_TRACKING = AUTO, STOPLIST = SYSTEM);
GO

-- Vector indexes (DiskANN), for MOVIEGRAPH_MSSQL_APPROXIMATE. In preview. Azure SQL: the table
-- stays writable, and an index needs 100 rows with a vector: run the script again after the first
-- load. SQL Server 2025: requires ALTER DATABASE SCOPED CONFIGURATION SET PREVIEW_FEATURES = ON,
-- and makes the table read-only, so drop the index before each load.
IF NOT EXISTS (SELECT 1 FROM sys.vector_indexes WHERE object_id = OBJECT_ID(N'[cookbook].[Recipe]'))
    IF (SELECT COUNT_BIG(*) FROM [cookbook].[Recipe] WHERE [Meaning] IS NOT NULL) >= 100
        CREATE VECTOR INDEX VX_Recipe ON [cookbook].[Recipe] ([Meaning])
            WITH (METRIC = 'cosine', TYPE = 'DiskANN');
    ELSE PRINT N'Recipe has fewer than 100 vectors: no vector index was made.';
GO

IF NOT EXISTS (SELECT 1 FROM sys.vector_indexes WHERE object_id = OBJECT_ID(N'[cookbook].[Ingredient]'))
    IF (SELECT COUNT_BIG(*) FROM [cookbook].[Ingredient] WHERE [Embedding] IS NOT NULL) >= 100
        CREATE VECTOR INDEX VX_Ingredient ON [cookbook].[Ingredient] ([Embedding])
            WITH (METRIC = 'cosine', TYPE = 'DiskANN');
    ELSE PRINT N'Ingredient has fewer than 100 vectors: no vector index was made.';
GO

IF NOT EXISTS (SELECT 1 FROM sys.vector_indexes WHERE object_id = OBJECT_ID(N'[cookbook].[Region]'))
    IF (SELECT COUNT_BIG(*) FROM [cookbook].[Region] WHERE [Embedding] IS NOT NULL) >= 100
        CREATE VECTOR INDEX VX_Region ON [cookbook].[Region] ([Embedding])
            WITH (METRIC = 'cosine', TYPE = 'DiskANN');
    ELSE PRINT N'Region has fewer than 100 vectors: no vector index was made.';
GO

IF NOT EXISTS (SELECT 1 FROM sys.vector_indexes WHERE object_id = OBJECT_ID(N'[cookbook].[Technique]'))
    IF (SELECT COUNT_BIG(*) FROM [cookbook].[Technique] WHERE [Embedding] IS NOT NULL) >= 100
        CREATE VECTOR INDEX VX_Technique ON [cookbook].[Technique] ([Embedding])
            WITH (METRIC = 'cosine', TYPE = 'DiskANN');
    ELSE PRINT N'Technique has fewer than 100 vectors: no vector index was made.';
GO

IF NOT EXISTS (SELECT 1 FROM sys.vector_indexes WHERE object_id = OBJECT_ID(N'[cookbook].[Season]'))
    IF (SELECT COUNT_BIG(*) FROM [cookbook].[Season] WHERE [Embedding] IS NOT NULL) >= 100
        CREATE VECTOR INDEX VX_Season ON [cookbook].[Season] ([Embedding])
            WITH (METRIC = 'cosine', TYPE = 'DiskANN');
    ELSE PRINT N'Season has fewer than 100 vectors: no vector index was made.';
GO

-- The role of `moviegraph serve` (MOVIEGRAPH_MSSQL): SELECT on each table. Do not use db_datareader,
-- which includes all future tables. CONTROL is not denied, because that would deny SELECT too.
-- Then create the principal, with one of:
--   CREATE USER [app-identity] FROM EXTERNAL PROVIDER;   (Microsoft Entra)
--   CREATE USER moviegraph_serve WITH PASSWORD = '...';   (contained database, Azure SQL)
--   CREATE USER moviegraph_serve FOR LOGIN moviegraph_serve;   (a server login)
-- and: ALTER ROLE moviegraph_reader ADD MEMBER [app-identity];
IF DATABASE_PRINCIPAL_ID(N'moviegraph_reader') IS NULL CREATE ROLE moviegraph_reader;
GRANT SELECT ON OBJECT::[cookbook].[Recipe] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[cookbook].[Ingredient] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[cookbook].[Region] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[cookbook].[Technique] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[cookbook].[Season] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[cookbook].[NEEDS] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[cookbook].[FINISHED_WITH] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[cookbook].[USES] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[cookbook].[COMES_FROM] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[cookbook].[IN_SEASON] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[cookbook].[GOES_WITH] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[cookbook].[REPLACES] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[cookbook].[PART_OF] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[moviegraph].[Manifest] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[moviegraph].[Alias] TO moviegraph_reader;
DENY INSERT, UPDATE, DELETE, EXECUTE, ALTER, REFERENCES, TAKE OWNERSHIP ON SCHEMA::[cookbook] TO moviegraph_reader;
DENY INSERT, UPDATE, DELETE, EXECUTE, ALTER, REFERENCES, TAKE OWNERSHIP ON SCHEMA::[moviegraph] TO moviegraph_reader;
GO

-- The role of `moviegraph load` (MOVIEGRAPH_MSSQL_LOAD). Grant it to a different principal than
-- the one that serves: ALTER ROLE moviegraph_loader ADD MEMBER [load-identity];
IF DATABASE_PRINCIPAL_ID(N'moviegraph_loader') IS NULL CREATE ROLE moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[cookbook].[Recipe] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[cookbook].[Ingredient] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[cookbook].[Region] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[cookbook].[Technique] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[cookbook].[Season] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[cookbook].[NEEDS] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[cookbook].[FINISHED_WITH] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[cookbook].[USES] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[cookbook].[COMES_FROM] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[cookbook].[IN_SEASON] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[cookbook].[GOES_WITH] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[cookbook].[REPLACES] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[cookbook].[PART_OF] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[moviegraph].[Manifest] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[moviegraph].[Loaded] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[moviegraph].[Alias] TO moviegraph_loader;
GO
