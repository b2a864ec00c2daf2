-- question: Films with a ship or a crew in which something goes terribly wrong far from home.
-- query: A crew far from home is trapped and hunted, and one after another is lost.
-- shows: hybrid, filtered_vector
SELECT TOP 15 m.Id, m.Name, m.ReleaseYear, m.Content,
       ROUND(1 - VECTOR_DISTANCE('cosine', m.Embedding, @q), 4) AS Similarity
FROM Movie AS m
WHERE FREETEXT((m.Name, m.Content), 'ship crew')
ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)
