-- nearest
SELECT TOP 5 [n].[Number], [n].[Title], [n].[Minutes], [n].[Vegan], [n].[Added], [n].[Price], [n].[Tip], ROUND(1 - VECTOR_DISTANCE('cosine', [n].[Meaning], @q), 4) AS [Similarity], [n].[Method] FROM [kitchen].[Recipe] AS [n] WHERE NOT [n].[Meaning] IS NULL ORDER BY VECTOR_DISTANCE('cosine', [n].[Meaning], @q), [n].[Number]
GO

-- nearest by index
SELECT TOP (5) WITH APPROXIMATE [n].[Number], [n].[Title], [n].[Minutes], [n].[Vegan], [n].[Added], [n].[Price], [n].[Tip], ROUND(1 - [s].[distance], 4) AS [Similarity], [n].[Method] FROM VECTOR_SEARCH(TABLE = [kitchen].[Recipe] AS [n], COLUMN = [Meaning], SIMILAR_TO = @q, METRIC = 'cosine') AS [s] ORDER BY [s].[distance]
GO

-- matching
SELECT TOP 5 [n].[Number], [n].[Title], [n].[Minutes], [n].[Vegan], [n].[Added], [n].[Price], [n].[Tip], [k].[RANK] AS [Rank], [n].[Method] FROM CONTAINSTABLE([kitchen].[Recipe], ([Title], [Tip], [Method]), N'"ripe tom*" AND basil') AS [k] JOIN [kitchen].[Recipe] AS [n] ON [n].[Number] = [k].[KEY] ORDER BY [k].[RANK] DESC, [n].[Number]
GO

-- named or matching
SELECT TOP 5 [n].[Number], [n].[Title], [n].[Minutes], [n].[Vegan], [n].[Added], [n].[Price], [n].[Tip], CASE WHEN [n].[Number] IN (1) THEN 1000 ELSE [k].[RANK] END AS [Rank], [n].[Method] FROM [kitchen].[Recipe] AS [n] LEFT JOIN FREETEXTTABLE([kitchen].[Recipe], ([Title], [Tip], [Method]), N'cook''s') AS [k] ON [k].[KEY] = [n].[Number] WHERE NOT [k].[KEY] IS NULL OR [n].[Number] IN (1) ORDER BY CASE WHEN [n].[Number] IN (1) THEN 0 ELSE 1 END, [Rank] DESC, [n].[Number]
GO

-- scored
SELECT TOP 5 [n].[Number], [n].[Title], [n].[Minutes], [n].[Vegan], [n].[Added], [n].[Price], [n].[Tip], CASE [n].[Number] WHEN 1 THEN 3 WHEN 2 THEN 4.5 END AS [Rank], [n].[Method] FROM [kitchen].[Recipe] AS [n] WHERE [n].[Number] IN (1, 2) ORDER BY [Rank] DESC, [n].[Number]
GO

-- fused
WITH [by_meaning] AS (SELECT [d].[Id] AS [Id], [d].[Distance] AS [Distance], ROW_NUMBER() OVER (ORDER BY [d].[Distance], [d].[Id]) AS [Place] FROM (SELECT TOP 50 [n].[Number] AS [Id], VECTOR_DISTANCE('cosine', [n].[Meaning], @q) AS [Distance] FROM [kitchen].[Recipe] AS [n] WHERE NOT [n].[Meaning] IS NULL ORDER BY VECTOR_DISTANCE('cosine', [n].[Meaning], @q), [n].[Number]) AS [d]), [by_words] AS (SELECT TOP 50 [n].[Number] AS [Id], ROW_NUMBER() OVER (ORDER BY [k].[RANK] DESC, [n].[Number]) AS [Place] FROM FREETEXTTABLE([kitchen].[Recipe], ([Title], [Tip], [Method]), N'tomato') AS [k] JOIN [kitchen].[Recipe] AS [n] ON [n].[Number] = [k].[KEY] ORDER BY [k].[RANK] DESC, [n].[Number]), [fused] AS (SELECT [r].[Id] AS [Id], ROUND(SUM([r].[Share]), 6) AS [Score], MIN([r].[SemanticRank]) AS [SemanticRank], MIN([r].[FulltextRank]) AS [FulltextRank] FROM (SELECT [a].[Id] AS [Id], CAST(1 AS FLOAT) / (20 + [a].[Place]), [a].[Place] AS [Place], NULL FROM [by_meaning] AS [a] UNION ALL SELECT [b].[Id] AS [Id], 1 * CAST(1 AS FLOAT) / (20 + [b].[Place]), NULL, [b].[Place] AS [Place] FROM [by_words] AS [b]) AS [r]([Id], [Share], [SemanticRank], [FulltextRank]) GROUP BY [r].[Id]) SELECT TOP 5 [n].[Number], [n].[Title], [n].[Minutes], [n].[Vegan], [n].[Added], [n].[Price], [n].[Tip], [f].[Score], [f].[SemanticRank], [f].[FulltextRank], [n].[Method] FROM [fused] AS [f] JOIN [kitchen].[Recipe] AS [n] ON [n].[Number] = [f].[Id] ORDER BY [f].[Score] DESC, [n].[Number]
GO

-- fused by index
WITH [by_meaning] AS (SELECT [d].[Id] AS [Id], [d].[Distance] AS [Distance], ROW_NUMBER() OVER (ORDER BY [d].[Distance], [d].[Id]) AS [Place] FROM (SELECT TOP (50) WITH APPROXIMATE [n].[Number] AS [Id], [s].[distance] AS [Distance] FROM VECTOR_SEARCH(TABLE = [kitchen].[Recipe] AS [n], COLUMN = [Meaning], SIMILAR_TO = @q, METRIC = 'cosine') AS [s] ORDER BY [s].[distance]) AS [d]), [by_words] AS (SELECT TOP 50 [n].[Number] AS [Id], ROW_NUMBER() OVER (ORDER BY [k].[RANK] DESC, [n].[Number]) AS [Place] FROM FREETEXTTABLE([kitchen].[Recipe], ([Title], [Tip], [Method]), N'tomato') AS [k] JOIN [kitchen].[Recipe] AS [n] ON [n].[Number] = [k].[KEY] ORDER BY [k].[RANK] DESC, [n].[Number]), [fused] AS (SELECT [r].[Id] AS [Id], ROUND(SUM([r].[Share]), 6) AS [Score], MIN([r].[SemanticRank]) AS [SemanticRank], MIN([r].[FulltextRank]) AS [FulltextRank] FROM (SELECT [a].[Id] AS [Id], CAST(1 AS FLOAT) / (20 + [a].[Place]), [a].[Place] AS [Place], NULL FROM [by_meaning] AS [a] UNION ALL SELECT [b].[Id] AS [Id], 1 * CAST(1 AS FLOAT) / (20 + [b].[Place]), NULL, [b].[Place] AS [Place] FROM [by_words] AS [b]) AS [r]([Id], [Share], [SemanticRank], [FulltextRank]) GROUP BY [r].[Id]) SELECT TOP 5 [n].[Number], [n].[Title], [n].[Minutes], [n].[Vegan], [n].[Added], [n].[Price], [n].[Tip], [f].[Score], [f].[SemanticRank], [f].[FulltextRank], [n].[Method] FROM [fused] AS [f] JOIN [kitchen].[Recipe] AS [n] ON [n].[Number] = [f].[Id] ORDER BY [f].[Score] DESC, [n].[Number]
GO

-- fused behind a name
WITH [by_meaning] AS (SELECT [d].[Id] AS [Id], [d].[Distance] AS [Distance], ROW_NUMBER() OVER (ORDER BY [d].[Distance], [d].[Id]) AS [Place] FROM (SELECT TOP 50 [n].[Number] AS [Id], VECTOR_DISTANCE('cosine', [n].[Meaning], @q) AS [Distance] FROM [kitchen].[Recipe] AS [n] WHERE NOT [n].[Meaning] IS NULL ORDER BY VECTOR_DISTANCE('cosine', [n].[Meaning], @q), [n].[Number]) AS [d]), [by_words] AS (SELECT TOP 50 [n].[Number] AS [Id], ROW_NUMBER() OVER (ORDER BY [k].[RANK] DESC, [n].[Number]) AS [Place] FROM FREETEXTTABLE([kitchen].[Recipe], ([Title], [Tip], [Method]), N'tomato') AS [k] JOIN [kitchen].[Recipe] AS [n] ON [n].[Number] = [k].[KEY] ORDER BY [k].[RANK] DESC, [n].[Number]), [fused] AS (SELECT [r].[Id] AS [Id], ROUND(SUM([r].[Share]), 6) AS [Score], MIN([r].[SemanticRank]) AS [SemanticRank], MIN([r].[FulltextRank]) AS [FulltextRank] FROM (SELECT [a].[Id] AS [Id], CAST(1 AS FLOAT) / (20 + [a].[Place]), [a].[Place] AS [Place], NULL FROM [by_meaning] AS [a] UNION ALL SELECT [b].[Id] AS [Id], 1 * CAST(1 AS FLOAT) / (20 + [b].[Place]), NULL, [b].[Place] AS [Place] FROM [by_words] AS [b] UNION ALL SELECT [n].[Number] AS [Number], CAST(0.5 AS FLOAT), NULL, NULL FROM [kitchen].[Recipe] AS [n] WHERE [n].[Number] IN (1)) AS [r]([Id], [Share], [SemanticRank], [FulltextRank]) GROUP BY [r].[Id]) SELECT TOP 5 [n].[Number], [n].[Title], [n].[Minutes], [n].[Vegan], [n].[Added], [n].[Price], [n].[Tip], [f].[Score], [f].[SemanticRank], [f].[FulltextRank], [n].[Method] FROM [fused] AS [f] JOIN [kitchen].[Recipe] AS [n] ON [n].[Number] = [f].[Id] WHERE [n].[Number] IN (SELECT [m].[Number] FROM [kitchen].[Recipe] AS [m] WHERE ([m].[Number] <> 2) AND (1 = 1)) ORDER BY [f].[Score] DESC, [n].[Number]
GO

-- near ends
SELECT TOP 60 [a].[Link], [a].[Id], [a].[Likeness] FROM (SELECT [b].[Link] AS [Link], [b].[Id] AS [Id], [b].[Likeness] AS [Likeness] FROM (SELECT TOP 60 N'COMES_FROM Cuisine' AS [Link], [c].[Id] AS [Id], 1 - VECTOR_DISTANCE('cosine', [c].[Embedding], @q) AS [Likeness] FROM [kitchen].[Cuisine] AS [c] WHERE NOT [c].[Embedding] IS NULL ORDER BY VECTOR_DISTANCE('cosine', [c].[Embedding], @q), [c].[Id]) AS [b] UNION ALL SELECT [b].[Link] AS [Link], [b].[Id] AS [Id], [b].[Likeness] AS [Likeness] FROM (SELECT TOP 60 N'NEEDS Ingredient' AS [Link], [c].[Id] AS [Id], 1 - VECTOR_DISTANCE('cosine', [c].[Embedding], @q) AS [Likeness] FROM [kitchen].[Ingredient] AS [c] WHERE NOT [c].[Embedding] IS NULL ORDER BY VECTOR_DISTANCE('cosine', [c].[Embedding], @q), [c].[Id]) AS [b]) AS [a] WHERE [a].[Likeness] >= 0.2 ORDER BY [a].[Likeness] DESC, [a].[Link], [a].[Id]
GO

-- ends of an example
SELECT TOP 60 [a].[Link], [a].[Id], [a].[Likeness] FROM (SELECT N'COMES_FROM Cuisine' AS [Link], [c].[Id] AS [Id], 1 - VECTOR_DISTANCE('cosine', [c].[Embedding], @q) AS [Likeness] FROM [kitchen].[Recipe] AS [x], [kitchen].[COMES_FROM] AS [e], [kitchen].[Cuisine] AS [c] WHERE MATCH([x]-([e])->[c]) AND [x].[Number] IN (1) UNION ALL SELECT N'NEEDS Ingredient' AS [Link], [c].[Id] AS [Id], 1 - VECTOR_DISTANCE('cosine', [c].[Embedding], @q) AS [Likeness] FROM [kitchen].[Recipe] AS [x], [kitchen].[NEEDS] AS [e], [kitchen].[Ingredient] AS [c] WHERE MATCH([x]-([e])->[c]) AND [x].[Number] IN (1)) AS [a] ORDER BY [a].[Likeness] DESC, [a].[Link], [a].[Id]
GO

-- nearest
SELECT TOP 1 1 - VECTOR_DISTANCE('cosine', [c].[Meaning], @q) AS [Likeness] FROM [kitchen].[Recipe] AS [c] WHERE NOT [c].[Meaning] IS NULL ORDER BY VECTOR_DISTANCE('cosine', [c].[Meaning], @q), [c].[Number]
GO

-- fused with links
WITH [by_meaning] AS (SELECT [d].[Id] AS [Id], [d].[Distance] AS [Distance], ROW_NUMBER() OVER (ORDER BY [d].[Distance], [d].[Id]) AS [Place] FROM (SELECT TOP 50 [n].[Number] AS [Id], VECTOR_DISTANCE('cosine', [n].[Meaning], @q) AS [Distance] FROM [kitchen].[Recipe] AS [n] WHERE NOT [n].[Meaning] IS NULL ORDER BY VECTOR_DISTANCE('cosine', [n].[Meaning], @q), [n].[Number]) AS [d]), [by_words] AS (SELECT TOP 50 [n].[Number] AS [Id], ROW_NUMBER() OVER (ORDER BY [k].[RANK] DESC, [n].[Number]) AS [Place] FROM FREETEXTTABLE([kitchen].[Recipe], ([Title], [Tip], [Method]), N'tomato') AS [k] JOIN [kitchen].[Recipe] AS [n] ON [n].[Number] = [k].[KEY] ORDER BY [k].[RANK] DESC, [n].[Number]), [linked]([Id], [LinkedTo], [Distance]) AS (SELECT [x].[Number] AS [Number], N'Cuisine: ' + [c].[Name], VECTOR_DISTANCE('cosine', [c].[Embedding], @q) FROM [kitchen].[Recipe] AS [x], [kitchen].[COMES_FROM] AS [e], [kitchen].[Cuisine] AS [c] WHERE MATCH([x]-([e])->[c]) AND [c].[Id] IN (1, 2) UNION ALL SELECT [x].[Number] AS [Number], N'Ingredient: ' + [c].[Name], VECTOR_DISTANCE('cosine', [c].[Embedding], @q) FROM [kitchen].[Recipe] AS [x], [kitchen].[NEEDS] AS [e], [kitchen].[Ingredient] AS [c] WHERE MATCH([x]-([e])->[c]) AND [c].[Id] IN (1, 2)), [lifted] AS (SELECT [l].[Id] AS [Id], [l].[LinkedTo] AS [LinkedTo], 1 - [l].[Distance] + 0.006 * COUNT([a].[Id]) OVER (PARTITION BY [l].[LinkedTo], [l].[Distance]) AS [Likeness] FROM [linked] AS [l] LEFT JOIN [by_meaning] AS [a] ON [a].[Id] = [l].[Id] AND [a].[Place] <= 50), [by_links] AS (SELECT [s].[Id] AS [Id], [s].[LinkedTo] AS [LinkedTo], ROW_NUMBER() OVER (ORDER BY [s].[Share] DESC, COALESCE(VECTOR_DISTANCE('cosine', [n].[Meaning], @q), 2), [s].[Id]) AS [Place] FROM (SELECT [l].[Id] AS [Id], [l].[LinkedTo] AS [LinkedTo], ROUND(SUM(POWER([l].[Likeness], 6)) OVER (PARTITION BY [l].[Id]), 9) AS [Share], ROW_NUMBER() OVER (PARTITION BY [l].[Id] ORDER BY [l].[Likeness] DESC, [l].[LinkedTo]) AS [Nth] FROM [lifted] AS [l]) AS [s] JOIN [kitchen].[Recipe] AS [n] ON [n].[Number] = [s].[Id] WHERE [s].[Nth] = 1), [fused] AS (SELECT [r].[Id] AS [Id], ROUND(SUM([r].[Share]), 6) AS [Score], MIN([r].[SemanticRank]) AS [SemanticRank], MIN([r].[FulltextRank]) AS [FulltextRank], MIN([r].[GraphRank]) AS [GraphRank], MIN([r].[LinkedTo]) AS [LinkedTo] FROM (SELECT [g].[Id] AS [Id], 1.250 * CAST(1 AS FLOAT) / (20 + [g].[Place]), NULL, NULL, [g].[Place] AS [Place], [g].[LinkedTo] AS [LinkedTo] FROM [by_links] AS [g] UNION ALL SELECT [a].[Id] AS [Id], CAST(1 AS FLOAT) / (20 + [a].[Place]), [a].[Place] AS [Place], NULL, NULL, NULL FROM [by_meaning] AS [a] UNION ALL SELECT [b].[Id] AS [Id], 0.5 * CAST(1 AS FLOAT) / (20 + [b].[Place]), NULL, [b].[Place] AS [Place], NULL, NULL FROM [by_words] AS [b] UNION ALL SELECT [n].[Number] AS [Number], CAST(0.5 AS FLOAT), NULL, NULL, NULL, NULL FROM [kitchen].[Recipe] AS [n] WHERE [n].[Number] IN (1)) AS [r]([Id], [Share], [SemanticRank], [FulltextRank], [GraphRank], [LinkedTo]) GROUP BY [r].[Id]) SELECT TOP 5 [n].[Number], [n].[Title], [n].[Minutes], [n].[Vegan], [n].[Added], [n].[Price], [n].[Tip], [f].[Score], [f].[SemanticRank], [f].[FulltextRank], [f].[GraphRank], [f].[LinkedTo], [n].[Method] FROM [fused] AS [f] JOIN [kitchen].[Recipe] AS [n] ON [n].[Number] = [f].[Id] ORDER BY [f].[Score] DESC, [n].[Number]
GO

-- named
SELECT TOP 5 [n].[Number], [n].[Title] FROM [kitchen].[Recipe] AS [n] WHERE [n].[Title] IN (N'cook''s', N'crème') ORDER BY [n].[Number]
GO

-- disambiguated
SELECT TOP 5 [n].[Number], [n].[Title], [n].[Minutes] FROM [kitchen].[Recipe] AS [n] WHERE [n].[Title] = N'cook''s' AND [n].[Minutes] = 20 OR [n].[Title] = N'cook''s (20)' OR [n].[Title] = N'crème' AND [n].[Minutes] = 5 OR [n].[Title] = N'crème (5)' ORDER BY [n].[Number]
GO

-- named first
SELECT TOP 1 [n].[Number] FROM [kitchen].[Recipe] AS [n] WHERE CHARINDEX(N'Cook''s ', [n].[Title]) = 1
GO

-- by id
SELECT TOP 5 [n].[Number], [n].[Title] FROM [kitchen].[Recipe] AS [n] WHERE [n].[Number] IN (1, 2) ORDER BY [n].[Number]
GO

-- sharing pieces
SELECT TOP 5 [n].[Number], [n].[Title] FROM [kitchen].[Recipe] AS [n] WHERE CHARINDEX(N'rat', [n].[Title]) > 0 OR CHARINDEX(N'k''s', [n].[Title]) > 0 ORDER BY CASE WHEN CHARINDEX(N'rat', [n].[Title]) > 0 THEN 1 ELSE 0 END + CASE WHEN CHARINDEX(N'k''s', [n].[Title]) > 0 THEN 1 ELSE 0 END DESC, LEN([n].[Title]), [n].[Number]
GO

-- beginning
SELECT TOP 5 [n].[Number], [n].[Method] FROM [kitchen].[Recipe] AS [n] WHERE LEFT([n].[Method], 100) IN (N'Cut') ORDER BY [n].[Number]
GO

-- records
SELECT TOP 5 [n].[Number], [n].[Title], [n].[Minutes], [n].[Vegan], [n].[Added], [n].[Price], [n].[Tip], [n].[Method] FROM [kitchen].[Recipe] AS [n] WHERE [n].[Number] IN (1) ORDER BY [n].[Number]
GO

-- edges
SELECT TOP 5 [c].[Id], [c].[Edge], COUNT(*) AS [Edges] FROM (SELECT N'NEEDS' AS [Edge], [n].[Number] AS [Id] FROM [kitchen].[Recipe] AS [n] JOIN [kitchen].[NEEDS] AS [e] ON [e].$from_id = [n].$node_id WHERE [n].[Number] IN (1) UNION ALL SELECT N'COMES_FROM' AS [Edge], [n].[Number] AS [Id] FROM [kitchen].[Recipe] AS [n] JOIN [kitchen].[COMES_FROM] AS [e] ON [e].$from_id = [n].$node_id WHERE [n].[Number] IN (1)) AS [c] GROUP BY [c].[Id], [c].[Edge] ORDER BY [c].[Id], [c].[Edge]
GO

-- nearest, filtered
SELECT TOP 5 [n].[Number], [n].[Title], [n].[Minutes], [n].[Vegan], [n].[Added], [n].[Price], [n].[Tip], ROUND(1 - VECTOR_DISTANCE('cosine', [n].[Meaning], @q), 4) AS [Similarity], [n].[Method] FROM [kitchen].[Recipe] AS [n] WHERE NOT [n].[Meaning] IS NULL AND ([n].[Minutes] < 30 AND CONTAINS([n].*, N'é')) ORDER BY VECTOR_DISTANCE('cosine', [n].[Meaning], @q), [n].[Number]
GO

-- by index, filtered
SELECT TOP (5) WITH APPROXIMATE [n].[Number], [n].[Title], [n].[Minutes], [n].[Vegan], [n].[Added], [n].[Price], [n].[Tip], ROUND(1 - [s].[distance], 4) AS [Similarity], [n].[Method] FROM VECTOR_SEARCH(TABLE = [kitchen].[Recipe] AS [n], COLUMN = [Meaning], SIMILAR_TO = @q, METRIC = 'cosine') AS [s] WHERE ([n].[Minutes] < 30) ORDER BY [s].[distance]
GO

