-- question: Something hearty for a freezing night.
-- query: A hot, hearty stew or soup that simmers slowly and comforts on a cold evening.
-- shows: semantic
SELECT TOP 10 r.Number, r.Title, r.Minutes,
       ROUND(1 - VECTOR_DISTANCE('cosine', r.Meaning, @q), 4) AS Similarity
FROM Recipe AS r
ORDER BY VECTOR_DISTANCE('cosine', r.Meaning, @q)
