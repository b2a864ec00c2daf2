-- question: I loved Blade Runner. Which films are about the same things?
-- shows: two_hop, aggregate
SELECT TOP 20 n.Id, n.Name, n.ReleaseYear, COUNT(*) AS SharedThemes,
       STRING_AGG(t.Name, ', ') WITHIN GROUP (ORDER BY t.Name) AS Themes
FROM Movie AS m, INCLUDES_THEME AS e1, Theme AS t, INCLUDES_THEME AS e2, Movie AS n
WHERE MATCH(m-(e1)->t<-(e2)-n)
  AND m.Name = 'Blade Runner'
  AND n.Id <> m.Id
GROUP BY n.Id, n.Name, n.ReleaseYear
HAVING COUNT(*) >= 2
ORDER BY SharedThemes DESC, n.ReleaseYear DESC
