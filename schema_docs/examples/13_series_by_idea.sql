-- question: Recommend me a whole series about a small group on a long and dangerous journey.
-- query: Companions on a long and dangerous quest through a world of magic and war.
-- shows: cte, semantic, one_hop
WITH nearest AS (
    SELECT TOP 3 s.Id, VECTOR_DISTANCE('cosine', s.Embedding, @q) AS Distance
    FROM Series AS s
    ORDER BY VECTOR_DISTANCE('cosine', s.Embedding, @q)
)
SELECT TOP 20 s.Name AS Saga, m.Id, m.Name, m.ReleaseYear
FROM nearest AS d, Series AS s, PART_OF_SERIES AS p, Movie AS m
WHERE MATCH(m-(p)->s) AND s.Id = d.Id
ORDER BY d.Distance, m.ReleaseYear
