-- question: Comedies that are not romances, newest first.
-- shows: precise, one_hop
SELECT TOP 20 m.Id, m.Name, m.ReleaseYear
FROM Movie AS m, IN_GENRE AS i, Genre AS g
WHERE MATCH(m-(i)->g)
  AND g.Name = 'Comedy'
  AND NOT EXISTS (
      SELECT 1
      FROM Movie AS x, IN_GENRE AS j, Genre AS r
      WHERE MATCH(x-(j)->r) AND x.Id = m.Id AND r.Name = 'Romance'
  )
ORDER BY m.ReleaseYear DESC, m.Id
