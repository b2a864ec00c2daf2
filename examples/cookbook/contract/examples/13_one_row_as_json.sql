-- question: Ossobuco with all its ingredients, as JSON.
-- shows: json
SELECT TOP 1 r.Title, r.Minutes,
       (SELECT TOP 30 i.Name FROM Recipe AS x, NEEDS AS n, Ingredient AS i
        WHERE MATCH(x-(n)->i) AND x.Number = r.Number ORDER BY i.Name FOR JSON PATH) AS Ingredients
FROM Recipe AS r
WHERE r.Title = 'Ossobuco'
FOR JSON PATH
