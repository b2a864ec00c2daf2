-- name: nearest films, content only
-- class: kubica
SELECT TOP 20 Content FROM [dbo].[Movie] WHERE Embedding IS NOT NULL ORDER BY vector_distance('cosine', Embedding, @q) ASC

-- name: words first, then meaning
-- class: kubica
SELECT TOP 20 m.Content
FROM dbo.Movie AS m
WHERE m.Embedding IS NOT NULL AND CONTAINS(m.Content, '"space" OR "galaxy"')
ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q);

-- name: phrase in name or content
-- class: kubica
SELECT TOP 20 m.Name, m.Content FROM dbo.Movie m WHERE CONTAINS((m.Content, m.Name), '"Luke Skywalker"')

-- name: characters by vector, then films, then count
-- class: kubica
WITH TopCharacters AS (
    SELECT TOP 10 c.Id
    FROM dbo.Character AS c
    WHERE c.Embedding IS NOT NULL
    ORDER BY vector_distance('cosine', c.Embedding, @q)
)
SELECT TOP 20 m.Content, COUNT(*) AS Hits
FROM dbo.Movie AS m, dbo.FEATURES_CHARACTER AS fc, dbo.Character AS c
WHERE MATCH(m-(fc)->c) AND c.Id IN (SELECT Id FROM TopCharacters)
GROUP BY m.Id, m.Content
ORDER BY COUNT(*) DESC

-- name: themes by vector, then films, then count
-- class: kubica
WITH T AS (SELECT TOP (5) [Id] FROM [dbo].[Theme] WHERE [Embedding] IS NOT NULL ORDER BY vector_distance('cosine', [Embedding], @q)) SELECT TOP (20) m.[Content] FROM [dbo].[Movie] m, [dbo].[INCLUDES_THEME] it, [dbo].[Theme] t WHERE MATCH(m-(it)->t) AND t.[Id] IN (SELECT [Id] FROM T) GROUP BY m.[Id], m.[Content] ORDER BY COUNT(DISTINCT t.[Id]) DESC

-- name: films that share most with one film
-- class: kubica
WITH source AS (SELECT TOP 1 Id FROM dbo.Movie WHERE CONTAINS(Name, '"Star Wars"') AND Embedding IS NOT NULL ORDER BY vector_distance('cosine', Embedding, @q)) SELECT TOP 20 m2.Content, COUNT(*) AS CommonThemes FROM dbo.Movie m1, dbo.INCLUDES_THEME it1, dbo.Theme t, dbo.INCLUDES_THEME it2, dbo.Movie m2 WHERE MATCH(m1-(it1)->t AND m2-(it2)->t) AND m1.Id IN (SELECT Id FROM source) AND m2.Id <> m1.Id GROUP BY m2.Id, m2.Content ORDER BY CommonThemes DESC

-- name: nearest series
-- class: kubica
SELECT TOP 5 s.Name, s.Content FROM dbo.Series s WHERE s.Embedding IS NOT NULL ORDER BY vector_distance('cosine', s.Embedding, @q) ASC

-- name: films of a place
-- class: kubica
SELECT TOP 20 m.Content FROM dbo.Movie m, dbo.SET_IN si, dbo.Setting s WHERE MATCH(m-(si)->s) AND s.Name LIKE '%Prague%'

-- name: genre and character
-- class: kubica
SELECT TOP 20 m.Content FROM dbo.Movie AS m, dbo.IN_GENRE AS ig, dbo.Genre AS g, dbo.FEATURES_CHARACTER AS fc, dbo.Character AS c WHERE MATCH(m-(ig)->g AND m-(fc)->c) AND g.Name = 'Horror' AND CONTAINS(c.Content, 'vampire')

-- name: widened to sixty
-- class: kubica
SELECT TOP 60 Content FROM dbo.Movie WHERE Embedding IS NOT NULL ORDER BY vector_distance('cosine', Embedding, @q)

-- name: least of several distances
-- class: mauri
SELECT TOP (50) m.Id, m.Name, LEAST(vector_distance('cosine', m.Embedding, @q), vector_distance('cosine', s.Embedding, @q), vector_distance('cosine', g.Embedding, @q)) AS distance_score FROM dbo.Movie AS m, dbo.PART_OF_SERIES AS p, dbo.Series AS s, dbo.IN_GENRE AS i, dbo.Genre AS g WHERE MATCH(m-(p)->s AND m-(i)->g) ORDER BY distance_score ASC

-- name: reciprocal rank fusion
-- class: mauri
WITH keyword_search AS (SELECT TOP (50) ftt.[KEY] AS id, RANK() OVER (ORDER BY ftt.[RANK] DESC) AS [rank] FROM FREETEXTTABLE(dbo.Movie, *, N'space pirates') AS ftt ORDER BY [rank]), semantic_search AS (SELECT TOP (50) m.Id AS id, RANK() OVER (ORDER BY vector_distance('cosine', m.Embedding, @q)) AS [rank] FROM dbo.Movie AS m ORDER BY [rank]), result AS (SELECT TOP (50) COALESCE(ss.id, ks.id) AS id, ss.[rank] AS semantic_rank, ks.[rank] AS keyword_rank, 1000 * (COALESCE(1.0 / (60 + ss.[rank]), 0.0) + COALESCE(1.0 / (60 + ks.[rank]), 0.0)) AS rrf_score FROM semantic_search ss FULL OUTER JOIN keyword_search ks ON ss.id = ks.id ORDER BY rrf_score DESC) SELECT TOP (20) m.Id, m.Name, r.rrf_score FROM result AS r INNER JOIN dbo.Movie AS m ON m.Id = r.id ORDER BY r.rrf_score DESC

-- name: latest
-- class: mauri
SELECT TOP (5) Id, Name, ReleaseYear FROM dbo.Movie ORDER BY ReleaseYear DESC

-- name: count
-- class: mauri
SELECT COUNT(*) AS total_count FROM dbo.Movie

-- name: aggregate over a name
-- class: pipeline
SELECT COUNT(*) AS Films FROM dbo.Movie WHERE Name LIKE '%Rocky%'

-- name: typical figures of a genre
-- class: pipeline
SELECT TOP 20 c.Name, COUNT(DISTINCT m.Id) AS Films FROM dbo.Movie AS m, dbo.IN_GENRE AS i, dbo.Genre AS g, dbo.FEATURES_CHARACTER AS f, dbo.Character AS c WHERE MATCH(m-(i)->g AND m-(f)->c) AND g.Name = 'Western' GROUP BY c.Name ORDER BY Films DESC
