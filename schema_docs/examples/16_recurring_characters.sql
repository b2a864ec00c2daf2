-- question: Which characters appear in three films or more, and in which?
-- shows: aggregate, one_hop
SELECT TOP 20 c.Id, c.Name, COUNT(*) AS Films,
       STRING_AGG(m.Name, '; ') WITHIN GROUP (ORDER BY m.ReleaseYear) AS Titles
FROM Movie AS m, FEATURES_CHARACTER AS f, Character AS c
WHERE MATCH(m-(f)->c)
GROUP BY c.Id, c.Name
HAVING COUNT(*) >= 3
ORDER BY Films DESC, c.Name
