-- {{title}}: tables, indexes and roles for moviegraph, contract {{name}} {{version}} ({{hash}}).
-- Runs on Azure SQL Database, Azure SQL Managed Instance and SQL Server 2025 (the first version with
-- VECTOR), in every edition. Run it as the database owner, in that database, outside a transaction
-- (full text requires that), for example: sqlcmd -I -b -d DATABASE -i FILE. It can run again: existing
-- objects stay. VECTOR has {{dimensions}} dimensions, those of the embedder that loads and queries.
-- On SQL Server (Azure SQL has it by default), to let readers run without waiting for a load:
--   ALTER DATABASE CURRENT SET ALLOW_SNAPSHOT_ISOLATION ON;
SET ANSI_NULLS, ANSI_PADDING, ANSI_WARNINGS, QUOTED_IDENTIFIER ON;
GO

-- Text comparison ignores case but not accents, by the collation of the database.
IF CAST(DATABASEPROPERTYEX(DB_NAME(), 'Collation') AS NVARCHAR(128)) NOT LIKE N'%[_]CI[_]AS%'
    PRINT N'The collation of this database is not a CI_AS collation: text comparison will differ from the moviegraph documentation.';
GO

{{schemas}}-- Metadata of the load: sources, counts and vector space.
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

{{tables}}-- Full text. Azure SQL includes it; on SQL Server it is a separate feature (on Linux the package
-- mssql-server-fts; container images lack it). If it is missing, no index is created here, and
-- CONTAINS and FREETEXT fail. The catalog is accent-sensitive, as in the embedded engine.
IF CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1 AND NOT EXISTS (SELECT 1 FROM sys.fulltext_catalogs WHERE name = N'moviegraph')
CREATE FULLTEXT CATALOG moviegraph WITH ACCENT_SENSITIVITY = ON;
GO

{{fulltext_indexes}}{{vector_indexes}}-- The role of `moviegraph serve` (MOVIEGRAPH_MSSQL): SELECT on each table. Do not use db_datareader,
-- which includes all future tables. CONTROL is not denied, because that would deny SELECT too.
-- Then create the principal, with one of:
--   CREATE USER [app-identity] FROM EXTERNAL PROVIDER;   (Microsoft Entra)
--   CREATE USER moviegraph_serve WITH PASSWORD = '...';   (contained database, Azure SQL)
--   CREATE USER moviegraph_serve FOR LOGIN moviegraph_serve;   (a server login)
-- and: ALTER ROLE moviegraph_reader ADD MEMBER [app-identity];
{{reader}}
GO

-- The role of `moviegraph load` (MOVIEGRAPH_MSSQL_LOAD). Grant it to a different principal than
-- the one that serves: ALTER ROLE moviegraph_loader ADD MEMBER [load-identity];
{{loader}}
GO
