-- question: How many films of each genre are there, and what share of all films is that? Only genres with ten films or more.
-- shows: aggregate, one_hop
SELECT TOP 20 g.Name AS Kind, COUNT(*) AS Films,
       ROUND(100e0 * COUNT(*) / (SELECT COUNT(*) FROM Movie AS a), 1) AS Percentage
FROM Movie AS m, IN_GENRE AS i, Genre AS g
WHERE MATCH(m-(i)->g)
GROUP BY g.Name
HAVING COUNT(*) >= 10
ORDER BY Films DESC, g.Name
