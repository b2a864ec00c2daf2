-- tool: films_of_series
-- describe: Films of a series since a year, oldest first.
-- param series: name of Series = "Star Wars": which series
-- param since: int ?= 1900: first year
SELECT TOP 20 m.Id, m.Name, m.ReleaseYear
FROM Movie AS m, PART_OF_SERIES AS p, Series AS s
WHERE MATCH(m-(p)->s) AND s.Id = @series AND m.ReleaseYear >= @since
ORDER BY m.ReleaseYear, m.Id
