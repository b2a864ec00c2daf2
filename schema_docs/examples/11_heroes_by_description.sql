-- question: Films with a wise old teacher who trains a young hero.
-- query: A wise old master who patiently trains a gifted young pupil and guards a secret of the past.
-- shows: cte, semantic, one_hop
WITH nearest AS (
    SELECT TOP 10 c.Id, VECTOR_DISTANCE('cosine', c.Embedding, @q) AS Distance
    FROM Character AS c
    ORDER BY VECTOR_DISTANCE('cosine', c.Embedding, @q)
)
SELECT TOP 20 m.Id, m.Name, m.ReleaseYear, COUNT(*) AS Matches,
       STRING_AGG(c.Name, ', ') AS Characters,
       ROUND(1 - MIN(d.Distance), 4) AS Similarity
FROM nearest AS d, Movie AS m, FEATURES_CHARACTER AS f, Character AS c
WHERE MATCH(m-(f)->c) AND c.Id = d.Id
GROUP BY m.Id, m.Name, m.ReleaseYear
ORDER BY Matches DESC, Similarity DESC, m.Id
