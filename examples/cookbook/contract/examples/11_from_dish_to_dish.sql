-- question: How is tiramisù linked with miso soup by shared ingredients?
-- shows: path
SELECT TOP 5 p.Way, p.Steps
FROM (SELECT r.Title + ' > ' + STRING_AGG(i.Name + ' > ' + o.Title, ' > ')
                 WITHIN GROUP (GRAPH PATH) AS Way,
             COUNT(o.Number) WITHIN GROUP (GRAPH PATH) AS Steps,
             LAST_VALUE(o.Title) WITHIN GROUP (GRAPH PATH) AS Goal
      FROM Recipe AS r, NEEDS FOR PATH AS n1, Ingredient FOR PATH AS i, NEEDS FOR PATH AS n2,
           Recipe FOR PATH AS o
      WHERE MATCH(SHORTEST_PATH(r(-(n1)->i<-(n2)-o)+)) AND r.Title = 'Tiramisù') AS p
WHERE p.Goal = 'Miso soup'
