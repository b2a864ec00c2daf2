-- question: List the Star Wars films in order, with the years since the previous one.
-- shows: window, one_hop, precise
SELECT TOP 20 m.Id, m.Name, m.ReleaseYear,
       ROW_NUMBER() OVER (ORDER BY m.ReleaseYear, m.Id) AS Part,
       m.ReleaseYear - LAG(m.ReleaseYear) OVER (ORDER BY m.ReleaseYear, m.Id) AS YearsSince
FROM Movie AS m, PART_OF_SERIES AS p, Series AS s
WHERE MATCH(m-(p)->s) AND s.Name = 'Star Wars'
ORDER BY m.ReleaseYear, m.Id
