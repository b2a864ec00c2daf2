-- nearest
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @q VECTOR(64) = CAST(CAST(? AS NVARCHAR(MAX)) AS VECTOR(64));
SELECT TOP (@k) n.[Number], VECTOR_DISTANCE('cosine', n.[Meaning], @q) AS Distance
FROM [cookbook].[Recipe] AS n
WHERE n.[Meaning] IS NOT NULL
ORDER BY Distance, n.[Number];
GO

-- nearest by index
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @q VECTOR(64) = CAST(CAST(? AS NVARCHAR(MAX)) AS VECTOR(64));
SELECT TOP (@k) WITH APPROXIMATE n.[Number], s.distance AS Distance
FROM VECTOR_SEARCH(TABLE = [cookbook].[Recipe] AS n, COLUMN = [Meaning], SIMILAR_TO = @q, METRIC = 'cosine') AS s
ORDER BY s.distance;
GO

-- matching
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @text NVARCHAR(4000) = ?;
SELECT TOP (@k) n.[Number], k.[RANK] AS Rank
FROM CONTAINSTABLE([cookbook].[Recipe], ([Title], [Method]), @text) AS k
JOIN [cookbook].[Recipe] AS n ON n.[Number] = k.[KEY]
ORDER BY k.[RANK] DESC, n.[Number];
GO

-- nearest of some
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @q VECTOR(64) = CAST(CAST(? AS NVARCHAR(MAX)) AS VECTOR(64)), @among NVARCHAR(MAX) = ?;
SELECT TOP (@k) n.[Number], VECTOR_DISTANCE('cosine', n.[Meaning], @q) AS Distance
FROM [cookbook].[Recipe] AS n
WHERE n.[Meaning] IS NOT NULL
    AND n.[Number] IN (SELECT i.Id FROM OPENJSON(@among) WITH (Id BIGINT '$') AS i)
ORDER BY Distance, n.[Number];
GO

-- matching of some
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @text NVARCHAR(4000) = ?, @among NVARCHAR(MAX) = ?;
SELECT TOP (@k) n.[Number], k.[RANK] AS Rank
FROM CONTAINSTABLE([cookbook].[Recipe], ([Title], [Method]), @text) AS k
JOIN [cookbook].[Recipe] AS n ON n.[Number] = k.[KEY]
WHERE n.[Number] IN (SELECT i.Id FROM OPENJSON(@among) WITH (Id BIGINT '$') AS i)
ORDER BY k.[RANK] DESC, n.[Number];
GO

-- nearest where
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @q VECTOR(64) = CAST(CAST(? AS NVARCHAR(MAX)) AS VECTOR(64)), @excluded NVARCHAR(MAX) = ?;
SELECT TOP (@k) n.[Number], VECTOR_DISTANCE('cosine', n.[Meaning], @q) AS Distance
FROM [cookbook].[Recipe] AS n
WHERE n.[Meaning] IS NOT NULL
    AND n.[Number] IN (
    SELECT TOP 2147483647 [n].[Number] FROM [cookbook].[Recipe] AS [n] WHERE ([n].[Number] > 3 AND [n].[Title] <> N'é'))
    AND n.[Number] NOT IN (SELECT i.Id FROM OPENJSON(@excluded) WITH (Id BIGINT '$') AS i)
ORDER BY Distance, n.[Number];
GO

-- nearest by index where
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @q VECTOR(64) = CAST(CAST(? AS NVARCHAR(MAX)) AS VECTOR(64)), @excluded NVARCHAR(MAX) = ?;
SELECT TOP (@k) WITH APPROXIMATE n.[Number], s.distance AS Distance
FROM VECTOR_SEARCH(TABLE = [cookbook].[Recipe] AS n, COLUMN = [Meaning], SIMILAR_TO = @q, METRIC = 'cosine') AS s
WHERE n.[Number] IN (
    SELECT TOP 2147483647 [n].[Number] FROM [cookbook].[Recipe] AS [n] WHERE ([n].[Number] > 3 AND [n].[Title] <> N'é'))
    AND n.[Number] NOT IN (SELECT i.Id FROM OPENJSON(@excluded) WITH (Id BIGINT '$') AS i)
ORDER BY s.distance;
GO

-- matching where
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @text NVARCHAR(4000) = ?, @excluded NVARCHAR(MAX) = ?;
SELECT TOP (@k) n.[Number], k.[RANK] AS Rank
FROM CONTAINSTABLE([cookbook].[Recipe], ([Title], [Method]), @text) AS k
JOIN [cookbook].[Recipe] AS n ON n.[Number] = k.[KEY]
WHERE n.[Number] IN (
    SELECT TOP 2147483647 [n].[Number] FROM [cookbook].[Recipe] AS [n] WHERE ([n].[Number] > 3 AND [n].[Title] <> N'é'))
    AND n.[Number] NOT IN (SELECT i.Id FROM OPENJSON(@excluded) WITH (Id BIGINT '$') AS i)
ORDER BY k.[RANK] DESC, n.[Number];
GO

-- nearest without some
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @q VECTOR(64) = CAST(CAST(? AS NVARCHAR(MAX)) AS VECTOR(64)), @excluded NVARCHAR(MAX) = ?;
SELECT TOP (@k) n.[Number], VECTOR_DISTANCE('cosine', n.[Meaning], @q) AS Distance
FROM [cookbook].[Recipe] AS n
WHERE n.[Meaning] IS NOT NULL
    AND n.[Number] NOT IN (SELECT i.Id FROM OPENJSON(@excluded) WITH (Id BIGINT '$') AS i)
ORDER BY Distance, n.[Number];
GO

-- nearest by index without some
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @q VECTOR(64) = CAST(CAST(? AS NVARCHAR(MAX)) AS VECTOR(64)), @excluded NVARCHAR(MAX) = ?;
SELECT TOP (@k) WITH APPROXIMATE n.[Number], s.distance AS Distance
FROM VECTOR_SEARCH(TABLE = [cookbook].[Recipe] AS n, COLUMN = [Meaning], SIMILAR_TO = @q, METRIC = 'cosine') AS s
WHERE n.[Number] NOT IN (SELECT i.Id FROM OPENJSON(@excluded) WITH (Id BIGINT '$') AS i)
ORDER BY s.distance;
GO

-- matching without some
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @text NVARCHAR(4000) = ?, @excluded NVARCHAR(MAX) = ?;
SELECT TOP (@k) n.[Number], k.[RANK] AS Rank
FROM CONTAINSTABLE([cookbook].[Recipe], ([Title], [Method]), @text) AS k
JOIN [cookbook].[Recipe] AS n ON n.[Number] = k.[KEY]
WHERE n.[Number] NOT IN (SELECT i.Id FROM OPENJSON(@excluded) WITH (Id BIGINT '$') AS i)
ORDER BY k.[RANK] DESC, n.[Number];
GO

-- nearest linked
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @q VECTOR(64) = CAST(CAST(? AS NVARCHAR(MAX)) AS VECTOR(64)), @linked0Ingredient NVARCHAR(MAX) = ?, @linked1Technique NVARCHAR(MAX) = ?, @linked2Region NVARCHAR(MAX) = ?, @linked3Recipe NVARCHAR(MAX) = ?;
SELECT TOP (@k) n.[Number], VECTOR_DISTANCE('cosine', n.[Meaning], @q) AS Distance
FROM [cookbook].[Recipe] AS n
WHERE n.[Meaning] IS NOT NULL
    AND (EXISTS (SELECT DISTINCT s.[Id] AS Source, t.[Number] AS Target
FROM [cookbook].[Ingredient] AS s, [cookbook].[NEEDS] AS e, [cookbook].[Recipe] AS t
WHERE MATCH(s<-(e)-t)
    AND t.[Number] = n.[Number]
    AND s.[Id] IN (SELECT i.Id FROM OPENJSON(@linked0Ingredient) WITH (Id BIGINT '$') AS i)) OR EXISTS (SELECT s.[Id] AS Source, t.[Number] AS Target
FROM [cookbook].[Ingredient] AS s, [cookbook].[FINISHED_WITH] AS e, [cookbook].[Recipe] AS t
WHERE MATCH(s<-(e)-t)
    AND t.[Number] = n.[Number]
    AND s.[Id] IN (SELECT i.Id FROM OPENJSON(@linked0Ingredient) WITH (Id BIGINT '$') AS i)))
    AND (EXISTS (SELECT s.[Id] AS Source, t.[Number] AS Target
FROM [cookbook].[Technique] AS s, [cookbook].[USES] AS e, [cookbook].[Recipe] AS t
WHERE MATCH(s<-(e)-t)
    AND t.[Number] = n.[Number]
    AND s.[Id] IN (SELECT i.Id FROM OPENJSON(@linked1Technique) WITH (Id BIGINT '$') AS i)))
    AND (EXISTS (SELECT s.[Id] AS Source, t.[Number] AS Target
FROM [cookbook].[Region] AS s, [cookbook].[COMES_FROM] AS e, [cookbook].[Recipe] AS t
WHERE MATCH(s<-(e)-t)
    AND t.[Number] = n.[Number]
    AND s.[Id] IN (SELECT i.Id FROM OPENJSON(@linked2Region) WITH (Id BIGINT '$') AS i)))
    AND (EXISTS (SELECT s.[Number] AS Source, t.[Number] AS Target
FROM [cookbook].[Recipe] AS s, [cookbook].[GOES_WITH] AS e, [cookbook].[Recipe] AS t
WHERE MATCH(s-(e)->t)
    AND t.[Number] = n.[Number]
    AND s.[Number] IN (SELECT i.Id FROM OPENJSON(@linked3Recipe) WITH (Id BIGINT '$') AS i)) OR EXISTS (SELECT s.[Number] AS Source, t.[Number] AS Target
FROM [cookbook].[Recipe] AS s, [cookbook].[GOES_WITH] AS e, [cookbook].[Recipe] AS t
WHERE MATCH(s<-(e)-t)
    AND t.[Number] = n.[Number]
    AND s.[Number] IN (SELECT i.Id FROM OPENJSON(@linked3Recipe) WITH (Id BIGINT '$') AS i)))
ORDER BY Distance, n.[Number];
GO

-- matching words
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @text NVARCHAR(4000) = ?;
SELECT TOP (@k) n.[Number], k.[RANK] AS Rank
FROM FREETEXTTABLE([cookbook].[Recipe], ([Title], [Method]), @text) AS k
JOIN [cookbook].[Recipe] AS n ON n.[Number] = k.[KEY]
ORDER BY k.[RANK] DESC, n.[Number];
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
    SELECT @place, COUNT_BIG(*) FROM CONTAINSTABLE([cookbook].[Recipe], ([Title], [Method]), @word) AS k;
    SET @place += 1;
END;
SELECT c.Place, c.Nodes FROM @counts AS c ORDER BY c.Place;
GO

-- named
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @names NVARCHAR(MAX) = ?, @marks NVARCHAR(4000) = ?;
SELECT w.Place, n.[Number], n.[Title]
FROM OPENJSON(@names) WITH (Place INT '$[0]', Name NVARCHAR(4000) '$[1]') AS w
JOIN [cookbook].[Recipe] AS n
    ON COALESCE(NULLIF(REPLACE(TRANSLATE(n.[Title] COLLATE Latin1_General_100_BIN2, @marks, REPLICATE(N' ', DATALENGTH(@marks) / 2)), N' ', N''), N''), LTRIM(RTRIM(n.[Title]))) COLLATE Latin1_General_100_CI_AI = w.Name COLLATE Latin1_General_100_CI_AI
ORDER BY w.Place, n.[Number];
GO

-- names
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
SELECT n.[Number], n.[Title]
FROM [cookbook].[Recipe] AS n
WHERE n.[Title] IS NOT NULL
ORDER BY n.[Number];
GO

-- names with parts
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @parts NVARCHAR(MAX) = ?;
SELECT TOP (@k) n.[Number], n.[Title]
FROM OPENJSON(@parts) WITH (Part NVARCHAR(4000) '$') AS p
JOIN [cookbook].[Recipe] AS n
    ON CHARINDEX(p.Part COLLATE Latin1_General_100_CI_AS, n.[Title] COLLATE Latin1_General_100_CI_AS) > 0
GROUP BY n.[Number], n.[Title]
ORDER BY COUNT(*) DESC, LEN(n.[Title]), n.[Number];
GO

-- neighbors along NEEDS to Ingredient
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT DISTINCT s.[Number] AS Source, t.[Id] AS Target
FROM [cookbook].[Recipe] AS s, [cookbook].[NEEDS] AS e, [cookbook].[Ingredient] AS t
WHERE MATCH(s-(e)->t)
    AND s.[Number] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY Source, Target;
GO

-- spread along NEEDS to Ingredient
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT DISTINCT s.[Number] AS Source, t.[Id] AS Target
FROM [cookbook].[Recipe] AS s, [cookbook].[NEEDS] AS e, [cookbook].[Ingredient] AS t
WHERE MATCH(s-(e)->t)) AS p ON p.Source = w.Id
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- neighbors along FINISHED_WITH to Ingredient
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT s.[Number] AS Source, t.[Id] AS Target
FROM [cookbook].[Recipe] AS s, [cookbook].[FINISHED_WITH] AS e, [cookbook].[Ingredient] AS t
WHERE MATCH(s-(e)->t)
    AND s.[Number] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY Source, Target;
GO

-- spread along FINISHED_WITH to Ingredient
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT s.[Number] AS Source, t.[Id] AS Target
FROM [cookbook].[Recipe] AS s, [cookbook].[FINISHED_WITH] AS e, [cookbook].[Ingredient] AS t
WHERE MATCH(s-(e)->t)) AS p ON p.Source = w.Id
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- neighbors along USES to Technique
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT s.[Number] AS Source, t.[Id] AS Target
FROM [cookbook].[Recipe] AS s, [cookbook].[USES] AS e, [cookbook].[Technique] AS t
WHERE MATCH(s-(e)->t)
    AND s.[Number] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY Source, Target;
GO

-- spread along USES to Technique
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT s.[Number] AS Source, t.[Id] AS Target
FROM [cookbook].[Recipe] AS s, [cookbook].[USES] AS e, [cookbook].[Technique] AS t
WHERE MATCH(s-(e)->t)) AS p ON p.Source = w.Id
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- neighbors along COMES_FROM to Region
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT s.[Number] AS Source, t.[Id] AS Target
FROM [cookbook].[Recipe] AS s, [cookbook].[COMES_FROM] AS e, [cookbook].[Region] AS t
WHERE MATCH(s-(e)->t)
    AND s.[Number] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY Source, Target;
GO

-- spread along COMES_FROM to Region
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT s.[Number] AS Source, t.[Id] AS Target
FROM [cookbook].[Recipe] AS s, [cookbook].[COMES_FROM] AS e, [cookbook].[Region] AS t
WHERE MATCH(s-(e)->t)) AS p ON p.Source = w.Id
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- neighbors along GOES_WITH to Recipe
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT s.[Number] AS Source, t.[Number] AS Target
FROM [cookbook].[Recipe] AS s, [cookbook].[GOES_WITH] AS e, [cookbook].[Recipe] AS t
WHERE MATCH(s-(e)->t)
    AND s.[Number] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY Source, Target;
GO

-- spread along GOES_WITH to Recipe
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT s.[Number] AS Source, t.[Number] AS Target
FROM [cookbook].[Recipe] AS s, [cookbook].[GOES_WITH] AS e, [cookbook].[Recipe] AS t
WHERE MATCH(s-(e)->t)) AS p ON p.Source = w.Id
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- neighbors against GOES_WITH to Recipe
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT s.[Number] AS Source, t.[Number] AS Target
FROM [cookbook].[Recipe] AS s, [cookbook].[GOES_WITH] AS e, [cookbook].[Recipe] AS t
WHERE MATCH(s<-(e)-t)
    AND s.[Number] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY Source, Target;
GO

-- spread against GOES_WITH to Recipe
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT s.[Number] AS Source, t.[Number] AS Target
FROM [cookbook].[Recipe] AS s, [cookbook].[GOES_WITH] AS e, [cookbook].[Recipe] AS t
WHERE MATCH(s<-(e)-t)) AS p ON p.Source = w.Id
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- neighbors along NEEDS to Ingredient where
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT DISTINCT w.Source, w.Target FROM (
    SELECT TOP 2147483647 [s].[Number] AS [Source], [t].[Id] AS [Target] FROM [cookbook].[Recipe] AS [s], [cookbook].[NEEDS] AS [e], [cookbook].[Ingredient] AS [t] WHERE MATCH([s]-([e])->[t]) AND ([e].[Grams] <> 3)) AS w
WHERE w.Source IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY Source, Target;
GO

-- spread along NEEDS to Ingredient where
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT DISTINCT w.Source, w.Target FROM (
    SELECT TOP 2147483647 [s].[Number] AS [Source], [t].[Id] AS [Target] FROM [cookbook].[Recipe] AS [s], [cookbook].[NEEDS] AS [e], [cookbook].[Ingredient] AS [t] WHERE MATCH([s]-([e])->[t]) AND ([e].[Grams] <> 3)) AS w) AS p ON p.Source = w.Id
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- spread of some
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @k INT = ?, @weights NVARCHAR(MAX) = ?, @among NVARCHAR(MAX) = ?;
SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), 9) AS Total
FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w
JOIN (SELECT DISTINCT s.[Number] AS Source, t.[Id] AS Target
FROM [cookbook].[Recipe] AS s, [cookbook].[NEEDS] AS e, [cookbook].[Ingredient] AS t
WHERE MATCH(s-(e)->t)) AS p ON p.Source = w.Id
WHERE p.Target IN (SELECT i.Id FROM OPENJSON(@among) WITH (Id BIGINT '$') AS i)
GROUP BY p.Target
ORDER BY Total DESC, p.Target;
GO

-- degrees
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT N'NEEDS' AS Edge, n.[Number] AS Id, COUNT_BIG(DISTINCT e.$to_id) AS Edges
FROM [cookbook].[Recipe] AS n
JOIN [cookbook].[NEEDS] AS e ON e.$from_id = n.$node_id
WHERE n.[Number] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
GROUP BY n.[Number]
UNION ALL
SELECT N'FINISHED_WITH' AS Edge, n.[Number] AS Id, COUNT_BIG(*) AS Edges
FROM [cookbook].[Recipe] AS n
JOIN [cookbook].[FINISHED_WITH] AS e ON e.$from_id = n.$node_id
WHERE n.[Number] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
GROUP BY n.[Number]
UNION ALL
SELECT N'USES' AS Edge, n.[Number] AS Id, COUNT_BIG(*) AS Edges
FROM [cookbook].[Recipe] AS n
JOIN [cookbook].[USES] AS e ON e.$from_id = n.$node_id
WHERE n.[Number] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
GROUP BY n.[Number]
UNION ALL
SELECT N'COMES_FROM' AS Edge, n.[Number] AS Id, COUNT_BIG(*) AS Edges
FROM [cookbook].[Recipe] AS n
JOIN [cookbook].[COMES_FROM] AS e ON e.$from_id = n.$node_id
WHERE n.[Number] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
GROUP BY n.[Number]
UNION ALL
SELECT N'GOES_WITH' AS Edge, n.[Number] AS Id, COUNT_BIG(*) AS Edges
FROM [cookbook].[Recipe] AS n
JOIN [cookbook].[GOES_WITH] AS e ON e.$from_id = n.$node_id
WHERE n.[Number] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
GROUP BY n.[Number]
UNION ALL
SELECT N'GOES_WITH' AS Edge, n.[Number] AS Id, COUNT_BIG(*) AS Edges
FROM [cookbook].[Recipe] AS n
JOIN [cookbook].[GOES_WITH] AS e ON e.$to_id = n.$node_id
WHERE n.[Number] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
GROUP BY n.[Number];
GO

-- fetch
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT n.[Number], n.[Number], n.[Title], n.[Minutes], n.[Vegetarian], n.[Vegan], n.[Method]
FROM [cookbook].[Recipe] AS n
WHERE n.[Number] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i);
GO

-- vectors
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT n.[Number], CAST(n.[Meaning] AS NVARCHAR(MAX)) AS Vector
FROM [cookbook].[Recipe] AS n
WHERE n.[Meaning] IS NOT NULL AND n.[Number] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY n.[Number];
GO

-- keep
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?, @excluded NVARCHAR(MAX) = ?;
SELECT n.[Number]
FROM [cookbook].[Recipe] AS n
WHERE n.[Number] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
    AND n.[Number] IN (
    SELECT TOP 2147483647 [n].[Number] FROM [cookbook].[Recipe] AS [n] WHERE ([n].[Number] > 3 AND [n].[Title] <> N'é'))
    AND n.[Number] NOT IN (SELECT i.Id FROM OPENJSON(@excluded) WITH (Id BIGINT '$') AS i)
ORDER BY n.[Number];
GO

-- existing
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @ids NVARCHAR(MAX) = ?;
SELECT n.[Number]
FROM [cookbook].[Recipe] AS n
WHERE n.[Number] IN (SELECT i.Id FROM OPENJSON(@ids) WITH (Id BIGINT '$') AS i)
ORDER BY n.[Number];
GO

-- has_any
SET NOCOUNT ON; SET TEXTSIZE 2147483647;
DECLARE @excluded NVARCHAR(MAX) = ?;
SELECT TOP (1) n.[Number]
FROM [cookbook].[Recipe] AS n
WHERE n.[Number] IN (
    SELECT TOP 2147483647 [n].[Number] FROM [cookbook].[Recipe] AS [n] WHERE ([n].[Number] > 3 AND [n].[Title] <> N'é'))
    AND n.[Number] NOT IN (SELECT i.Id FROM OPENJSON(@excluded) WITH (Id BIGINT '$') AS i);
GO

