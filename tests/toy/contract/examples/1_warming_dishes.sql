-- question: Something warming for a cold evening.
-- query: A hot, hearty dish that simmers slowly and warms from within.
-- shows: semantic
SELECT TOP 5 r.Number, r.Title, r.Minutes,
       ROUND(1 - VECTOR_DISTANCE('cosine', r.Meaning, @q), 4) AS Similarity
FROM Recipe AS r
ORDER BY VECTOR_DISTANCE('cosine', r.Meaning, @q)
