-- tool: dishes_of_region
-- describe: Dishes of a region, those nearest to a description first.
-- param region: name of Region = "France": which region
-- param query: text = "light and quick": what the dish should be like
SELECT TOP 20 r.Number, r.Title, r.Minutes,
       ROUND(1 - VECTOR_DISTANCE('cosine', r.Meaning, @q), 4) AS Similarity
FROM Recipe AS r, COMES_FROM AS c, Region AS g
WHERE MATCH(r-(c)->g) AND g.Id = @region
ORDER BY VECTOR_DISTANCE('cosine', r.Meaning, @q), r.Number
