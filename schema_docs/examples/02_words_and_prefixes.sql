-- question: In which plots do robots or other machines meet something human, or love?
-- shows: fulltext
SELECT TOP 20 m.Id, m.Name, m.ReleaseYear, m.Content
FROM Movie AS m
WHERE CONTAINS((m.Name, m.Content), '("robot*" OR "android*" OR "machine*") AND ("human*" OR "love*" OR "feel*")')
ORDER BY m.ReleaseYear, m.Id
