-- question: I have seen all Star Wars movies. Which other films share the most with them?
-- shows: two_hop, aggregate
SELECT TOP 20 n.Id, n.Name, n.ReleaseYear, COUNT(DISTINCT t.Id) AS SharedThemes,
       COUNT(*) AS Paths
FROM Series AS s, PART_OF_SERIES AS p, Movie AS seen,
     INCLUDES_THEME AS e1, Theme AS t, INCLUDES_THEME AS e2, Movie AS n
WHERE MATCH(s<-(p)-seen-(e1)->t<-(e2)-n)
  AND s.Name = 'Star Wars'
  AND NOT EXISTS (
      SELECT 1
      FROM Movie AS x, PART_OF_SERIES AS o, Series AS r
      WHERE MATCH(x-(o)->r) AND x.Id = n.Id AND r.Name = 'Star Wars'
  )
GROUP BY n.Id, n.Name, n.ReleaseYear
HAVING COUNT(DISTINCT t.Id) >= 2
ORDER BY SharedThemes DESC, Paths DESC, n.Id
