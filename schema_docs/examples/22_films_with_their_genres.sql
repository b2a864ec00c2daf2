-- question: The three newest films about robots, each with its genres, as one JSON document.
-- shows: json, fulltext
SELECT TOP 3 m.Id, m.Name, m.ReleaseYear,
       (SELECT TOP 5 g.Name
        FROM IN_GENRE AS i JOIN Genre AS g ON g.$node_id = i.$to_id
        WHERE i.$from_id = m.$node_id
        ORDER BY g.Name
        FOR JSON PATH) AS Genres
FROM Movie AS m
WHERE CONTAINS((m.Name, m.Content), '"robot*" OR "android*"')
ORDER BY m.ReleaseYear DESC, m.Id
FOR JSON PATH
