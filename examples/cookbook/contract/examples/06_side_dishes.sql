-- question: What is served with falafel, and what is falafel served with?
-- shows: one_hop, precise
SELECT TOP 20 o.Number, o.Title
FROM Recipe AS r, GOES_WITH AS w, Recipe AS o
WHERE MATCH(o-(w)->r) AND r.Title = 'Falafel'
UNION
SELECT o.Number, o.Title
FROM Recipe AS r, GOES_WITH AS w, Recipe AS o
WHERE MATCH(r-(w)->o) AND r.Title = 'Falafel'
ORDER BY Title
