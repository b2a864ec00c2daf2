-- question: Quick vegan dishes with lentils or chickpeas.
-- shows: fulltext, precise, one_hop
SELECT DISTINCT TOP 10 r.Number, r.Title, r.Minutes
FROM Recipe AS r, NEEDS AS n, Ingredient AS i
WHERE MATCH(r-(n)->i) AND CONTAINS(i.Name, '"lentil*" OR "chickpea*"')
  AND r.Vegan = 1 AND r.Minutes <= 60
ORDER BY r.Minutes, r.Number
