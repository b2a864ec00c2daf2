-- question: Which way leads from Alien to Finding Nemo, from film to film over the themes that they share?
-- shows: path, cte
WITH ways AS (
    SELECT LAST_VALUE(b.Id) WITHIN GROUP (GRAPH PATH) AS EndId,
           LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS EndName,
           STRING_AGG(CONCAT(t.Name, ' -> ', b.Name), ' -> ') WITHIN GROUP (GRAPH PATH) AS Way,
           COUNT(b.Id) WITHIN GROUP (GRAPH PATH) AS Steps
    FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t,
         INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
    WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Name = 'Alien'
)
SELECT TOP 5 w.EndId, w.EndName, w.Way, w.Steps
FROM ways AS w
WHERE w.EndName = 'Finding Nemo'
