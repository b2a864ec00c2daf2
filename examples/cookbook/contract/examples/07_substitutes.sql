-- question: I have no butter: which dishes with it could I make with something that replaces it?
-- shows: two_hop, precise
SELECT TOP 20 r.Number, r.Title, i.Name AS Instead
FROM Ingredient AS i, REPLACES AS p, Ingredient AS b, NEEDS AS n, Recipe AS r
WHERE MATCH(i-(p)->b<-(n)-r) AND b.Name = 'Butter' AND r.Minutes <= 45
ORDER BY r.Title, i.Name
