-- question: Which Italian dishes live on summer vegetables?
-- shows: two_hop, aggregate
SELECT TOP 10 r.Number, r.Title, COUNT(*) AS InSeason
FROM Recipe AS r, NEEDS AS n, Ingredient AS i, IN_SEASON AS e, Season AS s,
     COMES_FROM AS c, Region AS g
WHERE MATCH(r-(n)->i-(e)->s AND r-(c)->g) AND s.Name = 'Summer' AND i.Family = 'vegetable'
  AND (g.Name = 'Italy' OR EXISTS (SELECT 1 FROM Region AS small, PART_OF AS p, Region AS big
       WHERE MATCH(small-(p)->big) AND small.Id = g.Id AND big.Name = 'Italy'))
GROUP BY r.Number, r.Title
ORDER BY InSeason DESC, r.Number
