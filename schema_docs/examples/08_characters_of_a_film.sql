-- question: Who are the main characters of Casablanca?
-- shows: one_hop, precise
SELECT TOP 20 c.Id, c.Name, c.Content
FROM Movie AS m, FEATURES_CHARACTER AS f, Character AS c
WHERE MATCH(m-(f)->c) AND m.Name = 'Casablanca'
ORDER BY c.Name
