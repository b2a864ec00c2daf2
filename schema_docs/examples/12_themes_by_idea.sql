-- question: Which films ask what makes us human when machines can think?
-- query: What it means to be human, identity and free will in a world of thinking machines.
-- shows: cte, semantic, one_hop, aggregate
WITH nearest AS (
    SELECT TOP 10 t.Id, VECTOR_DISTANCE('cosine', t.Embedding, @q) AS Distance
    FROM Theme AS t
    ORDER BY VECTOR_DISTANCE('cosine', t.Embedding, @q)
)
SELECT TOP 20 m.Id, m.Name, m.ReleaseYear, COUNT(*) AS SharedThemes,
       STRING_AGG(t.Name, ', ') WITHIN GROUP (ORDER BY t.Name) AS Themes
FROM nearest AS d, Movie AS m, INCLUDES_THEME AS e, Theme AS t
WHERE MATCH(m-(e)->t) AND t.Id = d.Id
GROUP BY m.Id, m.Name, m.ReleaseYear
HAVING COUNT(*) >= 2
ORDER BY SharedThemes DESC, AVG(d.Distance), m.Id
