-- question: What else can I cook with what goes into ratatouille?
-- shows: two_hop, aggregate
SELECT TOP 10 o.Number, o.Title, COUNT(*) AS Shared
FROM Recipe AS r, NEEDS AS n1, Ingredient AS i, NEEDS AS n2, Recipe AS o
WHERE MATCH(r-(n1)->i<-(n2)-o) AND r.Title = 'Ratatouille' AND o.Number <> r.Number
GROUP BY o.Number, o.Title
ORDER BY Shared DESC, o.Number
