-- question: A stew with mushrooms in it, best match first.
-- query: A slow stew of meat and mushrooms.
-- shows: hybrid
SELECT TOP 10 r.Number, r.Title, k.[RANK] AS Words,
       ROUND(1 - VECTOR_DISTANCE('cosine', r.Meaning, @q), 4) AS Similarity
FROM FREETEXTTABLE(Recipe, (Title, Method), 'mushroom stew') AS k
JOIN Recipe AS r ON r.Number = k.[KEY]
ORDER BY VECTOR_DISTANCE('cosine', r.Meaning, @q)
