-- nearest
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @q VECTOR(64) = CAST(CAST(? AS NVARCHAR(MAX)) AS VECTOR(64));
SELECT TOP (@k) n.[Id], VECTOR_DISTANCE('cosine', n.[Embedding], @q) AS Distance
FROM [dbo].[Customer] AS n
WHERE n.[Embedding] IS NOT NULL
ORDER BY Distance, n.[Id];
GO

-- nearest by index
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @q VECTOR(64) = CAST(CAST(? AS NVARCHAR(MAX)) AS VECTOR(64));
SELECT TOP (@k) WITH APPROXIMATE n.[Id], s.distance AS Distance
FROM VECTOR_SEARCH(TABLE = [dbo].[Customer] AS n, COLUMN = [Embedding], SIMILAR_TO = @q, METRIC = 'cosine') AS s
ORDER BY s.distance;
GO

-- matching
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @text NVARCHAR(4000) = ?;
SELECT TOP (@k) n.[Id], k.[RANK] AS Rank
FROM CONTAINSTABLE([dbo].[Customer], ([Name], [Content]), @text) AS k
JOIN [dbo].[Customer] AS n ON n.[Id] = k.[KEY]
ORDER BY k.[RANK] DESC, n.[Id];
GO

-- nearest of some
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @q VECTOR(64) = CAST(CAST(? AS NVARCHAR(MAX)) AS VECTOR(64)), @among NVARCHAR(MAX) = ?;
SELECT TOP (@k) n.[Id], VECTOR_DISTANCE('cosine', n.[Embedding], @q) AS Distance
FROM [dbo].[Customer] AS n
WHERE n.[Embedding] IS NOT NULL
    AND n.[Id] IN (SELECT i.Id FROM OPENJSON(@among) WITH (Id BIGINT '$') AS i)
ORDER BY Distance, n.[Id];
GO

-- matching of some
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @text NVARCHAR(4000) = ?, @among NVARCHAR(MAX) = ?;
SELECT TOP (@k) n.[Id], k.[RANK] AS Rank
FROM CONTAINSTABLE([dbo].[Customer], ([Name], [Content]), @text) AS k
JOIN [dbo].[Customer] AS n ON n.[Id] = k.[KEY]
WHERE n.[Id] IN (SELECT i.Id FROM OPENJSON(@among) WITH (Id BIGINT '$') AS i)
ORDER BY k.[RANK] DESC, n.[Id];
GO

-- nearest where
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @q VECTOR(64) = CAST(CAST(? AS NVARCHAR(MAX)) AS VECTOR(64)), @excluded NVARCHAR(MAX) = ?;
SELECT TOP (@k) n.[Id], VECTOR_DISTANCE('cosine', n.[Embedding], @q) AS Distance
FROM [dbo].[Customer] AS n
WHERE n.[Embedding] IS NOT NULL
    AND n.[Id] IN (
    SELECT TOP 2147483647 [n].[Id] FROM [dbo].[Customer] AS [n] WHERE ([n].[Id] > 3 AND [n].[Name] <> N'é'))
    AND n.[Id] NOT IN (SELECT i.Id FROM OPENJSON(@excluded) WITH (Id BIGINT '$') AS i)
ORDER BY Distance, n.[Id];
GO

-- nearest by index where
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @q VECTOR(64) = CAST(CAST(? AS NVARCHAR(MAX)) AS VECTOR(64)), @excluded NVARCHAR(MAX) = ?;
SELECT TOP (@k) WITH APPROXIMATE n.[Id], s.distance AS Distance
FROM VECTOR_SEARCH(TABLE = [dbo].[Customer] AS n, COLUMN = [Embedding], SIMILAR_TO = @q, METRIC = 'cosine') AS s
WHERE n.[Id] IN (
    SELECT TOP 2147483647 [n].[Id] FROM [dbo].[Customer] AS [n] WHERE ([n].[Id] > 3 AND [n].[Name] <> N'é'))
    AND n.[Id] NOT IN (SELECT i.Id FROM OPENJSON(@excluded) WITH (Id BIGINT '$') AS i)
ORDER BY s.distance;
GO

-- matching where
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @text NVARCHAR(4000) = ?, @excluded NVARCHAR(MAX) = ?;
SELECT TOP (@k) n.[Id], k.[RANK] AS Rank
FROM CONTAINSTABLE([dbo].[Customer], ([Name], [Content]), @text) AS k
JOIN [dbo].[Customer] AS n ON n.[Id] = k.[KEY]
WHERE n.[Id] IN (
    SELECT TOP 2147483647 [n].[Id] FROM [dbo].[Customer] AS [n] WHERE ([n].[Id] > 3 AND [n].[Name] <> N'é'))
    AND n.[Id] NOT IN (SELECT i.Id FROM OPENJSON(@excluded) WITH (Id BIGINT '$') AS i)
ORDER BY k.[RANK] DESC, n.[Id];
GO

-- nearest without some
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @q VECTOR(64) = CAST(CAST(? AS NVARCHAR(MAX)) AS VECTOR(64)), @excluded NVARCHAR(MAX) = ?;
SELECT TOP (@k) n.[Id], VECTOR_DISTANCE('cosine', n.[Embedding], @q) AS Distance
FROM [dbo].[Customer] AS n
WHERE n.[Embedding] IS NOT NULL
    AND n.[Id] NOT IN (SELECT i.Id FROM OPENJSON(@excluded) WITH (Id BIGINT '$') AS i)
ORDER BY Distance, n.[Id];
GO

-- nearest by index without some
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @q VECTOR(64) = CAST(CAST(? AS NVARCHAR(MAX)) AS VECTOR(64)), @excluded NVARCHAR(MAX) = ?;
SELECT TOP (@k) WITH APPROXIMATE n.[Id], s.distance AS Distance
FROM VECTOR_SEARCH(TABLE = [dbo].[Customer] AS n, COLUMN = [Embedding], SIMILAR_TO = @q, METRIC = 'cosine') AS s
WHERE n.[Id] NOT IN (SELECT i.Id FROM OPENJSON(@excluded) WITH (Id BIGINT '$') AS i)
ORDER BY s.distance;
GO

-- matching without some
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @text NVARCHAR(4000) = ?, @excluded NVARCHAR(MAX) = ?;
SELECT TOP (@k) n.[Id], k.[RANK] AS Rank
FROM CONTAINSTABLE([dbo].[Customer], ([Name], [Content]), @text) AS k
JOIN [dbo].[Customer] AS n ON n.[Id] = k.[KEY]
WHERE n.[Id] NOT IN (SELECT i.Id FROM OPENJSON(@excluded) WITH (Id BIGINT '$') AS i)
ORDER BY k.[RANK] DESC, n.[Id];
GO

-- nearest linked
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @q VECTOR(64) = CAST(CAST(? AS NVARCHAR(MAX)) AS VECTOR(64)), @linked0Product NVARCHAR(MAX) = ?, @linked1Customer NVARCHAR(MAX) = ?;
SELECT TOP (@k) n.[Id], VECTOR_DISTANCE('cosine', n.[Embedding], @q) AS Distance
FROM [dbo].[Customer] AS n
WHERE n.[Embedding] IS NOT NULL
    AND (EXISTS (SELECT DISTINCT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Product] AS s, [dbo].[BOUGHT] AS e, [dbo].[Customer] AS t
WHERE MATCH(s<-(e)-t)
    AND t.[Id] = n.[Id]
    AND s.[Id] IN (SELECT i.Id FROM OPENJSON(@linked0Product) WITH (Id BIGINT '$') AS i)) OR EXISTS (SELECT DISTINCT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Product] AS s, [dbo].[RATED] AS e, [dbo].[Customer] AS t
WHERE MATCH(s<-(e)-t)
    AND t.[Id] = n.[Id]
    AND s.[Id] IN (SELECT i.Id FROM OPENJSON(@linked0Product) WITH (Id BIGINT '$') AS i)))
    AND (EXISTS (SELECT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Customer] AS s, [dbo].[KNOWS] AS e, [dbo].[Customer] AS t
WHERE MATCH(s-(e)->t)
    AND t.[Id] = n.[Id]
    AND s.[Id] IN (SELECT i.Id FROM OPENJSON(@linked1Customer) WITH (Id BIGINT '$') AS i)) OR EXISTS (SELECT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Customer] AS s, [dbo].[KNOWS] AS e, [dbo].[Customer] AS t
WHERE MATCH(s<-(e)-t)
    AND t.[Id] = n.[Id]
    AND s.[Id] IN (SELECT i.Id FROM OPENJSON(@linked1Customer) WITH (Id BIGINT '$') AS i)) OR EXISTS (SELECT DISTINCT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Customer] AS s, [dbo].[RATED] AS e, [dbo].[Customer] AS t
WHERE MATCH(s-(e)->t)
    AND t.[Id] = n.[Id]
    AND s.[Id] IN (SELECT i.Id FROM OPENJSON(@linked1Customer) WITH (Id BIGINT '$') AS i)) OR EXISTS (SELECT DISTINCT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Customer] AS s, [dbo].[RATED] AS e, [dbo].[Customer] AS t
WHERE MATCH(s<-(e)-t)
    AND t.[Id] = n.[Id]
    AND s.[Id] IN (SELECT i.Id FROM OPENJSON(@linked1Customer) WITH (Id BIGINT '$') AS i)))
ORDER BY Distance, n.[Id];
GO

-- matching words
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @text NVARCHAR(4000) = ?;
SELECT TOP (@k) n.[Id], k.[RANK] AS Rank
FROM FREETEXTTABLE([dbo].[Customer], ([Name], [Content]), @text) AS k
JOIN [dbo].[Customer] AS n ON n.[Id] = k.[KEY]
ORDER BY k.[RANK] DESC, n.[Id];
GO

-- document counts
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @words NVARCHAR(MAX) = ?;
DECLARE @counts TABLE (Place INT NOT NULL, Nodes BIGINT NOT NULL);
DECLARE @place INT = 0, @last INT = (SELECT COUNT(*) FROM OPENJSON(@words)) - 1;
DECLARE @word NVARCHAR(4000);
WHILE @place <= @last
BEGIN
    SELECT @word = w.[value] FROM OPENJSON(@words) AS w
    WHERE w.[key] = CAST(@place AS NVARCHAR(10));
    INSERT @counts (Place, Nodes)
    SELECT @place, COUNT_BIG(*) FROM CONTAINSTABLE([dbo].[Customer], ([Name], [Content]), @word) AS k;
    SET @place += 1;
END;
SELECT c.Place, c.Nodes FROM @counts AS c ORDER BY c.Place;
GO

-- named
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @names NVARCHAR(MAX) = ?, @marks NVARCHAR(4000) = ?;
SELECT w.Place, n.[Id], n.[Name]
FROM OPENJSON(@names) WITH (Place INT '$[0]', Name NVARCHAR(4000) '$[1]') AS w
JOIN [dbo].[Customer] AS n
    ON COALESCE(NULLIF(REPLACE(TRANSLATE(n.[Name] COLLATE Latin1_General_100_BIN2, @marks, REPLICATE(N' ', DATALENGTH(@marks) / 2)), N' ', N''), N''), LTRIM(RTRIM(n.[Name]))) COLLATE Latin1_General_100_CI_AI = w.Name COLLATE Latin1_General_100_CI_AI
ORDER BY w.Place, n.[Id];
GO

-- names
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
SELECT n.[Id], n.[Name]
FROM [dbo].[Customer] AS n
WHERE n.[Name] IS NOT NULL
ORDER BY n.[Id];
GO

-- names with parts
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @parts NVARCHAR(MAX) = ?;
SELECT TOP (@k) n.[Id], n.[Name]
FROM OPENJSON(@parts) WITH (Part NVARCHAR(4000) '$') AS p
JOIN [dbo].[Customer] AS n
    ON CHARINDEX(p.Part COLLATE Latin1_General_100_CI_AS, n.[Name] COLLATE Latin1_General_100_CI_AS) > 0
GROUP BY n.[Id], n.[Name]
ORDER BY COUNT(*) DESC, LEN(n.[Name]), n.[Id];
GO

-- neighbors along BOUGHT to Product
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT DISTINCT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Customer] AS s, [dbo].[BOUGHT] AS e, [dbo].[Product] AS t
WHERE MATCH(s-(e)->t)
    AND s.[Id] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY Source, Target;
GO

-- spread along BOUGHT to Product
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT DISTINCT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Customer] AS s, [dbo].[BOUGHT] AS e, [dbo].[Product] AS t
WHERE MATCH(s-(e)->t)) AS p ON p.Source = w.Id
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- neighbors along KNOWS to Customer
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Customer] AS s, [dbo].[KNOWS] AS e, [dbo].[Customer] AS t
WHERE MATCH(s-(e)->t)
    AND s.[Id] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY Source, Target;
GO

-- spread along KNOWS to Customer
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Customer] AS s, [dbo].[KNOWS] AS e, [dbo].[Customer] AS t
WHERE MATCH(s-(e)->t)) AS p ON p.Source = w.Id
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- neighbors against KNOWS to Customer
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Customer] AS s, [dbo].[KNOWS] AS e, [dbo].[Customer] AS t
WHERE MATCH(s<-(e)-t)
    AND s.[Id] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY Source, Target;
GO

-- spread against KNOWS to Customer
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Customer] AS s, [dbo].[KNOWS] AS e, [dbo].[Customer] AS t
WHERE MATCH(s<-(e)-t)) AS p ON p.Source = w.Id
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- neighbors along RATED to Product
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT DISTINCT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Customer] AS s, [dbo].[RATED] AS e, [dbo].[Product] AS t
WHERE MATCH(s-(e)->t)
    AND s.[Id] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY Source, Target;
GO

-- spread along RATED to Product
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT DISTINCT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Customer] AS s, [dbo].[RATED] AS e, [dbo].[Product] AS t
WHERE MATCH(s-(e)->t)) AS p ON p.Source = w.Id
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- neighbors along RATED to Customer
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT DISTINCT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Customer] AS s, [dbo].[RATED] AS e, [dbo].[Customer] AS t
WHERE MATCH(s-(e)->t)
    AND s.[Id] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY Source, Target;
GO

-- spread along RATED to Customer
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT DISTINCT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Customer] AS s, [dbo].[RATED] AS e, [dbo].[Customer] AS t
WHERE MATCH(s-(e)->t)) AS p ON p.Source = w.Id
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- neighbors against RATED to Customer
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT DISTINCT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Customer] AS s, [dbo].[RATED] AS e, [dbo].[Customer] AS t
WHERE MATCH(s<-(e)-t)
    AND s.[Id] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY Source, Target;
GO

-- spread against RATED to Customer
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT DISTINCT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Customer] AS s, [dbo].[RATED] AS e, [dbo].[Customer] AS t
WHERE MATCH(s<-(e)-t)) AS p ON p.Source = w.Id
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- neighbors along BOUGHT to Product where
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT DISTINCT w.Source, w.Target FROM (
    SELECT TOP 2147483647 [s].[Id] AS [Source], [t].[Id] AS [Target] FROM [dbo].[Customer] AS [s], [dbo].[BOUGHT] AS [e], [dbo].[Product] AS [t] WHERE MATCH([s]-([e])->[t]) AND ([e].[Note] <> N'é')) AS w
WHERE w.Source IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY Source, Target;
GO

-- spread along BOUGHT to Product where
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT DISTINCT w.Source, w.Target FROM (
    SELECT TOP 2147483647 [s].[Id] AS [Source], [t].[Id] AS [Target] FROM [dbo].[Customer] AS [s], [dbo].[BOUGHT] AS [e], [dbo].[Product] AS [t] WHERE MATCH([s]-([e])->[t]) AND ([e].[Note] <> N'é')) AS w) AS p ON p.Source = w.Id
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- neighbors along RATED to Product where
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT DISTINCT w.Source, w.Target FROM (
    SELECT TOP 2147483647 [s].[Id] AS [Source], [t].[Id] AS [Target] FROM [dbo].[Customer] AS [s], [dbo].[RATED] AS [e], [dbo].[Product] AS [t] WHERE MATCH([s]-([e])->[t]) AND ([e].[Note] <> N'é')) AS w
WHERE w.Source IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY Source, Target;
GO

-- spread along RATED to Product where
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT DISTINCT w.Source, w.Target FROM (
    SELECT TOP 2147483647 [s].[Id] AS [Source], [t].[Id] AS [Target] FROM [dbo].[Customer] AS [s], [dbo].[RATED] AS [e], [dbo].[Product] AS [t] WHERE MATCH([s]-([e])->[t]) AND ([e].[Note] <> N'é')) AS w) AS p ON p.Source = w.Id
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- neighbors along RATED to Customer where
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT DISTINCT w.Source, w.Target FROM (
    SELECT TOP 2147483647 [s].[Id] AS [Source], [t].[Id] AS [Target] FROM [dbo].[Customer] AS [s], [dbo].[RATED] AS [e], [dbo].[Customer] AS [t] WHERE MATCH([s]-([e])->[t]) AND ([e].[Note] <> N'é')) AS w
WHERE w.Source IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY Source, Target;
GO

-- spread along RATED to Customer where
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT DISTINCT w.Source, w.Target FROM (
    SELECT TOP 2147483647 [s].[Id] AS [Source], [t].[Id] AS [Target] FROM [dbo].[Customer] AS [s], [dbo].[RATED] AS [e], [dbo].[Customer] AS [t] WHERE MATCH([s]-([e])->[t]) AND ([e].[Note] <> N'é')) AS w) AS p ON p.Source = w.Id
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- neighbors against RATED to Customer where
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT DISTINCT w.Source, w.Target FROM (
    SELECT TOP 2147483647 [s].[Id] AS [Source], [t].[Id] AS [Target] FROM [dbo].[Customer] AS [s], [dbo].[RATED] AS [e], [dbo].[Customer] AS [t] WHERE MATCH([s]<-([e])-[t]) AND ([e].[Note] <> N'é')) AS w
WHERE w.Source IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY Source, Target;
GO

-- spread against RATED to Customer where
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT DISTINCT w.Source, w.Target FROM (
    SELECT TOP 2147483647 [s].[Id] AS [Source], [t].[Id] AS [Target] FROM [dbo].[Customer] AS [s], [dbo].[RATED] AS [e], [dbo].[Customer] AS [t] WHERE MATCH([s]<-([e])-[t]) AND ([e].[Note] <> N'é')) AS w) AS p ON p.Source = w.Id
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- spread of some
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?, @among NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT DISTINCT s.[Id] AS Source, t.[Id] AS Target
FROM [dbo].[Customer] AS s, [dbo].[BOUGHT] AS e, [dbo].[Product] AS t
WHERE MATCH(s-(e)->t)) AS p ON p.Source = w.Id
WHERE p.Target IN (SELECT i.Id FROM OPENJSON(@among) WITH (Id BIGINT '$') AS i)
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- degrees
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT N'BOUGHT' AS Edge, n.[Id] AS Id, COUNT_BIG(DISTINCT e.$to_id) AS Edges
FROM [dbo].[Customer] AS n
JOIN [dbo].[BOUGHT] AS e ON e.$from_id = n.$node_id
WHERE n.[Id] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
GROUP BY n.[Id]
UNION ALL
SELECT N'KNOWS' AS Edge, n.[Id] AS Id, COUNT_BIG(*) AS Edges
FROM [dbo].[Customer] AS n
JOIN [dbo].[KNOWS] AS e ON e.$from_id = n.$node_id
WHERE n.[Id] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
GROUP BY n.[Id]
UNION ALL
SELECT N'KNOWS' AS Edge, n.[Id] AS Id, COUNT_BIG(*) AS Edges
FROM [dbo].[Customer] AS n
JOIN [dbo].[KNOWS] AS e ON e.$to_id = n.$node_id
WHERE n.[Id] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
GROUP BY n.[Id]
UNION ALL
SELECT N'RATED' AS Edge, n.[Id] AS Id, COUNT_BIG(DISTINCT e.$to_id) AS Edges
FROM [dbo].[Customer] AS n
JOIN [dbo].[RATED] AS e ON e.$from_id = n.$node_id
WHERE n.[Id] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
GROUP BY n.[Id]
UNION ALL
SELECT N'RATED' AS Edge, n.[Id] AS Id, COUNT_BIG(DISTINCT e.$from_id) AS Edges
FROM [dbo].[Customer] AS n
JOIN [dbo].[RATED] AS e ON e.$to_id = n.$node_id
WHERE n.[Id] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
GROUP BY n.[Id];
GO

-- fetch
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT n.[Id], n.[Id], n.[Name], n.[Content]
FROM [dbo].[Customer] AS n
WHERE n.[Id] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i);
GO

-- vectors
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT n.[Id], CAST(n.[Embedding] AS NVARCHAR(MAX)) AS Vector
FROM [dbo].[Customer] AS n
WHERE n.[Embedding] IS NOT NULL AND n.[Id] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY n.[Id];
GO

-- keep
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?, @excluded NVARCHAR(MAX) = ?;
SELECT n.[Id]
FROM [dbo].[Customer] AS n
WHERE n.[Id] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
    AND n.[Id] IN (
    SELECT TOP 2147483647 [n].[Id] FROM [dbo].[Customer] AS [n] WHERE ([n].[Id] > 3 AND [n].[Name] <> N'é'))
    AND n.[Id] NOT IN (SELECT i.Id FROM OPENJSON(@excluded) WITH (Id BIGINT '$') AS i)
ORDER BY n.[Id];
GO

-- existing
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT n.[Id]
FROM [dbo].[Customer] AS n
WHERE n.[Id] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY n.[Id];
GO

-- has_any
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @excluded NVARCHAR(MAX) = ?;
SELECT TOP (1) n.[Id]
FROM [dbo].[Customer] AS n
WHERE n.[Id] IN (
    SELECT TOP 2147483647 [n].[Id] FROM [dbo].[Customer] AS [n] WHERE ([n].[Id] > 3 AND [n].[Name] <> N'é'))
    AND n.[Id] NOT IN (SELECT i.Id FROM OPENJSON(@excluded) WITH (Id BIGINT '$') AS i);
GO

