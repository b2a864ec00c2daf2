-- Movie knowledge graph: tables, indexes and roles for moviegraph, contract movies 1.0 (d62ed96ed64a2b57).
-- Runs on Azure SQL Database, Azure SQL Managed Instance and SQL Server 2025 (the first version with
-- VECTOR), in every edition. Run it as the database owner, in that database, outside a transaction
-- (full text requires that), for example: sqlcmd -I -b -d DATABASE -i FILE. It can run again: existing
-- objects stay. VECTOR has 384 dimensions, those of the embedder that loads and queries.
-- On SQL Server (Azure SQL has it by default), to let readers run without waiting for a load:
--   ALTER DATABASE CURRENT SET ALLOW_SNAPSHOT_ISOLATION ON;
SET ANSI_NULLS, ANSI_PADDING, ANSI_WARNINGS, QUOTED_IDENTIFIER ON;
GO

-- Text comparison ignores case but not accents, by the collation of the database.
IF CAST(DATABASEPROPERTYEX(DB_NAME(), 'Collation') AS NVARCHAR(128)) NOT LIKE N'%[_]CI[_]AS%'
    PRINT N'The collation of this database is not a CI_AS collation: text comparison will differ from the moviegraph documentation.';
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

IF OBJECT_ID(N'[dbo].[Movie]', N'U') IS NULL
CREATE TABLE [dbo].[Movie] (
    [Id] INT NOT NULL CONSTRAINT PK_Movie PRIMARY KEY CLUSTERED,
    [Name] NVARCHAR(200) NOT NULL,
    [ReleaseYear] INT NULL,
    [Content] NVARCHAR(MAX) NULL,
    [Embedding] VECTOR(384) NULL,
    INDEX UX_Movie_node UNIQUE NONCLUSTERED ($node_id),
    INDEX IX_Movie_label NONCLUSTERED ([Name])
) AS NODE;
GO

IF OBJECT_ID(N'[dbo].[Character]', N'U') IS NULL
CREATE TABLE [dbo].[Character] (
    [Id] INT NOT NULL CONSTRAINT PK_Character PRIMARY KEY CLUSTERED,
    [Name] NVARCHAR(200) NOT NULL,
    [Content] NVARCHAR(MAX) NULL,
    [Embedding] VECTOR(384) NULL,
    INDEX UX_Character_node UNIQUE NONCLUSTERED ($node_id),
    INDEX IX_Character_label NONCLUSTERED ([Name])
) AS NODE;
GO

IF OBJECT_ID(N'[dbo].[Setting]', N'U') IS NULL
CREATE TABLE [dbo].[Setting] (
    [Id] INT NOT NULL CONSTRAINT PK_Setting PRIMARY KEY CLUSTERED,
    [Name] NVARCHAR(200) NOT NULL,
    [Content] NVARCHAR(MAX) NULL,
    [Embedding] VECTOR(384) NULL,
    INDEX UX_Setting_node UNIQUE NONCLUSTERED ($node_id),
    INDEX IX_Setting_label NONCLUSTERED ([Name])
) AS NODE;
GO

IF OBJECT_ID(N'[dbo].[Theme]', N'U') IS NULL
CREATE TABLE [dbo].[Theme] (
    [Id] INT NOT NULL CONSTRAINT PK_Theme PRIMARY KEY CLUSTERED,
    [Name] NVARCHAR(200) NOT NULL,
    [Content] NVARCHAR(MAX) NULL,
    [Embedding] VECTOR(384) NULL,
    INDEX UX_Theme_node UNIQUE NONCLUSTERED ($node_id),
    INDEX IX_Theme_label NONCLUSTERED ([Name])
) AS NODE;
GO

IF OBJECT_ID(N'[dbo].[Series]', N'U') IS NULL
CREATE TABLE [dbo].[Series] (
    [Id] INT NOT NULL CONSTRAINT PK_Series PRIMARY KEY CLUSTERED,
    [Name] NVARCHAR(200) NOT NULL,
    [Content] NVARCHAR(MAX) NULL,
    [Embedding] VECTOR(384) NULL,
    INDEX UX_Series_node UNIQUE NONCLUSTERED ($node_id),
    INDEX IX_Series_label NONCLUSTERED ([Name])
) AS NODE;
GO

IF OBJECT_ID(N'[dbo].[Genre]', N'U') IS NULL
CREATE TABLE [dbo].[Genre] (
    [Id] INT NOT NULL CONSTRAINT PK_Genre PRIMARY KEY CLUSTERED,
    [Name] NVARCHAR(200) NOT NULL,
    [Content] NVARCHAR(MAX) NULL,
    [Embedding] VECTOR(384) NULL,
    INDEX UX_Genre_node UNIQUE NONCLUSTERED ($node_id),
    INDEX IX_Genre_label NONCLUSTERED ([Name])
) AS NODE;
GO

IF OBJECT_ID(N'[dbo].[INCLUDES_THEME]', N'U') IS NULL
CREATE TABLE [dbo].[INCLUDES_THEME] (
    INDEX UX_INCLUDES_THEME_from UNIQUE NONCLUSTERED ($from_id, $to_id),
    INDEX IX_INCLUDES_THEME_to NONCLUSTERED ($to_id, $from_id),
    CONSTRAINT EC_INCLUDES_THEME CONNECTION ([dbo].[Movie] TO [dbo].[Theme]) ON DELETE NO ACTION
) AS EDGE;
GO

IF OBJECT_ID(N'[dbo].[FEATURES_CHARACTER]', N'U') IS NULL
CREATE TABLE [dbo].[FEATURES_CHARACTER] (
    INDEX UX_FEATURES_CHARACTER_from UNIQUE NONCLUSTERED ($from_id, $to_id),
    INDEX IX_FEATURES_CHARACTER_to NONCLUSTERED ($to_id, $from_id),
    CONSTRAINT EC_FEATURES_CHARACTER CONNECTION ([dbo].[Movie] TO [dbo].[Character]) ON DELETE NO ACTION
) AS EDGE;
GO

IF OBJECT_ID(N'[dbo].[SET_IN]', N'U') IS NULL
CREATE TABLE [dbo].[SET_IN] (
    INDEX UX_SET_IN_from UNIQUE NONCLUSTERED ($from_id, $to_id),
    INDEX IX_SET_IN_to NONCLUSTERED ($to_id, $from_id),
    CONSTRAINT EC_SET_IN CONNECTION ([dbo].[Movie] TO [dbo].[Setting]) ON DELETE NO ACTION
) AS EDGE;
GO

IF OBJECT_ID(N'[dbo].[PART_OF_SERIES]', N'U') IS NULL
CREATE TABLE [dbo].[PART_OF_SERIES] (
    INDEX UX_PART_OF_SERIES_from UNIQUE NONCLUSTERED ($from_id, $to_id),
    INDEX IX_PART_OF_SERIES_to NONCLUSTERED ($to_id, $from_id),
    CONSTRAINT EC_PART_OF_SERIES CONNECTION ([dbo].[Movie] TO [dbo].[Series]) ON DELETE NO ACTION
) AS EDGE;
GO

IF OBJECT_ID(N'[dbo].[IN_GENRE]', N'U') IS NULL
CREATE TABLE [dbo].[IN_GENRE] (
    INDEX UX_IN_GENRE_from UNIQUE NONCLUSTERED ($from_id, $to_id),
    INDEX IX_IN_GENRE_to NONCLUSTERED ($to_id, $from_id),
    CONSTRAINT EC_IN_GENRE CONNECTION ([dbo].[Movie] TO [dbo].[Genre]) ON DELETE NO ACTION
) AS EDGE;
GO

-- Full text. Azure SQL includes it; on SQL Server it is a separate feature (on Linux the package
-- mssql-server-fts; container images lack it). If it is missing, no index is created here, and
-- CONTAINS and FREETEXT fail. The catalog is accent-sensitive, as in the embedded engine.
IF CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1 AND NOT EXISTS (SELECT 1 FROM sys.fulltext_catalogs WHERE name = N'moviegraph')
CREATE FULLTEXT CATALOG moviegraph WITH ACCENT_SENSITIVITY = ON;
GO

IF CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1 AND NOT EXISTS (SELECT 1 FROM sys.fulltext_indexes WHERE object_id = OBJECT_ID(N'[dbo].[Movie]'))
CREATE FULLTEXT INDEX ON [dbo].[Movie] ([Name] LANGUAGE 1033, [Content] LANGUAGE 1033)
    KEY INDEX PK_Movie ON moviegraph
    WITH (CHANGE_TRACKING = AUTO, STOPLIST = SYSTEM);
GO

IF CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1 AND NOT EXISTS (SELECT 1 FROM sys.fulltext_indexes WHERE object_id = OBJECT_ID(N'[dbo].[Character]'))
CREATE FULLTEXT INDEX ON [dbo].[Character] ([Name] LANGUAGE 1033, [Content] LANGUAGE 1033)
    KEY INDEX PK_Character ON moviegraph
    WITH (CHANGE_TRACKING = AUTO, STOPLIST = SYSTEM);
GO

IF CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1 AND NOT EXISTS (SELECT 1 FROM sys.fulltext_indexes WHERE object_id = OBJECT_ID(N'[dbo].[Setting]'))
CREATE FULLTEXT INDEX ON [dbo].[Setting] ([Name] LANGUAGE 1033, [Content] LANGUAGE 1033)
    KEY INDEX PK_Setting ON moviegraph
    WITH (CHANGE_TRACKING = AUTO, STOPLIST = SYSTEM);
GO

IF CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1 AND NOT EXISTS (SELECT 1 FROM sys.fulltext_indexes WHERE object_id = OBJECT_ID(N'[dbo].[Theme]'))
CREATE FULLTEXT INDEX ON [dbo].[Theme] ([Name] LANGUAGE 1033, [Content] LANGUAGE 1033)
    KEY INDEX PK_Theme ON moviegraph
    WITH (CHANGE_TRACKING = AUTO, STOPLIST = SYSTEM);
GO

IF CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1 AND NOT EXISTS (SELECT 1 FROM sys.fulltext_indexes WHERE object_id = OBJECT_ID(N'[dbo].[Series]'))
CREATE FULLTEXT INDEX ON [dbo].[Series] ([Name] LANGUAGE 1033, [Content] LANGUAGE 1033)
    KEY INDEX PK_Series ON moviegraph
    WITH (CHANGE_TRACKING = AUTO, STOPLIST = SYSTEM);
GO

IF CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1 AND NOT EXISTS (SELECT 1 FROM sys.fulltext_indexes WHERE object_id = OBJECT_ID(N'[dbo].[Genre]'))
CREATE FULLTEXT INDEX ON [dbo].[Genre] ([Name] LANGUAGE 1033, [Content] LANGUAGE 1033)
    KEY INDEX PK_Genre ON moviegraph
    WITH (CHANGE_TRACKING = AUTO, STOPLIST = SYSTEM);
GO

-- Vector indexes (DiskANN), for MOVIEGRAPH_MSSQL_APPROXIMATE. In preview. Azure SQL: the table
-- stays writable, and an index needs 100 rows with a vector: run the script again after the first
-- load. SQL Server 2025: requires ALTER DATABASE SCOPED CONFIGURATION SET PREVIEW_FEATURES = ON,
-- and makes the table read-only, so drop the index before each load.
IF NOT EXISTS (SELECT 1 FROM sys.vector_indexes WHERE object_id = OBJECT_ID(N'[dbo].[Movie]'))
    IF (SELECT COUNT_BIG(*) FROM [dbo].[Movie] WHERE [Embedding] IS NOT NULL) >= 100
        CREATE VECTOR INDEX VX_Movie ON [dbo].[Movie] ([Embedding])
            WITH (METRIC = 'cosine', TYPE = 'DiskANN');
    ELSE PRINT N'Movie has fewer than 100 vectors: no vector index was made.';
GO

IF NOT EXISTS (SELECT 1 FROM sys.vector_indexes WHERE object_id = OBJECT_ID(N'[dbo].[Character]'))
    IF (SELECT COUNT_BIG(*) FROM [dbo].[Character] WHERE [Embedding] IS NOT NULL) >= 100
        CREATE VECTOR INDEX VX_Character ON [dbo].[Character] ([Embedding])
            WITH (METRIC = 'cosine', TYPE = 'DiskANN');
    ELSE PRINT N'Character has fewer than 100 vectors: no vector index was made.';
GO

IF NOT EXISTS (SELECT 1 FROM sys.vector_indexes WHERE object_id = OBJECT_ID(N'[dbo].[Setting]'))
    IF (SELECT COUNT_BIG(*) FROM [dbo].[Setting] WHERE [Embedding] IS NOT NULL) >= 100
        CREATE VECTOR INDEX VX_Setting ON [dbo].[Setting] ([Embedding])
            WITH (METRIC = 'cosine', TYPE = 'DiskANN');
    ELSE PRINT N'Setting has fewer than 100 vectors: no vector index was made.';
GO

IF NOT EXISTS (SELECT 1 FROM sys.vector_indexes WHERE object_id = OBJECT_ID(N'[dbo].[Theme]'))
    IF (SELECT COUNT_BIG(*) FROM [dbo].[Theme] WHERE [Embedding] IS NOT NULL) >= 100
        CREATE VECTOR INDEX VX_Theme ON [dbo].[Theme] ([Embedding])
            WITH (METRIC = 'cosine', TYPE = 'DiskANN');
    ELSE PRINT N'Theme has fewer than 100 vectors: no vector index was made.';
GO

IF NOT EXISTS (SELECT 1 FROM sys.vector_indexes WHERE object_id = OBJECT_ID(N'[dbo].[Series]'))
    IF (SELECT COUNT_BIG(*) FROM [dbo].[Series] WHERE [Embedding] IS NOT NULL) >= 100
        CREATE VECTOR INDEX VX_Series ON [dbo].[Series] ([Embedding])
            WITH (METRIC = 'cosine', TYPE = 'DiskANN');
    ELSE PRINT N'Series has fewer than 100 vectors: no vector index was made.';
GO

IF NOT EXISTS (SELECT 1 FROM sys.vector_indexes WHERE object_id = OBJECT_ID(N'[dbo].[Genre]'))
    IF (SELECT COUNT_BIG(*) FROM [dbo].[Genre] WHERE [Embedding] IS NOT NULL) >= 100
        CREATE VECTOR INDEX VX_Genre ON [dbo].[Genre] ([Embedding])
            WITH (METRIC = 'cosine', TYPE = 'DiskANN');
    ELSE PRINT N'Genre has fewer than 100 vectors: no vector index was made.';
GO

-- The role of `moviegraph serve` (MOVIEGRAPH_MSSQL): SELECT on each table. Do not use db_datareader,
-- which includes all future tables. CONTROL is not denied, because that would deny SELECT too.
-- Then create the principal, with one of:
--   CREATE USER [app-identity] FROM EXTERNAL PROVIDER;   (Microsoft Entra)
--   CREATE USER moviegraph_serve WITH PASSWORD = '...';   (contained database, Azure SQL)
--   CREATE USER moviegraph_serve FOR LOGIN moviegraph_serve;   (a server login)
-- and: ALTER ROLE moviegraph_reader ADD MEMBER [app-identity];
IF DATABASE_PRINCIPAL_ID(N'moviegraph_reader') IS NULL CREATE ROLE moviegraph_reader;
GRANT SELECT ON OBJECT::[dbo].[Movie] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[dbo].[Character] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[dbo].[Setting] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[dbo].[Theme] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[dbo].[Series] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[dbo].[Genre] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[dbo].[INCLUDES_THEME] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[dbo].[FEATURES_CHARACTER] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[dbo].[SET_IN] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[dbo].[PART_OF_SERIES] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[dbo].[IN_GENRE] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[moviegraph].[Manifest] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[moviegraph].[Alias] TO moviegraph_reader;
DENY INSERT, UPDATE, DELETE, EXECUTE, ALTER, REFERENCES, TAKE OWNERSHIP ON SCHEMA::[dbo] TO moviegraph_reader;
DENY INSERT, UPDATE, DELETE, EXECUTE, ALTER, REFERENCES, TAKE OWNERSHIP ON SCHEMA::[moviegraph] TO moviegraph_reader;
GO

-- The role of `moviegraph load` (MOVIEGRAPH_MSSQL_LOAD). Grant it to a different principal than
-- the one that serves: ALTER ROLE moviegraph_loader ADD MEMBER [load-identity];
IF DATABASE_PRINCIPAL_ID(N'moviegraph_loader') IS NULL CREATE ROLE moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[dbo].[Movie] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[dbo].[Character] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[dbo].[Setting] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[dbo].[Theme] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[dbo].[Series] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[dbo].[Genre] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[dbo].[INCLUDES_THEME] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[dbo].[FEATURES_CHARACTER] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[dbo].[SET_IN] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[dbo].[PART_OF_SERIES] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[dbo].[IN_GENRE] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[moviegraph].[Manifest] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[moviegraph].[Loaded] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[moviegraph].[Alias] TO moviegraph_loader;
GO
