-- question: Of which dishes are more than three quarters vegetables, by weight?
-- shows: one_hop, edge_columns, aggregate
SELECT TOP 20 r.Number, r.Title, SUM(n.Grams) AS Grams,
       SUM(CASE WHEN i.Family = 'vegetable' THEN n.Grams ELSE 0 END) * 100 / SUM(n.Grams) AS Vegetables
FROM Recipe AS r, NEEDS AS n, Ingredient AS i
WHERE MATCH(r-(n)->i)
GROUP BY r.Number, r.Title
HAVING SUM(CASE WHEN i.Family = 'vegetable' THEN n.Grams ELSE 0 END) * 4 > SUM(n.Grams) * 3
ORDER BY Vegetables DESC, r.Number
