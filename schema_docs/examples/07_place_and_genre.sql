-- question: Which science fiction films play on a spaceship or a space station?
-- shows: one_hop, precise
SELECT DISTINCT TOP 20 m.Id, m.Name, m.ReleaseYear
FROM Movie AS m, SET_IN AS i, Setting AS s, IN_GENRE AS g, Genre AS k
WHERE MATCH(m-(i)->s AND m-(g)->k)
  AND s.Name IN ('Spaceship', 'Space Station')
  AND k.Name = 'Science Fiction'
ORDER BY m.ReleaseYear, m.Id
