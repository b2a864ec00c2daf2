-- tool: films_about
-- describe: Films that include a theme, those nearest to a description first.
-- param theme: name of Theme = "Robots": which theme
-- param query: text = "a lonely machine learns to feel": what the film should be like
SELECT TOP 20 m.Id, m.Name, m.ReleaseYear,
       ROUND(1 - VECTOR_DISTANCE('cosine', m.Embedding, @q), 4) AS Similarity
FROM Movie AS m, INCLUDES_THEME AS i, Theme AS t
WHERE MATCH(m-(i)->t) AND t.Id = @theme
ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q), m.Id
