-- question: A film about the mafia and what loyalty to the family costs.
-- query: A crime family, its power struggles, and a son drawn into its business against his will.
-- shows: hybrid, cte, window
WITH by_meaning AS (
    SELECT TOP 60 m.Id,
           ROW_NUMBER() OVER (ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)) AS Place
    FROM Movie AS m
    ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)
),
by_words AS (
    SELECT TOP 60 k.[KEY] AS Id, ROW_NUMBER() OVER (ORDER BY k.[RANK] DESC, k.[KEY]) AS Place
    FROM CONTAINSTABLE(Movie, (Name, Content), '"mafia" OR "mob*" OR "gangster*" OR "crime"') AS k
    ORDER BY k.[RANK] DESC, k.[KEY]
)
SELECT TOP 20 m.Id, m.Name, m.ReleaseYear, v.Place AS SemanticRank, w.Place AS FulltextRank,
       ISNULL(1e0 / (60 + v.Place), 0) + ISNULL(1e0 / (60 + w.Place), 0) AS Score
FROM Movie AS m
LEFT JOIN by_meaning AS v ON v.Id = m.Id
LEFT JOIN by_words AS w ON w.Id = m.Id
WHERE v.Id IS NOT NULL OR w.Id IS NOT NULL
ORDER BY Score DESC, m.Id
