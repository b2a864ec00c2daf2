-- question: What tastes well with tomato, and is in season with it?
-- shows: one_hop, precise
SELECT DISTINCT TOP 20 o.Name, o.Family
FROM Ingredient AS t, GOES_WITH AS w, Ingredient AS o, IN_SEASON AS a, Season AS s, IN_SEASON AS b
WHERE MATCH(t-(w)->o AND t-(a)->s<-(b)-o) AND t.Name = 'Tomato'
ORDER BY o.Name
