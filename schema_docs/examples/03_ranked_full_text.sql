-- question: Find films with a detective, a murder or a killer, those that fit the words best first.
-- shows: fulltext
SELECT TOP 15 m.Id, m.Name, m.ReleaseYear, k.[RANK] AS Score
FROM CONTAINSTABLE(Movie, (Name, Content), '"detective*" OR "murder*" OR "killer"') AS k
JOIN Movie AS m ON m.Id = k.[KEY]
ORDER BY k.[RANK] DESC, m.Id
