-- question: Which two themes occur together most often?
-- shows: two_hop, aggregate
SELECT TOP 10 t.Name AS OneTheme, u.Name AS OtherTheme, COUNT(*) AS Films
FROM Theme AS t, INCLUDES_THEME AS e1, Movie AS m, INCLUDES_THEME AS e2, Theme AS u
WHERE MATCH(t<-(e1)-m-(e2)->u) AND t.Id < u.Id
GROUP BY t.Name, u.Name
HAVING COUNT(*) >= 2
ORDER BY Films DESC, OneTheme, OtherTheme
