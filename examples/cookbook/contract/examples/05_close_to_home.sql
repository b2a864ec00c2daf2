-- question: Which dishes use an ingredient that comes from the very same region?
-- shows: two_hop, precise
SELECT TOP 20 g.Name AS Region, r.Number, r.Title, i.Name AS Ingredient
FROM Recipe AS r, NEEDS AS n, Ingredient AS i, COMES_FROM AS home, COMES_FROM AS c, Region AS g
WHERE MATCH(r-(n)->i-(home)->g<-(c)-r)
ORDER BY g.Name, r.Title, i.Name
