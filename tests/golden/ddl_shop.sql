-- A shop: tables, indexes and roles for moviegraph, contract shop 1 (047ba1f7bb1e45c1).
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

IF OBJECT_ID(N'[dbo].[Customer]', N'U') IS NULL
CREATE TABLE [dbo].[Customer] (
    [Id] INT NOT NULL CONSTRAINT PK_Customer PRIMARY KEY CLUSTERED,
    [Name] NVARCHAR(100) NOT NULL,
    [Content] NVARCHAR(MAX) NULL,
    [Embedding] VECTOR(64) NULL,
    INDEX UX_Customer_node UNIQUE NONCLUSTERED ($node_id),
    INDEX IX_Customer_label NONCLUSTERED ([Name])
) AS NODE;
GO

IF OBJECT_ID(N'[dbo].[Product]', N'U') IS NULL
CREATE TABLE [dbo].[Product] (
    [Id] INT NOT NULL CONSTRAINT PK_Product PRIMARY KEY CLUSTERED,
    [Name] NVARCHAR(100) NOT NULL,
    [Content] NVARCHAR(MAX) NULL,
    [Embedding] VECTOR(64) NULL,
    INDEX UX_Product_node UNIQUE NONCLUSTERED ($node_id),
    INDEX IX_Product_label NONCLUSTERED ([Name])
) AS NODE;
GO

IF OBJECT_ID(N'[dbo].[BOUGHT]', N'U') IS NULL
CREATE TABLE [dbo].[BOUGHT] (
    [Amount] INT NOT NULL,
    [Price] DECIMAL(8, 2) NULL,
    [Bought] DATE NULL,
    [Note] NVARCHAR(40) NULL,
    _Digest CHAR(32) NOT NULL,
    INDEX UX_BOUGHT_from UNIQUE NONCLUSTERED ($from_id, $to_id, _Digest),
    INDEX IX_BOUGHT_to NONCLUSTERED ($to_id, $from_id),
    CONSTRAINT EC_BOUGHT CONNECTION ([dbo].[Customer] TO [dbo].[Product]) ON DELETE NO ACTION
) AS EDGE;
GO

IF OBJECT_ID(N'[dbo].[KNOWS]', N'U') IS NULL
CREATE TABLE [dbo].[KNOWS] (
    INDEX UX_KNOWS_from UNIQUE NONCLUSTERED ($from_id, $to_id),
    INDEX IX_KNOWS_to NONCLUSTERED ($to_id, $from_id),
    CONSTRAINT EC_KNOWS CONNECTION ([dbo].[Customer] TO [dbo].[Customer]) ON DELETE NO ACTION
) AS EDGE;
GO

IF OBJECT_ID(N'[dbo].[RATED]', N'U') IS NULL
CREATE TABLE [dbo].[RATED] (
    [Stars] FLOAT NULL,
    [Note] NVARCHAR(40) NULL,
    _Digest CHAR(32) NOT NULL,
    INDEX UX_RATED_from UNIQUE NONCLUSTERED ($from_id, $to_id, _Digest),
    INDEX IX_RATED_to NONCLUSTERED ($to_id, $from_id),
    CONSTRAINT EC_RATED CONNECTION ([dbo].[Customer] TO [dbo].[Product], [dbo].[Customer] TO [dbo].[Customer]) ON DELETE NO ACTION
) AS EDGE;
GO

-- Full text. Azure SQL includes it; on SQL Server it is a separate feature (on Linux the package
-- mssql-server-fts; container images lack it). If it is missing, no index is created here, and
-- CONTAINS and FREETEXT fail. The catalog is accent-sensitive, as in the embedded engine.
IF CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1 AND NOT EXISTS (SELECT 1 FROM sys.fulltext_catalogs WHERE name = N'moviegraph')
CREATE FULLTEXT CATALOG moviegraph WITH ACCENT_SENSITIVITY = ON;
GO

IF CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1 AND NOT EXISTS (SELECT 1 FROM sys.fulltext_indexes WHERE object_id = OBJECT_ID(N'[dbo].[Customer]'))
CREATE FULLTEXT INDEX ON [dbo].[Customer] ([Name] LANGUAGE 1033, [Content] LANGUAGE 1033)
    KEY INDEX PK_Customer ON moviegraph
    WITH (CHANGE_TRACKING = AUTO, STOPLIST = SYSTEM);
GO

IF CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1 AND NOT EXISTS (SELECT 1 FROM sys.fulltext_indexes WHERE object_id = OBJECT_ID(N'[dbo].[Product]'))
CREATE FULLTEXT INDEX ON [dbo].[Product] ([Name] LANGUAGE 1033, [Content] LANGUAGE 1033)
    KEY INDEX PK_Product ON moviegraph
    WITH (CHANGE_TRACKING = AUTO, STOPLIST = SYSTEM);
GO

-- The role of `moviegraph serve` (MOVIEGRAPH_MSSQL): SELECT on each table. Do not use db_datareader,
-- which includes all future tables. CONTROL is not denied, because that would deny SELECT too.
-- Then create the principal, with one of:
--   CREATE USER [app-identity] FROM EXTERNAL PROVIDER;   (Microsoft Entra)
--   CREATE USER moviegraph_serve WITH PASSWORD = '...';   (contained database, Azure SQL)
--   CREATE USER moviegraph_serve FOR LOGIN moviegraph_serve;   (a server login)
-- and: ALTER ROLE moviegraph_reader ADD MEMBER [app-identity];
IF DATABASE_PRINCIPAL_ID(N'moviegraph_reader') IS NULL CREATE ROLE moviegraph_reader;
GRANT SELECT ON OBJECT::[dbo].[Customer] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[dbo].[Product] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[dbo].[BOUGHT] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[dbo].[KNOWS] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[dbo].[RATED] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[moviegraph].[Manifest] TO moviegraph_reader;
GRANT SELECT ON OBJECT::[moviegraph].[Alias] TO moviegraph_reader;
DENY INSERT, UPDATE, DELETE, EXECUTE, ALTER, REFERENCES, TAKE OWNERSHIP ON SCHEMA::[dbo] TO moviegraph_reader;
DENY INSERT, UPDATE, DELETE, EXECUTE, ALTER, REFERENCES, TAKE OWNERSHIP ON SCHEMA::[moviegraph] TO moviegraph_reader;
GO

-- The role of `moviegraph load` (MOVIEGRAPH_MSSQL_LOAD). Grant it to a different principal than
-- the one that serves: ALTER ROLE moviegraph_loader ADD MEMBER [load-identity];
IF DATABASE_PRINCIPAL_ID(N'moviegraph_loader') IS NULL CREATE ROLE moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[dbo].[Customer] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[dbo].[Product] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[dbo].[BOUGHT] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[dbo].[KNOWS] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[dbo].[RATED] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[moviegraph].[Manifest] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[moviegraph].[Loaded] TO moviegraph_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::[moviegraph].[Alias] TO moviegraph_loader;
GO
