-- question: Which path connects Alien and Finding Nemo through films with shared themes?
-- shows: path, cte
WITH paths AS (
    SELECT LAST_VALUE(b.Id) WITHIN GROUP (GRAPH PATH) AS EndId,
           LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS EndName,
           STRING_AGG(CONCAT(t.Name, ' -> ', b.Name), ' -> ') WITHIN GROUP (GRAPH PATH) AS Path,
           COUNT(b.Id) WITHIN GROUP (GRAPH PATH) AS Steps
    FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t,
         INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
    WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Name = 'Alien'
)
SELECT TOP 5 p.EndId, p.EndName, p.Path, p.Steps
FROM paths AS p
WHERE p.EndName = 'Finding Nemo'
