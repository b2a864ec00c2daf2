-- question: Something like Star Wars from this century that is not Star Wars itself.
-- query: Heroes and rebels fight an evil empire among the stars, with spaceships, mentors and a hidden destiny.
-- shows: filtered_vector, precise
SELECT TOP 20 m.Id, m.Name, m.ReleaseYear, m.Content,
       ROUND(1 - VECTOR_DISTANCE('cosine', m.Embedding, @q), 4) AS Similarity
FROM Movie AS m
WHERE m.ReleaseYear >= 2000
  AND m.Name NOT LIKE '%Star Wars%'
  AND NOT EXISTS (
      SELECT 1
      FROM Movie AS x, PART_OF_SERIES AS p, Series AS s
      WHERE MATCH(x-(p)->s) AND x.Id = m.Id AND s.Name = 'Star Wars'
  )
ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)
