-- question: Which dishes take the most butter, and how much is that for one person?
-- shows: one_hop, edge_columns, precise
SELECT TOP 10 r.Number, r.Title, n.Grams, n.Grams / 4 AS GramsEach
FROM Recipe AS r, NEEDS AS n, Ingredient AS i
WHERE MATCH(r-(n)->i) AND i.Name = 'Butter' AND n.Grams >= 100
ORDER BY n.Grams DESC, r.Number
