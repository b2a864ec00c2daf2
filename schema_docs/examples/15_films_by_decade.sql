-- question: How many films are there from each decade?
-- shows: aggregate, precise
SELECT TOP 20 m.ReleaseYear / 10 * 10 AS Decade, COUNT(*) AS Films,
       MIN(m.ReleaseYear) AS FirstYear, MAX(m.ReleaseYear) AS LastYear
FROM Movie AS m
WHERE m.ReleaseYear IS NOT NULL
GROUP BY m.ReleaseYear / 10 * 10
ORDER BY Decade
