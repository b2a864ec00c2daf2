-- question: I want a film about a lonely machine that learns to feel.
-- query: A lonely robot or artificial mind slowly discovers feelings, friendship and love among humans.
-- shows: semantic
SELECT TOP 10 m.Id, m.Name, m.ReleaseYear, m.Content,
       ROUND(1 - VECTOR_DISTANCE('cosine', m.Embedding, @q), 4) AS Similarity
FROM Movie AS m
ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)
