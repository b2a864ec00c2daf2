-- question: Hot and sour dishes without peanuts, neither inside nor on top.
-- query: A fiery, sour dish that burns, full of fragrant chilli.
-- shows: semantic, filtered_vector
SELECT TOP 10 r.Number, r.Title,
       ROUND(1 - VECTOR_DISTANCE('cosine', r.Meaning, @q), 4) AS Similarity
FROM Recipe AS r
WHERE NOT EXISTS (SELECT 1 FROM Recipe AS x, NEEDS AS n, Ingredient AS i
                  WHERE MATCH(x-(n)->i) AND x.Number = r.Number AND i.Name = 'Peanut')
  AND NOT EXISTS (SELECT 1 FROM Recipe AS x, FINISHED_WITH AS f, Ingredient AS i
                  WHERE MATCH(x-(f)->i) AND x.Number = r.Number AND i.Name = 'Peanut')
ORDER BY VECTOR_DISTANCE('cosine', r.Meaning, @q)
