-- question: The two quickest vegetarian dishes of each country, with their continent.
-- shows: window, cte, two_hop
WITH ranked AS (
    SELECT big.Name AS Continent, g.Name AS Country, r.Title, r.Minutes,
           ROW_NUMBER() OVER (PARTITION BY g.Id ORDER BY r.Minutes, r.Number) AS Place
    FROM Recipe AS r, COMES_FROM AS c, Region AS g, PART_OF AS p, Region AS big
    WHERE MATCH(r-(c)->g-(p)->big) AND r.Vegetarian = 1
      AND big.Name IN ('Europe', 'Asia', 'Africa', 'The Americas')
)
SELECT TOP 20 Continent, Country, Title, Minutes
FROM ranked
WHERE Place <= 2
ORDER BY Continent, Country, Minutes
