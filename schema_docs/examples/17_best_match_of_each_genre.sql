-- question: A survivor alone in a hostile place: the film of each genre that comes closest.
-- query: One person alone in a hostile place struggles to stay alive and to find a way home.
-- shows: window, cte, semantic, one_hop
WITH ranked AS (
    SELECT g.Name AS Kind, m.Id, m.Name, m.ReleaseYear,
           ROW_NUMBER() OVER (
               PARTITION BY g.Id ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)
           ) AS Place
    FROM Movie AS m, IN_GENRE AS i, Genre AS g
    WHERE MATCH(m-(i)->g)
)
SELECT TOP 20 r.Kind, r.Id, r.Name, r.ReleaseYear
FROM ranked AS r
WHERE r.Place = 1
ORDER BY r.Kind
